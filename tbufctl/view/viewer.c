/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "print/aggregation.h"
#include "pairs.h"
#include "viewer.h"

/* ------------------------------------------------------------ threads */

/* Most threads of a process that are looked at for one of them. */
#define TASKS_MAX	4096

/* Reads a file of a thread as a text; false: it is not there. */
static bool
task_read(pid_t pid, const char *task, const char *file, char *text,
    size_t size)
{
	char *path = string_format("/proc/%jd/task/%s/%s", (intmax_t)pid, task,
	    file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	free(path);
	if (fd != -1) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return (n > 0);
}

/*
 * Returns a thread's number in its own pid namespace, or 0 if that is ours:
 * NSpid has one number for each namespace then.
 */
static uint32_t
own_number(pid_t pid, const char *task)
{
	char status[4096], *line, *end;

	if (!task_read(pid, task, "status", status, sizeof(status)) ||
	    (line = strstr(status, "\nNSpid:")) == NULL)
		return (0);
	line += 7;
	line[strcspn(line + 1, "\n") + 1] = '\0';
	end = strrchr(line, '\t');
	return (end == NULL || end == line ? 0 :
	    (uint32_t)strtoul(end, NULL, 10));
}

/* Finds a thread by its number in another pid namespace. */
static bool
find_inner(pid_t pid, uint32_t tid, char name[17])
{
	char *path = string_format("/proc/%jd/task", (intmax_t)pid);
	DIR *tasks = opendir(path);
	uint32_t number = 1;
	struct dirent *task;
	unsigned n = 0;

	free(path);
	while (tasks != NULL && number != 0 && n++ < TASKS_MAX &&
	    (task = readdir(tasks)) != NULL) {
		if (*task->d_name == '.')
			continue;
		number = own_number(pid, task->d_name);
		if (number == tid && task_read(pid, task->d_name, "comm",
		    name, 17))
			break;
	}
	if (tasks != NULL)
		closedir(tasks);
	return (*name != '\0');
}

void
viewer_thread_name(const struct viewer *v, pid_t pid, uint32_t tid,
    const char *fallback, char name[16])
{
	char line[17] = "", number[16];

	(void)snprintf(number, sizeof(number), "%u", tid);
	if (!v->live || (!task_read(pid, number, "comm", line, sizeof(line)) &&
	    !find_inner(pid, tid, line)))
		strlcpy(line, fallback, sizeof(line));
	line[strcspn(line, "\n")] = '\0';
	strlcpy(name, line, 16);
}

/* ------------------------------------------------------------ records */

/* Sets the times of the last record to now, as there is none. */
static void
set_now(struct viewer *v)
{
	struct timespec mono, wall;

	(void)clock_gettime(CLOCK_MONOTONIC, &mono);
	(void)clock_gettime(CLOCK_REALTIME, &wall);
	v->last.time = (uint64_t)mono.tv_sec * 1000000000 +
	    (uint64_t)mono.tv_nsec;
	v->last.wall = (uint64_t)wall.tv_sec * 1000000000 +
	    (uint64_t)wall.tv_nsec;
}

/*
 * Writes a file's head before its first event, which is a record or comes
 * without one (NULL).
 */
static void
begin(struct viewer *v, const struct tbuf_record *r)
{
	if (v->begun && v->opened == v->out->opened)
		return;
	if (r == NULL && v->last.time == 0)
		set_now(v);
	v->begun = true;
	v->opened = v->out->opened;
	v->events = 0;
	slices_restart(&v->slices);
	v->encoder->begin(v, r == NULL ? &v->last : r);
}

/* Writes the head of a file that was opened after the last event. */
static void
begin_again(struct viewer *v)
{
	if (v->begun)
		begin(v, NULL);
}

static void
take(struct viewer *v, const struct tbuf_record *r)
{
	if (v->encoder->record != NULL)
		v->encoder->record(v, r);
	else
		slices_record(&v->slices, r,
		    (struct slice_data){ v->data.used, v->data.buffer });
}

/* Nothing is prepared but a sign that the probe has been seen. */
static void
prepare(struct format *f, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	(void)f;
	(void)probe;
	prepared->text = memory_get(NULL, 1, 1);
}

/* Begins the arguments of a record, or with NULL of another event. */
static void
begin_data(struct viewer *v, const struct tbuf_record *r)
{
	v->data.used = 0;
	if (v->encoder->start != NULL)
		v->encoder->start(v, r);
}

static struct viewer *
record_begin(struct format *f, const struct tbuf_record *r)
{
	struct viewer *v = f->viewer;

	begin(v, r);
	v->last.pid = r->pid;
	v->last.tid = r->tid;
	v->last.time = r->time;
	v->last.wall = r->wall;
	v->execname = r->execname;
	begin_data(v, r);
	return (v);
}

static void
record(struct format *f, const struct tbuf_record *r,
    struct prepared *prepared)
{
	struct viewer *v = record_begin(f, r);
	unsigned i;

	(void)prepared;
	for (i = 0; i < r->nargs; i++)
		v->encoder->argument(v, r->probe->argnames[i], &r->args[i]);
	take(v, r);
}

/* Shows the values that a clause traces as arguments, by their numbers. */
static void
values(struct format *f, const struct tbuf_record *r, const bool *is_shown)
{
	struct viewer *v = record_begin(f, r);
	struct tbuf_value value;
	char name[16];
	unsigned i;

	for (i = 0; i < r->npieces; i++) {
		if (!is_shown[i])
			continue;
		(void)snprintf(name, sizeof(name), "%u", i);
		value_typed(&value, &r->layout->pieces[i], &r->pieces[i]);
		v->encoder->argument(v, name, &value);
	}
	take(v, r);
}

/* Emits an instant that is not a record, with the data. */
static void
instant(struct viewer *v, struct slice_event *event, const char *track)
{
	event->what = SLICE_INSTANT;
	event->track = slices_other(&v->slices, event->pid, track,
	    v->last.time);
	event->data = (struct slice_data){ v->data.used, v->data.buffer };
	v->encoder->event(v, event);
}

static void
text(struct format *f, const struct tbuf_record *r, const char *bytes,
    size_t size)
{
	struct viewer *v = record_begin(f, r);
	const struct tbuf_value value = {
		.type = TBUF_STRING, .data = bytes, .size = (uint32_t)size
	};
	struct slice_event event = {
		.time = r->time, .offset = r->wall - r->time,
		.pid = r->pid, .tid = r->tid, .name = "output",
		.category = r->probe->provider, .execname = r->execname
	};

	begin_data(v, NULL);
	v->encoder->argument(v, "text", &value);
	instant(v, &event, "output");
}

/*
 * Shows a number of records that were lost, at the time of the record before
 * them or else of the one after them; if neither is known, at that of the last
 * record.
 */
static void
lost(struct viewer *v, const struct loss *loss, const char *name,
    const struct loss_count *count)
{
	const struct tbuf_value cpu = { .type = TBUF_INT32, .i = loss->cpu };
	const struct tbuf_value n = { .type = TBUF_UINT64, .u = count->count };
	uint64_t time = count->after != 0 ? count->after : count->before;
	struct slice_event event = {
		.time = time != 0 ? time : v->last.time,
		.offset = v->last.wall - v->last.time, .pid = loss->pid,
		.name = name, .category = "tbuf",
		.execname = slices_program(&v->slices, loss->pid)
	};

	if (count->count == 0)
		return;
	if (v->encoder->loss != NULL) {
		v->encoder->loss(v, loss, name, count);
		return;
	}
	begin_data(v, NULL);
	v->encoder->argument(v, "count", &n);
	v->encoder->argument(v, "cpu", &cpu);
	instant(v, &event, "losses");
}

static void
losses(struct format *f, const struct loss *loss, size_t n)
{
	static const char *const names[] = {
		[TBUF_CAUSE_FULL] = "drops (full)",
		[TBUF_CAUSE_LARGE] = "drops (large)",
		[TBUF_CAUSE_NOLANE] = "drops (nolane)"
	};
	struct viewer *v = f->viewer;
	size_t i;
	unsigned j;

	format_text.losses(f, loss, n);
	begin(v, NULL);
	for (i = 0; i < n; i++) {
		for (j = 0; j < 3; j++)
			lost(v, &loss[i], names[j], &loss[i].drops[j]);
		lost(v, &loss[i], "overwritten", &loss[i].overwritten);
		lost(v, &loss[i], "damaged bytes", &loss[i].damage);
	}
}

static void
exited(struct format *f, const struct tbuf_event *e)
{
	struct viewer *v = f->viewer;

	begin_again(v);
	slices_finish(&v->slices, e->pid);
	format_text.exited(f, e);
}

/* The records of a snapshot come again: their slices end with it. */
static void
snapshot(struct format *f, uint64_t records)
{
	struct viewer *v = f->viewer;

	begin_again(v);
	slices_finish(&v->slices, 0);
	if (v->begun && v->encoder->snapshot != NULL)
		v->encoder->snapshot(v);
	output_flush(f->out);
	format_text.snapshot(f, records);
}

static void
tuple(struct format *f, const struct tbuf_tuple *t)
{
	f->viewer->encoder->tuple(f->viewer, t);
}

static void
total(struct format *f, const struct tbuf_totals *t)
{
	struct viewer *v = f->viewer;

	begin(v, NULL);
	slices_finish(&v->slices, 0);
	if (v->encoder->tuple != NULL)
		aggregation_rest(f);
	v->encoder->end(v);
	if (t->discarded > 0)
		message(MSG_DISCARDED, t->discarded, PLURAL(t->discarded));
	message(MSG_TOTAL_SLICES, t->records, t->overwritten, t->drops,
	    v->slices.paired, v->slices.unpaired);
}

static struct format_ops ops = {
	.prepare = prepare,
	.record = record,
	.values = values,
	.output = text,
	.tuple = tuple,
	.losses = losses,
	.exited = exited,
	.snapshot = snapshot,
	.total = total
};

static const struct encoder *const encoders[] = {
	[VIEW_CHROME] = &encoder_chrome,
	[VIEW_PERFETTO] = &encoder_perfetto,
	[VIEW_OTLP] = &encoder_otlp,
	[VIEW_OTLP_LOGS] = &encoder_otlp_logs,
	[VIEW_REPORT] = &encoder_report
};

void
viewer_begin(struct format *f)
{
	const struct options *o = f->options;
	struct viewer *v = memory_get(NULL, 1, sizeof(*v));
	enum view view = o->view == VIEW_OTLP && o->otlp_logs ?
	    VIEW_OTLP_LOGS : o->view;
	size_t i;

	*v = (struct viewer){
		.out = f->out, .consumer = f->consumer,
		.encoder = encoders[view], .live = !options_reads(o),
		.execname = ""
	};
	for (i = 0; i < o->pairs.count; i++)
		pairs_add(o->pairs.all[i]);
	output_memory(&v->data);
	slices_init(&v->slices);
	v->slices.emit = v->encoder->event;
	v->slices.argument = v;
	f->viewer = v;
	ops.count = format_text.count;
	f->ops = &ops;
	f->objects = true;
}

void
viewer_lost(struct format *f, const struct tbuf_event *e)
{
	if (f->viewer != NULL)
		slices_lost(&f->viewer->slices, e);
}

void
viewer_drained(struct format *f)
{
	struct viewer *v = f->viewer;

	if (v == NULL || !v->begun)
		return;
	/* The records of a unit come in one drain. */
	slices_unit_end(&v->slices);
	if (v->encoder->drain != NULL)
		v->encoder->drain(v);
}

int
viewer_write(struct format *f, const struct tbuf_totals *totals)
{
	struct viewer *v = f->viewer;

	return (v == NULL || v->encoder->write == NULL ? 0 :
	    v->encoder->write(v, totals, f->options->report));
}

/*
 * Lines, and files of their own, may be beside a terminal.  -o appends, which
 * makes no file of Chrome's format.
 */
const char *
viewer_problem(const struct format *f)
{
	struct stat st;

	if (f->viewer != NULL && f->viewer->encoder == &encoder_chrome &&
	    f->options->output != NULL && fstat(f->out->fd, &st) == 0 &&
	    S_ISREG(st.st_mode) && st.st_size > 0)
		return (MSG_VIEW_APPEND);
	return (f->viewer != NULL && f->viewer->encoder->drain == NULL &&
	    f->viewer->encoder->write == NULL && isatty(f->out->fd) ?
	    MSG_VIEW_TERMINAL : NULL);
}

void
viewer_end(struct format *f)
{
	struct viewer *v = f->viewer;

	if (v == NULL)
		return;
	slices_finish(&v->slices, 0);
	slices_free(&v->slices);
	v->encoder->free(v);
	free(v->data.buffer);
	free(v);
}
