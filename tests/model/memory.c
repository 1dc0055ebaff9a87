/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The model's memory: sequentially consistent or weak (state.h).
 */
#include <string.h>

#include "state.h"

void
model_memory_init(struct state *s, enum location at, uint8_t value)
{
	s->value[at] = value;
	s->nhistory[at] = 1;
	s->history[at][0].value = value;
}

void
model_memory_copy(struct state *to, const struct state *from)
{
	memcpy(to, from, model.scenario->weak ? sizeof(*to) :
	    offsetof(struct state, count));
}

static void
join(uint8_t *into, const uint8_t *from)
{
	unsigned i;

	for (i = 0; i < NAGENTS; i++) {
		if (into[i] < from[i])
			into[i] = from[i];
	}
}

/* Returns the oldest message of a location that an agent may still load. */
static unsigned
oldest(const struct state *s, enum agent agent, enum location at)
{
	const struct view *view = &s->views[agent];
	unsigned i;

	for (i = s->nhistory[at] - 1u; i > view->floor[at]; i--) {
		const struct message *m = &s->history[at][i];

		if (m->index <= view->known[m->agent])
			break;
	}
	return (i);
}

uint8_t
model_load(struct state *s, enum agent agent, enum location at,
    enum order order)
{
	struct view *view = &s->views[agent];
	const struct message *m;
	unsigned low, newest = s->nhistory[at] - 1u;

	if (!model.scenario->weak)
		return (s->value[at]);
	low = oldest(s, agent, at);
	model.choices = newest - low + 1;
	view->floor[at] = (uint8_t)(newest - model.wanted);
	m = &s->history[at][view->floor[at]];
	join(view->seen, m->view);
	if (order == ORDERED)
		join(view->known, m->view);
	return (m->value);
}

static void
append(struct state *s, enum agent agent, enum location at, uint8_t value,
    const uint8_t *view)
{
	struct message *m;

	if (s->nhistory[at] == NHISTORY) {
		model_fail("the model's history is too short");
		return;
	}
	m = &s->history[at][s->nhistory[at]++];
	m->value = value;
	m->agent = (uint8_t)agent;
	m->index = s->count[agent];
	memcpy(m->view, view, NAGENTS);
	s->views[agent].floor[at] = (uint8_t)(s->nhistory[at] - 1);
}

void
model_store(struct state *s, enum agent agent, enum location at,
    uint8_t value, enum order order)
{
	struct view *view = &s->views[agent];

	s->value[at] = value;
	if (!model.scenario->weak)
		return;
	view->known[agent] = ++s->count[agent];
	append(s, agent, at, value,
	    order == ORDERED ? view->known : view->fenced);
}

bool
model_cas(struct state *s, enum agent agent, enum location at, uint8_t old,
    uint8_t new)
{
	unsigned newest;

	if (model.scenario->weak) {
		newest = s->nhistory[at] - 1u;
		s->views[agent].floor[at] = (uint8_t)newest;
		join(s->views[agent].seen, s->history[at][newest].view);
		join(s->views[agent].known, s->history[at][newest].view);
	}
	if (s->value[at] != old)
		return (false);
	model_store(s, agent, at, new, ORDERED);
	return (true);
}

void
model_fence_loads(struct state *s, enum agent agent)
{
	if (!model.scenario->weak)
		return;
	join(s->views[agent].known, s->views[agent].seen);
}

void
model_fence_stores(struct state *s, enum agent agent)
{
	if (!model.scenario->weak)
		return;
	join(s->views[agent].fenced, s->views[agent].known);
}

void
model_meet(struct state *s, enum agent a, enum agent b)
{
	uint8_t *views[] = { s->views[a].known, s->views[b].known };
	unsigned i;

	if (!model.scenario->weak)
		return;
	join(views[0], views[1]);
	join(views[1], views[0]);
	for (i = 0; i < 2; i++) {
		join(s->views[i == 0 ? a : b].seen, views[i]);
		join(s->views[i == 0 ? a : b].fenced, views[i]);
	}
}

/* Returns the agents that may still load or store. */
static unsigned
active_agents(const struct state *s)
{
	unsigned i, agents = 0;

	for (i = 0; i < NTASKS; i++) {
		if (s->tasks[i].place != T_DONE && s->dead == 0)
			agents |= 1u << s->tasks[i].agent;
	}
	if (s->reader.place != C_DONE)
		agents |= 1u << READER;
	return (agents);
}

/* Removes messages that every agent knows to be out of date. */
static void
forget_messages(struct state *s, enum location at, unsigned agents)
{
	unsigned agent, low[NAGENTS], n = s->nhistory[at], drop = n - 1;

	for (agent = 0; agent < NAGENTS; agent++) {
		low[agent] = n - 1;
		if ((agents & 1u << agent) != 0)
			low[agent] = oldest(s, agent, at);
		if (drop > low[agent])
			drop = low[agent];
	}
	memmove(&s->history[at][0], &s->history[at][drop],
	    (n - drop) * sizeof(s->history[at][0]));
	memset(&s->history[at][n - drop], 0,
	    drop * sizeof(s->history[at][0]));
	s->nhistory[at] = (uint8_t)(n - drop);
	for (agent = 0; agent < NAGENTS; agent++)
		s->views[agent].floor[at] = (uint8_t)(low[agent] - drop);
	/* No code compares the index of the oldest message. */
	s->history[at][0].agent = 0;
	s->history[at][0].index = 0;
}

/* Sets rank[i] to the number of the agent's stores up to i still in memory. */
static void
rank_stores(const struct state *s, unsigned agent, uint8_t rank[256])
{
	unsigned at, i, next = 0;

	memset(rank, 0, 256);
	for (at = 0; at < NLOCATIONS; at++) {
		for (i = 1; i < s->nhistory[at]; i++) {
			if (s->history[at][i].agent == agent)
				rank[s->history[at][i].index] = 1;
		}
	}
	for (i = 0; i < 256; i++) {
		next += rank[i];
		rank[i] = (uint8_t)next;
	}
}

/* Renumbers an agent's stores: only their order matters. */
static void
renumber(struct state *s, unsigned agent)
{
	uint8_t rank[256];
	unsigned at, i;

	rank_stores(s, agent, rank);
	s->count[agent] = rank[s->count[agent]];
	for (i = 0; i < NAGENTS; i++) {
		struct view *view = &s->views[i];

		view->known[agent] = rank[view->known[agent]];
		view->seen[agent] = rank[view->seen[agent]];
		view->fenced[agent] = rank[view->fenced[agent]];
	}
	for (at = 0; at < NLOCATIONS; at++) {
		for (i = 0; i < s->nhistory[at]; i++) {
			struct message *m = &s->history[at][i];

			m->view[agent] = rank[m->view[agent]];
			if (i > 0 && m->agent == agent)
				m->index = rank[m->index];
		}
	}
}

void
model_memory_tidy(struct state *s)
{
	unsigned at, agent, agents = active_agents(s);

	if (!model.scenario->weak)
		return;
	for (at = 0; at < NLOCATIONS; at++)
		forget_messages(s, at, agents);
	for (agent = 0; agent < NAGENTS; agent++) {
		join(s->views[agent].seen, s->views[agent].known);
		renumber(s, agent);
	}
}
