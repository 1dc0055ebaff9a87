/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a new control file.  It gets its name when it is complete, with the
 * sessions that wait on the board.
 */
#include "base/optimize_size.h"

#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/syscall.h"
#include "shared/atomic_step.h"
#include "shared/memory_limit.h"
#include "shared/spare_file.h"
#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/self/self.h"

/* Fills in the base name of the running program, which its children have. */
static void
fill_comm(struct tbuf_control *control)
{
	static char kept[sizeof(control->comm)] TBUF_FORKED;
	/* Static: the stack may be small.  An untouched page costs nothing. */
	static char long_path[TBUF_PAGE];
	char short_path[256], *path = short_path;
	const char *name;
	ssize_t n;

	if (*kept != '\0') {
		memcpy(control->comm, kept, sizeof(kept));
		return;
	}
	n = readlink("/proc/self/exe", path, sizeof(short_path));
	if (n == (ssize_t)sizeof(short_path)) {
		path = long_path;
		n = readlink("/proc/self/exe", path, sizeof(long_path) - 1);
	}
	path[n < 0 ? 0 : n] = '\0';
	name = strrchr(path, '/');
	name = name == NULL ? path : name + 1;
	n = (ssize_t)strnlen(name, sizeof(control->comm) - 1);
	memcpy(kept, name, (size_t)n);
	memcpy(control->comm, kept, sizeof(kept));
}

/* Fills in the base name of the executed file, if it is known, else comm. */
static void
fill_execname(struct tbuf_control *control)
{
	const char *name = tbuf_self.execname;

	if (*name == '\0')
		name = control->comm;
	memcpy(control->execname, name,
	    strnlen(name, sizeof(control->execname) - 1));
}

/*
 * Fills in a hash that identifies this exec image, of the kernel's random
 * bytes.  Programs take secrets from these bytes (stack protectors), so a hash
 * must not reveal them.
 */
static void
fill_image(struct tbuf_control *control)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	uint64_t words[2];

	if (bytes == NULL)
		return;
	memcpy(words, bytes, sizeof(words));
	control->image = tbuf_step_hash(words, 2);
}

void
tbuf_file_fill(struct tbuf_control *control)
{
	control->clock = tbuf_self.clock;
	control->flags = tbuf_file_flags();
	control->filters = tbuf_self.filters;
	control->window = tbuf_self.window;
	fill_comm(control);
	fill_execname(control);
	fill_image(control);
	tbuf_moment_take(tbuf_self.clock, &control->birth);
}

/*
 * Copies a part of the parent's table.  To write it costs half as much as to
 * back it, map it and copy page by page.
 */
static int
copy_part(int fd, uint64_t at, uint64_t size)
{
	const unsigned char *from = (const unsigned char *)tbuf_file.table +
	    (at - tbuf_self.tables.probes);
	ssize_t n;

	for (; size > 0; at += (uint64_t)n, from += n, size -= (uint64_t)n) {
		n = pwrite(fd, from, size, (off_t)at);
		if (n <= 0)
			return (-ENOSPC);
	}
	return (0);
}

/* Copies the probe table; in a forked child it has the parent's probes. */
static int
copy_tables(int fd)
{
	const struct tbuf_tables *tables = &tbuf_self.tables;
	struct tbuf_extent used;
	int error;

	tbuf_table_extent(&used);
	if (used.strings == 0)
		return (0);
	if (tbuf_file.table == NULL)
		return (-ENOENT);
	if ((used.probes != 0 &&
	    ((error = tbuf_back(fd, tables->enable, used.enable)) != 0 ||
	    (error = copy_part(fd, tables->probes, used.probes)) != 0)) ||
	    (error = copy_part(fd, tables->strings, used.strings)) != 0)
		return (error);
	tbuf_table_claim(tbuf_file.sign);
	return (0);
}

/*
 * Returns the pid namespace.  A child is in that of its parent, if the parent
 * has the pid there that it has for itself: of one in another namespace, which
 * setns(2) or unshare(2) gives children, getppid(2) returns 0.  A reaper that
 * adopts children may be pid 1 in any namespace.
 */
static uint64_t
pid_namespace(pid_t pid)
{
	static uint64_t kept TBUF_FORKED;
	static pid_t owner TBUF_FORKED;

	if (owner <= 1 || raw_call(SYS_getppid, 0, 0, 0, 0, 0) != owner)
		kept = tbuf_pid_namespace(0);
	owner = pid;
	return (kept);
}

/*
 * Backs the header of a file of some bytes, which becomes as large as the fixed
 * part.
 */
static bool
header_back(int fd, uint64_t bytes)
{
	return ((bytes >= tbuf_self.tables.areas ||
	    ftruncate(fd, tbuf_self.tables.areas) == 0) &&
	    tbuf_back(fd, 0, TBUF_SLOTS) == 0);
}

/* Ends a file after its contents: a spare may have been larger. */
static bool
trim(int fd, uint64_t bytes)
{
	uint64_t end = tbuf_file.sign->end;

	return (bytes <= end || ftruncate(fd, (off_t)end) == 0);
}

/*
 * Fills and names the file open as fd, of some bytes.  Returns NULL, or the
 * problem.
 */
