/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregation by clauses that fire in the consumer, and by records with keys
 * that only the consumer knows; the API calls on aggregations.
 */
#include <errno.h>
#include <string.h>

#include "consumer/run/run.h"
#include "consumer/script/script.h"

/* Adds a value under the machine's key. */
static void
aggregate(struct tbuf_script *s, const struct tbuf_d_aggregation *one,
    uint64_t value, uint64_t weight, unsigned cpu)
{
	const struct tbuf_buffer *key = &s->machine.key;
	struct tbuf_tally *t = tbuf_tally_place(&s->aggregates, one->id,
	    key->bytes, key->used, cpu);

	if (t == NULL) {
		s->cpus[cpu].aggregation_drops++;
		return;
	}
	tbuf_tally_update(&s->aggregates, t, cpu, value, weight);
}

int
tbuf_script_update(struct tbuf_machine *m, const struct tbuf_update *update)
{
	struct tbuf_script *s = tbuf_script_of(m);
	const struct tbuf_aggregation *one =
	    tbuf_aggregation_find(&s->aggregates, update->aggregation);

	if (one == NULL || one->source->function != update->function)
		return (TBUF_FAULT_ILLEGAL);
	aggregate(s, one->source, update->value, update->weight,
	    (unsigned)s->cpu);
	return (0);
}

/* ------------------------------------------------------------ records */

/* Adds bytes to a key, with zeroes up to `room`.  Returns false if too long. */
static bool
key_add(struct tbuf_buffer *key, const void *bytes, uint32_t size,
    uint32_t room, uint32_t alignment)
{
	uint32_t at = (key->used + alignment - 1) & -alignment;

	size = MIN(size, room);
	if (at > key->room || room > key->room - at)
		return (false);
	memset(key->bytes + key->used, 0, at + room - key->used);
	if (size != 0)
		memcpy(key->bytes + at, bytes, size);
	key->used = at + room;
	return (true);
}

/* Adds a piece in the machine's format; stacks have been unwound. */
static bool
key_piece(struct tbuf_buffer *key, const struct tbuf_d_piece *piece,
    const struct tbuf_value *v)
{
	uint16_t word = (uint16_t)(v->null ? TBUF_TEXT_NULL : v->size);

	switch (piece->kind) {
	case TBUF_PIECE_TEXT:
		return (key_add(key, &word, sizeof(word), sizeof(word), 2) &&
		    key_add(key, v->data, v->size, v->size, 1));
	case TBUF_PIECE_BYTES:
		return (key_add(key, v->data, v->size, piece->bytes, 1));
	default:
		return (key_add(key, &v->u, sizeof(v->u), sizeof(v->u), 8));
	}
}

static bool
key_make(struct tbuf_buffer *key, const struct tbuf_d_aggregation *one,
    const struct tbuf_value *values)
{
	uint32_t i;

	key->used = 0;
	for (i = 0; i < one->nkeys; i++)
		if (!key_piece(key, &one->keys[i], &values[i]))
			return (false);
	return (true);
}

bool
tbuf_script_folds(const struct tbuf_d_record *record)
{
	return (record != NULL && record->nactions == 1 &&
	    record->actions->kind == TBUF_ACTION_AGGREGATE);
}

void
tbuf_script_fold(struct tbuf_script *s, const struct tbuf_d_record *record,
    const struct tbuf_value *values, int cpu)
{
	const struct tbuf_aggregation *found = tbuf_aggregation_find(
	    &s->aggregates, record->actions->aggregations[0]);
	const struct tbuf_value *end = values + record->npieces, *value;
	unsigned place = (unsigned)(cpu >= 0 && cpu < (int)TBUF_NCPUS ? cpu :
	    s->home);

	if (found == NULL || found->source->nkeys > record->npieces)
		return;
	value = values + found->source->nkeys;
	if (!key_make(&s->machine.key, found->source, values))
		s->cpus[place].aggregation_drops++;
	else
		aggregate(s, found->source, value < end ? value->u : 0,
		    value + 1 < end ? value[1].u : 1, place);
	s->machine.key.used = 0;
}

