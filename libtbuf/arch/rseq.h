/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Restartable sequences: the whole write of a record, and the count of a
 * refused one, as sections that the kernel restarts when the thread is
 * preempted, migrated or interrupted by a signal inside them.
 *
 * THE SECTIONS, for every architecture.  [ ] is one store or load of shared
 * memory, or of the thread's memo m; `leave X` jumps out of the section without
 * having committed.
 *
 *	ARM	rseq.rseq_cs = the section's descriptor.  It comes before
 *		anything is read, so what a section has read is not changed by
 *		a handler before it commits.  What the C code has read before,
 *		in w, is a hint that the section compares with what it finds.
 *
 *	CHECK	[rseq.cpu_id] == [m.cpu]	else leave CHANGED
 *		[local.base] != 0		else leave CHANGED  (forked)
 *		[m.bits] is the probe's enable word, or of a CPU's memo one of
 *		    its bits; or it is w.bits, and then [m.generation] ==
 *		    w.generation		else leave CHANGED
 *		where words were made as a session has them, slot and
 *		    generation are still its own	else leave CHANGED
 *		[slot.generation] == [m.generation]
 *						else leave CHANGED  (ended)
 *
 *	COMMIT	ARM; CHECK
 *		EPID = w.epid, or that of [m.heads[index]]
 *		    none, or not the only one: leave CHAIN
 *		STAMP	[lane.last] = max(counter, [lane.last] + 1)
 *		head = [lane.head]
 *		ROOM
 *		load from the first byte's place	(see below)
 *		store header and data (64-bit words, or segments of any
 *		    size), positions masked
 *		[lane.head] = head + size	release; last instruction
 *				inv.order, inv.killed: whole, or not there
 *
 *	ROWS	the same for each ECB of the probe's chain, one record behind
 *		the other: their sizes are summed up first, for they are one
 *		stretch that has room as a whole or is not written; one commit
 *		for all, and one reading of the counter, each record's stamp
 *		one more than the one's before.  A chain that has a flag
 *		besides TBUF_HEAD_MORE, that is longer than a record may be, or
 *		has no room (but for a single ECB: REFUSE): leave CHAIN, and
 *		each ECB has its own COMMIT or REFUSE.
 *
 *	GO ON	For several sessions one after the other ROWS reads the counter
 *		once, where the machine can tell that nothing came between: the
 *		section stays armed behind its commit, and the kernel takes that
 *		back when it preempts the thread or has a signal for it.  If
 *		[rseq.rseq_cs] is still there where the next one begins, no
 *		other code has run on this CPU since the counter was read: a
 *		stamp is never older than what ran here before its commit.
 *
 *	SEVERAL	a loop over the sessions' sections, each of which may GO ON:
 *		ARM; CHECK by the CPU's memo of the session; one ECB; STAMP,
 *		where the time becomes the stamp; ROOM; store header and up to
 *		four words; commit.  REFUSE is committed by the same
 *		instruction, to another word.  Whatever else it turns out to
 *		be, and an abort, leaves the loop: it has been done for the
 *		sessions before, and for no other.
 *
 *	ROOM of a linear lane (switch, fill)
 *		head + size <= [lane.limit]		else REFUSE
 *		([lane.full] & m.fill_mask) == 0	else REFUSE
 *
 *	ROOM of a ring, with a store barrier before each look at it
 *		while head + size - tail > m.bufsize, where
 *		    sequence = [lane.sequence], tail = [pair[sequence & 1].tail]
 *			head - tail <= m.bufsize, head a multiple of 8
 *			    else leave DAMAGED
 *			size <= m.bufsize		else leave CHANGED
 *			size = size of the record at tail, at least 16, a
 *			    multiple of 8, not past head  else leave DAMAGED
 *			[pair[~sequence & 1]] = tail + size, overwritten + 1,
 *			    but for a work unit's
 *			[lane.sequence] = sequence + 1		release
 *				inv.account: out of the ring and counted, in one
 *	    A step stands on its own: a restart after it just goes on from the
 *	    new tail, so it need not be the last instruction of its section.
 *
 *	REFUSE	size <= m.bufsize			else leave CHANGED
 *		EPID, as in COMMIT: what is refused is one record, and none of
 *		    a work unit			else leave NO_ROOM
 *		ARM, with the descriptor of the code from the next instruction
 *		    on: one section ends where the other begins, so all that
 *		    was read holds
 *		[lane.last] < [slot.deadline], or none	else leave NO_ROOM
 *		[lane.full] += 1, the last instruction
 *
 *	COUNT	ARM; CHECK; [counter] += 1, the last instruction
 *				inv.account: a drop is counted once
 *
 *	STORE	ARM; CHECK; [word] = value, the last instruction: a clause's
 *		variable, which is not another session's by then
 *
 *	ADD	ARM; CHECK; [word] += delta, the last instruction: a count of an
 *		aggregation table
 *
 *	UPDATE	ARM; CHECK, with the session's turn in place of its generation:
 *		[slot.turn] == s.turn, and [m.lane] == s.lane, whose table of
 *		that turn it is				else leave CHANGED
 *		search the key's entry, as clause_aggregate.c does: none that lies
 *		in the table, or less values than s.word	leave CHANGED
 *		[its value] += s.delta, the last instruction: a search and ADD
 *		in one
 *
 *	SUM	the same, of a version and two copies of a count and a sum,
 *		where s.word is the last of these: the copy that the version
 *		does not select becomes the other one's count + 1 and sum +
 *		s.delta, with a store barrier before, as in PUBLISH;
 *		[version] += 1	release; last instruction
 *
 *	PEAK	the same, of copies of a greatest value and what slot.cleared
 *		was: [version] != 0, the copy's == [slot.cleared]
 *							else leave CHANGED
 *		s.delta is not greater: there is nothing to store
 *		the other copy becomes s.delta and slot.cleared; [version] += 1
 *		    release; last instruction
 *		All are compared with their bits ^ s.flip, so that a least value
 *		is a greatest one.
 *
 *	TOTAL	ARM; CHECK, by such a memo of the CPU's as says where the values
 *		are, and at which turn: [m.bits] are of one session, which need
 *		not be compared; s.word < [m.ecb_max]	else leave CHANGED
 *		[its value] += s.delta, the last instruction: they never move
 *
 *	AGAIN	UPDATE by such a memo, which says where the lane's table of that
 *		turn lies, and its limits: what they are has been checked, and
 *		they stay as long as the turn
 *
 *	LOAD	ARM; CHECK; copy words to the stack: a table is looked at by
 *		nothing else, so nobody looks at it who is late
 *
 *	PUBLISH	ARM; CHECK
 *		[p.word] == p.old			else leave CHANGED
 *		a store barrier: who reads a copy finds the commit before
 *		    where it has changed meanwhile
 *		copy p.size bytes to where nobody looks before the commit;
 *		    [p.slot] = p.offset
 *		[p.word] = p.new	release; last instruction
 *		An entry behind `top`, or the copy of values that their version
 *		does not select: what has been worked out from the old word
 *		holds, for on this CPU nobody has changed it since.
 *
 *	INSERT	the same, with p.zeroes bytes from p.zero on zeroed behind the
 *		copy: values of the entry that is published, where an insertion
 *		that was abandoned may have left bytes
 *
 *	SHARED	ARM; CHECK; [counter] += 1, atomically, the last instruction:
 *		a counter that other CPUs add to as well
 *
 *	SWAP	ARM; CHECK; one or two words are compared and swapped, the last
 *		instruction: else leave CHANGED.  What other CPUs write to as
 *		well, such as a claim, is written by this alone.
 *
 *	RESTART	ARM; CHECK; the ring's lane is damaged: publish tail = head
 *		rounded up to 8, [lane.restarts] += 1, [lane.head] = the same
 *
 *	REMEMBER ARM; [rseq.cpu_id] == [m.cpu], and the thread is not marked;
 *		copy a memo, `bits` void first and valid last.  A copy that is
 *		aborted leaves the memo void, or as others on this CPU left it:
 *		never a mixture that is good.
 *
 * COUNT, STORE, ADD, LOAD, PUBLISH, INSERT, SHARED, SWAP and RESTART work with
 * a memo on the stack, of which no handler knows; it is its own generation that
 * they check.  Where they work at a table, and in TOTAL and AGAIN, the memo has
 * the turn in that place, and its address in the slot's (tbuf_memo_turn()).
 *
 * The committing store is the last instruction of its section: with one
 * more behind it, a preemption there would restart a record that has been
 * published.  So what commits to another word has a section of its own.
 *
 * The load before the first store: on a page that the target has not touched
 * yet a read fault lets the kernel map sixteen pages at once, a write fault
 * only one.
 *
 * The C wrapper clears rseq.rseq_cs afterwards, so that no dangling pointer is
 * left if the object that holds this code is unloaded.
 */
