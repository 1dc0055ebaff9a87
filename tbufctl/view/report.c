/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Collects slices and their arguments for a report.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "print/value.h"
#include "report.h"

/*
 * The bytes that slices.c keeps for a record: a head and a cell for each
 * argument.  Without a title the record is the output of a clause.
 */
struct head {
	uint32_t title;
	uint32_t tid;
	int64_t cpu;
};

struct cell {
	struct report_column column;
	uint64_t value;
};

#define NO_CPU	(-1)

static const struct value_style style = {
	.null = "null", .byte = "\\u00", .controls = true, .quote = "\"",
	.finite = true, .cut = ""
};

/* Returns a list with room for one more element than `count`. */
static void *
grow(void *list, size_t count, size_t size)
{
	/* The room is a power of two. */
	if ((count & (count - 1)) != 0)
		return (list);
	return (memory_get(list, count == 0 ? 1 : 2 * count, size));
}

/* ------------------------------------------------------------ texts */

static uint32_t
add_text(struct report *report, const struct tbuf_value *value)
{
	struct output *token = &report->token;

	token->used = 0;
	output_taken(token, value_put(token, output_room(token,
	    OUTPUT_NUMBER), value, &style, 0));
	return (texts_number(&report->texts, token->buffer, token->used));
}

static uint32_t
report_text(struct report *report, const char *text)
{
	const struct tbuf_value value = {
		.type = TBUF_STRING, .data = text,
		.size = (uint32_t)strlen(text)
	};

	return (add_text(report, &value));
}

/* Returns the text of a probe's four names. */
static uint32_t
title_of(struct report *report, const struct tbuf_probe_info *probe)
{
	size_t n = report->ntitles;
	char *names;

	if (probe->id >= n) {
		report->ntitles = probe->id + 64;
		report->titles = memory_get(report->titles, report->ntitles,
		    sizeof(*report->titles));
		memset(report->titles + n, 0, (report->ntitles - n) *
		    sizeof(*report->titles));
	}
	if (report->titles[probe->id] == 0) {
		names = string_format("%s:%s:%s:%s", probe->provider,
		    probe->module, probe->function, probe->name);
		report->titles[probe->id] = report_text(report, names) + 1;
		free(names);
	}
	return (report->titles[probe->id] - 1);
}

/* ------------------------------------------------------------ arguments */

static void
begin(struct viewer *v, const struct tbuf_record *r)
{
	struct report *report;

	(void)r;
	if (v->report != NULL)
		return;
	v->report = report = memory_get(NULL, 1, sizeof(*report));
	memset(report, 0, sizeof(*report));
	texts_init(&report->texts);
	texts_init(&report->class_keys);
	output_memory(&report->token);
}

static void
start(struct viewer *v, const struct tbuf_record *r)
{
	struct head head = { .title = REPORT_NONE, .cpu = NO_CPU };
	char *p = output_room(&v->data, sizeof(head));

	if (r != NULL && v->report->time == 0) {
		v->report->time = r->time;
		v->report->wall = r->wall;
	}
	if (r != NULL) {
		head.title = title_of(v->report, r->probe);
		head.tid = r->tid;
		head.cpu = r->cpu;
	}
	output_taken(&v->data, put_bytes(p, &head, sizeof(head)));
}

static enum report_type
type_of(const struct tbuf_value *value)
{
	switch (value->type) {
	case TBUF_INT8:
	case TBUF_INT16:
	case TBUF_INT32:
	case TBUF_INT64:
		return (REPORT_SIGNED);
	case TBUF_CHAR:
		return ((char)-1 < 0 ? REPORT_SIGNED : REPORT_UNSIGNED);
	case TBUF_FLOAT:
		return (REPORT_FLOAT);
	case TBUF_DOUBLE:
		return (REPORT_DOUBLE);
	case TBUF_POINTER:
		return (REPORT_POINTER);
	case TBUF_BOOL:
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		return (REPORT_TEXT);
	default:
		return (REPORT_UNSIGNED);
	}
}

