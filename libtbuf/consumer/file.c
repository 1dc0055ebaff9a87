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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/internal.h"

/* [at, at + size) lies in the file's session areas. */
static bool
inside(const struct tbuf_view *view, uint64_t at, uint64_t size)
{
	return (at >= TBUF_AREAS && at % 8 == 0 && at <= view->size &&
	    size <= view->size - at);
}

static bool
check_lane(const struct tbuf_view *view, const struct tbuf_lane *lane)
{
	uint64_t storage = tbuf_place_storage(lane->place);

	return (storage >= 64 && storage <= view->size &&
	    inside(view, tbuf_place_offset(lane->place), storage) &&
	    lane->size <= storage);
}

/* How many texts end within the patterns. */
static uint32_t
count_patterns(const char *patterns, uint32_t size)
{
	uint32_t n = 0, i;

	for (i = 0; i < size; i++)
		n += patterns[i] == '\0';
	return (n);
}

/* What reading needs of a session's order and plan; false: damaged. */
static bool
adopt(struct tbuf_target *t, const struct tbuf_slot *slot,
    struct tbuf_session *session)
{
	const struct tbuf_lane *lanes;
	uint32_t i;

	if (!inside(&t->view, slot->area, sizeof(*session)))
		return (false);
	memcpy(session, t->view.base + slot->area, sizeof(*session));
	if (slot->policy > TBUF_RING || slot->ecb_max > 65536 ||
	    slot->nlanes == 0 || slot->nlanes > 2 * TBUF_NCPUS ||
	    !inside(&t->view, slot->ecbs,
	    slot->ecb_max * sizeof(struct tbuf_ecb)) ||
	    !inside(&t->view, slot->lanes,
	    slot->nlanes * sizeof(struct tbuf_lane)) ||
	    slot->ecbs < slot->area || slot->lanes < slot->area ||
	    !inside(&t->view, session->patterns & ~UINT64_C(7),
	    session->patterns_size + UINT64_C(8)))
		return (false);
	lanes = (const struct tbuf_lane *)(void *)(t->view.base + slot->lanes);
	for (i = 0; i < slot->nlanes; i++)
		if (!check_lane(&t->view, &lanes[i]))
			return (false);
	t->area = slot->area;
	t->generation = session->generation;
	t->order.policy = (enum tbuf_policy)slot->policy;
	t->order.patterns = (const char *)t->view.base + session->patterns;
	t->order.npatterns = count_patterns(t->order.patterns,
	    session->patterns_size);
	t->plan.ecbs = slot->ecbs - slot->area;
	t->plan.lanes = slot->lanes - slot->area;
	t->plan.ecb_max = slot->ecb_max;
	t->plan.nlanes = slot->nlanes;
	t->plan.ncpu_lanes = slot->first_lock;
	return (true);
}

static void
start_time(struct tbuf_target *t, const struct tbuf_session *session)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	const struct tbuf_moment *base = &session->go;

	/* Its consumer had no time to calibrate: since the birth, then. */
	if (session->now.ticks <= session->go.ticks ||
	    session->now.mono - session->go.mono < 1000000)
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
add_session(struct tbuf_consumer *c, int fd, uint64_t size, unsigned slot)
{
	struct tbuf_session session;
	struct tbuf_target *t = tbuf_target_new(c, 0);
	int error = -ENOMEM;
	void *p;

	if (t == NULL)
		return (-ENOMEM);
	t->file_only = true;
	t->file_slot = slot;
	t->live = t->stopped = true;
	t->life = TBUF_DEAD;
	t->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (t->fd != -1 && p != MAP_FAILED) {
		t->view.base = p;
		t->view.size = size;
		t->pid = (pid_t)tbuf_view_control(&t->view)->pid;
		error = adopt(t, tbuf_view_slot(&t->view, slot), &session) ?
		    0 : -EINVAL;
	}
	if (error == 0) {
		t->epids = calloc(t->plan.ecb_max + 1, sizeof(*t->epids));
		t->necbs_max = t->plan.ecb_max;
		error = t->epids == NULL ? -ENOMEM : tbuf_sources_make(t);
	}
	if (error != 0) {
		tbuf_target_free(c, t);
		return (error);
	}
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
		error = add_session(c, fd, (uint64_t)st.st_size, slot);
		if (error != 0 && error != -EINVAL)
			return (error);
	}
	return (0);
}

int
tbuf_consumer_open_file(struct tbuf_consumer *c, const char *path)
{
	int fd, error;

	if (c->run != TBUF_RUN_NEW)
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
