/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The program's own memory (base/safe_read.h).  Writing takes
 * process_vm_writev(2), which a process under a filter does not call.  Only
 * clauses that are flagged for it make such calls.
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

/* Bytes written before a page that does not exist stay written. */
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
