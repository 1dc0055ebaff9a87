/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Planning of regions.  Points are taken from the highest address down, exits
 * of a function before its entry: the entry of a short function takes the exit
 * with it if no jump has room before that alone.
 */
#include "region.h"

#include <stdlib.h>

#define LINE_MAX_BYTES	48u	/* of a line that is copied */
#define NOP		0x90u
#define STARTS_MAX	32u	/* starts of a line that are tried */

struct plan {
	struct patch_map *map;
	struct patch_point *points;
	uintptr_t *merged;	/* by function: end of the line from its entry
				   to an exit, or 0 */
	bool *has_entry;	/* by function: its entry is a point */
};

static bool
is_free(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	for (; at < end; at++)
		if (!patch_map_has(m, at) ||
		    (*patch_map_mark(m, at) & PATCH_BUSY) != 0)
			return (false);
	return (true);
}

/* A possible branch may lead into the middle of an instruction, too. */
static bool
has_arrival(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	for (; at < end; at++)
		if ((*patch_map_mark(m, at) & PATCH_ARRIVAL) != 0)
			return (true);
	return (false);
}

static bool
is_nop(const struct patch_map *m, uintptr_t at)
{
	return (patch_map_has(m, at) &&
	    (*patch_map_mark(m, at) & PATCH_BEGINS) != 0 &&
	    *(const uint8_t *)at == NOP && patch_map_next(m, at) == at + 1);
}

/*
 * Returns true if a place of another provider may be in a line, or before it
 * where its own jump needs the line's first bytes.
 */
static bool
has_nop(const struct patch_map *m, uintptr_t start, uintptr_t end)
{
	uintptr_t at;

	for (at = start - (PATCH_JUMP - 1); m->keeps_nops && at < end; at++)
		if (is_nop(m, at))
			return (true);
	return (false);
}

/*
 * Returns true if the function of a line may have a place of another provider,
 * which refuses a function with a jump that goes on after its end.
 */
static bool
has_place(const struct patch_map *m, uintptr_t at)
{
	const struct patch_code *code = m->keeps_nops ?
	    patch_map_code(m, at) : NULL;

	return (code != NULL && has_nop(m, code->start, code->end));
}

static void
take(struct patch_map *m, uintptr_t start)
{
	uintptr_t at;

	for (at = start; at < start + PATCH_JUMP; at++)
		*patch_map_mark(m, at) |= PATCH_BUSY;
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
	patch_decode(p, m->text->end - at, at, &in);
	while (n < in.length && (p[n] == 0x66 || p[n] == 0x2e))
		n++;
	if (n < in.length && (p[n] == 0x90 || (n == 0 && p[n] == 0xcc) ||
	    (n + 1 < in.length && p[n] == 0x0f && p[n + 1] == 0x1f)))
		return (in.length);
	return (0);
}

/* Returns the end of filler after the end of a block, at most `end`. */
static uintptr_t
fill(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	size_t length, i;

	while (at < end && patch_map_has(m, at)) {
		length = filler_at(m, at);
		for (i = 0; i < length && patch_map_has(m, at + i); i++)
			if ((*patch_map_mark(m, at + i) & (PATCH_ARRIVAL |
			    PATCH_START | PATCH_BUSY)) != 0)
				return (at);
		if (length == 0 || i < length)
			return (at);
		at += length;
	}
	return (at);
}

static enum patch_class
class_at(const struct patch_map *m, uintptr_t at)
{
	return (patch_class(*patch_map_mark(m, at)));
}

static bool
ends_block(enum patch_class class)
{
	return (class == PATCH_RETURN || class == PATCH_JMP ||
	    class == PATCH_COMPUTED || class == PATCH_END);
}

/*
 * Gives the region [start, end) to a jump, if there is room for it; after the
 * end of a block filler may make room.  Returns NULL, or the reason of failure.
 */
static const char *
settle(struct patch_map *m, uintptr_t start, uintptr_t end, bool ended)
{
	uintptr_t room = end;
	struct patch_moves moves;
	const char *problem;

	if (room < start + PATCH_JUMP && ended && !has_place(m, start))
		room = fill(m, end, start + PATCH_JUMP);
	if (room < start + PATCH_JUMP)
		return ("it is too short");
	if (!is_free(m, start, start + PATCH_JUMP))
		return ("another jump is there");
	if (has_arrival(m, start + 1, end))
		return ("a branch leads between the bytes");
	if (has_nop(m, start, end))
		return ("a USDT site may be there");
	if ((problem = patch_moves_find((const uint8_t *)start, end - start,
	    &moves)) != NULL)
		return (problem);
	if (moves.taken != end - start)
		return ("its instructions are not understood");
	take(m, start);
	return (NULL);
}

/* ------------------------------------------------------------ entries */

/*
 * Finds the end of the line from a function's entry that has room for a jump,
 * and reaches `least`.
 */
