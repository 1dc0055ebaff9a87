/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x temporal: records written by hand come out by time, across lanes, targets
 * and rounds.  The code that computes the watermark is included here, with a
 * clock of the test's own.
 */
#include <check.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "fixture.h"

/* The clock shows the time that a test sets. */
static uint64_t clock_now;

static uint64_t
read_clock(void)
{
	return (clock_now);
}

/* Called while the consumer visits other CPUs. */
static void (*elsewhere)(const struct tbuf_cpus *);
static bool permitted = true;

static bool
visit(const struct tbuf_cpus *cpus)
{
	if (elsewhere != NULL)
		elsewhere(cpus);
	elsewhere = NULL;
	return (permitted);
}

#define tbuf_cpus_visit(cpus)	visit(cpus)
#define tbuf_now()		read_clock()
#define tbuf_clock_read(clock)	((void)(clock), read_clock())
#include "consumer/read/watermark.c"
#include "lib/check_main.h"
#undef tbuf_now

static const uint8_t one_integer[] = { TBUF_INT64 };

/* A session on one fake probe with a counter as argument. */
struct run {
	struct fake f;
	struct tbuf_consumer *c;
	uint16_t epid;
	int64_t next;
};

static void
begin(struct run *r, const char *options)
{
	uint32_t probe;

	memset(r, 0, sizeof(*r));
	fake_begin(&r->f);
	r->f.control->flags |= TBUF_F_SELECTION;
	probe = fake_probe(&r->f, "probe", 1, one_integer);
	r->c = fake_session(&r->f, options);
	r->epid = fake_epid(&r->f, probe);
	/* All records come after this time. */
	r->f.time = clock_now = tbuf_now();
}

static void
end(struct run *r)
{
	tbuf_consumer_close(r->c);
	fake_end(&r->f);
}

static void
fire(struct run *r, uint32_t lane, unsigned count)
{
	for (; count > 0; count--, r->next++)
		ck_assert(fake_record(&r->f, lane, r->epid, &r->next,
		    sizeof(r->next)));
}

START_TEST(temporal_merges_lanes_by_time)
{
	struct tbuf_event e;
	struct run r;
	uint64_t last = 0;
	int64_t expected = 0;
	int i;

	begin(&r, "temporal bufsize=64k");
	/* Records go to CPU 0's lane and to two lock lanes. */
	for (i = 0; i < 300; i++)
		fire(&r, i % 3 == 0 ? 0 :
		    fake_slot(&r.f)->first_lock + (uint32_t)i % 3 - 1, 1);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_LAST), 0);
	while (tbuf_consumer_next(r.c, &e) == 1) {
		ck_assert_int_eq(e.type, TBUF_EVENT_RECORD);
		ck_assert_int_eq(e.record.args[0].i, expected++);
		ck_assert_uint_gt(e.record.time, last);
		last = e.record.time;
	}
	ck_assert_int_eq(expected, 300);
	end(&r);
}
END_TEST

START_TEST(temporal_holds_back_what_came_after_the_switch)
{
	struct tally t;
	struct run r;

	begin(&r, "temporal bufsize=64k");
	fire(&r, 0, 5);
	clock_now = r.f.time;
	fire(&r, 0, 5);
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 5);
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 0);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 5);
	ck_assert_int_eq(t.first, 5);
	end(&r);
}
END_TEST

#define UNIT_RECORDS	3u

/* Writes an ended unit: its records, and a commit record that keeps some. */
static void
unit_end(struct run *r, uint32_t mask)
{
	const struct tbuf_slot *slot = fake_slot(&r->f);
	struct tbuf_unit_entry *entry = (void *)(r->f.file + slot->units.at +
	    sizeof(struct tbuf_units));
	struct tbuf_unit_record mark = {
		.instance = 1, .mask = mask, .count = UNIT_RECORDS
	};
	struct {
		struct tbuf_lock_record record;
		int64_t value;
	} *record = (void *)(r->f.file + slot->units.at +
	    tbuf_units_tables(2));
	unsigned i;

	for (i = 0; i < UNIT_RECORDS; i++) {
		record[i].record.header.time = r->f.time++;
		record[i].record.header.epid = r->epid;
		record[i].record.header.size = sizeof(*record);
		record[i].value = r->next++;
	}
	entry->ended = tbuf_unit_rule(mark.outcome, mark.mask);
	entry->count = UNIT_RECORDS;
	entry->total[1].committed = UNIT_RECORDS;
	entry->head = tbuf_unit_head(0, UNIT_RECORDS,
	    UNIT_RECORDS * sizeof(*record));
	entry->word = tbuf_unit_word(slot->generation, 1, TBUF_UNIT_DONE);
	ck_assert(fake_record(&r->f, 0, TBUF_EPID_UNIT, &mark, sizeof(mark)));
}

