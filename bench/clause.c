/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of clauses at a fire, as multiples of one read of the cycle counter.
 * The clauses are in D, compiled and read by a tbufctl beside this process.
 */
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <tbuf.h>

#include "bench.h"
#include "child.h"

#define TIMES	3000		/* per turn */
#define TURNS	150

static char path[] = "/usr/share/doc/tbuf/READ";

static void
fire_text(void *cookie, uint64_t times)
{
	uint64_t n;

	(void)cookie;
	for (n = 0; n < times; n++)
		TBUF_PROBE(bench, text, n, times, n, path);
}

static void
fire_numbers(void *cookie, uint64_t times)
{
	uint64_t n;

	(void)cookie;
	for (n = 0; n < times; n++)
		TBUF_PROBE(bench, numbers, n, times, n, times);
}

static void
fire_pairs(void *cookie, uint64_t times)
{
	uint64_t n;

	(void)cookie;
	for (n = 0; n < times; n++) {
		TBUF_PROBE(bench, start, n, times);
		TBUF_PROBE(bench, done, n, times);
	}
}

/* Scripts as users write them, and functions that fire their probes. */
static const struct row {
	const char *what;
	const char *script;
	void (*run)(void *, uint64_t);
	const char *figure;
} rows[] = {
	{ "default record, four integers", "bench:::numbers", fire_numbers,
	    "" },
	{ "false predicate", "bench:::numbers /arg1 < 0/ { trace(n); }",
	    fire_numbers, "<= 1.20" },
	{ "false predicate beside a string",
	    "bench:::text /arg1 < 0/ { trace(n); }", fire_text, "" },
	{ "printf of four integers",
	    "bench:::numbers { printf(\"%d %d %d %d\", arg0, arg1, arg2, "
	    "arg3); }", fire_numbers, "<= 3.50" },
	{ "printf of a string of 24", "bench:::text { printf(\"%s\", path); }",
	    fire_text, "" },
	{ "@ = count()", "bench:::numbers { @ = count(); }", fire_numbers,
	    "<= 1.20" },
	{ "@ = sum(n)", "bench:::numbers { @ = sum(n); }", fire_numbers, "" },
	{ "@ = max(n)", "bench:::numbers { @ = max(n); }", fire_numbers, "" },
	{ "@[k] = count()", "bench:::numbers { @[times] = count(); }",
	    fire_numbers, "<= 2.50" },
	{ "@[probefunc] = count()",
	    "bench:::numbers { @[probefunc] = count(); }", fire_numbers, "" },
	{ "@[path] = quantize(n)", "bench:::text { @[path] = quantize(n); }",
	    fire_text, "<= 3.00" },
	{ "pid and execname, @ = count()", "bench:::numbers "
	    "/pid != 1 && execname != \"x\"/ { @ = count(); }",
	    fire_numbers, "" },
	{ "two clauses, false predicates", "bench:::numbers /arg1 < 0/ "
	    "{ trace(n); } bench:::numbers /arg1 == 0/ { trace(n); }",
	    fire_numbers, "" },
	{ "two clauses, each @ = count()", "bench:::numbers { @a = count(); } "
	    "bench:::numbers { @b = count(); }", fire_numbers, "" },
	{ "@[k] = count(); @ = sum(n)",
	    "bench:::numbers { @a[times] = count(); @b = sum(n); }",
	    fire_numbers, "" },
	{ "@[\"text\"] = count()",
	    "bench:::numbers { @[\"text\"] = count(); }", fire_numbers, "" },
	{ "speculation, a record, discard",
	    "bench:::numbers { this->s = speculation(); "
	    "speculate(this->s); trace(arg0); } "
	    "bench:::numbers { discard(this->s); }", fire_numbers, "" },
	{ "start and end by self->ts",
	    "bench:::start { self->ts = timestamp; } bench:::done /self->ts/ "
	    "{ @ = quantize(timestamp - self->ts); self->ts = 0; }",
	    fire_pairs, "<= 7.00" },
	{ "start and end, us by this->",
	    "bench:::start { self->ts = timestamp; } bench:::done /self->ts/ "
	    "{ this->us = (timestamp - self->ts) / 1000; "
	    "@ = quantize(this->us); @all = sum(this->us); self->ts = 0; }",
	    fire_pairs, "" },
	{ "start and end by start[id]",
	    "bench:::start { start[n] = timestamp; } bench:::done /start[n]/ "
	    "{ @ = quantize(timestamp - start[n]); start[n] = 0; }",
	    fire_pairs, "" }
};

static bool
is_traced(void (*run)(void *, uint64_t))
{
	if (run == fire_text)
		return (TBUF_ENABLED(bench, text));
	if (run == fire_numbers)
		return (TBUF_ENABLED(bench, numbers));
	return (TBUF_ENABLED(bench, start) && TBUF_ENABLED(bench, done));
}

static void
measure(const struct row *row, int cpu)
{
	char pid[16];
	const char *const arguments[] = { "-q", "-x", "bufpolicy=ring", "-x",
	    "bufsize=1m", "-o", "/dev/null", "-p", pid, "-n", row->script,
	    NULL };
	const struct bench_side side[2] = {
		{ "", row->run, NULL, NULL },
		{ "counter", bench_counter, NULL, NULL }
	};
	struct bench_result r;
	struct child child;

	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	/* tbufctl is not pinned. */
	bench_pin(-1);
	child_tbufctl(&child, arguments);
	bench_pin(cpu);
	while (!is_traced(row->run)) {
		child_check(&child);
		(void)usleep(1000);
	}
	bench_pair(side, TIMES, TURNS, &r);
	bench_row(row->what, r.ns[0], side[1].name, r.ns[1], row->figure);
	if (kill(child.pid, SIGINT) != 0)
		err(1, "kill");
	(void)child_wait(&child);
}

int
main(void)
{
	int cpus[64], n = bench_cpus(cpus, 64);
	unsigned i;

	child_prepare();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		measure(&rows[i], cpus[n - 1]);
	return (0);
}
