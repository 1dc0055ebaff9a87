/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirected code: copies that have the effect of the original, places that are
 * proven or refused, and stubs that leave all registers as they were.
 */
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "lib/check_main.h"
#include "patch/x86_64.h"

#include "patch/decoder.h"

typedef uint64_t function(uint64_t, uint64_t);

/* ----------------------------------------------------- code to be tried on */

/*
 * The code from copy_NAME to copy_NAME_end is moved.  It takes two numbers and
 * returns one, which shows the effect.
 */
#define COPY(name, text)						\
	__asm__(".text\n.globl copy_" name ", copy_" name "_end\n"	\
	    ".type copy_" name ", @function\n"				\
	    "copy_" name ":\n\t.cfi_startproc\n\t" text			\
	    "\ncopy_" name "_end:\n\t.cfi_endproc\n")
#define DECLARE(name)							\
	extern const uint8_t copy_##name[], copy_##name##_end[]

__asm__(".text\n"
    "number: .quad 0x123456789abcdef\n"
    "double_it: lea (%rdi,%rdi), %rax\n ret\n");

COPY("plain", "mov %rdi,%rax; add %rsi,%rax; ret");
COPY("relative", "mov number(%rip),%rax; add %rdi,%rax; ret");
COPY("immediate", "cmpl $1,number(%rip); seta %al; movzbl %al,%eax; ret");
COPY("jump", "jmp double_it");
COPY("branch", "mov $7,%eax; cmp %rsi,%rdi; jne double_it; ret");
COPY("counted", "mov %rdi,%rcx; mov $7,%eax; jrcxz double_it; ret");
COPY("looped", "mov %rdi,%rcx; mov $7,%eax; loop double_it; ret");
DECLARE(plain);
DECLARE(relative);
DECLARE(immediate);
DECLARE(jump);
DECLARE(branch);
DECLARE(counted);
DECLARE(looped);

#define ROW(name)	{ #name, copy_##name, copy_##name##_end }
static const struct {
	const char *name;
	const uint8_t *start, *end;
} copies[] = {
	ROW(plain), ROW(relative), ROW(immediate), ROW(jump), ROW(branch),
	ROW(counted), ROW(looped)
};
#define NCOPIES	(sizeof(copies) / sizeof(copies[0]))

/*
 * A test sets all registers, the flags and the red zone, runs a site, then
 * compares.  It returns 0 if nothing has changed.
 */
#define EACH(x)								\
	x(rcx, 0x1111) x(rdx, 0x2222) x(rbx, 0x3333) x(rbp, 0x4444)	\
	x(rsi, 0x5555) x(rdi, 0x6666) x(r8, 0x7777) x(r9, 0x8888)	\
	x(r10, 0x9999) x(r11, 0xaaaa) x(r12, 0xbbbb) x(r13, 0xcccc)	\
	x(r14, 0xdddd) x(r15, 0xeeee)
#define SET(name, value)	"mov $" #value ", %" #name "\n\t"
#define LOOK(name, value)	"cmp $" #value ", %" #name "\n\tjne 9f\n\t"
#define SITE(name, site)						\
	__asm__(".text\n.globl site_" name ", try_" name "\n"		\
	    ".type try_" name ", @function\n"				\
	    "try_" name ":\n\t.cfi_startproc\n\t"			\
	    "push %rbx; push %rbp; push %r12; push %r13; push %r14\n\t"	\
	    "push %r15\n\t"						\
	    EACH(SET)							\
	    "movq $0x5a5a, -8(%rsp); movq $0x5b5b, -128(%rsp)\n\t"	\
	    "mov $0x7f, %al; add $1, %al; stc\n"			\
	    "site_" name ": " site "\n\t"				\
	    "jno 9f; jnc 9f; jns 9f\n\t"				\
	    "cmp $0x12f00000, %eax; jne 9f\n\t"				\
	    "cmpq $0x5a5a, -8(%rsp); jne 9f\n\t"			\
	    "cmpq $0x5b5b, -128(%rsp); jne 9f\n\t"			\
	    EACH(LOOK)							\
	    "xor %eax, %eax; jmp 8f\n"					\
	    "9: mov $1, %eax\n"						\
	    "8: pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp\n\t"	\
	    "pop %rbx; ret\n\t.cfi_endproc\n")

