/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens files of programs by their paths, if they are regular.
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
 * Replaces the descriptor by one for reading, if it is a regular file with this
 * inode.  Returns NULL, or why it could not.
 */
const char *regular_open(int *fd, uint64_t inode);

#endif
