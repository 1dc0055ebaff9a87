/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Every interleaving of writers and consumer, within small bounds, for each
 * policy and for the end of a session.  To prove the search, it must find each
 * of the defects that can be built in.
 *
 *	lane [-v] [--large] [--mutate=DEFECT] [SCENARIO]
 *
 * -v prints the number of states, --large widens the bounds.  With a defect,
 * the interleaving that shows it is printed.
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "by_name.h"
#include "state.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Two threads and a handler run on one CPU; threads without rseq on another. */
#define THREAD(...)	{ .agent = CPU0, __VA_ARGS__ }
#define LOCKED(...)	{ .agent = CPU1, .locked = 1, __VA_ARGS__ }
#define SIZES(...)	.sizes = { __VA_ARGS__ }

static const struct scenario scenarios[] = {
	{ .name = "switch", .policy = SWITCH, .bufsize = 3, .storage = 8,
	  .lanes = 1, .rounds = 2, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 3)),
		THREAD(.fires = 1, SIZES(3)) } },
	{ .name = "switch-handler", .policy = SWITCH, .bufsize = 5,
	  .storage = 16, .lanes = 1, .rounds = 1, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 3)),
		THREAD(.fires = 1, SIZES(2), .parent = 1) } },
	{ .name = "switch-one-record", .policy = SWITCH, .bufsize = 2,
	  .storage = 4, .lanes = 1, .rounds = 3, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)),
		THREAD(.fires = 1, SIZES(3)) } },
	{ .name = "fill", .policy = FILL, .bufsize = 5, .storage = 8,
	  .lanes = 1, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 3, SIZES(3, 3, 2)),
		THREAD(.fires = 1, SIZES(2)) } },
	{ .name = "ring", .policy = RING, .bufsize = 5, .storage = 8,
	  .lanes = 1, .rounds = 1, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 3, SIZES(3, 2, 4)) } },
	{ .name = "ring-two", .policy = RING, .bufsize = 3, .storage = 4,
	  .lanes = 1, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 3)),
		THREAD(.fires = 2, SIZES(3, 4)) } },
	{ .name = "ring-handler", .policy = RING, .bufsize = 7, .storage = 8,
	  .lanes = 1, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 3, SIZES(3, 2, 4)),
		THREAD(.fires = 1, SIZES(3), .parent = 1) } },
	{ .name = "locked", .policy = SWITCH, .bufsize = 3, .storage = 8,
	  .lanes = 2, .rounds = 1, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		LOCKED(.fires = 2, SIZES(2, 3)),
		LOCKED(.fires = 1, SIZES(2), .parent = 1) } },
	{ .name = "locked-beside", .policy = SWITCH, .bufsize = 3,
	  .storage = 8, .lanes = 2, .rounds = 0, .sessions = 1, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		LOCKED(.fires = 1, SIZES(2)),
		THREAD(.fires = 1, SIZES(3)) } },
	{ .name = "locked-ring", .policy = RING, .bufsize = 5, .storage = 8,
	  .lanes = 2, .rounds = 1, .sessions = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		LOCKED(.fires = 3, SIZES(2, 3, 2)),
		LOCKED(.fires = 1, SIZES(3), .parent = 1) } },
	{ .name = "end", .policy = SWITCH, .bufsize = 2, .storage = 4,
	  .lanes = 2, .rounds = 1, .sessions = 2, .aborts = 1,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)) } },
	{ .name = "end-locked", .policy = SWITCH, .bufsize = 2, .storage = 4,
	  .lanes = 2, .sessions = 2, .kill_target = true,
	  .kill_reader = true, .tasks = {
		LOCKED(.fires = 2, SIZES(2, 2)),
		LOCKED(.fires = 1, SIZES(2)) } },
	{ .name = "end-ring", .policy = RING, .bufsize = 3, .storage = 4,
	  .lanes = 2, .sessions = 2, .kill_target = true,
	  .kill_reader = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 3)),
		LOCKED(.fires = 1, SIZES(2)) } },
	/* The handler's copy of the memo is aborted, too. */
	{ .name = "memo", .policy = SWITCH, .bufsize = 8, .storage = 8,
	  .lanes = 1, .sessions = 1, .aborts = 2, .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)),
		THREAD(.fires = 1, SIZES(2), .parent = 1) } },
	/* The other thread may abort each copy, and then reads it. */
	{ .name = "memo-of-cpu", .policy = SWITCH, .bufsize = 8, .storage = 8,
	  .lanes = 1, .sessions = 1, .aborts = 2, .memo_of_cpu = true,
	  .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)),
		THREAD(.fires = 1, SIZES(2)) } },
	{ .name = "memo-of-cpu-end", .policy = SWITCH, .bufsize = 2,
	  .storage = 4, .lanes = 2, .rounds = 1, .sessions = 2, .aborts = 1,
	  .memo_of_cpu = true, .kill_target = true, .tasks = {
		THREAD(.fires = 1, SIZES(2)),
		THREAD(.fires = 1, SIZES(2)) } },
	{ .name = "fork", .policy = SWITCH, .bufsize = 4, .storage = 8,
	  .lanes = 1, .sessions = 1, .aborts = 1, .fork = true,
	  .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)) } },
	{ .name = "flip", .policy = SWITCH, .bufsize = 6, .storage = 16,
	  .lanes = 2, .rounds = 3, .sessions = 1, .clock = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)) } },
	/* Memos have stretches, and rings release many records at once. */
	{ .name = "stretch", .policy = SWITCH, .bufsize = 5, .storage = 16,
	  .lanes = 1, .rounds = 1, .sessions = 1, .flat = 2,
	  .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)),
		THREAD(.fires = 1, SIZES(3)) } },
	{ .name = "stretch-handler", .policy = SWITCH, .bufsize = 4,
	  .storage = 8, .lanes = 1, .rounds = 1, .sessions = 1,
	  .flat = 2, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)),
		THREAD(.fires = 1, SIZES(2), .parent = 1) } },
	{ .name = "stretch-fill", .policy = FILL, .bufsize = 7, .storage = 8,
	  .lanes = 1, .sessions = 1, .flat = 2, .kill_target = true,
	  .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)),
		THREAD(.fires = 1, SIZES(4)) } },
	{ .name = "release", .policy = RING, .bufsize = 5, .storage = 8,
	  .lanes = 1, .rounds = 1, .sessions = 1, .flat = 2, .part = 3,
	  .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)),
		THREAD(.fires = 2, SIZES(3, 2)) } },
	{ .name = "release-handler", .policy = RING, .bufsize = 7,
	  .storage = 8, .lanes = 1, .sessions = 1, .aborts = 1, .flat = 3,
	  .part = 2, .tasks = {
		THREAD(.fires = 3, SIZES(2, 3, 2)),
		THREAD(.fires = 1, SIZES(3), .parent = 1) } },
	{ .name = "release-end", .policy = RING, .bufsize = 4, .storage = 4,
	  .lanes = 2, .sessions = 2, .flat = 2, .part = 3,
	  .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)) } },
	{ .name = "weak-stretch", .policy = SWITCH, .bufsize = 4,
	  .storage = 8, .lanes = 1, .rounds = 2, .sessions = 1, .aborts = 1,
	  .flat = 2, .weak = true, .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)) } },
	{ .name = "weak-release", .policy = RING, .bufsize = 4, .storage = 4,
	  .lanes = 1, .rounds = 1, .sessions = 1, .weak = true, .flat = 2,
	  .part = 3, .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 2)) } },
	{ .name = "weak-switch", .policy = SWITCH, .bufsize = 3, .storage = 8,
	  .lanes = 1, .rounds = 2, .sessions = 1, .aborts = 1, .weak = true,
	  .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(3, 2, 3)) } },
	{ .name = "weak-ring", .policy = RING, .bufsize = 3, .storage = 4,
	  .lanes = 1, .rounds = 1, .sessions = 1, .weak = true,
	  .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(3, 2, 3)) } },
	{ .name = "weak-ring-steps", .policy = RING, .bufsize = 4,
	  .storage = 4, .lanes = 1, .rounds = 1, .sessions = 1, .aborts = 1,
	  .weak = true, .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 2, 4)) } },
	{ .name = "weak-locked", .policy = SWITCH, .bufsize = 4, .storage = 8,
	  .lanes = 2, .rounds = 1, .sessions = 1, .weak = true, .tasks = {
		LOCKED(.fires = 1, SIZES(2)),
		THREAD(.locked = 1, .fires = 1, SIZES(2)) } },
	{ .name = "weak-end", .policy = SWITCH, .bufsize = 2, .storage = 4,
	  .lanes = 2, .sessions = 2, .weak = true, .tasks = {
		THREAD(.fires = 1, SIZES(2)),
		LOCKED(.fires = 1, SIZES(2)) } },

	/* Wider bounds: many millions of states. */
	{ .name = "switch-large", .policy = SWITCH, .bufsize = 5,
	  .storage = 16, .lanes = 1, .rounds = 2, .sessions = 1, .aborts = 1,
	  .large = true, .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 3)),
		THREAD(.fires = 1, SIZES(3)),
		THREAD(.fires = 1, SIZES(2), .parent = 1) } },
	{ .name = "fill-large", .policy = FILL, .bufsize = 5, .storage = 8,
	  .lanes = 1, .sessions = 1, .aborts = 1,
	  .large = true, .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 3, SIZES(3, 3, 2)),
		THREAD(.fires = 2, SIZES(2, 2)),
		THREAD(.fires = 1, SIZES(3), .parent = 1) } },
	{ .name = "ring-large", .policy = RING, .bufsize = 3, .storage = 4,
	  .lanes = 1, .rounds = 2, .sessions = 1, .aborts = 1,
	  .large = true, .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 3, 2)),
		THREAD(.fires = 2, SIZES(4, 3)) } },
	{ .name = "end-large", .policy = SWITCH, .bufsize = 2, .storage = 4,
	  .lanes = 2, .rounds = 1, .sessions = 2, .aborts = 1,
	  .large = true, .kill_target = true, .kill_reader = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)),
		LOCKED(.fires = 1, SIZES(2)) } },
	{ .name = "end-three", .policy = SWITCH, .bufsize = 2, .storage = 4,
	  .lanes = 2, .sessions = 3, .aborts = 1,
	  .large = true, .kill_reader = true, .tasks = {
		LOCKED(.fires = 2, SIZES(2, 2)),
		LOCKED(.fires = 1, SIZES(2)) } },
	{ .name = "fork-large", .policy = SWITCH, .bufsize = 4, .storage = 8,
	  .lanes = 1, .rounds = 1, .sessions = 1, .aborts = 1, .fork = true,
	  .large = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)),
		THREAD(.fires = 1, SIZES(2)) } },
	{ .name = "weak-switch-large", .policy = SWITCH, .bufsize = 3,
	  .storage = 8, .lanes = 1, .rounds = 3, .sessions = 1, .aborts = 1,
	  .weak = true, .large = true, .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(3, 2, 3)),
		THREAD(.fires = 1, SIZES(2)) } },
	{ .name = "weak-ring-large", .policy = RING, .bufsize = 4,
	  .storage = 4, .lanes = 1, .rounds = 2, .sessions = 1, .aborts = 1,
	  .weak = true, .large = true, .kill_target = true, .tasks = {
		THREAD(.fires = 3, SIZES(2, 3, 4)) } },
	{ .name = "weak-end-large", .policy = SWITCH, .bufsize = 2,
	  .storage = 4, .lanes = 2, .sessions = 2,
	  .weak = true, .large = true, .tasks = {
		THREAD(.fires = 2, SIZES(2, 2)),
		LOCKED(.fires = 1, SIZES(2)) } },
};

