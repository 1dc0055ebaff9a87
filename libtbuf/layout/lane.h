/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A lane's control words and its storage; the locks of lock lanes.
 */
#ifndef TBUF_LAYOUT_LANE_H
#define TBUF_LAYOUT_LANE_H

#include "layout/common.h"

/*
 * A lock lane's lock.  It is in the slot, in the fixed part of the file, not in
 * session space, so that a late compare-and-swap can do no harm.
 *	word	2 * generation: free; 2 * generation + 1: held
 *	nolane	low 16 bits of the generation << 48 | count, one for each
 *		enum tbuf_lost: losses of fires that tried this lock first and
 *		found every lane busy.  The count saturates, so that an overflow
 *		cannot change the generation bits.
 */
enum tbuf_lost {
	TBUF_LOST_RECORD,	/* a record or the rest of a clause: a drop */
	TBUF_LOST_STORE,	/* a store to a global; the clause goes on */
	TBUF_LOST_UPDATE,	/* an aggregation update; the clause goes on */
	TBUF_NLOST
};

struct tbuf_lock {
	uint64_t word;			/* (a) */
	uint64_t nolane[TBUF_NLOST];	/* (a) */
	uint64_t reserved[4];
};

#define TBUF_NOLANE_SHIFT	48
#define TBUF_NOLANE_COUNT	((UINT64_C(1) << TBUF_NOLANE_SHIFT) - 1)

enum tbuf_kind {
	TBUF_KIND_CPU = 0,	/* written in a restartable section */
	TBUF_KIND_LOCK = 1,	/* written under a lock */
	TBUF_KIND_THREAD = 2	/* a thread lane */
};

struct tbuf_pair {
	uint64_t tail;		/* (t) bytes ever released */
	uint64_t overwritten;	/* (t) records */
};

/*
 * A lane's control words.  The writer's and the reader's words are on cache
 * lines of their own.  Only ring uses `pair` and `sequence`; switch and fill
 * use the reader's `tail`.
 */
struct tbuf_lane {
	uint64_t head;		/* (t) bytes ever committed */
	uint64_t last;		/* (t) last stamp, maybe of no record */
	uint64_t full;		/* (t) drops: no room; TBUF_FULL_CLOSED */
	uint64_t sequence;	/* (t) the low bit selects the valid pair */
	struct tbuf_pair pair[2];
	uint64_t large;		/* (t) offset 64; drops: larger than the lane */
	uint64_t restarts;	/* (t) times damaged bytes were released */
	uint64_t taken;		/* (t) record clock when a lock lane was taken;
				 * no later than its holder's stamp */
	uint64_t skipped;	/* (a) damaged bytes that were released, or more
				   if a ring's words were inconsistent */
	uint64_t reserved0[4];
	uint64_t tail;		/* (c) offset 128; bytes ever released */
	uint64_t limit;		/* (c) bytes that may be committed */
	uint64_t consumed;	/* (c) records ever consumed */
	uint64_t reserved1[5];
	uint64_t place;		/* (i) offset 192; see tbuf_place() */
	uint64_t size;		/* (i) logical bytes of one half */
	uint32_t cpu;		/* (i) CPU, or the one a lock lane stands for;
				   UINT32_MAX: a thread lane */
	uint32_t kind;		/* (i) enum tbuf_kind */
	uint64_t counters;	/* (i) offset of struct tbuf_lane_counters; 0:
				   none */
	uint64_t table[2];	/* (c) aggregation tables, as `place`; 0: none;
				   see slot.turn */
	uint64_t reserved2[2];
};

/*
 * Set in lane.full if a work unit's record found no room, which the unit's
 * table counts: under fill it closes the lane without a count.
 */
#define TBUF_FULL_CLOSED	(UINT64_C(1) << 63)

static inline uint64_t
tbuf_full_count(uint64_t full)
{
	return (full & ~TBUF_FULL_CLOSED);
}

/* Further counters of a lane, in a session with clauses. */
struct tbuf_lane_counters {
	uint64_t reserved0[4];
	uint64_t aggregation;	/* (t) values that found no room in the table */
	uint64_t dynamic;	/* (t) stores that found no free variable */
	uint64_t busy;		/* (t) speculation() failed: all ids are in use,
				   one of them waits for the consumer */
	uint64_t unavailable;	/* (t) all are in use, none waits for it */
	uint64_t claims;	/* (t) attempts to claim a block */
	uint64_t reserved1[7];
};

/*
 * Returns the place of a lane's storage in one word, so that one load reads and
 * checks it: the offset, a multiple of 64, plus the binary logarithm of its
 * bytes.
 */
static inline uint64_t
tbuf_place(uint64_t offset, uint64_t storage)
{
	return (offset | (uint64_t)__builtin_ctzll(storage));
}

static inline uint64_t
tbuf_place_offset(uint64_t place)
{
	return (place & ~UINT64_C(63));
}

static inline uint64_t
tbuf_place_storage(uint64_t place)
{
	return (UINT64_C(1) << (place & 63));
}

TBUF_ASSERT_OFFSET(tbuf_lane, full, 16);
TBUF_ASSERT_OFFSET(tbuf_lane, sequence, 24);
TBUF_ASSERT_OFFSET(tbuf_lane, large, 64);
TBUF_ASSERT_OFFSET(tbuf_lane, tail, 128);
TBUF_ASSERT_OFFSET(tbuf_lane, limit, 136);
TBUF_ASSERT_OFFSET(tbuf_lane, place, 192);
TBUF_ASSERT_OFFSET(tbuf_lane, size, 200);
_Static_assert(sizeof(struct tbuf_lane) == 256, "tbuf_lane");
TBUF_ASSERT_OFFSET(tbuf_lane, counters, 216);
TBUF_ASSERT_OFFSET(tbuf_lane_counters, aggregation, 32);
TBUF_ASSERT_OFFSET(tbuf_lane_counters, busy, 48);
_Static_assert(sizeof(struct tbuf_lane_counters) == 128, "tbuf_lane_counters");

#endif