/* The bytes after the nop, as a displacement, lead 256 MiB down. */
SITE("pun", "nop; mov $0x12f00000, %eax");
SITE("jump", "nop; mov $0x12f00000, %eax");
SITE("flagless", "nop; mov $0x12f00000, %eax\n\t"
    "mov $0x7f, %cl; add $1, %cl; mov $0x1111, %ecx; stc");
extern const uint8_t site_pun[], site_jump[], site_flagless[];
int	try_pun(void);
int	try_jump(void);
int	try_flagless(void);

/*
 * Functions of two numbers with a call among the bytes of a jump.  The callee
 * notes its return address, and its caller the stack pointer at the site.
 */
#define CALL(name, room, before, call)					\
	__asm__(".text\n.globl call_" name ", at_call_" name "\n"	\
	    ".globl after_call_" name "\n"				\
	    ".type call_" name ", @function\n"				\
	    "call_" name ":\n\t.cfi_startproc\n\t"			\
	    "sub $" room ",%rsp; mov %rsp,site_sp(%rip)\n\t"		\
	    "lea callee(%rip),%rax; mov %rax," room "-8(%rsp)\n\t"	\
	    "lea " room "-0x208(%rsp),%rdx; cmp %rax,%rax\n"		\
	    "at_call_" name ": nop; " before "; " call "\n"		\
	    "after_call_" name ": mov site_sp(%rip),%rsp\n\t"		\
	    "add $" room ",%rsp; ret\n\t"				\
	    ".cfi_endproc\n")

__asm__(".data\n .globl returned, site_sp\n"
    "returned: .quad 0\n site_sp: .quad 0\n pointer: .quad callee\n"
    ".text\n callee: push (%rsp)\n pop returned(%rip)\n"
    "lea 1(%rdi),%rax\n jnz 1f\n ret\n 1: xor %eax,%eax\n ret\n");
extern uint64_t returned, site_sp;

CALL("direct", "0x208", "", "call callee");
CALL("one_byte", "0x208", "cmc", "call callee");
CALL("two_bytes", "0x208", "mov %esi,%edi", "call callee");
CALL("three_bytes", "0x208", "mov %rsi,%rdi", "call callee");
CALL("three_short", "0x208", "mov %esi,%edi; cld", "call callee");
CALL("stack", "0x208", "mov %rsp,%rdi", "call callee");
CALL("prefix", "0x208", "", "addr32 call callee");
CALL("pointer", "0x208", "", "call *pointer(%rip)");
CALL("pointer_later", "0x208", "mov %rsi,%rdi", "call *pointer(%rip)");
CALL("pointer_stack", "0x208", "mov %rsp,%rdi", "call *pointer(%rip)");
CALL("memory", "0x208", "mov %rsi,%rdi", "call *0x200(%rdx)");
CALL("memory_stack", "0x208", "mov %rsi,%rdi", "call *0x200(%rsp)");
CALL("pushed", "0x200", "push %rdi", "call callee");
CALL("skipped", "0x208", "jne 1f", "call callee; 1:");
CALL("near_memory", "0x208", "", "call *0x200(%rdx)");

#define CALL_ROW(name, problem)						\
	extern const uint8_t at_call_##name[], after_call_##name[];	\
	function call_##name;
#define CLOSE	"a call follows too closely"
#define CALLS(x)							\
	x(direct, NULL) x(one_byte, NULL) x(two_bytes, NULL)		\
	x(three_bytes, NULL) x(three_short, NULL) x(stack, NULL)	\
	x(prefix, NULL) x(pointer, NULL) x(pointer_later, NULL)		\
	x(pointer_stack, NULL) x(memory, NULL) x(memory_stack, NULL)	\
	x(pushed, CLOSE) x(skipped, CLOSE) x(near_memory, CLOSE)
