/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An implementation of tbuf_consumer.h that plays scripts (fake.h).
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tbuf_text.h>

#include "fake.h"

#define PROBES_MAX	64

struct tbuf_consumer {
	struct fake_lines *lines;
	struct fake_line *at;	/* the next line of the rounds */
	bool show;
	pid_t command;
	unsigned missed, unsampled;	/* lines already returned */
	unsigned lost;		/* `lost' lines returned */
	unsigned waiting;	/* `waiting' lines returned */
	volatile sig_atomic_t stop;
	bool ended;
	bool snapshot;		/* a snapshot is being read */
	bool lowered;
	int64_t bufsize;
	int64_t statusrate;
	int enablings;
	unsigned enabling;	/* of the records that follow */
	struct tbuf_unit_info unit;	/* likewise; no kind: none */
	char error[256];
	struct tbuf_totals totals;
	uint64_t repeat;	/* further copies of `event` */
	struct tbuf_event event;
	struct {
		pid_t pid;
		struct tbuf_probe_info info;
	} probes[PROBES_MAX];
	unsigned nprobes;
	struct tbuf_value values[TBUF_ARGS_MAX];
};

const char *
tbuf_version(void)
{

	return ("0.0.0");
}

static void
show(const struct tbuf_consumer *c, const char *format, ...)
{
	va_list ap;

	if (!c->show)
		return;
	va_start(ap, format);
	(void)vfprintf(stderr, format, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
}

static int
refuse(struct tbuf_consumer *c, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(c->error, sizeof(c->error), format, ap);
	va_end(ap);
	return (error);
}

/* Returns the error that the script sets for a call, or 0. */
static int
scripted(struct tbuf_consumer *c, const struct fake_lines *lines,
    const char *call)
{
	const struct fake_line *line;

	STAILQ_FOREACH(line, lines, next) {
		if (!fake_is(line, "fail") ||
		    strcmp(fake_text(line, 1), call) != 0)
			continue;
		if (c == NULL)
			return (fake_errno(line, 2));
		return (refuse(c, fake_errno(line, 2), "%s",
		    fake_text(line, 3)));
	}
	return (0);
}

static void
add_probe(struct tbuf_consumer *c, const struct fake_line *line, pid_t pid)
{
	struct tbuf_probe_info *info;
	unsigned i;

	if (c->nprobes == PROBES_MAX || line->count > 6 + TBUF_ARGS_MAX)
		fake_wrong(line, "too many");
	c->probes[c->nprobes].pid = pid;
	info = &c->probes[c->nprobes++].info;
	info->id = fake_number(line, 1);
	info->provider = fake_text(line, 2);
	info->module = fake_text(line, 3);
	info->function = fake_text(line, 4);
	info->name = fake_text(line, 5);
	info->nargs = line->count - 6;
	for (i = 0; i < info->nargs; i++)
		info->types[i] = fake_type(line, 6 + i, &info->argnames[i]);
}

struct tbuf_consumer *
tbuf_consumer_new(void)
{
	struct tbuf_consumer *c = calloc(1, sizeof(*c));
	struct fake_line *line;
	pid_t pid = 0;

	if (c == NULL)
		return (NULL);
	c->lines = fake_script();
	c->bufsize = 4 << 20;
	c->statusrate = 1000000000;
	STAILQ_FOREACH(line, c->lines, next) {
		if (fake_is(line, "target"))
			pid = fake_number(line, 1);
		else if (fake_is(line, "probe"))
			add_probe(c, line, pid);
		else if (fake_is(line, "show"))
			c->show = true;
	}
	if ((errno = -scripted(NULL, c->lines, "new")) != 0) {
		free(c);
		return (NULL);
	}
	c->at = STAILQ_FIRST(c->lines);
	return (c);
}

void
tbuf_consumer_close(struct tbuf_consumer *c)
{

	free(c);
}

const char *
tbuf_consumer_error(const struct tbuf_consumer *c)
{

	return (c->error);
}

int
tbuf_consumer_set(struct tbuf_consumer *c, const char *name, const char *value)
{
	uint64_t number = 0;

	show(c, value != NULL ? "set %s %s" : "set %s", name, value);
	if (strcmp(name, "aggsize") == 0)
		return (refuse(c, -ENOTSUP,
		    "failed to set -x %s: handled by tbufctl, not by the "
		    "library", name));
	if (strcmp(name, "bufsize") == 0) {
		if (tbuf_parse_size(value, &number) < 0 || number == 0)
			return (refuse(c, -EINVAL, "failed to set -x bufsize: "
			    "Invalid value for specified option: '%s' is not a "
			    "size", value));
		c->bufsize = number;
	} else if (strcmp(name, "statusrate") == 0) {
		if (tbuf_parse_rate(value, &number) < 0)
			return (refuse(c, -EINVAL, "failed to set -x %s: "
			    "Invalid value for specified option: '%s' is not a "
			    "rate", name, value));
		c->statusrate = number;
	} else if (strcmp(name, "follow") != 0 &&
	    strcmp(name, "temporal") != 0)
		return (refuse(c, -ENOENT,
		    "failed to set -x %s: Invalid option name", name));
	return (0);
}

int
tbuf_consumer_get(const struct tbuf_consumer *c, const char *name,
    int64_t *value)
{
	const struct fake_line *line;

	*value = 0;
	if (strcmp(name, "bufsize") == 0)
		*value = c->bufsize;
	if (strcmp(name, "statusrate") == 0)
		*value = c->statusrate;
	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "option") &&
		    strcmp(fake_text(line, 1), name) == 0)
			*value = fake_number(line, 2);
	return (0);
}

