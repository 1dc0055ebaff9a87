/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes of targets' tables: equal ones are one, others are not, and what is
 * read of a name is what has been copied of it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "common/view.h"
#include "consumer/probes.h"
#include "suite.h"

#define ENTRIES		1024u
#define TEXTS		65536u

struct image {
	struct tbuf_view view;
	uint32_t used;		/* bytes of texts */
};

static void
image_init(struct image *image)
{
	struct tbuf_tables *tables = &image->view.tables;

	memset(image, 0, sizeof(*image));
	tables->entries = ENTRIES;
	tables->strings_size = TEXTS;
	tables->probes = (sizeof(struct tbuf_control) + 63u) & ~63u;
	tables->strings = tables->probes +
	    ENTRIES * (uint32_t)sizeof(struct tbuf_probe_entry);
	image->view.size = tables->strings + TEXTS;
	image->view.base = calloc(1, image->view.size);
	ck_assert_ptr_nonnull(image->view.base);
	/* An offset of 0 is no text. */
	image->used = 1;
}

static uint32_t
add_text(struct image *image, const char *text)
{
	uint32_t at = image->used, size = (uint32_t)strlen(text) + 1;

	ck_assert_uint_le(at + size, TEXTS);
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

	image_init(&one);
	image_init(&other);
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

static uint32_t
hash_of(const struct tbuf_probes *probes, unsigned index)
{
	unsigned at;

	for (at = 0; probes->slots[at].number != index + 1; at++)
		ck_assert_uint_lt(at, probes->nslots);
	return (probes->slots[at].hash);
}

/* Pairs of functions whose probes have one hash. */
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

	image_init(&image);
	for (i = 0; i < n; i++)
		add_probe(&image, functions[i]);
	/* They are moved, too, as the table grows. */
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
		ck_assert_uint_eq(hash_of(&probes, i),
		    hash_of(&probes, i + 1));
	tbuf_probes_free(&probes);
	free(image.view.base);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
static char *changing;		/* cut short once its length was taken */

/* In the place of the C library's. */
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

START_TEST(a_name_that_changes_is_what_was_copied)
{
	struct image image;
	char text[16];
	uint32_t at;

	image_init(&image);
	at = add_text(&image, "longer");
	changing = (char *)image.view.base + image.view.tables.strings + at;
	ck_assert_uint_eq(tbuf_view_text(&image.view, at, text, sizeof(text)),
	    3);
	ck_assert_str_eq(text, "lo");
	changing = NULL;
	free(image.view.base);
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
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test(t, a_name_that_changes_is_what_was_copied);
#endif
	suite_add_tcase(suite, t);
	return (run_suite(suite));
}
