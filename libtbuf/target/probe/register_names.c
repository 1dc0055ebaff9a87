/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registration of probes whose names are known only at run time, alone or in a
 * provider's registration series (register.c).  A static program that has only
 * the macros' sites does not contain it.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "target/file/probe_table.h"
#include "target/probe/register.h"
#include "target/probe/site_text.h"
#include "target/probe/site_token.h"
#include "target/provider.h"
#include "target/self/thread.h"

/* Returns true if :: at `i' joins two parts of a function's name. */
static bool
is_joint(const char *field, size_t i)
{
	return (i > 0 && field[i] == ':' && field[i + 1] == ':' &&
	    field[i + 2] != '\0' && field[i + 2] != ':');
}

/* Returns the length of a field, -1 if it is not valid. */
static int
field_length(const char *field, bool parts)
{
	/* A table, because a starting program checks thousands of fields. */
	static const bool good[UCHAR_MAX + 1] = {
		[' ' + 1 ... ',' - 1] = true, [',' + 1 ... ':' - 1] = true,
		[':' + 1 ... '\177' - 1] = true,
		['\177' + 1 ... UCHAR_MAX] = true
	};
	size_t i = 0;

	if (field == NULL)
		return (-1);
	do {
		while (good[(unsigned char)field[i]])
			i++;
	} while (parts && is_joint(field, i) && (i += 2));
	return (field[i] == '\0' && i <= TBUF_FIELD_MAX ? (int)i : -1);
}

/* Joins the names of a run-time probe's arguments and makes them unique. */
static int
names_given(unsigned nargs, const char *const *names, char *joined,
    size_t *size)
{
	struct argument_name all[TBUF_ARGS_MAX] = { 0 };
	unsigned i;
	int n;

	for (i = 0; i < nargs && names != NULL; i++) {
		if (names[i] == NULL)
			continue;
		n = field_length(names[i], false);
		if (n < 0 || n >= TBUF_SITETEXT_ARGUMENT)
			return (-EINVAL);
		all[i].span = (struct span){ names[i], (size_t)n };
	}
	tbuf_site_settle(all, nargs);
	for (*size = 0, i = 0; i < nargs; i++) {
		memcpy(joined + *size, all[i].span.start, all[i].span.length);
		*size += all[i].span.length;
		joined[(*size)++] = '\0';
	}
	return (0);
}

/* That of the next probes of a registration series. */
static uint32_t alias TBUF_FORKED;

void
tbuf_series_alias(const struct tbuf_site *elder)
{
	alias = elder == NULL || elder->enabled == &elder->zero ? 0 :
	    elder->index + 1;
}

void
tbuf_probe_select(struct tbuf_site *site, uint32_t mask)
{
	if (site->state != 0)
		return;
	site->version = TBUF_SITE_VERSION;
	site->index = mask;
}

int
tbuf_probe_register(struct tbuf_site *site, const char *provider,
    const char *module, const char *function, const char *name,
    unsigned nargs, const enum tbuf_type *types, const char *const *names)
{
	char joined[TBUF_ARGS_MAX * TBUF_SITETEXT_ARGUMENT];
	struct tbuf_candidate candidate = { .names = { provider, module,
	    function, name }, .nargs = nargs, .types = site->types,
	    .argnames = joined, .alias = tbuf_thread.series ? alias : 0 };
	int saved = errno, error;
	sigset_t mask;
	unsigned i;

	if (nargs > TBUF_ARGS_MAX || (nargs > 0 && types == NULL) ||
	    field_length(provider, false) < 0 ||
	    field_length(module, false) < 0 ||
	    field_length(function, true) < 0 ||
	    field_length(name, false) < 0)
		return (-EINVAL);
	if ((error = names_given(nargs, names, joined,
	    &candidate.argnames_size)) != 0)
		return (error);
	/* The site's version is wrong if it has no selection. */
	if (site->version == TBUF_SITE_VERSION)
		candidate.selection = site->index;
	memset(site, 0, sizeof(*site));
	site->version = TBUF_SITE_VERSION;
	site->index = candidate.selection;
	site->nargs = (uint8_t)nargs;
	for (i = 0; i < nargs; i++) {
		if (types[i] <= TBUF_NONE || types[i] > TBUF_STRING_INTERNED)
			return (-EINVAL);
		site->types[i] = (uint8_t)types[i];
	}
	site->enabled = &site->zero;
	if ((error = tbuf_register_begin(&mask)) == 0) {
		error = tbuf_register_site(site, &candidate, NULL);
		tbuf_register_end(&mask);
	}
	errno = saved;
	/* If tracing is off the probe is registered but never enabled. */
	return (error == -ECANCELED ? 0 : error);
}

/*
 * Blocks signals: a handler that forked between the two steps of a removal
 * would make a child that continues and writes to its parent's table.
 */
void
tbuf_probe_unregister(struct tbuf_site *site)
{
	sigset_t mask;

	tbuf_signals_block(&mask);
	tbuf_sites_unregister(site, site + 1);
	tbuf_signals_restore(&mask);
}

/* ----------------------------------------------- registration series */

/*
 * Fields that the probes of a registration series have in common; the lock's
 * holder uses it.
 */
static struct tbuf_group group TBUF_FORKED;

void
tbuf_series_begin(sigset_t *mask, unsigned probes)
{
	int saved = errno;

	tbuf_thread.series_error = tbuf_register_lock(mask);
	if (tbuf_thread.series_error == 0) {
		group.provider = NULL;
		if (probes != 0)
			tbuf_table_expect(probes);
	}
	tbuf_thread.series = true;
	errno = saved;
}

void
tbuf_series_end(const sigset_t *mask)
{
	tbuf_thread.series = false;
	if (tbuf_thread.series_error == 0)
		tbuf_register_unlock(mask);
}

/*
 * Checks the fields that a registration series has in common once; the lock's
 * holder calls it.
 */
static int
group_look(const struct tbuf_series_probe *probe)
{
	if (probe->provider == group.provider && probe->module == group.module)
		return (0);
	if (field_length(probe->provider, false) < 0 ||
	    field_length(probe->module, false) < 0)
		return (-EINVAL);
	tbuf_table_group(&group, probe->provider, probe->module);
	return (0);
}

int
tbuf_series_register(struct tbuf_site *site,
    const struct tbuf_series_probe *probe)
{
	const struct tbuf_candidate candidate = { .names = { probe->provider,
	    probe->module, probe->function, probe->name }, .group = &group,
	    .nargs = site->nargs, .types = site->types,
	    .argnames = probe->argnames,
	    .argnames_size = probe->argnames_size };
	int error;

	site->version = TBUF_SITE_VERSION;
	site->enabled = &site->zero;
	if ((error = tbuf_register_begin(NULL)) != 0)
		return (error == -ECANCELED ? 0 : error);
	if ((error = group_look(probe)) == 0)
		error = tbuf_register_site(site, &candidate, probe->like);
	tbuf_register_end(NULL);
	return (error);
}

int
tbuf_series_copy(const struct tbuf_series *s)
{
	int error = tbuf_register_begin(NULL);

	if (error != 0)
		return (error);
	if ((error = tbuf_table_series(s)) != 0)
		tbuf_table_expect(s->nrows);
	tbuf_register_end(NULL);
	return (error);
}

void
tbuf_series_site(struct tbuf_site *site, uint32_t index,
    const struct tbuf_site *like)
{
	site->version = TBUF_SITE_VERSION;
	tbuf_site_join(site, index, like);
}
