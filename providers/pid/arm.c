/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "pid.h"
#include "target/provider.h"
#include "types.h"

#define REPORTS_MAX	20u	/* probes that are reported by name */

/* ------------------------------------------------------------ reports */

/*
 * tbufctl removes the file of PID_MISSED when it ends, after which another user
 * may make something of that name.
 */
static FILE *list, *missed;
static unsigned nmissed;

void
pid_report_look(void)
{
	FILE *f = provider_report_open(PID_MISSED, true);

	if (f == NULL)
		provider_setenv(PID_MISSED, NULL);
	else
		fclose(f);
}

void
pid_report_begin(void)
{
	list = provider_report_open(PID_LIST, false);
	missed = provider_report_open(PID_MISSED, true);
	nmissed = 0;
}

void
pid_report_end(void)
{
	if (missed != NULL && nmissed > REPORTS_MAX)
		fprintf(missed, "pid%jd: not armed: %u more entries and "
		    "returns (-l lists them)\n", (intmax_t)getpid(),
		    nmissed - REPORTS_MAX);
	if (list != NULL)
		fclose(list);
	if (missed != NULL)
		fclose(missed);
	list = missed = NULL;
}

void
pid_report_object(const char *module, const char *problem)
{
	if (list != NULL)
		fprintf(list, "pid%jd:%s: not armed: %s\n",
		    (intmax_t)getpid(), module, problem);
	if (missed != NULL)
		fprintf(missed, "pid%jd:%s: not armed: %s\n",
		    (intmax_t)getpid(), module, problem);
}

void
pid_report_untyped(const char *module, const char *path)
{
	FILE *const files[] = { list, missed };
	size_t i;

	for (i = 0; i < 2; i++)
		if (files[i] != NULL)
			fprintf(files[i], "pid%jd:%s: without types: they are "
			    "those of another file (-x pidobject=%s)\n",
			    (intmax_t)getpid(), module, path);
}

void
pid_report_part(const char *module, const char *function, const char *name,
    const char *problem)
{
	FILE *const files[] = { list, missed };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] != NULL)
			fprintf(files[i], "pid%jd:%s:%s:%s: armed in part: "
			    "%s\n", (intmax_t)getpid(), module, function,
			    name, problem);
}

void
pid_report_probe(const char *module, const char *function, const char *name,
    const char *problem)
{
	if (list != NULL)
		fprintf(list, "pid%jd:%s:%s:%s: %s%s\n", (intmax_t)getpid(),
		    module, function, name, problem == NULL ? "armed" :
		    "not armed: ", problem == NULL ? "" : problem);
	if (missed != NULL && problem != NULL && nmissed++ < REPORTS_MAX)
		fprintf(missed, "pid%jd:%s:%s:%s: not armed: %s\n",
		    (intmax_t)getpid(), module, function, name, problem);
}

void
pid_report_absent(const char *module, const char *function, const char *name,
    const char *problem)
{
	FILE *const files[] = { list, missed };
	size_t i;

	for (i = 0; i < 2; i++)
		if (files[i] != NULL)
			fprintf(files[i], "pid%jd:%s:%s:%s: absent: %s\n",
			    (intmax_t)getpid(), module, function, name,
			    problem);
}

/* ------------------------------------------------------------ probes */

/*
 * The name of the process that has read the descriptions: its forked children
 * have its probes, also those of objects that they load.
 */
static const char *
provider_name(void)
{
	static char name[32];

	if (*name == '\0')
		(void)snprintf(name, sizeof(name), "pid%jd",
		    (intmax_t)getpid());
	return (name);
}

/* Gets a function's arguments: those of DWARF, or all words of a call. */
static void
signature_of(const struct pid_object *o, const struct pid_wish *wish,
    struct pid_signature *s)
{
	const struct pid_functions *f = &o->functions;
	unsigned i;

	if (pid_types_find(f->map.codes[wish->function].start -
	    o->memory.info.dlpi_addr, s))
		return;
	*s = (struct pid_signature){ .nargs = PID_ARGS,
	    .result = TBUF_INT64 };
	for (i = 0; i < PID_ARGS; i++)
		s->types[i] = TBUF_INT64;
}

/* The arguments of a probe. */
struct arguments {
	unsigned n;
	enum tbuf_type types[PID_ARGS];
	const char *names[PID_ARGS];
	uint8_t vectors[PID_ARGS];
};

