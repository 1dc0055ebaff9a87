/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Speculations at probes of real targets: a committed one is returned whole at
 * the place of its commit(), a discarded one never; drops are counted by kind.
 */
#include "fixture.h"

static const struct tbuf_d_variable id[] = {
	{ .name = "id", .scope = TBUF_SCOPE_GLOBAL, .id = 0,
	  .shape = &made_integer }
};

static void
with_id(void)
{
	made.script.variables = id;
	made.script.nvariables = 1;
}

static void
run(const char *count)
{
	clause_spawn(consumer, "numbers", count);
	clause_run(consumer, &made);
}

/* Register 1 has the id, which a variable keeps. */
#define NEW		W(SPECN, 1, 0, 0, 0), \
	W(STV, 1, 0, TBUF_SCOPE_GLOBAL, 0)
#define ID		W(LDV, 1, 0, TBUF_SCOPE_GLOBAL, 0)
#define SPECULATE	W(SPEC, 1, 0, 0, 0), W(PUTA, 0, 0, 0, 0), \
	W(EMIT, 0, 0, 0, 0)
#define COMMIT		W(COMMIT, 1, 0, 0, 0)
#define DISCARD		W(DISCARD, 1, 0, 0, 0)
/* Skips as many words unless the fire's number is n. */
#define ONLY(n, words)	W(JANEI, 0, words, 0, n)

START_TEST(committed_is_given_discarded_is_not)
{
	set("nspec", "2");
	CLAUSE(&made, "test:::number", &made_argument, NEW, SPECULATE,
	    W(JALTI, 0, 2, 0, 6), COMMIT, W(END, 0, 0, 0, 0), DISCARD);
	run("8");
	expect("number 6\nnumber 7\n");
}
END_TEST

