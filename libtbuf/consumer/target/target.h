/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target of a run, its session and its lanes.
 *
 * A target's memory is not trusted.  Positions and offsets that decide where
 * the consumer reads or writes are private copies (the area's layout, a
 * reader's positions), and every value read from the target is bounded where it
 * is used.
 */
#ifndef TBUF_CONSUMER_TARGET_TARGET_H
#define TBUF_CONSUMER_TARGET_TARGET_H

#include <sys/queue.h>
#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "consumer/decode/probe_ids.h"
#include "consumer/files/files.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"
#include "layout/layout.h"
#include "shared/control_file.h"
#include "shared/session_build.h"

struct tbuf_d_record;

struct tbuf_epid {
	const struct tbuf_probe_info *probe;	/* NULL: not read yet */
	const struct tbuf_record_layout *layout;	/* of its records */
	const struct tbuf_d_record *record;	/* of the clause */
	const struct tbuf_layout_gap *gaps;	/* of its texts; as in the */
	uint16_t ntexts;			/* layout, for raw_packet.c */
	uint16_t end;			/* layout->first + 1; 0: not wanted, or
					   not read yet */
	uint32_t enabling;
	bool clause;			/* the layout belongs to its clause */
	bool unwanted;			/* of a file: matches no description */
	bool plain;			/* records need the EPID checked only */
	bool refused;			/* by is_known(): it is invalid */
	uint32_t selection;		/* mask of its enabling or its probe */
};

/*
 * Counters of a lane: drops by enum tbuf_cause, overwritten records, values for
 * which its aggregation table had no room, and stores for which no variable was
 * free.
 */
#define TBUF_OVERWRITTEN	3
#define TBUF_AGGREGATION	4
#define TBUF_DYNAMIC		5
#define TBUF_COUNTERS		6
#define TBUF_NGAPS		(TBUF_OVERWRITTEN + 1)

/* Where a lane's losses by one counter are (lane_gaps.c). */
struct tbuf_gap {
	uint64_t low;			/* the counter after the last head was
					   read; UINT64_MAX: none was */
	uint64_t after;			/* time of a record before the losses
					   not yet reported, ns; 0: none */
	uint64_t high, next;		/* the counter before a head was read */
	uint64_t from;			/* no loss of `high` is from here on */
	uint64_t before;		/* time of the first record returned
					   from there on, ns; 0: none yet */
};

/* Which packets of a recording have reached its next gap (raw_packet.c). */
enum tbuf_gap_state {
	TBUF_GAP_AHEAD,		/* none */
	TBUF_GAP_BEGUN,		/* the next one, which has its drops */
	TBUF_GAP_COUNTED	/* one that has its drops */
};

/* Stamps around drops of a recording between two switches, or 0. */
struct tbuf_recorded_gap {
	uint64_t after, before;
	uint64_t drops[2];		/* by TBUF_CAUSE_FULL and _LARGE */
};

/* Copy of an aggregation table (agg_target_tables.c). */
struct tbuf_copied_table {
	uint64_t table, storage;	/* offset, bytes; 0: no table */
	unsigned char *entries;
	uint64_t entries_size;
	uint64_t *values;		/* of all entries, to the table's end */
	uint64_t values_size;
};

/* Thread-local variables; thread_variables.c frees those of dead threads. */
struct tbuf_blocks {
	struct tbuf_part part;		/* in the file; size 0: none */
	unsigned char *base;		/* mapped; NULL: not yet */
	uint64_t gone;			/* claims that are free again */
	uint64_t claims, drops;		/* as of the last look */
	uint64_t looked;		/* time of the last look, ns */
};

/* Elements of a session's arrays (shared_arrays.c). */
struct tbuf_elements_part {
	struct tbuf_part part;
	unsigned char *base;		/* mapped; NULL: not yet */
};

/* Counters of unit tables (units.c). */
enum {
	TBUF_UNIT_DROPS,
	TBUF_UNIT_OVERWRITTEN,
	TBUF_UNIT_DISCARDED,
	TBUF_UNIT_WITHOUT,
	TBUF_UNIT_COUNTERS
};

/* Work units of a session, as laid out. */
struct tbuf_unit_tables {
	uint32_t count;			/* tables; 0: none */
	bool wraps;
	uint64_t size;			/* bytes of a table */
	uint64_t at;			/* offset of struct tbuf_units */
	struct tbuf_unit_seen *seen;	/* one for each table */
	struct tbuf_reader *reader;	/* of the records in them */
	unsigned char *base;		/* mapped up to the tables, or NULL */
	uint64_t returned;		/* records of ended units returned */
	uint64_t released;		/* returned, and released in lanes */
	uint64_t refused;		/* records that no lane has taken */
	uint64_t reported[TBUF_UNIT_COUNTERS];
	uint32_t next;			/* next table to read at the end */
	uint32_t next_hung;		/* next table to look at: hung? */
	uint64_t hung;			/* units older than this are, ns */
	struct tbuf_unit_held *held;	/* copy of one moment, or NULL */
};

/* Switches of the aggregation tables (agg_table_switch.c). */
struct tbuf_turns {
	uint64_t count;
	uint64_t time;			/* of the last one, ns */
	uint64_t looked;		/* when tables were looked at, ns */
	bool backed;			/* the second tables are */
	bool stopped;			/* backing failed, or not safe */
	bool under_way;
};

struct tbuf_batch;
TAILQ_HEAD(tbuf_batches, tbuf_batch);

/* Speculations of a session (speculations.c), as laid out. */
struct tbuf_spec {
	uint32_t count;			/* speculation ids */
	uint32_t bytes;			/* of an id's buffer in a lane */
	uint64_t at;			/* offset of the first one */
	struct tbuf_batches batches;	/* read, and not yet returned */
	uint64_t retained;		/* bytes of batches in the list */
	uint64_t drops, overwritten;	/* records, not yet reported */
	uint64_t reported[2];		/* reported: busy, unavailable */
	uint32_t next;			/* next id to read at the end */
};

/* A lane as its consumer reads it. */
struct tbuf_reader {
	struct tbuf_target *target;
	struct tbuf_lane *lane;		/* in the target's file */
	uint32_t index;			/* in the lanes array */
	int cpu;
	bool locked;
	bool is_thread_lane;		/* a thread lane: cpu is -1 */
	uint64_t data, storage, size;	/* as laid out */
	uint64_t position;		/* of the next byte to return */
	uint64_t end;			/* end of this drain's records */
	uint64_t limit;			/* up to here the writer may store */
	uint64_t filled;		/* the limit when drops that are not yet
					   reported came */
	uint64_t gap_from;		/* temporal: no losses of this drain are
					   before this position; UINT64_MAX:
					   there are none, or it is known */
	uint64_t backed;		/* bytes of storage, from its start */
	uint64_t last_fill;		/* head when early_switch.c looked */
	uint64_t time;			/* of the last record returned, ns */
	uint64_t stamp;			/* of the last record, ticks */
	uint64_t latest;		/* no record is later; ticks */
	uint64_t next_time;		/* temporal: of the next record, ns */
	uint64_t fetched;		/* position of the chunk's first byte */
	uint64_t fetched_size;
	unsigned char *chunk;		/* the drain's, or `own` */
	uint64_t most;			/* bytes to fetch into the drain's */
	unsigned char *own;		/* temporal, snapshot: malloc'ed */
	bool snapshot;			/* `own` has all up to `end` */
	uint64_t batch_time;		/* of the last batch opened, ns */
	bool awaits;			/* a gap has no `before` yet */
	bool unplaced;			/* some damage was in a batch */
	struct tbuf_gap gaps[TBUF_NGAPS];	/* by counter */
	bool recorded;			/* of a recording: all of its drops lie
					   between these stamps, or 0 */
	uint64_t drops_after, drops_before;
	const struct tbuf_recorded_gap *recorded_gaps;	/* next ones of them */
	uint32_t nrecorded_gaps;
	enum tbuf_gap_state gap_state;	/* of the next one, for packets */
	uint64_t until;			/* last stamp of the next packet */
	uint64_t damage;		/* bytes skipped, not yet reported */
	uint64_t skipped;		/* lane.skipped, as read last */
	uint64_t consumed;		/* records returned so far */
	uint64_t unit_returned;		/* units' records since last release */
	uint64_t reported[TBUF_COUNTERS];	/* each counter, as reported */
	uint64_t nolane[TBUF_NLOST];	/* last values, once closed */
	bool nolane_closed;
	uint64_t taken;			/* lane.taken, while the lock is held */
	uint64_t held_since;		/* time when that was first seen, ns */
	bool retired;
	uint64_t counters;	/* offset of struct tbuf_lane_counters */
	struct tbuf_copied_table tables[2];	/* copies of its tables */
	struct tbuf_batch *batch;	/* being returned, or NULL */
};

/*
 * A target is one exec image of a process: from its first constructor to
 * exec(2), or to its end.  States of the process, seen from this image
 * (state.c):
 *
 *	        exec          the new program cannot be traced
 *	ALIVE ------> EXECED ----> CLOSED
 *	  |            |             |
 *	  |            |             |	the new image is a target
 *	  +------------+-------------+---> REPLACED
 *	  |            |             |         |
 *	  |            v             v         |
 *	  +---------> DEAD <-------------------+  the process has ended
 *	  |            ^ |                     |
 *	  v            | +---> REPORTED <------+  all its records were returned
 *	RESIGNED ------+	the image has given this consumer up
 *
 * A run continues while a process has an image that is ALIVE, EXECED or CLOSED.
 * A target that is REPORTED is freed before the next wait.  A file without a
 * process is DEAD from the start.  A truncated file makes its target REPORTED
 * at once.  A RESIGNED target is drained; after that only its end is reported.
 */
enum tbuf_target_state {
	TBUF_ALIVE,
	TBUF_EXECED,		/* the image has called exec */
	TBUF_CLOSED,		/* EXECED, and the new image is untraceable */
	TBUF_REPLACED,		/* another image is a target now */
	TBUF_RESIGNED,		/* its session is over, it runs on */
	TBUF_DEAD,		/* its last records are to be returned */
	TBUF_REPORTED		/* its records and its end were reported */
};

/*
 * The session that this consumer has in a target:
 *
 *	      the bits are set        an ended image was drained
 *	NONE -----------------> ACTIVE ------> DRAINED
 *	  ^                       |              |
 *	  |                       v              |
 *	  +------------------- STOPPED <---------+  no thread can enter any more
 *	  |   the slot is         |
 *	  |   released            v
 *	  +------------------- RETIRED	a thread may still be inside
 *
 * A session may have records in all states from ACTIVE on, except for DRAINED.
 */
enum tbuf_session_state {
	TBUF_SESSION_NONE,
	TBUF_SESSION_DRAINED,
	TBUF_SESSION_ACTIVE,
	TBUF_SESSION_STOPPED,
	TBUF_SESSION_RETIRED
};

/* Time without a sign of life after which a target gives its consumer up. */
#define TBUF_DEADLINE	(30 * TBUF_SECOND)

struct tbuf_target {
	TAILQ_ENTRY(tbuf_target) link;
	pid_t pid;			/* in this process's pid namespace */
	int pidfd;			/* -1: a file without a process */
	int fd;				/* its control file */
	bool child;			/* it is the command */
	bool named_by_user;		/* grabbed by pid, or the command */
	bool untraceable;		/* reported as no target */
	bool without_libtbuf;		/* its next image has no control file */
	bool truncated;			/* its file was: parts read as zero */
	enum tbuf_target_state state;
	bool file_only;			/* tbuf_consumer_open_file() */
	unsigned file_slot;		/* slot of the session in that file */
	uint64_t cut;			/* first missing byte; 0: none */
	bool changing;			/* file_only: the target is alive */
	bool foreign;			/* file_only: another user's */
	uint64_t recording;		/* hash of the name of the recording
					   that it is part of; 0: none */
	uint64_t start_time;		/* start of its image, ns; 0: command */
	uint64_t charged;		/* bytes taken off the budget */
	uint64_t backed;		/* bytes that its program has backed:
					   tables, variables, units */
	char name[TBUF_NAME_MAX];	/* in the runtime directory, or "" */
	unsigned spare;			/* 0, or 1 + the number of the spare
					   that its file is to be */
	char execname[16];		/* copied at its first record */
	struct tbuf_view view;
	bool live;			/* TBUF_STAGE_LIVE has been seen */
	bool mapped;			/* its mappings have been read */
	unsigned nstored;		/* mappings that its file has by now */
	uint64_t stored;		/* bytes of those in its session */
	bool sampled;			/* profile-N samples its threads */
	bool sampled_only;		/* has no file, and gets no session */
	int exit_status;		/* -1: by a signal, or not known */
	int exit_signal;		/* 0: none */

	int slot;			/* -1: no session */
	enum tbuf_session_state session;
	uint64_t area, area_end;
	uint64_t generation;
	struct tbuf_order order;
	struct tbuf_area layout;
	struct tbuf_timeline time;
	uint64_t watermark;		/* all before is committed; ticks */
	uint32_t necbs_max;
	struct tbuf_epid *epids;	/* array of necbs_max */
	uint64_t clauses;		/* offset in the file; 0: none */
	struct tbuf_part texts;
	struct tbuf_part globals;
	struct tbuf_blocks blocks;
	struct tbuf_elements_part elements;
	struct tbuf_spec spec;
	struct tbuf_turns turns;
	struct tbuf_unit_tables units;
	uint32_t npieces;		/* own layouts, and all their pieces */
	struct tbuf_reader *readers;
	unsigned nreaders;
	struct tbuf_recorded_gap *recorded_gaps;	/* of all readers */
	uint32_t first_lock;		/* reader index of lock lane 0 */
	uint64_t growth;		/* ns between looks at lanes that grow;
					   0: none do */
	uint64_t next_growth;
	unsigned looks;			/* at lanes while it was young */
	unsigned nchunks;		/* chunks of thread lanes added */
	uint64_t swept;			/* last sweep for dead threads, ns */
	uint64_t next_pool;		/* no thread lanes added before, ns */
	const struct tbuf_probe_info **probes;	/* by index; NULL: not read */
	uint64_t lost;			/* lost_probes, as reported */
	uint64_t waiting;		/* probes with a semaphore not raised */
	uint32_t unmet_seen;		/* slot.unmet at the last look */
	uint64_t unmet;			/* probes without an ECB, as reported */
	uint32_t unfit_seen;		/* slot.unfit at the last look */
	uint64_t unfit;			/* probes clauses don't fit, reported */
	uint32_t children_seen;		/* slot.children at the last look */
	uint32_t flushes_seen;		/* slot.flushes at the last look */
	uint32_t snapshots_seen;	/* slot.snapshots at the last look */
};

TAILQ_HEAD(tbuf_target_list, tbuf_target);

/* Returns the slot of a target's session; the target has to have one. */
static inline struct tbuf_slot *
tbuf_target_slot(const struct tbuf_target *t)
{
	return (tbuf_view_slot(&t->view, t->file_only ? t->file_slot :
	    (unsigned)t->slot));
}

/* Returns the program's name, as the target had it at its first record. */
const char *tbuf_target_execname(struct tbuf_target *);

/* ------------------------------------------------------------ states */

void	tbuf_target_leave(struct tbuf_target *);
void	tbuf_target_close(struct tbuf_target *);
void	tbuf_target_replace(struct tbuf_target *);
void	tbuf_target_resign(struct tbuf_target *);
void	tbuf_target_die(struct tbuf_target *);
void	tbuf_target_tell(struct tbuf_target *);

/* Returns true unless the process of an image is known to have ended. */
static inline bool
tbuf_target_runs(const struct tbuf_target *t)
{
	return (t->state < TBUF_DEAD);
}

void	tbuf_session_begin(struct tbuf_target *);
void	tbuf_session_drain(struct tbuf_target *);
void	tbuf_session_stop(struct tbuf_target *);
void	tbuf_session_retire(struct tbuf_target *);
void	tbuf_session_end(struct tbuf_target *);

/* Returns true if the session may have records. */
static inline bool
tbuf_session_holds(const struct tbuf_target *t)
{
	return (t->session >= TBUF_SESSION_ACTIVE);
}

static inline bool
tbuf_session_stopped(const struct tbuf_target *t)
{
	return (t->session >= TBUF_SESSION_STOPPED);
}

/* ------------------------------------------------------------ processes */

/* Returns how many of these bytes the file has, which may be truncated. */
static inline uint64_t
tbuf_target_known(const struct tbuf_target *t, uint64_t at, uint64_t size)
{
	uint64_t known = t->cut > at ? t->cut - at : 0;

	return (t->cut != 0 && known < size ? known & ~UINT64_C(7) : size);
}

/* Reads bytes of the file.  Returns false unless it has all of them. */
static inline bool
tbuf_target_read(const struct tbuf_target *t, void *to, uint64_t size,
    uint64_t at)
{
	return (tbuf_target_known(t, at, size) == size &&
	    tbuf_file_read(t->fd, to, size, at));
}

/* Returns how many of these bytes another process's file really has. */
static inline uint64_t
tbuf_target_present(const struct tbuf_target *t, uint64_t at, uint64_t size)
{
	size = tbuf_target_known(t, at, size);
	return (t->file_only ? tbuf_file_present(t->fd, at, size) : size);
}

/* Makes a target DEAD, and finds out its exit status if possible. */
void	tbuf_target_ended(struct tbuf_target *);

/* Returns true for files of two copies of the library in one exec image. */
bool	tbuf_target_same_image(const struct tbuf_target *,
	    const struct tbuf_target *);
/* Returns true for exec images of one process. */
bool	tbuf_target_same(const struct tbuf_target *,
	    const struct tbuf_target *);

/* Looks whether a waiting file has a target by now. */
void	tbuf_target_refresh(struct tbuf_target *);

/* Postpones the time when the target gives its consumer up. */
void	tbuf_target_deadline(struct tbuf_target *);

/* Does so for all targets, from *next on, which it advances. */
void	tbuf_targets_postpone(struct tbuf_target_list *, uint64_t *next);

/* ------------------------------------------------------------ session */

/*
 * Adopts a session that is in the target's file already: maps the view with
 * these flags, and fills in the fields that reading needs.  Returns 0, -EINVAL
 * if the session is damaged, or another -errno.
 */
int	tbuf_session_adopt(struct tbuf_target *, unsigned slot, int flags,
	    struct tbuf_session *);

/*
 * tbuf_part_map() maps a part of the file, unless it is mapped already.
 * Returns false if there is no such part, or mapping fails.
 */
bool	tbuf_part_map(const struct tbuf_target *, const struct tbuf_part *,
	    unsigned char **base);
void	tbuf_part_unmap(const struct tbuf_part *, unsigned char **base);

/* Frees cached EPIDs. */
void	tbuf_epids_free(struct tbuf_target *);

/*
 * Raises the semaphores of enabled probes and lowers the others, after enable
 * words have changed.
 */
void	tbuf_semaphores_settle(struct tbuf_target *);

/*
 * Releases a target's slot, and removes its file from this directory if it is
 * an orphan without unread records; dirfd -1: the file stays.
 */
void	tbuf_target_detach(struct tbuf_consumer *, struct tbuf_target *,
	    int dirfd);

/* Removes a dead target's file after its last reader.  Returns true if so. */
bool	tbuf_target_reap(const struct tbuf_consumer *, struct tbuf_target *,
	    int dirfd);

/* ------------------------------------------------------------ lanes */

/* Builds the readers from a private copy of the lanes; -ENOMEM. */
int	tbuf_readers_make(struct tbuf_target *, const struct tbuf_lane *);
/*
 * Builds one reader; there is room for layout.nlanes_max.  tbuf_target_lane()
 * returns the lane's words in the file.
 */
void	tbuf_reader_make(struct tbuf_target *, uint32_t index,
	    const struct tbuf_lane *);
struct tbuf_lane *tbuf_target_lane(const struct tbuf_target *, uint32_t index);
void	tbuf_readers_free(struct tbuf_target *);
/* Frees the copy of a table, which is read again from its start. */
void	tbuf_copied_table_free(struct tbuf_copied_table *);

/*
 * Takes over the limits of lanes that are backed only up to these, in a session
 * that its target has built (TBUF_S_GROW).
 */
void	tbuf_lanes_small(struct tbuf_target *, const struct tbuf_lane *);
/*
 * Backs a lane's storage up to `limit`.  Returns false if that fails, or the
 * target writes no more.
 */
bool	tbuf_reader_grow(struct tbuf_reader *, uint64_t limit);
/* Looks at a target's small lanes, and backs more of those in use. */
void	tbuf_lanes_look(struct tbuf_target *, uint64_t now);

/* Sets a reader's end: switches the lane, or takes all that it has. */
void	tbuf_reader_bound(struct tbuf_reader *, enum tbuf_policy);

/*
 * Returns 1 with the next record before the end in *header, 0 at the end, or -1
 * if the bytes at the position are no record (tbuf_reader_resync()).  Bytes
 * that a file lacks are skipped and counted in `damage`.
 */
int	tbuf_reader_peek(struct tbuf_reader *, const struct tbuf_header **);
/* Returns the next record if it is valid and all in memory, else NULL. */
const struct tbuf_header *tbuf_reader_fetched(const struct tbuf_reader *);
/* Returns the bytes in memory from the position on, and their number. */
const unsigned char *tbuf_reader_rest(const struct tbuf_reader *,
	    uint64_t *size);

/*
 * Returns the bytes in memory from the position on, as above, but at least
 * `want` of them, unless fewer remain.  Moves the position if a ring's writer
 * has overtaken it.  Returns NULL if they cannot be read.
 */
const unsigned char *tbuf_reader_ahead(struct tbuf_reader *, uint64_t want,
	    uint64_t *size);
/* Skips all bytes up to the reader's end, as damage. */
void	tbuf_reader_skip(struct tbuf_reader *);

/*
 * Gaps.  open and close: are called before and after a head is read.  last:
 * returns the time of the lane's last record returned, 0 if there was none.
 * get: sets the times between which the losses are by which a counter, which
 * has been reported by now, exceeds its report before; 0: there is no record.
 */
void	tbuf_gaps_open(struct tbuf_reader *);
void	tbuf_gaps_close(struct tbuf_reader *);
uint64_t tbuf_gaps_last(const struct tbuf_reader *);
void	tbuf_gap_get(const struct tbuf_reader *, unsigned counter,
	    uint64_t reported, uint64_t *after, uint64_t *before);
void	tbuf_gaps_note(struct tbuf_reader *, uint64_t time);
/*
 * Before a merge.  expect: finds where in its records a lane may have losses.
 * reached: returns true, once, when all records before that were returned, and
 * stores the times around them.
 */
void	tbuf_gaps_expect(struct tbuf_reader *);
bool	tbuf_gaps_reached(struct tbuf_reader *, uint64_t *after,
	    uint64_t *before);
/* Notes the time of the record at the position for gaps that end there. */
static inline void
tbuf_gaps_record(struct tbuf_reader *r, uint64_t time)
{
	if (r->awaits)
		tbuf_gaps_note(r, time);
}

/*
 * Counts damage in a batch.  Its records may be older than the lane's before
 * them, so that no times of the lane are around them.
 */
static inline void
tbuf_reader_unplaced(struct tbuf_reader *r, uint64_t size)
{
	r->damage += size;
	r->unplaced |= size != 0;
}

/* Returns true if a record may have this size, with `left` bytes remaining. */
static inline bool
tbuf_record_plausible(uint16_t size, uint64_t left)
{
	return (size >= sizeof(struct tbuf_header) && size % 8 == 0 &&
	    size <= TBUF_RECORD_MAX && size <= left);
}

/* Returns the bytes of a record before its data: of a lock lane's, the CPU. */
static inline size_t
tbuf_reader_head(const struct tbuf_reader *r)
{
	return (r->locked ? sizeof(struct tbuf_lock_record) :
	    sizeof(struct tbuf_header));
}

/* Returns true if a record of a lane may have this size. */
static inline bool
tbuf_reader_plausible(const struct tbuf_reader *r, uint16_t size, uint64_t left)
{
	return (size >= tbuf_reader_head(r) &&
	    tbuf_record_plausible(size, left));
}

/* Returns true if a record's time is possible after those before it. */
static inline bool
tbuf_reader_timely(const struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	return (header->time - r->stamp <= r->latest - r->stamp);
}

/*
 * Returns true unless the next header, as far as it is in memory with `left`
 * bytes from this one on, has an earlier time: one of both is damaged.
 */
static inline bool
tbuf_record_precedes(const struct tbuf_header *header, uint64_t left)
{
	const struct tbuf_header *next = (const void *)
	    ((const char *)header + header->size);

	return (left < header->size + sizeof(*next) ||
	    next->time >= header->time);
}

/* Passes a valid record. */
static inline void
tbuf_reader_step(struct tbuf_reader *r, const struct tbuf_header *header)
{
	r->stamp = header->time;
	r->position += header->size;
}

/*
 * Releases the bytes before the position to the writer.  Returns false if there
 * is nothing to release: under ring, and in a file.
 */
bool	tbuf_reader_release(struct tbuf_reader *);
/* Copies a lane up to the reader's end, for a snapshot: -ENOMEM. */
int	tbuf_reader_copy(struct tbuf_reader *);
/*
 * Copies a ring that has wrapped, once its last record is at its target's
 * watermark or later: all earlier records are then committed.  They are also if
 * nothing has been recorded for a while since (`quiet`): a section that was
 * under way at the watermark has been aborted, and takes a new time.  Returns
 * false if the caller has to try again.
 */
bool	tbuf_reader_early(struct tbuf_reader *, bool quiet);
/* Sets the end for a lane in a file, and changes nothing there: -ENOMEM. */
int	tbuf_reader_look(struct tbuf_reader *);
void	tbuf_reader_forget(struct tbuf_reader *);

/* Reads a lane's additional counters, or zeroes if they cannot be read. */
void	tbuf_reader_counters(const struct tbuf_reader *,
	    struct tbuf_lane_counters *);

/* Takes over a session's unit tables: -EINVAL if they are damaged, -ENOMEM. */
int	tbuf_units_adopt(struct tbuf_target *, const struct tbuf_part *,
	    const struct tbuf_terms *);
void	tbuf_units_free(struct tbuf_target *);

/* Frees batches that were not returned. */
void	tbuf_batches_free(struct tbuf_target *);

/* Returns the losses counted at a lane's lock while all lanes were busy. */
uint64_t tbuf_reader_nolane(const struct tbuf_reader *, enum tbuf_lost);
/* Returns the present value of a counter of a lane. */
uint64_t tbuf_reader_counter(const struct tbuf_reader *, unsigned counter);

/*
 * Returns a record's data and their size, and stores its CPU.  In a record of a
 * lock lane the CPU comes before the data.
 */
const void *tbuf_record_data(const struct tbuf_reader *,
	    const struct tbuf_header *, size_t *size, int *cpu);

/* ------------------------------------------------------------ batches */

/*
 * A batch: records of a speculation or a unit that a target has kept apart,
 * and that are returned in the place of a commit record or an envelope.
 */

/* A record of a batch. */
struct tbuf_batch_item {
	const struct tbuf_header *header;
	const struct tbuf_reader *reader;
};

struct tbuf_batch {
	TAILQ_ENTRY(tbuf_batch) link;
	uint32_t id;			/* from 0 on */
	uint64_t instance;
	uint64_t drops;			/* records without room */
	uint64_t damage;		/* bytes skipped, not yet counted */
	bool due;			/* the commit record is overdue */
	bool retained;			/* it is in the session's list */
	unsigned count, next;		/* of records; next to return */
	uint64_t size;
	unsigned char *bytes;		/* copied from the lanes */
	struct tbuf_batch_item *items;	/* sorted by time */
	bool unit;			/* of a work unit, described by info */
	bool announced;			/* its unit is hung, which was told */
	struct tbuf_unit_info info;
};

void	tbuf_batch_free(struct tbuf_target *, struct tbuf_batch *);

/* ------------------------------------------------------------ unit tables */

/* Progress in a table. */
struct tbuf_unit_seen {
	uint64_t returned;		/* instance last returned */
	uint64_t noted;			/* instance DONE before this drain */
	uint64_t hung;			/* instance last returned as hung */
	uint64_t committed;		/* records of units ended before it */
};

/* Sums over all tables. */
struct tbuf_unit_sums {
	uint64_t counters[TBUF_UNIT_COUNTERS];
	uint64_t committed, returned;	/* records of units that have ended */
};

/* The units of a live target at one moment. */
struct tbuf_unit_held {
	struct tbuf_unit_sums sums;
	bool copied;
	struct tbuf_batch **done;	/* with commit records, or NULL */
	struct tbuf_batch *batches[];	/* units in flight, then `done` */
};

/* Returns true if an entry's word is of this session and in that state. */
static inline bool
tbuf_unit_in(uint64_t generation, uint64_t word, enum tbuf_unit_state state)
{
	return (word == tbuf_unit_word(generation, tbuf_unit_instance(word),
	    state));
}

/*
 * Maps the header of a target's unit tables, once.  Returns NULL if it cannot
 * be mapped.
 */
struct tbuf_units *tbuf_units_map(struct tbuf_target *);

/* ------------------------------------------------------------ threads */

/*
 * The threads of a target, by the ids that they have in their own namespace.
 */

struct tbuf_tasks {
	uint64_t *tids;
	size_t count, room;
	bool ours;			/* in our own pid namespace */
	bool whole;			/* the list is complete */
};

/* Lists a target's threads, for tbuf_tasks_free(); false on failure. */
bool	tbuf_tasks_list(const struct tbuf_target *, struct tbuf_tasks *);
void	tbuf_tasks_free(struct tbuf_tasks *);

/* Returns false only if the thread has certainly ended before the listing. */
bool	tbuf_tasks_has(const struct tbuf_target *, const struct tbuf_tasks *,
	    uint64_t tid);

#endif
