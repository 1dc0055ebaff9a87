/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An insertion into a lane's table after an earlier one was aborted.
 */
#include <check.h>
#include <string.h>

#include "target/clause/clause_aggregate.c"
#include "lib/check_main.h"

#define STORAGE		512u
#define LARGE		(UINT64_C(1) << 20)
#define VALUE		7

static _Alignas(64) unsigned char bytes[LARGE];
static struct tbuf_slot slot = { .generation = 1 };
static struct tbuf_memo memo = { .generation = 1, .slot = &slot };

/* Inserts the entry, then its first value, as lane_update() does. */
static void
update_first(uint64_t storage)
{
	const struct tbuf_update update = {
		.value = VALUE, .weight = 1, .function = TBUF_AGG_STDDEV
	};
	struct tbuf_fire fire = { .slot = &slot };
	struct tbuf_run run = { .fire = &fire };
	uint64_t entry[WORDS + 1] = { 0 };
	struct value v = {
		.run = &run, .update = &update, .entry = entry,
		.size = sizeof(entry), .which = 8u << 16
	};
	struct table t = { .memo = &memo, .at = bytes, .storage = storage };
	enum tbuf_outcome outcome = TBUF_CHANGED;

	while (outcome != TBUF_COMMITTED) {
		memo.cpu = tbuf_rseq_cpu();
		switch (search(&v, &t)) {
		case FOUND:
			outcome = values_update(&v, &t);
			break;
		case ABSENT:
			outcome = insert(&v, &t);
			break;
		case CHANGED:
			break;
		}
	}
}

/* The aborted entry was larger, so its bytes are where the values begin. */
START_TEST(values_begin_with_nothing_of_an_abandoned_entry)
{
	const uint64_t values[] = {
		1, 0, 0, 0, 0, 1, VALUE, VALUE * VALUE, 0
	};

	ck_assert_int_eq(tbuf_process_register(), 0);
	memset(bytes + tbuf_table_heap(STORAGE), 0xa5,
	    STORAGE - tbuf_table_heap(STORAGE));
	update_first(STORAGE);
	ck_assert_mem_eq(bytes + STORAGE - sizeof(values), values,
	    sizeof(values));
}
END_TEST

/* Only bytes that an aborted entry can reach are cleared. */
START_TEST(values_out_of_reach_are_left_alone)
{
	uint64_t heap = tbuf_table_heap(LARGE), at;

	at = LARGE - TBUF_TABLE_ENTRY;
	ck_assert_uint_eq(values_touched(heap, at, 72), 0);
	ck_assert_uint_eq(values_touched(at, LARGE, 72), 0);
	ck_assert_uint_eq(values_touched(at, LARGE - 8, 72), 8);
	ck_assert_uint_eq(values_touched(at, LARGE - 72, 72), 72);
	ck_assert_uint_eq(values_touched(at, LARGE - 80, 72), 72);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("insert");
	TCase *tc = tcase_create("insert");

	if (!tbuf_rseq_ready())
		return (77);
	tcase_add_test(tc, values_begin_with_nothing_of_an_abandoned_entry);
	tcase_add_test(tc, values_out_of_reach_are_left_alone);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
