/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A test that fails: it makes directories and files, and a process that has
 * them open; then it ends as its argument says, or waits for a signal.
 *
 *	scratch_failing_test exit | abort | wait
 */
#include <sys/stat.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"

static void
make_file(const char *where, const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", where, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	if (fd == -1 || write(fd, "text", 4) != 4)
		err(2, "%s", path);
}

static void
make_directories(void)
{
	char path[128], inner[160];

	scratch_directory(path, sizeof(path));
	snprintf(inner, sizeof(inner), "%s/inner", path);
	if (mkdir(inner, 0700) != 0 || chdir(inner) != 0 ||
	    symlink("/", "link") != 0)
		err(2, "%s", inner);
	make_file(inner, "file");
	make_file(getenv(SCRATCH), "file");
	make_file(getenv("TMPDIR"), "file");
	/* No entry of the directory can be listed or removed. */
	if (chmod(inner, 0) != 0)
		err(2, "%s", inner);
}

int
main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: scratch_failing_test exit | abort | wait");
	make_directories();
	if (fork() == 0) {
		setsid();
		for (;;)
			pause();
	}
	puts("made");
	fflush(stdout);
	if (strcmp(argv[1], "exit") == 0)
		exit(3);
	if (strcmp(argv[1], "abort") == 0)
		abort();
	for (;;)
		pause();
}
