/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The reader of a ring while the writer goes on.  The code under test is
 * included here, so that the writer can run between any two loads of the
 * reader.
 */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"

static void	moment(const volatile void *);

#undef tbuf_load
#undef tbuf_load_acquire
#define tbuf_load(p)							\
	(moment(p), __atomic_load_n((p), __ATOMIC_RELAXED))
#define tbuf_load_acquire(p)						\
	(moment(p), __atomic_load_n((p), __ATOMIC_ACQUIRE))
#include "shared/lane_pair.c"
#include "lib/check_main.h"

#define SIZE	40u		/* of each record */

static struct tbuf_lane lane;
static unsigned loads, at, steps;	/* writer's steps before that load */
#define EACH_LOAD	UINT_MAX

/* Overwrites a record as the writer of target/lane/lock_lane.c does. */
static void
step(void)
{
	const struct tbuf_pair *now = &lane.pair[lane.sequence & 1];
	struct tbuf_pair *next = &lane.pair[(lane.sequence + 1) & 1];

	next->tail = now->tail + SIZE;
	next->overwritten = now->overwritten + 1;
	lane.sequence++;
}

static void
moment(const volatile void *p)
{
	unsigned i;

	(void)p;
	if (loads++ != at && at != EACH_LOAD)
		return;
	for (i = 0; i < steps; i++)
		step();
}

/*
 * One step does not touch the pair that is read; two steps overwrite it.  At
 * any load, the result is a consistent pair, as new as the last look at
 * sequence.
 */
START_TEST(a_pair_is_whole_wherever_the_writer_comes)
{
	struct tbuf_pair pair;

	for (steps = 1; steps <= 4; steps++)
		for (at = 0, loads = 1; at < loads; at++) {
			memset(&lane, 0, sizeof(lane));
			loads = 0;
			tbuf_lane_pair(&lane, &pair);
			ck_assert_msg(pair.tail == pair.overwritten * SIZE,
			    "%u steps before load %u: tail %ju, overwritten "
			    "%ju", steps, at, (uintmax_t)pair.tail,
			    (uintmax_t)pair.overwritten);
			ck_assert_uint_eq(pair.overwritten,
			    at < loads ? steps : 0);
		}
}
END_TEST

/* The reader does not wait for a writer that never stops. */
START_TEST(a_reader_gives_up_when_the_writer_never_rests)
{
	struct tbuf_pair pair;

	memset(&lane, 0, sizeof(lane));
	loads = 0;
	at = EACH_LOAD;
	steps = 1;
	tbuf_lane_pair(&lane, &pair);
	ck_assert_uint_le(loads, 10 * PAIR_TRIES);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("reader");
	TCase *tcase = tcase_create("ring");

	tcase_add_test(tcase, a_pair_is_whole_wherever_the_writer_comes);
	tcase_add_test(tcase, a_reader_gives_up_when_the_writer_never_rests);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
