/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files by their names: each session becomes a target of this run
 * whose lanes are as they were left by a target that is dead, or as they are
 * at a moment if it lives.  The file is mapped privately, so that nothing of
 * it changes.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "atomics.h"
#include "consumer/files.h"
#include "consumer/run.h"
#include "consumer/targets.h"
#include "consumer/timeline.h"
#include "consumer/whom.h"

/* Moments that are further apart than this make a slope. */
#define SPAN_MIN	1000000
/* Of a millisecond each, while a process ends. */
#define DYING_PAUSES	1000

/* A file that is opened. */
struct opened {
	int fd;
	uint64_t left;			/* bytes that no lane has named yet */
	bool changing;			/* its target lives, or is to come */
	bool damaged;			/* a session makes no sense */
	unsigned sessions;
	char problem[TBUF_PROBLEM_MAX];
};

static int
problem(struct opened *file, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int
problem(struct opened *file, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(file->problem, sizeof(file->problem), format, ap);
	va_end(ap);
	return (error);
}

/*
 * The clock of a target that lives is read here and now, and so is that of a
 * recorder that is dead, whom nobody has calibrated: unless the machine was
 * started since.
 */
static void
start_time(struct tbuf_target *t, const struct tbuf_session *session)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	struct tbuf_moment base = session->go;

	/* Its consumer had no time to calibrate: since the birth, then. */
	if (session->now.ticks <= session->go.ticks ||
	    session->now.mono - session->go.mono < SPAN_MIN)
		base = control->birth;
	t->time.clock = (enum tbuf_clock)tbuf_load(&control->clock);
	t->time.base = base;
	tbuf_timeline_update(&t->time, t->changing || (session->boot != 0 &&
	    session->boot == tbuf_boot()) ? NULL : &session->now);
}

static int
adopt(struct tbuf_target *t, struct opened *file, unsigned slot)
{
	struct tbuf_session session;
	int error;

	t->file_only = true;
	t->file_slot = slot;
	t->live = true;
	tbuf_target_die(t);
	t->changing = file->changing;
	if ((t->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0)) == -1)
		return (-errno);
	error = tbuf_session_adopt(t, slot, MAP_PRIVATE, &session);
	/* Lanes share no bytes: what is read is no more than there is. */
	if (error == 0 && t->plan.storage > file->left)
		error = -EINVAL;
	if (error != 0)
		return (error);
	file->left -= t->plan.storage;
	t->pid = (pid_t)tbuf_view_control(&t->view)->pid;
	tbuf_session_stop(t);
	start_time(t, &session);
	return (0);
}

static int
add_session(struct tbuf_consumer *c, struct opened *file, unsigned slot)
{
	struct tbuf_target *t = tbuf_target_new(c, 0);
	int error = t == NULL ? -ENOMEM : adopt(t, file, slot);

	if (error == 0) {
		file->sessions++;
		/* In the order of the table, as they have ids in lists. */
		tbuf_target_probes(c, t);
	} else if (t != NULL)
		tbuf_target_free(c, t);
	if (error != -EINVAL)
		return (error);
	file->damaged = true;
	return (0);
}

static int
read_control(struct opened *file, struct tbuf_control *control)
{
	struct stat st;
	int error;

	if (fstat(file->fd, &st) != 0)
		return (problem(file, -errno, "%s", strerror(errno)));
	error = !S_ISREG(st.st_mode) || pread(file->fd, control,
	    sizeof(*control), 0) != sizeof(*control) ? -EINVAL :
	    tbuf_control_check(control, (uint64_t)st.st_size);
	if (error == -EPROTO)
		return (problem(file, error, "libtbuf %u.%u, tbufctl %u.%u",
		    control->major, control->minor, TBUF_MAJOR, TBUF_MINOR));
	if (error != 0)
		return (problem(file, error, "not a control file"));
	file->left = (uint64_t)st.st_size - control->tables.areas;
	file->changing = tbuf_control_alive(file->fd) ||
	    control->stage == TBUF_STAGE_WAITING;
	return (0);
}

