/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cache of plans (plan.h).  A probe's slot has its only program, if that is
 * simple, else the start of its chain; each step of each program has a slot of
 * its own.
 */
#include "base/optimize_size.h"

#include "target/clause/clause.h"
#include "target/clause/plan_decode.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"

#define STEPS_MAX	8	/* of a program; no two share a slot */
#define TAKE_EVERY	16	/* fires: place_take() */

struct tbuf_kept tbuf_kept_all[TBUF_KEPT_ALL];
bool tbuf_clause_kept;

/* Returns the form of a plan with an aggregation in one step. */
static enum tbuf_kept_whole
whole_update(const struct tbuf_kept *k)
{
	if (k->nnumbers != 0)
		return (k->update.strsize != 0 ? TBUF_WHOLE_STRING :
		    TBUF_WHOLE_KEY);
	return (k->update.function == TBUF_AGG_COUNT ? TBUF_WHOLE_COUNT :
	    TBUF_WHOLE_NONE);
}

/* Returns the form of a plan with a self-> number. */
static enum tbuf_kept_whole
whole_self(const struct tbuf_kept *k)
{
	const struct tbuf_kept_self *s = &k->self;

	if (s->scope != TBUF_SCOPE_THREAD || !s->times || !s->stores ||
	    s->seconds)
		return (TBUF_WHOLE_NONE);
	if (k->kind == TBUF_KEPT_TEST)
		return (!s->loads && s->stored.cut.at == TBUF_CUT_TIME ?
		    TBUF_WHOLE_STAMP : TBUF_WHOLE_NONE);
	return (s->loads && s->guards && s->stored.cut.at == TBUF_CUT_NONE ?
	    TBUF_WHOLE_SINCE : TBUF_WHOLE_NONE);
}

static enum tbuf_kept_whole
whole_make(const struct tbuf_kept *k)
{
	if (k->self.used)
		return (whole_self(k));
	return (k->kind == TBUF_KEPT_UPDATE ? whole_update(k) :
	    TBUF_WHOLE_NONE);
}

/* Returns true for quantize(ELAPSED) without a key, by a constant weight. */
static bool
whole_quantizes(const struct tbuf_kept *k)
{
	const struct tbuf_kept_update *u = &k->update;

	return (k->kind == TBUF_KEPT_UPDATE && k->nnumbers == 0 &&
	    u->function == TBUF_AGG_QUANTIZE &&
	    u->value.cut.at == TBUF_CUT_ELAPSED &&
	    u->weight.cut.at == TBUF_CUT_NONE);
}

/* Returns true if the plan's session has not ended. */
static bool
is_live(const struct tbuf_kept *k, uint64_t base)
{
	return (k->generation != 0 && k->generation == tbuf_load(
	    &tbuf_kept_slot(base, k->number % TBUF_NSESSIONS)->generation));
}

/*
 * Takes a slot for writing, unless another thread is at it.  If the slot is
 * another program's (`others`) that may still fire, it is taken now and then
 * only: two programs with one slot would else be decoded at each fire.
 */
static bool
place_take(struct tbuf_kept *k, uint64_t base, bool others)
{
	uint64_t version = tbuf_load(&k->version);

	if ((others && is_live(k, base) &&
	    tbuf_thread.looks % TAKE_EVERY != 0) || (version & 1) != 0 ||
	    !tbuf_cas(&k->version, version, version | 1))
		return (false);
	tbuf_fence_stores();
	return (true);
}

static void
place_give(struct tbuf_kept *k)
{
	tbuf_store_release(&k->version, tbuf_load(&k->version) + 1);
}

/* Sets the probe, the session and the step that a plan is for. */
static void
place_begin(struct tbuf_kept *k, const struct tbuf_fire *f, unsigned step)
{
	k->generation = f->generation;
	k->index = f->index;
	k->number = (uint8_t)f->number;
	k->only = f->epid;
	k->step = (uint8_t)step;
	k->link = (struct tbuf_kept_link){
		.place = (uint8_t)(k - tbuf_kept_all)
	};
}

static void
place_end(struct tbuf_kept *k)
{
	k->whole = whole_make(k);
	k->self.quantizes = whole_quantizes(k);
	k->useful = k->program.length != 0 && (k->program.code != NULL ||
	    k->ntests != 0 || k->kind != TBUF_KEPT_TEST);
}

/* Returns true if all that comes after the tests is known. */
static bool
is_simple(const struct tbuf_kept *k)
{
	return (k->kind != TBUF_KEPT_TEST || k->self.used);
}

