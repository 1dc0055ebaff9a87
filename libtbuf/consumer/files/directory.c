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
#include <time.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/util/util.h"
#include "shared/text_ticket.h"
#include "tbuf_consumer.h"

int
tbuf_directory_open(bool make)
{
	return (tbuf_directory_open_set(secure_getenv("TBUF_DIR"), make));
}

/*
 * Opens a control file of this user and reads its header; -errno.  The header
 * of one that is alive has all sessions that its target has built: it is read
 * after the look at the lock, which a target takes when they are complete.
 */
static int
open_file(int dirfd, const char *name, struct tbuf_control *control,
    bool *alive)
{
	struct stat st;
	int fd;

	fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid()) {
		*alive = tbuf_control_alive(fd);
		if (pread(fd, control, sizeof(*control), 0) ==
		    sizeof(*control) &&
		    tbuf_control_check(control, (uint64_t)st.st_size) == 0)
			return (fd);
	}
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

/* ------------------------------------------------------------ processes */

/* A process in /proc; other fields are read when they are first needed. */
struct process {
	pid_t pid;
	uint64_t start;
	uint64_t pid_namespace;
	pid_t inner;			/* in that namespace */
	dev_t device;			/* of the control file it has mapped */
	ino_t inode;
	bool named;			/* namespace and inner are known */
	bool mapped;			/* device and inode are known */
};

/*
 * The processes in /proc.  A scan of a directory looks at them once for all of
 * its files, as anyone can make files that need it; and again for a process
 * that may have started since.
 */
#define LOOKS_MAX	8
struct processes {
	struct process *all;
	size_t count;
	unsigned looks;
	struct timespec time;		/* of the last look */
};
static _Thread_local struct processes *of_scan;

static void
processes_free(struct processes *p)
{
	free(p->all);
	p->all = NULL;
	p->count = 0;
}

static int
process_add(struct processes *p, pid_t pid)
{
	struct process *all = p->all;

	if ((p->count & (p->count - 1)) == 0) {
		all = reallocarray(all, p->count == 0 ? 1 : 2 * p->count,
		    sizeof(*all));
		if (all == NULL)
			return (-ENOMEM);
		p->all = all;
	}
	all[p->count++] = (struct process){ .pid = pid,
	    .start = tbuf_start_time(pid) };
	return (0);
}

static int
processes_look(struct processes *p)
{
	struct dirent *entry;
	int error = 0;
	pid_t pid;
	DIR *proc;

	processes_free(p);
	if ((proc = opendir("/proc")) == NULL)
		return (-errno);
	p->looks++;
	clock_gettime(CLOCK_REALTIME_COARSE, &p->time);
	while (error == 0 && (entry = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid > 0)
			error = process_add(p, pid);
	}
	closedir(proc);
	return (error);
}

/* Returns true if the process has mapped the file. */
static bool
has_mapped(struct process *p, const struct stat *file)
{
	struct tbuf_found found;
	struct stat its;

	if (!p->mapped && tbuf_find_pid(p->pid, &found) == 0) {
		if (fstat(found.fd, &its) == 0) {
			p->device = its.st_dev;
			p->inode = its.st_ino;
		}
		close(found.fd);
		close(found.pidfd);
	}
	p->mapped = true;
	return (p->inode != 0 && p->inode == file->st_ino &&
	    p->device == file->st_dev);
}

/* Returns true if the process is the one that the header names. */
static bool
is_named(struct process *p, const struct tbuf_control *control)
{
	if (p->start != control->start)
		return (false);
	if (!p->named) {
		p->pid_namespace = tbuf_pid_namespace(p->pid);
		p->inner = tbuf_find_inner(p->pid);
	}
	p->named = true;
	return (p->pid_namespace == control->pid_namespace &&
	    p->inner == (pid_t)control->pid);
}

static pid_t
find_among(const struct processes *p, const struct stat *file,
    const struct tbuf_control *control, bool named)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		if (named ? is_named(&p->all[i], control) :
		    has_mapped(&p->all[i], file))
			return (p->all[i].pid);
	return (-ESRCH);
}

/* Returns true if a file has changed after the last look at processes. */
static bool
is_newer(const struct processes *p, const struct stat *file)
{
	return (file->st_ctim.tv_sec > p->time.tv_sec ||
	    (file->st_ctim.tv_sec == p->time.tv_sec &&
	    file->st_ctim.tv_nsec >= p->time.tv_nsec));
}

