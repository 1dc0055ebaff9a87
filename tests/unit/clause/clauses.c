/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses at probes of real targets: predicates, records, chains, names and
 * their classes, faults, exit().
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

#define NUMBER(n)							\
	W(LDI, 1, 0, 0, n), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0)
#define ARGUMENT(q)	W(PUTA, 0, 0, 0, q), W(EMIT, 0, 0, 0, 0)

START_TEST(predicate_chooses_fires)
{
	CLAUSE(&made, "test:::number", &made_argument,
	    W(JALTI, 0, 2, 0, 7), ARGUMENT(0));
	clause_spawn(consumer, "numbers", "10");
	clause_run(consumer, &made);
	expect("number 7\nnumber 8\nnumber 9\n");
}
END_TEST

START_TEST(false_predicate_leaves_nothing)
{
	CLAUSE(&made, "test:::number", &made_argument,
	    W(JALTI, 0, 2, 0, 1000), ARGUMENT(0));
	clause_spawn(consumer, "numbers", "1000");
	clause_run(consumer, &made);
	expect("");
}
END_TEST

START_TEST(records_of_several_actions_have_their_own_layouts)
{
	static const uint64_t code[] = {
		W(LDI, 1, 0, 0, 5), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0),
		W(LDC, 2, 0, 0, 0), W(PUTT, 2, 0, 0, 0), W(EMIT, 0, 0, 0, 1)
	};
	struct tbuf_d_record records[2] = { made_number, made_text };

	made_clause(&made, "test:::number", code, 6, records, 2);
	CLAUSE(&made, "test:::number", &made_argument, ARGUMENT(0));
	clause_spawn(consumer, "numbers", "2");
	clause_run(consumer, &made);
	expect("number 5\nnumber 'hello'\nnumber 0\n"
	    "number 5\nnumber 'hello'\nnumber 1\n");
}
END_TEST

/* Records of all kinds are in the script's order. */
START_TEST(default_records_and_others_share_a_chain)
{
	CLAUSE(&made, "test:::text", &made_number, NUMBER(1));
	made_clause(&made, "test:::text", NULL, 0, NULL, 0);
	CLAUSE(&made, "test:::text", &made_number, NUMBER(2));
	ck_assert_int_eq(tbuf_consumer_enable(consumer, "test:::text"), 0);
	clause_spawn(consumer, "texts", "1");
	clause_run(consumer, &made);
	expect("text default '/file/0' 0\ntext 1\n"
	    "text default '/file/0' 0\ntext 2\n");
}
END_TEST

START_TEST(arguments_are_as_the_site_has_them)
{
	static const uint64_t code[] = {
		W(PUTA, 0, 0, 0, 0), W(PUTA, 0, 0, 0, 1),
		W(PUTA, 0, 0, 0, 2), W(PUTA, 0, 0, 0, 3),
		W(PUTA, 0, 0, 0, 4), W(PUTA, 0, 0, 0, 5),
		W(PUTA, 0, 0, 0, 9), W(EMIT, 0, 0, 0, 0)
	};
	struct tbuf_d_piece pieces[7];
	const struct tbuf_d_record record = {
		.pieces = pieces, .npieces = 7, .bytes = 320
	};
	unsigned i;

	for (i = 0; i < 7; i++)
		pieces[i] = (struct tbuf_d_piece){
			.kind = TBUF_PIECE_ARGUMENT, .argument = i == 6 ? 9 : i
		};
	made_clause(&made, "test:::values", code, 8, &record, 1);
	made_clause(&made, "test:::fixed", code, 8, &record, 1);
	CLAUSE(&made, "test:::fixed", &made_number,
	    W(JALTI, 0, 1, 0, -3), W(JALEI, 0, 1, 0, -3), W(END, 0, 0, 0, 0),
	    W(LDA, 1, 0, 0, 2), W(ADDI, 1, 1, 0, 1), W(PUT, 1, 0, 0, 8),
	    W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "values", NULL);
	clause_run(consumer, &made);
	expect("values -3 65535 -70000 0.5 'abc' 1 0\n"
	    "fixed -3 65535 -70000 0.5 1 0 0\nfixed -69999\n");
}
END_TEST

/*
 * The machine runs the first fire; later ones use the plan of its effect, a
 * record of numbers after a predicate.
 */
