/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One record into the lane of the CPU that this thread runs on, by the
 * restartable sections of arch/rseq.h.
 */
#include "target/target.h"

/* Sections aborted in a row before the fire goes to a lock lane. */
#define ABORTS_MAX	16

#ifdef TBUF_INJECT
uint32_t tbuf_inject[TBUF_INJECT_STEPS];
#endif

static uint32_t
thread_id(void)
{
	if (tbuf_thread.tid == 0)
		tbuf_thread.tid = tbuf_thread_id();
	return (tbuf_thread.tid);
}

static void
write_begin(const struct tbuf_fire *f, struct tbuf_write *w)
{
	w->size = sizeof(struct tbuf_header) + f->size;
	w->word = (uint64_t)f->epid | w->size << 16 |
	    (uint64_t)thread_id() << 32;
	w->from = f->segments + 1;
	w->from_end = f->end;
}

/* The lane of a CPU, if it has one. */
static bool
memo_make(const struct tbuf_fire *f, uint32_t cpu, struct tbuf_memo *m)
{
	struct tbuf_place place;

	if (!tbuf_lane_place(f->base, tbuf_lane_offset(f->slot, cpu), &place))
		return (false);
	m->bits = UINT64_C(1) << f->number;
	m->generation = f->generation;
	m->slot = f->slot;
	m->lane = place.lane;
	m->data = place.data;
	m->mask8 = place.storage - 8;
	m->bufsize = place.size;
	m->fill_mask = tbuf_load(&f->slot->fill_mask);
	m->heads = (const uint16_t *)(uintptr_t)(f->base + TBUF_HEADS +
	    f->number * (uint64_t)TBUF_HEADS_SIZE);
	m->cpu = cpu;
	m->ring = tbuf_load(&f->slot->policy) == TBUF_RING;
	m->strsize = (uint16_t)tbuf_fire_strsize(f->slot);
	return (true);
}

/* A record that this lane can never hold, or that it has no room for now. */
static enum tbuf_outcome
refuse(const struct tbuf_fire *f, const struct tbuf_memo *m,
    const struct tbuf_write *w, bool large)
{
	if (large)
		return (tbuf_rseq_count(m, m->generation, &m->lane->large));
	if (tbuf_fire_deadline(f))
		return (TBUF_COMMITTED);
	return (tbuf_rseq_refuse(m, m->generation, w, &m->lane->full));
}

static enum tbuf_outcome
write_try(const struct tbuf_fire *f, const struct tbuf_memo *m,
    const struct tbuf_write *w)
{
	enum tbuf_outcome outcome;

	if (w->size > m->bufsize || w->size > TBUF_RECORD_MAX)
		return (refuse(f, m, w, true));
	outcome = m->ring ? tbuf_rseq_ring_segments(m, m->generation, w) :
	    tbuf_rseq_linear_segments(m, m->generation, w);
	if (outcome == TBUF_NO_ROOM)
		return (refuse(f, m, w, false));
	if (outcome == TBUF_DAMAGED) {
		tbuf_rseq_restart(m, m->generation);
		return (TBUF_CHANGED);
	}
	if (outcome == TBUF_COMMITTED) {
		tbuf_rseq_remember(&tbuf_thread.memo, m);
		/* A handler may have marked the thread since we looked. */
		if (tbuf_thread.shared != 0)
			tbuf_store(&tbuf_thread.memo.bits, TBUF_MEMO_NONE);
	}
	return (outcome);
}

enum tbuf_emit
tbuf_lane_emit(const struct tbuf_fire *f)
{
	struct tbuf_memo memo;
	struct tbuf_write w;
	uint32_t cpu;
	unsigned try;

	if (!tbuf_self.rseq || tbuf_thread.shared != 0 || !tbuf_rseq_ready())
		return (tbuf_lock_emit(f));
	write_begin(f, &w);
	for (try = 0; try < ABORTS_MAX; try++) {
		cpu = tbuf_rseq_cpu();
		if (!tbuf_fire_wanted(f, cpu))
			return (TBUF_EMIT_DONE);
		if (!memo_make(f, cpu, &memo))
			break;
		if (write_try(f, &memo, &w) == TBUF_COMMITTED)
			return (TBUF_EMIT_DONE);
		if (!tbuf_fire_current(f))
			return (TBUF_EMIT_AGAIN);
	}
	return (tbuf_lock_emit(f));
}