int
tbuf_consumer_enable(struct tbuf_consumer *c, const char *description)
{
	const char *p;
	int colons = 0;

	show(c, "enable %s", description);
	for (p = description; *p != '\0'; p++)
		colons = *p == ',' ? 0 : colons + (*p == ':');
	if (colons > 3)
		return (refuse(c, -EINVAL, "invalid probe specifier %s: "
		    "too many fields", description));
	return (c->enablings++);
}

/* Clauses are accepted here, but only the real consumer runs them. */
int
tbuf_consumer_own(const char *description)
{

	const char *name = strrchr(description, ':');

	return (strcmp(name == NULL ? description : name + 1, "BEGIN") == 0);
}

int
tbuf_consumer_script(struct tbuf_consumer *c,
    const struct tbuf_d_script *script)
{

	(void)script;
	show(c, "script");
	return (scripted(c, c->lines, "script"));
}

void
tbuf_consumer_name(struct tbuf_consumer *c, uint64_t (*name)(void *,
    const char *, uint64_t, uint64_t), void *arg)
{
	(void)c;
	(void)name;
	(void)arg;
}

int
tbuf_consumer_mapping(struct tbuf_consumer *c, uint64_t image,
    uint64_t address, struct tbuf_mapping *m)
{
	(void)c;
	(void)image;
	(void)address;
	(void)m;
	return (-ESRCH);
}

int
tbuf_consumer_mapped(struct tbuf_consumer *c, uint64_t image,
    unsigned number, struct tbuf_mapping *m)
{
	(void)c;
	(void)image;
	(void)number;
	(void)m;
	return (-ESRCH);
}

/* It has no lanes, and so no packets. */
int
tbuf_consumer_packet(struct tbuf_consumer *c, struct tbuf_packet *packet)
{

	(void)c;
	(void)packet;
	return (0);
}

const struct tbuf_probe_info *
tbuf_consumer_epid(struct tbuf_consumer *c, const struct tbuf_packet *packet,
    unsigned epid, unsigned *enabling)
{

	(void)c;
	(void)packet;
	(void)epid;
	(void)enabling;
	return (NULL);
}

int
tbuf_consumer_head(struct tbuf_consumer *c, const struct tbuf_packet *packet,
    int fd)
{

	(void)c;
	(void)packet;
	(void)fd;
	return (0);
}

int
tbuf_consumer_open_packets(struct tbuf_consumer *c, const char *name, int head,
    int (*next)(void *, struct tbuf_packet *), void *arg)
{

	(void)c;
	(void)name;
	(void)head;
	(void)next;
	(void)arg;
	return (-ENOENT);
}

const char *
tbuf_consumer_interned(struct tbuf_consumer *c,
    const struct tbuf_packet *packet, uint32_t number)
{

	(void)c;
	(void)packet;
	(void)number;
	return (NULL);
}

int
tbuf_consumer_fields(struct tbuf_consumer *c, const struct tbuf_packet *packet,
    unsigned epid, struct tbuf_record_field fields[TBUF_FIELDS_MAX])
{

	(void)c;
	(void)packet;
	(void)epid;
	(void)fields;
	return (-ENOENT);
}

