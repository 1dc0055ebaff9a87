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
#include "arch/rseq_area.h"
#include "target/lane/inflight.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/self/self.h"
#include "target/lane/thread_lane.h"
#include "target/self/thread.h"

/* Without a call into the C library, which may use registers of all kinds. */
static inline unsigned char *
copy(unsigned char *to, const unsigned char *from, uint64_t size)
{
	uint64_t word;

	/* Nor may the compiler make one of the loops. */
	for (; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, from, sizeof(word));
		memcpy(to, &word, sizeof(word));
		to += sizeof(word);
		from += sizeof(word);
		__asm__ volatile("" : : : "memory");
	}
	for (; size > 0; size--) {
		*to++ = *from++;
		__asm__ volatile("" : : : "memory");
	}
	return (to);
}

/* To a position of the ring, around its end if need be. */
static void
copy_around(const struct tbuf_place *place, uint64_t position,
    const void *data, uint64_t size)
{
	uint64_t at = position & (place->storage - 1);
	uint64_t first = place->storage - at;

	if (first > size)
		first = size;
	copy(place->data + at, data, first);
	copy(place->data, (const unsigned char *)data + first, size - first);
}

/* A ring's words, as its writer goes on from them. */
struct ring {
	uint64_t head;
	uint64_t sequence;
	uint64_t tail;
	uint64_t overwritten;
};

static inline struct ring
ring_read(const struct tbuf_lane *lane)
{
	uint64_t sequence = lane->sequence;
	const struct tbuf_pair *pair = &lane->pair[sequence & 1];

	return ((struct ring){ lane->head, sequence, pair->tail,
	    pair->overwritten });
}

/* Write the pair that is not valid, then select it. */
static inline void
ring_publish(struct tbuf_lane *lane, struct ring *r)
{
	struct tbuf_pair *next = &lane->pair[++r->sequence & 1];

	tbuf_store(&next->tail, r->tail);
	tbuf_store(&next->overwritten, r->overwritten);
	tbuf_store_release(&lane->sequence, r->sequence);
}

/*
 * Release the oldest record of a ring.  False if the lane's words make no
 * sense.
 */
static inline bool
ring_step(const struct tbuf_place *place, struct ring *r)
{
	uint64_t used = r->head - r->tail;
	uint32_t word;
	uint16_t size;

	memcpy(&word, place->data + ((r->tail + 8) & (place->storage - 8)),
	    sizeof(word));
	size = (uint16_t)(word >> 16);
	if (size < sizeof(struct tbuf_header) || size % 8 != 0 ||
	    size > used || used > place->size)
		return (false);
	r->tail += size;
	r->overwritten += !tbuf_epid_unit(word);
	ring_publish(place->lane, r);
	return (true);
}

static void
ring_restart(struct tbuf_lane *lane, struct ring *r)
{
	r->head = r->tail = (r->head + 7) & ~UINT64_C(7);
	ring_publish(lane, r);
	tbuf_store(&lane->restarts, lane->restarts + 1);
	tbuf_store_release(&lane->head, r->head);
}

/*
 * Make room for size bytes behind head, which a restart may move.  A step's
 * sequence comes before the next step's pair and before what overwrites: pairs
 * with the load barriers of a reader of the pair and behind a snapshot's copy.
 */
static inline void
ring_room(const struct tbuf_place *place, uint64_t size)
{
	struct ring r = ring_read(place->lane);

	if (r.head % 8 != 0) {
		ring_restart(place->lane, &r);
		tbuf_fence_stores();
	}
	while (r.head + size - r.tail > place->size) {
		if (!ring_step(place, &r))
			ring_restart(place->lane, &r);
		tbuf_fence_stores();
	}
}

enum room {
	ROOM,
	ROOM_FULL,
	ROOM_NEVER	/* it is larger than the lane */
};

static inline enum room
room(const struct tbuf_slot *slot, const struct tbuf_place *place,
    uint64_t size)
{
	const struct tbuf_lane *lane = place->lane;

	if (size > place->size || size > TBUF_RECORD_MAX)
		return (ROOM_NEVER);
	if (slot->terms.policy == TBUF_RING)
		ring_room(place, size);
	else if (lane->head + size > tbuf_load_acquire(&lane->limit) ||
	    (lane->full & slot->fill_mask) != 0)
		return (ROOM_FULL);
	return (ROOM);
}

