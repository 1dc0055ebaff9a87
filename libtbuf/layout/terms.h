/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a session is to do: its policy, sizes and flags.
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
 * The terms of a run: what of its options a target goes by.  A consumer fills
 * them in once; board entry, slot and the order that a session is built from
 * have them as a whole.  They carry the tag of the structure they stand in.
 */
struct tbuf_terms {
	uint64_t bufsize;	/* logical bytes of one half of a CPU's lane */
	uint64_t flags;		/* TBUF_S_* */
	uint64_t run;		/* the consumer's, shared/board.h; or 0 */
	uint32_t policy;	/* enum tbuf_policy */
	uint32_t strsize;	/* bytes of a text, the NUL counted */
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
#define TBUF_S_SIDES	32	/* shift: side lanes at first, 16 bits */
#define TBUF_S_WRAP	0x10u	/* a work unit's table wraps when it is full */
#define TBUF_S_NAMES	0x20u	/* a program leaves what it has mapped */
#define TBUF_S_UNITS	16	/* tables of work units, 12 bits */
#define TBUF_S_UNIT	48	/* and the binary logarithm of their bytes */
#define TBUF_NUNITS	1024u	/* tables of a session, at most */
#define TBUF_UNITSIZE_MIN (UINT64_C(1) << 10)
#define TBUF_UNITSIZE_MAX (UINT64_C(1) << 26)

/* How many tables there are, and how large each; 0: none. */
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
 * A recorder's: the session that a target has made for itself, with no
 * consumer.  Nobody moves a tail there, and nobody takes its slot.
 */
static inline int
tbuf_terms_recorder(const struct tbuf_terms *terms)
{
	return ((terms->flags & TBUF_S_KEEP) != 0 && terms->owner_pid == 0);
}

/* Side lanes that a session begins with, the spare counted. */
static inline uint32_t
tbuf_terms_sides(const struct tbuf_terms *terms)
{
	return ((uint32_t)(terms->flags >> TBUF_S_SIDES & 0xffff));
}

TBUF_ASSERT_OFFSET(tbuf_terms, policy, 24);
TBUF_ASSERT_OFFSET(tbuf_terms, owner, 48);
_Static_assert(sizeof(struct tbuf_terms) == 64, "tbuf_terms");

#endif
