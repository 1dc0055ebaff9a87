/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists the threads of a target that exist.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/target/target.h"
#include "shared/control_file.h"

static int
by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y ? -1 : *x > *y);
}

static bool
tasks_add(struct tbuf_tasks *tasks, uint64_t tid)
{
	uint64_t *tids;

	if (tasks->count == tasks->room) {
		tasks->room = 2 * tasks->room + 64;
		tids = reallocarray(tasks->tids, tasks->room, sizeof(*tids));
		if (tids == NULL)
			return (false);
		tasks->tids = tids;
	}
	tasks->tids[tasks->count++] = tid;
	return (true);
}

/* Returns the kernel's count of threads: the directory's links but two. */
static uint64_t
tasks_expected(int fd)
{
	struct stat st;

	return (fstat(fd, &st) == 0 ? (uint64_t)st.st_nlink - 2 : UINT64_MAX);
}

/*
 * Lists the threads.  A listing may miss threads while others end.  In our own
 * pid namespace tbuf_tasks_has() checks each id afterwards; for another one the
 * listing is complete only if no thread began or ended meanwhile.
 */
static bool
tasks_read(const struct tbuf_target *t, struct tbuf_tasks *tasks)
{
	struct dirent *entry;
	uint64_t expected;
	char path[64];
	bool good = true;
	pid_t tid;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->pid);
	if ((d = opendir(path)) == NULL)
		return (false);
	expected = tasks_expected(dirfd(d));
	while (good && (entry = readdir(d)) != NULL) {
		tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (tid > 0)
			good = tasks_add(tasks, (uint64_t)(tasks->ours ? tid :
			    tbuf_find_inner(tid)));
	}
	tasks->whole = expected == tasks->count &&
	    tasks_expected(dirfd(d)) == expected;
	closedir(d);
	if (tasks->count != 0)
		qsort(tasks->tids, tasks->count, sizeof(*tasks->tids),
		    by_number);
	return (good);
}

bool
tbuf_tasks_has(const struct tbuf_target *t, const struct tbuf_tasks *tasks,
    uint64_t tid)
{
	char path[64];

	if (tasks->count != 0 && bsearch(&tid, tasks->tids, tasks->count,
	    sizeof(tid), by_number) != NULL)
		return (true);
	if (!tasks->ours)
		return (!tasks->whole);
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)t->pid,
	    (int)tid);
	return (access(path, F_OK) == 0 || errno != ENOENT);
}

bool
tbuf_tasks_list(const struct tbuf_target *t, struct tbuf_tasks *tasks)
{
	*tasks = (struct tbuf_tasks){
		.ours = tbuf_view_control(&t->view)->pid_namespace ==
		    tbuf_pid_namespace(getpid())
	};
	if (tasks_read(t, tasks))
		return (true);
	tbuf_tasks_free(tasks);
	return (false);
}

void
tbuf_tasks_free(struct tbuf_tasks *tasks)
{
	free(tasks->tids);
	tasks->tids = NULL;
}
