/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory order, in one place.  Each use names its pair in layout.h.
 */
#ifndef TBUF_ARCH_ATOMICS_H
#define TBUF_ARCH_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

/* Relaxed accesses: no order, but a whole word. */
#define tbuf_load(p)		__atomic_load_n((p), __ATOMIC_RELAXED)
#define tbuf_store(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELAXED)

/* Later accesses stay after the load; earlier ones stay before the store. */
#define tbuf_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define tbuf_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

/* The full fences A to D of [inv.attach]. */
#define tbuf_fence()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Fences between earlier and later loads, and earlier and later stores. */
#define tbuf_fence_loads()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define tbuf_fence_stores()	__atomic_thread_fence(__ATOMIC_RELEASE)

#define tbuf_or(p, v)		__atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define tbuf_and(p, v)		__atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#define tbuf_add(p, v)		__atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define tbuf_swap(p, v)		__atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)

/* Compare and swap; `old` is a value, not a pointer. */
#define tbuf_cas(p, old, new) __extension__ ({				\
	__typeof__(*(p)) tbuf_cas_old = (old);				\
	__atomic_compare_exchange_n((p), &tbuf_cas_old, (new), false,	\
	    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);			\
})

#endif
