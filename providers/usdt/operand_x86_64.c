/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Operands of 64-bit x86, in the GNU assembler's syntax.
 */
#include <ctype.h>

#include "operand.h"

/* Names by number; the 16-bit name is in the middle of the longer ones. */
static const char legacy[8][3] = {
	"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"
};
static const char low_bytes[8][4] = {
	"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"
};
static const char high_bytes[4][3] = { "ah", "ch", "dh", "bh" };

static bool
same(const char *word, size_t length, const char *what)
{
	return (strlen(what) == length && memcmp(word, what, length) == 0);
}

/* Parses r8 to r15, and their parts: r8d, r8w, r8b. */
static bool
parse_numbered(const char *word, size_t length, uint8_t *number)
{
	unsigned n = 0;
	size_t i;

	if (length < 2 || word[0] != 'r')
		return (false);
	for (i = 1; i < length && i < 3 &&
	    isdigit((unsigned char)word[i]); i++)
		n = 10 * n + (unsigned)(word[i] - '0');
	if (i < length && strchr("dwbl", word[i]) != NULL)
		i++;
	if (i != length || n < 8 || n > 15 || word[1] == '0')
		return (false);
	*number = (uint8_t)n;
	return (true);
}

/* Parses a general register's name; `shift` is where its part begins. */
static bool
parse_register(const char *word, size_t length, uint8_t *number,
    uint8_t *shift)
{
	uint8_t n;

	*shift = 0;
	for (n = 0; n < 8; n++) {
		*number = n;
		if (same(word, length, legacy[n]) ||
		    same(word, length, low_bytes[n]) ||
		    (length == 3 && (*word == 'r' || *word == 'e') &&
		    same(word + 1, length - 1, legacy[n])))
			return (true);
		if (n < 4 && same(word, length, high_bytes[n])) {
			*shift = 8;
			return (true);
		}
	}
	return (parse_numbered(word, length, number));
}

/* Takes %name at *p, and moves *p after it. */
static bool
take_register(const char **p, const char *end, uint8_t *number, uint8_t *shift)
{
	const char *word = *p + 1, *q = word;

	if (*p == end || **p != '%')
		return (false);
	while (q < end && isalnum((unsigned char)*q))
		q++;
	*p = q;
	return (parse_register(word, (size_t)(q - word), number, shift));
}

/* Parses numbers and a symbol, in any order, before the parenthesis. */
static bool
parse_displacement(const char *p, const char *end, struct usdt_operand *o)
{
	const char *name;
	int64_t n;

	while (p < end) {
		if (usdt_take_number(&p, end, &n)) {
			o->value = (int64_t)((uint64_t)o->value + (uint64_t)n);
			continue;
		}
		p += *p == '+';
		for (name = p; p < end && usdt_symbol_character(*p); p++)
			continue;
		if (p == name || o->symbol != NULL)
			return (false);
		o->symbol = name;
		o->length = (size_t)(p - name);
	}
	return (true);
}

/* Parses (base,index,scale): each may be left out. */
static bool
parse_address(const char *p, const char *end, struct usdt_operand *o)
{
	uint8_t shift;
	int64_t scale = 1;

	if (end - p == 5 && memcmp(p, "%rip)", 5) == 0)
		return (o->symbol != NULL);
	if (*p == '%' && (!take_register(&p, end, &o->base, &shift) ||
	    shift != 0))
		return (false);
	if (p < end && *p == ',') {
		p++;
		if (!take_register(&p, end, &o->index, &shift) || shift != 0)
			return (false);
		if (p < end && *p == ',') {
			p++;
			if (!usdt_take_number(&p, end, &scale) || (scale != 1 &&
			    scale != 2 && scale != 4 && scale != 8))
				return (false);
		}
	}
	o->scale = (uint8_t)scale;
	return (end - p == 1 && *p == ')');
}

bool
usdt_place_x86_64(const char *p, const char *end, struct usdt_operand *o)
{
	const char *parenthesis;

	if (*p == '$') {
		o->place = USDT_CONSTANT;
		p++;
		return (usdt_take_number(&p, end, &o->value) && p == end);
	}
	if (*p == '%') {
		o->place = USDT_REGISTER;
		return (take_register(&p, end, &o->base, &o->shift) &&
		    p == end && o->shift + 8u * o->width <= 64);
	}
	o->place = USDT_MEMORY;
	parenthesis = memchr(p, '(', (size_t)(end - p));
	return (parenthesis != NULL && parenthesis + 1 < end &&
	    parse_displacement(p, parenthesis, o) &&
	    parse_address(parenthesis + 1, end, o));
}
