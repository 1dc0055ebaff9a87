/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.killed: a target is killed at a random moment.  Its consumer still gets
 * every record that was committed, none of them torn, and reports the kill.
 *
 *	kill [-s seed] [kills]
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

#define FIRES_MAX	200000u		/* before the kill */

/*
 * Returns true if tracing has lasted until the kill.  Policy fill ends it when
 * a buffer is full; the end of the command may be told all the same.
 */
static bool
is_whole(const struct stress_session *session,
    const struct stress_tally *tally)
{
	return (tally->exited && (tally->drops == 0 ||
	    strcmp(session->policy, "fill") != 0));
}

/*
 * Fails unless all finished fires are accounted for, and no others than those
 * that had begun; of the former only those while tracing lasted.
 */
static void
check_account(const struct stress_page *page,
    const struct stress_tally *tally, unsigned enablings, bool whole)
{
	struct stress_sum sum = stress_page_sum(page);
	uint64_t finished = tally->records + tally->drops + tally->overwritten;
	uint64_t least = (sum.after - stress_late_fires(page)) * enablings;
	uint64_t most = sum.before * enablings;

	STRESS_EXPECT((!whole || least <= finished) &&
	    finished <= most, "after %" PRIu64 " <= records %" PRIu64
	    " + drops %" PRIu64 " + overwritten %" PRIu64 " <= before %" PRIu64
	    " is not so", least, tally->records, tally->drops,
	    tally->overwritten, most);
}

static uint64_t
run(uint64_t *random)
{
	struct stress_session session = stress_session_draw(random);
	struct stress_tally *tally = stress_tally_new();
	struct tbuf_consumer *c = stress_consumer_new(&session);
	struct stress_killer killer;
	char path[64];
	struct stress_page *page = stress_page_new(path);
	uint64_t records;

	page->seed = stress_random(random);
	page->flags = (uint32_t)(stress_random(random) & STRESS_ALL);
	page->threads = (uint32_t)(1 + stress_random(random) % 8);
	killer.page = page;
	killer.fires = stress_random(random) % FIRES_MAX;
	stress_context("%s, %s, %s, %s, %s, nbuf %s, %u threads, flags %#x, %"
	    PRIu64 " fires", session.policy, session.bufsize,
	    session.switchrate, session.rseq ? "rseq" : "locks",
	    session.clauses ? "clauses" : "default records",
	    session.nbuf != NULL ? session.nbuf : "none", page->threads,
	    page->flags, killer.fires);
	killer.pid = stress_go(c, stress_target_argv(path), session.rseq);
	stress_killer_start(&killer);
	stress_tally_consume(tally, c);
	/* The command must not be reaped before the kill. */
	stress_killer_join(&killer);
	STRESS_EXPECT(tally->exited ? tally->signal == SIGKILL :
	    strcmp(session.policy, "fill") == 0,
	    "the kill was not told: status %d, signal %d", tally->status,
	    tally->signal);
	tbuf_consumer_close(c);
	check_account(page, tally, session.enablings,
	    is_whole(&session, tally));
	records = tally->records;
	stress_tally_free(tally);
	stress_page_free(page, path);
	return (records);
}

int
main(int argc, char **argv)
{
	struct stress_arguments arguments;
	uint64_t i, records = 0;

	stress_target_main(argc, argv);
	arguments = stress_arguments(argc, argv, 40);
	stress_directory_make();
	for (i = 0; i < arguments.count; i++)
		records += run(&arguments.seed);
	stress_directory_remove();
	printf("%" PRIu64 " kills, %" PRIu64 " records: none lost, none torn\n",
	    i, records);
	return (0);
}
