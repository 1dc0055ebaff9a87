/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a run gives: records, what was lost, ends; and in which order.
 */
#ifndef TBUF_CONSUMER_READ_EVENTS_H
#define TBUF_CONSUMER_READ_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "consumer/run/run.h"

/* ------------------------------------------------------------ records */

/* Look an EPID of a session up for the first time; NULL: it makes no sense. */
const struct tbuf_epid *tbuf_epid_read(struct tbuf_consumer *,
	    struct tbuf_target *, uint16_t epid);

/* The same, for each record. */
static inline const struct tbuf_epid *
tbuf_epid_find(struct tbuf_consumer *c, struct tbuf_target *t, uint16_t epid)
{
	if (epid < t->necbs_max && t->epids[epid].probe != NULL)
		return (&t->epids[epid]);
	return (tbuf_epid_read(c, t, epid));
}

/*
 * A record's arguments into consumer->values, and the rest into *record but
 * for its times.  False if they do not fit into the record.
 */
bool	tbuf_record_decode(struct tbuf_consumer *, const struct tbuf_source *,
	    const struct tbuf_header *, const struct tbuf_epid *,
	    struct tbuf_record *);

/*
 * A record that tells a clause's fault, as an event but for its times; false
 * if it makes no sense.  And have a script's ERROR clauses fire for it.
 */
bool	tbuf_fault_decode(struct tbuf_consumer *, const struct tbuf_source *,
	    const struct tbuf_header *, struct tbuf_event *);
void	tbuf_fault_tell(struct tbuf_consumer *, const struct tbuf_event *);

/* Was it written after the moment that all lanes are seen at? */
bool	tbuf_source_later(const struct tbuf_consumer *,
	    const struct tbuf_source *, const struct tbuf_header *);
/* As tbuf_source_peek(), but for those, and records that nobody wants. */
int	tbuf_source_next(struct tbuf_consumer *, struct tbuf_source *,
	    const struct tbuf_header **);

/* The next event of one lane: 1, or 0 at its mark. */
int	tbuf_source_event(struct tbuf_consumer *, struct tbuf_source *,
	    struct tbuf_event *);
/* What arguments do not have, and most events. */
static inline void
tbuf_event_clear(struct tbuf_event *event)
{
	const size_t from = offsetof(struct tbuf_record, npieces);

	memset(event->reserved, 0, sizeof(event->reserved));
	memset((char *)&event->record + from, 0, sizeof(event->record) - from);
}

/*
 * Such an event was given: do all that come next need nothing but a look at
 * their EPID?  tbuf_consumer_next() gives those by itself then.
 */
void	tbuf_straight_begin(struct tbuf_consumer *, struct tbuf_source *);
/* An event that counts something of a lane. */
void	tbuf_event_count(struct tbuf_event *, enum tbuf_event_type,
	    const struct tbuf_source *, uint64_t count);

/*
 * The record of a lane that lies here, as an event with its times; false if it
 * makes no sense, or nobody wants it.
 */
bool	tbuf_record_event(struct tbuf_consumer *, const struct tbuf_source *,
	    const struct tbuf_header *, struct tbuf_event *);

/*
 * Of a stack that is to be unwound give frames, in the place of what was read
 * into the consumer's values.
 */
void	tbuf_stack_give(struct tbuf_consumer *, const struct tbuf_d_record *);

/*
 * Add the records that lie in its bytes from here on; what makes no sense ends
 * them.  False for want of memory.
 */
bool	tbuf_batch_add(struct tbuf_batch *, const struct tbuf_source *,
	    uint64_t at);

/*
 * Speculations.  clean: take the batches that are committed, so that their ids
 * are free again.  mark: a lane's next record is one; what is committed by it
 * is given from now on.  next: a record of that: 1, or 0 if there is none left.
 */
void	tbuf_batches_clean(struct tbuf_consumer *);
void	tbuf_batch_mark(struct tbuf_consumer *, struct tbuf_source *,
	    const struct tbuf_header *);
int	tbuf_batch_next(struct tbuf_consumer *, struct tbuf_source *,
	    struct tbuf_event *);
