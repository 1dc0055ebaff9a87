/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks of fires at a lock lane.  A child that is forked during such a fire
 * must not become a target: the fire continues there and would write its
 * parent's data into the new file.
 *
 * A fire may never return (longjmp, an exception, cancellation), so a count
 * would stay above 0 forever.  Instead each fire has a mark in its stack frame,
 * and the thread has the mark's address; in a new child, marks of abandoned
 * fires can be distinguished from others.
 */
#ifndef TBUF_TARGET_LANE_INFLIGHT_H
#define TBUF_TARGET_LANE_INFLIGHT_H

#include "target/self/thread.h"

/*
 * Value of a mark while its fire is under way; no other mark has it.  It is
 * stored in several places, because a new frame over an abandoned one need not
 * overwrite all of its words.
 */
#define TBUF_STACK_MARK_WORDS	13
#define TBUF_STACK_MARK_STEP	4

static inline uint64_t
tbuf_hold_value(const uint64_t *mark)
{
	return ((uint64_t)(uintptr_t)mark ^ UINT64_C(0x746275662068656c));
}

/*
 * Marks a fire before it takes a lock.  Returns the argument for
 * tbuf_hold_end().
 *
 * A handler that fires between any two of these steps restores `nholds', or, if
 * it does not return, has added marks that do not count.  If there is no room
 * the oldest is removed: fires under way are nested handlers, never that many.
 */
static inline uint32_t
tbuf_hold_begin(volatile uint64_t *mark)
{
	struct tbuf_thread *t = &tbuf_thread;
	uint64_t *own = (uint64_t *)(uintptr_t)mark;
	uint32_t n = tbuf_load(&t->nholds), i;

	for (i = 0; i < TBUF_STACK_MARK_WORDS; i += TBUF_STACK_MARK_STEP)
		mark[i] = tbuf_hold_value(own);
	/* A mark at our frame's address belongs to a fire that has ended. */
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

/* Unmarks a fire after it has released the lock. */
static inline void
tbuf_hold_end(volatile uint64_t *mark, uint32_t n)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&tbuf_thread.nholds, n);
	*mark = 0;
}

/*
 * Returns true if a fire of this thread is, or may be, under way at a lock
 * lane.  Makes system calls.
 */
bool	tbuf_hold_any(void) TBUF_HIDDEN;

#endif
