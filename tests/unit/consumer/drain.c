/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How a consumer reads lanes, under each policy: records that a test wrote by
 * hand come out whole, in order and completely accounted for.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "fixture.h"
#include "lib/check_main.h"
#include "lib/single_step.h"

static const uint8_t one_integer[] = { TBUF_INT64 };

/* A session on one fake probe with a counter as argument. */
struct run {
	struct fake f;
	struct tbuf_consumer *c;
	uint16_t epid;
	int64_t next;
	uint64_t stored, refused;
};

static void
begin_with(struct run *r, const char *options, unsigned nargs,
    const uint8_t *types)
{
	uint32_t probe;

	memset(r, 0, sizeof(*r));
	fake_begin(&r->f);
	probe = fake_probe(&r->f, "probe", nargs, types);
	r->c = fake_session(&r->f, options);
	r->epid = fake_epid(&r->f, probe);
	ck_assert_uint_ne(r->epid, 0);
	ck_assert_uint_eq(tbuf_consumer_matched(r->c, 0), 1);
}

static void
begin(struct run *r, const char *options)
{
	begin_with(r, options, 1, one_integer);
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
		if (fake_record(&r->f, lane, r->epid, &r->next,
		    sizeof(r->next)))
			r->stored++;
		else
			r->refused++;
}

START_TEST(switch_gives_all_and_gives_the_space_back)
{
	struct tally t;
	struct run r;
	uint64_t records = 0, drops = 0;
	int i;

	/* Ten records of 24 bytes fit, so positions wrap at any byte. */
	begin(&r, "bufsize=240");
	srand(1);
	for (i = 0; i < 500; i++) {
		fire(&r, 0, (unsigned)rand() % 25);
		fake_drain(r.c, TBUF_DRAIN_SWITCH | TBUF_DRAIN_STATUS, &t);
		records += t.records;
		drops += t.drops[TBUF_CAUSE_FULL];
		ck_assert_uint_eq(t.damage, 0);
		ck_assert_uint_eq(records, r.stored);
		ck_assert_uint_eq(drops, r.refused);
		ck_assert_uint_eq(fake_lane(&r.f, 0)->tail,
		    fake_lane(&r.f, 0)->head);
		ck_assert_uint_eq(fake_lane(&r.f, 0)->consumed, records);
	}
	ck_assert_uint_gt(drops, 0);
	end(&r);
}
END_TEST

START_TEST(switch_keeps_the_logical_limit)
{
	struct tally t;
	struct run r;

	/* Storage is 512 bytes; a half holds 240. */
	begin(&r, "bufsize=240");
	fire(&r, 0, 11);
	ck_assert_uint_eq(r.stored, 10);
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 10);
	fire(&r, 0, 11);
	ck_assert_uint_eq(r.stored, 20);
	end(&r);
}
END_TEST

/* After a partial read the writer gets the free space only. */
START_TEST(unread_half_is_not_given_back)
{
	struct tbuf_event event;
	struct tally t = { 0 };
	struct run r;

	begin(&r, "bufsize=240");
	fire(&r, 0, 10);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &event), 1);
	ck_assert_int_eq(event.record.args[0].i, 0);
	fire(&r, 0, 10);
	ck_assert_uint_eq(r.stored, 20);
	/* One record of 24 bytes was read, so one more fits. */
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	fire(&r, 0, 10);
	ck_assert_uint_eq(r.stored, 21);
	fake_tally(r.c, &t);
	memset(&t, 0, sizeof(t));
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 1);
	end(&r);
}
END_TEST

START_TEST(status_does_not_switch)
{
	struct tally t;
	struct run r;

	begin(&r, "bufsize=240");
	fire(&r, 0, 12);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.records, 0);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 2);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 0);
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 10);
	end(&r);
}
END_TEST

START_TEST(fill_gives_records_at_the_end_only)
{
	struct tally t;
	struct run r;

	begin(&r, "bufpolicy=fill bufsize=240");
	fire(&r, 0, 3);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.records, 0);
	fire(&r, 0, 20);
	/* The lane is full: even a record that would fit is refused. */
	ck_assert_uint_eq(r.stored, 10);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	ck_assert_int_eq(t.first, 0);
	ck_assert_int_eq(t.last, 9);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 13);
	end(&r);
}
END_TEST

