/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of associative arrays in a session's sets (variable.h); a key can be
 * in two sets.  Clauses in targets use this at a fire, and the consumer for its
 * own clauses.
 *
 * No malloc; safe against garbage in shared memory, and async-signal-safe.
 */
#ifndef TBUF_SHARED_ARRAY_ELEMENT_H
#define TBUF_SHARED_ARRAY_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_types.h"
#include "layout/layout.h"

/* The sets of a session's elements. */
struct tbuf_sets {
	unsigned char *at;
	uint64_t count;			/* 1 to UINT32_MAX */
	uint32_t body;			/* bytes of one; a multiple of 8 */
};

/* An element as it was read. */
struct tbuf_element_seen {
	uint64_t *pair;			/* NULL: no element */
	uint64_t *body;
	uint64_t state, value;
	unsigned place;			/* in the order of the search */
};

/* The part of a structure that is stored; with size 0 an element is made. */
struct tbuf_structure_part {
	const uint8_t *whole;		/* the structure with this part */
	uint32_t at, size;
	const uint64_t *updating;	/* the pair that this access claimed */
	const uint64_t *settling;	/* pair of the new element, while others
					   with its key are searched */
};

/* The last element found; its key includes the last two words of the header. */
#define TBUF_LAST_WORDS	6
struct tbuf_element_last {
	struct tbuf_element_seen element;	/* pair NULL: no element */
	uint64_t key[TBUF_LAST_WORDS];
	uint32_t words;
};

/* A load or a store of one element. */
struct tbuf_access {
	struct tbuf_element_last *last;	/* of this session; or NULL */
	struct tbuf_sets sets;
	uint32_t size;			/* bytes of the value; 0: a number */
	uint64_t hash;
	uint64_t claim;			/* a state: claimed by this thread */
	uint64_t *body;			/* the element's: header, key, value */
	uint32_t key_words;
	uint32_t body_words;
	bool stores;			/* a store, else a load */
	bool keeps;			/* a store of a value other than 0 */
	uint64_t value;
	struct tbuf_structure_part *part;	/* NULL: the whole is stored */
	uint64_t *loaded;		/* the value, or words of its bytes */
	bool present;			/* a load has found the element */
	bool known;			/* `found` is from a load just before */
	bool nowhere;			/* no such element: the thread has no
					   number of its own */
	uint64_t published;		/* state of the element made by this
					   access; others may have its key */
	bool dropped;			/* a store found no place */
	bool updates;			/* the access claimed `found` */
	struct tbuf_element_seen found, free;
	struct tbuf_element_seen held;	/* claimed, not live yet */
	unsigned free_count;		/* in the set of `free` */
};

/* Returns the address of set n: its elements' pairs, then their bodies. */
static inline uint64_t *
tbuf_sets_at(const struct tbuf_sets *sets, uint64_t n)
{
	return ((uint64_t *)(void *)(sets->at + n * TBUF_ELEMENT_SET *
	    (2 * sizeof(uint64_t) + sets->body)));
}

/* Returns the second word of a body's header. */
static inline uint64_t
tbuf_element_word(uint32_t scope, uint32_t id, uint32_t key)
{
	return (id | (uint64_t)scope << 16 | (uint64_t)key << 32);
}

/* The identity of an element: variable, thread, and the key's size. */
struct tbuf_element_key {
	uint32_t scope;			/* enum tbuf_scope */
	uint32_t id;
	uint64_t thread;		/* 0: not a thread's array */
	uint32_t size;			/* bytes of the key */
};

/*
 * Describes the sets in `size` bytes, for bodies of `body` bytes.  Returns
 * false if there is no room for a set, or for too many.
 */
bool	tbuf_sets_make(struct tbuf_sets *, unsigned char *, uint64_t size,
	    uint32_t body);

/*
 * Completes the body around the key, which the caller has stored after the
 * room for the header: stores the header, padding, and the value's bytes,
 * unless they are NULL, padded to the access's `size`.  `room` is the bytes for
 * key and value.  Returns false if they do not fit.
 */
bool	tbuf_access_body(struct tbuf_access *, uint64_t *body, uint64_t room,
	    const struct tbuf_element_key *, const uint8_t *bytes,
	    uint32_t nbytes);

/* Sets `claim` for the thread's number, and `hash` by the key in the body. */
void	tbuf_access_key(struct tbuf_access *, uint64_t number);

/*
 * Tries the access once.  Returns TBUF_COMMITTED, or TBUF_CHANGED: the caller
 * tries again.  A store that finds no place sets `dropped`, and is counted in
 * *drops unless `drops` is NULL.  Without a memo the caller holds a lane's lock
 * or is the consumer.
 */
enum tbuf_outcome tbuf_access_do(struct tbuf_access *,
	    const struct tbuf_memo *, uint64_t *drops);

/*
 * Releases `held`, before the access is abandoned.  Returns TBUF_COMMITTED, or
 * TBUF_CHANGED: the caller tries again.
 */
enum tbuf_outcome tbuf_access_release(struct tbuf_access *,
	    const struct tbuf_memo *);

/*
 * Ends an access when no lane was free: releases the elements that it claimed,
 * without a section or a lock.
 */
void	tbuf_access_give_up(struct tbuf_access *);

/*
 * Stores the elements of a list of struct tbuf_code_element into new sets.
 * Returns the number of elements that found no place.
 */
uint64_t tbuf_elements_begin(const struct tbuf_sets *, unsigned char *list,
	    uint64_t size);

#endif
