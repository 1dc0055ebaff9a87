/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Permission to read the memory of targets, for clauses that copy from it.
 */
#ifndef TBUF_CONSUMER_RUN_COPYIN_PERMISSION_H
#define TBUF_CONSUMER_RUN_COPYIN_PERMISSION_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "consumer/run/run.h"

/*
 * Checks that the memory of all targets of a run may be read, if clauses do
 * that.  Returns 0 or -EPERM.
 */
int	tbuf_copyin_check(struct tbuf_consumer *);

/*
 * Returns true if a thread of a process has more seccomp filters than it began
 * with.  They may kill it for the system call that reads.
 */
bool	tbuf_copyin_filtered(pid_t, uint32_t from_the_start);

#endif
