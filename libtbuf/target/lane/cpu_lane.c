/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes one record into the lane of the CPU that this thread runs on, in the
 * restartable sections of arch/rseq.h.
 */
#include "arch/counter.h"
#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "shared/atomic_step.h"
#include "target/lane/lane.h"
#include "target/lane/thread_lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Sections aborted in a row before the fire goes to a lock lane. */
#define ABORTS_MAX	16

#ifdef TBUF_INJECT
uint32_t tbuf_inject[TBUF_INJECT_STEPS];
#endif

uint32_t
tbuf_current_cpu(void)
{
	uint32_t number = 0;

	if (tbuf_fire_sections())
		return (tbuf_rseq_cpu());
	if (tbuf_self.cpu_readable)
		(void)tbuf_counter_read_cpu(&number);
	return (number);
}

static void
memo_lane(struct tbuf_memo *m, const struct tbuf_place *place)
{
	m->lane = place->lane;
	m->data = place->data;
	m->mask8 = place->storage - 8;
	m->bufsize = place->size;
}

/* Makes the memo of a CPU's lane, if the CPU has one. */
static __attribute__((cold)) bool
memo_make(const struct tbuf_fire *f, uint32_t cpu, struct tbuf_memo *m)
{
	struct tbuf_place place;

	if (!tbuf_lane_place(f->base, tbuf_lane_offset(f->slot, cpu), &place))
		return (false);
	m->bits = f->bits;
	m->generation = f->generation;
	m->slot = f->slot;
	memo_lane(m, &place);
	m->fill_mask = tbuf_load(&f->slot->fill_mask);
	m->heads = tbuf_fire_heads(f->base, f->slot);
	m->ecbs = tbuf_fire_ecbs(f->base, f->slot, &m->ecb_max);
	m->cpu = cpu;
	m->none = 0;
	m->tid = tbuf_thread_tid();
	m->ring = tbuf_load(&f->slot->terms.policy) == TBUF_RING;
	m->base = m->span = 0;
	return (m->heads != NULL);
}

/*
 * Returns false if this thread waits for a lane of its own: it asks at each
 * fire.
 */
static bool
to_be_remembered(const struct tbuf_fire *f, const struct tbuf_memo *m)
{
	return (tbuf_thread_lane_is(m->lane) ||
	    (tbuf_load(&f->slot->terms.flags) & TBUF_S_THREAD) == 0);
}

/*
 * Saves a memo for later fires.  It becomes the CPU's memo unless the lane is a
 * thread's; and the thread's, unless that belongs to another session that is
 * still active and that the thread often fires for.  The thread's memo is void
 * if a handler has marked the thread meanwhile.  Other changes by a handler are
 * harmless: a section checks the CPU and generation of its memo.
 */
static __attribute__((cold)) void
remember(const struct tbuf_fire *f, const struct tbuf_memo *m)
{
	const struct tbuf_local *local = tbuf_local;
	struct tbuf_memo *own = &tbuf_thread.memo;

	if (!to_be_remembered(f, m))
		return;
	if (m->cpu < tbuf_load(&local->cpus) && !tbuf_thread_lane_is(m->lane))
		tbuf_rseq_remember(tbuf_memo_of(local, m->cpu, f->number), m,
		    &tbuf_thread.shared);
	if (tbuf_thread.unit != NULL)
		return;
	if (tbuf_load(&own->bits) != TBUF_MEMO_NONE &&
	    tbuf_load(&own->generation) != f->generation &&
	    tbuf_thread.elsewhere < TBUF_ELSEWHERE && tbuf_memo_valid(own))
		return;
	tbuf_thread.elsewhere = 0;
	tbuf_rseq_remember(own, m, &tbuf_thread.shared);
	if (tbuf_thread.shared != 0)
		tbuf_thread_forget();
}

/* Saves a memo unless there is an equal one, or -x cpu excludes this CPU. */
static void
remember_new(const struct tbuf_fire *f, const struct tbuf_memo *m)
{
	const struct tbuf_memo *there = tbuf_memo_find(f->bits);

	if ((there == NULL || tbuf_load(&there->generation) != f->generation ||
	    tbuf_load(&there->cpu) != m->cpu) && tbuf_fire_wanted(f, m->cpu))
		remember(f, m);
}

/* Counts a record that this lane can never hold; a unit counts its own. */
static enum tbuf_outcome
too_large(const struct tbuf_fire *f, const struct tbuf_memo *m)
{
	return (tbuf_epid_unit(f->epid) ? TBUF_COMMITTED :
	    tbuf_rseq_count(m, &m->lane->large));
}

/* Counts a record that has no room; for a unit's, marks the lane as closed. */
static enum tbuf_outcome
no_room(const struct tbuf_fire *f, const struct tbuf_memo *m)
{
	uint64_t full;

	if (tbuf_fire_deadline(f))
		return (TBUF_COMMITTED);
	if (!tbuf_epid_unit(f->epid))
		return (tbuf_rseq_count(m, &m->lane->full));
	full = tbuf_load(&m->lane->full);
	return (tbuf_step_swap(m, &m->lane->full, full,
	    full | TBUF_FULL_CLOSED));
}

/*
 * Releases damaged bytes of a ring; all of a ring whose words are inconsistent.
 * Does nothing if the tail has moved meanwhile.
 */
