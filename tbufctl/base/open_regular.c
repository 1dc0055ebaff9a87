/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens files of programs, after a check that they are regular.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "open_regular.h"

int
regular_find(const char *path)
{

	return (open(path, O_PATH | O_CLOEXEC));
}

const char *
regular_open(int *fd, uint64_t inode)
{
	char path[32];
	struct stat st;
	int readable;

	if (fstat(*fd, &st) == -1)
		return (strerror(errno));
	if (!S_ISREG(st.st_mode))
		return ("it is not a regular file");
	if (st.st_ino != inode)
		return ("another file has replaced it");
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
	readable = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (readable == -1)
		return (strerror(errno));
	(void)close(*fd);
	*fd = readable;
	return (NULL);
}
