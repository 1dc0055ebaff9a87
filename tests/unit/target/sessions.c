/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side alone: several enablings and sessions, sessions that are
 * given up, and shared words with impossible values.
 */
#include <sys/param.h>
#include <sys/syscall.h>

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/interposed_call.h"
#include "shared/ecb_chain.h"
#include "target/lane/lane.h"

START_TEST(each_enabling_writes_its_own_record)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_lane *lane;
	uint64_t size;

	o.patterns = "t:::\0*:::two\0nobody";
	o.size = 5 + 8 + 7;
	o.npatterns = 3;
	lane = session(0, &o);
	size = record_size(lane, 16);
	fire(1);
	ck_assert_uint_eq(lane->head, 2 * size);
	ck_assert_uint_ne(header_at(lane, 0)->epid,
	    header_at(lane, size)->epid);
	ck_assert_uint_eq(word_at(lane, 2 * size - 16), 1);
}
END_TEST

/*
 * A later match may insert an ECB before the others.  A fire that reads the
 * probe's head alone must see then, too, that there are more.
 */
START_TEST(enablings_met_in_any_order_write_their_records)
{
	struct order o = ORDER(TBUF_SWITCH, 1 << 16);
	const struct tbuf_names names = { "t", "m", "f", "two" };
	struct tbuf_backing backing = { .back = back_control };
	struct tbuf_lane *lane;
	const uint32_t *head;
	uint16_t epids[3];
	uint64_t size, i, k;

	/* The last enabling matches first. */
	o.patterns = "nobody\0nobody\0t:::two";
	o.size = 7 + 7 + 8;
	o.npatterns = 3;
	lane = session(0, &o);
	head = (const uint32_t *)(const void *)(view.base +
	    tbuf_view_slot(&view, 0)->heads) + two.index;
	ck_assert_uint_eq(*head & TBUF_HEAD_MORE, 0);
	fire(0);
	ck_assert_uint_eq(tbuf_match(&view, 0, two.index, &names,
	    "t:::\0nobody\0t:::two", 5 + 7 + 8, 3, &backing), 2);
	ck_assert_uint_ne(*head & TBUF_HEAD_MORE, 0);
	ck_assert_uint_eq(tbuf_match(&view, 0, two.index, &names,
	    "t:::\0t:::\0t:::two", 5 + 5 + 8, 3, &backing), 3);
	size = record_size(lane, 16);
	for (i = 1; i <= 100; i++)
		fire(i);
	ck_assert_uint_eq(lane->head, (1 + 3 * 100) * size);
	for (k = 0; k < 3; k++)
		epids[k] = header_at(lane, (1 + k) * size)->epid;
	/* Records are in the order of enablings, EPIDs in that of matches. */
	ck_assert_uint_eq(epids[2], header_at(lane, 0)->epid);
	ck_assert(epids[2] < epids[0] && epids[0] < epids[1]);
	for (i = 1; i <= 100; i++)
		for (k = 0; k < 3; k++) {
			ck_assert_uint_eq(header_at(lane,
			    (3 * i - 2 + k) * size)->epid, epids[k]);
			ck_assert_uint_eq(word_at(lane,
			    (3 * i - 1 + k) * size - 16), i);
		}
}
END_TEST

/* The enablings that a probe has ECBs for are those that match its names. */
static void
matched(uint32_t index, const struct tbuf_names *names,
    const char *const *patterns, uint32_t n)
{
	const struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	const uint32_t *heads = (const uint32_t *)(const void *)(view.base +
	    slot->heads);
	const struct tbuf_ecb *ecbs = (const struct tbuf_ecb *)(const void *)
	    (view.base + slot->ecbs);
	uint32_t epid = heads[index] & TBUF_HEAD_EPID, i;
	bool any = epid != 0;

	for (i = 0; i < n; i++) {
		if (!tbuf_description_match(patterns[i], names))
			continue;
		ck_assert_msg(epid != 0 && ecbs[epid].enabling == i,
		    "%s, %s:%s:%s:%s", patterns[i], names->provider,
		    names->module, names->function, names->name);
		epid = ecbs[epid].next;
	}
	ck_assert_uint_eq(epid, 0);
	ck_assert_uint_eq(*tbuf_view_enable(&view, index) & 1, any);
}

/* The patterns of a case, and as many that nothing matches as `more' says. */
struct patterns {
	const char *list[4];
	unsigned more;
};

