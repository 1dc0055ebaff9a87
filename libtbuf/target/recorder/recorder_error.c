/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The message that says why a recorder could not be begun or stopped.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "target/recorder/recorder.h"

#define WHAT_MAX	100

static char why[TBUF_RECORDER_WHY];

/* Copies a text of at most `most' bytes.  Returns its end. */
static char *
add(char *to, const char *text, size_t most)
{
	size_t n = strnlen(text, most);

	memcpy(to, text, n);
	return (to + n);
}

const char *
tbuf_recorder_why(void)
{
	return (why);
}

int
tbuf_recorder_fail(int error, const char *what, const char *problem)
{
	char *p = add(why, what, WHAT_MAX);

	if (p != why)
		p = add(p, ": ", 2);
	*add(p, problem, (size_t)(why + sizeof(why) - 1 - p)) = '\0';
	return (error);
}