static unsigned
take_units(struct run *r, unsigned what, unsigned *lost)
{
	struct tbuf_event e;
	unsigned given = 0;

	ck_assert_int_eq(tbuf_drain_begin(r->c, what), 0);
	while (tbuf_consumer_next(r->c, &e) == 1) {
		given += e.type == TBUF_EVENT_RECORD && e.record.unit != NULL;
		*lost += e.type == TBUF_EVENT_UNIT_DROPS;
	}
	return (given);
}

/* A unit's table remains while its commit record is held back. */
START_TEST(temporal_holds_back_what_a_unit_has_kept)
{
	unsigned lost = 0, i;
	struct run r;

	begin(&r, "temporal bufsize=64k nunits=2 unitsize=1k");
	unit_end(&r, UINT32_MAX);
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(take_units(&r, TBUF_DRAIN_SWITCH |
		    TBUF_DRAIN_STATUS, &lost), 0);
	clock_now = r.f.time;
	ck_assert_uint_eq(take_units(&r, _i == 0 ? TBUF_DRAIN_SWITCH :
	    TBUF_DRAIN_LAST, &lost), UNIT_RECORDS);
	ck_assert_uint_eq(take_units(&r, TBUF_DRAIN_LAST, &lost), 0);
	ck_assert_uint_eq(lost, 0);
	end(&r);
}
END_TEST

/* The unit was read by its consumer; then another reader opens the file. */
START_TEST(what_was_given_is_not_lost_for_another_reader)
{
	struct tbuf_consumer *reader = tbuf_consumer_new();
	struct tally t = { 0 };
	unsigned lost = 0;
	char path[256];
	struct run r;

	begin(&r, "bufsize=64k nunits=2 unitsize=1k");
	unit_end(&r, UINT32_MAX);
	ck_assert_uint_eq(take_units(&r, TBUF_DRAIN_SWITCH, &lost),
	    UNIT_RECORDS);
	if (_i != 0)
		fake_kill(&r.f);
	snprintf(path, sizeof(path), "%s/%s", r.f.directory, r.f.name);
	ck_assert_int_eq(tbuf_consumer_open_file(reader, path), 0);
	ck_assert_int_eq(tbuf_consumer_go(reader), 0);
	ck_assert_int_eq(tbuf_consumer_work(reader), 0);
	fake_tally(reader, &t);
	ck_assert_uint_eq(t.records, 0);
	ck_assert_uint_eq(t.unit_drops, 0);
	tbuf_consumer_close(reader);
	end(&r);
}
END_TEST

/* Records after a unit wait for earlier records of other lanes. */
START_TEST(temporal_merges_what_comes_behind_a_unit)
{
	int64_t expected = _i == 0 ? 0 : UNIT_RECORDS;
	struct tbuf_event e;
	struct run r;

	begin(&r, "temporal bufsize=64k nunits=2 unitsize=1k");
	unit_end(&r, _i == 0 ? UINT32_MAX : 0);
	fire(&r, fake_slot(&r.f)->first_lock, 5);
	fire(&r, 0, 5);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_LAST), 0);
	while (tbuf_consumer_next(r.c, &e) == 1)
		if (e.type == TBUF_EVENT_RECORD)
			ck_assert_int_eq(e.record.args[0].i, expected++);
	ck_assert_int_eq(expected, r.next);
	end(&r);
}
END_TEST

/* Damage before a unit's commit record does not lose the unit. */
START_TEST(damage_leaves_the_unit_behind_it)
{
	unsigned damaged = 0, given = 0;
	struct tbuf_event e;
	struct run r;

	begin(&r, _i == 0 ? "bufsize=64k nunits=2 unitsize=1k" :
	    "temporal bufsize=64k nunits=2 unitsize=1k");
	ck_assert(fake_record(&r.f, 0, r.epid + 1, &r.next, sizeof(r.next)));
	unit_end(&r, UINT32_MAX);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_LAST), 0);
	while (tbuf_consumer_next(r.c, &e) == 1) {
		damaged += e.type == TBUF_EVENT_DAMAGE;
		given += e.type == TBUF_EVENT_RECORD && e.record.unit != NULL;
	}
	ck_assert_uint_eq(damaged, 1);
	ck_assert_uint_eq(given, UNIT_RECORDS);
	end(&r);
}
END_TEST

