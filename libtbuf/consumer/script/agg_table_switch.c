/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Switches targets between the two aggregation tables of each lane
 * (layout/aggregation.h), so that keys that come and go find room as long as
 * the run lasts.
 *
 *	turn --> run on each CPU --> lock lanes, one by one --> read, zero
 *
 * A previous table that a thread may still be writing to is left as it is.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/run/run.h"
#include "consumer/script/agg.h"
#include "consumer/script/script.h"
#include "consumer/target/target.h"
#include "shared/memory_limit.h"

/* Least time between switches: targets have to insert all keys again. */
#define PAUSE		(TBUF_SECOND / 20)

/*
 * Least time between looks at the tables of a target: a look reads each lane's
 * file, and each short process wakes the consumer several times.
 */
#define LOOKS		(TBUF_SECOND / 1000)

/* Yields to wait for holders of locks; a running one needs microseconds. */
#define YIELDS		100

/* ------------------------------------------------------------ conditions */

/* Returns true if tables can switch.  A live target's lock lanes are known. */
static bool
can_turn(const struct tbuf_target *t)
{
	return (tbuf_target_aggregates(t) && t->live &&
	    t->state == TBUF_ALIVE && t->session == TBUF_SESSION_ACTIVE &&
	    !t->truncated && !t->turns.stopped && (tbuf_load(&tbuf_view_control(
	    &t->view)->flags) & TBUF_F_TURNS) != 0);
}

/*
 * Returns true if the table in use is a first one that is smaller than the
 * second one: the target began with it (shared/lane_usage.h).
 */
static bool
is_small(const struct tbuf_reader *r)
{
	return ((r->target->turns.count & 1) == 0 &&
	    r->tables[0].storage < r->tables[1].storage);
}

/*
 * Returns how much of a table may be in use before tables switch: half of it,
 * or an eighth of a small one, and nothing if the target has lived for long.
 */
static uint64_t
bound(const struct tbuf_reader *r, const struct tbuf_copied_table *copy)
{
	uint64_t room = copy->storage - tbuf_table_heap(copy->storage);

	if (!is_small(r))
		return (room / 2);
	return (r->target->growth == 0 ? 0 : room / 8);
}

/* Returns true if more of a table is in use than it may be. */
static bool
is_crowded(const struct tbuf_target *t)
{
	const struct tbuf_copied_table *copy;
	uint64_t top;
	unsigned i;

	for (i = 0; i < t->nreaders; i++) {
		copy = &t->readers[i].tables[t->turns.count & 1];
		if (!t->readers[i].retired && copy->table != 0 &&
		    tbuf_file_read(t->fd, &top, sizeof(top), copy->table) &&
		    (top & UINT32_MAX) + (top >> 32) >
		    bound(&t->readers[i], copy))
			return (true);
	}
	return (false);
}

static bool
is_due(const struct tbuf_target *t, uint64_t now)
{
	return (can_turn(t) && now - t->turns.time >= PAUSE && is_crowded(t));
}

/* ------------------------------------------------------------ switching */

/*
 * Backs the second tables, which are adjacent at the area's end.  Their places
 * are checked, as the target may have built the session.
 */
static bool
back_second(struct tbuf_consumer *c, struct tbuf_target *t)
{
	uint64_t begin = t->area_end, end = t->area;
	const struct tbuf_copied_table *copy;
	unsigned i;

	for (i = 0; i < t->nreaders; i++) {
		copy = t->readers[i].tables;
		if (copy[0].table == 0)
			continue;
		if (copy[1].storage < copy[0].storage ||
		    copy[1].table < t->area || copy[1].table > t->area_end ||
		    copy[1].storage > t->area_end - copy[1].table)
			return (false);
		begin = MIN(begin, copy[1].table);
		end = MAX(end, copy[1].table + copy[1].storage);
	}
	if (begin >= end || !tbuf_budget_take(c, end - begin))
		return (false);
	t->charged += end - begin;
	return (tbuf_room_back(t->fd, begin, end - begin) == 0);
}

static void
turn(struct tbuf_consumer *c, struct tbuf_target *t, struct tbuf_cpus *cpus)
{
	unsigned i;

	if (!t->turns.backed && !back_second(c, t)) {
		t->turns.stopped = true;
		return;
	}
	t->turns.backed = t->turns.under_way = true;
	t->turns.count++;
	t->turns.time = tbuf_now();
	/*
	 * Release: the table has been zeroed.  A section may load from the
	 * table before it loads the turn, but not from before the zeroing.
	 */
	tbuf_store_release(&tbuf_target_slot(t)->turn,
	    tbuf_turn(t->generation, t->turns.count));
	for (i = 0; i < t->nreaders; i++)
		if (!t->readers[i].locked && !t->readers[i].is_thread_lane)
			tbuf_cpus_add(cpus, (unsigned)t->readers[i].cpu);
}

/* ------------------------------------------------------------ old tables */

