/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Metrics in Prometheus' text format 0.0.4: families of samples.  A family's
 * samples are kept until all are known, since its lines have to be together.
 */
#ifndef TBUFCTL_METRICS_FAMILY_H
#define TBUFCTL_METRICS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"
#include "options/metric_option.h"

struct family {
	const char *name, *type, *help;
	struct output samples;
};

extern const struct scale scale_one, scale_nano;

/* Begins a family without samples; family_free() frees them. */
void	family_init(struct family *, const char *name, const char *type,
	    const char *help);
void	family_free(struct family *);

/*
 * Adds a sample: the family's name with a suffix, labels, a label `le` unless
 * it is NULL, and a value.
 */
void	family_sample(struct family *, const char *suffix,
	    const struct output *labels, const char *le, const char *value);
void	family_count(struct family *, const char *suffix,
	    const struct output *labels, uint64_t);

/* Writes the family with its HELP and TYPE, and forgets its samples. */
void	family_put(struct output *, struct family *);

/* Appends a label to others; the value may be any bytes. */
void	label_put(struct output *labels, const char *name, const void *value,
	    size_t size);
void	label_text(struct output *labels, const char *name, const char *value);
void	label_number(struct output *labels, const char *name, int64_t value);

/* Writes a number times a factor.  Returns `text`. */
#define SCALED_MAX	96
const char *scaled_signed(char text[SCALED_MAX], int64_t,
	    const struct scale *);
const char *scaled_unsigned(char text[SCALED_MAX], uint64_t,
	    const struct scale *);

#endif
