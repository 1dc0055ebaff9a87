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

/* Relocations of addresses in data. */
#define PATCH_RELATIVE	R_AARCH64_RELATIVE
#define PATCH_IRELATIVE	R_AARCH64_IRELATIVE

/* The canonical frame address at the start of a function: sp. */
#define PATCH_CFA_REGISTER	31u
#define PATCH_CFA_OFFSET	0u

static inline uint32_t
patch_word(uintptr_t at)
{
	return (*(const uint32_t *)at);
}

/* Returns the destination of a direct branch at an address, or 0. */
uintptr_t patch_target(uint32_t word, uintptr_t at);

static inline uintptr_t
patch_branch_target(uintptr_t at, size_t size)
{
	return (size < PATCH_WORD ? 0 : patch_target(patch_word(at), at));
}

/* Returns true for an instruction that compilers fill the end of code with. */
static inline bool
patch_is_filler(const uint8_t *at)
{
	uint32_t word = patch_word((uintptr_t)at);

	return (word == 0xd503201f || word == 0);	/* nop, udf */
}

/*
 * Returns true for an instruction that indirect calls may lead to in guarded
 * pages: bti, paciasp or pacibsp.  A branch in its place may not be called so.
 */
static inline bool
patch_is_pad(uint32_t word)
{
	return ((word & 0xffffff3f) == 0xd503241f ||
	    (word & 0xffffffbf) == 0xd503233f);
}

/* Returns true if the next instruction always runs after this one. */
bool	patch_goes_on(uint32_t word);

/* Returns true if it may change general register `number`, or if in doubt. */
bool	patch_writes(uint32_t word, unsigned number);

/* Returns the address of the instruction at an entry or exit. */
static inline uintptr_t
patch_place(uintptr_t at, bool is_entry)
{
	return (is_entry && patch_is_pad(patch_word(at)) ? at + PATCH_WORD :
	    at);
}

/* Returns the place where an entry is redirected. */
static inline uintptr_t
patch_entry_place(uintptr_t start)
{
	return (patch_place(start, true));
}

/*
 * Returns why the instruction at an address cannot run elsewhere, or NULL.  One
 * that is between a load and a store which are exclusive, or would be, is
 * refused: the processor may then never find that the store is done.
 */
const char *patch_fixed(uintptr_t at, uintptr_t end);

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