/* ------------------------------------------------------------ API calls */

static struct tbuf_aggregation *
find(struct tbuf_consumer *c, uint32_t id)
{
	struct tbuf_aggregation *one = NULL;

	if (c->script != NULL)
		one = tbuf_aggregation_find(&c->script->aggregates, id);
	if (one == NULL)
		(void)tbuf_consumer_fail(c, -EINVAL, "no such aggregation");
	return (one);
}

int
tbuf_consumer_aggregates(struct tbuf_consumer *c, const uint32_t *ids,
    unsigned nids, int (*visit)(void *, const struct tbuf_tuple *),
    void *arg)
{
	const struct tbuf_aggregate_order order = {
		.by_key = c->options.aggsortkey != 0,
		.reversed = c->options.aggsortrev != 0,
		.position = c->options.aggsortpos,
		.key_position = c->options.aggsortkeypos
	};
	unsigned i;
	int error;

	for (i = 0; i < nids; i++)
		if (find(c, ids[i]) == NULL)
			return (-EINVAL);
	if (nids == 0)
		return (0);
	if (!c->script->aggregates.changing &&
	    (error = tbuf_tables_read(c)) != 0)
		return (error);
	c->script->aggregates.hurried = &c->hurried;
	return (tbuf_aggregates_walk(&c->script->aggregates, ids, nids,
	    &order, visit, arg));
}

/* Calls the function of tbuf_consumer_clearing(). */
static void
change(struct tbuf_aggregates *all, uint32_t id, bool done)
{
	if (all->change == NULL)
		return;
	all->changing = true;
	all->change(all->change_arg, id, done);
	all->changing = false;
}

/* Reads all values, so that a change loses none that is not known. */
static int
change_begin(struct tbuf_consumer *c, uint32_t id)
{
	int error;

	if (find(c, id) == NULL)
		return (-EINVAL);
	tbuf_tables_cleared(c);
	if ((error = tbuf_tables_read(c)) == 0)
		change(&c->script->aggregates, id, false);
	return (error);
}

int
tbuf_consumer_clear(struct tbuf_consumer *c, uint32_t id)
{
	struct tbuf_tally *t;
	int error = change_begin(c, id);

	if (error != 0)
		return (error);
	TAILQ_FOREACH(t, &c->script->aggregates.tallies, link)
		if (t->id == id)
			tbuf_tally_clear(&c->script->aggregates, t);
	change(&c->script->aggregates, id, true);
	return (0);
}

int
tbuf_consumer_trunc(struct tbuf_consumer *c, uint32_t id, int64_t n)
{
	int error = change_begin(c, id);

	if (error != 0)
		return (error);
	error = tbuf_aggregates_trunc(&c->script->aggregates, id, n);
	change(&c->script->aggregates, id, true);
	return (error);
}

void
tbuf_consumer_clearing(struct tbuf_consumer *c,
    void (*function)(void *, uint32_t id, bool done), void *arg)
{
	if (c->script == NULL)
		return;
	c->script->aggregates.change = function;
	c->script->aggregates.change_arg = arg;
}

int
tbuf_consumer_normalize(struct tbuf_consumer *c, uint32_t id,
    uint64_t factor)
{
	struct tbuf_aggregation *one = find(c, id);

	if (one == NULL)
		return (-EINVAL);
	one->normal = factor != 0 ? factor : 1;
	return (0);
}

void
tbuf_consumer_name(struct tbuf_consumer *c, uint64_t (*name)(void *,
    const char *, uint64_t, uint64_t), void *arg)
{
	if (c->script == NULL)
		return;
	c->script->aggregates.name = name;
	c->script->aggregates.name_arg = arg;
}
