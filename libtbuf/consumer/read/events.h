/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The events of a run: records, losses, ends of targets; and their order.
 */
#ifndef TBUF_CONSUMER_READ_EVENTS_H
#define TBUF_CONSUMER_READ_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "consumer/run/run.h"
#include "consumer/target/target.h"

/* ------------------------------------------------------------ records */

/* Looks up an EPID for the first time.  Returns NULL if it is invalid. */
const struct tbuf_epid *tbuf_epid_read(struct tbuf_consumer *,
	    struct tbuf_target *, uint16_t epid);

/* Looks up the EPID of a record.  Returns NULL if it is invalid. */
static inline const struct tbuf_epid *
tbuf_epid_find(struct tbuf_consumer *c, struct tbuf_target *t, uint16_t epid)
{
	if (epid < t->necbs_max && t->epids[epid].probe != NULL)
		return (&t->epids[epid]);
	return (tbuf_epid_read(c, t, epid));
}

/*
 * Reads a record's arguments into consumer->values, and the rest, without
 * times, into *record.  Returns false if the data do not have all arguments.
 */
bool	tbuf_record_decode(struct tbuf_consumer *, const struct tbuf_reader *,
	    const struct tbuf_header *, const struct tbuf_epid *,
	    struct tbuf_record *);

/*
 * tbuf_fault_decode() makes an event, without times, of the record of a fault,
 * and returns false if the record is invalid.  tbuf_fault_tell() fires the
 * script's ERROR clauses for it.
 */
bool	tbuf_fault_decode(struct tbuf_consumer *, const struct tbuf_reader *,
	    const struct tbuf_header *, struct tbuf_event *);
void	tbuf_fault_tell(struct tbuf_consumer *, const struct tbuf_event *);

/* Returns true if a record is not before the moment of a cut. */
bool	tbuf_reader_later(const struct tbuf_consumer *,
	    const struct tbuf_reader *, const struct tbuf_header *);
/* As tbuf_reader_peek(), but skips these, and a file's unwanted records. */
int	tbuf_reader_next(struct tbuf_consumer *, struct tbuf_reader *,
	    const struct tbuf_header **);

/*
 * resync.c: moves the position from an invalid record to the next valid one,
 * and counts the bytes between as damage.  `size`: of the invalid record, if
 * that is possible, else 0.
 */
void	tbuf_reader_resync(struct tbuf_consumer *, struct tbuf_reader *,
	    uint64_t size);
/*
 * Returns true for a valid record that is later than its successors, which are
 * valid, too: then its time is damaged.
 */
bool	tbuf_reader_outlier(struct tbuf_consumer *, struct tbuf_reader *,
	    const struct tbuf_header *);
/* Returns the offset of the next record in a batch whose first is invalid. */
uint64_t tbuf_batch_resync(struct tbuf_consumer *, const struct tbuf_reader *,
	    const void *bytes, uint64_t size);

/* Returns 1 with the next event of a lane, or 0 at the reader's end. */
int	tbuf_reader_event(struct tbuf_consumer *, struct tbuf_reader *,
	    struct tbuf_event *);
/* Clears the fields that records of arguments and most events do not set. */
static inline void
tbuf_event_clear(struct tbuf_event *event)
{
	const size_t from = offsetof(struct tbuf_record, npieces);

	event->after = event->before = 0;
	memset(event->reserved, 0, sizeof(event->reserved));
	memset((char *)&event->record + from, 0, sizeof(event->record) - from);
}

/*
 * Puts a lane that has returned a record on the fast path of
 * tbuf_consumer_next(), unless more than the EPID of each record must be
 * checked.
 */
void	tbuf_fast_begin(struct tbuf_consumer *, struct tbuf_reader *);
/* Fills in an event that counts something of a lane. */
void	tbuf_event_count(struct tbuf_event *, enum tbuf_event_type,
	    const struct tbuf_reader *, uint64_t count);

/*
 * Makes an event, with times, of a record of a lane.  Returns false if the
 * record is invalid.
 */
bool	tbuf_record_event(struct tbuf_consumer *, const struct tbuf_reader *,
	    const struct tbuf_header *, struct tbuf_event *);

/* Replaces a raw stack in the consumer's values by its frames. */
void	tbuf_stack_give(struct tbuf_consumer *, const struct tbuf_d_record *);
/* Replaces the numbers of interned texts in c->values by the texts. */
void	tbuf_interned_give(struct tbuf_consumer *, const struct tbuf_target *,
	    const struct tbuf_probe_info *);

/*
 * Adds the records in a batch's bytes from `at` on.  Returns false if there is
 * no memory.
 */
bool	tbuf_batch_add(struct tbuf_consumer *, struct tbuf_batch *,
	    const struct tbuf_reader *, uint64_t at);

/*
 * Speculations.  clean: takes the committed batches, which frees their ids.
 * commit: a lane's next record is a commit record; its batch is returned from
 * now on.  next: returns 1 with the batch's next record, or 0.
 */
