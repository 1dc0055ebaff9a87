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

/* A cached EPID: its selection, and the probe's word that this depends on. */
struct tbuf_unit_epid {
	uint64_t epid;			/* 0: none */
	uint32_t mask;			/* the selection */
	uint32_t value;			/* *word when it was cached */
	const uint32_t *word;
};

#define TBUF_UNIT_EPIDS	8	/* cached EPIDs */

/* Where a unit's records go, with cached EPIDs. */
struct tbuf_unit_way {
	uint64_t *head;			/* the table's head */
	unsigned char *table;
	uint64_t size;			/* bytes of the table, or of a half */
	uint64_t half;			/* bytes of a half; 0: no wrapping */
	const uint32_t *heads;		/* first ECB of each probe */
	uint32_t known[2];		/* for KEEP in steps: the table's head,
					   unless a signal handler has written
					   meanwhile */
	uint32_t selected;		/* selections of all records, ORed */
	struct tbuf_unit_epid epids[TBUF_UNIT_EPIDS];
	struct tbuf_memo memo;		/* without a lane */
};

/* The arguments of BIND. */
struct tbuf_beginning {
	struct tbuf_unit_entry *entry;	/* entry->word commits */
	uint64_t old;
	uint64_t new;
	uint64_t began;
	uint64_t id;
	uint64_t kind;
	uint64_t thread;
};

/* The arguments of FINISH. */
struct tbuf_finish {
	const struct tbuf_units *units;
	uint64_t guess;			/* the first rule */
	uint64_t ticks;			/* of the unit */
	uint64_t *ticks_at;		/* of its kind in the table: */
	uint64_t ticks_sum;		/* with those of the unit */
	struct tbuf_unit_entry *entry;	/* entry->word commits */
	uint64_t old;
	uint64_t new;
	struct tbuf_unit_total *to;
	struct tbuf_unit_total was;
	uint64_t *sum;			/* becomes to->discarded */
};

#endif
