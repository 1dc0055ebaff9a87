/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The programs of a probe, in memory of this process (plan_cache.c): where
 * they lie, and decoded what they begin with, or all of it if it is short.
 * Where a probe has one program that is short, a fire finds that by the probe's
 * index; else what it finds there says where the chain begins, and each step of
 * each program has a place of its own (plan_chain.c).  A step is
 *
 *	comparisons of arguments, where what is the same at each fire of the
 *	probe has been decided (plan_predicate.c), then
 *		a number of the thread's that has to be other than 0
 *		one record of numbers, or one value that is aggregated
 *		a number of the thread's that is stored
 *
 * of which each may be missing (plan_thread_local.c is what does with the second and
 * the last).  Another number of the thread's may be loaded as well.  In place
 * of both there may be that of an array's element, of one key of numbers.
 */
#ifndef TBUF_TARGET_CLAUSE_PLAN_H
#define TBUF_TARGET_CLAUSE_PLAN_H

#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "target/clause/clause.h"
#include "target/self/thread.h"

#define TBUF_KEPT		128	/* by the low bits of probes' indices */
#define TBUF_KEPT_ALL		256	/* ... and as many steps */
#define TBUF_KEPT_TESTS		6
#define TBUF_KEPT_NUMBERS	8
#define TBUF_KEPT_KEY		4	/* numbers of an array's key */
#define TBUF_KEPT_LOCALS	4	/* this-> variables */

/* An argument of fixed size, where it lies in the words that fires have. */
struct tbuf_cut {
	uint8_t at;		/* of the words; or TBUF_CUT_* */
	uint8_t up, down;	/* shifts that cut it out */
	bool is_signed;
};

/* What a number is that is no argument; no fire has so many words. */
#define TBUF_CUT_COMPUTED 245		/* of another one: plan_value.c */
#define TBUF_CUT_LITERAL 246		/* a text: the constant there */
#define TBUF_CUT_UNSET	247		/* a number of a step before */
#define TBUF_CUT_NAME	248		/* a text: the built-in `constant` */
#define TBUF_CUT_TID	249		/* the thread's id */
#define TBUF_CUT_TEXT	250		/* a text: of the argument `constant` */
#define TBUF_CUT_SECOND	251		/* the thread's other number */
#define TBUF_CUT_ELAPSED 252		/* timestamp, less that number */
#define TBUF_CUT_TIME	253		/* timestamp */
#define TBUF_CUT_SELF	254		/* the number of the thread */
#define TBUF_CUT_NONE	255		/* a constant */

struct tbuf_number {
	struct tbuf_cut cut;
	struct tbuf_cut of;	/* of TBUF_CUT_COMPUTED: what it is made of */
	uint64_t constant;
};

/*
 * A comparison with an immediate, whatever it is of: the argument, shifted up
 * in its word, lies between two numbers, if one counts round.
 */
struct tbuf_test {
	uint64_t low;		/* the first one */
	uint64_t span;		/* so far from there is the last one */
	uint8_t at;		/* of the words */
	uint8_t up;		/* the shift */
	uint8_t next[2];	/* the test behind it, where it does not hold,
				 * and where it does; or TBUF_TEST_* */
};

#define TBUF_TEST_END	254	/* the program is done */
#define TBUF_TEST_RUN	255	/* it goes on elsewhere */

/* A program's first step, if the program has to be the only one. */
#define TBUF_STEP_ALONE	0x80

enum tbuf_kept_kind {
	TBUF_KEPT_TEST,		/* nothing more is known */
	TBUF_KEPT_NOTHING,	/* its predicate never holds here */
	TBUF_KEPT_RECORD,	/* of the numbers */
	TBUF_KEPT_UPDATE,	/* the numbers are the key */
	TBUF_KEPT_SUM,		/* the same; to a count and a sum */
	TBUF_KEPT_PEAK		/* the same; a least or greatest value */
};

/*
 * What many clauses are behind the tests, as a whole: these have functions of
 * their own, to which a fire goes and does not come back.
 */
