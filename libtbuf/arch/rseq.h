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
 *	ARM	rseq.rseq_cs = the section's descriptor.  The store comes before
 *		all loads, so that no handler changes a loaded value before the
 *		commit.  Values that the C code has loaded before, in w, are
 *		hints, which the section compares with its own.
 *
 *	CHECK	[rseq.cpu_id] == [m.cpu]	else leave CHANGED
 *		[local.base] != 0		else leave CHANGED  (forked)
 *		[m.bits] is the probe's enable word, or one of its bits if m is
 *		    a CPU's memo; or [m.bits] == w.bits, and then
 *		    [m.generation] == w.generation	else leave CHANGED
 *		slot and generation are those of the caller, if the words were
 *		    made for that session	else leave CHANGED
 *		[slot.generation] == [m.generation]
 *						else leave CHANGED  (ended)
 *
 *	COMMIT	ARM; CHECK
 *		EPID = w.epid, or that of [m.heads[index]]; leave CHAIN if the
 *		    probe has no ECB, or several
 *		STAMP	[lane.last] = max(counter, [lane.last] + 1)
 *		head = [lane.head]
 *		ROOM
 *		load from the first byte's place	(see below)
 *		store header and data (64-bit words, or segments of any
 *		    size), positions masked
 *		[lane.head] = head + size	release; last instruction
 *				inv.order, inv.killed: all of it, or nothing
 *
 *	ROWS	COMMIT for each ECB of the probe's chain, one record after the
 *		other.  Their sizes are summed up first: they are written as a
 *		whole or not at all.  There is one commit for all, and one
 *		reading of the counter; each record's stamp is one more than
 *		the stamp before it.  If the chain has a flag besides
 *		TBUF_HEAD_MORE, is longer than a record may be, or has no room
 *		(but for a single ECB: REFUSE): leave CHAIN, and each ECB has
 *		its own COMMIT or REFUSE.
 *
 *	GO ON	For several sessions in turn ROWS reads the counter once, if the
 *		machine can detect that no other code ran in between: the
 *		section stays armed after its commit, and the kernel disarms it
 *		when it preempts the thread or delivers a signal to it.  If
 *		[rseq.rseq_cs] is unchanged when the next section begins, no
 *		other code has run on this CPU since the counter was read: a
 *		stamp is never older than code that ran here before its commit.
 *
 *	SEVERAL	a loop over the sessions' sections, each of which may GO ON:
 *		ARM; CHECK by the CPU's memo of the session; one ECB; STAMP,
 *		where the time becomes the stamp; ROOM; store header and up to
 *		four words; commit.  The same instruction commits REFUSE, to
 *		another word.  Any other outcome, and an abort, ends the loop:
 *		the earlier sessions are done, this one and the rest are not.
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
 *				inv.account: removed and counted by one store
 *	    Each step is complete in itself: after a restart the section goes
 *	    on from the new tail, so a step need not be its last instruction.
 *
 *	REFUSE	size <= m.bufsize			else leave CHANGED
 *		EPID, as in COMMIT: the record is a single one, and not a work
 *		    unit's			else leave NO_ROOM
 *		ARM, with the descriptor of the code from the next instruction
 *		    on: one section ends where the other begins, so all loaded
 *		    values stay valid
 *		[lane.last] < [slot.deadline], or no deadline
 *							else leave NO_ROOM
 *		[lane.full] += 1, the last instruction
 *
 *	COUNT	ARM; CHECK; [counter] += 1, the last instruction
 *				inv.account: a drop is counted once
 *
 *	STORE	ARM; CHECK; [word] = value, the last instruction: a variable of
 *		a clause, which cannot be another session's yet
 *
 *	ADD	ARM; CHECK; [word] += delta, the last instruction: a count of an
 *		aggregation table
 *
 *	UPDATE	ARM; CHECK, with the session's turn in place of its generation:
 *		[slot.turn] == s.turn, and [m.lane] == s.lane, the lane of the
 *		table that is searched			else leave CHANGED
 *		find the key's entry, as clause_aggregate.c does; leave CHANGED
 *		    if there is none within the table, or it has no s.word
 *		[its value] += s.delta, the last instruction: a search and ADD
 *		in one
 *
 *	SUM	UPDATE of a version and two copies of a count and a sum, where
 *		s.word is the last of these: the copy that the version does not
 *		select becomes the other one's count + 1 and sum + s.delta,
 *		with a store barrier before, as in PUBLISH;
 *		[version] += 1	release; last instruction
 *
 *	PEAK	UPDATE of a version and two copies of a greatest value and the
 *		slot.cleared of its time: [version] != 0, and the selected
 *		copy has [slot.cleared]			else leave CHANGED
 *		if s.delta is not greater, nothing is stored
 *		the other copy becomes s.delta and slot.cleared; [version] += 1
 *		    release; last instruction
 *		Values are compared with their bits ^ s.flip, so that a least
 *		value is a greatest one.
 *
 *	TOTAL	ARM; CHECK, by a memo of the CPU that has the address of the
 *		values and their turn: [m.bits] belong to one session, which
 *		need not be compared; s.word < [m.ecb_max] else leave CHANGED
 *		[its value] += s.delta, the last instruction: values never move
 *
 *	CACHED	UPDATE by a memo that has the lane's table of one turn, and the
 *		table's limits: they have been checked, and are valid as long
 *		as the turn
 *
 *	LOAD	ARM; CHECK; copy words to the stack: tables are read in sections
 *		only, so that no late thread reads a table that has been freed
 *
 *	PUBLISH	ARM; CHECK
 *		[p.word] == p.old			else leave CHANGED
 *		a store barrier: a reader of a copy that has changed meanwhile
 *		    finds the commit before this one
 *		copy p.size bytes to a place that is not read before the
 *		    commit; [p.slot] = p.offset
 *		[p.word] = p.new	release; last instruction
 *		The place is an entry after `top`, or the copy of values that
 *		their version does not select.  Results computed from the old
 *		word are valid, as it has not changed since on this CPU.
 *
 *	INSERT	PUBLISH, and after the copy p.zeroes bytes from p.zero on are
 *		zeroed: values of the published entry, where an abandoned
 *		insertion may have left bytes
 *
 *	SHARED	ARM; CHECK; [counter] += 1, atomically, the last instruction:
 *		a counter that other CPUs add to as well
 *
 *	SWAP	ARM; CHECK; one or two words are compared and swapped, the last
 *		instruction: else leave CHANGED.  Words that other CPUs write,
 *		too, such as a claim, are written by SWAP only.
 *
 *	RESTART	ARM; CHECK; the ring's lane is damaged: publish tail = head
 *		rounded up to 8, [lane.restarts] += 1, [lane.head] = the same
 *
 *	REMEMBER ARM; [rseq.cpu_id] == [m.cpu], and the thread is not marked;
 *		copy a memo, `bits` void first and valid last.  An aborted copy
 *		leaves the memo void, or as other threads on this CPU stored
 *		it: never a valid mixture.
 *
 * COUNT, STORE, ADD, LOAD, PUBLISH, INSERT, SHARED, SWAP and RESTART use a memo
 * on the stack, which no handler can change, and check that memo's generation.
 * For a table, and in TOTAL and CACHED, the memo has the turn in place of the
 * generation, and the address of slot.turn in place of the slot's
 * (tbuf_memo_turn()).
 *
 * The committing store is the last instruction of its section: if another one
 * followed, a preemption there would restart a record that has been published.
 * A commit to another word therefore has a section of its own.
 *
 * The load before the first store: on a page that the target has not touched
 * yet a read fault lets the kernel map sixteen pages at once, a write fault
 * only one.
 *
 * The C wrapper clears rseq.rseq_cs afterwards, so that it does not dangle if
 * the object with this code is unloaded.
 */
