/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.account of aggregations: the updates that clauses made in a target, and
 * those that found no room, are all that they attempted.  The sum is exact if
 * the target runs to its end; if it is killed, the sum is between the fires
 * begun and finished.  Values of several words are never torn.  Tables are
 * switched all the time.
 *
 *	aggregations [-s seed] [targets]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "lib/machine_word.h"
#include "machine/aggregate.h"

#define FIRES_MAX	100000u
#define VALUE		7

/* keys: the fire's number or its low bits; the writer's number */
#define BY_NUMBER(mask)							\
	W(KEYN, 0, 0, 0, 0), W(LDA, 1, 0, 0, 1), W(LDI, 2, 0, 0, mask),	\
	W(AND, 1, 1, 2, 0), W(KEY, 1, 0, 0, 8)
#define UPDATE(function, id)						\
	W(UPD, 4, 5, TBUF_AGG_##function, id)

static const uint64_t code[] = {
	W(LDI, 4, 0, 0, VALUE), W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0),
	UPDATE(COUNT, 0),
	BY_NUMBER(0xff), UPDATE(SUM, 1),
	BY_NUMBER(0x3f), W(LDA, 1, 0, 0, 0), W(KEY, 1, 0, 0, 8),
	UPDATE(AVG, 2),
	BY_NUMBER(0xfff), UPDATE(STDDEV, 3),
	BY_NUMBER(0x7), UPDATE(QUANTIZE, 4)
};
/* A text key needs a workspace; where none is free, the clause is one drop. */
static const uint64_t by_text[] = {
	W(LDC, 1, 0, 0, 0), W(KEYT, 1, 0, 0, 0), UPDATE(COUNT, 5)
};
#define UPDATES		6
/* The key is the writer: the plan is cached, and one section updates. */
static const uint64_t again[] = {
	W(LDI, 4, 0, 0, VALUE), W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0),
	W(KEYN, 0, 0, 0, 0), W(LDA, 1, 0, 0, 0), W(KEY, 1, 0, 0, 8),
	UPDATE(QUANTIZE, 4)
};
/* Without a key, each CPU's memo has the address of the value. */
static const uint64_t total[] = { UPDATE(COUNT, 0) };
static const uint64_t total_buckets[] = {
	W(LDI, 4, 0, 0, VALUE), W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0),
	UPDATE(QUANTIZE, 6)
};

/* Several updates in one clause, each with its own key and values. */
static const uint64_t steps[] = {
	UPDATE(COUNT, 0),
	W(LDI, 4, 0, 0, VALUE), W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0),
	W(KEYN, 0, 0, 0, 0), W(LDA, 1, 0, 0, 0), W(KEY, 1, 0, 0, 8),
	UPDATE(QUANTIZE, 4),
	W(LDI, 4, 0, 0, VALUE), W(KEYN, 0, 0, 0, 0), W(LDA, 1, 0, 0, 0),
	W(KEY, 1, 0, 0, 8), UPDATE(SUM, 1)
};

static const struct tbuf_d_shape number = {
	.kind = TBUF_KIND_INTEGER, .size = 8, .name = "uint64_t"
};
static const struct tbuf_d_piece keys[] = {
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &number },
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &number }
};
static const struct tbuf_d_piece text[] = { { .kind = TBUF_PIECE_TEXT } };
static const struct tbuf_d_aggregation aggregations[] = {
	{ .name = "", .id = 0, .function = TBUF_AGG_COUNT },
	{ .name = "s", .id = 1, .function = TBUF_AGG_SUM, .keys = keys,
	  .nkeys = 1 },
	{ .name = "a", .id = 2, .function = TBUF_AGG_AVG, .keys = keys,
	  .nkeys = 2 },
	{ .name = "d", .id = 3, .function = TBUF_AGG_STDDEV, .keys = keys,
	  .nkeys = 1 },
	{ .name = "q", .id = 4, .function = TBUF_AGG_QUANTIZE, .keys = keys,
	  .nkeys = 1 },
	{ .name = "t", .id = 5, .function = TBUF_AGG_COUNT, .keys = text,
	  .nkeys = 1 },
	{ .name = "b", .id = 6, .function = TBUF_AGG_QUANTIZE }
};
static const char constants[] = "some text that is a key";
#define PROGRAM(words)	{						\
	.code = (words), .length = sizeof(words) / sizeof((words)[0]),	\
	.constants = constants, .constants_size = sizeof(constants)	\
}
static const struct tbuf_d_program programs[] = {
	PROGRAM(code), PROGRAM(by_text), PROGRAM(again), PROGRAM(total),
	PROGRAM(total_buckets), PROGRAM(steps)
};
static const char *const description = "stress:::";
#define CLAUSE(n)	{						\
	.descriptions = &description, .ndescriptions = 1,		\
	.programs = &programs[n], .nprograms = 1			\
}
static const struct tbuf_d_clause clauses[] = { CLAUSE(0), CLAUSE(1) };
static const struct tbuf_d_clause one[] = { CLAUSE(2) };
static const struct tbuf_d_clause all[] = { CLAUSE(3) };
static const struct tbuf_d_clause all_buckets[] = { CLAUSE(4) };
/* Clauses that have plans, before and after one that has not. */
static const struct tbuf_d_clause chain[] = {
	CLAUSE(3), CLAUSE(2), CLAUSE(1), CLAUSE(4), CLAUSE(5)
};
static const struct tbuf_d_clause one_by_steps[] = { CLAUSE(5) };
#define SCRIPT(list, n)	{						\
	.clauses = (list), .nclauses = (n),				\
	.aggregations = aggregations, .naggregations = UPDATES + 1	\
}
static const struct {
	struct tbuf_d_script script;
	unsigned updates;		/* of each fire */
} scripts[] = {
	{ SCRIPT(clauses, 2), UPDATES },
	{ SCRIPT(one, 1), 1 },
	{ SCRIPT(all, 1), 1 },
	{ SCRIPT(all_buckets, 1), 1 },
	{ SCRIPT(chain, 5), 7 },
	{ SCRIPT(one_by_steps, 1), 3 }
};
static unsigned chosen;			/* index into scripts */

