/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x aggtop: the largest values of aggregations, in place on a terminal.
 */
#ifndef TBUFCTL_PRINT_AGGREGATION_TOP_H
#define TBUFCTL_PRINT_AGGREGATION_TOP_H

struct format;

/* Why it cannot be had; NULL: it can, or was not asked for. */
const char *top_problem(const struct format *);

/* Over what stands there. */
void	top_draw(struct format *);

/* Before all is printed at the end. */
void	top_end(struct format *);

#endif
