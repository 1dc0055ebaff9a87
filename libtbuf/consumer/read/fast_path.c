/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The straight way of most records.  A lane that gave one, in a round where
 * nothing but records comes of it, most likely gives another: one that has been
 * fetched, and whose EPID says that it is a probe's arguments and no more.  Its
 * bounds are looked at as ever, but nothing is asked that holds for all of the
 * lane, and nobody else is called.  Whatever this does not know changes nothing
 * here, and is left to the round.
 */
#include "consumer/decode/record_layout.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"

/*
 * A script may have fired for a fault, and gives what that has recorded first;
 * a cut looks at times; the rest of a batch stands in front of the lane's next
 * record, as damage would, which has been told by now.  Records of lock lanes
 * say themselves on which CPU they were.
 */
void
tbuf_straight_begin(struct tbuf_consumer *c, struct tbuf_source *s)
{
	uint64_t size;
	const unsigned char *rest = tbuf_source_rest(s, &size);

	if (rest == NULL || c->script != NULL || c->round.cut ||
	    s->batch != NULL || s->locked)
		return;
	c->round.straight = (struct tbuf_straight){
		.source = s, .next = rest, .end = rest + size
	};
}

/*
 * As decode() and record_event() in record.c have it, of a record whose values
 * have been read.  False if it was before the clock's first point.
 */
static inline bool
give(struct tbuf_consumer *c, const struct tbuf_header *header,
    const struct tbuf_epid *epid, struct tbuf_event *event)
{
	struct tbuf_source *s = c->round.straight.source;
	const struct tbuf_target *t = s->target;
	struct tbuf_record *record = &event->record;
	uint64_t time;

	if (!tbuf_timeline_since(&t->time, header->time, &time))
		return (false);
	/* inv.order: two ticks may fall into one nanosecond. */
	if (time <= s->time)
		time = s->time + 1;
	s->time = time;
	event->type = TBUF_EVENT_RECORD;
	event->pid = t->pid;
	event->cpu = s->cpu;
	tbuf_event_clear(event);
	record->pid = t->pid;
	record->tid = header->tid;
	record->cpu = s->cpu;
	record->enabling = epid->enabling;
	record->time = time;
	record->wall = tbuf_timeline_wall(&t->time, time);
	record->probe = epid->probe;
	record->nargs = epid->layout->npieces;
	record->args = c->values;
	c->round.straight.next += header->size;
	tbuf_source_step(s, header->size);
	s->consumed++;
	c->totals.records++;
	return (true);
}

/* What has other values than words takes registers for them: apart. */
static __attribute__((noinline)) int
next_other(struct tbuf_consumer *c, const struct tbuf_header *header,
    const struct tbuf_epid *epid, struct tbuf_event *event)
{
	if (tbuf_layout_read(epid->layout, header + 1,
	    header->size - sizeof(*header), c->values) &&
	    give(c, header, epid, event))
		return (1);
	return (tbuf_round_next(c, event));
}

/* The next record, if it is one. */
static inline const struct tbuf_header *
find_next(const struct tbuf_straight *straight)
{
	const struct tbuf_header *header = (const void *)straight->next;
	size_t left = (size_t)(straight->end - straight->next);

	return (left >= sizeof(*header) && tbuf_record_plausible(header->size,
	    left) ? header : NULL);
}

static inline const struct tbuf_epid *
find_plain(const struct tbuf_target *t, uint16_t epid)
{
	return (epid < t->necbs_max && t->epids[epid].plain ?
	    &t->epids[epid] : NULL);
}

int
tbuf_consumer_next(struct tbuf_consumer *c, struct tbuf_event *event)
{
	const struct tbuf_straight *straight = &c->round.straight;
	const struct tbuf_header *header;
	const struct tbuf_epid *epid;

	if (straight->source == NULL ||
	    (header = find_next(straight)) == NULL ||
	    (epid = find_plain(straight->source->target,
	    header->epid)) == NULL)
		return (tbuf_round_next(c, event));
	if (!epid->layout->words)
		return (next_other(c, header, epid, event));
	if (tbuf_layout_words(epid->layout, header + 1,
	    header->size - sizeof(*header), c->values) &&
	    give(c, header, epid, event))
		return (1);
	return (tbuf_round_next(c, event));
}