static void
argument(struct viewer *v, const char *name, const struct tbuf_value *value)
{
	struct cell cell = {
		.column = { report_text(v->report, name), type_of(value) },
		.value = value->u
	};
	char *p = output_room(&v->data, sizeof(cell));

	if (cell.column.type == REPORT_TEXT)
		cell.value = add_text(v->report, value);
	output_taken(&v->data, put_bytes(p, &cell, sizeof(cell)));
}

/* ------------------------------------------------------------ shapes */

/* Sets the columns of a shape: its own and those of cells. */
static void
set_columns(struct report *report, struct report_shape *shape,
    const struct cell *cells, size_t ncells)
{
	size_t i;

	shape->ncolumns = REPORT_COLUMNS + (unsigned)ncells;
	shape->columns = memory_get(NULL, shape->ncolumns,
	    sizeof(*shape->columns));
	shape->columns[REPORT_CPU] = (struct report_column){
		report_text(report, "cpu"), REPORT_SIGNED };
	shape->columns[REPORT_TID] = (struct report_column){
		report_text(report, "tid"), REPORT_UNSIGNED };
	for (i = 0; i < ncells; i++)
		shape->columns[REPORT_COLUMNS + i] = cells[i].column;
}

static bool
has_columns(const struct report_shape *shape, const struct cell *cells,
    size_t ncells)
{
	size_t i;

	if (shape->ncolumns != REPORT_COLUMNS + ncells)
		return (false);
	for (i = 0; i < ncells; i++)
		if (memcmp(&shape->columns[REPORT_COLUMNS + i],
		    &cells[i].column, sizeof(cells[i].column)) != 0)
			return (false);
	return (true);
}

/* Returns the number of the shape of these cells. */
static uint32_t
find_shape(struct report *report, uint32_t title, bool is_record,
    const struct cell *cells, size_t ncells)
{
	struct report_shape *shape;
	uint32_t i;

	while (report->nfirst_shape <= title) {
		report->first_shape = grow(report->first_shape,
		    report->nfirst_shape, sizeof(*report->first_shape));
		report->first_shape[report->nfirst_shape++] = REPORT_NONE;
	}
	for (i = report->first_shape[title]; i != REPORT_NONE;
	    i = report->shapes[i].next)
		if (report->shapes[i].record == is_record &&
		    has_columns(&report->shapes[i], cells, ncells))
			return (i);
	report->shapes = grow(report->shapes, report->nshapes,
	    sizeof(*report->shapes));
	shape = &report->shapes[report->nshapes];
	*shape = (struct report_shape){
		.title = title, .record = is_record,
		.next = report->first_shape[title]
	};
	set_columns(report, shape, cells, ncells);
	report->first_shape[title] = report->nshapes;
	return (report->nshapes++);
}

/* Returns the number of a new row. */
static uint32_t
add_row(struct report_shape *shape, const struct head *head,
    const struct cell *cells)
{
	uint64_t *row;
	unsigned i;

	if (shape->nrows == shape->room) {
		shape->room = shape->room == 0 ? 16 : 2 * shape->room;
		shape->values = memory_get(shape->values, shape->room,
		    shape->ncolumns * sizeof(*shape->values));
	}
	row = &shape->values[(size_t)shape->nrows * shape->ncolumns];
	row[REPORT_CPU] = (uint64_t)head->cpu;
	row[REPORT_TID] = head->tid;
	for (i = REPORT_COLUMNS; i < shape->ncolumns; i++)
		row[i] = cells[i - REPORT_COLUMNS].value;
	return (shape->nrows++);
}

