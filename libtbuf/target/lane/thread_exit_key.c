/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How the end of a thread with a side lane is noticed: by the destructor of a
 * key.  Threads without the key leave their lanes to their consumer.
 *
 * The key is made when the process becomes a target, never in a fire.  A fire
 * sets it only if it is one of those for which the C library has room in each
 * thread: then that is a store, and no more.  The functions are taken by their
 * other names, as in thread.c.
 */
#include "base/optimize_size.h"

#include <threads.h>

#include "target/lane/thread_lane.h"
#include "target/self/thread.h"

#define KEYS_AT_HAND	32u

static tss_t key TBUF_FORKED;
static uint32_t made TBUF_FORKED;

void
tbuf_side_key_init(void (*end)(void *))
{
	if (made == 0 && tss_create(&key, end) == thrd_success)
		tbuf_store_release(&made, 1);
}

void
tbuf_side_key_mark(void)
{
	if (tbuf_load_acquire(&made) != 0 && key < KEYS_AT_HAND)
		(void)tss_set(key, &tbuf_thread);
}

/* Its code may be unloaded. */
__attribute__((destructor))
static void
unload(void)
{
	if (tbuf_load(&made) != 0) {
		tbuf_store(&made, 0);
		tss_delete(key);
	}
}
