/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Restartable sequences, here called sections: the write of a whole record, the
 * count of a refused one, and changes of other words, each of which the kernel
 * restarts when the thread is preempted, migrated or interrupted by a signal
 * inside it.
 *
 * Each section is a function below.  Its comment has the section in
 * pseudo-code, for every processor; its body names the same steps, which
 * x86_64/rseq.h and aarch64/rseq.h have as macros TBUF_SECTION_STEP.
 *
 * NOTATION of the pseudo-code, here and in rseq_unit.h
 *
 *	NAME		the step or the steps of that name
 *	a, b, size	a register, or an argument of the function
 *	m, w, s, p	its arguments, as they are declared; lane is [m.lane],
 *			slot is [m.slot], rseq is the thread's rseq area
 *	[x]		one load of the word x of shared memory, or of a memo
 *	[x] = a		one store; release: it is a store-release
 *	[x] += a	a load and a store
 *	need C		if C is false, jump out and return CHANGED
 *	need C else X	if C is false, jump out and return X
 *	barrier		a store barrier
 *	commit S	the store S is the section's last instruction: if
 *			another one followed, a preemption there would repeat
 *			a change that is published.  A commit to another word
 *			therefore has a section of its own.
 *	inv.*		an invariant of layout/layout.h that the step keeps
 *
 * A SECTION RETURNS
 *
 *	COMMITTED	by any section: the commit has been executed
 *	CHANGED		by any section: the kernel has aborted it, or a need
 *			was not met; it has not committed
 *
 * and only COMMIT, FLAT and ROWS return
 *
 *	COMMITTED	after the commit of REFUSE, too
 *	NO_ROOM		if there is no room, and REFUSE does not count it
 *	DAMAGED		if head, tail or sizes in a ring are impossible
 *	WRAPPED		if words would go around the storage's end and the
 *			processor's section cannot store that
 *	CHAIN		if it cannot do the probe's ECBs
 *
 * Those that return a bool return true for COMMITTED, false for all others.
 *
 * STEPS that several sections have
 *
 *	ARM	[rseq.rseq_cs] = the section's descriptor
 *		The store comes before all loads, so that no handler changes a
 *		loaded value before the commit.  Values that the C code has
 *		loaded before are hints, which the section compares with its
 *		own.
 *
 *	CHECK	HERE, one of the next five, and SESSION:
 *	HERE	need [rseq.cpu_id] == [m.cpu]
 *		need [local.base] != 0			(not in a forked child)
 *	ENABLED	need [m.bits] == [site.enabled]		(for m's session only)
 *	AMONG	need [m.bits] & [site.enabled]		(m is a CPU's memo)
 *	MEANT	need [m.bits] == w.bits
 *		need [m.generation] == w.generation
 *	SAME	need [m.slot] == slot
 *		need [m.generation] == generation
 *	none	if m is a memo on the stack, which no handler can change
 *	SESSION	GENERATION, and the memo's lane is loaded
 *	GENERATION
 *		need [slot.generation] == [m.generation]
 *							(it has not ended)
 *		For a table, a memo has the turn in place of the generation, and
 *		the address of slot.turn in place of the slot's
 *		(tbuf_memo_turn()).
 *
 *	STAMP	[lane.last] = max(counter, [lane.last] + 1)
 *		A stamp that no record uses does no harm.
 *
 *	ROOM	head = [lane.head]
 *	    of a linear lane (switch, fill)
 *		if head + size > [lane.limit]: REFUSE
 *		if [lane.full] & m.fill_mask: REFUSE
 *	    of a ring
 *		while (barrier), where sequence = [lane.sequence] and
 *		    tail = [pair[sequence & 1].tail],
 *		    head + size - tail > m.bufsize:
 *			need head - tail <= m.bufsize	else DAMAGED
 *			need head is a multiple of 8	else DAMAGED
 *			need size <= m.bufsize
 *			oldest = size of the record at tail
 *			need oldest is a multiple of 8, at least 16, and the
 *			    record ends before head	else DAMAGED
 *			[pair[~sequence & 1]] = tail + oldest, and overwritten
 *			    + 1, but for a work unit's record
 *			[lane.sequence] = sequence + 1	release
 *				inv.account: removed and counted by one store
 *		Each round of this loop is complete in itself: after a restart
 *		the section goes on from the new tail, so the store of sequence
 *		need not be the last instruction.
 *
 *	WITHIN	head = [lane.head]
 *		need head - [m.base] < [m.span]			else NO_ROOM
 *		This stands for ROOM, in the thread's own memo.  [base, base +
 *		span) is the memo's stretch: a record of TBUF_FLAT_MAX bytes
 *		that begins there has room, and does not go around the
 *		storage's end.  It stays true when head moves, as it does in a
 *		handler or in another thread on this CPU: limit and tail only
 *		grow.  A damaged head is most often not within; one that is
 *		within leads to a place in the storage.
 *
 *	STRETCH(room)
 *		room = min(room, bytes up to the storage's end and up to a
 *		    multiple of TBUF_STRETCH_MAX)
 *		load from head's place
 *		[m.base] = head
 *		[m.span] = room - (TBUF_FLAT_MAX - 1), or 0
 *		[m.span] has been 0 since head was loaded, so that a handler in
 *		between finds no mixture of two stretches.
 *
 *	REFUSE	need size <= m.bufsize
 *		need the record is a single one		else CHAIN
 *		need it is not a work unit's		else NO_ROOM
 *		ARM, with the descriptor of the code from the next instruction
 *		    on: one section ends where the other begins, so all loaded
 *		    values stay valid
 *		need [lane.last] < [slot.deadline], or no deadline
 *							else NO_ROOM
 *		commit [lane.full] += 1
 *
 * The C function clears rseq.rseq_cs after its section, so that it does not
 * dangle if the object with this code is unloaded.
 */
#ifndef TBUF_ARCH_RSEQ_H
#define TBUF_ARCH_RSEQ_H

#include <stddef.h>
#include <stdint.h>

#include "arch/rseq_area.h"
#include "arch/rseq_offsets.h"
#include "arch/rseq_types.h"
#include "layout/layout.h"
#include "tbuf.h"

/*
 * Delays inside the sections and before they are armed (7), so that a stress
 * test can hit every step: with --enable-inject, step n spins tbuf_inject[n]
 * turns.
 */
#define TBUF_INJECT_STEPS	10
#ifdef TBUF_INJECT
extern __attribute__((visibility("default")))
uint32_t tbuf_inject[TBUF_INJECT_STEPS];
#endif

/*
 * A section's descriptor: the code between two labels, and the abort address.
 * It is constant once relocated, and shares a page with other such data.
 */
#define TBUF_SECTION_DESCRIPTOR(name, from, to, abort)			\
	".pushsection .data.rel.ro.__rseq_cs, \"aw\"\n\t"		\
	".balign 32\n\t"						\
	name ": .long 0, 0\n\t"						\
	".quad " from ", (" to " - " from "), " abort "\n\t"		\
	".popsection\n\t"

/*
 * The unwind rules of the jump at label 4, where a signal interrupts an aborted
 * section: the frame is that of the jump's target, with the same registers.  A
 * thread that is cancelled in a fire unwinds by them.  `column` is the register
 * that stands for the return address, `sp` that of the stack pointer, and
 * `rule` has the bytes of the return address's rule.  There are no directives
 * of the assembler, as clang's allows no function's rules within those of
 * another one.
 */
#define TBUF_UNWIND_RULES(column, sp, rule)				\
	"90: .pushsection .eh_frame, \"a\", @progbits\n\t"		\
	".balign 8\n\t"							\
	"91: .long 93f - 92f\n\t"					\
	"92: .long 0\n\t"						\
	".byte 1\n\t"							\
	".asciz \"zRS\"\n\t" /* a signal's frame */			\
	".byte 1, 0x78, " column ", 1, 0x1b\n\t"			\
	".byte 0x0c, " sp ", 0\n\t"					\
	".balign 8\n\t"							\
	"93: .long 95f - 94f\n\t"					\
	"94: .long 94b - 91b\n\t"					\
	".long 4b - .\n\t"						\
	".long 90b - 4b\n\t"						\
	".byte 0\n\t"							\
	rule								\
	".balign 8\n\t"							\
	"95:\n\t"							\
	".popsection\n\t"

/*
 * A section: its steps, of which the first arms it; the labels by which it may
 * leave; the registers that it changes; its operands.  In the steps label 1 is
 * the first instruction after ARM, and label 2 follows the commit.
 */
#define TBUF_SECTION(steps, labels, clobbers, ...)			\
	__asm__ goto volatile(						\
	    steps							\
	    :								\
	    : __VA_ARGS__, TBUF_BEGIN_OPERANDS				\
	    : clobbers							\
	    : labels)

/*
 * The end of a function after its section.  A label that its section does not
 * name is dead code.
 */
#define TBUF_SECTION_RETURN						\
	tbuf_rseq_clear();						\
	return (TBUF_COMMITTED);					\
	TBUF_SECTION_EXITS
#define TBUF_SECTION_EXITS						\
	TBUF_SECTION_EXIT(late, TBUF_NO_ROOM);				\
	TBUF_SECTION_EXIT(damaged, TBUF_DAMAGED);			\
	TBUF_SECTION_EXIT(wrapped, TBUF_WRAPPED);			\
	TBUF_SECTION_EXIT(chain, TBUF_CHAIN);				\
	TBUF_SECTION_EXIT(changed, TBUF_CHANGED)
#define TBUF_SECTION_EXIT(label, outcome)				\
label:	__attribute__((unused));					\
	tbuf_rseq_clear();						\
	return (outcome)

/* That end for a function that returns whether its section has committed. */
#define TBUF_SECTION_RETURN_BOOL					\
	tbuf_rseq_clear();						\
	return (true);							\
changed: late: damaged: chain:						\
wrapped: __attribute__((unused));					\
	tbuf_rseq_clear();						\
	return (false)

/* The labels that FLAT may leave by. */
#define TBUF_FLAT_LABELS	changed, late, chain

/* Operands of STRETCH. */
#define TBUF_STRETCH_OPERANDS						\
	[stretch] "i"(TBUF_STRETCH_MAX), [flat] "i"(TBUF_FLAT_MAX - 1)

/* An operand of EPID, SITE and CHAIN: the greatest EPID, less one. */
#define TBUF_ECB_OPERANDS	[most] "i"(TBUF_HEAD_EPID - 1)

#if defined(__x86_64__)
#include "arch/x86_64/rseq.h"
#else
#include "arch/aarch64/rseq.h"
#endif

#define TBUF_SECTION_W_BITS						\
	TBUF_NEED_EQUAL(TBUF_OF_W(W_BITS), TBUF_OF_M(M_BITS))
#define TBUF_SECTION_MEANT						\
	TBUF_SECTION_W_BITS						\
	TBUF_NEED_EQUAL(TBUF_OF_W(W_GENERATION), TBUF_OF_M(M_GENERATION))
#define TBUF_SECTION_ROOM	TBUF_SECTION_ROOM_FOR("%[size]", "", "")

/* The table's address and limits, from the search or from the memo. */
#define TBUF_SEARCH_HAS(name)	TBUF_OF_W(U_##name)
#define TBUF_MEMO_HAS(name)	TBUF_OF_M(A_##name)

/* ARM; CHECK by a memo on the stack. */
#define TBUF_SECTION_CHECK						\
	TBUF_SECTION_BEGIN						\
	TBUF_SECTION_HERE						\
	TBUF_SECTION_SESSION

/* The body of a function whose section is these two and more steps. */
#define TBUF_SECTION_CHECKED(steps, ...)				\
	TBUF_SECTION(TBUF_SECTION_CHECK steps, changed, TBUF_CLOBBERS,	\
	    TBUF_CHECK_OPERANDS, __VA_ARGS__);				\
	TBUF_SECTION_RETURN

/*
 * All functions are async-signal-safe.
 *
 * COMMIT writes a record: 64-bit words, or segments of any size.
 *
 *	ARM; CHECK
 *	epid = w.epid, or if that is 0 (EPID), or there is no w (SITE):
 *	    [m.heads[index]]; need the probe has one ECB	else CHAIN
 *	STAMP; ROOM
 *	load from the first byte's place
 *	store header and data, positions masked
 *	commit [lane.head] = head + size	release
 *				inv.order, inv.killed: all of it, or nothing
 *
 * The load comes before the first store: on a page that the target has not
 * touched yet a read fault lets the kernel map sixteen pages at once, a write
 * fault only one.
 *
 * FLAT is COMMIT of 0 to 4 arguments, tbuf_rseq_flat_0() to _4(), in the
 * stretch of the thread's own memo, if its session is the only one that the
 * probe is enabled for.
 *
 *	ARM; ENABLED; CHECK
 *	epid = [m.heads[index]]; need the probe has one ECB	else CHAIN
 *	STAMP; WITHIN
 *	store header and data
 *	commit [lane.head] = head + size	release
 *
 * The order of the checks is the processor's.
 */
#define TBUF_RSEQ_FLAT(n)						\
static inline enum tbuf_outcome						\
tbuf_rseq_flat_##n(const struct tbuf_site *site, const uint64_t *values) \
{									\
	_Static_assert(sizeof(struct tbuf_header) + 8 * (n) <=		\
	    TBUF_FLAT_MAX, "a stretch has room for it");		\
	TBUF_SECTION(							\
	    TBUF_SECTION_BEGIN						\
	    TBUF_SECTION_FLAT(n)					\
	    TBUF_SECTION_COMMIT,					\
	    TBUF_FLAT_LABELS, TBUF_CLOBBERS,				\
	    TBUF_OWN_OPERANDS,						\
	    [site] "r"(site), [values] "r"(values),			\
	    [size] "i"(sizeof(struct tbuf_header) + 8 * (n)),		\
	    TBUF_ECB_OPERANDS);						\
	TBUF_SECTION_RETURN;						\
}

TBUF_RSEQ_FLAT(0)
TBUF_RSEQ_FLAT(1)
TBUF_RSEQ_FLAT(2)
TBUF_RSEQ_FLAT(3)
TBUF_RSEQ_FLAT(4)

/*
 * COMMIT of any number of words by the thread's own memo, if its session also
 * has this slot and this generation.  tbuf_rseq_extend() is that by which FLAT
 * goes on where it returned NO_ROOM: in a linear lane, after ROOM, unless head
 * is WITHIN or m.fill_mask is set, it makes the next stretch:
 *
 *	[m.span] = 0
 *	STRETCH([lane.limit] - head)
 *
 * Where it REFUSEs, it stores 0 to [m.span], too: as the next fires are likely
 * to be refused, they do not try FLAT before.  Under fill there is no stretch,
 * as a record of another thread that is refused ends the lane.
 */
#define TBUF_RSEQ_FLAT_WORDS(name, REFUSED, AFTER)			\
static inline __attribute__((always_inline)) bool			\
tbuf_rseq_##name(const struct tbuf_site *site, const uint64_t *words,	\
    uint64_t size, const struct tbuf_slot *slot, uint64_t generation)	\
{									\
	const uint32_t size16 __attribute__((unused)) = (uint32_t)size << 16; \
									\
	TBUF_SECTION(							\
	    TBUF_SECTION_BEGIN						\
	    TBUF_SECTION_ENABLED					\
	    TBUF_SECTION_HERE						\
	    TBUF_SECTION_SAME						\
	    TBUF_SECTION_SITE						\
	    TBUF_SECTION_STAMP						\
	    TBUF_SECTION_ROOM_FOR("%[size]", REFUSED, AFTER)		\
	    TBUF_SECTION_FLAT_WORDS					\
	    TBUF_SECTION_COMMIT,					\
	    TBUF_RECORD_LABELS, TBUF_CLOBBERS, TBUF_OWN_OPERANDS,	\
	    [site] "r"(site), [values] "r"(words),			\
	    TBUF_FLAT_WORDS_OPERANDS, TBUF_STRETCH_OPERANDS,		\
	    [slot] "r"(slot), [generation] "r"(generation),		\
	    TBUF_ECB_OPERANDS);						\
	TBUF_SECTION_RETURN_BOOL;					\
}

