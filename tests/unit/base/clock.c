/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The choice of a clock, by the kernel's verdict on the counter.  The code
 * under test is included here, and opens files of the test's own.
 */
#include <sys/mman.h>
#include <sys/prctl.h>

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/counter.h"

static int	open_other(const char *path);

#define tbuf_counter_invariant()	(invariant)
#define open(path, flags)		open_other(path)
static int invariant;
#include "base/clock.c"
#include "shared/board.h"
#include "lib/scratch.h"
#include "lib/check_main.h"
#undef open
#undef tbuf_counter_invariant

#include <check.h>
#include <stdlib.h>

#if defined(__x86_64__)
static const struct {
	const char *current, *available;
	enum tbuf_clock clock;
	unsigned opens;
} cases[] = {
	{ "tsc\n", "tsc hpet acpi_pm \n", TBUF_CLOCK_COUNTER, 1 },
	/* The counter is unfit, or the administrator's choice is another. */
	{ "hpet\n", "hpet acpi_pm \n", TBUF_CLOCK_COARSE, 1 },
	{ "acpi_pm\n", "tsc acpi_pm \n", TBUF_CLOCK_COARSE, 1 },
	{ "tsc-early\n", "tsc-early \n", TBUF_CLOCK_COARSE, 1 },
	/* In a virtual machine, a counter that is fit is available. */
	{ "kvm-clock\n", "kvm-clock tsc acpi_pm \n", TBUF_CLOCK_COUNTER, 2 },
	{ "kvm-clock\n", "kvm-clock acpi_pm \n", TBUF_CLOCK_COARSE, 2 },
	{ "xen\n", "xen tsc\n", TBUF_CLOCK_COUNTER, 2 },
	{ "kvm-clock\n", NULL, TBUF_CLOCK_COARSE, 2 },
	/* /sys does not exist, or its files are empty. */
	{ NULL, NULL, TBUF_CLOCK_COUNTER, 1 },
	{ "", "", TBUF_CLOCK_COUNTER, 1 }
};
#define NCASES	(int)(sizeof(cases) / sizeof(cases[0]))

static unsigned opens;
static int number;

static int
open_other(const char *path)
{
	const char *text = strstr(path, "/current_clocksource") != NULL ?
	    cases[number].current : cases[number].available;
	int fd;

	opens++;
	if (text == NULL)
		return (-1);
	fd = memfd_create("clocksource", 0);
	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	lseek(fd, 0, SEEK_SET);
	return (fd);
}

START_TEST(the_counter_is_used_where_the_kernel_trusts_it)
{
	number = _i;
	invariant = 1;
	unsetenv("TBUF_CLOCK");
	ck_assert_int_eq(tbuf_clock_choose(false), cases[_i].clock);
	ck_assert_uint_eq(opens, cases[_i].opens);
}
END_TEST

START_TEST(the_counter_is_used_if_the_user_demands_it)
{
	number = 5;
	invariant = 1;
	setenv("TBUF_CLOCK", "count", 1);
	ck_assert_int_eq(tbuf_clock_choose(false), TBUF_CLOCK_COARSE);
	setenv("TBUF_CLOCK", "counter", 1);
	ck_assert_int_eq(tbuf_clock_choose(false), TBUF_CLOCK_COUNTER);
	invariant = 0;
	ck_assert_int_eq(tbuf_clock_choose(false), TBUF_CLOCK_COARSE);
}
END_TEST

/* ------------------------------------------------------------ the board */

static char directory[64];
static int there = -1, board_fd = -1;

static void
board_begin(void)
{
	struct tbuf_board_head head = {
		.major = TBUF_MAJOR,
		.entry_size = sizeof(struct tbuf_board_entry)
	};

	scratch_directory(directory, sizeof(directory));
	there = (open)(directory, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ne(there, -1);
	board_fd = openat(there, TBUF_BOARD_NAME, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ne(board_fd, -1);
	memcpy(head.magic, TBUF_BOARD_MAGIC, sizeof(head.magic));
	ck_assert_int_eq(pwrite(board_fd, &head, sizeof(head), 0),
	    sizeof(head));
	invariant = 1;
	number = 0;
	unsetenv("TBUF_CLOCK");
}

static void
board_end(void)
{
	close(board_fd);
	close(there);
	scratch_remove(directory);
}

static uint64_t
seconds(void)
{
	struct timespec now;

	ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return ((uint64_t)now.tv_sec);
}

static void
found_write(uint64_t when)
{
	ck_assert_int_eq(pwrite(board_fd, &when, sizeof(when),
	    offsetof(struct tbuf_board_head, counter)), sizeof(when));
}

static uint64_t
found_read(void)
{
	uint64_t when;

	ck_assert_int_eq(pread(board_fd, &when, sizeof(when),
	    offsetof(struct tbuf_board_head, counter)), sizeof(when));
	return (when);
}

/* Returns the clock as a program that starts chooses it. */
static enum tbuf_clock
chosen(void)
{
	int fd = tbuf_board_file(there);
	enum tbuf_clock clock = tbuf_board_clock(fd);

	if (fd != -1)
		close(fd);
	return (clock);
}

START_TEST(what_has_been_read_lately_is_not_read_again)
{
	uint64_t begun = seconds();

	ck_assert_int_eq(chosen(), TBUF_CLOCK_COUNTER);
	ck_assert_uint_eq(opens, 1);
	ck_assert_uint_ge(found_read(), begun);
	/* A second that another program noted lately counts, too. */
	found_write(seconds());
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COUNTER);
	ck_assert_uint_eq(opens, 1);
	/* The property of the process's CPU is still tested each time. */
	invariant = 0;
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COARSE);
}
END_TEST

