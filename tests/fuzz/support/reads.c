/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces pread(2), to change bytes between two reads.
 */
#include <sys/syscall.h>
#include <sys/types.h>

#include <stddef.h>
#include <unistd.h>

#include "lib/interposed_call.h"
#include "reads.h"

static void (*hook)(unsigned);
static unsigned count;

ssize_t
pread(int fd, void *to, size_t size, off_t at)
{
	if (hook != NULL)
		hook(count++);
	return ((ssize_t)syscall(SYS_pread64, fd, to, size, at));
}
INTERPOSED(pread);

void
reads_begin(void (*before)(unsigned number))
{
	hook = before;
	count = 0;
}
