/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two sessions' records of one fire share a reading of the counter, unless a
 * handler ran between the two: then the second record is not older than the
 * handler.  Each session gets its record even if a handler changes the thread's
 * memo before a section.  This program contains the library's objects, to use
 * hidden names.
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "arch/rseq_unit.h"
#include "guest/support/guest.h"
#include "target/clause/plan.h"
#include "target/fire/fire.h"
#include "target/lane/pack_fixed.h"
#include "target/lane/pack_string.h"
#include "target/provider.h"
#include "target/unit/unit.h"

/* Called before the section of each session. */
static void (*moment_action)(void);

static void
moment(void)
{
	if (moment_action != NULL)
		moment_action();
}

#define tbuf_rseq_rows_own(m, w, site, values) \
	(moment(), (tbuf_rseq_rows_own)(m, w, site, values))
#define tbuf_rseq_rows_among(m, w, site, values) \
	(moment(), (tbuf_rseq_rows_among)(m, w, site, values))
/* Disabled: the test is about the sections that follow it (check_sections). */
#define tbuf_rseq_several(memos, left, ...) (left)
#include "target/fire/fire.c"

static struct tbuf_consumer *consumers[2];
static struct guest_page page;
static uint64_t came;		/* time when the handler ran */
static unsigned moments;

static void
on_signal(int number)
{
	(void)number;
	came = tbuf_clock_read(tbuf_self.clock);
}

static void
interrupt_second(void)
{
	if (moments++ == 1)
		raise(SIGUSR1);
}

static void
count(void)
{
	moments++;
}

/*
 * Confines the process to one CPU and begins two sessions.  Fires use the CPUs'
 * memos only if cpus is set.
 */
static void
begin(void)
{
	cpu_set_t one;
	unsigned i;

	if (!tbuf_self.rseq || tbuf_local->cpus == 0)
		guest_skip("there are no memos of CPUs");
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	GUEST_EXPECT(sched_setaffinity(0, sizeof(one), &one) == 0, "no CPU");
	for (i = 0; i < 2; i++)
		consumers[i] = guest_begin("ring", "64k");
	memset(&page, 0, sizeof(page));
}

static void
fire_one(void)
{
	moments = 0;
	TBUF_PROBE(guest, numbers, page.before, page.after);
	page.after++;
}

static const struct tbuf_lane *
lane_of(unsigned number)
{
	return (tbuf_memo_of(tbuf_local, tbuf_rseq_cpu(), number)->lane);
}

static uint64_t
last(unsigned number)
{
	return (lane_of(number)->last);
}

/*
 * Fires until the CPU has a memo of both sessions.  The slow path leaves one
 * unless the thread is preempted between the record and the memo.
 */
static void
fire_first(void)
{
	do
		fire_one();
	while (lane_of(0) == NULL || lane_of(1) == NULL);
}

static void
end(void)
{
	struct guest_tally tally;
	unsigned i;

	moment_action = NULL;
	for (i = 0; i < 2; i++) {
		memset(&tally, 0, sizeof(tally));
		guest_finish(consumers[i], &tally);
		guest_account(&tally, page.after);
	}
}

static void
test_sessions_share_a_reading_of_the_counter(void)
{
	unsigned i, same = 0;

	begin();
	fire_first();
	moment_action = count;
	/* A few fires may be preempted. */
	for (i = 0; i < 100; i++) {
		fire_one();
		GUEST_EXPECT(moments == 2, "%u sections", moments);
		same += last(0) == last(1);
	}
#if defined(__x86_64__)
	GUEST_EXPECT(same > 50, "%u of 100 have one time", same);
#endif
	end();
}

static void
test_what_comes_between_makes_a_reading_old(void)
{
	unsigned i;

	begin();
	signal(SIGUSR1, on_signal);
	fire_first();
	moment_action = interrupt_second;
	for (i = 0; i < 100; i++) {
		came = 0;
		fire_one();
		GUEST_EXPECT(came != 0, "no signal");
		GUEST_EXPECT(last(0) < came && came < last(1),
		    "%" PRIu64 ", handler %" PRIu64 ", %" PRIu64, last(0),
		    came, last(1));
	}
	end();
}

/* Begins a session with two enablings, which a flat section does not handle. */
static struct tbuf_consumer *
begin_two_enablings(void)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	GUEST_EXPECT(c != NULL &&
	    tbuf_consumer_set(c, "bufpolicy", "ring") == 0 &&
	    tbuf_consumer_set(c, "bufsize", "64k") == 0 &&
	    tbuf_consumer_enable(c, "guest:::numbers") == 0 &&
	    tbuf_consumer_enable(c, "guest:::numbers") >= 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "no session");
	guest_go(c);
	return (c);
}

/*
 * Makes the thread forget its memo, as a vfork() without an rseq area to lend
 * does, and remember a session that begins here.
 */
static void
remember_another(void)
{
	uint64_t before = tbuf_thread.memo.bits;

	if (moments++ > 0)
		return;
	tbuf_thread_mark(1);
	tbuf_thread_mark(-1);
	consumers[1] = guest_begin("ring", "64k");
	TBUF_PROBE(guest, another, before);
	GUEST_EXPECT(tbuf_thread.memo.bits != TBUF_MEMO_NONE &&
	    tbuf_thread.memo.bits != before, "not remembered");
}

static void
test_handler_that_remembers_another_session_loses_no_record(void)
{
	struct guest_tally tally = { 0 };

	if (!tbuf_self.rseq)
		guest_skip("threads remember no lanes of CPUs");
	memset(&page, 0, sizeof(page));
	consumers[0] = begin_two_enablings();
	fire_one();
	moment_action = remember_another;
	fire_one();
	GUEST_EXPECT(consumers[1] != NULL, "no handler");
	moment_action = NULL;
	fire_one();
	guest_finish(consumers[0], &tally);
	guest_account(&tally, 2 * page.after);
	/* A session that begins during a fire may record that fire or not. */
	memset(&tally, 0, sizeof(tally));
	guest_finish(consumers[1], &tally);
	GUEST_EXPECT(tally.records == 2 || tally.records == 3,
	    "%" PRIu64 " records", tally.records);
}

static const struct guest_case cases[] = {
	{ "sessions_share_a_reading_of_the_counter",
	    test_sessions_share_a_reading_of_the_counter, NULL, GUEST_PLAIN },
	{ "what_comes_between_makes_a_reading_old",
	    test_what_comes_between_makes_a_reading_old, NULL, GUEST_PLAIN },
	{ "handler_that_remembers_another_session_loses_no_record",
	    test_handler_that_remembers_another_session_loses_no_record, NULL,
	    GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
