/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program for random_scripts.sh.  It fires probes of several shapes, one
 * after the other on one CPU, with arguments computed from a seed.
 *
 *	target SEED FIRES
 */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>

#include <tbuf.h>

#include "lib/one_cpu.h"

static uint64_t state;

/* Implements xorshift64*. */
static uint64_t
draw(uint64_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((state * UINT64_C(0x2545f4914f6cdd1d) >> 33) % limit);
}

/* Returns small numbers mostly, so that keys recur, and limits of types. */
static uint64_t
number(void)
{
	static const uint64_t ends[] = {
		127, 128, 255, 256, 32768, 65535, INT32_MAX, UINT32_MAX,
		INT64_MAX, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 127
	};

	return (draw(4) != 0 ? draw(6) :
	    ends[draw(sizeof(ends) / sizeof(ends[0]))]);
}

static const char *
text(void)
{
	static const char *const texts[] = {
		"a", "read", "/etc/passwd", "seven77", "eight888", "",
		"caf\xc3\xa9", "one that is longer than a word of a table", NULL
	};

	return (texts[draw(sizeof(texts) / sizeof(texts[0]))]);
}

static void
fire(void)
{
	int8_t a = (int8_t)number();
	uint16_t b = (uint16_t)number();
	int32_t c = (int32_t)number();
	uint64_t d = number();
	const char *s = text();

	switch (draw(4)) {
	case 0:
		TBUF_PROBE(df, one, d);
		break;
	case 1:
		TBUF_PROBE(df, text, d, s);
		break;
	default:
		TBUF_PROBE(df, numbers, a, b, c, d);
	}
}

int
main(int argc, char **argv)
{
	unsigned long n;

	if (argc != 3)
		errx(99, "SEED FIRES");
	state = strtoull(argv[1], NULL, 0) * 2 + 1;
	one_cpu();
	for (n = strtoul(argv[2], NULL, 0); n > 0; n--)
		fire();
	return (0);
}
