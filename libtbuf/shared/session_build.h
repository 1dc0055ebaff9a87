/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sessions: the layout of a session area, and building a session.  Consumers
 * build sessions in targets' files, and a target's constructor builds those
 * that wait for it.  No malloc, no stdio, no system call.
 *
 *     area
 *     +---------+----------+-------+-------++-------+------+---------++-------
 *     | session | patterns | lanes | parts || heads | ECBs | clauses || storage
 *     +---------+----------+-------+-------++-------+------+---------++-------
 *     0                                     layout.heads            layout.data
 * After the parts is room for lines of executable mappings, if a script needs
 * names (TBUF_S_NAMES).  The area up to layout.heads is backed when the session
 * is built; chain heads, ECBs and clauses are backed as they are used, and
 * zero until then.  Everything before layout.data stays backed as long as the
 * file exists: a late reader of a session that has ended may still read it.
 * The storage is punched when no thread can be inside any more.
 *
 * A run without clauses has neither parts (codes, programs, texts and global
 * variables) nor clauses, nor lane counters, which are after the lanes.
 * Aggregation tables, blocks of threads' variables, elements of arrays,
 * buffers of speculations and unit tables, as far as they are needed, are at
 * the end of the storage, initially zero.  Each lane's second aggregation
 * table is after the storage: it is a hole until tables switch for the first
 * time (aggregation.h), and then backed.
 *
 * With thread lanes (thread_lane.h), their holders and then the control words
 * of all lanes are before layout.data instead; these are backed up to
 * layout.words_end when the session is built, and further as lanes are added.
 * Thread lanes have no tables, counters and buffers of speculations: clauses
 * use those of the CPU's lane.
 */
#ifndef TBUF_SHARED_SESSION_BUILD_H
#define TBUF_SHARED_SESSION_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu_set.h"
#include "base/policy.h"
#include "layout/layout.h"
#include "shared/file_view.h"

/* Returns the offset of the ticks of n units, which follow the entries. */
static inline uint64_t
tbuf_units_ticks(uint32_t n)
{
	return (sizeof(struct tbuf_units) +
	    n * sizeof(struct tbuf_unit_entry));
}

/* Returns the offset of the tables of n units, which follow the ticks. */
static inline uint64_t
tbuf_units_tables(uint32_t n)
{
	return ((tbuf_units_ticks(n) + n * sizeof(struct tbuf_unit_ticks) +
	    TBUF_PAGE - 1) / TBUF_PAGE * TBUF_PAGE);
}

#define TBUF_LOCKS_BESIDE	2	/* lock lanes beside CPU lanes */
#define TBUF_SPARES		2	/* lock lanes in reserve */
#define TBUF_LOCK_SIZE		32768u	/* most bytes of either */
#define TBUF_META_MAX		(UINT64_C(4) << 20)	/* before the storage */
#define TBUF_BUFSIZE_MAX	(UINT64_C(1) << 40)

/* Sets all rules to tbuf_unit_default(). */
void	tbuf_unit_rules_init(uint64_t *rules);

unsigned tbuf_cpus_count(const struct tbuf_cpus *);

/* Parts of a script, in this order; each begins at a multiple of 8. */
enum tbuf_programs_part {
	TBUF_PART_CODES,	/* struct tbuf_slot's */
	TBUF_PART_PROGRAMS,
	TBUF_PART_TEXTS,
	TBUF_PARTS
};

/* The order to build a session: its properties. */
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
	uint32_t epids;			/* most that a probe takes; 0: one
					   for each enabling */
	uint64_t aggsize;		/* bytes of a CPU's table; 0: none */
	uint64_t blocks;		/* bytes of threads' variables */
	uint64_t specsize;		/* bytes of an id's buffer */
	uint32_t nspec;			/* ids of speculations; 0: none */
	uint64_t dynamic;		/* bytes of elements of arrays */
};

/*
 * Copies terms that another process can change: each word is loaded once, and
 * values out of bounds are brought within.  Returns false if the policy is
 * unknown; the copy then has switch.
 */
bool	tbuf_terms_read(const struct tbuf_terms *from, struct tbuf_terms *);