/* Scenarios in which a defect shows. */
static const struct proof {
	enum defect defect;
	const char *scenario;
} proofs[] = {
	{ D_COMMIT_NOT_LAST, "switch" },
	{ D_COMMIT_NOT_LAST, "ring" },
	{ D_DROP_NOT_LAST, "switch" },
	{ D_DROP_IN_SAME_SECTION, "switch" },
	{ D_NO_SESSION_TAKEN_FOR_ONE, "end" },
	{ D_GENERATION_KEPT_AT_END, "end" },
	{ D_MEMO_WITHOUT_GENERATION, "end" },
	{ D_MEMO_BEFORE_ARM, "memo" },
	{ D_MEMO_COPY_NOT_VOID, "memo" },
	{ D_MEMO_BEFORE_ARM, "memo-of-cpu" },
	{ D_MEMO_COPY_NOT_VOID, "memo-of-cpu" },
	{ D_MEMO_WITHOUT_GENERATION, "memo-of-cpu-end" },
	{ D_NO_GENERATION_CHECK, "end" },
	{ D_NO_WIPE_CHECK, "fork" },
	{ D_STAMP_WITHOUT_LAST, "switch" },
	{ D_FILL_WITHOUT_MARK, "fill" },
	{ D_LIMIT_AFTER_TAIL, "switch-one-record" },
	{ D_LIMIT_NOT_RELEASED, "switch-one-record" },
	{ D_SWITCH_TWO_BUFFERS, "flip" },
	{ D_STRETCH_NOT_VOID, "release-handler" },
	{ D_STRETCH_TOO_LONG, "stretch" },
	{ D_STRETCH_TOO_LONG, "release" },
	{ D_STRETCH_UNDER_FILL, "stretch-fill" },
	{ D_STRETCH_NO_BARRIER, "weak-release" },
	{ D_RELEASE_UNCOUNTED, "release" },
	{ D_RING_SINGLE_PAIR, "release" },
	{ D_RING_SINGLE_PAIR, "ring" },
	{ D_RING_TAIL_AFTER_DATA, "ring" },
	{ D_RING_NO_BARRIER, "weak-ring-steps" },
	{ D_RING_STEPS_NO_BARRIER, "weak-ring-steps" },
	{ D_RING_SEQUENCE_NOT_RELEASED, "weak-ring" },
	{ D_SNAPSHOT_NO_BARRIER, "weak-ring" },
	{ D_SNAPSHOT_NO_SECOND_LOOK, "ring" },
	{ D_HEAD_NOT_RELEASED, "weak-switch" },
	{ D_HEAD_NOT_ACQUIRED, "weak-switch" },
	{ D_BUILD_NOT_RELEASED, "weak-end" },
	{ D_LOCK_NOT_RELEASED, "weak-locked" },
	{ D_LOCK_WITHOUT_GENERATION, "end-locked" },
	{ D_NOLANE_WITHOUT_GENERATION, "end-locked" },
	{ D_NO_LOCK_AT_END, "end-locked" },
	{ D_NO_CROSS_CALL, "end" },
	{ D_DRAIN_BEFORE_CROSS_CALL, "end" },
};

