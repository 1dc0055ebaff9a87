/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of arrays that clauses here and in targets share.  A load here takes
 * the element of the only target, or of the first of several that has it, or
 * else the value of a target that has ended.  A store here goes to all targets.
 * A session begins with the elements that BEGIN has stored.
 *
 * To a target the consumer is one more thread that loads and stores
 * (shared/array_element.h), without sections: it stores by compare-and-swap, or
 * to elements that it has claimed.
 */
#include <sched.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/script/script.h"
#include "shared/array_element.h"
#include "shared/program_file.h"

#define TRIES	1000		/* accesses against threads that store */
#define HEAD	TBUF_ELEMENT_HEAD

/* An access, with room for its body. */
struct access {
	struct tbuf_access element;
	uint64_t body[HEAD + TBUF_KEY_LARGE / 8];
};

/* ------------------------------------------------------------ one element */

static const char *
codes_of(const struct tbuf_consumer *c, struct tbuf_codes *head)
{
	const char *codes = (const char *)c->programs +
	    c->programs->parts[TBUF_PART_CODES].at;

	memcpy(head, codes, sizeof(*head));
	return (codes);
}

/* Finds an array that clauses in targets have; false: there is none. */
static bool
array_find(const struct tbuf_consumer *c, uint64_t id,
    struct tbuf_code_variable *array)
{
	struct tbuf_codes head;
	const char *codes = codes_of(c, &head);

	if (id >= head.narrays)
		return (false);
	memcpy(array, codes + head.arrays + id * sizeof(*array),
	    sizeof(*array));
	return (array->known != 0);
}

static bool
is_theirs(const struct tbuf_consumer *c, const struct tbuf_element *e)
{
	struct tbuf_code_variable array;

	return (c->programs != NULL && array_find(c, e->id, &array) &&
	    array.size == e->room);
}

static bool
sets_find(const struct tbuf_consumer *c, struct tbuf_target *t,
    struct tbuf_sets *sets)
{
	struct tbuf_codes head;

	(void)codes_of(c, &head);
	return (tbuf_globals_has(c, t) &&
	    tbuf_part_map(t, &t->elements.part, &t->elements.base) &&
	    tbuf_sets_make(sets, t->elements.base, t->elements.part.size,
	    head.element));
}

/* Prepares an access to an element in a target; false: it cannot be there. */
static bool
access_make(struct access *a, const struct tbuf_consumer *c,
    struct tbuf_target *t, const struct tbuf_element *e, bool bytes)
{
	const struct tbuf_element_key key = {
		.scope = TBUF_SCOPE_ARRAY, .id = e->id, .size = e->key_size
	};
	struct tbuf_access *one = &a->element;

	if (!sets_find(c, t, &one->sets) || e->key_size > TBUF_KEY_LARGE)
		return (false);
	memcpy(a->body + HEAD, e->key, e->key_size);
	one->size = e->room;
	if (!tbuf_access_body(one, a->body, TBUF_KEY_LARGE, &key,
	    bytes ? e->bytes : NULL, e->room))
		return (false);
	tbuf_access_key(one, TBUF_ELEMENT_CONSUMER);
	return (true);
}

static bool
access_run(struct tbuf_access *one)
{
	unsigned try;

	for (try = 0; try < TRIES; try++) {
		if (tbuf_access_do(one, NULL, NULL) == TBUF_COMMITTED)
			return (!one->dropped);
		sched_yield();
	}
	while (tbuf_access_release(one, NULL) != TBUF_COMMITTED &&
	    try++ < 2 * TRIES)
		sched_yield();
	return (false);
}

/* ------------------------------------------------------------ sharing */

static enum tbuf_element_known
pull_from(const struct tbuf_consumer *c, struct tbuf_target *t,
    struct tbuf_element *e)
{
	uint64_t words[TBUF_KEY_LARGE / 8];
	struct access a = { .element.loaded = words };

	if (!access_make(&a, c, t, e, false) || !access_run(&a.element))
		return (TBUF_ELEMENT_UNKNOWN);
	if (!a.element.present)
		return (TBUF_ELEMENT_ABSENT);
	if (e->room == 0)
		e->number = words[0];
	else
		memcpy(e->bytes, words, e->room);
	return (TBUF_ELEMENT_PRESENT);
}

