/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes of targets' tables: equal probes are one, others differ, and a name is
 * read from its copy only.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "consumer/decode/probe_ids.h"
#include "lib/check_main.h"
#include "lib/interposed_call.h"
#include "shared/file_view.h"

#define ENTRIES		1024u
#define TEXTS		65536u
#define FNV_BEFORE	fnv(2166136261u, "p\0m", 4)

struct image {
	struct tbuf_view view;
	uint32_t used;		/* bytes of strings */
};

static void
image_init(struct image *image, uint32_t entries, uint32_t texts)
{
	struct tbuf_tables *tables = &image->view.tables;

	memset(image, 0, sizeof(*image));
	tables->entries = entries;
	tables->strings_size = texts;
	tables->probes = (sizeof(struct tbuf_control) + 63u) & ~63u;
	tables->strings = tables->probes +
	    entries * (uint32_t)sizeof(struct tbuf_probe_entry);
	image->view.size = tables->strings + texts;
	image->view.base = calloc(1, image->view.size);
	ck_assert_ptr_nonnull(image->view.base);
	/* Offset 0 means that there is no string. */
	image->used = 1;
}

static uint32_t
add_text(struct image *image, const char *text)
{
	uint32_t at = image->used, size = (uint32_t)strlen(text) + 1;

	ck_assert_uint_le(at + size, image->view.tables.strings_size);
	memcpy(image->view.base + image->view.tables.strings + at, text, size);
	image->used += size;
	tbuf_view_control(&image->view)->strings = image->used;
	return (at);
}

static void
add_probe(struct image *image, const char *function)
{
	struct tbuf_control *control = tbuf_view_control(&image->view);
	struct tbuf_probe_entry *entry =
	    tbuf_view_probe(&image->view, control->nprobes++);

	entry->provider = add_text(image, "p");
	entry->module = add_text(image, "m");
	entry->function = add_text(image, function);
	entry->name = add_text(image, "n");
	entry->ready = 1;
}

static const struct tbuf_probe_info *
probe_read(struct tbuf_probes *probes, struct image *image, uint32_t index)
{
	const struct tbuf_probe_info *info = NULL;

	ck_assert_int_eq(tbuf_probes_read(probes, &image->view, index, &info),
	    1);
	return (info);
}

START_TEST(equal_probes_of_two_targets_are_one)
{
	struct tbuf_probes probes = { 0 };
	struct image one, other;
	const struct tbuf_probe_info *info;
	char function[16];
	uint32_t i;

	image_init(&one, ENTRIES, TEXTS);
	image_init(&other, ENTRIES, TEXTS);
	for (i = 0; i < ENTRIES; i++) {
		snprintf(function, sizeof(function), "f%u", i);
		add_probe(&one, function);
		snprintf(function, sizeof(function), "f%u", ENTRIES - 1 - i);
		add_probe(&other, function);
	}
	for (i = 0; i < ENTRIES; i++)
		probe_read(&probes, &one, i);
	for (i = 0; i < ENTRIES; i++) {
		info = probe_read(&probes, &other, ENTRIES - 1 - i);
		ck_assert_ptr_eq(info, probes.infos[i]);
	}
	ck_assert_uint_eq(probes.count, ENTRIES);
	tbuf_probes_free(&probes);
	free(one.view.base);
	free(other.view.base);
}
END_TEST

/* Continues FNV-1a, the hash of an identity, over some bytes. */
static uint32_t
fnv(uint32_t hash, const char *bytes, size_t size)
{
	while (size-- > 0)
		hash = (hash ^ (uint8_t)*bytes++) * 16777619u;
	return (hash);
}

