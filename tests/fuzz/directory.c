/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A fuzz target's own runtime directory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

static char path[] = "/dev/shm/tbuf-fuzz-XXXXXX";

static void
leave(void)
{
	char board[sizeof(path) + 8];

	snprintf(board, sizeof(board), "%s/board", path);
	unlink(board);
	rmdir(path);
}

const char *
fuzz_directory(void)
{
	FUZZ_CHECK(mkdtemp(path) != NULL);
	FUZZ_CHECK(setenv("TBUF_DIR", path, 1) == 0);
	atexit(leave);
	return (path);
}
