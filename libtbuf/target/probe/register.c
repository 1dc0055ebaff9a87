/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registration: sites become probes.  It runs in constructors, in dlopen and in
 * tbuf_probe_register(), never in a fire, so it may wait for another thread
 * that registers.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/fire/fire.h"
#include "target/probe/site_text.h"
#include "target/probe/site_token.h"
#include "target/provider.h"
#include "target/self/self.h"
#include "target/self/thread.h"

#define FIELD_MAX	255

/* site->state; 0 before and afterwards */
#define REGISTERED	1

/* Enable word of a TBUF_ENABLED that has several probes of its name. */
static const uint32_t always = 1;

/* First probe not yet matched with the sessions; the lock's holder uses it. */
static uint32_t first_new TBUF_FORKED;

/* Fields that a batch's probes have in common; the lock's holder uses it. */
static struct tbuf_group group TBUF_FORKED;

/*
 * Takes the lock with signals blocked, if there is a table to write to.
 * Returns 0, -EBUSY or -ECANCELED.
 */
static int
lock_quietly(sigset_t *mask)
{
	int error;

	tbuf_signals_block(mask);
	/*
	 * A forked child that registers probes will live on: it becomes a
	 * target.
	 */
	if ((error = tbuf_process_register()) != 0) {
		tbuf_signals_restore(mask);
		return (error);
	}
	tbuf_thread.busy++;
	tbuf_table_lock();
	first_new = tbuf_table_count();
	group.provider = NULL;
	return (0);
}

/*
 * Matches all new probes at once: mostly there is no session, and each probe
 * would check all slots.
 */
static void
unlock_quietly(const sigset_t *mask)
{
	tbuf_sessions_match(first_new, tbuf_table_count());
	tbuf_table_unlock();
	tbuf_thread.busy--;
	tbuf_signals_restore(mask);
}

/*
 * Begins the registration of one probe: takes the lock unless a batch holds it.
 * In a batch `busy' is 1 between probes, and 2 while one is registered.
 */
static int
begin(sigset_t *mask)
{
	if (!tbuf_thread.batch)
		return (lock_quietly(mask));
	if (tbuf_thread.batch_error != 0)
		return (tbuf_thread.batch_error);
	if (tbuf_thread.busy != 1)
		return (-EBUSY);
	tbuf_thread.busy++;
	return (0);
}

static void
end(const sigset_t *mask)
{
	if (tbuf_thread.batch)
		tbuf_thread.busy--;
	else
		unlock_quietly(mask);
}

void
tbuf_batch_begin(sigset_t *mask)
{
	int saved = errno;

	tbuf_thread.batch_error = lock_quietly(mask);
	tbuf_thread.batch = true;
	errno = saved;
}

void
tbuf_batch_end(const sigset_t *mask)
{
	tbuf_thread.batch = false;
	if (tbuf_thread.batch_error == 0)
		unlock_quietly(mask);
}

static const uint32_t *
enable_word(uint32_t index)
{
	struct tbuf_view view = tbuf_target_view();

	return (tbuf_view_enable(&view, index));
}

/* The hot word last: a site may fire as soon as that is visible. */
static void
site_point(struct tbuf_site *site, const uint32_t *word)
{
	tbuf_store_release(&site->enabled, word);
	if (site->hot != NULL)
		tbuf_store_release(site->hot, word);
}

static int
site_add(struct tbuf_site *site, const struct tbuf_candidate *candidate,
    const struct tbuf_site *like)
{
	int index = tbuf_table_add(candidate);

	if (index < 0)
		return (index);
	site->index = (uint32_t)index;
	if (like != NULL && like->state == REGISTERED) {
		site->fire = like->fire;
		site->packing = like->packing;
	} else
		tbuf_fire_choose(site);
	site->state = REGISTERED;
	site_point(site, enable_word(site->index));
	return (0);
}

/*
 * Points a TBUF_ENABLED at the probe of its own function, else at one of its
 * object.  With several probes it cannot choose, and is always true.
 */
static void
test_add(struct tbuf_site *site, const struct tbuf_names *names)
{
	struct tbuf_names any = *names;
	uint32_t index = 0;
	unsigned found = tbuf_table_find(names, &index);

	if (found == 0) {
		any.function = NULL;
		found = tbuf_table_find(&any, &index);
	}
	if (found == 0)
		return;
	site->state = REGISTERED;
	site->index = TBUF_NPROBES_MAX;
	site_point(site, found == 1 ? enable_word(index) : &always);
}

static void
names_join(const struct tbuf_sitetext *text, unsigned nargs, char *joined,
    size_t *size)
{
	unsigned i;
	size_t n;

	for (*size = 0, i = 0; i < nargs; i++, *size += n) {
		n = strlen(text->arguments[i]) + 1;
		memcpy(joined + *size, text->arguments[i], n);
	}
}

/*
 * Returns true if this library knows all types; a newer header may have more.
 */
static bool
types_known(const struct tbuf_site *site)
{
	unsigned i;

	if (site->nargs > TBUF_ARGS_MAX)
		return (false);
	for (i = 0; i < site->nargs; i++)
		if (site->types[i] == TBUF_NONE || site->types[i] > TBUF_BINARY)
			return (false);
	return (true);
}