CALLS(CALL_ROW)
#undef CALL_ROW
#define CALL_ROW(name, problem)						\
	{ #name, at_call_##name, after_call_##name, call_##name, problem },
static const struct {
	const char *name;
	const uint8_t *at, *after;
	function *run;
	const char *problem;
} calls[] = { CALLS(CALL_ROW) };
#define NCALLS	(sizeof(calls) / sizeof(calls[0]))

/* Places that must not be patched; each begins at refuse_NAME. */
__asm__(".text\n.globl refuse_entered, refuse_table, refuse_end\n"
    ".globl refuse_cold, refuse_block, refuse_call, refuse_landing\n"
    ".globl before_landing, before_filler, refuse_unknown, refuse_far\n"
    "1: .cfi_startproc\n cmp %rdi,%rsi\n je 2f\n"
    "refuse_entered: nop\n nop\n2: nop\n nop\n nop\n ret\n .cfi_endproc\n"
    "1: .cfi_startproc\n lea table(%rip),%rax\n movslq (%rax,%rdi,4),%rdx\n"
    " add %rdx,%rax\n jmp *%rax\n"
    "refuse_table: nop\n nop\n3: nop\n nop\n nop\n ret\n .cfi_endproc\n"
    "1: .cfi_startproc\n"
    "refuse_cold: nop\n nop\n nop\n4: nop\n nop\n ret\n .cfi_endproc\n"
    "1: .cfi_startproc\n .byte 0xe9\n .long 4b - . - 4\n .cfi_endproc\n"
    "1: .cfi_startproc\n"
    "refuse_far: nop\n nop\n nop\n9: nop\n nop\n ret\n .cfi_endproc\n"
    /* In a segment of its own (Makefile.inc). */
    ".pushsection elsewhere, \"ax\", @progbits\n .skip 40, 0x90\n"
    " .byte 0xe9\n .long 9b - . - 4\n .skip 40, 0x90\n .popsection\n"
    "1: .cfi_startproc\n"
    "refuse_block: nop\n ret\n nop\n nop\n nop\n nop\n ret\n .cfi_endproc\n"
    "1: .cfi_startproc\n"
    "before_filler: nop\n ret\n .byte 0x0f, 0x1f, 0x40, 0x00\n ret\n"
    " .cfi_endproc\n"
    "1: .cfi_startproc\n"
    "refuse_call: nop\n call *8(%rdi)\n nop\n nop\n ret\n .cfi_endproc\n"
    "1: .cfi_startproc\n .cfi_personality 0x1b, double_it\n"
    " .cfi_lsda 0x1b, lands\n"
    "refuse_landing: nop\n nop\n5: nop\n nop\n"
    "before_landing: nop\n nop\n nop\n nop\n nop\n6: ret\n"
    " .cfi_endproc\n"
    "1: .cfi_startproc\n .cfi_personality 0x1b, double_it\n"
    " .cfi_lsda 0x1b, unknown\n"
    "refuse_unknown: nop\n nop\n nop\n nop\n nop\n ret\n"
    " .cfi_endproc\n"
    "1: .cfi_startproc\n"
    "refuse_end: nop\n nop\n .cfi_endproc\n"
    " nop\n nop\n nop\n nop\n"
    ".section .rodata\n"
    " table: .long 0, double_it - table, 3b - table\n"
    " lands: .byte 0xff, 0xff, 1\n .uleb128 8f - 7f\n"
    "7: .uleb128 0, 4, 0, 0\n .uleb128 0, 4, 6b - refuse_landing, 0\n"
    " .uleb128 4, 1, 5b - refuse_landing, 1\n"
    "8: .byte 0\n"
    " unknown: .byte 0xff, 0xff, 0x77, 4, 0, 0, 0, 0\n .text\n");
extern const uint8_t refuse_entered[], refuse_table[], refuse_end[],
	refuse_cold[], refuse_block[], refuse_call[], refuse_landing[],
	refuse_unknown[], refuse_far[], before_landing[], before_filler[];

/* --------------------------------------------------------------- helpers */

static struct patch_text text;

static int
find_text(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct patch_text texts[4];
	unsigned i, n = patch_texts(info, texts, 4);

	(void)size;
	(void)unused;
	for (i = 0; i < n; i++)
		if ((uintptr_t)site_pun - texts[i].start < texts[i].end -
		    texts[i].start)
			text = texts[i];
	return (0);
}

static struct patch patch;

static void
setup(void)
{
	dl_iterate_phdr(find_text, NULL);
	ck_assert_uint_ne(text.start, 0);
	ck_assert_ptr_eq(patch_begin(&patch), NULL);
}

static void
teardown(void)
{
	patch_end(&patch);
}

static const char *
prove(const uint8_t *at, bool call)
{
	struct patch_place place = { .at = (uintptr_t)at };

	patch_branches_find(&text, &place, 1);
	return (patch_prove(&text, &place, call));
}

/* ------------------------------------------------------------------- tests */

START_TEST(a_copy_does_what_the_original_does)
{
	const uint8_t *from = copies[_i].start;
	size_t size = (size_t)(copies[_i].end - from);
	uintptr_t to = patch_map_near(&text, PATCH_COPY_MAX);
	function *original = (function *)(uintptr_t)from;
	function *moved = (function *)to;
	struct patch_copy copy;
	uint64_t a, b;

	ck_assert_uint_ne(to, 0);
	ck_assert_ptr_eq(patch_relocate(from, (uintptr_t)from, size,
	    to, &copy), NULL);
	if (!copy.ended)
		ck_abort_msg("%s has no end", copies[_i].name);
	ck_assert_int_eq(patch_write(&patch, to, copy.bytes, copy.size), 0);
	for (a = 0; a < 3; a++)
		for (b = 0; b < 3; b++)
			ck_assert_msg(moved(a, b) == original(a, b),
			    "%s(%u, %u): %#jx, not %#jx", copies[_i].name,
			    (unsigned)a, (unsigned)b,
			    (uintmax_t)moved(a, b),
			    (uintmax_t)original(a, b));
}
END_TEST

START_TEST(a_copy_out_of_reach_is_refused)
{
	struct patch_copy copy;

	ck_assert_str_eq(patch_relocate(copy_relative,
	    (uintptr_t)copy_relative, 7, (uintptr_t)copy_relative +
	    ((uintptr_t)3 << 30), &copy), "its stub is out of reach");
}
END_TEST

/* jkzd of Xeon Phi is a branch by a condition that no other jump has. */
START_TEST(a_branch_by_something_else_is_refused)
{
	static const uint8_t jkzd[16] = { 0xc4, 0x00, 0x48, 0x74, 0x10 };
	struct patch_copy copy;

	ck_assert_ptr_nonnull(patch_relocate(jkzd, (uintptr_t)jkzd, 5,
	    (uintptr_t)jkzd + 64, &copy));
}
END_TEST

/* AMD's and Intel's CPUs differ here, except with REX.W. */
START_TEST(a_branch_of_16_bits_is_refused)
{
	static const uint8_t branches[][16] = {
		{ 0x66, 0x76, 0x10 },			/* jna */
		{ 0x66, 0xe9, 0x10 },			/* jmp */
		{ 0x66, 0x66, 0x48, 0xe9, 0x10 }	/* 64 bits */
	};
	struct patch_instruction in;
	struct patch_copy copy;
	unsigned i;

	for (i = 0; i < 3; i++) {
		ck_assert_int_eq(patch_relocate(branches[i],
		    (uintptr_t)branches[i], 1, (uintptr_t)branches[i] + 64,
		    &copy) == NULL, i == 2);
		patch_decode(branches[i], 16, (uintptr_t)branches[i], &in);
		ck_assert_uint_eq(in.length, i < 2 ? 0 : 8);
	}
}
END_TEST

START_TEST(a_call_is_never_moved)
{
	struct patch_copy copy;

	ck_assert_str_eq(patch_relocate(calls[_i].at, (uintptr_t)calls[_i].at,
	    (size_t)(calls[_i].after - calls[_i].at),
	    (uintptr_t)calls[_i].at + 64, &copy), "a call is never moved");
	ck_assert_str_eq(prove(calls[_i].at, false), "a call is never moved");
	ck_assert_ptr_eq(prove(calls[_i].at, true), NULL);
}
END_TEST

START_TEST(what_cannot_be_proven_is_left_alone)
{
	ck_assert_str_eq(prove(refuse_entered, true),
	    "a branch leads between the bytes");
	ck_assert_str_eq(prove(refuse_table, true),
	    "a branch leads between the bytes");
	ck_assert_str_eq(prove(refuse_cold, true),
	    "a branch leads between the bytes");
	ck_assert_str_eq(prove(refuse_far, true),
	    "a branch leads between the bytes");
	ck_assert_str_eq(prove(refuse_block, true), "a block ends there");
	ck_assert_str_eq(prove(refuse_call, true), "a call returns there");
	ck_assert_str_eq(prove(refuse_end, true), "its function ends there");
	ck_assert_str_eq(prove(refuse_landing, true),
	    "an exception lands between the bytes");
	ck_assert_str_eq(prove(refuse_unknown, true),
	    "an exception lands between the bytes");
	ck_assert_ptr_eq(prove(before_landing, true), NULL);
	ck_assert_ptr_eq(prove(before_filler, true), NULL);
	ck_assert_str_eq(prove(site_jump + 2, true),
	    "no instruction begins there");
	ck_assert_ptr_eq(prove(site_jump, true), NULL);
}
END_TEST

/* The branch is anywhere, up to the last five bytes of a text. */
START_TEST(a_branch_from_anywhere_is_found)
{
	static uint8_t bytes[64];
	const struct patch_text all = {
		.start = (uintptr_t)bytes,
		.end = (uintptr_t)bytes + sizeof(bytes) - (unsigned)_i
	};
	struct patch_place place = { .at = (uintptr_t)bytes };
	int32_t displacement;
	size_t at;

	for (at = PATCH_JUMP; at <= all.end - all.start - PATCH_JUMP; at++) {
		memset(bytes, 0, sizeof(bytes));
		bytes[at] = 0xe9;
		displacement = (int32_t)(2 - (int)(at + PATCH_JUMP));
		memcpy(bytes + at + 1, &displacement, sizeof(displacement));
		place.entered = false;
		patch_branches_find(&all, &place, 1);
		ck_assert_msg(place.entered, "at %zu", at);
	}
}
END_TEST

static struct patch_registers seen;
static int hits;

static void
hit(struct patch_probe *probe, const struct patch_registers *registers)
{
	(void)probe;
	seen = *registers;
	hits++;
}

#define EXPECT(name, value)	ck_assert_uint_eq(seen.name, value);

static void
check_stub(int (*try)(void), uint32_t *enabled)
{
	ck_assert_int_eq(try(), 0);
	ck_assert_int_eq(hits, 0);
	*enabled = 1;
	ck_assert_int_eq(try(), 0);
	ck_assert_int_eq(hits, 1);
	EACH(EXPECT)
	ck_assert_uint_eq(seen.rax & 0xff, 0x80);
	ck_assert_uint_eq(seen.rsp % 8, 0);
	*enabled = 0;
	ck_assert_int_eq(try(), 0);
	ck_assert_int_eq(hits, 1);
}

START_TEST(a_pun_changes_one_byte_and_nothing_else)
{
	static uint32_t enabled;
	static struct patch_probe probe = { .enabled = &enabled, .hit = hit };
	uint8_t before[5];

	probe.place = (uintptr_t)site_pun;
	memcpy(before, site_pun, sizeof(before));
	ck_assert_ptr_eq(patch_arm_pun(&patch, &probe), NULL);
	ck_assert_uint_eq(site_pun[0], 0xe9);
	ck_assert_mem_eq(site_pun + 1, before + 1, 4);
	check_stub(try_pun, &enabled);
	ck_assert_str_eq(patch_arm_pun(&patch, &probe), "it is not a nop");
}
END_TEST

START_TEST(a_jump_changes_nothing_else)
{
	static uint32_t enabled;
	static struct patch_probe probe = { .enabled = &enabled, .hit = hit };

	probe.place = (uintptr_t)site_jump;
	ck_assert_ptr_eq(patch_arm_jump(&patch, &text, &probe), NULL);
	check_stub(try_jump, &enabled);
}
END_TEST

/* Runs a function; by its result, its callee has got rsp (0), 40 or 50. */
static void
check_call(int i, uint64_t got, int expected_hits)
{
	static const uint64_t a = 40, b = 50;

	returned = 0;
	hits = 0;
	ck_assert_uint_eq(calls[i].run(a, b) - 1, got == 0 ? site_sp : got);
	ck_assert_uint_eq(returned, (uintptr_t)calls[i].after);
	ck_assert_int_eq(hits, expected_hits);
	if (hits != 0) {
		ck_assert_uint_eq(seen.rsp, site_sp);
		ck_assert_uint_eq(seen.rdi, a);
		ck_assert_uint_eq(seen.rsi, b);
	}
}

START_TEST(a_call_returns_to_its_caller)
{
	static uint32_t enabled;
	static struct patch_probe probe = { .enabled = &enabled, .hit = hit };
	uint64_t got = calls[_i].run(40, 50) - 1;
	const char *problem;

	if (got == site_sp)
		got = 0;
	check_call(_i, got, 0);
	probe.place = (uintptr_t)calls[_i].at;
	problem = patch_arm_jump(&patch, &text, &probe);
	if (calls[_i].problem == NULL)
		ck_assert_ptr_eq(problem, NULL);
	else
		ck_assert_str_eq(problem, calls[_i].problem);
	check_call(_i, got, 0);
	enabled = 1;
	check_call(_i, got, problem == NULL);
	enabled = 0;
	check_call(_i, got, 0);
}
END_TEST

START_TEST(flags_that_are_set_next_need_not_be_kept)
{
	static uint32_t enabled;
	static struct patch_probe probe = { .enabled = &enabled, .hit = hit };
	static const uint8_t compare[] = { 0x83, 0x39, 0 };

	probe.place = (uintptr_t)site_flagless;
	ck_assert_ptr_eq(patch_arm_pun(&patch, &probe), NULL);
	ck_assert_mem_eq((const uint8_t *)probe.stub + 15, compare, 3);
	check_stub(try_flagless, &enabled);
}
END_TEST

#define THEN_TEST	0x85, 0xc0
static const struct {
	bool dead;
	uint8_t bytes[16];
} flags[] = {
	{ true, { THEN_TEST } },
	{ true, { 0x8b, 0x07, THEN_TEST } },		/* mov (%rdi),%eax */
	{ true, { 0xff, 0xc0, THEN_TEST } },		/* inc %eax */
	{ true, { 0x48, 0x83, 0xc0, 0x01 } },		/* add $1,%rax */
	{ true, { 0x66, 0x0f, 0x1f, 0x04, 0x00, 0x31, 0xc0 } },
	{ false, { 0xff, 0xc0, 0x72, 0x00, THEN_TEST } }, /* inc; jc */
	{ false, { 0x74, 0x00, THEN_TEST } },		/* je */
	{ false, { 0xeb, 0x00, THEN_TEST } },		/* jmp */
	{ false, { 0xe8, 0, 0, 0, 0, THEN_TEST } },	/* call */
	{ false, { 0xff, 0xd0, THEN_TEST } },		/* call *%rax */
	{ false, { 0xc3, THEN_TEST } },			/* ret */
	{ false, { 0xcc, THEN_TEST } },			/* int3 */
	{ false, { 0x0f, 0x05, THEN_TEST } },		/* syscall */
	{ false, { 0x9c, THEN_TEST } },			/* pushf */
	{ false, { 0x9f, THEN_TEST } },			/* lahf */
	{ false, { 0x0f, 0x94, 0xc0, THEN_TEST } },	/* sete %al */
	{ false, { 0x0f, 0x44, 0xc1, THEN_TEST } },	/* cmove %ecx,%eax */
	{ false, { 0x83, 0xd0, 0x00, THEN_TEST } },	/* adc $0,%eax */
	{ false, { 0xd3, 0xe0, 0x74, 0x00 } },		/* shl %cl,%eax; je */
	{ false, { 0xf3, 0xa6, 0x74, 0x00 } },		/* rep cmpsb; je */
	{ false, { 0x06, THEN_TEST } }			/* none */
};

START_TEST(flags_may_be_lost_only_if_they_are_set_next)
{
	ck_assert_int_eq(patch_flags_dead((uintptr_t)flags[_i].bytes),
	    flags[_i].dead);
}
END_TEST

START_TEST(stubs_keep_off_what_others_have_or_get)
{
	int here;

	ck_assert_str_eq(patch_map_at(text.start, 16),
	    "its target address is in use");
	ck_assert_str_eq(patch_map_at((uintptr_t)sbrk(0) + (1u << 30), 16),
	    "the heap or the stack may grow there");
	ck_assert_str_eq(patch_map_at((uintptr_t)&here - (512u << 20), 16),
	    "the heap or the stack may grow there");
	ck_assert_str_eq(patch_map_at(4096, 16),
	    "its target is not a valid address");
	ck_assert_ptr_eq(patch_map_at(0x10000000, 32), NULL);
	ck_assert_ptr_eq(patch_map_at(0x10000020, 32), NULL);
	ck_assert_str_eq(patch_map_at(0x10000010, 32),
	    "another stub is there");
}
END_TEST

/* Returns the kilobytes of a page that are private to the process. */
static unsigned
own_kilobytes(uintptr_t at)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	unsigned kilobytes = 1;
	uintptr_t start = 0;
	char line[512];

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%" SCNxPTR "-", &start) == 1 && start == at)
			break;
	ck_assert_uint_eq(start, at);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Anonymous: %u", &kilobytes) == 1)
			break;
	fclose(f);
	return (kilobytes);
}

