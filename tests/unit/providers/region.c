/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regions: functions of this program are armed at their entries and exits, and
 * then have the same results as before, and counts that are known.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <setjmp.h>
#include <stddef.h>

#include "lib/startup_pad.h"
#include "arming.h"

extern const char __executable_start[], etext[];

/* ------------------------------------------------------------ tried code */

/* Each call of such a function is made, and nothing else is in it. */
#define TRIED	__attribute__((noinline, \
		    no_sanitize("address", "thread", "undefined")))
#define MADE()	__asm__ volatile("")

TRIED long
tried_constant(void)
{
	MADE();
	return (7);
}

TRIED long
tried_add(long a, long b)
{
	MADE();
	return (a + b);
}

TRIED long
tried_recursive(long n)
{
	MADE();
	return (n < 2 ? n : tried_recursive(n - 1) + tried_recursive(n - 2));
}

TRIED long
tried_tail(long n)
{
	MADE();
	return (tried_add(n, 3));
}

TRIED long
tried_loop(const long *all, long n)
{
	long sum = 0;

	MADE();
	while (n-- > 0)
		sum += *all++ * 3;
	return (sum);
}

TRIED long
tried_switch(long n)
{
	MADE();
	switch (n) {
	case 0:
		return (tried_add(n, 1));
	case 1:
		return (17);
	case 2:
		return (tried_constant());
	case 3:
		return (n * n);
	case 4:
		return (n - 100);
	case 5:
		return (tried_recursive(n));
	default:
		return (-1);
	}
}

TRIED double
tried_vector(double a, double b)
{
	MADE();
	return (a * b + 1);
}

static jmp_buf back;

TRIED void
tried_jump(long n)
{
	MADE();
	if (n > 0)
		longjmp(back, 1);
}

/* It returns carry as its result: a stub must keep the flags. */
TRIED long tried_flags(long, long);
TRIED long tried_borrow(long, long);
__asm__(".text\n.type tried_flags, @function\ntried_flags:\n"
    ".cfi_startproc\n cmp %rsi, %rdi\n nop\n nop\n nop\n ret\n"
    ".cfi_endproc\n.size tried_flags, . - tried_flags\n"
    ".type tried_borrow, @function\ntried_borrow:\n"
    ".cfi_startproc\n call tried_flags\n setb %al\n movzbl %al, %eax\n ret\n"
    ".cfi_endproc\n.size tried_borrow, . - tried_borrow\n");

/* Its call is after the bytes of a jump. */
TRIED long tried_later(long, long);
__asm__(".text\n.type tried_later, @function\ntried_later:\n"
    ".cfi_startproc\n movabs $8, %rax\n call tried_flags\n"
    " setb %al\n movzbl %al, %eax\n ret\n"
    ".cfi_endproc\n.size tried_later, . - tried_later\n");
#define LATER_CALL	10u	/* bytes before its call */

/* Their loops begin among the bytes of a jump, and of a short jump. */
TRIED long tried_early(long);
__asm__(".text\n.type tried_early, @function\ntried_early:\n"
    ".cfi_startproc\n xor %eax, %eax\n 1: add %rdi, %rax\n dec %rdi\n"
    " jnz 1b\n ret\n.cfi_endproc\n.size tried_early, . - tried_early\n");

TRIED long tried_tight(long);
__asm__(".text\n.type tried_tight, @function\ntried_tight:\n"
    ".cfi_startproc\n cltd\n 1: .byte 0x3d, 0, 0, 0, 0\n dec %rdi\n"
    " jns 1b\n mov $3, %eax\n ret\n.cfi_endproc\n"
    ".size tried_tight, . - tried_tight\n");

static const char *const prefixes[] = { "tried_", NULL };

