/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One session's part of a fire: the session as the fire finds it, and the lane
 * that its record goes to.  The sections of arch/rseq.h are not needed here.
 */
#ifndef TBUF_TARGET_LANE_LANE_H
#define TBUF_TARGET_LANE_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_area.h"
#include "arch/rseq_types.h"
#include "target/file/file.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/*
 * So many of them, and the thread remembers the session whose probe it fires:
 * what it does most is a flat section.  Where two take turns that is half of
 * their fires, and a memo costs little among so many.
 */
#define TBUF_ELSEWHERE	64

/* Is it of a session that has not ended?  A hint, as all that is read here. */
static inline bool
tbuf_memo_stands(const struct tbuf_memo *m)
{
	const struct tbuf_slot *slot = tbuf_load(&m->slot);

	return (slot != NULL && tbuf_load(&slot->generation) ==
	    tbuf_load(&m->generation));
}

/* One session's part of one fire. */
struct tbuf_fire {
	uint64_t base;			/* of the window */
	struct tbuf_slot *slot;
	uint64_t generation;
	uint64_t bits;			/* as its memo has them */
	unsigned number;		/* of the slot */
	uint32_t index;			/* of the probe */
	uint32_t epid;
	bool programs;			/* one of the chain's ECBs has one */
	bool words;			/* segments[1] is 64-bit words */
	uint64_t size;			/* of the data */
	struct tbuf_segment *segments;	/* [0] is free for the lane's use */
	struct tbuf_segment *end;
	struct tbuf_memo *memo;		/* a clause's, for tbuf_lane_do() */
};

enum tbuf_emit {
	TBUF_EMIT_DONE,		/* a record or a drop, or not this session's */
	TBUF_EMIT_AGAIN		/* the session changed: look from the start */
};

/* Returns the number of the CPU that this thread runs on, 0 if unknown. */
uint32_t tbuf_run_cpu(void) TBUF_HIDDEN;