#define SPOT_ARGS	6u	/* registers, whatever they have there */

static void
arguments_of(const struct pid_signature *s, enum pid_kind kind,
    struct arguments *a)
{
	unsigned i;

	*a = (struct arguments){ .n = kind == PID_ENTRY ? s->nargs :
	    kind == PID_RETURN ? 2 : SPOT_ARGS };
	for (i = 0; i < a->n; i++) {
		a->types[i] = kind == PID_ENTRY ? s->types[i] : TBUF_INT64;
		if (kind == PID_ENTRY && *s->names[i] != '\0')
			a->names[i] = s->names[i];
		a->vectors[i] = kind == PID_ENTRY ? s->vectors[i] : 0;
	}
	if (kind == PID_RETURN) {
		a->types[0] = TBUF_UINT64;
		a->types[1] = s->result;
		if (s->result == TBUF_FLOAT || s->result == TBUF_DOUBLE)
			a->vectors[1] = PID_VECTOR;
	}
}

/* Returns true if the probe can ever be enabled. */
static bool
is_registered(const struct tbuf_site *site)
{
	return (site->enabled != NULL && site->enabled != &site->zero);
}

static bool
register_site(struct tbuf_site *site, const struct pid_called *called,
    const struct arguments *a)
{
	if (tbuf_probe_register(site, provider_name(), called->module,
	    pid_called_function(called), called->name, a->n, a->types,
	    a->names) == 0)
		return (true);
	site->enabled = NULL;
	return (false);
}

static void
set_vectors(struct pid_sites *sites, const struct arguments *a)
{
	unsigned i;

	memcpy(sites->vectors, a->vectors, sizeof(sites->vectors));
	for (i = 0; i < a->n; i++)
		if (a->vectors[i] != 0)
			sites->has_vectors = true;
		else
			sites->nwords = (uint8_t)(i + 1);
}

/* Registers a probe for each name; each is an alias of the one before it. */
static void
register_names(struct pid_sites *sites, const struct pid_names *names,
    const struct arguments *a)
{
	struct tbuf_site *site = &sites->first;
	size_t i;

	set_vectors(sites, a);
	if (names->n > 1)
		sites->others = calloc(names->n - 1, sizeof(*site));
	for (i = 0; i < names->n; i++) {
		if (!register_site(site, &names->all[i], a))
			continue;
		if (site != &sites->first)
			sites->nothers++;
		if (sites->others == NULL)
			break;
		tbuf_series_alias(site);
		site = &sites->others[sites->nothers];
	}
	tbuf_series_alias(NULL);
}

/*
 * Gets the names by which descriptions call a place.  Without symbols its
 * function is called by its offset.
 */
static const struct pid_names *
names_of(const struct pid_object *o, size_t function, enum pid_kind kind,
    uint64_t offset)
{
	static struct pid_names names;
	static struct pid_alias unnamed;
	static char text[PID_OFFSET];
	const struct pid_functions *f = &o->functions;
	uintptr_t start = f->map.codes[function].start;
	struct pid_callee callee = { .module = o->file,
	    .is_program = o->is_program, .offset = offset,
	    .aliases = pid_alias_first(f, start) };
	const struct pid_alias *end = f->aliases + f->naliases;

	if (callee.aliases == NULL) {
		pid_offset(f, start, text);
		unnamed = (struct pid_alias){ start, text };
		callee.aliases = &unnamed;
		end = &unnamed + 1;
	}
	while (callee.aliases + callee.naliases < end &&
	    callee.aliases[callee.naliases].address == start)
		callee.naliases++;
	pid_wanted_names(&callee, kind, &names);
	return (&names);
}

static uint64_t
offset_of(const struct pid_object *o, const struct pid_spot *spot)
{
	return (spot->at - o->functions.map.codes[spot->function].start);
}

static void
register_spots(const struct pid_object *o, const struct pid_probes *p)
{
	const struct pid_spot *spot = o->plan.spots;
	struct pid_sites *sites = p->spots;
	struct arguments a;

	arguments_of(NULL, PID_SPOT, &a);
	for (; spot < o->plan.spots + o->plan.nspots; spot++, sites++)
		if (spot->problem == NULL)
			register_names(sites, names_of(o, spot->function,
			    PID_SPOT, offset_of(o, spot)), &a);
}

