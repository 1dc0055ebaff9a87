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
look(struct tbuf_consumer *c, struct tbuf_source *s)
{
	const struct tbuf_header *header;

	s->next_time = 0;
	/* A batch is returned as a whole. */
	if (s->damage != 0 || s->batch != NULL)
		return (true);
	if (tbuf_source_next(c, s, &header) != 1)
		return (s->damage != 0);
	s->next_time = tbuf_source_time(c, s, header);
	return (s->next_time < c->round.until);
}

static void
swap(struct tbuf_source **heap, unsigned i, unsigned j)
{
	struct tbuf_source *s = heap[i];

	heap[i] = heap[j];
	heap[j] = s;
}

static void
sift_down(struct tbuf_round *r, unsigned i)
{
	unsigned child;

	for (; (child = 2 * i + 1) < r->heap_count; i = child) {
		if (child + 1 < r->heap_count &&
		    r->heap[child + 1]->next_time < r->heap[child]->next_time)
			child++;
		if (r->heap[i]->next_time <= r->heap[child]->next_time)
			break;
		swap(r->heap, i, child);
	}
}

void
tbuf_merge_begin(struct tbuf_consumer *c)
{
	struct tbuf_round *r = &c->round;
	unsigned i;

	r->heap_count = 0;
	r->merged_given = false;
	for (i = 0; i < r->count; i++)
		if (look(c, r->order[i]))
			r->heap[r->heap_count++] = r->order[i];
	for (i = r->heap_count / 2; i-- > 0;)
		sift_down(r, i);
}

/*
 * Looks again at the top lane.  That waits until the call after its record was
 * returned, as it moves the record's bytes, which the caller reads.
 */
static void
look_again(struct tbuf_consumer *c)
{
	struct tbuf_round *r = &c->round;

	if (!r->merged_given || r->heap_count == 0)
		return;
	r->merged_given = false;
	if (!look(c, r->heap[0]))
		r->heap[0] = r->heap[--r->heap_count];
	sift_down(r, 0);
}

uint64_t
tbuf_merge_time(struct tbuf_consumer *c)
{

	look_again(c);
	return (c->round.heap_count > 0 ? c->round.heap[0]->next_time :
	    UINT64_MAX);
}

int
tbuf_merge_next(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_round *r = &c->round;

	for (look_again(c); r->heap_count > 0; look_again(c)) {
		r->merged_given = true;
		if (tbuf_source_event(c, r->heap[0], event) == 1)
			return (1);
	}
	return (0);
}
