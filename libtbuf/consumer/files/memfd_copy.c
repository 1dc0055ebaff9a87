/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memfds that have the size of a control file and the bytes that remain of it:
 * of a truncated file, or in a core.  Missing bytes are zero.
 */
#include <sys/mman.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"

#define PIECE		65536u

int
tbuf_memfd_make(uint64_t size)
{
	int fd = memfd_create("tbuf-copy", MFD_CLOEXEC), error;

	if (fd == -1)
		return (-ENOMEM);
	if (ftruncate(fd, (off_t)size) == 0)
		return (fd);
	error = errno == EFBIG || errno == EINVAL ? -EFBIG : -ENOMEM;
	close(fd);
	return (error);
}

/* Stores the pages that are not all zero: the rest of the file is a hole. */
int
tbuf_memfd_store(int fd, const char *bytes, size_t size, uint64_t at)
{
	static const char zeroes[TBUF_PAGE];
	size_t i, some;

	for (i = 0; i < size; i += some) {
		some = size - i < TBUF_PAGE ? size - i : TBUF_PAGE;
		if (memcmp(bytes + i, zeroes, some) != 0 && pwrite(fd,
		    bytes + i, some, (off_t)(at + i)) != (ssize_t)some)
			return (-ENOMEM);
	}
	return (0);
}

/* Copies [at, end), which has no holes, from one file to the other. */
static int
copy(int from, int to, uint64_t at, uint64_t end)
{
	char bytes[PIECE];
	ssize_t n;
	int error;

	for (; at < end; at += (uint64_t)n) {
		n = pread(from, bytes, end - at < PIECE ? end - at : PIECE,
		    (off_t)at);
		if (n == -1 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return (n == 0 ? 0 : -errno);
		else if ((error = tbuf_memfd_store(to, bytes, (size_t)n,
		    at)) != 0)
			return (error);
	}
	return (0);
}

/* Copies the data, not the holes: the work is bounded by existing bytes. */
static int
copy_data(int from, int to, uint64_t size)
{
	uint64_t left = TBUF_MEMFD_BYTES, end;
	off_t at = 0, hole;
	int error = 0;

	while (error == 0 && (uint64_t)at < size) {
		at = lseek(from, at, SEEK_DATA);
		if (at == -1)
			return (errno == ENXIO ? 0 : -errno);
		if ((hole = lseek(from, at, SEEK_HOLE)) == -1)
			return (-errno);
		end = (uint64_t)hole < size ? (uint64_t)hole : size;
		if (end <= (uint64_t)at)
			break;
		if (end - (uint64_t)at > left)
			return (-EFBIG);
		left -= end - (uint64_t)at;
		error = copy(from, to, (uint64_t)at, end);
		at = hole;
	}
	return (error);
}

int
tbuf_memfd_copy(int from, uint64_t known, uint64_t size)
{
	int fd = tbuf_memfd_make(size), error;

	if (fd < 0)
		return (fd);
	if ((error = copy_data(from, fd, known)) == 0)
		return (fd);
	close(fd);
	return (error);
}
