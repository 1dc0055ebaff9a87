/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The protocol of OpenTelemetry (OTLP) as JSON, for its collector: each line is
 * a request of at most REQUEST_MOST bytes.  Slices are spans, and what happens
 * inside them are their events; other records are log records.  With
 * -x otlp=logs all records are.
 *
 *	slice_event --> stack of open spans --> texts of the ended ones
 *	                                          |  the outermost ends: the
 *	                                          v  trace is known
 *	                                        lines
 *
 * Ids are hashes of the host, the process, names, arguments and the order of
 * slices, so that a file that is read again gives the same ones.  Times would
 * not do: each consumer converts them by a measurement of its own.  A record
 * with an argument `traceparent` (W3C Trace Context), or with `trace_id` and
 * `span_id`, puts the outermost span that it is in under that span.
 *
 * Source: "OTLP Specification", section "JSON Protobuf Encoding", and
 * opentelemetry-proto 1.0; "OpenTelemetry Protocol File Exporter".
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "pairs.h"
#include "print/value.h"
#include "viewer.h"

/* A collector's file receiver splits longer lines, at 1 MiB. */
#define REQUEST_MOST	(512 << 10)
/* Most bytes of a span's arguments, or of a log record's; and of its events. */
#define ARGUMENTS_MOST	(128 << 10)
#define EVENTS_MOST	(256 << 10)

#define TRACE_DIGITS	32
#define SPAN_DIGITS	16

/* Numbers of opentelemetry-proto. */
#define KIND_INTERNAL	1
#define KIND_SERVER	2
#define STATUS_OK	1
#define STATUS_ERROR	2
#define SEVERITY_INFO	9
#define SEVERITY_WARN	13

enum request {
	REQUEST_NONE,
	REQUEST_SPANS,
	REQUEST_LOGS
};

struct span {
	uint64_t id;
	uint64_t children;	/* number of its children so far */
	struct output head;	/* its fields but for those of the trace */
	struct output events;
	uint64_t dropped;	/* events beyond EVENTS_MOST */
};

/* How many units have had one id: the latest id of each place. */
struct repeated {
	uint64_t hash;
	uint64_t count;
};
#define UNITS		(1u << 16)

struct otlp {
	char host[65];
	struct repeated *repeated;	/* UNITS of them */
	struct output line;	/* the request that is not ended */
	enum request request;
	pid_t pid;		/* of its last resource */
	struct span *stack;
	size_t depth, room;
	/* The outermost open span: */
	struct output done;	/* texts of the spans in it that have ended */
	size_t *ends;		/* where each of them ends */
	size_t ndone, ends_room;
	uint64_t root;		/* its id */
	bool joined;		/* it is in another program's trace: */
	char trace[TRACE_DIGITS + 1], parent[SPAN_DIGITS + 1];
};

static const struct value_style style = {
	.null = "null", .byte = "\\u00", .controls = true, .quote = "\"",
	.finite = true, .cut = ""
};

/* ------------------------------------------------------------ text */

/* Appends a text between quotes, and makes room for `after` bytes more. */
static char *
add_string(struct output *out, char *p, const char *text, size_t after)
{
	size_t size = strlen(text);

	p = output_more(out, p, VALUE_ESCAPED * size + 2 + after);
	*p++ = '"';
	p = value_escape(p, text, size, &style);
	*p++ = '"';
	return (p);
}

static char *
put_id(char *p, uint64_t id)
{
	(void)snprintf(p, SPAN_DIGITS + 1, "%016jx", (uintmax_t)id);
	return (p + SPAN_DIGITS);
}

/* Writes a number as JSON has those of 64 bits. */
static char *
put_long_number(char *p, uint64_t n)
{
	*p++ = '"';
	p = put_unsigned(p, n);
	*p++ = '"';
	return (p);
}

/* ------------------------------------------------------------ arguments */

static bool
is_text(const struct tbuf_value *value)
{
	return (value->type == TBUF_STRING ||
	    value->type == TBUF_STRING_SIZED || value->type == TBUF_BINARY);
}

