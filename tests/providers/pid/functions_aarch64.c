/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of this program, of aarch64 instructions, are armed at their
 * entries and exits: they have the same results as before, and known numbers of
 * passes, and no register changes.  The program needs no other library than the
 * C library, and runs in an emulator of programs.  An emulator keeps code that
 * it has run, so a child runs the functions before they are armed.
 *
 * The plan of one function alone is as that of all, in some files, or in each
 * function of the files that are arguments.
 */
#include <sys/auxv.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aarch64/registers.h"
#include "pid/image.h"
#include "pid/plan.h"

#define HAS_SIGNATURES	(1ul << 30)	/* HWCAP_PACA */

/* ------------------------------------------------------------ made by hand */

typedef long (*made)(long, long);

#define CODE(name, text)					\
	__asm__(".text\n.balign 8\n.type made_" #name ", %function\n"	\
	    "made_" #name ":\n\t.cfi_startproc\n\t" text		\
	    "\n\t.cfi_endproc\n"					\
	    ".size made_" #name ", . - made_" #name "\n");		\
	__attribute__((visibility("hidden"))) long made_##name(long, long)

/* A piece without a symbol. */
#define PIECE(label, text)						\
	__asm__(".section .text.unlikely, \"ax\"\n" label ":\n\t"	\
	    ".cfi_startproc\n\t" text "\n\t.cfi_endproc\n.text\n")

#define RODATA(text)							\
	__asm__(".section .rodata\n.balign 8\n" text "\n.text\n")
#define DATA(text)							\
	__asm__(".data\n.balign 8\n" text "\n.text\n")

CODE(plain, "add x0, x0, x1\n ret");
CODE(ret, "ret");
CODE(pad, "hint #34\n ret");				/* bti c */
CODE(pads, "hint #36\n hint #34\n add x0, x0, #3\n ret");
CODE(signed, "hint #25\n stp x29, x30, [sp, #-16]!\n"	/* paciasp */
    " .cfi_def_cfa_offset 16\n bl made_plain\n"
    " ldp x29, x30, [sp], #16\n .cfi_def_cfa_offset 0\n"
    " hint #29\n ret");						/* autiasp */
CODE(retaa, "hint #25\n add x0, x0, #5\n .inst 0xd65f0bff");

/* Words that look like exits are data. */
CODE(adr, "adr x2, 1f\n ldr w0, [x2, #4]\n ret\n"
    "1: .word 0xd65f03c0, 0x14000400");
CODE(adrp, "adrp x2, made_word\n ldr x0, [x2, :lo12:made_word]\n ret");
CODE(ldr, "ldr x0, 1f\n ret\n.balign 8\n"
    "1: .quad 0xd65f03c014000400");
CODE(ldrw, "ldr w0, 1f\n ret\n1: .word 0xd65f03c0");
CODE(ldrsw, "ldrsw x0, 1f\n ret\n1: .word 0xd65f03c0");
DATA("made_word: .quad 0x1234567890");

CODE(cbz, "cbz x0, 1f\n mov x0, #5\n ret\n1: mov x0, #9\n ret");
CODE(cbnz, "cbnz w0, 1f\n mov x0, #5\n ret\n1: mov x0, #9\n ret");
CODE(tbz, "tbz x0, #0, 1f\n mov x0, #5\n ret\n1: mov x0, #9\n ret");
CODE(tbnz, "tbnz x1, #33, 1f\n mov x0, #5\n ret\n1: mov x0, #9\n ret");
CODE(back, "b 2f\n1: sub x0, x0, #1\n2: cbnz x0, 1b\n mov x0, x1\n ret");

/* Loops back to the entry, whose turns do not count. */
CODE(turns, "sub x0, x0, #1\n tbnz x0, #2, made_turns\n cmp x0, #1\n"
    " b.gt made_turns\n ret");
CODE(jumps, "hint #34\n sub x0, x0, #1\n cmp x0, #0\n b.le 1f\n"
    " b made_jumps\n1: ret");

/* Flags are arguments, and are passed on by a branch. */
CODE(ifeq, "b.eq 1f\n cset x0, lo\n ret\n1: mov x0, #9\n ret");
CODE(flags, "cmp x0, x1\n b made_ifeq");

CODE(tail, "add x0, x0, #1\n b made_plain");
/* Exits under a condition. */
CODE(some, "sub x0, x0, #2\n cbz x0, made_plain\n ret");
CODE(none, "tbz x0, #1, made_plain\n subs x0, x0, #2\n b.eq made_plain\n"
    " mov x0, x1\n b made_tail");
CODE(pointer, "adrp x16, made_function\n"
    " ldr x16, [x16, :lo12:made_function]\n br x16");
DATA("made_function: .quad made_plain");
CODE(list, "adrp x2, made_functions\n and x3, x0, #1\n"
    " add x2, x2, :lo12:made_functions\n ldr x2, [x2, x3, lsl #3]\n br x2");
DATA("made_functions: .quad made_plain, made_tail");

#define CASES	"7: mov x0, #11\n ret\n mov x0, #12\n ret\n" \
		" mov x0, #13\n ret\n 9: mov x0, #14\n ret"
CODE(bytes, "cmp x0, #2\n b.hi 9f\n adrp x3, made_bytes_table\n"
    " add x3, x3, :lo12:made_bytes_table\n ldrb w3, [x3, x0]\n adr x2, 7f\n"
    " add x2, x2, w3, sxtb #2\n br x2\n" CASES);
RODATA("made_bytes_table: .byte 0, 2, 4");
CODE(words, "cmp x0, #2\n b.hi 9f\n adrp x3, made_words_table\n"
    " add x3, x3, :lo12:made_words_table\n ldrsw x2, [x3, x0, lsl #2]\n"
    " add x2, x2, x3\n br x2\n made_words_7:\n" CASES);
RODATA("made_words_table: .long made_words_7 - ., made_words_7 + 12 - .,"
    " made_words_7 + 24 - .");
CODE(framed, "sub sp, sp, #16\n .cfi_def_cfa_offset 16\n adr x2, 1f\n"
    " cbnz x0, 2f\n adr x2, 3f\n2: br x2\n1: add sp, sp, #16\n"
    " .cfi_def_cfa_offset 0\n mov x0, #21\n ret\n .cfi_def_cfa_offset 16\n"
    "3: add sp, sp, #16\n .cfi_def_cfa_offset 0\n mov x0, #22\n ret");
CODE(either, "cmp x0, #1\n b.hi 9f\n adrp x2, made_labels\n"
    " add x2, x2, :lo12:made_labels\n ldr x2, [x2, x0, lsl #3]\n br x2\n"
    "made_label: mov x0, #31\n ret\n9: mov x0, #32\n ret");
DATA("made_labels: .quad made_label, made_plain");
CODE(mixed, "adr x2, 1f\n add x2, x2, x0\n br x2\n 1: ret\n"
    " .word 0x02000000");

CODE(loop, "adrp x2, made_counter\n add x2, x2, :lo12:made_counter\n"
    "1: ldxr x3, [x2]\n add x3, x3, #1\n stxr w4, x3, [x2]\n cbnz w4, 1b\n"
    " add x0, x0, x1\n ret");
DATA("made_counter: .quad 0");
CODE(exclusive, "ldxr w3, [x0]\n stxr w4, w3, [x0]\n ret");
CODE(inside, "mov w4, #1\n ldaxp x2, x3, [x0]\n cbz x2, 1f\n ret\n"
    "1: stlxp w4, x2, x3, [x0]\n ret");
CODE(call, "bl made_plain\n ret");
CODE(calls, "blr x0\n ret");
CODE(system, "svc #0\n ret");
CODE(prefix, ".inst 0x0420bc20\n .inst 0x04a00000\n ret"); /* movprfx */
CODE(vector, "ldr q0, 1f\n ret\n .balign 16\n1: .quad 1, 2");
CODE(short, "hint #34");
CODE(runs_on, "nop\n nop");
CODE(stops, "cbz x0, 1f\n ret\n1: brk #1\n .word 0xd65f03c0");
/* Out of the object, as another provider's branch is. */
CODE(foreign, "add x0, x0, #1\n .inst 0x15ffffff\n ret");

CODE(parted, "cbz x0, .Lcold\n .Lback: ret");
PIECE(".Lcold", "mov x0, #7\n cbz x1, .Lback\n ret");
CODE(first, "mov x2, #1\n b .Lshared");
CODE(second, "mov x2, #2\n b .Lshared");
PIECE(".Lshared", "add x0, x0, x2\n ret");
/* A part that does not return to its function. */
CODE(ends, "cbz x0, .Lends\n mov x0, #8\n ret");
PIECE(".Lends", "mov x0, #7\n ret");
/* A call arrives where its function alone would not. */
CODE(middle, "add x0, x0, #1\n ret\n .Lmiddle: add x0, x0, #3\n ret");
CODE(enters, "mov x9, x30\n bl .Lmiddle\n mov x30, x9\n ret");
/* A function that is called by a case of a table, and last by another one. */
CODE(last, "add x0, x0, #1\n b .Lcalled");
PIECE(".Lcalled", "add x0, x0, #2\n ret");
CODE(cases, "cmp x0, #1\n b.hi 9f\n adrp x3, made_cases_table\n"
    " add x3, x3, :lo12:made_cases_table\n ldrsw x2, [x3, x0, lsl #2]\n"
    " mov x9, x30\n add x2, x2, x3\n br x2\n"
    ".Lcase: bl .Lcalled\n mov x30, x9\n ret\n"
    " mov x0, #4\n 9: ret");
RODATA("made_cases_table: .long .Lcase - made_cases_table,"
    " .Lcase + 12 - made_cases_table");
CODE(nothing, "nop\n ret");
FUNCTION("uses_all", "bl made_nothing\n\t");

void	uses_all(const uint64_t *, uint64_t *);

static const char a_call[] = "a call is among the bytes";
static const char a_place[] = "its instruction depends on its place";
static const char a_sequence[] = "it is among exclusive loads and stores";

/* Functions, their exits, and why these or their entries are refused. */
static const struct tried {
	const char *name;
	made function;
	unsigned nexits;
	const char *entry, *exit;
	bool runs;
} all[] = {
#define RUNS(name, exits)	{ #name, made_##name, exits, NULL, NULL, true }
#define REFUSED(name, exits, entry, exit)				\
	{ #name, made_##name, exits, entry, exit, false }
	RUNS(plain, 1), RUNS(ret, 1), RUNS(pad, 1), RUNS(pads, 1),
	RUNS(signed, 1), RUNS(adr, 1), RUNS(adrp, 1), RUNS(ldr, 1),
	RUNS(ldrw, 1), RUNS(ldrsw, 1), RUNS(cbz, 2), RUNS(cbnz, 2),
	RUNS(tbz, 2), RUNS(tbnz, 2), RUNS(back, 1), RUNS(turns, 1),
	RUNS(jumps, 1),
	RUNS(flags, 1), RUNS(tail, 1), RUNS(pointer, 1), RUNS(list, 1),
	RUNS(bytes, 4), RUNS(words, 4), RUNS(framed, 2), RUNS(loop, 1),
	RUNS(some, 2), RUNS(none, 3),
	RUNS(parted, 2), RUNS(first, 1), RUNS(second, 1), RUNS(nothing, 1),
	RUNS(last, 1), RUNS(cases, 2), RUNS(ends, 2),
	REFUSED(middle, 2, NULL, NULL), REFUSED(enters, 1, NULL, NULL),
	{ "either", made_either, 0, NULL, "a jump may be a return", true },
	{ "retaa", made_retaa, 1, NULL, NULL, true },
	REFUSED(mixed, 0, "it cannot be decoded", "it cannot be decoded"),
	REFUSED(exclusive, 1, a_sequence, NULL),
	REFUSED(inside, 2, NULL, a_sequence),
	REFUSED(call, 1, a_call, NULL), REFUSED(calls, 1, a_call, NULL),
	REFUSED(system, 1, a_place, NULL), REFUSED(prefix, 1, a_place, NULL),
	REFUSED(vector, 1, a_place, NULL),
	REFUSED(short, 0, "it is too short", "it runs into the next function"),
	REFUSED(runs_on, 0, NULL, "it runs into the next function"),
	REFUSED(ifeq, 2, NULL, NULL), REFUSED(stops, 1, NULL, NULL),
	REFUSED(foreign, 1, NULL, NULL)
};

#define TRIED		(sizeof(all) / sizeof(all[0]))
#define CALLS		8u	/* of each function */

static bool
runs(const struct tried *t)
{
	return (t->runs && (t->function != made_retaa ||
	    (getauxval(AT_HWCAP) & HAS_SIGNATURES) != 0));
}

/* ------------------------------------------------------------ compiled */

#define COMPILED	__attribute__((noinline, noclone))
#define MADE()		__asm__ volatile("")

static COMPILED long
c_recursive(long n)
{
	MADE();
	return (n < 2 ? n : c_recursive(n - 1) + c_recursive(n - 2));
}

static COMPILED long
c_switch(long n)
{
	MADE();
	switch (n) {
	case 0:
		return (c_recursive(3));
	case 1:
		return (17);
	case 2:
		return (n * n + 5);
	case 3:
		return (c_recursive(5) + 1);
	case 4:
		return (n - 100);
	default:
		return (-1);
	}
}

static COMPILED double
c_vector(double a, double b)
{
	MADE();
	return (a * b + 1);
}

static jmp_buf back;

static COMPILED void
c_jump(long n)
{
	MADE();
	if (n > 0)
		longjmp(back, 1);
}

static long
run_compiled(void)
{
	volatile long sum = 0, n;

	for (n = 0; n < (long)CALLS; n++) {
		sum = sum * 3 + c_switch(n);
		sum += (long)c_vector((double)n, 1.5);
		if (setjmp(back) == 0)
			c_jump(n & 1);
	}
	return (sum);
}

/* ------------------------------------------------------------ running */

struct results {
	long made[TRIED][CALLS];
	long compiled;
};

static void
run(struct results *r)
{
	size_t i;
	long n;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < TRIED; i++)
		for (n = 0; n < (long)CALLS && runs(&all[i]); n++)
			r->made[i][n] = all[i].function(n, n % 2 << 33);
	r->compiled = run_compiled();
}

/* Gets the results of a child, in which nothing is armed. */
static void
run_before(struct results *r)
{
	int ends[2], status;
	pid_t child;

	if (pipe(ends) != 0 || (child = fork()) == -1)
		err(1, "fork");
	if (child == 0) {
		run(r);
		_exit(write(ends[1], r, sizeof(*r)) != sizeof(*r));
	}
	close(ends[1]);
	if (read(ends[0], r, sizeof(*r)) != sizeof(*r) ||
	    waitpid(child, &status, 0) != child || status != 0)
		errx(1, "the functions do not run");
}

static void
compare(const char *when, const struct results *r, const struct results *want)
{
	size_t i;
	unsigned n;

	for (i = 0; i < TRIED; i++)
		for (n = 0; n < CALLS; n++)
			if (r->made[i][n] != want->made[i][n])
				errx(1, "%s: %s(%u) is %ld, not %ld", when,
				    all[i].name, n, r->made[i][n],
				    want->made[i][n]);
	if (r->compiled != want->compiled)
		errx(1, "%s: %ld, not %ld", when, r->compiled, want->compiled);
}

/* ------------------------------------------------------------ arming */

struct counter {
	struct patch_probe probe;
	unsigned count;
};

static struct pid_functions own;
static struct pid_plan plan;
static struct counter *counters;	/* by point */
static uint32_t enabled;

static __attribute__((target("general-regs-only"))) void
hit(struct patch_probe *probe, const struct patch_registers *r)
{
	((struct counter *)probe)->count += r->sp % 16 == 0;
}

static int
read_own(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct pid_memory memory = { .info = *info };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const char *problem;

	(void)size;
	(void)unused;
	memory.is_fixed = info->dlpi_addr == 0;
	if ((problem = pid_functions_find(&own, &memory, fd, NULL,
	    NULL)) != NULL)
		errx(1, "functions: %s", problem);
	close(fd);
	return (1);
}

static size_t
function_of(const void *address)
{
	const struct patch_code *code = patch_map_code(&own.map,
	    (uintptr_t)address);

	if (code == NULL || code->start != (uintptr_t)address)
		errx(1, "%p is not known as a function", address);
	return ((size_t)(code - own.map.codes));
}

static const struct pid_wish *
wish_of(const void *address)
{
	return (&plan.wishes[plan.wish_of[function_of(address)]]);
}

static bool
is_tried(const struct patch_code *code)
{
	return (code->name != NULL && (strncmp(code->name, "made_", 5) == 0 ||
	    strncmp(code->name, "c_", 2) == 0));
}

/* Writes of code; a place that is redirected by itself takes two. */
static unsigned writes;

int	__real_patch_write(const struct patch *, uintptr_t, const void *, size_t);
int	__wrap_patch_write(const struct patch *, uintptr_t, const void *, size_t);
const char *__real_patch_redirect(const struct patch *, uintptr_t,
	    const void *, size_t, uintptr_t, size_t);
const char *__wrap_patch_redirect(const struct patch *, uintptr_t,
	    const void *, size_t, uintptr_t, size_t);

int
__wrap_patch_write(const struct patch *patch, uintptr_t to, const void *bytes,
    size_t size)
{
	writes++;
	return (__real_patch_write(patch, to, bytes, size));
}

const char *
__wrap_patch_redirect(const struct patch *patch, uintptr_t at,
    const void *stub, size_t size, uintptr_t place, size_t taken)
{
	writes += 2;
	return (__real_patch_redirect(patch, at, stub, size, place, taken));
}

/* An emulator has threads of its own, which run none of this code. */
static void
arm(void)
{
	const char *problem;
	struct patch patch;
	size_t i;

	(void)dl_iterate_phdr(read_own, NULL);
	if ((problem = pid_plan_begin(&plan, &own)) != NULL)
		errx(1, "%s", problem);
	plan.is_once = true;
	for (i = 0; i < own.map.ncodes; i++)
		if (own.map.codes[i].owner == i && is_tried(&own.map.codes[i]))
			pid_plan_add(&plan, i, true, true);
	if ((problem = pid_plan_make(&plan)) != NULL ||
	    (problem = patch_begin_loading(&patch)) != NULL)
		errx(1, "%s", problem);
	if ((counters = calloc(plan.npoints, sizeof(*counters))) == NULL)
		err(1, "counters");
	for (i = 0; i < plan.npoints; i++) {
		counters[i].probe.enabled = &enabled;
		counters[i].probe.hit = hit;
		plan.points[i].probe = &counters[i].probe;
	}
	patch_regions_arm(&patch, &own.map, &plan.regions, plan.points,
	    plan.npoints);
	patch_end(&patch);
}

static unsigned
count_of(const void *address, bool is_entry)
{
	size_t function = function_of(address), i;
	unsigned sum = 0;

	for (i = 0; i < plan.npoints; i++)
		if (plan.points[i].function == function &&
		    plan.points[i].is_entry == is_entry)
			sum += counters[i].count;
	return (sum);
}

/* ------------------------------------------------------------ checks */

static void
check_problem(const char *name, const char *probe, const char *problem,
    const char *want)
{
	if (problem == want || (problem != NULL && want != NULL &&
	    strcmp(problem, want) == 0))
		return;
	errx(1, "%s:%s: %s, not %s", name, probe, problem == NULL ? "armed" :
	    problem, want == NULL ? "armed" : want);
}

static void
check_plan(void)
{
	const struct pid_wish *wish;
	const struct tried *t;

	for (t = all; t < all + TRIED; t++) {
		wish = wish_of((const void *)(uintptr_t)t->function);
		check_problem(t->name, "entry", wish->entry_problem, t->entry);
		check_problem(t->name, "return", wish->exit_problem, t->exit);
		if (wish->nexits != t->nexits && t->nexits != 0)
			errx(1, "%s has %zu exits, not %u", t->name,
			    wish->nexits, t->nexits);
	}
}

/* Each page of the text takes two writes, and so does each one of stubs. */
static void
check_writes(void)
{
	size_t pages = (own.map.text->end - own.map.text->start) / PATCH_PAGE +
	    2 + plan.npoints * 2 * PATCH_STUB / PATCH_PAGE + 2;

	if (writes == 0 || writes > 2 * pages)
		errx(1, "%u writes for %zu points", writes, plan.npoints);
}

static void
check_count(const char *name, const void *function, unsigned entries,
    unsigned exits)
{
	unsigned in = count_of(function, true), out = count_of(function, false);

	if (in != entries || out != exits)
		errx(1, "%s: %u entries and %u returns, not %u and %u", name,
		    in, out, entries, exits);
}

/* Functions that others call, and the others, have more. */
static void
check_counts(void)
{
	const struct tried *t;
	unsigned more;

	for (t = all; t < all + TRIED; t++) {
		if (!runs(t))
			continue;
		more = t->function == made_plain ? 4 * CALLS + 10 :
		    t->function == made_tail ? CALLS / 2 + 3 : 0;
		check_count(t->name, (const void *)(uintptr_t)t->function,
		    CALLS + more, t->exit != NULL ? 0 : CALLS + more);
	}
	check_count("ifeq", (const void *)(uintptr_t)made_ifeq, CALLS, CALLS);
	check_count("c_switch", (const void *)(uintptr_t)c_switch, CALLS,
	    CALLS);
	check_count("c_vector", (const void *)(uintptr_t)c_vector, CALLS,
	    CALLS);
	check_count("c_jump", (const void *)(uintptr_t)c_jump, CALLS,
	    CALLS / 2);
	if (count_of((const void *)(uintptr_t)c_recursive, true) !=
	    count_of((const void *)(uintptr_t)c_recursive, false))
		errx(1, "c_recursive has not as many returns as entries");
}

/* The register of the return address is the function's argument. */
static void
check_registers(void)
{
	uint64_t from[NREGISTERS], to[NREGISTERS];

	fill_registers(from);
	memset(to, 0, sizeof(to));
	uses_all(from, to);
	to[PATCH_LINK] = from[PATCH_LINK];
	compare_registers("uses_all", from, to, 0);
}

/* ------------------------------------------------------------ one alone */

#define SAMPLES		40u		/* of each file */
#define ONE		SIZE_MAX	/* of no object */

/* An object, and the plan of all of its functions or of one. */
struct object {
	struct pid_image image;
	struct pid_functions functions;
	struct pid_plan plan;
	size_t wanted;			/* ONE: all */
};

static bool
want(void *object, struct pid_functions *f)
{
	const struct object *o = object;

	f->map.codes[o->wanted].is_wanted = true;
	return (true);
}

static void
plan_object(struct object *o, int fd)
{
	const char *problem;
	size_t i;

	if ((problem = pid_image_read(&o->image, fd)) != NULL ||
	    (problem = pid_functions_find(&o->functions, &o->image.memory, fd,
	    o->wanted == ONE ? NULL : want, o)) != NULL ||
	    (problem = pid_plan_begin(&o->plan, &o->functions)) != NULL)
		errx(1, "%s", problem);
	for (i = 0; i < o->functions.map.ncodes; i++)
		if (o->functions.map.codes[i].owner == i &&
		    (o->wanted == ONE || o->wanted == i))
			pid_plan_add(&o->plan, i, true, true);
	if ((problem = pid_plan_make(&o->plan)) != NULL)
		errx(1, "%s", problem);
}

static void
free_object(struct object *o)
{
	pid_plan_free(&o->plan);
	pid_functions_free(&o->functions);
	pid_image_free(&o->image);
}

/*
 * A function's ways are the same; its callers do not matter.  Alone, a word of
 * data may be taken for a call.
 */
static void
compare_marks(const struct object *one, const struct object *all, size_t code)
{
	const struct patch_map *m = &one->functions.map;
	const struct patch_map *n = &all->functions.map;
	const struct patch_code *c = &m->codes[code];
	const uint16_t *left = patch_map_mark(m, c->start);
	const uint16_t *right = patch_map_mark(n, n->codes[code].start);
	unsigned differ, ways = PATCH_ARRIVAL | PATCH_CALLED;
	uintptr_t at;

	if (c->owner != n->codes[code].owner || c->part != n->codes[code].part)
		errx(1, "%s has other parts alone", c->name);
	for (at = 0; at < c->end - c->start; at++) {
		differ = left[at] ^ right[at];
		differ &= at == 0 ? ~(ways | PATCH_JUMPED) : ~ways | right[at];
		if (differ != 0)
			errx(1, "%s+%#zx: %#x, of all: %#x", c->name,
			    (size_t)at, left[at], right[at]);
	}
}

/* Returns how many functions were followed. */
static size_t
compare_one(const struct object *all, int fd, size_t function)
{
	const struct pid_wish *want = &all->plan.wishes[
	    all->plan.wish_of[function]], *wish;
	struct object one = { .wanted = function };
	const struct patch_map *m = &one.functions.map;
	size_t i, followed = 0;

	plan_object(&one, fd);
	if (one.plan.nwishes != 1)
		errx(1, "%s is a part alone", m->codes[function].name);
	wish = one.plan.wishes;
	check_problem(m->codes[function].name, "entry", wish->entry_problem,
	    want->entry_problem);
	check_problem(m->codes[function].name, "return", wish->exit_problem,
	    want->exit_problem);
	if (wish->nexits != want->nexits)
		errx(1, "%s has %zu exits alone, not %zu",
		    m->codes[function].name, wish->nexits, want->nexits);
	for (i = function; i != PATCH_NO_PART; i = m->codes[i].part)
		compare_marks(&one, all, i);
	for (i = 0; i < m->ncodes; i++)
		followed += m->codes[i].is_decoded;
	free_object(&one);
	return (followed);
}

static void
compare_file(const char *path, bool each)
{
	struct object all = { .wanted = ONE };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t i, n, step, done = 0, followed = 0;

	if (fd == -1)
		return;
	plan_object(&all, fd);
	n = all.functions.map.ncodes;
	step = each || n < SAMPLES ? 1 : n / SAMPLES;
	for (i = 0; i < n; i += step)
		if (all.functions.map.codes[i].owner == i) {
			followed += compare_one(&all, fd, i);
			done++;
		}
	printf("%s: %zu of %zu functions alone, %zu followed\n", path, done, n,
	    followed);
	if (followed > done * n / 4)
		errx(1, "too many functions of %s are followed", path);
	free_object(&all);
	close(fd);
}

int
main(int argc, char **argv)
{
	struct results before, after;
	int i;

	for (i = 1; i < argc; i++)
		compare_file(argv[i], true);
	if (argc > 1)
		return (0);
	run_before(&before);
	arm();
	check_plan();
	check_writes();
	run(&after);
	compare("disabled", &after, &before);
	check_registers();
	if (count_of((const void *)(uintptr_t)made_plain, true) != 0)
		errx(1, "a disabled probe has fired");
	enabled = 1;
	run(&after);
	compare("enabled", &after, &before);
	check_counts();
	check_registers();
	compare_file("/proc/self/exe", true);
	compare_file("/lib/libc.so.6", false);
	compare_file("/lib/aarch64-linux-gnu/libc.so.6", false);
	compare_file("/lib/libstdc++.so.6", false);
	printf("functions_aarch64: ok, %u writes for %zu points\n", writes,
	    plan.npoints);
	return (0);
}
