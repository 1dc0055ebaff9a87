/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The structures that the restartable sections of rseq.h work on, for files
 * that have no section themselves.
 */
#ifndef TBUF_ARCH_RSEQ_TYPES_H
#define TBUF_ARCH_RSEQ_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"

/* A piece of a record's data; the pieces are stored one after the other. */
struct tbuf_segment {
	const void *data;
	uint64_t size;
};

/*
 * A memo of the last fire for a session: all that a section has to know of the
 * lane, checked once.  It is valid while CPU and generation are the same, which
 * each section checks again.  A generation is never used twice in a file, so it
 * identifies the session and its slot.
 *
 * A thread has one memo, and each CPU has one for every session, for threads
 * with a memo of another session.  A CPU's memos are written and read in
 * sections only, on their CPU, where no other thread can run in between.
 */
struct tbuf_memo {
	uint64_t bits;			/* session's bits of an enable word */
	uint64_t generation;
	struct tbuf_slot *slot;
	struct tbuf_lane *lane;
	unsigned char *data;		/* the lane's storage */
	uint64_t mask8;			/* bytes of the storage, less 8 */
	uint64_t bufsize;		/* the lane's logical size */
	uint64_t fill_mask;
	const uint32_t *heads;		/* first ECB of each probe */
	uint32_t none;			/* 0, before tid as in a header */
	uint32_t tid;			/* the thread's, in its own memo */
	uint16_t ring;			/* 0: the lane is linear */
	uint16_t span;			/* of the stretch: rseq.h */
	uint32_t cpu;
	const struct tbuf_ecb *ecbs;
	uint64_t ecb_max;		/* 0: ecbs must not be used */
	uint64_t base;			/* the head at which a stretch begins */
};

/* The largest record of the sections that a stretch is for. */
#define TBUF_FLAT_MAX	(sizeof(struct tbuf_header) + 8 * 4)
/* A stretch does not cross a multiple of this in memory: span has 16 bits. */
#define TBUF_STRETCH_MAX	0x10000
/* Most bytes that one release makes free, and so far ahead FLAT prefetches. */
#define TBUF_RELEASE_MAX	8192

#define TBUF_MEMO_NONE	(UINT64_C(1) << 32)	/* void: no enable word's */
#define TBUF_MEMO_CLAUSES (UINT64_C(1) << 33)	/* the session has clauses */
#define TBUF_MEMO_SHIFT	7
#define TBUF_MEMO_SIZE	(1u << TBUF_MEMO_SHIFT)	/* in a CPU's page */
_Static_assert(sizeof(struct tbuf_memo) <= TBUF_MEMO_SIZE &&
    TBUF_NSESSIONS * TBUF_MEMO_SIZE == TBUF_PAGE, "a page for each CPU");

/* A record to be written, and its session. */
struct tbuf_write {
	uint64_t bits;
	uint64_t generation;
	uint64_t size;			/* bytes of the record and its header */
	uint64_t less;			/* size - 8 */
	const void *from;		/* 64-bit words, or segments */
	const void *from_end;		/* end of the segments */
	uint32_t size16;		/* size << 16 */
	uint32_t index;			/* the probe's index */
	uint32_t epid;			/* 0: all ECBs of the probe */
	uint32_t tid;
	uint64_t time;			/* 0, then the reading of ROWS */
};

/* The key that UPDATE, SUM and PEAK find in a lane's table, and its value. */
struct tbuf_search {
	uint64_t bits;			/* as in struct tbuf_write */
	uint64_t generation;
	uint64_t turn;			/* slot.turn, a turn of that session */
	const struct tbuf_lane *lane;
	const unsigned char *table;	/* the lane's table of this turn */
	uint64_t heap;			/* offset of the first entry */
	uint64_t last;			/* offset of the last that fits */
	uint64_t end;			/* offset of the table's last word */
	uint64_t entry;			/* first word of the entry */
	uint64_t hash;
	const uint64_t *key;
	uint64_t size;			/* bytes of the key's words */
	uint64_t word;			/* index of the value's word */
	uint64_t delta;
	uint32_t mask;			/* mask of a slot's number */
	uint64_t flip;			/* PEAK: 0, or all ones for min() */
};

