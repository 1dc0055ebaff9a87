/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of programs, by their paths.
 */
#ifndef TBUFCTL_BASE_OPEN_REGULAR_H
#define TBUFCTL_BASE_OPEN_REGULAR_H

#include <stdint.h>

/*
 * What was mapped is read from what its path leads to by now, where its owner
 * may have put a device or a pipe: nothing of that is touched by this one.  It
 * gives a descriptor that is good for nothing but regular_open(), or -1.
 */
int	regular_find(const char *path);

/*
 * Put one for reading into its place, if it is a file with this inode: NULL, or
 * why not.
 */
const char *regular_open(int *fd, uint64_t inode);

#endif
