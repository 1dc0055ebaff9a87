/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side alone: the records and counters of a lane, by policy.
 */
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "arch/rseq_area.h"
#include "fixture.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* inv.account, inv.order */
START_TEST(switch_drops_past_the_limit_and_goes_on_behind_it)
{
	struct order o = ORDER(TBUF_SWITCH, 80);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16);

	fire(1);
	fire(2);
	fire(3);
	ck_assert_uint_eq(lane->head, 2 * size);
	ck_assert_uint_eq(lane->full, 1);
	ck_assert_uint_eq(word_at(lane, size - 16), 1);
	ck_assert_uint_eq(word_at(lane, 2 * size - 16), 2);
	/* The consumer's switch allows another half. */
	lane->limit = lane->head + lane->size;
	fire(4);
	ck_assert_uint_eq(lane->head, 3 * size);
	ck_assert_uint_eq(word_at(lane, 3 * size - 16), 4);
	ck_assert_uint_eq(lane->full, 1);
}
END_TEST

START_TEST(switch_takes_a_smaller_record_where_a_larger_was_refused)
{
	struct order o = ORDER(TBUF_SWITCH, 64);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t before;

	while (lane->full == 0)
		fire(1);
	before = lane->head;
	lane->limit = before + 24;
	fire(2);
	tbuf_probe_fire(&none, (uint64_t[1]){ 0 });
	ck_assert_uint_eq(lane->full, 2);
	ck_assert_uint_eq(lane->head, before + record_size(lane, 0));
}
END_TEST

START_TEST(fill_stores_nothing_after_the_first_refusal)
{
	struct order o = ORDER(TBUF_FILL, 64 + 24);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t before;

	while (lane->full == 0)
		fire(1);
	before = lane->head;
	tbuf_probe_fire(&none, (uint64_t[1]){ 0 });
	ck_assert_uint_eq(lane->head, before);
	ck_assert_uint_eq(lane->full, 2);
}
END_TEST

/* Under ring, all records are either consumed or counted as overwritten. */
START_TEST(ring_keeps_the_last_records_that_fit)
{
	struct order o = ORDER(TBUF_RING, 1000);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), kept = 1000 / size, i;

	for (i = 1; i <= 777; i++)
		fire(i);
	ck_assert_uint_eq(lane->head, 777 * size);
	ck_assert_uint_eq(lane->head - ring_tail(lane), kept * size);
	ck_assert_uint_eq(lane->pair[lane->sequence & 1].overwritten,
	    777 - kept);
	for (i = 0; i < kept; i++)
		ck_assert_uint_eq(word_at(lane, ring_tail(lane) +
		    (i + 1) * size - 16), 777 - kept + i + 1);
	ck_assert_uint_eq(lane->full + lane->large, 0);
}
END_TEST

/*
 * Expects that a full ring holds at most `part` less than its size, because its
 * oldest records leave several at once; 0: they leave one by one.
 */
static void
expect_parts(unsigned path, uint64_t bufsize, uint64_t part)
{
	const unsigned _i = path;
	struct order o = ORDER(TBUF_RING, bufsize);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), fires, i;
	const struct tbuf_pair *pair;

	if (lane->kind == TBUF_KIND_LOCK)
		part = 0;
	fires = bufsize / size + 5000;
	for (i = 0; i < fires; i++)
		fire(i);
	pair = &lane->pair[lane->sequence & 1];
	ck_assert_uint_eq(lane->head, fires * size);
	ck_assert_uint_eq(pair->tail, pair->overwritten * size);
	ck_assert_uint_le(lane->head - pair->tail, bufsize);
	ck_assert_uint_gt(lane->head - pair->tail + part + size, bufsize);
	if (part != 0)
		ck_assert_uint_lt(lane->sequence, pair->overwritten / 2);
	for (i = pair->tail; i < lane->head; i += size)
		ck_assert_uint_eq(word_at(lane, i + size - 16), i / size);
}

START_TEST(a_small_ring_is_full)
{
	expect_parts(_i, 65536 - 8, 0);
}
END_TEST

START_TEST(a_larger_ring_gives_way_in_parts)
{
	expect_parts(_i, 65536, 512);
}
END_TEST

START_TEST(a_part_of_a_ring_is_bounded)
{
	expect_parts(_i, 3000000, 8192);
}
END_TEST

/* Without a stretch all would be as it should be, but slower. */
static void
expect_stretch(unsigned path, enum tbuf_policy policy, uint64_t bufsize)
{
	const unsigned _i = path;
	struct order o = ORDER(policy, bufsize);
	unsigned tries;

	(void)session(0, &o);
	/* A preemption may abort the section that makes it. */
	for (tries = 0; tries < 100 && tbuf_thread.memo.span == 0; tries++)
		fire(tries);
	if (tbuf_self.rseq)
		ck_assert_uint_ne(tbuf_thread.memo.span, 0);
}

START_TEST(a_thread_has_a_stretch)
{
	expect_stretch(_i, TBUF_SWITCH, 8192);
}
END_TEST

