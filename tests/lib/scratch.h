/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The directories of one test, one in shared memory and one in the temporary
 * folder.  All files of a test are in them, and they are removed after any end
 * of the test.
 *
 * scratch_run makes them, runs a test and removes them; the variables below
 * pass their names.  A test that is run by hand makes its own.  In either case
 * a separate process waits for the end of the process that made them, so that
 * they are removed after a SIGKILL, too.
 */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H

#include <stddef.h>

/*
 * Variable with the directory in the temporary folder.  That folder is TMPDIR,
 * unless it is long or contains a blank or the like (which no path in
 * LD_PRELOAD can).
 */
#define SCRATCH		"SCRATCH"
/*
 * Variable with the directory in shared memory.  If SCRATCH is not set, it is
 * the place where that directory is made, instead of /dev/shm.
 */
#define SCRATCH_SHM	"SCRATCH_SHM"

/* Makes both, and sets TMPDIR and TBUF_DIR to folders in them. */
void	scratch_begin(void);
/* Removes both. */
void	scratch_end(void);

/* Makes a new directory of this test in shared memory. */
void	scratch_directory(char *path, size_t size);
/* Removes it early. */
void	scratch_remove(const char *path);

#endif
