/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Damaged bytes in a buffer cost no records but the damaged ones and their
 * neighbours, wherever they are.
 */
#include <sys/syscall.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/check_main.h"
#include "lib/interposed_call.h"

#define RECORDS		8192

static const uint8_t integers[] = { TBUF_INT64, TBUF_INT64, TBUF_INT64 };
static unsigned seed;
static uint64_t bytes_read;		/* by pread(2) */

/* Counts bytes that the library reads: it calls this pread(), not libc's. */
ssize_t	pread(int, void *, size_t, off_t);
ssize_t
pread(int fd, void *to, size_t size, off_t at)
{
	ssize_t n = syscall(SYS_pread64, fd, to, size, at);

	if (n > 0)
		bytes_read += (uint64_t)n;
	return (n);
}
INTERPOSED(pread);

/* A record as the test has written it. */
struct item {
	uint64_t at, size;		/* in the lane's stream */
	int64_t number;
	bool seen;
};

/* Times around the damage of a lane, as events come. */
struct place {
	uint64_t last;			/* of the last record */
	uint64_t before;		/* of the last damage */
	bool waits;			/* no record has come since */
	unsigned known;			/* damage between two records */
};

struct run {
	struct fake f;
	struct place place;
	struct tbuf_consumer *c;
	uint16_t epids[2];		/* of one integer, and of three */
	int64_t next;
	bool ring, packets;
	struct item items[RECORDS];
	unsigned nitems;
	uint64_t damage;
};

/* The ways in which records are read. */
static const struct {
	const char *options;
	bool ring, packets;
} ways[] = {
	{ "bufpolicy=switch", false, false },
	{ "bufpolicy=switch temporal", false, false },
	{ "bufpolicy=switch", false, true },
	{ "bufpolicy=ring", true, false }
};
#define NWAYS	(int)(sizeof(ways) / sizeof(ways[0]))

static struct run *
begin(int way, const char *bufsize)
{
	struct run *r = calloc(1, sizeof(*r));
	uint32_t one, three;
	char options[64];

	ck_assert_ptr_nonnull(r);
	fake_begin(&r->f);
	one = fake_probe(&r->f, "one", 1, integers);
	three = fake_probe(&r->f, "three", 3, integers);
	snprintf(options, sizeof(options), "%s bufsize=%s", ways[way].options,
	    bufsize);
	r->c = fake_session(&r->f, options);
	r->epids[0] = fake_epid(&r->f, one);
	r->epids[1] = fake_epid(&r->f, three);
	r->ring = ways[way].ring;
	r->packets = ways[way].packets;
	return (r);
}

static void
end(struct run *r)
{
	tbuf_consumer_close(r->c);
	fake_end(&r->f);
	free(r);
}

static unsigned char *
bytes_at(struct run *r, uint64_t at)
{
	const struct tbuf_lane *lane = fake_lane(&r->f, 0);

	return (r->f.file + tbuf_place_offset(lane->place) +
	    (at & (tbuf_place_storage(lane->place) - 1)));
}

static uint64_t
tail(struct run *r)
{
	const struct tbuf_lane *lane = fake_lane(&r->f, 0);

	return (r->ring ? lane->pair[lane->sequence & 1].tail : lane->tail);
}

/* Fires, and notes which records the lane has. */
static void
fire(struct run *r, unsigned count)
{
	struct tbuf_lane *lane = fake_lane(&r->f, 0);
	int64_t values[3] = { 0, -1, -1 };
	struct tbuf_header header;
	uint64_t at;

	for (; count > 0; count--) {
		values[0] = r->next++;
		ck_assert(fake_record(&r->f, 0, r->epids[values[0] % 3 == 0],
		    values, values[0] % 3 == 0 ? 24 : 8));
	}
	lane->last = r->f.time - 1;
	r->nitems = 0;
	for (at = tail(r); at < lane->head; at += header.size) {
		/* A header may wrap, a word does not. */
		memcpy(&header, bytes_at(r, at), 8);
		memcpy((char *)&header + 8, bytes_at(r, at + 8), 8);
		ck_assert_uint_lt(r->nitems, RECORDS);
		r->items[r->nitems].at = at;
		r->items[r->nitems].size = header.size;
		r->items[r->nitems].seen = false;
		memcpy(&r->items[r->nitems++].number, bytes_at(r, at + 16), 8);
	}
}

