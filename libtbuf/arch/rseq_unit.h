/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * KEEP, the section (rseq.h) of a record that goes to a work unit's table as
 * the one before it did:
 *
 *	ARM; CHECK, by the unit's memo
 *	epid = [w.heads[index]], and its place in w.met is this EPID's, whose
 *	    word still is what it was		else leave CHANGED
 *	w.selected |= what is remembered there, by one instruction: it stays,
 *		    even if the section is given up for good
 *	head = [w.head]
 *	header and words fit behind it		else leave CHANGED
 *	store stamp, header, CPU, words
 *	w.known = what head will be
 *	[w.head] = that			release; last instruction
 *
 * A section that is given up leaves `known' ahead: who writes next puts it
 * right.
 */
#ifndef TBUF_ARCH_RSEQ_UNIT_H
#define TBUF_ARCH_RSEQ_UNIT_H

#include "arch/counter.h"
#include "arch/rseq.h"

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
	uint32_t known[2];		/* the table's head, if nobody has
					   written meanwhile: a handler may
					   have */
	uint32_t selected;		/* selections of all its records */
	struct tbuf_unit_met met[TBUF_UNIT_MET];
};

#if defined(__x86_64__)
#include "arch/rseq_unit_x86_64.h"
#else
#include "arch/rseq_unit_steps.h"
#endif

#endif
