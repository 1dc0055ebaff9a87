/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts in the consumer, made by hand: the effects of BEGIN, END, ERROR,
 * tick-N and profile-N.
 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "lib/check_main.h"
#include "unit/script/fixture.h"

/* ------------------------------------------------------------ scripts */

static const struct tbuf_d_shape integer = {
	.kind = TBUF_KIND_INTEGER, .is_signed = 1, .size = 4, .name = "int"
};
static const struct tbuf_d_shape string = {
	.kind = TBUF_KIND_TEXT, .size = 256, .name = "string"
};
static const struct tbuf_d_piece number_piece = {
	.kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &integer
};
static const struct tbuf_d_piece text_piece = {
	.kind = TBUF_PIECE_TEXT, .shape = &string
};
static const struct tbuf_d_action trace = {
	.kind = TBUF_ACTION_TRACE, .first = 0, .count = 1
};
static const struct tbuf_d_record number_record = {
	.actions = &trace, .nactions = 1, .pieces = &number_piece,
	.npieces = 1, .bytes = 8, .charge = 4
};
static const struct tbuf_d_record text_record = {
	.actions = &trace, .nactions = 1, .pieces = &text_piece,
	.npieces = 1, .bytes = 264, .charge = 256
};

/* ------------------------------------------------------------ runs */

static const struct tbuf_script_sharing *sharing;	/* NULL: none */

static void
setup(void)
{
	log_epids = true;
	sharing = NULL;
	consumer_set_up();
}

static void
run(struct made *made)
{
	script_load(consumer, &made->script);
	if (sharing != NULL)
		consumer->script->sharing = sharing;
	script_go(consumer);
	while (script_work(consumer) > 0)
		continue;
}

/* ------------------------------------------------------------ tests */

#define RECORD_AND_EXIT(value, status)					\
	W(LDI, 1, 0, 0, value), W(PUT, 1, 0, 0, 4),			\
	W(LDI, 2, 0, 0, status), W(EXIT, 2, 0, 0, 0), W(EMIT, 0, 0, 0, 0)
#define RECORD(value)							\
	W(LDI, 1, 0, 0, value), W(PUT, 1, 0, 0, 4), W(EMIT, 0, 0, 0, 0)

START_TEST(begin_and_end)
{
	struct made made = { .script = { .nclauses = 0 } };
	int status = -1;

	CLAUSE(&made, "END", &number_record, RECORD(5));
	CLAUSE(&made, "BEGIN", &number_record, RECORD_AND_EXIT(3, 7));
	CLAUSE(&made, "BEGIN", &number_record, RECORD(4));
	ck_assert(!tbuf_consumer_exited(consumer, &status));
	run(&made);
	/* exit() skips the other clause of BEGIN, but not END. */
	expect("2 BEGIN 3\n1 END 5\n");
	ck_assert(tbuf_consumer_exited(consumer, &status));
	ck_assert_int_eq(status, 7);
}
END_TEST

START_TEST(the_last_exit_counts)
{
	struct made made = { .script = { .nclauses = 0 } };
	int status = -1;

	CLAUSE(&made, "dtrace:::BEGIN", NULL, W(LDI, 1, 0, 0, 2),
	    W(EXIT, 1, 0, 0, 0));
	CLAUSE(&made, "dtrace:::END", NULL, W(LDI, 1, 0, 0, 9),
	    W(EXIT, 1, 0, 0, 0));
	made_clause(&made, ":::END", NULL, 0, NULL, 0);
	run(&made);
	ck_assert(tbuf_consumer_exited(consumer, &status));
	ck_assert_int_eq(status, 9);
	expect("3 END\n");
}
END_TEST

