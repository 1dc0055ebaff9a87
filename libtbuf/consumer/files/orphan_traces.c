/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Text traces in memory of dead processes.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "layout/text_trace.h"
#include "shared/control_file.h"
#include "tbuf_consumer.h"

#define BLOCK	512		/* bytes that st_blocks counts as one */
#define NS	UINT64_C(1000000000)

struct look {
	struct tbuf_left left;
	int (*visit)(void *, const struct tbuf_left *);
	void *arg;
};

static uint64_t
nanoseconds(const struct timespec *when)
{
	return ((uint64_t)when->tv_sec * NS + (uint64_t)when->tv_nsec);
}

/* Returns the time at a line's begin, 2026-11-22T11:04:05.123456Z, ns; or 0. */
static uint64_t
line_time(const char *line)
{
	struct timespec when = { 0, 0 };
	struct tm tm = { .tm_isdst = 0 };
	unsigned us;
	char zone;

	if (sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%6u%c", &tm.tm_year,
	    &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us,
	    &zone) != 8 || zone != 'Z')
		return (0);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	when.tv_sec = timegm(&tm);
	when.tv_nsec = (long)us * 1000;
	return (when.tv_sec < 0 ? 0 : nanoseconds(&when));
}

static uint64_t
last_time(const struct tbuf_unwrapped *u)
{
	const char *last;
	char line[64];
	size_t size;

	if (u->size == 0)
		return (0);
	last = memrchr(u->text, '\n', u->size - 1);
	last = last == NULL ? u->text : last + 1;
	size = (size_t)(u->text + u->size - last);
	if (size >= sizeof(line))
		size = sizeof(line) - 1;
	memcpy(line, last, size);
	line[size] = '\0';
	return (line_time(line));
}

static int
give(void *arg, const struct tbuf_unwrapped *u)
{
	struct look *l = arg;
	uint64_t last = last_time(u);

	l->left.program = u->comm;
	l->left.pid = u->pid;
	if (last != 0)
		l->left.wall = last;
	return (l->visit(l->arg, &l->left));
}

/* Visits a trace unless its writer is alive, which holds the file's lock. */
static int
trace_look(struct look *l, int fd)
{
	struct tbuf_trace trace;
	struct stat st;
	int result;

	if (fstat(fd, &st) != 0 || tbuf_control_alive(fd) ||
	    pread(fd, &trace, sizeof(trace), 0) != sizeof(trace) ||
	    memcmp(trace.eye, TBUF_TRACE_EYE, sizeof(trace.eye)) != 0)
		return (0);
	l->left.end = trace.exited != 0 ? TBUF_LEFT_EXIT : TBUF_LEFT_UNKNOWN;
	l->left.wall = nanoseconds(&st.st_mtim);
	l->left.bytes = (uint64_t)st.st_blocks * BLOCK;
	/* A damaged trace is skipped, as any other file is. */
	result = tbuf_unwrap_descriptor(fd, give, l);
	return (result == -EINVAL ? 0 : result);
}

int
tbuf_traces_orphan(const struct tbuf_runtime *r,
    int (*visit)(void *, const struct tbuf_left *), void *arg)
{
	struct look l = { .visit = visit, .arg = arg };
	char path[TBUF_LEFT_PATH];
	struct dirent *entry;
	int fd, result = 0;
	DIR *directory;

	if ((directory = tbuf_directory_stream(r->fd)) == NULL)
		return (r->foreign ? 0 : -errno);
	while (result == 0 && (entry = readdir(directory)) != NULL) {
		if (tbuf_runtime_late(r))
			result = -ETIMEDOUT;
		if (result != 0 || tbuf_trace_name_pid(entry->d_name) == 0 ||
		    (fd = tbuf_runtime_open(r, entry->d_name)) < 0)
			continue;
		l.left.name = tbuf_left_name(r, entry->d_name, path);
		result = trace_look(&l, fd);
		close(fd);
	}
	closedir(directory);
	return (result);
}

int
tbuf_trace_remove(const struct tbuf_runtime *r, const char *name)
{
	int fd = tbuf_runtime_open(r, name), error = 0;

	if (fd < 0)
		return (-ENOENT);
	if (tbuf_control_alive(fd))
		error = -EBUSY;
	else if (unlinkat(r->fd, name, 0) != 0)
		error = -errno;
	close(fd);
	return (error);
}
