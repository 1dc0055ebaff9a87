/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Packets: the lanes of a drain, not decoded, and their losses.  Bytes are
 * returned where they were fetched; nothing is copied again.
 */
#include <errno.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/decode/record_layout.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

/* Returns true if tbuf_consumer_next() would return this record. */
static bool
good(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	const struct tbuf_epid *epid;
	size_t start = tbuf_reader_head(r);

	epid = tbuf_epid_find(c, r->target, header->epid);
	return (epid != NULL && tbuf_reader_timely(r, header) &&
	    !tbuf_reader_outlier(c, r, header) &&
	    tbuf_layout_fits(epid->layout,
	    (const char *)header + start, header->size - start));
}

/*
 * Takes adjacent records in memory, up to one that is invalid or not fetched,
 * or up to the reader's end.
 */
static void
take_records(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_packet *packet)
{
	packet->data = header;
	packet->begin = header->time;
	do {
		packet->records++;
		packet->end = header->time;
		packet->size += header->size;
		tbuf_reader_step(r, header);
	} while ((header = tbuf_reader_fetched(r)) != NULL &&
	    !tbuf_reader_later(c, r, header) && good(c, r, header));
}

/* Takes the lane's next records, after skipping damaged bytes. */
static void
take_data(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	const struct tbuf_header *header;
	int found;

	while ((found = tbuf_reader_peek(r, &header)) != 0) {
		if (found == -1)
			tbuf_reader_resync(c, r, 0);
		else if (tbuf_reader_later(c, r, header))
			tbuf_reader_step(r, header);
		else if (!good(c, r, header))
			tbuf_reader_resync(c, r, header->size);
		else {
			take_records(c, r, header, packet);
			break;
		}
	}
	packet->damage = r->damage;
	r->damage = 0;
	packet->more = r->position < r->end;
}

/* Returns a counter's increase since its last report, if it is due. */
static uint64_t
gain(const struct tbuf_consumer *c, struct tbuf_reader *r, unsigned counter,
    bool records)
{
	uint64_t now, reported = r->reported[counter];

	if (!c->drain.snapshot && !tbuf_drain_counts(&c->drain, r->target,
	    counter) && (!records || counter == TBUF_OVERWRITTEN))
		return (0);
	now = tbuf_reader_counter(r, counter);
	if (!c->drain.snapshot)
		r->reported[counter] = now;
	return (now > reported ? now - reported : 0);
}

/*
 * Takes a lane's losses with the last of its records in a drain [inv.account].
 * A live target may lose more: later packets report that.
 */
static void
take_losses(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	const struct tbuf_target *t = r->target;
	bool records = packet->records != 0;
	unsigned i;

	if (t->state == TBUF_REPORTED || !tbuf_session_holds(t) || packet->more)
		return;
	for (i = 0; i < TBUF_OVERWRITTEN; i++)
		packet->drops[i] = gain(c, r, i, records);
	if (tbuf_policy(t->order.terms.policy)->overwrites)
		packet->overwritten = gain(c, r, TBUF_OVERWRITTEN, records);
}

/* Adds a packet to the totals; a snapshot's records will be read again. */
static void
add_totals(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_packet *packet)
{
	unsigned i;

	if (c->drain.snapshot)
		return;
	r->consumed += packet->records;
	c->totals.records += packet->records;
	c->totals.overwritten += packet->overwritten;
	for (i = 0; i < TBUF_OVERWRITTEN; i++)
		c->totals.drops += packet->drops[i];
}

static void
calibration(const struct tbuf_moment *moment, struct tbuf_calibration *to)
{
	to->stamp = moment->ticks;
	to->mono = moment->mono;
	to->wall = moment->real;
}

/* Sets the fields that are the same for all packets of a lane. */
static void
describe(const struct tbuf_reader *r, struct tbuf_packet *packet)
{
	const struct tbuf_target *t = r->target;
	uint32_t necbs = tbuf_load_acquire(&tbuf_target_slot(t)->necbs);

	packet->pid = t->pid;
	packet->cpu = r->cpu;
	packet->kind = r->locked ? TBUF_PACKET_LOCK : TBUF_PACKET_CPU;
	packet->lane = r->index;
	packet->target = tbuf_view_control(&t->view)->random;
	packet->generation = t->generation;
	packet->epids = necbs < t->necbs_max ? necbs : t->necbs_max;
	packet->nanoseconds = t->time.clock != TBUF_CLOCK_COUNTER;
	calibration(&t->time.base, &packet->calibration[0]);
	calibration(&t->time.latest, &packet->calibration[1]);
	packet->source = r;
}

static bool
empty(const struct tbuf_packet *packet)
{
	return ((packet->records | packet->damage | packet->overwritten |
	    packet->drops[TBUF_CAUSE_FULL] | packet->drops[TBUF_CAUSE_LARGE] |
	    packet->drops[TBUF_CAUSE_NOLANE]) == 0);
}

/* Makes a lane's next packet in this drain; false: there is none. */
static bool
next_packet(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	memset(packet, 0, sizeof(*packet));
	take_data(c, r, packet);
	take_losses(c, r, packet);
	if (empty(packet))
		return (false);
	add_totals(c, r, packet);
	describe(r, packet);
	return (true);
}

int
tbuf_consumer_packet(struct tbuf_consumer *c, struct tbuf_packet *packet)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_reader *r;

	if (c->options.temporal)
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "packets cannot be used with -x temporal"));
	d->fast.reader = NULL;
	for (; d->pending && d->packets < d->count; d->packets++) {
		r = d->order[d->packets];
		/* Losses are taken once, as more may come at any time. */
		if (!d->packets_done && next_packet(c, r, packet)) {
			d->packets_done = !packet->more;
			return (1);
		}
		d->packets_done = false;
		/* The caller is done with the lane's bytes. */
		if (!d->snapshot)
			(void)tbuf_reader_release(r);
	}
	return (0);
}

const struct tbuf_probe_info *
tbuf_consumer_epid(struct tbuf_consumer *c, const struct tbuf_packet *packet,
    unsigned number, unsigned *enabling)
{
	const struct tbuf_reader *r = packet->source;
	const struct tbuf_epid *epid;

	if (number >= packet->epids)
		return (NULL);
	epid = tbuf_epid_find(c, r->target, (uint16_t)number);
	if (epid == NULL)
		return (NULL);
	*enabling = epid->enabling;
	return (epid->probe);
}
