/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Grabs processes: one by pid, or all that have files in the runtime
 * directory.
 */
#include <sys/inotify.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"


/* Finds a descriptor's path.  Returns false if another file is there now. */
static bool
path_of(int fd, char *path, size_t size)
{
	struct stat st, there;
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if ((n = readlink(link, path, size)) <= 0 || (size_t)n == size)
		return (false);
	path[n] = '\0';
	return (fstat(fd, &st) == 0 && stat(path, &there) == 0 &&
	    st.st_dev == there.st_dev && st.st_ino == there.st_ino);
}

static bool
is_own_directory(struct tbuf_consumer *c, const char *path)
{
	int fd = tbuf_consumer_directory(c, false);
	struct stat st, own;

	return (fd >= 0 && fstat(fd, &own) == 0 && stat(path, &st) == 0 &&
	    st.st_dev == own.st_dev && st.st_ino == own.st_ino);
}

/*
 * Watches the directory of a target's file if it is not ours (mostly another
 * user's): the target's next exec image will not know of this run.  If there is
 * no watch, the image is found at a later look.
 */
static void
watch_elsewhere(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	char path[4096], *slash;

	if (!path_of(t->fd, path, sizeof(path)) ||
	    (slash = strrchr(path, '/')) == NULL || slash == path)
		return;
	*slash = '\0';
	if (is_own_directory(c, path))
		return;
	if (c->elsewhere == -1)
		c->elsewhere = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (c->elsewhere != -1)
		/* Its owner may have put a link to any place there. */
		(void)inotify_add_watch(c->elsewhere, path, IN_CREATE |
		    IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW);
}

int
tbuf_consumer_watch(struct tbuf_consumer *c)
{
	char path[64];

	c->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (c->watch == -1)
		return (-errno);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", c->directory);
	/* IN_ATTRIB: a command has joined other runs (target/file/adopt.c). */
	if (inotify_add_watch(c->watch, path, IN_CREATE | IN_MOVED_TO |
	    IN_ATTRIB) == -1)
		return (-errno);
	return (0);
}

void
tbuf_consumer_watch_elsewhere(struct tbuf_consumer *c)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->named_by_user && t->fd != -1)
			watch_elsewhere(c, t);
}

#define COPIES_MAX	8	/* a process may have any number of files */

/*
 * Adds the targets of other copies of the library in a process.  If that fails
 * the first copy is traced without them.
 */
static void
grab_copies(struct tbuf_consumer *c, const struct tbuf_found *first)
{
	struct tbuf_found last = *first, found;
	unsigned n;

	for (n = 1; n < COPIES_MAX && tbuf_find_next(&last, &found) == 0;
	    n++) {
		if (tbuf_target_named(c, found.name) != NULL) {
			close(found.fd);
			close(found.pidfd);
			return;
		}
		if (tbuf_target_add(c, &found) != 0)
			return;
		TAILQ_LAST(&c->targets, tbuf_target_list)->named_by_user = true;
		last = found;
	}
}

int
tbuf_grab_check(struct tbuf_consumer *c, pid_t pid)
{
	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY,
		    "failed to grab pid %d: tracing is active", (int)pid));
	if (tbuf_target_find(c, pid) != NULL)
		return (0);
	return (tbuf_proc_is_ours() ? 1 : tbuf_consumer_fail(c, -ENXIO,
	    "failed to grab pid %d: " TBUF_NO_PROC, (int)pid));
}

int
tbuf_consumer_grab(struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_found found;
	int error;

	if ((error = tbuf_grab_check(c, pid)) != 1)
		return (error);
	if ((error = tbuf_find_starting(c, pid, &found)) != 0)
		return (tbuf_consumer_fail(c, error,
		    "failed to grab pid %d: %s", (int)pid, found.problem));
	if ((error = tbuf_target_add(c, &found)) != 0)
		return (tbuf_consumer_fail(c, error,
		    "failed to grab pid %d: %s", (int)pid, strerror(-error)));
	TAILQ_LAST(&c->targets, tbuf_target_list)->named_by_user = true;
	c->grabbed = true;
	grab_copies(c, &found);
	return (0);
}

