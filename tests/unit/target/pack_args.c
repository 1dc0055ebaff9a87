/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arguments in records are compared, byte by byte, with those of a packer that
 * is as simple as the format's description in record.h.  Fires are made on the
 * rseq path and on the lock path (_i is 1), each as the session's first one and
 * as one that uses the thread's memo.
 */
#include <sys/mman.h>

#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/check_main.h"
#include "lib/single_step.h"
#include "target/file/file.h"
#include "target/lane/key_hash.h"
#include "target/lane/pack_string.h"
#include "tbuf_consumer.h"

#define FIRES	3
#define TEXT	400

static uint64_t seed;

/* xorshift64* */
static uint64_t
some(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * UINT64_C(0x2545f4914f6cdd1d));
}

/* ------------------------------------------------------------ the format */

struct arguments {
	unsigned n;
	enum tbuf_type types[TBUF_ARGS_MAX];
	uint64_t values[TBUF_ARGS_MAX];
};

static size_t
size_of(enum tbuf_type type)
{
	switch (type) {
	case TBUF_INT8: case TBUF_UINT8: case TBUF_CHAR: case TBUF_BOOL:
		return (1);
	case TBUF_INT16: case TBUF_UINT16:
		return (2);
	case TBUF_INT32: case TBUF_UINT32: case TBUF_FLOAT:
		return (4);
	case TBUF_STRING: case TBUF_STRING_SIZED: case TBUF_BINARY:
		return (0);
	default:
		return (8);
	}
}

static size_t
write_text(unsigned char *to, const char *data, size_t size, size_t strsize)
{
	uint16_t word = (uint16_t)size;

	if (data == NULL) {
		word = 0x8000;
		size = 0;
	} else if (size > strsize - 1) {
		size = strsize - 1;
		word = (uint16_t)(0x8000 | size);
	}
	memcpy(to, &word, sizeof(word));
	memcpy(to + 2, data == NULL ? "" : data, size);
	return (2 + size);
}

static size_t
write_argument(unsigned char *to, enum tbuf_type type, uint64_t value,
    size_t strsize)
{
	const struct tbuf_bytes *bytes = (const void *)(uintptr_t)value;
	const char *string = (const char *)(uintptr_t)value;

	if (size_of(type) != 0) {
		memcpy(to, &value, size_of(type));
		return (size_of(type));
	}
	if (type == TBUF_STRING)
		return (write_text(to, string,
		    string == NULL ? 0 : strnlen(string, strsize), strsize));
	return (write_text(to, bytes->data, bytes->size, strsize));
}

static size_t
write_arguments(unsigned char *to, const struct arguments *a, size_t strsize)
{
	size_t at = 0, alignment;
	unsigned i;

	memset(to, 0, TBUF_ARGS_MAX * (8 + strsize) + 8);
	for (i = 0; i < a->n; i++) {
		alignment = size_of(a->types[i]);
		if (alignment == 0)
			alignment = 2;
		at = (at + alignment - 1) / alignment * alignment;
		at += write_argument(to + at, a->types[i], a->values[i],
		    strsize);
	}
	return ((at + 7) / 8 * 8);
}

static void
expect_bytes(const void *found, size_t size, const struct arguments *a,
    size_t strsize)
{
	static unsigned char bytes[TBUF_ARGS_MAX * (8 + 32768) + 8];
	size_t expected = write_arguments(bytes, a, strsize), at;

	ck_assert_uint_eq(size, expected);
	/* Assertions that hold make a system call, too, so this tests first. */
	if (memcmp(found, bytes, size) == 0)
		return;
	for (at = 0; at < size; at++)
		ck_assert_msg(((const unsigned char *)found)[at] == bytes[at],
		    "byte %zu of %zu is %#x, not %#x", at, size,
		    ((const unsigned char *)found)[at], bytes[at]);
}

/* ------------------------------------------------------------ fires */

static struct tbuf_consumer *consumer;
static struct tbuf_view view;
static struct tbuf_slot *slot;
static struct tbuf_site first;

