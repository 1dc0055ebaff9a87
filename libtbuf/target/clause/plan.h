/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A plan is a program of a probe, decoded and cached in memory of this process
 * (plan_cache.c).  If a probe has one program, and that is short, a fire finds
 * its plan by the probe's index.  Else the plan found there is the start of a
 * chain, and each step of each program has a place of its own (plan_chain.c).
 * A step is
 *
 *	comparisons of arguments (plan_predicate.c), then
 *		a self-> number that has to be other than 0
 *		one record of numbers, or one aggregation
 *		a self-> number that is stored
 *
 * of which each may be missing (plan_thread_local.c runs steps with a self->
 * number).  A second self-> number may be loaded as well.  In place of the
 * self-> number there may be that of an array element, with one key of numbers.
 *
 * A clause is run in one of three ways: by its plan; by the machine from its
 * first instruction; or by the machine from the instruction after the steps
 * that the plan has done.  Decoding a program chooses the function that runs
 * its plan after the tests (tbuf_plan.run): of its form, if that is frequent
 * (tbuf_plan_count() and others), of any other form (tbuf_plan_step()), of a
 * chain (tbuf_plan_chain()), or the machine.
 */
#ifndef TBUF_TARGET_CLAUSE_PLAN_H
#define TBUF_TARGET_CLAUSE_PLAN_H

#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "target/clause/clause.h"
#include "target/self/thread.h"

#define TBUF_PLANS		128	/* of probes: tbuf_plan_place() */
#define TBUF_PLANS_ALL		256	/* with as many of steps */
#define TBUF_PLAN_TESTS		6
#define TBUF_PLAN_NUMBERS	8
#define TBUF_PLAN_KEY		4	/* numbers of an array's key */
#define TBUF_PLAN_LOCALS	4	/* this-> variables */

/* The place of an argument of fixed size in the words of a fire. */
struct tbuf_cut {
	uint8_t at;		/* index of the word; or TBUF_CUT_* */
	uint8_t up, down;	/* shifts that cut it out */
	bool is_signed;
};

/* Numbers that are not arguments; no fire has so many words. */
#define TBUF_CUT_COMPUTED 245		/* from another one: plan_value.c */
#define TBUF_CUT_LITERAL 246		/* the text at `constant` */
#define TBUF_CUT_UNSET	247		/* set by an earlier step: unknown */
#define TBUF_CUT_NAME	248		/* the text of built-in `constant` */
#define TBUF_CUT_TID	249		/* the thread's id */
#define TBUF_CUT_TEXT	250		/* the text of argument `constant` */
#define TBUF_CUT_SECOND	251		/* the second self-> number */
#define TBUF_CUT_ELAPSED 252		/* timestamp less TBUF_CUT_SELF */
#define TBUF_CUT_TIME	253		/* timestamp */
#define TBUF_CUT_SELF	254		/* a self-> number, or an element's */
#define TBUF_CUT_NONE	255		/* a constant */

struct tbuf_number {
	struct tbuf_cut cut;
	struct tbuf_cut of;	/* TBUF_CUT_COMPUTED: its operand */
	uint64_t constant;
};

/*
 * A comparison of an argument with an immediate, of any kind: it holds if the
 * argument, shifted up in its word, is in the range from low to low + span,
 * modulo 2^64.
 */
struct tbuf_test {
	uint64_t low;		/* first number of the range */
	uint64_t span;		/* distance to the last one */
	uint8_t at;		/* index of the word */
	uint8_t up;		/* the shift */
	uint8_t next[2];	/* next if false, if true; or TBUF_TEST_* */
};

#define TBUF_TEST_END	254	/* the program is done */
#define TBUF_TEST_RUN	255	/* the machine goes on */

/* Flag of a program's first step: it has to be the probe's only program. */
#define TBUF_STEP_ALONE	0x80

enum tbuf_plan_kind {
	TBUF_PLAN_TEST,		/* only the tests are known */
	TBUF_PLAN_NOTHING,	/* the predicate never holds here */
	TBUF_PLAN_RECORD,	/* a record of the numbers */
	TBUF_PLAN_UPDATE,	/* aggregation; the numbers are the key */
	TBUF_PLAN_SUM,		/* as UPDATE, into a count and a sum */
	TBUF_PLAN_PEAK		/* as UPDATE, into a min() or max() */
};

