/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The ways from a region to its stub, each in functions that have room for no
 * better one: these have the same results as before, and counts that are known.
 */
#include <sys/mman.h>
#include <sys/time.h>

#include <execinfo.h>
#include <signal.h>

#include "arming.h"
#include "pid/plan.h"

#define CALLS	5u		/* of each function */

/* ------------------------------------------------------------ tried code */

/*
 * Functions follow each other without filler, in the order of the text.  A wall
 * is out of reach of short jumps over it, and no region: it has calls alone.
 */
#define FUNCTION(name, text)						\
	long	name(long, long, long, long, long, long, const void *);	\
	__asm__(".section .text.ways, \"ax\", @progbits\n"		\
	    ".type " #name ", @function\n" #name ":\n.cfi_startproc\n"	\
	    text "\n.cfi_endproc\n.size " #name ", . - " #name "\n .text\n")
#define WALL(name)							\
	FUNCTION(name, ".rept 60\n call wall_nothing\n .endr\n ret\n")

FUNCTION(wall_nothing, "ret");
FUNCTION(wall_value, "jmp called");
FUNCTION(wall_carry, "setb %al\n movzbl %al, %eax\n ret");
WALL(wall_begin);

/* The rest of a long instruction is dead. */
FUNCTION(tail_host, "movabs $0x1122334455667788, %rax\n ret");
FUNCTION(tail_short, "mov %edi, %eax\n ret");
FUNCTION(tail_exits,
    "movabs $3, %rax\n test %edi, %edi\n je 1f\n mov %rdi, %rax\n"
    " shl $2, %rax\n inc %rax\n ret\n 1: inc %eax\n ret");
WALL(wall_tail);

/* Filler after a function is dead; the jump of its exit needs four bytes. */
FUNCTION(filler_host, "mov %esi, %eax\n test %edi, %edi\n je 1f\n"
    " mov $9, %eax\n 1: ret\n"
    " .byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");
FUNCTION(filler_short, "mov %esi, %eax\n ret");
WALL(wall_filler);

/* An exit if a condition holds, which the function after it tests as well. */
FUNCTION(branch_plain,
    "mov $8, %eax\n cmp %rsi, %rdi\n jb wall_carry\n neg %eax\n ret");
FUNCTION(branch_both,
    "cmp %rsi, %rdi\n jb wall_carry\n ja wall_carry\n xor %eax, %eax\n ret");
WALL(wall_branch);

/* A call among the first bytes, with room for a jump before its last ones. */
#define FRAME	"sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n "
#define LEAVE	"\n add $8, %rsp\n .cfi_adjust_cfa_offset -8\n ret"
static const void *const ways_pointer __attribute__((used)) = wall_value;
FUNCTION(place_direct, FRAME "call wall_value" LEAVE);
FUNCTION(place_relative, FRAME "call *ways_pointer(%rip)" LEAVE);
FUNCTION(place_stack, FRAME "{disp32} call *16(%rsp)" LEAVE);
FUNCTION(place_branch, "test %edi, %edi\n je 1f\n call wall_value\n"
    " add $5, %rax\n nop\n ret\n 1: lea 3(%rsi), %rax\n nop\n ret");
WALL(wall_place);

/* Without such room the call leads to the stub. */
#define PUSH	"push %rbx\n .cfi_adjust_cfa_offset 8\n "
#define POP	"\n mov %rsi, %rcx\n pop %rbx\n .cfi_adjust_cfa_offset -8\n ret"
FUNCTION(aim_direct, PUSH "call wall_value" POP);
FUNCTION(aim_first, "call wall_value\n add $3, %rax\n nop\n ret");
FUNCTION(aim_relative, "call *ways_pointer(%rip)\n add $3, %rax\n nop\n ret");
FUNCTION(aim_pushes, "push %r12\n .cfi_adjust_cfa_offset 8\n push %rdi\n"
    " .cfi_adjust_cfa_offset 8\n call wall_value\n lea 8(%rsp), %rsp\n"
    " .cfi_adjust_cfa_offset -8\n pop %r12\n .cfi_adjust_cfa_offset -8\n"
    " ret");
WALL(wall_aim);

/* Or a short jump has room, and a hole near it the jump. */
FUNCTION(hole_host, "movabs $0x1122334455667788, %rax\n ret");
FUNCTION(hole_call, PUSH "{disp32} call *16(%rsp)" POP);
WALL(wall_hole);

/*
 * There is no hole, but a region near it can be longer.  The function is too
 * long to be one region.
 */
FUNCTION(long_host, "mov $1, %eax\n lea 3(%rdi, %rax, 2), %rax\n"
    " add %rsi, %rax\n lea (%rax, %rax, 4), %rax\n"
    " .rept 8\n imul $7, %rax, %rax\n .endr\n inc %rax\n ret");
FUNCTION(long_short, "mov %edi, %eax\n ret");
WALL(wall_long);

/* Nor a region, but a line that has room for two jumps. */
FUNCTION(wall_line, "test %edi, %edi\n je 1f\n call wall_nothing\n"
    " mov $1, %eax\n lea 3(%rdi, %rax, 2), %rax\n add %rsi, %rax\n"
    " imul $7, %rax, %rax\n lea (%rax, %rax, 4), %rax\n"
    " call wall_nothing\n 1: ret");
FUNCTION(line_short, "mov %edi, %eax\n ret");
FUNCTION(line_exit, "call wall_nothing\n test %esi, %edi\n jne 1f\n"
    " xor %eax, %eax\n call wall_nothing\n 1: mov %esi, %eax\n ret");
WALL(wall_moved);

/*
 * Nor a line, but the bytes that follow are a part of an address where there is
 * memory, 256 MiB below the program.
 */
FUNCTION(pun_one, "ret");
FUNCTION(wall_one, "mov $0xf00000, %eax\n ret");
WALL(wall_pun);
FUNCTION(pun_three, "mov %edi, %eax\n ret");
FUNCTION(wall_three, "mov $0xf0, %eax\n ret");
WALL(wall_end);

#define TRIED(name)	{ name, #name }
static const struct tried {
	long (*function)(long, long, long, long, long, long, const void *);
	const char *name;
} tried[] = {
	TRIED(tail_host), TRIED(tail_short), TRIED(tail_exits),
	TRIED(filler_host), TRIED(filler_short),
	TRIED(branch_plain), TRIED(branch_both),
	TRIED(place_direct), TRIED(place_relative), TRIED(place_stack),
	TRIED(place_branch),
	TRIED(aim_direct), TRIED(aim_first), TRIED(aim_relative),
	TRIED(aim_pushes), TRIED(hole_host), TRIED(hole_call),
	TRIED(long_host), TRIED(long_short),
	TRIED(line_short), TRIED(line_exit)
};
#define NTRIED	(sizeof(tried) / sizeof(*tried))

/* The function that tried ones call; it keeps its stack, if that is wanted. */
#define FRAMES	8

static void *frames[FRAMES];
static int nframes;
static bool keeps;
long	called(long, long);

/* Not all of its callers align the stack. */
__attribute__((force_align_arg_pointer)) long
called(long a, long b)
{
	if (keeps)
		nframes = backtrace(frames, FRAMES);
	return (a + b + 41);
}

static __attribute__((noinline)) long
run_all(void)
{
	volatile unsigned long sum = 0;
	size_t i;
	long n;

	for (i = 0; i < NTRIED; i++)
		for (n = 0; n < (long)CALLS; n++)
			sum = sum * 31 + (unsigned long)tried[i].function(n,
			    2, 0, 0, 0, 0, (const void *)wall_value);
	for (n = 0; n < (long)CALLS; n++) {
		(void)pun_one(n, 0, 0, 0, 0, 0, NULL);
		sum += (unsigned long)pun_three(n, 0, 0, 0, 0, 0, NULL);
		sum = sum * 31 + (unsigned long)(wall_line(n, 3, 0, 0, 0, 0,
		    NULL) + wall_one(n, 0, 0, 0, 0, 0, NULL) * wall_three(n,
		    0, 0, 0, 0, 0, NULL));
	}
	return ((long)sum);
}

/* ------------------------------------------------------------ tests */

static void
arm_all(void)
{
	static const char *const prefixes[] = {
		"tail_", "filler_", "branch_", "place_", "aim_", "hole_",
		"long_", "line_", "pun_", NULL
	};

	arm(prefixes);
}

/* A program at a fixed address has no memory below it. */
static bool
has_puns(void)
{
	return ((uintptr_t)run_all > 1u << 30);
}

START_TEST(all_points_have_regions)
{
	size_t i;

	arm_all();
	for (i = 0; i < npoints; i++)
		ck_assert_msg(points[i].problem == NULL ||
		    (!has_puns() && strncmp(own.map.codes[
		    points[i].function].name, "pun_", 4) == 0), "%s+%td: %s",
		    own.map.codes[points[i].function].name,
		    (ptrdiff_t)(points[i].at -
		    own.map.codes[points[i].function].start),
		    points[i].problem);
}
END_TEST

static const struct patch_point *
entry_of(const void *function)
{
	size_t i;

	for (i = 0; i < npoints; i++)
		if (points[i].is_entry && points[i].at == (uintptr_t)function)
			return (&points[i]);
	ck_abort_msg("the function has no entry");
}

static enum patch_means
way_of(const void *function)
{
	const struct patch_point *point = entry_of(function);

	ck_assert_ptr_null(point->problem);
	return (regions.all[point->region].way);
}

static const struct patch_code *
code_of(long (*function)(void))
{
	return (patch_map_code(&own.map, (uintptr_t)function));
}

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
	for (i = 0; i < npoints; i++)
		ck_assert_ptr_eq(counters[i].count == 0 ? code_of(run_all) :
		    patch_map_code(&own.map, counters[i].caller),
		    code_of(run_all));
	for (i = 0; i < NTRIED; i++) {
		ck_assert_msg(count_of(tried[i].function, true) == CALLS,
		    "entries of %s", tried[i].name);
		ck_assert_msg(count_of(tried[i].function, false) == CALLS,
		    "exits of %s", tried[i].name);
	}
}
END_TEST

