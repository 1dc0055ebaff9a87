/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirecting places in aarch64 code: all instructions are words, and a branch
 * that replaces one reaches 128 MiB.
 */
#ifndef TBUF_PROVIDERS_PATCH_AARCH64_H
#define TBUF_PROVIDERS_PATCH_AARCH64_H

#include "patch.h"

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

#pragma GCC visibility pop

#endif
