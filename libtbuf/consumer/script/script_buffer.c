/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A script's records, faults and losses, until they are returned as events.
 * Memory is allocated as it is needed; bufsize is charged the bytes that a
 * record takes in DTrace, where a text takes strsize.
 */
#include <stdlib.h>
#include <string.h>

#include "base/policy.h"
#include "consumer/decode/record_layout.h"
#include "consumer/script/script.h"
#include "consumer/util/util.h"

/* An entry to be sorted, with its place before. */
struct tbuf_turn {
	struct tbuf_entry *entry;
	size_t number;
};

uint64_t
tbuf_record_charge(const struct tbuf_d_record *layout)
{
	return (TBUF_RECORD_LEAST +
	    (((uint64_t)layout->charge + 7) & ~UINT64_C(7)));
}

static struct tbuf_script_cpu *
cpu_of(struct tbuf_script *s)
{
	return (&s->cpus[s->cpu]);
}

/* Removes the oldest records of a CPU, under ring, to make room. */
static void
overwrite(struct tbuf_script *s, uint64_t charge)
{
	struct tbuf_script_cpu *cpu = cpu_of(s);
	struct tbuf_entry *e, *next;

	STAILQ_FOREACH_SAFE(e, &s->queue, link, next) {
		if (cpu->used + charge <= s->terms.bufsize)
			return;
		if (e->cpu != s->cpu || e->fault != 0)
			continue;
		STAILQ_REMOVE(&s->queue, e, tbuf_entry, link);
		cpu->used -= e->charge;
		cpu->overwritten++;
		free(e);
	}
}

/* Returns the usable bytes of a buffer; a part is reserved for END. */
static uint64_t
limit(const struct tbuf_script *s)
{
	return (s->terms.bufsize - (s->ending ? 0 : s->reserved_end));
}

bool
tbuf_script_room(struct tbuf_script *s, uint64_t charge)
{
	struct tbuf_script_cpu *cpu = cpu_of(s);

	if (s->speculating != NULL)
		return (tbuf_speculation_room(s, charge));
	if (charge > s->terms.bufsize) {
		cpu->drops[TBUF_CAUSE_LARGE]++;
		return (false);
	}
	if (s->terms.bufpolicy == TBUF_RING)
		overwrite(s, charge);
	if ((!cpu->full || s->ending) && cpu->used + charge <= limit(s))
		return (true);
	cpu->full = s->terms.bufpolicy == TBUF_FILL;
	cpu->drops[TBUF_CAUSE_FULL]++;
	return (false);
}

bool
tbuf_script_full(const struct tbuf_script *s)
{
	unsigned i;

	for (i = 0; i < TBUF_NCPUS; i++)
		if (s->cpus[i].full)
			return (true);
	return (false);
}

/* Sets process, thread, CPU and time: those of the record or the sample. */
static void
set_origin(const struct tbuf_script *s, struct tbuf_entry *e)
{
	const struct tbuf_script_record *r = s->record;
	const struct tbuf_script_sample *sample = s->sample;

	(void)tbuf_copy(e->execname, tbuf_script_execname(s),
	    sizeof(e->execname));
	if (r != NULL) {
		e->probe = r->probe;
		e->pid = r->pid;
		e->tid = r->tid;
		e->shown_cpu = r->cpu;
		e->wall = r->wall;
		e->time = r->time;
		return;
	}
	e->probe = &s->now->probe->info;
	e->pid = sample != NULL ? sample->pid : s->pid;
	e->tid = (uint32_t)(sample != NULL ? sample->tid : s->pid);
	e->shown_cpu = s->cpu;
	e->wall = tbuf_script_wall(s);
	e->time = e->turn = tbuf_script_moment(s);
}

struct tbuf_entry *
tbuf_entry_add(struct tbuf_script *s, uint64_t charge, const void *data,
    uint32_t size)
{
	struct tbuf_entry *e = malloc(sizeof(*e) + size);

	if (e == NULL) {
		cpu_of(s)->drops[TBUF_CAUSE_FULL]++;
		return (NULL);
	}
	memset(e, 0, sizeof(*e));
	e->epid = s->now->epid;
	e->cpu = s->cpu;
	set_origin(s, e);
	e->charge = charge;
	e->size = size;
	if (size != 0)
		memcpy(e->data, data, size);
	if (s->speculating != NULL) {
		s->speculating->used += charge;
		STAILQ_INSERT_TAIL(&s->speculating->entries, e, link);
	} else {
		cpu_of(s)->used += charge;
		STAILQ_INSERT_TAIL(&s->queue, e, link);
	}
	return (e);
}

/* ------------------------------------------------------------ returning */

/* Sorts entries by turn, then by the order in which they were made. */
static int
compare_turns(const void *a, const void *b)
{
	const struct tbuf_turn *x = a, *y = b;

	if (x->entry->turn != y->entry->turn)
		return (x->entry->turn < y->entry->turn ? -1 : 1);
	return (x->number < y->number ? -1 : x->number > y->number);
}

/*
 * Sorts entries by time: samples are read later than timers that fired after
 * them.  Without memory the order stays.
 */
