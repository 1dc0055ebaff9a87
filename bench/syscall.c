/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of the syscall provider per call: getppid through it, compared with an
 * instruction without a stub; while no consumer traces, and while entry and
 * return are traced.  Then the same calls under strace -f -c and perf trace, if
 * these exist and are permitted.  The program preloads the provider into
 * itself.
 */
#include <sys/wait.h>

#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "bench.h"
#include "self.h"

#define TIMES	1000		/* calls per turn */
#define TURNS	150
#define OTHERS	100000		/* calls under another tracer */

/* No unwind table has this function, so the provider does not patch it. */
__asm__(".text\n"
    "plain_getppid: mov $110, %eax\n syscall\n ret\n");
long	plain_getppid(void);

static void
preloaded(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		(void)getppid();
}

static void
plain(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		(void)plain_getppid();
}

/* Prints a row.  Returns ns of a plain call. */
static double
measure(const char *what, const char *figure)
{
	const struct bench_side side[2] = {
		{ "", preloaded, NULL, NULL },
		{ "without a stub", plain, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	printf("%-38s %9.2f  %-30s %9.2f  x%5.2f  %s\n", what, r.ns[0],
	    side[1].name, r.ns[1], r.ns[0] / r.ns[1], figure);
	fflush(stdout);
	return (r.ns[1]);
}

/* Runs this program under a tracer.  Returns ns, or -1 if it failed. */
static double
run_under(const char *tracer, const char *times)
{
	static char path[PATH_MAX], command[256];
	struct timespec from, to;
	int status;
	pid_t pid;

	/* /proc/self/exe of the shell would be the shell. */
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) == -1)
		return (-1);
	snprintf(command, sizeof(command), "exec %s -o /dev/null \"$0\" calls "
	    "\"$1\" 2>/dev/null", tracer);
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (pid == 0) {
		unsetenv("LD_PRELOAD");
		execl("/bin/sh", "sh", "-c", command, path, times,
		    (char *)NULL);
		_exit(127);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0)
		return (-1);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 +
	    (double)(to.tv_nsec - from.tv_nsec));
}

static void
compare(const char *tracer, double ns)
{
	char times[16], what[64];
	double none, all;

	snprintf(times, sizeof(times), "%d", OTHERS);
	none = run_under(tracer, "0");
	all = run_under(tracer, times);
	snprintf(what, sizeof(what), "  under %s", tracer);
	if (none < 0 || all < 0) {
		printf("%-38s it is not there, or not permitted\n", what);
		return;
	}
	all = (all - none) / OTHERS;
	printf("%-38s %9.2f  %-30s %9.2f  x%5.1f\n", what, all, "without", ns,
	    all / ns);
}

int
main(int argc, char *argv[])
{
	int cpus[64], n = bench_cpus(cpus, 64);
	struct tbuf_consumer *c;
	double ns;

	if (argc < 2)
		bench_preload(argv, "syscall");
	if (argc == 3) {
		preloaded(NULL, strtoull(argv[2], NULL, 10));
		return (0);
	}
	bench_pin(cpus[n - 1]);
	measure("getppid, provider, not traced", "<= x1.1");
	c = bench_trace("syscall::getppid:", 2);
	ns = measure("  entry and return traced", "<= x2");
	tbuf_consumer_close(c);
	compare("strace -f -c", ns);
	compare("perf trace -s", ns);
	return (0);
}
