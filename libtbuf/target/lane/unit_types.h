/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Structures of work units in a target (unit/unit.h).
 */
#ifndef TBUF_TARGET_LANE_UNIT_TYPES_H
#define TBUF_TARGET_LANE_UNIT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_unit_types.h"
#include "target/lane/lane.h"

#define TBUF_UNIT_SESSIONS	4	/* sessions in which a unit has
					 * tables */

/*
 * A unit in a session.  Facts about the session remain valid for the next unit
 * in this place, as long as the session exists.
 */
struct tbuf_bound {
	struct tbuf_fire fire;		/* its session */
	struct tbuf_units *units;
	struct tbuf_unit_entry *entry;	/* NULL: no table was free */
	uint32_t count;			/* of the session's unit tables */
	bool wraps;
	bool ring;			/* ended units may be overwritten */
	bool cached;			/* the table is retained for us */
	bool refers;			/* a commit record refers to the
					 * abandoned table */
	uint32_t index;			/* of the table */
	uint32_t kind;
	uint64_t name[TBUF_UNIT_NAME / 8];	/* of the kind */
	uint64_t id;
	uint64_t instance;
	uint64_t began;
	/* Caches for sections (unit_cached_write.c). */
	uint32_t fast_bits;		/* enable bits they are valid for; 0:
					 * none */
	bool others;			/* some records were written otherwise,
					 * and are not in way.selected */
	uint64_t rule;			/* the first rule, as last loaded */
	struct tbuf_unit_total totals;	/* totals of a retained table */
	bool counted;			/* totals are valid while bound, too */
	uint64_t *ticks_at;		/* the kind's ticks of the table */
	uint64_t ticks;			/* as this unit found them */
	struct tbuf_unit_way way;
};

struct tbuf_unit {
	uint64_t word;			/* epoch << 48 | serial << 1 | used */
	uint64_t owner;			/* tbuf_unit_self() of the thread in it,
					 * or tbuf_unit_unowned(); 0: the place
					 * is free */
	uint64_t fate;			/* tbuf_unit_fate(); 0: it is not
					 * abandoned */
	struct tbuf_unit *outer;	/* unit in which its thread entered it,
					 * or NULL */
	uint64_t memo;			/* saved bits of that thread's memo */
	bool busy;			/* a record is written under a lock, or
					 * the unit is abandoned */
	uint32_t nbound;
	struct tbuf_bound bound[TBUF_UNIT_SESSIONS];
};

#endif
