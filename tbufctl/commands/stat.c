/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --stat: shows the buffers of all sessions, lane by lane; changes nothing.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/output.h"
#include "base/signals.h"
#include "commands.h"
#include "metrics/prometheus.h"
#include "options/command_line.h"
#include "print/format.h"
#include "print/terminal.h"

struct table {
	struct format format;
	bool limited;		/* to a screen */
	unsigned room;		/* free lines on it */
};

static int
print_lane(void *arg, const struct tbuf_lane_status *s)
{
	struct table *t = arg;

	if ((t->limited && t->room == 0) || signals_late())
		return (1);
	t->room--;
	t->format.ops->lane(&t->format, s);
	return (0);
}

static int
print_table(struct table *t)
{
	const struct options *o = t->format.options;
	struct timespec ts;
	int error;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	t->format.time = (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
	t->format.ops->status(&t->format);
	error = tbuf_status(o->pids, o->npids, print_lane, t);
	return (error < 0 ? error : 0);
}

/* Writes a new table over the old one on a terminal. */
static int
refresh(struct table *t)
{
	struct screen screen;
	int error;

	screen_begin(&screen, &t->format);
	/*
	 * One row is the heading; the last stays empty, or the screen would
	 * scroll.
	 */
	t->limited = screen.rows > 2;
	if (t->limited)
		t->room = screen.rows - 2;
	output_printf(t->format.out, "\033[H");
	error = print_table(t);
	output_printf(t->format.out, "\033[J");
	screen_end(&screen, &t->format);
	return (error);
}

/* Sleeps for the interval.  Returns false if a signal ends the program. */
static bool
wait_next(uint64_t interval)
{
	struct timespec ts = {
		.tv_sec = interval / 1000000000,
		.tv_nsec = interval % 1000000000
	};

	return (signals_wait(&ts));
}

/*
 * Reports wrong options, though none matters here, and why a process cannot be
 * read, with the message that a consumer gets.
 */
static int
check(const struct options *o)
{
	struct tbuf_consumer *consumer;
	size_t i;
	int status;

	if ((consumer = tbuf_consumer_new()) == NULL)
		return (fail(MSG_START, strerror(errno)));
	status = options_apply(o, consumer);
	for (i = 0; i < o->npids && status == EXIT_DONE; i++)
		if (tbuf_consumer_grab(consumer, o->pids[i]) < 0)
			status = fail(MSG_LIBRARY,
			    tbuf_consumer_error(consumer));
	tbuf_consumer_close(consumer);
	return (status);
}

/* Prints tables until a signal, or the end of the named processes. */
static int
print_tables(struct table *t)
{
	const struct options *o = t->format.options;
	struct output *out = t->format.out;
	bool first = true;
	int error, status;

	for (;; first = false) {
		if (!first && !t->format.objects && !t->format.screen)
			output_printf(out, "\n");
		error = t->format.screen ? refresh(t) : print_table(t);
		/* The end of the named processes ends the program. */
		if (error == -ESRCH && !first)
			return (EXIT_DONE);
		/* It has shown the others. */
		if (error == -ETIMEDOUT && first)
			message(MSG_STATUS, format_directory(error));
		status = error < 0 && error != -ETIMEDOUT ?
		    fail(MSG_STATUS, format_directory(error)) :
		    metrics_write(&t->format);
		output_flush(out);
		if (signals_late())
			return (fail(MSG_UNCOUNTED));
		if (status != EXIT_DONE)
			return (status);
		if (out->error != 0 || o->interval == 0 ||
		    !wait_next(o->interval))
			return (EXIT_DONE);
		output_rotate(out, o->prometheus ? NULL : o->output);
	}
}

int
stat_run(const struct options *o, struct output *out)
{
	struct table t = { 0 };
	int status;

	if ((status = check(o)) != EXIT_DONE)
		return (status);
	format_init(&t.format, out, o);
	metrics_begin(&t.format);
	t.format.screen = !t.format.objects && o->interval > 0 &&
	    isatty(out->fd);
	if (o->interval > 0)
		signals_end();
	if (t.format.screen)
		output_printf(out, "\033[2J");
	status = print_tables(&t);
	metrics_end(&t.format);
	return (status);
}
