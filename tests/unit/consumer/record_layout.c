/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Record layouts: how the bytes of a record become values, by the types of a
 * probe or by a clause's pieces; and layouts that make no sense.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "layout/raw_stack.h"
#include "lib/check_main.h"
#include "machine/program.h"

#define NTYPES	TBUF_BINARY

/* A record's data: numbers of all types, negative if they are signed. */
struct data {
	int8_t i8;
	int16_t i16;
	int32_t i32;
	int64_t i64;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	float f;
	double d;
};

static const struct data data = {
	-8, -16, -32, -64, 200, 50000, 4000000000u, UINT64_MAX - 1, 0.5f, -0.25
};

static const uint8_t data_types[] = {
	TBUF_INT8, TBUF_INT16, TBUF_INT32, TBUF_INT64, TBUF_UINT8,
	TBUF_UINT16, TBUF_UINT32, TBUF_UINT64, TBUF_FLOAT, TBUF_DOUBLE
};

static struct tbuf_record_layout *
layout_new(unsigned npieces)
{
	struct tbuf_record_layout *layout = malloc(tbuf_layout_size(npieces));

	ck_assert_ptr_nonnull(layout);
	return (layout);
}

static struct tbuf_record_layout *
arguments(struct tbuf_probe_info *probe, unsigned nargs, const uint8_t *types)
{
	struct tbuf_record_layout *layout = layout_new(nargs);

	memset(probe, 0, sizeof(*probe));
	probe->nargs = nargs;
	memcpy(probe->types, types, nargs);
	tbuf_layout_arguments(layout, probe);
	return (layout);
}

START_TEST(each_number_is_read_with_its_sign)
{
	struct tbuf_value v[TBUF_ARGS_MAX];
	struct tbuf_probe_info probe;
	struct tbuf_record_layout *layout;
	unsigned i;

	layout = arguments(&probe, 10, data_types);
	ck_assert_uint_eq(layout->nfixed, 10);
	ck_assert(tbuf_layout_read(layout, &data, sizeof(data), v));
	for (i = 0; i < 10; i++)
		ck_assert_uint_eq(v[i].type, data_types[i]);
	ck_assert_int_eq(v[0].i, -8);
	ck_assert_int_eq(v[1].i, -16);
	ck_assert_int_eq(v[2].i, -32);
	ck_assert_int_eq(v[3].i, -64);
	ck_assert_uint_eq(v[4].u, 200);
	ck_assert_uint_eq(v[5].u, 50000);
	ck_assert_uint_eq(v[6].u, 4000000000u);
	ck_assert_uint_eq(v[7].u, UINT64_MAX - 1);
	ck_assert(v[8].d == 0.5);
	ck_assert(v[9].d == -0.25);
	free(layout);
}
END_TEST

/* Numbers have a fixed size; words are the 64-bit ones, but no doubles. */
static bool
is_number(uint8_t type)
{
	return (memchr(data_types, type, sizeof(data_types)) != NULL ||
	    type == TBUF_POINTER);
}

static bool
is_word(uint8_t type)
{
	return (type == TBUF_INT64 || type == TBUF_UINT64 ||
	    type == TBUF_POINTER);
}

/* The fast path for records of words alone yields the same values. */
START_TEST(words_are_read_alike)
{
	uint64_t words[2] = { UINT64_C(0x8000000000000001), 7 };
	struct tbuf_value v[2], quick[2];
	struct tbuf_record_layout *layout;
	struct tbuf_probe_info probe;
	uint8_t types[2];
	unsigned i, all = 0;
	size_t size;

	for (i = 0; i < 16 * 16; i++) {
		types[0] = (uint8_t)(i / 16);
		types[1] = (uint8_t)(i % 16);
		if (!is_number(types[0]) || !is_number(types[1]))
			continue;
		layout = arguments(&probe, 2, types);
		ck_assert_int_eq(layout->words,
		    is_word(types[0]) && is_word(types[1]));
		memset(v, 0x55, sizeof(v));
		memset(quick, 0x55, sizeof(quick));
		size = sizeof(words);
		while (!tbuf_layout_read(layout, words, size, v))
			ck_assert_uint_gt(size -= 8, 0);
		if (layout->words) {
			all++;
			ck_assert(!tbuf_layout_words(layout, words,
			    sizeof(words) - 1, quick));
			ck_assert(tbuf_layout_words(layout, words,
			    sizeof(words), quick));
			ck_assert_mem_eq(v, quick, sizeof(v));
		}
		free(layout);
	}
	ck_assert_uint_ge(all, 4);
}
END_TEST

