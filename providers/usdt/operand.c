/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>
#include <stdlib.h>

#include "operand.h"

/* By number; the 16-bit name is in the middle of the longer ones. */
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

/* r8 to r15, and their parts: r8d, r8w, r8b. */
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

/* The name of a general register; `shift` is where its part begins. */
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

/* %name at *p, which is moved behind it. */
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

/* A number of C, with a sign; it may be as large as it will. */
static bool
take_number(const char **p, const char *end, int64_t *value)
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

static bool
symbol_character(char c)
{

	return (isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$');
}

/* What stands before the parenthesis: numbers and a symbol, in any order. */
static bool
parse_displacement(const char *p, const char *end, struct usdt_operand *o)
{
	const char *name;
	int64_t n;

	while (p < end) {
		if (take_number(&p, end, &n)) {
			o->value = (int64_t)((uint64_t)o->value + (uint64_t)n);
			continue;
		}
		p += *p == '+';
		for (name = p; p < end && symbol_character(*p); p++)
			continue;
		if (p == name || o->symbol != NULL)
			return (false);
		o->symbol = name;
		o->length = (size_t)(p - name);
	}
	return (true);
}

/* (base,index,scale): each may be left out. */
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
			if (!take_number(&p, end, &scale) || (scale != 1 &&
			    scale != 2 && scale != 4 && scale != 8))
				return (false);
		}
	}
	o->scale = (uint8_t)scale;
	return (end - p == 1 && *p == ')');
}

static bool
parse_place(const char *p, const char *end, struct usdt_operand *o)
{
	const char *parenthesis;

	if (p == end)
		return (false);
	if (*p == '$') {
		o->place = USDT_CONSTANT;
		p++;
		return (take_number(&p, end, &o->value) && p == end);
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

/* The width, and the mark that follows it. */
static bool
parse_width(const char **p, const char *end, struct usdt_operand *o)
{
	int64_t n;

	/* The least number has no opposite. */
	if (!take_number(p, end, &n) || n < -8)
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

bool
usdt_operand_parse(const char **text, struct usdt_operand *o)
{
	const char *p = *text, *end = p + strcspn(p, " \t");

	*o = (struct usdt_operand){
		.width = 8, .base = USDT_NO_REGISTER,
		.index = USDT_NO_REGISTER, .scale = 1
	};
	/* The first notes there were had no widths. */
	if (memchr(p, '@', (size_t)(end - p)) != NULL &&
	    !parse_width(&p, end, o))
		return (false);
	if (!parse_place(p, end, o))
		return (false);
	*text = end + strspn(end, " \t");
	return (true);
}

unsigned
usdt_operands_count(const char *text)
{
	unsigned n = 0;

	for (text += strspn(text, " \t"); *text != '\0';
	    text += strspn(text, " \t")) {
		text += strcspn(text, " \t");
		n++;
	}
	return (n);
}
