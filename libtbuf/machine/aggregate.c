/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The aggregating functions: arithmetic on words only.
 */
#include "machine/aggregate.h"
#include "machine/aggregate_parameter.h"

__extension__ typedef unsigned __int128 wide;

/* Returns the value without its sign. */
static uint64_t
magnitude(int64_t value)
{
	return (value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* ------------------------------------------------------------ lquantize */

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

/* ------------------------------------------------------------ llquantize */

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
