/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds processes that may become targets of a run after their parents have
 * ended: forked children, and descendants of the command.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "shared/board.h"

/*
 * Returns true if a mapping ends the window of a target that has ended, and the
 * window has its beginning, at `first`, which a child gives up when it has
 * decided.
 */
static bool
is_window(const struct tbuf_consumer *c, const struct tbuf_process_map *m,
    uint64_t first)
{
	const struct tbuf_control *control;
	const struct tbuf_target *t;
	const char *name;
	bool deleted;

	if ((name = tbuf_map_control(m->path, &deleted)) == NULL)
		return (false);
	TAILQ_FOREACH(t, &c->targets, link) {
		if (tbuf_target_runs(t) || t->view.base == NULL)
			continue;
		/* Consumers map only the file, which is smaller. */
		control = tbuf_view_control(&t->view);
		if (strcmp(t->name, name) == 0 &&
		    m->end - first == tbuf_load(&control->window))
			return (true);
	}
	return (false);
}

/* Returns true if a target has ended, so that a child may have its window. */
static bool
any_window(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (!tbuf_target_runs(t) && t->view.base != NULL)
			return (true);
	return (false);
}

static bool
has_window(const struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_process_map m;
	uint64_t first = 0;
	bool found = false;
	FILE *f;

	if ((f = tbuf_process_open(pid, "maps")) == NULL)
		return (false);
	while (!found && tbuf_map_next(f, &m)) {
		if (m.offset == 0)
			first = m.start;
		found = is_window(c, &m, first);
	}
	fclose(f);
	return (found);
}

/* A string that is searched for in strings that end with NUL. */
struct search {
	const char *wanted;
	size_t matched;		/* bytes of it; SIZE_MAX: another string */
};

/* Continues a search.  Returns true if one of the strings is the wanted one. */
static bool
search_in(struct search *s, const char *bytes, size_t size)
{
	const char *p;

	for (p = bytes; p < bytes + size; p++) {
		if (s->matched != SIZE_MAX && *p == s->wanted[s->matched]) {
			if (*p == '\0')
				return (true);
			s->matched++;
		} else
			s->matched = *p == '\0' ? 0 : SIZE_MAX;
	}
	return (false);
}

/*
 * Returns 1 if the environment has the run, 0 if not, -1 if there is none.  A
 * process can say that its environment is somewhere else and of any size
 * (PR_SET_MM_MAP), so that no more is read than execve(2) takes.
 */
static int
environment_has(pid_t pid, const char *run)
{
	struct search s = { .wanted = run };
	uint64_t left = TBUF_EXEC_STRINGS_MAX;
	char path[64], bytes[4096];
	int fd, found = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (0);
	while (found <= 0 && left > 0 &&
	    (n = read(fd, bytes, sizeof(bytes))) > 0) {
		found = search_in(&s, bytes, (size_t)n);
		left -= MIN((uint64_t)n, left);
	}
	close(fd);
	return (found);
}

/*
 * Returns true if a process descends from the command.  One without an
 * environment may be calling exec; if it is not any more, the environment is
 * read again.
 */
static bool
has_run(const struct tbuf_consumer *c, pid_t pid)
{
	char run[sizeof(TBUF_RUN_ENV "=") + 16];
	int found;

	snprintf(run, sizeof(run), TBUF_RUN_ENV "=%016" PRIx64, c->run);
	if ((found = environment_has(pid, run)) >= 0)
		return (found != 0);
	return (tbuf_find_executing(pid) || environment_has(pid, run) > 0);
}

/* The processes to look at. */
struct scope {
	uint64_t start;		/* of this process */
	bool windows;		/* any_window() */
	bool younger;		/* all targets began after this process, which
				   has made their command */
};

static bool
is_orphan(struct tbuf_consumer *c, pid_t pid, const struct scope *scope)
{
	bool commands = c->spawned.pid != 0, younger = true;

	tbuf_consumer_sign(c);
	if (pid <= 0 || pid == getpid())
		return (false);
	/* A line of stat costs a tenth of the process's mappings. */
	if (commands)
		younger = tbuf_start_time(pid) >= scope->start;
	return ((scope->windows && (younger || !scope->younger) &&
	    has_window(c, pid)) || (commands && younger && has_run(c, pid)));
}

bool
tbuf_find_orphan(struct tbuf_consumer *c)
{
	const struct scope scope = { tbuf_start_time(0), any_window(c),
	    c->spawned.pid != 0 && !c->all && !c->grabbed };
	struct dirent *entry;
	pid_t pid;
	DIR *proc;

	if (is_orphan(c, c->orphan, &scope))
		return (true);
	c->orphan = 0;
	if ((!scope.windows && c->spawned.pid == 0) ||
	    (proc = opendir("/proc")) == NULL)
		return (false);
	while (c->orphan == 0 && (entry = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (is_orphan(c, pid, &scope))
			c->orphan = pid;
	}
	closedir(proc);
	return (c->orphan != 0);
}
