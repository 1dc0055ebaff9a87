/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "report.h"

static int
open_report(const char *setting, bool must_exist)
{
	const int flags = O_WRONLY | O_APPEND | O_CLOEXEC;
	const char *path = getenv(setting);
	struct stat st;
	int fd;

	if (path == NULL)
		return (-1);
	if (!must_exist)
		return (open(path, flags | O_CREAT, 0666));
	fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK);
	if (fd == -1 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid()))
		return (fd);
	close(fd);
	return (-1);
}

FILE *
provider_report_open(const char *setting, bool must_exist)
{
	int fd = open_report(setting, must_exist);
	FILE *f = fd == -1 ? NULL : fdopen(fd, "a");

	if (f == NULL && fd != -1)
		close(fd);
	return (f);
}
