/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies of instructions that have the same effect in another place.  The
 * instructions are decoded here; copy.c makes the copies of them.
 */
#include "x86_64.h"

#include <string.h>

#include "decoder.h"

#define LENGTH_MAX	15u	/* of an instruction */

static const char *
find_branch(const ZydisDecodedInstruction *in, struct patch_move *m)
{
	if (patch_is_narrow(in))
		return ("a branch has only 16 bits");
	m->detail = in->raw.imm[0].size / 8;
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
		m->how = PATCH_GO;
		return (NULL);
	case ZYDIS_MNEMONIC_JCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		m->how = PATCH_SHORT;
		return (NULL);
	default:
		/* Some coprocessors have conditions of their own, by VEX. */
		if (in->meta.category != ZYDIS_CATEGORY_COND_BR ||
		    in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
			return ("an instruction is not understood");
		m->how = PATCH_IF;
		m->condition = in->opcode & 0xf;
		return (NULL);
	}
}

/* Finds the displacement of an operand that is relative to the instruction. */
static const char *
find_operand(const ZydisDecodedInstruction *in, struct patch_move *m)
{
	if (in->raw.disp.size != 32 || in->address_width != 64)
		return ("an instruction is not understood");
	m->how = PATCH_OPERAND;
	m->detail = in->raw.disp.offset;
	return (NULL);
}

static const char *
find_one(const ZydisDecodedInstruction *in, struct patch_move *m, bool *ended)
{
	*m = (struct patch_move){ .length = in->length, .how = PATCH_SAME };
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_INT3:
		return ("an instruction depends on its place");
	case ZYDIS_MNEMONIC_CALL:
		return ("a call is never moved");
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_UD2:
		*ended = true;
		break;
	default:
		*ended = in->meta.category == ZYDIS_CATEGORY_RET;
	}
	if (in->raw.imm[0].is_relative)
		return (find_branch(in, m));
	if ((in->attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0)
		return (find_operand(in, m));
	return (NULL);
}

const char *
patch_moves_find(const uint8_t *from, size_t least, struct patch_moves *moves)
{
	ZydisDecodedInstruction in;
	const char *problem;

	moves->n = moves->taken = 0;
	moves->ended = false;
	while (moves->taken < least && !moves->ended) {
		if (moves->n == PATCH_MOVES_MAX)
			return ("it has too many instructions to copy");
		if (!patch_decode_full(from + moves->taken, LENGTH_MAX, &in))
			return ("it is not an instruction");
		if ((problem = find_one(&in, &moves->list[moves->n],
		    &moves->ended)) != NULL)
			return (problem);
		moves->n++;
		moves->taken += in.length;
	}
	return (NULL);
}

const char *
patch_relocate(const uint8_t *from, uintptr_t at, size_t least, uintptr_t to,
    struct patch_copy *copy)
{
	struct patch_moves moves;
	const char *problem = patch_moves_find(from, least, &moves);

	return (problem == NULL ? patch_copy_make(from, at, &moves, to, copy) :
	    problem);
}
