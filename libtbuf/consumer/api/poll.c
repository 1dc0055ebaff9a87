/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The loop: waits for the next due time or event, and then does the work that
 * is due: switches, status looks, ends of targets, new targets, the end of the
 * run.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"

#define LOOK_PERIOD	(TBUF_SECOND / 100)	/* under fill, for exit() and
						   snapshot() */
#define FLUSH_PERIOD	(TBUF_SECOND / 10)	/* until a target calls
						   tbuf_flush() */
#define ORPHAN_PERIOD	(TBUF_SECOND / 20)	/* while c->orphan exists */
#define HELD_PERIOD	(TBUF_SECOND / 1000)	/* until a merge continues */
#define POOL_PERIOD	(TBUF_SECOND / 100)	/* with thread lanes */
#define POOL_SOON	(TBUF_SECOND / 1000)	/* while few are free */
#define UPKEEP_PERIOD	(TBUF_SECOND * 5)	/* deadlines */
#define SEARCH_PERIOD	(TBUF_SECOND / 1000)	/* first pause; then doubled */
#define SEARCHES_MAX	10
#define COMMAND_PERIOD	(TBUF_SECOND / 64)	/* command, first; doubled */

/* The first descriptors of a poll; those of targets follow in their order. */
enum { POLL_STOP, POLL_WAKE, POLL_WATCH, POLL_ELSEWHERE, POLL_FIXED };

static void
upkeep(struct tbuf_consumer *c)
{
	struct tbuf_target *t;
	uint64_t now;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!tbuf_session_holds(t) || t->file_only)
			continue;
		tbuf_target_refresh(t);
		tbuf_target_deadline(t);
		now = tbuf_now();
		/* A young lane may fill up to its new size. */
		if (t->growth != 0 && now >= t->next_growth)
			c->next_fill = now;
		tbuf_lanes_look(t, now);
	}
}

/*
 * Returns true if a target's last records, or its end, are still to be
 * returned.  A new target may have ended already, and a merge may hold records
 * back.
 */
static bool
any_ended(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->state == TBUF_DEAD || (t->state != TBUF_ALIVE &&
		    tbuf_target_runs(t) && tbuf_session_holds(t)))
			return (true);
	return (false);
}

/* Returns true if buffers may be switched earlier than by switchrate. */
static bool
switches_early(const struct tbuf_consumer *c)
{
	return (tbuf_policy(c->options.bufpolicy)->live && !c->strict &&
	    !TAILQ_EMPTY(&c->targets));
}

uint64_t
tbuf_consumer_due(const struct tbuf_consumer *c, uint64_t now)
{
	uint64_t due = MIN(c->next_status, now + UPKEEP_PERIOD);
	const struct tbuf_target *t;

	due = MIN(due, c->next_search);
	if (c->script != NULL)
		due = MIN(due, c->script->snapshots != 0 ? now :
		    tbuf_script_due(c->script));
	due = MIN(due, tbuf_sampling_due(c));
	due = MIN(due, c->next_command);
	if (c->block != 0 || (c->programs != NULL && c->programs->nspec != 0))
		due = MIN(due, c->next_clean);
	if (tbuf_pools_any(c))
		due = MIN(due, c->next_pool);
	TAILQ_FOREACH(t, &c->targets, link)
		if (t->growth != 0)
			due = MIN(due, t->next_growth);
	if (tbuf_policy(c->options.bufpolicy)->live)
		due = MIN(MIN(due, c->next_switch), now + (c->flushes ?
		    LOOK_PERIOD : FLUSH_PERIOD));
	if (switches_early(c))
		due = MIN(due, c->next_fill);
	if (tbuf_policy(c->options.bufpolicy)->closes || c->exits ||
	    c->snapshots)
		due = MIN(due, now + LOOK_PERIOD);
	if (any_ended(c))
		due = MIN(due, now + HELD_PERIOD);
	if (c->orphan != 0)
		due = MIN(due, now + ORPHAN_PERIOD);
	return (due < now ? now : due);
}

/* Returns true if the time has come, and then advances it by a period. */
static bool
tick(uint64_t *next, uint64_t period, uint64_t now)
{
	if (now < *next)
		return (false);
	*next += period;
	if (*next <= now)
		*next = now + period;
	return (true);
}