/* Returns the digits that an argument of this name has as an id, or 0. */
static unsigned
id_digits(const char *name)
{
	if (strcmp(name, "trace_id") == 0)
		return (TRACE_DIGITS);
	return (strcmp(name, "span_id") == 0 ? SPAN_DIGITS : 0);
}

/*
 * Appends an id of the argument's size in hexadecimal digits: its bytes, or its
 * number with leading zeros.  Returns NULL if the value is another one.
 */
static char *
put_hex_id(char *p, const struct tbuf_value *value, unsigned digits)
{
	char text[TRACE_DIGITS + 1];

	if (value->type == TBUF_BINARY && value->size == digits / 2)
		p = put_hex(put_literal(p, "\"stringValue\":\""), value->data,
		    value->size);
	else if (value->type == TBUF_UINT64) {
		(void)snprintf(text, sizeof(text), "%0*jx", (int)digits,
		    (uintmax_t)value->u);
		p = put_bytes(put_literal(p, "\"stringValue\":\""), text,
		    digits);
	} else
		return (NULL);
	*p++ = '"';
	return (p);
}

static char *
put_text_value(struct output *out, char *p, const struct tbuf_value *value)
{
	if (value->null)
		return (p);
	if (value->type != TBUF_BINARY)
		return (value_put(out, put_literal(p, "\"stringValue\":"),
		    value, &style, 8));
	p = output_more(out, put_literal(p, "\"bytesValue\":\""),
	    (size_t)value->size * 2 + 16);
	p = put_base64(p, value->data, value->size);
	*p++ = '"';
	return (p);
}

static char *
put_floating(char *p, const struct tbuf_value *value)
{
	p = put_literal(p, "\"doubleValue\":");
	if (isnan(value->d))
		return (put_literal(p, "\"NaN\""));
	if (isinf(value->d))
		return (value->d < 0 ? put_literal(p, "\"-Infinity\"") :
		    put_literal(p, "\"Infinity\""));
	return (value_put_other(p, value, &style));
}

/* A number beyond those of 64 bits with a sign is a text, as a pointer is. */
static char *
put_number(char *p, const struct tbuf_value *value)
{
	bool is_signed = value->type == TBUF_INT8 ||
	    value->type == TBUF_INT16 || value->type == TBUF_INT32 ||
	    value->type == TBUF_INT64 || value->type == TBUF_CHAR;

	if (value->type == TBUF_FLOAT || value->type == TBUF_DOUBLE)
		return (put_floating(p, value));
	if (value->type == TBUF_BOOL)
		return (value_put_other(put_literal(p, "\"boolValue\":"),
		    value, &style));
	if (value->type == TBUF_POINTER)
		return (value_put_other(put_literal(p, "\"stringValue\":"),
		    value, &style));
	p = is_signed || value->u <= INT64_MAX ?
	    put_literal(p, "\"intValue\":\"") :
	    put_literal(p, "\"stringValue\":\"");
	p = value_put(NULL, p, value, &style, 0);
	*p++ = '"';
	return (p);
}

static void
argument(struct viewer *v, const char *name, const struct tbuf_value *value)
{
	unsigned digits = id_digits(name);
	char *p = output_room(&v->data, 16), *id = NULL;

	if (v->data.used > 0)
		*p++ = ',';
	p = add_string(&v->data, put_literal(p, "{\"key\":"), name,
	    OUTPUT_NUMBER + 64);
	p = put_literal(p, ",\"value\":{");
	if (digits > 0)
		id = put_hex_id(p, value, digits);
	if (id != NULL)
		p = id;
	else if (is_text(value))
		p = put_text_value(&v->data, p, value);
	else
		p = put_number(p, value);
	output_taken(&v->data, put_literal(p, "}}"));
}

/* Appends an attribute of our own, after those that are there. */
static char *
put_attribute(char *p, bool *more, const char *name, const char *type)
{
	if (*more)
		*p++ = ',';
	*more = true;
	p = put_literal(p, "{\"key\":\"");
	p = put_bytes(p, name, strlen(name));
	p = put_literal(p, "\",\"value\":{\"");
	p = put_bytes(p, type, strlen(type));
	return (put_literal(p, "\":"));
}