/* ------------------------------------------------------------ values */

static uint64_t
buckets_sum(const struct tbuf_tally *t, uint32_t nwords)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < nwords; i++)
		sum += t->words[i];
	STRESS_EXPECT(sum == t->words[TBUF_QUANTIZE_ZERO + 3],
	    "a value in another bucket");
	return (sum);
}

/* Returns the number of updates in a tally. */
static uint64_t
updates_of(const struct tbuf_tally *t, uint32_t nwords)
{
	const uint64_t *w = t->words;

	switch (aggregations[t->id].function) {
	case TBUF_AGG_SUM:
		STRESS_EXPECT(w[0] % VALUE == 0, "a sum of %" PRIu64, w[0]);
		return (w[0] / VALUE);
	case TBUF_AGG_STDDEV:
		STRESS_EXPECT(w[2] == w[0] * VALUE * VALUE && w[3] == 0,
		    "%" PRIu64 " values, squares %" PRIu64, w[0], w[2]);
		/* FALLTHROUGH */
	case TBUF_AGG_AVG:
		STRESS_EXPECT(w[1] == w[0] * VALUE,
		    "%" PRIu64 " values, sum %" PRIu64, w[0], w[1]);
		return (w[0]);
	case TBUF_AGG_QUANTIZE:
		return (buckets_sum(t, nwords));
	default:
		return (w[0]);
	}
}

static uint64_t
updates_all(struct tbuf_consumer *c)
{
	struct tbuf_aggregates *all = &c->script->aggregates;
	const struct tbuf_tally *t;
	uint64_t sum = 0;

	STRESS_EXPECT(tbuf_tables_read(c) == 0, "no memory");
	TAILQ_FOREACH(t, &all->tallies, link)
		sum += updates_of(t, all->all[t->id].nwords);
	return (sum);
}

/* Checks that no table has a key twice, which would be counted twice. */
static void
check_entries(struct tbuf_consumer *c)
{
	const struct tbuf_target *target;
	const struct tbuf_copied_table *seen;
	struct tbuf_table_entry a, b;
	uint64_t i, k;
	unsigned n;

	TAILQ_FOREACH(target, &c->targets, link)
		for (n = 0; n < 2 * target->nreaders; n++) {
			seen = &target->readers[n / 2].tables[n % 2];
			for (i = 0; i < seen->entries_size; i += a.size) {
				memcpy(&a, seen->entries + i, sizeof(a));
				for (k = i + a.size; k < seen->entries_size;
				    k += b.size) {
					memcpy(&b, seen->entries + k,
					    sizeof(b));
					STRESS_EXPECT(a.hash != b.hash ||
					    a.aggregation != b.aggregation ||
					    a.key != b.key || memcmp(
					    seen->entries + i + sizeof(a),
					    seen->entries + k + sizeof(b),
					    a.key) != 0,
					    "a key is in a table twice");
				}
			}
		}
}

/* ------------------------------------------------------------ targets */

/*
 * Consumes until the target ends.  Meanwhile the updates read so far are summed
 * sometimes, and the sum must not become less.
 */
