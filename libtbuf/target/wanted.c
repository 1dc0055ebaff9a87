/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sessions that wait on the board (common/board.h) are built by the target
 * itself, into its own control file, before the file has a name.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/board.h"
#include "common/control.h"
#include "common/room.h"
#include "target/file.h"

/* Runs that go on with this process: its ancestors', or its last image's. */
static uint64_t runs[TBUF_NSESSIONS];
static unsigned nruns;

#define ENTRIES_BYTES	8192
#define GENERATIONS	16

static bool
run_followed(uint64_t run)
{
	unsigned i;

	for (i = 0; i < nruns; i++)
		if (runs[i] == run)
			return (true);
	return (false);
}

/* A command's descendants have its run in their environment. */
static uint64_t
run_of_command(void)
{
	const char *text = secure_getenv(TBUF_RUN_ENV);

	return (text == NULL ? 0 : strtoull(text, NULL, 16));
}

/* Is the entry one that this process has to heed? */
static bool
entry_wanted(const struct tbuf_board *board, int fd, unsigned i)
{
	uint64_t run = tbuf_load_acquire(&board->entries[i].run);
	uint32_t flags = tbuf_load(&board->entries[i].flags);

	return (run != 0 && ((flags & TBUF_BOARD_ALL) != 0 ||
	    ((flags & TBUF_BOARD_FOLLOW) != 0 && run == run_of_command()) ||
	    run_followed(run)) && tbuf_board_alive(fd, i));
}

/* Read once: another process can change it at any time. */
static void
order_read(const struct tbuf_board_entry *entry, struct tbuf_order *order)
{
	cpu_set_t set;
	unsigned cpu;

	memset(order, 0, sizeof(*order));
	order->bufsize = tbuf_load(&entry->bufsize);
	order->policy = tbuf_load(&entry->policy) > TBUF_RING ? TBUF_SWITCH :
	    (enum tbuf_policy)tbuf_load(&entry->policy);
	order->strsize = tbuf_load(&entry->strsize);
	order->only_cpu = tbuf_load(&entry->only_cpu);
	order->rseq = tbuf_self.rseq;
	order->patterns = entry->patterns;
	order->patterns_size = tbuf_load(&entry->patterns_size);
	order->npatterns = tbuf_load(&entry->npatterns);
	if (order->patterns_size > TBUF_BOARD_PATTERNS)
		order->patterns_size = TBUF_BOARD_PATTERNS;
	if (order->npatterns > order->patterns_size)
		order->npatterns = order->patterns_size;
	order->flags = tbuf_load(&entry->session_flags);
	order->run = tbuf_load(&entry->run);
	order->owner_pid = tbuf_load(&entry->owner_pid);
	order->owner_uid = tbuf_load(&entry->owner_uid);
	order->owner = entry->owner;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	for (cpu = 0; cpu < CPU_SETSIZE && cpu < TBUF_NCPUS; cpu++)
		if (CPU_ISSET(cpu, &set))
			tbuf_cpus_add(&order->cpus, cpu);
}

/*
 * How large the file behind fd may be.  The consumer's budget is right for the
 * consumer; this process is charged for what it takes, and has limits and a
 * window of its own.
 */
static uint64_t
file_limit(int fd, uint64_t size)
{
	uint64_t room = tbuf_room(fd) / 2, limit = tbuf_room_file();

	if (limit > tbuf_self.window)
		limit = tbuf_self.window;
	return (limit > size && limit - size > room ? size + room : limit);
}

/*
 * Take the space of a session at `area` off the consumer's budget; under
 * `auto` less and less.
 */
static bool
budget_take(struct tbuf_board_entry *entry, struct tbuf_order *order,
    struct tbuf_plan *plan, uint64_t area, uint64_t limit)
{
	bool smaller = (tbuf_load(&entry->flags) & TBUF_BOARD_AUTO) != 0;
	uint64_t left;

	for (; tbuf_plan_make(order, plan) == 0; order->bufsize /= 2) {
		do {
			left = tbuf_load(&entry->budget);
			if (plan->storage > left ||
			    area + plan->size > limit)
				break;
			if (tbuf_cas(&entry->budget, left,
			    left - plan->storage))
				return (true);
		} while (true);
		if (!smaller)
			break;
	}
	return (false);
}

