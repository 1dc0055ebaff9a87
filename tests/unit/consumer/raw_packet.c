/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Raw packets: the unchanged bytes of a lane, whole records in order, with the
 * lane's losses; and the events that tbuf_consumer_next() still returns.
 */
#include <sys/mman.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "fixture.h"
#include "lib/check_main.h"

static const uint8_t one_integer[] = { TBUF_INT64 };

/* A session on one fake probe with a counter as argument. */
struct run {
	struct fake f;
	struct tbuf_consumer *c;
	uint16_t epid;
	uint64_t fired, stored;
	uint64_t next[2];		/* of each lane */
};

/* The sums of packets. */
struct sums {
	uint64_t records, overwritten, damage, drops, packets;
	uint64_t next[2];		/* expected of each lane */
	uint64_t last[2];		/* last stamp of each lane */
	bool gaps;			/* records may be missing */
};

static uint32_t
lock_lane(struct run *r)
{
	return (fake_slot(&r->f)->first_lock);
}

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
}

static void
end(struct run *r)
{
	tbuf_consumer_close(r->c);
	fake_end(&r->f);
}

/* Fires into a CPU's lane (0) or a lock lane (1).  Drops leave gaps. */
static void
fire(struct run *r, unsigned which, unsigned count)
{
	for (; count > 0; count--, r->fired++, r->next[which]++)
		r->stored += fake_record(&r->f, which == 0 ? 0 :
		    lock_lane(r), r->epid, &r->next[which], 8);
}

/* Walks over a packet with no more knowledge than tbuf(5) has. */
static uint64_t
walk(const struct tbuf_packet *p, struct sums *sums)
{
	unsigned lock = p->kind == TBUF_PACKET_LOCK;
	const unsigned char *at = p->data, *behind = at + p->size;
	const struct tbuf_header *header = NULL;
	uint64_t records = 0, number;

	for (; at < behind; at += header->size, records++) {
		header = (const void *)at;
		ck_assert_uint_eq(header->size, lock ? 32 : 24);
		if (records == 0)
			ck_assert_uint_eq(header->time, p->begin);
		ck_assert_uint_gt(header->time, sums->last[lock]);
		sums->last[lock] = header->time;
		memcpy(&number, at + header->size - 8, sizeof(number));
		ck_assert(number == sums->next[lock] ||
		    (sums->gaps && number > sums->next[lock]));
		sums->next[lock] = number + 1;
	}
	ck_assert_ptr_eq(at, behind);
	if (records > 0)
		ck_assert_uint_eq(header->time, p->end);
	return (records);
}

static void
take(struct tbuf_consumer *c, struct sums *sums)
{
	struct tbuf_packet p;
	unsigned i;

	while (tbuf_consumer_packet(c, &p) == 1) {
		ck_assert_uint_eq((uintptr_t)p.data % 8, 0);
		ck_assert_uint_eq(walk(&p, sums), p.records);
		sums->packets++;
		sums->records += p.records;
		sums->overwritten += p.overwritten;
		sums->damage += p.damage;
		for (i = 0; i < 3; i++)
			sums->drops += p.drops[i];
	}
}

static void
round_of_packets(struct run *r, unsigned what, struct sums *sums)
{
	ck_assert_int_eq(tbuf_drain_begin(r->c, what), 0);
	take(r->c, sums);
}

static const char *const policies[] = {
	"bufsize=240 bufpolicy=switch", "bufsize=240 bufpolicy=fill",
	"bufsize=240 bufpolicy=ring"
};

/*
 * inv.account: each fire is in a packet, or a packet reports its loss: fired =
 * recorded + dropped, recorded = returned + overwritten.
 */
