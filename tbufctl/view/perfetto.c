/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Perfetto's native format: packets of Protocol Buffers, names interned, times
 * of CLOCK_MONOTONIC.  Each packet is whole when it is written, so that the
 * file of a run that was killed can be read up to the last one.
 *
 * Source: protos/perfetto/trace of Perfetto 43: trace_packet.proto,
 * clock_snapshot.proto, track_event/, interned_data/.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/messages.h"
#include "pairs.h"
#include "protobuf.h"
#include "viewer.h"

/* Numbers of fields. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59, PACKET_TRACK = 60,

	DEFAULTS_CLOCK = 58,

	CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2,
	CLOCK_ID = 1, CLOCK_TIME = 2,

	EVENT_CATEGORY = 3, EVENT_ANNOTATION = 4, EVENT_TYPE = 9,
	EVENT_NAME = 10, EVENT_TRACK = 11,

	ANNOTATION_NAME = 1, ANNOTATION_BOOL = 2, ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4, ANNOTATION_DOUBLE = 5, ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7, ANNOTATION_ENTRIES = 11,

	INTERNED_CATEGORIES = 1, INTERNED_EVENTS = 2, INTERNED_NAMES = 3,
	NAME_NUMBER = 1, NAME_TEXT = 2,

	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	PROCESS_PID = 1, PROCESS_NAME = 6,
	THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5
};

/* Values of fields. */
enum {
	CLOCK_IS_REALTIME = 1, CLOCK_IS_MONOTONIC = 3, CLOCK_IS_BOOTTIME = 6,
	FLAG_CLEARED = 1,	/* the interned names begin anew */
	FLAG_INTERNED = 2,	/* the packet uses interned names */
	TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3
};

#define SEQUENCE	1
/* Bytes of a packet's head and of an event without its arguments, at most. */
#define HEAD		(2 * PROTOBUF_FIELD)
#define SMALL		(10 * PROTOBUF_FIELD)
/* Bytes of a name of 15 bytes that are all escaped. */
#define NAME_ROOM	64
/* Numbers of processes' tracks; others are below. */
#define PROCESS_UUID	(UINT64_C(1) << 40)

/* ------------------------------------------------------------ packets */

static void
put_packet(struct viewer *v, const char *body, size_t size, const char *more,
    size_t more_size)
{
	char *p = output_room(v->out, HEAD + size + more_size);

	p = protobuf_length(p, TRACE_PACKET, size + more_size);
	p = put_bytes(p, body, size);
	output_taken(v->out, put_bytes(p, more, more_size));
}

static char *
put_sequence(char *p, unsigned flags)
{
	p = protobuf_number(p, PACKET_SEQUENCE, SEQUENCE);
	return (flags == 0 ? p : protobuf_number(p, PACKET_FLAGS, flags));
}

static char *
put_clock(char *p, uint64_t clock, uint64_t time)
{
	char body[2 * PROTOBUF_FIELD], *end = body;

	end = protobuf_number(end, CLOCK_ID, clock);
	end = protobuf_number(end, CLOCK_TIME, time);
	return (protobuf_bytes(p, CLOCKS_CLOCK, body, (size_t)(end - body)));
}

/* Returns what CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC by, ns. */
static uint64_t
suspended(void)
{
	struct timespec mono, boot;

	(void)clock_gettime(CLOCK_MONOTONIC, &mono);
	(void)clock_gettime(CLOCK_BOOTTIME, &boot);
	return ((uint64_t)(boot.tv_sec - mono.tv_sec) * 1000000000 +
	    (uint64_t)(boot.tv_nsec - mono.tv_nsec));
}

/* Relates the clocks at one moment. */
static void
put_clocks(struct viewer *v, const struct tbuf_record *r)
{
	char clocks[8 * PROTOBUF_FIELD], body[10 * PROTOBUF_FIELD];
	char *p = clocks, *end;

	p = put_clock(p, CLOCK_IS_MONOTONIC, r->time);
	p = put_clock(p, CLOCK_IS_REALTIME, r->wall);
	if (v->live)
		p = put_clock(p, CLOCK_IS_BOOTTIME, r->time + suspended());
	p = protobuf_number(p, CLOCKS_PRIMARY, CLOCK_IS_MONOTONIC);
	end = put_sequence(body, 0);
	end = protobuf_bytes(end, PACKET_CLOCKS, clocks,
	    (size_t)(p - clocks));
	put_packet(v, body, (size_t)(end - body), "", 0);
}

