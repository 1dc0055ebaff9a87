/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decoding of instructions by zydis.
 */
#ifndef TBUF_PROVIDERS_PATCH_DECODER_H
#define TBUF_PROVIDERS_PATCH_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

__attribute__((visibility("hidden")))
bool	patch_decode_full(const uint8_t *, size_t, ZydisDecodedInstruction *);

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
