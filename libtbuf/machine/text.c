/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts: finds their ends, compares them and makes new ones.
 */
#include "machine/internal.h"

/* Gets a text with its length. */
int
tbuf_text_open(struct tbuf_machine *m, uint64_t address,
    struct tbuf_characters *text)
{
	uint32_t n;
	int answer = tbuf_memory_text(m, address, text);

	if (answer != 0)
		return (answer);
	for (n = 0; n < text->most && tbuf_load(text->at + n) != 0; n++)
		continue;
	text->length = n;
	return (tbuf_work(m, n));
}

/* Returns the first place in [n, end) with a difference or a NUL, or end. */
static inline uint32_t
same_bytes(const struct tbuf_characters *a, const struct tbuf_characters *b,
    uint32_t n, uint32_t end)
{
	uint8_t c;

	for (; n < end; n++) {
		c = tbuf_load(a->at + n);
		if (c != tbuf_load(b->at + n) || c == 0)
			break;
	}
	return (n);
}

/* Words that may alias any memory. */
typedef uint64_t any_word __attribute__((may_alias));
typedef uint64_t odd_word __attribute__((may_alias, aligned(1)));

/*
 * Skips equal words without a NUL.  Words of `a` are aligned, and so never in a
 * page that its text does not reach, but a sanitizer would report them.  All
 * bytes of `b` can be read.
 */
static __attribute__((no_sanitize("address", "thread"))) uint32_t
same_words(const struct tbuf_characters *a, const struct tbuf_characters *b,
    uint32_t n, uint32_t end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word;

	for (; end - n >= sizeof(word); n += sizeof(word)) {
		word = *(const volatile any_word *)(const void *)(a->at + n);
		if (word != *(const volatile odd_word *)(const void *)
		    (b->at + n) ||
		    ((word - ones) & ~word & (ones << 7)) != 0)
			break;
	}
	return (n);
}

/* Returns the number of equal bytes: to a NUL, or to the end of either text. */
static uint32_t
common(const struct tbuf_characters *a, const struct tbuf_characters *b)
{
	const struct tbuf_characters *aligned = a->whole ? b : a;
	const struct tbuf_characters *other = a->whole ? a : b;
	const uint32_t most = tbuf_minimum(a->most, b->most);
	uint32_t first = !other->whole ? most :
	    tbuf_minimum(-(uintptr_t)aligned->at % 8, most);
	uint32_t n = same_bytes(a, b, 0, first);

	if (n < first || n == most)
		return (n);
	return (same_bytes(a, b, same_words(aligned, other, n, most), most));
}

/* Returns a text's character, or 0 at its end. */
static int
character(const struct tbuf_characters *text, uint32_t n)
{
	return (n < text->most ? tbuf_load(text->at + n) : 0);
}

int
tbuf_text_compare(struct tbuf_machine *m, uint64_t left, uint64_t right,
    int *order)
{
	struct tbuf_characters a, b;
	uint32_t n;
	int answer;

	/* NULL is less than all texts, and equal to itself. */
	*order = (left != 0) - (right != 0);
	if (left == 0 || right == 0)
		return (0);
	answer = tbuf_memory_text(m, left, &a);
	if (answer == 0)
		answer = tbuf_memory_text(m, right, &b);
	if (answer != 0)
		return (answer);
	n = common(&a, &b);
	*order = character(&a, n) - character(&b, n);
	*order = (*order > 0) - (*order < 0);
	return (tbuf_work(m, n + UINT64_C(1)));
}

/* Makes a new text of these bytes, cut at strsize. */
int
tbuf_text_make(struct tbuf_machine *m, const uint8_t *bytes, uint64_t size,
    uint64_t *address)
{
	uint32_t n = tbuf_minimum(size, m->strsize);
	uint8_t *to;
	int answer;

	answer = tbuf_work(m, n);
	if (answer == 0)
		answer = tbuf_memory_temporary(m, n + UINT64_C(1), &to,
		    address);
	if (answer != 0)
		return (answer);
	tbuf_bytes_copy(to, bytes, n);
	tbuf_store(to + n, 0);
	return (0);
}

/* Returns true if `part` is at a place of a text. */
bool
tbuf_text_find(struct tbuf_machine *m, const struct tbuf_characters *text,
    const struct tbuf_characters *part, uint32_t at)
{
	uint32_t n;

	if (at > text->length || part->length > text->length - at)
		return (false);
	for (n = 0; n < part->length; n++)
		if (tbuf_load(text->at + at + n) != tbuf_load(part->at + n))
			break;
	/* The caller checks for fuel. */
	(void)tbuf_work(m, n + UINT64_C(1));
	return (n == part->length);
}
