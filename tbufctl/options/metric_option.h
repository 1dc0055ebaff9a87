/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x metric=@AGGREGATION:NAME:SCALE:LABEL,...: an aggregation as a metric.
 */
#ifndef TBUFCTL_OPTIONS_METRIC_OPTION_H
#define TBUFCTL_OPTIONS_METRIC_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A factor of values.  One that is a power of ten moves the decimal point, so
 * that no digit is lost.
 */
struct scale {
	bool decimal;
	int exponent;		/* decimal: of ten */
	double factor;		/* else */
};

#define SCALE_EXPONENT_MAX	30	/* most, and -30 the least */

struct metric_option {
	char *aggregation;	/* its name, without @ */
	char *name;
	struct scale scale;
	char **labels;
	size_t nlabels;
	char *text;		/* that the others point into */
};

/* All options for metrics; see tbufctl(1) for their defaults. */
struct metric_options {
	struct metric_option *all;
	size_t count;
	bool bounded;		/* metricbounds is set */
	int64_t low, high;
	uint64_t keys;		/* metrickeys; 0: not set */
};

#define METRIC_KEYS		1000
#define METRIC_KEYS_MAX		1000000

/*
 * Parses -x metric, metricbounds or metrickeys.  Returns 0, an exit status
 * after a message, or -1 if the option has another name.
 */
int	metric_parse(struct metric_options *, const char *name,
	    const char *value);
void	metric_options_free(struct metric_options *);

#endif