/* An aggregation by a function that takes one step (tbuf_table_step()). */
struct tbuf_plan_update {
	struct tbuf_number value;
	struct tbuf_number weight;
	uint64_t parameter;
	uint32_t aggregation;
	uint32_t function;	/* enum tbuf_aggregator */
	uint32_t strsize;	/* of the key's last string; 0: none */
	uint32_t spare;		/* bytes unused in the key's last word */
};

/* Use of one self-> number, or of an array element's, and of the time. */
struct tbuf_plan_self {
	bool used;
	bool guards;			/* it has to be other than 0 */
	bool loads, stores;
	bool times;
	bool quantizes;			/* it is quantize(ELAPSED) */
	uint8_t scope;			/* enum tbuf_scope */
	uint16_t id;			/* of the variable in it */
	bool seconds;			/* a second self-> number is loaded */
	uint8_t second;			/* id of that one */
	struct tbuf_number stored;
	struct tbuf_tempo tempo;
	struct tbuf_number key[TBUF_PLAN_KEY];	/* of an element */
	struct tbuf_sets sets;
	uint8_t nkey;
};

/* The program itself, for the machine. */
struct tbuf_plan_program {
	const uint64_t *code;
	const uint8_t *constants;
	uint32_t length;
	uint32_t constants_size;
	uint64_t binding;
	uint32_t flags;		/* TBUF_PROGRAM_* */
	uint32_t epid;		/* of the program's ECB */
	bool flat;		/* words are the site's arguments */
	struct tbuf_places places;
};

/* The number that a this-> variable holds. */
struct tbuf_plan_local {
	uint32_t id;
	struct tbuf_number number;
};

/* The code after a step, or the start of a chain. */
struct tbuf_plan_link {
	uint8_t place;		/* this plan's index in tbuf_plans */
	bool apart;		/* it shares no state with others */
	uint8_t nlocals;	/* variables after the step */
	uint32_t next;		/* instruction of the next step; 0: none */
	const struct tbuf_ecb *ecbs;	/* of the session */
	uint64_t ecb_max;		/* how many these are */
	bool packed;		/* fires have arguments as words */
	uint8_t alone;		/* TBUF_STEP_ALONE: of one program */
	struct tbuf_plan_local locals[TBUF_PLAN_LOCALS];
};

struct tbuf_plan;

/*
 * Finishes a fire of the plan's session after its tests: applies the effect or,
 * if that cannot be done, lets the machine run the program, or fires by the
 * slow path.  The arguments stay in registers, and such functions call each
 * other at their ends only: a fire whose predicate does not hold saves no
 * register.
 */
typedef void tbuf_plan_function(const struct tbuf_site *,
	    const uint64_t *words, uint64_t size, uint64_t version,
	    const struct tbuf_plan *);

/*
 * A plan.  `version` is odd while a thread writes it, and another one
 * afterwards.  It has the number of the session's slot, too, so that each
 * function that has the version knows the session even if the plan has changed
 * since: tbuf_plan_session().  The fields that a predicate needs come first, in
 * one cache line.
 */
struct tbuf_plan {
	_Alignas(64) uint64_t version;
	uint64_t generation;
	const uint32_t *head;	/* of the probe's chain */
	uint32_t only;		/* chain head when cached; step: EPID */
	uint32_t index;		/* of the probe */
	bool useful;		/* the fields below can be used */
	uint8_t kind;
	uint8_t ntests;
	uint8_t step;		/* of the program; TBUF_STEP_ALONE */
	struct tbuf_test tests[TBUF_PLAN_TESTS];
	tbuf_plan_function *run;	/* after the tests; set before useful */
	uint32_t nnumbers;
	uint32_t epid;		/* of the record */
	struct tbuf_plan_update update;
	struct tbuf_number numbers[TBUF_PLAN_NUMBERS];
	struct tbuf_plan_self self;
	struct tbuf_plan_program program;
	struct tbuf_plan_link link;
};

extern struct tbuf_plan tbuf_plans[TBUF_PLANS_ALL] TBUF_HIDDEN;

static inline struct tbuf_plan *
tbuf_plan_place(uint32_t index)
{
	struct tbuf_plan *p = &tbuf_plans[index % TBUF_PLANS];

	/* Else a compiler recomputes the address for each of its members. */
	__asm__("" : "+r"(p));
	return (p);
}

/*
 * Returns the place of a step.  No two steps of one program, or of programs
 * with adjacent EPIDs, share a place.
 */
static inline struct tbuf_plan *
tbuf_plan_step_place(uint32_t epid, uint32_t step)
{
	return (&tbuf_plans[TBUF_PLANS +
	    (epid + 17 * step) % (TBUF_PLANS_ALL - TBUF_PLANS)]);
}

