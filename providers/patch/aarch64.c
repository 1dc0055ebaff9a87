/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What has to be known of aarch64 instructions.
 */
#include "aarch64.h"

#define BRANCH	0x14000000u	/* b */

/* The signed number in `bits` bits from bit `low` on, times a word. */
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
	if ((word & 0xff000000) == 0x54000000 ||	/* by a condition */
	    (word & 0x7e000000) == 0x34000000)		/* cbz, cbnz */
		return (at + distance(word, 5, 19));
	if ((word & 0x7e000000) == 0x36000000)		/* tbz, tbnz */
		return (at + distance(word, 5, 14));
	return (0);
}

/* Branches and exceptions are one class, with what is for the system. */
bool
patch_goes_on(uint32_t word)
{
	return ((word & 0x1c000000) != BRANCH || word >> 24 == 0xd5);
}

/*
 * The lowest field is the result's.  Loads may write to another one, to that
 * of the address, and to what is compared.  Stores are taken for loads, and
 * vector registers for general ones.
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
