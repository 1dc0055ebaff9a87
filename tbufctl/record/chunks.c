/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "chunks.h"

bool
chunks_is_empty(int fd, int *error)
{
	const struct dirent *entry;
	DIR *dir;
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (copy == -1 || (dir = fdopendir(copy)) == NULL) {
		*error = -errno;
		if (copy != -1)
			close(copy);
		return (false);
	}
	do {
		errno = 0;
		entry = readdir(dir);
	} while (entry != NULL && (strcmp(entry->d_name, ".") == 0 ||
	    strcmp(entry->d_name, "..") == 0));
	if (entry == NULL && errno != 0)
		*error = -errno;
	closedir(dir);
	return (entry == NULL && *error == 0);
}

static void
chunk_name(unsigned number, char name[16])
{
	(void)snprintf(name, 16, "%06u", number);
}

int
chunks_open(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);

	return (fd == -1 ? -errno : fd);
}

int
chunks_remove(int directory, const char *name, int depth)
{
	const struct dirent *entry;
	int fd = chunks_open(directory, name), error = 0;
	DIR *dir;

	if (fd < 0)
		return (fd);
	if ((dir = fdopendir(fd)) == NULL) {
		close(fd);
		return (-ENOMEM);
	}
	while ((entry = readdir(dir)) != NULL && error == 0) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 ||
		    unlinkat(fd, entry->d_name, 0) == 0)
			continue;
		error = errno != EISDIR || depth == 0 ? -errno :
		    chunks_remove(fd, entry->d_name, depth - 1);
	}
	closedir(dir);
	if (error == 0 && unlinkat(directory, name, AT_REMOVEDIR) != 0)
		error = -errno;
	return (error);
}

/* Adds the sums of a chunk that is to be removed. */
static void
count_removed(struct chunks_removed *r, const struct chunk *c)
{
	unsigned i;

	r->number = c->number;
	if (c->snapshot)
		return;
	r->records += c->records;
	for (i = 0; i < 3; i++)
		r->losses.drops[i] += c->losses.drops[i];
	r->losses.overwritten += c->losses.overwritten;
	r->losses.damage += c->losses.damage;
	r->losses.unselected += c->losses.unselected;
}

/*
 * Replaces the file of sums, before a chunk is removed, so that a reader passes
 * over the rest of it.
 */
static int
write_removed(const struct chunks *all)
{
	static const char hidden[] = REMOVED_FILE ".new";
	int fd = openat(all->base, hidden, O_WRONLY | O_CREAT | O_TRUNC |
	    O_CLOEXEC | O_NOFOLLOW, 0600), error = 0;
	ssize_t n;

	if (fd == -1)
		return (-errno);
	n = write(fd, &all->removed, sizeof(all->removed));
	if (n != sizeof(all->removed))
		error = n == -1 ? -errno : -ENOSPC;
	close(fd);
	if (error == 0 && renameat(all->base, hidden, all->base,
	    REMOVED_FILE) != 0)
		error = -errno;
	if (error != 0)
		(void)unlinkat(all->base, hidden, 0);
	return (error);
}

int
chunks_make_room(struct chunks *all, uint64_t more)
{
	struct chunk *c;
	uint64_t bytes = DISK_PAGE + more;	/* of the sums and directory */
	char name[16];
	int error = 0;

	for (c = all->list; c != NULL; c = c->next)
		bytes += c->bytes;
	while (error == 0 && all->most != 0 && (c = all->list) != NULL &&
	    !c->written && bytes > all->most) {
		count_removed(&all->removed, c);
		error = write_removed(all);
		chunk_name(c->number, name);
		if (error == 0)
			error = chunks_remove(all->base, name, 1);
		bytes -= c->bytes;
		all->list = c->next;
		free(c);
	}
	return (error);
}

int
chunk_begin(struct chunks *all, bool is_snapshot, struct chunk **chunk)
{
	struct chunk **end = &all->list;
	char name[16];
	int error, fd;

	error = chunks_make_room(all, all->most / CHUNKS);
	if (error != 0)
		return (error);
	chunk_name(++all->numbers, name);
	if (mkdirat(all->base, name, 0700) != 0)
		return (-errno);
	if ((fd = chunks_open(all->base, name)) < 0)
		return (fd);
	while (*end != NULL)
		end = &(*end)->next;
	*chunk = *end = memory_get(NULL, 1, sizeof(**end));
	**end = (struct chunk){
		.number = all->numbers, .snapshot = is_snapshot,
		.written = true, .bytes = DISK_PAGE + DISK_NAME
	};
	return (fd);
}

void
chunks_free(struct chunks *all)
{
	struct chunk *c;

	while ((c = all->list) != NULL) {
		all->list = c->next;
		free(c);
	}
}