/* One function begins with carry: checks at all functions keep it. */
START_TEST(flags_that_a_function_takes_are_found)
{
	arm_all();
	ck_assert(own.map.passes_flags);
	ck_assert(patch_map_code(&own.map, (uintptr_t)wall_carry)->reads_flags);
	ck_assert(!patch_map_code(&own.map,
	    (uintptr_t)wall_nothing)->reads_flags);
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

/* Returns the exit at the lowest address of a function, or the highest. */
static const struct patch_point *
exit_of(const void *function, bool is_last)
{
	const struct patch_point *found = NULL, *point;

	for (point = points; point < points + npoints; point++)
		if (point->function == entry_of(function)->function &&
		    !point->is_entry && (found == NULL || is_last))
			found = point;
	ck_assert_ptr_nonnull(found);
	ck_assert_ptr_null(found->problem);
	return (found);
}

/* Its stub needs no jump back, and the way to its exit no other stub. */
START_TEST(a_short_line_to_an_exit_is_one_region)
{
	arm_all();
	ck_assert_uint_eq(exit_of(tail_exits, false)->region,
	    entry_of(tail_exits)->region);
	ck_assert_uint_ne(exit_of(tail_exits, true)->region,
	    entry_of(tail_exits)->region);
	ck_assert_uint_ne(exit_of(long_host, false)->region,
	    entry_of(long_host)->region);
}
END_TEST

static const struct patch_region *
region_of(const void *function)
{
	ck_assert_ptr_null(entry_of(function)->problem);
	return (&regions.all[entry_of(function)->region]);
}

START_TEST(a_call_is_made_in_place)
{
	static const void *const functions[] = {
		place_direct, place_relative, place_stack, place_branch
	};
	const struct patch_region *r;
	size_t i;

	arm_all();
	for (i = 0; i < 4; i++) {
		r = region_of(functions[i]);
		ck_assert_int_eq(r->way, PATCH_WAY_JUMP);
		ck_assert_uint_ne(r->call, 0);
		ck_assert_mem_eq((const void *)(r->end - 4),
		    "\xff\x54\x24\xf8", 4);
	}
	r = region_of(hole_call);
	ck_assert_int_eq(r->way, PATCH_WAY_HOLE);
	ck_assert_uint_ne(r->call, 0);
}
END_TEST

START_TEST(a_call_leads_to_its_stub)
{
	static const void *const functions[] = {
		aim_direct, aim_first, aim_relative, aim_pushes
	};
	const struct patch_region *r;
	size_t i;

	arm_all();
	for (i = 0; i < 4; i++) {
		r = region_of(functions[i]);
		ck_assert_int_eq(r->way, PATCH_WAY_AIM);
		ck_assert_uint_eq(r->pushed, 8 * (r->call - r->start -
		    (i == 3) + 1));
	}
}
END_TEST

START_TEST(a_region_is_longer_for_a_hole)
{
	const struct patch_region *r;

	arm_all();
	r = region_of(long_short);
	ck_assert_int_eq(r->way, PATCH_WAY_HOLE);
	ck_assert_uint_eq(r->host, entry_of(long_host)->region);
	r = region_of(long_host);
	ck_assert_uint_ge(r->end, r->start + 10);
}
END_TEST

START_TEST(a_line_is_moved_for_a_hole)
{
	const struct patch_region *r;
	size_t i;

	arm_all();
	r = region_of(line_short);
	ck_assert_int_eq(r->way, PATCH_WAY_HOLE);
	ck_assert_uint_ne(r->host, PATCH_NO_REGION);
	for (i = 0; i < npoints; i++)
		ck_assert_uint_ne(points[i].region, r->host);
	r = &regions.all[r->host];
	ck_assert_int_eq(r->way, PATCH_WAY_JUMP);
	ck_assert_str_eq(patch_map_code(&own.map, r->start)->name,
	    "wall_line");
}
END_TEST

/* Returns the destination that the bytes of a pun have in part. */
static uintptr_t
pun_target(const void *function)
{
	int32_t displacement;

	memcpy(&displacement, (const uint8_t *)function + 1,
	    sizeof(displacement));
	return ((uintptr_t)function + 5 + (uintptr_t)(intptr_t)displacement);
}

START_TEST(a_pun_leads_to_a_jump)
{
	const struct patch_region *r;

	arm_all();
	r = region_of(pun_one);
	ck_assert_int_eq(r->way, PATCH_WAY_PUN);
	ck_assert_uint_eq(r->changed, 1);
	r = region_of(pun_three);
	ck_assert_int_eq(r->way, PATCH_WAY_PUN);
	ck_assert_uint_eq(r->changed, 3);
	ck_assert_mem_eq((const void *)pun_target(pun_one), "\xff\x25", 2);
	ck_assert_mem_eq((const void *)wall_one, "\xb8\0\0\xf0\0", 5);
	enabled = 1;
	(void)run_all();
	ck_assert_uint_eq(count_of(pun_one, true), CALLS);
	ck_assert_uint_eq(count_of(pun_one, false), CALLS);
}
END_TEST

START_TEST(a_pun_takes_no_memory_of_others)
{
	uintptr_t target = pun_target(pun_one) & ~(uintptr_t)4095;
	long sum = run_all();

	ck_assert_ptr_eq(mmap((void *)target, 4096, PROT_NONE, MAP_PRIVATE |
	    MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), (void *)target);
	arm_all();
	ck_assert_str_eq(entry_of(pun_one)->problem,
	    "it is too short, and its pun's target is taken");
	enabled = 1;
	ck_assert_int_eq(run_all(), sum);
	ck_assert_uint_eq(count_of(pun_one, true), 0);
	ck_assert_uint_eq(count_of(pun_three, true), CALLS);
}
END_TEST

/* Return addresses are those of the original calls, for unwinders as well. */
START_TEST(a_stack_has_the_function_of_a_call)
{
	static const struct {
		long (*function)(long, long, long, long, long, long,
		    const void *);
	} all[] = {
		{ place_direct }, { place_relative }, { place_stack },
		{ place_branch }, { aim_direct }, { aim_first },
		{ aim_relative }, { aim_pushes }, { hole_call }
	};
	const struct patch_code *code;
	size_t i;

	arm_all();
	enabled = keeps = true;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		nframes = 0;
		(void)all[i].function(1, 2, 0, 0, 0, 0,
		    (const void *)wall_value);
		ck_assert_int_ge(nframes, 3);
		code = patch_map_code(&own.map, (uintptr_t)all[i].function);
		ck_assert_ptr_eq(patch_map_code(&own.map,
		    (uintptr_t)frames[1]), code);
		ck_assert_str_eq(patch_map_code(&own.map,
		    (uintptr_t)frames[2])->name, __func__);
	}
}
END_TEST

