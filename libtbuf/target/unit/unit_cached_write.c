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
	const struct tbuf_unit_epid *cached =
	    &b->way.epids[epid % TBUF_UNIT_EPIDS];

	return (tbuf_load(&cached->epid) == epid &&
	    tbuf_load(tbuf_load(&cached->word)) == tbuf_load(&cached->value));
}

/*
 * A section stores the EPID after the rest: otherwise two handlers in a row
 * could leave one's EPID with the other's mask.
 */
bool
tbuf_unit_remember(struct tbuf_bound *b, const struct tbuf_site *site)
{
	struct tbuf_unit_epid now = { .epid = 0 }, *cached;
	uint32_t epid, slot;

	if (tbuf_load_acquire(&b->fire.slot->generation) != b->fire.generation)
		return (false);
	epid = tbuf_load(b->way.heads + site->index);
	if (epid == 0 || epid >= TBUF_EPID_UNIT || known(b, epid))
		return (false);
	now.mask = tbuf_unit_selection(b->fire.base, b->fire.slot, epid, &now);
	if (now.epid == 0)
		return (false);
	cached = &b->way.epids[epid % TBUF_UNIT_EPIDS];
	tbuf_store(&cached->epid, 0);
	return (tbuf_rseq_publish(&b->way.memo, &(struct tbuf_publish){
		.word = &cached->epid, .old = 0, .new = epid,
		.to = &cached->epid + 1, .from = &now.epid + 1,
		.size = sizeof(now) - sizeof(now.epid), .slot = &slot
	}) == TBUF_COMMITTED);
}