/*
 * Returns the first version after this one for a plan of the session in slot
 * `number`, which its last bits are.
 */
static inline uint64_t
tbuf_plan_version(uint64_t version, unsigned number)
{
	return ((version >> 6) + 1) << 6 | number << 1;
}

/* Returns the number of the session's slot. */
static inline unsigned
tbuf_plan_session(uint64_t version)
{
	return (version >> 1 & (TBUF_NSESSIONS - 1));
}

/* Returns true if the plan is of that session, and no thread writes it. */
static inline bool
tbuf_plan_is_of(uint64_t version, unsigned number)
{
	return ((version & (2 * TBUF_NSESSIONS - 1)) == number << 1);
}

_Static_assert(TBUF_NSESSIONS == 1 << 5, "bits 1 to 5 of a version");

/* A fire that runs a plan. */
struct tbuf_plan_fire {
	const uint64_t *words;
	uint64_t size;			/* bytes of the words */
	uint64_t base;			/* of the window */
	uint64_t version;		/* of the plan */
	uint64_t ticks;			/* 0: the time has not been read */
	uint64_t time;			/* set if used, as the next two */
	uint64_t self;
	uint64_t second;
};

static inline uint64_t
tbuf_cut_out(const struct tbuf_cut *cut, const uint64_t *words)
{
	uint64_t x = words[cut->at] << cut->up;

	return (cut->is_signed ? (uint64_t)((int64_t)x >> cut->down) :
	    x >> cut->down);
}

/*
 * Returns true if the plan has not changed since `version`: all that was read
 * of it is of one program.
 */
static inline bool
tbuf_plan_unchanged(const struct tbuf_plan *p, uint64_t version)
{
	tbuf_fence_loads();
	return (tbuf_load(&p->version) == version);
}

static inline const struct tbuf_slot *
tbuf_plan_slot(uint64_t base, unsigned number)
{
	return ((const struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE));
}

/* How far a plan's tests have brought a fire. */
enum tbuf_plan_way {
	TBUF_WAY_NONE,		/* there is no plan for it */
	TBUF_WAY_DONE,
	TBUF_WAY_EFFECT,	/* the effect is next */
	TBUF_WAY_MACHINE	/* the machine has to run the program */
};

/*
 * Runs the tests.  Returns the index after the last one, or TBUF_TEST_*.  While
 * another thread writes the plan, its tests may be of two probes: indices are
 * within bounds then, and the result does not count.
 */
static inline __attribute__((always_inline)) unsigned
tbuf_plan_test(const struct tbuf_plan *p, const uint64_t *words, uint64_t size)
{
	const struct tbuf_test *t;
	unsigned at = 0;

	do {
		t = &p->tests[at];
		if (t->at * sizeof(*words) >= size)
			return (TBUF_TEST_RUN);
		at = t->next[(words[t->at] << t->up) - t->low <= t->span];
	} while (at < p->ntests);
	return (at);
}

/*
 * Runs the tests of the plan of the site's probe, for a fire of the session in
 * this slot.  A copy would cost more than the comparisons: another thread may
 * write while they are made, and their result counts only if none has.
 */
static inline __attribute__((always_inline)) enum tbuf_plan_way
tbuf_plan_way(const struct tbuf_plan *p, const struct tbuf_site *site,
    const uint64_t *words, uint64_t size, unsigned number, uint64_t *version)
{
	uint64_t base;
	unsigned at;

	*version = tbuf_load_acquire(&p->version);
	/* Pairs with plan_cache.c: `run` of a useful plan is a function. */
	if (!tbuf_load_acquire(&p->useful) ||
	    !tbuf_plan_is_of(*version, number) || p->index != site->index ||
	    (base = tbuf_load(&tbuf_local->base)) == 0)
		return (TBUF_WAY_NONE);
	/*
	 * The chain head changes if an ECB is added, as a consumer still may.
	 */
	if (tbuf_load_acquire(&tbuf_plan_slot(base, number)->generation) !=
	    p->generation || tbuf_load(p->head) != p->only)
		return (TBUF_WAY_NONE);
	if (p->ntests == 0)
		return (TBUF_WAY_EFFECT);
	at = tbuf_plan_test(p, words, size);
	if (at != TBUF_TEST_END)
		return (at == p->ntests ? TBUF_WAY_EFFECT : TBUF_WAY_MACHINE);
	if (!tbuf_plan_unchanged(p, *version))
		return (TBUF_WAY_NONE);
	/* tbuf_plan_machine() leaves each 256th fire to the slow path. */
	return (++tbuf_thread.deadline_ticks != 0 ? TBUF_WAY_DONE :
	    TBUF_WAY_MACHINE);
}