static void
see(struct run *r, int64_t number)
{
	int64_t n = number - r->items[0].number;

	if (n >= 0 && n < r->nitems)
		r->items[n].seen = true;
}

/* Damage lies after the last record, and before the next one of its drain. */
static void
place_damage(struct place *p, const struct tbuf_event *event)
{
	ck_assert_uint_eq(event->after, p->last);
	p->before = event->before;
	p->known += event->after != 0 && event->before != 0;
	p->waits = true;
}

static void
place_record(struct place *p, const struct tbuf_event *event)
{
	ck_assert_uint_eq(event->after + event->before, 0);
	if (p->waits)
		ck_assert_uint_eq(event->record.time, p->before);
	p->last = event->record.time;
	p->waits = false;
}

static void
read_packets(struct run *r)
{
	const struct tbuf_header *header;
	const unsigned char *at;
	struct tbuf_packet p;
	int64_t number;

	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
	while (tbuf_consumer_packet(r->c, &p) == 1) {
		r->damage += p.damage;
		for (at = p.data; at < (const unsigned char *)p.data + p.size;
		    at += header->size) {
			header = (const void *)at;
			memcpy(&number, header + 1, sizeof(number));
			see(r, number);
		}
	}
}

static void
read_records(struct run *r)
{
	struct tbuf_event event;
	uint64_t time = 0;

	r->place.waits = false;
	if (r->ring)
		r->place.last = 0;
	ck_assert_int_eq(r->ring ? tbuf_drain_snapshot(r->c) :
	    tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH | TBUF_DRAIN_STATUS), 0);
	while (tbuf_consumer_next(r->c, &event) == 1)
		if (event.type == TBUF_EVENT_DAMAGE) {
			r->damage += event.count;
			place_damage(&r->place, &event);
		} else if (event.type == TBUF_EVENT_RECORD) {
			ck_assert_uint_gt(event.record.time, time);
			time = event.record.time;
			place_record(&r->place, &event);
			see(r, event.record.args[0].i);
		}
}

/*
 * Reads all of the lane, where `size` bytes from `at` on are damaged.  The
 * damaged records may be lost, and the one after them.
 */
static void
check(struct run *r, uint64_t at, uint64_t size)
{
	const struct item *item;
	bool damaged, after = false;
	unsigned i;

	r->damage = 0;
	if (r->packets)
		read_packets(r);
	else
		read_records(r);
	for (i = 0; i < r->nitems; i++, after = damaged) {
		item = &r->items[i];
		damaged = item->at < at + size && item->at + item->size > at;
		ck_assert_msg(item->seen || damaged || after, "record %u of %u "
		    "(%lu bytes at %lu) is lost: %lu bytes at %lu are damaged; "
		    "seed %u", i, r->nitems, (unsigned long)item->size,
		    (unsigned long)item->at, (unsigned long)size,
		    (unsigned long)at, seed);
	}
	ck_assert_uint_le(r->damage, size + 3 * 40);
}

/* Stores a word in the lane's stream.  Returns the old one. */
static uint64_t
poke(struct run *r, uint64_t at, uint64_t word)
{
	uint64_t old;

	memcpy(&old, bytes_at(r, at), sizeof(old));
	memcpy(bytes_at(r, at), &word, sizeof(word));
	return (old);
}

