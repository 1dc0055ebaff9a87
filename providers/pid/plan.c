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
	free(p->points);
	free(p->wish_of);
}

static void
add_point(struct pid_plan *p, size_t function, bool is_entry, uintptr_t at)
{
	struct patch_point *all;

	if (p->npoints == p->room) {
		all = reallocarray(p->points, 2 * p->room + 256,
		    sizeof(*all));
		if (all == NULL) {
			p->failed = true;
			return;
		}
		p->points = all;
		p->room = 2 * p->room + 256;
	}
	p->points[p->npoints++] = (struct patch_point){ .at = at,
	    .function = function, .is_entry = is_entry };
}

static void
add_exit(void *plan, uintptr_t at)
{
	struct pid_plan *p = plan;
	struct pid_wish *wish = &p->wishes[p->nwishes];

	wish->nexits++;
	add_point(p, wish->function, false, at);
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
		add_point(p, function, true, m->codes[function].start);
	before = p->npoints;
	if (exits)
		wish->exit_problem = patch_map_exits(m, function, add_exit,
		    p);
	/* Exits of a function that may have others are not armed. */
	if (wish->exit_problem != NULL && !p->is_partial)
		p->npoints = before;
	p->wish_of[function] = p->nwishes++;
}

static int
by_place(const void *a, const void *b)
{
	const struct patch_point *left = a, *right = b;

	if (left->at != right->at)
		return (left->at < right->at ? -1 : 1);
	return (right->is_entry - left->is_entry);
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
		if (point->is_entry)
			wish->entry_problem = point->problem;
		else {
			wish->exit_problem = point->problem;
			wish->refused++;
		}
	}
}

/* Refuses the other exits of a function that has one without room. */
static void
refuse_exits(struct pid_plan *p)
{
	struct patch_point *point = p->points;
	const struct pid_wish *wish;

	for (; point < p->points + p->npoints; point++) {
		wish = &p->wishes[p->wish_of[point->function]];
		if (!point->is_entry && point->problem == NULL)
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
		if (!p->is_partial)
			refuse_exits(p);
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