static __attribute__((cold)) void
recover(const struct tbuf_fire *f, const struct tbuf_memo *m, uint64_t size)
{
	struct tbuf_lane *lane = m->lane;
	uint64_t sequence = tbuf_load_acquire(&lane->sequence);
	struct tbuf_pair *pair = &lane->pair[sequence & 1];
	uint64_t tail = tbuf_load(&pair->tail);
	uint64_t words[2] = { tail, tbuf_load(&pair->overwritten) };
	struct tbuf_place place;

	if (!tbuf_lane_place(f->base, (uintptr_t)lane - f->base, &place))
		return;
	if (!tbuf_ring_skip(&place, tbuf_load(&lane->head), &words[0], size)) {
		tbuf_rseq_restart(m);
		tbuf_add(&lane->skipped, place.size);
	} else if (tbuf_step_publish(m, &lane->sequence, sequence, sequence + 1,
	    &lane->pair[~sequence & 1].tail, words, sizeof(words)) ==
	    TBUF_COMMITTED) {
		(void)tbuf_rseq_count(m, &lane->restarts);
		tbuf_add(&lane->skipped, words[0] - tail);
	}
}

static enum tbuf_outcome
write_try(const struct tbuf_fire *f, const struct tbuf_memo *m,
    const struct tbuf_write *w)
{
	enum tbuf_outcome outcome;

	if (w->size > m->bufsize || w->size > TBUF_RECORD_MAX)
		return (too_large(f, m));
	outcome = tbuf_rseq_segments(m, w);
	if (outcome == TBUF_NO_ROOM)
		return (no_room(f, m));
	if (outcome == TBUF_DAMAGED) {
		recover(f, m, w->size);
		return (TBUF_CHANGED);
	}
	if (outcome == TBUF_COMMITTED)
		remember(f, m);
	return (outcome);
}

enum tbuf_emit
tbuf_lane_store(const struct tbuf_fire *f, uint64_t *word, uint64_t value)
{
	struct tbuf_memo memo;
	unsigned try;

	if (!tbuf_fire_sections())
		return (tbuf_lock_store(f, word, value));
	for (try = 0; try < ABORTS_MAX; try++) {
		if (!memo_make(f, tbuf_rseq_cpu(), &memo))
			break;
		if (tbuf_rseq_store(&memo, word, value) == TBUF_COMMITTED)
			return (TBUF_EMIT_DONE);
		if (!tbuf_fire_current(f))
			return (TBUF_EMIT_RETRY);
	}
	return (tbuf_lock_store(f, word, value));
}

/*
 * Makes the memo valid on this CPU.  It stays valid for all steps of a fire
 * that does not migrate.
 */
static bool
memo_refresh(const struct tbuf_fire *f, struct tbuf_memo *m, uint32_t cpu)
{
	if (m->generation == f->generation && m->cpu == cpu)
		return (true);
	if (memo_make(f, cpu, m))
		return (true);
	m->generation = 0;
	return (false);
}

/* Runs the work in sections.  Returns false if a lock lane is needed. */
static __attribute__((cold)) bool
do_here(const struct tbuf_fire *f, struct tbuf_memo *memo,
    tbuf_lane_work *work, void *argument, enum tbuf_emit *emit)
{
	unsigned try;

	if (!tbuf_fire_sections())
		return (false);
	for (try = 0; try < ABORTS_MAX; try++) {
		if (!memo_refresh(f, memo, tbuf_rseq_cpu()))
			break;
		*emit = TBUF_EMIT_DONE;
		if (work(argument, memo) == TBUF_COMMITTED) {
			remember_new(f, memo);
			return (true);
		}
		*emit = TBUF_EMIT_RETRY;
		if (!tbuf_fire_current(f))
			return (true);
	}
	return (false);
}

__attribute__((cold)) enum tbuf_emit
tbuf_lane_do(const struct tbuf_fire *f, tbuf_lane_work *work,
    tbuf_lock_work *locked, void *argument, enum tbuf_lost lost)
{
	enum tbuf_emit emit;

	return (do_here(f, f->memo, work, argument, &emit) ? emit :
	    tbuf_lock_do(f, locked, argument, lost));
}

bool
tbuf_lane_try(const struct tbuf_fire *f, tbuf_lane_work *work,
    tbuf_lock_work *locked, void *argument)
{
	struct tbuf_memo memo = { .generation = 0 };
	enum tbuf_emit emit;

	return (do_here(f, &memo, work, argument, &emit) ?
	    emit == TBUF_EMIT_DONE : tbuf_lock_try(f, locked, argument));
}

enum tbuf_emit
tbuf_lane_put(const struct tbuf_fire *f)
{
	struct tbuf_place own;		/* the thread's lane, if it has one */
	struct tbuf_memo memo;
	struct tbuf_write w;
	uint32_t cpu;
	unsigned try;

	if (!tbuf_fire_sections())
		return (tbuf_lock_emit(f));
	(void)tbuf_thread_tid();
	tbuf_fire_write(f, &w);
	for (try = 0; try < ABORTS_MAX; try++) {
		cpu = tbuf_rseq_cpu();
		if (!tbuf_fire_wanted(f, cpu))
			return (TBUF_EMIT_DONE);
		if (!memo_make(f, cpu, &memo))
			break;
		if (tbuf_thread_lane_any(f->slot) &&
		    tbuf_thread_lane_place(f, &memo, &own))
			memo_lane(&memo, &own);
		if (write_try(f, &memo, &w) == TBUF_COMMITTED)
			return (TBUF_EMIT_DONE);
		if (!tbuf_fire_current(f))
			return (TBUF_EMIT_RETRY);
	}
	return (tbuf_lock_emit(f));
}
