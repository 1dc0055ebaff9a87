/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A handler runs between any two instructions of a fire, and another handler
 * aborts the copy of the memo that it makes.  The torn memo, of two sessions or
 * of two CPUs, is never used [inv.account].  This program contains the
 * library's objects, to use hidden names.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "arch/counter.h"
#include "arch/rseq.h"
#include "guest/support/guest.h"
#include "lib/single_step.h"
#include "shared/atomic_step.h"
#include "target/lane/thread_lane.h"

/*
 * Number of memo words that are not copied when the copy is aborted; 0 if it is
 * not aborted.
 */
#define MEMO_WORDS	(sizeof(struct tbuf_memo) / sizeof(uint64_t))
static size_t aborted_at;

/*
 * Copies a memo in the order of the section: sets it void, then stores from the
 * last word on.
 */
static void
remember_some(struct tbuf_memo *to, const struct tbuf_memo *from,
    const uint32_t *marked)
{
	uint64_t *t = (void *)to;
	const uint64_t *f = (const void *)from;
	size_t i;

	if (aborted_at == 0) {
		tbuf_rseq_remember(to, from, marked);
		return;
	}
	to->bits = TBUF_MEMO_NONE;
	for (i = MEMO_WORDS; i > aborted_at; i--)
		t[i - 1] = f[i - 1];
}

#define tbuf_rseq_remember	remember_some
#include "target/lane/cpu_lane.c"

/* One session has the thread's memo; all have the CPU's. */
#define SESSIONS	3

static struct tbuf_site sites[SESSIONS];
static struct tbuf_consumer *consumers[SESSIONS];
static uint64_t fired[SESSIONS];

static void
fire_session(unsigned n)
{
	uint64_t value = fired[n];

	tbuf_probe_fire(&sites[n], &value);
	fired[n]++;
}

/* Begins the sessions, each with a probe of its own. */
static void
sessions_begin(const char *policy)
{
	static const enum tbuf_type types[] = { TBUF_UINT64 };
	char name[] = "memoN", probe[] = "guest:m:f:memoN";
	struct tbuf_consumer *c;
	unsigned n;

	for (n = 0; n < SESSIONS; n++) {
		name[4] = probe[14] = (char)('0' + n);
		GUEST_EXPECT(tbuf_probe_register(&sites[n], "guest", "m", "f",
		    name, 1, types, NULL) == 0, "not registered");
		consumers[n] = c = tbuf_consumer_new();
		GUEST_EXPECT(tbuf_consumer_set(c, "bufpolicy", policy) == 0 &&
		    tbuf_consumer_set(c, "bufsize", "1m") == 0 &&
		    tbuf_consumer_enable(c, probe) == 0 &&
		    tbuf_consumer_grab(c, getpid()) == 0, "%s",
		    tbuf_consumer_error(c));
		guest_go(c);
		fired[n] = 0;
	}
}

/* Ends the sessions, each of which must have its own records only. */
static void
sessions_end(void)
{
	struct guest_tally tally;
	unsigned n;

	for (n = 0; n < SESSIONS; n++) {
		memset(&tally, 0, sizeof(tally));
		guest_finish(consumers[n], &tally);
		GUEST_EXPECT(tally.records == fired[n] && tally.drops == 0,
		    "session %u: fired %" PRIu64 ", %" PRIu64 " records, %"
		    PRIu64 " drops", n, fired[n], tally.records, tally.drops);
		tbuf_probe_unregister(&sites[n]);
	}
}

static void
fire_first(void)
{
	fire_session(0);
}

/* Fires in a handler for the last session; the copy of its memo is aborted. */
static void
fire_last_aborted(void)
{
	fire_session(SESSIONS - 1);
}

/* Covers each step before a section is armed, and many after it. */
#define MEMO_STEPS	120

static void
abort_each_copy(void (*in_handler)(void))
{
	unsigned long step;
	size_t at;
	unsigned n;

	for (step = 0; step < MEMO_STEPS; step++) {
		for (at = 1; at <= MEMO_WORDS; at++) {
			for (n = 0; n < SESSIONS - 1; n++)
				fire_session(n);
			aborted_at = at;
			steps_run(fire_first, step, in_handler);
			aborted_at = 0;
		}
	}
}

static void
begin(void)
{
	if (!STEPS_POSSIBLE)
		guest_skip("this processor has no trap flag");
}

static void
test_memo_of_an_aborted_copy_is_used_by_nobody(void)
{
	begin();
	sessions_begin("switch");
	abort_each_copy(fire_last_aborted);
	sessions_end();
	sessions_begin("ring");
	abort_each_copy(fire_last_aborted);
	sessions_end();
}

static cpu_set_t places[2];	/* sets of one CPU each */
static unsigned place;

/*
 * Fires in a handler for the same session, but on another CPU; the copy of its
 * memo is aborted.
 */
static void
fire_elsewhere_aborted(void)
{
	place = !place;
	sched_setaffinity(0, sizeof(places[0]), &places[place]);
	fire_session(0);
}

static void
test_memo_of_two_cpus_is_used_by_nobody(void)
{
	cpu_set_t all;
	unsigned cpu, n = 0;

	begin();
	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &places[n++]);
	if (n < 2)
		guest_skip("there is one CPU");
	sessions_begin("switch");
	sched_setaffinity(0, sizeof(places[0]), &places[place]);
	abort_each_copy(fire_elsewhere_aborted);
	sessions_end();
	sched_setaffinity(0, sizeof(all), &all);
}

static const struct guest_case cases[] = {
	{ "memo_of_an_aborted_copy_is_used_by_nobody",
	    test_memo_of_an_aborted_copy_is_used_by_nobody, NULL,
	    GUEST_PLAIN },
	{ "memo_of_two_cpus_is_used_by_nobody",
	    test_memo_of_two_cpus_is_used_by_nobody, NULL, GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
