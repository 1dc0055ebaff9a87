/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file of a run's programs (shared/program_file.h), which exists as long
 * as the run's entry is on the board.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/run/run.h"
#include "shared/memory_limit.h"
#include "shared/program_file.h"

/* Returns the end of a part; parts begin at multiples of 8. */
static uint64_t
part_end(uint64_t at, size_t size)
{
	return ((at + size + 7) & ~UINT64_C(7));
}

int
tbuf_consumer_programs(struct tbuf_consumer *c,
    const void *const parts[TBUF_PARTS], const size_t sizes[TBUF_PARTS])
{
	struct tbuf_programs *programs;
	uint64_t end = sizeof(*programs), at = end;
	unsigned i;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	for (i = 0; i < TBUF_PARTS; i++) {
		if (sizes[i] > TBUF_PROGRAMS_MAX)
			return (-E2BIG);
		end = part_end(end, sizes[i]);
	}
	if (end > TBUF_PROGRAMS_MAX)
		return (-E2BIG);
	if ((programs = calloc(1, end)) == NULL)
		return (-ENOMEM);
	memcpy(programs->magic, TBUF_PROGRAMS_MAGIC, sizeof(programs->magic));
	programs->major = TBUF_MAJOR;
	programs->size = end;
	for (i = 0; i < TBUF_PARTS; i++) {
		programs->parts[i] = (struct tbuf_part){ at, sizes[i] };
		if (sizes[i] != 0)
			memcpy((char *)programs + at, parts[i], sizes[i]);
		at = part_end(at, sizes[i]);
	}
	free(c->programs);
	c->programs = programs;
	return (0);
}

/* Fills the file.  All of it is backed first: no SIGXFSZ, no partial file. */
static int
fill(int fd, const struct tbuf_programs *programs)
{
	const char *from = (const char *)programs;
	uint64_t at;
	ssize_t n;
	int error;

	if (!tbuf_budget_file(programs->size))
		return (-ENOSPC);
	if ((error = tbuf_back(fd, 0, programs->size)) != 0)
		return (error);
	for (at = 0; at < programs->size; at += (uint64_t)n) {
		n = pwrite(fd, from + at, programs->size - at, (off_t)at);
		if (n == -1 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return (n == 0 ? -EIO : -errno);
	}
	/* Backing is by pages, and readers compare the size. */
	return (ftruncate(fd, (off_t)programs->size) != 0 ? -errno : 0);
}

int
tbuf_programs_post(const struct tbuf_consumer *c, int dirfd,
    struct tbuf_board_entry *entry)
{
	uint64_t number = tbuf_random() | 1;
	char name[TBUF_PROGRAMS_NAME];
	int fd, error;

	if (c->programs == NULL)
		return (0);
	c->programs->run = c->run;
	c->programs->needs = c->needs;
	/* Named first, so that a file that remains can be removed later. */
	tbuf_store(&entry->programs_size, (uint32_t)c->programs->size);
	tbuf_store(&entry->programs, number);
	tbuf_programs_name(name, number);
	fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	error = fd == -1 ? -errno : fill(fd, c->programs);
	if (fd != -1)
		close(fd);
	if (error != 0)
		tbuf_programs_remove(dirfd, entry);
	return (error);
}

void
tbuf_programs_remove(int dirfd, struct tbuf_board_entry *entry)
{
	uint64_t number = tbuf_load(&entry->programs);
	char name[TBUF_PROGRAMS_NAME];

	if (number == 0)
		return;
	tbuf_programs_name(name, number);
	unlinkat(dirfd, name, 0);
	tbuf_store(&entry->programs, 0);
}

void
tbuf_programs_reap(int dirfd, struct tbuf_board *board, int fd)
{
	struct tbuf_board_entry *entry;
	unsigned i;

	for (i = 0; i < TBUF_BOARD_ENTRIES; i++) {
		entry = &board->entries[i];
		/* The unlock below would drop a lock of this descriptor. */
		if (tbuf_load(&entry->programs) == 0 ||
		    !tbuf_file_lock(fd, 1 + i))
			continue;
		tbuf_store(&entry->run, 0);
		tbuf_programs_remove(dirfd, entry);
		tbuf_file_unlock(fd, 1 + i);
	}
}
