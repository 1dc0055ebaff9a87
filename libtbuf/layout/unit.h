/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Work units: records that are kept apart until the unit's outcome is known.
 */
#ifndef TBUF_LAYOUT_UNIT_H
#define TBUF_LAYOUT_UNIT_H

#include <stdbool.h>

#include "layout/probe.h"
#include "layout/speculation.h"

/*
 * WORK UNITS
 *
 * The records of a thread that is in a unit go to the unit's own table in
 * slot.units, stored as in a lock lane, until the unit has ended.  Each outcome
 * has a rule with a mask: records are kept if their probe's selection has a bit
 * of the mask, and discarded otherwise.  All records of a slow unit are kept,
 * whatever its outcome: of one that lasted as many ticks as tbuf_units.slow.
 * They are selected by level: records are kept if their probe's selection, as a
 * number, does not exceed the level, which stands in the place of the mask.
 * The first rule may say that all units are: then the outcome is the level.
 *
 *	+------------+------------------+------------------+-----------+-  -+
 *	| struct     | struct           | struct           | table, of | .. |
 *	| tbuf_units | tbuf_unit_entry, | tbuf_unit_ticks, | the first |    |
 *	|            | one a table      | one a table      |           |    |
 *	+------------+------------------+------------------+-----------+-  -+
 *
 *	        begin          fields         end: outcome, count
 *	FREE --------> TAKEN --------> BOUND ---------------------> ENDING
 *	 ^ ^ ^                           |                          |    |
 *	 | | +-- no record is kept ------+                          |    |
 *	 | +---- an envelope is in the lane, or refused ------------+    |
 *	 |                                                               v
 *	 +--(c) the batch is read; (t) begin, under ring -------------- DONE
 *
 *			other thread				own thread
 *	BOUND ----> ENDING -------------------> ABANDONED ----> FREE or DONE
 *	    |                                    ^
 *	    +-- no record is kept ---------------+
 *
 * CACHED is FREE, but reserved for the next unit that uses the same struct
 * tbuf_unit of the target, which makes it BOUND in one step.  Only a thread
 * that has taken that structure may bind the table for another unit.  A table
 * that has wrapped becomes FREE instead.
 *
 * If the kept records fit an envelope (TBUF_UNIT_ENVELOPE), they are copied
 * into one, a record of the CPU's lane; otherwise a commit record goes there,
 * and the consumer reads the batch from the table.  A table that is not FREE
 * belongs to one unit.  A unit that is BOUND or ENDING when no thread can be
 * inside any more has not ended, and is read as it is.
 *
 * The table alone counts kept records, in the step that makes its word ENDING:
 * a lane counts neither an envelope or commit record that it refuses (lane.h:
 * TBUF_FULL_CLOSED) nor one that is overwritten.  Kept records that the
 * consumer could not read are therefore lost, and records of an ENDING unit
 * that are in its table only are not, wherever the target was killed
 * [inv.account].
 *
 * tbuf_unit_abandon() ends a unit that another thread is in.  It closes head
 * first: it adds 2 to the laps of head, so that the same half is in use, until
 * no section of the unit's thread stores head any more.  A step that had loaded
 * the old head fails then.  The thread may be between two steps still, and so
 * the table is ABANDONED until it is known to be out: such a table is read as a
 * DONE one is, and not bound for another unit.  While a BOUND table has not
 * wrapped, the head in its other half is 0: it has not wrapped either, for
 * readers, if its head is closed.
 *
 * A table that wraps has two halves, and the older half is overwritten as a
 * whole.
 *
 * The sum of the durations of a kind is the sum of its words in all struct
 * tbuf_unit_ticks, and of its own word `ticks', which has those of units
 * without a table.  A table's unit alone changes the table's ticks, without a
 * locked instruction: it loads the kind's word when it binds the table, and
 * each step that may end it stores that value, with the unit's ticks added,
 * before the entry's word.  An abandoned step is repeated with the same value,
 * so that no unit is added twice.  If the target is killed between the two
 * stores, the sum has the ticks of that unit, and the histogram has not.
 *
 * An entry's counts are stored before the word that commits them, in steps that
 * may be abandoned in between, and then repeated or not.  Each count exists
 * twice, therefore, and the word selects the valid one: of the halves, that of
 * the lap before head's; of the totals, that of the word's instance if it has
 * ended, else that of the instance before it.
 */