/*
 * Is this a round that gives the target's lanes?  What is there now has a mark
 * that it comes to, or none: when it has given all of them, batches without one
 * are lost.  And at the target's end, what it was killed amid committing: 1, or
 * 0.
 */
void	tbuf_batches_due(struct tbuf_target *, bool due);
int	tbuf_batches_left(struct tbuf_consumer *, struct tbuf_target *,
	    bool end, struct tbuf_event *);
/*
 * Work units.  look: tables of which all was given are free again.  is: a
 * lane's next record is an envelope or a mark; open: its batch is given from
 * now on.  left: what has not ended, at the end; losses: one kind after the
 * other.  1, or 0.
 */
void	tbuf_units_look(struct tbuf_consumer *);
void	tbuf_units_release(struct tbuf_source *);
bool	tbuf_unit_is(const struct tbuf_source *, const struct tbuf_header *);
void	tbuf_unit_open(struct tbuf_consumer *, struct tbuf_source *,
	    const struct tbuf_header *);
int	tbuf_units_left(struct tbuf_consumer *, struct tbuf_target *, bool due,
	    bool end, struct tbuf_event *);
int	tbuf_units_losses(struct tbuf_consumer *, struct tbuf_target *,
	    bool end, struct tbuf_event *);
/*
 * Of a file whose target goes on all that is as it was at one moment.  hold:
 * before its horizon is noted, what tables have counted.  copy: behind that,
 * what they hold.  cut: once all is committed, what of units in flight is
 * older.
 */
void	tbuf_units_hold(struct tbuf_target *);
void	tbuf_units_copy(struct tbuf_consumer *, struct tbuf_target *);
void	tbuf_units_cut(struct tbuf_consumer *, struct tbuf_target *);
/* Drops of speculations, one kind after the other: 1, or 0. */
int	tbuf_batches_losses(struct tbuf_consumer *, struct tbuf_target *,
	    struct tbuf_event *);

/* ------------------------------------------------------------ rounds */

#define TBUF_ROUND_SWITCH	0x1u	/* switch the lanes, give them */
#define TBUF_ROUND_STATUS	0x2u	/* tell the drops */
#define TBUF_ROUND_ENDED	0x4u	/* a target has ended */
#define TBUF_ROUND_LAST		0x8u	/* all that there is */

/*
 * Begin a round.  A target that has ended is drained in any round, one that
 * lives under fill or ring only in the last.  -ENOMEM.
 */
int	tbuf_round_begin(struct tbuf_consumer *, unsigned what);
/*
 * What was given in the last one is not looked at any more.  Targets whose
 * end was told are let go: others wait for their space.
 */
void	tbuf_round_end(struct tbuf_consumer *);
/* Is what a target's lanes count told in this round? */
bool	tbuf_round_counts(const struct tbuf_round *,
	    const struct tbuf_target *, unsigned counter);
/* A round over copies of what the lanes hold. */
int	tbuf_round_snapshot(struct tbuf_consumer *);
void	tbuf_round_free(struct tbuf_consumer *);
/* The next event of it, as tbuf_consumer_next() has it. */
int	tbuf_round_next(struct tbuf_consumer *, struct tbuf_event *);

/*
 * Before horizons are noted, and as soon as they are: what will not be there
 * any more when all up to them is committed.
 */
void	tbuf_round_hold(struct tbuf_consumer *);
void	tbuf_round_early(struct tbuf_consumer *);

/*
 * For a merge or a cut while targets go on: note how far all records are
 * committed, before the lanes are marked; afterwards, what that is in ns.
 */
void	tbuf_horizon_note(struct tbuf_consumer *);
uint64_t tbuf_horizon_time(const struct tbuf_consumer *);

/* A record's time in ns: later than its lane's last, in order of a merge. */
uint64_t tbuf_source_time(const struct tbuf_consumer *,
	    const struct tbuf_source *, const struct tbuf_header *);

/* The merge by time: 1 with *event, or 0 when all that is due was given. */
void	tbuf_merge_begin(struct tbuf_consumer *);
/* When the next one of all was recorded, or UINT64_MAX if there is none. */
uint64_t tbuf_merge_time(struct tbuf_consumer *);
int	tbuf_merge_next(struct tbuf_consumer *, struct tbuf_event *);

#endif