static const char *const defect_names[] = {
#define X(name, text) text,
	DEFECTS(X)
#undef X
};

static bool verbose, large;
static unsigned passed, failed;

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

/* Runs a scenario: a defect must be found, and without one none. */
static void
run(const struct scenario *scenario, enum defect defect, bool trace)
{
	struct result result;
	const char *failure;

	failure = model_search(scenario, defect, trace, &result);
	if (verbose || trace)
		printf("%-18s %-26s %9ju states %10ju steps, depth %3u: %s\n",
		    scenario->name, defect_names[defect],
		    (uintmax_t)result.states, (uintmax_t)result.steps,
		    result.depth, failure == NULL ? "ok" : failure);
	if ((failure != NULL) == (defect != D_NONE)) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s, defect %s: %s\n", scenario->name,
	    defect_names[defect],
	    failure == NULL ? "was not found" : failure);
	if (failure != NULL && !trace)
		model_search(scenario, defect, true, &result);
}

static void
run_all(const char *only, enum defect defect)
{
	unsigned i;

	for (i = 0; i < COUNT(scenarios) && defect == D_NONE; i++) {
		if (only == NULL ? large || !scenarios[i].large :
		    strcmp(only, scenarios[i].name) == 0)
			run(&scenarios[i], D_NONE, false);
	}
	for (i = 0; i < COUNT(proofs); i++) {
		if (only != NULL && strcmp(only, proofs[i].scenario) != 0)
			continue;
		if (defect == D_NONE || defect == proofs[i].defect)
			run(scenario_find(proofs[i].scenario),
			    proofs[i].defect, defect != D_NONE);
	}
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "large", no_argument, NULL, 'l' },
		{ "mutate", required_argument, NULL, 'm' },
		{ NULL, 0, NULL, 0 }
	};
	enum defect defect = D_NONE;
	int option;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((option = getopt_long(argc, argv, "v", options, NULL)) != -1) {
		switch (option) {
		case 'v':
			verbose = true;
			break;
		case 'l':
			large = true;
			break;
		case 'm':
			defect = defect_find(optarg);
			break;
		default:
			errx(2, "usage: lane [-v] [--large] "
			    "[--mutate=DEFECT] [SCENARIO]");
		}
	}
	run_all(optind < argc ? scenario_find(argv[optind])->name : NULL,
	    defect);
	printf("%u passed, %u failed\n", passed, failed);
	return (failed == 0 ? 0 : 1);
}