/*
 * Names for fields of the memo of CACHED: it has the table's limits where other
 * memos have those of a lane's storage.
 */
#define tbuf_memo_table		data
#define tbuf_memo_mask		mask8
#define tbuf_memo_heap		bufsize
#define tbuf_memo_storage	fill_mask
#define tbuf_memo_end		ecb_max

/* The arguments of PUBLISH and INSERT. */
struct tbuf_publish {
	uint64_t *word;			/* the word that commits */
	uint64_t old;
	uint64_t new;
	uint64_t *to;
	const uint64_t *from;
	uint64_t size;			/* bytes, a multiple of 8 */
	uint32_t *slot;
	uint64_t offset;
	uint64_t *zero;			/* INSERT only */
	uint64_t zeroes;		/* bytes, a multiple of 8 */
};

enum tbuf_outcome {
	TBUF_COMMITTED,		/* a record, or a drop as there is no room */
	TBUF_CHANGED,		/* aborted, or a check failed: start over */
	TBUF_NO_ROOM,		/* refused, not counted: see REFUSE, WITHIN */
	TBUF_DAMAGED,		/* the lane's words are inconsistent */
	TBUF_WRAPPED,		/* words would wrap around: use segments */
	TBUF_CHAIN		/* this section cannot do the probe's ECBs */
};

/*
 * The wipe-on-fork words: even a child made by a raw clone finds them zero.
 * tbuf_local points at static zeroes until a page is mapped for them; after it
 * each of the first CPUs has a page of memos.
 */
struct tbuf_local {
	uint64_t base;		/* the window's address; 0: tracing is off */
	uint64_t cpus;		/* CPUs that have memos */
	uint32_t counted;	/* 1: a child that is not traced has counted
				   itself */
	uint32_t reserved;
};
extern const struct tbuf_local *tbuf_local
    __attribute__((visibility("hidden")));

#define TBUF_MEMO_CPUS	64	/* value of `cpus', unless it is 0 */
#define TBUF_MEMO_TOTALS 256	/* memos of totals, for each CPU */

/* Returns a session's memo of a CPU below tbuf_local->cpus. */
static inline struct tbuf_memo *
tbuf_memo_of(const struct tbuf_local *local, uint32_t cpu, unsigned number)
{
	return ((struct tbuf_memo *)((uintptr_t)local + TBUF_PAGE *
	    (cpu + UINT64_C(1)) + number * TBUF_MEMO_SIZE));
}

/*
 * Returns a CPU's memo of an aggregation, after those of all sessions; its
 * `bits` are the version of the clause's plan (target/clause/plan.h).  Without
 * a key `data` are the values and `ecb_max` is their number; with a key the
 * memo says where the table is.
 */
static inline struct tbuf_memo *
tbuf_memo_total(const struct tbuf_local *local, uint32_t cpu, unsigned number)
{
	return ((struct tbuf_memo *)((uintptr_t)local +
	    TBUF_PAGE * (1 + TBUF_MEMO_CPUS) + (cpu * TBUF_MEMO_TOTALS +
	    (uint64_t)number) * TBUF_MEMO_SIZE));
}

/*
 * Makes a memo's sections check the session's turn in place of its generation.
 */
static inline void
tbuf_memo_turn(struct tbuf_memo *m, uint64_t turn)
{
	m->slot = (struct tbuf_slot *)(void *)&m->slot->turn;
	m->generation = turn;
}

/*
 * Offset from the thread pointer to the place where a section is armed: the
 * thread's rseq area or, where it has none, some bytes that are never read.
 */
extern ptrdiff_t tbuf_rseq_at __attribute__((visibility("hidden")));

#endif
