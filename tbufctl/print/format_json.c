/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON: one object on a line, everything on standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "address.h"
#include "aggregation.h"
#include "base/messages.h"
#include "base/write_number.h"
#include "format.h"
#include "value.h"

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

/* Prepares the beginning of a record, up to its time. */
static void
set_prefix(const struct tbuf_record *r, struct prepared *prepared)
{
	char *p = prepared->prefix;

	prepared->cpu = r->cpu;
	prepared->pid = r->pid;
	prepared->tid = r->tid;
	(void)snprintf(prepared->execname, sizeof(prepared->execname), "%s",
	    r->execname);
	p = put_literal(p, "{\"type\":\"record\",\"cpu\":");
	p = put_signed(p, r->cpu);
	p = put_unsigned(put_literal(p, ",\"id\":"), r->probe->id);
	p = put_signed(put_literal(p, ",\"pid\":"), r->pid);
	p = put_unsigned(put_literal(p, ",\"tid\":"), r->tid);
	p = put_string(put_literal(p, ",\"execname\":"), prepared->execname);
	p = put_literal(p, ",\"time\":");
	prepared->prefix_size = p - prepared->prefix;
}

/*
 * Prepares the texts before arguments.  The names of the probe and of the first
 * argument are one part; without arguments this part is all text before the
 * closing brace.
 */
static char *
put_parts(char *p, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	unsigned i = 0;

	prepared->part[0] = p;
	p = put_string(put_literal(p, ",\"provider\":"), probe->provider);
	p = put_string(put_literal(p, ",\"module\":"), probe->module);
	p = put_string(put_literal(p, ",\"function\":"), probe->function);
	p = put_string(put_literal(p, ",\"name\":"), probe->name);
	p = put_literal(p, ",\"args\":{");
	prepared->args_size = p - prepared->part[0];
	do {
		if (i > 0) {
			prepared->part[i] = p;
			*p++ = ',';
		}
		if (i < probe->nargs) {
			p = put_string(p, probe->argnames[i]);
			*p++ = ':';
		}
		prepared->part_size[i] = p - prepared->part[i];
	} while (++i < probe->nargs);
	return (p);
}

static void
prepare(struct format *f, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	size_t size = 128 + OUTPUT_SLACK, i;

	(void)f;
	size += VALUE_ESCAPED * (strlen(probe->provider) +
	    strlen(probe->module) + strlen(probe->function) +
	    strlen(probe->name));
	for (i = 0; i < probe->nargs; i++)
		size += VALUE_ESCAPED * strlen(probe->argnames[i]) + 4;
	prepared->most = size + FORMAT_NUMBERS;
	prepared->text = memory_get(NULL, 1, size + 8 * OUTPUT_NUMBER +
	    FORMAT_EXECNAME);
	prepared->prefix = put_parts(prepared->text, probe, prepared);
	prepared->prefix_size = 0;
}

/* Writes ,"cut":[...] with the names of the arguments that strsize cut. */
static char *
put_cut(struct output *out, char *p, const struct tbuf_record *r)
{
	const char *before = ",\"cut\":[", *name;
	unsigned i;

	for (i = 0; i < r->nargs; i++) {
		if (!r->args[i].cut)
			continue;
		name = r->probe->argnames[i];
		p = output_more(out, p, VALUE_ESCAPED * strlen(name) + 16);
		p = put_string(put_bytes(p, before, strlen(before)), name);
		before = ",";
	}
	*p++ = ']';
	return (p);
}

/* Writes the fields of --with that not every record has. */
static char *
put_withs(struct format *f, char *p, const struct tbuf_record *r)
{
	const struct options *o = f->options;
	unsigned i;

	for (i = 0; i < o->nwith; i++) {
		if (o->with[i] == WITH_WALL)
			p = put_near(put_literal(p, ",\"wall\":"), r->wall,
			    &f->walls);
		else if (o->with[i] == WITH_DATE) {
			p = with_date(&f->with, put_literal(p, ",\"date\":\""),
			    r->wall);
			*p++ = '"';
		} else if (o->with[i] == WITH_DELTA)
			p = put_signed(put_literal(p, ",\"delta\":"),
			    f->with.delta);
		else if (o->with[i] == WITH_ELAPSED)
			p = put_signed(put_literal(p, ",\"elapsed\":"),
			    f->with.elapsed);
	}
	return (p);
}

/*
 * Writes the work unit; one without an outcome has not ended, hung or not, and
 * it is not known when one without ns did.
 */
