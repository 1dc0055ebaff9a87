/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/write_number.h"
#include "machine/code.h"
#include "print/address.h"
#include "print/value.h"
#include "series.h"

#define OTHER		"_other"

/* Bounds of quantize() by default: up to 2^40 - 1, 18 minutes in ns. */
#define HIGH_DEFAULT	((INT64_C(1) << 40) - 1)

static const struct value_style style = {
	.null = "", .byte = "\\x", .quote = "", .cut = ""
};

/* ------------------------------------------------------------ functions */

static bool
is_quantizer(const struct metric *m)
{
	return (m->source->function >= TBUF_AGG_QUANTIZE);
}

/* Returns true if the metric is the present value, which may fall. */
static bool
is_gauge(const struct metric *m)
{
	return (m->source->function == TBUF_AGG_SUM ||
	    m->source->function == TBUF_AGG_MIN ||
	    m->source->function == TBUF_AGG_MAX);
}

static const char *
type_of(const struct tbuf_d_aggregation *source)
{
	switch (source->function) {
	case TBUF_AGG_COUNT:
		return ("counter");
	case TBUF_AGG_AVG:
		return ("summary");
	case TBUF_AGG_QUANTIZE:
	case TBUF_AGG_LQUANTIZE:
	case TBUF_AGG_LLQUANTIZE:
		return ("histogram");
	default:
		return ("gauge");
	}
}

/* ------------------------------------------------------------ series */

static int
compare(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	if (x->size != y->size)
		return (x->size < y->size ? -1 : 1);
	return (memcmp(x->labels, y->labels, x->size));
}

/* Words of a value: buckets, or one or two, and one for a sum. */
static size_t
words(const struct metric *m)
{
	return (m->nbuckets + 3);
}

static struct series *
series_make(const struct metric *m, const struct output *labels)
{
	struct series *s = memory_get(NULL, 1, sizeof(*s));
	size_t n = words(m);

	*s = (struct series){ .size = labels->used };
	s->labels = memory_get(NULL, s->size + 1, 1);
	memcpy(s->labels, labels->buffer, s->size);
	s->now = memory_get(NULL, 3 * n, sizeof(*s->now));
	memset(s->now, 0, 3 * n * sizeof(*s->now));
	s->seen = s->now + n;
	s->total = s->seen + n;
	return (s);
}

static void
series_free(struct series *s)
{
	if (s == NULL)
		return;
	free(s->labels);
	free(s->now);
	free(s);
}

static struct series *
other_get(struct metric *m)
{
	struct output labels;
	size_t i;

	if (m->other != NULL)
		return (m->other);
	output_memory(&labels);
	for (i = 0; i < m->option->nlabels; i++)
		label_text(&labels, m->option->labels[i], OTHER);
	m->other = series_make(m, &labels);
	free(labels.buffer);
	return (m->other);
}

/* Returns the series of m->labels; all beyond metrickeys are one. */
static struct series *
series_get(struct metric *m)
{
	struct series key = {
		.labels = m->labels.buffer, .size = m->labels.used
	}, **found, *s;
	uint64_t most = m->options->keys != 0 ? m->options->keys : METRIC_KEYS;

	if ((found = tfind(&key, &m->tree, compare)) != NULL)
		return (*found);
	if (m->count >= most || (m->other != NULL &&
	    compare(&key, m->other) == 0)) {
		m->beyond++;
		return (other_get(m));
	}
	s = series_make(m, &m->labels);
	if (tsearch(s, &m->tree, compare) == NULL)
		exit(fail(MSG_MEMORY));
	m->all = memory_get(m->all, m->count + 1, sizeof(struct series *));
	m->all[m->count++] = s;
	return (s);
}

/* ------------------------------------------------------------ labels */

static void
label_key(struct output *labels, const char *name,
    const struct tbuf_d_piece *piece, const struct tbuf_value *key)
{
	struct tbuf_value value;
	struct output text;
	struct datum d;

	datum_get(&d, piece, key);
	output_memory(&text);
	if (d.kind == DATUM_TEXT) {
		label_put(labels, name, d.data, datum_text_length(&d));
		free(text.buffer);
		return;
	}
	if (address_is_symbol(&d))
		address_put_symbol(&text, &d);
	else {
		value_typed(&value, piece, key);
		output_taken(&text, value_put(&text, output_room(&text,
		    OUTPUT_NUMBER), &value, &style, 0));
	}
	label_put(labels, name, text.buffer, text.used);
	free(text.buffer);
}

static struct series *
series_of(struct metric *m, const struct tbuf_tuple *t)
{
	unsigned i;

	m->labels.used = 0;
	for (i = 0; i < t->nkeys && i < m->option->nlabels; i++)
		label_key(&m->labels, m->option->labels[i],
		    &t->values[0].aggregation->keys[i], &t->keys[i]);
	return (series_get(m));
}

/* ------------------------------------------------------------ looks */

/* Adds a value to the words of this look: several keys may be one series. */
static void
add(const struct metric *m, struct series *s, const struct tbuf_gathered *g)
{
	int64_t *now = s->now;
	unsigned i;

	switch (m->source->function) {
	case TBUF_AGG_MIN:
		now[0] = s->present && now[0] < g->whole ? now[0] : g->whole;
		break;
	case TBUF_AGG_MAX:
		now[0] = s->present && now[0] > g->whole ? now[0] : g->whole;
		break;
	case TBUF_AGG_AVG:
		now[0] = (int64_t)((uint64_t)now[0] + g->number);
		now[1] = (int64_t)((uint64_t)now[1] + (uint64_t)g->total);
		break;
	case TBUF_AGG_COUNT:
	case TBUF_AGG_SUM:
		now[0] = (int64_t)((uint64_t)now[0] + (uint64_t)g->whole);
		break;
	default:
		for (i = 0; i < g->nbuckets && i < m->nbuckets; i++)
			now[i] = (int64_t)((uint64_t)now[i] +
			    (uint64_t)g->buckets[i].count);
	}
	s->present = true;
}

