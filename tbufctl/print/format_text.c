/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Text: DTrace's row, then name=value for each argument; losses, ends of
 * processes and the total on standard error.  Lists and the status are tables.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aggregation.h"
#include "base/dtrace_providers.h"
#include "base/messages.h"
#include "base/signals.h"
#include "base/write_number.h"
#include "format.h"
#include "value.h"

static const struct value_style style = {
	.null = "NULL", .byte = "\\x", .quote = "", .cut = "..."
};

/* Writes a name with escapes, as names come from other processes, too. */
static char *
put_name(char *p, const char *name)
{
	return (value_escape(p, name, strlen(name), &style));
}

/* Writes the CPU, or - for a record of a thread lane, where it is unknown. */
static char *
put_cpu(char *p, int cpu)
{
	if (cpu >= 0)
		return (put_padded(p, cpu, 3));
	memcpy(p, "  -", 3);
	return (p + 3);
}

/* Writes "CPU ID FUNCTION:NAME", the last right-aligned in 32 columns. */
static char *
put_head(char *p, int cpu, const struct tbuf_probe_info *probe)
{
	char *point, *end;
	size_t width;

	p = put_cpu(p, cpu);
	*p++ = ' ';
	p = put_padded(p, probe->id, 6);
	*p++ = ' ';
	/* The name is written after its columns, then moved to its place. */
	point = p + 32;
	end = put_name(point, probe->function);
	*end++ = ':';
	end = put_name(end, probe->name);
	for (width = end - point; width < 32; width++)
		*p++ = ' ';
	memmove(p, point, end - point);
	return (p + (end - point));
}

/* Prepares FUNCTION:NAME of -F, which omits NAME at an entry or return. */
static char *
put_flow_name(char *p, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	char *end;

	prepared->function = p;
	end = put_name(p, probe->function);
	prepared->function_size = end - p;
	*end++ = ':';
	end = put_name(end, probe->name);
	prepared->both_size = end - p;
	prepared->flow = flow_kind(probe->name);
	prepared->call = strcmp(probe->provider, "syscall") == 0;
	return (end);
}

/* Returns true if rows have no columns: a quiet line begins with no blank. */
static bool
is_bare(const struct format *f)
{
	return (f->quiet && !f->indent && !f->options->log);
}

/* Prepares " name=" before each argument. */
static char *
put_parts(const struct format *f, char *p, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	bool first = is_bare(f) && f->options->nwith == 0;
	unsigned i;

	for (i = 0; i < probe->nargs; i++, first = false) {
		prepared->part[i] = p;
		if (!first)
			*p++ = ' ';
		p = put_name(p, probe->argnames[i]);
		*p++ = '=';
		prepared->part_size[i] = p - prepared->part[i];
	}
	return (p);
}

/*
 * Returns true if the arguments of a function are words whose meaning is not
 * known: the functions' names are clearer without them.
 */
static bool
has_words_only(const struct tbuf_probe_info *probe)
{
	char name[16];
	unsigned i;

	for (i = 0; i < probe->nargs; i++) {
		(void)snprintf(name, sizeof(name), "arg%u", i);
		if (strcmp(probe->argnames[i], name) != 0)
			return (false);
	}
	return (missing_is_pid(probe->provider));
}

static void
prepare(struct format *f, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	size_t names, size, i;
	char *p;

	names = VALUE_ESCAPED * (strlen(probe->function) +
	    strlen(probe->name)) + 1;
	size = 2 * names + OUTPUT_SLACK;
	for (i = 0; i < probe->nargs; i++)
		size += VALUE_ESCAPED * strlen(probe->argnames[i]) + 2;
	prepared->most = size + FORMAT_NUMBERS + VALUE_ESCAPED *
	    (strlen(probe->provider) + strlen(probe->module));
	prepared->words = f->indent && has_words_only(probe);
	/* The prefix is last: it may become longer. */
	p = prepared->text = memory_get(NULL, 1, 2 * size +
	    3 * OUTPUT_NUMBER);
	p = put_flow_name(p, probe, prepared);
	prepared->prefix = put_parts(f, p, probe, prepared);
	prepared->cpu = FORMAT_NO_CPU;
}

/* Writes the CPU, or - where it is unknown. */
static char *
put_known_cpu(char *p, int cpu)
{
	return (cpu >= 0 ? put_signed(p, cpu) : put_literal(p, "-"));
}

