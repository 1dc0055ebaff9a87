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

static void
register_entry(struct tbuf_site *site, const char *provider,
    const char *module, const char *function, const struct pid_signature *s)
{
	const char *names[PID_ARGS];
	unsigned i;

	for (i = 0; i < s->nargs; i++)
		names[i] = *s->names[i] == '\0' ? NULL : s->names[i];
	if (tbuf_probe_register(site, provider, module, function, "entry",
	    s->nargs, s->types, names) != 0)
		site->enabled = NULL;
}

static void
register_exits(struct tbuf_site *site, const char *provider,
    const char *module, const char *function, const struct pid_signature *s)
{
	const enum tbuf_type types[] = { TBUF_UINT64, s->result };
	static const char *const names[] = { NULL, NULL };

	if (tbuf_probe_register(site, provider, module, function, "return", 2,
	    types, names) != 0)
		site->enabled = NULL;
}

/* The registers of arguments, whatever they have there. */
static void
register_spot(struct tbuf_site *site, const char *provider, const char *module,
    const char *function, const char *name)
{
	static const enum tbuf_type types[] = { TBUF_INT64, TBUF_INT64,
	    TBUF_INT64, TBUF_INT64, TBUF_INT64, TBUF_INT64 };
	static const char *const names[PID_ARGS] = { NULL };

	if (tbuf_probe_register(site, provider, module, function, name,
	    sizeof(types) / sizeof(types[0]), types, names) != 0)
		site->enabled = NULL;
}

/* Returns true if the probe can ever be enabled. */
static bool
is_registered(const struct tbuf_site *site)
{
	return (site->enabled != NULL && site->enabled != &site->zero);
}

/* Names of a probe. */
struct naming {
	char module[PID_MODULE], buffer[PID_SCOPED];
	const char *function;
};

/* Gets the best names by which a description calls a function's probe. */
static void
name_of(const struct pid_object *o, size_t function, enum pid_name name,
    struct naming *n)
{
	const struct pid_functions *f = &o->functions;
	uintptr_t start = f->map.codes[function].start;
	const struct pid_alias *one = pid_alias_first(f, start);
	char scoped[PID_SCOPED];

	for (; one != NULL && one < f->aliases + f->naliases &&
	    one->address == start; one++) {
		n->function = pid_wanted(o->file, o->is_program, one->name,
		    name, n->module, n->buffer);
		if (n->function != NULL)
			return;
	}
	pid_offset(f, start, n->buffer);
	n->function = n->buffer;
	if (pid_wanted(o->file, o->is_program, n->buffer, name, n->module,
	    scoped) == NULL)
		(void)snprintf(n->module, sizeof(n->module), "%s", o->module);
}

/* Registers the probes that can be armed. */
static void
register_probes(const struct pid_object *o, struct pid_probes *p)
{
	const char *provider = provider_name();
	const struct pid_wish *wish = o->plan.wishes;
	struct pid_sites *sites = p->sites;
	struct naming n;
	struct pid_signature signature;
	sigset_t mask;
	size_t i;

	tbuf_series_begin(&mask, 0);
	for (; wish < o->plan.wishes + o->plan.nwishes; wish++, sites++) {
		signature_of(o, wish, &signature);
		if (wish->entry && wish->entry_problem == NULL) {
			name_of(o, wish->function, PID_ENTRY, &n);
			register_entry(&sites->entry, provider, n.module,
			    n.function, &signature);
		}
		if (pid_plan_returns(&o->plan, wish)) {
			name_of(o, wish->function, PID_RETURN, &n);
			register_exits(&sites->exits, provider, n.module,
			    n.function, &signature);
		}
	}
	for (i = 0; i < o->plan.nspots; i++) {
		name_of(o, o->plan.spots[i].function, PID_SPOT, &n);
		if (o->plan.spots[i].problem == NULL)
			register_spot(&p->spots[i], provider, n.module,
			    n.function, o->plan.spots[i].name);
	}
	tbuf_series_end(&mask);
}

