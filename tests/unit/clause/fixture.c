/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts made by hand for probes of real targets.  See fixture.h.
 */
#include <sys/mman.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/single_step.h"
#include "target/self/thread.h"
#include "tbuf.h"

/* ------------------------------------------------------------ scripts */

const struct tbuf_d_shape made_integer = {
	.kind = TBUF_KIND_INTEGER, .is_signed = 1, .size = 8, .name = "int"
};
const struct tbuf_d_shape made_string = {
	.kind = TBUF_KIND_TEXT, .size = 256, .name = "string"
};
static const struct tbuf_d_piece number_piece = {
	.kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &made_integer
};
static const struct tbuf_d_piece text_piece = {
	.kind = TBUF_PIECE_TEXT, .shape = &made_string
};
static const struct tbuf_d_piece name_piece = {
	.kind = TBUF_PIECE_ARGUMENT, .argument = TBUF_SELECT_NAME
};
static const struct tbuf_d_piece argument_piece = {
	.kind = TBUF_PIECE_ARGUMENT, .argument = 0
};
static const struct tbuf_d_action trace = {
	.kind = TBUF_ACTION_TRACE, .first = 0, .count = 1
};
#define RECORD_OF(piece, size)	{					\
	.actions = &trace, .nactions = 1, .pieces = &(piece),		\
	.npieces = 1, .bytes = (size), .charge = (size)			\
}
const struct tbuf_d_record made_number = RECORD_OF(number_piece, 8);
const struct tbuf_d_record made_text = RECORD_OF(text_piece, 264);
const struct tbuf_d_record made_name = RECORD_OF(name_piece, 264);
const struct tbuf_d_record made_argument = RECORD_OF(argument_piece, 264);

void
made_name_set(struct made *made, struct tbuf_d_clause *clause,
    const char *name, uint8_t classes)
{
	size_t n = (size_t)(clause - made->clauses);

	made->names[n] = name;
	made->programs[n].classes[0] = classes;
	clause->names = &made->names[n];
	clause->nnames = 1;
}

/* ------------------------------------------------------------ runs */

void
clause_begin(struct tbuf_consumer *c, struct made *made)
{
	log_clear();
	script_load(c, &made->script);
	script_go(c);
}

void
clause_run(struct tbuf_consumer *c, struct made *made)
{
	clause_begin(c, made);
	while (script_work(c) > 0)
		continue;
}

/* ------------------------------------------------------------ targets */

static void
numbers(unsigned long count)
{
	unsigned long n;

	for (n = 0; n < count; n++)
		TBUF_PROBE(test, number, n);
}

static void
values(void)
{
	int8_t small = -3;
	uint16_t port = 65535;
	int middle = -70000;
	float part = 0.5f;
	const char *name = "abc";
	bool flag = true;

	TBUF_PROBE(test, values, small, port, middle, part, name, flag);
	TBUF_PROBE(test, pointer, (const void *)name);
	TBUF_PROBE(test, fixed, small, port, middle, part, flag);
}

static unsigned long marks_most;

static void
marks_look(void)
{
	unsigned long n = tbuf_load(&tbuf_thread.nholds);

	if (n > marks_most)
		marks_most = n;
}

static void
marks_fire(void)
{
	TBUF_PROBE(marked, number, marks_most);
}

/* Fires until the clauses have plans, then once in single steps. */
static void
marks(unsigned long count)
{
	for (; count > 0; count--)
		marks_fire();
	(void)steps_run(marks_fire, STEPS_EACH, marks_look);
	TBUF_PROBE(marked, marks, marks_most);
}

/* Fires with each type, with a string and without one. */
static void
widths(unsigned long count)
{
	unsigned long n;

	for (n = 0; n < count; n++) {
		int8_t small = (int8_t)-n;
		uint16_t port = (uint16_t)(65535 - n);
		int middle = -70000 - (int)n;
		float part = (float)n / 2;

		TBUF_PROBE(test, widths, small, port, middle, part);
		TBUF_PROBE(test, named, small, port, middle, part, "abc");
	}
}

static void
texts(unsigned long count)
{
	unsigned long bytes;
	char path[32];

	for (bytes = 0; bytes < count; bytes++) {
		snprintf(path, sizeof(path), "/file/%lu", bytes);
		TBUF_PROBE(test, text, path, bytes);
	}
}

static void
key(const char *text, unsigned long number)
{
	unsigned i;

	/* The machine adds a new key, plans update it. */
	for (i = 0; i < 3; i++) {
		TBUF_PROBE(test, key, number, text);
		TBUF_PROBE(test, again, number, text);
	}
}

/*
 * Strings have all lengths below the count, some of them end before an
 * unreadable page, and one is NULL.
 */
static void
keys(unsigned long count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *area = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || mprotect(area + page, page, PROT_NONE) != 0)
		err(1, "mmap");
	for (i = 0; i < page - 1; i++)
		area[i] = (char)('a' + i % 23);
	area[page - 1] = '\0';
	for (i = 0; i < count; i++) {
		key(area + page - 1 - i, i);
		area[i] = '\0';
		key(area, i);
		area[i] = (char)('a' + i % 23);
		key(NULL, i);
	}
	(void)munmap(area, 2 * page);
}

static bool
target(char *argv[])
{
	unsigned long count = argv[2] != NULL ? strtoul(argv[2], NULL, 0) : 0;

	if (strcmp(argv[1], "numbers") == 0)
		numbers(count);
	else if (strcmp(argv[1], "values") == 0)
		values();
	else if (strcmp(argv[1], "widths") == 0)
		widths(count);
	else if (strcmp(argv[1], "texts") == 0)
		texts(count);
	else if (strcmp(argv[1], "keys") == 0)
		keys(count);
	else if (strcmp(argv[1], "marks") == 0)
		marks(count);
	else if (strcmp(argv[1], "pause") == 0) {
		numbers(1);
		for (;;)
			pause();
	} else
		return (false);
	return (true);
}

pid_t
clause_spawn(struct tbuf_consumer *c, const char *mode, const char *count)
{
	return (live_spawn(c, mode, count, NULL));
}

struct made made;

void
clause_set_up(void)
{
	memset(&made, 0, sizeof(made));
	consumer_set_up();
}

TCase *
clause_case(const char *name)
{
	TCase *t = live_case(name);

	tcase_add_checked_fixture(t, clause_set_up, consumer_tear_down);
	return (t);
}

static void
without_rseq(void)
{
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
}

Suite *
clause_suite(const char *name, TCase *(*cases)(const char *name))
{
	Suite *s = suite_create(name);
	TCase *t;

	suite_add_tcase(s, cases("sections"));
	t = cases("locks");
	tcase_add_checked_fixture(t, without_rseq, NULL);
	suite_add_tcase(s, t);
	return (s);
}

int
clause_main(int argc, char *argv[], Suite *(*make)(void))
{
	if (argc > 1 && target(argv))
		return (0);
	return (live_main(argc, argv, make));
}
