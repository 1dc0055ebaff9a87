/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A drain (struct tbuf_drain) returns all events that one look at the lanes
 * made available.  Lanes come by CPU, then pid; after the lanes of one CPU and
 * pid come their drops, and last the ends of targets.  Thread lanes, which
 * belong to no CPU, come after the others, each by itself.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"

#define EARLY_WAIT	50000	/* ns to wait for a ring's next record */
#define EARLY_MOST	2000000	/* ns to retry copies that are overtaken */

#define SIGN_CALLS	64	/* a look at the clock costs as a record does */

/* resync.c looks a record ahead. */
_Static_assert(TBUF_CHUNK / 2 >= TBUF_RECORD_MAX / 2 * 3, "bytes to fetch");

static int
compare(const void *a, const void *b)
{
	const struct tbuf_reader *x = *(struct tbuf_reader *const *)a;
	const struct tbuf_reader *y = *(struct tbuf_reader *const *)b;

	if (x->is_thread_lane != y->is_thread_lane)
		return (x->is_thread_lane ? 1 : -1);
	if (x->cpu != y->cpu)
		return (x->cpu < y->cpu ? -1 : 1);
	if (x->target != y->target && x->target->pid != y->target->pid)
		return (x->target->pid < y->target->pid ? -1 : 1);
	if (x->target->start_time != y->target->start_time)
		return (x->target->start_time < y->target->start_time ? -1 : 1);
	if (x->target != y->target)
		return (x->target < y->target ? -1 : 1);
	return (x->index < y->index ? -1 : x->index > y->index);
}

static bool
same_group(const struct tbuf_reader *a, const struct tbuf_reader *b)
{
	return (a->cpu == b->cpu && a->target == b->target &&
	    (a == b || !(a->is_thread_lane || b->is_thread_lane)));
}

static int
order_readers(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_reader **order, **heap;
	struct tbuf_target *t;
	unsigned n = 0, i;

	TAILQ_FOREACH(t, &c->targets, link)
		n += t->nreaders;
	order = reallocarray(d->order, n + 1, sizeof(*order));
	if (order == NULL)
		return (-ENOMEM);
	d->order = order;
	heap = reallocarray(d->heap, n + 1, sizeof(*heap));
	if (heap == NULL)
		return (-ENOMEM);
	d->heap = heap;
	if (d->chunk == NULL && (d->chunk = malloc(TBUF_CHUNK)) == NULL)
		return (-ENOMEM);
	d->count = 0;
	TAILQ_FOREACH(t, &c->targets, link)
		for (i = 0; i < t->nreaders; i++)
			d->order[d->count++] = &t->readers[i];
	qsort(d->order, d->count, sizeof(*d->order), compare);
	d->stale = false;
	return (0);
}

/* Returns true if a target records no more in this session. */
static bool
ended(const struct tbuf_target *t)
{
	return (t->state != TBUF_ALIVE);
}

/* Frees a snapshot's copies of live targets' lanes, returned or not. */
static void
forget_copies(struct tbuf_drain *d)
{
	unsigned i;

	for (i = 0; d->snapshot && i < d->count; i++)
		if (!ended(d->order[i]->target))
			tbuf_reader_forget(d->order[i]);
	d->snapshot = false;
}

void
tbuf_drain_end(struct tbuf_consumer *c)
{
	struct tbuf_target *t, *next;

	c->drain.pending = false;
	c->drain.fast.reader = NULL;
	forget_copies(&c->drain);
	TAILQ_FOREACH_SAFE(t, &c->targets, link, next) {
		if (t->state != TBUF_REPORTED)
			continue;
		/* A target may have ended before its probes were read. */
		tbuf_target_probes(c, t);
		tbuf_target_free(c, t);
	}
}

static bool
last(const struct tbuf_drain *d)
{
	return ((d->what & TBUF_DRAIN_LAST) != 0);
}

/*
 * Returns true if lanes of live targets are switched.  In a merge they are also
 * when a target ends: its last records must not come before older ones.
 */
static bool
switches(const struct tbuf_consumer *c)
{
	return ((c->drain.what & TBUF_DRAIN_SWITCH) != 0 ||
	    (c->options.temporal && (c->drain.what & TBUF_DRAIN_ENDED) != 0));
}

