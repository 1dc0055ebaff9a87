/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Proof that a jump may replace five bytes.
 */
#include "x86_64.h"

#include <emmintrin.h>
#include <string.h>

#define LINE		8u		/* bytes for each bit of the filter */
#define LINES		(1u << 19)	/* it wraps; it errs to `near' */

/* Entries of a jump table in a row that lead out of the function. */
#define OUTSIDE_MAX	16u

/* A bit for each line with a place nearby; most branches lead elsewhere. */
static uint8_t filter[LINES / 8];

static void
filter_set(uintptr_t address)
{
	size_t line = address / LINE % LINES;

	filter[line / 8] |= (uint8_t)(1u << line % 8);
}

static inline bool
filter_has(uintptr_t address)
{
	size_t line = address / LINE % LINES;

	return ((filter[line / 8] & 1u << line % 8) != 0);
}

/* Returns the first place that has the end of its jump after an address. */
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

	if (!filter_has(target))
		return;

	for (i = place_near(places, n, target); i < n && places[i].at < target;
	    i++)
		places[i].entered = true;
}

/*
 * Returns a bit for each of 16 bytes that may be the last one of a branch's
 * opcode: e8 and e9, and 80 to 8f after 0f.
 */
static inline unsigned
opcodes(const uint8_t *p)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i before = _mm_loadu_si128((const __m128i *)(const void *)(p -
	    1));
	__m128i near = _mm_cmpeq_epi8(_mm_and_si128(bytes,
	    _mm_set1_epi8((char)0xfe)), _mm_set1_epi8((char)0xe8));
	__m128i far = _mm_and_si128(_mm_cmpeq_epi8(before,
	    _mm_set1_epi8(0x0f)), _mm_cmpeq_epi8(_mm_and_si128(bytes,
	    _mm_set1_epi8((char)0xf0)), _mm_set1_epi8((char)0x80)));

	return ((unsigned)_mm_movemask_epi8(_mm_or_si128(near, far)));
}

/*
 * Takes all bytes of a segment that could be a branch of 4 bytes for one:
 * functions have cold parts elsewhere, which jump back into them.  (Other bytes
 * hardly ever happen to point at a place, which is then not redirected.)
 * Branches of one byte are found in the place's own function, which is decoded.
 */
static void
look_at_segment(uintptr_t start, uintptr_t end, struct patch_place *places,
    size_t n)
{
	const uint8_t *p = (const uint8_t *)start + 1, *at;
	const uint8_t *last = (const uint8_t *)end - 16 - 4;
	int32_t displacement;
	unsigned bits;

	/* The last 16 overlap those before. */
	for (; p <= last + 15 && (uintptr_t)last > start; p += 16) {
		p = p < last ? p : last;
		for (bits = opcodes(p); bits != 0; bits &= bits - 1) {
			at = p + __builtin_ctz(bits);
			memcpy(&displacement, at + 1, sizeof(displacement));
			enter(places, n, (uintptr_t)at + 5 +
			    (uintptr_t)(intptr_t)displacement);
		}
	}
}

void
patch_branches_find(const struct patch_text *text, struct patch_place *places,
    size_t n)
{
	const ElfW(Phdr) *part = text->parts;
	uintptr_t start;
	size_t i;

	/* Most texts have no place: the filter's pages stay untouched. */
	if (n == 0)
		return;
	memset(filter, 0, sizeof(filter));
	for (i = 0; i < n; i++) {
		filter_set(places[i].at + 1);
		filter_set(places[i].at + PATCH_JUMP - 1);
	}
	look_at_segment(text->start, text->end, places, n);
	for (; part < text->parts + text->nparts; part++) {
		start = text->base + part->p_vaddr;
		if (part->p_type == PT_LOAD && start != text->start &&
		    (part->p_flags & (PF_R | PF_X)) == (PF_R | PF_X))
			look_at_segment(start, start + part->p_filesz, places,
			    n);
	}
}

