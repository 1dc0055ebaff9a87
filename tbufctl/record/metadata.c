/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names in it come from programs, and may have any bytes.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/output.h"
#include "metadata.h"

#define FAULT_EPID	0xffff
#define NAME_MOST	64	/* bytes of a field's name that are written */

/* ------------------------------------------------------------ texts */

/* Writes the inside of a string.  Bytes that are no UTF-8 become '?'. */
static void
put_string(struct output *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text), n;

	for (; left > 0; s += n, left -= n) {
		n = utf8_sequence(s, left);
		if (n > 1)
			output_printf(f, "%.*s", (int)n, (const char *)s);
		else if (*s == '"' || *s == '\\')
			output_printf(f, "\\%c", *s);
		else
			output_printf(f, "%c", *s < 0x80 && isprint(*s) ?
			    *s : '?');
		n = n == 0 ? 1 : n;
	}
}

static void
put_uuid(struct output *f, const uint8_t *uuid)
{
	int i;

	for (i = 0; i < CTF_UUID; i++)
		output_printf(f, "%s%02x", i == 4 || i == 6 || i == 8 ||
		    i == 10 ? "-" : "", uuid[i]);
}

/* ------------------------------------------------------------ fields */

/* The names of a structure's fields, which have to differ. */
struct names {
	char (*all)[NAME_MOST + 16];
	unsigned count;
};

static bool
is_used(const struct names *names, const char *name)
{
	unsigned i;

	for (i = 0; i < names->count; i++)
		if (strcmp(names->all[i], name) == 0)
			return (true);
	return (false);
}

/* Adds an identifier that is not used yet; `given' may have any bytes. */
static const char *
add_name(struct names *names, const char *given)
{
	char clean[NAME_MOST], *to = names->all[names->count];
	unsigned i, n;

	for (i = 0; given[i] != '\0' && i < sizeof(clean) - 1; i++)
		clean[i] = (unsigned char)given[i] < 0x80 &&
		    isalnum((unsigned char)given[i]) ? given[i] : '_';
	clean[i] = '\0';
	(void)snprintf(to, sizeof(names->all[0]), "_%s", clean);
	for (n = 2; is_used(names, to); n++)
		(void)snprintf(to, sizeof(names->all[0]), "_%s_%u", clean, n);
	names->count++;
	return (to);
}

/* Returns the type of a number, by its own width or by 8 bytes. */
static const char *
number_type(const struct tbuf_record_field *field)
{
	bool wide = field->size == 8;

	switch (field->type) {
	case TBUF_INT8:
		return (wide ? "i64" : "i8");
	case TBUF_CHAR:
		return (wide ? "i64" : "i8");
	case TBUF_INT16:
		return (wide ? "i64" : "i16");
	case TBUF_INT32:
		return (wide ? "i64" : "i32");
	case TBUF_INT64:
		return ("i64");
	case TBUF_UINT8:
		return (wide ? "u64" : "u8");
	case TBUF_BOOL:
		return (wide ? "u64" : "bool_t");
	case TBUF_UINT16:
		return (wide ? "u64" : "u16");
	case TBUF_UINT32:
		return (wide ? "u64" : "u32");
	case TBUF_POINTER:
		return ("x64");
	case TBUF_FLOAT:
		return ("f32");
	case TBUF_DOUBLE:
		return ("f64");
	case TBUF_STRING_INTERNED:
		return ("interned");
	default:
		return ("u64");
	}
}

static void
put_text(struct output *f, struct names *names, unsigned number,
    const char *name, const char *element)
{
	char about[32];
	const char *length;

	(void)snprintf(about, sizeof(about), "%u_length", number);
	length = add_name(names, about);
	output_printf(f, "\t\tinteger { size = 15; align = 16; } %s;\n",
	    length);
	(void)snprintf(about, sizeof(about), "%u_cut", number);
	output_printf(f, "\t\tinteger { size = 1; align = 1; } %s;\n",
	    add_name(names, about));
	output_printf(f, "\t\t%s %s[%s];\n", element, name, length);
}

