/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bounds of the buckets of quantizers, which only consumers need.
 */
#include "machine/aggregate.h"
#include "machine/aggregate_parameter.h"

static bool
power_bounds(uint32_t bucket, int64_t *low, int64_t *high)
{
	uint64_t least;

	*low = *high = 0;
	if (bucket > TBUF_QUANTIZE_ZERO) {
		least = UINT64_C(1) << (bucket - TBUF_QUANTIZE_ZERO - 1);
		*low = (int64_t)least;
		*high = (int64_t)(2 * least - 1);
	} else if (bucket < TBUF_QUANTIZE_ZERO) {
		least = UINT64_C(1) << (TBUF_QUANTIZE_ZERO - 1 - bucket);
		*high = -(int64_t)least;
		*low = bucket == 0 ? INT64_MIN : -(int64_t)(2 * least - 1);
	}
	return (true);
}

static bool
linear_bounds(uint64_t parameter, uint32_t bucket, int64_t *low,
    int64_t *high)
{
	struct linear l = linear_of(parameter);
	int64_t step = (int64_t)l.step;

	*low = bucket == 0 ? INT64_MIN : l.base + (bucket - 1) * step;
	*high = bucket > l.levels ? INT64_MAX : l.base + bucket * step - 1;
	return (true);
}

/* Returns the size with its sign, or the nearest number. */
static int64_t
signed_size(bool negative, uint64_t size)
{
	if (negative)
		return (size > INT64_MAX ? INT64_MIN : -(int64_t)size);
	return (size > INT64_MAX ? INT64_MAX : (int64_t)size);
}

/* Gets the bounds of a bucket above zero.  Returns false if it has no value. */
static bool
log_linear_sizes(const struct log_linear *l, uint32_t from_zero,
    uint64_t *low, uint64_t *high)
{
	uint32_t m = l->low + (from_zero - 1) / l->range;
	uint32_t step = (from_zero - 1) % l->range;
	uint64_t least = power(l->factor, m), end, unit;

	*low = least;
	*high = UINT64_MAX;
	if (from_zero >= l->zero)
		return (true);
	end = least * l->factor;
	if (end < l->steps) {
		/* Each integer has one step; other steps have none. */
		*low = *high = step / l->below + 1;
		return (step % l->below == 0);
	}
	unit = end / l->steps;
	*low = (step + l->below) * unit;
	*high = *low + unit - 1;
	if (*low < least)
		*low = least;
	return (*low <= *high);
}

static bool
log_linear_bounds(uint64_t parameter, uint32_t bucket, int64_t *low,
    int64_t *high)
{
	struct log_linear l;
	uint64_t least, most;
	bool some, negative;

	*low = *high = 0;
	if (!log_linear_of(parameter, &l) || bucket > 2 * l.zero)
		return (false);
	if (bucket == l.zero) {
		*high = signed_size(false, power(l.factor, l.low) - 1);
		*low = -*high;
		return (true);
	}
	negative = bucket < l.zero;
	some = log_linear_sizes(&l, negative ? l.zero - bucket :
	    bucket - l.zero, &least, &most);
	*low = signed_size(negative, negative ? most : least);
	*high = signed_size(negative, negative ? least : most);
	return (some && least <= (uint64_t)INT64_MAX + negative);
}

bool
tbuf_aggregate_bounds(enum tbuf_aggregator function, uint64_t parameter,
    uint32_t bucket, int64_t *low, int64_t *high)
{
	switch (function) {
	case TBUF_AGG_QUANTIZE:
		return (bucket < TBUF_QUANTIZE_WORDS &&
		    power_bounds(bucket, low, high));
	case TBUF_AGG_LQUANTIZE:
		return (bucket < linear_words(parameter) &&
		    linear_bounds(parameter, bucket, low, high));
	case TBUF_AGG_LLQUANTIZE:
		return (log_linear_bounds(parameter, bucket, low, high));
	default:
		return (false);
	}
}
