/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables of a target's threads, once these have ended.
 */
#ifndef TBUF_CONSUMER_VARIABLES_H
#define TBUF_CONSUMER_VARIABLES_H

#include <stdint.h>

#include "consumer/run.h"

/* Give the blocks of dead threads back, where there may be need of them. */
void	tbuf_variables_clean(struct tbuf_consumer *, uint64_t now);
/* A target's session ends, or the target is let go. */
void	tbuf_variables_forget(struct tbuf_target *);

#endif
