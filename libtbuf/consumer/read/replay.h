/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses over records that are read from files: each record fires its probe
 * again, here, and what the clauses leave is given in its place.
 *
 * Timers fire by the records' times.
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
 * At the beginning: which clauses are for which probes.  -ENOTSUP, with words:
 * a clause asks for what no record has, or there is nothing that it could be
 * run over.
 */
int	tbuf_refire_begin(struct tbuf_consumer *);
void	tbuf_refire_free(struct tbuf_consumer *);

/*
 * Does anybody want the records that have this EPID, of this probe?  Several
 * enablings of a session have recorded a fire once each: one of them fires.
 */
bool	tbuf_refire_wants(const struct tbuf_consumer *,
	    const struct tbuf_target *, const struct tbuf_epid *,
	    const struct tbuf_probe_info *);

/*
 * An event of a file.  A record fires; true if it is nobody else's, or if BEGIN
 * or a timer has fired that comes before it: then resume() gives it again.  The
 * same for what a caller of next() is to be told before the end: 1, or 0.
 */
bool	tbuf_refire_take(struct tbuf_consumer *, const struct tbuf_event *);
bool	tbuf_refire_resume(struct tbuf_consumer *, struct tbuf_event *);
/* Behind all records. */
void	tbuf_refire_end(struct tbuf_consumer *);
int	tbuf_refire_unfit(struct tbuf_consumer *, struct tbuf_event *);

#endif