#ifndef TBUF_ARCH_RSEQ_H
#define TBUF_ARCH_RSEQ_H

#include <stddef.h>
#include <stdint.h>

#include "arch/rseq_area.h"
#include "arch/rseq_types.h"
#include "layout/layout.h"
#include "tbuf.h"

/* Offsets as the assembler has them, and as the compiler does. */
#define TBUF_M_BITS		0
#define TBUF_M_GENERATION	8
#define TBUF_M_SLOT		16
#define TBUF_M_LANE		24
#define TBUF_M_DATA		32
#define TBUF_M_MASK8		40
#define TBUF_M_BUFSIZE		48
#define TBUF_M_FILL_MASK	56
#define TBUF_M_HEADS		64
#define TBUF_M_SECOND		72	/* none and tid as one */
#define TBUF_M_TID		76
#define TBUF_M_RING		80
#define TBUF_M_CPU		84
#define TBUF_M_ECBS		88
#define TBUF_M_ECB_MAX		96
#define TBUF_A_TABLE		32	/* of AGAIN's memo */
#define TBUF_A_MASK		40
#define TBUF_A_HEAP		48
#define TBUF_A_STORAGE		56
#define TBUF_A_END		96
#define TBUF_W_BITS		0
#define TBUF_W_GENERATION	8
#define TBUF_W_SIZE		16
#define TBUF_W_FROM		32
#define TBUF_W_FROM_END		40
#define TBUF_W_SIZE16		48
#define TBUF_W_INDEX		52
#define TBUF_W_EPID		56
#define TBUF_W_TID		60
#define TBUF_W_TIME		64
#define TBUF_P_WORD		0
#define TBUF_P_OLD		8
#define TBUF_P_NEW		16
#define TBUF_P_TO		24
#define TBUF_P_FROM		32
#define TBUF_P_SIZE		40
#define TBUF_P_SLOT		48
#define TBUF_P_OFFSET		56
#define TBUF_P_ZERO		64
#define TBUF_P_ZEROES		72
#define TBUF_U_TURN		16
#define TBUF_U_LANE		24
#define TBUF_U_TABLE		32
#define TBUF_U_HEAP		40
#define TBUF_U_LAST		48
#define TBUF_U_END		56
#define TBUF_U_ENTRY		64
#define TBUF_U_HASH		72
#define TBUF_U_KEY		80
#define TBUF_U_SIZE		88
#define TBUF_U_WORD		96
#define TBUF_U_DELTA		104
#define TBUF_U_MASK		112
#define TBUF_U_FLIP		120
#define TBUF_T_INDEX		64
#define TBUF_T_PROBES		64
#define TBUF_K_VALUES		8
#define TBUF_K_NWORDS		12
#define TBUF_K_HASH		16
#define TBUF_K_KEY		24
#define TBUF_E_NEXT		6
#define TBUF_L_HEAD		0
#define TBUF_L_LAST		8
#define TBUF_L_FULL		16
#define TBUF_L_SEQUENCE		24
#define TBUF_L_PAIR		32
#define TBUF_L_RESTARTS		72
#define TBUF_L_LIMIT		136
#define TBUF_S_GENERATION	0
#define TBUF_S_DEADLINE		40
#define TBUF_E_UNIT		0xfffc
#define TBUF_S_TURN		216
#define TBUF_S_CLEARED		176
#define TBUF_SITE_ENABLED	0
#define TBUF_SITE_INDEX		32

