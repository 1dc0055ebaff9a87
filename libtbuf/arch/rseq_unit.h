/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sections (rseq.h) of work units whose memory has been those of units before.
 *
 *	BIND	ARM; CHECK, by the unit's memo
 *		[entry.word] == n.old			else leave CHANGED
 *		[entry.head] = 0; what a consumer reads of a unit that has not
 *		    ended
 *		[entry.word] = n.new	release; last instruction
 *
 *	KEEP	a record that goes to the table as the one before it did:
 *		ARM; CHECK, by the unit's memo
 *		epid = [w.heads[index]], and its place in w.met is this EPID's,
 *		    whose word still is what it was	else leave CHANGED
 *		w.selected |= what is remembered there, by one instruction: it
 *		    stays, even if the section is given up for good
 *		head = [w.head]
 *		header and words fit behind it		else leave CHANGED
 *		store stamp, header, CPU, words
 *		[w.head] = behind them	release; last instruction
 *
 *	FINISH	ARM; CHECK, by the unit's memo
 *		[f.rule] == f.guess, [entry.word] == f.old, [entry.head] has
 *		    not wrapped				else leave CHANGED
 *		[f.to] = f.was, and as many more discarded as head has records,
 *		    f.sum: nobody looks there before the commit
 *		[entry.word] = f.new	release; last instruction
 *		The rule that the unit's end has gone by still is the one.
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

/* Offsets as the assembler has them, and as the compiler does. */
#define TBUF_Y_HEAD		48
#define TBUF_Y_BEGAN		56
#define TBUF_Y_ID		64
#define TBUF_Y_KIND		72
#define TBUF_Y_THREAD		80
#define TBUF_Y_INSIDE		88

TBUF_ASSERT_OFFSET(tbuf_unit_entry, word, 0);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, head, TBUF_Y_HEAD);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, began, TBUF_Y_BEGAN);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, id, TBUF_Y_ID);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, kind, TBUF_Y_KIND);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, thread, TBUF_Y_THREAD);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, inside, TBUF_Y_INSIDE);
TBUF_ASSERT_OFFSET(tbuf_unit_total, kept, 0);
TBUF_ASSERT_OFFSET(tbuf_unit_total, discarded, 8);

#if defined(__x86_64__)
#include "arch/rseq_unit_x86_64.h"
#else
#include "arch/rseq_unit_aarch64.h"
#include "arch/rseq_unit_steps.h"
#endif

#endif