static char *
put_names(char *p, const struct tbuf_probe_info *probe)
{
	p = put_name(p, probe->provider);
	*p++ = ':';
	p = put_name(p, probe->module);
	*p++ = ':';
	p = put_name(p, probe->function);
	*p++ = ':';
	return (put_name(p, probe->name));
}

/* Writes the beginning of a line of --format=log, as `tbuf bt` has it. */
static char *
put_log(struct format *f, char *p, const struct tbuf_record *r)
{
	p = with_date(&f->with, p, r->wall);
	p = put_known_cpu(put_literal(p, " cpu "), r->cpu);
	p = put_unsigned(put_literal(p, " tid "), r->tid);
	*p++ = ' ';
	return (put_names(p, r->probe));
}

static char *
put_with(struct format *f, char *p, enum with with,
    const struct tbuf_record *r)
{
	p = put_bytes(p, with_names[with], strlen(with_names[with]));
	*p++ = '=';
	switch (with) {
	case WITH_TIME:
		return (put_near(p, r->time, &f->times));
	case WITH_WALL:
		return (put_near(p, r->wall, &f->walls));
	case WITH_DATE:
		return (with_date(&f->with, p, r->wall));
	case WITH_DELTA:
		return (put_signed(p, f->with.delta));
	case WITH_ELAPSED:
		return (put_signed(p, f->with.elapsed));
	case WITH_PID:
		return (put_signed(p, r->pid));
	case WITH_TID:
		return (put_unsigned(p, r->tid));
	case WITH_CPU:
		return (put_known_cpu(p, r->cpu));
	case WITH_NAME:
		return (put_names(p, r->probe));
	default:
		return (put_name(p, r->execname));
	}
}

/* Columns after the CPU, with -F. */
#define FLOW_WIDTH	41

/*
 * Writes the columns of -F as DTrace does: " -> function" and " <- function"
 * change the depth, "| function:name" does not; and the time from an entry to
 * its return.
 */
static char *
put_flow(struct format *f, char *p, const struct tbuf_record *r,
    const struct prepared *prepared)
{
	static const char arrows[][2][5] = {
		[FLOW_ENTRY] = { " -> ", " => " },
		[FLOW_RETURN] = { " <- ", " <= " }
	};
	struct flow_place place = flow_step(&f->flow, r, prepared->flow);
	unsigned indent = 2 * place.depth;
	char *begin;

	p = output_more(f->out, p, indent + FLOW_WIDTH + prepared->most);
	begin = p;
	memset(p, ' ', indent);
	p += indent;
	if (place.kind == FLOW_NONE) {
		p = put_literal(p, "| ");
		p = put_bytes(p, prepared->function, prepared->both_size);
	} else {
		p = put_bytes(p, arrows[place.kind][prepared->call], 4);
		p = put_bytes(p, prepared->function, prepared->function_size);
		if (place.timed)
			p = put_duration(put_literal(p, " "), place.took);
	}
	while (p < begin + FLOW_WIDTH)
		*p++ = ' ';
	return (p);
}

#define NS_SECOND	UINT64_C(1000000000)

/* Writes an age with its unit and, of seconds, with tenths. */
static char *
put_age(char *p, uint64_t ns)
{
	if (ns < 1000)
		return (put_literal(put_unsigned(p, ns), "ns"));
	if (ns < 1000000)
		return (put_literal(put_unsigned(p, ns / 1000), "us"));
	if (ns < NS_SECOND)
		return (put_literal(put_unsigned(p, ns / 1000000), "ms"));
	p = put_literal(put_unsigned(p, ns / NS_SECOND), ".");
	return (put_literal(put_unsigned(p, ns % NS_SECOND / (NS_SECOND / 10)),
	    "s"));
}

/*
 * Writes "unit=request:7 outcome=5 ns=1200", without ns if it is not known when
 * the unit ended, or "unfinished" or "hung 30.2s" for one that has not.
 */
static char *
put_unit(char *p, const struct tbuf_unit_info *unit)
{
	p = put_name(put_literal(p, "unit="), unit->kind);
	*p++ = ':';
	p = put_unsigned(p, unit->id);
	if (unit->hung != 0)
		return (put_age(put_literal(p, " hung "), unit->hung));
	if (!unit->ended)
		return (put_literal(p, " unfinished"));
	p = put_signed(put_literal(p, " outcome="), unit->outcome);
	return (unit->end == 0 ? p : put_unsigned(put_literal(p, " ns="),
	    format_unit_ns(unit)));
}