#define TBUF_O(name)		TBUF_O_TEXT(TBUF_##name)
#define TBUF_O_TEXT(number)	TBUF_O_STRING(number)
#define TBUF_O_STRING(number)	#number

TBUF_ASSERT_OFFSET(tbuf_memo, bits, TBUF_M_BITS);
TBUF_ASSERT_OFFSET(tbuf_memo, generation, TBUF_M_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_memo, slot, TBUF_M_SLOT);
TBUF_ASSERT_OFFSET(tbuf_memo, lane, TBUF_M_LANE);
TBUF_ASSERT_OFFSET(tbuf_memo, data, TBUF_M_DATA);
TBUF_ASSERT_OFFSET(tbuf_memo, mask8, TBUF_M_MASK8);
TBUF_ASSERT_OFFSET(tbuf_memo, bufsize, TBUF_M_BUFSIZE);
TBUF_ASSERT_OFFSET(tbuf_memo, fill_mask, TBUF_M_FILL_MASK);
TBUF_ASSERT_OFFSET(tbuf_memo, heads, TBUF_M_HEADS);
TBUF_ASSERT_OFFSET(tbuf_memo, cpu, TBUF_M_CPU);
TBUF_ASSERT_OFFSET(tbuf_memo, none, TBUF_M_SECOND);
TBUF_ASSERT_OFFSET(tbuf_memo, tid, TBUF_M_TID);
TBUF_ASSERT_OFFSET(tbuf_memo, ring, TBUF_M_RING);
TBUF_ASSERT_OFFSET(tbuf_memo, ecbs, TBUF_M_ECBS);
TBUF_ASSERT_OFFSET(tbuf_memo, ecb_max, TBUF_M_ECB_MAX);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_table, TBUF_A_TABLE);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_mask, TBUF_A_MASK);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_heap, TBUF_A_HEAP);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_storage, TBUF_A_STORAGE);
TBUF_ASSERT_OFFSET(tbuf_memo, tbuf_memo_end, TBUF_A_END);
TBUF_ASSERT_OFFSET(tbuf_write, bits, TBUF_W_BITS);
TBUF_ASSERT_OFFSET(tbuf_write, generation, TBUF_W_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_write, size, TBUF_W_SIZE);
TBUF_ASSERT_OFFSET(tbuf_write, from, TBUF_W_FROM);
TBUF_ASSERT_OFFSET(tbuf_write, from_end, TBUF_W_FROM_END);
TBUF_ASSERT_OFFSET(tbuf_write, size16, TBUF_W_SIZE16);
TBUF_ASSERT_OFFSET(tbuf_write, index, TBUF_W_INDEX);
TBUF_ASSERT_OFFSET(tbuf_write, epid, TBUF_W_EPID);
TBUF_ASSERT_OFFSET(tbuf_write, tid, TBUF_W_TID);
TBUF_ASSERT_OFFSET(tbuf_write, time, TBUF_W_TIME);
TBUF_ASSERT_OFFSET(tbuf_publish, word, TBUF_P_WORD);
TBUF_ASSERT_OFFSET(tbuf_publish, old, TBUF_P_OLD);
TBUF_ASSERT_OFFSET(tbuf_publish, new, TBUF_P_NEW);
TBUF_ASSERT_OFFSET(tbuf_publish, to, TBUF_P_TO);
TBUF_ASSERT_OFFSET(tbuf_publish, from, TBUF_P_FROM);
TBUF_ASSERT_OFFSET(tbuf_publish, size, TBUF_P_SIZE);
TBUF_ASSERT_OFFSET(tbuf_publish, slot, TBUF_P_SLOT);
TBUF_ASSERT_OFFSET(tbuf_publish, offset, TBUF_P_OFFSET);
TBUF_ASSERT_OFFSET(tbuf_publish, zero, TBUF_P_ZERO);
TBUF_ASSERT_OFFSET(tbuf_publish, zeroes, TBUF_P_ZEROES);
TBUF_ASSERT_OFFSET(tbuf_search, bits, TBUF_W_BITS);
TBUF_ASSERT_OFFSET(tbuf_search, generation, TBUF_W_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_search, turn, TBUF_U_TURN);
TBUF_ASSERT_OFFSET(tbuf_search, lane, TBUF_U_LANE);
TBUF_ASSERT_OFFSET(tbuf_search, table, TBUF_U_TABLE);
TBUF_ASSERT_OFFSET(tbuf_search, heap, TBUF_U_HEAP);
TBUF_ASSERT_OFFSET(tbuf_search, last, TBUF_U_LAST);
TBUF_ASSERT_OFFSET(tbuf_search, end, TBUF_U_END);
TBUF_ASSERT_OFFSET(tbuf_search, entry, TBUF_U_ENTRY);
TBUF_ASSERT_OFFSET(tbuf_search, hash, TBUF_U_HASH);
TBUF_ASSERT_OFFSET(tbuf_search, key, TBUF_U_KEY);
TBUF_ASSERT_OFFSET(tbuf_search, size, TBUF_U_SIZE);
TBUF_ASSERT_OFFSET(tbuf_search, word, TBUF_U_WORD);
TBUF_ASSERT_OFFSET(tbuf_search, delta, TBUF_U_DELTA);
TBUF_ASSERT_OFFSET(tbuf_search, flip, TBUF_U_FLIP);
TBUF_ASSERT_OFFSET(tbuf_search, mask, TBUF_U_MASK);
_Static_assert(sizeof(struct tbuf_table) == TBUF_T_INDEX &&
    TBUF_TABLE_PROBES == TBUF_T_PROBES, "a table's index, and its search");
