/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places in a text where an address may be.  The four bytes of one can begin at
 * any byte, so sixteen bytes have sixteen: four words at each of four offsets
 * are compared at once.
 */
#include "patch/map.h"

#include <immintrin.h>
#include <string.h>

#define STEP	16u
#define WIDE	32u		/* bytes of a step with AVX2 */
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

/* Looks at those bytes that have a bit. */
static void
look_at_bits(const struct search *q, uintptr_t at, uint32_t bits)
{
	for (; bits != 0; bits &= bits - 1)
		look_at(q, at + (unsigned)__builtin_ctz(bits));
}

/* Returns the number that makes the word at an address one to compare. */
static uint32_t
base_of(const struct search *q, uintptr_t at)
{
	return (q->is_relative ? SIGN - q->low + 4 +
	    (uint32_t)(at - q->scan->text->start) : SIGN - q->low - q->bias);
}

/*
 * Returns the bits of those of the four words at an address that lead into the
 * span.
 */
static inline uint32_t
find(uintptr_t at, __m128i base, __m128i end)
{
	return ((uint32_t)_mm_movemask_epi8(_mm_cmplt_epi32(_mm_add_epi32(
	    _mm_loadu_si128((const void *)at), base), end)));
}

/* Whole steps are searched; three bytes after them are read, too. */
static void
search(const struct search *q, uintptr_t at, uintptr_t end)
{
	__m128i one = _mm_set1_epi32(q->is_relative);
	__m128i bound = _mm_set1_epi32((int)(SIGN ^ q->size)), two, three, base;
	uint32_t bits;

	two = _mm_add_epi32(one, one);
	three = _mm_add_epi32(two, one);
	base = _mm_set1_epi32((int)base_of(q, at));
	if (q->is_relative)
		base = _mm_add_epi32(base, _mm_set_epi32(12, 8, 4, 0));
	for (; at < end; at += STEP) {
		bits = (find(at, base, bound) & 0x1111) |
		    (find(at + 1, _mm_add_epi32(base, one), bound) & 0x2222) |
		    (find(at + 2, _mm_add_epi32(base, two), bound) & 0x4444) |
		    (find(at + 3, _mm_add_epi32(base, three), bound) & 0x8888);
		if (bits != 0)
			look_at_bits(q, at, bits);
		base = _mm_add_epi32(base, _mm_slli_epi32(one, 4));
	}
}

/* Compares eight words as find() compares four. */
__attribute__((target("avx2"))) static inline __m256i
compare(uintptr_t at, __m256i base, __m256i end)
{
	return (_mm256_cmpgt_epi32(end, _mm256_add_epi32(
	    _mm256_loadu_si256((const void *)at), base)));
}

#define BITS(words)	((uint32_t)_mm256_movemask_epi8(words))

/*
 * Returns the bits of those bytes that a relative word may be at, as a branch's
 * opcode is before it, or a ModRM byte: e8, e9, 80 to 8f, f8, 05 to 3d.  Each
 * bit of the tables has one of these kinds.
 */
__attribute__((target("avx2"))) static inline uint32_t
find_led(uintptr_t at)
{
	const __m256i low = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 1, 1,
	    1, 1, 9, 1, 1, 7, 3, 1, 1, 1, 9, 1, 1));
	const __m256i high = _mm256_broadcastsi128_si256(_mm_setr_epi8(8, 8, 8,
	    8, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 4));
	const __m256i nibble = _mm256_set1_epi8(15);
	__m256i bytes = _mm256_loadu_si256((const void *)(at - 1)), kinds;

	kinds = _mm256_and_si256(_mm256_shuffle_epi8(low,
	    _mm256_and_si256(bytes, nibble)), _mm256_shuffle_epi8(high,
	    _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
	return (~BITS(_mm256_cmpeq_epi8(kinds, _mm256_setzero_si256())));
}

/* Searches wide steps as search() searches narrow ones. */
__attribute__((target("avx2"))) static void
search_wide(const struct search *q, uintptr_t at, uintptr_t end)
{
	__m256i one = _mm256_set1_epi32(q->is_relative), two, three, base;
	__m256i bound = _mm256_set1_epi32((int)(SIGN ^ q->size)), found[4];
	uint32_t bits;

	two = _mm256_add_epi32(one, one);
	three = _mm256_add_epi32(two, one);
	base = _mm256_set1_epi32((int)base_of(q, at));
	if (q->is_relative)
		base = _mm256_add_epi32(base,
		    _mm256_set_epi32(28, 24, 20, 16, 12, 8, 4, 0));
	for (; end - at >= WIDE; at += WIDE) {
		found[0] = compare(at, base, bound);
		found[1] = compare(at + 1, _mm256_add_epi32(base,
		    one), bound);
		found[2] = compare(at + 2, _mm256_add_epi32(base,
		    two), bound);
		found[3] = compare(at + 3, _mm256_add_epi32(base,
		    three), bound);
		base = _mm256_add_epi32(base, _mm256_slli_epi32(one, 5));
		if (BITS(_mm256_or_si256(_mm256_or_si256(found[0], found[1]),
		    _mm256_or_si256(found[2], found[3]))) == 0)
			continue;
		bits = (BITS(found[0]) & 0x11111111) |
		    (BITS(found[1]) & 0x22222222) |
		    (BITS(found[2]) & 0x44444444) |
		    (BITS(found[3]) & 0x88888888);
		if (q->is_relative && at > q->segment)
			bits &= find_led(at);
		look_at_bits(q, at, bits);
	}
	search(q, at, end);
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
	void (*by)(const struct search *, uintptr_t, uintptr_t) =
	    __builtin_cpu_supports("avx2") ? search_wide : search;
	uintptr_t at = segment, steps = at;

	if (end - at > 3)
		steps += (end - at - 3) / STEP * STEP;
	for (; at < steps; at += BLOCK)
		search_all(s, segment, at, steps - at < BLOCK ? steps :
		    at + BLOCK, by);
	search_all(s, segment, steps, end, search_last);
}

void
patch_scan(const struct patch_scan *s)
{
	uintptr_t at = s->text->start, end;

	for (; patch_text_find(s->text, &at, &end); at = end)
		scan(s, at, end);
}
