/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * aggpack: a histogram is one line, and each bucket one character.
 */
#include <inttypes.h>
#include <stdio.h>

#include "histogram.h"

#define LINEAR_WIDTH	8

/*
 * Returns the columns that a label takes, at least 4; a power of ten counts as
 * one digit less.
 */
static int
digits(int64_t value)
{
	uint64_t size = without_sign(value);
	uint64_t limit = 10;
	int n = value < 0 ? 2 : 1;

	for (; size > limit && limit <= UINT64_MAX / 10; limit *= 10)
		n++;
	return (n < 4 ? 4 : n);
}

static bool
is_linear(const struct tbuf_gathered *g)
{

	return (g->aggregation->function == FUNCTION_LQUANTIZE);
}

/* Returns the label of a bucket of quantize(): its bound nearer to 0. */
static int64_t
label(const struct tbuf_gathered *g, unsigned n)
{

	return (n < g->nbuckets / 2 ? g->buckets[n].high :
	    g->buckets[n].low);
}

/*
 * Finds the buckets to show: all of lquantize(); of quantize() those that have
 * counts, or that of 0 if none has.
 */
static void
find(const struct tbuf_gathered *g, unsigned *first, unsigned *last)
{

	if (is_linear(g)) {
		*first = 0;
		*last = g->nbuckets - 1;
	} else if (!histogram_range(g, first, last))
		*first = *last = g->nbuckets / 2;
}

void
packed_add(struct packed *packed, const struct tbuf_gathered *g)
{
	unsigned first, last;

	find(g, &first, &last);
	if (!packed->begun || first < packed->first)
		packed->first = first;
	if (!packed->begun || last > packed->last)
		packed->last = last;
	packed->begun = true;
}

/*
 * Widens the range of quantize() by a bucket on each side, but does not go
 * below 0 from a range that begins at 0.
 */
static void
widen(const struct packed *packed, const struct tbuf_gathered *g,
    unsigned *first, unsigned *last)
{

	*first = packed->first;
	*last = packed->last;
	if (is_linear(g))
		return;
	if (*first != 0 && *first != g->nbuckets / 2)
		(*first)--;
	if (*last < g->nbuckets - 1)
		(*last)++;
}

void
packed_head(struct output *out, const struct packed *packed,
    const struct tbuf_gathered *g, unsigned key_width)
{
	unsigned first, last, i;
	int least = LINEAR_WIDTH - 1, most = LINEAR_WIDTH;

	widen(packed, g, &first, &last);
	if (!is_linear(g)) {
		least = digits(label(g, first));
		most = digits(label(g, last));
	}
	output_printf(out, "\n%*s %*s .", (int)key_width,
	    key_width > 0 ? "key" : "", least, "min");
	for (i = first; i <= last; i++)
		output_printf(out, "-");
	output_printf(out, ". %-*s | count\n", most, "max");
}

/*
 * Prints a count as eighths of a block in UTF-8, or as a letter; letters for
 * counts below 0 hang down.
 */
static void
put_character(struct output *out, const struct packed *packed,
    int64_t count, long double total)
{
	static const char letters[] = "__xxxxXX", below[] = "vvvvVV";
	unsigned step;

	if (count == 0)
		output_printf(out, " ");
	else if (count < 0)
		output_printf(out, "%c", below[(unsigned)
		    (-(long double)count * 5 / total + 0.5L)]);
	else {
		step = (unsigned)((long double)count * 7 / total + 0.5L);
		if (packed->utf8)
			output_printf(out, "\xe2\x96%c",
			    (char)(0x81 + step));
		else
			output_printf(out, "%c", letters[step]);
	}
}

/* Prints the lowest label: a number for quantize(), "< N" for lquantize(). */
static void
put_least(struct output *out, const struct tbuf_gathered *g, unsigned first)
{
	char text[32];

	if (!is_linear(g)) {
		output_printf(out, " %*" PRId64 " :", digits(label(g, first)),
		    label(g, first));
		return;
	}
	(void)snprintf(text, sizeof(text), "< %" PRId64,
	    g->buckets[first].high + 1);
	output_printf(out, "%*s :", LINEAR_WIDTH, text);
}

static void
put_most(struct output *out, const struct tbuf_gathered *g, unsigned last)
{
	char text[32];

	if (!is_linear(g)) {
		output_printf(out, ": %-*" PRId64, digits(label(g, last)),
		    label(g, last));
		return;
	}
	(void)snprintf(text, sizeof(text), ">= %" PRId64,
	    g->buckets[last].low);
	output_printf(out, ": %-*s", LINEAR_WIDTH, text);
}

void
packed_put(struct output *out, const struct packed *packed,
    const struct tbuf_gathered *g)
{
	struct bars bars = { .zoom = packed->zoom };
	unsigned first, last, i;
	int64_t count = 0;

	widen(packed, g, &first, &last);
	for (i = first; i <= last; i++) {
		bars_add(&bars, g->buckets[i].count);
		count += g->buckets[i].count;
	}
	put_least(out, g, first);
	for (i = first; i <= last; i++)
		put_character(out, packed, g->buckets[i].count, bars.total);
	put_most(out, g, last);
	output_printf(out, " | %" PRId64 "\n", count);
}
