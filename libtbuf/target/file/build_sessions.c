/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target builds sessions that wait on the board (shared/board.h) into its
 * own control file, before the file has a name.
 */
#include "base/optimize_size.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_affinity.h"
#include "shared/board.h"
#include "shared/control_file.h"
#include "shared/ecb_chain.h"
#include "shared/memory_limit.h"
#include "shared/program_file.h"
#include "target/file/file.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Runs that include this process: of its ancestors, or of its last image. */
static uint64_t runs[TBUF_NSESSIONS] TBUF_FORKED;
static unsigned nruns TBUF_FORKED;

/*
 * The board that tbuf_wanted_child() has mapped, for the child's sessions: to
 * map it once more takes 6 us of a forked child's 300.  NULL: none.
 */
static struct tbuf_board *child_board TBUF_FORKED;
static bool child_ticks TBUF_FORKED;	/* of the entry that wants the child */

#define GENERATIONS	16

/* Sessions up to this size do not look at free memory first. */
#define LITTLE		(2u << 20)

static bool
run_followed(uint64_t run)
{
	unsigned i;

	for (i = 0; i < nruns; i++)
		if (runs[i] == run)
			return (true);
	return (false);
}

/* Returns the run in the environment, which a command's descendants inherit. */
static uint64_t
run_of_command(void)
{
	const char *text = secure_getenv(TBUF_RUN_ENV);

	return (text == NULL ? 0 : tbuf_digits_read(&text, 16));
}

/* Returns true if the entry by itself includes this process. */
static bool
entry_says(const struct tbuf_board_entry *entry, uint64_t run)
{
	uint32_t flags = tbuf_load(&entry->flags);

	return ((flags & TBUF_BOARD_ALL) != 0 ||
	    ((flags & TBUF_BOARD_FOLLOW) != 0 && run == run_of_command()));
}

/* Returns true if this process has to build the entry's session. */
static bool
entry_wanted(const struct tbuf_board *board, int fd, unsigned i)
{
	const struct tbuf_board_entry *entry = &board->entries[i];
	uint64_t run = tbuf_load_acquire(&entry->run);

	return (run != 0 && (entry_says(entry, run) || run_followed(run)) &&
	    tbuf_board_alive(fd, i));
}

/* Returns true if files of this process and its ancestors decide. */
static bool
entry_open(const struct tbuf_board_entry *entry)
{
	uint64_t run = tbuf_load_acquire(&entry->run);

	return (run != 0 && !entry_says(entry, run));
}

/* Reads each field once: another process can change it at any time. */
static void
order_read(const struct tbuf_board_entry *entry, struct tbuf_order *order)
{
	/*
	 * Static: a handler may fork on a small stack.  One thread at a time
	 * runs this.
	 */
	static struct tbuf_affinity set;

	memset(order, 0, sizeof(*order));
	tbuf_terms_read(&entry->terms, &order->terms);
	order->rseq = tbuf_self.rseq;
	order->entries = tbuf_self.tables.entries;
	order->patterns = entry->patterns;
	order->patterns_size = tbuf_load(&entry->patterns_size);
	order->npatterns = tbuf_load(&entry->npatterns);
	if (order->patterns_size > TBUF_BOARD_PATTERNS)
		order->patterns_size = TBUF_BOARD_PATTERNS;
	if (order->npatterns > order->patterns_size)
		order->npatterns = order->patterns_size;
	if (tbuf_affinity_get(0, &set))
		tbuf_affinity_add(&set, &order->cpus);
}

/* Returns why this process cannot do as the order needs, or NULL. */
static const char *
order_refused(const struct tbuf_order *order)
{
	if (tbuf_flags_lack(tbuf_file_flags(), order->terms.needs) != 0)
		return ("its libtbuf lacks a feature this session needs");
	if (order->terms.only_cpu >= 0 && !order->rseq &&
	    !tbuf_self.cpu_readable)
		return ("it cannot determine its CPU (-x cpu)");
	return (NULL);
}

