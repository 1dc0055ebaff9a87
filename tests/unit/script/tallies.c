/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregations of clauses that fire in the consumer, made by hand: their keys,
 * their order, and the room for them.
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/script/agg.h"
#include "consumer/script/script.h"
#include "lib/check_main.h"
#include "machine/aggregate.h"
#include "unit/script/begin.h"
#include "unit/script/fixture.h"

/* ------------------------------------------------------------ scripts */

static const struct tbuf_d_shape integer = {
	.kind = TBUF_KIND_INTEGER, .is_signed = 1, .size = 4, .name = "int"
};
static const struct tbuf_d_shape string = {
	.kind = TBUF_KIND_TEXT, .size = 256, .name = "string"
};
static const struct tbuf_d_piece keys[] = {
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &integer },
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &integer },
	{ .kind = TBUF_PIECE_TEXT, .shape = &string }
};

static void
setup(void)
{
	begin_set_up(keys);
	consumer_set_up();
}

/* ------------------------------------------------------------ runs */

static void
note_key(const struct tbuf_value *v)
{
	if (v->type != TBUF_STRING)
		note("%" PRId64 " ", v->i);
	else if (v->null)
		note("NULL ");
	else
		note("'%.*s' ", (int)v->size, v->data);
}

static void
note_value(const struct tbuf_gathered *g)
{
	unsigned i;

	if (g->nbuckets == 0)
		note(" %" PRId64, g->value);
	for (i = 0; i < g->nbuckets; i++)
		if (g->buckets[i].count != 0)
			note(" %" PRId64 "..%" PRId64 ":%" PRId64,
			    g->buckets[i].low, g->buckets[i].high,
			    g->buckets[i].count);
}

static int
note_tuple(void *arg, const struct tbuf_tuple *tuple)
{
	unsigned i;

	for (i = 0; i < tuple->nkeys; i++)
		note_key(&tuple->keys[i]);
	for (i = 0; i < tuple->nvalues; i++)
		note_value(&tuple->values[i]);
	note("\n");
	return (arg != NULL ? *(int *)arg : 0);
}

static void
walk_all(const uint32_t *ids, unsigned nids)
{
	log_clear();
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, ids, nids,
	    note_tuple, NULL), 0);
}

static void
walk(uint32_t id)
{
	walk_all(&id, 1);
}

/* Runs to the end, and notes drops. */
static void
run(void)
{
	number(1, 0);
	op(TBUF_OP_EXIT, 1, 0, 0, 0);
	script_load(consumer, &script);
	script_go(consumer);
	while (script_work(consumer) > 0)
		continue;
}

/* ------------------------------------------------------------ values */

START_TEST(each_function)
{
	static const int64_t values[] = { 10, 20, 30, 40, 50 };
	static const char *const expected[] = {
		"5", "150", "10", "50", "30", "14"
	};
	char line[32];
	unsigned i;
	uint32_t id;

	for (id = 0; id < 6; id++) {
		script.naggregations = 0;
		program.length = 0;
		aggregation((enum tbuf_aggregator)id, 0, 0, 0);
		for (i = 0; i < 5; i++)
			update(0, values[i], 1);
		run();
		walk(0);
		(void)snprintf(line, sizeof(line), " %s\n", expected[id]);
		expect(line);
		tbuf_consumer_close(consumer);
		ck_assert_ptr_nonnull(consumer = tbuf_consumer_new());
	}
}
END_TEST

START_TEST(quantizers)
{
	uint32_t q = aggregation(TBUF_AGG_QUANTIZE, 0, 0, 0);
	uint32_t l = aggregation(TBUF_AGG_LQUANTIZE, UINT64_C(10) << 48 |
	    UINT64_C(5) << 32, 0, 0);
	uint32_t ll = aggregation(TBUF_AGG_LLQUANTIZE, UINT64_C(10) << 48 |
	    UINT64_C(1) << 16 | 20, 0, 0);

	update(q, 5, 1);
	update(q, -1, 3);
	update(l, 12, 2);
	update(l, 99, -4);
	update(ll, 2, 1);
	update(ll, 17, 1);
	run();
	walk(q);
	expect(" -1..-1:3 4..7:1\n");
	walk(l);
	expect(" 10..19:2 50..9223372036854775807:-4\n");
	walk(ll);
	expect(" 2..2:1 15..19:1\n");
}
END_TEST