/* Stores the shape and the row of the arguments that slices.c has kept. */
static void
add_data(struct report *report, const struct slice_data *data,
    uint32_t *number, uint32_t *row)
{
	size_t ncells = data->size < sizeof(struct head) ? 0 :
	    (data->size - sizeof(struct head)) / sizeof(struct cell);
	struct cell *cells;
	struct head head;
	bool is_record;

	*number = REPORT_NONE;
	*row = 0;
	if (data->size < sizeof(head))
		return;
	memcpy(&head, data->bytes, sizeof(head));
	is_record = head.title != REPORT_NONE;
	if (!is_record)
		head.title = report_text(report, "output");
	cells = memory_get(NULL, ncells + 1, sizeof(*cells));
	memcpy(cells, data->bytes + sizeof(head), ncells * sizeof(*cells));
	*number = find_shape(report, head.title, is_record, cells, ncells);
	*row = add_row(&report->shapes[*number], &head, cells);
	free(cells);
}

/* Stores the shape and the row of a unit: its id, and its outcome. */
static void
add_unit(struct report *report, const struct slice_event *e, uint32_t *number,
    uint32_t *row)
{
	const struct tbuf_unit_info *unit = e->unit;
	const struct head head = { .tid = e->tid, .cpu = NO_CPU };
	const struct cell cells[] = {
		{ { report_text(report, "id"), REPORT_UNSIGNED }, unit->id },
		{ { report_text(report, "outcome"), REPORT_SIGNED },
		    (uint64_t)(int64_t)unit->outcome }
	};
	char *title = string_format("unit %.*s", (int)sizeof(unit->kind),
	    unit->kind);

	*number = find_shape(report, report_text(report, title), false, cells,
	    unit->ended ? 2 : 1);
	free(title);
	*row = add_row(&report->shapes[*number], &head, cells);
}

/* ------------------------------------------------------------ entries */

static struct report_track *
track_of(struct report *report, const struct slice_event *e)
{
	const struct slice_track *from = e->track;
	size_t n = report->ntracks;
	struct report_track *track;

	while (n < from->number) {
		report->tracks = grow(report->tracks, n,
		    sizeof(*report->tracks));
		report->tracks[n++] = (struct report_track){ .pid = -1 };
	}
	report->ntracks = n;
	track = &report->tracks[from->number - 1];
	if (track->pid == -1) {
		track->kind = from->kind;
		track->pid = from->pid;
		track->tid = from->tid;
		track->name = report_text(report, from->kind == SLICE_THREAD ||
		    from->name == NULL ? e->execname : from->name);
		track->program = report_text(report, e->execname);
	}
	return (track);
}

static void
add_entry(struct report_track *track, const struct report_entry *entry)
{
	if (track->nentries == track->room) {
		track->room = track->room == 0 ? 16 : 2 * track->room;
		track->entries = memory_get(track->entries, track->room,
		    sizeof(*track->entries));
	}
	if (track->nentries > 0 &&
	    track->entries[track->nentries - 1].time > entry->time)
		track->unsorted = true;
	track->entries[track->nentries] = *entry;
	track->entries[track->nentries].serial = track->nentries;
	track->nentries++;
}

static uint32_t
find_class(struct report *report, const struct report_class *class)
{
	uint32_t number = texts_number(&report->class_keys,
	    (const char *)class, sizeof(*class));

	if (number == report->nclasses) {
		report->classes = grow(report->classes, number,
		    sizeof(*report->classes));
		report->classes[report->nclasses++] = *class;
	}
	return (number);
}

static void
event(void *arg, const struct slice_event *e)
{
	struct viewer *v = arg;
	struct report *report = v->report;
	struct report_class class = {
		.name = report_text(report, e->name),
		.category = report_text(report, e->category),
		.end_shape = REPORT_NONE, .depth = (uint32_t)e->track->count
	};
	struct report_entry entry = { .time = e->time };

	if (e->what == SLICE_END) {
		e->track->count--;
		return;
	}
	class.flags = (e->what == SLICE_INSTANT ? REPORT_INSTANT : 0) |
	    (e->incomplete ? REPORT_INCOMPLETE : 0) |
	    (e->by_value ? REPORT_BY_VALUE : 0);
	if (e->unit != NULL)
		add_unit(report, e, &class.shape, &entry.row);
	else
		add_data(report, &e->data, &class.shape, &entry.row);
	if (e->what == SLICE_BEGIN) {
		e->track->count++;
		entry.length = e->end > e->time ? e->end - e->time : 0;
		add_data(report, &e->end_data, &class.end_shape,
		    &entry.end_row);
	}
	entry.class = find_class(report, &class);
	add_entry(track_of(report, e), &entry);
}

