/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registration: sites become probes.  It runs in constructors, in dlopen and in
 * tbuf_probe_register() (register_names.c), never in a fire, so it may wait for
 * another thread that registers.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <string.h>

#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/fire/fire.h"
#include "target/probe/register.h"
#include "target/probe/site_text.h"
#include "target/provider.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* site->state; 0 before and afterwards */
#define REGISTERED	1

/* Enable word of a TBUF_ENABLED that has several probes of its name. */
static const uint32_t always = 1;

/* First probe not yet matched with the sessions; the lock's holder uses it. */
static uint32_t first_new TBUF_FORKED;

int
tbuf_register_lock(sigset_t *mask)
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
	return (0);
}

void
tbuf_register_unlock(const sigset_t *mask)
{
	/* Mostly there is no session, and each probe would check all slots. */
	tbuf_sessions_match(first_new, tbuf_table_count());
	tbuf_table_unlock();
	tbuf_thread.busy--;
	tbuf_signals_restore(mask);
}

/*
 * In a registration series `busy' is 1 between probes, and 2 while one is
 * registered.
 */
int
tbuf_register_begin(sigset_t *mask)
{
	if (!tbuf_thread.series)
		return (tbuf_register_lock(mask));
	if (tbuf_thread.series_error != 0)
		return (tbuf_thread.series_error);
	if (tbuf_thread.busy != 1)
		return (-EBUSY);
	tbuf_thread.busy++;
	return (0);
}

void
tbuf_register_end(const sigset_t *mask)
{
	if (tbuf_thread.series)
		tbuf_thread.busy--;
	else
		tbuf_register_unlock(mask);
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

void
tbuf_site_join(struct tbuf_site *site, uint32_t index,
    const struct tbuf_site *like)
{
	site->index = index;
	if (like != NULL && like->state == REGISTERED) {
		site->fire = like->fire;
		site->packing = like->packing;
	} else
		tbuf_fire_choose(site);
	site->state = REGISTERED;
	site_point(site, enable_word(index));
}

int
tbuf_register_site(struct tbuf_site *site,
    const struct tbuf_candidate *candidate, const struct tbuf_site *like)
{
	int index = tbuf_table_add(candidate);

	if (index < 0)
		return (index);
	tbuf_site_join(site, (uint32_t)index, like);
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
		if (site->types[i] == TBUF_NONE || site->types[i] >
		    TBUF_STRING_INTERNED)
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
	    .selection = site->index, .code = site->packing };

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
	tbuf_register_site(site, &candidate, NULL);
}

void
tbuf_sites_register(struct tbuf_site *start, struct tbuf_site *stop)
{
	char module[TBUF_FIELD_MAX + 1];
	struct tbuf_site *site;
	int saved = errno;
	sigset_t mask;

	if (start < stop)
		tbuf_module_name(start, module, sizeof(module));
	if (start < stop && tbuf_register_begin(&mask) == 0) {
		for (site = start; site < stop; site++)
			register_site(site, module, TBUF_SITE_PROBE);
		for (site = start; site < stop; site++)
			register_site(site, module, TBUF_SITE_TEST);
		tbuf_register_end(&mask);
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
		site->index = tbuf_table_remove(site->index, &site->packing);
	site->state = 0;
}

/*
 * Blocks no signals: at exit a seccomp filter may kill the process for any
 * system call.  While `busy' is not 0 a handler registers nothing, and needs no
 * lock to unregister sites: its thread has it.
 */
void
tbuf_sites_unregister(struct tbuf_site *start, struct tbuf_site *stop)
{
	struct tbuf_site *site;
	bool locked = tbuf_thread.busy++ != 0;

	if (!locked)
		tbuf_table_lock();
	for (site = start; site < stop; site++)
		if (site->version == TBUF_SITE_VERSION)
			site_remove(site);
	if (!locked)
		tbuf_table_unlock();
	tbuf_thread.busy--;
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
