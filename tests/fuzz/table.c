/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An arbitrary aggregation table: a target updates it by a section, with a memo
 * of the table and without, and step by step, and a consumer reads it before
 * and after that.
 *
 * Input: the binary logarithm of its bytes minus 9, the key's first byte, the
 * aggregation, then the table; missing bytes are 0.
 */
#include <sys/mman.h>

#include <unistd.h>

#include "support/fuzz.h"

/* The consumer side has the same name. */
#define tbuf_run	tbuf_fire_run
#include "target/clause/clause_aggregate.c"
#undef tbuf_run
#undef COPY
#include "consumer/script/agg_target_tables.c"

static const struct tbuf_d_piece keys[] = {
	{ .kind = TBUF_PIECE_TEXT }, { .kind = TBUF_PIECE_INTEGER }
};
#define AGGREGATION(f, n) {						\
	.name = #f, .id = TBUF_AGG_##f, .function = TBUF_AGG_##f,	\
	.parameter = UINT64_C(1) << 48 | UINT64_C(4) << 32,		\
	.keys = keys, .nkeys = (n)					\
}
static const struct tbuf_d_aggregation aggregations[] = {
	AGGREGATION(COUNT, 0), AGGREGATION(SUM, 1), AGGREGATION(MIN, 2),
	AGGREGATION(MAX, 1), AGGREGATION(AVG, 2), AGGREGATION(STDDEV, 1),
	AGGREGATION(QUANTIZE, 2), AGGREGATION(LQUANTIZE, 1)
};
#define AGGREGATIONS	(sizeof(aggregations) / sizeof(aggregations[0]))

static const struct tbuf_d_script script = {
	.aggregations = aggregations, .naggregations = AGGREGATIONS
};

/* Updates with a memo, which has the table's place instead of the search. */
static enum tbuf_outcome
cached_take(const struct tbuf_memo *memo, const struct tbuf_search *s,
    uint64_t storage)
{
	struct tbuf_search key = {
		.bits = memo->bits, .key = s->key, .hash = s->hash,
		.size = s->size, .entry = s->entry, .word = s->word,
		.delta = s->delta
	};
	struct tbuf_memo m = *memo;

	tbuf_memo_turn(&m, s->turn);
	limits_fill(&m, (unsigned char *)(uintptr_t)s->table, storage);
	return (tbuf_rseq_cached(&m, &key));
}

static enum tbuf_outcome
section_take(const struct tbuf_memo *memo, const struct tbuf_search *s,
    enum tbuf_table_step step)
{
	return (step == TBUF_STEP_UPDATE ? tbuf_rseq_update(memo, s) :
	    step == TBUF_STEP_SUM ? tbuf_rseq_sum(memo, s) :
	    tbuf_rseq_peak(memo, s));
}

/* Checks that the section and the steps have the same result. */
static void
update_section(const struct value *v, const struct table *t, bool cached)
{
	static const struct tbuf_local local = { .base = 1 };
	static struct tbuf_slot slot = {
		.generation = 1, .turn = UINT64_C(1) << TBUF_TURN_SHIFT
	};
	uint64_t words = t->storage / 8, before[4096 / 8], after[4096 / 8];
	struct tbuf_lane lane;
	struct tbuf_memo memo = {
		.bits = 1, .generation = 1, .slot = &slot, .lane = &lane
	};
	struct tbuf_search s = {
		.bits = 1, .generation = 1, .turn = slot.turn, .lane = &lane,
		.key = v->entry + WORDS, .hash = v->hash
	};
	const enum tbuf_table_step step = tbuf_table_step(v->update->function);
	const struct tbuf_local *none = tbuf_local;
	struct table found = *t;
	unsigned try;

	s.delta = step != TBUF_STEP_UPDATE ? v->update->value :
	    v->update->weight;
	s.word = step != TBUF_STEP_UPDATE ? TBUF_TABLE_PAIRS :
	    tbuf_aggregate_bucket(v->update->function, v->update->parameter,
	    (int64_t)v->update->value);
	s.flip = tbuf_table_flip(v->update->function);
	tbuf_local = &local;
	search_fill(&s, tbuf_place(0, t->storage), 0,
	    v->which & UINT16_MAX, v->which >> 16);
	s.table = t->at;
	memcpy(before, t->at, 8 * words);
	for (try = 0; try < 100; try++) {
		memo.cpu = tbuf_rseq_cpu();
		if ((cached ? cached_take(&memo, &s, t->storage) :
		    section_take(&memo, &s, step)) == TBUF_COMMITTED)
			break;
	}
	tbuf_local = none;
	memcpy(after, t->at, 8 * words);
	memcpy(t->at, before, 8 * words);
	if (try < 100) {
		FUZZ_CHECK(search(v, &found) == FOUND);
		(void)values_update(v, &found);
	}
	FUZZ_CHECK(memcmp(t->at, after, 8 * words) == 0);
	memcpy(t->at, before, 8 * words);
}

