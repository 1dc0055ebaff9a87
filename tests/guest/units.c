/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Work units in a process that forks or shares its thread area, and in a
 * program that makes mistakes: an invalid number, a unit that two threads end
 * at once, a thread that ends inside a unit.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"

#define FIRES	20000u
#define ROUNDS	5000u

/* Begins a session that keeps all records in tables large enough for a case. */
static struct tbuf_consumer *
begin_with(const char *tables)
{
	struct tbuf_consumer *c = guest_consumer("switch", "4m");

	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", tables) == 0 &&
	    tbuf_consumer_set(c, "unitsize", "4m") == 0 &&
	    tbuf_consumer_set(c, "unitselect", "0:0xffffffff") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	return (c);
}

static struct tbuf_consumer *
begin(void)
{
	return (begin_with("16"));
}

static void
child_wait(pid_t pid)
{
	int status;

	GUEST_EXPECT(waitpid(pid, &status, __WALL) == pid, "waitpid: %s",
	    strerror(errno));
	GUEST_EXPECT(status == 0, "the child ended with %#x", status);
}

/* ------------------------------------------------------------ children */

static pid_t
raw_fork(void)
{
	return ((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

/* A child that is not traced cannot use its parent's unit. */
static int
stranger(uint64_t unit)
{
	struct guest_page page = { 0 };

	guest_fire(&page, 100);
	if (tbuf_unit_enter(unit) != -ENOENT ||
	    tbuf_unit_leave(unit) != -ENOENT ||
	    tbuf_unit_end(unit, 1) != -ENOENT)
		return (1);
	guest_fire(&page, 100);
	return (tbuf_unit_end(tbuf_unit_begin("child", 2), 0) == 0 ? 0 : 2);
}

/* A child of a raw fork is not known to be one; its calls have no effect. */
static int
stranger_raw(uint64_t unit)
{
	struct guest_page page = { 0 };

	guest_fire(&page, 100);
	(void)tbuf_unit_end(unit, 1);
	guest_fire(&page, 100);
	return (0);
}

static void
fork_within(pid_t (*how)(void), int (*child)(uint64_t))
{
	struct tbuf_consumer *c = begin();
	struct guest_page page = { 0 };
	struct guest_tally tally = { 0 };
	uint64_t unit = tbuf_unit_begin("parent", 1);
	pid_t pid;

	GUEST_EXPECT(unit != 0, "no unit");
	guest_fire(&page, 10);
	if ((pid = how()) == 0)
		_exit(child(unit));
	child_wait(pid);
	guest_fire(&page, 200);
	GUEST_EXPECT(tbuf_unit_end(unit, 0) == 0, "it has ended");
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
	GUEST_EXPECT(tally.drops == 0, "%" PRIu64 " drops", tally.drops);
}

static void
test_child_of_a_fork_within_a_unit_is_not_in_it(void)
{
	fork_within(fork, stranger);
}

static void
test_child_of_a_raw_fork_does_not_end_its_parents_unit(void)
{
	fork_within(raw_fork, stranger_raw);
}

static uint32_t begun;

static int
clone_main(void *page)
{
	__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
	guest_fire(page, FIRES);
	/* Such a task must not use the C library's exit. */
	syscall(SYS_exit, 0);
	return (0);
}

static void
clone_within(int flags)
{
	struct tbuf_consumer *c = begin();
	struct guest_page parent = { 0 }, child = { 0 };
	struct guest_tally tally = { 0 };
	char *stack = mmap(NULL, 256 << 10, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t unit = tbuf_unit_begin("both", 1);
	pid_t pid;

	GUEST_EXPECT(unit != 0 && stack != MAP_FAILED, "no unit");
	begun = 0;
	pid = clone(clone_main, stack + (256 << 10), flags | SIGCHLD, &child);
	GUEST_EXPECT(pid > 0, "clone: %s", strerror(errno));
	while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	guest_fire(&parent, FIRES);
	child_wait(pid);
	GUEST_EXPECT(tbuf_unit_end(unit, 0) == 0, "it has ended");
	guest_finish(c, &tally);
	guest_account(&tally, parent.after + child.after);
}

static void
test_clone_that_shares_the_thread_area_is_in_its_unit(void)
{
	clone_within(CLONE_VM);
	clone_within(CLONE_VM | CLONE_VFORK);
}

/* ------------------------------------------------------------ misuse */

static uint64_t shared;		/* UINT64_MAX: the threads are to stop */
static uint32_t ended;

/* Ends the unit; retries while another thread has it. */
static void
end_shared(uint64_t unit)
{
	int error;

	while ((error = tbuf_unit_end(unit, 0)) == -EBUSY)
		continue;
	GUEST_EXPECT(error == 0 || error == -ENOENT, "error %d", error);
	if (error == 0 && unit != 0)
		__atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

/* Ends the current shared unit, and begins and ends others. */
static void *
end_often(void *argument)
{
	uint64_t unit, own;
	int error;

	while ((unit = __atomic_load_n(&shared, __ATOMIC_ACQUIRE)) !=
	    UINT64_MAX) {
		end_shared(unit);
		own = tbuf_unit_begin("own", 1);
		GUEST_EXPECT((error = tbuf_unit_end(own, 0)) == 0,
		    "own unit: %d", error);
	}
	return (argument);
}

static void
test_unit_that_many_threads_end_ends_once(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_page page = { 0 };
	struct guest_tally tally = { 0 };
	pthread_t threads[3];
	uint32_t units = 0;
	uint64_t unit;
	unsigned i;

	for (i = 0; i < 3; i++)
		GUEST_EXPECT(pthread_create(&threads[i], NULL, end_often,
		    NULL) == 0, "thread");
	for (i = 0; i < ROUNDS; i++) {
		unit = tbuf_unit_begin("shared", i);
		/*
		 * No unit begins if the holder of a lock lane was not run for
		 * long.
		 */
		units += unit != 0;
		guest_fire(&page, 1);
		GUEST_EXPECT(tbuf_unit_leave(unit) == 0, "leave");
		__atomic_store_n(&shared, unit, __ATOMIC_RELEASE);
		end_shared(unit);
	}
	__atomic_store_n(&shared, UINT64_MAX, __ATOMIC_RELEASE);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	GUEST_EXPECT(units != 0 && ended == units, "%u units ended %u times",
	    units, ended);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static void
test_number_that_is_none_is_refused(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	uint64_t unit = tbuf_unit_begin("this", 1), none;
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		/* 0 is the number of a unit that is not traced. */
		if ((none = unit ^ UINT64_C(1) << bit) == 0)
			continue;
		GUEST_EXPECT(tbuf_unit_enter(none) == -ENOENT &&
		    tbuf_unit_leave(none) == -ENOENT &&
		    tbuf_unit_end(none, 0) == -ENOENT, "unit %#" PRIx64 " is "
		    "one as %#" PRIx64 " is", none, unit);
	}
	GUEST_EXPECT(tbuf_unit_enter(unit) == -EBUSY, "it was entered twice");
	GUEST_EXPECT(tbuf_unit_end(unit, 0) == 0, "it cannot be ended");
	GUEST_EXPECT(tbuf_unit_end(unit, 0) == -ENOENT, "it ended twice");
	guest_finish(c, &tally);
}

/* A program that passes NULL, and does well untraced, does so traced. */
static void
test_kind_that_is_null_is_an_empty_one(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	uint64_t unit;
	unsigned i;

	for (i = 0; i < 3; i++) {
		unit = tbuf_unit_begin(i == 1 ? "" : NULL, i);
		GUEST_EXPECT(unit != 0 && tbuf_unit_end(unit, 0) == 0,
		    "unit %u", i);
	}
	guest_finish(c, &tally);
}

/* The unit was bound to a session that has ended; another session goes on. */
static void
test_unit_outlives_its_session(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_page page = { 0 };
	struct guest_tally tally = { 0 };
	uint64_t unit = tbuf_unit_begin("first", 1);

	guest_fire(&page, 10);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
	tally = (struct guest_tally){ 0 };
	page = (struct guest_page){ 0 };
	c = begin();
	guest_fire(&page, 10);
	GUEST_EXPECT(tbuf_unit_leave(unit) == 0 && tbuf_unit_enter(unit) == 0,
	    "it cannot be moved");
	guest_fire(&page, 10);
	GUEST_EXPECT(tbuf_unit_end(unit, 1) == 0, "it cannot be ended");
	guest_fire(&page, 10);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static void *
end_inside(void *unit)
{
	struct guest_page page = { 0 };

	*(uint64_t *)unit = tbuf_unit_begin("left", 1);
	guest_fire(&page, 10);
	return (NULL);
}

static struct tbuf_unit_status listed;

static int
take_listed(void *unused, const struct tbuf_unit_status *u)
{
	(void)unused;
	listed = *u;
	return (1);
}

/* Returns the thread that is inside the only unit. */
static uint32_t
inside(void)
{
	listed.inside = false;
	GUEST_EXPECT(tbuf_unit_list(take_listed, NULL) == 1, "no unit");
	return (listed.inside ? listed.tid : 0);
}

static void
test_thread_that_has_ended_is_in_no_unit(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	pthread_t thread;
	uint64_t unit = tbuf_unit_begin("first", 1);

	GUEST_EXPECT(inside() == (uint32_t)gettid(), "it is not this one's");
	GUEST_EXPECT(tbuf_unit_end(unit, 0) == 0, "end");
	GUEST_EXPECT(pthread_create(&thread, NULL, end_inside, &unit) == 0,
	    "thread");
	pthread_join(thread, NULL);
	/* The kernel may take a moment to remove the thread. */
	while (inside() != 0)
		sched_yield();
	guest_finish(c, &tally);
	guest_account(&tally, 10);
}

static void
test_unit_of_a_thread_that_has_ended_is_given(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	pthread_t thread;
	uint64_t unit;

	GUEST_EXPECT(pthread_create(&thread, NULL, end_inside, &unit) == 0,
	    "thread");
	pthread_join(thread, NULL);
	GUEST_EXPECT(tbuf_unit_enter(unit) == -EBUSY &&
	    tbuf_unit_end(unit, 1) == -EBUSY, "nobody is in it");
	guest_fire(&page, 10);
	guest_finish(c, &tally);
	guest_account(&tally, 20);
}

/*
 * Places cache the tables of units that have ended.  This thread's next unit
 * gets the place of the one that exceeded nunits.
 */
static void
test_table_that_is_kept_is_handed_over(void)
{
	struct tbuf_consumer *c = begin_with("2");
	struct guest_page page = { 0 };
	struct guest_tally tally = { 0 };
	uint64_t units[3], unit;
	unsigned i;

	for (i = 0; i < 3; i++)
		units[i] = tbuf_unit_begin("nested", i);
	for (i = 3; i > 0; i--)
		GUEST_EXPECT(tbuf_unit_end(units[i - 1], 0) == 0, "end");
	for (i = 0; i < 10; i++) {
		unit = tbuf_unit_begin("alone", i);
		guest_fire(&page, 3);
		GUEST_EXPECT(tbuf_unit_end(unit, 0) == 0, "end");
	}
	guest_finish(c, &tally);
	GUEST_EXPECT(tally.without == 1, "%" PRIu64 " units had no table",
	    tally.without);
	guest_account(&tally, page.after);
}

#define PLACES	1024u		/* for units of a process at a time */

/* A unit without a place in the process has no table, either. */
static void
test_unit_beyond_what_a_process_knows_is_counted(void)
{
	static uint64_t units[PLACES];
	struct tbuf_consumer *c = begin_with("16");
	struct guest_page page = { 0 };
	struct guest_tally tally = { 0 };
	unsigned i;

	for (i = 0; i < PLACES; i++) {
		units[i] = tbuf_unit_begin("known", i);
		GUEST_EXPECT(units[i] != 0, "no place for %u", i);
		GUEST_EXPECT(tbuf_unit_leave(units[i]) == 0, "leave");
	}
	for (i = 0; i < 5; i++) {
		GUEST_EXPECT(tbuf_unit_begin("unknown", i) == 0, "a place");
		guest_fire(&page, 3);
	}
	for (i = 0; i < PLACES; i++)
		GUEST_EXPECT(tbuf_unit_end(units[i], 0) == 0, "end");
	guest_finish(c, &tally);
	GUEST_EXPECT(tally.without == PLACES - 16 + 5, "%" PRIu64 " units had "
	    "no table", tally.without);
	guest_account(&tally, page.after);
}

#define IN_UNIT	1000u

/* Confines the thread to one CPU, so that only its lane is filled. */
static void
stay(void)
{
	cpu_set_t set, one;
	int cpu = 0;

	GUEST_EXPECT(sched_getaffinity(0, sizeof(set), &set) == 0, "CPUs");
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	GUEST_EXPECT(sched_setaffinity(0, sizeof(one), &one) == 0, "CPU %d",
	    cpu);
}

/*
 * Ends a unit with records that are too long for an envelope, while the lane
 * has no room for the commit record: all of them are drops.
 */
static void
refuse(const char *policy)
{
	struct tbuf_consumer *c = guest_consumer(policy, "4k");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	uint64_t unit;

	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", "1") == 0 &&
	    tbuf_consumer_set(c, "unitsize", "1m") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	guest_fire(&page, IN_UNIT);
	unit = tbuf_unit_begin("failed", 1);
	guest_fire(&page, IN_UNIT);
	GUEST_EXPECT(tbuf_unit_end(unit, 1) == 0, "end");
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
	GUEST_EXPECT(tally.records < IN_UNIT && tally.without == 0, "%" PRIu64
	    " records, %" PRIu64 " units without a table", tally.records,
	    tally.without);
}

/*
 * Ends a unit while the lane has no room for its envelope or commit record.
 * Its records are drops as soon as the lane has been read.
 */
static void
refuse_early(uint32_t records)
{
	struct tbuf_consumer *c = guest_consumer("switch", "4k");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	uint64_t unit, drops = 0;
	unsigned i;

	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", "1") == 0 &&
	    tbuf_consumer_set(c, "unitsize", "1m") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	for (i = 0; i < 3; i++) {
		guest_fire(&page, IN_UNIT);
		unit = tbuf_unit_begin("refused", i);
		guest_fire(&page, records);
		GUEST_EXPECT(tbuf_unit_end(unit, 1) == 0, "end");
		do {
			GUEST_EXPECT(tbuf_consumer_work(c) >= 0, "%s",
			    tbuf_consumer_error(c));
			guest_take(c, &tally);
		} while (tally.records + tally.drops < page.after);
		guest_account(&tally, page.after);
		/* One whose record finds room is none. */
		unit = tbuf_unit_begin("taken", i);
		guest_fire(&page, 1);
		GUEST_EXPECT(tbuf_unit_end(unit, 1) == 0, "end");
	}
	drops = tally.drops;
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
	GUEST_EXPECT(tally.drops == drops && tally.in_units == 3, "%" PRIu64
	    " of %" PRIu64 " drops, %" PRIu64 " in units", drops,
	    tally.drops, tally.in_units);
}

static void
test_refused_unit_is_reported_before_the_end(void)
{
	stay();
	refuse_early(10);
	refuse_early(IN_UNIT);
}

static void
test_mark_that_is_refused_is_all_drops(void)
{
	stay();
	refuse("switch");
	refuse("fill");
}

static const struct guest_case cases[] = {
	{ "refused_unit_is_reported_before_the_end",
	    test_refused_unit_is_reported_before_the_end, NULL, 0 },
	{ "mark_that_is_refused_is_all_drops",
	    test_mark_that_is_refused_is_all_drops, NULL, 0 },
	{ "child_of_a_fork_within_a_unit_is_not_in_it",
	    test_child_of_a_fork_within_a_unit_is_not_in_it, NULL, 0 },
	{ "child_of_a_raw_fork_does_not_end_its_parents_unit",
	    test_child_of_a_raw_fork_does_not_end_its_parents_unit, NULL,
	    GUEST_PLAIN },
	{ "clone_that_shares_the_thread_area_is_in_its_unit",
	    test_clone_that_shares_the_thread_area_is_in_its_unit, NULL,
	    GUEST_PLAIN },
	{ "unit_that_many_threads_end_ends_once",
	    test_unit_that_many_threads_end_ends_once, NULL, 0 },
	{ "number_that_is_none_is_refused",
	    test_number_that_is_none_is_refused, NULL, GUEST_ONCE },
	{ "kind_that_is_null_is_an_empty_one",
	    test_kind_that_is_null_is_an_empty_one, NULL, 0 },
	{ "unit_outlives_its_session",
	    test_unit_outlives_its_session, NULL, 0 },
	{ "unit_of_a_thread_that_has_ended_is_given",
	    test_unit_of_a_thread_that_has_ended_is_given, NULL, 0 },
	{ "thread_that_has_ended_is_in_no_unit",
	    test_thread_that_has_ended_is_in_no_unit, NULL, 0 },
	{ "table_that_is_kept_is_handed_over",
	    test_table_that_is_kept_is_handed_over, NULL, 0 },
	{ "unit_beyond_what_a_process_knows_is_counted",
	    test_unit_beyond_what_a_process_knows_is_counted, NULL, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
