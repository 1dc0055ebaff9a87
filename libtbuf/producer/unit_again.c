/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record into a unit's table, as the one before it was written: by one
 * section.  What it goes by is a guess that the section checks.  And the end of
 * a unit of which nothing is kept, where all its records were written so.  As
 * async-signal-safe as fire.c.
 */
#include "producer/unit.h"

#define WORDS_MAX	4	/* arguments */

/* Is it what is remembered?  A handler's else, and then either will do. */
static inline bool
known(const struct tbuf_bound *b, uint32_t epid)
{
	const struct tbuf_unit_met *met = &b->way.met[epid % TBUF_UNIT_MET];

	return (tbuf_load(&met->epid) == epid &&
	    tbuf_load(tbuf_load(&met->word)) == tbuf_load(&met->value));
}

/*
 * The EPID stands there when all else does: by a section, or two handlers that
 * come one after the other could leave one's EPID with another one's mask.
 * False: it is not for want of this that a record was not written.
 */
static __attribute__((noinline)) bool
meet(struct tbuf_bound *b, const struct tbuf_site *site)
{
	struct tbuf_unit_met now = { .epid = 0 }, *met;
	uint32_t epid, slot;

	if (tbuf_load_acquire(&b->fire.slot->generation) != b->fire.generation)
		return (false);
	epid = tbuf_load(b->way.heads + site->index);
	if (epid == 0 || epid >= TBUF_EPID_UNIT || known(b, epid))
		return (false);
	now.mask = tbuf_unit_selection(b->fire.base, b->fire.slot, epid, &now);
	if (now.epid == 0)
		return (false);
	met = &b->way.met[epid % TBUF_UNIT_MET];
	tbuf_store(&met->epid, 0);
	return (tbuf_rseq_publish(&b->memo, &(struct tbuf_publish){
		.word = &met->epid, .old = 0, .new = epid,
		.to = &met->epid + 1, .from = &now.epid + 1,
		.size = sizeof(now) - sizeof(now.epid), .slot = &slot
	}) == TBUF_COMMITTED);
}

static inline bool
keep(struct tbuf_bound *b, const struct tbuf_site *site,
    const uint64_t *words, uint64_t size)
{
	return (tbuf_rseq_keep(&b->memo, &b->way, site, words, size,
	    (sizeof(struct tbuf_lock_record) + size) << 16 |
	    (uint64_t)tbuf_thread.tid << 32) == TBUF_COMMITTED);
}

bool
tbuf_unit_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint32_t bits)
{
	struct tbuf_unit *u = tbuf_thread.unit;
	struct tbuf_bound *b = &u->bound[0];

	if (b->again != bits || tbuf_load(&u->busy) ||
	    tbuf_thread.shared != 0 || size > 8 * WORDS_MAX ||
	    tbuf_load(&tbuf_local->base) != b->fire.base)
		return (false);
	return (keep(b, site, words, size) ||
	    (meet(b, site) && keep(b, site, words, size)));
}

/*
 * The table has not wrapped, and its totals are those that it had when it was
 * kept for this unit.
 */
static bool
discard(struct tbuf_bound *b)
{
	uint64_t word = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_BOUND);
	struct tbuf_unit_total *next =
	    &b->entry->total[tbuf_unit_totals(word) ^ 1];
	uint64_t discarded = b->totals.discarded +
	    tbuf_unit_records((uint64_t)b->way.known[1] << 32 |
	    b->way.known[0]);

	if (tbuf_rseq_finish(&b->memo, &(struct tbuf_finish){
	    .rule = b->units->rules, .guess = b->rule,
	    .word = &b->entry->word, .old = word,
	    .new = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_KEPT), .to = &next->extra,
	    .values = { b->totals.extra, discarded } }) != TBUF_COMMITTED)
		return (false);
	b->totals.discarded = discarded;
	b->kept = true;
	return (true);
}

/* By the rule that was the first one when it was last looked at. */
static bool
keeps_nothing(const struct tbuf_bound *b, int32_t outcome)
{
	uint64_t rule = b->rule ^ tbuf_unit_default(0);

	return (tbuf_unit_outcome(rule) == outcome &&
	    ((uint32_t)rule & b->way.selected) == 0);
}

/* The first rule is that of successes, unless somebody has changed it. */
bool
tbuf_unit_discard(struct tbuf_bound *b, int32_t outcome)
{
	uint64_t guess = b->rule;

	if (b->again == 0 || tbuf_thread.shared != 0 || b->others ||
	    !b->counted)
		return (false);
	if (keeps_nothing(b, outcome) && discard(b))
		return (true);
	return (tbuf_rseq_load(&b->memo, &b->rule, b->units->rules,
	    sizeof(b->rule)) == TBUF_COMMITTED && b->rule != guess &&
	    keeps_nothing(b, outcome) && discard(b));
}

bool
tbuf_unit_count(const struct tbuf_bound *b, uint64_t *word)
{
	return (b->again != 0 && tbuf_thread.shared == 0 &&
	    tbuf_rseq_count_shared(&b->memo, word) == TBUF_COMMITTED);
}
