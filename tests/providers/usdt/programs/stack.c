/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A known stack at a function of the C library, a system call and a USDT probe.
 */
#include <sys/sdt.h>

#include <unistd.h>

#define NOINLINE	__attribute__((noinline))
/* Prevents tail calls. */
#define STAY()		__asm__ volatile("" ::: "memory")

NOINLINE void
leaf(int n)
{
	fsync(-n);
	STAP_PROBE1(stack, leaf, n);
	/* Room for a jump. */
	__asm__ __volatile__ (".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");
	STAY();
}

NOINLINE void
middle(int n)
{
	leaf(n);
	STAY();
}

NOINLINE void
outer(int n)
{
	/* The compiler puts no instruction between the two. */
	STAP_PROBE1(stack, outer, n);
	middle(n);
	STAY();
}

int
main(void)
{
	outer(1);
	return (0);
}
