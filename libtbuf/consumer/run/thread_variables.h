/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Frees variables of a target's threads that have ended.
 */
#ifndef TBUF_CONSUMER_RUN_THREAD_VARIABLES_H
#define TBUF_CONSUMER_RUN_THREAD_VARIABLES_H

#include <stdint.h>

#include "consumer/run/run.h"

/* Frees the blocks of dead threads in targets that may need free blocks. */
void	tbuf_variables_clean(struct tbuf_consumer *, uint64_t now);
/*
 * Checks the parts for variables and elements in a session that its target
 * built: parts of another size than ordered are not used.
 */
void	tbuf_variables_adopt(const struct tbuf_consumer *,
	    struct tbuf_target *);
/* Unmaps the variables as a target's session ends or the target is freed. */
void	tbuf_variables_forget(struct tbuf_target *);

#endif