START_TEST(fill_ends_the_run_at_the_first_full_lane)
{
	struct tally t = { 0 };
	struct run r;

	begin(&r, "bufpolicy=fill bufsize=240");
	fire(&r, 0, 11);
	ck_assert_int_eq(tbuf_consumer_work(r.c), 0);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 10);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 1);
	ck_assert_int_eq(tbuf_consumer_work(r.c), 0);
	end(&r);
}
END_TEST

START_TEST(ring_keeps_the_last_ones_and_counts_the_rest)
{
	struct tally t;
	struct run r;

	begin(&r, "bufpolicy=ring bufsize=240");
	fire(&r, 0, 1234);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.records + t.overwritten, 0);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	ck_assert_uint_eq(t.overwritten, 1224);
	ck_assert_int_eq(t.first, 1224);
	ck_assert_int_eq(t.last, 1233);
	end(&r);
}
END_TEST

START_TEST(snapshot_leaves_the_ring_alone)
{
	struct tbuf_totals totals;
	struct tally t = { 0 };
	struct run r;
	int i;

	begin(&r, "bufpolicy=ring bufsize=240");
	fire(&r, 0, 25);
	for (i = 0; i < 2; i++) {
		memset(&t, 0, sizeof(t));
		ck_assert_int_eq(tbuf_consumer_snapshot(r.c), 0);
		fake_tally(r.c, &t);
		ck_assert_uint_eq(t.records, 10);
		ck_assert_int_eq(t.first, 15);
		ck_assert_uint_eq(t.overwritten, 0);
	}
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	ck_assert_uint_eq(t.overwritten, 15);
	/* 25 were fired: the totals leave out records of snapshots. */
	tbuf_consumer_totals(r.c, &totals);
	ck_assert_uint_eq(totals.records + totals.overwritten, 25);
	end(&r);
}
END_TEST

START_TEST(snapshot_leaves_a_filling_buffer_alone)
{
	struct tbuf_totals totals;
	struct tally t = { 0 };
	struct run r;
	int i;

	begin(&r, "bufpolicy=fill bufsize=240");
	for (i = 1; i <= 3; i++) {
		fire(&r, 0, 4);
		memset(&t, 0, sizeof(t));
		ck_assert_int_eq(tbuf_consumer_snapshot(r.c), 0);
		fake_tally(r.c, &t);
		ck_assert_uint_eq(t.records, i < 3 ? 4 * i : 10);
		ck_assert_int_eq(t.first, 0);
		ck_assert_uint_eq(fake_lane(&r.f, 0)->tail, 0);
		ck_assert_uint_eq(fake_lane(&r.f, 0)->consumed, 0);
	}
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 2);
	tbuf_consumer_totals(r.c, &totals);
	ck_assert_uint_eq(totals.records, 10);
	end(&r);
}
END_TEST

START_TEST(switch_gives_what_was_recorded_so_far)
{
	struct tally t = { 0 };
	struct run r;

	begin(&r, "bufpolicy=switch bufsize=240");
	fire(&r, 0, 10);
	ck_assert_int_eq(tbuf_consumer_switch(r.c), 0);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 10);
	fire(&r, 0, 1);
	ck_assert_int_eq(tbuf_consumer_switch(r.c), 0);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 11);
	ck_assert_int_eq(t.last, 10);
	ck_assert_uint_eq(r.refused, 0);
	end(&r);
}
END_TEST

START_TEST(switch_needs_its_policy)
{
	struct run r;

	begin(&r, "bufpolicy=ring");
	ck_assert_int_eq(tbuf_consumer_switch(r.c), -ENOTSUP);
	end(&r);
}
END_TEST

START_TEST(snapshot_is_not_for_switched_buffers)
{
	struct run r;

	begin(&r, "");
	ck_assert_int_eq(tbuf_consumer_snapshot(r.c), -ENOTSUP);
	end(&r);
}
END_TEST

