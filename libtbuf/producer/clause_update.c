/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a clause leaves as it has done it before, by what is kept of that
 * (clause_kept.h): a record of numbers; or a value that is aggregated, where
 * one section finds the key in the lane's table and adds there.  Whatever is
 * not that simple, such as a key that is new, is left to the machine.
 */
#include "common/aggregate.h"
#include "producer/clause_kept.h"

/* A value to be added, read from what is kept; the search has the rest. */
struct update {
	struct tbuf_search search;
	uint64_t base;
	uint32_t aggregation;
	uint32_t strsize;		/* 0: the key has no string */
	uint32_t n;			/* words; one is the string's address */
	uint64_t numbers[TBUF_KEPT_NUMBERS];
};

static inline bool
update_read(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire,
    struct update *u)
{
	const struct tbuf_kept_update *from = &k->update;
	enum tbuf_aggregator function = (enum tbuf_aggregator)from->function;
	uint64_t value;

	u->base = fire->base;
	u->aggregation = from->aggregation;
	u->strsize = from->strsize;
	u->search.bits = UINT64_C(1) << (k->number & (TBUF_NSESSIONS - 1)) |
	    TBUF_MEMO_CLAUSES;
	u->search.generation = k->generation;
	u->search.key = u->numbers;
	u->search.word = 0;
	u->search.delta = 1;
	if (function != TBUF_AGG_COUNT) {
		if (!tbuf_number_value(&from->value, fire, &value) ||
		    !tbuf_number_value(&from->weight, fire, &u->search.delta))
			return (false);
		u->search.word = tbuf_aggregate_bucket(function,
		    from->parameter, (int64_t)value);
	}
	return (tbuf_kept_numbers(k, fire, u->numbers, &u->n) &&
	    tbuf_kept_unchanged(k, fire->version));
}

static inline bool
update_do(struct update *u, uint32_t bytes)
{
	const struct tbuf_memo *m = tbuf_memo_find(u->search.bits);

	return (m != NULL && tbuf_table_update(m, &u->search, u->base,
	    u->aggregation, bytes));
}

/*
 * The key has a string at its end.  One that is cut, or too long to be kept, is
 * left to the machine.
 */
static __attribute__((noinline)) bool
update_string(struct update *u)
{
	uint64_t words[TBUF_STAGE_WORDS];
	uint32_t text;

	if (tbuf_pack_key(u->n, u->numbers, u->strsize, words) == 0)
		return (false);
	text = (uint16_t)words[u->n - 1];
	if (text != TBUF_TEXT_NULL && (text & TBUF_TEXT_CUT) != 0)
		return (false);
	u->search.key = words;
	return (update_do(u, 8 * (u->n - 1) + 2 + (text & ~TBUF_TEXT_CUT)));
}

/* There is no key: what has been found once is there as long as the session. */
static bool
update_total(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire,
    struct update *u)
{
	struct tbuf_search *s = &u->search;
	struct tbuf_memo *total;

	if (tbuf_kept_add(k, fire->version, s->generation, s->word, s->delta))
		return (true);
	if (!update_do(u, 0))
		return (false);
	if ((total = tbuf_kept_total(k)) != NULL)
		tbuf_table_remember(total, s, u->base, u->aggregation,
		    tbuf_kept_bits(fire->version));
	return (true);
}

static bool
update(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire)
{
	struct update u;

	/* The deadline is looked at now and then. */
	if (!update_read(k, fire, &u) || ++tbuf_thread.looks == 0)
		return (false);
	if (u.n == 0)
		return (update_total(k, fire, &u));
	return (u.strsize != 0 ? update_string(&u) :
	    update_do(&u, 8 * u.n));
}

/* The record, by what is remembered of the session. */
static bool
write_numbers(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire)
{
	uint64_t numbers[TBUF_KEPT_NUMBERS];
	uint32_t n, epid = k->epid;
	struct tbuf_fire f;

	if (!tbuf_kept_numbers(k, fire, numbers, &n))
		return (false);
	f.bits = UINT64_C(1) << (k->number & (TBUF_NSESSIONS - 1)) |
	    TBUF_MEMO_CLAUSES;
	f.generation = k->generation;
	f.index = k->index;
	return (tbuf_kept_unchanged(k, fire->version) &&
	    tbuf_record_write(&f, epid, numbers, n * sizeof(*numbers)));
}

bool
tbuf_kept_effect(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire)
{
	return (k->kind == TBUF_KEPT_RECORD ? write_numbers(k, fire) :
	    k->kind == TBUF_KEPT_UPDATE && update(k, fire));
}
