/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "elf/usdt_notes.h"
#include "options/command_line.h"
#include "preload.h"
#include "unarmed.h"

/* The wanted sites of one process that have no probe. */
struct search {
	const struct options *options;
	struct tbuf_consumer *consumer;
	struct words hopeless;		/* lines, with a reason in the file */
	struct words others;
	bool is_provided;		/* a target has the provider of one */
	bool is_listed;			/* by the provider, in the process */
};

/* Without a name, a site is of any name. */
static int
compare(void *arg, const struct tbuf_probe_info *probe)
{
	const struct notes_site *site = arg;

	return (strcmp(probe->provider, site->provider) == 0 &&
	    (site->name == NULL || strcmp(probe->name, site->name) == 0));
}

static bool
has_probe(struct tbuf_consumer *consumer, const char *provider,
    const char *name)
{
	struct notes_site site = { .provider = provider, .name = name };

	return (tbuf_consumer_probes(consumer, compare, &site) > 0);
}

static void
add(struct words *words, const char *line)
{
	if (!words_have(words, line))
		words_add(words, "%s", line);
}

static bool
is_wanted(const struct options *o, const struct notes_site *site)
{
	return (o->program.count == 0 || preload_wanted(&o->program, "usdt") ||
	    preload_wants_probe(&o->program, site->provider, site->name));
}

/* A line without a name is of all sites of a file. */
static void
see_listed(void *arg, const struct notes_site *site)
{
	struct search *s = arg;

	if (*site->name == '\0' || is_wanted(s->options, site))
		add(&s->others, site->line);
}

/* Sees a site of a file.  The provider's list has all sites with a name. */
static void
see(void *arg, const struct notes_site *site)
{
	struct search *s = arg;

	if (!is_wanted(s->options, site) ||
	    (s->is_listed && *site->name != '\0'))
		return;
	if (site->problem != NULL)
		add(&s->hopeless, site->line);
	else if (!has_probe(s->consumer, site->provider, site->name)) {
		add(&s->others, site->line);
		s->is_provided |= has_probe(s->consumer, site->provider, NULL);
	}
}

static void
tell_lines(const struct words *lines)
{
	size_t i;

	for (i = 0; i < lines->count; i++)
		notes_tell(lines->all[i]);
}

/*
 * The list of a process without the provider has no sites.  Returns true if
 * something was reported.
 */
static bool
tell(const struct search *s, bool has_provider)
{
	const struct program *program = &s->options->program;

	bool absent = !has_provider && s->others.count != 0 &&
	    !s->is_provided && !preload_wanted(program, "usdt");

	if (!has_provider && program->count == 0)
		return (false);
	if (has_provider)
		tell_lines(&s->others);
	else if (absent)
		message(MSG_ABSENT, "usdt", "usdt");
	tell_lines(&s->hopeless);
	return (absent || s->hopeless.count != 0);
}

bool
unarmed_tell(const struct options *o, struct tbuf_consumer *consumer)
{
	struct search s;
	bool has_provider, told = false;
	size_t i;

	for (i = 0; i < o->npids; i++) {
		s = (struct search){ .options = o, .consumer = consumer };
		s.is_listed = notes_unarmed(o->pids[i], see_listed, &s);
		has_provider = notes_process(o->pids[i], see, &s);
		told |= tell(&s, has_provider);
		words_free(&s.hopeless);
		words_free(&s.others);
	}
	return (told);
}

static void
ignore(void *arg, const struct notes_site *site)
{
	(void)arg;
	(void)site;
}

bool
unarmed_has_provider(const struct options *o)
{
	size_t i;

	for (i = 0; i < o->npids; i++)
		if (notes_process(o->pids[i], ignore, NULL))
			return (true);
	return (false);
}