TBUF_RSEQ_FLAT_WORDS(flat_words, "", "")
TBUF_RSEQ_FLAT_WORDS(extend, TBUF_SECTION_NO_STRETCH, TBUF_SECTION_EXTEND)

/*
 * RELEASE makes the stretch of a ring in the thread's own memo, after the
 * oldest records have left the ring: all at once, as many as give `want` bytes
 * of room.
 *
 *	ARM; ENABLED; CHECK; need m.ring
 *	[m.span] = 0
 *	head = [lane.head]; need head is a multiple of 8
 *	tail = [pair[sequence & 1].tail]; need head - tail <= m.bufsize
 *	room = m.bufsize - (head - tail)
 *	if room < want:
 *		move tail past whole records until there is that room, and
 *		count them as ROOM does; need that their sizes are possible,
 *		and that the last one ends before head or there
 *		barrier
 *		[pair[~sequence & 1]] = tail and overwritten
 *		[lane.sequence] = sequence + 1	release
 *			inv.account: removed and counted by one store
 *			inv.killed: [tail, head) is whole at each instruction
 *	barrier
 *	STRETCH(room), of which the store of [m.span] is the commit
 *
 * The caller bounds the time of a release by `want`, at most TBUF_RELEASE_MAX:
 * each record has 16 bytes or more.
 */