/* Counts all buckets, without those that cannot have a value. */
static int
count_buckets(void *arg, const struct tbuf_tuple *tuple)
{
	*(unsigned *)arg = tuple->values[0].nbuckets;
	return (7);
}

START_TEST(all_buckets_are_given)
{
	uint32_t id = aggregation(TBUF_AGG_LLQUANTIZE, UINT64_C(10) << 48 |
	    UINT64_C(1) << 16 | 20, 0, 0);
	unsigned n = 0;

	update(id, 2, 1);
	run();
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, &id, 1,
	    count_buckets, &n), 7);
	/* Each side has 1 to 9, then 18 steps; 0 and the two ends are added. */
	ck_assert_uint_eq(n, 2 * (9 + 18) + 3);
}
END_TEST

START_TEST(an_average_wraps_and_is_signed)
{
	uint32_t a = aggregation(TBUF_AGG_AVG, 0, 0, 0);
	uint32_t d = aggregation(TBUF_AGG_STDDEV, 0, 0, 0);

	update(a, -10, 1);
	update(a, -11, 1);
	update(d, -4, 1);
	update(d, 4, 1);
	run();
	walk(a);
	expect(" -10\n");
	walk(d);
	expect(" 4\n");
	ck_assert_int_eq(tbuf_consumer_normalize(consumer, a, 3), 0);
	walk(a);
	expect(" -3\n");
}
END_TEST

/* ------------------------------------------------------------ order */

START_TEST(sorted_by_value_then_key)
{
	uint32_t id = aggregation(TBUF_AGG_SUM, 0, 0, 1);

	by_number(id, 3, 5);
	by_number(id, 1, 7);
	by_number(id, 2, 5);
	by_number(id, -1, 5);
	by_number(id, 1, -9);
	run();
	walk(id);
	/* A negative key comes last, as keys compare as unsigned. */
	expect("1  -2\n2  5\n3  5\n-1  5\n");
	set("aggsortrev", NULL);
	walk(id);
	expect("-1  5\n3  5\n2  5\n1  -2\n");
	set("aggsortkey", NULL);
	walk(id);
	expect("-1  5\n3  5\n2  5\n1  -2\n");
	set("aggsortrev", "off");
	walk(id);
	expect("1  -2\n2  5\n3  5\n-1  5\n");
}
END_TEST

START_TEST(texts_are_sorted_by_bytes)
{
	static const char *const texts[] = {
		"beta", "alphabet", NULL, "alpha", ""
	};
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, 2, 1);
	unsigned i;

	for (i = 0; i < 5; i++) {
		begin_key();
		key_text(texts[i]);
		update(id, 0, 1);
	}
	run();
	walk(id);
	expect("NULL  1\n''  1\n'alpha'  1\n'alphabet'  1\n'beta'  1\n");
}
END_TEST

START_TEST(keys_from_a_position_on)
{
	static const struct { int first, second; const char *third; } all[] = {
		{ 1, 2, "beta" }, { 2, 1, "alpha" }, { 2, 1, "beta" }
	};
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, 0, 3);
	unsigned i;

	for (i = 0; i < 3; i++) {
		begin_key();
		key_number(all[i].first);
		key_number(all[i].second);
		key_text(all[i].third);
		update(id, 0, 1);
	}
	run();
	walk(id);
	expect("1 2 'beta'  1\n2 1 'alpha'  1\n2 1 'beta'  1\n");
	set("aggsortkeypos", "1");
	walk(id);
	expect("2 1 'alpha'  1\n2 1 'beta'  1\n1 2 'beta'  1\n");
	set("aggsortkeypos", "2");
	walk(id);
	expect("2 1 'alpha'  1\n1 2 'beta'  1\n2 1 'beta'  1\n");
	/* This position does not exist. */
	set("aggsortkeypos", "3");
	walk(id);
	expect("1 2 'beta'  1\n2 1 'alpha'  1\n2 1 'beta'  1\n");
}
END_TEST

/*
 * Quantizers sort by the sum of labels times counts: 4 + 4, 2 + 8 (twice), 16;
 * equal sums by the count of 0.
 */
