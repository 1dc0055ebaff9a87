/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The times around losses: each record that an event counts as lost lies
 * between the lane's records of these times, whenever the lanes are read and
 * the counters reported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixture.h"
#include "lib/check_main.h"

#define FIRES	20000
#define CPUS	2

static const uint8_t one_integer[] = { TBUF_INT64 };

/* A fire, by its number. */
struct fire {
	uint64_t time;			/* of its record, or of the next one */
	unsigned lane;
	int cause;			/* of the loss; -1: a record */
	bool reported;
};

struct run {
	struct fake f;
	struct tbuf_consumer *c;
	uint16_t epid;
	struct fire fires[FIRES];
	uint64_t nfires;
	unsigned placed[TBUF_OVERWRITTEN + 1][4];	/* by known times */
	uint64_t returned[CPUS];	/* time of the last record of each */
	uint64_t gaps[CPUS];		/* since the last drops: the first one,
					   UINT64_MAX: none */
	unsigned ngaps;
	bool with_gaps;
};

static unsigned seed;

static struct run *
begin(const char *options)
{
	struct run *r = calloc(1, sizeof(*r));
	uint32_t probe;

	ck_assert_ptr_nonnull(r);
	fake_begin(&r->f);
	probe = fake_probe(&r->f, "probe", 1, one_integer);
	r->c = fake_session(&r->f, options);
	r->epid = fake_epid(&r->f, probe);
	return (r);
}

static void
end(struct run *r)
{
	tbuf_consumer_close(r->c);
	fake_end(&r->f);
	free(r);
}

static uint64_t
overwritten(struct run *r, unsigned lane)
{
	const struct tbuf_lane *l = fake_lane(&r->f, lane);

	return (l->pair[l->sequence & 1].overwritten);
}

/* Notes the oldest records of a lane as overwritten. */
static void
note_overwritten(struct run *r, unsigned lane, uint64_t count)
{
	struct fire *fire = r->fires;

	for (; count > 0; fire++)
		if (fire->lane == lane && fire->cause == -1) {
			fire->cause = TBUF_OVERWRITTEN;
			count--;
		}
}

static void
fire(struct run *r, unsigned lane, bool large)
{
	unsigned char data[600] = { 0 };
	struct fire *fire = &r->fires[r->nfires];
	uint64_t before = overwritten(r, lane);

	ck_assert_uint_lt(r->nfires, FIRES);
	memcpy(data, &r->nfires, sizeof(r->nfires));
	*fire = (struct fire){
		.lane = lane, .time = r->f.time,
		.cause = large ? TBUF_CAUSE_LARGE : TBUF_CAUSE_FULL
	};
	if (fake_record(&r->f, lane, r->epid, data, large ? 600 : 8))
		fire->cause = -1;
	r->nfires++;
	note_overwritten(r, lane, overwritten(r, lane) - before);
}

static void
fire_some(struct run *r)
{
	unsigned first_lock = fake_slot(&r->f)->first_lock, lane, n;

	lane = (unsigned)rand() % CPUS;
	if (rand() % 4 == 0)
		lane += first_lock;
	for (n = (unsigned)rand() % 16; n > 0; n--)
		fire(r, lane, rand() % 8 == 0);
}

static int
cpu_of(struct run *r, const struct fire *fire)
{
	return ((int)fake_lane(&r->f, fire->lane)->cpu);
}

/*
 * Checks that a time is that of a record of the CPU, which may have been
 * overwritten since, or 0.
 */
static void
check_time(struct run *r, int cpu, uint64_t time)
{
	const struct fire *fire;

	for (fire = r->fires; fire < r->fires + r->nfires && time != 0; fire++)
		if (fire->time == time && (fire->cause == -1 ||
		    fire->cause == TBUF_OVERWRITTEN)) {
			ck_assert_int_eq(cpu_of(r, fire), cpu);
			return;
		}
	ck_assert_msg(time == 0, "no record has the time %lu; seed %u",
	    (unsigned long)time, seed);
}