/* The noted second is too old, or it is one before the last boot. */
START_TEST(what_was_read_long_ago_is_read_again)
{
	found_write(1);
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COUNTER);
	found_write(seconds() + 1000);
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COUNTER);
	ck_assert_uint_eq(opens, 2);
	ck_assert_uint_le(found_read(), seconds());
}
END_TEST

/* The kernel has found the counter unfit since it was noted. */
START_TEST(a_counter_that_is_unfit_is_told_to_nobody)
{
	found_write(1);
	number = 1;
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COARSE);
	ck_assert_uint_eq(found_read(), 0);
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COARSE);
	ck_assert_uint_eq(opens, 2);
}
END_TEST

START_TEST(a_counter_that_is_demanded_is_told_to_nobody)
{
	number = 5;
	setenv("TBUF_CLOCK", "counter", 1);
	ck_assert_int_eq(tbuf_board_clock(board_fd), TBUF_CLOCK_COUNTER);
	unsetenv("TBUF_CLOCK");
	ck_assert_int_eq(tbuf_board_clock(board_fd), TBUF_CLOCK_COARSE);
}
END_TEST

START_TEST(without_a_board_the_kernel_is_asked)
{
	const char none = 'x';

	ck_assert_int_eq(pwrite(board_fd, &none, 1, 0), 1);
	found_write(seconds());
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COUNTER);
	ck_assert_int_eq(unlinkat(there, TBUF_BOARD_NAME, 0), 0);
	ck_assert_int_eq(chosen(), TBUF_CLOCK_COUNTER);
	ck_assert_uint_eq(opens, 2);
}
END_TEST

/* ------------------------------------------------------------ the processor */

/* No file is read, as its text would change nothing. */
START_TEST(a_counter_that_is_not_invariant_is_never_used)
{
	ck_assert_int_eq(tbuf_clock_choose(false), TBUF_CLOCK_COARSE);
	ck_assert_uint_eq(opens, 0);
}
END_TEST

/* The C library caches the answers of cpuid. */
START_TEST(what_the_c_library_keeps_of_cpuid_is_what_cpuid_says)
{
	static const unsigned rows[][4] = {
		{ 0x80000007, 4, TBUF_CPUID_EDX, 8 },
		{ 0x80000001, 2, TBUF_CPUID_EDX, 27 },
		{ 7, 1, TBUF_CPUID_ECX, 22 }
	};
	unsigned found[4] = { 0, 0, 0, 0 }, i;

	for (i = 0; i < 3; i++) {
		__get_cpuid_count(rows[i][0], 0, &found[0], &found[1],
		    &found[2], &found[3]);
		ck_assert_uint_eq(tbuf_cpuid_bit(rows[i][0], rows[i][1],
		    rows[i][2], rows[i][3]),
		    found[rows[i][2]] >> rows[i][3] & 1);
	}
}
END_TEST
#else
#define NCASES	1

static int
open_other(const char *path)
{
	ck_abort_msg("%s is opened", path);
	return (-1);
}

START_TEST(the_counter_is_used_where_the_kernel_trusts_it)
{
	invariant = 1;
	ck_assert_int_eq(tbuf_clock_choose(false), TBUF_CLOCK_COUNTER);
}
END_TEST

START_TEST(a_counter_that_is_not_invariant_is_never_used)
{
	ck_assert_int_eq(tbuf_clock_choose(false), TBUF_CLOCK_MONOTONIC);
}
END_TEST

START_TEST(what_the_c_library_keeps_of_cpuid_is_what_cpuid_says)
{
}
END_TEST
#endif

int
main(void)
{
	Suite *suite = suite_create("clock");
	TCase *tcase = tcase_create("choice");

	tcase_add_loop_test(tcase,
	    the_counter_is_used_where_the_kernel_trusts_it, 0, NCASES);
	tcase_add_test(tcase, a_counter_that_is_not_invariant_is_never_used);
	tcase_add_test(tcase,
	    what_the_c_library_keeps_of_cpuid_is_what_cpuid_says);
	suite_add_tcase(suite, tcase);
#if defined(__x86_64__)
	tcase_add_test(tcase, the_counter_is_used_if_the_user_demands_it);
	tcase = tcase_create("board");
	tcase_add_checked_fixture(tcase, board_begin, board_end);
	tcase_add_test(tcase, what_has_been_read_lately_is_not_read_again);
	tcase_add_test(tcase, what_was_read_long_ago_is_read_again);
	tcase_add_test(tcase, a_counter_that_is_unfit_is_told_to_nobody);
	tcase_add_test(tcase, a_counter_that_is_demanded_is_told_to_nobody);
	tcase_add_test(tcase, without_a_board_the_kernel_is_asked);
	suite_add_tcase(suite, tcase);
#endif
	return (run_suite(suite));
}