static char *
put_unit(char *p, const struct tbuf_unit_info *unit)
{
	p = put_string(put_literal(p, ",\"unit\":{\"kind\":"), unit->kind);
	p = put_unsigned(put_literal(p, ",\"id\":"), unit->id);
	if (unit->ended)
		p = put_signed(put_literal(p, ",\"outcome\":"),
		    unit->outcome);
	if (unit->ended && unit->end != 0)
		p = put_unsigned(put_literal(p, ",\"ns\":"),
		    format_unit_ns(unit));
	if (unit->hung != 0)
		p = put_unsigned(put_literal(p, ",\"hung\":"), unit->hung);
	*p++ = '}';
	return (p);
}

/*
 * Begins a record, up to its work unit.  Returns the end, with room for the
 * prepared parts.
 */
static inline char *
put_begin(struct format *f, const struct tbuf_record *r,
    struct prepared *prepared)
{
	char *p;

	if (prepared->cpu != r->cpu || prepared->tid != r->tid ||
	    prepared->pid != r->pid || prepared->prefix_size == 0 ||
	    strcmp(prepared->execname, r->execname) != 0)
		set_prefix(r, prepared);
	p = output_room(f->out, prepared->most);
	p = put_long(p, prepared->prefix, prepared->prefix_size);
	p = put_near(p, r->time, &f->times);
	if (f->options->nwith > 0)
		p = put_withs(f, p, r);
	if (r->unit != NULL)
		p = put_unit(p, r->unit);
	return (p);
}

static void
record(struct format *f, const struct tbuf_record *r,
    struct prepared *prepared)
{
	struct output *out = f->out;
	bool cut = false;
	unsigned i = 0;
	char *p = put_begin(f, r, prepared);

	p = put_long(p, prepared->part[0], prepared->part_size[0]);
	while (i < r->nargs) {
		p = value_put(out, p, &r->args[i], &style, prepared->most);
		cut |= r->args[i].cut;
		if (++i < r->nargs)
			p = put_run(p, prepared->part[i],
			    prepared->part_size[i]);
	}
	*p++ = '}';
	if (cut)
		p = put_cut(out, p, r);
	output_taken(out, put_literal(p, "}\n"));
}

static void
put_quoted(struct output *out, const char *text, size_t size)
{
	char *p = output_room(out, VALUE_ESCAPED * size + 8);

	*p++ = '"';
	p = value_escape(p, text, size, &style);
	*p++ = '"';
	output_taken(out, p);
}

/* Writes `before` and "NAME":"TEXT", with room for both. */
static void
put_member(struct output *out, const char *before, const char *name,
    const char *text)
{
	size_t n = strlen(name), m = strlen(before);
	char *p = output_room(out, m + n + VALUE_ESCAPED * strlen(text) + 8);

	p = put_literal(put_bytes(p, before, m), "\"");
	p = put_literal(put_bytes(p, name, n), "\":");
	output_taken(out, put_string(p, text));
}

/* Bytes of names that each value with addresses may have; "..." is the rest. */
static size_t
names_most(const struct datum *d)
{
	return (1024 + 64 * (size_t)(d->length != 0 ? d->length : d->size));
}

static void
put_symbol(struct output *out, const struct datum *d, struct output *text)
{
	size_t most = names_most(d);

	address_put_symbol(text, d);
	if (text->used > most) {
		text->used = most;
		output_printf(text, "...");
	}
	put_quoted(out, text->buffer, text->used);
}

static void
put_stack(struct output *out, const struct datum *d, struct output *text)
{
	const char *before = "";
	size_t most = names_most(d);
	unsigned n;

	output_printf(out, "[");
	for (n = 0; address_put_frame(text, d, n, true); n++) {
		output_printf(out, "%s", before);
		if (text->used > most) {
			output_printf(out, "\"...\"");
			break;
		}
		most -= text->used;
		put_quoted(out, text->buffer, text->used);
		text->used = 0;
		before = ",";
	}
	output_printf(out, "]");
}

/*
 * Writes an address as a string, a stack as an array of strings, the site
 * first.  Returns false for other values.
 */
static bool
put_address(struct output *out, const struct tbuf_d_piece *piece,
    const struct tbuf_value *value)
{
	struct output text;
	struct datum d;

	datum_get(&d, piece, value);
	if (!address_is_stack(&d) && !address_is_symbol(&d))
		return (false);
	output_memory(&text);
	if (address_is_symbol(&d))
		put_symbol(out, &d, &text);
	else
		put_stack(out, &d, &text);
	free(text.buffer);
	return (true);
}

