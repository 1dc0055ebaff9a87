/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Effects of plans (plan.h): a record of numbers, or an aggregation, where one
 * section finds the key in the lane's table and adds there.  Other cases, such
 * as a new key, are left to the machine.
 */
#include "arch/rseq.h"
#include "machine/aggregate.h"
#include "target/clause/clause.h"
#include "target/clause/plan.h"
#include "target/lane/key_hash.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/self/thread.h"

/* Sets the session of a search. */
static inline void
session_read(const struct tbuf_plan *p, uint64_t version,
    struct tbuf_search *s)
{
	s->bits = UINT64_C(1) << tbuf_plan_session(version) |
	    TBUF_MEMO_CLAUSES;
	s->generation = p->generation;
}

/* Reads the weight of a quantizer, which is nearly always 1. */
static inline bool
weight_read(const struct tbuf_plan_update *from,
    const struct tbuf_plan_fire *fire, uint64_t *weight)
{
	*weight = from->weight.constant;
	return (from->weight.cut.at == TBUF_CUT_NONE ||
	    tbuf_number_value(&from->weight, fire, weight));
}

/*
 * Sets word and delta of a search; then it lacks only the session and the key.
 */
static inline bool
value_read(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire,
    struct tbuf_search *s, enum tbuf_table_step step)
{
	const struct tbuf_plan_update *from = &p->update;
	enum tbuf_aggregator function = (enum tbuf_aggregator)from->function;
	uint64_t value;

	s->word = 0;
	s->delta = 1;
	if (step != TBUF_STEP_UPDATE) {
		s->word = TBUF_TABLE_PAIRS;
		s->flip = tbuf_table_flip(function);
		return (tbuf_number_value(&from->value, fire, &s->delta));
	}
	if (function == TBUF_AGG_COUNT)
		return (true);
	if (!tbuf_number_value(&from->value, fire, &value) ||
	    !weight_read(from, fire, &s->delta))
		return (false);
	s->word = function == TBUF_AGG_QUANTIZE ?
	    tbuf_quantize_bucket((int64_t)value) :
	    tbuf_aggregate_bucket(function, from->parameter, (int64_t)value);
	return (true);
}

static inline bool
update_do(struct tbuf_search *s, uint64_t base, uint32_t aggregation,
    uint32_t bytes, enum tbuf_table_step step)
{
	const struct tbuf_memo *m = tbuf_memo_find(s->bits);

	return (m != NULL && tbuf_table_update(m, s, base, aggregation,
	    bytes, step));
}

/*
 * Updates a key if this CPU's table is not remembered, or the tables have
 * turned since.  Returns false if the key is new.
 */
static __attribute__((noinline, cold)) bool
update_first(const struct tbuf_plan *p, uint64_t version,
    struct tbuf_search *s, uint32_t bytes)
{
	const uint64_t base = tbuf_load(&tbuf_local->base);
	const uint64_t bits = tbuf_plan_bits(version);
	uint32_t aggregation = p->update.aggregation;
	const struct tbuf_memo *m;

	session_read(p, version, s);
	if (base == 0 || !tbuf_plan_unchanged(p, version) ||
	    (m = tbuf_memo_find(s->bits)) == NULL ||
	    !tbuf_table_update(m, s, base, aggregation, bytes,
	    TBUF_STEP_UPDATE))
		return (false);
	/* The update may have been in another lane, such as a thread lane. */
	m = tbuf_plan_total(p);
	if (m != NULL && (tbuf_load(&m->bits) != bits ||
	    tbuf_load(&m->generation) != s->turn))
		tbuf_table_remember_place(tbuf_plan_number(p), s,
		    base, bits);
	return (true);
}

/* Updates a key that, as most often, is in a table that is remembered. */
static inline bool
update_cached(const struct tbuf_plan *p, uint64_t version,
    struct tbuf_search *s, uint32_t aggregation, uint32_t bytes)
{
	const struct tbuf_memo *m = tbuf_plan_total(p);
	uint32_t which = aggregation | bytes << 16, size = (bytes + 7) & ~7u;

	s->bits = tbuf_plan_bits(version);
	s->size = size;
	s->entry = (TBUF_RUN_KEY_ENTRY + size) | (uint64_t)which << 32;
	return ((m != NULL && tbuf_rseq_cached(m, s) == TBUF_COMMITTED) ||
	    update_first(p, version, s, bytes));
}

/*
 * Updates a key; its words are made as they are in an entry: numbers, then a
 * string, if there is one.
 */
static inline __attribute__((always_inline)) bool
update_key(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire,
    enum tbuf_table_step step, bool string)
{
	uint64_t words[TBUF_PLAN_NUMBERS + TBUF_STAGE_WORDS], at;
	uint64_t factor = TBUF_HASH_FACTOR, sum = 0;
	uint32_t numbers = p->nnumbers - string, i, bytes;
	uint32_t aggregation = p->update.aggregation;
	uint32_t strsize = p->update.strsize;
	struct tbuf_key_text text;
	struct tbuf_search s;

