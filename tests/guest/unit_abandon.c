/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread ends a unit that another thread is in.  The unit's records so far
 * are kept as its outcome says; later ones of its thread belong to no unit.
 * Each unit ends once, its number does not affect the next unit in its place,
 * and each fire is a record, a drop or discarded [inv.account].
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "guest/support/guest.h"

#define LATER	5u		/* fires of a thread that finds out */
#define MANY	1100u		/* more units than a process knows */

static struct tbuf_consumer *
begin_of(const char *tables, const char *size, const char *select)
{
	struct tbuf_consumer *c = guest_consumer("switch", "4m");

	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", tables) == 0 &&
	    tbuf_consumer_set(c, "unitsize", size) == 0 &&
	    (select == NULL ||
	    tbuf_consumer_set(c, "unitselect", select) == 0) &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	return (c);
}

static struct tbuf_consumer *
begin_with(const char *tables, const char *select)
{
	return (begin_of(tables, "1m", select));
}

static struct tbuf_consumer *
begin(void)
{
	return (begin_with("16", NULL));
}

static void
wait_for(const uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
		sched_yield();
}

static void
set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static int
visit(void *count, const struct tbuf_unit_status *u)
{
	(void)u;
	++*(unsigned *)count;
	return (0);
}

static unsigned
listed(void)
{
	unsigned count = 0;

	GUEST_EXPECT(tbuf_unit_list(visit, &count) == 0, "no list");
	return (count);
}

/* ------------------------------------------------------------ one thread */

/* A thread that hangs in its unit. */
struct hung {
	pthread_t thread;
	uint64_t unit;
	uint32_t stage;		/* 1: it hangs; 2: it may go on */
	uint32_t records;	/* its fires before */
	int (*out)(uint64_t);	/* the way it leaves the unit */
	int result;		/* of `out' */
	struct guest_page page;
};

static int
by_end(uint64_t unit)
{
	return (tbuf_unit_end(unit, 3));
}

static void *
hang(void *argument)
{
	struct hung *h = argument;

	h->unit = tbuf_unit_begin("hung", 1);
	guest_fire(&h->page, h->records);
	set(&h->stage, 1);
	wait_for(&h->stage, 2);
	guest_fire(&h->page, LATER);
	h->result = h->out(h->unit);
	guest_fire(&h->page, LATER);
	return (NULL);
}

static void
hang_begin(struct hung *h, uint32_t records, int (*out)(uint64_t))
{
	memset(h, 0, sizeof(*h));
	h->records = records;
	h->out = out;
	GUEST_EXPECT(pthread_create(&h->thread, NULL, hang, h) == 0,
	    "thread");
	wait_for(&h->stage, 1);
	GUEST_EXPECT(h->unit != 0, "no unit");
}

static void
hang_end(struct hung *h)
{
	set(&h->stage, 2);
	pthread_join(h->thread, NULL);
	GUEST_EXPECT(h->result == -ECANCELED, "error %d", h->result);
	GUEST_EXPECT(tbuf_unit_end(h->unit, 0) == -ENOENT, "it is there");
}

/* Expects that all records of the unit came, and the later ones beside it. */
static void
expect_whole(struct tbuf_consumer *c, const struct hung *h, unsigned outcome)
{
	struct guest_tally tally = { 0 };

	guest_finish(c, &tally);
	guest_account(&tally, h->page.after);
	GUEST_EXPECT(tally.in_units == h->records && tally.unfinished == 0 &&
	    tally.units[outcome] == 1 && tally.drops == 0, "%" PRIu64
	    " records in units, %" PRIu64 " unfinished, %" PRIu64 " units, %"
	    PRIu64 " drops", tally.in_units, tally.unfinished,
	    tally.units[outcome], tally.drops);
}

