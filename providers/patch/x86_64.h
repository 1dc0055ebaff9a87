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

/* Relocations of addresses in data. */
#define PATCH_RELATIVE	R_X86_64_RELATIVE
#define PATCH_IRELATIVE	R_X86_64_IRELATIVE

/* The canonical frame address at the start of a function: %rsp + 8. */
#define PATCH_CFA_REGISTER	7u
#define PATCH_CFA_OFFSET	8u

#define PATCH_COPY_MAX	96u	/* bytes of a relocated copy */

/* ------------------------------------------------------------ instructions */

/* Returns true for an instruction that compilers fill the end of code with. */
static inline bool
patch_is_filler(const uint8_t *p)
{
	while (*p == 0x66 || *p == 0x2e)
		p++;
	return (*p == 0x90 || (p[0] == 0x0f && p[1] == 0x1f));
}

/* Returns the place where an entry is redirected. */
static inline uintptr_t
patch_entry_place(uintptr_t start)
{
	return (start);
}

/* One instruction: its length (0: it is none), and its destination. */
struct patch_instruction {
	unsigned length;
	bool is_branch;		/* direct, to `target` */
	bool is_call;		/* a call, which returns to the next one */
	bool is_return;
	bool is_indirect;	/* a jump to a computed address */
	bool ends;		/* the next instruction does not follow it */
	bool is_relative;	/* `operand` is relative to it */
	bool is_untracked;	/* it has the prefix for jumps by a table */
	uintptr_t target;
	uintptr_t operand;	/* an address in it: relative, or a table's */
	uintptr_t immediate;	/* of 4 bytes or more; 0: it has none */
	uint8_t opcode;		/* 0, unless it is one byte, without VEX */
	uint8_t scale;		/* log2 of the factor of the index register */
	uint8_t index;		/* that register, or PATCH_NO_REGISTER */
	uint8_t base;		/* the one beside it, of an address with both */
	uint8_t reg, rm;	/* registers; PATCH_NO_REGISTER: memory */
};

#define PATCH_NO_REGISTER	0xffu

/*
 * Loads the decoder.  Other functions do so at the first use, but none may be
 * the first one while the dynamic linker loads objects.  Returns false if there
 * is no decoder; then nothing is an instruction.
 */
bool	patch_decoder_load(void);

/* Decodes the instruction that runs at `at`, and is read from `bytes`. */
void	patch_decode(const uint8_t *bytes, size_t size, uintptr_t at,
	    struct patch_instruction *);

/* Returns the destination of a direct branch, or 0. */
static inline uintptr_t
patch_branch_target(uintptr_t at, size_t size)
{
	struct patch_instruction in;

	patch_decode((const uint8_t *)at, size, at, &in);
	return (in.is_branch ? in.target : 0);
}

/* Returns true unless an instruction neither reads nor writes %rsp. */
bool	patch_uses_stack(const uint8_t *bytes, size_t size);

/*
 * How the copy of an instruction is made.  A branch's displacement is at its
 * end, and has `detail` bytes, 1 or 4.
 */
enum patch_how {
	PATCH_SAME,		/* the same bytes */
	PATCH_OPERAND,		/* relative, of 4 bytes, `detail` from the
				   start */
	PATCH_GO,		/* a jump */
	PATCH_IF,		/* a branch with this `condition` */
	PATCH_SHORT,		/* a branch that has no long form */
	PATCH_HOWS
};

struct patch_move {
	uint8_t length;		/* of the instruction */
	uint8_t how;
	uint8_t detail;
	uint8_t condition;	/* the lower half of the opcode */
};

/* Whole instructions, from an address on, as they are to be copied. */
#define PATCH_MOVES_MAX	24u

struct patch_moves {
	uint8_t n;
	uint8_t taken;		/* bytes of the original */
	bool ended;		/* the last one ends a block */
	struct patch_move list[PATCH_MOVES_MAX];
};

/*
 * patch_moves_find() decodes at least `least` bytes, or fewer if a block ends
 * before; no call is among them: call.c says why.  patch_moves_sound() returns
 * true if the numbers are such that a copy stays within its bounds.
 */
const char *patch_moves_find(const uint8_t *from, size_t least,
	    struct patch_moves *);
bool	patch_moves_sound(const struct patch_moves *);

/*
 * A copy of whole instructions, with the same effect at `to` as theirs at `at`:
 * it has new displacements of relative operands and branches.  If `ended` is
 * set, the end of the copy is not reached.
 */
struct patch_copy {
	size_t taken;		/* bytes of the original */
	size_t size;
	bool ended;
	uint8_t bytes[PATCH_COPY_MAX];
};

const char *patch_copy_make(const uint8_t *from, uintptr_t at,
	    const struct patch_moves *, uintptr_t to, struct patch_copy *);

/* Finds the moves, and makes the copy. */
const char *patch_relocate(const uint8_t *from, uintptr_t at, size_t least,
	    uintptr_t to, struct patch_copy *);

/*
 * Returns true if the code from here on sets all arithmetic flags before it
 * tests one; false if in doubt.
 */
bool	patch_flags_dead(uintptr_t at);

/* ------------------------------------------------------------------- proof */

/*
 * patch_prove() returns NULL if a jump may replace [place, place + 5): an
 * instruction begins there, decoded from the start of its function; the bytes
 * are those of whole instructions of this function, of which only the last may
 * end a block or, with `call`, be a call, which the caller must not move; or
 * its last ones and the filler after them; and nothing leads between the bytes:
 * no direct branch of the whole text, no entry of a possible jump table of the
 * function, no exception.
 *
 * patch_branches_find() reads the branches of the text once, before, for all
 * places that are to be proven, in ascending order.
 */
struct patch_place {
	uintptr_t at;
	bool entered;		/* a branch leads to a byte after the first */
};

void	patch_branches_find(const struct patch_text *, struct patch_place *,
	    size_t nplaces);
const char *patch_prove(const struct patch_text *,
	    const struct patch_place *, bool call);

/* Returns true if [at, end) is filler after a function: no code reaches it. */
bool	patch_is_gap(const struct patch_text *, uintptr_t at, uintptr_t end);

/* ------------------------------------------------- stubs with all registers */

/* The general registers at a place, in the order of their numbers. */
struct patch_registers {
	uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

/* Indices of registers, where these are taken as an array. */
#define PATCH_STACK	4u	/* the stack pointer */
#define PATCH_FRAME	5u	/* the frame pointer */

#define PATCH_NOP	1u	/* bytes of the instruction at a place */

/*
 * Arm a place that is a one-byte nop.  With a pun the nop alone becomes the
 * first byte of a jump: the bytes after it are the jump's displacement, and are
 * not changed.  A jump replaces five bytes, which have to be proven first
 * (patch_prove()); if there is a call in them, the bytes up to its end change.
 * Places are armed from the highest address down.
 */
const char *patch_arm_pun(const struct patch *, struct patch_probe *);
const char *patch_arm_jump(const struct patch *, const struct patch_text *,
	    struct patch_probe *);

#pragma GCC visibility pop

#endif