START_TEST(later_fires_leave_what_the_first_one_does)
{
	static const uint64_t code[] = {
		W(JAGEI, 1, 2, 0, 65532), W(JAEQI, 0, 1, 0, -4),
		W(END, 0, 0, 0, 0), W(ROOM, 0, 0, 0, 0),
		W(LDA, 3, 0, 0, 2), W(PUTA, 0, 0, 0, 0), W(PUT, 3, 0, 0, 8),
		W(LDA, 3, 0, 0, 1), W(PUT, 3, 0, 0, 8), W(PUT, 3, 0, 0, 8),
		W(PUTA, 0, 0, 0, 3), W(EMIT, 0, 0, 0, 0)
	};
	struct tbuf_d_piece pieces[5];
	const struct tbuf_d_record record = {
		.pieces = pieces, .npieces = 5, .bytes = 40
	};
	unsigned i;

	for (i = 0; i < 5; i++)
		pieces[i] = (struct tbuf_d_piece){
			.kind = TBUF_PIECE_INTEGER, .bytes = 8,
			.shape = &made_integer
		};
	pieces[4] = (struct tbuf_d_piece){
		.kind = TBUF_PIECE_ARGUMENT, .argument = 3
	};
	made_clause(&made, "test:::widths", code, 12, &record, 1);
	made_clause(&made, "test:::named", code, 12, &record, 1);
	clause_spawn(consumer, "widths", "6");
	clause_run(consumer, &made);
	expect(
	    "widths 0 -70000 65535 65535 0\n"
	    "named 0 -70000 65535 65535 0\n"
	    "widths -1 -70001 65534 65534 0.5\n"
	    "named -1 -70001 65534 65534 0.5\n"
	    "widths -2 -70002 65533 65533 1\n"
	    "named -2 -70002 65533 65533 1\n"
	    "widths -3 -70003 65532 65532 1.5\n"
	    "named -3 -70003 65532 65532 1.5\n"
	    "widths -4 -70004 65531 65531 2\n"
	    "named -4 -70004 65531 65531 2\n");
}
END_TEST

/* Each probe runs the program for its class: strings or integers. */
START_TEST(program_is_chosen_by_the_class_of_a_name)
{
	static const uint64_t texts[] = { NUMBER(1) };
	static const uint64_t numbers[] = { NUMBER(2) };
	struct tbuf_d_program programs[2] = {
		{ .code = texts, .length = 3, .classes = { TBUF_CLASS_TEXT } },
		{ .code = numbers, .length = 3, .classes =
		    { TBUF_CLASS_INTEGER | TBUF_CLASS_UNSIGNED } }
	};
	const char *names[] = { "part" };
	struct tbuf_d_clause *clause;

	clause = made_clause(&made, "test:::text,test:::number", texts, 3,
	    &made_number, 1);
	clause->names = &names[0];
	clause->nnames = 1;
	clause->programs = programs;
	clause->nprograms = 2;
	names[0] = "n";
	clause_spawn(consumer, "numbers", "1");
	clause_run(consumer, &made);
	/* The probe without a fitting program is reported once. */
	expect("number 2\n1 unfit\n");
	consumer_tear_down();
	clause_set_up();
	clause = made_clause(&made, "test:::text,test:::number", texts, 3,
	    &made_number, 1);
	clause->names = names;
	clause->nnames = 1;
	clause->programs = programs;
	clause->nprograms = 2;
	names[0] = "path";
	clause_spawn(consumer, "texts", "1");
	clause_run(consumer, &made);
	expect("text 1\n1 unfit\n");
}
END_TEST

START_TEST(name_is_bound_in_each_probe)
{
	struct tbuf_d_clause *clause = CLAUSE(&made, "test:::text",
	    &made_name, W(PUTA, 0, 0, 0, TBUF_SELECT_NAME),
	    W(EMIT, 0, 0, 0, 0));

	made_name_set(&made, clause, "path", 15);
	clause = CLAUSE(&made, "test:::text", &made_name,
	    W(JALTI, TBUF_SELECT_NAME, 2, 0, 1),
	    W(PUTA, 0, 0, 0, TBUF_SELECT_NAME), W(EMIT, 0, 0, 0, 0));
	made_name_set(&made, clause, "bytes", TBUF_CLASS_UNSIGNED);
	clause_spawn(consumer, "texts", "2");
	clause_run(consumer, &made);
	expect("text '/file/0'\ntext '/file/1'\ntext 1\n");
}
END_TEST

