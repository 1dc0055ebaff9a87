/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads control files (--read) and core files (--core), which may be compressed
 * as systemd-coredump does it.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/bool_value.h"
#include "base/decompress.h"
#include "base/messages.h"
#include "options/command_line.h"
#include "read_files.h"
#include "receive_pipe.h"
#include "record/read_recording.h"

/*
 * Reports the library's result.  1: the file was cut off, or the process's
 * control file is read for a core; 2: several users have files of a process,
 * which is reported with -q, too.  `help` says how there will be a session.
 */
static int
opened(struct tbuf_consumer *consumer, int result, const char *help,
    bool quiet)
{
	const char *why = tbuf_consumer_error(consumer);

	if (result < 0) {
		(void)fail(MSG_LIBRARY, why);
		if (strstr(why, "has no session") != NULL ||
		    strstr(why, "it has no libtbuf") != NULL)
			message("%s", help);
		return (EXIT_FAILED);
	}
	if (result > 1 || (result > 0 && !quiet))
		message(MSG_LIBRARY, tbuf_consumer_error(consumer));
	return (EXIT_DONE);
}

static int
open_packed(struct tbuf_consumer *consumer, const char *path, int fd,
    const char *name, bool quiet)
{
	struct unpack *u = unpack_open(fd);
	int status;

	if (u == NULL && errno == ENOTSUP)
		return (fail(MSG_CORE_PACKED, path, name));
	if (u == NULL)
		return (fail(MSG_CORE, path, strerror(errno)));
	status = opened(consumer, tbuf_consumer_open_core(consumer, path,
	    unpack_read, u), MSG_CORE_FILTER, quiet);
	if (unpack_damaged(u))
		message(MSG_CORE_DAMAGED, path, name);
	if (unpack_large(u))
		message(MSG_CORE_LARGE, path, name);
	unpack_close(u);
	return (status);
}

static int
core_open(struct tbuf_consumer *consumer, const char *path, bool quiet)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;
	const char *name;

	if (fd == -1)
		return (fail(MSG_CORE, path, strerror(errno)));
	if ((name = unpack_name(fd)) != NULL)
		status = open_packed(consumer, path, fd, name, quiet);
	else
		status = opened(consumer, tbuf_consumer_open_core(consumer,
		    path, NULL, NULL), MSG_CORE_FILTER, quiet);
	close(fd);
	return (status);
}

static bool
is_directory(const char *path)
{
	struct stat st;

	return (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* Opens the traces of a recording. */
static int
recording_open(struct tbuf_consumer *consumer, const char *path, bool quiet)
{
	const char *why;
	int error = recording_read(consumer, path, &why);

	return (why != NULL ? fail(MSG_READ_RECORDING, path, why) :
	    opened(consumer, error, MSG_HAS_RECORDER, quiet));
}

/* Opens a control file; a number is the pid of a process, dead or alive. */
static int
file_open(struct tbuf_consumer *consumer, const char *file_or_pid, bool quiet)
{
	pid_t pid = pid_parse(file_or_pid);

	if (strcmp(file_or_pid, "-") == 0)
		return (pipe_read_open(consumer));
	if (pid == 0 && is_directory(file_or_pid))
		return (recording_open(consumer, file_or_pid, quiet));
	return (opened(consumer, pid != 0 ?
	    tbuf_consumer_open_pid(consumer, pid) :
	    tbuf_consumer_open_file(consumer, file_or_pid), MSG_HAS_RECORDER,
	    quiet));
}

int
files_open(struct tbuf_consumer *consumer, const struct options *o)
{
	int status = 0;
	size_t i;

	for (i = 0; i < o->files.count && status == 0; i++)
		status = file_open(consumer, o->files.all[i], o->quiet);
	for (i = 0; i < o->cores.count && status == 0; i++)
		status = core_open(consumer, o->cores.all[i], o->quiet);
	return (status);
}