/* Its consumer has to hear of a session that there is no room for. */
static bool
session_missed(struct tbuf_board_entry *entry, uint64_t run)
{
	if (tbuf_load(&entry->run) == run)
		tbuf_add(&entry->missed, 1);
	return (false);
}

static int
session_back(int fd, unsigned slot, uint64_t area, uint64_t size)
{
	int error;

	if ((error = tbuf_back(fd, TBUF_SLOTS + slot *
	    (uint64_t)TBUF_SLOT_SIZE, TBUF_SLOT_SIZE)) != 0 ||
	    (error = tbuf_back(fd, TBUF_HEADS + slot *
	    (uint64_t)TBUF_HEADS_SIZE, TBUF_HEADS_SIZE)) != 0)
		return (error);
	return (tbuf_room_back(fd, area, size));
}

/*
 * The probes that are there already: a forked child's.  The patterns are the
 * copy in this file, which nobody else knows yet.
 */
static void
session_meet(const struct tbuf_view *view, unsigned slot,
    const struct tbuf_order *order)
{
	const struct tbuf_session *session = (const void *)(view->base +
	    tbuf_view_slot(view, slot)->area);
	const char *patterns = (const char *)view->base + session->patterns;
	uint32_t i, n = tbuf_view_control(view)->nprobes;

	for (i = 0; i < n; i++)
		tbuf_meet(view, slot, i, patterns, order->patterns_size,
		    order->npatterns);
}

/* A consumer that died before it saw the session must not hold it. */
static uint64_t
session_deadline(const struct tbuf_board_entry *entry)
{
	uint64_t wait = tbuf_load(&entry->deadline);

	return (wait == 0 ? 0 : tbuf_clock_read(tbuf_self.clock) + wait);
}

/* An entry that changed hands while it was read is not one consumer's. */
static bool
entry_kept(const struct tbuf_board_entry *entry, uint64_t run)
{
	tbuf_fence_loads();
	return (tbuf_load(&entry->run) == run);
}

/*
 * Build one session behind the file's end.  False if there is no room, or
 * nobody wants it any more.
 */
static bool
session_add(int fd, unsigned number, struct tbuf_board_entry *entry)
{
	struct tbuf_order order;
	struct tbuf_plan plan;
	struct tbuf_view view;
	struct tbuf_control *control;
	struct tbuf_slot *slot;
	struct stat st;
	uint64_t area, run;
	bool built = false;

	run = tbuf_load_acquire(&entry->run);
	order_read(entry, &order);
	if (run == 0 || !entry_kept(entry, run) || order.run != run)
		return (false);
	/* The consumer will say that no fire here could tell its CPU. */
	if (order.only_cpu >= 0 && !order.rseq && !tbuf_self.cpu_readable)
		return (false);
	if (fstat(fd, &st) != 0 || !budget_take(entry, &order, &plan,
	    (uint64_t)st.st_size, file_limit(fd, (uint64_t)st.st_size)))
		return (session_missed(entry, run));
	area = (uint64_t)st.st_size;
	view.size = area + plan.size;
	view.base = MAP_FAILED;
	if (session_back(fd, number, area, plan.size) == 0)
		view.base = mmap(NULL, view.size, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (view.base != MAP_FAILED) {
		control = tbuf_view_control(&view);
		slot = tbuf_view_slot(&view, number);
		built = tbuf_session_build(&view, number, area,
		    ++control->generation, &order, &plan) == 0;
		slot->area_size = plan.size;
		slot->deadline = session_deadline(entry);
		control->end = view.size;
		/* All of it has been read by now, the patterns too. */
		built = built && entry_kept(entry, run);
		if (built) {
			control->state[number] = TBUF_ACTIVE;
			session_meet(&view, number, &order);
		} else
			slot->generation = 0;
		munmap(view.base, view.size);
	}
	if (built)
		return (true);
	(void)!ftruncate(fd, (off_t)area);
	tbuf_add(&entry->budget, plan.storage);
	return (session_missed(entry, run));
}

/* This process, its parent, ... */
struct line {
	pid_t pids[GENERATIONS];
	unsigned count;
};

static void
line_find(struct line *line)
{
	pid_t pid = getpid();

	for (line->count = 0; line->count < GENERATIONS && pid > 1;
	    pid = tbuf_parent(pid))
		line->pids[line->count++] = pid;
}

/*
 * This process's file from before exec(2): the runs that it was under go on.
 * An ancestor's, if a child has been executed with no word from it, as after
 * vfork(2): the runs that follow children do.
 */
static void
runs_inherit(int dirfd, const char *name, const struct line *line)
{
	struct tbuf_control control;
	uint64_t random, run;
	unsigned slot, n;
	pid_t pid;
	int fd;

	if (!tbuf_control_name_parse(name, &pid, &random))
		return;
	for (n = 0; n < line->count && line->pids[n] != pid; n++)
		continue;
	if (n == line->count)
		return;
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (fd == -1)
		return;
	if (pread(fd, &control, sizeof(control), 0) == sizeof(control) &&
	    tbuf_control_check(&control, TBUF_AREAS) == 0 &&
	    control.start == tbuf_start_time(pid))
		for (slot = 0; slot < TBUF_NSESSIONS; slot++) {
			run = tbuf_board_run(fd, &control, slot,
			    n > 0 ? TBUF_S_FOLLOW : 0);
			if (run != 0 && nruns < TBUF_NSESSIONS)
				runs[nruns++] = run;
		}
	close(fd);
}

static void
runs_look(int dirfd)
{
	/* A handler may fork on a small stack; one thread at a time is here. */
	static union {
		struct dirent64 entry;
		char bytes[ENTRIES_BYTES];
	} buffer;
	const struct dirent64 *entry;
	struct line line;
	long n, at;
	int fd;

	line_find(&line);
	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1)
		return;
	while ((n = syscall(SYS_getdents64, fd, buffer.bytes,
	    sizeof(buffer.bytes))) > 0)
		for (at = 0; at < n; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)
			    (buffer.bytes + at);
			runs_inherit(dirfd, entry->d_name, &line);
		}
	close(fd);
}

