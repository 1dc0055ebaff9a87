/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A round: what one look at the lanes made available, given one event at a
 * time.  Lanes come by CPU, then pid; after the lanes of one CPU and pid
 * their drops, and after everything the ends of targets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/internal.h"

/*
 * A record's time is taken a moment before it is committed.  The merge holds
 * back what is younger than this, lest such a record come too late.
 */
#define MERGE_MARGIN	UINT64_C(100000)

static int
compare(const void *a, const void *b)
{
	const struct tbuf_source *x = *(struct tbuf_source *const *)a;
	const struct tbuf_source *y = *(struct tbuf_source *const *)b;

	if (x->cpu != y->cpu)
		return (x->cpu < y->cpu ? -1 : 1);
	if (x->target != y->target && x->target->pid != y->target->pid)
		return (x->target->pid < y->target->pid ? -1 : 1);
	if (x->target->born != y->target->born)
		return (x->target->born < y->target->born ? -1 : 1);
	if (x->target != y->target)
		return (x->target < y->target ? -1 : 1);
	return (x->index < y->index ? -1 : x->index > y->index);
}

static bool
same_group(const struct tbuf_source *a, const struct tbuf_source *b)
{
	return (a->cpu == b->cpu && a->target == b->target);
}

static int
order_sources(struct tbuf_consumer *c)
{
	struct tbuf_round *r = &c->round;
	struct tbuf_source **order, **heap;
	struct tbuf_target *t;
	unsigned n = 0, i;

	TAILQ_FOREACH(t, &c->targets, link)
		n += t->nsources;
	order = reallocarray(r->order, n + 1, sizeof(*order));
	if (order == NULL)
		return (-ENOMEM);
	r->order = order;
	heap = reallocarray(r->heap, n + 1, sizeof(*heap));
	if (heap == NULL)
		return (-ENOMEM);
	r->heap = heap;
	if (r->chunk == NULL && (r->chunk = malloc(TBUF_CHUNK)) == NULL)
		return (-ENOMEM);
	r->count = 0;
	TAILQ_FOREACH(t, &c->targets, link)
		for (i = 0; i < t->nsources; i++)
			r->order[r->count++] = &t->sources[i];
	qsort(r->order, r->count, sizeof(*r->order), compare);
	r->stale = false;
	return (0);
}

/* Targets whose end was told in the round before are not needed any more. */
static void
drop_told(struct tbuf_consumer *c)
{
	struct tbuf_target *t, *next;

	TAILQ_FOREACH_SAFE(t, &c->targets, link, next)
		if (t->life == TBUF_TOLD)
			tbuf_target_free(c, t);
}

static bool
last(const struct tbuf_round *r)
{
	return ((r->what & TBUF_ROUND_LAST) != 0);
}

/* No more records will come of it: its process, or its image, is gone. */
static bool
ended(const struct tbuf_target *t)
{
	return (t->life == TBUF_DEAD || t->left);
}

static bool
due(const struct tbuf_consumer *c, const struct tbuf_target *t)
{
	if (t->life == TBUF_TOLD || !t->active)
		return (false);
	if (ended(t) || last(&c->round))
		return (true);
	return (t->order.policy == TBUF_SWITCH &&
	    (c->round.what & TBUF_ROUND_SWITCH) != 0);
}

static void
restart(struct tbuf_round *r)
{
	r->group = r->cursor = r->counter = 0;
	r->pending = true;
}

/* Merging needs a piece of every lane at a time; otherwise one is enough. */
static int
give_chunk(struct tbuf_consumer *c, struct tbuf_source *s)
{
	if (!c->options.temporal)
		s->chunk = c->round.chunk;
	else if (s->own == NULL && s->position < s->mark) {
		if ((s->own = malloc(TBUF_CHUNK_OWN)) == NULL)
			return (-ENOMEM);
		s->chunk = s->own;
	}
	return (0);
}

static int
prepare(struct tbuf_consumer *c)
{
	struct tbuf_round *r = &c->round;

	r->pending = false;
	drop_told(c);
	if (r->stale && order_sources(c) != 0)
		return (-ENOMEM);
	r->snapshot = false;
	r->until = last(r) ? UINT64_MAX : tbuf_now() - MERGE_MARGIN;
	return (0);
}

static void
calibrate(struct tbuf_target *t)
{
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (t->view.base + t->area);

	tbuf_timeline_update(&t->time, NULL);
	session->now = t->time.latest;
}

int
tbuf_round_begin(struct tbuf_consumer *c, unsigned what)
{
	struct tbuf_round *r = &c->round;
	struct tbuf_source *s;
	struct tbuf_target *t;
	unsigned i;

	r->what = what;
	if (prepare(c) != 0)
		return (-ENOMEM);
	for (i = 0; i < r->count; i++) {
		s = r->order[i];
		s->mark = s->position;
		if (due(c, s->target))
			tbuf_source_mark(s, s->target->order.policy);
		if (give_chunk(c, s) != 0)
			return (-ENOMEM);
	}
	TAILQ_FOREACH(t, &c->targets, link)
		if (due(c, t) && !t->file_only)
			calibrate(t);
	restart(r);
	r->exits = TAILQ_FIRST(&c->targets);
	if ((r->merging = c->options.temporal != 0))
		tbuf_merge_begin(c);
	return (0);
}

