/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --stat: shows the buffers of all sessions.
 */
#ifndef TBUFCTL_COMMANDS_STAT_H
#define TBUFCTL_COMMANDS_STAT_H

struct options;
struct output;

/* Returns an exit status. */
int	stat_run(const struct options *, struct output *);

#endif
