/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The sum of the durations of ended units is exact: of units whose records are
 * discarded or kept, with tables and without, of several kinds in one table,
 * that other threads end or abandon, in a forked child, and of a process that
 * is killed, but for the units that were about to end then.
 *
 * The library's files that read the clock for units are compiled with another
 * one, so that the durations are known (support/unit_clock.h).
 */
#include <sys/wait.h>

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"
#include "guest/support/unit_clock.h"
#include "shared/session_build.h"

#define THREADS		4u
#define ROUNDS		3000u

static struct guest_page *page;
static uint64_t reading;		/* of the clock, last */
static __thread uint64_t last;		/* as this thread read it */
static __thread uint64_t unfinished[2];	/* the unit's number, and its begin */
static __thread bool ending;

/* Words of the page's value; threads add to them. */
enum { DURATIONS, FLYING, UNITS };

static void
add(int value, uint64_t n)
{
	__atomic_add_fetch(&page->value[value], n, __ATOMIC_SEQ_CST);
}

/* Each reading differs from the one before it by 1 to 97. */
uint64_t
unit_clock(void)
{
	uint64_t step = 1 + last % 97;

	last = __atomic_add_fetch(&reading, step, __ATOMIC_RELAXED);
	if (ending) {
		ending = false;
		add(FLYING, last - unfinished[1]);
	}
	return (last);
}

/* On the lock path all lanes may be busy for too long, and there is no unit. */
static void
begin(const char *kind, uint64_t id, uint64_t unit[2])
{
	do
		unit[0] = tbuf_unit_begin(kind, id);
	while (unit[0] == 0 && guest_locks());
	unit[1] = last;
	GUEST_EXPECT(unit[0] != 0, "no unit");
}

/* Ends a unit by a function, and counts its duration. */
static void
end(int (*by)(uint64_t, int), const uint64_t unit[2], int outcome)
{
	uint64_t duration;

	unfinished[1] = unit[1];
	ending = true;
	GUEST_EXPECT(by(unit[0], outcome) == 0, "it has not ended");
	duration = last - unit[1];
	add(DURATIONS, duration);
	add(UNITS, 1);
	add(FLYING, -duration);
}

/* ------------------------------------------------------------ the file */

struct sums {
	uint64_t ticks;
	uint64_t units;
};

static void
read_at(int fd, void *to, size_t size, uint64_t at)
{
	GUEST_EXPECT(pread(fd, to, size, (off_t)at) == (ssize_t)size,
	    "the file is short");
}

/* Adds the words of a file.  Returns false if it has no recorder's session. */
static bool
sums_of_file(int fd, struct sums *sums)
{
	static struct tbuf_units units;
	struct tbuf_unit_ticks ticks;
	struct tbuf_slot slot;
	uint64_t size;
	uint32_t n, i, k;

	read_at(fd, &slot, sizeof(slot), TBUF_SLOTS);
	n = tbuf_terms_units(&slot.terms, &size);
	if (n == 0 || slot.units.at == 0)
		return (false);
	read_at(fd, &units, sizeof(units), slot.units.at);
	for (k = 0; k < TBUF_UNIT_KINDS; k++) {
		sums->ticks += units.kinds[k].ticks;
		for (i = 0; i < TBUF_UNIT_BUCKETS; i++)
			sums->units += units.kinds[k].durations[i];
	}
	for (i = 0; i < n; i++) {
		read_at(fd, &ticks, sizeof(ticks), slot.units.at +
		    tbuf_units_ticks(n) + i * sizeof(ticks));
		for (k = 0; k < TBUF_UNIT_KINDS; k++)
			sums->ticks += ticks.kinds[k];
	}
	return (true);
}

/* Reads the files of a process that has ended, and of its children. */
static struct sums
sums_of(pid_t pid, bool alone)
{
	struct sums sums = { 0, 0 };
	char pattern[4096];
	glob_t found;
	size_t i;
	int fd;

	if (alone)
		snprintf(pattern, sizeof(pattern), "%s/tbuf.%d.*",
		    guest_directory(), (int)pid);
	else
		snprintf(pattern, sizeof(pattern), "%s/tbuf.[0-9]*.*",
		    guest_directory());
	GUEST_EXPECT(glob(pattern, 0, NULL, &found) == 0, "no %s", pattern);
	for (i = 0; i < found.gl_pathc; i++) {
		fd = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC);
		GUEST_EXPECT(fd != -1, "open");
		if (sums_of_file(fd, &sums))
			unlink(found.gl_pathv[i]);
		close(fd);
	}
	globfree(&found);
	return (sums);
}

