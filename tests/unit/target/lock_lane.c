/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memo of a thread without rseq, while handlers fire in between: it has one
 * lane's values, or none.  The code under test is included here, so that a
 * handler can come at each load and store.
 */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"

static void	moment(void);

#undef tbuf_load
#undef tbuf_store
#define tbuf_load(p)							\
	(moment(), __atomic_load_n((p), __ATOMIC_RELAXED))
#define tbuf_store(p, v)						\
	(moment(), __atomic_store_n((p), (v), __ATOMIC_RELAXED))
#include "target/lane/lock_lane.c"
#include "lib/check_main.h"

#define LANES		2u
#define SESSIONS	2u
#define NEVER		UINT_MAX

static struct tbuf_control control;
static struct tbuf_slot slots[SESSIONS];
static struct tbuf_lane lanes[LANES];
static unsigned moments, at = NEVER;
static unsigned lane_then, session_then;	/* of the handler's fire */
static bool alone_then;

static void
fired(unsigned session, unsigned lane, bool alone)
{
	const struct tbuf_fire f = {
		.base = (uintptr_t)&control,
		.slot = &slots[session], .generation = session + 1,
		.number = session
	};
	const struct tbuf_place place = {
		.lane = &lanes[lane], .data = (unsigned char *)&lanes[lane],
		.storage = 64 * (lane + 1), .size = lane
	};

	remember(&f, &place, lane, alone);
}

static void
moment(void)
{
	if (moments++ != at)
		return;
	fired(session_then, lane_then, alone_then);
}

/* The memo has one session and one lane.  Returns false if it has none. */
static bool
check_recalled(unsigned session)
{
	struct tbuf_locked m;
	unsigned lane;

	if (!recall(&m, UINT64_C(1) << session))
		return (false);
	lane = m.lock;
	ck_assert_uint_lt(lane, LANES);
	ck_assert_uint_eq(m.generation, session + 1);
	ck_assert_ptr_eq(m.slot, &slots[session]);
	ck_assert_ptr_eq(m.place.lane, &lanes[lane]);
	ck_assert_ptr_eq(m.place.data, &lanes[lane]);
	ck_assert_uint_eq(m.place.storage, 64 * (lane + 1));
	ck_assert_uint_eq(m.place.size, lane);
	return (true);
}

static void
begin(unsigned step)
{
	at = NEVER;
	memset(&tbuf_thread.locked, 0, sizeof(tbuf_thread.locked));
	fired(0, 0, true);
	ck_assert(check_recalled(0));
	ck_assert(!check_recalled(1));
	moments = 0;
	at = step;
	/* A handler's fire during this one is never alone. */
	alone_then = false;
}

START_TEST(a_handler_that_fires_while_a_lane_is_recalled)
{
	unsigned step;

	for (session_then = 0; session_then < SESSIONS; session_then++)
		for (lane_then = 0; lane_then < LANES; lane_then++)
			for (step = 0, moments = 1; step < moments; step++) {
				begin(step);
				check_recalled(0);
				ck_assert(moments >= step);
			}
}
END_TEST

START_TEST(a_handler_that_fires_while_a_lane_is_remembered)
{
	unsigned step, k;

	for (session_then = 0; session_then < SESSIONS; session_then++)
		for (lane_then = 0; lane_then < LANES; lane_then++)
			for (step = 0, moments = 1; step < moments; step++) {
				begin(step);
				fired(0, 1, true);
				k = moments;
				at = NEVER;
				ck_assert(check_recalled(0) ||
				    check_recalled(1));
				moments = k;
			}
}
END_TEST

/* A jump has made the memo's version odd; the next fire stores it again. */
START_TEST(a_fire_that_is_left_while_it_remembers_is_no_obstacle)
{
	begin(NEVER);
	tbuf_thread.locked.version |= 1;
	ck_assert(!check_recalled(0));
	fired(1, 1, false);
	ck_assert(!check_recalled(1));
	fired(1, 1, true);
	ck_assert(check_recalled(1));
}
END_TEST

START_TEST(a_probe_that_nobody_traces_any_more_recalls_nothing)
{
	struct tbuf_locked m;

	begin(NEVER);
	memset(&tbuf_thread.locked, 0, sizeof(tbuf_thread.locked));
	ck_assert(!recall(&m, 0));
}
END_TEST

/* A processor may read its counter before it has the lock. */
START_TEST(a_holder_takes_no_time_before_that_of_the_last_one)
{
	const struct tbuf_place place = { .lane = &lanes[0] };
	uint64_t time, before = tbuf_clock_read(tbuf_self.clock) + (1 << 30);
	uint32_t cpu;

	at = NEVER;
	slots[0].terms.only_cpu = -1;
	lanes[0].taken = before;
	lanes[0].last = before - 1;
	ck_assert(locked_begin(&slots[0], tbuf_local->base, &place, &time,
	    &cpu));
	ck_assert_uint_eq(lanes[0].taken, before);
	ck_assert_uint_eq(stamp(&lanes[0], time), before);
	ck_assert_uint_eq(stamp(&lanes[0], time), before + 1);
}
END_TEST

/* inv.account: a lost store is counted; the fire may still store its record. */
START_TEST(a_store_that_finds_no_lane_is_counted_apart)
{
	const struct tbuf_fire f = {
		.base = tbuf_local->base, .slot = &slots[0], .generation = 1
	};
	uint64_t word = 7, lost[TBUF_NLOST] = { 0 };
	unsigned i, k;

	at = NEVER;
	slots[0].generation = 1;
	slots[0].nlocks = LANES;
	for (k = 0; k < LANES; k++) {
		slots[0].locks[k].word = 2 * f.generation + 1;
		for (i = 0; i < TBUF_NLOST; i++)
			slots[0].locks[k].nolane[i] =
			    f.generation << TBUF_NOLANE_SHIFT;
	}
	ck_assert_int_eq(tbuf_lock_store(&f, &word, 8), TBUF_EMIT_DONE);
	ck_assert_uint_eq(word, 7);
	for (k = 0; k < LANES; k++)
		for (i = 0; i < TBUF_NLOST; i++)
			lost[i] += slots[0].locks[k].nolane[i] &
			    TBUF_NOLANE_COUNT;
	ck_assert_uint_eq(lost[TBUF_LOST_STORE], 1);
	ck_assert_uint_eq(lost[TBUF_LOST_RECORD] + lost[TBUF_LOST_UPDATE], 0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("lock");
	TCase *tcase = tcase_create("memory");

	tcase_add_test(tcase, a_handler_that_fires_while_a_lane_is_recalled);
	tcase_add_test(tcase,
	    a_holder_takes_no_time_before_that_of_the_last_one);
	tcase_add_test(tcase, a_store_that_finds_no_lane_is_counted_apart);
	tcase_add_test(tcase,
	    a_handler_that_fires_while_a_lane_is_remembered);
	tcase_add_test(tcase,
	    a_fire_that_is_left_while_it_remembers_is_no_obstacle);
	tcase_add_test(tcase,
	    a_probe_that_nobody_traces_any_more_recalls_nothing);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
