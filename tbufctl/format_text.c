/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Text: DTrace's row, then name=value for each argument; losses, ends and the
 * total go to standard error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "messages.h"

/* Most bytes that escape() makes of one. */
#define ESCAPED		4

static char *
put_escape(char *p, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\nn\tt\rr";
	const char *l;

	*p++ = '\\';
	for (l = letters; *l != '\0'; l += 2)
		if (*l == (char)c) {
			*p++ = l[1];
			return (p);
		}
	*p++ = 'x';
	return (put_hex(p, &c, 1));
}

/* What a terminal shows as it is: no controls, C1 controls neither. */
static unsigned
printable_sequence(const unsigned char *s, size_t left)
{
	unsigned n = utf8_sequence(s, left);

	return (n == 2 && s[0] == 0xc2 && s[1] < 0xa0 ? 0 : n);
}

static char *
escape(char *p, const void *text, size_t size)
{
	const unsigned char *s = text, *end = s + size;
	unsigned n;

	while (s < end) {
		if (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\') {
			*p++ = *s++;
		} else if (*s >= 0x80 &&
		    (n = printable_sequence(s, end - s)) > 0) {
			p = put_bytes(p, s, n);
			s += n;
		} else
			p = put_escape(p, *s++);
	}
	return (p);
}

/* Names come from other processes, too. */
static char *
put_name(char *p, const char *name)
{

	return (escape(p, name, strlen(name)));
}

/* head: " ID FUNCTION:NAME"; no tail; args: " name=". */
static void
prepare(struct format *f, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	size_t size = OUTPUT_NUMBER + 64, width, i;
	char *point, *p, *end;

	(void)f;
	size += 2 * ESCAPED * (strlen(probe->function) + strlen(probe->name));
	for (i = 0; i < probe->nargs; i++)
		size += ESCAPED * strlen(probe->argnames[i]) + 2;
	p = prepared->text = memory_get(NULL, 1, size);
	*p++ = ' ';
	p = put_padded(p, probe->id, 6);
	*p++ = ' ';
	/* Made at the end of the room, then moved to where it belongs. */
	point = p + 32;
	end = put_name(point, probe->function);
	*end++ = ':';
	end = put_name(end, probe->name);
	for (width = end - point; width < 32; width++)
		*p++ = ' ';
	memmove(p, point, end - point);
	p += end - point;
	prepared->head = p - prepared->text;
	prepared->tail = 0;
	for (i = 0; i < probe->nargs; i++) {
		end = p;
		*p++ = ' ';
		p = put_name(p, probe->argnames[i]);
		*p++ = '=';
		prepared->args[i] = p - end;
	}
}

/* Room for the value, and what may come with it. */
static char *
put_data(struct output *out, const struct tbuf_value *v)
{
	char *p = output_room(out, (size_t)v->size * ESCAPED + 16);

	if (v->null)
		return (put_literal(p, "NULL"));
	if (v->type == TBUF_BINARY) {
		p = put_literal(p, "hex:");
		p = put_hex(p, v->data, v->size);
	} else {
		*p++ = '"';
		p = escape(p, v->data, v->size);
		*p++ = '"';
	}
	return (v->cut ? put_literal(p, "...") : p);
}

static char *
put_value(struct output *out, const struct tbuf_value *v)
{
	char *p = output_room(out, OUTPUT_NUMBER);

	switch (v->type) {
	case TBUF_INT8:
	case TBUF_INT16:
	case TBUF_INT32:
	case TBUF_INT64:
		return (put_signed(p, v->i));
	case TBUF_CHAR:
		return ((char)-1 < 0 ? put_signed(p, v->i) :
		    put_unsigned(p, v->u));
	case TBUF_BOOL:
		return (v->u ? put_literal(p, "true") :
		    put_literal(p, "false"));
	case TBUF_FLOAT:
	case TBUF_DOUBLE:
		return (put_double(p, v->d));
	case TBUF_POINTER:
		return (put_pointer(p, v->u));
	case TBUF_STRING:
	case TBUF_TEXT:
	case TBUF_BINARY:
		return (put_data(out, v));
	default:
		return (put_unsigned(p, v->u));
	}
}

