/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Metrics of a run: its records and losses, and aggregations of its script.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "machine/code.h"
#include "machine/program.h"
#include "metrics.h"
#include "print/address.h"
#include "print/typed_value.h"
#include "prometheus.h"

/* ------------------------------------------------------------ checking */

static int
refuse(const char *option, const char *why)
{
	return (bad_usage(MSG_SET_OTHER, option, why));
}

static const struct tbuf_d_aggregation *
find(const struct tbuf_d_script *script, const char *name)
{
	uint32_t i;

	for (i = 0; script != NULL && i < script->naggregations; i++)
		if (strcmp(script->aggregations[i].name, name) == 0)
			return (&script->aggregations[i]);
	return (NULL);
}

static bool
is_stack(const struct tbuf_d_piece *piece)
{
	const struct tbuf_value none = { .type = TBUF_BINARY };
	struct datum d;

	datum_get(&d, piece, &none);
	return (address_is_stack(&d));
}

/* Returns the reason why an aggregation cannot be a metric, or NULL. */
static char *
problem_of(const struct metric_option *o, const struct tbuf_d_aggregation *a)
{
	uint32_t i;

	if (a == NULL)
		return (string_format("no aggregation of the script is @%s",
		    o->aggregation));
	if (a->function == TBUF_AGG_STDDEV)
		return (string_format("@%s is stddev(), which cannot be a "
		    "metric (avg() or quantize() can)", a->name));
	for (i = 0; i < a->nkeys; i++)
		if (is_stack(&a->keys[i]))
			return (string_format("key %u of @%s is a stack, "
			    "which cannot be a label", i + 1, a->name));
	if (a->nkeys != o->nlabels)
		return (string_format("@%s has %u keys, not %zu: each needs a "
		    "label", a->name, a->nkeys, o->nlabels));
	return (NULL);
}

static bool
is_quantizer(const struct tbuf_d_aggregation *a)
{
	return (a->function >= TBUF_AGG_QUANTIZE);
}

static bool
same_labels(const struct metric_option *a, const struct metric_option *b)
{
	size_t i;

	for (i = 0; i < a->nlabels && i < b->nlabels; i++)
		if (strcmp(a->labels[i], b->labels[i]) != 0)
			return (false);
	return (a->nlabels == b->nlabels);
}

/*
 * Returns true if one is a quantizer and the other the sum() of a histogram:
 * their keys are the same.
 */
static bool
is_pair(const struct tbuf_d_script *script, const struct metric_option *a,
    const struct metric_option *b)
{
	const struct tbuf_d_aggregation *x = find(script, a->aggregation);
	const struct tbuf_d_aggregation *y = find(script, b->aggregation);

	return (same_labels(a, b) &&
	    ((is_quantizer(x) && y->function == TBUF_AGG_SUM) ||
	    (is_quantizer(y) && x->function == TBUF_AGG_SUM)));
}

/* Counts the metrics of one name; two are a histogram and its sum. */
static char *
problem_of_name(const struct metric_options *o,
    const struct tbuf_d_script *script, size_t i)
{
	unsigned same = 0;
	size_t j;

	for (j = 0; j < i; j++) {
		if (strcmp(o->all[i].name, o->all[j].name) != 0)
			continue;
		if (same++ > 0 || !is_pair(script, &o->all[i], &o->all[j]))
			return (string_format("%s is given twice (only a "
			    "quantizer and a sum() with the same labels make "
			    "one metric)", o->all[i].name));
	}
	return (NULL);
}

int
metrics_check(const struct options *o, const struct tbuf_d_script *script)
{
	const struct metric_option *m;
	char *why = NULL;
	size_t i;
	int status;

	for (i = 0; i < o->metrics.count && why == NULL; i++) {
		m = &o->metrics.all[i];
		why = problem_of(m, find(script, m->aggregation));
		if (why == NULL)
			why = problem_of_name(&o->metrics, script, i);
	}
	if (why == NULL)
		return (0);
	status = refuse("metric", why);
	free(why);
	return (status);
}

/* ------------------------------------------------------------ metrics */

/* Returns the metric that this option is a part of, or NULL. */
static struct metric *
metric_find(struct metrics *m, const struct metric_option *option)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (strcmp(m->all[i].option->name, option->name) == 0)
			return (&m->all[i]);
	return (NULL);
}

