/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Making the map of an object (map.h), of all functions or of a few.
 *
 * Functions are near that are wanted, or that are so close to those that bytes
 * of them may be changed, or that may be parts of near ones, or that jump into
 * such parts.  If these are few, only functions are decoded that are beside a
 * near one, where short branches reach it, or that have the four bytes of an
 * address in it, which a scan of the whole text finds.  Data and landing pads
 * are looked at in any case.
 */
#include "patch/map.h"

#include <stdlib.h>
#include <string.h>

#define REACH		160u	/* of short branches, with an instruction */
#define IMMEDIATE	4u	/* bytes after an address, at most */
#define FILLER		PATCH_NEAR	/* bytes beside a function, of holes */
#define APART		0x10000u	/* nearer spans of the scan are one */
#define PASSES_MAX	8u
#define SHARE		2u	/* more than this part: all are decoded */
#define MANY		64u	/* more than this part: they are many */

struct lazy {
	struct patch_map *map;
	struct patch_span spans[PATCH_SPANS];	/* that the next scan is for */
	unsigned nspans;
	bool grew;
};

/* ------------------------------------------------------------ near ones */

static uintptr_t
before(const struct patch_map *m, uintptr_t at, uintptr_t distance)
{
	return (at - m->text->start > distance ? at - distance :
	    m->text->start);
}

static uintptr_t
after(const struct patch_map *m, uintptr_t at, uintptr_t distance)
{
	return (m->text->end - at > distance ? at + distance : m->text->end);
}