TBUF_ASSERT_OFFSET(tbuf_table_entry, values, TBUF_K_VALUES);
TBUF_ASSERT_OFFSET(tbuf_table_entry, nwords, TBUF_K_NWORDS);
TBUF_ASSERT_OFFSET(tbuf_table_entry, hash, TBUF_K_HASH);
_Static_assert(sizeof(struct tbuf_table_entry) == TBUF_K_KEY, "then its key");
TBUF_ASSERT_OFFSET(tbuf_ecb, next, TBUF_E_NEXT);
_Static_assert(sizeof(struct tbuf_ecb) == 8, "an ECB's place");
TBUF_ASSERT_OFFSET(tbuf_lane, head, TBUF_L_HEAD);
TBUF_ASSERT_OFFSET(tbuf_lane, last, TBUF_L_LAST);
TBUF_ASSERT_OFFSET(tbuf_lane, full, TBUF_L_FULL);
TBUF_ASSERT_OFFSET(tbuf_lane, sequence, TBUF_L_SEQUENCE);
TBUF_ASSERT_OFFSET(tbuf_lane, pair, TBUF_L_PAIR);
TBUF_ASSERT_OFFSET(tbuf_lane, restarts, TBUF_L_RESTARTS);
TBUF_ASSERT_OFFSET(tbuf_lane, limit, TBUF_L_LIMIT);
TBUF_ASSERT_OFFSET(tbuf_slot, generation, TBUF_S_GENERATION);
TBUF_ASSERT_OFFSET(tbuf_slot, deadline, TBUF_S_DEADLINE);
_Static_assert(TBUF_E_UNIT == TBUF_EPID_UNIT, "of a pair");
TBUF_ASSERT_OFFSET(tbuf_slot, turn, TBUF_S_TURN);
TBUF_ASSERT_OFFSET(tbuf_slot, cleared, TBUF_S_CLEARED);
TBUF_ASSERT_OFFSET(tbuf_site, enabled, TBUF_SITE_ENABLED);
TBUF_ASSERT_OFFSET(tbuf_site, index, TBUF_SITE_INDEX);

