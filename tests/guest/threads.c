/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads that begin and end, that are cancelled while they fire, and that run
 * on CPUs without lanes.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/counter.h"
#include "guest/support/guest.h"

#define SHORT_THREADS	5000
#define AT_ONCE		50
#define CANCELLED	100
#define FIRES		500	/* that fit into a lock lane */

static uint64_t before, after;

static void
fire_one(uint64_t number)
{
	const char *text = "a text";

	__atomic_add_fetch(&before, 1, __ATOMIC_SEQ_CST);
	TBUF_PROBE(guest, thread, number, text);
	__atomic_add_fetch(&after, 1, __ATOMIC_SEQ_CST);
}

static void
fire_many(uint64_t n)
{
	uint64_t number;

	for (number = 0; number < n; number++)
		fire_one(number);
}

/* ------------------------------------------------------------ short ones */

static void *
short_thread(void *cookie)
{
	(void)cookie;
	fire_many(5);
	return (NULL);
}

static void
run_short(const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	pthread_t ids[AT_ONCE];
	unsigned i, k;

	before = after = 0;
	for (i = 0; i < SHORT_THREADS; i += AT_ONCE) {
		for (k = 0; k < AT_ONCE; k++)
			GUEST_EXPECT(pthread_create(&ids[k], NULL,
			    short_thread, NULL) == 0, "no thread");
		for (k = 0; k < AT_ONCE; k++)
			pthread_join(ids[k], NULL);
	}
	guest_finish(c, &tally);
	GUEST_EXPECT(after == 5 * SHORT_THREADS, "%" PRIu64 " fires", after);
	guest_account(&tally, after);
	GUEST_EXPECT(tally.by_tid[0] == 0, "records of a thread that fired "
	    "nothing");
}

static void
test_thousands_of_threads_are_accounted_for(void)
{
	run_short("switch", "4m");
	run_short("ring", "4k");
}

/* ------------------------------------------------------------ cancelled */

static uint64_t cancelled_fires;	/* fires of the cancelled thread */

static void *
deferred_thread(void *cookie)
{
	(void)cookie;
	for (;;) {
		fire_one(__atomic_add_fetch(&cancelled_fires, 1,
		    __ATOMIC_SEQ_CST));
		pthread_testcancel();
	}
	return (NULL);
}

static void *
asynchronous_thread(void *cookie)
{
	(void)cookie;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		fire_one(__atomic_add_fetch(&cancelled_fires, 1,
		    __ATOMIC_SEQ_CST));
	return (NULL);
}

static void
cancel_one(void *(*function)(void *), uint64_t fires)
{
	pthread_t id;
	void *result;

	cancelled_fires = 0;
	GUEST_EXPECT(pthread_create(&id, NULL, function, NULL) == 0,
	    "no thread");
	while (__atomic_load_n(&cancelled_fires, __ATOMIC_SEQ_CST) < fires)
		sched_yield();
	pthread_cancel(id);
	pthread_join(id, &result);
	GUEST_EXPECT(result == PTHREAD_CANCELED, "it was not cancelled");
}

static void
cancel_many(void *(*function)(void *), const char *policy,
    const char *bufsize, unsigned left)
{
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	uint64_t finished;
	unsigned i;

	before = after = 0;
	for (i = 0; i < CANCELLED; i++)
		cancel_one(function, 1 + i % 37);
	guest_finish(c, &tally);
	finished = tally.records + tally.drops + tally.overwritten;
	GUEST_EXPECT(after <= finished && finished <= before,
	    "after %" PRIu64 ", finished %" PRIu64 ", before %" PRIu64,
	    after, finished, before);
	GUEST_EXPECT(before - after <= left, "%" PRIu64 " did not finish",
	    before - after);
}

static void
test_thread_cancelled_between_its_fires(void)
{
	cancel_many(deferred_thread, "switch", "1m", 0);
}

static void
test_thread_cancelled_in_its_fire(void)
{
	cancel_many(asynchronous_thread, "switch", "1m", CANCELLED);
	cancel_many(asynchronous_thread, "ring", "1k", CANCELLED);
}

/* ------------------------------------------------------------ CPUs */

/* the first two CPUs that this process may use */
static int cpus[2];

static void
find_cpus(void)
{
	cpu_set_t set;
	int cpu, n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < CPU_SETSIZE && cpu < 64 && n < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	if (n < 2)
		guest_skip("there is one CPU alone");
}

static void
confine(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	GUEST_EXPECT(sched_setaffinity(tid, sizeof(set), &set) == 0,
	    "CPU %d", cpu);
}

