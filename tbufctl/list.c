/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: the probes there are, in DTrace's columns.
 */
#include <string.h>

#include <tbuf_consumer.h>

#include "list.h"
#include "messages.h"
#include "options.h"
#include "output.h"

struct listing {
	struct output *out;
	bool pids;		/* with a column for them */
	bool verbose;
};

static const char *const type_names[] = {
	[TBUF_NONE] = "none",
	[TBUF_INT8] = "int8_t",
	[TBUF_INT16] = "int16_t",
	[TBUF_INT32] = "int32_t",
	[TBUF_INT64] = "int64_t",
	[TBUF_UINT8] = "uint8_t",
	[TBUF_UINT16] = "uint16_t",
	[TBUF_UINT32] = "uint32_t",
	[TBUF_UINT64] = "uint64_t",
	[TBUF_CHAR] = "char",
	[TBUF_BOOL] = "bool",
	[TBUF_FLOAT] = "float",
	[TBUF_DOUBLE] = "double",
	[TBUF_POINTER] = "pointer",
	[TBUF_STRING] = "string",
	[TBUF_TEXT] = "string",
	[TBUF_BINARY] = "bytes"
};

static int
print(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	struct listing *l = arg;
	unsigned i, type;

	if (l->pids)
		output_printf(l->out, "%7jd ", (intmax_t)pid);
	output_printf(l->out, "%5u %10s %17s %33s %s\n", probe->id,
	    probe->provider, probe->module, probe->function, probe->name);
	for (i = 0; l->verbose && i < probe->nargs; i++) {
		type = probe->types[i];
		if (type >= sizeof(type_names) / sizeof(type_names[0]))
			type = TBUF_NONE;
		output_printf(l->out, "\t%s %s\n", probe->argnames[i],
		    type_names[type]);
	}
	return (0);
}

/* Has more than one process probes? */
static int
several(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	pid_t *first = arg;

	(void)probe;
	if (*first == 0)
		*first = pid;
	return (*first != pid);
}

int
list(struct tbuf_consumer *consumer, struct options *o, struct output *out)
{
	struct listing l = { .out = out, .verbose = o->verbose };
	pid_t first = 0;
	int status;

	if (o->command != NULL && tbuf_consumer_run(consumer) < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	status = tbuf_consumer_list(consumer, several, &first);
	if (status < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	l.pids = status > 0 || o->npids > 1;
	if ((status = program_enable(&o->program, consumer)) != 0)
		return (status);
	if (l.pids)
		output_printf(out, "%7s ", "PID");
	output_printf(out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER",
	    "MODULE", "FUNCTION", "NAME");
	if (tbuf_consumer_list(consumer, print, &l) < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	if ((status = tbuf_consumer_skipped(consumer)) != 0)
		message(MSG_SKIPPED, strerror(-status));
	if (!o->unmatched && program_unmatched(&o->program, consumer))
		return (EXIT_FAILED);
	return (EXIT_DONE);
}
