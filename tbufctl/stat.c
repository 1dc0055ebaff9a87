/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --stat: the buffers of all sessions, a row a lane.  It only looks.
 */
#include <sys/ioctl.h>

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "messages.h"
#include "options.h"
#include "output.h"
#include "signals.h"
#include "stat.h"

struct table {
	struct output *out;
	bool limited;		/* to a screen */
	unsigned room;		/* lines that are left on it */
	const char *end;	/* of a line */
};

/* PID/NAME as one word, whatever a process calls itself. */
static void
name_consumer(const struct tbuf_lane_status *s, char *text, size_t size)
{
	char *p;

	(void)snprintf(text, size, "%jd/%s", (intmax_t)s->consumer,
	    s->consumer_name);
	for (p = text; *p != '\0'; p++)
		if (!isgraph((unsigned char)*p))
			*p = '_';
}

static int
print_lane(void *arg, const struct tbuf_lane_status *s)
{
	static const char *const policies[] = { "switch", "fill", "ring" };
	struct table *t = arg;
	char consumer[48], cpu[16];

	if (t->limited && t->room == 0)
		return (1);
	t->room--;
	name_consumer(s, consumer, sizeof(consumer));
	/* A lock lane is everybody's: there may be several of one CPU. */
	if (s->locked)
		(void)snprintf(cpu, sizeof(cpu), "L%u", s->number);
	else
		(void)snprintf(cpu, sizeof(cpu), "%d", s->cpu);
	output_printf(t->out, "%7jd %-20s %-6s %10" PRIu64 " %4s %10" PRIu64
	    " %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64
	    " %10" PRIu64 "%s", (intmax_t)s->pid, consumer,
	    s->policy >= 0 && s->policy < 3 ? policies[s->policy] : "?",
	    s->size, cpu, s->fill, s->records, s->overwritten,
	    s->drops[TBUF_CAUSE_FULL], s->drops[TBUF_CAUSE_LARGE],
	    s->drops[TBUF_CAUSE_NOLANE], t->end);
	return (0);
}

static int
print_table(const struct options *o, struct table *t)
{
	int error;

	output_printf(t->out, "%7s %-20s %-6s %10s %4s %10s %12s %12s %10s "
	    "%10s %10s%s", "PID", "CONSUMER", "POLICY", "SIZE", "CPU", "FILL",
	    "RECORDS", "OVERWRITTEN", "FULL", "LARGE", "NOLANE", t->end);
	error = tbuf_status(o->pids, o->npids, print_lane, t);
	return (error < 0 ? error : 0);
}

/* On a terminal the new table is written over the old one. */
static int
refresh(const struct options *o, struct output *out)
{
	struct table t = { .out = out, .end = "\033[K\n" };
	struct winsize w = { 0 };
	int error;

	/* The heading, and an empty last line, or the screen would scroll. */
	if (ioctl(out->fd, TIOCGWINSZ, &w) == 0 && w.ws_row > 2) {
		t.limited = true;
		t.room = w.ws_row - 2;
	}
	output_printf(out, "\033[H");
	error = print_table(o, &t);
	output_printf(out, "\033[J");
	return (error);
}

/* Sleep for the interval; false when a signal says that it is the end. */
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
 * Options that are wrong are told, though none matters here; and why a process
 * cannot be looked at is what a consumer would be told.
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

/* What is wrong with the runtime directory, as other modes say it. */
static const char *
problem(int error)
{

	switch (error) {
	case -ENOTDIR:
	case -ELOOP:
		return (MSG_DIRECTORY_LINK);
	case -EPERM:
		return (MSG_DIRECTORY_OTHERS);
	default:
		return (strerror(-error));
	}
}

int
stat_run(const struct options *o, struct output *out)
{
	bool terminal = o->interval > 0 && isatty(out->fd), first = true;
	struct table t = { .out = out, .end = "\n" };
	int error;

	if ((error = check(o)) != EXIT_DONE)
		return (error);
	if (o->interval > 0)
		signals_block();
	if (terminal)
		output_printf(out, "\033[2J");
	for (;; first = false) {
		if (!first && !terminal)
			output_printf(out, "\n");
		error = terminal ? refresh(o, out) : print_table(o, &t);
		output_flush(out);
		/* Processes that were there and are gone end it. */
		if (error == -ESRCH && !first)
			return (EXIT_DONE);
		if (error < 0)
			return (fail(MSG_STATUS, problem(error)));
		if (out->error != 0 || o->interval == 0 ||
		    !wait_next(o->interval))
			return (EXIT_DONE);
	}
}
