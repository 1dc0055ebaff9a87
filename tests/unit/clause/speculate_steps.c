/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record is speculated while other threads run: between any two of its steps
 * its id ends and is used again by another thread.  The other thread's records
 * are neither overwritten nor mixed with it.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "arch/counter.h"
#include "arch/rseq.h"
#include "target/clause/clause.h"

/* These functions replace the sections, so that the test can interrupt. */
#define tbuf_rseq_load		step_load
#define tbuf_rseq_publish	step_publish
#define tbuf_lane_do		step_do

static enum tbuf_outcome step_load(const struct tbuf_memo *, uint64_t *,
    const uint64_t *, uint64_t);
static enum tbuf_outcome step_publish(const struct tbuf_memo *,
    const struct tbuf_publish *);
static enum tbuf_emit step_do(const struct tbuf_fire *, tbuf_lane_work *,
    tbuf_lock_work *, void *, enum tbuf_lost);

#include "target/clause/clause_speculate.c"
#include "lib/check_main.h"

#define GENERATION	5u
#define BUFFER		(sizeof(struct tbuf_speculated) + 128)
#define IMAGE		(TBUF_TABLES + 4096)

static unsigned char image[IMAGE] __attribute__((aligned(4096)));
static struct tbuf_slot *slot;
static struct tbuf_speculated *buffer;
static struct tbuf_fire fire;
static struct tbuf_run run;
static uint64_t words[8];
static unsigned step, when;	/* step at which the other thread runs */

static uint64_t
active(uint64_t instance)
{
	return (tbuf_speculation_word(GENERATION, instance,
	    TBUF_SPECULATING));
}

/* Begins the next instance, with a record of this CPU. */
static void
other(void)
{
	uint64_t *data = (uint64_t *)(void *)(buffer + 1);

	if (step++ != when)
		return;
	slot->speculation[0] = active(8);
	buffer->head = UINT64_C(8) << 24 | 3;
	buffer->drops = UINT64_C(8) << 24 | 5;
	data[0] = data[1] = data[2] = 8;
}

