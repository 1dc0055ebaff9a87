/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of CPUs that may have lanes.
 */
#ifndef TBUF_BASE_CPU_SET_H
#define TBUF_BASE_CPU_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/layout.h"

/* A set of CPU numbers below TBUF_NCPUS. */
struct tbuf_cpus {
	uint64_t bits[TBUF_NCPUS / 64];
};

static inline void
tbuf_cpus_add(struct tbuf_cpus *cpus, unsigned cpu)
{
	if (cpu < TBUF_NCPUS)
		cpus->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static inline bool
tbuf_cpus_has(const struct tbuf_cpus *cpus, unsigned cpu)
{
	return (cpu < TBUF_NCPUS &&
	    (cpus->bits[cpu / 64] >> cpu % 64 & 1) != 0);
}

#endif
