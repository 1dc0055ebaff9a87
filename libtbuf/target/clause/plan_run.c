/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The fast path of a probe's only clause.  Most clauses do one of these things:
 * their predicate does not hold, they record numbers that are arguments of the
 * probe, they aggregate a value by such numbers, or they store a time in a
 * self-> variable, and aggregate the time since then.  A program that does no
 * more is cached decoded, so that a fire neither reads the session nor runs the
 * machine; of other programs the address is cached.  A generation is never used
 * twice: a plan is valid for as long as the slot has its generation, and for no
 * other session.
 */
#include "target/clause/clause.h"
#include "target/clause/plan.h"

/* Out of line: most fires end in a predicate. */
static __attribute__((noinline)) bool
behind(const struct tbuf_site *site, const uint64_t *words, uint64_t size,
    enum tbuf_plan_way way, uint64_t version)
{
	const struct tbuf_plan *p = tbuf_plan_place(site->index);

	return ((way == TBUF_WAY_BEHIND && p->whole == TBUF_WHOLE_COUNT &&
	    tbuf_plan_count(p, version)) ||
	    tbuf_clause_behind(site, words, size, way, version));
}

bool
tbuf_plan_run(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	uint64_t version;
	enum tbuf_plan_way way = tbuf_plan_way(tbuf_plan_place(site->index),
	    site, words, size, number, &version);

	return (way == TBUF_WAY_DONE || (way != TBUF_WAY_NONE &&
	    behind(site, words, size, way, version)));
}

bool
tbuf_plan_exists(const struct tbuf_site *site, uint32_t bits)
{
	const struct tbuf_plan *p = tbuf_plan_place(site->index);
	uint64_t base = tbuf_load(&tbuf_local->base);
	unsigned number = p->number % TBUF_NSESSIONS;

	return (base != 0 && p->index == site->index &&
	    bits == UINT32_C(1) << number &&
	    tbuf_load(&tbuf_plan_slot(base, number)->generation) ==
	    p->generation);
}
