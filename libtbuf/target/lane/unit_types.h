/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The structures of work units at a target (unit.h).
 */
#ifndef TBUF_TARGET_LANE_UNIT_TYPES_H
#define TBUF_TARGET_LANE_UNIT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_unit_types.h"
#include "target/lane/lane.h"

#define TBUF_UNIT_SESSIONS	4	/* that a unit has tables in */

/*
 * A unit in a session.  What is known of the session when the unit has ended
 * holds for the next one that has this place, if that is still there.
 */
struct tbuf_bound {
	struct tbuf_fire fire;		/* its session */
	struct tbuf_units *units;
	struct tbuf_unit_entry *entry;	/* NULL: no table was free */
	uint32_t count;			/* of the session's tables */
	bool wraps;
	bool ring;			/* what is done may make way */
	bool kept;			/* the table is still ours */
	uint32_t index;			/* of it */
	uint32_t kind;
	uint64_t name[TBUF_UNIT_NAME / 8];	/* of the kind */
	uint64_t id;
	uint64_t instance;
	uint64_t began;
	/* For what is done as it was done before (unit_cached_write.c). */
	uint32_t again;			/* of probes that it is for; 0: none */
	bool others;			/* records that are written
					   otherwise: not in way.selected */
	uint64_t rule;			/* the first, as it was last seen */
	struct tbuf_unit_total totals;	/* of a table that is kept */
	bool counted;			/* they hold while it is bound, too */
	struct tbuf_unit_way way;
};

struct tbuf_unit {
	uint64_t word;			/* epoch << 48 | serial << 1 | used */
	uint64_t owner;			/* its thread, or that it was left by
					   all; 0: the place is free */
	struct tbuf_unit *outer;	/* that its thread was in before */
	uint64_t memo;			/* bits of that thread's memo */
	bool busy;			/* a record is written under a lock */
	uint32_t nbound;
	struct tbuf_bound bound[TBUF_UNIT_SESSIONS];
};

#endif