void
tbuf_wanted_build(int dirfd, int fd)
{
	struct tbuf_board *board;
	unsigned i, number = 0;
	bool posted = false;
	int board_fd;

	if ((board = tbuf_board_open(dirfd, &board_fd)) == NULL)
		return;
	for (i = 0; i < TBUF_BOARD_ENTRIES && !posted; i++)
		posted = tbuf_load(&board->entries[i].run) != 0;
	if (posted && nruns == 0)
		runs_look(dirfd);
	for (i = 0; i < TBUF_BOARD_ENTRIES; i++)
		if (entry_wanted(board, board_fd, i) &&
		    session_add(fd, number, &board->entries[i]))
			number++;
	tbuf_board_close(board, board_fd);
}

/* The runs of the parent's sessions, as long as its file is still mapped. */
static void
runs_read(void)
{
	const struct tbuf_view view = { tbuf_file_base(), tbuf_self.window };
	const struct tbuf_control *control = tbuf_view_control(&view);
	uint64_t end = tbuf_load(&control->end), area;
	const struct tbuf_session *session;
	unsigned i;

	nruns = 0;
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		if (tbuf_load_acquire(&control->state[i]) != TBUF_ACTIVE)
			continue;
		area = tbuf_load(&tbuf_view_slot(&view, i)->area);
		if (area < TBUF_AREAS || area % 8 != 0 || area > end ||
		    end > view.size || end - area < sizeof(*session))
			continue;
		session = (const void *)(view.base + area);
		if ((tbuf_load(&session->flags) & TBUF_S_FOLLOW) != 0)
			runs[nruns++] = tbuf_load(&session->run);
	}
}

bool
tbuf_wanted_child(void)
{
	int dirfd = tbuf_directory_open(false), fd;
	struct tbuf_board *board;
	bool wanted = false;
	unsigned i;

	if (dirfd < 0)
		return (false);
	runs_read();
	if ((board = tbuf_board_open(dirfd, &fd)) != NULL) {
		for (i = 0; i < TBUF_BOARD_ENTRIES && !wanted; i++)
			wanted = entry_wanted(board, fd, i);
		tbuf_board_close(board, fd);
	}
	close(dirfd);
	return (wanted);
}
