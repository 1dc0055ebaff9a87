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

void
tbuf_plan_step(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_plan *p)
{
	struct tbuf_plan_fire fire;

	/* Zeroing all of it first costs more. */
	fire.words = words;
	fire.size = size;
	fire.base = tbuf_load(&tbuf_local->base);
	fire.version = version;
	fire.ticks = fire.time = fire.self = fire.second = 0;
	if (fire.base == 0 || !(p->self.used ?
	    tbuf_clause_self(site, p, &fire) : tbuf_plan_effect(p, &fire)))
		tbuf_plan_machine(site, words, size, version, p);
}

/*
 * Once the count is added the fire is done, even if a handler's fires have
 * brought `deadline_ticks` to 0.
 */
void
tbuf_plan_count(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_plan *p)
{
	const uint64_t bits = tbuf_plan_bits(version);

	if (tbuf_plan_unchanged(p, version) &&
	    (uint8_t)(tbuf_thread.deadline_ticks + 1) != 0 &&
	    tbuf_plan_add(p, bits, 0, 1))
		tbuf_thread.deadline_ticks++;
	else
		/* `version` and `p` would take registers to be saved. */
		tbuf_plan_step(site, words, size, bits - 1,
		    tbuf_plan_place(site->index));
}

TBUF_CALLS_POINTER bool
tbuf_plan_run(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	return (tbuf_load(&tbuf_plans_any) &&
	    tbuf_plan_fires(site, words, size, number));
}

bool
tbuf_plan_exists(const struct tbuf_site *site, uint32_t bits)
{
	const struct tbuf_plan *p = tbuf_plan_place(site->index);
	uint64_t base = tbuf_load(&tbuf_local->base);
	unsigned number = tbuf_plan_session(tbuf_load(&p->version));

	return (base != 0 && p->index == site->index &&
	    bits == UINT32_C(1) << number &&
	    tbuf_load(&tbuf_plan_slot(base, number)->generation) ==
	    p->generation);
}
