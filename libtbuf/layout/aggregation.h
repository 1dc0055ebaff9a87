/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregation tables: the values that clauses aggregate at a lane.
 */
#ifndef TBUF_LAYOUT_AGGREGATION_H
#define TBUF_LAYOUT_AGGREGATION_H

#include "layout/common.h"

/*
 * The aggregation table of a lane: values by aggregation and key.
 *
 *	+-----+-------+----------------------+- - - -+----------------+
 *	| top | index | entries, with keys ->|       |<- their values |
 *	+-----+-------+----------------------+- - - -+----------------+
 *	0     64      tbuf_table_heap()                         storage
 *
 * Entries do not move, and their values are initially 0, as space without
 * entries is not stored to.  An entry is copied after the others, then its
 * offset into a slot of the index, and at last `top` commits it: the bytes
 * that entries take, and in the upper half those of values.  A slot that
 * points to an uncommitted entry is empty.  An abandoned insertion may leave
 * its slot, which may later point to another insertion's entry, with another
 * key; and its bytes after the last entry.  Where these may reach the place of
 * values, the insertion that takes the place zeroes it first.
 *
 * A lane has two tables; slot.turn selects the one that writers use.  When a
 * table is more than half full, the consumer stores the other turn, runs once
 * on each CPU, so that every section that has read the old turn is done or
 * aborted, and compares and swaps the lock of each lock lane, free for free, so
 * that the acquire of the next holder comes after the new turn.  Then it reads
 * the table of the old turn for the last time, and zeroes all that may have
 * been stored to.  If a lane's lock is held, its table is left as it is and
 * used again; both tables are read in any case.
 *
 * In the session that a known program builds for itself the first table may be
 * smaller than the second one.  When that has been switched to, and the first
 * one is empty, the consumer gives it the second one's size.
 *
 * A count is one word.  A value of several words (machine/aggregate.h) is a
 * version and two copies: a writer writes the copy that the version's low bit
 * does not select, then version + 1.
 */
struct tbuf_table {
	uint64_t top;		/* (t) release */
	uint64_t reserved[7];
	/* uint32_t index[]: offsets of entries in the table; 0: none */
};

struct tbuf_table_entry {
	uint32_t size;		/* (i) bytes with the key, a multiple of 8 */
	uint16_t aggregation;	/* (i) its id */
	uint16_t key;		/* (i) bytes of the key */
	uint32_t values;	/* (i) offset in the table */
	uint32_t nwords;	/* (i) of its values */
	uint64_t hash;		/* (i) a search of the index begins there */
	/* the key (i), padded with zeroes */
};

#define TBUF_TABLE_MIN	512u		/* bytes of a table */
#define TBUF_TABLE_MAX	(UINT64_C(1) << 31)
#define TBUF_TABLE_LOCK	65536u		/* most bytes for a small lock lane */
#define TBUF_TABLE_PROBES 64u		/* slots that a search looks at */
#define TBUF_TABLE_ENTRY (sizeof(struct tbuf_table_entry) + 65536u)
					/* most bytes of an entry */

/* Returns the number of slots of the index, a power of two. */
static inline uint32_t
tbuf_table_slots(uint64_t storage)
{
	return ((uint32_t)(storage / 32));
}

static inline uint64_t
tbuf_table_heap(uint64_t storage)
{
	return (sizeof(struct tbuf_table) +
	    tbuf_table_slots(storage) * sizeof(uint32_t));
}

_Static_assert(sizeof(struct tbuf_table) == 64, "tbuf_table");
_Static_assert(sizeof(struct tbuf_table_entry) == 24, "tbuf_table_entry");

#endif
