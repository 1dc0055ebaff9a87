/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of a unit of which nothing is kept, where all its records were
 * written by sections (unit_cached_write.c): by one, too.  What it goes by is a guess
 * that the section checks.
 */
#ifndef TBUF_TARGET_UNIT_UNIT_CACHED_END_H
#define TBUF_TARGET_UNIT_UNIT_CACHED_END_H

#include "arch/rseq.h"
#include "arch/rseq_unit.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"

/*
 * The table has not wrapped, and its totals are those that it had when it was
 * kept for this unit.
 */
static inline bool
tbuf_unit_finish(struct tbuf_bound *b)
{
	uint64_t word = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_BOUND);
	struct tbuf_unit_total *next =
	    &b->entry->total[tbuf_unit_totals(word) ^ 1];
	uint64_t discarded;

	if (tbuf_rseq_finish(&b->way.memo, &(struct tbuf_finish){
	    .rule = b->units->rules, .guess = b->rule, .entry = b->entry,
	    .old = word, .new = tbuf_unit_word(b->fire.generation,
	    b->instance, TBUF_UNIT_KEPT), .to = next, .was = b->totals,
	    .sum = &discarded }) != TBUF_COMMITTED)
		return (false);
	b->totals.discarded = discarded;
	b->kept = true;
	return (true);
}

/* By the rule that was the first one when it was last looked at. */
static inline bool
tbuf_unit_nothing(const struct tbuf_bound *b, int32_t outcome)
{
	uint64_t rule = b->rule ^ tbuf_unit_default(0);

	return (tbuf_unit_outcome(rule) == outcome &&
	    ((uint32_t)rule & b->way.selected) == 0);
}

/* False: nothing has been done. */
static inline bool
tbuf_unit_discard(struct tbuf_bound *b, int32_t outcome)
{
	return (b->again != 0 && tbuf_thread.shared == 0 && !b->others &&
	    b->counted && tbuf_unit_nothing(b, outcome) &&
	    tbuf_unit_finish(b));
}

/* One more, in a word that all threads count in.  False: it is not counted. */
static inline bool
tbuf_unit_count(const struct tbuf_bound *b, uint64_t *word)
{
	return (b->again != 0 && tbuf_thread.shared == 0 &&
	    tbuf_rseq_count_shared(&b->way.memo, word) == TBUF_COMMITTED);
}

/* Of its kind, by what it has taken. */
static inline uint64_t *
tbuf_unit_duration(const struct tbuf_bound *b, uint64_t now)
{
	return (&b->units->kinds[b->kind].durations[tbuf_unit_bucket(
	    now > b->began ? now - b->began : 0)]);
}

#endif
