/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thread lanes (thread_lane.h): this process is its own target, and checks
 * which thread has which lane.  Each test runs with rseq and without.
 */
#include <sys/wait.h>

#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "lib/check_main.h"
#include "target/lane/thread_lane.h"

static struct tbuf_consumer *c;
static struct tbuf_target *t;
static struct tbuf_slot *slot;
static struct tbuf_site site;

static void
begin(bool locks, const char *nbuf)
{
	ck_assert_int_eq(tbuf_process_register(), 0);
	ck_assert_int_eq(tbuf_probe_register(&site, "side", "m", "f", "fire",
	    0, NULL, NULL), 0);
	if (locks)
		tbuf_self.rseq = false;
	c = tbuf_consumer_new();
	ck_assert_ptr_nonnull(c);
	ck_assert_msg(tbuf_consumer_set(c, "bufscope", "thread") == 0 &&
	    tbuf_consumer_set(c, "nbuf", nbuf) == 0 &&
	    tbuf_consumer_set(c, "bufsize", "4k") == 0 &&
	    tbuf_consumer_enable(c, "side:::") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0 &&
	    tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
	t = TAILQ_FIRST(&c->targets);
	slot = tbuf_target_slot(t);
}

/* Fires once, on any path. */
static void
fire(void)
{
	ck_assert_uint_ne(*site.enabled, 0);
	site.fire(&site, NULL);
}

static uint64_t
head(uint32_t lane)
{
	return (tbuf_load(&tbuf_target_lane(t, lane)->head));
}

/* Returns the number of records in thread lane i; all have one size. */
static uint64_t
in_thread_lane(uint32_t i)
{
	return (head(t->layout.nmain + i) / sizeof(struct tbuf_header));
}

static bool
any_in_main(void)
{
	uint32_t i;

	for (i = 0; i < t->layout.nmain; i++)
		if (head(i) != 0)
			return (true);
	return (false);
}

static uint32_t
bound(void)
{
	const struct tbuf_holder *holders = (const void *)(t->view.base +
	    t->area + t->layout.holders);
	uint32_t i, n = 0;

	for (i = 0; i < tbuf_load(&slot->nlanes) - t->layout.nmain; i++)
		n += tbuf_load(&holders[i].state) == TBUF_LANE_BOUND;
	return (n);
}

/* Reads all lanes, as a drain does. */
static void
read_all(void)
{
	unsigned i;

	for (i = 0; i < t->nreaders; i++)
		t->readers[i].position = tbuf_load(&t->readers[i].lane->head);
}

/* ------------------------------------------------------------ threads */

static pthread_barrier_t gate;

static void *
thread_once(void *argument)
{
	fire();
	return (argument);
}

/* Without rseq, simultaneous fires may be drops, as no lock lane is free. */
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static void
fire_alone(void)
{
	pthread_mutex_lock(&one);
	fire();
	pthread_mutex_unlock(&one);
}

/* Fires, and again after the test has looked. */
static void *
thread_twice(void *argument)
{
	fire_alone();
	pthread_barrier_wait(&gate);
	pthread_barrier_wait(&gate);
	fire_alone();
	pthread_barrier_wait(&gate);
	/* A thread without a key's destructor does not release its lane. */
	if (argument != NULL)
		tbuf_thread.shared = 1;
	return (argument);
}

static pthread_t
thread_begin(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, function,
	    argument), 0);
	return (thread);
}

START_TEST(a_lane_that_was_given_back_is_the_next_ones)
{
	unsigned i;

	begin(_i == 1, "2");
	for (i = 0; i < 50; i++)
		pthread_join(thread_begin(thread_once, NULL), NULL);
	ck_assert_uint_eq(bound(), 0);
	/* The spare is not used; the lane that is idle longest is. */
	ck_assert_uint_eq(in_thread_lane(0), 0);
	ck_assert_uint_eq(in_thread_lane(1), 25);
	ck_assert_uint_eq(in_thread_lane(2), 25);
	ck_assert(!any_in_main());
}
END_TEST

START_TEST(a_lane_that_was_read_comes_before_others)
{
	begin(_i == 1, "2");
	pthread_join(thread_begin(thread_once, NULL), NULL);
	pthread_join(thread_begin(thread_once, NULL), NULL);
	ck_assert_uint_eq(in_thread_lane(1), 1);
	ck_assert_uint_eq(in_thread_lane(2), 1);
	tbuf_store(&tbuf_target_lane(t, t->layout.nmain + 2)->tail,
	    head(t->layout.nmain + 2));
	pthread_join(thread_begin(thread_once, NULL), NULL);
	ck_assert_uint_eq(in_thread_lane(2), 2);
}
END_TEST

START_TEST(a_pool_is_doubled_and_the_dead_leave_theirs)
{
	pthread_t threads[3];
	unsigned i;

	begin(_i == 1, "1");
	ck_assert_int_eq(pthread_barrier_init(&gate, NULL, 4), 0);
	for (i = 0; i < 3; i++)
		threads[i] = thread_begin(thread_twice, &gate);
	pthread_barrier_wait(&gate);
	/* Two threads have the lane and the spare, the third has none. */
	ck_assert_uint_eq(bound(), 2);
	ck_assert_uint_eq(in_thread_lane(0) + in_thread_lane(1), 2);
	ck_assert(any_in_main());
	ck_assert(!tbuf_pools_look(c, tbuf_now()));
	ck_assert_uint_eq(tbuf_load(&slot->nlanes), t->layout.nmain + 3);
	ck_assert_uint_eq(bound(), 2);
	pthread_barrier_wait(&gate);
	pthread_barrier_wait(&gate);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(in_thread_lane(2), 1);
	ck_assert_uint_eq(bound(), 3);
	read_all();
	ck_assert(!tbuf_pools_look(c, tbuf_now() + 10 * TBUF_SECOND));
	ck_assert_uint_eq(bound(), 0);
	ck_assert_uint_eq(tbuf_load(&slot->nlanes), t->layout.nmain + 3);
}
END_TEST