/*
 * With any types, one byte less than they need is refused, and eight bytes
 * more, which are no padding.
 */
START_TEST(other_sizes_are_refused)
{
	uint8_t types[4], bytes[64] __attribute__((aligned(8)));
	struct tbuf_value v[4];
	struct tbuf_probe_info probe;
	struct tbuf_record_layout *layout;
	unsigned i, turn;
	size_t size, need;

	srand((unsigned)_i + 1);
	for (turn = 0; turn < 500; turn++) {
		for (i = 0; i < 4; i++)
			types[i] = (uint8_t)(1 + rand() % NTYPES);
		/* Strings have 3 bytes; no other word can be a length of 3. */
		memset(bytes, 0, sizeof(bytes));
		for (i = 0; i + 1 < sizeof(bytes); i += 2)
			bytes[i] = rand() % 2 == 0 ? 3 : 0;
		layout = arguments(&probe, 4, types);
		for (size = 0; size <= sizeof(bytes); size++) {
			ck_assert_int_eq(tbuf_layout_read(layout, bytes, size,
			    v), tbuf_layout_fits(layout, bytes, size));
			if (tbuf_layout_fits(layout, bytes, size))
				break;
		}
		ck_assert_uint_le(size, sizeof(bytes));
		for (need = size; size <= sizeof(bytes); size++) {
			ck_assert_int_eq(tbuf_layout_read(layout, bytes, size,
			    v), size < need + 8);
			ck_assert_int_eq(tbuf_layout_fits(layout, bytes, size),
			    size < need + 8);
		}
		free(layout);
	}
}
END_TEST

START_TEST(texts_move_what_is_behind_them)
{
	static const uint8_t types[] = {
		TBUF_UINT8, TBUF_STRING, TBUF_UINT32, TBUF_BINARY, TBUF_STRING
	};
	static const uint8_t bytes[] __attribute__((aligned(8))) = {
		9, 0, 3, 0, 'a', 'b', 'c', 0, 1, 2, 0, 0, 1, 0x80, 'x', 0,
		0, 0x80
	};
	struct tbuf_probe_info probe;
	struct tbuf_record_layout *layout = arguments(&probe, 5, types);
	struct tbuf_value v[5];

	ck_assert_uint_eq(layout->nfixed, 1);
	ck_assert(tbuf_layout_read(layout, bytes, sizeof(bytes), v));
	ck_assert_uint_eq(v[0].u, 9);
	ck_assert_uint_eq(v[1].size, 3);
	ck_assert_mem_eq(v[1].data, "abc", 3);
	ck_assert(!v[1].cut && !v[1].null);
	ck_assert_uint_eq(v[2].u, 0x201);
	ck_assert_uint_eq(v[3].size, 1);
	ck_assert(v[3].cut && !v[3].null);
	ck_assert(v[4].null && !v[4].cut && v[4].size == 0);
	ck_assert(!tbuf_layout_read(layout, bytes, sizeof(bytes) - 1, v));
	free(layout);
}
END_TEST

/* ------------------------------------------------------------ clauses */

/* The types of a probe with arguments that a clause names. */
static const uint8_t named_types[] = {
	TBUF_INT8, TBUF_STRING, TBUF_FLOAT, TBUF_BOOL
};

static bool
build(struct tbuf_record_layout **layout, unsigned n,
    const struct tbuf_piece *pieces, uint64_t binding)
{
	struct tbuf_probe_info probe = { .nargs = 4 };

	memcpy(probe.types, named_types, sizeof(named_types));
	*layout = layout_new(n);
	return (tbuf_layout_pieces(*layout, pieces, n, binding, &probe));
}

