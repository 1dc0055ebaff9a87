/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One event recorded by tbuf and by DPDK's trace library, in turns, each into a
 * ring that overwrites its oldest records.  DPDK's ring belongs to the thread
 * and is lost with the process.  dpdk.sh starts this program.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_trace.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"
#include "dpdk_event.h"
#include "self.h"

#define TIMES	3000		/* per turn */
#define TURNS	150

static void
tbuf_pair(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, pair, i, times);
}

static void
dpdk_pair(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		tbuf_bench_pair(i, times);
}

static void
begin_dpdk(char *program, char *folder)
{
	char *argv[] = { program, "--no-huge", "--no-pci", "--no-shconf",
	    "--no-telemetry", "--log-level=error", "-m", "64",
	    "--trace-mode=overwrite", "--trace-bufsz=1M",
	    "--trace=tbuf_bench.pair", "--trace-dir", folder, NULL };

	if (rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) < 0)
		errx(1, "DPDK does not begin: %s", rte_strerror(rte_errno));
	if (!rte_trace_is_enabled() ||
	    !rte_trace_point_is_enabled(&__tbuf_bench_pair))
		errx(1, "DPDK does not trace this");
}

int
main(int argc, char **argv)
{
	struct bench_side side[2] = {
		{ "", tbuf_pair, NULL, NULL },
		{ "DPDK trace", dpdk_pair, NULL, NULL }
	};
	struct bench_result r;
	struct tbuf_consumer *c;
	int cpus[64], n;

	if (argc != 2)
		errx(2, "usage: dpdk folder");
	begin_dpdk(argv[0], argv[1]);
	/* DPDK has pinned this thread to its first CPU. */
	bench_pin(-1);
	n = bench_cpus(cpus, 64);
	c = bench_trace("bench:::", 0);
	bench_pin(cpus[n - 1]);
	bench_pair(side, TIMES, TURNS, &r);
	bench_row("ring, two 64-bit arguments", r.ns[0], side[1].name, r.ns[1],
	    "<= 1.10");
	tbuf_consumer_close(c);
	return (0);
}
