/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stddef.h>
#include <string.h>

#include "base/messages.h"
#include "machine/program.h"
#include "options/command_line.h"
#include "record.h"
#include "record/recording.h"

/* The recording of the run, and the one of a snapshot in it. */
static struct recording *recording, *snapshot;
static bool failed;
static uint64_t written, removed;

static int
tell(const struct options *o, int error)
{
	if (error == 0 || failed)
		return (0);
	failed = true;
	return (fail(MSG_RECORD, o->record, strerror(-error)));
}

int
record_open(const struct options *o)
{
	const char *why;
	int error;

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
	uint32_t i, j;
	int status = 0;

	if (o->record == NULL)
		return (0);
	(void)tbuf_consumer_get(consumer, "temporal", &temporal);
	if (temporal != 0)
		return (bad_usage(MSG_TOGETHER, "--record", "-x temporal"));
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

int
record_drain(const struct options *o, struct tbuf_consumer *consumer,
    void (*event)(void *, const struct tbuf_event *), void *arg, bool *any)
{
	struct recording *to = snapshot != NULL ? snapshot : recording;
	struct tbuf_packet packet;
	int status = 0, more;

	while ((more = tbuf_consumer_packet(consumer, &packet)) > 0) {
		*any |= packet.records != 0;
		/* A snapshot's losses and faults are reported later. */
		if (snapshot == NULL)
			tell_losses(&packet, event, arg);
		if (!failed)
			status = tell(o, recording_add(to, consumer,
			    &packet));
	}
	return (status);
}

int
record_ended(const struct options *o, pid_t pid)
{
	return (recording == NULL ? 0 :
	    tell(o, recording_ended(recording, pid)));
}

int
record_close(const struct options *o)
{
	struct recording *r = recording;

	if (r == NULL)
		return (0);
	recording = NULL;
	return (tell(o, recording_close(r)));
}

int
record_snapshot(const struct options *o)
{
	int error;

	if (failed)
		return (0);
	snapshot = recording_snapshot(recording, &error);
	return (tell(o, error));
}

int
record_snapshot_end(const struct options *o, uint64_t *records)
{
	struct recording *r = snapshot;

	*records = 0;
	if (r == NULL)
		return (0);
	snapshot = NULL;
	*records = recording_records(r);
	return (tell(o, recording_close(r)));
}

void
record_total(struct tbuf_totals *totals)
{
	if (recording != NULL) {
		written = recording_records(recording);
		removed = recording_removed(recording);
	}
	totals->records = written - removed;
	totals->overwritten += removed;
}