START_TEST(faults)
{
	static const struct tbuf_d_place places[] = { { 0, 0, 0 }, { 1, 1, 0 },
	    { 2, 2, 0 } };
	struct made made = { .script = { .nclauses = 0 } };

	CLAUSE(&made, "BEGIN", &number_record, W(LDI, 1, 0, 0, 64),
	    W(LDI, 2, 0, 0, 0), W(LD8, 1, 1, 0, 0), W(PUT, 1, 0, 0, 8),
	    W(EMIT, 0, 0, 0, 0));
	made.clauses[0].places = places;
	made.clauses[0].nplaces = 3;
	CLAUSE(&made, "ERROR", &number_record, W(LDA, 1, 0, 0, 1),
	    W(MULI, 1, 1, 0, 10), W(LDA, 2, 0, 0, 2), W(ADD, 1, 1, 2, 0),
	    W(MULI, 1, 1, 0, 10), W(LDA, 2, 0, 0, 4), W(ADD, 1, 1, 2, 0),
	    W(MULI, 1, 1, 0, 100), W(LDA, 2, 0, 0, 5), W(ADD, 1, 1, 2, 0),
	    W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "ERROR", NULL, W(LDI, 1, 0, 0, 0),
	    W(FAULT, 1, 0, 0, TBUF_FAULT_DIVIDE));
	CLAUSE(&made, "BEGIN", NULL, W(LDI, 1, 0, 0, 0),
	    W(EXIT, 1, 0, 0, 0));
	run(&made);
	/* The program's memory is not read; EPID 1, action 2, fault 1. */
	expect("fault 1 (40) in 2 of 1 BEGIN at 2\n2 ERROR 12164\n1 errors\n");
}
END_TEST

/* Memory for waiting faults is bounded; faults beyond that are drops. */
START_TEST(faults_that_are_too_many_are_drops)
{
	static const char *descriptions[16387];
	struct made made = { .script = { .nclauses = 0 } };
	unsigned faults = 0, drops = 0, i;
	struct tbuf_event e;

	for (i = 0; i < 16387; i++)
		descriptions[i] = "END";
	CLAUSE(&made, "BEGIN", NULL, W(LDI, 1, 0, 0, 0), W(EXIT, 1, 0, 0, 0));
	CLAUSE(&made, "END", NULL, W(LDI, 1, 0, 0, 0),
	    W(FAULT, 1, 0, 0, TBUF_FAULT_DIVIDE));
	made.clauses[1].descriptions = descriptions;
	made.clauses[1].ndescriptions = 16387;
	ck_assert_msg(tbuf_consumer_script(consumer, &made.script) == 0,
	    "%s", tbuf_consumer_error(consumer));
	ck_assert_int_eq(tbuf_consumer_go(consumer), 0);
	while (tbuf_consumer_work(consumer) > 0)
		continue;
	while (tbuf_consumer_next(consumer, &e) > 0) {
		faults += e.type == TBUF_EVENT_FAULT;
		drops += e.type == TBUF_EVENT_DROPS ? (unsigned)e.count : 0;
	}
	ck_assert_uint_eq(faults, 16384);
	ck_assert_uint_eq(drops, 3);
}
END_TEST

START_TEST(default_records)
{
	struct made made = { .script = { .nclauses = 0 } };
	int status = -1;

	made_clause(&made, "BEGIN", NULL, 0, NULL, 0);
	CLAUSE(&made, "BEGIN", &number_record, W(LDI, 1, 0, 0, 0),
	    W(JZ, 1, 0, 0, 3), RECORD(1));
	CLAUSE(&made, "BEGIN", NULL, W(LDI, 1, 0, 0, 0),
	    W(EXIT, 1, 0, 0, 0));
	run(&made);
	/* A false predicate records nothing. */
	expect("1 BEGIN\n");
	ck_assert(tbuf_consumer_exited(consumer, &status));
}
END_TEST

