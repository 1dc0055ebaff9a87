/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of fork() for programs with redirected code, and their number of
 * mappings: each stub far from the others has a page of its own, and so has
 * changed code.  The programs have 71 USDT probes (like PostgreSQL) or 531
 * (like the JVM), armed; stubs for system calls; or nothing but libtbuf and its
 * probes.  Each is compared with itself without a provider.
 *
 * A turn is some forks of a program (bench/forks.c) that waits for each child.
 */
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#define TIMES	20		/* forks per turn */
#define TURNS	30

struct program {
	pid_t pid;
	int ask, answer;
	uint64_t mappings;
};

static const char *
directory_of(const char *name)
{
	const char *directory = getenv(name);

	if (directory == NULL)
		errx(1, "%s is not set: make bench", name);
	return (directory);
}

static uint64_t
answer(const struct program *p)
{
	uint64_t n;

	if (read(p->answer, &n, sizeof(n)) != (ssize_t)sizeof(n))
		errx(1, "a program that forks has ended");
	return (n);
}

static void
forks(void *cookie, uint64_t times)
{
	const struct program *p = cookie;

	if (write(p->ask, &times, sizeof(times)) != (ssize_t)sizeof(times))
		err(1, "write");
	(void)answer(p);
}

static void
become(const char *path, const char *provider, const int ask[2],
    const int to[2])
{
	dup2(ask[0], STDIN_FILENO);
	dup2(to[1], STDOUT_FILENO);
	if (provider != NULL)
		setenv("LD_PRELOAD", provider, 1);
	execl(path, path, (char *)NULL);
	err(1, "%s", path);
}

/* Starts a program; with a provider of NULL nothing is preloaded. */
static void
begin(struct program *p, const char *path, const char *provider)
{
	int ask[2], to[2];

	if (pipe2(ask, O_CLOEXEC) != 0 || pipe2(to, O_CLOEXEC) != 0)
		err(1, "pipe");
	p->pid = fork();
	if (p->pid == 0)
		become(path, provider, ask, to);
	if (p->pid == -1)
		err(1, "fork");
	close(ask[0]);
	close(to[1]);
	p->ask = ask[1];
	p->answer = to[0];
	p->mappings = answer(p);
}

static void
end(struct program *p)
{
	close(p->ask);
	close(p->answer);
	if (waitpid(p->pid, NULL, 0) != p->pid)
		err(1, "waitpid");
}

static void
compare(const char *what, const char *program, const char *provider)
{
	static struct program with, plain;
	const struct bench_side side[2] = {
		{ "", forks, NULL, &with },
		{ "as it is, us", forks, NULL, &plain }
	};
	char path[PATH_MAX], preload[PATH_MAX];
	struct bench_result r;

	snprintf(path, sizeof(path), "%s/bench/%s",
	    directory_of("top_builddir"), program);
	snprintf(preload, sizeof(preload), "%s/libtbuf-%s.so",
	    directory_of("TBUF_PROVIDERS"), provider);
	if (access(preload, R_OK) != 0) {
		printf("the %s provider was not built\n", provider);
		return;
	}
	begin(&plain, path, NULL);
	begin(&with, path, preload);
	bench_pair(side, TIMES, TURNS, &r);
	bench_row(what, r.ns[0] / 1000, side[1].name, r.ns[1] / 1000, "");
	printf("%-38s %9ju  %-30s %9ju  +%5ju\n", "  mappings",
	    (uintmax_t)with.mappings, "as it is", (uintmax_t)plain.mappings,
	    (uintmax_t)(with.mappings - plain.mappings));
	fflush(stdout);
	end(&with);
	end(&plain);
}

int
main(void)
{
	int cpus[64], n = bench_cpus(cpus, 64);

	bench_pin(cpus[n - 1]);
	compare("fork, libtbuf and probes alone, us", "forks", "libc");
	compare("fork, 71 USDT sites armed, us", "forks_71", "usdt");
	compare("fork, 531 USDT sites armed, us", "forks_531", "usdt");
	compare("fork, system calls with stubs, us", "forks", "syscall");
	return (0);
}
