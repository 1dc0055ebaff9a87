/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Waits for a process that was grabbed right after its start: a shell's child
 * that has not called exec yet, or an image that has not run its constructors.
 * It is not a target yet, and may be one in a moment.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/util/util.h"

/*
 * For all processes together: they start at the same time, and some of them may
 * be forked for ever.
 */
#define START_WAIT	TBUF_SECOND
#define POLL_PERIOD	5	/* ms */

/* Returns true if the process's next exec image may be a target. */
static bool
may_come(int error, const struct tbuf_found *found)
{
	return (error == -ENOEXEC || (error == -ECANCELED && found->forked));
}

/* Returns false if this run is to stop. */
static bool
pause_looking(const struct tbuf_consumer *c, int pidfd)
{
	struct pollfd fds[] = {
		{ .fd = c->stop, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN }
	};

	return (poll(fds, 2, POLL_PERIOD) <= 0 || fds[0].revents == 0);
}

/*
 * Returns true if no probe has been registered since the last look.  Probes
 * come after the file, by the constructors of their objects.
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

/*
 * Waits until the process is a target with all its probes.  It is looked at a
 * last time at the deadline.
 */
static int
await(const struct tbuf_consumer *c, int pidfd, int error, uint64_t deadline,
    struct tbuf_found *found)
{
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
tbuf_find_starting(struct tbuf_consumer *c, pid_t pid,
    struct tbuf_found *found)
{
	int error = tbuf_find_pid(pid, found), pidfd;
	uint64_t begin = tbuf_now();

	if (!may_come(error, found) || pid == getpid() ||
	    c->start_waited >= START_WAIT ||
	    !tbuf_find_is_new(pid, START_WAIT))
		return (error);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd == -1)
		return (error);
	error = await(c, pidfd, error, begin + START_WAIT - c->start_waited,
	    found);
	c->start_waited += tbuf_now() - begin;
	close(pidfd);
	return (error);
}
