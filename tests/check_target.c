/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side alone: this process is the target, and the tests play the
 * consumer by hand.  Each test runs twice, on the rseq path and on the lock
 * path (_i is 1).
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/control.h"
#include "common/session.h"
#include "producer/producer.h"

static struct tbuf_view view;
static int file = -1;
static struct tbuf_site two;	/* t:m:f:two, two 64-bit arguments */
static struct tbuf_site none;	/* t:m:f:none, no argument */

static void
fire(uint64_t value)
{
	const uint64_t values[2] = { value, ~value };

	tbuf_probe_fire(&two, values);
}

static void
site(struct tbuf_site *s, const char *name, unsigned nargs,
    const enum tbuf_type *types)
{
	ck_assert_int_eq(tbuf_probe_register(s, "t", "m", "f", name, nargs,
	    types, NULL), 0);
}

/* A test's process is a forked child, and becomes a target by itself. */
static void
set_up(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_UINT64 };
	char path[TBUF_PATH_MAX + TBUF_NAME_MAX];
	struct tbuf_control *control;
	cpu_set_t cpus;

	/* One CPU: which lane a record goes to is then known. */
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	ck_assert_int_eq(tbuf_process_register(), 0);
	site(&two, "two", 2, types);
	site(&none, "none", 0, NULL);
	view = tbuf_target_view();
	ck_assert_ptr_nonnull(view.base);
	control = tbuf_view_control(&view);
	ck_assert_int_eq(tbuf_directory_path(geteuid(), path), 0);
	strcat(path, "/");
	tbuf_control_name(path + strlen(path), getpid(), control->random);
	file = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ne(file, -1);
}

static void
tear_down(void)
{
	close(file);
}

struct order {
	enum tbuf_policy policy;
	uint64_t bufsize;
	uint32_t strsize;
	int32_t only_cpu;
	const char *patterns;	/* two of them are told by npatterns */
	uint32_t size, npatterns;
	bool locks;
	const uint32_t *cpus;	/* with lanes, up to a 0; NULL: this one */
};

#define ORDER(policy_, bufsize_) (struct order){			\
	.policy = (policy_), .bufsize = (bufsize_), .strsize = 256,	\
	.only_cpu = -1, .patterns = "t:::", .size = 5, .npatterns = 1,	\
	.locks = _i == 1						\
}

static int
back(void *argument, uint64_t offset, uint64_t length)
{
	(void)argument;
	return (tbuf_back(file, offset, length));
}

/* Build a session in a slot as a consumer does, and let it be met. */
static struct tbuf_lane *
session(unsigned number, const struct order *o)
{
	struct tbuf_control *control = tbuf_view_control(&view);
	struct tbuf_order order = {
		.terms = { .bufsize = o->bufsize, .policy = o->policy,
		    .strsize = o->strsize, .only_cpu = o->only_cpu,
		    .owner = "check" },
		.rseq = !o->locks && tbuf_self.rseq, .patterns = o->patterns,
		.patterns_size = o->size, .npatterns = o->npatterns,
		.entries = view.tables.entries
	};
	uint64_t area = control->end;
	struct tbuf_backing backing = { .back = back };
	struct tbuf_names_copy copy;
	struct tbuf_slot *slot;
	struct tbuf_plan plan;
	uint32_t i;

	tbuf_self.rseq = order.rseq;
	if (o->cpus == NULL)
		tbuf_cpus_add(&order.cpus, (unsigned)sched_getcpu());
	else
		for (i = 0; o->cpus[i] != 0; i++)
			tbuf_cpus_add(&order.cpus, o->cpus[i]);
	ck_assert_int_eq(tbuf_plan_make(&order, &plan), 0);
	ck_assert_int_eq(tbuf_back(file, TBUF_SLOTS + number *
	    TBUF_SLOT_SIZE, TBUF_SLOT_SIZE), 0);
	ck_assert_int_eq(tbuf_back(file, area, plan.heads), 0);
	ck_assert_int_eq(tbuf_back(file, area + plan.data, plan.storage), 0);
	ck_assert_int_eq(tbuf_session_build(&view, number, area,
	    ++control->generation, &order, &plan), 0);
	control->end = area + plan.size;
	control->state[number] = TBUF_ACTIVE;
	for (i = 0; i < control->nprobes; i++)
		if (tbuf_view_names(&view, i, &copy))
			tbuf_meet(&view, number, i, &copy.names, o->patterns,
			    o->size, o->npatterns, &backing);
	slot = tbuf_view_slot(&view, number);
	return ((struct tbuf_lane *)(void *)(view.base + slot->lanes));
}

