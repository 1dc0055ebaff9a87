/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x temporal: merges the records of all lanes by time.  A heap of lanes has
 * the lane with the oldest record at its top.
 */
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

/*
 * Sets next_time to the time of the lane's next record.  Returns false if no
 * record is due.
 */
static bool
look(struct tbuf_consumer *c, struct tbuf_reader *r)
{
	const struct tbuf_header *header;

	r->next_time = 0;
	/* A batch is returned as a whole. */
	if (r->damage != 0 || r->batch != NULL)
		return (true);
	if (tbuf_reader_next(c, r, &header) != 1)
		return (r->damage != 0);
	r->next_time = tbuf_reader_time(c, r, header);
	return (r->next_time < c->drain.until);
}

static void
sift_down(struct tbuf_drain *d, unsigned i)
{
	struct tbuf_reader *r;
	unsigned child;

	for (; (child = 2 * i + 1) < d->heap_count; i = child) {
		if (child + 1 < d->heap_count &&
		    d->heap[child + 1]->next_time < d->heap[child]->next_time)
			child++;
		if (d->heap[i]->next_time <= d->heap[child]->next_time)
			break;
		r = d->heap[i];
		d->heap[i] = d->heap[child];
		d->heap[child] = r;
	}
}

void
tbuf_merge_begin(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;
	unsigned i;

	d->heap_count = 0;
	d->top_returned = false;
	d->emptied = NULL;
	for (i = 0; i < d->count; i++)
		if (c->options.dropsoon)
			tbuf_gaps_expect(d->order[i]);
		else
			d->order[i]->gap_from = UINT64_MAX;
	for (i = 0; i < d->count; i++)
		if (look(c, d->order[i]))
			d->heap[d->heap_count++] = d->order[i];
	for (i = d->heap_count / 2; i-- > 0;)
		sift_down(d, i);
}

/*
 * Looks again at the top lane.  That waits until the call after its record was
 * returned, as it moves the record's bytes, which the caller reads.
 */
static void
look_again(struct tbuf_consumer *c)
{
	struct tbuf_drain *d = &c->drain;

	if (!d->top_returned || d->heap_count == 0)
		return;
	d->top_returned = false;
	if (!look(c, d->heap[0])) {
		d->emptied = d->heap[0];
		d->heap[0] = d->heap[--d->heap_count];
	}
	sift_down(d, 0);
}

uint64_t
tbuf_merge_time(struct tbuf_consumer *c)
{
	look_again(c);
	return (c->drain.heap_count > 0 ? c->drain.heap[0]->next_time :
	    UINT64_MAX);
}

/*
 * Makes the event of losses that may be before the next record of the top lane,
 * or after the last one of a lane that has left the heap.
 */
static bool
gap(struct tbuf_drain *d, struct tbuf_event *event)
{
	struct tbuf_reader *r = d->emptied;

	d->emptied = NULL;
	if (r == NULL || !tbuf_gaps_reached(r, &event->after, &event->before))
		r = d->heap_count > 0 && tbuf_gaps_reached(d->heap[0],
		    &event->after, &event->before) ? d->heap[0] : NULL;
	if (r == NULL)
		return (false);
	tbuf_event_count(event, TBUF_EVENT_GAP, r, 0);
	return (true);
}

int
tbuf_merge_next(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_drain *d = &c->drain;

	for (look_again(c);; look_again(c)) {
		if (gap(d, event))
			return (1);
		if (d->heap_count == 0)
			break;
		d->top_returned = true;
		if (tbuf_reader_event(c, d->heap[0], event) == 1)
			return (1);
	}
	return (0);
}
