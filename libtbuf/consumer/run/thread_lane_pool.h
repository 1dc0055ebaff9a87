/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes for threads of targets: pools that grow while targets run.
 */
#ifndef TBUF_CONSUMER_RUN_THREAD_LANE_POOL_H
#define TBUF_CONSUMER_RUN_THREAD_LANE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/run/run.h"

/* Returns true if a target of the run has a pool of thread lanes. */
bool	tbuf_pools_any(const struct tbuf_consumer *);

/*
 * Frees lanes of threads that have ended, and adds lanes to targets that have
 * few free ones.
 */
void	tbuf_pools_look(struct tbuf_consumer *, uint64_t now);

#endif
