/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the tests of a good guest share.  Each one is a table of cases; a case
 * runs in a process of its own, once where CPU lanes are used and once more
 * on the lock path.
 *
 * A case traces its own process, or starts a target: the same program again,
 * in the case's other function, with a page between the two.
 */
#ifndef TESTS_GUEST_SUPPORT_GUEST_H
#define TESTS_GUEST_SUPPORT_GUEST_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "page.h"

#define GUEST_SKIP	77	/* exit status */

/* A case's flags. */
#define GUEST_ONCE	0x1u	/* the path makes no difference */
#define GUEST_PLAIN	0x2u	/* means nothing under a sanitizer */
#define GUEST_ROOT	0x4u	/* only root can set it up */

struct guest_case {
	const char *name;	/* the behaviour */
	void (*run)(void);
	void (*target)(struct guest_page *, const char *argument);
	unsigned flags;
};

/* Ends with an element without a name.  Does not return. */
void	guest_main(int argc, char **argv, const struct guest_case *)
	    __attribute__((noreturn));

/* Is this process on the lock path? */
bool	guest_locks(void);
/* Is it under a filter of system calls, as in most containers? */
bool	guest_filtered(void);
void	guest_skip(const char *why) __attribute__((noreturn));
void	guest_fail(const char *file, int line, const char *format, ...)
	    __attribute__((format(printf, 3, 4), noreturn));

#define GUEST_EXPECT(condition, ...) do {				\
	if (!(condition))						\
		guest_fail(__FILE__, __LINE__, __VA_ARGS__);		\
} while (0)

/* Fire n times, and count. */
void	guest_fire(struct guest_page *, uint64_t n);

/* ------------------------------------------------------------ tracing */

/* What a consumer was given. */
struct guest_tally {
	uint64_t records;
	uint64_t overwritten;
	uint64_t drops;
	uint64_t discarded;	/* by units' outcomes */
	uint64_t causes[3];	/* of them, by enum tbuf_cause */
	uint64_t without;	/* units that found no table */
	uint64_t on_cpu[64];	/* records */
	uint64_t by_tid[2];	/* records of this process's thread; others */
	bool exited;
	int status;
	int signal;
};

/* A consumer of guest::: that nobody has been grabbed for. */
struct tbuf_consumer *guest_consumer(const char *policy, const char *bufsize);
/* One that traces this process. */
struct tbuf_consumer *guest_begin(const char *policy, const char *bufsize);
void	guest_go(struct tbuf_consumer *);
/* Take what is there. */
void	guest_take(struct tbuf_consumer *, struct guest_tally *);
/* Stop, take all, close. */
void	guest_finish(struct tbuf_consumer *, struct guest_tally *);
/* Work until tracing has ended, take all, close. */
void	guest_end(struct tbuf_consumer *, struct guest_tally *);
/* records + drops + overwritten == fired, in words if not. */
void	guest_account(const struct guest_tally *, uint64_t fired);

/* ------------------------------------------------------------ targets */

/* Trace this case's target as a command, to its end. */
struct guest_page *guest_command(const char *policy, const char *bufsize,
	    const char *argument, struct guest_tally *);

/* Start this case's target; `prepare` runs in it before exec. */
pid_t	guest_start(struct guest_page **, void (*prepare)(void),
	    const char *argument);
/* The same with another program. */
pid_t	guest_start_program(struct guest_page **, void (*prepare)(void),
	    const char *program, const char *argument);
/* In a `prepare`: close all from this one on, but not the page. */
void	guest_close_from(unsigned lowest);
/* A `prepare`: it begins with no descriptor but the page's. */
void	guest_close_others(void);
/* In a case: let it do the next step, and wait until that is done. */
void	guest_step(struct guest_page *, pid_t);
/* Let it do the last one; it is to end well. */
void	guest_wait(struct guest_page *, pid_t);
void	guest_wait_status(struct guest_page *, pid_t, int status);

/* The runtime directory of the test, and a place for files beside it. */
const char *guest_directory(void);
/* A file of the build: a program, or a module that can be loaded. */
const char *guest_build_path(const char *name);

#endif