static void
batch_of_ten(void)
{
	CLAUSE(&made, "test:::number", NULL, ONLY(0, 2), NEW);
	CLAUSE(&made, "test:::number", &made_argument, ID, SPECULATE);
	CLAUSE(&made, "test:::number", &made_number, ONLY(5, 3),
	    W(LDI, 1, 0, 0, -1), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "test:::number", NULL, ONLY(9, 2), ID, COMMIT);
	CLAUSE(&made, "test:::number", &made_number, ONLY(9, 3),
	    W(LDI, 1, 0, 0, -2), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
}

#define BATCH	"number -1\n" \
	"number 0\nnumber 1\nnumber 2\nnumber 3\nnumber 4\n" \
	"number 5\nnumber 6\nnumber 7\nnumber 8\nnumber 9\n"

/* Batches are whole under each policy. */
START_TEST(batch_is_whole_and_where_it_was_committed)
{
	static const char *const policies[] = { "switch", "fill", "ring" };

	set("bufpolicy", policies[_i]);
	batch_of_ten();
	run("10");
	expect(BATCH "number -2\n");
}
END_TEST

START_TEST(batch_is_not_torn_by_time)
{
	set("temporal", NULL);
	batch_of_ten();
	run("10");
	expect(BATCH "number -2\n");
}
END_TEST

/* Instances share an id; each begins with an empty buffer. */
START_TEST(id_is_used_again)
{
	CLAUSE(&made, "test:::number", &made_argument, NEW, SPECULATE,
	    W(JALTI, 0, 2, 0, 49), COMMIT, W(END, 0, 0, 0, 0), DISCARD);
	run("50");
	expect("number 49\n");
}
END_TEST

START_TEST(records_without_room_are_told_if_committed)
{
	set("specsize", "64");
	batch_of_ten();
	run("10");
	expect("number -1\nnumber 0\nnumber 1\nnumber -2\n"
	    "event 12: 8\n");
}
END_TEST

START_TEST(records_without_room_are_not_told_if_discarded)
{
	set("specsize", "64");
	CLAUSE(&made, "test:::number", &made_argument, ONLY(0, 2), NEW, ID,
	    SPECULATE);
	CLAUSE(&made, "test:::number", NULL, ONLY(9, 2), ID, DISCARD);
	run("10");
	expect("");
}
END_TEST

START_TEST(none_available)
{
	CLAUSE(&made, "test:::number", NULL, NEW);
	run("10");
	expect("event 13: 9\n");
}
END_TEST

START_TEST(none_at_all)
{
	set("nspec", "0");
	CLAUSE(&made, "test:::number", &made_argument, NEW, SPECULATE);
	run("10");
	expect("event 13: 10\n");
}
END_TEST

/* The consumer does not look before the end. */
START_TEST(one_waits_for_the_consumer)
{
	set("cleanrate", "1000s");
	set("statusrate", "1000s");
	set("switchrate", "1000s");
	CLAUSE(&made, "test:::number", &made_argument, NEW, SPECULATE, COMMIT);
	run("10");
	expect("number 0\nevent 14: 9\n");
}
END_TEST

/* The drop of a commit record drops its batch. */
START_TEST(commit_without_room)
{
	set("bufpolicy", "fill");
	set("bufsize", "24");
	CLAUSE(&made, "test:::number", &made_argument, NEW, SPECULATE,
	    SPECULATE, COMMIT);
	run("1");
	expect("1 drops\nevent 12: 2\n");
}
END_TEST

/* Ids that are 0 or not active are ignored; impossible ids are a fault. */
START_TEST(ids_that_are_none)
{
	CLAUSE(&made, "test:::number", &made_argument,
	    W(LDI, 1, 0, 0, 0), COMMIT, DISCARD,
	    W(LDI, 1, 0, 0, 1), COMMIT, DISCARD,
	    W(PUTA, 0, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "test:::number", &made_argument, W(LDI, 1, 0, 0, 1),
	    SPECULATE);
	CLAUSE(&made, "test:::number", &made_argument, W(LDI, 1, 0, 0, 2),
	    SPECULATE);
	CLAUSE(&made, "test:::number", NULL, W(LDI, 1, 0, 0, 2), COMMIT);
	CLAUSE(&made, "test:::number", NULL, W(LDI, 1, 0, 0, -1), DISCARD);
	run("1");
	expect("number 0\nfault 3 (0) in 0 of number at 1\n"
	    "fault 3 (0) in 0 of number at 1\n");
}
END_TEST

/* Sessions use the buffers of earlier ones. */
START_TEST(next_session_has_empty_buffers)
{
	struct live_server server;
	unsigned i;

	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	for (i = 0; i < 3; i++) {
		CLAUSE(&made, "live:::numbered", &made_number,
		    W(SPECN, 1, 0, 0, 0), W(SPEC, 1, 0, 0, 0),
		    W(LDI, 2, 0, 0, 7), W(PUT, 2, 0, 0, 8),
		    W(EMIT, 0, 0, 0, 0), COMMIT);
		live_grab(consumer, server.pid);
		clause_begin(consumer, &made);
		live_server_fire(&server, 1);
		tbuf_consumer_stop(consumer);
		while (script_work(consumer) > 0)
			continue;
		expect("numbered 7\n");
		consumer_tear_down();
		clause_set_up();
		with_id();
	}
	live_server_stop(&server);
}
END_TEST

/* Commands inherit the setting: their threads have no rseq. */
static TCase *
cases(const char *name)
{
	TCase *t = clause_case(name);

	tcase_add_checked_fixture(t, with_id, NULL);
	tcase_add_test(t, committed_is_given_discarded_is_not);
	tcase_add_loop_test(t, batch_is_whole_and_where_it_was_committed, 0,
	    3);
	tcase_add_test(t, batch_is_not_torn_by_time);
	tcase_add_test(t, id_is_used_again);
	tcase_add_test(t, records_without_room_are_told_if_committed);
	tcase_add_test(t, records_without_room_are_not_told_if_discarded);
	tcase_add_test(t, none_available);
	tcase_add_test(t, none_at_all);
	tcase_add_test(t, one_waits_for_the_consumer);
	tcase_add_test(t, commit_without_room);
	tcase_add_test(t, ids_that_are_none);
	tcase_add_test(t, next_session_has_empty_buffers);
	return (t);
}

static Suite *
make(void)
{
	return (clause_suite("speculate", cases));
}

int
main(int argc, char *argv[])
{
	return (clause_main(argc, argv, make));
}
