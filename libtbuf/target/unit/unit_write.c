/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a record into a unit's table.  Only the unit's thread writes there,
 * and the thread's handlers: a step compares head with its value before.  As
 * async-signal-safe as fire.c.
 */
#include <string.h>

#include "target/lane/lane.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"

#define STAGE_WORDS	40	/* words copied in one section */

struct writing {
	struct tbuf_unit *unit;
	struct tbuf_bound *bound;
	const struct tbuf_fire *fire;
	uint64_t size;			/* of the record */
	bool busy;			/* an interrupted write is under way:
					 * use a lane */
};

/* A record's bytes, copied piece by piece. */
struct piece {
	const struct tbuf_segment *segment, *end;
	uint64_t at;			/* copied bytes of the segment */
	uint64_t used;			/* bytes of the stage */
	uint64_t stage[STAGE_WORDS];
};

/* Fills the stage, without calls of the C library (lock_lane.c). */
static void
fill(struct piece *p)
{
	unsigned char *to = (unsigned char *)p->stage;
	const unsigned char *from;
	uint64_t word;

	while (p->segment < p->end && p->used < sizeof(p->stage)) {
		from = p->segment->data;
		if (p->used % 8 == 0 && p->segment->size - p->at >= 8) {
			memcpy(&word, from + p->at, sizeof(word));
			memcpy(to + p->used, &word, sizeof(word));
			p->at += sizeof(word);
			p->used += sizeof(word);
		} else if (p->at < p->segment->size)
			to[p->used++] = from[p->at++];
		if (p->at >= p->segment->size) {
			p->segment++;
			p->at = 0;
		}
		__asm__ volatile("" : : : "memory");
	}
}

/*
 * Stores the record.  All pieces but the last leave head unchanged, so that a
 * handler's record is detected before any of it is overwritten.
 */
static enum tbuf_outcome
store(const struct writing *w, const struct tbuf_memo *memo, uint64_t head,
    unsigned char *to)
{
	struct piece p = { w->fire->segments + 1, w->fire->end, 0,
	    sizeof(struct tbuf_lock_record), { 0 } };
	uint64_t next = tbuf_unit_head(tbuf_unit_laps(head),
	    tbuf_unit_records(head) + 1, tbuf_unit_bytes(head) + w->size);
	uint64_t left;

	p.stage[0] = tbuf_unit_clock();
	p.stage[1] = w->fire->epid | w->size << 16 |
	    (uint64_t)tbuf_thread.tid << 32;
	p.stage[2] = memo != NULL ? memo->cpu : tbuf_current_cpu();
	for (left = w->size;; left -= p.used, to += p.used, p.used = 0) {
		fill(&p);
		if (p.used == 0 || tbuf_step_publish(memo,
		    &w->bound->entry->head, head, p.used == left ? next : head,
		    (uint64_t *)(void *)to, p.stage, p.used) !=
		    TBUF_COMMITTED)
			return (TBUF_CHANGED);
		if (p.used == left) {
			tbuf_bound_head(w->bound, next);
			return (TBUF_COMMITTED);
		}
	}
}

/* The words of an entry that write_here() loads, from `full' on. */
struct state {
	uint64_t full;
	struct tbuf_unit_half half[2];
	uint64_t head;
};

/* Wraps the table: its older half is overwritten as a whole. */
static enum tbuf_outcome
wrap(struct tbuf_unit_entry *e, const struct tbuf_memo *memo,
    const struct state *was)
{
	uint64_t laps = tbuf_unit_laps(was->head);
	unsigned older = tbuf_unit_older(was->head);
	const uint64_t next[] = { was->head, was->half[older].overwritten +
	    (laps == 0 ? 0 : tbuf_unit_records(was->half[older].head)) };

	/*
	 * The lowest bit of laps selects a half.  At its maximum laps is
	 * decremented, so that the bit still alternates.
	 */
	laps = laps == 0xffff ? laps - 1 : laps + 1;
	return (tbuf_step_publish(memo, &e->head, was->head,
	    tbuf_unit_head(laps, 0, 0), &e->half[older ^ 1].head, next,
	    sizeof(next)));
}

