/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The CPUs that are online, and the CPUs that a process may run on.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_affinity.h"
#include "consumer/util/util.h"

static void
add_thread(pid_t tid, struct tbuf_cpus *cpus)
{
	struct tbuf_affinity set;

	if (tbuf_affinity_get(tid, &set))
		tbuf_affinity_add(&set, cpus);
}

void
tbuf_target_cpus(pid_t pid, struct tbuf_cpus *cpus)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	memset(cpus, 0, sizeof(*cpus));
	add_thread(pid, cpus);
	if (pid == 0)
		return;
	/* Other threads of the process may be allowed on other CPUs. */
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((dir = opendir(path)) == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
		if (*entry->d_name != '.')
			add_thread((pid_t)strtol(entry->d_name, NULL, 10),
			    cpus);
	closedir(dir);
}

/* Parses a set of CPUs as the kernel writes it, such as "0-3,7". */
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

bool
tbuf_cpus_visit(const struct tbuf_cpus *cpus)
{
	struct tbuf_affinity before;
	struct tbuf_cpus online;
	bool everywhere = true;
	unsigned cpu;

	if (tbuf_cpus_count(cpus) == 0)
		return (true);
	if (!tbuf_affinity_get(0, &before))
		return (false);
	tbuf_cpus_online(&online);
	for (cpu = 0; cpu < TBUF_NCPUS; cpu++)
		if (tbuf_cpus_has(cpus, cpu) &&
		    tbuf_cpus_has(&online, cpu) &&
		    !tbuf_affinity_set_one(cpu))
			everywhere = false;
	tbuf_affinity_set(&before);
	return (everywhere);
}
