/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Packets of batches.  The records of a batch may come from lanes of several
 * kinds; a packet has all of them as in a lock lane, in order of time.
 */
#include <stdlib.h>
#include <string.h>

#include "consumer/decode/record_layout.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

/* Bytes of a lock lane's record before its data, beyond the header. */
#define CPU_WORD	(sizeof(struct tbuf_lock_record) -		\
	sizeof(struct tbuf_header))

struct tbuf_packed *
tbuf_packed_get(struct tbuf_consumer *c)
{
	if (c->drain.packed == NULL)
		c->drain.packed = calloc(1, sizeof(*c->drain.packed));
	return (c->drain.packed);
}

void
tbuf_packed_free(struct tbuf_packed *packed)
{
	if (packed == NULL)
		return;
	free(packed->items);
	free(packed->bytes);
	free(packed);
}

/* Returns true if tbuf_consumer_next() would return this record. */
static bool
good(struct tbuf_consumer *c, const struct tbuf_batch_item *item)
{
	const struct tbuf_header *header = item->header;
	const struct tbuf_epid *epid;
	size_t start = tbuf_reader_head(item->reader);

	if (header->epid >= TBUF_EPID_COMMIT || !tbuf_reader_plausible(
	    item->reader, header->size, header->size) ||
	    (epid = tbuf_epid_find(c, item->reader->target, header->epid)) ==
	    NULL)
		return (false);
	return (tbuf_layout_fits(epid->layout, (const char *)header + start,
	    header->size - start));
}

static int
compare(const void *a, const void *b)
{
	const struct tbuf_batch_item *x = a, *y = b;

	if (x->header->time != y->header->time)
		return (x->header->time < y->header->time ? -1 : 1);
	return (x->header < y->header ? -1 : x->header > y->header);
}

/*
 * Selects the valid records of a batch that have not been returned, and sorts
 * them.  Returns their number.
 */
static unsigned
select_items(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_batch_item *items)
{
	struct tbuf_batch *b = r->batch;
	bool sorted = true;
	unsigned n = 0;

	for (; b->next < b->count; b->next++) {
		items[n] = b->items[b->next];
		if (!tbuf_batch_wants(c, r->target, items[n].header))
			continue;
		if (!good(c, &items[n])) {
			tbuf_reader_unplaced(r, items[n].header->size);
			continue;
		}
		sorted &= n == 0 ||
		    items[n].header->time >= items[n - 1].header->time;
		n++;
	}
	if (!sorted)
		qsort(items, n, sizeof(*items), compare);
	return (n);
}

/* Copies a record in the form of a lock lane's.  Returns the end. */
static unsigned char *
copy(unsigned char *to, const struct tbuf_batch_item *item)
{
	size_t head = tbuf_reader_head(item->reader), rest;
	struct tbuf_lock_record record = { .cpu = UINT32_MAX };

	memcpy(&record, item->header, head);
	rest = item->header->size - head;
	if (head == sizeof(record.header)) {
		record.cpu = (uint32_t)item->reader->cpu;
		record.header.size = (uint16_t)(rest + sizeof(record));
	}
	memcpy(to, &record, sizeof(record));
	memcpy(to + sizeof(record), (const char *)item->header + head, rest);
	return (to + sizeof(record) + rest);
}

/* Sets the packet's bytes and its first and last stamp. */
static void
fill(struct tbuf_packed *packed, unsigned n, struct tbuf_packet *packet)
{
	unsigned char *to = packed->bytes;
	unsigned i;

	for (i = 0; i < n; i++)
		to = copy(to, &packed->items[i]);
	packet->data = packed->bytes;
	packet->size = (size_t)(to - packed->bytes);
	packet->records = n;
	if (n == 0)
		return;
	packet->begin = packed->items[0].header->time;
	packet->end = packed->items[n - 1].header->time;
}

static bool
room(struct tbuf_packed *packed, const struct tbuf_batch *b)
{
	free(packed->items);
	free(packed->bytes);
	packed->items = calloc(b->count + 1, sizeof(*packed->items));
	packed->bytes = malloc(b->size + b->count * CPU_WORD + 1);
	return (packed->items != NULL && packed->bytes != NULL);
}

bool
tbuf_batch_pack(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	struct tbuf_packed *packed = tbuf_packed_get(c);
	struct tbuf_batch *b = r->batch;
	unsigned n;

	tbuf_reader_unplaced(r, b->damage);
	b->damage = 0;
	if (packed == NULL || !room(packed, b)) {
		tbuf_reader_unplaced(r, b->size);
		tbuf_batch_done(c, r);
		return (false);
	}
	n = select_items(c, r, packed->items);
	fill(packed, n, packet);
	packet->kind = b->unit ? TBUF_PACKET_UNIT : TBUF_PACKET_BATCH;
	packet->lane = b->id;
	packed->unit = b->info;
	packet->unit = b->unit ? &packed->unit : NULL;
	tbuf_batch_done(c, r);
	return (n != 0);
}
