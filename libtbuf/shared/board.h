/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The board: a file in the runtime directory on which consumers put the
 * sessions that targets are to make for themselves, in the constructor of a
 * program that starts or in the child of a fork, so that the first fire is
 * recorded.
 *
 *	consumer	back an entry (fallocate), take the OFD lock on byte
 *			1 + entry, write it, `run` last (release); then look
 *			through the directory for targets that are there
 *			already, having watched it from before
 *	target		for each entry with a run whose lock somebody holds:
 *			take the space off the budget, build the session in
 *			its own control file, whose name comes last of all
 *	consumer	sees the file appear, finds the session by its run, and
 *			takes the OFD lock of its slot; a target without one
 *			started at the same time, and is attached to as usual
 *	target		one that cannot be traced says why on the entry
 *	consumer	notes what a program that has ended had used of its
 *			lanes, so that the next one backs no more (lane_usage.h)
 *	end		run = 0; the lock goes with the consumer
 * What does not fit into an entry stands in a file that it names (program_file.h).
 *
 * Tags as in layout.h: (c) the consumer whose entry it is, (a) either side.
 */
#ifndef TBUF_SHARED_BOARD_H
#define TBUF_SHARED_BOARD_H

#include "arch/atomics.h"
#include "shared/session_build.h"
#include "shared/lane_usage.h"
#include "layout/layout.h"

/* Of this layout alone: another version of the library has its own. */
#define TBUF_BOARD_NAME		"board.2"
_Static_assert(TBUF_MAJOR == 2, "TBUF_BOARD_NAME");

/* In a command's environment: the run that follows its descendants, hex. */
#define TBUF_RUN_ENV		"TBUF_RUN"
#define TBUF_BOARD_MAGIC	"tbufboar"
#define TBUF_BOARD_ENTRIES	31
#define TBUF_BOARD_PATTERNS	(8192u - 640)

/* tbuf_board_entry.flags */
#define TBUF_BOARD_ALL		0x1u	/* programs that start */
#define TBUF_BOARD_FOLLOW	0x2u	/* children of targets with this run */
#define TBUF_BOARD_AUTO		0x4u	/* halve bufsize until it fits */

/*
 * Why processes could not be traced that were to be, in their own words.  Who
 * comes with a new reason claims a place, writes the text and says so.
 */
#define TBUF_BOARD_REASONS	8
#define TBUF_BOARD_REASON	48	/* bytes of a text, the NUL counted */

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
 * The last ones that did so, by their pids: a process says it as a forked
 * child, and again as each program that it executes, and is counted once.
 */
#define TBUF_BOARD_TELLERS	16

struct tbuf_board_entry {
	uint64_t run;		/* (c) random, 0: nobody's */
	uint64_t budget;	/* (a) bytes of buffers that are left */
	uint64_t deadline;	/* (c) ticks of the record clock that a new
				   session waits for its consumer; 0: ever */
	uint32_t flags;		/* (c) TBUF_BOARD_* */
	uint32_t npatterns;	/* (c) 0: a reason is all that it wants */
	uint32_t patterns_size;	/* (c) bytes, NULs included */
	uint32_t programs_size;	/* (c) bytes of the file of programs */
	struct tbuf_terms terms; /* (c) of the sessions; the same run */
	uint64_t others;	/* (a) processes with further reasons */
	uint64_t programs;	/* (c) number in that file's name; 0: none */
	uint64_t reserved0;
	struct tbuf_board_reason reasons[TBUF_BOARD_REASONS];
	char patterns[TBUF_BOARD_PATTERNS];	/* (c) NUL-terminated each */
};

/* What is read before the board is mapped, if it is. */
struct tbuf_board_head {
	char magic[8];		/* (i) */
	uint32_t major;		/* (i) TBUF_MAJOR */
	uint32_t entry_size;	/* (i) sizeof(struct tbuf_board_entry) */
	uint32_t used;		/* (a) no entry from here on was ever taken */
	uint32_t reserved0;
	uint64_t counter;	/* (a) when a program that began found the
				   cycle counter fit: CLOCK_MONOTONIC, s */
};

struct tbuf_board {
	struct tbuf_board_head head;
	uint64_t usage[TBUF_USAGE_WORDS];	/* (c) of whatever run */
	/* (a) by entry: pid, and when it began << 22; 0: nobody */
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

/* The board, if there is a good one: mapped, to be closed.  NULL if not. */
struct tbuf_board *tbuf_board_open(int dirfd, int *fd);
void	tbuf_board_close(struct tbuf_board *, int fd);

/* The file, whatever it is: a descriptor, or -1. */
int	tbuf_board_file(int dirfd);

/*
 * The board behind fd, mapped, if it is a good one and has a run.  Most
 * programs that begin find none, and mapping costs five times as much as that
 * look.  fd stays the caller's.
 */
struct tbuf_board *tbuf_board_look(int fd);
void	tbuf_board_unmap(struct tbuf_board *);

/* Entries behind these are nobody's; the number is written before a run is. */
static inline unsigned
tbuf_board_used(const struct tbuf_board *board)
{
	unsigned n = tbuf_load_acquire(&board->head.used);

	return (n < TBUF_BOARD_ENTRIES ? n : TBUF_BOARD_ENTRIES);
}

/*
 * Which clock to stamp with.  What the kernel says of the counter takes four
 * times as long to read as a board: what another program has read lately will
 * do.  fd may be -1.
 */
enum tbuf_clock tbuf_board_clock(int fd);

/* Does a consumer stand behind an entry? */
bool	tbuf_board_alive(int fd, unsigned entry);

/* Is there such a run, and does its consumer live? */
bool	tbuf_board_posted(int dirfd, uint64_t run);

/*
 * Say on an entry why this process cannot be traced: one more with this
 * reason, if it has not said anything there yet.  No malloc; safe in a child
 * of fork.
 */
void	tbuf_board_tell(struct tbuf_board *, unsigned entry, const char *why);

/*
 * The run of a slot's active session in the file behind fd, or 0; also if it
 * lacks these flags.
 */
uint64_t tbuf_board_run(int fd, const struct tbuf_control *, unsigned slot,
	    uint64_t flags);

/*
 * Does a consumer on the board wait for a session of this file?  It may not
 * have its slot's lock yet.
 */
bool	tbuf_board_claims(int dirfd, int fd, const struct tbuf_control *);

#endif
