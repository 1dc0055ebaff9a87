/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Chains of ECBs: inserting one when an enabling matches a probe.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "arch/atomics.h"
#include "shared/ecb_chain.h"

/* The checked tables that an insertion works on, and how to back them. */
struct insertion {
	const struct tbuf_view *view;
	struct tbuf_slot *slot;
	uint32_t *head;			/* of the probe */
	struct tbuf_ecb *ecbs;
	struct tbuf_clause *clauses;	/* NULL: a session without clauses */
	uint64_t head_at, ecbs_at, clauses_at;	/* offsets in the file */
	uint32_t max;			/* entries of the tables */
	struct tbuf_backing *backing;
	struct tbuf_fit fit;		/* of the enabling's clause */
};

/* Returns true if a table of `max` entries is within the areas. */
static bool
table_find(const struct tbuf_view *view, uint64_t at, uint32_t max,
    size_t size)
{
	return (at >= view->tables.areas && at % 8 == 0 && at <= view->size &&
	    max * size <= view->size - at);
}

static bool
clauses_find(const struct tbuf_view *view, struct insertion *in)
{
	in->clauses_at = tbuf_load(&in->slot->clauses);
	in->clauses = (struct tbuf_clause *)(void *)
	    (view->base + in->clauses_at);
	if (in->clauses_at != 0)
		return (table_find(view, in->clauses_at, in->max,
		    sizeof(struct tbuf_clause)));
	in->clauses = NULL;
	return (true);
}

static bool
tables_find(const struct tbuf_view *view, unsigned number, uint32_t probe,
    struct insertion *in)
{
	struct tbuf_slot *slot = tbuf_view_slot(view, number);
	uint64_t heads = tbuf_load(&slot->heads);

	in->view = view;
	in->slot = slot;
	in->ecbs_at = tbuf_load(&slot->ecbs);
	in->max = tbuf_load(&slot->ecb_max);
	in->head_at = heads + probe * sizeof(uint32_t);
	if (heads < view->tables.areas || heads % sizeof(uint32_t) != 0 ||
	    heads > view->size || view->tables.entries * sizeof(uint32_t) >
	    view->size - heads || in->max > TBUF_ECBS_MAX ||
	    !table_find(view, in->ecbs_at, in->max,
	    sizeof(struct tbuf_ecb)) || !clauses_find(view, in))
		return (false);
	in->head = (uint32_t *)(void *)(view->base + in->head_at);
	in->ecbs = (struct tbuf_ecb *)(void *)(view->base + in->ecbs_at);
	return (true);
}

/* Indexes of tbuf_backing.pages. */
enum { HEADS, ECBS, CLAUSES };

/* Backs the pages of some bytes, except one that was backed last. */
static bool
pages_back(struct tbuf_backing *backing, unsigned which, uint64_t at,
    uint64_t size)
{
	uint64_t page = at & ~(uint64_t)(TBUF_PAGE - 1);

	for (; page < at + size; page += TBUF_PAGE) {
		if (backing->pages[which] == page + 1)
			continue;
		if (backing->back(backing->argument, page, TBUF_PAGE) != 0)
			return (false);
		backing->pages[which] = page + 1;
	}
	return (true);
}

static bool
ecbs_back(const struct insertion *in, uint32_t epid)
{
	uint32_t n = in->fit.count;

	return (pages_back(in->backing, ECBS, in->ecbs_at +
	    epid * sizeof(struct tbuf_ecb), n * sizeof(struct tbuf_ecb)) &&
	    (in->clauses == NULL || pages_back(in->backing, CLAUSES,
	    in->clauses_at + epid * sizeof(struct tbuf_clause),
	    n * sizeof(struct tbuf_clause))));
}

static void
clause_fill(const struct insertion *in, uint32_t epid, uint32_t record)
{
	struct tbuf_clause *clause = &in->clauses[epid + record];

	tbuf_store(&clause->binding, in->fit.binding);
	tbuf_store(&clause->text, tbuf_fit_text(in->view, &in->fit, record));
	tbuf_store(&clause->program, in->fit.program);
}

/*
 * Makes the ECBs for the probe, not linked yet.  Returns the first one's EPID,
 * 0 if the table is full or cannot be backed.
 */
static uint16_t
ecb_new(const struct insertion *in, uint32_t probe, uint16_t enabling)
{
	uint32_t epid = tbuf_load(&in->slot->necbs), n = in->fit.count, i;

	if (epid == 0 || epid >= in->max)
		return (0);
	epid = tbuf_add(&in->slot->necbs, n);
	if (epid == 0 || epid >= in->max || n > in->max - epid ||
	    !ecbs_back(in, epid))
		return (0);
	for (i = 0; i < n; i++) {
		tbuf_store(&in->ecbs[epid + i].probe, probe);
		tbuf_store(&in->ecbs[epid + i].enabling, enabling);
		if (in->clauses != NULL)
			clause_fill(in, epid, i);
	}
	return ((uint16_t)epid);
}