/* ------------------------------------------------------------ texts */

/* Writes text as UTF-8: other bytes are escaped as \xNN. */
static char *
put_text(char *p, const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i = 0;
	unsigned n;

	while (i < size) {
		n = s[i] < 0x80 ? 1 : utf8_sequence(s + i, size - i);
		if (n == 0) {
			p = put_hex(put_literal(p, "\\x"), s + i++, 1);
			continue;
		}
		p = put_bytes(p, s + i, n);
		i += n;
	}
	return (p);
}

/* Writes a name of a program as UTF-8, to memory of its own. */
static void
clean(struct output *text, const char *name)
{
	size_t size = strlen(name);

	output_memory(text);
	output_taken(text, put_text(output_room(text, 4 * size + 1), name,
	    size));
}

/* ------------------------------------------------------------ names */

/* Names of events, categories and arguments have numbers in common. */
struct name {
	uint64_t hash;
	unsigned number;	/* 0: the place is free */
	unsigned shown;		/* bits of INTERNED_* that the file has */
	char *text;
};

struct interned {
	struct name *all;	/* a hash table */
	size_t room, count;
};

static struct name *
name_place(const struct interned *table, uint64_t hash, const char *text)
{
	size_t i = hash & (table->room - 1);

	while (table->all[i].number != 0 && (table->all[i].hash != hash ||
	    strcmp(table->all[i].text, text) != 0))
		i = (i + 1) & (table->room - 1);
	return (&table->all[i]);
}

static void
names_grow(struct interned *table)
{
	struct interned old = *table;
	size_t i;

	table->room = old.room == 0 ? 256 : 2 * old.room;
	table->all = memory_get(NULL, table->room, sizeof(*table->all));
	memset(table->all, 0, table->room * sizeof(*table->all));
	for (i = 0; i < old.room; i++)
		if (old.all[i].number != 0)
			*name_place(table, old.all[i].hash,
			    old.all[i].text) = old.all[i];
	free(old.all);
}

static void
put_name(struct viewer *v, unsigned kind, const struct name *name)
{
	char body[8 * PROTOBUF_FIELD], head[PROTOBUF_FIELD];
	char number[2 * PROTOBUF_FIELD], *in, *end, *p;
	struct output text;
	size_t size;

	clean(&text, name->text);
	in = protobuf_number(number, NAME_NUMBER, name->number);
	in = protobuf_length(in, NAME_TEXT, text.used);
	size = (size_t)(in - number) + text.used;
	end = protobuf_length(head, kind, size);
	p = protobuf_length(put_sequence(body, FLAG_INTERNED),
	    PACKET_INTERNED, (size_t)(end - head) + size);
	p = put_bytes(p, head, (size_t)(end - head));
	p = put_bytes(p, number, (size_t)(in - number));
	put_packet(v, body, (size_t)(p - body), text.buffer, text.used);
	free(text.buffer);
}

/* Returns a name's number, after the packet that has the name. */
static unsigned
intern(struct viewer *v, unsigned kind, const char *text)
{
	uint64_t hash = pairs_hash(0, text, strlen(text));
	struct interned *table = v->interned;
	struct name *name;

	if (table == NULL) {
		v->interned = table = memory_get(NULL, 1, sizeof(*table));
		*table = (struct interned){ .room = 0 };
	}
	if (2 * table->count >= table->room)
		names_grow(table);
	name = name_place(table, hash, text);
	if (name->number == 0) {
		*name = (struct name){ .hash = hash, .text =
		    memory_string(text), .number = (unsigned)++table->count };
	}
	if ((name->shown & 1u << kind) == 0) {
		name->shown |= 1u << kind;
		put_name(v, kind, name);
	}
	return (name->number);
}