/* Wrong sizes of a lane's last record, which has 24 bytes. */
static const uint16_t wrong_sizes[] = { 0, 8, 20, 32, 0xfff8 };
#define WRONG_SIZES	(sizeof(wrong_sizes) / sizeof(wrong_sizes[0]))

static void
fire_wrong(struct run *r, uint16_t size)
{
	struct tbuf_lane *lane = fake_lane(&r->f, 0);
	struct tbuf_header header;
	uint64_t at = tbuf_place_offset(lane->place) + lane->head;

	fire(r, 0, 1);
	memcpy(&header, r->f.file + at, sizeof(header));
	header.size = size;
	memcpy(r->f.file + at, &header, sizeof(header));
	r->next--;
}

/* Fires a unit, damage, and falling times; then into a lock lane. */
static void
fire_all_kinds(struct run *r, uint16_t wrong_size)
{
	fire(r, 0, 3);
	unit_end(r, UINT32_MAX);
	fire(r, 0, 2);
	ck_assert(fake_record(&r->f, 0, r->epid + 1, &r->next, 8));
	fire(r, 0, 2);
	ck_assert(fake_record(&r->f, 0, r->epid, &r->next, 0));
	r->f.time -= 2;
	fire(r, 0, 2);
	fire_wrong(r, wrong_size);
	fire(r, fake_slot(&r->f)->first_lock, 2);
}

/* The fast path of most records does not change the order. */
START_TEST(lane_gives_all_kinds_in_their_order)
{
	static const struct {
		int64_t before;
		uint64_t bytes;
	} damage[] = { { 8, 24 }, { 10, 16 }, { 12, 24 } };
	unsigned damaged = 0;
	int64_t expected = 0;
	uint64_t last = 0;
	struct tbuf_totals totals;
	struct tbuf_event e;
	struct run r;

	begin(&r, "bufsize=64k nunits=2 unitsize=1k");
	fire_all_kinds(&r, wrong_sizes[_i]);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_LAST), 0);
	while (tbuf_consumer_next(r.c, &e) == 1) {
		if (e.type == TBUF_EVENT_DAMAGE) {
			ck_assert_int_eq(expected, damage[damaged].before);
			ck_assert_uint_eq(e.count, damage[damaged++].bytes);
		}
		if (e.type != TBUF_EVENT_RECORD)
			continue;
		ck_assert_int_eq(e.record.args[0].i, expected);
		ck_assert_int_eq(e.record.cpu, expected < 12 ? 0 : 5);
		ck_assert((e.record.unit != NULL) ==
		    (expected >= 3 && expected < 6));
		ck_assert(e.record.unit != NULL || e.record.time > last);
		if (e.record.unit == NULL)
			last = e.record.time;
		expected++;
	}
	ck_assert_uint_eq(damaged, 3);
	ck_assert_int_eq(expected, r.next);
	tbuf_consumer_totals(r.c, &totals);
	ck_assert_uint_eq(totals.records, r.next);
	/* A unit's records count as one record of their lane. */
	ck_assert_uint_eq(fake_lane(&r.f, 0)->consumed,
	    r.next - 2 - UNIT_RECORDS + 1);
	end(&r);
}
END_TEST

/* Takes a round's records and checks that times rise.  Returns how many. */
static unsigned
take(struct tbuf_consumer *c, uint64_t *last)
{
	struct tbuf_event e;
	unsigned records = 0;

	while (tbuf_consumer_next(c, &e) == 1) {
		if (e.type != TBUF_EVENT_RECORD)
			continue;
		ck_assert_uint_gt(e.record.time, *last);
		*last = e.record.time;
		records++;
	}
	return (records);
}

static unsigned
merged(struct tbuf_consumer *c, unsigned what, uint64_t *last)
{
	ck_assert_int_eq(tbuf_drain_begin(c, what), 0);
	return (take(c, last));
}

/*
 * The holder of a lock lane has its time stamp, and is preempted before its
 * commit.  Later records of other lanes wait for it.
 */
