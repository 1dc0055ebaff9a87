/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces the content of a file as a whole: its readers see the old content or
 * the new one.
 */
#ifndef TBUFCTL_BASE_REPLACE_FILE_H
#define TBUFCTL_BASE_REPLACE_FILE_H

#include <stddef.h>

/*
 * Writes a new file beside the path, then renames it.  A link, a device or a
 * pipe is written in place.  Returns 0 or -errno; the old file stays then.
 */
int	replace_file(const char *path, const char *bytes, size_t size);

/* Returns 0 if the file can be replaced, or -errno; it does not change it. */
int	replace_file_check(const char *path);

#endif
