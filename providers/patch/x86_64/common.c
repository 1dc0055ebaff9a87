/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The instructions that compilers use most, decoded by a table: a text is read
 * in a tenth of the time that zydis takes.  All other instructions, and forms
 * of these that may be invalid, are left to zydis.
 *
 *	[prefixes] [REX] [0f] opcode [ModRM [SIB] [displacement]] [immediate]
 */
#include "patch/x86_64.h"

#include <string.h>

#include "patch/decoder.h"

#define PREFIXES_MAX	4u
#define BYTES_MAX	24u	/* that are read of an instruction */
#define LENGTH_MAX	15u

#define REX_W		0x8u
#define REX_R		0x4u
#define REX_X		0x2u
#define REX_B		0x1u

/* Bytes after an opcode, and the prefixes that it is known with. */
enum {
	ANY	= 0x1,		/* it is known */
	MODRM	= 0x2,
	IMM1	= 0x4,
	IMM4	= 0x8,
	REL1	= 0x10,		/* a branch */
	REL4	= 0x20,
	SOME	= 0x40,		/* not with all ModRM bytes: is_form() */
	WITH66	= 0x80,
	WITHF3	= 0x100,
	WITHF2	= 0x200,
	WIDE	= 0x400		/* with REX.W its immediate has 8 bytes */
};

#define ALONE		(ANY | WITH66)
#define READS		(ANY | MODRM | WITH66)
#define SCALARS		(ANY | MODRM | WITH66 | WITHF3 | WITHF2)
#define INTEGERS	(MODRM | WITH66)	/* of vectors */

static const uint16_t one_byte[256] = {
	[0x00 ... 0x03] = READS, [0x04] = ANY | IMM1, [0x05] = ANY | IMM4,
	[0x08 ... 0x0b] = READS, [0x0c] = ANY | IMM1, [0x0d] = ANY | IMM4,
	[0x10 ... 0x13] = READS, [0x14] = ANY | IMM1, [0x15] = ANY | IMM4,
	[0x18 ... 0x1b] = READS, [0x1c] = ANY | IMM1, [0x1d] = ANY | IMM4,
	[0x20 ... 0x23] = READS, [0x24] = ANY | IMM1, [0x25] = ANY | IMM4,
	[0x28 ... 0x2b] = READS, [0x2c] = ANY | IMM1, [0x2d] = ANY | IMM4,
	[0x30 ... 0x33] = READS, [0x34] = ANY | IMM1, [0x35] = ANY | IMM4,
	[0x38 ... 0x3b] = READS, [0x3c] = ANY | IMM1, [0x3d] = ANY | IMM4,
	[0x50 ... 0x5f] = ANY, [0x63] = ANY | MODRM,
	[0x68] = ANY | IMM4, [0x69] = READS | IMM4,
	[0x6a] = ANY | IMM1, [0x6b] = READS | IMM1,
	[0x70 ... 0x7f] = ANY | REL1,
	[0x80] = READS | IMM1, [0x81] = READS | IMM4, [0x83] = READS | IMM1,
	[0x84 ... 0x8b] = READS, [0x8d] = READS | SOME,
	[0x90] = ALONE, [0x98] = ALONE, [0x99] = ALONE,
	[0xa8] = ANY | IMM1, [0xa9] = ANY | IMM4,
	[0xb0 ... 0xb7] = ANY | IMM1, [0xb8 ... 0xbf] = ANY | IMM4 | WIDE,
	[0xc0 ... 0xc1] = READS | IMM1 | SOME, [0xc3] = ANY,
	[0xc6] = READS | IMM1 | SOME, [0xc7] = READS | IMM4 | SOME,
	[0xc9] = ANY, [0xcc] = ANY, [0xd0 ... 0xd3] = READS | SOME,
	[0xe8 ... 0xe9] = ANY | REL4, [0xeb] = ANY | REL1,
	[0xf6 ... 0xf7] = READS | SOME, [0xfe ... 0xff] = READS | SOME
};

