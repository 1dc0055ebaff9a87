/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Buffers that fill before the next switch: when the consumer checks them, and
 * when it begins a round early.  The test has a clock of its own.
 */
#include <string.h>

#include "consumer/attach/attach.h"
#include "fixture.h"
#include "lib/check_main.h"

#define SIZE		(UINT64_C(1) << 20)
#define PART		(SIZE / 4)	/* a round begins at this fill */
#define MS		(TBUF_SECOND / 1000)
#define BEGUN		(TBUF_SECOND * 1000)

static const uint8_t one_integer[] = { TBUF_INT64 };

static struct fake f;
static struct tbuf_consumer *c;
static struct tbuf_target *target;

static void
begin_with(const char *options)
{
	fake_begin(&f);
	fake_probe(&f, "probe", 1, one_integer);
	c = fake_consumer(options);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	fake_map(&f);
	target = TAILQ_FIRST(&c->targets);
}

static void
begin(void)
{
	begin_with("bufsize=1m");
}

static void
end(void)
{
	tbuf_consumer_close(c);
	fake_end(&f);
}

/* Sets the bytes in use, according to the lane. */
static void
use(unsigned lane, uint64_t bytes)
{
	fake_lane(&f, lane)->head = target->readers[lane].position + bytes;
}

/* Checks the fill at this time.  Returns the time to the next check. */
static uint64_t
wait_after(uint64_t now, bool full)
{
	ck_assert_int_eq(tbuf_early_switch(c, now), full);
	return (c->next_fill - now);
}

START_TEST(a_buffer_that_fills_is_looked_at_when_that_will_be)
{
	ck_assert_uint_eq(wait_after(BEGUN, false), 100 * MS);
	/* 1/16 of PART came in 10 ms, so the rest takes 150 more. */
	use(0, PART / 16);
	c->next_fill = BEGUN + 10 * MS;
	ck_assert_uint_eq(wait_after(BEGUN + 10 * MS, false), 100 * MS);
	/* 8/16 came in 20 ms, and 7/16 remain. */
	use(0, PART / 16 * 9);
	c->next_fill = BEGUN + 30 * MS;
	ck_assert_uint_eq(wait_after(BEGUN + 30 * MS, false), 17500000);
	/* The fastest lane counts; with one CPU there is no other lane. */
	if (target->readers[1].size < SIZE)
		return;
	use(1, PART / 2);
	c->next_fill = BEGUN + 40 * MS;
	ck_assert_uint_eq(wait_after(BEGUN + 40 * MS, false), 10 * MS);
	/* The lane has stopped filling. */
	c->next_fill = BEGUN + 50 * MS;
	ck_assert_uint_eq(wait_after(BEGUN + 50 * MS, false), 100 * MS);
}
END_TEST

START_TEST(a_part_in_use_is_a_round)
{
	use(0, PART - 8);
	ck_assert_uint_eq(wait_after(BEGUN, false), 100 * MS);
	use(0, PART);
	c->next_fill = BEGUN + 10 * MS;
	ck_assert(tbuf_early_switch(c, BEGUN + 10 * MS));
	/* The next check does not come before its time. */
	ck_assert(!tbuf_early_switch(c, c->next_fill - 1));
	ck_assert(tbuf_early_switch(c, c->next_fill));
}
END_TEST

/* Checks and rounds have a minimum distance, at any rate of filling. */
START_TEST(looks_and_rounds_have_a_least_period)
{
	ck_assert_uint_eq(wait_after(BEGUN, false), 100 * MS);
	use(0, PART - 8);
	c->next_fill = BEGUN + MS;
	ck_assert_uint_eq(wait_after(BEGUN + MS, false), MS);
	use(0, SIZE);
	use(1, PART - 8);
	ck_assert_uint_eq(wait_after(BEGUN + 2 * MS, true), 5 * MS);
}
END_TEST

/* The round reports such heads. */
START_TEST(heads_that_make_no_sense_are_no_reason)
{
	target->readers[0].position = 4096;
	fake_lane(&f, 0)->head = 4088;
	fake_lane(&f, 1)->head = UINT64_MAX;
	ck_assert_uint_eq(wait_after(BEGUN, false), 100 * MS);
	fake_lane(&f, 0)->head = 4096 + SIZE + 8;
	ck_assert_uint_eq(wait_after(BEGUN + 100 * MS, false), 100 * MS);
}
END_TEST