static inline enum tbuf_outcome
tbuf_rseq_release(const struct tbuf_site *site, uint64_t want)
{
	TBUF_SECTION(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_ENABLED
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_SECTION_RELEASE
	    "2:\n\t",
	    changed, TBUF_CLOBBERS_RELEASE, TBUF_OWN_OPERANDS,
	    [site] "r"(site), [want] "r"(want), TBUF_STRETCH_OPERANDS);
	TBUF_SECTION_RETURN;
}

/* COMMIT of the words of w. */
static inline enum tbuf_outcome
tbuf_rseq_words(const struct tbuf_memo *m, const struct tbuf_write *w)
{
	TBUF_SECTION(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_MEANT
	    TBUF_SECTION_SESSION
	    TBUF_SECTION_EPID
	    TBUF_SECTION_STAMP
	    TBUF_SECTION_ROOM
	    TBUF_SECTION_WORDS
	    TBUF_SECTION_COMMIT,
	    TBUF_RECORD_LABELS, TBUF_CLOBBERS, TBUF_CHECK_OPERANDS,
	    TBUF_WRITE_OPERANDS);
	TBUF_SECTION_RETURN;
}

/* COMMIT of the segments of w. */
static inline enum tbuf_outcome
tbuf_rseq_segments(const struct tbuf_memo *m, const struct tbuf_write *w)
{
	TBUF_SECTION(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_MEANT
	    TBUF_SECTION_SESSION
	    TBUF_SECTION_EPID
	    TBUF_SECTION_STAMP
	    TBUF_SECTION_SEGMENTS_ROOM
	    TBUF_SECTION_SEGMENTS
	    TBUF_SECTION_COMMIT,
	    TBUF_RECORD_LABELS, TBUF_CLOBBERS_ROWS, TBUF_CHECK_OPERANDS,
	    TBUF_WRITE_OPERANDS);
	TBUF_SECTION_RETURN;
}