static void
begin(const char *strsize, bool locks)
{
	cpu_set_t cpus;

	/* On one CPU, its lane or a lock lane gets all records. */
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	/* A consumer without probes would not become a target. */
	ck_assert_int_eq(tbuf_process_register(), 0);
	ck_assert_int_eq(tbuf_probe_register(&first, "pack", "m", "f", "first",
	    0, NULL, NULL), 0);
	if (locks)
		tbuf_self.rseq = false;
	view = tbuf_target_view();
	ck_assert_ptr_nonnull(view.base);
	slot = tbuf_view_slot(&view, 0);
	consumer = tbuf_consumer_new();
	ck_assert_ptr_nonnull(consumer);
	ck_assert_msg(
	    tbuf_consumer_set(consumer, "bufpolicy", "ring") == 0 &&
	    tbuf_consumer_set(consumer, "bufsize", "32k") == 0 &&
	    tbuf_consumer_set(consumer, "strsize", strsize) == 0 &&
	    tbuf_consumer_enable(consumer, "pack:::") == 0 &&
	    tbuf_consumer_grab(consumer, getpid()) == 0 &&
	    tbuf_consumer_go(consumer) == 0, "%s",
	    tbuf_consumer_error(consumer));
}

/* Returns the lane with a head other than in `heads'. */
static struct tbuf_lane *
lane_written(uint64_t heads[static TBUF_NCPUS])
{
	struct tbuf_lane *lanes = (void *)(view.base + slot->lanes);
	struct tbuf_lane *found = NULL;
	unsigned i;

	for (i = 0; i < slot->nlanes; i++) {
		if (lanes[i].head != heads[i]) {
			ck_assert_ptr_null(found);
			found = &lanes[i];
		}
		heads[i] = lanes[i].head;
	}
	return (found);
}

static void
expect_record(const struct tbuf_lane *lane, const struct arguments *a,
    size_t strsize)
{
	static unsigned char record[65536];
	const struct tbuf_header *header = (const void *)record;
	uint64_t storage = tbuf_place_storage(lane->place), from, size, i;
	const unsigned char *data = view.base + tbuf_place_offset(lane->place);
	static unsigned char bytes[TBUF_ARGS_MAX * (8 + 32768) + 8];

	size = write_arguments(bytes, a, strsize) +
	    (lane->kind == TBUF_KIND_LOCK ? sizeof(struct tbuf_lock_record) :
	    sizeof(struct tbuf_header));
	from = lane->head - size;
	for (i = 0; i < size; i++)
		record[i] = data[(from + i) % storage];
	ck_assert_uint_eq(header->size, size);
	i = lane->kind == TBUF_KIND_LOCK ? sizeof(struct tbuf_lock_record) :
	    sizeof(*header);
	expect_bytes(record + i, size - i, a, strsize);
}

static void
expect_fires(const struct arguments *a, size_t strsize)
{
	static uint64_t heads[TBUF_NCPUS];
	static char name[] = "n0000000";
	struct tbuf_site site;
	struct tbuf_lane *lane;
	unsigned i;

	for (i = sizeof(name) - 2; ++name[i] > '9' && i > 1; i--)
		name[i] = '0';
	ck_assert_int_eq(tbuf_probe_register(&site, "pack", "m", "f", name,
	    a->n, a->types, NULL), 0);
	ck_assert_uint_ne(*site.enabled, 0);
	lane_written(heads);
	for (i = 0; i < FIRES; i++) {
		tbuf_probe_fire(&site, a->values);
		lane = lane_written(heads);
		ck_assert_ptr_nonnull(lane);
		expect_record(lane, a, strsize);
	}
	tbuf_probe_unregister(&site);
}

/* ------------------------------------------------------------ tests */

/* Signed types of each size; their values have bits above their size. */
static const enum tbuf_type of_size[4] = { TBUF_INT8, TBUF_INT16, TBUF_INT32,
    TBUF_INT64 };

START_TEST(a_few_arguments_of_any_sizes_lie_as_the_format_says)
{
	struct arguments a;
	unsigned shape, i;

	begin("256", _i == 1);
	for (a.n = 1; a.n <= 4; a.n++)
		for (shape = 0; shape < 1u << 2 * a.n; shape++) {
			for (i = 0; i < a.n; i++) {
				a.types[i] = of_size[shape >> 2 * i & 3];
				a.values[i] = some();
			}
			expect_fires(&a, 256);
		}
	tbuf_consumer_close(consumer);
}
END_TEST

