/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The trace file.  It is opened for each use: the program might close a
 * descriptor that stays open, and the number might become another file's.
 *
 * No other user may have made the file or be able to change it.
 * Async-signal-safe.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "text/text.h"

static int
file_check(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return (-errno);
	if (S_ISLNK(st.st_mode))
		return (-ELOOP);
	if (!S_ISREG(st.st_mode))
		return (-EINVAL);
	return (st.st_uid == geteuid() && st.st_nlink == 1 &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ? 0 : -EPERM);
}

/*
 * Looks at a file that exists, before the permissions of another user's file
 * are the error.
 */
static int
name_check(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error;

	if (fd == -1)
		return (errno == ENOENT ? 0 : -errno);
	error = file_check(fd);
	close(fd);
	return (error);
}

/*
 * Opens the file, or creates it.  O_CREAT comes last: with it, the kernel
 * refuses another user's file by an error of its own.
 */
static int
open_or_create(int dirfd, const char *name)
{
	const int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC;
	int fd = openat(dirfd, name, flags);

	if (fd == -1 && errno == ENOENT)
		fd = openat(dirfd, name, flags | O_CREAT, S_IRUSR | S_IWUSR);
	return (fd == -1 ? -errno : fd);
}

/* Opens the file; does not wait for a device or a pipe, nor write to it. */
int
tbuf_textfile_open(const char *path)
{
	const char *name;
	int dirfd = tbuf_textfile_directory(path, &name), fd, error;

	if (dirfd < 0)
		return (dirfd);
	fd = error = name_check(dirfd, name);
	if (error == 0)
		fd = open_or_create(dirfd, name);
	close(dirfd);
	if (fd < 0 || (error = file_check(fd)) == 0)
		return (fd);
	close(fd);
	return (error);
}

/* Writes one part by write(2), as a filter of calls may not allow writev(2). */
static ssize_t
write_some(int fd, const struct iovec parts[2])
{
	return (parts[1].iov_len == 0 ?
	    write(fd, parts[0].iov_base, parts[0].iov_len) :
	    writev(fd, parts, 2));
}

static void
advance(struct iovec parts[2], size_t n)
{
	unsigned i;

	for (i = 0; i < 2; i++) {
		size_t m = n < parts[i].iov_len ? n : parts[i].iov_len;

		parts[i].iov_base = (char *)parts[i].iov_base + m;
		parts[i].iov_len -= m;
		n -= m;
	}
}

/* Writes both parts; *left becomes the number of bytes not written. */
static int
write_out(int fd, struct iovec parts[2], size_t *left)
{
	ssize_t n;

	for (*left = parts[0].iov_len + parts[1].iov_len; *left > 0;
	    *left -= (size_t)n) {
		while ((n = write_some(fd, parts)) == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			return (n == 0 ? -EIO : -errno);
		advance(parts, (size_t)n);
	}
	return (0);
}

/*
 * Writes lines.  A file system that becomes full may take only the beginning of
 * a line; the sign of a cut and a newline are then written before the next one
 * that finds room.
 */
int
tbuf_textfile_write(int fd, struct iovec parts[2], size_t *left)
{
	static uint32_t torn;
	size_t size = parts[0].iov_len + parts[1].iov_len;
	char sign[] = TBUF_CUT_SIGN "\n";
	struct iovec end[2] = { { sign, sizeof(sign) - 1 }, { NULL, 0 } };
	int error = 0;

	*left = size;
	if (size != 0 && tbuf_load(&torn) != 0 &&
	    (error = write_out(fd, end, &(size_t){ 0 })) == 0)
		tbuf_store(&torn, 0);
	if (error == 0)
		error = write_out(fd, parts, left);
	if (*left != 0 && *left != size)
		tbuf_store(&torn, 1);
	return (error);
}

int
tbuf_textfile_append(const char *path, char *line, size_t size)
{
	struct iovec parts[2] = { { line, size }, { NULL, 0 } };
	int fd = tbuf_textfile_open(path), error;
	size_t left;

	if (fd < 0)
		return (fd);
	error = tbuf_textfile_write(fd, parts, &left);
	close(fd);
	return (error);
}