static bool
is_step(const struct tbuf_kept *k, const struct tbuf_fire *f, unsigned step)
{
	return (k->generation == f->generation && k->number == f->number &&
	    k->only == f->epid && (k->step & ~TBUF_STEP_ALONE) == step);
}

/* Returns true for the first step of a program that may come after others. */
static bool
is_chained(const struct tbuf_kept *k, const struct tbuf_fire *f)
{
	return (is_step(k, f, 0) && k->step == 0);
}

/* Decodes all steps of a program; the slot of the first is taken already. */
static bool
steps_make(struct tbuf_keeping *g, const struct tbuf_fire *f,
    struct tbuf_kept *first)
{
	struct tbuf_kept *k = first;
	uint32_t from = 0, step;
	bool made;

	for (step = 0; step < STEPS_MAX; step++) {
		if (step != 0) {
			k = tbuf_kept_step_place(f->epid, step);
			if (!place_take(k, f->base, !is_step(k, f, step)))
				return (false);
			place_begin(k, f, step);
		}
		made = tbuf_decode_step(g, f, from, k);
		from = k->link.next;
		place_end(k);
		if (step != 0)
			place_give(k);
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
program_keep(struct tbuf_keeping *g, const struct tbuf_fire *f)
{
	struct tbuf_kept *k = tbuf_kept_step_place(f->epid, 0);
	bool simple;

	if (!place_take(k, f->base, !is_step(k, f, 0)))
		return (false);
	place_begin(k, f, 0);
	g->knows = false;
	tbuf_decode_program(g, f, k);
	k->link.apart = tbuf_decode_apart(g);
	simple = is_simple(k) || steps_make(g, f, k);
	if (!simple) {
		k->link.next = 0;
		tbuf_decode_program(g, f, k);
	}
	k->step = simple && g->knows ? TBUF_STEP_ALONE : 0;
	place_end(k);
	place_give(k);
	return (simple);
}

/* Makes a plan that is the start of a chain of steps. */
static void
chain_keep(struct tbuf_kept *k, const struct tbuf_fire *f, bool packed,
    bool alone)
{
	k->link.ecbs = tbuf_fire_ecbs(f->base, f->slot, &k->link.ecb_max);
	k->link.packed = packed;
	k->link.alone = alone ? TBUF_STEP_ALONE : 0;
	k->ntests = 0;
	k->kind = TBUF_KEPT_TEST;
	k->self.used = false;
	k->program.code = NULL;
	k->program.epid = f->epid;
	k->whole = TBUF_WHOLE_CHAIN;
	k->useful = k->link.ecb_max != 0;
}

/*
 * Caches the plan that fires of the probe find first: of its only program, or
 * the start of its chain.
 */
static void
first_keep(struct tbuf_keeping *g, const struct tbuf_fire *f,
    const uint32_t *at, uint32_t head)
{
	struct tbuf_kept *k = tbuf_kept_place(f->index);
	bool only = g->alone, chain;

	if (!place_take(k, f->base, k->index != f->index ||
	    k->number != f->number))
		return;
	place_begin(k, f, 0);
	k->head = at;
	k->only = head;
	tbuf_decode_program(g, f, k);
	place_end(k);
	/* -x cpu: a fire has to check its CPU, and `code` is NULL. */
	chain = k->program.code != NULL && (!only || !is_simple(k)) &&
	    (program_keep(g, f) || !only);
	if (chain)
		chain_keep(k, f, g->packed, g->alone);
	else if (!only)
		k->useful = false;
	place_give(k);
	tbuf_store(&tbuf_clause_kept, true);
}

void
tbuf_clause_keep(const struct tbuf_run *run, uint32_t flags, bool packed)
{
	const struct tbuf_fire *f = run->fire;
	const struct tbuf_kept *k = tbuf_kept_place(f->index);
	const uint32_t *heads = tbuf_fire_heads(f->base, f->slot);
	struct tbuf_keeping g;
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
		    !is_chained(tbuf_kept_step_place(f->epid, 0), f))
			(void)program_keep(&g, f);
	} else if (k->generation != f->generation || k->index != f->index ||
	    k->number != f->number || k->only != head)
		first_keep(&g, f, heads + f->index, head);
	else if (k->whole == TBUF_WHOLE_CHAIN &&
	    !is_step(tbuf_kept_step_place(f->epid, 0), f, 0))
		/* Another program has had the slot meanwhile. */
		(void)program_keep(&g, f);
}