struct tbuf_known {
	uint64_t value;
	bool is;
};

/*
 * plan_value.c: computes a number that is neither an argument nor a constant.
 * It takes the fire's values, and not their address, so that they may stay in
 * registers.
 */
struct tbuf_known tbuf_number_other(const struct tbuf_number *,
	    const uint64_t *words, uint64_t size, uint64_t time,
	    uint64_t self, uint64_t second) TBUF_HIDDEN;

/*
 * Computes a number.  Returns false if the fire has no such word, as the plan
 * has changed, or if it is the thread's id, which is not known yet.
 */
static inline bool
tbuf_number_value(const struct tbuf_number *n,
    const struct tbuf_plan_fire *fire, uint64_t *value)
{
	struct tbuf_known known;

	if (n->cut.at * sizeof(*value) < fire->size)
		*value = tbuf_cut_out(&n->cut, fire->words);
	else if (__builtin_expect(n->cut.at == TBUF_CUT_NONE, true))
		*value = n->constant;
	else {
		known = tbuf_number_other(n, fire->words, fire->size,
		    fire->time, fire->self, fire->second);
		*value = known.value;
		return (known.is);
	}
	return (true);
}

/*
 * Computes all numbers of a plan, and how many they are.  Returns false as
 * tbuf_number_value() does.
 */
static inline bool
tbuf_plan_numbers(const struct tbuf_plan *p, const struct tbuf_plan_fire *fire,
    uint64_t numbers[TBUF_PLAN_NUMBERS], uint32_t *n)
{
	uint32_t i;

	*n = p->nnumbers;
	if (*n > TBUF_PLAN_NUMBERS)
		return (false);
	for (i = 0; i < *n; i++)
		if (!tbuf_number_value(&p->numbers[i], fire, &numbers[i]))
			return (false);
	return (true);
}

/*
 * clause_chain.c: runs the program in the machine.  Each 256th fire goes to the
 * slow path, which checks the session's deadline.
 */
tbuf_plan_function tbuf_plan_machine TBUF_HIDDEN;

/* A fire that runs a chain of steps. */
struct tbuf_steps {
	const struct tbuf_site *site;
	const uint64_t *words;
	uint64_t size;
	uint64_t base;
	uint64_t generation;
	const struct tbuf_ecb *ecbs;
	uint64_t ecb_max;
	uint64_t signals;		/* to be raised after the chain */
	unsigned number;
	bool packed;
	uint8_t alone;			/* flag that its steps may have, or 0 */
};

/*
 * Progress of the steps of a clause, with its this-> variables at that point.
 */
struct tbuf_steps_done {
	uint32_t from;			/* next instruction; 0: the first */
	uint32_t nlocals;
	struct tbuf_plan_local locals[TBUF_PLAN_LOCALS];
};

/*
 * clause_chain.c: runs a clause of the chain in the machine, from there on,
 * with the time that its fire has read; unless `apart`, all later ones, too.
 * Returns false if nothing is left to do, also as the session has ended or
 * exit() was called.
 */
bool	tbuf_clause_some(struct tbuf_steps *, uint32_t epid,
	    const struct tbuf_steps_done *, const struct tbuf_plan_fire *,
	    bool apart) TBUF_HIDDEN;

/*
 * clause_chain.c: stores a self-> number for such a fire by the slow path; the
 * fire's words are not read.
 */
void	tbuf_clause_store(const struct tbuf_site *,
	    const struct tbuf_plan_fire *, unsigned number,
	    uint64_t generation, uint32_t id, uint64_t value) TBUF_HIDDEN;

/* clause_chain.c: completes an element's store that has been begun. */
void	tbuf_clause_finish(const struct tbuf_site *,
	    const struct tbuf_plan_fire *, unsigned number,
	    uint64_t generation, const struct tbuf_access *) TBUF_HIDDEN;

_Static_assert(TBUF_PLANS_ALL == TBUF_MEMO_TOTALS, "a memo for each");

static inline unsigned
tbuf_plan_number(const struct tbuf_plan *p)
{
	return (p->link.place % TBUF_PLANS_ALL);
}

/*
 * Returns this CPU's memo for the aggregation of a plan, or NULL: it has the
 * place of the values or, if there is a key, of the lane's table.
 */
