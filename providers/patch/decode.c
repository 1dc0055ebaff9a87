/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions, by zydis: it is packaged, allocates nothing, and tells where
 * in an instruction its displacement is.
 */
#include "patch.h"

#include <Zydis/Zydis.h>

#include "decoder.h"

bool
patch_decode_full(const uint8_t *bytes, size_t size,
    ZydisDecodedInstruction *instruction)
{
	static ZydisDecoder decoder;
	static bool ready;

	if (!ready)
		ready = ZYAN_SUCCESS(ZydisDecoderInit(&decoder,
		    ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
	return (ready && ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder,
	    NULL, bytes, size, instruction)));
}

/* Is it the jump or the call whose address is computed? */
static bool
computed(const ZydisDecodedInstruction *in)
{
	return (!in->raw.imm[0].is_relative &&
	    (in->mnemonic == ZYDIS_MNEMONIC_JMP ||
	    in->mnemonic == ZYDIS_MNEMONIC_CALL));
}

void
patch_decode(const uint8_t *bytes, size_t size, uintptr_t at,
    struct patch_instruction *out)
{
	ZydisDecodedInstruction in;

	*out = (struct patch_instruction){ .length = 0 };
	if (!patch_decode_full(bytes, size, &in))
		return;
	out->length = in.length;
	out->is_branch = in.raw.imm[0].is_relative;
	if (out->is_branch)
		out->target = at + in.length + in.raw.imm[0].value.u;
	if ((in.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0 &&
	    !out->is_branch)
		out->operand = at + in.length + (uint64_t)in.raw.disp.value;
	else if (in.raw.disp.size == 32)
		out->operand = (uint64_t)in.raw.disp.value;
	out->is_indirect = in.mnemonic == ZYDIS_MNEMONIC_JMP && computed(&in);
	out->ends = in.mnemonic == ZYDIS_MNEMONIC_JMP ||
	    in.meta.category == ZYDIS_CATEGORY_RET ||
	    in.mnemonic == ZYDIS_MNEMONIC_HLT ||
	    in.mnemonic == ZYDIS_MNEMONIC_UD2 ||
	    in.mnemonic == ZYDIS_MNEMONIC_INT3;
}
