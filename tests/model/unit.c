/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Every interleaving of threads, handlers and consumer in the life of work
 * units, within small bounds, with the target killed at any step.  To prove the
 * search, it must find each of the defects that can be built in.
 *
 *	unit [-v] [--mutate=DEFECT] [SCENARIO]
 *
 * -v prints the number of states.  With a defect, the interleaving that shows
 * it is printed.
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "by_name.h"
#include "unit.h"
#include "visited.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define DEPTH_MAX	512

static const struct scenario scenarios[] = {
	{ .name = "mark", .programs = { "b12eb2e", "b2e" }, .tables = 2,
	  .cells = 2, .room = 2, .rounds = 2 },
	{ .name = "rule", .programs = { "b12eb1e", "b1e" }, .tables = 2,
	  .cells = 2, .room = 1, .aborts = 1, .rule = 3 },
	{ .name = "envelope", .programs = { "b12eb2e", "b1e" }, .tables = 1,
	  .cells = 2, .room = 1, .envelope = 2, .rounds = 1, .rule = 3 },
	{ .name = "discard", .programs = { "b1eb1eb1e" }, .tables = 1,
	  .cells = 2, .room = 2, .rounds = 1, .aborts = 3, .rule = 3 },
	{ .name = "handler", .programs = { "b1eb1e", NULL, "21" },
	  .parent = { 0, 0, 1 }, .tables = 1, .cells = 3, .room = 2,
	  .rounds = 1, .aborts = 1 },
	{ .name = "handler-locked", .programs = { "b12eb1e", NULL, "21" },
	  .parent = { 0, 0, 1 }, .tables = 1, .cells = 3, .room = 3,
	  .rounds = 1, .locked = true },
	{ .name = "move", .programs = { "b1l1b2e", "n2e" }, .tables = 2,
	  .cells = 2, .room = 3, .rounds = 1, .aborts = 1, .rule = 3 },
	{ .name = "spare", .programs = { "b1eb1e", "b1e", "b1e" },
	  .tables = 1, .cells = 1, .room = 3, .aborts = 1 },
	{ .name = "ring", .programs = { "b2eb22e", "b2e" }, .tables = 1,
	  .cells = 2, .room = 2, .rounds = 1, .aborts = 1, .ring = true },
	{ .name = "ring-two", .programs = { "b2eb12e", "b22e" }, .tables = 2,
	  .cells = 2, .room = 1, .rounds = 1, .ring = true },
};

/* Scenarios in which a defect shows. */
static const struct proof {
	enum defect defect;
	const char *scenario;
} proofs[] = {
	{ D_NO_SECOND_LOOK, "ring" },
	{ D_FINISH_WITHOUT_RULE, "discard" },
	{ D_MARK_BEFORE_RECORDS, "mark" },
	{ D_DONE_BEFORE_MARK, "mark" },
	{ D_CLAIM_WITHOUT_WORD, "mark" },
	{ D_BIND_WITHOUT_WORD, "spare" },
	{ D_HEAD_BEFORE_DATA, "handler" },
	{ D_TOTALS_SINGLE, "discard" },
	{ D_NOT_BUSY, "handler-locked" },
	{ D_SPARE_OF_USED, "spare" },
	{ D_SPARE_LEFT_KEPT, "spare" },
	{ D_RELEASE_NOT_GIVEN, "mark" },
	{ D_FORGO_NOT_NOTED, "mark" },
	{ D_LANE_COUNTS_UNITS, "ring" },
};

static const char *const defect_names[] = {
#define X(name, text) text,
	DEFECTS(X)
#undef X
};

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

enum actor {
	A_TASK,			/* + the task: a step of it */
	A_ABORT = NTASKS,	/* + the task: aborts its section */
	A_READER = 2 * NTASKS,
	A_RULE,			/* the consumer changes the rule */
	NACTORS
};

struct event {
	uint8_t actor;
	uint8_t at;
};

static struct {
	struct model_seen seen;
	struct event path[DEPTH_MAX];
	unsigned depth;
	unsigned failed_at;
	bool killed;		/* only if the target is killed */
} search;

struct model model;

static bool verbose, mutated;
static unsigned passed, failed;

/* ------------------------------------------------------------ the search */

static bool
rule_act(struct state *s)
{
	unsigned i;

	if (s->rule == model.scenario->rule || model.scenario->rule == 0 ||
	    s->reader.last)
		return (false);
	s->rule = model.scenario->rule;
	for (i = 0; i < NTASKS; i++)
		if (s->tasks[i].rules != 0)
			s->tasks[i].rules |= (uint8_t)(1u << s->rule);
	return (true);
}

static bool
act(struct state *s, unsigned actor)
{
	unsigned task = actor % NTASKS;

	if (actor == A_RULE)
		return (rule_act(s));
	if (actor == A_READER)
		return (model_reader_step(s));
	if (!model_task_can_run(s, task))
		return (false);
	if (actor < A_ABORT) {
		model_task_step(s, task);
		return (true);
	}
	if (s->tasks[task].aborts == model.scenario->aborts ||
	    !model_task_abort(s, task))
		return (false);
	s->tasks[task].aborts++;
	return (true);
}

/* [inv.killed] Kills the target here; the consumer reads to the end. */
static void
check_killed(const struct state *at)
{
	struct state s;

	memcpy(&s, at, sizeof(s));
	s.dead = 1;
	while (model.failure == NULL && model_reader_step(&s))
		continue;
	if (model.failure == NULL)
		model_reader_account(&s);
	search.killed = model.failure != NULL;
}