/* Writes again the names that records before the new file have used. */
static void
names_again(struct viewer *v)
{
	struct interned *table = v->interned;
	unsigned kind;
	size_t i;

	for (i = 0; table != NULL && i < table->room; i++)
		for (kind = INTERNED_CATEGORIES; kind <= INTERNED_NAMES; kind++)
			if ((table->all[i].shown & 1u << kind) != 0)
				put_name(v, kind, &table->all[i]);
}

static void
begin(struct viewer *v, const struct tbuf_record *r)
{
	char body[8 * PROTOBUF_FIELD], clock[PROTOBUF_FIELD], *p;

	p = protobuf_number(clock, DEFAULTS_CLOCK, CLOCK_IS_MONOTONIC);
	p = protobuf_bytes(put_sequence(body, FLAG_CLEARED), PACKET_DEFAULTS,
	    clock, (size_t)(p - clock));
	put_packet(v, body, (size_t)(p - body), "", 0);
	put_clocks(v, r);
	names_again(v);
}

/* ------------------------------------------------------------ arguments */

/* Writes a text to memory of its own, as the field has it. */
static void
text_of(struct output *text, const struct tbuf_value *value)
{
	char *p;

	output_memory(text);
	p = output_room(text, (size_t)value->size * 4 + 16);
	if (value->null)
		p = put_literal(p, "NULL");
	else if (value->type == TBUF_BINARY)
		p = put_hex(put_literal(p, "hex:"), value->data, value->size);
	else
		p = put_text(p, value->data, value->size);
	output_taken(text, p);
}

/* Returns true if a value's bytes are the field's as they are. */
static bool
is_plain(const struct tbuf_value *value)
{
	size_t i;

	if (value->null || value->type == TBUF_BINARY)
		return (false);
	for (i = 0; i < value->size; i++)
		if ((unsigned char)value->data[i] >= 0x80)
			return (false);
	return (true);
}

/* Appends an annotation: a name's number, and a field that is a text. */
static void
put_text_argument(struct output *data, unsigned number, const char *text,
    size_t size)
{
	char head[3 * PROTOBUF_FIELD], *end, *p;

	end = protobuf_number(head, ANNOTATION_NAME, number);
	end = protobuf_length(end, ANNOTATION_STRING, size);
	p = output_room(data, PROTOBUF_FIELD + (size_t)(end - head) + size);
	p = protobuf_length(p, EVENT_ANNOTATION,
	    (size_t)(end - head) + size);
	p = put_bytes(p, head, (size_t)(end - head));
	output_taken(data, put_bytes(p, text, size));
}

/* Writes the field of a value that is not a text. */
static char *
put_number(char *p, const struct tbuf_value *value)
{
	switch (value->type) {
	case TBUF_INT8:
	case TBUF_INT16:
	case TBUF_INT32:
	case TBUF_INT64:
		return (protobuf_number(p, ANNOTATION_INT,
		    (uint64_t)value->i));
	case TBUF_CHAR:
		return (protobuf_number(p, ANNOTATION_INT, (char)-1 < 0 ?
		    (uint64_t)value->i : value->u));
	case TBUF_BOOL:
		return (protobuf_number(p, ANNOTATION_BOOL, value->u != 0));
	case TBUF_FLOAT:
	case TBUF_DOUBLE:
		return (protobuf_double(p, ANNOTATION_DOUBLE, value->d));
	case TBUF_POINTER:
		return (protobuf_number(p, ANNOTATION_POINTER, value->u));
	default:
		return (protobuf_number(p, ANNOTATION_UINT, value->u));
	}
}

static bool
is_text(const struct tbuf_value *value)
{
	return (value->type == TBUF_STRING ||
	    value->type == TBUF_STRING_SIZED || value->type == TBUF_BINARY);
}

/* Appends a field of the event, with the argument's name and value. */
static void
argument(struct viewer *v, const char *name, const struct tbuf_value *value)
{
	unsigned number = intern(v, INTERNED_NAMES, name);
	char one[2 * PROTOBUF_FIELD], *p;
	struct output text;

	if (is_text(value) && is_plain(value))
		put_text_argument(&v->data, number, value->data, value->size);
	else if (is_text(value)) {
		text_of(&text, value);
		put_text_argument(&v->data, number, text.buffer, text.used);
		free(text.buffer);
	} else {
		p = put_number(protobuf_number(one, ANNOTATION_NAME, number),
		    value);
		output_taken(&v->data, protobuf_bytes(output_room(&v->data,
		    3 * PROTOBUF_FIELD), EVENT_ANNOTATION, one,
		    (size_t)(p - one)));
	}
}

