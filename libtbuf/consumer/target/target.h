/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target of a run, its session and its lanes.
 *
 * A target's memory is looked at with distrust: what decides where this side
 * reads or writes is kept in private copies (the plan, a source's positions),
 * and what has to be read from the target is bounded where it is used.
 */
#ifndef TBUF_CONSUMER_TARGET_TARGET_H
#define TBUF_CONSUMER_TARGET_TARGET_H

#include <sys/queue.h>
#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "shared/control_file.h"
#include "shared/session_build.h"
#include "consumer/files/files.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"
#include "layout/layout.h"

struct tbuf_d_record;

struct tbuf_epid {
	const struct tbuf_probe_info *probe;	/* NULL: not looked at yet */
	const struct tbuf_record_layout *layout;	/* of its records */
	const struct tbuf_d_record *record;	/* of a script's clause */
	uint32_t enabling;
	bool clause;			/* the layout is its clause's own */
	bool unwanted;			/* out of a file: nothing matches it */
	bool plain;			/* its records need no look but this */
	uint32_t selection;		/* its enabling's or its probe's */
};

/*
 * A lane's counters: drops by enum tbuf_cause, what was overwritten, values
 * that its aggregation table had no room for, and stores that no variable was
 * left for.
 */
#define TBUF_OVERWRITTEN	3
#define TBUF_AGGREGATION	4
#define TBUF_DYNAMIC		5
#define TBUF_COUNTERS		6

/* An aggregation table, and what was read of it (agg_target_tables.c). */
struct tbuf_seen {
	uint64_t table, storage;	/* offset, bytes; 0: there is none */
	unsigned char *entries;
	uint64_t entries_size;
	uint64_t *values;		/* of all of them, to the table's end */
	uint64_t values_size;
};

/* Threads' variables, as they are cleaned (thread_variables.c). */
struct tbuf_blocks {
	struct tbuf_part part;		/* in the file; of 0 bytes: none */
	unsigned char *base;		/* mapped; NULL: not so far */
	uint64_t gone;			/* of the claims that were counted */
	uint64_t claims, drops;		/* when they were looked at last */
	uint64_t looked;		/* ns */
};

/* Where a session's elements of arrays are (shared_arrays.c). */
struct tbuf_elements_part {
	struct tbuf_part part;
	unsigned char *base;		/* mapped; NULL: not so far */
};

/* Counters of work units' tables (units.c). */
enum {
	TBUF_UNIT_DROPS,
	TBUF_UNIT_OVERWRITTEN,
	TBUF_UNIT_DISCARDED,
	TBUF_UNIT_WITHOUT,
	TBUF_UNIT_COUNTERS
};

/* Work units of a session, as they were planned. */
struct tbuf_unit_tables {
	uint32_t count;			/* 0: there are none */
	bool wraps;
	uint64_t size;			/* bytes of a table */
	uint64_t at;			/* offset of struct tbuf_units */
	struct tbuf_unit_seen *seen;	/* of each table */
	struct tbuf_source *source;	/* what their records come of */
	unsigned char *base;		/* mapped up to the tables, or NULL */
	uint64_t given;			/* records of units that have ended */
	uint64_t released;		/* ... and whose lanes go on behind */
	uint64_t told[TBUF_UNIT_COUNTERS];
	uint32_t left;			/* the table that is next at the end */
	struct tbuf_unit_held *held;	/* of a file that changes, or NULL */
};

/* How its tables turn (agg_table_switch.c). */
struct tbuf_turns {
	uint64_t count;
	uint64_t time;			/* of the last one, ns */
	bool backed;			/* the second ones are */
	bool stopped;			/* that cannot be, or is not safe */
	bool under_way;
};

struct tbuf_batch;
TAILQ_HEAD(tbuf_batches, tbuf_batch);

/* Speculations of a session (speculations.c), as they were planned. */
struct tbuf_spec {
	uint32_t count;			/* ids */
	uint32_t bytes;			/* of an id's buffer of a lane */
	uint64_t at;			/* offset of the first one */
	struct tbuf_batches batches;	/* taken, and not given so far */
	uint64_t kept;			/* bytes that these take */
	uint64_t drops, overwritten;	/* records of batches, to be told */
	uint64_t told[2];		/* busy and unavailable */
	uint32_t left;			/* the next batch's id, at the end */
};

/* A lane as its consumer sees it. */
struct tbuf_source {
	struct tbuf_target *target;
	struct tbuf_lane *lane;		/* in the target's file */
	uint32_t index;			/* in the lanes array */
	int cpu;
	bool locked;
	bool beside;			/* a thread's side lane: cpu is -1 */
	uint64_t data, storage, size;	/* as they were planned */
	uint64_t position;		/* the next byte to give */
	uint64_t mark;			/* give up to here this time */
	uint64_t limit;			/* how far the writer may go */
	uint64_t backed;		/* bytes of storage, from its start */
	uint64_t paced;			/* the lane's head at the last look */
	uint64_t time;			/* of the last record given, ns */
	uint64_t next_time;		/* temporal: of the next one */
	uint64_t fetched;		/* position that chunk begins with */
	uint64_t fetched_size;
	unsigned char *chunk;		/* the round's, or an own one */
	unsigned char *own;		/* temporal, snapshot: malloc'ed */
	bool snapshot;			/* `own` holds all of it */
	uint64_t damage;		/* bytes skipped, to be told */
	uint64_t consumed;		/* records ever given */
	uint64_t unit_given;		/* of units, since the last release */
	uint64_t told[TBUF_COUNTERS];	/* of each counter, by now */
	uint64_t nolane[TBUF_NLOST];	/* their last values, once closed */
	bool nolane_closed;
	uint64_t taken;			/* a held lock's mark of its taking */
	uint64_t held_since;		/* when that was first seen, ns */
	bool retired;
	uint64_t side;			/* offset of struct tbuf_side */
	struct tbuf_seen seen[2];	/* its tables */
	struct tbuf_batch *batch;	/* given in a mark's place, or NULL */
};

/*
 * A target is one image of a process: from its first constructor to exec(2), or
 * to its end.  What the process has made of it (state.c):
 *
 *	        exec          the new program cannot be looked at
 *	ALIVE ------> LEFT ------> CLOSED
 *	  |            |             |
 *	  |            |             |	the new image is a target
 *	  +------------+-------------+---> REPLACED
 *	  |            |             |         |
 *	  |            v             v         |
 *	  +---------> DEAD <-------------------+  the process has ended
 *	  |            ^ |                     |
 *	  v            | +-----> TOLD <--------+  all of its records were given
 *	RESIGNED ------+	the image has given this consumer up
 *
 * A process whose images are ALIVE, LEFT or CLOSED keeps a run going; one that
 * is TOLD is let go before the next wait.  A file without a process is DEAD
 * from the start.  Where the file has been truncated, TOLD comes at once.
 * One that is RESIGNED is drained, and its end is all that is told of it then.
 */
enum tbuf_life {
	TBUF_ALIVE,
	TBUF_LEFT,		/* by exec: its image is gone */
	TBUF_CLOSED,		/* and the new one is not to be had */
	TBUF_REPLACED,		/* or the new one is a target */
	TBUF_RESIGNED,		/* its session is over, it goes on */
	TBUF_DEAD,		/* its last records are to be given */
	TBUF_TOLD		/* they were, and its end was told */
};

/*
 * Its session here:
 *
 *	      the bits are set        an image that is gone was drained
 *	NONE -----------------> ACTIVE ------> DRAINED
 *	  ^                       |              |
 *	  |                       v              |
 *	  +------------------- STOPPED <---------+  nobody can enter any more
 *	  |   the slot is         |
 *	  |   given back          v
 *	  +------------------- RETIRED	somebody may still be inside
 *
 * Records may be there from ACTIVE on, but in DRAINED.
 */
enum tbuf_session_state {
	TBUF_SESSION_NONE,
	TBUF_SESSION_DRAINED,
	TBUF_SESSION_ACTIVE,
	TBUF_SESSION_STOPPED,
	TBUF_SESSION_RETIRED
};

/* Without a sign of life of its consumer a target goes on by itself. */
#define TBUF_DEADLINE	(30 * TBUF_SECOND)

struct tbuf_target {
	TAILQ_ENTRY(tbuf_target) link;
	pid_t pid;			/* as this process knows it */
	int pidfd;			/* -1: a file without a process */
	int fd;				/* its control file */
	bool child;			/* the command */
	bool asked;			/* by its pid, or the command */
	bool missed;			/* told that it is no target */
	bool stranger;			/* its image by exec has no file */
	bool truncated;			/* its view has zeroes in it since */
	enum tbuf_life life;
	bool file_only;			/* tbuf_consumer_open_file() */
	unsigned file_slot;		/* and then the slot that it is of */
	uint64_t cut;			/* known up to here; 0: all of it is */
	bool changing;			/* and its file is still written */
	bool foreign;			/* and was another user's */
	uint64_t born;			/* its image, ns; 0: the command */
	uint64_t charged;		/* bytes taken off the budget */
	uint64_t backed;		/* what its program has taken off it:
					   tables, variables, units, too */
	char name[TBUF_NAME_MAX];	/* in the runtime directory, or "" */
	struct tbuf_view view;
	bool live;			/* TBUF_STAGE_LIVE has been seen */
	bool mapped;			/* its maps have been read */
	unsigned nleft;			/* of its image's, in its file by now */
	uint64_t left;			/* bytes of them, in the session's */
	bool sampled;			/* its threads were, by profile-N */
	int exit_status;		/* -1: by a signal, or not known */
	int exit_signal;		/* or 0 */

	int slot;			/* -1: no session */
	enum tbuf_session_state session;
	uint64_t area, area_end;
	uint64_t generation;
	struct tbuf_order order;
	struct tbuf_plan plan;
	struct tbuf_timeline time;
	uint64_t horizon;		/* all before it is committed; ticks */
	uint32_t necbs_max;
	struct tbuf_epid *epids;	/* necbs_max */
	uint64_t clauses;		/* offsets in the file; 0: none */
	struct tbuf_part texts;
	struct tbuf_part globals;
	struct tbuf_blocks blocks;
	struct tbuf_elements_part elements;
	struct tbuf_spec spec;
	struct tbuf_turns turns;
	struct tbuf_unit_tables units;
	uint32_t npieces;		/* of own layouts, and one for each */
	struct tbuf_source *sources;
	unsigned nsources;
	uint32_t first_lock;		/* index of the source of lock 0 */
	uint64_t growth;		/* until small lanes are looked at, ns;
					   0: there are none */
	uint64_t next_growth;
	unsigned nchunks;		/* of side lanes that were added */
	uint64_t swept;			/* when dead threads were sought, ns */
	uint64_t next_pool;		/* no lanes are added before, ns */
	const struct tbuf_probe_info **probes;	/* by index, NULL: not read */
	uint32_t lost;			/* lost_probes that were told */
	uint64_t waiting;		/* probes whose semaphore stays down */
	uint32_t unmet_seen;		/* the slot's counter, as last seen */
	uint64_t unmet;			/* probes not enabled that were told */
	uint32_t unfit_seen;		/* likewise */
	uint64_t unfit;			/* probes told that a clause fits not */
	uint32_t children_seen;		/* the slot's counter, likewise */
};

TAILQ_HEAD(tbuf_target_list, tbuf_target);

/* The slot of a target's session, which it has. */
static inline struct tbuf_slot *
tbuf_target_slot(const struct tbuf_target *t)
{
	return (tbuf_view_slot(&t->view, t->file_only ? t->file_slot :
	    (unsigned)t->slot));
}

/* ------------------------------------------------------------ its states */

void	tbuf_target_leave(struct tbuf_target *);
void	tbuf_target_close(struct tbuf_target *);
void	tbuf_target_replace(struct tbuf_target *);
void	tbuf_target_resign(struct tbuf_target *);
void	tbuf_target_die(struct tbuf_target *);
void	tbuf_target_tell(struct tbuf_target *);

/* Has the process of an image not ended, as far as is known? */
static inline bool
tbuf_target_runs(const struct tbuf_target *t)
{
	return (t->life < TBUF_DEAD);
}

void	tbuf_session_begin(struct tbuf_target *);
void	tbuf_session_drain(struct tbuf_target *);
void	tbuf_session_stop(struct tbuf_target *);
void	tbuf_session_retire(struct tbuf_target *);
void	tbuf_session_end(struct tbuf_target *);

/* May there be records of it? */
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

/* ------------------------------------------------------------ its life */

/* How many of these bytes its file has, which may have been cut off. */
static inline uint64_t
tbuf_target_known(const struct tbuf_target *t, uint64_t at, uint64_t size)
{
	uint64_t known = t->cut > at ? t->cut - at : 0;

	return (t->cut != 0 && known < size ? known & ~UINT64_C(7) : size);
}

/* Bytes of it, if it has all of them. */
static inline bool
tbuf_target_read(const struct tbuf_target *t, void *to, uint64_t size,
    uint64_t at)
{
	return (tbuf_target_known(t, at, size) == size &&
	    tbuf_file_read(t->fd, to, size, at));
}

/* Its process has ended: how, if that is to be had. */
void	tbuf_target_ended(struct tbuf_target *);

/* Two copies of the library in one image of a process have a file each. */
bool	tbuf_target_beside(const struct tbuf_target *,
	    const struct tbuf_target *);
/* Are they images of one process, which has called exec? */
bool	tbuf_target_same(const struct tbuf_target *,
	    const struct tbuf_target *);

/* Look at a waiting file again: it may have a target by now. */
void	tbuf_target_refresh(struct tbuf_target *);

/* Put the time when the target gives its consumer up further off. */
void	tbuf_target_deadline(struct tbuf_target *);

/* ------------------------------------------------------------ its session */

/*
 * A session that stands in the target's file already: its view is mapped
 * with these flags, and what reading needs is filled in.  -EINVAL if it makes
 * no sense.
 */
int	tbuf_session_adopt(struct tbuf_target *, unsigned slot, int flags,
	    struct tbuf_session *);

/*
 * Map a part of its file, if that is not done yet; false: there is none, or it
 * cannot be mapped.  And let go of it.
 */
bool	tbuf_part_map(const struct tbuf_target *, const struct tbuf_part *,
	    unsigned char **base);
void	tbuf_part_unmap(const struct tbuf_part *, unsigned char **base);

/* Let go of what was read of a session's EPIDs. */
void	tbuf_epids_free(struct tbuf_target *);

/*
 * Raise the semaphores of probes that somebody traces, and lower the others,
 * after bits were set or cleared.
 */
void	tbuf_semaphores_settle(struct tbuf_target *);

/*
 * Let go of a target's slot, and of its file in this directory if that is what
 * it has left and nobody is to read it; -1: the file is left alone.
 */
void	tbuf_target_detach(struct tbuf_target *, int dirfd);

/* A dead target's file goes with its last reader: has it gone? */
bool	tbuf_target_reap(struct tbuf_target *, int dirfd);

/* ------------------------------------------------------------ its lanes */

/* Build a target's sources: the plan's lanes, in a private copy; -ENOMEM. */
int	tbuf_sources_make(struct tbuf_target *, const struct tbuf_lane *);
/* One of them; there is room for plan.nlanes_max.  Its words in the file. */
void	tbuf_source_make(struct tbuf_target *, uint32_t index,
	    const struct tbuf_lane *);
struct tbuf_lane *tbuf_target_lane(const struct tbuf_target *, uint32_t index);
void	tbuf_sources_free(struct tbuf_target *);
/* What was read of a table: it begins anew. */
void	tbuf_seen_forget(struct tbuf_seen *);

/*
 * A session that its target has built may have lanes that are backed only as
 * far as their limits (TBUF_S_GROW): take those for what they are.
 */
void	tbuf_lanes_small(struct tbuf_target *, const struct tbuf_lane *);
/*
 * May the writer of a lane go up to here?  Its storage is backed so far by
 * then; false if it cannot be, or nobody writes any more.
 */
bool	tbuf_source_grow(struct tbuf_source *, uint64_t limit);
/* A look at a target's small lanes: those that are written to grow. */
void	tbuf_lanes_look(struct tbuf_target *, uint64_t now);

/* Mark what is there: switch the lane, or take all that it holds. */
void	tbuf_source_mark(struct tbuf_source *, enum tbuf_policy);

/*
 * The next record below the mark: 1 with *header, 0 at the mark.  Bytes that
 * make no sense are skipped and counted in source->damage.
 */
int	tbuf_source_peek(struct tbuf_source *, const struct tbuf_header **);
/* The next record, if it is one and all of it is in memory; else NULL. */
const struct tbuf_header *tbuf_source_fetched(const struct tbuf_source *);
/* All that is in memory from there on, and how many bytes that are. */
const unsigned char *tbuf_source_rest(const struct tbuf_source *,
	    uint64_t *size);

/* May a record have this size, where so much is left? */
static inline bool
tbuf_record_plausible(uint16_t size, uint64_t left)
{
	return (size >= sizeof(struct tbuf_header) && size % 8 == 0 &&
	    size <= TBUF_RECORD_MAX && size <= left);
}

static inline void
tbuf_source_step(struct tbuf_source *s, uint16_t size)
{
	s->position += size;
}
/* Everything below position is the writer's again.  False: it stays. */
bool	tbuf_source_release(struct tbuf_source *);
/* A copy of what a lane holds, for a snapshot: -ENOMEM. */
int	tbuf_source_copy(struct tbuf_source *);
/*
 * The same of a ring that has gone round, if it has a record of its target's
 * horizon or later: then it has all earlier ones.  So it has if nobody has
 * recorded for a while since (`quiet`): who was amid a record then has been
 * interrupted, and stamps it anew.  False: come again.
 */
bool	tbuf_source_early(struct tbuf_source *, bool quiet);
/* Mark what a file holds, and change nothing there: -ENOMEM. */
int	tbuf_source_look(struct tbuf_source *);
void	tbuf_source_forget(struct tbuf_source *);

/* What a lane has beside it; zeroes if there is nothing to be read. */
void	tbuf_side_read(const struct tbuf_source *, struct tbuf_side *);

/* Work units of a session: -EINVAL if they make no sense, -ENOMEM. */
int	tbuf_units_adopt(struct tbuf_target *, const struct tbuf_part *,
	    const struct tbuf_terms *);
void	tbuf_units_free(struct tbuf_target *);

/* Let go of batches that nobody was given. */
void	tbuf_batches_free(struct tbuf_target *);

/* Returns what the lock of a lane has counted when every lane was busy. */
uint64_t tbuf_source_nolane(const struct tbuf_source *, enum tbuf_lost);
/* Returns the present value of a counter of a lane. */
uint64_t tbuf_source_counter(const struct tbuf_source *, unsigned counter);

#endif