START_TEST(packets_account_for_all_that_was_fired)
{
	struct sums sums = { .gaps = true };
	struct tbuf_totals totals;
	struct tally t = { 0 };
	struct run r;
	unsigned i;

	begin(&r, policies[_i % 3]);
	srand((unsigned)_i + 1);
	for (i = 0; i < 200; i++) {
		fire(&r, 0, (unsigned)rand() % 25);
		fire(&r, 1, (unsigned)rand() % 25);
		fake_slot(&r.f)->locks[0].nolane[TBUF_LOST_RECORD]++;
		r.fired++;
		/* Events do not repeat the contents of packets. */
		round_of_packets(&r, TBUF_DRAIN_SWITCH |
		    (rand() % 2 == 0 ? TBUF_DRAIN_STATUS : 0), &sums);
		fake_tally(r.c, &t);
		if (_i % 3 == 0)
			ck_assert_uint_eq(sums.records, r.stored);
	}
	fake_kill(&r.f);
	if (_i >= 3)
		tbuf_target_ended(TAILQ_FIRST(&r.c->targets));
	round_of_packets(&r, _i < 3 ? TBUF_DRAIN_LAST : TBUF_DRAIN_ENDED,
	    &sums);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(sums.records + sums.overwritten, r.stored);
	ck_assert_uint_eq(sums.records + sums.overwritten + sums.drops,
	    r.fired);
	ck_assert_uint_gt(_i % 3 == 2 ? sums.overwritten : sums.drops, 0);
	/* Events report none of it again, but the end of the target. */
	ck_assert_uint_eq(t.records + t.overwritten + t.damage + t.drops[0] +
	    t.drops[1] + t.drops[2], 0);
	ck_assert_uint_eq(t.exits, _i < 3 ? 0 : 1);
	tbuf_consumer_totals(r.c, &totals);
	ck_assert_uint_eq(totals.records, sums.records);
	ck_assert_uint_eq(totals.overwritten, sums.overwritten);
	ck_assert_uint_eq(totals.drops, sums.drops);
	end(&r);
}
END_TEST

/* Packets and events may alternate, even in one round. */
START_TEST(packets_and_records_share_a_round)
{
	struct sums sums = { 0 };
	struct tally t = { .many = true };
	struct tbuf_packet p;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 0, 7);
	fire(&r, 1, 5);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_uint_eq(walk(&p, &sums), 7);
	ck_assert_int_eq(p.kind, TBUF_PACKET_CPU);
	ck_assert_uint_eq(p.lane, 0);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records, 5);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 0);
	/* The packet's space is released to the writer. */
	ck_assert_uint_eq(fake_lane(&r.f, 0)->tail, 7 * 24);
	ck_assert_uint_eq(fake_lane(&r.f, 0)->consumed, 7);
	end(&r);
}
END_TEST

START_TEST(packet_says_whose_it_is)
{
	struct tbuf_packet p;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 1, 3);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_int_eq(p.pid, r.f.pid);
	ck_assert_int_eq(p.kind, TBUF_PACKET_LOCK);
	ck_assert_uint_eq(p.lane, lock_lane(&r));
	ck_assert_int_eq(p.cpu, (int)fake_lane(&r.f, lock_lane(&r))->cpu);
	ck_assert_uint_eq(p.target, r.f.control->random);
	ck_assert_uint_eq(p.generation, fake_slot(&r.f)->generation);
	ck_assert_uint_eq(p.size, 3 * 32);
	/* Any string of the heap may be an interned text. */
	ck_assert_str_eq(tbuf_consumer_interned(r.c, &p,
	    tbuf_view_probe(&TAILQ_FIRST(&r.c->targets)->view, 0)->name),
	    "probe");
	ck_assert_ptr_null(tbuf_consumer_interned(r.c, &p, 0));
	ck_assert_ptr_null(tbuf_consumer_interned(r.c, &p, UINT32_MAX));
	ck_assert(!p.more);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 0);
	end(&r);
}
END_TEST

START_TEST(epids_of_a_packet_are_looked_up)
{
	const struct tbuf_probe_info *probe;
	struct tbuf_packet p;
	unsigned enabling = 7;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 0, 1);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_uint_eq(p.epids, 2);
	probe = tbuf_consumer_epid(r.c, &p, r.epid, &enabling);
	ck_assert_ptr_nonnull(probe);
	ck_assert_str_eq(probe->name, "probe");
	ck_assert_uint_eq(enabling, 0);
	ck_assert_ptr_null(tbuf_consumer_epid(r.c, &p, 0, &enabling));
	ck_assert_ptr_null(tbuf_consumer_epid(r.c, &p, 2, &enabling));
	ck_assert_ptr_null(tbuf_consumer_epid(r.c, &p, UINT32_MAX, &enabling));
	end(&r);
}
END_TEST