static void
abandon_hung(uint32_t records, int (*out)(uint64_t))
{
	struct tbuf_consumer *c = begin();
	struct hung h;
	int error;

	hang_begin(&h, records, out);
	GUEST_EXPECT(listed() == 1, "it is not listed");
	GUEST_EXPECT(tbuf_unit_end(h.unit, 2) == -EBUSY &&
	    tbuf_unit_enter(h.unit) == -EBUSY, "no thread is in it");
	GUEST_EXPECT((error = tbuf_unit_abandon(h.unit, 2)) == 0, "error %d",
	    error);
	GUEST_EXPECT(listed() == 0, "it is listed");
	GUEST_EXPECT(tbuf_unit_abandon(h.unit, 1) == -ENOENT &&
	    tbuf_unit_end(h.unit, 1) == -ENOENT &&
	    tbuf_unit_enter(h.unit) == -ENOENT &&
	    tbuf_unit_leave(h.unit) == -EBUSY, "it has not ended");
	hang_end(&h);
	expect_whole(c, &h, 2);
}

static void
test_records_of_an_abandoned_unit_are_whole(void)
{
	abandon_hung(10, by_end);
	abandon_hung(1000, by_end);
	abandon_hung(10, tbuf_unit_leave);
	abandon_hung(1000, tbuf_unit_leave);
}

/* The thread goes on only after the session has ended. */
static void
test_unit_of_a_thread_that_hangs_to_the_end_is_whole(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	struct hung h;

	hang_begin(&h, 1000, by_end);
	GUEST_EXPECT(tbuf_unit_abandon(h.unit, 1) == 0, "abandon");
	guest_finish(c, &tally);
	GUEST_EXPECT(tally.in_units == 1000 && tally.records == 1000 &&
	    tally.units[1] == 1, "%" PRIu64 " of %" PRIu64 " records in %"
	    PRIu64 " units", tally.in_units, tally.records, tally.units[1]);
	hang_end(&h);
}

/* Without the thread's return its table is not used for another unit. */
static void
test_table_is_used_again_once_its_thread_is_out(void)
{
	struct tbuf_consumer *c = begin_with("1", NULL);
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	struct hung h;
	uint64_t unit;

	hang_begin(&h, 10, by_end);
	GUEST_EXPECT(tbuf_unit_abandon(h.unit, 1) == 0, "abandon");
	unit = tbuf_unit_begin("second", 2);
	guest_fire(&page, 10);
	GUEST_EXPECT(tbuf_unit_end(unit, 1) == 0, "second");
	hang_end(&h);
	unit = tbuf_unit_begin("third", 3);
	guest_fire(&page, 10);
	GUEST_EXPECT(unit != 0 && tbuf_unit_end(unit, 1) == 0, "no table");
	guest_finish(c, &tally);
	guest_account(&tally, page.after + h.page.after);
	GUEST_EXPECT(tally.without == 1 && tally.in_units == 20 &&
	    tally.units[1] == 2, "%" PRIu64 " without, %" PRIu64 " in units",
	    tally.without, tally.in_units);
}

static void
test_success_of_an_abandoned_unit_discards_its_records(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	struct hung h;

	hang_begin(&h, 100, by_end);
	GUEST_EXPECT(tbuf_unit_abandon(h.unit, 0) == 0, "abandon");
	hang_end(&h);
	guest_finish(c, &tally);
	GUEST_EXPECT(tally.discarded == 100 && tally.in_units == 0 &&
	    tally.records == 2 * LATER && tally.drops == 0, "%" PRIu64
	    " discarded, %" PRIu64 " records", tally.discarded, tally.records);
}

/* A table that wraps keeps its newer half, and counts the others. */
static void
test_table_that_wraps_is_kept(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "4m");
	struct guest_tally tally = { 0 };
	struct hung h;

	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", "4") == 0 &&
	    tbuf_consumer_set(c, "unitsize", "8k") == 0 &&
	    tbuf_consumer_set(c, "unitpolicy", "ring") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	hang_begin(&h, 1000, by_end);
	GUEST_EXPECT(tbuf_unit_abandon(h.unit, 1) == 0, "abandon");
	hang_end(&h);
	guest_finish(c, &tally);
	guest_account(&tally, h.page.after);
	GUEST_EXPECT(tally.in_units != 0 && tally.overwritten != 0 &&
	    tally.in_units + tally.overwritten == 1000 && tally.drops == 0,
	    "%" PRIu64 " in units, %" PRIu64 " overwritten", tally.in_units,
	    tally.overwritten);
}