static void
check_losses(struct run *r, const struct tbuf_event *e)
{
	int cause = e->type == TBUF_EVENT_OVERWRITTEN ? TBUF_OVERWRITTEN :
	    (int)e->cause;
	struct fire *fire = r->fires;
	uint64_t count = 0;

	check_time(r, e->cpu, e->after);
	check_time(r, e->cpu, e->before);
	for (; fire < r->fires + r->nfires; fire++) {
		if (fire->reported || fire->cause != cause ||
		    cpu_of(r, fire) != e->cpu)
			continue;
		fire->reported = true;
		count++;
		ck_assert_msg(e->after < fire->time && (e->before == 0 ||
		    e->before >= fire->time), "a loss at %lu is not between "
		    "%lu and %lu; seed %u", (unsigned long)fire->time,
		    (unsigned long)e->after, (unsigned long)e->before, seed);
	}
	ck_assert_uint_eq(count, e->count);
	r->placed[cause][(e->after != 0) + 2 * (e->before != 0)]++;
}

/*
 * With temporal and dropsoon a record that is after losses, which have not been
 * reported, comes after a gap that contains them.
 */
static void
check_gap(struct run *r, const struct tbuf_event *e)
{
	const struct fire *fire = r->fires;

	if (e->type == TBUF_EVENT_GAP) {
		ck_assert_uint_eq(e->count, 0);
		r->ngaps++;
	}
	if (e->cpu < 0 || e->cpu >= CPUS)
		return;
	if (e->type == TBUF_EVENT_RECORD)
		r->returned[e->cpu] = e->record.time;
	else if (e->type == TBUF_EVENT_DROPS)
		r->gaps[e->cpu] = UINT64_MAX;
	else if (r->gaps[e->cpu] == UINT64_MAX)
		r->gaps[e->cpu] = e->after;
	if (e->type != TBUF_EVENT_RECORD)
		return;
	for (; fire < r->fires + r->nfires; fire++)
		if (!fire->reported && fire->lane == (unsigned)e->cpu &&
		    (fire->cause == TBUF_CAUSE_FULL ||
		    fire->cause == TBUF_CAUSE_LARGE) &&
		    fire->time < e->record.time)
			ck_assert_msg(fire->time > r->gaps[e->cpu], "a loss "
			    "at %lu comes without a gap; seed %u",
			    (unsigned long)fire->time, seed);
}

/* Takes events; fires go on between them.  Leaves some if `most` is small. */
static void
take(struct run *r, bool fires, unsigned most)
{
	struct tbuf_event e;

	for (; most > 0 && tbuf_consumer_next(r->c, &e) == 1; most--) {
		switch (e.type) {
		case TBUF_EVENT_RECORD:
			ck_assert_uint_eq(e.record.time,
			    r->fires[e.record.args[0].u].time);
			ck_assert_uint_eq(e.after + e.before, 0);
			if (r->with_gaps)
				check_gap(r, &e);
			break;
		case TBUF_EVENT_GAP:
			check_gap(r, &e);
			break;
		case TBUF_EVENT_DROPS:
		case TBUF_EVENT_OVERWRITTEN:
			check_losses(r, &e);
			if (r->with_gaps)
				check_gap(r, &e);
			break;
		default:
			ck_assert_int_eq(e.type, TBUF_EVENT_EXIT);
			break;
		}
		if (fires && rand() % 4 == 0)
			fire_some(r);
	}
}

static const char *const ways[] = {
	"bufsize=240 bufpolicy=switch",
	"bufsize=240 bufpolicy=switch temporal",
	"bufsize=240 bufpolicy=switch temporal dropsoon",
	"bufsize=240 bufpolicy=fill",
	"bufsize=240 bufpolicy=ring",
	"bufsize=240 bufpolicy=ring temporal"
};
#define NWAYS	(int)(sizeof(ways) / sizeof(ways[0]))

