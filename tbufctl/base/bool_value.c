/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

#include "bool_value.h"

int
flag_parse(const char *value, bool *flag)
{
	static const char *const words[][7] = {
		{ "no", "disable", "disabled", "false", "off", "unset", "0" },
		{ "yes", "enable", "enabled", "true", "on", "set", "1" }
	};
	size_t i;

	if (value == NULL) {
		*flag = true;
		return (0);
	}
	for (i = 0; i < 14; i++)
		if (strcasecmp(value, words[i / 7][i % 7]) == 0) {
			*flag = i / 7;
			return (0);
		}
	return (-EINVAL);
}

pid_t
pid_parse(const char *text)
{
	const char *error;
	pid_t pid = strtonum(text, 1, INT_MAX, &error);

	return (error == NULL ? pid : 0);
}

bool
flag_number(const char *value, uint64_t most, uint64_t *number)
{
	char *end;

	*number = 0;
	if (value == NULL)
		return (true);
	errno = 0;
	*number = strtoull(value, &end, 0);
	return (isdigit((unsigned char)*value) && *end == '\0' &&
	    errno == 0 && *number <= most);
}