/*
 * Returns true if this drain reads the lanes of a target.  A command sets their
 * kinds and its clock before its first record, which may be at any moment of a
 * drain.  So they are read only if it was seen to be live before.
 */
static bool
due(const struct tbuf_consumer *c, const struct tbuf_target *t)
{
	if (t->state == TBUF_REPORTED || !tbuf_session_holds(t))
		return (false);
	if (ended(t) || last(&c->drain))
		return (true);
	return (t->live && tbuf_policy(t->order.terms.policy)->live &&
	    switches(c));
}

/* Returns true if records after the watermark are held back. */
static bool
holds_back(const struct tbuf_consumer *c)
{
	return (c->options.temporal && !last(&c->drain) &&
	    tbuf_policy(c->options.bufpolicy)->live && switches(c));
}

/* Returns true if a live target's file is read, as of one moment. */
static bool
any_changing(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->file_only && t->changing)
			return (true);
	return (false);
}

static void
restart(struct tbuf_drain *d)
{
	d->group = d->cursor = d->counter = d->packets = 0;
	d->packets_done = false;
	d->packet_losses = NULL;
	d->pending = true;
}

/* Returns true if this drain reads the target's file as of one moment. */
static bool
is_cut(const struct tbuf_consumer *c, const struct tbuf_target *t)
{
	return (c->drain.cut && !c->drain.snapshot && due(c, t) &&
	    t->file_only && t->changing);
}

void
tbuf_drain_hold(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (is_cut(c, t))
			tbuf_units_hold(t);
}

/*
 * Running on each CPU may take milliseconds if a CPU is busy.  A ring that is
 * written at full speed has wrapped by then, and its records are later than the
 * watermark: so it is copied before.
 */
int
tbuf_drain_early(struct tbuf_consumer *c)
{
	const struct tbuf_drain *d = &c->drain;
	struct tbuf_target *t;
	uint64_t waited;
	unsigned i;
	bool all;

	if (!d->cut)
		return (0);
	TAILQ_FOREACH(t, &c->targets, link)
		if (is_cut(c, t) && tbuf_units_copy(c, t) != 0)
			return (-ENOMEM);
	do {
		waited = tbuf_now() - d->noted;
		for (all = true, i = 0; i < d->count; i++) {
			t = d->order[i]->target;
			if (d->snapshot ? !ended(t) : is_cut(c, t))
				all &= tbuf_reader_early(d->order[i],
				    waited > EARLY_WAIT);
		}
	} while (!all && waited < EARLY_MOST);
	return (0);
}

/* Sets a lane's chunk: its own for a merge, else the one of the drain. */
static int
give_chunk(struct tbuf_consumer *c, struct tbuf_reader *r)
{
	if (r->snapshot)
		return (0);
	/* Packets have all that was fetched, and leave no rest for another. */
	r->most = c->options.packetsize;
	if (r->most == 0 || r->most > TBUF_CHUNK)
		r->most = TBUF_CHUNK;
	r->most = TBUF_CHUNK / r->most * r->most;
	if (!c->options.temporal)
		r->chunk = c->drain.chunk;
	else if (r->own == NULL && r->position < r->end) {
		if ((r->own = malloc(TBUF_CHUNK_OWN)) == NULL)
			return (-ENOMEM);
		r->chunk = r->own;
	}
	return (0);
}

