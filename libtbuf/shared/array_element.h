/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of associative arrays in a session's sets (variable.h), of
 * which a key has two: what clauses in targets do at a fire, and the consumer
 * for its own.
 *
 * No malloc; safe against garbage in shared memory, and async-signal-safe.
 */
#ifndef TBUF_SHARED_ARRAY_ELEMENT_H
#define TBUF_SHARED_ARRAY_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_types.h"
#include "layout/layout.h"

/* Where a session's elements are. */
struct tbuf_sets {
	unsigned char *at;
	uint64_t count;			/* 1 to UINT32_MAX */
	uint32_t body;			/* bytes of one; a multiple of 8 */
};

/* One as it was seen. */
struct tbuf_element_seen {
	uint64_t *pair;			/* NULL: there is none */
	uint64_t *body;
	uint64_t state, value;
	unsigned place;			/* in the order of the search */
};

/* What is stored to a structure; of no bytes it is made. */
struct tbuf_structure_part {
	const uint8_t *whole;		/* with the others as they were */
	uint32_t at, size;
	const uint64_t *updating;	/* the pair that this one has claimed */
	const uint64_t *settling;	/* others' are looked for beside it */
};

/* One that has been found, with its key: of a head's words the last two. */
#define TBUF_LAST_WORDS	6
struct tbuf_element_last {
	struct tbuf_element_seen element;	/* pair NULL: there is none */
	uint64_t key[TBUF_LAST_WORDS];
	uint32_t words;
};

/* A load or a store of one element. */
struct tbuf_access {
	struct tbuf_element_last *last;	/* of this session; or NULL */
	struct tbuf_sets sets;
	uint32_t size;			/* of its bytes; 0: it is a number */
	uint64_t hash;
	uint64_t claim;			/* a state: claimed by this thread */
	uint64_t *body;			/* the element's: head, key, value */
	uint32_t key_words;
	uint32_t body_words;
	bool stores;
	bool keeps;			/* and what is stored is not 0 */
	uint64_t value;
	struct tbuf_structure_part *part;	/* NULL: the whole is stored */
	uint64_t *loaded;		/* the value, or words of its bytes */
	bool present;
	bool known;			/* `found` has been loaded by this */
	bool nowhere;			/* it is nobody's */
	uint64_t published;		/* a state: another may have the key */
	bool dropped;
	bool updates;			/* it has claimed what it found */
	struct tbuf_element_seen found, free;
	struct tbuf_element_seen held;	/* claimed, and not published so far */
	unsigned free_count;		/* in the set of `free` */
};

/*
 * A set: as many pairs as it has elements, then their bodies, as many bytes
 * each.
 */
static inline uint64_t *
tbuf_sets_at(const struct tbuf_sets *sets, uint64_t n)
{
	return ((uint64_t *)(void *)(sets->at + n * TBUF_ELEMENT_SET *
	    (2 * sizeof(uint64_t) + sets->body)));
}

/* The second word of a body's head. */
static inline uint64_t
tbuf_element_word(uint32_t scope, uint32_t id, uint32_t key)
{
	return (id | (uint64_t)scope << 16 | (uint64_t)key << 32);
}

/* Whose element it is: a variable, a thread (0: everybody's), a key. */
struct tbuf_element_key {
	uint32_t scope;			/* enum tbuf_scope */
	uint32_t id;
	uint64_t thread;
	uint32_t size;			/* bytes of the key */
};

/* So many bytes of sets; false: there is none, or too many. */
bool	tbuf_sets_make(struct tbuf_sets *, unsigned char *, uint64_t size,
	    uint32_t body);

/*
 * Make the body around a key that is in it, behind the head, where there is
 * room for so many bytes: its head, padding, and a value's bytes, unless they
 * are NULL, padded to `size`.  False: it does not fit.
 */
bool	tbuf_access_body(struct tbuf_access *, uint64_t *body, uint64_t room,
	    const struct tbuf_element_key *, const uint8_t *bytes,
	    uint32_t nbytes);

/* The claim of a thread with this number; the hash of the key in the body. */
void	tbuf_access_key(struct tbuf_access *, uint64_t number);

/*
 * Once; CHANGED: come again.  A store that finds no element is counted there,
 * if `drops` is not NULL, and says so.  Without a memo this stands under a
 * lane's lock, or is the consumer's.
 */
enum tbuf_outcome tbuf_access_do(struct tbuf_access *,
	    const struct tbuf_memo *, uint64_t *drops);

/* What it has claimed, before it is given up. */
enum tbuf_outcome tbuf_access_release(struct tbuf_access *,
	    const struct tbuf_memo *);

/* ... and where there is no lane left to do that in, as the last of all. */
void	tbuf_access_give_up(struct tbuf_access *);

/*
 * Elements that nobody has looked at so far begin with those of a list of
 * struct tbuf_code_element.  How many have found no place.
 */
uint64_t tbuf_elements_begin(const struct tbuf_sets *, unsigned char *list,
	    uint64_t size);

#endif