static const enum tbuf_type fixed[] = { TBUF_INT8, TBUF_INT16, TBUF_INT32,
    TBUF_INT64, TBUF_UINT8, TBUF_UINT16, TBUF_UINT32, TBUF_UINT64, TBUF_CHAR,
    TBUF_BOOL, TBUF_FLOAT, TBUF_DOUBLE, TBUF_POINTER };

START_TEST(many_arguments_of_any_sizes_lie_as_the_format_says)
{
	struct arguments a;
	unsigned turn, i;

	begin("256", _i == 1);
	for (turn = 0; turn < 500; turn++) {
		a.n = 1 + (unsigned)(some() % TBUF_ARGS_MAX);
		for (i = 0; i < a.n; i++) {
			a.types[i] = fixed[some() % (sizeof(fixed) /
			    sizeof(fixed[0]))];
			a.values[i] = some();
		}
		expect_fires(&a, 256);
	}
	tbuf_consumer_close(consumer);
}
END_TEST

/* Returns the end of a page that is followed by an unreadable one. */
static char *
page_end(void)
{
	static char *end;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (end == NULL) {
		end = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ck_assert_ptr_ne(end, MAP_FAILED);
		end += page;
		mprotect(end, page, PROT_NONE);
	}
	return (end);
}

/* Makes a random string of bounded length; a sized one may contain NULs. */
static void
random_text(struct arguments *a, unsigned i, struct tbuf_bytes *bytes,
    char text[static TEXT], unsigned longest)
{
	size_t length = some() % (longest + 1), at = some() % 8, n;

	for (n = 0; n < length; n++)
		text[at + n] = (char)(some() % 255 + 1);
	text[at + length] = '\0';
	*bytes = (struct tbuf_bytes){ text + at, length };
	if (some() % 8 == 0)
		bytes->data = NULL;
	else if (length > 0 && some() % 2 == 0)
		text[at + some() % length] = '\0';
	a->types[i] = (enum tbuf_type[]){ TBUF_STRING, TBUF_STRING,
	    TBUF_STRING_SIZED, TBUF_BINARY }[some() % 4];
	a->values[i] = a->types[i] == TBUF_STRING ?
	    (uint64_t)(uintptr_t)bytes->data : (uint64_t)(uintptr_t)bytes;
}

static void
random_texts(unsigned strsize, unsigned longest)
{
	static char text[TBUF_ARGS_MAX][TEXT];
	struct tbuf_bytes bytes[TBUF_ARGS_MAX];
	struct arguments a;
	unsigned turn, i;

	for (turn = 0; turn < 1000; turn++) {
		a.n = 1 + (unsigned)(some() % TBUF_ARGS_MAX);
		for (i = 0; i < a.n; i++)
			if (some() % 2 == 0)
				random_text(&a, i, &bytes[i], text[i],
				    longest);
			else {
				a.types[i] = fixed[some() % (sizeof(fixed) /
				    sizeof(fixed[0]))];
				a.values[i] = some();
			}
		expect_fires(&a, strsize);
	}
}

START_TEST(texts_among_arguments_lie_as_the_format_says)
{
	begin("256", _i == 1);
	random_texts(256, 40);
	random_texts(256, TEXT - 10);
	tbuf_consumer_close(consumer);
}
END_TEST

START_TEST(texts_are_cut_wherever_they_lie)
{
	begin("21", _i == 1);
	random_texts(21, 30);
	tbuf_consumer_close(consumer);
}
END_TEST

START_TEST(the_shortest_texts_are_cut_too)
{
	begin("2", _i == 1);
	random_texts(2, 12);
	tbuf_consumer_close(consumer);
}
END_TEST

typedef uint64_t pack_words(const struct tbuf_site *, const uint64_t *,
	    uint32_t, uint64_t *);

/* Returns false if the arguments are too long. */
static bool
expect_packed(pack_words *pack, const struct tbuf_site *site,
    const struct arguments *a, unsigned strsize)
{
	uint64_t words[TBUF_STAGE_WORDS + 1], size;

	words[TBUF_STAGE_WORDS] = seed;
	size = pack(site, a->values, strsize, words);
	ck_assert_uint_eq(words[TBUF_STAGE_WORDS], seed);
	if (size != 0)
		expect_bytes(words, size, a, strsize);
	return (size != 0);
}

