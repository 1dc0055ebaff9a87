/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --units lists work units that have not ended; --units=stat sums up those that
 * have.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/output.h"
#include "commands.h"
#include "metrics/prometheus.h"
#include "options/command_line.h"
#include "print/format.h"
#include "run/read_files.h"

struct run {
	const struct options *options;
	struct output *out;
	struct format format;		/* metrics */
	bool found;			/* a unit or figures were printed */
	bool headed;
	bool of_process;		/* the units are those of one */
};

/* Writes a duration in about four columns. */
static const char *
duration(char *text, size_t size, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {
		{ 1, "ns" }, { 1000, "us" }, { 1000000, "ms" },
		{ UINT64_C(1000000000), "s" },
		{ UINT64_C(3600000000000), "h" }
	};
	unsigned i = 0;

	while (i + 1 < sizeof(units) / sizeof(units[0]) &&
	    ns >= 10 * units[i + 1].ns)
		i++;
	(void)snprintf(text, size, "%" PRIu64 "%s", ns / units[i].ns,
	    units[i].name);
	return (text);
}

/*
 * Copies a text of another process as one word, which breaks no line or column.
 */
static const char *
word(char *text, size_t size, const char *from)
{
	char *p;

	(void)snprintf(text, size, "%s", *from != '\0' ? from : "-");
	for (p = text; *p != '\0'; p++)
		if (*p <= ' ' || *p >= 0x7f || *p == '"' || *p == '\\')
			*p = '_';
	return (text);
}

/* Prints the heading once, when it is known that there is something to read. */
static void
heading(struct run *run)
{
	const struct options *o = run->options;

	if (run->headed)
		return;
	run->headed = true;
	if (o->prometheus)
		metrics_units_begin(&run->format);
	else if (!o->json && o->units_figures)
		output_printf(run->out, "%7s %-12s %10s %10s %6s %8s %8s %8s "
		    "%s\n", "PID", "KIND", "UNITS", "FAILURES", "SLOW", "P50",
		    "P99", "P99.9",
		    "PROGRAM");
	else if (!o->json)
		output_printf(run->out, "%7s %-5s %-12s %20s %8s %7s %8s %s\n",
		    "PID", "STATE", "KIND", "ID", "AGE", "THREAD", "RECORDS",
		    "PROGRAM");
}

/* Returns false for a process of a file that is not the given one. */
static bool
wanted(const struct run *run, pid_t pid)
{
	return (run->of_process || run->options->units_pid == 0 ||
	    run->options->units_pid == pid);
}

/* Returns the pid to print: the given one, as a container has others. */
static pid_t
pid_of(const struct run *run, pid_t pid)
{
	return (run->options->units_pid != 0 ? run->options->units_pid : pid);
}

static int
unit(void *arg, const struct tbuf_unit_status *u)
{
	struct run *run = arg;
	intmax_t pid = pid_of(run, u->pid);
	char kind[64], program[64], age[32], tid[32];

	heading(run);
	if (!wanted(run, u->pid))
		return (0);
	run->found = true;
	word(kind, sizeof(kind), u->kind);
	word(program, sizeof(program), u->program);
	if (run->options->json) {
		output_printf(run->out, "{\"type\":\"unit\",\"pid\":%jd,"
		    "\"program\":\"%s\",\"alive\":%s,\"kind\":\"%s\",\"id\":%"
		    PRIu64 ",\"age\":%" PRIu64 ",\"tid\":%u,\"inside\":%s,"
		    "\"records\":%" PRIu64 "}\n", pid, program,
		    u->alive ? "true" : "false", kind, u->id, u->age, u->tid,
		    u->inside ? "true" : "false", u->records);
		return (0);
	}
	/* No thread is in a unit that waits for one, or in a dead process. */
	(void)snprintf(tid, sizeof(tid), u->inside ? "%u" : "-", u->tid);
	output_printf(run->out, "%7jd %-5s %-12s %20" PRIu64
	    " %8s %7s %8" PRIu64 " %s\n", pid,
	    u->alive ? "alive" : "dead", kind, u->id,
	    duration(age, sizeof(age), u->age), tid, u->records, program);
	return (0);
}

