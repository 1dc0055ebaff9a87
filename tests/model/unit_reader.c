/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The consumer of the model of units, as in consumer/read/units.c and drain.c,
 * and the checks of its results.
 */
#include <string.h>

#include "unit.h"

static bool
target_over(const struct state *s)
{
	unsigned i;

	for (i = 0; i < NTASKS && !s->dead; i++)
		if (s->tasks[i].at != T_DONE && model.scenario->parent[i] == 0)
			return (false);
	return (true);
}

/* Checks that a batch is the unit's records selected by the mask, in order. */
static void
check_batch(const struct state *s, unsigned table, unsigned instance,
    unsigned mask, const uint8_t *ids, unsigned n)
{
	const struct truth *u = &s->truth[table][instance];
	unsigned i, j = 0;

	for (i = 0; i < u->n; i++) {
		if (!selects(mask, u->ids[i]))
			continue;
		if (j == n || ids[j++] != u->ids[i]) {
			model_fail("a batch is not the unit's records");
			return;
		}
	}
	if (j != n)
		model_fail("a batch has more than the unit's records");
}

static bool
snapshot(const struct reader *r)
{
	return (model.scenario->ring && !r->last);
}

static void
give(struct state *s, unsigned table, unsigned instance, unsigned n)
{
	struct truth *u = &s->truth[table][instance];

	if (u->given)
		model_fail("a unit is given twice");
	u->given = 1;
	s->reader.given += (uint8_t)n;
	/* The unit's mark or envelope is lost, but not its table. */
	if (u->lost)
		s->lost -= (uint8_t)n;
}

/* Removes records that the mask does not select.  Returns the new number. */
static unsigned
choose(uint8_t *ids, unsigned n, unsigned mask)
{
	unsigned i, to = 0;

	for (i = 0; i < n; i++)
		if (selects(mask, ids[i]))
			ids[to++] = ids[i];
	memset(ids + to, 0, NCELLS - to);
	return (to);
}

/* Takes an envelope or a mark, with its records or without. */
static void
opened(struct state *s, const struct record *m, const uint8_t *ids,
    unsigned n, bool found)
{
	struct reader *r = &s->reader;

	if (found)
		check_batch(s, m->table, m->instance, m->mask, ids, n);
	if (!found && !model.scenario->ring)
		model_fail("a mark finds no records");
	if (!snapshot(r)) {
		r->seen[m->table] = m->instance;
		if (found)
			give(s, m->table, m->instance, n);
	}
	memset(r->ids, 0, sizeof(r->ids));
	r->word = 0;
	r->head = r->cell = 0;
	r->i++;
	r->at = C_NEXT;
}

static void
next_record(struct state *s)
{
	struct reader *r = &s->reader;
	const struct record *m = &r->lane[r->i];

	if (r->i == r->nlane) {
		r->i = r->nlane = 0;
		memset(r->lane, 0, sizeof(r->lane));
		r->at = C_FORGO;
	} else if (m->kind == PLAIN) {
		r->plain += !snapshot(r);
		r->i++;
	} else if (m->kind == ENVELOPE)
		opened(s, m, m->ids, m->count, true);
	else
		r->at = M_WORD;
}

static void
mark_step(struct state *s)
{
	struct reader *r = &s->reader;
	const struct record *m = &r->lane[r->i];
	const struct table *t = &s->tables[m->table];

	switch (r->at) {
	case M_WORD:
		r->word = t->word;
		if (r->word == word_of(m->instance, TBUF_UNIT_ENDING) ||
		    r->word == word_of(m->instance, TBUF_UNIT_DONE))
			r->at = M_HEAD;
		else
			opened(s, m, NULL, 0, false);
		break;
	case M_HEAD:
		r->head = t->head;
		r->at = r->head != 0 ? M_COPY : M_AGAIN;
		break;
	case M_COPY:
		r->ids[r->cell] = t->cells[r->cell];
		if (++r->cell == r->head)
			r->at = M_AGAIN;
		break;
	default:		/* M_AGAIN */
		if (!model_has(D_NO_SECOND_LOOK) &&
		    tbuf_unit_instance(t->word) != m->instance)
			opened(s, m, NULL, 0, false);
		else
			opened(s, m, r->ids,
			    choose(r->ids, r->head, m->mask), true);
		break;
	}
}

