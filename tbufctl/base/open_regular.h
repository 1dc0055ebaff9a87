/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens files whose paths other processes may choose, if they are regular.
 */
#ifndef TBUFCTL_BASE_OPEN_REGULAR_H
#define TBUFCTL_BASE_OPEN_REGULAR_H

#include <stdint.h>

/*
 * Finds the file at a path, where the owner of the mapped file may have put a
 * device or a pipe since: O_PATH does not open it.  Returns a descriptor for
 * regular_open() only, or -1.
 */
int	regular_find(const char *path);

/*
 * Opens a file that regular_find() found, or reports its error, and closes its
 * descriptor.  Returns a descriptor for reading, if it is a regular file with
 * this inode, or -1 and the reason in *why.
 */
int	regular_open(int found, uint64_t inode, const char **why);

/*
 * Opens the file at a path for reading, if it is regular.  Returns a
 * descriptor, or -1.
 */
int	regular_open_path(const char *path);

/*
 * Makes each open(2) for reading in this process, also those of libraries, fail
 * with ENOENT unless the file is regular and not nearly all holes.  libdw opens
 * files whose paths are in files of programs: split debug files, links to debug
 * files and to shared debug files.
 */
void	regular_only(void);

#endif
