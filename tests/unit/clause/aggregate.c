/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts made by hand that aggregate at probes of targets.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "consumer/script/agg.h"
#include "fixture.h"

static const struct tbuf_d_piece made_key = {
	.kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &made_integer
};
#define AGGREGATION(n, f, keyed)					\
	{ .name = #f, .id = (n), .function = TBUF_AGG_##f,		\
	  .is_signed = 1, .keys = &made_key, .nkeys = (keyed) }
static const struct tbuf_d_aggregation aggregations[] = {
	AGGREGATION(0, COUNT, 1), AGGREGATION(1, SUM, 1),
	AGGREGATION(2, MIN, 1), AGGREGATION(3, MAX, 1),
	AGGREGATION(4, AVG, 1), AGGREGATION(5, STDDEV, 1),
	AGGREGATION(6, QUANTIZE, 1)
};
static const uint32_t aggregation_ids[] = { 0, 1, 2, 3, 4, 5, 6 };

/* The key is the argument's lowest bit, the value the negated argument. */
#define AGGREGATE							\
	W(LDA, 4, 0, 0, 0), W(LDI, 2, 0, 0, 1), W(AND, 1, 4, 2, 0),	\
	W(LDI, 3, 0, 0, 0), W(SUB, 4, 3, 4, 0),				\
	W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0)
#define UPDATE(n, f)							\
	W(KEYN, 0, 0, 0, 0), W(KEY, 1, 0, 0, 8), W(UPD, 4, 5, TBUF_AGG_##f, n)

static int
note_tuple(void *arg, const struct tbuf_tuple *tuple)
{
	char *line = strchr(log_text, '\0');
	unsigned i;

	(void)arg;
	line += sprintf(line, "%" PRId64 ":", tuple->keys[0].i);
	for (i = 0; i < tuple->nvalues; i++)
		if (tuple->values[i].nbuckets == 0)
			line += sprintf(line, " %" PRId64,
			    tuple->values[i].value);
		else
			line += sprintf(line, " %" PRId64,
			    tuple->values[i].buckets[61].count);
	strcpy(line, "\n");
	return (0);
}

/* Notes the values of the first n aggregations. */
static void
aggregations_note(unsigned n)
{
	log_text[0] = '\0';
	ck_assert_int_eq(tbuf_consumer_set(consumer, "aggsortkey", NULL), 0);
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, aggregation_ids,
	    n, note_tuple, NULL), 0);
}

/* The target has ended before its aggregations are read. */
START_TEST(targets_aggregate)
{
	made.script.aggregations = aggregations;
	made.script.naggregations = 7;
	CLAUSE(&made, "test:::number", NULL, AGGREGATE, UPDATE(0, COUNT),
	    UPDATE(1, SUM), UPDATE(2, MIN), UPDATE(3, MAX), UPDATE(4, AVG),
	    UPDATE(5, STDDEV), UPDATE(6, QUANTIZE));
	clause_spawn(consumer, "numbers", "10");
	clause_run(consumer, &made);
	expect("");
	aggregations_note(7);
	/* The last column: -3 to -2 by quantize(). */
	expect("0: 5 -20 -8 0 -4 2 1\n1: 5 -25 -9 -1 -5 2 1\n");
}
END_TEST

/* Adds up the fires of a string; count() and sum() must agree. */
static int
note_text(void *arg, const struct tbuf_tuple *tuple)
{
	int64_t *sum = arg;

	ck_assert_uint_eq(tuple->nkeys, 2);
	ck_assert_int_eq(tuple->values[0].value, tuple->values[1].value);
	*sum += tuple->values[0].value;
	return (0);
}

/* count() runs as a plan, sum() in the machine. */
START_TEST(texts_are_keys)
{
	static const struct tbuf_d_piece keys[] = {
		{ .kind = TBUF_PIECE_INTEGER, .bytes = 8,
		  .shape = &made_integer },
		{ .kind = TBUF_PIECE_TEXT, .shape = &made_string }
	};
	static const struct tbuf_d_aggregation of_texts[] = {
		{ .name = "count", .id = 0, .function = TBUF_AGG_COUNT,
		  .keys = keys, .nkeys = 2 },
		{ .name = "sum", .id = 1, .function = TBUF_AGG_SUM,
		  .is_signed = 1, .keys = keys, .nkeys = 2 }
	};
	int64_t sum = 0;

	made.script.aggregations = of_texts;
	made.script.naggregations = 2;
	CLAUSE(&made, "test:::key", NULL, W(LDA, 1, 0, 0, 0),
	    W(LDAT, 2, 0, 0, 1), W(KEY, 1, 0, 0, 8), W(KEYT, 2, 0, 0, 0),
	    W(UPD, 4, 5, TBUF_AGG_COUNT, 0));
	CLAUSE(&made, "test:::again", NULL, W(LDA, 1, 0, 0, 0),
	    W(LDAT, 2, 0, 0, 1), W(LDI, 4, 0, 0, 1), W(KEY, 1, 0, 0, 8),
	    W(KEYT, 2, 0, 0, 0), W(UPD, 4, 5, TBUF_AGG_SUM, 1));
	ck_assert_int_eq(tbuf_consumer_set(consumer, "strsize", "40"), 0);
	clause_spawn(consumer, "keys", "64");
	clause_run(consumer, &made);
	expect("");
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, aggregation_ids,
	    2, note_text, &sum), 0);
	ck_assert_int_eq(sum, 3 * 3 * 64);
}
END_TEST

