/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unfinished work units, once no thread can be inside any more, and the losses
 * of all units.  For a live target's file all of these are as of one moment,
 * however long it takes to return them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/read/events.h"
#include "consumer/run/run.h"

/*
 * All lanes were read.  Lets DONE tables be freed as if they were returned, as
 * there was no commit record of them; and counts the records of units that had
 * ended before, as far as fewer were returned of all units since.
 */
static void
forgo(struct tbuf_target *t)
{
	struct tbuf_unit_tables *u = &t->units;
	struct tbuf_unit_seen *seen = u->seen;
	uint64_t committed = 0;
	uint32_t i;

	for (i = 0; i < u->count; i++)
		committed += seen[i].committed;
	if (committed > u->returned && committed - u->returned > u->refused)
		u->refused = committed - u->returned;
	for (i = 0; i < u->count; i++)
		if (seen[i].noted != 0 && seen[i].returned != seen[i].noted) {
			seen[i].returned = seen[i].noted;
			seen[i].noted = 0;
		}
}

/* ------------------------------------------------------------ the end */

struct tbuf_batch *
tbuf_unit_unfinished(struct tbuf_consumer *c, struct tbuf_target *t, uint32_t i,
    const struct tbuf_unit_entry *e)
{
	struct tbuf_batch *b;
	uint64_t laps, total;
	bool ending = tbuf_unit_in(t->generation, e->word, TBUF_UNIT_ENDING);

	if (!ending && !tbuf_unit_in(t->generation, e->word, TBUF_UNIT_BOUND))
		return (NULL);
	laps = tbuf_unit_laps(e->head);
	total = tbuf_unit_records(e->head) + (laps == 0 ? 0 :
	    tbuf_unit_records(e->half[tbuf_unit_older(e->head)].head));
	b = tbuf_unit_table(c, t, i, e, ending ? (uint32_t)e->ended :
	    UINT32_MAX, !ending || (e->count & TBUF_UNIT_COUNT_LEVEL) != 0);
	if (b == NULL)
		return (NULL);
	tbuf_unit_describe(t, b, e->kind, e->id, e->began);
	b->id = i;
	b->instance = tbuf_unit_instance(e->word);
	b->info.ended = ending;
	b->info.outcome = tbuf_unit_outcome(e->ended);
	b->info.discarded = ending ? total - MIN(e->count &
	    ~TBUF_UNIT_COUNT_LEVEL, total) : 0;
	if (!ending && t->file_only)
		b->info.hung = t->changing ? tbuf_unit_hung(t, e,
		    tbuf_unit_hung_limit(c, t)) : e->hung;
	return (b);
}

static struct tbuf_batch *
unfinished_read(struct tbuf_consumer *c, struct tbuf_target *t, uint32_t i)
{
	struct tbuf_unit_entry e;

	return (tbuf_unit_entry_read(t, i, &e) ?
	    tbuf_unit_unfinished(c, t, i, &e) : NULL);
}

static struct tbuf_batch *
unfinished_next(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_unit_tables *u = &t->units;
	uint32_t i = u->next++;
	struct tbuf_batch *b;

	if (u->held != NULL) {
		b = u->held->batches[i];
		u->held->batches[i] = NULL;
	} else
		b = unfinished_read(c, t, i);
	if (b == NULL || !b->info.ended)
		return (b);
	/* The process ended after it had committed the envelope. */
	if (u->seen[i].returned == b->instance) {
		tbuf_batch_free(t, b);
		return (NULL);
	}
	u->returned += b->count;
	return (b);
}

bool
tbuf_units_unfinished(struct tbuf_consumer *c, struct tbuf_target *t, bool due,
    bool end)
{
	struct tbuf_reader *r = t->readers;

	if (!tbuf_units_any(t))
		return (false);
	if (due)
		forgo(t);
	while (r->batch == NULL && end && t->units.next < t->units.count)
		r->batch = unfinished_next(c, t);
	return (r->batch != NULL);
}

/* ------------------------------------------------------------ losses */

static void
sums_read(const struct tbuf_target *t, struct tbuf_unit_sums *sums)
{
	const struct tbuf_unit_tables *u = &t->units;
	uint64_t *counters = sums->counters;
	struct tbuf_unit_entry e;
	struct tbuf_units head;
	uint32_t i;

	memset(sums, 0, sizeof(*sums));
	if (tbuf_target_read(t, &head, offsetof(struct tbuf_units, kinds),
	    u->at)) {
		counters[TBUF_UNIT_WITHOUT] = head.without;
		sums->returned = t->file_only ? head.returned : 0;
	}
	for (i = 0; i < u->count; i++) {
		if (!tbuf_unit_entry_read(t, i, &e))
			continue;
		counters[TBUF_UNIT_DROPS] += e.full;
		counters[TBUF_UNIT_OVERWRITTEN] +=
		    e.half[tbuf_unit_older(e.head)].overwritten;
		counters[TBUF_UNIT_DISCARDED] +=
		    e.total[tbuf_unit_totals(e.word)].discarded;
		sums->committed += e.total[tbuf_unit_totals(e.word)].committed;
	}
}

/*
 * Sums the counters of all tables, with lost records: those that are known to
 * have been refused, and at the end all.
 */
static void
sums(const struct tbuf_target *t, bool end, uint64_t now[TBUF_UNIT_COUNTERS])
{
	struct tbuf_unit_sums s;
	uint64_t returned, lost = t->units.refused;

	if (t->units.held != NULL)
		s = t->units.held->sums;
	else
		sums_read(t, &s);
	memcpy(now, s.counters, sizeof(s.counters));
	returned = t->units.returned + s.returned;
	/* [inv.account] Records not returned went with their commit record. */
	if (end && s.committed > returned)
		lost = s.committed - returned;
	now[tbuf_policy(t->order.terms.policy)->overwrites ?
	    TBUF_UNIT_OVERWRITTEN : TBUF_UNIT_DROPS] += lost;
}

