/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/wait.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/signals.h"
#include "consume.h"
#include "debuginfo/unwind.h"
#include "elf/pid_report.h"
#include "elf/usdt_notes.h"
#include "hints.h"
#include "options/command_line.h"
#include "print/action.h"
#include "metrics/prometheus.h"
#include "print/address.h"
#include "print/aggregation.h"
#include "print/format.h"
#include "record.h"
#include "script/compile.h"
#include "view/viewer.h"

struct run {
	struct tbuf_consumer *consumer;
	const struct options *options;
	struct compiled *compiled;	/* NULL: no script */
	struct known *known;		/* for suggestions */
	struct format format;
	pid_t command;		/* 0: none */
	bool command_ended;
	bool *reported;		/* matches are reported, by description */
	bool one;		/* --units=PID:ID or --units=hung */
	bool selects;		/* not all records of no unit are printed */
	bool found;		/* a record or unit is printed */
	bool begun;		/* a record of a target has come */
	bool alike;		/* further ones need fewer checks */
	bool hinted;		/* near probes of targets are suggested */
	bool stopped;		/* the output failed or has no reader */
	bool unfit;		/* a clause does not fit a probe */
	bool skipped;		/* untraced processes are reported */
	bool truncated;		/* a truncated control file is reported */
	bool telling;		/* this drain reports losses */
	bool ordered;		/* a thread's records come in order, once */
	int cpu;		/* of this drain's last record */
	uint64_t period;	/* statusrate, ns */
	uint64_t due;		/* when losses are reported next */
	struct loss *losses;	/* sorted by CPU, then pid */
	size_t nlosses;
	int status;		/* to exit with */
};

static uint64_t
now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ((uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec);
}

/* ---------------------------------------------------------------- notices */

/* Sizes that may be lowered when a run begins. */
static const struct {
	const char *option, *message;
} sizes[] = {
	{ "bufsize", MSG_LOWERED },
	{ "aggsize", MSG_LOWERED_AGGREGATION },
	{ "specsize", MSG_LOWERED_SPECULATION },
	{ "dynvarsize", MSG_LOWERED_DYNAMIC },
	{ "strsize", MSG_LOWERED_STRING },
	{ "scratchsize", MSG_LOWERED_SCRATCH },
	{ "unitsize", MSG_LOWERED_UNIT },
	{ "nspec", NULL }	/* a number */
};
#define NSIZES	(sizeof(sizes) / sizeof(sizes[0]))

static void
get_sizes(const struct run *run, int64_t size[NSIZES])
{
	size_t i;

	for (i = 0; i < NSIZES; i++)
		(void)tbuf_consumer_get(run->consumer, sizes[i].option,
		    &size[i]);
}

/* Reports a size with the largest suffix that divides it, as DTrace does. */
static void
tell_size(const char *format, int64_t size)
{
	static const char units[] = "kmgt";
	char text[32];
	int unit = -1;

	while (unit < 3 && size != 0 && size % 1024 == 0) {
		size /= 1024;
		unit++;
	}
	if (unit == -1)
		(void)snprintf(text, sizeof(text), "%jd bytes",
		    (intmax_t)size);
	else
		(void)snprintf(text, sizeof(text), "%jd%c", (intmax_t)size,
		    units[unit]);
	message(format, text);
}

static void
tell_lowered(const struct run *run, const int64_t before[NSIZES])
{
	int64_t after[NSIZES] = { 0 };
	size_t i;

	if (run->options->quiet || !tbuf_consumer_lowered(run->consumer))
		return;
	get_sizes(run, after);
	for (i = 0; i < NSIZES; i++)
		if (after[i] != before[i] && sizes[i].message == NULL)
			message(MSG_LOWERED_NSPEC, (intmax_t)after[i]);
		else if (after[i] != before[i])
			tell_size(sizes[i].message, after[i]);
}

/*
 * Reports how many probes each description matches, once; one without matches
 * so far only if `all` is set.
 */