static inline uint64_t
later(uint64_t time, uint64_t least)
{
	return (time < least ? least : time);
}

/* Strictly rising within a lane. */
static inline uint64_t
stamp(struct tbuf_lane *lane, uint64_t time)
{
	time = later(time, lane->last + 1);
	tbuf_store(&lane->last, time);
	return (time);
}

/* Apart: a record goes around the end once a lap at the most. */
static __attribute__((noinline)) void
store_around(const struct tbuf_place *place, const uint64_t *head,
    uint64_t size, const struct tbuf_segment *segment,
    const struct tbuf_segment *end)
{
	uint64_t position = place->lane->head;

	copy_around(place, position, head, size);
	position += size;
	for (; segment < end; segment++) {
		copy_around(place, position, segment->data, segment->size);
		position += segment->size;
	}
}

/*
 * A record is put together in registers: words that are written in parts and
 * read as a whole would have to wait until they are in memory.
 */
static inline void
record_store(const struct tbuf_place *place, uint64_t time, uint64_t word,
    uint64_t cpu, const struct tbuf_segment *segment,
    const struct tbuf_segment *end)
{
	uint64_t position = place->lane->head, size = word >> 16 & 0xffff;
	uint64_t at = position & (place->storage - 1);
	unsigned char *to = place->data + at;

	if (place->storage - at >= size) {
		memcpy(to, &time, sizeof(time));
		memcpy(to + 8, &word, sizeof(word));
		memcpy(to + 16, &cpu, sizeof(cpu));
		to += sizeof(struct tbuf_lock_record);
		for (; segment < end; segment++)
			to = copy(to, segment->data, segment->size);
	} else
		store_around(place, (const uint64_t[]){ time, word, cpu },
		    sizeof(struct tbuf_lock_record), segment, end);
	/* inv.order, inv.killed: the record is there, whole, or is not. */
	tbuf_store_release(&place->lane->head, position + size);
}

/* The second 64 bits of a header. */
static inline uint64_t
header_word(uint32_t epid, uint64_t size)
{
	return (epid | size << 16 | (uint64_t)tbuf_thread.tid << 32);
}

/* The time, and the CPU if it can be had without a system call. */
static inline uint64_t
clock_and_cpu(uint32_t *cpu)
{
	if (tbuf_self.cpu_glanceable)
		return (tbuf_counter_glance_cpu(cpu));
	if (tbuf_self.cpu_readable)
		return (tbuf_counter_read_cpu(cpu));
	*cpu = UINT32_MAX;
	if (tbuf_self.rseq && tbuf_thread.shared == 0 && tbuf_rseq_ready())
		*cpu = tbuf_rseq_cpu();
	return (tbuf_clock_read(tbuf_self.clock));
}

/*
 * With the lock held: the clock, not before what the holders before have read.
 * It may be read a little ahead of the lock, but on this side of whatever has
 * interrupted the thread, which is what a consumer relies on
 * (consumer/read/watermark.c).  Release: who sees it sees what those holders have
 * written.  False if a handler has forked us away, or another CPU is wanted.
 */
static inline bool
locked_begin(const struct tbuf_slot *slot, uint64_t base,
    const struct tbuf_place *place, uint64_t *time, uint32_t *cpu)
{
	int32_t only = tbuf_load(&slot->terms.only_cpu);

	*time = later(clock_and_cpu(cpu), tbuf_load(&place->lane->taken));
	tbuf_store_release(&place->lane->taken, *time);
	return (tbuf_load(&tbuf_local->base) == base &&
	    (only < 0 || (uint32_t)only == *cpu));
}

/* A side lane's record does not say its CPU. */
static void
side_store(const struct tbuf_fire *f, const struct tbuf_place *place,
    uint64_t time, uint64_t size)
{
	const uint64_t head[] = { time, header_word(f->epid, size) };

	store_around(place, head, sizeof(head), f->segments + 1, f->end);
	tbuf_store_release(&place->lane->head, place->lane->head + size);
}

