/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the aggregation tables of targets (layout/aggregation.h).  Each value's
 * change since the last read is added to its tally, so that no target stops,
 * and clear() and trunc() need not touch the table.
 *
 * The bytes are read with pread(2), then checked, as a lane's records are.
 * Entries do not change: they are cached, with the values of the last read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/run/run.h"
#include "consumer/script/agg.h"
#include "consumer/script/script.h"
#include "machine/aggregate.h"

/* Reads of a value: a writer cannot disturb a running reader so often. */
#define SETTLE_TRIES	100

#define COPY		4	/* most words of a copy */

/* A table that is being read. */
struct reading {
	struct tbuf_aggregates *all;
	int fd;
	struct tbuf_copied_table *copy;
	uint64_t *now;			/* its values, up to the table's end */
	uint64_t used;			/* bytes of values */
};

/* A checked entry. */
struct entry {
	const struct tbuf_aggregation *one;
	struct tbuf_table_entry head;
	const unsigned char *key;
	uint64_t *now, *last;		/* its words, at this and last read */
};

static bool
table_read(const struct reading *r, uint64_t at, void *to, uint64_t size)
{
	const struct tbuf_copied_table *copy = r->copy;

	return (at <= copy->storage && size <= copy->storage - at &&
	    tbuf_file_read(r->fd, to, size, copy->table + at));
}

/* ------------------------------------------------------------ keys */

uint64_t
tbuf_key_end(const struct tbuf_d_piece *piece, const unsigned char *key,
    uint64_t at, uint64_t size)
{
	uint16_t word;

	switch (piece->kind) {
	case TBUF_PIECE_BYTES:
		return (at + piece->bytes);
	case TBUF_PIECE_TEXT:
		at = ((at + 1) & ~UINT64_C(1)) + sizeof(word);
		if (at > size)
			return (at);
		memcpy(&word, key + at - sizeof(word), sizeof(word));
		return (at + (word & ~TBUF_TEXT_CUT));
	default:
		return (((at + 7) & ~UINT64_C(7)) + 8);
	}
}

static bool
key_good(const struct tbuf_d_aggregation *source, const unsigned char *key,
    uint64_t size)
{
	uint64_t at = 0;
	uint32_t i;

	for (i = 0; i < source->nkeys && at <= size; i++)
		at = tbuf_key_end(&source->keys[i], key, at, size);
	return (at == size);
}

/* ------------------------------------------------------------ values */

/*
 * Reads again words that have a version.  They are whole if the version is the
 * same before and after: the writer is at the other copy then.  The read of all
 * values does not show this, as one read loads in any order.  Returns false if
 * the words are not whole.
 */
static bool
words_settle(const struct reading *r, const struct entry *e)
{
	uint64_t before, behind;
	unsigned i;

	for (i = 0; i < SETTLE_TRIES; i++)
		if (!table_read(r, e->head.values, &before, sizeof(before)) ||
		    !table_read(r, e->head.values, e->now,
		    UINT64_C(8) * e->head.nwords) ||
		    !table_read(r, e->head.values, &behind, sizeof(behind)))
			return (false);
		else if (before == behind && before == e->now[0])
			return (true);
	return (false);
}

static const uint64_t *
copy_of(const uint64_t *words, uint32_t n)
{
	static const uint64_t none[COPY];

	return (words[0] == 0 ? none : words + 1 + (words[0] & 1) * n);
}

/* Computes the change of a value with two copies since the last read. */
static void
copy_gain(const struct entry *e, uint32_t n, uint64_t gain[COPY])
{
	const uint64_t *now = copy_of(e->now, n), *last = copy_of(e->last, n);

	switch (e->one->source->function) {
	case TBUF_AGG_SUM:
		gain[0] = now[1] - last[1];
		break;
	case TBUF_AGG_MIN:
	case TBUF_AGG_MAX:
		gain[0] = now[0];
		break;
	case TBUF_AGG_STDDEV:
		gain[2] = now[2] - last[2];
		gain[3] = now[3] - last[3] - (now[2] < last[2]);
		/* FALLTHROUGH */
	default:
		gain[0] = now[0] - last[0];
		gain[1] = now[1] - last[1];
	}
}

/* Adds a value's change to its tally; e->last may be overwritten. */
static int
gain_merge(const struct reading *r, const struct entry *e)
{
	uint32_t n = tbuf_table_copy(e->one->source->function), i;
	uint64_t *more = e->last, gain[COPY] = { 0 };
	struct tbuf_tally *t;

	t = tbuf_tally_get(r->all, e->head.aggregation, e->key, e->head.key);
	if (t == NULL)
		return (-ENOMEM);
	if (n != 0) {
		copy_gain(e, n, gain);
		more = gain;
	} else
		for (i = 0; i < e->head.nwords; i++)
			more[i] = e->now[i] - e->last[i];
	tbuf_tally_merge(r->all, t, r->all->cpu, more);
	return (0);
}

static int
entry_merge(const struct reading *r, const struct entry *e)
{
	uint64_t size = UINT64_C(8) * e->head.nwords;
	int error = 0;

	if (memcmp(e->now, e->last, size) == 0)
		return (0);
	if (tbuf_table_copy(e->one->source->function) != 0 &&
	    !words_settle(r, e))
		return (0);
	error = gain_merge(r, e);
	memcpy(e->last, e->now, size);
	return (error);
}

/* ------------------------------------------------------------ entries */

