/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of a script's arrays, found by the key that the machine has built.
 * An element's slot does not change, so that a text in it has an address.
 */
#include <stdlib.h>
#include <string.h>

#include "consumer/script/script.h"

#define FIRST_BUCKETS	64

/* Returns the thread that owns elements; a dummy for a global array's. */
static const struct tbuf_script_thread *
owner(const struct tbuf_script *s, enum tbuf_scope scope)
{
	static const struct tbuf_script_thread nobody = { .tid = 0 };

	return (scope == TBUF_SCOPE_THREAD_ARRAY ? s->self : &nobody);
}

/* Computes the hash of an element's scope, thread, array and key. */
static uint64_t
hash(const struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	const struct tbuf_buffer *key = &s->machine.key;
	const struct tbuf_script_thread *t = owner(s, scope);

	return (tbuf_keyed_hash(&s->secret, (uint64_t)scope << 32 | id,
	    t->image ^ (uint64_t)t->tid << 32, key->bytes, key->used));
}

static struct tbuf_element **
bucket(const struct tbuf_elements *all, uint64_t h)
{
	return (&all->buckets[h & (all->nbuckets - 1)]);
}

struct tbuf_element *
tbuf_element_find(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	const struct tbuf_buffer *key = &s->machine.key;
	const struct tbuf_script_thread *t = owner(s, scope);
	uint64_t h = hash(s, scope, id);
	struct tbuf_element *e;

	if (s->elements.nbuckets == 0)
		return (NULL);
	for (e = *bucket(&s->elements, h); e != NULL; e = e->next)
		if (e->hash == h && e->scope == scope && e->id == id &&
		    e->image == t->image && e->tid == t->tid &&
		    e->key_size == key->used &&
		    memcmp(e->key, key->bytes, key->used) == 0)
			return (e);
	return (NULL);
}

/* Keeps at least as many buckets as slots.  Returns false without memory. */
static bool
grow_buckets(struct tbuf_elements *all)
{
	struct tbuf_element **old = all->buckets, **to, *e, *next;
	uint32_t n = all->nbuckets, i;

	if (all->nslots < n)
		return (true);
	all->buckets = calloc(n != 0 ? 2 * (size_t)n : FIRST_BUCKETS,
	    sizeof(*all->buckets));
	if (all->buckets == NULL) {
		all->buckets = old;
		return (false);
	}
	all->nbuckets = n != 0 ? 2 * n : FIRST_BUCKETS;
	for (i = 0; i < n; i++)
		for (e = old[i]; e != NULL; e = next) {
			next = e->next;
			to = bucket(all, e->hash);
			e->next = *to;
			*to = e;
		}
	free(old);
	return (true);
}

/* Returns a spare element, or a new one in a new slot; NULL: no memory. */
static struct tbuf_element *
take(struct tbuf_elements *all)
{
	struct tbuf_element *e = all->spare, **slots;

	if (e != NULL) {
		all->spare = e->next;
		return (e);
	}
	slots = reallocarray(all->slots, all->nslots + 1u, sizeof(*slots));
	if (slots == NULL)
		return (NULL);
	all->slots = slots;
	if ((e = calloc(1, sizeof(*e))) == NULL)
		return (NULL);
	e->slot = all->nslots;
	all->slots[all->nslots++] = e;
	return (e);
}

static void
put_back(struct tbuf_elements *all, struct tbuf_element *e)
{
	free(e->key);
	free(e->bytes);
	e->key = e->bytes = NULL;
	e->used = false;
	e->next = all->spare;
	all->spare = e;
}

struct tbuf_element *
tbuf_element_make(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id,
    uint32_t room)
{
	const struct tbuf_buffer *key = &s->machine.key;
	struct tbuf_elements *all = &s->elements;
	struct tbuf_element *e, **to;

	if (!grow_buckets(all) || (e = take(all)) == NULL)
		return (NULL);
	e->key = malloc(key->used + 1u);
	e->bytes = calloc(1, room + 1u);
	if (e->key == NULL || e->bytes == NULL) {
		put_back(all, e);
		return (NULL);
	}
	if (key->used > 0)
		memcpy(e->key, key->bytes, key->used);
	e->key_size = key->used;
	e->hash = hash(s, scope, id);
	e->scope = (uint8_t)scope;
	e->image = owner(s, scope)->image;
	e->tid = owner(s, scope)->tid;
	e->id = id;
	e->room = room;
	e->number = 0;
	e->charge = 0;
	e->orphan = e->lent = false;
	e->used = true;
	to = bucket(all, e->hash);
	e->next = *to;
	*to = e;
	return (e);
}

void
tbuf_element_drop(struct tbuf_script *s, struct tbuf_element *e)
{
	struct tbuf_element **p = bucket(&s->elements, e->hash);

	s->dynamic -= e->charge;
	while (*p != e)
		p = &(*p)->next;
	*p = e->next;
	put_back(&s->elements, e);
}

struct tbuf_element *
tbuf_element_lend(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id,
    uint32_t room)
{
	struct tbuf_elements *all = &s->elements;
	uint32_t n = all->lent_room != 0 ? 2 * all->lent_room : 16, *lent;
	struct tbuf_element *e;

	if (all->nlent == all->lent_room) {
		lent = reallocarray(all->lent, n, sizeof(*lent));
		if (lent == NULL)
			return (NULL);
		all->lent = lent;
		all->lent_room = n;
	}
	if ((e = tbuf_element_make(s, scope, id, room)) == NULL)
		return (NULL);
	e->lent = true;
	all->lent[all->nlent++] = e->slot;
	return (e);
}

void
tbuf_elements_return(struct tbuf_script *s)
{
	struct tbuf_elements *all = &s->elements;
	struct tbuf_element *e;

	while (all->nlent > 0) {
		e = all->slots[all->lent[--all->nlent]];
		if (e->used && e->lent)
			tbuf_element_drop(s, e);
	}
}

void
tbuf_elements_free(struct tbuf_elements *all)
{
	uint32_t i;

	for (i = 0; i < all->nslots; i++) {
		free(all->slots[i]->key);
		free(all->slots[i]->bytes);
		free(all->slots[i]);
	}
	free(all->slots);
	free(all->buckets);
	free(all->lent);
}