#ifndef TBUF_ARCH_RSEQ_H
#define TBUF_ARCH_RSEQ_H

#include <stddef.h>
#include <stdint.h>

#include "arch/rseq_area.h"
#include "arch/rseq_types.h"
#include "layout/layout.h"
#include "tbuf.h"

/* Offsets for the assembler; the compiler checks them below. */
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
#define TBUF_A_TABLE		32	/* TBUF_A_*: CACHED's memo */
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
 * test can hit every step: with --enable-inject, step n spins tbuf_inject[n]
 * turns.
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
 *		to tbuf_rseq_flat_4(): COMMIT 0 to 4 64-bit arguments by the
 *		thread's own memo, if its session is the only one that the
 *		probe is enabled for; false: not done
 *	bool	tbuf_rseq_flat_words(const struct tbuf_site *,
 *		    const uint64_t *words, uint64_t size,
 *		    const struct tbuf_slot *, uint64_t generation);
 *		COMMIT of any number of words, at least one, by that memo, if
 *		its session also has this slot and this generation
 *	enum tbuf_outcome, all with (const struct tbuf_memo *, ...):
 *		tbuf_rseq_rows_own(..., struct tbuf_write *,
 *		    const struct tbuf_site *, const uint64_t *values);
 *		    up to four 64-bit arguments, by the thread's own memo, if
 *		    its session is the only one that the probe is enabled for
 *		tbuf_rseq_rows_among(the same);
 *		    by a CPU's memo, if the probe is enabled for its session
 *		tbuf_rseq_rows(..., struct tbuf_write *);
 *		    the caller of these three calls tbuf_rseq_clear() after the
 *		    last one
 *		tbuf_rseq_words(..., const struct tbuf_write *);
 *		tbuf_rseq_segments(..., const struct tbuf_write *);
 *		tbuf_rseq_count(..., uint64_t *);
 *		tbuf_rseq_store(..., uint64_t *, uint64_t value);
 *		tbuf_rseq_add(..., uint64_t *, uint64_t delta);
 *		tbuf_rseq_update(..., const struct tbuf_search *);
 *		    by any memo of the search's session
 *		tbuf_rseq_sum(the same);
 *		tbuf_rseq_peak(the same);
 *		tbuf_rseq_cached(the same);
 *		    by a memo of a table, if it has the search's bits; the
 *		    search's table, limits, turn and lane are not used
 *		tbuf_rseq_total(..., uint64_t bits, uint64_t word,
 *		    uint64_t delta);
 *		    by a memo of a total, if it has these bits
 *		tbuf_rseq_load(..., uint64_t *to, const uint64_t *from,
 *		    uint64_t size);	bytes: a multiple of 8, not 0
 *		tbuf_rseq_publish(..., const struct tbuf_publish *);
 *		tbuf_rseq_insert(the same);
 *		tbuf_rseq_count_shared(..., uint64_t *);
 *		tbuf_rseq_swap(..., uint64_t *, uint64_t old, uint64_t new);
 *		tbuf_rseq_swap_pair(..., uint64_t *, const uint64_t old[2],
 *		    const uint64_t new[2]);	aligned to 16
 *	bool	tbuf_swap_pair(uint64_t *, const uint64_t old[2],
 *		    const uint64_t new[2]);	SWAP without a section
 *	void	tbuf_rseq_restart(const struct tbuf_memo *);
 *	void	tbuf_rseq_remember(struct tbuf_memo *to,
 *		    const struct tbuf_memo *from, const uint32_t *marked);
 *	uint32_t tbuf_rseq_several(const struct tbuf_memo *memos, uint32_t bits,
 *		    uint64_t size, uint64_t header,
 *		    const struct tbuf_site *, const uint64_t *values);
 *		SEVERAL: up to four 64-bit arguments for the sessions of these
 *		bits, by the CPU's memos; header: each record's second word
 *		without its EPID; returns the bits of the sessions not done
 * All are async-signal-safe.
 */

#endif
