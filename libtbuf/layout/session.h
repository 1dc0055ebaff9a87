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
#include "layout/thread_lane.h"
#include "layout/speculation.h"
#include "layout/terms.h"

enum tbuf_state {
	TBUF_FREE = 0,
	TBUF_SETUP = 1,
	TBUF_ACTIVE = 2,
	TBUF_ENDING = 3,
	TBUF_GIVENUP = 4,
	TBUF_RETIRED = 5,
	TBUF_GIVINGUP = 6,
	TBUF_EXITED = 7		/* a clause has said exit() */
};

struct tbuf_slot {
	uint64_t generation;	/* (c) 0: no session; release */
	uint64_t area;		/* (l) offset of the session area */
	uint64_t area_size;	/* (l) bytes */
	uint64_t ecbs;		/* (c) offset of the ECB table */
	uint32_t ecb_max;	/* (c) entries of it, at most TBUF_ECBS_MAX */
	uint32_t necbs;		/* (a) EPIDs given out, the unused 0 included */
	uint64_t deadline;	/* (c) record clock; 0: none */
	uint64_t lanes;		/* (c) offset of struct tbuf_lane[nlanes] */
	uint32_t nlanes;	/* (c) CPU lanes, then lock lanes, then spares,
				   then side lanes; grows by these, release */
	uint32_t first_lock;	/* (c) index of the first lock lane */
	struct tbuf_terms terms; /* (c) bufsize as it is, after `auto` */
	uint64_t heads;		/* (c) offset of uint32_t[tables.entries] */
	uint64_t fill_mask;	/* (c) ~0 under fill, else 0 */
	uint32_t nlocks;	/* (c) lock lanes in use; grows if one goes */
	uint32_t nlocks_max;	/* (c) with the spares */
	uint32_t ncpus;		/* (c) CPUs that have lanes */
	uint32_t unmet;		/* (a) not 0: probes met, no room for an ECB */
	uint64_t clauses;	/* (c) offset of tbuf_clause[ecb_max], or 0 */
	uint64_t exit;		/* (a) 0, or 2^32 + status */
	uint32_t cleared;	/* (c) counts: a min() or max() that an earlier
				   one has is begun anew */
	uint32_t unfit;		/* (a) not 0: probes that no program fits */
	uint32_t nspec;		/* (c) ids of speculations, up to TBUF_NSPEC */
	uint32_t speculated;	/* (c) bytes of a struct tbuf_speculated */
	uint64_t holders;	/* (c) offset of struct tbuf_holder[], one for
				   each side lane there may be; 0: no pool */
	uint32_t first_side;	/* (c) index of the first side lane */
	uint32_t nlanes_max;	/* (c) lanes that there may come to be */
	uint32_t released;	/* (a) counts: a side lane has become free */
	uint32_t children;	/* (a) counts: one that cannot see the board */
	uint64_t turn;		/* (c) tbuf_turn(): which tables lanes work at;
				   0 once generation is; release */
	uint32_t reserved1[8];
	struct tbuf_lock locks[TBUF_NLOCKS];
	struct tbuf_chunk chunks[TBUF_NCHUNKS];	/* (c) of side lanes */
	struct tbuf_part programs;	/* (c) tbuf_program_head */
	struct tbuf_part texts;		/* (c) tbuf_text_record */
	struct tbuf_part globals;	/* (c) variables; both sides write */
	struct tbuf_part blocks;	/* (c) tbuf_block: threads' variables */
	struct tbuf_part dynamic;	/* (c) sets of elements of arrays */
	struct tbuf_part speculations;	/* (c) nspec buffers for each lane */
	struct tbuf_part codes;		/* (c) tbuf_codes */
	struct tbuf_part units;		/* (c) tbuf_units, entries, tables */
	uint64_t speculation[TBUF_NSPEC]; /* (a) tbuf_speculation_word() */
	/* Offset of a CPU's lane in units of 64 bytes; 0: it has none. */
	uint32_t lane_of_cpu[TBUF_NCPUS];	/* (c) */
};

/*
 * The tables of a session's lanes turn all at once: the low bit of a count says
 * which of each lane's two is worked at.  With the generation in it the word
 * says as well whether the session still stands, as that does itself.
 */
#define TBUF_TURN_SHIFT	24

static inline uint64_t
tbuf_turn(uint64_t generation, uint64_t count)
{
	return (generation << TBUF_TURN_SHIFT |
	    (count & ((UINT64_C(1) << TBUF_TURN_SHIFT) - 1)));
}

/* Is it a turn of that session?  An older consumer stores none. */
static inline bool
tbuf_turn_of(uint64_t turn, uint64_t generation)
{
	return (((turn ^ tbuf_turn(generation, 0)) >> TBUF_TURN_SHIFT) == 0);
}

/* How many lanes are no side lanes: all that an older library has made. */
static inline uint32_t
tbuf_slot_main(const struct tbuf_slot *slot)
{
	return (slot->holders == 0 || slot->first_side > slot->nlanes ?
	    slot->nlanes : slot->first_side);
}

/* The header of a session area, at slot.area. */
struct tbuf_session {
	uint64_t generation;	/* (i) the slot's */
	uint64_t patterns;	/* (i) offset of the patterns' text */
	uint32_t patterns_size;	/* (i) bytes, NULs included */
	uint32_t npatterns;	/* (i) enablings: NUL-terminated, in order */
	struct tbuf_moment go;	/* (c) when the consumer said go */
	struct tbuf_moment now;	/* (c) its last calibration */
	uint64_t boot;		/* (i) a recorder's: of the machine it began on;
				   0: not known */
	uint64_t removed;	/* (i) a recorder's: how many older ones of its
				   program made way, those of theirs counted */
	uint64_t selections;	/* (i) offset of uint64_t[npatterns]: enablings'
				   TBUF_SELECTION_GIVEN and mask, or 0; 0:
				   there are none */
	struct tbuf_part mappings; /* (i) room for what was mapped, to be run,
				   as control.mappings has it; none: at is 0 */
	uint64_t mapped;	/* (c) bytes of lines in there; release */
	uint64_t reserved;
};

#define TBUF_SELECTION_GIVEN	(UINT64_C(1) << 32)

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

/* Returns true if the session has side lanes (thread_lane.h). */
static inline bool
tbuf_side_any(const struct tbuf_slot *slot)
{
	return (__atomic_load_n(&slot->holders, __ATOMIC_RELAXED) != 0);
}

#endif
