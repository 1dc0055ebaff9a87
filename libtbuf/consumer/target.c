/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The targets of a run.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atomics.h"
#include "consumer/internal.h"

#define DESCRIPTORS_KEPT	16

int
tbuf_view_map(int fd, uint64_t size, struct tbuf_view *view)
{
	struct tbuf_control control;
	struct stat st;
	void *p;
	int error;

	if (fstat(fd, &st) != 0)
		return (-errno);
	if (pread(fd, &control, sizeof(control), 0) != sizeof(control))
		return (-EINVAL);
	error = tbuf_control_check(&control, (uint64_t)st.st_size);
	if (error != 0)
		return (error);
	if (size > (uint64_t)st.st_size)
		return (-EINVAL);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return (-errno);
	view->base = p;
	view->size = size;
	return (0);
}

void
tbuf_view_unmap(struct tbuf_view *view)
{
	if (view->base != NULL)
		munmap(view->base, view->size);
	view->base = NULL;
	view->size = 0;
}

struct tbuf_target *
tbuf_target_new(struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_target *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return (NULL);
	t->pid = pid;
	t->pidfd = t->fd = -1;
	t->slot = -1;
	t->exit_status = -1;
	TAILQ_INSERT_TAIL(&c->targets, t, link);
	c->round.stale = true;
	return (t);
}

/* A dead target's file goes with its last reader. */
static void
reap(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	struct tbuf_control control;

	if (*t->name != '\0' && t->fd != -1 &&
	    tbuf_consumer_directory(c, false) >= 0 &&
	    pread(t->fd, &control, sizeof(control), 0) == sizeof(control))
		tbuf_control_reap(c->directory, t->name, t->fd, &control);
}

void
tbuf_target_free(struct tbuf_consumer *c, struct tbuf_target *t)
{
	tbuf_target_detach(t);
	tbuf_budget_give(c, t->charged);
	tbuf_sources_free(t);
	reap(c, t);
	tbuf_view_unmap(&t->view);
	if (t->fd != -1)
		close(t->fd);
	if (t->pidfd != -1)
		close(t->pidfd);
	TAILQ_REMOVE(&c->targets, t, link);
	c->round.stale = true;
	free(t->epids);
	free(t->probes);
	free(t);
}

struct tbuf_target *
tbuf_target_find(struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->pid == pid && t->life == TBUF_ALIVE && t->fd != -1)
			return (t);
	return (NULL);
}

static bool
affinity(pid_t pid, struct tbuf_cpus *cpus)
{
	unsigned long bits[TBUF_NCPUS / (8 * sizeof(long))];
	long n;
	unsigned i;

	/* The system call: the C library's set has a size of its own. */
	n = syscall(SYS_sched_getaffinity, pid, sizeof(bits), bits);
	if (n <= 0)
		return (false);
	for (i = 0; i < (unsigned)n * 8; i++)
		if ((bits[i / (8 * sizeof(long))] >>
		    i % (8 * sizeof(long)) & 1) != 0)
			tbuf_cpus_add(cpus, i);
	return (true);
}

void
tbuf_target_cpus(pid_t pid, struct tbuf_cpus *cpus)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	memset(cpus, 0, sizeof(*cpus));
	affinity(pid, cpus);
	if (pid == 0)
		return;
	/* Its threads may have been let onto others. */
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((dir = opendir(path)) == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (*entry->d_name != '.')
			affinity((pid_t)strtol(entry->d_name, NULL, 10), cpus);
	closedir(dir);
}

bool
tbuf_error_exhausted(int error)
{
	return (error == -EMFILE || error == -ENFILE || error == -ENOMEM);
}

bool
tbuf_descriptor_spare(int fd)
{
	struct rlimit limit;

	return (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    (rlim_t)fd + DESCRIPTORS_KEPT < limit.rlim_cur);
}

