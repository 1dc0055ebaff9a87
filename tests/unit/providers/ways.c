/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The ways from a region to its stub, each in functions that have room for no
 * better one: these have the same results as before, and counts that are known.
 */
#include "arming.h"

#define CALLS	5u		/* of each function */

/* ------------------------------------------------------------ tried code */

/*
 * Functions follow each other without filler, in the order of the text.  A wall
 * is out of reach of short jumps over it, and no region: it has calls alone.
 */
#define FUNCTION(name, text)						\
	long	name(long, long);					\
	__asm__(".section .text.ways, \"ax\", @progbits\n"		\
	    ".type " #name ", @function\n" #name ":\n.cfi_startproc\n"	\
	    text "\n.cfi_endproc\n.size " #name ", . - " #name "\n .text\n")
#define WALL(name)							\
	FUNCTION(name, ".rept 60\n call wall_nothing\n .endr\n ret\n")

FUNCTION(wall_nothing, "ret");
FUNCTION(wall_carry, "setb %al\n movzbl %al, %eax\n ret");
WALL(wall_begin);

/* The rest of a long instruction is dead. */
FUNCTION(tail_host, "movabs $0x1122334455667788, %rax\n ret");
FUNCTION(tail_short, "mov %edi, %eax\n ret");
FUNCTION(tail_exits,
    "movabs $3, %rax\n test %edi, %edi\n je 1f\n mov %rdi, %rax\n"
    " shl $2, %rax\n inc %rax\n ret\n 1: inc %eax\n ret");
WALL(wall_tail);

/* Filler after a function is dead. */
FUNCTION(filler_host, "mov $9, %eax\n ret\n"
    " .byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");
FUNCTION(filler_short, "mov %esi, %eax\n ret");
WALL(wall_filler);

/* An exit if a condition holds, which the function after it tests as well. */
FUNCTION(branch_plain,
    "mov $8, %eax\n cmp %rsi, %rdi\n jb wall_carry\n neg %eax\n ret");
FUNCTION(branch_both,
    "cmp %rsi, %rdi\n jb wall_carry\n ja wall_carry\n xor %eax, %eax\n ret");
WALL(wall_end);

#define TRIED(name)	{ name, #name }
static const struct tried {
	long (*function)(long, long);
	const char *name;
} tried[] = {
	TRIED(tail_host), TRIED(tail_short), TRIED(tail_exits),
	TRIED(filler_host), TRIED(filler_short),
	TRIED(branch_plain), TRIED(branch_both)
};
#define NTRIED	(sizeof(tried) / sizeof(*tried))

static long
run_all(void)
{
	volatile unsigned long sum = 0;
	size_t i;
	long n;

	for (i = 0; i < NTRIED; i++)
		for (n = 0; n < (long)CALLS; n++)
			sum = sum * 31 + (unsigned long)tried[i].function(n,
			    2);
	return ((long)sum);
}

/* ------------------------------------------------------------ tests */

static void
arm_all(void)
{
	static const char *const prefixes[] = {
		"tail_", "filler_", "branch_", NULL
	};

	arm(prefixes);
}

static const struct patch_point *
entry_of(const void *function)
{
	size_t i;

	for (i = 0; i < npoints; i++)
		if (points[i].is_entry && points[i].at == (uintptr_t)function)
			return (&points[i]);
	ck_abort_msg("the function has no entry");
}

static enum patch_way
way_of(const void *function)
{
	const struct patch_point *point = entry_of(function);

	ck_assert_ptr_null(point->problem);
	return (regions.all[point->region].way);
}

START_TEST(all_points_have_regions)
{
	size_t i;

	arm_all();
	for (i = 0; i < npoints; i++)
		ck_assert_msg(points[i].problem == NULL, "%s+%td: %s",
		    own.map.codes[points[i].function].name,
		    (ptrdiff_t)(points[i].at -
		    own.map.codes[points[i].function].start),
		    points[i].problem);
}
END_TEST

START_TEST(functions_do_as_before)
{
	long sum = run_all();
	size_t i;

	arm_all();
	ck_assert_int_eq(run_all(), sum);
	for (i = 0; i < NTRIED; i++)
		ck_assert_uint_eq(count_of(tried[i].function, true), 0);
	enabled = 1;
	ck_assert_int_eq(run_all(), sum);
	for (i = 0; i < NTRIED; i++) {
		ck_assert_msg(count_of(tried[i].function, true) == CALLS,
		    "entries of %s", tried[i].name);
		ck_assert_msg(count_of(tried[i].function, false) == CALLS,
		    "exits of %s", tried[i].name);
	}
}
END_TEST

START_TEST(a_short_jump_leads_to_a_hole)
{
	const struct patch_region *r;

	arm_all();
	ck_assert_int_eq(way_of(tail_host), PATCH_WAY_JUMP);
	ck_assert_int_eq(way_of(tail_short), PATCH_WAY_HOLE);
	ck_assert_int_eq(way_of(filler_short), PATCH_WAY_HOLE);
	r = &regions.all[entry_of(tail_short)->region];
	ck_assert_uint_eq(r->host, entry_of(tail_host)->region);
	r = &regions.all[entry_of(filler_short)->region];
	ck_assert_uint_eq(r->host, PATCH_NO_REGION);
	ck_assert_uint_gt(r->hole, (uintptr_t)filler_host);
	ck_assert_uint_lt(r->hole, (uintptr_t)filler_short);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ways");
	TCase *tcase = tcase_create("all");
	const char *sanitizer = getenv("SANITIZER");

	if (sanitizer != NULL && *sanitizer != '\0')
		return (77);
	tcase_add_test(tcase, all_points_have_regions);
	tcase_add_test(tcase, functions_do_as_before);
	tcase_add_test(tcase, a_short_jump_leads_to_a_hole);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