static long
run_all(void)
{
	static const long numbers[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
	volatile long sum = 0, n;

	for (n = 0; n < 8; n++) {
		sum = sum * 3 + tried_switch(n);
		sum += tried_tail(n) + tried_recursive(n) +
		    tried_loop(numbers, n);
		sum += (long)tried_vector((double)n, 1.5);
		sum += tried_borrow(n, 4) + tried_later(n, 6) +
		    tried_early(n + 1) + tried_tight(n);
		if (setjmp(back) == 0)
			tried_jump(n & 1);
	}
	return (sum);
}

/* Returns true if all exits of a function have regions. */
static bool
has_exits(const void *function)
{
	size_t own_index = (size_t)(patch_map_code(&own.map,
	    (uintptr_t)function) - own.map.codes), i;

	for (i = 0; i < npoints; i++)
		if (points[i].function == own_index && !points[i].is_entry &&
		    points[i].problem != NULL)
			return (false);
	return (true);
}

/* Not all compilers leave room at each exit. */
static void
check_counts(const void *function, unsigned entries, unsigned exits)
{
	ck_assert_uint_eq(count_of(function, true), entries);
	if (has_exits(function))
		ck_assert_uint_eq(count_of(function, false), exits);
	else
		ck_assert_uint_lt(count_of(function, false), exits);
}

/* ------------------------------------------------------------ tests */

START_TEST(functions_do_as_before)
{
	long sum = run_all();
	size_t i, armed = 0;

	arm(prefixes);
	for (i = 0; i < npoints; i++)
		armed += points[i].problem == NULL;
	ck_assert_uint_ge(armed * 10, npoints * 8);
	ck_assert_int_eq(run_all(), sum);
	for (i = 0; i < npoints; i++)
		ck_assert_uint_eq(counters[i].count, 0);
	enabled = 1;
	ck_assert_int_eq(run_all(), sum);
}
END_TEST

START_TEST(each_pass_is_counted)
{
	arm(prefixes);
	enabled = 1;
	(void)run_all();
	enabled = 0;
	(void)run_all();
	check_counts(tried_switch, 8, 8);
	check_counts(tried_constant, 1, 1);
	check_counts(tried_tail, 8, 8);
	check_counts(tried_add, 9, 9);
	check_counts(tried_loop, 8, 8);
	check_counts(tried_vector, 8, 8);
	check_counts(tried_flags, 16, 16);
	check_counts(tried_early, 8, 8);
	check_counts(tried_tight, 0, 8);
	/* half of its calls do not return */
	check_counts(tried_jump, 8, 4);
}
END_TEST

static const char *
entry_problem(uintptr_t function)
{
	size_t i;

	for (i = 0; i < npoints; i++)
		if (points[i].at == function && points[i].is_entry)
			return (points[i].problem);
	ck_abort_msg("the function has no entry");
}

START_TEST(a_branch_between_the_bytes_refuses_an_entry)
{
	arm(prefixes);
	ck_assert_str_eq(entry_problem((uintptr_t)tried_tight),
	    "a branch leads between the bytes");
	ck_assert_ptr_null(entry_problem((uintptr_t)tried_vector));
}
END_TEST

START_TEST(a_branch_into_an_instruction_refuses_an_entry)
{
	/* The compiler must not put this address into its code. */
	volatile size_t offset = 1;

	arrival = (uintptr_t)tried_vector + offset;
	arm(prefixes);
	ck_assert_str_eq(entry_problem((uintptr_t)tried_vector),
	    "a branch leads between the bytes");
}
END_TEST

/* A line that a branch enters, or that goes on after a call, is no region. */
START_TEST(a_region_has_no_arrival_and_no_call)
{
	const struct patch_region *r;
	uintptr_t at;

	arm(prefixes);
	ck_assert_uint_gt(regions.n, 0);
	for (r = regions.all; r < regions.all + regions.n; r++)
		for (at = r->start + 1; at < r->end; at++) {
			ck_assert_uint_eq(*patch_map_mark(&own.map, at) &
			    PATCH_ARRIVAL, 0);
			if (patch_class(*patch_map_mark(&own.map, at)) ==
			    PATCH_CALL)
				ck_assert_uint_eq(at, r->call);
		}
}
END_TEST

/* A call of a redirected function does not take the jump at its start. */
START_TEST(a_direct_call_leads_to_a_stub)
{
	uintptr_t at = (uintptr_t)tried_later + LATER_CALL;
	size_t i;

	arm(prefixes);
	for (i = 0; i < npoints; i++)
		if (points[i].at == (uintptr_t)tried_flags &&
		    points[i].is_entry)
			break;
	ck_assert_uint_lt(i, npoints);
	ck_assert_uint_eq(patch_branch_target(at, 16),
	    regions.all[points[i].region].stub);
}
END_TEST

/* Assembly here returns carry, so that all checks keep flags. */
START_TEST(flags_that_a_function_returns_are_found)
{
	arm(prefixes);
	ck_assert(own.map.passes_flags);
}
END_TEST

/* No memory is writable and executable. */
START_TEST(stubs_are_not_writable)
{
	char line[256];
	FILE *f;

	arm(prefixes);
	f = fopen("/proc/self/maps", "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL)
		ck_assert_ptr_null(strstr(line, "wx"));
	fclose(f);
}
END_TEST

#define WORD(field)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,		\
	    (uint32_t)offsetof(struct seccomp_data, field))
#define HIGH(field)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS,		\
	    (uint32_t)offsetof(struct seccomp_data, field) + 4)

