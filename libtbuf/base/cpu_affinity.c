/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The CPUs that a thread may run on.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <string.h>
#include <unistd.h>

#include "base/cpu_affinity.h"

#define WIDTH	(8 * sizeof(unsigned long))

bool
tbuf_affinity_get(pid_t pid, struct tbuf_affinity *set)
{
	/* The kernel writes only the words that its CPUs need. */
	memset(set, 0, sizeof(*set));
	return (syscall(SYS_sched_getaffinity, pid, sizeof(*set), set) > 0);
}

void
tbuf_affinity_add(const struct tbuf_affinity *set, struct tbuf_cpus *cpus)
{
	unsigned cpu;

	for (cpu = 0; cpu < TBUF_NCPUS; cpu++)
		if ((set->words[cpu / WIDTH] >> cpu % WIDTH & 1) != 0)
			tbuf_cpus_add(cpus, cpu);
}

bool
tbuf_affinity_set(const struct tbuf_affinity *set)
{
	return (syscall(SYS_sched_setaffinity, 0, sizeof(*set), set) == 0);
}

bool
tbuf_affinity_set_one(unsigned cpu)
{
	unsigned long words[TBUF_NCPUS / WIDTH] = { 0 };

	if (cpu >= TBUF_NCPUS)
		return (false);
	words[cpu / WIDTH] = 1ul << cpu % WIDTH;
	return (syscall(SYS_sched_setaffinity, 0, sizeof(words), words) == 0);
}
