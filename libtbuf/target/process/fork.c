/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A forked child must not write to its parent's lanes.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <pthread.h>

#include "arch/syscall.h"
#include "shared/control_file.h"
#include "target/file/probe_table.h"
#include "target/lane/unit_hooks.h"
#include "target/process/process.h"
#include "target/provider.h"
#include "target/self/thread.h"

void
tbuf_fork_forget(void)
{
	unsigned i;

	/* First the state that a handler would use if it fired from here on. */
	tbuf_units_forget();
	tbuf_thread_forget();
	for (i = 0; i < TBUF_BLOCKS_REMEMBERED; i++)
		tbuf_store(&tbuf_thread.blocks[i], 0);
	tbuf_store(&tbuf_thread.thread_lane, 0);
	tbuf_store(&tbuf_thread.thread_lane_busy, 0);
	tbuf_thread.shared = 0;
	tbuf_thread.children = 0;
	tbuf_thread.series = false;
	/* The C library may still cache the parent's. */
	tbuf_thread.tid = (uint32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0);
	/* Another thread of the parent may have been registering. */
	tbuf_table_unlock();
}

static void (*then)(void) TBUF_FORKED;

static void
child(void)
{
	sigset_t mask;

	tbuf_signals_block(&mask);
	tbuf_fork_forget();
	then();
	tbuf_thread.forks = false;
	tbuf_signals_restore(&mask);
}

void
tbuf_fork_begin(void)
{
	tbuf_thread.forks = true;
	tbuf_thread.fork_tick = tbuf_start_tick(TBUF_TICK_BEFORE) &
	    TBUF_FORK_TICK;
}

static void
parent(void)
{
	tbuf_thread.forks = false;
}

/*
 * The kernel has wiped the child's page; if it is filled the child has run this
 * before, as two preloaded providers call it.
 */
void
tbuf_fork_end(bool in_child)
{
	if (in_child && then != NULL && tbuf_local->base == 0)
		child();
	else
		parent();
}

#ifdef __GLIBC__
/*
 * Replaces pthread_atfork(3): the C library links that function into each
 * object, here after all the code that a starting program runs.
 */
extern void *__dso_handle __attribute__((visibility("hidden")));
int	__register_atfork(void (*)(void), void (*)(void), void (*)(void),
	    void *);
#define pthread_atfork(prepare, parent, child)				\
	__register_atfork(prepare, parent, child, __dso_handle)
#endif

void
tbuf_fork_init(void (*what)(void))
{
	then = what;
	pthread_atfork(tbuf_fork_begin, parent, child);
}
