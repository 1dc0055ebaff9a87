/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A system call of a program's own in code that uses all registers: only those
 * that a call changes may be different afterwards.  The state is compared as
 * the processor saves it, once with the instruction after a known number, and
 * once with the number in a register.
 */
#include <sys/syscall.h>

#include <cpuid.h>
#include <err.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* x87, SSE, AVX, and the three of AVX-512, if available */
#define STATES		0xe7u
#define STATES_MAX	4096

#define REGISTERS(x)							\
	x(rbx, 0x1111) x(rsi, 0x2222) x(rdi, 0x3333) x(rdx, 0x4444)	\
	x(r8, 0x5555) x(r9, 0x6666) x(r10, 0x7777) x(r12, 0x8888)	\
	x(r13, 0x9999) x(r14, 0xaaaa) x(r15, 0xbbbb) x(rbp, 0xcccc)
#define SET(name, value)	"mov $" #value ", %" #name "\n\t"
#define LOOK(name, value)	"cmp $" #value ", %" #name "\n\tjne 9f\n\t"

#define SAVED	"push %rbx; push %rbp; push %r12; push %r13; push %r14\n\t" \
	"push %r15\n\t"
#define BACK	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp\n\t"	\
	"pop %rbx; ret\n\t"

/*
 * FUNCTION(from, to, states): loads, calls, saves.  Flags and the red zone have
 * values during the call, too.
 */
#define FUNCTION(name, call)						\
	__asm__(".text\n.globl " name "\n.type " name ", @function\n"	\
	    name ":\n\t.cfi_startproc\n\t" SAVED			\
	    "sub $24, %rsp; mov %rsi, (%rsp); mov %edx, 8(%rsp)\n\t"	\
	    "mov %edx, %eax; xor %edx, %edx; xrstor (%rdi)\n\t"		\
	    "movq $0x5a5a, -8(%rsp); movq $0x5b5b, -128(%rsp)\n\t"	\
	    REGISTERS(SET)						\
	    "mov $0x7f, %al; add $1, %al; stc\n\t"			\
	    call							\
	    "jno 9f; jnc 9f; jns 9f\n\t"				\
	    "cmpq $0x5a5a, -8(%rsp); jne 9f\n\t"			\
	    "cmpq $0x5b5b, -128(%rsp); jne 9f\n\t"			\
	    "test %rax, %rax; jle 9f\n\t"				\
	    REGISTERS(LOOK)						\
	    "mov (%rsp), %rsi; mov 8(%rsp), %eax; xor %edx, %edx\n\t"	\
	    "xsave (%rsi); xor %eax, %eax; jmp 8f\n"			\
	    "9: mov $1, %eax\n"						\
	    "8: add $24, %rsp\n\t" BACK ".cfi_endproc\n")

FUNCTION("known", "mov $110, %eax; syscall\n\t");
FUNCTION("any", "mov $110, %ecx; mov %ecx, %eax; syscall\n\t"
    "nop; nop; nop\n\t");

typedef int function(const void *from, void *to, uint32_t states);
function known, any;

static uint8_t from[STATES_MAX] __attribute__((aligned(64)));
static uint8_t to[STATES_MAX] __attribute__((aligned(64)));

/* Returns the states that the kernel allows a program. */
static uint32_t
states(void)
{
	uint32_t a, b, c, d, low, high;

	__cpuid(1, a, b, c, d);
	if ((c & bit_OSXSAVE) == 0)
		errx(77, "no xsave");
	__asm__ ("xgetbv" : "=a" (low), "=d" (high) : "c" (0));
	return (low & STATES);
}

/*
 * Fills all states with a value valid for any type; the header says that they
 * are in use.
 */
static void
fill(uint32_t all)
{
	uint32_t size, offset, unused, i;

	__asm__ volatile ("fninit; fld1; fldpi" : : : "st", "st(1)");
	__asm__ volatile ("xsave (%0)" : : "r" (from), "a" (all), "d" (0) :
	    "memory");
	memset(from + 160, 0x41, 256);			/* xmm */
	for (i = 2; i < 8; i++) {
		if ((all & 1u << i) == 0)
			continue;
		__cpuid_count(13, i, size, offset, unused, unused);
		if (offset + size > sizeof(from))
			errx(1, "state %u is too large", i);
		memset(from + offset, 0x42 + (int)i, size);
	}
	memcpy(from + 512, &(uint64_t){ all }, sizeof(uint64_t));
}

static void
check(const char *name, function *f, uint32_t all)
{
	size_t i;

	memset(to, 0, sizeof(to));
	if (f(from, to, all) != 0)
		errx(1, "%s: a general register, flags or the red zone",
		    name);
	/* Bytes before 32 have addresses of the last x87 instruction. */
	for (i = 32; i < sizeof(from); i++)
		if ((i < 464 || i >= 576) && from[i] != to[i])
			errx(1, "%s: state at %zu", name, i);
}

int
main(void)
{
	uint32_t all = states();
	int i;

	fill(all);
	for (i = 0; i < 100; i++) {
		check("known", known, all);
		check("any", any, all);
	}
	return (0);
}
