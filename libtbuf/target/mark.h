/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For libtbuf and its providers only.
 */
#ifndef TBUF_TARGET_MARK_H
#define TBUF_TARGET_MARK_H

/*
 * Count this thread's mark up (1) or down (-1): while it is not zero, fires
 * of this thread go to lock lanes.  Async-signal-safe.
 */
__attribute__((visibility("default")))
void	tbuf_thread_mark(int step);

#endif
