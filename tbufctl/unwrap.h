/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --unwrap and --set: text traces, and what is kept of work units.
 */
#ifndef TBUFCTL_UNWRAP_H
#define TBUFCTL_UNWRAP_H

#include <stddef.h>
#include <string.h>

struct options;
struct output;

/* The rules that a setting has in place of settings of text; or NULL. */
static inline const char *
set_rules(const char *setting)
{
	static const char name[] = "unitselect=";

	return (strncmp(setting, name, sizeof(name) - 1) == 0 ?
	    setting + sizeof(name) - 1 : NULL);
}

/* Exit statuses. */
int	unwrap_run(const struct options *, struct output *);
int	set_run(const struct options *);

#endif
