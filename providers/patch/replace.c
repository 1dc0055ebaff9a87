/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Jumps, and functions that one can replace as they do nothing: they return at
 * once, and the bytes from there to the end of a jump are filler up to the next
 * function.
 */
#include "x86_64.h"

#include <string.h>

#define RET	0xc3
#define FAR_WORD	6u	/* offset of the address in a far jump */

/* Returns the size in bytes of a function that does nothing, or 0. */
static size_t
empty(const uint8_t *p)
{
	static const uint8_t pad[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t n = memcmp(p, pad, sizeof(pad)) == 0 ? sizeof(pad) : 0;

	return (p[n] == RET ? n + 1 : 0);
}

uintptr_t
patch_replaceable(const struct patch_text *text, uintptr_t function)
{
	struct patch_range range;
	size_t size;

	return (function >= text->start && function < text->end &&
	    text->end - function >= 2 * PATCH_JUMP &&
	    (size = empty((const uint8_t *)function)) != 0 &&
	    patch_function(text, function, &range) &&
	    range.start == function && range.end == function + size &&
	    patch_is_gap(text, range.end, function + PATCH_JUMP) ?
	    function : 0);
}

bool
patch_jump(uint8_t jump[PATCH_JUMP], uintptr_t from, uintptr_t to)
{
	int64_t distance = (int64_t)(to - (from + PATCH_JUMP));
	int32_t displacement = (int32_t)distance;

	jump[0] = 0xe9;
	memcpy(jump + 1, &displacement, sizeof(displacement));
	return (displacement == distance);
}

/* The jump to a stub is the only code that begins so, and goes on as a stub. */
uintptr_t
patch_replaced(uintptr_t function)
{
	const uint8_t *p = (const uint8_t *)function;
	uint8_t stub[PATCH_FAR], other[PATCH_FAR];
	int32_t displacement;
	uintptr_t at;

	if (p[0] != 0xe9)
		return (0);
	memcpy(&displacement, p + 1, sizeof(displacement));
	at = function + PATCH_JUMP + (uintptr_t)(intptr_t)displacement;
	memcpy(stub, (const void *)at, sizeof(stub));
	memcpy(&function, stub + FAR_WORD, sizeof(function));
	patch_far_encode(other, function);
	return (memcmp(stub, other, sizeof(stub)) == 0 ? at + FAR_WORD : 0);
}

void
patch_far_encode(uint8_t stub[PATCH_FAR], uintptr_t to)
{
	memset(stub, 0xcc, PATCH_FAR);
	memcpy(stub, "\xff\x25\0\0\0\0", 6);	/* jmp *0(%rip) */
	memcpy(stub + FAR_WORD, &to, sizeof(to));
}