	if (numbers > TBUF_PLAN_NUMBERS || !value_read(p, fire, &s, step))
		return (false);
	for (i = 0; i < numbers; i++) {
		if (!tbuf_number_value(&p->numbers[i], fire, &words[i]))
			return (false);
		tbuf_hash_add(&sum, &factor, words[i]);
	}
	bytes = 8 * numbers - p->update.spare;
	if (string) {
		/* A string argument is its address. */
		at = p->numbers[numbers].cut.at;
		if (at * sizeof(*words) >= fire->size)
			return (false);
		at = fire->words[at];
	}
	if (step != TBUF_STEP_UPDATE)
		session_read(p, fire->version, &s);
	/* Each 256th fire takes the slow path, which checks the deadline. */
	if (!tbuf_plan_unchanged(p, fire->version) ||
	    ++tbuf_thread.deadline_ticks == 0)
		return (false);
	if (string) {
		text = tbuf_pack_key(at, strsize, words + numbers, factor);
		/* A text that is cut or too long is left to the machine. */
		if (text.word > TBUF_TEXT_NULL)
			return (false);
		sum += text.sum;
		bytes += 2 + ((uint32_t)text.word & ~TBUF_TEXT_CUT);
	}
	s.key = words;
	s.hash = tbuf_hash_key(sum, aggregation | bytes << 16);
	return (step == TBUF_STEP_UPDATE ?
	    update_cached(p, fire->version, &s, aggregation, bytes) :
	    update_do(&s, fire->base, aggregation, bytes, step));
}

/*
 * Functions of their own: those without a string have less to do.  None uses a
 * self-> number, and the fire's values stay in registers.
 */
#define PLAN_KEY(name, string)						\
void									\
name(const struct tbuf_site *site, const uint64_t *words, uint64_t size, \
    uint64_t version, const struct tbuf_plan *p)			\
{									\
	const struct tbuf_plan_fire fire = {				\
		.words = words, .size = size, .version = version	\
	};								\
									\
	if (!update_key(p, &fire, TBUF_STEP_UPDATE, string))		\
		tbuf_plan_machine(site, words, size, version, p);	\
}

PLAN_KEY(tbuf_plan_key, false)
PLAN_KEY(tbuf_plan_string, true)

/*
 * Updates without a key: the place of the values holds until the tables turn.
 */
static bool
update_total(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire)
{
	uint32_t aggregation = p->update.aggregation;
	struct tbuf_search s;

	if (!value_read(p, fire, &s, TBUF_STEP_UPDATE) ||
	    !tbuf_plan_unchanged(p, fire->version) ||
	    ++tbuf_thread.deadline_ticks == 0)
		return (false);
	if (tbuf_plan_add(p, tbuf_plan_bits(fire->version), s.word, s.delta))
		return (true);
	session_read(p, fire->version, &s);
	s.key = NULL;
	s.hash = tbuf_hash_key(0, aggregation);
	if (!tbuf_plan_unchanged(p, fire->version) ||
	    !update_do(&s, fire->base, aggregation, 0, TBUF_STEP_UPDATE))
		return (false);
	if (tbuf_plan_total(p) != NULL)
		tbuf_table_remember(tbuf_plan_number(p), &s,
		    fire->base, aggregation, tbuf_plan_bits(fire->version));
	return (true);
}

/* Writes the record with the memo of the session. */
static bool
write_numbers(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire)
{
	uint64_t numbers[TBUF_PLAN_NUMBERS];
	uint32_t n, epid = p->epid;
	struct tbuf_fire f;

	if (!tbuf_plan_numbers(p, fire, numbers, &n))
		return (false);
	f.bits = UINT64_C(1) << tbuf_plan_session(fire->version) |
	    TBUF_MEMO_CLAUSES;
	f.generation = p->generation;
	f.index = p->index;
	return (tbuf_plan_unchanged(p, fire->version) &&
	    tbuf_record_write(&f, epid, numbers, n * sizeof(*numbers)));
}

/* Updates a key in a plan that has a self-> number, or is one of several. */
static __attribute__((noinline)) bool
update_with_key(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire)
{
	return (update_key(p, fire, TBUF_STEP_UPDATE, p->update.strsize != 0));
}

/* Updates a sum, a min() or a max(), with a key or without. */
static __attribute__((noinline)) bool
update_pairs(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire,
    enum tbuf_table_step step)
{
	return (update_key(p, fire, step, p->update.strsize != 0));
}

bool
tbuf_plan_effect(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire)
{
	switch (p->kind) {
	case TBUF_PLAN_NOTHING:
		return (tbuf_plan_unchanged(p, fire->version) &&
		    ++tbuf_thread.deadline_ticks != 0);
	case TBUF_PLAN_RECORD:
		return (write_numbers(p, fire));
	case TBUF_PLAN_UPDATE:
		return (p->nnumbers == 0 ? update_total(p, fire) :
		    update_with_key(p, fire));
	case TBUF_PLAN_SUM:
		return (update_pairs(p, fire, TBUF_STEP_SUM));
	case TBUF_PLAN_PEAK:
		return (update_pairs(p, fire, TBUF_STEP_PEAK));
	}
	return (false);
}
