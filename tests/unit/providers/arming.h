/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arms functions of a test program itself, and counts their entries and exits.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "lib/check_main.h"
#include "patch/region.h"
#include "patch/x86_64.h"
#include "pid/image.h"

#define POINTS_MAX	256u

struct counter {
	struct patch_probe probe;
	unsigned count;
	bool is_entry;
	size_t function;
	uintptr_t caller;	/* of the last pass */
};

static struct pid_functions own;
static struct patch_point points[POINTS_MAX];
static struct patch_regions regions;
static struct counter counters[POINTS_MAX];
static size_t npoints;
static uint32_t enabled;
static size_t adding;		/* function */
static uintptr_t arrival;	/* one more, or 0 */

static __attribute__((target("general-regs-only"))) void
hit(struct patch_probe *probe, const struct patch_registers *r)
{
	((struct counter *)probe)->count++;
	((struct counter *)probe)->caller = *(const uintptr_t *)r->rsp;
}

static int
read_own(struct dl_phdr_info *info, size_t size, void *problem)
{
	struct pid_memory memory = { .info = *info };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)size;
	memory.is_fixed = info->dlpi_addr == 0;
	*(const char **)problem = pid_functions_find(&own, &memory, fd,
	    NULL, NULL);
	close(fd);
	return (1);
}

static void
add_point(void *is_entry, uintptr_t at)
{
	struct counter *c = &counters[npoints];

	ck_assert_uint_lt(npoints, POINTS_MAX);
	*c = (struct counter){ .is_entry = is_entry != NULL,
	    .function = adding };
	c->probe.enabled = &enabled;
	c->probe.hit = hit;
	points[npoints++] = (struct patch_point){ .at = at,
	    .function = adding, .is_entry = c->is_entry, .probe = &c->probe };
}

static int
by_place(const void *a, const void *b)
{
	const struct patch_point *left = a, *right = b;

	if (left->at != right->at)
		return (left->at < right->at ? -1 : 1);
	return (right->is_entry - left->is_entry);
}

static bool
begins(const char *name, const char *const *prefixes)
{
	for (; name != NULL && *prefixes != NULL; prefixes++)
		if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
			return (true);
	return (false);
}

/* Adds the points of functions whose name begins with one of some texts. */
static void
add_functions(const char *const *prefixes)
{
	const struct patch_code *code;

	for (adding = 0; adding < own.map.ncodes; adding++) {
		code = &own.map.codes[adding];
		if (code->owner != adding || !begins(code->name, prefixes))
			continue;
		add_point(&own, code->start);
		ck_assert_ptr_null(patch_map_exits(&own.map, adding,
		    add_point, NULL));
	}
	qsort(points, npoints, sizeof(*points), by_place);
}

static void
arm(const char *const *prefixes)
{
	const char *problem = NULL;
	struct patch patch;

	(void)dl_iterate_phdr(read_own, &problem);
	ck_assert_ptr_null(problem);
	patch_map_arrive(&own.map, arrival, 0);
	add_functions(prefixes);
	ck_assert_ptr_null(patch_regions_plan(&own.map, &regions, points,
	    npoints));
	ck_assert_ptr_null(patch_begin(&patch));
	patch_regions_arm(&patch, &own.map, &regions, points, npoints);
	patch_end(&patch);
}

/* Returns how often a function was entered, or left. */
static unsigned
count_of(const void *function, bool entered)
{
	const struct patch_code *code = patch_map_code(&own.map,
	    (uintptr_t)function);
	unsigned sum = 0;
	size_t i;

	ck_assert_ptr_nonnull(code);
	for (i = 0; i < npoints; i++)
		if (counters[i].is_entry == entered &&
		    counters[i].function == (size_t)(code - own.map.codes))
			sum += counters[i].count;
	return (sum);
}
