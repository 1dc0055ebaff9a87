/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The aggregating functions: the bucket of a value, and the words of a tally.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check_main.h"
#include "machine/aggregate.h"

/* Parameters, laid out as in struct tbuf_d_aggregation. */
#define LINEAR(base, levels, step)	((uint64_t)(step) << 48 |	\
	(uint64_t)(levels) << 32 | (uint32_t)(base))
#define LOG_LINEAR(factor, low, high, steps)	((uint64_t)(factor) << 48 | \
	(uint64_t)(low) << 32 | (uint64_t)(high) << 16 | (uint64_t)(steps))

#define Q	TBUF_AGG_QUANTIZE
#define LQ	TBUF_AGG_LQUANTIZE
#define LLQ	TBUF_AGG_LLQUANTIZE

static void
expect_bucket(enum tbuf_aggregator function, uint64_t parameter,
    int64_t value, uint32_t bucket)
{
	uint32_t found = tbuf_aggregate_bucket(function, parameter, value);

	/* Assertions that hold make a system call, too, so this tests first. */
	if (found != bucket)
		ck_abort_msg("%" PRId64 " is in %" PRIu32 ", not %" PRIu32,
		    value, found, bucket);
}

static void
expect_bounds(enum tbuf_aggregator function, uint64_t parameter,
    uint32_t bucket, int64_t low, int64_t high)
{
	int64_t from, to;

	ck_assert(tbuf_aggregate_bounds(function, parameter, bucket, &from,
	    &to));
	ck_assert_msg(from == low && to == high, "%" PRIu32 " is %" PRId64
	    " to %" PRId64 ", not %" PRId64 " to %" PRId64, bucket, from, to,
	    low, high);
}

/* Expects that the buckets cover INT64_MIN to INT64_MAX without gaps. */
static void
expect_partition(enum tbuf_aggregator function, uint64_t parameter)
{
	uint32_t n = tbuf_aggregate_words(function, parameter), i;
	int64_t low, high, last = 0;
	bool begun = false;

	ck_assert_uint_gt(n, 0);
	for (i = 0; i < n; i++) {
		if (!tbuf_aggregate_bounds(function, parameter, i, &low,
		    &high))
			continue;
		if (low > high || low != (begun ? last + 1 : INT64_MIN))
			ck_abort_msg("bucket %u: %jd to %jd after %jd", i,
			    (intmax_t)low, (intmax_t)high, (intmax_t)last);
		begun = true;
		expect_bucket(function, parameter, low, i);
		expect_bucket(function, parameter, high, i);
		expect_bucket(function, parameter, (int64_t)((uint64_t)low +
		    ((uint64_t)high - (uint64_t)low) / 2), i);
		last = high;
	}
	ck_assert_int_eq(last, INT64_MAX);
	ck_assert(!tbuf_aggregate_bounds(function, parameter, n, &low,
	    &high));
}

/* ------------------------------------------------------------ buckets */

START_TEST(powers_of_two)
{
	expect_bucket(Q, 0, 0, 63);
	expect_bucket(Q, 0, 1, 64);
	expect_bucket(Q, 0, 2, 65);
	expect_bucket(Q, 0, 3, 65);
	expect_bucket(Q, 0, 4, 66);
	expect_bucket(Q, 0, INT64_MAX, 126);
	expect_bucket(Q, 0, -1, 62);
	expect_bucket(Q, 0, -2, 61);
	expect_bucket(Q, 0, -3, 61);
	expect_bucket(Q, 0, -4, 60);
	expect_bucket(Q, 0, INT64_MIN, 0);
	expect_bounds(Q, 0, 0, INT64_MIN, -(INT64_C(1) << 62));
	expect_bounds(Q, 0, 62, -1, -1);
	expect_bounds(Q, 0, 63, 0, 0);
	expect_bounds(Q, 0, 65, 2, 3);
	expect_partition(Q, 0);
}
END_TEST

/* lquantize(x, -10, 25, 10): -10, 0, 10; the last step ends at 20. */
START_TEST(steps)
{
	uint64_t p = LINEAR(-10, 3, 10);

	ck_assert_uint_eq(tbuf_aggregate_words(LQ, p), 5);
	expect_bucket(LQ, p, -11, 0);
	expect_bucket(LQ, p, -10, 1);
	expect_bucket(LQ, p, -1, 1);
	expect_bucket(LQ, p, 0, 2);
	expect_bucket(LQ, p, 19, 3);
	expect_bucket(LQ, p, 20, 4);
	expect_bucket(LQ, p, INT64_MIN, 0);
	expect_bucket(LQ, p, INT64_MAX, 4);
	expect_bounds(LQ, p, 1, -10, -1);
	expect_partition(LQ, p);
	expect_partition(LQ, LINEAR(0, 100, 1));
	expect_partition(LQ, LINEAR(INT32_MIN, 65535, 65535));
	expect_partition(LQ, LINEAR(INT32_MAX, 1, 1));
}
END_TEST