static void
tell_matched(struct run *run, bool all)
{
	const struct program *program = &run->options->program;
	const struct description *d;
	unsigned n;
	size_t i;

	if (run->options->quiet)
		return;
	if (run->compiled != NULL)
		compile_tell(run->compiled, run->reported, all);
	for (i = 0; i < program->count; i++) {
		d = &program->all[i];
		if (run->reported[i] || d->is_program)
			continue;
		n = tbuf_consumer_matched(run->consumer, d->enabling);
		if (n == 0 && (!all || d->hinted))
			continue;
		message(MSG_MATCHED, d->text, n, PLURAL(n));
		run->reported[i] = true;
	}
}

/*
 * Suggests probes for descriptions that match nothing yet, as a command may run
 * for long.  With -Z these are no mistake.
 */
static void
tell_near(struct run *run, bool early)
{
	const struct options *o = run->options;

	if (o->quiet || o->unmatched || run->command == 0)
		return;
	known_hint(run->known, &o->program, early);
	if (run->compiled != NULL)
		compile_hint(run->compiled, early);
}

static int
any(void *arg, const struct tbuf_probe_info *probe)
{
	(void)arg;
	(void)probe;
	return (1);
}

/* Does so once a target has probes. */
static void
tell_near_probes(struct run *run)
{
	if (run->hinted ||
	    tbuf_consumer_probes(run->consumer, any, NULL) <= 0)
		return;
	run->hinted = true;
	tell_near(run, false);
}

/* Returns an error's text, as for a run that cannot begin because of it. */
static const char *
lack(int error)
{
	switch (error) {
	case -ENOSPC:
		return (MSG_LACK_SPACE);
	case -EUSERS:
		return (MSG_LACK_SLOTS);
	case -E2BIG:
		return (MSG_LACK_EPIDS);
	case -EAGAIN:
		return (MSG_LACK_LEASE);
	default:
		return (strerror(-error));
	}
}

/* Reports once that some processes are not traced. */
static void
tell_skipped(struct run *run)
{
	int error = tbuf_consumer_skipped(run->consumer);

	if (error != 0 && !run->skipped)
		message(MSG_SKIPPED, lack(error));
	run->skipped = error != 0;
}

void
tell_missed(struct tbuf_consumer *consumer)
{
	uint64_t count;
	const char *why;

	while ((why = tbuf_consumer_missed(consumer, &count)) != NULL)
		message(MSG_MISSED, count, PLURAL_ES(count), why);
}

/* Reports why profile-N samples less than it was asked to. */
static void
tell_unsampled(struct run *run)
{
	const char *why;

	while ((why = tbuf_consumer_unsampled(run->consumer)) != NULL)
		message("%s", why);
}

void
tell_lost(struct tbuf_consumer *consumer)
{
	uint64_t count;
	pid_t pid;

	while (tbuf_consumer_lost(consumer, &pid, &count))
		message(MSG_LOST, count, PLURAL(count), (intmax_t)pid);
}

/*
 * Reports probes that a target does not reach: their semaphores could not be
 * raised.
 */
static void
tell_waiting(struct run *run)
{
	uint64_t count;
	pid_t pid;

	while (tbuf_consumer_waiting(run->consumer, &pid, &count))
		message(MSG_WAITING, count, PLURAL(count), (intmax_t)pid,
		    count == 1 ? "s" : "");
}

/* ----------------------------------------------------------------- losses */

/*
 * Returns the entry of an event's CPU and pid, which is added if there is none.
 */
static struct loss *
loss_get(struct run *run, const struct tbuf_event *e)
{
	size_t low = 0, high = run->nlosses, middle;
	struct loss *l;

	while (low < high) {
		middle = low + (high - low) / 2;
		l = &run->losses[middle];
		if (l->cpu == e->cpu && l->pid == e->pid)
			return (l);
		if (l->cpu < e->cpu || (l->cpu == e->cpu && l->pid < e->pid))
			low = middle + 1;
		else
			high = middle;
	}
	run->losses = memory_get(run->losses, run->nlosses + 1,
	    sizeof(*run->losses));
	l = &run->losses[low];
	memmove(l + 1, l, (run->nlosses - low) * sizeof(*l));
	run->nlosses++;
	*l = (struct loss){ .cpu = e->cpu, .pid = e->pid };
	return (l);
}