/* Converts a stamp by two points of a line, as tbuf_consumer_next() does. */
static uint64_t
convert(const struct tbuf_packet *p, uint64_t stamp)
{
	const struct tbuf_calibration *a = p->calibration, *b = a + 1;

	if (p->nanoseconds)
		return (stamp);
	return (a->mono + (uint64_t)((double)(stamp - a->stamp) *
	    (double)(b->mono - a->mono) / (double)(b->stamp - a->stamp)));
}

START_TEST(stamps_are_converted_by_what_a_packet_says)
{
	struct tbuf_target *t;
	struct tbuf_event event;
	struct tbuf_packet p;
	struct run r;
	int64_t off;

	begin(&r, "bufsize=4k bufpolicy=ring");
	t = TAILQ_FIRST(&r.c->targets);
	t->time.clock = _i == 0 ? TBUF_CLOCK_COUNTER : TBUF_CLOCK_MONOTONIC;
	tbuf_moment_take(t->time.clock, &t->time.base);
	tbuf_timeline_update(&t->time, NULL);
	r.f.time = t->time.latest.ticks;
	fire(&r, 0, 2);
	ck_assert_int_eq(tbuf_consumer_snapshot(r.c), 0);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_uint_eq(p.end, p.begin + 1);
	ck_assert(p.nanoseconds == (_i == 1));
	ck_assert_uint_eq(p.calibration[1].wall - p.calibration[1].mono,
	    t->time.latest.real - t->time.latest.mono);
	off = (int64_t)tbuf_timeline_mono(&t->time, p.begin) -
	    (int64_t)convert(&p, p.begin);
	ck_assert_int_le(off < 0 ? -off : off, 1);
	while (tbuf_consumer_next(r.c, &event) == 1)
		continue;
	end(&r);
}
END_TEST

/* The lane has more bytes than one read takes. */
START_TEST(large_lane_is_several_packets)
{
	struct sums sums = { 0 };
	struct tbuf_packet p;
	struct run r;
	uint64_t most = 0;

	begin(&r, "bufsize=1m");
	fire(&r, 0, 43000);
	ck_assert_uint_eq(r.stored, 43000);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	while (tbuf_consumer_packet(r.c, &p) == 1) {
		sums.records += walk(&p, &sums);
		sums.packets++;
		most = p.size > most ? p.size : most;
		ck_assert(p.more == (sums.records < 43000));
	}
	ck_assert_uint_eq(sums.records, 43000);
	ck_assert_uint_eq(sums.packets, (43000 * 24 + most - 1) / most);
	ck_assert_uint_le(most, TBUF_CHUNK);
	end(&r);
}
END_TEST

/* Packets that are stored, and read again. */
struct stored {
	struct tbuf_packet packets[8];
	unsigned char bytes[8][1024];
	unsigned count, next;
	int head;
};

static void
store_round(struct run *r, struct stored *s)
{
	struct tbuf_packet *p;

	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
	while (tbuf_consumer_packet(r->c, (p = &s->packets[s->count])) == 1) {
		if (s->count == 0)
			ck_assert_int_eq(tbuf_consumer_head(r->c, p, s->head),
			    0);
		memcpy(s->bytes[s->count], p->data, p->size);
		p->data = s->bytes[s->count++];
	}
}

static int
next_stored(void *arg, struct tbuf_packet *p)
{
	struct stored *s = arg;

	if (s->next == s->count)
		return (0);
	*p = s->packets[s->next++];
	return (1);
}

/*
 * Drops of a recording are after the records of the switch before, and before
 * those of the second one after, as they may come after a head was read.
 */
