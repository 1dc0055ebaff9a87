/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target is killed during the end of a work unit: before its envelope or
 * commit record is written, after that was written, refused or overwritten, and
 * after its table was released.  Until then its records are read from the
 * table, later from the lane; either way each is accounted for once
 * [inv.account]. This program contains the library's objects, to use hidden
 * names.
 */
#include <sys/wait.h>

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"
#include "target/unit/unit_cached_end.h"

enum moment {
	BEFORE,			/* before the record */
	BEHIND,			/* after it; the unit still has the table */
	OVER			/* after the table was released */
};

static void	at(enum moment);

#define tbuf_record_emit(f)						\
	(at(BEFORE), (tbuf_record_emit)(f))
#define tbuf_lock_write(f, place)					\
	(at(BEFORE), (tbuf_lock_write)((f), (place)), at(BEHIND))
/* finish_here() finishes the table, then the unit is counted. */
#define tbuf_bound_do(b, work, argument)				\
	((work) == finish_here ? at(BEHIND) : (void)0,			\
	(tbuf_bound_do)((b), (work), (argument)))
#define tbuf_bound_add(b, word, n)					\
	(at(OVER), (tbuf_bound_add)((b), (word), (n)))
#define tbuf_unit_count(b, word)					\
	(at(OVER), (tbuf_unit_count)((b), (word)))

#include "target/unit/unit_end.c"

/* A target fires, begins a unit that fires, and is killed while it ends it. */
static struct plan {
	const char *options;
	unsigned before, unit, behind;	/* fires before, in and after it */
	bool lost;		/* the unit's record is lost */
} plans[] = {
	{ "fill,bufsize=64k", 3, 5, 0, false },
	{ "fill,bufsize=64k", 3, 100, 0, false },
	{ "ring,bufsize=64k", 3, 5, 0, false },
	{ "ring,bufsize=64k", 3, 100, 0, false },
	/* There is no room now or ever, nor any for later records. */
	{ "fill,bufsize=512", 8, 5, 3, true },
	{ "fill,bufsize=512", 40, 5, 3, true },
	{ "fill,bufsize=512", 40, 100, 3, true },
	{ "fill,bufsize=512", 3, 20, 0, true },
	/*
	 * Older and later records surround the unit's record, which is
	 * overwritten.
	 */
	{ "ring,bufsize=512", 40, 5, 40, true },
	{ "ring,bufsize=512", 40, 100, 40, true },
	{ "ring,bufsize=512", 3, 20, 0, true },
};

static const struct plan *plan;
static enum moment last;
static struct guest_page *page;

static void
at(enum moment moment)
{
	/* On the lock path a lock is held until the table is released. */
	if (moment == (tbuf_self.rseq ? BEHIND : OVER))
		guest_fire(page, plan->behind);
	if (moment == last)
		kill(getpid(), SIGKILL);
}

/* Runs on one CPU, so that all records are in one lane. */
static void
target(struct guest_page *p, const char *argument)
{
	char options[128];
	uint64_t unit;
	cpu_set_t one;
	unsigned i, when;
	int cpu = sched_getcpu(), error;

	guest_next(p);
	GUEST_EXPECT(sscanf(argument, "%u:%u", &i, &when) == 2, "%s",
	    argument);
	page = p;
	plan = &plans[i];
	last = when;
	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : (unsigned)cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
	snprintf(options, sizeof(options),
	    "nunits=2,unitsize=64k,bufpolicy=%s,probes=guest:::", plan->options);
	error = tbuf_recorder_start(options);
	GUEST_EXPECT(error == 0, "%s: %s", options, strerror(-error));
	guest_fire(page, plan->before);
	unit = tbuf_unit_begin("unit", 1);
	GUEST_EXPECT(unit != 0, "no unit");
	guest_fire(page, plan->unit);
	(void)tbuf_unit_end(unit, 1);
	GUEST_EXPECT(false, "it is still there");
}

/* Takes all events and returns the number of records of the unit. */
static uint64_t
take(struct tbuf_consumer *c, struct guest_tally *t)
{
	struct tbuf_event e;
	uint64_t given = 0;

	while (tbuf_consumer_next(c, &e) > 0) {
		if (e.type == TBUF_EVENT_RECORD) {
			t->records++;
			given += e.record.unit != NULL;
		} else if (e.type == TBUF_EVENT_DROPS ||
		    e.type == TBUF_EVENT_UNIT_DROPS)
			t->drops += e.count;
		else if (e.type == TBUF_EVENT_OVERWRITTEN ||
		    e.type == TBUF_EVENT_UNIT_OVERWRITTEN)
			t->overwritten += e.count;
	}
	return (given);
}

static void
check(const struct plan *p, enum moment when)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct guest_tally tally = { 0 };
	struct guest_page *shared;
	char argument[16];
	uint64_t given = 0;
	int status;
	pid_t pid;

	snprintf(argument, sizeof(argument), "%u:%u", (unsigned)(p - plans),
	    (unsigned)when);
	pid = guest_start(&shared, NULL, argument);
	__atomic_add_fetch(&shared->told, 1, __ATOMIC_RELEASE);
	GUEST_EXPECT(waitpid(pid, &status, 0) == pid && status == SIGKILL,
	    "it ended with %#x", (unsigned)status);
	GUEST_EXPECT(c != NULL && tbuf_consumer_open_pid(c, pid) == 0, "%s",
	    c == NULL ? "no memory" : tbuf_consumer_error(c));
	guest_go(c);
	while (tbuf_consumer_work(c) > 0)
		given += take(c, &tally);
	given += take(c, &tally);
	tbuf_consumer_close(c);
	GUEST_EXPECT(given == (when == OVER && p->lost ? 0 : p->unit),
	    "%s, %s: %" PRIu64 " records of the unit", p->options, argument,
	    given);
	GUEST_EXPECT(tally.records - given <= p->before, "%s, %s: %" PRIu64
	    " other records", p->options, argument, tally.records - given);
	guest_account(&tally, shared->after);
}

static void
test_unit_of_a_killed_process_is_accounted_for_once(void)
{
	const struct plan *p;
	unsigned when;

	for (p = plans; p < plans + sizeof(plans) / sizeof(plans[0]); p++)
		for (when = BEFORE; when <= OVER; when++)
			check(p, when);
}

static const struct guest_case cases[] = {
	{ "unit_of_a_killed_process_is_accounted_for_once",
	    test_unit_of_a_killed_process_is_accounted_for_once, target, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
