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
 *
 * Where there is none, a hole is made: a region near it takes more
 * instructions, which it runs in its stub already; or a line of instructions
 * without a point is moved into a stub.
 *
 *	line:	jmp stub of the line
 *	hole:	jmp stub of a region near it
 *		rest of the line, dead
 */
#include <string.h>

#include "line.h"

#define LINE_MAX_BYTES	48u	/* of a line that is copied */

/* Returns true for the end of a block if all ways to its function are known. */
static bool
ends_block(const struct patch_map *m, uintptr_t at)
{
	const struct patch_code *code;

	if (!patch_map_has(m, at) ||
	    (*patch_map_mark(m, at) & PATCH_BEGINS) == 0 ||
	    !patch_ends_block(patch_class_at(m, at)))
		return (false);
	code = patch_map_code(m, at);
	return (code != NULL && code->is_near && !patch_line_has_place(m, at));
}

static void
claim_filler(struct patch_map *m, uintptr_t at, uintptr_t end)
{
	for (; at < end; at++)
		if (ends_block(m, at))
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

/* ------------------------------------------------------------ making room */

/* A system call is the place of another provider. */
static bool
has_syscall(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	for (; at < end; at = patch_map_next(m, at))
		if (end - at >= 2 &&
		    memcmp((const void *)at, "\x0f\x05", 2) == 0)
			return (true);
	return (false);
}

/* Finds a line of instructions that may be moved; filler is none of it. */
static bool
find_line(const struct patch_map *m, uintptr_t start, size_t size,
    uintptr_t *end)
{
	const struct patch_code *code = patch_map_code(m, start);

	return (code != NULL && code->is_near && code->problem == NULL &&
	    (*patch_map_mark(m, start) & PATCH_BEGINS) != 0 &&
	    patch_line_find(m, start, size, start + 1, end) == NULL &&
	    *end >= start + size && !has_syscall(m, start, *end));
}

/* Lengthens a region that ends at an address.  Returns the hole, or 0. */
static uintptr_t
lengthen(struct patch_plan *p, uintptr_t at)
{
	const struct patch_map *m = p->map;
	size_t i = patch_line_region(p, at - 1);
	struct patch_region *r = i == PATCH_NO_REGION ? NULL :
	    &p->regions->all[i];
	const struct patch_code *code = patch_map_code(m, at);
	uintptr_t hole = at, last, end;
	struct patch_moves moves;

	if (r == NULL || r->end != at || r->call != 0 ||
	    code == NULL || (*patch_map_mark(m, at) & PATCH_ARRIVAL) != 0 ||
	    (last = patch_line_before(m, code, at)) == 0 ||
	    patch_ends_block(patch_class_at(m, last)))
		return (0);
	while ((*patch_map_mark(m, hole - 1) & PATCH_BUSY) == 0)
		hole--;
	if (!find_line(m, at, hole + PATCH_JUMP - at, &end) ||
	    end - r->start > LINE_MAX_BYTES ||
	    patch_moves_find((const uint8_t *)r->start, end - r->start,
	    &moves) != NULL || moves.taken != end - r->start)
		return (0);
	patch_line_lengthen(p, r, end);
	return (hole);
}

/* Moves a line that begins at an address.  Returns the hole, or 0. */
static uintptr_t
move(struct patch_plan *p, uintptr_t at)
{
	struct patch_region r = { .start = at, .way = PATCH_WAY_JUMP };

	if (!find_line(p->map, at, 2 * PATCH_JUMP, &r.end))
		return (0);
	patch_line_take(p, &r);
	return (at + PATCH_JUMP);
}

static bool
is_end(const struct patch_map *m, uintptr_t at)
{
	return (patch_map_has(m, at) && patch_map_has(m, at - 1) &&
	    (*patch_map_mark(m, at - 1) & PATCH_COPIED) != 0 &&
	    (*patch_map_mark(m, at) & (PATCH_COPIED | PATCH_BEGINS)) ==
	    PATCH_BEGINS);
}

/* The hole of a region is at most five bytes before its end. */
uintptr_t
patch_hole_make(struct patch_plan *p, uintptr_t start)
{
	uintptr_t from = start + PATCH_SHORT_JUMP - PATCH_SHORT_REACH, at;
	uintptr_t end = from + 2 * PATCH_SHORT_REACH, hole;

	for (at = from + PATCH_JUMP; at < end; at++)
		if (is_end(p->map, at) && (hole = lengthen(p, at)) != 0)
			return (hole);
	for (at = from; at < end - PATCH_JUMP; at++)
		if (patch_map_has(p->map, at) && (hole = move(p, at)) != 0)
			return (hole);
	return (0);
}
