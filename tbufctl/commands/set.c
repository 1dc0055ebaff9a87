/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --set: changes text traces in running processes, without a session, and the
 * options for keeping their work units.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/signals.h"
#include "commands.h"
#include "options/command_line.h"
#include "options/text_option.h"
#include "print/format.h"

struct set {
	struct tbuf_consumer *consumer;
	const char *setting;
	const char *option;	/* of work units; NULL: a text trace */
	unsigned done;
	int status;		/* of the processes so far */
};

static int
set_one(struct set *s, pid_t pid)
{
	int error = s->option != NULL ?
	    tbuf_consumer_unitset(s->consumer, pid, s->option, s->setting) :
	    tbuf_consumer_text(s->consumer, pid, s->setting);

	s->done += error == 0;
	return (error);
}

/*
 * Sets one of all processes.  One without text components or units, or that has
 * ended, is no error, and an error of one does not save the others.
 */
static int
visit(void *argument, pid_t pid, const char *comm)
{
	struct set *s = argument;
	int error = set_one(s, pid);

	(void)comm;
	if (error == -EINVAL)
		return (error);
	if (error < 0 && error != -ENOENT && error != -ESRCH)
		s->status = fail(MSG_LIBRARY, tbuf_consumer_error(s->consumer));
	return (0);
}

/*
 * Reports an error.  The consumer has no text for a directory that cannot be
 * read.
 */
static int
refuse(const struct set *s, int error)
{
	const char *why = tbuf_consumer_error(s->consumer);

	if (error == -EINVAL)
		return (bad_usage(MSG_LIBRARY, why));
	return (*why != '\0' ? fail(MSG_LIBRARY, why) :
	    fail(MSG_TARGETS_LOOK, format_directory(error)));
}

static int
set_all(struct set *s, const struct options *o)
{
	size_t i;
	int error;

	for (i = 0; i < o->npids; i++)
		if ((error = set_one(s, o->pids[i])) < 0)
			return (refuse(s, error));
	error = o->npids == 0 ? tbuf_targets(visit, s) : 0;
	if (error == -ETIMEDOUT)
		s->status = fail(MSG_TARGETS_LOOK, format_directory(error));
	else if (error < 0)
		return (refuse(s, error));
	if (s->status != EXIT_DONE)
		return (s->status);
	return (s->done != 0 ? EXIT_DONE :
	    fail(s->option != NULL ? MSG_NO_UNITS : MSG_NO_TEXT));
}

int
set_run(const struct options *o)
{
	struct set s = { .setting = o->set };
	const char *value;
	int status;

	if ((s.consumer = tbuf_consumer_new()) == NULL)
		return (fail(MSG_START, strerror(errno)));
	signals_mend(s.consumer);
	if ((s.option = set_of_units(o->set, &value)) != NULL)
		s.setting = value;
	/* A wrong value is reported even if there is no process. */
	if (s.option != NULL &&
	    tbuf_consumer_set(s.consumer, s.option, s.setting) < 0)
		status = refuse(&s, -EINVAL);
	else
		status = set_all(&s, o);
	signals_mend(NULL);
	tbuf_consumer_close(s.consumer);
	return (status);
}
