/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * System calls of safe reads (base/safe_read.h) in a provider.  The system call
 * instruction of this file is not redirected to a stub, so that these calls do
 * not fire.  Part of a fire: compiled with -mgeneral-regs-only.
 */
#include "arch/syscall.h"
#include "base/safe_read.h"

long
tbuf_peek_call(long number, long a, const void *b, long c, const void *d,
    long e)
{
	return (raw_call(number, a, (long)b, c, (long)d, e));
}
