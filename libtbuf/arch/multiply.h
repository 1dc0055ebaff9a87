/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Both halves of a product.
 */
#ifndef TBUF_ARCH_MULTIPLY_H
#define TBUF_ARCH_MULTIPLY_H

#include <stdint.h>

#if defined(__x86_64__)

/* A number of two words is one that gcc stores and loads where it is short. */
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
