/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cost of the libc provider for a program's start: system calls, also with
 * a full runtime directory, page faults, and files that remain; and for a
 * forked child.
 *
 *	exec_cost calls N PRELOAD	at most N system calls more
 *	exec_cost faults N PRELOAD	at most N page faults more
 *	exec_cost litter N PRELOAD	at most N files remain of four times
 *					as many programs
 *
 *	exec_cost children N PRELOAD	at most N system calls more of a
 *					forked child
 *	exec_cost fork		forks such a child
 *
 * $TBUF_DIR is the name of an empty directory.
 */
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS	12		/* one in sixteen does more */
#define RUNS_MOST 200
#define OTHERS	200		/* live targets */

static char preload[4096];	/* LD_PRELOAD=... */
static char *const program[] = { (char *)(uintptr_t)"/bin/true", NULL };

/* Executes a program with `set` in its environment. */
static void
execute(char *const argv[], const char *set)
{
	char directory[512], run[64], clock[64];
	char *environment[] = { directory, run, clock,
	    (char *)(uintptr_t)set, NULL };

	snprintf(directory, sizeof(directory), "TBUF_DIR=%s",
	    getenv("TBUF_DIR"));
	/* A child of a followed command has TBUF_RUN. */
	snprintf(run, sizeof(run), "TBUF_RUN=%s",
	    getenv("TBUF_RUN") == NULL ? "" : getenv("TBUF_RUN"));
	snprintf(clock, sizeof(clock), "TBUF_CLOCK=%s",
	    getenv("TBUF_CLOCK") == NULL ? "" : getenv("TBUF_CLOCK"));
	execve(argv[0], argv, environment);
	_exit(127);
}

/* Starts a program under ptrace(2). */
static pid_t
start(char *const argv[], const char *set)
{
	pid_t pid = fork();

	if (pid == -1)
		err(1, "fork");
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(77);
		execute(argv, set);
	}
	return (pid);
}

/* Returns the system calls of a program from exec to its end. */
static unsigned
calls_once(const char *set)
{
	pid_t pid = start(program, set);
	unsigned stops = 0;
	int status;

	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD);
	while (WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			stops++;
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) != 0 ||
		    waitpid(pid, &status, 0) != pid)
			err(1, "ptrace");
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		errx(1, "%s ended with %#x", program[0], status);
	/*
	 * Each call stops twice, at entry and return; the last does not return.
	 */
	return ((stops + 1) / 2);
}

/*
 * Returns the fewest calls of several runs; a consumer has to see some
 * instances of a program end before it knows the program.
 */
static unsigned
calls(const char *set, unsigned most)
{
	unsigned least = calls_once(set), now, i;

	for (i = 1; i < RUNS || (i < RUNS_MOST && least > most); i++)
		if ((now = calls_once(set)) < least)
			least = now;
	return (least);
}

/* Returns the fewest page faults of a program, including those of its fork. */
static unsigned
faults(const char *set)
{
	unsigned least = UINT_MAX, i;
	struct rusage used;
	int status;
	pid_t pid;

	for (i = 0; i < RUNS; i++) {
		if ((pid = fork()) == 0)
			execute(program, set);
		if (wait4(pid, &status, 0, &used) != pid || status != 0)
			errx(1, "%s ended with %#x", program[0], status);
		if ((unsigned)used.ru_minflt < least)
			least = (unsigned)used.ru_minflt;
	}
	return (least);
}

static int
count_faults(unsigned most)
{
	unsigned plain = faults("NONE="), with = faults(preload);

	printf("%u page faults, %u with the provider\n", plain, with);
	return (with > plain + most);
}

static unsigned
files(void)
{
	const char *path = getenv("TBUF_DIR");
	struct dirent *entry;
	unsigned n = 0;
	DIR *d;

	if ((d = opendir(path)) == NULL)
		err(1, "%s", path);
	while ((entry = readdir(d)) != NULL)
		n += strncmp(entry->d_name, "tbuf.", 5) == 0;
	closedir(d);
	return (n);
}

