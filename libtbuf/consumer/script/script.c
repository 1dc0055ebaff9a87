/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of a compiled script in the consumer: making, begin, timers, end.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/glob.h"
#include "consumer/script/script.h"

#define TUPLE		4096u	/* bytes of a key without its texts */
#define CATCH_UP	100	/* most firings to make up for, of a timer */
#define QUIET		1000000	/* firings without a record before skip() */

/* ------------------------------------------------------------ making */

static bool
add_enabling(struct tbuf_script *s, const struct tbuf_d_clause *clause,
    const char *description, struct tbuf_script_probe *probe, uint32_t *epid)
{
	struct tbuf_script_enabling *all = reallocarray(s->enablings,
	    s->nenablings + 1u, sizeof(*all));

	if (all == NULL)
		return (false);
	s->enablings = all;
	all[s->nenablings++] = (struct tbuf_script_enabling){
		.clause = clause, .probe = probe, .description = description,
		.epid = *epid
	};
	*epid += clause->nrecords > 1 ? clause->nrecords : 1;
	return (true);
}

/* Adds a clause at all of the consumer's probes that a description matches. */
static int
add_description(struct tbuf_script *s, const struct tbuf_d_clause *clause,
    const char *description, uint32_t *epid)
{
	struct tbuf_script_probe *probe, new;
	unsigned from = 0, found = 0;

	while ((probe = tbuf_script_probe_find(s, description, &from)) !=
	    NULL) {
		if (!add_enabling(s, clause, description, probe, epid))
			return (-ENOMEM);
		found++;
	}
	if (found != 0)
		return (0);
	/* A replay has no threads to sample. */
	if (!tbuf_script_probe_make(description, &new) ||
	    (s->records && new.kind == TBUF_SCRIPT_PROFILE))
		return (-ENOTSUP);
	if (s->nprobes == TBUF_SCRIPT_PROBES)
		return (-E2BIG);
	probe = &s->probes[s->nprobes];
	*probe = new;
	probe->info.name = probe->name;
	probe->info.id = ++s->nprobes;
	return (add_enabling(s, clause, description, probe, epid) ? 0 :
	    -ENOMEM);
}

static int
check_programs(const struct tbuf_d_script *source,
    const struct tbuf_d_clause *clause, const char **why)
{
	struct tbuf_program limits;
	uint32_t i, at;

	for (i = 0; i < clause->nprograms; i++) {
		tbuf_script_limits(source, clause, &clause->programs[i],
		    &limits);
		if ((*why = tbuf_program_check(&limits, &at)) != NULL)
			return (-EINVAL);
	}
	return (0);
}

/* Returns true for a selection at the consumer's own probes: a mistake. */
static bool
has_selection(const char *description)
{
	uint64_t selection;

	(void)tbuf_description_end(description, strchr(description, '\0'),
	    &selection);
	return (selection != 0 && !tbuf_clauses_theirs(description));
}

static int
add_clauses(struct tbuf_script *s, const char **why)
{
	const struct tbuf_d_clause *clause = s->source->clauses;
	const struct tbuf_d_clause *end = clause + s->source->nclauses;
	uint32_t epid = 1, i;
	int error;

	for (; clause < end; clause++) {
		if ((error = check_programs(s->source, clause, why)) != 0)
			return (error);
		for (i = 0; i < clause->ndescriptions; i++) {
			*why = clause->descriptions[i];
			if (s->records && tbuf_clauses_theirs(*why) &&
			    !add_enabling(s, clause, *why, &s->recorded,
			    &epid))
				return (-ENOMEM);
			/* Only targets have such probes. */
			if (tbuf_consumer_own(*why) == 0)
				continue;
			if (has_selection(*why)) {
				*why = "a selection is only possible "
				    "at probes of targets";
				return (-EINVAL);
			}
			error = add_description(s, clause, *why, &epid);
			if (error != 0)
				return (error);
		}
	}
	return (0);
}

