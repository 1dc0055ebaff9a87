/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Refuses clauses that copy a program's memory if this process itself may not
 * read that memory: they must not bypass the kernel's rules.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/seccomp.h"
#include "consumer/run/run.h"

/* Opening /proc/PID/mem needs the permission to trace the process. */
static bool
may_read(pid_t pid)
{
	char path[32];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd != -1)
		close(fd);
	return (fd != -1);
}

/* Returns Yama's ptrace_scope; 0: a user's processes may trace each other. */
static int
ptrace_scope(void)
{
	int fd = open("/proc/sys/kernel/yama/ptrace_scope",
	    O_RDONLY | O_CLOEXEC);
	char text[8] = "0";

	if (fd == -1)
		return (0);
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '0';
	close(fd);
	return (atoi(text));
}

/* Returns the seccomp filters of a thread, 0 if it has just ended. */
static uint32_t
thread_filters(int tasks, const char *name)
{
	char path[300], text[4096];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/status", name);
	if ((fd = openat(tasks, path, O_RDONLY | O_CLOEXEC)) == -1)
		return (0);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return (tbuf_filters(text));
}

/* Each thread has filters of its own.  Filters may be added after this. */
bool
tbuf_copyin_filtered(pid_t pid, uint32_t from_the_start)
{
	const struct dirent *entry;
	bool filtered = false;
	char path[32];
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((dir = opendir(path)) == NULL)
		return (false);
	while (!filtered && (entry = readdir(dir)) != NULL)
		filtered = thread_filters(dirfd(dir), entry->d_name) >
		    from_the_start;
	closedir(dir);
	return (filtered);
}

int
tbuf_copyin_check(struct tbuf_consumer *c)
{
	const struct tbuf_target *t;
	int scope;

	if ((c->needs & TBUF_F_COPYIN) == 0)
		return (0);
	TAILQ_FOREACH(t, &c->targets, link)
		if (t->pidfd != -1 && !may_read(t->pid))
			return (tbuf_consumer_fail(c, -EPERM, "failed to "
			    "grab pid %d: no permission to read its memory",
			    (int)t->pid));
	/* Future targets are not children of this process. */
	if (c->all && geteuid() != 0 && (scope = ptrace_scope()) > 0)
		return (tbuf_consumer_fail(c, -EPERM, "could not enable "
		    "tracing: kernel.yama.ptrace_scope is %d; set it to 0 to "
		    "read memory of all processes", scope));
	return (0);
}
