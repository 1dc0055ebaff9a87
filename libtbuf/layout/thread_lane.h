/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes of threads and of work units.
 */
#ifndef TBUF_LAYOUT_THREAD_LANE_H
#define TBUF_LAYOUT_THREAD_LANE_H

#include "layout/common.h"

/*
 * SIDE LANES
 *
 * Lanes behind those of CPUs and locks, from slot.first_side on, which belong
 * to a thread or a work unit while that writes there: a pool.  Each has a
 * holder, which says whose it is:
 *
 *	        (t) claims               (t) ends, its records to be read
 *	FREE --------------> BOUND ------------------------------> DONE
 *	 ^ ^                   |  \\                                 |
 *	 | +-------------------+   +--> KEPT  never used again       |
 *	 |   (t) gives it back,         in this session              |
 *	 |   (c) its thread has died                                 |
 *	 +-----------------------------------------------------------+
 *
 * Whoever claims a lane and gives it back does so in a section or under a lock
 * lane's lock, as clauses do: so none of it comes too late.  The first side
 * lane is a spare, taken when nothing else is free.
 *
 * The pool begins with the lanes that the terms say, whose storage lies in the
 * session's area.  The words of all that there may come to be stand there too,
 * backed as lanes are added; their storage is in chunks behind it, which stay
 * the slot's when the session has ended, as its area does.
 */
struct tbuf_chunk {
	uint64_t at;		/* (c) offset; 0: there is none */
	uint64_t size;		/* (c) bytes */
};

struct tbuf_holder {
	uint32_t state;		/* (a) enum tbuf_holder_state */
	uint32_t tid;		/* (a) of the thread; 0: no thread is there */
	uint64_t instance;	/* (a) of whom, never used twice in a process */
};

enum tbuf_holder_state {
	TBUF_LANE_FREE = 0,
	TBUF_LANE_BOUND = 1,
	TBUF_LANE_DONE = 2,	/* (later) its records are to be read */
	TBUF_LANE_KEPT = 3	/* (later) */
};

#define TBUF_SIDES_MAX	1024u	/* side lanes of a session */
#define TBUF_SIDES_FIRST 10u	/* -x nbuf, if it is not said */

/* A holder's first eight bytes. */
static inline uint64_t
tbuf_holder_word(enum tbuf_holder_state state, uint32_t tid)
{
	return ((uint64_t)tid << 32 | (uint64_t)state);
}

#define TBUF_NCHUNKS	16

_Static_assert(sizeof(struct tbuf_holder) == 16, "tbuf_holder");
_Static_assert(sizeof(struct tbuf_chunk) == 16, "tbuf_chunk");

#endif
