/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Traces in memory of dead processes.  A process that makes a new one removes
 * those of processes that have ended normally, and the oldest of the other ones
 * of its program: $TBUF_KEEP limits their number and bytes.  No malloc.
 */
#include <sys/file.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "shared/text_ticket.h"
#include "text/text.h"

#define PARTS_MAX	256	/* most parts read of a directory */
#define REMOVED_MAX	64	/* at one start */
#define BLOCK		512	/* bytes of st_blocks */

/* The traces of dead processes of this program. */
struct keep {
	uint64_t files, bytes;
	char oldest[TBUF_NAME_MAX];	/* "": none */
	struct timespec when;
};

/* Returns true if the name is text.PID.RANDOM of a process that has ended. */
static bool
name_is_orphan(const char *name)
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

static void
count(struct keep *k, const char *name, const struct stat *st)
{
	const struct timespec *when = &st->st_mtim;

	k->files++;
	k->bytes += (uint64_t)st->st_blocks * BLOCK;
	if (*k->oldest != '\0' && (when->tv_sec != k->when.tv_sec ?
	    when->tv_sec > k->when.tv_sec : when->tv_nsec >= k->when.tv_nsec))
		return;
	strcpy(k->oldest, name);
	k->when = *when;
}

/*
 * Looks at a trace that is not locked: removes it if its process ended normally
 * or it has no whole header, else counts it if it is of this program.
 */
static void
look(int dirfd, const char *name, void *argument)
{
	struct tbuf_trace trace;
	struct stat st;
	int fd;

	tbuf_ticket_sweep(dirfd, name);
	if (!name_is_orphan(name))
		return;
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (fd == -1)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (pread(fd, &trace, sizeof(trace), 0) != sizeof(trace) ||
		    trace.exited != 0)
			unlinkat(dirfd, name, 0);
		else if (strncmp(trace.comm, program_invocation_short_name,
		    sizeof(trace.comm) - 1) == 0)
			count(argument, name, &st);
	}
	close(fd);
}

void
tbuf_trace_reap(int dirfd)
{
	struct tbuf_names_part part;
	uint64_t files, bytes;
	struct keep k;
	unsigned i;

	(void)tbuf_keep_limits(&files, &bytes);
	for (i = 0; i < REMOVED_MAX; i++) {
		memset(&k, 0, sizeof(k));
		tbuf_names_each(dirfd, &part, PARTS_MAX, look, &k);
		if ((k.files <= files && k.bytes <= bytes) ||
		    *k.oldest == '\0' || unlinkat(dirfd, k.oldest, 0) != 0)
			break;
	}
}
