/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --left: lists or removes the files of dead processes.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/output.h"
#include "commands.h"
#include "metrics/prometheus.h"
#include "options/command_line.h"
#include "print/format.h"

#define NS	1000000000

/* Recordings of a program that were removed to make room for newer ones. */
struct program_removed {
	char *program;
	uint64_t count;
};

struct run {
	struct format format;
	uint64_t now;			/* ns of wall time */
	uint64_t removed, bytes;	/* by this run */
	bool headed;
	struct program_removed *programs;
	size_t nprograms;
	int status;
};

static void
add_removed(struct run *run, const struct tbuf_left *file)
{
	struct program_removed *p = run->programs;
	size_t i;

	if (file->removed == 0)
		return;
	for (i = 0; i < run->nprograms; i++)
		if (strcmp(p[i].program, file->program) == 0) {
			p[i].count += file->removed;
			return;
		}
	run->programs = p = memory_get(p, i + 1, sizeof(*p));
	p[i] = (struct program_removed){
		.program = memory_string(file->program),
		.count = file->removed
	};
	run->nprograms++;
}

/* Removes a file; with an age, only if its last record is at least that old. */
static void
remove_one(struct run *run, const struct tbuf_left *file)
{
	uint64_t age = run->format.options->left_age;
	int error;

	/* Files of containers are listed only. */
	if (strncmp(file->name, "/proc/", strlen("/proc/")) == 0)
		return;
	if (run->now < file->wall ? age > 0 : run->now - file->wall < age)
		return;
	if ((error = tbuf_left_remove(file)) < 0) {
		run->status = fail(MSG_LEFT_REMOVE, file->name,
		    strerror(-error));
		return;
	}
	run->removed++;
	run->bytes += file->bytes;
}

/* Prints the heading once, when it is known that there is something to read. */
static void
heading(struct run *run)
{
	if (!run->headed && !run->format.options->left_remove)
		run->format.ops->orphans(&run->format);
	run->headed = true;
}

static int
visit(void *arg, const struct tbuf_left *file)
{
	struct run *run = arg;

	heading(run);
	add_removed(run, file);
	if (file->end == TBUF_LEFT_ALIVE)
		return (0);
	if (run->format.options->left_remove)
		remove_one(run, file);
	else
		run->format.ops->orphan(&run->format, file);
	return (0);
}

static void
tell(struct run *run, bool looked)
{
	const struct options *o = run->format.options;
	char size[OUTPUT_NUMBER];
	size_t i;

	for (i = 0; i < run->nprograms; i++) {
		if (!o->left_remove && !o->quiet)
			message(MSG_LEFT_KEEP, run->programs[i].count,
			    PLURAL(run->programs[i].count),
			    run->programs[i].program);
		free(run->programs[i].program);
	}
	free(run->programs);
	if (o->left_remove && !o->quiet && (looked || run->removed != 0))
		message(MSG_LEFT_REMOVED, run->removed, PLURAL(run->removed),
		    format_size(size, run->bytes));
}

int
left_run(const struct options *o, struct output *out)
{
	struct run run = { .status = EXIT_DONE };
	struct timespec ts;
	int error;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	run.now = (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
	format_init(&run.format, out, o);
	metrics_begin(&run.format);
	if ((error = tbuf_left(visit, &run)) == 0)
		heading(&run);
	if (run.headed && !o->left_remove && metrics_write(&run.format) != 0)
		run.status = EXIT_FAILED;
	metrics_end(&run.format);
	output_flush(out);
	tell(&run, error == 0);
	if (error < 0)
		return (fail(MSG_LEFT_LOOK, format_directory(error)));
	return (run.status);
}
