/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of a probe.  This process is its own target, through the public macro
 * and the shared library, and its own consumer, through the consumer API.
 * Results are ratios to a yardstick that is measured in turns with the probe.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"

#define TIMES	3000		/* per turn */
#define TURNS	150

static void
fire_plain(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, plain, i, times);
}

static void
fire_string(void *cookie, uint64_t times)
{
	const char *path = cookie;
	uint64_t i;

	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, string, i, path);
}

static void
fire_single(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, single, (int)i);
}

static void
fire_pair(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, pair, i, (int)times);
}

static void
fire_small(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, small, (int)i, (short)times, (char)i);
}

static void
fire_mixed(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, mixed, (int)i, times, (short)i, (int)times);
}

/* Fires like fire_plain(), for other enablings. */
static void
fire_other(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, other, i, times);
}

static struct tbuf_consumer *
trace_scope(const char *scope, const char *policy, const char *bufsize,
    const char *enabling, const char *second)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	int error;

	if (c == NULL)
		err(1, "tbuf_consumer_new");
	if ((error = tbuf_consumer_set(c, "bufpolicy", policy)) < 0 ||
	    (error = tbuf_consumer_set(c, "bufscope", scope)) < 0 ||
	    (error = tbuf_consumer_set(c, "bufsize", bufsize)) < 0 ||
	    (error = tbuf_consumer_set(c, "switchrate", "1000hz")) < 0 ||
	    (error = tbuf_consumer_enable(c, enabling)) < 0 ||
	    (second != NULL &&
	    (error = tbuf_consumer_enable(c, second)) < 0) ||
	    (error = tbuf_consumer_grab(c, getpid())) < 0 ||
	    (error = tbuf_consumer_go(c)) < 0)
		errx(1, "%s", tbuf_consumer_error(c));
	return (c);
}

static struct tbuf_consumer *
trace_these(const char *policy, const char *bufsize, const char *enabling,
    const char *second)
{
	return (trace_scope("cpu", policy, bufsize, enabling, second));
}

static struct tbuf_consumer *
trace(const char *policy, const char *bufsize)
{
	return (trace_these(policy, bufsize, "bench:::", NULL));
}