static uint32_t
order_patterns(struct order *o, const struct patterns *of,
    const char *list[70], char *text)
{
	uint32_t n = 0;

	for (; n < of->more; n++)
		list[n] = "nobody:::";
	while (of->list[n - of->more] != NULL) {
		list[n] = of->list[n - of->more];
		n++;
	}
	o->patterns = text;
	o->npatterns = n;
	for (n = 0; n < o->npatterns; n++)
		text = stpcpy(text, list[n]) + 1;
	o->size = (uint32_t)(text - o->patterns);
	return (n);
}

/* Names one of 12 probes: entries and returns of two providers' functions. */
static void
alike_name(struct tbuf_names *names, unsigned n)
{
	static const char *const functions[] = { "f", "g", "h" };

	names->provider = n < 6 ? "p" : "q";
	names->module = "m";
	names->function = functions[n / 2 % 3];
	names->name = n % 2 == 0 ? "entry" : "return";
}

/*
 * Probes that differ in their function alone are matched without names, unless
 * a pattern has a function.
 */
START_TEST(alike_probes_are_matched_by_all_their_fields)
{
	static struct tbuf_site sites[12];
	static const struct patterns cases[] = {
		{ { "p:::entry" }, 0 }, { { "p:::" }, 0 },
		{ { "p::g:return" }, 0 }, { { ":::return" }, 0 },
		{ { "p:::entry", "p:::return" }, 0 },
		{ { "p:::", "\\:" }, 0 }, { { "\\:", ":::return" }, 0 },
		{ { "entry", "q:m::", "re*" }, 0 },
		{ { "p:::entry", "p::g:" }, 0 }, { { "p:m:g:", ":::" }, 0 },
		{ { ":::", "p:m:g:return" }, 0 }, { { "p::g:", ":::" }, 0 },
		{ { "p:::entry,q:::return", "p:::" }, 0 },
		{ { "p:::", "h:return" }, 0 }, { { ":::", "p:::entry" }, 62 },
		{ { ":::", "p:::entry" }, 63 }, { { "q:::return" }, 64 }
	};
	struct order o = ORDER(TBUF_SWITCH, 4096);
	const char *list[70];
	char text[800];
	struct tbuf_names names[12];
	unsigned c, p;
	uint32_t n;

	for (p = 0; p < 12; p++) {
		alike_name(&names[p], p);
		ck_assert_int_eq(tbuf_probe_register(&sites[p],
		    names[p].provider, names[p].module, names[p].function,
		    names[p].name, 0, NULL, NULL), 0);
	}
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		n = order_patterns(&o, &cases[c], list, text);
		session(0, &o);
		for (p = 0; p < 12; p++)
			matched(sites[p].index, &names[p], list, n);
		tbuf_disable_all(&view, 0);
	}
}
END_TEST

START_TEST(each_session_gets_its_own_record)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_lane *first = session(3, &o), *second = session(31, &o);

	fire(1);
	ck_assert_uint_eq(first->head, record_size(first, 16));
	ck_assert_uint_eq(second->head, record_size(second, 16));
	tbuf_disable_all(&view, 3);
	fire(2);
	ck_assert_uint_eq(first->head, record_size(first, 16));
	ck_assert_uint_eq(second->head, 2 * record_size(second, 16));
}
END_TEST

/* The memo of a slot is not valid for another generation. */
START_TEST(a_new_session_in_the_slot_is_not_taken_for_the_old)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_lane *old = session(0, &o), *new;
	uint64_t before;

	fire(1);
	fire(2);
	before = old->head;
	new = session(0, &o);
	fire(3);
	ck_assert_uint_eq(old->head, before);
	ck_assert_uint_eq(new->head, record_size(new, 16));
}
END_TEST

START_TEST(a_session_whose_consumer_is_late_is_given_up)
{
	struct order o = ORDER(TBUF_SWITCH, 80);
	struct tbuf_lane *lane = session(0, &o);
	struct tbuf_control *control = tbuf_view_control(&view);

	while (lane->full == 0)
		fire(1);
	tbuf_view_slot(&view, 0)->deadline = 1;
	fire(2);
	ck_assert_uint_eq(control->state[0], TBUF_GIVENUP);
	ck_assert_uint_eq(lane->full, 1);
	ck_assert(!tbuf_probe_enabled(&two));
	ck_assert(!tbuf_probe_enabled(&none));
}
END_TEST