/* Adds an event's losses.  The times are around all of them, where known. */
static void
loss_add(struct loss_count *to, const struct tbuf_event *e)
{
	if (to->count == 0 || e->after < to->after)
		to->after = e->after;
	/* 0, which is not known, becomes the largest time. */
	if (to->count == 0 || e->before - 1 > to->before - 1)
		to->before = e->before;
	to->count += e->count;
}

/* Reports the losses of CPUs up to `cpu`, and removes their entries. */
static void
tell_losses(struct run *run, int cpu)
{
	size_t from = 0, to;

	while (from < run->nlosses && run->losses[from].cpu <= cpu) {
		for (to = from; to < run->nlosses &&
		    run->losses[to].cpu == run->losses[from].cpu; to++)
			continue;
		run->format.ops->losses(&run->format, &run->losses[from],
		    to - from);
		from = to;
	}
	if (from == 0)
		return;
	run->nlosses -= from;
	memmove(run->losses, run->losses + from,
	    run->nlosses * sizeof(*run->losses));
}

/* ----------------------------------------------------------------- events */

/* Ends the run if the recording failed, as check_output() does. */
static void
check_record(struct run *run, int status)
{
	if (run->stopped || !record_failed())
		return;
	run->stopped = true;
	run->status = status;
	tbuf_consumer_stop(run->consumer);
}

static void
print_other(struct run *run, const struct tbuf_event *e)
{
	switch (e->type) {
	case TBUF_EVENT_DROPS:
		flow_forget(&run->format.flow, e->pid);
		viewer_lost(&run->format, e);
		loss_add(&loss_get(run, e)->drops[e->cause], e);
		break;
	case TBUF_EVENT_GAP:
		viewer_lost(&run->format, e);
		break;
	case TBUF_EVENT_OVERWRITTEN:
		loss_add(&loss_get(run, e)->overwritten, e);
		break;
	case TBUF_EVENT_DAMAGE:
		flow_forget(&run->format.flow, e->pid);
		viewer_lost(&run->format, e);
		loss_add(&loss_get(run, e)->damage, e);
		break;
	case TBUF_EVENT_EXIT:
		if (e->child && e->pid == run->command)
			run->command_ended = true;
		flow_forget(&run->format.flow, e->pid);
		tell_matched(run, false);
		check_record(run, record_ended(run->options, e->pid));
		run->format.ops->exited(&run->format, e);
		break;
	case TBUF_EVENT_UNFIT:
		run->unfit = run->compiled != NULL;
		if (run->unfit)
			compile_tell_unfit(run->compiled);
		/* FALLTHROUGH */
	case TBUF_EVENT_LOST:
	case TBUF_EVENT_UNMET:
		message(e->type == TBUF_EVENT_LOST ? MSG_LOST :
		    e->type == TBUF_EVENT_UNMET ? MSG_UNMET : MSG_UNFIT,
		    e->count, PLURAL(e->count), (intmax_t)e->pid);
		break;
	case TBUF_EVENT_FAULT:
		action_fault(&run->format, e);
		break;
	case TBUF_EVENT_AGGREGATION:
	case TBUF_EVENT_DYNAMIC:
	case TBUF_EVENT_SPECULATIVE:
	case TBUF_EVENT_UNAVAILABLE:
	case TBUF_EVENT_BUSY:
	case TBUF_EVENT_ERRORS:
	case TBUF_EVENT_TIMERS:
	case TBUF_EVENT_SNAPSHOTS:
	case TBUF_EVENT_UNIT_DROPS:
	case TBUF_EVENT_UNIT_OVERWRITTEN:
	case TBUF_EVENT_UNITS:
		run->format.ops->count(&run->format, e);
		break;
	default:
		break;
	}
}

/*
 * Ends the run in the orderly way, as a signal does, if the output fails or has
 * lost its reader.  A lost reader is no error; a lost terminal is one if there
 * is still output for it.
 */
static void
check_output(struct run *run)
{
	const struct output *out = run->format.out;

	if (run->stopped || (run->format.metrics != NULL &&
	    run->options->output != NULL) ||
	    (out->error == 0 && !output_unread(out)))
		return;
	run->stopped = true;
	if (out->error != 0 && out->error != EPIPE && out->error != ECANCELED)
		run->status = fail(MSG_WRITE, output_failed(out,
		    run->options->output), strerror(out->error));
	tbuf_consumer_stop(run->consumer);
}