/* ------------------------------------------------------------ objects */

/* Bytes of a text, as the regions of an object use them. */
enum { CHANGED = 0x1, LOCKED = 0x2, LINE = 0x4 };

struct bytes {
	const struct patch_map *map;
	uint8_t *uses;
};

static void
use(struct bytes *b, uintptr_t at, uintptr_t end, uint8_t how,
    uint8_t excluded)
{
	for (; at < end; at++) {
		ck_assert(patch_map_has(b->map, at));
		ck_assert_uint_eq(b->uses[at - b->map->text->start] &
		    excluded, 0);
		b->uses[at - b->map->text->start] |= how;
	}
}

/* Bytes of a hole are in the line of a region armed before, or filler. */
static void
check_hole(struct bytes *b, const struct patch_regions *all, size_t i)
{
	const struct patch_region *r = &all->all[i], *host;
	intptr_t distance = (intptr_t)(r->hole - (r->start + 2));
	uintptr_t at;

	ck_assert(distance >= INT8_MIN && distance <= INT8_MAX);
	use(b, r->hole, r->hole + 5, CHANGED, CHANGED | LOCKED);
	host = r->host == PATCH_NO_REGION ? NULL : &all->all[r->host];
	ck_assert(host == NULL || r->host < i);
	for (at = r->hole; at < r->hole + 5; at++)
		ck_assert((*patch_map_mark(b->map, at) & PATCH_FILLER) != 0 ||
		    (host != NULL && at >= host->start && at < host->end));
}

