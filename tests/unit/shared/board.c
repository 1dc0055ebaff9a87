/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target builds the session that an entry of the board describes, while the
 * entry passes from one consumer to another.  The code under test is included
 * here, so that the entry can change hands at each of its steps.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_affinity.h"
#include "lib/scratch.h"
#include "shared/board.h"
#include "shared/control_file.h"
#include "shared/memory_limit.h"
#include "target/file/file.h"

/* The steps at which the entry may change hands. */
enum moment {
	ORDER_READ,		/* most of the order, but not all */
	SPACE_TAKEN,
	BUILDING,
	BUILT,
	NEVER
};

static void	moment(enum moment);

#define tbuf_affinity_get(pid, set)					\
	(moment(ORDER_READ), tbuf_affinity_get(pid, set))
#define tbuf_back(fd, offset, length)					\
	(moment(SPACE_TAKEN), tbuf_back(fd, offset, length))
#define tbuf_session_build(...) __extension__ ({			\
	int built_;							\
	moment(BUILDING);						\
	built_ = tbuf_session_build(__VA_ARGS__);			\
	moment(BUILT);							\
	built_;								\
})
#include "target/file/build_sessions.c"
#include "lib/check_main.h"
#include "lib/interposed_syscall.h"

static char directory[64];
static struct tbuf_board *board;
static struct tbuf_view view;
static int there, board_fd, file;
static enum moment change;
static const cpu_set_t *moving;

static void
order_write(struct tbuf_board_entry *entry, uint64_t run, const char *pattern)
{
	tbuf_store(&entry->run, 0);
	entry->budget = 1 << 20;
	entry->terms.bufsize = run * 4096;
	entry->flags = TBUF_BOARD_ALL;
	entry->terms.run = run;
	entry->terms.policy = run == 1 ? TBUF_SWITCH : TBUF_RING;
	entry->terms.strsize = 256;
	entry->terms.only_cpu = -1;
	entry->terms.flags = TBUF_S_FOLLOW;
	entry->terms.owner_pid = 3;
	entry->terms.owner_uid = 4;
	strcpy(entry->terms.owner, "check");
	entry->npatterns = 1;
	entry->patterns_size = (uint32_t)strlen(pattern) + 1;
	strcpy(entry->patterns, pattern);
	tbuf_store_release(&entry->run, run);
}

static void
moment(enum moment now)
{
	if (now == change)
		order_write(&board->entries[0], 2, "second:::");
	/* The target has read its affinity; now it is bound to one CPU. */
	if (now == SPACE_TAKEN && moving != NULL)
		ck_assert_int_eq(sched_setaffinity(0, sizeof(*moving),
		    moving), 0);
}

static void
board_make(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
	    .l_start = 1, .l_len = 1 };

	board_fd = openat(there, TBUF_BOARD_NAME, O_RDWR | O_CREAT | O_EXCL,
	    0600);
	ck_assert_int_ne(board_fd, -1);
	ck_assert_int_eq(ftruncate(board_fd, sizeof(*board)), 0);
	ck_assert_int_eq(fcntl(board_fd, F_OFD_SETLK, &lock), 0);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED,
	    board_fd, 0);
	ck_assert_ptr_ne(board, MAP_FAILED);
	memcpy(board->head.magic, TBUF_BOARD_MAGIC, sizeof(board->head.magic));
	board->head.major = TBUF_MAJOR;
	board->head.entry_size = sizeof(struct tbuf_board_entry);
	board->head.used = 1;
}

/* Builds the wanted sessions, as a program that starts does. */
static void
build(void)
{
	int fd = tbuf_board_file(there);

	(void)tbuf_wanted_build(there, &fd, file, false);
	ck_assert_int_ne(fd, -1);
	close(fd);
}

