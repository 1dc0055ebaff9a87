/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Records that are kept apart until the outcome of a work unit is known.
 */
#ifndef TBUF_LAYOUT_UNIT_H
#define TBUF_LAYOUT_UNIT_H

#include <stdbool.h>

#include "layout/probe.h"
#include "layout/speculation.h"

/*
 * WORK UNITS
 *
 * What a thread fires in a unit goes to a table of the unit's own, in
 * slot.units, as records of a lock lane do, and stays there until the unit has
 * ended.  Its outcome says by a rule which of them are kept: those of probes
 * whose selection has a bit of the rule's mask.
 *
 *	+------------+------------------+---------------------+-  -+
 *	| struct     | struct           | table, of the first | .. |
 *	| tbuf_units | tbuf_unit_entry, |                     |    |
 *	|            | one a table      |                     |    |
 *	+------------+------------------+---------------------+-  -+
 *
 *	        begin          fields         end: outcome, count
 *	FREE --------> TAKEN --------> BOUND ---------------------> ENDING
 *	 ^ ^ ^                           |                          |    |
 *	 | | +-- nothing is kept --------+                          |    |
 *	 | +---- an envelope is there, or refused ------------------+    |
 *	 |                                                               v
 *	 +--(c) the batch was given; (t) begin, under ring------------ DONE
 *
 * KEPT is FREE, but for the next unit that has the same place in the target's
 * memory: it is BOUND at once, and nobody else takes it without having that
 * place.  A table that has wrapped is not kept.
 *
 * What is short is copied into an envelope, one record of the CPU's lane; else
 * a mark goes there, and the reader gives the batch out of the table.  A unit
 * that is not FREE is never another one's, and one that is BOUND or ENDING when
 * nobody can be inside any more is given as it is: it has not ended.
 *
 * What is kept is counted by the table, with the word that makes it ENDING, and
 * by nobody else: a lane neither counts an envelope or a mark that it refuses
 * (lane.h: TBUF_FULL_CLOSED) nor one that is overwritten.  So whatever a
 * reader was not given is lost, and what of an ENDING unit lies in its table
 * alone is not, wherever the target was killed [inv.account].
 *
 * A table that wraps has two halves, and the older one makes way as a whole.
 *
 * What an entry counts is stored before the word that commits it, by steps
 * that may be abandoned between the two and begun again, or for ever: so there
 * are two of each, and the word itself tells which one counts.  Of halves it
 * is that of the lap before head's; of totals that of the instance if it has
 * ended, else that of the one before.
 */
enum tbuf_unit_state {
	TBUF_UNIT_FREE = 0,
	TBUF_UNIT_TAKEN = 1,
	TBUF_UNIT_BOUND = 2,
	TBUF_UNIT_ENDING = 3,
	TBUF_UNIT_DONE = 4,
	TBUF_UNIT_KEPT = 5
};

#define TBUF_UNIT_KINDS		32u	/* the last one: all others */
#define TBUF_UNIT_NAME		32u	/* bytes, the NUL counted */
#define TBUF_UNIT_BUCKETS	384u	/* tbuf_unit_bucket() */
#define TBUF_UNIT_ENVELOPE	2048u	/* most bytes of records in one */
#define TBUF_UNIT_RULES		8u	/* the last one: any other outcome */
#define TBUF_SELECTED		1u	/* a probe's, unless it says another */
#define TBUF_SELECTED_SUCCESS	2u	/* the mask of outcome 0, likewise */

struct tbuf_unit_half {
	uint64_t head;		/* (t) as the lap was left */
	uint64_t overwritten;	/* (t) records of this table, ever */
};

/* Of all units that the table has had. */
struct tbuf_unit_total {
	uint64_t kept;		/* (t) records that were kept */
	uint64_t discarded;	/* (t) records that were not kept */
};

struct tbuf_unit_entry {
	uint64_t word;		/* (a) tbuf_unit_word() */
	uint64_t full;		/* (t) drops of this table, ever */
	struct tbuf_unit_half half[2];	/* tbuf_unit_older() */
	uint64_t head;		/* (t) tbuf_unit_head(); release */
	uint64_t began;		/* (t) record clock */
	uint64_t id;		/* (t) */
	uint64_t kind;		/* (t) index in kinds */
	uint64_t thread;	/* (t) its thread, or who left it last */
	uint64_t inside;	/* (t) 1: is in it now */
	uint64_t ended;		/* (t) outcome << 32 | mask */
	uint64_t count;		/* (t) records that are kept */
	struct tbuf_unit_total total[2];	/* tbuf_unit_totals() */
	uint64_t reserved[6];
};

struct tbuf_unit_kind {
	uint64_t state;		/* (a) 0 free, 1 claimed, 2 it has a name */
	uint64_t failures;	/* (a) */
	uint64_t began;		/* (t) its first unit; record clock */
	uint64_t reserved;
	char name[TBUF_UNIT_NAME];	/* (t) NUL-terminated */
	uint64_t durations[TBUF_UNIT_BUCKETS];	/* (a) ticks: units */
};

