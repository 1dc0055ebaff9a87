/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The CPUs that there are, and those that a process may run on.
 */
#include <sys/syscall.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/internal.h"

static bool
affinity(pid_t pid, struct tbuf_cpus *cpus)
{
	unsigned long bits[TBUF_NCPUS / (8 * sizeof(long))];
	long n;
	unsigned i;

	/* The system call: the C library's set has a size of its own. */
	n = syscall(SYS_sched_getaffinity, pid, sizeof(bits), bits);
	if (n <= 0)
		return (false);
	for (i = 0; i < (unsigned)n * 8; i++)
		if ((bits[i / (8 * sizeof(long))] >>
		    i % (8 * sizeof(long)) & 1) != 0)
			tbuf_cpus_add(cpus, i);
	return (true);
}

void
tbuf_target_cpus(pid_t pid, struct tbuf_cpus *cpus)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	memset(cpus, 0, sizeof(*cpus));
	affinity(pid, cpus);
	if (pid == 0)
		return;
	/* Its threads may have been let onto others. */
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((dir = opendir(path)) == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (*entry->d_name != '.')
			affinity((pid_t)strtol(entry->d_name, NULL, 10), cpus);
	closedir(dir);
}

/* Sets such as "0-3,7", as the kernel writes them. */
static void
parse_cpulist(const char *text, struct tbuf_cpus *cpus)
{
	unsigned long first, last;
	char *end;

	while (isdigit((unsigned char)*text)) {
		first = last = strtoul(text, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && first < TBUF_NCPUS; first++)
			tbuf_cpus_add(cpus, (unsigned)first);
		if (*end != ',')
			break;
		text = end + 1;
	}
}

void
tbuf_cpus_online(struct tbuf_cpus *cpus)
{
	char text[4096];
	FILE *f;

	memset(cpus, 0, sizeof(*cpus));
	if ((f = fopen("/sys/devices/system/cpu/online", "re")) != NULL) {
		if (fgets(text, sizeof(text), f) != NULL)
			parse_cpulist(text, cpus);
		fclose(f);
	}
	if (tbuf_cpus_count(cpus) == 0)
		tbuf_target_cpus(0, cpus);
}
