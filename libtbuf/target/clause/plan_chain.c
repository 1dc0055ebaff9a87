/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the chain of a probe by cached steps (plan.h): of each clause the tests,
 * then one aggregation or stored number after the other.  A step that cannot be
 * done has changed nothing: the machine does the clause from there on
 * (tbuf_clause_some()).  If the clause shares state that lasts for a fire, such
 * as this-> variables, with later ones, the machine does these, too; else the
 * chain goes on with the next one.
 *
 * The next EPID is read after each clause, as the machine reads it: an ECB that
 * has been added since is found.
 */
#include "target/clause/clause.h"
#include "target/clause/plan.h"
#include "target/lane/inflight.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Returns true if the place has this step of the session's program. */
static inline bool
step_is(const struct tbuf_steps *s, const struct tbuf_plan *p, uint32_t epid,
    unsigned step, uint64_t *version)
{
	*version = tbuf_load_acquire(&p->version);
	return (tbuf_plan_is_of(*version, s->number) && p->useful &&
	    p->only == epid && (p->step & ~s->alone) == step &&
	    p->generation == s->generation);
}

static inline enum tbuf_plan_way
tests_do(const struct tbuf_steps *s, const struct tbuf_plan *p,
    uint64_t version)
{
	unsigned at = TBUF_TEST_END;

	if (p->ntests == 0 && p->kind != TBUF_PLAN_NOTHING)
		return (TBUF_WAY_EFFECT);
	if (p->ntests != 0)
		at = tbuf_plan_test(p, s->words, s->size);
	if (at != TBUF_TEST_END)
		return (at == p->ntests ? TBUF_WAY_EFFECT : TBUF_WAY_MACHINE);
	return (tbuf_plan_unchanged(p, version) ? TBUF_WAY_DONE :
	    TBUF_WAY_NONE);
}

/* Runs the tests of a clause, if they are cached. */
static inline enum tbuf_plan_way
clause_look(const struct tbuf_steps *s, const struct tbuf_plan *p,
    uint32_t epid, uint64_t *version)
{
	return (step_is(s, p, epid, 0, version) ? tests_do(s, p, *version) :
	    TBUF_WAY_NONE);
}

/*
 * Returns the next EPID.  An ECB that was added after a program that was alone
 * waits for the next fire: it could not see this-> variables of that program.
 */
static inline uint32_t
chain_next(const struct tbuf_steps *s, uint32_t epid)
{
	uint32_t next = tbuf_load(&s->ecbs[epid].next);

	return (s->alone == 0 && next < s->ecb_max ? next : 0);
}

/*
 * Returns true if the machine may run the clause by itself: it is cached, and
 * shares no state.  Without rseq steps are not sections: all runs at once.
 */
static inline bool
is_apart(const struct tbuf_steps *s, const struct tbuf_plan *p, uint32_t epid)
{
	uint64_t version;

	return (tbuf_self.rseq && step_is(s, p, epid, 0, &version) &&
	    p->link.apart && tbuf_plan_unchanged(p, version));
}

/* Reads the link after a step, before that is done. */
static inline void
done_read(const struct tbuf_plan *p, uint32_t from,
    struct tbuf_steps_done *done)
{
	uint32_t n = p->link.nlocals, i;

	done->from = from;
	done->nlocals = n;
	for (i = 0; i < n && i < TBUF_PLAN_LOCALS; i++)
		done->locals[i] = p->link.locals[i];
}

/*
 * Runs a clause's steps after its tests, as far as possible.  Returns its
 * progress, in one of two places; the caller has set the first one to no step.
 * Returns NULL if the clause is done.
 */
static inline __attribute__((always_inline)) const struct tbuf_steps_done *
steps_do(const struct tbuf_steps *s, const struct tbuf_plan *p,
    struct tbuf_plan_fire *fire, struct tbuf_steps_done places[2])
{
	uint32_t epid = p->only;
	unsigned step = 0;
	uint32_t next;
	bool guards;

