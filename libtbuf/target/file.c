/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control file on the target's side: made, or adopted when a consumer has
 * made it for this command, and mapped once with its window.
 *
 * The sign of life [inv.alive]: the flock belongs to the description that
 * `sign` maps.  The window is a mapping of a second description, opened by
 * name, for a forked child inherits the window but not `sign`.
 *
 * A file gets its name when it is complete, with the sessions in it that wait
 * on the board.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/control.h"
#include "target/file.h"
#include "target/target.h"

#define PAGE		4096u
#define WINDOW_MIN	(UINT64_C(4) << 20)
/* What is mapped before main when a session is there already. */
#define POPULATE_MAX	(UINT64_C(64) << 20)

static unsigned char *base;	/* of the window */
static struct tbuf_control *sign; /* one page; DONTFORK; holds the flock */
static char file_name[TBUF_NAME_MAX];
static uint64_t generation;	/* the last one of the parent */

unsigned char *
tbuf_file_base(void)
{
	return (base);
}

/* Reserve address space for the window; halved until it is accepted. */
static bool
reserve(void)
{
	uint64_t size;
	void *p;

	for (size = tbuf_window_size(); size >= WINDOW_MIN;
	    size = size / 2 & ~(uint64_t)(PAGE - 1)) {
		p = mmap(NULL, size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p != MAP_FAILED) {
			base = p;
			tbuf_self.window = size;
			return (true);
		}
	}
	return (false);
}

static bool
map_window(int fd)
{
	if (mmap(base, tbuf_self.window, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED)
		return (false);
	madvise(base, tbuf_self.window, MADV_DONTDUMP);
	return (true);
}

/* Map the page that keeps the lock of this description. */
static bool
map_sign(int fd)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return (false);
	if (madvise(p, PAGE, MADV_DONTFORK) != 0) {
		munmap(p, PAGE);
		return (false);
	}
	sign = p;
	return (true);
}

/* The base name of the running program. */
static void
fill_comm(struct tbuf_control *control)
{
	static char path[PAGE];	/* the stack may be small */
	const char *name = path;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n < 0 ? 0 : n] = '\0';
	if (strrchr(path, '/') != NULL)
		name = strrchr(path, '/') + 1;
	n = (ssize_t)strnlen(name, sizeof(control->comm) - 1);
	memcpy(control->comm, name, (size_t)n);
}

/* What only the target knows of itself; the release makes it a live one. */
static void
fill_live(struct tbuf_control *control)
{
	control->clock = tbuf_self.clock;
	control->flags = tbuf_self.rseq ? TBUF_F_RSEQ : 0;
	control->window = tbuf_self.window;
	fill_comm(control);
	tbuf_moment_take(tbuf_self.clock, &control->birth);
	tbuf_store_release(&control->stage, TBUF_STAGE_LIVE);
}

/* Probes that are registered already: a forked child's are its parent's. */
static int
copy_probes(int fd)
{
	uint32_t probes, strings;
	unsigned char *to;
	int error;

	tbuf_table_extent(&probes, &strings);
	if (probes == 0)
		return (0);
	if ((error = tbuf_back(fd, TBUF_PROBES, probes)) != 0 ||
	    (error = tbuf_back(fd, TBUF_STRINGS, strings)) != 0)
		return (error);
	to = mmap(NULL, TBUF_AREAS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (to == MAP_FAILED)
		return (-errno);
	memcpy(to + TBUF_PROBES, base + TBUF_PROBES, probes);
	memcpy(to + TBUF_STRINGS, base + TBUF_STRINGS, strings);
	munmap(to, TBUF_AREAS);
	tbuf_table_claim(sign);
	return (0);
}

/* Fill and name the file behind fd.  NULL, or what is wrong. */
static const char *
make_complete(int dirfd, int fd, uint64_t random, const char *hidden)
{
	if (ftruncate(fd, TBUF_AREAS) != 0 || tbuf_back(fd, 0, TBUF_SLOTS) != 0)
		return ("no space in the runtime directory");
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !map_sign(fd))
		return ("control file cannot be locked");
	tbuf_control_fill(sign, getpid(), tbuf_start_time(getpid()), random);
	sign->generation = generation;
	if (copy_probes(fd) != 0)
		return ("no space in the runtime directory");
	fill_live(sign);
	tbuf_wanted_build(dirfd, fd);
	if (tbuf_control_link(dirfd, fd, file_name, hidden) != 0)
		return ("control file cannot be named");
	return (NULL);
}

