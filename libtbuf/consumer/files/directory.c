/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The runtime directory: the control files of live and dead targets in it.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/util/util.h"
#include "tbuf_consumer.h"

int
tbuf_directory_open(bool make)
{
	return (tbuf_directory_open_set(secure_getenv("TBUF_DIR"), make));
}

const char *
tbuf_directory_remedy(int error)
{
	return (error == -EPERM || error == -ENOTDIR ?
	    ": set TBUF_DIR to another" : "");
}

/* Opens a control file of this user and reads its header; -errno. */
static int
open_file(int dirfd, const char *name, struct tbuf_control *control)
{
	struct stat st;
	int fd;

	fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() &&
	    pread(fd, control, sizeof(*control), 0) == sizeof(*control) &&
	    tbuf_control_check(control, (uint64_t)st.st_size) == 0)
		return (fd);
	close(fd);
	return (-EINVAL);
}

DIR *
tbuf_directory_stream(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd == -1 ? NULL : fdopendir(fd);
	int error = errno;

	if (dir == NULL && fd != -1)
		close(fd);
	errno = error;
	return (dir);
}

int
tbuf_directory_scan(int dirfd, bool (*known)(void *, const char *),
    int (*visit)(void *, int, const char *, const struct tbuf_control *, bool),
    void *arg)
{
	struct tbuf_control control;
	struct dirent *entry;
	uint64_t random;
	int fd, result = 0;
	bool leased = false;
	pid_t pid;
	DIR *dir;

	if ((dir = tbuf_directory_stream(dirfd)) == NULL)
		return (-errno);
	while (result == 0 && (entry = readdir(dir)) != NULL) {
		if (!tbuf_control_name_parse(entry->d_name, &pid, &random) ||
		    (known != NULL && known(arg, entry->d_name)))
			continue;
		fd = open_file(dirfd, entry->d_name, &control);
		if (fd < 0) {
			result = tbuf_error_exhausted(fd) ? fd : 0;
			leased |= fd == -EAGAIN;
			continue;
		}
		if (!tbuf_control_reap(dirfd, entry->d_name, fd, &control))
			result = visit(arg, fd, entry->d_name, &control,
			    tbuf_control_alive(fd));
		close(fd);
	}
	closedir(dir);
	return (result == 0 && leased ? -EAGAIN : result);
}

int
tbuf_directory_visit(int (*visit)(void *, int, const char *,
    const struct tbuf_control *, bool), void *arg)
{
	int dirfd = tbuf_directory_open(false), result;

	if (dirfd < 0)
		return (dirfd == -ENOENT ? 0 : dirfd);
	result = tbuf_directory_scan(dirfd, NULL, visit, arg);
	close(dirfd);
	return (result == -EAGAIN ? 0 : result);
}

/* The youngest orphans found so far. */
struct orphans {
	int dirfd;
	unsigned count;
	struct {
		char name[TBUF_NAME_MAX];
		uint64_t start_time;	/* ns of wall time */
	} files[TBUF_ORPHANS_MAX + 1];
};

/*
 * Adds a file with unread records, and removes the oldest one if there are more
 * than TBUF_ORPHANS_MAX.  Files of recorders are trimmed by their programs
 * (target/recorder/recorder_retention.c).
 */
static int
keep(void *arg, int fd, const char *name, const struct tbuf_control *control,
    bool alive)
{
	struct tbuf_session session;
	struct orphans *orphans = arg;
	unsigned i, oldest = 0;

	if (alive || tbuf_control_recorder(fd, control, &session) ||
	    !tbuf_control_orphan(orphans->dirfd, fd, control))
		return (0);
	tbuf_copy(orphans->files[orphans->count].name, name, TBUF_NAME_MAX);
	orphans->files[orphans->count].start_time = control->birth.real;
	if (++orphans->count <= TBUF_ORPHANS_MAX)
		return (0);
	for (i = 1; i < orphans->count; i++)
		if (orphans->files[i].start_time <
		    orphans->files[oldest].start_time)
			oldest = i;
	unlinkat(orphans->dirfd, orphans->files[oldest].name, 0);
	orphans->files[oldest] = orphans->files[--orphans->count];
	return (0);
}

void
tbuf_directory_trim(int dirfd)
{
	struct orphans orphans = { .dirfd = dirfd };

	tbuf_directory_scan(dirfd, NULL, keep, &orphans);
}

/* Returns true if the process has mapped the file `fd`. */
static bool
has_mapped(pid_t pid, int fd)
{
	struct tbuf_found found;
	struct stat mine, its;
	bool same;

	if (tbuf_find_pid(pid, &found) != 0)
		return (false);
	same = fstat(fd, &mine) == 0 && fstat(found.fd, &its) == 0 &&
	    mine.st_dev == its.st_dev && mine.st_ino == its.st_ino;
	close(found.fd);
	close(found.pidfd);
	return (same);
}

/* Returns true if the process is the one that the header names. */
static bool
is_named(pid_t pid, const struct tbuf_control *control)
{
	return (tbuf_start_time(pid) == control->start &&
	    tbuf_pid_namespace(pid) == control->pid_namespace &&
	    tbuf_find_inner(pid) == (pid_t)control->pid);
}

/*
 * Returns the pid in the header if that process runs.  Returns -ESRCH only if
 * it has ended: if its start time cannot be read, another -errno.
 */
static pid_t
named_here(const struct tbuf_control *control)
{
	uint64_t start;

	errno = ESRCH;
	start = tbuf_start_time((pid_t)control->pid);
	if (start == control->start)
		return ((pid_t)control->pid);
	return (start == 0 ? -errno : -ESRCH);
}

/*
 * The pid in a header is that of the target's own pid namespace.  If that is
 * not ours, every process in /proc is compared with the header.  A target that
 * could not read /proc has no start time or namespace in its header; then the
 * process that has mapped the file is searched for.
 */
pid_t
tbuf_directory_pid_of(uint64_t ours, int fd,
    const struct tbuf_control *control, bool alive)
{
	bool named = control->start != 0 && control->pid_namespace != 0;
	struct dirent *entry;
	pid_t pid, found = -ESRCH;
	DIR *proc;

	if (named && control->pid_namespace == ours)
		return (named_here(control));
	if (!named && !alive)
		return (-ESRCH);
	if ((proc = opendir("/proc")) == NULL)
		return (-errno);
	while (found < 0 && (entry = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid > 0 && (named ? is_named(pid, control) :
		    has_mapped(pid, fd)))
			found = pid;
	}
	closedir(proc);
	return (found);
}

pid_t
tbuf_directory_pid(int fd, const struct tbuf_control *control, bool alive)
{
	return (tbuf_directory_pid_of(tbuf_pid_namespace(getpid()), fd,
	    control, alive));
}

struct visitor {
	int (*visit)(void *, pid_t, const char *);
	void *arg;
};

static int
visit_target(void *arg, int fd, const char *name,
    const struct tbuf_control *control, bool alive)
{
	const struct visitor *v = arg;
	pid_t pid = alive ? tbuf_directory_pid(fd, control, true) : -ESRCH;

	(void)name;
	if (pid < 0)
		return (tbuf_error_exhausted(pid) ? pid : 0);
	return (v->visit(v->arg, pid, control->comm));
}

int
tbuf_targets(int (*visit)(void *, pid_t, const char *), void *arg)
{
	struct visitor v = { visit, arg };

	return (tbuf_directory_visit(visit_target, &v));
}

bool
tbuf_proc_is_ours(void)
{
	char name[16] = "";

	return (readlink("/proc/self", name, sizeof(name) - 1) > 0 &&
	    strtol(name, NULL, 10) == getpid());
}
