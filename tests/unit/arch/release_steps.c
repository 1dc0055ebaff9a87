/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stretch of a thread's memo: a ring from which many records leave at once
 * is whole at each instruction, a handler that fires between two instructions
 * finds no mixture of two stretches, and a stretch is void for another CPU,
 * session or generation.  The thread has an rseq area that the kernel does not
 * know, so that the trap of a single step aborts no section.
 */
#include <check.h>
#include <setjmp.h>
#include <string.h>

#include "arch/atomics.h"
#include "arch/rseq.h"
#include "lib/check_main.h"
#include "lib/single_step.h"
#include "target/self/thread.h"

#define STORAGE		1024u
#define BUFSIZE		960u
#define WANT		200u
#define FLAT		24u	/* bytes of a record of one argument */
#define LARGEST		88u
#define GENERATION	7
#define EPID		9
#define RECORDS		4096	/* most that a test writes */

static struct tbuf_slot slot = { .generation = GENERATION };
static struct tbuf_lane lane;
static _Alignas(TBUF_STRETCH_MAX) unsigned char
    memory[2 * TBUF_STRETCH_MAX];
static unsigned char *const storage = memory;
static uint32_t enabled = 1;
static struct tbuf_site site = { .enabled = &enabled, .index = 1 };
static const uint32_t heads[] = { 0, EPID };
static __thread uint64_t area[4];	/* in place of the rseq area */
static struct tbuf_memo *memo;

/* Where each record begins, and how many before it are counted. */
static uint64_t begins[RECORDS + 1], counted[RECORDS + 1];
static unsigned nrecords;

static uint64_t
tail_now(void)
{
	return (lane.pair[lane.sequence & 1].tail);
}

static uint64_t
room_now(void)
{
	return (BUFSIZE - (lane.head - tail_now()));
}

static uint32_t *
size_at(uint64_t position)
{
	return ((uint32_t *)(void *)(storage + (position + 8) % STORAGE));
}

/* Notes a record that has been committed. */
static void
note(uint64_t size, uint32_t epid)
{
	ck_assert_uint_lt(nrecords, RECORDS);
	begins[nrecords + 1] = begins[nrecords] + size;
	counted[nrecords + 1] = counted[nrecords] +
	    (epid != TBUF_EPID_UNIT && epid != TBUF_EPID_UNIT + 1);
	nrecords++;
}

/*
 * Fills the ring with records of several sizes, among them units'.  Some that
 * are counted stand beside some of the same size that are not.
 */
static void
fill(void)
{
	static const uint32_t kinds[][2] = {
		{ 32, 1 }, { 32, 1 }, { 32, 1 }, { 32, 2 }, { 16, 2 },
		{ LARGEST, TBUF_EPID_UNIT }, { 24, TBUF_EPID_UNIT - 1 },
		{ 24, TBUF_EPID_UNIT + 1 }, { 24, TBUF_EPID_UNIT + 2 }
	};
	const uint32_t *kind = kinds[nrecords % 9];

	while (room_now() >= kind[0]) {
		*size_at(lane.head) = kind[0] << 16 | kind[1];
		lane.head += kind[0];
		note(kind[0], kind[1]);
		kind = kinds[nrecords % 9];
	}
}

static void
begin(bool ring)
{
	memset(&lane, 0, sizeof(lane));
	memset(memory, 0, sizeof(memory));
	nrecords = 0;
	lane.limit = ring ? 0 : BUFSIZE;
	tbuf_rseq_at = (ptrdiff_t)((uintptr_t)area -
	    (uintptr_t)__builtin_thread_pointer());
	memset(area, 0, sizeof(area));
	ck_assert_int_eq(tbuf_process_register(), 0);
	memo = &tbuf_thread.memo;
	*memo = (struct tbuf_memo){
		.bits = enabled, .generation = GENERATION, .slot = &slot,
		.lane = &lane, .data = storage, .mask8 = STORAGE - 8,
		.bufsize = BUFSIZE, .heads = heads, .ring = ring
	};
	if (ring)
		fill();
}