/* Writes over two pages, which are not adjacent in the file. */
static void
write_across(uintptr_t at)
{
	ck_assert_ptr_eq(patch_map_at(at + PATCH_PAGE, 16), NULL);
	ck_assert_ptr_eq(patch_map_at(at, 16), NULL);
	ck_assert_int_eq(patch_write(&patch, at + PATCH_PAGE - 4, "12345678",
	    8), 0);
	ck_assert_mem_eq((const void *)(at + PATCH_PAGE - 4), "12345678", 8);
}

/*
 * The stack could not grow past such an object in any case.  On aarch64,
 * libraries may be within 1 GiB of it, and branches reach no further.
 */
START_TEST(room_is_found_below_an_object_near_the_stack)
{
	static const size_t size = 16 << 20, all = 64 << 10;
	uintptr_t top = getauxval(AT_RANDOM) & ~(uintptr_t)(size - 1), room;
	struct patch_text object = { 0 };
	unsigned i;
	void *p = MAP_FAILED;

	/* The stack has this much room in any case. */
	for (i = 10; i < 40 && p == MAP_FAILED; i++)
		p = mmap((void *)(top - i * size), size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
		    MAP_FIXED_NOREPLACE, -1, 0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	object.low = object.start = (uintptr_t)p + size - 4096;
	object.high = object.end = (uintptr_t)p + size;
	ck_assert_int_eq(munmap(p, size - 4096), 0);
	room = patch_map_near(&object, 64);
	ck_assert_uint_lt(room, object.low);
	ck_assert_uint_lt(object.low - room, size);
	/* A second mapping is next to it. */
	room = patch_map_near(&object, all);
	ck_assert_uint_eq(patch_map_near(&object, all), room - all);
}
END_TEST

START_TEST(a_stub_is_no_copy_that_forks_duplicate)
{
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
		return;
	write_across(0x30000000);
	ck_assert_uint_eq(own_kilobytes(0x30000000), 0);
	ck_assert_uint_eq(own_kilobytes(0x30000000 + PATCH_PAGE), 0);
}
END_TEST

START_TEST(what_a_session_has_mapped_others_may_write)
{
	write_across(0x31000000);
	patch_end(&patch);
	ck_assert_ptr_eq(patch_begin(&patch), NULL);
	ck_assert_int_eq(patch_write(&patch, 0x31000000, "abc", 3), 0);
	ck_assert_mem_eq((const void *)0x31000000, "abc", 3);
	ck_assert_mem_eq((const void *)0x31001000, "5678", 4);
}
END_TEST

/* The file of stubs would exceed the limit, and the signal would kill. */
START_TEST(a_file_size_limit_does_no_harm)
{
	struct rlimit old, limit;

	patch_end(&patch);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 4096;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_ptr_eq(patch_begin(&patch), NULL);
	write_across(0x32000000);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
}
END_TEST

static void *
wait_for(void *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return (NULL);
}

/* A program gets the same descriptors as without patches. */
START_TEST(no_descriptor_is_left_open)
{
	int before = dup(0), after;

	close(before);
	ck_assert_uint_ne(patch_map_near(&text, 16), 0);
	ck_assert_ptr_eq(patch_map_at(0x20000000, 32), NULL);
	after = dup(0);
	ck_assert_int_eq(after, before);
	close(after);
}
END_TEST

/* ------------------------------------------------------------ decoding */

static const struct {
	unsigned n;
	const char *bytes;
} prefixes[] = {
	{ 0, "" }, { 1, "\x66" }, { 1, "\x2e" }, { 1, "\x3e" },
	{ 1, "\x64" }, { 1, "\x65" }, { 1, "\x67" }, { 1, "\xf0" },
	{ 1, "\xf2" }, { 1, "\xf3" }, { 1, "\x40" }, { 1, "\x45" },
	{ 1, "\x48" }, { 1, "\x4f" }, { 2, "\x66\x41" },
	{ 2, "\x66\x48" }, { 2, "\xf2\x48" }, { 2, "\xf3\x44" },
	{ 2, "\x64\x48" }, { 3, "\x66\x66\x2e" }, { 2, "\x48\x66" },
	{ 2, "\x66\xf2" }, { 5, "\x66\x66\x66\x66\x66" }
};

static bool
is_same(const struct patch_instruction *a, const struct patch_instruction *b)
{
	return (a->length == b->length && a->is_branch == b->is_branch &&
	    a->is_call == b->is_call && a->is_return == b->is_return &&
	    a->is_indirect == b->is_indirect && a->ends == b->ends &&
	    a->is_relative == b->is_relative &&
	    a->is_untracked == b->is_untracked && a->target == b->target &&
	    a->operand == b->operand && a->immediate == b->immediate &&
	    a->opcode == b->opcode && a->scale == b->scale &&
	    a->index == b->index && a->base == b->base && a->reg == b->reg &&
	    a->rm == b->rm);
}

static void
compare(const uint8_t *bytes, size_t size)
{
	const uintptr_t at = 0x7f1234567890;
	struct patch_instruction in, other;

	if (!patch_decode_common(bytes, size, at, &in))
		return;
	patch_decode_any(bytes, size, at, &other);
	ck_assert_msg(is_same(&in, &other),
	    "%02x %02x %02x %02x %02x %02x: length %u, not %u", bytes[0],
	    bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], in.length,
	    other.length);
}

