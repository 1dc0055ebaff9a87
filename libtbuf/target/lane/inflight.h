/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fires that are at a lock lane: a child that is forked amid one must not
 * become a target, for the fire goes on there and would write into the new
 * file what is its parent's.
 *
 * A fire may never come back (longjmp, an exception, cancellation), so a
 * count would say for ever that one is under way.  Instead each fire leaves a
 * mark in its frame and the mark's address with the thread; where a child
 * begins, marks that were left behind can be told from those that were not.
 */
#ifndef TBUF_TARGET_LANE_INFLIGHT_H
#define TBUF_TARGET_LANE_INFLIGHT_H

#include "target/self/thread.h"

/*
 * A mark holds this while its fire is under way: nobody else has it there.  It
 * stands in several places, for a frame that comes to lie over one that was
 * left need not write all of its words.
 */
#define TBUF_MARK_WORDS	13
#define TBUF_MARK_STEP	4

static inline uint64_t
tbuf_hold_value(const uint64_t *mark)
{
	return ((uint64_t)(uintptr_t)mark ^ UINT64_C(0x746275662068656c));
}

/*
 * Before a fire takes a lock.  Gives what tbuf_hold_end() is to be told.
 *
 * A handler that fires between any two of these steps leaves `nholds` as it
 * was, or, if it does not come back, marks behind that count for nothing.
 * When there is no room the oldest goes: those that are under way are nested
 * handlers, which are never so many.
 */
static inline uint32_t
tbuf_hold_begin(volatile uint64_t *mark)
{
	struct tbuf_thread *t = &tbuf_thread;
	uint64_t *own = (uint64_t *)(uintptr_t)mark;
	uint32_t n = tbuf_load(&t->nholds), i;

	for (i = 0; i < TBUF_MARK_WORDS; i += TBUF_MARK_STEP)
		mark[i] = tbuf_hold_value(own);
	/* Where our frame is, none of another fire can be any more. */
	if (n > 0 && tbuf_load(&t->holds[n - 1]) == own)
		n--;
	if (n == TBUF_HOLDS)
		for (i = 1, n--; i < TBUF_HOLDS; i++)
			tbuf_store(&t->holds[i - 1], tbuf_load(&t->holds[i]));
	tbuf_store(&t->holds[n], own);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&t->nholds, n + 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return (n);
}

/* After it has given the lock back. */
static inline void
tbuf_hold_end(volatile uint64_t *mark, uint32_t n)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&tbuf_thread.nholds, n);
	*mark = 0;
}

/*
 * Is a fire of this thread under way at a lock lane?  In doubt it is.  Makes
 * system calls.
 */
bool	tbuf_hold_any(void) TBUF_HIDDEN;

#endif
