/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The trace file.  It is opened for each use: the program might close a
 * descriptor that stays open, and the number might become another file's.
 *
 * No other user may have made the file or be able to change it; a directory
 * that all users can write to must therefore have its sticky bit set.
 * Async-signal-safe.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "text/text.h"

/* Opens the directory of a path; *name becomes the name in it. */
static int
directory_open(const char *path, const char **name)
{
	char directory[TBUF_TEXT_PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct stat st;
	size_t n;
	int fd;

	if (slash == NULL || slash[1] == '\0')
		return (-EINVAL);
	*name = slash + 1;
	n = slash == path ? 1 : (size_t)(slash - path);
	if (n >= sizeof(directory))
		return (-ENAMETOOLONG);
	memcpy(directory, path, n);
	directory[n] = '\0';
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) == 0 &&
	    ((st.st_mode & S_IWOTH) == 0 || (st.st_mode & S_ISVTX) != 0))
		return (fd);
	close(fd);
	return (-EPERM);
}

static int
file_check(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return (-errno);
	if (!S_ISREG(st.st_mode))
		return (-EINVAL);
	return (st.st_uid == geteuid() && st.st_nlink == 1 &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ? 0 : -EPERM);
}

/* Opens the file; does not wait for a device or a pipe, nor write to it. */
int
tbuf_textfile_open(const char *path)
{
	const char *name;
	int dirfd = directory_open(path, &name), fd, error;

	if (dirfd < 0)
		return (dirfd);
	fd = openat(dirfd, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC, S_IRUSR | S_IWUSR);
	error = fd == -1 ? -errno : file_check(fd);
	close(dirfd);
	if (error != 0 && fd != -1)
		close(fd);
	/* ENXIO: a pipe without a reader. */
	return (error == -ENXIO ? -EINVAL : error != 0 ? error : fd);
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
 * a line; a newline is then written before the next one that finds room.
 */
int
tbuf_textfile_write(int fd, struct iovec parts[2], size_t *left)
{
	static uint32_t torn;
	size_t size = parts[0].iov_len + parts[1].iov_len;
	struct iovec end[2] = { { (char []){ '\n' }, 1 }, { NULL, 0 } };
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
