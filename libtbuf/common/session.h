/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sessions: the arithmetic of a session area, and building one.  Consumers
 * build sessions on targets, and a target's constructor builds those that
 * wait for it.  No malloc, no stdio, no system call.
 *
 *	area
 *	+---------+----------+-----------+-------+--+---------+--------+--+
 *	| session | patterns | ECB table | lanes |  | storage | storage|..|
 *	+---------+----------+-----------+-------+--+---------+--------+--+
 *	0                                           plan.data      plan.size
 * All in front of plan.data stays backed for as long as the file lives: a
 * late reader of a session that has ended may still look at it.  The storage
 * is punched when nobody can be inside any more.
 */
#ifndef TBUF_COMMON_SESSION_H
#define TBUF_COMMON_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/match.h"
#include "layout.h"

#define TBUF_PAGE		4096u
#define TBUF_LOCKS_BESIDE	2	/* lock lanes beside CPU lanes */
#define TBUF_SPARES		2	/* lock lanes in reserve */
#define TBUF_LOCK_SIZE		32768u	/* most bytes of those */
#define TBUF_ECB_BYTES		(512u * 1024)
#define TBUF_META_MAX		(UINT64_C(1) << 20)	/* before the storage */
#define TBUF_BUFSIZE_MAX	(UINT64_C(1) << 40)

/* A set of CPU numbers below TBUF_NCPUS. */
struct tbuf_cpus {
	uint64_t bits[TBUF_NCPUS / 64];
};

static inline void
tbuf_cpus_add(struct tbuf_cpus *cpus, unsigned cpu)
{
	if (cpu < TBUF_NCPUS)
		cpus->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

static inline bool
tbuf_cpus_has(const struct tbuf_cpus *cpus, unsigned cpu)
{
	return (cpu < TBUF_NCPUS &&
	    (cpus->bits[cpu / 64] >> cpu % 64 & 1) != 0);
}

unsigned tbuf_cpus_count(const struct tbuf_cpus *);

/* What a session is to be. */
struct tbuf_order {
	uint64_t bufsize;
	enum tbuf_policy policy;
	uint32_t strsize;
	int32_t only_cpu;		/* or -1 */
	bool rseq;			/* CPU lanes make sense */
	struct tbuf_cpus cpus;		/* where the target may run now */
	const char *patterns;		/* npatterns texts, each with a NUL */
	uint32_t patterns_size;
	uint32_t npatterns;
	uint64_t flags;			/* TBUF_S_* */
	uint64_t run;			/* of the consumer, or 0 */
	uint32_t owner_pid;
	uint32_t owner_uid;
	const char *owner;
};

/* How its area is laid out; offsets count from the area's start. */
struct tbuf_plan {
	uint32_t nlanes;
	uint32_t ncpu_lanes;
	uint32_t nlocks;
	uint32_t nlocks_max;
	uint32_t ecb_max;
	uint64_t cpu_size;		/* logical bytes of a full lane */
	uint64_t lock_size;		/* of a lock lane in use */
	uint64_t spare_size;
	uint64_t patterns;
	uint64_t ecbs;
	uint64_t lanes;
	uint64_t data;			/* a multiple of TBUF_PAGE */
	uint64_t storage;		/* bytes of all lanes */
	uint64_t size;			/* of the area, likewise */
};

/*
 * Lay a session out.  -EINVAL: a bufsize under TBUF_BUFSIZE_MIN or no
 * pattern; -ENOSPC: more than any machine has; -E2BIG: patterns too long.
 */
int	tbuf_plan_make(const struct tbuf_order *, struct tbuf_plan *);

/* Bytes of storage that a lane of this size gets: a power of two. */
uint64_t tbuf_plan_storage(uint64_t size, enum tbuf_policy);

/* Fill in a session's lanes: plan.nlanes of them, in the file or beside it. */
void	tbuf_lanes_make(struct tbuf_lane *, uint64_t area,
	    const struct tbuf_order *, const struct tbuf_plan *);

/*
 * Write a session, its slot and its heads, which are all backed, into the
 * view, which reaches at least to the end of the lanes.  The slot's state is
 * the caller's (TBUF_SETUP now), and so are area_size and the deadline.
 * -ENOSPC when the area lies too far out for the slot's words.
 */
int	tbuf_session_build(const struct tbuf_view *, unsigned slot,
	    uint64_t area, uint64_t generation, const struct tbuf_order *,
	    const struct tbuf_plan *);

/* The value a lock's nolane word starts with. */
static inline uint64_t
tbuf_nolane_tag(uint64_t generation)
{
	return ((generation & 0xffffff) << TBUF_NOLANE_SHIFT);
}

#endif
