/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/signals.h"
#include "options/command_line.h"
#include "receive_pipe.h"
#include "record/chunks.h"
#include "record/read_recording.h"
#include "record/receive.h"

/* ------------------------------------------------------------ receiving */

/*
 * Reads standard input.  After a signal that ends the run, the writer, which
 * may have got it, too, has a second to end the pipe.
 */
static ssize_t
read_input(void *arg, void *bytes, size_t size)
{
	struct pollfd pfd = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t n = -1;

	(void)arg;
	while (!signals_late()) {
		n = read(STDIN_FILENO, bytes, size);
		if (n == -1 && errno == EAGAIN)
			(void)poll(&pfd, 1, -1);
		else if (n != -1 || errno != EINTR)
			break;
	}
	return (n != -1 ? n : signals_late() ? 0 : -errno);
}

/* Reports the pipe's losses. */
static void
tell(const struct received *sums)
{
	if (sums->lost + sums->repeated + sums->records != 0)
		message(MSG_PIPE, sums->lost, PLURAL(sums->lost),
		    sums->records, PLURAL(sums->records), sums->repeated);
	if (sums->any && !sums->ended)
		message(MSG_PIPE_CUT);
}

/*
 * Receives the pipe into a recording, which is closed.  `path' is its name in
 * messages.
 */
static int
receive_all(struct recording *recording, const char *path,
    struct received *sums)
{
	struct pipe_reader reader = { .read = read_input };
	bool unwritten;
	int error = receive(&reader, recording, sums, &unwritten), status = 0;

	sums->totals.overwritten += recording_removed(recording);
	sums->totals.records -= recording_removed(recording);
	if (error != 0 && unwritten)
		status = fail(MSG_RECORD, path, strerror(-error));
	else if (error != 0)
		status = fail(MSG_READ_RECORDING, "-", strerror(-error));
	else if (!sums->any)
		status = fail(MSG_READ_RECORDING, "-", MSG_READ_NONE);
	error = recording_close(recording);
	if (error != 0 && status == 0)
		status = fail(MSG_RECORD, path, strerror(-error));
	pipe_read_free(&reader);
	tell(sums);
	return (status);
}

static bool
refuse_terminal(void)
{
	if (isatty(STDIN_FILENO) != 1)
		return (false);
	(void)fail(MSG_READ_RECORDING, "-", MSG_RECORD_TERMINAL);
	return (true);
}

/* ------------------------------------------------------------ a copy */

bool
pipe_is_copied(const struct options *o)
{
	return (o->mode == MODE_TRACE && o->read_pipe && o->record != NULL &&
	    !o->record_pipe && o->files.count == 1 && o->cores.count == 0 &&
	    !o->snapshot && o->program.count == 0 && o->nsettings == 0 &&
	    !o->d.compile_only);
}

int
pipe_record(const struct options *o)
{
	struct recording *recording;
	struct received sums;
	const char *why;
	int error, status;

	if (refuse_terminal())
		return (EXIT_FAILED);
	recording = recording_open(o->record, o->record_size, &error, &why);
	if (recording == NULL)
		return (fail(MSG_RECORD, o->record, why != NULL ? why :
		    strerror(-error)));
	signals_end();
	status = receive_all(recording, o->record, &sums);
	message(MSG_TOTAL, sums.totals.records, sums.totals.overwritten,
	    sums.totals.drops);
	return (status);
}

/* ------------------------------------------------------------ a run */

/* Makes a directory for the packets until they are read. */
static char *
make_directory(void)
{
	const char *folder = getenv("TMPDIR");
	char *path;

	if (folder == NULL || folder[0] != '/')
		folder = "/tmp";
	path = string_format("%s/tbuf-pipe.XXXXXX", folder);
	if (mkdtemp(path) != NULL)
		return (path);
	(void)fail(MSG_RECORD, path, strerror(errno));
	free(path);
	return (NULL);
}

static int
read_directory(struct tbuf_consumer *consumer, const char *path)
{
	const char *why;
	int error = recording_read(consumer, path, &why);

	if (why != NULL)
		return (fail(MSG_READ_RECORDING, "-", why));
	return (error == 0 ? EXIT_DONE : fail(MSG_LIBRARY,
	    tbuf_consumer_error(consumer)));
}

int
pipe_read_open(struct tbuf_consumer *consumer)
{
	struct recording *recording;
	struct received sums;
	const char *why;
	char *path;
	int error, status;

	if (refuse_terminal() || (path = make_directory()) == NULL)
		return (EXIT_FAILED);
	recording = recording_open(path, 0, &error, &why);
	if (recording == NULL)
		status = fail(MSG_RECORD, path, why != NULL ? why :
		    strerror(-error));
	else {
		signals_running();
		status = receive_all(recording, path, &sums);
	}
	if (status == 0)
		status = read_directory(consumer, path);
	(void)chunks_remove(AT_FDCWD, path, 2);
	free(path);
	return (status);
}