START_TEST(quantizers_are_sorted_by_their_sums)
{
	static const int64_t values[][3] = {
		{ 16, 0, 0 }, { 2, 9, 0 }, { 3, 8, 5 }, { 4, 7, 0 }
	};
	uint32_t id = aggregation(TBUF_AGG_QUANTIZE, 0, 0, 1);
	unsigned i, j;

	for (i = 0; i < 4; i++)
		for (j = 0; j < 3; j++)
			if (values[i][j] == 5)
				continue;
			else
				by_number(id, i, values[i][j]);
	run();
	walk(id);
	expect("3  0..0:1 4..7:2\n2  2..3:1 8..15:1\n"
	    "1  0..0:1 2..3:1 8..15:1\n0  0..0:2 16..31:1\n");
}
END_TEST

/* The outer steps of lquantize(x, 0, 20, 10) count as -1 and 21. */
START_TEST(outer_steps_are_sorted_by_their_bounds)
{
	uint32_t id = aggregation(TBUF_AGG_LQUANTIZE, UINT64_C(10) << 48 |
	    UINT64_C(2) << 32, 0, 1);

	by_number(id, 1, 100);		/* 21 */
	by_number(id, 2, 10);		/* 10 + 10 */
	by_number(id, 2, 19);
	by_number(id, 3, -100);		/* -1 */
	by_number(id, 4, 5);		/* 0 */
	run();
	walk(id);
	expect("3  -9223372036854775808..-1:1\n4  0..9:1\n2  10..19:2\n"
	    "1  20..9223372036854775807:1\n");
}
END_TEST

START_TEST(several_side_by_side)
{
	uint32_t ids[] = { 0, 1, 0 };
	uint32_t a = aggregation(TBUF_AGG_SUM, 0, 0, 1);
	uint32_t b = aggregation(TBUF_AGG_MIN, 0, 0, 1);

	by_number(a, 1, 10);
	by_number(a, 2, 20);
	by_number(a, 4, 20);
	by_number(b, 2, 9);
	by_number(b, 3, 8);
	by_number(b, 4, 5);
	run();
	walk_all(ids, 2);
	/* A missing value is 0, for min() too. */
	expect("3  0 8\n1  10 0\n4  20 5\n2  20 9\n");
	set("aggsortpos", "1");
	walk_all(ids, 2);
	expect("1  10 0\n4  20 5\n3  0 8\n2  20 9\n");
	set("aggsortpos", "2");
	walk_all(ids, 2);
	expect("3  0 8\n1  10 0\n4  20 5\n2  20 9\n");
	/* An aggregation may be listed twice. */
	walk_all(ids, 3);
	expect("3  0 8 0\n1  10 0 10\n4  20 5 20\n2  20 9 20\n");
	set("aggsortkey", NULL);
	walk_all(ids, 2);
	expect("1  10 0\n2  20 9\n3  0 8\n4  20 5\n");
}
END_TEST

START_TEST(many_keys)
{
	uint32_t id = aggregation(TBUF_AGG_MAX, 0, 0, 1);
	struct tbuf_aggregates table = { .count = 0 };
	const struct tbuf_aggregate_order order = { .by_key = true };
	struct tbuf_tally *t;
	int64_t i, key;

	ck_assert_int_eq(tbuf_aggregates_make(&table, &script), 0);
	for (i = 0; i < 100000; i++) {
		key = i % 20000;
		t = tbuf_tally_get(&table, id, &key, sizeof(key));
		ck_assert_ptr_nonnull(t);
		t->empty = false;
		tbuf_aggregate_update(TBUF_AGG_MAX, 0, t->words,
		    (uint64_t)i, 1);
	}
	ck_assert_uint_eq(table.ntallies, 20000);
	ck_assert_int_eq(tbuf_aggregates_trunc(&table, id, 3), 0);
	ck_assert_uint_eq(table.ntallies, 3);
	ck_assert_int_eq(tbuf_aggregates_walk(&table, &id, 1, &order,
	    note_tuple, NULL), 0);
	expect("19997  99997\n19998  99998\n19999  99999\n");
	tbuf_aggregates_free(&table);
}
END_TEST

/* ------------------------------------------------------------ actions */

START_TEST(clearing)
{
	uint32_t count = aggregation(TBUF_AGG_COUNT, 0, 0, 1);
	uint32_t min = aggregation(TBUF_AGG_MIN, 0, 0, 1);

	by_number(count, 1, 0);
	by_number(min, 1, 5);
	run();
	ck_assert_int_eq(tbuf_consumer_clear(consumer, count), 0);
	walk(count);
	expect("1  0\n");
	walk(min);
	expect("1  5\n");
	ck_assert_int_eq(tbuf_consumer_clear(consumer, min), 0);
	walk(min);
	expect("1  0\n");
}
END_TEST