START_TEST(faults_are_told_and_fire_error)
{
	static const struct tbuf_d_place places[] = { { 0, 0, 0 },
	    { 1, 1, 0 } };
	struct tbuf_d_clause *clause;

	CLAUSE(&made, "ERROR", &made_number, W(LDA, 1, 0, 0, 4),
	    W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	clause = CLAUSE(&made, "test:::number", &made_number,
	    W(LDA, 1, 0, 0, 0), W(LDI, 2, 0, 0, 6), W(DIVU, 2, 2, 1, 0),
	    W(PUT, 2, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	clause->places = places;
	clause->nplaces = 2;
	clause_spawn(consumer, "numbers", "3");
	clause_run(consumer, &made);
	expect("fault 4 (0) in 1 of number at 2\nERROR 4\n"
	    "number 6\nnumber 3\n");
}
END_TEST

/* The clause runs to its end; the chain's later clauses do not run. */
START_TEST(exit_ends_the_run)
{
	int status = -1;
	pid_t pid;

	CLAUSE(&made, "test:::number", &made_number, W(LDI, 1, 0, 0, 7),
	    W(EXIT, 1, 0, 0, 0), NUMBER(1));
	CLAUSE(&made, "test:::number", &made_number, NUMBER(2));
	CLAUSE(&made, "END", &made_number, NUMBER(3));
	pid = clause_spawn(consumer, "pause", NULL);
	clause_run(consumer, &made);
	ck_assert(tbuf_consumer_exited(consumer, &status));
	ck_assert_int_eq(status, 7);
	expect("number 1\nEND 3\n");
	kill(pid, SIGKILL);
}
END_TEST

START_TEST(exit_of_one_that_ends_at_once)
{
	int status = -1;

	CLAUSE(&made, "test:::number", NULL, W(JALTI, 0, 2, 0, 5),
	    W(LDI, 1, 0, 0, 3), W(EXIT, 1, 0, 0, 0));
	clause_spawn(consumer, "numbers", "10");
	clause_run(consumer, &made);
	ck_assert(tbuf_consumer_exited(consumer, &status));
	ck_assert_int_eq(status, 3);
}
END_TEST

/* this-> variables last for a chain, and are 0 at the next one's start. */
START_TEST(chain_shares_its_variables)
{
	static const struct tbuf_d_variable variables[] = {
		{ .name = "x", .scope = TBUF_SCOPE_CLAUSE, .id = 0,
		  .shape = &made_integer },
		{ .name = "s", .scope = TBUF_SCOPE_CLAUSE, .id = 1,
		  .shape = &made_string }
	};

	made.script.variables = variables;
	made.script.nvariables = 2;
	CLAUSE(&made, "test:::number", NULL, W(LDV, 1, 0, 1, 0),
	    W(LDA, 2, 0, 0, 0), W(ADD, 1, 1, 2, 0), W(ADDI, 1, 1, 0, 3),
	    W(STV, 1, 0, 1, 0), W(LDC, 3, 0, 0, 6), W(STT, 3, 0, 1, 1));
	CLAUSE(&made, "test:::number", &made_number, W(LDV, 1, 0, 1, 0),
	    W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "test:::number", &made_text, W(LDR, 1, 0, 1, 1),
	    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "numbers", "2");
	clause_run(consumer, &made);
	expect("number 3\nnumber 'kvd'\nnumber 4\nnumber 'kvd'\n");
}
END_TEST

/*
 * A handler's fire has its marks after those of the fire it interrupts.  There
 * is room for four: a fire has one, and its lane may have one.
 */
START_TEST(chain_has_one_mark)
{
	static const struct tbuf_d_variable variables[] = {
		{ .name = "x", .scope = TBUF_SCOPE_CLAUSE, .id = 0,
		  .shape = &made_integer }
	};
	const char *told;

	made.script.variables = variables;
	made.script.nvariables = 1;
	CLAUSE(&made, "marked:::number", NULL, W(LDA, 1, 0, 0, 0),
	    W(STV, 1, 0, TBUF_SCOPE_CLAUSE, 0));
	CLAUSE(&made, "marked:::number", &made_number,
	    W(LDV, 1, 0, TBUF_SCOPE_CLAUSE, 0), W(PUT, 1, 0, 0, 8),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "marked:::marks", &made_number, ARGUMENT(0));
	clause_spawn(consumer, "marks", "40");
	clause_run(consumer, &made);
	told = strstr(log_text, "marks ");
	ck_assert_ptr_nonnull(told);
	ck_assert_int_le(atoi(told + strlen("marks ")), 2);
}
END_TEST

/* A global variable of the target keeps its value between fires. */
START_TEST(globals_stay)
{
	static const struct tbuf_d_variable variables[] = {
		{ .name = "s", .scope = TBUF_SCOPE_GLOBAL, .id = 0,
		  .shape = &made_string },
		{ .name = "n", .scope = TBUF_SCOPE_GLOBAL, .id = 1,
		  .shape = &made_integer }
	};

	made.script.variables = variables;
	made.script.nvariables = 2;
	CLAUSE(&made, "test:::text", &made_number, W(LDV, 1, 0, 0, 1),
	    W(ADDI, 1, 1, 0, 10), W(STV, 1, 0, 0, 1), W(PUT, 1, 0, 0, 8),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "test:::text", &made_text, W(LDR, 1, 0, 0, 0),
	    W(LDAT, 2, 0, 0, 0), W(STT, 2, 0, 0, 0), W(JZ, 1, 0, 0, 2),
	    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "texts", "3");
	clause_run(consumer, &made);
	expect("text 10\ntext 20\ntext '/file/1'\n"
	    "text 30\ntext '/file/2'\n");
}
END_TEST

/* The target sees BEGIN's values, and END sees the target's. */
START_TEST(globals_are_shared_with_the_consumer)
{
	static const struct tbuf_d_variable variables[] = {
		{ .name = "s", .scope = TBUF_SCOPE_GLOBAL, .id = 0,
		  .shape = &made_string },
		{ .name = "n", .scope = TBUF_SCOPE_GLOBAL, .id = 1,
		  .shape = &made_integer }
	};

	made.script.variables = variables;
	made.script.nvariables = 2;
	CLAUSE(&made, "BEGIN", NULL, W(LDI, 1, 0, 0, 40),
	    W(STV, 1, 0, 0, 1), W(LDC, 1, 0, 0, 0), W(STT, 1, 0, 0, 0));
	CLAUSE(&made, "test:::text", &made_text, W(LDR, 1, 0, 0, 0),
	    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "test:::text", NULL, W(LDV, 1, 0, 0, 1),
	    W(ADDI, 1, 1, 0, 1), W(STV, 1, 0, 0, 1),
	    W(LDAT, 2, 0, 0, 0), W(STT, 2, 0, 0, 0));
	CLAUSE(&made, "END", &made_number, W(LDV, 1, 0, 0, 1),
	    W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "END", &made_text, W(LDR, 1, 0, 0, 0),
	    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "texts", "2");
	clause_run(consumer, &made);
	expect("text 'hello'\ntext '/file/0'\n"
	    "END 42\nEND '/file/1'\n");
}
END_TEST

START_TEST(consumer_stores_into_targets)
{
	static const struct tbuf_d_variable variables[] = {
		{ .name = "n", .scope = TBUF_SCOPE_GLOBAL, .id = 0,
		  .shape = &made_integer }
	};
	struct live_server server;

	made.script.variables = variables;
	made.script.nvariables = 1;
	CLAUSE(&made, "tick-1ms", &made_number, W(LDI, 1, 0, 0, 6),
	    W(STV, 1, 0, 0, 0), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "live:::numbered", &made_number, W(LDV, 1, 0, 0, 0),
	    W(EXIT, 1, 0, 0, 0), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	live_grab(consumer, server.pid);
	clause_begin(consumer, &made);
	while (strstr(log_text, "tick-1ms 6") == NULL)
		(void)script_work(consumer);
	live_server_fire(&server, 1);
	while (script_work(consumer) > 0)
		continue;
	ck_assert_ptr_nonnull(strstr(log_text, "numbered 6\n"));
	live_server_stop(&server);
}
END_TEST

START_TEST(strings_are_made_in_a_workspace)
{
	CLAUSE(&made, "test:::text", &made_text, W(LDC, 1, 0, 0, 0),
	    W(LDAT, 2, 0, 0, 0), W(CALL, 3, 1, 2, TBUF_SUB_STRJOIN),
	    W(CALL, 3, 3, 1, TBUF_SUB_TOUPPER), W(PUTT, 3, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "texts", "100");
	clause_run(consumer, &made);
	ck_assert(strncmp(log_text, "text 'HELLO/FILE/0'\n"
	    "text 'HELLO/FILE/1'\n", 40) == 0);
	ck_assert_ptr_nonnull(strstr(log_text, "text 'HELLO/FILE/99'\n"));
}
END_TEST

#define TEXT_OF(builtin)						\
	W(LDB, 1, 0, 0, TBUF_BUILTIN_##builtin), W(PUTT, 1, 0, 0, 0)
#define NUMBER_OF(builtin)						\
	W(LDB, 1, 0, 0, TBUF_BUILTIN_##builtin), W(PUT, 1, 0, 0, 8)

START_TEST(built_in_variables)
{
	static const uint64_t code[] = {
		TEXT_OF(PROBEPROV), TEXT_OF(PROBEMOD), TEXT_OF(PROBEFUNC),
		TEXT_OF(PROBENAME), TEXT_OF(EXECNAME), NUMBER_OF(PID),
		NUMBER_OF(TID), NUMBER_OF(PPID), NUMBER_OF(UID),
		NUMBER_OF(GID), W(EMIT, 0, 0, 0, 0)
	};
	struct tbuf_d_piece pieces[10];
	const struct tbuf_d_record record = {
		.pieces = pieces, .npieces = 10, .bytes = 1400
	};
	char expected[256];
	pid_t pid;
	unsigned i;

	for (i = 0; i < 10; i++)
		pieces[i] = (struct tbuf_d_piece){
			.kind = i < 5 ? TBUF_PIECE_TEXT : TBUF_PIECE_INTEGER,
			.shape = i < 5 ? &made_string : &made_integer
		};
	made_clause(&made, "test:::number", code, 21, &record, 1);
	pid = clause_spawn(consumer, "numbers", "1");
	clause_run(consumer, &made);
	snprintf(expected, sizeof(expected), "number 'test' 'clauses' "
	    "'numbers' 'number' 'clauses' %d %d %d %u %u\n", pid, pid,
	    getpid(), geteuid(), getegid());
	expect(expected);
}
END_TEST

/* Within a clause the time is constant; it is that of CLOCK_MONOTONIC. */
START_TEST(timestamps_are_nanoseconds)
{
	struct tbuf_event e;
	int64_t least = (int64_t)tbuf_now(), time = 0;

	CLAUSE(&made, "test:::number", &made_number, NUMBER_OF(TIMESTAMP),
	    W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "test:::number", &made_number,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_TIMESTAMP),
	    W(LDB, 2, 0, 0, TBUF_BUILTIN_TIMESTAMP), W(SUB, 1, 1, 2, 0),
	    W(JZ, 1, 0, 0, 2), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "numbers", "1");
	clause_begin(consumer, &made);
	while (tbuf_consumer_work(consumer) > 0 || time == 0)
		while (tbuf_consumer_next(consumer, &e) > 0)
			if (e.type == TBUF_EVENT_RECORD) {
				ck_assert_int_eq(time, 0);
				time = e.record.pieces[0].i;
			}
	/* The record clock's rate differs by some parts in 10^5. */
	ck_assert_int_gt(time, least - 1000000);
	ck_assert_int_lt(time, (int64_t)tbuf_now() + 1000000);
}
END_TEST

/* A record has the id of the thread that fired. */
START_TEST(records_have_the_id_of_their_thread)
{
	struct tbuf_event e;
	unsigned records = 0;

	CLAUSE(&made, "test:::number", &made_number, NUMBER_OF(TID),
	    W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "numbers", "10");
	clause_begin(consumer, &made);
	while (tbuf_consumer_work(consumer) > 0 || records == 0)
		while (tbuf_consumer_next(consumer, &e) > 0)
			if (e.type == TBUF_EVENT_RECORD) {
				ck_assert_int_eq(e.record.tid,
				    e.record.pieces[0].i);
				records++;
			}
	ck_assert_uint_eq(records, 10);
}
END_TEST

/* A clause that no target can run is refused at once. */
START_TEST(lacks_are_refused)
{
	static struct tbuf_d_piece many[TBUF_PIECES_MAX + 1];
	static struct tbuf_d_record record = {
		.pieces = many, .npieces = TBUF_PIECES_MAX + 1
	};

	CLAUSE(&made, "test:::number", &record, W(EMIT, 0, 0, 0, 0));
	ck_assert_int_eq(tbuf_consumer_script(consumer, &made.script),
	    -ENOTSUP);
	ck_assert_str_eq(tbuf_consumer_error(consumer), "test:::number: "
	    "records of more than 256 values at probes of programs are not "
	    "in this version");
}
END_TEST

/*
 * A clause that cannot run is refused, too, if its description matches our own
 * probes, and those of targets if there are any when the run begins.
 */
START_TEST(lacks_behind_wildcards_are_refused)
{
	static struct tbuf_d_piece many[TBUF_PIECES_MAX + 1];
	static struct tbuf_d_record record = {
		.pieces = many, .npieces = TBUF_PIECES_MAX + 1
	};
	bool late = _i != 0;

	CLAUSE(&made, ":::", &record, W(EMIT, 0, 0, 0, 0));
	if (!late)
		clause_spawn(consumer, "numbers", "1");
	ck_assert_int_eq(tbuf_consumer_script(consumer, &made.script),
	    late ? 0 : -ENOTSUP);
	if (late) {
		clause_spawn(consumer, "numbers", "1");
		ck_assert_int_eq(tbuf_consumer_go(consumer), -ENOTSUP);
	}
	ck_assert_str_eq(tbuf_consumer_error(consumer), ":::: records of "
	    "more than 256 values at probes of programs are not in this "
	    "version");
}
END_TEST

/* With -x cpu, fires on other CPUs have no effect. */
START_TEST(other_cpus_do_nothing)
{
	static const struct tbuf_d_variable variables[] = {
		{ .name = "n", .scope = TBUF_SCOPE_GLOBAL, .id = 0,
		  .shape = &made_integer }
	};
	cpu_set_t all, one;
	char wanted[12];
	int cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (cpu = 0; !CPU_ISSET(cpu, &all); cpu++)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	/* There is only one CPU. */
	if (CPU_EQUAL(&one, &all))
		return;
	for (CPU_CLR(cpu, &all); !CPU_ISSET(cpu, &all); cpu++)
		continue;
	snprintf(wanted, sizeof(wanted), "%d", cpu);
	made.script.variables = variables;
	made.script.nvariables = 1;
	CLAUSE(&made, "test:::number", NULL, W(LDI, 1, 0, 0, 1),
	    W(STV, 1, 0, 0, 0));
	CLAUSE(&made, "END", &made_number, W(LDV, 1, 0, 0, 0),
	    W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	ck_assert_int_eq(tbuf_consumer_set(consumer, "cpu", wanted), 0);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	clause_spawn(consumer, "numbers", "10");
	clause_run(consumer, &made);
	expect("END 0\n");
}
END_TEST

/* A clause may copy a string by its address only if its flags say so. */
START_TEST(own_memory_is_copied_in)
{
	struct tbuf_d_clause *clause;

	clause = CLAUSE(&made, "test:::pointer", &made_text,
	    W(LDA, 1, 0, 0, 0), W(CALL, 1, 1, 1, TBUF_SUB_COPYINSTR),
	    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	clause->flags = TBUF_CLAUSE_COPYIN;
	clause = CLAUSE(&made, "test:::pointer", &made_text,
	    W(LDI, 1, 0, 0, 64), W(CALL, 1, 1, 1, TBUF_SUB_COPYINSTR),
	    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	clause->flags = TBUF_CLAUSE_COPYIN;
	CLAUSE(&made, "test:::pointer", &made_text, W(LDI, 1, 0, 0, 80),
	    W(CALL, 1, 1, 1, TBUF_SUB_COPYINSTR), W(PUTT, 1, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "values", NULL);
	clause_run(consumer, &made);
	expect("pointer 'abc'\nfault 1 (40) in 0 of pointer at 1\n"
	    "fault 1 (50) in 0 of pointer at 1\n");
}
END_TEST

/* The consumer matches the probes of a running target. */
START_TEST(target_that_runs_is_grabbed)
{
	struct live_server server;

	CLAUSE(&made, "live:::numbered", &made_argument,
	    W(JALTI, 0, 2, 0, 2), ARGUMENT(0));
	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	live_grab(consumer, server.pid);
	clause_begin(consumer, &made);
	live_server_fire(&server, 3);
	live_server_stop(&server);
	while (script_work(consumer) > 0)
		continue;
	expect("numbered 2\nnumbered 3\n");
}
END_TEST

/* A new target finds the programs beside the board. */
START_TEST(target_that_comes_reads_the_programs)
{
	struct live_server server;
	pid_t pid;

	CLAUSE(&made, "live:::numbered", &made_argument,
	    W(JALTI, 0, 2, 0, 2), ARGUMENT(0));
	ck_assert_int_eq(tbuf_consumer_grab_all(consumer), 0);
	clause_begin(consumer, &made);
	live_server_start(&server, NULL);
	live_server_fire(&server, 4);
	pid = server.pid;
	live_server_stop(&server);
	while (strstr(log_text, "numbered 3") == NULL)
		(void)script_work(consumer);
	tbuf_consumer_stop(consumer);
	while (script_work(consumer) > 0)
		continue;
	ck_assert_int_gt(pid, 0);
	expect("numbered 2\nnumbered 3\n");
}
END_TEST

/* A child is found by its own file, and so is its image after exec. */
START_TEST(children_are_followed)
{
	unsigned n = 0;
	const char *p;

	CLAUSE(&made, "live:::numbered", &made_argument,
	    W(JALTI, 0, 2, 0, 9), ARGUMENT(0));
	ck_assert_int_eq(tbuf_consumer_set(consumer, "follow", NULL), 0);
	clause_spawn(consumer, "breed", "3");
	clause_run(consumer, &made);
	for (p = log_text; *p != '\0'; p = strchr(p, '\n') + 1, n++)
		ck_assert(strncmp(p, "numbered 9\n", 11) == 0);
	ck_assert_uint_eq(n, 3);
}
END_TEST

/* Commands inherit the setting: their threads have no rseq. */
static TCase *
cases(const char *name)
{
	TCase *t = clause_case(name);

	tcase_add_test(t, predicate_chooses_fires);
	tcase_add_test(t, false_predicate_leaves_nothing);
	tcase_add_test(t,
	    records_of_several_actions_have_their_own_layouts);
	tcase_add_test(t, default_records_and_others_share_a_chain);
	tcase_add_test(t, arguments_are_as_the_site_has_them);
	tcase_add_test(t, later_fires_leave_what_the_first_one_does);
	tcase_add_test(t, program_is_chosen_by_the_class_of_a_name);
	tcase_add_test(t, name_is_bound_in_each_probe);
	tcase_add_test(t, faults_are_told_and_fire_error);
	tcase_add_test(t, exit_ends_the_run);
	tcase_add_test(t, exit_of_one_that_ends_at_once);
	tcase_add_test(t, chain_shares_its_variables);
	tcase_add_test(t, chain_has_one_mark);
	tcase_add_test(t, globals_stay);
	tcase_add_test(t, globals_are_shared_with_the_consumer);
	tcase_add_test(t, consumer_stores_into_targets);
	tcase_add_test(t, strings_are_made_in_a_workspace);
	tcase_add_test(t, built_in_variables);
	tcase_add_test(t, timestamps_are_nanoseconds);
	tcase_add_test(t, records_have_the_id_of_their_thread);
	tcase_add_test(t, lacks_are_refused);
	tcase_add_loop_test(t, lacks_behind_wildcards_are_refused, 0, 2);
	tcase_add_test(t, other_cpus_do_nothing);
	tcase_add_test(t, own_memory_is_copied_in);
	tcase_add_test(t, target_that_runs_is_grabbed);
	tcase_add_test(t, target_that_comes_reads_the_programs);
	tcase_add_test(t, children_are_followed);
	return (t);
}

static Suite *
make(void)
{
	return (clause_suite("clause", cases));
}

int
main(int argc, char *argv[])
{
	return (clause_main(argc, argv, make));
}
