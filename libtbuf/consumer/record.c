/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One record's arguments, by its probe's types (the format is at the end of
 * layout.h).
 */
#include <string.h>

#include "atomics.h"
#include "consumer/internal.h"

/*
 * EPIDs are looked up once.  Whoever makes an ECB fills it before it is
 * linked, and it is linked before it fires, so a record's EPID is whole.
 */
const struct tbuf_epid *
tbuf_epid_find(struct tbuf_consumer *c, struct tbuf_target *t, uint16_t number)
{
	const struct tbuf_probe_info *info;
	const struct tbuf_ecb *ecb;
	struct tbuf_epid *epid;
	uint32_t enabling;

	if (number == 0 || number >= t->necbs_max ||
	    number >= tbuf_load_acquire(&tbuf_target_slot(t)->necbs))
		return (NULL);
	epid = &t->epids[number];
	if (epid->probe != NULL)
		return (epid);
	ecb = (const struct tbuf_ecb *)(const void *)(t->view.base + t->area +
	    t->plan.ecbs) + number;
	enabling = tbuf_load(&ecb->enabling);
	if (enabling >= t->order.npatterns ||
	    tbuf_probes_read(&c->probes, &t->view, tbuf_load(&ecb->probe),
	    &info) != 1)
		return (NULL);
	epid->enabling = enabling;
	epid->probe = info;
	return (epid);
}

/* Where in a record the decoder is. */
struct cursor {
	const unsigned char *base;	/* of the record */
	size_t at;
	size_t size;
};

/* The next value of a size of its own alignment, or NULL. */
static const void *
take(struct cursor *p, size_t size)
{
	size_t at = (p->at + size - 1) & ~(size - 1);

	if (at + size > p->size)
		return (NULL);
	p->at = at + size;
	return (p->base + at);
}

static bool
take_text(struct cursor *p, struct tbuf_value *value)
{
	const void *bytes = take(p, sizeof(uint16_t));
	uint16_t word;

	if (bytes == NULL)
		return (false);
	memcpy(&word, bytes, sizeof(word));
	value->size = word & ~TBUF_TEXT_CUT;
	value->null = word == TBUF_TEXT_NULL;
	value->cut = !value->null && (word & TBUF_TEXT_CUT) != 0;
	value->data = (const char *)p->base + p->at;
	if (value->size > p->size - p->at)
		return (false);
	p->at += value->size;
	return (true);
}

#define TAKE(ctype, field) do {						\
	ctype taken;							\
	if ((bytes = take(p, sizeof(taken))) == NULL)			\
		return (false);						\
	memcpy(&taken, bytes, sizeof(taken));				\
	value->field = taken;						\
} while (0)

/* Cases as long as the table of types. */
static bool
take_value(struct cursor *p, struct tbuf_value *value)
{
	const void *bytes;

	switch (value->type) {
	case TBUF_INT8:
		TAKE(int8_t, i);
		break;
	case TBUF_INT16:
		TAKE(int16_t, i);
		break;
	case TBUF_INT32:
		TAKE(int32_t, i);
		break;
	case TBUF_INT64:
		TAKE(int64_t, i);
		break;
	case TBUF_UINT8:
	case TBUF_BOOL:
		TAKE(uint8_t, u);
		break;
	case TBUF_UINT16:
		TAKE(uint16_t, u);
		break;
	case TBUF_UINT32:
		TAKE(uint32_t, u);
		break;
	case TBUF_UINT64:
	case TBUF_POINTER:
		TAKE(uint64_t, u);
		break;
	case TBUF_CHAR:
		TAKE(char, i);
		break;
	case TBUF_FLOAT:
		TAKE(float, d);
		break;
	case TBUF_DOUBLE:
		TAKE(double, d);
		break;
	default:
		return (take_text(p, value));
	}
	return (true);
}

bool
tbuf_record_decode(struct tbuf_consumer *c, const struct tbuf_source *s,
    const struct tbuf_header *header, const struct tbuf_epid *epid,
    struct tbuf_record *record)
{
	const struct tbuf_probe_info *probe = epid->probe;
	struct cursor p = {
		(const unsigned char *)header, sizeof(*header), header->size
	};
	uint32_t cpu;
	unsigned i;

	record->cpu = s->cpu;
	if (s->locked) {
		cpu = ((const struct tbuf_lock_record *)
		    (const void *)header)->cpu;
		if (cpu < TBUF_NCPUS * 64)
			record->cpu = (int)cpu;
		p.at = sizeof(struct tbuf_lock_record);
	}
	for (i = 0; i < probe->nargs; i++) {
		c->values[i].type = probe->types[i];
		c->values[i].null = c->values[i].cut = false;
		c->values[i].size = 0;
		if (!take_value(&p, &c->values[i]))
			return (false);
	}
	record->pid = s->target->pid;
	record->tid = header->tid;
	record->enabling = epid->enabling;
	record->probe = probe;
	record->nargs = probe->nargs;
	record->args = c->values;
	return (true);
}

/* The record at s->position; false if it makes no sense. */
static bool
decode(struct tbuf_consumer *c, struct tbuf_source *s,
    const struct tbuf_header *header, struct tbuf_record *record)
{
	const struct tbuf_epid *epid;

	epid = tbuf_epid_find(c, s->target, header->epid);
	return (epid != NULL &&
	    tbuf_record_decode(c, s, header, epid, record));
}

static void
record_event(struct tbuf_consumer *c, struct tbuf_source *s,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	struct tbuf_record *record = &event->record;
	uint64_t time = tbuf_timeline_mono(&s->target->time, header->time);

	if (time <= s->time)
		time = s->time + 1;
	s->time = time;
	record->time = time;
	record->wall = tbuf_timeline_wall(&s->target->time, time);
	event->type = TBUF_EVENT_RECORD;
	event->pid = record->pid;
	event->cpu = record->cpu;
	tbuf_source_step(s, header->size);
	s->consumed++;
	c->totals.records++;
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

int
tbuf_source_event(struct tbuf_consumer *c, struct tbuf_source *s,
    struct tbuf_event *event)
{
	const struct tbuf_header *header;

	while (tbuf_source_peek(s, &header) == 1) {
		if (!decode(c, s, header, &event->record)) {
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