/* Bytes of one of these records: a lock lane's has a word more. */
static uint64_t
record_size(const struct tbuf_lane *lane, uint64_t data)
{
	return ((lane->kind == TBUF_KIND_LOCK ?
	    sizeof(struct tbuf_lock_record) : sizeof(struct tbuf_header)) +
	    data);
}

static const unsigned char *
bytes_at(const struct tbuf_lane *lane, uint64_t position)
{
	return (view.base + tbuf_place_offset(lane->place) +
	    (position & (tbuf_place_storage(lane->place) - 1)));
}

static const struct tbuf_header *
header_at(const struct tbuf_lane *lane, uint64_t position)
{
	return ((const struct tbuf_header *)(const void *)
	    bytes_at(lane, position));
}

static uint64_t
word_at(const struct tbuf_lane *lane, uint64_t position)
{
	uint64_t word;

	memcpy(&word, bytes_at(lane, position), sizeof(word));
	return (word);
}

static uint64_t
ring_tail(const struct tbuf_lane *lane)
{
	return (lane->pair[lane->sequence & 1].tail);
}

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
	/* The consumer's switch gives it another half. */
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

/* Under ring, records = consumed + overwritten. */
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
 * Fire on a CPU that there may not be: what the kernel tells of it is changed
 * for a moment.  Whether it told the truth again in between shows in where
 * the record went; each try fires once.
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

/* A clock that does not move must not make two stamps equal. */
START_TEST(stamps_rise_where_the_clock_does_not)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), ahead = UINT64_C(1) << 63;

	lane->last = ahead;
	fire(1);
	fire(2);
	/* A section that is aborted may have taken one. */
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
	/* And again by the way that remembers. */
	tbuf_probe_fire(&mixed, values);
	ck_assert_uint_eq(lane->head, 2 * record_size(lane, sizeof(data)));
	ck_assert_mem_eq(bytes_at(lane, lane->head - sizeof(data)), data,
	    sizeof(data));
	tbuf_probe_unregister(&mixed);
}
END_TEST

/* A text goes around the storage's end byte for byte. */
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
 * Whoever comes later may insert in front of what is there: then, too, a fire
 * that looks at the head alone has to see that there is more.
 */
START_TEST(enablings_met_in_any_order_write_their_records)
{
	struct order o = ORDER(TBUF_SWITCH, 1 << 16);
	const struct tbuf_names names = { "t", "m", "f", "two" };
	struct tbuf_backing backing = { .back = back };
	struct tbuf_lane *lane;
	const uint32_t *head;
	uint16_t epids[3];
	uint64_t size, i, k;

	/* The last of the three is met first. */
	o.patterns = "nobody\0nobody\0t:::two";
	o.size = 7 + 7 + 8;
	o.npatterns = 3;
	lane = session(0, &o);
	head = (const uint32_t *)(const void *)(view.base +
	    tbuf_view_slot(&view, 0)->heads) + two.index;
	ck_assert_uint_eq(*head & TBUF_HEAD_MORE, 0);
	fire(0);
	ck_assert_uint_eq(tbuf_meet(&view, 0, two.index, &names,
	    "t:::\0nobody\0t:::two", 5 + 7 + 8, 3, &backing), 2);
	ck_assert_uint_ne(*head & TBUF_HEAD_MORE, 0);
	ck_assert_uint_eq(tbuf_meet(&view, 0, two.index, &names,
	    "t:::\0t:::\0t:::two", 5 + 5 + 8, 3, &backing), 3);
	size = record_size(lane, 16);
	for (i = 1; i <= 100; i++)
		fire(i);
	ck_assert_uint_eq(lane->head, (1 + 3 * 100) * size);
	for (k = 0; k < 3; k++)
		epids[k] = header_at(lane, (1 + k) * size)->epid;
	/* In the order of the enablings: EPIDs are in that of the meetings. */
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

/* What a thread remembers of a slot ends with the generation. */
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

/* While the library reads this clock, a consumer puts its deadline off. */
static uint64_t *put_off;

int
clock_gettime(clockid_t id, struct timespec *t)
{
	if (put_off != NULL)
		*put_off = UINT64_MAX;
	return ((int)syscall(SYS_clock_gettime, id, t));
}

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

/* The fire looked at the deadline of a session that has ended since. */
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
	/* No session: its consumer has ended it in this very moment. */
	slot->deadline = 1;
	slot->generation = 0;
	ck_assert(tbuf_fire_deadline(&late));
	ck_assert_uint_eq(control->state[0], TBUF_GIVENUP);
	ck_assert(!tbuf_probe_enabled(&two));
}
END_TEST

