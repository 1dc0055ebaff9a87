/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Making room for a hole, where there is none: a region near it takes more
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

/* A system call is the place of another provider. */
static bool
has_syscall(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	for (; at < end; at = patch_map_next(m, at))
		if (memcmp((const void *)at, "\x0f\x05", 2) == 0)
			return (true);
	return (false);
}

/* Finds a line of instructions that may be moved; filler is none of it. */
static bool
find_line(const struct patch_map *m, uintptr_t start, size_t size,
    uintptr_t *end)
{
	const struct patch_code *code = patch_map_code(m, start);

	return (code != NULL && code->problem == NULL &&
	    (*patch_map_mark(m, start) & PATCH_BEGINS) != 0 &&
	    patch_line_find(m, start, size, start + 1, end) == NULL &&
	    *end >= start + size && !has_syscall(m, start, *end));
}

/* Lengthens a region whose end is at an address.  Returns the hole, or 0. */
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