/* Remembers the bounds of all buckets, which no value changes. */
static void
buckets_keep(struct metric *m, const struct tbuf_gathered *g)
{
	m->buckets = memory_get(NULL, g->nbuckets, sizeof(*m->buckets));
	memcpy(m->buckets, g->buckets, g->nbuckets * sizeof(*m->buckets));
	m->nbuckets = g->nbuckets;
}

static int
visit(void *arg, const struct tbuf_tuple *t)
{
	struct metric *m = arg;

	if (m->nbuckets == 0 && t->values[0].nbuckets != 0)
		buckets_keep(m, &t->values[0]);
	add(m, series_of(m, t), &t->values[0]);
	return (0);
}

static int
visit_sum(void *arg, const struct tbuf_tuple *t)
{
	struct metric *m = arg;
	struct series *s = series_of(m, t);
	int64_t *sum = &s->now[m->nbuckets];

	s->summed = true;
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)t->values[0].whole);
	return (0);
}

static void
clear(const struct metric *m, struct series *s)
{
	memset(s->now, 0, words(m) * sizeof(*s->now));
	s->present = false;
}

/* Adds the change since the last look; only a sum may become less. */
static void
settle(const struct metric *m, struct series *s, bool again)
{
	size_t i, n = words(m), falls = is_quantizer(m) ? m->nbuckets : 1;

	for (i = 0; i < n; i++) {
		if (!again && (i >= falls || s->now[i] > s->seen[i]))
			s->total[i] = (int64_t)((uint64_t)s->total[i] +
			    (uint64_t)s->now[i] - (uint64_t)s->seen[i]);
		s->seen[i] = s->now[i];
	}
}

void
metric_look(struct metric *m, bool again)
{
	size_t i;

	m->beyond = 0;
	for (i = 0; i < m->count; i++)
		clear(m, m->all[i]);
	if (m->other != NULL)
		clear(m, m->other);
	(void)tbuf_consumer_aggregates(m->consumer, &m->source->id, 1, visit,
	    m);
	/* A sum has no place before its histogram has a key. */
	if (m->sum != NULL && m->nbuckets != 0)
		(void)tbuf_consumer_aggregates(m->consumer, &m->sum->id, 1,
		    visit_sum, m);
	for (i = 0; i < m->count; i++)
		settle(m, m->all[i], again);
	if (m->other != NULL)
		settle(m, m->other, again);
}

/* ------------------------------------------------------------ samples */

/* Returns true if a bucket's bound is one of those that are exported. */
static bool
is_bound(const struct metric *m, const struct tbuf_bucket *b)
{
	bool all = m->source->function != TBUF_AGG_QUANTIZE;

	if (b->high == INT64_MAX)
		return (false);
	if (m->options->bounded)
		return (b->high >= m->options->low &&
		    b->high <= m->options->high);
	return (all || (b->high >= 0 && b->high <= HIGH_DEFAULT));
}

static void
sample_buckets(struct metric *m, const struct series *s,
    const struct output *labels)
{
	char le[SCALED_MAX], value[OUTPUT_NUMBER];
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < m->nbuckets; i++) {
		sum += (uint64_t)s->total[i];
		*put_unsigned(value, sum) = '\0';
		if (is_bound(m, &m->buckets[i]))
			family_sample(&m->family, "_bucket", labels,
			    scaled_signed(le, m->buckets[i].high,
			    &m->option->scale), value);
	}
	*put_unsigned(value, sum) = '\0';
	family_sample(&m->family, "_bucket", labels, "+Inf", value);
	if (s->summed)
		family_sample(&m->family, "_sum", labels, NULL,
		    scaled_signed(le, s->total[m->nbuckets],
		    &m->sum_option->scale));
	family_sample(&m->family, "_count", labels, NULL, value);
}

static void
sample(struct metric *m, const struct series *s)
{
	struct output labels = { .buffer = s->labels, .used = s->size };
	char value[SCALED_MAX];

	if (is_quantizer(m))
		sample_buckets(m, s, &labels);
	else if (is_gauge(m)) {
		if (s->present)
			family_sample(&m->family, "", &labels, NULL,
			    scaled_signed(value, s->now[0], &m->option->scale));
	} else if (m->source->function == TBUF_AGG_AVG) {
		family_sample(&m->family, "_sum", &labels, NULL,
		    scaled_signed(value, s->total[1], &m->option->scale));
		family_count(&m->family, "_count", &labels,
		    (uint64_t)s->total[0]);
	} else
		family_sample(&m->family, "", &labels, NULL,
		    scaled_unsigned(value, (uint64_t)s->total[0],
		    &m->option->scale));
}

void
metric_sample(struct metric *m)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		sample(m, m->all[i]);
	if (m->other != NULL)
		sample(m, m->other);
}

void
metric_init(struct metric *m, const struct metric_options *options,
    const struct metric_option *option,
    const struct tbuf_d_aggregation *source)
{
	*m = (struct metric){
		.option = option, .options = options, .source = source
	};
	family_init(&m->family, option->name, type_of(source),
	    "An aggregation of a D program.");
	output_memory(&m->labels);
}

static void
leave(void *series)
{
	series_free(series);
}

void
metric_free(struct metric *m)
{
	tdestroy(m->tree, leave);
	series_free(m->other);
	free(m->all);
	free(m->buckets);
	free(m->labels.buffer);
	family_free(&m->family);
}