/*
 * Delays inside the sections and before they are armed (7), so that a stress
 * test can hit every step: built with --enable-inject, step n spins
 * tbuf_inject[n] turns.
 */
#define TBUF_INJECT_STEPS	9
#ifdef TBUF_INJECT
extern __attribute__((visibility("default")))
uint32_t tbuf_inject[TBUF_INJECT_STEPS];
#endif

#if defined(__x86_64__)
#include "arch/x86_64/rseq.h"
#elif defined(__aarch64__)
#include "arch/aarch64/rseq.h"
#else
#error "tbuf: this processor has no restartable sections here"
#endif

/*
 * Each architecture provides:
 *	bool	tbuf_rseq_flat_0(const struct tbuf_site *,
 *		    const uint64_t *values);
 *		to tbuf_rseq_flat_4(): by the thread's own memo, COMMIT so
 *		many 64-bit arguments for the one session that the probe is
 *		enabled for; false: not done
 *	bool	tbuf_rseq_flat_words(const struct tbuf_site *,
 *		    const uint64_t *words, uint64_t size,
 *		    const struct tbuf_slot *, uint64_t generation);
 *		the same with any number of words, at least one, if that
 *		session has this slot and this generation
 *	enum tbuf_outcome, all with (const struct tbuf_memo *, ...):
 *		tbuf_rseq_rows_own(..., struct tbuf_write *,
 *		    const struct tbuf_site *, const uint64_t *values);
 *		    up to four 64-bit arguments, by the thread's own memo, if
 *		    its session is the only one that the probe is enabled for
 *		tbuf_rseq_rows_among(the same);
 *		    by a CPU's memo, of whose session the bit is known, if the
 *		    probe is enabled for it
 *		tbuf_rseq_rows(..., struct tbuf_write *);
 *		    who calls these calls tbuf_rseq_clear() behind the last one
 *		tbuf_rseq_words(..., const struct tbuf_write *);
 *		tbuf_rseq_segments(..., const struct tbuf_write *);
 *		tbuf_rseq_count(..., uint64_t *);
 *		tbuf_rseq_store(..., uint64_t *, uint64_t value);
 *		tbuf_rseq_add(..., uint64_t *, uint64_t delta);
 *		tbuf_rseq_update(..., const struct tbuf_search *);
 *		    any memo: whose it is has to be as the search says
 *		tbuf_rseq_sum(the same);
 *		tbuf_rseq_peak(the same);
 *		tbuf_rseq_again(the same);
 *		    by a memo of a table, if its bits are the search's: of which
 *		    the table, its limits, turn and lane are not looked at
 *		tbuf_rseq_total(..., uint64_t bits, uint64_t word,
 *		    uint64_t delta);
 *		    by a memo of a total, if it is of these
 *		tbuf_rseq_load(..., uint64_t *to, const uint64_t *from,
 *		    uint64_t size);	bytes: a multiple of 8, not 0
 *		tbuf_rseq_publish(..., const struct tbuf_publish *);
 *		tbuf_rseq_insert(the same);
 *		tbuf_rseq_count_shared(..., uint64_t *);
 *		tbuf_rseq_swap(..., uint64_t *, uint64_t old, uint64_t new);
 *		tbuf_rseq_swap_pair(..., uint64_t *, const uint64_t old[2],
 *		    const uint64_t new[2]);	aligned to 16
 *	bool	tbuf_swap_pair(uint64_t *, const uint64_t old[2],
 *		    const uint64_t new[2]);	the same without a section
 *	void	tbuf_rseq_restart(const struct tbuf_memo *);
 *	void	tbuf_rseq_remember(struct tbuf_memo *to,
 *		    const struct tbuf_memo *from, const uint32_t *marked);
 *	uint32_t tbuf_rseq_several(const struct tbuf_memo *memos, uint32_t bits,
 *		    uint64_t size, uint64_t header,
 *		    const struct tbuf_site *, const uint64_t *values);
 *		SEVERAL: up to four 64-bit arguments for the sessions whose
 *		bits these are, by the CPU's memos; the header is that of each
 *		record without its EPID; the bits of those that are left
 * All are async-signal-safe.
 */

#endif