/*
 * With the lock of a lane held, which is written unless the thread has one of
 * its own.
 */
static void
locked_store(const struct tbuf_fire *f, const struct tbuf_place *locked,
    const struct tbuf_place *place, uint64_t size)
{
	struct tbuf_lane *lane = place->lane;
	bool unit = tbuf_epid_unit(f->epid);
	uint64_t time;
	uint32_t cpu;

	if (!locked_begin(f->slot, f->base, locked, &time, &cpu))
		return;
	/* inv.account: a fire that stores no record is counted instead. */
	switch (room(f->slot, place, size)) {
	case ROOM_NEVER:
		tbuf_store(&lane->large, lane->large + !unit);
		break;
	case ROOM_FULL:
		if (!tbuf_fire_deadline(f))
			tbuf_store(&lane->full, unit ? lane->full |
			    TBUF_FULL_CLOSED : lane->full + 1);
		break;
	case ROOM:
		if (place != locked)
			side_store(f, place, stamp(lane, time), size);
		else
			record_store(place, stamp(lane, time),
			    header_word(f->epid, size), cpu, f->segments + 1,
			    f->end);
		break;
	}
}

/*
 * Where there is rseq a handler may be in a section of the thread's own lane
 * at any time: it is written in sections alone.
 */
void
tbuf_lock_write(const struct tbuf_fire *f, const struct tbuf_place *place)
{
	struct tbuf_place side;

	if (!tbuf_self.rseq && tbuf_side_any(f->slot) &&
	    tbuf_side_place(f, NULL, &side)) {
		tbuf_store(&tbuf_thread.side_busy, 1);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		locked_store(f, place, &side,
		    sizeof(struct tbuf_header) + f->size);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		tbuf_store(&tbuf_thread.side_busy, 0);
	} else
		locked_store(f, place, place,
		    sizeof(struct tbuf_lock_record) + f->size);
}

/*
 * All lanes were busy.  The count carries the generation, so that one that
 * comes after the session's end fails instead of reaching the next session.
 */
static enum tbuf_emit
count_nolane(const struct tbuf_fire *f, uint64_t *nolane)
{
	uint64_t tag = f->generation & (UINT64_MAX >> TBUF_NOLANE_SHIFT);
	uint64_t word;

	do {
		if (!tbuf_fire_current(f))
			return (TBUF_EMIT_AGAIN);
		word = tbuf_load(nolane);
		if (word >> TBUF_NOLANE_SHIFT != tag)
			return (TBUF_EMIT_AGAIN);
		if ((word & TBUF_NOLANE_COUNT) == TBUF_NOLANE_COUNT)
			break;
	} while (!tbuf_cas(nolane, word, word + 1));
	return (TBUF_EMIT_DONE);
}

/*
 * For the next fire.  A fire that this one interrupted may be at it; one that
 * was left there by a jump is not, where no other is under way.  The version
 * is no guard against another task, so where there may be one nothing is
 * remembered; a handler may have let one in meanwhile.
 */
static void
remember(const struct tbuf_fire *f, const struct tbuf_place *place, uint32_t k,
    bool alone)
{
	struct tbuf_locked *m = &tbuf_thread.locked;
	uint32_t version = tbuf_load(&m->version);

	if (tbuf_thread.shared != 0 || tbuf_thread.unit != NULL ||
	    ((version & 1) != 0 && !alone))
		return;
	version |= 1;
	tbuf_store(&m->version, version);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&m->bits, UINT64_C(1) << f->number);
	tbuf_store(&m->generation, f->generation);
	tbuf_store(&m->slot, f->slot);
	tbuf_store(&m->heads, tbuf_fire_heads(f->base, f->slot));
	tbuf_store(&m->place.lane, place->lane);
	tbuf_store(&m->place.data, place->data);
	tbuf_store(&m->place.storage, place->storage);
	tbuf_store(&m->place.size, place->size);
	tbuf_store(&m->lock, k);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (tbuf_load(&tbuf_thread.shared) != 0)
		tbuf_store(&m->bits, 0);
	tbuf_store(&m->version, version + 1);
}