/*
 * ROWS is COMMIT for each ECB of the probe's chain, one record after the other.
 *
 *	ARM, or GO ON; CHECK
 *	size = the sum of the records' sizes; need it is no longer than a record
 *	    may be						else CHAIN
 *	need [m.heads[index]] has no flag but TBUF_HEAD_MORE	else CHAIN
 *	STAMP; ROOM
 *	for each ECB: [lane.last] += 1, but for the first; store header and data
 *	commit [lane.head] = head + size	release
 *
 * The records are written as a whole or not at all: there is one commit for
 * all, and one reading of the counter; each record's stamp is one more than the
 * stamp before it.  After CHAIN each ECB has its own COMMIT or REFUSE.
 *
 *	GO ON	if [rseq.rseq_cs] is the section's descriptor:
 *		    counter = [w.time]
 *		else ARM; HERE; [w.time] = counter
 *
 * For several sessions in turn ROWS reads the counter once, if the
 * architecture has code to detect that no other code ran in between: the
 * section stays armed after its commit, and the kernel disarms it when it
 * preempts the thread or delivers a signal to it.  If the word is unchanged
 * when the next section begins, no other code has run on this CPU since the
 * counter was read: a stamp is never older than code that ran here before its
 * commit.  The caller of the next three calls tbuf_rseq_clear() after the last
 * one.
 *
 * tbuf_rseq_rows_own() is ROWS of at most four arguments by the thread's memo,
 * if its session is the only one that the probe is enabled for;
 * tbuf_rseq_rows_among() is that by a CPU's memo.
 */
