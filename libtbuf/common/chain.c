/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Chains of ECBs: an enabling and a probe meet.
 */
#include <string.h>

#include "atomics.h"
#include "common/chain.h"

/*
 * What an insertion works on: the slot's heads and ECB table, which lie in
 * the view, and how to back them.
 */
struct insertion {
	struct tbuf_slot *slot;
	uint32_t *head;			/* of the probe */
	struct tbuf_ecb *ecbs;
	uint64_t head_at, ecbs_at;	/* offsets of the two in the file */
	uint32_t max;			/* entries of the table */
	struct tbuf_backing *backing;
};

static bool
tables_find(const struct tbuf_view *view, unsigned number, uint32_t probe,
    struct insertion *in)
{
	struct tbuf_slot *slot = tbuf_view_slot(view, number);
	uint64_t heads = tbuf_load(&slot->heads);

	in->slot = slot;
	in->ecbs_at = tbuf_load(&slot->ecbs);
	in->max = tbuf_load(&slot->ecb_max);
	in->head_at = heads + probe * sizeof(uint32_t);
	if (heads < view->tables.areas || heads % sizeof(uint32_t) != 0 ||
	    heads > view->size || view->tables.entries * sizeof(uint32_t) >
	    view->size - heads || in->max > TBUF_ECBS_MAX ||
	    in->ecbs_at < view->tables.areas ||
	    in->ecbs_at % sizeof(struct tbuf_ecb) != 0 ||
	    in->ecbs_at > view->size ||
	    in->max * sizeof(struct tbuf_ecb) > view->size - in->ecbs_at)
		return (false);
	in->head = (uint32_t *)(void *)(view->base + in->head_at);
	in->ecbs = (struct tbuf_ecb *)(void *)(view->base + in->ecbs_at);
	return (true);
}

/* Back the page of a head (0) or of an ECB (1), if that was not the last. */
static bool
page_back(struct tbuf_backing *backing, unsigned which, uint64_t at)
{
	uint64_t page = at & ~(uint64_t)(TBUF_PAGE - 1);

	if (backing->pages[which] == page + 1)
		return (true);
	if (backing->back(backing->argument, page, TBUF_PAGE) != 0)
		return (false);
	backing->pages[which] = page + 1;
	return (true);
}

/*
 * An ECB for the probe that nobody sees yet; 0 if the table is full, or there
 * is no storage for it.
 */
static uint16_t
ecb_new(const struct insertion *in, uint32_t probe, uint16_t enabling)
{
	uint32_t epid = tbuf_load(&in->slot->necbs);

	if (epid == 0 || epid >= in->max)
		return (0);
	epid = tbuf_add(&in->slot->necbs, 1);
	if (epid == 0 || epid >= in->max || !page_back(in->backing, 1,
	    in->ecbs_at + epid * sizeof(struct tbuf_ecb)))
		return (0);
	tbuf_store(&in->ecbs[epid].probe, probe);
	tbuf_store(&in->ecbs[epid].enabling, enabling);
	return ((uint16_t)epid);
}

/* The link in front of where an enabling's ECB belongs. */
struct link {
	uint16_t before;	/* EPID, or 0: the link is the head */
	uint32_t seen;		/* the link's value */
	uint16_t there;		/* enabling of the ECB that it leads to */
};

/* False if the chain is damaged. */
static bool
chain_look(const struct insertion *in, uint16_t enabling, struct link *link)
{
	uint32_t next, steps;

	link->before = 0;
	link->seen = tbuf_load_acquire(in->head);
	for (steps = 0; steps < TBUF_ECBS_MAX; steps++) {
		next = link->seen & TBUF_HEAD_EPID;
		if (next >= in->max)
			return (false);
		if (next == 0)
			return (true);
		link->there = tbuf_load(&in->ecbs[next].enabling);
		if (link->there >= enabling)
			return (true);
		link->before = (uint16_t)next;
		link->seen = tbuf_load_acquire(&in->ecbs[next].next);
	}
	return (false);
}

static bool
chain_link(const struct insertion *in, const struct link *link, uint16_t mine)
{
	uint32_t next = link->seen & TBUF_HEAD_EPID;

	tbuf_store(&in->ecbs[mine].next, (uint16_t)next);
	if (link->before == 0)
		return (tbuf_cas(in->head, link->seen,
		    mine | (next != 0 ? TBUF_HEAD_MORE : 0u)));
	tbuf_or(in->head, TBUF_HEAD_MORE);
	return (tbuf_cas(&in->ecbs[link->before].next, (uint16_t)next, mine));
}

/*
 * Insert an ECB for (enabling, probe) into the probe's chain, which rises by
 * enabling; entries never leave it in a session, so one compare-and-swap of
 * the link in front is enough, and whoever loses the race looks again and
 * finds the other's.  False if there is no room, or the chain is damaged.
 */
static bool
ecb_insert(const struct insertion *in, uint32_t probe, uint16_t enabling)
{
	struct link link;
	uint32_t next, tries;
	uint16_t mine = 0;

	for (tries = 0; tries < TBUF_ECBS_MAX; tries++) {
		if (!chain_look(in, enabling, &link))
			return (false);
		next = link.seen & TBUF_HEAD_EPID;
		if (next != 0 && link.there == enabling)
			return (true);
		if (mine == 0 && (mine = ecb_new(in, probe, enabling)) == 0)
			return (false);
		if (chain_link(in, &link, mine))
			return (true);
	}
	return (false);
}

unsigned
tbuf_meet(const struct tbuf_view *view, unsigned slot, uint32_t probe,
    const struct tbuf_names *names, const char *patterns,
    size_t patterns_size, unsigned npatterns, struct tbuf_backing *backing)
{
	struct insertion in = { .backing = backing };
	const char *end = patterns + patterns_size, *nul;
	unsigned matched = 0, i;

	if (!tables_find(view, slot, probe, &in))
		return (0);
	for (i = 0; i < npatterns && i <= UINT16_MAX; i++) {
		nul = memchr(patterns, '\0', (size_t)(end - patterns));
		if (nul == NULL)
			break;
		if (tbuf_description_match_to(patterns, nul, names)) {
			if (page_back(backing, 0, in.head_at) &&
			    ecb_insert(&in, probe, (uint16_t)i))
				matched++;
			else
				tbuf_add(&in.slot->unmet, 1);
		}
		patterns = nul + 1;
	}
	if (matched != 0)
		tbuf_or(tbuf_view_enable(view, probe), 1u << slot);
	return (matched);
}

void
tbuf_disable_all(const struct tbuf_view *view, unsigned slot)
{
	uint32_t n = tbuf_load(&tbuf_view_control(view)->nprobes), i;

	if (n > view->tables.entries)
		n = view->tables.entries;
	for (i = 0; i < n; i++)
		tbuf_and(tbuf_view_enable(view, i), ~(1u << slot));
}
