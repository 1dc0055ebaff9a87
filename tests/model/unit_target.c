/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target of the model of units: the steps of begin, a record, moves and the
 * end in target/unit and the sections of arch/rseq_unit.h.
 */
#include <string.h>

#include "unit.h"

static struct place *
place_of(struct state *s, const struct task *t)
{
	return (&s->places[t->place - 1]);
}

static struct table *
table_of(struct state *s, const struct task *t)
{
	return (&s->tables[place_of(s, t)->table - 1]);
}

static struct truth *
truth_of(struct state *s, const struct task *t)
{
	const struct place *p = place_of(s, t);

	return (&s->truth[p->table - 1][p->instance]);
}

static uint64_t
bound_word(const struct place *p)
{
	return (word_of(p->instance, TBUF_UNIT_BOUND));
}

/* Zeroes registers that no later step reads, to have fewer states. */
static void
forget(struct task *t)
{
	t->i = t->head = t->held = 0;
	t->mask = t->envelope = t->kept = t->emitted = 0;
	t->word = 0;
	memset(&t->was, 0, sizeof(t->was));
	memset(&t->record, 0, sizeof(t->record));
}

/* Finishes a step of the program. */
static void
done(struct state *s, unsigned task)
{
	const struct scenario *sc = model.scenario;
	struct task *t = &s->tasks[task];

	forget(t);
	t->place = t->id = t->rules = 0;
	t->at = T_IDLE;
	t->next++;
	if (sc->programs[task][t->next] != '\0')
		return;
	t->at = T_DONE;
	if (sc->parent[task] != 0)
		s->tasks[sc->parent[task] - 1].nested--;
}

/* ------------------------------------------------------------ the lane */

static void
lose(struct state *s, const struct record *r)
{
	struct truth *u = &s->truth[r->table][r->instance];

	if (r->kind == PLAIN)
		s->lost++;
	else if (!u->lost) {
		u->lost = 1;
		s->lost += r->count;
	}
}

/* True if the lane counts a drop; tables count those of units. */
static bool
counts(const struct record *r)
{
	return (r->kind == PLAIN || model_has(D_LANE_COUNTS_UNITS));
}

static void
lane_emit(struct state *s, const struct record *r)
{
	if (s->nlane == model.scenario->room && !model.scenario->ring) {
		s->full += counts(r);
		lose(s, r);
		return;
	}
	if (s->nlane == model.scenario->room) {
		s->overwritten += counts(&s->lane[0]);
		lose(s, &s->lane[0]);
		s->nlane--;
		memmove(s->lane, s->lane + 1, s->nlane * sizeof(*r));
	}
	s->lane[s->nlane++] = *r;
}

/* ------------------------------------------------------------ begin */

/* Marks a table as used, from its claim to its release. */
static void
use(struct state *s, const struct task *t, unsigned table)
{
	if (s->user[table] != 0 && s->user[table] != t->place)
		model_fail("a table is used by two units");
	s->user[table] = t->place;
}

/* Takes the table of a place with an ended unit; owned places are excluded. */
static bool
spare(struct state *s, struct task *t)
{
	struct place *p = place_of(s, t), *from;
	unsigned i;

	for (i = 0; i < NTASKS; i++) {
		from = &s->places[i];
		if (from == p || !from->kept || ((from->used ||
		    from->owner != 0) && !model_has(D_SPARE_OF_USED)))
			continue;
		p->table = from->table;
		p->instance = from->instance;
		p->was = from->was;
		p->kept = 1;
		if (!model_has(D_SPARE_LEFT_KEPT))
			from->kept = 0;
		return (true);
	}
	return (false);
}

/* Chooses a table if none is free: a spare one, under ring a done one. */
static void
none_free(struct state *s, struct task *t)
{
	t->i = 0;
	if (spare(s, t))
		t->at = B_CACHED;
	else if (model.scenario->ring)
		t->at = B_DONE;
	else
		t->at = B_ENTER;
}

static void
claim(struct state *s, struct task *t)
{
	struct table *e = &s->tables[t->i];
	unsigned instance = (unsigned)tbuf_unit_instance(t->word);
	struct truth *u = &s->truth[t->i][instance];
	struct place *p = place_of(s, t);

	if (e->word != t->word && !model_has(D_CLAIM_WITHOUT_WORD)) {
		forget(t);
		t->at = B_FREE;
		return;
	}
	if (tbuf_unit_state(t->word) == TBUF_UNIT_DONE) {
		if (!u->lost)
			s->lost += e->count;
		u->lost = 1;
		s->user[t->i] = 0;
	}
	use(s, t, t->i);
	e->word = word_of(instance + 1, TBUF_UNIT_TAKEN);
	p->table = t->i + 1;
	p->instance = (uint8_t)(instance + 1);
	forget(t);
	t->at = B_TAKEN;
}

