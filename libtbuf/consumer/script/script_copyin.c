/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * copyin() in clauses of the consumer: from its own memory (where pr_argv of
 * curpsinfo points to), or the present memory of a process that was sampled.
 */
#include <sys/uio.h>

#include <unistd.h>

#include "consumer/script/script.h"

/* Copies by a system call, which checks the address. */
int
tbuf_script_copyin(struct tbuf_machine *m, uint64_t address, uint8_t *to,
    uint64_t size)
{
	const struct tbuf_script_sample *sample = tbuf_script_of(m)->sample;
	pid_t pid = sample != NULL ? sample->pid : getpid();
	struct iovec local = { .iov_base = to, .iov_len = size };
	struct iovec remote = {
		.iov_base = (void *)(uintptr_t)address, .iov_len = size
	};

	if (size == 0)
		return (0);
	/* In a replay there is no process with memory. */
	if (tbuf_script_of(m)->record != NULL)
		return (TBUF_FAULT_ADDRESS);
	return (process_vm_readv(pid, &local, 1, &remote, 1, 0) ==
	    (ssize_t)size ? 0 : TBUF_FAULT_ADDRESS);
}
