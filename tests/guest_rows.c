/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two sessions' records of one fire share a reading of the counter, unless
 * anything has come between the two: then the second one is not older than
 * that.  This program has the library's objects in it, with the hidden names.
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "guest/guest.h"
#include "producer/producer.h"

/* Before the section of each session. */
static void (*moment_action)(void);

static void
moment(void)
{
	if (moment_action != NULL)
		moment_action();
}

#define tbuf_rseq_rows_among(m, w, site, values) \
	(moment(), (tbuf_rseq_rows_among)(m, w, site, values))
#include "producer/fire.c"

static struct tbuf_consumer *consumers[2];
static struct guest_page page;
static uint64_t came;		/* when the handler did */
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

/* Fires go by the CPU's memos only where that is known. */
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

static uint64_t
last(unsigned number)
{
	return (tbuf_memo_of(tbuf_local, tbuf_rseq_cpu(), number)->lane->last);
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
	moment_action = count;
	/* The long way; then some may be preempted. */
	for (i = 0; i < 100; i++) {
		fire_one();
		if (i > 0)
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
	fire_one();
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

static const struct guest_case cases[] = {
	{ "sessions_share_a_reading_of_the_counter",
	    test_sessions_share_a_reading_of_the_counter, NULL, GUEST_PLAIN },
	{ "what_comes_between_makes_a_reading_old",
	    test_what_comes_between_makes_a_reading_old, NULL, GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