START_TEST(keys_without_room_are_drops)
{
	cpu_set_t all, one;
	int cpu;

	made.script.aggregations = aggregations;
	made.script.naggregations = 1;
	CLAUSE(&made, "test:::number", NULL, W(LDA, 1, 0, 0, 0),
	    W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0), UPDATE(0, COUNT));
	/* 384 of the 512 bytes are for entries of 40. */
	ck_assert_int_eq(tbuf_consumer_set(consumer, "aggsize", "512"), 0);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (cpu = 0; !CPU_ISSET(cpu, &all); cpu++)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	clause_spawn(consumer, "numbers", "30");
	clause_run(consumer, &made);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(all), &all), 0);
	expect("21 aggregation drops\n");
	aggregations_note(1);
	expect("0: 1\n1: 1\n2: 1\n3: 1\n4: 1\n5: 1\n6: 1\n7: 1\n"
	    "8: 1\n");
}
END_TEST

/* Values from before the clear() are still in the target's table. */
START_TEST(cleared_values_begin_anew)
{
	struct live_server server;
	uint32_t i;

	made.script.aggregations = aggregations;
	made.script.naggregations = 4;
	CLAUSE(&made, "live:::numbered", NULL, AGGREGATE, UPDATE(0, COUNT),
	    UPDATE(1, SUM), UPDATE(2, MIN), UPDATE(3, MAX));
	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	live_grab(consumer, server.pid);
	clause_begin(consumer, &made);
	/* Fires have numbers from 1 on, which the later ones continue. */
	live_server_fire(&server, 5);
	aggregations_note(4);
	expect("0: 2 -6 -4 -2\n1: 3 -9 -5 -1\n");
	/* All aggregations but the sum are cleared. */
	for (i = 0; i < 4; i++)
		if (i != 1)
			ck_assert_int_eq(tbuf_consumer_clear(consumer, i), 0);
	live_server_fire(&server, 3);
	aggregations_note(4);
	expect("0: 2 -20 -8 -6\n1: 1 -16 -7 -7\n");
	/* After trunc(), a key returns with its next value alone. */
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(tbuf_consumer_trunc(consumer, i, 0), 0);
	live_server_fire(&server, 1);
	aggregations_note(4);
	expect("1: 1 -9 -9 -9\n");
	live_server_stop(&server);
	while (script_work(consumer) > 0)
		continue;
}
END_TEST

/* Sessions use the memory of earlier ones. */
START_TEST(next_session_has_empty_tables)
{
	struct live_server server;
	unsigned i;

	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	for (i = 0; i < 3; i++) {
		memset(&made, 0, sizeof(made));
		made.script.aggregations = aggregations;
		made.script.naggregations = 1;
		CLAUSE(&made, "live:::numbered", NULL, AGGREGATE,
		    UPDATE(0, COUNT));
		live_grab(consumer, server.pid);
		clause_begin(consumer, &made);
		live_server_fire(&server, 4);
		aggregations_note(1);
		expect("0: 2\n1: 2\n");
		consumer_tear_down();
		ck_assert_ptr_nonnull(consumer = tbuf_consumer_new());
	}
	live_server_stop(&server);
}
END_TEST

static int
check_total(void *cookie, const struct tbuf_tuple *tuple)
{
	ck_assert_int_eq(tuple->values[0].value, *(int64_t *)cookie);
	*(int64_t *)cookie = 0;
	return (0);
}

static void
total_note(uint32_t id, int64_t count)
{
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, &id, 1,
	    check_total, &count), 0);
	ck_assert_int_eq(count, 0);
}

/* A total's address is remembered by session, clause and CPU. */
START_TEST(totals_are_of_their_session)
{
	static const struct tbuf_d_aggregation total[] = {
		{ .name = "", .id = 0, .function = TBUF_AGG_COUNT },
		{ .name = "other", .id = 1, .function = TBUF_AGG_COUNT }
	};
	struct live_server server;
	unsigned i;

	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	for (i = 0; i < 4; i++) {
		memset(&made, 0, sizeof(made));
		made.script.aggregations = total;
		made.script.naggregations = 2;
		if (i % 2 == 0)
			CLAUSE(&made, "live:::numbered", NULL,
			    W(UPD, 0, 1, TBUF_AGG_COUNT, 0));
		else
			CLAUSE(&made, "live:::numbered", NULL,
			    W(UPD, 0, 1, TBUF_AGG_COUNT, 1));
		live_grab(consumer, server.pid);
		clause_begin(consumer, &made);
		live_server_fire(&server, 40 + i);
		total_note(i % 2, 40 + i);
		consumer_tear_down();
		ck_assert_ptr_nonnull(consumer = tbuf_consumer_new());
	}
	live_server_stop(&server);
}
END_TEST

