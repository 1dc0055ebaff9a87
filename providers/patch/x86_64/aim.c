/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Direct calls of functions whose entry is redirected.  Each leads to the stub
 * at once, in place of a jump to it: of the two lines of a cache that the call
 * needed beside the function's own, one is left.  Both ways have the same
 * effect, so that a call may stay as it is: in pages that nothing else changes,
 * in functions that are not understood, and beside places of another provider.
 */
#include <stdlib.h>
#include <string.h>

#include "patch/line.h"
#include "patch/region_stub.h"

#define CALL		0xe8u	/* opcode, before the distance */
#define CALL_SIZE	5u

/* Finds the stub of each function's entry, or 0. */
static uintptr_t *
find_stubs(const struct patch_map *m, const struct patch_regions *regions,
    const struct patch_point *points, size_t n)
{
	uintptr_t *stubs = calloc(m->ncodes + 1, sizeof(*stubs));
	const struct patch_region *r;
	size_t i;

	for (i = 0; stubs != NULL && i < n; i++) {
		if (!points[i].is_entry || points[i].is_inside ||
		    points[i].problem != NULL)
			continue;
		r = &regions->all[points[i].region];
		if (r->start == points[i].at && r->problem == NULL &&
		    r->way != PATCH_WAY_AIM)
			stubs[points[i].function] = r->stub;
	}
	return (stubs);
}

/* Returns true if no more pages change with a call, and nothing else does. */
static bool
can_aim(const struct patch_edit *e, const struct patch_map *m, uintptr_t at)
{
	uintptr_t end = at + CALL_SIZE;

	return (patch_edit_has(e, at) && patch_edit_has(e, end - 1) &&
	    patch_line_lacks(m, at, end, PATCH_BUSY | PATCH_COPIED) &&
	    patch_line_lacks(m, at + 1, end, PATCH_ARRIVAL) &&
	    patch_line_place(m, at, end) == NULL);
}

static void
aim(struct patch_edit *e, const struct patch_map *m, uintptr_t at,
    const uintptr_t *stubs)
{
	const struct patch_code *code;
	int32_t distance;
	int64_t to_stub;
	uintptr_t target;

	memcpy(&distance, (const void *)(at + 1), sizeof(distance));
	target = at + CALL_SIZE + (uintptr_t)(intptr_t)distance;
	if (!patch_map_has(m, target) ||
	    (*patch_map_mark(m, target) & PATCH_BUSY) == 0 ||
	    (code = patch_map_code(m, target)) == NULL ||
	    code->start != target || stubs[code - m->codes] == 0 ||
	    !can_aim(e, m, at))
		return;
	to_stub = (int64_t)(stubs[code - m->codes] - (at + CALL_SIZE));
	distance = (int32_t)to_stub;
	if (distance == to_stub)
		(void)patch_edit_put(e, at + 1, &distance, sizeof(distance));
}

void
patch_calls_aim(struct patch_edit *e, const struct patch_map *m,
    const struct patch_regions *regions, const struct patch_point *points,
    size_t n)
{
	uintptr_t *stubs = find_stubs(m, regions, points, n), at;
	const struct patch_code *code;

	for (code = m->codes; stubs != NULL && code < m->codes + m->ncodes;
	    code++) {
		if (!code->is_decoded || !code->is_near ||
		    code->problem != NULL)
			continue;
		for (at = code->start; (at = patch_map_skip(m, at, code->end)) <
		    code->end; at++)
			if (patch_class_at(m, at) == PATCH_CALL &&
			    *(const uint8_t *)at == CALL)
				aim(e, m, at, stubs);
	}
	free(stubs);
}
