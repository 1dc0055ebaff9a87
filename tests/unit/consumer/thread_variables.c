/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks of dead threads are freed, and no others, at any interleaving with the
 * target's threads; and elements of arrays that two threads make at once.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/target/target.h"

/* The test has its own list of tasks, and runs code before it is made. */
#define tbuf_tasks_list		step_list
#define tbuf_tasks_has		step_has
#define tbuf_tasks_free		step_free

static bool step_list(const struct tbuf_target *, struct tbuf_tasks *);
static bool step_has(const struct tbuf_target *, const struct tbuf_tasks *,
    uint64_t);
static void step_free(struct tbuf_tasks *);

#include "consumer/run/thread_variables.c"
#include "shared/atomic_step.h"

/* Code of another thread, run before an element becomes live. */
static void (*meanwhile)(void);

static enum tbuf_outcome
swap_late(const struct tbuf_memo *memo, uint64_t *pair, const uint64_t old[2],
    const uint64_t new[2])
{
	void (*other)(void) = meanwhile;

	if (other != NULL && (new[0] & 3) == TBUF_ELEMENT_LIVE) {
		meanwhile = NULL;
		other();
	}
	return (tbuf_step_swap_pair(memo, pair, old, new));
}

#define tbuf_step_swap_pair	swap_late
#include "shared/array_element.c"
#undef tbuf_step_swap_pair
#include "lib/check_main.h"

#define NBLOCKS	4

static struct {
	struct tbuf_block block;
	uint64_t variable, more;
} blocks[NBLOCKS];
static struct tbuf_target target;
static uint64_t alive[2];
static void (*meanwhile)(void);

static bool
step_list(const struct tbuf_target *t, struct tbuf_tasks *tasks)
{
	(void)t;
	(void)tasks;
	if (meanwhile != NULL)
		meanwhile();
	return (true);
}

static bool
step_has(const struct tbuf_target *t, const struct tbuf_tasks *tasks,
    uint64_t tid)
{
	(void)t;
	(void)tasks;
	return (tid == alive[0] || tid == alive[1]);
}

static void
step_free(struct tbuf_tasks *tasks)
{
	(void)tasks;
}

static void
take(unsigned index, uint64_t owner, uint64_t tid)
{
	blocks[index].block.owner = owner;
	blocks[index].block.tid = tid;
	blocks[index].variable = owner;
}

static void
begin(void)
{
	memset(blocks, 0, sizeof(blocks));
	memset(&target, 0, sizeof(target));
	target.blocks.base = (unsigned char *)blocks;
	target.blocks.part.size = sizeof(blocks);
	alive[0] = alive[1] = 0;
	meanwhile = NULL;
}

static void
clean(void)
{
	target_clean(&target, sizeof(blocks[0]));
}

START_TEST(a_dead_threads_block_is_free)
{
	take(0, 1, 11);
	take(1, 2, 12);
	alive[0] = 12;
	clean();
	ck_assert_uint_eq(blocks[0].block.owner | blocks[0].block.tid |
	    blocks[0].variable, 0);
	ck_assert_uint_eq(blocks[1].block.owner, 2);
	ck_assert_uint_eq(blocks[1].variable, 2);
}
END_TEST

START_TEST(an_id_that_came_again_is_the_later_threads)
{
	take(0, 3, 11);
	take(1, 1, 11);
	alive[0] = 11;
	clean();
	ck_assert_uint_eq(blocks[0].block.owner, 3);
	ck_assert_uint_eq(blocks[1].block.owner, 0);
}
END_TEST

/* A handler took a second block, so the thread is releasing one. */
START_TEST(a_thread_keeps_both_of_its_blocks)
{
	take(0, 1, 11);
	take(1, 1, 11);
	alive[0] = 11;
	clean();
	ck_assert_uint_eq(blocks[0].block.owner, 1);
	ck_assert_uint_eq(blocks[1].block.owner, 1);
	alive[0] = 0;
	clean();
	ck_assert_uint_eq(blocks[0].block.owner, 0);
	ck_assert_uint_eq(blocks[1].block.owner, 0);
}
END_TEST

/* The dead thread has released the block; a live one has taken it. */
static void
changes_hands(void)
{
	take(0, 2, 12);
	alive[0] = 12;
}

START_TEST(a_block_that_changed_hands_is_not_the_dead_threads)
{
	take(0, 1, 11);
	meanwhile = changes_hands;
	clean();
	ck_assert_uint_eq(blocks[0].block.owner, 2);
	ck_assert_uint_eq(blocks[0].variable, 2);
}
END_TEST

/* A target's own claims about its session are checked against the order. */
START_TEST(parts_are_as_large_as_the_order_said)
{
	struct tbuf_programs programs = { .blocks = 64, .dynamic = 4096 };
	struct tbuf_consumer *c = calloc(1, sizeof(*c));
	struct tbuf_target t = {
		.blocks.part.size = 64, .elements.part.size = 4096
	};

	ck_assert_ptr_nonnull(c);
	c->programs = &programs;
	tbuf_variables_adopt(c, &t);
	ck_assert_uint_eq(t.blocks.part.size, 64);
	ck_assert_uint_eq(t.elements.part.size, 4096);
	t.blocks.part.size = UINT64_C(1) << 34;
	t.elements.part.size = UINT64_C(1) << 34;
	tbuf_variables_adopt(c, &t);
	ck_assert_uint_eq(t.blocks.part.size, 0);
	ck_assert_uint_eq(t.elements.part.size, 0);
	free(c);
}
END_TEST

#define BODY	(4 * sizeof(uint64_t))	/* head, and one word of a key */

static _Alignas(16) unsigned char elements[TBUF_ELEMENT_SET * (16 + BODY)];

/* Stores to the only key, as the thread with this number. */
static void
element_store(uint64_t number)
{
	const struct tbuf_element_key key = { .size = 8 };
	uint64_t body[4] = { [3] = 17 };
	struct tbuf_access a = {
		.stores = true, .keeps = true, .value = number
	};

	ck_assert(tbuf_sets_make(&a.sets, elements, sizeof(elements), BODY));
	ck_assert(tbuf_access_body(&a, body, 8, &key, NULL, 0));
	tbuf_access_key(&a, number);
	while (tbuf_access_do(&a, NULL, NULL) != TBUF_COMMITTED)
		continue;
	ck_assert(!a.dropped);
}

static void
another_stores(void)
{
	element_store(2);
}

/* Both threads have searched and found none before either makes one live. */
START_TEST(a_key_that_two_store_at_once_has_one_element)
{
	const uint64_t *pairs = (const uint64_t *)(const void *)elements;
	unsigned i, lives = 0;

	meanwhile = another_stores;
	element_store(1);
	ck_assert_ptr_null(meanwhile);
	for (i = 0; i < TBUF_ELEMENT_SET; i++)
		lives += (pairs[2 * i] & 3) == TBUF_ELEMENT_LIVE;
	ck_assert_uint_eq(lives, 1);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("blocks");
	TCase *tcase = tcase_create("dead threads");

	tcase_add_checked_fixture(tcase, begin, NULL);
	tcase_add_test(tcase, parts_are_as_large_as_the_order_said);
	tcase_add_test(tcase, a_key_that_two_store_at_once_has_one_element);
	tcase_add_test(tcase, a_dead_threads_block_is_free);
	tcase_add_test(tcase, an_id_that_came_again_is_the_later_threads);
	tcase_add_test(tcase, a_thread_keeps_both_of_its_blocks);
	tcase_add_test(tcase,
	    a_block_that_changed_hands_is_not_the_dead_threads);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
