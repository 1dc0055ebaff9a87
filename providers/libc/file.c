/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: opening, closing, reading, writing.
 *
 * The return's probe has the path if the kernel has read it, so that the
 * provider can, too.
 *
 * Programs that are built with _FORTIFY_SOURCE call the checking versions,
 * __read_chk() and the like.  They fire the probes of the plain functions.
 */
#include "libc.h"

#include <sys/types.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#define FUNCTIONS	FILE_FUNCTIONS

LIBC_FAMILY(tbuf_libc_file)

/* The checking versions that the C library exports for its headers. */
int	__open_2(const char *path, int flags);
int	__open64_2(const char *path, int flags);
int	__openat_2(int dirfd, const char *path, int flags);
int	__openat64_2(int dirfd, const char *path, int flags);
ssize_t	__read_chk(int fd, void *buf, size_t count, size_t size);
ssize_t	__pread_chk(int fd, void *buf, size_t count, off_t offset,
	    size_t size);
ssize_t	__pread64_chk(int fd, void *buf, size_t count, off64_t offset,
	    size_t size);

/* Returns true if open(2) takes a mode with these flags. */
static bool
has_mode(int flags)
{
	return ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE);
}

/*
 * Returns the path as the value of a string if the kernel has read all of it,
 * else 0.  It has not after these errors, of which a filter of system calls may
 * return EPERM and ENOSYS.
 */
static uint64_t
path_of(int error, const char *path)
{
	switch (error) {
	case EFAULT:
	case EINVAL:		/* of the flags */
	case ENAMETOOLONG:
	case ENOMEM:
	case ENOSYS:
	case EPERM:
		return (0);
	default:
		return (ADDRESS(path));
	}
}

#define OPENED(path)							\
	OR_ERRNO, path_of((int)error_if(result == -1), path)

/* The mode that follows the flags in a call of open(), 0 if there is none. */
#define MODE_BEHIND(flags) __extension__ ({				\
	mode_t mode_ = 0;						\
	va_list list_;							\
									\
	va_start(list_, flags);						\
	if (has_mode(flags))						\
		mode_ = va_arg(list_, mode_t);				\
	va_end(list_);							\
	mode_;								\
})

TRACED_CALL(int, open, (const char *path, int flags, mode_t mode), (path, flags,
    mode), (ADDRESS(path), flags, mode), OPENED(path))

int
open(const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(open, open, (path, flags, mode));
}

TRACED_CALL(int, open64, (const char *path, int flags, mode_t mode), (path,
    flags, mode), (ADDRESS(path), flags, mode), OPENED(path))

int
open64(const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(open64, open64, (path, flags, mode));
}

TRACED_CALL(int, openat, (int dirfd, const char *path, int flags, mode_t mode),
    (dirfd, path, flags, mode), (dirfd, ADDRESS(path), flags, mode),
    OPENED(path))

int
openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(openat, openat, (dirfd, path, flags, mode));
}

TRACED_CALL(int, openat64, (int dirfd, const char *path, int flags,
    mode_t mode), (dirfd, path, flags, mode), (dirfd, ADDRESS(path), flags,
    mode), OPENED(path))

int
openat64(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(openat64, openat64, (dirfd, path, flags, mode));
}

WRAPPER_OF(int, __open_2, open, (const char *path, int flags), (path, flags),
    (ADDRESS(path), flags, 0), OPENED(path))

WRAPPER_OF(int, __open64_2, open64, (const char *path, int flags), (path,
    flags), (ADDRESS(path), flags, 0), OPENED(path))

WRAPPER_OF(int, __openat_2, openat, (int dirfd, const char *path, int flags),
    (dirfd, path, flags), (dirfd, ADDRESS(path), flags, 0), OPENED(path))

WRAPPER_OF(int, __openat64_2, openat64, (int dirfd, const char *path,
    int flags), (dirfd, path, flags), (dirfd, ADDRESS(path), flags, 0),
    OPENED(path))

WRAPPER(int, creat, (const char *path, mode_t mode), (path, mode),
    (ADDRESS(path), mode), OPENED(path))

WRAPPER(int, creat64, (const char *path, mode_t mode), (path, mode),
    (ADDRESS(path), mode), OPENED(path))

WRAPPER(int, close, (int fd), (fd), (fd), OR_ERRNO)

WRAPPER(ssize_t, read, (int fd, void *buf, size_t count), (fd, buf, count), (fd,
    ADDRESS(buf), count), OR_ERRNO)

WRAPPER_OF(ssize_t, __read_chk, read, (int fd, void *buf, size_t count,
    size_t size), (fd, buf, count, size), (fd, ADDRESS(buf), count), OR_ERRNO)

WRAPPER(ssize_t, pread, (int fd, void *buf, size_t count, off_t offset), (fd,
    buf, count, offset), (fd, ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER(ssize_t, pread64, (int fd, void *buf, size_t count, off64_t offset),
    (fd, buf, count, offset), (fd, ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER_OF(ssize_t, __pread_chk, pread, (int fd, void *buf, size_t count,
    off_t offset, size_t size), (fd, buf, count, offset, size), (fd,
    ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER_OF(ssize_t, __pread64_chk, pread64, (int fd, void *buf, size_t count,
    off64_t offset, size_t size), (fd, buf, count, offset, size), (fd,
    ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER(ssize_t, write, (int fd, const void *buf, size_t count), (fd, buf,
    count), (fd, ADDRESS(buf), count), OR_ERRNO)

WRAPPER(ssize_t, pwrite, (int fd, const void *buf, size_t count, off_t offset),
    (fd, buf, count, offset), (fd, ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER(ssize_t, pwrite64, (int fd, const void *buf, size_t count,
    off64_t offset), (fd, buf, count, offset), (fd, ADDRESS(buf), count,
    offset), OR_ERRNO)

WRAPPER(int, fsync, (int fd), (fd), (fd), OR_ERRNO)

WRAPPER(int, fdatasync, (int fd), (fd), (fd), OR_ERRNO)