static int
prepare(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_target *t;

	tbuf_drain_end(c);
	TAILQ_FOREACH(t, &c->targets, link)
		if (!t->file_only)
			tbuf_target_refresh(t);
	if (d->stale && order_readers(c) != 0)
		return (-ENOMEM);
	d->until = UINT64_MAX;
	/* Other policies return records twice, or at their target's end. */
	if (!tbuf_policy(c->options.bufpolicy)->live)
		d->merged = 0;
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

static int
bound(struct tbuf_reader *r)
{
	if (r->target->file_only)
		return (tbuf_reader_look(r));
	tbuf_reader_bound(r, r->target->order.terms.policy);
	return (0);
}

/*
 * Limits the script's records: those of timers wait, too, while older records
 * of targets may be held back.
 */
static void
limit_script(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;

	if (holds_back(c))
		d->until_script = d->until;
	else if (last(d) || !c->options.temporal ||
	    !tbuf_policy(c->options.bufpolicy)->live)
		d->until_script = UINT64_MAX;
}

int
tbuf_drain_begin(struct tbuf_consumer *c, unsigned what)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_reader *r;
	struct tbuf_target *t;
	unsigned i;
	int error = 0;

	d->what = what;
	d->drops = (what & TBUF_DRAIN_STATUS) != 0 || c->options.dropsoon;
	if (c->script != NULL)
		tbuf_script_drain(c->script,
		    last(d) || switches(c),
		    (what & (TBUF_DRAIN_STATUS | TBUF_DRAIN_LAST)) != 0 &&
		    c->replay == NULL);
	if (prepare(c) != 0)
		return (-ENOMEM);
	d->cut = any_changing(c) && !holds_back(c);
	if ((d->cut || holds_back(c)) && tbuf_watermark_note(c) != 0)
		return (-ENOMEM);
	/* Commit records of these are below the next ends, or refused. */
	tbuf_batches_clean(c);
	tbuf_units_look(c);
	for (i = 0; i < d->count && error == 0; i++) {
		tbuf_consumer_sign(c);
		r = d->order[i];
		r->end = r->position;
		if (due(c, r->target))
			error = bound(r);
		if (error == 0)
			error = give_chunk(c, r);
	}
	/* Tables of targets that have ended cannot be read later. */
	if (error == 0)
		error = tbuf_tables_read(c);
	if (error != 0)
		return (error);
	TAILQ_FOREACH(t, &c->targets, link) {
		tbuf_batches_due(t, due(c, t));
		tbuf_units_age(c, t, !ended(t) && !last(d));
		if (due(c, t) && !t->file_only)
			calibrate(t);
	}
	if (d->cut || holds_back(c))
		d->until = tbuf_watermark_time(c);
	TAILQ_FOREACH(t, &c->targets, link)
		if (is_cut(c, t))
			tbuf_units_cut(c, t);
	limit_script(c);
	restart(d);
	d->limits = d->exits = TAILQ_FIRST(&c->targets);
	d->packet_losses = d->limits;
	d->lost = NULL;
	if ((d->merging = c->options.temporal != 0))
		tbuf_merge_begin(c);
	return (0);
}

int
tbuf_drain_snapshot(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_target *t;
	unsigned i;
	int error = 0;

	d->what = 0;
	if (prepare(c) != 0)
		return (-ENOMEM);
	d->snapshot = d->cut = true;
	error = tbuf_watermark_note(c);
	for (i = 0; i < d->count && error == 0; i++) {
		t = d->order[i]->target;
		if (!t->live || ended(t) || d->order[i]->snapshot)
			continue;
		tbuf_reader_bound(d->order[i], t->order.terms.policy);
		error = tbuf_reader_copy(d->order[i]);
	}
	if (error != 0) {
		forget_copies(d);
		return (error);
	}
	TAILQ_FOREACH(t, &c->targets, link)
		if (tbuf_session_holds(t) && !t->file_only)
			tbuf_timeline_update(&t->time, NULL);
	d->until = tbuf_watermark_time(c);
	restart(d);
	d->limits = d->exits = NULL;
	if ((d->merging = c->options.temporal != 0))
		tbuf_merge_begin(c);
	return (0);
}

/*
 * Sets an event's count to a counter's increase in the group's lanes since its
 * last report, and its times to the gap that contains those of all lanes.
 */
static void
group_gain(const struct tbuf_drain *d, unsigned counter,
    struct tbuf_event *event)
{
	uint64_t gain, reported, after, before;
	struct tbuf_reader *r;
	unsigned i;

	event->count = 0;
	for (i = d->group; i < d->cursor; i++) {
		r = d->order[i];
		reported = r->reported[counter];
		gain = tbuf_gain(&r->reported[counter],
		    tbuf_reader_counter(r, counter));
		if (gain == 0)
			continue;
		tbuf_gap_get(r, counter, reported, &after, &before);
		if (event->count == 0 || after < event->after)
			event->after = after;
		/* 0, which is not known, becomes the largest time. */
		if (event->count == 0 || before - 1 > event->before - 1)
			event->before = before;
		event->count += gain;
	}
}

