/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The last records of a process that ends by a fatal signal.
 */
#ifndef TBUF_TARGET_CRASH_FATAL_SIGNAL_H
#define TBUF_TARGET_CRASH_FATAL_SIGNAL_H

#include "target/target.h"

/* Before abort(3): the last records, if nobody has them at SIGABRT. */
void	tbuf_fatal_assertion(void) TBUF_HIDDEN;

#endif
