/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps that bind a unit table and are aborted before the committing word: the
 * counters of overwritten records remain, and only one unit has the table.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "target/unit/unit.h"

/* These functions replace the sections, and stop where the test wants. */
#define tbuf_step_publish	step_publish
#define tbuf_step_load		step_load

static enum tbuf_outcome step_publish(const struct tbuf_memo *, uint64_t *,
    uint64_t, uint64_t, uint64_t *, const uint64_t *, uint64_t);
static enum tbuf_outcome step_load(const struct tbuf_memo *, uint64_t *,
    const uint64_t *, uint64_t);

#include "target/unit/unit_bind.c"
#include "lib/check_main.h"

#define GENERATION	5u
#define INSTANCE	4u

static struct {
	struct tbuf_units units;
	struct tbuf_unit_entry entry;
	struct tbuf_unit_ticks ticks;
} area;
static struct tbuf_unit_entry *const entry = &area.entry;
static struct tbuf_slot slot;
static uint64_t most;		/* words that are still stored */
static uint64_t looks = UINT64_MAX;	/* loads until the session ends */

/* Stores from the last word to the first, as sections do. */
static enum tbuf_outcome
step_publish(const struct tbuf_memo *memo, uint64_t *word, uint64_t old,
    uint64_t new, uint64_t *to, const uint64_t *from, uint64_t size)
{
	uint64_t i;

	(void)memo;
	if (*word != old)
		return (TBUF_CHANGED);
	for (i = size / 8; i > 0; i--) {
		if (most == 0)
			return (TBUF_CHANGED);
		most--;
		to[i - 1] = from[i - 1];
	}
	if (most == 0)
		return (TBUF_CHANGED);
	most--;
	*word = new;
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
step_load(const struct tbuf_memo *memo, uint64_t *to, const uint64_t *from,
    uint64_t words)
{
	(void)memo;
	if (looks == 0)
		return (TBUF_CHANGED);
	looks--;
	memcpy(to, from, words * sizeof(*to));
	return (TBUF_COMMITTED);
}

static void
bound_make(struct tbuf_bound *b, enum tbuf_unit_state state)
{
	memset(&area, 0, sizeof(area));
	memset(b, 0, sizeof(*b));
	b->fire.base = (uintptr_t)&slot;
	b->fire.slot = &slot;
	b->fire.generation = GENERATION;
	b->units = &area.units;
	b->count = 1;
	b->way.size = 1024;
	b->id = 77;
	b->instance = INSTANCE;
	entry->word = tbuf_unit_word(GENERATION, INSTANCE, state);
}

static uint64_t
overwritten(void)
{
	return (entry->half[tbuf_unit_older(entry->head)].overwritten);
}

/* The table has wrapped an odd number of times, so the other half counts. */
START_TEST(what_was_overwritten_goes_on)
{
	struct tbuf_bound b;
	struct binding n = { .bound = &b, .named = true };

	bound_make(&b, TBUF_UNIT_FREE);
	b.wraps = true;
	entry->head = tbuf_unit_head(1, 3, 64);
	entry->half[0].overwritten = 7;
	entry->half[1].overwritten = 2;
	most = (uint64_t)_i;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_CHANGED);
	ck_assert_uint_eq(overwritten(), 7);
	most = UINT64_MAX;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_COMMITTED);
	ck_assert_uint_eq(entry->word, tbuf_unit_word(GENERATION,
	    INSTANCE + 1, TBUF_UNIT_BOUND));
	ck_assert_uint_eq(entry->head, 0);
	ck_assert_uint_eq(overwritten(), 7);
}
END_TEST

/* Otherwise a page of the file might be allocated that no process reads. */
START_TEST(table_of_a_session_that_has_ended_is_not_looked_at)
{
	struct tbuf_bound b;
	struct binding n = { .bound = &b, .named = true };

	bound_make(&b, TBUF_UNIT_FREE);
	most = UINT64_MAX;
	looks = 1;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_CHANGED);
	ck_assert(n.taken && !n.done);
	looks = UINT64_MAX;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_COMMITTED);
	ck_assert(n.done);
}
END_TEST

/* The kernel stores -1 or -2 in the rseq area of an unregistered thread. */
START_TEST(cpu_without_a_lane_is_told_from_a_thread_without_sections)
{
	struct tbuf_bound b;

	bound_make(&b, TBUF_UNIT_FREE);
	tbuf_bound_here(&b, 3);
	ck_assert_uint_ne(b.way.memo.cpu, 3);
	ck_assert_int_gt((int32_t)b.way.memo.cpu, 0);
}
END_TEST

/* A bind that is aborted at any word leaves the table kept for a retry. */
START_TEST(kept_table_is_bound_by_one_step)
{
	struct tbuf_bound b;
	struct binding n = { .bound = &b, .named = true };
	uint64_t kept;

	bound_make(&b, TBUF_UNIT_CACHED);
	b.cached = true;
	kept = entry->word;
	most = (uint64_t)_i;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_CHANGED);
	ck_assert_uint_eq(entry->word, kept);
	ck_assert(b.cached);
	most = UINT64_MAX;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_COMMITTED);
	ck_assert_uint_eq(entry->word, tbuf_unit_word(GENERATION,
	    INSTANCE + 1, TBUF_UNIT_BOUND));
	ck_assert_uint_eq(entry->id, 77);
	ck_assert(!b.cached);
	ck_assert_ptr_eq(b.entry, entry);
}
END_TEST

/* A search by another unit does not take the table. */
START_TEST(kept_table_is_not_free)
{
	struct tbuf_bound b;
	struct binding n = { .bound = &b, .named = true };
	uint64_t kept;

	bound_make(&b, TBUF_UNIT_CACHED);
	kept = entry->word;
	most = UINT64_MAX;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_COMMITTED);
	ck_assert_uint_eq(entry->word, kept);
	ck_assert_uint_eq(area.units.without, 1);
	ck_assert_ptr_null(b.entry);
}
END_TEST

/* Another process wrote the table's word. */
START_TEST(kept_table_that_was_written_to_is_let_go)
{
	struct tbuf_bound b;
	struct binding n = { .bound = &b, .named = true };

	bound_make(&b, TBUF_UNIT_CACHED);
	b.cached = true;
	entry->word = tbuf_unit_word(GENERATION, 99, TBUF_UNIT_BOUND);
	most = UINT64_MAX;
	ck_assert_int_eq(bind_here(&n, NULL), TBUF_COMMITTED);
	ck_assert(!b.cached);
	ck_assert_uint_eq(area.units.without, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("unit_bind");
	TCase *t = tcase_create("steps");

	tcase_add_loop_test(t, what_was_overwritten_goes_on, 0, 10);
	tcase_add_loop_test(t, kept_table_is_bound_by_one_step, 0, 7);
	tcase_add_test(t, kept_table_is_not_free);
	tcase_add_test(t, kept_table_that_was_written_to_is_let_go);
	tcase_add_test(t, table_of_a_session_that_has_ended_is_not_looked_at);
	tcase_add_test(t,
	    cpu_without_a_lane_is_told_from_a_thread_without_sections);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