/* Writes a record into a lane, even if the thread is in a work unit. */
enum tbuf_emit tbuf_lane_put(const struct tbuf_fire *) TBUF_HIDDEN;
enum tbuf_emit tbuf_lock_emit(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * The same for a thread without rseq whose last fire was in the same session,
 * of a probe with one ECB there and arguments that are words already.  False:
 * it is another case, and nothing has been done.
 */
bool	tbuf_lock_again(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size) TBUF_HIDDEN;
/* ... or with texts, if they are not too long to be words. */
bool	tbuf_lock_texts_again(const struct tbuf_site *, const uint64_t *values,
	    uint64_t base) TBUF_HIDDEN;

/* -x cpu: does a fire on this CPU belong to the session? */
static inline bool
tbuf_fire_wanted(const struct tbuf_fire *f, uint32_t cpu)
{
	int32_t only = tbuf_load(&f->slot->terms.only_cpu);

	return (only < 0 || (uint32_t)only == cpu);
}

/* A session's strsize, within its bounds. */
static inline uint32_t
tbuf_fire_strsize(const struct tbuf_slot *slot)
{
	uint32_t strsize = tbuf_load(&slot->terms.strsize);

	return (strsize < TBUF_STRSIZE_MIN || strsize > TBUF_STRSIZE_MAX ?
	    TBUF_STRSIZE_MIN : strsize);
}

/*
 * This CPU's memos, or NULL.  Not while the thread's own is void: another task
 * may share its area, and so it may not be on the CPU that stands there.
 */
static inline const struct tbuf_memo *
tbuf_memos_here(void)
{
	const struct tbuf_local *local = tbuf_local;
	uint32_t cpu = tbuf_rseq_cpu();

	if (tbuf_load(&tbuf_thread.memo.bits) == TBUF_MEMO_NONE ||
	    cpu >= tbuf_load(&local->cpus))
		return (NULL);
	return (tbuf_memo_of(local, cpu, 0));
}

static inline const struct tbuf_memo *
tbuf_memo_among(const struct tbuf_memo *memos, unsigned number)
{
	return ((const struct tbuf_memo *)((uintptr_t)memos +
	    number * TBUF_MEMO_SIZE));
}

/* What is remembered of a session, or NULL. */
static inline const struct tbuf_memo *
tbuf_memo_find(uint64_t bits)
{
	const struct tbuf_memo *memos;

	if (tbuf_load(&tbuf_thread.memo.bits) == bits)
		return (&tbuf_thread.memo);
	memos = tbuf_memos_here();
	return (memos == NULL ? NULL :
	    tbuf_memo_among(memos, (unsigned)__builtin_ctzll(bits)));
}

/*
 * A session with clauses is remembered by bits that no enable word has: its
 * fires need not try the fast path, which reads the clock before it looks at
 * the probe's head.
 */
static inline uint64_t
tbuf_fire_bits(const struct tbuf_slot *slot, unsigned number)
{
	return (UINT64_C(1) << number |
	    (tbuf_load(&slot->clauses) != 0 ? TBUF_MEMO_CLAUSES : 0));
}

/* What the sections have to know of the record. */
static inline void
tbuf_fire_write(const struct tbuf_fire *f, struct tbuf_write *w)
{
	w->bits = f->bits;
	w->generation = f->generation;
	w->size = sizeof(struct tbuf_header) + f->size;
	w->less = w->size - 8;
	w->size16 = (uint32_t)w->size << 16;
	w->from = f->segments + 1;
	w->from_end = f->end;
	w->index = f->index;
	w->epid = f->epid;
	w->tid = tbuf_thread.tid;
	w->time = 0;
}

/*
 * A word of the session's is stored, if it still stands.  DONE: or it is a lost
 * store, for all lanes were busy.
 */
enum tbuf_emit tbuf_lane_store(const struct tbuf_fire *, uint64_t *word,
	    uint64_t value) TBUF_HIDDEN;
enum tbuf_emit tbuf_lock_store(const struct tbuf_fire *, uint64_t *word,
	    uint64_t value) TBUF_HIDDEN;
/*
 * Something is done in a lane whose lock is held; DONE: or it is counted as
 * lost, for all lanes were busy.
 */
typedef void tbuf_lock_work(void *argument, const struct tbuf_place *);
enum tbuf_emit tbuf_lock_do(const struct tbuf_fire *, tbuf_lock_work *,
	    void *argument, enum tbuf_lost) TBUF_HIDDEN;
/*
 * ... or by sections of the CPU's lane, that go by the fire's memo, which is
 * made if it is not there; it says what came of it.  The lock lanes come next.
 */
typedef enum tbuf_outcome tbuf_lane_work(void *argument,
	    const struct tbuf_memo *);
enum tbuf_emit tbuf_lane_do(const struct tbuf_fire *, tbuf_lane_work *,
	    tbuf_lock_work *, void *argument, enum tbuf_lost) TBUF_HIDDEN;
/* ... that is left undone where all lanes are busy: false. */
bool	tbuf_lock_try(const struct tbuf_fire *, tbuf_lock_work *,
	    void *argument) TBUF_HIDDEN;
bool	tbuf_lane_try(const struct tbuf_fire *, tbuf_lane_work *,
	    tbuf_lock_work *, void *argument) TBUF_HIDDEN;
/* The fire's record, or that it has no room, by such work. */
void	tbuf_lock_write(const struct tbuf_fire *,
	    const struct tbuf_place *) TBUF_HIDDEN;
/* A drop, because something that a record needs is busy. */
enum tbuf_emit tbuf_lock_busy(const struct tbuf_fire *) TBUF_HIDDEN;

/* A chain of ECBs that is longer than this has been damaged. */
#define TBUF_CHAIN_MAX	4096

/* The EPID behind one in its chain; 0 at the end, or if that is damaged. */
uint32_t tbuf_fire_next(const struct tbuf_fire *) TBUF_HIDDEN;

/* Does the session still stand as it was when the fire looked at it? */
bool	tbuf_fire_current(const struct tbuf_fire *) TBUF_HIDDEN;

/* Leave the session: its consumer is gone (exit 0), or as slot.exit says. */
void	tbuf_fire_leave(const struct tbuf_fire *, uint64_t exit) TBUF_HIDDEN;
/* What a lane has beside it; NULL: nothing that lies where it may. */
struct tbuf_side *tbuf_side_find(uint64_t base, const struct tbuf_lane *)
	    TBUF_HIDDEN;
/* The deadline has passed: give the session up.  True if it was so. */
bool	tbuf_fire_deadline(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * A lane's words, checked: its storage lies in the file and is a power of
 * two.  False if not.
 */
static inline bool
tbuf_lane_place(uint64_t base, uint64_t offset, struct tbuf_place *place)
{
	uint64_t end = tbuf_fire_end(base), word, data, storage;

	if (end < TBUF_TABLES + sizeof(struct tbuf_lane) ||
	    offset % 64 != 0 || offset - TBUF_TABLES >
	    end - TBUF_TABLES - sizeof(struct tbuf_lane))
		return (false);
	place->lane = (struct tbuf_lane *)(uintptr_t)(base + offset);
	word = tbuf_load(&place->lane->place);
	data = tbuf_place_offset(word);
	storage = tbuf_place_storage(word);
	if (data > end - 64 || storage - 64 > end - 64 - data)
		return (false);
	place->data = (unsigned char *)(uintptr_t)(base + data);
	place->storage = storage;
	place->size = tbuf_load(&place->lane->size);
	return (place->size <= storage);
}

/* A session's heads, NULL if they do not lie in the file. */
static inline const uint32_t *
tbuf_fire_heads(uint64_t base, const struct tbuf_slot *slot)
{
	uint64_t heads = tbuf_load(&slot->heads), end = tbuf_fire_end(base);
	uint64_t size = tbuf_self.tables.entries * sizeof(uint32_t);

	if (heads < TBUF_TABLES || heads % sizeof(uint32_t) != 0 ||
	    end < size || heads > end - size)
		return (NULL);
	return ((const uint32_t *)(uintptr_t)(base + heads));
}

/* A session's ECBs; max becomes 0 if they do not lie in the file. */
static inline const struct tbuf_ecb *
tbuf_fire_ecbs(uint64_t base, const struct tbuf_slot *slot, uint64_t *max)
{
	uint64_t at = tbuf_load(&slot->ecbs), end = tbuf_fire_end(base);

	*max = tbuf_load(&slot->ecb_max);
	if (at % sizeof(struct tbuf_ecb) != 0 || at > end ||
	    *max > (end - at) / sizeof(struct tbuf_ecb))
		*max = 0;
	return ((const struct tbuf_ecb *)(uintptr_t)(base + at));
}

/* Offset of a CPU's lane, 0 if it has none. */
static inline uint64_t
tbuf_lane_offset(const struct tbuf_slot *slot, uint32_t cpu)
{
	if (cpu >= TBUF_NCPUS)
		return (0);
	return ((uint64_t)tbuf_load(&slot->lane_of_cpu[cpu]) * 64);
}

#endif
