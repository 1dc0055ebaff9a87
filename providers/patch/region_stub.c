/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs of regions.  A check is as in stub.c; there may be several, and more is
 * copied, so that its branches are long.  The red zone is left out where it is
 * empty.  The part from 2 on is apart (x86_64/row.c).
 *
 *	flags are preserved		flags are not tested after the point
 *
 *	lea -128(%rsp),%rsp		add $-128,%rsp	unless it is empty
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
 *
 * Where the word is near, mov has its distance; and if flags are not tested,
 *
 *	cmpl $0,enabled(%rip)		2: lea, push, call as above
 *	jne 2f				   pop, lea
 *					   jmp 1b
 * 1:	...
 */
#include <string.h>

#include "decoder.h"
#include "line.h"
#include "region_stub.h"

#define LENGTH_MAX	15u	/* of an instruction */
#define NOP		0x90u

static void
put(struct region_stub *s, const void *bytes, size_t size)
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
	put(s, &word, sizeof(word));
}

static void
put_distance(struct region_stub *s, uintptr_t target)
{
	int64_t distance = (int64_t)(target - (s->at + s->size + 4));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		s->problem = "its stub is out of reach";
	put(s, &displacement, sizeof(displacement));
}

/* Returns true if a computed jump may lead to the start of its function. */
static bool
has_computed(const struct patch_map *m, size_t function)
{
	const struct patch_code *code = &m->codes[function];

	while (!code->is_computed && code->part != PATCH_NO_PART)
		code = &m->codes[code->part];
	return (code->is_computed);
}

/* Returns true if the code before a function goes on with it. */
static bool
goes_on(const struct patch_map *m, uintptr_t at)
{
	const struct patch_code *before;
	uintptr_t last;

	if (!patch_map_has(m, at - 1) ||
	    (*patch_map_mark(m, at - 1) & PATCH_CODE) == 0 ||
	    (before = patch_map_code(m, at - 1)) == NULL)
		return (false);
	last = patch_line_before(m, before, at);
	return (last == 0 || (!patch_ends_block(patch_class_at(m, last)) &&
	    patch_class_at(m, last) != PATCH_CALL));
}

/*
 * Before a function begins and where it returns, nothing is below the stack
 * pointer.  A loop may begin with a function and keep something there.
 */
size_t
region_zone(const struct patch_map *m, const struct patch_point *point)
{
	unsigned marks = *patch_map_mark(m, point->at);
	bool is_empty = point->is_entry ? !point->is_inside &&
	    (marks & PATCH_JUMPED) == 0 &&
	    !has_computed(m, point->function) && !goes_on(m, point->at) :
	    patch_class(marks) == PATCH_RETURN;

	return (is_empty ? 0 : RED_ZONE);
}

/* Returns true if control goes on with another function, or its caller. */
static bool
is_passage(const struct patch_map *m, const struct patch_point *point)
{
	const struct patch_code *to;

	if (point->is_entry)
		return (!point->is_inside);
	if (patch_class_at(m, point->at) == PATCH_RETURN)
		return (true);
	if (patch_class_at(m, point->at) != PATCH_JMP)
		return (false);
	to = patch_map_code(m, patch_map_target(m, point->at));
	return (to != NULL && to->start == patch_map_target(m, point->at) &&
	    to->owner == (size_t)(to - m->codes));
}

bool
region_needs_flags(const struct patch_map *m, const struct patch_point *point)
{
	return ((m->passes_flags || !is_passage(m, point)) &&
	    (!point->is_entry || !patch_flags_dead(point->at)));
}

/* Returns true if an instruction reaches a word by its distance. */
static bool
is_near(const struct region_stub *s, const void *word)
{
	uintptr_t from = s->at + s->size, to = (uintptr_t)word;

	return ((to > from ? to - from : from - to) < PATCH_REACH);
}

/* A word that is near is compared as it is. */
static void
put_compare(struct region_stub *s, const void *word)
{
	put(s, "\x83\x3d", 2);
	put_distance(s, (uintptr_t)word - 1);	/* a byte is behind it */
	put(s, "\0\x0f\x85\0\0\0\0", 7);
}

/* Tests a word by rcx.  The instruction at the end leads to 2 if it is set. */
static void
put_test(struct region_stub *s, const void *word, bool flags)
{
	put(s, "\x51", 1);
	if (flags && is_near(s, word)) {
		put(s, "\x8b\x0d", 2);
		put_distance(s, (uintptr_t)word);
	} else {
		put(s, "\x48\xb9", 2);
		put_word(s, word);
		put(s, "\x8b\x09", flags ? 2 : 0);
	}
	put(s, flags ? "\xe3\x05\xe9" : "\x83\x39\0\x0f\x85",
	    flags ? 3 : 5);
	put(s, "\0\0\0", 4);
}