static bool
is_narrow(uint8_t type)
{
	return (type <= TBUF_BOOL && type != TBUF_INT64 &&
	    type != TBUF_UINT64);
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

/* Connects the points that are to be armed with their probes. */
static void
connect(const struct pid_object *o, struct pid_probes *p)
{
	const struct patch_code *codes = o->functions.map.codes;
	struct patch_point *point = o->plan.points;
	struct pid_place *place = p->places;
	struct pid_sites *sites;

	for (; point < o->plan.points + o->plan.npoints; point++, place++) {
		point->probe = &place->patch;
		if (point->problem != NULL)
			continue;
		sites = &p->sites[o->plan.wish_of[point->function]];
		place->is_inside = point->is_inside;
		place->site = point->is_inside ? &p->spots[pid_plan_spot(
		    &o->plan, point) - o->plan.spots] : point->is_entry ||
		    point->is_back ? &sites->entry : &sites->exits;
		place->offset = point->at - codes[point->function].start;
		place->narrow = narrow_ones(place->site);
		place->in_libc = o->is_libc;
		place->patch.hit = point->is_inside ? pid_hit_inside :
		    point->is_entry ? pid_hit_entry : pid_hit_exit;
		place->patch.enabled = place->site->enabled;
		if (!is_registered(place->site))
			point->problem = "its probe could not be registered";
	}
}

/* Reports wanted probes, and unregisters those that are not armed after all. */
static void
finish(struct pid_object *o, struct pid_probes *p)
{
	const struct pid_wish *wish = o->plan.wishes;
	struct pid_sites *sites = p->sites;
	char why[PID_WHY];
	struct naming n;
	bool returns;

	for (; wish < o->plan.wishes + o->plan.nwishes; wish++, sites++) {
		name_of(o, wish->function, PID_ENTRY, &n);
		if (wish->entry)
			pid_report_probe(n.module, n.function, "entry",
			    wish->entry_problem);
		name_of(o, wish->function, PID_RETURN, &n);
		returns = pid_plan_returns(&o->plan, wish);
		if (wish->exits && wish->exit_problem != NULL) {
			pid_plan_why(wish, why);
			(returns ? pid_report_part : pid_report_probe)(
			    n.module, n.function, "return", why);
		} else if (wish->nexits > 0)
			pid_report_probe(n.module, n.function, "return", NULL);
		if (wish->entry_problem != NULL &&
		    is_registered(&sites->entry))
			tbuf_probe_unregister(&sites->entry);
		if (!returns && is_registered(&sites->exits))
			tbuf_probe_unregister(&sites->exits);
	}
}

/* The same for instructions in functions. */
static void
finish_spots(const struct pid_object *o, const struct pid_probes *p)
{
	const struct pid_spot *spot = o->plan.spots;
	struct tbuf_site *site = p->spots;
	struct naming n;

	for (; spot < o->plan.spots + o->plan.nspots; spot++, site++) {
		name_of(o, spot->function, PID_SPOT, &n);
		pid_report_probe(n.module, n.function, spot->name,
		    spot->problem);
		if (spot->problem != NULL && is_registered(site))
			tbuf_probe_unregister(site);
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
	p->sites = calloc(plan->nwishes + 1, sizeof(*p->sites));
	p->spots = calloc(plan->nspots + 1, sizeof(*p->spots));
	p->places = calloc(plan->npoints + 1, sizeof(*p->places));
	if (p->sites == NULL || p->spots == NULL || p->places == NULL)
		return (false);
	p->nsites = plan->nwishes;
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
		o->plan.regions.all = NULL;
	}
}

/* No system call: a filter set since the start may kill for any. */
void
pid_disarm(struct pid_probes *p)
{
	size_t i;

	for (i = 0; i < p->nsites; i++) {
		tbuf_sites_unregister(&p->sites[i].entry,
		    &p->sites[i].entry + 1);
		tbuf_sites_unregister(&p->sites[i].exits,
		    &p->sites[i].exits + 1);
	}
	for (i = 0; i < p->nplaces; i++)
		patch_forget(&p->places[i].patch);
	patch_regions_forget(&p->regions);
	patch_regions_free(&p->regions);
	for (i = 0; i < p->nspots; i++)
		tbuf_sites_unregister(&p->spots[i], &p->spots[i] + 1);
	free(p->sites);
	free(p->spots);
	free(p->places);
	*p = (struct pid_probes){ .sites = NULL };
}
