/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of associative arrays: array_element.h.
 *
 *	search -+- found --> SWAP {state, value}, or claim and PUBLISH
 *	        +- not ----> claim a free one; PUBLISH its key; SWAP: it lives;
 *	                     release other elements with this key
 *
 * Each step is a section (arch/rseq.h) or under a lane's lock.  Each storing
 * step compares the state that was read, and no state occurs twice: it has a
 * sequence, or the number of the thread that has claimed the element.  If
 * another thread or a handler was first, the late step therefore fails, and
 * the access begins again.  A handler takes over elements that the thread
 * which it interrupts has claimed, as that will notice it; but not elements
 * claimed under a lock, where the thread would continue in the middle of a
 * copy.
 *
 * If several threads make the structure of one key at once, at most one
 * succeeds: each searches, after its key is stored and before its element
 * lives, for another one's key, and starts again if it finds one.  Loads see a
 * structure's element whole.  A part of it is stored by claiming it, loading
 * its bytes, and PUBLISHing them with that part.  Other members may be another
 * thread's, so an access that finds the element claimed tries again, and a
 * handler may not take over from the thread that it interrupts, which may have
 * stored some of its bytes.
 *
 * inv.account: a store that finds no element is a drop, and so is an access
 * that finds the element being written in each of its tries.
 */
#include "arch/atomics.h"
#include "machine/internal.h"
#include "shared/array_element.h"
#include "shared/atomic_step.h"

#define HEAD	TBUF_ELEMENT_HEAD	/* words of a body before the key */
#define CHUNK	8			/* words compared at once */
#define SET	TBUF_ELEMENT_SET

/* On x86-64 a section that loads several words loads the last one first. */
#ifdef __x86_64__
#define VALUE_FIRST	true
#else
#define VALUE_FIRST	false
#endif

enum found {
	FOUND,
	BUSY,				/* the value is being written */
	ABSENT,
	CHANGED
};

/* ------------------------------------------------------------ states */

static uint64_t
live(const struct tbuf_access *a, uint64_t sequence)
{
	return ((a->hash ^ a->hash >> 31) << 34 |
	    (sequence & UINT32_MAX) << 2 | TBUF_ELEMENT_LIVE);
}

static uint64_t
tag(uint64_t state)
{
	return (state >> 34);
}

static unsigned
kind(uint64_t state)
{
	return (state & 3);
}

/* Returns true if this thread has claimed the element, without a lock. */
static bool
is_mine(const struct tbuf_access *a, uint64_t state)
{
	const uint64_t any = TBUF_ELEMENT_READY | TBUF_ELEMENT_UPDATING;

	return ((state | any) ==
	    ((a->claim & ~(uint64_t)TBUF_ELEMENT_LOCKED) | any));
}

/* ------------------------------------------------------------ the search */

/* Returns the first or the second set of a key. */
static uint64_t *
set_of(const struct tbuf_access *a, unsigned which)
{
	uint64_t first = (a->hash >> 32) * a->sets.count >> 32, second;

	if (which == 0)
		return (tbuf_sets_at(&a->sets, first));
	second = (a->hash & UINT32_MAX) * a->sets.count >> 32;
	if (second == first && ++second == a->sets.count)
		second = 0;
	return (second == first ? NULL : tbuf_sets_at(&a->sets, second));
}

/* Compares a body with the key, from the word after the sequence on. */
static enum found
compare(const struct tbuf_access *a, const struct tbuf_memo *memo,
    const struct tbuf_element_seen *e)
{
	uint64_t chunk[CHUNK];
	uint32_t at, n, i;

	/* The body is that of the state that was read, or of a later one. */
	tbuf_fence_loads();
	for (at = 1; at < HEAD + a->key_words; at += n) {
		n = HEAD + a->key_words - at;
		if (n > CHUNK)
			n = CHUNK;
		if (tbuf_step_load(memo, chunk, e->body + at, n) !=
		    TBUF_COMMITTED)
			return (CHANGED);
		for (i = 0; i < n; i++)
			if (chunk[i] != a->body[at + i])
				return (ABSENT);
	}
	return (FOUND);
}

