/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stack frames, as far as they depend on the architecture.
 */
#ifndef TBUF_ARCH_STACK_H
#define TBUF_ARCH_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tbuf.h"

#define TBUF_STACK_HOT	((unsigned)offsetof(struct tbuf_site, hot))

#if defined(__x86_64__)

/* Indices in uregs[]. */
enum {
	TBUF_STACK_FP = 4,
	TBUF_STACK_PC = 16,
	TBUF_STACK_SP = 19
};

/* Returns the address of the thread's area; its stack is below that. */
static inline uint64_t
tbuf_stack_thread(void)
{
	uint64_t area;

	__asm__("movq %%fs:0, %0" : "=r" (area));
	return (area);
}

/* Returns the code address of a return address on the stack. */
static inline uint64_t
tbuf_stack_code(uint64_t pc)
{
	return (pc);
}

/* Returns the function that a direct call before pc calls; 0: no such call. */
static inline uint64_t
tbuf_stack_called(uint64_t pc)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)pc;
	int32_t distance;

	if (code[-5] != 0xe8)
		return (0);
	memcpy(&distance, code - 4, sizeof(distance));
	return (pc + (uint64_t)(int64_t)distance);
}

/*
 * Returns true if a function begins as tbuf_private_fire() does: it loads
 * site->hot, and by that *hot; a landing pad or a frame may be before.
 */
static inline bool
tbuf_stack_fires(uint64_t function)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)function;
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	if (word == 0xfa1e0ff3u) {	/* endbr64 */
		code += sizeof(word);
		memcpy(&word, code, sizeof(word));
	}
	if (word == 0xe5894855u)	/* push %rbp; mov %rsp, %rbp */
		code += sizeof(word);
	return ((code[0] & 0xfb) == 0x48 && code[1] == 0x8b &&
	    (code[2] & 0xc7) == 0x47 && code[3] == TBUF_STACK_HOT &&
	    (code[4] & 0xfa) == 0x48 && code[5] == 0x8b);
}

/*
 * Returns true if a call by a register, or through the second word of a
 * structure, as a site's is, is before pc.
 */
static inline bool
tbuf_stack_through(uint64_t pc)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)pc;

	return ((code[-2] == 0xff && (code[-1] & 0xf8) == 0xd0) ||
	    (code[-1] == 8 && ((code[-3] == 0xff && (code[-2] & 0xf8) == 0x50)
	    || (code[-4] == 0xff && code[-3] == 0x54))));
}

#else /* aarch64 */

enum {
	TBUF_STACK_FP = 29,
	TBUF_STACK_SP = 31,
	TBUF_STACK_PC = 32
};

static inline uint64_t
tbuf_stack_thread(void)
{
	return ((uint64_t)(uintptr_t)__builtin_thread_pointer());
}

/* Removes the signature that pointer authentication adds. */
static inline uint64_t
tbuf_stack_code(uint64_t pc)
{
	register uint64_t link __asm__("x30") = pc;

	__asm__("hint #7" : "+r" (link));	/* xpaclri */
	return (link);
}

static inline uint64_t
tbuf_stack_called(uint64_t pc)
{
	uint32_t call = ((const uint32_t *)(uintptr_t)pc)[-1];
	int64_t distance = (int64_t)((uint64_t)call << 38) >> 36;

	return (call >> 26 == 0x25 ? pc - 4 + (uint64_t)distance : 0);
}

/* A landing pad and a frame take three instructions. */
static inline bool
tbuf_stack_fires(uint64_t function)
{
	const uint32_t *code = (const uint32_t *)(uintptr_t)function;
	unsigned n;

	for (n = 0; n < 4; n++)
		if ((code[n] & 0xffffffe0) ==
		    (0xf9400000 | TBUF_STACK_HOT / 8 << 10))
			return (true);
	return (false);
}

static inline bool
tbuf_stack_through(uint64_t pc)
{
	uint32_t call = ((const uint32_t *)(uintptr_t)pc)[-1];

	return ((call & 0xfffffc1f) == 0xd63f0000);
}

#endif

/* Returns true if pc may be the address of a program's code. */
static inline bool
tbuf_stack_plausible(uint64_t pc)
{
	return (pc >= 4096 && pc < UINT64_C(1) << 56);
}

#endif
