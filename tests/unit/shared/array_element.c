/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Accesses to array elements, with an event between any two of their steps: a
 * whole access by a handler, another thread or the consumer, which may itself
 * be interrupted; or preemption, once or until the access goes on under a lock,
 * or gives up as no lock can be had.  All accesses must have the results of
 * some sequential order in which an access that ended before another began
 * precedes it.  Afterwards no key has two elements, and no element is claimed.
 */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "shared/atomic_step.h"
#include "shared/session_build.h"

static enum tbuf_outcome here_load(const struct tbuf_memo *, uint64_t *,
    const uint64_t *, uint64_t);
static enum tbuf_outcome here_swap_pair(const struct tbuf_memo *, uint64_t *,
    const uint64_t [2], const uint64_t [2]);
static enum tbuf_outcome here_publish(const struct tbuf_memo *, uint64_t *,
    uint64_t, uint64_t, uint64_t *, const uint64_t *, uint64_t);
static enum tbuf_outcome here_add(const struct tbuf_memo *, uint64_t *,
    uint64_t);

#define tbuf_step_load		here_load
#define tbuf_step_swap_pair	here_swap_pair
#define tbuf_step_publish	here_publish
#define tbuf_step_add		here_add
#include "shared/array_element.c"
#include "lib/check_main.h"

#define TRIES		16
#define KEYS		3u
#define WORDS		2u		/* words of a structure */
#define BODY		((HEAD + 1 + WORDS) * sizeof(uint64_t))
#define SETS		2u
#define SET_SIZE	(TBUF_ELEMENT_SET * (16 + BODY))
#define OPS_MAX		8u

/* ------------------------------------------------------------ accesses */

enum op { LOAD, STORE, FREE, PART, MAKE, OPS };
enum who { THREAD, HANDLER, OTHER, CONSUMER, WHOS };
enum shape { NUMBER, WHOLE, STRUCTURE };

/* A completed access, and its first and last event. */
struct done {
	enum op op;
	unsigned key;			/* from 0 */
	unsigned member;
	uint64_t value;
	bool dropped;
	bool gave_up;
	bool present;
	uint64_t found[WORDS];
	unsigned began, ended;
};

static _Alignas(16) unsigned char elements[SETS * SET_SIZE];
static struct tbuf_sets sets;
static enum shape shape;
static struct done done[OPS_MAX];
static unsigned ndone, events;
static uint64_t values;

/* Sections get this memo, which is not read. */
static const struct tbuf_memo section;

/* An event that comes between two steps, and the step where it does. */
enum event { NOTHING, ACCESS, ABORT, ABORTS, GIVE_UP };
struct between {
	enum event event;
	unsigned at;
	enum who who;
	enum op op;
	unsigned key;
	bool inside;			/* inside the event before */
};

static struct between plan[2];
static unsigned steps, nth;		/* next event of the plan */
static int depth = -1;
static enum who current[4];
static bool aborting;		/* all sections abort */
static bool lanes;		/* a lane's lock can be had */
static bool gave_up;
static bool apart;		/* the second access has another key */
static bool knows;		/* a store uses the element that was loaded */

static void access_run(enum who, const enum op *, unsigned n, unsigned key);

/* Runs the planned event if it is its turn.  CHANGED: the section aborts. */
static enum tbuf_outcome
step(const struct tbuf_memo *memo, bool amid)
{
	struct between *b = nth < 2 ? &plan[nth] : NULL;
	enum who who = current[depth];

	if (aborting && memo != NULL && depth == 0)
		return (TBUF_CHANGED);
	if (b == NULL || b->event == NOTHING || depth != b->inside ||
	    steps++ != b->at)
		return (TBUF_COMMITTED);
	nth++;
	if (b->event != ACCESS) {
		aborting |= b->event != ABORT;
		lanes &= b->event != GIVE_UP;
		return (memo != NULL ? TBUF_CHANGED : TBUF_COMMITTED);
	}
	if (nth < 2 && plan[1].inside)
		steps = 0;
	/* A handler runs in the thread that it interrupts. */
	access_run(b->who == HANDLER ? who : b->who, &b->op, 1, b->key);
	return (b->who == HANDLER && amid && memo != NULL ? TBUF_CHANGED :
	    TBUF_COMMITTED);
}

