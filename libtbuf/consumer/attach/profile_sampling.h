/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * profile-N on targets that were named: their threads are sampled by the
 * kernel, and the clauses run here, as the thread that was met.
 *
 *	look()     a new target ---> its threads' events
 *	drain()    buffers --------> samples, by time ---> clauses
 *
 * Without them profile-N fires for each CPU, for nobody.
 */
#ifndef TBUF_CONSUMER_ATTACH_PROFILE_SAMPLING_H
#define TBUF_CONSUMER_ATTACH_PROFILE_SAMPLING_H

#include "consumer/run/run.h"

/*
 * Before the first target is let go.  Where samples are not to be had the
 * reason is kept for tbuf_consumer_unsampled().
 */
void	tbuf_sampling_begin(struct tbuf_consumer *);
void	tbuf_sampling_free(struct tbuf_consumer *);

/* Fire for what has been sampled. */
void	tbuf_sampling_drain(struct tbuf_consumer *);
/* Sample targets that have come, and no more those that have ended. */
void	tbuf_sampling_look(struct tbuf_consumer *);
/* When buffers are to be read; UINT64_MAX: there are none. */
uint64_t tbuf_sampling_due(const struct tbuf_consumer *);

#endif
