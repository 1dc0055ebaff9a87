/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Performs the actions of clauses.  In text their output is printed as it is;
 * in JSON the output of each action is an object of its own.
 */
#include <sys/wait.h>

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "action.h"
#include "address.h"
#include "aggregation.h"
#include "base/messages.h"
#include "base/signals.h"
#include "base/string_list.h"
#include "format.h"
#include "print_type.h"
#include "printf.h"

/* The action that is being performed, and its record. */
struct acting {
	struct format *format;
	const struct tbuf_record *record;
	const struct tbuf_d_action *action;
	struct output *out;		/* its output */
};

static bool
get(const struct acting *a, unsigned n, struct datum *d)
{
	unsigned i = a->action->first + n;

	if (n >= a->action->count || i >= a->record->npieces)
		return (false);
	datum_get(d, &a->record->layout->pieces[i], &a->record->pieces[i]);
	return (true);
}

static size_t
record_size(const struct tbuf_record *r)
{
	size_t size = 0;
	unsigned i;

	for (i = 0; i < r->npieces; i++)
		size += sizeof(uint64_t) + r->pieces[i].size;
	return (size);
}

/* ------------------------------------------------------------ values */

/* Dumps a text up to its maximum size, as rawbytes asks. */
static void
trace_raw(struct output *out, const struct datum *d)
{
	size_t size = (d->shape != NULL ? d->shape->size : 0) + 1;
	char *bytes;

	if (size < d->length)
		size = d->length;
	bytes = memory_get(NULL, 1, size);
	memset(bytes, 0, size);
	memcpy(bytes, d->data, d->length);
	trace_dump(out, bytes, size);
	free(bytes);
}

static void
act_trace(const struct acting *a)
{
	struct datum d;

	if (!get(a, 0, &d))
		return;
	if (a->format->rawbytes && d.kind == DATUM_TEXT)
		trace_raw(a->out, &d);
	else
		trace_put(a->out, &d, a->format->quiet);
}

/*
 * Dumps memory.  A size that is too large or negative means all bytes; 0 prints
 * nothing, not even the heading.
 */
static void
act_tracemem(const struct acting *a)
{
	struct datum d, size;

	if (!get(a, 0, &d))
		return;
	if (get(a, 1, &size) && size.number < d.length)
		d.length = size.number;
	if (d.length != 0)
		trace_dump(a->out, d.data, d.length);
}

/*
 * Returns the number of bytes to show by -x printsize: rounded up to a multiple
 * of 8; 0 means all.
 */
static uint64_t
print_limit(uint64_t size)
{
	return (size == 0 || size > UINT64_MAX - 7 ? UINT64_MAX :
	    (size + 7) & ~UINT64_C(7));
}

static void
act_print(const struct acting *a)
{
	struct datum d, bytes;

	if (!get(a, 0, &d))
		return;
	if (a->action->pointer && get(a, 1, &bytes))
		print_pointed(a->out, d.number, &bytes,
		    print_limit(a->format->printsize));
	else
		print_value(a->out, &d);
}

/* ------------------------------------------------------------ formats */

static void
put_format(const struct acting *a, struct output *out)
{
	const struct tbuf_d_action *action = a->action;
	struct printf_values values = { .count = 0 };

	if (action->first < a->record->npieces) {
		values.pieces = &a->record->layout->pieces[action->first];
		values.values = &a->record->pieces[action->first];
		values.count = a->record->npieces - action->first;
		if (values.count > action->count)
			values.count = action->count;
	}
	if (action->format != NULL)
		printf_put(out, action->format, &values);
}

static void
act_printf(const struct acting *a)
{
	put_format(a, a->out);
}

/* Formats to a string, which the caller frees. */
static char *
format_string(const struct acting *a)
{
	struct output room;

	output_memory(&room);
	put_format(a, &room);
	*output_room(&room, 1) = '\0';
	return (room.buffer);
}

/*
 * Runs a command as system(3) does, but sees signals that end the run: it does
 * not wait for long then.  Returns 0 or an errno.
 */
static int
run_command(char *command)
{
	char shell[] = "sh", option[] = "-c";
	char *argv[] = { shell, option, command, NULL };
	int error;
	pid_t pid;

	error = posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ);
	if (error != 0)
		return (error);
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		if (signals_late()) {
			message(MSG_RUNNING, (intmax_t)pid);
			break;
		}
	return (0);
}