/* ------------------------------------------------------------ other units */

static void
test_abandon_of_a_unit_that_is_in_no_other_thread_ends_it(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	uint64_t unit = tbuf_unit_begin("own", 1);

	guest_fire(&page, 10);
	GUEST_EXPECT(tbuf_unit_abandon(unit, 1) == 0, "own");
	GUEST_EXPECT(tbuf_unit_abandon(unit, 1) == -ENOENT, "it is there");
	guest_fire(&page, 10);
	unit = tbuf_unit_begin("free", 2);
	guest_fire(&page, 10);
	GUEST_EXPECT(tbuf_unit_leave(unit) == 0, "leave");
	GUEST_EXPECT(tbuf_unit_abandon(unit, 1) == 0, "free");
	GUEST_EXPECT(tbuf_unit_enter(unit) == -ENOENT, "it is there");
	GUEST_EXPECT(tbuf_unit_abandon(0, 1) == 0, "no unit");
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
	GUEST_EXPECT(tally.in_units == 20 && tally.units[1] == 2, "%" PRIu64
	    " in %" PRIu64 " units", tally.in_units, tally.units[1]);
}

static struct guest_page nested_page;
static uint64_t nested_units[2];
static uint32_t nested_stage;

static void *
nest(void *unused)
{
	nested_units[0] = tbuf_unit_begin("outer", 1);
	guest_fire(&nested_page, 10);
	nested_units[1] = tbuf_unit_begin("inner", 2);
	guest_fire(&nested_page, 10);
	set(&nested_stage, 1);
	wait_for(&nested_stage, 2);
	guest_fire(&nested_page, 10);
	GUEST_EXPECT(tbuf_unit_end(nested_units[1], 2) == 0, "inner");
	guest_fire(&nested_page, 10);
	GUEST_EXPECT(tbuf_unit_end(nested_units[0], 2) == -ECANCELED,
	    "outer");
	guest_fire(&nested_page, 10);
	return (unused);
}

static void
test_unit_within_an_abandoned_one_goes_on(void)
{
	struct tbuf_consumer *c = begin();
	struct guest_tally tally = { 0 };
	pthread_t thread;

	GUEST_EXPECT(pthread_create(&thread, NULL, nest, NULL) == 0,
	    "thread");
	wait_for(&nested_stage, 1);
	GUEST_EXPECT(tbuf_unit_abandon(nested_units[0], 1) == 0, "abandon");
	set(&nested_stage, 2);
	pthread_join(thread, NULL);
	guest_finish(c, &tally);
	guest_account(&tally, 50);
	GUEST_EXPECT(tally.in_units == 30 && tally.units[1] == 1 &&
	    tally.units[2] == 1 && tally.drops == 0, "%" PRIu64 " in units",
	    tally.in_units);
}

static void
test_forked_child_cannot_abandon_its_parents_unit(void)
{
	struct tbuf_consumer *c = begin();
	struct hung h;
	int status;
	pid_t pid;

	hang_begin(&h, 10, by_end);
	if ((pid = fork()) == 0)
		_exit(tbuf_unit_abandon(h.unit, 1) == -ENOENT ? 0 : 1);
	GUEST_EXPECT(waitpid(pid, &status, 0) == pid && status == 0,
	    "status %#x", status);
	GUEST_EXPECT(tbuf_unit_abandon(h.unit, 1) == 0, "abandon");
	if ((pid = fork()) == 0)
		_exit(tbuf_unit_abandon(h.unit, 1) == -ENOENT ? 0 : 1);
	GUEST_EXPECT(waitpid(pid, &status, 0) == pid && status == 0,
	    "status %#x", status);
	hang_end(&h);
	expect_whole(c, &h, 1);
}

/* ------------------------------------------------------------ many units */

static uint32_t dead_tid;

