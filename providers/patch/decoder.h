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

#endif
