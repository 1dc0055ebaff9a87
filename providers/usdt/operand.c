/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>

#include "operand.h"

/* Takes numbers of any size, which wrap. */
bool
usdt_take_number(const char **p, const char *end, int64_t *value)
{
	const char *q = *p, *digits;
	bool negative = false;
	uint64_t n = 0;
	unsigned base = 10, digit;

	if (q < end && (*q == '-' || *q == '+'))
		negative = *q++ == '-';
	if (end - q > 2 && q[0] == '0' && (q[1] == 'x' || q[1] == 'X')) {
		base = 16;
		q += 2;
	}
	for (digits = q; q < end && isxdigit((unsigned char)*q); q++) {
		digit = isdigit((unsigned char)*q) ? (unsigned)(*q - '0') :
		    (unsigned)(tolower((unsigned char)*q) - 'a' + 10);
		if (digit >= base)
			break;
		n = n * base + digit;
	}
	if (q == digits)
		return (false);
	*value = (int64_t)(negative ? -n : n);
	*p = q;
	return (true);
}

bool
usdt_symbol_character(char c)
{
	return (isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$');
}

/* Parses the width, and the @ that follows it. */
static bool
parse_width(const char **p, const char *end, struct usdt_operand *o)
{
	int64_t n;

	/* The least number cannot be negated. */
	if (!usdt_take_number(p, end, &n) || n < -8)
		return (false);
	o->is_signed = n < 0;
	n = n < 0 ? -n : n;
	if (n != 1 && n != 2 && n != 4 && n != 8)
		return (false);
	o->width = (uint8_t)n;
	o->is_float = *p < end && **p == 'f';
	*p += o->is_float;
	if (*p == end || **p != '@')
		return (false);
	++*p;
	return (!o->is_float || o->width >= 4);
}

/* Returns the end: blanks are between operands, and within brackets. */
static const char *
operand_end(const char *p)
{
	bool inside = false;

	for (; *p != '\0' && (inside || (*p != ' ' && *p != '\t')); p++)
		inside = (inside || *p == '[') && *p != ']';
	return (p);
}

const char *
usdt_operand_skip(const char *text)
{
	text = operand_end(text);
	return (text + strspn(text, " \t"));
}

bool
usdt_operand_parse_by(usdt_place_parse *parse_place, const char **text,
    struct usdt_operand *o)
{
	const char *p = *text, *end = operand_end(p);

	*o = (struct usdt_operand){
		.width = 8, .base = USDT_NO_REGISTER,
		.index = USDT_NO_REGISTER, .scale = 1
	};
	/* The first version of notes had no widths. */
	if (memchr(p, '@', (size_t)(end - p)) != NULL &&
	    !parse_width(&p, end, o))
		return (false);
	if (p == end || !parse_place(p, end, o))
		return (false);
	*text = usdt_operand_skip(*text);
	return (true);
}

unsigned
usdt_operands_count(const char *text)
{
	unsigned n = 0;

	for (text += strspn(text, " \t"); *text != '\0'; n++)
		text = usdt_operand_skip(text);
	return (n);
}