/* ------------------------------------------------------------ tracks */

static void
put_track(struct viewer *v, const char *fields, size_t size)
{
	char body[4 * PROTOBUF_FIELD], *p = put_sequence(body, 0);

	p = protobuf_length(p, PACKET_TRACK, size);
	put_packet(v, body, (size_t)(p - body), fields, size);
}

/* A name of the kernel's, of at most 15 bytes. */
static char *
put_short(char *p, unsigned field, const char *name)
{
	char text[NAME_ROOM];
	size_t size = strnlen(name, NAME_ROOM / 4 - 1);

	return (protobuf_bytes(p, field, text,
	    (size_t)(put_text(text, name, size) - text)));
}

static void
show_process(struct viewer *v, pid_t pid, const char *execname)
{
	char process[2 * PROTOBUF_FIELD + NAME_ROOM];
	char track[4 * PROTOBUF_FIELD + sizeof(process)], *p, *end;

	p = protobuf_number(process, PROCESS_PID, (uint64_t)pid);
	p = put_short(p, PROCESS_NAME, execname);
	end = protobuf_number(track, TRACK_UUID, PROCESS_UUID + (uint64_t)pid);
	end = protobuf_bytes(end, TRACK_PROCESS, process,
	    (size_t)(p - process));
	put_track(v, track, (size_t)(end - track));
}

static char *
put_thread(const struct viewer *v, char *p, const struct slice_event *e)
{
	const struct slice_track *track = e->track;
	char thread[3 * PROTOBUF_FIELD + NAME_ROOM], name[16], *end;

	viewer_thread_name(v, track->pid, track->tid, e->execname, name);
	end = protobuf_number(thread, THREAD_PID, (uint64_t)track->pid);
	end = protobuf_number(end, THREAD_TID, track->tid);
	end = put_short(end, THREAD_NAME, name);
	return (protobuf_bytes(p, TRACK_THREAD, thread,
	    (size_t)(end - thread)));
}

static void
show_track(struct viewer *v, const struct slice_event *e)
{
	struct slice_track *track = e->track;
	struct output fields, name;
	char *p;

	if (track->shown)
		return;
	track->shown = true;
	/* A process may be described more than once. */
	show_process(v, track->pid, e->execname);
	clean(&name, track->name);
	output_memory(&fields);
	p = output_room(&fields, 8 * PROTOBUF_FIELD + NAME_ROOM + name.used);
	p = protobuf_number(p, TRACK_UUID, track->number);
	p = protobuf_number(p, TRACK_PARENT,
	    PROCESS_UUID + (uint64_t)track->pid);
	if (track->kind == SLICE_THREAD)
		p = put_thread(v, p, e);
	else
		p = protobuf_bytes(p, TRACK_NAME, name.buffer, name.used);
	output_taken(&fields, p);
	put_track(v, fields.buffer, fields.used);
	free(fields.buffer);
	free(name.buffer);
}

/* ------------------------------------------------------------ events */

/* Appends the arguments that the records of a slice do not have. */
static void
put_special(struct viewer *v, const struct slice_event *e,
    struct output *fields)
{
	struct tbuf_value value = { .type = TBUF_UINT64 };
	struct output data = v->data;
	char *p;

	output_memory(&v->data);
	if (e->unit != NULL && e->what == SLICE_BEGIN) {
		value.u = e->unit->id;
		argument(v, "id", &value);
		value.type = TBUF_INT64;
		value.i = e->unit->outcome;
		if (e->unit->ended)
			argument(v, "outcome", &value);
	}
	if (e->incomplete && e->what == SLICE_BEGIN) {
		value.type = TBUF_BOOL;
		value.u = 1;
		argument(v, "incomplete", &value);
	}
	p = output_room(fields, v->data.used + 1);
	output_taken(fields, put_bytes(p, v->data.buffer, v->data.used));
	free(v->data.buffer);
	v->data = data;
}

