/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fires the consumer's probes: runs their clauses in order.
 */
#include <string.h>

#include "consumer/decode/record_layout.h"
#include "consumer/script/script.h"

/* Work on texts in one run; large, since no program waits for it. */
#define FUEL	(UINT64_C(256) << 20)

/* ------------------------------------------------------------ effects */

static const struct tbuf_d_record *
record_find(const struct tbuf_script *s, uint32_t record)
{
	return (record < s->now->clause->nrecords ?
	    &s->now->clause->records[record] : NULL);
}

/* Stops the clause, before its first effect, if a record has no room. */
static int
room(struct tbuf_machine *m, uint32_t record)
{
	struct tbuf_script *s = tbuf_script_of(m);
	const struct tbuf_d_record *layout = record_find(s, record);

	if (layout == NULL)
		return (TBUF_FAULT_ILLEGAL);
	return (tbuf_script_room(s, tbuf_record_charge(layout)) ? 0 :
	    TBUF_STOP);
}

static int
emit(struct tbuf_machine *m, uint32_t record)
{
	struct tbuf_script *s = tbuf_script_of(m);
	const struct tbuf_d_record *layout = record_find(s, record);
	uint64_t charge;
	struct tbuf_entry *e;

	if (layout == NULL)
		return (TBUF_FAULT_ILLEGAL);
	if (tbuf_script_folds(layout)) {
		tbuf_pieces_read(layout->pieces, layout->npieces,
		    m->record.bytes, s->pieces);
		tbuf_script_fold(s, layout, s->pieces, s->cpu);
		return (0);
	}
	charge = tbuf_record_charge(layout);
	if (!tbuf_script_room(s, charge))
		return (TBUF_STOP);
	e = tbuf_entry_add(s, charge, m->record.bytes, m->record.used);
	if (e == NULL)
		return (TBUF_STOP);
	e->layout = layout;
	if (s->record != NULL)
		e->pieces = s->record->layouts[record];
	e->epid += record;
	/* The part after an if counts as a clause: it is not speculated. */
	s->speculating = NULL;
	return (0);
}

/* Performs exit(); later statements of the same clause still run. */
static int
leave(struct tbuf_machine *m, uint64_t status)
{
	struct tbuf_script *s = tbuf_script_of(m);

	s->exited = true;
	s->status = (int)status;
	return (0);
}

/* Counts a call of snapshot(); after the run's end there is none to take. */
static int
snapshot(struct tbuf_machine *m)
{
	struct tbuf_script *s = tbuf_script_of(m);

	if (s->stopped)
		s->snapshots_beyond++;
	else
		s->snapshots++;
	return (0);
}

/* Ends speculate() for the part of a clause after an if. */
static bool
resume(struct tbuf_machine *m)
{
	tbuf_script_of(m)->speculating = NULL;
	return (true);
}

static const struct tbuf_surroundings surroundings = {
	.builtin = tbuf_script_builtin,
	.object = tbuf_script_object,
	.write = tbuf_script_write,
	.load = tbuf_script_load,
	.store = tbuf_script_store,
	.refer = tbuf_script_refer,
	.store_text = tbuf_script_store_text,
	.store_bytes = tbuf_script_store_bytes,
	.copyin = tbuf_script_copyin,
	.stack = tbuf_script_stack,
	.room = room,
	.emit = emit,
	.update = tbuf_script_update,
	.exit = leave,
	.snapshot = snapshot,
	.speculation = tbuf_script_speculation,
	.speculate = tbuf_script_speculate,
	.commit = tbuf_script_commit,
	.discard = tbuf_script_discard,
	.resume = resume,
	.call = tbuf_script_call
};

/* ------------------------------------------------------------ clauses */

/* Adds the default record of a clause without actions. */
static void
emit_default(struct tbuf_script *s)
{
	static const struct tbuf_d_record none = { .nactions = 0 };
	uint64_t charge = tbuf_record_charge(&none);

	if (tbuf_script_room(s, charge))
		(void)tbuf_entry_add(s, charge, NULL, 0);
}

/* Fires ERROR as the thread that had the fault; NULL: the present one. */
static void
fire_error(struct tbuf_script *s, const struct tbuf_script_sample *thread,
    int cpu)
{
	const struct tbuf_script_sample *sample = s->sample;

	if (thread != NULL)
		s->sample = thread;
	tbuf_script_fire(s, &s->probes[TBUF_SCRIPT_ERROR], cpu);
	s->sample = sample;
}

/* Fires ERROR as the thread of a record. */
static void
fire_error_of(struct tbuf_script *s, const struct tbuf_script_record *record)
{
	static const uint64_t nowhere[1];
	struct tbuf_script_sample thread = {
		.time = record->time, .image = record->image,
		.frames = nowhere, .pid = record->pid,
		.tid = (pid_t)record->tid
	};

	(void)tbuf_copy(thread.execname, record->execname,
	    sizeof(thread.execname));
	fire_error(s, &thread, s->cpu);
}

struct tbuf_d_place
tbuf_clause_place(const struct tbuf_d_clause *clause, uint32_t at)
{
	struct tbuf_d_place place = { 0 };
	uint32_t i;

	for (i = 0; clause != NULL && i < clause->nplaces &&
	    clause->places[i].at <= at; i++)
		place = clause->places[i];
	return (place);
}

