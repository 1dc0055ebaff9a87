/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puns: a jump of which only the first bytes are written, and the rest are the
 * instructions after the line, which stay as they are and are locked.
 *
 *	start:	jmp (first byte)		somewhere:
 *	end:	other instructions, which	jmp *stub
 *		have the displacement
 *
 * They have the part of the destination that cannot be chosen, so whether there
 * is memory to be had is known in the process alone.
 */
#include <string.h>

#include "patch/line.h"

/*
 * Returns true if another provider might take the bytes for a jump's, and then
 * change other ones: it decodes functions that have its places.
 */
static bool
has_places(const struct patch_map *m, uintptr_t at)
{
	const struct patch_code *code = patch_map_code(m, at);

	return (code != NULL && (patch_line_has_place(m, at) ||
	    memmem((const void *)code->start, code->end - code->start,
	    "\x0f\x05", 2) != NULL));
}

/*
 * Returns false if a pun can only lead into the object, or to no address.
 * Bytes that other jumps change are not known yet.
 */
static bool
may_lead(const struct patch_map *m, const struct patch_region *r)
{
	uintptr_t all = ((uintptr_t)1 << 8 * (r->changed - 1)) - 1, to;
	int32_t displacement;

	if (!patch_line_lacks(m, r->start + r->changed, r->start +
	    PATCH_JUMP, PATCH_BUSY))
		return (true);
	memcpy(&displacement, (const void *)(r->start + 1),
	    sizeof(displacement));
	to = r->start + PATCH_JUMP + ((uintptr_t)(intptr_t)displacement &
	    ~all);
	return (to + all < PATCH_LAST &&
	    (to < m->text->low || to + all >= m->text->high));
}

const char *
patch_pun_find(const struct patch_map *m, uintptr_t start, uintptr_t least,
    struct patch_region *r)
{
	const char *problem;
	uintptr_t room;

	*r = (struct patch_region){ .start = start, .way = PATCH_WAY_PUN };
	if (!m->stays || patch_text_left(m->text, start) <= PATCH_JUMP)
		return ("it is too short");
	if ((problem = patch_line_find(m, start, 1, least, &r->end)) != NULL)
		return (problem);
	if (has_places(m, start) || has_places(m, start + PATCH_JUMP - 1))
		return ("it is too short");
	for (room = start + PATCH_JUMP - 1; room > start + 1 &&
	    patch_line_find(m, start, room - start, least, &r->end) != NULL;
	    room--)
		continue;
	r->changed = room - start;
	problem = patch_line_find(m, start, r->changed, least, &r->end);
	return (problem == NULL && !may_lead(m, r) ? "it is too short" :
	    problem);
}