/* Writes the fields of --with, and the work unit of the record. */
static char *
put_withs(struct format *f, char *p, const struct tbuf_record *r)
{
	const struct options *o = f->options;
	unsigned i;

	for (i = 0; i < o->nwith; i++) {
		if (i > 0 || !is_bare(f))
			*p++ = ' ';
		p = put_with(f, p, o->with[i], r);
	}
	if (r->unit != NULL) {
		if (i > 0 || !is_bare(f))
			*p++ = ' ';
		p = put_unit(p, r->unit);
	}
	return (p);
}

static void
put_heading(struct format *f)
{
	f->started = true;
	if (f->options->log)
		return;
	if (f->indent)
		output_printf(f->out, "%3s %-*s\n", "CPU", FLOW_WIDTH,
		    "FUNCTION");
	else if (!f->quiet)
		output_printf(f->out, "%3s %6s %32s\n", "CPU", "ID",
		    "FUNCTION:NAME");
	/* Each line that follows in the buffer is a record's. */
	if (f->out->fd != -1)
		output_flush(f->out);
}

/*
 * Prepares the beginning of a probe's records on one CPU: the columns of a row
 * or of -F, none if quiet or in a log.  The text before the first argument is
 * copied to its end, as the argument follows in most rows.
 */
static void
set_prefix(struct format *f, const struct tbuf_probe_info *probe, int cpu,
    struct prepared *prepared)
{
	char *p = prepared->prefix;

	if (!f->started)
		put_heading(f);
	prepared->cpu = cpu;
	if (f->indent && !f->options->log) {
		p = put_cpu(p, cpu);
		*p++ = ' ';
	} else if (!f->quiet && !f->options->log)
		p = put_head(p, cpu, probe);
	prepared->prefix_size = p - prepared->prefix;
	if (probe->nargs > 0 && !prepared->words)
		put_run(p, prepared->part[0], prepared->part_size[0]);
}

/* Returns true if a row has more than its prefix before its arguments. */
static inline bool
more_wanted(const struct format *f, const struct tbuf_record *r)
{
	return (f->indent || f->more || r->unit != NULL);
}

static char *
put_more(struct format *f, char *p, const struct tbuf_record *r,
    const struct prepared *prepared)
{
	if (f->options->log)
		p = put_log(f, p, r);
	else if (f->indent)
		p = put_flow(f, p, r, prepared);
	return (put_withs(f, p, r));
}

/*
 * Begins a row with its prefix.  Returns the prefix's end, with room for the
 * arguments.
 */
static inline char *
row_begin(struct format *f, const struct tbuf_record *r,
    struct prepared *prepared)
{
	char *p;

	if (prepared->cpu != r->cpu)
		set_prefix(f, r->probe, r->cpu, prepared);
	p = output_room(f->out, prepared->most);
	(void)put_long(p, prepared->prefix, prepared->prefix_size +
	    prepared->part_size[0]);
	return (p + prepared->prefix_size);
}

/* Writes the fields after the prefix and the text before the first argument. */
static char *
put_first(struct format *f, char *p, const struct tbuf_record *r,
    const struct prepared *prepared)
{
	p = put_more(f, p, r, prepared);
	if (r->nargs == 0 || prepared->words)
		return (p);
	/* The text has no blank in a quiet line, but needs one after a unit. */
	if (r->unit != NULL && is_bare(f) && f->options->nwith == 0)
		*p++ = ' ';
	return (put_run(p, prepared->part[0], prepared->part_size[0]));
}

static void
record(struct format *f, const struct tbuf_record *r,
    struct prepared *prepared)
{
	char *p = row_begin(f, r, prepared);
	unsigned i = 0;

	if (more_wanted(f, r))
		p = put_first(f, p, r, prepared);
	else if (r->nargs > 0)
		p += prepared->part_size[0];
	if (!prepared->words)
		while (i < r->nargs) {
			p = value_put(f->out, p, &r->args[i], &style,
			    prepared->most);
			if (++i < r->nargs)
				p = put_run(p, prepared->part[i],
				    prepared->part_size[i]);
		}
	*p++ = '\n';
	output_taken(f->out, p);
}

/*
 * Prints the row of a clause's record.  The prefix is made again each time, as
 * setopt() may have changed the columns.
 */
