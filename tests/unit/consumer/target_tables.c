/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An aggregation table that its writer changes during each read.
 */
#include <check.h>
#include <stdlib.h>

/* The test provides the bytes of the file. */
#define tbuf_file_read	table_file_read
#include "consumer/script/agg_target_tables.c"
#include "lib/check_main.h"
#undef tbuf_file_read

#define STORAGE		1024u
#define VALUE		7
#define VALUES		(1 + 2 * COPY)
#define NEVER		1000

static const struct tbuf_d_aggregation aggregation = {
	.name = "d", .id = 0, .function = TBUF_AGG_STDDEV
};
static const struct tbuf_d_script script = {
	.aggregations = &aggregation, .naggregations = 1
};
static uint64_t table[STORAGE / 8];
static uint64_t *const values = table + STORAGE / 8 - VALUES;
static struct tbuf_copied_table seen;
static struct tbuf_aggregates all;
static unsigned torn;		/* reads that will be torn */
static bool version_first;

static void
copy_fill(uint64_t *copy, uint64_t n)
{
	copy[0] = n;
	copy[1] = n * VALUE;
	copy[2] = n * VALUE * VALUE;
	copy[3] = 0;
}

/* Sets the table's state after n values. */
static void
count(uint64_t n)
{
	copy_fill(values + 1 + (n & 1) * COPY, n);
	values[0] = n;
}

/*
 * Reads the values while the writer makes two updates.  The version is read
 * after the words, or before them if version_first is set.
 */
bool
table_file_read(int fd, void *to, uint64_t size, uint64_t at)
{
	uint64_t n = values[0], *copy = values + 1 + (n & 1) * COPY;

	(void)fd;
	if (torn > 0 && size >= sizeof(uint64_t) * VALUES && at + size ==
	    seen.table + STORAGE) {
		torn--;
		copy[0] = n + 2;
		values[0] = version_first ? n : n + 2;
		memcpy(to, (char *)table + (at - seen.table), size);
		count(n + 1);
		count(n + 2);
	} else
		memcpy(to, (char *)table + (at - seen.table), size);
	return (true);
}

static void
setup(void)
{
	struct tbuf_table_entry entry = {
		.size = sizeof(entry), .aggregation = 0,
		.values = STORAGE - 8 * VALUES, .nwords = VALUES
	};

	memset(table, 0, sizeof(table));
	table[0] = sizeof(entry) | UINT64_C(8) * VALUES << 32;
	memcpy((char *)table + tbuf_table_heap(STORAGE), &entry,
	    sizeof(entry));
	count(13);
	count(14);
	seen = (struct tbuf_copied_table){ .table = 4096, .storage = STORAGE };
	ck_assert_int_eq(tbuf_aggregates_make(&all, &script), 0);
	torn = 0;
	version_first = false;
}

static void
teardown(void)
{
	tbuf_aggregates_free(&all);
	free(seen.entries);
	free(seen.values);
}

/* Expects n values, and no word of another update. */
static void
read_expect(uint64_t n)
{
	const struct tbuf_tally *t;

	ck_assert_int_eq(tbuf_table_merge(&all, -1, &seen), 0);
	t = TAILQ_FIRST(&all.tallies);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->words[0], n);
	ck_assert_uint_eq(t->words[1], n * VALUE);
	ck_assert_uint_eq(t->words[2], n * VALUE * VALUE);
}

/*
 * Tables of many targets take long: the consumer gives a sign of life at each
 * target.
 */
START_TEST(reading_tables_is_a_sign_of_life)
{
	static struct tbuf_target target = { .slot = -1 };
	static struct tbuf_script run;
	static struct tbuf_consumer c;

	run.aggregates.count = 1;
	c.script = &run;
	TAILQ_INIT(&c.targets);
	TAILQ_INSERT_TAIL(&c.targets, &target, link);
	ck_assert_int_eq(tbuf_tables_read(&c), 0);
	ck_assert_uint_gt(c.next_sign, 0);
}
END_TEST

START_TEST(what_has_come_since)
{
	read_expect(14);
	read_expect(14);
	count(15);
	read_expect(15);
}
END_TEST

START_TEST(a_version_loaded_behind_its_words)
{
	torn = 1;
	read_expect(16);
	torn = 2;
	read_expect(20);
}
END_TEST

START_TEST(a_version_loaded_before_its_words)
{
	version_first = true;
	torn = 1;
	read_expect(16);
	torn = 3;
	read_expect(22);
}
END_TEST

START_TEST(a_writer_that_never_rests)
{
	read_expect(14);
	torn = NEVER;
	read_expect(14);
	torn = 0;
	read_expect(values[0]);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("tables");
	TCase *tc = tcase_create("readers");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_has_come_since);
	tcase_add_test(tc, reading_tables_is_a_sign_of_life);
	tcase_add_test(tc, a_version_loaded_behind_its_words);
	tcase_add_test(tc, a_version_loaded_before_its_words);
	tcase_add_test(tc, a_writer_that_never_rests);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