/* [tail, head) is whole records, and those before it are counted. */
static void
check_ring(void)
{
	uint64_t tail = tail_now(), at;
	unsigned n = 0;

	while (n < nrecords && begins[n] < tail)
		n++;
	ck_assert_uint_eq(begins[n], tail);
	ck_assert_uint_eq(lane.pair[lane.sequence & 1].overwritten,
	    counted[n]);
	ck_assert_uint_le(lane.head - tail, BUFSIZE);
	ck_assert_uint_eq(begins[nrecords], lane.head);
	for (at = tail; at < lane.head; at += *size_at(at) >> 16)
		ck_assert_uint_ge(*size_at(at) >> 16, 16);
	ck_assert_uint_eq(at, lane.head);
}

/* The stretch is none, or a record has room in it wherever one may begin. */
static void
check_stretch(void)
{
	uint64_t end = memo->base + memo->span + (TBUF_FLAT_MAX - 1);

	if (memo->span == 0)
		return;
	ck_assert_uint_le(memo->base, lane.head);
	ck_assert_uint_le(end, memo->ring ? tail_now() + BUFSIZE : lane.limit);
	ck_assert_uint_eq(memo->base / STORAGE, (end - 1) / STORAGE);
}

static void
check(void)
{
	if (memo->ring)
		check_ring();
	check_stretch();
}

/* Allows a linear lane that is full some more records, each time others. */
static void
allow(void)
{
	if (!memo->ring && lane.limit < lane.head + FLAT)
		lane.limit = lane.head + FLAT + nrecords * 7 % 25 * 8;
}

static enum tbuf_outcome outcome;

static void
release(void)
{
	outcome = tbuf_rseq_release(&site, WANT);
}

static bool
extend(const uint64_t *words)
{
	return (tbuf_rseq_extend(&site, words, FLAT, &slot, GENERATION));
}

/*
 * Writes one argument as fire.c does.  A record that wraps, which is for other
 * sections, is stored here.
 */
static void
write_one(void)
{
	const uint64_t words[1] = { 1 };

	allow();
	outcome = memo->span == 0 ? TBUF_NO_ROOM :
	    tbuf_rseq_flat_1(&site, words);
	if (outcome == TBUF_NO_ROOM && memo->ring)
		(void)tbuf_rseq_release(&site, WANT);
	if (outcome == TBUF_NO_ROOM && !extend(words)) {
		*size_at(lane.head) = FLAT << 16 | EPID;
		lane.head += FLAT;
	}
}

static void
fire(void)
{
	uint64_t head = lane.head;

	write_one();
	ck_assert_uint_eq(lane.head, head + FLAT);
	ck_assert_uint_eq(*size_at(head), FLAT << 16 | EPID);
	note(FLAT, EPID);
}

START_TEST(a_release_is_whole_at_each_instruction)
{
	uint64_t sequence;
	unsigned i;

	begin(true);
	for (i = 0; i < 40; i++) {
		sequence = lane.sequence;
		steps_run(release, STEPS_EACH, check);
		check();
		/* One step publishes all, and no more than is wanted. */
		ck_assert_uint_eq(lane.sequence, sequence + 1);
		ck_assert_uint_ge(room_now(), WANT);
		ck_assert_uint_lt(room_now(), WANT + LARGEST);
		/* There is no stretch where the storage ends. */
		ck_assert(outcome == TBUF_COMMITTED ? memo->span != 0 :
		    STORAGE - lane.head % STORAGE < TBUF_FLAT_MAX);
		fill();
	}
	ck_assert_uint_gt(lane.head, 4 * STORAGE);
}
END_TEST

START_TEST(a_release_for_which_there_is_room_removes_nothing)
{
	begin(true);
	release();
	ck_assert_int_eq(outcome, TBUF_COMMITTED);
	memo->span = 0;
	release();
	ck_assert_int_eq(outcome, TBUF_COMMITTED);
	ck_assert_uint_eq(lane.sequence, 1);
	ck_assert_uint_eq(memo->base, lane.head);
	ck_assert_int_eq(tbuf_rseq_release(&site, room_now()),
	    TBUF_COMMITTED);
	ck_assert_uint_eq(lane.sequence, 1);
	check();
}
END_TEST

