/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The hash table of tallies, with limits for each CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/script/agg.h"
#include "machine/aggregate.h"

#define FIRST_BUCKETS	256

/* ------------------------------------------------------------ making */

static int
add_aggregation(struct tbuf_aggregates *a,
    const struct tbuf_d_aggregation *source)
{
	struct tbuf_aggregation *to = &a->all[source->id];

	to->source = source;
	to->normal = 1;
	if (source->function < TBUF_AGGREGATORS)
		to->nwords = tbuf_aggregate_words(source->function,
		    source->parameter);
	return (to->nwords == 0 ? -EINVAL : 0);
}

int
tbuf_aggregates_make(struct tbuf_aggregates *a,
    const struct tbuf_d_script *script)
{
	const struct tbuf_d_aggregation *source;
	uint32_t i;
	int error = 0;

	TAILQ_INIT(&a->tallies);
	tbuf_secret_make(&a->secret);
	for (i = 0; i < script->naggregations; i++) {
		source = &script->aggregations[i];
		if (source->id >= script->naggregations)
			return (-EINVAL);
		if (source->id >= a->count)
			a->count = source->id + 1;
	}
	if (a->count == 0)
		return (0);
	a->all = calloc(a->count, sizeof(*a->all));
	a->used = calloc(TBUF_NCPUS, sizeof(*a->used));
	if (a->all == NULL || a->used == NULL)
		return (-ENOMEM);
	for (i = 0; i < script->naggregations && error == 0; i++)
		error = add_aggregation(a, &script->aggregations[i]);
	return (error);
}

void
tbuf_aggregates_free(struct tbuf_aggregates *a)
{
	struct tbuf_tally *t;

	/* The tables may have been made in part. */
	while (a->ntallies != 0 && (t = TAILQ_FIRST(&a->tallies)) != NULL)
		tbuf_tally_remove(a, t);
	free(a->buckets);
	free(a->used);
	free(a->all);
}

struct tbuf_aggregation *
tbuf_aggregation_find(struct tbuf_aggregates *a, uint32_t id)
{
	if (id >= a->count || a->all[id].source == NULL)
		return (NULL);
	return (&a->all[id]);
}

void
tbuf_aggregates_apart(struct tbuf_aggregates *a, unsigned ncpus)
{
	if (a->ntallies == 0)
		a->ncpus = ncpus;
}

/* ------------------------------------------------------------ aggsize */

static uint64_t
piece_size(const struct tbuf_d_piece *piece, uint64_t strsize)
{
	switch (piece->kind) {
	case TBUF_PIECE_TEXT:
		return (strsize);
	case TBUF_PIECE_BYTES:
		return (piece->bytes);
	case TBUF_PIECE_INTEGER:
		if (piece->shape != NULL && piece->shape->size != 0)
			return (piece->shape->size);
		break;
	case TBUF_PIECE_ARGUMENT:
	case TBUF_PIECE_STACK:	/* not in keys */
		break;
	}
	return (8);
}

/* Returns the bytes of a key: an id of 4, then pieces; numbers are aligned. */
static uint64_t
key_charge(const struct tbuf_d_aggregation *source, uint64_t strsize)
{
	uint64_t at = 4, size;
	uint32_t i;

	for (i = 0; i < source->nkeys; i++) {
		size = piece_size(&source->keys[i], strsize);
		if (source->keys[i].kind == TBUF_PIECE_INTEGER && size <= 8)
			at = (at + size - 1) & ~(size - 1);
		at += size;
	}
	return (at);
}

bool
tbuf_aggregates_limit(struct tbuf_aggregates *a, uint64_t aggsize,
    uint64_t strsize)
{
	const struct tbuf_aggregation *one;
	uint64_t key = 0, data = 0, size;

	if (a->count == 0)
		return (true);
	for (one = a->all; one < a->all + a->count; one++) {
		if (one->source == NULL)
			continue;
		if ((size = key_charge(one->source, strsize)) > key)
			key = size;
		/* One more word says whether the value has been cleared. */
		if ((size = (one->nwords + 1) * sizeof(uint64_t)) > data)
			data = size;
	}
	a->places = aggsize / (key + data);
	return (a->places != 0);
}

/* ------------------------------------------------------------ tallies */

static struct tbuf_tally **
bucket(const struct tbuf_aggregates *a, uint64_t h)
{
	return (&a->buckets[h & (a->nbuckets - 1)]);
}

static struct tbuf_tally *
find(const struct tbuf_aggregates *a, uint32_t id, const void *key,
    uint32_t size, uint64_t h)
{
	struct tbuf_tally *t;

	if (a->nbuckets == 0)
		return (NULL);
	for (t = *bucket(a, h); t != NULL; t = t->next)
		if (t->hash == h && t->id == id && t->key_size == size &&
		    memcmp(t->key, key, size) == 0)
			return (t);
	return (NULL);
}

/* Keeps at least as many buckets as tallies.  Returns false without memory. */
static bool
grow(struct tbuf_aggregates *a)
{
	uint32_t n = a->nbuckets != 0 ? 2 * a->nbuckets : FIRST_BUCKETS;
	struct tbuf_tally **buckets, *t, **to;

	if (a->ntallies < a->nbuckets)
		return (true);
	if ((buckets = calloc(n, sizeof(*buckets))) == NULL)
		return (false);
	free(a->buckets);
	a->buckets = buckets;
	a->nbuckets = n;
	TAILQ_FOREACH(t, &a->tallies, link) {
		to = bucket(a, t->hash);
		t->next = *to;
		*to = t;
	}
	return (true);
}

