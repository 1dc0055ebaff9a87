/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The consumer's side of spare files (shared/spare_file.h).
 */
#include <sys/file.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/util/util.h"
#include "shared/board.h"
#include "shared/memory_limit.h"
#include "shared/spare_file.h"

/* Spares are not made if the file system has less room than this. */
#define ROOM_LEAST	(UINT64_C(64) << 20)

#define BLOCK		512	/* unit of st_blocks, bytes */

/*
 * Returns true if no other open file description of the file exists, mapped
 * ones included [inv.spare]: then the kernel grants a write lease.  A process
 * that opens the file meanwhile would break the lease by a SIGIO, which ends a
 * process that does not expect it; SIGURG is ignored.
 */
static bool
is_alone(int fd)
{
	return (fcntl(fd, F_SETSIG, SIGURG) == 0 &&
	    fcntl(fd, F_SETLEASE, F_WRLCK) == 0 &&
	    fcntl(fd, F_SETLEASE, F_UNLCK) == 0);
}

static bool
write_zeroes(int fd, off_t at, off_t end)
{
	static char zeroes[65536];
	ssize_t n;

	for (; at < end; at += n) {
		n = pwrite(fd, zeroes,
		    MIN((size_t)(end - at), sizeof(zeroes)), at);
		if (n <= 0)
			return (false);
	}
	return (true);
}

/*
 * Writes zeroes to the pages that were ever written.  A page that is only
 * backed is a hole for lseek(2) on tmpfs, and reads as zero.  Where all of the
 * file is data, more is refused than a spare may have.
 */
static bool
clear(int fd)
{
	off_t left = (off_t)TBUF_SPARE_BYTES, data = 0, hole;

	while ((data = lseek(fd, data, SEEK_DATA)) != -1) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data || hole - data > left ||
		    !write_zeroes(fd, data, hole))
			return (false);
		left -= hole - data;
		data = hole;
	}
	return (errno == ENXIO);
}

/* Returns true if the file is such as this user's targets make, and small. */
static bool
is_worth(int fd)
{
	struct stat st;

	return (fstat(fd, &st) == 0 && st.st_mode == (S_IFREG | 0600) &&
	    st.st_uid == geteuid() && st.st_nlink == 1 &&
	    st.st_size % TBUF_PAGE == 0 &&
	    (uint64_t)st.st_blocks * BLOCK <= TBUF_SPARE_BYTES &&
	    tbuf_room_files(fd) >= ROOM_LEAST);
}

/*
 * Renames the file to a free spare's name.  Returns its number, or -1.  A set
 * byte of the board is of a spare that is there.
 */
static int
rename_free(int dirfd, const struct tbuf_board *board, const char *name)
{
	char spare[TBUF_NAME_MAX + 1];
	unsigned i;

	for (i = 0; i < TBUF_SPARE_FILES; i++) {
		if (tbuf_load(&board->head.spares[i]) != 0)
			continue;
		tbuf_spare_name(spare, i);
		if (renameat2(dirfd, name, dirfd, spare, RENAME_NOREPLACE) ==
		    0)
			return ((int)i);
		if (errno != EEXIST)
			break;
	}
	return (-1);
}

/*
 * A file that another process has open gets its old name again: by that name
 * in /proc/PID/maps the children of its process are found.
 */
int
tbuf_spare_make(int dirfd, const struct tbuf_board *board, const char *name,
    int fd)
{
	char spare[TBUF_NAME_MAX + 1];
	int number;

	if (!is_worth(fd) || (number = rename_free(dirfd, board,
	    name)) == -1)
		return (-1);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_alone(fd) && clear(fd))
		return (number);
	tbuf_spare_name(spare, (unsigned)number);
	renameat(dirfd, spare, dirfd, name);
	flock(fd, LOCK_UN);
	return (-1);
}

void
tbuf_spare_publish(struct tbuf_board *board, int fd, unsigned number)
{
	flock(fd, LOCK_UN);
	tbuf_store_release(&board->head.spares[number], 1);
}

/* Returns true if no process is about to give the spare another name. */
static bool
is_left(int fd)
{
	struct stat st;

	return (fd == -1 || flock(fd, LOCK_EX | LOCK_NB) == 0 ||
	    (fstat(fd, &st) == 0 && st.st_nlink > 1));
}

void
tbuf_spares_remove(int dirfd, struct tbuf_board *board)
{
	char name[TBUF_NAME_MAX + 1];
	unsigned i;
	int fd;

	for (i = 0; i < TBUF_SPARE_FILES; i++) {
		tbuf_store(&board->head.spares[i], 0);
		tbuf_spare_name(name, i);
		fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK |
		    O_CLOEXEC);
		if (fd == -1 && errno == ENOENT)
			continue;
		if (is_left(fd))
			unlinkat(dirfd, name, 0);
		if (fd != -1)
			close(fd);
	}
}