enum tbuf_kept_whole {
	TBUF_WHOLE_NONE,
	TBUF_WHOLE_COUNT,	/* @ = count() */
	TBUF_WHOLE_KEY,		/* a value with a key of numbers */
	TBUF_WHOLE_STRING,	/* ... with one that ends in a string */
	TBUF_WHOLE_STAMP,	/* self->ts = timestamp */
	TBUF_WHOLE_SINCE,	/* /self->ts/, a value, self->ts = constant */
	TBUF_WHOLE_CHAIN	/* steps, one after the other */
};

/* What is aggregated, by a function that takes one step for it. */
struct tbuf_kept_update {
	struct tbuf_number value;
	struct tbuf_number weight;
	uint64_t parameter;
	uint32_t aggregation;
	uint32_t function;	/* enum tbuf_aggregator */
	uint32_t strsize;	/* 0: the key's last word is no string */
	uint32_t spare;		/* bytes that the last word has too many */
	bool ends;		/* nothing comes behind its last word */
};

/*
 * What the program does with one number of the thread's, or of an array's
 * element, and with the time.
 */
struct tbuf_kept_self {
	bool used;
	bool guards;			/* it has to be other than 0 */
	bool loads, stores;
	bool times;
	bool quantizes;			/* of TBUF_WHOLE_SINCE: ELAPSED */
	uint8_t scope;			/* enum tbuf_scope, */
	uint16_t id;			/* ... and which variable of these */
	bool seconds;			/* another one of the thread's is */
	uint8_t second;			/* ... loaded as well */
	struct tbuf_number stored;
	struct tbuf_tempo tempo;
	struct tbuf_number key[TBUF_KEPT_KEY];	/* of an element */
	struct tbuf_sets sets;
	uint8_t nkey;
};

/* Where the program itself lies, for what is more than this. */
struct tbuf_kept_program {
	const uint64_t *code;
	const uint8_t *constants;
	uint32_t length;
	uint32_t constants_size;
	uint64_t binding;
	uint32_t flags;		/* TBUF_PROGRAM_* */
	uint32_t epid;		/* the only one's */
	bool flat;		/* what fires have is the site's arguments */
	struct tbuf_places places;
};

/* A this-> variable: the number that it is. */
struct tbuf_kept_local {
	uint32_t id;
	struct tbuf_number number;
};

/* What comes behind a step; or where a chain begins. */
struct tbuf_kept_link {
	uint8_t place;		/* of all that are kept, which is this one */
	bool apart;		/* the program shares nothing with others */
	uint8_t nlocals;	/* that the program has behind the step */
	uint32_t next;		/* where the next step is; 0: there is none */
	const struct tbuf_ecb *ecbs;	/* the session's, ... */
	uint64_t ecb_max;		/* ... so many, */
	bool packed;		/* ... and fires have arguments as words; */
	uint8_t alone;		/* TBUF_STEP_ALONE: it is of one program */
	struct tbuf_kept_local locals[TBUF_KEPT_LOCALS];
};

/*
 * `version` is odd while somebody writes here, and another one afterwards.
 * What a predicate takes comes first, in one line.
 */
struct tbuf_kept {
	_Alignas(64) uint64_t version;
	uint64_t generation;
	const uint32_t *head;	/* of the probe's chain */
	uint32_t only;		/* what that was; or a step's program's EPID */
	uint32_t index;		/* of the probe */
	uint8_t number;		/* of the slot */
	bool useful;		/* there is anything of this below */
	uint8_t whole;		/* enum tbuf_kept_whole */
	uint8_t kind;
	uint8_t ntests;
	uint8_t step;		/* of the program's; TBUF_STEP_ALONE */
	struct tbuf_test tests[TBUF_KEPT_TESTS];
	uint32_t nnumbers;
	uint32_t epid;		/* of the record */
	struct tbuf_kept_update update;
	struct tbuf_number numbers[TBUF_KEPT_NUMBERS];
	struct tbuf_kept_self self;
	struct tbuf_kept_program program;
	struct tbuf_kept_link link;
};

extern struct tbuf_kept tbuf_kept_all[TBUF_KEPT_ALL] TBUF_HIDDEN;

static inline struct tbuf_kept *
tbuf_kept_place(uint32_t index)
{
	struct tbuf_kept *k = &tbuf_kept_all[index % TBUF_KEPT];

	/* Else a compiler works it out anew for each of its members. */
	__asm__("" : "+r"(k));
	return (k);
}