static void
row(struct format *f, const struct tbuf_record *r)
{
	struct prepared *prepared = format_prepared(f, r->probe);
	char *p;

	set_prefix(f, r->probe, r->cpu, prepared);
	p = row_begin(f, r, prepared);
	if (more_wanted(f, r))
		p = put_more(f, p, r, prepared);
	if (!is_bare(f) || f->options->nwith > 0 || r->unit != NULL)
		*p++ = ' ';
	output_taken(f->out, p);
}

/*
 * Prints a hung unit in a line of its own, before its records.  Output that is
 * not made of records has a message instead.
 */
static void
hung(struct format *f, const struct tbuf_event *e)
{
	const struct tbuf_unit_info *unit = e->record.unit;
	const struct options *o = f->options;
	char age[32], *p;

	*put_age(age, unit->hung) = '\0';
	if (f->script || o->folded || o->prometheus || o->view != VIEW_NONE) {
		message(MSG_HUNG, unit->kind, unit->id, (intmax_t)e->pid, age);
		return;
	}
	if (!f->started)
		put_heading(f);
	p = output_room(f->out, 512);
	if (o->log) {
		p = with_date(&f->with, p, e->record.wall);
		*p++ = ' ';
	}
	p = put_signed(put_literal(put_unit(p, unit), " pid="), e->pid);
	p = put_unsigned(put_literal(p, " records="), e->count);
	*p++ = '\n';
	output_taken(f->out, p);
}

static void
counted(struct format *f, const struct tbuf_event *e)
{
	bool tags = f->options->tags;

	if (e->type == TBUF_EVENT_HUNG)
		hung(f, e);
	else if (e->type == TBUF_EVENT_AGGREGATION)
		message(MSG_AGGREGATION, tags ? MSG_AGGREGATION_TAG : "",
		    e->count, PLURAL(e->count), e->cpu);
	else if (e->type == TBUF_EVENT_DYNAMIC)
		message(MSG_DYNAMIC, tags ? MSG_DYNAMIC_TAG : "", e->count,
		    PLURAL(e->count));
	else if (e->type == TBUF_EVENT_SPECULATIVE)
		message(MSG_SPECULATIVE, tags ? MSG_SPECULATIVE_TAG : "",
		    e->count, PLURAL(e->count));
	else if (e->type == TBUF_EVENT_BUSY)
		message(MSG_BUSY, tags ? MSG_BUSY_TAG : "", e->count,
		    PLURAL(e->count));
	else if (e->type == TBUF_EVENT_UNIT_DROPS)
		message(MSG_UNIT_DROPS, e->count, PLURAL(e->count),
		    (intmax_t)e->pid);
	else if (e->type == TBUF_EVENT_UNIT_OVERWRITTEN)
		message(MSG_UNIT_OVERWRITTEN, e->count, PLURAL(e->count),
		    (intmax_t)e->pid);
	else if (e->type == TBUF_EVENT_UNITS)
		message(MSG_UNITS_WITHOUT, e->count, PLURAL(e->count),
		    (intmax_t)e->pid);
	else if (e->type == TBUF_EVENT_TIMERS)
		message(MSG_TIMERS, e->count, PLURAL(e->count));
	else if (e->type == TBUF_EVENT_SNAPSHOTS)
		message(MSG_SNAPSHOTS, e->count, PLURAL(e->count));
	else if (e->type == TBUF_EVENT_UNAVAILABLE)
		message(MSG_UNAVAILABLE, tags ? MSG_UNAVAILABLE_TAG : "",
		    e->count, PLURAL(e->count));
	else
		message(MSG_ERRORS, tags ? MSG_ERRORS_TAG : "", e->count,
		    PLURAL(e->count));
}

/* Reports drops; with -x droptags each cause has a line of its own. */
static void
drops_report(const struct format *f, const uint64_t causes[3],
    const char *where)
{
	static const char *const tags[] = {
		[TBUF_CAUSE_FULL] = MSG_DROPS_TAG,
		[TBUF_CAUSE_LARGE] = MSG_DROPS_LARGE,
		[TBUF_CAUSE_NOLANE] = MSG_DROPS_NOLANE
	};
	uint64_t all = causes[0] + causes[1] + causes[2];
	unsigned i;

	if (!f->options->tags && all > 0)
		message(MSG_DROPS, "", all, PLURAL(all), where);
	for (i = 0; f->options->tags && i < 3; i++)
		if (causes[i] > 0)
			message(MSG_DROPS, tags[i], causes[i],
			    PLURAL(causes[i]), where);
}

