/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Records that are kept apart until a clause commits or discards them.
 */
#ifndef TBUF_LAYOUT_SPECULATION_H
#define TBUF_LAYOUT_SPECULATION_H

#include "layout/common.h"

/*
 * SPECULATIONS
 *
 * An id's word stands in the slot, as locks do, and names its session by the
 * low bits of the generation: a compare-and-swap that comes too late fails.
 *
 *	INACTIVE --speculation()--> ACTIVE --commit()--> COMMITTING
 *	   ^  ^                       |                      | (t) its mark is
 *	   |  +------discard()--------+                      v there, or refused
 *	   +-----------(c) has read the batch----------- COMMITTED
 *
 * Each lane has a buffer for each id, in slot.speculations.  Its head says of
 * which instance its records are: those of another one do not count any more,
 * so that a new instance empties the buffers of all CPUs at once.  A writer
 * loads the head, sees that the id is active, and commits by the head if that
 * is as it was: so none of an instance comes behind those of a later one.
 *
 * The mark (struct tbuf_commit_record) goes the way of all records, and the
 * batch is given in its place.  A batch of COMMITTING without a mark, of a
 * target that was killed between the two, is committed; of COMMITTED, the mark
 * was refused, and its records are drops.
 */
enum tbuf_speculation_state {
	TBUF_INACTIVE = 0,
	TBUF_SPECULATING = 1,
	TBUF_COMMITTING = 2,
	TBUF_COMMITTED_BATCH = 3
};

#define TBUF_NSPEC	240u		/* ids of a session */
#define TBUF_SPECSIZE_MAX ((UINT64_C(1) << 27) - 8) /* bytes of a buffer */
#define TBUF_INSTANCE	((UINT64_C(1) << 40) - 1)

/* A lane's records of an id. */
struct tbuf_speculated {
	uint64_t head;		/* (t) instance << 24 | bytes / 8; release */
	uint64_t drops;		/* (t) instance << 24 | records without room */
	uint64_t reserved[6];
	/* the records, one after the other */
};

static inline uint64_t
tbuf_speculation_word(uint64_t generation, uint64_t instance,
    enum tbuf_speculation_state state)
{
	return (generation << 43 | (instance & TBUF_INSTANCE) << 3 |
	    (uint64_t)state);
}

static inline uint64_t
tbuf_speculation_instance(uint64_t word)
{
	return (word >> 3 & TBUF_INSTANCE);
}

/* A head's, or a count's, if it is of this instance; else 0. */
static inline uint64_t
tbuf_speculated_count(uint64_t word, uint64_t instance)
{
	return (word >> 24 == instance ? word & 0xffffff : 0);
}

/* The data of a mark. */
struct tbuf_commit_record {
	uint32_t id;		/* from 1 */
	uint32_t reserved;
	uint64_t instance;
};

_Static_assert(sizeof(struct tbuf_commit_record) == 16, "tbuf_commit_record");
_Static_assert(sizeof(struct tbuf_speculated) == 64, "tbuf_speculated");

#endif
