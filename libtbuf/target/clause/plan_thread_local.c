/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Plans with a self-> number (plan.h):
 *
 *	self->ts = timestamp;
 *	/self->ts/ { @ = quantize(timestamp - self->ts); self->ts = 0; }
 *
 * or with that of an element, as start[arg0]; a second self-> number may be
 * loaded.
 *
 * Load, effect and store are a section each, as in the machine, and a handler
 * that comes between them finds the state that it would find there.  Up to the
 * effect all can be left to the machine; after it only the store can.
 */
#include "arch/counter.h"
#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "machine/aggregate.h"
#include "shared/array_element.h"
#include "shared/atomic_step.h"
#include "target/clause/clause.h"
#include "target/clause/plan.h"
#include "target/lane/inflight.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Returns the distance in bytes from the self-> number to the second one. */
static inline int64_t
second_distance(const struct tbuf_plan *p)
{
	const struct tbuf_places *places = &p->program.places;

	return ((int64_t)places->at[p->self.second % TBUF_PLACES] -
	    (int64_t)places->at[p->self.id % TBUF_PLACES]);
}

static bool
self_do(const struct tbuf_site *site, const struct tbuf_plan *p,
    struct tbuf_plan_fire *fire)
{
	const bool loads = p->self.loads, guards = p->self.guards;
	const bool stores = p->self.stores, times = p->self.times;
	const bool seconds = p->self.seconds;
	const int64_t distance = second_distance(p);
	const struct tbuf_number stored = p->self.stored;
	const struct tbuf_tempo tempo = p->self.tempo;
	const uint32_t id = p->self.id;
	const unsigned number = tbuf_plan_session(fire->version);
	const uint8_t kind = p->kind;
	struct tbuf_memo here;
	uint64_t *cell, value = 0;

	if (!tbuf_places_find(&p->program.places, number, p->generation,
	    (struct tbuf_slot *)(uintptr_t)tbuf_plan_slot(fire->base, number),
	    id, &here, &cell) ||
	    !tbuf_plan_unchanged(p, fire->version))
		return (false);
	if (loads) {
		fire->self = 0;
		if (cell != NULL && tbuf_step_load(&here, &fire->self, cell,
		    1) != TBUF_COMMITTED)
			return (false);
	}
	if (guards && fire->self == 0)
		return (true);
	if (seconds) {
		fire->second = 0;
		if (cell != NULL && tbuf_step_load(&here, &fire->second,
		    cell + distance / 8, 1) != TBUF_COMMITTED)
			return (false);
	}
	if (times) {
		if (fire->ticks == 0)
			fire->ticks = tbuf_counter_glance();
		fire->time = tbuf_tempo_scale(&tempo, fire->ticks);
	}
	/* The machine claims a block for a thread that has none. */
	if (stores && (cell == NULL ||
	    !tbuf_number_value(&stored, fire, &value)))
		return (false);
	if (kind != TBUF_PLAN_TEST && !tbuf_plan_effect(p, fire))
		return (false);
	if (!stores || tbuf_step_store(&here, cell, value) == TBUF_COMMITTED)
		return (true);
	if (kind == TBUF_PLAN_TEST)
		return (false);
	tbuf_clause_store(site, fire, number, here.generation, id, value);
	return (true);
}

/* Makes the access to an element: its key, and the session of the fire. */
static bool
element_make(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire,
    uint64_t body[TBUF_ELEMENT_HEAD + TBUF_PLAN_KEY], struct tbuf_access *a,
    struct tbuf_memo *here)
{
	const struct tbuf_plan_self *s = &p->self;
	uint32_t n = s->nkey, i;

