/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Histograms as DTrace draws them: a line for each bucket, a bar as long as the
 * bucket's share of all counts, one empty bucket on each side.  With aggpack a
 * histogram is one line, and each bucket one character.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "histogram.h"

#define BAR		40
#define ZOOM		0.95L	/* part of a bar for the largest count */
#define TITLE		"------------- Distribution -------------"
#define LINEAR_WIDTH	8	/* of labels of lquantize() in aggpack */

/* ------------------------------------------------------------ bars */

static long double
size_of(int64_t count)
{
	return (count < 0 ? -(long double)count : (long double)count);
}

void
bars_add(struct bars *bars, int64_t count)
{
	long double size = size_of(count);

	bars->positive |= count > 0;
	bars->negative |= count < 0;
	if (!bars->zoom)
		bars->total += size;
	else if (size / ZOOM > bars->total)
		bars->total = size / ZOOM;
}

static char *
put_run_of(char *p, char c, unsigned n)
{
	memset(p, c, n);
	return (p + n);
}

/*
 * Draws a bar.  Its axis is on the left; on the right if all counts are
 * negative; in the middle of bars of half the length if there are both.
 */
static char *
put_bar(char *p, const struct bars *bars, int64_t count)
{
	bool both = bars->positive && bars->negative;
	unsigned whole = both ? BAR / 2 : BAR, depth = 0;

	if (bars->total > 0)
		depth = (unsigned)(size_of(count) * whole / bars->total +
		    0.5L);
	if (!bars->negative || (both && count > 0)) {
		if (both)
			p = put_run_of(p, ' ', BAR / 2);
		*p++ = '|';
		p = put_run_of(p, '@', depth);
		return (put_run_of(p, ' ', whole - depth));
	}
	p = put_run_of(p, ' ', whole - depth);
	p = put_run_of(p, '@', depth);
	*p++ = '|';
	return (both ? put_run_of(p, ' ', BAR / 2) : p);
}

/* Draws a bar of whole blocks, then one of eighths from the left. */
static char *
put_blocks(char *p, long double length)
{
	unsigned whole = (unsigned)length, i;
	unsigned eighths = (unsigned)((length - whole) * 8);

	*p++ = '|';
	for (i = 0; i < whole; i++)
		p = put_literal(p, "\xe2\x96\x88");
	if (eighths != 0) {
		p = put_literal(p, "\xe2\x96");
		*p++ = (char)(0x90 - eighths);
		i++;
	}
	return (put_run_of(p, ' ', BAR - i));
}

void
bars_put(struct output *out, const struct bars *bars, int64_t count,
    int64_t shown)
{
	char *p = output_room(out, 3 * BAR + 1);

	if (bars->blocks && bars->positive && !bars->negative)
		p = put_blocks(p, size_of(count) * BAR / bars->total);
	else
		p = put_bar(p, bars, count);
	output_taken(out, p);
	output_printf(out, " %-9" PRId64 "\n", shown);
}

/* ------------------------------------------------------------ labels */

/*
 * Returns the index of the bucket of 0 of quantize() and llquantize(), the
 * middle one: there are as many buckets below it as above it.
 */
static unsigned
zero_of(const struct tbuf_gathered *g)
{
	return (g->nbuckets / 2);
}