static bool
expect_words(const struct arguments *a, unsigned strsize)
{
	struct tbuf_site site = { .nargs = (uint8_t)a->n };
	unsigned i;
	bool done;

	for (i = 0; i < a->n; i++)
		site.types[i] = (uint8_t)a->types[i];
	done = expect_packed(tbuf_pack_texts, &site, a, strsize);
	if (tbuf_pack_shape(&site) == TBUF_SHAPE_STRING)
		done &= expect_packed(tbuf_pack_string, &site, a, strsize);
	return (done);
}

/*
 * No byte is read after a string's end, which is its NUL or a cut, at any
 * alignment and any place in a word.
 */
START_TEST(strings_may_end_where_memory_does)
{
	struct arguments a = { 3, { TBUF_INT8, TBUF_STRING, TBUF_INT16 },
	    { 1, 0, 2 } };
	struct arguments b = { 2, { TBUF_BINARY, TBUF_STRING }, { 0 } };
	struct arguments c = { 2, { TBUF_INT64, TBUF_STRING }, { 1 } };
	struct tbuf_bytes bytes;
	unsigned length, size;
	char *start;

	for (length = 0; length < 60; length++)
		for (size = 0; size < 9; size++) {
			bytes = (struct tbuf_bytes){ page_end() - size, size };
			start = page_end() - length - 1;
			memset(start, 'x', length);
			start[length] = '\0';
			a.values[1] = b.values[1] = c.values[1] =
			    (uint64_t)(uintptr_t)start;
			b.values[0] = (uint64_t)(uintptr_t)&bytes;
			ck_assert(expect_words(&a, 256));
			ck_assert(expect_words(&b, 256));
			ck_assert(expect_words(&c, 256));
			/* The string is as long as allowed, without NUL. */
			start[length] = 'x';
			if (length == 0)
				continue;
			ck_assert(expect_words(&a, length + 1));
			ck_assert(expect_words(&c, length + 1));
		}
}
END_TEST

/* A key's words are those of a record, and its hash is that of the words. */
static void
expect_key(const char *string, uint32_t strsize)
{
	const struct tbuf_site site = { .nargs = 1, .types = { TBUF_STRING } };
	uint64_t words[TBUF_STAGE_WORDS], expected[TBUF_STAGE_WORDS];
	uint64_t value = (uint64_t)(uintptr_t)string, factor = seed;
	uint64_t size = tbuf_pack_texts(&site, &value, strsize, expected);
	struct tbuf_key_text text;
	uint64_t sum = 0, i;

	text = tbuf_pack_key(value, strsize, words, factor);
	if (size == 0) {
		ck_assert_uint_eq(text.word, UINT64_MAX);
		return;
	}
	ck_assert_mem_eq(words, expected, size);
	ck_assert_uint_eq(text.word, (uint16_t)expected[0]);
	for (i = 0; i < size / 8; i++)
		tbuf_hash_add(&sum, &factor, expected[i]);
	ck_assert_uint_eq(text.sum, sum);
}

/*
 * The string is at any distance from a page's end, with a NUL or cut; reads may
 * continue to the end of the page.
 */
START_TEST(strings_of_keys_are_hashed_as_their_words)
{
	static const uint32_t strsizes[] = { 2, 8, 9, 15, 60, 140 };
	unsigned i, length, before;
	char *start;

	expect_key(NULL, 256);
	memset(page_end() - 1000, 'x', 1000);
	for (i = 0; i < sizeof(strsizes) / sizeof(strsizes[0]); i++)
		for (before = strsizes[i]; before < strsizes[i] + 20; before++)
			for (length = 0; length <= before; length++) {
				start = page_end() - before;
				if (length < before)
					start[length] = '\0';
				expect_key(start, strsizes[i]);
				if (length < before)
					start[length] = 'x';
			}
	page_end()[-301] = '\0';
	expect_key(page_end() - 301 - 200, 256);
	expect_key(page_end() - 301 - 100, 256);
}
END_TEST

