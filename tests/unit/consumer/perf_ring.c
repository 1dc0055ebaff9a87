/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of a perf buffer that no kernel writes to: records that wrap, records
 * that arrive during reads, and impossible sizes.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/util/perf_ring.h"
#include "lib/check_main.h"

#define SIZE	4096u			/* of the buffer's data */

static struct tbuf_perf_buffer buffer;
static unsigned char *data;

static void
setup(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	memset(&buffer, 0, sizeof(buffer));
	buffer.page = aligned_alloc(page, 2 * page);
	ck_assert_ptr_nonnull(buffer.page);
	memset(buffer.page, 0, 2 * page);
	data = (unsigned char *)buffer.page + page;
	buffer.size = SIZE;
	buffer.copy = malloc(65536);
	ck_assert_ptr_nonnull(buffer.copy);
}

static void
teardown(void)
{
	free(buffer.page);
	free(buffer.copy);
}

/* Puts a record as the kernel would; all bytes after its header are `fill'. */
static void
put(uint16_t size, unsigned char fill)
{
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE, .size = size
	};
	uint64_t at = buffer.page->data_head, i;

	memcpy(data + at % SIZE, &header, sizeof(header));
	for (i = sizeof(header); i < size; i++)
		data[(at + i) % SIZE] = fill;
	buffer.page->data_head += size < 8 ? 8 : size;
}

static void
take(uint16_t size, unsigned char fill)
{
	const struct perf_event_header *header = tbuf_perf_peek(&buffer);
	const unsigned char *bytes = (const void *)header;
	uint64_t i;

	ck_assert_ptr_nonnull(header);
	ck_assert_uint_eq(header->size, size);
	for (i = sizeof(*header); i < size; i++)
		ck_assert_uint_eq(bytes[i], fill);
	tbuf_perf_step(&buffer);
	ck_assert_uint_eq(buffer.page->data_tail, buffer.tail);
}

START_TEST(records_that_go_across_the_end_are_whole)
{
	uint16_t i;

	for (i = 0; i < 100; i++) {
		put(1000, (unsigned char)i);
		tbuf_perf_look(&buffer);
		take(1000, (unsigned char)i);
		ck_assert_ptr_null(tbuf_perf_peek(&buffer));
	}
}
END_TEST

START_TEST(what_comes_while_others_are_read_waits_for_the_next_look)
{
	put(64, 1);
	put(64, 2);
	tbuf_perf_look(&buffer);
	take(64, 1);
	put(64, 3);
	take(64, 2);
	ck_assert_ptr_null(tbuf_perf_peek(&buffer));
	tbuf_perf_look(&buffer);
	take(64, 3);
	ck_assert_ptr_null(tbuf_perf_peek(&buffer));
}
END_TEST

/* 0, less than a header, no multiple of 8, and more than the data. */
static const uint16_t impossible[] = { 0, 4, 20, 65528 };

START_TEST(a_size_that_cannot_be_ends_what_is_read)
{
	put(64, 1);
	put(16, 2);
	put(16, 3);
	memcpy(data + 64 + offsetof(struct perf_event_header, size),
	    &impossible[_i], sizeof(impossible[_i]));
	tbuf_perf_look(&buffer);
	take(64, 1);
	ck_assert_ptr_null(tbuf_perf_peek(&buffer));
	ck_assert_uint_eq(buffer.page->data_tail, buffer.page->data_head);
	put(64, 4);
	tbuf_perf_look(&buffer);
	take(64, 4);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("perf");
	TCase *tcase = tcase_create("perf");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, records_that_go_across_the_end_are_whole);
	tcase_add_test(tcase,
	    what_comes_while_others_are_read_waits_for_the_next_look);
	tcase_add_loop_test(tcase, a_size_that_cannot_be_ends_what_is_read,
	    0, sizeof(impossible) / sizeof(impossible[0]));
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
