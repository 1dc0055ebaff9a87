/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirecting places in x86-64 code: instructions have many lengths, and a jump
 * is longer than most of them.
 */
#ifndef TBUF_PROVIDERS_PATCH_X86_64_H
#define TBUF_PROVIDERS_PATCH_X86_64_H

#include "probe.h"

#pragma GCC visibility push(hidden)

#define PATCH_JUMP	5u	/* bytes of a jump to anywhere near */
#define PATCH_COPY_MAX	96u	/* bytes of a relocated copy */

/* ------------------------------------------------------------ instructions */

/*
 * One instruction: its length, and where it goes to.  Length 0: it is none.
 */
struct patch_instruction {
	unsigned length;
	bool is_branch;		/* direct: `target` is where */
	bool is_call;		/* what is called comes back behind it */
	bool is_indirect;	/* a jump, to an address that is computed */
	bool ends;		/* nothing behind it is reached from here */
	uintptr_t target;
	uintptr_t operand;	/* an address in it: relative, or a table's */
};

/* `at` is the address it runs at, `bytes` where it stands to be read. */
void	patch_decode(const uint8_t *bytes, size_t size, uintptr_t at,
	    struct patch_instruction *);

/*
 * A copy of whole instructions that does at `to` what they do at `from`: with
 * new displacements of operands that are relative to the instruction, and of
 * branches; a call pushes the address that it would have pushed there.
 *
 * At least `least` bytes are copied, or fewer where a block ends before: then
 * `ended` is set, and nothing behind the copy is reached from its end.
 */
struct patch_copy {
	size_t taken;		/* of the original */
	size_t size;
	bool ended;
	uint8_t bytes[PATCH_COPY_MAX];
};

const char *patch_relocate(const struct patch *, const uint8_t *from,
	    uintptr_t at, size_t least, uintptr_t to, struct patch_copy *);

/*
 * Does what runs from here on set all flags of arithmetic before it looks at
 * one?  No, if in doubt.
 */
bool	patch_flags_dead(uintptr_t at);

/* ------------------------------------------------------------------- proof */

/*
 * May [place, place + 5) be taken by a jump?  Yes if an instruction begins
 * there, decoded from the start of its function; the bytes are those of whole
 * instructions of this function, of which none but the last ends a block or is
 * a call, or its last ones and what fills the gap behind it; and no direct
 * branch of the whole text leads between them, nor an entry of what may be a
 * jump table of the function, nor an exception.
 *
 * Branches of the text are looked at once: patch_branches_find() before, for
 * all of the places that are going to be asked for, in ascending order.
 */
struct patch_place {
	uintptr_t at;
	bool entered;		/* a branch leads behind its first byte */
};

void	patch_branches_find(const struct patch_text *, struct patch_place *,
	    size_t nplaces);
const char *patch_prove(const struct patch_text *,
	    const struct patch_place *);

/* Is this what fills the gap behind a function?  Nobody comes there. */
bool	patch_is_gap(const struct patch_text *, uintptr_t at, uintptr_t end);

/* ------------------------------------------------- stubs with all registers */

/* The general registers at a place, in the order of their numbers. */
struct patch_registers {
	uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

/* Of those, as an array. */
#define PATCH_STACK	4u	/* the stack pointer */
#define PATCH_FRAME	5u	/* the frame pointer */

#define PATCH_NOP	1u	/* bytes of the instruction at a place */

/*
 * Arm a place that is a one-byte nop.  By a pun the nop alone becomes the
 * first byte of a jump: what stands behind it is the jump's displacement, and
 * is not touched.  By a jump five bytes are replaced, which have to be proven
 * first (patch_prove()).  Places are armed from the highest address down.
 */
const char *patch_arm_pun(const struct patch *, struct patch_probe *);
const char *patch_arm_jump(const struct patch *, const struct patch_text *,
	    struct patch_probe *);

#pragma GCC visibility pop

#endif
