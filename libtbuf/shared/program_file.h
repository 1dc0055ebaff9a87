/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file of a run's programs, for sessions that targets build for themselves.
 * It is beside the board, as programs do not fit into an entry, which names it.
 *
 *	programs.RANDOM
 *	+---------+---------+----------+-------+
 *	| header  | clauses | programs | texts |
 *	+---------+---------+----------+-------+
 *
 *	consumer	holding the entry's lock: names the file in the entry,
 *			makes and fills it, then stores the run.  At the end:
 *			run = 0, removes the file, and its name in the entry.
 *	target		opens it when it builds a session, copies the contents,
 *			and then checks that the entry still has the same run.
 * A consumer that takes the entry of a killed one finds the orphaned file's
 * name there, and removes the file; no other process does.
 *
 * No malloc, no stdio; safe in a child of fork.
 */
#ifndef TBUF_SHARED_PROGRAM_FILE_H
#define TBUF_SHARED_PROGRAM_FILE_H

#include "layout/layout.h"
#include "shared/board.h"

#define TBUF_PROGRAMS_MAGIC	"tbufprog"
#define TBUF_PROGRAMS_MAX	TBUF_META_MAX	/* bytes; it is copied there */
#define TBUF_PROGRAMS_NAME	32		/* bytes of a name */

struct tbuf_programs {
	char magic[8];		/* (i) TBUF_PROGRAMS_MAGIC */
	uint32_t major;		/* (i) TBUF_MAJOR */
	uint32_t needs;		/* (i) TBUF_F_*, as in the entry's terms */
	uint64_t run;		/* (i) the entry's */
	uint64_t size;		/* (i) bytes of the file */
	struct tbuf_part parts[TBUF_PARTS]; /* (i) of the file */
	uint32_t globals;	/* (i) bytes of global variables */
	uint32_t epids;		/* (i) most EPIDs that a probe takes */
	uint64_t aggsize;	/* (i) bytes of a CPU's table; 0: no table */
	uint64_t blocks;	/* (i) bytes of threads' variables */
	uint64_t specsize;	/* (i) bytes of an id's buffer */
	uint32_t nspec;		/* (i) ids of speculations */
	uint32_t reserved0;
	uint64_t dynamic;	/* (i) bytes of elements of arrays */
};

_Static_assert(sizeof(struct tbuf_programs) == 128, "tbuf_programs");

void	tbuf_programs_name(char name[TBUF_PROGRAMS_NAME], uint64_t number);

/*
 * Opens the file that an entry names, for a run that was read there.  Returns a
 * descriptor, with the header copied and checked, so that all parts are within
 * the file's current size; -ENOENT if the entry names no file; -EINVAL if it is
 * not such a file, or has another owner or run, or is too large; or another
 * error of open(2).
 */
int	tbuf_programs_open(int dirfd, const struct tbuf_board_entry *,
	    uint64_t run, struct tbuf_programs *);

/* Reads a whole part; returns false if the file has been truncated. */
bool	tbuf_programs_read(int fd, const struct tbuf_part *, void *to);

/* Sets the order's sizes for a session with these programs. */
void	tbuf_programs_order(const struct tbuf_programs *,
	    struct tbuf_order *);

#endif
