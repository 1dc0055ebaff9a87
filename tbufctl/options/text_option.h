/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses -x text, which enables probes of text traces, and --set.
 */
#ifndef TBUFCTL_OPTIONS_TEXT_OPTION_H
#define TBUFCTL_OPTIONS_TEXT_OPTION_H

#include <stddef.h>
#include <string.h>

struct options;

/* Returns the rules of `unitselect=RULES` in a setting of --set, or NULL. */
static inline const char *
set_rules(const char *setting)
{
	static const char name[] = "unitselect=";

	return (strncmp(setting, name, sizeof(name) - 1) == 0 ?
	    setting + sizeof(name) - 1 : NULL);
}

/* Adds a list of components.  Returns 0, or EXIT_USAGE after a message. */
int	text_add(struct options *, const char *list);

#endif