/* Each release removes as few whole records as are enough. */
START_TEST(releases_of_any_size_are_exact)
{
	uint64_t want, sequence, tail, least;
	unsigned n;

	begin(true);
	for (want = 8; nrecords < RECORDS - 100; want = want * 5 % 928 + 8) {
		sequence = lane.sequence;
		tail = tail_now();
		least = lane.head - BUFSIZE + want;
		for (n = 0; begins[n] < tail || (begins[n] < least &&
		    want > room_now()); n++)
			;
		(void)tbuf_rseq_release(&site, want);
		check();
		ck_assert_uint_eq(tail_now(), begins[n]);
		ck_assert_uint_eq(lane.sequence, sequence +
		    (tail_now() != tail));
		fill();
	}
}
END_TEST

/* A large record may be all that a ring has. */
START_TEST(a_release_may_empty_the_ring)
{
	begin(true);
	lane.pair[0].tail = begins[nrecords - 1];
	lane.pair[0].overwritten = counted[nrecords - 1];
	ck_assert_int_eq(tbuf_rseq_release(&site, BUFSIZE), TBUF_COMMITTED);
	ck_assert_uint_eq(tail_now(), lane.head);
	check();
}
END_TEST

static sigjmp_buf out;

/* Leaves the section, as the kernel does after a handler. */
static void
leave(void)
{
	check();
	siglongjmp(out, 1);
}

static void
fire_and_leave(void)
{
	fire();
	leave();
}

/* Runs the function, and the action after each number of its instructions. */
static unsigned long
leave_at_each(void (*function)(void), void (*action)(void))
{
	volatile unsigned long step = 0;
	volatile bool more = true;

	while (more) {
		if (sigsetjmp(out, 1) == 0)
			more = steps_run(function, step, action);
		if (lane.head != begins[nrecords])
			note(FLAT, EPID);
		check();
		step++;
		fire();
		check();
		if (nrecords > RECORDS - 100)
			begin(memo->ring);
		if (memo->ring && step % 2 == 0)
			fill();
	}
	return (step);
}

START_TEST(a_release_is_left_at_each_instruction)
{
	begin(true);
	ck_assert_uint_gt(leave_at_each(release, leave), 60);
}
END_TEST

START_TEST(a_handler_fires_at_each_instruction_of_a_release)
{
	begin(true);
	ck_assert_uint_gt(leave_at_each(release, fire_and_leave), 60);
}
END_TEST

/* The fire that is left may have committed its record. */
static void
fire_or_note(void)
{
	if (lane.head != begins[nrecords])
		note(FLAT, EPID);
	fire();
	check();
	siglongjmp(out, 1);
}

START_TEST(a_handler_fires_at_each_instruction_of_a_fire)
{
	begin(_i != 0);
	ck_assert_uint_gt(leave_at_each(write_one, fire_or_note), 40);
}
END_TEST

START_TEST(stamps_rise_in_a_stretch)
{
	const uint64_t words[1] = { 1 }, *time;

	begin(_i != 0);
	fire();
	ck_assert_uint_ne(memo->span, 0);
	lane.last = UINT64_MAX / 2;
	time = (const uint64_t *)(const void *)(storage + lane.head % STORAGE);
	ck_assert_int_eq(tbuf_rseq_flat_1(&site, words), TBUF_COMMITTED);
	ck_assert_uint_eq(*time, UINT64_MAX / 2 + 1);
	ck_assert_uint_eq(lane.last, *time);
}
END_TEST

/* Expects that a fire in the stretch returns this and stores nothing. */
static void
expect_left(enum tbuf_outcome expected)
{
	const uint64_t words[1] = { 1 };
	const struct tbuf_lane was = lane;

	ck_assert_int_eq(tbuf_rseq_flat_1(&site, words), expected);
	ck_assert_uint_eq(lane.head, was.head);
	ck_assert_uint_eq(lane.full, was.full);
	ck_assert_uint_eq(lane.sequence, was.sequence);
}