START_TEST(truncating)
{
	uint32_t id = aggregation(TBUF_AGG_SUM, 0, 0, 1);
	unsigned i;

	for (i = 1; i <= 9; i++)
		by_number(id, i, i < 8 ? i : 7);
	run();
	/* The sort options have no effect. */
	set("aggsortrev", NULL);
	set("aggsortkey", NULL);
	ck_assert_int_eq(tbuf_consumer_trunc(consumer, id, 100), 0);
	ck_assert_int_eq(tbuf_consumer_trunc(consumer, id, 5), 0);
	set("aggsortrev", "no");
	walk(id);
	expect("5  5\n6  6\n7  7\n8  7\n9  7\n");
	/* Equal values are ordered by key. */
	ck_assert_int_eq(tbuf_consumer_trunc(consumer, id, 2), 0);
	walk(id);
	expect("8  7\n9  7\n");
	ck_assert_int_eq(tbuf_consumer_trunc(consumer, id, -1), 0);
	walk(id);
	expect("8  7\n");
	ck_assert_int_eq(tbuf_consumer_trunc(consumer, id, 0), 0);
	walk(id);
	expect("");
}
END_TEST

START_TEST(normalizing)
{
	uint32_t a = aggregation(TBUF_AGG_SUM, 0, 0, 1);
	uint32_t q = aggregation(TBUF_AGG_QUANTIZE, 0, 0, 1);

	by_number(a, 1, 1999);
	by_number(a, 2, -100);
	by_number(q, 1, 4);
	run();
	ck_assert_int_eq(tbuf_consumer_normalize(consumer, a, 10), 0);
	ck_assert_int_eq(tbuf_consumer_normalize(consumer, q, 10), 0);
	walk(a);
	expect("2  -10\n1  199\n");
	/* The printer divides the buckets. */
	walk(q);
	expect("1  4..7:1\n");
	ck_assert_int_eq(tbuf_consumer_normalize(consumer, a, 0), 0);
	walk(a);
	expect("2  -100\n1  1999\n");
}
END_TEST

START_TEST(no_such_aggregation)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, 0, 0), wrong = 1;

	ck_assert_int_eq(tbuf_consumer_clear(consumer, 0), -EINVAL);
	update(id, 0, 1);
	run();
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, &wrong, 1,
	    note_tuple, NULL), -EINVAL);
	ck_assert_str_eq(tbuf_consumer_error(consumer),
	    "no such aggregation");
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, NULL, 0,
	    note_tuple, NULL), 0);
	ck_assert_int_eq(tbuf_consumer_clear(consumer, 1), -EINVAL);
	ck_assert_int_eq(tbuf_consumer_trunc(consumer, 1, 1), -EINVAL);
	ck_assert_int_eq(tbuf_consumer_normalize(consumer, 1, 1), -EINVAL);
	walk(id);
	expect(" 1\n");
}
END_TEST

START_TEST(a_walk_is_stopped)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, 0, 1);
	int stop = 5;

	by_number(id, 1, 0);
	by_number(id, 2, 0);
	run();
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, &id, 1,
	    note_tuple, &stop), 5);
	expect("1  1\n");
}
END_TEST

/* ------------------------------------------------------------ aggsize */

/*
 * A key of an int takes 4 + 4, a count 8 + 8: 24 bytes.  A drop does not end
 * the clause, and an existing key goes on.
 */
START_TEST(room_for_keys)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, 0, 1);

	by_number(id, 1, 0);
	by_number(id, 2, 0);
	by_number(id, 3, 0);
	by_number(id, 4, 0);
	by_number(id, 2, 0);
	set("aggsize", "64");
	run();
	expect("2 aggregation drops\n");
	walk(id);
	expect("1  1\n2  2\n");
}
END_TEST

/* A string takes strsize, the largest value counts: 4 + 4 + 16, 8 + 127 * 8. */
START_TEST(room_by_the_largest)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, 1, 2);

	aggregation(TBUF_AGG_QUANTIZE, 0, 0, 0);
	begin_key();
	key_number(1);
	key_text("beta");
	update(id, 0, 1);
	begin_key();
	key_number(2);
	key_text("beta");
	update(id, 0, 1);
	set("strsize", "16");
	set("aggsize", "2088");
	run();
	expect("1 aggregation drops\n");
}
END_TEST

