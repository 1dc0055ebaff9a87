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
#include "consumer/pieces.h"
#include "consumer/rounds.h"
#include "consumer/run.h"
#include "consumer/targets.h"
#include "consumer/timeline.h"

/*
 * A script fires for records, or takes them; a merge, or a cut, looks at times;
 * a batch and what damage there was stand in front of the lane's next record.
 * Locks say in their records on which CPU those were.
 */
void
tbuf_straight_begin(struct tbuf_consumer *c, struct tbuf_source *s)
{
	if (c->script == NULL && !c->options.temporal && !c->round.cut &&
	    s->batch == NULL && s->damage == 0 && !s->locked)
		c->round.straight = s;
}

/* As decode() and record_event() in record.c have it. */
static inline void
give(struct tbuf_consumer *c, struct tbuf_source *s,
    const struct tbuf_header *header, const struct tbuf_epid *epid,
    struct tbuf_event *event)
{
	const struct tbuf_target *t = s->target;
	struct tbuf_record *record = &event->record;
	uint64_t time = tbuf_timeline_mono(&t->time, header->time);

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
	tbuf_source_step(s, header->size);
	s->consumed++;
	c->totals.records++;
}

/* What has texts takes a loop of another kind, and registers for it: apart. */
static __attribute__((noinline)) int
give_texts(struct tbuf_consumer *c, struct tbuf_source *s,
    const struct tbuf_header *header, const struct tbuf_epid *epid,
    struct tbuf_event *event)
{
	if (!tbuf_layout_read(epid->layout, header + 1,
	    header->size - sizeof(*header), c->values))
		return (tbuf_round_next(c, event));
	give(c, s, header, epid, event);
	return (1);
}

static inline const struct tbuf_epid *
plain(const struct tbuf_target *t, uint16_t epid)
{
	return (epid < t->necbs_max && t->epids[epid].plain ?
	    &t->epids[epid] : NULL);
}

int
tbuf_consumer_next(struct tbuf_consumer *c, struct tbuf_event *event)
{
	struct tbuf_source *s = c->round.straight;
	const struct tbuf_header *header;
	const struct tbuf_epid *epid;

	if (s == NULL || (header = tbuf_source_fetched(s)) == NULL ||
	    (epid = plain(s->target, header->epid)) == NULL)
		return (tbuf_round_next(c, event));
	if (epid->layout->nfixed != epid->layout->npieces)
		return (give_texts(c, s, header, epid, event));
	if (!tbuf_layout_fixed(epid->layout, header + 1,
	    header->size - sizeof(*header), c->values))
		return (tbuf_round_next(c, event));
	give(c, s, header, epid, event);
	return (1);
}
