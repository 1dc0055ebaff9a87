/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl as a child process of a bench.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <sys/types.h>

#include <stdint.h>

struct child {
	pid_t pid;
	int messages;		/* its standard error, a memory file */
};

/*
 * Finds the program of $TBUFCTL, not libtool's wrapper script, and sets the
 * environment that it needs.
 */
void	child_prepare(void);

/* Starts tbufctl with these arguments, or another command. */
void	child_tbufctl(struct child *, const char *const *arguments);
void	child_command(struct child *, const char *const *argv);

/* Ends the bench, with the child's messages, if the child has ended. */
void	child_check(struct child *);

/* Returns the CPU time used so far, ns, by a child that has not ended. */
double	child_cpu(const struct child *);

/*
 * Waits for the child, which must exit with status 0.  Returns the CPU time
 * that it used, ns.
 */
double	child_wait(struct child *);

/*
 * Waits like child_wait(); *records is the total in the child's last message.
 */
double	child_total(struct child *, uint64_t *records);

#endif
