/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The CPUs that a thread may run on, on computers of any size: the kernel
 * refuses a set that is too small for the CPUs it was built for, and the C
 * library's set has a fixed size.
 */
#ifndef TBUF_BASE_CPU_AFFINITY_H
#define TBUF_BASE_CPU_AFFINITY_H

#include <sys/types.h>

#include <stdbool.h>

#include "base/cpu_set.h"

/* Twice the most CPUs that a kernel can be built for today. */
#define TBUF_AFFINITY_CPUS	16384u

struct tbuf_affinity {
	unsigned long words[TBUF_AFFINITY_CPUS / (8 * sizeof(long))];
};

/*
 * Gets the set of a thread (0: the calling one).  Returns false if that fails.
 * The set is large for the stack of a target.
 */
bool	tbuf_affinity_get(pid_t, struct tbuf_affinity *);

/* Adds the set's CPUs that can have lanes to `cpus`. */
void	tbuf_affinity_add(const struct tbuf_affinity *, struct tbuf_cpus *);

/* Bind the calling thread.  Both return false if that is not permitted. */
bool	tbuf_affinity_set(const struct tbuf_affinity *);
bool	tbuf_affinity_set_one(unsigned cpu);

#endif
