/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes that grow.  A followed child builds its session when it begins, and
 * most children end soon: it backs the first half of its CPU's lane, and a
 * little of the others.  The rest is backed here: when enough of that is in
 * use, when the child has lived for a while, or at a switch.
 */
#include "arch/atomics.h"
#include "consumer/target/target.h"
#include "shared/lane_usage.h"
#include "shared/memory_limit.h"

/* First and longest time between looks at a new target. */
#define GROWTH_FIRST	(TBUF_SECOND / 1000)
#define GROWTH_LAST	(GROWTH_FIRST << 8)

/*
 * Looks, GROWTH_FIRST apart, before a target is one that lives on.  On a busy
 * machine a short program takes many times as long as it runs.
 */
#define GROWTH_YOUNG	16u

#define USED_PART	8	/* 1/8 of a small lane in use: it grows */

void
tbuf_lanes_small(struct tbuf_target *t, const struct tbuf_lane *lanes)
{
	struct tbuf_reader *r;
	uint32_t i;

	if ((t->order.terms.flags & TBUF_S_GROW) == 0 ||
	    !tbuf_policy(t->order.terms.policy)->live)
		return;
	for (i = 0; i < t->nreaders; i++) {
		r = &t->readers[i];
		if (lanes[i].limit < r->limit)
			r->limit = lanes[i].limit & ~UINT64_C(7);
		r->backed = r->limit;
	}
	t->growth = GROWTH_FIRST;
}

/*
 * To read the limits of memory takes longer than to back a small lane.  So an
 * answer of the last ROOM_TIME is used, as long as the lanes that have grown
 * since take a small part of that room.
 */
#define ROOM_TIME	(TBUF_SECOND / 10)
#define ROOM_PART	64u

/* Of all consumers of this process: the runtime directory is the same. */
static uint64_t room_time;	/* of the last look, ns */
static uint64_t room_left;	/* bytes that need no look */

static int
back(int fd, uint64_t at, uint64_t size)
{
	uint64_t now = tbuf_now(), left = tbuf_load(&room_left);
	int error;

	if (now - tbuf_load(&room_time) < ROOM_TIME && size <= left &&
	    tbuf_cas(&room_left, left, left - size))
		return (tbuf_back(fd, at, size));
	if ((error = tbuf_room_back(fd, at, size)) != 0)
		return (error);
	tbuf_store(&room_left, tbuf_room(fd) / ROOM_PART);
	tbuf_store(&room_time, now);
	return (0);
}

/* The builder of the session may not have checked for room for all of it. */
bool
tbuf_reader_grow(struct tbuf_reader *r, uint64_t limit)
{
	struct tbuf_target *t = r->target;

	limit = MIN(limit, r->storage);
	if (limit <= r->backed)
		return (true);
	if (t->state != TBUF_ALIVE || t->session != TBUF_SESSION_ACTIVE ||
	    t->truncated || back(t->fd, r->data + r->backed,
	    limit - r->backed) != 0)
		return (false);
	r->backed = limit;
	return (true);
}

/*
 * Returns how far a lane may be filled.  Nothing has been read of it yet, so
 * that its first half is `size`.  A short-lived child uses a little of each
 * lane that it runs on; if more than 1/USED_PART of the limit is used, all of
 * the lane may be needed before the next look.  A child that lives on gets the
 * size that other programs begin with, because looks become rarer.
 */
static uint64_t
wanted(const struct tbuf_reader *r)
{
	uint64_t head = tbuf_load(&r->lane->head);

	if (r->target->growth >= GROWTH_LAST)
		return (r->size);
	if (r->target->looks < GROWTH_YOUNG)
		return (head > r->limit / USED_PART ? r->size : r->limit);
	return (head != 0 || r->size < TBUF_USAGE_OTHERS ? r->size :
	    TBUF_USAGE_OTHERS);
}

static void
look(struct tbuf_reader *r)
{
	uint64_t limit = wanted(r);

	if (limit <= r->limit || !tbuf_reader_grow(r, limit))
		return;
	r->limit = limit;
	/* Release: the storage up to the limit has been backed. */
	tbuf_store_release(&r->lane->limit, r->limit);
}

void
tbuf_lanes_look(struct tbuf_target *t, uint64_t now)
{
	bool last = t->growth >= GROWTH_LAST;
	uint32_t i;

	if (t->growth == 0 || now < t->next_growth)
		return;
	for (i = 0; i < t->nreaders; i++)
		look(&t->readers[i]);
	t->next_growth = now + t->growth;
	if (last || t->state != TBUF_ALIVE)
		t->growth = 0;
	else if (t->looks < GROWTH_YOUNG)
		t->looks++;
	else
		t->growth *= 2;
}
