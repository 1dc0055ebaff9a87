/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * printf() of D.  Conversions of C are left to C's printf(); for D's own
 * conversions width and precision have the same effect as for %s.
 */
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "address.h"
#include "base/clean_text.h"
#include "base/messages.h"
#include "printf.h"

#define NANOSECONDS	1000000000
#define WIDEST		65536		/* characters */

/* ------------------------------------------------------------ reading */

static const char *
read_number(const char *p, int *number)
{
	for (*number = 0; *p >= '0' && *p <= '9'; p++)
		if ((*number = 10 * *number + (*p - '0')) > WIDEST)
			*number = WIDEST + 1;
	return (p);
}

/* Reads a flag; the last one of - and 0 counts. */
static void
read_flag(struct conversion *c, char flag)
{
	size_t n = strlen(c->flags);

	if (flag == '@')
		c->aggregation = true;
	else if (flag == '?')
		c->width = 16;
	else if (flag == '-' || flag == '0') {
		c->left_aligned = flag == '-';
		c->zero = flag == '0';
	} else if (strchr(c->flags, flag) == NULL) {
		c->flags[n] = flag;
		c->flags[n + 1] = '\0';
	}
}

/* Reads flags, width and precision in any order; p is after the %. */
static const char *
read_modifiers(struct conversion *c, const char *p)
{
	bool precision = false, digits = false;

	for (;;) {
		if (*p == '0' && !precision && !digits)
			read_flag(c, *p++);
		else if (*p >= '0' && *p <= '9') {
			p = read_number(p, precision ? &c->precision :
			    &c->width);
			digits = true;
		} else if (*p == '*') {
			*(precision ? &c->star_precision : &c->star_width) =
			    true;
			p++;
		} else if (*p == '.') {
			precision = true;
			digits = false;
			p++;
		} else if (*p != '\0' && strchr("#+- '@?", *p) != NULL)
			read_flag(c, *p++);
		else
			return (p);
	}
}

static const char *
read_conversion(struct conversion *c, const char *p)
{
	size_t n;

	memset(c, 0, sizeof(*c));
	p = read_modifiers(c, p);
	n = strspn(p, "hlLw");
	if (p[n] != '\0')
		n++;
	memcpy(c->name, p, n < sizeof(c->name) ? n : sizeof(c->name) - 1);
	return (p + n);
}

/* ------------------------------------------------------------ converting */

/* Makes a format for C's printf() from a conversion. */
static const char *
c_format(char *room, size_t size, const struct conversion *c,
    const char *conversion)
{
	char width[16] = "", precision[16] = "";

	if (c->width > 0)
		(void)snprintf(width, sizeof(width), "%d", c->width);
	if (c->precision > 0)
		(void)snprintf(precision, sizeof(precision), ".%d",
		    c->precision);
	(void)snprintf(room, size, "%%%s%s%s%s%s", c->left_aligned ? "-" :
	    c->zero ? "0" : "", c->flags, width, precision, conversion);
	return (room);
}

/* Returns the user's locale, which may separate thousands. */
static locale_t
grouping(void)
{
	static locale_t users;

	if (users == (locale_t)0)
		users = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	return (users);
}

/* Prints a number: in the user's locale with the flag ', else in C's. */
static void
put_number(struct output *out, const struct conversion *c,
    const char *conversion, unsigned long long integer, double floating)
{
	locale_t before = strchr(c->flags, '\'') != NULL ?
	    uselocale(grouping()) : (locale_t)0;
	char room[64];

	(void)c_format(room, sizeof(room), c, conversion);
	if (*conversion == 'l')
		output_printf(out, room, integer);
	else
		output_printf(out, room, floating);
	if (before != (locale_t)0)
		(void)uselocale(before);
}

static void
put_blanks(struct output *out, size_t n)
{
	char *p = output_room(out, n);

	memset(p, ' ', n);
	output_taken(out, p + n);
}

static void
put_text(struct output *out, const struct conversion *c, const char *text,
    size_t length)
{
	size_t width = c->width > 0 ? (size_t)c->width : 0;
	size_t blanks;

	if (c->precision > 0 && (size_t)c->precision < length)
		length = (size_t)c->precision;
	blanks = width > length ? width - length : 0;
	if (!c->left_aligned)
		put_blanks(out, blanks);
	output_text(out, 0, length, text);
	if (c->left_aligned)
		put_blanks(out, blanks);
}

