/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading the programs of a run.  Another process may write garbage there, so
 * offsets and sizes are copied first, and the copies checked.
 */
#include "base/optimize_size.h"

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "shared/control_file.h"
#include "shared/program_file.h"

void
tbuf_programs_name(char name[TBUF_PROGRAMS_NAME], uint64_t number)
{
	static const char digits[] = "0123456789abcdef";
	static const char prefix[] = "programs.";
	char *p = name + sizeof(prefix) - 1;
	int shift;

	memcpy(name, prefix, sizeof(prefix) - 1);
	for (shift = 60; shift >= 0; shift -= 4)
		*p++ = digits[number >> shift & 15];
	*p = '\0';
}

static bool
check(const struct tbuf_programs *programs, uint64_t run, uint64_t size)
{
	const struct tbuf_part *part;

	if (memcmp(programs->magic, TBUF_PROGRAMS_MAGIC,
	    sizeof(programs->magic)) != 0 || programs->major != TBUF_MAJOR ||
	    programs->run != run || programs->size != size)
		return (false);
	for (part = programs->parts; part < programs->parts + TBUF_PARTS;
	    part++)
		if (part->at % 8 != 0 || part->at < sizeof(*programs) ||
		    part->at > size || part->size > size - part->at)
			return (false);
	return (true);
}

int
tbuf_programs_open(int dirfd, const struct tbuf_board_entry *entry,
    uint64_t run, struct tbuf_programs *programs)
{
	uint64_t number = tbuf_load(&entry->programs);
	uint64_t size = tbuf_load(&entry->programs_size);
	char name[TBUF_PROGRAMS_NAME];
	struct stat st;
	int fd;

	if (number == 0)
		return (-ENOENT);
	tbuf_programs_name(name, number);
	/* O_NONBLOCK: do not wait for a named pipe, or a lease. */
	fd = openat(dirfd, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && size <= TBUF_PROGRAMS_MAX &&
	    (uint64_t)st.st_size == size &&
	    tbuf_file_read(fd, programs, sizeof(*programs), 0) &&
	    check(programs, run, size))
		return (fd);
	close(fd);
	return (-EINVAL);
}

bool
tbuf_programs_read(int fd, const struct tbuf_part *part, void *to)
{
	return (tbuf_file_read(fd, to, part->size, part->at));
}

void
tbuf_programs_order(const struct tbuf_programs *programs,
    struct tbuf_order *order)
{
	unsigned i;

	for (i = 0; i < TBUF_PARTS; i++)
		order->parts[i] = programs->parts[i].size;
	order->globals = programs->globals;
	order->epids = programs->epids;
	order->aggsize = programs->aggsize;
	order->blocks = programs->blocks;
	order->specsize = programs->specsize;
	order->nspec = programs->nspec;
	order->dynamic = programs->dynamic;
}
