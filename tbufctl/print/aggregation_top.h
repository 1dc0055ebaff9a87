/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x aggtop: shows the largest values of aggregations in place on a terminal.
 */
#ifndef TBUFCTL_PRINT_AGGREGATION_TOP_H
#define TBUFCTL_PRINT_AGGREGATION_TOP_H

struct format;

/* Returns why -x aggtop cannot be used; NULL if it can or is not asked for. */
const char *top_problem(const struct format *);

/* Draws the values over those drawn before. */
void	top_draw(struct format *);

/* Clears the screen before the output at the end. */
void	top_end(struct format *);

#endif
