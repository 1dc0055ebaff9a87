/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the control file of a pid, for any process that this one may look at:
 * in another mount or pid namespace, under chroot, of another user.
 * /proc/PID/maps says which file the process has mapped, and the file that is
 * opened by name is compared with that mapping.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/openat2.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/util/util.h"

#define DELETED		" (deleted)"
/* Mappings of control files to open; a process has up to 8, each once. */
#define OPENED_MAX	64
#define STAT_ENV_END	51	/* field of /proc/PID/stat: env_end */

/* Facts from /proc/PID. */
struct process {
	pid_t pid;
	pid_t inner;		/* in its own pid namespace */
	uid_t uid;		/* of its /proc files; root's if not dumpable */
	uid_t user;
	bool memory;		/* has memory: not ending, no kernel thread */
	bool zombie;
	bool strict;		/* SECCOMP_MODE_STRICT */
	const char *behind;	/* skip files up to this one; NULL: none */
	bool passed;
	unsigned opened;	/* mappings so far */
};

int
tbuf_problem(char problem[TBUF_PROBLEM_MAX], int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(problem, TBUF_PROBLEM_MAX, format, ap);
	va_end(ap);
	return (error);
}

int
tbuf_problem_version(char problem[TBUF_PROBLEM_MAX],
    const struct tbuf_control *control)
{
	if (control->byte_order == __builtin_bswap32(TBUF_BYTE_ORDER))
		return (tbuf_problem(problem, -EPROTO, "the file is of a "
		    "processor with the other byte order"));
	return (tbuf_problem(problem, -EPROTO, "libtbuf %u.%u, tbufctl %u.%u",
	    control->major, control->minor, TBUF_MAJOR, TBUF_MINOR));
}

static int
problem_errno(struct tbuf_found *found, int error)
{
	if (error == EACCES)
		error = EPERM;
	if (error == ENOENT)
		error = ESRCH;
	return (tbuf_problem(found->problem, -error, "%s", strerror(error)));
}

FILE *
tbuf_process_open(pid_t pid, const char *file)
{
	char path[64];

	if (pid == 0)
		snprintf(path, sizeof(path), "/proc/self/%s", file);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	return (fopen(path, "re"));
}

/* ------------------------------------------------------------ mappings */

bool
tbuf_map_next(FILE *f, struct tbuf_process_map *m)
{
	char permissions[8], *end;
	int at = 0;

	while (fgets(m->line, sizeof(m->line), f) != NULL) {
		end = strchrnul(m->line, '\n');
		if (*end == '\0')
			(void)!fscanf(f, "%*[^\n]");
		*end = '\0';
		if (sscanf(m->line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64
		    " %x:%x %" SCNu64 " %n", &m->start, &m->end, permissions,
		    &m->offset, &m->major, &m->minor, &m->inode, &at) != 7)
			continue;
		m->writable = strchr(permissions, 'w') != NULL;
		m->executable = strchr(permissions, 'x') != NULL;
		m->private = strchr(permissions, 'p') != NULL;
		m->path = m->line + at;
		return (true);
	}
	return (false);
}

const char *
tbuf_map_control(char *path, bool *deleted)
{
	size_t n = strlen(path), tail = sizeof(DELETED) - 1;
	const char *name;
	uint64_t random;
	pid_t pid;

	*deleted = n > tail && strcmp(path + n - tail, DELETED) == 0;
	if (*deleted)
		path[n - tail] = '\0';
	name = strrchr(path, '/');
	if (*path != '/' || !tbuf_control_name_parse(name + 1, &pid, &random))
		return (NULL);
	return (name + 1);
}

/* ------------------------------------------------------------ processes */

/*
 * Parses a line of /proc/PID/status.  The last pid in NSpid is that of the
 * process's own namespace.
 */
static void
status_line(const char *line, struct process *p)
{
	const char *last;

	if (strncmp(line, "NSpid:", 6) == 0) {
		last = strrchr(line, '\t');
		if (last != NULL)
			p->inner = (pid_t)strtol(last, NULL, 10);
	} else if (strncmp(line, "Seccomp:", 8) == 0)
		p->strict = strtol(line + 8, NULL, 10) == 1;
	else if (strncmp(line, "Uid:", 4) == 0)
		(void)sscanf(line + 4, "%*u %u", &p->user);
	else if (strncmp(line, "VmSize:", 7) == 0)
		p->memory = true;
	else if (strncmp(line, "State:", 6) == 0)
		p->zombie = strpbrk(line + 6, "ZX") != NULL;
}