/* Returns true for the file of a target of this run, which is open already. */
static bool
scan_known(void *arg, const char *name)
{
	tbuf_consumer_sign(arg);
	return (tbuf_target_named(arg, name) != NULL);
}

/* Looks at another file of the directory: its target may be new. */
static int
scan_visit(void *arg, int fd, const char *name,
    const struct tbuf_control *control, bool alive)
{
	struct tbuf_consumer *c = arg;
	struct tbuf_found found;
	pid_t pid;
	int adopted, error;

	/* A command whose target is building our session, or has not begun. */
	if (!alive && control->stage == TBUF_STAGE_WAITING)
		return (0);
	adopted = tbuf_board_adopt(c, fd, name, control, alive);
	if (adopted != 0 || !c->all || !alive)
		return (adopted < 0 ? adopted : 0);
	pid = tbuf_directory_pid(fd, control, true);
	if (pid < 0 || pid == getpid())
		return (tbuf_error_exhausted(pid) ? pid : 0);
	if ((error = tbuf_find_pid(pid, &found)) != 0) {
		c->unsettled |= error == -ENOEXEC || error == -ECANCELED;
		return (tbuf_error_exhausted(error) ? error : 0);
	}
	if (strcmp(found.name, name) != 0) {
		close(found.fd);
		close(found.pidfd);
		return (0);
	}
	error = tbuf_target_add(c, &found);
	return (tbuf_error_exhausted(error) ? error : 0);
}

/* Counts the targets with an end that is not reported yet. */
static unsigned
dead_ones(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;
	unsigned n = 0;

	TAILQ_FOREACH(t, &c->targets, link)
		n += t->state == TBUF_DEAD;
	return (n);
}

/*
 * Returns true if inotify reports every file that needs action.  It does not
 * after tbuf_consumer_grab_all(): a waiting command of another consumer has its
 * file before it begins, so that inotify has nothing to report.
 */
static bool
is_notified(const struct tbuf_consumer *c)
{
	return (c->watch != -1 && !c->all);
}

/*
 * Returns true if events have the name of a control file, or none, as when
 * there were too many: spares (shared/spare_file.h) need no scan.
 */
static bool
is_news(const char *events, ssize_t size)
{
	const struct inotify_event *event;
	uint64_t random;
	ssize_t at;
	pid_t pid;

	for (at = 0; at < size; at += (ssize_t)(sizeof(*event) + event->len)) {
		event = (const void *)(events + at);
		if (event->len == 0 || tbuf_control_name_parse(event->name,
		    &pid, &random))
			return (true);
	}
	return (false);
}

bool
tbuf_consumer_notified(struct tbuf_consumer *c)
{
	char events[4096]
	    __attribute__((aligned(__alignof__(struct inotify_event))));
	bool some = !c->scanned || c->unsettled;
	ssize_t n;

	while (c->watch != -1 &&
	    (n = read(c->watch, events, sizeof(events))) > 0)
		some |= is_news(events, n);
	return (some);
}

int
tbuf_consumer_scan(struct tbuf_consumer *c)
{
	int error = tbuf_consumer_directory(c, true);
	unsigned dead;

	if (error < 0)
		return (error);
	/*
	 * A process that had ended when it was found may have called exec after
	 * the directory was read.  Its end is reported after the records of all
	 * its images.
	 */
	do {
		dead = dead_ones(c);
		error = tbuf_directory_scan(c->directory, scan_known,
		    scan_visit, c);
		c->scanned = is_notified(c) && error == 0;
	} while (error == 0 && dead_ones(c) > dead &&
	    (!is_notified(c) || tbuf_consumer_notified(c)));
	if (error == -EAGAIN && !c->all)
		return (0);
	if (!tbuf_error_exhausted(error) && error != -EAGAIN)
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
	if (!tbuf_proc_is_ours())
		return (tbuf_consumer_fail(c, -ENXIO,
		    "could not look for targets: " TBUF_NO_PROC));
	error = tbuf_consumer_directory(c, true);
	if (error < 0)
		return (tbuf_consumer_fail_directory(c, error,
		    "could not look for targets"));
	c->all = true;
	if ((error = tbuf_consumer_scan(c)) != 0)
		return (tbuf_consumer_fail(c, error,
		    "could not look for targets: %s", strerror(-error)));
	return (0);
}