static void *
die_inside(void *unit)
{
	struct guest_page page = { 0 };

	*(uint64_t *)unit = tbuf_unit_begin("dead", ++nested_units[0]);
	guest_fire(&page, 2);
	dead_tid = (uint32_t)gettid();
	return (NULL);
}

/* There are fewer places and tables than threads that end in their units. */
static void
test_unit_of_a_thread_that_has_ended_is_released(void)
{
	struct tbuf_consumer *c = begin_with("2", NULL);
	struct guest_tally tally = { 0 };
	pthread_t thread;
	uint64_t unit;
	unsigned i;

	for (i = 0; i < MANY; i++) {
		GUEST_EXPECT(pthread_create(&thread, NULL, die_inside,
		    &unit) == 0, "thread");
		pthread_join(thread, NULL);
		while (syscall(SYS_tgkill, getpid(), dead_tid, 0) == 0)
			sched_yield();
		GUEST_EXPECT(unit != 0, "no unit after %u", i);
		GUEST_EXPECT(tbuf_unit_abandon(unit, 1) == 0, "abandon");
		GUEST_EXPECT(tbuf_unit_abandon(unit, 1) == -ENOENT,
		    "it is there");
	}
	guest_finish(c, &tally);
	guest_account(&tally, 2 * MANY);
	GUEST_EXPECT(tally.without == 0 && tally.units[1] == MANY, "%" PRIu64
	    " without, %" PRIu64 " units", tally.without, tally.units[1]);
}

static void *
hang_and_die(void *argument)
{
	struct hung *h = argument;

	h->unit = tbuf_unit_begin("hung", ++nested_units[0]);
	guest_fire(&h->page, 2);
	set(&h->stage, 1);
	wait_for(&h->stage, 2);
	dead_tid = (uint32_t)gettid();
	return (NULL);
}

/* A watchdog may end the thread once it has abandoned the unit. */
static void
test_abandoned_unit_of_a_thread_that_ends_later_is_released(void)
{
	struct tbuf_consumer *c = begin_with("2", NULL);
	struct guest_tally tally = { 0 };
	struct hung h;
	unsigned i;

	for (i = 0; i < MANY; i++) {
		memset(&h, 0, sizeof(h));
		GUEST_EXPECT(pthread_create(&h.thread, NULL, hang_and_die,
		    &h) == 0, "thread");
		wait_for(&h.stage, 1);
		GUEST_EXPECT(h.unit != 0, "no unit after %u", i);
		GUEST_EXPECT(tbuf_unit_abandon(h.unit, 1) == 0, "abandon");
		set(&h.stage, 2);
		pthread_join(h.thread, NULL);
		while (syscall(SYS_tgkill, getpid(), dead_tid, 0) == 0)
			sched_yield();
	}
	guest_finish(c, &tally);
	guest_account(&tally, 2 * MANY);
	GUEST_EXPECT(tally.without == 0 && tally.units[1] == MANY, "%" PRIu64
	    " without, %" PRIu64 " units", tally.without, tally.units[1]);
}

#define WORKERS	4u
#define DOGS	2u
#define UNITS	1500u		/* of each worker */

static uint64_t boxes[WORKERS];	/* the workers' units */
static uint32_t working;
static uint64_t begun, ended, abandoned;
static uint64_t fires;

static void
fire_handler(int signal)
{
	struct guest_page page = { 0 };

	(void)signal;
	guest_fire(&page, 1);
	__atomic_add_fetch(&fires, 1, __ATOMIC_RELAXED);
}

