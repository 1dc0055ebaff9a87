/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of many disabled probes: 4,096 functions with one probe each are called
 * in turn, compared with functions without.  They run in a loop first, then
 * each time after other work has filled the caches, as in a large program.
 * Then the distance between the data of probes counts, and the size of their
 * code.
 */
#include <stdint.h>
#include <stdio.h>

#include <tbuf.h>

#include "bench.h"

#define FUNCTIONS	4096u
#define ROUNDS		8u		/* per turn */
#define TURNS		60u
#define TURNS_COLD	20u
#define CACHES		(16u << 20)	/* bytes: more than a CPU's caches */

#define SIXTEEN(what, h)						\
	what(h##0) what(h##1) what(h##2) what(h##3)			\
	what(h##4) what(h##5) what(h##6) what(h##7)			\
	what(h##8) what(h##9) what(h##a) what(h##b)			\
	what(h##c) what(h##d) what(h##e) what(h##f)

/* Copies of SIXTEEN, as a macro does not expand within itself. */
#define SIXTEEN_2(what, h)						\
	what(h##0) what(h##1) what(h##2) what(h##3)			\
	what(h##4) what(h##5) what(h##6) what(h##7)			\
	what(h##8) what(h##9) what(h##a) what(h##b)			\
	what(h##c) what(h##d) what(h##e) what(h##f)
#define SIXTEEN_3(what)							\
	what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7)	\
	what(8) what(9) what(a) what(b) what(c) what(d) what(e) what(f)

#define DEFINE(h)							\
	static __attribute__((noinline)) void				\
	probe_##h(uint64_t a, uint64_t b)				\
	{								\
		TBUF_PROBE(bench, many_##h, a, b);			\
	}								\
	static __attribute__((noinline)) void				\
	empty_##h(uint64_t a, uint64_t b)				\
	{								\
		__asm__ volatile("" : : "r" (a), "r" (b) : "memory");	\
	}
#define DEFINE_16(h)	SIXTEEN(DEFINE, h)
#define DEFINE_256(h)	SIXTEEN_2(DEFINE_16, h)
SIXTEEN_3(DEFINE_256)

#define CALL_PROBE(h)		probe_##h(i, times);
#define CALL_PROBE_16(h)	SIXTEEN(CALL_PROBE, h)
#define CALL_PROBE_256(h)	SIXTEEN_2(CALL_PROBE_16, h)
#define CALL_EMPTY(h)		empty_##h(i, times);
#define CALL_EMPTY_16(h)	SIXTEEN(CALL_EMPTY, h)
#define CALL_EMPTY_256(h)	SIXTEEN_2(CALL_EMPTY_16, h)

static void
probes(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times / FUNCTIONS; i++) {
		SIXTEEN_3(CALL_PROBE_256)
	}
}

static void
empties(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times / FUNCTIONS; i++) {
		SIXTEEN_3(CALL_EMPTY_256)
	}
}

static void
take_caches(void *cookie)
{
	static volatile char other[CACHES];
	unsigned i;

	(void)cookie;
	for (i = 0; i < CACHES; i += 64)
		other[i]++;
}

static void
measure(const char *what, void (*rest)(void *), unsigned rounds,
    unsigned turns, const char *figure)
{
	struct bench_side side[2] = {
		{ "", probes, rest, NULL },
		{ "functions without", empties, rest, NULL }
	};
	struct bench_result r;

	bench_pair(side, rounds * FUNCTIONS, turns, &r);
	printf("%-38s %9.2f  %-30s %9.2f  %+6.2f  %s\n", what, r.ns[0],
	    side[1].name, r.ns[1], r.ns[0] - r.ns[1], figure);
	fflush(stdout);
}

int
main(void)
{
	int cpus[64], n = bench_cpus(cpus, 64);

	bench_pin(cpus[n - 1]);
	measure("4096 disabled probes in turn, each", NULL, ROUNDS, TURNS,
	    "<= 10 ns");
	measure("  after other work took the caches", take_caches, 1,
	    TURNS_COLD, "");
	return (0);
}
