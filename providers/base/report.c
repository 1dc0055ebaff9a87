/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "report.h"

/* Opens a file that must exist, if it is a regular one of this user. */
static int
open_own(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd == -1 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid()))
		return (fd);
	close(fd);
	return (-1);
}

int
provider_report_read(const char *setting)
{
	const char *path = getenv(setting);

	return (path == NULL ? -1 : open_own(path, O_RDONLY));
}

static int
open_report(const char *setting, bool must_exist)
{
	const int flags = O_WRONLY | O_APPEND;
	const char *path = getenv(setting);

	if (path == NULL)
		return (-1);
	return (must_exist ? open_own(path, flags) :
	    open(path, flags | O_CREAT | O_CLOEXEC, 0666));
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

void
provider_setenv(const char *name, const char *value)
{
	int (*set)(const char *, const char *, int);
	int (*unset)(const char *);

	*(void **)&set = dlsym(RTLD_NEXT, "setenv");
	*(void **)&unset = dlsym(RTLD_NEXT, "unsetenv");
	if (value != NULL && set != NULL)
		(void)set(name, value, 1);
	else if (value == NULL && unset != NULL)
		(void)unset(name);
}