START_TEST(recorded_drops_lie_between_records_of_switches)
{
	struct stored s = { .head = memfd_create("head", MFD_CLOEXEC) };
	struct tbuf_event event, drops = { .count = 0 };
	struct tbuf_consumer *c = tbuf_consumer_new();
	uint64_t times[32];
	unsigned i, n = 0;
	struct run r;

	begin(&r, "bufsize=240 bufpolicy=switch");
	for (i = 0; i < 5; i++) {
		fire(&r, 0, i == 1 ? 20 : 2);
		store_round(&r, &s);
	}
	end(&r);
	ck_assert_int_eq(tbuf_consumer_open_packets(c, "stored", s.head,
	    next_stored, &s), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	(void)tbuf_consumer_work(c);
	while (tbuf_consumer_next(c, &event) == 1)
		if (event.type == TBUF_EVENT_DROPS)
			drops = event;
		else if (event.type == TBUF_EVENT_RECORD && n < 32)
			times[n++] = event.record.time;
	i = (unsigned)drops.count;
	ck_assert_uint_eq(i + r.stored, 28);
	ck_assert_uint_eq(n, r.stored);
	ck_assert_uint_eq(drops.after, times[1]);
	ck_assert_uint_eq(drops.before, times[n - 4]);
	tbuf_consumer_close(c);
	close(s.head);
}
END_TEST

/* Reads packets that were stored: all of their losses and records. */
static void
tally_stored(struct stored *s, struct tally *t)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	ck_assert_int_eq(tbuf_consumer_open_packets(c, "stored", s->head,
	    next_stored, s), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	(void)tbuf_consumer_work(c);
	fake_tally(c, t);
	tbuf_consumer_close(c);
}

/*
 * With temporal and dropsoon each switch of a recording with drops is a gap,
 * before the first record that may be after them.
 */
START_TEST(recorded_gaps_come_before_the_records_after_them)
{
	struct stored s = { .head = memfd_create("head", MFD_CLOEXEC) };
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tbuf_event event, gaps[4];
	unsigned i, n = 0, ngaps = 0, at[4] = { 0 };
	uint64_t times[32] = { 0 };
	struct run r;

	begin(&r, "bufsize=240 bufpolicy=switch");
	for (i = 0; i < 7; i++) {
		fire(&r, 0, i == 1 || i == 5 ? 20 : 2);
		store_round(&r, &s);
	}
	end(&r);
	ck_assert_int_eq(tbuf_consumer_set(c, "temporal", NULL), 0);
	ck_assert_int_eq(tbuf_consumer_set(c, "dropsoon", NULL), 0);
	ck_assert_int_eq(tbuf_consumer_open_packets(c, "stored", s.head,
	    next_stored, &s), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	(void)tbuf_consumer_work(c);
	while (tbuf_consumer_next(c, &event) == 1)
		if (event.type == TBUF_EVENT_GAP && ngaps < 4) {
			at[ngaps] = n;
			gaps[ngaps++] = event;
		} else if (event.type == TBUF_EVENT_RECORD && n < 32)
			times[n++] = event.record.time;
	ck_assert_uint_eq(n, r.stored);
	ck_assert_uint_eq(ngaps, 2);
	/* After the first switch, and before the fourth one. */
	ck_assert_uint_eq(at[0], 2);
	ck_assert_uint_eq(gaps[0].after, times[1]);
	ck_assert_uint_eq(gaps[0].before, times[14]);
	ck_assert_uint_eq(at[1], 18);
	ck_assert_uint_eq(gaps[1].after, times[17]);
	ck_assert_uint_eq(gaps[1].before, 0);
	tbuf_consumer_close(c);
	close(s.head);
}
END_TEST

/*
 * Damage of any size is counted, be it more than a lane has or than a file, and
 * all records after it are read.
 */
START_TEST(stored_damage_is_counted_exactly)
{
	static const uint64_t gib = UINT64_C(1) << 30;
	const uint64_t damages[][4] = {
		{ 3, 16, 20, 65543 },
		{ gib + 8, gib + 3, 3 * gib, 0 },
		{ gib, gib, gib, gib },
		{ 1000 * gib, 4 * gib, 24, UINT64_C(1) << 47 }
	};
	struct stored s = { .head = memfd_create("head", MFD_CLOEXEC) };
	struct tally t = { 0 };
	uint64_t damage = 0;
	struct run r;
	unsigned i;

	begin(&r, "bufsize=240 bufpolicy=switch");
	for (i = 0; i < 4; i++) {
		fire(&r, 0, 4);
		store_round(&r, &s);
		s.packets[i].damage = damages[_i][i];
		damage += damages[_i][i];
	}
	end(&r);
	ck_assert_uint_eq(s.count, 4);
	tally_stored(&s, &t);
	ck_assert_uint_eq(t.records, 16);
	ck_assert_uint_eq(t.damage, damage);
	close(s.head);
}
END_TEST

/* Each packet but the last one is full, be it smaller than a fetch or not. */
START_TEST(packets_have_a_size)
{
	static const unsigned sizes[] = { 16, 100, 24 * 10, 65328, 262000 };
	static const unsigned records[] = { 1, 4, 10, 2722, 10916 };
	struct sums sums = { 0 };
	struct tbuf_packet p;
	char options[64];
	struct run r;

	(void)snprintf(options, sizeof(options), "bufsize=1m packetsize=%u",
	    sizes[_i]);
	begin(&r, options);
	fire(&r, 0, 43000);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	while (tbuf_consumer_packet(r.c, &p) == 1) {
		ck_assert_uint_le(p.records, records[_i]);
		sums.records += walk(&p, &sums);
		sums.packets++;
	}
	ck_assert_uint_eq(sums.records, 43000);
	/* A fetch of small packets may end with one that is not full. */
	ck_assert_uint_le(sums.packets, (43000 + records[_i] - 1) /
	    records[_i] + (sizes[_i] < 49152 ? 43000 * 24 / 49152 + 1 : 0));
	end(&r);
}
END_TEST

START_TEST(snapshot_is_one_packet_a_lane_and_in_no_total)
{
	struct tbuf_totals totals;
	struct tally t = { 0 };
	struct run r;
	int i;

	begin(&r, policies[_i]);
	fire(&r, 0, 25);
	for (i = 0; i < 3; i++) {
		struct sums sums = { .next = { _i == 2 ? 15 : 0 } };

		ck_assert_int_eq(tbuf_consumer_snapshot(r.c), 0);
		take(r.c, &sums);
		ck_assert_uint_eq(sums.packets, 1);
		ck_assert_uint_eq(sums.records, 10);
		ck_assert_uint_eq(sums.drops + sums.overwritten, 15);
		/* The events may be read or not. */
		if (i == 1)
			fake_tally(r.c, &t);
	}
	tbuf_consumer_totals(r.c, &totals);
	ck_assert_uint_eq(totals.records + totals.drops + totals.overwritten,
	    0);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	ck_assert_uint_eq(t.overwritten + t.drops[TBUF_CAUSE_FULL], 15);
	ck_assert_uint_eq(t.damage, 0);
	end(&r);
}
END_TEST

static struct tbuf_header *
header_at(struct run *r, unsigned n)
{
	return ((struct tbuf_header *)(void *)(r->f.file +
	    tbuf_place_offset(fake_lane(&r->f, 0)->place) + 24 * n));
}

/* Records that next() would skip are in no packet. */
START_TEST(what_makes_no_sense_is_in_no_packet)
{
	struct sums sums = { .gaps = true };
	struct run r;
	unsigned i;

	begin(&r, "bufsize=4k");
	fire(&r, 0, 9);
	switch (_i) {
	case 0:		/* an EPID that does not exist */
		header_at(&r, 0)->epid = header_at(&r, 4)->epid = 9;
		header_at(&r, 5)->epid = 9;
		break;
	case 1:		/* a size of 0 */
		header_at(&r, 6)->size = 0;
		break;
	case 2:		/* too short for its arguments */
		header_at(&r, 8)->size = 16;
		fake_lane(&r.f, 0)->head -= 8;
		break;
	case 3:		/* times after the lane's last one, in order */
		for (i = 6; i < 9; i++)
			header_at(&r, i)->time += 1000;
		break;
	}
	round_of_packets(&r, TBUF_DRAIN_SWITCH, &sums);
	ck_assert_uint_eq(sums.records, _i % 3 == 0 ? 6 : 8);
	ck_assert_uint_eq(sums.damage, _i % 3 == 0 ? 72 : _i == 1 ? 24 : 16);
	ck_assert_uint_eq(sums.packets, 2);
	end(&r);
}
END_TEST

START_TEST(what_the_writer_overtakes_is_in_no_packet)
{
	struct sums sums = { .next = { 4 } };
	struct run r;

	begin(&r, "bufpolicy=ring bufsize=240");
	fire(&r, 0, 10);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_LAST), 0);
	/* The round has noted the head, but copied nothing yet. */
	fire(&r, 0, 4);
	take(r.c, &sums);
	ck_assert_uint_eq(sums.records, 6);
	ck_assert_uint_eq(sums.overwritten, 4);
	ck_assert_uint_eq(sums.damage, 0);
	end(&r);
}
END_TEST