/* Adds a fault's entry and fires ERROR; faults in ERROR are only counted. */
static void
fault(struct tbuf_script *s)
{
	const struct tbuf_script_enabling *now = s->now;
	const struct tbuf_script_record *record = s->record;
	const struct tbuf_machine *m = &s->machine;
	const struct tbuf_d_place place =
	    tbuf_clause_place(now->clause, m->fault.at);
	struct tbuf_entry *e;

	if (now->probe->kind == TBUF_SCRIPT_ERROR) {
		s->errors++;
		return;
	}
	s->values[1] = now->epid + place.part;
	s->values[2] = place.action;
	s->values[3] = m->fault.at;
	s->values[4] = m->fault.number;
	s->values[5] = m->fault.address;
	if (s->faults >= TBUF_SCRIPT_FAULTS)
		s->cpus[s->cpu].drops[TBUF_CAUSE_FULL]++;
	else if ((e = tbuf_entry_add(s, 0, NULL, 0)) != NULL) {
		s->faults++;
		e->fault = m->fault.number;
		e->epid += place.part;
		e->action = place.action;
		e->offset = m->fault.at;
		e->address = m->fault.address;
	}
	tbuf_script_take(s, NULL);
	if (record != NULL)
		fire_error_of(s, record);
	else
		fire_error(s, NULL, s->cpu);
	tbuf_script_take(s, record);
	s->now = now;
	memset(s->values, 0, sizeof(s->values));
}

void
tbuf_script_take(struct tbuf_script *s, const struct tbuf_script_record *record)
{
	struct tbuf_machine *m = &s->machine;

	s->record = record;
	m->values = record == NULL ? s->values : record->values;
	m->types = record == NULL ? s->types : record->types;
	m->nargs = record == NULL ? TBUF_ARGS_MAX : record->nargs;
}

void
tbuf_script_anew(struct tbuf_script *s)
{
	tbuf_cells_clear(&s->locals);
	s->machine.token_at = TBUF_TOKEN_NONE;
}

void
tbuf_script_run(struct tbuf_script *s, const struct tbuf_script_enabling *now,
    const struct tbuf_d_program *program)
{
	struct tbuf_machine *m = &s->machine;
	enum tbuf_end ended;

	s->now = now;
	m->code = program->code;
	m->length = program->length;
	m->constants = program->constants;
	m->constants_size = program->constants_size;
	m->surroundings = &surroundings;
	m->scratch.used = 0;
	m->fuel = FUEL;
	s->speculating = NULL;
	ended = tbuf_machine_run(m);
	tbuf_elements_return(s);
	s->speculating = NULL;
	if (ended == TBUF_END_FAULT)
		fault(s);
}

static void
run_clause(struct tbuf_script *s, const struct tbuf_script_enabling *enabling)
{
	const struct tbuf_d_clause *clause = enabling->clause;

	s->timestamp = s->sample != NULL ? s->sample->time : 0;
	s->now = enabling;
	if ((clause->flags & TBUF_CLAUSE_DEFAULT) != 0 ||
	    clause->nprograms == 0)
		emit_default(s);
	else
		tbuf_script_run(s, enabling, &clause->programs[0]);
}

/*
 * Returns true after exit(): no probe fires any more but END, with all of its
 * clauses, and ERROR, for END's faults and those of remaining records.
 */
static bool
over(const struct tbuf_script *s)
{
	return (s->exited && !s->stopped && !s->ending);
}

void
tbuf_script_fire(struct tbuf_script *s, const struct tbuf_script_probe *probe,
    int cpu)
{
	unsigned i;

	s->cpu = cpu;
	if (probe->kind != TBUF_SCRIPT_ERROR) {
		tbuf_script_anew(s);
		memset(s->values, 0, sizeof(s->values));
	}
	if (probe->kind >= TBUF_SCRIPT_TICK)
		s->values[1] = s->sample != NULL ? s->sample->frames[0] :
		    (uint64_t)(uintptr_t)tbuf_script_fire;
	for (i = 0; i < s->nenablings && !over(s); i++)
		if (s->enablings[i].probe == probe)
			run_clause(s, &s->enablings[i]);
}

void
tbuf_script_error(struct tbuf_script *s, const struct tbuf_event *event,
    const struct tbuf_script_sample *thread)
{
	struct tbuf_entries waiting = STAILQ_HEAD_INITIALIZER(waiting);
	struct tbuf_entry *e;

	memset(s->values, 0, sizeof(s->values));
	s->values[1] = event->record.epid;
	s->values[2] = event->action;
	s->values[3] = event->offset;
	s->values[4] = event->fault;
	s->values[5] = event->address;
	tbuf_script_anew(s);
	fire_error(s, thread, thread->cpu >= 0 &&
	    thread->cpu < (int)TBUF_NCPUS ? thread->cpu : s->home);
	memset(s->values, 0, sizeof(s->values));
	/* ERROR's entries come before those that wait for their turn. */
	STAILQ_FOREACH(e, &s->queue, link)
		e->turn = 0;
	STAILQ_CONCAT(&waiting, &s->giving);
	STAILQ_CONCAT(&s->giving, &s->queue);
	STAILQ_CONCAT(&s->giving, &waiting);
}

void
tbuf_script_limits(const struct tbuf_d_script *source,
    const struct tbuf_d_clause *clause, const struct tbuf_d_program *program,
    struct tbuf_program *limits)
{
	const struct tbuf_d_variable *v = source->variables;
	uint32_t i;

	*limits = (struct tbuf_program){
		.code = program->code, .constants = program->constants,
		.length = program->length,
		.constants_size = program->constants_size,
		.length_max = TBUF_CONSUMER_WORDS,
		.names = clause->nnames, .records = clause->nrecords,
		.aggregations = source->naggregations
	};
	for (i = 0; i < source->nvariables; i++, v++)
		if (v->scope < TBUF_SCOPES &&
		    v->id >= limits->variables[v->scope])
			limits->variables[v->scope] = v->id + 1;
}
