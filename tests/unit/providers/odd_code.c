/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Code that is not as compilers make it: each function is refused, or does as
 * before with its probes on, and then its count is right.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "lib/check_main.h"
#include "lib/startup_pad.h"
#include "pid/image.h"
#include "pid/plan.h"

#define FUNCTION(name, text)						\
	__asm__(".text\n.type odd_" name ", @function\n"		\
	    "odd_" name ":\n\t.cfi_startproc\n\t" text "\n\t"		\
	    ".cfi_endproc\n.size odd_" name ", . - odd_" name "\n")
#define DECLARE(name)	long odd_##name(long)

/* The first entry of its table is no instruction. */
FUNCTION("first_entry",
    "lea 9f(%rip), %rdx\n inc %edi\n movslq (%rdx,%rdi,4), %rax\n"
    " add %rdx, %rax\n jmp *%rax\n"
    " 1: lea 10(%rdi), %rax\n ret\n 2: lea 20(%rdi), %rax\n ret\n"
    ".section .rodata\n .balign 4\n 9: .long 0x7ffffff, 1b - 9b, 2b - 9b\n"
    " .text");
/* One of its two tables is as that one, and leads among the first bytes. */
FUNCTION("one_table",
    "mov %edi, %eax\n 2: inc %eax\n cmp $100, %eax\n ja 3f\n"
    " lea 9f(%rip), %rdx\n mov $1, %ecx\n"
    " movslq (%rdx,%rcx,4), %rcx\n add %rdx, %rcx\n add $60, %eax\n"
    " jmp *%rcx\n 3: lea 8f(%rip), %rdx\n movslq (%rdx), %rcx\n"
    " add %rdx, %rcx\n jmp *%rcx\n 4: ret\n"
    ".section .rodata\n .balign 4\n 9: .long 0x7ffffff, 2b - 9b\n"
    " .space 80, 0x7f\n 8: .long 4b - 8b\n .space 80, 0x7f\n .text");
/* A prefix makes the operand of a branch shorter on some processors. */
FUNCTION("narrow",
    "mov %rdi, %rax\n test %edi, %edi\n jns 1f\n .byte 0x66\n je 1f\n"
    " 1: add $3, %rax\n ret");
/* A symbol is in the middle of an instruction, and one is among others. */
FUNCTION("overlapped",
    "movabs $0x00c0ff9090909090, %rax\n add %rdi, %rax\n ret\n"
    ".type odd_inside, @function\n odd_inside = odd_overlapped + 2\n"
    ".size odd_inside, 14");
FUNCTION("overlaid",
    "mov %rdi, %rax\n add $5, %rax\n 1: add $7, %rax\n ret\n"
    ".type odd_second, @function\n odd_second = 1b\n"
    ".size odd_second, . - 1b");
/* Data among instructions looks like the end of a function. */
FUNCTION("data",
    "mov %rdi, %rax\n add 1f(%rip), %rax\n jmp 2f\n"
    " 1: .byte 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3, 0, 0\n 2: ret");
FUNCTION("other_data",
    "mov %rdi, %rax\n jmp 2f\n odd_constant: .byte 0x90, 0x90, 0x90\n"
    " .byte 0x90, 0x90, 0xc3, 0, 0\n 2: add $3, %rax\n ret");
FUNCTION("reader", "mov %rdi, %rax\n add odd_constant(%rip), %rax\n ret");
FUNCTION("far_data",
    "mov %rdi, %rax\n lea 1f(%rip), %rdx\n add (%rdx), %rax\n"
    " add 8(%rdx), %rax\n jmp 2f\n"
    " 1: .byte 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90\n"
    " .byte 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3, 0, 0\n 2: ret");
/* The place of its table of landing pads is not understood. */
FUNCTION("pads",
    ".cfi_personality 0x1c, odd_personality\n .cfi_lsda 0x1b, .Lodd_lsda\n"
    " mov %rdi, %rax\n add $5, %rax\n ret\n"
    ".section .gcc_except_table, \"a\"\n"
    ".Lodd_lsda: .byte 0xff, 0xff, 1, 0\n .text");
FUNCTION("personality", "ret");

DECLARE(first_entry);
DECLARE(one_table);
DECLARE(narrow);
DECLARE(overlapped);
DECLARE(inside);
DECLARE(overlaid);
DECLARE(second);
DECLARE(data);
DECLARE(far_data);
DECLARE(other_data);
DECLARE(reader);
DECLARE(pads);

static const struct {
	const char *name;
	long (*call)(long);
	unsigned entries;	/* of a call of each, if it is armed */
} tried[] = {
	{ "odd_first_entry", odd_first_entry, 1 },
	{ "odd_one_table", odd_one_table, 1 },
	{ "odd_narrow", odd_narrow, 1 },
	{ "odd_overlapped", odd_overlapped, 1 },
	{ "odd_overlaid", odd_overlaid, 1 },
	{ "odd_data", odd_data, 1 },
	{ "odd_other_data", odd_other_data, 1 },
	{ "odd_reader", odd_reader, 1 },
	{ "odd_pads", odd_pads, 1 },
	{ "odd_far_data", odd_far_data, 1 }
};
#define NTRIED	(sizeof(tried) / sizeof(tried[0]))

