/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Histograms: the buckets of quantize(), lquantize() and llquantize() as bars,
 * or the values of other aggregations, a bar for each key (agghist).
 */
#ifndef TBUFCTL_PRINT_HISTOGRAM_H
#define TBUFCTL_PRINT_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <tbuf_consumer.h>
#include "machine/program.h"

#include "base/output.h"

/* Functions of aggregations: struct tbuf_d_aggregation.function. */
enum function {
	FUNCTION_COUNT,
	FUNCTION_SUM,
	FUNCTION_MIN,
	FUNCTION_MAX,
	FUNCTION_AVG,
	FUNCTION_STDDEV,
	FUNCTION_QUANTIZE,
	FUNCTION_LQUANTIZE,
	FUNCTION_LLQUANTIZE
};

/* Scale and style of the bars of one histogram. */
struct bars {
	long double total;	/* value of a bar of full length */
	bool zoom;		/* aggzoom: scale by the largest, not the sum */
	bool blocks;		/* eighths of a character, in UTF-8 */
	bool positive;		/* there are counts above 0 */
	bool negative;		/* there are counts below 0 */
};

/* Adds a count, which will have a bar, to the scale. */
void	bars_add(struct bars *, int64_t count);
/*
 * Prints the bar of `count` and the number `shown`, up to the end of the line.
 */
void	bars_put(struct output *, const struct bars *, int64_t count,
	    int64_t shown);

/*
 * Prints the heading: "value", or "key" over key_width columns if that is not
 * 0.
 */
void	histogram_head(struct output *, unsigned key_width);

/* Prints a whole histogram with its heading; `bars` has the style. */
void	histogram_put(struct output *, const struct tbuf_gathered *,
	    struct bars);

/* ------------------------------------------------------------ aggpack */

/* Range of a quantizer's buckets, shown as one character each. */
struct packed {
	unsigned first, last;
	bool begun;
	bool zoom;
	bool utf8;		/* blocks; else letters */
};

/* Extends the range, which all lines share, by the buckets of a line. */
void	packed_add(struct packed *, const struct tbuf_gathered *);
void	packed_head(struct output *, const struct packed *,
	    const struct tbuf_gathered *, unsigned key_width);
/* Prints one line. */
void	packed_put(struct output *, const struct packed *,
	    const struct tbuf_gathered *);

#endif