bool
tbuf_drain_counts(const struct tbuf_drain *d, const struct tbuf_target *t,
    unsigned counter)
{
	if (t->state == TBUF_REPORTED || !tbuf_session_holds(t) || d->snapshot)
		return (false);
	if (last(d) || ended(t))
		return (true);
	if (counter <= TBUF_CAUSE_NOLANE)
		return (d->drops);
	return ((d->what & TBUF_DRAIN_STATUS) != 0 &&
	    counter != TBUF_OVERWRITTEN);
}

/* Adds an event's losses, if it has any, to the totals. */
static void
count_loss(struct tbuf_consumer *c, const struct tbuf_event *event)
{
	if (event->type == TBUF_EVENT_DROPS)
		c->totals.drops += event->count;
	else if (event->type == TBUF_EVENT_OVERWRITTEN)
		c->totals.overwritten += event->count;
}

/* Returns 1 with the group's next loss, or 0 [inv.account]. */
static int
next_counter(struct tbuf_consumer *c, struct tbuf_event *event)
{
	static const enum tbuf_event_type types[TBUF_COUNTERS] = {
		[TBUF_CAUSE_FULL] = TBUF_EVENT_DROPS,
		[TBUF_CAUSE_LARGE] = TBUF_EVENT_DROPS,
		[TBUF_CAUSE_NOLANE] = TBUF_EVENT_DROPS,
		[TBUF_OVERWRITTEN] = TBUF_EVENT_OVERWRITTEN,
		[TBUF_AGGREGATION] = TBUF_EVENT_AGGREGATION,
		[TBUF_DYNAMIC] = TBUF_EVENT_DYNAMIC
	};
	struct tbuf_drain *d = &c->drain;
	const struct tbuf_reader *r = d->order[d->group];

	for (; d->counter < TBUF_COUNTERS; d->counter++) {
		if (!tbuf_drain_counts(d, r->target, d->counter) ||
		    (d->counter == TBUF_OVERWRITTEN &&
		    !tbuf_policy(r->target->order.terms.policy)->overwrites))
			continue;
		group_gain(d, d->counter, event);
		if (event->count == 0)
			continue;
		tbuf_event_count(event, types[d->counter], r, event->count);
		count_loss(c, event);
		if (event->type == TBUF_EVENT_DROPS)
			event->cause = (enum tbuf_cause)d->counter;
		d->counter++;
		return (1);
	}
	return (0);
}

/*
 * Returns true if no record of a target is held back by the merge: its end is
 * reported after them.
 */
static bool
emptied(const struct tbuf_target *t)
{
	unsigned i;

	for (i = 0; i < t->nreaders; i++)
		if (t->readers[i].position < t->readers[i].end)
			return (false);
	return (true);
}

/*
 * A process that called exec may be several targets, one for each image; the
 * last one reports its end.  Returns true if that is another target.
 */
static bool
leave_to_other(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_target *o;

	TAILQ_FOREACH(o, &c->targets, link) {
		if (o == t || o->state == TBUF_REPORTED || !tbuf_target_same(o,
		    t))
			continue;
		o->child |= t->child;
		if (t->exit_status != -1 || t->exit_signal != 0) {
			o->exit_status = t->exit_status;
			o->exit_signal = t->exit_signal;
		}
		return (true);
	}
	return (false);
}

/* Returns 1 with the next event of a hung unit, or 0. */
static int
next_hung(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_target *t;

	if (!c->drain.snapshot)
		TAILQ_FOREACH(t, &c->targets, link)
			if (tbuf_units_hung(c, t, event) == 1)
				return (1);
	return (0);
}

struct tbuf_reader *
tbuf_drain_unfinished(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_target *t;
	bool end;

	if (d->snapshot)
		return (NULL);
	TAILQ_FOREACH(t, &c->targets, link) {
		end = ended(t) || last(d);
		if (emptied(t) && (tbuf_batches_unfinished(c, t, end) ||
		    tbuf_units_unfinished(c, t, due(c, t), end)))
			return (t->readers);
	}
	return (NULL);
}

/* Returns 1 with a record of a batch without a commit record, or 0. */
static int
next_unfinished(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_reader *r;

	while ((r = tbuf_drain_unfinished(c)) != NULL)
		if (tbuf_batch_next(c, r, event) == 1)
			return (1);
	return (0);
}

