/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Depth-first search of all states that a scenario can reach.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "state.h"
#include "visited.h"

#define DEPTH_MAX	4096

struct model model;

/* Actors of a state's transitions. */
enum actor {
	A_TASK,			/* + the task: a step of it */
	A_ABORT = NTASKS,	/* + the task: aborts its section */
	A_FORK = 2 * NTASKS,	/* + the task: forks it, in a handler */
	A_READER = 3 * NTASKS,
	A_KILL_READER,
	NACTORS
};

struct event {
	uint8_t actor;
	uint8_t place;
	uint8_t choice;
};

static struct {
	struct model_seen seen;
	uint64_t steps;
	unsigned depth;
	struct event path[DEPTH_MAX];
	unsigned failed_at;
	bool killed;		/* only if the target is killed */
} search;

static const char *const task_places[] = {
#define X(name) #name,
	TASK_PLACES(X)
#undef X
};

static const char *const reader_places[] = {
#define X(name) #name,
	READER_PLACES(X)
#undef X
};

/* ------------------------------------------------------------ states seen */

/* Returns true for a new state; its used parts are compared as words. */
static bool
seen_first(const struct state *s)
{
	static unsigned char bytes[sizeof(*s) + 8];
	size_t n = offsetof(struct state, count), size;
	unsigned at;

	memcpy(bytes, s, n);
	for (at = 0; at < NLOCATIONS && model.scenario->weak; at++) {
		size = s->nhistory[at] * sizeof(s->history[0][0]);
		bytes[n++] = s->nhistory[at];
		memcpy(bytes + n, s->history[at], size);
		n += size;
	}
	if (model.scenario->weak) {
		memcpy(bytes + n, s->count, sizeof(s->count));
		n += sizeof(s->count);
		memcpy(bytes + n, s->views, sizeof(s->views));
		n += sizeof(s->views);
	}
	memset(bytes + n, 0, 8);
	return (model_seen_first(&search.seen, bytes, (n + 7) & ~(size_t)7));
}

/* ------------------------------------------------------------ transitions */

static void
running_abort(struct state *s, unsigned task)
{
	if (model_target_in_section(&s->tasks[task]))
		model_target_abort(&s->tasks[task]);
}

/* Takes a step of a task, which preempts the one before on its CPU. */
static bool
task_act(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];
	unsigned before = s->running[t->agent];

	if (!model_target_can_run(s, task))
		return (false);
	if (before != 0 && before != task + 1) {
		if (model_target_in_section(&s->tasks[before - 1]) &&
		    s->tasks[before - 1].aborts >= model.scenario->aborts)
			return (false);
		running_abort(s, before - 1);
	}
	s->running[t->agent] = (uint8_t)(task + 1);
	model_target_step(s, task);
	if (t->place == T_DONE)
		s->running[t->agent] = t->parent;
	return (true);
}

static bool
abort_act(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];

	if (s->running[t->agent] != task + 1 || !model_target_in_section(t) ||
	    t->aborts >= model.scenario->aborts)
		return (false);
	model_target_abort(t);
	return (true);
}

/* Interrupts a fire by a handler that forks. */
static bool
fork_act(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];

	if (!model.scenario->fork || s->forked || t->place == T_IDLE ||
	    t->place == T_DONE || s->running[t->agent] != task + 1)
		return (false);
	running_abort(s, task);
	s->tasks[NTASKS - 1] = *t;
	s->tasks[NTASKS - 1].child = 1;
	s->forked = 1;
	return (true);
}

static bool
reader_act(struct state *s)
{
	if (!model_reader_can_run(s))
		return (false);
	model_reader_step(s);
	return (true);
}

/*
 * Kills the consumer.  If the scenario has more sessions, another consumer
 * takes the slot over and ends the session.
 */
static bool
kill_reader_act(struct state *s)
{
	struct reader *r = &s->reader;
	const struct reader old = *r;

	if (!model.scenario->kill_reader || r->successor || s->gone ||
	    r->place == C_DONE)
		return (false);
	memset(r, 0, sizeof(*r));
	r->place = C_DONE;
	s->gone = model.scenario->sessions == 1;
	if (s->gone)
		return (true);
	r->place = E_GENERATION;
	r->successor = 1;
	r->unbegun = old.unbegun;
	r->generation = old.generation;
	r->sessions = old.sessions + old.unbegun;
	return (true);
}

static bool
act(struct state *s, unsigned actor)
{
	model.choices = 1;
	if (actor < A_ABORT)
		return (task_act(s, actor - A_TASK));
	if (actor < A_FORK)
		return (abort_act(s, actor - A_ABORT));
	if (actor < A_READER)
		return (fork_act(s, actor - A_FORK));
	if (actor == A_READER)
		return (reader_act(s));
	return (kill_reader_act(s));
}

static uint8_t
actor_place(const struct state *s, unsigned actor)
{
	return (actor < A_READER ? s->tasks[actor % NTASKS].place :
	    s->reader.place);
}

/* ------------------------------------------------------------ checks */

/* [inv.killed] Kills the target here; the consumer reads to the end. */
static void
check_killed(const struct state *at)
{
	struct state s;

	model_memory_copy(&s, at);
	s.dead = 1;
	model_meet(&s, READER, CPU0);
	model_meet(&s, READER, CPU1);
	model.wanted = 0;
	while (model.failure == NULL && reader_act(&s))
		continue;
	search.killed = model.failure != NULL;
}