START_TEST(losses_lie_between_the_times)
{
	struct run *r = begin(ways[_i]);
	unsigned round, what;
	bool live = strstr(ways[_i], "switch") != NULL;

	r->with_gaps = live && strstr(ways[_i], "dropsoon") != NULL;
	memset(r->gaps, 0xff, sizeof(r->gaps));

	for (round = 0; round < 300; round++) {
		fire_some(r);
		if (rand() % 2 == 0)
			fire_some(r);
		what = (unsigned)rand() % 4;
		if (!live && what % 2 == 1)
			ck_assert_int_eq(tbuf_drain_snapshot(r->c), 0);
		else
			ck_assert_int_eq(tbuf_drain_begin(r->c, what), 0);
		take(r, rand() % 2 == 0, rand() % 8 == 0 ? 5 : UINT32_MAX);
	}
	fire_some(r);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_LAST), 0);
	take(r, false, UINT32_MAX);
	if (strstr(ways[_i], "ring") != NULL)
		ck_assert_uint_eq(r->placed[TBUF_OVERWRITTEN][2], CPUS);
	if (r->with_gaps)
		ck_assert_uint_gt(r->ngaps, 0);
	end(r);
}
END_TEST

/* The first event of a drain that is not a record before the others. */
static unsigned
records_before(struct run *r, struct tbuf_event *gap)
{
	struct tbuf_event e;
	unsigned n = 0;

	gap->type = TBUF_EVENT_RECORD;
	while (tbuf_consumer_next(r->c, &e) == 1)
		if (e.type == TBUF_EVENT_GAP && gap->type != e.type)
			*gap = e;
		else if (gap->type != TBUF_EVENT_GAP)
			n += e.type == TBUF_EVENT_RECORD;
	return (n);
}

/*
 * A record is dropped for lack of room when fewer bytes remain than the largest
 * record has; one that is larger than a buffer, at any time; full under fill is
 * the end of a lane, and the oldest records of a ring are overwritten.
 */
START_TEST(gaps_come_before_the_records_after_them)
{
	static const char *const options[] = {
		"bufsize=64k bufpolicy=switch temporal dropsoon",
		"bufsize=240 bufpolicy=switch temporal dropsoon",
		"bufsize=64k bufpolicy=fill temporal dropsoon",
		"bufsize=64k bufpolicy=ring temporal dropsoon"
	};
	struct run *r = begin(options[_i]);
	unsigned what = _i < 2 ? TBUF_DRAIN_SWITCH : TBUF_DRAIN_LAST, i, n;
	struct tbuf_event gap;

	for (i = 0; i < 3000; i++)
		fire(r, 0, _i == 1);
	fire(r, 0, false);
	ck_assert_int_eq(tbuf_drain_begin(r->c, what), 0);
	n = records_before(r, &gap);
	ck_assert_int_eq(gap.type, TBUF_EVENT_GAP);
	ck_assert_int_eq(gap.cpu, 0);
	switch (_i) {
	case 0:
		ck_assert_uint_ge(n, (65536 - TBUF_RECORD_MAX) / 24);
		ck_assert_uint_lt(n, (65536 - TBUF_RECORD_MAX) / 24 + 2);
		ck_assert_uint_eq(gap.after, r->fires[n - 1].time);
		ck_assert_uint_gt(gap.before, r->f.time);
		break;
	case 2:
		ck_assert_uint_eq(n, 65536 / 24);
		ck_assert_uint_eq(gap.after, r->fires[n - 1].time);
		ck_assert_uint_eq(gap.before, 0);
		break;
	case 1:
	case 3:
		ck_assert_uint_eq(n, 0);
		ck_assert_uint_eq(gap.after, 0);
		ck_assert_uint_ne(gap.before, 0);
		break;
	}
	end(r);
}
END_TEST

/* Fires ten records, which fill the lane, and three that are lost. */
static void
overflow(struct run *r, bool large)
{
	unsigned i;

	for (i = 0; i < 10; i++)
		fire(r, 0, false);
	for (; i < 13; i++)
		fire(r, 0, large);
}

