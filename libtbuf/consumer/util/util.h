/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Small things that any part of the consumer side may use: they know neither a
 * target nor a run.
 */
#ifndef TBUF_CONSUMER_UTIL_UTIL_H
#define TBUF_CONSUMER_UTIL_UTIL_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "shared/session_build.h"

#define TBUF_SECOND	UINT64_C(1000000000)

/* CLOCK_MONOTONIC in ns. */
uint64_t tbuf_now(void);

/* The CPUs that are online; empty if that cannot be found out. */
void	tbuf_cpus_online(struct tbuf_cpus *);

/* The CPUs that any thread of a process may run on now. */
void	tbuf_target_cpus(pid_t, struct tbuf_cpus *);

/*
 * Run once on each of these CPUs.  Whoever was inside a restartable sequence
 * there has been switched out for it, so the sequence is done or aborted.
 * A CPU that is not online has nobody on it.  False: not on all of them.
 */
bool	tbuf_cpus_visit(const struct tbuf_cpus *);

/*
 * Is a descriptor not one of the last?  A few are kept for what has to be
 * opened for a moment: without /proc/meminfo a budget would have no limit.
 */
bool	tbuf_descriptor_spare(int fd);

/*
 * Returns true for an error that all targets would meet: descriptors or memory
 * are used up.
 */
bool	tbuf_error_exhausted(int error);

/*
 * A table of so many zeroes, of which memory is used where it is written to;
 * NULL.  The product of both numbers does not overflow.
 */
void	*tbuf_sparse_new(uint64_t count, size_t size);
void	tbuf_sparse_free(const void *table);

/*
 * Copy a text, cut to size; gives the bytes kept.  (strlcpy, without making
 * every target load another library.)
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
