/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Work units under threads, signals, moves and kills.  All records of a unit
 * that failed are read, in order; of a unit that succeeded, only the selected
 * ones; of a unit of a process that was killed, all that it had.  Each fire is
 * a record, a drop, overwritten or discarded.
 *
 *	units [-s seed] [targets]
 *
 * A record has its unit's id, which determines the outcome, and its number
 * within the unit; the last record is selected.  Handlers fire in between, with
 * numbers of their own.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <fcntl.h>

#include "common.h"

#define UNITS		400u		/* of each thread */
#define THREADS		4u
#define BOXES		8u
#define TAKEN		UINT64_MAX

/* ------------------------------------------------------------ the target */

static struct stress_page *page;
static __thread unsigned self;
static uint64_t boxes[BOXES];		/* units handed to other threads */
static uint64_t ids[BOXES];

static struct stress_counter *
counter(enum stress_kind kind)
{
	return (&page->who[self * STRESS_KINDS + kind]);
}

static void
handler(int sig)
{
	struct stress_counter *k = counter(STRESS_TIMED);

	(void)sig;
	__atomic_add_fetch(&k->before, 1, __ATOMIC_RELAXED);
	TBUF_PROBE(stress, signal, k->before);
	__atomic_add_fetch(&k->after, 1, __ATOMIC_RELAXED);
}

static void
fire(uint64_t id, uint64_t n)
{
	struct stress_counter *k = counter(STRESS_THREAD);

	__atomic_add_fetch(&k->before, 1, __ATOMIC_RELAXED);
	if (n % 3 == 2)
		TBUF_PROBE(stress, text, id, n, "some words of a record");
	else
		TBUF_PROBE(stress, step, id, n);
	__atomic_add_fetch(&k->after, 1, __ATOMIC_RELAXED);
}

static void
fire_last(uint64_t id, uint64_t n)
{
	struct stress_counter *k = counter(STRESS_THREAD);

	__atomic_add_fetch(&k->before, 1, __ATOMIC_RELAXED);
	TBUF_PROBE_SEL(TBUF_SEL_FAILURE | TBUF_SEL_SUCCESS, stress, last, id,
	    n);
	__atomic_add_fetch(&k->after, 1, __ATOMIC_RELAXED);
}

/* Returns the number of records of a unit before its last one. */
static uint64_t
length(uint64_t id)
{
	return (id % 7 == 0 ? id % 211 : id % 11);
}

static int
outcome(uint64_t id)
{
	return (id % 3 == 0 ? 5 : 0);
}

static void
unit_run(uint64_t id, uint64_t unit)
{
	uint64_t n, most = length(id);

	for (n = most / 2; n < most; n++)
		fire(id, n);
	fire_last(id, most);
	(void)tbuf_unit_end(unit, outcome(id));
}

/* Continues a unit that another thread began, if the box has one. */
static void
unit_fetch(unsigned box)
{
	uint64_t unit = __atomic_load_n(&boxes[box], __ATOMIC_ACQUIRE), id;

	/* TAKEN reserves the box until the id is read. */
	if (unit == 0 || unit == TAKEN || !__atomic_compare_exchange_n(
	    &boxes[box], &unit, TAKEN, false, __ATOMIC_ACQ_REL,
	    __ATOMIC_RELAXED))
		return;
	id = __atomic_load_n(&ids[box], __ATOMIC_RELAXED);
	__atomic_store_n(&boxes[box], 0, __ATOMIC_RELEASE);
	STRESS_EXPECT(tbuf_unit_enter(unit) == 0, "enter");
	unit_run(id, unit);
}