/* Returns TBUF_COMMITTED if the element still has the state that was read. */
static enum tbuf_outcome
look_again(const struct tbuf_memo *memo, const struct tbuf_element_seen *e)
{
	uint64_t state;

	tbuf_fence_loads();
	if (tbuf_step_load(memo, &state, e->pair, 1) != TBUF_COMMITTED ||
	    state != e->state)
		return (TBUF_CHANGED);
	return (TBUF_COMMITTED);
}

/*
 * Loads the value of an element.  No state occurs twice, so the value belongs
 * to this state if it is loaded between two loads of it.
 */
static enum tbuf_outcome
value_load(const struct tbuf_memo *memo, struct tbuf_element_seen *e)
{
	uint64_t pair[2];

	tbuf_fence_loads();
	if (!VALUE_FIRST || memo == NULL) {
		if (tbuf_step_load(memo, &e->value, e->pair + 1, 1) !=
		    TBUF_COMMITTED)
			return (TBUF_CHANGED);
		return (look_again(memo, e));
	}
	if (tbuf_step_load(memo, pair, e->pair, 2) != TBUF_COMMITTED ||
	    pair[0] != e->state)
		return (TBUF_CHANGED);
	e->value = pair[1];
	return (TBUF_COMMITTED);
}

/*
 * Returns true, while this access settles, for another element with a stored
 * key that may become live.
 */
static bool
is_rival(const struct tbuf_access *a, const struct tbuf_element_seen *e)
{
	return (a->part != NULL && a->part->settling != NULL &&
	    e->pair != a->part->settling &&
	    (e->state & TBUF_ELEMENT_READY) != 0);
}

static enum found
examine(struct tbuf_access *a, const struct tbuf_memo *memo,
    struct tbuf_element_seen *e)
{
	enum found found;

	if (kind(e->state) == TBUF_ELEMENT_CLAIMED && !is_rival(a, e))
		return (ABSENT);
	found = compare(a, memo, e);
	if (found != FOUND)
		return (found);
	if (value_load(memo, e) != TBUF_COMMITTED)
		return (CHANGED);
	return (kind(e->state) == TBUF_ELEMENT_LIVE ? FOUND : BUSY);
}

/* Returns true if an element is free, or claimed by this thread. */
static bool
is_free(const struct tbuf_access *a, uint64_t state)
{
	return (kind(state) == TBUF_ELEMENT_FREE ||
	    (kind(state) == TBUF_ELEMENT_CLAIMED && is_mine(a, state)));
}

static struct tbuf_element_seen
element_at(const struct tbuf_access *a, uint64_t *set, const uint64_t *pairs,
    unsigned which, unsigned i)
{
	return ((struct tbuf_element_seen){
		.pair = set + 2 * i, .state = pairs[2 * i],
		.body = set + 2 * SET + i * a->sets.body / 8,
		.value = pairs[2 * i + 1], .place = which * SET + i
	});
}

/* Searches the key's two sets, from element `from` on: sets `found`, `free`. */
static __attribute__((noinline)) enum found
search(struct tbuf_access *a, const struct tbuf_memo *memo, unsigned from)
{
	uint64_t pairs[2 * SET], *set, own_tag = tag(live(a, 0)), state;
	unsigned which, i, free, first = 0;
	struct tbuf_element_seen e;
	enum found found;

	for (which = 0; which < 2; which++) {
		if ((set = set_of(a, which)) == NULL)
			break;
		if (tbuf_step_load(memo, pairs, set, 2 * SET) !=
		    TBUF_COMMITTED)
			return (CHANGED);
		for (i = free = 0; i < SET; i++) {
			state = pairs[2 * i];
			if (is_free(a, state) && free++ == 0)
				first = i;
			if (which * SET + i < from ||
			    kind(state) == TBUF_ELEMENT_FREE ||
			    (kind(state) == TBUF_ELEMENT_LIVE &&
			    tag(state) != own_tag))
				continue;
			e = element_at(a, set, pairs, which, i);
			found = examine(a, memo, &e);
			if (found != ABSENT) {
				a->found = e;
				return (found);
			}
		}
		/* Prefer the set that has more free elements. */
		if (free > a->free_count) {
			a->free_count = free;
			a->free = element_at(a, set, pairs, which, first);
		}
	}
	return (ABSENT);
}

