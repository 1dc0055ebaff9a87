/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of a unit without retained records.  If sections have written all its
 * records (unit_cached_write.c), one section ends it, and checks the cached
 * facts.
 */
#ifndef TBUF_TARGET_UNIT_UNIT_CACHED_END_H
#define TBUF_TARGET_UNIT_UNIT_CACHED_END_H

#include "arch/rseq.h"
#include "arch/rseq_unit.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"

/*
 * Ends the unit if it is not slow, and its table has not wrapped, and has the
 * totals that it had when it was retained for this unit.
 */
static inline bool
tbuf_unit_finish(struct tbuf_bound *b, uint64_t ticks)
{
	uint64_t word = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_BOUND);
	struct tbuf_unit_total *next =
	    &b->entry->total[tbuf_unit_totals(word) ^ 1];
	uint64_t discarded;

	if (tbuf_rseq_finish(&b->way.memo, &(struct tbuf_finish){
	    .units = b->units, .guess = b->rule, .ticks = ticks,
	    .ticks_at = b->ticks_at, .ticks_sum = b->ticks + ticks,
	    .entry = b->entry, .old = word,
	    .new = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_CACHED), .to = next, .was = b->totals,
	    .sum = &discarded }) != TBUF_COMMITTED)
		return (false);
	b->totals.discarded = discarded;
	b->ticks += ticks;
	b->cached = true;
	return (true);
}

/* Returns true if no record is retained under the first rule as last loaded. */
static inline bool
tbuf_unit_nothing(const struct tbuf_bound *b, int32_t outcome)
{
	uint64_t rule = b->rule ^ tbuf_unit_default(0);

	return (tbuf_unit_outcome(rule) == outcome &&
	    ((uint32_t)rule & b->way.selected) == 0);
}

/* Returns false, with no effect, if the unit must end otherwise. */
static inline bool
tbuf_unit_discard(struct tbuf_bound *b, int32_t outcome, uint64_t ticks)
{
	return (b->fast_bits != 0 && tbuf_thread.shared == 0 && !b->others &&
	    b->counted && tbuf_unit_nothing(b, outcome) &&
	    tbuf_unit_finish(b, ticks));
}

/* Increments a word that all threads count in.  Returns false if that fails. */
static inline bool
tbuf_unit_count(const struct tbuf_bound *b, uint64_t *word)
{
	return (b->fast_bits != 0 && tbuf_thread.shared == 0 &&
	    tbuf_rseq_count_shared(&b->way.memo, word) == TBUF_COMMITTED);
}

/* Returns the ticks of a unit that ends now. */
static inline uint64_t
tbuf_unit_ticks(const struct tbuf_bound *b, uint64_t now)
{
	return (now > b->began ? now - b->began : 0);
}

/* Returns the word of the unit's kind and duration. */
static inline uint64_t *
tbuf_unit_duration(const struct tbuf_bound *b, uint64_t ticks)
{
	return (&b->units->kinds[b->kind].durations[tbuf_unit_bucket(ticks)]);
}

#endif
