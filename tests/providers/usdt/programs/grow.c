/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that grows its heap and stack, and then passes probes all over its
 * address range.  It exits with 0 if all of that was possible.  With LIBRARY it
 * is a library that has the probes.
 */
#if SITES != 0
#include "scattered.h"
#else
void	sites(void);
#endif

#ifndef LIBRARY
#include <sys/resource.h>

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define HEAP		((intptr_t)2 << 30)
#define FRAME		(32 << 10)
#define STACK		(64 << 20)	/* more than programs get */

static int
grow_heap(void)
{
	volatile char *heap = sbrk(HEAP);

	if (heap == (volatile char *)-1)
		return (-1);
	heap[0] = heap[HEAP / 2] = heap[HEAP - 1] = 1;
	return (brk((void *)(uintptr_t)heap));
}

static int
recurse(int size)
{
	volatile char frame[FRAME];

	frame[0] = 1;
	return (size > 0 ? recurse(size - FRAME) + frame[0] : 0);
}

static int
grow_stack(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) != 0)
		return (-1);
	if (limit.rlim_cur >= 8 << 20)
		(void)recurse((8 << 20) - (1 << 20));
	limit.rlim_cur = limit.rlim_max;
	if (limit.rlim_max > STACK + (1 << 20))
		limit.rlim_cur = STACK + (1 << 20);
	if (setrlimit(RLIMIT_STACK, &limit) != 0)
		return (-1);
	if (limit.rlim_cur > STACK)
		(void)recurse(STACK);
	return (0);
}

int
main(void)
{
	sites();
	if (grow_heap() != 0)
		return (3);
	if (grow_stack() != 0)
		return (4);
	sites();
	return (0);
}
#endif