static void
refused(const char *aggsize)
{
	set("aggsize", aggsize);
	ck_assert_int_eq(tbuf_consumer_script(consumer, &script), 0);
	ck_assert_int_eq(tbuf_consumer_go(consumer), -EINVAL);
	ck_assert_str_eq(tbuf_consumer_error(consumer), "could not enable "
	    "tracing: Enabling exceeds size of buffer");
}

START_TEST(room_for_none)
{
	aggregation(TBUF_AGG_COUNT, 0, 0, 0);
	update(0, 0, 1);
	refused("16");
}
END_TEST

START_TEST(no_room_is_needed)
{
	set("aggsize", "8");
	run();
}
END_TEST

/* trunc() makes room again. */
START_TEST(places_are_given_back)
{
	struct tbuf_aggregates table = { .count = 0 };
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, 0, 1);
	uint64_t key = 1;

	ck_assert_int_eq(tbuf_aggregates_make(&table, &script), 0);
	ck_assert(!tbuf_aggregates_limit(&table, 23, 256));
	ck_assert(tbuf_aggregates_limit(&table, 24, 256));
	ck_assert_ptr_nonnull(tbuf_tally_place(&table, id, &key, 8, 5));
	/* Each CPU has room of its own. */
	ck_assert_ptr_nonnull(tbuf_tally_place(&table, id, &key, 8, 6));
	ck_assert_ptr_nonnull(tbuf_tally_place(&table, id, &key, 8, 5));
	key = 2;
	ck_assert_ptr_null(tbuf_tally_place(&table, id, &key, 8, 5));
	ck_assert_int_eq(tbuf_aggregates_trunc(&table, id, 0), 0);
	ck_assert_ptr_nonnull(tbuf_tally_place(&table, id, &key, 8, 5));
	ck_assert_ptr_nonnull(tbuf_tally_place(&table, id, &key, 8, 6));
	ck_assert_uint_eq(table.ntallies, 1);
	tbuf_aggregates_free(&table);
}
END_TEST

/* ------------------------------------------------------------ CPUs */

static int
note_cpus(void *arg, const struct tbuf_tuple *tuple)
{
	const struct tbuf_gathered *g = &tuple->values[0];
	unsigned cpu;

	note_key(&tuple->keys[0]);
	note_value(g);
	note(" =");
	for (cpu = 0; cpu < g->ncpus; cpu++)
		note_value(&g->cpus[cpu]);
	note("\n");
	(void)arg;
	return (0);
}

/* Values of a CPU without words of its own are in the sum alone. */
START_TEST(values_by_cpu)
{
	const struct tbuf_aggregate_order order = { .by_key = true };
	struct tbuf_aggregates table = { .count = 0 };
	uint32_t id = aggregation(TBUF_AGG_SUM, 0, 0, 1);
	struct tbuf_tally *one, *two;
	uint64_t key = 1, other = 2, seven = 7;

	ck_assert_int_eq(tbuf_aggregates_make(&table, &script), 0);
	tbuf_aggregates_apart(&table, 2);
	one = tbuf_tally_get(&table, id, &key, 8);
	two = tbuf_tally_get(&table, id, &other, 8);
	tbuf_tally_update(&table, one, 0, 1, 1);
	tbuf_tally_update(&table, one, 1, 2, 1);
	tbuf_tally_update(&table, one, 2, 4, 1);
	tbuf_tally_merge(&table, two, 1, &seven);
	tbuf_tally_merge(&table, two, TBUF_NCPUS, &seven);
	ck_assert_int_eq(tbuf_aggregates_walk(&table, &id, 1, &order,
	    note_cpus, NULL), 0);
	expect("1  7 = 1 2\n2  14 = 0 7\n");
	tbuf_tally_join(&table, one, two);
	tbuf_tally_clear(&table, two);
	/* The split by CPU does not change once there are tallies. */
	tbuf_aggregates_apart(&table, 0);
	ck_assert_int_eq(tbuf_aggregates_walk(&table, &id, 1, &order,
	    note_cpus, NULL), 0);
	expect("1  7 = 1 2\n2  14 = 0 7\n1  21 = 1 9\n2  0 = 0 0\n");
	tbuf_aggregates_free(&table);
}
END_TEST

/* ------------------------------------------------------------ hashes */

