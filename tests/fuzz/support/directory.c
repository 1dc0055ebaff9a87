/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The runtime directory of a fuzz target.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "lib/scratch.h"

static char path[64];

static void
leave(void)
{
	scratch_remove(path);
}

const char *
fuzz_directory(void)
{
	scratch_directory(path, sizeof(path));
	FUZZ_CHECK(setenv("TBUF_DIR", path, 1) == 0);
	atexit(leave);
	return (path);
}
