/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hung work units: older than unithung and not yet ended.  A drain returns each
 * of them once, as far as it is, while its target goes on.  Its table stays as
 * it is, and its records are returned again when the unit ends.
 */
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

void
tbuf_units_age(struct tbuf_consumer *c, struct tbuf_target *t, bool records)
{
	struct tbuf_unit_tables *u = &t->units;

	u->hung = records && tbuf_units_any(t) && !t->file_only &&
	    !t->truncated ? tbuf_unit_hung_limit(c, t) : 0;
	u->next_hung = u->hung != 0 ? 0 : u->count;
}

/*
 * Reads a hung unit that was not returned as one.  A table that has wrapped
 * meanwhile is read in a later drain, as its older half was overwritten.
 */
static struct tbuf_batch *
hung_read(struct tbuf_consumer *c, struct tbuf_target *t, uint32_t i)
{
	uint64_t *seen = &t->units.seen[i].hung, age;
	struct tbuf_unit_entry e, after;
	struct tbuf_batch *b;

	if (!tbuf_unit_entry_read(t, i, &e) ||
	    !tbuf_unit_in(t->generation, e.word, TBUF_UNIT_BOUND) ||
	    *seen == tbuf_unit_instance(e.word) ||
	    (age = tbuf_unit_hung(t, &e, t->units.hung)) == 0 ||
	    (b = tbuf_unit_unfinished(c, t, i, &e)) == NULL)
		return (NULL);
	if (!tbuf_unit_entry_read(t, i, &after) || after.word != e.word ||
	    tbuf_unit_laps(after.head) != tbuf_unit_laps(e.head)) {
		tbuf_batch_free(t, b);
		return (NULL);
	}
	b->info.hung = age;
	*seen = b->instance;
	return (b);
}

/* The tables' own reader returns the batch: lanes may have records left. */
int
tbuf_units_hung(struct tbuf_consumer *c, struct tbuf_target *t,
    struct tbuf_event *event)
{
	struct tbuf_unit_tables *u = &t->units;

	if (!tbuf_units_any(t) || t->file_only)
		return (0);
	for (;;) {
		if (tbuf_batch_next(c, u->reader, event) == 1)
			return (1);
		if (u->next_hung >= u->count)
			return (0);
		u->reader->batch = hung_read(c, t, u->next_hung++);
	}
}