/* Starts targets that live until the pipe is closed. */
static void
others_start(int pipe)
{
	static char *const argv[] = { (char *)(uintptr_t)"/bin/sh",
	    (char *)(uintptr_t)"-c", (char *)(uintptr_t)"echo; read x; :",
	    NULL };
	int ready[2];
	unsigned i;
	pid_t pid;
	char byte;

	if (pipe2(ready, O_CLOEXEC) != 0)
		err(1, "pipe");

	for (i = 0; i < OTHERS; i++) {
		if ((pid = fork()) == -1)
			err(1, "fork");
		if (pid == 0) {
			dup2(pipe, STDIN_FILENO);
			dup2(ready[1], STDOUT_FILENO);
			execute(argv, preload);
		}
	}
	close(ready[1]);
	for (i = 0; i < OTHERS; i++)
		if (read(ready[0], &byte, 1) != 1)
			errx(1, "another target has not begun");
	close(ready[0]);
}

static int
count_calls(unsigned most)
{
	unsigned plain, with, many;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		err(1, "pipe");
	plain = calls("NONE=", UINT_MAX);
	with = calls(preload, plain + most);
	others_start(ends[0]);
	many = calls(preload, with);
	close(ends[1]);
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	printf("%u system calls, %u with the provider, %u beside %u others\n",
	    plain, with, many, OTHERS);
	return (with > plain + most || many > with);
}

static int
count_litter(unsigned most)
{
	unsigned i, left;
	int status;
	pid_t pid;

	for (i = 0; i < 4 * most; i++) {
		if ((pid = fork()) == 0)
			execute(program, preload);
		if (waitpid(pid, &status, 0) != pid || status != 0)
			errx(1, "%s ended with %#x", program[0], status);
	}
	left = files();
	printf("%u programs have left %u files\n", i, left);
	return (left == 0 || left > most);
}

static int
fork_once(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0);
}

/* Returns true if a process is about to call read(2). */
static bool
reads(pid_t pid)
{
	struct __ptrace_syscall_info info;

	return (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 &&
	    info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_read);
}

/*
 * Returns the system calls of the child of a program that forks one.  *nreads
 * becomes the number of reads if it is fewer.
 */
static unsigned
child_calls_once(char *const argv[], const char *set, unsigned *nreads)
{
	pid_t parent = start(argv, set), pid;
	unsigned stops = 0, n = 0;
	int status;

	if (waitpid(parent, &status, 0) != parent)
		err(1, "waitpid");
	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	ptrace(PTRACE_SETOPTIONS, parent, NULL, PTRACE_O_TRACESYSGOOD |
	    PTRACE_O_TRACEFORK);
	/* All stops are of ptrace(2): no process gets a signal. */
	for (pid = parent; pid != parent || WIFSTOPPED(status);
	    pid = waitpid(-1, &status, __WALL)) {
		if (pid == -1)
			err(1, "waitpid");
		if (!WIFSTOPPED(status))
			continue;
		if (pid != parent && WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			stops++;
			n += reads(pid);
		}
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	}
	if (n < *nreads)
		*nreads = n;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		errx(1, "%s ended with %#x", argv[0], status);
	return ((stops + 1) / 2);
}

/*
 * Counts as calls() does: a tick of the clock may pass as well.  A child that
 * looked at /proc would read.
 */
static int
count_child_calls(char *self, unsigned most)
{
	char *argv[] = { self, (char *)(uintptr_t)"fork", NULL };
	unsigned plain = UINT_MAX, with = UINT_MAX, now, i;
	unsigned plain_reads = UINT_MAX, with_reads = UINT_MAX;

	for (i = 0; i < RUNS || (i < RUNS_MOST && with > plain + most); i++) {
		now = child_calls_once(argv, "NONE=", &plain_reads);
		if (now < plain)
			plain = now;
		now = child_calls_once(argv, preload, &with_reads);
		if (now < with)
			with = now;
	}
	printf("%u system calls, %u with the provider, %u reads\n", plain,
	    with, with_reads);
	return (with > plain + most || with_reads > plain_reads);
}

int
main(int argc, char **argv)
{
	unsigned most;

	if (argc == 2 && strcmp(argv[1], "fork") == 0)
		return (fork_once());
	if (argc != 4 || getenv("TBUF_DIR") == NULL)
		errx(2, "usage: exec_cost calls|children|faults|litter N PRELOAD");
	most = (unsigned)strtoul(argv[2], NULL, 0);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", argv[3]);
	if (strcmp(argv[1], "calls") == 0)
		return (count_calls(most));
	if (strcmp(argv[1], "children") == 0)
		return (count_child_calls(argv[0], most));
	return (strcmp(argv[1], "faults") == 0 ? count_faults(most) :
	    count_litter(most));
}
