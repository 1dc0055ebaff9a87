/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Timing two things side by side.
 */
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
 * A turn is short, so that some turns of a round go by without another
 * process, or the other half of a core, in between: of these the best tells
 * what the code costs.
 */
void
bench_pair(const struct bench_side side[2], uint64_t times, unsigned turns,
    struct bench_result *result)
{
	double best[2][BENCH_ROUNDS], ns;
	unsigned round, i, s;

	for (round = 0; round < BENCH_ROUNDS; round++) {
		best[0][round] = best[1][round] = 1e300;
		for (i = 0; i < turns; i++) {
			for (s = 0; s < 2; s++) {
				ns = turn(&side[s], times);
				if (ns < best[s][round])
					best[s][round] = ns;
			}
		}
	}
	for (s = 0; s < 2; s++)
		result->ns[s] = bench_median(best[s], BENCH_ROUNDS);
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

/* The counter without a fence, as a fire reads it. */
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
