/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "open_regular.h"

int
regular_find(const char *path)
{
	return (open(path, O_PATH | O_CLOEXEC));
}

/* Does the work of regular_open(); without an inode any file will do. */
static int
reopen(int found, const uint64_t *inode, const char **why)
{
	char path[32];
	struct stat st;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	if (found == -1 || fstat(found, &st) == -1)
		*why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		*why = "it is not a regular file";
	else if (inode != NULL && st.st_ino != *inode)
		*why = "another file has replaced it";
	else if ((fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC |
	    O_NONBLOCK | O_NOCTTY)) == -1)
		*why = strerror(errno);
	if (found != -1)
		(void)close(found);
	return (fd);
}

int
regular_open(int found, uint64_t inode, const char **why)
{
	return (reopen(found, &inode, why));
}

int
regular_open_path(const char *path)
{
	const char *why;

	return (reopen(regular_find(path), NULL, &why));
}

/* ------------------------------------------------------------ libraries */

#define HOLES_MIN	((off_t)1 << 30)

static bool only;

/*
 * Returns true for a large file that is nearly all holes: it costs its owner
 * nothing, and libdw a checksum of terabytes.
 */
static bool
is_hollow(int fd)
{
	struct stat st;

	return (fstat(fd, &st) == 0 && st.st_size > HOLES_MIN &&
	    st.st_size / S_BLKSIZE / 64 > st.st_blocks);
}

void
regular_only(void)
{
	only = true;
}

/* Replaces the C library's function, in libdw, too. */
int
open(const char *path, int flags, ...)
{
	unsigned mode = 0;
	va_list ap;
	int fd;

	if (only && (flags & (O_ACCMODE | O_CREAT | O_DIRECTORY | O_PATH)) ==
	    O_RDONLY) {
		fd = regular_open_path(path);
		if (fd != -1 && is_hollow(fd)) {
			(void)close(fd);
			fd = -1;
		}
		if (fd == -1)
			errno = ENOENT;
		return (fd);
	}
	if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(ap, flags);
		mode = va_arg(ap, unsigned);
		va_end(ap);
	}
	return (openat(AT_FDCWD, path, flags, mode));
}

/* libdw may have been compiled to call this one. */
int	open64(const char *, int, ...) __attribute__((alias("open")));
