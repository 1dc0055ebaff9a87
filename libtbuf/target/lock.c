/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One record into a lock lane: for threads without rseq, under vfork, on a
 * CPU without a lane, or whose sections were aborted again and again.
 *
 * The lock is only ever tried, so a handler that interrupts its holder, and
 * threads beside it, go on to the next one.  A holder that never comes back
 * (longjmp, cancellation) leaves its lane held; the consumer adds a spare.
 */
#include <string.h>

#include "arch/counter.h"
#include "target/target.h"

/* Copy to a position of the ring, around its end if need be. */
static void
lane_copy(const struct tbuf_place *place, uint64_t position, const void *data,
    uint64_t size)
{
	uint64_t at = position & (place->storage - 1);
	uint64_t first = place->storage - at;

	if (first > size)
		first = size;
	memcpy(place->data + at, data, first);
	memcpy(place->data, (const unsigned char *)data + first, size - first);
}

/*
 * Release the oldest record of a ring: write the pair that is not valid, then
 * select it.  False if the lane's words make no sense.
 */
static bool
ring_step(const struct tbuf_place *place, uint64_t head)
{
	struct tbuf_lane *lane = place->lane;
	uint64_t sequence = lane->sequence;
	const struct tbuf_pair *now = &lane->pair[sequence & 1];
	struct tbuf_pair *next = &lane->pair[(sequence + 1) & 1];
	uint16_t size;

	memcpy(&size, place->data + ((now->tail + 8) & (place->storage - 8)) +
	    offsetof(struct tbuf_header, size) - 8, sizeof(size));
	if (size < sizeof(struct tbuf_header) || size % 8 != 0 ||
	    size > head - now->tail || head - now->tail > place->size)
		return (false);
	tbuf_store(&next->tail, now->tail + size);
	tbuf_store(&next->overwritten, now->overwritten + 1);
	tbuf_store_release(&lane->sequence, sequence + 1);
	return (true);
}

static void
ring_restart(struct tbuf_lane *lane)
{
	uint64_t sequence = lane->sequence;
	uint64_t head = (lane->head + 7) & ~UINT64_C(7);
	struct tbuf_pair *next = &lane->pair[(sequence + 1) & 1];

	tbuf_store(&next->tail, head);
	tbuf_store(&next->overwritten, lane->pair[sequence & 1].overwritten);
	tbuf_store_release(&lane->sequence, sequence + 1);
	tbuf_store(&lane->restarts, lane->restarts + 1);
	tbuf_store_release(&lane->head, head);
}

/*
 * Make room for size bytes behind head, which a restart may move.  A step's
 * sequence comes before the next step's pair and before what overwrites: pairs
 * with the load barriers of a reader of the pair and behind a snapshot's copy.
 */
static void
ring_room(const struct tbuf_place *place, uint64_t size)
{
	struct tbuf_lane *lane = place->lane;

	if (lane->head % 8 != 0) {
		ring_restart(lane);
		tbuf_fence_stores();
	}
	while (lane->head + size - lane->pair[lane->sequence & 1].tail >
	    place->size) {
		if (!ring_step(place, lane->head))
			ring_restart(lane);
		tbuf_fence_stores();
	}
}

static bool
linear_room(const struct tbuf_fire *f, const struct tbuf_place *place,
    uint64_t size)
{
	const struct tbuf_lane *lane = place->lane;

	return (lane->head + size <= tbuf_load_acquire(&lane->limit) &&
	    (lane->full & f->slot->fill_mask) == 0);
}

static void
record_store(const struct tbuf_fire *f, const struct tbuf_place *place,
    struct tbuf_lock_record *record)
{
	struct tbuf_lane *lane = place->lane;
	uint64_t position = lane->head;
	const struct tbuf_segment *segment;

	if (record->header.time <= lane->last)
		record->header.time = lane->last + 1;
	tbuf_store(&lane->last, record->header.time);
	lane_copy(place, position, record, sizeof(*record));
	position += sizeof(*record);
	for (segment = f->segments + 1; segment < f->end; segment++) {
		lane_copy(place, position, segment->data, segment->size);
		position += segment->size;
	}
	tbuf_store_release(&lane->head, position);
}