START_TEST(packets_of_a_dead_targets_file)
{
	struct sums sums = { .gaps = true };
	struct tbuf_consumer *reader = tbuf_consumer_new();
	char path[160];
	struct run r;

	begin(&r, policies[_i]);
	fire(&r, 0, 25);
	fire(&r, 1, 3);
	fake_kill(&r.f);
	snprintf(path, sizeof(path), "%s/%s", r.f.directory, r.f.name);
	ck_assert_int_eq(tbuf_consumer_open_file(reader, path), 0);
	ck_assert_int_eq(tbuf_consumer_go(reader), 0);
	ck_assert_int_eq(tbuf_consumer_work(reader), 0);
	take(reader, &sums);
	ck_assert_uint_eq(sums.records, 13);
	ck_assert_uint_eq(sums.overwritten + sums.drops, 15);
	tbuf_consumer_close(reader);
	end(&r);
}
END_TEST

/* Stores an envelope with records 0 to count - 1 in the CPU's lane. */
static void
envelope(struct run *r, uint32_t table, unsigned count)
{
	struct {
		struct tbuf_unit_record unit;
		struct {
			struct tbuf_lock_record record;
			uint64_t number;
		} items[4];
	} data = { .unit = {
		.table = table, .id = 77, .outcome = 3, .count = count,
		.instance = r->next[1] + 1
	} };
	unsigned i;

	for (i = 0; i < count; i++) {
		data.items[i].record.header = (struct tbuf_header){
			.time = r->f.time + i, .epid = r->epid,
			.size = sizeof(data.items[0])
		};
		data.items[i].record.cpu = i;
		data.items[i].number = i;
	}
	r->f.time += count;
	ck_assert(fake_record(&r->f, 0, TBUF_EPID_ENVELOPE, &data,
	    sizeof(data.unit) + count * sizeof(data.items[0])));
}

