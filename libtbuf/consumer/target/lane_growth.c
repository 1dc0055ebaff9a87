/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes that grow.  A child that is followed builds its session when it
 * begins, and most end soon: it backs the first half of the lane of its CPU
 * and a little of the others.  The rest is backed here, when a part of that is
 * in use, when the child has lived for a while, or at a switch.
 */
#include "arch/atomics.h"
#include "shared/control_file.h"
#include "shared/memory_limit.h"
#include "shared/lane_usage.h"
#include "consumer/target/target.h"

/* Looks at a new target: after so long, twice as long, ... till the last. */
#define GROWTH_FIRST	(TBUF_SECOND / 1000)
#define GROWTH_LAST	(GROWTH_FIRST << 8)

#define GROWTH_LIVES	(GROWTH_FIRST << 2)	/* three of them old */

#define USED_PART	8	/* of a small lane: much of it */

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

/* Who built the session need not have looked whether there is room for all. */
bool
tbuf_source_grow(struct tbuf_source *s, uint64_t limit)
{
	struct tbuf_target *t = s->target;

	if (limit > s->storage)
		limit = s->storage;
	if (limit <= s->backed)
		return (true);
	if (t->life != TBUF_ALIVE || t->session != TBUF_SESSION_ACTIVE ||
	    t->truncated || tbuf_room_back(t->fd, s->data + s->backed,
	    limit - s->backed) != 0)
		return (false);
	s->backed = limit;
	return (true);
}

/*
 * How far a lane may be filled; nothing has been read of it yet, so that its
 * first half is its size.  A child that ends soon leaves a little in each lane
 * that it came by; one that has used more than so much of what there is may
 * need all of it before the next look.  One that lives on has what any other
 * program begins with, for the looks come less and less often.
 */
static uint64_t
wanted(const struct tbuf_source *s, uint64_t growth)
{
	uint64_t head = tbuf_load(&s->lane->head);

	if (growth >= GROWTH_LAST)
		return (s->size);
	if (growth < GROWTH_LIVES)
		return (head > s->limit / USED_PART ? s->size : s->limit);
	return (head != 0 || s->size < TBUF_USAGE_OTHERS ? s->size :
	    TBUF_USAGE_OTHERS);
}

static void
look(struct tbuf_source *s, uint64_t growth)
{
	uint64_t limit = wanted(s, growth);

	if (limit <= s->limit || !tbuf_source_grow(s, limit))
		return;
	s->limit = limit;
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
		look(&t->sources[i], t->growth);
	t->next_growth = now + t->growth;
	t->growth = last || t->life != TBUF_ALIVE ? 0 : 2 * t->growth;
}