static void
set_up(void)
{
	scratch_directory(directory, sizeof(directory));
	there = open(directory, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ne(there, -1);
	board_make();
	file = openat(there, "file", O_RDWR | O_CREAT | O_EXCL, 0600);
	ck_assert_int_ne(file, -1);
	ck_assert_int_eq(ftruncate(file, tbuf_tables_least()), 0);
	tbuf_tables_make(0, UINT64_MAX, &tbuf_self.tables);
	view.tables = tbuf_self.tables;
	view.size = view.tables.areas;
	view.base = mmap(NULL, view.size, PROT_READ | PROT_WRITE, MAP_SHARED,
	    file, 0);
	ck_assert_ptr_ne(view.base, MAP_FAILED);
	tbuf_file.sign = tbuf_view_control(&view);
	tbuf_control_fill(tbuf_view_control(&view), &view.tables, geteuid(),
	    getpid(), 1, tbuf_pid_namespace(0), 1);
	tbuf_self.window = UINT64_C(1) << 30;
	order_write(&board->entries[0], 1, "first:::");
}

static void
tear_down(void)
{
	scratch_remove(directory);
}

START_TEST(an_order_is_built_as_it_stands_on_the_board)
{
	struct tbuf_session session;
	char pattern[6];

	change = NEVER;
	build();
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_ACTIVE);
	ck_assert_int_eq(pread(file, &session, sizeof(session),
	    (off_t)tbuf_view_slot(&view, 0)->area), sizeof(session));
	ck_assert_mem_eq(&tbuf_view_slot(&view, 0)->terms,
	    &board->entries[0].terms, sizeof(struct tbuf_terms));
	ck_assert_int_eq(pread(file, pattern, sizeof(pattern),
	    (off_t)session.patterns), sizeof(pattern));
	ck_assert_mem_eq(pattern, "first:", sizeof(pattern));
}
END_TEST

/* The file of a command has its consumer's session; others' come after it. */
START_TEST(a_file_with_a_session_gets_those_that_it_lacks)
{
	struct tbuf_control *control = tbuf_view_control(&view);
	const struct tbuf_slot *first = tbuf_view_slot(&view, 0), *second =
	    tbuf_view_slot(&view, 1);
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
	    .l_start = 1 + 1, .l_len = 1 };
	int fd = tbuf_board_file(there);

	change = NEVER;
	build();
	ck_assert_uint_eq(control->state[0], TBUF_ACTIVE);
	ck_assert_uint_eq(tbuf_wanted_build(there, &fd, file, true), 0);
	ck_assert_int_eq(fcntl(board_fd, F_OFD_SETLK, &lock), 0);
	order_write(&board->entries[1], 2, "second:::");
	board->head.used = 2;
	ck_assert_uint_eq(tbuf_wanted_build(there, &fd, file, true), 1);
	ck_assert_uint_eq(control->state[1], TBUF_ACTIVE);
	ck_assert_uint_eq(second->terms.run, 2);
	ck_assert_uint_eq(second->area, first->area + first->area_size);
	ck_assert_uint_eq(control->end, second->area + second->area_size);
	ck_assert_uint_eq(tbuf_wanted_build(there, &fd, file, true), 0);
	ck_assert_uint_eq(control->state[2], TBUF_FREE);
	close(fd);
}
END_TEST

/* Returns true if the sixth entry's session is built with `used` entries. */
static bool
is_sixth_built(uint32_t used)
{
	uint32_t *state = &tbuf_view_control(&view)->state[0];

	board->head.used = used;
	*state = TBUF_INACTIVE;
	build();
	return (*state == TBUF_ACTIVE);
}

/* All used entries are examined; a senseless number excludes none. */
START_TEST(entries_that_were_ever_taken_are_looked_at)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
	    .l_start = 1 + 5, .l_len = 1 };

	change = NEVER;
	ck_assert_int_eq(fcntl(board_fd, F_OFD_SETLK, &lock), 0);
	board->entries[0].run = 0;
	order_write(&board->entries[5], 6, "sixth:::");
	ck_assert(is_sixth_built(6));
	ck_assert(is_sixth_built(UINT32_MAX));
	ck_assert(!is_sixth_built(5));
	/* An entry of an ended run does not hide the entries after it. */
	order_write(&board->entries[0], 0, "first:::");
	ck_assert(is_sixth_built(TBUF_BOARD_ENTRIES));
}
END_TEST

/* Any reason would make a consumer that lists probes report that none exist. */
START_TEST(an_entry_that_asks_for_nothing_is_told_nothing)
{
	struct tbuf_board_entry *entry = &board->entries[0];

	change = NEVER;
	entry->npatterns = 0;
	entry->patterns_size = 0;
	build();
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_FREE);
	ck_assert_uint_eq(entry->reasons[0].place, TBUF_BOARD_VACANT);
	ck_assert_uint_eq(entry->others, 0);
}
END_TEST

/* Lets the kernel look like one that was built for 4,096 CPUs. */
static bool large;

static bool
syscall_answer(long number, const long a[6], long *result)
{
	if (number != SYS_sched_getaffinity || !large || a[1] * 8 >= 4096)
		return (false);
	errno = EINVAL;
	*result = -1;
	return (true);
}