struct tbuf_script *
tbuf_script_new(const struct tbuf_d_script *source, bool records,
    const char **why)
{
	struct tbuf_script *s = calloc(1, sizeof(*s));
	int error;

	*why = NULL;
	if (s == NULL)
		return (NULL);
	STAILQ_INIT(&s->queue);
	STAILQ_INIT(&s->giving);
	s->source = source;
	s->self = &s->own;
	s->records = records;
	s->recorded.kind = TBUF_SCRIPT_RECORD;
	tbuf_secret_make(&s->secret);
	s->cpus = calloc(TBUF_NCPUS, sizeof(*s->cpus));
	error = s->cpus == NULL ? -ENOMEM : add_clauses(s, why);
	if (error == 0) {
		*why = "an aggregation is invalid";
		error = tbuf_aggregates_make(&s->aggregates, source);
	}
	if (error == 0)
		return (s);
	tbuf_script_free(s);
	errno = -error;
	return (NULL);
}

void
tbuf_script_free(struct tbuf_script *s)
{
	if (s == NULL)
		return;
	tbuf_entries_free(&s->queue);
	tbuf_entries_free(&s->giving);
	free(s->returned);
	tbuf_cells_free(&s->globals);
	tbuf_cells_free(&s->locals);
	tbuf_script_threads_free(s);
	tbuf_elements_free(&s->elements);
	tbuf_aggregates_free(&s->aggregates);
	tbuf_speculations_free(s);
	free(s->machine.scratch.bytes);
	free(s->machine.temporary.bytes);
	free(s->machine.key.bytes);
	free(s->machine.record.bytes);
	free(s->machine.token.bytes);
	free(s->pieces);
	free(s->cpus);
	free(s->enablings);
	free(s);
}

/* ------------------------------------------------------------ the run */

static int
lend(struct tbuf_buffer *buffer, uint64_t room)
{
	room = MIN(room, UINT32_C(1) << 30);
	buffer->room = (uint32_t)room;
	buffer->bytes = calloc(1, room + 8);
	return (buffer->bytes == NULL ? -ENOMEM : 0);
}

/* Returns the room for records; *npieces: the most pieces of a record. */
static uint64_t
record_room(const struct tbuf_d_script *source, uint32_t *npieces)
{
	const struct tbuf_d_record *r;
	uint64_t most = 0;
	uint32_t i, j;

	*npieces = 1;
	for (i = 0; i < source->nclauses; i++)
		for (j = 0; j < source->clauses[i].nrecords; j++) {
			r = &source->clauses[i].records[j];
			most = MAX(most, r->bytes);
			*npieces = MAX(*npieces, r->npieces);
		}
	/* A record may be made while another one is being made. */
	return (2 * most + 8);
}

static int
prepare_machine(struct tbuf_script *s)
{
	struct tbuf_machine *m = &s->machine;
	uint64_t strsize = s->terms.strsize;
	uint32_t npieces;
	uint64_t most = record_room(s->source, &npieces);

	m->strsize = (uint32_t)strsize;
	tbuf_script_take(s, NULL);
	m->token_at = TBUF_TOKEN_NONE;
	s->pieces = calloc(npieces, sizeof(*s->pieces));
	if (s->pieces == NULL || lend(&m->scratch, s->terms.scratchsize) ||
	    lend(&m->temporary, 64 * (strsize + 64)) ||
	    lend(&m->key, TUPLE + 16 * strsize) || lend(&m->record, most) ||
	    lend(&m->token, strsize + 1))
		return (-ENOMEM);
	return (0);
}

/* Reserves room for END's records under fill.  Returns 0 or -ENOSPC. */
static int
reserve_end(struct tbuf_script *s)
{
	uint32_t j;
	unsigned i;

	for (i = 0; i < s->nenablings; i++) {
		if (s->enablings[i].probe->kind != TBUF_SCRIPT_END)
			continue;
		for (j = 0; j < s->enablings[i].clause->nrecords; j++)
			s->reserved_end += tbuf_record_charge(
			    &s->enablings[i].clause->records[j]);
	}
	if (s->terms.bufpolicy != TBUF_FILL)
		s->reserved_end = 0;
	return (s->reserved_end > s->terms.bufsize ? -ENOSPC : 0);
}

