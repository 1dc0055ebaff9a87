/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which program of a clause is for a probe: what both sides find out as they
 * meet it.  No malloc; safe against garbage in shared memory.
 */
#ifndef TBUF_SHARED_PROGRAM_SELECT_H
#define TBUF_SHARED_PROGRAM_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/file_view.h"

/*
 * Ids of probes up to this one are those of the consumer's own: BEGIN, END,
 * ERROR and its timers.  Behind them come those of targets.
 */
#define TBUF_IDS_OWN	1024u

/* A clause at a probe, as its ECBs have it. */
struct tbuf_fit {
	uint64_t binding;
	uint32_t program;	/* as in struct tbuf_clause */
	uint32_t count;		/* ECBs that it takes, at least one */
	uint32_t nrecords;	/* of them that have a text */
	uint64_t texts;		/* offset of these in the view */
};

/*
 * An enabling of the session in `slot` meets a probe.  False: there is no
 * program for this probe, for it has no argument of a name that the clause
 * uses, or none of the right class.  An enabling without a program fits all.
 */
bool	tbuf_clause_fit(const struct tbuf_view *, const struct tbuf_slot *,
	    unsigned enabling, uint32_t probe, struct tbuf_fit *);

/* The text of one of its records, as in struct tbuf_clause. */
uint32_t tbuf_fit_text(const struct tbuf_view *, const struct tbuf_fit *,
	    uint32_t record);

/* Classes of arguments, a bit each, as compilers have them. */
#define TBUF_CLASSES_INTEGER	0x01u
#define TBUF_CLASSES_UNSIGNED	0x02u
#define TBUF_CLASSES_FLOAT	0x04u
#define TBUF_CLASSES_TEXT	0x08u

/* That of an argument's type; 0: there is no such type. */
uint8_t	tbuf_class_of(unsigned type);

#endif
