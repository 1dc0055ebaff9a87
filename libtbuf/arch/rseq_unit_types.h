/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The structures that the sections of rseq_unit.h work on.
 */
#ifndef TBUF_ARCH_RSEQ_UNIT_TYPES_H
#define TBUF_ARCH_RSEQ_UNIT_TYPES_H

#include <stdint.h>

#include "arch/rseq_types.h"
#include "layout/layout.h"

/* An EPID, and what its selection was worked out from. */
struct tbuf_unit_met {
	uint64_t epid;			/* 0: none */
	uint32_t mask;
	uint32_t value;			/* of the probe's word */
	const uint32_t *word;
};

#define TBUF_UNIT_MET	8	/* EPIDs that are remembered */

/* Where a unit's records go, and what is known of them. */
struct tbuf_unit_way {
	uint64_t *head;			/* of the table */
	unsigned char *table;
	uint64_t size;			/* bytes of it, or of a half */
	uint64_t half;			/* the same, or 0: it does not wrap */
	const uint32_t *heads;		/* of the session's ECBs */
	uint32_t known[2];		/* for KEEP in steps: the table's head,
					   if nobody has written meanwhile: a
					   handler may have */
	uint32_t selected;		/* selections of all its records */
	struct tbuf_unit_met met[TBUF_UNIT_MET];
	struct tbuf_memo memo;		/* without a lane */
};

/* What BIND is to do. */
struct tbuf_beginning {
	struct tbuf_unit_entry *entry;	/* its word commits */
	uint64_t old;
	uint64_t new;
	uint64_t began;
	uint64_t id;
	uint64_t kind;
	uint64_t thread;
};

/* What FINISH is to do. */
struct tbuf_finish {
	const uint64_t *rule;
	uint64_t guess;
	struct tbuf_unit_entry *entry;	/* its word commits */
	uint64_t old;
	uint64_t new;
	struct tbuf_unit_total *to;
	struct tbuf_unit_total was;
	uint64_t *sum;			/* what is discarded then, for us */
};

#endif
