/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of a target: from the first constructor, or in a forked child once a
 * consumer or the recorder wants it, until exit.  Any failure turns tracing off
 * for this process, and publishes the reason where a consumer looks for it.
 */
#include "base/optimize_size.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/counter.h"
#include "arch/rseq_area.h"
#include "base/libc_facts.h"
#include "shared/board.h"
#include "shared/control_file.h"
#include "shared/memory_limit.h"
#include "target/clause/clause.h"
#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/lane/inflight.h"
#include "target/lane/thread_lane.h"
#include "target/lane/unit_hooks.h"
#include "target/process/process.h"
#include "target/provider.h"
#include "target/recorder/recorder.h"
#include "target/self/self.h"
#include "target/self/thread.h"

#define PAGE		4096u
#define LARGEST_PAGE	65536u

static const struct tbuf_local off;
const struct tbuf_local *tbuf_local = &off;
struct tbuf_self tbuf_self TBUF_FORKED;

/* A page that the kernel wipes in a child if local_wiped */
static struct tbuf_local *local_page TBUF_FORKED;
static bool local_wiped TBUF_FORKED;	/* the kernel can wipe */
static unsigned memo_cpus TBUF_FORKED;	/* CPUs with memos after it */

/* Stage of this process, changed by compare-and-swap. */
enum stage {
	NOTHING,	/* no constructor has run yet */
	CHANGING,	/* a thread is changing it */
	TARGET,		/* it has a control file */
	CHILD,		/* forked from a target, not wanted so far */
	OFF		/* not to be traced */
};
static int stage TBUF_FORKED;

/* Why a forked child is not traced although it is wanted, or NULL. */
static const char *missed TBUF_FORKED;

/*
 * Publishes that tracing is off even if there is no control file: a mapping of
 * one page named tbuf-off-REASON appears in /proc/PID/maps.
 */
static void
say_off(const char *reason)
{
	char name[128] = TBUF_OFF_PREFIX;
	size_t i, n = strlen(name);
	int fd;

	for (i = 0; reason[i] != '\0' && n < sizeof(name) - 1; i++, n++)
		name[n] = reason[i] == ' ' ? '-' : reason[i];
	name[n] = '\0';
	fd = memfd_create(name, MFD_CLOEXEC);
	if (fd == -1)
		return;
	mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
}

/* Publishes why tracing is off, for consumers that wait on the board, too. */
static void
turn_off(const char *reason)
{
	say_off(reason);
	tbuf_wanted_missed(reason);
}

/* Returns why this process must not be traced, or NULL. */
static const char *
forbidden(void)
{
	const char *disable = secure_getenv("TBUF_DISABLE");

	if (getauxval(AT_SECURE) != 0)
		return (TBUF_OFF_SETUID);
	if (disable != NULL && *disable != '\0' && strcmp(disable, "0") != 0)
		return ("TBUF_DISABLE is set");
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1)
		return ("process is not dumpable");
	tbuf_filtered_look();
	/* Growing a file beyond this limit would raise SIGXFSZ. */
	tbuf_self.file_limit = tbuf_room_file();
	if (tbuf_self.file_limit < tbuf_tables_least())
		return ("file size limit is too low");
	return (NULL);
}

/* Extra units and workspaces; without these there are few. */
struct spare {
	struct tbuf_unit units[TBUF_UNITS];
	struct tbuf_workspace workspaces[TBUF_WORKSPACES];
};

/*
 * Returns true if RLIMIT_DATA allows optional memory of `size'.  The limit
 * counts mapped memory, though only touched pages are backed.  Memory that
 * fires can do without takes at most an eighth of the limit, so that the
 * program does not run out of memory.
 */
static bool
is_spare(size_t size)
{
	struct rlimit limit;

	return (getrlimit(RLIMIT_DATA, &limit) != 0 ||
	    size <= limit.rlim_cur / 8);
}