/* A file that looks alive though nobody fires must not stay. */
static void
undo(int dirfd, const char *hidden)
{
	if (*hidden != '\0')
		unlinkat(dirfd, hidden, 0);
	unlinkat(dirfd, file_name, 0);
	if (sign != NULL)
		munmap(sign, PAGE);
	sign = NULL;
}

const char *
tbuf_file_make(int dirfd)
{
	uint64_t random = tbuf_random();
	char hidden[TBUF_NAME_MAX + 1];
	const char *problem;
	int fd;

	tbuf_control_name(file_name, getpid(), random);
	fd = tbuf_control_create(dirfd, file_name, hidden);
	if (fd < 0)
		return ("runtime directory cannot be written");
	problem = make_complete(dirfd, fd, random, hidden);
	close(fd);
	if (problem == NULL) {
		fd = openat(dirfd, file_name,
		    O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd == -1 || !map_window(fd))
			problem = "control file cannot be mapped";
		if (fd != -1)
			close(fd);
	}
	if (problem != NULL)
		undo(dirfd, hidden);
	return (problem);
}

/*
 * A consumer that tests for life may hold the lock for a moment.
 */
static bool
lock_soon(int fd)
{
	int i;

	for (i = 0; i < 1000; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return (true);
		sched_yield();
	}
	return (false);
}

/*
 * Is this the file that a consumer has made for this very process?  All of it
 * has to be in sight: a record beyond would be neither stored nor counted.
 */
static bool
made_for_us(int fd)
{
	struct stat st;

	return (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() &&
	    tbuf_control_check(sign, (uint64_t)st.st_size) == 0 &&
	    (uint64_t)st.st_size <= tbuf_self.window &&
	    sign->pid == (uint32_t)getpid() &&
	    sign->start == tbuf_start_time(getpid()) &&
	    tbuf_load_acquire(&sign->stage) == TBUF_STAGE_WAITING);
}

/*
 * The consumer could not know that this process has no rseq: its CPU lanes
 * become lock lanes.  Nobody writes or reads them yet.
 */
static void
relabel(unsigned number, uint64_t end)
{
	struct tbuf_slot *slot = (struct tbuf_slot *)(void *)
	    (base + TBUF_SLOTS + number * (size_t)TBUF_SLOT_SIZE);
	uint64_t at = slot->lanes;
	uint32_t i, n = slot->nlanes, ncpus = slot->first_lock;

	if (n > 2 * TBUF_NCPUS || at < TBUF_AREAS || at % 64 != 0 ||
	    at > end || n * sizeof(struct tbuf_lane) > end - at)
		return;
	for (i = 0; i < n; i++)
		((struct tbuf_lane *)(void *)(base + at))[i].locked = 1;
	memset(slot->lane_of_cpu, 0, sizeof(slot->lane_of_cpu));
	slot->first_lock = 0;
	slot->nlocks_max = n < TBUF_NLOCKS ? n : TBUF_NLOCKS;
	/* As in a session without rseq: the small ones are spares. */
	slot->nlocks = ncpus == 0 || ncpus > slot->nlocks_max ?
	    slot->nlocks_max : ncpus;
}

/* Sessions that are there before the first fire. */
static void
adopt_sessions(int fd)
{
	struct tbuf_control *control = (struct tbuf_control *)(void *)base;
	struct stat st;
	uint64_t end, size;
	unsigned i;

	/* What the file says of its end may be wrong: it would be a SIGBUS. */
	if (fstat(fd, &st) != 0)
		return;
	end = (uint64_t)st.st_size;
	if (end > tbuf_self.window)
		end = tbuf_self.window;
	size = end - TBUF_AREAS;
	for (i = 0; !tbuf_self.rseq && i < TBUF_NSESSIONS; i++)
		if (control->state[i] == TBUF_ACTIVE)
			relabel(i, end);
#ifdef MADV_POPULATE_WRITE
	madvise(base + TBUF_AREAS, size < POPULATE_MAX ? size : POPULATE_MAX,
	    MADV_POPULATE_WRITE);
#endif
}