bool
tbuf_consumer_snapshot_due(struct tbuf_consumer *c)
{

	(void)c;
	return (false);
}

bool
tbuf_consumer_exited(const struct tbuf_consumer *c, int *status)
{

	(void)c;
	(void)status;
	return (false);
}

uint64_t
tbuf_consumer_birth(const struct tbuf_consumer *c, pid_t pid)
{

	(void)c;
	return ((uint64_t)pid);
}

int
tbuf_consumer_grab(struct tbuf_consumer *c, pid_t pid)
{

	show(c, "grab %d", (int)pid);
	return (scripted(c, c->lines, "grab"));
}

int
tbuf_consumer_sample(struct tbuf_consumer *c, pid_t pid)
{

	show(c, "sample %d", (int)pid);
	return (0);
}

int
tbuf_consumer_open_pid(struct tbuf_consumer *c, pid_t pid)
{
	const struct fake_line *line;

	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "left") && fake_number(line, 1) == pid)
			return (0);
	return (refuse(c, -ESRCH, "failed to grab pid %d: No such process",
	    (int)pid));
}

pid_t
tbuf_consumer_spawn(struct tbuf_consumer *c, char *const argv[],
    const char *const *envp_add)
{
	const struct fake_line *line;
	size_t i;
	int error;

	c->command = 4242;
	for (i = 0; argv[i] != NULL; i++)
		show(c, "spawn [%s]", argv[i]);
	for (i = 0; envp_add != NULL && envp_add[i] != NULL; i++)
		show(c, "environment %s", envp_add[i]);
	if ((error = scripted(c, c->lines, "spawn")) != 0)
		return (error);
	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "command"))
			c->command = fake_number(line, 1);
	return (c->command);
}

int
tbuf_consumer_grab_all(struct tbuf_consumer *c)
{

	show(c, "grab all");
	return (scripted(c, c->lines, "grab"));
}

int
tbuf_consumer_open_file(struct tbuf_consumer *c, const char *path)
{

	show(c, "read %s", path);
	return (scripted(c, c->lines, "read"));
}

int
tbuf_consumer_open_core(struct tbuf_consumer *c, const char *path,
    tbuf_core_read read, void *arg)
{
	char bytes[16] = "";

	show(c, "core %s", path);
	if (read != NULL && read(arg, bytes, sizeof(bytes) - 1, 0) > 0)
		show(c, "begins with %s", bytes);
	return (scripted(c, c->lines, "core"));
}

int
tbuf_consumer_go(struct tbuf_consumer *c)
{
	const struct fake_line *line;
	uint64_t size;

	show(c, "go");
	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "lowered") &&
		    tbuf_parse_size(fake_text(line, 1), &size) == 0) {
			c->lowered = true;
			c->bufsize = size;
		}
	return (scripted(c, c->lines, "go"));
}

int
tbuf_consumer_run(struct tbuf_consumer *c)
{

	show(c, "run");
	return (scripted(c, c->lines, "run"));
}

bool
tbuf_consumer_lowered(const struct tbuf_consumer *c)
{

	return (c->lowered);
}

int
tbuf_consumer_skipped(const struct tbuf_consumer *c)
{
	const struct fake_line *line;

	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "skipped"))
			return (fake_errno(line, 1));
	return (0);
}

void
tbuf_consumer_unwind(struct tbuf_consumer *c, unsigned (*unwind)(void *,
    const struct tbuf_stack *, uint64_t *, unsigned), void *arg)
{
	(void)c;
	(void)unwind;
	(void)arg;
}

const char *
tbuf_consumer_unsampled(struct tbuf_consumer *c)
{
	const struct fake_line *line;
	unsigned n = 0;

	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "unsampled") && n++ == c->unsampled) {
			c->unsampled++;
			return (fake_text(line, 1));
		}
	return (NULL);
}

const char *
tbuf_consumer_missed(struct tbuf_consumer *c, uint64_t *count)
{
	const struct fake_line *line;
	unsigned n = 0;

	STAILQ_FOREACH(line, c->lines, next) {
		if (!fake_is(line, "missed") || n++ < c->missed)
			continue;
		c->missed++;
		*count = fake_number(line, 1);
		return (fake_text(line, 2));
	}
	return (NULL);
}

