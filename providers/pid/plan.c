/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

const char *
pid_plan_begin(struct pid_plan *p, struct pid_functions *f)
{
	size_t n = f->map.ncodes + 1;

	memset(p, 0, sizeof(*p));
	p->functions = f;
	p->wishes = calloc(n, sizeof(*p->wishes));
	p->wish_of = calloc(n, sizeof(*p->wish_of));
	return (p->wishes == NULL || p->wish_of == NULL ? "out of memory" :
	    NULL);
}

void
pid_plan_free(struct pid_plan *p)
{
	patch_regions_free(&p->regions);
	free(p->wishes);
	free(p->spots);
	free(p->points);
	free(p->wish_of);
}

static struct patch_point *
add_point(struct pid_plan *p, size_t function, bool is_entry, uintptr_t at)
{
	struct patch_point *all, *point;

	if (p->npoints == p->room) {
		all = reallocarray(p->points, 2 * p->room + 256,
		    sizeof(*all));
		if (all == NULL) {
			p->failed = true;
			return (NULL);
		}
		p->points = all;
		p->room = 2 * p->room + 256;
	}
	point = &p->points[p->npoints++];
	*point = (struct patch_point){ .at = at, .function = function,
	    .is_entry = is_entry };
	return (point);
}

static void
add_back(void *plan, uintptr_t at)
{
	struct pid_plan *p = plan;
	struct patch_point *point = add_point(p,
	    p->wishes[p->nwishes].function, false, at);

	if (point != NULL)
		point->is_back = true;
}

static void
add_exit(void *plan, uintptr_t at)
{
	struct pid_plan *p = plan;
	struct pid_wish *wish = &p->wishes[p->nwishes];

	wish->nexits++;
	(void)add_point(p, wish->function, false, at);
}

void
pid_plan_add(struct pid_plan *p, size_t function, bool entry, bool exits)
{
	struct pid_wish *wish = &p->wishes[p->nwishes];
	const struct patch_map *m = &p->functions->map;
	size_t before;

	*wish = (struct pid_wish){ .function = function, .entry = entry,
	    .exits = exits };
	if (entry)
		(void)add_point(p, function, true,
		    m->codes[function].start);
	if (entry && p->is_once)
		patch_map_backs(m, function, add_back, p);
	before = p->npoints;
	if (exits)
		wish->exit_problem = patch_map_exits(m, function, add_exit,
		    p);
	/* Exits of a function that may have others are not armed. */
	if (wish->exit_problem != NULL && !p->is_partial)
		p->npoints = before;
	p->wish_of[function] = p->nwishes++;
}

/* Returns why an offset is that of no instruction, or NULL. */
static const char *
spot_problem(const struct patch_map *m, const struct patch_code *code,
    uint64_t offset)
{
	if (offset >= code->end - code->start)
		return ("the offset is outside of the function");
	if (code->problem == NULL && (*patch_map_mark(m, code->start +
	    offset) & PATCH_BEGINS) == 0)
		return ("no instruction begins at the offset");
	return (code->problem);
}

static struct pid_spot *
find_spot(const struct pid_plan *p, size_t function, uintptr_t at)
{
	size_t i;

	for (i = 0; i < p->nspots; i++)
		if (p->spots[i].at == at && p->spots[i].function == function)
			return (&p->spots[i]);
	return (NULL);
}

void
pid_plan_add_spot(struct pid_plan *p, size_t function, uint64_t offset,
    const char *name)
{
	const struct patch_code *code = &p->functions->map.codes[function];
	struct pid_spot *all, *spot;
	struct patch_point *point;

	if (find_spot(p, function, code->start + offset) != NULL)
		return;
	all = reallocarray(p->spots, p->nspots + 1, sizeof(*all));
	if (all == NULL) {
		p->failed = true;
		return;
	}
	p->spots = all;
	spot = &all[p->nspots++];
	*spot = (struct pid_spot){ .function = function,
	    .at = code->start + offset, .name = name };
	spot->problem = spot_problem(&p->functions->map, code, offset);
	if (spot->problem == NULL &&
	    (point = add_point(p, function, true, spot->at)) != NULL)
		point->is_inside = true;
}

struct pid_spot *
pid_plan_spot(const struct pid_plan *p, const struct patch_point *point)
{
	return (find_spot(p, point->function, point->at));
}

/* Points at one place: an exit that is a conditional jump has to be last. */
static int
rank(const struct patch_point *point)
{
	return (point->is_inside ? 1 : point->is_entry ? 0 : 2);
}

static int
by_place(const void *a, const void *b)
{
	const struct patch_point *left = a, *right = b;

	if (left->at != right->at)
		return (left->at < right->at ? -1 : 1);
	return (rank(left) - rank(right));
}

static void
take_problems(struct pid_plan *p)
{
	const struct patch_point *point = p->points;
	struct pid_wish *wish;

	for (; point < p->points + p->npoints; point++) {
		wish = &p->wishes[p->wish_of[point->function]];
		if (point->problem == NULL)
			continue;
		if (point->is_inside)
			pid_plan_spot(p, point)->problem = point->problem;
		else if (point->is_entry)
			wish->entry_problem = point->problem;
		else if (point->is_back && wish->entry_problem == NULL)
			wish->entry_problem = PATCH_NOT_PASSED;
		else if (!point->is_back) {
			wish->exit_problem = point->problem;
			wish->refused++;
		}
	}
}

/*
 * Refuses the other exits of a function that has one without room, and an entry
 * with the branches back to it.
 */
static void
refuse_others(struct pid_plan *p)
{
	struct patch_point *point = p->points;
	const struct pid_wish *wish;

	for (; point < p->points + p->npoints; point++) {
		wish = &p->wishes[p->wish_of[point->function]];
		if (point->problem != NULL || point->is_inside)
			continue;
		if (point->is_entry || point->is_back)
			point->problem = wish->entry_problem;
		else if (!p->is_partial)
			point->problem = wish->exit_problem;
	}
}

const char *
pid_plan_make(struct pid_plan *p)
{
	const char *problem;

	if (p->failed)
		return ("out of memory");
	if (p->npoints > 0)
		qsort(p->points, p->npoints, sizeof(*p->points), by_place);
	problem = patch_regions_plan(&p->functions->map, &p->regions,
	    p->points, p->npoints);
	if (problem == NULL) {
		take_problems(p);
		refuse_others(p);
	}
	return (problem);
}

void
pid_plan_why(const struct pid_wish *wish, char why[PID_WHY])
{
	if (wish->refused == 0)
		(void)snprintf(why, PID_WHY, "%s", wish->exit_problem);
	else
		(void)snprintf(why, PID_WHY, "%zu of %zu returns cannot be "
		    "armed: %s", wish->refused, wish->nexits,
		    wish->exit_problem);
}