/* Whatever the file says: behind its end a store would be a SIGBUS. */
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
	/* Lanes whose storage is there, then lanes that are there. */
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

START_TEST(a_damaged_ring_begins_anew)
{
	struct order o = ORDER(TBUF_RING, 256);
	struct tbuf_lane *lane = session(0, &o);
	uint64_t size = record_size(lane, 16), i;
	struct tbuf_header *header;

	for (i = 0; i < 20; i++)
		fire(i);
	header = (struct tbuf_header *)(uintptr_t)header_at(lane,
	    ring_tail(lane));
	header->size = 0;
	fire(21);
	ck_assert_uint_eq(lane->restarts, 1);
	ck_assert_uint_eq(lane->head - ring_tail(lane), size);
	ck_assert_uint_eq(word_at(lane, lane->head - 16), 21);
	lane->pair[lane->sequence & 1].tail = lane->head + 4096;
	fire(22);
	ck_assert_uint_eq(lane->restarts, 2);
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
	/* One is given back. */
	slot->locks[0].word = 2 * slot->generation;
	fire(3);
	ck_assert_uint_eq(lane->head, record_size(lane, 16));
}
END_TEST

/* The count never reaches the generation that it stands beside. */
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
	/* The thread comes to one lock first, and to that one always. */
	for (i = 0; i < slot->nlocks &&
	    slot->locks[i].nolane[TBUF_LOST_RECORD] != full; i++)
		continue;
	ck_assert_uint_lt(i, slot->nlocks);
}
END_TEST

/* inv.attach: a probe that registers later meets the session itself. */
START_TEST(a_later_probe_meets_the_session)
{
	struct order o = ORDER(TBUF_SWITCH, 4096);
	struct tbuf_site later = { .state = 0 };
	struct tbuf_lane *lane = session(0, &o);

	site(&later, "later", 0, NULL);
	ck_assert(tbuf_probe_enabled(&later));
	tbuf_probe_fire(&later, (uint64_t[1]){ 0 });
	ck_assert_uint_eq(lane->head, record_size(lane, 0));
	tbuf_probe_unregister(&later);
	ck_assert(!tbuf_probe_enabled(&later));
}
END_TEST

START_TEST(equal_sites_are_one_probe)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_UINT64 };
	static const enum tbuf_type other[] = { TBUF_UINT64, TBUF_INT64 };
	struct tbuf_site same = { .state = 0 }, different = { .state = 0 };
	struct tbuf_control *control = tbuf_view_control(&view);
	uint32_t n = control->nprobes;

	site(&same, "two", 2, types);
	ck_assert_uint_eq(same.index, two.index);
	ck_assert_uint_eq(tbuf_view_probe(&view, two.index)->sites, 2);
	site(&different, "two", 2, other);
	ck_assert_uint_ne(different.index, two.index);
	ck_assert_uint_eq(control->nprobes, n + 1);
	tbuf_probe_unregister(&same);
	ck_assert_uint_eq(tbuf_view_probe(&view, two.index)->sites, 1);
	/* And takes its entry again. */
	site(&same, "two", 2, types);
	ck_assert_uint_eq(same.index, two.index);
	tbuf_probe_unregister(&same);
	tbuf_probe_unregister(&different);
}
END_TEST

/* What a disabled TBUF_PROBE looks at is a copy of `enabled`. */
START_TEST(the_hot_word_of_a_site_is_its_pointer)
{
	struct tbuf_site sites[2] = { { .text = "t, hot", .function = "f",
	    .version = TBUF_SITE_VERSION, .kind = TBUF_SITE_PROBE } };
	const uint32_t *hot[2] = { &sites[0].zero, &sites[1].zero };

	sites[1] = sites[0];
	sites[1].kind = TBUF_SITE_TEST;
	sites[0].hot = &hot[0];
	sites[1].hot = &hot[1];
	tbuf_sites_register(sites, sites + 2);
	ck_assert_ptr_eq(hot[0], tbuf_view_enable(&view, sites[0].index));
	ck_assert_ptr_eq(sites[0].enabled, hot[0]);
	ck_assert_ptr_eq(hot[1], hot[0]);
	tbuf_sites_unregister(sites, sites + 2);
	ck_assert_ptr_eq(hot[0], &sites[0].zero);
	ck_assert_ptr_eq(sites[0].enabled, hot[0]);
	ck_assert_ptr_eq(hot[1], &sites[1].zero);
}
END_TEST

