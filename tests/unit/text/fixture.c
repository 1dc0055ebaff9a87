/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Common functions of the tests of the text trace.
 */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/check_main.h"
#include "lib/scratch.h"
#include "shared/control_file.h"

struct tbuf_component text_store = { .name = "store" };
char text_directory[256];

char text_logged[8][1200];
int text_priorities[8];
unsigned text_nlogged;

/* Replaces the C library's syslog(). */
void
syslog(int priority, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (text_nlogged < 8) {
		text_priorities[text_nlogged] = priority;
		vsnprintf(text_logged[text_nlogged++], sizeof(text_logged[0]),
		    format, arguments);
	}
	va_end(arguments);
}

/* Each test runs in a forked child, which becomes a target by itself. */
static void
set_up(void)
{
	scratch_directory(text_directory, sizeof(text_directory));
	ck_assert_int_eq(setenv("TBUF_DIR", text_directory, 1), 0);
	tbuf_directory_keep();
	unsetenv("TBUF_TEXT");
	ck_assert_int_eq(tbuf_component_register(&text_store), 0);
}

static void
tear_down(void)
{
	scratch_remove(text_directory);
}

void
text_set(const char *setting)
{
	ck_assert_msg(tbuf_text_set(setting) == 0, "%s", setting);
}

const char *
text_file_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", text_directory, name);
	return (path);
}

void
text_set_file(const char *name)
{
	char setting[600];

	snprintf(setting, sizeof(setting), "traceFilePath=%s",
	    text_file_path(name));
	text_set(setting);
}

const char *
text_file_text(const char *name)
{
	static char text[4 << 20];
	int fd = open(text_file_path(name), O_RDONLY);
	ssize_t n = fd == -1 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd != -1)
		close(fd);
	text[n] = '\0';
	return (text);
}

unsigned
text_chunks(void)
{
	DIR *d = opendir(text_directory);
	const struct dirent *entry;
	unsigned n = 0;

	while ((entry = readdir(d)) != NULL)
		n += strncmp(entry->d_name, "text.", 5) == 0;
	closedir(d);
	return (n);
}

char text_held[2 << 20];
size_t text_held_size;

void
text_hold(void)
{
	const struct tbuf_trace *t = tbuf_text_own->trace;
	const char *text = (const char *)(t + 1);
	uint64_t at, n, from;

	text_held_size = 0;
	ck_assert_uint_le(t->oldest, t->next);
	ck_assert_uint_le(t->next, t->reserved);
	for (from = t->oldest; from < t->next; from += n) {
		at = from % t->size;
		n = t->next - from < t->size - at ? t->next - from :
		    t->size - at;
		if (text_held_size + n > sizeof(text_held))
			ck_abort_msg("more than a chunk");
		memcpy(text_held + text_held_size, text + at, n);
		text_held_size += n - (at + n == t->size ?
		    tbuf_trace_fill(text + at, n) : 0);
	}
}

void
text_message(uint32_t number, unsigned length, char *text)
{
	int n = sprintf(text, "%u %u ", number, length);

	memset(text + n, 'a' + (int)(number % 26), length);
	text[n + (int)length] = '\0';
}

unsigned
text_lines_good(uint32_t *first, uint32_t *last)
{
	char expected[9000], *p = text_held, *end, *body;
	unsigned count = 0, number, length;

	for (; p < text_held + text_held_size; p = end + 1, count++) {
		end = memchr(p, '\n', (size_t)(text_held + text_held_size - p));
		if (end == NULL)
			ck_abort_msg("no line's end: %.100s", p);
		*end = '\0';
		body = strstr(p, ": ");
		/* Assertions that hold make a system call, too. */
		if (body == NULL || strncmp(p, "20", 2) != 0 ||
		    sscanf(body + 2, "%u %u ", &number, &length) != 2 ||
		    length >= 8500)
			ck_abort_msg("torn: %.100s", p);
		text_message(number, length, expected);
		if (strcmp(body + 2, expected) != 0)
			ck_abort_msg("not as written: %.100s", p);
		if (count == 0)
			*first = number;
		else if (number != *last + 1)
			ck_abort_msg("%u after %u", number, *last);
		*last = number;
	}
	return (count);
}

bool
text_mark_stands(void)
{
	const struct tbuf_text_own *own = tbuf_text_own;
	uint64_t at = own->next % own->size;

	return (own->size - at >= TBUF_TRACE_MARK_SIZE &&
	    memcmp((const char *)(own->trace + 1) + at, TBUF_TRACE_MARK,
	    TBUF_TRACE_MARK_SIZE) == 0);
}

unsigned
text_seed(void)
{
	const char *set = getenv("SEED");
	unsigned seed = set != NULL ? (unsigned)strtoul(set, NULL, 0) :
	    (unsigned)getpid();

	fprintf(stderr, "SEED=%u\n", seed);
	return (seed);
}

char text_line[9000];

void
text_print(uint32_t number, unsigned length)
{
	text_message(number, length, text_line);
	tbuf_text(&text_store, TBUF_INFO, "%s", text_line);
}

int
text_main(const TTest *const *tests, size_t n)
{
	Suite *suite = suite_create("text");
	TCase *tcase = tcase_create("text");
	size_t i;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
