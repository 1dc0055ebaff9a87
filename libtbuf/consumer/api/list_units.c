/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists work units from the files of live and dead processes, and from cores:
 * those that have not ended, and statistics of those that have.  Files are
 * read by pread(2) only.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "shared/session_build.h"
#include "target/provider.h"
#include "tbuf_consumer.h"

struct look {
	int (*unit)(void *, const struct tbuf_unit_status *);
	int (*figures)(void *, const struct tbuf_unit_figures *);
	void *arg;
};

/* A session with unit tables. */
struct session {
	int fd;
	uint64_t cut;			/* first missing byte; 0: none */
	const struct tbuf_control *control;
	bool alive;
	uint32_t consumer;		/* its pid */
	uint64_t generation;
	uint64_t at;			/* offset of struct tbuf_units */
	uint32_t count;
	struct tbuf_timeline line;
	struct tbuf_units head;
};

static bool
read_at(const struct session *s, void *to, size_t size, uint64_t offset)
{
	return ((s->cut == 0 || offset + size <= s->cut) &&
	    tbuf_file_read(s->fd, to, size, offset));
}

static bool
session_read(struct session *s, unsigned number)
{
	struct tbuf_session session;
	struct tbuf_terms terms;
	struct tbuf_slot slot;
	uint64_t size;
	unsigned i;

	if (!read_at(s, &slot, sizeof(slot), TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE) ||
	    !tbuf_terms_read(&slot.terms, &terms) ||
	    !read_at(s, &session, sizeof(session), slot.area))
		return (false);
	s->count = tbuf_terms_units(&terms, &size);
	s->at = slot.units.at;
	s->generation = session.generation;
	s->consumer = (uint32_t)slot.terms.owner_pid;
	if (s->count == 0 || s->at == 0 || slot.units.size !=
	    tbuf_units_tables(s->count) + s->count * size ||
	    !read_at(s, &s->head, sizeof(s->head), s->at))
		return (false);
	for (i = 0; i < TBUF_UNIT_KINDS; i++)
		s->head.kinds[i].name[TBUF_UNIT_NAME - 1] = '\0';
	memcpy(s->head.kinds[TBUF_UNIT_KINDS - 1].name, "(other)",
	    sizeof("(other)"));
	/* The record clock of another boot is unrelated to the present time. */
	s->line.clock = (enum tbuf_clock)s->control->clock;
	s->line.base = session.go;
	if (!s->alive && session.boot != 0 && session.boot != tbuf_boot())
		tbuf_timeline_update(&s->line, &session.now);
	else
		tbuf_timeline_update(&s->line, NULL);
	return (s->line.clock <= TBUF_CLOCK_COARSE);
}

/*
 * Returns true if a unit's thread has certainly ended.  The target does not
 * notice that a thread ends inside a unit, which keeps the thread's id.
 */
static bool
thread_ended(const struct session *s, uint64_t tid)
{
	const struct tbuf_control *control = s->control;
	char path[64];

	if (control->start == 0 ||
	    control->pid_namespace != tbuf_pid_namespace(getpid()) ||
	    tbuf_directory_pid(s->fd, control, true) != (pid_t)control->pid)
		return (false);
	snprintf(path, sizeof(path), "/proc/%d/task/%" PRIu32,
	    (int)control->pid, (uint32_t)tid);
	return (access(path, F_OK) != 0 && errno == ENOENT);
}

static int
unit_look(const struct look *l, const struct session *s,
    const struct tbuf_unit_entry *e)
{
	uint64_t began = tbuf_timeline_mono(&s->line, e->began);
	struct tbuf_unit_status unit = {
		.pid = (pid_t)s->control->pid, .program = s->control->comm,
		.alive = s->alive, .id = e->id, .tid = (uint32_t)e->thread,
		.inside = e->inside != 0 && s->alive &&
		    !thread_ended(s, e->thread),
		.records = tbuf_unit_records(e->head)
	};

	unit.kind = s->head.kinds[e->kind < TBUF_UNIT_KINDS ? e->kind :
	    TBUF_UNIT_KINDS - 1].name;
	if (tbuf_unit_laps(e->head) != 0)
		unit.records += tbuf_unit_records(
		    e->half[tbuf_unit_older(e->head)].head);
	if (s->line.latest.mono > began)
		unit.age = s->line.latest.mono - began;
	return (l->unit(l->arg, &unit));
}