struct tbuf_units {
	uint64_t without;	/* (a) units that found no table */
	uint64_t elsewhere;	/* (a) records of those, in other lanes */
	/* (c) tbuf_unit_rule(), as what differs from tbuf_unit_default() */
	uint64_t rules[TBUF_UNIT_RULES];
	uint64_t given;		/* (c) records of units ever given; see consumed */
	uint64_t reserved[5];
	struct tbuf_unit_kind kinds[TBUF_UNIT_KINDS];
};

/* The data of a mark, and what an envelope's records stand behind. */
struct tbuf_unit_record {
	uint32_t table;
	uint32_t kind;
	uint64_t instance;
	uint64_t id;
	uint64_t began;
	int32_t outcome;
	uint32_t mask;
	uint32_t count;		/* of its records */
	uint32_t discarded;
};

/* Is it of an envelope or of a mark, which no lane counts? */
static inline bool
tbuf_epid_unit(uint32_t epid)
{
	return ((epid & 0xfffe) == TBUF_EPID_UNIT);
}

_Static_assert(TBUF_EPID_UNIT % 2 == 0 &&
    TBUF_EPID_ENVELOPE == TBUF_EPID_UNIT + 1, "a pair");

/* An entry's word names its session, as an id's of speculations does. */
static inline uint64_t
tbuf_unit_word(uint64_t generation, uint64_t instance,
    enum tbuf_unit_state state)
{
	return (generation << 43 | (instance & TBUF_INSTANCE) << 3 |
	    (uint64_t)state);
}

static inline uint64_t
tbuf_unit_instance(uint64_t word)
{
	return (word >> 3 & TBUF_INSTANCE);
}

static inline enum tbuf_unit_state
tbuf_unit_state(uint64_t word)
{
	return ((enum tbuf_unit_state)(word & 7));
}

/* How often it has wrapped, and the records and bytes of this half. */
static inline uint64_t
tbuf_unit_head(uint64_t laps, uint64_t records, uint64_t bytes)
{
	return (laps << 48 | (records & 0xffffff) << 24 |
	    (bytes / 8 & 0xffffff));
}

static inline uint64_t
tbuf_unit_laps(uint64_t head)
{
	return (head >> 48);
}

static inline uint64_t
tbuf_unit_records(uint64_t head)
{
	return (head >> 24 & 0xffffff);
}

static inline uint64_t
tbuf_unit_bytes(uint64_t head)
{
	return (8 * (head & 0xffffff));
}

/* Which of the two halves is that of the lap before. */
static inline unsigned
tbuf_unit_older(uint64_t head)
{
	return ((unsigned)(tbuf_unit_laps(head) + 1) & 1);
}

/* Which of the two totals counts. */
static inline unsigned
tbuf_unit_totals(uint64_t word)
{
	enum tbuf_unit_state state = tbuf_unit_state(word);

	return ((unsigned)(tbuf_unit_instance(word) +
	    (state == TBUF_UNIT_TAKEN || state == TBUF_UNIT_BOUND)) & 1);
}

/* Eight for each power of two. */
static inline uint32_t
tbuf_unit_bucket(uint64_t ticks)
{
	uint32_t e, bucket;

	if (ticks < 8)
		return ((uint32_t)ticks);
	e = 63 - (uint32_t)__builtin_clzll(ticks);
	bucket = (e - 2) * 8 + (uint32_t)(ticks >> (e - 3) & 7);
	return (bucket < TBUF_UNIT_BUCKETS ? bucket : TBUF_UNIT_BUCKETS - 1);
}

/* The least that a bucket has. */
static inline uint64_t
tbuf_unit_least(uint32_t bucket)
{
	return (bucket < 8 ? bucket :
	    (UINT64_C(8) | (bucket & 7)) << (bucket / 8 - 1));
}

/* A rule; one for no outcome is unused. */
#define TBUF_UNIT_NO_OUTCOME	INT32_MIN

static inline uint64_t
tbuf_unit_rule(int32_t outcome, uint32_t mask)
{
	return ((uint64_t)(uint32_t)outcome << 32 | mask);
}

static inline int32_t
tbuf_unit_outcome(uint64_t rule)
{
	return ((int32_t)(uint32_t)(rule >> 32));
}

/* Of success little, of failures everything. */
static inline uint64_t
tbuf_unit_default(unsigned i)
{
	return (i == 0 ? tbuf_unit_rule(0, TBUF_SELECTED_SUCCESS) :
	    tbuf_unit_rule(TBUF_UNIT_NO_OUTCOME,
	    i == TBUF_UNIT_RULES - 1 ? UINT32_MAX : 0));
}

TBUF_ASSERT_OFFSET(tbuf_unit_entry, began, 56);
_Static_assert(sizeof(struct tbuf_unit_entry) == 192, "tbuf_unit_entry");
_Static_assert(sizeof(struct tbuf_unit_kind) == 3136, "tbuf_unit_kind");
_Static_assert(sizeof(struct tbuf_units) == 100480, "tbuf_units");
_Static_assert(sizeof(struct tbuf_unit_record) == 48, "tbuf_unit_record");

#endif