static char *
put_number_attribute(char *p, bool *more, const char *name, uint64_t n)
{
	p = put_long_number(put_attribute(p, more, name, "intValue"), n);
	return (put_literal(p, "}}"));
}

/* Returns how many arguments the bytes have. */
static uint64_t
count_arguments(const struct slice_data *data)
{
	static const char key[] = "{\"key\":";
	const char *p = data->bytes, *end = p + data->size;
	uint64_t n = 0;

	while ((p = memmem(p, (size_t)(end - p), key,
	    sizeof(key) - 1)) != NULL) {
		p++;
		n++;
	}
	return (n);
}

/*
 * Begins an array of attributes with those of a record.  Data beyond the bound
 * is left out and counted.
 */
static char *
begin_attributes(struct output *out, char *p, const struct slice_data *data,
    uint64_t *dropped, bool *more)
{
	bool fits = data->size <= ARGUMENTS_MOST;

	p = output_more(out, p, (fits ? data->size : 0) + 64);
	p = put_literal(p, ",\"attributes\":[");
	if (!fits)
		*dropped += count_arguments(data);
	*more = fits && data->size > 0;
	return (*more ? put_bytes(p, data->bytes, data->size) : p);
}

static char *
end_attributes(char *p, uint64_t dropped)
{
	*p++ = ']';
	if (dropped == 0)
		return (p);
	return (put_unsigned(put_literal(p, ",\"droppedAttributesCount\":"),
	    dropped));
}

/* ------------------------------------------------------------ traces */

/* Returns the text of an argument of the record, or NULL; it ends with '"'. */
static const char *
find_argument(const struct slice_data *data, const char *name)
{
	char key[80];
	const char *p;
	int n = snprintf(key, sizeof(key),
	    "{\"key\":\"%s\",\"value\":{\"stringValue\":\"", name);

	/* Quotes within texts are escaped: only a real argument is found. */
	p = data->size == 0 ? NULL :
	    memmem(data->bytes, data->size, key, (size_t)n);
	return (p == NULL ? NULL : p + n);
}

/* Copies an id in lower case; false if it is not one, or zero. */
static bool
get_id(const char *text, unsigned digits, char terminator, char *id)
{
	bool is_zero = true;
	unsigned i;

	for (i = 0; i < digits; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return (false);
		id[i] = (char)tolower((unsigned char)text[i]);
		is_zero = is_zero && text[i] == '0';
	}
	id[digits] = '\0';
	return (!is_zero && text[digits] == terminator);
}

/* Finds the ids of another program's span in the arguments of a record. */
static bool
find_trace(const struct slice_data *data, char *trace, char *parent)
{
	const char *text = find_argument(data, "traceparent"), *span;

	if (text != NULL && isxdigit((unsigned char)text[0]) &&
	    isxdigit((unsigned char)text[1]) && text[2] == '-' &&
	    get_id(text + 3, TRACE_DIGITS, '-', trace) &&
	    get_id(text + 4 + TRACE_DIGITS, SPAN_DIGITS, '-', parent))
		return (true);
	text = find_argument(data, "trace_id");
	span = find_argument(data, "span_id");
	return (text != NULL && span != NULL &&
	    get_id(text, TRACE_DIGITS, '"', trace) &&
	    get_id(span, SPAN_DIGITS, '"', parent));
}

/* The first record with a trace decides. */
static void
join(struct otlp *o, const struct slice_data *data)
{
	if (!o->joined)
		o->joined = find_trace(data, o->trace, o->parent);
}

static uint64_t
hash_number(uint64_t hash, uint64_t n)
{
	return (pairs_hash(hash, &n, sizeof(n)));
}

/* Returns the id of a span: the `number`th in its parent, or of its track. */
static uint64_t
span_id(uint64_t hash, const struct slice_event *e, uint64_t number)
{
	hash = hash_number(hash, number);
	hash = pairs_hash(hash, e->name, strlen(e->name) + 1);
	hash = pairs_hash(hash, e->data.bytes, e->data.size);
	return (hash == 0 ? 1 : hash);
}