static const char *
entry_line(const struct patch_map *m, const struct patch_code *code,
    uintptr_t least, uintptr_t *end, bool *ended)
{
	uintptr_t at = code->start;
	enum patch_class class;

	*ended = false;
	while (at < least && at < code->end && !*ended) {
		if (at > code->start &&
		    (*patch_map_mark(m, at) & PATCH_ARRIVAL) != 0)
			return ("a branch leads between the bytes");
		class = class_at(m, at);
		if (class == PATCH_CALL)
			return ("a call is among the bytes");
		*ended = ends_block(class);
		at = patch_map_next(m, at);
	}
	*end = at;
	return (NULL);
}

static const char *
plan_line(struct plan *p, struct patch_point *point, uintptr_t least)
{
	const struct patch_code *code = &p->map->codes[point->function];
	const char *problem;
	bool ended;

	problem = entry_line(p->map, code, least, &point->end, &ended);
	return (problem == NULL ? settle(p->map, point->at, point->end,
	    ended) : problem);
}

/* An exit that was to be in the region goes without, if that is better. */
static const char *
plan_entry(struct plan *p, struct patch_point *point)
{
	uintptr_t least = point->at + PATCH_JUMP;
	const char *problem = "";

	point->start = point->at;
	if (p->merged[point->function] > least)
		problem = plan_line(p, point, p->merged[point->function]);
	return (problem == NULL ? NULL : plan_line(p, point, least));
}

/* ------------------------------------------------------------ exits */

/* The line that leads to an exit, as far as nothing else arrives. */
struct line {
	uintptr_t starts[STARTS_MAX];	/* of instructions, descending */
	unsigned n;
	uintptr_t end;
	bool from_entry;	/* it begins at the function's entry */
};

/* Returns the instruction before another one in a part, or 0. */
static uintptr_t
before(const struct patch_map *m, const struct patch_code *code, uintptr_t at)
{
	uintptr_t back = at;

	while (back-- > code->start && at - back <= 15)
		if ((*patch_map_mark(m, back) & PATCH_BEGINS) != 0)
			return (patch_map_next(m, back) == at ? back : 0);
	return (0);
}

static void
find_line(const struct plan *p, const struct patch_point *point,
    struct line *l)
{
	const struct patch_map *m = p->map;
	const struct patch_code *part = patch_map_code(m, point->at);
	uintptr_t at = point->at, floor = part->start;
	enum patch_class class;

	*l = (struct line){ .end = patch_map_next(m, at) };
	if (p->has_entry[point->function] &&
	    floor == m->codes[point->function].start)
		floor += PATCH_JUMP;
	for (;;) {
		if (at >= floor && l->n < STARTS_MAX)
			l->starts[l->n++] = at;
		l->from_entry = at == m->codes[point->function].start;
		if ((*patch_map_mark(m, at) & PATCH_ARRIVAL) != 0 ||
		    (at = before(m, part, at)) == 0 ||
		    l->end - at > LINE_MAX_BYTES)
			return;
		class = class_at(m, at);
		if (class != PATCH_PLAIN && class != PATCH_BRANCH)
			return;
	}
}

static const char *
plan_exit(struct plan *p, struct patch_point *point)
{
	const char *problem = "it is too short";
	struct line l;
	unsigned i;

	find_line(p, point, &l);
	point->end = l.end;
	for (i = 0; i < l.n && problem != NULL; i++) {
		point->start = l.starts[i];
		problem = settle(p->map, point->start, l.end, true);
	}
	if (problem != NULL && l.from_entry &&
	    p->has_entry[point->function] && point->function ==
	    (size_t)(patch_map_code(p->map, point->at) - p->map->codes)) {
		p->merged[point->function] = l.end;
		point->start = p->map->codes[point->function].start;
		return (NULL);
	}
	return (problem);
}

/* Refuses exits that were to be in the region of an entry and are not. */
static void
check_merged(const struct plan *p, size_t n)
{
	struct patch_point *point, *entry = NULL;

	for (point = p->points; point < p->points + n; point++) {
		if (point->is_entry)
			entry = point;
		else if (point->problem == NULL &&
		    p->merged[point->function] == point->end &&
		    entry != NULL && entry->function == point->function &&
		    (entry->problem != NULL || entry->end < point->end))
			point->problem = "it is too short";
	}
}

static void
plan_points(struct plan *p, size_t n)
{
	struct patch_point *point;
	size_t i;

	for (i = 0; i < n; i++)
		p->has_entry[p->points[i].function] |= p->points[i].is_entry;
	for (i = n; i-- > 0;) {
		point = &p->points[i];
		point->problem = p->map->codes[point->function].problem;
		if (point->problem == NULL)
			point->problem = point->is_entry ?
			    plan_entry(p, point) : plan_exit(p, point);
	}
	check_merged(p, n);
}

const char *
patch_regions_plan(struct patch_map *m, struct patch_point *points, size_t n)
{
	struct plan p = { .map = m, .points = points };

	p.merged = calloc(m->ncodes + 1, sizeof(*p.merged));
	p.has_entry = calloc(m->ncodes + 1, sizeof(*p.has_entry));
	if (p.merged != NULL && p.has_entry != NULL)
		plan_points(&p, n);
	free(p.merged);
	free(p.has_entry);
	return (p.merged == NULL || p.has_entry == NULL ? "out of memory" :
	    NULL);
}
