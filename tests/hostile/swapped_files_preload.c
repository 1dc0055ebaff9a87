/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Preloaded into tbufctl: at one of its calls for the file $SWAP_NAME of the
 * process $SWAP_PID, it renames that file to `aside`, and puts another file in
 * its place, as another process could between any two calls.  $SWAP_AT is the
 * number of the call, from 1, and $SWAP_KIND the new file: link (to
 * $SWAP_OUTSIDE), hard (to that file), fifo, directory, other (an empty file)
 * or nothing.  Each such call is a line in $SWAP_LOG.
 */
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
put(const char *kind, const char *outside, const char *path)
{
	int fd;

	if (strcmp(kind, "link") == 0)
		(void)!symlink(outside, path);
	else if (strcmp(kind, "hard") == 0)
		(void)!link(outside, path);
	else if (strcmp(kind, "fifo") == 0)
		(void)!mkfifo(path, 0600);
	else if (strcmp(kind, "directory") == 0)
		(void)!mkdir(path, 0700);
	else if (strcmp(kind, "other") == 0 && (fd = (int)syscall(SYS_openat,
	    AT_FDCWD, path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) != -1)
		close(fd);
}

static void
note(const char *call)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("SWAP_LOG"),
	    O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);

	dprintf(fd, "%s\n", call);
	close(fd);
}

/*
 * Returns true for a path of the file, also by a descriptor, and for the names
 * in /proc by which tbufctl finds it in another process.
 */
static bool
concerns(const char *path, const char *name)
{
	char to[512] = "", root[64], maps[64];
	const char *pid = getenv("SWAP_PID");

	if (strncmp(path, "/proc/self/fd/", 14) == 0)
		(void)!readlink(path, to, sizeof(to) - 1);
	snprintf(root, sizeof(root), "/proc/%s/root", pid);
	snprintf(maps, sizeof(maps), "/proc/%s/maps", pid);
	return (strstr(path, name) != NULL || strstr(to, name) != NULL ||
	    strcmp(path, root) == 0 || strcmp(path, maps) == 0);
}

static void
look(const char *call, const char *path)
{
	static int calls;
	const char *name = getenv("SWAP_NAME"), *directory = getenv("TBUF_DIR");
	char from[512], to[512];
	int saved = errno;

	if (name == NULL || !concerns(path, name))
		return;
	note(call);
	if (++calls == atoi(getenv("SWAP_AT"))) {
		snprintf(from, sizeof(from), "%s/%s", directory, name);
		snprintf(to, sizeof(to), "%s/aside", directory);
		(void)rename(from, to);
		put(getenv("SWAP_KIND"), getenv("SWAP_OUTSIDE"), from);
	}
	errno = saved;
}

int
openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	int mode, fd;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	/* open(2) comes here, too: tbufctl has a function of its own. */
	look("before openat", path);
	fd = (int)syscall(SYS_openat, dirfd, path, flags, mode);
	look("after openat", path);
	return (fd);
}

int
unlinkat(int dirfd, const char *path, int flags)
{
	look("before unlinkat", path);
	return ((int)syscall(SYS_unlinkat, dirfd, path, flags));
}