static int
units_look(const struct look *l, const struct session *s)
{
	struct tbuf_unit_entry e;
	int stop = 0;
	uint32_t i;

	for (i = 0; i < s->count && stop == 0; i++)
		if (read_at(s, &e, sizeof(e), s->at + sizeof(s->head) +
		    i * sizeof(e)) &&
		    (tbuf_unit_in(s->generation, e.word, TBUF_UNIT_BOUND) ||
		    tbuf_unit_in(s->generation, e.word, TBUF_UNIT_ENDING)))
			stop = unit_look(l, s, &e);
	return (stop);
}

static uint64_t
to_ns(const struct session *s, uint64_t ticks)
{
	return (tbuf_timeline_mono(&s->line, s->line.base.ticks + ticks) -
	    tbuf_timeline_mono(&s->line, s->line.base.ticks));
}

/*
 * Counts the units up to each power of two.  Those of a bucket are below a
 * power if its longest duration is; the last bucket has none.
 */
static void
powers_count(const struct session *s, const struct tbuf_unit_kind *kind,
    uint64_t at_most[TBUF_UNIT_POWERS])
{
	uint64_t longest;
	uint32_t i;

	memset(at_most, 0, TBUF_UNIT_POWERS * sizeof(at_most[0]));
	for (i = 0; i < TBUF_UNIT_BUCKETS - 1; i++) {
		longest = to_ns(s, tbuf_unit_least(i + 1) - 1);
		if (longest <= UINT64_C(1) << (TBUF_UNIT_POWERS - 1))
			at_most[longest < 2 ? 0 : TBUF_UNIT_POWERS -
			    __builtin_clzll(longest - 1)] +=
			    kind->durations[i];
	}
	for (i = 1; i < TBUF_UNIT_POWERS; i++)
		at_most[i] += at_most[i - 1];
}

/* Returns the middle of the bucket with this quantile (per mille), ns. */
static uint64_t
quantile(const struct session *s, const struct tbuf_unit_kind *kind,
    uint64_t units, unsigned mille)
{
	uint64_t below = 0, wanted = (units * mille + 999) / 1000, ticks;
	uint32_t i;

	for (i = 0; i < TBUF_UNIT_BUCKETS - 1; i++)
		if ((below += kind->durations[i]) >= wanted)
			break;
	ticks = (tbuf_unit_least(i) + tbuf_unit_least(i + 1)) / 2;
	return (to_ns(s, ticks));
}

/* Merges entries of one kind: two threads that claimed it at once made two. */
static void
join(struct tbuf_units *head, unsigned i)
{
	unsigned j, k;

	for (j = i + 1; j < TBUF_UNIT_KINDS; j++) {
		if (head->kinds[j].state != 2 || strcmp(head->kinds[i].name,
		    head->kinds[j].name) != 0)
			continue;
		for (k = 0; k < TBUF_UNIT_BUCKETS; k++)
			head->kinds[i].durations[k] +=
			    head->kinds[j].durations[k];
		head->kinds[i].failures += head->kinds[j].failures;
		head->kinds[i].slow += head->kinds[j].slow;
		head->kinds[i].ticks += head->kinds[j].ticks;
		memset(&head->kinds[j], 0, sizeof(head->kinds[j]));
	}
}

/* Adds the ticks of units in tables to those of units without. */
static void
ticks_add(struct session *s)
{
	struct tbuf_unit_ticks ticks;
	uint32_t i;
	unsigned k;

	for (i = 0; i < s->count; i++)
		if (read_at(s, &ticks, sizeof(ticks), s->at +
		    tbuf_units_ticks(s->count) + i * sizeof(ticks)))
			for (k = 0; k < TBUF_UNIT_KINDS; k++)
				s->head.kinds[k].ticks += ticks.kinds[k];
}

static int
by_begin(const void *x, const void *y)
{
	const struct tbuf_unit_kind *a = x, *b = y;

	return (a->began < b->began ? -1 : a->began > b->began);
}

