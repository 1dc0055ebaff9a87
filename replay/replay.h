/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf-replay: the calls of a recording's malloc family, made again.
 *
 *	read.c	makes a list of calls from records, in a child process, so that
 *		the memory that reading takes is not that of the replay
 *	run.c	makes the calls, each thread's in its order
 *
 * The list is a file in memory: a head, then calls in recorded order.
 */
#ifndef TBUF_REPLAY_REPLAY_H
#define TBUF_REPLAY_REPLAY_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME		"tbuf-replay"
#define THREADS_MAX	1024
#define CALLS_MAX	(UINT32_MAX / 2)

/* The functions of the family. */
enum function {
	MALLOC, CALLOC, REALLOC, REALLOCARRAY, FREE, POSIX_MEMALIGN,
	ALIGNED_ALLOC, MEMALIGN, VALLOC, PVALLOC, FUNCTIONS
};
extern const char *const function_names[FUNCTIONS];

#define NO_BLOCK	UINT32_MAX

/* A call that succeeded.  Blocks have numbers, each one's its own. */
struct call {
	uint64_t size;		/* bytes */
	uint64_t alignment;	/* or 0 */
	uint32_t block;		/* that it returned, or NO_BLOCK */
	uint32_t old;		/* that it frees or changes, or NO_BLOCK */
	uint16_t thread;
	uint16_t function;	/* enum function */
};

struct list {
	uint32_t ncalls;
	uint32_t nblocks;
	uint32_t nthreads;
	char error[256];	/* not empty: there is no list */
	uint64_t functions[FUNCTIONS];
	uint64_t live_blocks, live_bytes, peak_bytes;	/* as recorded */
	uint64_t unknown;	/* frees of blocks without a record */
	uint64_t failed;	/* recorded calls that returned NULL */
	uint64_t unpaired;	/* entries or returns without the other */
	uint64_t lost;		/* blocks whose free has no record */
	uint64_t drops, overwritten, damage;
};

/*
 * Writes the list of a process to a file, and leaves this process.  `process`
 * is 0 if the recording has one.
 */
_Noreturn void list_make(const char *path, pid_t process, int fd);

struct result {
	uint64_t nanoseconds;
	uint64_t peak_kib;	/* of resident memory, above that before */
	uint64_t refused;	/* calls for which malloc had no memory */
};

/* Makes the calls.  Returns 0, or an errno. */
int	list_run(const struct list *, struct result *);

/* Returns the calls after the head. */
static inline const struct call *
list_calls(const struct list *list)
{
	return ((const struct call *)(const void *)(list + 1));
}

#endif
