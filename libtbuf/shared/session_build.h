/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sessions: the arithmetic of a session area, and building one.  Consumers
 * build sessions on targets, and a target's constructor builds those that
 * wait for it.  No malloc, no stdio, no system call.
 *
 *     area
 *     +---------+----------+-------+-------++-------+------+---------++-------
 *     | session | patterns | lanes | parts || heads | ECBs | clauses || storage
 *     +---------+----------+-------+-------++-------+------+---------++-------
 *     0                                     plan.heads               plan.data
 * Behind the parts is room for lines of what was mapped, if a script asks for
 * names (TBUF_S_NAMES).
 * What lies in front of plan.heads is backed when the session is built; heads,
 * ECBs and clauses are backed as they are used, and zero until then.  All in
 * front of plan.data then stays backed for as long as the file lives: a late
 * reader of a session that has ended may still look at it.  The storage is
 * punched when nobody can be inside any more.
 *
 * A run without clauses has neither parts (codes, programs, texts and global
 * variables) nor clauses, nor side words, which stand behind the lanes.  Where
 * clauses aggregate or speculate or have variables of threads and arrays, the
 * lanes' tables, blocks, elements and buffers of speculations stand at the end
 * of the storage, zero to begin with; and so do work units.  Each lane's second
 * table stands behind the storage: it is backed when tables turn first
 * (aggregation.h), and a hole until then.
 *
 * Where there are side lanes (thread_lane.h), their holders and then the words
 * of all lanes stand in front of plan.data instead; these are backed up to
 * plan.words_end when the session is built, and as lanes are added.  What a
 * CPU's lane has beside it, table, side words and buffers of speculations, side
 * lanes do without: clauses use the CPU's.
 */
#ifndef TBUF_SHARED_SESSION_BUILD_H
#define TBUF_SHARED_SESSION_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu_set.h"
#include "base/policy.h"
#include "shared/file_view.h"
#include "layout/layout.h"

/* Where the tables of so many units begin, behind their entries. */
static inline uint64_t
tbuf_units_tables(uint32_t n)
{
	return ((sizeof(struct tbuf_units) +
	    n * sizeof(struct tbuf_unit_entry) + TBUF_PAGE - 1) /
	    TBUF_PAGE * TBUF_PAGE);
}

#define TBUF_LOCKS_BESIDE	2	/* lock lanes beside CPU lanes */
#define TBUF_SPARES		2	/* lock lanes in reserve */
#define TBUF_LOCK_SIZE		32768u	/* most bytes of those */
#define TBUF_META_MAX		(UINT64_C(4) << 20)	/* before the storage */
#define TBUF_BUFSIZE_MAX	(UINT64_C(1) << 40)

/* Of success little, of failures everything. */
void	tbuf_unit_rules_init(uint64_t *rules);

unsigned tbuf_cpus_count(const struct tbuf_cpus *);

/* What comes of a script, in this order; each begins at a multiple of 8. */
enum tbuf_programs_part {
	TBUF_PART_CODES,	/* struct tbuf_slot's */
	TBUF_PART_PROGRAMS,
	TBUF_PART_TEXTS,
	TBUF_PARTS
};

/* What a session is to be. */
struct tbuf_order {
	struct tbuf_terms terms;
	bool rseq;			/* CPU lanes make sense */
	struct tbuf_cpus cpus;		/* where the target may run now */
	uint32_t entries;		/* of the target's probe table */
	const char *patterns;		/* npatterns texts, each with a NUL */
	uint32_t patterns_size;
	uint32_t npatterns;
	uint64_t parts[TBUF_PARTS];	/* bytes; without codes: no clauses */
	uint32_t globals;		/* bytes */
	uint32_t epids;			/* that a probe takes at most; 0: one
					   an enabling */
	uint64_t aggsize;		/* of a CPU's table; 0: none */
	uint64_t blocks;		/* bytes of threads' variables */
	uint64_t specsize;		/* of an id's buffer */
	uint32_t nspec;			/* ids of speculations; 0: none */
	uint64_t dynamic;		/* bytes of elements of arrays */
};

/*
 * Copy terms that another process can change: each word is loaded once, and
 * what is out of bounds is brought within.  False if the policy was none that
 * there is; it is switch now.
 */