/* Checks a state without transitions: all is done and accounted for. */
static void
check_final(const struct state *s)
{
	unsigned i;

	for (i = 0; i < NTASKS; i++) {
		const struct task *t = &s->tasks[i];

		/* A signal may never have arrived. */
		if (t->place != T_DONE && (t->parent == 0 || t->fires !=
		    model.scenario->tasks[i].fires || t->place != T_IDLE))
			model_fail("a fire does not end");
	}
	if (s->reader.place != C_DONE)
		model_fail("the consumer waits for ever");
	if (!s->gone)
		return;
	for (i = 0; i < NLANES; i++) {
		if (s->value[LANE(i, W_FULL)] + s->value[LANE(i, W_LARGE)] !=
		    s->drops[i])
			model_fail("drops are miscounted without a consumer");
	}
	if ((s->value[L_NOLANE] & 15) != s->nolanes)
		model_fail("drops without a lane are miscounted");
}

/* ------------------------------------------------------------ the search */

static void explore(const struct state *, unsigned depth);

/* Explores all outcomes of an actor's next step; false if it has none. */
static bool
explore_actor(const struct state *s, unsigned actor, unsigned depth)
{
	struct state next;
	unsigned choice, choices = 1;
	bool did = false;

	for (choice = 0; choice < choices; choice++) {
		model_memory_copy(&next, s);
		model.wanted = choice;
		if (!act(&next, actor))
			break;
		did = true;
		search.steps++;
		choices = model.choices;
		search.path[depth].actor = (uint8_t)actor;
		search.path[depth].place = actor_place(s, actor);
		search.path[depth].choice = (uint8_t)choice;
		if (model.failure == NULL) {
			model_memory_tidy(&next);
			if (seen_first(&next))
				explore(&next, depth + 1);
		} else if (search.failed_at == 0)
			search.failed_at = depth + 1;
		if (model.failure != NULL)
			break;
	}
	return (did);
}

static void
explore(const struct state *s, unsigned depth)
{
	unsigned actor;
	bool any = false;

	if (depth > search.depth)
		search.depth = depth;
	if (depth == DEPTH_MAX)
		model_fail("the model's path is too short");
	else if (model.scenario->kill_target)
		check_killed(s);
	for (actor = 0; actor < NACTORS && model.failure == NULL; actor++) {
		if (explore_actor(s, actor, depth) && actor != A_KILL_READER)
			any = true;
	}
	if (model.failure == NULL && !any)
		check_final(s);
	if (model.failure != NULL && search.failed_at == 0)
		search.failed_at = depth;
}

static void
state_init(struct state *s, const struct scenario *scenario)
{
	unsigned at, i;

	memset(s, 0, sizeof(*s));
	for (at = 0; at < NLOCATIONS; at++)
		model_memory_init(s, at, 0);
	for (i = 0; i < NLANES; i++)
		model_memory_init(s, LANE(i, W_LIMIT), scenario->bufsize);
	model_memory_init(s, L_ENABLED, 1);
	model_memory_init(s, L_GENERATION, 1);
	model_memory_init(s, L_ECB, 1);
	model_memory_init(s, L_LOCK, 2);
	model_memory_init(s, L_NOLANE, 1 << 4);
	for (i = 0; i < NTASKS; i++) {
		const struct task_plan *plan = &scenario->tasks[i];

		s->tasks[i].place = plan->fires == 0 ? T_DONE : T_IDLE;
		s->tasks[i].fires = plan->fires;
		s->tasks[i].agent = plan->agent;
		s->tasks[i].locked = plan->locked;
		s->tasks[i].parent = plan->parent;
	}
	s->owner = 1;
	s->reader.generation = 1;
	s->reader.rounds = scenario->rounds;
	s->reader.sessions = (uint8_t)(scenario->sessions - 1);
}

static void
print_path(void)
{
	unsigned i;

	for (i = 0; i < search.failed_at; i++) {
		const struct event *e = &search.path[i];

		if (e->actor == A_KILL_READER)
			printf("\t    consumer killed at %s\n",
			    reader_places[e->place]);
		else if (e->actor == A_READER)
			printf("\t    consumer %s", reader_places[e->place]);
		else
			printf("\ttask %u %s%s", e->actor % NTASKS,
			    e->actor < A_ABORT ? "" : e->actor < A_FORK ?
			    "aborted at " : "forks at ",
			    task_places[e->place]);
		if (e->actor != A_KILL_READER)
			printf(e->choice == 0 ? "\n" : " [%u]\n", e->choice);
	}
	if (search.killed)
		printf("\ttarget killed; the consumer reads on\n");
}

const char *
model_search(const struct scenario *scenario, enum defect defect, bool trace,
    struct result *result)
{
	struct state first;

	memset(&search, 0, sizeof(search));
	memset(&model, 0, sizeof(model));
	model.scenario = scenario;
	model.defect = defect;
	state_init(&first, scenario);
	seen_first(&first);
	explore(&first, 0);
	result->states = search.seen.used;
	result->steps = search.steps;
	result->depth = search.depth;
	model_seen_free(&search.seen);
	if (trace && model.failure != NULL)
		print_path();
	return (model.failure);
}
