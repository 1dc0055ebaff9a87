/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cache of plans (plan.h).  A probe's place has its only program, if that
 * is simple, else the start of its chain; each step of each program has a place
 * of its own.
 */
#include "base/optimize_size.h"

#include "target/clause/clause.h"
#include "target/clause/plan_decode.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"

#define STEPS_MAX	8	/* of a program; no two share a place */
#define TAKE_EVERY	16	/* fires: place_take() */

struct tbuf_plan tbuf_plans[TBUF_PLANS_ALL];
bool tbuf_plans_any;

/* Returns the function for an aggregation or a record. */
static tbuf_plan_function *
function_of_update(const struct tbuf_plan *p)
{
	if (p->kind == TBUF_PLAN_UPDATE && p->nnumbers != 0)
		return (p->update.strsize != 0 ? tbuf_plan_string :
		    tbuf_plan_key);
	return (p->kind == TBUF_PLAN_UPDATE &&
	    p->update.function == TBUF_AGG_COUNT ? tbuf_plan_count :
	    tbuf_plan_step);
}

/* Returns the function for a plan with a self-> number. */
static tbuf_plan_function *
function_of_self(const struct tbuf_plan *p)
{
	const struct tbuf_plan_self *s = &p->self;

	if (s->scope != TBUF_SCOPE_THREAD || !s->times || !s->stores ||
	    s->seconds)
		return (tbuf_plan_step);
	if (p->kind == TBUF_PLAN_TEST)
		return (!s->loads && s->stored.cut.at == TBUF_CUT_TIME ?
		    tbuf_plan_stamp : tbuf_plan_step);
	return (s->loads && s->guards && s->stored.cut.at == TBUF_CUT_NONE ?
	    tbuf_plan_since : tbuf_plan_step);
}

/*
 * Returns the function that runs a plan after its tests: that of its form, of
 * any form, or the machine, if only the tests are known.
 */
static tbuf_plan_function *
function_of(const struct tbuf_plan *p)
{
	if (p->self.used)
		return (function_of_self(p));
	return (p->kind == TBUF_PLAN_TEST ? tbuf_plan_machine :
	    function_of_update(p));
}

/* Returns true for quantize(ELAPSED) without a key, by a constant weight. */
static bool
is_quantized_time(const struct tbuf_plan *p)
{
	const struct tbuf_plan_update *u = &p->update;

	return (p->kind == TBUF_PLAN_UPDATE && p->nnumbers == 0 &&
	    u->function == TBUF_AGG_QUANTIZE &&
	    u->value.cut.at == TBUF_CUT_ELAPSED &&
	    u->weight.cut.at == TBUF_CUT_NONE);
}

/* Returns true if the plan's session has not ended. */
static bool
is_live(const struct tbuf_plan *p, uint64_t base)
{
	unsigned number = tbuf_plan_session(tbuf_load(&p->version));

	return (p->generation != 0 && p->generation ==
	    tbuf_load(&tbuf_plan_slot(base, number)->generation));
}

/*
 * Takes a place for writing, unless another thread is at it.  If the place is
 * another program's (`others`) that may still fire, it is taken now and then
 * only: two programs with one place would else be decoded at each fire.
 */
static bool
place_take(struct tbuf_plan *p, uint64_t base, bool others)
{
	uint64_t version = tbuf_load(&p->version);

	if ((others && is_live(p, base) &&
	    tbuf_thread.deadline_ticks % TAKE_EVERY != 0) ||
	    (version & 1) != 0 || !tbuf_cas(&p->version, version, version | 1))
		return (false);
	tbuf_fence_stores();
	return (true);
}

static void
place_give(struct tbuf_plan *p, const struct tbuf_fire *f)
{
	tbuf_store_release(&p->version,
	    tbuf_plan_version(tbuf_load(&p->version), f->number));
}

/* Returns true if the plan is of the fire's session. */
static bool
is_of_session(const struct tbuf_plan *p, const struct tbuf_fire *f)
{
	return (p->generation == f->generation &&
	    tbuf_plan_session(tbuf_load(&p->version)) == f->number);
}

/* Sets the probe, the session and the step that a plan is for. */
static void
place_begin(struct tbuf_plan *p, const struct tbuf_fire *f, unsigned step)
{
	p->generation = f->generation;
	p->index = f->index;
	p->only = f->epid;
	p->step = (uint8_t)step;
	p->link = (struct tbuf_plan_link){
		.place = (uint8_t)(p - tbuf_plans)
	};
}

static void
place_end(struct tbuf_plan *p)
{
	p->run = function_of(p);
	p->self.quantizes = is_quantized_time(p);
	/* A fire reads `run` before it knows that the plan is unchanged. */
	tbuf_store_release(&p->useful, p->program.length != 0 &&
	    (p->program.code != NULL || p->ntests != 0 ||
	    p->kind != TBUF_PLAN_TEST));
}

/* Returns true if all that comes after the tests is known. */
static bool
is_simple(const struct tbuf_plan *p)
{
	return (p->kind != TBUF_PLAN_TEST || p->self.used);
}

