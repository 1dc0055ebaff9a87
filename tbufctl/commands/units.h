/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --units: shows work units that have not ended, and figures of those that
 * have.
 */
#ifndef TBUFCTL_COMMANDS_UNITS_H
#define TBUFCTL_COMMANDS_UNITS_H

struct options;
struct output;

/* Returns an exit status. */
int	units_run(const struct options *, struct output *);

#endif
