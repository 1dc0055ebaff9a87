/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The choice of a clause's program for a probe, which both sides make when an
 * enabling matches the probe.  No malloc; safe against garbage in shared
 * memory.
 */
#ifndef TBUF_SHARED_PROGRAM_SELECT_H
#define TBUF_SHARED_PROGRAM_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/file_view.h"

/*
 * Highest id of the consumer's own probes: BEGIN, END, ERROR and its timers.
 * Probes of targets have higher ids.
 */
#define TBUF_IDS_OWN	1024u

/* A clause's program and records at a probe, for its ECBs. */
struct tbuf_fit {
	uint64_t binding;
	uint32_t program;	/* as in struct tbuf_clause */
	uint32_t count;		/* ECBs that it takes, at least one */
	uint32_t nrecords;	/* ECBs that have a text */
	uint64_t texts;		/* offset of the texts' array in the view */
	bool any;		/* it is the same for all probes */
};

/*
 * Chooses the program for a probe, of an enabling of the session in `slot`.
 * Returns false if there is none: the probe has no argument of a name that the
 * clause uses, or it is of the wrong class.  An enabling without programs fits
 * all probes.
 */
bool	tbuf_clause_fit(const struct tbuf_view *, const struct tbuf_slot *,
	    unsigned enabling, uint32_t probe, struct tbuf_fit *);

/* Returns the text of one of its records, as in struct tbuf_clause. */
uint32_t tbuf_fit_text(const struct tbuf_view *, const struct tbuf_fit *,
	    uint32_t record);

/* Classes of arguments that the compiler distinguishes, a bit each. */
#define TBUF_CLASSES_INTEGER	0x01u
#define TBUF_CLASSES_UNSIGNED	0x02u
#define TBUF_CLASSES_FLOAT	0x04u
#define TBUF_CLASSES_TEXT	0x08u

/* Returns the class of an argument's type; 0 if there is no such type. */
uint8_t	tbuf_class_of(unsigned type);

#endif