START_TEST(names_have_the_types_of_what_they_are_bound_to)
{
	static const struct tbuf_piece pieces[] = {
		{ TBUF_NONE, 0, 0, 0 }, { TBUF_NONE, 15, 0, 0 },
		{ TBUF_INT64, 0, 0, 0 }, { TBUF_NONE, 1, 0, 0 },
		{ TBUF_NONE, 0, 0, 0 }
	};
	const float half = 0.5f;
	uint64_t words[5] = { (uint64_t)-8, 0, (uint64_t)-1,
	    UINT64_C(0x61610002), (uint64_t)-9 };
	struct tbuf_record_layout *layout;
	struct tbuf_value v[5];

	memcpy(&words[1], &half, sizeof(half));
	/* Name 0 is argument 0, name 1 is 1, and name 15 is 2. */
	ck_assert(build(&layout, 5, pieces, UINT64_C(2) << 60 | 0x10));
	ck_assert(tbuf_layout_read(layout, words, sizeof(words), v));
	ck_assert_uint_eq(v[0].type, TBUF_INT8);
	ck_assert_int_eq(v[0].i, -8);
	ck_assert_uint_eq(v[1].type, TBUF_FLOAT);
	ck_assert(v[1].d == 0.5);
	ck_assert_int_eq(v[2].i, -1);
	ck_assert_uint_eq(v[3].type, TBUF_STRING);
	ck_assert_mem_eq(v[3].data, "aa", 2);
	ck_assert_int_eq(v[4].i, -9);
	free(layout);
}
END_TEST

START_TEST(arrays_are_bytes)
{
	static const struct tbuf_piece pieces[] = {
		{ TBUF_UINT8, 0, 3, 0 }, { TBUF_UINT64, 0, 2, 0 }
	};
	uint64_t words[3] = { 0x030201, 4, 5 };
	struct tbuf_record_layout *layout;
	struct tbuf_value v[2];

	ck_assert(build(&layout, 2, pieces, 0));
	ck_assert(tbuf_layout_read(layout, words, sizeof(words), v));
	ck_assert_uint_eq(v[0].type, TBUF_BINARY);
	ck_assert_uint_eq(v[0].size, 3);
	ck_assert_mem_eq(v[0].data, words, 3);
	ck_assert_uint_eq(v[1].size, 16);
	ck_assert_ptr_eq(v[1].data, (const char *)&words[1]);
	ck_assert(!tbuf_layout_read(layout, words, sizeof(words) - 1, v));
	free(layout);
}
END_TEST

START_TEST(pieces_that_make_no_sense)
{
	static const struct tbuf_piece bad[][2] = {
		{ { TBUF_BINARY + 1, 0, 0, 0 } },
		{ { 255, 0, 0, 0 } },
		{ { TBUF_NONE, 26, 0, 0 } },	/* no such argument */
		{ { TBUF_NONE, 2, 0, 0 } },	/* bound to no argument */
		{ { TBUF_STRING, 0, 1, 0 } },	/* an array of strings */
		{ { TBUF_NONE, 1, 2, 0 } },
		{ { TBUF_UINT64, 0, 4096, 0 } }, /* more than a record holds */
		{ { TBUF_UINT16, 0, UINT16_MAX, 0 } },
		{ { TBUF_UINT64, 0, 2048, 0 }, { TBUF_UINT64, 0, 2048, 0 } }
	};
	struct tbuf_record_layout *layout;

	ck_assert(!build(&layout, bad[_i][1].type == 0 ? 1 : 2, bad[_i],
	    0xf10));
	free(layout);
}
END_TEST

/* ------------------------------------------------------------ files */

#define TEXT_AT	8

struct texts {
	uint64_t none;
	struct tbuf_text_record record;
	struct tbuf_piece pieces[2];
};

/* A session of a dead target; one of its EPIDs has a clause. */
struct run {
	struct fake f;
	uint16_t plain, clause;
	struct tbuf_clause *clauses;
	struct texts *texts;
};

static void
add_clauses(struct run *r)
{
	size_t at = r->f.size, entries = fake_slot(&r->f)->ecb_max;
	struct tbuf_slot *slot;

	r->f.control->end = at + entries * sizeof(struct tbuf_clause) + 4096;
	ck_assert_int_eq(ftruncate(r->f.fd, (off_t)r->f.control->end), 0);
	fake_map(&r->f);
	slot = fake_slot(&r->f);
	slot->clauses = at;
	slot->texts.at = at + entries * sizeof(struct tbuf_clause);
	slot->texts.size = sizeof(*r->texts);
	r->clauses = (void *)(r->f.file + slot->clauses);
	r->texts = (void *)(r->f.file + slot->texts.at);
	r->clauses[r->clause].text = TEXT_AT / 8;
	*r->texts = (struct texts){
		.record = { sizeof(*r->texts) - TEXT_AT, 2, 0 },
		.pieces = { { TBUF_UINT16, 0, 0, 0 }, { TBUF_NONE, 0, 0, 0 } }
	};
}

