/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that exists while the program runs, for text.c; determined once,
 * before main().
 */
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <limits.h>
#include <stdio.h>

#include "usdt.h"

#define PAGE		4096u
#define STACK		(8u << 20)	/* of a stack without limit */

/*
 * Nothing else is mapped so near to the end of the main thread's stack: the
 * kernel reserves room for its growth.
 */
static void
look_at_stack(struct usdt_memory *m)
{
	uintptr_t top = getauxval(AT_EXECFN);
	struct rlimit limit;
	uintptr_t size = STACK;

	if (top == 0)
		return;
	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < size)
		size = limit.rlim_cur;
	m->stack_end = (top | (PAGE - 1)) + 1;
	m->stack_low = m->stack_end - size;
}

/*
 * Counts filters of system calls, by calls that every program makes that can
 * load objects; others may not be allowed.
 */
static bool
count_filters(unsigned *count)
{
	FILE *f = fopen("/proc/thread-self/status", "re");
	bool found = false;
	char line[256];

	if (f == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = sscanf(line, "Seccomp_filters: %u", count) == 1;
	fclose(f);
	return (found);
}

bool
usdt_memory_refiltered(void)
{
	unsigned filters;

	return (!count_filters(&filters) || filters != usdt_memory.filters);
}

void
usdt_memory_look(void)
{
	struct usdt_memory *m = &usdt_memory;

	m->peek = tbuf_peek_way(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0);
	if (!count_filters(&m->filters))
		m->filters = UINT_MAX;
	look_at_stack(m);
}
