/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Holes: dead bytes with room for a jump.  A line that is too short for a jump
 * of five bytes gets one of two bytes to a hole near it, which has the other
 * jump.
 *
 *	start:	jmp hole		next:	end of another region, or
 *	end:	next instruction		filler after a function
 *					hole:	jmp stub
 *
 * A hole begins where an instruction does or directly after another jump, so
 * that decoders of the text find each instruction that still runs.
 */
#include "line.h"

static void
claim_filler(struct patch_map *m, uintptr_t at, uintptr_t end)
{
	for (; at < end; at++)
		if (patch_map_has(m, at) &&
		    (*patch_map_mark(m, at) & PATCH_BEGINS) != 0 &&
		    patch_ends_block(patch_class_at(m, at)) &&
		    !patch_line_has_place(m, at))
			patch_line_claim(m, patch_map_next(m, at));
}

/* Returns true if an instruction may begin at a dead byte. */
static bool
may_begin(const struct patch_map *m, uintptr_t at)
{
	unsigned marks = *patch_map_mark(m, at), before;

	before = patch_map_has(m, at - 1) ? *patch_map_mark(m, at - 1) : 0;
	return ((marks & PATCH_BEGINS) != 0 || (before & PATCH_BUSY) != 0 ||
	    ((marks & PATCH_FILLER) != 0 && (before & PATCH_FILLER) == 0));
}

static bool
is_hole(const struct patch_map *m, uintptr_t at)
{
	uintptr_t i;

	if (!patch_line_lacks(m, at, at + PATCH_JUMP, PATCH_BUSY) ||
	    !may_begin(m, at))
		return (false);
	for (i = at; i < at + PATCH_JUMP; i++)
		if ((*patch_map_mark(m, i) & (PATCH_COPIED | PATCH_FILLER)) ==
		    0)
			return (false);
	return (true);
}

uintptr_t
patch_hole_find(struct patch_map *m, uintptr_t start)
{
	uintptr_t from = start + PATCH_SHORT_JUMP - PATCH_SHORT_REACH, at;
	uintptr_t end = from + 2 * PATCH_SHORT_REACH;

	claim_filler(m, from - PATCH_SHORT_REACH, end);
	for (at = from; at < end; at++)
		if ((at + PATCH_JUMP <= start || at >= start +
		    PATCH_SHORT_JUMP) && is_hole(m, at))
			return (at);
	return (0);
}