#define LEFT(word, value, expected) do {				\
	__typeof__(word) was_ = (word);					\
									\
	(word) = (value);						\
	expect_left(expected);						\
	(word) = was_;							\
} while (0)

START_TEST(a_stretch_is_of_one_cpu_session_and_generation)
{
	static struct tbuf_local gone;
	const uint64_t words[1] = { 1 };

	begin(_i != 0);
	fire();
	ck_assert_uint_ne(memo->span, 0);
	LEFT(memo->cpu, 1, TBUF_CHANGED);
	LEFT(memo->bits, 2, TBUF_CHANGED);
	LEFT(memo->bits, TBUF_MEMO_NONE, TBUF_CHANGED);
	LEFT(memo->generation, GENERATION + 1, TBUF_CHANGED);
	LEFT(slot.generation, GENERATION + 1, TBUF_CHANGED);
	LEFT(slot.generation, 0, TBUF_CHANGED);
	LEFT(enabled, 3, TBUF_CHANGED);
	LEFT(tbuf_local, &gone, TBUF_CHANGED);
	LEFT(memo->heads, (const uint32_t *)(const uint32_t [2]){ 0 },
	    TBUF_CHAIN);
	/* A head before it, at its end, or damaged is not within. */
	LEFT(lane.head, memo->base - 8, TBUF_NO_ROOM);
	LEFT(lane.head, memo->base + memo->span, TBUF_NO_ROOM);
	LEFT(lane.head, UINT64_MAX / 3, TBUF_NO_ROOM);
	/* Another thread on this CPU has moved head to where room ends. */
	lane.head = memo->base + (memo->span - 1) / 8 * 8;
	ck_assert_int_eq(tbuf_rseq_flat_1(&site, words), TBUF_COMMITTED);
	ck_assert_uint_eq(lane.head % 8, 0);
	expect_left(TBUF_NO_ROOM);
}
END_TEST

START_TEST(a_release_stores_nothing_for_another_session)
{
	static struct tbuf_local gone;
	uint64_t want = WANT;

	begin(true);
#define REFUSED(word, value) do {					\
	__typeof__(word) was_ = (word);					\
									\
	(word) = (value);						\
	ck_assert_int_eq(tbuf_rseq_release(&site, want), TBUF_CHANGED);	\
	(word) = was_;							\
	ck_assert_uint_eq(lane.sequence, 0);				\
	ck_assert_uint_eq(memo->span, 0);				\
	check();							\
} while (0)
	REFUSED(memo->cpu, 1);
	REFUSED(memo->bits, TBUF_MEMO_NONE);
	REFUSED(slot.generation, GENERATION + 1);
	REFUSED(tbuf_local, &gone);
	REFUSED(memo->ring, 0);
	/* Damage: head, tail and sizes that are impossible. */
	REFUSED(lane.head, lane.head + 4);
	REFUSED(lane.head, BUFSIZE + 8);
	REFUSED(lane.pair[0].tail, lane.head + 8);
	REFUSED(*size_at(begins[2]), 0);
	REFUSED(*size_at(begins[2]), 8 << 16 | 1);
	REFUSED(*size_at(begins[2]), 36 << 16 | 1);
	REFUSED(*size_at(begins[2]), 0xfff8u << 16 | 1);
	/* Also if no other record has to be looked at. */
	want = room_now() + 8;
	REFUSED(*size_at(0), 8 << 16 | 1);
	REFUSED(*size_at(0), 36 << 16 | 1);
#undef REFUSED
}
END_TEST