/* Returns a hash of the process and of the unit, thread or other track. */
static uint64_t
track_hash(const struct viewer *v, const struct slice_event *e)
{
	const struct slice_track *track = e->track;
	uint64_t hash = pairs_hash(0, v->otlp->host, sizeof(v->otlp->host));

	hash = hash_number(hash, tbuf_consumer_birth(v->consumer, e->pid));
	hash = hash_number(hash_number(hash, (uint64_t)e->pid), track->kind);
	if (track->kind == SLICE_UNIT)
		return (hash_number(hash, e->unit->id));
	return (hash_number(hash, track->kind == SLICE_THREAD ? track->tid :
	    track->number));
}

/* ------------------------------------------------------------ lines */

static void
end_line(struct viewer *v)
{
	struct otlp *o = v->otlp;
	char *p;

	if (o->request == REQUEST_NONE)
		return;
	output_printf(&o->line, "]}]}]}\n");
	p = output_room(v->out, o->line.used);
	output_taken(v->out, put_bytes(p, o->line.buffer, o->line.used));
	o->line.used = 0;
	o->request = REQUEST_NONE;
}

/* Writes the resource of a process, and the scope of its spans or records. */
static void
put_resource(struct otlp *o, enum request request, pid_t pid,
    const char *execname)
{
	struct output *line = &o->line;
	char *p = output_room(line, 128);

	p = put_literal(p, "{\"resource\":{\"attributes\":["
	    "{\"key\":\"service.name\",\"value\":{\"stringValue\":");
	/* OpenTelemetry's word for a program without a name. */
	p = add_string(line, p, *execname == '\0' ? "unknown_service" :
	    execname, 128);
	p = put_literal(p, "}},{\"key\":\"host.name\",\"value\":"
	    "{\"stringValue\":");
	p = add_string(line, p, o->host, 256);
	p = put_literal(p, "}},{\"key\":\"process.pid\",\"value\":"
	    "{\"intValue\":\"");
	p = put_literal(put_signed(p, pid), "\"}}]},");
	p = request == REQUEST_SPANS ?
	    put_literal(p, "\"scopeSpans\":[{\"scope\":{\"name\":\"tbuf\"},"
	    "\"spans\":[") :
	    put_literal(p, "\"scopeLogs\":[{\"scope\":{\"name\":\"tbuf\"},"
	    "\"logRecords\":[");
	output_taken(line, p);
}

/*
 * Begins a span or a log record of `size` bytes, in the line or in a new one.
 */
static void
begin_item(struct viewer *v, enum request request, pid_t pid,
    const char *execname, size_t size)
{
	struct otlp *o = v->otlp;

	if (o->request != request || o->line.used + size + 1024 > REQUEST_MOST)
		end_line(v);
	if (o->request == REQUEST_NONE)
		output_printf(&o->line, request == REQUEST_SPANS ?
		    "{\"resourceSpans\":[" : "{\"resourceLogs\":[");
	else if (o->pid == pid) {
		output_printf(&o->line, ",");
		return;
	} else
		output_printf(&o->line, "]}]},");
	put_resource(o, request, pid, execname);
	o->request = request;
	o->pid = pid;
}

/* ------------------------------------------------------------ log records */