static int
wait_for_something(struct tbuf_consumer *c, struct pollfd **fds)
{
	struct tbuf_target *t;
	struct timespec timeout;
	uint64_t now, wait;
	nfds_t n = POLL_FIXED;
	struct pollfd *p;

	TAILQ_FOREACH(t, &c->targets, link)
		n++;
	if ((p = reallocarray(*fds, n, sizeof(*p))) == NULL)
		return (-ENOMEM);
	*fds = p;
	p[POLL_STOP] = (struct pollfd){ .fd = c->stop, .events = POLLIN };
	p[POLL_WAKE] = (struct pollfd){ .fd = c->wake, .events = POLLIN };
	p[POLL_WATCH] = (struct pollfd){ .fd = c->watch, .events = POLLIN };
	p[POLL_ELSEWHERE] = (struct pollfd){ .fd = c->elsewhere,
	    .events = POLLIN };
	n = POLL_FIXED;
	TAILQ_FOREACH(t, &c->targets, link)
		p[n++] = (struct pollfd){
		    .fd = tbuf_target_runs(t) ? t->pidfd : -1,
		    .events = POLLIN
		};
	now = tbuf_now();
	wait = tbuf_consumer_due(c, now) - now;
	timeout.tv_sec = (time_t)(wait / TBUF_SECOND);
	timeout.tv_nsec = (long)(wait % TBUF_SECOND);
	if (ppoll(p, n, &timeout, NULL) == -1 && errno != EINTR)
		return (-errno);
	return (0);
}

/* Handles targets with processes that have ended.  Returns true if any. */
static bool
collect_ended(struct tbuf_consumer *c, const struct pollfd *p)
{
	struct tbuf_target *t;
	bool any = false;

	p += POLL_FIXED;
	TAILQ_FOREACH(t, &c->targets, link) {
		if ((p++->revents & (POLLIN | POLLHUP)) == 0)
			continue;
		any = true;
		tbuf_target_ended(t);
		tbuf_target_refresh(t);
		tbuf_target_probes(c, t);
		tbuf_untraceable_command(c, t);
	}
	return (any);
}

/* Ends targets with a truncated file: no more records can be read. */
static void
collect_truncated(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->truncated)
			tbuf_target_tell(t);
}

/*
 * Handles exec.  A target that is alive without its sign of life has called
 * exec: its records so far are complete, and its new image may have a file.
 */
static void
collect_execed(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link) {
		tbuf_consumer_sign(c);
		tbuf_untraceable_command(c, t);
		if (t->state >= TBUF_REPLACED || !t->live)
			continue;
		if (t->state == TBUF_ALIVE && !tbuf_control_alive(t->fd)) {
			tbuf_target_leave(t);
			tbuf_target_probes(c, t);
		}
		if (t->state != TBUF_ALIVE)
			tbuf_consumer_regrab(c, t);
	}
}

/*
 * Looks for new targets.  A file has its name shortly before its target has
 * mapped it under that name; a target that was not found is looked for again,
 * after longer and longer pauses.
 */
static void
find_targets(struct tbuf_consumer *c, bool scan)
{
	c->unsettled = false;
	if (scan && tbuf_consumer_scan(c) == 0)
		tbuf_attach_new(c);
	collect_execed(c);
	c->next_search = c->unsettled && c->searches < SEARCHES_MAX ?
	    tbuf_now() + (SEARCH_PERIOD << c->searches++) : UINT64_MAX;
}

void
tbuf_consumer_find_command(struct tbuf_consumer *c, uint64_t now)
{
	c->command_wait = COMMAND_PERIOD;
	c->next_command = now + c->command_wait;
}

static void
look_at_command(struct tbuf_consumer *c, uint64_t now)
{
	collect_execed(c);
	c->next_command = c->command_wait > TBUF_SECOND ? UINT64_MAX :
	    now + c->command_wait;
	c->command_wait *= 2;
}

void
tbuf_consumer_find_new(struct tbuf_consumer *c)
{
	c->searches = 0;
	find_targets(c, true);
}

void
tbuf_consumer_find_execed(struct tbuf_consumer *c)
{
	c->searches = 0;
	find_targets(c, false);
}

/* Handles new files in the runtime directory. */
static void
collect_new(struct tbuf_consumer *c)
{
	bool notified = tbuf_consumer_notified(c);

	c->searches = 0;
	find_targets(c, notified);
}

