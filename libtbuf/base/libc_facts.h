/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Facts of the C library and the kernel about this process, which the target
 * side learns by calls when it begins: a fire must call neither (nolibc.h).
 */
#ifndef TBUF_BASE_LIBC_FACTS_H
#define TBUF_BASE_LIBC_FACTS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "arch/atomics.h"

#define TBUF_AUXILIARY	6u
extern const uint8_t tbuf_auxiliary[TBUF_AUXILIARY]
    __attribute__((visibility("hidden")));

typedef int tbuf_clock_function(clockid_t, struct timespec *);

/* Offsets are those from the thread pointer. */
struct tbuf_libc_facts {
	ptrdiff_t errno_at;	/* 0: nothing is known yet */
	ptrdiff_t tid_at;	/* of the thread's id; 0: not known */
	tbuf_clock_function *clock_gettime;	/* of the vDSO, or NULL */
	uint64_t auxiliary[TBUF_AUXILIARY]; /* values for tbuf_auxiliary */
};

/* Learns all facts, and returns them. */
const struct tbuf_libc_facts *tbuf_libc_learn(void)
    __attribute__((visibility("hidden"), cold));

extern struct tbuf_libc_facts tbuf_libc_known
    __attribute__((visibility("hidden")));

/* Returns the facts.  They are learned before any fire. */
static inline const struct tbuf_libc_facts *
tbuf_libc_facts(void)
{
	return (tbuf_load_acquire(&tbuf_libc_known.errno_at) != 0 ?
	    &tbuf_libc_known : tbuf_libc_learn());
}

#endif