START_TEST(what_the_writer_overtakes_is_thrown_away)
{
	struct tally t = { 0 };
	struct run r;

	begin(&r, "bufpolicy=ring bufsize=240");
	fire(&r, 0, 10);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_LAST), 0);
	/* The round has noted the head, but copied nothing yet. */
	fire(&r, 0, 4);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 6);
	ck_assert_int_eq(t.first, 4);
	ck_assert_uint_eq(t.damage, 0);
	end(&r);
}
END_TEST

START_TEST(large_records_are_drops_under_every_policy)
{
	static const char *const policies[] = {
		"bufsize=16 bufpolicy=switch", "bufsize=16 bufpolicy=fill",
		"bufsize=16 bufpolicy=ring"
	};
	struct tally t;
	struct run r;

	begin(&r, policies[_i]);
	fire(&r, 0, 3);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 0);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_LARGE], 3);
	end(&r);
}
END_TEST

START_TEST(bufsize_of_one_record)
{
	struct tally t;
	struct run r;
	int i;

	begin(&r, "bufsize=24");
	for (i = 0; i < 200; i++) {
		fire(&r, 0, 2);
		fake_drain(r.c, TBUF_DRAIN_SWITCH | TBUF_DRAIN_STATUS, &t);
		ck_assert_uint_eq(t.records, 1);
		ck_assert_int_eq(t.first, 2 * i);
		ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 1);
	}
	end(&r);
}
END_TEST

START_TEST(nolane_counts_by_generation)
{
	struct tbuf_lock *lock;
	struct tally t;
	struct run r;

	begin(&r, "");
	lock = &fake_slot(&r.f)->locks[0];
	tbuf_add(&lock->nolane[TBUF_LOST_RECORD], 5);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_NOLANE], 5);
	tbuf_add(&lock->nolane[TBUF_LOST_RECORD], 2);
	tbuf_consumer_stop(r.c);
	ck_assert_int_eq(tbuf_consumer_work(r.c), 0);
	/* The word now counts for another generation. */
	ck_assert_uint_eq(lock->nolane[TBUF_LOST_RECORD], 0);
	memset(&t, 0, sizeof(t));
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_NOLANE], 2);
	end(&r);
}
END_TEST

/* A count at its maximum is reported once, by one lane. */
START_TEST(nolane_stops_at_its_maximum)
{
	struct tbuf_lock *lock;
	struct tally t;
	struct run r;

	begin(&r, "");
	lock = &fake_slot(&r.f)->locks[0];
	lock->nolane[TBUF_LOST_RECORD] |= TBUF_NOLANE_COUNT;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_NOLANE], TBUF_NOLANE_COUNT);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_NOLANE], 0);
	end(&r);
}
END_TEST

/* A command turns out to have no rseq, so lock 0 is another lane's then. */
START_TEST(nolane_counts_once_when_the_lanes_change)
{
	struct tbuf_target *target;
	struct tally t;
	struct run r;
	uint64_t told = 0;

	begin(&r, "");
	target = TAILQ_FIRST(&r.c->targets);
	target->live = false;
	r.f.control->flags = 0;
	fake_slot(&r.f)->first_lock = 0;
	tbuf_add(&fake_slot(&r.f)->locks[0].nolane[TBUF_LOST_RECORD], 5);
	if (_i == 0) {
		fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
		told = t.drops[TBUF_CAUSE_NOLANE];
		tbuf_target_refresh(target);
	}
	tbuf_consumer_quiesce(r.c, NULL);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(told + t.drops[TBUF_CAUSE_NOLANE], 5);
	ck_assert_uint_eq(target->readers[0].nolane[TBUF_LOST_RECORD], 5);
	end(&r);
}
END_TEST

START_TEST(lock_lane_records_say_their_cpu)
{
	struct tbuf_event event;
	struct run r;
	uint32_t lane;

	begin(&r, "");
	lane = fake_slot(&r.f)->first_lock;
	fire(&r, lane, 1);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &event), 1);
	ck_assert_int_eq(event.record.cpu, 5);
	ck_assert_uint_eq(event.record.tid, 7);
	ck_assert_int_eq(event.record.args[0].i, 0);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &event), 0);
	end(&r);
}
END_TEST