static uint64_t
consume(struct tbuf_consumer *c, uint64_t *random)
{
	uint64_t drops = 0, last = 0, now, turns;
	struct stress_events events = { .counts = {
		[TBUF_EVENT_AGGREGATION] = &drops,
		[TBUF_EVENT_DROPS] = &drops	/* found no free lane */
	} };
	int result;

	while ((result = tbuf_consumer_work(c)) > 0) {
		stress_events_take(&events, c);
		for (turns = stress_random(random) % 32; turns > 0; turns--)
			STRESS_EXPECT(tbuf_tables_turn(c, true) == 0,
			    "no memory");
		if (stress_random(random) % 4 != 0)
			continue;
		now = updates_all(c);
		STRESS_EXPECT(now >= last, "%" PRIu64 " updates, then %" PRIu64,
		    last, now);
		last = now;
	}
	STRESS_EXPECT(result == 0, "work: %s", tbuf_consumer_error(c));
	check_entries(c);
	stress_events_take(&events, c);
	return (drops);
}

/*
 * Switches the tables after the target has adopted its session and before the
 * consumer has noticed that.  The target may have no rseq; a switch then waits
 * for the lock of a writer that uses a table.
 */
static void
turn_early(struct tbuf_consumer *c, const struct stress_page *page, pid_t pid,
    bool rseq)
{
	struct tbuf_target *t;
	unsigned look;
	uint32_t i;

	stress_fires_wait(page, pid, 1);
	for (look = 0; look < 2; look++) {
		STRESS_EXPECT(tbuf_tables_turn(c, true) == 0, "no memory");
		TAILQ_FOREACH(t, &c->targets, link) {
			for (i = 0; i < t->nreaders && t->turns.count != 0; i++)
				STRESS_EXPECT(rseq || t->readers[i].locked,
				    "a turn has passed by the lock of lane %u",
				    i);
			tbuf_target_refresh(t);
		}
	}
}

static void
check_account(const struct stress_page *page, uint64_t values, uint64_t drops,
    bool killed)
{
	struct stress_sum sum = stress_page_sum(page);
	unsigned updates = scripts[chosen].updates;
	uint64_t most = sum.before * updates;
	uint64_t least = killed ?
	    (sum.after - stress_late_fires(page)) * updates : most;

	STRESS_EXPECT(values + drops <= most && values + drops >= least,
	    "%" PRIu64 " <= values %" PRIu64 " + drops %" PRIu64 " <= %"
	    PRIu64 " is not so", least, values, drops, most);
}

static uint64_t
run(uint64_t *random)
{
	static const char *const sizes[] = { "64k", "256k", "4m" };
	const char *aggsize = sizes[stress_random(random) % 3];
	bool rseq = stress_random(random) % 4 != 0;
	bool killed = stress_random(random) % 2 != 0;
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct stress_killer killer;
	char path[64];
	struct stress_page *page = stress_page_new(path);
	uint64_t values, drops;

	chosen = stress_random(random) % (sizeof(scripts) / sizeof(scripts[0]));
	page->seed = stress_random(random);
	page->flags = STRESS_LONG |
	    (uint32_t)(stress_random(random) & STRESS_ALL);
	page->threads = (uint32_t)(1 + stress_random(random) % 8);
	killer.page = page;
	killer.fires = stress_random(random) % FIRES_MAX;
	if (!killed)
		page->fires = 1 + killer.fires / page->threads;
	stress_context("script %u, aggsize %s, %s, %s, %u threads, flags %#x, %"
	    PRIu64 " fires", chosen, aggsize, rseq ? "rseq" : "locks",
	    killed ? "killed" : "to its end", page->threads, page->flags,
	    killer.fires);
	STRESS_EXPECT(c != NULL && tbuf_consumer_set(c, "aggsize", aggsize) ==
	    0 && tbuf_consumer_set(c, "bufsize", "64k") == 0 &&
	    tbuf_consumer_set(c, "switchrate", "1ms") == 0 &&
	    tbuf_consumer_script(c, &scripts[chosen].script) == 0,
	    "the consumer's options");
	killer.pid = stress_go(c, stress_target_argv(path), rseq);
	turn_early(c, page, killer.pid, rseq);
	if (killed)
		stress_killer_start(&killer);
	drops = consume(c, random);
	if (killed)
		stress_killer_join(&killer);
	values = updates_all(c);
	tbuf_consumer_close(c);
	check_account(page, values, drops, killed);
	stress_page_free(page, path);
	return (values);
}

int
main(int argc, char **argv)
{
	struct stress_arguments arguments;
	uint64_t i, values = 0;

	stress_target_main(argc, argv);
	arguments = stress_arguments(argc, argv, 40);
	stress_directory_make();
	for (i = 0; i < arguments.count; i++)
		values += run(&arguments.seed);
	stress_directory_remove();
	printf("%" PRIu64 " targets, %" PRIu64
	    " values: none lost, none twice\n", i, values);
	return (0);
}