/* ------------------------------------------------------------ the last one */

/* Remembers the element for the next access with the same key. */
static void
remember(const struct tbuf_access *a, const struct tbuf_element_seen *e)
{
	struct tbuf_element_last *last = a->last;
	uint32_t i, words = HEAD - 1 + a->key_words;

	if (last == NULL)
		return;
	last->element.pair = NULL;
	if (words > TBUF_LAST_WORDS || kind(e->state) != TBUF_ELEMENT_LIVE)
		return;
	for (i = 0; i < words; i++)
		last->key[i] = a->body[1 + i];
	last->words = words;
	last->element = *e;
}

/*
 * Returns true if `found` is known without a search: by the load just before,
 * or by the remembered element, with its current value.  A store of a
 * structure's part is left to the search, which may have to look for other
 * elements.
 */
static bool
recall(struct tbuf_access *a, const struct tbuf_memo *memo)
{
	struct tbuf_element_last *last = a->last;
	uint32_t i;

	/* The store's swap checks the loaded state. */
	if (a->known) {
		a->known = false;
		return (kind(a->found.state) == TBUF_ELEMENT_LIVE);
	}
	if (last == NULL || last->element.pair == NULL || a->part != NULL ||
	    last->words != HEAD - 1 + a->key_words)
		return (false);
	for (i = 0; i < last->words; i++)
		if (last->key[i] != a->body[1 + i])
			return (false);
	a->found = last->element;
	last->element.pair = NULL;
	return (value_load(memo, &a->found) == TBUF_COMMITTED);
}

/* ------------------------------------------------------------ stores */

static enum tbuf_outcome
swap(const struct tbuf_memo *memo, const struct tbuf_element_seen *e,
    uint64_t state, uint64_t value)
{
	return (tbuf_step_swap_pair(memo, e->pair,
	    (const uint64_t [2]){ e->state, e->value },
	    (const uint64_t [2]){ state, value }));
}

/* Loads an element's sequence, which is in the body if it is claimed. */
static enum tbuf_outcome
sequence_load(const struct tbuf_memo *memo, const struct tbuf_element_seen *e,
    uint64_t *sequence)
{
	*sequence = e->state >> 2 & UINT32_MAX;
	if (kind(e->state) == TBUF_ELEMENT_FREE ||
	    kind(e->state) == TBUF_ELEMENT_LIVE)
		return (TBUF_COMMITTED);
	return (tbuf_step_load(memo, sequence, e->body, 1));
}

