/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --format=folded: aggregations as flame graphs are made from.
 */
#ifndef TBUFCTL_PRINT_FOLDED_H
#define TBUFCTL_PRINT_FOLDED_H

#include <tbuf_consumer.h>

#include "base/output.h"

/*
 * A line for a key, "main;run;work 42": its texts and numbers, and of stacks
 * the functions, outermost first; then the value.
 */
void	folded_put(struct output *, const struct tbuf_tuple *);

#endif
