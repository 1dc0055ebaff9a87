/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses that fire in the consumer aggregate; and what a caller does with
 * what has been aggregated.
 */
#include <errno.h>

#include "common/aggregate.h"
#include "consumer/run.h"
#include "consumer/script.h"

int
tbuf_script_update(struct tbuf_machine *m, const struct tbuf_update *update)
{
	struct tbuf_script *s = tbuf_script_of(m);
	const struct tbuf_aggregation *one =
	    tbuf_aggregation_find(&s->aggregates, update->aggregation);
	struct tbuf_tally *t;

	if (one == NULL || one->source->function != update->function)
		return (TBUF_FAULT_ILLEGAL);
	t = tbuf_tally_place(&s->aggregates, update->aggregation,
	    m->key.bytes, m->key.used, (unsigned)s->cpu);
	if (t == NULL) {
		s->cpus[s->cpu].aggregation_drops++;
		return (0);
	}
	tbuf_tally_update(&s->aggregates, t, (unsigned)s->cpu, update->value,
	    update->weight);
	return (0);
}

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
	if ((error = tbuf_tables_read(c)) != 0)
		return (error);
	return (tbuf_aggregates_walk(&c->script->aggregates, ids, nids,
	    &order, visit, arg));
}

int
tbuf_consumer_clear(struct tbuf_consumer *c, uint32_t id)
{
	struct tbuf_tally *t;
	int error;

	if (find(c, id) == NULL)
		return (-EINVAL);
	tbuf_tables_cleared(c);
	if ((error = tbuf_tables_read(c)) != 0)
		return (error);
	TAILQ_FOREACH(t, &c->script->aggregates.tallies, link)
		if (t->id == id)
			tbuf_tally_clear(&c->script->aggregates, t);
	return (0);
}

int
tbuf_consumer_trunc(struct tbuf_consumer *c, uint32_t id, int64_t n)
{
	int error;

	if (find(c, id) == NULL)
		return (-EINVAL);
	tbuf_tables_cleared(c);
	if ((error = tbuf_tables_read(c)) != 0)
		return (error);
	return (tbuf_aggregates_trunc(&c->script->aggregates, id, n));
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
