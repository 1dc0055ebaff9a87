/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replacing a function that does nothing: it returns at once, and the bytes
 * from there to the end of a jump are filler up to the next function.
 */
#include "x86_64.h"

#include <string.h>

#define RET	0xc3
#define INDIRECT "\xff\x25\0\0\0\0"	/* jmp *0(%rip) */

/* Returns the size in bytes of a function that does nothing, or 0. */
static size_t
empty(const uint8_t *p)
{
	static const uint8_t pad[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t n = memcmp(p, pad, sizeof(pad)) == 0 ? sizeof(pad) : 0;

	return (p[n] == RET ? n + 1 : 0);
}

static bool
may_replace(const struct patch_text *text, uintptr_t function)
{
	struct patch_range range;
	size_t size;

	return (function >= text->start && function < text->end &&
	    text->end - function >= 2 * PATCH_JUMP &&
	    (size = empty((const uint8_t *)function)) != 0 &&
	    patch_function(text, function, &range) &&
	    range.start == function && range.end == function + size &&
	    patch_is_gap(text, range.end, function + PATCH_JUMP));
}

const char *
patch_replace(const struct patch *patch, const struct patch_text *text,
    uintptr_t function, void (*other)(void))
{
	uint8_t stub[sizeof(INDIRECT) - 1 + sizeof(other)];
	uint8_t jump[PATCH_JUMP] = { 0xe9 };
	int32_t displacement;
	uintptr_t at;

	if (!may_replace(text, function))
		return ("the function is not known");
	if ((at = patch_map_near(text, sizeof(stub))) == 0)
		return ("there is no room for a stub within reach");
	memcpy(stub, INDIRECT, sizeof(INDIRECT) - 1);
	memcpy(stub + sizeof(INDIRECT) - 1, &other, sizeof(other));
	displacement = (int32_t)(at - (function + PATCH_JUMP));
	memcpy(jump + 1, &displacement, sizeof(displacement));
	if (patch_write(patch, at, stub, sizeof(stub)) != 0 ||
	    patch_write(patch, function, jump, sizeof(jump)) != 0)
		return ("the kernel does not permit writing to text");
	return (NULL);
}
