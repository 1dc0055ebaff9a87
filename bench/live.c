/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of a live consumer for the target, with policy switch: a tbufctl that
 * switches once a second and one that switches a thousand times a second,
 * compared with a consumer in this process that switches between bursts, when
 * no probe fires.  All three run at the same time and bursts alternate, so
 * other load of the machine affects all of them.
 *
 * A burst is short, and each kind has one every millisecond, so at 1000hz each
 * comes after a switch.  The slowest bursts, in which this process was
 * interrupted, are left out.
 */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"
#include "child.h"

#define BURST		256u
#define BURSTS		4000u
#define KEPT		(BURSTS - BURSTS / 50)
#define PERIOD		1e6		/* ns between bursts */
#define BUFSIZE		"16m"
#define LAP		(32u << 20)	/* both halves, bytes */
#define RECORD		32u		/* bytes */

static void
fire_own(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		TBUF_PROBE(bench, own, i, n);
}

static void
fire_slow(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		TBUF_PROBE(bench, slow, i, n);
}

static void
fire_fast(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		TBUF_PROBE(bench, fast, i, n);
}

static struct tbuf_consumer *own;

static struct side {
	const char *what;
	const char *description;
	const char *rate;	/* NULL: the consumer of this process */
	void (*fire)(uint64_t);
	struct child child;
	double ns[BURSTS];
} sides[] = {
	{ "", "bench:::own", NULL, fire_own, { 0, 0 }, { 0 } },
	{ "switch, tbufctl at 1hz", "bench:::slow", "switchrate=1hz",
	    fire_slow, { 0, 0 }, { 0 } },
	{ "switch, tbufctl at 1000hz", "bench:::fast", "switchrate=1000hz",
	    fire_fast, { 0, 0 }, { 0 } }
};
#define NSIDES	(sizeof(sides) / sizeof(sides[0]))

static void
start_own(const struct side *side, int cpu)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", cpu);
	if ((own = tbuf_consumer_new()) == NULL)
		err(1, "tbuf_consumer_new");
	if (tbuf_consumer_set(own, "bufsize", BUFSIZE) != 0 ||
	    tbuf_consumer_set(own, "cpu", text) != 0 ||
	    tbuf_consumer_set(own, "switchrate", "1000hz") != 0 ||
	    tbuf_consumer_enable(own, side->description) < 0 ||
	    tbuf_consumer_grab(own, getpid()) != 0 ||
	    tbuf_consumer_go(own) != 0)
		errx(1, "%s", tbuf_consumer_error(own));
}

static void
start_child(struct side *side, int cpu)
{
	char pid[16], only[24];
	const char *arguments[] = {
		"-n", side->description, "-p", pid, "-b", BUFSIZE,
		"-x", side->rate, "-x", only, "-o", "/dev/null", NULL
	};

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	snprintf(only, sizeof(only), "cpu=%d", cpu);
	child_tbufctl(&side->child, arguments);
}

/* Runs the consumer's due work and drains its lanes. */
static void
drain_own(void)
{
	struct tbuf_event event;

	if (tbuf_consumer_work(own) < 0)
		errx(1, "%s", tbuf_consumer_error(own));
	while (tbuf_consumer_next(own, &event) > 0)
		continue;
}

static void
wait_until(double when)
{
	while (bench_now() < when)
		continue;
}

/*
 * Touches every page before the measurement.  The slow consumer releases a half
 * only once a second.
 */
static void
warm_up(void)
{
	unsigned lap, i;

	while (!TBUF_ENABLED(bench, slow) || !TBUF_ENABLED(bench, fast)) {
		for (i = 1; i < NSIDES; i++)
			child_check(&sides[i].child);
		sched_yield();
	}
	for (lap = 0; lap < 3; lap++) {
		for (i = 0; i < NSIDES; i++)
			sides[i].fire(LAP / 2 / RECORD);
		drain_own();
		wait_until(bench_now() + 1.3e9);
	}
	drain_own();
}

static void
run(void)
{
	double next = bench_now(), begin;
	unsigned burst, i;

	for (burst = 0; burst < BURSTS; burst++) {
		for (i = 0; i < NSIDES; i++) {
			wait_until(next);
			begin = bench_now();
			sides[i].fire(BURST);
			sides[i].ns[burst] = (bench_now() - begin) / BURST;
			next += PERIOD / NSIDES;
		}
		if (burst % 256 == 255) {
			drain_own();
			next = bench_now() + PERIOD;
		}
	}
}

/* Returns the mean of all but the slowest bursts; sorts ns. */
static double
mean_of_kept(double *ns)
{
	double sum = 0;
	unsigned i;

	bench_median(ns, BURSTS);
	for (i = 0; i < KEPT; i++)
		sum += ns[i];
	return (sum / KEPT);
}

int
main(void)
{
	int cpus[64], n = bench_cpus(cpus, 64);
	double none;
	unsigned i;

	child_prepare();
	bench_pin(n > 1 ? cpus[0] : -1);
	for (i = 1; i < NSIDES; i++)
		start_child(&sides[i], cpus[n - 1]);
	bench_pin(cpus[n - 1]);
	start_own(&sides[0], cpus[n - 1]);
	warm_up();
	run();
	tbuf_consumer_close(own);
	none = mean_of_kept(sides[0].ns);
	for (i = 1; i < NSIDES; i++) {
		kill(sides[i].child.pid, SIGINT);
		child_wait(&sides[i].child);
		bench_row(sides[i].what, mean_of_kept(sides[i].ns),
		    "switched between bursts", none, "");
	}
	return (0);
}
