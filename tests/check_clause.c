/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses at probes of real targets: predicates, records, several of them,
 * names and classes, faults, exit().
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "check_clause_fixture.h"

static struct tbuf_consumer *consumer;
static struct made made;

static void
begin(void)
{
	memset(&made, 0, sizeof(made));
	ck_assert_ptr_nonnull(consumer = tbuf_consumer_new());
}

static void
end(void)
{
	tbuf_consumer_close(consumer);
}

#define NUMBER(n)							\
	W(LDI, 1, 0, 0, n), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0)
#define ARGUMENT(q)	W(PUTA, 0, 0, 0, q), W(EMIT, 0, 0, 0, 0)

START_TEST(predicate_chooses_fires)
{
	CLAUSE(&made, "test:::number", &made_argument,
	    W(JALTI, 0, 2, 0, 7), ARGUMENT(0));
	clause_spawn(consumer, "numbers", "10");
	clause_run(consumer, &made);
	clause_expect("number 7\nnumber 8\nnumber 9\n");
}
END_TEST

START_TEST(false_predicate_leaves_nothing)
{
	CLAUSE(&made, "test:::number", &made_argument,
	    W(JALTI, 0, 2, 0, 1000), ARGUMENT(0));
	clause_spawn(consumer, "numbers", "1000");
	clause_run(consumer, &made);
	clause_expect("");
}
END_TEST

static Suite *
make(void)
{
	Suite *s = suite_create("clause");
	TCase *t = live_case("clause");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, predicate_chooses_fires);
	tcase_add_test(t, false_predicate_leaves_nothing);
	suite_add_tcase(s, t);
	return (s);
}

int
main(int argc, char *argv[])
{
	return (clause_main(argc, argv, make));
}
