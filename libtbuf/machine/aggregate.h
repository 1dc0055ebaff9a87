/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The aggregating functions, for targets and consumers.
 *
 * The value of an aggregation's key is an array of 64-bit words:
 *
 *	count, sum, min, max	the value
 *	avg	number of values, their sum
 *	stddev	number, sum, and sum of squares: low half, high half
 *	quantize	127 counts, by powers of two; that of 0 in the middle
 *	lquantize	count of lesser values, of each step, of greater ones
 *	llquantize	counts, that of 0 in the middle:
 *
 *	| <= -L |  ... -n |  0  | n ...  | >= L |	L = factor^(high + 1)
 *	   0                zero             2 * zero
 *
 * Between `zero` and the ends there is a range of counts for each magnitude
 * from low to high.  Values from factor^m to factor^(m+1) are distinguished in
 * steps of factor^(m+1) / steps, so a range has steps - steps / factor counts:
 * those below factor^m are left out.  If there are more steps than integers (m
 * is 0 then), no value belongs to some of the counts.
 *
 * A value is signed.  Sums wrap around.  Every function is defined for every
 * parameter: an invalid one has no words.
 */
#ifndef TBUF_MACHINE_AGGREGATE_H
#define TBUF_MACHINE_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/code.h"

#define TBUF_QUANTIZE_WORDS	127
#define TBUF_QUANTIZE_ZERO	63	/* the index of the value 0 */

/*
 * Returns the number of a function's words, 0 for an invalid parameter.  Only
 * quantizers have a parameter, that of struct tbuf_d_aggregation.
 */
uint32_t tbuf_aggregate_words(enum tbuf_aggregator, uint64_t parameter);

/*
 * Returns the words of a copy in an aggregation table (aggregation.h), or 0.
 * All functions but count and quantizers have a version and two copies there.
 * A copy has the words above; sum has a count of values before them, and min
 * and max have slot.cleared, at the time of the value, after it.
 */
uint32_t tbuf_table_copy(enum tbuf_aggregator);

/* The section (arch/rseq.h) that adds a value to an aggregation table. */
enum tbuf_table_step {
	TBUF_STEP_NONE,		/* several sections are needed */
	TBUF_STEP_UPDATE,
	TBUF_STEP_SUM,
	TBUF_STEP_PEAK
};
enum tbuf_table_step tbuf_table_step(enum tbuf_aggregator);
/* The index of the last word of two copies of two words, for SUM and PEAK. */
#define TBUF_TABLE_PAIRS 4
/* Returns the bits that PEAK flips: a least value is then a greatest one. */
static inline uint64_t
tbuf_table_flip(enum tbuf_aggregator function)
{
	return (function == TBUF_AGG_MIN ? UINT64_MAX : 0);
}

/* Returns a function's words in a table; 0 for an invalid parameter. */
uint32_t tbuf_table_words(enum tbuf_aggregator, uint64_t parameter);

/* Sets the words to their state before the first value. */
void	tbuf_aggregate_initial(enum tbuf_aggregator, uint64_t *words,
	    uint32_t nwords);

/* Returns true if a function counts values by buckets. */
static inline bool
tbuf_aggregate_has_buckets(enum tbuf_aggregator function)
{
	return (function >= TBUF_AGG_QUANTIZE &&
	    function < TBUF_AGGREGATORS);
}

/* Returns the word in which quantize() counts a value. */
static inline uint32_t
tbuf_quantize_bucket(int64_t value)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	uint32_t n;

	if (value == 0)
		return (TBUF_QUANTIZE_ZERO);
	n = 64 - (uint32_t)__builtin_clzll(size);
	if (value > 0)
		return (TBUF_QUANTIZE_ZERO + n);
	/* INT64_MIN is a power of its own, but shares the last bucket. */
	return (n > TBUF_QUANTIZE_ZERO ? 0 : TBUF_QUANTIZE_ZERO - n);
}

/* Returns the word in which any quantizer counts a value. */
uint32_t tbuf_aggregate_bucket(enum tbuf_aggregator, uint64_t parameter,
	    int64_t value);

/* Gets a bucket's least and greatest value.  Returns false if it has none. */
bool	tbuf_aggregate_bounds(enum tbuf_aggregator, uint64_t parameter,
	    uint32_t bucket, int64_t *low, int64_t *high);

/* Adds a value.  Quantizers add the weight to its count. */
void	tbuf_aggregate_update(enum tbuf_aggregator, uint64_t parameter,
	    uint64_t *words, uint64_t value, uint64_t weight);

/* Adds the words of another place to those of this one. */
void	tbuf_aggregate_merge(enum tbuf_aggregator, uint64_t *words,
	    const uint64_t *more, uint32_t nwords);

#endif