/* Prints the marked values of a clause's record, which has no arguments. */
static void
values(struct format *f, const struct tbuf_record *r, const bool *is_shown)
{
	struct prepared *prepared = format_prepared(f, r->probe);
	struct output *out = f->out;
	const char *before = "";
	struct tbuf_value v;
	unsigned i;
	char *p = put_begin(f, r, prepared);

	/* The name of the first argument, which ends part[0], is left out. */
	p = put_bytes(p, prepared->part[0], prepared->args_size);
	p = put_literal(p, "},\"values\":[");
	for (i = 0; i < r->npieces; i++) {
		if (!is_shown[i])
			continue;
		p = output_more(out, p, OUTPUT_NUMBER + 8);
		p = put_bytes(p, before, strlen(before));
		before = ",";
		output_taken(out, p);
		if (put_address(out, &r->layout->pieces[i], &r->pieces[i])) {
			p = output_room(out, 8);
			continue;
		}
		value_typed(&v, &r->layout->pieces[i], &r->pieces[i]);
		p = output_room(out, OUTPUT_NUMBER + 8);
		p = value_put(out, p, &v, &style, 8);
	}
	output_taken(out, put_literal(p, "]}\n"));
}

/* Writes [[low,count],...] for the buckets that have counts. */
static void
put_buckets(struct output *out, const struct tbuf_gathered *g)
{
	const char *before = "";
	unsigned i;

	output_printf(out, "[");
	for (i = 0; i < g->nbuckets; i++) {
		if (g->buckets[i].count == 0)
			continue;
		output_printf(out, "%s[%" PRId64 ",%" PRId64 "]", before,
		    g->buckets[i].low,
		    g->buckets[i].count / (int64_t)g->normal);
		before = ",";
	}
	output_printf(out, "]");
}

static void
put_gathered(struct output *out, const struct tbuf_gathered *g)
{
	if (g->nbuckets != 0)
		put_buckets(out, g);
	else
		output_printf(out, "%" PRId64, g->value);
}

/* Writes ,"cpus":[...] with the values of all CPUs from 0 on. */
static void
put_cpus(struct output *out, const struct tbuf_gathered *g)
{
	unsigned cpu;

	for (cpu = 0; cpu < g->ncpus; cpu++) {
		output_printf(out, cpu == 0 ? ",\"cpus\":[" : ",");
		put_gathered(out, &g->cpus[cpu]);
	}
	if (g->ncpus != 0)
		output_printf(out, "]");
}

void
format_key_put(struct output *out, const struct tbuf_d_piece *piece,
    const struct tbuf_value *key)
{
	struct tbuf_value v;

	if (put_address(out, piece, key))
		return;
	value_typed(&v, piece, key);
	output_taken(out, value_put(out, output_room(out, OUTPUT_NUMBER + 8),
	    &v, &style, 8));
}

static void
tuple(struct format *f, const struct tbuf_tuple *t)
{
	const struct tbuf_gathered *g = &t->values[0];
	struct output *out = f->out;
	unsigned i;

	output_printf(out, "{\"type\":\"aggregation\",\"name\":\"@%s\","
	    "\"keys\":[", g->aggregation->name);
	for (i = 0; i < t->nkeys; i++) {
		if (i > 0)
			output_printf(out, ",");
		format_key_put(out, &g->aggregation->keys[i], &t->keys[i]);
	}
	output_printf(out, "],\"value\":");
	put_gathered(out, g);
	put_cpus(out, g);
	output_printf(out, "}\n");
}

/* Prints the output of printf() and the like. */
static void
text(struct format *f, const struct tbuf_record *r, const char *bytes,
    size_t size)
{
	(void)r;
	output_printf(f->out, "{\"type\":\"output\",\"text\":");
	put_quoted(f->out, bytes, size);
	output_printf(f->out, "}\n");
}

static void
fault(struct format *f, const struct tbuf_event *e, const char *description)
{
	const struct tbuf_probe_info *probe = e->record.probe;
	struct output *out = f->out;

	output_printf(out, "{\"type\":\"error\",\"cpu\":%d,\"epid\":%u,"
	    "\"id\":%u", e->record.cpu, e->record.epid, probe->id);
	put_member(out, ",", "provider", probe->provider);
	put_member(out, ",", "module", probe->module);
	put_member(out, ",", "function", probe->function);
	put_member(out, ",", "name", probe->name);
	put_member(out, ",", "fault", fault_name(e->fault));
	output_printf(out, ",\"address\":%" PRIu64 ",\"action\":%u,"
	    "\"offset\":%u", e->address, e->action, e->offset);
	put_member(out, ",", "text", description);
	output_printf(out, "}\n");
}

