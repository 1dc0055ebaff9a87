/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --unwrap: a text trace in memory, put in order.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "messages.h"
#include "options.h"
#include "output.h"
#include "unwrap.h"

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
	if (!w->options->quiet)
		message(MSG_TRACE, (intmax_t)u->pid, u->comm);
	print_text(w->out, u->text, u->size);
	if (u->lost != 0)
		message(MSG_LINES, u->lost, PLURAL(u->lost), (intmax_t)u->pid);
	return (w->out->error);
}

/* A number is a pid. */
static pid_t
pid_of(const char *name)
{
	const char *error;
	pid_t pid = strtonum(name, 1, INT_MAX, &error);

	return (error == NULL ? pid : 0);
}

static const char *
problem(int error)
{

	switch (error) {
	case -ENOEXEC:
		return ("neither a text trace nor a core");
	case -ENODATA:
		return ("no text trace in it (bit 3 of coredump_filter lets "
		    "a core have it)");
	case -ESRCH:
		return ("no text trace of this process");
	case -EINVAL:
		return ("it is damaged");
	default:
		return (strerror(-error));
	}
}

int
unwrap_run(const struct options *o, struct output *out)
{
	struct unwrap w = { o, out };
	pid_t pid = pid_of(o->unwrap);
	int error;

	error = pid != 0 ? tbuf_unwrap_pid(pid, print_trace, &w) :
	    tbuf_unwrap_file(o->unwrap, print_trace, &w);
	if (error < 0)
		return (fail(MSG_UNWRAP, o->unwrap, problem(error)));
	return (EXIT_DONE);
}