/* Registers the probes that can be armed. */
static void
register_probes(const struct pid_object *o, struct pid_probes *p)
{
	const struct pid_wish *wish = o->plan.wishes;
	struct pid_pair *pair = p->pairs;
	struct pid_signature signature;
	struct arguments a;
	sigset_t mask;

	tbuf_series_begin(&mask, 0);
	for (; wish < o->plan.wishes + o->plan.nwishes; wish++, pair++) {
		signature_of(o, wish, &signature);
		arguments_of(&signature, PID_ENTRY, &a);
		if (wish->entry && wish->entry_problem == NULL)
			register_names(&pair->entry, names_of(o,
			    wish->function, PID_ENTRY, 0), &a);
		arguments_of(&signature, PID_RETURN, &a);
		if (pid_plan_returns(&o->plan, wish))
			register_names(&pair->exits, names_of(o,
			    wish->function, PID_RETURN, 0), &a);
	}
	register_spots(o, p);
	tbuf_series_end(&mask);
}

static bool
is_narrow(uint8_t type)
{
	return (type == TBUF_FLOAT || (type <= TBUF_BOOL &&
	    type != TBUF_INT64 && type != TBUF_UINT64));
}

/* Returns the number of a probe's values up to the last narrow one. */
static unsigned
narrow_ones(const struct tbuf_site *site)
{
	unsigned n = site->nargs;

	while (n > 0 && !is_narrow(site->types[n - 1]))
		n--;
	return (n);
}

static enum pid_kind
kind_of(const struct patch_point *point)
{
	return (point->is_inside ? PID_SPOT :
	    point->is_entry || point->is_back ? PID_ENTRY : PID_RETURN);
}

/*
 * Makes a stub call the function for a place, if one of its sites may be on.
 * The word of a site is also at a distance from it, near the stub.
 */
static void
set_hit(struct pid_place *place, uintptr_t distance)
{
	static const uint32_t always = 1;

	if (place->sites->nothers > 0) {
		place->patch.hit = pid_hit_several;
		place->patch.enabled = &always;
		return;
	}
	if (place->sites->has_vectors)
		place->patch.hit = place->kind == PID_ENTRY ?
		    pid_hit_entry_vectors : pid_hit_exit_vector;
	else
		place->patch.hit = place->kind == PID_SPOT ? pid_hit_inside :
		    place->kind == PID_ENTRY ? pid_hit_entry : pid_hit_exit;
	place->patch.enabled = (const uint32_t *)((uintptr_t)
	    place->site->enabled + distance);
}

/* Connects the points that are to be armed with their probes. */
static void
connect(const struct pid_object *o, struct pid_probes *p)
{
	const struct patch_code *codes = o->functions.map.codes;
	uintptr_t distance = (uintptr_t)pid_words_distance(o);
	struct patch_point *point = o->plan.points;
	struct pid_place *place = p->places;
	struct pid_pair *pair;

	for (; point < o->plan.points + o->plan.npoints; point++, place++) {
		point->probe = &place->patch;
		if (point->problem != NULL)
			continue;
		pair = &p->pairs[o->plan.wish_of[point->function]];
		place->kind = kind_of(point);
		place->sites = place->kind == PID_SPOT ? &p->spots[
		    pid_plan_spot(&o->plan, point) - o->plan.spots] :
		    place->kind == PID_ENTRY ? &pair->entry : &pair->exits;
		place->site = &place->sites->first;
		place->offset = point->at - codes[point->function].start;
		place->narrow = narrow_ones(place->site);
		place->in_libc = o->is_libc;
		set_hit(place, distance);
		if (!is_registered(place->site))
			point->problem = "its probe could not be registered";
	}
}

/* Unregisters all probes of a place; no system call, see pid_disarm(). */
static void
unregister(struct pid_sites *sites)
{
	if (sites->nothers > 0)
		tbuf_sites_unregister(sites->others,
		    sites->others + sites->nothers);
	tbuf_sites_unregister(&sites->first, &sites->first + 1);
}

/* Unregisters those that are not armed after all. */
static void
withdraw(struct pid_sites *sites)
{
	if (is_registered(&sites->first))
		unregister(sites);
}

/* Reports a place by each of its names. */
static void
report(const struct pid_names *names, const char *problem, bool part)
{
	const struct pid_called *called = names->all;

	for (; called < names->all + names->n; called++)
		(part ? pid_report_part : pid_report_probe)(called->module,
		    pid_called_function(called), called->name, problem);
}

