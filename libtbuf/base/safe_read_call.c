/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * System calls of safe reads (safe_read.h) in a target.  A provider that
 * redirects system calls has its own function instead.
 */
#include "base/optimize_size.h"

#include "arch/syscall.h"
#include "base/safe_read.h"

long
tbuf_peek_call(long number, long a, const void *b, long c, const void *d,
    long e)
{
	return (raw_call(number, a, (long)b, c, (long)d, e));
}