/* Checks the entry at an offset in the cache.  Returns false if invalid. */
static bool
entry_find(const struct reading *r, uint64_t at, struct entry *e)
{
	const struct tbuf_copied_table *copy = r->copy;
	uint64_t storage = copy->storage, values;

	if (copy->entries_size - at < sizeof(e->head))
		return (false);
	memcpy(&e->head, copy->entries + at, sizeof(e->head));
	e->key = copy->entries + at + sizeof(e->head);
	if (e->head.size % 8 != 0 || e->head.size > copy->entries_size - at ||
	    e->head.size < sizeof(e->head) + e->head.key)
		return (false);
	e->one = tbuf_aggregation_find(r->all, e->head.aggregation);
	values = e->head.values;
	if (e->one == NULL || values % 8 != 0 || values > storage ||
	    storage - values > r->used ||
	    UINT64_C(8) * e->head.nwords > storage - values ||
	    e->head.nwords != tbuf_table_words(e->one->source->function,
	    e->one->source->parameter) ||
	    !key_good(e->one->source, e->key, e->head.key))
		return (false);
	values = (values - (storage - r->used)) / 8;
	e->now = r->now + values;
	e->last = copy->values + values;
	return (true);
}

static int
entries_merge(const struct reading *r)
{
	uint64_t at;
	struct entry e;
	int error = 0;

	for (at = 0; error == 0 && entry_find(r, at, &e); at += e.head.size)
		error = entry_merge(r, &e);
	return (error);
}

/* ------------------------------------------------------------ tables */

/* Reads new entries into the cache, and adds zeroes for their last values. */
static int
seen_grow(const struct reading *r, uint64_t entries, uint64_t values)
{
	struct tbuf_copied_table *copy = r->copy;
	unsigned char *bytes;
	uint64_t *words;

	if (entries > copy->entries_size) {
		if ((bytes = realloc(copy->entries, entries)) == NULL)
			return (-ENOMEM);
		copy->entries = bytes;
		if (!table_read(r, tbuf_table_heap(copy->storage) +
		    copy->entries_size, bytes + copy->entries_size,
		    entries - copy->entries_size))
			return (-EINVAL);
		copy->entries_size = entries;
	}
	if (values > copy->values_size) {
		/* Values grow downwards. */
		if ((words = calloc(1, values)) == NULL)
			return (-ENOMEM);
		if (copy->values_size != 0)
			memcpy((char *)words + values - copy->values_size,
			    copy->values, copy->values_size);
		free(copy->values);
		copy->values = words;
		copy->values_size = values;
	}
	return (0);
}

int
tbuf_table_merge(struct tbuf_aggregates *all, int fd,
    struct tbuf_copied_table *copy)
{
	struct reading r = { .all = all, .fd = fd, .copy = copy };
	uint64_t top, entries, values;
	int error;

	if (copy->table == 0 || !table_read(&r, 0, &top, sizeof(top)))
		return (-EINVAL);
	entries = top & UINT32_MAX;
	values = top >> 32;
	if (entries < copy->entries_size || values < copy->values_size ||
	    entries % 8 != 0 || values % 8 != 0 || values == 0 ||
	    entries + values > copy->storage - tbuf_table_heap(copy->storage))
		return (-EINVAL);
	if ((error = seen_grow(&r, entries, values)) != 0)
		return (error);
	if ((r.now = malloc(values)) == NULL)
		return (-ENOMEM);
	r.used = values;
	error = table_read(&r, copy->storage - values, r.now, values) ?
	    entries_merge(&r) : -EINVAL;
	free(r.now);
	return (error);
}

bool
tbuf_target_aggregates(const struct tbuf_target *t)
{
	return (t->slot != -1 && t->fd != -1 && !t->file_only &&
	    t->clauses != 0);
}

/* Returns a lane's CPU, TBUF_NCPUS if threads of any CPU aggregate there. */
static unsigned
source_cpu(const struct tbuf_reader *r)
{
	return (r->locked || r->cpu < 0 ? TBUF_NCPUS : (unsigned)r->cpu);
}

int
tbuf_reader_merge(struct tbuf_aggregates *all, struct tbuf_reader *r,
    unsigned which)
{
	all->cpu = source_cpu(r);
	return (tbuf_table_merge(all, r->target->fd, &r->tables[which]));
}

static int
target_merge(struct tbuf_aggregates *all, struct tbuf_target *t)
{
	unsigned i;

	for (i = 0; i < t->nreaders; i++)
		if (tbuf_reader_merge(all, &t->readers[i], 0) == -ENOMEM ||
		    (t->turns.backed &&
		    tbuf_reader_merge(all, &t->readers[i], 1) == -ENOMEM))
			return (-ENOMEM);
	return (0);
}

int
tbuf_tables_read(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	if (c->script == NULL || c->script->aggregates.count == 0)
		return (0);
	TAILQ_FOREACH(t, &c->targets, link) {
		tbuf_consumer_sign(c);
		if (tbuf_target_aggregates(t) &&
		    target_merge(&c->script->aggregates, t) != 0)
			return (-ENOMEM);
	}
	return (tbuf_tables_turn(c, false));
}

void
tbuf_tables_cleared(struct tbuf_consumer *c)
{
	struct tbuf_target *t;
	uint32_t *cleared;

	TAILQ_FOREACH(t, &c->targets, link)
		if (tbuf_target_aggregates(t)) {
			cleared = &tbuf_target_slot(t)->cleared;
			tbuf_store_release(cleared, tbuf_load(cleared) + 1);
		}
}