START_TEST(those_that_do_not_go_on_are_left_alone)
{
	use(0, SIZE);
	target->truncated = true;
	ck_assert(!tbuf_early_switch(c, BEGUN));
	target->truncated = false;
	ck_assert(tbuf_early_switch(c, BEGUN + TBUF_SECOND));
}
END_TEST

/* Small buffers are not checked early. */
START_TEST(small_buffers_lose_what_they_ever_did)
{
	fake_lane(&f, 0)->head = target->readers[0].size;
	ck_assert_uint_lt(target->readers[0].size, 256 << 10);
	ck_assert_uint_eq(wait_after(BEGUN, false), 100 * MS);
}
END_TEST

/* tbuf_consumer_due() makes the check that the consumer waits for. */
START_TEST(a_rate_that_is_set_is_kept)
{
	uint64_t now = tbuf_now();

	c->next_fill = now;
	ck_assert_uint_eq(tbuf_consumer_due(c, now), now);
	ck_assert_int_eq(tbuf_consumer_set(c, "switchrate", "1d"), 0);
	ck_assert_uint_gt(tbuf_consumer_due(c, now), now);
}
END_TEST

/* Works once; nothing else is due for an hour, and a wakeup ends the wait. */
static void
work(uint64_t *later)
{
	*later = tbuf_now() + 3600 * TBUF_SECOND;
	c->next_switch = c->next_status = *later;
	tbuf_consumer_wake(c);
	ck_assert_int_eq(tbuf_consumer_work(c), 1);
}

START_TEST(a_round_that_came_early_puts_off_the_next)
{
	struct tally t = { 0 };
	uint64_t later;

	use(0, PART - 8);
	c->next_fill = 0;
	work(&later);
	ck_assert_uint_eq(c->next_switch, later);
	use(0, PART);
	c->next_fill = 0;
	work(&later);
	ck_assert_uint_le(c->next_switch, tbuf_now() + TBUF_SECOND);
	/* The lane has no records. */
	fake_tally(c, &t);
	ck_assert_uint_eq(t.damage, PART);
}
END_TEST

START_TEST(what_has_grown_is_looked_at_at_once)
{
	uint64_t later;

	c->next_fill = UINT64_MAX;
	target->growth = UINT64_MAX;
	target->next_growth = 0;
	work(&later);
	ck_assert_uint_lt(c->next_fill, later);
}
END_TEST

static void
begin_ring(void)
{
	begin_with("bufsize=1m bufpolicy=ring");
}

START_TEST(what_is_not_switched_is_not_looked_at)
{
	uint64_t now = tbuf_now();

	c->next_fill = now;
	ck_assert_uint_gt(tbuf_consumer_due(c, now), now);
}
END_TEST

static void
begin_small(void)
{
	begin_with("bufsize=64k");
}

int
main(void)
{
	Suite *suite = suite_create("pace");
	TCase *t = tcase_create("large");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, a_buffer_that_fills_is_looked_at_when_that_will_be);
	tcase_add_test(t, a_part_in_use_is_a_round);
	tcase_add_test(t, looks_and_rounds_have_a_least_period);
	tcase_add_test(t, heads_that_make_no_sense_are_no_reason);
	tcase_add_test(t, those_that_do_not_go_on_are_left_alone);
	tcase_add_test(t, a_rate_that_is_set_is_kept);
	tcase_add_test(t, a_round_that_came_early_puts_off_the_next);
	tcase_add_test(t, what_has_grown_is_looked_at_at_once);
	suite_add_tcase(suite, t);
	t = tcase_create("small");
	tcase_add_checked_fixture(t, begin_small, end);
	tcase_add_test(t, small_buffers_lose_what_they_ever_did);
	suite_add_tcase(suite, t);
	t = tcase_create("ring");
	tcase_add_checked_fixture(t, begin_ring, end);
	tcase_add_test(t, what_is_not_switched_is_not_looked_at);
	suite_add_tcase(suite, t);
	return (run_suite(suite));
}