/* The link that an enabling's ECB belongs after. */
struct link {
	uint16_t before;	/* EPID, or 0: the chain head */
	uint32_t seen;		/* the link's value */
	uint16_t there;		/* enabling of the ECB that it leads to */
};

/*
 * Finds the link for an enabling; returns false if the chain is damaged.  A
 * chain rises by enabling, which bounds the steps: a target could make it as
 * long as the table.
 */
static bool
chain_look(const struct insertion *in, uint16_t enabling, struct link *link)
{
	uint32_t next, steps;

	link->before = 0;
	link->seen = tbuf_load_acquire(in->head);
	for (steps = 0; steps <= enabling; steps++) {
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
	uint32_t flags = in->fit.program != 0 ? TBUF_HEAD_PROGRAM : 0;

	tbuf_store(&in->ecbs[mine].next, (uint16_t)next);
	if (link->before == 0)
		return (tbuf_cas(in->head, link->seen, mine | flags |
		    (link->seen & TBUF_HEAD_PROGRAM) |
		    (next != 0 ? TBUF_HEAD_MORE : 0u)));
	tbuf_or(in->head, TBUF_HEAD_MORE | flags);
	return (tbuf_cas(&in->ecbs[link->before].next, (uint16_t)next, mine));
}

/*
 * Inserts an ECB for (enabling, probe) into the probe's chain, which rises by
 * enabling.  ECBs are not removed during a session, so one compare-and-swap of
 * the link before it is enough; the loser of a race searches again and finds
 * the other's ECB.  Returns false if there is no room, or the chain is
 * damaged.
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

/* Chooses the enabling's program for the probe; one for all is kept. */
static bool
clause_fit(struct insertion *in, uint32_t probe, unsigned enabling)
{
	struct tbuf_fitted *kept = &in->backing->fitted[enabling %
	    (sizeof(in->backing->fitted) / sizeof(in->backing->fitted[0]))];

	if (kept->after == enabling + 1) {
		in->fit = kept->fit;
		return (true);
	}
	if (!tbuf_clause_fit(in->view, in->slot, enabling, probe, &in->fit))
		return (false);
	if (in->fit.any)
		*kept = (struct tbuf_fitted){ enabling + 1, in->fit };
	return (true);
}

/* Returns true if an enabling that matches has its ECB, else counts it. */
static bool
enabling_match(struct insertion *in, uint32_t probe, unsigned enabling)
{
	if (!clause_fit(in, probe, enabling))
		tbuf_add(&in->slot->unfit, 1);
	else if (pages_back(in->backing, HEADS, in->head_at,
	    sizeof(uint32_t)) && ecb_insert(in, probe, (uint16_t)enabling))
		return (true);
	else
		tbuf_add(&in->slot->unmet, 1);
	return (false);
}

/* Bits of tbuf_alike.hits. */
#define HITS	64u

/* Reads the first pattern, and whether one of all has a function. */
static void
patterns_read(struct tbuf_backing *b, const char *p, const char *end,
    unsigned npatterns)
{
	struct tbuf_plain plain;
	const char *nul;
	unsigned i;

	b->patterns = p;
	b->first_end = NULL;
	b->no_function = npatterns <= HITS;
	for (i = 0; i < npatterns && (i == 0 || b->no_function); i++) {
		nul = memchr(p, '\0', (size_t)(end - p));
		if (nul == NULL || !tbuf_plain_read(p, nul, &plain)) {
			b->no_function = false;
			return;
		}
		if (i == 0) {
			b->plain = plain;
			b->first_end = nul;
		}
		if (plain.parts[1].start != plain.parts[1].end)
			b->no_function = false;
		p = nul + 1;
	}
}

/*
 * Matches the pattern that begins at `p` with names, the first one in the way
 * that it was read.  Returns the place after it, or NULL.
 */
static const char *
pattern_match(const char *p, const char *end, const struct tbuf_backing *first,
    const struct tbuf_names *names, bool *hit)
{
	const char *nul;

	if (p == first->patterns && first->first_end != NULL) {
		*hit = tbuf_plain_match(&first->plain, names);
		return (first->first_end + 1);
	}
	if ((nul = memchr(p, '\0', (size_t)(end - p))) == NULL)
		return (NULL);
	*hit = tbuf_description_match_to(p, nul, names);
	return (nul + 1);
}

/*
 * Returns true if a pattern that matches an alias matches an elder of it, too,
 * which has the ECB then [inv.alias].
 */
static __attribute__((noinline)) bool
elder_match(const struct tbuf_view *view, uint32_t probe, const char *p,
    const char *nul)
{
	struct tbuf_names_copy copy = { .offsets = { 0 } };
	unsigned steps;
	uint32_t alias;

	for (steps = 0; steps < TBUF_ELDERS_MAX; steps++) {
		alias = tbuf_load(&tbuf_view_probe(view, probe)->alias);
		if (alias == 0 || alias > probe)
			break;
		probe = alias - 1;
		if (tbuf_view_names(view, probe, &copy) &&
		    tbuf_description_match_to(p, nul, &copy.names))
			return (true);
	}
	return (false);
}

/*
 * Inserts the ECBs of the patterns that match; *hits becomes those of them that
 * have a bit.
 */
static unsigned
match_names(struct insertion *in, uint32_t probe,
    const struct tbuf_names *names, const char *patterns, const char *end,
    unsigned npatterns, uint64_t *hits)
{
	bool alias = tbuf_load(&tbuf_view_probe(in->view, probe)->alias) != 0;
	unsigned matched = 0, i;
	const char *next;
	bool hit;

	for (i = 0; i < npatterns && i <= UINT16_MAX; i++, patterns = next) {
		next = pattern_match(patterns, end, in->backing, names, &hit);
		if (next == NULL)
			break;
		if (!hit || (alias && elder_match(in->view, probe, patterns,
		    next - 1)))
			continue;
		if (i < HITS)
			*hits |= UINT64_C(1) << i;
		matched += enabling_match(in, probe, i);
	}
	return (matched);
}

unsigned
tbuf_match(const struct tbuf_view *view, unsigned slot, uint32_t probe,
    const struct tbuf_names *names, const char *patterns,
    size_t patterns_size, unsigned npatterns, struct tbuf_backing *backing)
{
	struct insertion in = { .backing = backing };
	uint64_t hits = 0;
	unsigned matched;

	if (!tables_find(view, slot, probe, &in))
		return (0);
	if (backing->patterns != patterns)
		patterns_read(backing, patterns, patterns + patterns_size,
		    npatterns);
	matched = match_names(&in, probe, names, patterns,
	    patterns + patterns_size, npatterns, &hits);
	backing->alike[probe & 1].hits = hits;
	if (matched != 0)
		tbuf_or(tbuf_view_enable(view, probe), 1u << slot);
	return (matched);
}

/* Inserts the ECBs of patterns that are known to match. */
static unsigned
match_known(const struct tbuf_view *view, unsigned slot, uint32_t probe,
    uint64_t hits, struct tbuf_backing *backing)
{
	struct insertion in = { .backing = backing };
	unsigned matched = 0;

	if (hits == 0 || !tables_find(view, slot, probe, &in))
		return (0);
	for (; hits != 0; hits &= hits - 1)
		matched += enabling_match(&in, probe,
		    (unsigned)__builtin_ctzll(hits));
	if (matched != 0)
		tbuf_or(tbuf_view_enable(view, probe), 1u << slot);
	return (matched);
}

/* Returns true if `last' has the hits of a probe with these names. */
static bool
hits_known(const struct tbuf_backing *backing, const char *patterns,
    const struct tbuf_alike *last, const uint32_t at[3])
{
	return (backing->patterns == patterns && backing->no_function &&
	    at[0] != 0 && at[0] == last->at[0] && at[1] == last->at[1] &&
	    at[2] == last->at[2]);
}

unsigned
tbuf_match_next(const struct tbuf_view *view, unsigned slot, uint32_t probe,
    struct tbuf_names_copy *copy, const char *patterns, size_t patterns_size,
    unsigned npatterns, struct tbuf_backing *backing)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(view, probe);
	const uint32_t at[3] = { tbuf_load(&entry->provider),
	    tbuf_load(&entry->module), tbuf_load(&entry->name) };
	bool alias = tbuf_load(&entry->alias) != 0;
	struct tbuf_alike *last = &backing->alike[probe & 1];
	unsigned matched;

	if (!alias && hits_known(backing, patterns, last, at))
		return (match_known(view, slot, probe, last->hits, backing));
	last->at[0] = 0;
	if (!tbuf_view_names(view, probe, copy))
		return (0);
	matched = tbuf_match(view, slot, probe, &copy->names, patterns,
	    patterns_size, npatterns, backing);
	/* An alias has no hits that its elder has. */
	if (!alias)
		memcpy(last->at, at, sizeof(at));
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
