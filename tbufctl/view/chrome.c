/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The Trace Event Format of Chrome, as a JSON array: complete slices (X) and
 * instants (i) of threads, slices on other tracks (b, e), names (M).  Units
 * have tracks of their own, as threads with large numbers.  Times are
 * microseconds.
 *
 * Source: "Trace Event Format", Google, 2016.
 */
#include <stdio.h>
#include <string.h>

#include "print/value.h"
#include "viewer.h"

/* Numbers of threads of Linux are below 2^22. */
#define UNIT_TID	UINT64_C(1000000000)

static const struct value_style style = {
	.null = "null", .byte = "\\u00", .controls = true, .quote = "\"",
	.finite = true, .cut = ""
};

static char *
put_string(char *p, const char *text)
{
	*p++ = '"';
	p = value_escape(p, text, strlen(text), &style);
	*p++ = '"';
	return (p);
}

/* Writes nanoseconds as microseconds with three decimals. */
static char *
put_time(char *p, uint64_t ns)
{
	unsigned rest = ns % 1000;

	p = put_unsigned(p, ns / 1000);
	*p++ = '.';
	*p++ = (char)('0' + rest / 100);
	*p++ = (char)('0' + rest / 10 % 10);
	*p++ = (char)('0' + rest % 10);
	return (p);
}

static void
begin(struct viewer *v, const struct tbuf_record *r)
{
	(void)r;
	output_printf(v->out, "[");
}

static void
argument(struct viewer *v, const char *name, const struct tbuf_value *value)
{
	struct output *data = &v->data;
	char *p = output_room(data, VALUE_ESCAPED * strlen(name) +
	    OUTPUT_NUMBER + 8);

	if (data->used > 0)
		*p++ = ',';
	p = put_string(p, name);
	*p++ = ':';
	output_taken(data, value_put(data, p, value, &style, 8));
}

static uint64_t
track_tid(const struct slice_track *track)
{
	return (track->kind == SLICE_THREAD ? track->tid :
	    UNIT_TID + track->number);
}

/* Begins an event, with room for `after` bytes more. */
static char *
put_begin(struct viewer *v, char phase, const char *name, pid_t pid,
    uint64_t tid, size_t after)
{
	char *p = output_room(v->out, VALUE_ESCAPED * strlen(name) + 160 +
	    after);

	p = v->events++ == 0 ? put_literal(p, "\n") : put_literal(p, ",\n");
	p = put_string(put_literal(p, "{\"name\":"), name);
	p = put_literal(p, ",\"ph\":\"");
	*p++ = phase;
	p = put_signed(put_literal(p, "\",\"pid\":"), pid);
	return (put_unsigned(put_literal(p, ",\"tid\":"), tid));
}

/* Writes the name of a process or thread. */
static void
put_name(struct viewer *v, const char *kind, pid_t pid, uint64_t tid,
    const char *name)
{
	char *p = put_begin(v, 'M', kind, pid, tid,
	    VALUE_ESCAPED * strlen(name) + 32);

	p = put_string(put_literal(p, ",\"args\":{\"name\":"), name);
	output_taken(v->out, put_literal(p, "}}"));
}

static void
show_track(struct viewer *v, const struct slice_event *e)
{
	struct slice_track *track = e->track;
	char name[64], thread[16];

	if (track->shown)
		return;
	track->shown = true;
	if (track->kind == SLICE_OTHER)
		return;
	put_name(v, "process_name", track->pid, track_tid(track),
	    e->execname);
	if (track->kind == SLICE_THREAD) {
		viewer_thread_name(v, track->pid, track->tid, e->execname,
		    thread);
		put_name(v, "thread_name", track->pid, track->tid, thread);
		return;
	}
	(void)snprintf(name, sizeof(name), "unit %s", track->name);
	put_name(v, "thread_name", track->pid, track_tid(track), name);
}

/* Writes the arguments and ends the event; those of an end are an object. */
static void
put_arguments(struct viewer *v, char *p, const struct slice_event *e)
{
	const char *before = "";

	p = put_literal(p, ",\"args\":{");
	if (e->unit != NULL) {
		p = put_unsigned(put_literal(p, "\"id\":"), e->unit->id);
		if (e->unit->ended)
			p = put_signed(put_literal(p, ",\"outcome\":"),
			    e->unit->outcome);
		before = ",";
	}
	if (e->data.size > 0) {
		p = put_bytes(p, e->data.bytes, e->data.size);
		before = ",";
	}
	if (e->what == SLICE_BEGIN && e->end_data.size > 0) {
		p = put_bytes(p, before, strlen(before));
		p = put_literal(p, "\"end\":{");
		p = put_bytes(p, e->end_data.bytes, e->end_data.size);
		*p++ = '}';
		before = ",";
	}
	if (e->incomplete && e->what != SLICE_INSTANT) {
		p = put_bytes(p, before, strlen(before));
		p = put_literal(p, "\"incomplete\":true");
	}
	output_taken(v->out, put_literal(p, "}}"));
}

static char
phase_of(const struct slice_event *e)
{
	if (e->what == SLICE_INSTANT)
		return ('i');
	if (e->track->kind != SLICE_OTHER)
		return ('X');
	return (e->what == SLICE_BEGIN ? 'b' : 'e');
}

static void
event(void *arg, const struct slice_event *e)
{
	struct viewer *v = arg;
	char phase = phase_of(e), *p;

	show_track(v, e);
	if (phase == 'X' && e->what == SLICE_END)
		return;
	p = put_begin(v, phase, e->name, e->pid,
	    e->track->kind == SLICE_OTHER ? e->tid : track_tid(e->track),
	    e->data.size + e->end_data.size +
	    VALUE_ESCAPED * strlen(e->category) + 256);
	p = put_string(put_literal(p, ",\"cat\":"), e->category);
	p = put_time(put_literal(p, ",\"ts\":"), e->time);
	if (phase == 'X')
		p = put_time(put_literal(p, ",\"dur\":"), e->end - e->time);
	else if (phase == 'i')
		p = put_literal(p, ",\"s\":\"t\"");
	else
		p = put_unsigned(put_literal(p, ",\"id\":"),
		    e->track->number);
	if (phase == 'e')
		output_taken(v->out, put_literal(p, "}"));
	else
		put_arguments(v, p, e);
}

static void
end(struct viewer *v)
{
	output_printf(v->out, "\n]\n");
}

static void
forget(struct viewer *v)
{
	(void)v;
}

const struct encoder encoder_chrome = {
	.begin = begin, .argument = argument, .event = event, .end = end,
	.free = forget
};
