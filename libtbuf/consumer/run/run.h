/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One run of a consumer: all that it is and has.
 */
#ifndef TBUF_CONSUMER_RUN_RUN_H
#define TBUF_CONSUMER_RUN_RUN_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "shared/board.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/target/target.h"
#include "tbuf_consumer.h"

struct tbuf_refire;
struct tbuf_script;
struct tbuf_d_clause;
struct tbuf_image;
struct tbuf_sampling;

/* An image, and frames, of a stack that was unwound. */
#define TBUF_STACK_WORDS	129u

struct tbuf_options {
	uint64_t bufsize;
	uint64_t bufpolicy;		/* enum tbuf_policy */
	uint64_t bufresize;		/* 0 auto, 1 manual */
	uint64_t bufscope;		/* 0 cpu, 1 thread */
	uint64_t nbuf;			/* lanes of threads, at first */
	uint64_t statusrate;		/* a period in ns */
	uint64_t strsize;
	int64_t cpu;
	uint64_t temporal;
	uint64_t follow;
	uint64_t dynvarsize;		/* of scripts */
	uint64_t scratchsize;
	uint64_t aggsize;
	uint64_t aggpercpu;
	uint64_t nspec;
	uint64_t specsize;
	uint64_t cleanrate;		/* a period in ns */
	uint64_t nunits;		/* of work units: tables, ... */
	uint64_t unitsize;
	uint64_t unitpolicy;		/* 0 fill, 1 ring */
	/* From here on they may change at any time. */
	uint64_t switchrate;		/* periods in ns */
	uint64_t aggrate;
	uint64_t aggsortkey;		/* how tuples are sorted */
	uint64_t aggsortrev;
	uint64_t aggsortpos;
	uint64_t aggsortkeypos;
	uint64_t agghist;		/* and shown: the caller's */
	uint64_t aggpack;
	uint64_t aggzoom;
	uint64_t encoding;		/* 0 as the terminal, 1 ascii, 2 utf8 */
	uint64_t unitselect[TBUF_UNIT_RULES];	/* rules */
};

void	tbuf_options_init(struct tbuf_options *);

enum tbuf_run {
	TBUF_RUN_NEW,
	TBUF_RUN_ACTIVE,
	TBUF_RUN_ENDED
};

/* A lane of plain records (fast_path.c), and those that are in memory. */
struct tbuf_straight {
	struct tbuf_source *source;	/* or NULL: nobody knows of one */
	const unsigned char *next, *end;
};

/* What next() is giving. */
struct tbuf_round {
	struct tbuf_source **order;	/* all sources: CPU, pid, lane */
	unsigned count;
	bool stale;			/* `order` does not fit the targets */
	bool pending;			/* there may be events left */
	unsigned what;			/* TBUF_ROUND_* */
	bool snapshot;
	bool cut;			/* nothing from `until` on is given */
	unsigned group;			/* first source of a CPU and a pid */
	unsigned cursor;		/* the source that is being given */
	unsigned counter;		/* then the group's counters */
	unsigned packets;		/* the source that packets come from */
	bool packets_told;		/* and has given all that it has */
	struct tbuf_straight straight;
	bool merging;			/* temporal: the heap is being given */
	bool merged_given;		/* its top has been */
	uint64_t noted;			/* when horizons were noted, ns */
	bool everywhere;		/* and each CPU was run on */
	uint64_t until;			/* give what is before this, ns */
	uint64_t until_script;		/* the same of what a script has */
	uint64_t merged;		/* the last time given, ns */
	const struct tbuf_target *given;	/* whose record was, last */
	struct tbuf_source **heap;	/* oldest on top */
	unsigned heap_count;
	struct tbuf_target *limits;	/* next one to be looked at for them */
	struct tbuf_target *exits;	/* next one whose end may be told */
	unsigned char *chunk;		/* shared by all sources */
};

/*
 * Why processes could not be traced: what the board says, what found no room
 * there, and what was seen of programs that cannot say it.
 */
enum {
	TBUF_MISSED_OTHER = TBUF_BOARD_REASONS,
	TBUF_MISSED_SETUID,
	TBUF_MISSED_RESIGNED,
	TBUF_MISSED_STATIC,
	TBUF_MISSED_VERSION,
	TBUF_MISSED_CHILD,
	TBUF_MISSED_IMAGE,
	TBUF_MISSED_USER,	/* and another one for each further reason */
	TBUF_MISSED_LAST = TBUF_MISSED_USER + 3,
	TBUF_MISSED
};