static void
check_region(struct bytes *b, const struct patch_regions *all, size_t i)
{
	const struct patch_region *r = &all->all[i];
	uintptr_t at, end = r->start + (r->way == PATCH_WAY_JUMP ? 5 :
	    r->way == PATCH_WAY_HOLE ? 2 : r->changed);

	use(b, r->start, r->end, LINE, LINE);
	for (at = r->start; at < r->end; at++) {
		ck_assert(at == r->start || (*patch_map_mark(b->map, at) &
		    PATCH_ARRIVAL) == 0);
		ck_assert(at == r->call || patch_class(*patch_map_mark(b->map,
		    at)) != PATCH_CALL);
	}
	if (r->way == PATCH_WAY_AIM) {
		use(b, r->end - 4, r->end, CHANGED, CHANGED | LOCKED);
		return;
	}
	use(b, r->start, r->call != 0 ? r->end : end, CHANGED, CHANGED |
	    LOCKED);
	if (r->way == PATCH_WAY_PUN)
		use(b, end, r->start + 5, LOCKED, 0);
	if (r->hole != 0)
		check_hole(b, all, i);
}

/* Plans all of a file as if it were loaded, and counts the ways. */
static void
check_file(const char *path, size_t ways[PATCH_WAY_PUN + 1])
{
	struct pid_functions f = { .naliases = 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct bytes b = { .map = &f.map };
	struct pid_image image;
	struct pid_plan plan;
	size_t i;

	ck_assert_int_ne(fd, -1);
	ck_assert_ptr_null(pid_image_read(&image, fd));
	ck_assert_ptr_null(pid_functions_find(&f, &image.memory, fd, NULL,
	    NULL));
	f.map.stays = true;
	ck_assert_ptr_null(pid_plan_begin(&plan, &f));
	for (i = 0; i < f.map.ncodes; i++)
		if (f.map.codes[i].owner == i)
			pid_plan_add(&plan, i, true, true);
	ck_assert_ptr_null(pid_plan_make(&plan));
	b.uses = calloc(f.text.end - f.text.start, 1);
	ck_assert_ptr_nonnull(b.uses);
	for (i = 0; i < plan.regions.n; i++) {
		check_region(&b, &plan.regions, i);
		ways[plan.regions.all[i].way]++;
	}
	free(b.uses);
	pid_plan_free(&plan);
	pid_functions_free(&f);
	pid_image_free(&image);
	close(fd);
}

/* A byte has at most one use, and none after a pun counts on it. */
START_TEST(regions_leave_each_other_alone)
{
	size_t ways[PATCH_WAY_PUN + 1] = { 0 }, i;

	check_file("/bin/bash", ways);
	check_file("/lib/x86_64-linux-gnu/libc.so.6", ways);
	for (i = 0; i <= PATCH_WAY_PUN; i++)
		ck_assert_uint_gt(ways[i], 0);
}
END_TEST

/* ------------------------------------------------------------ signals */

static volatile sig_atomic_t signals;

static void
handler(int signal)
{
	(void)signal;
	signals++;
}

START_TEST(signals_in_stubs_change_nothing)
{
	static const struct itimerval often = { { 0, 200 }, { 0, 200 } };
	long sum = run_all();
	unsigned i;

	arm_all();
	signal(SIGALRM, handler);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (i = 0; signals < 200; i++) {
		enabled = i & 1;
		ck_assert_int_eq(run_all(), sum);
	}
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
	tcase_add_test(tcase, flags_that_a_function_takes_are_found);
	tcase_add_test(tcase, a_short_jump_leads_to_a_hole);
	tcase_add_test(tcase, a_short_line_to_an_exit_is_one_region);
	tcase_add_test(tcase, a_call_is_made_in_place);
	tcase_add_test(tcase, a_call_leads_to_its_stub);
	tcase_add_test(tcase, a_stack_has_the_function_of_a_call);
	tcase_add_test(tcase, a_region_is_longer_for_a_hole);
	tcase_add_test(tcase, a_line_is_moved_for_a_hole);
	if (has_puns()) {
		tcase_add_test(tcase, a_pun_leads_to_a_jump);
		tcase_add_test(tcase, a_pun_takes_no_memory_of_others);
	}
	tcase_add_test(tcase, regions_leave_each_other_alone);
	tcase_add_test(tcase, signals_in_stubs_change_nothing);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