/* Instructions, of which a drain has fewer, unless a sanitizer adds others. */
#define STEPS_MAX	5000u

static struct run *beginning;
static struct tally its_tally;

/* A command without rseq begins, and records its first fires. */
static void
begin_without_rseq(void)
{
	struct tbuf_control *control = beginning->f.control;
	struct tbuf_slot *slot = fake_slot(&beginning->f);
	uint32_t i;

	control->flags = 0;
	for (i = 0; i < slot->nlanes; i++)
		fake_lane(&beginning->f, i)->kind = TBUF_KIND_LOCK;
	slot->first_lock = 0;
	tbuf_store_release(&control->stage, TBUF_STAGE_LIVE);
	for (i = 0; i < slot->nlanes; i++)
		fire(beginning, i, 1);
}

/* The command waits again, and its file has lanes of CPUs. */
static void
wait_with_cpu_lanes(struct tbuf_target *t)
{
	struct tbuf_slot *slot = fake_slot(&beginning->f);
	uint32_t i;

	t->live = false;
	t->first_lock = slot->first_lock = t->layout.ncpu_lanes;
	for (i = 0; i < t->first_lock; i++) {
		fake_lane(&beginning->f, i)->kind = TBUF_KIND_CPU;
		t->readers[i].locked = false;
	}
	beginning->f.control->flags = TBUF_F_RSEQ;
	beginning->f.control->stage = TBUF_STAGE_WAITING;
}

static void
drain_beginning(void)
{
	its_tally = (struct tally){ .many = true };
	ck_assert_int_eq(tbuf_drain_begin(beginning->c, TBUF_DRAIN_SWITCH), 0);
	fake_tally(beginning->c, &its_tally);
}

/*
 * Its lanes are not read as those of CPUs: a record there would be damage, or
 * have other values.  Some 60 instructions are between a lane's kind and head.
 */
START_TEST(a_command_that_begins_while_it_is_drained)
{
	struct tbuf_target *target;
	unsigned long at = 0;
	uint64_t records;
	struct run r;
	bool inside;

	begin(&r, "bufpolicy=switch");
	target = TAILQ_FIRST(&r.c->targets);
	beginning = &r;
	do {
		wait_with_cpu_lanes(target);
		r.stored = 0;
		inside = steps_run(drain_beginning, at, begin_without_rseq);
		records = its_tally.records;
		if (!inside)
			begin_without_rseq();
		ck_assert_uint_eq(its_tally.damage, 0);
		drain_beginning();
		ck_assert_uint_eq(its_tally.damage, 0);
		ck_assert_uint_eq(records + its_tally.records, r.stored);
		ck_assert_uint_eq(r.refused, 0);
		at += 53;
	} while (inside && at < STEPS_MAX);
	end(&r);
}
END_TEST

/* The fire stored a CPU of -1, as it could not read the number. */
START_TEST(lock_lane_stands_for_a_cpu_that_is_not_known)
{
	struct tbuf_event event;
	struct tbuf_lane *lane;
	struct run r;
	uint32_t number;

	begin(&r, "");
	number = fake_slot(&r.f)->first_lock;
	lane = fake_lane(&r.f, number);
	fire(&r, number, 1);
	memset(r.f.file + tbuf_place_offset(lane->place) +
	    offsetof(struct tbuf_lock_record, cpu), 0xff, sizeof(uint32_t));
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &event), 1);
	ck_assert_int_eq(event.record.cpu, (int)lane->cpu);
	end(&r);
}
END_TEST

