/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is printed of aggregations: by printa(), and at the end.
 */
#ifndef TBUFCTL_PRINT_AGGREGATION_H
#define TBUFCTL_PRINT_AGGREGATION_H

#include <stdint.h>

#include <tbuf_consumer.h>

#include "base/output.h"

struct format;

/* printa(): a format is NULL for columns. */
void	aggregation_printa(struct format *, struct output *,
	    const uint32_t *ids, unsigned nids, const char *text);

/* How many have not been printed by printa(). */
unsigned aggregation_count(const struct format *);

/* Of each of these so many keys, from the largest value on. */
void	aggregation_largest(struct format *, unsigned most);

/* At the end: those that no printa() has printed anything of. */
void	aggregation_rest(struct format *);

#endif
