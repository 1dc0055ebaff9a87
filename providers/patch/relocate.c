/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Copies of instructions that have the same effect in another place.
 */
#include "x86_64.h"

#include <string.h>

#include "decoder.h"

#define LENGTH_MAX	15u	/* of an instruction */
#define GROWTH_MAX	24u	/* bytes that a copy has more */

/* One instruction that is copied. */
struct move {
	const ZydisDecodedInstruction *in;
	const uint8_t *bytes;	/* where it is read */
	uintptr_t at;		/* where it runs */
	uintptr_t to;		/* where the copy will run */
	struct patch_copy *copy;
};

static void
put(struct move *m, const void *bytes, size_t size)
{
	memcpy(m->copy->bytes + m->copy->size, bytes, size);
	m->copy->size += size;
}

static void
put_byte(struct move *m, uint8_t byte)
{
	put(m, &byte, 1);
}

/* Appends a displacement of 4 bytes, the last ones of an instruction. */
static const char *
put_displacement(struct move *m, uintptr_t target)
{
	int64_t distance = (int64_t)(target - (m->to + m->copy->size + 4));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return ("its stub is out of reach");
	put(m, &displacement, sizeof(displacement));
	return (NULL);
}

/* jrcxz and loop reach 127 bytes: to a long jump, which a short one skips. */
static const char *
move_short(struct move *m, uintptr_t target)
{
	put(m, m->bytes, m->in->length - 1u);
	put(m, "\x02\xeb\x05\xe9", 4);
	return (put_displacement(m, target));
}

static const char *
move_branch(struct move *m)
{
	uintptr_t target = m->at + m->in->length + m->in->raw.imm[0].value.u;

	if (patch_is_narrow(m->in))
		return ("a branch has only 16 bits");
	switch (m->in->mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
		m->copy->ended = true;
		put_byte(m, 0xe9);
		break;
	case ZYDIS_MNEMONIC_JCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		return (move_short(m, target));
	default:
		/* Some coprocessors have conditions of their own, by VEX. */
		if (m->in->meta.category != ZYDIS_CATEGORY_COND_BR ||
		    m->in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
			return ("an instruction is not understood");
		put_byte(m, 0x0f);
		put_byte(m, (uint8_t)(0x80 | (m->in->opcode & 0xf)));
	}
	return (put_displacement(m, target));
}

/* Copies an instruction that has an operand relative to it. */
static const char *
move_relative(struct move *m)
{
	size_t begin = m->copy->size;
	uintptr_t target = m->at + m->in->length +
	    (uint64_t)m->in->raw.disp.value;
	int64_t distance = (int64_t)(target - (m->to + begin +
	    m->in->length));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return ("its stub is out of reach");
	if (m->in->raw.disp.size != 32 || m->in->address_width != 64)
		return ("an instruction is not understood");
	put(m, m->bytes, m->in->length);
	memcpy(m->copy->bytes + begin + m->in->raw.disp.offset, &displacement,
	    sizeof(displacement));
	return (NULL);
}

static const char *
move_one(struct move *m)
{
	switch (m->in->mnemonic) {
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_INT3:
		return ("an instruction depends on its place");
	case ZYDIS_MNEMONIC_CALL:
		return ("a call is never moved");
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_UD2:
		m->copy->ended = true;
		break;
	default:
		m->copy->ended = m->in->meta.category == ZYDIS_CATEGORY_RET;
	}
	if (m->in->raw.imm[0].is_relative)
		return (move_branch(m));
	if ((m->in->attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0)
		return (move_relative(m));
	put(m, m->bytes, m->in->length);
	return (NULL);
}

const char *
patch_relocate(const uint8_t *from, uintptr_t at, size_t least, uintptr_t to,
    struct patch_copy *copy)
{
	ZydisDecodedInstruction in;
	struct move m = { .in = &in, .to = to, .copy = copy };
	const char *problem;

	copy->taken = copy->size = 0;
	copy->ended = false;
	while (copy->taken < least && !copy->ended) {
		m.bytes = from + copy->taken;
		m.at = at + copy->taken;
		if (copy->size + GROWTH_MAX + LENGTH_MAX > sizeof(copy->bytes))
			return ("it has too many instructions to copy");
		if (!patch_decode_full(m.bytes, LENGTH_MAX, &in))
			return ("it is not an instruction");
		if ((problem = move_one(&m)) != NULL)
			return (problem);
		copy->taken += in.length;
	}
	return (NULL);
}