/* Returns true if this drain reports the losses and limits of a target. */
static bool
limits_due(const struct tbuf_drain *d, const struct tbuf_target *t)
{
	return (t->state != TBUF_REPORTED && (ended(t) || last(d) ||
	    (d->what & TBUF_DRAIN_STATUS) != 0));
}

/*
 * Returns true if all losses of units are known: records that the merge holds
 * back are not lost.
 */
static bool
units_end(const struct tbuf_drain *d, const struct tbuf_target *t)
{
	return ((ended(t) || last(d)) && emptied(t));
}

struct tbuf_target *
tbuf_drain_units_lost(struct tbuf_consumer *c,
    uint64_t lost[TBUF_UNIT_WITHOUT], bool *end)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_target *t;

	while ((t = d->packet_losses) != NULL) {
		d->packet_losses = TAILQ_NEXT(t, link);
		*end = units_end(d, t) && tbuf_units_any(t);
		if (limits_due(d, t) && (tbuf_units_lost(c, t, units_end(d, t),
		    lost) || *end))
			return (t);
	}
	return (NULL);
}

static int
next_limit(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_target *t;

	for (; (t = d->limits) != NULL; d->limits = TAILQ_NEXT(t, link)) {
		if (!limits_due(d, t))
			continue;
		event->pid = t->pid;
		event->cpu = -1;
		if (tbuf_units_losses(c, t, units_end(d, t), event) == 1)
			return (1);
		/* A file's other losses came with lanes, or in its own run. */
		if (t->file_only)
			continue;
		if (tbuf_batches_losses(c, t, event) == 1)
			return (1);
		tbuf_untraceable_children(c, t);
		event->type = TBUF_EVENT_LOST;
		/* A target may register probes meanwhile. */
		if (d->lost != t && (event->count = tbuf_target_lost(t)) != 0) {
			d->lost = t;
			return (1);
		}
		event->type = TBUF_EVENT_UNMET;
		event->count = tbuf_target_unmet(c, t, ended(t) || last(d));
		if (event->count != 0)
			return (1);
		event->type = TBUF_EVENT_UNFIT;
		if ((event->count = tbuf_target_unfit(c, t)) != 0)
			return (1);
	}
	return (0);
}

/*
 * Ends the session of an exec image that has ended, or has given this consumer
 * up, after its records were returned.
 */
static void
let_go(struct tbuf_consumer *c, struct tbuf_target *t)
{
	if (t->state != TBUF_ALIVE)
		tbuf_session_drain(t);
	if (t->state == TBUF_REPLACED)
		tbuf_target_tell(t);
	if (t->state == TBUF_RESIGNED && t->slot != -1) {
		tbuf_target_detach(c, t, -1);
		tbuf_budget_give(c, t->charged);
		t->charged = 0;
	}
}

/*
 * Returns true for a consumer that was found before it could withdraw its file
 * (tbuf_life_withdraw()).
 */
static bool
withdrawn(const struct tbuf_target *t)
{
	struct stat st;

	return (!t->named_by_user &&
	    tbuf_load(&tbuf_view_control(&t->view)->nprobes) == 0 &&
	    fstat(t->fd, &st) == 0 && st.st_nlink == 0);
}

static int
next_exit(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_target *t;

	while ((t = d->exits) != NULL) {
		d->exits = TAILQ_NEXT(t, link);
		if (!emptied(t))
			continue;
		let_go(c, t);
		if (t->state != TBUF_DEAD)
			continue;
		tbuf_target_tell(t);
		d->stale = true;
		if (t->file_only || leave_to_other(c, t) || withdrawn(t))
			continue;
		c->without_libtbuf += t->without_libtbuf;
		if (t->child)
			(void)tbuf_spawn_ended(c, event);
		event->type = TBUF_EVENT_EXIT;
		event->pid = t->pid;
		event->cpu = -1;
		event->child = t->child;
		event->status = t->exit_status;
		event->signal = t->exit_signal;
		return (1);
	}
	/*
	 * The command may have ended since the last wait, as printing takes
	 * time, or may have no target any more, as its file was truncated.  Its
	 * session was stopped, so that all its records have been returned.
	 */
	return (last(d) && tbuf_spawn_ended(c, event));
}

