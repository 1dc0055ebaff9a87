/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For libtbuf and its providers only.
 */
#ifndef TBUF_TARGET_MARK_H
#define TBUF_TARGET_MARK_H

#include <stdbool.h>

/*
 * Count this thread's mark up (1) or down (-1): while it is not zero, fires
 * of this thread go to lock lanes.  Async-signal-safe.
 */
__attribute__((visibility("default")))
void	tbuf_thread_mark(int step);

/*
 * Is a thread making this process a target, or registering probes?  If it is
 * the calling one, which has come here out of a function that the library
 * uses, it cannot register any.  Async-signal-safe.
 */
__attribute__((visibility("default")))
bool	tbuf_life_busy(void);

/*
 * This process is a consumer: if it has no probes and no sessions, it need
 * not be found as a target.
 */
__attribute__((visibility("hidden")))
void	tbuf_life_withdraw(void);

#endif