/* Maps the page, the memos of `cpus' CPUs, and `more' bytes after these. */
static struct tbuf_local *
local_map(unsigned cpus, size_t more)
{
	size_t size = (PAGE + cpus * (TBUF_NSESSIONS + TBUF_MEMO_TOTALS) *
	    (size_t)TBUF_MEMO_SIZE + LARGEST_PAGE - 1) / LARGEST_PAGE *
	    LARGEST_PAGE;
	char *p;

	if (more != 0 && !is_spare(size + more))
		return (NULL);
	p = mmap(NULL, size + more, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return (NULL);
#ifdef MADV_WIPEONFORK
	local_wiped = madvise(p, size, MADV_WIPEONFORK) == 0;
#endif
	memo_cpus = cpus;
	if (more != 0) {
		struct spare *spare = (struct spare *)(void *)(p + size);

		tbuf_units_have(spare->units);
		tbuf_workspaces_have(spare->workspaces);
	}
	return ((struct tbuf_local *)(void *)p);
}

/*
 * Enables fires: the page is complete before the pointer to it is visible.
 * Without room for memos, fires do without them.
 */
static bool
let_in(void)
{
	if (local_page == NULL &&
	    (local_page = local_map(tbuf_self.rseq ? TBUF_MEMO_CPUS : 0,
	    sizeof(struct spare))) == NULL &&
	    (local_page = local_map(0, 0)) == NULL)
		return (false);
	local_page->cpus = memo_cpus;
	/*
	 * A child whose page is wiped finds no address of an area.  The base
	 * comes last: from here on a child that becomes a target fires, by the
	 * probes of madvise(2) as well.
	 */
	if (local_wiped)
		tbuf_file_withhold();
	local_page->base = (uint64_t)(uintptr_t)tbuf_file.base;
	tbuf_store_release(&tbuf_local, local_page);
	return (true);
}

static void	forked(void);

static void
descriptor_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Chooses the clock, and the means that depend on it. */
static void
find_means(int board)
{
	tbuf_self.clock = tbuf_board_clock(board);
	tbuf_self.rseq = tbuf_self.clock == TBUF_CLOCK_COUNTER &&
	    tbuf_rseq_ready();
	tbuf_self.cpu_readable = tbuf_self.clock == TBUF_CLOCK_COUNTER &&
	    tbuf_cpu_readable();
	tbuf_self.cpu_glanceable = tbuf_self.cpu_readable &&
	    tbuf_cpu_glanceable();
}

/* A function of its own, at which tests/policy/foreign_calls.sh stops. */
static __attribute__((noinline)) enum stage
begin(void)
{
	uid_t uid = geteuid();
	const char *problem;
	int dirfd = -1, board;

	/* First: a child must not wait for a thread that it does not have. */
	tbuf_fork_init(forked);
	tbuf_directory_keep();
	problem = forbidden();
	tbuf_thread_init();
	if (problem == NULL &&
	    (dirfd = tbuf_directory_open_kept(true)) < 0)
		problem = tbuf_directory_problem(dirfd);
	board = dirfd < 0 ? -1 : tbuf_board_file(dirfd);
	find_means(board);
	if (problem == NULL) {
		tbuf_thread_lane_init();
		problem = tbuf_file_begin(dirfd, &board, uid);
	}
	descriptor_close(board);
	descriptor_close(dirfd);
	if (problem == NULL)
		tbuf_mappings_leave();
	tbuf_recorder_begin(problem);
	if (problem == NULL && let_in())
		return (TARGET);
	turn_off(problem == NULL ? "no memory" : problem);
	return (OFF);
}

/* If the stage is `from', stores the stage that `change' returns. */
static void
stage_change(enum stage from, enum stage (*change)(void))
{
	sigset_t mask;

	if (tbuf_load_acquire(&stage) != (int)from)
		return;
	tbuf_signals_block(&mask);
	tbuf_thread.busy++;
	if (tbuf_cas(&stage, from, CHANGING))
		tbuf_store_release(&stage, change());
	tbuf_thread.busy--;
	tbuf_signals_restore(&mask);
}

/*
 * Returns the stage once no other thread is changing it.  If this thread is, it
 * was called from an interposed function that the library uses, and returns
 * CHANGING.
 */
static enum stage
stage_now(void)
{
	int now;

	while ((now = tbuf_load_acquire(&stage)) == CHANGING &&
	    tbuf_thread.busy == 0)
		sched_yield();
	return ((enum stage)now);
}

bool
tbuf_life_busy(void)
{
	return (tbuf_load(&stage) == CHANGING || tbuf_table_locked());
}

int
tbuf_directory_target(void)
{
	return (tbuf_load(&stage) == TARGET ? tbuf_directory_open_kept(false) :
	    -ECANCELED);
}

/* Runs in the first constructor of all: this library's or a unit's. */
__attribute__((constructor(101)))
void
tbuf_life_begin(void)
{
	int saved = errno;

	/* Before any fire, which must not call the C library. */
	(void)tbuf_libc_facts();
	stage_change(NOTHING, begin);
	stage_now();
	errno = saved;
}

/*
 * Marks the file as exited.  Consumers remove it: by now a seccomp filter may
 * kill this process for unlink(2).
 */
__attribute__((destructor(101)))
static void
end(void)
{
	struct tbuf_view view = tbuf_target_view();

	if (view.base != NULL)
		tbuf_store_release(&tbuf_view_control(&view)->stage,
		    TBUF_STAGE_EXITED);
}

/* The runtime directory and the board; a negative descriptor is none. */
struct place {
	int dirfd, board;
};

static struct place
place_open(void)
{
	int dirfd = tbuf_directory_open_kept(false);

	return ((struct place){ dirfd, dirfd < 0 ? -1 :
	    tbuf_board_file(dirfd) });
}

static void
place_close(struct place place)
{
	descriptor_close(place.board);
	descriptor_close(place.dirfd);
}

/* Makes a control file of this child's own, at its parent's addresses. */
static enum stage
become_target_in(struct place place)
{
	const char *problem = forbidden();

	/* The parent's other threads do not run here: free their workspaces. */
	tbuf_workspaces_forget();
	if (problem == NULL)
		problem = place.dirfd < 0 ?
		    tbuf_directory_problem(place.dirfd) :
		    tbuf_file_make(place.dirfd, &place.board, geteuid());
	place_close(place);
	tbuf_recorder_child(problem);
	if (problem == NULL && let_in()) {
		missed = NULL;
		return (TARGET);
	}
	(void)tbuf_file_blank();
	missed = problem == NULL ? "no memory" : problem;
	turn_off(missed);
	return (OFF);
}

static enum stage
become_target(void)
{
	return (become_target_in(place_open()));
}

/* Decides on the stage of a target's child. */
static enum stage
child_begin(void)
{
	bool wanted, follows, room;
	struct place place;
	int error;

	if (!local_wiped)
		*local_page = off;
	errno = 0;
	room = tbuf_file_forked(local_wiped);
	error = errno;
	/* Call both, even if the first returns true. */
	follows = tbuf_recorder_follows();
	place = place_open();
	wanted = tbuf_wanted_child(place.board) || follows;
	if (wanted && room && !tbuf_hold_any())
		return (become_target_in(place));
	place_close(place);
	/* A record that this thread is writing must not go into a new file. */
	if (wanted) {
		missed = room ? "forked while writing a record" :
		    error == ENOMEM ? "no memory" :
		    "its parent's addresses are in use";
		tbuf_wanted_missed(missed);
	}
	return (tbuf_file_blank() && room ? CHILD : OFF);
}

/* Runs in the child of fork(2), after tbuf_fork_forget(). */
static void
forked(void)
{
	int saved = errno;

	/* Another thread of the parent was changing it: its work is lost. */
	if (stage == CHANGING)
		stage = OFF;
	if (stage == TARGET)
		stage = child_begin();
	/* The child of such a child is not traced for the same reason. */
	else if (missed != NULL)
		tbuf_wanted_missed(missed);
	errno = saved;
}

/*
 * Runs late in a child of a bare system call, in which no fork handler has run:
 * the kernel has wiped its page.
 */
static enum stage
child_notice(void)
{
	/* Another thread was first. */
	if (tbuf_target_view().base != NULL)
		return (TARGET);
	tbuf_fork_forget();
	return (child_begin());
}

bool
tbuf_life_traced(void)
{
	struct tbuf_view view = tbuf_target_view();

	return (view.base != NULL && tbuf_session_any(&view, 0));
}

void
tbuf_life_withdraw(void)
{
	struct tbuf_view view = tbuf_target_view();

	if (view.base != NULL &&
	    tbuf_load(&tbuf_view_control(&view)->nprobes) == 0)
		tbuf_file_unlink();
}

int
tbuf_process_register(void)
{
	int saved = errno;
	enum stage now;

	if (tbuf_thread.busy != 0)
		return (-EBUSY);
	tbuf_life_begin();
	/* In a child of vfork all this memory is the parent's. */
	if (tbuf_thread.shared != 0 || tbuf_thread.children != 0)
		return (-ECANCELED);
	if (tbuf_target_view().base == NULL)
		stage_change(TARGET, child_notice);
	/* A record that is being written must not go into a new file. */
	if (!tbuf_hold_any())
		stage_change(CHILD, become_target);
	now = stage_now();
	errno = saved;
	return (now == TARGET ? 0 : -ECANCELED);
}