/* Strings that do not fit the stage become segments. */
START_TEST(longer_strings_are_not_words)
{
	char text[8 + 300];
	struct arguments a;
	unsigned length, at;

	memset(text, 'x', sizeof(text));
	for (a.n = 1; a.n <= TBUF_ARGS_MAX; a.n++)
		for (at = 0; at < 8; at++)
			for (length = 0; length < 300; length++) {
				memset(a.values, 7, sizeof(a.values));
				for (unsigned i = 0; i < a.n; i++)
					a.types[i] = TBUF_INT64;
				a.types[a.n - 1] = TBUF_STRING;
				a.values[a.n - 1] =
				    (uint64_t)(uintptr_t)(text + at);
				text[at + length] = '\0';
				ck_assert(expect_words(&a, 400) ||
				    length > 64);
				ck_assert(expect_words(&a, 33));
				text[at + length] = 'x';
			}
}
END_TEST

/* Copies packed segments into one piece. */
static size_t
join(const struct tbuf_pack *pack, char *to)
{
	const struct tbuf_segment *s;
	size_t size = 0;

	for (s = pack->segments + 1; s < pack->end; s++) {
		memcpy(to + size, s->data, s->size);
		size += s->size;
	}
	return (size);
}

/* Returns the word of the text at *at, and moves *at to the text's end. */
static unsigned
text_word(const char *data, size_t *at)
{
	uint16_t word;

	*at += *at % 2;
	memcpy(&word, data + *at, sizeof(word));
	*at += sizeof(word) + (word & ~TBUF_TEXT_CUT);
	return (word);
}

#define DATA_MOST	(TBUF_RECORD_MAX - sizeof(struct tbuf_lock_record))

/*
 * Packs n texts of the given lengths, and checks that a record has them: each
 * is whole, or cut where the longest are.
 */
static void
expect_fitting(unsigned n, const size_t *lengths, const uint8_t *types)
{
	static char text[40001], data[2 * TBUF_RECORD_MAX];
	struct tbuf_site site = { .nargs = (uint8_t)n };
	struct tbuf_bytes bytes[TBUF_NARGS];
	uint64_t values[TBUF_NARGS];
	struct tbuf_pack pack;
	unsigned i, word, cut = 0, whole = 0;
	size_t at = 0, size;

	memset(text, 'x', sizeof(text) - 1);
	for (i = 0; i < n; i++) {
		site.types[i] = types[i];
		bytes[i] = (struct tbuf_bytes){ text, lengths[i] };
		values[i] = types[i] == TBUF_STRING ?
		    (uint64_t)(uintptr_t)(text + sizeof(text) - 1 -
		    lengths[i]) : (uint64_t)(uintptr_t)&bytes[i];
	}
	tbuf_pack(&site, values, TBUF_STRSIZE_MAX, &pack);
	size = join(&pack, data);
	ck_assert_uint_eq(size, pack.size);
	ck_assert_uint_le(size, DATA_MOST);
	for (i = 0; i < n; i++) {
		word = text_word(data, &at);
		if ((word & TBUF_TEXT_CUT) == 0) {
			ck_assert_uint_eq(word, lengths[i]);
			whole = word > whole ? word : whole;
			continue;
		}
		word &= ~TBUF_TEXT_CUT;
		ck_assert(cut == 0 || cut == word);
		ck_assert_uint_lt(word, lengths[i]);
		cut = word;
	}
	ck_assert_uint_eq((at + 7) / 8 * 8, size);
	/* Little is left unused. */
	ck_assert_uint_ge(cut, whole);
	ck_assert_uint_gt(size, DATA_MOST - DATA_MOST / 50);
}

START_TEST(texts_are_cut_as_a_record_needs_it)
{
	static const size_t lengths[][TBUF_NARGS] = {
		{ 40000 }, { 32767 }, { 32768 }, { 40000, 40000 },
		{ 40000, 100 }, { 100, 40000 }, { 20000, 20000 },
		{ 3, 9000, 12000, 40000 }, { 1, 0, 32760, 1, 0 },
		{ 40000, 40000, 40000, 40000, 40000, 40000, 40000, 40000,
		    40000, 40000 },
		{ 3300, 3300, 3300, 3300, 3300, 3300, 3300, 3300, 3300, 3300 }
	};
	static const unsigned counts[] = { 1, 1, 1, 2, 2, 2, 2, 4, 5, 10, 10 };
	static const uint8_t types[] = {
		TBUF_STRING, TBUF_BINARY, TBUF_STRING_SIZED
	};
	uint8_t mixed[TBUF_NARGS];
	size_t i;
	unsigned j, turn;

	for (turn = 0; turn < 6; turn++)
		for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			for (j = 0; j < TBUF_NARGS; j++)
				mixed[j] = types[(turn < 3 ? turn :
				    turn + j) % 3];
			expect_fitting(counts[i], lengths[i], mixed);
		}
}
END_TEST