static void
act_system(const struct acting *a)
{
	char *command = format_string(a);
	int error;

	output_flush(a->format->out);
	if ((error = run_command(command)) != 0)
		message(MSG_SYSTEM, strerror(error));
	free(command);
}

static void
act_freopen(const struct acting *a)
{
	char *path = format_string(a), text[512];
	int error;

	if (path[0] == '\0')
		output_restore(a->format->out);
	else if ((error = output_divert(a->format->out, path)) < 0) {
		(void)snprintf(text, sizeof(text),
		    "couldn't freopen() \"%s\": %s", path, strerror(-error));
		action_failed(a->format, a->record, text);
	}
	free(path);
}

static void
act_ftruncate(const struct acting *a)
{
	output_truncate(a->format->out);
}

/* ------------------------------------------------------------ options */

static char *
text_of(const struct datum *d)
{
	return (string_format("%.*s", (int)datum_text_length(d), d->data));
}

/* Sets an option.  As in DTrace an empty line follows a fault. */
static void
act_setopt(const struct acting *a)
{
	struct datum d[2];
	char *name, *value, text[512];
	const char *why;

	if (!get(a, 0, &d[0]))
		return;
	name = text_of(&d[0]);
	value = get(a, 1, &d[1]) ? text_of(&d[1]) : memory_string("1");
	if ((why = action_setopt(a->format, name, value)) != NULL) {
		(void)snprintf(text, sizeof(text), "couldn't set option "
		    "\"%s\" to \"%s\": %s\n", name, value, why);
		action_failed(a->format, a->record, text);
	}
	free(name);
	free(value);
}

/* ------------------------------------------------------------ aggregations */

/* Prints tuples, each with a bound of its own instead of the record's. */
static void
act_printa(const struct acting *a)
{
	format_unbound(a->format, a->out);
	aggregation_printa(a->format, a->out, a->action->aggregations,
	    a->action->naggregations, a->action->format);
	format_bound(a->format, a->out, record_size(a->record));
}

/* Returns the action's number, or `otherwise` if it has none. */
static uint64_t
number_of(const struct acting *a, uint64_t otherwise)
{
	struct datum d;

	return (get(a, 0, &d) ? d.number : otherwise);
}

static void
act_clear(const struct acting *a)
{
	uint32_t i;

	for (i = 0; i < a->action->naggregations; i++)
		(void)tbuf_consumer_clear(a->format->consumer,
		    a->action->aggregations[i]);
}

static void
act_trunc(const struct acting *a)
{
	uint32_t i;

	for (i = 0; i < a->action->naggregations; i++)
		(void)tbuf_consumer_trunc(a->format->consumer,
		    a->action->aggregations[i], (int64_t)number_of(a, 0));
}

/* Sets or clears a divisor.  A divisor of 0 ends the run. */
static void
act_normalize(const struct acting *a)
{
	uint32_t i;

	if (a->action->kind == TBUF_ACTION_NORMALIZE && number_of(a, 1) == 0) {
		a->format->aborted = "Invalid normalization";
		return;
	}
	for (i = 0; i < a->action->naggregations; i++)
		(void)tbuf_consumer_normalize(a->format->consumer,
		    a->action->aggregations[i],
		    a->action->kind == TBUF_ACTION_NORMALIZE ?
		    number_of(a, 1) : 1);
}

/* ------------------------------------------------------------ stacks */

static void
act_stack(const struct acting *a)
{
	struct datum d;

	if (get(a, 0, &d))
		address_put_stack(a->out, &d);
}

static void
act_symbol(const struct acting *a)
{
	struct output text;
	struct datum d;

	if (!get(a, 0, &d))
		return;
	output_memory(&text);
	address_put_symbol(&text, &d);
	output_printf(a->out, "  %-50.*s", (int)text.used, text.buffer);
	free(text.buffer);
}

/* ------------------------------------------------------------ records */

