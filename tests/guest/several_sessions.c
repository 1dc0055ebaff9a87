/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Several sessions trace one probe, two of them with two enablings.  Each gets
 * its own records exactly, while handlers interrupt fires and each other, and
 * threads share the memos of the CPUs that they move over.
 */
#include <sys/syscall.h>

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"
#include "lib/single_step.h"

#define SESSIONS	4u
#define THREADS		5u
#define ROUNDS		400u	/* of each thread, on one CPU after another */
#define SIGNALS		4000u
#define TEXT		"a text of some bytes"

static const struct kind {
	const char *policy, *bufsize;
	unsigned enablings;
} kinds[SESSIONS] = {
	{ "switch", "64k", 1 }, { "ring", "1k", 1 },
	{ "switch", "1k", 2 }, { "ring", "64k", 2 }
};

static struct tbuf_consumer *consumers[SESSIONS];
static uint64_t fired;		/* fires of all threads and handlers */

static uint32_t
thread_id(void)
{
	return ((uint32_t)syscall(SYS_gettid));
}

/*
 * Fires probes with word arguments, packed ones, more words than the memo has
 * places for, and a text.
 */
static void
fire(void)
{
	uint64_t tid = thread_id(), check = ~tid;
	const char *text = TEXT;

	TBUF_PROBE(guest, plain, tid, check);
	TBUF_PROBE(guest, packed, tid, check, (short)1, 'c');
	TBUF_PROBE(guest, many, tid, check, tid, check, tid);
	TBUF_PROBE(guest, text, tid, check, text);
	__atomic_add_fetch(&fired, 4, __ATOMIC_SEQ_CST);
}

static void
begin(void)
{
	const struct kind *k;
	unsigned i;

	fired = 0;
	for (i = 0; i < SESSIONS; i++) {
		k = &kinds[i];
		consumers[i] = guest_consumer(k->policy, k->bufsize);
		GUEST_EXPECT((k->enablings == 1 ||
		    tbuf_consumer_enable(consumers[i], "guest:::") >= 0) &&
		    tbuf_consumer_grab(consumers[i], getpid()) == 0, "%s",
		    tbuf_consumer_error(consumers[i]));
		guest_go(consumers[i]);
	}
}

/* Checks that a record is complete and from the thread that it names. */
static void
check_record(unsigned i, const struct tbuf_record *r)
{
	GUEST_EXPECT(r->args[0].u == r->tid && r->args[1].u == ~r->args[0].u,
	    "session %u: thread %u, but %" PRIu64 ", %" PRIx64, i, r->tid,
	    r->args[0].u, r->args[1].u);
	GUEST_EXPECT(r->enabling < kinds[i].enablings, "session %u: enabling "
	    "%u", i, r->enabling);
}

static void
end_one(unsigned i)
{
	uint64_t records = 0, lost = 0, due = fired * kinds[i].enablings;
	struct tbuf_event event;

	tbuf_consumer_stop(consumers[i]);
	while (tbuf_consumer_work(consumers[i]) > 0)
		continue;
	while (tbuf_consumer_next(consumers[i], &event) > 0) {
		GUEST_EXPECT(event.type != TBUF_EVENT_DAMAGE,
		    "session %u: damage", i);
		if (event.type == TBUF_EVENT_RECORD) {
			check_record(i, &event.record);
			records++;
		} else if (event.type != TBUF_EVENT_EXIT)
			lost += event.count;
	}
	tbuf_consumer_close(consumers[i]);
	GUEST_EXPECT(records + lost == due, "session %u: %" PRIu64
	    " are due, but %" PRIu64 " records + %" PRIu64 " lost", i, due,
	    records, lost);
	GUEST_EXPECT(records > 0, "session %u: no record", i);
}

static void
end(void)
{
	unsigned i;

	for (i = 0; i < SESSIONS; i++)
		end_one(i);
}

/* ------------------------------------------------------------ handlers */

static uint32_t over, rounds;

static void
fire_in_handler(int number)
{
	(void)number;
	fire();
}

static void
handle(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler,
	    .sa_flags = SA_NODEFER | SA_RESTART };

	sigaction(number, &action, NULL);
}

/* Sends signals in bursts, so that handlers interrupt each other. */
static void *
send(void *cookie)
{
	pthread_t to = *(pthread_t *)cookie;
	uint32_t seen;
	unsigned i;

	for (i = 0; i < SIGNALS; i++) {
		pthread_kill(to, i % 2 == 0 ? SIGUSR1 : SIGUSR2);
		if (i % 16 != 0)
			continue;
		seen = __atomic_load_n(&rounds, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&rounds, __ATOMIC_SEQ_CST) - seen < 2)
			sched_yield();
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	return (NULL);
}