static void
begin(struct run *r)
{
	static const uint8_t types[] = { TBUF_INT64 };
	uint32_t probes[2];
	struct tbuf_consumer *c;

	memset(r, 0, sizeof(*r));
	fake_begin(&r->f);
	probes[0] = fake_probe(&r->f, "plain", 1, types);
	probes[1] = fake_probe(&r->f, "clause", 1, types);
	c = fake_session(&r->f, "bufpolicy=ring bufsize=4k");
	r->plain = fake_epid(&r->f, probes[0]);
	r->clause = fake_epid(&r->f, probes[1]);
	add_clauses(r);
	/* The file looks like another consumer's from now on. */
	r->f.control->state[0] = TBUF_ACTIVE;
	TAILQ_FIRST(&c->targets)->slot = -1;
	tbuf_consumer_close(c);
}

static void
fire(struct run *r, uint16_t epid)
{
	uint64_t words[2] = { 7, (uint64_t)-3 };

	ck_assert(fake_record(&r->f, 0, epid, words, epid == r->plain ? 8 :
	    sizeof(words)));
}

/* The records that a reader of the file gets: plain ones, and pieces. */
struct given {
	unsigned plain, pieces;
	uint64_t damage;
};

static void
look(const struct tbuf_record *record, struct given *given)
{
	if (record->pieces == NULL) {
		ck_assert_uint_eq(record->nargs, 1);
		ck_assert_int_eq(record->args[0].i, 7);
		given->plain++;
		return;
	}
	ck_assert_uint_eq(record->nargs, 0);
	ck_assert_uint_eq(record->npieces, 2);
	ck_assert_uint_eq(record->pieces[0].u, 7);
	ck_assert_int_eq(record->pieces[1].i, -3);
	given->pieces++;
}

static int
read_file(struct run *r, struct given *given)
{
	char path[160];
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tbuf_event event;
	int error;

	memset(given, 0, sizeof(*given));
	snprintf(path, sizeof(path), "%s/%s", r->f.directory, r->f.name);
	error = tbuf_consumer_open_file(c, path);
	if (error == 0)
		error = tbuf_consumer_go(c);
	while (error == 0 && tbuf_consumer_work(c) > 0)
		continue;
	while (error == 0 && tbuf_consumer_next(c, &event) == 1)
		if (event.type == TBUF_EVENT_RECORD)
			look(&event.record, given);
		else if (event.type == TBUF_EVENT_DAMAGE)
			given->damage += event.count;
	tbuf_consumer_close(c);
	return (error);
}

START_TEST(file_says_itself_what_its_records_are)
{
	struct given given;
	struct run r;

	begin(&r);
	fire(&r, r.plain);
	fire(&r, r.clause);
	fire(&r, r.clause);
	fake_kill(&r.f);
	ck_assert_int_eq(read_file(&r, &given), 0);
	ck_assert_uint_eq(given.plain, 1);
	ck_assert_uint_eq(given.pieces, 2);
	ck_assert_uint_eq(given.damage, 0);
	fake_end(&r.f);
}
END_TEST

/* tbufctl prints them as text, then as JSON. */
START_TEST(tbufctl_prints_pieces)
{
	static const char *const expected[] = {
		"   1026                  function:clause      7"
		"                  -3\n",
		"\"name\":\"clause\",\"args\":{},\"values\":[7,-3]}\n"
	};
	char command[512], line[512];
	struct run r;
	FILE *out;

	begin(&r);
	fire(&r, r.clause);
	fake_kill(&r.f);
	snprintf(command, sizeof(command), "%s --read=%s/%s --format=%s "
	    "2>/dev/null | grep clause", getenv("TBUFCTL"), r.f.directory,
	    r.f.name, _i == 0 ? "text" : "json");
	out = popen(command, "r");
	ck_assert_ptr_nonnull(out);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), out));
	pclose(out);
	ck_assert_msg(strlen(line) > strlen(expected[_i]) &&
	    strcmp(line + strlen(line) - strlen(expected[_i]),
	    expected[_i]) == 0, "%s", line);
	fake_end(&r.f);
}
END_TEST