/* A consumer extends its deadline while the library reads this clock. */
static uint64_t *put_off;

int
clock_gettime(clockid_t id, struct timespec *t)
{
	if (put_off != NULL)
		*put_off = UINT64_MAX;
	return ((int)syscall(SYS_clock_gettime, id, t));
}
INTERPOSED(clock_gettime);

START_TEST(a_deadline_that_is_put_off_meanwhile_gives_nothing_up)
{
	struct order o = ORDER(TBUF_SWITCH, 80);
	struct tbuf_slot *slot;
	struct tbuf_fire held_up;

	session(0, &o);
	slot = tbuf_view_slot(&view, 0);
	held_up = (struct tbuf_fire){ .base = (uintptr_t)view.base,
	    .slot = slot, .generation = slot->generation };
	tbuf_self.clock = TBUF_CLOCK_MONOTONIC;
	slot->deadline = 1;
	put_off = &slot->deadline;
	ck_assert(!tbuf_fire_deadline(&held_up));
	put_off = NULL;
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_ACTIVE);
}
END_TEST

/* The fire has read the deadline of a session that has ended since. */
START_TEST(a_deadline_of_another_session_gives_nothing_up)
{
	struct order o = ORDER(TBUF_SWITCH, 80);
	struct tbuf_lane *lane = session(0, &o);
	struct tbuf_control *control = tbuf_view_control(&view);
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	struct tbuf_fire late = { .base = (uintptr_t)view.base, .slot = slot,
	    .generation = slot->generation + 1 };

	slot->deadline = 1;
	ck_assert(tbuf_fire_deadline(&late));
	ck_assert_uint_eq(control->state[0], TBUF_ACTIVE);
	slot->deadline = 0;
	fire(1);
	ck_assert_uint_eq(lane->head, record_size(lane, 16));
	/* The session's consumer has just ended it. */
	slot->deadline = 1;
	slot->generation = 0;
	ck_assert(tbuf_fire_deadline(&late));
	ck_assert_uint_eq(control->state[0], TBUF_GIVENUP);
	ck_assert(!tbuf_probe_enabled(&two));
}
END_TEST

/* A store past the end of the file would raise SIGBUS. */
START_TEST(offsets_behind_the_end_of_the_file_are_not_followed)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	struct tbuf_lane *lane;
	uint64_t far, fired;
	unsigned i;

	o.patterns = "t:::\0*:::two";
	o.size = 5 + 8;
	o.npatterns = 2;
	lane = session(0, &o);
	far = (tbuf_view_control(&view)->end + (1 << 20)) & ~UINT64_C(4095);
	ck_assert_uint_lt(far, tbuf_self.window - (1 << 20));
	slot->ecbs = far;
	fire(2);
	fired = lane->head / record_size(lane, 16);
	ck_assert_uint_eq(fired, 1);
	/* First the storage of lanes is out of reach, then the lanes. */
	for (i = 0; i < slot->nlanes; i++)
		lane[i].place = far | 12;
	slot->generation = ++tbuf_view_control(&view)->generation;
	fire(3);
	for (i = 0; i < TBUF_NCPUS; i++)
		slot->lane_of_cpu[i] = (uint32_t)(far / 64);
	slot->lanes = far;
	fire(4);
	ck_assert_uint_eq(lane->head, record_size(lane, 16));
}
END_TEST

/* Only the records that are damaged are lost. */
START_TEST(a_ring_goes_on_after_damage)
{
	struct order o = ORDER(TBUF_RING, 256);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), i, tail;
	struct tbuf_header *header;

	for (i = 0; i < 20; i++)
		fire(i);
	tail = ring_tail(lane);
	header = (struct tbuf_header *)(uintptr_t)header_at(lane, tail);
	header->size = 0;
	fire(21);
	ck_assert_uint_eq(lane->restarts, 1);
	ck_assert_uint_eq(lane->skipped, size);
	ck_assert_uint_eq(ring_tail(lane), tail + size);
	ck_assert_uint_eq(word_at(lane, lane->head - 16), 21);
}
END_TEST

/*
 * Damages each word of a ring, and fires until it is overwritten: the tail
 * never passes records that are not damaged and have room.
 */
