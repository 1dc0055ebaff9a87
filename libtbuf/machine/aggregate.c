/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The aggregating functions: arithmetic on words only.
 */
#include "machine/aggregate.h"

__extension__ typedef unsigned __int128 wide;

/* Returns the value without its sign. */
static uint64_t
magnitude(int64_t value)
{
	return (value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* ------------------------------------------------------------ quantize */

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

/* ------------------------------------------------------------ lquantize */

struct linear {
	int64_t base;
	uint64_t step;
	uint32_t levels;
};

static struct linear
linear_of(uint64_t parameter)
{
	return ((struct linear){
		.base = (int32_t)(uint32_t)parameter,
		.step = parameter >> 48,
		.levels = parameter >> 32 & 0xffff
	});
}

static uint32_t
linear_words(uint64_t parameter)
{
	struct linear l = linear_of(parameter);

	return (l.step == 0 || l.levels == 0 ? 0 : l.levels + 2);
}

static uint32_t
linear_bucket(uint64_t parameter, int64_t value)
{
	struct linear l = linear_of(parameter);
	uint64_t level;

	if (value < l.base || l.step == 0)
		return (0);
	level = ((uint64_t)value - (uint64_t)l.base) / l.step;
	return (level < l.levels ? (uint32_t)level + 1 : l.levels + 1);
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

/* ------------------------------------------------------------ llquantize */

struct log_linear {
	uint64_t factor;
	uint64_t steps;
	uint32_t low;
	uint32_t high;
	uint32_t below;		/* steps that are below factor^m */
	uint32_t range;		/* counts of a magnitude */
	uint32_t zero;		/* the bucket of 0 */
};

/* Returns factor^exponent; the exponent is at most 63. */
static uint64_t
power(uint64_t factor, uint32_t exponent)
{
	uint64_t value = 1;

	while (exponent-- > 0)
		value *= factor;
	return (value);
}

/* Returns true if factor^exponent has at most 64 bits. */
static bool
power_fits(uint64_t factor, uint32_t exponent)
{
	uint64_t value = 1;

	while (exponent-- > 0)
		if (__builtin_mul_overflow(value, factor, &value))
			return (false);
	return (true);
}

/* Reads the parameter of llquantize.  Returns false if it is invalid. */
static bool
log_linear_of(uint64_t parameter, struct log_linear *l)
{
	l->factor = parameter >> 48;
	l->low = parameter >> 32 & 0xffff;
	l->high = parameter >> 16 & 0xffff;
	l->steps = parameter & 0xffff;
	if (l->factor < 2 || l->steps == 0 || l->low > l->high ||
	    l->high >= 64 || !power_fits(l->factor, l->high + 1))
		return (false);
	l->below = (uint32_t)(l->steps / l->factor);
	l->range = (uint32_t)l->steps - l->below;
	l->zero = (l->high - l->low + 1) * l->range + 1;
	return (true);
}

/* Returns a count's index in its range; the magnitude ends before `end`. */
static uint32_t
log_linear_step(const struct log_linear *l, uint64_t size, uint64_t end)
{
	uint64_t step;

	if (end >= l->steps)
		step = size / (end / l->steps);
	else
		step = size * l->below;
	step = step < l->below ? 0 : step - l->below;
	return (step < l->range ? (uint32_t)step : l->range - 1);
}

static uint32_t
log_linear_bucket(uint64_t parameter, int64_t value)
{
	struct log_linear l;
	uint64_t size = magnitude(value), end;
	uint32_t m, from_zero;

	if (!log_linear_of(parameter, &l))
		return (0);
	end = power(l.factor, l.low);
	if (size < end)
		return (l.zero);
	from_zero = l.zero;
	for (m = l.low; m <= l.high; m++) {
		end *= l.factor;
		if (size >= end)
			continue;
		from_zero = 1 + (m - l.low) * l.range +
		    log_linear_step(&l, size, end);
		break;
	}
	return (value < 0 ? l.zero - from_zero : l.zero + from_zero);
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

static uint32_t
log_linear_words(uint64_t parameter)
{
	struct log_linear l;

	return (log_linear_of(parameter, &l) ? 2 * l.zero + 1 : 0);
}

/* ------------------------------------------------------------ all of them */

uint32_t
tbuf_aggregate_words(enum tbuf_aggregator function, uint64_t parameter)
{
	switch (function) {
	case TBUF_AGG_COUNT:
	case TBUF_AGG_SUM:
	case TBUF_AGG_MIN:
	case TBUF_AGG_MAX:
		return (1);
	case TBUF_AGG_AVG:
		return (2);
	case TBUF_AGG_STDDEV:
		return (4);
	case TBUF_AGG_QUANTIZE:
		return (TBUF_QUANTIZE_WORDS);
	case TBUF_AGG_LQUANTIZE:
		return (linear_words(parameter));
	case TBUF_AGG_LLQUANTIZE:
		return (log_linear_words(parameter));
	case TBUF_AGGREGATORS:
		break;
	}
	return (0);
}

uint32_t
tbuf_table_copy(enum tbuf_aggregator function)
{
	switch (function) {
	case TBUF_AGG_SUM:
	case TBUF_AGG_MIN:
	case TBUF_AGG_MAX:
	case TBUF_AGG_AVG:
		return (2);
	case TBUF_AGG_STDDEV:
		return (4);
	default:
		return (0);
	}
}

enum tbuf_table_step
tbuf_table_step(enum tbuf_aggregator function)
{
	switch (function) {
	case TBUF_AGG_SUM:
	case TBUF_AGG_AVG:
		return (TBUF_STEP_SUM);
	case TBUF_AGG_MIN:
	case TBUF_AGG_MAX:
		return (TBUF_STEP_PEAK);
	default:
		return (tbuf_table_copy(function) == 0 ? TBUF_STEP_UPDATE :
		    TBUF_STEP_NONE);
	}
}

uint32_t
tbuf_table_words(enum tbuf_aggregator function, uint64_t parameter)
{
	uint32_t copy = tbuf_table_copy(function);

	return (copy != 0 ? 1 + 2 * copy :
	    tbuf_aggregate_words(function, parameter));
}

void
tbuf_aggregate_initial(enum tbuf_aggregator function, uint64_t *words,
    uint32_t nwords)
{
	uint64_t value = function == TBUF_AGG_MIN ? INT64_MAX :
	    function == TBUF_AGG_MAX ? (uint64_t)INT64_MIN : 0;
	uint32_t i;

	for (i = 0; i < nwords; i++)
		words[i] = value;
}

uint32_t
tbuf_aggregate_bucket(enum tbuf_aggregator function, uint64_t parameter,
    int64_t value)
{
	switch (function) {
	case TBUF_AGG_QUANTIZE:
		return (tbuf_quantize_bucket(value));
	case TBUF_AGG_LQUANTIZE:
		return (linear_bucket(parameter, value));
	case TBUF_AGG_LLQUANTIZE:
		return (log_linear_bucket(parameter, value));
	default:
		return (0);
	}
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

static void
add_wide(uint64_t *words, wide more)
{
	wide sum = ((wide)words[1] << 64 | words[0]) + more;

	words[0] = (uint64_t)sum;
	words[1] = (uint64_t)(sum >> 64);
}

static bool
is_less(uint64_t a, uint64_t b)
{
	return ((int64_t)a < (int64_t)b);
}

void
tbuf_aggregate_update(enum tbuf_aggregator function, uint64_t parameter,
    uint64_t *words, uint64_t value, uint64_t weight)
{
	uint64_t size = magnitude((int64_t)value);

	switch (function) {
	case TBUF_AGG_COUNT:
		words[0]++;
		break;
	case TBUF_AGG_SUM:
		words[0] += value;
		break;
	case TBUF_AGG_MIN:
		if (is_less(value, words[0]))
			words[0] = value;
		break;
	case TBUF_AGG_MAX:
		if (is_less(words[0], value))
			words[0] = value;
		break;
	case TBUF_AGG_STDDEV:
		add_wide(words + 2, (wide)size * size);
		/* FALLTHROUGH */
	case TBUF_AGG_AVG:
		words[0]++;
		words[1] += value;
		break;
	default:
		words[tbuf_aggregate_bucket(function, parameter,
		    (int64_t)value)] += weight;
	}
}

void
tbuf_aggregate_merge(enum tbuf_aggregator function, uint64_t *words,
    const uint64_t *more, uint32_t nwords)
{
	uint32_t i;

	switch (function) {
	case TBUF_AGG_MIN:
		if (is_less(more[0], words[0]))
			words[0] = more[0];
		return;
	case TBUF_AGG_MAX:
		if (is_less(words[0], more[0]))
			words[0] = more[0];
		return;
	case TBUF_AGG_STDDEV:
		add_wide(words + 2, (wide)more[3] << 64 | more[2]);
		nwords = 2;
		break;
	default:
		break;
	}
	for (i = 0; i < nwords; i++)
		words[i] += more[i];
}
