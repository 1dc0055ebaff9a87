/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sections (rseq.h) of work units, in memory that earlier units have used.
 *
 *	BIND	ARM; CHECK by the unit's memo
 *		[entry.word] == n.old			else leave CHANGED
 *		[entry.head] = 0; store the fields that a consumer reads of a
 *		    unit that has not ended
 *		[entry.word] = n.new	release; last instruction
 *
 *	KEEP	a record that goes to the table like the one before it:
 *		ARM; CHECK by the unit's memo
 *		epid = [w.heads[index]]; its entry of w.epids has this EPID,
 *		    and the entry's word the cached value  else leave CHANGED
 *		w.selected |= the entry's mask, by one instruction: it stays
 *		    even if the section is aborted for good
 *		head = [w.head]
 *		header and words fit after head		else leave CHANGED
 *		store stamp, header, CPU, words
 *		[w.head] = the end of the words	release; last instruction
 *
 *	FINISH	ARM; CHECK by the unit's memo
 *		[f.rule] == f.guess, as the unit's end has applied that rule;
 *		    [entry.word] == f.old, [entry.head] has not wrapped
 *							else leave CHANGED
 *		[f.to] = f.was, with the records of head added to f.was's
 *		    discarded ones; [f.sum] = that sum; neither is read before
 *		    the commit
 *		[entry.word] = f.new	release; last instruction
 */
#ifndef TBUF_ARCH_RSEQ_UNIT_H
#define TBUF_ARCH_RSEQ_UNIT_H

#include "arch/counter.h"
#include "arch/rseq.h"
#include "arch/rseq_unit_types.h"

/* Offsets for the assembler; the compiler checks them. */
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
TBUF_ASSERT_OFFSET(tbuf_unit_total, committed, 0);
TBUF_ASSERT_OFFSET(tbuf_unit_total, discarded, 8);

#if defined(__x86_64__)
#include "arch/x86_64/rseq_unit.h"
#else
#include "arch/aarch64/rseq_unit.h"
#include "arch/generic/rseq_unit.h"
#endif

#endif
