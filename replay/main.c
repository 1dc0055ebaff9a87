/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line and the report of tbuf-replay.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "replay.h"

static const char usage[] =
"usage: tbuf-replay [-p PID] FILE | DIR\n"
"\n"
"Makes the calls of malloc(3), free(3) and so on again that the provider libc\n"
"recorded, with this program's malloc or one that LD_PRELOAD names, thread by\n"
"thread, and prints time and memory.\n"
"\n"
"FILE is a control file, and DIR a recording (tbufctl --record).\n"
"-p PID: the process of a recording that has several.\n";

/* Maps the list that the child has made. */
static const struct list *
list_map(int fd)
{
	const struct list *list;
	struct stat st;

	if (fstat(fd, &st) != 0 || (size_t)st.st_size < sizeof(*list))
		errx(1, "no list of calls");
	list = mmap(NULL, (size_t)st.st_size, PROT_READ,
	    MAP_SHARED | MAP_POPULATE, fd, 0);
	if (list == MAP_FAILED)
		err(1, "mmap");
	return (list);
}

/* Reads the recording in a child, whose memory does not count. */
static const struct list *
list_get(const char *path, pid_t process)
{
	int fd = memfd_create("calls", MFD_CLOEXEC), status;
	const struct list *list;
	pid_t pid;

	if (fd == -1)
		err(1, "memfd_create");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0)
		list_make(path, process, fd);
	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			err(1, "waitpid");
	if (status != 0)
		errx(1, "reading %s failed", path);
	list = list_map(fd);
	if (*list->error != '\0')
		errx(1, "%s", list->error);
	return (list);
}

static void
row(const char *name, uint64_t value, const char *unit)
{
	printf("%-16s %" PRIu64 "%s\n", name, value, unit);
}

static void
report(const struct list *list, const struct result *result)
{
	unsigned f;

	row("calls", list->ncalls, "");
	for (f = 0; f < FUNCTIONS; f++)
		if (list->functions[f] != 0)
			row(function_names[f], list->functions[f], "");
	row("threads", list->nthreads, "");
	row("time", result->nanoseconds / 1000, " us");
	row("peak RSS", result->peak_kib, " KiB");
	row("peak live", list->peak_bytes, " bytes");
	row("live at the end", list->live_bytes, " bytes");
	row("live blocks", list->live_blocks, "");
	row("refused", result->refused, "");
	row("unknown frees", list->unknown, "");
	row("lost frees", list->lost, "");
	row("failed calls", list->failed, "");
	row("unpaired", list->unpaired, "");
	row("drops", list->drops, "");
	row("overwritten", list->overwritten, "");
	row("damage", list->damage, " bytes");
}

/* Returns the path of the command line; *process: of -p, or 0. */
static const char *
arguments(int argc, char **argv, pid_t *process)
{
	const char *error;
	int option;

	*process = 0;
	while ((option = getopt(argc, argv, "+p:")) != -1) {
		if (option != 'p') {
			fputs(usage, stderr);
			exit(2);
		}
		*process = (pid_t)strtonum(optarg, 1, INT32_MAX, &error);
		if (error != NULL)
			errx(2, "-p: '%s' is not a pid (example: 4711)",
			    optarg);
	}
	if (argc - optind != 1) {
		fputs(usage, stderr);
		exit(2);
	}
	return (argv[optind]);
}

int
main(int argc, char **argv)
{
	const struct list *list;
	const char *path;
	struct result result;
	pid_t process;
	int error;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return (0);
	}
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("tbuf-replay %s\n", tbuf_version());
		return (0);
	}
	path = arguments(argc, argv, &process);
	list = list_get(path, process);
	if (list->ncalls == 0)
		errx(1, "%s has no calls of the malloc family (record "
		    "libc::malloc: and so on, see tbuf-replay(1))", path);
	if ((error = list_run(list, &result)) != 0)
		errc(1, error, "cannot replay");
	report(list, &result);
	return (fflush(stdout) == 0 ? 0 : 1);
}