#define TBUF_RSEQ_FEW_ROWS(name, CHECK)					\
static inline enum tbuf_outcome						\
tbuf_rseq_rows_##name(const struct tbuf_memo *m, struct tbuf_write *w,	\
    const struct tbuf_site *site, const uint64_t *values)		\
{									\
	TBUF_SECTION(							\
	    TBUF_SECTION_GO_ON						\
	    CHECK							\
	    TBUF_SECTION_SESSION					\
	    TBUF_SECTION_FEW_ROWS					\
	    TBUF_SECTION_COMMIT,					\
	    TBUF_RECORD_LABELS, TBUF_CLOBBERS_ROWS, TBUF_FEW_ROWS_OPERANDS); \
	return (TBUF_COMMITTED);					\
	TBUF_SECTION_EXITS;						\
}

TBUF_RSEQ_FEW_ROWS(own, TBUF_SECTION_ENABLED)
TBUF_RSEQ_FEW_ROWS(among, TBUF_SECTION_AMONG)

/* ROWS of any number of words. */
static inline enum tbuf_outcome
tbuf_rseq_rows(const struct tbuf_memo *m, struct tbuf_write *w)
{
	TBUF_SECTION(
	    TBUF_SECTION_GO_ON
	    TBUF_SECTION_MEANT
	    TBUF_SECTION_SESSION
	    TBUF_SECTION_ROWS
	    TBUF_SECTION_COMMIT,
	    TBUF_RECORD_LABELS, TBUF_CLOBBERS_ROWS, TBUF_ROWS_OPERANDS);
	return (TBUF_COMMITTED);
	TBUF_SECTION_EXITS;
}