/* Prints an integer, as wide as it is in D, by a conversion letter of C. */
static void
put_integer(struct output *out, const struct conversion *c,
    const struct datum *d, char letter)
{
	bool is_signed = letter == 'd' || letter == 'i';
	char conversion[] = { 'l', 'l', letter, '\0' };
	uint64_t value = d->number;

	if (!is_signed && d->size < 8)
		value &= (UINT64_C(1) << 8 * d->size) - 1;
	put_number(out, c, conversion, value, 0);
}

static void
put_character(struct output *out, const struct conversion *c, uint64_t value)
{
	char room[64], byte = (char)value;

	/* In a format of C a width comes with the character. */
	if (out->terminal)
		text_clean(&byte, 1, '?', "\n\t");
	output_printf(out, c_format(room, sizeof(room), c, "c"),
	    (int)(unsigned char)byte);
}

static char *
put_escaped_byte(char *p, unsigned char byte)
{
	static const char letters[] = "\aa\bb\ff\nn\rr\tt\vv\"\"\\\\";
	const char *l;

	if (byte == '\0')
		return (put_literal(p, "\\0"));
	for (l = letters; *l != '\0'; l += 2)
		if (*l == (char)byte) {
			*p++ = '\\';
			*p++ = l[1];
			return (p);
		}
	if (byte >= ' ' && byte < 0x7f) {
		*p++ = (char)byte;
		return (p);
	}
	*p++ = '\\';
	*p++ = (char)('0' + (byte >> 6));
	*p++ = (char)('0' + (byte >> 3 & 7));
	*p++ = (char)('0' + (byte & 7));
	return (p);
}

static void
put_escaped(struct output *out, const struct conversion *c, const char *text,
    size_t length)
{
	struct output room;
	char *p;
	size_t i;

	output_memory(&room);
	for (i = 0; i < length; i++) {
		p = output_room(&room, 4);
		output_taken(&room, put_escaped_byte(p,
		    (unsigned char)text[i]));
	}
	put_text(out, c, room.buffer, room.used);
	free(room.buffer);
}

/* Writes a character in UTF-8, or ? if there is no such.  Returns its end. */
static char *
put_utf8(char *p, uint64_t letter)
{
	unsigned more = letter < 0x80 ? 0 : letter < 0x800 ? 1 :
	    letter < 0x10000 ? 2 : 3;

	if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000)) {
		*p++ = '?';
		return (p);
	}
	*p++ = (char)(more == 0 ? letter :
	    (0xff00u >> (more + 1) & 0xff) | letter >> 6 * more);
	while (more-- != 0)
		*p++ = (char)(0x80 | (letter >> 6 * more & 0x3f));
	return (p);
}

/*
 * Prints an array of wchar_t.  A precision counts bytes, as in C, and parts no
 * character.
 */
static void
put_wide(struct output *out, const struct conversion *c,
    const struct datum *d)
{
	struct output room;
	uint64_t letter;
	char *p, *end;
	size_t i;

	output_memory(&room);
	for (i = 0; i + 4 <= d->length; i += 4) {
		if ((letter = datum_load(d->data + i, 4, false)) == 0)
			break;
		p = output_room(&room, 4);
		end = put_utf8(p, letter);
		if (c->precision > 0 && room.used + (size_t)(end - p) >
		    (size_t)c->precision)
			break;
		output_taken(&room, end);
	}
	put_text(out, c, room.buffer, room.used);
	free(room.buffer);
}

static void
put_time(struct output *out, const struct conversion *c,
    const struct datum *d, const char *format)
{
	time_t seconds = (time_t)((int64_t)d->number / NANOSECONDS);
	char text[128];
	struct tm tm;
	size_t n = 0;

	if (localtime_r(&seconds, &tm) != NULL)
		n = strftime(text, sizeof(text), format, &tm);
	put_text(out, c, text, n);
}