struct tbuf_missed {
	char why[TBUF_BOARD_REASON];
	uint64_t count;
	uint64_t told;			/* of them */
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
	struct tbuf_script *script;	/* or NULL */
	struct tbuf_refire *refire;	/* over records of files, or NULL */
	bool alone;			/* with it: there are no targets */
	uint64_t run;			/* on the board, or 0 */
	uint32_t needs;			/* TBUF_F_* of its targets */
	struct tbuf_programs *programs;	/* the file of them, or NULL */
	struct tbuf_board *board;
	struct tbuf_board_entry *entry;	/* ours, or NULL */
	int board_fd;
	struct tbuf_moment posted;	/* when, by the record clock */
	enum tbuf_clock clock;
	uint64_t left;			/* of the budget, without an entry */
	bool lowered;
	int skipped;			/* why a target was first left out */
	struct tbuf_missed missed[TBUF_MISSED];
	uint64_t strangers;		/* targets that ended as such */
	bool all;			/* tbuf_consumer_grab_all() */
	bool files;			/* tbuf_consumer_open_file() */
	int stop, wake;			/* eventfds */
	int watch;			/* inotify on the directory, or -1 */
	int elsewhere;			/* on those of others' targets, or -1 */
	bool scanned;			/* what is not told by that is known */
	int directory;			/* the runtime directory, or -1 */
	uint64_t pid_namespace;		/* its own, or 0: not looked at */
	bool exits;			/* clauses in targets have exit() */
	bool names;			/* addresses are to have names */
	struct tbuf_image *images;	/* for them */
	struct tbuf_sampling *sampling;	/* profile-N on them, or NULL */
	/* Its stacks are raw; NULL: they come from frame pointers. */
	unsigned (*unwind)(void *, const struct tbuf_stack *, uint64_t *,
	    unsigned);
	void *unwind_arg;
	/* What it said last, behind the image and where the stack begins. */
	uint64_t stack[TBUF_STACK_WORDS];
	struct tbuf_moment born;	/* when the script came */
	const struct tbuf_d_clause **clauses;	/* of each enabling, or NULL */
	char *patterns;			/* one after the other, with NULs */
	size_t patterns_size;
	unsigned npatterns;
	struct tbuf_target_list targets;
	struct tbuf_probes probes;
	struct tbuf_spawned spawned;
	pid_t orphan;			/* which is waited for, or 0 */
	struct tbuf_round round;
	struct tbuf_totals totals;
	uint64_t next_switch, next_status, next_clean, next_pool;
	bool strict;			/* switchrate was set */
	uint64_t paced, next_pace;	/* a look at how full buffers are */
	uint32_t block;			/* bytes of a thread's; 0: none */
	bool unsettled;			/* a target there is not to be seen */
	unsigned meetings;		/* looks for it since a file came */
	uint64_t next_meeting;
	uint64_t next_command;		/* a look at a new command */
	uint64_t command_wait;		/* and how long till the one after */
	struct tbuf_value values[TBUF_PIECES_MAX];	/* of one record */
	/* Of a process that is no target, while something in it is set. */
	struct {
		void *base;		/* NULL: none */
		uint64_t size;
		volatile bool truncated;
	} set;
	char error[512];
};

/* The terms of this consumer's sessions: what targets need of its options. */
void	tbuf_consumer_terms(const struct tbuf_consumer *, struct tbuf_terms *);

/* This consumer's rules of work units, into a target's session. */
void	tbuf_units_rule(const struct tbuf_consumer *, struct tbuf_target *);

/*
 * A mapping of another process's file from now on, which it may truncate; and
 * the end of that: -ESTALE if it has, 0 if not.
 */
#define TBUF_SET_TRUNCATED	"its control file was truncated"
void	tbuf_set_begin(struct tbuf_consumer *, void *base, uint64_t size);
int	tbuf_set_end(struct tbuf_consumer *);

/* Remember the words for an error; gives the error back. */
int	tbuf_consumer_fail(struct tbuf_consumer *, int error,
	    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A target that was only found there is left out because of this error. */
void	tbuf_consumer_skip(struct tbuf_consumer *, int error);

/* What ENOENT says in a directory that has been opened, such as /proc. */
#define TBUF_NO_FILES	"no file can be made in the runtime directory"
/* "could not enable tracing: " and why; gives the error back. */
int	tbuf_consumer_refuse(struct tbuf_consumer *, int error);

/* The runtime directory, opened once.  A descriptor or -errno. */
int	tbuf_consumer_directory(struct tbuf_consumer *, bool make);

/* The text of an enabling, in range. */
const char *tbuf_consumer_pattern(const struct tbuf_consumer *,
	    unsigned enabling);
/* Give a target's probes their ids. */
void	tbuf_target_probes(struct tbuf_consumer *, struct tbuf_target *);

#endif
