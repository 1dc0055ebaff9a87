/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.consumer, and the ends of sessions: consumers begin, end and are killed
 * while a target fires, and each gets the fires of its time.
 *
 *	attach [-s seed] [sessions]
 *
 * The counts of sessions under fire are compared with bounds, because fires
 * during their beginning and end may be recorded or not.  Every fourth session
 * begins and ends while the target is parked, and is accounted for exactly.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "common.h"

#define SESSIONS	25		/* on one target */
#define FIRES_MAX	50000u		/* of one session */
#define KILL_FIRES_MAX	100000u		/* before a consumer is killed */
#define CONSUMERS	3		/* at the same time */

struct job {
	struct stress_page *page;
	pid_t pid;
	uint64_t random;
};

static struct tbuf_consumer *
attach(const struct stress_session *session, pid_t pid)
{
	struct tbuf_consumer *c = stress_consumer_new(session);

	STRESS_EXPECT(tbuf_consumer_grab(c, pid) == 0 &&
	    tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
	return (c);
}

/* Argument of a thread that ends a session after this many fires. */
struct ending {
	struct tbuf_consumer *consumer;
	struct job *job;
	uint64_t fires;
	bool park;
	struct stress_sum sum;	/* at the beginning of the end */
};

static void *
ending_main(void *argument)
{
	struct ending *e = argument;

	stress_fires_wait(e->job->page, e->job->pid, e->fires);
	if (e->park)
		stress_park(e->job->page, e->job->pid);
	e->sum = stress_page_sum(e->job->page);
	tbuf_consumer_stop(e->consumer);
	return (NULL);
}

/* Consumes until the end, and returns the sum of the fires at its beginning. */
static struct stress_sum
work(struct job *job, struct tbuf_consumer *c, struct stress_tally *tally,
    bool park)
{
	struct ending e = { .consumer = c, .job = job, .park = park };
	pthread_t thread;
	int result;

	e.fires = stress_random(&job->random) % FIRES_MAX;
	if (pthread_create(&thread, NULL, ending_main, &e) != 0)
		err(1, "pthread_create");
	while ((result = tbuf_consumer_work(c)) > 0)
		stress_tally_take(tally, c);
	STRESS_EXPECT(result == 0, "work: %s", tbuf_consumer_error(c));
	stress_tally_take(tally, c);
	pthread_join(thread, NULL);
	STRESS_EXPECT(!tally->exited, "the target is dead");
	return (e.sum);
}

static void
check_bounds(const struct stress_session *session,
    const struct stress_tally *tally, uint64_t least, uint64_t most)
{
	uint64_t finished = tally->records + tally->drops + tally->overwritten;

	least *= session->enablings;
	most *= session->enablings;
	STRESS_EXPECT(least <= finished && finished <= most,
	    "records %" PRIu64 " + drops %" PRIu64 " + overwritten %" PRIu64
	    " = %" PRIu64 " are not between %" PRIu64 " and %" PRIu64,
	    tally->records, tally->drops, tally->overwritten, finished,
	    least, most);
}

/* Returns true unless a full buffer may have ended the session: policy fill. */
static bool
goes_on(const struct stress_session *session)
{
	return (strcmp(session->policy, "fill") != 0);
}

static void
session_under_fire(struct job *job, const struct stress_session *session)
{
	struct stress_tally *tally = stress_tally_new();
	struct stress_sum before, begun, stopping, after;
	struct tbuf_consumer *c;
	uint64_t least = 0;

	before = stress_page_sum(job->page);
	c = attach(session, job->pid);
	begun = stress_page_sum(job->page);
	stopping = work(job, c, tally, false);
	after = stress_page_sum(job->page);
	tbuf_consumer_close(c);
	/*
	 * counts fires that began after `begun` and were finished at `stopping`
	 */
	if (goes_on(session) && stopping.after > begun.before)
		least = stopping.after - begun.before;
	check_bounds(session, tally, least, after.before - before.after);
	stress_tally_free(tally);
}

static void
session_exact(struct job *job, const struct stress_session *session)
{
	struct stress_tally *tally = stress_tally_new();
	struct stress_sum begin, end;
	struct tbuf_consumer *c;
	uint64_t fired;

	stress_park(job->page, job->pid);
	begin = stress_page_sum(job->page);
	c = attach(session, job->pid);
	stress_resume(job->page);
	end = work(job, c, tally, true);
	stress_resume(job->page);
	tbuf_consumer_close(c);
	fired = end.after - begin.after;
	check_bounds(session, tally, goes_on(session) ? fired : 0, fired);
	stress_tally_free(tally);
}

static void *
consumer_main(void *argument)
{
	struct job *job = argument;
	struct stress_session session = stress_session_draw(&job->random);

	session_under_fire(job, &session);
	return (NULL);
}

/* Runs several consumers on one target. */
static void
sessions_together(struct job *job)
{
	struct job jobs[CONSUMERS];
	pthread_t threads[CONSUMERS];
	unsigned i;

	for (i = 0; i < CONSUMERS; i++) {
		jobs[i] = *job;
		jobs[i].random = stress_random(&job->random);
		if (pthread_create(&threads[i], NULL, consumer_main,
		    &jobs[i]) != 0)
			err(1, "pthread_create");
	}
	for (i = 0; i < CONSUMERS; i++)
		pthread_join(threads[i], NULL);
}

/*
 * Kills a consumer at a moment between its first step and the middle of its
 * work.  The target continues to fire, and the next consumer works normally.
 */
static void
session_killed(struct job *job, const struct stress_session *session)
{
	struct stress_tally *tally;
	struct tbuf_consumer *c;
	uint64_t fires = stress_random(&job->random) % KILL_FIRES_MAX;
	pid_t pid = fork();

	if (pid == -1)
		err(1, "fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			tally = stress_tally_new();
			c = attach(session, job->pid);
			work(job, c, tally, false);
			tbuf_consumer_close(c);
			stress_tally_free(tally);
		}
	}
	stress_fires_wait(job->page, job->pid, fires);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		continue;
	stress_fires_wait(job->page, job->pid, 100);
}