static int
add_sessions(struct tbuf_consumer *c, struct opened *file,
    const struct tbuf_control *control)
{
	unsigned slot;
	int error;

	for (slot = 0; slot < TBUF_NSESSIONS; slot++) {
		if (!tbuf_state_readable(control->state[slot]))
			continue;
		if ((error = add_session(c, file, slot)) != 0)
			return (problem(file, error, "%s", strerror(-error)));
	}
	if (file->sessions != 0)
		return (0);
	return (file->damaged ? problem(file, -EINVAL, "it is damaged") :
	    problem(file, -ENODATA, "nothing in it"));
}

/* The sessions of a file behind a descriptor that is closed, or -errno. */
static int
open_descriptor(struct tbuf_consumer *c, int fd, struct opened *file)
{
	struct tbuf_control control;
	int error;

	memset(file, 0, sizeof(*file));
	file->fd = fd;
	if (fd == -EAGAIN)
		return (problem(file, fd, "there is a lease on it"));
	if (fd < 0)
		return (problem(file, fd, "%s", strerror(-fd)));
	if ((error = read_control(file, &control)) == 0)
		error = add_sessions(c, file, &control);
	close(fd);
	c->files |= file->sessions != 0;
	return (error);
}

int
tbuf_file_add(struct tbuf_consumer *c, int fd, char words[TBUF_PROBLEM_MAX])
{
	struct opened file;
	int error = open_descriptor(c, fd, &file);

	memcpy(words, file.problem, TBUF_PROBLEM_MAX);
	return (error);
}

int
tbuf_consumer_open_file(struct tbuf_consumer *c, const char *path)
{
	struct opened file;
	int fd, error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	error = open_descriptor(c, fd == -1 ? -errno : fd, &file);
	if (error != 0)
		return (tbuf_consumer_fail(c, error, "failed to read %s: %s",
		    path, file.problem));
	return (0);
}

/* One of the runtime directory; -EBUSY: its process has not let go of it. */
static int
open_left(struct tbuf_consumer *c, const char *name)
{
	struct opened file;
	int fd = openat(c->directory, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd == -1)
		return (-ESRCH);
	if (tbuf_control_alive(fd)) {
		close(fd);
		return (-EBUSY);
	}
	return (open_descriptor(c, fd, &file));
}

/* All that a dead process has left; how many there are to be read. */
static unsigned
open_all_left(struct tbuf_consumer *c, pid_t pid, bool *held)
{
	struct dirent *entry;
	unsigned opened = 0;
	uint64_t random;
	DIR *dir = NULL;
	pid_t named;
	int fd = -1, error;

	*held = false;
	if (tbuf_consumer_directory(c, false) >= 0)
		fd = openat(c->directory, ".",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd != -1 && (dir = fdopendir(fd)) == NULL)
		close(fd);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (!tbuf_control_name_parse(entry->d_name, &named, &random) ||
		    named != pid)
			continue;
		error = open_left(c, entry->d_name);
		opened += error == 0;
		*held |= error == -EBUSY;
	}
	if (dir != NULL)
		closedir(dir);
	return (opened);
}

/* The one of a process that lives, in whatever namespace. */
static int
open_living(struct tbuf_consumer *c, pid_t pid, struct opened *file)
{
	struct tbuf_found found;
	int error = tbuf_find_pid(pid, &found);

	if (error != 0)
		return (error == -ESRCH ? error :
		    problem(file, error, "%s", found.problem));
	close(found.pidfd);
	return (open_descriptor(c, found.fd, file));
}

int
tbuf_consumer_open_pid(struct tbuf_consumer *c, pid_t pid)
{
	struct opened file = { .fd = -1 };
	unsigned opened, pauses = DYING_PAUSES;
	bool held;
	int error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	/* One that was killed has no memory before it lets go of its file. */
	do {
		opened = open_all_left(c, pid, &held);
		error = open_living(c, pid, &file);
	} while (error == -ESRCH && opened == 0 && held &&
	    tbuf_pause(&pauses));
	if (error == 0 || opened != 0)
		return (0);
	return (tbuf_consumer_fail(c, error, "failed to grab pid %d: %s",
	    (int)pid, error == -ESRCH ? strerror(ESRCH) : file.problem));
}