/* The fake target's clock does not yield the CPU. */
START_TEST(cpu_that_no_fire_can_tell_is_refused)
{
	struct tbuf_consumer *c;
	struct fake f;

	fake_begin(&f);
	f.control->flags = _i == 0 ? 0 : TBUF_F_RSEQ;
	fake_probe(&f, "probe", 1, one_integer);
	c = fake_consumer("cpu=0");
	fake_grab(&f, c)->named_by_user = true;
	if (_i == 0) {
		ck_assert_int_eq(tbuf_consumer_go(c), -ENOTSUP);
		ck_assert_str_eq(tbuf_consumer_error(c), "could not enable "
		    "tracing: Operation not supported");
	} else
		ck_assert_int_eq(tbuf_consumer_go(c), 0);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(arguments_are_decoded_by_type)
{
	static const uint8_t types[] = {
		TBUF_INT8, TBUF_UINT16, TBUF_STRING, TBUF_DOUBLE, TBUF_BOOL,
		TBUF_STRING, TBUF_BINARY, TBUF_FLOAT, TBUF_POINTER, TBUF_CHAR
	};
	static const union {
		uint8_t bytes[64];
		uint64_t align;
	} data = { .bytes = {
		0xff, 0, 0x34, 0x12,			/* -1, 0x1234 */
		0x03, 0x80, 'a', 'b', 'c', 0, 0, 0,	/* "abc" cut */
		0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0xf8, 0x3f,		/* 1.5 */
		1, 0,					/* true */
		0x00, 0x80,				/* NULL */
		0x02, 0x00, 0x0a, 0x0b,
		0, 0, 0x20, 0x40, 0, 0, 0, 0,		/* 2.5f */
		0x10, 0, 0, 0, 0, 0, 0, 0xff,		/* a pointer */
		'x'
	} };
	struct tbuf_event e;
	const struct tbuf_value *v;
	struct run r;

	begin_with(&r, "", 10, types);
	/* The double must begin at a multiple of 8. */
	ck_assert(fake_record(&r.f, 0, r.epid, data.bytes, 49));
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &e), 1);
	ck_assert_int_eq(e.type, TBUF_EVENT_RECORD);
	ck_assert_uint_eq(e.record.nargs, 10);
	v = e.record.args;
	ck_assert_int_eq(v[0].i, -1);
	ck_assert_uint_eq(v[1].u, 0x1234);
	ck_assert_uint_eq(v[2].size, 3);
	ck_assert_mem_eq(v[2].data, "abc", 3);
	ck_assert(v[2].cut && !v[2].null);
	ck_assert(v[3].d == 1.5);
	ck_assert_uint_eq(v[4].u, 1);
	ck_assert(v[5].null && !v[5].cut);
	ck_assert_uint_eq(v[6].size, 2);
	ck_assert_mem_eq(v[6].data, "\x0a\x0b", 2);
	ck_assert(v[7].d == 2.5);
	ck_assert_uint_eq(v[8].u, UINT64_C(0xff00000000000010));
	ck_assert_int_eq(v[9].i, 'x');
	ck_assert_str_eq(e.record.probe->argnames[9], "a9");
	end(&r);
}
END_TEST

/*
 * Records are sorted by CPU, then pid.  The target with the higher pid was
 * grabbed first, and is older.
 */