START_TEST(a_machine_for_many_cpus_has_a_lane_for_each)
{
	const struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	large = true;
	change = NEVER;
	tbuf_self.rseq = true;
	build();
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_ACTIVE);
	ck_assert_int_eq((int)slot->ncpus, CPU_COUNT(&set));
}
END_TEST

/* Builds a session with lanes that can grow.  Returns the CPU it ran on. */
static int
build_growing(void)
{
	struct tbuf_board_entry *entry = &board->entries[0];
	static cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	change = NEVER;
	entry->budget = UINT64_C(1) << 32;
	entry->terms.bufsize = 1 << 20;
	entry->terms.flags |= TBUF_S_GROW;
	tbuf_self.rseq = true;
	moving = &one;
	build();
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_ACTIVE);
	return (cpu);
}

/*
 * Checks the limits of the lanes: of this CPU's, the other CPUs', and the lock
 * lanes.  A lane that is smaller has its size as limit.  Returns the sum.
 */
static uint64_t
check_limits(int cpu, uint64_t own, uint64_t other, uint64_t lock)
{
	const struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	struct tbuf_lane lane;
	uint64_t expected, sum = 0;
	uint32_t i;

	for (i = 0; i < slot->nlanes; i++) {
		ck_assert_int_eq(pread(file, &lane, sizeof(lane),
		    (off_t)(slot->lanes + i * sizeof(lane))), sizeof(lane));
		expected = lane.kind == TBUF_KIND_LOCK ? lock :
		    (int)lane.cpu == cpu ? own : other;
		ck_assert_uint_eq(lane.limit, expected < lane.size ?
		    expected : lane.size);
		sum += lane.limit;
	}
	return (sum);
}

/* This CPU's lane gets one half, the others less, and none gets both halves. */
START_TEST(lanes_that_can_grow_are_small_at_first)
{
	const struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	struct stat before, after;
	uint64_t first;

	ck_assert_int_eq(fstat(file, &before), 0);
	first = check_limits(build_growing(), 1 << 20, 262144, UINT64_MAX);
	ck_assert_int_eq(fstat(file, &after), 0);
	ck_assert_uint_eq((uint64_t)after.st_size,
	    slot->area + slot->area_size);
	/* The slot and the bytes before the heads are allocated, too. */
	ck_assert_uint_ge((uint64_t)(after.st_blocks - before.st_blocks) * 512,
	    first);
	ck_assert_uint_lt((uint64_t)(after.st_blocks - before.st_blocks) * 512,
	    first + 65536);
}
END_TEST

static const struct {
	unsigned lives;
	uint64_t used;
	uint64_t run;
	uint64_t own, other, lock;	/* limits; at most a lane's size */
} usages[] = {
	{ 0, 100, 1, 1 << 20, 262144, UINT64_MAX },
	{ 1, 100, 1, 1 << 20, 65536, UINT64_MAX },
	{ 2, 100, 1, 524288, 32768, 32768 },
	{ 3, 100, 1, 262144, 16384, 16384 },
	{ 3, 2048, 1, 262144, 32768, 32768 },
	{ TBUF_USAGE_LIVES, 100, 1, TBUF_USAGE_MIN, TBUF_USAGE_LEAST,
	    TBUF_USAGE_LEAST },
	{ TBUF_USAGE_LIVES, 0, 1, TBUF_USAGE_MIN, TBUF_USAGE_LEAST,
	    TBUF_USAGE_LEAST },
	{ TBUF_USAGE_LIVES, 2048, 1, TBUF_USAGE_MIN, 32768, 32768 },
	{ TBUF_USAGE_WELL - 1, 100, 1, TBUF_USAGE_MIN, TBUF_USAGE_LEAST,
	    TBUF_USAGE_LEAST },
	{ TBUF_USAGE_WELL, 100, 1, TBUF_USAGE_MIN_WELL, TBUF_USAGE_LEAST,
	    TBUF_USAGE_LEAST },
	{ 9 * TBUF_USAGE_WELL, 2048, 1, 32768, 32768, 32768 },
	{ 9 * TBUF_USAGE_LIVES, 8192, 1, 131072, 131072, UINT64_MAX },
	{ TBUF_USAGE_LIVES, 8193, 1, 262144, 262144, UINT64_MAX },
	{ TBUF_USAGE_LIVES, 16385, 1, 524288, 262144, UINT64_MAX },
	{ TBUF_USAGE_LIVES, 1 << 20, 1, 1 << 20, 262144, UINT64_MAX },
	{ TBUF_USAGE_LIVES, UINT64_MAX, 1, 1 << 20, 262144, UINT64_MAX },
	{ TBUF_USAGE_LIVES, 100, 2, 1 << 20, 262144, UINT64_MAX },
};

