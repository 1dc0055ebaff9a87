/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "machine/program.h"
#include "options/command_line.h"
#include "record.h"
#include "record/pipe.h"
#include "record/recording.h"

/* The recording of the run, and the one of a snapshot in it; or its pipe. */
static struct recording *recording, *snapshot;
static struct pipe *pipe_out;
static bool failed, in_snapshot;
static uint64_t written, removed;

/*
 * Reports the first error.  Returns 0, or an exit status.  That a pipe has lost
 * its reader is no error, but the run ends.
 */
static int
tell(const struct options *o, int error)
{
	if (error == 0 || failed)
		return (0);
	failed = true;
	if (error == -EPIPE)
		return (EXIT_DONE);
	return (fail(MSG_RECORD, o->record, strerror(-error)));
}

bool
record_failed(void)
{
	if (pipe_out != NULL && pipe_check(pipe_out) != 0)
		failed = true;
	return (failed);
}

/*
 * Makes standard output a pipe of packets.  All other output, such as that of a
 * command, goes to standard error.
 */
static int
open_pipe(const struct options *o)
{
	int fd;

	if (isatty(STDOUT_FILENO) == 1)
		return (fail(MSG_RECORD, o->record, MSG_RECORD_TERMINAL));
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd == -1 || dup2(STDERR_FILENO, STDOUT_FILENO) == -1)
		return (fail(MSG_RECORD, o->record, strerror(errno)));
	pipe_out = pipe_open(fd, o->record_block);
	return (0);
}

int
record_open(const struct options *o)
{
	const char *why;
	int error;

	if (o->record_pipe)
		return (open_pipe(o));
	recording = recording_open(o->record, o->record_size, &error, &why);
	if (recording != NULL)
		return (0);
	return (fail(MSG_RECORD, o->record, why != NULL ? why :
	    strerror(-error)));
}

/*
 * Returns the name of an action that needs its record to be printed or
 * performed here, NULL for others.
 */
static const char *
printing(const struct tbuf_d_action *action)
{
	static const char *const names[] = {
		[TBUF_ACTION_TRACE] = "trace()",
		[TBUF_ACTION_TRACEMEM] = "tracemem()",
		[TBUF_ACTION_PRINT] = "print()",
		[TBUF_ACTION_PRINTF] = "printf()",
		[TBUF_ACTION_PRINTA] = "printa()",
		[TBUF_ACTION_SYSTEM] = "system()",
		[TBUF_ACTION_FREOPEN] = "freopen()",
		[TBUF_ACTION_FTRUNCATE] = "ftruncate()",
		[TBUF_ACTION_SETOPT] = "setopt()",
		[TBUF_ACTION_CLEAR] = "clear()",
		[TBUF_ACTION_TRUNC] = "trunc()",
		[TBUF_ACTION_NORMALIZE] = "normalize()",
		[TBUF_ACTION_DENORMALIZE] = "denormalize()",
		[TBUF_ACTION_USTACK] = "ustack()",
		[TBUF_ACTION_STACK] = "stack()",
		[TBUF_ACTION_USYM] = "usym()",
		[TBUF_ACTION_UMOD] = "umod()",
		[TBUF_ACTION_UFUNC] = "ufunc()",
		[TBUF_ACTION_UADDR] = "uaddr()",
		[TBUF_ACTION_SYM] = "sym()",
		[TBUF_ACTION_MOD] = "mod()",
		[TBUF_ACTION_FUNC] = "func()",
		[TBUF_ACTION_AGGREGATE] = "an aggregation by ustack()"
	};

	return (action->kind < sizeof(names) / sizeof(names[0]) ?
	    names[action->kind] : NULL);
}

static int
check_record(const struct tbuf_d_record *record)
{
	const char *name;
	uint32_t i;

	for (i = 0; i < record->nactions; i++)
		if ((name = printing(&record->actions[i])) != NULL)
			return (bad_usage(MSG_TOGETHER, "--record", name));
	return (0);
}