/*
 * llquantize(x, 10, 0, 1, 10) has steps 1 to 9 and 10 to 90 by tens, for either
 * sign; the bucket in the middle has |x| < 1.
 */
START_TEST(steps_as_many_as_the_factor)
{
	uint64_t p = LOG_LINEAR(10, 0, 1, 10);

	ck_assert_uint_eq(tbuf_aggregate_words(LLQ, p), 2 * 9 * 2 + 3);
	expect_bucket(LLQ, p, 0, 19);
	expect_bucket(LLQ, p, 1, 20);
	expect_bucket(LLQ, p, 9, 28);
	expect_bucket(LLQ, p, 10, 29);
	expect_bucket(LLQ, p, 19, 29);
	expect_bucket(LLQ, p, 20, 30);
	expect_bucket(LLQ, p, 99, 37);
	expect_bucket(LLQ, p, 100, 38);
	expect_bucket(LLQ, p, INT64_MAX, 38);
	expect_bucket(LLQ, p, -1, 18);
	expect_bucket(LLQ, p, -99, 1);
	expect_bucket(LLQ, p, -100, 0);
	expect_bucket(LLQ, p, INT64_MIN, 0);
	expect_bounds(LLQ, p, 30, 20, 29);
	expect_bounds(LLQ, p, 18, -1, -1);
	expect_bounds(LLQ, p, 9, -19, -10);
	expect_partition(LLQ, p);
}
END_TEST

/* llquantize(x, 10, 0, 1, 5): 1, 2, 4, 6, 8, 10, 20, 40, 60, 80. */
START_TEST(fewer_steps_than_the_factor)
{
	uint64_t p = LOG_LINEAR(10, 0, 1, 5);
	static const int64_t labels[] = {
		1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100
	};
	uint32_t i;

	ck_assert_uint_eq(tbuf_aggregate_words(LLQ, p), 2 * 5 * 2 + 3);
	for (i = 0; i < 10; i++)
		expect_bounds(LLQ, p, 12 + i, labels[i], labels[i + 1] - 1);
	expect_bounds(LLQ, p, 22, 100, INT64_MAX);
	expect_partition(LLQ, p);
}
END_TEST

/* llquantize(x, 3, 3, 5, 27): 27 to 78 by 3, 81 to 234 by 9, 243 by 27. */
START_TEST(more_steps_than_the_factor)
{
	uint64_t p = LOG_LINEAR(3, 3, 5, 27);
	uint32_t zero = 1 + 3 * 18;

	ck_assert_uint_eq(tbuf_aggregate_words(LLQ, p), 2 * zero + 1);
	expect_bounds(LLQ, p, zero, -26, 26);
	expect_bounds(LLQ, p, zero + 1, 27, 29);
	expect_bounds(LLQ, p, zero + 18, 78, 80);
	expect_bounds(LLQ, p, zero + 19, 81, 89);
	expect_bounds(LLQ, p, zero + 54, 702, 728);
	expect_bounds(LLQ, p, 2 * zero, 729, INT64_MAX);
	expect_partition(LLQ, p);
}
END_TEST

/* llquantize(x, 10, 0, 1, 20): no bucket, as 1.5 is not an integer. */
START_TEST(more_steps_than_integers)
{
	uint64_t p = LOG_LINEAR(10, 0, 1, 20);
	uint32_t zero = 1 + 2 * 18;
	int64_t low, high;

	expect_bounds(LLQ, p, zero + 1, 1, 1);
	ck_assert(!tbuf_aggregate_bounds(LLQ, p, zero + 2, &low, &high));
	expect_bounds(LLQ, p, zero + 3, 2, 2);
	expect_bounds(LLQ, p, zero + 17, 9, 9);
	ck_assert(!tbuf_aggregate_bounds(LLQ, p, zero - 18, &low, &high));
	expect_bounds(LLQ, p, zero + 19, 10, 14);
	expect_bounds(LLQ, p, zero + 20, 15, 19);
	expect_bounds(LLQ, p, zero - 20, -19, -15);
	expect_partition(LLQ, p);
	expect_partition(LLQ, LOG_LINEAR(10, 0, 3, 100));
}
END_TEST

