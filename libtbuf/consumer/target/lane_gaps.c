/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Gaps: between which records of a lane its losses are.  A counter says how
 * many records were lost, and not where, so it is read before and after the
 * lane's head in each drain:
 *
 *	          head of a drain         head of the next one
 *	| records |        records        |        records ...
 *	      low ^                  high ^
 *
 * Losses that are not counted yet after the head was read (low) come after all
 * records before that head, since a lane's writers run one after another.
 * Those that are counted before it is read (high) come before all records after
 * it.  So the gap contains the losses; it may be wider.
 */
#include <sys/param.h>

#include "arch/atomics.h"
#include "consumer/target/target.h"

/* Returns true if a lane's losses by this counter have a place in it. */
static bool
has_place(const struct tbuf_reader *r, unsigned counter)
{
	switch (counter) {
	case TBUF_CAUSE_FULL:
	case TBUF_CAUSE_LARGE:
		return (true);
	case TBUF_OVERWRITTEN:
		return (tbuf_policy(r->target->order.terms.policy)->overwrites);
	}
	return (false);
}

/*
 * Returns a counter's value that only has losses before the head that is read
 * next.  Without total store order a count may be seen before the head that was
 * stored before it: then the value after the last head is used.
 */
static uint64_t
counted(const struct tbuf_reader *r, unsigned counter)
{
#ifdef __x86_64__
	return (tbuf_reader_counter(r, counter));
#else
	return (r->gaps[counter].low);
#endif
}

uint64_t
tbuf_gaps_last(const struct tbuf_reader *r)
{
	return (MAX(r->time, r->batch_time));
}

void
tbuf_gaps_open(struct tbuf_reader *r)
{
	struct tbuf_gap *g = &r->gaps[TBUF_CAUSE_FULL];
	unsigned i;

	if (g->low == UINT64_MAX || r->reported[TBUF_CAUSE_FULL] >= g->low)
		r->filled = r->limit;
	for (i = 0; i < TBUF_NGAPS; i++) {
		if (!has_place(r, i))
			continue;
		g = &r->gaps[i];
		if (r->reported[i] >= g->low)
			g->after = tbuf_gaps_last(r);
		g->next = counted(r, i);
	}
	/* The head is read after the counters. */
	tbuf_fence_loads();
}

void
tbuf_gaps_close(struct tbuf_reader *r)
{
	struct tbuf_gap *g;
	unsigned i;

	r->awaits = false;
	/* The head was read before the counters. */
	tbuf_fence_loads();
	for (i = 0; i < TBUF_NGAPS; i++) {
		if (!has_place(r, i))
			continue;
		g = &r->gaps[i];
		if (g->high != g->next) {
			g->high = g->next;
			g->from = i == TBUF_OVERWRITTEN ? r->position : r->end;
			g->before = 0;
		}
		g->low = tbuf_reader_counter(r, i);
		r->awaits |= g->high != 0 && g->before == 0;
	}
}

void
tbuf_gaps_note(struct tbuf_reader *r, uint64_t time)
{
	struct tbuf_gap *g;

	r->awaits = false;
	for (g = r->gaps; g < r->gaps + TBUF_NGAPS; g++) {
		if (g->high == 0 || g->before != 0)
			continue;
		if (r->position >= g->from)
			g->before = time;
		else
			r->awaits = true;
	}
}

/* Returns the time of a recorded record, 0 if there is none. */
static uint64_t
recorded_time(const struct tbuf_reader *r, uint64_t stamp)
{
	return (stamp == 0 ? 0 : tbuf_timeline_mono(&r->target->time, stamp));
}

void
tbuf_gap_get(const struct tbuf_reader *r, unsigned counter, uint64_t reported,
    uint64_t *after, uint64_t *before)
{
	const struct tbuf_gap *g;
	bool closed;

	*after = *before = 0;
	if (!has_place(r, counter))
		return;
	/* Under fill a lane that had no room once takes no more records. */
	closed = counter == TBUF_CAUSE_FULL &&
	    r->target->order.terms.policy == TBUF_FILL;
	if (r->recorded && counter != TBUF_OVERWRITTEN && !closed) {
		*after = recorded_time(r, r->drops_after);
		*before = recorded_time(r, r->drops_before);
		return;
	}
	g = &r->gaps[counter];
	if (g->high == r->reported[counter])
		*before = g->before;
	/* The oldest records are those that are overwritten. */
	if (counter == TBUF_OVERWRITTEN)
		return;
	if (reported >= g->low || closed)
		*after = tbuf_gaps_last(r);
	else
		*after = g->after;
}

/* Returns true for drops between two switches that are known to be there. */
static bool
has_drops(const struct tbuf_reader *r, unsigned counter)
{
	const struct tbuf_gap *g = &r->gaps[counter];

	return (g->low != UINT64_MAX && g->low > r->reported[counter]);
}

/*
 * A record that is dropped as there is no room would have ended after the
 * limit, so that no more bytes than its own are between it and the limit.  A
 * record that is too large may be anywhere.  A full lane under fill takes no
 * more records; the oldest ones of a ring are overwritten.
 */
void
tbuf_gaps_expect(struct tbuf_reader *r)
{
	r->gap_from = UINT64_MAX;
	if (r->target->order.terms.policy == TBUF_FILL)
		r->nrecorded_gaps = 0;
	if (r->nrecorded_gaps > 0) {
		r->gap_from = r->position;
		return;
	}
	switch (r->target->order.terms.policy) {
	case TBUF_SWITCH:
		if (r->target->file_only)
			break;
		if (has_drops(r, TBUF_CAUSE_LARGE))
			r->gap_from = r->position;
		else if (has_drops(r, TBUF_CAUSE_FULL))
			r->gap_from = r->filled -
			    MIN(r->filled, TBUF_RECORD_MAX);
		break;
	case TBUF_FILL:
		if (tbuf_reader_counter(r, TBUF_CAUSE_FULL) >
		    r->reported[TBUF_CAUSE_FULL])
			r->gap_from = r->end;
		break;
	case TBUF_RING:
		if (tbuf_reader_counter(r, TBUF_OVERWRITTEN) >
		    r->reported[TBUF_OVERWRITTEN])
			r->gap_from = r->position;
		break;
	}
}

/* Does so for the next gap of a recording. */
static bool
recorded_gap(struct tbuf_reader *r, uint64_t *after, uint64_t *before)
{
	const struct tbuf_recorded_gap *gap = r->recorded_gaps;

	if (r->stamp < gap->after)
		return (false);
	*after = recorded_time(r, gap->after);
	*before = recorded_time(r, gap->before);
	r->recorded_gaps++;
	if (--r->nrecorded_gaps == 0)
		r->gap_from = UINT64_MAX;
	return (true);
}

bool
tbuf_gaps_reached(struct tbuf_reader *r, uint64_t *after, uint64_t *before)
{
	if (r->position < r->gap_from)
		return (false);
	if (r->nrecorded_gaps > 0)
		return (recorded_gap(r, after, before));
	r->gap_from = UINT64_MAX;
	*after = tbuf_gaps_last(r);
	*before = 0;
	switch (r->target->order.terms.policy) {
	case TBUF_SWITCH:
		/* The counters were read before this. */
		*before = r->target->time.latest.mono;
		break;
	case TBUF_RING:
		*before = r->next_time;
		break;
	}
	return (true);
}
