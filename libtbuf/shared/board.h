/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The board: a file in the runtime directory.  Consumers publish there the
 * sessions that targets build for themselves, in the constructor of a program
 * that starts or in the child of a fork, so that the first fire is recorded.
 *
 *	consumer	watches the directory, backs an entry (fallocate), takes
 *			the OFD lock on byte 1 + entry, writes the entry, `run`
 *			last (release); then scans the directory for targets
 *			that exist already
 *	target		for each entry with a run and a held lock: takes the
 *			space off the budget, and builds the session in its own
 *			control file, which gets its name last of all; a file
 *			that a consumer has made for it gets its lock last
 *	consumer	sees the file appear, finds the session by its run, and
 *			takes the OFD lock of its slot; a target without that
 *			session started at the same time, and is attached to
 *			as usual
 *	target		that cannot be traced publishes the reason on the entry
 *	consumer	notes the bytes that a program which has ended used of
 *			its lanes, so that the next one backs no more
 *			(lane_usage.h)
 *	end		run = 0; the lock ends with the consumer
 * Programs do not fit into an entry, which names a file for them
 * (program_file.h).
 *
 * Tags as in layout.h: (c) the consumer that owns the entry, (a) either side.
 */
#ifndef TBUF_SHARED_BOARD_H
#define TBUF_SHARED_BOARD_H

#include "arch/atomics.h"
#include "layout/layout.h"
#include "shared/lane_usage.h"
#include "shared/session_build.h"
#include "shared/spare_file.h"

/* Each major version of the layout has a board of its own. */
#define TBUF_BOARD_NAME		"board.2"
_Static_assert(TBUF_MAJOR == 2, "TBUF_BOARD_NAME");

/* Environment variable: the run that follows a command's descendants, hex. */
#define TBUF_RUN_ENV		"TBUF_RUN"
#define TBUF_BOARD_MAGIC	"tbufboar"
#define TBUF_BOARD_ENTRIES	31
#define TBUF_BOARD_PATTERNS	(8192u - 640)

/* tbuf_board_entry.flags */
#define TBUF_BOARD_ALL		0x1u	/* programs that start */
#define TBUF_BOARD_FOLLOW	0x2u	/* children of targets with this run */
#define TBUF_BOARD_AUTO		0x4u	/* halve bufsize until it fits */

/*
 * The reasons why processes could not be traced.  A process with a new reason
 * claims a vacant place, writes the text, and marks the place as written.
 */
#define TBUF_BOARD_REASONS	8
#define TBUF_BOARD_REASON	48	/* bytes of a text, with the NUL */

enum tbuf_board_place {
	TBUF_BOARD_VACANT,
	TBUF_BOARD_CLAIMED,
	TBUF_BOARD_WRITTEN
};

struct tbuf_board_reason {
	uint64_t place;		/* (a) enum tbuf_board_place */
	uint64_t count;		/* (a) processes */
	char text[TBUF_BOARD_REASON]; /* (a) immutable when it is written */
};

/*
 * Places for the last processes that published a reason, by their pids.  A
 * process publishes as a forked child, and again in each program that it
 * executes, but is counted once.
 */
#define TBUF_BOARD_TELLERS	16

struct tbuf_board_entry {
	uint64_t run;		/* (c) random; 0: the entry is free */
	uint64_t budget;	/* (a) bytes remaining for buffers */
	uint64_t deadline;	/* (c) ticks of the record clock that a new
				   session waits for its consumer; 0: no end */
	uint32_t flags;		/* (c) TBUF_BOARD_* */
	uint32_t npatterns;	/* (c) 0: it only collects reasons */
	uint32_t patterns_size;	/* (c) bytes, NULs included */
	uint32_t programs_size;	/* (c) bytes of the file of programs */
	struct tbuf_terms terms; /* (c) of the sessions; has the same run */
	uint64_t others;	/* (a) processes with further reasons */
	uint64_t programs;	/* (c) number in that file's name; 0: none */
	uint64_t ticks;		/* (c) 1: its consumer has found start times to
				   be ticks: tbuf_start_tick() */
	struct tbuf_board_reason reasons[TBUF_BOARD_REASONS];
	char patterns[TBUF_BOARD_PATTERNS];	/* (c) NUL-terminated each */
};

