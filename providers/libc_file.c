/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: opening, closing, reading, writing.
 *
 * A path is told by the return, and only if the call has succeeded: then the
 * kernel has read it, and so can we.
 *
 * Programs that are built with _FORTIFY_SOURCE call the checking versions,
 * __read_chk() and the like.  They fire the probes of the plain ones.
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

/* What the C library exports for the headers' checking versions. */
int	__open_2(const char *path, int flags);
int	__open64_2(const char *path, int flags);
int	__openat_2(int dirfd, const char *path, int flags);
int	__openat64_2(int dirfd, const char *path, int flags);
ssize_t	__read_chk(int fd, void *buf, size_t count, size_t size);
ssize_t	__pread_chk(int fd, void *buf, size_t count, off_t offset,
	    size_t size);
ssize_t	__pread64_chk(int fd, void *buf, size_t count, off64_t offset,
	    size_t size);

/* Does open(2) take a mode with these flags? */
static bool
has_mode(int flags)
{
	return ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE);
}

/* The path of a call that succeeded, as a string's value. */
static uint64_t
path_if(bool succeeded, const char *path)
{
	return (succeeded ? ADDRESS(path) : 0);
}

int
open(const char *path, int flags, ...)
{
	struct libc_function *f = &functions[OPEN];
	typeof(open) *real;
	mode_t mode = 0;
	va_list list;
	int result;

	va_start(list, flags);
	if (has_mode(flags))
		mode = va_arg(list, mode_t);
	va_end(list);
	if (quiet(f))
		return (REAL(open, f)(path, flags, mode));
	real = tbuf_libc_real(f);
	FIRE(f->entry, ADDRESS(path), flags, mode);
	result = real(path, flags, mode);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
open64(const char *path, int flags, ...)
{
	struct libc_function *f = &functions[OPEN64];
	typeof(open64) *real;
	mode_t mode = 0;
	va_list list;
	int result;

	va_start(list, flags);
	if (has_mode(flags))
		mode = va_arg(list, mode_t);
	va_end(list);
	if (quiet(f))
		return (REAL(open64, f)(path, flags, mode));
	real = tbuf_libc_real(f);
	FIRE(f->entry, ADDRESS(path), flags, mode);
	result = real(path, flags, mode);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
openat(int dirfd, const char *path, int flags, ...)
{
	struct libc_function *f = &functions[OPENAT];
	typeof(openat) *real;
	mode_t mode = 0;
	va_list list;
	int result;

	va_start(list, flags);
	if (has_mode(flags))
		mode = va_arg(list, mode_t);
	va_end(list);
	if (quiet(f))
		return (REAL(openat, f)(dirfd, path, flags, mode));
	real = tbuf_libc_real(f);
	FIRE(f->entry, dirfd, ADDRESS(path), flags, mode);
	result = real(dirfd, path, flags, mode);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
openat64(int dirfd, const char *path, int flags, ...)
{
	struct libc_function *f = &functions[OPENAT64];
	typeof(openat64) *real;
	mode_t mode = 0;
	va_list list;
	int result;

	va_start(list, flags);
	if (has_mode(flags))
		mode = va_arg(list, mode_t);
	va_end(list);
	if (quiet(f))
		return (REAL(openat64, f)(dirfd, path, flags, mode));
	real = tbuf_libc_real(f);
	FIRE(f->entry, dirfd, ADDRESS(path), flags, mode);
	result = real(dirfd, path, flags, mode);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
__open_2(const char *path, int flags)
{
	struct libc_function *f = &functions[OPEN];
	typeof(__open_2) *real;
	int result;

	if (quiet(f))
		return (REAL(__open_2, &functions[OPEN_2])(path, flags));
	real = tbuf_libc_real(&functions[OPEN_2]);
	FIRE(f->entry, ADDRESS(path), flags, 0);
	result = real(path, flags);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
__open64_2(const char *path, int flags)
{
	struct libc_function *f = &functions[OPEN64];
	typeof(__open64_2) *real;
	int result;

	if (quiet(f))
		return (REAL(__open64_2, &functions[OPEN64_2])(path, flags));
	real = tbuf_libc_real(&functions[OPEN64_2]);
	FIRE(f->entry, ADDRESS(path), flags, 0);
	result = real(path, flags);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
__openat_2(int dirfd, const char *path, int flags)
{
	struct libc_function *f = &functions[OPENAT];
	typeof(__openat_2) *real;
	int result;

	if (quiet(f))
		return (REAL(__openat_2, &functions[OPENAT_2])(dirfd, path,
		    flags));
	real = tbuf_libc_real(&functions[OPENAT_2]);
	FIRE(f->entry, dirfd, ADDRESS(path), flags, 0);
	result = real(dirfd, path, flags);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
__openat64_2(int dirfd, const char *path, int flags)
{
	struct libc_function *f = &functions[OPENAT64];
	typeof(__openat64_2) *real;
	int result;

	if (quiet(f))
		return (REAL(__openat64_2, &functions[OPENAT64_2])(dirfd, path,
		    flags));
	real = tbuf_libc_real(&functions[OPENAT64_2]);
	FIRE(f->entry, dirfd, ADDRESS(path), flags, 0);
	result = real(dirfd, path, flags);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
creat(const char *path, mode_t mode)
{
	struct libc_function *f = &functions[CREAT];
	typeof(creat) *real;
	int result;

	if (quiet(f))
		return (REAL(creat, f)(path, mode));
	real = tbuf_libc_real(f);
	FIRE(f->entry, ADDRESS(path), mode);
	result = real(path, mode);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
creat64(const char *path, mode_t mode)
{
	struct libc_function *f = &functions[CREAT64];
	typeof(creat64) *real;
	int result;

	if (quiet(f))
		return (REAL(creat64, f)(path, mode));
	real = tbuf_libc_real(f);
	FIRE(f->entry, ADDRESS(path), mode);
	result = real(path, mode);
	FIRE(f->leave, result, error_if(result == -1),
	    path_if(result != -1, path));
	return (result);
}

int
close(int fd)
{
	struct libc_function *f = &functions[CLOSE];
	typeof(close) *real;
	int result;

	if (quiet(f))
		return (REAL(close, f)(fd));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd);
	result = real(fd);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
read(int fd, void *buf, size_t count)
{
	struct libc_function *f = &functions[READ];
	typeof(read) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(read, f)(fd, buf, count));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), count);
	result = real(fd, buf, count);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
__read_chk(int fd, void *buf, size_t count, size_t size)
{
	struct libc_function *f = &functions[READ];
	typeof(__read_chk) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(__read_chk, &functions[READ_CHK])(fd, buf, count,
		    size));
	real = tbuf_libc_real(&functions[READ_CHK]);
	FIRE(f->entry, fd, ADDRESS(buf), count);
	result = real(fd, buf, count, size);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
pread(int fd, void *buf, size_t count, off_t offset)
{
	struct libc_function *f = &functions[PREAD];
	typeof(pread) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(pread, f)(fd, buf, count, offset));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), count, offset);
	result = real(fd, buf, count, offset);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
pread64(int fd, void *buf, size_t count, off64_t offset)
{
	struct libc_function *f = &functions[PREAD64];
	typeof(pread64) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(pread64, f)(fd, buf, count, offset));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), count, offset);
	result = real(fd, buf, count, offset);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
__pread_chk(int fd, void *buf, size_t count, off_t offset, size_t size)
{
	struct libc_function *f = &functions[PREAD];
	typeof(__pread_chk) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(__pread_chk, &functions[PREAD_CHK])(fd, buf,
		    count, offset, size));
	real = tbuf_libc_real(&functions[PREAD_CHK]);
	FIRE(f->entry, fd, ADDRESS(buf), count, offset);
	result = real(fd, buf, count, offset, size);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
__pread64_chk(int fd, void *buf, size_t count, off64_t offset, size_t size)
{
	struct libc_function *f = &functions[PREAD64];
	typeof(__pread64_chk) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(__pread64_chk, &functions[PREAD64_CHK])(fd, buf,
		    count, offset, size));
	real = tbuf_libc_real(&functions[PREAD64_CHK]);
	FIRE(f->entry, fd, ADDRESS(buf), count, offset);
	result = real(fd, buf, count, offset, size);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
write(int fd, const void *buf, size_t count)
{
	struct libc_function *f = &functions[WRITE];
	typeof(write) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(write, f)(fd, buf, count));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), count);
	result = real(fd, buf, count);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
pwrite(int fd, const void *buf, size_t count, off_t offset)
{
	struct libc_function *f = &functions[PWRITE];
	typeof(pwrite) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(pwrite, f)(fd, buf, count, offset));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), count, offset);
	result = real(fd, buf, count, offset);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
pwrite64(int fd, const void *buf, size_t count, off64_t offset)
{
	struct libc_function *f = &functions[PWRITE64];
	typeof(pwrite64) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(pwrite64, f)(fd, buf, count, offset));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), count, offset);
	result = real(fd, buf, count, offset);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

int
fsync(int fd)
{
	struct libc_function *f = &functions[FSYNC];
	typeof(fsync) *real;
	int result;

	if (quiet(f))
		return (REAL(fsync, f)(fd));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd);
	result = real(fd);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

int
fdatasync(int fd)
{
	struct libc_function *f = &functions[FDATASYNC];
	typeof(fdatasync) *real;
	int result;

	if (quiet(f))
		return (REAL(fdatasync, f)(fd));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd);
	result = real(fd);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}
