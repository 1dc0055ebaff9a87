/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/param.h>

#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "interned.h"

#define CUT	0x8000u		/* of a text's length */

/*
 * A record before its data; in streams of other classes than CTF_LANE, 8 bytes
 * with the CPU are between them.
 */
struct head {
	uint64_t time;
	uint16_t epid;
	uint16_t size;
	uint32_t tid;
};

struct interned_fields {
	int count;
	struct tbuf_record_field all[];
};

void
interned_fields(struct interned *in, unsigned epid,
    const struct tbuf_record_field *fields, int count)
{
	size_t size = (size_t)count * sizeof(*fields);
	struct interned_fields *copy;
	int i;

	for (i = 0; i < count; i++)
		if (fields[i].type == TBUF_STRING_INTERNED)
			break;
	if (i == count)
		return;
	if (epid >= in->nfields) {
		in->fields = memory_get(in->fields, epid + 1,
		    sizeof(*in->fields));
		while (in->nfields <= epid)
			in->fields[in->nfields++] = NULL;
	}
	copy = memory_get(NULL, 1, sizeof(*copy) + size);
	copy->count = count;
	memcpy(copy->all, fields, size);
	free(in->fields[epid]);
	in->fields[epid] = copy;
	in->any = true;
}

/* Returns the place of a number among the texts. */
static unsigned
place(const struct interned *in, uint32_t number)
{
	unsigned low = 0, high = in->ntexts, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (in->texts[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return (low);
}

/* Adds a number's text, up to as many as a process may intern. */
static bool
add_number(struct interned *in, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet, uint32_t number)
{
	unsigned at = place(in, number);
	const char *text;

	if ((at < in->ntexts && in->texts[at].number == number) ||
	    in->ntexts == TBUF_INTERN_MAX ||
	    (text = tbuf_consumer_interned(consumer, packet, number)) == NULL)
		return (false);
	in->texts = memory_get(in->texts, in->ntexts + 1, sizeof(*in->texts));
	memmove(&in->texts[at + 1], &in->texts[at],
	    (in->ntexts++ - at) * sizeof(*in->texts));
	in->texts[at].number = number;
	in->texts[at].text = memory_string(text);
	return (true);
}

/* Adds the texts of a record's data, which are `size' bytes. */
static bool
add_record(struct interned *in, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet, const struct interned_fields *fields,
    const char *data, size_t size)
{
	const struct tbuf_record_field *f = fields->all;
	const struct tbuf_record_field *end = f + fields->count;
	bool any = false;
	uint32_t number;
	uint16_t length;
	size_t at = 0;

	for (; f < end; f++) {
		at = roundup(at, f->align);
		if (at > size || size - at < MAX(f->size, sizeof(length)))
			break;
		if (f->type == TBUF_STRING_INTERNED) {
			memcpy(&number, data + at, sizeof(number));
			any |= add_number(in, consumer, packet, number);
		}
		memcpy(&length, data + at, sizeof(length));
		at += f->size != 0 ? f->size :
		    sizeof(length) + (length & ~CUT);
	}
	return (any);
}

bool
interned_add(struct interned *in, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	const char *data = packet->data;
	size_t at, before = sizeof(struct head);
	struct head head;
	bool any = false;

	if (!in->any || packet->fault != NULL)
		return (false);
	if (packet->kind != TBUF_PACKET_CPU &&
	    packet->kind != TBUF_PACKET_THREAD)
		before += 8;
	for (at = 0; packet->size - at >= before; at += head.size) {
		memcpy(&head, data + at, sizeof(head));
		if (head.size < before || head.size > packet->size - at)
			break;
		if (head.epid < in->nfields && in->fields[head.epid] != NULL)
			any |= add_record(in, consumer, packet,
			    in->fields[head.epid], data + at + before,
			    head.size - before);
	}
	return (any);
}

void
interned_free(struct interned *in)
{
	unsigned i;

	for (i = 0; i < in->nfields; i++)
		free(in->fields[i]);
	for (i = 0; i < in->ntexts; i++)
		free(in->texts[i].text);
	free(in->fields);
	free(in->texts);
}
