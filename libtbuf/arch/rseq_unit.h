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
#include "arch/rseq_unit_types.h"

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
#include "arch/x86_64/rseq_unit.h"
#else
#include "arch/aarch64/rseq_unit.h"
#include "arch/generic/rseq_unit.h"
#endif

#endif