int
tbuf_target_add(struct tbuf_consumer *c, pid_t pid,
    const struct tbuf_found *found)
{
	struct tbuf_target *t = tbuf_target_new(c, pid);
	int error = -ENOMEM;

	if (t != NULL && !tbuf_descriptor_spare(found->fd))
		error = -EMFILE;
	else if (t != NULL)
		error = tbuf_view_map(found->fd, TBUF_AREAS, &t->view);
	if (error != 0) {
		close(found->fd);
		close(found->pidfd);
		if (t != NULL)
			tbuf_target_free(c, t);
		return (error);
	}
	t->fd = found->fd;
	t->pidfd = found->pidfd;
	tbuf_copy(t->name, found->name, sizeof(t->name));
	t->live = true;
	t->born = tbuf_load(&tbuf_view_control(&t->view)->birth.mono);
	return (0);
}

int
tbuf_consumer_grab(struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_found found;
	int error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY,
		    "failed to grab pid %d: tracing is active", (int)pid));
	if (tbuf_target_find(c, pid) != NULL)
		return (0);
	if ((error = tbuf_find_pid(pid, &found)) != 0)
		return (tbuf_consumer_fail(c, error,
		    "failed to grab pid %d: %s", (int)pid, found.problem));
	if ((error = tbuf_target_add(c, pid, &found)) != 0)
		return (tbuf_consumer_fail(c, error,
		    "failed to grab pid %d: %s", (int)pid, strerror(-error)));
	tbuf_target_find(c, pid)->asked = true;
	return (0);
}

/* In a handler: the view is as it was when the access to it began. */
bool
tbuf_consumer_mend(struct tbuf_consumer *c, const void *address)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
	    MAP_NORESERVE;
	int saved = errno;
	struct tbuf_target *t;
	void *p = MAP_FAILED;

	TAILQ_FOREACH(t, &c->targets, link) {
		if ((uintptr_t)address - (uintptr_t)t->view.base >=
		    t->view.size)
			continue;
		t->truncated = true;
		p = mmap(t->view.base, t->view.size, PROT_READ | PROT_WRITE,
		    flags, -1, 0);
	}
	errno = saved;
	return (p != MAP_FAILED);
}

/* One file of the directory: a target that is new to this run is added. */
static int
scan_visit(void *arg, int fd, const char *name,
    const struct tbuf_control *control, bool alive)
{
	struct tbuf_consumer *c = arg;
	struct tbuf_found found;
	struct tbuf_target *t;
	pid_t pid;
	int adopted, error;

	TAILQ_FOREACH(t, &c->targets, link)
		if (strcmp(t->name, name) == 0)
			return (0);
	adopted = tbuf_board_adopt(c, fd, name, control, alive);
	if (adopted != 0 || !c->all || !alive)
		return (adopted < 0 ? adopted : 0);
	pid = tbuf_directory_pid(fd, control);
	if (pid < 0 || pid == getpid())
		return (0);
	if ((error = tbuf_find_pid(pid, &found)) != 0) {
		c->unsettled |= error == -ENOEXEC || error == -ECANCELED;
		return (tbuf_error_exhausted(error) ? error : 0);
	}
	if (strcmp(found.name, name) != 0) {
		close(found.fd);
		close(found.pidfd);
		return (0);
	}
	error = tbuf_target_add(c, pid, &found);
	return (tbuf_error_exhausted(error) ? error : 0);
}

int
tbuf_consumer_scan(struct tbuf_consumer *c)
{
	int error = tbuf_consumer_directory(c, true);

	if (error < 0)
		return (error);
	error = tbuf_directory_scan(c->directory, scan_visit, c);
	if (!tbuf_error_exhausted(error))
		return (error);
	tbuf_consumer_skip(c, error);
	return (0);
}

int
tbuf_consumer_grab_all(struct tbuf_consumer *c)
{
	int error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	error = tbuf_consumer_directory(c, true);
	if (error < 0)
		return (tbuf_consumer_fail(c, error,
		    "could not look for targets: %s",
		    tbuf_directory_problem(error)));
	/* Watched before it is read: nobody is missed in between. */
	c->all = true;
	if ((c->watch == -1 && (error = tbuf_consumer_watch(c)) != 0) ||
	    (error = tbuf_consumer_scan(c)) != 0)
		return (tbuf_consumer_fail(c, error,
		    "could not look for targets: %s", strerror(-error)));
	return (0);
}
