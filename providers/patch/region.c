/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Planning of regions.  For plain jumps, points are taken from the highest
 * address down, exits of a function before its entry.  An exit takes the whole
 * line from the entry if that is a short one: a call then needs neither the
 * jump back nor the one to the exit's stub, nor the function's own bytes.  The
 * other ways then take the points that are left, entries before exits.
 */
#include <stdlib.h>

#include "line.h"

#define LINE_MAX_BYTES	48u	/* of a line that is copied */
#define STARTS_MAX	32u	/* starts of a line that are tried */

/* Gives a line to a way, if that has room.  Returns NULL, or why not. */
typedef const char *settle(struct patch_plan *, struct patch_point *,
    uintptr_t start, uintptr_t least);

static const char *
take(struct patch_plan *p, struct patch_point *point,
    const struct patch_region *r)
{
	point->region = p->regions->n;
	patch_line_take(p, r);
	return (NULL);
}

static const char *
settle_jump(struct patch_plan *p, struct patch_point *point, uintptr_t start,
    uintptr_t least)
{
	struct patch_region r = { .start = start, .way = PATCH_WAY_JUMP };
	const char *problem = patch_line_find(p->map, start, PATCH_JUMP,
	    least, &r.end);

	return (problem != NULL ? problem : take(p, point, &r));
}

static const char *
settle_hole(struct patch_plan *p, struct patch_point *point, uintptr_t start,
    uintptr_t least)
{
	struct patch_region r = { .start = start, .way = PATCH_WAY_HOLE };
	const char *problem = patch_line_find(p->map, start,
	    PATCH_SHORT_JUMP, least, &r.end);

	if (problem != NULL)
		return (problem);
	r.hole = patch_hole_find(p->map, start);
	return (r.hole == 0 ? "it is too short" : take(p, point, &r));
}

/* While room for a hole is made, the line to be redirected stays as it is. */
static const char *
settle_evict(struct patch_plan *p, struct patch_point *point,
    uintptr_t start, uintptr_t least)
{
	struct patch_region r = { .start = start, .way = PATCH_WAY_HOLE };
	const char *problem = patch_line_find(p->map, start,
	    PATCH_SHORT_JUMP, least, &r.end);
	uintptr_t end;

	if (problem != NULL)
		return (problem);
	end = r.end > start + PATCH_SHORT_JUMP ? r.end :
	    start + PATCH_SHORT_JUMP;
	patch_line_lock(p->map, start, end, true);
	r.hole = patch_hole_make(p, start);
	patch_line_lock(p->map, start, end, false);
	return (r.hole == 0 ? "it is too short" : take(p, point, &r));
}

static const char *
settle_pun(struct patch_plan *p, struct patch_point *point, uintptr_t start,
    uintptr_t least)
{
	struct patch_region r;
	const char *problem = patch_pun_find(p->map, start, least, &r);

	return (problem != NULL ? problem : take(p, point, &r));
}

/* Calls are among the bytes of entries. */
static const char *
settle_call(struct patch_plan *p, struct patch_point *point, uintptr_t start,
    uintptr_t least, enum patch_means way)
{
	struct patch_region r;
	const char *problem;

	if (!point->is_entry || least > start + 1)
		return ("it is too short");
	problem = way == PATCH_WAY_AIM ? patch_call_aim(p->map, start, &r) :
	    patch_call_in_place(p->map, start, way, &r);
	return (problem != NULL ? problem : take(p, point, &r));
}

static const char *
settle_place(struct patch_plan *p, struct patch_point *point,
    uintptr_t start, uintptr_t least)
{
	return (settle_call(p, point, start, least, PATCH_WAY_JUMP));
}

static const char *
settle_aim(struct patch_plan *p, struct patch_point *point, uintptr_t start,
    uintptr_t least)
{
	return (settle_call(p, point, start, least, PATCH_WAY_AIM));
}

static const char *
settle_place_hole(struct patch_plan *p, struct patch_point *point,
    uintptr_t start, uintptr_t least)
{
	return (settle_call(p, point, start, least, PATCH_WAY_HOLE));
}

/* ------------------------------------------------------------ entries */

/* An exit that was to be in the region goes without, if that is better. */
static const char *
plan_entry(struct patch_plan *p, struct patch_point *point, settle *way)
{
	uintptr_t least = point->is_inside ? 0 : p->merged[point->function];

	return (least != 0 && way(p, point, point->at, least) == NULL ?
	    NULL : way(p, point, point->at, point->at + 1));
}

/* ------------------------------------------------------------ exits */

/* The line that leads to an exit, as far as nothing else arrives. */
struct line {
	uintptr_t starts[STARTS_MAX];	/* of instructions, descending */
	unsigned n;
	uintptr_t end;
	bool from_entry;	/* it begins at the function's entry */
};

