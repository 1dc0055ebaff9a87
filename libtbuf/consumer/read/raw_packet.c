/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Packets: the lanes of a drain, not decoded, and their losses.  Bytes of a
 * lane are returned where they were fetched; nothing is copied again, except
 * for batches (batch_packet.c).
 */
#include <sys/param.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/decode/record_layout.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

static bool
is_fault(const struct tbuf_reader *r, const struct tbuf_header *header)
{
	return (header->epid == TBUF_EPID_FAULT && r->target->clauses != 0);
}

/* Returns true for a record that is a packet by itself, or stands for one. */
static bool
is_apart(const struct tbuf_reader *r, const struct tbuf_header *header)
{
	return (header->epid >= TBUF_EPID_UNIT &&
	    (is_fault(r, header) || tbuf_batch_opens(r, header)));
}

/* Returns true if tbuf_consumer_next() would return this record. */
static bool
good(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	const struct tbuf_epid *epid;
	size_t start = tbuf_reader_head(r);

	epid = tbuf_epid_find(c, r->target, header->epid);
	return (epid != NULL && tbuf_layout_fits(epid->layout,
	    (const char *)header + start, header->size - start));
}

/*
 * Returns true if the next record follows others in a packet.  One that does
 * not is looked at again, by tbuf_reader_next().
 */
static bool
follows(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	return (header->time <= r->until &&
	    !tbuf_reader_later(c, r, header) && !is_apart(r, header) &&
	    tbuf_reader_timely(r, header) && !tbuf_reader_outlier(c, r,
	    header) && good(c, r, header));
}

/* Returns how many bytes of records a packet of a lane has at most. */
static size_t
packet_most(const struct tbuf_consumer *c)
{
	return (c->options.packetsize == 0 ? SIZE_MAX :
	    c->options.packetsize);
}

static bool
has_room(const struct tbuf_consumer *c, const struct tbuf_packet *packet,
    const struct tbuf_header *header)
{
	size_t most = packet_most(c);

	return (packet->size < most && header->size <= most - packet->size);
}

/* Adds a record to a packet. */
static void
take(struct tbuf_reader *r, const struct tbuf_header *header,
    struct tbuf_packet *packet)
{
	packet->records++;
	packet->end = header->time;
	packet->size += header->size;
	tbuf_reader_step(r, header);
}

/*
 * Returns the last of adjacent plain records in so many bytes, after which
 * there is another header, and counts them; NULL if the first one is not
 * plain.  A plain record has a known EPID, complete data, and a time that is
 * not after the next one's.
 */
static __attribute__((noinline)) const struct tbuf_header *
pass_plain(const struct tbuf_reader *r, const struct tbuf_header *header,
    uint64_t left, uint64_t *records)
{
	const struct tbuf_epid *epids = r->target->epids, *epid;
	const size_t start = tbuf_reader_head(r);
	const unsigned most = (unsigned)(TBUF_RECORD_MAX - start) / 8;
	const uint32_t nepids = MIN(r->target->necbs_max, TBUF_EPID_UNIT);
	const struct tbuf_header *next, *last = NULL;
	uint64_t n = 0, time = header->time;
	unsigned size, words;

	for (;; last = header, header = next, left -= size, n++) {
		size = header->size;
		/* The rest of the division is in the highest bits. */
		words = (uint16_t)(size >> 3 | size << 13);
		if (words - start / 8 > most || size > left ||
		    header->epid >= nepids)
			break;
		epid = &epids[header->epid];
		next = (const void *)((const char *)header + size);
		if (time > next->time || !tbuf_layout_passes(epid->gaps,
		    epid->ntexts, (size_t)epid->end - 1,
		    (const char *)header + start, size - start))
			break;
		time = next->time;
	}
	*records += n;
	return (last);
}

/*
 * Returns the last of adjacent records up to one whose time is not after the
 * latest, and sets *records to their number; NULL if there is none.
 */
static const struct tbuf_header *
before_latest(uint64_t latest, const struct tbuf_header *header,
    uint64_t *records)
{
	const struct tbuf_header *last = NULL;

	for (*records = 0; header->time <= latest; (*records)++) {
		last = header;
		header = (const void *)((const char *)header + header->size);
	}
	return (last);
}

/*
 * Fast path of take_records(): takes records as follows() does, up to one that
 * needs more than its own bytes, the next header and a known EPID.
 */