/*
 * Returns true if no thread writes to the previous table of a lane any more.  A
 * free lock is swapped with itself: its next holder acquires that store, and so
 * sees the turn.
 */
static bool
is_unused(const struct tbuf_reader *r, bool everywhere, unsigned *yields)
{
	struct tbuf_target *t = r->target;
	uint32_t number = r->index - t->first_lock;
	uint64_t *lock;

	if (!r->locked)
		return (everywhere);
	if (r->index < t->first_lock || number >= TBUF_NLOCKS)
		return (false);
	lock = &tbuf_target_slot(t)->locks[number].word;
	while (!tbuf_cas(lock, 2 * t->generation, 2 * t->generation)) {
		if (*yields == 0)
			return (false);
		--*yields;
		sched_yield();
	}
	return (true);
}

static bool
zero(int fd, uint64_t from, uint64_t to)
{
	static const char zeroes[65536];
	ssize_t n;

	for (; from < to; from += (uint64_t)n) {
		n = pwrite(fd, zeroes, to - from < sizeof(zeroes) ?
		    (size_t)(to - from) : sizeof(zeroes), (off_t)from);
		if (n <= 0)
			return (false);
	}
	return (true);
}

/*
 * Zeroes all that may have been stored to, with one abandoned insertion after
 * the entries.  With pwrite(2) targets keep the pages that they have mapped; a
 * hole would be faulted in again inside a section.
 */
static bool
empty(int fd, const struct tbuf_copied_table *copy)
{
	uint64_t at = copy->table, end = at + copy->storage;
	uint64_t values = end - copy->values_size;
	uint64_t entries = at + tbuf_table_heap(copy->storage) +
	    copy->entries_size + TBUF_TABLE_ENTRY;

	return (zero(fd, at, entries < values ? entries : values) &&
	    zero(fd, values, end));
}

/*
 * Gives a first table, which is empty and not in use, the size of the second
 * one, before targets use it again.
 */
static bool
widen(struct tbuf_reader *r)
{
	struct tbuf_copied_table *first = &r->tables[0];
	uint64_t at = first->table + first->storage;
	uint64_t size = r->tables[1].storage;

	if (first->storage >= size)
		return (true);
	if (first->table < r->target->area || r->tables[1].table < first->table
	    || size > r->tables[1].table - first->table ||
	    tbuf_room_back(r->target->fd, at, size - first->storage) != 0)
		return (false);
	first->storage = size;
	/* The store of the turn releases it. */
	tbuf_store(&r->lane->table[0], tbuf_place(first->table, size));
	return (true);
}

/*
 * Reads and empties a previous table.  One with an invalid top is left as it
 * is.
 */
static int
leave(struct tbuf_aggregates *all, struct tbuf_reader *r, unsigned which)
{
	int error = tbuf_reader_merge(all, r, which);
	struct tbuf_copied_table *copy = &r->tables[which];

	if (error != 0)
		return (error);
	if (empty(r->target->fd, copy))
		tbuf_copied_table_free(copy);
	else
		r->target->turns.stopped = true;
	if (copy->entries_size == 0 && which == 0 && !widen(r))
		r->target->turns.stopped = true;
	return (0);
}

static int
leave_all(struct tbuf_aggregates *all, struct tbuf_target *t, bool everywhere)
{
	unsigned yields = YIELDS, i;
	struct tbuf_reader *r;

	t->turns.under_way = false;
	/* If not each CPU can be run on, further switches are useless, too. */
	t->turns.stopped = !everywhere;
	for (i = 0; i < t->nreaders; i++) {
		r = &t->readers[i];
		if (!r->is_thread_lane && is_unused(r, everywhere, &yields) &&
		    leave(all, r, ~t->turns.count & 1) == -ENOMEM)
			return (-ENOMEM);
	}
	return (0);
}

int
tbuf_tables_turn(struct tbuf_consumer *c, bool all)
{
	struct tbuf_cpus cpus = { { 0 } };
	uint64_t now = tbuf_now();
	struct tbuf_target *t;
	bool any = false, everywhere;
	int error = 0;

	TAILQ_FOREACH(t, &c->targets, link)
		if (all ? can_turn(t) : is_due(t, now)) {
			turn(c, t, &cpus);
			any |= t->turns.under_way;
		}
	if (!any)
		return (0);
	everywhere = tbuf_cpus_visit(&cpus);
	TAILQ_FOREACH(t, &c->targets, link)
		if (t->turns.under_way && error == 0)
			error = leave_all(&c->script->aggregates, t,
			    everywhere);
	return (error);
}

int
tbuf_tables_look(struct tbuf_consumer *c)
{
	uint64_t now = tbuf_now();
	struct tbuf_target *t;

	if (c->script == NULL || c->script->aggregates.count == 0)
		return (0);
	TAILQ_FOREACH(t, &c->targets, link) {
		if (now - t->turns.looked < LOOKS)
			continue;
		t->turns.looked = now;
		if (is_due(t, now))
			return (tbuf_tables_read(c));
	}
	return (0);
}