/* Updates like lane_update() does, which holds a lock. */
static void
update(struct table *t, uint32_t id, uint8_t key)
{
	static struct tbuf_slot slot;
	const struct tbuf_update update = {
		.value = 5, .weight = 1, .aggregation = id,
		.function = (enum tbuf_aggregator)id,
		.parameter = aggregations[id].parameter
	};
	struct tbuf_fire fire = { .slot = &slot };
	struct tbuf_fire_run run = { .fire = &fire };
	uint64_t entry[WORDS + 1] = { 0 };
	struct value v = {
		.run = &run, .update = &update, .entry = entry,
		.size = sizeof(entry), .which = id | 8u << 16
	};
	unsigned turns;

	entry[WORDS] = key;
	v.hash = hash(v.which, entry + WORDS, sizeof(entry) - 8 * WORDS);
	if (tbuf_rseq_ready() &&
	    tbuf_table_step(update.function) != TBUF_STEP_NONE)
		update_section(&v, t, false);
	if (tbuf_rseq_ready() &&
	    tbuf_table_step(update.function) == TBUF_STEP_UPDATE)
		update_section(&v, t, true);
	for (turns = 0; turns < 2; turns++)
		if (search(&v, t) == FOUND) {
			(void)values_update(&v, t);
			return;
		} else if (insert(&v, t) != TBUF_WRAPPED)
			return;
}

static void
read_it(struct tbuf_aggregates *all, int fd, struct tbuf_copied_table *seen,
    const struct table *t)
{
	FUZZ_CHECK(pwrite(fd, t->at, t->storage, (off_t)seen->table) ==
	    (ssize_t)t->storage);
	(void)tbuf_table_merge(all, fd, seen);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct tbuf_copied_table seen = { .table = 64 };
	int fd = memfd_create("table", 0);
	struct tbuf_aggregates all = { .count = 0 };
	uint64_t drops = 0;
	struct table t = {
		.storage = UINT64_C(512) << input_take(&in, 1) % 4,
		.drops = &drops
	};
	uint8_t key = (uint8_t)input_take(&in, 1);
	uint32_t id = (uint32_t)input_take(&in, 1) % AGGREGATIONS;

	t.at = calloc(1, t.storage);
	FUZZ_CHECK(t.at != NULL && fd != -1);
	memcpy(t.at, in.at, in.size < t.storage ? in.size : t.storage);
	FUZZ_CHECK(tbuf_aggregates_make(&all, &script) == 0);
	seen.storage = t.storage;
	read_it(&all, fd, &seen, &t);
	update(&t, id, key);
	update(&t, id, key);
	read_it(&all, fd, &seen, &t);
	tbuf_aggregates_free(&all);
	free(seen.entries);
	free(seen.values);
	free(t.at);
	close(fd);
	return (0);
}