struct counter {
	struct patch_probe probe;
	unsigned count;
};

static struct pid_functions own;
static struct pid_plan plan;
static struct counter *counters;
static uint32_t enabled;

static __attribute__((target("general-regs-only"))) void
hit(struct patch_probe *probe, const struct patch_registers *r)
{
	(void)r;
	((struct counter *)probe)->count++;
}

static int
read_own(struct dl_phdr_info *info, size_t size, void *problem)
{
	struct pid_memory memory = { .info = *info };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)size;
	memory.is_fixed = info->dlpi_addr == 0;
	*(const char **)problem = pid_functions_find(&own, &memory, fd,
	    NULL, NULL);
	close(fd);
	return (1);
}

static void
setup(void)
{
	const char *problem = NULL;
	struct patch patch;
	size_t i;

	(void)dl_iterate_phdr(read_own, &problem);
	ck_assert_ptr_null(problem);
	ck_assert_ptr_null(pid_plan_begin(&plan, &own));
	for (i = 0; i < own.map.ncodes; i++)
		if (own.map.codes[i].owner == i &&
		    own.map.codes[i].name != NULL &&
		    strncmp(own.map.codes[i].name, "odd_", 4) == 0)
			pid_plan_add(&plan, i, true, true);
	ck_assert_ptr_null(pid_plan_make(&plan));
	counters = calloc(plan.npoints, sizeof(*counters));
	ck_assert_ptr_nonnull(counters);
	for (i = 0; i < plan.npoints; i++) {
		counters[i].probe.enabled = &enabled;
		counters[i].probe.hit = hit;
		plan.points[i].probe = &counters[i].probe;
	}
	ck_assert_ptr_null(patch_begin(&patch));
	patch_regions_arm(&patch, &own.map, &plan.regions, plan.points,
	    plan.npoints);
	patch_end(&patch);
}

/* Returns the reason why a function's probe is not armed, or NULL. */
static const char *
problem_of(const void *function, bool is_entry)
{
	const struct patch_code *code = patch_map_code(&own.map,
	    (uintptr_t)function);
	size_t i;

	ck_assert_ptr_nonnull(code);
	if (code->problem != NULL)
		return (code->problem);
	for (i = 0; i < plan.nwishes; i++)
		if (&own.map.codes[plan.wishes[i].function] == code)
			return (is_entry ? plan.wishes[i].entry_problem :
			    plan.wishes[i].exit_problem);
	return ("it is a part");
}

/* Returns the count of a function's entry. */
static unsigned
count_of(const void *function)
{
	size_t i;

	for (i = 0; i < plan.npoints; i++)
		if (plan.points[i].is_entry &&
		    plan.points[i].at == (uintptr_t)function)
			return (counters[i].count);
	return (0);
}

/* ------------------------------------------------------------ tests */

static long results[NTRIED];

/* The functions have their results before any is armed. */
static void
call_all(void)
{
	size_t i;

	for (i = 0; i < NTRIED; i++)
		results[i] = tried[i].call((long)i % 2);
}

static void
remember(void)
{
	call_all();
	setup();
}

START_TEST(functions_do_as_before)
{
	long before;

	before = results[_i];
	ck_assert_int_eq(tried[_i].call(_i % 2), before);
	enabled = 1;
	ck_assert_int_eq(tried[_i].call(_i % 2), before);
}
END_TEST

START_TEST(counts_are_right)
{
	enabled = 1;
	call_all();
	if (problem_of((const void *)tried[_i].call, true) == NULL)
		ck_assert_uint_eq(count_of((const void *)tried[_i].call),
		    tried[_i].entries);
	else
		ck_assert_uint_eq(count_of((const void *)tried[_i].call), 0);
}
END_TEST

START_TEST(functions_are_refused)
{
	ck_assert_str_eq(problem_of(odd_first_entry, true),
	    "a computed jump is not understood");
	ck_assert_str_eq(problem_of(odd_one_table, true),
	    "a computed jump is not understood");
	ck_assert_str_eq(problem_of(odd_narrow, true),
	    "it cannot be decoded");
	ck_assert_str_eq(problem_of(odd_overlapped, true),
	    "it cannot be decoded");
	ck_assert_str_eq(problem_of(odd_inside, true),
	    "it begins in another instruction");
	ck_assert_str_eq(problem_of(odd_overlaid, false),
	    "it runs into the next function");
	ck_assert_str_eq(problem_of(odd_data, true),
	    "data is among its instructions");
	ck_assert_str_eq(problem_of(odd_other_data, true),
	    "data is among its instructions");
	ck_assert_str_eq(problem_of(odd_pads, true),
	    "its landing pads are not understood");
	ck_assert_str_eq(problem_of(odd_far_data, true),
	    "it refers to a place in itself");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("odd code");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, remember, NULL);
	tcase_add_loop_test(tcase, functions_do_as_before, 0, NTRIED);
	tcase_add_loop_test(tcase, counts_are_right, 0, NTRIED);
	tcase_add_test(tcase, functions_are_refused);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
