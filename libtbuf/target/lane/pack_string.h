/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Packs a string into words of a record or a key, without functions of the C
 * library: these may change vector registers, which belong to the program.
 */
#ifndef TBUF_TARGET_LANE_PACK_STRING_H
#define TBUF_TARGET_LANE_PACK_STRING_H

#include "arch/atomics.h"
#include "target/lane/key_hash.h"
#include "target/lane/pack.h"

/* A word of any type's memory; each is read once. */
typedef volatile uint64_t tbuf_word_of_any __attribute__((may_alias));

/* An unaligned word of any type's memory. */
typedef volatile uint64_t tbuf_word_anywhere
    __attribute__((may_alias, aligned(1)));

/* Returns a mask of `n' low bits, fewer than 64. */
static inline uint64_t
tbuf_low_bits(unsigned n)
{
	return ((UINT64_C(1) << n) - 1);
}

/*
 * Returns a bit in the first zero byte, and perhaps some above; 0: none is
 * zero.
 */
static inline uint64_t
tbuf_zero_bytes(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return ((word - ones) & ~word & (ones << 7));
}

/* Returns how many bits precede the byte that contains the lowest set bit. */
static inline unsigned
tbuf_bits_before(uint64_t word)
{
	return ((unsigned)__builtin_ctzll(word) & 56);
}

static inline const tbuf_word_anywhere *
tbuf_word_at(uint64_t address)
{
	return ((const tbuf_word_anywhere *)(uintptr_t)address);
}

/* Most bytes of a string beside its word, other arguments and a spare word. */
#define TBUF_STRING_MOST						\
	(8 * (uint64_t)(TBUF_STAGE_WORDS - TBUF_NARGS - 1) - 2)

/* Packs NULL, and strings that may cross a page. */
struct tbuf_key_text tbuf_pack_key_other(uint64_t string, uint32_t strsize,
	    uint64_t *words, uint64_t factor) TBUF_HIDDEN
	    __attribute__((noinline));

/*
 * Packs a string that is the last text, after whole words: its 16-bit word
 * begins a word.  No word that starts in the string may cross a page's end.
 * All words but the first are loaded as they are stored.  The first, with the
 * length, is stored last; no byte that is used is read twice.
 */
static inline __attribute__((always_inline, no_sanitize("address", "thread")))
struct tbuf_key_text
tbuf_string_words(uint64_t string, uint32_t strsize, uint64_t *words,
    uint64_t factor, bool hashed)
{
	uint64_t most = strsize - 1 < TBUF_STRING_MOST ? strsize - 1 :
	    TBUF_STRING_MOST;
	uint64_t at = string + 6, end = string + most, first = factor;
	uint64_t *next = words, head, word, zero, mask, n, sum = 0;

	if (string == 0 || string % TBUF_PAGE + most + 8 > TBUF_PAGE)
		return (tbuf_pack_key_other(string, strsize, words, factor));
	head = word = *tbuf_word_at(string) << 16;
	zero = tbuf_zero_bytes(word | tbuf_low_bits(16));
	if (__builtin_expect(zero != 0 || at > end, 0))
		at = string - 2;
	else for (;; at += 8) {
		word = *tbuf_word_at(at);
		zero = tbuf_zero_bytes(word);
		factor += TBUF_HASH_STEP;
		next++;
		if (zero != 0 || at + 8 > end)
			break;
		*next = word;
		if (hashed)
			sum += tbuf_hash_fold(word, factor);
	}
	/* Bytes of the last word, fewer if the string is cut there. */
	n = zero != 0 ? tbuf_bits_before(zero) / 8 : 8;
	mask = (zero ^ (zero - 1)) >> 8;
	if (__builtin_expect(at + n > end, 0)) {
		if (most < strsize - 1)
			return ((struct tbuf_key_text){ 0, UINT64_MAX });
		mask = tbuf_low_bits(8 * (unsigned)(end - at));
		n = end - at + TBUF_TEXT_CUT;
	}
	word &= mask;
	if (next == words)
		head = word;
	else {
		*next = word;
		if (hashed)
			sum += tbuf_hash_fold(word, factor);
	}
	n += at - string;
	*words = head |= n;
	if (hashed)
		sum += tbuf_hash_fold(head, first);
	return ((struct tbuf_key_text){ sum, n });
}

/*
 * Packs like tbuf_pack_texts(), for a site with words and one string, its last
 * argument.
 */
static inline __attribute__((always_inline, no_sanitize("address", "thread")))
uint64_t
tbuf_pack_string(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, uint64_t words[TBUF_STAGE_WORDS])
{
	unsigned n = site->nargs - 1u, i;
	uint64_t text;

	/*
	 * An atomic store, because a compiler may turn plain ones into a
	 * memcpy(3).
	 */
	for (i = 0; i < n; i++)
		tbuf_store(&words[i], values[i]);
	text = tbuf_string_words(values[n], strsize, words + n, 0,
	    false).word;
	return (text == UINT64_MAX ? 0 :
	    8 * n + ((2 + (text & ~(uint64_t)TBUF_TEXT_CUT) + 7) &
	    -UINT64_C(8)));
}

#endif