static void
sort_turns(struct tbuf_script *s)
{
	struct tbuf_turn *turns;
	struct tbuf_entry *e;
	size_t n = 0, i;

	STAILQ_FOREACH(e, &s->giving, link)
		n++;
	if (n < 2 || (turns = calloc(n, sizeof(*turns))) == NULL)
		return;
	for (i = 0; i < n; i++) {
		turns[i].entry = STAILQ_FIRST(&s->giving);
		turns[i].number = i;
		STAILQ_REMOVE_HEAD(&s->giving, link);
	}
	qsort(turns, n, sizeof(*turns), compare_turns);
	for (i = 0; i < n; i++)
		STAILQ_INSERT_TAIL(&s->giving, turns[i].entry, link);
	free(turns);
}

void
tbuf_script_drain(struct tbuf_script *s, bool switched, bool telling)
{
	unsigned i;

	free(s->returned);
	s->returned = NULL;
	if (switched) {
		STAILQ_CONCAT(&s->giving, &s->queue);
		for (i = 0; i < TBUF_NCPUS; i++)
			s->cpus[i].used = 0;
		if (s->terms.temporal != 0)
			sort_turns(s);
	}
	s->telling = telling;
	s->next_loss = 0;
}

void
tbuf_script_give(struct tbuf_script *s)
{
	const struct tbuf_entry *e;

	STAILQ_FOREACH(e, &s->queue, link)
		s->cpus[e->cpu].used = 0;
	STAILQ_CONCAT(&s->giving, &s->queue);
}

static void
give_record(struct tbuf_script *s, const struct tbuf_entry *e,
    struct tbuf_record *r)
{
	memset(r, 0, sizeof(*r));
	r->pid = e->pid;
	r->execname = e->execname;
	r->tid = e->tid;
	r->cpu = e->shown_cpu;
	r->time = e->time;
	r->wall = e->wall;
	r->probe = e->probe;
	r->epid = e->epid;
	r->layout = e->layout;
	if (e->layout == NULL)
		return;
	r->npieces = e->layout->npieces;
	r->pieces = s->pieces;
	if (e->pieces == NULL)
		tbuf_pieces_read(e->layout->pieces, r->npieces, e->data,
		    s->pieces);
	else if (!tbuf_layout_read(e->pieces, e->data, e->size, s->pieces))
		r->npieces = 0;
}

static void
give(struct tbuf_script *s, const struct tbuf_entry *e,
    struct tbuf_event *event)
{
	memset(event, 0, sizeof(*event));
	event->type = TBUF_EVENT_RECORD;
	event->pid = e->pid;
	event->cpu = e->shown_cpu;
	give_record(s, e, &event->record);
	if (e->fault == 0)
		return;
	event->type = TBUF_EVENT_FAULT;
	event->fault = e->fault;
	event->action = e->action;
	event->offset = e->offset;
	event->address = e->address;
}

static int
count(struct tbuf_script *s, struct tbuf_event *event, uint64_t *counter,
    enum tbuf_event_type type)
{
	if (*counter == 0)
		return (0);
	memset(event, 0, sizeof(*event));
	event->type = type;
	event->pid = s->pid;
	event->cpu = (int)s->next_loss;
	event->count = *counter;
	*counter = 0;
	return (1);
}

int
tbuf_script_losses(struct tbuf_script *s, struct tbuf_event *event)
{
	struct tbuf_script_cpu *cpu;
	unsigned cause;

	if (!s->telling)
		return (0);
	for (; s->next_loss < TBUF_NCPUS; s->next_loss++) {
		cpu = &s->cpus[s->next_loss];
		for (cause = 0; cause < 3; cause++) {
			if (count(s, event, &cpu->drops[cause],
			    TBUF_EVENT_DROPS) == 0)
				continue;
			event->cause = (enum tbuf_cause)cause;
			return (1);
		}
		if (count(s, event, &cpu->overwritten,
		    TBUF_EVENT_OVERWRITTEN) == 1 ||
		    count(s, event, &cpu->aggregation_drops,
		    TBUF_EVENT_AGGREGATION) == 1)
			return (1);
	}
	if (count(s, event, &s->dynamic_drops, TBUF_EVENT_DYNAMIC) == 1 ||
	    count(s, event, &s->speculative_drops, TBUF_EVENT_SPECULATIVE) ==
	    1 || count(s, event, &s->unavailable, TBUF_EVENT_UNAVAILABLE) == 1)
		return (1);
	return (count(s, event, &s->errors, TBUF_EVENT_ERRORS) == 1 ||
	    count(s, event, &s->timer_drops, TBUF_EVENT_TIMERS) == 1 ||
	    (s->ending && count(s, event, &s->snapshots_beyond,
	    TBUF_EVENT_SNAPSHOTS) == 1));
}

int
tbuf_script_next(struct tbuf_script *s, struct tbuf_event *event,
    uint64_t until)
{
	struct tbuf_entry *e = STAILQ_FIRST(&s->giving);

	free(s->returned);
	s->returned = NULL;
	if (e == NULL || e->turn > until)
		return (0);
	s->returned = e;
	STAILQ_REMOVE_HEAD(&s->giving, link);
	s->faults -= e->fault != 0;
	give(s, e, event);
	return (1);
}

void
tbuf_entries_free(struct tbuf_entries *entries)
{
	struct tbuf_entry *e;

	while ((e = STAILQ_FIRST(entries)) != NULL) {
		STAILQ_REMOVE_HEAD(entries, link);
		free(e);
	}
}