static bool
is_step(const struct tbuf_plan *p, const struct tbuf_fire *f, unsigned step)
{
	return (is_of_session(p, f) && p->only == f->epid &&
	    (p->step & ~TBUF_STEP_ALONE) == step);
}

/* Returns true for the first step of a program that may come after others. */
static bool
is_chained(const struct tbuf_plan *p, const struct tbuf_fire *f)
{
	return (is_step(p, f, 0) && p->step == 0);
}

/* Decodes all steps of a program; the place of the first is taken already. */
static bool
steps_make(struct tbuf_decoder *g, const struct tbuf_fire *f,
    struct tbuf_plan *first)
{
	struct tbuf_plan *p = first;
	uint32_t from = 0, step;
	bool made;

	for (step = 0; step < STEPS_MAX; step++) {
		if (step != 0) {
			p = tbuf_plan_step_place(f->epid, step);
			if (!place_take(p, f->base, !is_step(p, f, step)))
				return (false);
			place_begin(p, f, step);
		}
		made = tbuf_decode_step(g, f, from, p);
		from = p->link.next;
		place_end(p);
		if (step != 0)
			place_give(p, f);
		if (!made || from == 0)
			return (made);
	}
	return (false);
}

/*
 * Caches a program of a chain.  Returns false if neither it nor each of its
 * steps is simple: then the machine does all that comes after the tests.
 */
static bool
program_cache(struct tbuf_decoder *g, const struct tbuf_fire *f)
{
	struct tbuf_plan *p = tbuf_plan_step_place(f->epid, 0);
	bool simple;

	if (!place_take(p, f->base, !is_step(p, f, 0)))
		return (false);
	place_begin(p, f, 0);
	g->knows = false;
	tbuf_decode_program(g, f, p);
	p->link.apart = tbuf_decode_apart(g);
	simple = is_simple(p) || steps_make(g, f, p);
	if (!simple) {
		p->link.next = 0;
		tbuf_decode_program(g, f, p);
	}
	p->step = simple && g->knows ? TBUF_STEP_ALONE : 0;
	place_end(p);
	place_give(p, f);
	return (simple);
}

/* Makes a plan that is the start of a chain of steps. */
static void
chain_cache(struct tbuf_plan *p, const struct tbuf_fire *f, bool packed,
    bool alone)
{
	p->link.ecbs = tbuf_fire_ecbs(f->base, f->slot, &p->link.ecb_max);
	p->link.packed = packed;
	p->link.alone = alone ? TBUF_STEP_ALONE : 0;
	p->ntests = 0;
	p->kind = TBUF_PLAN_TEST;
	p->self.used = false;
	p->program.code = NULL;
	p->program.epid = f->epid;
	p->run = tbuf_plan_chain;
	p->useful = p->link.ecb_max != 0;
}

/*
 * Caches the plan that fires of the probe find first: of its only program, or
 * the start of its chain.
 */
static void
first_cache(struct tbuf_decoder *g, const struct tbuf_fire *f,
    const uint32_t *at, uint32_t head)
{
	struct tbuf_plan *p = tbuf_plan_place(f->index);
	bool only = g->alone, chain;

	if (!place_take(p, f->base, p->index != f->index ||
	    tbuf_plan_session(tbuf_load(&p->version)) != f->number))
		return;
	place_begin(p, f, 0);
	p->head = at;
	p->only = head;
	tbuf_decode_program(g, f, p);
	place_end(p);
	/* -x cpu: a fire has to check its CPU, and `code` is NULL. */
	chain = p->program.code != NULL && (!only || !is_simple(p)) &&
	    (program_cache(g, f) || !only);
	if (chain)
		chain_cache(p, f, g->packed, g->alone);
	else if (!only)
		p->useful = false;
	place_give(p, f);
	tbuf_store(&tbuf_plans_any, true);
}

static void
plan_cache(const struct tbuf_run *run, uint32_t flags, bool packed)
{
	const struct tbuf_fire *f = run->fire;
	const struct tbuf_plan *p = tbuf_plan_place(f->index);
	const uint32_t *heads = tbuf_fire_heads(f->base, f->slot);
	struct tbuf_decoder g;
	uint32_t head;

	if (heads == NULL)
		return;
	head = tbuf_load(heads + f->index);
	g.run = run;
	g.site = run->site;
	g.machine = &run->machine;
	g.flags = flags;
	g.packed = packed;
	g.alone = head == (f->epid | TBUF_HEAD_PROGRAM);
	if ((head & TBUF_HEAD_EPID) != f->epid) {
		if (tbuf_load(&f->slot->terms.only_cpu) < 0 &&
		    !is_chained(tbuf_plan_step_place(f->epid, 0), f))
			(void)program_cache(&g, f);
	} else if (!is_of_session(p, f) || p->index != f->index ||
	    p->only != head)
		first_cache(&g, f, heads + f->index, head);
	else if (p->run == tbuf_plan_chain &&
	    !is_step(tbuf_plan_step_place(f->epid, 0), f, 0))
		/* Another program has had the place meanwhile. */
		(void)program_cache(&g, f);
}

void (*const tbuf_plan_cache)(const struct tbuf_run *, uint32_t, bool) =
    plan_cache;
