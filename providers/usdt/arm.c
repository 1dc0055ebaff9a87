/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes are registered, and their sites armed, from the highest address down.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "target/provider.h"
#include "usdt.h"

/* ------------------------------------------------------------ registering */

/* Returns true if the operand is wide enough for an argument of this type. */
static bool
fits(enum tbuf_type type, const struct usdt_operand *o)
{
	if (type != TBUF_STRING && type != TBUF_POINTER && type != TBUF_DOUBLE)
		return (true);
	return (o->width == 8 || o->place == USDT_CONSTANT);
}

/*
 * Finds the sites that can be armed, as far as operands go.  A string is read
 * at the address in its operand: a narrow one would be no pointer.
 */
static void
check_types(const struct usdt_sites *sites)
{
	struct usdt_site *s;
	size_t i;
	unsigned n;

	for (i = 0; i < sites->count; i++) {
		s = sites->all[i];
		if (s->nargs > s->group->probe.nargs)
			s->nargs = s->group->probe.nargs;
		for (n = 0; n < s->nargs; n++) {
			if (!fits(s->group->probe.types[n], &s->operands[n]))
				s->problem = "an operand is too narrow";
			if (s->group->probe.types[n] == TBUF_STRING) {
				s->texts |= 1u << n;
				s->ntexts++;
			}
		}
		s->group->candidates += s->problem == NULL;
	}
}

static void
register_group(struct usdt_group *g)
{
	const char *names[TBUF_ARGS_MAX];
	unsigned i;

	for (i = 0; i < g->probe.nargs; i++)
		names[i] = *g->probe.names[i] == '\0' ? NULL :
		    g->probe.names[i];
	if (tbuf_probe_register(&g->site, g->probe.provider, g->module,
	    g->function, g->probe.name, g->probe.nargs, g->probe.types,
	    names) != 0)
		g->site.enabled = NULL;
}

/*
 * With USDT_MISSED, registers a probe even if it has no site that can be armed:
 * an enabling finds it, and tell_missed() reports the sites.
 */
static void
register_groups(struct usdt_sites *sites)
{
	struct usdt_group *g;
	sigset_t mask;

	tbuf_series_begin(&mask, 0);
	for (g = sites->groups; g != NULL; g = g->next)
		if (g->candidates > 0 || getenv(USDT_MISSED) != NULL)
			register_group(g);
	tbuf_series_end(&mask);
}

/* Returns true if the probe can ever be enabled. */
static bool
is_registered(const struct usdt_group *g)
{
	return (g->site.enabled != NULL && g->site.enabled != &g->site.zero);
}

/* ------------------------------------------------------------ arming */

static int
descending(const void *a, const void *b)
{
	const struct usdt_site *left = *(struct usdt_site *const *)a;
	const struct usdt_site *right = *(struct usdt_site *const *)b;

	return ((left->patch.place < right->patch.place) -
	    (left->patch.place > right->patch.place));
}

static void
arm_site(const struct patch *patch, struct usdt_site *s)
{
	if (s->problem == NULL && !is_registered(s->group))
		s->problem = "its probe could not be registered";
	if (s->problem != NULL)
		return;
	s->patch.enabled = s->group->site.enabled;
	s->problem = usdt_redirect(patch, s);
	if (s->problem == NULL)
		s->group->armed++;
}

/*
 * A program may test a semaphore before it prepares arguments.  This raises
 * those of probes that are enabled already; consumers that come or go later
 * change the bit.
 */
void
usdt_semaphores_raise(struct usdt_sites *sites)
{
	struct usdt_site *s;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		s = sites->all[i];
		if (s->semaphore == NULL || s->problem != NULL)
			continue;
		tbuf_site_semaphore(&s->group->site, &s->group->semaphore,
		    s->semaphore);
		if (__atomic_load_n(s->group->site.enabled,
		    __ATOMIC_SEQ_CST) != 0)
			__atomic_fetch_or(s->semaphore, TBUF_SEMAPHORE << 8,
			    __ATOMIC_SEQ_CST);
	}
}

void
usdt_semaphores_hide(struct usdt_sites *sites)
{
	struct usdt_group *g;

	for (g = sites->groups; g != NULL; g = g->next)
		tbuf_site_semaphore(&g->site, NULL, NULL);
}

