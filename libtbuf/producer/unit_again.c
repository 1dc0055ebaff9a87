/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record into a unit's table, as the one before it was written: by one
 * section.  What it goes by is a guess that the section checks.  As
 * async-signal-safe as fire.c.
 */
#include "producer/unit.h"

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
	return (tbuf_rseq_publish(&b->way.memo, &(struct tbuf_publish){
		.word = &met->epid, .old = 0, .new = epid,
		.to = &met->epid + 1, .from = &now.epid + 1,
		.size = sizeof(now) - sizeof(now.epid), .slot = &slot
	}) == TBUF_COMMITTED);
}

/* Has it to be met first, or is it none of these cases? */
static __attribute__((noinline)) void
fire_met(const struct tbuf_site *site, const uint64_t *words, uint64_t size)
{
	if (meet(&tbuf_thread.unit->bound[0], site))
		tbuf_unit_fire(site, words, size);
	else
		tbuf_fire_each(site, words, size);
}

/*
 * Of a probe that is enabled in one session, with one ECB.  All calls are the
 * last thing that is done: so there is nothing to be saved on the usual way.
 */
void
tbuf_unit_fire(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size)
{
	struct tbuf_unit *u = tbuf_thread.unit;
	uint32_t bits = tbuf_load(site->enabled);

	if (u == NULL || bits == 0 || u->bound[0].again != bits ||
	    tbuf_load(&u->busy) || tbuf_thread.shared != 0 ||
	    tbuf_load(&tbuf_local->base) != u->bound[0].fire.base)
		tbuf_fire_each(site, words, size);
	else if (tbuf_rseq_keep(&u->bound[0].way, site, words, size) !=
	    TBUF_COMMITTED)
		fire_met(site, words, size);
}
