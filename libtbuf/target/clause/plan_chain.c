/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A probe's chain by steps that are kept (plan.h): of each clause the
 * tests, then one value or one number after the other.  A step that cannot be
 * done so has done nothing, and from there on the machine does that clause
 * (tbuf_clause_some()), and all behind it if it shares with them what lasts for
 * a fire, as this-> variables do; else the next one's turn comes.
 *
 * Where the chain goes on is read as the machine reads it, behind each clause:
 * an ECB that has come since is found.
 */
#include "target/clause/clause.h"
#include "target/clause/plan.h"
#include "target/lane/inflight.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Is it this step of this session's? */
static inline bool
step_is(const struct tbuf_steps *s, const struct tbuf_kept *k, uint32_t epid,
    unsigned step, uint64_t *version)
{
	*version = tbuf_load_acquire(&k->version);
	return ((*version & 1) == 0 && k->useful && k->only == epid &&
	    (k->step & ~s->alone) == step && k->generation == s->generation &&
	    k->number == s->number);
}

/* How a clause goes on behind its tests. */
static inline enum tbuf_kept_way
tests_do(const struct tbuf_steps *s, const struct tbuf_kept *k,
    uint64_t version)
{
	unsigned at = TBUF_TEST_END;

	if (k->ntests == 0 && k->kind != TBUF_KEPT_NOTHING)
		return (TBUF_WAY_BEHIND);
	if (k->ntests != 0)
		at = tbuf_kept_test(k, s->words, s->size);
	if (at != TBUF_TEST_END)
		return (at == k->ntests ? TBUF_WAY_BEHIND : TBUF_WAY_RUN);
	return (tbuf_kept_unchanged(k, version) ? TBUF_WAY_DONE :
	    TBUF_WAY_NONE);
}

/* ... one that need not be kept. */
static inline enum tbuf_kept_way
clause_look(const struct tbuf_steps *s, const struct tbuf_kept *k,
    uint32_t epid, uint64_t *version)
{
	return (step_is(s, k, epid, 0, version) ? tests_do(s, k, *version) :
	    TBUF_WAY_NONE);
}

/*
 * What has come behind a program that was alone could not see its this->
 * variables: it is for the next fire.
 */
static inline uint32_t
chain_next(const struct tbuf_steps *s, uint32_t epid)
{
	uint32_t next = tbuf_load(&s->ecbs[epid].next);

	return (s->alone == 0 && next < s->ecb_max ? next : 0);
}

/*
 * May the machine run the clause by itself?  Not if nothing is known of it.
 * Where steps are not sections it runs all at once.
 */
static inline bool
is_apart(const struct tbuf_steps *s, const struct tbuf_kept *k, uint32_t epid)
{
	uint64_t version;

	return (tbuf_self.rseq && step_is(s, k, epid, 0, &version) &&
	    k->link.apart && tbuf_kept_unchanged(k, version));
}

/* What there is behind a step, before that is done. */
static inline void
done_read(const struct tbuf_kept *k, uint32_t from,
    struct tbuf_steps_done *done)
{
	uint32_t n = k->link.nlocals, i;

	done->from = from;
	done->nlocals = n;
	for (i = 0; i < n && i < TBUF_KEPT_LOCALS; i++)
		done->locals[i] = k->link.locals[i];
}

/*
 * The steps of a clause whose tests hold, as far as these go: what has been
 * done then, which is one of two places, of which the first one says nothing.
 * NULL: the clause has come to its end.
 */
static inline __attribute__((always_inline)) const struct tbuf_steps_done *
steps_do(const struct tbuf_steps *s, const struct tbuf_kept *k,
    struct tbuf_kept_fire *fire, struct tbuf_steps_done places[2])
{
	uint32_t epid = k->only;
	unsigned step = 0;
	uint32_t next;
	bool guards;

	do {
		/* What is read here holds if the step is done: it looks. */
		next = k->link.next;
		guards = k->self.used && k->self.guards;
		if (next != 0)
			done_read(k, next, &places[(step + 1) % 2]);
		if (!(k->self.used ? tbuf_clause_self_held(s->site, k, fire) :
		    tbuf_kept_effect(k, fire)))
			break;
		if (next == 0 || (guards && fire->self == 0))
			return (NULL);
		k = tbuf_kept_step_place(epid, ++step);
	} while (step_is(s, k, epid, step, &fire->version));
	return (&places[step % 2]);
}

/* One clause; false: nothing more is to be done. */
static bool
clause_do(struct tbuf_steps *s, uint32_t epid)
{
	const struct tbuf_kept *k = tbuf_kept_step_place(epid, 0);
	struct tbuf_kept_fire fire;
	enum tbuf_kept_way way = clause_look(s, k, epid, &fire.version);
	struct tbuf_steps_done places[2];
	const struct tbuf_steps_done *done = &places[0];

	if (way == TBUF_WAY_DONE)
		return (true);
	/* One by one: to zero it all first costs more. */
	fire.words = s->words;
	fire.size = s->size;
	fire.base = s->base;
	fire.ticks = fire.time = fire.self = fire.second = 0;
	places[0].from = places[0].nlocals = 0;
	if (way == TBUF_WAY_BEHIND && tbuf_self.rseq)
		done = steps_do(s, k, &fire, places);
	return (done == NULL || tbuf_clause_some(s, epid, done, &fire,
	    is_apart(s, k, epid)));
}

/* From one on that is not only tests; n clauses have been met before. */
static __attribute__((noinline)) bool
chain_do(struct tbuf_steps *s, uint32_t epid, unsigned n)
{
	const struct tbuf_slot *slot = tbuf_kept_slot(s->base, s->number);

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
 * A child that a handler forks meanwhile must not become a target: what is done
 * here would be its parent's.
 */
static __attribute__((noinline)) bool
chain_hold(struct tbuf_steps *s, uint32_t epid, unsigned n)
{
	volatile uint64_t mark[TBUF_MARK_WORDS];
	uint32_t held;
	bool done;

	held = tbuf_hold_begin(mark);
	done = chain_do(s, epid, n);
	tbuf_hold_end(mark, held);
	if (s->signals != 0)
		tbuf_signals_raise(s->signals);
	return (done);
}

/* Most often no predicate holds: then there is no more than these. */
bool
tbuf_kept_steps(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_kept *k)
{
	uint32_t epid = k->program.epid;
	struct tbuf_steps s;
	unsigned n;

	s.site = site;
	s.words = words;
	s.size = size;
	s.base = tbuf_load(&tbuf_local->base);
	s.generation = k->generation;
	s.ecbs = k->link.ecbs;
	s.ecb_max = k->link.ecb_max;
	s.signals = 0;
	s.number = k->number % TBUF_NSESSIONS;
	s.packed = k->link.packed;
	s.alone = k->link.alone;
	/* The deadline is looked at now and then. */
	if (s.base == 0 || !tbuf_kept_unchanged(k, version) ||
	    epid >= s.ecb_max || ++tbuf_thread.looks == 0)
		return (false);
	for (n = 0; epid != 0 && n < TBUF_CHAIN_MAX; n++) {
		k = tbuf_kept_step_place(epid, 0);
		if (clause_look(&s, k, epid, &version) != TBUF_WAY_DONE)
			return (chain_hold(&s, epid, n));
		epid = chain_next(&s, epid);
	}
	return (true);
}

void
tbuf_kept_chain(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_kept *k)
{
	if (!tbuf_kept_steps(site, words, size, version, k))
		tbuf_plan_unable(site, words, size, version);
}