static int
process_look(pid_t pid, struct process *p)
{
	char *line = NULL;
	size_t size = 0;
	struct stat st;
	FILE *f;

	memset(p, 0, sizeof(*p));
	p->pid = p->inner = pid;
	if ((f = tbuf_process_open(pid, "status")) == NULL)
		return (-errno);
	if (fstat(fileno(f), &st) != 0) {
		fclose(f);
		return (-errno);
	}
	p->uid = st.st_uid;
	while (getline(&line, &size, f) > 0)
		status_line(line, p);
	free(line);
	fclose(f);
	return (p->zombie ? -ESRCH : 0);
}

pid_t
tbuf_find_user(pid_t pid, uid_t *user)
{
	struct process p;
	int error = process_look(pid, &p);

	*user = error == 0 || p.zombie ? p.user : (uid_t)-1;
	return (error == 0 || p.zombie ? p.inner : error);
}

pid_t
tbuf_find_inner(pid_t pid)
{
	uid_t user;

	return (tbuf_find_user(pid, &user));
}

/*
 * Returns device and inode of a file as /proc/PID/maps shows them, which
 * fstat(2) does not on some file systems: maps the file here and reads
 * /proc/self/maps.
 */
static bool
identity(int fd, struct tbuf_process_map *mine)
{
	void *p = mmap(NULL, TBUF_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	bool found = false;
	FILE *f;

	if (p == MAP_FAILED)
		return (false);
	if ((f = tbuf_process_open(0, "maps")) != NULL) {
		while (!found && tbuf_map_next(f, mine))
			found = mine->start <= (uintptr_t)p &&
			    (uintptr_t)p < mine->end;
		fclose(f);
	}
	munmap(p, TBUF_PAGE);
	return (found);
}

int
tbuf_open_beneath(const char *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
		    RESOLVE_NO_MAGICLINKS,
	};
	int rootfd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (rootfd == -1)
		return (-errno);
	fd = (int)syscall(SYS_openat2, rootfd, path, &how, sizeof(how));
	if (fd == -1)
		fd = -errno;
	close(rootfd);
	return (fd);
}

/*
 * Opens the file of an O_PATH descriptor, O_RDONLY or O_RDWR.  If its owner has
 * a lease on it, open(2) fails with EAGAIN instead of waiting.
 */
static int
reopen(int fd, int mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return (open(path, mode | O_NONBLOCK | O_CLOEXEC));
}

/*
 * Opens a path below a root directory if it is the file of the mapping and
 * belongs to `uid`.  Returns a descriptor or -errno.
 */
static int
open_mapped(const char *root, const char *path,
    const struct tbuf_process_map *m, uid_t uid)
{
	struct tbuf_process_map mine;
	struct stat st;
	int fd, real;

	fd = tbuf_open_beneath(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return (fd);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		real = -EINVAL;
	else if (st.st_uid != uid)
		real = -EPERM;
	else if ((real = reopen(fd, O_RDWR)) == -1)
		real = -errno;
	close(fd);
	if (real < 0)
		return (real);
	if (identity(real, &mine) && mine.major == m->major &&
	    mine.minor == m->minor && mine.inode == m->inode)
		return (real);
	close(real);
	return (-ENOENT);
}

/*
 * Tries the process's root first, then ours, for a file that it mapped before a
 * chroot.
 */
static int
open_control(const struct process *p, const struct tbuf_process_map *m)
{
	char root[64];
	int fd;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)p->pid);
	fd = open_mapped(root, m->path, m, p->uid);
	if (fd < 0 && fd != -EAGAIN)
		fd = open_mapped("/", m->path, m, p->uid);
	return (fd);
}

/*
 * Reads the file of an O_PATH descriptor, which is closed, if it is the file of
 * the mapping.
 */
static int
reopen_mapped(int fd, const struct tbuf_process_map *m)
{
	struct tbuf_process_map mine;
	struct stat st;
	int real = -ENOENT;

	if (fd < 0)
		return (fd);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_ino == m->inode && (real = reopen(fd, O_RDONLY)) == -1)
		real = -errno;
	close(fd);
	if (real < 0 || (identity(real, &mine) && mine.major == m->major &&
	    mine.minor == m->minor && mine.inode == m->inode))
		return (real);
	close(real);
	return (-ENOENT);
}

/* Links of /proc lead to the file also if it was deleted. */
static int
open_link(pid_t pid, const char *link)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, link);
	fd = open(path, O_PATH | O_CLOEXEC);
	return (fd == -1 ? -errno : fd);
}