/* Checks a state without transitions. */
static void
check_final(const struct state *s)
{
	unsigned i;

	/* A signal may never have arrived. */
	for (i = 0; i < NTASKS; i++)
		if (s->tasks[i].at != T_DONE && (s->tasks[i].next != 0 ||
		    model.scenario->parent[i] == 0))
			model_fail("a thread waits for ever");
	model_reader_account(s);
}

static void
explore(const struct state *s, unsigned depth)
{
	struct state next;
	unsigned actor;
	bool any = false;

	if (depth > search.depth)
		search.depth = depth;
	if (depth == DEPTH_MAX)
		model_fail("the model's path is too short");
	else
		check_killed(s);
	for (actor = 0; actor < NACTORS && model.failure == NULL; actor++) {
		memcpy(&next, s, sizeof(next));
		if (!act(&next, actor))
			continue;
		any = true;
		search.path[depth] = (struct event){ (uint8_t)actor,
		    actor < A_READER ? s->tasks[actor % NTASKS].at :
		    s->reader.at };
		if (model.failure == NULL && model_seen_first(&search.seen,
		    (const unsigned char *)&next, sizeof(next)))
			explore(&next, depth + 1);
		else if (model.failure != NULL && search.failed_at == 0)
			search.failed_at = depth + 1;
	}
	if (model.failure == NULL && !any)
		check_final(s);
	if (model.failure != NULL && search.failed_at == 0)
		search.failed_at = depth;
}

static void
print_path(void)
{
	const struct event *e;

	for (e = search.path; e < search.path + search.failed_at; e++) {
		if (e->actor == A_RULE)
			printf("\t    the rule is changed\n");
		else if (e->actor == A_READER)
			printf("\t    consumer %s\n", reader_places[e->at]);
		else
			printf("\ttask %u %s%s\n", e->actor % NTASKS,
			    e->actor < A_ABORT ? "" : "aborted at ",
			    task_places[e->at]);
	}
	if (search.killed)
		printf("\ttarget killed; the consumer reads on\n");
}

static void
state_init(struct state *s)
{
	unsigned i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < NTASKS; i++)
		if (model.scenario->programs[i] == NULL)
			s->tasks[i].at = T_DONE;
	for (i = 0; i < NTASKS; i++)
		s->places[i].guess = TBUF_SELECTED_SUCCESS;
	s->rule = TBUF_SELECTED_SUCCESS;
	s->reader.rounds = model.scenario->rounds;
}

_Static_assert(sizeof(struct state) % 8 == 0, "whole words");

/* ------------------------------------------------------------ runs */

/*
 * True for a defect that does harm.  BIND_WITHOUT_WORD does not: only a place's
 * owner uses the table it keeps, and BIND compares in case memory is damaged.
 */
static bool
harmful(enum defect defect)
{
	return (defect != D_NONE && defect != D_BIND_WITHOUT_WORD);
}

/* Runs a scenario: a defect must be found, and without one none. */
static void
run(const struct scenario *scenario, enum defect defect)
{
	struct state first;
	bool right;

	memset(&search, 0, sizeof(search));
	model = (struct model){ .scenario = scenario, .defect = defect };
	state_init(&first);
	explore(&first, 0);
	right = (model.failure != NULL) == harmful(defect);
	if (verbose)
		printf("%-16s %-22s %8ju states, depth %3u: %s\n",
		    scenario->name, defect_names[defect],
		    (uintmax_t)search.seen.used, search.depth,
		    model.failure == NULL ? "ok" : model.failure);
	if (!right)
		printf("FAIL %s, defect %s: %s\n", scenario->name,
		    defect_names[defect], model.failure == NULL ?
		    "was not found" : model.failure);
	if (model.failure != NULL && (mutated || !right))
		print_path();
	*(right ? &passed : &failed) += 1;
	model_seen_free(&search.seen);
}

static const struct scenario *
scenario_find(const char *name)
{
	return (&scenarios[model_by_name(scenarios, COUNT(scenarios),
	    sizeof(scenarios[0]), "scenario", name)]);
}

static enum defect
defect_find(const char *name)
{
	return ((enum defect)model_by_name(defect_names, NDEFECTS,
	    sizeof(defect_names[0]), "defect", name));
}

static void
run_all(const struct scenario *only, enum defect defect)
{
	const struct scenario *scenario;
	unsigned i;

	for (i = 0; i < COUNT(scenarios) && defect == D_NONE; i++) {
		if (only == NULL || only == &scenarios[i])
			run(&scenarios[i], D_NONE);
	}
	for (i = 0; i < COUNT(proofs); i++) {
		scenario = scenario_find(proofs[i].scenario);
		if ((only == NULL || only == scenario) &&
		    (defect == D_NONE || defect == proofs[i].defect))
			run(scenario, proofs[i].defect);
	}
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mutate", required_argument, NULL, 'm' },
		{ NULL, 0, NULL, 0 }
	};
	enum defect defect = D_NONE;
	int option;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((option = getopt_long(argc, argv, "v", options, NULL)) != -1) {
		if (option == 'v')
			verbose = true;
		else if (option == 'm') {
			defect = defect_find(optarg);
			verbose = mutated = true;
		} else
			errx(2, "usage: unit [-v] [--mutate=DEFECT] "
			    "[SCENARIO]");
	}
	run_all(optind < argc ? scenario_find(argv[optind]) : NULL, defect);
	printf("%u passed, %u failed\n", passed, failed);
	return (failed == 0 ? 0 : 1);
}
