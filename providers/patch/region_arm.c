/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arming of planned regions.  Stubs are written in rows, each before the bytes
 * change that lead to it, and a region is changed before those whose holes are
 * in it: its bytes are dead from then on.  The text is written last.
 */
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "region_stub.h"

#define CHANGE_MAX	64u	/* bytes of a line that change */
#define PUN_TRIES	16u	/* destinations of a pun */

static const char refused[] = "the kernel does not permit writing to text";

struct arming {
	const struct patch *patch;
	const struct patch_map *map;
	struct patch_regions *regions;
	struct patch_point *points;
	size_t n;
	struct patch_edit edit;
	struct region_row *row;
	struct patch_region *first;	/* of those not written yet */
};

/* Returns the first point that is not before an address. */
static size_t
point_of(const struct arming *a, uintptr_t at)
{
	size_t low = 0, high = a->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (a->points[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return (low);
}

/*
 * Writes bytes into the text.  The rest of an instruction that they replace in
 * part becomes int3, so that decoders find the next one.
 */
static bool
write_bytes(struct arming *a, uintptr_t at, const uint8_t *from,
    size_t size)
{
	uint8_t bytes[CHANGE_MAX];
	unsigned marks;

	memcpy(bytes, from, size);
	for (; size < sizeof(bytes) && patch_map_has(a->map, at + size);
	    size++) {
		marks = *patch_map_mark(a->map, at + size);
		if ((marks & (PATCH_BEGINS | PATCH_BUSY)) != 0 ||
		    (marks & PATCH_CODE) == 0)
			break;
		bytes[size] = 0xcc;
	}
	return (patch_edit_put(&a->edit, at, bytes, size) == 0);
}

static const char *
write_jump(struct arming *a, uintptr_t at, uintptr_t stub)
{
	uint8_t jump[PATCH_JUMP];

	if (!patch_jump(jump, at, stub))
		return ("its stub is out of reach");
	return (write_bytes(a, at, jump, sizeof(jump)) ? NULL : refused);
}

/* Writes the start of a region, and the call at its end, if it has one. */
static const char *
write_start(struct arming *a, const struct patch_region *r,
    const uint8_t *jump, size_t size)
{
	uint8_t bytes[CHANGE_MAX], call[REGION_CALL_MAX];
	size_t ncall;

	memcpy(bytes, jump, size);
	if (r->call != 0) {
		ncall = region_call_put(r, call);
		memset(bytes + size, 0xcc, r->end - r->start - size);
		size = r->end - r->start;
		memcpy(bytes + size - ncall, call, ncall);
	}
	return (write_bytes(a, r->start, bytes, size) ? NULL : refused);
}

/* Writes the displacement of a call, its last bytes. */
static const char *
write_aim(struct arming *a, const struct patch_region *r)
{
	int64_t distance = (int64_t)(r->lead - r->end);
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return ("its stub is out of reach");
	return (patch_edit_put(&a->edit, r->end - sizeof(displacement),
	    &displacement, sizeof(displacement)) == 0 ? NULL : refused);
}

/*
 * Maps memory for a jump to any address where a pun leads to; `r->changed' - 1
 * bytes of its displacement can be chosen, others may be of another region's
 * jump.  Returns the address, or 0.
 */
static uintptr_t
map_target(const struct arming *a, const struct patch_region *r)
{
	uintptr_t all = ((uintptr_t)1 << 8 * (r->changed - 1)) - 1, i, to;
	int32_t displacement;

	patch_edit_get(&a->edit, r->start + 1, (uint8_t *)&displacement,
	    sizeof(displacement));
	for (i = 0; i < PUN_TRIES; i++) {
		to = r->start + PATCH_JUMP +
		    (((uintptr_t)(intptr_t)displacement & ~all) |
		    all / PUN_TRIES * i);
		if (patch_map_at(to, PATCH_FAR) == NULL)
			return (to);
		if (all == 0)
			break;
	}
	return (0);
}

static const char *
write_pun(struct arming *a, const struct patch_region *r)
{
	uint8_t far[PATCH_FAR], jump[PATCH_JUMP];
	uintptr_t to = map_target(a, r);

	if (to == 0)
		return ("it is too short, and its pun's target is taken");
	patch_far_encode(far, r->stub);
	if (!patch_jump(jump, r->start, to))
		return ("its stub is out of reach");
	return (patch_write(a->patch, to, far, sizeof(far)) == 0 &&
	    patch_edit_put(&a->edit, r->start, jump, r->changed) == 0 ? NULL :
	    refused);
}

static const char *
redirect(struct arming *a, const struct patch_region *r)
{
	uint8_t jump[PATCH_JUMP] = { 0xeb, (uint8_t)(r->hole - (r->start +
	    PATCH_SHORT_JUMP)) };
	const char *problem;

	switch (r->way) {
	case PATCH_WAY_AIM:
		return (write_aim(a, r));
	case PATCH_WAY_PUN:
		return (write_pun(a, r));
	case PATCH_WAY_HOLE:
		problem = write_jump(a, r->hole, r->stub);
		return (problem != NULL ? problem : write_start(a, r, jump,
		    PATCH_SHORT_JUMP));
	default:
		if (!patch_jump(jump, r->start, r->stub))
			return ("its stub is out of reach");
		return (write_start(a, r, jump, PATCH_JUMP));
	}
}

/* Returns the region that a region's hole is in, or NULL. */
static struct patch_region *
host_of(const struct arming *a, const struct patch_region *r)
{
	return (r->host == PATCH_NO_REGION ? NULL :
	    &a->regions->all[r->host]);
}

/* ------------------------------------------------------------ stubs */

/* Writes the stubs, and redirects their regions, up to `end'. */
static void
write_stubs(struct arming *a, struct patch_region *end)
{
	const char *problem = a->row->at != 0 && region_row_write(a->row,
	    a->patch) != 0 ? refused : NULL;
	const struct patch_region *host;
	struct patch_region *r;

	for (r = a->first; r < end; r++) {
		if (!r->needed || r->problem != NULL)
			continue;
		host = host_of(a, r);
		r->problem = host != NULL && host->problem != NULL ?
		    host->problem : problem != NULL ? problem :
		    redirect(a, r);
	}
	a->first = end;
}

/* Sets the data of the points in a region that its stub has checks for. */
static void
set_probes(const struct arming *a, const struct patch_region *r, size_t first)
{
	struct patch_point *point = &a->points[first];

	for (; point < a->points + a->n && point->at < r->end; point++)
		if (point->problem == NULL) {
			point->probe->place = point->at;
			/* A stub of which patch_hit() knows has the zone. */
			point->probe->pushed = r->pushed - (RED_ZONE -
			    region_zone(a->map, point));
		}
}

static const char *
add_stub(struct arming *a, struct patch_region *r)
{
	size_t first = point_of(a, r->start);
	struct region_stub s;
	const char *problem;

	if (region_row_is_full(a->row)) {
		write_stubs(a, r);
		region_row_end(a->row, a->regions);
		problem = region_row_begin(a->row, a->map->text, a->regions,
		    (size_t)(a->regions->all + a->regions->n - r));
		if (problem != NULL)
			return (problem);
	}
	region_stub_make(&s, a->row->at + a->row->head, a->map, r,
	    a->points + first, a->n - first);
	if (s.problem != NULL)
		return (s.problem);
	region_row_add(a->row, &s);
	r->stub = s.at;
	r->lead = s.has_word ? s.at + s.size - sizeof(uintptr_t) : s.at;
	set_probes(a, r, first);
	return (NULL);
}

/* ------------------------------------------------------------ all regions */

/* A region is needed for its points, and for regions with holes in it. */
static void
find_needed(const struct arming *a)
{
	struct patch_region *host;
	size_t i;

	for (i = 0; i < a->n; i++)
		if (a->points[i].problem == NULL)
			a->regions->all[a->points[i].region].needed = true;
	for (i = a->regions->n; i-- > 0;)
		if (a->regions->all[i].needed &&
		    (host = host_of(a, &a->regions->all[i])) != NULL)
			host->needed = true;
}

/* A pun's memory is mapped at once: room for later stubs might take it. */
static void
arm_regions(struct arming *a)
{
	struct patch_region *r, *end = a->regions->all + a->regions->n;
	const struct patch_region *host;

	a->first = a->regions->all;
	for (r = a->regions->all; r < end; r++) {
		if (!r->needed)
			continue;
		host = host_of(a, r);
		r->problem = host != NULL && host->problem != NULL ?
		    host->problem : add_stub(a, r);
		if (r->way == PATCH_WAY_PUN)
			write_stubs(a, r + 1);
	}
	write_stubs(a, end);
	region_row_end(a->row, a->regions);
}

/* Pages that could be written before are hardly ever refused now. */
static void
write_text(struct arming *a)
{
	uintptr_t end = patch_edit_write(&a->edit);
	struct patch_region *r;

	for (r = a->regions->all; r < a->regions->all + a->regions->n; r++)
		if (r->needed && (r->start + CHANGE_MAX > end ||
		    r->hole + PATCH_JUMP > end))
			r->problem = refused;
}

/* Returns the point of a function's entry, the first one there, or NULL. */
static struct patch_point *
entry_of(const struct arming *a, size_t function)
{
	uintptr_t start = a->map->codes[function].start;
	size_t i = point_of(a, start);

	return (i < a->n && a->points[i].at == start &&
	    a->points[i].is_entry && !a->points[i].is_inside ?
	    &a->points[i] : NULL);
}

/* Makes a branch back, which is in a stub, pass by the check of its entry. */
static const char *
pass_entry(const struct arming *a, const struct patch_point *back,
    const struct patch_point *entry)
{
	int64_t distance = (int64_t)(entry->passed - back->passed - 4);
	int32_t displacement = (int32_t)distance;

	if (back->problem != NULL || entry->passed == 0 ||
	    back->passed == 0 || displacement != distance)
		return (PATCH_NOT_PASSED);
	return (patch_write(a->patch, back->passed, &displacement,
	    sizeof(displacement)) == 0 ? NULL : refused);
}

static void
pass_entries(const struct arming *a)
{
	struct patch_point *entry;
	size_t i;

	for (i = 0; i < a->n; i++)
		if (a->points[i].is_back && (entry = entry_of(a,
		    a->points[i].function)) != NULL && entry->problem == NULL)
			entry->problem = pass_entry(a, &a->points[i], entry);
}

void
patch_regions_arm(const struct patch *patch, const struct patch_map *m,
    struct patch_regions *regions, struct patch_point *points, size_t n)
{
	struct arming a = { .patch = patch, .map = m, .regions = regions,
	    .points = points, .n = n, .row = malloc(sizeof(*a.row)) };
	const char *problem = patch_edit_begin(&a.edit, patch, m->text);
	size_t i;

	find_needed(&a);
	if (a.row == NULL)
		problem = "out of memory";
	if (problem == NULL) {
		a.row->at = 0;
		arm_regions(&a);
		patch_calls_aim(&a.edit, m, regions, points, n);
		write_text(&a);
	}
	for (i = 0; i < n; i++)
		if (points[i].problem == NULL)
			points[i].problem = problem != NULL ? problem :
			    regions->all[points[i].region].problem;
	pass_entries(&a);
	patch_edit_free(&a.edit);
	free(a.row);
}

void
patch_regions_forget(const struct patch_regions *regions)
{
	size_t i;

	for (i = 0; i < regions->nrooms; i++)
		patch_unmap(regions->rooms[i].at, regions->rooms[i].size);
}