static void
put_field(struct output *f, struct names *names, unsigned number,
    const struct tbuf_record_field *field, const char *given)
{
	const char *name = add_name(names, given);
	char about[32];

	if (field->size == 0) {
		put_text(f, names, number, name,
		    field->type == TBUF_BINARY ? "x8" : "c8");
		return;
	}
	(void)snprintf(about, sizeof(about), "%u_at", number);
	if (field->type == TBUF_BINARY)
		output_printf(f, "\t\tstruct { } align(%u) %s;\n"
		    "\t\tx8 %s[%u];\n", 8 * field->align,
		    add_name(names, about), name, field->size);
	else if (field->type == TBUF_FLOAT && field->size == 8)
		output_printf(f, "\t\tstruct { } align(64) %s;\n"
		    "\t\tf32 %s;\n", add_name(names, about), name);
	else
		output_printf(f, "\t\t%s %s;\n", number_type(field), name);
}

/* Writes the fields of a record; a wide float ends with four more bytes. */
static void
put_fields(struct output *f, const struct tbuf_probe_info *probe,
    const struct tbuf_record_field *fields, int count)
{
	struct names names = { .count = 0 };
	const char *given;
	char number[16];
	int i;

	/* At most three names a field, and the last one. */
	names.all = memory_get(NULL, 4 * (size_t)count + 1,
	    sizeof(*names.all));
	for (i = 0; i < count; i++) {
		given = number;
		if (fields[i].argument >= 0 &&
		    (unsigned)fields[i].argument < probe->nargs)
			given = probe->argnames[fields[i].argument];
		(void)snprintf(number, sizeof(number), "%s%d",
		    fields[i].argument >= 0 ? "arg" : "value",
		    fields[i].argument >= 0 ? fields[i].argument : i);
		put_field(f, &names, (unsigned)i, &fields[i], given);
		if (fields[i].type == TBUF_FLOAT && fields[i].size == 8) {
			(void)snprintf(number, sizeof(number), "%d_rest", i);
			output_printf(f, "\t\tu32 %s;\n",
			    add_name(&names, number));
		}
	}
	output_printf(f, "\t\tstruct { } align(64) %s;\n",
	    add_name(&names, "end"));
	free(names.all);
}

/* ------------------------------------------------------------ events */

/* Returns an event's name and fields, for the caller to free. */
static char *
describe(const struct tbuf_probe_info *probe,
    const struct tbuf_record_field *fields, int count)
{
	struct output out, *f = &out;

	output_memory(f);
	output_printf(f, "\tname = \"");
	put_string(f, probe->provider);
	output_printf(f, ":");
	put_string(f, probe->module);
	output_printf(f, ":");
	put_string(f, probe->function);
	output_printf(f, ":");
	put_string(f, probe->name);
	output_printf(f, "\";\n\tfields := struct {\n");
	put_fields(f, probe, fields, count);
	output_printf(f, "\t};\n%c", '\0');
	return (out.buffer);
}

/* Describes the events with new EPIDs.  Returns true if there are any. */
static bool
add_events(struct metadata *m, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	struct tbuf_record_field fields[TBUF_FIELDS_MAX];
	const struct tbuf_probe_info *probe;
	unsigned i, enabling;
	bool any = false;
	int count;

	if (m->complete && packet->epids == m->nevents)
		return (false);
	m->complete = true;
	if (packet->epids > m->nevents) {
		m->events = memory_get(m->events, packet->epids,
		    sizeof(*m->events));
		for (i = m->nevents; i < packet->epids; i++)
			m->events[i] = NULL;
		m->nevents = packet->epids;
	}
	for (i = 1; i < packet->epids; i++) {
		if (m->events[i] != NULL)
			continue;
		probe = tbuf_consumer_epid(consumer, packet, i, &enabling);
		count = tbuf_consumer_fields(consumer, packet, i, fields);
		if (probe == NULL || count < 0) {
			m->complete = false;
			continue;
		}
		m->events[i] = describe(probe, fields, count);
		interned_fields(&m->interned, i, fields, count);
		any = true;
	}
	return (any);
}

void
metadata_begin(struct metadata *m, const uint8_t *clock_uuid,
    const struct tbuf_packet *packet)
{
	ctf_uuid(m->uuid);
	m->clock_uuid = clock_uuid;
	m->pid = packet->pid;
	m->target = packet->target;
	m->generation = packet->generation;
	m->nanoseconds = packet->nanoseconds;
	(void)snprintf(m->execname, sizeof(m->execname), "%s",
	    packet->execname);
}