/* Returns the end of the field at p: a tag of one byte, a length and bytes. */
static const char *
field_end(const char *p)
{
	uint64_t size = 0;
	unsigned shift = 0;

	do {
		size |= (uint64_t)(*++p & 0x7f) << shift;
		shift += 7;
	} while ((*p & 0x80) != 0);
	return (p + 1 + size);
}

/*
 * Writes an end's arguments as entries of one that has the name "end", as the
 * viewer puts them together with those of the beginning.  A first argument that
 * both have is left out.
 */
static void
put_end_data(struct viewer *v, const struct slice_event *e,
    struct output *fields)
{
	const char *from = e->data.bytes, *last = from + e->data.size, *next;
	char head[PROTOBUF_FIELD], *end, *p;

	if (e->by_value)
		from = field_end(from);
	if (from == last)
		return;
	end = protobuf_number(head, ANNOTATION_NAME,
	    intern(v, INTERNED_NAMES, "end"));
	p = output_room(fields, e->data.size + 3 * PROTOBUF_FIELD);
	p = protobuf_length(p, EVENT_ANNOTATION, (size_t)(end - head) +
	    (size_t)(last - from));
	p = put_bytes(p, head, (size_t)(end - head));
	/* Fields of the event become entries: only their tags differ. */
	for (; from < last; from = next) {
		next = field_end(from);
		p = protobuf_tag(p, ANNOTATION_ENTRIES, PROTOBUF_LENGTH);
		p = put_bytes(p, from + 1, (size_t)(next - from - 1));
	}
	output_taken(fields, p);
}

/* Writes the packet of an event; its arguments are fields. */
static void
put_event(struct viewer *v, const struct slice_event *e, const char *fields,
    size_t size)
{
	static const unsigned types[] = {
		[SLICE_BEGIN] = TYPE_BEGIN, [SLICE_END] = TYPE_END,
		[SLICE_INSTANT] = TYPE_INSTANT
	};
	char event[SMALL], body[SMALL + 4 * PROTOBUF_FIELD], *p = event, *end;

	p = protobuf_number(p, EVENT_TYPE, types[e->what]);
	p = protobuf_number(p, EVENT_TRACK, e->track->number);
	if (e->what != SLICE_END) {
		p = protobuf_number(p, EVENT_CATEGORY,
		    intern(v, INTERNED_CATEGORIES, e->category));
		p = protobuf_number(p, EVENT_NAME,
		    intern(v, INTERNED_EVENTS, e->name));
	}
	end = protobuf_number(body, PACKET_TIME, e->time);
	end = put_sequence(end, FLAG_INTERNED);
	end = protobuf_length(end, PACKET_EVENT, (size_t)(p - event) + size);
	end = put_bytes(end, event, (size_t)(p - event));
	put_packet(v, body, (size_t)(end - body), fields, size);
}

static void
event(void *arg, const struct slice_event *e)
{
	struct viewer *v = arg;
	struct output fields;
	char *p;

	show_track(v, e);
	if (e->unit == NULL && !e->incomplete &&
	    (e->what != SLICE_END || e->data.size == 0)) {
		put_event(v, e, e->data.bytes, e->data.size);
		return;
	}
	output_memory(&fields);
	if (e->what == SLICE_END && e->data.size > 0)
		put_end_data(v, e, &fields);
	else {
		p = output_room(&fields, e->data.size + 1);
		output_taken(&fields, put_bytes(p, e->data.bytes,
		    e->data.size));
	}
	put_special(v, e, &fields);
	put_event(v, e, fields.buffer, fields.used);
	free(fields.buffer);
}

/* Each packet was whole: nothing ends the file. */
static void
end(struct viewer *v)
{
	(void)v;
}

static void
forget(struct viewer *v)
{
	struct interned *table = v->interned;
	size_t i;

	for (i = 0; table != NULL && i < table->room; i++)
		free(table->all[i].text);
	if (table != NULL)
		free(table->all);
	free(table);
}

const struct encoder encoder_perfetto = {
	.begin = begin, .argument = argument, .event = event, .end = end,
	.free = forget
};
