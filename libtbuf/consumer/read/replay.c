/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs clauses over records of files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/attach/attach.h"
#include "consumer/attach/target_clauses.h"
#include "consumer/decode/record_layout.h"
#include "consumer/read/events.h"
#include "consumer/script/script.h"
#include "shared/program_select.h"

/* A clause at a probe. */
struct fit {
	const struct tbuf_script_enabling *enabling;
	const struct tbuf_d_program *program;
	uint64_t binding;
	struct tbuf_record_layout **layouts;	/* of its records */
};

struct probe {
	struct fit *fits;
	unsigned nfits;
	bool known;
	bool plain;		/* its records are returned as they are, too */
};

struct tbuf_replay {
	struct probe *probes;	/* by id - TBUF_IDS_OWN - 1 */
	unsigned nprobes;
	uint64_t unfit;		/* probes that a clause has no program for */
	struct tbuf_event held;	/* its record has not fired yet */
	bool holding;
	uint64_t values[TBUF_ARGS_MAX];
	uint8_t types[TBUF_ARGS_MAX];	/* a text's may be another */
	struct tbuf_bytes bytes[TBUF_ARGS_MAX];
	/* The texts of a record, NUL-terminated. */
	char texts[TBUF_RECORD_MAX + TBUF_ARGS_MAX];
};

/* ------------------------------------------------------------ fits */

static struct tbuf_record_layout *
layout_make(const struct tbuf_d_record *record, uint64_t binding,
    const struct tbuf_probe_info *info)
{
	struct tbuf_piece pieces[TBUF_PIECES_MAX];
	struct tbuf_record_layout *layout =
	    malloc(tbuf_layout_size(record->npieces));

	if (layout == NULL)
		return (NULL);
	tbuf_clauses_pieces(record, pieces);
	if (tbuf_layout_pieces(layout, pieces, record->npieces, binding, info))
		return (layout);
	free(layout);
	return (NULL);
}

static void
fit_free(struct fit *fit)
{
	uint32_t i;

	for (i = 0; fit->layouts != NULL &&
	    i < fit->enabling->clause->nrecords; i++)
		free(fit->layouts[i]);
	free(fit->layouts);
}

static bool
fit_make(struct fit *fit, const struct tbuf_probe_info *info)
{
	const struct tbuf_d_clause *clause = fit->enabling->clause;
	uint32_t i;

	fit->layouts = calloc(clause->nrecords + 1u, sizeof(*fit->layouts));
	if (fit->layouts == NULL)
		return (false);
	for (i = 0; i < clause->nrecords; i++)
		if ((fit->layouts[i] = layout_make(&clause->records[i],
		    fit->binding, info)) == NULL)
			return (false);
	return (true);
}

static bool
is_plain(const struct tbuf_d_clause *clause)
{
	return (clause == NULL || clause->nprograms == 0 ||
	    (clause->flags & TBUF_CLAUSE_DEFAULT) != 0);
}

/*
 * Adds a clause that matches a probe.  Returns 0, -ENOMEM, or -ENOTSUP with the
 * feature that records lack in *lack.
 */
static int
add_fit(struct tbuf_replay *r, struct probe *p,
    const struct tbuf_probe_info *info,
    const struct tbuf_script_enabling *enabling, const char **lack)
{
	struct fit fit = { .enabling = enabling }, *all;

	fit.program = tbuf_script_choose(enabling->clause, info,
	    &fit.binding);
	if (fit.program == NULL) {
		r->unfit++;
		return (0);
	}
	if ((*lack = tbuf_script_record_lack(fit.program)) != NULL)
		return (-ENOTSUP);
	all = reallocarray(p->fits, p->nfits + 1u, sizeof(*all));
	if (all == NULL)
		return (-ENOMEM);
	p->fits = all;
	if (!fit_make(&fit, info)) {
		fit_free(&fit);
		return (-ENOMEM);
	}
	all[p->nfits++] = fit;
	return (0);
}

static int
probe_fit(struct tbuf_consumer *c, struct probe *p,
    const struct tbuf_probe_info *info)
{
	const struct tbuf_script *s = c->script;
	const struct tbuf_script_enabling *e = s->enablings;
	const struct tbuf_script_enabling *end = e + s->nenablings;
	const char *lack = NULL;
	unsigned i;
	int error = 0;

	p->known = true;
	for (i = 0; i < c->npatterns; i++)
		if (is_plain(c->clauses[i]) &&
		    tbuf_probe_matches(info, tbuf_consumer_pattern(c, i)))
			p->plain = true;
	for (; e < end && error == 0; e++)
		if (e->probe == &s->recorded && !is_plain(e->clause) &&
		    tbuf_probe_matches(info, e->description) && (error =
		    add_fit(c->replay, p, info, e, &lack)) == -ENOTSUP)
			tbuf_consumer_fail(c, error, "%s: cannot use %s "
			    "with records of a file",
			    e->description, lack);
	if (error == -ENOMEM)
		tbuf_consumer_fail(c, error, "%s", strerror(ENOMEM));
	return (error);
}