enum tbuf_unit_state {
	TBUF_UNIT_FREE = 0,
	TBUF_UNIT_TAKEN = 1,
	TBUF_UNIT_BOUND = 2,
	TBUF_UNIT_ENDING = 3,
	TBUF_UNIT_DONE = 4,
	TBUF_UNIT_CACHED = 5,
	TBUF_UNIT_ABANDONED = 6
};

#define TBUF_UNIT_KINDS		32u	/* the last one: all others */
#define TBUF_UNIT_NAME		32u	/* bytes, with the NUL */
#define TBUF_UNIT_BUCKETS	383u	/* tbuf_unit_bucket() */
#define TBUF_UNIT_ENVELOPE	2048u	/* most bytes of records in one */
#define TBUF_UNIT_RULES		8u	/* the last one: any other outcome */
#define TBUF_UNIT_COUNT_LEVEL	(UINT64_C(1) << 63) /* of an entry's count */
#define TBUF_UNIT_TABLE_LEVEL	(UINT32_C(1) << 31) /* of a record's table */
#define TBUF_SELECTED		1u	/* a probe's default selection */
#define TBUF_SELECTED_SUCCESS	2u	/* outcome 0's default mask */

struct tbuf_unit_half {
	uint64_t head;		/* (t) head when the lap ended */
	uint64_t overwritten;	/* (t) records of this table, ever */
};

/* Sums over all units that a table has had. */
struct tbuf_unit_total {
	uint64_t committed;	/* (t) records that were kept */
	uint64_t discarded;	/* (t) records that were not kept */
};

struct tbuf_unit_entry {
	uint64_t word;		/* (a) tbuf_unit_word() */
	uint64_t full;		/* (t) drops of this table, ever */
	struct tbuf_unit_half half[2];	/* tbuf_unit_older() */
	uint64_t head;		/* (t) tbuf_unit_head(); release */
	uint64_t began;		/* (t) record clock */
	uint64_t id;		/* (t) the program's number for the unit */
	uint64_t kind;		/* (t) index in kinds */
	uint64_t thread;	/* (t) the thread in it, or the last one */
	uint64_t inside;	/* (t) 1: that thread is in it now */
	uint64_t ended;		/* (t) outcome << 32 | mask */
	uint64_t count;		/* (t) records that are kept; by level */
	struct tbuf_unit_total total[2];	/* tbuf_unit_totals() */
	uint64_t hung;		/* (i) 0, or ns: its age when a recording was
				   made, in a file that is made of one */
	uint64_t reserved[5];
};

struct tbuf_unit_kind {
	uint64_t state;		/* (a) 0 free, 1 claimed, 2 it has a name */
	uint64_t failures;	/* (a) */
	uint64_t began;		/* (t) its first unit; record clock */
	uint64_t ticks;		/* (a) of ended units without a table */
	char name[TBUF_UNIT_NAME];	/* (t) NUL-terminated */
	uint64_t durations[TBUF_UNIT_BUCKETS];	/* (a) ticks: units */
	uint64_t slow;		/* (a) slow units */
};

/* Sums over all units that a table has had. */
struct tbuf_unit_ticks {
	uint64_t kinds[TBUF_UNIT_KINDS];	/* (t) ticks of ended units */
};