static void
losses(struct format *f, const struct loss *loss, size_t n)
{
	uint64_t drops[3] = { 0 }, overwritten = 0, damage = 0;
	unsigned i;
	char where[32];

	if (loss->cpu < 0)
		(void)snprintf(where, sizeof(where), "%s", MSG_OF_THREAD);
	else
		(void)snprintf(where, sizeof(where), MSG_ON_CPU, loss->cpu);
	for (; n > 0; n--, loss++) {
		for (i = 0; i < 3; i++)
			drops[i] += loss->drops[i].count;
		overwritten += loss->overwritten.count;
		damage += loss->damage.count;
	}
	drops_report(f, drops, where);
	if (overwritten > 0)
		message(MSG_OVERWRITTEN, overwritten, PLURAL(overwritten),
		    where);
	if (damage > 0)
		message(MSG_DAMAGE, damage, PLURAL(damage), where);
}

/*
 * Reports the end of a process.  As in DTrace, status 0 and an unknown status
 * have the same message.
 */
static void
exited(struct format *f, const struct tbuf_event *e)
{
	char name[32];

	if (e->signal != 0)
		message(MSG_KILLED, (intmax_t)e->pid,
		    signal_name(e->signal, name, sizeof(name)));
	else if (f->quiet)
		return;
	else if (e->status > 0)
		message(MSG_EXITED, (intmax_t)e->pid, e->status);
	else
		message(MSG_GONE, (intmax_t)e->pid);
}

static void
snapshot(struct format *f, uint64_t records)
{
	(void)f;
	message(MSG_SNAPSHOT, records, PLURAL(records));
}

static void
total(struct format *f, const struct tbuf_totals *t)
{
	if (t->discarded > 0)
		message(MSG_DISCARDED, t->discarded, PLURAL(t->discarded));
	if (f->script && !f->options->folded)
		output_printf(f->out, "\n");
	else if (!f->script)
		message(MSG_TOTAL, t->records, t->overwritten,
		    t->drops);
	aggregation_rest(f);
}

/* ------------------------------------------------------------------ lists */

/* Prints a name, right-aligned in `width` columns, and the character `end`. */
static void
print_name(struct output *out, int width, const char *name, char end)
{
	char *p = output_room(out, VALUE_ESCAPED * strlen(name) + 64);
	char *to = put_name(p + 40, name);
	int n = to - (p + 40);

	for (; n < width; width--)
		*p++ = ' ';
	memmove(p, to - n, n);
	p[n] = end;
	output_taken(out, p + n + 1);
}

/* Prints the heading of -l, with DTrace's columns. */
static void
list(struct format *f)
{
	if (f->pids)
		output_printf(f->out, "%7s ", "PID");
	output_printf(f->out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER",
	    "MODULE", "FUNCTION", "NAME");
}

static void
probe(struct format *f, pid_t pid, const struct tbuf_probe_info *probe)
{
	unsigned i;

	if (f->pids)
		output_printf(f->out, "%7jd ", (intmax_t)pid);
	output_printf(f->out, "%5u ", probe->id);
	print_name(f->out, 10, probe->provider, ' ');
	print_name(f->out, 17, probe->module, ' ');
	print_name(f->out, 33, probe->function, ' ');
	print_name(f->out, 0, probe->name, '\n');
	if (f->options->verbose && probe->code != 0)
		output_printf(f->out, "\tcode 0x%x\n", probe->code);
	for (i = 0; f->options->verbose && i < probe->nargs; i++) {
		output_printf(f->out, "\t");
		print_name(f->out, 0, probe->argnames[i], ' ');
		output_printf(f->out, "%s\n", format_type(probe->types[i]));
	}
}

/* ----------------------------------------------------------------- status */

/*
 * Writes n in at most `width` columns, which are 4 or more.  A number that does
 * not fit is rounded down and has a suffix, each a `factor` (1000 or 1024)
 * times the one before.  Returns text.
 */
static const char *
fit(char *text, unsigned width, uint64_t n, unsigned factor)
{
	const char *unit = "kmgtpe";
	uint64_t rest = 0;
	unsigned digits = put_unsigned(text, n) - text;

	if (digits <= width) {
		text[digits] = '\0';
		return (text);
	}
	for (;; unit++) {
		rest = n % factor;
		n /= factor;
		digits = put_unsigned(text, n) - text;
		if (digits < width)
			break;
	}
	if (digits == 1 && rest > 0)
		(void)snprintf(text, OUTPUT_NUMBER, "%u.%u%c", (unsigned)n,
		    (unsigned)(rest * 10 / factor), *unit);
	else
		(void)snprintf(text, OUTPUT_NUMBER, "%u%c", (unsigned)n,
		    *unit);
	return (text);
}

