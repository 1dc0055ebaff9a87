/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The hash of a key of an aggregation: of its words, as they come, and in the
 * end of what it is the key of.
 */
#ifndef TBUF_TARGET_LANE_KEY_HASH_H
#define TBUF_TARGET_LANE_KEY_HASH_H

#include <stdint.h>

#include "arch/multiply.h"

/*
 * Each word has a factor of its own, so that no product waits for another one,
 * and words that are known late can be added late.
 */
#define TBUF_HASH_FACTOR	UINT64_C(0x9e3779b97f4a7c15)
#define TBUF_HASH_STEP		UINT64_C(0x8cb92ba72f3d8dd6)

/* The words of a string in a key. */
struct tbuf_key_text {
	uint64_t sum;
	uint64_t word;			/* the text's; UINT64_MAX: too long */
};

/* Both halves of a product. */
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

/* The hash, of that sum: with which aggregation it is, and the key's bytes. */
static inline uint64_t
tbuf_hash_key(uint64_t sum, uint32_t which)
{
	return (tbuf_hash_fold(sum ^ which, UINT64_C(0xe7037ed1a0b428db)));
}

#endif