	if (n > TBUF_PLAN_KEY)
		return (false);
	for (i = 0; i < n; i++)
		if (!tbuf_number_value(&s->key[i], fire,
		    &body[TBUF_ELEMENT_HEAD + i]))
			return (false);
	a->last = NULL;
	a->part = NULL;
	a->sets = s->sets;
	a->size = 0;
	a->published = 0;
	a->held.pair = NULL;
	a->stores = a->known = a->nowhere = a->updates = false;
	here->generation = p->generation;
	here->slot = (struct tbuf_slot *)(uintptr_t)tbuf_plan_slot(fire->base,
	    tbuf_plan_session(fire->version));
	here->lane = NULL;
	here->cpu = tbuf_rseq_cpu();
	return (tbuf_array_make(a, body, n, (enum tbuf_scope)s->scope, s->id));
}

/*
 * Runs a plan with an element's number.  The pair that the load has found is
 * valid while the session is: the store tries it first.  Out of line, and the
 * access is not zeroed as a whole, which would cost a self-> number more than
 * all else.
 */
static __attribute__((noinline)) bool
element_do(const struct tbuf_site *site, const struct tbuf_plan *p,
    struct tbuf_plan_fire *fire)
{
	uint64_t body[TBUF_ELEMENT_HEAD + TBUF_PLAN_KEY], value = 0;
	const bool loads = p->self.loads, guards = p->self.guards;
	const bool stores = p->self.stores, times = p->self.times;
	const struct tbuf_number stored = p->self.stored;
	const struct tbuf_tempo tempo = p->self.tempo;
	const unsigned number = tbuf_plan_session(fire->version);
	const uint8_t kind = p->kind;
	struct tbuf_memo here;
	struct tbuf_access a;

	if (!tbuf_self.rseq || !element_make(p, fire, body, &a, &here) ||
	    !tbuf_plan_unchanged(p, fire->version))
		return (false);
	a.loaded = &fire->self;
	if (loads) {
		fire->self = 0;
		if (!tbuf_array_cached(&a, &here))
			return (false);
	}
	if (guards && fire->self == 0)
		return (true);
	/* A time that another thread has stored is no later than this. */
	if (times) {
		if (fire->ticks == 0)
			fire->ticks = loads ? tbuf_counter_read() :
			    tbuf_counter_glance();
		fire->time = tbuf_tempo_scale(&tempo, fire->ticks);
	}
	if (stores && !tbuf_number_value(&stored, fire, &value))
		return (false);
	if (kind != TBUF_PLAN_TEST && !tbuf_plan_effect(p, fire))
		return (false);
	if (!stores)
		return (true);
	a.known = loads && a.present;
	a.stores = true;
	a.keeps = value != 0;
	a.value = value;
	if (!tbuf_array_cached(&a, &here))
		tbuf_clause_finish(site, fire, number, here.generation, &a);
	return (true);
}

/* ------------------------------------------------------------ as a whole */

/* Finds the self-> number's word.  Returns false if that is not remembered. */
static inline __attribute__((always_inline)) bool
cell_find(const struct tbuf_plan *p, uint64_t version, uint32_t id,
    struct tbuf_memo *here, uint64_t **cell)
{
	const uint64_t base = tbuf_load(&tbuf_local->base);
	const unsigned number = tbuf_plan_session(version);

	return (base != 0 && tbuf_places_find(&p->program.places, number,
	    p->generation, (struct tbuf_slot *)(uintptr_t)
	    tbuf_plan_slot(base, number), id, here, cell) &&
	    tbuf_plan_unchanged(p, version));
}

/* Stores the time.  No field is copied: the plan's version is checked last. */
static inline __attribute__((always_inline)) bool
stamp_do(const struct tbuf_plan *p, uint64_t version)
{
	struct tbuf_memo here;
	uint64_t *cell, time;

	if (!cell_find(p, version, p->self.id, &here, &cell) || cell == NULL)
		return (false);
	time = tbuf_tempo_scale(&p->self.tempo, tbuf_counter_glance());
	return (tbuf_plan_unchanged(p, version) &&
	    tbuf_rseq_store(&here, cell, time) == TBUF_COMMITTED);
}

