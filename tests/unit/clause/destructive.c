/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Destructive actions of clauses on their program: raise(), stop(), chill().
 */
#include <sys/wait.h>

#include <signal.h>

#include "fixture.h"

#define CALL_OF(name, argument)						\
	W(LDI, 1, 0, 0, argument), W(CALL, 2, 1, 1, TBUF_SUB_##name)
#define DESTRUCTIVE(description, ...)					\
	CLAUSE(&made, description, NULL, __VA_ARGS__)->flags |=		\
	    TBUF_CLAUSE_DESTRUCTIVE
/* Skips as many words unless the fire's number is n. */
#define ONLY(n, words)	W(JANEI, 0, words, 0, n)

static void
record_numbers(void)
{
	CLAUSE(&made, "test:::number", &made_argument, W(PUTA, 0, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
}

/* The signal comes after all clauses of the fire have run, in order. */
START_TEST(raise_reaches_the_program)
{
	siginfo_t info;
	pid_t pid;

	DESTRUCTIVE("test:::number", ONLY(2, 2), CALL_OF(RAISE, SIGTERM));
	record_numbers();
	pid = clause_spawn(consumer, "numbers", "10");
	clause_begin(consumer, &made);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT),
	    0);
	ck_assert_int_eq(info.si_code, CLD_KILLED);
	ck_assert_int_eq(info.si_status, SIGTERM);
	while (script_work(consumer) > 0)
		continue;
	expect("number 0\nnumber 1\nnumber 2\n");
}
END_TEST

START_TEST(signal_0_is_none)
{
	DESTRUCTIVE("test:::number", CALL_OF(RAISE, 0));
	record_numbers();
	clause_spawn(consumer, "numbers", "2");
	clause_run(consumer, &made);
	expect("number 0\nnumber 1\n");
}
END_TEST

START_TEST(signal_that_there_is_not)
{
	DESTRUCTIVE("test:::number", CALL_OF(RAISE, 65));
	clause_spawn(consumer, "numbers", "1");
	clause_run(consumer, &made);
	expect("fault 3 (0) in 0 of number at 1\n");
}
END_TEST

START_TEST(stop_stops_the_program)
{
	siginfo_t info;
	pid_t pid;

	DESTRUCTIVE("test:::number", ONLY(1, 2), W(LDI, 1, 0, 0, 0),
	    W(CALL, 2, 1, 0, TBUF_SUB_STOP));
	record_numbers();
	/* The program may continue on another CPU. */
	ck_assert_int_eq(tbuf_consumer_set(consumer, "temporal", NULL), 0);
	pid = clause_spawn(consumer, "numbers", "3");
	clause_begin(consumer, &made);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
	ck_assert_int_eq(info.si_code, CLD_STOPPED);
	ck_assert_int_eq(kill(pid, SIGCONT), 0);
	while (script_work(consumer) > 0)
		continue;
	expect("number 0\nnumber 1\nnumber 2\n");
}
END_TEST

#define CHILLED	2000000

START_TEST(chill_takes_time)
{
	struct tbuf_event e;
	uint64_t times[3] = { 0 };
	unsigned n = 0;

	record_numbers();
	DESTRUCTIVE("test:::number", CALL_OF(CHILL, CHILLED));
	record_numbers();
	clause_spawn(consumer, "numbers", "1");
	clause_begin(consumer, &made);
	while (tbuf_consumer_work(consumer) > 0)
		while (tbuf_consumer_next(consumer, &e) > 0)
			if (e.type == TBUF_EVENT_RECORD && n < 3)
				times[n++] = e.record.time;
	while (tbuf_consumer_next(consumer, &e) > 0)
		if (e.type == TBUF_EVENT_RECORD && n < 3)
			times[n++] = e.record.time;
	ck_assert_uint_eq(n, 2);
	/* The times are of two clocks, which may differ a little. */
	ck_assert_uint_ge(times[1] - times[0], CHILLED / 2);
}
END_TEST

START_TEST(chill_of_more_than_half_a_second)
{
	DESTRUCTIVE("test:::number", CALL_OF(CHILL, 500000001));
	clause_spawn(consumer, "numbers", "1");
	clause_run(consumer, &made);
	expect("fault 3 (0) in 0 of number at 1\n");
}
END_TEST

/* A clause that is not marked destructive cannot do it. */
START_TEST(clause_that_is_not_destructive)
{
	CLAUSE(&made, "test:::number", NULL, CALL_OF(RAISE, SIGKILL));
	clause_spawn(consumer, "numbers", "1");
	clause_run(consumer, &made);
	expect("fault 3 (0) in 0 of number at 1\n");
}
END_TEST

static Suite *
make(void)
{
	Suite *s = suite_create("destructive");
	TCase *t = clause_case("calls");

	tcase_add_test(t, raise_reaches_the_program);
	tcase_add_test(t, signal_0_is_none);
	tcase_add_test(t, signal_that_there_is_not);
	tcase_add_test(t, stop_stops_the_program);
	tcase_add_test(t, chill_takes_time);
	tcase_add_test(t, chill_of_more_than_half_a_second);
	tcase_add_test(t, clause_that_is_not_destructive);
	suite_add_tcase(s, t);
	return (s);
}

int
main(int argc, char *argv[])
{
	return (clause_main(argc, argv, make));
}