START_TEST(many_parameters)
{
	uint64_t factor, steps;
	uint32_t low, high;

	for (factor = 2; factor <= 24; factor++)
		for (steps = 1; steps <= factor; steps++)
			for (low = 0; low < 3 && factor % steps == 0; low++)
				for (high = low; high < 8; high++)
					expect_partition(LLQ, LOG_LINEAR(
					    factor, low, high, steps));
	expect_partition(LLQ, LOG_LINEAR(2, 0, 62, 2));
	expect_partition(LLQ, LOG_LINEAR(2, 61, 61, 4));
	expect_partition(LLQ, LOG_LINEAR(3, 0, 39, 9));
	expect_partition(LLQ, LOG_LINEAR(3, 38, 39, 9));
	expect_partition(LLQ, LOG_LINEAR(65535, 0, 2, 65535));
}
END_TEST

/* Parameters that make no sense are refused. */
START_TEST(parameters_without_sense)
{
	static const uint64_t wrong[] = {
		LOG_LINEAR(0, 0, 1, 1), LOG_LINEAR(1, 0, 1, 1),
		LOG_LINEAR(10, 0, 1, 0), LOG_LINEAR(10, 2, 1, 10),
		LOG_LINEAR(10, 0, 19, 10), LOG_LINEAR(2, 0, 63, 2),
		LOG_LINEAR(2, 0, 65535, 2), 0, UINT64_MAX
	};
	int64_t low, high;
	unsigned i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_uint_eq(tbuf_aggregate_words(LLQ, wrong[i]), 0);
		ck_assert_uint_eq(tbuf_aggregate_bucket(LLQ, wrong[i], 5), 0);
		ck_assert(!tbuf_aggregate_bounds(LLQ, wrong[i], 0, &low,
		    &high));
	}
	ck_assert_uint_eq(tbuf_aggregate_words(LQ, LINEAR(0, 0, 1)), 0);
	ck_assert_uint_eq(tbuf_aggregate_words(LQ, LINEAR(0, 1, 0)), 0);
	ck_assert_uint_eq(tbuf_aggregate_bucket(LQ, LINEAR(0, 1, 0), 5), 0);
	ck_assert_uint_eq(tbuf_aggregate_words(TBUF_AGGREGATORS, 0), 0);
}
END_TEST

/* A bucket is one of the words, for any parameter. */
START_TEST(any_parameter)
{
	unsigned seed = 20261122, i;
	int64_t low, high, value;
	uint64_t p;
	uint32_t n;

	srandom(seed);
	for (i = 0; i < 200000; i++) {
		p = (uint64_t)random() << 48 ^ (uint64_t)random() << 20 ^
		    (uint64_t)random();
		if (i % 2 == 0)
			p &= UINT64_C(0x001f0003000fffff);
		value = (int64_t)((uint64_t)random() << 33 ^
		    (uint64_t)random() << 2) >> random() % 64;
		n = tbuf_aggregate_words(i % 3 == 0 ? LQ : LLQ, p);
		if (n == 0)
			continue;
		ck_assert_msg(tbuf_aggregate_bucket(i % 3 == 0 ? LQ : LLQ, p,
		    value) < n, "seed %u: %" PRIx64 " %" PRId64, seed, p,
		    value);
		(void)tbuf_aggregate_bounds(i % 3 == 0 ? LQ : LLQ, p,
		    (uint32_t)random() % n, &low, &high);
	}
}
END_TEST

/* ------------------------------------------------------------ words */

static uint64_t words[256], more[256];

static void
begin(enum tbuf_aggregator function, uint64_t parameter, uint64_t *to)
{
	tbuf_aggregate_initial(function, to,
	    tbuf_aggregate_words(function, parameter));
}

static void
update(enum tbuf_aggregator function, int64_t value)
{
	tbuf_aggregate_update(function, 0, words, (uint64_t)value, 7);
}

START_TEST(counts_and_sums)
{
	begin(TBUF_AGG_COUNT, 0, words);
	update(TBUF_AGG_COUNT, -5);
	update(TBUF_AGG_COUNT, 99);
	ck_assert_uint_eq(words[0], 2);

	begin(TBUF_AGG_SUM, 0, words);
	update(TBUF_AGG_SUM, INT64_MAX);
	update(TBUF_AGG_SUM, 2);
	ck_assert_int_eq((int64_t)words[0], INT64_MIN + 1);

	begin(TBUF_AGG_AVG, 0, words);
	update(TBUF_AGG_AVG, 10);
	update(TBUF_AGG_AVG, -4);
	ck_assert_uint_eq(words[0], 2);
	ck_assert_uint_eq(words[1], 6);
}
END_TEST

