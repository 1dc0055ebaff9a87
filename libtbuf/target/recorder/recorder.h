/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recorder: the session that a process makes for itself, with no consumer, by
 * $TBUF_OPTIONS or the options of tbuf_recorder_start():
 *
 *	bufpolicy=ring,bufsize=1m,follow,probes=kv:::;libc::open*:
 *
 * It is in the process's own control file, which outlives the process; readers
 * take nothing away.
 *
 *	      start            stop
 *	NONE -------> RUNNING ------> STOPPED	slot and records stay
 *	                 ^               |
 *	                 +---------------+	start, with the same options
 */
#ifndef TBUF_TARGET_RECORDER_RECORDER_H
#define TBUF_TARGET_RECORDER_RECORDER_H

#include <stdbool.h>

#include "shared/board.h"
#include "target/target.h"

/*
 * Begins to record, in the constructor, if the environment says so and this
 * process is a target; else writes a line to standard error that says why not.
 */
void	tbuf_recorder_begin(const char *problem) TBUF_HIDDEN;

/*
 * tbuf_recorder_follows() returns true if a forked child is to record into a
 * file of its own; tbuf_recorder_child() does so.
 */
bool	tbuf_recorder_follows(void) TBUF_HIDDEN;
void	tbuf_recorder_child(const char *problem) TBUF_HIDDEN;

/*
 * tbuf_recorder_build() starts and tbuf_recorder_halt() stops; by one thread at
 * a time.  Both return 0, or -errno with a message for tbuf_recorder_why().
 */
int	tbuf_recorder_build(const char *options) TBUF_HIDDEN;
int	tbuf_recorder_halt(void) TBUF_HIDDEN;
/* Returns the slot of the last recorder, -1 if there is none. */
int	tbuf_recorder_slot(void) TBUF_HIDDEN;
#define TBUF_RECORDER_WHY	192	/* bytes, with the NUL */
const char *tbuf_recorder_why(void) TBUF_HIDDEN;
int	tbuf_recorder_fail(int error, const char *what, const char *why)
	    TBUF_HIDDEN;

/* ------------------------------------------------------------ options */

struct tbuf_recorder {
	struct tbuf_board_entry entry;	/* as if a consumer had posted it */
	uint64_t nunits, unitsize;
	uint64_t unitslow;		/* ns */
	uint64_t rules[TBUF_UNIT_RULES];
	bool follow;
	uint32_t nbuf;			/* thread lanes */
};

/* Returns 0, or -EINVAL by tbuf_recorder_fail(). */
int	tbuf_recorder_parse(const char *options, struct tbuf_recorder *)
	    TBUF_HIDDEN;

/* ------------------------------------------------------------ retention */

/*
 * Removes ended and saved recordings of a program beyond the limits of
 * $TBUF_KEEP; with `more', a file less remains, as one is to be added.
 * *removed: their number, and that of recordings which these had removed.
 * Returns 0, or -EINVAL by tbuf_recorder_fail().
 */
int	tbuf_recorder_trim(int dirfd, const char *program, bool more,
	    uint64_t *removed) TBUF_HIDDEN;

/*
 * Removes one ended recording of the program, if together they have at least
 * `bytes' bytes.  Returns false if none was removed.
 */
bool	tbuf_recorder_make_way(int dirfd, const char *program, uint64_t bytes,
	    uint64_t *removed) TBUF_HIDDEN;

#endif
