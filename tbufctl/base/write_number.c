/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes numbers: cases that are rare, or take longer.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "write_number.h"

char *
number_large(char *p, uint64_t value)
{
	const uint64_t sixteen = NUMBER_EIGHT * NUMBER_EIGHT;

	if (value < sixteen)
		p = number_first(p, (uint32_t)(value / NUMBER_EIGHT));
	else {
		p = number_first(p, (uint32_t)(value / sixteen));
		value %= sixteen;
		p = number_eight(p, (uint32_t)(value / NUMBER_EIGHT));
	}
	return (number_eight(p, (uint32_t)(value % NUMBER_EIGHT)));
}

void
number_stem_set(struct number_stem *stem, uint64_t value)
{
	char number[OUTPUT_NUMBER];

	stem->stem = value;
	stem->size = put_unsigned(number, value) - number;
	memcpy(stem->digits, number, sizeof(stem->digits));
}

char *
put_padded(char *p, int64_t value, int width)
{
	char number[OUTPUT_NUMBER];
	int n = put_signed(number, value) - number;

	for (; width > n; width--)
		*p++ = ' ';
	return (put_bytes(p, number, n));
}

char *
put_duration(char *p, uint64_t ns)
{
	static const char units[][4] = { " us", " ms", " s" };
	uint64_t unit = 1000, tenths;
	unsigned i = 0;

	if (ns < unit)
		return (put_literal(put_unsigned(p, ns), " ns"));
	while (i < 2 && ns / unit >= 1000) {
		unit *= 1000;
		i++;
	}
	tenths = ns / (unit / 10);
	p = put_unsigned(p, tenths / 10);
	*p++ = '.';
	*p++ = (char)('0' + tenths % 10);
	return (put_bytes(p, units[i], strlen(units[i])));
}

static const char hex[] = "0123456789abcdef";

char *
put_pointer(char *p, uint64_t value)
{
	int shift = 60;

	p = put_literal(p, "0x");
	while (shift > 0 && value >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = hex[(value >> shift) & 15];
	return (p);
}

char *
put_hex(char *p, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	for (; n > 0; n--, b++) {
		*p++ = hex[*b >> 4];
		*p++ = hex[*b & 15];
	}
	return (p);
}

static bool
reads_back(const char *text, double value, bool single)
{
	if (single)
		return (strtof(text, NULL) == (float)value);
	return (strtod(text, NULL) == value);
}

/*
 * Writes a power of two with some digits.  Numbers below it are twice as close
 * as those above, so the nearest decimal may read back as a smaller number
 * while one above reads back as this one.  Writes the decimal nearest to the
 * middle of the range that reads back.  Returns its length, 0 for other values.
 */
static int
put_above(char *p, int digits, double value, bool single)
{
	long double middle = value;
	int exponent;

	if (fabs(frexp(value, &exponent)) != 0.5)
		return (0);
	middle *= 1 + (single ? FLT_EPSILON : DBL_EPSILON) / 8.0L;
	return (snprintf(p, OUTPUT_NUMBER, "%.*Lg", digits, middle));
}

/*
 * Returns true for a nonzero whole number below 1 / epsilon: no decimal is
 * shorter than its own, and it is written without an exponent.
 */
static bool
is_whole(double value, bool single)
{
	if (!(fabs(value) < 1 / (single ? FLT_EPSILON : DBL_EPSILON)))
		return (false);
	return (value != 0 && value == (double)(int64_t)value);
}

/* Returns true if the decimal parts / whole reads back as `size`. */
static bool
equals(uint64_t parts, double whole, double size, bool single)
{
	/* Both operands are exact, and division rounds as strtod(3) does. */
	if (single)
		return ((float)parts / (float)whole == (float)size);
	return ((double)parts / whole == size);
}

/*
 * Writes a number of few digits and no exponent, as most are, without the C
 * library.  Returns NULL if it is not one.
 */
static char *
put_short(char *p, double value, bool single)
{
	double size = fabs(value), whole = 10, most = single ? 1e6 : 1e15;
	uint64_t parts = 0, unit;

	while (size * whole < most) {
		parts = (uint64_t)(size * whole + 0.5);
		if (equals(parts, whole, size, single))
			break;
		whole *= 10;
	}
	if (!(size * whole < most))
		return (NULL);
	if (value < 0)
		*p++ = '-';
	unit = (uint64_t)whole;
	p = put_unsigned(p, parts / unit);
	*p++ = '.';
	for (parts %= unit, unit /= 10; parts < unit; unit /= 10)
		*p++ = '0';
	return (put_unsigned(p, parts));
}

/* Returns true if put_short() tries all of up to FLT_DIG or DBL_DIG digits. */
static bool
is_usual(double value, bool single)
{
	double size = fabs(value);

	return (size >= 1e-4 && size < (single ? 1e5 : 1e14));
}

/*
 * Writes a decimal of FLT_DIG or DBL_DIG digits, if that reads back, else more.
 * Shorter ones need no search: a normal number gives the same decimal again,
 * and %g omits zeroes at its end.  With `most` digits every number reads back.
 */
static char *
put_shortest(char *p, double value, bool single)
{
	int digits = single ? FLT_DIG : DBL_DIG, n;
	int most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
	char *end;

	if (is_whole(value, single))
		return (put_signed(p, value));
	if (is_usual(value, single)) {
		if ((end = put_short(p, value, single)) != NULL)
			return (end);
		digits++;
	} else if (!isfinite(value))
		digits = most;
	else if (fabs(value) < (single ? FLT_MIN : DBL_MIN))
		digits = 1;
	for (; digits < most; digits++) {
		n = snprintf(p, OUTPUT_NUMBER, "%.*g", digits, value);
		if (reads_back(p, value, single))
			return (p + n);
		n = put_above(p, digits, value, single);
		if (n > 0 && reads_back(p, value, single))
			return (p + n);
	}
	return (p + snprintf(p, OUTPUT_NUMBER, "%.*g", most, value));
}

char *
put_double(char *p, double value)
{
	return (put_shortest(p, value, false));
}

char *
put_float(char *p, float value)
{
	return (put_shortest(p, value, true));
}

/* As in RFC 4648, section 4. */
char *
put_base64(char *p, const void *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *s = bytes;
	size_t i, left;
	uint32_t bits;

	for (i = 0; i < size; i += 3) {
		left = size - i;
		bits = (uint32_t)s[i] << 16;
		bits |= left > 1 ? (uint32_t)s[i + 1] << 8 : 0;
		bits |= left > 2 ? s[i + 2] : 0;
		*p++ = digits[bits >> 18];
		*p++ = digits[bits >> 12 & 63];
		*p++ = left > 1 ? digits[bits >> 6 & 63] : '=';
		*p++ = left > 2 ? digits[bits & 63] : '=';
	}
	return (p);
}
