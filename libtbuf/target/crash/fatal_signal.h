/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints the last records of a process that ends by a fatal signal.
 */
#ifndef TBUF_TARGET_CRASH_FATAL_SIGNAL_H
#define TBUF_TARGET_CRASH_FATAL_SIGNAL_H

#include "target/target.h"

/* Prints the last records before abort(3), unless SIGABRT's handler will. */
void	tbuf_fatal_assertion(void) TBUF_HIDDEN;

#endif