START_TEST(temporal_waits_for_the_holder_of_a_lock_lane)
{
	struct tbuf_lock *lock;
	struct tbuf_lane *lane;
	uint64_t last = 0, time;
	uint32_t number;
	struct run r;

	begin(&r, "temporal bufsize=64k");
	number = fake_slot(&r.f)->first_lock + (uint32_t)_i;
	lock = &fake_slot(&r.f)->locks[_i];
	lane = fake_lane(&r.f, number);
	fire(&r, number, 1);
	fire(&r, 0, 4);
	lane->taken = time = r.f.time++;
	lock->word++;
	fire(&r, 0, 3);
	fire(&r, fake_slot(&r.f)->first_lock + !_i, 2);
	clock_now = r.f.time + 100;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 5);
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 0);
	/* The holder commits; then another record comes. */
	r.f.time = time;
	fire(&r, number, 1);
	r.f.time = time + 10;
	fire(&r, 0, 1);
	lock->word--;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 7);
	end(&r);
}
END_TEST

/* The holder has not read the clock yet. */
START_TEST(temporal_waits_for_the_first_holder_of_a_lock_lane)
{
	struct tbuf_lock *lock;
	uint64_t last = 0;
	struct run r;

	begin(&r, "temporal bufsize=64k");
	lock = &fake_slot(&r.f)->locks[0];
	fire(&r, 0, 4);
	clock_now = r.f.time + 100;
	lock->word++;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 0);
	lock->word--;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 4);
	end(&r);
}
END_TEST

/* The holder ended its fire by a jump, or its process was stopped. */
START_TEST(temporal_waits_two_seconds_at_most)
{
	struct tbuf_target *t;
	uint64_t last = 0;
	struct run r;

	begin(&r, "temporal bufsize=64k");
	t = TAILQ_FIRST(&r.c->targets);
	fake_lane(&r.f, t->first_lock)->taken = clock_now;
	fake_slot(&r.f)->locks[0].word++;
	fire(&r, 0, 4);
	if (_i == 0)
		clock_now = r.f.time + 2 * TBUF_SECOND;
	else {
		clock_now = r.f.time;
		t->readers[t->first_lock].retired = true;
	}
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 4);
	end(&r);
}
END_TEST

static struct run *sectioned;

/* The section has a time between those of two records of another lane. */
static void
section_ends_later(const struct tbuf_cpus *cpus)
{
	struct fake *f = &sectioned->f;
	uint64_t time = f->time;

	(void)cpus;
	f->time = time - 3;
	fire(sectioned, 0, 1);
	/* A section that begins now has a later time. */
	f->time = clock_now + 1;
	fire(sectioned, 0, 1);
	f->time = time;
}

static void
section_ends(const struct tbuf_cpus *cpus)
{
	struct fake *f = &sectioned->f;
	uint32_t i;

	for (i = 0; i < fake_slot(f)->first_lock; i++)
		ck_assert(tbuf_cpus_has(cpus, fake_lane(f, i)->cpu));
	ck_assert_uint_eq(tbuf_cpus_count(cpus), fake_slot(f)->first_lock);
	/* No lane has been switched yet. */
	ck_assert_uint_eq(fake_lane(f, 0)->limit, fake_lane(f, 0)->size);
	section_ends_later(cpus);
}

START_TEST(temporal_waits_for_sections_on_other_cpus)
{
	uint64_t last = 0;
	struct run r;

	begin(&r, "temporal bufsize=64k");
	sectioned = &r;
	fire(&r, fake_slot(&r.f)->first_lock, 1);
	r.f.time++;
	fire(&r, fake_slot(&r.f)->first_lock, 2);
	clock_now = r.f.time;
	elsewhere = section_ends;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 4);
	ck_assert_ptr_null(elsewhere);
	clock_now += 100;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 1);
	end(&r);
}
END_TEST

static void
where_it_may_be(const struct tbuf_cpus *cpus)
{
	struct tbuf_cpus allowed;
	unsigned i;

	tbuf_target_cpus(getpid(), &allowed);
	for (i = 0; i < TBUF_NCPUS; i++)
		ck_assert(tbuf_cpus_has(cpus, i) == tbuf_cpus_has(&allowed, i));
}

/* A processor may read its counter before it has a lock. */
START_TEST(temporal_visits_the_cpus_of_a_target_without_lanes_for_them)
{
	struct tbuf_target *t;
	uint64_t last = 0;
	struct run r;
	unsigned i;

	begin(&r, "temporal bufsize=64k");
	t = TAILQ_FIRST(&r.c->targets);
	for (i = 0; i < t->nreaders; i++)
		t->readers[i].locked = true;
	fire(&r, fake_slot(&r.f)->first_lock, 2);
	clock_now = r.f.time;
	elsewhere = where_it_may_be;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 2);
	ck_assert_ptr_null(elsewhere);
	end(&r);
}
END_TEST