/* Columns of --stat, 80 in all.  On a screen each line replaces the old one. */
#define STATUS	"%s%7s %-13s %-6s %4s %3s %4s %7s %11s %4s %5s %6s\n"

static const char *
line_start(const struct format *f)
{
	return (f->screen ? "\033[K" : "");
}

static void
status(struct format *f)
{
	output_printf(f->out, STATUS, line_start(f), "PID", "CONSUMER",
	    "POLICY", "SIZE", "CPU", "FILL", "RECORDS", "OVERWRITTEN", "FULL",
	    "LARGE", "NOLANE");
}

/* Makes one word of a text of another process, which may be any text. */
static void
make_word(char *text)
{
	for (; *text != '\0'; text++)
		if (!isgraph((unsigned char)*text))
			*text = '_';
}

/* Writes a number of records; there are more if not all of them count. */
static const char *
records(char *text, const struct tbuf_lane_status *s)
{
	char *p = text;

	if (s->uncounted != 0)
		*p++ = '>';
	(void)fit(p, 7 - (unsigned)(p - text), s->records, 1000);
	return (text);
}

static void
lane(struct format *f, const struct tbuf_lane_status *s)
{
	char consumer[13 + 1], pid[OUTPUT_NUMBER], cpu[16];
	char numbers[7][OUTPUT_NUMBER + 1];

	(void)snprintf(consumer, sizeof(consumer), "%jd/%s",
	    (intmax_t)s->consumer, s->consumer_name);
	make_word(consumer);
	*put_signed(pid, s->pid) = '\0';
	/* A CPU may have several lock lanes; a thread lane has no CPU. */
	if (s->locked)
		(void)snprintf(cpu, sizeof(cpu), "L%u", s->number);
	else if (s->side)
		(void)snprintf(cpu, sizeof(cpu), "T%u", s->number);
	else
		(void)snprintf(cpu, sizeof(cpu), "%d", s->cpu);
	output_printf(f->out, STATUS, line_start(f), pid, consumer,
	    format_policy(s->policy), fit(numbers[0], 4, s->size, 1024), cpu,
	    fit(numbers[1], 4, s->fill, 1024),
	    records(numbers[2], s),
	    fit(numbers[3], 11, s->overwritten, 1000),
	    fit(numbers[4], 4, s->drops[TBUF_CAUSE_FULL], 1000),
	    fit(numbers[5], 5, s->drops[TBUF_CAUSE_LARGE], 1000),
	    fit(numbers[6], 6, s->drops[TBUF_CAUSE_NOLANE], 1000));
}

const char *
format_size(char *text, uint64_t bytes)
{
	return (fit(text, 4, bytes, 1024));
}

/* ---------------------------------------------------------------- orphans */

#define ORPHAN	"%7s %-7s %-19s %4s %-15s %s\n"

static void
orphans(struct format *f)
{
	output_printf(f->out, ORPHAN, "PID", "ENDED", "LAST", "SIZE", "PROGRAM",
	    "FILE");
}

/* Prints an orphaned file; its time is local, as date(1) shows it. */
static void
orphan(struct format *f, const struct tbuf_left *l)
{
	char pid[OUTPUT_NUMBER], when[32] = "-", size[OUTPUT_NUMBER];
	char room[OUTPUT_NUMBER];
	const char *end = format_orphan_end(l, room, sizeof(room));
	time_t seconds = (time_t)(l->wall / 1000000000);
	char program[64];
	struct tm tm;

	*put_signed(pid, l->pid) = '\0';
	if (localtime_r(&seconds, &tm) != NULL)
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	(void)snprintf(program, sizeof(program), "%s", l->program);
	make_word(program);
	output_printf(f->out, ORPHAN, pid, end == NULL ? "-" : end, when,
	    fit(size, 4, l->bytes, 1024), program, l->name);
}

const struct format_ops format_text = {
	.prepare = prepare,
	.record = record,
	.row = row,
	.count = counted,
	.losses = losses,
	.exited = exited,
	.snapshot = snapshot,
	.total = total,
	.list = list,
	.probe = probe,
	.status = status,
	.lane = lane,
	.orphans = orphans,
	.orphan = orphan
};
