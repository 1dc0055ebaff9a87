/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Metrics as operations of a format: those of --stat, --left and --units=stat,
 * and the writing of all.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/replace_file.h"
#include "base/string_list.h"
#include "metrics.h"
#include "prometheus.h"

/*
 * HELP and TYPE never vary: a collector refuses a family that two files
 * describe in different words.
 */
static const struct {
	const char *name, *type, *help;
} all[FAMILIES] = {
	[BUFFER_RECORDS] = { "tbuf_buffer_records_total", "counter",
	    "Records stored in a buffer." },
	[BUFFER_OVERWRITTEN] = { "tbuf_buffer_overwritten_total", "counter",
	    "Records of a buffer overwritten by newer ones." },
	[BUFFER_DROPS] = { "tbuf_buffer_drops_total", "counter",
	    "Records that could not be stored in a buffer, by cause." },
	[BUFFER_FILL] = { "tbuf_buffer_fill_bytes", "gauge",
	    "Bytes in a buffer that have not been read." },
	[BUFFER_SIZE] = { "tbuf_buffer_size_bytes", "gauge",
	    "Size of a buffer." },
	[LEFT_FILES] = { "tbuf_left_files", "gauge",
	    "Files that ended processes have left." },
	[LEFT_BYTES] = { "tbuf_left_bytes", "gauge",
	    "Space that files of ended processes take." },
	[UNITS] = { "tbuf_units_total", "counter",
	    "Work units that have ended." },
	[UNIT_FAILURES] = { "tbuf_unit_failures_total", "counter",
	    "Work units that have ended with an outcome other than 0." },
	[UNIT_SLOW] = { "tbuf_unit_slow_total", "counter",
	    "Work units that have lasted longer than unitslow." },
	[UNIT_DURATION] = { "tbuf_unit_duration_seconds", "histogram",
	    "Durations of work units that have ended." },
	[RUN_RECORDS] = { "tbuf_run_records_total", "counter",
	    "Records that a run of tbufctl has read." },
	[RUN_OVERWRITTEN] = { "tbuf_run_overwritten_total", "counter",
	    "Records overwritten before a run of tbufctl read them." },
	[RUN_DROPS] = { "tbuf_run_drops_total", "counter",
	    "Drops that a run of tbufctl has reported, by cause." },
	[RUN_OTHER_KEYS] = { "tbuf_run_metric_other_keys", "gauge",
	    "Keys of a metric that have no series of their own." }
};

/* ------------------------------------------------------------ rows */

static int
compare(const void *a, const void *b)
{
	return (strcmp(a, b));
}

/*
 * Ends the labels of a row.  Those of another row, as of two sessions of one
 * consumer, get one more label, since a scrape with equal labels is refused.
 */
static void
labels_end(struct metrics *m)
{
	char *text = string_format("%.*s", (int)m->labels.used,
	    m->labels.buffer);
	size_t used = m->labels.used;
	void *found = tsearch(text, &m->rows, compare);
	int copy;

	for (copy = 1; found != NULL && *(char **)found != text; copy++) {
		free(text);
		m->labels.used = used;
		label_number(&m->labels, "copy", copy);
		text = string_format("%.*s", (int)m->labels.used,
		    m->labels.buffer);
		found = tsearch(text, &m->rows, compare);
	}
	if (found == NULL)
		free(text);
}

static struct family *
family(const struct format *f, int which)
{
	return (&f->metrics->families[which]);
}

static void
count(const struct format *f, int which, uint64_t value)
{
	family_count(family(f, which), "", &f->metrics->labels, value);
}

/* ------------------------------------------------------------ --stat */

static void
lane(struct format *f, const struct tbuf_lane_status *s)
{
	struct output *labels = &f->metrics->labels;
	size_t used;
	int cause;

	labels->used = 0;
	label_number(labels, "pid", s->pid);
	label_number(labels, "consumer", s->consumer);
	label_text(labels, "consumer_name", s->consumer_name);
	label_text(labels, "policy", format_policy(s->policy));
	if (s->side)
		label_number(labels, "thread", s->number);
	else
		label_number(labels, "cpu", s->cpu);
	if (s->locked)
		label_number(labels, "lock", s->number);
	labels_end(f->metrics);
	count(f, BUFFER_RECORDS, s->records);
	count(f, BUFFER_OVERWRITTEN, s->overwritten);
	count(f, BUFFER_FILL, s->fill);
	count(f, BUFFER_SIZE, s->size);
	for (cause = 0; cause < 3; cause++) {
		used = labels->used;
		label_text(labels, "cause", format_cause(cause));
		count(f, BUFFER_DROPS, s->drops[cause]);
		labels->used = used;
	}
}

static void
status(struct format *f)
{
	f->metrics->first = BUFFER_RECORDS;
	f->metrics->last = BUFFER_SIZE;
}

/* ------------------------------------------------------------ --left */

static void
orphans(struct format *f)
{
	f->metrics->first = LEFT_FILES;
	f->metrics->last = LEFT_BYTES;
}

static void
orphan(struct format *f, const struct tbuf_left *l)
{
	f->metrics->left_files++;
	f->metrics->left_bytes += l->bytes;
}

/* Each user has files of his own, and a metrics file of his own. */
static void
put_left(const struct format *f)
{
	struct metrics *m = f->metrics;

	m->labels.used = 0;
	label_number(&m->labels, "uid", (int64_t)getuid());
	count(f, LEFT_FILES, m->left_files);
	count(f, LEFT_BYTES, m->left_bytes);
	m->left_files = m->left_bytes = 0;
}

/* ------------------------------------------------------------ --units */

