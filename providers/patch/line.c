/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH_MAX	15u	/* of an instruction */

bool
patch_line_lacks(const struct patch_map *m, uintptr_t at, uintptr_t end,
    unsigned marks)
{
	for (; at < end; at++)
		if (!patch_map_has(m, at) ||
		    (*patch_map_mark(m, at) & marks) != 0)
			return (false);
	return (true);
}

bool
patch_ends_block(enum patch_class class)
{
	return (class == PATCH_RETURN || class == PATCH_JMP ||
	    class == PATCH_COMPUTED || class == PATCH_END);
}

uintptr_t
patch_line_before(const struct patch_map *m, const struct patch_code *code,
    uintptr_t at)
{
	uintptr_t back = at;

	while (back-- > code->start && at - back <= LENGTH_MAX)
		if ((*patch_map_mark(m, back) & PATCH_BEGINS) != 0)
			return (patch_map_next(m, back) == at ? back : 0);
	return (0);
}

/* The provider of system calls finds them by their bytes, too. */
static bool
is_call(const struct patch_map *m, uintptr_t at)
{
	return (patch_map_has(m, at) && patch_text_left(m->text, at) >= 2 &&
	    memcmp((const void *)at, "\x0f\x05", 2) == 0);
}

/*
 * The provider of system calls needs the instructions of three bytes before one
 * as well.
 */
const char *
patch_line_place(const struct patch_map *m, uintptr_t start, uintptr_t end)
{
	uintptr_t at;

	if (patch_map_has_site(m, start - (PATCH_JUMP - 1), end))
		return ("a USDT site may be there");
	for (at = start - (PATCH_JUMP - 1); m->keeps_calls && at <= end + 3; at++)
		if (is_call(m, at))
			return ("a system call is there");
	return (NULL);
}

/* Another provider refuses a function with a jump that goes on after it. */
bool
patch_line_has_place(const struct patch_map *m, uintptr_t at)
{
	const struct patch_code *code = m->nsites > 0 || m->keeps_calls ?
	    patch_map_code(m, at) : NULL;

	return (code != NULL &&
	    patch_line_place(m, code->start, code->end) != NULL);
}

/* Returns the length of an instruction that fills gaps, or 0. */
static size_t
filler_at(const struct patch_map *m, uintptr_t at)
{
	const uint8_t *p = (const uint8_t *)at;
	struct patch_instruction in;
	size_t n = 0;

	if ((*patch_map_mark(m, at) & (PATCH_CODE | PATCH_BEGINS)) ==
	    PATCH_CODE)
		return (0);
	patch_decode(p, patch_text_left(m->text, at), at, &in);
	while (n < in.length && (p[n] == 0x66 || p[n] == 0x2e))
		n++;
	if (n < in.length && (p[n] == 0x90 || (n == 0 && p[n] == 0xcc) ||
	    (n + 1 < in.length && p[n] == 0x0f && p[n + 1] == 0x1f)))
		return (in.length);
	return (0);
}

uintptr_t
patch_line_fill(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	size_t length;

	while (at < end && patch_map_has(m, at)) {
		length = (*patch_map_mark(m, at) & PATCH_FILLER) != 0 ? 1 :
		    filler_at(m, at);
		if (length == 0 || !patch_line_lacks(m, at, at + length,
		    PATCH_ARRIVAL | PATCH_START | PATCH_BUSY | PATCH_COPIED))
			return (at);
		at += length;
	}
	return (at);
}

/* Data that looks like filler hardly ends where an instruction begins. */
void
patch_line_claim(struct patch_map *m, uintptr_t block_end)
{
	uintptr_t end = patch_line_fill(m, block_end, m->text->end), at;

	if (patch_text_left(m->text, end) > 0 && (*patch_map_mark(m, end) &
	    (PATCH_BEGINS | PATCH_START)) == 0)
		return;
	for (at = block_end; at < end; at++)
		*patch_map_mark(m, at) |= PATCH_FILLER;
}