/*
 * The n lanes, from the one that was free last.  Under a lane's lock a record
 * is written, or something else is done to what is the session's for sure.
 */
static bool
any_lane(const struct tbuf_fire *f, uint32_t n, uint32_t first,
    tbuf_lock_work *work, void *argument)
{
	uint64_t lanes = tbuf_load(&f->slot->lanes) +
	    tbuf_load(&f->slot->first_lock) * sizeof(struct tbuf_lane);
	struct tbuf_place place;
	struct tbuf_lock *lock;
	volatile uint64_t mark[TBUF_MARK_WORDS];
	uint32_t held = tbuf_hold_begin(mark), i, k;
	bool done = false;

	for (i = 0, k = first; i < n && !done; i++) {
		lock = &f->slot->locks[k];
		done = tbuf_load(&tbuf_local->base) == f->base &&
		    tbuf_load(&lock->word) == 2 * f->generation &&
		    tbuf_lane_place(f->base, lanes +
		    k * sizeof(struct tbuf_lane), &place) &&
		    tbuf_cas(&lock->word, 2 * f->generation,
		    2 * f->generation + 1);
		if (done) {
			if (work == NULL)
				tbuf_lock_write(f, &place);
			else if (tbuf_load(&tbuf_local->base) == f->base)
				work(argument, &place);
			tbuf_store_release(&lock->word, 2 * f->generation);
			tbuf_thread.lock = k;
			if (!tbuf_self.rseq && work == NULL &&
			    !tbuf_side_any(f->slot))
				remember(f, &place, k, held == 0);
		}
		k = k + 1 < n ? k + 1 : 0;
	}
	tbuf_hold_end(mark, held);
	return (done);
}

/* How many lanes there are, and the one that this thread had last. */
static uint32_t
lanes_begin(const struct tbuf_fire *f, uint32_t *first)
{
	uint32_t n = tbuf_load(&f->slot->nlocks);

	if (tbuf_thread.tid == 0) {
		tbuf_thread.tid = tbuf_thread_id();
		/* Spread the threads; each then keeps to what was free. */
		tbuf_thread.lock = tbuf_thread.tid;
	}
	if (n == 0 || n > TBUF_NLOCKS)
		n = TBUF_NLOCKS;
	if ((*first = tbuf_thread.lock) >= n)
		*first %= n;
	return (n);
}

enum tbuf_emit
tbuf_lock_busy(const struct tbuf_fire *f)
{
	uint32_t first;

	(void)lanes_begin(f, &first);
	return (count_nolane(f,
	    &f->slot->locks[first].nolane[TBUF_LOST_RECORD]));
}

struct storing {
	uint64_t *word;
	uint64_t value;
};

static void
store(void *argument, const struct tbuf_place *place)
{
	const struct storing *s = argument;

	(void)place;
	tbuf_store(s->word, s->value);
}

enum tbuf_emit
tbuf_lock_store(const struct tbuf_fire *f, uint64_t *word, uint64_t value)
{
	struct storing storing = { word, value };
	uint32_t first, n = lanes_begin(f, &first);

	return (any_lane(f, n, first, store, &storing) ? TBUF_EMIT_DONE :
	    count_nolane(f, &f->slot->locks[first].nolane[TBUF_LOST_STORE]));
}

enum tbuf_emit
tbuf_lock_do(const struct tbuf_fire *f, tbuf_lock_work *work, void *argument,
    enum tbuf_lost lost)
{
	uint32_t first, n = lanes_begin(f, &first);

	return (any_lane(f, n, first, work, argument) ? TBUF_EMIT_DONE :
	    count_nolane(f, &f->slot->locks[first].nolane[lost]));
}

bool
tbuf_lock_try(const struct tbuf_fire *f, tbuf_lock_work *work, void *argument)
{
	uint32_t first, n = lanes_begin(f, &first);

	return (any_lane(f, n, first, work, argument));
}

