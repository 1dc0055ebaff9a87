/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of text traces.  A trace is named once it is complete, but its mapping
 * keeps the earlier name, DIRECTORY/#INODE (deleted): the mapping has the
 * directory and the inode, and the directory the name.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "layout/text_trace.h"
#include "shared/control_file.h"

/* ------------------------------------------------------------ names */

pid_t
tbuf_trace_name_pid(const char *name)
{
	char control[TBUF_NAME_MAX];
	uint64_t random;
	pid_t pid;

	if (strncmp(name, TBUF_TRACE_NAME, sizeof(TBUF_TRACE_NAME) - 1) != 0 ||
	    strlen(name) >= sizeof(control))
		return (0);
	strcpy(control, name);
	memcpy(control, "tbuf", 4);
	return (tbuf_control_name_parse(control, &pid, &random) ? pid : 0);
}

/* Returns the inode number in "#INODE (deleted)", or 0. */
static uint64_t
unnamed_inode(const char *name)
{
	uint64_t inode;
	int end = 0;

	return (sscanf(name, "#%" SCNu64 " (deleted)%n", &inode, &end) == 1 &&
	    end > 0 && name[end] == '\0' ? inode : 0);
}

bool
tbuf_trace_mapping(const char *path)
{
	const char *name = strrchr(path, '/');

	return (*path == '/' &&
	    (tbuf_trace_name_pid(name + 1) != 0 ||
	    unnamed_inode(name + 1) != 0));
}

/* ------------------------------------------------------------ directories */

/* The file that is searched for. */
struct wanted {
	pid_t pid;
	const char *name;	/* NULL: any file of the pid */
	uint64_t inode;		/* 0: any */
	const struct tbuf_runtime *directory;	/* it is there, or NULL */
	char found[TBUF_NAME_MAX];
};

static bool
younger(const struct timespec *a, const struct timespec *b)
{
	return (a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
	    a->tv_nsec > b->tv_nsec);
}

/*
 * Returns true if this trace is a better match than the best so far.  Pids are
 * reused: a live trace is better than a dead one, a younger than an older one.
 */
static bool
better(int fd, const struct stat *st, bool *alive, struct timespec *when)
{
	bool lives = tbuf_control_alive(fd);

	if (*alive && !lives)
		return (false);
	if (*alive == lives && !younger(&st->st_mtim, when))
		return (false);
	*alive = lives;
	*when = st->st_mtim;
	return (true);
}

static bool
is_wanted(const struct wanted *w, const struct stat *st)
{
	return (S_ISREG(st->st_mode) &&
	    (w->inode == 0 || w->inode == st->st_ino));
}

static bool
name_wanted(const struct wanted *w, const char *name)
{
	return (tbuf_trace_name_pid(name) == w->pid &&
	    (w->name == NULL || strcmp(w->name, name) == 0));
}

static int
directory_find(DIR *directory, struct wanted *w)
{
	struct timespec when = { 0, 0 };
	const struct dirent *entry;
	bool alive = false;
	int found = -ESRCH, fd;
	struct stat st;

	while ((entry = readdir(directory)) != NULL &&
	    (w->directory == NULL || !tbuf_runtime_late(w->directory))) {
		if (!name_wanted(w, entry->d_name))
			continue;
		fd = w->directory != NULL ?
		    tbuf_runtime_open(w->directory, entry->d_name) :
		    openat(dirfd(directory), entry->d_name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && fstat(fd, &st) == 0 && is_wanted(w, &st) &&
		    better(fd, &st, &alive, &when)) {
			if (found >= 0)
				close(found);
			found = fd;
			strcpy(w->found, entry->d_name);
		} else if (fd >= 0)
			close(fd);
	}
	return (found);
}

/* Searches a directory and closes its descriptor. */
static int
descriptor_find(int fd, struct wanted *w)
{
	DIR *directory = tbuf_directory_stream(fd);

	close(fd);
	if (directory == NULL)
		return (-ENOMEM);
	fd = directory_find(directory, w);
	closedir(directory);
	return (fd);
}

/* ------------------------------------------------------------ mappings */

int
tbuf_trace_open_mapping(const char *root, const char *path, pid_t pid,
    char found[PATH_MAX])
{
	const char *name = strrchr(path, '/') + 1;
	struct wanted w = { .pid = pid, .inode = unnamed_inode(name) };
	int length = (int)(name - path), fd;

	if (length >= PATH_MAX - TBUF_NAME_MAX)
		return (-ENAMETOOLONG);
	if (w.inode == 0)
		w.name = name;
	snprintf(found, PATH_MAX, "%.*s", length, path);
	fd = tbuf_open_beneath(root, found,
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (fd = descriptor_find(fd, &w)) < 0)
		return (fd);
	strcpy(found + length, w.found);
	return (fd);
}

/*
 * Tries the process's root first, then ours, for a file that it mapped before a
 * chroot.
 */
static int
open_mapped(pid_t pid)
{
	pid_t inner = tbuf_find_inner(pid);
	char root[64], found[PATH_MAX];
	struct tbuf_process_map m;
	int fd = -ESRCH;
	FILE *f;

	if (inner <= 0 || (f = tbuf_process_open(pid, "maps")) == NULL)
		return (-ESRCH);
	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	while (fd < 0 && tbuf_map_next(f, &m)) {
		if (!tbuf_trace_mapping(m.path))
			continue;
		fd = tbuf_trace_open_mapping(root, m.path, inner, found);
		if (fd < 0)
			fd = tbuf_trace_open_mapping("/", m.path, inner, found);
	}
	fclose(f);
	return (fd);
}

/* ------------------------------------------------------------ processes */

/* The search for a trace of a process. */
struct search {
	struct wanted wanted;
	pid_t inner;		/* in its pid namespace, if it is there */
	uid_t user;		/* its user, or -1 */
	int fd;
};

/*
 * Looks into a runtime directory.  If the process is there, another user's
 * files with its pid are not its own.
 */
static int
look_directory(void *arg, const struct tbuf_runtime *r)
{
	struct search *s = arg;
	struct wanted w = s->wanted;
	int fd;

	if (r->container != 0)
		w.pid = s->inner;
	else if (r->foreign && s->user != (uid_t)-1 && s->user != r->owner)
		return (0);
	if ((fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0)) == -1)
		return (-errno);
	w.directory = r;
	s->fd = descriptor_find(fd, &w);
	return (s->fd >= 0 ? 1 : s->fd == -ESRCH ? 0 : s->fd);
}

/* Opens the trace of a process that is dead, or has unreadable mappings. */
static int
open_orphan(pid_t pid)
{
	struct search s = { .wanted = { .pid = pid }, .fd = -ESRCH };
	int result;

	s.inner = tbuf_find_user(pid, &s.user);
	result = tbuf_runtimes_visit(pid, look_directory, &s);
	return (s.fd >= 0 || result == 0 ? s.fd : result);
}

int
tbuf_trace_open_pid(pid_t pid)
{
	int fd = open_mapped(pid);

	return (fd < 0 ? open_orphan(pid) : fd);
}