static void
bind_commit(struct state *s, struct task *t)
{
	struct place *p = place_of(s, t);

	p->counted = p->kept;
	p->instance += p->kept;
	p->kept = p->selected = 0;
	if (p->instance == NINSTANCES) {
		model_fail("the model's list of instances is too short");
		return;
	}
	use(s, t, p->table - 1u);
	table_of(s, t)->word = bound_word(p);
	t->at = B_ENTER;
}

/* Compares the word with its old value: KEPT, or TAKEN by this task. */
static void
bind_word(struct state *s, struct task *t)
{
	struct place *p = place_of(s, t);

	if (table_of(s, t)->word == word_of(p->instance, p->kept ?
	    TBUF_UNIT_CACHED : TBUF_UNIT_TAKEN) ||
	    model_has(D_BIND_WITHOUT_WORD)) {
		t->at = B_HEAD;
		return;
	}
	p->kept = p->table = 0;
	t->at = B_FREE;
}

static void
begin_step(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];

	switch (t->at) {
	case B_FREE:
		t->word = s->tables[t->i].word;
		if (t->word == 0 ||
		    tbuf_unit_state(t->word) == TBUF_UNIT_FREE)
			t->at = B_CLAIM;
		else if (++t->i == model.scenario->tables)
			none_free(s, t);
		break;
	case B_DONE:
		t->word = s->tables[t->i].word;
		if (tbuf_unit_state(t->word) == TBUF_UNIT_DONE)
			t->at = B_CLAIM;
		else if (++t->i == model.scenario->tables)
			t->at = B_ENTER;
		break;
	case B_CLAIM:
		claim(s, t);
		break;
	case B_CACHED:
	case B_TAKEN:
		bind_word(s, t);
		break;
	case B_HEAD:
		table_of(s, t)->head = 0;
		t->at = B_COMMIT;
		break;
	case B_COMMIT:
		bind_commit(s, t);
		break;
	default:		/* B_ENTER */
		t->inside = t->place;
		done(s, task);
		break;
	}
}

static void
begin(struct state *s, struct task *t, unsigned task)
{
	struct place *p = &s->places[task];

	t->place = (uint8_t)(task + 1);
	p->used = 1;
	p->owner = (uint8_t)(task + 1);
	if (!p->kept)
		p->table = p->instance = p->counted = 0;
	t->at = p->kept ? B_CACHED : B_FREE;
}

/* ------------------------------------------------------------ a record */

static void
elsewhere(struct state *s, unsigned task)
{
	struct record r = { .kind = PLAIN };

	s->fired++;
	lane_emit(s, &r);
	done(s, task);
}

/* Begins a record; a handler writes into its thread's unit. */
static void
record(struct state *s, struct task *t, unsigned task, unsigned selection)
{
	unsigned parent = model.scenario->parent[task];

	t->place = parent != 0 ? s->tasks[parent - 1].inside : t->inside;
	t->id = (uint8_t)((task * 16 + t->next) << 2 | selection);
	if (t->place == 0 || place_of(s, t)->table == 0)
		elsewhere(s, task);
	else
		t->at = model.scenario->locked ? R_BUSY : R_HEAD;
}

static void
record_commit(struct state *s, const struct task *t)
{
	struct truth *u = truth_of(s, t);

	if (u->n != t->head)
		model_fail("a record takes another one's place");
	else
		u->ids[u->n++] = t->id;
	s->fired++;
	table_of(s, t)->head = t->head + 1;
}

static void
record_end(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];

	if (t->held)
		place_of(s, t)->busy = 0;
	done(s, task);
}

static void
record_step(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];
	struct place *p = place_of(s, t);
	struct table *e = table_of(s, t);
	bool early = model_has(D_HEAD_BEFORE_DATA);

	switch (t->at) {
	case R_BUSY:
		if (p->busy && !model_has(D_NOT_BUSY)) {
			elsewhere(s, task);
			break;
		}
		p->busy = t->held = 1;
		t->at = R_HEAD;
		break;
	case R_HEAD:
		p->selected |= t->id & ALL;
		t->head = e->head;
		t->at = t->head == model.scenario->cells ? R_FULL :
		    early ? R_COMMIT : R_DATA;
		break;
	case R_DATA:
		if (s->user[p->table - 1] != t->place)
			model_fail("a record goes to another unit's table");
		e->cells[t->head] = t->id;
		if (early)
			record_end(s, task);
		else
			t->at = R_COMMIT;
		break;
	case R_COMMIT:
		record_commit(s, t);
		if (early)
			t->at = R_DATA;
		else
			record_end(s, task);
		break;
	default:		/* R_FULL */
		e->full++;
		s->fired++;
		record_end(s, task);
		break;
	}
}