enum tbuf_emit
tbuf_lock_emit(const struct tbuf_fire *f)
{
	uint32_t first, n = lanes_begin(f, &first), cpu;

	/* One that is not wanted must not count as a drop. */
	if (tbuf_load(&f->slot->terms.only_cpu) >= 0) {
		clock_and_cpu(&cpu);
		if (!tbuf_fire_wanted(f, cpu))
			return (TBUF_EMIT_DONE);
	}
	return (any_lane(f, n, first, NULL, NULL) || tbuf_epid_unit(f->epid) ?
	    TBUF_EMIT_DONE : count_nolane(f,
	    &f->slot->locks[first].nolane[TBUF_LOST_RECORD]));
}

/* With the lock held.  False: there is no room, and nothing has been done. */
static inline bool
words_write(const struct tbuf_locked *m, uint64_t base, uint32_t epid,
    const uint64_t *words, uint64_t size)
{
	struct tbuf_segment segment = { words, size };
	uint64_t time;
	uint32_t cpu;

	size += sizeof(struct tbuf_lock_record);
	if (!locked_begin(m->slot, base, &m->place, &time, &cpu))
		return (true);
	if (room(m->slot, &m->place, size) != ROOM)
		return (false);
	record_store(&m->place, stamp(m->place.lane, time),
	    header_word(epid, size), cpu, &segment, &segment + 1);
	return (true);
}

/*
 * A copy of what the thread remembers; false if a handler has changed it.  A
 * probe that nobody traces any more has no bits, nor has what is empty.
 */
static inline bool
recall(struct tbuf_locked *m, uint64_t bits)
{
	const struct tbuf_locked *from = &tbuf_thread.locked;
	uint32_t version = tbuf_load(&from->version);

	if (bits == 0 || tbuf_load(&from->bits) != bits)
		return (false);
	m->generation = tbuf_load(&from->generation);
	m->slot = tbuf_load(&from->slot);
	m->heads = tbuf_load(&from->heads);
	m->place.lane = tbuf_load(&from->place.lane);
	m->place.data = tbuf_load(&from->place.data);
	m->place.storage = tbuf_load(&from->place.storage);
	m->place.size = tbuf_load(&from->place.size);
	m->lock = tbuf_load(&from->lock);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return ((version & 1) == 0 && tbuf_load(&from->version) == version);
}

/* Is the lock of the lane that is remembered free, and so its session's? */
static inline bool
lock_free(const struct tbuf_locked *m)
{
	return (tbuf_load_acquire(&m->slot->locks[m->lock].word) ==
	    2 * m->generation);
}

static inline bool
write_again(const struct tbuf_locked *m, uint64_t base,
    const struct tbuf_site *site, const uint64_t *words, uint64_t size)
{
	struct tbuf_lock *lock = &m->slot->locks[m->lock];
	uint64_t free = 2 * m->generation;
	volatile uint64_t mark[TBUF_MARK_WORDS];
	uint32_t epid, held;
	bool done;

	/* The session stands: the heads of what is enabled there are backed. */
	epid = tbuf_load(m->heads + site->index);
	if (epid - 1 >= TBUF_HEAD_EPID)
		return (false);
	held = tbuf_hold_begin(mark);
	done = tbuf_cas(&lock->word, free, free + 1);
	if (done) {
		done = words_write(m, base, epid, words, size);
		tbuf_store_release(&lock->word, free);
	}
	tbuf_hold_end(mark, held);
	return (done);
}

bool
tbuf_lock_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size)
{
	uint64_t base = tbuf_load(&tbuf_local->base);
	struct tbuf_locked m;

	return (base != 0 && recall(&m, tbuf_load(site->enabled)) &&
	    lock_free(&m) && write_again(&m, base, site, words, size));
}

/* The strsize is of the session that the lock is taken for, or it is not. */
bool
tbuf_lock_texts_again(const struct tbuf_site *site, const uint64_t *values,
    uint64_t base)
{
	uint64_t words[TBUF_STAGE_WORDS], size;
	struct tbuf_locked m;

	if (!recall(&m, tbuf_load(site->enabled)) || !lock_free(&m))
		return (false);
	size = tbuf_pack_texts(site, values, tbuf_fire_strsize(m.slot), words);
	return (size != 0 && write_again(&m, base, site, words, size));
}