/* The header of the board, which is read before the board is mapped. */
struct tbuf_board_head {
	char magic[8];		/* (i) */
	uint32_t major;		/* (i) TBUF_MAJOR */
	uint32_t entry_size;	/* (i) sizeof(struct tbuf_board_entry) */
	uint32_t used;		/* (a) no entry from here on was ever taken */
	uint8_t spares[TBUF_SPARE_FILES]; /* (a) 1: there may be that spare
				   file (spare_file.h) */
	uint64_t counter;	/* (a) when a starting program last found the
				   cycle counter fit: CLOCK_MONOTONIC, s */
};

struct tbuf_board {
	struct tbuf_board_head head;
	uint64_t usage[TBUF_USAGE_WORDS];	/* (c) shared by all runs */
	/* (a) by entry: start time << 22 | pid; 0: empty */
	uint64_t tellers[TBUF_BOARD_ENTRIES][TBUF_BOARD_TELLERS];
	uint8_t reserved[8192 - 32 - 8 * (TBUF_USAGE_WORDS +
	    TBUF_BOARD_ENTRIES * TBUF_BOARD_TELLERS)];
	struct tbuf_board_entry entries[TBUF_BOARD_ENTRIES];
};

_Static_assert(sizeof(struct tbuf_board_head) == 32, "board");
_Static_assert(offsetof(struct tbuf_board_entry, terms) == 40, "board");
_Static_assert(offsetof(struct tbuf_board_entry, reasons) == 128, "board");
_Static_assert(offsetof(struct tbuf_board_entry, patterns) == 640, "board");
_Static_assert(sizeof(struct tbuf_board_entry) == 8192, "board");
_Static_assert(sizeof(struct tbuf_board) == 32 * 8192, "board");

/*
 * Opens and maps the board, if there is a valid one; else returns NULL.  The
 * caller closes it by tbuf_board_close().
 */
struct tbuf_board *tbuf_board_open(int dirfd, int *fd);
/* Maps a valid board's file, or returns NULL. */
struct tbuf_board *tbuf_board_map(int fd);
void	tbuf_board_close(struct tbuf_board *, int fd);

/* Opens the board's file without a check.  Returns a descriptor or -1. */
int	tbuf_board_file(int dirfd);

/*
 * Maps the board of the descriptor fd if it is valid and has a run; else
 * returns NULL.  Most starting programs find no run, and mapping costs five
 * times as much as looking for one.  The caller still owns fd.
 */
struct tbuf_board *tbuf_board_look(int fd);
void	tbuf_board_unmap(struct tbuf_board *);

/*
 * Returns the number of entries that may have a run; later ones never had any.
 * A consumer raises it before it stores a run.
 */
static inline unsigned
tbuf_board_used(const struct tbuf_board *board)
{
	unsigned n = tbuf_load_acquire(&board->head.used);

	return (n < TBUF_BOARD_ENTRIES ? n : TBUF_BOARD_ENTRIES);
}

/*
 * Returns the record clock of this process.  Asking the kernel about the
 * counter takes four times as long as reading the board, so a recent answer
 * that another program stored there is used.  fd may be -1.
 */
enum tbuf_clock tbuf_board_clock(int fd);

/* Returns true if an entry has a live consumer, which holds its lock. */
bool	tbuf_board_alive(int fd, unsigned entry);

/* Returns true if the board has this run, and its consumer lives. */
bool	tbuf_board_posted(int dirfd, uint64_t run);

/*
 * Publishes on an entry why this process cannot be traced: counts it at the
 * reason, unless it is counted there already.  No malloc; safe in a child of
 * fork.
 */
void	tbuf_board_tell(struct tbuf_board *, unsigned entry, const char *why);

/*
 * Returns the run of a slot's session in the file of fd, or 0 if no session was
 * built, its consumer has ended it, or it lacks one of the flags.  The target
 * may have left it before the consumer found it.
 */
uint64_t tbuf_board_run(int fd, const struct tbuf_control *, unsigned slot,
	    uint64_t flags);

/*
 * Returns true if a consumer on the board waits for a session of this file; it
 * may not have the slot's lock yet.
 */
bool	tbuf_board_claims(int dirfd, int fd, const struct tbuf_control *);

#endif