int
tbuf_open_mapping(pid_t pid, const struct tbuf_process_map *m)
{
	char link[64], root[64];
	int fd;

	/* The first link is root's alone. */
	snprintf(link, sizeof(link), "map_files/%" PRIx64 "-%" PRIx64,
	    m->start, m->end);
	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	fd = reopen_mapped(open_link(pid, link), m);
	if (fd < 0)
		fd = reopen_mapped(tbuf_open_beneath(root, m->path,
		    O_PATH | O_NOFOLLOW | O_CLOEXEC), m);
	if (fd < 0)
		fd = reopen_mapped(tbuf_open_beneath("/", m->path,
		    O_PATH | O_NOFOLLOW | O_CLOEXEC), m);
	return (fd < 0 ? reopen_mapped(open_link(pid, "exe"), m) : fd);
}

/* Checks the header; the pid in it has to be that of the process. */
static int
check_control(int fd, const struct process *p, struct tbuf_found *found)
{
	struct tbuf_control control;
	struct stat st;
	int error;

	if (fstat(fd, &st) != 0 ||
	    pread(fd, &control, sizeof(control), 0) != sizeof(control))
		return (tbuf_problem(found->problem, -ENOEXEC,
		    "it has no libtbuf"));
	error = tbuf_control_check(&control, (uint64_t)st.st_size);
	if (error == -EPROTO)
		return (tbuf_problem_version(found->problem, &control));
	if (error != 0 || control.pid != (uint32_t)p->inner)
		return (tbuf_problem(found->problem, -ENOEXEC,
		    "it has no libtbuf"));
	return (0);
}

/* Reports the reason in tbuf-off-REASON, printable, with '-' as blanks. */
static int
off_reason(const char *reason, struct tbuf_found *found)
{
	char text[96];
	size_t i;

	for (i = 0; i < sizeof(text) - 1 && reason[i] > ' ' &&
	    reason[i] < 0x7f; i++)
		text[i] = reason[i] == '-' ? ' ' : reason[i];
	text[i] = '\0';
	return (tbuf_problem(found->problem, -ECANCELED, "tracing is off: %s",
	    text));
}

/*
 * Returns true if the mapping comes after the file `behind`, and is not another
 * mapping of that file.
 */
static bool
is_behind(struct process *p, const char *name)
{
	bool it = p->behind != NULL && strcmp(name, p->behind) == 0;

	p->passed |= it || p->behind == NULL;
	return (p->passed && !it);
}

/*
 * Looks at one mapping of the process.  Returns 1 with an open file, else the
 * result so far, or the error of a file that the mapping names, for the
 * message.
 */
static int
look_mapping(struct process *p, struct tbuf_process_map *m, int so_far,
    struct tbuf_found *found)
{
	static const char off[] = "/memfd:" TBUF_OFF_PREFIX;
	const char *name;
	uint64_t random;
	bool deleted;
	pid_t pid;
	int fd;

	if (strncmp(m->path, off, sizeof(off) - 1) == 0)
		return (off_reason(m->path + sizeof(off) - 1, found));
	name = tbuf_map_control(m->path, &deleted);
	if (name == NULL || !tbuf_control_name_parse(name, &pid, &random))
		return (so_far);
	/* A child has its parent's file mapped until it makes its own. */
	if (pid != p->inner) {
		found->forked = true;
		return (tbuf_problem(found->problem, -ECANCELED,
		    "tracing is off: it is a forked child"));
	}
	if (deleted)
		return (tbuf_problem(found->problem, -ECANCELED,
		    "tracing is off: control file was removed"));
	/* Other parts of a file may be mapped before or after it. */
	if (m->offset != 0 || !is_behind(p, name))
		return (so_far);
	if (p->opened++ == OPENED_MAX)
		return (tbuf_problem(found->problem, -ENOEXEC, "it has mapped "
		    "more than %d control files", OPENED_MAX));
	fd = open_control(p, m);
	if (fd == -EAGAIN)
		return (tbuf_problem(found->problem, -EAGAIN,
		    "another process holds a lease on its control file"));
	if (fd < 0)
		return (fd == -ENOENT ? so_far : problem_errno(found, -fd));
	so_far = check_control(fd, p, found);
	if (so_far != 0) {
		close(fd);
		return (so_far);
	}
	found->fd = fd;
	tbuf_copy(found->name, name, sizeof(found->name));
	return (1);
}

static int
look_mappings(struct process *p, struct tbuf_found *found)
{
	struct tbuf_process_map m;
	int result;
	FILE *f;

	if ((f = tbuf_process_open(p->pid, "maps")) == NULL)
		return (problem_errno(found, errno));
	result = tbuf_problem(found->problem, -ENOEXEC, "it has no libtbuf");
	while (result != 1 && result != -EAGAIN && p->opened <= OPENED_MAX &&
	    tbuf_map_next(f, &m))
		result = look_mapping(p, &m, result, found);
	fclose(f);
	return (result == 1 ? 0 : result);
}

bool
tbuf_process_ended(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return (poll(&p, 1, 0) == 1);
}

