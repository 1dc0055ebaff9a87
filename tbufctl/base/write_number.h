/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that write a number from p on and return its end.  Each needs room
 * for OUTPUT_NUMBER bytes, even for a shorter number.
 */
#ifndef TBUFCTL_BASE_WRITE_NUMBER_H
#define TBUFCTL_BASE_WRITE_NUMBER_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/*
 * Returns the eight digits of n < 10^8 as bytes of 0 to 9, the first one in the
 * lowest byte.  Halves, quarters and digits are split in parallel.  Products
 * give exact quotients in these ranges: 10486 / 2^20 is 1 / 100 below 10^4,
 * 103 / 2^10 is 1 / 10 below 100.  To split m into q and r = m - 100 q, one
 * product makes q + (r << 16): (m << 16) - ((100 << 16) - 1) q.
 */
static inline uint64_t
number_digits(uint32_t n)
{
	uint64_t half = n / 10000;
	uint64_t fours = ((uint64_t)n << 32) -
	    ((UINT64_C(10000) << 32) - 1) * half;
	uint64_t high = (fours * 10486 >> 20) & UINT64_C(0x7f0000007f);
	uint64_t pairs = (fours << 16) - ((100 << 16) - 1) * high;
	uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0xf000f000f000f);

	return ((pairs << 8) - ((10 << 8) - 1) * tens);
}

/* Writes eight bytes of digits, the lowest one first, as ASCII. */
static inline void
number_store(char *p, uint64_t digits)
{
	digits = htole64(digits | UINT64_C(0x3030303030303030));
	memcpy(p, &digits, sizeof(digits));
}

/* Writes n < 10^8 as eight digits. */
static inline char *
number_eight(char *p, uint32_t n)
{
	number_store(p, number_digits(n));
	return (p + 8);
}

/* Writes n < 10^8 without leading zeroes; 0 is one digit. */
static inline char *
number_first(char *p, uint32_t n)
{
	uint64_t digits = number_digits(n);
	unsigned zeroes;

	zeroes = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
	number_store(p, digits >> 8 * zeroes);
	return (p + 8 - zeroes);
}

#define NUMBER_EIGHT	UINT64_C(100000000)

char	*number_large(char *, uint64_t);	/* nine digits or more */

static inline char *
put_unsigned(char *p, uint64_t value)
{
	if (value < NUMBER_EIGHT)
		return (number_first(p, (uint32_t)value));
	return (number_large(p, value));
}

static inline char *
put_signed(char *p, int64_t value)
{
	if (value >= 0)
		return (put_unsigned(p, (uint64_t)value));
	*p = '-';
	return (put_unsigned(p + 1, -(uint64_t)value));
}

/*
 * Cache for numbers that mostly differ from the previous one only in their last
 * eight digits, such as times: the leading digits, as they were written.
 */
struct number_stem {
	uint64_t stem;			/* leading digits, as a number */
	size_t size;
	char digits[16];
};

void	number_stem_set(struct number_stem *, uint64_t);

static inline char *
put_near(char *p, uint64_t value, struct number_stem *stem)
{
	uint64_t high = value / NUMBER_EIGHT;

	if (high == 0)
		return (number_first(p, (uint32_t)value));
	if (high != stem->stem)
		number_stem_set(stem, high);
	memcpy(p, stem->digits, sizeof(stem->digits));
	return (number_eight(p + stem->size,
	    (uint32_t)(value % NUMBER_EIGHT)));
}

char	*put_padded(char *, int64_t, int width);	/* as %*d */
char	*put_duration(char *, uint64_t ns);		/* as 1.2 us */
char	*put_pointer(char *, uint64_t);			/* as 0x%x */
char	*put_hex(char *, const void *, size_t);		/* 2 digits a byte */
char	*put_base64(char *, const void *, size_t);	/* 4 for 3 bytes */

/*
 * Write the shortest decimal that reads back as this double, or this float.
 * The locale is C's: tbufctl never sets another.
 */
char	*put_double(char *, double);
char	*put_float(char *, float);

#endif