START_TEST(temporal_keeps_a_margin_where_it_may_not_run)
{
	uint64_t last = 0;
	struct run r;

	begin(&r, "temporal bufsize=64k");
	permitted = false;
	fire(&r, 0, 2);
	clock_now = r.f.time + MARGIN;
	fire(&r, 0, 1);
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 2);
	clock_now++;
	ck_assert_uint_eq(merged(r.c, TBUF_DRAIN_SWITCH, &last), 1);
	end(&r);
}
END_TEST

/* A dead process's last records are merged with those of live ones. */
START_TEST(temporal_merges_the_dead_with_the_living)
{
	struct tbuf_consumer *c = fake_consumer(
	    "temporal bufsize=4k switchrate=1hour");
	uint32_t probe[2], i;
	struct fake f[2];
	uint64_t last = 0, value = 0;

	for (i = 0; i < 2; i++) {
		fake_begin(&f[i]);
		probe[i] = fake_probe(&f[i], "probe", 1, one_integer);
		fake_grab(&f[i], c);
	}
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	for (i = 0; i < 20; i++) {
		if (i < 2)
			fake_map(&f[i]);
		f[i % 2].time = f[0].time + i;
		ck_assert(fake_record(&f[i % 2], 0, fake_epid(&f[i % 2],
		    probe[i % 2]), &value, sizeof(value)));
	}
	clock_now = f[0].time + 100;
	fake_kill(&f[1]);
	ck_assert_int_eq(tbuf_consumer_work(c), 1);
	ck_assert_uint_eq(take(c, &last), 20);
	ck_assert_uint_eq(tbuf_consumer_alive(c), 1);
	tbuf_consumer_close(c);
	fake_end(&f[0]);
	fake_end(&f[1]);
}
END_TEST

/* Opens the file for reading besides its consumer. */
static struct tbuf_consumer *
reader(const struct run *r)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char path[128];

	ck_assert_ptr_nonnull(c);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", r->f.fd);
	ck_assert_msg(tbuf_consumer_open_file(c, path) == 0, "%s",
	    tbuf_consumer_error(c));
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	return (c);
}

/*
 * A snapshot of a run or a file, merged or not, has the record of a section on
 * another CPU that took its time before, and no later record, even if that was
 * there when its lane was copied.
 */
START_TEST(snapshot_is_of_one_moment)
{
	struct tbuf_consumer *c;
	struct tally t;
	struct run r;

	begin(&r, (_i & 1) == 0 ? "temporal bufpolicy=ring bufsize=4k" :
	    "bufpolicy=ring bufsize=4k");
	c = (_i & 2) == 0 ? r.c : reader(&r);
	sectioned = &r;
	fire(&r, fake_slot(&r.f)->first_lock, 1);
	r.f.time++;
	fire(&r, fake_slot(&r.f)->first_lock, 2);
	clock_now = r.f.time;
	elsewhere = section_ends_later;
	if (c == r.c) {
		ck_assert_int_eq(tbuf_consumer_snapshot(c), 0);
		t = (struct tally){ .many = true };
		fake_tally(c, &t);
	} else
		fake_drain(c, TBUF_DRAIN_LAST, &t);
	ck_assert_ptr_null(elsewhere);
	ck_assert_uint_eq(t.records, 4);
	ck_assert_uint_eq(t.damage, 0);
	clock_now += 100;
	if (c == r.c) {
		ck_assert_int_eq(tbuf_consumer_snapshot(c), 0);
		t = (struct tally){ .many = true };
		fake_tally(c, &t);
		ck_assert_uint_eq(t.records, 5);
	} else
		tbuf_consumer_close(c);
	end(&r);
}
END_TEST

/* Another CPU laps its ring meanwhile. */
static void
goes_round(const struct tbuf_cpus *cpus)
{
	(void)cpus;
	sectioned->f.time += TBUF_SECOND;
	fire(sectioned, 0, 400);
}

/*
 * The snapshot has the records of a ring that was lapped during the visits of
 * all CPUs, with a last record younger than the snapshot or not.
 */
