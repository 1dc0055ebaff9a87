/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the last records in units' tables, or in the envelopes of ended units
 * (layout/unit.h).
 *
 * Tables of unfinished units are read first, and records found there are not
 * added again from an envelope.  A table may be reused for another unit, or
 * wrap, before its records are printed; its entry, which is checked after each
 * copy, shows that.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "shared/session_build.h"
#include "target/crash/last_records.h"
#include "target/file/file.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"

/* The tables of a session. */
struct tables {
	const struct tbuf_slot *slot;
	unsigned number;
	uint64_t base;			/* of the file */
	uint64_t generation;
	const struct tbuf_units *units;
	uint32_t count;
	uint64_t first;			/* offset of the first table */
	uint64_t size;			/* of each table, or of a half */
	bool wraps;
	struct tbuf_lasts *to;
};

/*
 * Instances already read from their tables; protected by busy in
 * last_records.c.
 */
static uint64_t returned[TBUF_NUNITS];

static bool
tables_look(const struct tbuf_view *view, unsigned number, struct tables *t,
    struct tbuf_lasts *to)
{
	uint64_t size;

	t->slot = tbuf_view_slot(view, number);
	t->number = number;
	t->to = to;
	t->base = (uintptr_t)view->base;
	t->generation = tbuf_load_acquire(&t->slot->generation);
	t->units = tbuf_units_find(t->base, t->slot, &t->count, &size);
	if (t->units == NULL)
		return (false);
	t->first = (uintptr_t)t->units - t->base + tbuf_units_tables(t->count);
	t->wraps = (tbuf_load(&t->slot->terms.flags) & TBUF_S_WRAP) != 0;
	t->size = t->wraps ? size / 2 : size;
	return (true);
}

static const struct tbuf_unit_entry *
entry_of(const struct tables *t, uint32_t i)
{
	return ((const struct tbuf_unit_entry *)(const void *)(t->units + 1) +
	    i);
}

/* Copies an entry.  Returns false if its word changed meanwhile. */
static bool
entry_read(const struct tables *t, uint32_t i, struct tbuf_unit_entry *e)
{
	const struct tbuf_unit_entry *entry = entry_of(t, i);
	uint64_t word = tbuf_load_acquire(&entry->word);

	memcpy(e, entry, sizeof(*e));
	e->word = word;
	e->head = tbuf_load_acquire(&entry->head);
	e->half[0] = entry->half[0];
	e->half[1] = entry->half[1];
	tbuf_fence_loads();
	return (tbuf_load(&entry->word) == word);
}

static bool
in_flight(const struct tables *t, uint64_t word)
{
	return (tbuf_unit_word_is(word, t->generation, TBUF_UNIT_BOUND) ||
	    tbuf_unit_word_is(word, t->generation, TBUF_UNIT_ENDING));
}

static bool
fits(const struct tbuf_header *header, uint64_t left)
{
	return (tbuf_lane_plausible(sizeof(struct tbuf_lock_record),
	    header->size, left));
}

/* Adds the records of a half, or of a table that does not wrap. */
static void
walk(const struct tables *t, struct tbuf_last *last, bool upper, uint64_t head,
    uint32_t mask, bool by_level)
{
	uint64_t left = tbuf_unit_bytes(head);
	struct tbuf_header header;

	last->laps = tbuf_unit_laps(head);
	last->at += upper ? t->size : 0;
	for (left = left < t->size ? left : t->size; left >= sizeof(header);
	    left -= header.size, last->at += header.size) {
		memcpy(&header, (const void *)(uintptr_t)(t->base + last->at),
		    sizeof(header));
		if (!fits(&header, left))
			return;
		last->time = header.time;
		if (tbuf_unit_selects(tbuf_unit_selection(t->base, t->slot,
		    header.epid, NULL), mask, by_level))
			tbuf_last_keep(t->to, last);
	}
}

static void
table_walk(const struct tables *t, uint32_t i, const struct tbuf_unit_entry *e,
    uint32_t mask, bool by_level)
{
	struct tbuf_last last = { .place = TBUF_LAST_TABLE,
	    .slot = t->number, .generation = t->generation, .unit = e->id,
	    .instance = tbuf_unit_instance(e->word),
	    .lane = (uintptr_t)entry_of(t, i) - t->base };
	uint64_t at = t->first + i * (t->wraps ? 2 * t->size : t->size);
	bool odd = t->wraps && (tbuf_unit_laps(e->head) & 1) != 0;

	last.at = at;
	if (t->wraps && tbuf_unit_laps(e->head) != 0)
		walk(t, &last, !odd, e->half[tbuf_unit_older(e->head)].head,
		    mask, by_level);
	last.at = at;
	walk(t, &last, odd, e->head, mask, by_level);
}

void
tbuf_last_tables(struct tbuf_lasts *to, const struct tbuf_view *view,
    unsigned number)
{
	struct tbuf_unit_entry e;
	struct tables t;
	uint32_t i;

	memset(returned, 0, sizeof(returned));
	if (!tables_look(view, number, &t, to))
		return;
	for (i = 0; i < t.count; i++) {
		if (!entry_read(&t, i, &e) || !in_flight(&t, e.word))
			continue;
		returned[i] = tbuf_unit_instance(e.word);
		if (tbuf_unit_state(e.word) == TBUF_UNIT_BOUND)
			table_walk(&t, i, &e, UINT32_MAX, false);
		else
			table_walk(&t, i, &e, (uint32_t)e.ended,
			    (e.count & TBUF_UNIT_COUNT_LEVEL) != 0);
	}
}

