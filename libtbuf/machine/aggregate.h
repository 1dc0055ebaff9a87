/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the aggregating functions compute, in a target as in a consumer.
 *
 * What an aggregation has gathered for a key is an array of words of 64 bits:
 *
 *	count, sum, min, max	the value
 *	avg	number of values, their sum
 *	stddev	the same, and the sum of their squares: low, high half
 *	quantize	127 counts, by powers of two; of 0 in the middle
 *	lquantize	count of lesser values, of each step, of greater ones
 *	llquantize	counts, of 0 in the middle:
 *
 *	| <= -L |  ... -n |  0  | n ...  | >= L |	L = factor^(high + 1)
 *	   0                zero             2 * zero
 *
 * Between `zero` and the ends lies a range of counts for each magnitude from
 * low to high.  Values from factor^m to factor^(m+1) are told apart by steps
 * of factor^(m+1) / steps; so a range has steps - steps / factor counts, less
 * those below factor^m.  Where there are more steps than integers (m is 0
 * then), some counts are of no value.
 *
 * A value is signed.  Sums wrap around.  Every function is defined for every
 * parameter: one that makes no sense has no words.
 */
#ifndef TBUF_MACHINE_AGGREGATE_H
#define TBUF_MACHINE_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/code.h"

#define TBUF_QUANTIZE_WORDS	127
#define TBUF_QUANTIZE_ZERO	63	/* the index of the value 0 */

/*
 * How many words a function needs; 0 for a parameter that makes no sense.  The
 * parameter is that of struct tbuf_d_aggregation, of quantizers alone.
 */
uint32_t tbuf_aggregate_words(enum tbuf_aggregator, uint64_t parameter);

/*
 * In the table of a target's lane (aggregation.h) functions other than count
 * and quantizers have a version, then two copies of so many words: what they
 * are here, but sum counts its values first, and min and max have behind their
 * value what slot.cleared was.  0: it has no copies.
 */
uint32_t tbuf_table_copy(enum tbuf_aggregator);

/* What one section does there (arch/rseq.h) when a value comes. */
enum tbuf_table_step {
	TBUF_STEP_NONE,		/* it takes several */
	TBUF_STEP_UPDATE,
	TBUF_STEP_SUM,
	TBUF_STEP_PEAK
};
enum tbuf_table_step tbuf_table_step(enum tbuf_aggregator);
/* The last word of two copies of two words, as SUM and PEAK take them. */
#define TBUF_TABLE_PAIRS 4
/* A least value is the greatest of all with these bits changed. */
static inline uint64_t
tbuf_table_flip(enum tbuf_aggregator function)
{
	return (function == TBUF_AGG_MIN ? UINT64_MAX : 0);
}

/* How many words a function's values take there; 0 as above. */
uint32_t tbuf_table_words(enum tbuf_aggregator, uint64_t parameter);

/* What they are before the first value. */
void	tbuf_aggregate_initial(enum tbuf_aggregator, uint64_t *words,
	    uint32_t nwords);

/* Does a function count values by buckets? */
static inline bool
tbuf_aggregate_has_buckets(enum tbuf_aggregator function)
{
	return (function >= TBUF_AGG_QUANTIZE &&
	    function < TBUF_AGGREGATORS);
}

/* Which word quantize() counts a value in. */
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

/* ... and which any quantizer does. */
uint32_t tbuf_aggregate_bucket(enum tbuf_aggregator, uint64_t parameter,
	    int64_t value);

/* The values of a bucket, both included; false: it is of none. */
bool	tbuf_aggregate_bounds(enum tbuf_aggregator, uint64_t parameter,
	    uint32_t bucket, int64_t *low, int64_t *high);

/* A value comes.  The weight is what quantizers add to a count. */
void	tbuf_aggregate_update(enum tbuf_aggregator, uint64_t parameter,
	    uint64_t *words, uint64_t value, uint64_t weight);

/* What was gathered elsewhere comes. */
void	tbuf_aggregate_merge(enum tbuf_aggregator, uint64_t *words,
	    const uint64_t *more, uint32_t nwords);

#endif