static bool
adopt_mapped(int dirfd, int fd)
{
	int again;

	if (!made_for_us(fd) || !lock_soon(fd))
		return (false);
	again = openat(dirfd, file_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (again == -1)
		return (false);
	if (!map_window(again)) {
		close(again);
		return (false);
	}
	close(again);
	adopt_sessions(fd);
	fill_live(sign);
	return (true);
}

static bool
adopt_file(int dirfd)
{
	const char *name = secure_getenv(TBUF_CONTROL_ENV);
	uint64_t random;
	pid_t pid;
	int fd;

	if (name == NULL || !tbuf_control_name_parse(name, &pid, &random) ||
	    pid != getpid())
		return (false);
	tbuf_control_name(file_name, pid, random);
	fd = openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return (false);
	if (!map_sign(fd)) {
		close(fd);
		return (false);
	}
	if (!adopt_mapped(dirfd, fd)) {
		munmap(sign, PAGE);
		sign = NULL;
		close(fd);
		return (false);
	}
	close(fd);
	return (true);
}

const char *
tbuf_file_begin(void)
{
	const char *problem = NULL;
	int dirfd = tbuf_directory_open(true);

	if (dirfd < 0)
		return (tbuf_directory_problem(dirfd));
	if (!reserve())
		problem = "no address space for the window";
	else if (!adopt_file(dirfd)) {
		tbuf_control_reap_some(dirfd);
		problem = tbuf_file_make(dirfd);
	}
	/* It counts against the host's limits. */
	if (problem != NULL && base != NULL) {
		munmap(base, tbuf_self.window);
		base = NULL;
	}
	close(dirfd);
	return (problem);
}

/*
 * Private zeroes at these addresses.  A fire that a handler interrupted to
 * fork goes on here in the child: it has to find memory, in which no session
 * is.  Where so much cannot be promised, reading has to do.
 */
static void
blank(uint64_t offset, uint64_t end)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
	    MAP_NORESERVE;

	if (mmap(base + offset, end - offset, PROT_READ | PROT_WRITE, flags,
	    -1, 0) == MAP_FAILED)
		mmap(base + offset, end - offset, PROT_READ, flags, -1, 0);
	madvise(base + offset, end - offset, MADV_DONTDUMP);
}

/*
 * The same addresses, but nobody's file: enable words read as zero, so that
 * sites need not be touched.  The parent's probe table stays, to be read, in
 * case this child becomes a target of its own.
 */
void
tbuf_file_blank(void)
{
	blank(0, TBUF_PROBES);
	mprotect(base + TBUF_PROBES, TBUF_AREAS - TBUF_PROBES, PROT_READ);
	blank(TBUF_AREAS, tbuf_self.window);
}

/*
 * In a forked child: the mapping of `sign` was not inherited.  Generations go
 * on where the parent's were, for what a fire has read of the parent's must
 * not fit here.
 */
void
tbuf_file_forked(void)
{
	const struct tbuf_control *control = (const void *)base;

	sign = NULL;
	generation = tbuf_load(&control->generation);
}

void
tbuf_file_unlink(void)
{
	int dirfd = tbuf_directory_open(false);

	if (dirfd < 0)
		return;
	unlinkat(dirfd, file_name, 0);
	close(dirfd);
}

int
tbuf_file_back(uint64_t offset, uint64_t length)
{
	int dirfd, fd, error;

#ifdef MADV_POPULATE_WRITE
	/* Allocates as a store would, but fails instead of raising SIGBUS. */
	if (madvise(base + offset, length, MADV_POPULATE_WRITE) == 0)
		return (0);
	if (errno != EINVAL)
		return (-ENOSPC);
#endif
	if ((dirfd = tbuf_directory_open(false)) < 0)
		return (dirfd);
	fd = openat(dirfd, file_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	close(dirfd);
	if (fd == -1)
		return (-errno);
	error = tbuf_back(fd, offset, length);
	close(fd);
	return (error);
}