/* Writes metrics, if it is time.  Ends the run as check_output() does. */
static void
write_metrics(struct run *run)
{
	int status = metrics_turn(&run->format);

	if (status == 0 || run->stopped)
		return;
	run->stopped = true;
	run->status = status;
	tbuf_consumer_stop(run->consumer);
}

/*
 * Returns true unless a record belongs to the unfinished unit of
 * --units=PID:ID, or to a hung one of --units=hung.
 */
static bool
unit_unwanted(const struct options *o, const struct tbuf_record *record)
{
	if (o->units_hung)
		return (record->unit == NULL || record->unit->hung == 0);
	return (record->unit == NULL || record->unit->ended ||
	    record->unit->id != o->units_id || record->pid != o->units_pid);
}

/* Handles a record of another CPU than the last one. */
static void
next_cpu(struct run *run, int cpu)
{
	if (run->telling && cpu > run->cpu)
		tell_losses(run, cpu - 1);
	run->cpu = cpu;
}

/* Reports matches at the first record of a target, which has its probes. */
static void
tell_begun(struct run *run, const struct tbuf_record *record)
{
	const char *provider = record->probe->provider;

	if (strcmp(provider, "dtrace") == 0 ||
	    strcmp(provider, "profile") == 0)
		return;
	run->begun = true;
	tell_matched(run, false);
}

/*
 * Returns true for a record of a hung unit that comes again, and counts then.
 * A viewer's slices are made of it then, too.  The record is of a unit.
 */
static bool
comes_again(const struct run *run, const struct tbuf_record *record)
{
	return (record->unit->hung != 0 && !options_reads(run->options));
}

static void
print_hung(struct run *run, const struct tbuf_event *e)
{
	if (run->one && unit_unwanted(run->options, &e->record))
		return;
	run->found = true;
	if (!signals_late() && run->options->record == NULL)
		run->format.ops->count(&run->format, e);
}

/*
 * Returns true for a record that is not printed, as the recording has it, or
 * will have it.  The script's own have actions to perform.
 */
static bool
is_recorded(const struct run *run, const struct tbuf_record *record)
{
	return (run->options->record != NULL &&
	    (record->epid == 0 || record->unit != NULL));
}

/* Returns true unless a record is printed. */
static bool
is_omitted(const struct run *run, const struct tbuf_record *record, bool again)
{
	return ((run->one && unit_unwanted(run->options, record)) ||
	    (again && run->options->view != VIEW_NONE) ||
	    is_recorded(run, record));
}

static void
print_any(struct run *run, const struct tbuf_record *record)
{
	struct format *f = &run->format;
	bool again = record->unit != NULL && comes_again(run, record);

	/* Most records are of no unit, and most runs print all of these. */
	if ((run->selects || record->unit != NULL) &&
	    is_omitted(run, record, again))
		return;
	run->found = true;
	if (signals_late()) {
		f->late.records += !again;
		return;
	}
	if (!run->begun)
		tell_begun(run, record);
	if (record->cpu != run->cpu)
		next_cpu(run, record->cpu);
	if (f->more)
		with_record(&f->with, record);
	if (record->epid != 0)
		action_record(f, record);
	else
		f->ops->record(f, record, format_prepared(f, record->probe));
	f->out->records += !again;
	run->alike = run->begun && !run->selects && !f->more;
}

/* A record is most often as the last one was: of its CPU, and of no unit. */
static void
print_record(struct run *run, const struct tbuf_record *record)
{
	struct format *f = &run->format;

	if (!run->alike || record->unit != NULL || record->epid != 0 ||
	    record->cpu != run->cpu || signals_late()) {
		print_any(run, record);
		return;
	}
	f->ops->record(f, record, format_prepared(f, record->probe));
	f->out->records++;
}

static void
record_event(void *arg, const struct tbuf_event *e)
{
	print_other(arg, e);
}