/* Bytes after ModRM are different for each: all kinds of SIB are among them. */
START_TEST(common_instructions_are_those_that_zydis_finds)
{
	unsigned n = prefixes[_i].n, i, two, size, k;
	uint64_t next = 88172645463325252;
	uint8_t bytes[32];

	memcpy(bytes, prefixes[_i].bytes, n);
	for (i = 0; i < 0x20000; i++) {
		two = i >> 16;
		bytes[n] = 0x0f;
		bytes[n + two] = (uint8_t)(i >> 8);
		bytes[n + two + 1] = (uint8_t)i;
		for (k = n + two + 2; k < sizeof(bytes); k++) {
			next = next * 6364136223846793005 + 1442695040888963407;
			bytes[k] = (uint8_t)(next >> 56);
		}
		compare(bytes, sizeof(bytes));
		size = i % 16;
		compare(bytes, size);
	}
}
END_TEST

/* Most code has no need of zydis. */
START_TEST(common_instructions_are_most_of_a_program)
{
	struct patch_instruction in;
	unsigned known = 0, all = 0;
	uintptr_t at;

	for (at = text.start; at < text.end; at += in.length) {
		all++;
		if (patch_decode_common((const uint8_t *)at, text.end - at, at,
		    &in)) {
			known++;
			compare((const uint8_t *)at, text.end - at);
		} else
			patch_decode_any((const uint8_t *)at, text.end - at,
			    at, &in);
		if (in.length == 0)
			in.length = 1;
	}
	ck_assert_uint_gt(known, all / 10 * 9);
}
END_TEST

