/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of the process as a target: its beginning, and its forked children.
 */
#ifndef TBUF_TARGET_PROCESS_PROCESS_H
#define TBUF_TARGET_PROCESS_PROCESS_H

#include <stdbool.h>

#include "target/target.h"

/* Does a session trace this process? */
bool	tbuf_life_traced(void) TBUF_HIDDEN;

/* Make the library ready, once; called by whatever comes first. */
void	tbuf_life_begin(void) TBUF_HIDDEN;
/* Have this called in each forked child, when its thread has forgotten. */
void	tbuf_fork_init(void (*child)(void)) TBUF_HIDDEN;
/* What its thread believes of itself is its parent's. */
void	tbuf_fork_forget(void) TBUF_HIDDEN;

#endif
