/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What dead targets have left in the runtime directory.
 */
#include <sys/stat.h>
#include <sys/syscall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "common/board.h"
#include "common/control.h"

/* A program that starts looks at no more than this. */
#define ENTRIES_BYTES	8192
#define REAPED_MAX	8

/* Does any consumer hold a slot of this file? */
static bool
consumed(int fd)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET,
		.l_start = 1, .l_len = TBUF_NSESSIONS
	};

	return (fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK);
}

/* The command that a file waits for is still there. */
static bool
awaited(const struct tbuf_control *control)
{
	return (control->stage == TBUF_STAGE_WAITING && control->start != 0 &&
	    tbuf_start_time((pid_t)control->pid) == control->start);
}

bool
tbuf_control_reap(int dirfd, const char *name, int fd,
    const struct tbuf_control *control)
{
	if (tbuf_control_alive(fd) || awaited(control) || consumed(fd) ||
	    tbuf_board_claims(dirfd, fd, control))
		return (false);
	return (unlinkat(dirfd, name, 0) == 0);
}

/* The name's process is gone: reap the file if nobody reads it. */
static bool
reap_name(int dirfd, const char *name)
{
	struct tbuf_control control;
	struct stat st;
	uint64_t random;
	bool reaped = false;
	pid_t pid;
	int fd;

	if (!tbuf_control_name_parse(name, &pid, &random) ||
	    kill(pid, 0) == 0 || errno != ESRCH)
		return (false);
	fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return (false);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pread(fd, &control, sizeof(control), 0) == sizeof(control) &&
	    tbuf_control_check(&control, (uint64_t)st.st_size) == 0)
		reaped = tbuf_control_reap(dirfd, name, fd, &control);
	close(fd);
	return (reaped);
}

void
tbuf_control_reap_some(int dirfd)
{
	union {
		struct dirent64 entry;
		char bytes[ENTRIES_BYTES];
	} buffer;
	const struct dirent64 *entry;
	unsigned reaped = 0;
	long n, at;
	int fd;

	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return;
	n = syscall(SYS_getdents64, fd, buffer.bytes, sizeof(buffer.bytes));
	for (at = 0; at < n && reaped < REAPED_MAX; at += entry->d_reclen) {
		entry = (const struct dirent64 *)(const void *)
		    (buffer.bytes + at);
		if (reap_name(dirfd, entry->d_name))
			reaped++;
	}
	close(fd);
}
