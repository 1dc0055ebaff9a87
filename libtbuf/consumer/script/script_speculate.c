/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Speculations of clauses in the consumer.  As one thread runs all clauses, a
 * speculation that is committed or discarded ends at once, and its id is free.
 *
 *	INACTIVE --speculation()--> ACTIVE --commit(), discard()--> INACTIVE
 */
#include <stdlib.h>

#include "consumer/script/script.h"

bool
tbuf_speculations_make(struct tbuf_script *s)
{
	uint64_t i, count = MIN(s->terms.nspec, TBUF_NSPEC_MAX);

	s->speculations = calloc(count + 1, sizeof(*s->speculations));
	if (s->speculations == NULL)
		return (false);
	s->nspeculations = (uint32_t)count;
	for (i = 0; i < count; i++)
		STAILQ_INIT(&s->speculations[i].entries);
	return (true);
}

/* Frees a speculation's entries and its id. */
static void
end(struct tbuf_speculation *one)
{
	tbuf_entries_free(&one->entries);
	one->used = one->drops = 0;
	one->active = false;
}

void
tbuf_speculations_free(struct tbuf_script *s)
{
	uint32_t i;

	for (i = 0; i < s->nspeculations; i++)
		end(&s->speculations[i]);
	free(s->speculations);
}

int
tbuf_script_speculation(struct tbuf_machine *m, uint64_t *id)
{
	struct tbuf_script *s = tbuf_script_of(m);
	uint32_t i;

	*id = 0;
	for (i = 0; i < s->nspeculations; i++)
		if (!s->speculations[i].active) {
			s->speculations[i].active = true;
			*id = i + 1;
			return (0);
		}
	s->unavailable++;
	return (0);
}

/* Stops the clause, without a fault, if the id is not active. */
int
tbuf_script_speculate(struct tbuf_machine *m, uint64_t id)
{
	struct tbuf_script *s = tbuf_script_of(m);

	if (id == 0 || id > s->nspeculations ||
	    !s->speculations[id - 1].active)
		return (TBUF_STOP);
	s->speculating = &s->speculations[id - 1];
	return (0);
}

bool
tbuf_speculation_room(struct tbuf_script *s, uint64_t charge)
{
	struct tbuf_speculation *one = s->speculating;

	if (one->used + charge <= s->terms.specsize)
		return (true);
	one->drops++;
	return (false);
}

/*
 * Commits the records of one CPU, that of the first record: all of them, or
 * none if they have no room.  A common turn keeps them together in a merge.
 */
static void
commit_cpu(struct tbuf_script *s, struct tbuf_speculation *one, uint64_t turn)
{
	struct tbuf_entry *e, *next;
	int cpu = s->cpu;
	uint64_t bytes = 0;
	bool room;

	s->cpu = STAILQ_FIRST(&one->entries)->cpu;
	STAILQ_FOREACH(e, &one->entries, link)
		bytes += e->cpu == s->cpu ? e->charge : 0;
	room = tbuf_script_room(s, bytes);
	STAILQ_FOREACH_SAFE(e, &one->entries, link, next) {
		if (e->cpu != s->cpu)
			continue;
		STAILQ_REMOVE(&one->entries, e, tbuf_entry, link);
		if (!room) {
			free(e);
			continue;
		}
		s->cpus[s->cpu].used += e->charge;
		e->turn = turn;
		STAILQ_INSERT_TAIL(&s->queue, e, link);
	}
	s->cpu = cpu;
}

/*
 * Finds an active speculation; *one is NULL if there is none.  Returns 0, or
 * TBUF_FAULT_ILLEGAL for an id that cannot exist.
 */
static int
find(struct tbuf_script *s, uint64_t id, struct tbuf_speculation **one)
{
	*one = NULL;
	if (id > s->nspeculations)
		return (TBUF_FAULT_ILLEGAL);
	if (id != 0 && s->speculations[id - 1].active)
		*one = &s->speculations[id - 1];
	return (0);
}

int
tbuf_script_commit(struct tbuf_machine *m, uint64_t id)
{
	struct tbuf_script *s = tbuf_script_of(m);
	struct tbuf_speculation *one;
	int answer = find(s, id, &one);
	uint64_t turn;

	if (one == NULL)
		return (answer);
	s->speculative_drops += one->drops;
	turn = tbuf_script_moment(s);
	while (!STAILQ_EMPTY(&one->entries))
		commit_cpu(s, one, turn);
	end(one);
	return (0);
}

int
tbuf_script_discard(struct tbuf_machine *m, uint64_t id)
{
	struct tbuf_speculation *one;
	int answer = find(tbuf_script_of(m), id, &one);

	if (one != NULL)
		end(one);
	return (answer);
}
