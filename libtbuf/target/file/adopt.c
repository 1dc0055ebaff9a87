/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control file that this process starts with: one that a consumer has made
 * for this command, with its session in it, or a new one.
 */
#include "base/optimize_size.h"

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/file/file.h"
#include "target/self/self.h"

/* Most bytes of an existing session that are mapped before main(). */
#define POPULATE_MAX	(UINT64_C(1) << 30)

/* Locks the file.  A consumer that tests for life may hold the lock briefly. */
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
 * Returns true if this process can do all that the file's sessions need.  If
 * not, it makes a file of its own, and says on the board which ability is
 * missing (session_add()).
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
 * Returns true if a consumer has made this file for this very process.  The
 * whole file must fit into the window: a record after it would be neither
 * stored nor counted.
 */
static bool
made_for_us(int fd, struct tbuf_control *control)
{
	pid_t pid = getpid();
	struct stat st;

	/* A copy, because another process can write to the file. */
	return (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() &&
	    pread(fd, control, sizeof(*control), 0) == sizeof(*control) &&
	    tbuf_control_check(control, (uint64_t)st.st_size) == 0 &&
	    (uint64_t)st.st_size <= tbuf_self.window &&
	    control->pid == (uint32_t)pid &&
	    control->start == tbuf_began(pid, false) &&
	    control->stage == TBUF_STAGE_WAITING && needs_met(fd, control));
}

/* Returns a slot's lanes and their number, NULL if they are not in the file. */
static struct tbuf_lane *
lanes_of(const struct tbuf_slot *slot, uint64_t end, uint32_t *n)
{
	uint64_t at = tbuf_load(&slot->lanes);

	*n = tbuf_load(&slot->nlanes);
	if (*n > 2 * TBUF_NCPUS || at < TBUF_TABLES || at % 64 != 0 ||
	    at > end || *n * sizeof(struct tbuf_lane) > end - at)
		return (NULL);
	return ((struct tbuf_lane *)(void *)(tbuf_file.base + at));
}

/*
 * Turns CPU lanes into lock lanes: the consumer could not know that this
 * process has no rseq.  They are not written or read yet.
 */
static void
relabel(struct tbuf_slot *slot, uint64_t end)
{
	uint32_t i, n, ncpus = tbuf_load(&slot->first_lock), locks;
	struct tbuf_lane *lanes = lanes_of(slot, end, &n);

	if (lanes == NULL)
		return;
	if (tbuf_thread_lane_any(slot) &&
	    n > tbuf_load(&slot->first_thread_lane))
		n = tbuf_load(&slot->first_thread_lane);
	for (i = 0; i < n; i++)
		lanes[i].kind = TBUF_KIND_LOCK;
	memset(slot->lane_of_cpu, 0, sizeof(slot->lane_of_cpu));
	slot->first_lock = 0;
	locks = n < TBUF_NLOCKS ? n : TBUF_NLOCKS;
	slot->nlocks_max = locks;
	/* As in a session without rseq: the small lanes are spares. */
	slot->nlocks = ncpus == 0 || ncpus > locks ? locks : ncpus;
}

/*
 * Maps the lanes' storage, which is at the session's end and which the consumer
 * has backed: then the first lap does not wait for page faults.
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
	    ~(uint64_t)(TBUF_PAGE - 1);
	if (at < TBUF_TABLES || at >= end)
		return;
	size = end - at < POPULATE_MAX ? end - at : POPULATE_MAX;
	madvise(tbuf_file.base + at, size, MADV_POPULATE_WRITE);
#else
	(void)slot;
	(void)end;
#endif
}

/* Prepares the sessions of the consumer that has made the file. */
static void
adopt_sessions(int fd, const struct tbuf_control *control)
{
	const struct tbuf_view view = tbuf_file_view();
	struct tbuf_slot *slot;
	struct stat st;
	uint64_t end;
	unsigned i;

	/* The end in the file's header may be wrong, and cause a SIGBUS. */
	if (fstat(fd, &st) != 0)
		return;
	end = (uint64_t)st.st_size;
	if (end > tbuf_self.window)
		end = tbuf_self.window;
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		if (control->state[i] != TBUF_ACTIVE)
			continue;
		slot = tbuf_view_slot(&view, i);
		if (!tbuf_self.rseq)
			relabel(slot, end);
		populate(slot, end);
	}
}

/* Takes the file's lock, and maps the file. */
static bool
map_locked(int dirfd, int fd)
{
	bool mapped;
	int again;

	if (!lock_soon(fd))
		return (false);
	again = tbuf_file_open(dirfd, tbuf_file.name);
	if (again == -1)
		return (false);
	mapped = tbuf_file_map(again);
	close(again);
	return (mapped);
}

static bool
adopt_mapped(int dirfd, int *board, int fd)
{
	struct tbuf_tables tables = tbuf_self.tables;
	struct tbuf_control control;
	bool joined;

	if (!made_for_us(fd, &control))
		return (false);
	tbuf_self.tables = control.tables;
	tbuf_file_fill(tbuf_file.sign);
	/*
	 * Before the lock: a consumer that sees it (tbuf_control_alive()) finds
	 * its session in the file, and does not make one.
	 */
	joined = tbuf_wanted_build(dirfd, board, fd, true) != 0;
	if (!map_locked(dirfd, fd)) {
		tbuf_self.tables = tables;
		return (false);
	}
	adopt_sessions(fd, &control);
	tbuf_file_dump(fd);
	tbuf_file_map_table(dirfd);
	tbuf_store_release(&tbuf_file.sign->stage, TBUF_STAGE_LIVE);
	/* The file has its name already: IN_ATTRIB tells that it is live. */
	if (joined && !tbuf_self.filtered)
		(void)!fchmod(fd, 0600);
	return (true);
}

static bool
adopt_file(int dirfd, int *board)
{
	const char *name = secure_getenv(TBUF_CONTROL_ENV);
	bool adopted = false;
	uint64_t random;
	pid_t pid;
	int fd;

	if (name == NULL || !tbuf_control_name_parse(name, &pid, &random) ||
	    pid != getpid())
		return (false);
	tbuf_control_name(tbuf_file.name, pid, random);
	fd = tbuf_file_open(dirfd, name);
	if (fd == -1)
		return (false);
	if (tbuf_file_sign(fd) && !(adopted = adopt_mapped(dirfd, board, fd))) {
		munmap(tbuf_file.sign, TBUF_PAGE);
		tbuf_file.sign = NULL;
	}
	close(fd);
	return (adopted);
}

/* Makes a new file.  If there is no room, removes files of dead processes. */
static const char *
make_first(int dirfd, int *board, uid_t uid)
{
	const char *problem = tbuf_file_make(dirfd, board, uid);

	if (problem == NULL)
		tbuf_control_reap_share(dirfd, tbuf_file.sign->random);
	else if (tbuf_control_reap_some(dirfd, tbuf_random()))
		problem = tbuf_file_make(dirfd, board, uid);
	return (problem);
}

const char *
tbuf_file_begin(int dirfd, int *board, uid_t uid)
{
	const char *problem = NULL;

	if (!tbuf_file_reserve())
		problem = "no address space for the window";
	else if (!adopt_file(dirfd, board))
		problem = make_first(dirfd, board, uid);
	/* Unmap the window: it counts against the program's limits. */
	if (problem != NULL && tbuf_file.base != NULL) {
		munmap(tbuf_file.base, tbuf_self.window);
		tbuf_file.base = NULL;
	}
	return (problem);
}