/* The opcodes after 0f. */
static const uint16_t two_bytes[256] = {
	[0x0b] = ANY, [0x10 ... 0x11] = SCALARS, [0x1f] = READS | SOME,
	[0x28 ... 0x29] = READS, [0x2a] = MODRM | WITHF3 | WITHF2,
	[0x2c ... 0x2d] = MODRM | WITHF3 | WITHF2, [0x2e ... 0x2f] = READS,
	[0x40 ... 0x4f] = READS, [0x51] = SCALARS, [0x54 ... 0x57] = READS,
	[0x58 ... 0x5a] = SCALARS, [0x5c ... 0x5f] = SCALARS,
	[0x60 ... 0x6e] = INTEGERS, [0x6f] = INTEGERS | WITHF3,
	[0x70] = INTEGERS | IMM1 | WITHF3 | WITHF2,
	[0x74 ... 0x76] = INTEGERS, [0x7e ... 0x7f] = INTEGERS | WITHF3,
	[0x80 ... 0x8f] = ANY | REL4, [0x90 ... 0x9f] = ANY | MODRM,
	[0xa3] = READS, [0xab] = READS, [0xaf] = READS, [0xb3] = READS,
	[0xb6 ... 0xb7] = READS, [0xba] = READS | IMM1 | SOME, [0xbb] = READS,
	[0xbc ... 0xbd] = READS, [0xbe ... 0xbf] = READS,
	[0xc8 ... 0xcf] = ANY, [0xd4] = INTEGERS, [0xd6] = INTEGERS,
	[0xdb] = INTEGERS, [0xdf] = INTEGERS, [0xeb] = INTEGERS,
	[0xef] = INTEGERS, [0xfa ... 0xfb] = INTEGERS, [0xfe] = INTEGERS
};

struct form {
	uint16_t kind;
	bool prefixed, narrow;	/* by any prefix; by 66 */
	uint8_t repeat;		/* f2, f3 or 0 */
	uint8_t rex, opcode;
	bool has_0f;
};

static const uint8_t *
take_prefixes(const uint8_t *p, struct form *f)
{
	unsigned n;

	for (n = 0; n < PREFIXES_MAX; n++, p++) {
		if (*p == 0x66)
			f->narrow = true;
		else if (*p == 0xf2 || *p == 0xf3)
			f->repeat = *p;
		else if (*p != 0x2e && *p != 0x64 && *p != 0x65)
			break;
		f->prefixed = true;
	}
	if ((*p & 0xf0) == 0x40)
		f->rex = *p++;
	return (p);
}

/* Takes the opcode.  Returns NULL if it is not known with the prefixes. */
static const uint8_t *
take_opcode(const uint8_t *p, struct form *f)
{
	uint16_t with = f->repeat == 0xf3 ? WITHF3 : f->repeat == 0xf2 ?
	    WITHF2 : f->narrow ? WITH66 : ANY;

	f->has_0f = *p == 0x0f;
	f->opcode = f->has_0f ? *++p : *p;
	f->kind = f->has_0f ? two_bytes[f->opcode] : one_byte[f->opcode];
	if ((f->kind & with) == 0 || (f->repeat != 0 && f->narrow) ||
	    ((f->kind & (REL1 | REL4)) != 0 && f->prefixed))
		return (NULL);
	/* An immediate of 2 bytes. */
	if ((f->kind & IMM4) != 0 && f->narrow && (f->rex & REX_W) == 0)
		return (NULL);
	return (p + 1);
}

/* Returns true if an opcode with certain ModRM bytes is known with this one. */
static bool
is_form(struct form *f, uint8_t modrm)
{
	unsigned reg = modrm >> 3 & 7;

	if (f->has_0f)
		return (f->opcode == 0xba ? reg >= 4 : reg == 0);
	switch (f->opcode) {
	case 0x8d:
		return (modrm < 0xc0);
	case 0xc6:
	case 0xc7:
		return (reg == 0);
	case 0xf6:
	case 0xf7:
		return (reg > 1);
	case 0xfe:
		return (reg < 2);
	case 0xff:
		return (reg != 3 && reg != 5 && reg != 7);
	default:
		return (reg != 6);
	}
}

static int32_t
number_at(const uint8_t *p)
{
	int32_t number;

	memcpy(&number, p, sizeof(number));
	return (number);
}

