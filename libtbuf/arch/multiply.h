/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The product of two 64-bit numbers, as two halves.
 */
#ifndef TBUF_ARCH_MULTIPLY_H
#define TBUF_ARCH_MULTIPLY_H

#include <stdint.h>

#if defined(__x86_64__)

/*
 * Returns the low half of a * b; *high becomes the high one.  The instruction
 * is used directly, as gcc stores and loads an __int128 when registers are few.
 */
static inline uint64_t
tbuf_multiply(uint64_t a, uint64_t b, uint64_t *high)
{
	uint64_t low = a;

	__asm__("mulq %2" : "+a"(low), "=d"(*high) : "rm"(b) : "cc");
	return (low);
}

#else

static inline uint64_t
tbuf_multiply(uint64_t a, uint64_t b, uint64_t *high)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	*high = (uint64_t)(product >> 64);
	return ((uint64_t)product);
}

#endif

#endif