START_TEST(a_ring_loses_what_is_damaged)
{
	static const uint64_t values[] = { 0, UINT64_MAX, 1, 8 << 16 | 1,
	    20 << 16 | 1, UINT64_C(65528) << 16 | 1 };
	struct order o = ORDER(TBUF_RING, 1000);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), kept = 1000 / size, at, n = 0;
	unsigned i, k;

	while (n < kept)
		fire(n++);
	for (i = 0; i < sizeof(values) / sizeof(values[0]) * kept * size / 8;
	    i++) {
		at = ring_tail(lane) + i * 8 % (kept * size);
		*(uint64_t *)(uintptr_t)bytes_at(lane, at) = values[i %
		    (sizeof(values) / sizeof(values[0]))];
		at -= at % size;
		for (k = 0; k < 2 * kept; k++) {
			fire(n++);
			ck_assert_uint_eq(word_at(lane, lane->head - 16), n - 1);
			ck_assert_uint_le(lane->head - ring_tail(lane), 1000);
			ck_assert_uint_le(ring_tail(lane),
			    MAX(lane->head - kept * size, at + size));
		}
		ck_assert_uint_eq(lane->head - ring_tail(lane), kept * size);
	}
	ck_assert_uint_ge(lane->restarts, kept);
	ck_assert_uint_eq(lane->full + lane->large, 0);
}
END_TEST

START_TEST(a_ring_with_a_damaged_tail_begins_anew)
{
	struct order o = ORDER(TBUF_RING, 256);
	struct tbuf_lane *lane = session(0, &o);

	fire(1);
	lane->pair[lane->sequence & 1].tail = lane->head + 4096;
	fire(22);
	ck_assert_uint_eq(lane->restarts, 1);
	ck_assert_uint_eq(lane->skipped, 256);
	ck_assert_uint_eq(word_at(lane, lane->head - 16), 22);
}
END_TEST

START_TEST(a_fire_that_finds_all_lanes_taken_is_a_drop)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	struct tbuf_lane *lane;
	uint64_t n = 0, i;

	o.locks = true;
	lane = session(0, &o);
	for (i = 0; i < slot->nlocks; i++)
		slot->locks[i].word = 2 * slot->generation + 1;
	fire(1);
	fire(2);
	for (i = 0; i < slot->nlocks; i++)
		n += slot->locks[i].nolane[TBUF_LOST_RECORD] &
		    TBUF_NOLANE_COUNT;
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(lane->head, 0);
	/* One lock is released. */
	slot->locks[0].word = 2 * slot->generation;
	fire(3);
	ck_assert_uint_eq(lane->head, record_size(lane, 16));
}
END_TEST

/* The count saturates before the generation bits of its word. */
START_TEST(drops_for_want_of_a_lane_stop_at_the_maximum)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	uint64_t full, i;

	o.locks = true;
	session(0, &o);
	full = tbuf_nolane_tag(slot->generation) | TBUF_NOLANE_COUNT;
	for (i = 0; i < slot->nlocks; i++) {
		slot->locks[i].word = 2 * slot->generation + 1;
		slot->locks[i].nolane[TBUF_LOST_RECORD] = full - 2;
	}
	for (i = 0; i < 5; i++)
		fire(i);
	for (i = 0; i < slot->nlocks; i++)
		ck_assert(slot->locks[i].nolane[TBUF_LOST_RECORD] == full ||
		    slot->locks[i].nolane[TBUF_LOST_RECORD] == full - 2);
	/* The thread always tries the same lock first. */
	for (i = 0; i < slot->nlocks &&
	    slot->locks[i].nolane[TBUF_LOST_RECORD] != full; i++)
		continue;
	ck_assert_uint_lt(i, slot->nlocks);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		each_enabling_writes_its_own_record,
		enablings_met_in_any_order_write_their_records,
		alike_probes_are_matched_by_all_their_fields,
		each_session_gets_its_own_record,
		a_new_session_in_the_slot_is_not_taken_for_the_old,
		a_session_whose_consumer_is_late_is_given_up,
		a_deadline_that_is_put_off_meanwhile_gives_nothing_up,
		a_deadline_of_another_session_gives_nothing_up,
		offsets_behind_the_end_of_the_file_are_not_followed,
		a_ring_goes_on_after_damage,
		a_ring_loses_what_is_damaged,
		a_ring_with_a_damaged_tail_begins_anew,
		a_fire_that_finds_all_lanes_taken_is_a_drop,
		drops_for_want_of_a_lane_stop_at_the_maximum
	};

	return (run_on_both_paths("target sessions", tests,
	    sizeof(tests) / sizeof(tests[0])));
}
