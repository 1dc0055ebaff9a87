/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decoding of instructions, by zydis and without it.
 */
#ifndef TBUF_PROVIDERS_PATCH_DECODER_H
#define TBUF_PROVIDERS_PATCH_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

__attribute__((visibility("hidden")))
bool	patch_decode_full(const uint8_t *, size_t, ZydisDecodedInstruction *);

struct patch_instruction;

/*
 * patch_decode() is these two: the first one knows the instructions that are
 * common, and returns false for others.
 */
__attribute__((visibility("hidden")))
bool	patch_decode_common(const uint8_t *, size_t, uintptr_t at,
	    struct patch_instruction *);
__attribute__((visibility("hidden")))
void	patch_decode_any(const uint8_t *, size_t, uintptr_t at,
	    struct patch_instruction *);

/*
 * Returns true if a branch has the prefix of 16 bits: AMD's CPUs obey it,
 * Intel's ignore it, so that not even the length is the same.
 */
static inline bool
patch_is_narrow(const ZydisDecodedInstruction *in)
{
	unsigned i;

	for (i = 0; i < in->raw.prefix_count; i++)
		if (in->raw.prefixes[i].value == 0x66)
			return (in->raw.rex.W == 0);
	return (false);
}

#endif
