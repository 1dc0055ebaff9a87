/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads everything that a consumer returns.
 */
#include "drain.h"
#include "fuzz.h"
#include "layout/layout.h"

/* The bytes read are stored here, so that the reads are not removed. */
static volatile unsigned sink;

static void
look_probe(const struct tbuf_probe_info *probe)
{
	unsigned i;

	FUZZ_CHECK(probe->nargs <= TBUF_ARGS_MAX && probe->id != 0);
	sink += (unsigned)(strlen(probe->provider) + strlen(probe->module) +
	    strlen(probe->function) + strlen(probe->name));
	for (i = 0; i < probe->nargs; i++) {
		FUZZ_CHECK(probe->types[i] != TBUF_NONE &&
		    probe->types[i] <= TBUF_STRING_INTERNED);
		sink += (unsigned)strlen(probe->argnames[i]);
	}
}

static void
look_value(const struct tbuf_value *value)
{
	uint32_t i;

	switch (value->type) {
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		FUZZ_CHECK(!value->null || value->size == 0);
		for (i = 0; i < value->size; i++)
			sink += (unsigned char)value->data[i];
		break;
	default:
		sink += (unsigned)value->u;
	}
}

void
drain(struct tbuf_consumer *c)
{
	const struct tbuf_record *record;
	struct tbuf_event event;
	unsigned i;

	while (tbuf_consumer_next(c, &event) == 1) {
		if (event.type == TBUF_EVENT_FAULT) {
			look_probe(event.record.probe);
			continue;
		}
		if (event.type != TBUF_EVENT_RECORD) {
			FUZZ_CHECK(event.type == TBUF_EVENT_EXIT ||
			    event.type == TBUF_EVENT_GAP || event.count != 0);
			continue;
		}
		record = &event.record;
		look_probe(record->probe);
		FUZZ_CHECK(record->nargs == (record->pieces == NULL ?
		    record->probe->nargs : 0));
		for (i = 0; i < record->nargs; i++)
			look_value(&record->args[i]);
		for (i = 0; i < record->npieces; i++)
			look_value(&record->pieces[i]);
	}
}

/* Checks that a packet has whole records only, as tbuf(5) describes. */
static void
look_packet(struct tbuf_consumer *c, const struct tbuf_packet *packet)
{
	const struct tbuf_probe_info *probe;
	const unsigned char *at = packet->data;
	const unsigned char *end = packet->size == 0 ? at : at + packet->size;
	struct tbuf_record_field fields[TBUF_FIELDS_MAX];
	struct tbuf_header header;
	uint64_t records = 0;
	unsigned enabling;

	for (; at < end; at += header.size, records++) {
		memcpy(&header, at, sizeof(header));
		FUZZ_CHECK(header.size >= sizeof(header) &&
		    header.size % 8 == 0 && header.size <= end - at);
		sink += at[header.size - 1];
		FUZZ_CHECK(header.epid < packet->epids ||
		    tbuf_consumer_epid(c, packet, header.epid, &enabling) ==
		    NULL);
		probe = tbuf_consumer_epid(c, packet, header.epid, &enabling);
		if (probe == NULL)
			continue;
		look_probe(probe);
		FUZZ_CHECK(tbuf_consumer_fields(c, packet, header.epid,
		    fields) >= 0);
	}
	FUZZ_CHECK(records == packet->records + (packet->fault != NULL));
	FUZZ_CHECK(packet->fault == NULL ||
	    packet->fault->type == TBUF_EVENT_FAULT);
}

void
drain_packets(struct tbuf_consumer *c)
{
	struct tbuf_packet packet;

	while (tbuf_consumer_packet(c, &packet) == 1)
		look_packet(c, &packet);
	drain(c);
}

static int
visit(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	(void)arg;
	(void)pid;
	look_probe(probe);
	return (0);
}

void
drain_list(struct tbuf_consumer *c)
{
	tbuf_consumer_list(c, visit, NULL);
}