static uint64_t
without_sign(int64_t value)
{
	return (value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Returns factor^(high + 1): all values from there on share a bucket. */
static uint64_t
log_linear_end(uint64_t parameter)
{
	uint64_t factor = parameter >> 48, end = factor;
	unsigned high = parameter >> 16 & 0xffff;

	while (high-- > 0)
		end *= factor;
	return (end);
}

/* Returns the label of a bucket of quantize(): its bound nearer to 0. */
static int64_t
quantize_label(const struct tbuf_gathered *g, unsigned n)
{
	return (n < zero_of(g) ? g->buckets[n].high : g->buckets[n].low);
}

static void
label_linear(char *text, size_t size, const struct tbuf_gathered *g,
    unsigned n)
{
	const struct tbuf_bucket *b = &g->buckets[n];

	if (n == 0)
		(void)snprintf(text, size, "< %" PRId64, b->high + 1);
	else
		(void)snprintf(text, size, "%s%" PRId64,
		    n == g->nbuckets - 1 ? ">= " : "", b->low);
}

/*
 * Writes the label of a bucket of llquantize().  `above` is set if no bucket
 * below 0 is shown.
 */
static void
label_log_linear(char *text, size_t size, const struct tbuf_gathered *g,
    unsigned n, bool above)
{
	const struct tbuf_bucket *b = &g->buckets[n];
	unsigned zero = zero_of(g);
	uint64_t nearest = without_sign(n < zero ? b->high : b->low);
	const char *end = "";

	if (n == zero && b->high == 0)
		(void)snprintf(text, size, "0");
	else if (n == zero)
		(void)snprintf(text, size, "%s< %" PRId64,
		    above ? "" : "abs() ", b->high + 1);
	else {
		if (nearest == log_linear_end(g->aggregation->parameter))
			end = n < zero ? "<= " : ">= ";
		(void)snprintf(text, size, "%s%s%" PRIu64, end,
		    n < zero ? "-" : "", nearest);
	}
}

static void
label(char *text, size_t size, const struct tbuf_gathered *g, unsigned n,
    unsigned first)
{
	switch (g->aggregation->function) {
	case FUNCTION_LQUANTIZE:
		label_linear(text, size, g, n);
		break;
	case FUNCTION_LLQUANTIZE:
		label_log_linear(text, size, g, n, first >= zero_of(g));
		break;
	default:
		(void)snprintf(text, size, "%" PRId64, quantize_label(g, n));
	}
}

/* ------------------------------------------------------------ histograms */

/* Selects buckets if none has a count: around 0, or the first ones. */
static void
find_default(const struct tbuf_gathered *g, unsigned *first, unsigned *last)
{
	switch (g->aggregation->function) {
	case FUNCTION_LQUANTIZE:
		*first = 0;
		break;
	case FUNCTION_LLQUANTIZE:
		*first = zero_of(g);
		break;
	default:
		*first = zero_of(g) - 1;
	}
	*last = *first + 2;
}

/* Finds the first and the last bucket with a count; false if none has one. */
static bool
find_counted(const struct tbuf_gathered *g, unsigned *first, unsigned *last)
{
	unsigned n = g->nbuckets;

	for (*first = 0; *first < n && g->buckets[*first].count == 0;)
		(*first)++;
	if (*first == n)
		return (false);
	for (*last = n - 1; g->buckets[*last].count == 0;)
		(*last)--;
	return (true);
}

static void
find_range(const struct tbuf_gathered *g, unsigned *first, unsigned *last)
{
	if (!find_counted(g, first, last)) {
		find_default(g, first, last);
		return;
	}
	if (*first > 0)
		(*first)--;
	if (*last < g->nbuckets - 1)
		(*last)++;
}

void
histogram_head(struct output *out, unsigned key_width)
{
	output_printf(out, "\n%*s %41s %-9s\n", key_width != 0 ?
	    (int)key_width : 16, key_width != 0 ? "key" : "value", TITLE,
	    "count");
}

void
histogram_put(struct output *out, const struct tbuf_gathered *g,
    struct bars bars)
{
	unsigned first, last, i;
	char text[48];

	find_range(g, &first, &last);
	for (i = first; i <= last; i++)
		bars_add(&bars, g->buckets[i].count);
	histogram_head(out, 0);
	for (i = first; i <= last; i++) {
		label(text, sizeof(text), g, i, first);
		output_printf(out, "%16s ", text);
		bars_put(out, &bars, g->buckets[i].count,
		    g->buckets[i].count / (int64_t)g->normal);
	}
}

/* ------------------------------------------------------------ aggpack */

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

/*
 * Finds the buckets to show: all of lquantize(); of quantize() those that have
 * counts, or that of 0 if none has.
 */
static void
find_packed(const struct tbuf_gathered *g, unsigned *first, unsigned *last)
{
	if (is_linear(g)) {
		*first = 0;
		*last = g->nbuckets - 1;
	} else if (!find_counted(g, first, last))
		*first = *last = zero_of(g);
}

void
packed_add(struct packed *packed, const struct tbuf_gathered *g)
{
	unsigned first, last;

	find_packed(g, &first, &last);
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
	if (*first != 0 && *first != zero_of(g))
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
		least = digits(quantize_label(g, first));
		most = digits(quantize_label(g, last));
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
		output_printf(out, " %*" PRId64 " :",
		    digits(quantize_label(g, first)), quantize_label(g, first));
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
		output_printf(out, ": %-*" PRId64,
		    digits(quantize_label(g, last)), quantize_label(g, last));
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
