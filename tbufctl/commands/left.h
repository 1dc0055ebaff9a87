/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --left: the files of dead processes.
 */
#ifndef TBUFCTL_COMMANDS_LEFT_H
#define TBUFCTL_COMMANDS_LEFT_H

struct options;
struct output;

/* Returns an exit status. */
int	left_run(const struct options *, struct output *);

#endif