/* Adds to a quantize() of the time since, if the memo has its values. */
static inline __attribute__((always_inline)) bool
since_quantize(const struct tbuf_plan *p, uint64_t version, uint64_t elapsed)
{
	uint64_t weight = p->update.weight.constant;

	return (p->self.quantizes && tbuf_plan_unchanged(p, version) &&
	    tbuf_plan_add(p, tbuf_plan_bits(version),
	    tbuf_quantize_bucket((int64_t)elapsed), weight));
}

/* Applies any other effect. */
static __attribute__((noinline)) bool
since_effect(const struct tbuf_plan *p, const uint64_t *words, uint64_t size,
    uint64_t version, uint64_t time, uint64_t self)
{
	const struct tbuf_plan_fire fire = {
		.words = words, .size = size, .version = version,
		.base = tbuf_load(&tbuf_local->base), .time = time,
		.self = self
	};

	return (fire.base != 0 && tbuf_plan_effect(p, &fire));
}

/* Stores by the slow path, unless the process is no target any more. */
static __attribute__((noinline, cold)) void
since_store(const struct tbuf_site *site, unsigned number,
    uint64_t generation, uint32_t id, uint64_t value)
{
	const struct tbuf_plan_fire fire = {
		.base = tbuf_load(&tbuf_local->base)
	};

	if (fire.base != 0)
		tbuf_clause_store(site, &fire, number, generation, id, value);
}

static inline __attribute__((always_inline)) bool
since_do(const struct tbuf_site *site, const uint64_t *words, uint64_t size,
    uint64_t version, const struct tbuf_plan *p)
{
	const uint32_t id = p->self.id;
	uint64_t *cell, self = 0, time, value;
	struct tbuf_memo here;

	if (!cell_find(p, version, id, &here, &cell) ||
	    (cell != NULL && tbuf_rseq_load(&here, &self, cell,
	    sizeof(*cell)) != TBUF_COMMITTED))
		return (false);
	if (self == 0)
		return (true);
	time = tbuf_tempo_scale(&p->self.tempo, tbuf_counter_glance());
	value = p->self.stored.constant;
	if (!since_quantize(p, version, time - self) &&
	    !since_effect(p, words, size, version, time, self))
		return (false);
	if (tbuf_rseq_store(&here, cell, value) != TBUF_COMMITTED)
		since_store(site, tbuf_plan_session(version), here.generation,
		    id, value);
	return (true);
}

/*
 * The fire is held (inflight.h): a child that a handler forks between the steps
 * must not become a target.
 */
void
tbuf_plan_stamp(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_plan *p)
{
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
	bool done = false;
	uint32_t held;

	/* Each 256th fire takes the slow path, which checks the deadline. */
	if (++tbuf_thread.deadline_ticks != 0) {
		held = tbuf_hold_begin(mark);
		done = stamp_do(p, version);
		tbuf_hold_end(mark, held);
	}
	if (!done)
		tbuf_plan_machine(site, words, size, version, p);
}

void
tbuf_plan_since(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_plan *p)
{
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
	bool done = false;
	uint32_t held;

	if (++tbuf_thread.deadline_ticks != 0) {
		held = tbuf_hold_begin(mark);
		done = since_do(site, words, size, version, p);
		tbuf_hold_end(mark, held);
	}
	if (!done)
		tbuf_plan_machine(site, words, size, version, p);
}

/* ------------------------------------------------------------ step by step */

bool
tbuf_clause_self_held(const struct tbuf_site *site, const struct tbuf_plan *p,
    struct tbuf_plan_fire *fire)
{
	return (++tbuf_thread.deadline_ticks != 0 &&
	    tbuf_load(&tbuf_local->base) == fire->base &&
	    (p->self.scope == TBUF_SCOPE_THREAD ? self_do(site, p, fire) :
	    element_do(site, p, fire)));
}

bool
tbuf_clause_self(const struct tbuf_site *site, const struct tbuf_plan *p,
    struct tbuf_plan_fire *fire)
{
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
	uint32_t held;
	bool done;

	held = tbuf_hold_begin(mark);
	done = tbuf_clause_self_held(site, p, fire);
	tbuf_hold_end(mark, held);
	return (done);
}
