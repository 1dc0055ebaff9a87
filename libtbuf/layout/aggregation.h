/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What clauses aggregate at a lane.
 */
#ifndef TBUF_LAYOUT_AGGREGATION_H
#define TBUF_LAYOUT_AGGREGATION_H

#include "layout/common.h"

/*
 * A lane's aggregation table: what clauses have aggregated there, by key.
 *
 *	+-----+-------+----------------------+- - - -+----------------+
 *	| top | index | entries, with keys ->|       |<- their values |
 *	+-----+-------+----------------------+- - - -+----------------+
 *	0     64      tbuf_table_heap()                         storage
 *
 * Entries never move, and their values are 0 in the beginning: nobody stores
 * where none are yet.  An entry is copied behind the others, then its offset
 * into a slot of the index, and at last `top` commits it: the bytes that
 * entries take, and in the upper half those of values.  A slot that points to
 * what is not committed is empty.  An insertion that is abandoned may leave its
 * slot behind, which then points to somebody else's entry, with another key,
 * and bytes behind the others: where these may reach to where values come, the
 * insertion that takes the place zeroes it first.
 *
 * A lane has two of them, and slot.turn says at which one works.  The consumer
 * stores the other turn when one is more than half full, runs once on each CPU,
 * so that every section that had seen the turn before is done or aborted, and
 * compares and swaps the locks of lock lanes, free for free, which the next
 * holder's acquire is behind.  Then it reads what was left at the turn before
 * for the last time, and zeroes all that may have been stored to.  A lane whose
 * lock is held keeps what it has: its table is worked at again as it is, and
 * both are read in any case.
 *
 * A count is one word.  What takes several words at once (machine/aggregate.h)
 * is a version and two copies: the one that the version's low bit does not
 * select is written, then version + 1.
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
	uint64_t hash;		/* (i) where its search begins in the index */
	/* the key (i), padded with zeroes */
};

#define TBUF_TABLE_MIN	512u		/* bytes of a table */
#define TBUF_TABLE_MAX	(UINT64_C(1) << 31)
#define TBUF_TABLE_LOCK	65536u		/* most of a small lock lane's */
#define TBUF_TABLE_PROBES 64u		/* slots that a search looks at */
#define TBUF_TABLE_ENTRY (sizeof(struct tbuf_table_entry) + 65536u)
					/* most bytes of an entry */

/* Slots of the index, a power of two. */
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