static uint64_t
random_word(void)
{
	return ((uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^
	    (uint64_t)rand());
}

/* Returns the n-th of the values that a damaged word may have. */
static uint64_t
damaged_word(uint64_t word, unsigned n)
{
	switch (n) {
	case 0:
		return (0);
	case 1:
		return (UINT64_MAX);
	case 2:
		return (random_word());
	case 3:
		return (word + 1 + (uint64_t)(rand() % 40));
	default:
		return (word ^ UINT64_C(1) << (n - 4));
	}
}

START_TEST(each_word_may_be_damaged)
{
	struct run *r = begin(_i, "512");
	uint64_t at, old, begun;
	unsigned word, n;

	for (word = 0; word < 40; word++)
		for (n = 0; n < 68; n++) {
			fire(r, 12);
			begun = r->items[0].at;
			at = begun + 8 * word;
			old = poke(r, at, 0);
			poke(r, at, damaged_word(old, n));
			check(r, at, 8);
			poke(r, at, old);
		}
	end(r);
}
END_TEST

START_TEST(runs_of_words_may_be_damaged)
{
	struct run *r = begin(_i, "96k");
	uint64_t old[128], at, words, i;
	unsigned round;

	for (round = 0; round < 100; round++) {
		fire(r, 3000);
		words = 1 + (uint64_t)rand() % 128;
		at = r->items[0].at + 8 * ((uint64_t)rand() %
		    (r->items[r->nitems - 1].at / 8 - r->items[0].at / 8));
		for (i = 0; i < words; i++)
			old[i] = poke(r, at + 8 * i, round % 2 == 0 ? 0 :
			    random_word());
		check(r, at, 8 * words);
		for (i = 0; i < words; i++)
			poke(r, at + 8 * i, old[i]);
	}
	end(r);
}
END_TEST

/*
 * Bytes that are made to look like records, again and again, are read a few
 * times only: of each four headers one has an EPID that does not exist, or a
 * size that leads far away.
 */
START_TEST(search_is_linear)
{
	struct tbuf_header *header;
	struct run *r = begin(_i, "4m");
	struct tbuf_lane *lane = fake_lane(&r->f, 0);
	unsigned i, n = 131072;

	fire(r, 1);
	for (i = 0; i < n; i++) {
		header = (void *)bytes_at(r, lane->head + 16 * i);
		header->time = r->f.time++;
		header->tid = 7;
		header->size = i % 4 == 0 ? (uint16_t)(rand() % 4096 * 8) : 16;
		header->epid = i % 5 == 0 ? (uint16_t)rand() : r->epids[0];
	}
	lane->head += 16 * n;
	lane->last = r->f.time;
	bytes_read = 0;
	if (r->packets)
		read_packets(r);
	else
		read_records(r);
	ck_assert_uint_gt(r->damage, 0);
	ck_assert_uint_lt(bytes_read, 8 * 16 * n);
	end(r);
}
END_TEST

/* Bytes that the writer of a ring released unread are reported once. */
START_TEST(bytes_that_the_writer_skipped)
{
	struct run *r = begin(NWAYS - 1, "64k");
	struct tbuf_target *t = TAILQ_FIRST(&r->c->targets);
	struct tbuf_event event;
	uint64_t damage = 0;
	unsigned i;

	for (i = 0; i < 2; i++) {
		fire(r, 10);
		t->readers[0].lane->skipped += 40;
		ck_assert_int_eq(tbuf_consumer_snapshot(r->c), 0);
		while (tbuf_consumer_next(r->c, &event) == 1)
			if (event.type == TBUF_EVENT_DAMAGE) {
				ck_assert_uint_eq(event.count, 40);
				damage += event.count;
			}
	}
	ck_assert_uint_eq(damage, 80);
	end(r);
}
END_TEST

/* Damage in a batch has no place in the lane; later damage has. */
START_TEST(damage_of_a_batch_has_no_place)
{
	struct run *r = begin(0, "4k");
	struct tbuf_reader *reader =
	    &TAILQ_FIRST(&r->c->targets)->readers[0];
	struct tbuf_batch *b = calloc(1, sizeof(*b));
	struct tbuf_event event;

	ck_assert_ptr_nonnull(b);
	fire(r, 3);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
	while (tbuf_consumer_next(r->c, &event) == 1)
		place_record(&r->place, &event);
	b->unit = true;
	b->damage = 8;
	reader->batch = b;
	fire(r, 3);
	ck_assert_int_eq(tbuf_drain_begin(r->c, TBUF_DRAIN_SWITCH), 0);
	ck_assert_int_eq(tbuf_consumer_next(r->c, &event), 1);
	ck_assert_int_eq(event.type, TBUF_EVENT_DAMAGE);
	ck_assert_uint_eq(event.count, 8);
	ck_assert_uint_eq(event.after + event.before, 0);
	while (tbuf_consumer_next(r->c, &event) == 1)
		place_record(&r->place, &event);
	fire(r, 4);
	poke(r, r->items[0].at + 8, 0);
	read_records(r);
	ck_assert_uint_eq(r->place.known, 1);
	end(r);
}
END_TEST

/* The file of a target that was killed has zeroes in its ring. */
START_TEST(file_is_read_after_its_damage)
{
	struct run *r = begin(NWAYS - 1, "64k");
	struct tbuf_target *t = TAILQ_FIRST(&r->c->targets);
	unsigned i, records = 0;
	struct tbuf_event event;
	uint64_t damage = 0, first = 0;
	struct place place = { 0 };
	int64_t next = 0;
	bool overwritten = false;
	char path[160];

	fire(r, 3000);
	for (i = 0; i < 600; i += 8)
		poke(r, r->items[r->nitems / 2].at + i, 0);
	/* The file looks like another consumer's from now on. */
	r->f.control->state[0] = TBUF_ACTIVE;
	t->slot = -1;
	tbuf_consumer_close(r->c);
	fake_kill(&r->f);
	snprintf(path, sizeof(path), "%s/%s", r->f.directory, r->f.name);
	r->c = tbuf_consumer_new();
	ck_assert_int_eq(tbuf_consumer_open_file(r->c, path), 0);
	ck_assert_int_eq(tbuf_consumer_go(r->c), 0);
	while (tbuf_consumer_work(r->c) > 0)
		continue;
	while (tbuf_consumer_next(r->c, &event) == 1)
		if (event.type == TBUF_EVENT_RECORD) {
			records++;
			see(r, event.record.args[0].i);
			first = first == 0 ? event.record.time : first;
			/* Numbers are lost where damage is, only. */
			ck_assert(place.waits || place.last == 0 ||
			    event.record.args[0].i == next);
			next = event.record.args[0].i + 1;
			place_record(&place, &event);
		} else if (event.type == TBUF_EVENT_DAMAGE) {
			damage += event.count;
			place_damage(&place, &event);
		} else if (event.type == TBUF_EVENT_OVERWRITTEN) {
			/* The first record comes after these. */
			ck_assert_uint_eq(event.after, 0);
			ck_assert_uint_eq(event.before, first);
			overwritten = true;
		}
	ck_assert(place.known == 1 && overwritten);
	ck_assert(r->items[0].seen && r->items[r->nitems - 1].seen);
	ck_assert_uint_ge(records, r->nitems - 600 / 24 - 2);
	ck_assert_uint_ge(damage, 600);
	ck_assert_uint_le(damage, 600 + 2 * 40);
	end(r);
}
END_TEST

/* Records of a unit or a speculation, which were kept apart. */
START_TEST(batch_is_read_after_its_damage)
{
	struct run *r = begin(NWAYS - 1, "4k");
	struct tbuf_reader *reader =
	    &TAILQ_FIRST(&r->c->targets)->readers[0];
	struct tbuf_batch b = { 0 };
	unsigned i;

	fire(r, 12);
	ck_assert_uint_eq(r->nitems, 12);
	b.size = r->items[11].at + r->items[11].size;
	b.bytes = malloc(b.size);
	ck_assert_ptr_nonnull(b.bytes);
	memcpy(b.bytes, bytes_at(r, 0), b.size);
	memset(b.bytes + r->items[_i].at, _i % 2 == 0 ? 0 : 0xff,
	    r->items[_i].size);
	ck_assert(tbuf_batch_add(r->c, &b, reader, 0));
	ck_assert_uint_eq(b.damage, r->items[_i].size);
	ck_assert_uint_eq(b.count, 11);
	for (i = 0; i < 11; i++)
		ck_assert_ptr_eq(b.items[i].header, b.bytes +
		    r->items[i < (unsigned)_i ? i : i + 1].at);
	free(b.bytes);
	free(b.items);
	end(r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("damage");
	TCase *t = tcase_create("lanes");
	const char *set = getenv("SEED");

	seed = set != NULL ? (unsigned)strtoul(set, NULL, 0) :
	    (unsigned)time(NULL);
	srand(seed);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, each_word_may_be_damaged, 0, NWAYS);
	tcase_add_loop_test(t, runs_of_words_may_be_damaged, 0, NWAYS);
	tcase_add_loop_test(t, search_is_linear, 0, NWAYS);
	tcase_add_loop_test(t, batch_is_read_after_its_damage, 0, 12);
	tcase_add_test(t, bytes_that_the_writer_skipped);
	tcase_add_test(t, damage_of_a_batch_has_no_place);
	tcase_add_test(t, file_is_read_after_its_damage);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