bool
tbuf_consumer_lost(struct tbuf_consumer *c, pid_t *pid, uint64_t *count)
{
	const struct fake_line *line;
	unsigned n = 0;

	STAILQ_FOREACH(line, c->lines, next) {
		if (!fake_is(line, "table") || n++ < c->lost)
			continue;
		c->lost++;
		*pid = fake_number(line, 1);
		*count = fake_number(line, 2);
		return (true);
	}
	return (false);
}

bool
tbuf_consumer_waiting(struct tbuf_consumer *c, pid_t *pid, uint64_t *count)
{
	const struct fake_line *line;
	unsigned n = 0;

	STAILQ_FOREACH(line, c->lines, next) {
		if (!fake_is(line, "waiting") || n++ < c->waiting)
			continue;
		c->waiting++;
		*pid = fake_number(line, 1);
		*count = fake_number(line, 2);
		return (true);
	}
	return (false);
}

bool
tbuf_consumer_mend(struct tbuf_consumer *c, const void *address)
{

	(void)c;
	(void)address;
	return (false);
}

unsigned
tbuf_consumer_matched(struct tbuf_consumer *c, int enabling)
{
	const struct fake_line *line;

	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "matched"))
			return (fake_number(line, 1 + enabling));
	return (1);
}

/* Returns the line after the last "round". */
static struct fake_line *
last_round(struct tbuf_consumer *c)
{
	struct fake_line *line, *last = c->at;

	for (line = c->at; line != NULL; line = STAILQ_NEXT(line, next))
		if (fake_is(line, "round"))
			last = STAILQ_NEXT(line, next);
	return (last);
}

int
tbuf_consumer_work(struct tbuf_consumer *c)
{
	const struct fake_line *line;

	if (c->ended)
		return (0);
	c->snapshot = false;
	if (c->at != NULL && (fake_is(c->at, "snapshot") ||
	    fake_is(c->at, "switch")))
		fake_wrong(c->at, "nobody has asked for it");
	if (c->at != NULL && fake_is(c->at, "round"))
		c->at = STAILQ_NEXT(c->at, next);
	for (; c->at != NULL && fake_is(c->at, "raise");
	    c->at = STAILQ_NEXT(c->at, next))
		(void)raise(fake_number(c->at, 1));
	if (c->stop)
		c->at = last_round(c);
	for (line = c->at; line != NULL; line = STAILQ_NEXT(line, next)) {
		if (fake_is(line, "round"))
			return (1);
		if (fake_is(line, "end") && line->count > 1) {
			c->ended = true;
			return (refuse(c, fake_errno(line, 1), "%s",
			    fake_text(line, 2)));
		}
	}
	c->ended = true;
	return (0);
}

void
tbuf_consumer_stop(struct tbuf_consumer *c)
{

	c->stop = 1;
}

void
tbuf_consumer_wake(struct tbuf_consumer *c)
{

	show(c, "wake");
}

void
tbuf_consumer_hurry(struct tbuf_consumer *c)
{

	show(c, "hurry");
}

/* Steps over a line that must be next in the script. */
static int
step_over(struct tbuf_consumer *c, const char *what)
{

	if (c->at == NULL || !fake_is(c->at, what))
		return (refuse(c, -ENOTSUP, "no %s", what));
	c->at = STAILQ_NEXT(c->at, next);
	return (0);
}

int
tbuf_consumer_switch(struct tbuf_consumer *c)
{

	return (step_over(c, "switch"));
}

int
tbuf_consumer_snapshot(struct tbuf_consumer *c)
{

	int error = step_over(c, "snapshot");

	c->snapshot = error == 0;
	return (error);
}

static const struct tbuf_probe_info *
find_probe(const struct tbuf_consumer *c, const struct fake_line *line)
{
	unsigned id = fake_number(line, 4), i;

	for (i = 0; i < c->nprobes; i++)
		if (c->probes[i].info.id == id)
			return (&c->probes[i].info);
	fake_wrong(line, "no such probe");
}

/* Returns the name that the script has for a process. */
static const char *
execname(const struct tbuf_consumer *c, pid_t pid)
{
	const struct fake_line *line;

	STAILQ_FOREACH(line, c->lines, next)
		if (fake_is(line, "target") && fake_number(line, 1) == pid)
			return (fake_text(line, 2));
	return ("program");
}

static void
give_record(struct tbuf_consumer *c, const struct fake_line *line,
    struct tbuf_record *r)
{
	const struct tbuf_probe_info *probe = find_probe(c, line);
	unsigned i;

