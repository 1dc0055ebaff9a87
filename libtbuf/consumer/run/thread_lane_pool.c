/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The pools of targets' thread lanes (layout/thread_lane.h): lanes of dead
 * threads are freed, and a pool that is nearly used up is doubled, before a
 * fire finds no free lane.  A small lane that an ended thread has handed over
 * with unread records does not count as free, and is read soon.
 *
 * A thread is dead when its process has no task with its id, or when a later
 * thread with that id has a lane (instances rise).  Only this consumer touches
 * the lane that a dead thread has bound.
 */
#include <errno.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "shared/control_file.h"
#include "shared/memory_limit.h"

#define SWEEP_SOON	(TBUF_SECOND / 10)	/* if few lanes are free */
#define SWEEP_LATE	TBUF_SECOND
#define GROW_RETRY	TBUF_SECOND		/* if there was no room */

static bool
has_pool(const struct tbuf_target *t)
{
	return (t->layout.holders != 0 && t->slot != -1 && !t->file_only &&
	    !t->truncated && t->state == TBUF_ALIVE &&
	    t->session == TBUF_SESSION_ACTIVE);
}

bool
tbuf_pools_any(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (has_pool(t))
			return (true);
	return (false);
}

static struct tbuf_holder *
holders_of(const struct tbuf_target *t)
{
	return ((struct tbuf_holder *)(void *)(t->view.base + t->area +
	    t->layout.holders));
}

static uint32_t
thread_lanes_of(const struct tbuf_target *t)
{
	return (t->nreaders - t->layout.nmain);
}

/* Free lanes of a pool; the spare lane is not counted. */
struct free {
	uint32_t all;
	uint32_t unread;	/* those with records that are to be read */
};

/*
 * Counts free lanes.  Unread records matter in small lanes: a large one has
 * room for those of many more threads, and is read early (early_switch.c).
 */
static struct free
free_count(const struct tbuf_target *t)
{
	const struct tbuf_holder *holders = holders_of(t);
	bool small = t->layout.thread_lane_size < TBUF_EARLY_LEAST &&
	    tbuf_policy(t->order.terms.policy)->live;
	struct free free = { 0, 0 };
	const struct tbuf_reader *r;
	uint32_t n = thread_lanes_of(t), i;

	for (i = 1; i < n; i++) {
		if (tbuf_load(&holders[i].state) != TBUF_LANE_FREE)
			continue;
		free.all++;
		r = &t->readers[t->layout.nmain + i];
		free.unread += small &&
		    tbuf_load(&r->lane->head) != r->position;
	}
	return (free);
}

/* Returns true if at most a quarter of the lanes is free. */
static bool
few_free(const struct tbuf_target *t, uint32_t free)
{
	return (4 * free <= thread_lanes_of(t) - 1);
}

/* ------------------------------------------------------------ dead threads */

/* Returns true if a later thread with this id has a lane. */
static bool
followed(const struct tbuf_holder *holders, uint32_t n,
    const struct tbuf_holder *holder, uint32_t tid)
{
	uint64_t instance = tbuf_load(&holder->instance);
	uint32_t i;

	for (i = 0; i < n; i++)
		if (tbuf_load(&holders[i].state) == TBUF_LANE_BOUND &&
		    tbuf_load(&holders[i].tid) == tid &&
		    tbuf_load(&holders[i].instance) > instance)
			return (true);
	return (false);
}

/*
 * Frees lanes of dead threads.  Holders are read before tasks: a thread that
 * had a lane was alive then.
 */
static void
sweep(struct tbuf_target *t)
{
	struct tbuf_holder *holders = holders_of(t);
	uint64_t words[TBUF_THREAD_LANES_MAX];
	uint32_t n = thread_lanes_of(t), tid, i;
	struct tbuf_tasks tasks;

	for (i = 0; i < n; i++)
		words[i] = tbuf_load_acquire((uint64_t *)(void *)&holders[i]);
	if (!tbuf_tasks_list(t, &tasks))
		return;
	for (i = 0; i < n; i++) {
		tid = (uint32_t)(words[i] >> 32);
		if (tid != 0 && words[i] == tbuf_holder_word(TBUF_LANE_BOUND,
		    tid) && (followed(holders, n, &holders[i], tid) ||
		    !tbuf_tasks_has(t, &tasks, tid)) &&
		    tbuf_cas((uint64_t *)(void *)&holders[i], words[i],
		    tbuf_holder_word(TBUF_LANE_FREE, 0)))
			tbuf_add(&tbuf_target_slot(t)->released, 1);
	}
	tbuf_tasks_free(&tasks);
}

/* ------------------------------------------------------------ growing */