START_TEST(a_thread_has_a_stretch_in_a_larger_ring)
{
	expect_stretch(_i, TBUF_RING, 65536);
}
END_TEST

/* Leaves bytes on the stack, where the next call has its variables. */
static __attribute__((noinline)) void
soil_stack(void)
{
	unsigned char bytes[4096];

	memset(bytes, 0xff, sizeof(bytes));
	__asm__ volatile("" : : "r"(bytes) : "memory");
}

START_TEST(a_new_memo_has_no_stretch)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_lane *lane = session(0, &o);

	soil_stack();
	fire(1);
	ck_assert_uint_ne(lane->head, 0);
	if (!tbuf_self.rseq)
		return;
	ck_assert_uint_eq(tbuf_thread.memo.bits, 1);
	ck_assert_uint_eq(tbuf_thread.memo.base, 0);
	ck_assert_uint_eq(tbuf_thread.memo.span, 0);
}
END_TEST

START_TEST(a_record_larger_than_the_buffer_is_a_drop_of_its_own)
{
	const enum tbuf_policy policies[] = { TBUF_SWITCH, TBUF_FILL,
	    TBUF_RING };
	struct tbuf_lane *lane[3];
	struct order o;
	unsigned i;

	for (i = 0; i < 3; i++) {
		o = ORDER(policies[i], 24);
		lane[i] = session(i, &o);
	}
	fire(1);
	fire(2);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(lane[i]->head, 0);
		ck_assert_uint_eq(lane[i]->large, 2);
		ck_assert_uint_eq(lane[i]->full, 0);
	}
}
END_TEST

START_TEST(the_smallest_buffer_holds_one_record)
{
	struct order o = ORDER(TBUF_SWITCH,
	    _i == 1 || !tbuf_self.rseq ? 24 : 16);
	struct tbuf_lane *lane = session(0, &o);

	tbuf_probe_fire(&none, (uint64_t[1]){ 0 });
	tbuf_probe_fire(&none, (uint64_t[1]){ 0 });
	ck_assert_uint_eq(lane->head, record_size(lane, 0));
	ck_assert_uint_eq(lane->full, 1);
}
END_TEST

START_TEST(a_size_that_is_no_power_of_two_is_kept)
{
	struct order o = ORDER(TBUF_SWITCH, 3005);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), i;

	for (i = 0; i < 3000; i++)
		fire(i);
	ck_assert_uint_eq(lane->size, 3000);
	ck_assert_uint_eq(lane->head, 3000 / size * size);
	ck_assert_uint_eq(lane->full, 3000 - 3000 / size);
}
END_TEST

START_TEST(fires_on_other_cpus_are_not_the_sessions)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	struct tbuf_lane *lane;
	unsigned i;

	o.only_cpu = sched_getcpu() + 1;
	lane = session(0, &o);
	fire(1);
	for (i = 0; i < slot->nlanes; i++)
		ck_assert_uint_eq(lane[i].head + lane[i].full, 0);
	for (i = 0; i < TBUF_NLOCKS; i++)
		ck_assert_uint_eq(slot->locks[i].nolane[TBUF_LOST_RECORD] &
		    TBUF_NOLANE_COUNT, 0);
}
END_TEST

/*
 * Fires on a CPU that may not exist: the rseq area has its number for a moment.
 * The kernel may restore the number before the fire; the lane that has the
 * record shows that.  Each attempt fires once.
 */
static void
fire_on(uint32_t cpu)
{
	volatile uint32_t *area = (volatile uint32_t *)(void *)
	    ((char *)__builtin_thread_pointer() + __rseq_offset);
	uint32_t start = area[0], id = area[1];

	area[0] = area[1] = cpu;
	fire(cpu);
	if (area[1] == cpu) {
		area[0] = start;
		area[1] = id;
	}
}

static uint64_t
records_of(const struct tbuf_lane *lane, const struct tbuf_slot *slot)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < slot->nlanes; i++)
		n += lane[i].head / record_size(&lane[i], 16) + lane[i].full;
	return (n);
}

START_TEST(each_cpu_has_its_lane_whatever_its_number)
{
	static const uint32_t cpus[] = { 37, 64, 511, 1023, 0 };
	static const uint32_t none[] = { 38, 512, 1024, 4095, 1u << 30 };
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	struct order o = ORDER(TBUF_SWITCH, 1 << 16);
	uint64_t fired = 0, size;
	struct tbuf_lane *lane;
	unsigned i;

	if (o.locks || !tbuf_self.rseq)
		return;
	o.cpus = cpus;
	lane = session(0, &o);
	size = record_size(lane, 16);
	ck_assert_uint_eq(slot->first_lock, 4);
	for (i = 0; i < 4; i++) {
		ck_assert_uint_eq(lane[i].cpu, cpus[i]);
		for (; lane[i].head == 0; fired++)
			fire_on(cpus[i]);
		ck_assert_uint_eq(lane[i].head, size);
		ck_assert_uint_eq(word_at(&lane[i], size - 16), cpus[i]);
	}
	for (i = 0; i < 5; i++, fired++)
		fire_on(none[i]);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(lane[i].head, size);
	ck_assert_uint_eq(records_of(lane, slot), fired);
}
END_TEST

