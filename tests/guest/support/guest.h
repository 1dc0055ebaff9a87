/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that the tests of inv.guest share.  Each test is a table of cases.
 * A case runs in a process of its own, once with CPU lanes and once on the lock
 * path.
 *
 * A case traces its own process, or starts a target: the same program in the
 * case's other function, with a shared page between the two.
 */
#ifndef TESTS_GUEST_SUPPORT_GUEST_H
#define TESTS_GUEST_SUPPORT_GUEST_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "page.h"

#define GUEST_SKIP	77	/* exit status of a skipped case */

/* flags of a case */
#define GUEST_ONCE	0x1u	/* same on both paths: run once */
#define GUEST_PLAIN	0x2u	/* not under a sanitizer */
#define GUEST_ROOT	0x4u	/* needs root */

struct guest_case {
	const char *name;	/* name of the behaviour */
	void (*run)(void);
	void (*target)(struct guest_page *, const char *argument);
	unsigned flags;
};

/* Runs the cases; the last element has no name.  Does not return. */
void	guest_main(int argc, char **argv, const struct guest_case *)
	    __attribute__((noreturn));

/* Returns true if this process is on the lock path. */
bool	guest_locks(void);
/* Returns true if system calls are filtered, as in most containers. */
bool	guest_filtered(void);
void	guest_skip(const char *why) __attribute__((noreturn));
void	guest_fail(const char *file, int line, const char *format, ...)
	    __attribute__((format(printf, 3, 4), noreturn));

#define GUEST_EXPECT(condition, ...) do {				\
	if (!(condition))						\
		guest_fail(__FILE__, __LINE__, __VA_ARGS__);		\
} while (0)

/* Fires n times and counts before and after each fire. */
void	guest_fire(struct guest_page *, uint64_t n);

/* ------------------------------------------------------------ tracing */

/* sums of a consumer's events */
struct guest_tally {
	uint64_t records;
	uint64_t overwritten;
	uint64_t drops;
	uint64_t discarded;	/* by units' outcomes */
	uint64_t causes[3];	/* drops by enum tbuf_cause */
	uint64_t without;	/* units without a table */
	uint64_t in_units;	/* records of units that have ended */
	uint64_t unfinished;	/* records of units that have not */
	uint64_t units[4];	/* ended units with records, by outcome, if
				 * their ids differ */
	uint64_t unit_id;	/* the last one */
	uint64_t on_cpu[64];	/* records by CPU */
	uint64_t by_tid[2];	/* records of this thread; of others */
	bool exited;
	int status;
	int signal;
};

/* Makes a consumer of guest::: that has grabbed no process yet. */
struct tbuf_consumer *guest_consumer(const char *policy, const char *bufsize);
/* Makes a consumer that traces this process. */
struct tbuf_consumer *guest_begin(const char *policy, const char *bufsize);
void	guest_go(struct tbuf_consumer *);
/* Takes the events that are there. */
void	guest_take(struct tbuf_consumer *, struct guest_tally *);
/* Stops, takes all events and closes. */
void	guest_finish(struct tbuf_consumer *, struct guest_tally *);
/* Works until tracing has ended, takes all events and closes. */
void	guest_end(struct tbuf_consumer *, struct guest_tally *);
/* Fails unless records + drops + overwritten == fired. */
void	guest_account(const struct guest_tally *, uint64_t fired);

/* ------------------------------------------------------------ targets */

/* Traces this case's target as a command until it ends. */
struct guest_page *guest_command(const char *policy, const char *bufsize,
	    const char *argument, struct guest_tally *);

/* Starts this case's target; `prepare` runs in it before exec. */
pid_t	guest_start(struct guest_page **, void (*prepare)(void),
	    const char *argument);
/* Starts another program as the target. */
pid_t	guest_start_program(struct guest_page **, void (*prepare)(void),
	    const char *program, const char *argument);
/*
 * For a `prepare`: closes all descriptors from `lowest` on except the page's.
 */
void	guest_close_from(unsigned lowest);
/* For a `prepare`: closes all descriptors except the page's. */
void	guest_close_others(void);
/* Lets the target do its next step and waits for it. */
void	guest_step(struct guest_page *, pid_t);
/* Lets the target do its last step; it must exit with 0. */
void	guest_wait(struct guest_page *, pid_t);
void	guest_wait_status(struct guest_page *, pid_t, int status);

/* Returns the test's runtime directory, also used for other files. */
const char *guest_directory(void);
/* Returns the path of a program or module in the build folder. */
const char *guest_build_path(const char *name);

#endif