static void
sessions_run(struct job *job, uint64_t count)
{
	struct stress_session session;
	uint64_t i;

	for (i = 0; i < count; i++) {
		session = stress_session_draw(&job->random);
		stress_context("%s, session %" PRIu64 ": %s, %s, %s, "
		    "%u threads, flags %#x", i % 4 == 0 ? "exact" :
		    i % 4 == 1 ? "under fire" : i % 4 == 2 ? "killed" :
		    "together", i, session.policy, session.bufsize,
		    session.switchrate, job->page->threads, job->page->flags);
		if (i % 4 == 0)
			session_exact(job, &session);
		else if (i % 4 == 1)
			session_under_fire(job, &session);
		else if (i % 4 == 2)
			session_killed(job, &session);
		else
			sessions_together(job);
	}
}

/* Runs a target with its consumers; its exit must not be affected by them. */
static void
target_try(uint64_t *random, uint64_t count)
{
	char path[64];
	struct stress_page *page = stress_page_new(path);
	struct stress_sum sum;
	struct job job;
	int status;

	page->seed = stress_random(random);
	page->flags = (uint32_t)(stress_random(random) & STRESS_ALL);
	page->threads = (uint32_t)(1 + stress_random(random) % 6);
	job.page = page;
	job.pid = stress_target_start(page, path, stress_random(random) % 2);
	job.random = stress_random(random);
	sessions_run(&job, count);
	tbuf_store_release(&page->stop, 1);
	STRESS_EXPECT(waitpid(job.pid, &status, 0) == job.pid && status == 0,
	    "the target did not exit well: %#x", (unsigned)status);
	sum = stress_page_sum(page);
	STRESS_EXPECT(sum.before == sum.after, "fires are under way");
	stress_page_free(page, path);
}

int
main(int argc, char **argv)
{
	struct stress_arguments arguments;
	uint64_t i, n;

	stress_target_main(argc, argv);
	arguments = stress_arguments(argc, argv, 2 * SESSIONS);
	stress_directory_make();
	for (i = 0; i < arguments.count; i += n) {
		n = arguments.count - i < SESSIONS ? arguments.count - i :
		    SESSIONS;
		target_try(&arguments.seed, n);
	}
	stress_directory_remove();
	printf("%" PRIu64 " sessions: all accounted for\n", i);
	return (0);
}