/* Returns the type of a loss of work units, or NULL for other events. */
static const char *
unit_loss(enum tbuf_event_type type)
{
	return (type == TBUF_EVENT_UNIT_DROPS ? "unit-drops" :
	    type == TBUF_EVENT_UNIT_OVERWRITTEN ? "unit-overwritten" :
	    type == TBUF_EVENT_UNITS ? "units-without" : NULL);
}

/* Prints a hung unit; its records follow. */
static void
hung(struct format *f, const struct tbuf_event *e)
{
	char *p;

	output_printf(f->out, "{\"type\":\"hung\",\"pid\":%jd,\"time\":%"
	    PRIu64 ",\"wall\":%" PRIu64, (intmax_t)e->pid, e->record.time,
	    e->record.wall);
	p = output_room(f->out, 512);
	output_taken(f->out, put_unit(p, e->record.unit));
	output_printf(f->out, ",\"records\":%" PRIu64 "}\n", e->count);
}

static void
counted(struct format *f, const struct tbuf_event *e)
{
	const char *unit;

	if (e->type == TBUF_EVENT_HUNG) {
		hung(f, e);
		return;
	}
	if (e->type == TBUF_EVENT_AGGREGATION) {
		output_printf(f->out, "{\"type\":\"drops\",\"pid\":%jd,"
		    "\"cpu\":%d,\"cause\":\"aggregation\",\"count\":%"
		    PRIu64 ",\"after\":null,\"before\":null}\n",
		    (intmax_t)e->pid, e->cpu, e->count);
		return;
	}
	if ((unit = unit_loss(e->type)) != NULL) {
		output_printf(f->out, "{\"type\":\"%s\",\"pid\":%jd,"
		    "\"count\":%" PRIu64 "}\n", unit, (intmax_t)e->pid,
		    e->count);
		return;
	}
	output_printf(f->out, "{\"type\":\"%s\",\"count\":%" PRIu64 "}\n",
	    e->type == TBUF_EVENT_DYNAMIC ? "dynamic" :
	    e->type == TBUF_EVENT_SPECULATIVE ? "speculative" :
	    e->type == TBUF_EVENT_BUSY ? "busy" :
	    e->type == TBUF_EVENT_UNAVAILABLE ? "unavailable" :
	    e->type == TBUF_EVENT_TIMERS ? "timers" :
	    e->type == TBUF_EVENT_SNAPSHOTS ? "snapshots-beyond" : "errors",
	    e->count);
}

/* Prints losses, if there are any; only drops have a cause. */
static void
put_loss(struct output *out, const char *type, const char *cause,
    const struct loss *loss, const struct loss_count *n)
{
	char after[OUTPUT_NUMBER] = "null", before[OUTPUT_NUMBER] = "null";

	if (n->count == 0)
		return;
	if (n->after != 0)
		*put_unsigned(after, n->after) = '\0';
	if (n->before != 0)
		*put_unsigned(before, n->before) = '\0';
	output_printf(out, "{\"type\":\"%s\",\"pid\":%jd,\"cpu\":%d,"
	    "%s%s%s\"count\":%" PRIu64 ",\"after\":%s,\"before\":%s}\n",
	    type, (intmax_t)loss->pid, loss->cpu,
	    cause == NULL ? "" : "\"cause\":\"", cause == NULL ? "" : cause,
	    cause == NULL ? "" : "\",", n->count, after, before);
}

static void
losses(struct format *f, const struct loss *loss, size_t n)
{
	unsigned i;

	for (; n > 0; n--, loss++) {
		for (i = 0; i < 3; i++)
			put_loss(f->out, "drops", format_cause(i), loss,
			    &loss->drops[i]);
		put_loss(f->out, "overwritten", NULL, loss,
		    &loss->overwritten);
		put_loss(f->out, "damage", NULL, loss, &loss->damage);
	}
}

/*
 * Reports the end of a process.  A status or signal that is unknown or does not
 * apply is null.
 */
static void
exited(struct format *f, const struct tbuf_event *e)
{
	char status[OUTPUT_NUMBER] = "null", number[OUTPUT_NUMBER] = "null";

	if (e->signal != 0)
		*put_signed(number, e->signal) = '\0';
	else if (e->status >= 0)
		*put_signed(status, e->status) = '\0';
	output_printf(f->out, "{\"type\":\"exit\",\"pid\":%jd,\"status\":%s,"
	    "\"signal\":%s}\n", (intmax_t)e->pid, status, number);
}