static void
metric_add(struct metrics *m, const struct options *o,
    const struct metric_option *option,
    const struct tbuf_d_aggregation *source)
{
	struct metric *found = metric_find(m, option);

	if (found == NULL)
		metric_init(&m->all[m->count++], &o->metrics, option, source);
	else {
		found->sum = source;
		found->sum_option = option;
	}
}

/* Looks before and after clear() and trunc(). */
static void
change(void *arg, uint32_t id, bool done)
{
	struct metrics *m = arg;
	size_t i;

	for (i = 0; i < m->count; i++)
		if (m->all[i].source->id == id || (m->all[i].sum != NULL &&
		    m->all[i].sum->id == id))
			metric_look(&m->all[i], done);
}

void
metrics_run(struct format *f, struct tbuf_consumer *consumer,
    const struct tbuf_d_script *script)
{
	const struct metric_options *o = &f->options->metrics;
	const struct tbuf_d_aggregation *source;
	struct metrics *m = f->metrics;
	unsigned pass;
	size_t i;

	if (m == NULL)
		return;
	m->first = RUN_RECORDS;
	m->last = RUN_OTHER_KEYS;
	m->consumer = consumer;
	m->all = memory_get(NULL, o->count + 1, sizeof(*m->all));
	/* Histograms come before the sums that belong to them. */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < o->count; i++) {
			source = find(script, o->all[i].aggregation);
			if ((source->function == TBUF_AGG_SUM) == (pass == 1))
				metric_add(m, f->options, &o->all[i], source);
		}
	for (i = 0; i < m->count; i++)
		m->all[i].consumer = consumer;
	tbuf_consumer_clearing(consumer, change, m);
}

/* ------------------------------------------------------------ losses */

/* Names of losses that are not of one buffer, in the order of m->lost. */
static const struct {
	enum tbuf_event_type type;
	const char *cause;
} others[] = {
	{ TBUF_EVENT_AGGREGATION, "aggregation" },
	{ TBUF_EVENT_DYNAMIC, "dynamic" },
	{ TBUF_EVENT_SPECULATIVE, "speculative" },
	{ TBUF_EVENT_BUSY, "busy" },
	{ TBUF_EVENT_UNAVAILABLE, "unavailable" },
	{ TBUF_EVENT_UNIT_DROPS, "unit" }
};

_Static_assert(sizeof(others) / sizeof(others[0]) == RUN_OTHER_LOSSES,
    "struct metrics");

void
metrics_losses(struct format *f, const struct loss *loss, size_t n)
{
	size_t i;
	unsigned cause;

	format_text.losses(f, loss, n);
	for (i = 0; i < n; i++)
		for (cause = 0; cause < 3; cause++)
			f->metrics->drops[cause] +=
			    loss[i].drops[cause].count;
}

void
metrics_count(struct format *f, const struct tbuf_event *e)
{
	size_t i;

	format_text.count(f, e);
	for (i = 0; i < RUN_OTHER_LOSSES; i++)
		if (others[i].type == e->type)
			f->metrics->lost[i] += e->count;
}

/* ------------------------------------------------------------ samples */

static void
sample_drops(struct metrics *m, const char *cause, uint64_t count)
{
	size_t used = m->labels.used;

	label_text(&m->labels, "cause", cause);
	family_count(&m->families[RUN_DROPS], "", &m->labels, count);
	m->labels.used = used;
}

static void
sample_metric(struct metrics *m, struct metric *metric)
{
	size_t used = m->labels.used;

	metric_look(metric, false);
	metric_sample(metric);
	label_text(&m->labels, "metric", metric->option->name);
	family_count(&m->families[RUN_OTHER_KEYS], "", &m->labels,
	    metric->beyond);
	m->labels.used = used;
}

void
metrics_sample_run(struct metrics *m)
{
	struct tbuf_totals t;
	size_t i;

	m->labels.used = 0;
	label_number(&m->labels, "consumer", getpid());
	tbuf_consumer_totals(m->consumer, &t);
	family_count(&m->families[RUN_RECORDS], "", &m->labels, t.records);
	family_count(&m->families[RUN_OVERWRITTEN], "", &m->labels,
	    t.overwritten);
	for (i = 0; i < 3; i++)
		sample_drops(m, format_cause(i), m->drops[i]);
	for (i = 0; i < RUN_OTHER_LOSSES; i++)
		sample_drops(m, others[i].cause, m->lost[i]);
	for (i = 0; i < m->count; i++)
		sample_metric(m, &m->all[i]);
}