bool
metadata_is_of(const struct metadata *m, const struct tbuf_packet *packet)
{
	return (m->target == packet->target &&
	    m->generation == packet->generation && m->pid == packet->pid);
}

bool
metadata_update(struct metadata *m, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	bool *class = &m->classes[ctf_class_of(packet)];
	bool changed = !*class || (packet->fault != NULL && !m->faults);
	uint64_t covered = packet->calibration[1].mono -
	    packet->calibration[0].mono;

	*class = true;
	m->faults |= packet->fault != NULL;
	memcpy(m->calibration, packet->calibration, sizeof(m->calibration));
	/* The units of a target that has ended are all in its head now. */
	changed |= packet->counted && packet->kind == TBUF_PACKET_UNIT;
	changed |= covered > 2 * m->covered;
	changed |= add_events(m, consumer, packet);
	changed |= interned_add(&m->interned, consumer, packet);
	if (changed)
		m->covered = covered;
	return (changed);
}

/* ------------------------------------------------------------ the clock */

/*
 * Writes the clock, by which a stamp is (offset + stamp) / freq seconds after
 * offset_s, at the later point exactly.
 */
static void
put_clock(const struct metadata *m, struct output *f)
{
	const struct tbuf_calibration *a = &m->calibration[0], *b = a + 1;
	uint64_t frequency = 1000000000, stamp = b->stamp;
	__int128 offset;

	if (m->nanoseconds)
		stamp = b->mono;
	else if (b->mono > a->mono && b->stamp > a->stamp)
		frequency = (uint64_t)((long double)(b->stamp - a->stamp) *
		    1e9L / (long double)(b->mono - a->mono) + 0.5L);
	if (frequency == 0)
		frequency = 1;
	offset = (__int128)b->wall * frequency / 1000000000 - stamp;
	if (offset < 0)
		offset = 0;
	output_printf(f, "clock {\n\tname = counter;\n\tuuid = \"");
	put_uuid(f, m->clock_uuid);
	output_printf(f, "\";\n\tfreq = %" PRIu64 ";\n\toffset_s = %" PRIu64
	    ";\n\toffset = %" PRIu64 ";\n\tabsolute = TRUE;\n};\n\n",
	    frequency, (uint64_t)(offset / frequency),
	    (uint64_t)(offset % frequency));
}

/* ------------------------------------------------------------ the whole */

static const char types[] =
"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
"typealias integer { size = 16; align = 16; signed = false; } := u16;\n"
"typealias integer { size = 32; align = 32; signed = false; } := u32;\n"
"typealias integer { size = 64; align = 64; signed = false; } := u64;\n"
"typealias integer { size = 8; align = 8; signed = true; } := i8;\n"
"typealias integer { size = 16; align = 16; signed = true; } := i16;\n"
"typealias integer { size = 32; align = 32; signed = true; } := i32;\n"
"typealias integer { size = 64; align = 64; signed = true; } := i64;\n"
"typealias integer { size = 8; align = 8; signed = false;\n"
"\tbase = 16; } := x8;\n"
"typealias integer { size = 8; align = 8; signed = false;\n"
"\tencoding = UTF8; } := c8;\n"
"typealias integer { size = 64; align = 64; signed = false;\n"
"\tbase = 16; } := x64;\n"
"typealias integer { size = 32; align = 16; signed = false; } := half32;\n"
"typealias floating_point { exp_dig = 8; mant_dig = 24;\n"
"\talign = 32; } := f32;\n"
"typealias floating_point { exp_dig = 11; mant_dig = 53;\n"
"\talign = 64; } := f64;\n"
"typealias enum : u8 { \"false\" = 0, \"true\" = 1 } := bool_t;\n\n";

static const char header[] =
"\tpacket.header := struct {\n"
"\t\tu32 magic;\n"
"\t\tu8 uuid[16];\n"
"\t\tu32 stream_id;\n"
"\t\tu64 stream_instance_id;\n"
"\t};\n};\n\n";

static const char stamp_type[] =
"typealias integer { size = 64; align = 64; signed = false;\n"
"\tmap = clock.counter.value; } := stamp;\n\n";