static pid_t
find(struct processes *p, int fd, const struct tbuf_control *control,
    bool named)
{
	struct stat file;
	pid_t found;
	int error;

	if (fstat(fd, &file) != 0)
		return (-errno);
	if (p->looks == 0 && (error = processes_look(p)) != 0)
		return (error);
	found = find_among(p, &file, control, named);
	if (found > 0 || p->looks == LOOKS_MAX || !is_newer(p, &file))
		return (found);
	if ((error = processes_look(p)) != 0)
		return (error);
	return (find_among(p, &file, control, named));
}

/* ------------------------------------------------------------ files */

static int
scan(int dirfd, bool (*known)(void *, const char *),
    int (*visit)(void *, int, const char *, const struct tbuf_control *, bool),
    void *arg)
{
	struct tbuf_control control;
	struct dirent *entry;
	uint64_t random;
	bool leased = false, alive = false;
	int fd, result = 0;
	pid_t pid;
	DIR *dir;

	if ((dir = tbuf_directory_stream(dirfd)) == NULL)
		return (-errno);
	while (result == 0 && (entry = readdir(dir)) != NULL) {
		if (!tbuf_control_name_parse(entry->d_name, &pid, &random) ||
		    (known != NULL && known(arg, entry->d_name)))
			continue;
		fd = open_file(dirfd, entry->d_name, &control, &alive);
		if (fd < 0) {
			result = tbuf_error_exhausted(fd) ? fd : 0;
			leased |= fd == -EAGAIN;
			continue;
		}
		if (!tbuf_control_reap(dirfd, entry->d_name, fd, &control))
			result = visit(arg, fd, entry->d_name, &control,
			    alive);
		close(fd);
	}
	closedir(dir);
	return (result == 0 && leased ? -EAGAIN : result);
}

/* A visit may scan a directory, too. */
int
tbuf_directory_scan(int dirfd, bool (*known)(void *, const char *),
    int (*visit)(void *, int, const char *, const struct tbuf_control *, bool),
    void *arg)
{
	struct processes *outer = of_scan, processes = { .looks = 0 };
	int result;

	of_scan = &processes;
	result = scan(dirfd, known, visit, arg);
	of_scan = outer;
	processes_free(&processes);
	return (result);
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
tbuf_directory_sweep(int dirfd)
{
	DIR *dir = tbuf_directory_stream(dirfd);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		tbuf_ticket_sweep(dirfd, entry->d_name);
	if (dir != NULL)
		closedir(dir);
}

void
tbuf_directory_trim(int dirfd)
{
	struct orphans orphans = { .dirfd = dirfd };

	tbuf_directory_scan(dirfd, NULL, keep, &orphans);
	tbuf_directory_sweep(dirfd);
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
	struct processes one = { .looks = 0 };
	pid_t found;

	if (named && control->pid_namespace == ours)
		return (named_here(control));
	if (!named && !alive)
		return (-ESRCH);
	if (of_scan != NULL)
		return (find(of_scan, fd, control, named));
	found = find(&one, fd, control, named);
	processes_free(&one);
	return (found);
}

pid_t
tbuf_directory_pid(int fd, const struct tbuf_control *control, bool alive)
{
	return (tbuf_directory_pid_of(tbuf_pid_namespace(getpid()), fd,
	    control, alive));
}

/*
 * A file of another user may name any process: the one that has mapped it is
 * its target.  Without a start time too many would be looked at.
 */
pid_t
tbuf_runtime_pid(const struct tbuf_runtime *r, int fd,
    const struct tbuf_control *control)
{
	struct process process = { .named = false };
	struct stat file;
	pid_t pid;

	if (r->foreign && (control->start == 0 || control->pid_namespace == 0))
		return (-ESRCH);
	process.pid = pid = tbuf_directory_pid(fd, control, true);
	if (pid < 0 || !r->foreign)
		return (pid);
	return (fstat(fd, &file) == 0 && has_mapped(&process, &file) ? pid :
	    -ESRCH);
}

bool
tbuf_proc_is_ours(void)
{
	char name[16] = "";

	return (readlink("/proc/self", name, sizeof(name) - 1) > 0 &&
	    strtol(name, NULL, 10) == getpid());
}
