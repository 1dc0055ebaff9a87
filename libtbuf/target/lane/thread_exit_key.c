/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Detects the end of a thread with a lane of its own, by the destructor of a
 * key.  A consumer frees the lanes of threads without the key.
 *
 * The key is made when the process becomes a target, never in a fire.  A fire
 * sets it only if it is one of the keys that the C library has room for in each
 * thread: then that is only a store.  The functions are called by their C11
 * names, as in thread.c.
 */
#include "base/optimize_size.h"

#include <threads.h>

#include "target/lane/thread_lane.h"
#include "target/self/thread.h"

#define KEYS_AT_HAND	32u

static tss_t key TBUF_FORKED;
static uint32_t made TBUF_FORKED;

void
tbuf_thread_exit_key_init(void (*end)(void *))
{
	if (made == 0 && tss_create(&key, end) == thrd_success)
		tbuf_store_release(&made, 1);
}

void
tbuf_thread_exit_key_set(void)
{
	if (tbuf_load_acquire(&made) != 0 && key < KEYS_AT_HAND)
		(void)tss_set(key, &tbuf_thread);
}

/* The destructor's code may be unloaded. */
__attribute__((destructor))
static void
unload(void)
{
	if (tbuf_load(&made) != 0) {
		tbuf_store(&made, 0);
		tss_delete(key);
	}
}
