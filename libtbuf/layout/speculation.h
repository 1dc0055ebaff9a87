/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Speculations: records kept apart until a clause commits or discards them.
 */
#ifndef TBUF_LAYOUT_SPECULATION_H
#define TBUF_LAYOUT_SPECULATION_H

#include "layout/common.h"

/*
 * SPECULATIONS
 *
 * The word of an id is in the slot, as locks are, and names its session by the
 * low bits of the generation: a compare-and-swap that comes too late fails.
 *
 *	INACTIVE --speculation()--> ACTIVE --commit()--> COMMITTING
 *	   ^  ^                       |                      | (t) commit record
 *	   |  +------discard()--------+                      v stored or refused
 *	   +-----------(c) has read the batch----------- COMMITTED
 *
 * Each lane has a buffer for each id, in slot.speculations.  `head` contains
 * the instance of its records: records of another instance do not count, so a
 * new instance empties the buffers of all CPUs at once.  A writer loads the
 * head, checks that the id is active, and commits by the head if it has not
 * changed, so records of an instance cannot follow those of a later one.
 *
 * The commit record (struct tbuf_commit_record) goes to the CPU's lane like
 * any record, and the consumer reads the batch in its place.  If an id is
 * COMMITTING without a commit record, the target was killed between the two,
 * and the batch is committed; if it is COMMITTED without one, the commit
 * record was refused, and the batch's records are drops.
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

/* A lane's buffer for an id. */
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

/* Returns the count in `head` or `drops` if it is of this instance, else 0. */
static inline uint64_t
tbuf_speculated_count(uint64_t word, uint64_t instance)
{
	return (word >> 24 == instance ? word & 0xffffff : 0);
}

/* The data of a commit record. */
struct tbuf_commit_record {
	uint32_t id;		/* from 1 */
	uint32_t reserved;
	uint64_t instance;
};

_Static_assert(sizeof(struct tbuf_commit_record) == 16, "tbuf_commit_record");
_Static_assert(sizeof(struct tbuf_speculated) == 64, "tbuf_speculated");

#endif