static char *
put_with(char *p, enum with with, const struct tbuf_record *r)
{

	switch (with) {
	case WITH_TIME:
		return (put_unsigned(put_literal(p, "time="), r->time));
	case WITH_WALL:
		return (put_unsigned(put_literal(p, "wall="), r->wall));
	case WITH_PID:
		return (put_signed(put_literal(p, "pid="), r->pid));
	default:
		return (put_unsigned(put_literal(p, "tid="), r->tid));
	}
}

/* The row, unless quiet, and what --with asked for. */
static char *
put_row(struct format *f, char *p, const struct tbuf_record *r,
    const struct prepared *prepared)
{
	const struct options *o = f->options;
	unsigned i;

	if (!o->quiet) {
		p = put_padded(p, r->cpu, 3);
		p = put_bytes(p, prepared->text, prepared->head);
	}
	for (i = 0; i < o->nwith; i++) {
		if (i > 0 || !o->quiet)
			*p++ = ' ';
		p = put_with(p, o->with[i], r);
	}
	return (p);
}

static void
record(struct format *f, const struct tbuf_record *r,
    const struct prepared *prepared)
{
	const char *name = prepared->text + prepared->head;
	struct output *out = f->out;
	/* The blank before a name is left out where a quiet line begins. */
	unsigned skip = f->options->quiet && f->options->nwith == 0;
	unsigned i;
	char *p;

	if (!f->started && !f->options->quiet)
		output_printf(out, "%3s %6s %32s\n", "CPU", "ID",
		    "FUNCTION:NAME");
	f->started = true;
	p = output_room(out, prepared->head + 5 * OUTPUT_NUMBER);
	output_taken(out, put_row(f, p, r, prepared));
	for (i = 0; i < r->nargs; i++) {
		p = output_room(out, prepared->args[i]);
		p = put_bytes(p, name + skip, prepared->args[i] - skip);
		output_taken(out, p);
		output_taken(out, put_value(out, &r->args[i]));
		name += prepared->args[i];
		skip = 0;
	}
	p = output_room(out, 1);
	*p++ = '\n';
	output_taken(out, p);
}

static void
losses(struct format *f, const struct loss *loss, size_t n)
{
	uint64_t drops = 0, overwritten = 0;
	int cpu = loss->cpu;

	for (; n > 0; n--, loss++) {
		drops += loss->drops[0] + loss->drops[1] + loss->drops[2];
		overwritten += loss->overwritten;
	}
	if (drops > 0)
		message(MSG_DROPS, f->options->tags ? MSG_DROPS_TAG : "",
		    drops, PLURAL(drops), cpu);
	if (overwritten > 0)
		message(MSG_OVERWRITTEN, overwritten, PLURAL(overwritten),
		    cpu);
}

/* A status of 0 and one that nobody knows are told alike, as DTrace does. */
static void
exited(struct format *f, const struct tbuf_event *e)
{
	char name[32];

	if (e->child && e->signal != 0)
		message(MSG_KILLED, (intmax_t)e->pid,
		    signal_name(e->signal, name, sizeof(name)));
	else if (f->options->quiet)
		return;
	else if (e->child && e->status != 0)
		message(MSG_EXITED, (intmax_t)e->pid, e->status);
	else
		message(MSG_GONE, (intmax_t)e->pid);
}

static void
total(struct format *f, const struct tbuf_totals *t)
{

	(void)f;
	message(MSG_TOTAL, t->records, t->overwritten, t->drops);
}

const struct format_ops format_text = {
	.prepare = prepare,
	.record = record,
	.losses = losses,
	.exited = exited,
	.total = total
};