/* Records the packets of the last tbuf_consumer_work(). */
static void
record_packets(struct run *run)
{
	bool any = false;

	check_record(run, record_drain(run->options, run->consumer,
	    record_event, run, &any));
	if (any && !run->begun) {
		run->begun = true;
		tell_matched(run, false);
	}
}

/*
 * Prints the events of the last tbuf_consumer_work().  If losses are reported,
 * those of a CPU come right after its records.
 */
static int
drain(struct run *run)
{
	struct tbuf_event e;
	int more;

	run->cpu = FORMAT_NO_CPU;
	if (!run->ordered)
		flow_forget_all(&run->format.flow);
	format_drain(&run->format);
	if (run->options->record != NULL)
		record_packets(run);
	while ((more = tbuf_consumer_next(run->consumer, &e)) > 0) {
		if (e.type == TBUF_EVENT_RECORD)
			print_record(run, &e.record);
		else if (e.type == TBUF_EVENT_HUNG)
			print_hung(run, &e);
		else if (!run->options->units_hung)
			print_other(run, &e);
		if (run->format.out->error != 0)
			check_output(run);
		if (run->format.aborted != NULL)
			return (fail(MSG_ABORTED, run->format.aborted));
		if (signals_over()) {
			run->format.late.more = true;
			break;
		}
	}
	if (more < 0)
		return (fail(MSG_ABORTED, strerror(-more)));
	if (run->telling)
		tell_losses(run, INT32_MAX);
	viewer_drained(&run->format);
	output_flush(run->format.out);
	check_output(run);
	return (0);
}

/* ------------------------------------------------------------ the run */

/*
 * Returns true if losses are due.  The library's timer runs beside ours, so a
 * little early is on time.
 */
static bool
is_due(struct run *run)
{
	uint64_t time = now() + run->period / 16;

	if (time < run->due)
		return (false);
	run->due += run->period;
	if (run->due <= time)
		run->due = time + run->period;
	return (true);
}

static void
tell_truncated(struct run *run)
{
	if (!signals_truncated() || run->truncated)
		return;
	run->truncated = true;
	run->status = fail(MSG_SIGBUS);
}

/*
 * Prints the records that the buffers hold, and goes on.  Under switch that is
 * an early switch; else they stay in the buffers.
 */
static int
snapshot(struct run *run)
{
	struct output *out = run->format.out;
	uint64_t before = out->written, late = run->format.late.records;
	bool stays = true;
	uint64_t records;
	int error, status;

	error = tbuf_consumer_snapshot(run->consumer);
	if (error == -ENOTSUP) {
		stays = false;
		error = tbuf_consumer_switch(run->consumer);
	}
	if (error < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(run->consumer)));
	run->telling = false;
	if (stays && run->options->record != NULL)
		check_record(run, record_snapshot(run->options));
	status = drain(run);
	if (stays && run->options->record != NULL) {
		check_record(run, record_snapshot_end(run->options,
		    &records));
		if (status == 0)
			run->format.ops->snapshot(&run->format, records);
	} else if (status == 0 && stays) {
		run->format.ops->snapshot(&run->format, out->written - before);
		out->written = before;
		run->format.late.records = late;
	}
	return (status);
}

/* Returns true if SIGUSR1 or a clause has asked for a snapshot. */
static bool
snapshot_asked(struct run *run)
{
	bool due = tbuf_consumer_snapshot_due(run->consumer);

	return (signals_snapshot() || due);
}

/*
 * Waits once, and prints the results.  *error is the library's: more than 0
 * while tracing goes on.
 */
static int
run_drain(struct run *run, int *error)
{
	int status;

	*error = tbuf_consumer_work(run->consumer);
	notes_report_look();
	pid_report_look();
	if (run->format.metrics == NULL)
		output_rotate(run->format.out, run->options->output);
	tell_skipped(run);
	tell_truncated(run);
	run->telling = *error <= 0 || is_due(run);
	if (run->telling) {
		tell_missed(run->consumer);
		tell_unsampled(run);
		tell_waiting(run);
	}
	status = drain(run);
	if (run->telling && *error > 0)
		tell_near_probes(run);
	if (run->telling && status == 0 && *error > 0)
		top_draw(&run->format);
	write_metrics(run);
	if (status == 0 && *error > 0 && snapshot_asked(run))
		status = snapshot(run);
	return (status);
}