/* tick { if (++x == 3) exit(0); trace(x); } */
START_TEST(ticks)
{
	static const struct tbuf_d_variable x = {
		.name = "x", .scope = TBUF_SCOPE_GLOBAL, .shape = &integer
	};
	struct made made = { .script = { .nclauses = 0, .variables = &x,
	    .nvariables = 1 } };

	CLAUSE(&made, "profile:::tick-1ms", &number_record,
	    W(LDV, 1, 0, TBUF_SCOPE_GLOBAL, 0), W(ADDI, 1, 1, 0, 1),
	    W(STV, 1, 0, TBUF_SCOPE_GLOBAL, 0), W(PUT, 1, 0, 0, 4),
	    W(JNEI, 1, 2, 0, 3), W(LDI, 2, 0, 0, 0), W(EXIT, 2, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	run(&made);
	expect("1 tick-1ms 1\n1 tick-1ms 2\n1 tick-1ms 3\n");
}
END_TEST

START_TEST(profile_fires_for_each_cpu)
{
	struct made made = { .script = { .nclauses = 0 } };
	unsigned lines = 0;
	const char *p;

	CLAUSE(&made, "profile-1000", &number_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_PID), W(PUT, 1, 0, 0, 4),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "tick-20ms", NULL, W(LDI, 1, 0, 0, 0),
	    W(EXIT, 1, 0, 0, 0));
	run(&made);
	for (p = log_text; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	ck_assert_uint_ge(lines, 1);
	ck_assert_int_eq(strncmp(log_text, "1 profile-1000 0\n", 17), 0);
	ck_assert_uint_eq(lines % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), 0);
}
END_TEST

/* Two records fit: 16 bytes, and strsize for a string, as in DTrace. */
START_TEST(a_full_buffer)
{
	struct made made = { .script = { .nclauses = 0 } };
	struct tbuf_totals totals;
	int status;
	unsigned i;

	for (i = 0; i < 3; i++)
		CLAUSE(&made, "BEGIN", &text_record, W(LDC, 1, 0, 0, 0),
		    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", &number_record, W(ROOM, 0, 0, 0, 0),
	    RECORD_AND_EXIT(1, 0));
	set("bufsize", "544");
	tbuf_consumer_stop(consumer);
	run(&made);
	/* Without room, no statement of a clause has an effect. */
	ck_assert(!tbuf_consumer_exited(consumer, &status));
	expect("1 BEGIN 'hello'\n2 BEGIN 'hello'\n2 drops\n");
	tbuf_consumer_totals(consumer, &totals);
	ck_assert_uint_eq(totals.records, 2);
	ck_assert_uint_eq(totals.drops, 2);
}
END_TEST

START_TEST(a_ring)
{
	struct made made = { .script = { .nclauses = 0 } };

	CLAUSE(&made, "BEGIN", &number_record, RECORD(1));
	CLAUSE(&made, "BEGIN", &number_record, RECORD(2));
	CLAUSE(&made, "BEGIN", &number_record, RECORD_AND_EXIT(3, 0));
	set("bufpolicy", "ring");
	set("bufsize", "48");
	run(&made);
	expect("2 BEGIN 2\n3 BEGIN 3\n1 overwritten\n");
}
END_TEST

START_TEST(fill_stops)
{
	struct made made = { .script = { .nclauses = 0 } };

	CLAUSE(&made, "BEGIN", &number_record, RECORD(1));
	CLAUSE(&made, "BEGIN", &number_record, RECORD(2));
	CLAUSE(&made, "END", &number_record, RECORD(3));
	set("bufpolicy", "fill");
	set("bufsize", "48");
	run(&made);
	/* END's record fits; the first one that does not ends the run. */
	expect("1 BEGIN 1\n3 END 3\n1 drops\n");
}
END_TEST

START_TEST(end_exceeds)
{
	struct made made = { .script = { .nclauses = 0 } };

	CLAUSE(&made, "END", &text_record, W(END, 0, 0, 0, 0));
	set("bufpolicy", "fill");
	set("bufsize", "64");
	ck_assert_int_eq(tbuf_consumer_script(consumer, &made.script), 0);
	ck_assert_int_eq(tbuf_consumer_go(consumer), -ENOSPC);
	ck_assert_str_eq(tbuf_consumer_error(consumer), "could not enable "
	    "tracing: END enablings exceed size of principal buffer");
}
END_TEST

static const struct tbuf_d_variable variables[] = {
	{ .name = "t", .scope = TBUF_SCOPE_GLOBAL, .id = 0,
	    .shape = &string },
	{ .name = "u", .scope = TBUF_SCOPE_CLAUSE, .id = 0,
	    .shape = &string },
	{ .name = "n", .scope = TBUF_SCOPE_THREAD, .id = 0,
	    .shape = &integer },
	{ .name = "m", .scope = TBUF_SCOPE_THREAD, .id = 1,
	    .shape = &integer },
	{ .name = "a", .scope = TBUF_SCOPE_ARRAY, .id = 0,
	    .shape = &integer },
	{ .name = "b", .scope = TBUF_SCOPE_ARRAY, .id = 1,
	    .shape = &string }
};

START_TEST(texts)
{
	struct made made = { .script = { .nclauses = 0,
	    .variables = variables, .nvariables = 6 } };

	/* t = "hello"; this->u = t; b[1] = this->u; trace(b[1]) */
	CLAUSE(&made, "BEGIN", &text_record, W(LDC, 1, 0, 0, 0),
	    W(STT, 1, 0, TBUF_SCOPE_GLOBAL, 0),
	    W(LDR, 2, 0, TBUF_SCOPE_GLOBAL, 0),
	    W(STT, 2, 0, TBUF_SCOPE_CLAUSE, 0),
	    W(LDR, 3, 0, TBUF_SCOPE_CLAUSE, 0), W(LDI, 4, 0, 0, 1),
	    W(KEYN, 0, 0, 0, 0), W(KEY, 4, 0, 0, 4),
	    W(STT, 3, 0, TBUF_SCOPE_ARRAY, 1), W(KEYN, 0, 0, 0, 0),
	    W(KEY, 4, 0, 0, 4), W(LDR, 5, 0, TBUF_SCOPE_ARRAY, 1),
	    W(PUTT, 5, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	/* The chain's next clause has this->u; t is cleared. */
	CLAUSE(&made, "BEGIN", &text_record,
	    W(LDR, 3, 0, TBUF_SCOPE_CLAUSE, 0), W(LDI, 1, 0, 0, 0),
	    W(STT, 1, 0, TBUF_SCOPE_GLOBAL, 0), W(PUTT, 3, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	/* b[2] does not exist. */
	CLAUSE(&made, "BEGIN", &text_record, W(LDI, 4, 0, 0, 2),
	    W(KEYN, 0, 0, 0, 0), W(KEY, 4, 0, 0, 4),
	    W(LDR, 5, 0, TBUF_SCOPE_ARRAY, 1), W(PUTT, 5, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", NULL, W(LDR, 1, 0, TBUF_SCOPE_GLOBAL, 0),
	    W(EXIT, 1, 0, 0, 0));
	/* Each firing has its own this->. */
	CLAUSE(&made, "END", &number_record,
	    W(LDR, 1, 0, TBUF_SCOPE_CLAUSE, 0), W(PUT, 1, 0, 0, 8),
	    W(EMIT, 0, 0, 0, 0));
	run(&made);
	expect("1 BEGIN 'hello'\n2 BEGIN 'hello'\n"
	    "fault 1 (0) in 0 of 3 BEGIN at 4\n5 END 0\n");
}
END_TEST

/* self->n = self->m = 1: 8 bytes.  a[1] = 1: 4 + 4 + 8 + 4. */
START_TEST(dynvarsize)
{
	struct made made = { .script = { .nclauses = 0,
	    .variables = variables, .nvariables = 6 } };

	CLAUSE(&made, "BEGIN", &number_record, W(LDI, 1, 0, 0, 1),
	    W(STV, 1, 0, TBUF_SCOPE_THREAD, 0),
	    W(STV, 1, 0, TBUF_SCOPE_THREAD, 1), W(PUT, 1, 0, 0, 4),
	    W(EMIT, 0, 0, 0, 0));
	/* 12 are free, so the clause ends here, silently. */
	CLAUSE(&made, "BEGIN", &number_record, W(LDI, 1, 0, 0, 1),
	    W(KEYN, 0, 0, 0, 0), W(KEY, 1, 0, 0, 4),
	    W(STV, 1, 0, TBUF_SCOPE_ARRAY, 0), RECORD(2));
	/* Two ints are freed. */
	CLAUSE(&made, "BEGIN", &number_record, W(LDI, 1, 0, 0, 1),
	    W(LDI, 2, 0, 0, 0), W(STV, 2, 0, TBUF_SCOPE_THREAD, 0),
	    W(STV, 2, 0, TBUF_SCOPE_THREAD, 1), W(KEYN, 0, 0, 0, 0),
	    W(KEY, 1, 0, 0, 4), W(STV, 1, 0, TBUF_SCOPE_ARRAY, 0),
	    W(KEYN, 0, 0, 0, 0), W(KEY, 1, 0, 0, 4),
	    W(LDV, 3, 0, TBUF_SCOPE_ARRAY, 0), W(ADDI, 3, 3, 0, 2),
	    W(PUT, 3, 0, 0, 4), W(EMIT, 0, 0, 0, 0));
	/* An element is freed, too. */
	CLAUSE(&made, "BEGIN", &number_record, W(LDI, 1, 0, 0, 1),
	    W(LDI, 2, 0, 0, 0), W(KEYN, 0, 0, 0, 0), W(KEY, 1, 0, 0, 4),
	    W(STV, 2, 0, TBUF_SCOPE_ARRAY, 0),
	    W(STV, 1, 0, TBUF_SCOPE_THREAD, 0), RECORD_AND_EXIT(4, 0));
	set("dynvarsize", "20");
	run(&made);
	expect("1 BEGIN 1\n3 BEGIN 3\n4 BEGIN 4\n1 dynamic\n");
}
END_TEST

START_TEST(many_elements)
{
	static const struct tbuf_d_variable x[] = {
		{ .name = "x", .scope = TBUF_SCOPE_GLOBAL,
		    .shape = &integer },
		{ .name = "a", .scope = TBUF_SCOPE_ARRAY, .shape = &integer }
	};
	struct made made = { .script = { .nclauses = 0, .variables = x,
	    .nvariables = 2 } };

	/* a[x] = x + 1; until x is 100, each time the sum of two. */
	CLAUSE(&made, "tick-200us", &number_record,
	    W(LDV, 1, 0, TBUF_SCOPE_GLOBAL, 0), W(ADDI, 2, 1, 0, 1),
	    W(KEYN, 0, 0, 0, 0), W(KEY, 1, 0, 0, 4),
	    W(STV, 2, 0, TBUF_SCOPE_ARRAY, 0),
	    W(STV, 2, 0, TBUF_SCOPE_GLOBAL, 0), W(JNEI, 2, 8, 0, 100),
	    W(LDI, 3, 0, 0, 7), W(KEYN, 0, 0, 0, 0), W(KEY, 3, 0, 0, 4),
	    W(LDV, 4, 0, TBUF_SCOPE_ARRAY, 0), W(PUT, 4, 0, 0, 4),
	    W(LDI, 5, 0, 0, 0), W(EXIT, 5, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	run(&made);
	expect("1 tick-200us 8\n");
}
END_TEST

/* Every element is found in a target, and none can be stored to. */
static enum tbuf_element_known
pull_all(void *sharer, struct tbuf_element *e)
{
	(void)sharer;
	e->number = 5;
	return (TBUF_ELEMENT_PRESENT);
}

static bool
push_none(void *sharer, const struct tbuf_element *e, bool keeps)
{
	(void)sharer;
	(void)e;
	(void)keeps;
	return (false);
}

static void
pull_nothing(void *sharer, struct tbuf_cell *cell, uint32_t id)
{
	(void)sharer;
	(void)cell;
	(void)id;
}

static void
push_nothing(void *sharer, const struct tbuf_cell *cell, uint32_t id)
{
	(void)sharer;
	(void)cell;
	(void)id;
}

static const struct tbuf_script_sharing all_there = {
	.pull = pull_nothing, .push = push_nothing,
	.pull_element = pull_all, .push_element = push_none
};
static const struct tbuf_d_variable counted[] = {
	{ .name = "x", .scope = TBUF_SCOPE_GLOBAL, .shape = &integer },
	{ .name = "a", .scope = TBUF_SCOPE_ARRAY, .shape = &integer }
};

/* Elements of targets take memory here for one clause; a failed store drops. */
START_TEST(elements_of_targets)
{
	struct made made = { .script = { .nclauses = 0,
	    .variables = counted, .nvariables = 2 } };

	CLAUSE(&made, "BEGIN", NULL, W(LDI, 1, 0, 0, 0),
	    W(KEYN, 0, 0, 0, 0), W(KEY, 1, 0, 0, 4),
	    W(STV, 1, 0, TBUF_SCOPE_ARRAY, 0), W(EXIT, 1, 0, 0, 0));
	CLAUSE(&made, "tick-200us", &number_record,
	    W(LDV, 1, 0, TBUF_SCOPE_GLOBAL, 0), W(ADDI, 2, 1, 0, 1),
	    W(STV, 2, 0, TBUF_SCOPE_GLOBAL, 0),
	    W(KEYN, 0, 0, 0, 0), W(KEY, 1, 0, 0, 4),
	    W(LDV, 3, 0, TBUF_SCOPE_ARRAY, 0), W(JNEI, 2, 4, 0, 100),
	    W(PUT, 3, 0, 0, 4), W(LDI, 5, 0, 0, 0), W(EXIT, 5, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	sharing = &all_there;
	run(&made);
	expect("2 tick-200us 5\n1 dynamic\n");
	ck_assert_uint_eq(consumer->script->elements.nslots, 1);
	ck_assert_uint_eq(consumer->script->dynamic, 0);
}
END_TEST

/* Each element takes 20 of the 60 bytes: 4 + 4 + 8 + 4. */
START_TEST(elements_that_targets_left)
{
	struct made made = { .script = { .nclauses = 0,
	    .variables = counted, .nvariables = 2 } };
	struct tbuf_buffer *key;
	uint32_t i;

	CLAUSE(&made, "BEGIN", &number_record, RECORD_AND_EXIT(1, 0));
	set("dynvarsize", "60");
	run(&made);
	key = &consumer->script->machine.key;
	for (i = 0; i < 4; i++) {
		memcpy(key->bytes, &i, sizeof(i));
		key->used = sizeof(i);
		ck_assert((tbuf_script_orphan(consumer->script, 0) != NULL) ==
		    (i < 3));
	}
	ck_assert_uint_eq(consumer->script->dynamic, 60);
	ck_assert_uint_eq(consumer->script->dynamic_drops, 1);
}
END_TEST

START_TEST(builtins)
{
	struct made made = { .script = { .nclauses = 0 } };
	char text[128];

	CLAUSE(&made, "BEGIN", &text_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_PROBENAME), W(PUTT, 1, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", &number_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_PID), W(PUT, 1, 0, 0, 4),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", &text_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_PROBEFUNC), W(PUTT, 1, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", NULL, W(LDB, 1, 0, 0, TBUF_BUILTIN_TIMESTAMP),
	    W(LDB, 2, 0, 0, TBUF_BUILTIN_TIMESTAMP), W(SUB, 1, 1, 2, 0),
	    W(EXIT, 1, 0, 0, 0));
	CLAUSE(&made, "END", &number_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_ID), W(PUT, 1, 0, 0, 4),
	    W(EMIT, 0, 0, 0, 0));
	run(&made);
	(void)snprintf(text, sizeof(text), "1 BEGIN 'BEGIN'\n2 BEGIN %d\n"
	    "3 BEGIN ''\n5 END 2\n", (int)getpid());
	expect(text);
}
END_TEST

/* The fields of curpsinfo are the consumer's own. */
START_TEST(process)
{
	struct made made = { .script = { .nclauses = 0 } };
	char text[128];
	const char *begin = "1 BEGIN '";

	CLAUSE(&made, "BEGIN", &text_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_EXECARGS), W(PUTT, 1, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", &number_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_EUID), W(PUT, 1, 0, 0, 4),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", &number_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_SID), W(PUT, 1, 0, 0, 4),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", &number_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_ARGC), W(PUT, 1, 0, 0, 4),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "BEGIN", &number_record,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_THREADS), W(PUT, 1, 0, 0, 4),
	    W(LDI, 1, 0, 0, 0), W(EXIT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	run(&made);
	ck_assert_int_eq(strncmp(log_text, begin, strlen(begin)), 0);
	ck_assert_ptr_nonnull(strstr(log_text, "script'\n"));
	(void)snprintf(text, sizeof(text), "'\n2 BEGIN %d\n3 BEGIN %d\n"
	    "4 BEGIN 1\n5 BEGIN 1\n", (int)geteuid(), (int)getsid(0));
	ck_assert_ptr_nonnull(strstr(log_text, text));
}
END_TEST

START_TEST(refused)
{
	static struct tbuf_d_piece many[257];
	static struct tbuf_d_record record = {
		.pieces = many, .npieces = 257
	};
	struct made made = { .script = { .nclauses = 0 } };
	struct made other = { .script = { .nclauses = 0 } };

	CLAUSE(&made, "kv:::request", &record, W(EMIT, 0, 0, 0, 0));
	ck_assert_int_eq(tbuf_consumer_script(consumer, &made.script),
	    -ENOTSUP);
	ck_assert_str_eq(tbuf_consumer_error(consumer), "kv:::request: "
	    "records of more than 256 values at probes of programs are not "
	    "in this version");
	CLAUSE(&other, "BEGIN", NULL, W(EMIT, 0, 0, 0, 0));
	ck_assert_int_eq(tbuf_consumer_script(consumer, &other.script),
	    -EINVAL);
	ck_assert_int_eq(tbuf_consumer_own("BEGIN"), 1);
	ck_assert_int_eq(tbuf_consumer_own("profile:::tick-5ms"), 1);
	ck_assert_int_eq(tbuf_consumer_own("tick-100us"), 0);
	ck_assert_int_eq(tbuf_consumer_own("kv:::tick-5ms"), 0);
	ck_assert_int_eq(tbuf_consumer_own("a b"), -EINVAL);
}
END_TEST

START_TEST(timers_are_limited)
{
	struct made made = { .script = { .nclauses = 0 } };
	static char names[1022][16];
	static const char *all[1022];
	unsigned i;

	for (i = 0; i < 1022; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "tick-%us", i + 1);
		all[i] = names[i];
	}
	CLAUSE(&made, "tick-1s", &number_record, RECORD(1));
	made.clauses[0].descriptions = all;
	made.clauses[0].ndescriptions = 1022;
	ck_assert_int_eq(tbuf_consumer_script(consumer, &made.script), -E2BIG);
	ck_assert_str_eq(tbuf_consumer_error(consumer),
	    "tick-1022s: more than 1021 timers in a script");
	made.clauses[0].ndescriptions = 1021;
	ck_assert_int_eq(tbuf_consumer_script(consumer, &made.script), 0);
}
END_TEST

START_TEST(a_stop_is_an_end)
{
	struct made made = { .script = { .nclauses = 0 } };

	CLAUSE(&made, "END", &number_record, RECORD(1));
	tbuf_consumer_stop(consumer);
	run(&made);
	expect("1 END 1\n");
}
END_TEST

/* ------------------------------------------------------------ records */

/* Starts a script over records, the first of which has this time. */
static struct tbuf_script *
started(struct made *made, uint64_t time)
{
	const struct tbuf_options terms = {
		.bufsize = 65536, .bufpolicy = TBUF_SWITCH, .dynvarsize = 4096,
		.scratchsize = 256, .strsize = 256, .aggsize = 65536,
		.nspec = 1, .specsize = 256, .cpu = 0
	};
	struct tbuf_script *s;
	const char *why;

	ck_assert_ptr_nonnull(s = tbuf_script_new(&made->script, true, &why));
	ck_assert_int_eq(tbuf_script_begin(s, &terms), 0);
	s->moment = time;
	tbuf_script_start(s);
	s->nrecords = 1;
	return (s);
}

static void
expect_tick(struct tbuf_script *s, uint64_t until, uint64_t time)
{
	struct tbuf_event e;

	ck_assert(tbuf_script_tick_next(s, until));
	tbuf_script_give(s);
	ck_assert_int_eq(tbuf_script_next(s, &e, UINT64_MAX), 1);
	ck_assert_uint_eq(e.record.time, time);
	ck_assert_uint_eq(e.record.wall, time + s->wall_ahead);
	ck_assert_str_eq(e.record.execname, program_invocation_short_name);
	ck_assert_int_eq(tbuf_script_next(s, &e, UINT64_MAX), 0);
}

/* Two timers tick by the times of records alone. */
START_TEST(timers_of_records)
{
	struct made made = { .script = { .nclauses = 0 } };
	struct tbuf_script *s;

	CLAUSE(&made, "tick-2ms", &number_record, RECORD(1));
	CLAUSE(&made, "tick-3ms", &number_record, RECORD(1));
	s = started(&made, 1000000);
	s->wall_ahead = 77;
	ck_assert(!tbuf_script_tick_next(s, 2999999));
	expect_tick(s, 3000000, 3000000);
	expect_tick(s, 6000000, 4000000);
	expect_tick(s, 6000000, 5000000);
	ck_assert(!tbuf_script_tick_next(s, 6000000));
	tbuf_script_free(s);
}
END_TEST

/* An hour passes without a record; then there are some again. */
START_TEST(timers_where_there_are_no_records)
{
	const uint64_t hour = UINT64_C(3600) * TBUF_SECOND;
	struct made made = { .script = { .nclauses = 0 } };
	struct tbuf_script *s;
	uint64_t n = 0;

	CLAUSE(&made, "tick-1ms", NULL, W(LDI, 1, 0, 0, 0));
	s = started(&made, 1);
	while (tbuf_script_tick_next(s, hour))
		n++;
	ck_assert_uint_eq(n, 1000001);
	ck_assert_uint_eq(s->timer_drops, 3600000 - 1 - n);
	s->nrecords++;
	ck_assert(!tbuf_script_tick_next(s, hour));
	ck_assert(tbuf_script_tick_next(s, 2 * hour));
	ck_assert_uint_eq(s->moment, hour + 1);
	ck_assert(!tbuf_script_tick_next(s, 2 * hour));
	ck_assert_uint_eq(s->timer_drops, 2 * 3600000 - 1 - (n + 1));
	tbuf_script_free(s);
}
END_TEST

/* Times come from a file, and may be any. */
START_TEST(timers_at_the_end_of_time)
{
	struct made made = { .script = { .nclauses = 0 } };
	struct tbuf_script *s;

	CLAUSE(&made, "tick-1ms", NULL, W(LDI, 1, 0, 0, 0));
	s = started(&made, UINT64_MAX - 1000001);
	ck_assert(tbuf_script_tick_next(s, UINT64_MAX));
	ck_assert(!tbuf_script_tick_next(s, UINT64_MAX));
	tbuf_script_free(s);
	s = started(&made, UINT64_MAX);
	ck_assert(!tbuf_script_tick_next(s, UINT64_MAX));
	tbuf_script_free(s);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("script");
	TCase *tcase = tcase_create("script");

	tcase_add_checked_fixture(tcase, setup, consumer_tear_down);
	tcase_add_test(tcase, faults_that_are_too_many_are_drops);
	tcase_add_test(tcase, begin_and_end);
	tcase_add_test(tcase, the_last_exit_counts);
	tcase_add_test(tcase, faults);
	tcase_add_test(tcase, default_records);
	tcase_add_test(tcase, ticks);
	tcase_add_test(tcase, profile_fires_for_each_cpu);
	tcase_add_test(tcase, a_full_buffer);
	tcase_add_test(tcase, a_ring);
	tcase_add_test(tcase, fill_stops);
	tcase_add_test(tcase, end_exceeds);
	tcase_add_test(tcase, texts);
	tcase_add_test(tcase, dynvarsize);
	tcase_add_test(tcase, many_elements);
	tcase_add_test(tcase, elements_of_targets);
	tcase_add_test(tcase, elements_that_targets_left);
	tcase_add_test(tcase, builtins);
	tcase_add_test(tcase, process);
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, timers_are_limited);
	tcase_add_test(tcase, a_stop_is_an_end);
	tcase_add_test(tcase, timers_of_records);
	tcase_add_test(tcase, timers_where_there_are_no_records);
	tcase_add_test(tcase, timers_at_the_end_of_time);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
