/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: lists the probes that the clauses of programs describe.  tbufctl's own
 * probes are shown here, clause by clause; those of targets are enabled, so
 * that the library lists them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bpftrace_words.h"
#include "base/description_field.h"
#include "base/messages.h"
#include "compile.h"
#include "elf/pid_report.h"
#include "list_script.h"
#include "options/enablings.h"
#include "print/format.h"

/*
 * Returns a timer's id: the next one after the fixed ids when it is first
 * named.
 */
static unsigned
timer_id(struct script_list *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->ntimers; i++)
		if (strcmp(l->timers[i], name) == 0)
			return (KNOWN_FIXED + 1 + i);
	l->timers = memory_get(l->timers, l->ntimers + 1, sizeof(*l->timers));
	l->timers[l->ntimers++] = memory_string(name);
	return (KNOWN_FIXED + l->ntimers);
}

static void
show(void *arg, const char *provider, const char *name, unsigned id)
{
	struct script_list *l = arg;
	const struct tbuf_probe_info probe = {
		.id = id != 0 ? id : timer_id(l, name), .provider = provider,
		.module = "", .function = "", .name = name
	};

	l->format->ops->probe(l->format, getpid(), &probe);
}

/*
 * Shows tbufctl's own probes that match; with a glob or no name also the usual
 * timers.  Returns their number.
 */
static unsigned
show_own(struct script_list *l, const struct d_description *d)
{
	const char *name = d->field[D_FIELD_NAME];
	unsigned n = known_own_list(d, show, l);

	if (*name == '\0' || strpbrk(name, "*?[") != NULL)
		n += known_usual_list(d, show, l);
	return (n);
}

void
script_list_own(struct script_list *l)
{
	const struct d_description any = { .field = { "", "", "", "" } };

	(void)show_own(l, &any);
}

static int
list_one(struct script_list *l, struct tbuf_consumer *consumer,
    const char *text)
{
	char *copy = memory_string(text);
	struct d_description d;
	int enabling;

	known_split(copy, &d);
	if (show_own(l, &d) == 0) {
		enabling = tbuf_consumer_enable(consumer, text);
		if (enabling < 0) {
			free(copy);
			return (fail(MSG_LIBRARY,
			    tbuf_consumer_error(consumer)));
		}
		l->enablings = memory_get(l->enablings, l->count + 1,
		    sizeof(*l->enablings));
		l->enablings[l->count++] = (struct listed){ text, enabling };
	}
	free(copy);
	return (0);
}

/*
 * Shows tbufctl's own probes that a list with commas matches.  Returns true if
 * there are any.
 */
static bool
show_list(struct script_list *l, const char *list)
{
	char *copy = memory_string(list), *rest = copy, *item;
	struct d_description d;
	unsigned n = 0;

	while ((item = strsep(&rest, ",")) != NULL) {
		known_split(item, &d);
		n += show_own(l, &d);
	}
	free(copy);
	return (n != 0);
}

void
script_list_unclaused(struct script_list *l, struct program *program)
{
	struct description *d = program->all;
	struct description *end = d + program->count;

	for (; d < end; d++)
		if (d->full != NULL && !d->is_program)
			d->has_own = show_list(l, d->full);
}

int
script_list(struct script_list *l, const struct tbuf_d_script *script,
    struct tbuf_consumer *consumer)
{
	const struct tbuf_d_clause *clause = script->clauses;
	const struct tbuf_d_clause *end = clause + script->nclauses;
	int status = 0;
	uint32_t i;

	for (; clause < end; clause++)
		for (i = 0; i < clause->ndescriptions && status == 0; i++)
			status = list_one(l, consumer,
			    clause->descriptions[i]);
	return (status);
}

static void
tell_unmatched(const char *description, near_one *suggest, void *context)
{
	char *near = suggest(context, description);

	message(MSG_FAILED_MATCH, description);
	if (near != NULL)
		message(MSG_HINT, near);
	free(near);
	(void)bpftrace_tell_descriptions(description);
	(void)description_tell_timer(description);
}

void
script_list_end(struct script_list *l, struct tbuf_consumer *consumer,
    near_one *suggest, void *context)
{
	size_t i;

	pid_report_look();
	for (i = 0; i < l->count; i++)
		if (tbuf_consumer_matched(consumer,
		    l->enablings[i].enabling) == 0)
			tell_unmatched(l->enablings[i].description, suggest,
			    context);
	for (i = 0; i < l->ntimers; i++)
		free(l->timers[i]);
	free(l->timers);
	free(l->enablings);
}