/* Values in either table are added up. */
START_TEST(tables_turn)
{
	static const struct tbuf_d_aggregation both[] = {
		AGGREGATION(0, COUNT, 1), AGGREGATION(1, MAX, 1),
		{ .name = "all", .id = 2, .function = TBUF_AGG_COUNT }
	};
	struct live_server server;
	unsigned i;

	made.script.aggregations = both;
	made.script.naggregations = 3;
	CLAUSE(&made, "live:::numbered", NULL, AGGREGATE, UPDATE(0, COUNT),
	    UPDATE(1, MAX));
	CLAUSE(&made, "live:::numbered", NULL,
	    W(UPD, 0, 1, TBUF_AGG_COUNT, 2));
	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	live_grab(consumer, server.pid);
	clause_begin(consumer, &made);
	for (i = 1; i <= 5; i++) {
		live_server_fire(&server, 40);
		total_note(2, 40 * i);
		ck_assert_int_eq(tbuf_tables_turn(consumer, true), 0);
		total_note(2, 40 * i);
	}
	aggregations_note(2);
	expect("0: 100 -2\n1: 100 -1\n");
	live_server_stop(&server);
	while (script_work(consumer) > 0)
		continue;
	total_note(2, 200);
	aggregations_note(2);
	expect("0: 100 -2\n1: 100 -1\n");
}
END_TEST

/* Totals of one clause, which are remembered, are correct over turns. */
START_TEST(totals_are_of_their_turn)
{
	static const struct tbuf_d_aggregation total[] = {
		{ .name = "", .id = 0, .function = TBUF_AGG_COUNT }
	};
	struct live_server server;
	unsigned i;

	made.script.aggregations = total;
	made.script.naggregations = 1;
	CLAUSE(&made, "live:::numbered", NULL, W(UPD, 0, 1, TBUF_AGG_COUNT, 0));
	live_server_start(&server, NULL);
	live_server_fire(&server, 1);
	live_grab(consumer, server.pid);
	clause_begin(consumer, &made);
	for (i = 1; i <= 6; i++) {
		live_server_fire(&server, 40);
		total_note(0, 40 * i);
		ck_assert_int_eq(tbuf_tables_turn(consumer, true), 0);
	}
	live_server_stop(&server);
	while (script_work(consumer) > 0)
		continue;
	total_note(0, 240);
}
END_TEST

/* A table has room for nine keys, and more than half of it was in use. */
START_TEST(new_keys_find_room_again)
{
	struct live_server server;
	cpu_set_t all, one;
	int cpu;

	made.script.aggregations = aggregations;
	made.script.naggregations = 1;
	CLAUSE(&made, "live:::numbered", NULL, W(LDA, 1, 0, 0, 0),
	    W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0), UPDATE(0, COUNT));
	ck_assert_int_eq(tbuf_consumer_set(consumer, "aggsize", "512"), 0);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (cpu = 0; !CPU_ISSET(cpu, &all); cpu++)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	live_server_start(&server, NULL);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(all), &all), 0);
	live_server_fire(&server, 1);
	live_grab(consumer, server.pid);
	clause_begin(consumer, &made);
	live_server_fire(&server, 7);
	ck_assert_int_eq(tbuf_consumer_trunc(consumer, 0, 0), 0);
	live_server_fire(&server, 8);
	live_server_stop(&server);
	log_text[0] = '\0';
	while (script_work(consumer) > 0)
		continue;
	expect("");
	aggregations_note(1);
	expect("8: 1\n9: 1\n10: 1\n11: 1\n12: 1\n13: 1\n14: 1\n"
	    "15: 1\n");
}
END_TEST

static TCase *
cases(const char *name)
{
	TCase *t = clause_case(name);

	tcase_add_test(t, targets_aggregate);
	tcase_add_test(t, texts_are_keys);
	tcase_add_test(t, keys_without_room_are_drops);
	tcase_add_test(t, cleared_values_begin_anew);
	tcase_add_test(t, next_session_has_empty_tables);
	tcase_add_test(t, totals_are_of_their_session);
	tcase_add_test(t, tables_turn);
	tcase_add_test(t, totals_are_of_their_turn);
	tcase_add_test(t, new_keys_find_room_again);
	return (t);
}

static Suite *
make(void)
{
	return (clause_suite("clause aggregate", cases));
}

int
main(int argc, char *argv[])
{
	return (clause_main(argc, argv, make));
}