static enum tbuf_outcome
here_load(const struct tbuf_memo *memo, uint64_t *to, const uint64_t *from,
    uint64_t words)
{
	uint64_t i;

	if (step(memo, false) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	for (i = words; i-- > 0;) {
		to[i] = tbuf_load(&from[i]);
		if (words > 1 && i == words / 2 &&
		    step(memo, true) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
	}
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
here_swap_pair(const struct tbuf_memo *memo, uint64_t *pair,
    const uint64_t old[2], const uint64_t new[2])
{
	if (step(memo, true) != TBUF_COMMITTED ||
	    pair[0] != old[0] || pair[1] != old[1])
		return (TBUF_CHANGED);
	pair[0] = new[0];
	pair[1] = new[1];
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
here_publish(const struct tbuf_memo *memo, uint64_t *word, uint64_t old,
    uint64_t new, uint64_t *to, const uint64_t *from, uint64_t size)
{
	uint64_t i, n = size / 8;

	if (step(memo, true) != TBUF_COMMITTED || tbuf_load(word) != old)
		return (TBUF_CHANGED);
	for (i = 0; i < n; i++) {
		to[i] = from[i];
		if ((i == n - 2 || i == n - 1) &&
		    step(memo, true) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
	}
	/* A section that is not aborted saw no change of the word. */
	tbuf_store(word, new);
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
here_add(const struct tbuf_memo *memo, uint64_t *word, uint64_t delta)
{
	if (step(memo, true) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	*word += delta;
	return (TBUF_COMMITTED);
}

/* Tries sections, then the lock, as clauses and the consumer do. */
static bool
access_try(struct tbuf_access *a, enum who who)
{
	uint64_t drops = 0;
	unsigned try;

	for (try = 0; who != CONSUMER && try < TRIES; try++)
		if (tbuf_access_do(a, &section, &drops) == TBUF_COMMITTED)
			return (!a->dropped);
	if (!lanes && depth == 0) {
		tbuf_access_give_up(a);
		gave_up = true;
		return (false);
	}
	for (try = 0; try < TRIES; try++)
		if (tbuf_access_do(a, NULL, &drops) == TBUF_COMMITTED)
			return (!a->dropped);
	while (tbuf_access_release(a, NULL) != TBUF_COMMITTED)
		continue;
	return (false);
}

static uint64_t
number_of(enum who who)
{
	return (who == CONSUMER ? TBUF_ELEMENT_CONSUMER :
	    who == OTHER ? 22 + (uint64_t)depth : 11);
}

static void
access_make(struct tbuf_access *a, struct done *d, uint64_t *body,
    uint64_t *bytes)
{
	const struct tbuf_element_key key = {
		.scope = 3, .id = 1, .size = 8
	};

	a->sets = sets;
	a->size = shape == NUMBER ? 0 : WORDS * 8;
	a->loaded = d->found;
	a->stores = d->op != LOAD;
	a->keeps = d->op != FREE;
	a->value = shape == NUMBER ? d->value : 1;
	bytes[d->member] = d->value;
	if (d->op == STORE)
		bytes[0] = bytes[1] = d->value;
	body[HEAD] = 100 + d->key;
	if (!tbuf_access_body(a, body, 8 + WORDS * 8, &key, shape != NUMBER &&
	    a->stores && a->keeps ? (const uint8_t *)bytes : NULL,
	    d->op == MAKE ? 0 : a->size))
		ck_abort();
}

/* Passes the element that was loaded to a store of the same clause. */
static void
access_know(struct tbuf_access *a, const struct tbuf_element_seen *seen)
{
	a->last = NULL;
	a->found = *seen;
	a->known = a->stores && seen->pair != NULL;
}

static void
access_one(enum who who, enum op op, unsigned key,
    struct tbuf_element_last *last, struct tbuf_element_seen *seen)
{
	struct done *d = &done[ndone++];
	uint64_t body[HEAD + 1 + WORDS] = { 0 }, bytes[WORDS] = { 0 };
	struct tbuf_structure_part part = { .size = 0 };
	struct tbuf_access a = { .last = last };

	*d = (struct done){ .op = op, .key = key, .value = ++values,
	    .member = (unsigned)depth % WORDS, .began = events++ };
	access_make(&a, d, body, bytes);
	if (op == PART)
		part = (struct tbuf_structure_part){
			.whole = (const uint8_t *)bytes,
			.at = 8 * d->member, .size = 8
		};
	if (op == PART || op == MAKE)
		a.part = &part;
	tbuf_access_key(&a, number_of(who));
	if (knows)
		access_know(&a, seen);
	gave_up = false;
	d->dropped = !access_try(&a, who);
	d->gave_up = gave_up && depth == 0;
	d->present = a.present;
	d->ended = events++;
	*seen = a.found;
	if (op != LOAD || !a.present)
		seen->pair = NULL;
}

static void
access_run(enum who who, const enum op *ops, unsigned n, unsigned key)
{
	struct tbuf_element_last last = { .words = 0 };
	struct tbuf_element_seen seen = { .pair = NULL };
	unsigned i;

	current[++depth] = who;
	for (i = 0; i < n; i++)
		access_one(who, ops[i], apart ? key + i : key,
		    who == CONSUMER ? NULL : &last, &seen);
	depth--;
}

/* ------------------------------------------------------------ orders */

struct state {
	bool present[KEYS];
	bool any[KEYS];			/* but the last member's word */
	unsigned member[KEYS];
	uint64_t words[KEYS][WORDS];
};

static bool
words_equal(const struct state *s, unsigned key, const uint64_t *words)
{
	unsigned n = shape == NUMBER ? 1 : WORDS, i;

	for (i = 0; i < n; i++)
		if (words[i] != s->words[key][i] &&
		    (!s->any[key] || i == s->member[key]))
			return (false);
	return (true);
}

/*
 * Applies one access to the state.  Returns false if a load found otherwise.
 * After a store to one member of a missing element, the other members may have
 * any value.
 */
static bool
apply(struct state *s, const struct done *d)
{
	uint64_t *words = s->words[d->key];
	bool *present = &s->present[d->key];

	if (d->dropped)
		return (true);
	if (d->op == LOAD)
		return (d->present == *present && (!*present ||
		    words_equal(s, d->key, d->found)));
	if (d->op == STORE || !*present) {
		memset(words, 0, WORDS * 8);
		s->any[d->key] = d->op == PART;
		s->member[d->key] = d->member;
	}
	*present = d->op != FREE;
	if (d->op == STORE)
		words[0] = words[WORDS - 1] = d->value;
	if (d->op == PART)
		words[d->member] = d->value;
	s->any[d->key] &= d->op != PART || d->member == s->member[d->key];
	return (true);
}

static bool
equal(const struct state *a, const struct state *is)
{
	unsigned k;

	for (k = 0; k < KEYS; k++)
		if (a->present[k] != is->present[k] ||
		    (a->present[k] && !words_equal(a, k, is->words[k])))
			return (false);
	return (true);
}

static bool	explains(struct state, unsigned left, const struct state *is);

/*
 * Tries the three results that an access which gave up may have: none; all, if
 * only its last check was missing; or half a value, after which the element is
 * freed.
 */
static bool
explains_next(const struct state *s, const struct done *d, unsigned left,
    const struct state *is)
{
	struct done as = *d;
	struct state next = *s;

	if (apply(&next, d) && explains(next, left, is))
		return (true);
	if (!d->gave_up || d->op == LOAD)
		return (false);
	as.dropped = false;
	(void)apply(&next, &as);
	if (explains(next, left, is))
		return (true);
	next = *s;
	as.op = FREE;
	(void)apply(&next, &as);
	return (explains(next, left, is));
}

/* Returns true if some order of the remaining accesses leads to `is`. */
static bool
explains(struct state s, unsigned left, const struct state *is)
{
	unsigned i, j;

	if (left == 0)
		return (equal(&s, is));
	for (i = 0; i < ndone; i++) {
		if ((left & 1u << i) == 0)
			continue;
		for (j = 0; j < ndone; j++)
			if ((left & 1u << j) != 0 &&
			    done[j].ended < done[i].began)
				break;
		if (j == ndone && explains_next(&s, &done[i],
		    left & ~(1u << i), is))
			return (true);
	}
	return (false);
}

/* Reads all elements.  Returns how many are neither free nor live. */
static unsigned
look(struct state *s, bool *twice)
{
	const uint64_t *set, *body;
	unsigned i, claimed = 0;
	uint64_t key;

	memset(s, 0, sizeof(*s));
	*twice = false;
	for (i = 0; i < sets.count * TBUF_ELEMENT_SET; i++) {
		set = tbuf_sets_at(&sets, i / TBUF_ELEMENT_SET);
		body = set + 2 * TBUF_ELEMENT_SET +
		    i % TBUF_ELEMENT_SET * BODY / 8;
		key = body[HEAD] - 100;
		set += 2 * (i % TBUF_ELEMENT_SET);
		claimed += kind(set[0]) == TBUF_ELEMENT_CLAIMED ||
		    kind(set[0]) == TBUF_ELEMENT_UPDATING;
		if (kind(set[0]) != TBUF_ELEMENT_LIVE || key >= KEYS)
			continue;
		*twice |= s->present[key];
		s->present[key] = true;
		s->words[key][0] = shape == NUMBER ? set[1] : body[HEAD + 1];
		s->words[key][1] = body[HEAD + 2];
	}
	return (claimed);
}

/* ------------------------------------------------------------ runs */

/* Elements that exist before the first access. */
enum before { EMPTY, THERE, OTHERS, FULL, BEFORES };

static void
start(enum before before, unsigned nsets)
{
	unsigned key;
	enum op op = STORE;

	memset(elements, 0, sizeof(elements));
	if (!tbuf_sets_make(&sets, elements, nsets * SET_SIZE, BODY))
		ck_abort();
	nth = 2;
	ndone = events = 0;
	if (before == THERE)
		access_run(THREAD, &op, 1, 0);
	/* Other keys fill the sets; OTHERS leaves one element free. */
	for (key = KEYS; before >= OTHERS && key < KEYS +
	    nsets * TBUF_ELEMENT_SET - (before == OTHERS); key++) {
		ndone = 0;
		access_run(THREAD, &op, 1, key);
	}
	if (before >= OTHERS)
		ndone = 0;
	nth = steps = 0;
	aborting = false;
	lanes = true;
}

/* Returns an error message, or NULL if the result is right. */
static const char *
problem(enum before before)
{
	struct state nothing = { .present = { false } }, is;
	unsigned i, claimed;
	bool twice, drops = false;

	claimed = look(&is, &twice);
	for (i = 0; i < ndone; i++)
		drops |= done[i].dropped && !done[i].gave_up;
	if (twice)
		return ("a key has two elements");
	if (claimed != 0)
		return ("an element stays claimed");
	if (drops && before < OTHERS && shape == NUMBER)
		return ("a drop where there is room");
	return (explains(nothing, (1u << ndone) - 1, &is) ? NULL :
	    "in no order");
}

/* Runs one access, or the two of one clause, with the events of the plan. */
static void
run(enum who who, const enum op *ops, unsigned n, enum before before,
    unsigned nsets)
{
	const struct between *a = &plan[0], *b = &plan[1];
	const char *wrong;

	start(before, nsets);
	access_run(who, ops, n, 0);
	if ((wrong = problem(before)) != NULL)
		ck_abort_msg("%s: shape %u, %u sets, before %u: who %u %u+%u"
		    "(%u); %u at %u: who %u %u key %u; %u at %u, inside %u: "
		    "who %u %u", wrong, shape, nsets, before, who, ops[0], n,
		    ops[1], a->event, a->at, a->who, a->op, a->key, b->event,
		    b->at, b->inside, b->who, b->op);
}

/* Returns the i-th clause's one or two accesses, or NULL. */
static const enum op *
ops_of(unsigned i, unsigned *n)
{
	static const enum op all[][2] = {
		{ LOAD }, { STORE }, { FREE }, { PART }, { MAKE },
		{ LOAD, STORE }, { LOAD, FREE }, { STORE, LOAD },
		{ STORE, STORE }, { STORE, FREE }, { FREE, LOAD },
		{ FREE, STORE }, { MAKE, PART }, { PART, LOAD }
	};

	*n = i < OPS ? 1 : 2;
	return (i < sizeof(all) / sizeof(all[0]) ? all[i] : NULL);
}

static bool
is_meant(const enum op *ops, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (shape == STRUCTURE ? ops[i] == STORE : ops[i] >= PART)
			return (false);
	return (true);
}

/* Advances to the next possible event.  Returns false after the last. */
static bool
plan_next(struct between *b, enum who who, unsigned keys)
{
	do {
		if (b->event != ACCESS)
			b->event++;
		else if (++b->op == OPS) {
			b->op = LOAD;
			if (++b->who == WHOS) {
				b->who = HANDLER;
				if (++b->key == keys)
					b->event++;
			}
		}
		if (b->event > GIVE_UP)
			return (false);
	} while ((b->event == ACCESS && (!is_meant(&b->op, 1) ||
	    (b->who != OTHER && who == CONSUMER))) ||
	    (b->event > ACCESS && (who == CONSUMER || b->inside)));
	return (true);
}

static void
plan_begin(struct between *b, bool inside)
{
	*b = (struct between){ .who = HANDLER, .inside = inside };
	b->op = OPS - 1;
	b->who = WHOS - 1;
	b->key = UINT32_MAX;
	b->event = ACCESS;
}

typedef void each(enum who, const enum op *, unsigned n, enum before,
    unsigned nsets);

/* Runs each event at each step, alone. */
static void
once(enum who who, const enum op *ops, unsigned n, enum before before,
    unsigned nsets)
{
	plan[1].event = NOTHING;
	for (plan_begin(&plan[0], false); plan_next(&plan[0], who, 2);) {
		plan[0].at = 0;
		do
			run(who, ops, n, before, nsets);
		while (nth != 0 && ++plan[0].at != 0);
	}
}

/* Runs each second event, after the first or inside it. */
static void
second(enum who who, const enum op *ops, unsigned n, enum before before,
    unsigned nsets, bool inside)
{
	enum who outer = !inside ? who : plan[0].who == HANDLER ? who :
	    plan[0].who;

	for (plan_begin(&plan[1], inside); plan_next(&plan[1], outer, 1);) {
		plan[1].at = inside ? 0 : plan[0].at + 1;
		do
			run(who, ops, n, before, nsets);
		while (nth == 2 && ++plan[1].at != 0);
	}
}

static void
twice(enum who who, const enum op *ops, unsigned n, enum before before,
    unsigned nsets)
{
	for (plan_begin(&plan[0], false); plan_next(&plan[0], who, 1);) {
		plan[0].at = 0;
		do {
			second(who, ops, n, before, nsets, false);
			if (plan[0].event == ACCESS)
				second(who, ops, n, before, nsets, true);
		} while (nth != 0 && ++plan[0].at != 0);
	}
}

static void
all(each *between, enum before befores, unsigned most)
{
	unsigned nsets, before, i, n;
	const enum op *ops;

	for (nsets = 1; nsets <= most; nsets++)
		for (before = EMPTY; before < befores; before++)
			for (i = 0; (ops = ops_of(i, &n)) != NULL; i++)
				if (is_meant(ops, n)) {
					between(THREAD, ops, n, before, nsets);
					between(CONSUMER, ops, n, before,
					    nsets);
				}
}

/* Elements without a place are counted in the layout's thread lane. */
static struct {
	struct tbuf_lane lane;
	struct tbuf_lane_counters counters, another;
	struct tbuf_codes codes;
	struct {
		struct tbuf_code_element head;
		uint64_t body[HEAD + 1];
	} list[TBUF_ELEMENT_SET + 2];
} area;

START_TEST(elements_at_first)
{
	const struct tbuf_view view = { .base = (unsigned char *)&area };
	struct tbuf_area where = {
		.counters = offsetof(__typeof__(area), counters), .dynamic = 1
	};
	struct tbuf_order order = { .dynamic = SET_SIZE };
	unsigned i;

	where.parts[TBUF_PART_CODES] = offsetof(__typeof__(area), codes);
	order.parts[TBUF_PART_CODES] = sizeof(area.codes) + sizeof(area.list);
	area.lane.counters = offsetof(__typeof__(area), another);
	area.codes.element = BODY;
	area.codes.elements = sizeof(area.codes);
	area.codes.elements_size = sizeof(area.list);
	for (i = 0; i < TBUF_ELEMENT_SET + 2; i++) {
		area.list[i].head.size = sizeof(area.list[i].body);
		area.list[i].body[HEAD] = i;
	}
	depth = 0;
	nth = 2;
	tbuf_session_elements(&view, 0, &order, &where, elements);
	ck_assert_uint_eq(area.counters.dynamic, 2);
	ck_assert_uint_eq(area.another.dynamic, 0);
}
END_TEST

START_TEST(one_thing_between)
{
	apart = _i == 1;
	knows = _i == 2;
	for (shape = NUMBER; shape <= (knows ? NUMBER : STRUCTURE); shape++)
		all(once, BEFORES, 2);
}
END_TEST

START_TEST(two_between)
{
	knows = _i > STRUCTURE;
	shape = knows ? NUMBER : (enum shape)_i;
	all(twice, OTHERS, 1);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("elements");
	TCase *tcase = tcase_create("interleavings");

	tcase_set_timeout(tcase, 240);
	tcase_add_test(tcase, elements_at_first);
	tcase_add_loop_test(tcase, one_thing_between, 0, 3);
	tcase_add_loop_test(tcase, two_between, NUMBER, STRUCTURE + 2);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