void	tbuf_batches_clean(struct tbuf_consumer *);
void	tbuf_batch_commit(struct tbuf_consumer *, struct tbuf_reader *,
	    const struct tbuf_header *);
int	tbuf_batch_next(struct tbuf_consumer *, struct tbuf_reader *,
	    struct tbuf_event *);
/*
 * due: notes whether this drain reads the target's lanes.  Batches that were
 * taken before such a drain, and have no commit record in it, are lost.
 * unfinished: counts these as losses; at the target's end, opens a batch that
 * it was killed while committing, in its first lane, which may have an open
 * batch already.  Returns true if the lane has one.
 */
void	tbuf_batches_due(struct tbuf_target *, bool due);
bool	tbuf_batches_unfinished(struct tbuf_consumer *, struct tbuf_target *,
	    bool end);
/*
 * opens: returns true if a lane's next record stands for a batch; open: its
 * batch, if it exists, is returned from now on.  wants: returns true if the run
 * reads a record of a batch.  done: frees a lane's batch, unless a later drain
 * has to return it again.
 */
bool	tbuf_batch_opens(const struct tbuf_reader *,
	    const struct tbuf_header *);
void	tbuf_batch_open(struct tbuf_consumer *, struct tbuf_reader *,
	    const struct tbuf_header *);
bool	tbuf_batch_wants(struct tbuf_consumer *, struct tbuf_target *,
	    const struct tbuf_header *);
void	tbuf_batch_done(const struct tbuf_consumer *, struct tbuf_reader *);
/*
 * Work units.  look: frees tables after all of their batch was returned.
 * release: publishes how many records of a lane's units were returned.  is:
 * returns true if a lane's next record is an envelope or the commit record of a
 * unit; open: its batch is returned from now on.  unfinished: at the end, opens
 * the batch of an unfinished unit in the target's first lane, as above. losses:
 * returns 1 with the next kind of losses, or 0.  lost: stores those of records,
 * and returns true if there are any.  age: begins to look for hung units, if
 * the target records.  hung: returns 1 with the next event of one, or 0.
 */
void	tbuf_units_look(struct tbuf_consumer *);
void	tbuf_units_release(struct tbuf_reader *);
bool	tbuf_unit_is(const struct tbuf_reader *, const struct tbuf_header *);
void	tbuf_unit_open(struct tbuf_consumer *, struct tbuf_reader *,
	    const struct tbuf_header *);
bool	tbuf_units_unfinished(struct tbuf_consumer *, struct tbuf_target *,
	    bool due, bool end);
bool	tbuf_units_lost(struct tbuf_consumer *, struct tbuf_target *,
	    bool end, uint64_t lost[TBUF_UNIT_WITHOUT]);
int	tbuf_units_losses(struct tbuf_consumer *, struct tbuf_target *,
	    bool end, struct tbuf_event *);
void	tbuf_units_age(struct tbuf_consumer *, struct tbuf_target *,
	    bool records);
int	tbuf_units_hung(struct tbuf_consumer *, struct tbuf_target *,
	    struct tbuf_event *);
/*
 * A live target's file shows its units as of one moment.  hold: saves the
 * tables' counters before the watermark is taken.  copy: copies the tables
 * after it; -ENOMEM, also if hold had no memory.  cut: once all records before
 * it are committed, reads unfinished units again, and removes their later
 * records.
 */
void	tbuf_units_hold(struct tbuf_target *);
int	tbuf_units_copy(struct tbuf_consumer *, struct tbuf_target *);
void	tbuf_units_cut(struct tbuf_consumer *, struct tbuf_target *);
/* Returns 1 with the next kind of losses of speculations, or 0. */
int	tbuf_batches_losses(struct tbuf_consumer *, struct tbuf_target *,
	    struct tbuf_event *);

/* ------------------------------------------------------------ drains */

#define TBUF_DRAIN_SWITCH	0x1u	/* switch the lanes, read them */
#define TBUF_DRAIN_STATUS	0x2u	/* report the losses */
#define TBUF_DRAIN_ENDED	0x4u	/* a target has ended */
#define TBUF_DRAIN_LAST		0x8u	/* read and report everything */

/*
 * Begins a drain.  Lanes of an ended target are read in any drain, those of a
 * live target under fill or ring only in the last one.  Returns 0 or -ENOMEM.
 */
int	tbuf_drain_begin(struct tbuf_consumer *, unsigned what);
/*
 * Ends a drain: the events it returned are not used any more.  Frees targets
 * after their end was reported, since others wait for their space.
 */
void	tbuf_drain_end(struct tbuf_consumer *);
/* Returns true if this drain reports a counter of a target's lanes. */
bool	tbuf_drain_counts(const struct tbuf_drain *,
	    const struct tbuf_target *, unsigned counter);
