/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One session's part of a fire: the session's data, and the lane for its
 * record.  This header does not need the sections of arch/rseq.h.
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
 * After this many fires for sessions other than its memo's, in a row or not, a
 * thread's memo becomes that of the session it fires for, so that most of its
 * fires are flat sections.  If two sessions alternate half of them are; a new
 * memo costs little among so many fires.
 */
#define TBUF_ELSEWHERE	64

/*
 * Returns true if the memo's session has not ended.  This is a hint, as are all
 * values read here.
 */
static inline bool
tbuf_memo_valid(const struct tbuf_memo *m)
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
	uint64_t bits;			/* as in its memo */
	unsigned number;		/* of the slot */
	uint32_t index;			/* of the probe */
	uint32_t epid;
	bool programs;			/* an ECB of the chain has a program */
	bool words;			/* segments[1] is 64-bit words */
	uint64_t size;			/* of the data */
	struct tbuf_segment *segments;	/* [0] is reserved for the lane */
	struct tbuf_segment *end;
	struct tbuf_memo *memo;		/* a clause's, for tbuf_lane_do() */
};

enum tbuf_emit {
	TBUF_EMIT_DONE,		/* record or drop, or the session ignores it */
	TBUF_EMIT_RETRY		/* session changed: start again */
};

/* Returns true if this thread uses sections. */
static inline bool
tbuf_fire_sections(void)
{
	return (tbuf_self.rseq && tbuf_thread.shared == 0 && tbuf_rseq_ready());
}

/* Returns the number of the CPU that this thread runs on, 0 if unknown. */
uint32_t tbuf_current_cpu(void) TBUF_HIDDEN;

