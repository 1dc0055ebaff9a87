/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tuples: the tallies of several aggregations with the same key, sorted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/decode/record_layout.h"
#include "consumer/script/agg.h"
#include "machine/aggregate.h"

/* A tuple before sorting. */
struct row {
	struct tbuf_tally **tallies;	/* of each id; NULL: there is none */
	struct tbuf_rank *ranks;
	const struct tbuf_value *keys;
};

/* A walk over tuples: its arguments and its memory. */
struct walk {
	struct tbuf_aggregates *table;
	const uint32_t *ids;
	unsigned nids;
	const struct tbuf_d_aggregation *first;	/* has the keys' types */
	const struct tbuf_aggregate_order *order;
	struct tbuf_tally **found;
	size_t nfound;
	struct row *rows;
	size_t nrows;
	struct tbuf_tally **tallies;
	struct tbuf_rank *ranks;
	struct tbuf_value *keys;
	struct tbuf_gathered *values;	/* of ids, then of ids' CPUs */
	struct tbuf_bucket *buckets;
};

static bool
is_wanted(const struct walk *w, uint32_t id)
{
	unsigned i;

	for (i = 0; i < w->nids; i++)
		if (w->ids[i] == id)
			return (true);
	return (false);
}

static int
collect(struct walk *w)
{
	struct tbuf_tally *t;

	w->found = calloc(w->table->ntallies + 1u, sizeof(struct tbuf_tally *));
	if (w->found == NULL)
		return (-ENOMEM);
	TAILQ_FOREACH(t, &w->table->tallies, link)
		if (is_wanted(w, t->id))
			w->found[w->nfound++] = t;
	return (0);
}

/* ------------------------------------------------------------ rows */

/* Sorts tallies so that equal keys are adjacent. */
static int
compare_key_bytes(const void *a, const void *b)
{
	const struct tbuf_tally *x = *(struct tbuf_tally *const *)a;
	const struct tbuf_tally *y = *(struct tbuf_tally *const *)b;

	if (x->key_size != y->key_size)
		return (x->key_size < y->key_size ? -1 : 1);
	return (memcmp(x->key, y->key, x->key_size));
}

static void
add_to_row(const struct walk *w, struct row *row, struct tbuf_tally *t)
{
	unsigned i;

	for (i = 0; i < w->nids; i++) {
		if (w->ids[i] != t->id)
			continue;
		row->tallies[i] = t;
		row->ranks[i] = tbuf_tally_rank(&w->table->all[t->id], t);
	}
}

static int
make_rows(struct walk *w)
{
	size_t n = w->nfound + 1, nkeys = w->first->nkeys, i;
	struct row *row = NULL;

	w->rows = calloc(n, sizeof(*w->rows));
	w->tallies = calloc(n, w->nids * sizeof(struct tbuf_tally *));
	w->ranks = calloc(n, w->nids * sizeof(*w->ranks));
	w->keys = calloc(n, (nkeys + 1) * sizeof(*w->keys));
	if (w->rows == NULL || w->tallies == NULL || w->ranks == NULL ||
	    w->keys == NULL)
		return (-ENOMEM);
	/* One aggregation has each key once. */
	if (w->nids > 1)
		qsort(w->found, w->nfound, sizeof(struct tbuf_tally *),
		    compare_key_bytes);
	for (i = 0; i < w->nfound; i++) {
		if (row == NULL || compare_key_bytes(&w->found[i - 1],
		    &w->found[i]) != 0) {
			row = &w->rows[w->nrows];
			row->tallies = w->tallies + w->nrows * w->nids;
			row->ranks = w->ranks + w->nrows * w->nids;
			row->keys = w->keys + w->nrows * nkeys;
			tbuf_pieces_read(w->first->keys, w->first->nkeys,
			    w->found[i]->key, w->keys + w->nrows * nkeys);
			w->nrows++;
		}
		add_to_row(w, row, w->found[i]);
	}
	return (0);
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	const struct walk *w = arg;
	const struct tbuf_aggregate_order *o = w->order;
	const struct row *x = a, *y = b;
	unsigned from = o->position < w->nids ? (unsigned)o->position : 0, i;
	int order = 0;

	if (tbuf_aggregates_hurried(w->table))
		return (0);
	if (o->by_key)
		order = tbuf_key_compare(w->first, x->keys, y->keys,
		    o->key_position);
	for (i = 0; i < w->nids && order == 0; i++)
		order = tbuf_rank_compare(&x->ranks[(from + i) % w->nids],
		    &y->ranks[(from + i) % w->nids]);
	if (order == 0)
		order = tbuf_key_compare(w->first, x->keys, y->keys,
		    o->key_position);
	return (o->reversed ? -order : order);
}

static int
prepare(struct walk *w)
{
	struct tbuf_aggregation *one;
	unsigned i;
	int error;

	if (w->nids == 0)
		return (-EINVAL);
	for (i = w->nids; i > 0; i--) {
		one = tbuf_aggregation_find(w->table, w->ids[i - 1]);
		if (one == NULL)
			return (-EINVAL);
		w->first = one->source;
	}
	if ((error = collect(w)) != 0 || (error = make_rows(w)) != 0)
		return (error);
	qsort_r(w->rows, w->nrows, sizeof(*w->rows), compare_rows, w);
	return (0);
}