static void
take_plain(const struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	const struct tbuf_header *header, *last;
	uint64_t left, most = packet_most(c), records = 0;
	uint64_t latest = MIN(r->latest, r->until);
	size_t size;

	if (c->drain.cut || packet->size >= most ||
	    (header = (const void *)tbuf_reader_rest(r, &left)) == NULL ||
	    left < sizeof(*header) || header->time < r->stamp)
		return;
	left = MIN(left, r->end - r->position);
	left -= MIN(left, sizeof(*header));
	last = pass_plain(r, header, MIN(left, most - packet->size), &records);
	if (last != NULL && last->time > latest)
		last = before_latest(latest, header, &records);
	if (last == NULL)
		return;
	packet->records += records;
	size = (size_t)((const char *)last - (const char *)header) +
	    last->size;
	packet->size += size;
	r->position += size;
	packet->end = r->stamp = last->time;
}

/*
 * Takes adjacent records in memory, up to one that does not follow or is not
 * fetched, or up to the reader's end.
 */
static void
take_records(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_packet *packet)
{
	packet->data = header;
	packet->begin = header->time;
	do {
		take(r, header, packet);
		take_plain(c, r, packet);
	} while ((header = tbuf_reader_fetched(r)) != NULL &&
	    has_room(c, packet, header) && follows(c, r, header) &&
	    tbuf_batch_wants(c, r->target, header));
}

/*
 * Takes selected records of a file, which others are between: they are copied,
 * as a packet for each would be larger than they are.
 */
static void
take_selected(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_packed *packed,
    struct tbuf_packet *packet)
{
	packet->data = packed->bytes;
	packet->begin = header->time;
	do {
		memcpy(packed->bytes + packet->size, header, header->size);
		take(r, header, packet);
		while ((header = tbuf_reader_fetched(r)) != NULL &&
		    follows(c, r, header) &&
		    !tbuf_batch_wants(c, r->target, header))
			tbuf_reader_step(r, header);
	} while (header != NULL && header->size <= TBUF_CHUNK - packet->size &&
	    has_room(c, packet, header) && follows(c, r, header));
}

/* Returns memory for selected records, NULL if all are or there is none. */
static struct tbuf_packed *
selected_room(struct tbuf_consumer *c, const struct tbuf_reader *r)
{
	struct tbuf_packed *packed;

	if (!r->target->file_only || c->npatterns == 0 ||
	    (packed = tbuf_packed_get(c)) == NULL)
		return (NULL);
	free(packed->bytes);
	packed->bytes = malloc(TBUF_CHUNK);
	return (packed->bytes == NULL ? NULL : packed);
}

/* Takes the record of a fault.  Returns false if it is invalid. */
static bool
take_fault(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_packet *packet)
{
	struct tbuf_packed *packed = tbuf_packed_get(c);

	if (packed == NULL)
		return (false);
	tbuf_event_clear(&packed->fault);
	if (!tbuf_record_event(c, r, header, &packed->fault))
		return (false);
	packet->data = header;
	packet->size = header->size;
	packet->begin = packet->end = header->time;
	packet->fault = &packed->fault;
	tbuf_reader_step(r, header);
	if (!c->drain.snapshot) {
		r->consumed++;
		tbuf_fault_tell(c, &packed->fault);
	}
	return (true);
}

/*
 * Fetches the bytes of a packet, if fewer are left of those for several ones: a
 * packet takes no records that are fetched later.
 */
static void
fetch_packet(const struct tbuf_consumer *c, struct tbuf_reader *r)
{
	uint64_t size;

	if (c->options.packetsize != 0 && r->position < r->end)
		(void)tbuf_reader_ahead(r, MIN(c->options.packetsize,
		    TBUF_CHUNK), &size);
}

static bool
has_gap(const struct tbuf_consumer *c, const struct tbuf_reader *r)
{
	return (r->nrecorded_gaps > 0 && !c->drain.snapshot);
}

/*
 * Copies of a recording have its gaps again, as tbuf_consumer_open_packets()
 * finds them: a counted packet ends before the gap, the next one has its drops,
 * and another counted one comes before the first record after the gap.
 *
 * Sets the last stamp of the packet that begins with a record, in a gap or
 * before it.  Returns true if an empty packet comes first.
 */