/* Pairs of functions that give their probes equal hashes. */
START_TEST(probes_of_one_hash_are_two)
{
	static const char *const functions[] = {
		"f73a87744", "fd53a40f8", "f9e37b9fb", "f8c7c8d8f",
		"f8fd70a3f", "fc6284ae0"
	};
	const unsigned n = sizeof(functions) / sizeof(functions[0]);
	struct tbuf_probes probes = { 0 };
	struct image image;
	char function[16];
	unsigned i;

	image_init(&image, ENTRIES, TEXTS);
	for (i = 0; i < n; i++)
		add_probe(&image, functions[i]);
	/* The probes move as the table grows. */
	for (; i < ENTRIES; i++) {
		snprintf(function, sizeof(function), "g%u", i);
		add_probe(&image, function);
	}
	for (i = 0; i < ENTRIES; i++)
		probe_read(&probes, &image, i);
	ck_assert_uint_eq(probes.count, ENTRIES);
	for (i = 0; i < n; i++)
		ck_assert_str_eq(probe_read(&probes, &image, i)->function,
		    functions[i]);
	ck_assert_uint_eq(probes.count, ENTRIES);
	for (i = 0; i < n; i += 2)
		ck_assert_uint_eq(fnv(FNV_BEFORE, functions[i],
		    strlen(functions[i])), fnv(FNV_BEFORE, functions[i + 1],
		    strlen(functions[i + 1])));
	tbuf_probes_free(&probes);
	free(image.view.base);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
#define BLOCK		5u		/* characters */
#define LEVELS		10u		/* blocks of a name: 1,024 names */
#define DRAWN		(1u << 18)	/* some have the hash of others */

static uint64_t compared;		/* strings */

/* Replaces the C library's strcmp(). */
int
strcmp(const char *one, const char *other)
{
	compared++;
	for (; *one == *other && *one != '\0'; one++)
		other++;
	return ((uint8_t)*one - (uint8_t)*other);
}

struct drawn {
	uint32_t hash;
	char block[BLOCK];
};

static int
by_hash(const void *one, const void *other)
{
	const struct drawn *a = one, *b = other;

	return ((a->hash > b->hash) - (a->hash < b->hash));
}

/* Finds two blocks that lead from a hash to one other hash, the result. */
static uint32_t
find_pair(uint32_t hash, char pair[2][BLOCK])
{
	static const char letters[] = "0123456789_.abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct drawn *all = calloc(DRAWN, sizeof(*all));
	uint64_t drawn;
	unsigned i, j;

	ck_assert_ptr_nonnull(all);
	for (i = 0; i < DRAWN; i++) {
		/* An odd factor: all numbers differ. */
		drawn = i * UINT64_C(0x9e3779b97f4a7c15);
		for (j = 0; j < BLOCK; j++)
			all[i].block[j] = letters[drawn >> (34 + 6 * j) & 63];
		all[i].hash = fnv(hash, all[i].block, BLOCK);
	}
	qsort(all, DRAWN, sizeof(*all), by_hash);
	for (i = 1; i < DRAWN && all[i].hash != all[i - 1].hash; i++)
		continue;
	ck_assert_uint_lt(i, DRAWN);
	memcpy(pair[0], all[i - 1].block, BLOCK);
	memcpy(pair[1], all[i].block, BLOCK);
	hash = all[i].hash;
	free(all);
	return (hash);
}

/* A target chooses the names: all of its probes have one hash. */
START_TEST(many_probes_of_one_hash_are_found_fast)
{
	char pairs[LEVELS][2][BLOCK], function[LEVELS * BLOCK + 1] = "";
	struct tbuf_probes probes = { 0 };
	uint32_t hash = FNV_BEFORE;
	struct image image;
	unsigned i, level;

	for (level = 0; level < LEVELS; level++)
		hash = find_pair(hash, pairs[level]);
	image_init(&image, ENTRIES, TEXTS);
	for (i = 0; i < ENTRIES; i++) {
		for (level = 0; level < LEVELS; level++)
			memcpy(function + level * BLOCK,
			    pairs[level][i >> level & 1], BLOCK);
		ck_assert_uint_eq(fnv(FNV_BEFORE, function, LEVELS * BLOCK),
		    hash);
		add_probe(&image, function);
	}
	compared = 0;
	for (i = 0; i < ENTRIES; i++)
		probe_read(&probes, &image, i);
	ck_assert_uint_eq(probes.count, ENTRIES);
	/* Twice the depth of a tree, three strings each. */
	ck_assert_uint_le(compared, ENTRIES * 2 * 2 * 10 * 3);
	tbuf_probes_free(&probes);
	free(image.view.base);
}
END_TEST
#endif

/* ------------------------------------------------------------ whole tables */

#define FEW	3u
#define MANY	3000u

/* Makes a table of a few probes. */
static void
image_few(struct image *image)
{
	image_init(image, ENTRIES, TEXTS);
	add_probe(image, "first");
	add_probe(image, "second");
	add_probe(image, "third");
}

static char *
function_of(struct image *image, uint32_t index)
{
	return ((char *)image->view.base + image->view.tables.strings +
	    tbuf_view_probe(&image->view, index)->function);
}

/* Reads all probes of a table, then frees the table. */
static void
read_few(struct tbuf_probes *probes, struct image *image,
    const struct tbuf_probe_info *infos[FEW])
{
	unsigned i;

	for (i = 0; i < FEW; i++)
		infos[i] = NULL;
	tbuf_probes_read_all(probes, &image->view, infos);
	free(image->view.base);
}

/* A table equal to the last one has the same probes, read again or not. */
START_TEST(a_table_like_the_last_has_its_probes)
{
	const struct tbuf_probe_info *first[FEW], *more[FEW];
	struct tbuf_probes probes = { 0 };
	struct image image;
	unsigned i;

	image_few(&image);
	read_few(&probes, &image, first);
	ck_assert_uint_eq(probes.count, FEW);
	/* Fields that change during a probe's life do not make it another. */
	image_few(&image);
	tbuf_view_probe(&image.view, 0)->sites = 7;
	tbuf_view_probe(&image.view, 1)->selection = 7;
	tbuf_view_probe(&image.view, 2)->semaphore = 7;
	read_few(&probes, &image, more);
	for (i = 0; i < FEW; i++)
		ck_assert_ptr_eq(more[i], first[i]);
	ck_assert_uint_eq(probes.count, FEW);
	tbuf_probes_free(&probes);
}
END_TEST

/* Makes a table that is larger than those of most programs. */
static void
image_large(struct image *image)
{
	char function[128];
	uint32_t i;

	image_init(image, MANY, MANY * 128);
	for (i = 0; i < MANY; i++) {
		snprintf(function, sizeof(function), "f%0100u", i);
		add_probe(image, function);
	}
}

/*
 * The second table is compared with the first one, and none of its probes is
 * looked up: hundreds of children may have ten thousands of probes each.  A
 * smaller table takes the place of the larger one.
 */
START_TEST(a_large_table_like_the_last_has_its_probes)
{
	const struct tbuf_probe_info *first[MANY] = { NULL };
	const struct tbuf_probe_info *more[MANY] = { NULL }, *few[FEW];
	struct tbuf_probes probes = { 0 };
	struct tbuf_probes_whole *whole;
	struct image image;
	uint32_t i;

	image_large(&image);
	tbuf_probes_read_all(&probes, &image.view, first);
	ck_assert_uint_eq(probes.count, MANY);
	whole = probes.whole[0];
	ck_assert_ptr_nonnull(whole);
	tbuf_probes_read_all(&probes, &image.view, more);
	for (i = 0; i < MANY; i++) {
		ck_assert_ptr_nonnull(first[i]);
		ck_assert_ptr_eq(more[i], first[i]);
	}
	ck_assert_uint_eq(probes.count, MANY);
	ck_assert_ptr_eq(probes.whole[0], whole);
	free(image.view.base);
	image_few(&image);
	read_few(&probes, &image, few);
	ck_assert_str_eq(few[FEW - 1]->function, "third");
	ck_assert_ptr_ne(probes.whole[0], whole);
	tbuf_probes_free(&probes);
}
END_TEST

START_TEST(a_table_that_differs_has_its_own_probes)
{
	const struct tbuf_probe_info *first[FEW], *more[FEW];
	struct tbuf_probes probes = { 0 };
	struct image image;

	image_few(&image);
	read_few(&probes, &image, first);
	/* The table differs by one byte of a string. */
	image_few(&image);
	*function_of(&image, 1) = 'S';
	read_few(&probes, &image, more);
	ck_assert_ptr_eq(more[0], first[0]);
	ck_assert_str_eq(more[1]->function, "Second");
	ck_assert_ptr_eq(more[2], first[2]);
	/* The table differs by an entry. */
	image_few(&image);
	tbuf_view_probe(&image.view, 2)->function =
	    tbuf_view_probe(&image.view, 0)->function;
	read_few(&probes, &image, more);
	ck_assert_ptr_eq(more[0], first[0]);
	ck_assert_ptr_eq(more[2], first[0]);
	/* The table differs by its length alone. */
	image_few(&image);
	tbuf_view_control(&image.view)->nprobes = 1;
	read_few(&probes, &image, more);
	ck_assert_ptr_eq(more[0], first[0]);
	ck_assert_ptr_null(more[1]);
	tbuf_probes_free(&probes);
}
END_TEST

/* A probe that was not ready is read later, by itself. */
START_TEST(a_table_has_none_that_is_not_ready)
{
	const struct tbuf_probe_info *first[FEW], *more[FEW];
	struct tbuf_probes probes = { 0 };
	struct image image;

	image_few(&image);
	tbuf_view_probe(&image.view, 1)->ready = 0;
	read_few(&probes, &image, first);
	ck_assert_ptr_nonnull(first[0]);
	ck_assert_ptr_null(first[1]);
	image_few(&image);
	read_few(&probes, &image, more);
	ck_assert_ptr_eq(more[0], first[0]);
	ck_assert_str_eq(more[1]->function, "second");
	/* A string has no end in the heap. */
	image_few(&image);
	tbuf_view_control(&image.view)->strings =
	    tbuf_view_probe(&image.view, 2)->name + 1;
	read_few(&probes, &image, more);
	ck_assert_ptr_nonnull(more[1]);
	ck_assert_ptr_null(more[2]);
	tbuf_probes_free(&probes);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
static char *changing;		/* cut after its length was taken */

/* Replaces the C library's strnlen(). */
size_t
strnlen(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && text[n] != '\0')
		n++;
	if (changing != NULL)
		changing[2] = '\0';
	return (n);
}
INTERPOSED(strnlen);

START_TEST(a_name_that_changes_is_what_was_copied)
{
	struct image image;
	char text[16];
	uint32_t at;

	image_init(&image, ENTRIES, TEXTS);
	at = add_text(&image, "longer");
	changing = (char *)image.view.base + image.view.tables.strings + at;
	ck_assert_uint_eq(tbuf_view_text(&image.view, at, text, sizeof(text)),
	    3);
	ck_assert_str_eq(text, "lo");
	changing = NULL;
	free(image.view.base);
}
END_TEST

/* Names come from the copied bytes, which other tables are compared with. */
START_TEST(a_table_that_changes_is_what_was_copied)
{
	const struct tbuf_probe_info *first[FEW], *more[FEW];
	struct tbuf_probes probes = { 0 };
	struct image image;

	image_few(&image);
	changing = function_of(&image, 1);
	read_few(&probes, &image, first);
	changing = NULL;
	ck_assert_str_eq(first[1]->function, "second");
	image_few(&image);
	read_few(&probes, &image, more);
	ck_assert_ptr_eq(more[1], first[1]);
	tbuf_probes_free(&probes);
}
END_TEST
#endif

int
main(void)
{
	Suite *suite = suite_create("probes");
	TCase *t = tcase_create("probes");

	tcase_add_test(t, equal_probes_of_two_targets_are_one);
	tcase_add_test(t, probes_of_one_hash_are_two);
	tcase_add_test(t, a_table_like_the_last_has_its_probes);
	tcase_add_test(t, a_large_table_like_the_last_has_its_probes);
	tcase_add_test(t, a_table_that_differs_has_its_own_probes);
	tcase_add_test(t, a_table_has_none_that_is_not_ready);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test(t, many_probes_of_one_hash_are_found_fast);
	tcase_add_test(t, a_name_that_changes_is_what_was_copied);
	tcase_add_test(t, a_table_that_changes_is_what_was_copied);
#endif
	suite_add_tcase(suite, t);
	return (run_suite(suite));
}
