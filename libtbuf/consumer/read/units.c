/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Work units of targets (layout/unit.h).  The records of a unit are returned
 * as a batch in the place of its envelope or commit record; those of
 * unfinished units when no thread can be inside any more (units_unfinished.c).
 *
 *	table DONE --> its commit record is read: returned, and the table is
 *	       |       freed at the next look
 *	       +-----> all lanes were read since, and it has no commit record:
 *	               that was refused, or overwritten
 *
 * A target's words are checked against the bounds of its tables, and records
 * are copied before they are read.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"

/* ------------------------------------------------------------ tables */

uint64_t
tbuf_unit_entry_at(const struct tbuf_target *t, uint32_t i)
{
	return (t->units.at + sizeof(struct tbuf_units) +
	    i * sizeof(struct tbuf_unit_entry));
}

bool
tbuf_unit_entry_read(const struct tbuf_target *t, uint32_t i,
    struct tbuf_unit_entry *entry)
{
	return (tbuf_target_read(t, entry, sizeof(*entry),
	    tbuf_unit_entry_at(t, i)));
}

bool
tbuf_units_any(const struct tbuf_target *t)
{
	return (t->units.count != 0 && t->nreaders != 0 && t->fd != -1 &&
	    tbuf_session_holds(t));
}

/* ------------------------------------------------------------ age */

/* The option of a run that reads replaces the limit of a file's session. */
uint64_t
tbuf_unit_hung_limit(const struct tbuf_consumer *c,
    const struct tbuf_target *t)
{
	uint64_t limit;

	if (t->file_only && c->options.unithung != 0)
		return (c->options.unithung);
	return (tbuf_target_read(t, &limit, sizeof(limit), t->units.at +
	    offsetof(struct tbuf_units, hung)) ? limit : 0);
}

uint64_t
tbuf_unit_hung(const struct tbuf_target *t, const struct tbuf_unit_entry *e,
    uint64_t limit)
{
	uint64_t began = tbuf_timeline_mono(&t->time, e->began);
	uint64_t now = tbuf_now();

	return (limit != 0 && now > began && now - began > limit ?
	    now - began : 0);
}

/* ------------------------------------------------------------ batches */

static void
kind_name(const struct tbuf_target *t, uint64_t kind,
    char name[TBUF_UNIT_NAME])
{
	static const char others[] = "(other)", unknown[] = "(unknown)";

	if (kind >= TBUF_UNIT_KINDS - 1)
		memcpy(name, others, sizeof(others));
	else if (!tbuf_target_read(t, name, TBUF_UNIT_NAME, t->units.at +
	    offsetof(struct tbuf_units, kinds) +
	    kind * sizeof(struct tbuf_unit_kind) +
	    offsetof(struct tbuf_unit_kind, name)))
		memcpy(name, unknown, sizeof(unknown));
	name[TBUF_UNIT_NAME - 1] = '\0';
}

/* Removes records of probes that the mask or the level does not select. */
static void
choose(struct tbuf_consumer *c, struct tbuf_target *t, struct tbuf_batch *b,
    uint32_t mask, bool by_level)
{
	const struct tbuf_epid *epid;
	unsigned i, n = 0;

	for (i = 0; i < b->count; i++) {
		epid = tbuf_epid_find(c, t, b->items[i].header->epid);
		if (epid == NULL || tbuf_unit_selects(epid->selection, mask,
		    by_level))
			b->items[n++] = b->items[i];
	}
	b->count = n;
}

static struct tbuf_batch *
batch_new(uint64_t size)
{
	struct tbuf_batch *b = calloc(1, sizeof(*b));

	if (b == NULL || (b->bytes = malloc(size + 1)) == NULL) {
		free(b);
		return (NULL);
	}
	b->unit = true;
	return (b);
}

/* Adds a half's records, as far as the file has them. */
static bool
half_add(struct tbuf_consumer *c, const struct tbuf_target *t,
    struct tbuf_batch *b, uint64_t at, uint64_t size)
{
	uint64_t before = b->size;

	size = tbuf_target_present(t, at, size);
	if (!tbuf_file_read(t->fd, b->bytes + before, size, at))
		return (false);
	b->size += size;
	return (tbuf_batch_add(c, b, t->units.reader, before));
}