/*
 * Returns the largest size of the file open as fd.  The consumer's budget fits
 * the consumer; this process is charged for its memory, and has limits and a
 * window of its own.  A process that takes `little' does not check the memory
 * of the system and its cgroups, which would cost a short program more than
 * the session itself: the consumer checks before it backs more.
 */
static uint64_t
file_limit(int fd, uint64_t size, bool little)
{
	uint64_t room = (little ? tbuf_room_files(fd) : tbuf_room(fd)) / 2;
	uint64_t limit = tbuf_room_file();

	if (limit > tbuf_self.window)
		limit = tbuf_self.window;
	return (limit > size && limit - size > room ? size + room : limit);
}

/*
 * Takes the space of a session at `area' from the consumer's budget; with
 * `auto' halves bufsize until it fits.  A session that can be smaller takes a
 * quarter at most: others may start before the space of ended ones is free
 * again.
 */
static bool
budget_take(struct tbuf_board_entry *entry, struct tbuf_order *order,
    struct tbuf_area *layout, uint64_t area, uint64_t limit)
{
	bool smaller = (tbuf_load(&entry->flags) & TBUF_BOARD_AUTO) != 0;
	uint64_t left, share;
	int error;

	for (;; order->terms.bufsize /= 2) {
		error = tbuf_area_make(order, layout);
		if (error != 0 && error != -ENOSPC)
			break;
		while (error == 0) {
			left = tbuf_load(&entry->budget);
			share = smaller && order->terms.bufsize / 2 >=
			    TBUF_BUFSIZE_MIN ? left / 4 : left;
			if (layout->storage > share ||
			    area + layout->size > limit)
				break;
			if (tbuf_cas(&entry->budget, left,
			    left - layout->storage))
				return (true);
		}
		if (!smaller)
			break;
	}
	return (false);
}

/*
 * Backs the session's tables; other ranges read as zero, as they are after the
 * file's former end.  The storage is backed after the lanes are built.
 */
static bool
session_back(int fd, unsigned slot, uint64_t area,
    const struct tbuf_area *layout)
{
	return (ftruncate(fd, (off_t)(area + layout->size)) == 0 &&
	    tbuf_back(fd, TBUF_SLOTS + slot * (uint64_t)TBUF_SLOT_SIZE,
	    TBUF_SLOT_SIZE) == 0 && tbuf_back(fd, area, layout->heads) == 0 &&
	    (layout->holders == 0 || tbuf_back(fd, area + layout->holders,
	    layout->words_end - layout->holders) == 0));
}

/*
 * Backs storage.  The first piece needs no check: budget_take() takes at most
 * half of the free memory (file_limit()).
 */
static bool
storage_back(int fd, uint64_t at, uint64_t size)
{
	uint64_t first = size < TBUF_ROOM_PIECE ? size : TBUF_ROOM_PIECE;

	return (tbuf_back(fd, at, first) == 0 &&
	    tbuf_room_back(fd, at + first, size - first) == 0);
}

static bool
grows(const struct tbuf_terms *terms)
{
	return ((terms->flags & TBUF_S_GROW) != 0 &&
	    tbuf_policy(terms->policy)->live);
}

/* Returns this program's usual bytes in a run. */
static struct tbuf_usage
usage_of(const uint64_t *usage, uint64_t run)
{
	return (tbuf_usage_look(usage, run, tbuf_file.sign->comm));
}

/* Returns true if this process will probably write to the lane. */
static bool
lane_likely(const struct tbuf_lane *lane)
{
	return (lane->kind == TBUF_KIND_LOCK ? !tbuf_self.rseq :
	    (int)lane->cpu == sched_getcpu());
}

/*
 * Returns how many bytes of a lane's first half to back now; a consumer backs
 * the rest as it is needed.  This process may end soon; its consumer checks
 * after a millisecond.  A lane that is seldom written, a lock lane beside CPU
 * lanes, gets the program's usual size, if that is known; it is a small lane.
 */
