/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the benches have in common: two things timed side by side, in short
 * turns, so that a change of the machine's speed meets both.  Between them an
 * empty loop tells whether something else slows the core down: what is printed
 * are the medians of the turns in which nothing did.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

#define BENCH_ROUNDS	9	/* medians of nine; turns for a quiet one */

struct bench_side {
	const char *name;
	/* Do the thing `times` times. */
	void (*run)(void *, uint64_t times);
	/* Between turns, not timed; may be NULL. */
	void (*rest)(void *);
	void *cookie;
};

/* ns for one, of both: the medians of so many quiet turns at least. */
struct bench_result {
	double ns[2];
};

void	bench_pair(const struct bench_side side[2], uint64_t times,
	    unsigned quiet, struct bench_result *);

double	bench_now(void);		/* ns */
double	bench_median(double *, unsigned);
/* One row of the table: what, ns, yardstick, ns, ratio, what it should be. */
void	bench_row(const char *what, double ns, const char *yardstick,
	    double other, const char *figure);
void	bench_pin(int cpu);		/* -1: all */
int	bench_cpus(int *cpus, int max);	/* that may be used */

/* The limit: the cycle counter read and 32 bytes stored. */
void	bench_limit(void *, uint64_t times);
/* The cycle counter read. */
void	bench_counter(void *, uint64_t times);
/* A loop that does nothing. */
void	bench_nothing(void *, uint64_t times);

#endif
