/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes that grow.  A child that is followed builds its session when it
 * begins, and most end soon: it backs the first half of the lane of its CPU
 * and a little of the others.  The rest is backed here, when a lane is written
 * to, when the child has lived for a while, or at a switch.
 */
#include "atomics.h"
#include "common/control.h"
#include "common/room.h"
#include "consumer/targets.h"

/* Looks at a new target: after so long, twice as long, ... till the last. */
#define GROWTH_FIRST	(TBUF_SECOND / 1000)
#define GROWTH_LAST	(GROWTH_FIRST << 8)

void
tbuf_lanes_small(struct tbuf_target *t, const struct tbuf_lane *lanes)
{
	struct tbuf_source *s;
	uint32_t i;

	if ((t->order.terms.flags & TBUF_S_GROW) == 0 ||
	    !tbuf_policy(t->order.terms.policy)->live)
		return;
	for (i = 0; i < t->nsources; i++) {
		s = &t->sources[i];
		if (lanes[i].limit < s->limit)
			s->limit = lanes[i].limit & ~UINT64_C(7);
		s->backed = s->limit;
	}
	t->growth = GROWTH_FIRST;
}

/*
 * Who built the session has seen to it that there was room for all of it;
 * beyond the first piece one looks again.
 */
static int
back(struct tbuf_target *t, uint64_t offset, uint64_t size)
{
	int error = t->grown + size <= TBUF_ROOM_PIECE ?
	    tbuf_back(t->fd, offset, size) :
	    tbuf_room_back(t->fd, offset, size);

	if (error == 0)
		t->grown += size;
	return (error);
}

bool
tbuf_source_grow(struct tbuf_source *s, uint64_t limit)
{
	struct tbuf_target *t = s->target;

	if (limit > s->storage)
		limit = s->storage;
	if (limit <= s->backed)
		return (true);
	if (t->life != TBUF_ALIVE || t->session != TBUF_SESSION_ACTIVE ||
	    t->truncated || back(t, s->data + s->backed,
	    limit - s->backed) != 0)
		return (false);
	s->backed = limit;
	return (true);
}

/* Nothing has been read of the lane yet: its first half is its size. */
static void
look(struct tbuf_source *s, bool last)
{
	if (s->limit >= s->size ||
	    (!last && tbuf_load(&s->lane->head) == 0) ||
	    !tbuf_source_grow(s, s->size))
		return;
	s->limit = s->size;
	/* Release: what it allows has been backed. */
	tbuf_store_release(&s->lane->limit, s->limit);
}

void
tbuf_lanes_look(struct tbuf_target *t, uint64_t now)
{
	bool last = t->growth >= GROWTH_LAST;
	uint32_t i;

	if (t->growth == 0 || now < t->next_growth)
		return;
	for (i = 0; i < t->nsources; i++)
		look(&t->sources[i], last);
	t->next_growth = now + t->growth;
	t->growth = last || t->life != TBUF_ALIVE ? 0 : 2 * t->growth;
}