static bool
gap_ends(struct tbuf_reader *r, uint64_t time)
{
	const struct tbuf_recorded_gap *gap = r->recorded_gaps;

	r->until = gap->after;
	if (r->gap_state == TBUF_GAP_AHEAD && time <= gap->after)
		return (false);
	if (r->gap_state == TBUF_GAP_AHEAD)
		r->gap_state = TBUF_GAP_BEGUN;
	r->until = gap->before == 0 ? UINT64_MAX : gap->before - 1;
	return (time > r->until);
}

/*
 * Adds the drops of the gap in which a packet is, once, and says whether all
 * drops before the packet's end are counted.
 */
static void
take_gap(struct tbuf_reader *r, struct tbuf_packet *packet)
{
	const struct tbuf_recorded_gap *gap = r->recorded_gaps;
	const struct tbuf_header *next = tbuf_reader_fetched(r);
	unsigned i;

	packet->counted |= r->gap_state == TBUF_GAP_AHEAD ?
	    packet->size != 0 && packet->end >= gap->after :
	    packet->size == 0 || (next != NULL && next->time > r->until);
	if (r->gap_state == TBUF_GAP_BEGUN) {
		packet->counted = true;
		/* Of the causes FULL and LARGE. */
		for (i = 0; i < 2; i++) {
			packet->drops[i] = MIN(gap->drops[i],
			    tbuf_reader_counter(r, i) - r->reported[i]);
			r->reported[i] += packet->drops[i];
		}
		r->gap_state = TBUF_GAP_COUNTED;
	} else if (r->gap_state == TBUF_GAP_COUNTED && packet->size == 0) {
		r->gap_state = TBUF_GAP_AHEAD;
		r->recorded_gaps++;
		r->nrecorded_gaps--;
		r->until = UINT64_MAX;
	}
}

/*
 * Takes the lane's next records, after skipping damaged bytes: up to a batch,
 * which is opened if no records come before it.  Returns false at the end.
 */