static uint64_t
lane_first(const struct tbuf_lane *lane, const struct tbuf_usage *usual)
{
	uint64_t first = usual->first;

	if (lane_likely(lane))
		first = lane->kind == TBUF_KIND_LOCK ? lane->size : usual->own;
	else if (lane->kind != TBUF_KIND_LOCK && first > TBUF_USAGE_OTHERS)
		first = TBUF_USAGE_OTHERS;
	return (first < lane->size ? first : lane->size);
}

/* Returns the bytes of a lane's first table, at most `whole`. */
static uint64_t
table_first(const struct tbuf_lane *lane, const struct tbuf_usage *usual,
    uint64_t whole)
{
	uint64_t first = TBUF_USAGE_LEAST;

	if (usual->first > whole)
		return (whole);
	if (lane_likely(lane))
		first = usual->own > TBUF_USAGE_OWN_TABLE / 2 ?
		    2 * usual->own : TBUF_USAGE_OWN_TABLE;
	else if (lane->kind != TBUF_KIND_LOCK)
		first = usual->first + TBUF_USAGE_TABLE;
	first = tbuf_table_bytes(first);
	return (first < whole ? first : whole);
}

/* Backs the first tables of a known program: they may be small. */
static bool
tables_back(struct tbuf_lane *lanes, int fd, const struct tbuf_area *layout,
    const struct tbuf_usage *usual)
{
	uint64_t at, first;
	uint32_t i;

	for (i = 0; i < layout->nmain; i++) {
		at = tbuf_place_offset(lanes[i].table[0]);
		first = table_first(&lanes[i], usual,
		    tbuf_place_storage(lanes[i].table[0]));
		lanes[i].table[0] = tbuf_place(at, first);
		if (!storage_back(fd, at, first))
			return (false);
	}
	return (true);
}

/* Backs the storage of a session that is not published yet. */
static bool
lanes_back(const struct tbuf_view *view, int fd, uint64_t area,
    const struct tbuf_order *order, const struct tbuf_area *layout,
    const uint64_t *usage)
{
	struct tbuf_lane *lanes = (struct tbuf_lane *)(void *)(view->base +
	    area + layout->lanes);
	struct tbuf_usage usual = { UINT64_MAX, UINT64_MAX }, tables = usual;
	uint64_t zeroes = layout->zeroes, end = layout->data + layout->storage;
	uint32_t i;

	if (!grows(&order->terms))
		return (storage_back(fd, area + layout->data, layout->storage));
	if (usage != NULL) {
		usual = usage_of(usage, order->terms.run);
		tables = usage_of(usage, TBUF_USAGE_TABLES(order->terms.run));
	}
	for (i = 0; i < layout->nlanes; i++) {
		lanes[i].limit = lane_first(&lanes[i], &usual);
		if (!storage_back(fd, tbuf_place_offset(lanes[i].place),
		    lanes[i].limit))
			return (false);
	}
	if (layout->tables[0] != 0) {
		zeroes = layout->tables_end;
		if (!tables_back(lanes, fd, layout, &tables))
			return (false);
	}
	return (zeroes == 0 || zeroes >= end ||
	    storage_back(fd, area + zeroes, end - zeroes));
}

static int
back_page(void *argument, uint64_t offset, uint64_t length)
{
	return (tbuf_back(*(const int *)argument, offset, length));
}

/*
 * Matches probes that exist already, as in a forked child, with the copy of the
 * patterns in this file.
 */
static void
session_match(const struct tbuf_view *view, int fd, unsigned slot,
    uint64_t patterns, const struct tbuf_order *order)
{
	/* Static, as in order_read(). */
	static struct tbuf_names_copy copy;
	static struct tbuf_backing backing;
	uint32_t i, n = tbuf_load(&tbuf_view_control(view)->nprobes);

	backing = (struct tbuf_backing){ .back = back_page, .argument = &fd };
	for (i = 0; i < n && i < view->tables.entries; i++)
		if (tbuf_load_acquire(&tbuf_view_probe(view, i)->ready) == 1)
			tbuf_match_next(view, slot, i, &copy,
			    (const char *)view->base + patterns,
			    order->patterns_size, order->npatterns, &backing);
}