static int
kinds_look(const struct look *l, struct session *s)
{
	uint64_t at_most[TBUF_UNIT_POWERS];
	const struct tbuf_unit_kind *kind;
	struct tbuf_unit_figures f;
	int stop = 0;
	unsigned i, k;

	ticks_add(s);
	/* Sorted by time of begin; the last one, (other), stays last. */
	qsort(s->head.kinds, TBUF_UNIT_KINDS - 1, sizeof(*kind), by_begin);
	for (i = 0; i < TBUF_UNIT_KINDS && stop == 0; i++) {
		kind = &s->head.kinds[i];
		join(&s->head, i);
		f = (struct tbuf_unit_figures){
			.pid = (pid_t)s->control->pid, .alive = s->alive,
			.program = s->control->comm, .kind = kind->name,
			.failures = kind->failures, .slow = kind->slow,
			.at_most = at_most, .consumer = s->consumer,
			.sum = to_ns(s, kind->ticks)
		};
		for (k = 0; k < TBUF_UNIT_BUCKETS; k++)
			f.units += kind->durations[k];
		if (f.units == 0)
			continue;
		f.median = quantile(s, kind, f.units, 500);
		f.p99 = quantile(s, kind, f.units, 990);
		f.p999 = quantile(s, kind, f.units, 999);
		powers_count(s, kind, at_most);
		stop = l->figures(l->arg, &f);
	}
	return (stop);
}

static int
session_look(const struct look *l, struct session *s, unsigned number)
{
	if (!tbuf_state_readable(s->control->state[number]) ||
	    !session_read(s, number))
		return (0);
	return (l->unit != NULL ? units_look(l, s) : kinds_look(l, s));
}

static int
look(void *arg, int fd, const char *name, const struct tbuf_control *control,
    bool alive)
{
	struct session s;
	int stop = 0;
	unsigned i;

	(void)name;
	for (i = 0; i < TBUF_NSESSIONS && stop == 0; i++) {
		s = (struct session){
			.fd = fd, .control = control, .alive = alive
		};
		stop = session_look(arg, &s, i);
	}
	return (stop);
}

static int
look_directory(void *l, const struct tbuf_runtime *directory)
{
	int result = tbuf_runtime_scan(directory, look, l);

	return (result == -EAGAIN ? 0 : result);
}

int
tbuf_unit_list(int (*visit)(void *, const struct tbuf_unit_status *),
    void *arg)
{
	struct look l = { .unit = visit, .arg = arg };

	tbuf_life_withdraw();
	return (tbuf_runtimes_visit(0, look_directory, &l));
}

int
tbuf_unit_figures(int (*visit)(void *, const struct tbuf_unit_figures *),
    void *arg)
{
	struct look l = { .figures = visit, .arg = arg };

	tbuf_life_withdraw();
	return (tbuf_runtimes_visit(0, look_directory, &l));
}

/*
 * Returns true for a part of a recorded session that has a later part, which
 * has the sums of both.
 */
static bool
is_continued(const struct tbuf_target *t)
{
	const struct tbuf_target *o = t;

	while (t->recording != 0 && (o = TAILQ_NEXT(o, link)) != NULL)
		if (o->recording == t->recording && o->pid == t->pid &&
		    o->generation == t->generation &&
		    tbuf_view_control(&o->view)->random ==
		    tbuf_view_control(&t->view)->random)
			return (true);
	return (false);
}

int
tbuf_consumer_units(struct tbuf_consumer *c,
    int (*unit)(void *, const struct tbuf_unit_status *),
    int (*figures)(void *, const struct tbuf_unit_figures *), void *arg)
{
	struct look l = { unit, figures, arg };
	struct tbuf_control control;
	struct tbuf_target *t;
	struct session s;
	int stop = 0;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!t->file_only || (unit == NULL && is_continued(t)) ||
		    !tbuf_target_read(t, &control, sizeof(control), 0))
			continue;
		control.comm[sizeof(control.comm) - 1] = '\0';
		s = (struct session){
			.fd = t->fd, .cut = t->cut, .control = &control,
			.alive = t->changing
		};
		stop = session_look(&l, &s, t->file_slot);
		if (stop != 0)
			break;
	}
	return (stop);
}