static inline struct tbuf_memo *
tbuf_plan_total(const struct tbuf_plan *p)
{
	const struct tbuf_local *local = tbuf_local;
	uint32_t cpu = tbuf_rseq_cpu();

	if (tbuf_load(&tbuf_thread.memo.bits) == TBUF_MEMO_NONE ||
	    cpu >= tbuf_load(&local->cpus))
		return (NULL);
	return (tbuf_memo_total(local, cpu, tbuf_plan_number(p)));
}

/*
 * Returns `bits` of such a memo: odd, as neither a version that is valid nor a
 * void memo's bits are.
 */
static inline uint64_t
tbuf_plan_bits(uint64_t version)
{
	return (version | 1);
}

/*
 * Adds to a word of the values, where `bits` are tbuf_plan_bits().  Returns
 * false if the memo does not have their place, and nothing has been done.
 */
static inline bool
tbuf_plan_add(const struct tbuf_plan *p, uint64_t bits, uint64_t word,
    uint64_t delta)
{
	const struct tbuf_memo *m = tbuf_plan_total(p);

	return (m != NULL &&
	    tbuf_rseq_total(m, bits, word, delta) == TBUF_COMMITTED);
}

/*
 * plan_run.c: effects of any kind; and @ = count(), if the memo has its value.
 */
tbuf_plan_function tbuf_plan_step TBUF_HIDDEN;
tbuf_plan_function tbuf_plan_count TBUF_HIDDEN;

/*
 * plan_effect.c: writes the record or updates the aggregation.  Returns false
 * if nothing has been done.
 */
bool	tbuf_plan_effect(const struct tbuf_plan *,
	    const struct tbuf_plan_fire *) TBUF_HIDDEN;
/* plan_effect.c: an aggregation with a key of numbers; and a string after. */
tbuf_plan_function tbuf_plan_key TBUF_HIDDEN;
tbuf_plan_function tbuf_plan_string TBUF_HIDDEN;

/*
 * plan_thread_local.c: self->ts = timestamp; and an aggregation if self->ts is
 * other than 0, which then is stored as a constant.
 */
tbuf_plan_function tbuf_plan_stamp TBUF_HIDDEN;
tbuf_plan_function tbuf_plan_since TBUF_HIDDEN;

/* plan_chain.c: steps, one after the other. */
tbuf_plan_function tbuf_plan_chain TBUF_HIDDEN;

/*
 * Fires in one session by the slow path.  fire.c sets the pointer: the plans
 * are below it and do not call it by name.
 */
typedef void tbuf_plan_fallback(const struct tbuf_site *,
	    const uint64_t *words, uint64_t size, unsigned number);
extern tbuf_plan_fallback *const tbuf_plan_slow TBUF_HIDDEN;

/*
 * Marks a function of the fire path that calls another one of it by a pointer:
 * tbuf_plan.run or tbuf_plan_slow.  ustack() takes any other call by a pointer
 * for the site's, so it has to know these (clause_stack.c).  The linker defines
 * the bounds of the section.  Each function begins at a cache line, so that the
 * loop of a predicate's tests does not depend on the functions before it.
 */
#define TBUF_CALLS_POINTER						\
	__attribute__((noinline, aligned(64),				\
	    section("tbuf_calls_pointer")))

/*
 * plan_thread_local.c: runs a plan with a self-> number or an element's.
 * Returns false if nothing has been done.
 */
bool	tbuf_clause_self(const struct tbuf_site *, const struct tbuf_plan *,
	    struct tbuf_plan_fire *) TBUF_HIDDEN;
/* Runs such a plan for a caller that holds the fire already (inflight.h). */
bool	tbuf_clause_self_held(const struct tbuf_site *,
	    const struct tbuf_plan *, struct tbuf_plan_fire *) TBUF_HIDDEN;

/*
 * Runs the plan of the site's probe for a fire of the session in slot `number`.
 * `words` are the fire's words or, where a site has texts, the site's values.
 * Returns false if there is no such plan, and nothing has been done.
 */
static inline __attribute__((always_inline)) bool
tbuf_plan_fires(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	const struct tbuf_plan *p = tbuf_plan_place(site->index);
	uint64_t version;
	enum tbuf_plan_way way = tbuf_plan_way(p, site, words, size, number,
	    &version);

	if (way == TBUF_WAY_EFFECT)
		tbuf_load(&p->run)(site, words, size, version, p);
	else if (way == TBUF_WAY_MACHINE)
		tbuf_plan_machine(site, words, size, version, p);
	return (way != TBUF_WAY_NONE);
}

#endif
