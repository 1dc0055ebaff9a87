/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A forked child must not write to its parent's lanes.
 */
#include <pthread.h>

#include "target/target.h"

void
tbuf_fork_forget(void)
{
	/* First what a handler that fires from here on would believe. */
	tbuf_thread.memo.bits = TBUF_MEMO_NONE;
	tbuf_thread.shared = 0;
	tbuf_thread.tid = tbuf_thread_id();
	tbuf_register_child();
}

static void
child(void)
{
	tbuf_fork_forget();
	tbuf_life_child();
}

void
tbuf_fork_init(void)
{
	pthread_atfork(NULL, NULL, child);
}
