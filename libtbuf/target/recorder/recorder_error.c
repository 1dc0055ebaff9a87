/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The message that says why a recorder could not be begun or stopped.
 */
#include "base/optimize_size.h"

#include <stdio.h>

#include "target/recorder/recorder.h"

static char why[TBUF_RECORDER_WHY];

const char *
tbuf_recorder_why(void)
{
	return (why);
}

int
tbuf_recorder_fail(int error, const char *what, const char *problem)
{
	snprintf(why, sizeof(why), "%.100s%s%s", what,
	    *what == '\0' ? "" : ": ", problem);
	return (error);
}