static enum tbuf_outcome
step_load(const struct tbuf_memo *memo, uint64_t *to, const uint64_t *from,
    uint64_t size)
{
	(void)memo;
	other();
	memcpy(to, from, size);
	other();
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
step_publish(const struct tbuf_memo *memo, const struct tbuf_publish *p)
{
	(void)memo;
	other();
	if (*p->word != p->old)
		return (TBUF_CHANGED);
	memcpy(p->to, p->from, p->size);
	*p->word = p->new;
	return (TBUF_COMMITTED);
}

static enum tbuf_emit
step_do(const struct tbuf_fire *f, tbuf_lane_work *work,
    tbuf_lock_work *locked, void *argument, enum tbuf_lost lost)
{
	const struct tbuf_memo memo = {
		.lane = (struct tbuf_lane *)(void *)(image + TBUF_TABLES)
	};

	(void)f;
	(void)locked;
	(void)lost;
	while (work(argument, &memo) != TBUF_COMMITTED)
		continue;
	return (TBUF_EMIT_DONE);
}

static void
setup(void)
{
	struct tbuf_control *control = (void *)image;

	memset(image, 0, sizeof(image));
	control->end = tbuf_self.window = sizeof(image);
	tbuf_self.tables.areas = TBUF_TABLES;
	slot = (struct tbuf_slot *)(void *)(image + TBUF_SLOTS);
	slot->nspec = 1;
	slot->speculated = BUFFER;
	slot->lanes = TBUF_TABLES;
	slot->speculations = (struct tbuf_part){
		TBUF_TABLES + sizeof(struct tbuf_lane), BUFFER
	};
	slot->speculation[0] = active(7);
	buffer = (struct tbuf_speculated *)(void *)
	    (image + slot->speculations.at);
	/* The buffer still has the state of the instance before. */
	buffer->head = UINT64_C(6) << 24 | 9;
	fire = (struct tbuf_fire){
		.base = (uintptr_t)image, .slot = slot,
		.generation = GENERATION
	};
	memset(&run, 0, sizeof(run));
	run.fire = &fire;
	run.machine.record.bytes = (uint8_t *)(words + 2);
	run.machine.record.used = 8;
	run.machine.record.room = sizeof(words) - 16;
	words[2] = 7;
	step = when = 0;
}

/* Speculates with instance 7 active; the other thread runs at step `at`. */
static void
speculate(unsigned at)
{
	step = 0;
	when = UINT32_MAX;
	ck_assert_int_eq(tbuf_run_speculate(&run.machine, 1), 0);
	when = at;
	ck_assert_int_eq(tbuf_run_speculated(&run, 3), 0);
}

START_TEST(first_record_of_an_instance_is_the_first)
{
	const uint64_t *data = (const void *)(buffer + 1);

	speculate(UINT32_MAX);
	ck_assert_uint_eq(buffer->head, UINT64_C(7) << 24 | 3);
	ck_assert_uint_eq(data[1] & 0xffffffff, 3 | 24 << 16);
	ck_assert_uint_eq(data[2], 7);
	speculate(UINT32_MAX);
	ck_assert_uint_eq(buffer->head, UINT64_C(7) << 24 | 6);
}
END_TEST

/* The other thread runs before the load, after it, or before the commit. */
START_TEST(late_record_is_lost)
{
	const uint64_t *data = (const void *)(buffer + 1);

	speculate((unsigned)_i);
	ck_assert_uint_eq(buffer->head, UINT64_C(8) << 24 | 3);
	ck_assert_uint_eq(data[0], 8);
	ck_assert_uint_eq(data[2], 8);
}
END_TEST

/* A late drop is not counted, as it would be the other instance's. */
START_TEST(late_drop_is_lost)
{
	speculate(UINT32_MAX);
	buffer->head = UINT64_C(7) << 24 | 16;
	buffer->drops = 0;
	speculate((unsigned)_i);
	ck_assert_uint_eq(buffer->drops, UINT64_C(8) << 24 | 5);
}
END_TEST

START_TEST(drop_is_counted)
{
	buffer->head = UINT64_C(7) << 24 | 16;
	buffer->drops = UINT64_C(6) << 24 | 99;
	speculate(UINT32_MAX);
	ck_assert_uint_eq(buffer->drops, UINT64_C(7) << 24 | 1);
	speculate(UINT32_MAX);
	ck_assert_uint_eq(buffer->drops, UINT64_C(7) << 24 | 2);
	ck_assert_uint_eq(buffer->head, UINT64_C(7) << 24 | 16);
}
END_TEST

/* A word of another session is ignored. */
START_TEST(other_sessions_words_are_left_alone)
{
	uint64_t id = 1, word = tbuf_speculation_word(GENERATION + 1, 7,
	    TBUF_INACTIVE);

	slot->speculation[0] = word;
	ck_assert_int_eq(tbuf_run_speculate(&run.machine, 1), TBUF_STOP);
	ck_assert_int_eq(tbuf_run_commit(&run.machine, 1), 0);
	ck_assert_int_eq(tbuf_run_discard(&run.machine, 1), 0);
	ck_assert_int_eq(tbuf_run_speculation(&run.machine, &id), 0);
	ck_assert_uint_eq(id, 0);
	ck_assert_uint_eq(slot->speculation[0], word);
}
END_TEST

/* Instance numbers wrap to the first. */
START_TEST(instances_go_round)
{
	uint64_t id = 0;

	slot->speculation[0] = tbuf_speculation_word(GENERATION,
	    TBUF_INSTANCE, TBUF_INACTIVE);
	slot->nspec = 1;
	/* This process is not a fork's child. */
	fire.base = tbuf_load(&tbuf_local->base);
	ck_assert_int_eq(tbuf_run_speculation(&run.machine, &id), 0);
	ck_assert_uint_eq(id, 1);
	ck_assert_uint_eq(slot->speculation[0], active(0));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("speculated");
	TCase *t = tcase_create("steps");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, first_record_of_an_instance_is_the_first);
	tcase_add_loop_test(t, late_record_is_lost, 0, 3);
	tcase_add_loop_test(t, late_drop_is_lost, 0, 3);
	tcase_add_test(t, drop_is_counted);
	tcase_add_test(t, other_sessions_words_are_left_alone);
	tcase_add_test(t, instances_go_round);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
