/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of tallies, and the order of tuples by value and by key.
 */
#include <string.h>

#include "consumer/script/agg.h"
#include "machine/aggregate.h"

__extension__ typedef unsigned __int128 wide;

/* ------------------------------------------------------------ values */

/* Returns the root rounded down, found bit by bit from the highest. */
static uint64_t
square_root(wide value)
{
	uint64_t root = 0, bit;

	for (bit = UINT64_C(1) << 63; bit != 0; bit >>= 1)
		if ((wide)(root | bit) * (root | bit) <= value)
			root |= bit;
	return (root);
}

/* Divides signed numbers; INT64_MIN / -1 wraps to INT64_MIN. */
static int64_t
divide(uint64_t value, uint64_t by)
{
	if (by == UINT64_MAX)
		return ((int64_t)(0 - value));
	return ((int64_t)value / (int64_t)by);
}

static int64_t
average(const uint64_t *words, uint64_t normal)
{
	if (words[0] == 0)
		return (0);
	return (divide((uint64_t)divide(words[1], normal), words[0]));
}

/*
 * Returns the root of the squares' average less the average's square, in
 * integers.  The squares are divided by the normal once, as in DTrace.
 */
static int64_t
deviation(const uint64_t *words, uint64_t normal)
{
	wide squares = (wide)words[3] << 64 | words[2];
	int64_t mean = average(words, normal);
	uint64_t size = mean < 0 ? 0 - (uint64_t)mean : (uint64_t)mean;

	if (words[0] == 0)
		return (0);
	return ((int64_t)square_root(squares / normal / words[0] -
	    (wide)size * size));
}

int64_t
tbuf_tally_value(const struct tbuf_d_aggregation *source,
    const uint64_t *words, uint64_t normal)
{
	switch (source->function) {
	case TBUF_AGG_AVG:
		return (average(words, normal));
	case TBUF_AGG_STDDEV:
		return (deviation(words, normal));
	default:
		return (divide(words[0], normal));
	}
}

/* ------------------------------------------------------------ ranks */

/* Returns the value that a bucket stands for, in sorting, as in DTrace. */
static long double
label(const struct tbuf_d_aggregation *source, uint32_t n, uint32_t nwords,
    int64_t low, int64_t high)
{
	if (source->function == TBUF_AGG_LQUANTIZE)
		return (n == 0 ? (long double)high : n == nwords - 1 ?
		    (long double)low + 1 : (long double)low);
	if (n == nwords / 2)
		return (0);
	return (n < nwords / 2 ? (long double)high : (long double)low);
}

static struct tbuf_rank
rank_buckets(const struct tbuf_d_aggregation *source, const uint64_t *words,
    uint32_t nwords)
{
	struct tbuf_rank rank = { .sum = 0, .zero = 0 };
	int64_t low, high;
	long double value;
	uint32_t i;

	for (i = 0; i < nwords; i++) {
		if (words[i] == 0 || !tbuf_aggregate_bounds(source->function,
		    source->parameter, i, &low, &high))
			continue;
		value = label(source, i, nwords, low, high);
		if (value == 0)
			rank.zero = (int64_t)words[i];
		rank.sum += value * (long double)(int64_t)words[i];
	}
	return (rank);
}

struct tbuf_rank
tbuf_tally_rank(const struct tbuf_aggregation *one,
    const struct tbuf_tally *t)
{
	struct tbuf_rank rank = { .sum = 0, .zero = 0 };

	if (t->empty)
		return (rank);
	if (tbuf_aggregate_has_buckets(one->source->function))
		return (rank_buckets(one->source, t->words, one->nwords));
	rank.sum = (long double)tbuf_tally_value(one->source, t->words, 1);
	return (rank);
}

int
tbuf_rank_compare(const struct tbuf_rank *a, const struct tbuf_rank *b)
{
	if (a->sum != b->sum)
		return (a->sum < b->sum ? -1 : 1);
	return ((a->zero > b->zero) - (a->zero < b->zero));
}

/* ------------------------------------------------------------ keys */

/* Compares numbers of the declared size as unsigned, signed ones, too. */
static int
compare_numbers(const struct tbuf_d_piece *piece, uint64_t a, uint64_t b)
{
	uint32_t size = piece->shape != NULL ? piece->shape->size : 8;
	uint64_t mask = size != 0 && size < 8 ?
	    (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;

	a &= mask;
	b &= mask;
	return ((a > b) - (a < b));
}

static int
compare_bytes(const struct tbuf_value *a, const struct tbuf_value *b)
{
	uint32_t least = a->size < b->size ? a->size : b->size;
	int order;

	if (a->null != b->null)
		return (a->null ? -1 : 1);
	order = least == 0 ? 0 : memcmp(a->data, b->data, least);
	return (order != 0 ? order : (a->size > b->size) -
	    (a->size < b->size));
}

int
tbuf_key_compare(const struct tbuf_d_aggregation *source,
    const struct tbuf_value *a, const struct tbuf_value *b, uint64_t from)
{
	uint32_t n = source->nkeys, i, at;
	int order = 0;

	at = from < n ? (uint32_t)from : 0;
	for (i = 0; i < n && order == 0; i++, at = (at + 1) % n) {
		if (source->keys[at].kind == TBUF_PIECE_INTEGER)
			order = compare_numbers(&source->keys[at], a[at].u,
			    b[at].u);
		else if (a[at].type == TBUF_STRING ||
		    a[at].type == TBUF_BINARY)
			order = compare_bytes(&a[at], &b[at]);
		else
			order = (a[at].u > b[at].u) - (a[at].u < b[at].u);
	}
	return (order);
}