/* Returns false if the entry has changed hands while it was read. */
static bool
entry_same(const struct tbuf_board_entry *entry, uint64_t run)
{
	tbuf_fence_loads();
	return (tbuf_load(&entry->run) == run);
}

/* Reads an entry's order.  Returns false if it is not one consumer's. */
static bool
order_take(const struct tbuf_board_entry *entry, struct tbuf_order *order)
{
	uint64_t run = tbuf_load_acquire(&entry->run);

	order_read(entry, order);
	return (run != 0 && entry_same(entry, run) &&
	    order->terms.run == run);
}

/* A run's script and table on the board, while a session is built. */
struct script {
	int fd;				/* -1: there are none */
	struct tbuf_programs programs;
	const uint64_t *usage;		/* the board's table, or NULL */
};

/* Opens a run's programs.  Returns 0, or a negative error. */
static int
script_open(int dirfd, const struct tbuf_board_entry *entry,
    struct tbuf_order *order, struct script *script)
{
	script->fd = tbuf_programs_open(dirfd, entry, order->terms.run,
	    &script->programs);
	if (script->fd < 0)
		return (script->fd == -ENOENT &&
		    tbuf_load(&entry->programs) == 0 ? 0 : script->fd);
	tbuf_programs_order(&script->programs, order);
	return (0);
}

/* Copies the script's parts; from now on they are the session's own. */
static bool
script_copy(const struct script *script, const struct tbuf_view *view,
    uint64_t area, const struct tbuf_area *layout)
{
	const struct tbuf_control *control = tbuf_view_control(view);
	struct tbuf_codes *codes = (struct tbuf_codes *)(void *)
	    (view->base + area + layout->parts[TBUF_PART_CODES]);
	unsigned i;

	if (script->fd < 0 || layout->parts[TBUF_PART_CODES] == 0)
		return (true);
	for (i = 0; i < TBUF_PARTS; i++)
		if (!tbuf_programs_read(script->fd,
		    &script->programs.parts[i],
		    view->base + area + layout->parts[i]))
			return (false);
	if (script->programs.parts[TBUF_PART_CODES].size >= sizeof(*codes))
		codes->base = control->birth;
	return (true);
}

/*
 * Builds a planned session.  Returns false if that fails, or the entry's run
 * has changed.
 */
