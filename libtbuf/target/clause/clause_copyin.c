/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The program's own memory (base/safe_read.h); to write to it takes
 * process_vm_writev(2), which no process under a filter makes.  Only clauses
 * that say so make such calls.
 */
#include "base/optimize_size.h"

#include <sys/uio.h>

#include <errno.h>
#include <unistd.h>

#include "base/safe_read.h"
#include "target/clause/clause.h"
#include "target/self/self.h"

int
tbuf_run_copyin(struct tbuf_machine *m, uint64_t address, uint8_t *to,
    uint64_t size)
{
	const struct iovec there = { (void *)(uintptr_t)address, size };

	return (tbuf_run_of(m)->calls && tbuf_peek(tbuf_self.peek, &there, 1,
	    to, size) == (long)size ? 0 : TBUF_FAULT_ADDRESS);
}

/* What has been written before a page that is not there stays. */
int
tbuf_run_copyout(struct tbuf_machine *m, uint64_t address,
    const uint8_t *bytes, uint64_t size)
{
	const struct iovec here = { (void *)(uintptr_t)bytes, size };
	const struct iovec there = { (void *)(uintptr_t)address, size };
	int saved = errno;
	ssize_t n = -1;

	if (tbuf_run_of(m)->calls && !tbuf_self.filtered)
		n = process_vm_writev(getpid(), &here, 1, &there, 1, 0);
	errno = saved;
	return (n >= 0 && (uint64_t)n == size ? 0 : TBUF_FAULT_ADDRESS);
}
