/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirecting places in aarch64 code: all instructions are words, and a branch
 * that replaces one reaches 128 MiB.
 */
#ifndef TBUF_PROVIDERS_PATCH_AARCH64_H
#define TBUF_PROVIDERS_PATCH_AARCH64_H

#include "probe.h"

#pragma GCC visibility push(hidden)

#define PATCH_WORD	4u	/* bytes of an instruction */

/* Where the instruction at an address may branch to directly, or 0. */
uintptr_t patch_target(uint32_t word, uintptr_t at);

/* Does what follows an instruction run next, whenever it has run? */
bool	patch_goes_on(uint32_t word);

/* May it leave another value in general register `number`?  If in doubt. */
bool	patch_writes(uint32_t word, unsigned number);

/* The instruction at `from` that branches to `to`; false: it cannot. */
bool	patch_branch(uintptr_t from, uintptr_t to, uint32_t *word);

/*
 * May a function have put the address that it returns to on its stack before
 * it comes to `at`?  If not, it is in register 30 alone.
 */
bool	patch_keeps_link(const struct patch_range *, uintptr_t at);

/* ------------------------------------------------- stubs with all registers */

/* The general registers at a place, by number, and the stack pointer. */
struct patch_registers {
	uint64_t x[31];
	uint64_t sp;
};

/* Of those, as an array. */
#define PATCH_STACK	31u	/* the stack pointer */
#define PATCH_FRAME	29u	/* the frame pointer */
#define PATCH_LINK	30u	/* the address that a function returns to */

#define PATCH_NOP	PATCH_WORD	/* the instruction at a place */
#define PATCH_JUMP	PATCH_WORD	/* bytes of a branch */

/*
 * A stub, encoded for an address: while the word at `enabled` is 0 it goes on
 * at `back`, else at `hit`, with `probe` in register 17 and both registers
 * that it takes on the stack.  Who has been hit goes back to BEHIND in it.
 * False: a branch does not reach so far.
 */
#define PATCH_STUB		64u
#define PATCH_STUB_BEHIND	28u

bool	patch_stub_encode(uint8_t stub[PATCH_STUB], uintptr_t at,
	    uintptr_t back, const uint32_t *enabled, const void *probe,
	    uintptr_t hit);

/* One that goes on at an address however far; functions may be there. */
#define PATCH_FAR	16u

void	patch_far_encode(uint8_t stub[PATCH_FAR], uintptr_t to);

/* Arm a place: a branch takes the place of the one instruction. */
const char *patch_arm(const struct patch *, const struct patch_text *,
	    struct patch_probe *);

#pragma GCC visibility pop

#endif