/* ------------------------------------------------------------ the end */

static void
end(struct state *s, struct task *t, unsigned task)
{
	const struct place *p;

	if (t->inside == 0)
		t->inside = (uint8_t)(task + 1);
	t->place = t->inside;
	t->inside = 0;
	t->rules = (uint8_t)(1u << s->rule);
	p = place_of(s, t);
	if (p->table == 0)
		t->at = G_RELEASE;
	else
		t->at = !model.scenario->locked && p->counted &&
		    (p->guess & p->selected) == 0 ? F_RULE : G_WORD;
}

/* Checks that a unit's rule was in force during its end. */
static void
check_rule(const struct task *t, unsigned mask)
{
	if ((t->rules >> mask & 1) == 0)
		model_fail("a unit ends by a rule that is none any more");
}

static void
let_go(struct state *s, const struct task *t, enum tbuf_unit_state state)
{
	const struct place *p = place_of(s, t);

	table_of(s, t)->word = word_of(p->instance, state);
	if (state == TBUF_UNIT_CACHED)
		s->user[p->table - 1] = 0;
}

/* Retries FINISH with the current rule, if that is another one. */
static void
finish_again(struct state *s, struct task *t)
{
	struct place *p = place_of(s, t);
	bool same = p->guess == s->rule;

	p->guess = s->rule;
	t->at = same || (p->guess & p->selected) != 0 ? G_WORD : F_RULE;
}

/* Takes a step of FINISH, which keeps no record. */
static void
finish_step(struct state *s, struct task *t)
{
	struct place *p = place_of(s, t);
	struct table *e = table_of(s, t);
	struct total *next = &e->total[totals(bound_word(p)) ^
	    !model_has(D_TOTALS_SINGLE)];

	switch (t->at) {
	case F_RULE:
		if (s->rule != p->guess && !model_has(D_FINISH_WITHOUT_RULE))
			finish_again(s, t);
		else
			t->at = F_WORD;
		break;
	case F_WORD:
		t->at = e->word == bound_word(p) ? F_TOTAL : G_WORD;
		break;
	case F_TOTAL:
		*next = p->was;
		next->discarded += e->head;
		t->at = F_COMMIT;
		break;
	default:		/* F_COMMIT */
		check_rule(t, p->guess);
		p->was = *next;
		t->kept = 1;
		let_go(s, t, TBUF_UNIT_CACHED);
		t->at = G_RELEASE;
		break;
	}
}

static void
select_records(struct state *s, struct task *t)
{
	const struct place *p = place_of(s, t);
	const struct table *e = table_of(s, t);
	struct record *r = &t->record;
	unsigned i;

	r->table = p->table - 1;
	r->instance = p->instance;
	r->mask = t->mask;
	r->count = 0;
	for (i = 0; i < t->head; i++) {
		if (selects(t->mask, e->cells[i]))
			r->ids[r->count++] = e->cells[i];
	}
	t->envelope = r->count <= model.scenario->envelope;
	r->kind = t->envelope ? ENVELOPE : MARK;
	if (!t->envelope)
		memset(r->ids, 0, sizeof(r->ids));
}

static void
end_total(struct state *s, struct task *t)
{
	struct table *e = table_of(s, t);
	unsigned next = totals(t->word) ^ !model_has(D_TOTALS_SINGLE);
	unsigned count = t->record.count;

	e->mask = t->mask;
	e->count = (uint8_t)count;
	t->was.kept += (uint8_t)count;
	t->was.discarded += (uint8_t)(t->head - count);
	e->total[next] = t->was;
	t->at = G_COMMIT;
}

static void
end_commit(struct state *s, struct task *t)
{
	check_rule(t, t->mask);
	t->kept = t->record.count == 0;
	let_go(s, t, t->kept ? TBUF_UNIT_CACHED : TBUF_UNIT_ENDING);
	t->at = t->kept ? G_RELEASE : t->emitted ||
	    model_has(D_DONE_BEFORE_MARK) ? G_FINISH : G_EMIT;
}

