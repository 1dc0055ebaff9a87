/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x text: messages in words, as probes to be enabled; settings of --set.
 */
#ifndef TBUFCTL_OPTIONS_TEXT_OPTION_H
#define TBUFCTL_OPTIONS_TEXT_OPTION_H

#include <stddef.h>
#include <string.h>

struct options;

/* The rules that a setting has in place of settings of text; or NULL. */
static inline const char *
set_rules(const char *setting)
{
	static const char name[] = "unitselect=";

	return (strncmp(setting, name, sizeof(name) - 1) == 0 ?
	    setting + sizeof(name) - 1 : NULL);
}

/* 0, or EXIT_USAGE after a message. */
int	text_add(struct options *, const char *list);

#endif
