/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parameters of quantizers, as programs have them (aggregate.h).
 */
#ifndef TBUF_MACHINE_AGGREGATE_PARAMETER_H
#define TBUF_MACHINE_AGGREGATE_PARAMETER_H

#include <stdbool.h>
#include <stdint.h>

/* ------------------------------------------------------------ lquantize */

struct linear {
	int64_t base;
	uint64_t step;
	uint32_t levels;
};

static inline struct linear
linear_of(uint64_t parameter)
{
	return ((struct linear){
		.base = (int32_t)(uint32_t)parameter,
		.step = parameter >> 48,
		.levels = parameter >> 32 & 0xffff
	});
}

static inline uint32_t
linear_words(uint64_t parameter)
{
	struct linear l = linear_of(parameter);

	return (l.step == 0 || l.levels == 0 ? 0 : l.levels + 2);
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
static inline uint64_t
power(uint64_t factor, uint32_t exponent)
{
	uint64_t value = 1;

	while (exponent-- > 0)
		value *= factor;
	return (value);
}

/* Returns true if factor^exponent has at most 64 bits. */
static inline bool
power_fits(uint64_t factor, uint32_t exponent)
{
	uint64_t value = 1;

	while (exponent-- > 0)
		if (__builtin_mul_overflow(value, factor, &value))
			return (false);
	return (true);
}

/* Reads the parameter of llquantize.  Returns false if it is invalid. */
static inline bool
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

#endif