START_TEST(a_lane_that_is_not_read_does_not_count_as_free)
{
	unsigned i;

	begin(_i == 1, "4");
	for (i = 0; i < 2; i++)
		pthread_join(thread_begin(thread_once, NULL), NULL);
	ck_assert(!tbuf_pools_look(c, tbuf_now()));
	ck_assert_uint_eq(tbuf_load(&slot->nlanes), t->layout.nmain + 5);
	pthread_join(thread_begin(thread_once, NULL), NULL);
	ck_assert(tbuf_pools_look(c, tbuf_now()));
	ck_assert_uint_eq(tbuf_load(&slot->nlanes), t->layout.nmain + 9);
	/* Now there are more free ones. */
	ck_assert(!tbuf_pools_look(c, tbuf_now()));
	for (i = 0; i < 4; i++)
		pthread_join(thread_begin(thread_once, NULL), NULL);
	read_all();
	ck_assert(!tbuf_pools_look(c, tbuf_now()));
	ck_assert_uint_eq(tbuf_load(&slot->nlanes), t->layout.nmain + 9);
}
END_TEST

/* A lane that is read early by itself has room for many more threads. */
START_TEST(a_large_lane_counts_as_free)
{
	unsigned i;

	begin(_i == 1, "4");
	t->layout.thread_lane_size = TBUF_EARLY_LEAST;
	for (i = 0; i < 4; i++)
		pthread_join(thread_begin(thread_once, NULL), NULL);
	ck_assert(!tbuf_pools_look(c, tbuf_now()));
	ck_assert_uint_eq(tbuf_load(&slot->nlanes), t->layout.nmain + 5);
}
END_TEST

START_TEST(who_found_none_takes_one_that_has_become_free)
{
	pthread_t threads[2];
	unsigned i;

	begin(_i == 1, "1");
	ck_assert_int_eq(pthread_barrier_init(&gate, NULL, 3), 0);
	for (i = 0; i < 2; i++)
		threads[i] = thread_begin(thread_twice, NULL);
	pthread_barrier_wait(&gate);
	fire();
	ck_assert(any_in_main());
	ck_assert_uint_eq(in_thread_lane(0) + in_thread_lane(1), 2);
	pthread_barrier_wait(&gate);
	pthread_barrier_wait(&gate);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(bound(), 0);
	fire();
	ck_assert_uint_eq(in_thread_lane(0) + in_thread_lane(1), 5);
}
END_TEST

START_TEST(no_cpu_remembers_a_threads_lane)
{
	const struct tbuf_lane *lane;
	uint32_t cpu;

	begin(false, "2");
	fire();
	tbuf_thread_forget();
	fire();
	ck_assert_uint_eq(in_thread_lane(1), 2);
	for (cpu = 0; cpu < tbuf_local->cpus; cpu++) {
		lane = tbuf_memo_of(tbuf_local, cpu, 0)->lane;
		ck_assert(lane == NULL || !tbuf_thread_lane_is(lane));
	}
}
END_TEST

START_TEST(a_forked_child_has_no_lane)
{
	int status;
	pid_t pid;

	begin(_i == 1, "2");
	fire();
	ck_assert_uint_ne(tbuf_thread.thread_lane, 0);
	if ((pid = fork()) == 0)
		_exit(tbuf_thread.thread_lane == 0 &&
		    tbuf_thread.thread_lane_busy == 0 ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* Values that another process wrote are survived: records go elsewhere. */
START_TEST(garbage_leaves_a_thread_to_other_lanes)
{
	uint64_t at;
	unsigned i;

	begin(_i % 2 == 1, "2");
	at = slot->holders;
	for (i = 0; i < 4; i++) {
		slot->holders = i == 0 ? 8 : i == 1 ? UINT64_MAX & ~15u :
		    at;
		slot->first_thread_lane = i == 2 ? UINT32_MAX : t->layout.nmain;
		slot->nlanes = i == 3 ? UINT32_MAX : t->layout.nlanes;
		tbuf_thread_forget();
		tbuf_store(&tbuf_thread.thread_lane, 0);
		fire();
	}
	slot->nlanes = t->layout.nlanes;
	ck_assert_uint_eq(bound(), 0);
	ck_assert(any_in_main());
}
END_TEST

int
main(void)
{
	const TTest *const both[] = {
		a_lane_that_was_given_back_is_the_next_ones,
		a_lane_that_was_read_comes_before_others,
		a_pool_is_doubled_and_the_dead_leave_theirs,
		a_lane_that_is_not_read_does_not_count_as_free,
		a_large_lane_counts_as_free,
		who_found_none_takes_one_that_has_become_free,
		a_forked_child_has_no_lane,
		garbage_leaves_a_thread_to_other_lanes
	};
	Suite *suite = suite_create("side");
	TCase *tcase = tcase_create("both paths");
	size_t i;

	for (i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		tcase_add_loop_test(tcase, both[i], 0, 2);
	if (tbuf_rseq_ready())
		tcase_add_test(tcase, no_cpu_remembers_a_threads_lane);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