/*
 * SEVERAL is a loop over sections of the sessions of `bits`, each of which may
 * GO ON; they write up to four words by the CPU's memos.
 *
 *	for each bit:
 *		ARM, or GO ON; HERE; AMONG; SESSION
 *		need the probe has one ECB
 *		STAMP, which becomes the counter's reading for the next session
 *		ROOM; store header and words
 *		commit [lane.head] = head + size	release
 *
 * Any outcome but COMMITTED ends the loop: the earlier sessions are done, this
 * one and the rest are not.  Returns the bits of those.  `header` is each
 * record's second word without its EPID.
 */
#if defined(__x86_64__)
#include "arch/x86_64/rseq_several.h"
#else
#include "arch/generic/rseq_several.h"
#endif

/*
 * STORE writes a variable of a clause, which cannot be another session's yet.
 *
 *	ARM; CHECK
 *	commit [word] = value
 */
static inline enum tbuf_outcome
tbuf_rseq_store(const struct tbuf_memo *m, uint64_t *word, uint64_t value)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_STORE,
	    [word] "r"(word), [value] "r"(value));
}

/*
 * ADD adds to a count of an aggregation table, and counts a drop.
 *
 *	ARM; CHECK
 *	commit [word] += delta		inv.account: a drop is counted once
 */
static inline enum tbuf_outcome
tbuf_rseq_add(const struct tbuf_memo *m, uint64_t *word, uint64_t delta)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_ADD,
	    [word] "r"(word), [delta] TBUF_R_OR_CONSTANT(delta));
}

static inline enum tbuf_outcome
tbuf_rseq_count(const struct tbuf_memo *m, uint64_t *counter)
{
	return (tbuf_rseq_add(m, counter, 1));
}

/* The sections that find a key in a table, and change its value. */
#define TBUF_RSEQ_SEARCH(name, STEPS)					\
static inline enum tbuf_outcome						\
tbuf_rseq_##name(const struct tbuf_memo *m, const struct tbuf_search *s) \
{									\
	TBUF_SECTION(TBUF_SECTION_BEGIN TBUF_SECTION_HERE STEPS,	\
	    changed, TBUF_CLOBBERS_SEARCH, TBUF_CHECK_OPERANDS, [w] "r"(s)); \
	TBUF_SECTION_RETURN;						\
}

