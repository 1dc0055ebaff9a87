/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Restartable sequences: the whole write of a record, and the count of a
 * refused one, as sections that the kernel restarts when the thread is
 * preempted, migrated or interrupted by a signal inside them.
 *
 * THE SECTIONS, for every architecture.  [ ] is one store or load of shared
 * memory; `leave X` jumps out of the section without having committed.
 *
 *	CHECK	[rseq.cpu_id] == m.cpu		else leave CHANGED
 *		[local.base] != 0		else leave CHANGED  (forked)
 *		m.generation == generation	else leave CHANGED  (a handler
 *						has fired and remembered more)
 *		[slot.generation] == generation	else leave CHANGED  (ended)
 *
 *	COMMIT	CHECK
 *		head = [lane.head]
 *		ROOM
 *		stamp = max(counter, [lane.last] + 1)
 *		load from the first byte's place	(see below)
 *		[lane.last] = stamp
 *		store header and data (64-bit words, or segments of any
 *		    size), positions masked
 *		[lane.head] = head + w.size		release; last instruction
 *
 *	ROOM of a linear lane (switch, fill)
 *		head + w.size <= [lane.limit]		else leave NO_ROOM
 *		([lane.full] & m.fill_mask) == 0	else leave NO_ROOM
 *
 *	ROOM of a ring, with a store barrier before each look at it
 *		while head + w.size - tail > m.bufsize, where
 *		    sequence = [lane.sequence], tail = [pair[sequence & 1].tail]
 *			head - tail <= m.bufsize, head a multiple of 8
 *			    else leave DAMAGE
 *			size = size of the record at tail, at least 16, a
 *			    multiple of 8, not past head  else leave DAMAGE
 *			[pair[~sequence & 1]] = tail + size, overwritten + 1
 *			[lane.sequence] = sequence + 1		release
 *	    A step stands on its own: a restart after it just goes on from the
 *	    new tail, so it need not be the last instruction of its section.
 *
 *	REFUSE	CHECK; ROOM of a linear lane: if there is room now, leave
 *		CHANGED (try again); [w.counter] += 1, the last instruction
 *
 *	COUNT	CHECK; [w.counter] += 1, the last instruction
 *
 *	RESTART	CHECK; the ring's lane is damaged: publish tail = head rounded
 *		up to 8, [lane.restarts] += 1, [lane.head] = the same
 *
 *	REMEMBER copy a memo, `bits` void first and valid last: a handler that
 *		interrupts it finds the memo void, and the copy is not resumed
 *
 * The committing store is the last instruction of its section: with one
 * more behind it, a preemption there would restart a record that has been
 * published.  So what commits to another word has a section of its own.
 *
 * The load before the first store: on a page that the target has not touched
 * yet a read fault lets the kernel map sixteen pages at once, a write fault
 * only one.
 *
 * Before a section its descriptor is stored to rseq.rseq_cs; the C wrapper
 * clears it afterwards, so that no dangling pointer is left if the object
 * that holds this code is unloaded.
 */
#ifndef TBUF_ARCH_RSEQ_H
#define TBUF_ARCH_RSEQ_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* Bytes to store one after the other. */
struct tbuf_segment {
	const void *data;
	uint64_t size;
};

/*
 * What a thread remembers of its last fire: all that a section has to know
 * of the lane, checked once.  It holds as long as CPU and generation do, and
 * these the section looks at again.  A generation is never used twice in a
 * file, so it names the session and its slot.
 */
struct tbuf_memo {
	uint64_t bits;			/* enable word that it is good for */
	uint64_t generation;
	struct tbuf_slot *slot;
	struct tbuf_lane *lane;
	unsigned char *data;		/* the lane's storage */
	uint64_t mask8;			/* bytes of it, less 8 */
	uint64_t bufsize;		/* the lane's logical size */
	uint64_t fill_mask;
	const uint16_t *heads;		/* of the session's ECBs */
	uint32_t cpu;
	uint16_t ring;
	uint16_t strsize;
};

#define TBUF_MEMO_NONE	(UINT64_C(1) << 32)	/* no enable word */

/* What is to be written. */
struct tbuf_write {
	uint64_t size;			/* of the record, header included */
	uint64_t word;			/* EPID, size and thread id */
	const void *from;		/* 64-bit words, or segments */
	const void *from_end;		/* of the segments */
};

enum tbuf_outcome {
	TBUF_COMMITTED,
	TBUF_CHANGED,		/* aborted, or a check failed: look again */
	TBUF_NO_ROOM,
	TBUF_DAMAGED,		/* the lane's words make no sense */
	TBUF_WRAPPED		/* words that go around the end: use segments */
};

/*
 * The wipe-on-fork words.  A child made by a raw clone finds them zero without
 * anybody's help.  They are a static zero until there is a page for them.
 */
struct tbuf_local {
	uint64_t base;		/* of the window; 0: tracing is off */
};
extern const struct tbuf_local *tbuf_local
    __attribute__((visibility("hidden")));

#define TBUF_M(field)	offsetof(struct tbuf_memo, field)
#define TBUF_L(field)	offsetof(struct tbuf_lane, field)

/*
 * Delays inside the sections, so that a stress test can hit every step:
 * built with --enable-inject, step n spins tbuf_inject[n] turns.
 */
#define TBUF_INJECT_STEPS	8
#ifdef TBUF_INJECT
extern __attribute__((visibility("default")))
uint32_t tbuf_inject[TBUF_INJECT_STEPS];
#endif

#if defined(__x86_64__)
#include "arch/rseq_x86_64.h"
#elif defined(__aarch64__)
#include "arch/rseq_aarch64.h"
#else
#include "arch/rseq_none.h"
#endif

/*
 * Each architecture provides:
 *	bool	tbuf_rseq_ready(void);	is this thread registered?
 *	uint32_t tbuf_rseq_cpu(void);	the CPU to try, when ready
 *	enum tbuf_outcome, all with (const struct tbuf_memo *, uint64_t
 *	generation, ...), the generation read from the memo before:
 *		tbuf_rseq_linear_words(..., const struct tbuf_write *);
 *		tbuf_rseq_linear_segments(..., const struct tbuf_write *);
 *		tbuf_rseq_ring_words(..., const struct tbuf_write *);
 *		tbuf_rseq_ring_segments(..., const struct tbuf_write *);
 *		tbuf_rseq_refuse(..., const struct tbuf_write *, uint64_t *);
 *		tbuf_rseq_count(..., uint64_t *);
 *		tbuf_rseq_restart(...);
 *	void	tbuf_rseq_remember(struct tbuf_memo *, const struct tbuf_memo *);
 * All are async-signal-safe.
 */

#endif
