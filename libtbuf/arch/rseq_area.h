/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The rseq area of a thread, which the C library has registered with the
 * kernel.  Each architecture provides:
 *	void	*tbuf_rseq_area(void);	the thread's area
 *	bool	tbuf_rseq_thread(void);	true: this task has a thread area
 *	bool	tbuf_rseq_ready(void);	true: this thread is registered
 *	uint32_t tbuf_rseq_cpu(void);	the CPU to try, if it is registered
 *	ptrdiff_t tbuf_rseq_find(void *spare); the value for tbuf_rseq_at
 *	void	tbuf_rseq_clear(void);	disarms the armed section
 * and, for its sections, tbuf_rseq_own(): the thread's own memo.
 */
#ifndef TBUF_ARCH_RSEQ_AREA_H
#define TBUF_ARCH_RSEQ_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/rseq_types.h"

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* Returns true if the C library registers an area for each thread. */
static inline bool
tbuf_rseq_registered(void)
{
	return (&__rseq_size != NULL && __rseq_size != 0);
}

#if defined(__x86_64__)
#include "arch/x86_64/rseq_area.h"
#elif defined(__aarch64__)
#include "arch/aarch64/rseq_area.h"
#else
#error "tbuf: this processor has no restartable sections here"
#endif

#endif