	*r = (struct tbuf_record){
		.pid = fake_number(line, 1), .tid = fake_number(line, 2),
		.cpu = fake_number(line, 3), .enabling = c->enabling,
		.time = fake_number(line, 5),
		.wall = fake_number(line, 6), .probe = probe,
		.execname = execname(c, fake_number(line, 1)),
		.nargs = probe->nargs, .args = c->values,
		.unit = *c->unit.kind != '\0' ? &c->unit : NULL
	};
	for (i = 0; i < probe->nargs; i++)
		fake_value(line, 7 + i, probe->types[i], &c->values[i]);
}

static void
take_unit(struct tbuf_consumer *c, const struct fake_line *line)
{
	struct tbuf_unit_info *unit = &c->unit;

	*unit = (struct tbuf_unit_info){ .ended = line->count > 4 };
	if (line->count == 1)
		return;
	strlcpy(unit->kind, fake_text(line, 1), sizeof(unit->kind));
	unit->id = fake_number(line, 2);
	unit->began = fake_number(line, 3);
	if (unit->ended) {
		unit->end = fake_number(line, 4);
		unit->outcome = (int)fake_number(line, 5);
	}
}

static enum tbuf_cause
cause(const struct fake_line *line)
{
	const char *text = fake_text(line, 3);

	if (strcmp(text, "full") == 0)
		return (TBUF_CAUSE_FULL);
	if (strcmp(text, "large") == 0)
		return (TBUF_CAUSE_LARGE);
	return (TBUF_CAUSE_NOLANE);
}

static void
give_exit(const struct tbuf_consumer *c, const struct fake_line *line,
    struct tbuf_event *e)
{

	e->type = TBUF_EVENT_EXIT;
	e->child = fake_number(line, 1) == c->command;
	e->status = -1;
	if (line->count < 3)
		return;
	if (strcmp(fake_text(line, 2), "signal") == 0)
		e->signal = fake_number(line, 3);
	else
		e->status = fake_number(line, 3);
}

/* Sets the times around losses, if the line has them from this word on. */
static void
give_place(const struct fake_line *line, unsigned word, struct tbuf_event *e)
{
	if (line->count < word + 2)
		return;
	e->after = fake_number(line, word);
	e->before = fake_number(line, word + 1);
}

/* Fills in the event of a line; returns false if it is not an event. */
static bool
give(struct tbuf_consumer *c, const struct fake_line *line,
    struct tbuf_event *e)
{

	*e = (struct tbuf_event){ .type = TBUF_EVENT_RECORD };
	if (fake_is(line, "record")) {
		give_record(c, line, &e->record);
		c->totals.records += !c->snapshot;
	} else if (fake_is(line, "drops")) {
		e->type = TBUF_EVENT_DROPS;
		e->cause = cause(line);
		e->count = fake_number(line, 4);
		give_place(line, 5, e);
		c->totals.drops += e->count;
	} else if (fake_is(line, "overwritten")) {
		e->type = TBUF_EVENT_OVERWRITTEN;
		e->count = fake_number(line, 3);
		give_place(line, 4, e);
		c->totals.overwritten += e->count;
	} else if (fake_is(line, "gap")) {
		e->type = TBUF_EVENT_GAP;
		give_place(line, 3, e);
	} else if (fake_is(line, "aggregated")) {
		e->type = TBUF_EVENT_AGGREGATION;
		e->count = fake_number(line, 3);
	} else if (fake_is(line, "damage")) {
		e->type = TBUF_EVENT_DAMAGE;
		e->count = fake_number(line, 3);
		give_place(line, 4, e);
	} else if (fake_is(line, "lost") || fake_is(line, "unmet") ||
	    fake_is(line, "unfit")) {
		e->type = fake_is(line, "lost") ? TBUF_EVENT_LOST :
		    fake_is(line, "unmet") ? TBUF_EVENT_UNMET :
		    TBUF_EVENT_UNFIT;
		e->count = fake_number(line, 2);
	} else if (fake_is(line, "timers")) {
		e->type = TBUF_EVENT_TIMERS;
		e->count = fake_number(line, 2);
	} else if (fake_is(line, "exit"))
		give_exit(c, line, e);
	else
		return (false);
	e->pid = fake_number(line, 1);
	if (e->type == TBUF_EVENT_DROPS || e->type == TBUF_EVENT_DAMAGE ||
	    e->type == TBUF_EVENT_AGGREGATION ||
	    e->type == TBUF_EVENT_OVERWRITTEN || e->type == TBUF_EVENT_GAP)
		e->cpu = fake_number(line, 2);
	else
		e->cpu = e->record.cpu;
	return (true);
}

