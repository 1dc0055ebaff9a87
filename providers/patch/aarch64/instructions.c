/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Properties of aarch64 instructions, and the encoding of stubs.
 */
#include "patch/aarch64.h"

#include <string.h>

#define BRANCH	0x14000000u	/* b */

/* Returns the signed number in `bits` bits from bit `low` on, times a word. */
static uintptr_t
distance(uint32_t word, unsigned low, unsigned bits)
{
	int32_t number = (int32_t)(word << (32 - low - bits)) >> (32 - bits);

	return ((uintptr_t)(intptr_t)number * PATCH_WORD);
}

uintptr_t
patch_target(uint32_t word, uintptr_t at)
{
	if ((word & 0x7c000000) == BRANCH)		/* b, bl */
		return (at + distance(word, 0, 26));
	if ((word & 0xff000000) == 0x54000000 ||	/* b.cond */
	    (word & 0x7e000000) == 0x34000000)		/* cbz, cbnz */
		return (at + distance(word, 5, 19));
	if ((word & 0x7e000000) == 0x36000000)		/* tbz, tbnz */
		return (at + distance(word, 5, 14));
	return (0);
}

/* Branches and exceptions are one class, which also has system instructions. */
bool
patch_goes_on(uint32_t word)
{
	return ((word & 0x1c000000) != BRANCH || word >> 24 == 0xd5);
}

/*
 * The lowest field is the result's.  Loads may write to another one, to that of
 * the address, and to that of a compared value.  Stores are taken for loads,
 * and vector registers for general ones.
 */
bool
patch_writes(uint32_t word, unsigned number)
{
	if ((word & 0x1f) == number)
		return (true);
	return ((word & 0x0a000000) == 0x08000000 &&
	    ((word >> 5 & 0x1f) == number || (word >> 10 & 0x1f) == number ||
	    (word >> 16 & 0x1e) == (number & 0x1e)));
}

bool
patch_branch(uintptr_t from, uintptr_t to, uint32_t *word)
{
	int64_t words = (int64_t)(to - from) / (int64_t)PATCH_WORD;

	*word = BRANCH | ((uint32_t)words & 0x03ffffff);
	return (words >= -(1 << 25) && words < 1 << 25 && (to - from) %
	    PATCH_WORD == 0);
}

bool
patch_jump(uint8_t jump[PATCH_JUMP], uintptr_t from, uintptr_t to)
{
	uint32_t word;
	bool reached = patch_branch(from, to, &word);

	memcpy(jump, &word, sizeof(word));
	return (reached);
}

/* Returns true for a stp or str that stores the return address. */
static bool
keeps_link(uint32_t word)
{
	const uint32_t link = 30;

	return (((word & 0xfe400000) == 0xa8000000 && ((word & 0x1f) == link ||
	    (word >> 10 & 0x1f) == link)) ||
	    ((word & 0xfec00000) == 0xf8000000 && (word & 0x1f) == link));
}

bool
patch_keeps_link(const struct patch_range *function, uintptr_t at)
{
	uintptr_t p;

	for (p = function->start; p < at; p += PATCH_WORD)
		if (keeps_link(*(const uint32_t *)p))
			return (true);
	return (false);
}

/* ------------------------------------------------------------------- stubs */

/* Offsets of the data of a stub, after its instructions. */
#define ENABLED_AT	40u
#define PROBE_AT	48u
#define HIT_AT		56u

static void
put(uint8_t *stub, unsigned at, uint32_t word)
{
	memcpy(stub + at, &word, sizeof(word));
}

static void
put_literal(uint8_t *stub, unsigned at, uint64_t value)
{
	memcpy(stub + at, &value, sizeof(value));
}

/* Returns the field of 19 bits that refers to `to` in the stub. */
static uint32_t
ahead(unsigned from, unsigned to)
{
	return ((to - from) / PATCH_WORD << 5);
}

bool
patch_stub_encode(uint8_t stub[PATCH_STUB], uintptr_t at, uintptr_t back,
    const uint32_t *enabled, const void *probe, uintptr_t hit)
{
	uint32_t branch;
	bool reached = patch_branch(at + 32, back, &branch);

	put(stub, 0, 0xa9bf47f0);		/* stp x16, x17, [sp, -16]! */
	put(stub, 4, 0x58000010 | ahead(4, ENABLED_AT));	/* ldr x16 */
	put(stub, 8, 0xb9400210);		/* ldr w16, [x16] */
	put(stub, 12, 0x34000010 | ahead(12, PATCH_STUB_BEHIND)); /* cbz w16 */
	put(stub, 16, 0x58000011 | ahead(16, PROBE_AT));	/* ldr x17 */
	put(stub, 20, 0x58000010 | ahead(20, HIT_AT));		/* ldr x16 */
	put(stub, 24, 0xd61f0200);		/* br x16 */
	put(stub, PATCH_STUB_BEHIND, 0xa8c147f0); /* ldp x16, x17, [sp], 16 */
	put(stub, 32, branch);
	put(stub, 36, 0xd4200000);		/* brk 0 */
	put_literal(stub, ENABLED_AT, (uintptr_t)enabled);
	put_literal(stub, PROBE_AT, (uintptr_t)probe);
	put_literal(stub, HIT_AT, hit);
	return (reached);
}

void
patch_far_encode(uint8_t stub[PATCH_FAR], uintptr_t to)
{
	put(stub, 0, 0x58000010 | ahead(0, 8));	/* ldr x16 */
	put(stub, 4, 0xd61f0200);		/* br x16 */
	put_literal(stub, 8, to);
}