/* The first bytes of a function are left for its entry. */
static void
find_line(const struct patch_plan *p, const struct patch_point *point,
    bool is_first, struct line *l)
{
	const struct patch_map *m = p->map;
	const struct patch_code *part = patch_map_code(m, point->at);
	uintptr_t at = point->at, floor = part->start;
	enum patch_class class;

	*l = (struct line){ .end = patch_map_next(m, at) };
	if (is_first && p->has_entry[point->function] &&
	    floor == m->codes[point->function].start)
		floor += PATCH_JUMP;
	for (;;) {
		if (at >= floor && l->n < STARTS_MAX)
			l->starts[l->n++] = at;
		l->from_entry = at == m->codes[point->function].start;
		if ((*patch_map_mark(m, at) & PATCH_ARRIVAL) != 0 ||
		    (at = patch_line_before(m, part, at)) == 0 ||
		    l->end - at > LINE_MAX_BYTES)
			return;
		class = patch_class_at(m, at);
		if (class != PATCH_PLAIN && class != PATCH_BRANCH)
			return;
	}
}

/* Takes the line from a function's entry to an exit, if both are points. */
static bool
take_whole(struct patch_plan *p, struct patch_point *point,
    const struct line *l)
{
	return (p->is_plain && l->from_entry && p->has_entry[point->function] &&
	    settle_jump(p, point, p->map->codes[point->function].start,
	    l->end) == NULL);
}

static const char *
plan_exit(struct patch_plan *p, struct patch_point *point, settle *way)
{
	const char *problem = "it is too short";
	struct line l;
	unsigned i;

	find_line(p, point, way == settle_jump, &l);
	if (take_whole(p, point, &l))
		return (NULL);
	for (i = 0; i < l.n && problem != NULL; i++)
		problem = way(p, point, l.starts[i], l.end);
	if (problem != NULL && l.from_entry && p->merged[point->function] == 0)
		p->merged[point->function] = l.end;
	return (problem);
}

/* ------------------------------------------------------------ all points */

/* Returns true if a point has a region, or is in that of another one. */
static bool
join(const struct patch_plan *p, struct patch_point *point)
{
	if (point->region != PATCH_NO_REGION ||
	    p->map->codes[point->function].problem != NULL)
		return (point->region != PATCH_NO_REGION);
	point->region = patch_line_region(p, point->at);
	if (point->region != PATCH_NO_REGION)
		point->problem = NULL;
	return (point->region != PATCH_NO_REGION);
}

/* Tries a way for a point without a region. */
static void
plan_point(struct patch_plan *p, struct patch_point *point, settle *way)
{
	const char *problem;

	if (join(p, point))
		return;
	problem = point->is_entry ? plan_entry(p, point, way) :
	    plan_exit(p, point, way);
	if (problem == NULL || point->problem == NULL)
		point->problem = problem;
}

static void
begin(struct patch_plan *p)
{
	struct patch_point *point;

	for (point = p->points; point < p->points + p->n; point++) {
		point->region = PATCH_NO_REGION;
		point->problem = NULL;
		point->is_branch = !point->is_entry && !point->is_back &&
		    patch_class_at(p->map, point->at) == PATCH_BRANCH;
		p->has_entry[point->function] |= point->is_entry &&
		    !point->is_inside;
	}
}

/* Returns true if a point is of a kind, and its function can have regions. */
static bool
is_planned(const struct patch_plan *p, const struct patch_point *point,
    bool is_inside)
{
	return (point->is_inside == is_inside &&
	    p->map->codes[point->function].problem == NULL);
}

static void
plan_plain(struct patch_plan *p)
{
	const char *problem;
	size_t i;

	p->is_plain = true;
	for (i = p->n; i-- > 0;) {
		problem = p->map->codes[p->points[i].function].problem;
		if (problem != NULL)
			p->points[i].problem = problem;
		else if (!p->points[i].is_inside)
			plan_point(p, &p->points[i], settle_jump);
	}
	p->is_plain = false;
}

/* Plans the points that are left, of entries and exits, or inside functions. */
static void
plan_left(struct patch_plan *p, bool is_inside)
{
	static settle *const ways[] = {
		settle_jump, settle_hole, settle_place, settle_aim,
		settle_place_hole, settle_evict, settle_pun
	};
	size_t i, n;

	for (n = is_inside ? 0 : 1; n < sizeof(ways) / sizeof(*ways); n++)
		for (i = 0; i < p->n; i++)
			if (is_planned(p, &p->points[i], is_inside))
				plan_point(p, &p->points[i], ways[n]);
}

static void
plan_points(struct patch_plan *p)
{
	size_t i;

	begin(p);
	plan_plain(p);
	plan_left(p, false);
	plan_left(p, true);
	for (i = 0; i < p->n; i++)
		(void)join(p, &p->points[i]);
}

const char *
patch_regions_plan(struct patch_map *m, struct patch_regions *regions,
    struct patch_point *points, size_t n)
{
	struct patch_plan p = { .map = m, .regions = regions,
	    .points = points, .n = n };

	*regions = (struct patch_regions){ .n = 0 };
	p.merged = calloc(m->ncodes + 1, sizeof(*p.merged));
	p.has_entry = calloc(m->ncodes + 1, sizeof(*p.has_entry));
	if (p.merged != NULL && p.has_entry != NULL)
		plan_points(&p);
	else
		regions->failed = true;
	free(p.merged);
	free(p.has_entry);
	return (regions->failed ? "out of memory" : NULL);
}

void
patch_regions_free(struct patch_regions *regions)
{
	free(regions->all);
	free(regions->rooms);
	*regions = (struct patch_regions){ .n = 0 };
}