/* Finds the end of whole instructions that reach `least` and `full`. */
static const char *
find_end(const struct patch_map *m, uintptr_t start, uintptr_t least,
    uintptr_t full, uintptr_t *end, bool *ended)
{
	const struct patch_code *part = patch_map_code(m, start);
	enum patch_class class;
	uintptr_t at = start;

	*ended = false;
	while ((at < least || at < full) && !*ended) {
		if (part == NULL || at >= part->end)
			return ("it is too short");
		if (at > start && (*patch_map_mark(m, at) & PATCH_ARRIVAL) !=
		    0)
			return ("a branch leads between the bytes");
		class = patch_class_at(m, at);
		if (class == PATCH_CALL)
			return ("a call is among the bytes");
		*ended = patch_ends_block(class);
		at = patch_map_next(m, at);
	}
	*end = at;
	return (at < least ? "it is too short" : NULL);
}

/* A possible branch may lead into the middle of an instruction, too. */
const char *
patch_line_find(const struct patch_map *m, uintptr_t start, size_t size,
    uintptr_t least, uintptr_t *end)
{
	struct patch_moves moves;
	const char *problem;
	uintptr_t room;
	bool ended;

	if ((problem = find_end(m, start, least, start + size, end,
	    &ended)) != NULL)
		return (problem);
	room = *end;
	if (room < start + size && ended && !patch_line_has_place(m, start))
		room = patch_line_fill(m, room, start + size);
	if (room < start + size)
		return ("it is too short");
	if (!patch_line_lacks(m, start, *end, PATCH_BUSY | PATCH_COPIED) ||
	    !patch_line_lacks(m, *end, start + size, PATCH_BUSY))
		return ("another jump is there");
	if (!patch_line_lacks(m, start + 1, *end, PATCH_ARRIVAL))
		return ("a branch leads between the bytes");
	if ((problem = patch_line_place(m, start, *end)) != NULL ||
	    (problem = patch_moves_find((const uint8_t *)start, *end - start,
	    &moves)) != NULL)
		return (problem);
	return (moves.taken == *end - start ? NULL :
	    "its instructions are not understood");
}

static bool
is_in(const struct patch_region *r, uintptr_t at)
{
	return (at >= r->start && at < r->end);
}

size_t
patch_line_region(const struct patch_plan *p, uintptr_t at)
{
	const struct patch_region *all = p->regions->all;
	size_t low = 0, high = p->nplain, middle, i;

	if ((*patch_map_mark(p->map, at) & PATCH_COPIED) == 0)
		return (PATCH_NO_REGION);
	while (low < high) {
		middle = low + (high - low) / 2;
		if (all[middle].start > at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < p->nplain && is_in(&all[low], at))
		return (low);
	for (i = p->regions->n; i-- > p->nplain;)
		if (is_in(&all[i], at))
			return (i);
	return (PATCH_NO_REGION);
}

static void
mark(struct patch_map *m, uintptr_t at, uintptr_t end, unsigned marks)
{
	for (; at < end; at++)
		*patch_map_mark(m, at) |= (uint16_t)marks;
}

void
patch_line_take(struct patch_plan *p, const struct patch_region *r)
{
	struct patch_regions *regions = p->regions;
	struct patch_region *all = regions->all;
	size_t room = 2 * regions->room + 256;
	size_t size = r->way == PATCH_WAY_HOLE ? PATCH_SHORT_JUMP :
	    PATCH_JUMP;

	if (regions->n == regions->room) {
		all = reallocarray(all, room, sizeof(*all));
		if (all == NULL) {
			regions->failed = true;
			return;
		}
		regions->all = all;
		regions->room = room;
	}
	all[regions->n] = *r;
	all[regions->n++].host = r->hole == 0 ? PATCH_NO_REGION :
	    patch_line_region(p, r->hole);
	p->nplain += p->is_plain;
	if (r->start + size > r->end)
		patch_line_claim(p->map, r->end);
	if (r->way != PATCH_WAY_AIM)
		mark(p->map, r->start, r->end, PATCH_COPIED);
	mark(p->map, r->start, r->call != 0 ? r->end : r->start + size,
	    PATCH_BUSY);
	if (r->hole != 0)
		mark(p->map, r->hole, r->hole + PATCH_JUMP, PATCH_BUSY);
}

void
patch_line_lengthen(struct patch_plan *p, struct patch_region *r,
    uintptr_t end)
{
	mark(p->map, r->end, end, PATCH_COPIED);
	r->end = end;
}

void
patch_line_lock(struct patch_map *m, uintptr_t at, uintptr_t end,
    bool is_locked)
{
	for (; at < end; at++)
		if (is_locked)
			*patch_map_mark(m, at) |= PATCH_BUSY;
		else
			*patch_map_mark(m, at) &= (uint16_t)~PATCH_BUSY;
}
