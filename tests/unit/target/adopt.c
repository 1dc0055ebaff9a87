/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A process adopts a file that a consumer has made for it, and no other: each
 * condition of made_for_us() fails once.  The code under test is included here,
 * as only root could change a file's owner.  A file is not removed while its
 * process is alive.
 */
#include <sys/resource.h>
#include <unistd.h>

static uid_t	user(void);

#define geteuid()	user()
#include "target/file/adopt.c"
#undef geteuid

#include <check.h>
#include <err.h>

#include "consumer/files/files.h"
#include "lib/check_main.h"
#include "lib/scratch.h"

static char directory[64];
static struct tbuf_control_file made;
static bool somebody_else;
static int runtime;

static uid_t
user(void)
{
	return (geteuid() + somebody_else);
}

static void
set_up(void)
{
	runtime = tbuf_directory_open(true);
	ck_assert_int_ge(runtime, 0);
	ck_assert_int_eq(tbuf_control_make(runtime, getpid(), &made), 0);
	setenv(TBUF_CONTROL_ENV, made.name, 1);
}

static bool
adopted(void)
{
	const struct tbuf_control *control;
	int board = -1;

	ck_assert_ptr_null(tbuf_file_begin(runtime, &board, geteuid()));
	control = (const struct tbuf_control *)(const void *)tbuf_file.base;
	ck_assert_int_eq((pid_t)control->pid, getpid());
	ck_assert_uint_eq(control->stage, TBUF_STAGE_LIVE);
	return (control->random == made.control->random);
}

START_TEST(a_file_that_was_made_for_this_process_is_taken)
{
	ck_assert(adopted());
	ck_assert_uint_eq(made.control->stage, TBUF_STAGE_LIVE);
}
END_TEST

START_TEST(a_file_of_another_user_is_not)
{
	somebody_else = true;
	ck_assert(!adopted());
	ck_assert_uint_eq(made.control->stage, TBUF_STAGE_WAITING);
}
END_TEST

/* The first string would be after the end of the heap. */
START_TEST(a_file_without_room_for_strings_is_not)
{
	made.control->tables.strings_size = 0;
	ck_assert(!adopted());
	ck_assert_uint_eq(made.control->stage, TBUF_STAGE_WAITING);
}
END_TEST

START_TEST(a_file_for_another_process_is_not)
{
	made.control->pid++;
	ck_assert(!adopted());
	ck_assert_uint_eq(made.control->stage, TBUF_STAGE_WAITING);
}
END_TEST

START_TEST(a_file_for_an_earlier_process_of_this_pid_is_not)
{
	made.control->start--;
	ck_assert(!adopted());
	ck_assert_uint_eq(made.control->stage, TBUF_STAGE_WAITING);
}
END_TEST

START_TEST(a_file_that_has_a_target_is_not)
{
	made.control->stage = TBUF_STAGE_LIVE;
	ck_assert(!adopted());
}
END_TEST

START_TEST(a_file_of_another_version_is_not)
{
	made.control->major++;
	ck_assert(!adopted());
	ck_assert_uint_eq(made.control->stage, TBUF_STAGE_WAITING);
}
END_TEST

START_TEST(a_file_beyond_the_window_is_not)
{
	setenv("TBUF_WINDOW", "16m", 1);
	ck_assert_int_eq(ftruncate(made.fd, 17 << 20), 0);
	ck_assert(!adopted());
	ck_assert_uint_eq(made.control->stage, TBUF_STAGE_WAITING);
}
END_TEST

/* Returns true if made's file counts as an orphan. */
static bool
left(void)
{
	return (tbuf_control_orphan(runtime, made.fd, made.control));
}

START_TEST(a_file_stays_while_its_process_is_there_or_cannot_be_looked_at)
{
	struct rlimit before, none;

	ck_assert(!left());
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert(!left());
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	made.control->start--;
	ck_assert(left());
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		a_file_that_was_made_for_this_process_is_taken,
		a_file_of_another_user_is_not,
		a_file_without_room_for_strings_is_not,
		a_file_for_another_process_is_not,
		a_file_for_an_earlier_process_of_this_pid_is_not,
		a_file_that_has_a_target_is_not,
		a_file_of_another_version_is_not,
		a_file_beyond_the_window_is_not,
		a_file_stays_while_its_process_is_there_or_cannot_be_looked_at
	};
	Suite *suite = suite_create("adopt");
	TCase *tcase = tcase_create("made for us");
	size_t i;
	int failed;

	scratch_directory(directory, sizeof(directory));
	if (setenv("TBUF_DIR", directory, 1) != 0)
		err(1, "%s", directory);
	tcase_add_checked_fixture(tcase, set_up, NULL);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	failed = run_suite(suite);
	scratch_remove(directory);
	return (failed);
}