static void
emit(struct state *s, struct task *t)
{
	if (t->record.count != 0)
		lane_emit(s, &t->record);
	t->emitted = 1;
	t->at = model_has(D_MARK_BEFORE_RECORDS) ? G_TOTAL :
	    model_has(D_DONE_BEFORE_MARK) ? G_RELEASE : G_FINISH;
}

static void
release(struct state *s, unsigned task)
{
	const struct task *t = &s->tasks[task];
	struct place *p = place_of(s, t);

	p->kept = t->kept;
	if (t->record.mask != 0)
		p->was = t->was;
	p->selected = p->counted = 0;
	p->used = p->owner = 0;
	if (!p->kept) {
		p->table = p->instance = 0;
		memset(&p->was, 0, sizeof(p->was));
	}
	done(s, task);
}

static void
end_step(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];
	const struct table *e;

	switch (t->at) {
	case G_WORD:
		e = table_of(s, t);
		if (e->word != bound_word(place_of(s, t)))
			model_fail("a unit's table is not its own");
		t->word = e->word;
		t->head = e->head;
		t->was = e->total[totals(e->word)];
		t->at = G_RULE;
		break;
	case G_RULE:
		t->mask = s->rule;
		select_records(s, t);
		t->at = model_has(D_MARK_BEFORE_RECORDS) && !t->emitted ?
		    G_EMIT : G_TOTAL;
		break;
	case G_TOTAL:
		end_total(s, t);
		break;
	case G_COMMIT:
		end_commit(s, t);
		break;
	case G_EMIT:
		emit(s, t);
		break;
	case G_FINISH:
		t->kept = t->envelope;
		let_go(s, t, t->kept ? TBUF_UNIT_CACHED : TBUF_UNIT_DONE);
		t->at = t->emitted ? G_RELEASE : G_EMIT;
		break;
	default:		/* G_RELEASE */
		release(s, task);
		break;
	}
}

/* ------------------------------------------------------------ a task */

/* Begins the program's next step. */
static void
idle_step(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];
	unsigned parent = model.scenario->parent[task];
	char what = model.scenario->programs[task][t->next];

	if (parent != 0 && t->next == 0) {
		s->tasks[parent - 1].nested++;
		(void)model_task_abort(s, parent - 1);
	}
	switch (what) {
	case 'b':
		begin(s, t, task);
		break;
	case 'l':
		s->places[t->inside - 1].owner = 0;
		t->inside = 0;
		done(s, task);
		break;
	case 'n':
		s->places[0].owner = (uint8_t)(task + 1);
		t->inside = 1;
		done(s, task);
		break;
	case 'e':
		end(s, t, task);
		break;
	default:
		record(s, t, task, (unsigned)(what - '0'));
		break;
	}
}

void
model_task_step(struct state *s, unsigned task)
{
	unsigned at = s->tasks[task].at;

	if (at == T_IDLE)
		idle_step(s, task);
	else if (at >= B_CACHED && at <= B_ENTER)
		begin_step(s, task);
	else if (at >= R_BUSY && at <= R_FULL)
		record_step(s, task);
	else if (at >= F_RULE && at <= F_COMMIT)
		finish_step(s, &s->tasks[task]);
	else
		end_step(s, task);
}

bool
model_task_can_run(const struct state *s, unsigned task)
{
	const struct scenario *sc = model.scenario;
	const struct task *t = &s->tasks[task], *p;

	if (s->dead || t->at == T_DONE || t->nested != 0)
		return (false);
	if (sc->parent[task] != 0 && t->at == T_IDLE && t->next == 0) {
		/* A handler starts while its thread runs. */
		p = &s->tasks[sc->parent[task] - 1];
		return (p->at != T_DONE && p->nested == 0);
	}
	if (t->at != T_IDLE)
		return (true);
	if (sc->programs[task][t->next] == 'n')
		return (s->places[0].used && s->places[0].owner == 0);
	return (sc->programs[task][t->next] != 'b' || !s->places[task].used);
}

bool
model_task_abort(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];
	unsigned at = t->at;

	if (model.scenario->locked)
		return (false);
	if (at >= B_FREE && at <= B_DONE) {
		forget(t);
		t->at = B_FREE;
	} else if (at == B_HEAD || at == B_COMMIT)
		t->at = place_of(s, t)->kept ? B_CACHED : B_TAKEN;
	else if (at >= R_DATA && at <= R_FULL) {
		forget(t);
		t->at = R_HEAD;
	} else if (at >= F_WORD && at <= F_COMMIT)
		finish_again(s, t);
	else if (at >= G_RULE && at <= G_COMMIT && !t->emitted) {
		forget(t);
		t->at = G_WORD;
	} else
		return (false);
	return (true);
}
