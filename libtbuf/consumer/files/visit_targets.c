/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Visits the live targets in all runtime directories that the caller may look
 * at.
 */
#include <errno.h>

#include "consumer/files/files.h"
#include "consumer/util/util.h"

struct visitor {
	const struct tbuf_runtime *directory;
	int (*visit)(void *, pid_t, const char *);
	void *arg;
};

static int
visit_target(void *arg, int fd, const char *name,
    const struct tbuf_control *control, bool alive)
{
	const struct visitor *v = arg;
	pid_t pid = alive ? tbuf_runtime_pid(v->directory, fd, control) :
	    -ESRCH;

	(void)name;
	if (pid < 0)
		return (tbuf_error_exhausted(pid) ? pid : 0);
	return (v->visit(v->arg, pid, control->comm));
}

static int
visit_directory(void *arg, const struct tbuf_runtime *r)
{
	struct visitor *v = arg;
	int result;

	v->directory = r;
	result = tbuf_runtime_scan(r, visit_target, v);
	return (result == -EAGAIN ? 0 : result);
}

int
tbuf_targets(int (*visit)(void *, pid_t, const char *), void *arg)
{
	struct visitor v = { .visit = visit, .arg = arg };

	return (tbuf_runtimes_visit(0, visit_directory, &v));
}