/* Returns the first function that ends after an address. */
static struct patch_code *
first_code(const struct patch_map *m, uintptr_t at)
{
	size_t low = 0, high = m->ncodes, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (m->codes[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return (&m->codes[low]);
}

static struct patch_code *
end_of_codes(const struct patch_map *m)
{
	return (&m->codes[m->ncodes]);
}

static void
widen(struct patch_span *span, const struct patch_span *by)
{
	span->low = by->low < span->low ? by->low : span->low;
	span->high = by->high > span->high ? by->high : span->high;
}

/* Returns the bytes that a span would have more, or 0. */
static uintptr_t
growth(const struct patch_span *span, const struct patch_span *by)
{
	struct patch_span both = *span;

	widen(&both, by);
	return (both.high - both.low - (span->high - span->low));
}

/* Adds a span: to the nearest one, if that is near or if there are enough. */
static void
add_span(struct lazy *l, const struct patch_span *add)
{
	struct patch_span *nearest = NULL, *span;

	for (span = l->spans; span < l->spans + l->nspans; span++)
		if (nearest == NULL || growth(span, add) < growth(nearest, add))
			nearest = span;
	if (nearest != NULL && (l->nspans == PATCH_SPANS ||
	    growth(nearest, add) < APART))
		widen(nearest, add);
	else
		l->spans[l->nspans++] = *add;
}

/*
 * An operand's address is relative to the end of its instruction, which may be
 * after the operand.
 */
static void
add_lines(struct lazy *l, const struct patch_code *code)
{
	const struct patch_map *m = l->map;
	uintptr_t low = before(m, code->start, FILLER);
	uintptr_t high = after(m, code->end, FILLER), at;

	low -= (low - m->text->start) % PATCH_LINE;
	for (at = low - m->text->start; at < high - m->text->start;
	    at += PATCH_LINE)
		m->lines[at / PATCH_LINE / 8] |=
		    (uint8_t)(1u << at / PATCH_LINE % 8);
	add_span(l, &(const struct patch_span){ before(m, low, IMMEDIATE),
	    m->text->start + at });
}

/* Makes a function near: marks all short ways to it. */
static void
make_near(struct lazy *l, struct patch_code *code)
{
	struct patch_map *m = l->map;
	uintptr_t at = before(m, code->start, FILLER + REACH);
	uintptr_t end = after(m, code->end, FILLER + REACH);
	struct patch_code *other;

	if (code->is_near)
		return;
	code->is_near = l->grew = true;
	add_lines(l, code);
	for (other = first_code(m, at); other < end_of_codes(m) &&
	    other->start < end; other++)
		patch_map_decode(m, other);
	patch_map_rest(m, at, end);
}

/* Makes a function near of which bytes may be changed, and those around it. */
static void
open_code(struct lazy *l, struct patch_code *open)
{
	const struct patch_map *m = l->map;
	uintptr_t end = after(m, open->end, PATCH_NEAR);
	struct patch_code *code;

	open->is_open = true;
	for (code = first_code(m, before(m, open->start, PATCH_NEAR));
	    code < end_of_codes(m) && code->start < end; code++)
		make_near(l, code);
}

/* ------------------------------------------------------------ the scan */

/* Returns true unless a piece is a function of its own, as far as is known. */
static bool
may_be_part(const struct patch_map *m, const struct patch_code *code)
{
	return (code->is_cold || (code->name == NULL &&
	    ((*patch_map_mark(m, code->start) & PATCH_CALLED) == 0 ||
	    patch_frame(m->text, code->start) == PATCH_FRAME_SOME)));
}

/* That a function begins where it begins is known without its callers. */
static bool
matters(const struct lazy *l, uintptr_t target)
{
	const struct patch_map *m = l->map;
	const struct patch_code *code;

	if (!patch_map_has(m, target) ||
	    !patch_map_has_line(m, target - m->text->start))
		return (false);
	code = patch_map_code(m, target);
	return (code == NULL || (code->is_near && (target != code->start ||
	    may_be_part(m, code))));
}

static bool
any_matters(const struct lazy *l, uintptr_t target)
{
	return (matters(l, target) || matters(l, target + 1) ||
	    matters(l, target + 2) || matters(l, target + IMMEDIATE));
}

/* Returns the bytes of a branch before its displacement; 0: it is none. */
static unsigned
opcode_size(uintptr_t place, size_t before)
{
	const uint8_t *p = (const uint8_t *)place;

	if (before >= 1 && (p[-1] & 0xfe) == 0xe8)
		return (1);
	if (before >= 2 && ((p[-2] == 0x0f &&
	    (p[-1] & 0xf0) == 0x80) || (p[-2] == 0xc7 && p[-1] == 0xf8)))
		return (2);
	return (0);
}

/* Returns true for an opcode with a ModRM byte and an operand of 4 bytes. */
static bool
has_immediate(uint8_t opcode)
{
	return (opcode == 0xc7 || opcode == 0x81 || opcode == 0x69 ||
	    opcode == 0xf7);
}

/*
 * Returns false if no instruction has an absolute address there: before it is
 * an opcode, or ModRM and SIB with a displacement of 4 bytes, or an opcode with
 * these and another displacement.
 */
static bool
may_be_operand(uintptr_t place, size_t before)
{
	const uint8_t *p = (const uint8_t *)place;
	uint8_t last;

	if (before < 7)
		return (true);
	last = p[-1];
	return ((last & 0xf8) == 0xb8 || last == 0x68 || last == 0xa9 ||
	    (last & 0xc7) == 0x05 || (last & 0xc0) == 0x80 ||
	    (p[-2] & 0xc7) == 0x84 ||
	    ((last & 0x07) == 5 && (p[-2] & 0xc7) == 0x04) ||
	    has_immediate(p[-2]) || has_immediate(p[-3]) ||
	    has_immediate(p[-4]) || has_immediate(p[-6]) ||
	    has_immediate(p[-7]));
}

/* Decodes the function with a place; the place may also be in no function. */
static void
take_place(struct lazy *l, uintptr_t place, uintptr_t first)
{
	struct patch_code *code = patch_map_code(l->map, place);

	if (code != NULL)
		patch_map_decode(l->map, code);
	patch_map_rest(l->map, first, first + 1);
}

static void
look_at_place(void *lazy, uintptr_t place, size_t before, uintptr_t address,
    bool is_relative)
{
	struct lazy *l = lazy;
	const uint8_t *p = (const uint8_t *)place;
	unsigned size = is_relative ? opcode_size(place, before) : 0;

	if (!is_relative) {
		if (matters(l, address) && (place % 8 == 0 ||
		    may_be_operand(place, before)))
			take_place(l, place, place);
	} else if (size > 0) {
		if (matters(l, address))
			take_place(l, place - size, place - size);
	} else if (before >= 1 && (p[-1] & 0xc7) == 0x05 &&
	    any_matters(l, address))
		take_place(l, place, place);
}

/*
 * Scans for all lines that are marked since the last scan: one more for others
 * would find nothing that is not decoded.
 */
static void
scan(struct lazy *l)
{
	const struct patch_map *m = l->map;
	struct patch_scan s = {
		.text = m->text, .nspans = l->nspans,
		.absolute = m->slide, .is_fixed = m->is_fixed,
		.visit = look_at_place, .arg = l
	};

	memcpy(s.spans, l->spans, sizeof(s.spans));
	l->nspans = 0;
	patch_scan(&s);
}

/* ------------------------------------------------------------ parts */

/*
 * Takes a jump between two pieces.  Of a part, and of a piece that may be one,
 * all jumps to it have to be known, and the tables of its function.
 */
static void
take_jump(struct lazy *l, struct patch_code *from, struct patch_code *to)
{
	if (to == NULL || !may_be_part(l->map, to))
		return;
	if (from->is_open && !to->is_open)
		open_code(l, to);
	else if (from->is_near)
		make_near(l, to);
	else if (to->is_near)
		make_near(l, from);
}

static void
take_jumps(struct lazy *l, struct patch_code *code)
{
	const struct patch_map *m = l->map;
	enum patch_class class;
	uintptr_t at, target;

	for (at = code->start; (at = patch_map_skip(m, at, code->end)) <
	    code->end; at++) {
		class = patch_class(*patch_map_mark(m, at));
		if (class != PATCH_BRANCH && class != PATCH_JMP &&
		    class != PATCH_ODD)
			continue;
		target = patch_map_target(m, at);
		if (target < code->start || target >= code->end)
			take_jump(l, code, patch_map_code(m, target));
	}
}

/* Returns true if too many functions have been decoded. */
static bool
take_parts(struct lazy *l)
{
	const struct patch_map *m = l->map;
	size_t decoded = 0, i;

	for (i = 0; i < m->ncodes; i++) {
		decoded += m->codes[i].is_decoded;
		if (m->codes[i].is_decoded && m->codes[i].leaves)
			take_jumps(l, &m->codes[i]);
	}
	return (decoded > m->ncodes / SHARE);
}

/* Tables of other functions may lead to pieces without any other way. */
static bool
is_orphan(const struct patch_map *m, const struct patch_code *code)
{
	return (code->is_near && (code->name == NULL || code->is_cold) &&
	    (*patch_map_mark(m, code->start) & (PATCH_CALLED |
	    PATCH_JUMPED)) == 0);
}

/* Leaves such pieces alone.  Returns false if one is wanted. */
static bool
refuse_orphans(struct patch_map *m)
{
	struct patch_code *code;

	for (code = m->codes; code < end_of_codes(m); code++)
		if (code->is_wanted && is_orphan(m, code))
			return (false);
	for (code = m->codes; code < end_of_codes(m); code++)
		if (is_orphan(m, code))
			code->problem = "it is not known how control arrives";
	return (true);
}

static bool
look_at_wanted(struct lazy *l)
{
	const struct patch_map *m = l->map;
	unsigned pass;
	size_t i;

	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].is_wanted)
			open_code(l, &m->codes[i]);
	for (pass = 0; pass < PASSES_MAX && l->grew; pass++) {
		l->grew = false;
		patch_map_take(l->map);
		scan(l);
		if (take_parts(l))
			return (false);
	}
	if (l->grew)
		return (false);
	patch_map_pads(l->map);
	return (!m->failed && refuse_orphans(l->map));
}

