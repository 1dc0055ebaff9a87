/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The watermark: the time up to which all records are committed.  A writer
 * takes a record's time before it commits the record, and may be delayed in
 * between.  With -x temporal no later record may be returned before such a
 * record.  A snapshot of a live target, or its file, has no later records at
 * all, so that all lanes are seen as of one moment.
 *
 *	T	a reading of the target's clock
 *	CPUs	each is run on: a section that took its time before T is done
 *		or aborted, and one that begins again takes a later time.  Also,
 *		a processor may read its counter before it takes a lock; a value
 *		so read before T has been discarded by now, or the lock is
 *		taken.
 *	locks	A lock that is free now: its next holder takes a later time.
 *		A lock that is held: its holder's time is not below `taken`,
 *		which only rises.
 * The ends of the lanes are read after this: all records with times before the
 * least of these are below an end.  In a lane with a last time of T or later
 * they are at once, since times rise there [inv.order].
 */
#include "arch/atomics.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"

/* Longer than a section takes, ns; for CPUs that cannot be run on. */
#define MARGIN		UINT64_C(100000)

/*
 * Longest time that records are held back, ns.  A process that was stopped with
 * a lock has its record returned late; no hostile target delays others longer.
 */
#define HOLD_MAX	(2 * TBUF_SECOND)

/* Longest time before a cut that it leaves out for a delayed thread, ns. */
#define HOLD_CUT	(TBUF_SECOND / 100)

/* Returns true if a target may record more. */
static bool
writes(const struct tbuf_target *t)
{
	if (t->file_only)
		return (t->changing && !t->truncated);
	return (t->session == TBUF_SESSION_ACTIVE && t->state == TBUF_ALIVE &&
	    !t->truncated && t->slot != -1);
}

static uint64_t
clock_note(enum tbuf_clock clock)
{
	uint64_t now = tbuf_clock_read(clock);

	/* The second reading waits for the first, later loads for both. */
	tbuf_fence();
	tbuf_clock_read(clock);
	return (now);
}

/* Returns the least time of a lock lane's holder, `least` at most. */
static uint64_t
locks_least(const struct tbuf_target *t, uint64_t least)
{
	const struct tbuf_slot *slot = tbuf_target_slot(t);
	const struct tbuf_reader *r;
	uint64_t taken;
	uint32_t i;

	for (i = 0; i < TBUF_NLOCKS && t->first_lock + i < t->nreaders; i++) {
		r = &t->readers[t->first_lock + i];
		if (r->retired || tbuf_load_acquire(&slot->locks[i].word) !=
		    2 * t->generation + 1)
			continue;
		/* Acquire: records of earlier holders are below the end. */
		taken = tbuf_load_acquire(&r->lane->taken);
		/* The first holder has stored no time yet. */
		taken = MAX(taken, t->time.base.ticks);
		least = MIN(least, taken);
	}
	return (least);
}

/*
 * Notes a target's time.  A command's file may get its target meanwhile, with
 * its own clock: then its records have later times.
 */
static void
target_note(struct tbuf_target *t)
{
	if (!t->file_only)
		tbuf_target_refresh(t);
	t->watermark = clock_note(t->time.clock);
	if (t->live)
		return;
	tbuf_target_refresh(t);
	if (t->live)
		t->watermark = clock_note(t->time.clock);
}

/*
 * Adds the CPUs where threads of a target may be: those with a lane, and those
 * where threads use lock lanes.  A thread that moves to another CPU meanwhile
 * has been interrupted.
 */
static void
cpus_add(const struct tbuf_target *t, struct tbuf_cpus *cpus)
{
	struct tbuf_cpus allowed;
	unsigned i;

	for (i = 0; i < t->nreaders; i++)
		if (!t->readers[i].locked)
			tbuf_cpus_add(cpus, (unsigned)t->readers[i].cpu);
	tbuf_target_cpus(t->pid, &allowed);
	for (i = 0; i < TBUF_NCPUS; i++)
		if (tbuf_cpus_has(&allowed, i))
			tbuf_cpus_add(cpus, i);
}

int
tbuf_watermark_note(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_cpus cpus = { { 0 } };
	struct tbuf_target *t;
	int error;

	tbuf_drain_hold(c);
	d->noted = tbuf_now();
	TAILQ_FOREACH(t, &c->targets, link) {
		if (!writes(t))
			continue;
		target_note(t);
		cpus_add(t, &cpus);
	}
	if ((error = tbuf_drain_early(c)) != 0)
		return (error);
	d->everywhere = tbuf_cpus_visit(&cpus);
	TAILQ_FOREACH(t, &c->targets, link)
		if (writes(t) && t->live)
			t->watermark = locks_least(t, t->watermark);
	return (0);
}

uint64_t
tbuf_watermark_time(const struct tbuf_consumer *c)
{
	const struct tbuf_drain *d = &c->drain;
	uint64_t hold = d->cut ? HOLD_CUT : HOLD_MAX;
	const struct tbuf_target *t;
	uint64_t until = UINT64_MAX, time;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!writes(t))
			continue;
		time = tbuf_timeline_mono(&t->time, t->watermark);
		if (!d->everywhere)
			time -= time < MARGIN ? time : MARGIN;
		until = MIN(until, time);
	}
	return (MAX(until, d->noted - hold));
}
