/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The directories of one test.  See scratch.h.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"

/* The limit leaves room for the path of a socket (108 bytes). */
#define PLACE_MAX	60
/* A process that outlives its test may make files during the removal. */
#define TRIES		100

static char in_memory[PATH_MAX], in_folder[PATH_MAX];

/* ------------------------------------------------------------ to remove */

static bool	remove_at(int at, const char *name);

static void
remove_entries(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			remove_at(fd, entry->d_name);
	}
	closedir(dir);
}

/* Unmounts a file system that a test has mounted there. */
static void
unmount_at(int at, const char *name)
{
	char path[64];
	int fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	umount2(path, MNT_DETACH);
	close(fd);
}

static bool
remove_at(int at, const char *name)
{
	int fd, tries;

	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return (true);
	/* This is a directory: a link would have been removed by now. */
	for (tries = 0; tries < TRIES; tries++) {
		fchmodat(at, name, 0700, 0);
		fd = openat(at, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd != -1)
			remove_entries(fd);
		if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return (true);
		if (errno == EBUSY)
			unmount_at(at, name);
	}
	return (false);
}

void
scratch_remove(const char *path)
{
	if (path[0] != '\0' && !remove_at(AT_FDCWD, path))
		warnx("%s is left", path);
}

void
scratch_end(void)
{
	scratch_remove(in_folder);
	scratch_remove(in_memory);
}

/* ------------------------------------------------------------ to make */

static bool
make_in(const char *place, char *path, size_t size)
{
	if (place == NULL ||
	    (size_t)snprintf(path, size, "%s/tbuf.XXXXXX", place) >= size)
		return (false);
	/* Tests that drop their privileges have to pass through it. */
	return (mkdtemp(path) != NULL && chmod(path, 0711) == 0);
}

static const char *
temporary_folder(void)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ/._-";
	const char *folder = getenv("TMPDIR");

	if (folder == NULL || folder[0] != '/' ||
	    strlen(folder) > PLACE_MAX ||
	    folder[strspn(folder, plain)] != '\0')
		return ("/tmp");
	return (folder);
}

/* The remover has no descriptor, session or working directory of the test. */
static void
wait_and_remove(int pidfd)
{
	struct pollfd end = { .fd = 3, .events = POLLIN };
	int null = open("/dev/null", O_RDWR);

	dup2(pidfd, 3);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close_range(4, UINT_MAX, 0);
	if (chdir("/") == 0)
		while (poll(&end, 1, -1) != 1)
			continue;
	scratch_end();
}

/* Starts a process, not as a child, that gets none of the test's signals. */
static void
start_remover(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t pid;

	if (pidfd == -1)
		err(1, "pidfd_open");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		syscall(SYS_setsid);
		if (fork() == 0)
			wait_and_remove(pidfd);
		_exit(0);
	}
	close(pidfd);
	waitpid(pid, NULL, 0);
}

static void
set_folder(const char *variable, const char *where, const char *name,
    mode_t mode)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/%s", where, name);
	if (mkdir(path, 0700) != 0 || chmod(path, mode) != 0 ||
	    setenv(variable, path, 1) != 0)
		err(1, "%s", path);
}

void
scratch_begin(void)
{
	const char *shared = getenv(SCRATCH_SHM);

	if (!make_in(shared == NULL ? "/dev/shm" : shared, in_memory,
	    sizeof(in_memory)) &&
	    !make_in(temporary_folder(), in_memory, sizeof(in_memory)))
		err(1, "%s", in_memory);
	if (!make_in(temporary_folder(), in_folder, sizeof(in_folder))) {
		warn("%s", in_folder);
		scratch_end();
		exit(1);
	}
	start_remover();
	setenv(SCRATCH, in_folder, 1);
	setenv(SCRATCH_SHM, in_memory, 1);
	set_folder("TMPDIR", in_folder, "tmp", 0711);
	set_folder("TBUF_DIR", in_memory, "run", 0700);
}

void
scratch_directory(char *path, size_t size)
{
	if (getenv(SCRATCH) == NULL)
		scratch_begin();
	if ((size_t)snprintf(path, size, "%s/XXXXXX", getenv(SCRATCH_SHM)) >=
	    size)
		errx(1, "%s is too long", getenv(SCRATCH_SHM));
	if (mkdtemp(path) == NULL)
		err(1, "%s", path);
}
