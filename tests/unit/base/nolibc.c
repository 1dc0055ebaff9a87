/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side's own memset, memcpy and memmove, which compilers call: each
 * length up to some words, each alignment, and each overlap.
 */
#include <check.h>
#include <stddef.h>

#include "lib/check_main.h"

#define ROOM	96u
#define LENGTHS	34u

void *tbuf_plain_copy(void *, const void *, size_t);
void *tbuf_plain_move(void *, const void *, size_t);
void *tbuf_plain_set(void *, int, size_t);

static unsigned char room[ROOM], before[ROOM], expected[ROOM];

static void
begin(void)
{
	unsigned i;

	for (i = 0; i < ROOM; i++)
		room[i] = before[i] = expected[i] = (unsigned char)(i + 1);
}

/* Copies byte by byte from the earlier contents, and compares. */
static void
expect_copy(unsigned to, unsigned from, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		expected[to + i] = before[from + i];
	ck_assert_mem_eq(room, expected, ROOM);
}

START_TEST(memory_is_set)
{
	unsigned n, at, i;

	for (n = 0; n < LENGTHS; n++)
		for (at = 0; at < 9; at++) {
			begin();
			ck_assert_ptr_eq(tbuf_plain_set(room + at, 0x1ab, n),
			    room + at);
			for (i = 0; i < n; i++)
				expected[at + i] = 0xab;
			ck_assert_mem_eq(room, expected, ROOM);
		}
}
END_TEST

START_TEST(memory_is_copied)
{
	unsigned n, to, from;

	for (n = 0; n < LENGTHS; n++)
		for (to = 0; to < 9; to++)
			for (from = 48; from < 57; from++) {
				begin();
				ck_assert_ptr_eq(tbuf_plain_copy(room + to,
				    room + from, n), room + to);
				expect_copy(to, from, n);
			}
}
END_TEST

START_TEST(memory_is_moved_over_itself)
{
	unsigned n, to, from;

	for (n = 0; n < LENGTHS; n++)
		for (to = 0; to < 40; to++)
			for (from = 0; from < 40; from++) {
				begin();
				ck_assert_ptr_eq(tbuf_plain_move(room + to,
				    room + from, n), room + to);
				expect_copy(to, from, n);
			}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("plain");
	TCase *t = tcase_create("plain");

	tcase_add_test(t, memory_is_set);
	tcase_add_test(t, memory_is_copied);
	tcase_add_test(t, memory_is_moved_over_itself);
	suite_add_tcase(suite, t);
	return (run_suite(suite));
}
