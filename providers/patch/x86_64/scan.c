/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places in a text where an address may be.  The four bytes of one can begin at
 * any byte, so sixteen bytes have sixteen: four words at each of four offsets
 * are compared at once.
 */
#include "patch/map.h"

#include <emmintrin.h>
#include <string.h>

#define STEP	16u
#define BLOCK	4096u		/* is searched for all spans in turn */
#define SIGN	0x80000000u

/*
 * One span, and the numbers that make words offsets from its start: relative
 * words differ with their places, absolute ones do not.  Unsigned numbers are
 * compared as signed ones, of which SIGN is the least.
 */
struct search {
	const struct patch_scan *scan;
	uint32_t low, size;	/* offsets in the text */
	uint32_t bias;		/* of absolute words */
	bool is_relative;
	uintptr_t segment;	/* the start of the one that is searched */
};

static uint32_t
offset_of(const struct search *q, uintptr_t at)
{
	uint32_t word;

	memcpy(&word, (const void *)at, sizeof(word));
	return (q->is_relative ? word + 4 +
	    (uint32_t)(at - q->scan->text->start) : word - q->bias);
}

static void
look_at(const struct search *q, uintptr_t at)
{
	const struct patch_scan *s = q->scan;
	uint32_t offset = offset_of(q, at);

	if (offset - q->low < q->size)
		s->visit(s->arg, at, at - q->segment, s->text->start + offset,
		    q->is_relative);
}

/* Returns those of the four words at an address that lead into the span. */
static inline __m128i
find(uintptr_t at, __m128i base, __m128i end)
{
	return (_mm_cmplt_epi32(_mm_add_epi32(_mm_loadu_si128(
	    (const void *)at), base), end));
}

/* Returns the first step with a word that leads into the span, or the end. */
static uintptr_t
next_step(const struct search *q, uintptr_t at, uintptr_t end)
{
	uint32_t first = SIGN - q->low - q->bias;
	__m128i one = _mm_set1_epi32(q->is_relative), step, two, three, base;
	__m128i bound = _mm_set1_epi32((int)(SIGN ^ q->size)), found;

	base = _mm_setzero_si128();
	if (q->is_relative) {
		base = _mm_set_epi32(12, 8, 4, 0);
		first += q->bias + 4 + (uint32_t)(at - q->scan->text->start);
	}
	base = _mm_add_epi32(base, _mm_set1_epi32((int)first));
	two = _mm_add_epi32(one, one);
	three = _mm_add_epi32(two, one);
	step = _mm_slli_epi32(one, 4);
	for (; at < end; at += STEP, base = _mm_add_epi32(base, step)) {
		found = _mm_or_si128(_mm_or_si128(find(at, base, bound),
		    find(at + 1, _mm_add_epi32(base, one), bound)),
		    _mm_or_si128(find(at + 2, _mm_add_epi32(base, two), bound),
		    find(at + 3, _mm_add_epi32(base, three), bound)));
		if (_mm_movemask_epi8(found) != 0)
			break;
	}
	return (at);
}

/* Whole steps are searched; three bytes after them are read, too. */
static void
search(const struct search *q, uintptr_t at, uintptr_t end)
{
	unsigned i;

	for (; (at = next_step(q, at, end)) < end; at += STEP)
		for (i = 0; i < STEP; i++)
			look_at(q, at + i);
}

static void
search_all(const struct patch_scan *s, uintptr_t segment, uintptr_t at,
    uintptr_t end, void (*by)(const struct search *, uintptr_t, uintptr_t))
{
	struct search q = { .scan = s, .segment = segment,
	    .bias = (uint32_t)(s->text->start - s->absolute) };
	unsigned i;

	for (i = 0; i < s->nspans; i++) {
		q.low = (uint32_t)(s->spans[i].low - s->text->start);
		q.size = (uint32_t)(s->spans[i].high - s->spans[i].low);
		q.is_relative = true;
		by(&q, at, end);
		q.is_relative = false;
		if (s->is_fixed)
			by(&q, at, end);
	}
}

static void
search_last(const struct search *q, uintptr_t at, uintptr_t end)
{
	for (; end - at >= 4; at++)
		look_at(q, at);
}

/* Looks at the words of one segment. */
static void
scan(const struct patch_scan *s, uintptr_t segment, uintptr_t end)
{
	uintptr_t at = segment, steps = at;

	if (end - at > 3)
		steps += (end - at - 3) / STEP * STEP;
	for (; at < steps; at += BLOCK)
		search_all(s, segment, at, steps - at < BLOCK ? steps :
		    at + BLOCK, search);
	search_all(s, segment, steps, end, search_last);
}

void
patch_scan(const struct patch_scan *s)
{
	uintptr_t at = s->text->start, end;

	for (; patch_text_find(s->text, &at, &end); at = end)
		scan(s, at, end);
}
