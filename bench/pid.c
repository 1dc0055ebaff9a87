/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of the probes of functions with libtbuf-pid.so: of a call that is not
 * traced, compared with one of a function that is not redirected; recorded and
 * counted, compared with a probe of tbuf with the same arguments, as is a
 * uprobe of the kernel; and of redirecting functions of large programs,
 * compared with none.  The program preloads the provider into itself.
 */
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"
#include "peers/uprobe.h"
#include "self.h"

#define TIMES	1000		/* calls per turn */
#define TURNS	150
#define ARGS	10u		/* of an entry */
#define STARTS	15u		/* of a program */

extern char **environ;

static struct tbuf_site fired;

#define FUNCTION(name)							\
uint64_t	name(uint64_t);						\
uint64_t __attribute__((noinline, used))				\
name(uint64_t i)							\
{									\
	__asm__ __volatile__ ("" : "+r" (i));				\
	return (i + 1);							\
}									\
static void __attribute__((noinline))					\
name##_times(void *cookie, uint64_t times)				\
{									\
	uint64_t i;							\
									\
	(void)cookie;							\
	__asm__ __volatile__ (".p2align 6");				\
	for (i = 0; i < times; i++)					\
		(void)name(i);						\
}

FUNCTION(bench_entered)
FUNCTION(bench_left)
FUNCTION(bench_plain)

static void __attribute__((noinline))
fires(void *cookie, uint64_t times)
{
	uint64_t values[ARGS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, i;

	(void)cookie;
	for (i = 0; i < times; i++)
		if (tbuf_probe_enabled(&fired)) {
			values[0] = i;
			tbuf_probe_fire(&fired, values);
		}
}

static void
calls(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		uprobe_place();
}

static void
row(const char *what, void (*run)(void *, uint64_t), const char *other,
    void (*with)(void *, uint64_t), const char *figure)
{
	const struct bench_side side[2] = {
		{ "", run, NULL, NULL },
		{ other, with, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	printf("%-38s %9.2f  %-30s %9.2f  %+6.2f  %s\n", what, r.ns[0], other,
	    r.ns[1], r.ns[0] - r.ns[1], figure);
	fflush(stdout);
}

static void
rows(const char *how, const char *other, void (*with)(void *, uint64_t),
    const char *figure)
{
	char what[40];

	snprintf(what, sizeof(what), "pid entry, %s", how);
	row(what, bench_entered_times, other, with, figure);
	snprintf(what, sizeof(what), "  return, %s", how);
	row(what, bench_left_times, other, with, figure);
}

/* The kernel lets only root have a uprobe. */
static void
compare_uprobe(void)
{
	struct uprobe u;
	const struct bench_side side[2] = {
		{ "", calls, uprobe_read, &u },
		{ "a probe of tbuf", fires, NULL, NULL }
	};
	struct bench_result r;

	if (!uprobe_open(&u, TIMES)) {
		printf("no uprobe of perf: %s\n", strerror(errno));
		return;
	}
	bench_pair(side, TIMES, TURNS, &r);
	uprobe_close(&u);
	bench_row("  a uprobe of perf", r.ns[0], side[1].name, r.ns[1], "");
}

/* Runs tbufctl with this process as its target until it has enabled a probe. */
static pid_t
count(void)
{
	char number[16], *argv[] = { getenv("TBUFCTL"), "-q", "-o",
	    "/dev/null", "-n", "pid*:a.out:bench_*:, bench:pid:main:fire "
	    "{ @[probefunc] = count(); }", "-p", number, NULL };
	pid_t pid;

	snprintf(number, sizeof(number), "%d", (int)getpid());
	unsetenv("LD_PRELOAD");
	if (argv[0] == NULL || posix_spawn(&pid, argv[0], NULL, NULL, argv,
	    environ) != 0)
		return (-1);
	while (!tbuf_probe_enabled(&fired))
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return (-1);
	return (pid);
}

/* ------------------------------------------------------------ arming */

/* Returns the time in ns of a program that prints its version. */
static double
start(const char *path)
{
	char *argv[] = { (char *)(uintptr_t)path, "--version", NULL };
	posix_spawn_file_actions_t to;
	double begin = bench_now();
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_addopen(&to, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, path, &to, NULL, argv, environ) != 0 ||
	    waitpid(pid, &status, 0) != pid || status != 0)
		begin = 0;
	posix_spawn_file_actions_destroy(&to);
	return (begin == 0 ? 0 : bench_now() - begin);
}

/* Compares the medians of alternating starts, with the provider in all. */
static void
arm(const char *path, const char *what, const char *wanted, const char *figure)
{
	double with[STARTS], without[STARTS], a, b;
	unsigned i;

	for (i = 0; i < STARTS; i++) {
		setenv("TBUF_PID", "pid*:none:none:", 1);
		without[i] = start(path);
		setenv("TBUF_PID", wanted, 1);
		with[i] = start(path);
	}
	a = bench_median(with, STARTS) / 1e6;
	b = bench_median(without, STARTS) / 1e6;
	printf("%-38s %9.2f  %-30s %9.2f  %+6.2f  %s\n", what, a,
	    "none, ms", b, a - b, figure);
	fflush(stdout);
}

static void
arm_programs(void)
{
	static const char postgres[] = "/usr/lib/postgresql/15/bin/postgres";
	static const char node[] = "/usr/bin/node";

	if (access(postgres, X_OK) == 0) {
		arm(postgres, "pid, 1 function of postgres, ms",
		    "pid*:postgres:palloc:", "<= +10");
		arm(postgres, "  all 13,000", "pid*:postgres::", "<= +250");
	}
	if (access(node, X_OK) == 0) {
		arm(node, "pid, 1 function of node, ms",
		    "pid*:node:_ZN4node5StartEiPPc:", "<= +60");
		arm(node, "  9,000", "pid*:node:*4node*:entry", "<= +250");
	}
}

int
main(int argc, char *argv[])
{
	static enum tbuf_type types[ARGS];
	int cpus[64], n = bench_cpus(cpus, 64);
	struct tbuf_consumer *c;
	unsigned i;
	pid_t pid;

	setenv("TBUF_PID", "pid*:a.out:bench_entered:entry,"
	    "pid*:a.out:bench_left:return", 1);
	if (argc < 2)
		bench_preload(argv, "pid");
	for (i = 0; i < ARGS; i++)
		types[i] = TBUF_INT64;
	if (tbuf_probe_register(&fired, "bench", "pid", "main", "fire", ARGS,
	    types, NULL) != 0)
		errx(1, "tbuf_probe_register");
	bench_pin(cpus[n - 1]);
	rows("not traced", "a plain function", bench_plain_times, "<= +1");
	c = bench_trace("pid*:a.out::,bench:::", 3);
	rows("recorded", "a probe of tbuf", fires, "<= +10");
	compare_uprobe();
	tbuf_consumer_close(c);
	bench_pin(-1);
	arm_programs();
	pid = count();
	bench_pin(cpus[n - 1]);
	if (pid == -1)
		printf("pid, @ = count(): no tbufctl\n");
	else {
		rows("@ = count()", "a probe of tbuf", fires, "<= +10");
		kill(pid, SIGINT);
		(void)waitpid(pid, NULL, 0);
	}
	return (0);
}
