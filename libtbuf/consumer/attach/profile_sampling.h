/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * profile-N on the command and on targets that were grabbed by pid: the kernel
 * samples their threads, and the clauses run here, as if in the sampled thread.
 *
 *	look()     a new target ---> perf events of its threads
 *	drain()    buffers --------> samples, by time ---> clauses
 *
 * Without sampling profile-N fires for each CPU, and for no process.
 */
#ifndef TBUF_CONSUMER_ATTACH_PROFILE_SAMPLING_H
#define TBUF_CONSUMER_ATTACH_PROFILE_SAMPLING_H

#include "consumer/run/run.h"

/*
 * Begins sampling, before the first target is let go.  If it fails,
 * tbuf_consumer_unsampled() has the reason.
 */
void	tbuf_sampling_begin(struct tbuf_consumer *);
void	tbuf_sampling_free(struct tbuf_consumer *);

/* Fires for the samples taken so far. */
void	tbuf_sampling_drain(struct tbuf_consumer *);
/* Begins sampling new targets, and stops it for those that have ended. */
void	tbuf_sampling_look(struct tbuf_consumer *);
/* Returns the time to read the buffers; UINT64_MAX: there are none. */
uint64_t tbuf_sampling_due(const struct tbuf_consumer *);

#endif