static void
look(struct state *s)
{
	struct reader *r = &s->reader;
	struct table *t = &s->tables[r->i];
	unsigned instance = (unsigned)tbuf_unit_instance(t->word);

	if (tbuf_unit_state(t->word) != TBUF_UNIT_DONE)
		r->noted[r->i] = 0;
	else if (r->seen[r->i] != instance && !model_has(D_RELEASE_NOT_GIVEN))
		r->noted[r->i] = (uint8_t)instance;
	else if (!s->dead) {
		t->word = word_of(instance, TBUF_UNIT_FREE);
		s->user[r->i] = 0;
	}
	if (++r->i == model.scenario->tables) {
		r->i = 0;
		r->at = C_TAKE;
	}
}

static void
forgo(struct state *s)
{
	struct reader *r = &s->reader;
	unsigned i;

	for (i = 0; i < NTABLES && !snapshot(r); i++) {
		if (model_has(D_FORGO_NOT_NOTED) &&
		    tbuf_unit_state(s->tables[i].word) == TBUF_UNIT_DONE)
			r->noted[i] = (uint8_t)
			    tbuf_unit_instance(s->tables[i].word);
		if (r->noted[i] != 0) {
			r->seen[i] = r->noted[i];
			r->noted[i] = 0;
		}
	}
	r->at = r->last ? C_LEFT : C_ROUND;
}

/* Takes a unit that has not ended, or is ending without a mark. */
static void
left_open(struct state *s, unsigned i)
{
	struct reader *r = &s->reader;
	const struct table *t = &s->tables[i];
	unsigned instance = (unsigned)tbuf_unit_instance(t->word), n;
	bool ending = tbuf_unit_state(t->word) == TBUF_UNIT_ENDING;
	unsigned mask = ending ? t->mask : ALL;
	uint8_t ids[NCELLS];

	if ((!ending && tbuf_unit_state(t->word) != TBUF_UNIT_BOUND) ||
	    (ending && r->seen[i] == instance))
		return;
	memcpy(ids, t->cells, sizeof(ids));
	n = choose(ids, t->head, mask);
	check_batch(s, i, instance, mask, ids, n);
	if (!ending) {
		r->open += (uint8_t)n;
		return;
	}
	give(s, i, instance, n);
}

static void
round_begin(struct state *s)
{
	struct reader *r = &s->reader;

	r->last = target_over(s);
	if (!r->last)
		r->rounds--;
	r->at = model.scenario->ring ? C_TAKE : C_LOOK;
}

/* Takes a step.  Returns false if there is none. */
bool
model_reader_step(struct state *s)
{
	struct reader *r = &s->reader;
	unsigned i;

	switch (r->at) {
	case C_ROUND:
		if (r->rounds == 0 && !target_over(s))
			return (false);
		round_begin(s);
		break;
	case C_LOOK:
		look(s);
		break;
	case C_TAKE:
		memcpy(r->lane, s->lane, sizeof(r->lane));
		r->nlane = s->nlane;
		r->at = C_NEXT;
		if (snapshot(r))
			break;
		memset(s->lane, 0, sizeof(s->lane));
		s->nlane = 0;
		break;
	case C_NEXT:
		next_record(s);
		break;
	case C_FORGO:
		forgo(s);
		break;
	case C_LEFT:
		for (i = 0; i < model.scenario->tables; i++)
			left_open(s, i);
		r->at = C_DONE;
		break;
	case C_DONE:
		return (false);
	default:
		mark_step(s);
		break;
	}
	return (true);
}

/*
 * [inv.account] Checks that each record is returned, discarded or lost, and
 * that all lost records had no room.
 */
void
model_reader_account(const struct state *s)
{
	const struct reader *r = &s->reader;
	unsigned i, kept = 0, discarded = 0, full = 0, drops;

	if (r->at != C_DONE)
		model_fail("the consumer waits for ever");
	for (i = 0; i < model.scenario->tables; i++) {
		const struct table *t = &s->tables[i];
		const struct total *total = &t->total[totals(t->word)];

		full += t->full;
		discarded += total->discarded;
		kept += total->kept;
	}
	if (kept < r->given)
		model_fail("more is given than was kept");
	drops = s->full + s->overwritten + kept - r->given;
	if (drops != s->lost)
		model_fail("what is lost is not what had no room");
	if (s->fired != r->given + r->plain + r->open + discarded + drops +
	    full)
		model_fail("records are not given, discarded or lost");
}
