/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which clock is chosen, by what the kernel says of the counter.  What is
 * tested is included here, with files of the test's own.
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
#include "common/clock.c"
#include "suite.h"
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
	/* Found unfit, or left by the administrator. */
	{ "hpet\n", "hpet acpi_pm \n", TBUF_CLOCK_COARSE, 1 },
	{ "acpi_pm\n", "tsc acpi_pm \n", TBUF_CLOCK_COARSE, 1 },
	{ "tsc-early\n", "tsc-early \n", TBUF_CLOCK_COARSE, 1 },
	/* A virtual machine, where the counter is fit or not. */
	{ "kvm-clock\n", "kvm-clock tsc acpi_pm \n", TBUF_CLOCK_COUNTER, 2 },
	{ "kvm-clock\n", "kvm-clock acpi_pm \n", TBUF_CLOCK_COARSE, 2 },
	{ "xen\n", "xen tsc\n", TBUF_CLOCK_COUNTER, 2 },
	{ "kvm-clock\n", NULL, TBUF_CLOCK_COARSE, 2 },
	/* No /sys, or an empty one. */
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
	ck_assert_int_eq(tbuf_clock_choose(), cases[_i].clock);
	ck_assert_uint_eq(opens, cases[_i].opens);
}
END_TEST

/* Nor is a file read that would change nothing. */
START_TEST(a_counter_that_is_not_invariant_is_never_used)
{
	ck_assert_int_eq(tbuf_clock_choose(), TBUF_CLOCK_COARSE);
	ck_assert_uint_eq(opens, 0);
}
END_TEST

/* The C library has asked once, and keeps what the processor said. */
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
	ck_assert_int_eq(tbuf_clock_choose(), TBUF_CLOCK_COUNTER);
}
END_TEST

START_TEST(a_counter_that_is_not_invariant_is_never_used)
{
	ck_assert_int_eq(tbuf_clock_choose(), TBUF_CLOCK_MONOTONIC);
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
	return (run_suite(suite));
}