/* Reports descriptions that match nothing.  Returns false if there are any. */
static bool
all_matched(const struct run *run)
{
	enum unmatched one, most = program_unmatched(&run->options->program,
	    run->consumer, known_near, run->known);

	if (run->compiled != NULL) {
		one = compile_unmatched(run->compiled);
		most = one > most ? one : most;
	}
	if (most >= UNMATCHED_FUNCTION)
		hints_tell_command(run->options, run->consumer,
		    most == UNMATCHED_FUNCTION);
	return (most == UNMATCHED_NONE);
}

/* Reports, as an error, the output that a signal has cut. */
static void
tell_late(struct run *run)
{
	const struct output *out = run->format.out;
	uint64_t records = run->format.late.records + out->late;
	uint64_t keys = run->format.late.keys;
	char bytes[64] = "";

	if (records + keys + out->late_bytes == 0 && !run->format.late.more)
		return;
	if (out->late_bytes != 0)
		(void)snprintf(bytes, sizeof(bytes), MSG_UNPRINTED_BYTES,
		    out->late_bytes, PLURAL(out->late_bytes));
	run->status = fail(MSG_UNPRINTED, records, PLURAL(records), keys,
	    PLURAL(keys), bytes, run->format.late.more ?
	    MSG_UNPRINTED_MORE : "");
}

/* That no unit is hung is no error. */
static void
tell_no_unit(struct run *run)
{
	const struct options *o = run->options;

	if (o->units_hung)
		message(MSG_NO_HUNG);
	else
		run->status = fail(MSG_NO_UNIT, (intmax_t)o->units_pid,
		    o->units_id);
}

/*
 * Notes the end of the command if it has ended since the library looked, or its
 * event is among those that a signal has cut.
 */
