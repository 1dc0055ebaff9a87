/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks of samples in code without frame pointers: what compilers leave for
 * exceptions says for each place where its caller's frame is.  Another process
 * reads that, with libdw.
 */
#ifndef TBUFCTL_DEBUGINFO_UNWIND_H
#define TBUFCTL_DEBUGINFO_UNWIND_H

#include <stdint.h>

struct tbuf_consumer;

/* Before tracing begins, and when nothing more is unwound. */
void	unwind_begin(struct tbuf_consumer *);
void	unwind_end(void);

/*
 * The other process: a parcel comes with a process, its image, registers and
 * bytes of a stack; with process 0, for it has ended, also with what it had
 * mapped.  What is sent back are frames, or UNWIND_UNMAPPED if nothing could be
 * learnt of a process that runs.
 */
#define UNWIND_UNMAPPED	UINT64_C(0)
void	unwind_answer(int fd) __attribute__((noreturn));

#endif