static void
snapshot(struct format *f, uint64_t records)
{
	output_printf(f->out, "{\"type\":\"snapshot\",\"records\":%" PRIu64
	    "}\n", records);
	output_flush(f->out);
}

static void
total(struct format *f, const struct tbuf_totals *t)
{
	aggregation_rest(f);
	output_printf(f->out, "{\"type\":\"total\",\"records\":%" PRIu64
	    ",\"overwritten\":%" PRIu64 ",\"drops\":%" PRIu64,
	    t->records, t->overwritten, t->drops);
	if (t->discarded > 0)
		output_printf(f->out, ",\"discarded\":%" PRIu64,
		    t->discarded);
	output_printf(f->out, "}\n");
}

/* Prints no heading: each object has the names of its fields. */
static void
no_heading(struct format *f)
{
	(void)f;
}

static void
probe(struct format *f, pid_t pid, const struct tbuf_probe_info *probe)
{
	struct output *out = f->out;
	unsigned i;

	output_printf(out, "{\"type\":\"probe\",\"pid\":%jd,\"id\":%u",
	    (intmax_t)pid, probe->id);
	put_member(out, ",", "provider", probe->provider);
	put_member(out, ",", "module", probe->module);
	put_member(out, ",", "function", probe->function);
	put_member(out, ",", "name", probe->name);
	if (probe->code != 0)
		output_printf(out, ",\"code\":%u", probe->code);
	output_printf(out, ",\"args\":[");
	for (i = 0; i < probe->nargs; i++) {
		put_member(out, i > 0 ? ",{" : "{", "name",
		    probe->argnames[i]);
		put_member(out, ",", "type", format_type(probe->types[i]));
		output_printf(out, "}");
	}
	output_printf(out, "]}\n");
}

/* Prints a lane.  Lock lanes have numbers, as a CPU can have several. */
static void
lane(struct format *f, const struct tbuf_lane_status *s)
{
	char lock[OUTPUT_NUMBER] = "null", side[OUTPUT_NUMBER] = "null";
	struct output *out = f->out;

	if (s->locked)
		*put_unsigned(lock, s->number) = '\0';
	else if (s->side)
		*put_unsigned(side, s->number) = '\0';
	output_printf(out, "{\"type\":\"lane\",\"time\":%" PRIu64
	    ",\"pid\":%jd,\"consumer\":%jd", f->time, (intmax_t)s->pid,
	    (intmax_t)s->consumer);
	put_member(out, ",", "consumer_name", s->consumer_name);
	put_member(out, ",", "policy", format_policy(s->policy));
	output_printf(out, ",\"cpu\":%d,\"lock\":%s,\"side\":%s,\"size\":%"
	    PRIu64
	    ",\"fill\":%" PRIu64 ",\"records\":%" PRIu64
	    ",\"overwritten\":%" PRIu64 ",\"full\":%" PRIu64
	    ",\"large\":%" PRIu64 ",\"nolane\":%" PRIu64, s->cpu, lock,
	    side, s->size, s->fill, s->records, s->overwritten,
	    s->drops[TBUF_CAUSE_FULL], s->drops[TBUF_CAUSE_LARGE],
	    s->drops[TBUF_CAUSE_NOLANE]);
	if (s->uncounted != 0)
		output_printf(out, ",\"uncounted\":%" PRIu64, s->uncounted);
	output_printf(out, "}\n");
}

static void
orphan(struct format *f, const struct tbuf_left *l)
{
	char room[OUTPUT_NUMBER];
	const char *end = format_orphan_end(l, room, sizeof(room));

	output_printf(f->out, "{\"type\":\"left\",\"pid\":%jd,\"ended\":",
	    (intmax_t)l->pid);
	output_printf(f->out, end == NULL ? "%s" : "\"%s\"",
	    end == NULL ? "null" : end);
	output_printf(f->out, ",\"wall\":%" PRIu64 ",\"bytes\":%" PRIu64,
	    l->wall, l->bytes);
	put_member(f->out, ",", "program", l->program);
	put_member(f->out, ",", "file", l->name);
	output_printf(f->out, "}\n");
}

const struct format_ops format_json = {
	.prepare = prepare,
	.record = record,
	.values = values,
	.output = text,
	.fault = fault,
	.tuple = tuple,
	.count = counted,
	.losses = losses,
	.exited = exited,
	.snapshot = snapshot,
	.total = total,
	.list = no_heading,
	.probe = probe,
	.status = no_heading,
	.lane = lane,
	.orphans = no_heading,
	.orphan = orphan
};
