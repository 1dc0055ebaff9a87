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
#include "region.h"

#include <string.h>

#define STUB_BYTES	384u
#define CHECKS_MAX	4u
#define LENGTH_MAX	15u	/* of an instruction */

void	patch_hit(void);

struct check {
	const struct patch_probe *probe;
	size_t branch;		/* end of the branch to 2 */
	size_t leave;		/* 1 */
};

struct stub {
	uintptr_t at;
	size_t size;
	struct check checks[CHECKS_MAX];
	unsigned nchecks;
	const char *problem;
	uint8_t bytes[STUB_BYTES];
};

static void
put(struct stub *s, const void *bytes, size_t size)
{
	if (size > sizeof(s->bytes) - s->size) {
		s->problem = "its stub would be too long";
		return;
	}
	memcpy(s->bytes + s->size, bytes, size);
	s->size += size;
}

static void
put_word(struct stub *s, const void *word)
{
	put(s, &word, sizeof(word));
}

/* Appends a displacement: the distance from its end. */
static void
put_distance(struct stub *s, uintptr_t target)
{
	int64_t distance = (int64_t)(target - (s->at + s->size + 4));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		s->problem = "its stub is out of reach";
	put(s, &displacement, sizeof(displacement));
}

static void
put_check(struct stub *s, const struct patch_point *point)
{
	bool flags = !point->is_entry || !patch_flags_dead(point->at);
	struct check *check = &s->checks[s->nchecks];

	if (s->nchecks == CHECKS_MAX) {
		s->problem = "it has too many points";
		return;
	}
	put(s, flags ? "\x48\x8d\x64\x24\x80" : "\x48\x83\xc4\x80",
	    flags ? 5 : 4);
	put(s, "\x51\x48\xb9", 3);
	put_word(s, point->probe->enabled);
	put(s, flags ? "\x8b\x09\xe3\x05\xe9" : "\x83\x39\0\x0f\x85", 5);
	put(s, "\0\0\0", 4);
	check->probe = point->probe;
	check->branch = check->leave = s->size;
	s->nchecks++;
	put(s, "\x59", 1);
	put(s, flags ? "\x48\x8d\xa4\x24\x80\0\0\0" : "\x48\x83\xec\x80",
	    flags ? 8 : 4);
}

/* Appends 2 of all checks, and 3. */
static void
put_calls(struct stub *s)
{
	struct check *check;
	size_t end = s->size + s->nchecks * 21u;
	int32_t distance;

	for (check = s->checks; check < s->checks + s->nchecks; check++) {
		distance = (int32_t)(s->size - check->branch);
		memcpy(s->bytes + check->branch - 4, &distance,
		    sizeof(distance));
		put(s, "\x48\xb9", 2);
		put_word(s, check->probe);
		put(s, "\xff\x15", 2);
		put_distance(s, s->at + end);
		put(s, "\xe9", 1);
		put_distance(s, s->at + check->leave);
	}
	put_word(s, (const void *)(uintptr_t)patch_hit);
}

/* Appends a copy of [from, to).  Returns false if its end is not reached. */
static bool
put_copy(struct stub *s, uintptr_t from, uintptr_t to)
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
	put(s, copy.bytes, copy.size);
	return (!copy.ended);
}

/* Makes the stub of the region of the first point for an address. */
static void
make(struct stub *s, uintptr_t at, const struct patch_point *points, size_t n)
{
	uintptr_t from = points->start, end = points->start;
	size_t i;

	s->at = at;
	s->size = s->nchecks = 0;
	s->problem = NULL;
	for (i = 0; i < n; i++) {
		(void)put_copy(s, from, points[i].at);
		put_check(s, &points[i]);
		from = points[i].at;
		end = points[i].end > end ? points[i].end : end;
	}
	if (put_copy(s, from, end)) {
		put(s, "\xe9", 1);
		put_distance(s, end);
	}
	put_calls(s);
}

/*
 * Writes the stub, and then the jump to it.  The rest of an instruction that
 * the jump replaces in part becomes int3, so that decoders find the next one.
 */
static const char *
redirect(const struct patch *patch, const struct stub *s,
    const struct patch_point *point)
{
	uint8_t bytes[PATCH_JUMP + LENGTH_MAX];
	struct patch_moves moves;
	size_t size = PATCH_JUMP;

	if (!patch_jump(bytes, point->start, s->at))
		return ("its stub is out of reach");
	if (patch_moves_find((const uint8_t *)point->start, PATCH_JUMP,
	    &moves) == NULL && moves.taken > size) {
		size = moves.taken;
		memset(bytes + PATCH_JUMP, 0xcc, size - PATCH_JUMP);
	}
	if (patch_write(patch, s->at, s->bytes, s->size) != 0 ||
	    patch_write(patch, point->start, bytes, size) != 0)
		return ("the kernel does not permit writing to text");
	return (NULL);
}

static const char *
arm(const struct patch *patch, const struct patch_text *text,
    const struct patch_point *points, size_t n)
{
	uintptr_t at;
	struct stub s;
	size_t i;

	make(&s, points->start, points, n);
	if (s.problem != NULL)
		return (s.problem);
	if ((at = patch_map_near(text, s.size)) == 0)
		return ("there is no room for a stub within reach");
	make(&s, at, points, n);
	if (s.problem != NULL)
		return (s.problem);
	for (i = 0; i < n; i++) {
		points[i].probe->place = points[i].at;
		points[i].probe->pushed = 0;
	}
	return (redirect(patch, &s, points));
}

/* Points of one region follow each other: only an entry has an exit with it. */
void
patch_regions_arm(const struct patch *patch, const struct patch_text *text,
    struct patch_point *points, size_t n)
{
	const char *problem;
	size_t first, end;

	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && points[end].problem == NULL &&
		    points[end].start == points[first].start; end++)
			continue;
		if (points[first].problem != NULL)
			continue;
		problem = arm(patch, text, points + first, end - first);
		for (; problem != NULL && first < end; first++)
			points[first].problem = problem;
	}
}
