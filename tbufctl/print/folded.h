/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --format=folded: aggregations as input for flame graph tools.
 */
#ifndef TBUFCTL_PRINT_FOLDED_H
#define TBUFCTL_PRINT_FOLDED_H

#include <tbuf_consumer.h>

#include "base/output.h"

/*
 * Prints a key on one line, "main;run;work 42": its texts, numbers and
 * functions of stacks (outermost first), then the value.
 */
void	folded_put(struct output *, const struct tbuf_tuple *);

#endif