/* ------------------------------------------------------------ changes */

static struct arguments changed = { 3, { TBUF_INT32, TBUF_STRING, TBUF_INT8 },
    { 1, 0, 2 } };
static char changing[64];
static uint64_t changed_words[TBUF_STAGE_WORDS];
static uint64_t changed_size;

static void
pack_changed(void)
{
	struct tbuf_site site = { .nargs = 3, .types = { TBUF_INT32,
	    TBUF_STRING, TBUF_INT8 } };

	changed_size = tbuf_pack_texts(&site, changed.values, 256,
	    changed_words);
}

/*
 * The inlined functions read past a string's end, within its page, and have the
 * attributes of their caller.
 */
static __attribute__((no_sanitize("address", "thread"))) void
pack_changed_string(void)
{
	struct tbuf_site site = { .nargs = 1, .types = { TBUF_STRING } };

	changed_size = tbuf_pack_string(&site, &changed.values[1], 256,
	    changed_words);
}

/* Replaces the string by a shorter or longer one. */
static void
change(void)
{
	size_t i, length = 1 + some() % (sizeof(changing) - 2);

	for (i = 0; i < length; i++)
		changing[i] = 'y';
	for (; i < sizeof(changing); i++)
		changing[i] = '\0';
}

/* A string that changes has the length that the record says, and no NUL. */
static void
expect_changed(unsigned start, unsigned behind)
{
	const char *data = (const char *)changed_words;
	unsigned end;
	uint16_t size;

	memcpy(&size, data + start, sizeof(size));
	ck_assert_uint_lt(size, sizeof(changing));
	end = start + 2 + size;
	ck_assert_uint_eq(changed_size, (end + behind + 7) / 8 * 8);
	for (start += 2; start < end; start++)
		ck_assert_int_eq(data[start], 'y');
	if (behind != 0)
		ck_assert_int_eq(data[start++], 2);
	for (; start < changed_size; start++)
		ck_assert_int_eq(data[start], 0);
}

START_TEST(a_string_that_changes_is_read_once)
{
	unsigned turn;

	for (turn = 0; STEPS_POSSIBLE && turn < 200; turn++) {
		changed.values[1] = (uint64_t)(uintptr_t)(changing + turn % 8);
		change();
		steps_run(pack_changed, STEPS_EACH, change);
		expect_changed(4, 1);
		steps_run(pack_changed_string, STEPS_EACH, change);
		expect_changed(0, 0);
	}
}
END_TEST

int
main(void)
{
	const TTest *const fires[] = {
		a_few_arguments_of_any_sizes_lie_as_the_format_says,
		many_arguments_of_any_sizes_lie_as_the_format_says,
		texts_among_arguments_lie_as_the_format_says,
		texts_are_cut_wherever_they_lie,
		the_shortest_texts_are_cut_too
	};
	Suite *suite = suite_create("pack");
	TCase *tcase = tcase_create("both paths"), *alone;
	size_t i;

	seed = (uint64_t)time(NULL) | 1;
	if (getenv("SEED") != NULL)
		seed = strtoull(getenv("SEED"), NULL, 0) | 1;
	fprintf(stderr, "SEED=%ju\n", (uintmax_t)seed);
	for (i = 0; i < sizeof(fires) / sizeof(fires[0]); i++)
		tcase_add_loop_test(tcase, fires[i], 0, 2);
	suite_add_tcase(suite, tcase);
	alone = tcase_create("the words alone");
	tcase_add_test(alone, strings_may_end_where_memory_does);
	tcase_add_test(alone, strings_of_keys_are_hashed_as_their_words);
	tcase_add_test(alone, longer_strings_are_not_words);
	tcase_add_test(alone, texts_are_cut_as_a_record_needs_it);
	tcase_add_test(alone, a_string_that_changes_is_read_once);
	suite_add_tcase(suite, alone);
	return (run_suite(suite));
}
