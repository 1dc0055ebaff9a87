/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl beside a bench, as a process of its own.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <sys/types.h>

#include <stdint.h>

struct child {
	pid_t pid;
	int messages;		/* its standard error, in memory */
};

/*
 * The real tbufctl of $TBUFCTL, not libtool's script in front of it; sets
 * what it needs in the environment.
 */
void	child_prepare(void);

/* Start tbufctl with these arguments, or another command. */
void	child_tbufctl(struct child *, const char *const *arguments);
void	child_command(struct child *, const char *const *argv);

/* It has not ended, or this is the end of the bench: what it says is shown. */
void	child_check(struct child *);

/* CPU time that it has used, ns; before it has ended. */
double	child_cpu(const struct child *);

/*
 * Wait for its end, which has to be an exit with 0.  Gives the CPU time that
 * it used in all, ns.
 */
double	child_wait(struct child *);

/*
 * The same, and how many records its last message says that there were.
 */
double	child_total(struct child *, uint64_t *records);

#endif