/*
 * Handles new files in the directories of other users' targets.  As users can
 * make any number of files there, events are read once, and the rest at the
 * next look.
 */
static void
collect_elsewhere(struct tbuf_consumer *c)
{
	char events[4096];

	(void)!read(c->elsewhere, events, sizeof(events));
	tbuf_consumer_find_execed(c);
}

/*
 * Returns true if a clause in the target has called exit(), and so stopped.
 * Without a clause that does, only a hostile target has a status there.
 */
static bool
exit_seen(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	uint64_t word;

	/* An adopted session may claim to have clauses. */
	if (c->script == NULL || !c->exits || t->slot == -1 ||
	    !tbuf_session_holds(t) || t->clauses == 0)
		return (false);
	word = tbuf_load(&tbuf_target_slot(t)->exit);
	if (word >> 32 != 1)
		return (false);
	if (!c->script->exited)
		c->script->status = (int)(uint32_t)word;
	c->script->exited = true;
	return (true);
}

/*
 * Adds the calls of snapshot() in targets to those here.  Without a clause that
 * calls it, only a hostile target raises its count.
 */
static void
count_snapshots(struct tbuf_consumer *c)
{
	struct tbuf_target *t;
	uint32_t calls;

	if (!c->snapshots || c->script == NULL)
		return;
	TAILQ_FOREACH(t, &c->targets, link) {
		if (t->slot == -1 || !tbuf_session_holds(t) || t->file_only ||
		    t->clauses == 0)
			continue;
		calls = tbuf_load(&tbuf_target_slot(t)->snapshots);
		c->script->snapshots += (uint32_t)(calls - t->snapshots_seen);
		t->snapshots_seen = calls;
	}
}

/*
 * Returns true if the calls of snapshot() since the last look make a snapshot
 * due.  One serves all of them; a timer's look may be a little early.
 */
static bool
snapshot_asked(struct tbuf_consumer *c, uint64_t now)
{
	struct tbuf_script *s = c->script;
	uint64_t period = c->options.snaprate;

	count_snapshots(c);
	if (s == NULL || s->snapshots == 0)
		return (false);
	s->snapshots_beyond += s->snapshots;
	s->snapshots = 0;
	if (s->snapshot_due || now + period / 16 < s->next_snapshot)
		return (false);
	s->next_snapshot += period;
	if (s->next_snapshot <= now)
		s->next_snapshot = now + period;
	s->snapshots_beyond--;
	return (s->snapshot_due = true);
}

/* Counts calls of snapshot() that the end of the run leaves without one. */
static void
leave_snapshots(struct tbuf_consumer *c)
{
	struct tbuf_script *s = c->script;

	count_snapshots(c);
	s->snapshots_beyond += s->snapshots + s->snapshot_due;
	s->snapshots = 0;
	s->snapshot_due = false;
}

static bool
given_up(const struct tbuf_target *t)
{
	uint32_t state;

	if (t->state != TBUF_ALIVE || t->slot == -1 || !tbuf_session_holds(t))
		return (false);
	state = tbuf_load(&tbuf_view_control(&t->view)->state[t->slot]);
	return (state == TBUF_GIVENUP || state == TBUF_GIVINGUP);
}

/*
 * Stops the sessions of targets that have given this consumer up; each is
 * drained a last time.  Returns true if no target remains because of that.
 */
static bool
collect_resigned(struct tbuf_consumer *c)
{
	struct tbuf_target *t;
	unsigned n = 0;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!given_up(t))
			continue;
		tbuf_consumer_quiesce(c, t);
		/* The target may have published its exit() only now. */
		if (exit_seen(c, t))
			continue;
		tbuf_target_resign(t);
		n++;
	}
	if (n > 0 && !c->all && tbuf_consumer_alive(c) == 0)
		return (true);
	for (; n > 0; n--)
		tbuf_untraceable_add(c, TBUF_UNTRACEABLE_RESIGNED,
		    "their consumer gave no sign of life for 30 s");
	return (false);
}