/* Chooses a chunk's place: one that the slot had before, or the file's end. */
static int
chunk_place(struct tbuf_target *t, uint64_t size, struct tbuf_chunk *chunk)
{
	struct tbuf_control *control = tbuf_view_control(&t->view);
	uint64_t end = tbuf_load(&control->end);

	*chunk = tbuf_target_slot(t)->chunks[t->nchunks];
	if (chunk->at < t->area_end || chunk->at % TBUF_PAGE != 0 ||
	    chunk->at > end || chunk->size > end - chunk->at ||
	    chunk->size < size) {
		chunk->at = (end + TBUF_PAGE - 1) & ~(uint64_t)(TBUF_PAGE - 1);
		chunk->size = size;
	}
	return (chunk->at < t->area_end || chunk->at > TBUF_FILE_MAX ||
	    size > TBUF_FILE_MAX - chunk->at ||
	    chunk->at + size > tbuf_load(&control->window) ||
	    !tbuf_budget_file(chunk->at + size) ? -ENOSPC : 0);
}

/* Backs a chunk and n lanes.  The caller holds the lock on byte 0. */
static int
chunk_take(struct tbuf_target *t, uint32_t n, uint64_t size,
    struct tbuf_chunk *chunk)
{
	struct tbuf_control *control = tbuf_view_control(&t->view);
	int error = chunk_place(t, size, chunk);

	if (error == 0)
		error = tbuf_back(t->fd, t->area + t->layout.lanes +
		    t->nreaders * sizeof(struct tbuf_lane),
		    n * sizeof(struct tbuf_lane));
	if (error == 0 && (error = tbuf_room_back(t->fd, chunk->at, size)) != 0)
		(void)tbuf_file_punch(t->fd, chunk->at, size);
	if (error != 0)
		return (error);
	tbuf_target_slot(t)->chunks[t->nchunks++] = *chunk;
	if (chunk->at + size > tbuf_load(&control->end))
		tbuf_store_release(&control->end, chunk->at + size);
	return (0);
}

/* Adds n lanes; release: their words are stored before nlanes counts them. */
static void
lanes_add(struct tbuf_target *t, uint32_t n, uint64_t at)
{
	enum tbuf_policy policy = t->order.terms.policy;
	struct tbuf_slot *slot = tbuf_target_slot(t);
	struct tbuf_lane lane;
	uint32_t i;

	for (i = 0; i < n; i++) {
		tbuf_thread_lane_make(&lane, at, t->layout.thread_lane_size,
		    policy);
		*tbuf_target_lane(t, t->nreaders + i) = lane;
		tbuf_reader_make(t, t->nreaders + i, &lane);
		at += tbuf_lane_stride(t->layout.thread_lane_size, policy);
	}
	t->nreaders += n;
	tbuf_store_release(&slot->nlanes, t->nreaders);
	tbuf_add(&slot->released, 1);
}

/* Doubles the pool; the spare lane is not counted.  Returns 0 or -errno. */
static int
grow(struct tbuf_consumer *c, struct tbuf_target *t)
{
	uint32_t n = MIN(thread_lanes_of(t) - 1,
	    t->layout.nlanes_max - t->nreaders);
	struct tbuf_chunk chunk;
	uint64_t size;
	int error;

	if (n == 0 || t->nchunks == TBUF_NCHUNKS)
		return (-ENOSPC);
	size = n * tbuf_lane_stride(t->layout.thread_lane_size,
	    t->order.terms.policy);
	if (!tbuf_budget_take(c, size))
		return (-ENOSPC);
	if ((error = tbuf_consumer_lock(c, t->fd)) == 0) {
		error = chunk_take(t, n, size, &chunk);
		tbuf_file_unlock(t->fd, 0);
	}
	if (error != 0) {
		tbuf_budget_give(c, size);
		return (error);
	}
	t->charged += size;
	lanes_add(t, n, chunk.at);
	c->drain.stale = true;
	return (0);
}

/* ------------------------------------------------------------ the look */

/* Returns true if few lanes are free, as others are to be read. */
static bool
look(struct tbuf_consumer *c, struct tbuf_target *t, uint64_t now)
{
	struct free free = free_count(t);
	bool few = few_free(t, free.all), read,
	    more = t->nreaders < t->layout.nlanes_max && now >= t->next_pool;

	/* Lanes of dead threads are freed before any are added. */
	if ((few && more) ||
	    now >= t->swept + (few ? SWEEP_SOON : SWEEP_LATE)) {
		t->swept = now;
		sweep(t);
		free = free_count(t);
	}
	few = few_free(t, free.all - free.unread);
	read = few && free.unread != 0;
	if (few && more && grow(c, t) != 0)
		t->next_pool = now + GROW_RETRY;
	return (read);
}

bool
tbuf_pools_look(struct tbuf_consumer *c, uint64_t now)
{
	struct tbuf_target *t;
	bool read = false;

	TAILQ_FOREACH(t, &c->targets, link)
		if (has_pool(t) && thread_lanes_of(t) > 1)
			read |= look(c, t, now);
	return (read);
}
