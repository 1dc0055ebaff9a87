/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The mapping and the storage of a control file.
 */
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "consumer/files/files.h"

int
tbuf_view_map(int fd, uint64_t size, struct tbuf_view *view)
{
	struct tbuf_control control;
	struct stat st;
	void *p;
	int error;

	if (fstat(fd, &st) != 0)
		return (-errno);
	if (pread(fd, &control, sizeof(control), 0) != sizeof(control))
		return (-EINVAL);
	error = tbuf_control_check(&control, (uint64_t)st.st_size);
	if (error != 0)
		return (error);
	if (size > (uint64_t)st.st_size)
		return (-EINVAL);
	size = MAX(size, control.tables.areas);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return (-errno);
	view->base = p;
	view->size = size;
	view->tables = control.tables;
	return (0);
}

void
tbuf_view_unmap(struct tbuf_view *view)
{
	if (view->base != NULL)
		munmap(view->base, view->size);
	view->base = NULL;
	view->size = 0;
}

int
tbuf_file_punch(int fd, uint64_t at, uint64_t size)
{
	return (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
	    (off_t)at, (off_t)size) != 0 ? -errno : 0);
}