static const char unit[] =
"\t\tc8 unit_kind[32];\n"
"\t\tu64 unit_id;\n"
"\t\ti32 outcome;\n"
"\t\tu32 has_ended;\n"
"\t\tu64 began;\n"
"\t\tu64 ended;\n"
"\t\tu64 hung;\n"
"\t\tu64 unselected;\n";

/* Writes the texts that numbers stand for; 0 is NULL, an empty text. */
static void
put_interned(struct output *f, const struct interned *in)
{
	unsigned i;

	output_printf(f, "typealias enum : u32 {\n\t\"\" = 0");
	for (i = 0; i < in->ntexts; i++) {
		output_printf(f, ",\n\t\"");
		put_string(f, in->texts[i].text);
		output_printf(f, "\" = %" PRIu32, in->texts[i].number);
	}
	output_printf(f, "\n} := interned;\n\n");
}

static void
put_stream(struct output *f, enum ctf_class class)
{
	output_printf(f, "stream {\n\tid = %d;\n"
	    "\tpacket.context := struct {\n"
	    "\t\tstamp timestamp_begin;\n\t\tstamp timestamp_end;\n"
	    "\t\tu64 content_size;\n\t\tu64 packet_size;\n"
	    "\t\tu64 packet_seq_num;\n\t\tu64 events_discarded;\n"
	    "\t\tu64 %s;\n%s\t};\n", class,
	    class == CTF_LANE ? "cpu_id" : "lane_cpu",
	    class == CTF_UNIT ? unit : "");
	output_printf(f, "\tevent.header := struct {\n"
	    "\t\tstamp timestamp;\n\t\tu16 id;\n\t} align(64);\n"
	    "\tevent.context := struct {\n"
	    "\t\tu16 _size;\n\t\thalf32 _tid;\n%s\t};\n};\n\n",
	    class == CTF_LANE ? "" :
	    "\t\thalf32 _cpu;\n\t\thalf32 _reserved;\n");
}

static void
put_event(struct output *f, enum ctf_class class, unsigned id, const char *text)
{
	output_printf(f, "event {\n\tid = %u;\n\tstream_id = %d;\n%s};\n\n",
	    id, class, text);
}

static void
put_class(const struct metadata *m, struct output *f, enum ctf_class class)
{
	unsigned i;

	put_stream(f, class);
	for (i = 0; i < m->nevents; i++)
		if (m->events[i] != NULL)
			put_event(f, class, i, m->events[i]);
	if (m->faults)
		put_event(f, class, FAULT_EPID, "\tname = \"tbuf:::fault\";\n"
		    "\tfields := struct {\n\t\tu32 _epid;\n\t\tu32 _offset;\n"
		    "\t\tu32 _fault;\n\t\tu32 _unused;\n\t\tx64 _address;\n"
		    "\t};\n");
}

void
metadata_write(const struct metadata *m, struct output *f)
{
	int i;

	output_printf(f, "/* CTF 1.8 */\n\n%strace {\n\tmajor = 1;\n"
	    "\tminor = 8;\n\tbyte_order = le;\n\tuuid = \"", types);
	put_uuid(f, m->uuid);
	output_printf(f, "\";\n%senv {\n\ttracer_name = \"tbuf\";\n"
	    "\ttracer_version = \"", header);
	put_string(f, tbuf_version());
	output_printf(f, "\";\n\tprocname = \"");
	put_string(f, m->execname);
	output_printf(f, "\";\n\tvpid = %jd;\n\ttarget = \"%016" PRIx64
	    "\";\n\tsession = \"%" PRIu64 "\";\n};\n\n", (intmax_t)m->pid,
	    m->target, m->generation);
	put_clock(m, f);
	output_printf(f, "%s", stamp_type);
	if (m->interned.any)
		put_interned(f, &m->interned);
	for (i = 0; i < CTF_CLASSES; i++)
		if (m->classes[i])
			put_class(m, f, (enum ctf_class)i);
}

void
metadata_free(struct metadata *m)
{
	unsigned i;

	for (i = 0; i < m->nevents; i++)
		free(m->events[i]);
	free(m->events);
	interned_free(&m->interned);
}