/* Reports wanted probes, and unregisters those that are not armed after all. */
static void
finish(struct pid_object *o, struct pid_probes *p)
{
	const struct pid_wish *wish = o->plan.wishes;
	struct pid_pair *pair = p->pairs;
	const struct pid_names *names;
	char why[PID_WHY];
	bool returns;

	for (; wish < o->plan.wishes + o->plan.nwishes; wish++, pair++) {
		if (wish->entry)
			report(names_of(o, wish->function, PID_ENTRY, 0),
			    wish->entry_problem, false);
		returns = pid_plan_returns(&o->plan, wish);
		names = names_of(o, wish->function, PID_RETURN, 0);
		if (wish->exits && wish->exit_problem != NULL) {
			pid_plan_why(wish, why);
			report(names, why, returns);
		} else if (wish->nexits > 0)
			report(names, NULL, false);
		if (wish->entry_problem != NULL)
			withdraw(&pair->entry);
		if (!returns)
			withdraw(&pair->exits);
	}
}

/* The same for instructions in functions. */
static void
finish_spots(const struct pid_object *o, struct pid_probes *p)
{
	const struct pid_spot *spot = o->plan.spots;
	struct pid_sites *sites = p->spots;

	for (; spot < o->plan.spots + o->plan.nspots; spot++, sites++) {
		report(names_of(o, spot->function, PID_SPOT,
		    offset_of(o, spot)), spot->problem, false);
		if (spot->problem != NULL)
			withdraw(sites);
	}
}

/* Copies problems of points that arming has found, where none was planned. */
static void
take_problems(struct pid_plan *plan, const struct pid_probes *p)
{
	const struct patch_point *point = plan->points;
	const struct pid_place *place = p->places;
	struct pid_wish *wish;

	for (; point < plan->points + plan->npoints; point++, place++) {
		wish = &plan->wishes[plan->wish_of[point->function]];
		if (point->problem == NULL || place->site == NULL)
			continue;
		if (point->is_inside)
			pid_plan_spot(plan, point)->problem = point->problem;
		else if (point->is_entry)
			wish->entry_problem = point->problem;
		else if (!point->is_back) {
			wish->exit_problem = point->problem;
			wish->refused++;
		}
	}
}

static bool
allocate(const struct pid_plan *plan, struct pid_probes *p)
{
	p->pairs = calloc(plan->nwishes + 1, sizeof(*p->pairs));
	p->spots = calloc(plan->nspots + 1, sizeof(*p->spots));
	p->places = calloc(plan->npoints + 1, sizeof(*p->places));
	if (p->pairs == NULL || p->spots == NULL || p->places == NULL)
		return (false);
	p->npairs = plan->nwishes;
	p->nspots = plan->nspots;
	p->nplaces = plan->npoints;
	return (true);
}

void
pid_arm(struct pid_object *o, struct pid_probes *p)
{
	const char *problem = NULL;
	struct patch patch;

	if (!allocate(&o->plan, p))
		problem = "out of memory";
	else
		problem = o->is_loading ? patch_begin_loading(&patch) :
		    patch_begin(&patch);
	if (problem != NULL) {
		pid_report_object(o->module, problem);
		return;
	}
	register_probes(o, p);
	connect(o, p);
	patch_regions_arm(&patch, &o->functions.map, &o->plan.regions,
	    o->plan.points, o->plan.npoints);
	patch_end(&patch);
	take_problems(&o->plan, p);
	finish(o, p);
	finish_spots(o, p);
	if (o->is_loading) {
		p->regions = o->plan.regions;
		o->plan.regions = (struct patch_regions){ .n = 0 };
	}
}

static void
forget(struct pid_sites *sites)
{
	unregister(sites);
	free(sites->others);
}

/* No system call: a filter set since the start may kill for any. */
void
pid_disarm(struct pid_probes *p)
{
	size_t i;

	for (i = 0; i < p->npairs; i++) {
		forget(&p->pairs[i].entry);
		forget(&p->pairs[i].exits);
	}
	for (i = 0; i < p->nplaces; i++)
		patch_forget(&p->places[i].patch);
	patch_regions_forget(&p->regions);
	patch_regions_free(&p->regions);
	for (i = 0; i < p->nspots; i++)
		forget(&p->spots[i]);
	free(p->pairs);
	free(p->spots);
	free(p->places);
	*p = (struct pid_probes){ .pairs = NULL };
}
