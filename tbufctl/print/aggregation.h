/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregations as printa() and the end of a run print them.
 */
#ifndef TBUFCTL_PRINT_AGGREGATION_H
#define TBUFCTL_PRINT_AGGREGATION_H

#include <stdint.h>

#include <tbuf_consumer.h>

#include "base/output.h"

struct format;

/* Prints aggregations for printa(); without a format (NULL) in columns. */
void	aggregation_printa(struct format *, struct output *,
	    const uint32_t *ids, unsigned nids, const char *text);

/* Returns the number of aggregations that printa() has not printed. */
unsigned aggregation_count(const struct format *);

/*
 * Prints the `most` largest keys of each aggregation that printa() has not
 * printed.
 */
void	aggregation_largest(struct format *, unsigned most);

/* Prints, at the end, all aggregations that printa() has not printed. */
void	aggregation_rest(struct format *);

#endif