static bool
session_write(int fd, unsigned number, uint64_t area,
    const struct tbuf_board_entry *entry, const struct tbuf_order *order,
    const struct tbuf_area *layout, const struct script *script)
{
	struct tbuf_view view = { NULL, area + layout->size, tbuf_self.tables };
	struct tbuf_control *control;
	struct tbuf_slot *slot;
	uint64_t wait;
	bool built;

	view.base = tbuf_file.mapped ? tbuf_file.base : mmap(NULL, view.size,
	    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (view.base == MAP_FAILED)
		return (false);
	control = tbuf_view_control(&view);
	slot = tbuf_view_slot(&view, number);
	built = script_copy(script, &view, area, layout) &&
	    tbuf_session_build(&view, number, area,
	    ++control->generation, order, layout) == 0 &&
	    lanes_back(&view, fd, area, order, layout, script->usage);
	if (built)
		tbuf_session_elements(&view, area, order, layout,
		    view.base + area + layout->dynamic);
	slot->area_size = layout->size;
	/* For a consumer that dies before it finds the session. */
	wait = tbuf_load(&entry->deadline);
	slot->deadline = wait == 0 ? 0 :
	    tbuf_clock_read(tbuf_self.clock) + wait;
	/* All of the entry has been read by now, with the patterns. */
	built = built && entry_same(entry, order->terms.run);
	if (built) {
		tbuf_store(&control->end, view.size);
		tbuf_store_release(&control->state[number], TBUF_ACTIVE);
		/*
		 * Fence B [inv.attach]: a recorder begins while other threads
		 * run.
		 */
		tbuf_fence();
		session_match(&view, fd, number, area + layout->patterns,
		    order);
	} else {
		slot->generation = 0;
		slot->turn = 0;
	}
	if (!tbuf_file.mapped)
		munmap(view.base, view.size);
	return (built);
}

/*
 * Returns true if a session takes little memory: its lanes grow, the program is
 * known to need little of them and of tables, and there is nothing else.
 */
static bool
takes_little(const struct tbuf_order *order, const struct script *script)
{
	uint64_t first = LITTLE / (tbuf_cpus_count(&order->cpus) + 1);

	return (script->usage != NULL && grows(&order->terms) &&
	    order->blocks == 0 && order->dynamic == 0 && order->nspec == 0 &&
	    usage_of(script->usage, order->terms.run).first <= first &&
	    (order->aggsize == 0 || usage_of(script->usage,
	    TBUF_USAGE_TABLES(order->terms.run)).first <= first));
}

/* Builds a session at `area', from a complete order; the file ends after it. */
static bool
session_place(int fd, uint64_t area, unsigned number,
    struct tbuf_board_entry *entry, struct tbuf_order *order,
    struct tbuf_area *layout, const struct script *script)
{
	bool little = takes_little(order, script);

	if (!budget_take(entry, order, layout, area,
	    file_limit(fd, area, little)))
		return (false);
	if (session_back(fd, number, area, layout) &&
	    session_write(fd, number, area, entry, order, layout, script))
		return (true);
	(void)!ftruncate(fd, (off_t)area);
	tbuf_add(&entry->budget, layout->storage);
	return (false);
}

/* Builds a session with its programs.  Returns NULL, or why not. */
static const char *
session_build(int dirfd, int fd, unsigned number, struct tbuf_board *board,
    struct tbuf_board_entry *entry, struct tbuf_order *order)
{
	struct script script = { .usage = board->usage };
	uint64_t area = tbuf_load(&tbuf_file.sign->end);
	struct tbuf_area layout;
	const char *why = order_refused(order);
	bool added;

	if (why != NULL)
		return (why);
	/* A file that another process has made may say anything. */
	if (area % TBUF_PAGE != 0 || area < tbuf_self.tables.areas ||
	    area > tbuf_self.window)
		return ("its file is damaged");
	if (script_open(dirfd, entry, order, &script) != 0)
		return ("its programs cannot be read");
	/* A spare that is not named yet may be larger than its contents. */
	added = session_place(fd, area, number, entry, order, &layout,
	    &script);
	if (script.fd >= 0)
		close(script.fd);
	return (added ? NULL : "not enough space");
}

/*
 * Builds one session at the file's end.  Returns false if there is no room, or
 * the entry is not wanted any more.
 */
static bool
session_add(int dirfd, int fd, unsigned number, struct tbuf_board *board,
    unsigned i)
{
	struct tbuf_board_entry *entry = &board->entries[i];
	struct tbuf_order order;
	const char *why;

	if (!order_take(entry, &order) || order.npatterns == 0)
		return (false);
	why = session_build(dirfd, fd, number, board, entry, &order);
	/* Report the reason to the entry's consumer. */
	if (why != NULL && tbuf_load(&entry->run) == order.terms.run)
		tbuf_board_tell(board, i, why);
	return (why == NULL);
}

/* Returns how much more room a session needs: twice the missing bytes. */
static uint64_t
room_lacking(int fd, const struct tbuf_area *layout)
{
	uint64_t limit;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return (0);
	limit = file_limit(fd, (uint64_t)st.st_size, false);
	return ((uint64_t)st.st_size + layout->size <= limit ? 0 :
	    2 * ((uint64_t)st.st_size + layout->size - limit));
}

const char *
tbuf_wanted_own(int fd, unsigned number, struct tbuf_board_entry *entry,
    uint64_t *lacking)
{
	const struct script none = { .fd = -1 };
	struct tbuf_area layout = { .size = 0 };
	struct tbuf_order order;
	const char *why;
	struct stat st;

	order_read(entry, &order);
	if ((why = order_refused(&order)) != NULL)
		return (why);
	if (fstat(fd, &st) == 0 && session_place(fd, (uint64_t)st.st_size,
	    number, entry, &order, &layout, &none))
		return (NULL);
	*lacking = room_lacking(fd, &layout);
	return ("not enough space");
}

/* This process, its parent, and so on. */
struct line {
	pid_t pids[GENERATIONS];
	unsigned count;
};

/*
 * Adds the runs of a file.  Of this process's own file, from before exec(2),
 * all runs continue.  Of an ancestor's, those that follow children: a child may
 * have been executed without a handler in it, as after vfork(2).
 */
static void
runs_inherit(int dirfd, const char *name, void *argument)
{
	const struct line *line = argument;
	uint64_t found[TBUF_NSESSIONS], random, run;
	struct tbuf_control control;
	unsigned slot, n, nfound = 0;
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
	    tbuf_control_check(&control, INT64_MAX) == 0)
		for (slot = 0; slot < TBUF_NSESSIONS; slot++) {
			run = tbuf_board_run(fd, &control, slot,
			    n > 0 ? TBUF_S_FOLLOW : 0);
			if (run != 0 && control.state[slot] == TBUF_ACTIVE)
				found[nfound++] = run;
		}
	close(fd);
	if (nfound == 0 || control.start != tbuf_start_time(pid))
		return;
	for (n = 0; n < nfound && nruns < TBUF_NSESSIONS; n++)
		runs[nruns++] = found[n];
}

