/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The frame of a function at an instruction, by the program for unwinders in
 * .eh_frame.  Of it only the rule for the canonical frame address is run.
 */
#include "map.h"

#include <string.h>

#define DEPTH_MAX	8u	/* of states that are remembered */

struct rule {
	uint64_t reg, offset;
};

struct frame {
	const struct patch_text *text;
	const uint8_t *p, *end;
	uint64_t factor;	/* of advances */
	uintptr_t at;		/* the rule holds from here on */
	struct rule rule;
	struct rule kept[DEPTH_MAX];
	unsigned depth;
	bool bad;
};

static uint8_t
take_byte(struct frame *f)
{
	if (f->bad || f->p >= f->end) {
		f->bad = true;
		return (0);
	}
	return (*f->p++);
}

static uint64_t
take_uleb(struct frame *f)
{
	uint64_t value = 0;
	unsigned shift;
	uint8_t byte;

	for (shift = 0; shift < 63; shift += 7) {
		byte = take_byte(f);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return (value);
	}
	f->bad = true;
	return (0);
}

static uint64_t
take_number(struct frame *f, unsigned size)
{
	uint64_t value = 0;
	unsigned i;

	for (i = 0; i < size; i++)
		value |= (uint64_t)take_byte(f) << 8 * i;
	return (value);
}

static void
skip_block(struct frame *f)
{
	uint64_t size = take_uleb(f);

	if (f->bad || size > (uint64_t)(f->end - f->p))
		f->bad = true;
	else
		f->p += size;
}

static void
remember(struct frame *f)
{
	if (f->depth == DEPTH_MAX)
		f->bad = true;
	else
		f->kept[f->depth++] = f->rule;
}

static void
restore(struct frame *f)
{
	if (f->depth == 0)
		f->bad = true;
	else
		f->rule = f->kept[--f->depth];
}

/* Runs an instruction without an operand in its opcode. */
static void
run_long(struct frame *f, uint8_t opcode)
{
	switch (opcode) {
	case 0x00:			/* nop, and a signature of pointers */
	case 0x2d:
		break;
	case 0x02:			/* advance by 1, 2 or 4 bytes */
	case 0x03:
		f->at += take_number(f, opcode - 1u) * f->factor;
		break;
	case 0x04:
		f->at += take_number(f, 4) * f->factor;
		break;
	case 0x05:			/* offset, register, val_offset */
	case 0x09:
	case 0x11:
	case 0x14:
	case 0x15:
		(void)take_uleb(f);
		(void)take_uleb(f);
		break;
	case 0x06:			/* restore, undefined, same, args */
	case 0x07:
	case 0x08:
	case 0x2e:
		(void)take_uleb(f);
		break;
	case 0x0a:
		remember(f);
		break;
	case 0x0b:
		restore(f);
		break;
	case 0x0c:
		f->rule.reg = take_uleb(f);
		f->rule.offset = take_uleb(f);
		break;
	case 0x0d:
		f->rule.reg = take_uleb(f);
		break;
	case 0x0e:
		f->rule.offset = take_uleb(f);
		break;
	case 0x0f:			/* by an expression */
		skip_block(f);
		f->rule = (struct rule){ .reg = UINT64_MAX };
		break;
	case 0x10:
	case 0x16:
		(void)take_uleb(f);
		skip_block(f);
		break;
	default:
		f->bad = true;
	}
}

/* Runs a program up to an advance beyond an address. */
static void
run(struct frame *f, uintptr_t at)
{
	uint8_t opcode;

	while (!f->bad && f->p < f->end && f->at <= at) {
		opcode = take_byte(f);
		if ((opcode & 0xc0) == 0x40)
			f->at += (opcode & 0x3fu) * f->factor;
		else if ((opcode & 0xc0) == 0x80)
			(void)take_uleb(f);
		else if ((opcode & 0xc0) == 0)
			run_long(f, opcode);
	}
}

/* Sets the bytes of an entry.  Returns false if they are not in the object. */
static bool
open_entry(struct frame *f, const uint8_t *entry)
{
	uint32_t size;

	if (!patch_readable(f->text, (uintptr_t)entry, 16))
		return (false);
	memcpy(&size, entry, sizeof(size));
	if (!patch_readable(f->text, (uintptr_t)entry, 4 + (size_t)size))
		return (false);
	f->p = entry + 8;
	f->end = entry + 4 + size;
	return (true);
}

/* The common part: version, letters, two factors, a register, a block. */
static bool
open_common(struct frame *f, const uint8_t *entry)
{
	int32_t back;

	memcpy(&back, entry + 4, sizeof(back));
	if (!open_entry(f, entry + 4 - back))
		return (false);
	(void)take_byte(f);
	while (take_byte(f) != 0)
		continue;
	f->factor = take_uleb(f);
	(void)take_uleb(f);
	(void)take_byte(f);
	skip_block(f);
	return (!f->bad);
}

enum patch_frame
patch_frame(const struct patch_text *text, uintptr_t at)
{
	struct frame f = { .text = text };
	struct patch_range range;

	if (!patch_function(text, at, &range) ||
	    !open_common(&f, range.entry))
		return (PATCH_FRAME_UNKNOWN);
	run(&f, UINTPTR_MAX);
	if (f.bad || !open_entry(&f, range.entry))
		return (PATCH_FRAME_UNKNOWN);
	f.p += 8;
	f.at = range.start;
	skip_block(&f);
	run(&f, at);
	if (f.bad)
		return (PATCH_FRAME_UNKNOWN);
	return (f.rule.reg == PATCH_CFA_REGISTER &&
	    f.rule.offset == PATCH_CFA_OFFSET ? PATCH_FRAME_NONE :
	    PATCH_FRAME_SOME);
}
