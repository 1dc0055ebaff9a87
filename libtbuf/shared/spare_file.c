/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target's side of spare files (spare_file.h).
 */
#include "base/optimize_size.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "shared/board.h"
#include "shared/spare_file.h"

void
tbuf_spare_name(char name[TBUF_NAME_MAX + 1], unsigned number)
{
	memcpy(name, "spare.0", sizeof("spare.0"));
	name[sizeof("spare.") - 1] = (char)('0' + number);
}

/* Returns true if the header consists of zeroes. */
static bool
is_blank(int fd)
{
	uint64_t words[sizeof(struct tbuf_control) / sizeof(uint64_t)];
	uint64_t any = 0;
	unsigned i;

	if (pread(fd, words, sizeof(words), 0) != (ssize_t)sizeof(words))
		return (false);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		any |= words[i];
	return (any == 0);
}

/* Returns true if the file can only be a spare of this user. */
static bool
is_spare(int fd, uint64_t *bytes)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return (false);
	*bytes = (uint64_t)st.st_size;
	return (st.st_mode == (S_IFREG | 0600) && st.st_uid == geteuid() &&
	    st.st_nlink == 1 && st.st_size % TBUF_PAGE == 0 && is_blank(fd));
}

/*
 * The file is looked at before the lock is taken, as a lock makes the file of
 * a process look alive, and after it, as another process may have been first
 * [inv.spare].
 */
static bool
take(int fd, uint64_t *bytes)
{
	return (is_spare(fd, bytes) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    is_spare(fd, bytes));
}

/*
 * Takes a spare.  Its byte is cleared before its name is removed, thus before
 * a consumer gives the name to another file.
 */
static int
take_number(int dirfd, int board, unsigned number, const char *name,
    uint64_t *bytes)
{
	static const uint8_t none;
	/* O_NONBLOCK: it may be a FIFO, or have a lease. */
	int fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);

	if (fd == -1)
		return (-1);
	if (take(fd, bytes) && pwrite(board, &none, sizeof(none), (off_t)(
	    offsetof(struct tbuf_board, head.spares) + number)) == 1)
		return (fd);
	close(fd);
	return (-1);
}

int
tbuf_spare_take(int dirfd, int board, char name[TBUF_NAME_MAX + 1],
    uint64_t *bytes)
{
	uint8_t spares[TBUF_SPARE_FILES];
	unsigned i;
	int fd;

	if (board < 0 || pread(board, spares, sizeof(spares),
	    offsetof(struct tbuf_board, head.spares)) != sizeof(spares))
		return (-1);
	for (i = 0; i < TBUF_SPARE_FILES; i++) {
		if (spares[i] == 0)
			continue;
		tbuf_spare_name(name, i);
		fd = take_number(dirfd, board, i, name, bytes);
		if (fd != -1)
			return (fd);
	}
	return (-1);
}