/* A watchdog may be about to end a unit that was set aside. */
static void
expect_end(uint64_t unit)
{
	int error;

	while ((error = tbuf_unit_end(unit, 2)) == -EBUSY)
		sched_yield();
	GUEST_EXPECT(error == 0 || error == -ECANCELED || error == -ENOENT,
	    "error %d", error);
	if (error == 0)
		__atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

/*
 * Begins units, and ends them unless the watchdogs do; one in three is set
 * aside and continued.
 */
static void *
work(void *argument)
{
	uint64_t *box = argument, unit, id = (uint64_t)(box - boxes) * UNITS;
	struct guest_page page = { 0 };
	unsigned i, seed = (unsigned)id + 1;

	for (i = 0; i < UNITS; i++) {
		if ((unit = tbuf_unit_begin("work", ++id)) != 0)
			__atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
		guest_fire(&page, 1);
		__atomic_store_n(box, unit, __ATOMIC_RELEASE);
		/* A watchdog that runs late abandons one, too. */
		while (box == boxes && i == 0 && unit != 0 &&
		    __atomic_load_n(&abandoned, __ATOMIC_RELAXED) == 0)
			sched_yield();
		/* A few units are too large for an envelope. */
		guest_fire(&page, i % 64 == 0 ? 100 :
		    (unsigned)rand_r(&seed) % 20);
		/* Watchdogs run meanwhile, on however few CPUs. */
		if (i % 4 == 0)
			sched_yield();
		guest_fire(&page, (unsigned)rand_r(&seed) % 20);
		if (unit != 0 && i % 3 == 0 && tbuf_unit_leave(unit) == 0) {
			guest_fire(&page, 1);
			(void)tbuf_unit_enter(unit);
			guest_fire(&page, 3);
		}
		if (unit != 0)
			expect_end(unit);
	}
	__atomic_add_fetch(&fires, page.after, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&working, 1, __ATOMIC_RELEASE);
	return (NULL);
}

/* Abandons any units, also those that have ended. */
static void *
watch(void *argument)
{
	unsigned i;
	int error;

	for (i = 0; __atomic_load_n(&working, __ATOMIC_ACQUIRE) != 0; i++) {
		uint64_t unit = __atomic_load_n(&boxes[i % WORKERS],
		    __ATOMIC_ACQUIRE);

		if (unit == 0)
			continue;
		error = tbuf_unit_abandon(unit, 1);
		GUEST_EXPECT(error == 0 || error == -EBUSY ||
		    error == -ENOENT || error == -ECANCELED, "error %d",
		    error);
		if (error == 0)
			__atomic_add_fetch(&abandoned, 1, __ATOMIC_RELAXED);
		if (i % 16 == 0)
			sched_yield();
	}
	return (argument);
}

/* Signals interrupt the workers, which are more threads than most CPUs. */
static void
timer(unsigned us)
{
	struct itimerval period = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = fire_handler,
	    .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	GUEST_EXPECT(setitimer(ITIMER_REAL, &period, NULL) == 0, "timer");
}

static void
test_each_unit_of_many_threads_ends_once(void)
{
	struct tbuf_consumer *c = begin_with("256", "0:0xffffffff");
	pthread_t workers[WORKERS], dogs[DOGS];
	struct guest_tally tally = { 0 };
	unsigned i;

	working = WORKERS;
	timer(300);
	for (i = 0; i < WORKERS; i++)
		GUEST_EXPECT(pthread_create(&workers[i], NULL, work,
		    &boxes[i]) == 0, "thread");
	for (i = 0; i < DOGS; i++)
		GUEST_EXPECT(pthread_create(&dogs[i], NULL, watch, NULL) == 0,
		    "thread");
	while (__atomic_load_n(&working, __ATOMIC_ACQUIRE) != 0) {
		GUEST_EXPECT(tbuf_consumer_work(c) >= 0, "%s",
		    tbuf_consumer_error(c));
		guest_take(c, &tally);
	}
	for (i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	for (i = 0; i < DOGS; i++)
		pthread_join(dogs[i], NULL);
	timer(0);
	guest_finish(c, &tally);
	guest_account(&tally, fires);
	GUEST_EXPECT(ended + abandoned == begun && abandoned != 0, "%" PRIu64
	    " units began, %" PRIu64 " ended, %" PRIu64 " were abandoned",
	    begun, ended, abandoned);
	/* A unit cannot end while the holders of all lock lanes do not run. */
	GUEST_EXPECT(tally.unfinished == 0 || guest_locks(), "%" PRIu64
	    " unfinished records", tally.unfinished);
	if (tally.drops == 0 && tally.without == 0 && tally.unfinished == 0)
		GUEST_EXPECT(tally.units[1] == abandoned &&
		    tally.units[2] == ended, "%" PRIu64 " of %" PRIu64
		    " abandoned, %" PRIu64 " of %" PRIu64 " ended units",
		    tally.units[1], abandoned, tally.units[2], ended);
}

#ifdef __x86_64__
#define STEPS	500u		/* of a watchdog that are tried */
#define TRAP	0x100u		/* flag: SIGTRAP after each instruction */

/* A watchdog that is stopped twice, with one instruction in between. */
static struct {
	uint64_t unit;
	unsigned steps;		/* instructions that it has executed */
	unsigned last;		/* it stops after this one and the next one */
	unsigned stops;
	uint32_t stage;		/* 1 and 3: it has stopped; 2 and 4: goes on */
	int result;
} late;

static void
stop(void)
{
	unsigned n = late.stops++;

	set(&late.stage, 2 * n + 1);
	wait_for(&late.stage, 2 * n + 2);
}

static void
step(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal, (void)info;
	if (++late.steps < late.last)
		return;
	stop();
	if (late.stops == 2)
		registers[REG_EFL] &= ~(greg_t)TRAP;
}

static void *
watch_late(void *argument)
{
	__asm__ volatile("pushfq; orl %0, (%%rsp); popfq" : : "i" (TRAP) :
	    "memory", "cc");
	late.result = tbuf_unit_abandon(late.unit, 1);
	__asm__ volatile("pushfq; andl %0, (%%rsp); popfq" : : "i" (~TRAP) :
	    "memory", "cc");
	while (late.stops < 2)
		stop();
	return (argument);
}

/*
 * The unit ends after as many instructions of its watchdog, and another one
 * begins in its place after one more.  Returns false if that has fewer ones.
 */
static bool
begin_next(struct guest_page *page, unsigned last)
{
	uint64_t next;
	pthread_t dog;
	int error;

	/* It is too large for an envelope, so its table is not used again. */
	late.unit = tbuf_unit_begin("first", last);
	guest_fire(page, 300);
	late.last = last;
	late.steps = late.stops = late.stage = 0;
	GUEST_EXPECT(pthread_create(&dog, NULL, watch_late, NULL) == 0,
	    "thread");
	wait_for(&late.stage, 1);
	error = tbuf_unit_end(late.unit, 2);
	set(&late.stage, 2);
	wait_for(&late.stage, 3);
	next = tbuf_unit_begin("next", last);
	guest_fire(page, 1);
	set(&late.stage, 4);
	pthread_join(dog, NULL);
	guest_fire(page, 1);
	GUEST_EXPECT((error == 0) != (late.result == 0), "%u: the unit ended "
	    "with %d, the watchdog with %d", last, error, late.result);
	error = tbuf_unit_end(next, 3);
	GUEST_EXPECT(error == 0, "%u: the next unit ended with %d", last,
	    error);
	return (late.steps >= last);
}

static void
test_late_watchdog_leaves_the_next_unit_alone(void)
{
	struct sigaction action = { .sa_sigaction = step,
	    .sa_flags = SA_SIGINFO };
	struct tbuf_consumer *c = begin_of("1024", "32k",
	    "0:0xffffffff");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	unsigned i;

	sigaction(SIGTRAP, &action, NULL);
	for (i = 1; i < STEPS && begin_next(&page, i); i++) {
		GUEST_EXPECT(tbuf_consumer_work(c) >= 0, "%s",
		    tbuf_consumer_error(c));
		guest_take(c, &tally);
	}
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
	GUEST_EXPECT(tally.without == 0 && i > 50, "%" PRIu64
	    " without, %u steps", tally.without, i);
}

/* Makes membarrier(2) fail in this thread. */
static void
forbid_barriers(void)
{
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { sizeof(filters) / sizeof(filters[0]),
	    filters };

	GUEST_EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
	    "no filter");
}

static void *
watch_without_barriers(void *argument)
{
	forbid_barriers();
	return (watch_late(argument));
}

/*
 * The thread leaves its unit after as many instructions of a watchdog that
 * cannot abandon it, and ends it, unless that has.  Returns false if the
 * watchdog has fewer ones.
 */
static bool
leave_next(struct guest_page *page, unsigned last)
{
	pthread_t dog;
	int error;

	late.unit = tbuf_unit_begin("left", last);
	guest_fire(page, 10);
	late.last = last;
	late.steps = late.stops = late.stage = 0;
	GUEST_EXPECT(pthread_create(&dog, NULL, watch_without_barriers,
	    NULL) == 0, "thread");
	wait_for(&late.stage, 1);
	error = tbuf_unit_leave(late.unit);
	GUEST_EXPECT(error == 0, "%u: it is left with %d", last, error);
	set(&late.stage, 2);
	wait_for(&late.stage, 3);
	set(&late.stage, 4);
	pthread_join(dog, NULL);
	error = tbuf_unit_end(late.unit, 2);
	GUEST_EXPECT((error == 0) != (late.result == 0), "%u: the unit ended "
	    "with %d, the watchdog with %d", last, error, late.result);
	return (late.steps >= last);
}

static void
test_watchdog_without_barriers_loses_no_record(void)
{
	struct sigaction action = { .sa_sigaction = step,
	    .sa_flags = SA_SIGINFO };
	struct tbuf_consumer *c = begin_of("16", "32k", "0:0xffffffff");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	unsigned i;

	sigaction(SIGTRAP, &action, NULL);
	for (i = 1; i < STEPS && leave_next(&page, i); i++) {
		GUEST_EXPECT(tbuf_consumer_work(c) >= 0, "%s",
		    tbuf_consumer_error(c));
		guest_take(c, &tally);
	}
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
	GUEST_EXPECT(tally.in_units == page.after && tally.without == 0 &&
	    i > 50, "%" PRIu64 " of %" PRIu64 " records in units, %u steps",
	    tally.in_units, page.after, i);
}
#endif

static const struct guest_case cases[] = {
	{ "records_of_an_abandoned_unit_are_whole",
	    test_records_of_an_abandoned_unit_are_whole, NULL, 0 },
	{ "unit_of_a_thread_that_hangs_to_the_end_is_whole",
	    test_unit_of_a_thread_that_hangs_to_the_end_is_whole, NULL, 0 },
	{ "table_is_used_again_once_its_thread_is_out",
	    test_table_is_used_again_once_its_thread_is_out, NULL, 0 },
	{ "success_of_an_abandoned_unit_discards_its_records",
	    test_success_of_an_abandoned_unit_discards_its_records, NULL, 0 },
	{ "table_that_wraps_is_kept",
	    test_table_that_wraps_is_kept, NULL, 0 },
	{ "abandon_of_a_unit_that_is_in_no_other_thread_ends_it",
	    test_abandon_of_a_unit_that_is_in_no_other_thread_ends_it, NULL,
	    0 },
	{ "unit_within_an_abandoned_one_goes_on",
	    test_unit_within_an_abandoned_one_goes_on, NULL, 0 },
	{ "forked_child_cannot_abandon_its_parents_unit",
	    test_forked_child_cannot_abandon_its_parents_unit, NULL, 0 },
	{ "abandoned_unit_of_a_thread_that_ends_later_is_released",
	    test_abandoned_unit_of_a_thread_that_ends_later_is_released, NULL,
	    0 },
#ifdef __x86_64__
	{ "late_watchdog_leaves_the_next_unit_alone",
	    test_late_watchdog_leaves_the_next_unit_alone, NULL,
	    GUEST_PLAIN },
	{ "watchdog_without_barriers_loses_no_record",
	    test_watchdog_without_barriers_loses_no_record, NULL,
	    GUEST_PLAIN },
#endif
	{ "unit_of_a_thread_that_has_ended_is_released",
	    test_unit_of_a_thread_that_has_ended_is_released, NULL, 0 },
	{ "each_unit_of_many_threads_ends_once",
	    test_each_unit_of_many_threads_ends_once, NULL, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
