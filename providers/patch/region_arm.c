/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arming of planned regions.  A stub is written before the bytes that lead to
 * it, and a region before those whose holes are in it: its bytes are dead from
 * then on.
 */
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
write_bytes(const struct arming *a, uintptr_t at, const uint8_t *from,
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
	return (patch_write(a->patch, at, bytes, size) == 0);
}

static const char *
write_jump(const struct arming *a, uintptr_t at, uintptr_t stub)
{
	uint8_t jump[PATCH_JUMP];

	if (!patch_jump(jump, at, stub))
		return ("its stub is out of reach");
	return (write_bytes(a, at, jump, sizeof(jump)) ? NULL : refused);
}

/* Writes the start of a region, and the call at its end, if it has one. */
static const char *
write_start(const struct arming *a, const struct patch_region *r,
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
write_aim(const struct arming *a, const struct patch_region *r, uintptr_t to)
{
	int64_t distance = (int64_t)(to - r->end);
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return ("its stub is out of reach");
	return (patch_write(a->patch, r->end - sizeof(displacement),
	    &displacement, sizeof(displacement)) == 0 ? NULL : refused);
}

/*
 * Maps memory for a jump to any address where a pun leads to; `r->changed' - 1
 * bytes of its displacement can be chosen.  Returns the address, or 0.
 */
static uintptr_t
map_target(const struct patch_region *r)
{
	uintptr_t all = ((uintptr_t)1 << 8 * (r->changed - 1)) - 1, i, to;
	int32_t displacement;

	memcpy(&displacement, (const void *)(r->start + 1),
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
write_pun(const struct arming *a, const struct patch_region *r,
    uintptr_t stub)
{
	uint8_t far[PATCH_FAR], jump[PATCH_JUMP];
	uintptr_t to = map_target(r);

	if (to == 0)
		return ("it is too short, and its pun's target is taken");
	patch_far_encode(far, stub);
	if (!patch_jump(jump, r->start, to))
		return ("its stub is out of reach");
	return (patch_write(a->patch, to, far, sizeof(far)) == 0 &&
	    patch_write(a->patch, r->start, jump, r->changed) == 0 ? NULL :
	    refused);
}

static const char *
redirect(const struct arming *a, const struct patch_region *r,
    const struct region_stub *s)
{
	uint8_t jump[PATCH_JUMP] = { 0xeb, (uint8_t)(r->hole - (r->start +
	    PATCH_SHORT_JUMP)) };
	const char *problem;

	switch (r->way) {
	case PATCH_WAY_AIM:
		return (write_aim(a, r, s->has_word ? s->at + s->size -
		    sizeof(uintptr_t) : s->at));
	case PATCH_WAY_PUN:
		return (write_pun(a, r, s->at));
	case PATCH_WAY_HOLE:
		problem = write_jump(a, r->hole, s->at);
		return (problem != NULL ? problem : write_start(a, r, jump,
		    PATCH_SHORT_JUMP));
	default:
		if (!patch_jump(jump, r->start, s->at))
			return ("its stub is out of reach");
		return (write_start(a, r, jump, PATCH_JUMP));
	}
}

static const char *
arm(const struct arming *a, struct patch_region *r)
{
	size_t first = point_of(a, r->start), i;
	struct patch_point *points = a->points + first;
	struct region_stub s;
	uintptr_t at;

	region_stub_make(&s, r->start, a->map, r, points, a->n - first);
	if (s.problem != NULL)
		return (s.problem);
	if ((at = patch_map_near(a->map->text, s.size)) == 0)
		return ("there is no room for a stub within reach");
	region_stub_make(&s, at, a->map, r, points, a->n - first);
	if (s.problem != NULL)
		return (s.problem);
	for (i = first; i < a->n && a->points[i].at < r->end; i++)
		if (a->points[i].problem == NULL) {
			a->points[i].probe->place = a->points[i].at;
			a->points[i].probe->pushed = r->pushed;
		}
	if (patch_write(a->patch, at, s.bytes, s.size) != 0)
		return (refused);
	r->stub = at;
	r->stub_size = s.size;
	return (redirect(a, r, &s));
}

/* Returns the region that a region's hole is in, or NULL. */
static struct patch_region *
host_of(const struct arming *a, const struct patch_region *r)
{
	return (r->host == PATCH_NO_REGION ? NULL :
	    &a->regions->all[r->host]);
}

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
	const struct arming a = { patch, m, regions, points, n };
	const struct patch_region *host;
	struct patch_region *r;
	size_t i;

	find_needed(&a);
	for (r = regions->all; r < regions->all + regions->n; r++) {
		if (!r->needed)
			continue;
		host = host_of(&a, r);
		r->problem = host != NULL && host->problem != NULL ?
		    host->problem : arm(&a, r);
	}
	for (i = 0; i < n; i++)
		if (points[i].problem == NULL)
			points[i].problem =
			    regions->all[points[i].region].problem;
	pass_entries(&a);
}

void
patch_regions_forget(const struct patch_regions *regions)
{
	const struct patch_region *r = regions->all;

	for (; r < regions->all + regions->n; r++)
		if (r->stub != 0)
			patch_unmap(r->stub, r->stub_size);
}