static void
look_at_command(struct run *run)
{
	siginfo_t info = { .si_pid = 0 };

	if (run->command != 0 && waitid(P_PID, (id_t)run->command, &info,
	    WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
		run->command_ended = true;
}

static int
finish(struct run *run, int error)
{
	const struct options *o = run->options;
	const struct output *out = run->format.out;
	struct tbuf_totals totals;
	int status = 0;
	bool exited;

	if (error < 0)
		run->status = fail(MSG_LIBRARY,
		    tbuf_consumer_error(run->consumer));
	tell_truncated(run);
	tell_matched(run, false);
	look_at_command(run);
	exited = tbuf_consumer_exited(run->consumer, &status);
	/* A command that a signal leaves running may register probes later. */
	if (o->unmatched || run->command == 0 ||
	    (!run->command_ended && !exited)) {
		tell_near(run, false);
		tell_matched(run, true);
	} else if (!all_matched(run))
		run->status = EXIT_FAILED;
	if (run->unfit && compile_unfit(run->compiled))
		run->status = EXIT_FAILED;
	if (run->command != 0 && !run->command_ended)
		message(MSG_RUNNING, (intmax_t)run->command);
	tbuf_consumer_totals(run->consumer, &totals);
	if (o->record != NULL)
		record_total(&totals);
	else if (out->error != 0)
		totals.records = out->written;
	else
		totals.records -= run->format.late.records;
	top_end(&run->format);
	/* The totals are not those of one unit. */
	if (!run->one) {
		run->format.ops->total(&run->format, &totals);
		if (metrics_write(&run->format) != 0 ||
		    viewer_write(&run->format, &totals) != 0)
			run->status = EXIT_FAILED;
	}
	else if (!run->found && out->error == 0 && run->status == 0)
		tell_no_unit(run);
	output_flush(run->format.out);
	tell_late(run);
	if (run->status == 0 && exited)
		run->status = status;
	return (run->status);
}

/* Returns true if there are only programs, without any clause. */
static bool
is_empty(const struct run *run)
{
	const struct program *program = &run->options->program;
	size_t i;

	for (i = 0; i < program->count; i++)
		if (!program->all[i].is_program)
			return (false);
	return (run->compiled->script->nclauses == 0);
}

/*
 * Reports a script's matches before it begins.  Returns 0, or an exit status if
 * it cannot begin.
 */
static int
tell_script(struct run *run)
{
	const struct options *o = run->options;
	const struct tbuf_d_script *script;
	uint32_t i;

	if (run->compiled == NULL)
		return (0);
	if (!o->quiet)
		compile_tell(run->compiled, run->reported, run->command == 0);
	if (is_empty(run))
		return (fail(MSG_NO_CLAUSE));
	script = run->compiled->script;
	for (i = 0; i < script->nclauses && !o->d.destructive; i++)
		if ((script->clauses[i].flags & TBUF_CLAUSE_DESTRUCTIVE) != 0)
			break;
	if (i == script->nclauses || o->d.destructive)
		return (0);
	(void)fail(MSG_DESTRUCTIVE);
	return (fail(MSG_ALLOW, d_destructive(run->compiled->compiler)));
}

/*
 * Returns true if a drain goes on where the one before ended, for each thread.
 * A snapshot leaves its records to the next drain.
 */
static bool
is_ordered(const struct run *run)
{
	int64_t temporal = 0, policy = 0;

	(void)tbuf_consumer_get(run->consumer, "temporal", &temporal);
	(void)tbuf_consumer_get(run->consumer, "bufpolicy", &policy);
	return (temporal != 0 &&
	    (policy == 0 || options_reads(run->options)));
}

static int
run_all(struct run *run)
{
	const struct options *o = run->options;
	const char *problem = top_problem(&run->format);
	int64_t period = 0, size[NSIZES] = { 0 };
	int error, status;

	if (problem == NULL)
		problem = viewer_problem(&run->format);
	if (problem != NULL)
		return (fail("%s", problem));
	if ((status = tell_script(run)) != 0)
		return (status);
	get_sizes(run, size);
	if (!options_reads(o))
		with_start(&run->format.with, now());
	if (tbuf_consumer_go(run->consumer) < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(run->consumer)));
	if (run->command == 0) {
		if (!o->unmatched &&
		    program_unmatched(&o->program, run->consumer, known_near,
		    run->known))
			return (EXIT_FAILED);
		tell_matched(run, true);
	}
	tell_near(run, true);
	tell_lowered(run, size);
	if (run->compiled != NULL && o->d.destructive && !o->quiet)
		message(MSG_ALLOWING);
	tell_skipped(run);
	tell_lost(run->consumer);
	tell_waiting(run);
	run->ordered = is_ordered(run);
	(void)tbuf_consumer_get(run->consumer, "statusrate", &period);
	run->period = period;
	run->due = now() + run->period;
	do {
		status = run_drain(run, &error);
	} while (status == 0 && error > 0);
	return (status != 0 ? status : finish(run, error));
}

int
consume(struct tbuf_consumer *consumer, const struct options *options,
    struct output *out, pid_t command, struct compiled *compiled,
    struct known *known)
{
	struct run run = {
		.consumer = consumer, .options = options, .command = command,
		.compiled = compiled, .known = known,
		.one = options->units_one || options->units_hung,
		.selects = options->units_one || options->units_hung ||
		    options->record != NULL
	};
	int status, error;

	signals_running();
	run.reported = memory_get(NULL, options->program.count, sizeof(bool));
	memset(run.reported, 0, options->program.count * sizeof(bool));
	format_init(&run.format, out, options);
	address_begin(options, consumer,
	    compiled != NULL && !options_reads(options) ?
	    compiled->target : 0);
	/* Records of files may have stacks that another run took. */
	if (options->d.unwind || compiled == NULL)
		unwind_begin(consumer);
	run.format.consumer = consumer;
	if (options->view != VIEW_NONE)
		viewer_begin(&run.format);
	metrics_begin(&run.format);
	metrics_run(&run.format, consumer,
	    compiled != NULL ? compiled->script : NULL);
	run.format.script = compiled != NULL;
	status = run_all(&run);
	if (options->record != NULL &&
	    (error = record_close(options)) != 0 && status == EXIT_DONE)
		status = error;
	viewer_end(&run.format);
	metrics_end(&run.format);
	format_free(&run.format);
	unwind_end();
	address_end();
	free(run.losses);
	free(run.reported);
	return (status);
}
