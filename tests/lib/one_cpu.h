/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program on one CPU, so that all of its records are in one lane.
 */
#ifndef TESTS_LIB_ONE_CPU_H
#define TESTS_LIB_ONE_CPU_H

#include <err.h>
#include <sched.h>

/* Confines the process to the lowest CPU that it may use. */
static inline void
one_cpu(void)
{
	cpu_set_t set, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(set), &set) == -1)
		err(99, "sched_getaffinity");
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == -1)
		err(99, "sched_setaffinity");
}

#endif
