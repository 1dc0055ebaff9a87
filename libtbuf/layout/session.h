/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A session: its slot in the fixed part, and the header of its area.
 */
#ifndef TBUF_LAYOUT_SESSION_H
#define TBUF_LAYOUT_SESSION_H

#include <stdbool.h>

#include "layout/common.h"
#include "layout/lane.h"
#include "layout/speculation.h"
#include "layout/terms.h"
#include "layout/thread_lane.h"

enum tbuf_state {
	TBUF_FREE = 0,
	TBUF_SETUP = 1,
	TBUF_ACTIVE = 2,
	TBUF_ENDING = 3,
	TBUF_GIVENUP = 4,
	TBUF_RETIRED = 5,
	TBUF_GIVINGUP = 6,
	TBUF_EXITED = 7		/* a clause has called exit() */
};

struct tbuf_slot {
	uint64_t generation;	/* (c) 0: no session; release */
	uint64_t area;		/* (l) offset of the session area */
	uint64_t area_size;	/* (l) bytes */
	uint64_t ecbs;		/* (c) offset of the ECB table */
	uint32_t ecb_max;	/* (c) entries of it, at most TBUF_ECBS_MAX */
	uint32_t necbs;		/* (a) EPIDs in use, the unused 0 included */
	uint64_t deadline;	/* (c) record clock; 0: none */
	uint64_t lanes;		/* (c) offset of struct tbuf_lane[nlanes] */
	uint32_t nlanes;	/* (c) CPU lanes, then lock lanes, then spares,
				   then thread lanes; grows by these, release */
	uint32_t first_lock;	/* (c) index of the first lock lane */
	struct tbuf_terms terms; /* (c) bufsize as reduced by `auto` */
	uint64_t heads;		/* (c) offset of uint32_t[tables.entries] */
	uint64_t fill_mask;	/* (c) ~0 under fill, else 0 */
	uint32_t nlocks;	/* (c) lock lanes in use; raised if one dies */
	uint32_t nlocks_max;	/* (c) with the spares */
	uint32_t ncpus;		/* (c) CPUs that have lanes */
	uint32_t unmet;		/* (a) matches that found no room for an ECB */
	uint64_t clauses;	/* (c) offset of tbuf_clause[ecb_max], or 0 */
	uint64_t exit;		/* (a) 0, or 2^32 + status */
	uint32_t cleared;	/* (c) incremented by clear(): a min() or max()
				   stored under an older value is reset */
	uint32_t unfit;		/* (a) matches that no program fits */
	uint32_t nspec;		/* (c) ids of speculations, up to TBUF_NSPEC */
	uint32_t speculated;	/* (c) bytes of a speculation's buffer, with
				   struct tbuf_speculated */
	uint64_t holders;	/* (c) offset of struct tbuf_holder[], one for
				   each possible thread lane; 0: no pool */
	uint32_t first_thread_lane;	/* (c) index of the first thread lane */
	uint32_t nlanes_max;	/* (c) most lanes, with those not added yet */
	uint32_t released;	/* (a) raised as thread lanes become free */
	uint32_t children;	/* (a) children missed: they saw no board */
	uint64_t turn;		/* (c) tbuf_turn(): selects the tables in use;
				   0 once generation is; release */
	uint32_t flushes;	/* (a) raised by tbuf_flush() */
	uint32_t snapshots;	/* (a) raised by snapshot() in clauses */
	uint32_t reserved1[6];
	struct tbuf_lock locks[TBUF_NLOCKS];
	struct tbuf_chunk chunks[TBUF_NCHUNKS];	/* (c) of thread lanes */
	struct tbuf_part programs;	/* (c) tbuf_program_head */
	struct tbuf_part texts;		/* (c) tbuf_text_record */
	struct tbuf_part globals;	/* (c) variables; both sides write */
	struct tbuf_part blocks;	/* (c) tbuf_block: threads' variables */
	struct tbuf_part dynamic;	/* (c) sets of elements of arrays */
	struct tbuf_part speculations;	/* (c) nspec buffers for each lane */
	struct tbuf_part codes;		/* (c) tbuf_codes */
	struct tbuf_part units;		/* (c) tbuf_units, entries, tables */
	uint64_t speculation[TBUF_NSPEC]; /* (a) tbuf_speculation_word() */
	/* Offset of a CPU's lane in units of 64 bytes; 0: no lane. */
	uint32_t lane_of_cpu[TBUF_NCPUS];	/* (c) */
};

