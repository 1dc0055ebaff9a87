/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that exists while the program runs, for text.c; determined once,
 * before main().
 */
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

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

void
usdt_memory_look(void)
{
	struct usdt_memory *m = &usdt_memory;

	m->peek = tbuf_peek_way(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0);
	look_at_stack(m);
}