START_TEST(records_come_by_cpu_and_pid)
{
	struct fake f[2];
	struct tbuf_consumer *c = fake_consumer("bufsize=4k");
	struct tbuf_event e;
	uint32_t probe[2], lanes, i, k;
	uint64_t next = 0;

	fake_begin(&f[0]);
	fake_begin(&f[1]);
	i = f[0].pid > f[1].pid ? 0 : 1;
	f[i].control->birth.mono = 1;
	f[1 - i].control->birth.mono = 2;
	for (k = 0; k < 2; k++)
		probe[k] = fake_probe(&f[k], "probe", 1, one_integer);
	fake_grab(&f[i], c);
	fake_grab(&f[1 - i], c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	fake_map(&f[0]);
	fake_map(&f[1]);
	lanes = fake_slot(&f[0])->first_lock;
	/* Each lane has a record with its expected place in the order. */
	for (k = 0; k < lanes; k++) {
		next = 2 * k + 1;
		fake_record(&f[i], k, fake_epid(&f[i], probe[i]), &next, 8);
		next = 2 * k;
		fake_record(&f[1 - i], k, fake_epid(&f[1 - i], probe[1 - i]),
		    &next, 8);
	}
	ck_assert_int_eq(tbuf_drain_begin(c, TBUF_DRAIN_SWITCH), 0);
	for (next = 0; tbuf_consumer_next(c, &e) == 1; next++) {
		ck_assert_int_eq(e.type, TBUF_EVENT_RECORD);
		ck_assert_uint_eq(e.record.args[0].u, next);
		ck_assert_int_eq(e.pid, f[next % 2 == 0 ? 1 - i : i].pid);
	}
	ck_assert_uint_eq(next, 2 * lanes);
	tbuf_consumer_close(c);
	fake_end(&f[0]);
	fake_end(&f[1]);
}
END_TEST

/* A CPU's counter may be a little later than the one read for `go`. */
START_TEST(a_record_before_go_has_a_time_before_it)
{
	const struct tbuf_session *session;
	struct tbuf_event e;
	struct run r;

	begin(&r, "bufsize=4k");
	r.f.control->clock = TBUF_CLOCK_COUNTER;
	tbuf_consumer_close(r.c);
	r.c = fake_session(&r.f, "bufsize=4k");
	session = (const void *)(r.f.file + fake_slot(&r.f)->area);
	r.f.time = session->go.ticks - 1000000;
	fire(&r, 0, 1);
	r.f.time = session->go.ticks;
	fire(&r, 0, 1);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &e), 1);
	ck_assert_uint_lt(e.record.time, session->go.mono);
	ck_assert_uint_gt(e.record.time, session->go.mono - TBUF_SECOND);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &e), 1);
	ck_assert_uint_eq(e.record.time, session->go.mono);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &e), 0);
	/* The time may even be one before the machine's start. */
	r.f.time = 1;
	fire(&r, fake_slot(&r.f)->first_lock, 1);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_next(r.c, &e), 1);
	ck_assert_uint_lt(e.record.time, session->go.mono);
	end(&r);
}
END_TEST

START_TEST(a_time_before_the_machine_started_is_0)
{
	struct tbuf_timeline line = {
		.clock = TBUF_CLOCK_COUNTER,
		.base = { .ticks = UINT64_C(1) << 40, .mono = 1000 },
		.slope = UINT64_C(1) << TBUF_SLOPE_BITS
	};

	ck_assert_uint_eq(tbuf_timeline_mono(&line, line.base.ticks - 1), 999);
	ck_assert_uint_eq(tbuf_timeline_mono(&line, line.base.ticks - 1000), 0);
	ck_assert_uint_eq(tbuf_timeline_mono(&line, line.base.ticks - 1001), 0);
	line.slope = UINT64_MAX;
	ck_assert_uint_eq(tbuf_timeline_mono(&line, 0), 0);
}
END_TEST

START_TEST(dead_target_is_drained_and_its_end_told)
{
	static const char *const policies[] = {
		"bufpolicy=switch", "bufpolicy=fill", "bufpolicy=ring"
	};
	struct tally t = { 0 };
	struct run r;

	begin(&r, policies[_i]);
	fire(&r, 0, 100);
	fake_kill(&r.f);
	ck_assert_int_eq(tbuf_consumer_work(r.c), 0);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 100);
	ck_assert_uint_eq(t.exits, 1);
	ck_assert_uint_eq(tbuf_consumer_alive(r.c), 0);
	end(&r);
}
END_TEST