/*
 * A unit is a packet at its place in the lane, in a lock lane's form, and costs
 * no records around it.
 */
START_TEST(unit_is_a_packet_by_itself)
{
	struct sums sums = { 0 }, unit = { 0 };
	struct tbuf_totals totals;
	struct tbuf_packet p;
	struct tally t = { 0 };
	struct run r;

	begin(&r, "bufsize=4k nunits=2");
	fire(&r, 0, 3);
	envelope(&r, 1, 4);
	fire(&r, 0, 2);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_uint_eq(walk(&p, &sums), 3);
	ck_assert(p.more && p.unit == NULL);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_int_eq(p.kind, TBUF_PACKET_UNIT);
	ck_assert_uint_eq(p.lane, 1);
	ck_assert_ptr_nonnull(p.unit);
	ck_assert_uint_eq(p.unit->id, 77);
	ck_assert_int_eq(p.unit->outcome, 3);
	ck_assert(p.unit->ended);
	ck_assert_uint_eq(p.size, 4 * 32);
	p.kind = TBUF_PACKET_LOCK;
	ck_assert_uint_eq(walk(&p, &unit), 4);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_uint_eq(walk(&p, &sums), 2);
	ck_assert_uint_eq(p.damage + p.drops[0] + p.drops[1], 0);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 0);
	fake_tally(r.c, &t);
	ck_assert_uint_eq(t.records + t.damage + t.unit_drops, 0);
	tbuf_consumer_totals(r.c, &totals);
	ck_assert_uint_eq(totals.records, 9);
	end(&r);
}
END_TEST

