/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Operands of aarch64, in the GNU assembler's syntax.  Compilers write a 32-bit
 * register as the whole that it is a part of, and constants without #.
 */
#include <ctype.h>

#include "operand.h"

#define STACK_POINTER	31

static bool
take(const char **p, const char *end, const char *what)
{
	size_t length = strlen(what);

	if ((size_t)(end - *p) < length || memcmp(*p, what, length) != 0)
		return (false);
	*p += length;
	return (true);
}

/* Takes a comma, and the blanks around it. */
static bool
take_comma(const char **p, const char *end)
{
	bool found;

	while (*p < end && **p == ' ')
		++*p;
	found = take(p, end, ",");
	while (*p < end && **p == ' ')
		++*p;
	return (found);
}

/* Takes a number, with or without #. */
static bool
take_constant(const char **p, const char *end, int64_t *value)
{
	(void)take(p, end, "#");
	return (usdt_take_number(p, end, value));
}

/* Takes x0 to x30, w0 to w30, or sp: its number, and its width in bytes. */
static bool
take_register(const char **p, const char *end, uint8_t *number, unsigned *width)
{
	const char *q = *p, *digits;
	int64_t n = STACK_POINTER;

	*width = 8;
	if (!take(&q, end, "sp")) {
		if (q == end || (*q != 'x' && *q != 'w'))
			return (false);
		*width = *q++ == 'x' ? 8 : 4;
		digits = q;
		if (q == end || !isdigit((unsigned char)*q) ||
		    !usdt_take_number(&q, end, &n) || n < 0 ||
		    n >= STACK_POINTER || (q - digits > 1 && *digits == '0'))
			return (false);
	}
	if (q < end && isalnum((unsigned char)*q))
		return (false);
	*number = (uint8_t)n;
	*p = q;
	return (true);
}

/* Takes the symbol of :lo12:symbol+8; the base register has its page. */
static bool
take_symbol(const char **p, const char *end, struct usdt_operand *o)
{
	const char *q = *p;

	o->low = true;
	for (o->symbol = q; q < end && usdt_symbol_character(*q); q++)
		continue;
	o->length = (size_t)(q - o->symbol);
	if (q < end && (*q == '+' || *q == '-') &&
	    !usdt_take_number(&q, end, &o->value))
		return (false);
	*p = q;
	return (o->length > 0);
}

/* Takes the shift or extension of an index: a half is always extended. */
static bool
take_shift(const char **p, const char *end, unsigned width,
    struct usdt_operand *o, int64_t *shift)
{
	const char *q;

	if (width == 8)
		return (take(p, end, "lsl ") && take_constant(p, end, shift));
	if (take(p, end, "sxtw"))
		o->extend = USDT_SIGNED;
	else if (take(p, end, "uxtw"))
		o->extend = USDT_UNSIGNED;
	else
		return (false);
	q = *p;
	if (take(&q, end, " ")) {
		*p = q;
		return (take_constant(p, end, shift));
	}
	return (true);
}

/* Takes x1, lsl 3, or w1, sxtw 3. */
static bool
take_index(const char **p, const char *end, struct usdt_operand *o)
{
	int64_t shift = 0;
	unsigned width;

	if (!take_register(p, end, &o->index, &width) ||
	    o->index == STACK_POINTER)
		return (false);
	if (!take_comma(p, end)) {
		if (width != 8)
			return (false);
	} else if (!take_shift(p, end, width, o, &shift) || shift < 0 ||
	    shift > 3)
		return (false);
	o->scale = (uint8_t)(1u << shift);
	return (true);
}

static bool
take_offset(const char **p, const char *end, struct usdt_operand *o)
{
	(void)take(p, end, "#");
	if (take(p, end, ":lo12:"))
		return (take_symbol(p, end, o));
	return (usdt_take_number(p, end, &o->value) || take_index(p, end, o));
}

/* Parses the text after the bracket. */
static bool
parse_address(const char *p, const char *end, struct usdt_operand *o)
{
	unsigned width;

	return (take_register(&p, end, &o->base, &width) && width == 8 &&
	    (!take_comma(&p, end) || take_offset(&p, end, o)) &&
	    end - p == 1 && *p == ']');
}

bool
usdt_place_aarch64(const char *p, const char *end, struct usdt_operand *o)
{
	unsigned width;

	if (take(&p, end, "[")) {
		o->place = USDT_MEMORY;
		return (parse_address(p, end, o));
	}
	if (take_register(&p, end, &o->base, &width)) {
		o->place = USDT_REGISTER;
		return (p == end && o->width <= width);
	}
	o->place = USDT_CONSTANT;
	return (take_constant(&p, end, &o->value) && p == end);
}