/* Makes room for all probes that are known by now. */
static int
make_room(struct tbuf_consumer *c)
{
	struct tbuf_replay *r = c->replay;
	unsigned n = c->probes.count;
	struct probe *all;

	if (n <= r->nprobes)
		return (0);
	if ((all = reallocarray(r->probes, n, sizeof(*all))) == NULL)
		return (tbuf_consumer_fail(c, -ENOMEM, "%s",
		    strerror(ENOMEM)));
	memset(all + r->nprobes, 0, (n - r->nprobes) * sizeof(*all));
	r->probes = all;
	r->nprobes = n;
	return (0);
}

/* Returns NULL without memory, or if a clause needs more than records have. */
static const struct probe *
probe_find(struct tbuf_consumer *c, const struct tbuf_probe_info *info)
{
	unsigned n = info->id - TBUF_IDS_OWN - 1;
	struct probe *p;

	if (n >= c->replay->nprobes && make_room(c) != 0)
		return (NULL);
	p = &c->replay->probes[n];
	return (p->known || probe_fit(c, p, info) == 0 ? p : NULL);
}

/* ------------------------------------------------------------ begin */

/* Frees targets with clauses: their records lack the probes' arguments. */
static int
leave_out_scripts(struct tbuf_consumer *c)
{
	struct tbuf_target *t, *next;

	TAILQ_FOREACH_SAFE(t, &c->targets, link, next) {
		if (t->clauses == 0)
			continue;
		tbuf_target_free(c, t);
		c->drain.stale = true;
	}
	return (!TAILQ_EMPTY(&c->targets) ? 0 : tbuf_consumer_fail(c,
	    -ENOTSUP, "cannot run clauses over a session that was itself "
	    "recorded by clauses"));
}

int
tbuf_replay_begin(struct tbuf_consumer *c)
{
	struct tbuf_target *t;
	unsigned i;
	int error;

	if (c->script == NULL || !c->files)
		return (0);
	if (!c->script->records)
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "open files before the script is set"));
	if (c->replay != NULL)
		return (0);
	if ((error = leave_out_scripts(c)) != 0)
		return (error);
	if ((c->replay = calloc(1, sizeof(*c->replay))) == NULL)
		return (tbuf_consumer_fail(c, -ENOMEM, "%s",
		    strerror(ENOMEM)));
	TAILQ_FOREACH(t, &c->targets, link)
		tbuf_target_probes(c, t);
	if ((error = make_room(c)) != 0)
		return (error);
	for (i = 0; i < c->probes.count; i++)
		if ((error = probe_fit(c, &c->replay->probes[i],
		    c->probes.infos[i])) != 0)
			return (error);
	/* A merge keeps a thread's fires in order when it changes CPUs. */
	c->options.temporal = 1;
	return (0);
}

void
tbuf_replay_free(struct tbuf_consumer *c)
{
	struct tbuf_replay *r = c->replay;
	unsigned i, j;

	if (r == NULL)
		return;
	for (i = 0; i < r->nprobes; i++) {
		for (j = 0; j < r->probes[i].nfits; j++)
			fit_free(&r->probes[i].fits[j]);
		free(r->probes[i].fits);
	}
	free(r->probes);
	free(r);
	c->replay = NULL;
}

/* ------------------------------------------------------------ records */

bool
tbuf_replay_wants(const struct tbuf_consumer *c, const struct tbuf_target *t,
    const struct tbuf_epid *epid, const struct tbuf_probe_info *info)
{
	uint32_t i;

	if (c->replay == NULL)
		return (true);
	for (i = 0; i < t->necbs_max; i++)
		if (&t->epids[i] != epid && t->epids[i].probe == info &&
		    !t->epids[i].unwanted)
			return (false);
	return (true);
}

static uint64_t
floating(const struct tbuf_value *v)
{
	float narrow = (float)v->d;
	uint32_t word;
	uint64_t value;

	if (v->type == TBUF_DOUBLE) {
		memcpy(&value, &v->d, sizeof(value));
		return (value);
	}
	memcpy(&word, &narrow, sizeof(word));
	return (word);
}

