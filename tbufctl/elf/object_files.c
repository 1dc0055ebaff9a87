/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open_regular.h"
#include "object_files.h"

#define ENTRIES_MAX	65536u	/* of a folder */

#ifdef __aarch64__
#define MACHINE		EM_AARCH64
#else
#define MACHINE		EM_X86_64
#endif

static bool
is_object(int fd)
{
	Elf64_Ehdr header;

	return (pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	    header.e_ident[EI_CLASS] == ELFCLASS64 &&
	    header.e_ident[EI_DATA] == ELFDATA2LSB &&
	    header.e_machine == MACHINE &&
	    (header.e_type == ET_DYN || header.e_type == ET_EXEC));
}

static const char *
add_open(struct object_files *files, const char *path, int fd)
{
	size_t i, n = files->paths.count;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return (strerror(errno));
	if (!is_object(fd))
		return ("it is not a program or a library of this machine");
	for (i = 0; i < n; i++)
		if (files->files[i].device == st.st_dev &&
		    files->files[i].inode == st.st_ino)
			return (NULL);
	if (n == OBJECT_FILES_MAX)
		return ("there are too many files");
	files->files[n].device = st.st_dev;
	files->files[n].inode = st.st_ino;
	words_add(&files->paths, "%s", path);
	return (NULL);
}

const char *
object_files_add(struct object_files *files, const char *path)
{
	const char *why;
	int fd = regular_open_path(path);

	if (fd == -1)
		return ("it is not a file that can be read");
	why = add_open(files, path, fd);
	(void)close(fd);
	return (why);
}

static int
compare(const void *a, const void *b)
{
	return (strcmp(*(char *const *)a, *(char *const *)b));
}

bool
object_files_folder(struct object_files *files, const char *folder,
    object_wanted *wanted, void *arg)
{
	struct words paths = { NULL, 0 };
	const struct dirent *entry;
	DIR *d = opendir(folder);
	bool found = false;
	unsigned n = 0;
	size_t i;

	if (d == NULL)
		return (false);
	while (n++ < ENTRIES_MAX && (entry = readdir(d)) != NULL)
		if (wanted(arg, entry->d_name))
			words_add(&paths, "%s/%s", folder, entry->d_name);
	(void)closedir(d);
	/* The order of entries is not that of names. */
	if (paths.count > 0)
		qsort(paths.all, paths.count, sizeof(*paths.all), compare);
	for (i = 0; i < paths.count; i++)
		if (object_files_add(files, paths.all[i]) == NULL)
			found = true;
	words_free(&paths);
	return (found);
}
