/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Helpers for any part of the consumer side; they use neither a target nor a
 * run.
 */
#ifndef TBUF_CONSUMER_UTIL_UTIL_H
#define TBUF_CONSUMER_UTIL_UTIL_H

#include <sys/param.h>
#include <sys/types.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "shared/session_build.h"

#define TBUF_SECOND	UINT64_C(1000000000)

/* Return a clock, and CLOCK_MONOTONIC, in ns. */
uint64_t tbuf_nanoseconds(clockid_t);
uint64_t tbuf_now(void);

/* Lists the online CPUs; if unknown, this thread's allowed CPUs, or none. */
void	tbuf_cpus_online(struct tbuf_cpus *);

/* Lists the CPUs that any thread of a process may run on now. */
void	tbuf_target_cpus(pid_t, struct tbuf_cpus *);

/*
 * Runs once on each of these CPUs that is online.  A thread that was inside a
 * restartable sequence there was switched out, so the sequence is done or
 * aborted.  Returns false if a CPU could not be run on.
 */
bool	tbuf_cpus_visit(const struct tbuf_cpus *);

/*
 * Returns false if a descriptor is one of the last that the limit allows: these
 * are reserved for files that are opened briefly.  Without /proc/meminfo a
 * budget would have no limit.
 */
bool	tbuf_descriptor_spare(int fd);

/*
 * Returns true for an error that would affect all targets: descriptors or
 * memory are used up.
 */
static inline bool
tbuf_error_exhausted(int error)
{
	return (error == -EMFILE || error == -ENFILE || error == -ENOMEM);
}

/*
 * Allocates a table of zeroes that uses memory only where it is written to.
 * Returns NULL if that fails.  count * size must not overflow.
 */
void	*tbuf_zeroed_new(uint64_t count, size_t size);
void	tbuf_zeroed_free(const void *table);

/* Returns how far a counter has risen since the last call. */
static inline uint64_t
tbuf_gain(uint64_t *last, uint64_t now)
{
	uint64_t gain = now > *last ? now - *last : 0;

	*last = now;
	return (gain);
}

/*
 * Copies a string, cut to size, and returns the bytes copied without the NUL
 * (strlcpy would make every target load another library).
 */
static inline size_t
tbuf_copy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
	return (length);
}

#endif
