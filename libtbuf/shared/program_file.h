/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The programs of a run, for sessions that targets build for themselves: a
 * file beside the board that its entry names, for they do not fit into one.
 *
 *	programs.RANDOM
 *	+---------+---------+----------+-------+
 *	| header  | clauses | programs | texts |
 *	+---------+---------+----------+-------+
 *
 *	consumer	with the entry's lock: the entry names the file, then
 *			the file is made and filled, then the entry gets its
 *			run.  At the end: run = 0, the file is removed, the
 *			entry names none.
 *	target		opens it when it builds a session, copies what is in
 *			it, and then looks whether the entry is still the same
 *			run's.
 * So whoever takes an entry whose consumer was killed knows what that has left,
 * and removes it; and nobody else does.
 *
 * No malloc, no stdio; safe in a child of fork.
 */
#ifndef TBUF_SHARED_PROGRAM_FILE_H
#define TBUF_SHARED_PROGRAM_FILE_H

#include "shared/board.h"
#include "layout/layout.h"

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
	uint32_t epids;		/* (i) that a probe takes at most */
	uint64_t aggsize;	/* (i) of a CPU's table; 0: none is needed */
	uint64_t blocks;	/* (i) bytes of threads' variables */
	uint64_t specsize;	/* (i) of an id's buffer */
	uint32_t nspec;		/* (i) ids of speculations; 0: none is needed */
	uint32_t reserved0;
	uint64_t dynamic;	/* (i) bytes of elements of arrays */
};

_Static_assert(sizeof(struct tbuf_programs) == 128, "tbuf_programs");

void	tbuf_programs_name(char name[TBUF_PROGRAMS_NAME], uint64_t number);

/*
 * The file that an entry names, for a run that was read there: a descriptor,
 * with the header copied and checked, so that all parts lie in the file as it
 * is now.  -ENOENT: it names none; -EINVAL: it is none, somebody else's, of
 * another run, or larger than may be; other errors of open(2).
 */
int	tbuf_programs_open(int dirfd, const struct tbuf_board_entry *,
	    uint64_t run, struct tbuf_programs *);

/* A part, whole; false if it is not there any more. */
bool	tbuf_programs_read(int fd, const struct tbuf_part *, void *to);

/* What a session with these programs is to have room for. */
void	tbuf_programs_order(const struct tbuf_programs *,
	    struct tbuf_order *);

#endif
