/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recorder: the session that a process makes for itself, with no consumer,
 * by what $TBUF_OPTIONS or tbuf_recorder_start() says:
 *
 *	bufpolicy=ring,bufsize=1m,follow,probes=kv:::;libc::open*:
 *
 * It stands in the process's own control file, which outlives the process;
 * whoever reads it takes nothing away.
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
 * The constructor's: record if the environment says so, and this process is a
 * target, or say in a line on standard error why not.
 */
void	tbuf_recorder_begin(const char *problem) TBUF_HIDDEN;

/* Shall a forked child record into a file of its own?  It does. */
bool	tbuf_recorder_follows(void) TBUF_HIDDEN;
void	tbuf_recorder_child(const char *problem) TBUF_HIDDEN;

/*
 * For start and stop, and by one thread at a time: 0, or -errno with the words
 * for tbuf_recorder_why().
 */
int	tbuf_recorder_build(const char *options) TBUF_HIDDEN;
int	tbuf_recorder_halt(void) TBUF_HIDDEN;
#define TBUF_RECORDER_WHY	192	/* bytes, with the NUL */
const char *tbuf_recorder_why(void) TBUF_HIDDEN;
int	tbuf_recorder_fail(int error, const char *what, const char *why)
	    TBUF_HIDDEN;

/* ------------------------------------------------------------ options */

struct tbuf_recorder {
	struct tbuf_board_entry entry;	/* as if a consumer had posted it */
	uint64_t nunits, unitsize;
	uint64_t rules[TBUF_UNIT_RULES];
	bool follow;
	uint32_t nbuf;			/* lanes of threads */
};

/* 0, or -EINVAL by tbuf_recorder_fail(). */
int	tbuf_recorder_parse(const char *options, struct tbuf_recorder *)
	    TBUF_HIDDEN;

/* ------------------------------------------------------------ the dead */

/*
 * Of a program's recorders that have ended so many stay as $TBUF_KEEP says.
 * *removed: how many had to go, those counted that these had removed.  0, or
 * -EINVAL by tbuf_recorder_fail().
 */
int	tbuf_recorder_trim(int dirfd, const char *program, uint64_t *removed)
	    TBUF_HIDDEN;

/*
 * One more of them goes, if together they are so many bytes.  False if none
 * has gone.
 */
bool	tbuf_recorder_make_way(int dirfd, const char *program, uint64_t bytes,
	    uint64_t *removed) TBUF_HIDDEN;

#endif