static bool
take_data(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	const struct tbuf_header *header;
	struct tbuf_packed *packed;

	while (r->batch == NULL) {
		fetch_packet(c, r);
		if (tbuf_reader_next(c, r, &header) == 0)
			return (false);
		if (has_gap(c, r) && gap_ends(r, header->time)) {
			packet->counted = true;
			return (true);
		}
		if (tbuf_batch_opens(r, header))
			tbuf_batch_open(c, r, header);
		else if (is_fault(r, header)) {
			if (take_fault(c, r, header, packet))
				return (true);
			tbuf_reader_resync(c, r, header->size);
		} else if (good(c, r, header)) {
			if ((packed = selected_room(c, r)) != NULL)
				take_selected(c, r, header, packed, packet);
			else
				take_records(c, r, header, packet);
			return (true);
		} else
			tbuf_reader_resync(c, r, header->size);
	}
	return (true);
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
 * Takes a lane's losses with the last of its records in a drain [inv.account],
 * and damage with any.  A live target may lose more: later packets report that.
 */
static void
take_losses(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	const struct tbuf_target *t = r->target;
	bool records = packet->records != 0;
	unsigned i;

	packet->damage = r->damage;
	packet->unplaced = r->unplaced;
	r->damage = 0;
	r->unplaced = false;
	if (t->state == TBUF_REPORTED || !tbuf_session_holds(t) || packet->more)
		return;
	packet->counted |= records || c->drain.snapshot ||
	    tbuf_drain_counts(&c->drain, t, TBUF_CAUSE_FULL);
	for (i = 0; i < TBUF_OVERWRITTEN; i++)
		packet->drops[i] += gain(c, r, i, records);
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
	/* The commit record of a batch has been counted. */
	if (packet->kind < TBUF_PACKET_UNIT)
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
	packet->execname = tbuf_target_execname(r->target);
	packet->cpu = r->cpu;
	packet->kind = r->locked ? TBUF_PACKET_LOCK :
	    r->is_thread_lane ? TBUF_PACKET_THREAD : TBUF_PACKET_CPU;
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

/*
 * Makes a packet of a lane's open batch, or of those without a commit record;
 * false: it has no records.
 */
static bool
batch_packet(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	memset(packet, 0, sizeof(*packet));
	describe(r, packet);
	if (!tbuf_batch_pack(c, r, packet))
		return (false);
	packet->more = true;
	add_totals(c, r, packet);
	return (true);
}

/* Makes a lane's next packet in this drain; false: there is none. */
static bool
next_packet(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_packet *packet)
{
	bool gap;	/* it is an empty one, at a gap */

	memset(packet, 0, sizeof(*packet));
	while (take_data(c, r, packet) && packet->data == NULL &&
	    !packet->counted)
		if (batch_packet(c, r, packet))
			return (true);
	packet->more = r->position < r->end;
	gap = packet->counted;
	if (has_gap(c, r) && (gap || packet->data != NULL))
		take_gap(r, packet);
	take_losses(c, r, packet);
	if (packet->data == NULL && empty(packet) && !gap)
		return (false);
	describe(r, packet);
	add_totals(c, r, packet);
	return (true);
}

/* Makes a packet of a batch without a commit record; false: there is none. */
static bool
unfinished_packet(struct tbuf_consumer *c, struct tbuf_packet *packet)
{
	struct tbuf_reader *r;

	while ((r = tbuf_drain_unfinished(c)) != NULL)
		if (batch_packet(c, r, packet))
			return (true);
	return (false);
}

/*
 * Makes a packet of the losses of a target's units, which are in the totals, or
 * of the end of its units.
 */
static bool
units_packet(struct tbuf_consumer *c, struct tbuf_packet *packet)
{
	uint64_t lost[TBUF_UNIT_WITHOUT];
	struct tbuf_target *t;
	bool end;

	if ((t = tbuf_drain_units_lost(c, lost, &end)) == NULL)
		return (false);
	memset(packet, 0, sizeof(*packet));
	describe(t->readers, packet);
	packet->counted = end;
	packet->kind = TBUF_PACKET_UNIT;
	packet->cpu = -1;
	packet->lane = UINT32_MAX;
	packet->drops[TBUF_CAUSE_FULL] = lost[TBUF_UNIT_DROPS];
	packet->overwritten = lost[TBUF_UNIT_OVERWRITTEN];
	packet->discarded = lost[TBUF_UNIT_DISCARDED];
	return (true);
}

int
tbuf_consumer_packet(struct tbuf_consumer *c, struct tbuf_packet *packet)
{
	struct tbuf_drain *d = &c->drain;
	struct tbuf_reader *r;

	if (c->options.temporal || c->replay != NULL)
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "packets cannot be used with -x temporal, nor with "
		    "clauses over files"));
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
		if (!d->snapshot && tbuf_reader_release(r))
			tbuf_units_release(r);
	}
	return (d->pending && (unfinished_packet(c, packet) ||
	    units_packet(c, packet)));
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

/* Sets the fields that are arguments of the probe. */
static void
set_arguments(const struct tbuf_epid *epid, struct tbuf_record_field *fields)
{
	const struct tbuf_d_record *record = epid->record;
	const struct tbuf_d_action *action;
	unsigned i, j;

	for (i = 0; !epid->clause && i < epid->layout->npieces; i++)
		fields[i].argument = (int16_t)i;
	for (i = 0; record != NULL && i < record->nactions; i++) {
		action = &record->actions[i];
		if (action->kind != TBUF_ACTION_RECORD)
			continue;
		for (j = 0; j < action->count && action->first + j <
		    epid->layout->npieces; j++)
			fields[action->first + j].argument = (int16_t)j;
	}
}

int
tbuf_consumer_fields(struct tbuf_consumer *c, const struct tbuf_packet *packet,
    unsigned number, struct tbuf_record_field fields[TBUF_FIELDS_MAX])
{
	const struct tbuf_reader *r = packet->source;
	const struct tbuf_layout_piece *piece;
	const struct tbuf_epid *epid = NULL;
	struct tbuf_value value;
	unsigned i;

	if (number < packet->epids)
		epid = tbuf_epid_find(c, r->target, (uint16_t)number);
	if (epid == NULL)
		return (-ENOENT);
	for (i = 0; i < epid->layout->npieces; i++) {
		piece = &epid->layout->pieces[i];
		memcpy(&value, &piece->head, sizeof(piece->head));
		fields[i] = (struct tbuf_record_field){
			.type = value.type, .align = piece->align,
			.size = piece->size, .argument = -1
		};
	}
	set_arguments(epid, fields);
	return (epid->layout->npieces);
}

_Static_assert(TBUF_FIELDS_MAX >= TBUF_PIECES_MAX, "fields");