bool	tbuf_terms_read(const struct tbuf_terms *from, struct tbuf_terms *);

/* How its area is laid out; offsets count from the area's start. */
struct tbuf_plan {
	uint32_t nlanes;		/* to begin with */
	uint32_t nlanes_max;		/* with side lanes that may be added */
	uint32_t nmain;			/* those that are no side lanes */
	uint32_t ncpu_lanes;
	uint32_t nlocks;
	uint32_t nlocks_max;
	uint32_t ecb_max;
	uint64_t cpu_size;		/* logical bytes of a CPU's lane */
	uint64_t lock_size;		/* of a lock lane in use */
	uint64_t spare_size;
	uint64_t side_size;		/* of a side lane */
	uint64_t patterns;
	uint64_t selections;		/* of enablings; 0: there are none */
	uint64_t lanes;
	uint64_t holders;		/* of side lanes; 0: there are none */
	uint64_t words_end;		/* of the lanes to begin with */
	uint64_t sides;			/* one for each main lane; 0: none */
	uint64_t parts[TBUF_PARTS];
	uint64_t globals;
	uint64_t mappings;		/* room for lines; 0: there is none */
	uint64_t mappings_size;
	uint64_t heads;			/* a multiple of TBUF_PAGE, likewise */
	uint64_t ecbs;
	uint64_t clauses;
	uint64_t data;
	uint64_t zeroes;		/* from here on; 0: there are none */
	uint64_t tables[2];		/* one in the storage, the other behind
					   it; 0: none */
	uint64_t blocks;		/* likewise */
	uint64_t dynamic;		/* likewise */
	uint64_t speculations;		/* likewise */
	uint32_t speculated;		/* bytes of one id's buffer of a lane */
	uint64_t units;			/* in the storage; 0: none */
	uint64_t units_size;
	uint64_t storage;		/* bytes of all of it */
	uint64_t size;			/* of the area, a multiple of
					   TBUF_PAGE */
};

/*
 * Lay a session out.  -EINVAL: a bufsize under TBUF_BUFSIZE_MIN or no
 * pattern; -ENOSPC: more than any machine has; -E2BIG: patterns or parts too
 * long.
 */
int	tbuf_plan_make(const struct tbuf_order *, struct tbuf_plan *);

/* Bytes of storage that a lane of this size gets: a power of two. */
uint64_t tbuf_plan_storage(uint64_t size, enum tbuf_policy);

/* Bytes of the file that a lane's storage takes, behind the one before. */
uint64_t tbuf_plan_stride(uint64_t size, enum tbuf_policy);

/* A side lane, with its storage at an offset in the file. */
void	tbuf_side_make(struct tbuf_lane *, uint64_t at, uint64_t size,
	    enum tbuf_policy);

/* Bytes of a table for a CPU's keys and values. */
uint64_t tbuf_plan_table(uint64_t aggsize);

/* Fill in a session's lanes: plan.nlanes of them, in the file or beside it. */
void	tbuf_lanes_make(struct tbuf_lane *, uint64_t area,
	    const struct tbuf_order *, const struct tbuf_plan *);

/*
 * Write a session and its slot into the view, which reaches at least to
 * plan.data.  What lies in front of plan.heads is backed, the parts are there,
 * and from plan.heads to plan.data all is zero.  The caller sets the slot's
 * state (TBUF_SETUP now), area_size and the deadline.  -ENOSPC when the area
 * lies too far out for the slot's words.
 */
int	tbuf_session_build(const struct tbuf_view *, unsigned slot,
	    uint64_t area, uint64_t generation, const struct tbuf_order *,
	    const struct tbuf_plan *);

/*
 * Then, before anybody fires for it: what arrays have at first, where the
 * order's bytes of elements are, which are backed, and zero.
 */
void	tbuf_session_elements(const struct tbuf_view *, uint64_t area,
	    const struct tbuf_order *, const struct tbuf_plan *,
	    unsigned char *elements);

/* The value a lock's nolane words start with. */
static inline uint64_t
tbuf_nolane_tag(uint64_t generation)
{
	return (generation << TBUF_NOLANE_SHIFT);
}

#endif