/* Adds the records in an envelope, up to `end' of its lane's stream. */
static void
envelope_walk(const struct tables *t, const struct tbuf_place *place,
    struct tbuf_last last, uint64_t end)
{
	struct tbuf_header header;

	last.place = TBUF_LAST_ENVELOPE;
	for (; end - last.at >= sizeof(struct tbuf_lock_record);
	    last.at += header.size) {
		tbuf_last_copy(place, last.at, &header, sizeof(header));
		tbuf_fence_loads();
		if (tbuf_last_tail(t->slot, place->lane) > last.at ||
		    !fits(&header, end - last.at))
			return;
		last.time = header.time;
		tbuf_last_keep(t->to, &last);
	}
}

void
tbuf_last_unit(struct tbuf_lasts *to, const struct tbuf_view *view,
    const struct tbuf_place *place, struct tbuf_last last,
    const struct tbuf_header *header)
{
	uint64_t end = last.at + header->size;
	struct tbuf_unit_record record;
	struct tbuf_unit_entry e;
	struct tables t;
	uint32_t table;

	last.at += tbuf_lane_front(place);
	if (last.at + sizeof(record) > end ||
	    !tables_look(view, last.slot, &t, to))
		return;
	tbuf_last_copy(place, last.at, &record, sizeof(record));
	last.at += sizeof(record);
	last.unit = record.id;
	table = record.table & ~TBUF_UNIT_TABLE_LEVEL;
	if (table >= t.count || returned[table] == record.instance)
		return;
	if (header->epid == TBUF_EPID_ENVELOPE)
		envelope_walk(&t, place, last, end);
	else if (entry_read(&t, table, &e) &&
	    tbuf_unit_instance(e.word) == record.instance &&
	    (tbuf_unit_word_is(e.word, t.generation, TBUF_UNIT_DONE) ||
	    tbuf_unit_word_is(e.word, t.generation, TBUF_UNIT_ABANDONED)))
		table_walk(&t, table, &e, record.mask, table != record.table);
}

bool
tbuf_last_table_copy(const struct tbuf_view *view,
    const struct tbuf_last *last, void *to)
{
	uint64_t base = (uintptr_t)view->base, end = tbuf_file_end(base), head;
	const struct tbuf_unit_entry *entry =
	    (const struct tbuf_unit_entry *)(uintptr_t)(base + last->lane);
	struct tbuf_header header;

	memcpy(&header, view->base + last->at, sizeof(header));
	if (!fits(&header, end - last->at))
		return (false);
	memcpy(to, view->base + last->at, header.size);
	memcpy(to, &header, sizeof(header));
	tbuf_fence_loads();
	head = tbuf_load(&entry->head);
	return (tbuf_unit_instance(tbuf_load(&entry->word)) ==
	    last->instance && tbuf_unit_laps(head) - last->laps <= 1);
}

/* ------------------------------------------------------------ unfinished */

static void
put_kind(struct tbuf_lines *l, const struct tables *t, uint64_t kind)
{
	char name[TBUF_UNIT_NAME];

	if (kind >= TBUF_UNIT_KINDS - 1) {
		tbuf_lines_text(l, "(other)");
		return;
	}
	memcpy(name, t->units->kinds[kind].name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	tbuf_lines_text(l, name);
}

static void
put_unit(struct tbuf_lines *l, const struct tbuf_view *view,
    const struct tables *t, const struct tbuf_moment *now,
    const struct tbuf_unit_entry *e)
{
	uint64_t records = tbuf_unit_records(e->head);

	if (tbuf_unit_laps(e->head) != 0)
		records += tbuf_unit_records(
		    e->half[tbuf_unit_older(e->head)].head);
	tbuf_lines_text(l, "tbuf: running for ");
	tbuf_lines_age(l, view, now, e->began);
	tbuf_lines_text(l, ": ");
	put_kind(l, t, e->kind);
	tbuf_lines_text(l, " ");
	tbuf_lines_number(l, e->id, 10, 1);
	tbuf_lines_text(l, ", tid ");
	tbuf_lines_number(l, e->thread, 10, 1);
	tbuf_lines_text(l, e->inside != 0 ? "" : " (no thread in it)");
	tbuf_lines_text(l, ", ");
	tbuf_lines_number(l, records, 10, 1);
	tbuf_lines_text(l, records == 1 ? " record\n" : " records\n");
}

void
tbuf_lines_units(struct tbuf_lines *l, const struct tbuf_view *view,
    unsigned number, const struct tbuf_moment *now)
{
	struct tbuf_unit_entry e;
	struct tables t;
	uint32_t i;

	if (!tables_look(view, number, &t, NULL))
		return;
	for (i = 0; i < t.count; i++)
		if (entry_read(&t, i, &e) && in_flight(&t, e.word))
			put_unit(l, view, &t, now, &e);
}
