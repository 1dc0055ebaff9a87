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
#include "cold.h"

#include <sys/auxv.h>
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
#include "producer/file.h"
#include "producer/producer.h"

#define PAGE		4096u
#define WINDOW_MIN	(UINT64_C(4) << 20)
/* What is mapped before main of a session that is there already. */
#define POPULATE_MAX	(UINT64_C(1) << 30)

static unsigned char *base;	/* of the window */
static struct tbuf_control *sign; /* one page; DONTFORK; holds the flock */
static char file_name[TBUF_NAME_MAX];
static uint64_t generation;	/* the last one of the parent */
static uint64_t parent_end;	/* of its file, in whole pages */

unsigned char *
tbuf_file_base(void)
{
	return (base);
}

/* By a name that others see: one may hold a lease, which must not wait. */
static int
file_open(int dirfd, const char *name)
{
	return (openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC));
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
			tbuf_tables_make(size, tbuf_self.file_limit,
			    &tbuf_self.tables);
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
	control->flags = tbuf_file_flags();
	control->window = tbuf_self.window;
	tbuf_self.gid = (uint32_t)getauxval(AT_GID);
	fill_comm(control);
	tbuf_moment_take(tbuf_self.clock, &control->birth);
	tbuf_store_release(&control->stage, TBUF_STAGE_LIVE);
}