START_TEST(stamps_rise_strictly_and_the_thread_is_told)
{
	struct order o = ORDER(TBUF_SWITCH, 1 << 16);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), last = 0, i;
	const struct tbuf_header *header;

	for (i = 0; i < 1000; i++)
		fire(i);
	for (i = 0; i < 1000; i++) {
		header = header_at(lane, i * size);
		ck_assert_uint_gt(header->time, last);
		ck_assert_uint_eq(header->tid, (uint32_t)gettid());
		ck_assert_uint_eq(header->size, size);
		last = header->time;
	}
}
END_TEST

/* Time stamps rise even if the clock does not. */
START_TEST(stamps_rise_where_the_clock_does_not)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), ahead = UINT64_C(1) << 63;

	lane->last = ahead;
	fire(1);
	fire(2);
	/* A section that was aborted may have taken a stamp. */
	ck_assert_uint_gt(header_at(lane, 0)->time, ahead);
	ck_assert_uint_lt(header_at(lane, 0)->time, ahead + 100);
	ck_assert_uint_gt(header_at(lane, size)->time,
	    header_at(lane, 0)->time);
}
END_TEST

START_TEST(arguments_lie_as_the_format_says)
{
	static const enum tbuf_type types[] = { TBUF_UINT8, TBUF_STRING,
	    TBUF_INT32, TBUF_BINARY, TBUF_STRING, TBUF_DOUBLE };
	static const unsigned char data[] = {
		0x11, 0, 3 | 0, 0x80, 'a', 'b', 'c', 0,		/* 255 cut */
		0x78, 0x56, 0x34, 0x12, 2, 0, 0xfe, 0xff,
		0x00, 0x80, 0, 0, 0, 0, 0, 0,			/* NULL */
		0, 0, 0, 0, 0, 0, 0xf8, 0x3f			/* 1.5 */
	};
	const struct tbuf_bytes binary = { "\376\377", 2 };
	const uint64_t values[] = { 0xff11, (uintptr_t)"abcdef", 0x12345678,
	    (uintptr_t)&binary, 0, UINT64_C(0x3ff8000000000000) };
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_lane *lane;
	struct tbuf_site mixed = { .state = 0 };

	site(&mixed, "mixed", 6, types);
	o.strsize = 4;
	lane = session(0, &o);
	tbuf_probe_fire(&mixed, values);
	ck_assert_uint_eq(lane->head, record_size(lane, sizeof(data)));
	ck_assert_mem_eq(bytes_at(lane, lane->head - sizeof(data)), data,
	    sizeof(data));
	/* The second fire takes the path by the memo. */
	tbuf_probe_fire(&mixed, values);
	ck_assert_uint_eq(lane->head, 2 * record_size(lane, sizeof(data)));
	ck_assert_mem_eq(bytes_at(lane, lane->head - sizeof(data)), data,
	    sizeof(data));
	tbuf_probe_unregister(&mixed);
}
END_TEST

/* A string may wrap at any byte at the storage's end. */
START_TEST(a_text_may_go_around_the_end)
{
	static const enum tbuf_type types[] = { TBUF_STRING };
	const char *text = "0123456789abcdefghijklmnopqrstuvwxyz";
	const uint64_t values[] = { (uintptr_t)text };
	struct order o = ORDER(TBUF_RING, 256);
	struct tbuf_site one = { .state = 0 };
	struct tbuf_lane *lane;
	uint64_t at, i, k;

	site(&one, "one", 1, types);
	lane = session(0, &o);
	for (i = 0; i < 100; i++) {
		tbuf_probe_fire(&one, values);
		at = lane->head - 40;
		for (k = 0; k < 36; k++)
			ck_assert_int_eq(*bytes_at(lane, at + 2 + k), text[k]);
	}
	tbuf_probe_unregister(&one);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		switch_drops_past_the_limit_and_goes_on_behind_it,
		switch_takes_a_smaller_record_where_a_larger_was_refused,
		fill_stores_nothing_after_the_first_refusal,
		ring_keeps_the_last_records_that_fit,
		a_small_ring_is_full,
		a_larger_ring_gives_way_in_parts,
		a_part_of_a_ring_is_bounded,
		a_thread_has_a_stretch,
		a_thread_has_a_stretch_in_a_larger_ring,
		a_new_memo_has_no_stretch,
		a_record_larger_than_the_buffer_is_a_drop_of_its_own,
		the_smallest_buffer_holds_one_record,
		a_size_that_is_no_power_of_two_is_kept,
		fires_on_other_cpus_are_not_the_sessions,
		each_cpu_has_its_lane_whatever_its_number,
		stamps_rise_strictly_and_the_thread_is_told,
		stamps_rise_where_the_clock_does_not,
		arguments_lie_as_the_format_says,
		a_text_may_go_around_the_end
	};

	return (run_on_both_paths("target", tests,
	    sizeof(tests) / sizeof(tests[0])));
}
