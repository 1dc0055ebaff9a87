/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of work units that every target has: the memory of its units, the
 * fork count that makes a parent's units foreign, and the hooks by which a fire
 * reaches the code of units (unit/).  A static program that begins no unit has
 * no more of it.
 */
#ifndef TBUF_TARGET_LANE_UNIT_HOOKS_H
#define TBUF_TARGET_LANE_UNIT_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "target/lane/lane.h"
#include "target/lane/unit_types.h"

/*
 * Functions of unit/ that a fire calls if its thread is in a unit.
 *
 * Only tbuf_unit_begin() makes a thread's unit, and it stores tbuf_unit_hooks
 * before it has taken the process's first unit.  Other threads enter that unit
 * after they have become its owner, which orders their loads after this store.
 * So tbuf_unit_hooks is not NULL wherever tbuf_thread.unit is not NULL, which
 * callers check first.  The pointer changes only once in a process and its
 * children, and points to constant data.
 */
struct tbuf_unit_hooks {
	/*
	 * Writes a fire's record into the table of the thread's unit.  Returns
	 * false if the record must go to a lane.
	 */
	bool (*emit)(const struct tbuf_fire *, enum tbuf_emit *);
	/*
	 * Caches the selection of a site's records.  Returns false if it is
	 * cached or cannot be: a retry is useless.
	 */
	bool (*remember)(struct tbuf_bound *, const struct tbuf_site *);
};

extern const struct tbuf_unit_hooks *tbuf_unit_hooks TBUF_HIDDEN;

/* All units that there is memory for: TBUF_UNITS, or a few. */
#define TBUF_UNIT_INDEX	10		/* bits of a place's index */
#define TBUF_UNITS	(1u << TBUF_UNIT_INDEX)
extern struct tbuf_unit *tbuf_units_all TBUF_HIDDEN;
extern uint32_t tbuf_units_room TBUF_HIDDEN;
/* Number of forks between the first process and this one. */
extern uint64_t tbuf_units_epoch TBUF_HIDDEN;

/* Replaces the units by TBUF_UNITS others, all zero. */
static inline void
tbuf_units_have(struct tbuf_unit *all)
{
	tbuf_units_all = all;
	tbuf_units_room = TBUF_UNITS;
}

/* Forgets the parent's units in a forked child. */
static inline void
tbuf_units_forget(void)
{
	tbuf_thread.unit = NULL;
	tbuf_store(&tbuf_units_epoch, tbuf_load(&tbuf_units_epoch) + 1);
}

/*
 * Writes the record of a fire into the table of the thread's work unit or, if
 * it is in none that takes the record, into a lane.
 */
enum tbuf_emit tbuf_record_emit(const struct tbuf_fire *) TBUF_HIDDEN;

#endif
