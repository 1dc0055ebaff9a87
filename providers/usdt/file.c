/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#define FILE_MAX	(1u << 20)

/* Reads all of a file.  Returns it with a NUL, or NULL and sets errno. */
static char *
read_text(int fd)
{
	char *text = malloc(FILE_MAX + 1);
	size_t used = 0;
	ssize_t n = 1;

	while (text != NULL && n != 0 && used < FILE_MAX) {
		n = read(fd, text + used, FILE_MAX - used);
		if (n == -1 && errno != EINTR) {
			free(text);
			return (NULL);
		}
		used += n > 0 ? (size_t)n : 0;
	}
	if (text != NULL)
		text[used] = '\0';
	return (text);
}

const char *
usdt_file_read(const char *path, void (*visit)(void *,
    const struct usdt_description *), void *arg, unsigned *line)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = fd == -1 ? NULL : read_text(fd);
	const char *error;

	*line = 0;
	error = text == NULL ? strerror(errno) :
	    usdt_describe(text, visit, arg, line);
	free(text);
	if (fd != -1)
		(void)close(fd);
	return (error);
}

const char *
usdt_files_directory(void)
{
	const char *name = getenv("TBUF_USDT_DIR");

	return (name == NULL || *name == '\0' ? PKGDATADIR : name);
}

void
usdt_file_installed(const char *provider, void (*visit)(void *,
    const struct usdt_description *), void *arg)
{
	unsigned line;
	char *path;

	if (strchr(provider, '/') != NULL ||
	    asprintf(&path, "%s/%s.d", usdt_files_directory(), provider) == -1)
		return;
	(void)usdt_file_read(path, visit, arg, &line);
	free(path);
}

void
usdt_files_installed(void (*visit)(void *, const struct usdt_description *),
    void *arg)
{
	struct dirent *entry;
	unsigned line;
	DIR *d = opendir(usdt_files_directory());
	char *path;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		if (fnmatch("*.d", entry->d_name, FNM_PERIOD) != 0 ||
		    asprintf(&path, "%s/%s", usdt_files_directory(),
		    entry->d_name) == -1)
			continue;
		(void)usdt_file_read(path, visit, arg, &line);
		free(path);
	}
	if (d != NULL)
		closedir(d);
}