/* The result is that of the paper for its key and 15 bytes. */
START_TEST(keyed_hash_is_siphash)
{
	struct tbuf_secret secret = { { UINT64_C(0x0706050403020100),
	    UINT64_C(0x0f0e0d0c0b0a0908) } };
	unsigned char bytes[15];
	unsigned i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	ck_assert_uint_eq(tbuf_keyed_hash(&secret, 0, 0, bytes,
	    sizeof(bytes)), UINT64_C(0xa129ca6149be45e5));
}
END_TEST

/* A target cannot choose keys for a bucket: another run has other hashes. */
START_TEST(each_run_has_hashes_of_its_own)
{
	uint32_t id = aggregation(TBUF_AGG_SUM, 0, 0, 1);
	struct tbuf_aggregates tables[2] = { { .count = 0 }, { .count = 0 } };
	uint64_t key = 1, hashes[2], elements[2];
	struct tbuf_element *e;
	struct tbuf_script *s;
	const char *why;
	unsigned i;

	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(tbuf_aggregates_make(&tables[i], &script),
		    0);
		hashes[i] = tbuf_tally_get(&tables[i], id, &key, 8)->hash;
		tbuf_aggregates_free(&tables[i]);
		s = tbuf_script_new(&script, false, &why);
		ck_assert_ptr_nonnull(s);
		e = tbuf_element_make(s, TBUF_SCOPE_ARRAY, 0, 8);
		ck_assert_ptr_nonnull(e);
		elements[i] = e->hash;
		tbuf_script_free(s);
	}
	ck_assert_uint_ne(hashes[0], hashes[1]);
	ck_assert_uint_ne(elements[0], elements[1]);
}
END_TEST

/* ------------------------------------------------------------ damage */

START_TEST(damaged)
{
	aggregation(TBUF_AGG_LQUANTIZE, 0, 0, 0);
	ck_assert_int_eq(tbuf_consumer_script(consumer, &script), -EINVAL);
	ck_assert_str_eq(tbuf_consumer_error(consumer),
	    "invalid script: an aggregation is invalid");
	aggregations[0].function = TBUF_AGGREGATORS;
	ck_assert_int_eq(tbuf_consumer_script(consumer, &script), -EINVAL);
	aggregations[0].function = TBUF_AGG_COUNT;
	aggregations[0].id = 1;
	ck_assert_int_eq(tbuf_consumer_script(consumer, &script), -EINVAL);
}
END_TEST

/* An update by another function than the aggregation's is a fault. */
START_TEST(another_function)
{
	aggregation(TBUF_AGG_COUNT, 0, 0, 0);
	update(0, 1, 1);
	aggregations[0].function = TBUF_AGG_SUM;
	tbuf_consumer_stop(consumer);
	run();
	ck_assert_int_eq(strncmp(log_text, "fault ", 6), 0);
	walk(0);
	expect("");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("aggregates");
	TCase *tc = tcase_create("tables");

	tcase_add_checked_fixture(tc, setup, consumer_tear_down);
	tcase_add_test(tc, each_function);
	tcase_add_test(tc, quantizers);
	tcase_add_test(tc, all_buckets_are_given);
	tcase_add_test(tc, an_average_wraps_and_is_signed);
	tcase_add_test(tc, sorted_by_value_then_key);
	tcase_add_test(tc, texts_are_sorted_by_bytes);
	tcase_add_test(tc, keys_from_a_position_on);
	tcase_add_test(tc, quantizers_are_sorted_by_their_sums);
	tcase_add_test(tc, outer_steps_are_sorted_by_their_bounds);
	tcase_add_test(tc, several_side_by_side);
	tcase_add_test(tc, many_keys);
	tcase_add_test(tc, clearing);
	tcase_add_test(tc, truncating);
	tcase_add_test(tc, normalizing);
	tcase_add_test(tc, no_such_aggregation);
	tcase_add_test(tc, a_walk_is_stopped);
	tcase_add_test(tc, room_for_keys);
	tcase_add_test(tc, room_by_the_largest);
	tcase_add_test(tc, room_for_none);
	tcase_add_test(tc, no_room_is_needed);
	tcase_add_test(tc, places_are_given_back);
	tcase_add_test(tc, values_by_cpu);
	tcase_add_test(tc, keyed_hash_is_siphash);
	tcase_add_test(tc, each_run_has_hashes_of_its_own);
	tcase_add_test(tc, damaged);
	tcase_add_test(tc, another_function);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