/* A site keeps it beyond its probe, whose other sites' are joined. */
START_TEST(a_selection_is_that_of_the_next_registration)
{
	struct tbuf_site sites[2] = { { .index = 8 }, { .index = 0 } };

	tbuf_probe_select(&sites[1], 6);
	site(&sites[0], "selected", 0, NULL);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[0].index)->selection,
	    0);
	site(&sites[1], "selected", 0, NULL);
	tbuf_probe_select(&sites[1], 1);
	ck_assert_uint_eq(sites[1].index, sites[0].index);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[0].index)->selection,
	    6);
	tbuf_probe_unregister(&sites[1]);
	site(&sites[1], "selected-again", 0, NULL);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[1].index)->selection,
	    6);
	tbuf_probe_unregister(&sites[1]);
	tbuf_probe_select(&sites[1], 0);
	site(&sites[1], "selected-no-more", 0, NULL);
	ck_assert_uint_eq(tbuf_view_probe(&view, sites[1].index)->selection,
	    0);
}
END_TEST

START_TEST(nonsense_is_refused_at_registration)
{
	static const enum tbuf_type types[11] = { TBUF_INT8, 99 };
	const char *names[] = { "a:b" };
	struct tbuf_site s = { .state = 0 };
	char longname[300];

	memset(longname, 'x', sizeof(longname) - 1);
	longname[sizeof(longname) - 1] = '\0';
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "n", 11,
	    types, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "n", 2,
	    types, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "n", 1,
	    types, names), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, NULL, "m", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "a b", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", longname, 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", longname, "n", 0,
	    NULL, NULL), -EINVAL);
}
END_TEST

START_TEST(only_a_function_has_colons_and_only_in_the_midst)
{
	static const char *const bad[] = {
		"::f", "f::", "f:g", "f:::g", "f::::g", ":", "::", "f::g:"
	};
	struct tbuf_site s = { .state = 0 };
	size_t i;

	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "ns::C::f", "n", 0,
	    NULL, NULL), 0);
	tbuf_probe_unregister(&s);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(tbuf_probe_register(&s, "p", "m", bad[i], "n", 0,
		    NULL, NULL) == -EINVAL, "%s", bad[i]);
	ck_assert_int_eq(tbuf_probe_register(&s, "a::b", "m", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "a::b", "f", "n", 0,
	    NULL, NULL), -EINVAL);
	ck_assert_int_eq(tbuf_probe_register(&s, "p", "m", "f", "a::b", 0,
	    NULL, NULL), -EINVAL);
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
		a_record_larger_than_the_buffer_is_a_drop_of_its_own,
		the_smallest_buffer_holds_one_record,
		a_size_that_is_no_power_of_two_is_kept,
		fires_on_other_cpus_are_not_the_sessions,
		each_cpu_has_its_lane_whatever_its_number,
		stamps_rise_strictly_and_the_thread_is_told,
		stamps_rise_where_the_clock_does_not,
		arguments_lie_as_the_format_says,
		a_text_may_go_around_the_end,
		each_enabling_writes_its_own_record,
		enablings_met_in_any_order_write_their_records,
		each_session_gets_its_own_record,
		a_new_session_in_the_slot_is_not_taken_for_the_old,
		a_session_whose_consumer_is_late_is_given_up,
		a_deadline_that_is_put_off_meanwhile_gives_nothing_up,
		a_deadline_of_another_session_gives_nothing_up,
		offsets_behind_the_end_of_the_file_are_not_followed,
		a_damaged_ring_begins_anew,
		a_fire_that_finds_all_lanes_taken_is_a_drop,
		drops_for_want_of_a_lane_stop_at_the_maximum,
		a_later_probe_meets_the_session,
		equal_sites_are_one_probe,
		the_hot_word_of_a_site_is_its_pointer,
		nonsense_is_refused_at_registration,
		a_selection_is_that_of_the_next_registration,
		only_a_function_has_colons_and_only_in_the_midst
	};
	Suite *suite = suite_create("target");
	TCase *tcase = tcase_create("both paths");
	SRunner *runner;
	size_t i;
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_loop_test(tcase, tests[i], 0, 2);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
