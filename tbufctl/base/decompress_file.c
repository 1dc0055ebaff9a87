/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unpacks a whole compressed file into a file without a name, in memory.
 * Blocks of zeroes take no memory.
 */
#include <sys/mman.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "decompress.h"

#define BLOCK		4096u
#define BYTES_MAX	(UINT64_C(4) << 30)	/* in nonzero blocks */

static int
store(int fd, const char *bytes, size_t size, uint64_t at, uint64_t *room)
{
	static const char zeroes[BLOCK];

	if (memcmp(bytes, zeroes, size) == 0)
		return (0);
	if (size > *room)
		return (-EFBIG);
	*room -= size;
	if (pwrite(fd, bytes, size, (off_t)at) != (ssize_t)size)
		return (-ENOMEM);
	return (0);
}

static int
store_all(int fd, struct unpack *u)
{
	uint64_t at = 0, room = BYTES_MAX;
	char bytes[BLOCK];
	ssize_t n;
	int error = 0;

	for (; error == 0; at += (uint64_t)n) {
		if ((n = unpack_read(u, bytes, sizeof(bytes), at)) < 0)
			return ((int)n);
		if (n == 0)
			return (ftruncate(fd, (off_t)at) == 0 ? 0 : -errno);
		error = store(fd, bytes, (size_t)n, at, &room);
	}
	return (error);
}

int
unpack_file(struct unpack *u)
{
	int fd = memfd_create("tbuf-unpacked", MFD_CLOEXEC), error;

	if (fd == -1)
		return (-errno);
	if ((error = store_all(fd, u)) == 0)
		return (fd);
	close(fd);
	return (error);
}