static void
test_nested_handlers_fire_in_several_sessions(void)
{
	pthread_t self = pthread_self(), sender;

	handle(SIGUSR1, fire_in_handler);
	handle(SIGUSR2, fire_in_handler);
	begin();
	GUEST_EXPECT(pthread_create(&sender, NULL, send, &self) == 0,
	    "no thread");
	while (__atomic_load_n(&over, __ATOMIC_ACQUIRE) == 0) {
		fire();
		__atomic_add_fetch(&rounds, 1, __ATOMIC_SEQ_CST);
	}
	pthread_join(sender, NULL);
	end();
	GUEST_EXPECT(fired > 2 * SIGNALS, "%" PRIu64 " fires", fired);
}

static void
fire_numbers(void)
{
	uint64_t tid = thread_id(), check = ~tid;

	TBUF_PROBE(guest, plain, tid, check);
	__atomic_add_fetch(&fired, 1, __ATOMIC_SEQ_CST);
}

/*
 * Steps that are tried.  A section that is stepped through is aborted each
 * time, so that a fire has many more.
 */
#define STEPS		1200u

/*
 * A handler fires between two instructions of a fire.  Each group of sessions
 * covers a quarter of the steps, because their consumers do not read meanwhile.
 */
static void
test_handler_fires_at_steps_in_several_sessions(void)
{
	unsigned long step = 0, next;

	if (!STEPS_POSSIBLE)
		guest_skip("this processor has no trap flag");
	while (step < STEPS) {
		begin();
		for (next = step + STEPS / 4; step < next; step += 13)
			steps_run(fire_numbers, step, fire);
		end();
	}
}

/* ------------------------------------------------------------ threads */

static cpu_set_t all;

static void
wander(unsigned to)
{
	cpu_set_t one;
	unsigned cpu, n = to % (unsigned)CPU_COUNT(&all);

	for (cpu = 0; !CPU_ISSET(cpu, &all) || n-- > 0; cpu++)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void *
work(void *cookie)
{
	unsigned round, i;

	for (round = 0; round < ROUNDS; round++) {
		wander(*(unsigned *)cookie + round);
		for (i = 0; i < 10; i++)
			fire();
	}
	return (NULL);
}

static void
test_threads_share_the_memos_of_their_cpus(void)
{
	pthread_t threads[THREADS];
	unsigned places[THREADS], i;

	GUEST_EXPECT(sched_getaffinity(0, sizeof(all), &all) == 0, "no CPUs");
	begin();
	for (i = 0; i < THREADS; i++) {
		places[i] = i;
		GUEST_EXPECT(pthread_create(&threads[i], NULL, work,
		    &places[i]) == 0, "no thread");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	end();
	GUEST_EXPECT(fired == THREADS * ROUNDS * 40, "%" PRIu64 " fires",
	    fired);
}

static void *
fire_first(void *cookie)
{
	(void)cookie;
	fire_numbers();
	return (NULL);
}

/*
 * The first fire of a thread finds a memo of another thread for its CPU before
 * it has its own thread id.
 */
static void
test_first_fire_of_a_thread_has_its_id_in_each_session(void)
{
	pthread_t thread;

	GUEST_EXPECT(sched_getaffinity(0, sizeof(all), &all) == 0, "no CPUs");
	wander(0);
	begin();
	fire_numbers();
	GUEST_EXPECT(pthread_create(&thread, NULL, fire_first, NULL) == 0,
	    "no thread");
	pthread_join(thread, NULL);
	end();
	sched_setaffinity(0, sizeof(all), &all);
}

static const struct guest_case cases[] = {
	{ "nested_handlers_fire_in_several_sessions",
	    test_nested_handlers_fire_in_several_sessions, NULL, 0 },
	{ "handler_fires_at_steps_in_several_sessions",
	    test_handler_fires_at_steps_in_several_sessions, NULL,
	    GUEST_PLAIN },
	{ "threads_share_the_memos_of_their_cpus",
	    test_threads_share_the_memos_of_their_cpus, NULL, 0 },
	{ "first_fire_of_a_thread_has_its_id_in_each_session",
	    test_first_fire_of_a_thread_has_its_id_in_each_session, NULL, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
