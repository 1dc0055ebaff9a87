/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * First lap through a buffer of a command that is traced from its start: the
 * buffer is mapped before main.  This program is the consumer and, with
 * arguments, the command:
 *
 *	laps command OUT IN	a lap for each byte from IN; writes its
 *				nanoseconds per record to OUT
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"

/* Records of 32 bytes, which fit half of a lane. */
#define RECORDS	1000000
#define LATER	5		/* laps after the first two */

static int
command(int out, int in)
{
	double begin, ns;
	int cpus[64];
	uint64_t i;
	char byte;

	/* Each CPU has a lane; that of the last CPU is at the end. */
	bench_pin(cpus[bench_cpus(cpus, 64) - 1]);
	while (read(in, &byte, 1) == 1) {
		begin = bench_now();
		for (i = 0; i < RECORDS; i++)
			TBUF_PROBE(bench, plain, i, in);
		ns = (bench_now() - begin) / RECORDS;
		if (write(out, &ns, sizeof(ns)) != sizeof(ns))
			return (1);
	}
	return (0);
}

static void
drain(struct tbuf_consumer *c)
{
	struct tbuf_event event;

	tbuf_consumer_work(c);
	while (tbuf_consumer_next(c, &event) > 0)
		if (event.type == TBUF_EVENT_DROPS)
			errx(1, "drops: the buffer is smaller than asked for");
}

static double
lap(struct tbuf_consumer *c, int out, int in)
{
	double ns;

	if (write(out, "", 1) != 1 || read(in, &ns, sizeof(ns)) != sizeof(ns))
		err(1, "the command");
	drain(c);
	return (ns);
}

static struct tbuf_consumer *
trace(int out, int in)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char numbers[2][16];
	char *argv[] = { (char *)(uintptr_t)"/proc/self/exe",
	    (char *)(uintptr_t)"command", numbers[0], numbers[1], NULL };
	char self[4096];
	ssize_t n = readlink(argv[0], self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = '\0';
	argv[0] = self;
	snprintf(numbers[0], sizeof(numbers[0]), "%d", out);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", in);
	if (c == NULL || tbuf_consumer_set(c, "bufsize", "32m") != 0 ||
	    tbuf_consumer_set(c, "bufresize", "manual") != 0 ||
	    tbuf_consumer_enable(c, "bench:::") != 0 ||
	    tbuf_consumer_spawn(c, argv, NULL) <= 0 ||
	    tbuf_consumer_go(c) != 0)
		errx(1, "%s", c == NULL ? "no memory" :
		    tbuf_consumer_error(c));
	return (c);
}

/* Runs a command.  Returns its first lap; *later is that of later ones. */
static double
run(double *later)
{
	double laps[LATER], first;
	int to[2], from[2], i;
	struct tbuf_consumer *c;

	/* The command inherits only its ends, and ends when ours are closed. */
	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 ||
	    fcntl(to[0], F_SETFD, 0) != 0 || fcntl(from[1], F_SETFD, 0) != 0)
		err(1, "pipe");
	c = trace(from[1], to[0]);
	first = lap(c, to[1], from[0]);
	lap(c, to[1], from[0]);
	for (i = 0; i < LATER; i++)
		laps[i] = lap(c, to[1], from[0]);
	*later = bench_median(laps, LATER);
	tbuf_consumer_stop(c);
	drain(c);
	tbuf_consumer_close(c);
	for (i = 0; i < 2; i++) {
		close(to[i]);
		close(from[i]);
	}
	return (first);
}

int
main(int argc, char *argv[])
{
	double first[BENCH_ROUNDS], later[BENCH_ROUNDS];
	int i;

	if (argc == 4)
		return (command(atoi(argv[2]), atoi(argv[3])));
	for (i = 0; i < BENCH_ROUNDS; i++)
		first[i] = run(&later[i]);
	bench_row("first lap through 64 MiB, -c", bench_median(first,
	    BENCH_ROUNDS), "later laps", bench_median(later, BENCH_ROUNDS),
	    "<= 1.30");
	return (0);
}
