/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What zydis says of an instruction.
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
 * Would a branch be one of 16 bits?  By this prefix it is on AMD's CPUs, and
 * is none on Intel's; not even its length is the same.
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
