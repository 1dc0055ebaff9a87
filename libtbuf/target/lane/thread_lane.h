/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thread lanes in a fire (layout/thread_lane.h): which lane a record goes to.
 *
 *	the thread is in a unit		the unit's lane		(later)
 *	-x bufscope=thread		the thread's lane
 *	else, or if none is free	the CPU's, then a lock lane
 *
 * A thread writes its own lane as it writes its CPU's: in the same sections,
 * with a memo that has that lane.  The memo's CPU is the one that the
 * thread runs on, so that a section begins only on CPUs that the session's
 * consumer waits for at the end; a thread that migrates makes a new memo.  The
 * binding excludes others: a bound lane is its holder's alone, and a thread
 * voids its memo before it frees the lane.
 *
 * In a process without rseq the lane is written under a lock lane's lock, and
 * tbuf_thread.thread_lane_busy keeps a handler of the same thread from writing
 * it.
 *
 * A binding ends: a forked child forgets it (fork.c), a thread that shares its
 * thread area with another task writes lock lanes, and a thread that ends frees
 * its lane (thread_exit.c), or the consumer does.
 */
#ifndef TBUF_TARGET_LANE_THREAD_LANE_H
#define TBUF_TARGET_LANE_THREAD_LANE_H

#include "target/lane/lane.h"
#include "target/self/thread.h"

/* The checked location of a session's thread lanes. */
struct tbuf_pool {
	struct tbuf_holder *holders;
	uint64_t lanes;		/* offset of the first lane's words */
	uint32_t count;		/* current number of lanes */
};

/* Finds the pool.  Returns false if there is none in the file. */
bool	tbuf_pool_find(const struct tbuf_fire *, struct tbuf_pool *)
	    TBUF_HIDDEN;

/*
 * Steps of claiming and freeing a lane: in sections with the memo of a CPU's
 * lane, or, if that is NULL, under a lock lane's lock, as tbuf_lane_do() does.
 * TBUF_CHANGED: another thread was first, or the section was aborted or found
 * another CPU or session.
 *
 * tbuf_thread_lane_claim() binds to `instance' the free lane that has been idle
 * longest, preferably one without unread records; *index becomes its number in
 * the pool, TBUF_THREAD_LANE_NONE if no lane is free.  tbuf_thread_lane_free()
 * frees a lane of `instance' and this thread.
 */
#define TBUF_THREAD_LANE_NONE	0xffffu
enum tbuf_outcome tbuf_thread_lane_claim(const struct tbuf_fire *,
	    const struct tbuf_memo *, const struct tbuf_pool *,
	    uint64_t instance, uint32_t *index) TBUF_HIDDEN;
enum tbuf_outcome tbuf_thread_lane_free(const struct tbuf_fire *,
	    const struct tbuf_memo *, const struct tbuf_pool *,
	    uint64_t instance, uint32_t index) TBUF_HIDDEN;
/* Returns the lane that this thread has bound as `instance', or NONE. */
uint32_t tbuf_thread_lane_own(const struct tbuf_pool *, uint64_t instance)
	    TBUF_HIDDEN;

/*
 * Finds the lane for this thread's records; binds one if it has none.  Returns
 * false if there is none.  Called with the memo of the CPU's lane, or under a
 * lock.
 */
bool	tbuf_thread_lane_place(const struct tbuf_fire *,
	    const struct tbuf_memo *, struct tbuf_place *) TBUF_HIDDEN;

/* Returns true if a lane belongs to a thread or a unit.  This is a hint. */
static inline bool
tbuf_thread_lane_is(const struct tbuf_lane *lane)
{
	return (tbuf_load(&lane->kind) >= TBUF_KIND_THREAD);
}

/* Makes threads free their lanes when they end, from now on. */
void	tbuf_thread_lane_init(void) TBUF_HIDDEN;
/*
 * tbuf_thread_exit_key_init() makes a key with the destructor `end'; the other
 * one sets it for this thread.
 */
void	tbuf_thread_exit_key_set(void) TBUF_HIDDEN;
void	tbuf_thread_exit_key_init(void (*end)(void *)) TBUF_HIDDEN;

#endif