/* Limits follow the program's greatest use in this run's earlier processes. */
START_TEST(lanes_are_as_small_as_the_program_can_do_with)
{
	struct tbuf_control *control = tbuf_view_control(&view);
	unsigned i;

	/* The name fills its field and has no NUL. */
	memset(control->comm, 'x', sizeof(control->comm));
	for (i = 0; i < usages[_i].lives; i++)
		tbuf_usage_note(board->usage, usages[_i].run, control->comm,
		    i == 0 ? usages[_i].used : 0);
	check_limits(build_growing(), usages[_i].own, usages[_i].other,
	    usages[_i].lock);
}
END_TEST

START_TEST(an_order_that_changes_hands_is_not_built)
{
	struct tbuf_control *control = tbuf_view_control(&view);
	unsigned i;

	change = (enum moment)_i;
	build();
	ck_assert_uint_eq(tbuf_load(&board->entries[0].run), 2);
	for (i = 0; i < TBUF_NSESSIONS; i++)
		ck_assert_uint_eq(control->state[i], TBUF_FREE);
	ck_assert_uint_eq(tbuf_view_slot(&view, 0)->generation, 0);
}
END_TEST

/* A session that may shrink gets at most a quarter of the remaining budget. */
START_TEST(others_find_room)
{
	struct tbuf_board_entry *entry = &board->entries[0];
	struct tbuf_slot *slot = tbuf_view_slot(&view, 0);
	uint64_t before, bufsize = 1 << 20;
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	change = NEVER;
	entry->terms.bufsize = bufsize;
	/* The session fits the budget, but not a quarter of it. */
	entry->budget = before = 3 * 2 * bufsize * (unsigned)CPU_COUNT(&set);
	entry->flags |= _i == 0 ? TBUF_BOARD_AUTO : 0;
	build();
	ck_assert_uint_eq(slot->terms.run, 1);
	if (_i == 0) {
		ck_assert_uint_lt(slot->terms.bufsize, bufsize);
		ck_assert_uint_ge(entry->budget, before / 4 * 3);
	} else
		ck_assert_uint_eq(slot->terms.bufsize, bufsize);
	ck_assert_uint_eq(entry->reasons[0].count + entry->others, 0);
}
END_TEST

/* A session of the smallest size may take all of the remaining budget. */
START_TEST(last_of_the_room_is_used)
{
	struct tbuf_board_entry *entry = &board->entries[0];
	struct tbuf_order order;
	struct tbuf_area layout;

	change = NEVER;
	entry->flags |= TBUF_BOARD_AUTO;
	order_read(entry, &order);
	order.terms.bufsize = TBUF_BUFSIZE_MIN;
	ck_assert_int_eq(tbuf_area_make(&order, &layout), 0);
	entry->budget = layout.storage;
	build();
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_ACTIVE);
	ck_assert_uint_eq(entry->budget, 0);
}
END_TEST

START_TEST(no_room_is_told)
{
	struct tbuf_board_entry *entry = &board->entries[0];

	change = NEVER;
	entry->flags |= TBUF_BOARD_AUTO;
	entry->budget = 64;
	build();
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_FREE);
	ck_assert_uint_eq(entry->budget, 64);
	ck_assert_uint_eq(entry->reasons[0].count, 1);
	ck_assert_str_eq(entry->reasons[0].text, "not enough space");
	ck_assert_uint_eq(entry->reasons[1].count + entry->others, 0);
}
END_TEST

/* The session is not built, and takes nothing off the budget. */
START_TEST(what_is_lacking_is_told)
{
	struct tbuf_board_entry *entry = &board->entries[0];
	uint64_t before = entry->budget;

	change = NEVER;
	tbuf_self.rseq = _i >= 1;
	entry->terms.needs = TBUF_F_RSEQ |
	    (_i == 2 ? TBUF_F_MACHINE(UINT8_MAX) : 0);
	build();
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0],
	    _i == 1 ? TBUF_ACTIVE : TBUF_FREE);
	ck_assert(_i == 1 || entry->budget == before);
	ck_assert_uint_eq(entry->reasons[0].count, _i == 1 ? 0 : 1);
	ck_assert_str_eq(entry->reasons[0].text,
	    _i == 1 ? "" : "its libtbuf lacks a feature this session needs");
	ck_assert_uint_eq(entry->reasons[1].count + entry->others, 0);
}
END_TEST

