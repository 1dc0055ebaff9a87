/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target with the largest number of probes: CPU time of this process, the
 * consumer, for listing them and for enabling them all.
 */
#include <sys/wait.h>

#include <err.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"

#define PROBES		65535u		/* the most in a session */
#define FIGURE		100.0		/* ms */

/* Runs the target: registers probes, reports that, and waits for its end. */
static void
serve(int fd)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_UINT64 };
	static const char *const names[] = { "key", "bytes" };
	struct tbuf_site *sites = calloc(PROBES, sizeof(*sites));
	char function[32];
	unsigned i;
	int error;

	if (sites == NULL)
		err(1, "calloc");
	for (i = 0; i < PROBES; i++) {
		snprintf(function, sizeof(function), "function_%u", i);
		error = tbuf_probe_register(&sites[i], "table", "bench",
		    function, "entry", 2, types, names);
		if (error != 0)
			errx(1, "probe %u: %d", i, error);
	}
	if (write(fd, "", 1) != 1)
		err(1, "write");
	for (;;)
		pause();
}

static pid_t
start(void)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe(fds) != 0)
		err(1, "pipe");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		close(fds[0]);
		serve(fds[1]);
	}
	close(fds[1]);
	if (read(fds[0], &c, 1) != 1)
		errx(1, "the target has ended");
	close(fds[0]);
	return (pid);
}

static double
used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return ((double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6);
}

static int
count(void *cookie, pid_t pid, const struct tbuf_probe_info *probe)
{
	unsigned *n = cookie;

	(void)pid;
	(void)probe;
	(*n)++;
	return (0);
}

static struct tbuf_consumer *
look(pid_t pid)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	if (c == NULL)
		err(1, "tbuf_consumer_new");
	if (tbuf_consumer_enable(c, "table:::") < 0 ||
	    tbuf_consumer_grab(c, pid) != 0)
		errx(1, "%s", tbuf_consumer_error(c));
	return (c);
}

static void
row(const char *what, double ms)
{
	printf("%-38s %9.1f  %-30s %9.1f  %6.2f  %s\n", what, ms, "ms",
	    FIGURE, ms / FIGURE, "<= 1");
	fflush(stdout);
}

static double
measure_list(pid_t pid)
{
	struct tbuf_consumer *c;
	double before = used();
	unsigned n = 0;

	c = look(pid);
	if (tbuf_consumer_list(c, count, &n) != 0)
		errx(1, "%s", tbuf_consumer_error(c));
	tbuf_consumer_close(c);
	if (n != PROBES)
		errx(1, "%u probes", n);
	return (used() - before);
}

static double
measure_enabling(pid_t pid)
{
	struct tbuf_consumer *c;
	double before = used(), after;

	c = look(pid);
	if (tbuf_consumer_go(c) != 0)
		errx(1, "%s", tbuf_consumer_error(c));
	after = used();
	if (tbuf_consumer_matched(c, 0) != PROBES)
		errx(1, "%u probes", tbuf_consumer_matched(c, 0));
	tbuf_consumer_close(c);
	return (after - before);
}

int
main(void)
{
	double list[BENCH_ROUNDS], enabling[BENCH_ROUNDS];
	pid_t pid = start();
	unsigned i;

	for (i = 0; i < BENCH_ROUNDS; i++) {
		list[i] = measure_list(pid);
		enabling[i] = measure_enabling(pid);
	}
	row("65,535 probes: list", bench_median(list, BENCH_ROUNDS));
	row("  enable all", bench_median(enabling, BENCH_ROUNDS));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return (0);
}