/* Where a program's step is: steps of one are apart, and so are neighbours. */
static inline struct tbuf_kept *
tbuf_kept_step_place(uint32_t epid, uint32_t step)
{
	return (&tbuf_kept_all[TBUF_KEPT +
	    (epid + 17 * step) % (TBUF_KEPT_ALL - TBUF_KEPT)]);
}

/* What a fire has. */
struct tbuf_kept_fire {
	const uint64_t *words;
	uint64_t size;			/* bytes of them */
	uint64_t base;			/* of the window */
	uint64_t version;		/* of what is kept */
	uint64_t ticks;			/* 0: the time has not been read */
	uint64_t time;			/* where it is used, as the next one */
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

/* Is what has been read of one program? */
static inline bool
tbuf_kept_unchanged(const struct tbuf_kept *k, uint64_t version)
{
	tbuf_fence_loads();
	return (tbuf_load(&k->version) == version);
}

static inline const struct tbuf_slot *
tbuf_kept_slot(uint64_t base, unsigned number)
{
	return ((const struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE));
}

/* How far a fire goes by its probe's program. */
enum tbuf_kept_way {
	TBUF_WAY_NONE,		/* it is not kept */
	TBUF_WAY_DONE,
	TBUF_WAY_BEHIND,	/* behind its tests */
	TBUF_WAY_RUN,		/* elsewhere: the machine does it */
	TBUF_WAY_LOOK		/* nowhere: the deadline is to be looked at */
};

/*
 * What is read of the tests may be of two probes: then it is within bounds, and
 * counts for nothing.
 */
static inline __attribute__((always_inline)) unsigned
tbuf_kept_test(const struct tbuf_kept *k, const uint64_t *words, uint64_t size)
{
	const struct tbuf_test *t;
	unsigned at = 0;

	do {
		t = &k->tests[at];
		if (t->at * sizeof(*words) >= size)
			return (TBUF_TEST_RUN);
		at = t->next[(words[t->at] << t->up) - t->low <= t->span];
	} while (at < k->ntests);
	return (at);
}

/*
 * The tests of the program that is kept for the site's probe, for a fire of the
 * session in this slot.
 *
 * A copy would cost more than the comparisons: another thread may write while
 * they are made, and what they say counts only if none has.
 */
static inline __attribute__((always_inline)) enum tbuf_kept_way
tbuf_kept_way(const struct tbuf_kept *k, const struct tbuf_site *site,
    const uint64_t *words, uint64_t size, unsigned number, uint64_t *version)
{
	uint64_t base;
	unsigned at;

	*version = tbuf_load_acquire(&k->version);
	if (!k->useful || (*version & 1) != 0 || k->index != site->index ||
	    k->number != number ||
	    (base = tbuf_load(&tbuf_local->base)) == 0)
		return (TBUF_WAY_NONE);
	/* An ECB that comes later is seen: the other side may meet it still. */
	if (tbuf_load_acquire(&tbuf_kept_slot(base, number)->generation) !=
	    k->generation || tbuf_load(k->head) != k->only)
		return (TBUF_WAY_NONE);
	if (k->ntests == 0)
		return (TBUF_WAY_BEHIND);
	at = tbuf_kept_test(k, words, size);
	if (at != TBUF_TEST_END)
		return (at == k->ntests ? TBUF_WAY_BEHIND : TBUF_WAY_RUN);
	/* The deadline is looked at now and then. */
	if (!tbuf_kept_unchanged(k, *version))
		return (TBUF_WAY_NONE);
	return (++tbuf_thread.looks != 0 ? TBUF_WAY_DONE : TBUF_WAY_LOOK);
}

struct tbuf_known {
	uint64_t value;
	bool is;
};

/*
 * plan_value.c: one that is neither an argument nor a constant.  By what the
 * fire has, not where that lies, so that it may stay in registers.
 */
struct tbuf_known tbuf_number_other(const struct tbuf_number *,
	    const uint64_t *words, uint64_t size, uint64_t time,
	    uint64_t self, uint64_t second) TBUF_HIDDEN;

/*
 * False: the fire has no such word, for what is kept has changed, or it is the
 * id of a thread that does not know it yet.
 */
static inline bool
tbuf_number_value(const struct tbuf_number *n,
    const struct tbuf_kept_fire *fire, uint64_t *value)
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

/* All of them, and how many they are; false as above. */
static inline bool
tbuf_kept_numbers(const struct tbuf_kept *k, const struct tbuf_kept_fire *fire,
    uint64_t numbers[TBUF_KEPT_NUMBERS], uint32_t *n)
{
	uint32_t i;

	*n = k->nnumbers;
	if (*n > TBUF_KEPT_NUMBERS)
		return (false);
	for (i = 0; i < *n; i++)
		if (!tbuf_number_value(&k->numbers[i], fire, &numbers[i]))
			return (false);
	return (true);
}

/*
 * clause_chain.c: run the program for a fire of the session in its slot.  As
 * tbuf_clause_again().
 */
bool	tbuf_kept_run(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, const struct tbuf_kept *, uint64_t version)
	    TBUF_HIDDEN;

/* A fire that goes by steps. */
struct tbuf_steps {
	const struct tbuf_site *site;
	const uint64_t *words;
	uint64_t size;
	uint64_t base;
	uint64_t generation;
	const struct tbuf_ecb *ecbs;
	uint64_t ecb_max;
	uint64_t signals;		/* to be raised when it is done */
	unsigned number;
	bool packed;
	uint8_t alone;			/* what its steps may have */
};

/* Where a clause goes on: what it has behind the steps that have been done. */
struct tbuf_steps_done {
	uint32_t from;			/* the instruction; 0: none has been */
	uint32_t nlocals;
	struct tbuf_kept_local locals[TBUF_KEPT_LOCALS];
};

/*
 * clause_chain.c: a clause of its chain, from there on, by the machine; what is known
 * of its fire is known there.  Unless it is apart, all behind it as well.
 * False: nothing more is to be done, also as the session has ended or exit()
 * was called.
 */
bool	tbuf_clause_some(struct tbuf_steps *, uint32_t epid,
	    const struct tbuf_steps_done *, const struct tbuf_kept_fire *,
	    bool apart) TBUF_HIDDEN;

/*
 * clause_chain.c: store a number of the thread's for such a fire, the long way; its
 * words are not looked at.
 */
void	tbuf_clause_store(const struct tbuf_site *,
	    const struct tbuf_kept_fire *, unsigned number,
	    uint64_t generation, uint32_t id, uint64_t value) TBUF_HIDDEN;

/* ... or an element's, that has been begun. */
void	tbuf_clause_finish(const struct tbuf_site *,
	    const struct tbuf_kept_fire *, unsigned number,
	    uint64_t generation, const struct tbuf_access *) TBUF_HIDDEN;

_Static_assert(TBUF_KEPT_ALL == TBUF_MEMO_TOTALS, "a memo for each");

/* Which of all that are kept it is. */
static inline unsigned
tbuf_kept_number(const struct tbuf_kept *k)
{
	return (k->link.place % TBUF_KEPT_ALL);
}

/* What is remembered here of an aggregation that has no key, or NULL. */
static inline struct tbuf_memo *
tbuf_kept_total(const struct tbuf_kept *k)
{
	const struct tbuf_local *local = tbuf_local;
	uint32_t cpu = tbuf_rseq_cpu();

	if (tbuf_load(&tbuf_thread.memo.bits) == TBUF_MEMO_NONE ||
	    cpu >= tbuf_load(&local->cpus))
		return (NULL);
	return (tbuf_memo_total(local, cpu, tbuf_kept_number(k)));
}

/* As no version is, nor a memo that is void. */
static inline uint64_t
tbuf_kept_bits(uint64_t version)
{
	return (version | 1);
}

/* Add to it; false: that is not remembered, and nothing has been done. */
static inline bool
tbuf_kept_add(const struct tbuf_kept *k, uint64_t version, uint64_t word,
    uint64_t delta)
{
	const struct tbuf_memo *m = tbuf_kept_total(k);

	return (m != NULL && tbuf_rseq_total(m, tbuf_kept_bits(version), word,
	    delta) == TBUF_COMMITTED);
}

/*
 * A value of an aggregation without a key, where it is known by now.  Once it
 * is added it is done, wherever a handler's fires have brought `looks'.
 */
static inline bool
tbuf_kept_count(const struct tbuf_kept *k, uint64_t version)
{
	if (!tbuf_kept_unchanged(k, version) ||
	    (uint8_t)(tbuf_thread.looks + 1) == 0 ||
	    !tbuf_kept_add(k, version, 0, 1))
		return (false);
	tbuf_thread.looks++;
	return (true);
}

/* plan_effect.c: the record or the value; false: nothing has been done. */
bool	tbuf_kept_effect(const struct tbuf_kept *,
	    const struct tbuf_kept_fire *) TBUF_HIDDEN;
/* ... what is whole, but for a count; the fire is done behind these. */
void	tbuf_kept_key(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_kept *)
	    TBUF_HIDDEN;
void	tbuf_kept_string(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_kept *)
	    TBUF_HIDDEN;

/* plan_thread_local.c: the same. */
void	tbuf_kept_stamp(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_kept *)
	    TBUF_HIDDEN;
void	tbuf_kept_since(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_kept *)
	    TBUF_HIDDEN;

/*
 * plan_chain.c: the same of a chain; or false: nothing has been done, and it
 * is left to the caller.
 */
void	tbuf_kept_chain(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_kept *)
	    TBUF_HIDDEN;
bool	tbuf_kept_steps(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, uint64_t version, const struct tbuf_kept *)
	    TBUF_HIDDEN;

/*
 * Finishes a fire that a plan which is whole could not do.  fire.c sets the
 * pointer: the plans are below it and do not call it by name.
 */
typedef void tbuf_plan_fallback(const struct tbuf_site *,
	    const uint64_t *words, uint64_t size, uint64_t version);
extern tbuf_plan_fallback *const tbuf_plan_unable TBUF_HIDDEN;

/* Only where there is more than nothing and than a count. */
static inline __attribute__((always_inline)) void
tbuf_kept_do(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version, const struct tbuf_kept *k)
{
	unsigned whole = k->whole;

	if (whole == TBUF_WHOLE_KEY)
		tbuf_kept_key(site, words, size, version, k);
	else if (whole == TBUF_WHOLE_STRING)
		tbuf_kept_string(site, words, size, version, k);
	else if (whole == TBUF_WHOLE_STAMP)
		tbuf_kept_stamp(site, words, size, version, k);
	else if (whole == TBUF_WHOLE_SINCE)
		tbuf_kept_since(site, words, size, version, k);
	else
		tbuf_kept_chain(site, words, size, version, k);
}

/* plan_thread_local.c: what has to do with a number of the thread's; as above. */
bool	tbuf_clause_self(const struct tbuf_site *, const struct tbuf_kept *,
	    struct tbuf_kept_fire *) TBUF_HIDDEN;
/* ... by who holds the fire already. */
bool	tbuf_clause_self_held(const struct tbuf_site *,
	    const struct tbuf_kept *, struct tbuf_kept_fire *) TBUF_HIDDEN;

/* What stands behind the tests; false as tbuf_clause_again(). */
static inline bool
tbuf_clause_behind(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, enum tbuf_kept_way way, uint64_t version)
{
	const struct tbuf_kept *k = tbuf_kept_place(site->index);
	const uint64_t base = tbuf_load(&tbuf_local->base);
	struct tbuf_kept_fire fire;
	bool done = false;

	if (base == 0 || way == TBUF_WAY_LOOK)
		return (false);
	if (way == TBUF_WAY_BEHIND && k->whole == TBUF_WHOLE_CHAIN)
		done = tbuf_kept_steps(site, words, size, version, k);
	else if (way == TBUF_WAY_BEHIND) {
		/* One by one: to zero it all first costs more. */
		fire.words = words;
		fire.size = size;
		fire.base = base;
		fire.version = version;
		fire.ticks = fire.time = fire.self = fire.second = 0;
		done = k->self.used ? tbuf_clause_self(site, k, &fire) :
		    tbuf_kept_effect(k, &fire);
	}
	return (done || tbuf_kept_run(site, words, size, k, version));
}

#endif