static const char *
make_complete(int dirfd, int *board, int fd, uint64_t bytes, uid_t uid,
    pid_t pid, uint64_t start, uint64_t random, const char *hidden)
{
	if (!header_back(fd, bytes))
		return ("no space in the runtime directory");
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !tbuf_file_sign(fd))
		return ("control file cannot be locked");
	tbuf_control_fill(tbuf_file.sign, &tbuf_self.tables, uid, pid,
	    start, pid_namespace(pid), random);
	tbuf_file.sign->generation = tbuf_file.generation;
	if (copy_tables(fd) != 0)
		return ("no space in the runtime directory");
	tbuf_file_fill(tbuf_file.sign);
	tbuf_store_release(&tbuf_file.sign->stage, TBUF_STAGE_LIVE);
	(void)tbuf_wanted_build(dirfd, board, fd, false);
	if (!trim(fd, bytes))
		return ("no space in the runtime directory");
	if (tbuf_control_link(dirfd, fd, tbuf_file.name, hidden) != 0)
		return ("control file cannot be named");
	return (NULL);
}

/* Removes a file that would look alive although this process never fires. */
static void
undo(int dirfd, const char *hidden)
{
	if (*hidden != '\0')
		unlinkat(dirfd, hidden, 0);
	unlinkat(dirfd, tbuf_file.name, 0);
	if (tbuf_file.sign != NULL)
		munmap(tbuf_file.sign, TBUF_PAGE);
	tbuf_file.sign = NULL;
	if (tbuf_file.mapped)
		tbuf_file_unmap();
}

/*
 * Returns a spare or a new file, and its bytes.  A program under seccomp
 * filters uses no spare: a filter may forbid the call that removes the spare's
 * name.  Closes the board if it has the last free descriptor.
 */
static int
create(int dirfd, int *board, char hidden[TBUF_NAME_MAX + 1], uint64_t *bytes)
{
	int fd = tbuf_self.filtered ? -1 :
	    tbuf_spare_take(dirfd, *board, hidden, bytes);

	if (fd != -1)
		return (fd);
	*bytes = 0;
	fd = tbuf_control_create(dirfd, tbuf_file.name, hidden);
	if (fd != -EMFILE || *board < 0)
		return (fd);
	close(*board);
	*board = TBUF_BOARD_CLOSED;
	return (tbuf_control_create(dirfd, tbuf_file.name, hidden));
}

/*
 * Returns a number that no other file has; it is not a secret.  It saves each
 * starting program the call of getrandom(2).  The kernel has randomized the two
 * addresses.
 */
static uint64_t
random_make(pid_t pid, uint64_t start)
{
	struct timespec now;
	uint64_t words[] = { (uint64_t)pid, start, 0, 0, (uintptr_t)&now,
	    (uintptr_t)&tbuf_file };

	clock_gettime(CLOCK_REALTIME, &now);
	words[2] = (uint64_t)now.tv_sec;
	words[3] = (uint64_t)now.tv_nsec;
	return (tbuf_step_hash(words, sizeof(words) / sizeof(words[0])));
}

static bool
same_file(int a, int b)
{
	struct stat one, other;

	return (fstat(a, &one) == 0 && fstat(b, &other) == 0 &&
	    one.st_ino == other.st_ino && one.st_dev == other.st_dev);
}

/*
 * Maps a spare into the window by a second description [inv.alive]: sessions
 * are built where fires find them, so that no page is mapped twice.  A new file
 * is mapped when it has its name: until then it may have none, or one that its
 * file system cannot change, so that the mapping would keep it.
 */
static void
map_spare(int dirfd, int fd, const char *hidden)
{
	int again = tbuf_file_open(dirfd, hidden);

	if (again == -1)
		return;
	if (same_file(fd, again) && !tbuf_file_map(again))
		tbuf_file_unmap();
	close(again);
}

/* Maps a complete file into the window.  Returns NULL, or the problem. */
static const char *
map_named(int dirfd)
{
	int fd = tbuf_file_open(dirfd, tbuf_file.name);
	bool mapped = fd != -1 && tbuf_file_map(fd);

	if (mapped)
		tbuf_file_dump(fd);
	if (fd != -1)
		close(fd);
	return (mapped ? NULL : "control file cannot be mapped");
}

const char *
tbuf_file_make(int dirfd, int *board, uid_t uid)
{
	/* Before the file is created: few descriptors may be free. */
	pid_t pid = getpid();
	uint64_t start = tbuf_began(pid, tbuf_wanted_ticks()), random, bytes;
	char hidden[TBUF_NAME_MAX + 1];
	const char *problem;
	int fd;

	random = random_make(pid, start);
	tbuf_control_name(tbuf_file.name, pid, random);
	fd = create(dirfd, board, hidden, &bytes);
	if (fd < 0)
		return ("runtime directory cannot be written");
	if (bytes != 0)
		map_spare(dirfd, fd, hidden);
	problem = make_complete(dirfd, board, fd, bytes, uid, pid, start,
	    random, hidden);
	if (problem == NULL && tbuf_file.mapped)
		tbuf_file_dump(fd);
	/* First, as few descriptors may be free. */
	close(fd);
	if (problem == NULL && !tbuf_file.mapped)
		problem = map_named(dirfd);
	if (problem == NULL)
		tbuf_file_map_table(dirfd);
	else
		undo(dirfd, hidden);
	return (problem);
}