START_TEST(least_and_greatest)
{
	begin(TBUF_AGG_MIN, 0, words);
	ck_assert_int_eq((int64_t)words[0], INT64_MAX);
	update(TBUF_AGG_MIN, 3);
	update(TBUF_AGG_MIN, -3);
	update(TBUF_AGG_MIN, 0);
	ck_assert_int_eq((int64_t)words[0], -3);
	update(TBUF_AGG_MIN, INT64_MIN);
	ck_assert_int_eq((int64_t)words[0], INT64_MIN);

	begin(TBUF_AGG_MAX, 0, words);
	ck_assert_int_eq((int64_t)words[0], INT64_MIN);
	update(TBUF_AGG_MAX, -3);
	update(TBUF_AGG_MAX, -9);
	ck_assert_int_eq((int64_t)words[0], -3);
	update(TBUF_AGG_MAX, INT64_MAX);
	ck_assert_int_eq((int64_t)words[0], INT64_MAX);
}
END_TEST

/* Squares add up to 128 bits, which a fourth one of INT64_MIN would wrap. */
START_TEST(squares_of_128_bits)
{
	unsigned i;

	begin(TBUF_AGG_STDDEV, 0, words);
	update(TBUF_AGG_STDDEV, -3);
	update(TBUF_AGG_STDDEV, 4);
	ck_assert_uint_eq(words[0], 2);
	ck_assert_uint_eq(words[1], 1);
	ck_assert_uint_eq(words[2], 25);
	ck_assert_uint_eq(words[3], 0);
	for (i = 0; i < 3; i++)
		update(TBUF_AGG_STDDEV, INT64_MIN);
	ck_assert_uint_eq(words[2], 25);
	ck_assert_uint_eq(words[3], UINT64_C(3) << 62);
	update(TBUF_AGG_STDDEV, INT64_MIN);
	ck_assert_uint_eq(words[3], 0);
}
END_TEST

START_TEST(weights)
{
	uint64_t p = LINEAR(0, 10, 10);

	begin(Q, 0, words);
	tbuf_aggregate_update(Q, 0, words, 5, 1);
	tbuf_aggregate_update(Q, 0, words, 7, 10);
	tbuf_aggregate_update(Q, 0, words, (uint64_t)-1, (uint64_t)-2);
	ck_assert_uint_eq(words[66], 11);
	ck_assert_int_eq((int64_t)words[62], -2);

	begin(LQ, p, words);
	tbuf_aggregate_update(LQ, p, words, 15, 3);
	tbuf_aggregate_update(LQ, p, words, 100, 4);
	ck_assert_uint_eq(words[2], 3);
	ck_assert_uint_eq(words[11], 4);

	p = LOG_LINEAR(10, 0, 1, 10);
	begin(LLQ, p, words);
	tbuf_aggregate_update(LLQ, p, words, 25, 6);
	ck_assert_uint_eq(words[30], 6);
}
END_TEST

/* Two tallies that are merged equal one that got all values. */
START_TEST(merging)
{
	enum tbuf_aggregator function;
	uint64_t whole[256], p;
	unsigned seed = 7, i;
	int64_t value;
	uint32_t n;

	srandom(seed);
	for (function = 0; function < TBUF_AGGREGATORS; function++) {
		p = function == LQ ? LINEAR(-5, 7, 3) :
		    LOG_LINEAR(2, 0, 6, 2);
		n = tbuf_aggregate_words(function, p);
		ck_assert_uint_lt(n, 256);
		begin(function, p, words);
		begin(function, p, more);
		begin(function, p, whole);
		for (i = 0; i < 100; i++) {
			value = (int64_t)((uint64_t)random() << 33 |
			    (uint64_t)random() << 2) >> random() % 64;
			tbuf_aggregate_update(function, p,
			    i % 2 != 0 ? words : more, (uint64_t)value, i);
			tbuf_aggregate_update(function, p, whole,
			    (uint64_t)value, i);
		}
		tbuf_aggregate_merge(function, words, more, n);
		ck_assert_mem_eq(words, whole, n * sizeof(*whole));
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("aggregate");
	TCase *tc = tcase_create("functions");

	tcase_add_test(tc, powers_of_two);
	tcase_add_test(tc, steps);
	tcase_add_test(tc, steps_as_many_as_the_factor);
	tcase_add_test(tc, fewer_steps_than_the_factor);
	tcase_add_test(tc, more_steps_than_the_factor);
	tcase_add_test(tc, more_steps_than_integers);
	tcase_add_test(tc, many_parameters);
	tcase_add_test(tc, parameters_without_sense);
	tcase_add_test(tc, any_parameter);
	tcase_add_test(tc, counts_and_sums);
	tcase_add_test(tc, least_and_greatest);
	tcase_add_test(tc, squares_of_128_bits);
	tcase_add_test(tc, weights);
	tcase_add_test(tc, merging);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