/* Returns true if a lane is full under fill, which ends the run. */
static bool
full(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;
	unsigned i;

	if (!tbuf_policy(c->options.bufpolicy)->closes)
		return (false);
	if (c->script != NULL && tbuf_script_full(c->script))
		return (true);
	TAILQ_FOREACH(t, &c->targets, link)
		for (i = 0; i < t->nreaders; i++)
			if (tbuf_load(&t->readers[i].lane->full) != 0)
				return (true);
	return (false);
}

/*
 * Retires a lane if its lock has been held for over a second without progress
 * of the holder: the lane is drained at the end, and a spare replaces it.
 */
static void
retire_lane(struct tbuf_reader *r, struct tbuf_slot *slot, uint32_t lock,
    uint64_t now)
{
	const struct tbuf_target *t = r->target;
	uint64_t taken = tbuf_load(&r->lane->taken);
	uint32_t n = tbuf_load(&slot->nlocks);

	if (tbuf_load(&slot->locks[lock].word) != 2 * t->generation + 1 ||
	    taken != r->taken || r->held_since == 0) {
		r->taken = taken;
		r->held_since = tbuf_load(&slot->locks[lock].word) ==
		    2 * t->generation + 1 ? now : 0;
		return;
	}
	if (r->retired || now - r->held_since < TBUF_SECOND)
		return;
	r->retired = true;
	if (n < tbuf_load(&slot->nlocks_max) && n < TBUF_NLOCKS)
		tbuf_store_release(&slot->nlocks, n + 1);
}

static void
retire_lanes(struct tbuf_consumer *c, uint64_t now)
{
	struct tbuf_target *t;
	uint32_t lock;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!tbuf_target_runs(t) || !tbuf_session_holds(t) ||
		    t->slot == -1)
			continue;
		for (lock = 0; lock < TBUF_NLOCKS &&
		    t->first_lock + lock < t->nreaders; lock++)
			retire_lane(&t->readers[t->first_lock + lock],
			    tbuf_target_slot(t), lock,
			    now);
	}
}

/*
 * Ends the run: stops tracing, begins the last drain, and reports drops.
 * Targets that have built a session and were not found yet belong to the run.
 */
static int
finish(struct tbuf_consumer *c, int result)
{
	int error;

	if (c->entry != NULL) {
		tbuf_board_withdraw(c);
		tbuf_consumer_scan(c);
	}
	tbuf_consumer_quiesce(c, NULL);
	tbuf_sampling_drain(c);
	if (c->script != NULL) {
		leave_snapshots(c);
		c->script->stopped = true;
	}
	if (c->alone && c->replay == NULL)
		tbuf_script_end(c->script);
	c->state = TBUF_RUN_ENDED;
	error = tbuf_drain_begin(c, TBUF_DRAIN_LAST);
	if (error != 0)
		return (tbuf_consumer_fail(c, error, "processing aborted: %s",
		    strerror(-error)));
	return (result);
}

static int
aborted(struct tbuf_consumer *c, int error)
{
	tbuf_consumer_fail(c, error, "processing aborted: %s",
	    error == -ETIMEDOUT ? "the target gave up the session" :
	    strerror(-error));
	return (finish(c, error));
}

/*
 * Returns true if all targets have ended, and the children that are followed.
 * The last target may have a child that is not a target yet.
 */
static bool
no_targets(struct tbuf_consumer *c)
{
	const struct tbuf_target *last;

	if (c->alone)
		return (false);
	while (!c->all && tbuf_consumer_alive(c) == 0) {
		if (!c->options.follow)
			return (true);
		if (tbuf_find_orphan(c))
			return (false);
		last = TAILQ_LAST(&c->targets, tbuf_target_list);
		collect_new(c);
		if (TAILQ_LAST(&c->targets, tbuf_target_list) == last)
			return (true);
	}
	c->orphan = 0;
	return (false);
}

/* Runs a script's timers.  Returns true if it has called exit() anywhere. */
static bool
script_over(struct tbuf_consumer *c, uint64_t now)
{
	const struct tbuf_target *t;

	if (c->script == NULL)
		return (false);
	TAILQ_FOREACH(t, &c->targets, link)
		(void)exit_seen(c, t);
	tbuf_sampling_drain(c);
	if (c->replay == NULL)
		tbuf_script_tick(c->script, now);
	return (c->script->exited);
}

/* Returns true if tbuf_consumer_wake() has been called since the last time. */
static bool
woken(struct tbuf_consumer *c)
{
	uint64_t count;

	return (read(c->wake, &count, sizeof(count)) == sizeof(count));
}

