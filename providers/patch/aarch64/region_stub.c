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
 *
 * An exit by a conditional branch is passed if its condition holds:
 *
 *	b.condition 1f
 *	b after the place
 * 1:	check, which goes on at the branch's target
 *
 * A conditional branch back to an entry whose check it passes by has such a
 * stub without a check; another branch is changed where it is.
 */
#include "patch/region.h"

#include <string.h>

#define COPY_AT		32u	/* the branch in a check */
#define BACK_AT		36u
#define ADDRESS_AT	PATCH_STUB
#define CODE_AT		(PATCH_STUB + 8u)
#define SKIPPED		16u	/* before the check of a conditional exit */
#define CHECKS_MAX	2u
#define ROOM		((CHECKS_MAX + 1) * PATCH_STUB)

static const char refused[] = "the kernel does not permit writing to text";

void	patch_hit(void);

/* Stubs beside each other are written at once, and the text last. */
struct arming {
	struct patch_edit edit;
	uintptr_t at;		/* of the stubs that are not written yet */
	size_t size;
	uint8_t bytes[PATCH_PAGE];
	bool failed;		/* a stub could not be written */
};

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

/* Puts a conditional branch within the stub. */
static void
put_condition(struct copy *c, unsigned at, uint32_t word, unsigned to)
{
	uint32_t bits = (word & 0x7e000000) == 0x36000000 ? 14 : 19;

	put(c, at, (word & ~(((1u << bits) - 1) << 5)) |
	    (to - at) / PATCH_WORD << 5);
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
	else if (target != 0) {
		put_condition(c, COPY_AT, word, CODE_AT);
		put_branch(c, CODE_AT, target);
	} else if ((word & 0x9f000000) == 0x10000000)
		put_load(c, COPY_AT, word, c->place + displacement(word));
	else if ((word & 0x9f000000) == 0x90000000)
		put_load(c, COPY_AT, word, page + (displacement(word) << 12));
	else if ((word & 0x3f000000) == 0x18000000)
		put_literal(c, word);
	else
		put(c, COPY_AT, word);
}

/* Returns the target of the conditional branch of an exit, or 0. */
static uintptr_t
condition_of(const struct patch_point *point)
{
	uint32_t word = patch_word(point->at);

	return (point->is_entry || (word & 0xfc000000) == 0x14000000 ? 0 :
	    patch_target(word, point->at));
}

static void
put_check(struct copy *c, const struct patch_point *point, uintptr_t back)
{
	point->probe->stub = c->at;
	point->probe->stub_size = PATCH_STUB;
	point->probe->place = c->place;
	c->reached &= patch_stub_encode(c->bytes, c->at, back,
	    point->probe->enabled, point->probe, (uintptr_t)patch_hit);
}

static void
advance(struct copy *c, unsigned bytes)
{
	c->at += bytes;
	c->bytes += bytes;
}

static void
put_conditional(struct copy *c, const struct patch_point *point,
    uintptr_t target)
{
	put_condition(c, 0, patch_word(c->place), SKIPPED);
	put_branch(c, PATCH_WORD, c->place + PATCH_WORD);
	advance(c, SKIPPED);
	put_check(c, point, target);
}

/* Makes the stub of points at one place.  Returns false if it is too far. */
static bool
make(uint8_t bytes[ROOM], uintptr_t at, struct patch_point *points, size_t n)
{
	struct copy c = { .at = at, .bytes = bytes,
	    .place = place_of(points), .reached = true };
	uintptr_t target = condition_of(&points[n - 1]);
	size_t i;

	for (i = 0; i < n - 1; i++) {
		put_check(&c, &points[i], c.at + PATCH_STUB);
		advance(&c, PATCH_STUB);
		points[i].passed = c.at;
	}
	points[i].passed = c.at + COPY_AT;
	if (target != 0)
		put_conditional(&c, &points[i], target);
	else {
		put_check(&c, &points[i], c.at + PATCH_STUB);
		put_copy(&c);
	}
	return (c.reached);
}

static void
write_stubs(struct arming *a)
{
	a->failed |= a->size > 0 && patch_write(a->edit.patch, a->at, a->bytes,
	    a->size) != 0;
	a->size = 0;
}

static void
put_stub(struct arming *a, uintptr_t at, const uint8_t *bytes, size_t size)
{
	if (at != a->at + a->size || size > sizeof(a->bytes) - a->size) {
		write_stubs(a);
		a->at = at;
	}
	memcpy(a->bytes + a->size, bytes, size);
	a->size += size;
}

static const char *
put_branch_in_text(struct arming *a, uintptr_t place, uintptr_t to,
    const char *problem)
{
	uint32_t word;

	if (!patch_branch(place, to, &word))
		return (problem);
	return (patch_edit_put(&a->edit, place, &word, sizeof(word)) == 0 ?
	    NULL : refused);
}

