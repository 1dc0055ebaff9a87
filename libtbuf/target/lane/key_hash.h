/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The hash of an aggregation key: a sum over its words, finished with the
 * aggregation's number and the key's size.
 */
#ifndef TBUF_TARGET_LANE_KEY_HASH_H
#define TBUF_TARGET_LANE_KEY_HASH_H

#include <stdint.h>

#include "arch/multiply.h"

/*
 * Each word has its own factor, so that no product waits for another, and words
 * that are known late can be added late.
 */
#define TBUF_HASH_FACTOR	UINT64_C(0x9e3779b97f4a7c15)
#define TBUF_HASH_STEP		UINT64_C(0x8cb92ba72f3d8dd6)

/* A string in a key, hashed. */
struct tbuf_key_text {
	uint64_t sum;
	uint64_t word;			/* the string's 16-bit word; UINT64_MAX:
					 * too long */
};

/* Returns the two halves of a product, exclusive-ored. */
static inline uint64_t
tbuf_hash_fold(uint64_t a, uint64_t b)
{
	uint64_t high, low = tbuf_multiply(a, b, &high);

	return (low ^ high);
}

static inline void
tbuf_hash_add(uint64_t *sum, uint64_t *factor, uint64_t word)
{
	*sum += tbuf_hash_fold(word, *factor);
	*factor += TBUF_HASH_STEP;
}

/*
 * Returns the hash for a sum; `which' combines the aggregation's number and the
 * number of the key's bytes.
 */
static inline uint64_t
tbuf_hash_key(uint64_t sum, uint32_t which)
{
	return (tbuf_hash_fold(sum ^ which, UINT64_C(0xe7037ed1a0b428db)));
}

#endif