static enum tbuf_outcome
refuse(const struct writing *w, const struct tbuf_memo *memo, uint64_t full)
{
	uint64_t dummy = 0;

	if (tbuf_fire_deadline(w->fire))
		return (TBUF_COMMITTED);
	return (tbuf_step_publish(memo, &w->bound->entry->full, full, full + 1,
	    &dummy, &dummy, sizeof(dummy)));
}

_Static_assert(offsetof(struct tbuf_unit_entry, head) -
    offsetof(struct tbuf_unit_entry, full) == offsetof(struct state, head),
    "struct state");

static enum tbuf_outcome
write_here(void *argument, const struct tbuf_memo *memo)
{
	const struct writing *w = argument;
	const struct tbuf_bound *b = w->bound;
	struct tbuf_unit_entry *e = b->entry;
	struct state was;
	uint64_t used;

	if (memo != NULL && !tbuf_fire_wanted(w->fire, memo->cpu))
		return (TBUF_COMMITTED);
	tbuf_store(&w->bound->others, true);
	for (;;) {
		if (tbuf_step_load(memo, &was.full, &e->full,
		    sizeof(was) / sizeof(was.full)) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
		/* Before an abandoned unit's head is closed, it is busy. */
		if (memo != NULL && tbuf_load(&w->unit->busy))
			return (TBUF_CHANGED);
		used = tbuf_unit_bytes(was.head);
		if (used <= b->way.size && w->size <= b->way.size - used)
			return (store(w, memo, was.head, b->way.table + used +
			    (b->wraps && (tbuf_unit_laps(was.head) & 1) != 0 ?
			    b->way.size : 0)));
		if (!b->wraps || w->size > b->way.size)
			return (refuse(w, memo, was.full));
		if (wrap(e, memo, &was) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
	}
}

/*
 * Writes the record unless another write is under way: without sections a
 * handler could write to the same place, as could a task that shares the
 * thread's area.
 */
static enum tbuf_outcome
write_any(void *argument, const struct tbuf_memo *memo)
{
	struct writing *w = argument;
	enum tbuf_outcome outcome;

	w->busy = tbuf_load(&w->unit->busy);
	if (w->busy)
		return (TBUF_COMMITTED);
	if (memo != NULL) {
		tbuf_bound_here(w->bound, memo->cpu);
		return (write_here(w, memo));
	}
	if (!tbuf_fire_wanted(w->fire, tbuf_current_cpu()))
		return (TBUF_COMMITTED);
	w->busy = !tbuf_cas(&w->unit->busy, false, true);
	if (w->busy)
		return (TBUF_COMMITTED);
	outcome = write_here(w, memo);
	tbuf_store_release(&w->unit->busy, false);
	return (outcome);
}

static struct tbuf_bound *
bound_find(struct tbuf_unit *u, const struct tbuf_fire *f)
{
	uint32_t i;

	for (i = 0; i < u->nbound; i++)
		if (u->bound[i].fire.slot == f->slot &&
		    u->bound[i].fire.generation == f->generation)
			return (&u->bound[i]);
	return (NULL);
}

bool
tbuf_unit_emit(const struct tbuf_fire *f, enum tbuf_emit *emit)
{
	struct writing w = { .unit = tbuf_thread.unit, .fire = f,
	    .size = sizeof(struct tbuf_lock_record) + f->size };
	struct tbuf_bound *b;

	/* Envelopes and commit records of a session are not the unit's. */
	if (f->epid >= TBUF_EPID_UNIT ||
	    (b = bound_find(w.unit, f)) == NULL)
		return (false);
	if (b->entry == NULL) {
		tbuf_bound_add(b, &b->units->elsewhere, 1);
		return (false);
	}
	w.bound = b;
	if (w.size > TBUF_RECORD_MAX)
		return (false);
	(void)tbuf_thread_tid();
	*emit = tbuf_bound_record(b, write_any, &w);
	return (!w.busy);
}