/* Bounds of durations, from 128 ns to 18 minutes, in powers of two. */
#define POWER_FIRST	7
#define POWER_LAST	40

void
metrics_units_begin(struct format *f)
{
	f->metrics->first = UNITS;
	f->metrics->last = UNIT_DURATION;
}

void
metrics_units(struct format *f, pid_t pid, const struct tbuf_unit_figures *u)
{
	struct output *labels = &f->metrics->labels;
	struct family *duration = family(f, UNIT_DURATION);
	char bound[SCALED_MAX], value[OUTPUT_NUMBER];
	int i;

	labels->used = 0;
	label_text(labels, "program", u->program);
	label_number(labels, "pid", pid);
	label_text(labels, "kind", u->kind);
	label_number(labels, "consumer", (int64_t)u->consumer);
	labels_end(f->metrics);
	count(f, UNITS, u->units);
	count(f, UNIT_FAILURES, u->failures);
	count(f, UNIT_SLOW, u->slow);
	for (i = POWER_FIRST; i <= POWER_LAST; i++) {
		*put_unsigned(value, u->at_most[i]) = '\0';
		family_sample(duration, "_bucket", labels, scaled_unsigned(
		    bound, UINT64_C(1) << i, &scale_nano), value);
	}
	*put_unsigned(value, u->units) = '\0';
	family_sample(duration, "_bucket", labels, "+Inf", value);
	family_sample(duration, "_sum", labels, NULL,
	    scaled_unsigned(bound, u->sum, &scale_nano));
	family_sample(duration, "_count", labels, NULL, value);
}

/* ------------------------------------------------------------ runs */

/* Nothing is prepared but a sign that the probe has been seen. */
static void
prepare(struct format *f, const struct tbuf_probe_info *probe,
    struct prepared *prepared)
{
	(void)f;
	(void)probe;
	prepared->text = memory_get(NULL, 1, 1);
}

/* Records are only counted, which the library does. */
static void
record(struct format *f, const struct tbuf_record *r,
    struct prepared *prepared)
{
	(void)f;
	(void)r;
	(void)prepared;
}

static void
values(struct format *f, const struct tbuf_record *r, const bool *is_shown)
{
	(void)f;
	(void)r;
	(void)is_shown;
}

static void
text(struct format *f, const struct tbuf_record *r, const char *bytes,
    size_t size)
{
	(void)f;
	(void)r;
	(void)bytes;
	(void)size;
}

static void
exited(struct format *f, const struct tbuf_event *e)
{
	format_text.exited(f, e);
}

static void
snapshot(struct format *f, uint64_t records)
{
	format_text.snapshot(f, records);
}

static void
total(struct format *f, const struct tbuf_totals *t)
{
	(void)f;
	if (t->discarded > 0)
		message(MSG_DISCARDED, t->discarded, PLURAL(t->discarded));
	message(MSG_TOTAL, t->records, t->overwritten, t->drops);
}

/* ------------------------------------------------------------ writing */

static const struct format_ops ops = {
	.prepare = prepare,
	.record = record,
	.values = values,
	.output = text,
	.count = metrics_count,
	.losses = metrics_losses,
	.exited = exited,
	.snapshot = snapshot,
	.total = total,
	.status = status,
	.lane = lane,
	.orphans = orphans,
	.orphan = orphan
};

void
metrics_begin(struct format *f)
{
	struct metrics *m;
	int i;

	if (!f->options->prometheus)
		return;
	m = memory_get(NULL, 1, sizeof(*m));
	*m = (struct metrics){ .first = 0, .last = -1 };
	for (i = 0; i < FAMILIES; i++)
		family_init(&m->families[i], all[i].name, all[i].type,
		    all[i].help);
	output_memory(&m->labels);
	f->metrics = m;
	f->ops = &ops;
	f->objects = true;
}

static void
put_all(struct format *f, struct output *out)
{
	struct metrics *m = f->metrics;
	size_t j;
	int i;

	if (m->first == LEFT_FILES)
		put_left(f);
	else if (m->first == RUN_RECORDS)
		metrics_sample_run(m);
	for (i = m->first; i <= m->last; i++)
		family_put(out, &m->families[i]);
	for (j = 0; j < m->count; j++)
		family_put(out, &m->all[j].family);
	tdestroy(m->rows, free);
	m->rows = NULL;
}

int
metrics_write(struct format *f)
{
	const char *file = f->options->output;
	struct output out;
	int error;

	if (f->metrics == NULL || f->metrics->failed)
		return (0);
	if (file == NULL) {
		put_all(f, f->out);
		return (0);
	}
	output_memory(&out);
	put_all(f, &out);
	error = replace_file(file, out.buffer, out.used);
	free(out.buffer);
	f->metrics->failed = error != 0;
	return (error == 0 ? 0 : fail(MSG_WRITE, file, strerror(-error)));
}

int
metrics_turn(struct format *f)
{
	struct metrics *m = f->metrics;
	struct timespec ts;
	int64_t period = 0;
	uint64_t now;

	if (m == NULL || f->options->output == NULL)
		return (0);
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	if (now < m->due)
		return (0);
	(void)tbuf_consumer_get(m->consumer, "aggrate", &period);
	m->due = now + (uint64_t)period;
	return (metrics_write(f));
}

void
metrics_end(struct format *f)
{
	struct metrics *m = f->metrics;
	size_t j;
	int i;

	if (m == NULL)
		return;
	for (i = 0; i < FAMILIES; i++)
		family_free(&m->families[i]);
	for (j = 0; j < m->count; j++)
		metric_free(&m->all[j]);
	free(m->all);
	tdestroy(m->rows, free);
	free(m->labels.buffer);
	free(m);
	f->metrics = NULL;
}