static int
find_running(pid_t pid, const char *behind, struct tbuf_found *found)
{
	struct process p;
	int error;

	if ((error = process_look(pid, &p)) != 0)
		return (problem_errno(found, -error));
	p.behind = behind;
	/* An ending process's files are root's when its memory is freed. */
	if (!p.memory && geteuid() != 0 && p.user == geteuid())
		return (problem_errno(found, ESRCH));
	found->foreign = p.uid != geteuid();
	/* Root may trace every process, other users only their own. */
	if (geteuid() != 0 && p.uid != geteuid())
		return (problem_errno(found, EPERM));
	if (p.strict)
		return (tbuf_problem(found->problem, -EOPNOTSUPP,
		    "strict seccomp mode"));
	return (look_mappings(&p, found));
}

static int
find(pid_t pid, const char *behind, struct tbuf_found *found)
{
	int error = find_running(pid, behind, found);
	struct process p;

	/* The process has not ended: its pid was not reused meanwhile. */
	if (tbuf_process_ended(found->pidfd)) {
		if (error == 0)
			close(found->fd);
		return (problem_errno(found, ESRCH));
	}
	/*
	 * EPERM is an error only for a process that is not ending.  Memory that
	 * it has now, it had when it was looked at.
	 */
	if (error == -EPERM && geteuid() != 0 &&
	    (process_look(pid, &p) != 0 || !p.memory))
		return (problem_errno(found, ESRCH));
	return (error);
}

static int
find_process(pid_t pid, const char *behind, struct tbuf_found *found)
{
	int error;

	memset(found, 0, sizeof(*found));
	found->pid = pid;
	found->fd = -1;
	found->pidfd = pid <= 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (found->pidfd == -1) {
		error = pid <= 0 || errno == EINVAL || errno == ENOENT ?
		    ESRCH : errno;
		return (problem_errno(found, error));
	}
	if ((error = find(pid, behind, found)) != 0) {
		close(found->pidfd);
		found->pidfd = found->fd = -1;
	}
	return (error);
}

int
tbuf_find_pid(pid_t pid, struct tbuf_found *found)
{
	return (find_process(pid, NULL, found));
}

int
tbuf_find_next(const struct tbuf_found *found, struct tbuf_found *next)
{
	return (find_process(found->pid, found->name, next));
}

/*
 * Opens the directory of a mapping's path below the process's root.  It has to
 * have the file, and to belong to the file's owner alone.
 */
static int
directory_of(const struct tbuf_found *found, char *path)
{
	struct stat file, named, directory;
	char root[64];
	int fd;

	*strrchr(path, '/') = '\0';
	snprintf(root, sizeof(root), "/proc/%d/root", (int)found->pid);
	fd = tbuf_open_beneath(root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return (fd);
	if (fstat(found->fd, &file) == 0 && fstat(fd, &directory) == 0 &&
	    fstatat(fd, found->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    named.st_dev == file.st_dev && named.st_ino == file.st_ino &&
	    directory.st_uid == file.st_uid && (directory.st_mode & 022) == 0)
		return (fd);
	close(fd);
	return (-EPERM);
}

int
tbuf_find_directory(const struct tbuf_found *found)
{
	struct tbuf_process_map m;
	int fd = -ENOENT;
	const char *name;
	struct stat file;
	bool deleted;
	uid_t user;
	FILE *f;

	if (tbuf_find_user(found->pid, &user) < 0 ||
	    fstat(found->fd, &file) != 0)
		return (-ESRCH);
	if (user != file.st_uid)
		return (-EPERM);
	if ((f = tbuf_process_open(found->pid, "maps")) == NULL)
		return (-errno);
	while (fd == -ENOENT && tbuf_map_next(f, &m)) {
		name = tbuf_map_control(m.path, &deleted);
		if (name != NULL && !deleted && strcmp(name, found->name) == 0)
			fd = directory_of(found, m.path);
	}
	fclose(f);
	return (fd);
}

/* The environment has an address even if it is empty. */
bool
tbuf_find_executing(pid_t pid)
{
	struct process p;

	return (tbuf_stat_field(pid, STAT_ENV_END) == 0 &&
	    process_look(pid, &p) == 0 && p.memory);
}

/* Returns the age of a process, ns, rounded to the kernel's tick. */
static uint64_t
age(pid_t pid)
{
	uint64_t tick = TBUF_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t began = tbuf_start_time(pid) * tick;
	uint64_t now = tbuf_nanoseconds(CLOCK_BOOTTIME);

	return (now < began ? 0 : now - began);
}

bool
tbuf_find_is_new(pid_t pid, uint64_t span)
{
	return (tbuf_find_executing(pid) || age(pid) < span);
}