/* Reports a reason as a process that has not reported before. */
static void
tell(const char *why)
{
	memset(board->tellers[0], 0, sizeof(board->tellers[0]));
	tbuf_board_tell(board, 0, why);
}

START_TEST(reasons_are_counted_apart)
{
	static const char prefix[] = "a reason that is longer than a place "
	    "on the board";
	struct tbuf_board_entry *entry = &board->entries[0];
	char why[16];
	unsigned i;

	for (i = 0; i < 3 * (TBUF_BOARD_REASONS + 2); i++) {
		why[0] = (char)('a' + i % (TBUF_BOARD_REASONS + 2));
		why[1] = '\0';
		tell(why);
	}
	for (i = 0; i < TBUF_BOARD_REASONS; i++) {
		ck_assert_uint_eq(entry->reasons[i].count, 3);
		ck_assert_int_eq(entry->reasons[i].text[0], (int)('a' + i));
		ck_assert_int_eq(entry->reasons[i].text[1], '\0');
	}
	ck_assert_uint_eq(entry->others, 2 * 3);
	/* A process that claimed a place was killed before it wrote. */
	memset(entry->reasons, 0, sizeof(entry->reasons));
	entry->reasons[0].place = TBUF_BOARD_CLAIMED;
	tell(prefix);
	tell(prefix);
	ck_assert_uint_eq(entry->reasons[0].count, 0);
	ck_assert_uint_eq(entry->reasons[1].count, 2);
	ck_assert_uint_eq(strlen(entry->reasons[1].text),
	    TBUF_BOARD_REASON - 1);
}
END_TEST

/* A child and this process report twice each, as two exec images would. */
START_TEST(process_is_counted_once)
{
	const struct tbuf_board_entry *entry = &board->entries[1];
	int status, i;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		if ((pid = fork()) == 0) {
			tbuf_board_tell(board, 1, "one");
			tbuf_board_tell(board, 1, "one");
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_uint_eq(entry->reasons[0].count, 2);
	tbuf_board_tell(board, 1, "one");
	tbuf_board_tell(board, 1, "two");
	ck_assert_uint_eq(entry->reasons[0].count, 3);
	ck_assert_uint_eq(entry->reasons[1].count, 0);
	/* The process has not reported to this consumer yet. */
	tbuf_board_tell(board, 2, "one");
	ck_assert_uint_eq(board->entries[2].reasons[0].count, 1);
}
END_TEST

/* The bracket's ticks are equal for most children, and then they are right. */
START_TEST(start_tick_is_the_start_time)
{
	unsigned i, equal = 0;
	uint64_t tick;
	int ends[2];
	pid_t pid;

	for (i = 0; i < 200; i++) {
		ck_assert_int_eq(pipe(ends), 0);
		tick = tbuf_start_tick(TBUF_TICK_BEFORE);
		ck_assert_int_ne(pid = fork(), -1);
		if (pid == 0) {
			(void)!read(ends[0], &i, close(ends[1]) == 0);
			_exit(0);
		}
		if (tbuf_start_tick(TBUF_TICK_AFTER) == tick) {
			ck_assert_uint_eq(tbuf_start_time(pid), tick);
			equal++;
		}
		close(ends[0]);
		close(ends[1]);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	ck_assert_uint_gt(equal, 0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("board");
	TCase *tcase = tcase_create("board");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase,
	    entries_that_were_ever_taken_are_looked_at);
	tcase_add_test(tcase, an_entry_that_asks_for_nothing_is_told_nothing);
	tcase_add_test(tcase, a_file_with_a_session_gets_those_that_it_lacks);
	tcase_add_test(tcase, an_order_is_built_as_it_stands_on_the_board);
	tcase_add_test(tcase, a_machine_for_many_cpus_has_a_lane_for_each);
	tcase_add_test(tcase, lanes_that_can_grow_are_small_at_first);
	tcase_add_loop_test(tcase,
	    lanes_are_as_small_as_the_program_can_do_with, 0,
	    sizeof(usages) / sizeof(usages[0]));
	tcase_add_loop_test(tcase, an_order_that_changes_hands_is_not_built,
	    ORDER_READ, NEVER);
	tcase_add_loop_test(tcase, others_find_room, 0, 2);
	tcase_add_test(tcase, last_of_the_room_is_used);
	tcase_add_test(tcase, no_room_is_told);
	tcase_add_loop_test(tcase, what_is_lacking_is_told, 0, 3);
	tcase_add_test(tcase, reasons_are_counted_apart);
	tcase_add_test(tcase, process_is_counted_once);
	tcase_add_test(tcase, start_tick_is_the_start_time);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
