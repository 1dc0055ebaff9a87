/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * scratch_run COMMAND [ARGUMENT ...]: runs a test with directories of its own
 * (scratch.h).  After its end, the processes it started are killed, and the
 * directories are removed; the status is the test's.
 *
 * A test that never ends would block all others: after SCRATCH_LIMIT seconds
 * (1200 unless it is set) hung_threads.sh shows its threads, and it fails with
 * status 124.
 *
 * With SCRATCH_STDIN=none the test begins without a standard input.  make(1)
 * passes its own to one of the tests that it runs at once, so closing that
 * tries another test each time.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"

/* The time that a test has for its own clean-up after a signal. */
#define GRACE_SECONDS	10
/* Many times the duration of the longest test on a busy machine. */
#define LIMIT_SECONDS	1200
#define STATUS_HUNG	124

static volatile sig_atomic_t caught, hung;
static pid_t test;

static void
pass_on(int number)
{
	caught = number;
	kill(test, number);
	alarm(GRACE_SECONDS);
}

/* Handles the alarm: the test ignored a signal, or its time is over. */
static void
insist(int number)
{
	(void)number;
	if (caught != 0)
		kill(test, SIGKILL);
	else
		hung = 1;
}

static unsigned
limit_seconds(void)
{
	const char *text = getenv("SCRATCH_LIMIT"), *what;
	long long n;

	if (text == NULL)
		return (LIMIT_SECONDS);
	n = strtonum(text, 1, INT_MAX, &what);
	if (what != NULL)
		errx(2, "SCRATCH_LIMIT=%s: %s", text, what);
	return ((unsigned)n);
}

static bool
without_input(void)
{
	const char *text = getenv("SCRATCH_STDIN");

	return (text != NULL && strcmp(text, "none") == 0);
}

static void
set_handlers(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction pass = { .sa_handler = pass_on };
	struct sigaction last = { .sa_handler = insist };
	struct sigaction now;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &now) == 0 &&
		    now.sa_handler != SIG_IGN)
			sigaction(numbers[i], &pass, NULL);
	sigaction(SIGALRM, &last, NULL);
}

/*
 * Starts the test with the signal dispositions that this process began with,
 * except for SIGHUP: nohup(1) ignores that, a shell cannot undo it, and tests
 * send it.
 */
static void
start(char **argv, const sigset_t *mask)
{
	if ((test = fork()) == -1)
		err(1, "fork");
	if (test == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGHUP, SIG_DFL);
		sigprocmask(SIG_SETMASK, mask, NULL);
		if (without_input())
			close(STDIN_FILENO);
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
}

/* Shows the threads of a test by a script, then kills it. */
static void
end_hung(const char *name)
{
	char script[512], pid[16];
	const char *top = getenv("top_srcdir");
	pid_t child;

	warnx("%s has not ended", name);
	snprintf(script, sizeof(script), "%s/tests/lib/hung_threads.sh",
	    top != NULL ? top : ".");
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if ((child = fork()) == 0) {
		execl("/bin/sh", "sh", script, pid, (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	kill(test, SIGKILL);
}

/* Returns the test's status.  Orphans become our children; we reap them. */
static int
wait_for_test(const char *name)
{
	int status;
	pid_t pid;

	do {
		pid = waitpid(-1, &status, 0);
		if (pid == -1 && hung == 1) {
			hung = 2;
			end_hung(name);
		}
	} while (pid != test && (pid != -1 || errno == EINTR));
	return (status);
}

/* Kills all children.  Returns false if there is none that can be killed. */
static bool
kill_others(void)
{
	bool any = false;
	char path[64];
	pid_t pid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
	    (int)getpid());
	if ((file = fopen(path, "r")) == NULL)
		return (false);
	while (fscanf(file, "%d", &pid) == 1)
		any |= kill(pid, SIGKILL) == 0;
	fclose(file);
	return (any);
}

/*
 * Kills the remaining processes.  Returns how many were alive.  They are reaped
 * in any order: the first process of a pid namespace ends after all others
 * there, some of which may be our children.
 */
static unsigned
end_others(void)
{
	unsigned n = 0;
	int status;

	while (kill_others())
		if (waitpid(-1, &status, 0) > 0)
			n += WIFSIGNALED(status) != 0;
	return (n);
}

int
main(int argc, char **argv)
{
	sigset_t all, mask;
	unsigned limit, n;
	int status;

	if (argc < 2)
		errx(2, "usage: scratch_run command [argument ...]");
	limit = limit_seconds();
	scratch_begin();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	start(argv + 1, &mask);
	set_handlers();
	alarm(limit);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	status = wait_for_test(argv[1]);
	alarm(0);
	if ((n = end_others()) > 0)
		warnx("%s has left %u processes, which were ended", argv[1], n);
	scratch_end();
	if (caught != 0) {
		signal(caught, SIG_DFL);
		raise(caught);
	}
	if (hung != 0)
		return (STATUS_HUNG);
	return (WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	    WEXITSTATUS(status));
}
