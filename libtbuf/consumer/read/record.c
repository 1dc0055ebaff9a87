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
tbuf_source_later(const struct tbuf_consumer *c, const struct tbuf_source *s,
    const struct tbuf_header *header)
{
	return (c->drain.cut && tbuf_timeline_mono(&s->target->time,
	    header->time) >= c->drain.until);
}

int
tbuf_source_next(struct tbuf_consumer *c, struct tbuf_source *s,
    const struct tbuf_header **header)
{
	const struct tbuf_epid *epid;

	if (!s->target->file_only && !c->drain.cut)
		return (tbuf_source_peek(s, header));
	while (tbuf_source_peek(s, header) == 1) {
		if (tbuf_source_later(c, s, *header)) {
			tbuf_source_step(s, (*header)->size);
			continue;
		}
		if (!s->target->file_only)
			return (1);
		epid = tbuf_epid_find(c, s->target, (*header)->epid);
		if (epid == NULL || !epid->unwanted)
			return (1);
		tbuf_source_step(s, (*header)->size);
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

/* Returns the data of a lock lane's record, which come after its CPU. */
static const void *
lock_data(const struct tbuf_header *header, size_t *size,
    struct tbuf_record *record)
{
	const struct tbuf_lock_record *lock = (const void *)header;

	if (lock->cpu < TBUF_NCPUS * 64)
		record->cpu = (int)lock->cpu;
	*size -= sizeof(*lock) - sizeof(*header);
	return (lock + 1);
}

bool
tbuf_record_decode(struct tbuf_consumer *c, const struct tbuf_source *s,
    const struct tbuf_header *header, const struct tbuf_epid *epid,
    struct tbuf_record *record)
{
	const void *data = header + 1;
	size_t size = header->size - sizeof(*header);

	record->cpu = s->cpu;
	if (s->locked)
		data = lock_data(header, &size, record);
	if (!tbuf_layout_read(epid->layout, data, size, c->values))
		return (false);
	record->pid = s->target->pid;
	record->tid = header->tid;
	record->enabling = epid->enabling;
	record->probe = epid->probe;
	record->epid = epid->record != NULL ? header->epid : 0;
	give_values(c, epid, record);
	return (true);
}

/* Decodes a record or a fault.  Returns false if it is invalid. */
static bool
decode(struct tbuf_consumer *c, const struct tbuf_source *s,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	const struct tbuf_epid *epid;

	event->type = TBUF_EVENT_RECORD;
	if (header->epid == TBUF_EPID_FAULT && s->target->clauses != 0)
		return (tbuf_fault_decode(c, s, header, event));
	epid = tbuf_epid_find(c, s->target, header->epid);
	return (epid != NULL &&
	    tbuf_record_decode(c, s, header, epid, &event->record));
}

/*
 * Each drain calibrates the clocks again, so a time may be some ns lower than
 * it would have been in the drain before.  A really late record keeps its time.
 */
uint64_t
tbuf_source_time(const struct tbuf_consumer *c, const struct tbuf_source *s,
    const struct tbuf_header *header)
{
	uint64_t time = tbuf_timeline_mono(&s->target->time, header->time);

	if (time < c->drain.merged && c->drain.merged - time < CALIBRATION)
		time = c->drain.merged;
	/* inv.order: two ticks may fall into one nanosecond. */
	return (time <= s->time ? s->time + 1 : time);
}

bool
tbuf_record_event(struct tbuf_consumer *c, const struct tbuf_source *s,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	const struct tbuf_timeline *line = &s->target->time;
	struct tbuf_record *record = &event->record;

	if (!decode(c, s, header, event))
		return (false);
	c->drain.given = s->target;
	record->time = tbuf_timeline_mono(line, header->time);
	record->wall = tbuf_timeline_wall(line, record->time);
	event->pid = record->pid;
	event->cpu = record->cpu;
	return (true);
}

static void
record_event(struct tbuf_consumer *c, struct tbuf_source *s,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	struct tbuf_record *record = &event->record;
	uint64_t time = tbuf_source_time(c, s, header);

	s->time = time;
	c->drain.given = s->target;
	if (c->options.temporal)
		c->drain.merged = time;
	record->time = time;
	record->wall = tbuf_timeline_wall(&s->target->time, time);
	event->pid = record->pid;
	event->cpu = record->cpu;
	tbuf_source_step(s, header->size);
	if (c->drain.snapshot)
		return;
	/* A snapshot's records will be read again. */
	s->consumed++;
	c->totals.records += event->type == TBUF_EVENT_RECORD;
	tbuf_fault_tell(c, event);
}

void
tbuf_event_count(struct tbuf_event *event, enum tbuf_event_type type,
    const struct tbuf_source *s, uint64_t count)
{
	event->type = type;
	event->pid = s->target->pid;
	event->cpu = s->cpu;
	event->count = count;
}

static bool
is_mark(const struct tbuf_source *s, const struct tbuf_header *header)
{
	return (header->epid == TBUF_EPID_COMMIT && s->target->spec.count != 0);
}

/* Returns true if the record stands for a batch. */
static bool
opens(const struct tbuf_source *s, const struct tbuf_header *header)
{
	return (is_mark(s, header) || tbuf_unit_is(s, header));
}

static void
batch_open(struct tbuf_consumer *c, struct tbuf_source *s,
    const struct tbuf_header *header)
{
	if (is_mark(s, header))
		tbuf_batch_mark(c, s, header);
	else
		tbuf_unit_open(c, s, header);
}

/*
 * Each record passes here, so the functions above are inlined (flatten).  In a
 * merge the records after a batch wait for their turn: 0 then means that the
 * lane has to be looked at again.
 */
__attribute__((flatten)) int
tbuf_source_event(struct tbuf_consumer *c, struct tbuf_source *s,
    struct tbuf_event *event)
{
	const struct tbuf_header *header;
	bool turn = true;

	if (s->batch != NULL) {
		if (tbuf_batch_next(c, s, event) == 1)
			return (1);
		turn = !c->drain.merging;
	}
	while (turn && tbuf_source_next(c, s, &header) == 1) {
		if (opens(s, header)) {
			/* Damage before it is reported first. */
			if (s->damage != 0)
				break;
			batch_open(c, s, header);
			if (tbuf_batch_next(c, s, event) == 1)
				return (1);
			turn = !c->drain.merging;
			continue;
		}
		if (!decode(c, s, header, event)) {
			s->damage += header->size;
			tbuf_source_step(s, header->size);
			continue;
		}
		if (s->damage != 0)
			break;
		record_event(c, s, header, event);
		return (1);
	}
	if (s->damage == 0)
		return (0);
	tbuf_event_count(event, TBUF_EVENT_DAMAGE, s, s->damage);
	s->damage = 0;
	return (1);
}