static void
runs_look(int dirfd)
{
	struct line line;
	pid_t pid = getpid();

	for (line.count = 0; line.count < GENERATIONS && pid > 0;
	    pid = tbuf_parent(pid))
		line.pids[line.count++] = pid;
	tbuf_control_each(dirfd, runs_inherit, &line);
}

/*
 * Returns the board if an entry may include this process; *fd is its
 * descriptor, or -1.
 */
static struct tbuf_board *
board_look(int dirfd, int *fd)
{
	struct tbuf_board *board = child_board;
	bool look = false;
	unsigned i, n;

	child_board = NULL;
	if (*fd == TBUF_BOARD_CLOSED)
		*fd = tbuf_board_file(dirfd);
	if (board == NULL)
		board = tbuf_board_look(*fd);
	n = board == NULL ? 0 : tbuf_board_used(board);
	for (i = 0; i < n && !look; i++)
		look = entry_open(&board->entries[i]);
	if (!look || nruns != 0)
		return (board);
	/* The search opens files: few descriptors may be free. */
	tbuf_board_close(board, *fd);
	runs_look(dirfd);
	*fd = tbuf_board_file(dirfd);
	return (tbuf_board_look(*fd));
}

int
tbuf_wanted_slot(int fd, const struct tbuf_control *control)
{
	uint64_t area;
	int i;

	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_load_acquire(&control->state[i]) == TBUF_FREE &&
		    pread(fd, &area, sizeof(area), (off_t)(TBUF_SLOTS +
		    i * (off_t)TBUF_SLOT_SIZE +
		    (off_t)offsetof(struct tbuf_slot, area))) ==
		    (ssize_t)sizeof(area) && area == 0)
			return (i);
	return (-1);
}

/* Returns true if a session of the file is the run's. */
static bool
has_session(int fd, uint64_t run)
{
	unsigned i;

	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_board_run(fd, tbuf_file.sign, i, 0) == run)
			return (true);
	return (false);
}

/* Builds one session beside others.  The lock excludes their consumers. */
static bool
session_join(int dirfd, int fd, struct tbuf_board *board, unsigned i)
{
	bool built = false;
	int number;

	if (has_session(fd, tbuf_load(&board->entries[i].run)) ||
	    tbuf_file_lock_wait(fd) != 0)
		return (false);
	number = tbuf_wanted_slot(fd, tbuf_file.sign);
	if (number != -1)
		built = session_add(dirfd, fd, (unsigned)number, board, i);
	tbuf_file_unlock(fd, 0);
	return (built);
}

