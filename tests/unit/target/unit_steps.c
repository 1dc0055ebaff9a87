/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps on the entry of a unit table that are aborted before the committing
 * word: the counters stay as they were, and a repeated step counts once.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "target/unit/unit.h"

/* This function replaces the section, and stops where the test wants. */
#define tbuf_step_publish	step_publish

static enum tbuf_outcome step_publish(const struct tbuf_memo *, uint64_t *,
    uint64_t, uint64_t, uint64_t *, const uint64_t *, uint64_t);

#include "target/unit/unit_end.c"
#include "target/unit/unit_write.c"
#include "lib/check_main.h"

#define GENERATION	5u
#define INSTANCE	4u
#define RECORDS		2u
#define WORDS		(sizeof(struct tbuf_lock_record) / 8)

static struct tbuf_unit_entry entry;
static struct tbuf_units units;
static struct tbuf_slot slot;
static uint64_t table[RECORDS * WORDS];
static uint64_t ticks;			/* of the table's earlier units */
static uint64_t most;		/* words that are still stored */

static enum tbuf_outcome
step_publish(const struct tbuf_memo *memo, uint64_t *word, uint64_t old,
    uint64_t new, uint64_t *to, const uint64_t *from, uint64_t size)
{
	uint64_t n = size / 8;

	(void)memo;
	if (*word != old)
		return (TBUF_CHANGED);
	memcpy(to, from, 8 * (n < most ? n : most));
	if (most <= n)
		return (TBUF_CHANGED);
	*word = new;
	return (TBUF_COMMITTED);
}

static uint64_t
overwritten(void)
{
	return (entry.half[tbuf_unit_older(entry.head)].overwritten);
}

static enum tbuf_outcome
wrap_once(uint64_t words)
{
	struct state was;

	memcpy(&was, &entry.full, sizeof(was));
	most = words;
	return (wrap(&entry, NULL, &was));
}

/* The second lap: 7 were overwritten, the older half has 5. */
START_TEST(what_makes_way_is_counted_once)
{
	const uint64_t head = tbuf_unit_head(1, 3, 64);
	const uint64_t before = tbuf_unit_head(0, 5, 80);

	memset(&entry, 0, sizeof(entry));
	entry.head = head;
	entry.half[0].head = before;
	entry.half[0].overwritten = 7;
	ck_assert_int_eq(wrap_once((uint64_t)_i), TBUF_CHANGED);
	ck_assert_uint_eq(overwritten(), 7);
	ck_assert_uint_eq(entry.half[tbuf_unit_older(entry.head)].head, before);
	ck_assert_int_eq(wrap_once(UINT64_MAX), TBUF_COMMITTED);
	ck_assert_uint_eq(overwritten(), 7 + 5);
	ck_assert_uint_eq(entry.half[tbuf_unit_older(entry.head)].head, head);
}
END_TEST

static void
unit_make(struct tbuf_bound *b)
{
	unsigned i;

	memset(&entry, 0, sizeof(entry));
	memset(b, 0, sizeof(*b));
	b->fire.base = (uintptr_t)&slot;
	b->fire.slot = &slot;
	b->fire.generation = GENERATION;
	b->units = &units;
	b->entry = &entry;
	b->way.table = (unsigned char *)table;
	b->way.size = sizeof(table);
	b->instance = INSTANCE;
	b->ticks_at = &ticks;
	b->ticks = ticks = 1000;
	for (i = 0; i < RECORDS; i++)
		table[i * WORDS + 1] = 1 | (8 * WORDS) << 16;
	entry.word = tbuf_unit_word(GENERATION, INSTANCE, TBUF_UNIT_BOUND);
	entry.head = tbuf_unit_head(0, RECORDS, sizeof(table));
	entry.total[tbuf_unit_totals(entry.word)] =
	    (struct tbuf_unit_total){ .committed = 3, .discarded = 10 };
}

/* The records of a success are discarded. */
START_TEST(what_is_discarded_is_counted_once)
{
	struct tbuf_bound b;
	struct ending e = { .bound = &b, .outcome = 0, .ticks = 7 };
	const struct tbuf_unit_total *total;

	unit_make(&b);
	most = (uint64_t)_i;
	ck_assert_int_eq(begin_here(&e, NULL), TBUF_CHANGED);
	total = &entry.total[tbuf_unit_totals(entry.word)];
	ck_assert_uint_eq(total->discarded, 10);
	ck_assert_uint_eq(total->committed, 3);
	most = UINT64_MAX;
	ck_assert_int_eq(begin_here(&e, NULL), TBUF_COMMITTED);
	ck_assert_uint_eq(entry.word,
	    tbuf_unit_word(GENERATION, INSTANCE, TBUF_UNIT_CACHED));
	total = &entry.total[tbuf_unit_totals(entry.word)];
	ck_assert_uint_eq(ticks, 1007);
	ck_assert_uint_eq(total->discarded, 10 + RECORDS);
	ck_assert_uint_eq(total->committed, 3);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("units");
	TCase *t = tcase_create("steps");

	tcase_add_loop_test(t, what_makes_way_is_counted_once, 0, 3);
	tcase_add_loop_test(t, what_is_discarded_is_counted_once, 0,
	    sizeof(struct fields) / 8 + 1);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