/* Converts a record's arguments to those of a site. */
static void
set_values(struct tbuf_replay *r, const struct tbuf_record *record)
{
	char *to = r->texts;
	unsigned i;

	for (i = 0; i < record->nargs; i++) {
		const struct tbuf_value *v = &record->args[i];

		r->types[i] = v->type;
		switch (tbuf_class_of(v->type)) {
		case TBUF_CLASSES_FLOAT:
			r->values[i] = floating(v);
			continue;
		case TBUF_CLASSES_TEXT:
			break;
		default:
			r->values[i] = v->u;
			continue;
		}
		memcpy(to, v->data, v->size);
		to[v->size] = '\0';
		r->bytes[i] = (struct tbuf_bytes){ to, v->size };
		r->values[i] = v->null ? 0 : (uint64_t)(uintptr_t)
		    (v->type == TBUF_STRING ? to : (void *)&r->bytes[i]);
		to += v->size + 1;
	}
}

static void
fire(struct tbuf_consumer *c, const struct probe *p,
    const struct tbuf_record *record)
{
	const struct tbuf_control *control =
	    tbuf_view_control(&c->drain.last_target->view);
	struct tbuf_script *s = c->script;
	char execname[sizeof(control->execname)];
	struct tbuf_script_record r = {
		.probe = record->probe, .execname = execname,
		.image = tbuf_image((uint32_t)record->pid, control->random),
		.time = record->time, .wall = record->wall,
		.pid = record->pid, .tid = record->tid, .uid = control->uid,
		.cpu = record->cpu, .values = c->replay->values,
		.types = c->replay->types,
		.nargs = record->nargs
	};
	const struct fit *fit;

	memcpy(execname, control->execname, sizeof(execname) - 1);
	execname[sizeof(execname) - 1] = '\0';
	set_values(c->replay, record);
	if (!tbuf_script_thread(s, r.image, r.tid)) {
		s->dynamic_drops++;
		return;
	}
	s->cpu = record->cpu >= 0 && record->cpu < (int)TBUF_NCPUS ?
	    record->cpu : s->home;
	tbuf_script_anew(s);
	for (fit = p->fits; fit < p->fits + p->nfits && !s->exited; fit++) {
		r.layouts = (const struct tbuf_record_layout *const *)
		    fit->layouts;
		tbuf_script_take(s, &r);
		s->machine.binding = fit->binding;
		tbuf_script_run(s, fit->enabling, fit->program);
	}
	tbuf_script_take(s, NULL);
	tbuf_script_give(s);
}

/*
 * Fires BEGIN or one timer that is due before a record; returns false if none
 * is.  One fires at a time, as the caller performs its actions (printa(),
 * clear()) before the next.
 */
static bool
fire_before(struct tbuf_script *s, const struct tbuf_record *record)
{
	s->wall_ahead = record->wall - record->time;
	if (!s->started) {
		s->moment = record->time;
		tbuf_script_start(s);
	} else if (!tbuf_script_tick_next(s, record->time)) {
		/* A unit's records are returned late, so may be older. */
		if (record->time > s->moment)
			s->moment = record->time;
		s->nrecords++;
		return (false);
	}
	tbuf_script_give(s);
	return (true);
}

bool
tbuf_replay_resume(struct tbuf_consumer *c, struct tbuf_event *event)
{
	if (c->replay == NULL || !c->replay->holding)
		return (false);
	c->replay->holding = false;
	*event = c->replay->held;
	return (true);
}

bool
tbuf_replay_take(struct tbuf_consumer *c, const struct tbuf_event *event)
{
	const struct probe *p;

	if (c->replay == NULL || event->type != TBUF_EVENT_RECORD)
		return (false);
	if (!c->hurried && !c->script->exited &&
	    fire_before(c->script, &event->record)) {
		c->replay->holding = true;
		c->replay->held = *event;
		return (true);
	}
	p = probe_find(c, event->record.probe);
	if (c->script->exited || p == NULL) {
		c->totals.records--;
		return (true);
	}
	if (c->hurried)
		return (false);
	if (p->nfits != 0)
		fire(c, p, &event->record);
	if (!p->plain)
		c->totals.records--;
	return (!p->plain);
}

void
tbuf_replay_end(struct tbuf_consumer *c)
{
	/* There was no record. */
	if (!c->script->started)
		tbuf_script_start(c->script);
	tbuf_script_end(c->script);
}

int
tbuf_replay_unfit(struct tbuf_consumer *c, struct tbuf_event *event)
{
	const struct tbuf_target *t = TAILQ_FIRST(&c->targets);

	if (c->replay == NULL || c->replay->unfit == 0 || t == NULL)
		return (0);
	event->type = TBUF_EVENT_UNFIT;
	event->pid = t->pid;
	event->cpu = -1;
	event->count = c->replay->unfit;
	c->replay->unfit = 0;
	return (1);
}
