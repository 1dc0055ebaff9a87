/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of a program or a library, their names, and whether the pid
 * provider can trace them, from its file, which a helper process reads.
 */
#ifndef TBUFCTL_ELF_PID_FUNCTIONS_H
#define TBUFCTL_ELF_PID_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One name of a function.  An alias has a name that is not the best one; the
 * best one comes first.
 */
struct pid_function {
	const char *name;
	bool is_alias;
	bool returns;			/* it has a place where it returns */
	const char *entry_problem;	/* why that is not traced, or NULL */
	const char *return_problem;
	const char *offset;	/* NULL, or that of an instruction of the
				   function before, with an entry's problem */
};

/* Visits the offsets that are wanted of a function, as names. */
typedef void pid_offsets(void *arg, const char *function,
	    void (*visit)(void *, const char *name), void *);

/* Words of -x pid: returns are traced in part, turns of loops do not count. */
enum { PID_PARTIAL = 1, PID_LOOPS = 2 };

/* Visits all functions.  Returns NULL, or why the file cannot be read. */
const char *pid_functions_visit(const char *path, unsigned options,
	    pid_offsets *, void (*visit)(void *, const struct pid_function *),
	    void *arg);

/*
 * Visits the names of all functions of a file, those of one function together:
 * a symbol, and "" or its scoped name.  A helper process that fails has sent a
 * part of them, or none.
 */
void	pid_names_visit(int fd, void (*visit)(void *, uint64_t address,
	    const char *name, const char *scoped), void *arg);

#endif