/* The layout of a session's area; offsets count from the area's start. */
struct tbuf_area {
	uint32_t nlanes;		/* initial lanes */
	uint32_t nlanes_max;		/* with thread lanes added later */
	uint32_t nmain;			/* CPU lanes, lock lanes, spares */
	uint32_t ncpu_lanes;
	uint32_t nlocks;
	uint32_t nlocks_max;
	uint32_t ecb_max;
	uint64_t cpu_size;		/* logical bytes of a CPU's lane */
	uint64_t lock_size;		/* of a lock lane in use */
	uint64_t spare_size;
	uint64_t thread_lane_size;	/* of a thread lane */
	uint64_t patterns;
	uint64_t selections;		/* of enablings; 0: none */
	uint64_t lanes;
	uint64_t holders;		/* of thread lanes; 0: none */
	uint64_t words_end;		/* end of the initial lanes' words */
	uint64_t counters;		/* one for each main lane; 0: none */
	uint64_t parts[TBUF_PARTS];
	uint64_t globals;
	uint64_t mappings;		/* room for lines; 0: none */
	uint64_t mappings_size;
	uint64_t heads;			/* these four: multiples of TBUF_PAGE */
	uint64_t ecbs;
	uint64_t clauses;
	uint64_t data;
	uint64_t zeroes;		/* zero from here on; 0: none */
	uint64_t tables[2];		/* one at the storage's end, one after
					   it; 0: none */
	uint64_t tables_end;		/* of the first ones */
	uint64_t blocks;		/* in the storage; 0: none */
	uint64_t dynamic;		/* in the storage; 0: none */
	uint64_t speculations;		/* in the storage; 0: none */
	uint32_t speculated;		/* bytes of an id's buffer in a lane */
	uint64_t units;			/* in the storage; 0: none */
	uint64_t units_size;
	uint64_t storage;		/* bytes of all the storage */
	uint64_t size;			/* of the area, a multiple of
					   TBUF_PAGE */
};

/*
 * Lays a session out.  Returns 0, -EINVAL (a bufsize under TBUF_BUFSIZE_MIN or
 * no pattern), -ENOSPC (more than any computer has) or -E2BIG (patterns or
 * parts too long).
 */
int	tbuf_area_make(const struct tbuf_order *, struct tbuf_area *);

/* Returns the bytes of storage of a lane of this size: a power of two. */
uint64_t tbuf_lane_storage(uint64_t size, enum tbuf_policy);

/* Returns the bytes of the file that a lane's storage takes: whole pages. */
uint64_t tbuf_lane_stride(uint64_t size, enum tbuf_policy);

/* Fills in a thread lane, with its storage at an offset in the file. */
void	tbuf_thread_lane_make(struct tbuf_lane *, uint64_t at, uint64_t size,
	    enum tbuf_policy);

/* Returns the bytes of a CPU's aggregation table: a power of two. */
uint64_t tbuf_table_bytes(uint64_t aggsize);

/* Fills in a session's layout.nlanes lanes, in the file or in a copy. */
void	tbuf_lanes_make(struct tbuf_lane *, uint64_t area,
	    const struct tbuf_order *, const struct tbuf_area *);

/*
 * Writes a session and its slot into the view, which reaches at least to
 * layout.data.  The caller has backed the area up to layout.heads and written
 * the parts; from layout.heads to layout.data it is zero.  The caller sets the
 * slot's state (TBUF_SETUP now), area_size and the deadline.  Returns 0, or
 * -ENOSPC if the area is too far out for the slot's words.
 */
int	tbuf_session_build(const struct tbuf_view *, unsigned slot,
	    uint64_t area, uint64_t generation, const struct tbuf_order *,
	    const struct tbuf_area *);

/*
 * Stores the initial elements of arrays, after tbuf_session_build() and before
 * any fire of the session.  `elements` are the order's `dynamic` bytes, backed
 * and zero.
 */
void	tbuf_session_elements(const struct tbuf_view *, uint64_t area,
	    const struct tbuf_order *, const struct tbuf_area *,
	    unsigned char *elements);

/* Returns the initial value of a lock's nolane words. */
static inline uint64_t
tbuf_nolane_tag(uint64_t generation)
{
	return (generation << TBUF_NOLANE_SHIFT);
}

#endif
