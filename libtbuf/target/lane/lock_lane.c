/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes one record into a lock lane: for threads without rseq, under vfork, on
 * a CPU without a lane, or after too many aborted sections.
 *
 * The lock is only tried, so a handler that interrupts its holder, and other
 * threads, use the next lock.  If a holder never returns (longjmp,
 * cancellation) its lane stays locked; the consumer adds a spare.
 */
#include <string.h>

#include "arch/counter.h"
#include "arch/rseq_area.h"
#include "target/lane/inflight.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/lane/thread_lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Copies without a call into the C library, which may use vector registers. */
static inline unsigned char *
copy(unsigned char *to, const unsigned char *from, uint64_t size)
{
	uint64_t word;

	/* Keeps the compiler from making a call of either loop. */
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

/* Copies to a position of a lane, around its end if needed. */
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

/* A ring's words; the writer continues from them. */
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

/* Writes the pair that is not valid, then selects it. */
static inline void
ring_publish(struct tbuf_lane *lane, struct ring *r)
{
	struct tbuf_pair *next = &lane->pair[++r->sequence & 1];

	tbuf_store(&next->tail, r->tail);
	tbuf_store(&next->overwritten, r->overwritten);
	tbuf_store_release(&lane->sequence, r->sequence);
}

/*
 * Releases the oldest record of a ring.  Returns false if the lane's words are
 * inconsistent.
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

/* Releases damaged bytes; all of a ring whose words are inconsistent. */
static __attribute__((cold)) void
ring_recover(const struct tbuf_place *place, struct ring *r, uint64_t size)
{
	struct tbuf_lane *lane = place->lane;
	uint64_t tail = r->tail;

	if (!tbuf_ring_skip(place, r->head, &r->tail, size)) {
		ring_restart(lane, r);
		tbuf_add(&lane->skipped, place->size);
		return;
	}
	tbuf_add(&lane->skipped, r->tail - tail);
	ring_publish(lane, r);
	tbuf_store(&lane->restarts, lane->restarts + 1);
}

/*
 * Makes room for `size' bytes after head, which a restart may move.  A step's
 * store of sequence precedes the next step's pair and the overwriting stores:
 * pairs with the load barriers of a reader of the pair, and of a snapshot after
 * its copy.
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
			ring_recover(place, &r, size);
		tbuf_fence_stores();
	}
}

enum room {
	ROOM,
	ROOM_FULL,
	ROOM_NEVER	/* larger than the lane */
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

/* Stamps rise strictly within a lane. */
static inline uint64_t
stamp(struct tbuf_lane *lane, uint64_t time)
{
	time = later(time, lane->last + 1);
	tbuf_store(&lane->last, time);
	return (time);
}

/* Not inlined: a record crosses the end of the storage at most once a lap. */
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
 * Stores a record.  The header is assembled in registers: loading a word that
 * was stored in parts would wait until these are in the cache.
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
	/* inv.order, inv.killed: this store commits the whole record. */
	tbuf_store_release(&place->lane->head, position + size);
}

/* Returns the second 64 bits of a header. */
static inline uint64_t
header_word(uint32_t epid, uint64_t size)
{
	return (epid | size << 16 | (uint64_t)tbuf_thread.tid << 32);
}

/* Returns the time, and the CPU if that needs no system call. */
static inline uint64_t
clock_and_cpu(uint32_t *cpu)
{
	if (tbuf_self.cpu_glanceable)
		return (tbuf_counter_glance_cpu(cpu));
	if (tbuf_self.cpu_readable)
		return (tbuf_counter_read_cpu(cpu));
	*cpu = UINT32_MAX;
	if (tbuf_fire_sections())
		*cpu = tbuf_rseq_cpu();
	return (tbuf_clock_read(tbuf_self.clock));
}

/*
 * Reads the clock with the lock held; the time is not before the previous
 * holders'.  The counter may be read shortly before the lock is taken, but not
 * before the thread's last interruption, which a consumer relies on
 * (consumer/read/watermark.c).  Release: a reader of `taken' sees the stores of
 * previous holders.  Returns false if a handler has forked and this is the
 * child, or another CPU is wanted.
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

/* Stores a record in a thread lane, without a CPU. */
static void
thread_lane_store(const struct tbuf_fire *f, const struct tbuf_place *place,
    uint64_t time, uint64_t size)
{
	const uint64_t head[] = { time, header_word(f->epid, size) };

	store_around(place, head, sizeof(head), f->segments + 1, f->end);
	tbuf_store_release(&place->lane->head, place->lane->head + size);
}

/*
 * Stores or counts a record while the lock of lane `locked' is held.  `place'
 * is that lane, or the thread's own.
 */
static __attribute__((cold)) void
locked_store(const struct tbuf_fire *f, const struct tbuf_place *locked,
    const struct tbuf_place *place, uint64_t size)
{
	struct tbuf_lane *lane = place->lane;
	bool unit = tbuf_epid_unit(f->epid);
	uint64_t time;
	uint32_t cpu;

	if (!locked_begin(f->slot, f->base, locked, &time, &cpu))
		return;
	/* inv.account: a fire without a record is counted. */
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
			thread_lane_store(f, place, stamp(lane, time), size);
		else
			record_store(place, stamp(lane, time),
			    header_word(f->epid, size), cpu, f->segments + 1,
			    f->end);
		break;
	}
}

/*
 * With rseq the thread's own lane is written in sections only, because a
 * handler may interrupt one at any time; then the record goes to the lock lane.
 */