START_TEST(session_space_is_used_again)
{
	struct tbuf_consumer *c;
	struct run r;
	uint64_t size;
	int i;

	begin(&r, "bufsize=64k");
	size = r.f.size;
	for (i = 0; i < 40; i++) {
		tbuf_consumer_close(r.c);
		ck_assert_uint_eq(r.f.control->state[0], TBUF_FREE);
		r.c = fake_consumer(i % 2 == 0 ? "bufsize=32k" :
		    "bufsize=64k");
		fake_grab(&r.f, r.c);
		ck_assert_int_eq(tbuf_consumer_go(r.c), 0);
		ck_assert_uint_eq(r.f.control->generation, (uint64_t)i + 2);
	}
	fake_map(&r.f);
	ck_assert_uint_eq(r.f.size, size);
	/* A second session at the same time has its own slot. */
	c = fake_consumer("bufsize=64k");
	fake_grab(&r.f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert_uint_eq(r.f.control->state[1], TBUF_ACTIVE);
	tbuf_consumer_close(c);
	ck_assert_uint_eq(r.f.control->state[1], TBUF_FREE);
	end(&r);
}
END_TEST

START_TEST(held_lock_retires_the_session)
{
	struct tbuf_consumer *c;
	struct tbuf_lock *lock;
	struct run r;

	begin(&r, "bufsize=64k");
	lock = &fake_slot(&r.f)->locks[1];
	lock->word++;
	tbuf_consumer_close(r.c);
	ck_assert_uint_eq(r.f.control->state[0], TBUF_RETIRED);
	/* The holder has returned, so the next consumer frees the slot. */
	lock->word--;
	c = fake_consumer("bufsize=64k");
	fake_grab(&r.f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert_uint_eq(r.f.control->state[0], TBUF_ACTIVE);
	r.c = c;
	end(&r);
}
END_TEST

START_TEST(lock_held_for_long_gets_a_spare)
{
	struct tbuf_slot *slot;
	struct tally t = { 0 };
	struct run r;
	uint32_t before;
	int i;

	begin(&r, "statusrate=1ms switchrate=1hour");
	slot = fake_slot(&r.f);
	before = slot->nlocks;
	slot->locks[0].word++;
	fake_lane(&r.f, slot->first_lock)->taken = 1;
	for (i = 0; slot->nlocks == before && i < 100000; i++) {
		ck_assert_int_eq(tbuf_consumer_work(r.c), 1);
		fake_tally(r.c, &t);
	}
	ck_assert_uint_eq(slot->nlocks, before + 1);
	slot->locks[0].word--;
	end(&r);
}
END_TEST

START_TEST(given_up_session_is_an_error_with_records)
{
	struct tally t = { 0 };
	struct run r;

	begin(&r, "statusrate=1ms");
	fire(&r, 0, 3);
	r.f.control->state[0] = TBUF_GIVENUP;
	ck_assert_int_eq(tbuf_consumer_work(r.c), -ETIMEDOUT);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 3);
	ck_assert_int_eq(tbuf_consumer_work(r.c), 0);
	end(&r);
}
END_TEST

static void
probes_step(struct run *r)
{
	tbuf_target_probes(r->c, TAILQ_FIRST(&r->c->targets));
}

static void
scan_step(struct run *r)
{
	ck_assert_int_eq(tbuf_consumer_scan(r->c), 0);
}

static void
orphan_step(struct run *r)
{
	r->c->orphan = r->f.pid;
	(void)tbuf_find_orphan(r->c);
}

static void
mappings_step(struct run *r)
{
	tbuf_images_look(r->c, true);
}

static void
execed_step(struct run *r)
{
	tbuf_consumer_find_execed(r->c);
}

static void
begin_step(struct run *r)
{
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
}

/* The caller may take its time for each record of the drain that was begun. */
static void
next_step(struct run *r)
{
	struct tbuf_event event;
	unsigned n = 0;

	while (tbuf_drain_next(r->c, &event) == 1)
		n++;
	ck_assert_uint_eq(n, 100);
}

/*
 * A consumer that lives is not given up while a round takes long: each step
 * postpones the deadline.
 */
START_TEST(each_step_of_a_round_is_a_sign_of_life)
{
	static void (*const steps[])(struct run *) = {
		probes_step, scan_step, orphan_step, mappings_step, execed_step,
		begin_step, next_step
	};
	uint64_t now = tbuf_now();
	struct run r;

	begin(&r, "bufpolicy=switch bufsize=64k");
	fire(&r, 0, 100);
	if (steps[_i] == next_step)
		begin_step(&r);
	r.c->next_sign = 0;
	fake_slot(&r.f)->deadline = 1;
	steps[_i](&r);
	ck_assert_uint_gt(fake_slot(&r.f)->deadline, now + 20 * TBUF_SECOND);
	end(&r);
}
END_TEST

START_TEST(deadline_is_kept_but_under_ring)
{
	struct run r;

	begin(&r, "bufpolicy=switch");
	ck_assert_uint_gt(fake_slot(&r.f)->deadline,
	    tbuf_now() + 20 * TBUF_SECOND);
	end(&r);
	begin(&r, "bufpolicy=ring");
	ck_assert_uint_eq(fake_slot(&r.f)->deadline, 0);
	end(&r);
}
END_TEST

/*
 * Without the copy of its tables, a live file's unfinished units would not be
 * those of one moment, or be missing.
 */
START_TEST(units_that_cannot_be_copied_are_an_error)
{
	static struct tbuf_consumer c;
	struct tbuf_reader reader = { .position = 0 };
	struct tbuf_unit_held held = { .copied = true };
	struct tbuf_target t = {
		.file_only = true, .session = TBUF_SESSION_STOPPED,
		.readers = &reader, .nreaders = 1, .units.count = 1
	};

	ck_assert_int_eq(tbuf_units_copy(&c, &t), -ENOMEM);
	t.units.held = &held;
	ck_assert_int_eq(tbuf_units_copy(&c, &t), 0);
	t.units.held = NULL;
	t.units.count = 0;
	ck_assert_int_eq(tbuf_units_copy(&c, &t), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("drain");
	TCase *t = tcase_create("lanes");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, switch_gives_all_and_gives_the_space_back);
	tcase_add_test(t, switch_keeps_the_logical_limit);
	tcase_add_test(t, unread_half_is_not_given_back);
	tcase_add_test(t, status_does_not_switch);
	tcase_add_test(t, fill_gives_records_at_the_end_only);
	tcase_add_test(t, fill_ends_the_run_at_the_first_full_lane);
	tcase_add_test(t, ring_keeps_the_last_ones_and_counts_the_rest);
	tcase_add_test(t, snapshot_leaves_the_ring_alone);
	tcase_add_test(t, snapshot_leaves_a_filling_buffer_alone);
	tcase_add_test(t, snapshot_is_not_for_switched_buffers);
	tcase_add_test(t, switch_gives_what_was_recorded_so_far);
	tcase_add_test(t, switch_needs_its_policy);
	tcase_add_test(t, what_the_writer_overtakes_is_thrown_away);
	tcase_add_loop_test(t, large_records_are_drops_under_every_policy, 0,
	    3);
	tcase_add_test(t, bufsize_of_one_record);
	tcase_add_test(t, nolane_counts_by_generation);
	tcase_add_test(t, nolane_stops_at_its_maximum);
	tcase_add_loop_test(t, nolane_counts_once_when_the_lanes_change, 0, 2);
	tcase_add_test(t, lock_lane_records_say_their_cpu);
	tcase_add_test(t, a_command_that_begins_while_it_is_drained);
	tcase_add_test(t, lock_lane_stands_for_a_cpu_that_is_not_known);
	tcase_add_loop_test(t, cpu_that_no_fire_can_tell_is_refused, 0, 2);
	tcase_add_test(t, arguments_are_decoded_by_type);
	tcase_add_test(t, records_come_by_cpu_and_pid);
	tcase_add_test(t, a_record_before_go_has_a_time_before_it);
	tcase_add_test(t, a_time_before_the_machine_started_is_0);
	tcase_add_loop_test(t, dead_target_is_drained_and_its_end_told, 0, 3);
	tcase_add_test(t, session_space_is_used_again);
	tcase_add_test(t, held_lock_retires_the_session);
	tcase_add_test(t, lock_held_for_long_gets_a_spare);
	tcase_add_test(t, given_up_session_is_an_error_with_records);
	tcase_add_loop_test(t, each_step_of_a_round_is_a_sign_of_life, 0, 7);
	tcase_add_test(t, deadline_is_kept_but_under_ring);
	tcase_add_test(t, units_that_cannot_be_copied_are_an_error);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