/* Sets the CPU of clauses: that of -x cpu, where this thread is bound then. */
static void
find_home(struct tbuf_script *s)
{
	cpu_set_t set;

	s->home = sched_getcpu();
	if (s->terms.cpu >= 0 && s->terms.cpu < CPU_SETSIZE) {
		CPU_ZERO(&set);
		CPU_SET(s->terms.cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) == 0)
			s->home = (int)s->terms.cpu;
	}
	if (s->home < 0 || s->home >= (int)TBUF_NCPUS)
		s->home = 0;
}

/* Adds ns to a time; UINT64_MAX is never reached. */
static uint64_t
later(uint64_t time, uint64_t ns)
{
	return (ns < UINT64_MAX - time ? time + ns : UINT64_MAX);
}

static void
set_timers(struct tbuf_script *s)
{
	uint64_t now = tbuf_script_now(s);
	unsigned i;

	for (i = 0; i < s->nprobes; i++)
		s->probes[i].next = s->probes[i].period != 0 ?
		    later(now, s->probes[i].period) : UINT64_MAX;
}

bool
tbuf_script_speculates(const struct tbuf_d_script *source)
{
	uint32_t i;

	for (i = 0; i < source->nclauses; i++)
		if ((source->clauses[i].flags & TBUF_CLAUSE_SPECULATE) != 0)
			return (true);
	return (false);
}

static bool
has_error(const struct tbuf_script *s)
{
	unsigned i;

	for (i = 0; i < s->nenablings; i++)
		if (s->enablings[i].probe->kind == TBUF_SCRIPT_ERROR)
			return (true);
	return (false);
}

/*
 * Returns true if a buffer's size exceeds the memory.  A script's buffers take
 * memory only as they are filled, but bufresize=manual refuses such sizes, as
 * in DTrace.
 */
static bool
exceeds_memory(const struct tbuf_script *s)
{
	const struct tbuf_options *terms = &s->terms;
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) *
	    (uint64_t)sysconf(_SC_PAGESIZE);

	return (terms->bufsize > memory ||
	    (s->source->naggregations != 0 && terms->aggsize > memory) ||
	    (tbuf_script_speculates(s->source) && terms->specsize > memory));
}

int
tbuf_script_begin(struct tbuf_script *s, const struct tbuf_options *terms)
{
	int error;

	s->terms = *terms;
	s->pid = getpid();
	(void)tbuf_copy(s->execname, program_invocation_short_name,
	    sizeof(s->execname));
	if (terms->bufresize != 0 && !s->records && exceeds_memory(s))
		return (-EFBIG);
	if ((error = reserve_end(s)) != 0)
		return (error);
	if (terms->aggpercpu != 0)
		tbuf_aggregates_apart(&s->aggregates, tbuf_cpus_number());
	if (!tbuf_aggregates_limit(&s->aggregates, terms->aggsize,
	    terms->strsize))
		return (-EINVAL);
	if (terms->bufsize < TBUF_SCRIPT_ERROR_SIZE && has_error(s))
		return (-EINVAL);
	if (tbuf_script_speculates(s->source) &&
	    terms->specsize < TBUF_RECORD_LEAST)
		return (-EINVAL);
	if (!tbuf_variables_fit(s->source, terms))
		return (-EINVAL);
	if (prepare_machine(s) != 0 || !tbuf_speculations_make(s) ||
	    tbuf_cells_make(&s->globals, s->source, TBUF_SCOPE_GLOBAL,
	    (uint32_t)terms->strsize) != 0 ||
	    tbuf_cells_make(&s->locals, s->source, TBUF_SCOPE_CLAUSE,
	    (uint32_t)terms->strsize) != 0 ||
	    tbuf_cells_make(&s->own.cells, s->source, TBUF_SCOPE_THREAD,
	    (uint32_t)terms->strsize) != 0)
		return (-ENOMEM);
	find_home(s);
	if (!s->records)
		tbuf_script_start(s);
	return (0);
}

