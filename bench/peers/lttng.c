/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One event recorded by tbuf and by LTTng-UST, in turns, each into a ring that
 * overwrites its oldest records.  lttng.sh makes the session and starts this
 * program.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"
#include "lttng_event.h"
#include "self.h"

#define TIMES	3000		/* per turn */
#define TURNS	60

static void
tbuf_pair(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, pair, i, times);
}

static void
tbuf_string(void *cookie, uint64_t times)
{
	const char *path = cookie;
	uint64_t i;

	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, string, i, path);
}

static void
lttng_pair(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		lttng_ust_tracepoint(tbuf_bench, pair, i, times);
}

static void
lttng_string(void *cookie, uint64_t times)
{
	const char *path = cookie;
	uint64_t i;

	for (i = 0; i < times; i++)
		lttng_ust_tracepoint(tbuf_bench, string, i, path);
}

static void
measure(const char *what, void (*ours)(void *, uint64_t),
    void (*theirs)(void *, uint64_t), void *cookie)
{
	struct bench_side side[2] = {
		{ "", ours, NULL, cookie },
		{ "LTTng-UST", theirs, NULL, cookie }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	bench_row(what, r.ns[0], side[1].name, r.ns[1], "");
}

int
main(void)
{
	struct tbuf_consumer *c = bench_trace("bench:::", 0);
	char path[] = "/usr/share/doc/tbuf/READ";
	int cpus[64], n = bench_cpus(cpus, 64);

	if (!lttng_ust_tracepoint_enabled(tbuf_bench, pair) ||
	    !lttng_ust_tracepoint_enabled(tbuf_bench, string))
		errx(1, "LTTng does not trace this");
	bench_pin(cpus[n - 1]);
	measure("ring, two 64-bit arguments", tbuf_pair, lttng_pair, NULL);
	measure("ring, 64 bits and a string of 24", tbuf_string, lttng_string,
	    path);
	tbuf_consumer_close(c);
	return (0);
}
