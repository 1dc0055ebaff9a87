/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds processes that may become targets of a run after their parents have
 * ended: forked children, and descendants of the command.
 */
#include <dirent.h>
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

/* Returns true for a mapping of the window of a target that has ended. */
static bool
is_window(const struct tbuf_consumer *c, const struct tbuf_process_map *m)
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
		    m->end - m->start == tbuf_load(&control->window))
			return (true);
	}
	return (false);
}

static bool
has_window(const struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_process_map m;
	bool found = false;
	FILE *f;

	if ((f = tbuf_process_open(pid, "maps")) == NULL)
		return (false);
	while (!found && tbuf_map_next(f, &m))
		found = is_window(c, &m);
	fclose(f);
	return (found);
}

/* Returns 1 if the environment has the run, 0 if not, -1 if there is none. */
static int
environment_has(pid_t pid, const char *run)
{
	char *text = NULL;
	size_t size = 0;
	int found = -1;
	FILE *f;

	if ((f = tbuf_process_open(pid, "environ")) == NULL)
		return (0);
	while (found <= 0 && getdelim(&text, &size, '\0', f) > 0)
		found = strcmp(text, run) == 0;
	free(text);
	fclose(f);
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

	if (c->spawned.pid == 0)
		return (false);
	snprintf(run, sizeof(run), TBUF_RUN_ENV "=%016" PRIx64, c->run);
	if ((found = environment_has(pid, run)) >= 0)
		return (found != 0);
	return (tbuf_find_executing(pid) || environment_has(pid, run) > 0);
}

static bool
is_orphan(const struct tbuf_consumer *c, pid_t pid)
{
	return (pid > 0 && pid != getpid() &&
	    (has_window(c, pid) || has_run(c, pid)));
}

bool
tbuf_find_orphan(struct tbuf_consumer *c)
{
	struct dirent *entry;
	pid_t pid;
	DIR *proc;

	if (is_orphan(c, c->orphan))
		return (true);
	c->orphan = 0;
	if ((proc = opendir("/proc")) == NULL)
		return (false);
	while (c->orphan == 0 && (entry = readdir(proc)) != NULL) {
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (is_orphan(c, pid))
			c->orphan = pid;
	}
	closedir(proc);
	return (c->orphan != 0);
}
