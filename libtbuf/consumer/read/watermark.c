/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Up to which moment all records are committed.  A record's time is taken a
 * moment before its commit, and the writer may be held up between the two.
 * With -x temporal what is younger than such a record must not be given before
 * it; and of what goes on while it is read, a live snapshot or a file, nothing
 * younger is given, so that all lanes are seen as they were at one moment.
 *
 *	T	a reading of the target's clock
 *	CPUs	run on each: a section that took its time before T is done or
 *		aborted, and one that begins anew takes a later time.  And a
 *		processor may read its counter ahead of the lock that a thread
 *		is about to take; what it has read so before T it has by now
 *		thrown away, or the lock is taken.
 *	locks	one that is free now: who takes it takes a later time too.
 *		One that is held: its holder's time is not below `taken`,
 *		which only rises.
 * Then mark the lanes: all that was stamped before the least of these lies
 * below a mark.  So it does at once in a lane whose last stamp is T or later,
 * for stamps rise there [inv.order].
 */
#include "arch/atomics.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"

/* Where this process may not run on each CPU: longer than a section takes. */
#define MARGIN		UINT64_C(100000)

/*
 * Nobody is waited for any longer: a process that was stopped at a lock gives
 * its record late, and whatever a hostile one writes holds up no others.
 */
#define HOLD_MAX	(2 * TBUF_SECOND)

/* Nor does a snapshot leave out much for a thread that is held up. */
#define HOLD_CUT	(TBUF_SECOND / 100)

/* More may come of it. */
static bool
writes(const struct tbuf_target *t)
{
	if (t->file_only)
		return (t->changing && !t->truncated);
	return (t->session == TBUF_SESSION_ACTIVE && t->life == TBUF_ALIVE &&
	    !t->truncated && t->slot != -1);
}

static uint64_t
clock_note(enum tbuf_clock clock)
{
	uint64_t now = tbuf_clock_read(clock);

	/* The second reading waits for the first, and later loads for it. */
	tbuf_fence();
	tbuf_clock_read(clock);
	return (now);
}

/* The least time that a holder of a lock lane may have taken, if before. */
static uint64_t
locks_least(const struct tbuf_target *t, uint64_t least)
{
	const struct tbuf_slot *slot = tbuf_target_slot(t);
	const struct tbuf_source *s;
	uint64_t taken;
	uint32_t i;

	for (i = 0; i < TBUF_NLOCKS && t->first_lock + i < t->nsources; i++) {
		s = &t->sources[t->first_lock + i];
		if (s->retired || tbuf_load_acquire(&slot->locks[i].word) !=
		    2 * t->generation + 1)
			continue;
		/* Acquire: what earlier holders wrote is seen by the mark. */
		taken = tbuf_load_acquire(&s->lane->taken);
		/* It is its first holder, who has taken no time yet. */
		if (taken < t->time.base.ticks)
			taken = t->time.base.ticks;
		if (taken < least)
			least = taken;
	}
	return (least);
}

/*
 * A command's file comes to have a target, with a clock of its own.  Before
 * that it takes no time, and then a later one.
 */
static void
target_note(struct tbuf_target *t)
{
	if (!t->file_only)
		tbuf_target_refresh(t);
	t->horizon = clock_note(t->time.clock);
	if (t->live)
		return;
	tbuf_target_refresh(t);
	if (t->live)
		t->horizon = clock_note(t->time.clock);
}

/*
 * Where a thread of the target's may be: on a CPU with a lane, or at a lock
 * lane.  One that is let onto another CPU meanwhile has been interrupted.
 */
static void
cpus_add(const struct tbuf_target *t, struct tbuf_cpus *cpus)
{
	struct tbuf_cpus allowed;
	unsigned i;

	for (i = 0; i < t->nsources; i++)
		if (!t->sources[i].locked)
			tbuf_cpus_add(cpus, (unsigned)t->sources[i].cpu);
	tbuf_target_cpus(t->pid, &allowed);
	for (i = 0; i < TBUF_NCPUS; i++)
		if (tbuf_cpus_has(&allowed, i))
			tbuf_cpus_add(cpus, i);
}

void
tbuf_horizon_note(struct tbuf_consumer *c)
{
	struct tbuf_round *r = &c->round;
	struct tbuf_cpus cpus = { { 0 } };
	struct tbuf_target *t;

	tbuf_round_hold(c);
	r->noted = tbuf_now();
	TAILQ_FOREACH(t, &c->targets, link) {
		if (!writes(t))
			continue;
		target_note(t);
		cpus_add(t, &cpus);
	}
	tbuf_round_early(c);
	r->everywhere = tbuf_cpus_visit(&cpus);
	TAILQ_FOREACH(t, &c->targets, link)
		if (writes(t) && t->live)
			t->horizon = locks_least(t, t->horizon);
}

uint64_t
tbuf_horizon_time(const struct tbuf_consumer *c)
{
	const struct tbuf_round *r = &c->round;
	uint64_t hold = r->cut ? HOLD_CUT : HOLD_MAX;
	const struct tbuf_target *t;
	uint64_t until = UINT64_MAX, time;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!writes(t))
			continue;
		time = tbuf_timeline_mono(&t->time, t->horizon);
		if (!r->everywhere)
			time -= time < MARGIN ? time : MARGIN;
		if (time < until)
			until = time;
	}
	if (until < r->noted - hold)
		until = r->noted - hold;
	return (until);
}
