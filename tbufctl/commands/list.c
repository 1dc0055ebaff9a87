/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: lists probes.
 */
#include <sys/stat.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/open_regular.h"
#include "base/output.h"
#include "base/suggest.h"
#include "check.h"
#include "commands.h"
#include "elf/command_function.h"
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

/* For suggestions. */
struct looked {
	struct tbuf_consumer *consumer;
	const char *command;		/* or NULL */
};

static char *
suggest(void *looked, const char *description)
{
	const struct looked *l = looked;
	char *near = NULL;

	if (l->command != NULL)
		near = command_function(l->command, description, near_targets,
		    l->consumer);
	return (near != NULL ? near : near_description(description,
	    near_targets, l->consumer));
}

/* Prints the list: first tbufctl's own probes, then those of targets. */
static int
show(struct looked *looked, struct format *format, struct options *o,
    const struct tbuf_d_script *script)
{
	struct script_list own = { .format = format };
	struct tbuf_consumer *consumer = looked->consumer;
	int status = 0;

	format->ops->list(format);
	if (wants_all(o))
		script_list_own(&own);
	script_list_unclaused(&own, &o->program);
	if (script != NULL)
		status = script_list(&own, script, consumer);
	if (status == 0 && tbuf_consumer_list(consumer, print, format) < 0)
		status = fail(MSG_LIBRARY, tbuf_consumer_error(consumer));
	script_list_end(&own, consumer, suggest, looked);
	return (status);
}

/* ------------------------------------------------------------ --check */

#define CHECK_MOST	(UINT64_C(256) << 20)	/* bytes of a list */

/*
 * Reads a list, with a NUL after it.  Returns NULL and sets *why.  No pipe is
 * read, which might never end.
 */
static char *
read_list(const char *path, size_t *size, const char **why)
{
	int fd = regular_open_path(path), error = EFBIG;
	struct stat status;
	char *text = NULL;
	ssize_t n = 1;

	if (fd == -1) {
		error = errno;
		*why = stat(path, &status) == 0 && !S_ISREG(status.st_mode) ?
		    "it is not a regular file" : strerror(error);
		return (NULL);
	}
	if (fstat(fd, &status) == 0 && (uint64_t)status.st_size <= CHECK_MOST) {
		text = memory_get(NULL, (size_t)status.st_size + 1, 1);
		for (*size = 0; n > 0 && *size < (size_t)status.st_size;
		    *size += n > 0 ? (size_t)n : 0)
			n = read(fd, text + *size, (size_t)status.st_size -
			    *size);
		text[*size] = '\0';
		error = n < 0 ? errno : 0;
	}
	(void)close(fd);
	if (error == 0)
		return (text);
	free(text);
	*why = strerror(error);
	return (NULL);
}

static int
add_present(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	struct listing_probe listed = {
		.fields = { probe->provider, probe->module, probe->function,
		    probe->name },
		.id = probe->id, .code = probe->code, .nargs = probe->nargs
	};
	unsigned i;

	(void)pid;
	for (i = 0; i < probe->nargs; i++) {
		listed.args[i].name = probe->argnames[i];
		listed.args[i].type = format_type(probe->types[i]);
	}
	listing_add(arg, &listed);
	return (0);
}

/* Compares the present probes with an earlier list. */
static int
check(struct tbuf_consumer *consumer, const char *path, struct output *out)
{
	struct listing before = { NULL, 0, 0 }, now = { NULL, 0, 0 };
	int status = EXIT_DONE;
	const char *why = NULL;
	size_t size, line;
	char *text = read_list(path, &size, &why);

	if (text == NULL)
		return (fail(MSG_CORE, path, why));
	if ((line = listing_parse(&before, text, size)) != 0)
		status = fail(MSG_CHECK_LINE, path, line);
	else if (tbuf_consumer_list(consumer, add_present, &now) < 0)
		status = fail(MSG_LIBRARY, tbuf_consumer_error(consumer));
	else if (listing_compare(&before, &now, out))
		status = EXIT_FAILED;
	listing_free(&before);
	listing_free(&now);
	free(text);
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
	struct looked looked = { .consumer = consumer,
	    .command = o->command == NULL ? NULL : o->command[0] };
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
	status = o->check != NULL ? check(consumer, o->check, out) :
	    show(&looked, &format, o, script);
	if (status != 0)
		return (status);
	tell_missing(consumer);
	if (!o->unmatched && program_unmatched(&o->program, consumer,
	    suggest, &looked))
		return (EXIT_FAILED);
	return (EXIT_DONE);
}
