/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs of regions on aarch64: a check for each point, then the instruction, or
 * others that have its effect.
 *
 *	check (stub.c)		of the entry, if an exit is there, too
 *	check, without its branch
 *	instruction			or to CODE; or loads from ADDRESS
 *	b after the place
 * ADDRESS:	.quad			that the instruction refers to
 * CODE:	more instructions
 */
#include "patch/region.h"

#include <string.h>

#define COPY_AT		32u	/* the branch in a check */
#define BACK_AT		36u
#define ADDRESS_AT	PATCH_STUB
#define CODE_AT		(PATCH_STUB + 8u)
#define CHECKS_MAX	2u
#define ROOM		((CHECKS_MAX + 1) * PATCH_STUB)

void	patch_hit(void);

/* The last check of a stub with the copy of an instruction. */
struct copy {
	uintptr_t at;		/* of the check */
	uint8_t *bytes;
	uintptr_t place;	/* of the instruction */
	bool reached;		/* all branches reach */
};

static uintptr_t
place_of(const struct patch_point *point)
{
	return (patch_place(point->at, point->is_entry));
}

static void
put(struct copy *c, unsigned at, uint32_t word)
{
	memcpy(c->bytes + at, &word, sizeof(word));
}

static void
put_branch(struct copy *c, unsigned at, uintptr_t to)
{
	uint32_t word;

	c->reached &= patch_branch(c->at + at, to, &word);
	put(c, at, word);
}

/* ldr from ADDRESS into a register */
static void
put_load(struct copy *c, unsigned at, uint32_t word, uintptr_t address)
{
	uint32_t words = ADDRESS_AT / PATCH_WORD - at / PATCH_WORD;

	put(c, at, 0x58000000 | (words & 0x7ffff) << 5 | (word & 0x1f));
	memcpy(c->bytes + ADDRESS_AT, &address, sizeof(address));
}

/* The displacement of 21 bits in adr and adrp, and of 19 in ldr. */
static uintptr_t
displacement(uint32_t word)
{
	return ((uintptr_t)(intptr_t)((int32_t)(word << 8) >> 13) << 2 |
	    (word >> 29 & 3));
}

static uintptr_t
literal(const struct copy *c, uint32_t word)
{
	return (c->place + (uintptr_t)(intptr_t)((int32_t)(word << 8) >> 13) *
	    PATCH_WORD);
}

/* ldr by the register itself: of 32 bits, of 64, or signed */
static void
put_literal(struct copy *c, uint32_t word)
{
	static const uint32_t loads[] = { 0xb9400000, 0xf9400000, 0xb9800000 };
	uint32_t number = word & 0x1f;

	put_branch(c, COPY_AT, c->at + CODE_AT);
	put_load(c, CODE_AT, word, literal(c, word));
	put(c, CODE_AT + 4, loads[word >> 30 & 3] | number << 5 | number);
	put_branch(c, CODE_AT + 8, c->place + PATCH_WORD);
}

/* A conditional branch goes to one in the stub, which is long. */
static void
put_condition(struct copy *c, uint32_t word, uintptr_t target)
{
	uint32_t bits = (word & 0x7e000000) == 0x36000000 ? 14 : 19;

	put(c, COPY_AT, (word & ~(((1u << bits) - 1) << 5)) |
	    (CODE_AT - COPY_AT) / PATCH_WORD << 5);
	put_branch(c, CODE_AT, target);
}

/* Returns true for adr, adrp, and ldr of a literal. */
static bool
is_relative(uint32_t word)
{
	return ((word & 0x1f000000) == 0x10000000 ||
	    (word & 0x3f000000) == 0x18000000);
}

/* Returns the size of a stub: an instruction that is moved needs no ADDRESS. */
static size_t
size_of(const struct patch_point *points, size_t n)
{
	uintptr_t at = place_of(points);
	uint32_t word = patch_word(at);

	return (n * PATCH_STUB + (is_relative(word) ||
	    patch_target(word, at) != 0 ? PATCH_STUB : 0));
}

static void
put_copy(struct copy *c)
{
	uint32_t word = patch_word(c->place);
	uintptr_t target = patch_target(word, c->place), page = c->place &
	    ~(uintptr_t)0xfff;

	put_branch(c, BACK_AT, c->place + PATCH_WORD);
	if ((word & 0xfc000000) == 0x14000000)
		put_branch(c, COPY_AT, target);
	else if (target != 0)
		put_condition(c, word, target);
	else if ((word & 0x9f000000) == 0x10000000)
		put_load(c, COPY_AT, word, c->place + displacement(word));
	else if ((word & 0x9f000000) == 0x90000000)
		put_load(c, COPY_AT, word, page + (displacement(word) << 12));
	else if ((word & 0x3f000000) == 0x18000000)
		put_literal(c, word);
	else
		put(c, COPY_AT, word);
}

/* Makes the stub of points at one place.  Returns false if it is too far. */
static bool
make(uint8_t bytes[ROOM], uintptr_t at, const struct patch_point *points,
    size_t n)
{
	struct copy copy = { .place = place_of(points), .reached = true };
	size_t i;

	for (i = 0; i < n; i++, at += PATCH_STUB, bytes += PATCH_STUB) {
		points[i].probe->stub = at;
		points[i].probe->stub_size = PATCH_STUB;
		points[i].probe->place = copy.place;
		copy.at = at;
		copy.bytes = bytes;
		if (!patch_stub_encode(bytes, at, at + PATCH_STUB,
		    points[i].probe->enabled, points[i].probe,
		    (uintptr_t)patch_hit))
			return (false);
	}
	put_copy(&copy);
	return (copy.reached);
}

static const char *
arm(const struct patch *patch, const struct patch_text *text,
    const struct patch_point *points, size_t n)
{
	size_t size = size_of(points, n);
	uint8_t bytes[ROOM] = { 0 };
	uintptr_t at;

	if (n > CHECKS_MAX)
		return ("it has too many points");
	if ((at = patch_map_near(text, size)) == 0)
		return ("there is no room for a stub within reach");
	if (!make(bytes, at, points, n))
		return ("its stub is out of reach");
	return (patch_redirect(patch, at, bytes, size, place_of(points),
	    PATCH_JUMP));
}

/* Points of one place follow each other. */
void
patch_regions_arm(const struct patch *patch, const struct patch_text *text,
    struct patch_point *points, size_t n)
{
	const char *problem;
	size_t first, end;

	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && points[end].problem == NULL &&
		    place_of(&points[end]) == place_of(&points[first]);
		    end++)
			continue;
		if (points[first].problem != NULL)
			continue;
		problem = arm(patch, text, points + first, end - first);
		for (; problem != NULL && first < end; first++)
			points[first].problem = problem;
	}
}
