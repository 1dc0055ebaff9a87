/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.account and inv.order: under any disturbance, the fires of a program are
 * exactly the records and the drops that its consumer gets.
 *
 *	account [-s seed] [fires]
 *
 * Each run draws policy, buffer size, switch rate, path, number of threads and
 * the kinds of disturbance.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "arch/atomics.h"
#include "common.h"

#define RUN_FIRES	400000u		/* of all threads of a run */

static void
check_account(const struct stress_page *page,
    const struct stress_tally *tally, unsigned enablings, bool whole)
{
	struct stress_sum sum = stress_page_sum(page);
	uint64_t finished = tally->records + tally->drops + tally->overwritten;
	uint64_t after = sum.after * enablings;

	STRESS_EXPECT(sum.before == sum.after, "fires are under way");
	/* With policy fill, tracing ends before the program does. */
	STRESS_EXPECT(whole ? finished == after : finished <= after,
	    "due %" PRIu64 ", records %" PRIu64 " + drops %" PRIu64
	    " + overwritten %" PRIu64 " = %" PRIu64, after,
	    tally->records, tally->drops, tally->overwritten, finished);
}

static uint64_t
run(uint64_t *random, uint64_t fires)
{
	struct stress_session session = stress_session_draw(random);
	struct stress_tally *tally = stress_tally_new();
	struct stress_page *page;
	struct tbuf_consumer *c;
	bool whole = strcmp(session.policy, "fill") != 0;
	char path[64];
	uint64_t sum;

	page = stress_page_new(path);
	page->seed = stress_random(random);
	page->flags = (uint32_t)(stress_random(random) & STRESS_ALL);
	page->threads = (uint32_t)(1 + stress_random(random) % STRESS_THREADS);
	page->fires = fires / page->threads + 1;
	stress_context("%s, %s, %s, %s, %s, nbuf %s, %u threads, flags %#x",
	    session.policy, session.bufsize, session.switchrate,
	    session.rseq ? "rseq" : "locks",
	    session.clauses ? "clauses" : "default records",
	    session.nbuf != NULL ? session.nbuf : "none", page->threads,
	    page->flags);
	c = stress_consumer_new(&session);
	(void)stress_go(c, stress_target_argv(path), session.rseq);
	stress_tally_consume(tally, c);
	STRESS_EXPECT(!whole || (tally->exited && tally->status == 0),
	    "the target did not exit well: status %d, signal %d",
	    tally->status, tally->signal);
	/* A target that is no longer traced finishes its fires. */
	while (tbuf_load_acquire(&page->running) != 0)
		sched_yield();
	tbuf_consumer_close(c);
	check_account(page, tally, session.enablings,
	    whole && tally->exited);
	sum = stress_page_sum(page).after;
	stress_tally_free(tally);
	stress_page_free(page, path);
	return (sum);
}

int
main(int argc, char **argv)
{
	struct stress_arguments arguments;
	uint64_t fired = 0, runs = 0;

	stress_target_main(argc, argv);
	arguments = stress_arguments(argc, argv, 10 * RUN_FIRES);
	stress_directory_make();
	for (; fired < arguments.count; runs++)
		fired += run(&arguments.seed, RUN_FIRES);
	stress_directory_remove();
	printf("%" PRIu64 " runs, %" PRIu64 " fires: all accounted for\n",
	    runs, fired);
	return (0);
}
