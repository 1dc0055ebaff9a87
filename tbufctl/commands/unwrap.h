/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --unwrap and --set: text traces, and rules for keeping work units.
 */
#ifndef TBUFCTL_COMMANDS_UNWRAP_H
#define TBUFCTL_COMMANDS_UNWRAP_H

struct options;
struct output;

/* Return exit statuses. */
int	unwrap_run(const struct options *, struct output *);
int	set_run(const struct options *);

#endif
