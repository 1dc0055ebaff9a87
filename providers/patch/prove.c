/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether five bytes may be taken by a jump.
 */
#include "patch.h"

#include <string.h>

/* The first place at or behind an address, less what a jump takes. */
static size_t
place_near(const struct patch_place *places, size_t n, uintptr_t target)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (places[middle].at + PATCH_JUMP <= target)
			low = middle + 1;
		else
			high = middle;
	}
	return (low);
}

static void
enter(struct patch_place *places, size_t n, uintptr_t target)
{
	size_t i;

	for (i = place_near(places, n, target); i < n && places[i].at < target;
	    i++)
		places[i].entered = true;
}

/*
 * Whatever could be a branch of 4 bytes is taken for one, at each byte of the
 * text: functions have cold parts elsewhere, which jump back into them.  (That
 * bytes that are none happen to point at a place is unlikely, and leaves that
 * place alone.)  Branches of one byte are those of the place's own function,
 * which is decoded.
 */
void
patch_branches_find(const struct patch_text *text, struct patch_place *places,
    size_t n)
{
	const uint8_t *p = (const uint8_t *)text->start;
	const uint8_t *end = (const uint8_t *)text->end - 5;
	uintptr_t first, span, target;
	int32_t displacement;

	if (n == 0)
		return;
	first = places[0].at;
	span = places[n - 1].at + PATCH_JUMP - first;
	for (; p < end; p++) {
		if ((*p & 0xfe) != 0xe8 && (*p & 0xf0) != 0x80)
			continue;
		if ((*p & 0xf0) == 0x80 && p[-1] != 0x0f)
			continue;
		memcpy(&displacement, p + 1, sizeof(displacement));
		target = (uintptr_t)p + 5 + (uintptr_t)(intptr_t)displacement;
		if (target - first < span)
			enter(places, n, target);
	}
}

/* What goes on in a function, as far as it matters to a place. */
struct walk {
	const struct patch_text *text;
	struct patch_range range;
	uintptr_t place;
	bool begins;		/* an instruction begins there */
	bool entered;		/* a jump leads behind its first byte */
	bool computed;		/* it has computed jumps */
};

static bool
is_behind(const struct walk *w, uintptr_t target)
{
	return (target - w->place - 1 < PATCH_JUMP - 1);
}

static bool
is_inside(const struct walk *w, uintptr_t target)
{
	return (target >= w->range.start && target < w->range.end);
}

/*
 * What may be a jump table: numbers relative to it, as far as they are of the
 * function, or addresses.  Compilers address it from the function's code.
 */
static void
look_at_table(struct walk *w, uintptr_t table)
{
	uintptr_t at, target;
	int32_t relative;

	for (at = table; at >= w->text->low &&
	    at + sizeof(relative) <= w->text->high; at += sizeof(relative)) {
		memcpy(&relative, (const void *)at, sizeof(relative));
		target = table + (uintptr_t)(intptr_t)relative;
		if (!is_inside(w, target))
			break;
		w->entered |= is_behind(w, target);
	}
	for (at = table; at >= w->text->low &&
	    at + sizeof(target) <= w->text->high; at += sizeof(target)) {
		memcpy(&target, (const void *)at, sizeof(target));
		if (!is_inside(w, target))
			break;
		w->entered |= is_behind(w, target);
	}
}

static const char *
walk(struct walk *w, bool tables)
{
	struct patch_instruction in;
	uintptr_t at;

	for (at = w->range.start; at < w->range.end; at += in.length) {
		patch_decode((const uint8_t *)at, w->range.end - at, at, &in);
		if (in.length == 0)
			return ("its function cannot be decoded");
		w->begins |= at == w->place;
		w->entered |= in.is_branch && is_behind(w, in.target);
		w->computed |= in.is_indirect;
		if (tables && in.operand != 0)
			look_at_table(w, in.operand);
	}
	return (NULL);
}

/* No block ends between the bytes, nor its function. */
static const char *
prove_block(const struct walk *w)
{
	uintptr_t at = w->place, end = w->place + PATCH_JUMP;
	struct patch_instruction in;

	for (; at < end; at += in.length) {
		if (at >= w->range.end)
			return ("its function ends there");
		patch_decode((const uint8_t *)at, w->range.end - at, at, &in);
		if (in.length == 0)
			return ("no instruction");
		if (in.ends && at + in.length < end)
			return ("a block ends there");
	}
	return (NULL);
}

const char *
patch_prove(const struct patch_text *text, const struct patch_place *place)
{
	struct walk w = { .text = text, .place = place->at };
	const char *problem;

	if (!patch_function(text, place->at, &w.range))
		return ("its function is not known");
	if ((problem = walk(&w, false)) != NULL)
		return (problem);
	if (!w.begins)
		return ("no instruction begins there");
	if (w.computed)
		(void)walk(&w, true);
	if (w.entered || place->entered)
		return ("a branch leads between the bytes");
	return (prove_block(&w));
}