/*
 * UPDATE is a search and ADD in one, by any memo of the search's session.
 *
 *	ARM; HERE; MEANT
 *	TURN	need [slot.turn] == s.turn
 *		need [m.lane] == s.lane		(its table is searched)
 *	FIND	find the key's entry, as clause_aggregate.c does
 *		need there is one within the table, and it has s.word
 *	commit [its value] += s.delta
 */
TBUF_RSEQ_SEARCH(update, TBUF_SECTION_MEANT TBUF_SECTION_TURN TBUF_SECTION_FIND
    TBUF_SECTION_UPDATE)

/*
 * CACHED is UPDATE by a memo that has the lane's table of one turn, and the
 * table's limits: they have been checked, and are valid as long as the turn.
 * The search's table, limits, turn and lane are not used.
 *
 *	ARM; HERE
 *	need [m.bits] == s.bits
 *	GENERATION; FIND
 *	commit [its value] += s.delta
 */
TBUF_RSEQ_SEARCH(cached, TBUF_SECTION_W_BITS TBUF_SECTION_GENERATION
    TBUF_SECTION_FIND_CACHED TBUF_SECTION_UPDATE)

/*
 * SUM is UPDATE of a version and two copies of a count and a sum, where s.word
 * is the last of these.
 *
 *	ARM; HERE; MEANT; TURN; FIND
 *	barrier, as in PUBLISH
 *	[copy[~version & 1]] = [copy[version & 1]], its count + 1 and its sum
 *	    + s.delta
 *	commit [version] += 1	release
 */
TBUF_RSEQ_SEARCH(sum, TBUF_SECTION_MEANT TBUF_SECTION_TURN TBUF_SECTION_FIND
    TBUF_SECTION_SUM)

/*
 * PEAK is UPDATE of a version and two copies of a greatest value and the
 * slot.cleared of its time.  Values are compared with their bits ^ s.flip, so
 * that a least value is a greatest one.
 *
 *	ARM; HERE; MEANT; TURN; FIND
 *	need [version] != 0
 *	need [copy[version & 1].cleared] == [slot.cleared]
 *	if s.delta is not greater: return COMMITTED, nothing is stored
 *	barrier
 *	[copy[~version & 1]] = s.delta and slot.cleared
 *	commit [version] += 1	release
 */
TBUF_RSEQ_SEARCH(peak, TBUF_SECTION_MEANT TBUF_SECTION_TURN TBUF_SECTION_FIND
    TBUF_SECTION_PEAK)

/*
 * TOTAL is ADD by a CPU's memo that has the address of the values and their
 * turn.  Its bits belong to one session, which need not be compared.
 *
 *	ARM; HERE
 *	need [m.bits] == bits
 *	GENERATION
 *	need word < [m.ecb_max]
 *	commit [value[word]] += delta		(values never move)
 */
static inline enum tbuf_outcome
tbuf_rseq_total(const struct tbuf_memo *m, uint64_t bits, uint64_t word,
    uint64_t delta)
{
	TBUF_SECTION(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_BITS
	    TBUF_SECTION_GENERATION
	    TBUF_SECTION_TOTAL,
	    changed, TBUF_CLOBBERS_FEW, TBUF_CHECK_OPERANDS,
	    [bits] "r"(bits), [word] TBUF_R_OR_CONSTANT(word),
	    [delta] TBUF_R_OR_CONSTANT(delta));
	TBUF_SECTION_RETURN;
}

/*
 * LOAD copies words to the stack.  Tables are read in sections only, so that no
 * late thread reads a table that has been freed.  `size`: bytes, a multiple of
 * 8, not 0.
 *
 *	ARM; CHECK
 *	copy size bytes
 */
static inline enum tbuf_outcome
tbuf_rseq_load(const struct tbuf_memo *m, uint64_t *to, const uint64_t *from,
    uint64_t size)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_LOAD,
	    [to] "r"(to), [from] "r"(from), [size] "r"(size));
}

/*
 * PUBLISH writes words to a place that is not read before the commit: an entry
 * after `top`, or the copy of values that their version does not select.
 * Results computed from the old word are valid, as it has not changed since on
 * this CPU.
 *
 *	ARM; CHECK
 *	need [p.word] == p.old
 *	barrier: a reader of a copy that has changed meanwhile finds the commit
 *	    before this one
 *	copy p.size bytes to p.to
 *	[p.slot] = p.offset
 *	commit [p.word] = p.new	release
 */