static int
figures(void *arg, const struct tbuf_unit_figures *f)
{
	struct run *run = arg;
	intmax_t pid = pid_of(run, f->pid);
	char kind[64], program[64], median[32], p99[32], p999[32];

	heading(run);
	if (!wanted(run, f->pid))
		return (0);
	run->found = true;
	if (run->options->prometheus) {
		metrics_units(&run->format, (pid_t)pid, f);
		return (0);
	}
	word(kind, sizeof(kind), f->kind);
	word(program, sizeof(program), f->program);
	if (run->options->json) {
		output_printf(run->out, "{\"type\":\"units\",\"pid\":%jd,"
		    "\"consumer\":%" PRIu64 ",\"program\":\"%s\","
		    "\"kind\":\"%s\",\"units\":%" PRIu64
		    ",\"failures\":%" PRIu64 ",\"slow\":%" PRIu64
		    ",\"sum\":%" PRIu64 ",\"median\":%" PRIu64
		    ",\"p99\":%" PRIu64 ",\"p999\":%" PRIu64 "}\n",
		    pid, f->consumer, program, kind, f->units, f->failures,
		    f->slow, f->sum, f->median, f->p99, f->p999);
		return (0);
	}
	output_printf(run->out, "%7jd %-12s %10" PRIu64 " %10" PRIu64
	    " %6" PRIu64 " %8s %8s %8s %s\n", pid, kind, f->units,
	    f->failures, f->slow, duration(median, sizeof(median), f->median),
	    duration(p99, sizeof(p99), f->p99),
	    duration(p999, sizeof(p999), f->p999), program);
	return (0);
}

/* Prints the units of files and cores. */
static int
look_in_files(struct run *run)
{
	const struct options *o = run->options;
	struct tbuf_consumer *consumer = tbuf_consumer_new();
	int status;

	if (consumer == NULL)
		return (fail(MSG_START, strerror(errno)));
	if ((status = files_open(consumer, o)) == 0) {
		heading(run);
		(void)tbuf_consumer_units(consumer,
		    o->units_figures ? NULL : unit, figures, run);
		if (!run->found)
			message(MSG_UNITS_NONE);
	}
	tbuf_consumer_close(consumer);
	return (status);
}

/*
 * Prints the units of a process.  One without a session is a failure, one
 * without units is not.
 */
static int
look_in_process(struct run *run, pid_t pid)
{
	struct tbuf_consumer *consumer = tbuf_consumer_new();
	const char *why;
	int result;

	if (consumer == NULL)
		return (fail(MSG_START, strerror(errno)));
	result = tbuf_consumer_open_pid(consumer, pid);
	why = tbuf_consumer_error(consumer);
	if (result != 0)
		message(MSG_LIBRARY, why);
	if (result < 0 && (strstr(why, "no session") != NULL ||
	    strstr(why, "it has no libtbuf") != NULL))
		message(MSG_HAS_RECORDER);
	if (result >= 0) {
		heading(run);
		run->of_process = true;
		(void)tbuf_consumer_units(consumer,
		    run->options->units_figures ? NULL : unit, figures, run);
		if (!run->found)
			message(MSG_UNITS_NONE);
	}
	tbuf_consumer_close(consumer);
	return (result < 0 ? EXIT_FAILED : EXIT_DONE);
}

/* Prints the units of all processes. */
static int
look_everywhere(struct run *run)
{
	int error = run->options->units_figures ?
	    tbuf_unit_figures(figures, run) : tbuf_unit_list(unit, run);

	if (error < 0)
		return (fail(MSG_UNITS_LOOK, format_directory(error)));
	heading(run);
	if (!run->found)
		message(MSG_UNITS_NONE);
	return (EXIT_DONE);
}

int
units_run(const struct options *o, struct output *out)
{
	struct run run = { .options = o, .out = out };
	bool files = o->files.count + o->cores.count > 0;
	int status;

	format_init(&run.format, out, o);
	metrics_begin(&run.format);
	status = files ? look_in_files(&run) :
	    o->units_pid != 0 ? look_in_process(&run, o->units_pid) :
	    look_everywhere(&run);
	if (status == EXIT_DONE)
		status = metrics_write(&run.format);
	metrics_end(&run.format);
	return (status);
}
