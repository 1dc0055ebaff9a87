/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Side lanes at a fire: whose record goes where (thread_lane.h).
 *
 *	the thread is in a unit		the unit's lane		(later)
 *	-x bufscope=thread		the thread's lane
 *	else, or if none is free	the CPU's, then a lock lane
 *
 * A thread writes a side lane as it writes its CPU's: in the same sections, by
 * a memo whose lane is the side lane.  The CPU in the memo stays the one it
 * runs on, so that a section still begins only on CPUs on which the session's
 * consumer waits it out at the end; a thread that migrates makes its memo anew.
 * What keeps others out is the binding: a lane that is bound is its holder's
 * alone, and whoever gives it back lets go of his memo first.
 *
 * In a process without rseq the lane is written under a lock lane's lock, and
 * tbuf_thread.side_busy tells a handler that its thread is at it already.
 *
 * Nobody is bound for good: a forked child forgets (fork.c), a thread whose
 * area another task shares writes lock lanes, a thread's end gives its lane
 * back (thread_exit.c), or its consumer does.
 */
#ifndef TBUF_TARGET_LANE_THREAD_LANE_H
#define TBUF_TARGET_LANE_THREAD_LANE_H

#include "target/lane/lane.h"
#include "target/self/thread.h"

/* Where a session's side lanes are, checked. */
struct tbuf_pool {
	struct tbuf_holder *holders;
	uint64_t lanes;		/* offset of the first side lane's words */
	uint32_t count;		/* side lanes there are now */
};

/* False: the session has none, or they lie nowhere. */
bool	tbuf_pool_find(const struct tbuf_fire *, struct tbuf_pool *)
	    TBUF_HIDDEN;

/*
 * Steps of claiming and giving back: in sections by the memo of a CPU's lane,
 * or without one under a lock lane's lock, as tbuf_lane_do() has it.
 * TBUF_CHANGED: somebody was first, or look again.
 *
 * claim: the lane that has been idle longest, of those that were read if there
 * is one, becomes that of `instance'; *index becomes its number in the pool, or
 * TBUF_SIDE_NONE where none is free.
 * free: a lane of `instance' and this thread becomes free.
 */
#define TBUF_SIDE_NONE	0xffffu
enum tbuf_outcome tbuf_side_claim(const struct tbuf_fire *,
	    const struct tbuf_memo *, const struct tbuf_pool *,
	    uint64_t instance, uint32_t *index) TBUF_HIDDEN;
enum tbuf_outcome tbuf_side_free(const struct tbuf_fire *,
	    const struct tbuf_memo *, const struct tbuf_pool *,
	    uint64_t instance, uint32_t index) TBUF_HIDDEN;
/* The lane in the pool that this thread has bound by that name, or NONE. */
uint32_t tbuf_side_own(const struct tbuf_pool *, uint64_t instance)
	    TBUF_HIDDEN;

/*
 * Where this thread's records of the session go: the side lane, or false.  With
 * the memo of the CPU's lane, or under a lock.
 */
bool	tbuf_side_place(const struct tbuf_fire *, const struct tbuf_memo *,
	    struct tbuf_place *) TBUF_HIDDEN;

/* Does a lane belong to a thread or a unit?  A hint. */
static inline bool
tbuf_side_is(const struct tbuf_lane *lane)
{
	return (tbuf_load(&lane->kind) >= TBUF_KIND_THREAD);
}

/* Threads that end give their lanes back, from here on. */
void	tbuf_side_end_init(void) TBUF_HIDDEN;
/* This thread will have its end told, to whom the key was made for. */
void	tbuf_side_key_mark(void) TBUF_HIDDEN;
void	tbuf_side_key_init(void (*end)(void *)) TBUF_HIDDEN;

#endif
