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
#define SIGN	((int)0x80000000)

/* Addresses are offsets in the text here. */
struct bounds {
	uint32_t low, size;
	uint32_t bias;		/* of absolute addresses */
};

static uint32_t
word_at(uintptr_t at)
{
	uint32_t word;

	memcpy(&word, (const void *)at, sizeof(word));
	return (word);
}

static void
look_at(const struct patch_scan *s, const struct bounds *b, uintptr_t at)
{
	uintptr_t start = s->text->start;
	uint32_t word = word_at(at), offset = (uint32_t)(at - start);

	if (offset + 4 + word - b->low < b->size)
		s->visit(s->arg, at, start + (uint32_t)(offset + 4 + word),
		    true);
	if (s->is_fixed && word - b->bias - b->low < b->size)
		s->visit(s->arg, at, start + (uint32_t)(word - b->bias),
		    false);
}

/* Returns a mask of the words that are less than a bound, unsigned. */
static unsigned
less(__m128i words, uint32_t bound)
{
	const __m128i sign = _mm_set1_epi32(SIGN);
	__m128i bounds = _mm_set1_epi32((int)(bound ^ (uint32_t)SIGN));

	return ((unsigned)_mm_movemask_ps(_mm_castsi128_ps(
	    _mm_cmplt_epi32(_mm_xor_si128(words, sign), bounds))));
}

/* Returns a mask of the words at an address that lead between the bounds. */
static unsigned
find(const struct patch_scan *s, const struct bounds *b, uintptr_t at)
{
	uint32_t offset = (uint32_t)(at - s->text->start);
	__m128i words = _mm_loadu_si128((const void *)at);
	__m128i steps = _mm_set_epi32(12, 8, 4, 0);
	unsigned mask = less(_mm_add_epi32(_mm_add_epi32(words, steps),
	    _mm_set1_epi32((int)(offset + 4 - b->low))), b->size);

	if (s->is_fixed)
		mask |= less(_mm_sub_epi32(words, _mm_set1_epi32((int)(b->bias +
		    b->low))), b->size);
	return (mask);
}

/* Looks at the words of one segment. */
static void
scan(const struct patch_scan *s, const struct bounds *b, uintptr_t at,
    uintptr_t end)
{
	unsigned i, mask, n;

	for (; end - at >= STEP + 4; at += STEP)
		for (i = 0; i < 4; i++)
			for (mask = find(s, b, at + i); mask != 0;
			    mask &= mask - 1) {
				n = (unsigned)__builtin_ctz(mask);
				look_at(s, b, at + i + n * 4);
			}
	for (; at + 4 <= end; at++)
		look_at(s, b, at);
}

void
patch_scan(const struct patch_scan *s)
{
	uintptr_t at = s->text->start, end;
	struct bounds b = {
		.low = (uint32_t)(s->low - at),
		.size = (uint32_t)(s->high - s->low),
		.bias = (uint32_t)(at - s->absolute)
	};

	for (; patch_text_find(s->text, &at, &end); at = end)
		scan(s, &b, at, end);
}
