/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A handler comes between any two instructions of a fire, and the copy of the
 * memo that it makes is aborted by another one: what is left of it, of two
 * sessions or of two CPUs, is used by nobody [inv.account].  This program has
 * the library's objects in it, with the hidden names.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"
#include "lib/single_step.h"
#include "arch/counter.h"
#include "arch/rseq.h"
#include "shared/atomic_step.h"
#include "target/lane/thread_lane.h"

/* The copy is aborted before so many words of it; 0: it is not. */
#define MEMO_WORDS	(sizeof(struct tbuf_memo) / sizeof(uint64_t))
static size_t aborted_at;

/* As a section does it: void first, then from the last word on. */
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

/* One has the thread's memo, and all have the CPU's. */
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

/* Each traces a probe of its own. */
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

/* Nobody has got anything but its own. */
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

/* In a handler, and aborted by another one while it is remembered. */
static void
fire_last_aborted(void)
{
	fire_session(SESSIONS - 1);
}

/* At each step that comes before a section is armed, and many behind that. */
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

static cpu_set_t places[2];	/* of one CPU each */
static unsigned place;

/* The same, of the same session, on another CPU. */
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
