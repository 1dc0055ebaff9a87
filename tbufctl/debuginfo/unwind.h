/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unwinds stacks of samples in code without frame pointers, by the tables that
 * compilers emit for exceptions, which locate the caller's frame at each place.
 * A helper process reads these with libdw.
 */
#ifndef TBUFCTL_DEBUGINFO_UNWIND_H
#define TBUFCTL_DEBUGINFO_UNWIND_H

#include <stdint.h>

struct tbuf_consumer;

/* To be called before tracing begins, and after the last stack. */
void	unwind_begin(struct tbuf_consumer *);
void	unwind_end(void);

/*
 * Answers questions in the helper process.  A question is a parcel with a pid,
 * its image, registers and bytes of a stack; if the process has ended, the pid
 * is 0, and the files follow that it had mapped.  The answer is the frames, or
 * UNWIND_UNMAPPED if a running process could not be read.
 */
#define UNWIND_UNMAPPED	UINT64_C(0)
void	unwind_answer(int fd) __attribute__((noreturn));

#endif