void
tbuf_lock_write(const struct tbuf_fire *f, const struct tbuf_place *place)
{
	struct tbuf_place own;

	if (!tbuf_self.rseq && tbuf_thread_lane_any(f->slot) &&
	    tbuf_thread_lane_place(f, NULL, &own)) {
		tbuf_store(&tbuf_thread.thread_lane_busy, 1);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		locked_store(f, place, &own,
		    sizeof(struct tbuf_header) + f->size);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		tbuf_store(&tbuf_thread.thread_lane_busy, 0);
	} else
		locked_store(f, place, place,
		    sizeof(struct tbuf_lock_record) + f->size);
}

/*
 * Counts a fire that found all lanes busy.  The count has the generation in it,
 * so that a late one fails instead of changing the next session's.
 */
static enum tbuf_emit
count_nolane(const struct tbuf_fire *f, uint64_t *nolane)
{
	uint64_t tag = f->generation & (UINT64_MAX >> TBUF_NOLANE_SHIFT);
	uint64_t word;

	do {
		if (!tbuf_fire_current(f))
			return (TBUF_EMIT_RETRY);
		word = tbuf_load(nolane);
		if (word >> TBUF_NOLANE_SHIFT != tag)
			return (TBUF_EMIT_RETRY);
		if ((word & TBUF_NOLANE_COUNT) == TBUF_NOLANE_COUNT)
			break;
	} while (!tbuf_cas(nolane, word, word + 1));
	return (TBUF_EMIT_DONE);
}

/*
 * Saves a memo for the next fire.  An odd version: an interrupted fire may be
 * writing it, or, if no other is under way (`alone'), a fire has left it by a
 * jump.  The version does not protect from another task, so nothing is saved
 * while the thread area is shared; a handler may have shared it meanwhile.
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
 * Tries n lock lanes, beginning with `first'.  With a lock held, writes the
 * fire's record (`work' is NULL) or calls `work': the session cannot end
 * meanwhile.  Returns false if all are busy.
 */
static __attribute__((cold)) bool
any_lane(const struct tbuf_fire *f, uint32_t n, uint32_t first,
    tbuf_lock_work *work, void *argument)
{
	uint64_t lanes = tbuf_load(&f->slot->lanes) +
	    tbuf_load(&f->slot->first_lock) * sizeof(struct tbuf_lane);
	struct tbuf_place place;
	struct tbuf_lock *lock;
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
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
			    !tbuf_thread_lane_any(f->slot))
				remember(f, &place, k, held == 0);
		}
		k = k + 1 < n ? k + 1 : 0;
	}
	tbuf_hold_end(mark, held);
	return (done);
}

/*
 * Returns the number of lock lanes; *first is the one that this thread used
 * last.
 */
static __attribute__((cold)) uint32_t
lanes_begin(const struct tbuf_fire *f, uint32_t *first)
{
	uint32_t n = tbuf_load(&f->slot->nlocks);

	if (tbuf_thread.tid == 0) {
		tbuf_thread.tid = tbuf_thread_id();
		/*
		 * Threads start at different lanes; each then uses the last
		 * free one.
		 */
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

	return (tbuf_lock_do(f, store, &storing, TBUF_LOST_STORE));
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

	/* A fire on an unwanted CPU must not count as a drop. */
	if (tbuf_load(&f->slot->terms.only_cpu) >= 0) {
		clock_and_cpu(&cpu);
		if (!tbuf_fire_wanted(f, cpu))
			return (TBUF_EMIT_DONE);
	}
	return (any_lane(f, n, first, NULL, NULL) || tbuf_epid_unit(f->epid) ?
	    TBUF_EMIT_DONE : count_nolane(f,
	    &f->slot->locks[first].nolane[TBUF_LOST_RECORD]));
}

/* Writes a record with the lock held.  Returns false if there is no room. */
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
 * Copies the thread's memo.  Returns false if a handler has changed it, or it
 * is for other bits.  A probe that is not enabled has no bits, nor has an empty
 * memo.
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

/* Returns true if the memo's lock is free, and so belongs to its session. */
static inline bool
lock_free(const struct tbuf_locked *m)
{
	return (tbuf_load_acquire(&m->slot->locks[m->lock].word) ==
	    2 * m->generation);
}

static inline bool
write_cached(const struct tbuf_locked *m, uint64_t base,
    const struct tbuf_site *site, const uint64_t *words, uint64_t size)
{
	struct tbuf_lock *lock = &m->slot->locks[m->lock];
	uint64_t free = 2 * m->generation;
	volatile uint64_t mark[TBUF_STACK_MARK_WORDS];
	uint32_t epid, held;
	bool done;

	/*
	 * The session is active: the chain heads of its enabled probes are
	 * backed.
	 */
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
tbuf_lock_cached(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size)
{
	uint64_t base = tbuf_load(&tbuf_local->base);
	struct tbuf_locked m;

	return (base != 0 && recall(&m, tbuf_load(site->enabled)) &&
	    lock_free(&m) && write_cached(&m, base, site, words, size));
}

/* The strsize belongs to the session, or taking the lock fails. */
bool
tbuf_lock_texts_cached(const struct tbuf_site *site, const uint64_t *values,
    uint64_t base)
{
	uint64_t words[TBUF_STAGE_WORDS], size;
	struct tbuf_locked m;

	if (!recall(&m, tbuf_load(site->enabled)) || !lock_free(&m))
		return (false);
	size = tbuf_pack_texts(site, values, tbuf_fire_strsize(m.slot), words);
	return (size != 0 && write_cached(&m, base, site, words, size));
}
