/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON: one object a line, everything on standard output.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "messages.h"

/* Most bytes that escape() makes of one. */
#define ESCAPED		6

static char *
put_escape(char *p, unsigned char c)
{

	*p++ = '\\';
	switch (c) {
	case '"':
	case '\\':
		*p++ = c;
		return (p);
	case '\n':
		*p++ = 'n';
		return (p);
	case '\t':
		*p++ = 't';
		return (p);
	case '\r':
		*p++ = 'r';
		return (p);
	default:
		return (put_hex(put_literal(p, "u00"), &c, 1));
	}
}

static char *
escape(char *p, const void *text, size_t size)
{
	const unsigned char *s = text, *end = s + size;
	unsigned n;

	while (s < end) {
		if (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\') {
			*p++ = *s++;
		} else if (*s >= 0x80 && (n = utf8_sequence(s, end - s)) > 0) {
			p = put_bytes(p, s, n);
			s += n;
		} else
			p = put_escape(p, *s++);
	}
	return (p);
}

static char *
put_string(char *p, const char *text)
{

	*p++ = '"';
	p = escape(p, text, strlen(text));
	*p++ = '"';
	return (p);
}

/*
 * head: ,"id":ID,"pid":  tail: ,"provider":... up to the arguments' brace;
 * args: "name":, the comma before it included.
 */
static void
prepare(struct format *f, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	size_t size = 128, i;
	char *from, *p;

	(void)f;
	size += ESCAPED * (strlen(probe->provider) + strlen(probe->module) +
	    strlen(probe->function) + strlen(probe->name));
	for (i = 0; i < probe->nargs; i++)
		size += ESCAPED * strlen(probe->argnames[i]) + 4;
	p = prepared->text = memory_get(NULL, 1, size);
	p = put_unsigned(put_literal(p, ",\"id\":"), probe->id);
	p = put_literal(p, ",\"pid\":");
	prepared->head = p - prepared->text;
	p = put_string(put_literal(p, ",\"provider\":"), probe->provider);
	p = put_string(put_literal(p, ",\"module\":"), probe->module);
	p = put_string(put_literal(p, ",\"function\":"), probe->function);
	p = put_string(put_literal(p, ",\"name\":"), probe->name);
	p = put_literal(p, ",\"args\":{");
	prepared->tail = p - prepared->text - prepared->head;
	for (i = 0; i < probe->nargs; i++) {
		from = p;
		if (i > 0)
			*p++ = ',';
		p = put_string(p, probe->argnames[i]);
		*p++ = ':';
		prepared->args[i] = p - from;
	}
}

static char *
put_data(struct output *out, const struct tbuf_value *v)
{
	char *p = output_room(out, (size_t)v->size * ESCAPED + 16);

	if (v->null)
		return (put_literal(p, "null"));
	*p++ = '"';
	if (v->type == TBUF_BINARY)
		p = put_hex(put_literal(p, "hex:"), v->data, v->size);
	else
		p = escape(p, v->data, v->size);
	*p++ = '"';
	return (p);
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
		/* JSON has neither NaN nor infinities. */
		return (isfinite(v->d) ? put_double(p, v->d) :
		    put_literal(p, "null"));
	case TBUF_POINTER:
		*p++ = '"';
		p = put_pointer(p, v->u);
		*p++ = '"';
		return (p);
	case TBUF_STRING:
	case TBUF_TEXT:
	case TBUF_BINARY:
		return (put_data(out, v));
	default:
		return (put_unsigned(p, v->u));
	}
}

/* ,"cut":[names of arguments that strsize cut] */
static void
put_cut(struct output *out, const struct tbuf_record *r)
{
	const char *name;
	bool any = false;
	unsigned i;
	char *p;

	for (i = 0; i < r->nargs; i++) {
		if (!r->args[i].cut)
			continue;
		name = r->probe->argnames[i];
		p = output_room(out, ESCAPED * strlen(name) + 16);
		p = any ? put_literal(p, ",") : put_literal(p, ",\"cut\":[");
		output_taken(out, put_string(p, name));
		any = true;
	}
	if (any) {
		p = output_room(out, 1);
		output_taken(out, put_literal(p, "]"));
	}
}

