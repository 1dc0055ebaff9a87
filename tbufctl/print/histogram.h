/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Histograms: what quantize() and its kin gathered for a key, as bars; and
 * what other aggregations did, key by key (agghist).
 */
#ifndef TBUFCTL_PRINT_HISTOGRAM_H
#define TBUFCTL_PRINT_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <tbuf_consumer.h>
#include "machine/program.h"

#include "base/output.h"

/* The functions of aggregations: struct tbuf_d_aggregation.function. */
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

/* What the bars of one histogram are drawn by. */
struct bars {
	long double total;	/* what a whole bar stands for */
	bool zoom;		/* aggzoom: the largest, not the sum */
	bool blocks;		/* of eighths of a character, as UTF-8 */
	bool positive;		/* there are counts above 0, ... */
	bool negative;		/* ... and below */
};

/* A count that will have a bar. */
void	bars_add(struct bars *, int64_t count);
/* The bar and the count, up to the end of the line. */
void	bars_put(struct output *, const struct bars *, int64_t count,
	    int64_t shown);

/* What stands above: "value", or "key" over columns of that width. */
void	histogram_head(struct output *, unsigned key_width);

/* A whole one, with the line above it; the bars say how they are drawn. */
void	histogram_put(struct output *, const struct tbuf_gathered *,
	    struct bars);

/* ------------------------------------------------------------ aggpack */

/* Buckets of a quantizer that are shown as one character each. */
struct packed {
	unsigned first, last;
	bool begun;
	bool zoom;
	bool utf8;		/* blocks; else letters */
};

/* What all lines have in common: another one will be shown. */
void	packed_add(struct packed *, const struct tbuf_gathered *);
void	packed_head(struct output *, const struct packed *,
	    const struct tbuf_gathered *, unsigned key_width);
/* Up to the end of the line. */
void	packed_put(struct output *, const struct packed *,
	    const struct tbuf_gathered *);

#endif
