/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sections (rseq.h, with the notation) of work units, in memory that earlier
 * units have used.
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
#define TBUF_Y_RULE		16
#define TBUF_Y_SLOW		88

TBUF_ASSERT_OFFSET(tbuf_unit_entry, word, 0);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, head, TBUF_Y_HEAD);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, began, TBUF_Y_BEGAN);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, id, TBUF_Y_ID);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, kind, TBUF_Y_KIND);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, thread, TBUF_Y_THREAD);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, inside, TBUF_Y_INSIDE);
TBUF_ASSERT_OFFSET(tbuf_units, rules, TBUF_Y_RULE);
TBUF_ASSERT_OFFSET(tbuf_units, slow, TBUF_Y_SLOW);
TBUF_ASSERT_OFFSET(tbuf_unit_total, committed, 0);
TBUF_ASSERT_OFFSET(tbuf_unit_total, discarded, 8);

#if defined(__x86_64__)
#include "arch/x86_64/rseq_unit.h"
#else
#include "arch/aarch64/rseq_unit.h"
#include "arch/generic/rseq_unit.h"
#endif

/*
 * KEEP, tbuf_rseq_keep() in one of these headers, writes a record that goes to
 * the table like the one before it.
 *
 *	ARM; CHECK by the unit's memo
 *	epid = [w.heads[index]]
 *	need its entry of w.epids has this EPID, and the entry's word the cached
 *	    value
 *	[w.selected] |= the entry's mask, by one instruction: it stays even if
 *	    the section is aborted for good
 *	head = [w.head]
 *	need header and words fit after head
 *	store stamp, header, CPU, words
 *	commit [w.head] = the end of the words	release
 *
 * BIND gives an entry to a unit.
 *
 *	ARM; CHECK by the unit's memo
 *	need [entry.word] == n.old
 *	barrier
 *	[entry.head] = 0; store the fields that a consumer reads of a unit that
 *	    has not ended
 *	commit [entry.word] = n.new	release
 */
static inline enum tbuf_outcome
tbuf_rseq_bind(const struct tbuf_memo *m, const struct tbuf_beginning *n)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_BIND,
	    [entry] "r"(n->entry), [old] TBUF_R_OR_MEMORY(n->old),
	    [new] "r"(n->new), [began] "r"(n->began), [id] "r"(n->id),
	    [kind] TBUF_R_OR_MEMORY(n->kind),
	    [thread] TBUF_R_OR_MEMORY(n->thread));
}

/*
 * FINISH ends a unit by a rule that its end has applied.
 *
 *	ARM; CHECK by the unit's memo
 *	need [f.units.rules] == f.guess
 *	need f.ticks <= [f.units.slow] - 1
 *	need [entry.word] == f.old
 *	need [entry.head] has not wrapped
 *	barrier
 *	[f.ticks_at] = f.ticks_sum
 *	[f.to] = f.was, with the records of head added to f.was's discarded
 *	    ones; [f.sum] = that sum; neither is read before the commit
 *	commit [entry.word] = f.new	release
 */
static inline enum tbuf_outcome
tbuf_rseq_finish(const struct tbuf_memo *m, const struct tbuf_finish *f)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_FINISH,
	    [units] "r"(f->units), [guess] TBUF_R_OR_MEMORY(f->guess),
	    [ticks] TBUF_R_OR_MEMORY(f->ticks),
	    [ticks_at] TBUF_R_OR_MEMORY(f->ticks_at),
	    [ticks_sum] TBUF_R_OR_MEMORY(f->ticks_sum),
	    [entry] "r"(f->entry), [old] TBUF_R_OR_MEMORY(f->old),
	    [new] TBUF_R_OR_MEMORY(f->new), [to] "r"(f->to),
	    [kept] TBUF_R_OR_MEMORY(f->was.committed),
	    [discarded] TBUF_R_OR_MEMORY(f->was.discarded),
	    [sum] "r"(f->sum));
}

#endif