/* Prints an address; a stack has lines of its own. */
static void
put_symbol(struct output *out, const struct conversion *c,
    const struct datum *d, char letter)
{
	struct output text;

	if (address_is_stack(d)) {
		address_put_stack(out, d);
		return;
	}
	output_memory(&text);
	if (letter == 'A')
		address_put_target(&text, d);
	else
		address_put_symbol(&text, d);
	put_text(out, c, text.buffer, text.used);
	free(text.buffer);
}

static void
put_float(struct output *out, const struct conversion *c,
    const struct datum *d, char letter)
{
	char conversion[] = { letter, '\0' };

	put_number(out, c, conversion, 0, d->floating);
}

void
printf_convert(struct output *out, const struct conversion *c,
    const struct datum *d)
{
	char letter = c->name[strlen(c->name) - 1];
	char wide[4];

	switch (letter) {
	case 'd':
	case 'i':
		put_integer(out, c, d, d->is_signed ? letter : 'u');
		break;
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		put_integer(out, c, d, letter);
		break;
	case 'p':
		put_integer(out, c, d, 'x');
		break;
	case 'c':
		if (c->name[0] == 'c')
			put_character(out, c, d->number);
		else
			put_text(out, c, wide, (size_t)(put_utf8(wide,
			    (uint32_t)d->number) - wide));
		break;
	case 'C': {
		char byte = (char)d->number;

		put_escaped(out, c, &byte, 1);
		break;
	}
	case 's':
		if (c->name[0] != 's')
			put_wide(out, c, d);
		else
			put_text(out, c, d->data, datum_text_length(d));
		break;
	case 'S':
		put_escaped(out, c, d->data, datum_text_length(d));
		break;
	case 'T':
		put_time(out, c, d, "%a, %d %b %G %T %Z");
		break;
	case 'Y':
		put_time(out, c, d, "%Y %b %e %T");
		break;
	case 'a':
	case 'A':
	case 'k':
		put_symbol(out, c, d, letter);
		break;
	default:
		put_float(out, c, d, letter);
	}
}

/* ------------------------------------------------------------ formats */

/* Takes the next value.  Returns false if none remains. */
static bool
take(const struct printf_values *v, unsigned *next, struct datum *d)
{
	if (*next >= v->count)
		return (false);
	datum_get(d, &v->pieces[*next], &v->values[*next]);
	(*next)++;
	return (true);
}

/* Takes the values of each *.  A negative width means left-aligned, as in C. */
static void
take_stars(const struct printf_values *v, unsigned *next,
    struct conversion *c)
{
	struct datum d;

	if (c->star_width && take(v, next, &d)) {
		c->width = (int)d.number;
		if (c->width < 0) {
			c->left_aligned = true;
			c->width = c->width == INT_MIN ? 0 : -c->width;
		}
	}
	if (c->star_precision && take(v, next, &d))
		c->precision = (int)d.number;
}

/*
 * Returns a width or precision that is not too large: it may be a value of a
 * hostile target.  Nothing is formatted that the output's bound would discard.
 */
static int
limited(const struct output *out, int n)
{
	static bool reported;
	size_t room = output_left(out);

	if (n > WIDEST) {
		if (!reported)
			message(MSG_WIDE, WIDEST);
		reported = true;
		n = WIDEST;
	}
	return (n > 0 && (size_t)n > room ? (int)room + 1 : n);
}

static void
put_conversion(struct output *out, struct conversion *c,
    const struct printf_values *v, unsigned *next)
{
	struct datum d;

	if (strcmp(c->name, "%") == 0) {
		output_printf(out, "%%");
		return;
	}
	take_stars(v, next, c);
	c->width = limited(out, c->width);
	c->precision = limited(out, c->precision);
	if (c->aggregation) {
		if (v->aggregation != NULL)
			v->aggregation(v->arg, out, c);
	} else if (take(v, next, &d))
		printf_convert(out, c, &d);
}

void
printf_put(struct output *out, const char *format,
    const struct printf_values *values)
{
	struct conversion c;
	unsigned next = 0;
	size_t n;
	char *p;

	while (*format != '\0' && !out->cut) {
		n = strcspn(format, "%");
		p = output_room(out, n);
		output_taken(out, put_bytes(p, format, n));
		format += n;
		if (*format == '\0')
			return;
		format = read_conversion(&c, format + 1);
		if (c.name[0] != '\0')
			put_conversion(out, &c, values, &next);
	}
}