static int
next_grouped(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_reader *r;

	while (d->group < d->count) {
		r = d->cursor < d->count ? d->order[d->cursor] : NULL;
		if (r != NULL && same_group(r, d->order[d->group])) {
			if (!c->options.temporal &&
			    tbuf_reader_event(c, r, event) == 1) {
				tbuf_fast_begin(c, r);
				return (1);
			}
			if (!d->snapshot && tbuf_reader_release(r))
				tbuf_units_release(r);
			d->cursor++;
			continue;
		}
		if (next_counter(c, event) == 1)
			return (1);
		d->group = d->cursor;
		d->counter = 0;
	}
	return (0);
}

static void
finish(struct tbuf_drain *d)
{
	d->pending = false;
	forget_copies(d);
}

/*
 * Returns 1 with the script's next event, or 0.  The script's records come
 * before those of targets; in a merge, before records that are not older.  In a
 * replay, output of clauses comes with its record.
 */
static int
next_of_script(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_drain *d = &c->drain;
	uint64_t until = UINT64_MAX;
	bool merging = d->merging && c->replay == NULL;

	if (c->script == NULL)
		return (0);
	if (merging)
		until = tbuf_merge_time(c);
	if (c->replay == NULL)
		until = MIN(until, d->until_script);
	if (tbuf_script_next(c->script, event, until) == 0 &&
	    (merging || tbuf_script_losses(c->script, event) == 0))
		return (0);
	c->totals.records += event->type == TBUF_EVENT_RECORD;
	count_loss(c, event);
	return (1);
}

static int
next_of_targets(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_drain *d = &c->drain;

	if (d->merging) {
		if (tbuf_merge_next(c, event) == 1)
			return (1);
		d->merging = false;
	}
	return (next_grouped(c, event) == 1 || next_hung(c, event) == 1 ||
	    next_unfinished(c, event) == 1 ||
	    next_limit(c, event) == 1 || tbuf_replay_unfit(c, event) == 1 ||
	    next_exit(c, event) == 1);
}

/* Ends the drain after the last event of targets; END may fire now. */
static int
next_of_end(struct tbuf_consumer *c, struct tbuf_event *event)
{
	finish(&c->drain);
	if (c->script == NULL || !last(&c->drain))
		return (0);
	/* ERROR has fired by now for all faults in targets. */
	if (c->replay != NULL)
		tbuf_replay_end(c);
	else if (!c->alone)
		tbuf_script_end(c->script);
	return (next_of_script(c, event));
}

/*
 * Aggregates a record of TBUF_ACTION_AGGREGATE: its key has a raw stack, which
 * has been unwound by now.  Returns true for such a record.  A snapshot's, or a
 * hung unit's, is read again later, and counts then.
 */
static bool
fold(struct tbuf_consumer *c, const struct tbuf_event *event)
{
	const struct tbuf_record *record = &event->record;

	if (c->script == NULL || event->type != TBUF_EVENT_RECORD ||
	    !tbuf_script_folds(record->layout))
		return (false);
	if (c->drain.snapshot || (record->unit != NULL &&
	    record->unit->hung != 0))
		return (true);
	tbuf_script_fold(c->script, record->layout, record->pieces,
	    record->cpu);
	c->totals.records--;
	return (true);
}

int
tbuf_drain_next(struct tbuf_consumer *c, struct tbuf_event *event)
{
	c->drain.fast.reader = NULL;
	if (++c->drain.calls % SIGN_CALLS == 0)
		tbuf_consumer_sign(c);
	do {
		if (next_of_script(c, event) == 1)
			return (1);
		if (!c->drain.pending)
			return (0);
		if (!tbuf_replay_resume(c, event)) {
			tbuf_event_clear(event);
			if (next_of_targets(c, event) == 0)
				return (next_of_end(c, event));
		}
	} while (tbuf_replay_take(c, event) || fold(c, event));
	return (1);
}

void
tbuf_drain_free(struct tbuf_consumer *c)
{
	free(c->drain.order);
	free(c->drain.heap);
	free(c->drain.chunk);
	tbuf_packed_free(c->drain.packed);
	memset(&c->drain, 0, sizeof(c->drain));
}
