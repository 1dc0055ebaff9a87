/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Frees the lanes of a thread that ends.
 */
#include "base/optimize_size.h"

#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/lane/thread_lane.h"
#include "target/lane/unit_types.h"
#include "target/self/thread.h"

struct end {
	const struct tbuf_fire *fire;
	uint64_t number;
	bool done;
};

/*
 * Frees one lane of this thread; it may have several.  Sets `done' if it has
 * none.
 */
static enum tbuf_outcome
free_here(void *argument, const struct tbuf_memo *memo)
{
	struct end *end = argument;
	struct tbuf_pool pool;
	uint32_t index;

	end->done = true;
	if (!tbuf_pool_find(end->fire, &pool) || (index =
	    tbuf_thread_lane_own(&pool, end->number)) == TBUF_THREAD_LANE_NONE)
		return (TBUF_COMMITTED);
	end->done = false;
	return (tbuf_thread_lane_free(end->fire, memo, &pool, end->number,
	    index));
}

static void
free_locked(void *argument, const struct tbuf_place *place)
{
	(void)place;
	(void)free_here(argument, NULL);
}

static void
session_leave(const struct tbuf_view *view, unsigned number)
{
	struct tbuf_fire f = {
		.base = (uintptr_t)view->base, .number = number,
		.slot = tbuf_view_slot(view, number)
	};
	struct end end = { .fire = &f, .number = tbuf_thread.number };
	unsigned try;

	f.generation = tbuf_load_acquire(&f.slot->generation);
	if (f.generation == 0 || !tbuf_thread_lane_any(f.slot))
		return;
	for (try = 0; try < TBUF_THREAD_LANES_MAX && !end.done; try++)
		if (!tbuf_lane_try(&f, free_here, free_locked, &end))
			break;
}

/*
 * Voids the memos that the thread's units have saved, then its own: a handler
 * that leaves a unit after that restores a void one.
 */
static void
forget(void)
{
	struct tbuf_unit *u;

	for (u = tbuf_thread.unit; u != NULL; u = u->outer)
		tbuf_store(&u->memo, TBUF_MEMO_NONE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_thread_forget();
}

/*
 * Runs at a thread's end.  The thread voids its memos before it frees its
 * lanes, and while thread_lane_busy is set no handler binds another.
 */
static void
thread_ends(void *value)
{
	struct tbuf_view view = tbuf_target_view();
	unsigned i;

	(void)value;
	if (view.base == NULL || tbuf_thread.shared != 0)
		return;
	tbuf_store(&tbuf_thread.thread_lane_busy, 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&tbuf_thread.thread_lane, 0);
	forget();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_load(&tbuf_view_control(&view)->state[i]) ==
		    TBUF_ACTIVE)
			session_leave(&view, i);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&tbuf_thread.thread_lane_busy, 0);
}

void
tbuf_thread_lane_init(void)
{
	tbuf_thread_exit_key_init(thread_ends);
}