/* Returns true if a target has called tbuf_flush() since the last look. */
static bool
flush_asked(struct tbuf_consumer *c)
{
	bool asked = false;
	struct tbuf_target *t;
	uint32_t flushes;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (t->slot == -1 || !tbuf_session_holds(t) || t->file_only)
			continue;
		flushes = tbuf_load(&tbuf_target_slot(t)->flushes);
		asked |= flushes != t->flushes_seen;
		t->flushes_seen = flushes;
	}
	c->flushes |= asked;
	return (asked);
}

/*
 * Adds thread lanes where few are free.  Returns true if buffers are to be
 * switched early, as they fill or are needed by other threads.
 */
static bool
buffers_fill(struct tbuf_consumer *c, uint64_t now)
{
	bool early = switches_early(c), needed = false;

	if (now >= c->next_pool) {
		needed = tbuf_pools_look(c, now) && early;
		c->next_pool = now + (needed ? POOL_SOON : POOL_PERIOD);
	}
	return (early && (tbuf_early_switch(c, now) || needed));
}

/*
 * Carries out the work that is due after a wait.  Returns 0 at the end of the
 * run, 1 if a drain was begun or the caller is woken, 2 if nothing was due, or
 * -errno.
 */
static int
look(struct tbuf_consumer *c, const struct pollfd *p)
{
	uint64_t now = tbuf_now();
	unsigned what = 0;
	bool asked;
	int error;

	/* A process that has ended may have files that were not seen yet. */
	if ((collect_ended(c, p) && c->run != 0) ||
	    (p[POLL_WATCH].revents & POLLIN) != 0)
		collect_new(c);
	else if ((p[POLL_ELSEWHERE].revents & POLLIN) != 0)
		collect_elsewhere(c);
	else if (now >= c->next_search)
		find_targets(c, true);
	if (now >= c->next_command)
		look_at_command(c, now);
	collect_truncated(c);
	tbuf_images_look(c, false);
	tbuf_sampling_look(c);
	if (script_over(c, now) || (p[POLL_STOP].revents & POLLIN) != 0 ||
	    full(c) || no_targets(c))
		return (finish(c, 0));
	if (collect_resigned(c))
		return (aborted(c, -ETIMEDOUT));
	if (c->script != NULL && c->script->exited)
		return (finish(c, 0));
	if (tbuf_policy(c->options.bufpolicy)->live &&
	    tick(&c->next_switch, c->options.switchrate, now))
		what |= TBUF_DRAIN_SWITCH;
	if (tbuf_policy(c->options.bufpolicy)->live && flush_asked(c))
		what |= TBUF_DRAIN_SWITCH;
	if (buffers_fill(c, now)) {
		what |= TBUF_DRAIN_SWITCH;
		c->next_switch = now + c->options.switchrate;
	}
	if ((error = tbuf_tables_look(c)) != 0)
		return (aborted(c, error));
	if (tick(&c->next_clean, c->options.cleanrate, now)) {
		if (c->block != 0)
			tbuf_variables_clean(c, now);
		tbuf_batches_clean(c);
	}
	if (tick(&c->next_status, c->options.statusrate, now)) {
		what |= TBUF_DRAIN_STATUS;
		retire_lanes(c, now);
		collect_execed(c);
		tbuf_images_look(c, true);
	}
	if (any_ended(c))
		what |= TBUF_DRAIN_ENDED;
	asked = snapshot_asked(c, now);
	if (what == 0)
		return (woken(c) || asked ? 1 : 2);
	error = tbuf_drain_begin(c, what);
	return (error != 0 ? aborted(c, error) : 1);
}

int
tbuf_consumer_work(struct tbuf_consumer *c)
{
	struct pollfd *fds = NULL;
	int result;

	if (c->state == TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "no tracing is active"));
	if (c->state == TBUF_RUN_ENDED)
		return (0);
	tbuf_drain_end(c);
	if (script_over(c, 0) || no_targets(c))
		return (finish(c, 0));
	do {
		upkeep(c);
		result = wait_for_something(c, &fds);
		result = result != 0 ? aborted(c, result) : look(c, fds);
	} while (result == 2);
	free(fds);
	return (result);
}