/* Damages the text of one EPID; only the records of that one are lost. */
static void
spoil(struct run *r, int how)
{
	switch (how) {
	case 0:
		r->clauses[r->clause].text = UINT32_MAX;
		break;
	case 1:		/* it begins within the text, and ends after it */
		r->clauses[r->clause].text = sizeof(struct texts) / 8 - 1;
		break;
	case 2:
		r->texts->record.size += 8;
		break;
	case 3:
		r->texts->record.size -= 8;
		break;
	case 4:
		r->texts->record.npieces = UINT16_MAX;
		break;
	case 5:
		r->texts->pieces[1].type = TBUF_BINARY + 1;
		break;
	case 6:
		r->texts->pieces[1].name = 3;
		r->clauses[r->clause].binding = 0x1000;
		break;
	case 7:		/* more than the record has */
		r->texts->pieces[1] = (struct tbuf_piece){
		    TBUF_UINT64, 0, 2, 0 };
		break;
	}
}

START_TEST(text_that_makes_no_sense_is_damage)
{
	struct given given;
	struct run r;

	begin(&r);
	fire(&r, r.plain);
	fire(&r, r.clause);
	fire(&r, r.plain);
	spoil(&r, _i);
	fake_kill(&r.f);
	ck_assert_int_eq(read_file(&r, &given), 0);
	ck_assert_uint_eq(given.plain, 2);
	ck_assert_uint_eq(given.pieces, 0);
	ck_assert_uint_eq(given.damage, 32);
	fake_end(&r.f);
}
END_TEST

/* Clauses or text outside the file make a session unreadable. */
START_TEST(clauses_outside_of_the_file)
{
	struct given given;
	struct tbuf_slot *slot;
	struct run r;

	begin(&r);
	fire(&r, r.clause);
	slot = fake_slot(&r.f);
	switch (_i) {
	case 0:
		slot->clauses = r.f.size - 8;
		break;
	case 1:
		slot->clauses += 4;
		break;
	case 2:
		slot->texts.at = UINT64_MAX - 7;
		break;
	case 3:
		slot->texts.size = UINT64_MAX;
		break;
	}
	fake_kill(&r.f);
	ck_assert_int_eq(read_file(&r, &given), -EINVAL);
	fake_end(&r.f);
}
END_TEST

/* A file may be forged; c->stack has room for one stack. */
START_TEST(second_raw_stack_of_a_record_has_no_frames)
{
	static struct tbuf_consumer c;
	const struct tbuf_d_piece pieces[2] = {
		{ .kind = TBUF_PIECE_STACK, .bytes = 64 },
		{ .kind = TBUF_PIECE_STACK, .bytes = 64 }
	};
	const struct tbuf_d_record record = { .pieces = pieces, .npieces = 2 };
	const struct tbuf_raw raw[2] = { { .pc = 111 }, { .pc = 222 } };
	uint64_t frames[2];
	unsigned i;

	for (i = 0; i < 2; i++)
		c.values[i] = (struct tbuf_value){ .type = TBUF_BINARY,
		    .size = sizeof(raw[i]), .data = (const char *)&raw[i] };
	tbuf_stack_give(&c, &record);
	ck_assert_uint_eq(c.values[0].size, sizeof(frames));
	memcpy(frames, c.values[0].data, sizeof(frames));
	ck_assert_uint_eq(frames[1], 111);
	ck_assert_uint_eq(c.values[1].size, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("records");
	TCase *t = tcase_create("records");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, each_number_is_read_with_its_sign);
	tcase_add_test(t, words_are_read_alike);
	tcase_add_loop_test(t, other_sizes_are_refused, 0, 4);
	tcase_add_test(t, texts_move_what_is_behind_them);
	tcase_add_test(t, names_have_the_types_of_what_they_are_bound_to);
	tcase_add_test(t, arrays_are_bytes);
	tcase_add_loop_test(t, pieces_that_make_no_sense, 0, 9);
	tcase_add_test(t, file_says_itself_what_its_records_are);
	tcase_add_loop_test(t, tbufctl_prints_pieces, 0, 2);
	tcase_add_loop_test(t, text_that_makes_no_sense_is_damage, 0, 8);
	tcase_add_loop_test(t, clauses_outside_of_the_file, 0, 4);
	tcase_add_test(t, second_raw_stack_of_a_record_has_no_frames);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
