/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes of <tbuf/sys/sdt.h> with all kinds of arguments, in C of any standard
 * and in C++: providers/usdt/sdt_header.sh compiles, inspects and runs them.
 */
#include <sys/sdt.h>

#include <stdio.h>

#ifdef __cplusplus
#define CAST(type, x)	static_cast<type>(x)
#else
#define CAST(type, x)	((type)(x))
#endif

/* An object that old C++ copies cannot be an operand. */
#if defined(__cplusplus) && __cplusplus < 201103L
#define PAIR(p)	((p)->first)
#else
#define PAIR(p)	(*(p))
#endif

enum color { RED = 3, GREEN };

struct pair {
	long first, second;
};

/* APART is room for a jump between two probes. */
#ifdef __x86_64__
#define APART	__asm__ __volatile__ (					\
	".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0")
#else
#define APART	(void)0
#endif

/* These probes must be in the notes, in this order. */
static void
probes(int n, const char *word, struct pair *pair)
{
	signed char narrow = CAST(signed char, -n);
	unsigned short flags = CAST(unsigned short, 65535);
	char array[] = "array";
	enum color color = GREEN;
	/* volatile: not a constant with a symbol of its own. */
	volatile double real = 1.5;

	STAP_PROBE(sdt, none);
	APART;
	STAP_PROBE1(sdt, one, n);
	APART;
	DTRACE_PROBE2(sdt, words__two, word, array);
	APART;
	DTRACE_PROBE4(sdt, widths, narrow, flags, pair->second, color);
	APART;
	STAP_PROBE3(sdt, other, pair, real, "text");
	APART;
	STAP_PROBEV(sdt, many, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	APART;
	STAP_PROBE11(sdt, eleven, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	APART;
	if (n > 1) {
		DTRACE_PROBE(sdt, branch);
		APART;
	} else {
		DTRACE_PROBE1(sdt, otherwise, PAIR(pair));
		APART;
	}
}

/* Counts evaluations: there must be one, traced or not. */
static int count;

static int
next(void)
{

	return (++count);
}

int
main(int argc, char **argv)
{
	struct pair pair = { 1, -2 };
	int i, times = argc > 1 ? 2 : 1;

	for (i = 0; i < times; i++) {
		probes(i + 1, argv[0] == NULL ? "" : "word", &pair);
		STAP_PROBE1(sdt, next, next());
		APART;
	}
	if (count != times)
		printf("evaluated %d times of %d\n", count, times);
	return (count != times);
}