/* Findings of a walk through a function, for one place. */
struct walk {
	const struct patch_text *text;
	struct patch_range range;
	uintptr_t place;
	bool begins;		/* an instruction begins there */
	bool entered;		/* a jump leads to a byte after the first */
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

static void
look_at_entry(struct walk *w, uintptr_t target, unsigned *outside)
{
	*outside = is_inside(w, target) ? 0 : *outside + 1;
	w->entered |= is_behind(w, target);
}

/*
 * Reads a possible jump table: numbers relative to it, or addresses.  Compilers
 * address it from the function's code.  Some entries may lead to the function's
 * cold part, which is elsewhere; many of these in a row are taken for the
 * table's end.  Memory that is no table is read in vain.
 */
static __attribute__((no_sanitize("address"))) void
look_at_table(struct walk *w, uintptr_t table)
{
	uintptr_t at, target;
	unsigned outside = 0;
	int32_t relative;

	for (at = table; outside < OUTSIDE_MAX &&
	    patch_readable(w->text, at, sizeof(relative));
	    at += sizeof(relative)) {
		memcpy(&relative, (const void *)at, sizeof(relative));
		look_at_entry(w, table + (uintptr_t)(intptr_t)relative,
		    &outside);
	}
	outside = 0;
	for (at = table; outside < OUTSIDE_MAX &&
	    patch_readable(w->text, at, sizeof(target));
	    at += sizeof(target)) {
		memcpy(&target, (const void *)at, sizeof(target));
		look_at_entry(w, target, &outside);
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

/* Returns the length of an instruction that assemblers fill gaps with, or 0. */
static size_t
filler(const uint8_t *p, size_t size)
{
	struct patch_instruction in;
	size_t n = 0;

	patch_decode(p, size, (uintptr_t)p, &in);
	while (n < in.length && (p[n] == 0x66 || p[n] == 0x2e))
		n++;
	if (n < in.length && (p[n] == 0x90 || (n == 0 && p[n] == 0xcc) ||
	    (n + 1 < in.length && p[n] == 0x0f && p[n + 1] == 0x1f)))
		return (in.length);
	return (0);
}

bool
patch_is_gap(const struct patch_text *text, uintptr_t at, uintptr_t end)
{
	struct patch_range range;
	size_t length;

	for (; at < end; at += length)
		if (end > text->end || patch_function(text, at, &range) ||
		    (length = filler((const uint8_t *)at,
		    patch_text_left(text, at))) == 0)
			return (false);
	return (true);
}

/*
 * Returns true if the end of a block is followed by nothing but filler up to
 * `end`, in the function and after it.  No branch leads there:
 * patch_branches_find().  In a function a nop of one byte may be in the source.
 */
static bool
is_filled(const struct walk *w, uintptr_t at, uintptr_t end)
{
	size_t length;

	for (; at < end && at < w->range.end; at += length)
		if ((length = filler((const uint8_t *)at, w->range.end -
		    at)) < 2)
			return (false);
	return (at >= end || (at == w->range.end && patch_is_gap(w->text, at,
	    end)));
}

/*
 * Proves that no block ends between the bytes, unless only filler follows, and
 * that no call returns there; without `call`, that there is none.
 */
static const char *
prove_block(const struct walk *w, bool call)
{
	uintptr_t at = w->place, end = w->place + PATCH_JUMP;
	struct patch_instruction in;

	for (; at < end; at += in.length) {
		if (at >= w->range.end)
			return ("its function ends there");
		patch_decode((const uint8_t *)at, w->range.end - at, at, &in);
		if (in.length == 0)
			return ("it is not an instruction");
		if (in.ends && at + in.length < end)
			return (is_filled(w, at + in.length, end) ? NULL :
			    "a block ends there");
		if (in.is_call && at + in.length < end)
			return ("a call returns there");
		if (in.is_call && !call)
			return ("a call is never moved");
	}
	return (NULL);
}

const char *
patch_prove(const struct patch_text *text, const struct patch_place *place,
    bool call)
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
	if (patch_lands(text, &w.range, place->at + 1,
	    place->at + PATCH_JUMP))
		return ("an exception lands between the bytes");
	return (prove_block(&w, call));
}