START_TEST(a_linear_stretch_ends_where_room_does)
{
	const uint64_t words[1] = { 1 };
	uint64_t fires = 0;

	begin(false);
	/* The first one may go on to the limit. */
	ck_assert(extend(words));
	ck_assert_uint_eq(memo->base, 0);
	ck_assert_uint_eq(memo->span, BUFSIZE - (TBUF_FLAT_MAX - 1));
	while (tbuf_rseq_flat_1(&site, words) == TBUF_COMMITTED)
		fires++;
	ck_assert_uint_eq(fires, (memo->span - 1) / FLAT);
	/* After the limit is raised, it goes on to the storage's end. */
	lane.limit = 2 * STORAGE;
	ck_assert(extend(words));
	ck_assert_uint_eq(memo->base, (fires + 1) * FLAT);
	ck_assert_uint_eq(memo->span, STORAGE - memo->base -
	    (TBUF_FLAT_MAX - 1));
	check_stretch();
	/* Where a record is refused there is none. */
	lane.limit = lane.head + FLAT - 8;
	memo->span = 0;
	ck_assert(extend(words));
	ck_assert_uint_eq(memo->span, 0);
	ck_assert_uint_eq(lane.full, 1);
}
END_TEST

/* So its next fires do not look into a stretch before they are refused. */
START_TEST(a_lane_that_refuses_a_record_has_no_stretch)
{
	static const uint64_t words[4];
	enum tbuf_outcome flat;

	begin(false);
	ck_assert(tbuf_rseq_extend(&site, words, TBUF_FLAT_MAX, &slot,
	    GENERATION));
	while ((flat = tbuf_rseq_flat_4(&site, words)) == TBUF_COMMITTED)
		;
	ck_assert_int_eq(flat, TBUF_NO_ROOM);
	ck_assert_uint_gt(lane.head + TBUF_FLAT_MAX, lane.limit);
	ck_assert(tbuf_rseq_extend(&site, words, TBUF_FLAT_MAX, &slot,
	    GENERATION));
	ck_assert_uint_eq(lane.full, 1);
	ck_assert_uint_eq(memo->span, 0);
}
END_TEST

START_TEST(a_stretch_does_not_cross_its_bound_in_memory)
{
	const uint64_t words[1] = { 1 };

	begin(false);
	memo->data = memory + TBUF_STRETCH_MAX - 512;
	ck_assert(extend(words));
	ck_assert_uint_eq(memo->span, 512 - (TBUF_FLAT_MAX - 1));
}
END_TEST

START_TEST(a_lane_that_fills_has_no_stretch)
{
	const uint64_t words[1] = { 1 };

	begin(false);
	memo->fill_mask = UINT64_MAX;
	memo->base = 8;
	memo->span = 1000;
	ck_assert(extend(words));
	ck_assert_uint_eq(memo->span, 0);
}
END_TEST

static void
add_steps(TCase *steps)
{
	tcase_add_test(steps, a_release_is_whole_at_each_instruction);
	tcase_add_test(steps, a_release_is_left_at_each_instruction);
	tcase_add_test(steps, a_handler_fires_at_each_instruction_of_a_release);
	tcase_add_loop_test(steps,
	    a_handler_fires_at_each_instruction_of_a_fire, 0, 2);
}

int
main(void)
{
	Suite *suite = suite_create("stretch");
	TCase *stretch = tcase_create("stretch");

	tcase_set_timeout(stretch, 120);
	if (STEPS_POSSIBLE)
		add_steps(stretch);
	tcase_add_test(stretch,
	    a_release_for_which_there_is_room_removes_nothing);
	tcase_add_test(stretch, releases_of_any_size_are_exact);
	tcase_add_test(stretch, a_release_may_empty_the_ring);
	tcase_add_loop_test(stretch, stamps_rise_in_a_stretch, 0, 2);
	tcase_add_loop_test(stretch,
	    a_stretch_is_of_one_cpu_session_and_generation, 0, 2);
	tcase_add_test(stretch, a_release_stores_nothing_for_another_session);
	tcase_add_test(stretch, a_linear_stretch_ends_where_room_does);
	tcase_add_test(stretch,
	    a_lane_that_refuses_a_record_has_no_stretch);
	tcase_add_test(stretch, a_stretch_does_not_cross_its_bound_in_memory);
	tcase_add_test(stretch, a_lane_that_fills_has_no_stretch);
	suite_add_tcase(suite, stretch);
	return (run_suite(suite));
}
