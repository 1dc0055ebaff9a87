/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The fast path of tbuf_consumer_next().  After a plain record, the next one in
 * the same lane is most likely plain too: it has been fetched, and its EPID
 * says that it has a probe's arguments only.  Its bounds and EPID are checked,
 * but nothing that holds for the whole lane.  Any other record changes no state
 * here, and goes to tbuf_drain_next().
 */
#include "consumer/decode/record_layout.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"

/*
 * The fast path cannot be used with a script, which may have records of ERROR
 * to return first; with a cut, which checks times; during a batch, which comes
 * before the lane's next record; and for lock lanes, as their records have a
 * CPU of their own.  Damage has been reported by now.
 */
void
tbuf_fast_begin(struct tbuf_consumer *c, struct tbuf_reader *r)
{
	uint64_t size;
	const unsigned char *rest = tbuf_reader_rest(r, &size);

	if (rest == NULL || c->script != NULL || c->drain.cut ||
	    r->batch != NULL || r->locked)
		return;
	c->drain.fast = (struct tbuf_fast){
		.reader = r, .next = rest, .end = rest + size
	};
}

/*
 * Returns a record, after its values were read, as decode() and record_event()
 * in record.c do.  Returns false if it is before the clock's first point.
 */
static inline __attribute__((always_inline)) bool
give(struct tbuf_consumer *c, const struct tbuf_header *header,
    const struct tbuf_epid *epid, struct tbuf_event *event)
{
	struct tbuf_reader *r = c->drain.fast.reader;
	const struct tbuf_target *t = r->target;
	struct tbuf_record *record = &event->record;
	uint64_t time;

	if (!tbuf_reader_timely(r, header) || !tbuf_record_precedes(header,
	    (uint64_t)(c->drain.fast.end - c->drain.fast.next)) ||
	    !tbuf_timeline_since(&t->time, header->time, &time))
		return (false);
	/* inv.order: two ticks may fall into one nanosecond. */
	if (time <= r->time)
		time = r->time + 1;
	r->time = time;
	event->type = TBUF_EVENT_RECORD;
	event->pid = t->pid;
	event->cpu = r->cpu;
	tbuf_event_clear(event);
	record->pid = t->pid;
	record->tid = header->tid;
	record->cpu = r->cpu;
	record->enabling = epid->enabling;
	record->time = time;
	record->wall = tbuf_timeline_wall(&t->time, time);
	record->probe = epid->probe;
	record->nargs = epid->layout->npieces;
	record->args = c->values;
	record->execname = t->execname;
	c->drain.fast.next += header->size;
	tbuf_reader_step(r, header);
	r->consumed++;
	c->totals.records++;
	return (true);
}

/* Returns a record with values other than words, apart to save registers. */
static __attribute__((noinline)) int
next_other(struct tbuf_consumer *c, const struct tbuf_header *header,
    const struct tbuf_epid *epid, struct tbuf_event *event)
{
	if (tbuf_layout_read(epid->layout, header + 1,
	    header->size - sizeof(*header), c->values) &&
	    give(c, header, epid, event))
		return (1);
	return (tbuf_drain_next(c, event));
}

/* Returns the next record, or NULL if it is implausible or not fetched. */
static inline const struct tbuf_header *
find_next(const struct tbuf_fast *fast)
{
	const struct tbuf_header *header = (const void *)fast->next;
	size_t left = (size_t)(fast->end - fast->next);

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
	const struct tbuf_fast *fast = &c->drain.fast;
	const struct tbuf_header *header;
	const struct tbuf_epid *epid;

	if (fast->reader == NULL ||
	    (header = find_next(fast)) == NULL ||
	    (epid = find_plain(fast->reader->target,
	    header->epid)) == NULL)
		return (tbuf_drain_next(c, event));
	if (!epid->layout->words)
		return (next_other(c, header, epid, event));
	if (tbuf_layout_words(epid->layout, header + 1,
	    header->size - sizeof(*header), c->values) &&
	    give(c, header, epid, event))
		return (1);
	return (tbuf_drain_next(c, event));
}
