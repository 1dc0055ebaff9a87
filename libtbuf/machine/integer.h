/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arithmetic of 64 bits, defined for every operand.  Widths and signs are the
 * compiler's: it extends where D's types want it.
 */
#ifndef TBUF_MACHINE_INTEGER_H
#define TBUF_MACHINE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/code.h"

/* Wraps; INT64_MIN / -1 is INT64_MIN.  y is not 0. */
static inline uint64_t
tbuf_divide_signed(uint64_t x, uint64_t y)
{
	return (y == UINT64_MAX ? 0 - x : (uint64_t)((int64_t)x / (int64_t)y));
}

/* Its sign is the quotient's, as DTrace has it: 19 % -5 is -4. */
static inline uint64_t
tbuf_modulo_signed(uint64_t x, uint64_t y)
{
	if (y == UINT64_MAX)
		return (0);
	x = (uint64_t)((int64_t)x % (int64_t)y);
	return ((int64_t)y < 0 ? 0 - x : x);
}

/* By the number of `divs` to `modu` in TBUF_BINARY_OPERATIONS. */
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

/* Shifts go by the count's lowest six bits; the signed one keeps the sign. */
static inline uint64_t
tbuf_shift_signed(uint64_t x, uint64_t count)
{
	return ((uint64_t)((int64_t)x >> (count & 63)));
}

#endif