/* Writes a record into a lane, even if the thread is in a work unit. */
enum tbuf_emit tbuf_lane_put(const struct tbuf_fire *) TBUF_HIDDEN;
enum tbuf_emit tbuf_lock_emit(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * Fast path for a thread without rseq: its last fire was in the same session,
 * the probe has one ECB there, and the arguments are words already.  Returns
 * false in other cases, with no effect.
 */
bool	tbuf_lock_cached(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size) TBUF_HIDDEN;
/* Fast path like tbuf_lock_cached(), with texts short enough for words. */
bool	tbuf_lock_texts_cached(const struct tbuf_site *, const uint64_t *values,
	    uint64_t base) TBUF_HIDDEN;

/* Returns true if the session wants fires on this CPU (-x cpu). */
static inline bool
tbuf_fire_wanted(const struct tbuf_fire *f, uint32_t cpu)
{
	int32_t only = tbuf_load(&f->slot->terms.only_cpu);

	return (only < 0 || (uint32_t)only == cpu);
}

/* Returns a session's strsize, within its bounds. */
static inline uint32_t
tbuf_fire_strsize(const struct tbuf_slot *slot)
{
	uint32_t strsize = tbuf_load(&slot->terms.strsize);

	return (strsize < TBUF_STRSIZE_MIN || strsize > TBUF_STRSIZE_MAX ?
	    TBUF_STRSIZE_MIN : strsize);
}

/*
 * Returns this CPU's memos, or NULL.  NULL also if the thread's own memo is
 * void: another task may share its rseq area, and the CPU in that area may be
 * wrong.
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

/* Returns a memo of a session, or NULL. */
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
 * Returns the bits of a session's memo.  If it has clauses no enable word has
 * these bits: its fires skip the fast path, which reads the clock before it
 * checks the probe's chain head.
 */
static inline uint64_t
tbuf_fire_bits(const struct tbuf_slot *slot, unsigned number)
{
	return (UINT64_C(1) << number |
	    (tbuf_load(&slot->clauses) != 0 ? TBUF_MEMO_CLAUSES : 0));
}

/* Describes the record for the sections. */
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
 * Stores a word of the session, if that has not ended.  TBUF_EMIT_DONE: stored,
 * or counted as a lost store because all lanes were busy.
 */
enum tbuf_emit tbuf_lane_store(const struct tbuf_fire *, uint64_t *word,
	    uint64_t value) TBUF_HIDDEN;
enum tbuf_emit tbuf_lock_store(const struct tbuf_fire *, uint64_t *word,
	    uint64_t value) TBUF_HIDDEN;
/*
 * Calls `work' with a lane's lock held.  TBUF_EMIT_DONE: called, or counted as
 * lost because all lanes were busy.
 */
typedef void tbuf_lock_work(void *argument, const struct tbuf_place *);
enum tbuf_emit tbuf_lock_do(const struct tbuf_fire *, tbuf_lock_work *,
	    void *argument, enum tbuf_lost) TBUF_HIDDEN;
/*
 * Calls `work' in sections of the CPU's lane, which use the fire's memo; the
 * memo is made if it is not valid.  If the sections fail, acts as
 * tbuf_lock_do() with the other function.
 */
typedef enum tbuf_outcome tbuf_lane_work(void *argument,
	    const struct tbuf_memo *);
enum tbuf_emit tbuf_lane_do(const struct tbuf_fire *, tbuf_lane_work *,
	    tbuf_lock_work *, void *argument, enum tbuf_lost) TBUF_HIDDEN;
/*
 * Act as tbuf_lock_do() and tbuf_lane_do(), but if all lanes are busy return
 * false and count nothing.
 */
bool	tbuf_lock_try(const struct tbuf_fire *, tbuf_lock_work *,
	    void *argument) TBUF_HIDDEN;
bool	tbuf_lane_try(const struct tbuf_fire *, tbuf_lane_work *,
	    tbuf_lock_work *, void *argument) TBUF_HIDDEN;
/*
 * Stores the fire's record with the lock of lane `place' held, or counts a
 * drop.
 */
void	tbuf_lock_write(const struct tbuf_fire *,
	    const struct tbuf_place *) TBUF_HIDDEN;
/* Counts a drop, because something that a record needs is busy. */
enum tbuf_emit tbuf_lock_busy(const struct tbuf_fire *) TBUF_HIDDEN;

/* Returns the bytes before a record's data in a lane. */
static inline uint64_t
tbuf_lane_front(const struct tbuf_place *p)
{
	return (tbuf_load(&p->lane->kind) == TBUF_KIND_LOCK ?
	    sizeof(struct tbuf_lock_record) : sizeof(struct tbuf_header));
}

/*
 * Returns true if a record with `front' bytes before its data may have this
 * size with `left' bytes remaining.
 */
static inline bool
tbuf_lane_plausible(uint64_t front, uint64_t size, uint64_t left)
{
	return (size >= front && size % 8 == 0 && size <= TBUF_RECORD_MAX &&
	    size <= left);
}

/*
 * lane_damage.c: returns the position of the next record after damaged bytes at
 * `at', or `end' if there is none before that.
 */
uint64_t tbuf_lane_resync(const struct tbuf_place *, uint64_t at, uint64_t end,
	    uint64_t head) TBUF_HIDDEN;
/*
 * Moves the tail of a ring over damaged bytes: to the next record, or so far
 * that a record of `size' bytes has room.  Returns false if head and tail are
 * damaged themselves, so that the ring has to be emptied.
 */
bool	tbuf_ring_skip(const struct tbuf_place *, uint64_t head,
	    uint64_t *tail, uint64_t size) TBUF_HIDDEN;

/* Most ECBs of a chain; a longer one is damaged. */
#define TBUF_CHAIN_MAX	4096

/* Returns the next EPID of a chain; 0 at the end, or if it is damaged. */
uint32_t tbuf_fire_next(const struct tbuf_fire *) TBUF_HIDDEN;

/* Returns true if the session and the mapping are still those of the fire. */
bool	tbuf_fire_current(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * Gives the session up: its consumer has died (`exit' is 0), or a clause has
 * called exit(): 2^32 + status.  Stores `exit' in slot.exit.
 */
void	tbuf_fire_leave(const struct tbuf_fire *, uint64_t exit) TBUF_HIDDEN;
/* Returns a lane's further counters, NULL if they are not in the file. */
struct tbuf_lane_counters *tbuf_counters_find(uint64_t base,
	    const struct tbuf_lane *) TBUF_HIDDEN;
/* Gives the session up if its deadline has passed.  Returns true if so. */
bool	tbuf_fire_deadline(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * Checks a lane's words: its storage must be in the file and a power of two.
 * Returns false if not.
 */
static inline bool
tbuf_lane_place(uint64_t base, uint64_t offset, struct tbuf_place *place)
{
	uint64_t end = tbuf_file_end(base), word, data, storage;

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

/* Returns a session's chain heads, NULL if they are not in the file. */
static inline const uint32_t *
tbuf_fire_heads(uint64_t base, const struct tbuf_slot *slot)
{
	uint64_t heads = tbuf_load(&slot->heads), end = tbuf_file_end(base);
	uint64_t size = tbuf_self.tables.entries * sizeof(uint32_t);

	if (heads < TBUF_TABLES || heads % sizeof(uint32_t) != 0 ||
	    end < size || heads > end - size)
		return (NULL);
	return ((const uint32_t *)(uintptr_t)(base + heads));
}

/* Returns a session's ECBs; *max becomes 0 if they are not in the file. */
static inline const struct tbuf_ecb *
tbuf_fire_ecbs(uint64_t base, const struct tbuf_slot *slot, uint64_t *max)
{
	uint64_t at = tbuf_load(&slot->ecbs), end = tbuf_file_end(base);

	*max = tbuf_load(&slot->ecb_max);
	if (at % sizeof(struct tbuf_ecb) != 0 || at > end ||
	    *max > (end - at) / sizeof(struct tbuf_ecb))
		*max = 0;
	return ((const struct tbuf_ecb *)(uintptr_t)(base + at));
}

/* Returns the offset of a CPU's lane, 0 if it has none. */
static inline uint64_t
tbuf_lane_offset(const struct tbuf_slot *slot, uint32_t cpu)
{
	if (cpu >= TBUF_NCPUS)
		return (0);
	return ((uint64_t)tbuf_load(&slot->lane_of_cpu[cpu]) * 64);
}

#endif
