/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs of regions.  A check is as in stub.c; there may be several, and more is
 * copied, so that its branches are long.
 *
 *	flags are preserved		flags are not tested after the point
 *
 *	lea -128(%rsp),%rsp		add $-128,%rsp
 *	push %rcx			push %rcx
 *	movabs $enabled,%rcx		movabs $enabled,%rcx
 *	mov (%rcx),%ecx			cmpl $0,(%rcx)
 *	jrcxz 1f			jne 2f
 *	jmp 2f
 * 1:	pop %rcx			pop %rcx
 *	lea 128(%rsp),%rsp		sub $-128,%rsp
 *	...
 * 2:	movabs $probe,%rcx
 *	call *3f(%rip)
 *	jmp 1b
 */
#include "region_stub.h"

#include <string.h>

void	patch_hit(void);

void
region_stub_put(struct region_stub *s, const void *bytes, size_t size)
{
	if (size > sizeof(s->bytes) - s->size) {
		s->problem = "its stub would be too long";
		return;
	}
	memcpy(s->bytes + s->size, bytes, size);
	s->size += size;
}

static void
put_word(struct region_stub *s, const void *word)
{
	region_stub_put(s, &word, sizeof(word));
}

void
region_stub_put_distance(struct region_stub *s, uintptr_t target)
{
	int64_t distance = (int64_t)(target - (s->at + s->size + 4));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		s->problem = "its stub is out of reach";
	region_stub_put(s, &displacement, sizeof(displacement));
}

static void
put_check(struct region_stub *s, const struct patch_point *point)
{
	bool flags = !point->is_entry || !patch_flags_dead(point->at);
	struct region_check *check = &s->checks[s->nchecks];

	if (s->nchecks == REGION_CHECKS_MAX) {
		s->problem = "it has too many points";
		return;
	}
	region_stub_put(s, flags ? "\x48\x8d\x64\x24\x80" : "\x48\x83\xc4\x80",
	    flags ? 5 : 4);
	region_stub_put(s, "\x51\x48\xb9", 3);
	put_word(s, point->probe->enabled);
	region_stub_put(s, flags ? "\x8b\x09\xe3\x05\xe9" :
	    "\x83\x39\0\x0f\x85", 5);
	region_stub_put(s, "\0\0\0", 4);
	check->probe = point->probe;
	check->branch = check->leave = s->size;
	s->nchecks++;
	region_stub_put(s, "\x59", 1);
	region_stub_put(s, flags ? "\x48\x8d\xa4\x24\x80\0\0\0" :
	    "\x48\x83\xec\x80", flags ? 8 : 4);
}

/* Appends 2 of all checks, and 3. */
static void
put_calls(struct region_stub *s)
{
	struct region_check *check;
	size_t end = s->size + s->nchecks * 21u;
	int32_t distance;

	for (check = s->checks; check < s->checks + s->nchecks; check++) {
		distance = (int32_t)(s->size - check->branch);
		memcpy(s->bytes + check->branch - 4, &distance,
		    sizeof(distance));
		region_stub_put(s, "\x48\xb9", 2);
		put_word(s, check->probe);
		region_stub_put(s, "\xff\x15", 2);
		region_stub_put_distance(s, s->at + end);
		region_stub_put(s, "\xe9", 1);
		region_stub_put_distance(s, s->at + check->leave);
	}
	put_word(s, (const void *)(uintptr_t)patch_hit);
}

/* Appends a copy of [from, to).  Returns false if its end is not reached. */
static bool
put_copy(struct region_stub *s, uintptr_t from, uintptr_t to)
{
	struct patch_copy copy;
	const char *problem;

	if (from == to)
		return (true);
	problem = patch_relocate((const uint8_t *)from, from, to - from,
	    s->at + s->size, &copy);
	if (problem != NULL) {
		s->problem = problem;
		return (false);
	}
	region_stub_put(s, copy.bytes, copy.size);
	return (!copy.ended);
}

/*
 * Appends an exit that a condition takes: the opposite condition goes on after
 * the check and the jump out.
 */
static void
put_branch(struct region_stub *s, const struct patch_map *m,
    const struct patch_point *point)
{
	struct patch_moves moves;
	size_t skip;
	int32_t distance;

	if (patch_moves_find((const uint8_t *)point->at, 1, &moves) != NULL ||
	    moves.list[0].how != PATCH_IF) {
		s->problem = "an instruction is not understood";
		return;
	}
	region_stub_put(s, &(uint8_t[]){ 0x0f, 0x80 |
	    (moves.list[0].condition ^ 1) }, 2);
	region_stub_put(s, "\0\0\0", 4);
	skip = s->size;
	put_check(s, point);
	region_stub_put(s, "\xe9", 1);
	region_stub_put_distance(s, patch_map_target(m, point->at));
	distance = (int32_t)(s->size - skip);
	memcpy(s->bytes + skip - 4, &distance, sizeof(distance));
}

/* Appends the check of a point.  Returns where the copy goes on. */
static uintptr_t
put_point(struct region_stub *s, const struct patch_map *m,
    const struct patch_point *point)
{
	if (!point->is_branch) {
		put_check(s, point);
		return (point->at);
	}
	put_branch(s, m, point);
	return (patch_map_next(m, point->at));
}

/* Appends the rest of the copy, and the way back from the stub. */
static void
put_end(struct region_stub *s, const struct patch_region *r, uintptr_t from)
{
	if (r->way == PATCH_WAY_AIM) {
		region_stub_put_aim(s, r);
		return;
	}
	if (r->call != 0) {
		(void)put_copy(s, from, r->call);
		region_stub_put_place(s, r);
	} else if (put_copy(s, from, r->end)) {
		region_stub_put(s, "\xe9", 1);
		region_stub_put_distance(s, r->end);
	}
}

void
region_stub_make(struct region_stub *s, uintptr_t at,
    const struct patch_map *m, const struct patch_region *r,
    const struct patch_point *points, size_t n)
{
	uintptr_t from = r->start;
	size_t i;

	s->at = at;
	s->size = s->nchecks = 0;
	s->problem = NULL;
	s->has_word = false;
	if (r->way == PATCH_WAY_AIM)
		region_stub_put(s, "\xf3\x0f\x1e\xfa", 4);	/* endbr64 */
	for (i = 0; i < n && points[i].at < r->end; i++) {
		if (points[i].problem != NULL)
			continue;
		(void)put_copy(s, from, points[i].at);
		from = put_point(s, m, &points[i]);
	}
	put_end(s, r, from);
	put_calls(s);
	if (s->has_word)
		put_word(s, (const void *)s->at);
}
