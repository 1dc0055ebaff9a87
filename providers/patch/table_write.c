/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writing a table of findings, and removing old ones.
 */
#include "table.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns false if a limit or a filter of system calls might kill for it. */
static bool
may_write(size_t size)
{
	struct rlimit limit;

	return (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur >= size && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0);
}

/* Returns the offset of the text in the file, or -1. */
static off_t
offset_of(const struct patch_text *text)
{
	const ElfW(Phdr) *p = text->parts, *end = p + text->nparts;

	for (; p < end; p++)
		if (p->p_type == PT_LOAD &&
		    text->base + p->p_vaddr == text->start)
			return ((off_t)p->p_offset);
	return (-1);
}

static bool
is_same(const struct patch_text *text, int fd, off_t offset)
{
	static uint8_t part[65536];
	uintptr_t at = text->start;
	size_t size;
	ssize_t n;

	for (; at < text->end; at += (size_t)n, offset += n) {
		size = text->end - at < sizeof(part) ? text->end - at :
		    sizeof(part);
		n = pread(fd, part, size, offset);
		if (n <= 0 || memcmp((const void *)at, part, (size_t)n) != 0)
			return (false);
	}
	return (true);
}

/*
 * Returns true if the text is as in the file: the loader has not relocated it,
 * and no other provider has changed it.
 */
static bool
is_unchanged(const struct patch_text *text, const char *path)
{
	off_t offset = offset_of(text);
	int fd = offset == -1 ? -1 : open(path, O_RDONLY | O_CLOEXEC |
	    O_NONBLOCK);
	bool same;

	if (fd == -1)
		return (false);
	same = is_same(text, fd, offset);
	close(fd);
	return (same);
}

/* The tables of a directory, while they are counted. */
struct count {
	unsigned n;
	int64_t oldest;			/* s */
	char name[sizeof(((struct dirent *)0)->d_name)];
};

static void
look(int directory, const char *name, struct count *count)
{
	struct stat st;

	if (strncmp(name, PATCH_TABLE_PREFIX, strlen(PATCH_TABLE_PREFIX)) !=
	    0 || fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	if (count->n++ == 0 || st.st_mtim.tv_sec < count->oldest) {
		count->oldest = st.st_mtim.tv_sec;
		strcpy(count->name, name);
	}
}

/* Removes tables until one more may be made. */
static bool
make_room(int directory)
{
	struct dirent *entry;
	struct count count;
	DIR *names;
	int fd;

	do {
		fd = openat(directory, ".", O_RDONLY | O_DIRECTORY |
		    O_CLOEXEC);
		if (fd == -1 || (names = fdopendir(fd)) == NULL) {
			if (fd != -1)
				close(fd);
			return (false);
		}
		count.n = 0;
		while ((entry = readdir(names)) != NULL)
			look(directory, entry->d_name, &count);
		closedir(names);
	} while (count.n >= PATCH_TABLES_MAX &&
	    unlinkat(directory, count.name, 0) == 0);
	return (count.n < PATCH_TABLES_MAX);
}

/* Writes under a name of its own first, so that no table is ever half there. */
static void
put(int directory, const char *name, const struct patch_table *table)
{
	size_t size = sizeof(table->head) + table->head.size;
	char other[PATCH_TABLE_NAME];
	bool written;
	int fd;

	snprintf(other, sizeof(other), PATCH_TABLE_PREFIX "new.%d", getpid());
	fd = openat(directory, other,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd == -1)
		return;
	written = write(fd, table, size) == (ssize_t)size;
	close(fd);
	if (!written || renameat(directory, other, directory, name) != 0)
		(void)unlinkat(directory, other, 0);
}

void
patch_table_write(int directory, const struct patch_identity *identity,
    const struct patch_text *text, const char *path, struct patch_table *table)
{
	char name[PATCH_TABLE_NAME];

	memcpy(table->head.magic, PATCH_TABLE_MAGIC, sizeof(table->head.magic));
	table->head.version = PATCH_TABLE_VERSION;
	table->head.identity = *identity;
	table->head.hash = patch_table_hash(table);
	patch_table_name(identity, name);
	if (may_write(sizeof(*table)) && is_unchanged(text, path) &&
	    make_room(directory))
		put(directory, name, table);
}
