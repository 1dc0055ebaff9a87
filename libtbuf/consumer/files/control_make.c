/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the control file of a command that a consumer is about to run.
 */
#include <sys/mman.h>

#include <errno.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "shared/control_file.h"
#include "shared/memory_limit.h"

/* Fills the new file, then links it: other processes see it complete. */
static int
make_complete(int dirfd, pid_t pid, uint64_t random, const char *hidden,
    struct tbuf_control_file *file)
{
	struct tbuf_tables tables;
	uint64_t window = tbuf_window_size();
	void *map;
	int error;

	tbuf_tables_make(window, tbuf_room_file(), &tables);
	if (ftruncate(file->fd, tables.areas) != 0)
		return (-errno);
	if ((error = tbuf_back(file->fd, 0, TBUF_SLOTS)) != 0)
		return (error);
	map = mmap(NULL, tables.areas, PROT_READ | PROT_WRITE, MAP_SHARED,
	    file->fd, 0);
	if (map == MAP_FAILED)
		return (-errno);
	file->control = map;
	tbuf_control_fill(map, &tables, geteuid(), pid, tbuf_start_time(pid),
	    tbuf_pid_namespace(0), random);
	file->control->window = window;
	error = tbuf_control_link(dirfd, file->fd, file->name, hidden);
	if (error != 0)
		munmap(map, tables.areas);
	return (error);
}

int
tbuf_control_make(int dirfd, pid_t pid, struct tbuf_control_file *file)
{
	char hidden[TBUF_NAME_MAX + 1];
	uint64_t random = tbuf_random();
	int error;

	tbuf_control_name(file->name, pid, random);
	file->fd = tbuf_control_create(dirfd, file->name, hidden);
	if (file->fd < 0)
		return (file->fd);
	error = make_complete(dirfd, pid, random, hidden, file);
	if (error == 0)
		return (0);
	if (*hidden != '\0')
		unlinkat(dirfd, hidden, 0);
	close(file->fd);
	return (error);
}
