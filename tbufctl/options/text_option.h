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

/*
 * Returns the option of work units that a setting of --set is for, and its
 * value; or NULL.
 */
static inline const char *
set_of_units(const char *setting, const char **value)
{
	static const char *const names[] = {
		"unitselect", "unitslow", "unithung"
	};
	size_t i, n;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		n = strlen(names[i]);
		*value = setting + n + 1;
		if (strncmp(setting, names[i], n) == 0 && setting[n] == '=')
			return (names[i]);
	}
	return (NULL);
}

/* Adds a list of components.  Returns 0, or EXIT_USAGE after a message. */
int	text_add(struct options *, const char *list);

#endif