static void
put_log(struct viewer *v, const struct slice_event *e)
{
	struct otlp *o = v->otlp;
	bool is_loss = strcmp(e->category, "tbuf") == 0, more;
	uint64_t dropped = 0;
	char trace[TRACE_DIGITS + 1], parent[SPAN_DIGITS + 1], *p;

	begin_item(v, REQUEST_LOGS, e->pid, e->execname, VALUE_ESCAPED *
	    (strlen(e->name) + strlen(e->category)) + 512 +
	    (e->data.size <= ARGUMENTS_MOST ? e->data.size : 0));
	p = put_literal(output_room(&o->line, 256), "{\"timeUnixNano\":");
	p = put_long_number(p, e->time + e->offset);
	p = put_literal(p, ",\"severityNumber\":");
	p = put_unsigned(p, is_loss ? SEVERITY_WARN : SEVERITY_INFO);
	p = put_literal(p, ",\"body\":{\"stringValue\":");
	p = add_string(&o->line, p, e->name, 64);
	*p++ = '}';
	p = begin_attributes(&o->line, p, &e->data, &dropped, &more);
	p = output_more(&o->line, p, 512);
	p = put_attribute(p, &more, "tbuf.provider", "stringValue");
	p = add_string(&o->line, p, e->category, 512);
	p = put_literal(p, "}}");
	if (e->tid != 0)
		p = put_number_attribute(p, &more, "thread.id", e->tid);
	if (e->unit != NULL)
		p = put_number_attribute(p, &more, "tbuf.unit", e->unit->id);
	p = end_attributes(p, dropped);
	if (find_trace(&e->data, trace, parent)) {
		p = put_bytes(put_literal(p, ",\"traceId\":\""), trace,
		    TRACE_DIGITS);
		p = put_bytes(put_literal(p, "\",\"spanId\":\""), parent,
		    SPAN_DIGITS);
		*p++ = '"';
	}
	output_taken(&o->line, put_literal(p, "}"));
}

/* With -x otlp=logs. */
static void
record(struct viewer *v, const struct tbuf_record *r)
{
	const struct tbuf_probe_info *probe = r->probe;
	char *name = string_format("%s:%s:%s:%s", probe->provider,
	    probe->module, probe->function, probe->name);
	const struct slice_event event = {
		.what = SLICE_INSTANT, .time = r->time,
		.offset = r->wall - r->time, .pid = r->pid, .tid = r->tid,
		.name = name, .category = probe->provider,
		.execname = r->execname, .unit = r->unit,
		.data = { v->data.used, v->data.buffer }
	};

	put_log(v, &event);
	free(name);
}

/* ------------------------------------------------------------ spans */

/* Appends the arguments of the record that ends a span. */
static char *
put_end(struct output *out, char *p, const struct slice_data *data,
    uint64_t *dropped, bool *more)
{
	if (data->size == 0)
		return (p);
	if (data->size > ARGUMENTS_MOST) {
		*dropped += count_arguments(data);
		return (p);
	}
	p = output_more(out, p, data->size + 128);
	p = put_attribute(p, more, "end", "kvlistValue");
	p = put_bytes(put_literal(p, "{\"values\":["), data->bytes,
	    data->size);
	return (put_literal(p, "]}}}"));
}

static char *
put_own_attributes(struct output *out, char *p, const struct slice_event *e,
    bool *more)
{
	p = output_more(out, p, 512);
	p = put_attribute(p, more, "tbuf.provider", "stringValue");
	p = add_string(out, p, e->category, 512);
	p = put_number_attribute(put_literal(p, "}}"), more, "thread.id",
	    e->tid);
	if (e->unit != NULL)
		p = put_number_attribute(p, more, "tbuf.unit", e->unit->id);
	if (e->unit != NULL && e->unit->ended) {
		p = put_attribute(p, more, "tbuf.outcome", "intValue");
		*p++ = '"';
		p = put_literal(put_signed(p, e->unit->outcome), "\"}}");
	}
	if (e->incomplete) {
		p = put_attribute(p, more, "tbuf.incomplete", "boolValue");
		p = put_literal(p, "true}}");
	}
	return (p);
}

/* A unit's status is that of its outcome: 0 is a success. */
static char *
put_status(char *p, const struct slice_event *e)
{
	if (e->unit == NULL || !e->unit->ended)
		return (p);
	p = put_literal(p, ",\"status\":{\"code\":");
	p = put_unsigned(p, e->unit->outcome == 0 ? STATUS_OK : STATUS_ERROR);
	if (e->unit->outcome != 0) {
		p = put_literal(p, ",\"message\":\"outcome ");
		p = put_signed(p, e->unit->outcome);
		*p++ = '"';
	}
	*p++ = '}';
	return (p);
}