/* Adds a table's records, the older half first. */
static bool
table_add(struct tbuf_consumer *c, const struct tbuf_target *t, uint32_t i,
    const struct tbuf_unit_entry *entry, struct tbuf_batch *b)
{
	const struct tbuf_unit_tables *u = &t->units;
	uint64_t half = u->wraps ? u->size / 2 : u->size, older = 0;
	uint64_t at = u->at + tbuf_units_tables(u->count) + i * u->size;
	uint64_t laps = tbuf_unit_laps(entry->head);
	uint64_t size = MIN(tbuf_unit_bytes(entry->head), half);

	if (u->wraps && laps != 0)
		older = MIN(tbuf_unit_bytes(entry->half[
		    tbuf_unit_older(entry->head)].head), half);
	return (half_add(c, t, b, at + ((laps & 1) != 0 ? 0 : half), older) &&
	    half_add(c, t, b, at + (u->wraps && (laps & 1) != 0 ? half : 0),
	    size));
}

struct tbuf_batch *
tbuf_unit_table(struct tbuf_consumer *c, struct tbuf_target *t, uint32_t i,
    const struct tbuf_unit_entry *entry, uint32_t mask, bool by_level)
{
	struct tbuf_batch *b = batch_new(t->units.size);
	uint64_t word;

	if (b == NULL)
		return (NULL);
	if (table_add(c, t, i, entry, b) &&
	    tbuf_file_read(t->fd, &word, sizeof(word),
	    tbuf_unit_entry_at(t, i)) &&
	    tbuf_unit_instance(word) == tbuf_unit_instance(entry->word)) {
		choose(c, t, b, mask, by_level);
		return (b);
	}
	tbuf_batch_free(t, b);
	return (NULL);
}

void
tbuf_unit_describe(const struct tbuf_target *t, struct tbuf_batch *b,
    uint64_t kind, uint64_t id, uint64_t began)
{
	kind_name(t, kind, b->info.kind);
	b->info.id = id;
	b->info.began = tbuf_timeline_mono(&t->time, began);
	b->info.records = b->count;
}

/* ------------------------------------------------------------ records */

bool
tbuf_unit_is(const struct tbuf_reader *r, const struct tbuf_header *header)
{
	return (r->target->units.count != 0 &&
	    (header->epid == TBUF_EPID_ENVELOPE ||
	    header->epid == TBUF_EPID_UNIT));
}

/*
 * Reads a unit's record, which comes after the CPU in a lock lane, and whether
 * it selects by level.  Returns the data after it, or NULL if it is invalid.
 */
static const unsigned char *
record_read(const struct tbuf_reader *r, const struct tbuf_header *header,
    struct tbuf_unit_record *record, bool *by_level, uint64_t *size)
{
	size_t before = tbuf_reader_head(r);
	const unsigned char *data = (const unsigned char *)header + before;

	if (header->size < before + sizeof(*record))
		return (NULL);
	memcpy(record, data, sizeof(*record));
	*size = header->size - before - sizeof(*record);
	*by_level = (record->table & TBUF_UNIT_TABLE_LEVEL) != 0;
	record->table &= ~TBUF_UNIT_TABLE_LEVEL;
	return (record->table < r->target->units.count ?
	    data + sizeof(*record) : NULL);
}

static struct tbuf_batch *
envelope_open(struct tbuf_consumer *c, struct tbuf_target *t,
    const unsigned char *data, uint64_t size)
{
	struct tbuf_batch *b = batch_new(size);

	if (b == NULL)
		return (NULL);
	memcpy(b->bytes, data, size);
	b->size = size;
	if (tbuf_batch_add(c, b, t->units.reader, 0))
		return (b);
	tbuf_batch_free(t, b);
	return (NULL);
}

/* Returns the batch of a DONE table as copied, since its table may change. */
static struct tbuf_batch *
commit_held(struct tbuf_consumer *c, struct tbuf_target *t,
    const struct tbuf_unit_record *record, bool by_level)
{
	struct tbuf_batch **done = t->units.held == NULL ? NULL :
	    &t->units.held->done[record->table], *b;

	if (done == NULL || (b = *done) == NULL ||
	    b->instance != record->instance)
		return (NULL);
	*done = NULL;
	choose(c, t, b, record->mask, by_level);
	return (b);
}

/* Reads the batch of a commit record; NULL if the table has another unit. */
static struct tbuf_batch *
commit_find(struct tbuf_consumer *c, struct tbuf_target *t,
    const struct tbuf_unit_record *record, bool by_level)
{
	struct tbuf_unit_entry entry;
	struct tbuf_batch *held = commit_held(c, t, record, by_level);

	if (held != NULL)
		return (held);
	if (!tbuf_unit_entry_read(t, record->table, &entry) ||
	    tbuf_unit_instance(entry.word) != record->instance ||
	    (!tbuf_unit_in(t->generation, entry.word, TBUF_UNIT_ENDING) &&
	    !tbuf_unit_in(t->generation, entry.word, TBUF_UNIT_ABANDONED) &&
	    !tbuf_unit_in(t->generation, entry.word, TBUF_UNIT_DONE)))
		return (NULL);
	return (tbuf_unit_table(c, t, record->table, &entry, record->mask,
	    by_level));
}

