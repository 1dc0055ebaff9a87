/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target builds what an entry of the board orders, while the entry passes
 * from one consumer to another.  What is tested is included here, so that the
 * entry can change hands at each of its steps.
 */
#include <sys/mman.h>

#include <check.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/board.h"
#include "common/control.h"
#include "target/file.h"

/* The steps at which somebody else may come. */
enum moment {
	ORDER_READ,		/* most of it, but not all */
	SPACE_TAKEN,
	BUILDING,
	BUILT,
	NEVER
};

static void	moment(enum moment);

#define sched_getaffinity(pid, size, set)				\
	(moment(ORDER_READ), sched_getaffinity(pid, size, set))
#define tbuf_back(fd, offset, length)					\
	(moment(SPACE_TAKEN), tbuf_back(fd, offset, length))
#define tbuf_session_build(...) __extension__ ({			\
	int built_;							\
	moment(BUILDING);						\
	built_ = tbuf_session_build(__VA_ARGS__);			\
	moment(BUILT);							\
	built_;								\
})
#include "target/wanted.c"

static char directory[] = "/dev/shm/tbuf-board-XXXXXX";
static struct tbuf_board *board;
static struct tbuf_view view;
static int there, board_fd, file;
static enum moment change;

static void
order_write(struct tbuf_board_entry *entry, uint64_t run, const char *pattern)
{
	tbuf_store(&entry->run, 0);
	entry->budget = 1 << 20;
	entry->bufsize = run * 4096;
	entry->flags = TBUF_BOARD_ALL;
	entry->policy = run == 1 ? TBUF_SWITCH : TBUF_RING;
	entry->strsize = 256;
	entry->only_cpu = -1;
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
	memcpy(board->magic, TBUF_BOARD_MAGIC, sizeof(board->magic));
	board->major = TBUF_MAJOR;
	board->entry_size = sizeof(struct tbuf_board_entry);
}

static void
set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	there = open(directory, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ne(there, -1);
	board_make();
	file = openat(there, "file", O_RDWR | O_CREAT | O_EXCL, 0600);
	ck_assert_int_ne(file, -1);
	ck_assert_int_eq(ftruncate(file, TBUF_AREAS), 0);
	view.size = TBUF_AREAS;
	view.base = mmap(NULL, TBUF_AREAS, PROT_READ | PROT_WRITE, MAP_SHARED,
	    file, 0);
	ck_assert_ptr_ne(view.base, MAP_FAILED);
	tbuf_control_fill(tbuf_view_control(&view), getpid(), 1, 1);
	tbuf_self.window = UINT64_C(1) << 30;
	order_write(&board->entries[0], 1, "first:::");
}

static void
tear_down(void)
{
	unlinkat(there, TBUF_BOARD_NAME, 0);
	unlinkat(there, "file", 0);
	rmdir(directory);
}

START_TEST(an_order_is_built_as_it_stands_on_the_board)
{
	struct tbuf_session session;
	char pattern[6];

	change = NEVER;
	tbuf_wanted_build(there, file);
	ck_assert_uint_eq(tbuf_view_control(&view)->state[0], TBUF_ACTIVE);
	ck_assert_int_eq(pread(file, &session, sizeof(session),
	    (off_t)tbuf_view_slot(&view, 0)->area), sizeof(session));
	ck_assert_uint_eq(session.run, 1);
	ck_assert_int_eq(pread(file, pattern, sizeof(pattern),
	    (off_t)session.patterns), sizeof(pattern));
	ck_assert_mem_eq(pattern, "first:", sizeof(pattern));
}
END_TEST

START_TEST(an_order_that_changes_hands_is_not_built)
{
	struct tbuf_control *control = tbuf_view_control(&view);
	unsigned i;

	change = (enum moment)_i;
	tbuf_wanted_build(there, file);
	ck_assert_uint_eq(tbuf_load(&board->entries[0].run), 2);
	for (i = 0; i < TBUF_NSESSIONS; i++)
		ck_assert_uint_eq(control->state[i], TBUF_FREE);
	ck_assert_uint_eq(tbuf_view_slot(&view, 0)->generation, 0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("board");
	TCase *tcase = tcase_create("board");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, an_order_is_built_as_it_stands_on_the_board);
	tcase_add_loop_test(tcase, an_order_that_changes_hands_is_not_built,
	    ORDER_READ, NEVER);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
