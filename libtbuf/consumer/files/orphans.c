/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Orphans: looks at the files of dead processes, with pread(2) alone.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "consumer/files/files.h"
#include "consumer/util/clock_sync.h"
#include "target/provider.h"
#include "tbuf_consumer.h"

#define BLOCK	512		/* unit of st_blocks, bytes */

struct look {
	const struct tbuf_runtime *directory;
	int (*visit)(void *, const struct tbuf_left *);
	void *arg;
};

/* Returns the stamp of a session's latest record, or 0. */
static uint64_t
session_last(int fd, unsigned number)
{
	uint64_t last = 0, i;
	struct tbuf_slot slot;
	struct tbuf_lane lane;

	if (!tbuf_file_read(fd, &slot, sizeof(slot), TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE))
		return (0);
	for (i = 0; i < slot.nlanes && i < 2 * TBUF_NCPUS; i++)
		if (tbuf_file_read(fd, &lane, sizeof(lane), slot.lanes +
		    i * sizeof(lane)) && lane.head != 0 && lane.last > last)
			last = lane.last;
	return (last);
}

/* Returns the wall time of the latest record, or of the start, ns. */
static uint64_t
last_time(int fd, const struct tbuf_control *control,
    const struct tbuf_session *recorder)
{
	struct tbuf_timeline line = {
		.clock = (enum tbuf_clock)control->clock,
		.base = control->birth
	};
	uint64_t last = 0, stamp;
	unsigned i;

	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_state_readable(control->state[i]) &&
		    (stamp = session_last(fd, i)) > last)
			last = stamp;
	if (last == 0 || line.clock > TBUF_CLOCK_COARSE)
		return (control->birth.real);
	if (recorder != NULL && recorder->boot != tbuf_boot())
		tbuf_timeline_update(&line, &recorder->now);
	else
		tbuf_timeline_update(&line, NULL);
	return (tbuf_timeline_wall(&line, tbuf_timeline_mono(&line, last)));
}

/* Returns true unless the process has ended; a zombie has. */
static bool
runs(pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	bool ended;

	if (pidfd == -1)
		return (errno != ESRCH);
	ended = tbuf_process_ended(pidfd);
	close(pidfd);
	return (!ended);
}

/*
 * Returns the signal that ended the process: from the status of a zombie, else
 * from the header, where the target has stored it; 0 if unknown.
 */
static int
ended_by(pid_t pid, const struct tbuf_control *control)
{
	int status = pid < 0 ? 0 : (int)tbuf_stat_field(pid, TBUF_STAT_END);

	return (WIFSIGNALED(status) ? WTERMSIG(status) :
	    control->fatal < NSIG ? (int)control->fatal : 0);
}

/*
 * Returns the pid of a file's target, or -errno.  For a foreign directory the
 * processes of other pid namespaces are not searched, once for each file.
 */
static pid_t
pid_of(const struct look *l, int fd, const struct tbuf_control *control)
{
	if (l->directory->foreign && (control->start == 0 ||
	    control->pid_namespace != tbuf_pid_namespace(getpid())))
		return (-ESRCH);
	return (tbuf_directory_pid(fd, control, false));
}

/* If the pid still runs, the target has executed another program. */
static enum tbuf_left_end
how(const struct look *l, int fd, const struct tbuf_control *control,
    int *signal)
{
	pid_t pid;

	if ((control->flags & TBUF_F_SAVED) != 0)
		return (TBUF_LEFT_SAVED);
	if (control->stage == TBUF_STAGE_EXITED)
		return (TBUF_LEFT_EXIT);
	pid = pid_of(l, fd, control);
	if (pid >= 0 && runs(pid))
		return (TBUF_LEFT_EXEC);
	*signal = ended_by(pid, control);
	return (*signal != 0 ? TBUF_LEFT_SIGNAL : TBUF_LEFT_UNKNOWN);
}

/* A foreign file without unread records is not reaped, and not listed. */
static bool
is_left(const struct look *l, int fd, const struct tbuf_control *control)
{
	return (tbuf_runtime_orphan(l->directory, fd, control) &&
	    (!l->directory->foreign || tbuf_control_unread(fd, control)));
}

static int
look(void *arg, int fd, const char *name, const struct tbuf_control *control,
    bool alive)
{
	const struct look *l = arg;
	struct tbuf_session session;
	bool recorder = tbuf_control_recorder(fd, control, &session);
	struct tbuf_left left = { .program = control->comm };
	char path[TBUF_LEFT_PATH];
	struct stat st;

	if (fstat(fd, &st) != 0 || (alive && !recorder) ||
	    (!alive && !is_left(l, fd, control)))
		return (0);
	left.name = tbuf_left_name(l->directory, name, path);
	left.pid = (pid_t)control->pid;
	left.end = alive ? TBUF_LEFT_ALIVE :
	    how(l, fd, control, &left.signal);
	left.wall = last_time(fd, control, recorder ? &session : NULL);
	left.bytes = (uint64_t)st.st_blocks * BLOCK;
	left.removed = recorder ? session.removed : 0;
	return (l->visit(l->arg, &left));
}

static int
look_directory(void *arg, const struct tbuf_runtime *directory)
{
	struct look *l = arg;
	int result;

	l->directory = directory;
	if (!directory->foreign)
		tbuf_directory_sweep(directory->fd);
	result = tbuf_runtime_scan(directory, look, l);
	if (result == -EAGAIN)
		result = 0;
	return (result != 0 ? result :
	    tbuf_traces_orphan(directory, l->visit, l->arg));
}

int
tbuf_left(int (*visit)(void *, const struct tbuf_left *), void *arg)
{
	struct look l = { NULL, visit, arg };

	tbuf_life_withdraw();
	return (tbuf_runtimes_visit(0, look_directory, &l));
}

/* ------------------------------------------------------------ removal */

static int
control_remove(const struct tbuf_runtime *r, const char *name)
{
	struct tbuf_control control;
	uint64_t random;
	int fd, error = 0;
	pid_t pid;

	fd = !tbuf_control_name_parse(name, &pid, &random) ? -1 :
	    tbuf_runtime_open(r, name);
	/* A file that has a reader by now, or a live target, is not removed. */
	if (fd < 0)
		error = -ENOENT;
	else if (!tbuf_file_read(fd, &control, sizeof(control), 0) ||
	    !tbuf_runtime_orphan(r, fd, &control))
		error = -EBUSY;
	else if (unlinkat(r->fd, name, 0) != 0)
		error = -errno;
	if (fd >= 0)
		close(fd);
	return (error);
}

int
tbuf_left_remove(const struct tbuf_left *left)
{
	const char *slash = strrchr(left->name, '/');
	const char *name = slash == NULL ? left->name : slash + 1;
	struct tbuf_runtime r;
	int error;

	if ((error = tbuf_runtime_of(left->name, &r)) != 0)
		return (error);
	error = tbuf_trace_name_pid(name) != 0 ?
	    tbuf_trace_remove(&r, name) : control_remove(&r, name);
	close(r.fd);
	return (error);
}