static void
count_returned(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_unit_record *record)
{
	struct tbuf_unit_tables *u = &r->target->units;

	if (c->drain.snapshot)
		return;
	r->consumed++;
	if (r->batch != NULL) {
		u->returned += r->batch->count;
		r->unit_returned += r->batch->count;
	}
	u->seen[record->table].returned = record->instance;
}

/* Publishes how many records were returned, as lane.consumed does. */
void
tbuf_units_release(struct tbuf_reader *r)
{
	struct tbuf_units *head = r->unit_returned == 0 ? NULL :
	    tbuf_units_map(r->target);

	r->target->units.released += r->unit_returned;
	r->unit_returned = 0;
	if (head != NULL)
		tbuf_store(&head->returned, r->target->units.released);
}

void
tbuf_unit_open(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	struct tbuf_target *t = r->target;
	struct tbuf_unit_record record;
	const unsigned char *data;
	uint64_t size;
	bool by_level;

	data = record_read(r, header, &record, &by_level, &size);
	if (data == NULL) {
		tbuf_reader_unplaced(r, header->size);
		tbuf_reader_step(r, header);
		return;
	}
	r->batch = header->epid == TBUF_EPID_ENVELOPE ?
	    envelope_open(c, t, data, size) : commit_find(c, t, &record,
	    by_level);
	count_returned(c, r, &record);
	if (r->batch != NULL) {
		r->batch->id = record.table;
		tbuf_unit_describe(t, r->batch, record.kind, record.id,
		    record.began);
		r->batch->info.outcome = record.outcome;
		r->batch->info.ended = true;
		r->batch->info.end = tbuf_timeline_mono(&t->time,
		    header->time);
		r->batch->info.discarded = record.discarded;
	}
	tbuf_reader_step(r, header);
}

/* ------------------------------------------------------------ looks */

/* Frees a table, if its target has not ended. */
static void
release(struct tbuf_target *t, uint32_t i, uint64_t word)
{
	struct tbuf_units *head = t->state == TBUF_ALIVE ? tbuf_units_map(t) :
	    NULL;

	if (head != NULL)
		(void)tbuf_cas(&((struct tbuf_unit_entry *)(void *)
		    (head + 1))[i].word, word, tbuf_unit_word(t->generation,
		    tbuf_unit_instance(word), TBUF_UNIT_FREE));
}

/*
 * Notes the records of a table's units that have ended, and whose envelopes and
 * commit records are in lanes by now, or refused: not yet that of an ENDING
 * one.  A table that changes meanwhile is noted in a later drain.
 */
static void
note_committed(const struct tbuf_target *t, uint32_t i,
    const struct tbuf_unit_entry *e)
{
	uint64_t committed = e->total[tbuf_unit_totals(e->word)].committed;
	uint64_t *seen = &t->units.seen[i].committed, word;

	if (tbuf_unit_state(e->word) == TBUF_UNIT_ENDING)
		committed -= MIN(e->count, committed);
	if (committed > *seen && tbuf_file_read(t->fd, &word, sizeof(word),
	    tbuf_unit_entry_at(t, i)) && word == e->word)
		*seen = committed;
}

static void
look(struct tbuf_target *t)
{
	struct tbuf_unit_seen *seen = t->units.seen;
	struct tbuf_unit_entry e;
	uint64_t instance;
	uint32_t i;

	for (i = 0; i < t->units.count; i++) {
		if (!tbuf_unit_entry_read(t, i, &e)) {
			seen[i].noted = 0;
			continue;
		}
		note_committed(t, i, &e);
		if (!tbuf_unit_in(t->generation, e.word, TBUF_UNIT_DONE)) {
			seen[i].noted = 0;
			continue;
		}
		instance = tbuf_unit_instance(e.word);
		if (seen[i].returned == instance)
			release(t, i, e.word);
		else
			seen[i].noted = instance;
	}
}

void
tbuf_units_look(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (tbuf_units_any(t) && !t->file_only && !t->truncated &&
		    tbuf_policy(t->order.terms.policy)->live)
			look(t);
}
