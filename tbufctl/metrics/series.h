/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Series of a metric: an aggregation's keys, with totals that never go back.
 *
 * Each look at an aggregation adds to a series the change since the last one.
 * Before clear() and trunc() there is a look, and after it the values that
 * remain are known ones.
 */
#ifndef TBUFCTL_METRICS_SERIES_H
#define TBUFCTL_METRICS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

#include "family.h"
#include "machine/program.h"
#include "options/metric_option.h"

struct series {
	char *labels;
	size_t size;		/* bytes of labels */
	int64_t *now;		/* words at the last look */
	int64_t *seen;		/* words that are in the totals */
	int64_t *total;
	bool present;		/* at the last look */
	bool summed;		/* the sum() has its keys, too */
};

struct metric {
	const struct metric_option *option, *sum_option;
	/* The aggregation, and a histogram's sum(), or NULL. */
	const struct tbuf_d_aggregation *source, *sum;
	struct family family;
	const struct metric_options *options;
	struct tbuf_consumer *consumer;
	struct output labels;	/* of the present tuple */
	struct series **all;	/* in the order of their first look */
	size_t count;
	void *tree;		/* by labels, for tsearch(3) */
	struct series *other;	/* all keys beyond metrickeys; or NULL */
	uint64_t beyond;	/* such keys at the last look */
	unsigned nbuckets;	/* words before those of `sum` */
	struct tbuf_bucket *buckets;	/* their bounds */
};

/* Begins a metric; its strings are the option's. */
void	metric_init(struct metric *, const struct metric_options *,
	    const struct metric_option *, const struct tbuf_d_aggregation *);
void	metric_free(struct metric *);

/*
 * Looks at the aggregation.  If `again` is set, all values are known ones, as
 * after a clear().
 */
void	metric_look(struct metric *, bool again);

/* Makes the samples of the family. */
void	metric_sample(struct metric *);

#endif