/*
 * Opens the next batch without a commit record, once all lanes were read.
 * Returns its lane, or NULL if there is none.
 */
struct tbuf_reader *tbuf_drain_unfinished(struct tbuf_consumer *);
/*
 * Stores the records that units of a target have lost since the last report, if
 * this drain reports them.  Returns the next such target, or one of which all
 * units are known (*end); else NULL.
 */
struct tbuf_target *tbuf_drain_units_lost(struct tbuf_consumer *,
	    uint64_t lost[TBUF_UNIT_WITHOUT], bool *end);
/* Begins a drain of copies of the lanes.  Returns 0 or -ENOMEM. */
int	tbuf_drain_snapshot(struct tbuf_consumer *);
void	tbuf_drain_free(struct tbuf_consumer *);
/* Returns the drain's next event, as tbuf_consumer_next(). */
int	tbuf_drain_next(struct tbuf_consumer *, struct tbuf_event *);

/*
 * Save the data that may be overwritten before all records up to the watermark
 * are committed: before it is taken (hold), and right after (early: -ENOMEM).
 */
void	tbuf_drain_hold(struct tbuf_consumer *);
int	tbuf_drain_early(struct tbuf_consumer *);

/*
 * Take the watermark for a merge or a cut of live targets, before the ends of
 * lanes are read (note: 0 or -ENOMEM), and return it in ns (time).
 */
int	tbuf_watermark_note(struct tbuf_consumer *);
uint64_t tbuf_watermark_time(const struct tbuf_consumer *);

/* Returns a record's time in ns; it rises in a lane, and in a merge. */
uint64_t tbuf_reader_time(const struct tbuf_consumer *,
	    const struct tbuf_reader *, const struct tbuf_header *);

/* The merge by time. */
void	tbuf_merge_begin(struct tbuf_consumer *);
/* Returns the time of the next record, UINT64_MAX if there is none. */
uint64_t tbuf_merge_time(struct tbuf_consumer *);
/* Returns 1 with *event, or 0 if all due events were returned. */
int	tbuf_merge_next(struct tbuf_consumer *, struct tbuf_event *);

/* ------------------------------------------------------------ packets */

/* The memory of a packet that is not returned as it lies in a lane. */
struct tbuf_packed {
	struct tbuf_event fault;
	struct tbuf_unit_info unit;
	struct tbuf_batch_item *items;
	unsigned char *bytes;
};

/*
 * Makes a packet of a lane's open batch, which is done then, with all records
 * as in a lock lane.  Returns false if none is left or there is no memory.
 */
bool	tbuf_batch_pack(struct tbuf_consumer *, struct tbuf_reader *,
	    struct tbuf_packet *);
/* Returns the consumer's memory for packets, NULL if there is none. */
struct tbuf_packed *tbuf_packed_get(struct tbuf_consumer *);
void	tbuf_packed_free(struct tbuf_packed *);

/* ------------------------------------------------------------ unit tables */

/* Return the offset of a table's entry; read it (false: that failed). */
uint64_t tbuf_unit_entry_at(const struct tbuf_target *, uint32_t i);
bool	tbuf_unit_entry_read(const struct tbuf_target *, uint32_t i,
	    struct tbuf_unit_entry *);

/* Returns true if the target has unit tables that can be read now. */
bool	tbuf_units_any(const struct tbuf_target *);

/*
 * Reads the records in a table that the mask selects, which is a level if they
 * are selected by level.  Returns NULL without memory, or if the table has
 * another unit by now.
 */
struct tbuf_batch *tbuf_unit_table(struct tbuf_consumer *,
	    struct tbuf_target *, uint32_t i, const struct tbuf_unit_entry *,
	    uint32_t mask, bool by_level);

/*
 * Reads a unit that is BOUND, or ENDING: then it has ended, but its envelope or
 * commit record may be missing.  Returns NULL for another, or without memory.
 */
struct tbuf_batch *tbuf_unit_unfinished(struct tbuf_consumer *,
	    struct tbuf_target *, uint32_t i, const struct tbuf_unit_entry *);

/* Return the age of hung units (0: none is), and a unit's if it is hung. */
uint64_t tbuf_unit_hung_limit(const struct tbuf_consumer *,
	    const struct tbuf_target *);
uint64_t tbuf_unit_hung(const struct tbuf_target *,
	    const struct tbuf_unit_entry *, uint64_t limit);

/* Sets a batch's description of its unit. */
void	tbuf_unit_describe(const struct tbuf_target *, struct tbuf_batch *,
	    uint64_t kind, uint64_t id, uint64_t began);

/* ------------------------------------------------------------ replay */

/*
 * Replay: clauses over records of files.  Each record fires its probe again,
 * here, and the clauses' records are returned in its place.  Timers fire by the
 * records' times.
 *
 *	lanes ---> merge by time ---> record ---> clauses ---> next()
 *	                                |
 *	                                +--- a description without a clause
 */

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
