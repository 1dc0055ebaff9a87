/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables of a target's threads, once these have ended.
 */
#ifndef TBUF_CONSUMER_RUN_THREAD_VARIABLES_H
#define TBUF_CONSUMER_RUN_THREAD_VARIABLES_H

#include <stdint.h>

#include "consumer/run/run.h"

/* Give the blocks of dead threads back, where there may be need of them. */
void	tbuf_variables_clean(struct tbuf_consumer *, uint64_t now);
/*
 * A session that a target has built: a slot that has more of variables and
 * elements than it was told to make is not looked through.
 */
void	tbuf_variables_adopt(const struct tbuf_consumer *, struct tbuf_target *);
/* A target's session ends, or the target is let go. */
void	tbuf_variables_forget(struct tbuf_target *);

#endif