static void
finish(struct walk *w)
{
	free(w->found);
	free(w->rows);
	free(w->tallies);
	free(w->ranks);
	free(w->keys);
	free(w->values);
	free(w->buckets);
}

/* ------------------------------------------------------------ visiting */

/* Allocates the values of a tuple and their buckets. */
static int
make_values(struct walk *w)
{
	size_t room = 0, each = 1 + w->table->ncpus;
	unsigned i;

	for (i = 0; i < w->nids; i++)
		room += w->table->all[w->ids[i]].nwords;
	w->values = calloc(w->nids * each, sizeof(*w->values));
	w->buckets = calloc(room * each + 1, sizeof(*w->buckets));
	return (w->values == NULL || w->buckets == NULL ? -ENOMEM : 0);
}

/* Fills in an aggregation's buckets from low to high; returns their number. */
static unsigned
give_buckets(const struct tbuf_aggregation *one, const uint64_t *words,
    struct tbuf_bucket *to)
{
	struct tbuf_bucket *begin = to;
	uint32_t i;

	for (i = 0; i < one->nwords; i++) {
		if (!tbuf_aggregate_bounds(one->source->function,
		    one->source->parameter, i, &to->low, &to->high))
			continue;
		to->count = words == NULL ? 0 : (int64_t)words[i];
		to++;
	}
	return ((unsigned)(to - begin));
}

/* Fills in a value, 0 without words.  Returns the place for more buckets. */
static struct tbuf_bucket *
give_words(const struct tbuf_aggregation *one, const uint64_t *words,
    struct tbuf_bucket *buckets, struct tbuf_gathered *to)
{
	memset(to, 0, sizeof(*to));
	to->aggregation = one->source;
	to->normal = one->normal;
	if (tbuf_aggregate_has_buckets(one->source->function)) {
		to->buckets = buckets;
		to->nbuckets = give_buckets(one, words, buckets);
	} else if (words != NULL) {
		to->value = tbuf_tally_value(one->source, words, one->normal);
		to->whole = tbuf_tally_value(one->source, words, 1);
		if (one->source->function == TBUF_AGG_AVG ||
		    one->source->function == TBUF_AGG_STDDEV) {
			to->number = words[0];
			to->total = (int64_t)words[1];
		}
	}
	return (buckets + to->nbuckets);
}

static struct tbuf_bucket *
give_value(const struct walk *w, unsigned j, const struct tbuf_tally *t,
    struct tbuf_bucket *buckets)
{
	const struct tbuf_aggregation *one = &w->table->all[w->ids[j]];
	unsigned ncpus = w->table->ncpus, cpu;
	struct tbuf_gathered *cpus = w->values + w->nids + (size_t)j * ncpus;

	if (t != NULL && t->empty)
		t = NULL;
	buckets = give_words(one, t == NULL ? NULL : t->words, buckets,
	    &w->values[j]);
	w->values[j].ncpus = ncpus;
	w->values[j].cpus = ncpus == 0 ? NULL : cpus;
	for (cpu = 0; cpu < ncpus; cpu++)
		buckets = give_words(one, t == NULL ? NULL :
		    tbuf_tally_cpu(w->table, t, cpu), buckets, &cpus[cpu]);
	return (buckets);
}

static int
give(struct walk *w, int (*visit)(void *, const struct tbuf_tuple *),
    void *arg)
{
	struct tbuf_tuple tuple = {
		.nkeys = w->first->nkeys, .nvalues = w->nids,
		.values = w->values
	};
	struct tbuf_bucket *buckets;
	unsigned j;
	size_t i;
	int stop;

	for (i = 0; i < w->nrows; i++) {
		tuple.keys = w->rows[i].keys;
		buckets = w->buckets;
		for (j = 0; j < w->nids; j++)
			buckets = give_value(w, j, w->rows[i].tallies[j],
			    buckets);
		if ((stop = visit(arg, &tuple)) != 0)
			return (stop);
	}
	return (0);
}

int
tbuf_aggregates_walk(struct tbuf_aggregates *table, const uint32_t *ids,
    unsigned nids, const struct tbuf_aggregate_order *order,
    int (*visit)(void *, const struct tbuf_tuple *), void *arg)
{
	struct walk w = {
		.table = table, .ids = ids, .nids = nids, .order = order
	};
	int error;

	if ((error = tbuf_aggregates_name(table)) == 0 &&
	    (error = prepare(&w)) == 0 && (error = make_values(&w)) == 0)
		error = give(&w, visit, arg);
	finish(&w);
	return (error);
}

int
tbuf_aggregates_trunc(struct tbuf_aggregates *table, uint32_t id, int64_t n)
{
	const struct tbuf_aggregate_order order = { .reversed = n >= 0 };
	struct walk w = {
		.table = table, .ids = &id, .nids = 1, .order = &order
	};
	uint64_t keep = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	size_t i;
	int error;

	if ((error = tbuf_aggregates_name(table)) == 0 &&
	    (error = prepare(&w)) == 0)
		for (i = keep < w.nrows ? keep : w.nrows; i < w.nrows; i++)
			tbuf_tally_remove(table, w.rows[i].tallies[0]);
	finish(&w);
	return (error);
}