/* Returns the bytes of 2 of a check. */
static size_t
call_size(const struct region_check *check)
{
	return (REGION_CALL_BYTES - (check->saves ? 0 : 2) -
	    (check->saves && check->has_zone ? 0 : 13));
}

/* Makes room below a red zone, or ends with that. */
static void
put_zone(struct region_stub *s, bool flags, bool begins)
{
	if (begins)
		put(s, flags ? "\x48\x8d\x64\x24\x80" :
		    "\x48\x83\xc4\x80", flags ? 5 : 4);
	else
		put(s, flags ? "\x48\x8d\xa4\x24\x80\0\0\0" :
		    "\x48\x83\xec\x80", flags ? 8 : 4);
}

static void
put_check(struct region_stub *s, const struct patch_map *m,
    const struct patch_point *point)
{
	const uint32_t *word = point->probe->enabled;
	bool flags = region_needs_flags(m, point);
	struct region_check *check = &s->checks[s->nchecks];

	if (s->nchecks == REGION_CHECKS_MAX) {
		s->problem = "it has too many points";
		return;
	}
	*check = (struct region_check){ .probe = point->probe,
	    .saves = !flags && is_near(s, word),
	    .has_zone = region_zone(m, point) != 0 };
	s->nchecks++;
	s->calls += call_size(check);
	if (check->has_zone && !check->saves)
		put_zone(s, flags, true);
	if (check->saves)
		put_compare(s, word);
	else
		put_test(s, word, flags);
	check->branch = s->size;
	if (!check->saves)
		put(s, "\x59", 1);
	if (check->has_zone && !check->saves)
		put_zone(s, flags, false);
}

/* Appends 2 of a check. */
static void
put_call(struct region_stub *s, const struct region_check *check,
    uintptr_t word, uintptr_t back)
{
	if (check->saves && check->has_zone)
		put_zone(s, true, true);
	put(s, "\x51", check->saves);
	put(s, "\x48\xb9", 2);
	put_word(s, check->probe);
	put(s, "\xff\x15", 2);
	put_distance(s, word);
	put(s, "\x59", check->saves);
	if (check->saves && check->has_zone)
		put_zone(s, true, false);
	put(s, "\xe9", 1);
	put_distance(s, back);
}

void
region_stub_calls(struct region_stub *s, struct region_stub *calls,
    uintptr_t at, uintptr_t word)
{
	const struct region_check *check;
	int32_t distance;

	calls->at = at;
	calls->size = 0;
	for (check = s->checks; check < s->checks + s->nchecks; check++) {
		distance = (int32_t)(at + calls->size - (s->at +
		    check->branch));
		memcpy(s->bytes + check->branch - 4, &distance,
		    sizeof(distance));
		put_call(calls, check, word, s->at + check->branch);
	}
}

/*
 * Appends a copy of [from, to), without nops at its start, as those of a pad.
 * Returns false if its end is not reached.
 */
static bool
put_copy(struct region_stub *s, uintptr_t from, uintptr_t to)
{
	struct patch_copy copy;
	const char *problem;

	while (from < to && *(const uint8_t *)from == NOP)
		from++;
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
	put(s, &(uint8_t[]){ 0x0f, 0x80 |
	    (moves.list[0].condition ^ 1) }, 2);
	put(s, "\0\0\0", 4);
	skip = s->size;
	put_check(s, m, point);
	put(s, "\xe9", 1);
	put_distance(s, patch_map_target(m, point->at));
	distance = (int32_t)(s->size - skip);
	memcpy(s->bytes + skip - 4, &distance, sizeof(distance));
}

/* Appends the check of a point.  Returns where the copy goes on. */
static uintptr_t
put_point(struct region_stub *s, const struct patch_map *m,
    struct patch_point *point)
{
	uintptr_t next = patch_map_next(m, point->at);

	if (point->is_back)
		(void)put_copy(s, point->at, next);
	else if (point->is_branch)
		put_branch(s, m, point);
	else
		put_check(s, m, point);
	/* The displacement of a copied branch is at its end. */
	point->passed = s->at + s->size - (point->is_back ?
	    sizeof(int32_t) : 0);
	return (point->is_back || point->is_branch ? next : point->at);
}

/* ------------------------------------------------------------ calls */

/*
 * The word below the stack pointer is not the program's: a function with a call
 * keeps nothing there, and signals leave 128 bytes alone.
 */

/*
 * The call is notrack call *-8(%rsp).  The prefix is for processors that track
 * calls, and left out where it has no room.
 */
