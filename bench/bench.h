/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that the benches share.  Two sides are timed in short alternating
 * turns, so that a change of the machine's speed affects both.  An empty loop
 * between turns detects other load that slows the core down; medians are
 * printed of the turns without such load.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

#define BENCH_ROUNDS	9	/* medians of nine; turns to find a quiet one */

struct bench_side {
	const char *name;
	/* Runs the operation `times` times. */
	void (*run)(void *, uint64_t times);
	/* Runs between turns, not timed; may be NULL. */
	void (*rest)(void *);
	void *cookie;
};

/* Medians of at least `quiet` quiet turns: ns of one operation, per side. */
struct bench_result {
	double ns[2];
};

void	bench_pair(const struct bench_side side[2], uint64_t times,
	    unsigned quiet, struct bench_result *);

double	bench_now(void);		/* ns */
double	bench_median(double *, unsigned);
/* Prints a row of the table; figure is the expected ratio. */
void	bench_row(const char *what, double ns, const char *yardstick,
	    double other, const char *figure);
void	bench_pin(int cpu);		/* -1: all */
int	bench_cpus(int *cpus, int max);	/* the process may use */

/* Reads the cycle counter and stores 32 bytes: the lower limit of a fire. */
void	bench_limit(void *, uint64_t times);
/* Reads the cycle counter. */
void	bench_counter(void *, uint64_t times);
/* Runs an empty loop. */
void	bench_nothing(void *, uint64_t times);

#endif