static void (*const actions[])(const struct acting *) = {
	[TBUF_ACTION_TRACE] = act_trace,
	[TBUF_ACTION_TRACEMEM] = act_tracemem,
	[TBUF_ACTION_PRINT] = act_print,
	[TBUF_ACTION_PRINTF] = act_printf,
	[TBUF_ACTION_PRINTA] = act_printa,
	[TBUF_ACTION_SYSTEM] = act_system,
	[TBUF_ACTION_FREOPEN] = act_freopen,
	[TBUF_ACTION_FTRUNCATE] = act_ftruncate,
	[TBUF_ACTION_SETOPT] = act_setopt,
	[TBUF_ACTION_CLEAR] = act_clear,
	[TBUF_ACTION_TRUNC] = act_trunc,
	[TBUF_ACTION_NORMALIZE] = act_normalize,
	[TBUF_ACTION_DENORMALIZE] = act_normalize,
	[TBUF_ACTION_USTACK] = act_stack,
	[TBUF_ACTION_STACK] = act_stack,
	[TBUF_ACTION_USYM] = act_symbol,
	[TBUF_ACTION_UMOD] = act_symbol,
	[TBUF_ACTION_UFUNC] = act_symbol,
	[TBUF_ACTION_UADDR] = act_symbol,
	[TBUF_ACTION_SYM] = act_symbol,
	[TBUF_ACTION_MOD] = act_symbol,
	[TBUF_ACTION_FUNC] = act_symbol,
	[TBUF_ACTION_COMMIT] = NULL	/* the last: it sets the table's size */
};

static void
act(struct acting *a)
{
	enum tbuf_d_action_kind kind = a->action->kind;

	if (kind < sizeof(actions) / sizeof(actions[0]) &&
	    actions[kind] != NULL)
		actions[kind](a);
}

/* Returns true if an action prints text that is not a value of the record. */
static bool
is_output(const struct tbuf_d_action *action)
{
	return (action->kind == TBUF_ACTION_PRINT ||
	    action->kind == TBUF_ACTION_PRINTF ||
	    action->kind == TBUF_ACTION_PRINTA);
}

/*
 * Returns true if an action's pieces are values of the record: those of
 * trace(), tracemem(), stacks and symbols.
 */
static bool
is_value(const struct tbuf_d_action *action)
{
	return (action->kind == TBUF_ACTION_TRACE ||
	    action->kind == TBUF_ACTION_TRACEMEM ||
	    (action->kind >= TBUF_ACTION_USTACK &&
	    action->kind != TBUF_ACTION_RECORD));
}

static void
act_all(struct format *f, const struct tbuf_record *r)
{
	struct acting a = { .format = f, .record = r, .out = f->out };
	uint32_t i;

	f->ops->row(f, r);
	format_bound(f, f->out, record_size(r));
	for (i = 0; r->layout != NULL && i < r->layout->nactions &&
	    f->aborted == NULL; i++) {
		a.action = &r->layout->actions[i];
		act(&a);
	}
	format_unbound(f, f->out);
	format_row_end(f);
}

/*
 * Returns true if a record has a JSON object besides its output: not if its
 * actions only print or change something.
 */
static bool
has_row(const struct tbuf_record *r)
{
	uint32_t i;

	if (r->layout == NULL || r->layout->nactions == 0)
		return (true);
	for (i = 0; i < r->layout->nactions; i++)
		if (is_value(&r->layout->actions[i]) ||
		    r->layout->actions[i].kind == TBUF_ACTION_EXIT)
			return (true);
	return (false);
}

static void
put_object(struct format *f, const struct tbuf_record *r)
{
	bool values[TBUF_ARGS_MAX] = { false }, *is_shown = values;
	unsigned npieces = r->npieces;
	uint32_t i, j;

	if (npieces > TBUF_ARGS_MAX) {
		is_shown = memory_get(NULL, npieces, sizeof(bool));
		memset(is_shown, 0, npieces * sizeof(bool));
	}
	for (i = 0; r->layout != NULL && i < r->layout->nactions; i++) {
		const struct tbuf_d_action *action = &r->layout->actions[i];

		for (j = 0; is_value(action) && j < action->count; j++)
			if (action->first + j < npieces)
				is_shown[action->first + j] = true;
	}
	f->ops->values(f, r, is_shown);
	if (is_shown != values)
		free(is_shown);
}

static void
act_objects(struct format *f, const struct tbuf_record *r)
{
	struct acting a = { .format = f, .record = r };
	struct output text;
	uint32_t i;

	if (has_row(r))
		put_object(f, r);
	output_memory(&text);
	for (i = 0; r->layout != NULL && i < r->layout->nactions; i++) {
		a.action = &r->layout->actions[i];
		a.out = &text;
		text.used = 0;
		if (is_value(a.action))
			continue;
		format_bound(f, &text, record_size(r));
		act(&a);
		format_unbound(f, &text);
		if (is_output(a.action))
			f->ops->output(f, r, text.buffer, text.used);
	}
	free(text.buffer);
}