void
tbuf_script_start(struct tbuf_script *s)
{
	s->started = true;
	tbuf_script_fire(s, &s->probes[TBUF_SCRIPT_BEGIN], s->home);
	set_timers(s);
}

/* Fires a timer: profile-N once for each CPU, or for that of -x cpu. */
static void
fire_timer(struct tbuf_script *s, const struct tbuf_script_probe *probe)
{
	struct tbuf_cpus online;
	unsigned cpu;

	if (probe->kind == TBUF_SCRIPT_TICK || s->terms.cpu >= 0) {
		tbuf_script_fire(s, probe, s->home);
		return;
	}
	tbuf_cpus_online(&online);
	for (cpu = 0; cpu < TBUF_NCPUS && !s->exited; cpu++)
		if (tbuf_cpus_has(&online, cpu))
			tbuf_script_fire(s, probe, (int)cpu);
}

/* Returns the timer that is due first, or NULL. */
static struct tbuf_script_probe *
first_timer(struct tbuf_script *s)
{
	struct tbuf_script_probe *first = NULL, *p;

	for (p = s->probes; p < s->probes + s->nprobes; p++)
		if (p->period != 0 &&
		    (first == NULL || p->next < first->next))
			first = p;
	return (first);
}

void
tbuf_script_tick(struct tbuf_script *s, uint64_t now)
{
	struct tbuf_script_probe *p;

	while (!s->exited && (p = first_timer(s)) != NULL && p->next <= now) {
		/* Missed firings are made up for, up to CATCH_UP of them. */
		if (now - p->next > CATCH_UP * p->period)
			p->next = now;
		p->next += p->period;
		fire_timer(s, p);
	}
}

/*
 * Skips a timer's firings up to `until`, after QUIET ones without a record:
 * hours without records must not take hours.  Returns false if it fires.
 */
static bool
skip(struct tbuf_script *s, struct tbuf_script_probe *p, uint64_t until)
{
	uint64_t n = (until - p->next) / p->period;

	if (p->records != s->nrecords || s->quiet++ < QUIET) {
		p->records = s->nrecords;
		return (false);
	}
	p->next = later(p->next + n * p->period, p->period);
	s->timer_drops += n + 1;
	return (true);
}

bool
tbuf_script_tick_next(struct tbuf_script *s, uint64_t until)
{
	struct tbuf_script_probe *p;

	while (!s->exited && (p = first_timer(s)) != NULL &&
	    p->next <= until && p->next != UINT64_MAX) {
		if (skip(s, p, until))
			continue;
		s->moment = p->next;
		p->next = later(p->next, p->period);
		s->self = &s->own;
		fire_timer(s, p);
		return (true);
	}
	return (false);
}

uint64_t
tbuf_script_due(const struct tbuf_script *s)
{
	uint64_t due = UINT64_MAX;
	unsigned i;

	for (i = 0; i < s->nprobes; i++)
		if (s->probes[i].period != 0 && s->probes[i].next < due)
			due = s->probes[i].next;
	return (due);
}

uint64_t
tbuf_script_now(const struct tbuf_script *s)
{
	return (s->moment != 0 ? s->moment : tbuf_now());
}

uint64_t
tbuf_script_wall(const struct tbuf_script *s)
{
	return (s->moment != 0 ? s->moment + s->wall_ahead :
	    tbuf_nanoseconds(CLOCK_REALTIME));
}

void
tbuf_script_end(struct tbuf_script *s)
{
	s->ending = true;
	s->self = &s->own;
	tbuf_script_fire(s, &s->probes[TBUF_SCRIPT_END], s->home);
	tbuf_script_give(s);
	s->telling = true;
	s->next_loss = 0;
}