static void
register_site(struct tbuf_site *site, const char *module, uint8_t kind)
{
	struct tbuf_sitetext text;
	char function[TBUF_SITETEXT_FIELD];
	char joined[sizeof(text.arguments)];
	struct tbuf_candidate candidate = { .types = site->types,
	    .nargs = site->nargs, .argnames = joined,
	    .selection = site->index };

	if (site->version != TBUF_SITE_VERSION || site->state != 0 ||
	    site->kind != kind || !types_known(site) ||
	    tbuf_sitetext_parse(site->text, site->nargs, &text) != 0)
		return;
	tbuf_sitetext_function(site->function, function);
	candidate.names = (struct tbuf_names){ text.provider, module,
	    function, text.name };
	if (kind == TBUF_SITE_TEST) {
		test_add(site, &candidate.names);
		return;
	}
	names_join(&text, site->nargs, joined,
	    &candidate.argnames_size);
	site_add(site, &candidate, NULL);
}

void
tbuf_sites_register(struct tbuf_site *start, struct tbuf_site *stop)
{
	char module[FIELD_MAX + 1];
	struct tbuf_site *site;
	int saved = errno;
	sigset_t mask;

	if (start < stop)
		tbuf_module_name(start, module, sizeof(module));
	if (start < stop && begin(&mask) == 0) {
		for (site = start; site < stop; site++)
			register_site(site, module, TBUF_SITE_PROBE);
		for (site = start; site < stop; site++)
			register_site(site, module, TBUF_SITE_TEST);
		end(&mask);
	}
	errno = saved;
}

static void
site_remove(struct tbuf_site *site)
{
	if (site->state == 0)
		return;
	site_point(site, &site->zero);
	if (site->index < TBUF_NPROBES_MAX)
		site->index = tbuf_table_remove(site->index);
	site->state = 0;
}

/*
 * Blocks no signals: at exit a seccomp filter may kill the process for any
 * system call.
 */
void
tbuf_sites_unregister(struct tbuf_site *start, struct tbuf_site *stop)
{
	struct tbuf_site *site;

	tbuf_table_lock();
	for (site = start; site < stop; site++)
		if (site->version == TBUF_SITE_VERSION)
			site_remove(site);
	tbuf_table_unlock();
}

/*
 * The fence precedes the caller's load of the enable word: a consumer that sets
 * a bit sees the semaphore, or the caller sees the bit.
 */
void
tbuf_site_semaphore(const struct tbuf_site *site,
    struct tbuf_semaphore *semaphore, uint16_t *word)
{
	struct tbuf_view view = tbuf_target_view();

	if (site->state != REGISTERED || site->enabled == &site->zero)
		return;
	if (semaphore != NULL) {
		semaphore->word = (uintptr_t)word;
		semaphore->check = TBUF_SEMAPHORE_CHECK ^
		    (uintptr_t)semaphore;
	}
	tbuf_store_release(&tbuf_view_probe(&view, site->index)->semaphore,
	    (uintptr_t)semaphore);
	tbuf_fence();
}

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
	return (field[i] == '\0' && i <= FIELD_MAX ? (int)i : -1);
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

void
tbuf_probe_select(struct tbuf_site *site, uint32_t mask)
{
	if (site->state != 0)
		return;
	site->version = TBUF_SITE_VERSION;
	site->index = mask;
}

/* Returns the site's selection; its version is wrong if it has none. */
static uint32_t
selection_of(const struct tbuf_site *site)
{
	return (site->version == TBUF_SITE_VERSION ? site->index : 0);
}

int
tbuf_probe_register(struct tbuf_site *site, const char *provider,
    const char *module, const char *function, const char *name,
    unsigned nargs, const enum tbuf_type *types, const char *const *names)
{
	char joined[TBUF_ARGS_MAX * TBUF_SITETEXT_ARGUMENT];
	struct tbuf_candidate candidate = { .names = { provider, module,
	    function, name }, .nargs = nargs, .types = site->types,
	    .argnames = joined, .selection = selection_of(site) };
	int saved = errno, error;
	sigset_t mask;
	unsigned i;

	if (nargs > TBUF_ARGS_MAX || field_length(provider, false) < 0 ||
	    field_length(module, false) < 0 ||
	    field_length(function, true) < 0 || field_length(name, false) < 0)
		return (-EINVAL);
	if ((error = names_given(nargs, names, joined,
	    &candidate.argnames_size)) != 0)
		return (error);
	memset(site, 0, sizeof(*site));
	site->version = TBUF_SITE_VERSION;
	site->index = candidate.selection;
	site->nargs = (uint8_t)nargs;
	for (i = 0; i < nargs; i++) {
		if (types[i] <= TBUF_NONE || types[i] > TBUF_BINARY)
			return (-EINVAL);
		site->types[i] = (uint8_t)types[i];
	}
	site->enabled = &site->zero;
	if ((error = begin(&mask)) == 0) {
		error = site_add(site, &candidate, NULL);
		end(&mask);
	}
	errno = saved;
	/* If tracing is off the probe is registered but never enabled. */
	return (error == -ECANCELED ? 0 : error);
}

/*
 * Checks the fields that a batch has in common once; the lock's holder calls
 * it.
 */
static int
group_look(const struct tbuf_batch_probe *probe)
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
tbuf_batch_register(struct tbuf_site *site,
    const struct tbuf_batch_probe *probe)
{
	const struct tbuf_candidate candidate = { .names = { probe->provider,
	    probe->module, probe->function, probe->name }, .group = &group,
	    .nargs = site->nargs, .types = site->types,
	    .argnames = probe->argnames,
	    .argnames_size = probe->argnames_size };
	int error;

	site->version = TBUF_SITE_VERSION;
	site->enabled = &site->zero;
	if ((error = begin(NULL)) != 0)
		return (error == -ECANCELED ? 0 : error);
	if ((error = group_look(probe)) == 0)
		error = site_add(site, &candidate, probe->like);
	end(NULL);
	return (error);
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
