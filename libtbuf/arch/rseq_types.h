/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The structures that the restartable sections of rseq.h work on, for files that
 * have no section themselves.
 */
#ifndef TBUF_ARCH_RSEQ_TYPES_H
#define TBUF_ARCH_RSEQ_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"

/* Bytes to store one after the other. */
struct tbuf_segment {
	const void *data;
	uint64_t size;
};

/*
 * What is remembered of the last fire for a session: all that a section has to
 * know of the lane, checked once.  It holds as long as CPU and generation do,
 * and these the section looks at again.  A generation is never used twice in a
 * file, so it names the session and its slot.
 *
 * A thread has one such memo, and each CPU one of every session, for threads
 * whose own is another session's.  These are written and read in sections
 * alone, on their CPU: as for a CPU's lane, nobody comes between.
 */
struct tbuf_memo {
	uint64_t bits;			/* the session's in an enable word */
	uint64_t generation;
	struct tbuf_slot *slot;
	struct tbuf_lane *lane;
	unsigned char *data;		/* the lane's storage */
	uint64_t mask8;			/* bytes of it, less 8 */
	uint64_t bufsize;		/* the lane's logical size */
	uint64_t fill_mask;
	const uint32_t *heads;		/* of the session's ECBs */
	uint32_t none;			/* 0, in front of tid as in a header */
	uint32_t tid;			/* the thread's, in its own memo */
	uint32_t ring;			/* else the lane is linear */
	uint32_t cpu;
	const struct tbuf_ecb *ecbs;
	uint64_t ecb_max;		/* 0: they are not to be used */
};

#define TBUF_MEMO_NONE	(UINT64_C(1) << 32)	/* no enable word */
#define TBUF_MEMO_CLAUSES (UINT64_C(1) << 33)	/* beside a session's bit */
#define TBUF_MEMO_SHIFT	7
#define TBUF_MEMO_SIZE	(1u << TBUF_MEMO_SHIFT)	/* in a CPU's page */
_Static_assert(sizeof(struct tbuf_memo) <= TBUF_MEMO_SIZE &&
    TBUF_NSESSIONS * TBUF_MEMO_SIZE == TBUF_PAGE, "a page for each CPU");

/* What is to be written, and for which session. */
struct tbuf_write {
	uint64_t bits;
	uint64_t generation;
	uint64_t size;			/* of the record, header included */
	uint64_t less;			/* the same, less 8 */
	const void *from;		/* 64-bit words, or segments */
	const void *from_end;		/* of the segments */
	uint32_t size16;		/* size << 16 */
	uint32_t index;			/* of the probe */
	uint32_t epid;			/* 0: all of the probe */
	uint32_t tid;
	uint64_t time;			/* 0, then what ROWS has read */
};

/* The key that UPDATE looks for in a lane's table, and what it adds there. */
struct tbuf_search {
	uint64_t bits;			/* as in struct tbuf_write */
	uint64_t generation;
	uint64_t turn;			/* slot.turn, a turn of that session */
	const struct tbuf_lane *lane;
	const unsigned char *table;	/* the lane's of this turn */
	uint64_t heap;			/* offset of the first entry */
	uint64_t last;			/* ... of the last one that fits */
	uint64_t end;			/* ... of the table's last word */
	uint64_t entry;			/* the entry's first word */
	uint64_t hash;
	const uint64_t *key;
	uint64_t size;			/* bytes of the key's words */
	uint64_t word;			/* of the values */
	uint64_t delta;
	uint32_t mask;			/* of a slot's number */
	uint64_t flip;			/* PEAK: 0, or of a least value ones */
};

/*
 * The memo of AGAIN has the table's limits where others have those of a lane's
 * storage.
 */
#define tbuf_memo_table		data
#define tbuf_memo_mask		mask8
#define tbuf_memo_heap		bufsize
#define tbuf_memo_storage	fill_mask
#define tbuf_memo_end		ecb_max

/* What PUBLISH is to do. */
struct tbuf_publish {
	uint64_t *word;			/* that commits */
	uint64_t old;
	uint64_t new;
	uint64_t *to;
	const uint64_t *from;
	uint64_t size;			/* bytes, a multiple of 8 */
	uint32_t *slot;
	uint64_t offset;
	uint64_t *zero;			/* INSERT alone */
	uint64_t zeroes;		/* bytes, a multiple of 8 */
};

enum tbuf_outcome {
	TBUF_COMMITTED,		/* a record, or a drop for want of room */
	TBUF_CHANGED,		/* aborted, or a check failed: look again */
	TBUF_NO_ROOM,		/* and the deadline has passed */
	TBUF_DAMAGED,		/* the lane's words make no sense */
	TBUF_WRAPPED,		/* words that go around the end: use segments */
	TBUF_CHAIN		/* the probe's ECBs are not for this section */
};

/*
 * The wipe-on-fork words.  A child made by a raw clone finds them zero without
 * anybody's help.  They are a static zero until there is a page for them, and
 * behind it one with the memos of each of the first CPUs.
 */
struct tbuf_local {
	uint64_t base;		/* of the window; 0: tracing is off */
	uint64_t cpus;		/* that have memos */
};
extern const struct tbuf_local *tbuf_local
    __attribute__((visibility("hidden")));

#define TBUF_MEMO_CPUS	64	/* or none: how many there are is not asked */
#define TBUF_MEMO_TOTALS 256	/* of each, behind those of the sessions */

/* A session's memo of a CPU below tbuf_local->cpus. */
static inline struct tbuf_memo *
tbuf_memo_of(const struct tbuf_local *local, uint32_t cpu, unsigned number)
{
	return ((struct tbuf_memo *)((uintptr_t)local + TBUF_PAGE *
	    (cpu + UINT64_C(1)) + number * TBUF_MEMO_SIZE));
}

/*
 * ... and what is remembered there of an aggregation without a key: a memo
 * whose `bits` are the version of what is kept of the clause (in
 * target/clause/plan.h), whose `data` are the values, so many as `ecb_max`
 * says; or, of one with a key, of where the table lies.
 */
static inline struct tbuf_memo *
tbuf_memo_total(const struct tbuf_local *local, uint32_t cpu, unsigned number)
{
	return ((struct tbuf_memo *)((uintptr_t)local +
	    TBUF_PAGE * (1 + TBUF_MEMO_CPUS) + (cpu * TBUF_MEMO_TOTALS +
	    (uint64_t)number) * TBUF_MEMO_SIZE));
}

/*
 * Have a memo's sections look at the session's turn, in place of its
 * generation.
 */
static inline void
tbuf_memo_turn(struct tbuf_memo *m, uint64_t turn)
{
	m->slot = (struct tbuf_slot *)(void *)&m->slot->turn;
	m->generation = turn;
}

/*
 * From the thread pointer to where a section is armed: the thread's rseq area,
 * or, where there is none, some bytes that nobody reads.
 */
extern ptrdiff_t tbuf_rseq_at __attribute__((visibility("hidden")));

#endif
