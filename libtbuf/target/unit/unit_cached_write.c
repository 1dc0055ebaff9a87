/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cached facts for a record into a unit's table that is written as the previous
 * one was: by one section (fire_unit()), which checks them.  As
 * async-signal-safe as fire.c.
 */
#include "arch/rseq.h"
#include "target/unit/unit.h"

/*
 * Returns true if the EPID's mask is cached and valid.  If a handler changes
 * the entry meanwhile, either result is right.
 */
static inline bool
known(const struct tbuf_bound *b, uint32_t epid)
{
	const struct tbuf_unit_met *met = &b->way.met[epid % TBUF_UNIT_MET];

	return (tbuf_load(&met->epid) == epid &&
	    tbuf_load(tbuf_load(&met->word)) == tbuf_load(&met->value));
}

/*
 * A section stores the EPID after the rest: otherwise two handlers in a row
 * could leave one's EPID with the other's mask.
 */
bool
tbuf_unit_meet(struct tbuf_bound *b, const struct tbuf_site *site)
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