/* Takes the operand in memory: its registers, and its displacement. */
static const uint8_t *
take_memory(const uint8_t *p, const struct form *f, uint8_t modrm,
    struct patch_instruction *out)
{
	unsigned mod = modrm >> 6, base = modrm & 7, index;

	if (base == 4) {
		index = (*p >> 3 & 7u) | (f->rex & REX_X) << 2;
		base = *p & 7;
		if (index != 4) {
			out->index = (uint8_t)index;
			out->scale = *p >> 6;
			out->base = (uint8_t)(base | (f->rex & REX_B) << 3);
		}
		p++;
	} else if (mod == 0 && base == 5)
		out->is_relative = true;
	if (mod == 2 || (mod == 0 && base == 5)) {
		out->operand = (uintptr_t)(intptr_t)number_at(p);
		p += 4;
	} else if (mod == 1)
		p++;
	return (p);
}

static const uint8_t *
take_modrm(const uint8_t *p, const struct form *f,
    struct patch_instruction *out)
{
	uint8_t modrm = *p++;

	out->reg = (uint8_t)((modrm >> 3 & 7) | (f->rex & REX_R) << 1);
	if (modrm < 0xc0)
		return (take_memory(p, f, modrm, out));
	out->rm = (uint8_t)((modrm & 7) | (f->rex & REX_B) << 3);
	return (p);
}

/* Takes the bytes after the operand.  A branch's are relative to their end. */
static const uint8_t *
take_immediate(const uint8_t *p, const struct form *f,
    struct patch_instruction *out)
{
	if ((f->kind & (IMM1 | REL1)) != 0)
		out->target = (uintptr_t)(intptr_t)(int8_t)*p++;
	if ((f->kind & (IMM4 | REL4)) == 0)
		return (p);
	if ((f->kind & WIDE) != 0 && (f->rex & REX_W) != 0) {
		memcpy(&out->immediate, p, sizeof(out->immediate));
		return (p + sizeof(out->immediate));
	}
	out->target = out->immediate = (uintptr_t)(intptr_t)number_at(p);
	return (p + 4);
}

/* Sets the fields that depend on the opcode, and on the end's address. */
static void
finish(const struct form *f, uint8_t modrm, uintptr_t end,
    struct patch_instruction *out)
{
	unsigned reg = modrm >> 3 & 7;

	out->is_branch = (f->kind & (REL1 | REL4)) != 0;
	out->target = out->is_branch ? out->target + end : 0;
	if (out->is_branch)
		out->immediate = 0;
	if (out->is_relative)
		out->operand += end;
	if (f->has_0f) {
		out->ends = f->opcode == 0x0b;
		return;
	}
	out->opcode = f->opcode;
	out->is_call = f->opcode == 0xe8 || (f->opcode == 0xff && reg == 2);
	out->is_return = f->opcode == 0xc3;
	out->is_indirect = f->opcode == 0xff && reg == 4;
	out->ends = out->is_return || out->is_indirect || f->opcode == 0xe9 ||
	    f->opcode == 0xeb || f->opcode == 0xcc;
}

bool
patch_decode_common(const uint8_t *bytes, size_t size, uintptr_t at,
    struct patch_instruction *out)
{
	uint8_t last[BYTES_MAX] = { 0 };
	struct form f = { .kind = 0 };
	const uint8_t *from = bytes, *p, *modrm;

	if (size < sizeof(last))
		from = memcpy(last, bytes, size);
	p = modrm = take_opcode(take_prefixes(from, &f), &f);
	if (p == NULL || ((f.kind & SOME) != 0 && !is_form(&f, *p)))
		return (false);
	*out = (struct patch_instruction){ .index = PATCH_NO_REGISTER,
	    .base = PATCH_NO_REGISTER, .reg = PATCH_NO_REGISTER,
	    .rm = PATCH_NO_REGISTER };
	if ((f.kind & MODRM) != 0)
		p = take_modrm(p, &f, out);
	p = take_immediate(p, &f, out);
	out->length = (unsigned)(p - from);
	finish(&f, *modrm, at + out->length, out);
	return (out->length <= LENGTH_MAX && out->length <= size);
}
