/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: opening, closing, reading, writing.
 *
 * The return's probe has the path, and only if the call succeeded: the kernel
 * has read it then, so that the provider can, too.
 *
 * Programs that are built with _FORTIFY_SOURCE call the checking versions,
 * __read_chk() and the like.  They fire the probes of the plain functions.
 */
#include "libc.h"

#include <sys/types.h>

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

enum {
	OPEN, OPEN64, OPENAT, OPENAT64, CREAT, CREAT64, CLOSE, READ, PREAD,
	PREAD64, WRITE, PWRITE, PWRITE64, FSYNC, FDATASYNC,
	OPEN_2, OPEN64_2, OPENAT_2, OPENAT64_2, READ_CHK, PREAD_CHK,
	PREAD64_CHK, NFUNCTIONS
};

static const struct libc_row rows[NFUNCTIONS] = {
	[OPEN] = { "open",
	    "path:ptr flags:i32 mode:u32", "result:i32 errno:i32 path:str" },
	[OPEN64] = { "open64",
	    "path:ptr flags:i32 mode:u32", "result:i32 errno:i32 path:str" },
	[OPENAT] = { "openat",
	    "dirfd:i32 path:ptr flags:i32 mode:u32",
	    "result:i32 errno:i32 path:str" },
	[OPENAT64] = { "openat64",
	    "dirfd:i32 path:ptr flags:i32 mode:u32",
	    "result:i32 errno:i32 path:str" },
	[CREAT] = { "creat",
	    "path:ptr mode:u32", "result:i32 errno:i32 path:str" },
	[CREAT64] = { "creat64",
	    "path:ptr mode:u32", "result:i32 errno:i32 path:str" },
	[CLOSE] = { "close",
	    "fd:i32", "result:i32 errno:i32" },
	[READ] = { "read",
	    "fd:i32 buf:ptr count:u64", "result:i64 errno:i32" },
	[PREAD] = { "pread",
	    "fd:i32 buf:ptr count:u64 offset:i64", "result:i64 errno:i32" },
	[PREAD64] = { "pread64",
	    "fd:i32 buf:ptr count:u64 offset:i64", "result:i64 errno:i32" },
	[WRITE] = { "write",
	    "fd:i32 buf:ptr count:u64", "result:i64 errno:i32" },
	[PWRITE] = { "pwrite",
	    "fd:i32 buf:ptr count:u64 offset:i64", "result:i64 errno:i32" },
	[PWRITE64] = { "pwrite64",
	    "fd:i32 buf:ptr count:u64 offset:i64", "result:i64 errno:i32" },
	[FSYNC] = { "fsync",
	    "fd:i32", "result:i32 errno:i32" },
	[FDATASYNC] = { "fdatasync",
	    "fd:i32", "result:i32 errno:i32" },
	[OPEN_2] = { "__open_2", NULL, NULL },
	[OPEN64_2] = { "__open64_2", NULL, NULL },
	[OPENAT_2] = { "__openat_2", NULL, NULL },
	[OPENAT64_2] = { "__openat64_2", NULL, NULL },
	[READ_CHK] = { "__read_chk", NULL, NULL },
	[PREAD_CHK] = { "__pread_chk", NULL, NULL },
	[PREAD64_CHK] = { "__pread64_chk", NULL, NULL },
};

static struct libc_function functions[NFUNCTIONS] =
    LIBC_FUNCTIONS(NFUNCTIONS);

const struct libc_family tbuf_libc_file = {
	rows, functions, NFUNCTIONS, NULL, NULL, 0
};

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

/* Returns the path as the value of a string if the call succeeded, else 0. */
static uint64_t
path_if(bool succeeded, const char *path)
{
	return (succeeded ? ADDRESS(path) : 0);
}

#define OPENED(path)	OR_ERRNO, path_if(result != -1, path)

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

TRACED_CALL(int, open, (const char *path, int flags, mode_t mode), OPEN, OPEN,
    (path, flags, mode), (ADDRESS(path), flags, mode), OPENED(path))

int
open(const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(open, OPEN, OPEN, (path, flags, mode));
}

TRACED_CALL(int, open64, (const char *path, int flags, mode_t mode), OPEN64,
    OPEN64, (path, flags, mode), (ADDRESS(path), flags, mode), OPENED(path))