/* Writes all of a span that is known at its beginning. */
static void
put_head(struct span *span, const struct slice_event *e)
{
	struct output *out = &span->head;
	uint64_t dropped = 0;
	bool more;
	char *p;

	p = put_literal(output_room(out, 64), "{\"spanId\":\"");
	p = put_literal(put_id(p, span->id), "\",\"name\":");
	p = add_string(out, p, e->name, 256);
	p = put_literal(p, ",\"startTimeUnixNano\":");
	p = put_long_number(p, e->time + e->offset);
	p = put_literal(p, ",\"endTimeUnixNano\":");
	p = put_long_number(p, e->end + e->offset);
	p = begin_attributes(out, p, &e->data, &dropped, &more);
	p = put_end(out, p, &e->end_data, &dropped, &more);
	p = put_own_attributes(out, p, e, &more);
	p = output_more(out, p, 256);
	p = put_status(end_attributes(p, dropped), e);
	output_taken(out, p);
}

/*
 * A unit is identified by its id, whatever other units come before it: the
 * number is 0, unless the id comes again.
 */
static uint64_t
root_number(struct otlp *o, const struct slice_event *e, uint64_t hash)
{
	struct repeated *place;

	if (e->unit == NULL)
		return (++e->track->count);
	hash = pairs_hash(hash, e->name, strlen(e->name) + 1);
	place = &o->repeated[hash % UNITS];
	if (place->hash != hash)
		*place = (struct repeated){ .hash = hash };
	return (place->count++);
}

static void
begin_span(struct viewer *v, const struct slice_event *e)
{
	struct otlp *o = v->otlp;
	struct span *parent, *span;
	uint64_t hash;

	if (o->depth == o->room) {
		o->room = o->room == 0 ? 16 : 2 * o->room;
		o->stack = memory_get(o->stack, o->room, sizeof(*o->stack));
	}
	parent = o->depth == 0 ? NULL : &o->stack[o->depth - 1];
	span = &o->stack[o->depth++];
	*span = (struct span){ .id = 0 };
	if (parent == NULL) {
		hash = track_hash(v, e);
		span->id = span_id(hash, e, root_number(o, e, hash));
		o->root = span->id;
		o->joined = false;
	} else
		span->id = span_id(parent->id, e, ++parent->children);
	output_memory(&span->head);
	output_memory(&span->events);
	join(o, &e->data);
	join(o, &e->end_data);
	put_head(span, e);
}

static void
add_event(struct viewer *v, struct span *span, const struct slice_event *e)
{
	struct output *out = &span->events;
	uint64_t dropped = 0;
	bool more;
	char *p;

	join(v->otlp, &e->data);
	if (out->used + e->data.size > EVENTS_MOST) {
		span->dropped++;
		return;
	}
	p = output_room(out, 128);
	if (out->used > 0)
		*p++ = ',';
	p = put_literal(p, "{\"timeUnixNano\":");
	p = put_long_number(p, e->time + e->offset);
	p = add_string(out, put_literal(p, ",\"name\":"), e->name, 64);
	p = begin_attributes(out, p, &e->data, &dropped, &more);
	p = output_more(out, p, 64);
	output_taken(out, put_literal(end_attributes(p, dropped), "}"));
}

/* Moves the text of a span that has ended, but for its trace, to `done`. */
static void
finish_span(struct otlp *o, struct span *span, uint64_t parent)
{
	struct output *out = &o->done;
	char *p = output_room(out, span->head.used + span->events.used + 256);

	p = put_bytes(p, span->head.buffer, span->head.used);
	if (parent != 0) {
		p = put_literal(p, ",\"parentSpanId\":\"");
		p = put_literal(put_id(p, parent), "\"");
		p = put_literal(p, ",\"kind\":");
		p = put_unsigned(p, KIND_INTERNAL);
	}
	if (span->events.used > 0) {
		p = put_literal(p, ",\"events\":[");
		p = put_bytes(p, span->events.buffer, span->events.used);
		*p++ = ']';
	}
	if (span->dropped > 0)
		p = put_unsigned(put_literal(p, ",\"droppedEventsCount\":"),
		    span->dropped);
	output_taken(out, p);
	free(span->head.buffer);
	free(span->events.buffer);
	if (o->ndone == o->ends_room) {
		o->ends_room = o->ends_room == 0 ? 16 : 2 * o->ends_room;
		o->ends = memory_get(o->ends, o->ends_room, sizeof(*o->ends));
	}
	o->ends[o->ndone++] = out->used;
}

