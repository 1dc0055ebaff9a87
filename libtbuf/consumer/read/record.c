/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decodes a record: its EPID says which layout it has (epid.c), and the layout
 * how its bytes are read (record_layout.c).
 */
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"

/* Calibrations of a clock differ by less than this, ns. */
#define CALIBRATION	1000

bool
tbuf_reader_later(const struct tbuf_consumer *c, const struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	return (c->drain.cut && tbuf_timeline_mono(&r->target->time,
	    header->time) >= c->drain.until);
}

/* Returns true for a record that is not of this run. */
static inline bool
is_passed(struct tbuf_consumer *c, const struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	const struct tbuf_epid *epid;

	if (tbuf_reader_later(c, r, header))
		return (true);
	if (!r->target->file_only)
		return (false);
	epid = tbuf_epid_find(c, r->target, header->epid);
	return (epid != NULL && epid->unwanted);
}

int
tbuf_reader_next(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header **header)
{
	int found;

	while ((found = tbuf_reader_peek(r, header)) != 0) {
		if (found == -1)
			tbuf_reader_resync(c, r, 0);
		else if (!tbuf_reader_timely(r, *header) ||
		    tbuf_reader_outlier(c, r, *header))
			tbuf_reader_resync(c, r, (*header)->size);
		else if (!is_passed(c, r, *header))
			return (1);
		else
			tbuf_reader_step(r, *header);
	}
	return (0);
}

/* Sets a record's values: the probe's arguments, or a clause's pieces. */
static void
give_values(struct tbuf_consumer *c, const struct tbuf_epid *epid,
    struct tbuf_record *record)
{
	if (epid->clause) {
		record->pieces = c->values;
		record->npieces = epid->layout->npieces;
		record->layout = epid->record;
		record->nargs = 0;
		if (epid->record != NULL)
			tbuf_stack_give(c, epid->record);
	} else
		record->nargs = epid->layout->npieces;
	record->args = c->values;
}

bool
tbuf_record_decode(struct tbuf_consumer *c, const struct tbuf_reader *r,
    const struct tbuf_header *header, const struct tbuf_epid *epid,
    struct tbuf_record *record)
{
	size_t size;
	const void *data = tbuf_record_data(r, header, &size, &record->cpu);

	if (!tbuf_layout_read(epid->layout, data, size, c->values))
		return (false);
	record->pid = r->target->pid;
	record->execname = tbuf_target_execname(r->target);
	record->tid = header->tid;
	record->enabling = epid->enabling;
	record->probe = epid->probe;
	record->epid = epid->record != NULL ? header->epid : 0;
	if (epid->layout->interned)
		tbuf_interned_give(c, r->target, epid->probe);
	give_values(c, epid, record);
	return (true);
}

/* Decodes a record or a fault.  Returns false if it is invalid. */
static bool
decode(struct tbuf_consumer *c, const struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	const struct tbuf_epid *epid;

	event->type = TBUF_EVENT_RECORD;
	if (header->epid == TBUF_EPID_FAULT && r->target->clauses != 0)
		return (tbuf_fault_decode(c, r, header, event));
	epid = tbuf_epid_find(c, r->target, header->epid);
	return (epid != NULL &&
	    tbuf_record_decode(c, r, header, epid, &event->record));
}

/*
 * Each drain calibrates the clocks again, so a time may be some ns lower than
 * it would have been in the drain before.  A really late record keeps its time.
 */
uint64_t
tbuf_reader_time(const struct tbuf_consumer *c, const struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	uint64_t time = tbuf_timeline_mono(&r->target->time, header->time);

	if (time < c->drain.merged && c->drain.merged - time < CALIBRATION)
		time = c->drain.merged;
	/* inv.order: two ticks may fall into one nanosecond. */
	return (time <= r->time ? r->time + 1 : time);
}

bool
tbuf_record_event(struct tbuf_consumer *c, const struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	const struct tbuf_timeline *line = &r->target->time;
	struct tbuf_record *record = &event->record;

	if (!decode(c, r, header, event))
		return (false);
	c->drain.last_target = r->target;
	record->time = tbuf_timeline_mono(line, header->time);
	record->wall = tbuf_timeline_wall(line, record->time);
	event->pid = record->pid;
	event->cpu = record->cpu;
	return (true);
}

static void
record_event(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	struct tbuf_record *record = &event->record;
	uint64_t time = tbuf_reader_time(c, r, header);

	r->time = time;
	c->drain.last_target = r->target;
	if (c->options.temporal)
		c->drain.merged = time;
	record->time = time;
	record->wall = tbuf_timeline_wall(&r->target->time, time);
	event->pid = record->pid;
	event->cpu = record->cpu;
	tbuf_gaps_record(r, time);
	tbuf_reader_step(r, header);
	if (c->drain.snapshot)
		return;
	/* A snapshot's records will be read again. */
	r->consumed++;
	c->totals.records += event->type == TBUF_EVENT_RECORD;
	tbuf_fault_tell(c, event);
}

void
tbuf_event_count(struct tbuf_event *event, enum tbuf_event_type type,
    const struct tbuf_reader *r, uint64_t count)
{
	event->type = type;
	event->pid = r->target->pid;
	event->cpu = r->cpu;
	event->count = count;
}

static bool
is_commit(const struct tbuf_reader *r, const struct tbuf_header *header)
{
	return (header->epid == TBUF_EPID_COMMIT && r->target->spec.count != 0);
}

bool
tbuf_batch_opens(const struct tbuf_reader *r, const struct tbuf_header *header)
{
	return (is_commit(r, header) || tbuf_unit_is(r, header));
}

void
tbuf_batch_open(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	r->batch_time = tbuf_timeline_mono(&r->target->time, header->time);
	tbuf_gaps_record(r, r->batch_time);
	if (is_commit(r, header))
		tbuf_batch_commit(c, r, header);
	else
		tbuf_unit_open(c, r, header);
}

/*
 * Makes the event of a lane's damage, which lies between the last record
 * returned and the next one; NULL: none is known.
 */
static void
damage_event(const struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *next, struct tbuf_event *event)
{
	tbuf_event_count(event, TBUF_EVENT_DAMAGE, r, r->damage);
	if (!r->unplaced) {
		event->after = tbuf_gaps_last(r);
		event->before = next == NULL ? 0 :
		    tbuf_reader_time(c, r, next);
	}
	r->damage = 0;
	r->unplaced = false;
}

/*
 * Each record passes here, so the functions above are inlined (flatten).  In a
 * merge the records after a batch wait for their turn: 0 then means that the
 * lane has to be looked at again.
 */
__attribute__((flatten)) int
tbuf_reader_event(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_event *event)
{
	const struct tbuf_header *header, *next = NULL;
	bool turn = true;

	if (r->batch != NULL) {
		if (tbuf_batch_next(c, r, event) == 1)
			return (1);
		turn = !c->drain.merging;
	}
	while (turn && tbuf_reader_next(c, r, &header) == 1) {
		if (tbuf_batch_opens(r, header)) {
			/* Damage before it is reported first. */
			if (r->damage != 0) {
				next = header;
				break;
			}
			tbuf_batch_open(c, r, header);
			if (tbuf_batch_next(c, r, event) == 1)
				return (1);
			turn = !c->drain.merging;
			continue;
		}
		if (!decode(c, r, header, event)) {
			tbuf_reader_resync(c, r, header->size);
			continue;
		}
		if (r->damage != 0) {
			next = header;
			break;
		}
		record_event(c, r, header, event);
		return (1);
	}
	if (r->damage == 0)
		return (0);
	damage_event(c, r, next, event);
	return (1);
}