int
tbuf_consumer_next(struct tbuf_consumer *c, struct tbuf_event *e)
{
	const struct fake_line *line;

	if (c->repeat > 0) {
		c->repeat--;
		c->totals.records++;
		*e = c->event;
		return (1);
	}
	while ((line = c->at) != NULL && !fake_is(line, "round") &&
	    !fake_is(line, "snapshot") && !fake_is(line, "switch")) {
		c->at = STAILQ_NEXT(line, next);
		if (fake_is(line, "repeat") && c->at != NULL) {
			c->repeat = fake_number(line, 1) - 1;
			line = c->at;
			c->at = STAILQ_NEXT(line, next);
		}
		if (fake_is(line, "enabling"))
			c->enabling = fake_number(line, 1);
		if (fake_is(line, "unit"))
			take_unit(c, line);
		if (give(c, line, e)) {
			c->event = *e;
			return (1);
		}
	}
	return (0);
}

void
tbuf_consumer_totals(const struct tbuf_consumer *c, struct tbuf_totals *totals)
{

	*totals = c->totals;
}

unsigned
tbuf_consumer_alive(const struct tbuf_consumer *c)
{

	return (!c->ended);
}

int
tbuf_consumer_list(struct tbuf_consumer *c,
    int (*visit)(void *, pid_t, const struct tbuf_probe_info *), void *arg)
{
	unsigned i;
	int error;

	if ((error = scripted(c, c->lines, "list")) != 0)
		return (error);
	for (i = 0; i < c->nprobes && error == 0; i++)
		error = visit(arg, c->probes[i].pid, &c->probes[i].info);
	return (error);
}

int
tbuf_consumer_probes(struct tbuf_consumer *c,
    int (*visit)(void *, const struct tbuf_probe_info *), void *arg)
{
	unsigned i;
	int stop = 0;

	for (i = 0; i < c->nprobes && stop == 0; i++)
		stop = visit(arg, &c->probes[i].info);
	return (stop);
}

/* The fake has no clauses at its probes. */
int
tbuf_consumer_fits(struct tbuf_consumer *c, int (*visit)(void *, unsigned,
    const struct tbuf_probe_info *, bool), void *arg)
{
	(void)c, (void)visit, (void)arg;
	return (0);
}

int
tbuf_targets(int (*visit)(void *, pid_t, const char *), void *arg)
{
	struct fake_line *line;
	int stop = 0;

	STAILQ_FOREACH(line, fake_script(), next)
		if (fake_is(line, "target") && stop == 0)
			stop = visit(arg, fake_number(line, 1),
			    fake_text(line, 2));
	return (stop);
}

static void
give_lane(const struct fake_line *line, pid_t pid, struct tbuf_lane_status *s)
{

	*s = (struct tbuf_lane_status){
		.pid = pid, .consumer = fake_number(line, 1),
		.consumer_name = fake_text(line, 2),
		.policy = fake_number(line, 3), .size = fake_number(line, 4),
		.cpu = fake_number(line, 5), .fill = fake_number(line, 6),
		.records = fake_number(line, 7),
		.overwritten = fake_number(line, 8),
		.drops = { fake_number(line, 9), fake_number(line, 10),
		    fake_number(line, 11) },
		.locked = line->count > 12, .number = fake_number(line, 5),
		.uncounted = line->count > 13 ? fake_number(line, 13) : 0
	};
}

int
tbuf_status(const pid_t *pids, size_t npids,
    int (*visit)(void *, const struct tbuf_lane_status *), void *arg)
{
	struct fake_lines *lines = fake_script();
	struct tbuf_lane_status s;
	struct fake_line *line;
	pid_t pid = 0;
	int stop;

	if ((stop = scripted(NULL, lines, "status")) != 0)
		return (stop);
	STAILQ_FOREACH(line, lines, next) {
		if (fake_is(line, "target"))
			pid = fake_number(line, 1);
		if (!fake_is(line, "lane") || (npids > 0 && pid != pids[0]))
			continue;
		give_lane(line, pid, &s);
		if ((stop = visit(arg, &s)) != 0)
			break;
	}
	return (stop);
}

int
tbuf_consumer_text(struct tbuf_consumer *c, pid_t pid, const char *setting)
{

	(void)pid;
	(void)setting;
	return (scripted(c, fake_script(), "text"));
}

