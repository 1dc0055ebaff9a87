/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "messages.h"
#include "open_regular.h"
#include "string_list.h"

int
regular_find(const char *path)
{
	return (open(path, O_PATH | O_CLOEXEC));
}

int
regular_open(int found, uint64_t inode, const char **why)
{
	char path[32];
	struct stat st;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	if (found == -1 || fstat(found, &st) == -1)
		*why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		*why = "it is not a regular file";
	else if (st.st_ino != inode)
		*why = "another file has replaced it";
	else if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) == -1)
		*why = strerror(errno);
	if (found != -1)
		(void)close(found);
	return (fd);
}

static bool
is_executable(const char *path)
{
	struct stat st;

	return (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0);
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