int
tbuf_round_snapshot(struct tbuf_consumer *c)
{
	struct tbuf_round *r = &c->round;
	struct tbuf_target *t;
	unsigned i;
	int error = 0;

	r->what = 0;
	if (prepare(c) != 0)
		return (-ENOMEM);
	r->until = UINT64_MAX;
	r->snapshot = true;
	for (i = 0; i < r->count && error == 0; i++)
		if (r->order[i]->target->life == TBUF_ALIVE) {
			tbuf_source_mark(r->order[i], TBUF_RING);
			error = tbuf_source_copy(r->order[i]);
		}
	for (i = 0; i < r->count && error != 0; i++)
		tbuf_source_forget(r->order[i]);
	if (error != 0)
		return (error);
	TAILQ_FOREACH(t, &c->targets, link)
		if (t->active && !t->file_only)
			tbuf_timeline_update(&t->time, NULL);
	restart(r);
	r->exits = NULL;
	if ((r->merging = c->options.temporal != 0))
		tbuf_merge_begin(c);
	return (0);
}

/* What a counter has gained in all lanes of the group since it was told. */
static uint64_t
group_gain(const struct tbuf_round *r, unsigned counter)
{
	struct tbuf_source *s;
	uint64_t now, gain = 0;
	unsigned i;

	for (i = r->group; i < r->cursor; i++) {
		s = r->order[i];
		now = tbuf_source_counter(s, counter);
		if (now > s->told[counter])
			gain += now - s->told[counter];
		s->told[counter] = now;
	}
	return (gain);
}

/* Are this group's counters told in this round? */
static bool
counter_due(const struct tbuf_round *r, const struct tbuf_target *t,
    unsigned counter)
{
	if (t->life == TBUF_TOLD || !t->active || r->snapshot)
		return (false);
	if (last(r) || ended(t))
		return (true);
	return ((r->what & TBUF_ROUND_STATUS) != 0 &&
	    counter != TBUF_OVERWRITTEN);
}

static int
next_counter(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_round *r = &c->round;
	const struct tbuf_source *s = r->order[r->group];
	uint64_t gain;

	for (; r->counter < TBUF_COUNTERS; r->counter++) {
		if (!counter_due(r, s->target, r->counter) ||
		    (r->counter == TBUF_OVERWRITTEN &&
		    s->target->order.policy != TBUF_RING))
			continue;
		if ((gain = group_gain(r, r->counter)) == 0)
			continue;
		if (r->counter == TBUF_OVERWRITTEN) {
			tbuf_event_count(event, TBUF_EVENT_OVERWRITTEN, s, gain);
			c->totals.overwritten += gain;
		} else {
			tbuf_event_count(event, TBUF_EVENT_DROPS, s, gain);
			event->cause = (enum tbuf_cause)r->counter;
			c->totals.drops += gain;
		}
		r->counter++;
		return (1);
	}
	return (0);
}

/* The merge holds records back; their target's end is told after them. */
static bool
emptied(const struct tbuf_target *t)
{
	unsigned i;

	for (i = 0; i < t->nsources; i++)
		if (t->sources[i].position < t->sources[i].mark)
			return (false);
	return (true);
}

/*
 * A process that called exec may be several targets, one an image; its end is
 * told once, by the last of them.  True if that is another one.
 */
static bool
leave_to_other(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_target *o;

	TAILQ_FOREACH(o, &c->targets, link) {
		if (o == t || o->pid != t->pid || o->life == TBUF_TOLD ||
		    o->file_only || tbuf_view_control(&o->view)->start !=
		    tbuf_view_control(&t->view)->start)
			continue;
		if (t->child) {
			o->child = true;
			o->exit_status = t->exit_status;
			o->exit_signal = t->exit_signal;
		}
		return (true);
	}
	return (false);
}

static int
next_exit(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_round *r = &c->round;
	struct tbuf_target *t;

	while ((t = r->exits) != NULL) {
		r->exits = TAILQ_NEXT(t, link);
		if (!emptied(t))
			continue;
		if (t->left)
			t->active = false;
		if (t->replaced && !t->active)
			t->life = TBUF_TOLD;
		if (t->life != TBUF_DEAD)
			continue;
		t->life = TBUF_TOLD;
		r->stale = true;
		if (t->file_only || leave_to_other(c, t))
			continue;
		event->type = TBUF_EVENT_EXIT;
		event->pid = t->pid;
		event->cpu = -1;
		event->child = t->child;
		event->status = t->exit_status;
		event->signal = t->exit_signal;
		return (1);
	}
	return (0);
}

static int
next_grouped(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_round *r = &c->round;
	struct tbuf_source *s;

	while (r->group < r->count) {
		s = r->cursor < r->count ? r->order[r->cursor] : NULL;
		if (s != NULL && same_group(s, r->order[r->group])) {
			if (!c->options.temporal &&
			    tbuf_source_event(c, s, event) == 1)
				return (1);
			tbuf_source_release(s);
			r->cursor++;
			continue;
		}
		if (next_counter(c, event) == 1)
			return (1);
		r->group = r->cursor;
		r->counter = 0;
	}
	return (0);
}

static void
finish(struct tbuf_round *r)
{
	unsigned i;

	r->pending = false;
	for (i = 0; i < r->count && r->snapshot; i++)
		tbuf_source_forget(r->order[i]);
}

int
tbuf_consumer_next(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_round *r = &c->round;

	if (!r->pending)
		return (0);
	if (r->merging) {
		if (tbuf_merge_next(c, event) == 1)
			return (1);
		r->merging = false;
	}
	if (next_grouped(c, event) == 1 || next_exit(c, event) == 1)
		return (1);
	finish(r);
	return (0);
}

void
tbuf_round_free(struct tbuf_consumer *c)
{
	free(c->round.order);
	free(c->round.heap);
	free(c->round.chunk);
	memset(&c->round, 0, sizeof(c->round));
}
