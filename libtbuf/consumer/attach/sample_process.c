/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Adds a process without libtbuf, for profile probes.  Its target has no file
 * and never gets a session; the header that it has in place of a control file
 * says that the image waits for libtbuf, as that of a command does.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "shared/control_file.h"

/* Makes the header: tables of the least size, which stay empty. */
static int
make_header(struct tbuf_target *t)
{
	struct tbuf_tables tables;
	void *map;

	tbuf_tables_make(0, 0, &tables);
	map = mmap(NULL, tables.areas, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return (-errno);
	t->view.base = map;
	t->view.tables = tables;
	t->view.size = tables.areas;
	tbuf_control_fill(map, &tables, geteuid(), t->pid,
	    tbuf_start_time(t->pid), tbuf_pid_namespace(0), tbuf_random());
	return (0);
}

/* Reads the name that the kernel has for the process's program. */
static void
learn_name(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	char name[64] = "";
	FILE *f = tbuf_process_open(t->pid, "comm");

	if (f == NULL)
		return;
	if (fgets(name, sizeof(name), f) != NULL) {
		name[strcspn(name, "\n")] = '\0';
		tbuf_images_named(c, t, name);
	}
	(void)fclose(f);
}

static int
add(struct tbuf_consumer *c, pid_t pid, int pidfd)
{
	struct tbuf_target *t = tbuf_target_new(c, pid);
	int error = t == NULL ? -ENOMEM : make_header(t);

	if (error != 0) {
		close(pidfd);
		if (t != NULL)
			tbuf_target_free(c, t);
		return (error);
	}
	t->pidfd = pidfd;
	t->sampled_only = t->named_by_user = true;
	learn_name(c, t);
	return (0);
}

int
tbuf_consumer_sample(struct tbuf_consumer *c, pid_t pid)
{
	int pidfd, error;

	if ((error = tbuf_grab_check(c, pid)) != 1)
		return (error);
	pidfd = pid <= 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	error = pidfd != -1 ? 0 :
	    pid <= 0 || errno == EINVAL || errno == ENOENT ? -ESRCH : -errno;
	if (error == 0 && tbuf_process_ended(pidfd)) {
		close(pidfd);
		error = -ESRCH;
	}
	if (error != 0 || (error = add(c, pid, pidfd)) != 0)
		return (tbuf_consumer_fail(c, error,
		    "failed to grab pid %d: %s", (int)pid, strerror(-error)));
	return (0);
}