static bool
unit_send(unsigned box, uint64_t id, uint64_t unit)
{
	uint64_t none = 0;

	if (unit == 0 || !__atomic_compare_exchange_n(&boxes[box], &none,
	    TAKEN, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return (false);
	STRESS_EXPECT(tbuf_unit_leave(unit) == 0, "leave");
	__atomic_store_n(&ids[box], id, __ATOMIC_RELAXED);
	__atomic_store_n(&boxes[box], unit, __ATOMIC_RELEASE);
	return (true);
}

static void *
thread_main(void *argument)
{
	uint64_t id, n, unit, i;

	self = (unsigned)(uintptr_t)argument;
	for (i = 0; i < UNITS || page->fires == 0; i++) {
		id = i * THREADS + self;
		unit = tbuf_unit_begin(id % 2 ? "odd" : "even", id);
		for (n = 0; n < length(id) / 2; n++)
			fire(id, n);
		if (id % 5 != 0 || !unit_send((unsigned)(id % BOXES), id, unit))
			unit_run(id, unit);
		else
			unit_fetch((unsigned)((id + 3) % BOXES));
	}
	return (NULL);
}

static void
target_main(const char *path)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	pthread_t threads[THREADS];
	struct sigaction sa;
	uintptr_t i;
	int fd = open(path, O_RDWR);

	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	STRESS_EXPECT(page != MAP_FAILED, "page");
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 1; i < THREADS; i++)
		STRESS_EXPECT(pthread_create(&threads[i], NULL, thread_main,
		    (void *)i) == 0, "thread");
	(void)thread_main((void *)0);
	for (i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	for (i = 0; i < BOXES; i++)
		unit_fetch((unsigned)i);
	exit(0);
}

/* ------------------------------------------------------------ the tester */

struct tally {
	uint64_t records, drops, overwritten, discarded, without;
	uint64_t units, unfinished;	/* read; unfinished records */
	uint64_t gaps;			/* records missing from units */
	uint64_t id, next;		/* of the current unit */
	bool any;			/* there is one, which failed */
};

/* Checks a record's number within its unit; handlers have no such number. */
static void
record_take(void *tally, const struct tbuf_record *r)
{
	struct tally *t = tally;
	const char *name = r->probe->name;
	uint64_t id, n;

	t->records++;
	if (strcmp(name, "signal") == 0)
		return;
	STRESS_EXPECT(r->nargs >= 2, "%u arguments", r->nargs);
	id = r->args[0].u;
	n = r->args[1].u;
	if (r->unit == NULL)
		return;
	STRESS_EXPECT(r->unit->id == id, "%" PRIu64 " in unit %" PRIu64, id,
	    r->unit->id);
	STRESS_EXPECT(strcmp(r->unit->kind, id % 2 ? "odd" : "even") == 0,
	    "unit %" PRIu64 " is %s", id, r->unit->kind);
	if (!r->unit->ended) {
		t->unfinished++;
		return;
	}
	STRESS_EXPECT(r->unit->outcome == outcome(id), "unit %" PRIu64
	    " has %d", id, r->unit->outcome);
	if (r->unit->outcome == 0) {
		STRESS_EXPECT(strcmp(name, "last") == 0,
		    "%s is kept of unit %" PRIu64, name, id);
		t->units++;
		return;
	}
	if (!t->any || t->id != id) {
		t->any = true;
		t->id = id;
		t->next = 0;
	}
	STRESS_EXPECT(n >= t->next, "%" PRIu64 " of unit %" PRIu64
	    " comes after %" PRIu64, n, id, t->next);
	t->gaps += n - t->next;
	t->next = n + 1;
	if (n == length(id)) {
		STRESS_EXPECT(strcmp(name, "last") == 0, "the last one is %s",
		    name);
		t->units++;
		t->any = false;
	}
}

/*
 * Compares all counts with the fires.  Those that a killed process had begun
 * may count or not.
 */
static void
check_account(const struct stress_page *p, const struct tally *t, bool killed)
{
	struct stress_sum sum = stress_page_sum(p);
	uint64_t lost = t->drops + t->overwritten + t->discarded;

	if (killed) {
		/* An outcome may be stored but not yet counted. */
		STRESS_EXPECT(t->records <= sum.before, "%" PRIu64
		    " records of %" PRIu64 " fires", t->records, sum.before);
		STRESS_EXPECT(t->records + lost + THREADS * 211 >= sum.after,
		    "%" PRIu64 " records + %" PRIu64 " of %" PRIu64,
		    t->records, lost, sum.after);
		return;
	}
	STRESS_EXPECT(t->records + lost == sum.after, "%" PRIu64
	    " records + %" PRIu64 " drops + %" PRIu64 " overwritten + %" PRIu64
	    " discarded, not %" PRIu64, t->records, t->drops, t->overwritten,
	    t->discarded, sum.after);
	if (t->drops + t->overwritten + t->without != 0)
		return;
	STRESS_EXPECT(t->gaps == 0, "%" PRIu64 " records are missing", t->gaps);
	STRESS_EXPECT(t->units == UNITS * THREADS, "%" PRIu64 " units",
	    t->units);
	STRESS_EXPECT(t->unfinished == 0, "%" PRIu64 " records of units that "
	    "have not ended", t->unfinished);
}

static const char *
pick(uint64_t *random, const char *const *from, unsigned n)
{
	return (from[stress_random(random) % n]);
}

static void
run(uint64_t *random)
{
	static const char *const policies[] = { "switch", "switch", "ring" };
	static const char *const tables[] = { "1", "4", "64", "64" };
	static const char *const sizes[] = { "1k", "8k", "64k" };
	static const char *const unit_policies[] = { "fill", "ring" };
	static const char *const bufsizes[] = { "4k", "256k", "4m" };
	bool rseq = stress_random(random) % 4 != 0;
	bool killed = stress_random(random) % 3 == 0;
	const char *policy = pick(random, policies, 3);
	const char *n = pick(random, tables, 4);
	const char *size = pick(random, sizes, 3);
	const char *unit_policy = pick(random, unit_policies, 2);
	const char *bufsize = pick(random, bufsizes, 3);
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tally t = { .records = 0 };
	struct stress_events events = {
		.take = record_take, .argument = &t, .counts = {
			[TBUF_EVENT_DROPS] = &t.drops,
			[TBUF_EVENT_UNIT_DROPS] = &t.drops,
			[TBUF_EVENT_OVERWRITTEN] = &t.overwritten,
			[TBUF_EVENT_UNIT_OVERWRITTEN] = &t.overwritten,
			[TBUF_EVENT_DISCARDED] = &t.discarded,
			[TBUF_EVENT_UNITS] = &t.without
		}
	};
	struct stress_killer killer;
	char path[64], target[] = "target", self_path[] = "/proc/self/exe";
	struct stress_page *p = stress_page_new(path);
	char *argv[] = { self_path, target, path, NULL };

	killer.page = p;
	killer.fires = stress_random(random) % 5000;
	p->fires = killed ? 0 : 1;
	stress_context("%s, bufsize %s, %s tables of %s, %s, %s, %s", policy,
	    bufsize, n, size, unit_policy, rseq ? "rseq" : "locks",
	    killed ? "killed" : "to its end");
	STRESS_EXPECT(c != NULL &&
	    tbuf_consumer_set(c, "bufpolicy", policy) == 0 &&
	    tbuf_consumer_set(c, "bufsize", bufsize) == 0 &&
	    tbuf_consumer_set(c, "nunits", n) == 0 &&
	    tbuf_consumer_set(c, "unitsize", size) == 0 &&
	    tbuf_consumer_set(c, "unitpolicy", unit_policy) == 0 &&
	    tbuf_consumer_set(c, "switchrate", "1ms") == 0 &&
	    tbuf_consumer_enable(c, "stress:::") == 0, "options: %s",
	    tbuf_consumer_error(c));
	killer.pid = stress_go(c, argv, rseq);
	if (killed)
		stress_killer_start(&killer);
	stress_events_consume(&events, c);
	STRESS_EXPECT(events.exited, "its end was not told");
	if (killed)
		stress_killer_join(&killer);
	tbuf_consumer_close(c);
	check_account(p, &t, killed);
	stress_page_free(p, path);
}

int
main(int argc, char **argv)
{
	struct stress_arguments arguments;
	uint64_t i;

	if (argc == 3 && strcmp(argv[1], "target") == 0)
		target_main(argv[2]);
	arguments = stress_arguments(argc, argv, 30);
	stress_directory_make();
	for (i = 0; i < arguments.count; i++)
		run(&arguments.seed);
	stress_directory_remove();
	printf("%" PRIu64 " targets: units are whole and in order, and all "
	    "fires are accounted for\n", i);
	return (0);
}