static void
measure(const char *what, struct bench_side fire, const char *figure)
{
	struct bench_side side[2] = {
		fire, { "counter + 32 bytes stored", bench_limit, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	bench_row(what, r.ns[0], side[1].name, r.ns[1], figure);
}

static void
measure_disabled(void)
{
	struct bench_side side[2] = {
		{ "", fire_plain, NULL, NULL },
		{ "empty loop", bench_nothing, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, 100 * TIMES, TURNS, &r);
	printf("%-38s %9.2f  %-30s %9.2f  %+6.2f  %s\n", "disabled probe",
	    r.ns[0], side[1].name, r.ns[1], r.ns[0] - r.ns[1], "<= +1 ns");
}

static void
measure_ring(const char *what, const char *figure, const char *mixed)
{
	struct tbuf_consumer *c = trace("ring", "1m");

	measure(what, (struct bench_side){ "", fire_plain, NULL, NULL },
	    figure);
	measure("  int", (struct bench_side){ "", fire_single, NULL, NULL },
	    mixed);
	measure("  64 bits, int", (struct bench_side){ "", fire_pair, NULL,
	    NULL }, mixed);
	measure("  int, short, char", (struct bench_side){ "", fire_small,
	    NULL, NULL }, mixed);
	measure("  int, 64 bits, short, int", (struct bench_side){ "",
	    fire_mixed, NULL, NULL }, mixed);
	measure("  64 bits and a string of 24", (struct bench_side){ "",
	    fire_string, NULL, (char[]){ "/usr/share/doc/tbuf/READ" } }, "");
	tbuf_consumer_close(c);
}

/* Drains the lanes between turns. */
static void
drain(void *cookie)
{
	struct tbuf_consumer *c = cookie;
	struct tbuf_event event;

	tbuf_consumer_work(c);
	while (tbuf_consumer_next(c, &event) > 0)
		continue;
}

/* Fires one million records of 32 bytes, which fit half of a lane. */
static double
lap(struct tbuf_consumer *c)
{
	double begin = bench_now(), ns;

	fire_plain(NULL, 1000000);
	ns = (bench_now() - begin) / 1e6;
	drain(c);
	return (ns);
}

/* Measures laps; the first touches pages that are not mapped yet. */
static void
measure_laps(void)
{
	struct tbuf_consumer *c = trace("switch", "32m");
	double first = lap(c), later[BENCH_ROUNDS];
	int i;

	lap(c);
	lap(c);
	for (i = 0; i < BENCH_ROUNDS; i++)
		later[i] = lap(c);
	bench_row("first lap through 64 MiB, switch", first, "later laps",
	    bench_median(later, BENCH_ROUNDS), "");
	tbuf_consumer_close(c);
}

static void
measure_switch(void)
{
	struct tbuf_consumer *c = trace("switch", "1m");

	measure("enabled, switch", (struct bench_side){ "", fire_plain, drain,
	    c }, "<= 1.30");
	tbuf_consumer_close(c);
}

/* Compares the other probe with the plain one, enabled once by one session. */
static void
measure_other(const char *what, const char *yardstick, const char *figure)
{
	struct bench_side side[2] = {
		{ "", fire_other, NULL, NULL }, { "", fire_plain, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	bench_row(what, r.ns[0], yardstick, r.ns[1], figure);
}

static void
measure_several(void)
{
	struct tbuf_consumer *c[4];
	unsigned i;

	c[0] = trace("ring", "1m");
	for (i = 1; i < 4; i++) {
		char what[32];

		c[i] = trace_these("ring", "1m", "bench:::other", NULL);
		snprintf(what, sizeof(what), "%u sessions, ring", i + 1);
		measure_other(what, "one session", i == 1 ? "<= 1.90" : "");
	}
	for (i = 0; i < 4; i++)
		tbuf_consumer_close(c[i]);
	c[0] = trace_these("ring", "1m", "bench:::", "bench:::other");
	measure_other("two enablings, ring", "one enabling", "<= 1.90");
	tbuf_consumer_close(c[0]);
}

/* Measures drops: a full lane is not drained. */
static void
measure_dropped(void)
{
	struct tbuf_consumer *full = trace_these("switch", "1k",
	    "bench:::other", NULL);
	struct tbuf_consumer *stored = trace_these("ring", "1m",
	    "bench:::plain", NULL);

	measure_other("dropped, switch", "stored, ring", "<= 1.30");
	tbuf_consumer_close(full);
	tbuf_consumer_close(stored);
}

/* Measures one session; a thread's memo holds only one at a time. */
static double
scope_ns(const char *scope)
{
	struct tbuf_consumer *c = trace_scope(scope, "ring", "1m", "bench:::",
	    NULL);
	struct bench_side side[2] = {
		{ "", fire_plain, NULL, NULL },
		{ "counter", bench_counter, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	tbuf_consumer_close(c);
	return (r.ns[0]);
}

static void
measure_scope(void)
{
	double cpu = scope_ns("cpu"), thread = scope_ns("thread");

	bench_row("a thread's lane, ring", thread, "a CPU's lane, ring", cpu,
	    "<= 1.05");
}

struct worker {
	pthread_t thread;
	pthread_barrier_t *gate;
	int cpu;
	double ns;
};

static void *
work(void *arg)
{
	struct worker *w = arg;
	double begin, ns;
	int turn;

	bench_pin(w->cpu);
	w->ns = 1e300;
	for (turn = 0; turn < BENCH_ROUNDS * TURNS; turn++) {
		pthread_barrier_wait(w->gate);
		begin = bench_now();
		fire_plain(NULL, TIMES);
		ns = (bench_now() - begin) / TIMES;
		if (ns < w->ns)
			w->ns = ns;
	}
	return (NULL);
}

static double
threads(const int *cpus, int n)
{
	struct worker worker[64];
	pthread_barrier_t gate;
	double sum = 0;
	int i;

	pthread_barrier_init(&gate, NULL, (unsigned)n);
	for (i = 0; i < n; i++) {
		worker[i] = (struct worker){ .gate = &gate, .cpu = cpus[i] };
		pthread_create(&worker[i].thread, NULL, work, &worker[i]);
	}
	for (i = 0; i < n; i++) {
		pthread_join(worker[i].thread, NULL);
		sum += worker[i].ns;
	}
	pthread_barrier_destroy(&gate);
	return (sum / n);
}

static void
measure_threads(void)
{
	struct tbuf_consumer *c = trace("ring", "1m");
	char what[64];
	int cpus[64], n = bench_cpus(cpus, 64);
	double one, all;

	one = threads(cpus, 1);
	all = threads(cpus, n);
	snprintf(what, sizeof(what), "%d threads on %d CPUs, each", n, n);
	bench_row(what, all, "one thread", one, "1");
	tbuf_consumer_close(c);
}

int
main(int argc, char *argv[])
{
	int cpus[64], n;

	if (argc > 1 && strcmp(argv[1], "lock") == 0) {
		measure_ring("enabled, ring, lock lanes", "", "");
		return (0);
	}
	n = bench_cpus(cpus, 64);
	printf("%-38s %9s  %-30s %9s  %6s  %s\n", "what", "ns", "yardstick",
	    "ns", "ratio", "figure");
	bench_pin(cpus[n - 1]);
	measure_disabled();
	measure_ring("enabled, ring", "<= 1.30", "<= 1.50");
	measure_scope();
	measure_switch();
	measure_several();
	measure_dropped();
	measure_laps();
	bench_pin(-1);
	measure_threads();
	fflush(stdout);
	bench_pin(cpus[n - 1]);
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl("/proc/self/exe", argv[0], "lock", (char *)NULL);
	err(1, "exec");
}