static enum tbuf_outcome
release(const struct tbuf_memo *memo, const struct tbuf_element_seen *e)
{
	uint64_t sequence;

	if (sequence_load(memo, e, &sequence) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	return (swap(memo, e, ((sequence + 1) & UINT32_MAX) << 2, 0));
}

/* Publishes the whole body; the claimed element gets this state. */
static enum tbuf_outcome
publish(struct tbuf_access *a, const struct tbuf_memo *memo,
    const struct tbuf_element_seen *e, uint64_t state, uint64_t sequence)
{
	a->body[0] = sequence & UINT32_MAX;
	return (tbuf_step_publish(memo, e->pair, e->state, state, e->body,
	    a->body, a->body_words * sizeof(uint64_t)));
}

/*
 * Releases other elements with the key of `found`: two threads that store a new
 * key at once make two, of which the first in the order of the search stays.
 */
static enum tbuf_outcome
others_release(struct tbuf_access *a, const struct tbuf_memo *memo)
{
	const struct tbuf_element_seen first = a->found;
	enum found found;

	tbuf_fence();
	while ((found = search(a, memo, a->found.place + 1)) == FOUND)
		if (release(memo, &a->found) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
	a->found = first;
	return (found == CHANGED ? TBUF_CHANGED : TBUF_COMMITTED);
}

/*
 * Returns true if, by their states, no other element of the key's sets can have
 * the key of `own`, which lives now.
 */
static bool
is_alone(const struct tbuf_access *a, const struct tbuf_memo *memo,
    const struct tbuf_element_seen *own)
{
	uint64_t pairs[2 * SET], *set, own_tag = tag(live(a, 0));
	unsigned which, i;

	tbuf_fence();
	for (which = 0; which < 2; which++) {
		if ((set = set_of(a, which)) == NULL)
			break;
		if (tbuf_step_load(memo, pairs, set, 2 * SET) !=
		    TBUF_COMMITTED)
			return (false);
		for (i = 0; i < SET; i++)
			if (set + 2 * i != own->pair &&
			    (kind(pairs[2 * i]) == TBUF_ELEMENT_UPDATING ||
			    (kind(pairs[2 * i]) == TBUF_ELEMENT_LIVE &&
			    tag(pairs[2 * i]) == own_tag)))
				return (false);
	}
	return (true);
}

/* Claims the element with this state, unless it has it already. */
static enum tbuf_outcome
claim(const struct tbuf_memo *memo, struct tbuf_element_seen *e, uint64_t state)
{
	if (e->state != state &&
	    swap(memo, e, state, e->value) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->state = state;
	return (TBUF_COMMITTED);
}

/* Releases the element that an unfinished insertion has claimed. */
enum tbuf_outcome
tbuf_access_release(struct tbuf_access *a, const struct tbuf_memo *memo)
{
	uint64_t state;

	if (a->held.pair == NULL)
		return (TBUF_COMMITTED);
	if (tbuf_step_load(memo, &state, a->held.pair, 1) != TBUF_COMMITTED ||
	    (state == a->held.state &&
	    release(memo, &a->held) != TBUF_COMMITTED))
		return (TBUF_CHANGED);
	a->held.pair = NULL;
	return (TBUF_COMMITTED);
}

/*
 * Returns TBUF_COMMITTED if no other element has this key or is about to have
 * it.  Of two threads that check at once at least one sees the other.  An
 * element that the interrupted thread had begun is released.
 */
static __attribute__((noinline)) enum tbuf_outcome
settle(struct tbuf_access *a, const struct tbuf_memo *memo)
{
	const struct tbuf_element_seen own = a->free;
	enum found found;

	tbuf_fence();
	a->part->settling = own.pair;
	found = search(a, memo, 0);
	a->part->settling = NULL;
	a->free = own;
	if (found == BUSY && kind(a->found.state) == TBUF_ELEMENT_CLAIMED &&
	    is_mine(a, a->found.state))
		(void)release(memo, &a->found);
	return (found == ABSENT ? TBUF_COMMITTED : TBUF_CHANGED);
}

/* Copies a value's bytes to the body, which has room for them. */
static void
value_put(struct tbuf_access *a, const uint8_t *bytes, uint32_t size)
{
	uint64_t *to = a->body + HEAD + a->key_words;
	uint32_t at;

	for (at = 0; at < a->size; at += 8)
		to[at / 8] = tbuf_step_gather(bytes, at, size);
}

static enum tbuf_outcome
insert(struct tbuf_access *a, const struct tbuf_memo *memo)
{
	struct tbuf_element_seen *e = &a->free;
	uint64_t sequence;

	/* The body may have bytes loaded from an element that is now freed. */
	if (a->part != NULL && a->part->updating != NULL)
		value_put(a, a->part->whole, a->size);
	if (sequence_load(memo, e, &sequence) != TBUF_COMMITTED ||
	    claim(memo, e, a->claim) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	a->held = *e;
	if (publish(a, memo, e, a->claim | TBUF_ELEMENT_READY, sequence + 1) !=
	    TBUF_COMMITTED)
		return (TBUF_CHANGED);
	a->held.state = e->state = a->claim | TBUF_ELEMENT_READY;
	if (a->part != NULL && settle(a, memo) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	if (swap(memo, e, live(a, sequence + 1), a->value) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->state = a->published = live(a, sequence + 1);
	a->held.pair = NULL;
	/* Otherwise the next try finds it, or one that is earlier. */
	if (!is_alone(a, memo, e))
		return (TBUF_CHANGED);
	remember(a, e);
	return (TBUF_COMMITTED);
}

/* Loads the words of a value's bytes. */
static enum tbuf_outcome
bytes_load(const struct tbuf_access *a, const struct tbuf_memo *memo,
    const struct tbuf_element_seen *e, uint64_t *to)
{
	return (tbuf_step_load(memo, to, e->body + HEAD + a->key_words,
	    (a->size + 7) / 8));
}

/* Loads the structure's current bytes and puts the stored part into them. */
static __attribute__((noinline)) enum tbuf_outcome
part_merge(struct tbuf_access *a, const struct tbuf_memo *memo,
    const struct tbuf_element_seen *e)
{
	uint64_t *bytes = a->body + HEAD + a->key_words;

	a->part->updating = e->pair;
	if (bytes_load(a, memo, e, bytes) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	tbuf_bytes_copy((uint8_t *)bytes + a->part->at, a->part->whole +
	    a->part->at, a->part->size);
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
overwrite(struct tbuf_access *a, const struct tbuf_memo *memo)
{
	struct tbuf_element_seen *e = &a->found;
	uint64_t sequence;

	if (a->part != NULL && a->part->size == 0)
		return (TBUF_COMMITTED);
	if (sequence_load(memo, e, &sequence) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	if (a->size == 0)
		return (swap(memo, e, e->state, a->value));
	if (claim(memo, e, a->claim | TBUF_ELEMENT_UPDATING) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	a->updates = true;
	if (a->part != NULL && part_merge(a, memo, e) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	return (publish(a, memo, e, live(a, sequence + 1), sequence + 1));
}

static enum tbuf_outcome
store(struct tbuf_access *a, const struct tbuf_memo *memo, enum found found,
    uint64_t *drops)
{
	/* This access has stored its element: release the others. */
	if (a->published != 0)
		return (found == ABSENT ? TBUF_COMMITTED :
		    others_release(a, memo));
	if (found == ABSENT && !a->keeps)
		return (TBUF_COMMITTED);
	if (found == ABSENT && a->free.pair != NULL)
		return (insert(a, memo));
	if (found == ABSENT) {
		a->dropped = true;
		return (drops == NULL ? TBUF_COMMITTED :
		    tbuf_step_add(memo, drops, 1));
	}
	if (found == BUSY && a->part != NULL && a->part->size != 0 &&
	    a->found.pair != a->part->updating)
		return (TBUF_CHANGED);
	/* Another thread is storing: its store counts as the later one. */
	if (found == BUSY && !is_mine(a, a->found.state))
		return (TBUF_COMMITTED);
	if (a->keeps)
		return (overwrite(a, memo));
	/* The others first: otherwise loads would find one of those next. */
	return (others_release(a, memo) != TBUF_COMMITTED ? TBUF_CHANGED :
	    release(memo, &a->found));
}

/* ------------------------------------------------------------ loads */

static enum tbuf_outcome
load(struct tbuf_access *a, const struct tbuf_memo *memo, enum found found)
{
	const struct tbuf_element_seen *e = &a->found;

	/* Only some of its bytes may have been stored. */
	if (found == BUSY && a->size != 0)
		return (TBUF_CHANGED);
	a->present = true;
	if (a->size == 0) {
		*a->loaded = e->value;
		return (TBUF_COMMITTED);
	}
	if (bytes_load(a, memo, e, a->loaded) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	return (look_again(memo, e));
}

/* ------------------------------------------------------------ an access */

bool
tbuf_sets_make(struct tbuf_sets *sets, unsigned char *at, uint64_t size,
    uint32_t body)
{
	if (at == NULL || body % 8 != 0)
		return (false);
	sets->at = at;
	sets->body = body;
	sets->count = size / (SET * (2 * sizeof(uint64_t) + body));
	return (sets->count > 0 && sets->count <= UINT32_MAX);
}

bool
tbuf_access_body(struct tbuf_access *a, uint64_t *body, uint64_t room,
    const struct tbuf_element_key *key, const uint8_t *bytes, uint32_t nbytes)
{
	uint32_t padded = (key->size + 7) & ~7u, value = (a->size + 7) & ~7u;

	if (padded > room || (bytes != NULL && value > room - padded) ||
	    HEAD * sizeof(uint64_t) + padded + value > a->sets.body)
		return (false);
	tbuf_bytes_zero((uint8_t *)(body + HEAD) + key->size,
	    padded - key->size);
	a->body = body;
	a->key_words = padded / 8;
	a->body_words = HEAD + a->key_words + (bytes != NULL ? value / 8 : 0);
	if (bytes != NULL)
		value_put(a, bytes, nbytes);
	body[0] = 0;
	body[1] = tbuf_element_word(key->scope, key->id, key->size);
	body[2] = key->thread;
	return (true);
}

void
tbuf_access_key(struct tbuf_access *a, uint64_t number)
{
	a->claim = number << 4 | TBUF_ELEMENT_CLAIMED;
	a->hash = tbuf_step_hash(a->body + 1, HEAD - 1 + a->key_words);
}

enum tbuf_outcome
tbuf_access_do(struct tbuf_access *a, const struct tbuf_memo *memo,
    uint64_t *drops)
{
	enum found found;

	a->present = a->dropped = false;
	a->free.pair = NULL;
	a->free_count = 0;
	a->claim = (a->claim & ~TBUF_ELEMENT_LOCKED) |
	    (memo == NULL ? TBUF_ELEMENT_LOCKED : 0);
	if (tbuf_access_release(a, memo) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	found = a->nowhere ? ABSENT : recall(a, memo) ? FOUND :
	    search(a, memo, 0);
	if (found == CHANGED)
		return (TBUF_CHANGED);
	if (found == FOUND)
		remember(a, &a->found);
	if (a->stores)
		return (store(a, memo, found, drops));
	return (found == ABSENT ? TBUF_COMMITTED : load(a, memo, found));
}

/*
 * Needs no lane, as no other thread stores to an element that this thread has
 * claimed.  An element with bytes that were being written is freed; one that
 * has been stored stays.
 */
__attribute__((cold)) void
tbuf_access_give_up(struct tbuf_access *a)
{
	enum found found = CHANGED;
	unsigned try;

	for (try = 0; try < 2 * SET && found == CHANGED; try++) {
		if (a->published != 0) {
			if (tbuf_access_do(a, NULL, NULL) == TBUF_COMMITTED)
				return;
			continue;
		}
		found = tbuf_access_release(a, NULL) != TBUF_COMMITTED ?
		    CHANGED : search(a, NULL, 0);
		if (a->updates && found == BUSY &&
		    is_mine(a, a->found.state) &&
		    release(NULL, &a->found) != TBUF_COMMITTED)
			found = CHANGED;
	}
}

/* Stores one element of a list; returns its bytes there, 0 if it is invalid. */
static __attribute__((cold)) uint64_t
begin_one(const struct tbuf_sets *sets, unsigned char *at, uint64_t left,
    bool *dropped)
{
	struct tbuf_code_element *one = (struct tbuf_code_element *)(void *)at;
	struct tbuf_access a = {
		.sets = *sets, .stores = true, .keeps = true, .dropped = true
	};
	uint32_t size, words, try = 0;

	if (left < sizeof(*one))
		return (0);
	size = tbuf_load(&one->size);
	words = (uint32_t)((tbuf_load(&one->bytes) + UINT64_C(7)) / 8);
	if (size % 8 != 0 || size > left - sizeof(*one) || size > sets->body ||
	    words > size / 8 || size / 8 - words < HEAD)
		return (0);
	a.size = 8 * words;
	a.value = tbuf_load(&one->value);
	a.body = (uint64_t *)(void *)(one + 1);
	a.body_words = size / 8;
	a.key_words = a.body_words - HEAD - words;
	tbuf_access_key(&a, TBUF_ELEMENT_CONSUMER);
	/* Two tries are enough: one stores the element, one finds it. */
	while (tbuf_access_do(&a, NULL, NULL) != TBUF_COMMITTED && try < SET)
		try++;
	*dropped = a.dropped;
	return (sizeof(*one) + size);
}

uint64_t
tbuf_elements_begin(const struct tbuf_sets *sets, unsigned char *list,
    uint64_t size)
{
	uint64_t at, taken, drops = 0;
	bool dropped = false;

	for (at = 0; (taken = begin_one(sets, list + at, size - at,
	    &dropped)) != 0; at += taken)
		drops += dropped;
	return (drops);
}
