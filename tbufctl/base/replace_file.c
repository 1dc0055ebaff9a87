/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "messages.h"
#include "replace_file.h"
#include "string_list.h"

/* Returns true for a path that a rename would take away from its users. */
static bool
stays(const char *path)
{
	struct stat st;

	return (lstat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

/* Returns a name for the new file, in the same directory. */
static char *
name_new(const char *path)
{
	return (string_format("%s.%jd", path, (intmax_t)getpid()));
}

/* Makes the new file, with the mode of the old one.  Returns -1 or its fd. */
static int
open_new(const char *path, const char *name)
{
	bool exists;
	struct stat st;
	int fd;

	exists = stat(path, &st) == 0;
	if (exists && access(path, W_OK) != 0)
		return (-1);
	/* A process of this number may have been killed before its rename. */
	(void)unlink(name);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd != -1 && exists)
		(void)fchmod(fd, st.st_mode & 0777);
	return (fd);
}

/* Writes all bytes and closes the file.  Returns 0 or -errno. */
static int
write_all(int fd, const char *bytes, size_t size)
{
	int error = 0;
	ssize_t n;

	while (size > 0 && error == 0) {
		n = write(fd, bytes, size);
		if (n >= 0) {
			bytes += n;
			size -= (size_t)n;
		} else if (errno != EINTR)
			error = -errno;
	}
	if (close(fd) != 0 && error == 0)
		error = -errno;
	return (error);
}

static int
write_in_place(const char *path, const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return (fd == -1 ? -errno : write_all(fd, bytes, size));
}

int
replace_file(const char *path, const char *bytes, size_t size)
{
	char *name;
	int error, fd;

	if (stays(path))
		return (write_in_place(path, bytes, size));
	name = name_new(path);
	fd = open_new(path, name);
	error = fd == -1 ? -errno : write_all(fd, bytes, size);
	if (error == 0 && rename(name, path) != 0)
		error = -errno;
	if (error != 0 && fd != -1)
		(void)unlink(name);
	free(name);
	return (error);
}

int
replace_file_check(const char *path)
{
	struct stat st;
	char *name;
	int error = 0, fd;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return (-EISDIR);
	if (stays(path))
		return (access(path, W_OK) == 0 ? 0 : -errno);
	name = name_new(path);
	if ((fd = open_new(path, name)) == -1)
		error = -errno;
	else {
		(void)close(fd);
		(void)unlink(name);
	}
	free(name);
	return (error);
}