START_TEST(snapshot_has_what_a_ring_had)
{
	struct tbuf_consumer *c;
	struct tally t;
	struct run r;

	begin(&r, "bufpolicy=ring bufsize=4k");
	c = (_i & 2) == 0 ? r.c : reader(&r);
	sectioned = &r;
	fire(&r, 0, 300);
	clock_now = r.f.time;
	if ((_i & 1) != 0)
		fire(&r, 0, 1);
	elsewhere = goes_round;
	if (c == r.c) {
		ck_assert_int_eq(tbuf_consumer_snapshot(c), 0);
		t = (struct tally){ .many = true };
		fake_tally(c, &t);
	} else
		fake_drain(c, TBUF_DRAIN_LAST, &t);
	ck_assert_ptr_null(elsewhere);
	ck_assert_uint_gt(t.records, 100);
	ck_assert_int_eq(t.first + (int64_t)t.records, 300);
	if (c != r.c)
		tbuf_consumer_close(c);
	end(&r);
}
END_TEST

/* A held lock lane does not block a snapshot of other lanes. */
START_TEST(snapshot_waits_for_nobody)
{
	struct tally t = { .many = true };
	struct run r;

	begin(&r, "bufpolicy=ring bufsize=4k");
	fake_lane(&r.f, fake_slot(&r.f)->first_lock)->taken = r.f.time++;
	fake_slot(&r.f)->locks[0].word++;
	fire(&r, 0, 3);
	clock_now = r.f.time + TBUF_SECOND;
	ck_assert_int_eq(tbuf_consumer_snapshot(r.c), 0);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 3);
	fake_slot(&r.f)->locks[0].word--;
	end(&r);
}
END_TEST

/* Records that are returned again have the same times. */
START_TEST(temporal_snapshots_repeat_the_times)
{
	struct tbuf_event e;
	uint64_t first[10];
	struct run r;
	unsigned i, k;

	begin(&r, "temporal bufpolicy=ring bufsize=4k");
	fire(&r, 0, 5);
	fire(&r, 1, 5);
	clock_now = r.f.time;
	for (k = 0; k < 3; k++) {
		ck_assert_int_eq(k < 2 ? tbuf_consumer_snapshot(r.c) :
		    tbuf_drain_begin(r.c, TBUF_DRAIN_LAST), 0);
		for (i = 0; i < 10; i++) {
			ck_assert_int_eq(tbuf_consumer_next(r.c, &e), 1);
			if (k == 0)
				first[i] = e.record.time;
			ck_assert_uint_eq(e.record.time, first[i]);
		}
		ck_assert_int_eq(tbuf_consumer_next(r.c, &e), 0);
	}
	end(&r);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("temporal");
	TCase *t = tcase_create("merge");

	tcase_add_test(t, temporal_merges_lanes_by_time);
	tcase_add_test(t, temporal_holds_back_what_came_after_the_switch);
	tcase_add_loop_test(t, temporal_holds_back_what_a_unit_has_kept, 0, 2);
	tcase_add_loop_test(t, what_was_given_is_not_lost_for_another_reader,
	    0, 2);
	tcase_add_loop_test(t, temporal_merges_what_comes_behind_a_unit, 0, 2);
	tcase_add_loop_test(t, damage_leaves_the_unit_behind_it, 0, 2);
	tcase_add_loop_test(t, lane_gives_all_kinds_in_their_order, 0,
	    WRONG_SIZES);
	tcase_add_loop_test(t, temporal_waits_for_the_holder_of_a_lock_lane,
	    0, 2);
	tcase_add_test(t, temporal_waits_for_the_first_holder_of_a_lock_lane);
	tcase_add_loop_test(t, temporal_waits_two_seconds_at_most, 0, 2);
	tcase_add_test(t, temporal_waits_for_sections_on_other_cpus);
	tcase_add_test(t,
	    temporal_visits_the_cpus_of_a_target_without_lanes_for_them);
	tcase_add_test(t, temporal_keeps_a_margin_where_it_may_not_run);
	tcase_add_test(t, temporal_merges_the_dead_with_the_living);
	tcase_add_test(t, temporal_snapshots_repeat_the_times);
	tcase_add_loop_test(t, snapshot_is_of_one_moment, 0, 4);
	tcase_add_loop_test(t, snapshot_has_what_a_ring_had, 0, 4);
	tcase_add_test(t, snapshot_waits_for_nobody);
	suite_add_tcase(suite, t);
	return (run_suite(suite));
}
