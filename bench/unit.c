/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of a work unit: begin, two records, and a successful end that discards
 * them; and one that keeps a record.  This process is its own target, and a
 * plain record is the yardstick.
 */
#include <err.h>
#include <stdio.h>
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
unit_discarded(void *cookie, uint64_t times)
{
	uint64_t i, unit;

	(void)cookie;
	for (i = 0; i < times; i++) {
		unit = tbuf_unit_begin("bench", i);
		TBUF_PROBE(bench, first, i, times);
		TBUF_PROBE(bench, second, i, times);
		(void)tbuf_unit_end(unit, 0);
	}
}

static void
unit_kept(void *cookie, uint64_t times)
{
	uint64_t i, unit;

	(void)cookie;
	for (i = 0; i < times; i++) {
		unit = tbuf_unit_begin("bench", i);
		TBUF_PROBE(bench, third, i, times);
		TBUF_PROBE_SEL(TBUF_SEL_SUCCESS, bench, fourth, i, times);
		(void)tbuf_unit_end(unit, 0);
	}
}

static void
measure(const char *what, void (*run)(void *, uint64_t), const char *figure)
{
	const struct bench_side sides[2] = {
		{ what, run, NULL, NULL },
		{ "a plain record", fire_plain, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(sides, TIMES, TURNS, &r);
	bench_row(what, r.ns[0], sides[1].name, r.ns[1], figure);
}

int
main(void)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	int cpus[64], n = bench_cpus(cpus, 64);

	bench_pin(cpus[n - 1]);
	if (c == NULL)
		err(1, "tbuf_consumer_new");
	if (tbuf_consumer_set(c, "bufpolicy", "ring") < 0 ||
	    tbuf_consumer_set(c, "bufsize", "64k") < 0 ||
	    tbuf_consumer_set(c, "nunits", "16") < 0 ||
	    tbuf_consumer_enable(c, "bench:::") < 0 ||
	    tbuf_consumer_grab(c, getpid()) < 0 || tbuf_consumer_go(c) < 0)
		errx(1, "%s", tbuf_consumer_error(c));
	printf("%-38s %9s  %-30s %9s  %6s  %s\n", "what", "ns", "yardstick",
	    "ns", "ratio", "figure");
	measure("unit, two records, success", unit_discarded, "<= 6");
	measure("the same, one of them kept", unit_kept, "");
	tbuf_consumer_close(c);
	return (0);
}