START_TEST(a_second_thread_forbids_it)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct patch other;
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for, &mutex), 0);
	ck_assert_str_eq(patch_begin(&other), "threads are running already");
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("patch");
	TCase *tcase = tcase_create("patch");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_copy_does_what_the_original_does, 0,
	    (int)NCOPIES);
	tcase_add_test(tcase, a_copy_out_of_reach_is_refused);
	tcase_add_test(tcase, a_branch_by_something_else_is_refused);
	tcase_add_test(tcase, a_branch_of_16_bits_is_refused);
	tcase_add_loop_test(tcase, a_call_is_never_moved, 0, (int)NCALLS);
	tcase_add_loop_test(tcase, a_call_returns_to_its_caller, 0,
	    (int)NCALLS);
	tcase_add_test(tcase, what_cannot_be_proven_is_left_alone);
	tcase_add_loop_test(tcase, a_branch_from_anywhere_is_found, 0, 16);
	tcase_add_test(tcase, a_pun_changes_one_byte_and_nothing_else);
	tcase_add_test(tcase, a_jump_changes_nothing_else);
	tcase_add_test(tcase, flags_that_are_set_next_need_not_be_kept);
	tcase_add_loop_test(tcase, flags_may_be_lost_only_if_they_are_set_next,
	    0, (int)(sizeof(flags) / sizeof(flags[0])));
	tcase_add_test(tcase, stubs_keep_off_what_others_have_or_get);
	tcase_add_test(tcase, room_is_found_below_an_object_near_the_stack);
	tcase_add_test(tcase, a_stub_is_no_copy_that_forks_duplicate);
	tcase_add_test(tcase, what_a_session_has_mapped_others_may_write);
	tcase_add_test(tcase, a_file_size_limit_does_no_harm);
	tcase_add_test(tcase, no_descriptor_is_left_open);
	tcase_add_loop_test(tcase,
	    common_instructions_are_those_that_zydis_finds, 0,
	    (int)(sizeof(prefixes) / sizeof(prefixes[0])));
	tcase_add_test(tcase, common_instructions_are_most_of_a_program);
	tcase_add_test(tcase, a_second_thread_forbids_it);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
