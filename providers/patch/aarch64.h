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

/* The decoder is this object's own. */
static inline bool
patch_decoder_load(void)
{
	return (true);
}

#define PATCH_WORD	4u	/* bytes of an instruction */

/* Returns the destination of a direct branch at an address, or 0. */
uintptr_t patch_target(uint32_t word, uintptr_t at);

/* Returns true if the next instruction always runs after this one. */
bool	patch_goes_on(uint32_t word);

/* Returns true if it may change general register `number`, or if in doubt. */
bool	patch_writes(uint32_t word, unsigned number);

/* Encodes a branch at `from` to `to`.  Returns false if it does not reach. */
bool	patch_branch(uintptr_t from, uintptr_t to, uint32_t *word);

/*
 * Returns true if a function may have stored its return address on the stack
 * before it comes to `at`.  If not, the address is in register 30 alone.
 */
bool	patch_keeps_link(const struct patch_range *, uintptr_t at);

/* ------------------------------------------------- stubs with all registers */

/* The general registers at a place, by number, and the stack pointer. */
struct patch_registers {
	uint64_t x[31];
	uint64_t sp;
};

/* Indices of registers, where these are taken as an array. */
#define PATCH_STACK	31u	/* the stack pointer */
#define PATCH_FRAME	29u	/* the frame pointer */
#define PATCH_LINK	30u	/* the return address of a function */

#define PATCH_NOP	PATCH_WORD	/* the instruction at a place */

/*
 * A stub, encoded for address `at`: while *enabled is 0 it continues at `back`,
 * otherwise at `hit`, with `probe` in register 17, and the registers 16 and 17
 * on the stack.  The code at `hit` returns to PATCH_STUB_BEHIND in the stub.
 * Returns false if a branch does not reach `back`.
 */
#define PATCH_STUB		64u
#define PATCH_STUB_BEHIND	28u

bool	patch_stub_encode(uint8_t stub[PATCH_STUB], uintptr_t at,
	    uintptr_t back, const uint32_t *enabled, const void *probe,
	    uintptr_t hit);

/* Arms a place: a branch replaces its one instruction. */
const char *patch_arm(const struct patch *, const struct patch_text *,
	    struct patch_probe *);

#pragma GCC visibility pop

#endif