START_TEST(fields_of_a_record_are_described)
{
	struct tbuf_record_field fields[TBUF_FIELDS_MAX];
	struct tbuf_packet p;
	struct run r;

	begin(&r, "bufsize=4k");
	fire(&r, 0, 1);
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), 1);
	ck_assert_int_eq(tbuf_consumer_fields(r.c, &p, r.epid, fields), 1);
	ck_assert_uint_eq(fields[0].type, TBUF_INT64);
	ck_assert_uint_eq(fields[0].size, 8);
	ck_assert_uint_eq(fields[0].align, 8);
	ck_assert_int_eq(fields[0].argument, 0);
	ck_assert_int_eq(tbuf_consumer_fields(r.c, &p, 0, fields), -ENOENT);
	ck_assert_int_eq(tbuf_consumer_fields(r.c, &p, 2, fields), -ENOENT);
	end(&r);
}
END_TEST

/* Descriptions select records of a file, as they do for next(). */
START_TEST(descriptions_select_packets_of_a_file)
{
	struct sums sums = { .gaps = true };
	struct tbuf_consumer *reader = tbuf_consumer_new();
	char path[160];
	struct run r;

	begin(&r, "bufsize=4k bufpolicy=ring");
	fire(&r, 0, 5);
	fake_kill(&r.f);
	snprintf(path, sizeof(path), "%s/%s", r.f.directory, r.f.name);
	ck_assert_int_eq(tbuf_consumer_open_file(reader, path), 0);
	ck_assert_int_ge(tbuf_consumer_enable(reader, _i == 0 ? "probe" :
	    "other"), 0);
	ck_assert_int_eq(tbuf_consumer_go(reader), 0);
	ck_assert_int_eq(tbuf_consumer_work(reader), 0);
	take(reader, &sums);
	ck_assert_uint_eq(sums.records, _i == 0 ? 5 : 0);
	ck_assert_uint_eq(sums.damage, 0);
	tbuf_consumer_close(reader);
	end(&r);
}
END_TEST

START_TEST(packets_have_no_order_among_lanes)
{
	struct tbuf_packet p;
	struct run r;

	begin(&r, "bufsize=4k temporal");
	ck_assert_int_eq(tbuf_consumer_packet(r.c, &p), -ENOTSUP);
	end(&r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("packets");
	TCase *t = tcase_create("packets");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, packets_account_for_all_that_was_fired, 0, 6);
	tcase_add_test(t, packets_and_records_share_a_round);
	tcase_add_test(t, packet_says_whose_it_is);
	tcase_add_test(t, epids_of_a_packet_are_looked_up);
	tcase_add_loop_test(t, stamps_are_converted_by_what_a_packet_says,
	    0, 2);
	tcase_add_test(t, large_lane_is_several_packets);
	tcase_add_test(t, recorded_gaps_come_before_the_records_after_them);
	tcase_add_loop_test(t, stored_damage_is_counted_exactly, 0, 4);
	tcase_add_loop_test(t, packets_have_a_size, 0, 5);
	tcase_add_test(t, recorded_drops_lie_between_records_of_switches);
	tcase_add_loop_test(t, snapshot_is_one_packet_a_lane_and_in_no_total,
	    1, 3);
	tcase_add_loop_test(t, what_makes_no_sense_is_in_no_packet, 0, 4);
	tcase_add_test(t, what_the_writer_overtakes_is_in_no_packet);
	tcase_add_loop_test(t, packets_of_a_dead_targets_file, 0, 3);
	tcase_add_test(t, unit_is_a_packet_by_itself);
	tcase_add_test(t, fields_of_a_record_are_described);
	tcase_add_loop_test(t, descriptions_select_packets_of_a_file, 0, 2);
	tcase_add_test(t, packets_have_no_order_among_lanes);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