static const char *
redirect(struct arming *a, uintptr_t at, const uint8_t *stub, size_t size,
    uintptr_t place)
{
	put_stub(a, at, stub, size);
	return (put_branch_in_text(a, place, at, "its stub is out of reach"));
}

static const char *
arm(struct arming *a, struct patch_point *points, size_t n)
{
	size_t size = size_of(points, n);
	uint8_t bytes[ROOM] = { 0 };
	uintptr_t at;

	if (n > CHECKS_MAX)
		return ("it has too many points");
	if ((at = patch_map_near(a->edit.text, size)) == 0)
		return ("there is no room for a stub within reach");
	if (!make(bytes, at, points, n))
		return ("its stub is out of reach");
	points[n - 1].probe->stub_size = size - (n - 1) * PATCH_STUB;
	return (redirect(a, at, bytes, size, place_of(points)));
}

/* ------------------------------------------------------------ loops */

/* Returns the point of an entry, the first one at its place, or NULL. */
static struct patch_point *
entry_at(struct patch_point *points, size_t n, uintptr_t start)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (points[middle].at < start)
			low = middle + 1;
		else
			high = middle;
	}
	return (low < n && points[low].at == start && points[low].is_entry &&
	    !points[low].is_inside ? &points[low] : NULL);
}

/* Makes a branch back lead to the code after the check of its entry. */
static const char *
pass(struct arming *a, const struct patch_point *back, uintptr_t to)
{
	uint8_t bytes[SKIPPED] = { 0 };
	uintptr_t place = back->at;
	struct copy c = { .bytes = bytes, .place = place, .reached = true };
	uint32_t word = patch_word(place);

	if ((word & 0xfc000000) == 0x14000000)
		return (put_branch_in_text(a, place, to, PATCH_NOT_PASSED));
	if ((c.at = patch_map_near(a->edit.text, sizeof(bytes))) == 0)
		return ("there is no room for a stub within reach");
	back->probe->stub = c.at;
	back->probe->stub_size = sizeof(bytes);
	put_condition(&c, 0, word, 2 * PATCH_WORD);
	put_branch(&c, PATCH_WORD, place + PATCH_WORD);
	put_branch(&c, 2 * PATCH_WORD, to);
	return (!c.reached ? PATCH_NOT_PASSED : redirect(a, c.at, bytes,
	    sizeof(bytes), place));
}

/* A place has one instruction, which another point may have replaced. */
static void
pass_entries(struct arming *a, const struct patch_map *m,
    struct patch_point *points, size_t n)
{
	struct patch_point *back = points, *entry;
	bool is_free;

	for (; back < points + n; back++) {
		if (!back->is_back || (entry = entry_at(points, n,
		    m->codes[back->function].start)) == NULL ||
		    entry->problem != NULL)
			continue;
		is_free = back->problem == NULL && (back == points ||
		    place_of(back - 1) != place_of(back));
		entry->problem = !is_free ? PATCH_NOT_PASSED :
		    pass(a, back, entry->passed);
	}
}

/* ------------------------------------------------------------ all points */

/* Points of one place follow each other. */
static void
arm_all(struct arming *a, struct patch_point *points, size_t n)
{
	const char *problem;
	size_t first, end;

	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && points[end].problem == NULL &&
		    !points[end].is_back &&
		    place_of(&points[end]) == place_of(&points[first]); end++)
			continue;
		if (points[first].problem != NULL || points[first].is_back)
			continue;
		problem = arm(a, points + first, end - first);
		for (; problem != NULL && first < end; first++)
			points[first].problem = problem;
	}
}

/* Pages that could be written before are hardly ever refused now. */
static void
write_all(struct arming *a, struct patch_point *points, size_t n)
{
	uintptr_t end;
	size_t i;

	write_stubs(a);
	end = a->failed ? 0 : patch_edit_write(&a->edit);
	for (i = 0; i < n; i++)
		if (points[i].problem == NULL && place_of(&points[i]) >= end)
			points[i].problem = refused;
}

void
patch_regions_arm(const struct patch *patch, const struct patch_map *m,
    struct patch_regions *unused, struct patch_point *points, size_t n)
{
	struct arming a = { .size = 0 };
	const char *problem = patch_edit_begin(&a.edit, patch, m->text);
	size_t i;

	(void)unused;
	for (i = 0; problem != NULL && i < n; i++)
		points[i].problem = problem;
	if (problem == NULL) {
		arm_all(&a, points, n);
		pass_entries(&a, m, points, n);
		write_all(&a, points, n);
	}
	patch_edit_free(&a.edit);
}