/* The kernel refuses to write this number of bytes, or more, into the text. */
static void
forbid_writing(uint32_t least)
{
	uint64_t start = (uintptr_t)__executable_start;
	struct sock_filter filter[] = {
		WORD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_pwrite64, 0, 8),
		HIGH(args[3]),
		BPF_JUMP(BPF_JMP | BPF_JEQ, (uint32_t)(start >> 32), 0, 6),
		WORD(args[3]),
		BPF_JUMP(BPF_JMP | BPF_JGE, (uint32_t)start, 0, 4),
		BPF_JUMP(BPF_JMP | BPF_JGE, (uint32_t)(uintptr_t)etext, 3, 0),
		WORD(args[2]), BPF_JUMP(BPF_JMP | BPF_JGE, least, 0, 1),
		BPF_STMT(BPF_RET, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]),
	    filter };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
	    0);
}

/* Each page is tried by one byte before all of them are written. */
START_TEST(a_text_that_cannot_be_written_stays_as_it_is)
{
	size_t size = (size_t)(etext - __executable_start), i;
	char *before = malloc(size);

	ck_assert_ptr_nonnull(before);
	memcpy(before, __executable_start, size);
	forbid_writing(_i == 0 ? 1 : 2);
	arm(prefixes);
	ck_assert_uint_gt(npoints, 0);
	for (i = 0; i < npoints; i++)
		if (points[i].region != PATCH_NO_REGION)
			ck_assert_str_eq(points[i].problem, "the kernel does "
			    "not permit writing to text");
	ck_assert_int_eq(memcmp(before, __executable_start, size), 0);
	free(before);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("region");
	TCase *tcase = tcase_create("all");
	const char *sanitizer = getenv("SANITIZER");

	/* A sanitizer's checks leave no room in the functions. */
	if (sanitizer != NULL && *sanitizer != '\0')
		return (77);
	tcase_add_test(tcase, functions_do_as_before);
	tcase_add_test(tcase, each_pass_is_counted);
	tcase_add_test(tcase, a_branch_between_the_bytes_refuses_an_entry);
	tcase_add_test(tcase, a_branch_into_an_instruction_refuses_an_entry);
	tcase_add_test(tcase, a_region_has_no_arrival_and_no_call);
	tcase_add_test(tcase, a_direct_call_leads_to_a_stub);
	tcase_add_test(tcase, flags_that_a_function_returns_are_found);
	tcase_add_test(tcase, stubs_are_not_writable);
	tcase_add_loop_test(tcase,
	    a_text_that_cannot_be_written_stays_as_it_is, 0, 2);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
