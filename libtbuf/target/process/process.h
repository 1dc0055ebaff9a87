/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Start of the process as a target, and its forked children.
 */
#ifndef TBUF_TARGET_PROCESS_PROCESS_H
#define TBUF_TARGET_PROCESS_PROCESS_H

#include <stdbool.h>

#include "target/target.h"

/* Returns true if a session traces this process. */
bool	tbuf_life_traced(void) TBUF_HIDDEN;

/* Initializes the library, once.  Any constructor may call it first. */
void	tbuf_life_begin(void) TBUF_HIDDEN;
/* Registers a function to call in forked children, after tbuf_fork_forget(). */
void	tbuf_fork_init(void (*child)(void)) TBUF_HIDDEN;
/* Resets the thread state that a forked child has from its parent. */
void	tbuf_fork_forget(void) TBUF_HIDDEN;

#endif
