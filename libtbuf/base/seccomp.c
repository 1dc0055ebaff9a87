/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/optimize_size.h"

#include <stdlib.h>
#include <string.h>

#include "base/seccomp.h"

/* Returns the number after a word at the beginning of a line, or -1. */
static long
field(const char *status, const char *word)
{
	const char *line = strstr(status, word);

	return (line == NULL ? -1 : strtol(line + strlen(word), NULL, 10));
}

uint32_t
tbuf_filters(const char *status)
{
	long n;

	if (field(status, "\nSeccomp:") <= 0)
		return (0);
	n = field(status, "\nSeccomp_filters:");
	return (n < 0 || n >= TBUF_FILTERS_UNKNOWN ? TBUF_FILTERS_UNKNOWN :
	    (uint32_t)n);
}