/* Counts a setting as one more tracer, once for all sites of a semaphore. */
static void
raise_wanted(const struct usdt_sites *sites, size_t i)
{
	struct usdt_site *s = sites->all[i];
	size_t n;

	if (s->semaphore == NULL || s->problem != NULL ||
	    !usdt_wanted(s->group))
		return;
	for (n = 0; n < i; n++)
		if (sites->all[n]->semaphore == s->semaphore &&
		    sites->all[n]->problem == NULL)
			return;
	__atomic_fetch_add(s->semaphore, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------ all of it */

/*
 * tbufctl removes the file of USDT_MISSED when it ends, after which another
 * user may make something of that name.
 */
static FILE *
report_stream(const char *setting)
{
	return (provider_report_open(setting,
	    strcmp(setting, USDT_MISSED) == 0));
}

void
usdt_report_look(void)
{
	FILE *f = report_stream(USDT_MISSED);

	if (f == NULL)
		provider_setenv(USDT_MISSED, NULL);
	else
		fclose(f);
}

void
usdt_tell(const char *setting, const char *line, ...)
{
	FILE *f = report_stream(setting);
	va_list ap;

	if (f == NULL)
		return;
	va_start(ap, line);
	vfprintf(f, line, ap);
	va_end(ap);
	fclose(f);
}

void
usdt_site_print(FILE *f, const struct usdt_site *s)
{
	const struct usdt_group *g = s->group;

	fprintf(f, "%s:%s:%s:%s at %#zx: %s%s\n", g->probe.provider,
	    g->module, g->function, g->probe.name,
	    s->patch.place - s->text.low,
	    s->problem == NULL ? "armed" : "not armed: ",
	    s->problem == NULL ? "" : s->problem);
}

static void
tell_site(const char *setting, const struct usdt_site *s)
{
	FILE *f = report_stream(setting);

	if (f == NULL)
		return;
	usdt_site_print(f, s);
	fclose(f);
}

static void
tell_sites(const struct usdt_sites *sites)
{
	size_t i;

	for (i = sites->count; i-- > 0;)
		tell_site(USDT_LIST, sites->all[i]);
}

/* Reports a site that a consumer of its probe would wait for. */
static void
tell_missed(const struct usdt_site *s)
{
	if (s->problem != NULL && is_registered(s->group) &&
	    tbuf_probe_enabled(&s->group->site))
		tell_site(USDT_MISSED, s);
}

static void
refuse_all(struct usdt_sites *sites, const char *problem)
{
	size_t i;

	for (i = 0; i < sites->count; i++)
		sites->all[i]->problem = problem;
}

static void
arm_sites(const struct patch *patch, struct usdt_sites *sites)
{
	size_t i;

	usdt_redirect_look(sites);
	for (i = 0; i < sites->count; i++)
		arm_site(patch, sites->all[i]);
	usdt_semaphores_raise(sites);
}

static void
finish(struct usdt_sites *sites)
{
	struct usdt_group *g;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		raise_wanted(sites, i);
		tell_missed(sites->all[i]);
	}
	for (g = sites->groups; g != NULL; g = g->next)
		if (g->armed == 0 && is_registered(g))
			tbuf_probe_unregister(&g->site);
}

void
usdt_arm(struct usdt_sites *sites, bool loading)
{
	struct patch patch;
	const char *problem;

	qsort(sites->all, sites->count, sizeof(*sites->all), descending);
	check_types(sites);
	register_groups(sites);
	problem = loading ? patch_begin_loading(&patch) : patch_begin(&patch);
	if (problem != NULL)
		refuse_all(sites, problem);
	else {
		arm_sites(&patch, sites);
		patch_end(&patch);
	}
	finish(sites);
	tell_sites(sites);
}

void
usdt_disarm(struct usdt_sites *sites)
{
	struct usdt_group *g;
	size_t i;

	usdt_semaphores_hide(sites);
	/* No system call: a filter set since the start may kill for any. */
	for (g = sites->groups; g != NULL; g = g->next)
		tbuf_sites_unregister(&g->site, &g->site + 1);
	for (i = 0; i < sites->count; i++)
		patch_forget(&sites->all[i]->patch);
}