	do {
		/* These are valid if the step is done: it checks that. */
		next = p->link.next;
		guards = p->self.used && p->self.guards;
		if (next != 0)
			done_read(p, next, &places[(step + 1) % 2]);
		if (!(p->self.used ? tbuf_clause_self_held(s->site, p, fire) :
		    tbuf_plan_effect(p, fire)))
			break;
		if (next == 0 || (guards && fire->self == 0))
			return (NULL);
		p = tbuf_plan_step_place(epid, ++step);
	} while (step_is(s, p, epid, step, &fire->version));
	return (&places[step % 2]);
}

/* Runs one clause.  Returns false if nothing more is to be done. */
static bool
clause_do(struct tbuf_steps *s, uint32_t epid)
{
	const struct tbuf_plan *p = tbuf_plan_step_place(epid, 0);
	struct tbuf_plan_fire fire;
	enum tbuf_plan_way way = clause_look(s, p, epid, &fire.version);
	struct tbuf_steps_done places[2];
	const struct tbuf_steps_done *done = &places[0];

	if (way == TBUF_WAY_DONE)
		return (true);
	/* Zeroing all of it first costs more. */
	fire.words = s->words;
	fire.size = s->size;
	fire.base = s->base;
	fire.ticks = fire.time = fire.self = fire.second = 0;
	places[0].from = places[0].nlocals = 0;
	if (way == TBUF_WAY_EFFECT && tbuf_self.rseq)
		done = steps_do(s, p, &fire, places);
	return (done == NULL || tbuf_clause_some(s, epid, done, &fire,
	    is_apart(s, p, epid)));
}

/*
 * Runs the chain from a clause on that has more than tests; n clauses have been
 * run before.
 */
static __attribute__((noinline)) bool
chain_do(struct tbuf_steps *s, uint32_t epid, unsigned n)
{
	const struct tbuf_slot *slot = tbuf_plan_slot(s->base, s->number);

	for (; epid != 0 && n < TBUF_CHAIN_MAX; n++) {
		if (tbuf_load(&tbuf_local->base) != s->base ||
		    tbuf_load_acquire(&slot->generation) != s->generation)
			return (n != 0);
		if (!clause_do(s, epid))
			break;
		epid = chain_next(s, epid);
	}
	return (true);
}

/*
 * Runs the rest of a chain while the fire is held (inflight.h): a child that a
 * handler forks meanwhile must not become a target.
 */
static __attribute__((noinline)) bool
chain_hold(struct tbuf_steps *s, uint32_t epid, unsigned n)
{
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
	uint32_t held;
	bool done;

	held = tbuf_hold_begin(mark);
	done = chain_do(s, epid, n);
	tbuf_hold_end(mark, held);
	if (s->signals != 0)
		tbuf_signals_raise(s->signals);
	return (done);
}

/* Begins a chain.  Returns false if the plan has changed meanwhile. */
static inline bool
steps_begin(struct tbuf_steps *s, const struct tbuf_site *site,
    const uint64_t *words, uint64_t size, uint64_t version,
    const struct tbuf_plan *p)
{
	s->site = site;
	s->words = words;
	s->size = size;
	s->base = tbuf_load(&tbuf_local->base);
	s->generation = p->generation;
	s->ecbs = p->link.ecbs;
	s->ecb_max = p->link.ecb_max;
	s->signals = 0;
	s->number = tbuf_plan_session(version);
	s->packed = p->link.packed;
	s->alone = p->link.alone;
	return (s->base != 0 && tbuf_plan_unchanged(p, version));
}

/* Most often no predicate holds: then only tests are run here. */
TBUF_CALLS_POINTER void
tbuf_plan_chain(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_plan *p)
{
	uint32_t epid = p->program.epid;
	struct tbuf_steps s;
	bool done;
	unsigned n;

	/* Each 256th fire takes the slow path, which checks the deadline. */
	done = steps_begin(&s, site, words, size, version, p) &&
	    epid < s.ecb_max && ++tbuf_thread.deadline_ticks != 0;
	for (n = 0; done && epid != 0 && n < TBUF_CHAIN_MAX; n++) {
		p = tbuf_plan_step_place(epid, 0);
		if (clause_look(&s, p, epid, &version) != TBUF_WAY_DONE) {
			done = chain_hold(&s, epid, n);
			break;
		}
		epid = chain_next(&s, epid);
	}
	if (!done)
		tbuf_plan_slow(site, words, size, s.number);
}