/* Fires one more record, and reads the lane. */
static void
go_on(struct run *r, unsigned what)
{
	fire(r, 0, false);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH | what), 0);
	take(r, false, UINT32_MAX);
}

START_TEST(drops_under_switch_are_between_two_drains)
{
	struct run *r = begin("bufsize=240 bufpolicy=switch");
	unsigned *placed = r->placed[_i];

	overflow(r, _i == TBUF_CAUSE_LARGE);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
	take(r, false, UINT32_MAX);
	go_on(r, 0);
	go_on(r, TBUF_DRAIN_STATUS);
	/* The lane had not been read before these were counted. */
	ck_assert_uint_eq(placed[2], 1);
	overflow(r, _i == TBUF_CAUSE_LARGE);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
	take(r, false, UINT32_MAX);
	go_on(r, 0);
	go_on(r, TBUF_DRAIN_STATUS);
	ck_assert_uint_eq(placed[3], 1);
	/* No record is known after these. */
	overflow(r, _i == TBUF_CAUSE_LARGE);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH |
	    TBUF_DRAIN_STATUS), 0);
	take(r, false, UINT32_MAX);
	ck_assert_uint_eq(placed[1], 1);
	ck_assert_uint_eq(placed[0], 0);
	end(r);
}
END_TEST

/* With dropsoon a drain reports drops without TBUF_DRAIN_STATUS. */
START_TEST(dropsoon_reports_drops_in_each_drain)
{
	struct run *r = begin(_i == 0 ? "bufsize=240" :
	    "bufsize=240 dropsoon");
	const unsigned *placed = r->placed[TBUF_CAUSE_FULL];

	overflow(r, false);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
	take(r, false, UINT32_MAX);
	ck_assert_uint_eq(placed[0] + placed[1] + placed[2] + placed[3], _i);
	end(r);
}
END_TEST

START_TEST(full_under_fill_is_after_the_last_record)
{
	struct run *r = begin("bufsize=240 bufpolicy=fill");
	unsigned i;

	for (i = 0; i < 20; i++)
		fire(r, 0, false);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_LAST), 0);
	take(r, false, UINT32_MAX);
	ck_assert_uint_eq(r->placed[TBUF_CAUSE_FULL][1], 1);
	end(r);
}
END_TEST

/* All lanes were busy: the loss has no place in one of them. */
START_TEST(nolane_has_no_place)
{
	struct run *r = begin("bufsize=240 bufpolicy=switch");
	struct tbuf_slot *slot = fake_slot(&r->f);
	struct tbuf_event e;
	bool seen = false;

	fire(r, slot->first_lock, false);
	slot->locks[0].nolane[0] = tbuf_nolane_tag(slot->generation) | 7;
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_LAST), 0);
	while (tbuf_consumer_next(r->c, &e) == 1) {
		if (e.type != TBUF_EVENT_DROPS)
			continue;
		ck_assert_int_eq(e.cause, TBUF_CAUSE_NOLANE);
		ck_assert_uint_eq(e.count, 7);
		ck_assert_uint_eq(e.after + e.before, 0);
		seen = true;
	}
	ck_assert(seen);
	end(r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gaps");
	TCase *t = tcase_create("times");
	const char *set = getenv("SEED");

	seed = set != NULL ? (unsigned)strtoul(set, NULL, 0) :
	    (unsigned)time(NULL);
	printf("seed %u\n", seed);
	srand(seed);

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, losses_lie_between_the_times, 0, NWAYS);
	tcase_add_loop_test(t, gaps_come_before_the_records_after_them, 0, 4);
	tcase_add_loop_test(t, drops_under_switch_are_between_two_drains,
	    TBUF_CAUSE_FULL, TBUF_CAUSE_LARGE + 1);
	tcase_add_loop_test(t, dropsoon_reports_drops_in_each_drain, 0, 2);
	tcase_add_test(t, full_under_fill_is_after_the_last_record);
	tcase_add_test(t, nolane_has_no_place);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
