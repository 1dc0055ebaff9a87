/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runtime directories of all users, for root, and of processes with another
 * root directory, such as containers'.  Their owners may be hostile: only files
 * of a directory's owner are opened, none is mapped, and the time for one
 * directory is bounded.
 */
#include <sys/stat.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/util/util.h"

#define SHM		"/dev/shm"
#define NAME		"tbuf-"
#define SPAN		TBUF_SECOND	/* for a directory of another user */
#define NAMES_MAX	(1u << 20)	/* directories of a container */

/* ------------------------------------------------------------ files */

bool
tbuf_runtime_late(const struct tbuf_runtime *r)
{
	return (r->foreign && tbuf_now() > r->deadline);
}

int
tbuf_runtime_open(const struct tbuf_runtime *r, const char *name)
{
	char path[64];
	struct stat st;
	int fd, real;

	/* A device or a FIFO is looked at before it is opened. */
	fd = openat(r->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != r->owner) {
		close(fd);
		return (-EINVAL);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	real = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (real == -1)
		real = -errno;
	close(fd);
	return (real);
}

const char *
tbuf_left_name(const struct tbuf_runtime *r, const char *name,
    char path[TBUF_LEFT_PATH])
{
	if (!r->foreign)
		return (name);
	snprintf(path, TBUF_LEFT_PATH, "%s/%s", r->path, name);
	return (path);
}

bool
tbuf_runtime_orphan(const struct tbuf_runtime *r, int fd,
    const struct tbuf_control *control)
{
	if (!r->foreign)
		return (tbuf_control_orphan(r->fd, fd, control));
	/* Another user's board could be truncated while it is mapped. */
	return (control->stage != TBUF_STAGE_WAITING &&
	    !tbuf_control_alive(fd) && tbuf_file_lock_call(fd, F_OFD_GETLK,
	    F_WRLCK, 1, TBUF_NSESSIONS) == F_UNLCK);
}

static bool
header_read(int fd, struct tbuf_control *control)
{
	struct stat st;

	if (fstat(fd, &st) != 0 ||
	    !tbuf_file_read(fd, control, sizeof(*control), 0) ||
	    tbuf_control_check(control, (uint64_t)st.st_size) != 0)
		return (false);
	control->comm[sizeof(control->comm) - 1] = '\0';
	return (true);
}

static int
scan_foreign(const struct tbuf_runtime *r, DIR *dir,
    int (*visit)(void *, int, const char *, const struct tbuf_control *, bool),
    void *arg)
{
	struct tbuf_control control;
	struct dirent *entry;
	uint64_t random;
	int fd, result = 0;
	pid_t pid;

	while (result == 0 && (entry = readdir(dir)) != NULL) {
		if (tbuf_runtime_late(r))
			return (-ETIMEDOUT);
		if (!tbuf_control_name_parse(entry->d_name, &pid, &random) ||
		    (fd = tbuf_runtime_open(r, entry->d_name)) < 0)
			continue;
		if (header_read(fd, &control))
			result = visit(arg, fd, entry->d_name, &control,
			    tbuf_control_alive(fd));
		close(fd);
	}
	return (result);
}

int
tbuf_runtime_scan(const struct tbuf_runtime *r, int (*visit)(void *, int,
    const char *, const struct tbuf_control *, bool), void *arg)
{
	DIR *dir;
	int result;

	if (!r->foreign)
		return (tbuf_directory_scan(r->fd, NULL, visit, arg));
	if ((dir = tbuf_directory_stream(r->fd)) == NULL)
		return (0);
	result = scan_foreign(r, dir, visit, arg);
	closedir(dir);
	return (result);
}

/* ------------------------------------------------------------ directories */

struct look {
	int (*visit)(void *, const struct tbuf_runtime *);
	void *arg;
	bool late;		/* a directory was not looked at as a whole */
};

/*
 * Checks a directory as a user's own is checked; the owner -1 is any.  Returns
 * false if it is not to be looked at.
 */
static bool
check(struct tbuf_runtime *r, uid_t owner)
{
	struct stat st;

	if (r->fd < 0 || fstat(r->fd, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    (owner != (uid_t)-1 && st.st_uid != owner) ||
	    (st.st_mode & 022) != 0)
		return (false);
	r->owner = st.st_uid;
	r->foreign = true;
	r->deadline = tbuf_now() + SPAN;
	return (true);
}

/* Visits a directory if it is right, and closes it. */
static int
look_at(struct look *l, struct tbuf_runtime *r, uid_t owner)
{
	int result = check(r, owner) ? l->visit(l->arg, r) : 0;

	if (r->fd >= 0)
		close(r->fd);
	l->late |= result == -ETIMEDOUT;
	return (result == -ETIMEDOUT ? 0 : result);
}

/* Returns the uid in a name as the library writes it, or -1. */
static uid_t
name_uid(const char *name)
{
	char again[sizeof(NAME) + 10];
	uint64_t uid;
	const char *p;

	if (strncmp(name, NAME, sizeof(NAME) - 1) != 0)
		return ((uid_t)-1);
	p = name + sizeof(NAME) - 1;
	uid = tbuf_digits_read(&p, 10);
	if (uid >= (uid_t)-1)
		return ((uid_t)-1);
	snprintf(again, sizeof(again), NAME "%" PRIu64, uid);
	return (strcmp(name, again) == 0 ? (uid_t)uid : (uid_t)-1);
}

struct uids {
	uid_t *all;
	size_t count;
};

/*
 * Lists the uids in a directory's names before any of these is opened, which
 * takes longer: names may be made meanwhile.
 */
static void
uids_list(int shm, size_t most, struct uids *uids)
{
	DIR *dir = tbuf_directory_stream(shm);
	struct dirent *entry;
	uid_t uid, *all;

	while (dir != NULL && uids->count < most &&
	    (entry = readdir(dir)) != NULL) {
		if ((uid = name_uid(entry->d_name)) == (uid_t)-1)
			continue;
		all = reallocarray(uids->all, uids->count + 1, sizeof(uid));
		if (all == NULL)
			break;
		uids->all = all;
		uids->all[uids->count++] = uid;
	}
	if (dir != NULL)
		closedir(dir);
}

static int
open_directory(int shm, uid_t uid)
{
	char name[sizeof(NAME) + 10];

	snprintf(name, sizeof(name), NAME "%u", (unsigned)uid);
	return (openat(shm, name, O_PATH | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC));
}

/* Visits the directories of other users. */
static int
look_users(struct look *l)
{
	int shm = open(SHM, O_PATH | O_DIRECTORY | O_CLOEXEC), result = 0;
	struct uids uids = { NULL, 0 };
	struct tbuf_runtime r;
	size_t i;

	if (shm == -1)
		return (0);
	uids_list(shm, SIZE_MAX, &uids);
	for (i = 0; i < uids.count && result == 0; i++) {
		if (uids.all[i] == geteuid())
			continue;
		r = (struct tbuf_runtime){
			.fd = open_directory(shm, uids.all[i])
		};
		snprintf(r.path, sizeof(r.path), SHM "/" NAME "%u",
		    (unsigned)uids.all[i]);
		result = look_at(l, &r, uids.all[i]);
	}
	free(uids.all);
	close(shm);
	return (result);
}

/* ------------------------------------------------------------ containers */

/* A file system that a process has at SHM. */
struct shared {
	pid_t pid;
	dev_t dev;
	ino_t inode;
};

static int
shared_open(pid_t pid)
{
	char root[64];

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	return (tbuf_open_beneath(root, SHM, O_PATH | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC));
}

/* Returns false also for a file system that may ask another process. */
static bool
shared_read(pid_t pid, struct shared *shared)
{
	struct statfs fs;
	struct stat st;
	int fd = shared_open(pid);
	bool good;

	if (fd < 0)
		return (false);
	good = fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC &&
	    fstat(fd, &st) == 0;
	close(fd);
	if (good)
		*shared = (struct shared){ pid, st.st_dev, st.st_ino };
	return (good);
}

/* A line of /proc/PID/uid_map; the kernel allows no more lines than MAPS. */
#define MAPS	340
struct uid_map {
	uint64_t inside, outside, count;
};

/* Reads how a process's user namespace maps uids.  Returns the lines. */
static size_t
maps_read(pid_t pid, struct uid_map maps[MAPS])
{
	FILE *f = tbuf_process_open(pid, "uid_map");
	size_t n = 0;

	while (f != NULL && n < MAPS && fscanf(f, "%" SCNu64 "%" SCNu64 "%"
	    SCNu64, &maps[n].inside, &maps[n].outside, &maps[n].count) == 3)
		n++;
	if (f != NULL)
		fclose(f);
	return (n);
}

/* Returns the uid that a user of the namespace has here, or -1. */
static uid_t
mapped(const struct uid_map *maps, size_t n, uid_t uid)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (uid >= maps[i].inside &&
		    uid - maps[i].inside < maps[i].count)
			return ((uid_t)(maps[i].outside +
			    (uid - maps[i].inside)));
	return ((uid_t)-1);
}

/* Visits the directories at the SHM of a process. */
static int
look_container(struct look *l, pid_t pid)
{
	struct uids uids = { NULL, 0 };
	struct uid_map maps[MAPS];
	struct tbuf_runtime r;
	int shm = shared_open(pid), result = 0;
	size_t nmaps = maps_read(pid, maps), i;
	uid_t owner;

	if (shm < 0)
		return (0);
	uids_list(shm, NAMES_MAX, &uids);
	for (i = 0; i < uids.count && result == 0; i++) {
		owner = mapped(maps, nmaps, uids.all[i]);
		if (owner == (uid_t)-1)
			continue;
		r = (struct tbuf_runtime){
			.fd = open_directory(shm, uids.all[i]),
			.container = pid
		};
		snprintf(r.path, sizeof(r.path), "/proc/%d/root" SHM "/" NAME
		    "%u", (int)pid, (unsigned)uids.all[i]);
		result = look_at(l, &r, owner);
	}
	free(uids.all);
	close(shm);
	return (result);
}

static int
compare(const void *x, const void *y)
{
	const struct shared *a = x, *b = y;

	if (a->dev != b->dev)
		return (a->dev < b->dev ? -1 : 1);
	if (a->inode != b->inode)
		return (a->inode < b->inode ? -1 : 1);
	return (a->pid - b->pid);
}

static size_t
shared_list(struct shared **list)
{
	struct shared *longer, one;
	struct dirent *entry;
	size_t count = 0;
	DIR *proc;
	pid_t pid;

	if ((proc = opendir("/proc")) == NULL)
		return (0);
	while ((entry = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid <= 0 || !shared_read(pid, &one))
			continue;
		longer = reallocarray(*list, count + 1, sizeof(one));
		if (longer == NULL)
			break;
		*list = longer;
		(*list)[count++] = one;
	}
	closedir(proc);
	qsort(*list, count, sizeof(one), compare);
	return (count);
}

/* Visits the SHM of a process, or of all, that is not the one here. */
static int
look_containers(struct look *l, pid_t pid)
{
	struct shared own = { 0, 0, 0 }, *list = NULL, one;
	size_t count = 0, i;
	int result = 0;

	(void)shared_read(getpid(), &own);
	if (pid != 0)
		return (!shared_read(pid, &one) || (one.dev == own.dev &&
		    one.inode == own.inode) ? 0 : look_container(l, pid));
	count = shared_list(&list);
	for (i = 0; i < count && result == 0; i++) {
		one = list[i];
		if ((one.dev == own.dev && one.inode == own.inode) ||
		    (i > 0 && one.dev == list[i - 1].dev &&
		    one.inode == list[i - 1].inode))
			continue;
		result = look_container(l, one.pid);
	}
	free(list);
	return (result);
}

/* ------------------------------------------------------------ all of them */

/* Visits this user's directory; for root, $TBUF_DIR may be another user's. */
static int
look_own(struct look *l, const char *set)
{
	struct tbuf_runtime r = {
		.fd = tbuf_directory_open(false), .owner = geteuid()
	};
	int result;

	if (r.fd == -EPERM && set != NULL && *set == '/' && geteuid() == 0) {
		r.fd = open(set, O_PATH | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
		tbuf_copy(r.path, set, sizeof(r.path));
		if (check(&r, (uid_t)-1))
			return (look_at(l, &r, r.owner));
		if (r.fd != -1)
			close(r.fd);
		return (-EPERM);
	}
	if (r.fd < 0)
		return (r.fd == -ENOENT ? 0 : r.fd);
	result = l->visit(l->arg, &r);
	close(r.fd);
	return (result);
}

int
tbuf_runtimes_visit(pid_t pid, int (*visit)(void *,
    const struct tbuf_runtime *), void *arg)
{
	const char *set = secure_getenv("TBUF_DIR");
	struct look l = { .visit = visit, .arg = arg };
	int own = look_own(&l, set), result = 0;

	if (own > 0 || tbuf_error_exhausted(own) || geteuid() != 0 ||
	    (set != NULL && *set != '\0'))
		return (own != 0 || !l.late ? own : -ETIMEDOUT);
	/* A fault of this user's directory does not hide the others. */
	if ((result = look_users(&l)) == 0)
		result = look_containers(&l, pid);
	if (result == 0)
		result = own;
	return (result == 0 && l.late ? -ETIMEDOUT : result);
}

int
tbuf_runtime_of(const char *name, struct tbuf_runtime *r)
{
	const char *slash = strrchr(name, '/'), *set;
	size_t length = slash == NULL ? 0 : (size_t)(slash - name);
	uid_t owner = (uid_t)-1;

	*r = (struct tbuf_runtime){ .owner = geteuid() };
	if (slash == NULL)
		return ((r->fd = tbuf_directory_open(false)) < 0 ? r->fd : 0);
	if (length >= sizeof(r->path))
		return (-ENAMETOOLONG);
	memcpy(r->path, name, length);
	r->path[length] = '\0';
	set = secure_getenv("TBUF_DIR");
	if (set == NULL || strcmp(r->path, set) != 0) {
		if (strncmp(r->path, SHM "/", sizeof(SHM)) != 0 ||
		    (owner = name_uid(r->path + sizeof(SHM))) == (uid_t)-1)
			return (-EPERM);
	}
	r->fd = open(r->path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r->fd == -1)
		return (-errno);
	if (check(r, owner))
		return (0);
	close(r->fd);
	return (-EPERM);
}
