/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers from texts and texts of numbers.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"

/*
 * The formats are those of IEEE 754-2019, 3.4: a float has 8 bits of exponent,
 * biased by 127, and 23 of fraction, a double 11, biased by 1023, and 52.  An
 * exponent of all bits is that of infinities and NaNs; one of 0 is that of a
 * number without the bit before the fraction.
 */
int
tbuf_float_load(struct tbuf_machine *m, uint64_t word)
{
	uint64_t bits = m->values[tbuf_select(m, tbuf_word_immediate(word))];
	uint64_t fraction = bits & 0x7fffff;
	uint64_t exponent = bits >> 23 & 0xff;

	if (exponent == 0xff)
		exponent = 0x7ff;
	else if (exponent > 0)
		exponent += 1023 - 127;
	else if (fraction > 0) {
		exponent = 1023 - 126;
		for (; fraction >> 23 == 0; fraction <<= 1)
			exponent--;
		fraction &= 0x7fffff;
	}
	m->registers[tbuf_word_a(word) % TBUF_REGISTERS] = bits >> 31 << 63 |
	    exponent << 52 | fraction << 29;
	return (0);
}

/* Returns true for 2 to 36; any other base is an illegal operation. */
static bool
is_base(uint64_t base)
{
	return (base >= 2 && base <= 36);
}

static unsigned
digit(uint8_t c)
{
	if ((uint8_t)(c - '0') < 10)
		return (c - '0');
	c |= 'a' ^ 'A';
	return ((uint8_t)(c - 'a') < 26 ? c - 'a' + 10u : 36);
}

static uint8_t
character(const struct tbuf_characters *s, uint32_t n)
{
	return (n < s->length ? tbuf_load(s->at + n) : 0);
}

static bool
is_blank(uint8_t c)
{
	return (c == ' ' || (c >= '\t' && c <= '\r'));
}

/* Returns the place after 0x, if digits follow that. */
static uint32_t
skip_prefix(const struct tbuf_characters *s, uint32_t n, uint64_t base)
{
	if (base == 16 && character(s, n) == '0' &&
	    (character(s, n + 1) | 0x20) == 'x' &&
	    digit(character(s, n + 2)) < 16)
		return (n + 2);
	return (n);
}

/* strtoll(s[, base]): the value wraps. */
int
tbuf_sub_strtoll(struct tbuf_machine *m, struct tbuf_call *c)
{
	const struct tbuf_characters *s = &c->text;
	uint64_t base = c->count > 1 ? c->arguments[1] : 10, value = 0;
	uint32_t n = 0;
	unsigned next;
	bool negative;

	if (!is_base(base))
		return (tbuf_illegal(m));
	while (is_blank(character(s, n)))
		n++;
	negative = character(s, n) == '-';
	n += negative || character(s, n) == '+';
	n = skip_prefix(s, n, base);
	while ((next = digit(character(s, n++))) < base)
		value = value * base + next;
	c->result = negative ? 0 - value : value;
	return (0);
}

/* lltostr(value[, base]): unsigned unless the base is 10. */
int
tbuf_sub_lltostr(struct tbuf_machine *m, struct tbuf_call *c)
{
	uint64_t value = c->arguments[0];
	uint64_t base = c->count > 1 ? c->arguments[1] : 10;
	uint8_t text[sizeof("-") + 64], *end = text + sizeof(text), *p = end;
	bool negative = base == 10 && (int64_t)value < 0;

	if (!is_base(base))
		return (tbuf_illegal(m));
	if (negative)
		value = 0 - value;
	for (; value != 0; value /= base)
		*--p = (uint8_t)"0123456789abcdefghijklmnopqrstuvwxyz"
		    [value % base];
	/* 0x1f, 037, 0x0, 0 */
	if (p == end || base == 8)
		*--p = '0';
	if (base == 16) {
		*--p = 'x';
		*--p = '0';
	}
	if (negative)
		*--p = '-';
	return (tbuf_text_make(m, p, (uint64_t)(end - p), &c->result));
}
