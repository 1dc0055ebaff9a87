/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Binds a lane of the session's pool to this thread: thread_lane.h.  As
 * async-signal-safe as fire.c.
 */
#include "base/optimize_size.h"

#include "shared/atomic_step.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/lane/thread_lane.h"
#include "target/self/thread.h"

/* Attempts at a claim: another thread may be first. */
#define TRIES		16

/*
 * A thread caches its last session with thread lanes in one word,
 * tbuf_thread.thread_lane: the index of its lane, or NONE with the value of
 * slot.released at that time; above them the session's generation.
 */
#define INDEX_BITS	16
#define SEEN_BITS	16

bool
tbuf_pool_find(const struct tbuf_fire *f, struct tbuf_pool *pool)
{
	const struct tbuf_slot *slot = f->slot;
	uint64_t end = tbuf_file_end(f->base), at = tbuf_load(&slot->holders);
	uint32_t first = tbuf_load(&slot->first_thread_lane);
	uint32_t n = tbuf_load_acquire(&slot->nlanes);

	if (at < TBUF_TABLES || at % sizeof(struct tbuf_holder) != 0 ||
	    n > TBUF_NLANES || first >= n)
		return (false);
	pool->count = n - first;
	pool->lanes = tbuf_load(&slot->lanes) +
	    first * sizeof(struct tbuf_lane);
	pool->holders = (struct tbuf_holder *)(uintptr_t)(f->base + at);
	return (at <= end && pool->count * sizeof(struct tbuf_holder) <=
	    end - at && pool->lanes >= TBUF_TABLES && pool->lanes % 64 == 0 &&
	    pool->lanes <= end && pool->count * sizeof(struct tbuf_lane) <=
	    end - pool->lanes);
}

/*
 * Returns the rank of a free lane; the lowest is taken: the lane idle longest,
 * then lanes with unread records, last the spare.
 */
static uint64_t
rank(const struct tbuf_fire *f, const struct tbuf_pool *pool, uint32_t i)
{
	const struct tbuf_lane *lane = (const struct tbuf_lane *)(uintptr_t)
	    (f->base + pool->lanes) + i;
	uint64_t last = tbuf_load(&lane->last) >> 2;
	bool ring = tbuf_load(&f->slot->terms.policy) == TBUF_RING;

	if (i == 0)
		return (UINT64_MAX);
	if (!ring && tbuf_load(&lane->head) != tbuf_load(&lane->tail))
		last |= UINT64_C(1) << 62;
	return (last);
}

/* Returns the free lane of lowest rank, or NONE. */
static uint32_t
choose(const struct tbuf_fire *f, const struct tbuf_pool *pool)
{
	uint32_t best = TBUF_THREAD_LANE_NONE, i;
	uint64_t least = UINT64_MAX, r;

	for (i = 0; i < pool->count; i++) {
		if (tbuf_load(&pool->holders[i].state) != TBUF_LANE_FREE)
			continue;
		r = rank(f, pool, i);
		if (best == TBUF_THREAD_LANE_NONE || r < least) {
			best = i;
			least = r;
		}
	}
	return (best);
}

enum tbuf_outcome
tbuf_thread_lane_claim(const struct tbuf_fire *f, const struct tbuf_memo *memo,
    const struct tbuf_pool *pool, uint64_t instance, uint32_t *index)
{
	uint64_t old[2] = { tbuf_holder_word(TBUF_LANE_FREE, 0), 0 };
	const uint64_t new[2] = {
		tbuf_holder_word(TBUF_LANE_BOUND, tbuf_thread.tid), instance
	};
	struct tbuf_holder *holder;

	if ((*index = choose(f, pool)) == TBUF_THREAD_LANE_NONE)
		return (TBUF_COMMITTED);
	holder = &pool->holders[*index];
	old[1] = tbuf_load(&holder->instance);
	return (tbuf_step_swap_pair(memo, (uint64_t *)(void *)holder, old,
	    new));
}