/* Returns false if all functions have to be decoded. */
static bool
make_lazy(struct patch_map *m)
{
	struct lazy l = { .map = m };
	size_t wanted = 0, i;
	bool made;

	for (i = 0; i < m->ncodes; i++)
		wanted += m->codes[i].is_wanted;
	if (wanted == 0 || wanted > m->ncodes / SHARE / 4)
		return (false);
	if (wanted > m->ncodes / MANY)
		patch_map_many(m);
	/* Not all functions are known, nor are the flags that they pass. */
	m->passes_flags = true;
	m->lines = calloc((m->text->end - m->text->start) / PATCH_LINE / 8 + 1,
	    1);
	made = m->lines != NULL && look_at_wanted(&l);
	free(m->lines);
	m->lines = NULL;
	return (made);
}

/* ------------------------------------------------------------ all of it */

static void
make_all(struct patch_map *m)
{
	size_t i;

	patch_map_many(m);
	for (i = 0; i < m->ncodes; i++) {
		m->codes[i].is_near = true;
		patch_map_decode(m, &m->codes[i]);
	}
	patch_map_take(m);
	patch_map_rest(m, m->text->start, m->text->end);
	patch_map_pads(m);
}

const char *
patch_map_make(struct patch_map *m)
{
	const char *problem;
	size_t i;

	if (!patch_decoder_load())
		return ("zydis is missing");
	if ((problem = patch_map_data(m)) != NULL)
		return (problem);
	patch_map_index(m);
	for (i = 0; i < m->ncodes; i++)
		m->codes[i].owner = i;
	if (!make_lazy(m))
		make_all(m);
	if (m->failed)
		return ("out of memory");
	patch_parts_find(m);
	patch_tables_find(m);
	patch_flags_end(m);
	return (m->failed ? "out of memory" : NULL);
}