static struct tbuf_tally *
make(struct tbuf_aggregates *a, uint32_t id, const void *key, uint32_t size,
    uint64_t h)
{
	struct tbuf_tally *t, **to;

	if (!grow(a) || (t = calloc(1, sizeof(*t) + size)) == NULL)
		return (NULL);
	t->words = calloc((size_t)a->all[id].nwords * (1 + a->ncpus),
	    sizeof(*t->words));
	if (t->words == NULL) {
		free(t);
		return (NULL);
	}
	t->hash = h;
	t->id = id;
	t->key_size = size;
	if (size != 0)
		memcpy(t->key, key, size);
	tbuf_tally_clear(a, t);
	to = bucket(a, h);
	t->next = *to;
	*to = t;
	TAILQ_INSERT_TAIL(&a->tallies, t, link);
	a->ntallies++;
	return (t);
}

struct tbuf_tally *
tbuf_tally_get(struct tbuf_aggregates *a, uint32_t id, const void *key,
    uint32_t size)
{
	uint64_t h = tbuf_keyed_hash(&a->secret, id, 0, key, size);
	struct tbuf_tally *t = find(a, id, key, size, h);

	return (t != NULL ? t : make(a, id, key, size, h));
}

static bool
is_placed(const struct tbuf_tally *t, unsigned cpu)
{
	return ((t->cpus[cpu / 64] >> cpu % 64 & 1) != 0);
}

struct tbuf_tally *
tbuf_tally_place(struct tbuf_aggregates *a, uint32_t id, const void *key,
    uint32_t size, unsigned cpu)
{
	uint64_t h = tbuf_keyed_hash(&a->secret, id, 0, key, size);
	struct tbuf_tally *t = find(a, id, key, size, h);

	if (t != NULL && is_placed(t, cpu))
		return (t);
	if (a->used[cpu] >= a->places)
		return (NULL);
	if (t == NULL && (t = make(a, id, key, size, h)) == NULL)
		return (NULL);
	t->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	a->used[cpu]++;
	return (t);
}

uint64_t *
tbuf_tally_cpu(const struct tbuf_aggregates *a, const struct tbuf_tally *t,
    unsigned cpu)
{
	return (cpu < a->ncpus ?
	    t->words + (size_t)a->all[t->id].nwords * (1 + cpu) : NULL);
}

void
tbuf_tally_update(struct tbuf_aggregates *a, struct tbuf_tally *t,
    unsigned cpu, uint64_t value, uint64_t weight)
{
	const struct tbuf_d_aggregation *source = a->all[t->id].source;
	uint64_t *words = tbuf_tally_cpu(a, t, cpu);

	t->empty = false;
	tbuf_aggregate_update(source->function, source->parameter, t->words,
	    value, weight);
	if (words != NULL)
		tbuf_aggregate_update(source->function, source->parameter,
		    words, value, weight);
}

static void
merge(const struct tbuf_aggregation *one, uint64_t *to, const uint64_t *from)
{
	tbuf_aggregate_merge(one->source->function, to, from, one->nwords);
}

void
tbuf_tally_merge(struct tbuf_aggregates *a, struct tbuf_tally *t,
    unsigned cpu, const uint64_t *words)
{
	uint64_t *own = tbuf_tally_cpu(a, t, cpu);

	t->empty = false;
	merge(&a->all[t->id], t->words, words);
	if (own != NULL)
		merge(&a->all[t->id], own, words);
}

void
tbuf_tally_join(struct tbuf_aggregates *a, struct tbuf_tally *t,
    const struct tbuf_tally *from)
{
	unsigned cpu;

	if (from->empty)
		return;
	t->empty = false;
	merge(&a->all[t->id], t->words, from->words);
	for (cpu = 0; cpu < a->ncpus; cpu++)
		merge(&a->all[t->id], tbuf_tally_cpu(a, t, cpu),
		    tbuf_tally_cpu(a, from, cpu));
}

void
tbuf_tally_clear(struct tbuf_aggregates *a, struct tbuf_tally *t)
{
	const struct tbuf_aggregation *one = &a->all[t->id];
	unsigned cpu;

	/* The words of each CPU follow those of all CPUs. */
	for (cpu = 0; cpu <= a->ncpus; cpu++)
		tbuf_aggregate_initial(one->source->function,
		    t->words + (size_t)one->nwords * cpu, one->nwords);
	t->empty = true;
}

void
tbuf_tally_remove(struct tbuf_aggregates *a, struct tbuf_tally *t)
{
	struct tbuf_tally **p = bucket(a, t->hash);
	uint64_t cpus;
	unsigned i;

	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
	TAILQ_REMOVE(&a->tallies, t, link);
	a->ntallies--;
	for (i = 0; i < TBUF_NCPUS / 64; i++)
		for (cpus = t->cpus[i]; cpus != 0; cpus &= cpus - 1)
			a->used[64 * i + (unsigned)__builtin_ctzll(cpus)]--;
	free(t->words);
	free(t);
}
