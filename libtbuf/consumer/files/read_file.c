/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads bytes of a lane of a control file, and finds holes: a file can say that
 * it has gigabytes of records, and have a few pages.
 */
#include <sys/param.h>

#include <errno.h>
#include <unistd.h>

#include "consumer/files/files.h"

bool
tbuf_lane_copy(int fd, uint64_t data, uint64_t storage, uint64_t at, void *to,
    uint64_t size)
{
	uint64_t offset = at & (storage - 1), first;

	first = MIN(size, storage - offset);
	return (tbuf_file_read(fd, to, first, data + offset) &&
	    tbuf_file_read(fd, (char *)to + first, size - first, data));
}

uint64_t
tbuf_file_hole(int fd, uint64_t at, uint64_t size)
{
	off_t data = lseek(fd, (off_t)at, SEEK_DATA);
	uint64_t hole = data == -1 ? (errno == ENXIO ? size : 0) :
	    MIN((uint64_t)data - at, size);

	return (hole > TBUF_RECORD_MAX ? hole : 0);
}

uint64_t
tbuf_file_present(int fd, uint64_t at, uint64_t size)
{
	uint64_t from = at, end = at + size;
	off_t data, hole;

	while (at < end && tbuf_file_hole(fd, at, end - at) == 0) {
		data = lseek(fd, (off_t)at, SEEK_DATA);
		hole = data == -1 ? -1 : lseek(fd, data, SEEK_HOLE);
		if (hole == -1 || (uint64_t)hole >= end)
			return (size);
		at = (uint64_t)hole;
	}
	return (MIN(at, end) - from);
}
