/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A process that somebody asks for right after it was begun: a shell's child
 * that has not called exec yet, or whose new image has run no constructor.  It
 * is no target so far, and may be one in a moment.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/util/util.h"
#include "consumer/attach/select.h"

#define YOUNG		TBUF_SECOND
#define LOOKS_EVERY	5	/* ms */

/* Is what keeps it from being a target what its next image is without? */
static bool
may_come(int error, const struct tbuf_found *found)
{
	return (error == -ENOEXEC || (error == -ECANCELED && found->forked));
}

/* False when this run is to stop. */
static bool
pause_looking(const struct tbuf_consumer *c, int pidfd)
{
	struct pollfd fds[] = {
		{ .fd = c->stop, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN }
	};

	return (poll(fds, 2, LOOKS_EVERY) <= 0 || fds[0].revents == 0);
}

/*
 * Probes come after the file, in the constructors of their objects: one round
 * in which there are no more of them.
 */
static bool
has_settled(const struct tbuf_found *found, uint32_t *before)
{
	struct tbuf_control control;
	uint32_t last = *before;

	if (!tbuf_file_read(found->fd, &control, sizeof(control), 0))
		return (true);
	*before = control.nprobes;
	return (*before != 0 && *before == last);
}

/* It is looked at once more when the time is over. */
static int
await(const struct tbuf_consumer *c, int pidfd, int error,
    struct tbuf_found *found)
{
	uint64_t deadline = tbuf_now() + YOUNG;
	uint32_t probes = 0;
	bool last = false;

	while (may_come(error, found) && !last) {
		last = !pause_looking(c, pidfd) || tbuf_now() >= deadline;
		error = tbuf_find_pid(found->pid, found);
	}
	while (error == 0 && !last && !has_settled(found, &probes))
		last = !pause_looking(c, pidfd) || tbuf_now() >= deadline;
	return (error);
}

int
tbuf_find_young(const struct tbuf_consumer *c, pid_t pid,
    struct tbuf_found *found)
{
	int error = tbuf_find_pid(pid, found), pidfd;

	if (!may_come(error, found) || pid == getpid() ||
	    !tbuf_find_begins(pid, YOUNG))
		return (error);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd == -1)
		return (error);
	error = await(c, pidfd, error, found);
	close(pidfd);
	return (error);
}