/* Writes one of the spans that have ended, the last of which is outermost. */
static void
put_span(struct viewer *v, const struct slice_event *e, size_t i)
{
	struct otlp *o = v->otlp;
	size_t from = i == 0 ? 0 : o->ends[i - 1], size = o->ends[i] - from;
	char *p;

	begin_item(v, REQUEST_SPANS, e->pid, e->execname, size + 256);
	p = output_room(&o->line, size + 256);
	p = put_bytes(p, o->done.buffer + from, size);
	if (i == o->ndone - 1) {
		p = put_literal(p, ",\"kind\":");
		p = put_unsigned(p, o->joined ? KIND_SERVER : KIND_INTERNAL);
	}
	if (i == o->ndone - 1 && o->joined) {
		p = put_literal(p, ",\"parentSpanId\":\"");
		p = put_bytes(p, o->parent, SPAN_DIGITS);
		*p++ = '"';
	}
	p = put_bytes(put_literal(p, ",\"traceId\":\""), o->trace,
	    TRACE_DIGITS);
	output_taken(&o->line, put_literal(p, "\"}"));
}

static void
end_span(struct viewer *v, const struct slice_event *e)
{
	struct otlp *o = v->otlp;
	struct span *span;
	size_t i;

	span = &o->stack[--o->depth];
	finish_span(o, span, o->depth == 0 ? 0 : o->stack[o->depth - 1].id);
	if (o->depth > 0)
		return;
	if (!o->joined) {
		(void)put_id(o->trace, hash_number(o->root, 1));
		(void)put_id(o->trace + SPAN_DIGITS, o->root);
	}
	for (i = 0; i < o->ndone; i++)
		put_span(v, e, i);
	o->ndone = 0;
	o->done.used = 0;
}

/* ------------------------------------------------------------ the encoder */

static void
begin(struct viewer *v, const struct tbuf_record *r)
{
	struct otlp *o = v->otlp;

	(void)r;
	if (o != NULL)
		return;
	o = v->otlp = memory_get(NULL, 1, sizeof(*o));
	*o = (struct otlp){ .request = REQUEST_NONE };
	(void)gethostname(o->host, sizeof(o->host) - 1);
	o->repeated = memory_get(NULL, UNITS, sizeof(*o->repeated));
	memset(o->repeated, 0, UNITS * sizeof(*o->repeated));
	output_memory(&o->line);
	output_memory(&o->done);
}

/* Units of a snapshot that come again have the same ids. */
static void
ids_again(struct viewer *v)
{
	memset(v->otlp->repeated, 0, UNITS * sizeof(*v->otlp->repeated));
}

/*
 * Slices of one track nest, and come without others between them, but for those
 * that do not nest in their unit.
 */
static void
event(void *arg, const struct slice_event *e)
{
	struct viewer *v = arg;
	struct otlp *o = v->otlp;

	if (e->what == SLICE_BEGIN)
		begin_span(v, e);
	else if (e->what == SLICE_END)
		end_span(v, e);
	else if (o->depth > 0)
		add_event(v, &o->stack[o->depth - 1], e);
	else
		put_log(v, e);
}

static void
forget(struct viewer *v)
{
	struct otlp *o = v->otlp;

	if (o == NULL)
		return;
	free(o->repeated);
	free(o->line.buffer);
	free(o->done.buffer);
	free(o->ends);
	free(o->stack);
	free(o);
}

const struct encoder encoder_otlp = {
	.begin = begin, .argument = argument, .event = event,
	.drain = end_line, .snapshot = ids_again, .end = end_line,
	.free = forget
};

const struct encoder encoder_otlp_logs = {
	.begin = begin, .argument = argument, .record = record,
	.event = event, .drain = end_line, .end = end_line, .free = forget
};
