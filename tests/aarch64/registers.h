/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs an instruction in code that uses all registers, and stores their values
 * afterwards.
 */
#ifndef TESTS_AARCH64_REGISTERS_H
#define TESTS_AARCH64_REGISTERS_H

#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#define PLATFORM	18u	/* reserved for the system */
#define FLAGS_AT	31u
#define FLAGS		UINT64_C(0x90000000)
#define VECTORS_AT	32u	/* 32 of two words each */
#define NREGISTERS	96u

#define VECTORS(load, base)						\
	load " q0, q1, [" base "]\n\t"					\
	load " q2, q3, [" base ", #32]\n\t"				\
	load " q4, q5, [" base ", #64]\n\t"				\
	load " q6, q7, [" base ", #96]\n\t"				\
	load " q8, q9, [" base ", #128]\n\t"				\
	load " q10, q11, [" base ", #160]\n\t"				\
	load " q12, q13, [" base ", #192]\n\t"				\
	load " q14, q15, [" base ", #224]\n\t"				\
	load " q16, q17, [" base ", #256]\n\t"				\
	load " q18, q19, [" base ", #288]\n\t"				\
	load " q20, q21, [" base ", #320]\n\t"				\
	load " q22, q23, [" base ", #352]\n\t"				\
	load " q24, q25, [" base ", #384]\n\t"				\
	load " q26, q27, [" base ", #416]\n\t"				\
	load " q28, q29, [" base ", #448]\n\t"				\
	load " q30, q31, [" base ", #480]\n\t"

/*
 * FUNCTION(from, to): loads x0 to x30, flags and vectors, as many words each,
 * and stores them.  The general registers are first stored below the caller's,
 * because no register is free.
 */
#define FUNCTION(name, call)						\
	__asm__(".text\n.globl " name "\n.type " name ", %function\n"	\
	    name ":\n\t"						\
	    ".cfi_startproc\n\t"					\
	    "sub sp, sp, #448\n\t"					\
	    ".cfi_def_cfa_offset 448\n\t"				\
	    "str x1, [sp, #256]\n\t"					\
	    "stp x19, x20, [sp, #272]\n\t"				\
	    "stp x21, x22, [sp, #288]\n\t"				\
	    "stp x23, x24, [sp, #304]\n\t"				\
	    "stp x25, x26, [sp, #320]\n\t"				\
	    "stp x27, x28, [sp, #336]\n\t"				\
	    "stp x29, x30, [sp, #352]\n\t"				\
	    "str x18, [sp, #368]\n\t"					\
	    "stp d8, d9, [sp, #384]\n\t"				\
	    "stp d10, d11, [sp, #400]\n\t"				\
	    "stp d12, d13, [sp, #416]\n\t"				\
	    "stp d14, d15, [sp, #432]\n\t"				\
	    "mov x30, x0\n\t"						\
	    "add x1, x0, #256\n\t"					\
	    VECTORS("ldp", "x1")					\
	    "ldr x0, [x30, #248]\n\t"					\
	    "msr nzcv, x0\n\t"						\
	    "ldp x0, x1, [x30]\n\t"					\
	    "ldp x2, x3, [x30, #16]\n\t"				\
	    "ldp x4, x5, [x30, #32]\n\t"				\
	    "ldp x6, x7, [x30, #48]\n\t"				\
	    "ldp x8, x9, [x30, #64]\n\t"				\
	    "ldp x10, x11, [x30, #80]\n\t"				\
	    "ldp x12, x13, [x30, #96]\n\t"				\
	    "ldp x14, x15, [x30, #112]\n\t"				\
	    "ldp x16, x17, [x30, #128]\n\t"				\
	    "ldr x19, [x30, #152]\n\t"					\
	    "ldp x20, x21, [x30, #160]\n\t"				\
	    "ldp x22, x23, [x30, #176]\n\t"				\
	    "ldp x24, x25, [x30, #192]\n\t"				\
	    "ldp x26, x27, [x30, #208]\n\t"				\
	    "ldp x28, x29, [x30, #224]\n\t"				\
	    "ldr x30, [x30, #240]\n\t"					\
	    call							\
	    "stp x0, x1, [sp]\n\t"					\
	    "stp x2, x3, [sp, #16]\n\t"					\
	    "stp x4, x5, [sp, #32]\n\t"					\
	    "stp x6, x7, [sp, #48]\n\t"					\
	    "stp x8, x9, [sp, #64]\n\t"					\
	    "stp x10, x11, [sp, #80]\n\t"				\
	    "stp x12, x13, [sp, #96]\n\t"				\
	    "stp x14, x15, [sp, #112]\n\t"				\
	    "stp x16, x17, [sp, #128]\n\t"				\
	    "stp x18, x19, [sp, #144]\n\t"				\
	    "stp x20, x21, [sp, #160]\n\t"				\
	    "stp x22, x23, [sp, #176]\n\t"				\
	    "stp x24, x25, [sp, #192]\n\t"				\
	    "stp x26, x27, [sp, #208]\n\t"				\
	    "stp x28, x29, [sp, #224]\n\t"				\
	    "mrs x0, nzcv\n\t"						\
	    "stp x30, x0, [sp, #240]\n\t"				\
	    "ldr x0, [sp, #256]\n\t"					\
	    "add x1, x0, #256\n\t"					\
	    VECTORS("stp", "x1")					\
	    "mov x1, sp\n\t"						\
	    "mov x2, #256\n\t"						\
	    "bl memcpy\n\t"						\
	    "ldp x19, x20, [sp, #272]\n\t"				\
	    "ldp x21, x22, [sp, #288]\n\t"				\
	    "ldp x23, x24, [sp, #304]\n\t"				\
	    "ldp x25, x26, [sp, #320]\n\t"				\
	    "ldp x27, x28, [sp, #336]\n\t"				\
	    "ldp x29, x30, [sp, #352]\n\t"				\
	    "ldp d8, d9, [sp, #384]\n\t"				\
	    "ldp d10, d11, [sp, #400]\n\t"				\
	    "ldp d12, d13, [sp, #416]\n\t"				\
	    "ldp d14, d15, [sp, #432]\n\t"				\
	    "ldr x18, [sp, #368]\n\t"					\
	    "add sp, sp, #448\n\t"					\
	    "ret\n\t"							\
	    ".cfi_endproc\n\t"						\
	    ".size " name ", . - " name "\n")

/* Sets a different value for each register. */
static inline void
fill_registers(uint64_t from[NREGISTERS])
{
	unsigned i;

	for (i = 0; i < NREGISTERS; i++)
		from[i] = 0x1111111111111111 + i;
	from[FLAGS_AT] = FLAGS;
}

/* Fails if a register from the `first' on has changed. */
static inline void
compare_registers(const char *name, const uint64_t from[NREGISTERS],
    const uint64_t to[NREGISTERS], unsigned first)
{
	unsigned i;

	for (i = first; i < NREGISTERS; i++)
		if (i != PLATFORM && to[i] != from[i])
			errx(1, "%s: register %u: %#" PRIx64 ", not %#" PRIx64,
			    name, i, to[i], from[i]);
}

#endif