static inline enum tbuf_outcome
tbuf_rseq_publish(const struct tbuf_memo *m, const struct tbuf_publish *p)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_PUBLISH_COPY TBUF_SECTION_PUBLISH,
	    [p] "r"(p));
}

/*
 * INSERT is PUBLISH that after the copy stores zeroes to p.zeroes bytes from
 * p.zero on: values of the published entry, where an abandoned insertion may
 * have left bytes.
 */
static inline enum tbuf_outcome
tbuf_rseq_insert(const struct tbuf_memo *m, const struct tbuf_publish *p)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_PUBLISH_COPY
	    TBUF_SECTION_PUBLISH_ZERO TBUF_SECTION_PUBLISH,
	    [p] "r"(p));
}

/*
 * SHARED adds 1 to a counter that other CPUs add to as well.
 *
 *	ARM; CHECK
 *	commit [counter] += 1, atomically
 */
static inline enum tbuf_outcome
tbuf_rseq_count_shared(const struct tbuf_memo *m, uint64_t *counter)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_SHARED, [counter] "r"(counter));
}

/*
 * SWAP compares and swaps a word.  Words that other CPUs write, too, such as a
 * claim, are written by SWAP only.
 *
 *	ARM; CHECK
 *	commit [word] = new if [word] == old, atomically; need that it was
 */
static inline enum tbuf_outcome
tbuf_rseq_swap(const struct tbuf_memo *m, uint64_t *word, uint64_t old,
    uint64_t new)
{
	TBUF_SECTION_CHECKED(TBUF_SECTION_SWAP,
	    [word] "r"(word), [old] "r"(old), [new] "r"(new));
}

/* SWAP of two words, aligned to 16; tbuf_swap_pair() is that without CHECK. */
static inline enum tbuf_outcome
tbuf_rseq_swap_pair(const struct tbuf_memo *m, uint64_t *pair,
    const uint64_t old[2], const uint64_t new[2])
{
	TBUF_SECTION(TBUF_SECTION_CHECK TBUF_SECTION_SWAP_PAIR,
	    changed, TBUF_CLOBBERS_PAIR, TBUF_CHECK_OPERANDS,
	    [pair] "r"(pair), [old] "r"(old), [new] "r"(new));
	TBUF_SECTION_RETURN;
}

/*
 * RESTART empties a ring's lane that is damaged.
 *
 *	ARM; CHECK
 *	head = [lane.head], rounded up to 8
 *	[pair[~sequence & 1]] = head and overwritten; [lane.sequence] += 1
 *	[lane.restarts] += 1
 *	commit [lane.head] = head	release
 */
static inline void
tbuf_rseq_restart(const struct tbuf_memo *m)
{
	TBUF_SECTION(TBUF_SECTION_CHECK TBUF_SECTION_RESTART,
	    changed, TBUF_CLOBBERS, TBUF_CHECK_OPERANDS);
changed:
	tbuf_rseq_clear();
}

/*
 * REMEMBER copies a memo.  An aborted copy leaves `to` void, or as other
 * threads on this CPU stored it: a signal handler, or another thread on this
 * CPU, never finds a valid mixture.
 *
 *	ARM
 *	need [rseq.cpu_id] == [from.cpu]
 *	need [marked] == 0
 *	[to.bits] = TBUF_MEMO_NONE
 *	copy all other words
 *	commit [to.bits] = [from.bits]
 */
static inline void
tbuf_rseq_remember(struct tbuf_memo *to, const struct tbuf_memo *from,
    const uint32_t *marked)
{
	TBUF_SECTION(TBUF_SECTION_BEGIN TBUF_SECTION_REMEMBER,
	    changed, TBUF_CLOBBERS_FEW,
	    [to] "r"(to), [from] "r"(from), [marked] "r"(marked),
	    [none] TBUF_R_OR_WIDE(TBUF_MEMO_NONE), [size] "i"(sizeof(*to)));
changed:
	tbuf_rseq_clear();
}

#endif