enum tbuf_outcome
tbuf_thread_lane_free(const struct tbuf_fire *f, const struct tbuf_memo *memo,
    const struct tbuf_pool *pool, uint64_t instance, uint32_t index)
{
	const uint64_t old[2] = {
		tbuf_holder_word(TBUF_LANE_BOUND, tbuf_thread.tid), instance
	};
	const uint64_t new[2] = {
		tbuf_holder_word(TBUF_LANE_FREE, 0), instance
	};
	enum tbuf_outcome outcome = tbuf_step_swap_pair(memo,
	    (uint64_t *)(void *)&pool->holders[index], old, new);

	/* A late count reaches another session, where it is only a hint. */
	if (outcome == TBUF_COMMITTED)
		tbuf_add(&f->slot->released, 1);
	return (outcome);
}

uint32_t
tbuf_thread_lane_own(const struct tbuf_pool *pool, uint64_t instance)
{
	const struct tbuf_holder *h;
	uint32_t i;

	for (i = 0; i < pool->count; i++) {
		h = &pool->holders[i];
		if (tbuf_load(&h->instance) == instance &&
		    tbuf_load(&h->state) == TBUF_LANE_BOUND)
			return (i);
	}
	return (TBUF_THREAD_LANE_NONE);
}

/* ------------------------------------------------- lanes of threads */

static uint64_t
memory_of(const struct tbuf_fire *f, uint32_t seen, uint32_t index)
{
	return (f->generation << (INDEX_BITS + SEEN_BITS) |
	    (uint64_t)(seen & 0xffff) << INDEX_BITS | index);
}

/* Returns true if the cached word is valid: NONE only until a lane is freed. */
static bool
recall(const struct tbuf_fire *f, uint64_t word, uint32_t released,
    uint32_t *index)
{
	*index = word & TBUF_THREAD_LANE_NONE;
	return (word == memory_of(f, *index == TBUF_THREAD_LANE_NONE ?
	    released : 0, *index));
}

static void
give_back(const struct tbuf_fire *f, const struct tbuf_memo *memo,
    const struct tbuf_pool *pool, uint64_t number, uint32_t index)
{
	unsigned try;

	for (try = 0; try < TRIES; try++)
		if (tbuf_thread_lane_free(f, memo, pool, number, index) ==
		    TBUF_COMMITTED)
			break;
}

/*
 * Makes one attempt: finds the lane that this thread has, or claims one.  If a
 * handler binds a lane first, that is the thread's.
 */
static enum tbuf_outcome
bind(const struct tbuf_fire *f, const struct tbuf_memo *memo,
    const struct tbuf_pool *pool, uint32_t *index)
{
	uint64_t *word = &tbuf_thread.thread_lane, seen = tbuf_load(word);
	uint64_t number = tbuf_thread_own_number();
	uint32_t released = tbuf_load(&f->slot->released);
	bool claimed;

	if (recall(f, seen, released, index))
		return (TBUF_COMMITTED);
	*index = tbuf_thread_lane_own(pool, number);
	claimed = *index == TBUF_THREAD_LANE_NONE;
	if (claimed && tbuf_thread_lane_claim(f, memo, pool, number, index) !=
	    TBUF_COMMITTED)
		return (TBUF_CHANGED);
	claimed &= *index != TBUF_THREAD_LANE_NONE;
	if (tbuf_cas(word, seen, memory_of(f,
	    *index == TBUF_THREAD_LANE_NONE ? released : 0, *index))) {
		if (claimed)
			tbuf_thread_exit_key_set();
		return (TBUF_COMMITTED);
	}
	if (claimed)
		give_back(f, memo, pool, number, *index);
	return (TBUF_CHANGED);
}

bool
tbuf_thread_lane_place(const struct tbuf_fire *f, const struct tbuf_memo *memo,
    struct tbuf_place *place)
{
	struct tbuf_pool pool;
	uint32_t index;
	unsigned try;

	if ((tbuf_load(&f->slot->terms.flags) & TBUF_S_THREAD) == 0 ||
	    tbuf_load(&tbuf_thread.thread_lane_busy) != 0 ||
	    tbuf_thread.shared != 0 || !tbuf_pool_find(f, &pool))
		return (false);
	for (try = 0; try < TRIES; try++) {
		if (bind(f, memo, &pool, &index) == TBUF_COMMITTED)
			return (index < pool.count && tbuf_lane_place(f->base,
			    pool.lanes + index * sizeof(struct tbuf_lane),
			    place));
		if (!tbuf_fire_current(f))
			break;
	}
	return (false);
}