static void
loss(struct viewer *v, const struct loss *from, const char *name,
    const struct loss_count *count)
{
	struct report *report = v->report;

	report->losses = grow(report->losses, report->nlosses,
	    sizeof(*report->losses));
	report->losses[report->nlosses++] = (struct report_loss){
		.name = report_text(report, name), .pid = from->pid,
		.cpu = from->cpu, .count = *count
	};
}

/* ------------------------------------------------------------ sums */

static void
add_sum(struct report *report, struct output *name, int64_t value)
{
	const struct tbuf_value text = {
		.type = TBUF_STRING, .data = name->buffer,
		.size = (uint32_t)name->used
	};

	report->sums = grow(report->sums, report->nsums,
	    sizeof(*report->sums));
	report->sums[report->nsums++] = (struct report_sum){
		.name = add_text(report, &text), .value = value
	};
}

/* Writes a name such as @bytes["get", 3]. */
static void
sum_name(struct output *name, const struct tbuf_tuple *t)
{
	const struct tbuf_d_aggregation *aggregation =
	    t->values[0].aggregation;
	unsigned i;

	output_printf(name, "@%s", aggregation->name);
	for (i = 0; i < t->nkeys; i++) {
		output_printf(name, i == 0 ? "[" : ", ");
		format_key_put(name, &aggregation->keys[i], &t->keys[i]);
	}
	if (t->nkeys != 0)
		output_printf(name, "]");
}

static void
tuple(struct viewer *v, const struct tbuf_tuple *t)
{
	const struct tbuf_gathered *g = &t->values[0];
	const struct tbuf_bucket *bucket;
	struct output name;
	size_t used;

	output_memory(&name);
	sum_name(&name, t);
	used = name.used;
	if (g->nbuckets == 0)
		add_sum(v->report, &name, g->value);
	for (bucket = g->buckets; bucket < g->buckets + g->nbuckets; bucket++) {
		if (bucket->count == 0)
			continue;
		name.used = used;
		output_printf(&name, " %" PRId64 " .. %" PRId64, bucket->low,
		    bucket->high);
		add_sum(v->report, &name, bucket->count / (int64_t)g->normal);
	}
	free(name.buffer);
}

/* ------------------------------------------------------------ the end */

static void
end(struct viewer *v)
{
	(void)v;
}

static int
write_page(struct viewer *v, const struct tbuf_totals *totals,
    const char *file)
{
	return (report_write(v->report, totals, file));
}

static void
forget(struct viewer *v)
{
	struct report *report = v->report;
	uint32_t i;

	if (report == NULL)
		return;
	for (i = 0; i < report->nshapes; i++) {
		free(report->shapes[i].columns);
		free(report->shapes[i].values);
		free(report->shapes[i].order);
	}
	for (i = 0; i < report->ntracks; i++)
		free(report->tracks[i].entries);
	free(report->titles);
	free(report->first_shape);
	free(report->shapes);
	free(report->classes);
	free(report->tracks);
	free(report->losses);
	free(report->sums);
	free(report->token.buffer);
	texts_free(&report->texts);
	texts_free(&report->class_keys);
	free(report);
}

const struct encoder encoder_report = {
	.begin = begin, .start = start, .argument = argument, .event = event,
	.loss = loss, .tuple = tuple, .end = end, .write = write_page,
	.free = forget
};
