/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Traces in memory of processes that are dead.  Whoever makes a new one looks
 * for them: those of processes that have ended in the orderly way go, and of
 * the others all but the youngest.  No malloc.
 */
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/control.h"
#include "text/text.h"

#define ENTRIES_BYTES	8192
#define PARTS_MAX	256	/* of a directory that is very large */

struct left {
	char name[TBUF_NAME_MAX];
	struct timespec when;	/* 0: the place is free */
};

static bool
older(const struct timespec *a, const struct timespec *b)
{
	return (a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec :
	    a->tv_nsec < b->tv_nsec);
}

/* text.PID.RANDOM, of a process that is gone. */
static bool
name_left(const char *name)
{
	char control[TBUF_NAME_MAX];
	uint64_t random;
	pid_t pid;

	if (strlen(name) >= sizeof(control) ||
	    strncmp(name, TBUF_TRACE_NAME, sizeof(TBUF_TRACE_NAME) - 1) != 0)
		return (false);
	strcpy(control, name);
	memcpy(control, "tbuf", 4);
	return (tbuf_control_name_parse(control, &pid, &random) &&
	    kill(pid, 0) != 0 && errno == ESRCH);
}

/* Nobody has its lock; since when.  `exited': in the orderly way. */
static bool
file_left(int dirfd, const char *name, struct left *left, bool *exited)
{
	struct tbuf_trace trace;
	struct stat st;
	bool is = false;
	int fd;

	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (fd == -1)
		return (false);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*exited = pread(fd, &trace, sizeof(trace), 0) ==
		    sizeof(trace) && trace.exited != 0;
		strcpy(left->name, name);
		left->when = st.st_mtim;
		is = true;
	}
	close(fd);
	return (is);
}

/* Keep the youngest; the one that has to make room goes. */
static void
keep(int dirfd, struct left kept[TBUF_TRACES_KEPT], const struct left *left)
{
	struct left *oldest = &kept[0];
	unsigned i;

	for (i = 1; i < TBUF_TRACES_KEPT; i++)
		if (older(&kept[i].when, &oldest->when))
			oldest = &kept[i];
	if (older(&left->when, &oldest->when)) {
		unlinkat(dirfd, left->name, 0);
		return;
	}
	if (oldest->name[0] != '\0')
		unlinkat(dirfd, oldest->name, 0);
	*oldest = *left;
}

union part {
	struct dirent64 entry;
	char bytes[ENTRIES_BYTES];
};

static void
reap_part(int dirfd, const union part *part, long size,
    struct left kept[TBUF_TRACES_KEPT])
{
	const struct dirent64 *entry;
	struct left left;
	bool exited;
	long at;

	for (at = 0; at < size; at += entry->d_reclen) {
		entry = (const struct dirent64 *)(const void *)
		    (part->bytes + at);
		if (!name_left(entry->d_name) ||
		    !file_left(dirfd, entry->d_name, &left, &exited))
			continue;
		if (exited)
			unlinkat(dirfd, left.name, 0);
		else
			keep(dirfd, kept, &left);
	}
}

void
tbuf_trace_reap(int dirfd)
{
	struct left kept[TBUF_TRACES_KEPT];
	union part part;
	unsigned i;
	long n;
	int fd;

	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return;
	memset(kept, 0, sizeof(kept));
	for (i = 0; i < PARTS_MAX && (n = syscall(SYS_getdents64, fd,
	    part.bytes, sizeof(part.bytes))) > 0; i++)
		reap_part(dirfd, &part, n, kept);
	close(fd);
}