enum tbuf_element_known
tbuf_elements_pull(void *consumer, struct tbuf_element *e)
{
	struct tbuf_consumer *c = consumer;
	struct tbuf_target *t = tbuf_globals_sole(c);

	if (!is_theirs(c, e))
		return (TBUF_ELEMENT_UNKNOWN);
	/* A value of an ended target stays valid if this one has none. */
	if (t != NULL && !e->orphan)
		return (pull_from(c, t, e));
	TAILQ_FOREACH(t, &c->targets, link)
		if (pull_from(c, t, e) == TBUF_ELEMENT_PRESENT)
			return (TBUF_ELEMENT_PRESENT);
	return (TBUF_ELEMENT_UNKNOWN);
}

/* Stores an element, or a part of it, in all targets; false: a drop. */
static bool
push(const struct tbuf_consumer *c, const struct tbuf_element *e, bool keeps,
    const struct tbuf_structure_part *part)
{
	struct tbuf_structure_part own;
	struct tbuf_target *t;
	bool done = true;

	if (!is_theirs(c, e))
		return (true);
	TAILQ_FOREACH(t, &c->targets, link) {
		struct access a = { .element = {
			.stores = true, .keeps = keeps,
			.value = e->room != 0 ? 1 : e->number
		} };

		if (part != NULL) {
			own = *part;
			a.element.part = &own;
		}
		if (access_make(&a, c, t, e, keeps && e->room != 0))
			done &= access_run(&a.element);
	}
	return (done);
}

bool
tbuf_elements_push(void *consumer, const struct tbuf_element *e, bool keeps)
{
	return (push(consumer, e, keeps, NULL));
}

bool
tbuf_elements_push_part(void *consumer, const struct tbuf_element *e,
    uint32_t at, uint32_t size)
{
	const struct tbuf_structure_part part = {
		.whole = e->bytes, .at = at, .size = size
	};

	return (push(consumer, e, true, &part));
}

/* ------------------------------------------------------------ all elements */

static void
forget_all(const struct tbuf_consumer *c, struct tbuf_script *s)
{
	struct tbuf_element *e;
	uint32_t i;

	for (i = 0; i < s->elements.nslots; i++) {
		e = s->elements.slots[i];
		if (e->used && e->scope == TBUF_SCOPE_ARRAY && !e->orphan &&
		    is_theirs(c, e))
			tbuf_element_drop(s, e);
	}
}

/* Copies a target's live element, if it is valid, to one here. */
static void
keep_one(const struct tbuf_consumer *c, uint64_t value, const uint64_t *body,
    uint32_t size)
{
	struct tbuf_buffer *key = &c->script->machine.key;
	uint64_t word = tbuf_load(&body[1]);
	uint64_t padded = ((word >> 32) + 7) & ~UINT64_C(7);
	struct tbuf_code_variable array;
	struct tbuf_element *e;

	if ((word >> 16 & UINT16_MAX) != TBUF_SCOPE_ARRAY ||
	    !array_find(c, word & UINT16_MAX, &array) ||
	    word >> 32 > key->room || HEAD * sizeof(*body) + padded +
	    array.size > size)
		return;
	key->used = (uint32_t)(word >> 32);
	memcpy(key->bytes, body + HEAD, key->used);
	e = tbuf_script_orphan(c->script, word & UINT16_MAX);
	if (e == NULL || e->room != array.size)
		return;
	e->number = value;
	memcpy(e->bytes, (const char *)(body + HEAD) + padded, array.size);
}

void
tbuf_elements_keep(struct tbuf_consumer *c, struct tbuf_target *t)
{
	const uint64_t *set, *body;
	struct tbuf_sets sets;
	uint64_t n;
	unsigned i;

	if (!sets_find(c, t, &sets))
		return;
	if (tbuf_globals_sole(c) == t)
		forget_all(c, c->script);
	for (n = 0; n < sets.count * TBUF_ELEMENT_SET; n++) {
		set = tbuf_sets_at(&sets, n / TBUF_ELEMENT_SET);
		i = (unsigned)(n % TBUF_ELEMENT_SET);
		body = set + 2 * TBUF_ELEMENT_SET + i * sets.body / 8;
		if ((tbuf_load(&set[2 * i]) & 3) == TBUF_ELEMENT_LIVE)
			keep_one(c, tbuf_load(&set[2 * i + 1]), body,
			    sets.body);
	}
	c->script->machine.key.used = c->script->machine.key_size = 0;
}