unsigned
tbuf_wanted_build(int dirfd, int *board_fd, int fd, bool joins)
{
	struct tbuf_board *board = board_look(dirfd, board_fd);
	unsigned i, number = 0;

	if (board == NULL)
		return (0);
	for (i = 0; i < tbuf_board_used(board); i++)
		if (entry_wanted(board, *board_fd, i) && (joins ?
		    session_join(dirfd, fd, board, i) :
		    session_add(dirfd, fd, number, board, i)))
			number++;
	tbuf_board_unmap(board);
	return (number);
}

void
tbuf_wanted_missed(const char *why)
{
	struct tbuf_board *board;
	int dirfd, fd;
	unsigned i;

	/* A setuid program's directory is not that of the invoking user. */
	if (getauxval(AT_SECURE) != 0 ||
	    (dirfd = tbuf_directory_open_kept(false)) < 0)
		return;
	fd = tbuf_board_file(dirfd);
	if ((board = board_look(dirfd, &fd)) != NULL) {
		for (i = 0; i < tbuf_board_used(board); i++)
			if (entry_wanted(board, fd, i))
				tbuf_board_tell(board, i, why);
		tbuf_board_unmap(board);
	}
	if (fd != -1)
		close(fd);
	close(dirfd);
}

/*
 * Stores the runs of the parent's sessions that follow children, while its file
 * is still mapped, and returns their number.  If the child is not traced
 * (`missed'), counts it in the slots.
 */
static unsigned
runs_read(uint64_t *found, bool missed)
{
	const struct tbuf_view view = tbuf_file_view();
	const struct tbuf_control *control = tbuf_view_control(&view);
	const struct tbuf_terms *terms;
	struct tbuf_slot *slot;
	unsigned i, n = 0;

	for (i = 0; i < TBUF_NSESSIONS; i++) {
		if (tbuf_load_acquire(&control->state[i]) != TBUF_ACTIVE)
			continue;
		slot = tbuf_view_slot(&view, i);
		terms = &slot->terms;
		if ((tbuf_load(&terms->flags) & TBUF_S_FOLLOW) == 0)
			continue;
		found[n++] = tbuf_load(&terms->run);
		if (missed)
			tbuf_add(&slot->children, 1);
	}
	return (n);
}

/*
 * Of a fork that was noticed, tbuf_file_forked() has cleared `sign'.  While the
 * thread makes a target, the library's own system calls may fire.  The kernel
 * wipes the page with `counted', so that each child's own child is counted,
 * too. A process that has a `sign' has that page.
 */
void
tbuf_wanted_unnoticed(void)
{
	uint32_t *counted = (uint32_t *)(uintptr_t)&tbuf_local->counted;
	uint64_t found[TBUF_NSESSIONS];

	if (tbuf_file.sign != NULL && !tbuf_thread.forks &&
	    tbuf_thread.busy == 0 && tbuf_cas(counted, 0, 1))
		(void)runs_read(found, true);
}

bool
tbuf_wanted_child(int fd)
{
	struct tbuf_board *board = fd < 0 ? NULL : tbuf_board_map(fd);
	bool wanted = false;
	unsigned i;

	child_ticks = false;
	nruns = runs_read(runs, board == NULL);
	if (board == NULL)
		return (false);
	for (i = 0; i < tbuf_board_used(board) && !wanted; i++) {
		wanted = entry_wanted(board, fd, i);
		child_ticks = wanted && tbuf_load(&board->entries[i].ticks) ==
		    1;
	}
	if (wanted)
		child_board = board;
	else
		tbuf_board_unmap(board);
	return (wanted);
}

bool
tbuf_wanted_ticks(void)
{
	return (child_ticks);
}
