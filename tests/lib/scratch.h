/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A test's own directories, one in shared memory and one in the temporary
 * folder.  All that a test makes lies in them, and they go when it has ended,
 * however that was.
 *
 * scratch_run makes them, runs a test and removes them; the test knows them by
 * these variables.  A test that is run by hand makes its own.  In either case
 * a process of its own waits for the end of the one that made them, so that a
 * SIGKILL leaves nothing behind, too.
 */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H

#include <stddef.h>

/*
 * The directory in the temporary folder, which is TMPDIR unless that has a
 * blank or the like in it (no path in LD_PRELOAD can) or is long.
 */
#define SCRATCH		"SCRATCH"
/*
 * The one in shared memory.  Without SCRATCH beside it: where that is made,
 * in place of /dev/shm.
 */
#define SCRATCH_SHM	"SCRATCH_SHM"

/* Make both.  TMPDIR and TBUF_DIR are folders in them from then on. */
void	scratch_begin(void);
/* Remove what scratch_begin() has made. */
void	scratch_end(void);

/* A new directory of this test in shared memory. */
void	scratch_directory(char *path, size_t size);
/* Remove it early. */
void	scratch_remove(const char *path);

#endif