/* ------------------------------------------------------------ the target */

static uint64_t box[2];			/* a unit that a thread hands over */

static bool
box_take(uint64_t unit[2])
{
	unit[1] = __atomic_load_n(&box[1], __ATOMIC_RELAXED);
	unit[0] = __atomic_exchange_n(&box[0], 0, __ATOMIC_ACQ_REL);
	return (unit[0] > 1);
}

static void
box_put(const uint64_t unit[2])
{
	uint64_t none = 0;

	GUEST_EXPECT(tbuf_unit_leave(unit[0]) == 0, "leave");
	while (!__atomic_compare_exchange_n(&box[0], &none, 1, false,
	    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		none = 0;
		sched_yield();
	}
	__atomic_store_n(&box[1], unit[1], __ATOMIC_RELAXED);
	__atomic_store_n(&box[0], unit[0], __ATOMIC_RELEASE);
}

static void
round_run(uint64_t n)
{
	static const char *const kinds[] = { "a", "a", "a", "b", "c" };
	uint64_t unit[2], inner[2];

	begin(kinds[n % 5], n, unit);
	guest_fire(page, n % 4);
	if (n % 11 == 0) {
		begin("inner", n, inner);
		guest_fire(page, 1);
		end(tbuf_unit_end, inner, (int)(n % 2));
	}
	end(tbuf_unit_end, unit, n % 7 == 0);
}

static void *
rounds(void *argument)
{
	uint64_t n, mine = (uintptr_t)argument, count = ROUNDS;

	if (mine >= THREADS) {
		mine -= THREADS;
		count = UINT64_MAX;
	}
	for (n = 0; n < count; n++)
		round_run(n * THREADS + mine);
	return (NULL);
}

static void
threads(uintptr_t first)
{
	pthread_t all[THREADS];
	uintptr_t i;

	for (i = 0; i < THREADS; i++)
		GUEST_EXPECT(pthread_create(&all[i], NULL, rounds,
		    (void *)(first + i)) == 0, "pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

static void *
giver(void *argument)
{
	uint64_t unit[2], n;

	(void)argument;
	for (n = 0; n < ROUNDS; n++) {
		begin(n % 3 == 0 ? "a" : "b", n, unit);
		guest_fire(page, n % 3);
		box_put(unit);
	}
	return (NULL);
}

static void
handing_over(void)
{
	uint64_t unit[2], taken = 0;
	pthread_t thread;

	GUEST_EXPECT(pthread_create(&thread, NULL, giver, NULL) == 0,
	    "pthread_create");
	while (taken < ROUNDS)
		if (__atomic_load_n(&box[0], __ATOMIC_ACQUIRE) > 1 &&
		    box_take(unit)) {
			end(tbuf_unit_end, unit, taken++ % 2 == 0);
			round_run(taken);
		} else
			sched_yield();
	pthread_join(thread, NULL);
}

/* A thread that is in its unit until it is told to go on. */
struct hung {
	uint64_t unit[2];
	uint32_t stage;
};

static void *
hang(void *argument)
{
	struct hung *h = argument;

	begin("hung", 1, h->unit);
	guest_fire(page, 3);
	__atomic_store_n(&h->stage, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&h->stage, __ATOMIC_ACQUIRE) != 2)
		sched_yield();
	guest_fire(page, 1);
	(void)tbuf_unit_end(h->unit[0], 0);
	return (NULL);
}

static void
abandoning(void)
{
	pthread_t thread;
	unsigned n;

	for (n = 0; n < 50; n++) {
		struct hung h = { .stage = 0 };

		GUEST_EXPECT(pthread_create(&thread, NULL, hang, &h) == 0,
		    "pthread_create");
		while (__atomic_load_n(&h.stage, __ATOMIC_ACQUIRE) != 1)
			sched_yield();
		round_run(n);
		end(tbuf_unit_abandon, h.unit, n % 2 == 0);
		__atomic_store_n(&h.stage, 2, __ATOMIC_RELEASE);
		pthread_join(thread, NULL);
	}
}

/* A child is made during a unit, which is its parent's. */
static void
forking(void)
{
	uint64_t unit[2], n;
	int status;
	pid_t pid;

	for (n = 0; n < 5; n++) {
		round_run(n);
		begin("a", n, unit);
		if ((pid = fork()) == 0) {
			GUEST_EXPECT(tbuf_unit_end(unit[0], 0) != 0, "ended");
			for (n = 0; n < 100; n++)
				round_run(n);
			_exit(0);
		}
		end(tbuf_unit_end, unit, 0);
		GUEST_EXPECT(waitpid(pid, &status, 0) == pid && status == 0,
		    "the child ended with %#x", (unsigned)status);
	}
}

/* The argument is the number of tables and a letter. */
static void
target(struct guest_page *p, const char *argument)
{
	char options[128];
	unsigned tables;
	char way;
	int error;

	guest_next(p);
	page = p;
	GUEST_EXPECT(sscanf(argument, "%u%c", &tables, &way) == 2, "%s",
	    argument);
	snprintf(options, sizeof(options), "nunits=%u,unitsize=4k,"
	    "bufpolicy=ring,bufsize=64k,follow,probes=guest:::", tables);
	error = tbuf_recorder_start(options);
	GUEST_EXPECT(error == 0, "%s: %s", options, strerror(-error));
	switch (way) {
	case 't':
		threads(0);
		break;
	case 'h':
		handing_over();
		break;
	case 'a':
		abandoning();
		break;
	case 'f':
		forking();
		break;
	default:
		threads(THREADS);
	}
}

static void
try(const char *argument)
{
	struct guest_page *p;
	pid_t pid = guest_start(&p, NULL, argument);
	struct sums sums;

	guest_wait(p, pid);
	sums = sums_of(pid, false);
	/* On the lock path a word is not counted if all lanes are busy. */
	if (guest_locks() && sums.units < p->value[UNITS])
		return;
	GUEST_EXPECT(sums.units == p->value[UNITS], "%s: %" PRIu64 " of %"
	    PRIu64 " units", argument, sums.units, p->value[UNITS]);
	GUEST_EXPECT(sums.ticks == p->value[DURATIONS], "%s: %" PRIu64 " of %"
	    PRIu64 " ticks", argument, sums.ticks, p->value[DURATIONS]);
}

/* ------------------------------------------------------------ cases */

/* With one table most units have none, and a table has all kinds in turn. */
static void
test_sum_of_units_of_many_threads_is_exact(void)
{
	try("16t");
	try("1t");
}

static void
test_sum_of_units_that_other_threads_end_is_exact(void)
{
	try("16h");
	try("2h");
	try("16a");
	try("1a");
}

static void
test_forked_child_has_a_sum_of_its_own(void)
{
	try("16f");
}

static void
test_killed_process_has_a_sum_but_for_ends_under_way(void)
{
	struct guest_page *p;
	struct sums sums;
	unsigned i;
	pid_t pid;
	int status;

	for (i = 0; i < 20; i++) {
		pid = guest_start(&p, NULL, i % 2 == 0 ? "16k" : "2k");
		__atomic_add_fetch(&p->told, 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&p->value[UNITS], __ATOMIC_RELAXED) <
		    100 * i)
			sched_yield();
		kill(pid, SIGKILL);
		GUEST_EXPECT(waitpid(pid, &status, 0) == pid, "waitpid");
		sums = sums_of(pid, true);
		/*
		 * In end(), a duration may be in both words, or in neither.  On
		 * the lock path a word is not counted if all lanes are busy.
		 */
		GUEST_EXPECT((guest_locks() ||
		    sums.ticks >= p->value[DURATIONS]) &&
		    sums.ticks <= p->value[DURATIONS] + p->value[FLYING],
		    "%" PRIu64 " ticks, not from %" PRIu64 " to %" PRIu64,
		    sums.ticks, p->value[DURATIONS],
		    p->value[DURATIONS] + p->value[FLYING]);
	}
}

static const struct guest_case cases[] = {
	{ "sum_of_units_of_many_threads_is_exact",
	    test_sum_of_units_of_many_threads_is_exact, target, 0 },
	{ "sum_of_units_that_other_threads_end_is_exact",
	    test_sum_of_units_that_other_threads_end_is_exact, target, 0 },
	{ "forked_child_has_a_sum_of_its_own",
	    test_forked_child_has_a_sum_of_its_own, target, 0 },
	{ "killed_process_has_a_sum_but_for_ends_under_way",
	    test_killed_process_has_a_sum_but_for_ends_under_way, target, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
