/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with SITES USDT probes that forks at the request of bench/fork.c.
 * It first writes its number of mappings.
 */
#include <sys/wait.h>

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#if SITES != 0
#include "providers/usdt/programs/scattered.h"
#else
static void
sites(void)
{
}
#endif

static uint64_t
mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t n = 0;
	int c;

	if (maps == NULL)
		err(1, "/proc/self/maps");
	while ((c = getc(maps)) != EOF)
		n += c == '\n';
	fclose(maps);
	return (n);
}

static void
forks(uint64_t times)
{
	pid_t pid;

	for (; times > 0; times--) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid == -1 || waitpid(pid, NULL, 0) != pid)
			err(1, "fork");
	}
}

/* Reads a number of forks, does them, and writes the number back. */
int
main(void)
{
	uint64_t n = mappings();

	sites();
	while (write(STDOUT_FILENO, &n, sizeof(n)) == (ssize_t)sizeof(n) &&
	    read(STDIN_FILENO, &n, sizeof(n)) == (ssize_t)sizeof(n))
		forks(n);
	return (0);
}
