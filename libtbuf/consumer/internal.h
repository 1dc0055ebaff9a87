/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The consumer side's own structures, and what its parts ask of each other.
 *
 *	parse, options	values and options by name
 *	consumer	one run: new, go, close
 *	work, life	what is due when
 *	grab, spawn, file, find	whom to trace: pids, commands, files
 *	attach, board	sessions on targets, and for those to come
 *	budget, cpus	what they may take
 *	quiesce, lock	the end of a session, and the reuse of its space
 *	target, view, directory	a target, and where its file is
 *	session		one that stands in a file already
 *	round, merge	what next() gives, in which order
 *	source, record	one lane's bytes, its records
 *	probes, timeline	by id; the record clock in nanoseconds
 *	options, parse	values and options by name
 *	list, status	looking without a session
 *	report		why something failed
 *
 * A target's memory is looked at with distrust: what decides where this side
 * reads or writes is kept in private copies (the plan, a source's positions),
 * and what has to be read from the target is bounded where it is used.
 */
#ifndef TBUF_CONSUMER_INTERNAL_H
#define TBUF_CONSUMER_INTERNAL_H

#include <sys/queue.h>
#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/clock.h"
#include "common/control.h"
#include "common/match.h"
#include "common/session.h"
#include "layout.h"
#include "tbuf_consumer.h"

#define TBUF_SECOND	UINT64_C(1000000000)

/* ------------------------------------------------------------ options */

struct tbuf_options {
	uint64_t bufsize;
	uint64_t bufpolicy;		/* enum tbuf_policy */
	uint64_t bufresize;		/* 0 auto, 1 manual */
	uint64_t switchrate;		/* periods in ns */
	uint64_t statusrate;
	uint64_t strsize;
	int64_t cpu;
	uint64_t temporal;
	uint64_t follow;
};

void	tbuf_options_init(struct tbuf_options *);

/* The CPUs that are online; empty if that cannot be found out. */
void	tbuf_cpus_online(struct tbuf_cpus *);

/* ------------------------------------------------------------ time */

/* Two moments between which, and from which on, the clock is a line. */
struct tbuf_timeline {
	enum tbuf_clock clock;
	struct tbuf_moment base;
	struct tbuf_moment latest;
	uint64_t slope;			/* ns a tick, 48 bits of fraction */
};

void	tbuf_timeline_start(struct tbuf_timeline *, enum tbuf_clock,
	    const struct tbuf_moment *base);
/* Take the latest moment now (NULL), or have it given. */
void	tbuf_timeline_update(struct tbuf_timeline *,
	    const struct tbuf_moment *latest);
uint64_t tbuf_timeline_mono(const struct tbuf_timeline *, uint64_t ticks);
uint64_t tbuf_timeline_wall(const struct tbuf_timeline *, uint64_t mono);
/* The record clock's reading some ns from now. */
uint64_t tbuf_timeline_ahead(const struct tbuf_timeline *, uint64_t ns);

/* CLOCK_MONOTONIC in ns. */
uint64_t tbuf_now(void);

/* ------------------------------------------------------------ probes */

/* The probes of a run; equal ones of several targets are one. */
struct tbuf_probes {
	struct tbuf_probe_info **infos;	/* by id - 1 */
	unsigned count;
	unsigned room;
	uint32_t *hash;			/* ids, open addressing */
	unsigned hash_size;		/* a power of two, or 0 */
};

/*
 * Copy and check the probe at an index of a target's table.  1 with *info,
 * 0 if there is none (yet) or it makes no sense, -ENOMEM.
 */
int	tbuf_probes_read(struct tbuf_probes *, const struct tbuf_view *,
	    uint32_t index, const struct tbuf_probe_info **info);
void	tbuf_probes_free(struct tbuf_probes *);
void	tbuf_probe_names(const struct tbuf_probe_info *, struct tbuf_names *);

/* ------------------------------------------------------------ targets */

struct tbuf_epid {
	const struct tbuf_probe_info *probe;	/* NULL: not looked at yet */
	uint32_t enabling;
};

/* A lane's counters: drops by enum tbuf_cause, and what was overwritten. */
#define TBUF_OVERWRITTEN	3
#define TBUF_COUNTERS		4

/* A lane as its consumer sees it. */
struct tbuf_source {
	struct tbuf_target *target;
	struct tbuf_lane *lane;		/* in the target's file */
	uint32_t index;			/* in the lanes array */
	int cpu;
	bool locked;
	uint64_t data, storage, size;	/* as they were planned */
	uint64_t position;		/* the next byte to give */
	uint64_t mark;			/* give up to here this time */
	uint64_t limit;			/* how far the writer may go */
	uint64_t time;			/* of the last record given, ns */
	uint64_t next_time;		/* temporal: of the next one */
	uint64_t fetched;		/* position that chunk begins with */
	uint64_t fetched_size;
	unsigned char *chunk;		/* the round's, or an own one */
	unsigned char *own;		/* temporal, snapshot: malloc'ed */
	bool snapshot;			/* `own` holds all of it */
	uint64_t damage;		/* bytes skipped, to be told */
	uint64_t consumed;		/* records ever given */
	uint64_t told[TBUF_COUNTERS];	/* of each counter, by now */
	uint64_t nolane;		/* its last value, once closed */
	bool nolane_closed;
	uint64_t taken;			/* a held lock's mark of its taking */
	uint64_t held_since;		/* when that was first seen, ns */
	bool retired;
};

enum tbuf_life {
	TBUF_ALIVE,
	TBUF_DEAD,		/* its last records are to be given */
	TBUF_TOLD		/* they were, and its end was told */
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
	bool truncated;			/* its view has zeroes in it since */
	enum tbuf_life life;
	bool file_only;			/* tbuf_consumer_open_file() */
	unsigned file_slot;		/* and then the slot that it is of */
	uint64_t born;			/* its image, ns; 0: the command */
	uint64_t charged;		/* bytes taken off the budget */
	bool left;			/* by exec: its image is gone */
	bool replaced;			/* and the new one is a target too */
	char name[TBUF_NAME_MAX];	/* in the runtime directory, or "" */
	struct tbuf_view view;
	bool live;			/* TBUF_STAGE_LIVE has been seen */
	int exit_status, exit_signal;

	int slot;			/* -1: no session */
	bool active;			/* its session may hold records */
	bool stopped;			/* no writer is inside any more */
	bool retire;			/* a writer may still be */
	uint64_t area, area_end;
	uint64_t generation;
	struct tbuf_order order;
	struct tbuf_plan plan;
	struct tbuf_timeline time;
	uint32_t necbs_max;
	struct tbuf_epid *epids;	/* necbs_max */
	struct tbuf_source *sources;
	unsigned nsources;
	uint32_t first_lock;		/* index of the source of lock 0 */
	const struct tbuf_probe_info **probes;	/* by index, NULL: not read */
};

TAILQ_HEAD(tbuf_target_list, tbuf_target);

/* The slot of a target's session, which it has. */
static inline struct tbuf_slot *
tbuf_target_slot(const struct tbuf_target *t)
{
	return (tbuf_view_slot(&t->view, t->file_only ? t->file_slot :
	    (unsigned)t->slot));
}

/* ------------------------------------------------------------ a run */

enum tbuf_run {
	TBUF_RUN_NEW,
	TBUF_RUN_ACTIVE,
	TBUF_RUN_ENDED
};

/* What next() is giving. */
struct tbuf_round {
	struct tbuf_source **order;	/* all sources: CPU, pid, lane */
	unsigned count;
	bool stale;			/* `order` does not fit the targets */
	bool pending;			/* there may be events left */
	unsigned what;			/* TBUF_ROUND_* */
	bool snapshot;
	unsigned group;			/* first source of a CPU and a pid */
	unsigned cursor;		/* the source that is being given */
	unsigned counter;		/* then the group's counters */
	bool merging;			/* temporal: the heap is being given */
	bool merged_given;		/* its top has been */
	uint64_t until;			/* and nothing later than this, ns */
	struct tbuf_source **heap;	/* oldest on top */
	unsigned heap_count;
	struct tbuf_target *exits;	/* next one whose end may be told */
	unsigned char *chunk;		/* shared by all sources */
};

/* The waiting command. */
struct tbuf_spawned {
	pid_t pid;			/* 0: none */
	int go;				/* pipe to it: its file's name */
	int failure;			/* pipe from it: errno of exec */
	char *command;			/* argv[0], for messages */
};

struct tbuf_consumer {
	struct tbuf_options options;
	enum tbuf_run state;
	uint64_t run;			/* on the board, or 0 */
	struct tbuf_board *board;
	struct tbuf_board_entry *entry;	/* ours, or NULL */
	int board_fd;
	uint64_t left;			/* of the budget, without an entry */
	bool lowered;
	int skipped;			/* why a target was first left out */
	bool all;			/* tbuf_consumer_grab_all() */
	bool files;			/* tbuf_consumer_open_file() */
	int stop;			/* eventfd */
	int watch;			/* inotify on the directory, or -1 */
	int directory;			/* the runtime directory, or -1 */
	char *patterns;			/* one after the other, with NULs */
	size_t patterns_size;
	unsigned npatterns;
	struct tbuf_target_list targets;
	struct tbuf_probes probes;
	struct tbuf_spawned spawned;
	pid_t orphan;			/* which is waited for, or 0 */
	struct tbuf_round round;
	struct tbuf_totals totals;
	uint64_t next_switch, next_status;
	bool unsettled;			/* a target there is not to be seen */
	unsigned meetings;		/* looks for it since a file came */
	uint64_t next_meeting;
	struct tbuf_value values[TBUF_ARGS_MAX];
	char error[512];
};

/* TBUF_S_* of this consumer's sessions. */
static inline uint64_t
tbuf_session_flags(const struct tbuf_consumer *c)
{
	return ((c->options.follow ? TBUF_S_FOLLOW : 0) |
	    (c->options.bufpolicy == TBUF_RING ? TBUF_S_KEEP : 0));
}

/* Remember the words for an error; gives the error back. */
int	tbuf_consumer_fail(struct tbuf_consumer *, int error,
	    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A target that was only found there is left out because of this error. */
void	tbuf_consumer_skip(struct tbuf_consumer *, int error);
/* There is nothing left of what all targets need: no other can be had. */
bool	tbuf_error_exhausted(int error);

/* "could not enable tracing: " and why; gives the error back. */
int	tbuf_consumer_refuse(struct tbuf_consumer *, int error);

/* The runtime directory, opened once.  A descriptor or -errno. */
int	tbuf_consumer_directory(struct tbuf_consumer *, bool make);
/* The text of an enabling, in range. */
const char *tbuf_consumer_pattern(const struct tbuf_consumer *,
	    unsigned enabling);
/* Give a target's probes their ids. */
void	tbuf_target_probes(struct tbuf_consumer *, struct tbuf_target *);
/* Targets that have come into the directory, to be attached to. */
void	tbuf_consumer_meet_new(struct tbuf_consumer *);
/* When something is to be done next, not before now; ns. */
uint64_t tbuf_consumer_due(const struct tbuf_consumer *, uint64_t now);
/* Be told of new files in it. */
int	tbuf_consumer_watch(struct tbuf_consumer *);

/* ------------------------------------------------------------ targets */

/*
 * A target's file, opened and looked at: what the errors of
 * tbuf_consumer_grab() say is in `problem`.
 */
#define TBUF_PROBLEM_MAX	160
struct tbuf_found {
	int fd;
	int pidfd;
	char name[TBUF_NAME_MAX];
	char problem[TBUF_PROBLEM_MAX];
};
int	tbuf_find_pid(pid_t, struct tbuf_found *);

/*
 * Have those that have ended left a child that may become a target?  One that
 * was forked has its parent's window until it knows what it is to be, and a
 * target's file has its name before it gives that up.  One that comes from the
 * command may do it whenever it executes another program.
 */
bool	tbuf_find_orphan(struct tbuf_consumer *);

/* Map a control file's fixed part after checking it; -EINVAL, -EPROTO, ... */
int	tbuf_view_map(int fd, uint64_t size, struct tbuf_view *);
void	tbuf_view_unmap(struct tbuf_view *);

/* A target that was found; the descriptors become its own, or are closed. */
int	tbuf_target_add(struct tbuf_consumer *, pid_t,
	    const struct tbuf_found *);

struct tbuf_target *tbuf_target_new(struct tbuf_consumer *, pid_t);
void	tbuf_target_free(struct tbuf_consumer *, struct tbuf_target *);

/* Is this pid a target of ours already? */
struct tbuf_target *tbuf_target_find(struct tbuf_consumer *, pid_t);

/*
 * Call `visit` for each control file of the runtime directory: its name, a
 * descriptor that is closed afterwards, and whether its target lives.  Files
 * of dead targets that nobody reads are removed on the way.  `visit` returns
 * non-zero to stop; so does a lack of descriptors.
 */
int	tbuf_directory_scan(int dirfd, int (*visit)(void *, int fd,
	    const char *name, const struct tbuf_control *, bool alive),
	    void *);

/* The caller's pid of a control file's target; -ESRCH. */
pid_t	tbuf_directory_pid(int fd, const struct tbuf_control *);

/*
 * Add the directory's targets that are not there yet.  Those that there are
 * no descriptors for are left out.
 */
int	tbuf_consumer_scan(struct tbuf_consumer *);

/*
 * Is a descriptor not one of the last?  A few are kept for what has to be
 * opened for a moment: without /proc/meminfo a budget would have no limit.
 */
bool	tbuf_descriptor_spare(int fd);

/* The CPUs that any thread of a process may run on now. */
void	tbuf_target_cpus(pid_t, struct tbuf_cpus *);

/* ------------------------------------------------------------ spawn */

int	tbuf_spawn_go(struct tbuf_consumer *);
void	tbuf_spawn_abandon(struct tbuf_consumer *);
/* Exit status of a target that has ended. */
void	tbuf_spawn_reap(struct tbuf_target *);

/* ------------------------------------------------------------ attach */

/* OFD locks of a control file.  False: somebody else has it. */
bool	tbuf_file_lock(int fd, uint64_t byte);
void	tbuf_file_unlock(int fd, uint64_t byte);
/* A moment, and one pause fewer; false when none is left. */
bool	tbuf_pause(unsigned *pauses);
/* The lock on byte 0, with patience: 0 or -EBUSY. */
int	tbuf_file_lock_wait(int fd);

/*
 * Sessions on all targets of a consumer that have none yet, all or none:
 * space, then contents, then the probes' bits.  Lowers bufsize under `auto`.
 */
int	tbuf_attach_all(struct tbuf_consumer *);
/* The same for targets that came while tracing runs: each by itself. */
void	tbuf_attach_new(struct tbuf_consumer *);
/* The file of a target's new image, after exec. */
void	tbuf_consumer_regrab(struct tbuf_consumer *, struct tbuf_target *);

/* Look at a waiting file again: it may have a target by now. */
void	tbuf_target_refresh(struct tbuf_target *);

/* Put the time when the target gives its consumer up further off. */
void	tbuf_target_deadline(struct tbuf_target *);

/*
 * A session that stands in the target's file already: its view is mapped
 * with these flags, and what reading needs is filled in.  -EINVAL if it makes
 * no sense.
 */
int	tbuf_session_adopt(struct tbuf_target *, unsigned slot, int flags,
	    struct tbuf_session *);

/* ------------------------------------------------------------ board */

/* Put this consumer's order on the board, for targets to come; take it off. */
int	tbuf_board_post(struct tbuf_consumer *);
void	tbuf_board_withdraw(struct tbuf_consumer *);
/* Has a target found no room for the session that was to be in it? */
bool	tbuf_board_missed(const struct tbuf_consumer *);

/*
 * A file's session that its target built for us: 1 if there is one, which is
 * a target now if it made sense; 0; or what was lacking.
 */
int	tbuf_board_adopt(struct tbuf_consumer *, int fd, const char *name,
	    const struct tbuf_control *, bool alive);

/* ------------------------------------------------------------ budget */

/*
 * What the buffers of one consumer may take in the file systems of its
 * targets: TBUF_MAXSIZE or half of the least room.  -EINVAL if TBUF_MAXSIZE
 * is no size.
 */
int	tbuf_budget(struct tbuf_consumer *, uint64_t *bytes);

/* Take from what is left of it; false if that is not enough.  Give back. */
bool	tbuf_budget_take(struct tbuf_consumer *, uint64_t bytes);
void	tbuf_budget_give(struct tbuf_consumer *, uint64_t bytes);

/* The file may grow to this size (RLIMIT_FSIZE). */
bool	tbuf_budget_file(uint64_t size);

/* ------------------------------------------------------------ quiesce */

/*
 * Give back the slots that dead consumers have left, in bounded time.  dirfd
 * is that of the board, whose consumers may not have taken a slot's lock yet.
 */
void	tbuf_quiesce_orphans(const struct tbuf_view *, int fd, int dirfd);

/* Stop the sessions of a consumer. */
void	tbuf_consumer_quiesce(struct tbuf_consumer *);
/* Let go of a target's slot. */
void	tbuf_target_detach(struct tbuf_target *);

/* ------------------------------------------------------------ sources */

#define TBUF_CHUNK	(256u * 1024)
#define TBUF_CHUNK_OWN	(64u * 1024)
#define TBUF_CHUNK_MIN	(64u * 1024)	/* any record fits */

/* Build a target's sources: the plan's lanes, in a private copy; -ENOMEM. */
int	tbuf_sources_make(struct tbuf_target *, const struct tbuf_lane *);
void	tbuf_sources_free(struct tbuf_target *);

/* Mark what is there: switch the lane, or take all that it holds. */
void	tbuf_source_mark(struct tbuf_source *, enum tbuf_policy);

/*
 * The next record below the mark: 1 with *header, 0 at the mark.  Bytes that
 * make no sense are skipped and counted in source->damage.
 */
int	tbuf_source_peek(struct tbuf_source *, const struct tbuf_header **);
void	tbuf_source_step(struct tbuf_source *, uint16_t size);
/* Everything below position is the writer's again. */
void	tbuf_source_release(struct tbuf_source *);
/* A copy of what a ring holds, for a snapshot: -ENOMEM. */
int	tbuf_source_copy(struct tbuf_source *);
void	tbuf_source_forget(struct tbuf_source *);

/* A ring's valid pair, read whole. */
void	tbuf_lane_pair(const struct tbuf_lane *, struct tbuf_pair *);

/* Copy [at, at + size) of a lane's stream out of its ring; false: no file. */
bool	tbuf_lane_copy(int fd, uint64_t data, uint64_t storage, uint64_t at,
	    void *to, uint64_t size);

/* ------------------------------------------------------------ records */

/* The EPID of a session, or NULL if it makes no sense. */
const struct tbuf_epid *tbuf_epid_find(struct tbuf_consumer *,
	    struct tbuf_target *, uint16_t epid);

/*
 * A record's arguments into consumer->values, and the rest into *record but
 * for its times.  False if they do not fit into the record.
 */
bool	tbuf_record_decode(struct tbuf_consumer *, const struct tbuf_source *,
	    const struct tbuf_header *, const struct tbuf_epid *,
	    struct tbuf_record *);

/* The next event of one lane: 1, or 0 at its mark. */
int	tbuf_source_event(struct tbuf_consumer *, struct tbuf_source *,
	    struct tbuf_event *);
/* An event that counts something of a lane. */
void	tbuf_event_count(struct tbuf_event *, enum tbuf_event_type,
	    const struct tbuf_source *, uint64_t count);

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
/* A round over copies of what the rings hold. */
int	tbuf_round_snapshot(struct tbuf_consumer *);
void	tbuf_round_free(struct tbuf_consumer *);

/* What a lane's counter says now. */
uint64_t tbuf_source_counter(const struct tbuf_source *, unsigned counter);

/* The merge by time: 1 with *event, or 0 when all that is due was given. */
void	tbuf_merge_begin(struct tbuf_consumer *);
int	tbuf_merge_next(struct tbuf_consumer *, struct tbuf_event *);

/*
 * Copy a text, cut to size; gives the bytes kept.  (strlcpy, without making
 * every target load another library.)
 */
static inline size_t
tbuf_copy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
	return (length);
}

#endif