/* Returns true if records have a CPU; with locks not every processor can. */
static bool
cpu_told(void)
{
	return (!guest_locks() || (tbuf_counter_invariant() &&
	    tbuf_cpu_readable()));
}

static uint32_t stop;

static void *
move_main(void *cookie)
{
	pid_t tid = *(pid_t *)cookie;
	unsigned i;

	for (i = 0; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); i++)
		confine(tid, cpus[i % 2]);
	return (NULL);
}

static void
test_changing_affinity_is_accounted_for(void)
{
	struct guest_tally tally = { 0 };
	struct tbuf_consumer *c;
	pid_t self = gettid();
	pthread_t mover;

	find_cpus();
	c = guest_begin("switch", "8k");
	GUEST_EXPECT(pthread_create(&mover, NULL, move_main, &self) == 0,
	    "no thread");
	fire_many(300 * FIRES);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(mover, NULL);
	guest_finish(c, &tally);
	guest_account(&tally, after);
}

/*
 * Begins a session while the process may run on CPU `first` only, so that no
 * other CPU has a lane, then fires on both CPUs.
 */
static void
begin_on(int first, int then)
{
	struct guest_tally tally = { 0 };
	struct tbuf_consumer *c;

	confine(0, first);
	after = 0;
	c = guest_begin("switch", "1m");
	fire_many(FIRES);
	confine(0, then);
	fire_many(FIRES);
	guest_finish(c, &tally);
	guest_account(&tally, after);
	GUEST_EXPECT(tally.drops == 0, "%" PRIu64 " drops for want of room, %"
	    PRIu64 " of a lane", tally.causes[TBUF_CAUSE_FULL],
	    tally.causes[TBUF_CAUSE_NOLANE]);
	GUEST_EXPECT(!cpu_told() || (tally.on_cpu[cpus[0]] == FIRES &&
	    tally.on_cpu[cpus[1]] == FIRES), "%" PRIu64 " and %" PRIu64
	    " records of %d each", tally.on_cpu[cpus[0]],
	    tally.on_cpu[cpus[1]], FIRES);
}

/* In the second round the numbers of CPUs with lanes do not begin at 0. */
static void
test_fires_on_a_CPU_without_a_lane(void)
{
	find_cpus();
	begin_on(cpus[0], cpus[1]);
	begin_on(cpus[1], cpus[0]);
}

static void
only_cpu(int only, bool lane)
{
	struct tbuf_consumer *c = guest_consumer("switch", "1m");
	struct guest_tally tally = { 0 };
	char value[12] = { (char)('0' + only / 10), (char)('0' + only % 10) };

	if (!lane)
		confine(0, only == cpus[0] ? cpus[1] : cpus[0]);
	GUEST_EXPECT(tbuf_consumer_set(c, "cpu", value) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	confine(0, cpus[0]);
	fire_many(FIRES);
	confine(0, cpus[1]);
	fire_many(FIRES);
	guest_finish(c, &tally);
	GUEST_EXPECT(tally.on_cpu[only] == FIRES && tally.records == FIRES,
	    "%" PRIu64 " records, %" PRIu64 " of them of CPU %d",
	    tally.records, tally.on_cpu[only], only);
	GUEST_EXPECT(tally.drops == 0, "%" PRIu64 " drops", tally.drops);
}

static void
test_fires_elsewhere_are_not_of_a_session_on_one_CPU(void)
{
	cpu_set_t all;

	find_cpus();
	if (!cpu_told())
		guest_skip("no fire can tell its CPU");
	sched_getaffinity(0, sizeof(all), &all);
	only_cpu(cpus[0], true);
	sched_setaffinity(0, sizeof(all), &all);
	only_cpu(cpus[1], true);
	only_cpu(cpus[1], false);
}

static const struct guest_case cases[] = {
	{ "thousands_of_threads_are_accounted_for",
	    test_thousands_of_threads_are_accounted_for, NULL, 0 },
	{ "thread_cancelled_between_its_fires",
	    test_thread_cancelled_between_its_fires, NULL, 0 },
	{ "thread_cancelled_in_its_fire", test_thread_cancelled_in_its_fire,
	    NULL, GUEST_PLAIN },
	{ "changing_affinity_is_accounted_for",
	    test_changing_affinity_is_accounted_for, NULL, 0 },
	{ "fires_on_a_CPU_without_a_lane", test_fires_on_a_CPU_without_a_lane,
	    NULL, 0 },
	{ "fires_elsewhere_are_not_of_a_session_on_one_CPU",
	    test_fires_elsewhere_are_not_of_a_session_on_one_CPU, NULL, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