/* Probes that are registered already: a forked child's are its parent's. */
static int
copy_probes(int fd)
{
	const struct tbuf_tables *tables = &tbuf_self.tables;
	struct tbuf_extent used;
	unsigned char *to;
	int error;

	tbuf_table_extent(&used);
	if (used.probes == 0)
		return (0);
	if ((error = tbuf_back(fd, tables->enable, used.enable)) != 0 ||
	    (error = tbuf_back(fd, tables->probes, used.probes)) != 0 ||
	    (error = tbuf_back(fd, tables->strings, used.strings)) != 0)
		return (error);
	to = mmap(NULL, tables->areas, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (to == MAP_FAILED)
		return (-errno);
	memcpy(to + tables->probes, base + tables->probes, used.probes);
	memcpy(to + tables->strings, base + tables->strings,
	    used.strings);
	munmap(to, tables->areas);
	tbuf_table_claim(sign);
	return (0);
}

/* When this process began; one look tells its parent, too. */
static uint64_t
own_start(void)
{
	static const int fields[] = { TBUF_STAT_PARENT, TBUF_STAT_START };
	uint64_t values[2];

	tbuf_stat_fields(0, fields, values, 2);
	tbuf_self.ppid = (uint32_t)values[0];
	return (values[1]);
}

/* Fill and name the file behind fd.  NULL, or what is wrong. */
static const char *
make_complete(int dirfd, int fd, uid_t uid, pid_t pid, uint64_t random,
    const char *hidden)
{
	if (ftruncate(fd, tbuf_self.tables.areas) != 0 ||
	    tbuf_back(fd, 0, TBUF_SLOTS) != 0)
		return ("no space in the runtime directory");
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !map_sign(fd))
		return ("control file cannot be locked");
	tbuf_control_fill(sign, &tbuf_self.tables, uid, pid,
	    own_start(), random);
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
tbuf_file_make(int dirfd, uid_t uid)
{
	uint64_t random = tbuf_random();
	char hidden[TBUF_NAME_MAX + 1];
	pid_t pid = getpid();
	const char *problem;
	int fd;

	tbuf_control_name(file_name, pid, random);
	fd = tbuf_control_create(dirfd, file_name, hidden);
	if (fd < 0)
		return ("runtime directory cannot be written");
	problem = make_complete(dirfd, fd, uid, pid, random, hidden);
	close(fd);
	if (problem == NULL) {
		fd = file_open(dirfd, file_name);
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
 * Can this process do what the sessions in the file need?  If not it makes a
 * file of its own, and says on the board what is lacking (session_add()).
 */
static bool
needs_met(int fd, const struct tbuf_control *control)
{
	uint32_t needs;
	unsigned i;

	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (control->state[i] == TBUF_ACTIVE && (pread(fd, &needs,
		    sizeof(needs), (off_t)(TBUF_SLOTS +
		    i * (uint64_t)TBUF_SLOT_SIZE +
		    offsetof(struct tbuf_slot, terms.needs))) !=
		    sizeof(needs) ||
		    tbuf_flags_lack(tbuf_file_flags(), needs) != 0))
			return (false);
	return (true);
}

/*
 * Is this the file that a consumer has made for this very process?  All of it
 * has to be in sight: a record beyond would be neither stored nor counted.
 */
static bool
made_for_us(int fd, struct tbuf_control *control)
{
	struct stat st;

	/* A copy, for it is another process that has written it. */
	return (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() &&
	    pread(fd, control, sizeof(*control), 0) == sizeof(*control) &&
	    tbuf_control_check(control, (uint64_t)st.st_size) == 0 &&
	    (uint64_t)st.st_size <= tbuf_self.window &&
	    control->pid == (uint32_t)getpid() &&
	    control->start == own_start() &&
	    control->stage == TBUF_STAGE_WAITING && needs_met(fd, control));
}

/* The lanes of a slot, if they lie in the file; how many. */
static struct tbuf_lane *
lanes_of(const struct tbuf_slot *slot, uint64_t end, uint32_t *n)
{
	uint64_t at = tbuf_load(&slot->lanes);

	*n = tbuf_load(&slot->nlanes);
	if (*n > 2 * TBUF_NCPUS || at < TBUF_TABLES || at % 64 != 0 ||
	    at > end || *n * sizeof(struct tbuf_lane) > end - at)
		return (NULL);
	return ((struct tbuf_lane *)(void *)(base + at));
}

/*
 * The consumer could not know that this process has no rseq: its CPU lanes
 * become lock lanes.  Nobody writes or reads them yet.
 */
static void
relabel(struct tbuf_slot *slot, uint64_t end)
{
	uint32_t i, n, ncpus = tbuf_load(&slot->first_lock), locks;
	struct tbuf_lane *lanes = lanes_of(slot, end, &n);

	if (lanes == NULL)
		return;
	for (i = 0; i < n; i++)
		lanes[i].locked = 1;
	memset(slot->lane_of_cpu, 0, sizeof(slot->lane_of_cpu));
	slot->first_lock = 0;
	locks = n < TBUF_NLOCKS ? n : TBUF_NLOCKS;
	slot->nlocks_max = locks;
	/* As in a session without rseq: the small ones are spares. */
	slot->nlocks = ncpus == 0 || ncpus > locks ? locks : ncpus;
}

/*
 * Map the storage of the lanes, which lies behind the rest of the session and
 * which the consumer has backed: then no first lap waits for the kernel.
 */
static void
populate(const struct tbuf_slot *slot, uint64_t end)
{
#ifdef MADV_POPULATE_WRITE
	uint32_t n;
	const struct tbuf_lane *lanes = lanes_of(slot, end, &n);
	uint64_t at, size;

	if (lanes == NULL || n == 0)
		return;
	at = tbuf_place_offset(tbuf_load(&lanes[0].place)) &
	    ~(uint64_t)(PAGE - 1);
	if (at < TBUF_TABLES || at >= end)
		return;
	size = end - at < POPULATE_MAX ? end - at : POPULATE_MAX;
	madvise(base + at, size, MADV_POPULATE_WRITE);
#else
	(void)slot;
	(void)end;
#endif
}

/* Sessions that are there before the first fire. */
static void
adopt_sessions(int fd)
{
	struct tbuf_control *control = (struct tbuf_control *)(void *)base;
	struct tbuf_slot *slot;
	struct stat st;
	uint64_t end;
	unsigned i;

	/* What the file says of its end may be wrong: it would be a SIGBUS. */
	if (fstat(fd, &st) != 0)
		return;
	end = (uint64_t)st.st_size;
	if (end > tbuf_self.window)
		end = tbuf_self.window;
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		if (tbuf_load(&control->state[i]) != TBUF_ACTIVE)
			continue;
		slot = (struct tbuf_slot *)(void *)(base + TBUF_SLOTS +
		    i * (size_t)TBUF_SLOT_SIZE);
		if (!tbuf_self.rseq)
			relabel(slot, end);
		populate(slot, end);
	}
}

static bool
adopt_mapped(int dirfd, int fd)
{
	struct tbuf_control control;
	int again;

	if (!made_for_us(fd, &control) || !lock_soon(fd))
		return (false);
	again = file_open(dirfd, file_name);
	if (again == -1)
		return (false);
	if (!map_window(again)) {
		close(again);
		return (false);
	}
	close(again);
	tbuf_self.tables = control.tables;
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
	fd = file_open(dirfd, name);
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

/* If there is no room, the dead may have taken it. */
static const char *
make_first(int dirfd, uid_t uid)
{
	const char *problem = tbuf_file_make(dirfd, uid);

	if (problem == NULL)
		tbuf_control_reap_share(dirfd, sign->random);
	else if (tbuf_control_reap_some(dirfd, tbuf_random()))
		problem = tbuf_file_make(dirfd, uid);
	return (problem);
}

const char *
tbuf_file_begin(void)
{
	const char *problem = NULL;
	uid_t uid = geteuid();
	int dirfd = tbuf_directory_open_for(uid, true);

	if (dirfd < 0)
		return (tbuf_directory_problem(dirfd));
	if (!reserve())
		problem = "no address space for the window";
	else if (!adopt_file(dirfd))
		problem = make_first(dirfd, uid);
	/* It counts against the host's limits. */
	if (problem != NULL && base != NULL) {
		munmap(base, tbuf_self.window);
		base = NULL;
	}
	close(dirfd);
	return (problem);
}

/*
 * Zeroes at these addresses.  A fire that a handler interrupted to fork goes
 * on here in the child: it has to find memory, in which no session is.
 *
 * A shared mapping, for a private one that can be written is charged to
 * RLIMIT_DATA.  So what such a fire stores is seen by this process's children
 * too, and by nobody else.  It does no harm: while `tbuf_local->base` is 0 no
 * fire begins, one that goes on has checked its positions already, and a
 * process that becomes a target maps its own file over all of it.
 *
 * Where so much cannot be promised (vm.overcommit_memory 2), reading has to do.
 */
static void
blank(uint64_t offset, uint64_t end)
{
	const int flags = MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;

	if (offset == end)
		return;
	if (mmap(base + offset, end - offset, PROT_READ | PROT_WRITE,
	    MAP_SHARED | flags, -1, 0) == MAP_FAILED)
		mmap(base + offset, end - offset, PROT_READ,
		    MAP_PRIVATE | flags, -1, 0);
	madvise(base + offset, end - offset, MADV_DONTDUMP);
}

/*
 * The same addresses, but nobody's file: enable words read as zero, so that
 * sites need not be touched.  The parent's probe table stays, to be read, in
 * case this child becomes a target of its own.  No fire has gone past the end
 * of the parent's file: behind it nothing is mapped that mlockall(2) would
 * fill.
 */
void
tbuf_file_blank(void)
{
	const struct tbuf_tables *t = &tbuf_self.tables;

	blank(0, t->probes);
	mprotect(base + t->probes, t->areas - t->probes, PROT_READ);
	blank(t->areas, parent_end);
	if (parent_end < tbuf_self.window)
		mmap(base + parent_end, tbuf_self.window - parent_end,
		    PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
		    MAP_NORESERVE, -1, 0);
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
	uint64_t end = (tbuf_fire_end((uintptr_t)base) + PAGE - 1) &
	    ~(uint64_t)(PAGE - 1);

	sign = NULL;
	generation = tbuf_load(&control->generation);
	parent_end = end < tbuf_self.tables.areas ? tbuf_self.tables.areas :
	    end;
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
	fd = file_open(dirfd, file_name);
	close(dirfd);
	if (fd == -1)
		return (-errno);
	error = tbuf_back(fd, offset, length);
	close(fd);
	return (error);
}
