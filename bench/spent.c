/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints the elapsed time of a command, us, and the CPU time of it and of its
 * children that it waits for, after the command's output:
 *
 *	spent COMMAND [ARGUMENT ...]
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <err.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long
microseconds(const struct timeval *t)
{
	return (t->tv_sec * 1000000LL + t->tv_usec);
}

int
main(int argc, char *argv[])
{
	struct timespec begin, end;
	struct rusage used;
	int status;
	pid_t pid;

	if (argc < 2)
		errx(2, "usage: spent command [argument ...]");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (waitpid(pid, &status, 0) != pid ||
	    clock_gettime(CLOCK_MONOTONIC, &end) != 0 ||
	    getrusage(RUSAGE_CHILDREN, &used) != 0)
		err(1, "wait");
	if (status != 0)
		errx(1, "%s: status %#x", argv[1], (unsigned)status);
	printf("%lld %lld\n", (end.tv_sec - begin.tv_sec) * 1000000LL +
	    (end.tv_nsec - begin.tv_nsec) / 1000, microseconds(&used.ru_utime) +
	    microseconds(&used.ru_stime));
	return (0);
}
