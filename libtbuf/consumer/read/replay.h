/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replay: clauses over records of files.  Each record fires its probe again,
 * here, and the clauses' records are returned in its place.  Timers fire by the
 * records' times.
 *
 *	lanes ---> merge by time ---> record ---> clauses ---> next()
 *	                                |
 *	                                +--- a description without a clause
 */
#ifndef TBUF_CONSUMER_READ_REPLAY_H
#define TBUF_CONSUMER_READ_REPLAY_H

#include <stdbool.h>

#include "consumer/run/run.h"

/*
 * Begins a replay: matches clauses and probes.  Returns 0, -ENOMEM, or -ENOTSUP
 * with a message: a clause needs more than records have, or there are no
 * records to run it over.
 */
int	tbuf_replay_begin(struct tbuf_consumer *);
void	tbuf_replay_free(struct tbuf_consumer *);

/*
 * Returns true if records of this EPID fire.  If several enablings of a session
 * recorded a probe, each fire has several records: those of one EPID fire.
 */
bool	tbuf_replay_wants(const struct tbuf_consumer *,
	    const struct tbuf_target *, const struct tbuf_epid *,
	    const struct tbuf_probe_info *);

/*
 * tbuf_replay_take() fires an event's record.  It returns true if the event is
 * not to be returned: it only fires clauses, or BEGIN or a timer has fired
 * first, and tbuf_replay_resume() returns the event again.
 */
bool	tbuf_replay_take(struct tbuf_consumer *, const struct tbuf_event *);
bool	tbuf_replay_resume(struct tbuf_consumer *, struct tbuf_event *);
/* Fires END, after all records. */
void	tbuf_replay_end(struct tbuf_consumer *);
/* Returns 1 with the event that counts probes without a program, or 0. */
int	tbuf_replay_unfit(struct tbuf_consumer *, struct tbuf_event *);

#endif
