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