/* Prints the arguments of record() as those of a record without a clause. */
static void
put_record(struct format *f, const struct tbuf_record *r,
    const struct tbuf_d_action *action)
{
	struct prepared *prepared = format_prepared(f, r->probe);
	struct tbuf_record own = *r;
	unsigned n = action->first < r->npieces ?
	    r->npieces - action->first : 0;

	own.layout = NULL;
	own.epid = 0;
	own.npieces = 0;
	own.args = &r->pieces[action->first];
	own.nargs = r->probe->nargs < n ? r->probe->nargs : n;
	/* setopt() may have changed the columns. */
	prepared->cpu = FORMAT_NO_CPU;
	f->ops->record(f, &own, prepared);
}

/*
 * Prints the records of record() before all other output.  Returns false if
 * there is no other: exit() has none then.
 */
static bool
put_records(struct format *f, const struct tbuf_record *r)
{
	uint32_t i, n = r->layout != NULL ? r->layout->nactions : 0;
	bool records = false, others = false;

	for (i = 0; i < n; i++) {
		const struct tbuf_d_action *action = &r->layout->actions[i];

		if (action->kind == TBUF_ACTION_RECORD) {
			put_record(f, r, action);
			records = true;
		} else
			others |= action->kind != TBUF_ACTION_EXIT;
	}
	return (others || !records);
}

void
action_record(struct format *f, const struct tbuf_record *r)
{
	if (!put_records(f, r))
		return;
	if (f->objects)
		act_objects(f, r);
	else
		act_all(f, r);
}

/* ------------------------------------------------------------ faults */

/* Texts of faults, indexed by DTRACEFLT_*. */
static const struct {
	const char *name;
	const char *detail;	/* format of its address, or NULL */
} faults[] = {
	{ "unknown fault", NULL },
	{ "invalid address", " (0x%" PRIx64 ")" },
	{ "invalid alignment", " (0x%" PRIx64 ")" },
	{ "illegal operation", NULL },
	{ "divide-by-zero", NULL },
	{ "out of scratch space", NULL },
	{ "invalid kernel access", NULL },
	{ "invalid user access", NULL },
	{ "tuple stack overflow", NULL },
	{ "bad stack", " (0x%" PRIx64 ")" },
	{ "invalid size", " (%" PRId64 ")" },
	{ "index out of bounds", " (%" PRId64 ")" },
	{ "library-level fault", NULL }
};

#define NFAULTS	(sizeof(faults) / sizeof(faults[0]))

const char *
fault_name(uint32_t fault)
{
	return (faults[fault < NFAULTS ? fault : 0].name);
}

void
fault_describe(char *text, size_t size, const struct tbuf_event *e)
{
	uint32_t fault = e->fault < NFAULTS ? e->fault : 0;
	char detail[40] = "", where[32] = "predicate";

	if (faults[fault].detail != NULL)
		(void)snprintf(detail, sizeof(detail), faults[fault].detail,
		    e->address);
	if (e->action != 0)
		(void)snprintf(where, sizeof(where), "action #%" PRIu32,
		    e->action);
	(void)snprintf(text, size, "%s%s in %s at DIF offset %" PRIu32,
	    faults[fault].name, detail, where, e->offset);
}

static void
put_fault(struct format *f, const struct tbuf_event *e,
    const char *description)
{
	const struct tbuf_probe_info *probe = e->record.probe;

	if (f->noerror)
		return;
	if (f->options->json)
		f->ops->fault(f, e, description);
	else
		message_lines(MSG_FAULT, e->record.epid, probe->id,
		    probe->provider, probe->module, probe->function,
		    probe->name, description);
}

void
action_fault(struct format *f, const struct tbuf_event *e)
{
	char text[160];

	fault_describe(text, sizeof(text), e);
	put_fault(f, e, text);
}

void
action_failed(struct format *f, const struct tbuf_record *r,
    const char *description)
{
	struct tbuf_event e = {
		.type = TBUF_EVENT_FAULT, .fault = FAULT_LIBRARY, .record = *r
	};

	put_fault(f, &e, description);
}
