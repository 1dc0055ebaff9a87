/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * 64-bit arithmetic, defined for every operand.  The compiler emits extensions
 * for other widths and for signs.
 */
#ifndef TBUF_MACHINE_INTEGER_H
#define TBUF_MACHINE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/code.h"

/* Returns x / y, which wraps: INT64_MIN / -1 is INT64_MIN.  y is not 0. */
static inline uint64_t
tbuf_divide_signed(uint64_t x, uint64_t y)
{
	return (y == UINT64_MAX ? 0 - x : (uint64_t)((int64_t)x / (int64_t)y));
}

/* Returns x % y with the quotient's sign, as in DTrace: 19 % -5 is -4. */
static inline uint64_t
tbuf_modulo_signed(uint64_t x, uint64_t y)
{
	if (y == UINT64_MAX)
		return (0);
	x = (uint64_t)((int64_t)x % (int64_t)y);
	return ((int64_t)y < 0 ? 0 - x : x);
}

/* Divides; n is that of `divs` to `modu` in TBUF_BINARY_OPERATIONS. */
static inline uint64_t
tbuf_divide(unsigned n, uint64_t x, uint64_t y)
{
	switch (n) {
	case TBUF_OP_DIVS - TBUF_OP_ADD:
		return (tbuf_divide_signed(x, y));
	case TBUF_OP_DIVU - TBUF_OP_ADD:
		return (x / y);
	case TBUF_OP_MODS - TBUF_OP_ADD:
		return (tbuf_modulo_signed(x, y));
	}
	return (x % y);
}

/* Shifts right with the sign, by the lowest six bits of the count. */
static inline uint64_t
tbuf_shift_signed(uint64_t x, uint64_t count)
{
	return ((uint64_t)((int64_t)x >> (count & 63)));
}

#endif