int
record_check(const struct options *o, struct tbuf_consumer *consumer,
    const struct tbuf_d_script *script)
{
	int64_t temporal = 0;
	char most[24];
	uint32_t i, j;
	int status = 0;

	if (o->record == NULL)
		return (0);
	(void)tbuf_consumer_get(consumer, "temporal", &temporal);
	if (temporal != 0)
		return (bad_usage(MSG_TOGETHER, "--record", "-x temporal"));
	(void)snprintf(most, sizeof(most), "%zu", pipe_out != NULL ?
	    pipe_room(o->record_block) : RECORDING_PACKET);
	(void)tbuf_consumer_set(consumer, "packetsize", most);
	if (script == NULL)
		return (0);
	if (options_reads(o))
		return (bad_usage(MSG_TOGETHER, "--record",
		    "clauses over records that exist"));
	for (i = 0; i < script->nclauses && status == 0; i++)
		for (j = 0; j < script->clauses[i].nrecords && status == 0;
		    j++)
			status = check_record(&script->clauses[i].records[j]);
	return (status);
}

/* Calls the function for one loss of a packet. */
static void
tell_loss(const struct tbuf_packet *p, enum tbuf_event_type type,
    enum tbuf_cause cause, uint64_t count,
    void (*event)(void *, const struct tbuf_event *), void *arg)
{
	struct tbuf_event e = {
		.type = type, .pid = p->pid, .cpu = p->cpu, .cause = cause,
		.count = count
	};

	if (count != 0)
		event(arg, &e);
}

static void
tell_losses(const struct tbuf_packet *p,
    void (*event)(void *, const struct tbuf_event *), void *arg)
{
	bool unit = p->kind == TBUF_PACKET_UNIT;
	int i;

	for (i = 0; i < 3; i++)
		tell_loss(p, unit ? TBUF_EVENT_UNIT_DROPS : TBUF_EVENT_DROPS,
		    (enum tbuf_cause)i, p->drops[i], event, arg);
	tell_loss(p, unit ? TBUF_EVENT_UNIT_OVERWRITTEN :
	    TBUF_EVENT_OVERWRITTEN, TBUF_CAUSE_FULL, p->overwritten, event,
	    arg);
	tell_loss(p, TBUF_EVENT_DAMAGE, TBUF_CAUSE_FULL, p->damage, event,
	    arg);
	if (p->fault != NULL)
		event(arg, p->fault);
}

/* Adds a packet to the pipe, or to the recording of a run or snapshot. */
static int
add(struct tbuf_consumer *consumer, const struct tbuf_packet *packet)
{
	if (pipe_out != NULL)
		return (pipe_add(pipe_out, consumer, packet));
	return (recording_add(snapshot != NULL ? snapshot : recording,
	    consumer, packet));
}

int
record_drain(const struct options *o, struct tbuf_consumer *consumer,
    void (*event)(void *, const struct tbuf_event *), void *arg, bool *any)
{
	struct tbuf_packet packet;
	int status = 0, more;

	while ((more = tbuf_consumer_packet(consumer, &packet)) > 0) {
		*any |= packet.records != 0;
		/* A snapshot's losses and faults are reported later. */
		if (!in_snapshot)
			tell_losses(&packet, event, arg);
		if (!failed)
			status = tell(o, add(consumer, &packet));
	}
	return (status);
}

int
record_ended(const struct options *o, pid_t pid)
{
	if (pipe_out != NULL)
		return (tell(o, pipe_ended(pipe_out, pid)));
	return (recording == NULL ? 0 :
	    tell(o, recording_ended(recording, pid)));
}

int
record_close(const struct options *o)
{
	struct recording *r = recording;
	struct pipe *p = pipe_out;

	recording = NULL;
	pipe_out = NULL;
	if (p != NULL)
		return (tell(o, pipe_close(p)));
	return (r == NULL ? 0 : tell(o, recording_close(r)));
}

int
record_snapshot(const struct options *o)
{
	int error;

	in_snapshot = true;
	if (failed)
		return (0);
	if (pipe_out != NULL) {
		pipe_snapshot(pipe_out);
		return (0);
	}
	snapshot = recording_snapshot(recording, &error);
	return (tell(o, error));
}

int
record_snapshot_end(const struct options *o, uint64_t *records)
{
	struct recording *r = snapshot;

	*records = 0;
	in_snapshot = false;
	if (pipe_out != NULL && !failed)
		return (tell(o, pipe_snapshot_end(pipe_out, records)));
	if (r == NULL)
		return (0);
	snapshot = NULL;
	*records = recording_records(r);
	return (tell(o, recording_close(r)));
}

void
record_total(struct tbuf_totals *totals)
{
	if (pipe_out != NULL)
		written = pipe_records(pipe_out);
	else if (recording != NULL) {
		written = recording_records(recording);
		removed = recording_removed(recording);
	}
	totals->records = written - removed;
	totals->overwritten += removed;
}
