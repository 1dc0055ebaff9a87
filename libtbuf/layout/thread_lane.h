/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thread lanes (-x bufscope=thread).
 */
#ifndef TBUF_LAYOUT_THREAD_LANE_H
#define TBUF_LAYOUT_THREAD_LANE_H

#include "layout/common.h"

/*
 * THREAD LANES
 *
 * A session's pool of thread lanes is after its CPU lanes and lock lanes, from
 * slot.first_thread_lane on.  A lane belongs to one thread while that writes
 * there.  Each lane has a holder with the thread and the state:
 *
 *	        (t) claims
 *	FREE --------------> BOUND
 *	 ^                     |
 *	 +---------------------+
 *	   (t) releases it,
 *	   (c) its thread has died
 *
 * A thread claims and releases a lane in a section or under a lock lane's lock,
 * as clauses do, so neither can come after the session's end.  The first thread
 * lane is a spare, taken when no other is free.
 *
 * The pool begins with as many lanes as the terms say; their storage is in the
 * session's area.  The area also has room for the control words of all lanes
 * that may be added, backed as they are added; the storage of those is in
 * chunks after the area.  The slot keeps area and chunks after the session's
 * end.
 */
struct tbuf_chunk {
	uint64_t at;		/* (c) offset; 0: no chunk */
	uint64_t size;		/* (c) bytes */
};

struct tbuf_holder {
	uint32_t state;		/* (a) enum tbuf_holder_state */
	uint32_t tid;		/* (a) of the thread; 0: no thread */
	uint64_t instance;	/* (a) a thread's number, unique in a process */
};

enum tbuf_holder_state {
	TBUF_LANE_FREE = 0,
	TBUF_LANE_BOUND = 1
};

#define TBUF_THREAD_LANES_MAX	1024u	/* most thread lanes of a session */
#define TBUF_THREAD_LANES_FIRST 10u	/* default of -x nbuf */

/* Returns a holder's first eight bytes. */
static inline uint64_t
tbuf_holder_word(enum tbuf_holder_state state, uint32_t tid)
{
	return ((uint64_t)tid << 32 | (uint64_t)state);
}

#define TBUF_NCHUNKS	16

_Static_assert(sizeof(struct tbuf_holder) == 16, "tbuf_holder");
_Static_assert(sizeof(struct tbuf_chunk) == 16, "tbuf_chunk");

#endif
