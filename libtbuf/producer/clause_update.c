/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A value that is aggregated as a clause has done it before, by what is kept of
 * that (clause_kept.h): one section finds the key in the lane's table and adds
 * there.  Whatever is not that simple, such as a key that is new, is left to the
 * machine.
 */
#include "common/aggregate.h"
#include "producer/clause_kept.h"

/* What a fire has aggregated, and where: read from what is kept. */
struct update {
	uint64_t bits, generation;
	uint64_t value, weight, parameter;
	uint32_t aggregation, function;
	uint32_t strsize;		/* 0: the key has no string */
	uint32_t n;			/* its words, the string's address one */
	uint64_t numbers[TBUF_KEPT_NUMBERS];
};

static bool
update_read(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire,
    struct update *u)
{
	const struct tbuf_kept_update *from = &k->update;

	u->bits = UINT64_C(1) << (k->number & (TBUF_NSESSIONS - 1)) |
	    TBUF_MEMO_CLAUSES;
	u->generation = k->generation;
	u->parameter = from->parameter;
	u->aggregation = from->aggregation;
	u->function = from->function;
	u->strsize = from->strsize;
	return (tbuf_number_value(&from->value, fire, &u->value) &&
	    tbuf_number_value(&from->weight, fire, &u->weight) &&
	    tbuf_kept_numbers(k, fire, u->numbers, &u->n) &&
	    tbuf_kept_unchanged(k, fire->version));
}

/*
 * The key with a string at its end, and how many bytes it has; 0: it is too long
 * to be kept, or is cut.
 */
static uint32_t
string_key(const struct update *u, uint64_t words[TBUF_STAGE_WORDS])
{
	uint32_t text;

	if (tbuf_pack_key(u->n, u->numbers, u->strsize, words) == 0)
		return (0);
	text = (uint16_t)words[u->n - 1];
	if (text != TBUF_TEXT_NULL && (text & TBUF_TEXT_CUT) != 0)
		return (0);
	return (8 * (u->n - 1) + 2 + (text & ~TBUF_TEXT_CUT));
}

static inline bool
update_do(const struct update *u, uint64_t base, const uint64_t *key,
    uint32_t bytes)
{
	const struct tbuf_memo *m = tbuf_memo_find(u->bits);
	struct tbuf_search s;

	if (m == NULL)
		return (false);
	s.bits = u->bits;
	s.generation = u->generation;
	s.key = key;
	s.word = u->function == TBUF_AGG_COUNT ? 0 : tbuf_aggregate_bucket(
	    (enum tbuf_aggregator)u->function, u->parameter,
	    (int64_t)u->value);
	s.delta = u->function == TBUF_AGG_COUNT ? 1 : u->weight;
	return (tbuf_table_update(m, &s, base, u->aggregation, bytes));
}

static __attribute__((noinline)) bool
update_string(const struct update *u, uint64_t base)
{
	uint64_t words[TBUF_STAGE_WORDS];
	uint32_t bytes = string_key(u, words);

	return (bytes != 0 && update_do(u, base, words, bytes));
}

bool
tbuf_kept_update(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire)
{
	struct update u;

	/* The deadline is looked at now and then. */
	if (!update_read(k, fire, &u) || ++tbuf_thread.looks == 0)
		return (false);
	return (u.strsize != 0 ? update_string(&u, fire->base) :
	    update_do(&u, fire->base, u.numbers,
	    u.n * (uint32_t)sizeof(*u.numbers)));
}