int
tbuf_consumer_unitset(struct tbuf_consumer *c, pid_t pid, const char *name,
    const char *value)
{

	(void)pid;
	(void)value;
	return (scripted(c, fake_script(), name));
}

int
tbuf_text_check(const char *setting, const char **wrong)
{

	*wrong = strstr(setting, "wrong") == NULL ? NULL : "it is wrong";
	return (*wrong == NULL ? 0 : -EINVAL);
}

static int
fake_unwrap(int (*visit)(void *, const struct tbuf_unwrapped *), void *arg)
{
	static const char text[] = "one\ntwo\n";
	const struct tbuf_unwrapped u = { .pid = 7, .comm = "kvd",
	    .text = text, .size = sizeof(text) - 1, .lost = 2 };
	int stop = scripted(NULL, fake_script(), "unwrap");

	return (stop != 0 ? stop : visit(arg, &u));
}

int
tbuf_unwrap_file(const char *path,
    int (*visit)(void *, const struct tbuf_unwrapped *), void *arg)
{

	(void)path;
	return (fake_unwrap(visit, arg));
}

int
tbuf_unwrap_pid(pid_t pid,
    int (*visit)(void *, const struct tbuf_unwrapped *), void *arg)
{

	(void)pid;
	return (fake_unwrap(visit, arg));
}

int
tbuf_left(int (*visit)(void *, const struct tbuf_left *), void *arg)
{
	struct fake_lines *lines = fake_script();
	struct tbuf_left left;
	struct fake_line *line;
	int stop;

	if ((stop = scripted(NULL, lines, "left")) != 0)
		return (stop);
	STAILQ_FOREACH(line, lines, next)
		if (fake_is(line, "file") && stop == 0) {
			left = (struct tbuf_left){
				.pid = fake_number(line, 1),
				.program = fake_text(line, 2),
				.name = fake_text(line, 3),
				.end = fake_number(line, 4),
				.wall = fake_number(line, 5),
				.bytes = fake_number(line, 6),
				.removed = fake_number(line, 7),
				.signal = (int)fake_number(line, 8)
			};
			stop = visit(arg, &left);
		}
	return (stop);
}

int
tbuf_left_remove(const struct tbuf_left *left)
{

	return (left->pid == 9 ? -EBUSY : 0);
}

/* No process has units here. */
int
tbuf_unit_list(int (*visit)(void *, const struct tbuf_unit_status *),
    void *arg)
{

	(void)visit;
	(void)arg;
	return (0);
}

/* Kinds of units: PID PROGRAM KIND UNITS FAILURES, then units by power. */
int
tbuf_unit_figures(int (*visit)(void *, const struct tbuf_unit_figures *),
    void *arg)
{
	uint64_t at_most[TBUF_UNIT_POWERS];
	struct tbuf_unit_figures f;
	struct fake_line *line;
	int i, stop = 0;

	STAILQ_FOREACH(line, fake_script(), next) {
		if (!fake_is(line, "kind") || stop != 0)
			continue;
		f = (struct tbuf_unit_figures){
			.pid = fake_number(line, 1),
			.program = fake_text(line, 2),
			.kind = fake_text(line, 3),
			.units = fake_number(line, 4),
			.failures = fake_number(line, 5), .at_most = at_most,
			.slow = fake_number(line, 5) + 1, .consumer = 100,
			.sum = (uint64_t)fake_number(line, 4) * 1500000000
		};
		for (i = 0; i < TBUF_UNIT_POWERS; i++)
			at_most[i] = fake_number(line, i < fake_number(line,
			    6) ? 7 : 8);
		stop = visit(arg, &f);
	}
	return (stop);
}

int
tbuf_consumer_units(struct tbuf_consumer *consumer,
    int (*unit)(void *, const struct tbuf_unit_status *),
    int (*figures)(void *, const struct tbuf_unit_figures *), void *arg)
{

	(void)consumer;
	(void)unit;
	(void)figures;
	(void)arg;
	return (0);
}

/* <tbuf.h> calls this in every program that includes it. */
void
tbuf_sites_register(struct tbuf_site *start, struct tbuf_site *stop)
{

	(void)start;
	(void)stop;
}

void
tbuf_sites_unregister(struct tbuf_site *start, struct tbuf_site *stop)
{

	(void)start;
	(void)stop;
}
