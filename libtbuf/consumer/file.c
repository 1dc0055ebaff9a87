/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control file of a target that is dead: each of its sessions becomes a
 * target of this run whose lanes are as they were left.  The file is mapped
 * privately, so that nothing of it changes.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "consumer/internal.h"

/* Moments that are further apart than this make a slope. */
#define SPAN_MIN	1000000

static void
start_time(struct tbuf_target *t, const struct tbuf_session *session)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	const struct tbuf_moment *base = &session->go;

	/* Its consumer had no time to calibrate: since the birth, then. */
	if (session->now.ticks <= session->go.ticks ||
	    session->now.mono - session->go.mono < SPAN_MIN)
		base = &control->birth;
	t->time.clock = (enum tbuf_clock)control->clock;
	t->time.base = *base;
	tbuf_timeline_update(&t->time, &session->now);
}

/* Where reading begins: what the consumer of that time had not read yet. */
static void
start_sources(struct tbuf_target *t)
{
	struct tbuf_source *s;
	unsigned i;

	for (i = 0; i < t->nsources; i++) {
		s = &t->sources[i];
		if (t->order.policy != TBUF_RING)
			s->position = s->lane->tail & ~UINT64_C(7);
		s->limit = s->position + s->storage;
	}
}

static int
add_session(struct tbuf_consumer *c, int fd, unsigned slot)
{
	struct tbuf_session session;
	struct tbuf_target *t = tbuf_target_new(c, 0);
	int error;

	if (t == NULL)
		return (-ENOMEM);
	t->file_only = true;
	t->file_slot = slot;
	t->live = t->stopped = true;
	t->life = TBUF_DEAD;
	t->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	error = t->fd == -1 ? -errno :
	    tbuf_session_adopt(t, slot, MAP_PRIVATE, &session);
	if (error != 0) {
		tbuf_target_free(c, t);
		return (error);
	}
	t->pid = (pid_t)tbuf_view_control(&t->view)->pid;
	t->active = true;
	start_time(t, &session);
	start_sources(t);
	return (0);
}

static int
open_sessions(struct tbuf_consumer *c, int fd)
{
	struct tbuf_control control;
	struct stat st;
	unsigned slot;
	int error;

	if (fstat(fd, &st) != 0)
		return (-errno);
	if (!S_ISREG(st.st_mode) ||
	    pread(fd, &control, sizeof(control), 0) != sizeof(control))
		return (-EINVAL);
	error = tbuf_control_check(&control, (uint64_t)st.st_size);
	if (error != 0)
		return (error);
	if (tbuf_control_alive(fd))
		return (-EBUSY);
	for (slot = 0; slot < TBUF_NSESSIONS; slot++) {
		if (control.state[slot] != TBUF_ACTIVE &&
		    control.state[slot] != TBUF_ENDING &&
		    control.state[slot] != TBUF_GIVENUP &&
		    control.state[slot] != TBUF_GIVINGUP)
			continue;
		error = add_session(c, fd, slot);
		if (error != 0 && error != -EINVAL)
			return (error);
	}
	return (0);
}

int
tbuf_consumer_open_file(struct tbuf_consumer *c, const char *path)
{
	int fd, error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	error = fd == -1 ? -errno : open_sessions(c, fd);
	if (fd != -1)
		close(fd);
	if (error != 0)
		return (tbuf_consumer_fail(c, error, "failed to open %s: %s",
		    path, error == -EINVAL ? "not a control file" :
		    error == -EBUSY ? "its target lives" :
		    error == -EPROTO ? "of another version" :
		    strerror(-error)));
	c->files = true;
	return (0);
}
