/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The terms of a run: policy, sizes and flags.
 */
#ifndef TBUF_LAYOUT_TERMS_H
#define TBUF_LAYOUT_TERMS_H

#include "layout/common.h"

enum tbuf_policy {
	TBUF_SWITCH = 0,
	TBUF_FILL = 1,
	TBUF_RING = 2
};

/*
 * The terms of a run: the options that a target obeys.  A consumer fills them
 * in once; a board entry, a slot and the order that a session is built from
 * contain all of them.  They have the tag of the structure that contains them.
 */
struct tbuf_terms {
	uint64_t bufsize;	/* logical bytes of one half of a CPU's lane */
	uint64_t flags;		/* TBUF_S_* */
	uint64_t run;		/* number of the run (shared/board.h), or 0 */
	uint32_t policy;	/* enum tbuf_policy */
	uint32_t strsize;	/* bytes of a text, with the NUL */
	int32_t only_cpu;	/* -x cpu, or -1 */
	uint32_t owner_pid;	/* the consumer's, in its own namespace */
	uint32_t owner_uid;
	uint32_t needs;		/* TBUF_F_* that the target must have */
	char owner[16];		/* the consumer's name, NUL-terminated */
};

/* tbuf_terms.flags */
#define TBUF_S_FOLLOW	0x1u	/* forked children join */
#define TBUF_S_KEEP	0x2u	/* no deadline: a recorder, or ring */
#define TBUF_S_GROW	0x4u	/* the consumer backs a lane's storage before
				   it raises `limit` */
#define TBUF_S_THREAD	0x8u	/* each thread writes a lane of its own */
#define TBUF_S_THREAD_LANES	32 /* shift: initial thread lanes, 16 bits */
#define TBUF_S_WRAP	0x10u	/* a full unit table wraps */
#define TBUF_S_NAMES	0x20u	/* programs store their mappings */
#define TBUF_S_UNITS	16	/* shift: number of unit tables, 12 bits */
#define TBUF_S_UNIT	48	/* shift: binary logarithm of their bytes */
#define TBUF_NUNITS	1024u	/* most tables of a session */
#define TBUF_UNITSIZE_MIN (UINT64_C(1) << 10)
#define TBUF_UNITSIZE_MAX (UINT64_C(1) << 26)

/* Returns the number of unit tables, 0 if none; *size is the bytes of each. */
static inline uint32_t
tbuf_terms_units(const struct tbuf_terms *terms, uint64_t *size)
{
	uint64_t n = terms->flags >> TBUF_S_UNITS & 0xfff;
	uint64_t shift = terms->flags >> TBUF_S_UNIT & 63;

	*size = UINT64_C(1) << shift;
	return (n > TBUF_NUNITS || *size < TBUF_UNITSIZE_MIN ||
	    *size > TBUF_UNITSIZE_MAX ? 0 : (uint32_t)n);
}

static inline uint64_t
tbuf_terms_unit_flags(uint64_t n, uint64_t size)
{
	return (n == 0 ? 0 : n << TBUF_S_UNITS |
	    (uint64_t)__builtin_ctzll(size) << TBUF_S_UNIT);
}

/*
 * Returns true for the terms of a recorder: a session that a target has made
 * for itself.  No consumer moves the tail of its lanes, or takes its slot.
 */
static inline int
tbuf_terms_recorder(const struct tbuf_terms *terms)
{
	return ((terms->flags & TBUF_S_KEEP) != 0 && terms->owner_pid == 0);
}

/* Returns the number of a session's initial thread lanes, with the spare. */
static inline uint32_t
tbuf_terms_thread_lanes(const struct tbuf_terms *terms)
{
	return ((uint32_t)(terms->flags >> TBUF_S_THREAD_LANES & 0xffff));
}

TBUF_ASSERT_OFFSET(tbuf_terms, policy, 24);
TBUF_ASSERT_OFFSET(tbuf_terms, owner, 48);
_Static_assert(sizeof(struct tbuf_terms) == 64, "tbuf_terms");

#endif
