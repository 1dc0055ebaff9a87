/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --unwrap: prints a text trace in memory, in order.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/bool_value.h"
#include "base/decompress.h"
#include "base/messages.h"
#include "base/output.h"
#include "commands.h"
#include "options/command_line.h"

struct unwrap {
	const struct options *options;
	struct output *out;
};

#define BLOCK	65536u

static void
print_text(struct output *out, const char *text, size_t size)
{
	size_t n;

	for (; size > 0 && out->error == 0; text += n, size -= n) {
		n = size < BLOCK ? size : BLOCK;
		output_taken(out, put_bytes(output_room(out, n), text, n));
		output_flush(out);
	}
}

static int
print_trace(void *argument, const struct tbuf_unwrapped *u)
{
	struct unwrap *w = argument;

	if (!w->options->quiet && u->file != NULL)
		message(MSG_TRACE_FILE, w->options->unwrap, u->file);
	if (u->missing != 0)
		message(MSG_TRACE_CUT, u->file != NULL ? u->file :
		    w->options->unwrap, u->missing, PLURAL(u->missing));
	if (!w->options->quiet)
		message(MSG_TRACE, (intmax_t)u->pid, u->comm);
	print_text(w->out, u->text, u->size);
	if (u->lost != 0)
		message(MSG_LINES, u->lost, PLURAL(u->lost), (intmax_t)u->pid);
	return (w->out->error);
}

static const char *
problem(int error)
{
	switch (error) {
	case -ENOEXEC:
		return ("it is neither a text trace nor a core");
	case -ENODATA:
		return ("it has no text trace (bit 3 of coredump_filter "
		    "adds it to a core)");
	case -EBADMSG:
		return ("it is truncated, and has no text trace");
	case -ESRCH:
		return ("no process of this pid has a text trace in memory, or "
		    "has left one (--set='traceFacility=Memory;"
		    "traceLevel=debug' begins one)");
	case -EINVAL:
		return ("it is damaged");
	default:
		return (strerror(-error));
	}
}

static int
done(const struct unwrap *w, int error)
{
	if (error < 0)
		return (fail(MSG_UNWRAP, w->options->unwrap, problem(error)));
	return (EXIT_DONE);
}

/*
 * Unwraps a compressed core, from an unpacked file with a name in /proc only.
 */
static int
unwrap_packed(struct unwrap *w, int packed, const char *name)
{
	const char *path = w->options->unwrap;
	struct unpack *u = unpack_open(packed);
	char unpacked[32];
	int fd, error;

	if (u == NULL && errno == ENOTSUP)
		return (fail(MSG_UNWRAP_PACKED, path, name));
	if (u == NULL)
		return (done(w, -errno));
	error = fd = unpack_file(u);
	if (unpack_damaged(u))
		message(MSG_CORE_DAMAGED, path, name);
	if (unpack_large(u))
		message(MSG_CORE_LARGE, path, name);
	unpack_close(u);
	if (fd < 0)
		return (done(w, error));
	(void)snprintf(unpacked, sizeof(unpacked), "/proc/self/fd/%d", fd);
	error = tbuf_unwrap_file(unpacked, print_trace, w);
	close(fd);
	return (done(w, error));
}

static int
unwrap_file(struct unwrap *w)
{
	const char *path = w->options->unwrap, *name;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int status;

	if (fd != -1 && (name = unpack_name(fd)) != NULL)
		status = unwrap_packed(w, fd, name);
	else
		status = done(w, tbuf_unwrap_file(path, print_trace, w));
	if (fd != -1)
		close(fd);
	return (status);
}

int
unwrap_run(const struct options *o, struct output *out)
{
	struct unwrap w = { o, out };
	pid_t pid = pid_parse(o->unwrap);

	if (pid != 0)
		return (done(&w, tbuf_unwrap_pid(pid, print_trace, &w)));
	return (unwrap_file(&w));
}