/* Raises a reported count to the present one, and returns the difference. */
static uint64_t
grow(uint64_t *reported, uint64_t now)
{
	return (now > *reported ? tbuf_gain(reported, now) : 0);
}

/* Adds losses of one kind to the totals. */
static void
count(struct tbuf_consumer *c, unsigned kind, uint64_t gain)
{
	if (kind == TBUF_UNIT_DROPS)
		c->totals.drops += gain;
	else if (kind == TBUF_UNIT_OVERWRITTEN)
		c->totals.overwritten += gain;
	else if (kind == TBUF_UNIT_DISCARDED)
		c->totals.discarded += gain;
}

bool
tbuf_units_lost(struct tbuf_consumer *c, struct tbuf_target *t, bool end,
    uint64_t lost[TBUF_UNIT_WITHOUT])
{
	uint64_t now[TBUF_UNIT_COUNTERS];
	bool any = false;
	unsigned i;

	if (!tbuf_units_any(t))
		return (false);
	sums(t, end, now);
	for (i = 0; i < TBUF_UNIT_WITHOUT; i++) {
		lost[i] = grow(&t->units.reported[i], now[i]);
		count(c, i, lost[i]);
		any |= lost[i] != 0;
	}
	return (any);
}

int
tbuf_units_losses(struct tbuf_consumer *c, struct tbuf_target *t, bool end,
    struct tbuf_event *event)
{
	static const enum tbuf_event_type types[TBUF_UNIT_COUNTERS] = {
		[TBUF_UNIT_DROPS] = TBUF_EVENT_UNIT_DROPS,
		[TBUF_UNIT_OVERWRITTEN] = TBUF_EVENT_UNIT_OVERWRITTEN,
		[TBUF_UNIT_DISCARDED] = TBUF_EVENT_DISCARDED,
		[TBUF_UNIT_WITHOUT] = TBUF_EVENT_UNITS
	};
	uint64_t now[TBUF_UNIT_COUNTERS];
	unsigned i;

	if (!tbuf_units_any(t))
		return (0);
	sums(t, end, now);
	for (i = 0; i < TBUF_UNIT_COUNTERS; i++) {
		event->count = grow(&t->units.reported[i], now[i]);
		if (event->count == 0)
			continue;
		count(c, i, event->count);
		event->type = types[i];
		return (1);
	}
	return (0);
}

/* ------------------------------------------------------------ one moment */

/* Counters are saved first: records counted later would seem to be lost. */
void
tbuf_units_hold(struct tbuf_target *t)
{
	struct tbuf_unit_tables *u = &t->units;

	if (!tbuf_units_any(t) || u->held != NULL)
		return;
	u->held = calloc(1, sizeof(*u->held) +
	    2 * u->count * sizeof(u->held->batches[0]));
	if (u->held == NULL)
		return;
	u->held->done = u->held->batches + u->count;
	sums_read(t, &u->held->sums);
}

static void
copy(struct tbuf_consumer *c, struct tbuf_target *t, uint32_t i,
    const struct tbuf_unit_entry *e)
{
	struct tbuf_unit_held *held = t->units.held;

	held->batches[i] = tbuf_unit_unfinished(c, t, i, e);
	if ((tbuf_unit_in(t->generation, e->word, TBUF_UNIT_DONE) ||
	    tbuf_unit_in(t->generation, e->word, TBUF_UNIT_ABANDONED)) &&
	    (held->done[i] = tbuf_unit_table(c, t, i, e, UINT32_MAX, true)) !=
	    NULL)
		held->done[i]->instance = tbuf_unit_instance(e->word);
}

/* Reads all entries at once: a unit in flight may end at any time. */
int
tbuf_units_copy(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_unit_tables *u = &t->units;
	struct tbuf_unit_entry *entries;
	uint32_t i;

	if (!tbuf_units_any(t) || (u->held != NULL && u->held->copied))
		return (0);
	/* Without `held`, tbuf_units_hold() had no memory. */
	if (u->held == NULL ||
	    (entries = calloc(u->count, sizeof(*entries))) == NULL)
		return (-ENOMEM);
	if (tbuf_target_read(t, entries, u->count * sizeof(*entries),
	    tbuf_unit_entry_at(t, 0)))
		for (i = 0; i < u->count; i++)
			copy(c, t, i, &entries[i]);
	u->held->copied = true;
	free(entries);
	return (0);
}

/*
 * Removes records from the moment on, and units that had none before and are
 * not hung.
 */
static struct tbuf_batch *
cut(const struct tbuf_consumer *c, struct tbuf_target *t, struct tbuf_batch *b)
{
	while (b->count > 0 && tbuf_reader_later(c, t->units.reader,
	    b->items[b->count - 1].header))
		b->count--;
	b->info.records = b->count;
	if (b->count > 0 || b->info.hung != 0)
		return (b);
	tbuf_batch_free(t, b);
	return (NULL);
}

/*
 * Reads each copied unit again, for records that were not committed when it was
 * copied, and removes records from the moment on.
 */
void
tbuf_units_cut(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_unit_tables *u = &t->units;
	struct tbuf_batch *b, **held;
	uint32_t i;

	for (i = 0; u->held != NULL && i < u->count; i++) {
		held = &u->held->batches[i];
		if (*held == NULL)
			continue;
		b = unfinished_read(c, t, i);
		if (b != NULL && b->instance == (*held)->instance &&
		    !b->info.ended) {
			tbuf_batch_free(t, *held);
			*held = b;
		} else if (b != NULL)
			tbuf_batch_free(t, b);
		*held = cut(c, t, *held);
	}
}
