/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A plan is a program of a probe, decoded and cached in memory of this process
 * (plan_cache.c).  If a probe has one program, and that is short, a fire finds
 * its plan by the probe's index.  Else the plan found there is the start of a
 * chain, and each step of each program has a slot of its own (plan_chain.c).  A
 * step is
 *
 *	comparisons of arguments (plan_predicate.c), then
 *		a self-> number that has to be other than 0
 *		one record of numbers, or one aggregation
 *		a self-> number that is stored
 *
 * of which each may be missing (plan_thread_local.c runs steps with a self->
 * number).  A second self-> number may be loaded as well.  In place of the
 * self-> number there may be that of an array element, with one key of numbers.
 */
#ifndef TBUF_TARGET_CLAUSE_PLAN_H
#define TBUF_TARGET_CLAUSE_PLAN_H

#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "target/clause/clause.h"
#include "target/self/thread.h"

#define TBUF_PLANS		128	/* slots of probes: tbuf_plan_place() */
#define TBUF_PLANS_ALL		256	/* with as many slots of steps */
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

/*
 * Effects that many clauses have after their tests.  Each has a function of its
 * own, which a fire jumps to and does not return from.
 */
enum tbuf_plan_whole {
	TBUF_WHOLE_NONE,
	TBUF_WHOLE_COUNT,	/* @ = count() */
	TBUF_WHOLE_KEY,		/* an aggregation with a key of numbers */
	TBUF_WHOLE_STRING,	/* with a key of numbers and a string */
	TBUF_WHOLE_STAMP,	/* self->ts = timestamp */
	TBUF_WHOLE_SINCE,	/* /self->ts/, aggregation, store constant */
	TBUF_WHOLE_CHAIN	/* steps, one after the other */
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
	bool ends;		/* nothing follows the last word */
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

/*
 * A plan.  `version` is odd while a thread writes it, and another one
 * afterwards.  The fields that a predicate needs come first, in one cache line.
 */
struct tbuf_plan {
	_Alignas(64) uint64_t version;
	uint64_t generation;
	const uint32_t *head;	/* of the probe's chain */
	uint32_t only;		/* *head when cached; step: its EPID */
	uint32_t index;		/* of the probe */
	uint8_t number;		/* of the slot */
	bool useful;		/* the fields below can be used */
	uint8_t whole;		/* enum tbuf_plan_whole */
	uint8_t kind;
	uint8_t ntests;
	uint8_t step;		/* of the program; TBUF_STEP_ALONE */
	struct tbuf_test tests[TBUF_PLAN_TESTS];
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
 * Returns the slot of a step.  No two steps of one program, or of programs with
 * adjacent EPIDs, share a slot.
 */
static inline struct tbuf_plan *
tbuf_plan_step_place(uint32_t epid, uint32_t step)
{
	return (&tbuf_plans[TBUF_PLANS +
	    (epid + 17 * step) % (TBUF_PLANS_ALL - TBUF_PLANS)]);
}

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
	TBUF_WAY_BEHIND,	/* to the effect, after the tests */
	TBUF_WAY_RUN,		/* the machine has to go on */
	TBUF_WAY_LOOK		/* the slow path has to check the deadline */
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
	if (!p->useful || (*version & 1) != 0 || p->index != site->index ||
	    p->number != number ||
	    (base = tbuf_load(&tbuf_local->base)) == 0)
		return (TBUF_WAY_NONE);
	/* The head changes if an ECB is added, as a consumer still may. */
	if (tbuf_load_acquire(&tbuf_plan_slot(base, number)->generation) !=
	    p->generation || tbuf_load(p->head) != p->only)
		return (TBUF_WAY_NONE);
	if (p->ntests == 0)
		return (TBUF_WAY_BEHIND);
	at = tbuf_plan_test(p, words, size);
	if (at != TBUF_TEST_END)
		return (at == p->ntests ? TBUF_WAY_BEHIND : TBUF_WAY_RUN);
	/* Each 256th fire takes the slow path, which checks the deadline. */
	if (!tbuf_plan_unchanged(p, *version))
		return (TBUF_WAY_NONE);
	return (++tbuf_thread.deadline_ticks != 0 ? TBUF_WAY_DONE :
	    TBUF_WAY_LOOK);
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
 * clause_chain.c: runs the program in the machine, for a fire of the session in
 * the plan's slot.  Returns as tbuf_plan_run() does.
 */
bool	tbuf_plan_machine(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, const struct tbuf_plan *, uint64_t version)
	    TBUF_HIDDEN;

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
 * Adds to a word of the values.  Returns false if the memo does not have their
 * place, and nothing has been done.
 */
static inline bool
tbuf_plan_add(const struct tbuf_plan *p, uint64_t version, uint64_t word,
    uint64_t delta)
{
	const struct tbuf_memo *m = tbuf_plan_total(p);

	return (m != NULL && tbuf_rseq_total(m, tbuf_plan_bits(version), word,
	    delta) == TBUF_COMMITTED);
}

/*
 * Counts in an aggregation without a key, if the memo has its values.  Once
 * that is done the fire is done, even if a handler's fires have brought
 * `deadline_ticks` to 0.
 */
static inline bool
tbuf_plan_count(const struct tbuf_plan *p, uint64_t version)
{
	if (!tbuf_plan_unchanged(p, version) ||
	    (uint8_t)(tbuf_thread.deadline_ticks + 1) == 0 ||
	    !tbuf_plan_add(p, version, 0, 1))
		return (false);
	tbuf_thread.deadline_ticks++;
	return (true);
}

/*
 * plan_effect.c: writes the record or updates the aggregation.  Returns false
 * if nothing has been done.
 */
bool	tbuf_plan_effect(const struct tbuf_plan *,
	    const struct tbuf_plan_fire *) TBUF_HIDDEN;
/* plan_effect.c: complete a fire with TBUF_WHOLE_KEY or TBUF_WHOLE_STRING. */
void	tbuf_plan_key(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_plan *)
	    TBUF_HIDDEN;
void	tbuf_plan_string(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_plan *)
	    TBUF_HIDDEN;

/*
 * plan_thread_local.c: complete one with TBUF_WHOLE_STAMP or TBUF_WHOLE_SINCE.
 */
void	tbuf_plan_stamp(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_plan *)
	    TBUF_HIDDEN;
void	tbuf_plan_since(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_plan *)
	    TBUF_HIDDEN;

/*
 * plan_chain.c: tbuf_plan_chain() completes a fire with TBUF_WHOLE_CHAIN.
 * tbuf_plan_steps() returns false if nothing has been done.
 */
void	tbuf_plan_chain(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_plan *)
	    TBUF_HIDDEN;
bool	tbuf_plan_steps(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_plan *)
	    TBUF_HIDDEN;

/*
 * Finishes a fire that the function of a plan's `whole` could not do.  fire.c
 * sets the pointer: the plans are below it and do not call it by name.
 */
typedef void tbuf_plan_fallback(const struct tbuf_site *,
	    const uint64_t *words, uint64_t size, uint64_t version);
extern tbuf_plan_fallback *const tbuf_plan_unable TBUF_HIDDEN;

/*
 * Calls the function of a plan's `whole`, which is neither TBUF_WHOLE_NONE nor
 * TBUF_WHOLE_COUNT.
 */
static inline __attribute__((always_inline)) void
tbuf_plan_do(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_plan *p)
{
	unsigned whole = p->whole;

	if (whole == TBUF_WHOLE_KEY)
		tbuf_plan_key(site, words, size, version, p);
	else if (whole == TBUF_WHOLE_STRING)
		tbuf_plan_string(site, words, size, version, p);
	else if (whole == TBUF_WHOLE_STAMP)
		tbuf_plan_stamp(site, words, size, version, p);
	else if (whole == TBUF_WHOLE_SINCE)
		tbuf_plan_since(site, words, size, version, p);
	else
		tbuf_plan_chain(site, words, size, version, p);
}

/*
 * plan_thread_local.c: runs a plan with a self-> number or an element's.
 * Returns false if nothing has been done.
 */
bool	tbuf_clause_self(const struct tbuf_site *, const struct tbuf_plan *,
	    struct tbuf_plan_fire *) TBUF_HIDDEN;
/* Runs such a plan for a caller that holds the fire already (inflight.h). */
bool	tbuf_clause_self_held(const struct tbuf_site *,
	    const struct tbuf_plan *, struct tbuf_plan_fire *) TBUF_HIDDEN;

/* Completes a fire after its tests.  Returns as tbuf_plan_run() does. */
static inline bool
tbuf_clause_behind(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, enum tbuf_plan_way way, uint64_t version)
{
	const struct tbuf_plan *p = tbuf_plan_place(site->index);
	const uint64_t base = tbuf_load(&tbuf_local->base);
	struct tbuf_plan_fire fire;
	bool done = false;

	if (base == 0 || way == TBUF_WAY_LOOK)
		return (false);
	if (way == TBUF_WAY_BEHIND && p->whole == TBUF_WHOLE_CHAIN)
		done = tbuf_plan_steps(site, words, size, version, p);
	else if (way == TBUF_WAY_BEHIND) {
		/* Zeroing all of it first costs more. */
		fire.words = words;
		fire.size = size;
		fire.base = base;
		fire.version = version;
		fire.ticks = fire.time = fire.self = fire.second = 0;
		done = p->self.used ? tbuf_clause_self(site, p, &fire) :
		    tbuf_plan_effect(p, &fire);
	}
	return (done || tbuf_plan_machine(site, words, size, p, version));
}

#endif
