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

/* Prints, at the end, all aggregations that printa() has not printed. */
void	aggregation_rest(struct format *);

/*
 * -x aggtop: shows the largest values of aggregations in place on a terminal,
 * as top(1) shows processes.  top_problem() returns why that cannot be done;
 * NULL if it can or is not asked for.  top_draw() draws the values over those
 * drawn before, top_end() clears the screen before the output at the end.
 */
const char *top_problem(const struct format *);
void	top_draw(struct format *);
void	top_end(struct format *);

#endif
