/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The locks of a control file, and reading it.  The locks exclude each other's
 * changes: consumers, and a target that builds a session in a file that has a
 * name.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "shared/control_file.h"

#define PAUSE		1000000		/* ns */
#define FILE_PAUSES	10000		/* wait for another consumer, 10 s */

bool
tbuf_file_read(int fd, void *to, uint64_t size, uint64_t offset)
{
	ssize_t n;

	for (; size > 0; size -= (uint64_t)n, offset += (uint64_t)n) {
		n = pread(fd, to, size, (off_t)offset);
		if (n == -1 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return (false);
		to = (char *)to + n;
	}
	return (true);
}

int
tbuf_file_lock_call(int fd, int command, short type, uint64_t first,
    uint64_t n)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET,
		.l_start = (off_t)first, .l_len = (off_t)n
	};

	return (fcntl(fd, command, &lock) == 0 ? lock.l_type : -1);
}

bool
tbuf_file_lock(int fd, uint64_t byte)
{
	return (tbuf_file_lock_call(fd, F_OFD_SETLK, F_WRLCK, byte, 1) != -1);
}

void
tbuf_file_unlock(int fd, uint64_t byte)
{
	(void)tbuf_file_lock_call(fd, F_OFD_SETLK, F_UNLCK, byte, 1);
}

bool
tbuf_pause(unsigned *pauses)
{
	struct timespec t = { 0, PAUSE };

	if (*pauses == 0)
		return (false);
	(*pauses)--;
	nanosleep(&t, NULL);
	return (true);
}

/* A holder has it for as long as it takes to reserve space. */
int
tbuf_file_lock_wait(int fd)
{
	unsigned pauses = FILE_PAUSES;

	do {
		if (tbuf_file_lock(fd, 0))
			return (0);
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return (-errno);
	} while (tbuf_pause(&pauses));
	return (-EBUSY);
}