/* The time, and the CPU if it can be had without a system call. */
static uint64_t
clock_and_cpu(uint32_t *cpu)
{
	if (tbuf_self.cpu_readable)
		return (tbuf_counter_read_cpu(cpu));
	*cpu = UINT32_MAX;
	if (tbuf_self.rseq && tbuf_thread.shared == 0 && tbuf_rseq_ready())
		*cpu = tbuf_rseq_cpu();
	return (tbuf_clock_read(tbuf_self.clock));
}

/* With the lock held. */
static void
locked_write(const struct tbuf_fire *f, const struct tbuf_place *place)
{
	struct tbuf_lane *lane = place->lane;
	struct tbuf_lock_record record;
	uint64_t size = sizeof(record) + f->size;

	/* A reading that was taken before the lock would not do. */
	record.header.time = clock_and_cpu(&record.cpu);
	tbuf_store(&lane->taken, record.header.time);
	if (tbuf_load(&tbuf_local->base) != f->base ||
	    !tbuf_fire_wanted(f, record.cpu))
		return;
	if (size > place->size || size > TBUF_RECORD_MAX) {
		tbuf_store(&lane->large, lane->large + 1);
		return;
	}
	if (f->slot->policy == TBUF_RING)
		ring_room(place, size);
	else if (!linear_room(f, place, size)) {
		if (!tbuf_fire_deadline(f))
			tbuf_store(&lane->full, lane->full + 1);
		return;
	}
	record.header.epid = f->epid;
	record.header.size = (uint16_t)size;
	record.header.tid = tbuf_thread.tid;
	record.reserved = 0;
	record_store(f, place, &record);
}

/*
 * All lanes were busy.  The count carries the generation, so that one that
 * comes after the session's end fails instead of reaching the next session.
 */
static enum tbuf_emit
count_nolane(const struct tbuf_fire *f, struct tbuf_lock *lock)
{
	uint64_t tag = f->generation & (UINT64_MAX >> TBUF_NOLANE_SHIFT);
	uint64_t word;

	do {
		if (!tbuf_fire_current(f))
			return (TBUF_EMIT_AGAIN);
		word = tbuf_load(&lock->nolane);
		if (word >> TBUF_NOLANE_SHIFT != tag)
			return (TBUF_EMIT_AGAIN);
	} while (!tbuf_cas(&lock->nolane, word, word + 1));
	return (TBUF_EMIT_DONE);
}

enum tbuf_emit
tbuf_lock_emit(const struct tbuf_fire *f)
{
	uint64_t lanes = tbuf_load(&f->slot->lanes) +
	    tbuf_load(&f->slot->first_lock) * sizeof(struct tbuf_lane);
	uint32_t n = tbuf_load(&f->slot->nlocks), first, i, k, cpu;
	struct tbuf_place place;
	struct tbuf_lock *lock;

	if (tbuf_thread.tid == 0) {
		tbuf_thread.tid = tbuf_thread_id();
		/* Spread the threads; each then keeps to what was free. */
		tbuf_thread.lock = tbuf_thread.tid;
	}
	if (n == 0 || n > TBUF_NLOCKS)
		n = TBUF_NLOCKS;
	/* One that is not wanted must not count as a drop for want of a lane. */
	if (tbuf_load(&f->slot->only_cpu) >= 0) {
		clock_and_cpu(&cpu);
		if (!tbuf_fire_wanted(f, cpu))
			return (TBUF_EMIT_DONE);
	}
	first = tbuf_thread.lock % n;
	for (i = 0; i < n; i++) {
		k = (first + i) % n;
		lock = &f->slot->locks[k];
		if (tbuf_load(&tbuf_local->base) != f->base ||
		    tbuf_load(&lock->word) != 2 * f->generation ||
		    !tbuf_lane_place(f->base, lanes + k * sizeof(struct tbuf_lane),
		    &place) ||
		    !tbuf_cas(&lock->word, 2 * f->generation,
		    2 * f->generation + 1))
			continue;
		tbuf_thread.inside++;
		locked_write(f, &place);
		tbuf_store_release(&lock->word, 2 * f->generation);
		tbuf_thread.inside--;
		tbuf_thread.lock = k;
		return (TBUF_EMIT_DONE);
	}
	return (count_nolane(f, &f->slot->locks[first]));
}
