/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: lists probes.
 */
#include <stdbool.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "commands.h"
#include "options/command_line.h"
#include "print/format.h"
#include "run/consume.h"
#include "script/list_script.h"

static int
print(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	struct format *f = arg;

	f->ops->probe(f, pid, probe);
	return (0);
}

/* Returns true for a probe of another process than the first. */
static int
several(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	pid_t *first = arg;

	(void)probe;
	if (*first == 0)
		*first = pid;
	return (*first != pid);
}

/* Returns true if all probes are listed: tbufctl's own are among them. */
static bool
wants_all(const struct options *o)
{
	return (o->program.count == 0 && o->npids == 0 &&
	    o->files.count + o->cores.count == 0 && o->command == NULL);
}

/* Prints the list: first tbufctl's own probes, then those of targets. */
static int
show(struct tbuf_consumer *consumer, struct format *format,
    struct options *o, const struct tbuf_d_script *script)
{
	struct script_list own = { .format = format };
	int status = 0;

	format->ops->list(format);
	if (wants_all(o))
		script_list_own(&own);
	script_list_unclaused(&own, &o->program);
	if (script != NULL)
		status = script_list(&own, script, consumer);
	if (status == 0 && tbuf_consumer_list(consumer, print, format) < 0)
		status = fail(MSG_LIBRARY, tbuf_consumer_error(consumer));
	script_list_end(&own, consumer);
	return (status);
}

/* Reports processes and probes that the list lacks. */
static void
tell_missing(struct tbuf_consumer *consumer)
{
	int skipped = tbuf_consumer_skipped(consumer);

	if (skipped != 0)
		message(MSG_SKIPPED, strerror(-skipped));
	tell_missed(consumer);
	tell_lost(consumer);
}

int
list(struct tbuf_consumer *consumer, struct options *o, struct output *out,
    const struct tbuf_d_script *script)
{
	struct format format;
	pid_t first = 0;
	int status;

	if (o->command != NULL && tbuf_consumer_run(consumer) < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	status = tbuf_consumer_list(consumer, several, &first);
	if (status < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	format_init(&format, out, o);
	format.pids = status > 0 || o->npids > 1;
	if ((status = program_enable(&o->program, consumer, true)) != 0)
		return (status);
	if ((status = show(consumer, &format, o, script)) != 0)
		return (status);
	tell_missing(consumer);
	if (!o->unmatched && program_unmatched(&o->program, consumer,
	    near_targets, consumer))
		return (EXIT_FAILED);
	return (EXIT_DONE);
}