static bool
wants_wall(const struct options *o)
{
	unsigned i;

	for (i = 0; i < o->nwith; i++)
		if (o->with[i] == WITH_WALL)
			return (true);
	return (false);
}

static char *
put_row(struct format *f, char *p, const struct tbuf_record *r,
    const struct prepared *prepared)
{

	p = put_literal(p, "{\"type\":\"record\",\"cpu\":");
	p = put_signed(p, r->cpu);
	p = put_bytes(p, prepared->text, prepared->head);
	p = put_signed(p, r->pid);
	p = put_unsigned(put_literal(p, ",\"tid\":"), r->tid);
	p = put_unsigned(put_literal(p, ",\"time\":"), r->time);
	if (wants_wall(f->options))
		p = put_unsigned(put_literal(p, ",\"wall\":"), r->wall);
	return (put_bytes(p, prepared->text + prepared->head,
	    prepared->tail));
}

static void
record(struct format *f, const struct tbuf_record *r,
    const struct prepared *prepared)
{
	const char *name = prepared->text + prepared->head + prepared->tail;
	struct output *out = f->out;
	bool cut = false;
	unsigned i;
	char *p;

	p = output_room(out, prepared->head + prepared->tail +
	    8 * OUTPUT_NUMBER);
	output_taken(out, put_row(f, p, r, prepared));
	for (i = 0; i < r->nargs; i++) {
		p = output_room(out, prepared->args[i]);
		p = put_bytes(p, name, prepared->args[i]);
		output_taken(out, p);
		output_taken(out, put_value(out, &r->args[i]));
		name += prepared->args[i];
		cut |= r->args[i].cut;
	}
	p = output_room(out, 3);
	output_taken(out, put_literal(p, "}"));
	if (cut)
		put_cut(out, r);
	p = output_room(out, 3);
	output_taken(out, put_literal(p, "}\n"));
}

static void
losses(struct format *f, const struct loss *loss, size_t n)
{
	static const char *const causes[] = {
		[TBUF_CAUSE_FULL] = "full",
		[TBUF_CAUSE_LARGE] = "large",
		[TBUF_CAUSE_NOLANE] = "nolane"
	};
	unsigned i;

	for (; n > 0; n--, loss++) {
		for (i = 0; i < 3; i++)
			if (loss->drops[i] > 0)
				output_printf(f->out, "{\"type\":\"drops\","
				    "\"pid\":%jd,\"cpu\":%d,\"cause\":\"%s\","
				    "\"count\":%" PRIu64 "}\n",
				    (intmax_t)loss->pid, loss->cpu, causes[i],
				    loss->drops[i]);
		if (loss->overwritten > 0)
			output_printf(f->out, "{\"type\":\"overwritten\","
			    "\"pid\":%jd,\"cpu\":%d,\"count\":%" PRIu64 "}\n",
			    (intmax_t)loss->pid, loss->cpu, loss->overwritten);
	}
}

/* What is not known, or does not apply, is null. */
static void
exited(struct format *f, const struct tbuf_event *e)
{
	char status[OUTPUT_NUMBER] = "null", number[OUTPUT_NUMBER] = "null";

	if (e->child && e->signal != 0)
		*put_signed(number, e->signal) = '\0';
	else if (e->child)
		*put_signed(status, e->status) = '\0';
	output_printf(f->out, "{\"type\":\"exit\",\"pid\":%jd,\"status\":%s,"
	    "\"signal\":%s}\n", (intmax_t)e->pid, status, number);
}

static void
total(struct format *f, const struct tbuf_totals *t)
{

	output_printf(f->out, "{\"type\":\"total\",\"records\":%" PRIu64
	    ",\"overwritten\":%" PRIu64 ",\"drops\":%" PRIu64 "}\n",
	    t->records, t->overwritten, t->drops);
}

const struct format_ops format_json = {
	.prepare = prepare,
	.record = record,
	.losses = losses,
	.exited = exited,
	.total = total
};