size_t
region_call_put(const struct patch_region *r, uint8_t bytes[REGION_CALL_MAX])
{
	static const char call[] = "\x3e\xff\x54\x24\xf8";
	size_t before = r->way == PATCH_WAY_JUMP ? PATCH_JUMP : 2;
	size_t size = r->end - r->start - before >= REGION_CALL_MAX ?
	    REGION_CALL_MAX : PATCH_CALL;

	memcpy(bytes, call + REGION_CALL_MAX - size, size);
	return (size);
}

/* Stores the destination of a direct call below the stack pointer. */
static void
put_store(struct region_stub *s, uintptr_t target)
{
	uint32_t low = (uint32_t)target, high = (uint32_t)(target >> 32);

	put(s, "\xc7\x44\x24\xf8", 4);
	put(s, &low, sizeof(low));
	put(s, "\xc7\x44\x24\xfc", 4);
	put(s, &high, sizeof(high));
}

/* Pushes the destination of another call, and leaves it there. */
static void
put_push(struct region_stub *s, const struct patch_instruction *call,
    uintptr_t at)
{
	ZydisDecodedInstruction in;
	uint8_t bytes[LENGTH_MAX];
	int32_t distance;

	if (!patch_decode_full((const uint8_t *)at, LENGTH_MAX, &in) ||
	    patch_is_narrow(&in) || in.raw.modrm.reg != 2) {
		s->problem = "an instruction is not understood";
		return;
	}
	memcpy(bytes, (const void *)at, in.length);
	/* The byte has the number of the operation: 2 is call, 6 is push. */
	bytes[in.raw.modrm.offset] |= 4 << 3;
	if (call->is_relative) {
		distance = (int32_t)(call->operand - (s->at + s->size +
		    in.length));
		if (call->operand != s->at + s->size + in.length +
		    (uintptr_t)(intptr_t)distance)
			s->problem = "its stub is out of reach";
		memcpy(bytes + in.raw.disp.offset, &distance,
		    sizeof(distance));
	}
	put(s, bytes, in.length);
	put(s, "\x48\x8d\x64\x24\x08", 5);	/* lea 8(%rsp),%rsp */
}

static void
put_place(struct region_stub *s, const struct patch_region *r)
{
	struct patch_instruction call;
	uint8_t bytes[REGION_CALL_MAX];

	patch_decode((const uint8_t *)r->call, LENGTH_MAX, r->call, &call);
	if (call.is_branch)
		put_store(s, call.target);
	else
		put_push(s, &call, r->call);
	put(s, "\xe9", 1);
	put_distance(s, r->end - region_call_put(r, bytes));
}

/*
 * Jumps to the destination of the call, which has led to the stub: by a word
 * after the stub, if the original one is in memory.
 */
static void
put_aim(struct region_stub *s, const struct patch_region *r)
{
	struct patch_instruction call;

	patch_decode((const uint8_t *)r->call, LENGTH_MAX, r->call, &call);
	s->has_word = !call.is_branch;
	put(s, call.is_branch ? "\xe9" : "\xff\x25",
	    call.is_branch ? 1 : 2);
	put_distance(s, call.is_branch ? call.target :
	    call.operand);
}

/* ------------------------------------------------------------ all of it */

/* Appends the rest of the copy, and the way back from the stub. */
static void
put_end(struct region_stub *s, const struct patch_region *r, uintptr_t from)
{
	if (r->way == PATCH_WAY_AIM) {
		put_aim(s, r);
		return;
	}
	if (r->call != 0) {
		(void)put_copy(s, from, r->call);
		put_place(s, r);
	} else if (put_copy(s, from, r->end)) {
		put(s, "\xe9", 1);
		put_distance(s, r->end);
	}
}

void
region_stub_make(struct region_stub *s, uintptr_t at,
    const struct patch_map *m, const struct patch_region *r,
    struct patch_point *points, size_t n)
{
	uintptr_t from = r->start;
	size_t i;

	s->at = at;
	s->size = s->nchecks = 0;
	s->calls = 0;
	s->problem = NULL;
	s->has_word = false;
	if (r->way == PATCH_WAY_AIM)
		put(s, "\xf3\x0f\x1e\xfa", 4);	/* endbr64 */
	for (i = 0; i < n && points[i].at < r->end; i++) {
		if (points[i].problem != NULL)
			continue;
		(void)put_copy(s, from, points[i].at);
		from = put_point(s, m, &points[i]);
		/* The instructions before an aimed call stay in place. */
		if (r->way == PATCH_WAY_AIM)
			points[i].passed = 0;
	}
	put_end(s, r, from);
	if (s->has_word)
		put_word(s, (const void *)s->at);
}
