/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Timing of two operations side by side.
 */
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arch/counter.h"
#include "bench.h"

double
bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((double)t.tv_sec * 1e9 + (double)t.tv_nsec);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return ((x > y) - (x < y));
}

double
bench_median(double *values, unsigned n)
{
	qsort(values, n, sizeof(*values), compare);
	return (values[n / 2]);
}

static double
turn(const struct bench_side *side, uint64_t times)
{
	double begin = bench_now(), end;

	side->run(side->cookie, times);
	end = bench_now();
	if (side->rest != NULL)
		side->rest(side->cookie);
	return ((end - begin) / (double)times);
}

/*
 * Turns are quiet or disturbed: the time of an empty loop shows whether other
 * work runs on the core's other hardware thread.  That slows the core down for
 * milliseconds, and a fire more than its yardstick.
 */
#define EMPTY_TIMES	5000
#define EMPTY_MOST	1.08	/* times the shortest loop so far */
#define TRIES		4	/* if no turn is quiet */

struct turn {
	double ns[2];
	double empty;		/* slowest loop around and between them */
};

struct turns {
	struct turn *turn;
	unsigned n, max;
};

static double
empty_turn(void)
{
	static const struct bench_side empty = { "", bench_nothing, NULL,
	    NULL };

	return (turn(&empty, EMPTY_TIMES));
}

static double
larger(double a, double b)
{
	return (a > b ? a : b);
}

static void
take_turn(const struct bench_side side[2], uint64_t times, struct turn *t)
{
	unsigned s;

	t->empty = empty_turn();
	for (s = 0; s < 2; s++) {
		t->ns[s] = turn(&side[s], times);
		t->empty = larger(t->empty, empty_turn());
	}
}

/*
 * Computes medians of the quiet turns.  Returns their number.  The shortest
 * empty loop is the whole program's, as all turns of a row may be disturbed.
 */
static unsigned
settle(const struct turns *turns, struct bench_result *result)
{
	static double least = 1e300;
	double *values = calloc(turns->n, sizeof(*values));
	unsigned i, s, n = 0;

	if (values == NULL)
		err(1, "calloc");
	for (i = 0; i < turns->n; i++)
		if (turns->turn[i].empty < least)
			least = turns->turn[i].empty;
	for (s = 0; s < 2; s++) {
		for (i = n = 0; i < turns->n; i++)
			if (turns->turn[i].empty <= least * EMPTY_MOST)
				values[n++] = turns->turn[i].ns[s];
		if (n != 0)
			result->ns[s] = bench_median(values, n);
	}
	free(values);
	return (n);
}

/* Takes the fastest turns of a row without quiet ones, and prints a note. */
static void
settle_noisy(const struct turns *turns, struct bench_result *result)
{
	unsigned i, s;

	puts("(never quiet:)");
	for (s = 0; s < 2; s++) {
		result->ns[s] = 1e300;
		for (i = 0; i < turns->n; i++)
			if (turns->turn[i].ns[s] < result->ns[s])
				result->ns[s] = turns->turn[i].ns[s];
	}
}

void
bench_pair(const struct bench_side side[2], uint64_t times, unsigned n,
    struct bench_result *result)
{
	struct turns turns = { .max = n * BENCH_ROUNDS * TRIES };
	unsigned quiet = 0;

	turns.turn = calloc(turns.max, sizeof(*turns.turn));
	if (turns.turn == NULL)
		err(1, "calloc");
	while (turns.n < turns.max && quiet < n) {
		do
			take_turn(side, times, &turns.turn[turns.n++]);
		while (turns.n % (n * BENCH_ROUNDS) != 0);
		quiet = settle(&turns, result);
	}
	if (quiet == 0)
		settle_noisy(&turns, result);
	free(turns.turn);
}

void
bench_row(const char *what, double ns, const char *yardstick, double other,
    const char *figure)
{
	printf("%-38s %9.2f  %-30s %9.2f  %6.2f  %s\n", what, ns, yardstick,
	    other, ns / other, figure);
	fflush(stdout);
}

int
bench_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int cpu, n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	return (n);
}

void
bench_pin(int cpu)
{
	static cpu_set_t all;
	static int saved;
	cpu_set_t one;

	if (!saved++)
		sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	if (cpu >= 0)
		CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), cpu < 0 ? &all : &one);
}

/* Reads the counter without a fence, as a fire does. */
static inline uint64_t
counter(void)
{
#if defined(__x86_64__)
	return (__builtin_ia32_rdtsc());
#else
	return (tbuf_counter_read());
#endif
}

#define LIMIT_WORDS	(1u << 17)

void
bench_limit(void *cookie, uint64_t times)
{
	static uint64_t ring[LIMIT_WORDS] __attribute__((aligned(64)));
	static uint64_t position;
	uint64_t i, *p;

	(void)cookie;
	for (i = 0; i < times; i++) {
		p = &ring[position % LIMIT_WORDS];
		p[0] = counter();
		p[1] = 7;
		p[2] = i;
		p[3] = position;
		__asm__ volatile("" : : : "memory");
		position += 4;
	}
}

void
bench_counter(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		__asm__ volatile("" : : "r"(counter()) : "memory");
}

void
bench_nothing(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		__asm__ volatile("" : : : "memory");
}
