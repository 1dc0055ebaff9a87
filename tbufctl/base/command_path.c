/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <errno.h>
#include <paths.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_path.h"
#include "messages.h"
#include "open_regular.h"
#include "string_list.h"

static bool
is_executable(const char *path)
{
	struct stat st;

	return (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0);
}

/* Returns 0 or why a path cannot be executed, as execve(2) has it. */
static int
path_error(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return (errno);
	return (is_executable(path) ? 0 : EACCES);
}

int
command_error(const char *name)
{
	const char *path = getenv("PATH"), *p, *end;
	int error = ENOENT, one;
	char *file;

	if (strchr(name, '/') != NULL || *name == '\0')
		return (path_error(name));
	if (path == NULL)
		path = _PATH_DEFPATH;
	for (p = path;; p = end + 1) {
		end = strchrnul(p, ':');
		file = string_format("%.*s%s%s", (int)(end - p), p,
		    end == p ? "" : "/", name);
		one = path_error(file);
		free(file);
		if (one == 0)
			return (0);
		if (one == EACCES)
			error = one;
		if (*end == '\0')
			return (error);
	}
}

char *
command_find(const char *name)
{
	const char *path, *p, *end;
	char *file;

	if (strchr(name, '/') != NULL)
		return (memory_string(name));
	if ((path = getenv("PATH")) == NULL)
		path = _PATH_DEFPATH;
	for (p = path;; p = end + 1) {
		end = strchrnul(p, ':');
		file = string_format("%.*s%s%s", (int)(end - p), p,
		    end == p ? "" : "/", name);
		if (is_executable(file))
			return (file);
		free(file);
		if (*end == '\0')
			return (NULL);
	}
}

bool
script_line(const char *head, size_t n, char path[PATH_MAX])
{
	size_t i, length;

	if (n < 2 || memcmp(head, "#!", 2) != 0)
		return (false);
	for (i = 2; i < n && (head[i] == ' ' || head[i] == '\t'); i++)
		continue;
	for (length = 0; i + length < n && head[i + length] != '\0' &&
	    strchr(" \t\n", head[i + length]) == NULL; length++)
		continue;
	if (length == 0 || length >= PATH_MAX)
		return (false);
	memcpy(path, head + i, length);
	path[length] = '\0';
	return (true);
}

bool
script_interpreter(const char *file, char path[PATH_MAX])
{
	char head[SCRIPT_HEAD];
	int fd = regular_open_path(file);
	ssize_t n;

	if (fd == -1)
		return (false);
	n = read(fd, head, sizeof(head));
	close(fd);
	return (n > 0 && script_line(head, (size_t)n, path));
}