/*
 * The tables of all lanes of a session switch at once: the low bit of the
 * turn's count selects one of each lane's two.  The turn contains the
 * generation, so a section that compares it also learns whether the session
 * still exists.
 */
#define TBUF_TURN_SHIFT	24

static inline uint64_t
tbuf_turn(uint64_t generation, uint64_t count)
{
	return (generation << TBUF_TURN_SHIFT |
	    (count & ((UINT64_C(1) << TBUF_TURN_SHIFT) - 1)));
}

/*
 * Returns true if `turn` is of the session with this generation.  Older
 * consumers do not store one.
 */
static inline bool
tbuf_turn_of(uint64_t turn, uint64_t generation)
{
	return (((turn ^ tbuf_turn(generation, 0)) >> TBUF_TURN_SHIFT) == 0);
}

/* Returns the number of lanes before thread lanes: all of old libraries. */
static inline uint32_t
tbuf_slot_main(const struct tbuf_slot *slot)
{
	return (slot->holders == 0 || slot->first_thread_lane > slot->nlanes ?
	    slot->nlanes : slot->first_thread_lane);
}

/* The header of a session area, at slot.area. */
struct tbuf_session {
	uint64_t generation;	/* (i) the slot's */
	uint64_t patterns;	/* (i) offset of the patterns' text */
	uint32_t patterns_size;	/* (i) bytes, NULs included */
	uint32_t npatterns;	/* (i) enablings: NUL-terminated, in order */
	struct tbuf_moment go;	/* (c) when the consumer began to trace */
	struct tbuf_moment now;	/* (c) last calibration by the consumer */
	uint64_t boot;		/* (i) of a recorder: number of the system's
				   boot; 0: not known */
	uint64_t removed;	/* (i) of a recorder: recordings of its program
				   removed by it and, in turn, by these */
	uint64_t selections;	/* (i) offset of uint64_t[npatterns]: each 0, or
				   TBUF_SELECTION_SET and the enabling's
				   mask; 0: no selections */
	struct tbuf_part mappings; /* (i) room for lines of executable mappings,
				   as in control.mappings; at 0: no room */
	uint64_t mapped;	/* (c) bytes of lines in it; release */
	uint64_t reserved;
};

#define TBUF_SELECTION_SET	(UINT64_C(1) << 32)

TBUF_ASSERT_OFFSET(tbuf_slot, lanes, 48);
TBUF_ASSERT_OFFSET(tbuf_slot, terms, 64);
TBUF_ASSERT_OFFSET(tbuf_slot, heads, 128);
TBUF_ASSERT_OFFSET(tbuf_slot, locks, 256);
TBUF_ASSERT_OFFSET(tbuf_slot, holders, 192);
TBUF_ASSERT_OFFSET(tbuf_slot, turn, 216);
TBUF_ASSERT_OFFSET(tbuf_slot, chunks, 1792);
TBUF_ASSERT_OFFSET(tbuf_slot, programs, 2048);
TBUF_ASSERT_OFFSET(tbuf_slot, units, 2160);
TBUF_ASSERT_OFFSET(tbuf_slot, speculation, 2176);
TBUF_ASSERT_OFFSET(tbuf_slot, lane_of_cpu, 4096);
TBUF_ASSERT_OFFSET(tbuf_session, mappings, 96);
TBUF_ASSERT_OFFSET(tbuf_session, mapped, 112);
_Static_assert(sizeof(struct tbuf_slot) == TBUF_SLOT_SIZE, "tbuf_slot");
_Static_assert(sizeof(struct tbuf_session) == 128, "tbuf_session");

/* Returns true if the session has thread lanes (thread_lane.h). */
static inline bool
tbuf_thread_lane_any(const struct tbuf_slot *slot)
{
	return (__atomic_load_n(&slot->holders, __ATOMIC_RELAXED) != 0);
}

#endif