struct tbuf_units {
	uint64_t without;	/* (a) units that exceeded nunits */
	uint64_t elsewhere;	/* (a) their records, which are in lanes */
	/* (c) tbuf_unit_rule() ^ tbuf_unit_default() */
	uint64_t rules[TBUF_UNIT_RULES];
	uint64_t returned;	/* (c) records of units ever returned */
	uint64_t slow;		/* (c) least ticks of a slow unit; 0: none is */
	uint64_t hung;		/* (c) ns: older units are hung; 0: none is */
	uint64_t reserved[3];
	struct tbuf_unit_kind kinds[TBUF_UNIT_KINDS];
};

/* The data of a commit record; an envelope's data begin with it, too. */
struct tbuf_unit_record {
	uint32_t table;		/* or TBUF_UNIT_TABLE_LEVEL */
	uint32_t kind;
	uint64_t instance;
	uint64_t id;
	uint64_t began;
	int32_t outcome;
	uint32_t mask;
	uint32_t count;		/* records that are kept */
	uint32_t discarded;
};

/*
 * Returns true for the EPID of an envelope or of a unit's commit record, which
 * lanes do not count.
 */
static inline bool
tbuf_epid_unit(uint32_t epid)
{
	return ((epid & 0xfffe) == TBUF_EPID_UNIT);
}

_Static_assert(TBUF_EPID_UNIT % 2 == 0 &&
    TBUF_EPID_ENVELOPE == TBUF_EPID_UNIT + 1, "a pair");

/* Returns an entry's word; it names the session, as a speculation's does. */
static inline uint64_t
tbuf_unit_word(uint64_t generation, uint64_t instance,
    enum tbuf_unit_state state)
{
	return (generation << 43 | (instance & TBUF_INSTANCE) << 3 |
	    (uint64_t)state);
}

/* The bit of a word by which the totals of an odd and even instance differ. */
#define TBUF_UNIT_NEXT	(UINT64_C(1) << 3)

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

/* Returns true if a word is that of a session, with its table in this state. */
static inline bool
tbuf_unit_word_is(uint64_t word, uint64_t generation,
    enum tbuf_unit_state state)
{
	return (word == tbuf_unit_word(generation, tbuf_unit_instance(word),
	    state));
}

/*
 * Returns an entry's head: how often the table has wrapped, and the records and
 * bytes of the current half.
 */
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

/* Returns the index of the half that the lap before head's wrote. */
static inline unsigned
tbuf_unit_older(uint64_t head)
{
	return ((unsigned)(tbuf_unit_laps(head) + 1) & 1);
}

/* Returns the index of the valid total. */
static inline unsigned
tbuf_unit_totals(uint64_t word)
{
	enum tbuf_unit_state state = tbuf_unit_state(word);

	return ((unsigned)(tbuf_unit_instance(word) +
	    (state == TBUF_UNIT_TAKEN || state == TBUF_UNIT_BOUND)) & 1);
}

/* Returns the bucket of a duration: eight for each power of two. */
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

/* Returns the least duration of a bucket, in ticks. */
static inline uint64_t
tbuf_unit_least(uint32_t bucket)
{
	return (bucket < 8 ? bucket :
	    (UINT64_C(8) | (bucket & 7)) << (bucket / 8 - 1));
}

/* Returns true if a unit keeps the records with this selection. */
static inline bool
tbuf_unit_selects(uint32_t selection, uint32_t mask, bool by_level)
{
	return (by_level ? selection <= mask : (selection & mask) != 0);
}

/*
 * Returns true if a unit of so many ticks is slow.  A `slow' of 0 is compared
 * as the most ticks that there are.
 */
static inline bool
tbuf_unit_is_slow(uint64_t ticks, uint64_t slow)
{
	return (ticks > slow - 1);
}

#define TBUF_UNIT_NO_OUTCOME	INT32_MIN	/* the rule is unused */

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

/* The first rule if outcomes are levels; below 0 they keep no record. */
#define TBUF_UNIT_LEVELS	tbuf_unit_rule(TBUF_UNIT_NO_OUTCOME, 1)

/*
 * Returns the default of rule i: success keeps the records selected by
 * TBUF_SELECTED_SUCCESS, any other outcome keeps all.
 */
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
