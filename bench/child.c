/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl as a child process of a bench.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child.h"

#define ARGUMENTS_MAX	32

static char tbufctl[4096];

/* libtool puts the program in .libs, next to its wrapper script. */
void
child_prepare(void)
{
	const char *path = getenv("TBUFCTL"), *top = getenv("top_builddir");
	const char *name;
	char libraries[4096];

	if (path == NULL || top == NULL)
		errx(1, "TBUFCTL and top_builddir are not set: make bench");
	name = strrchr(path, '/');
	name = name == NULL ? path : name + 1;
	snprintf(tbufctl, sizeof(tbufctl), "%.*s.libs/%s",
	    (int)(name - path), path, name);
	if (access(tbufctl, X_OK) != 0)
		snprintf(tbufctl, sizeof(tbufctl), "%s", path);
	snprintf(libraries, sizeof(libraries), "%s/.libs", top);
	setenv("LD_LIBRARY_PATH", libraries, 1);
}

void
child_command(struct child *child, const char *const *argv)
{
	child->messages = memfd_create("messages", MFD_CLOEXEC);
	if (child->messages == -1)
		err(1, "memfd_create");
	child->pid = fork();
	if (child->pid == -1)
		err(1, "fork");
	if (child->pid == 0) {
		dup2(child->messages, STDERR_FILENO);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		err(1, "%s", argv[0]);
	}
}

void
child_tbufctl(struct child *child, const char *const *arguments)
{
	const char *argv[ARGUMENTS_MAX] = { tbufctl };
	size_t i;

	for (i = 0; arguments[i] != NULL && i < ARGUMENTS_MAX - 2; i++)
		argv[1 + i] = arguments[i];
	child_command(child, argv);
}

double
child_cpu(const struct child *child)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(child->pid, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return (0);
	return ((double)t.tv_sec * 1e9 + (double)t.tv_nsec);
}

static void
read_messages(const struct child *child, char *text, size_t size)
{
	ssize_t n = pread(child->messages, text, size - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
}

static double
nanoseconds(const struct timeval *t)
{
	return ((double)t->tv_sec * 1e9 + (double)t->tv_usec * 1e3);
}

static double
wait_for(struct child *child, char *text, size_t size)
{
	struct rusage used;
	int status;

	if (wait4(child->pid, &status, 0, &used) != child->pid)
		err(1, "wait4");
	read_messages(child, text, size);
	close(child->messages);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		errx(1, "it has failed: %s", text);
	return (nanoseconds(&used.ru_utime) + nanoseconds(&used.ru_stime));
}

void
child_check(struct child *child)
{
	char text[8192];
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)child->pid, &info,
	    WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
		return;
	wait_for(child, text, sizeof(text));
	errx(1, "it has ended: %s", text);
}

double
child_wait(struct child *child)
{
	char text[8192];

	return (wait_for(child, text, sizeof(text)));
}

double
child_total(struct child *child, uint64_t *records)
{
	char text[8192];
	double used = wait_for(child, text, sizeof(text));
	const char *total = strstr(text, "total: ");

	if (total == NULL || sscanf(total, "total: %" SCNu64, records) != 1)
		errx(1, "no total: %s", text);
	return (used);
}