int
open64(const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(open64, OPEN64, OPEN64, (path, flags, mode));
}

TRACED_CALL(int, openat, (int dirfd, const char *path, int flags, mode_t mode),
    OPENAT, OPENAT, (dirfd, path, flags, mode),
    (dirfd, ADDRESS(path), flags, mode), OPENED(path))

int
openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(openat, OPENAT, OPENAT, (dirfd, path, flags, mode));
}

TRACED_CALL(int, openat64,
    (int dirfd, const char *path, int flags, mode_t mode), OPENAT64, OPENAT64,
    (dirfd, path, flags, mode), (dirfd, ADDRESS(path), flags, mode),
    OPENED(path))

int
openat64(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = MODE_BEHIND(flags);

	PASS(openat64, OPENAT64, OPENAT64, (dirfd, path, flags, mode));
}

WRAPPER(int, __open_2, (const char *path, int flags), OPEN, OPEN_2,
    (path, flags), (ADDRESS(path), flags, 0), OPENED(path))

WRAPPER(int, __open64_2, (const char *path, int flags), OPEN64, OPEN64_2,
    (path, flags), (ADDRESS(path), flags, 0), OPENED(path))

WRAPPER(int, __openat_2, (int dirfd, const char *path, int flags), OPENAT,
    OPENAT_2, (dirfd, path, flags), (dirfd, ADDRESS(path), flags, 0),
    OPENED(path))

WRAPPER(int, __openat64_2, (int dirfd, const char *path, int flags), OPENAT64,
    OPENAT64_2, (dirfd, path, flags), (dirfd, ADDRESS(path), flags, 0),
    OPENED(path))

WRAPPER(int, creat, (const char *path, mode_t mode), CREAT, CREAT, (path, mode),
    (ADDRESS(path), mode), OPENED(path))

WRAPPER(int, creat64, (const char *path, mode_t mode), CREAT64, CREAT64,
    (path, mode), (ADDRESS(path), mode), OPENED(path))

WRAPPER(int, close, (int fd), CLOSE, CLOSE, (fd), (fd), OR_ERRNO)

WRAPPER(ssize_t, read, (int fd, void *buf, size_t count), READ, READ,
    (fd, buf, count), (fd, ADDRESS(buf), count), OR_ERRNO)

WRAPPER(ssize_t, __read_chk, (int fd, void *buf, size_t count, size_t size),
    READ, READ_CHK, (fd, buf, count, size), (fd, ADDRESS(buf), count), OR_ERRNO)

WRAPPER(ssize_t, pread, (int fd, void *buf, size_t count, off_t offset), PREAD,
    PREAD, (fd, buf, count, offset), (fd, ADDRESS(buf), count, offset),
    OR_ERRNO)

WRAPPER(ssize_t, pread64, (int fd, void *buf, size_t count, off64_t offset),
    PREAD64, PREAD64, (fd, buf, count, offset),
    (fd, ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER(ssize_t, __pread_chk,
    (int fd, void *buf, size_t count, off_t offset, size_t size), PREAD,
    PREAD_CHK, (fd, buf, count, offset, size),
    (fd, ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER(ssize_t, __pread64_chk,
    (int fd, void *buf, size_t count, off64_t offset, size_t size), PREAD64,
    PREAD64_CHK, (fd, buf, count, offset, size),
    (fd, ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER(ssize_t, write, (int fd, const void *buf, size_t count), WRITE, WRITE,
    (fd, buf, count), (fd, ADDRESS(buf), count), OR_ERRNO)

WRAPPER(ssize_t, pwrite, (int fd, const void *buf, size_t count, off_t offset),
    PWRITE, PWRITE, (fd, buf, count, offset), (fd, ADDRESS(buf), count, offset),
    OR_ERRNO)

WRAPPER(ssize_t, pwrite64,
    (int fd, const void *buf, size_t count, off64_t offset), PWRITE64, PWRITE64,
    (fd, buf, count, offset), (fd, ADDRESS(buf), count, offset), OR_ERRNO)

WRAPPER(int, fsync, (int fd), FSYNC, FSYNC, (fd), (fd), OR_ERRNO)

WRAPPER(int, fdatasync, (int fd), FDATASYNC, FDATASYNC, (fd), (fd), OR_ERRNO)
