/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists the probes of targets, without a session.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "consumer/target/target.h"

struct entry {
	const struct tbuf_probe_info *probe;
	pid_t pid;
};

static int
compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->probe->id != y->probe->id)
		return (x->probe->id < y->probe->id ? -1 : 1);
	return (x->pid < y->pid ? -1 : x->pid > y->pid);
}

static bool
selected(const struct tbuf_consumer *c, const struct tbuf_probe_info *probe)
{
	unsigned i;

	for (i = 0; i < c->npatterns; i++)
		if (tbuf_probe_matches(probe, tbuf_consumer_pattern(c, i)))
			return (true);
	return (c->npatterns == 0);
}

/* Adds the probes of one target that have sites, or had them at its end. */
static size_t
add_probes(struct tbuf_consumer *c, struct tbuf_target *t,
    struct entry *entries)
{
	const struct tbuf_probe_entry *entry;
	size_t n = 0;
	uint32_t i;

	for (i = 0; t->probes != NULL && i < t->view.tables.entries; i++) {
		if (t->probes[i] == NULL)
			continue;
		entry = tbuf_view_probe(&t->view, i);
		if ((tbuf_target_runs(t) && tbuf_load(&entry->sites) == 0) ||
		    !selected(c, t->probes[i]))
			continue;
		entries[n].probe = t->probes[i];
		entries[n++].pid = t->pid;
	}
	return (n);
}

int
tbuf_consumer_list(struct tbuf_consumer *c, int (*visit)(void *, pid_t,
    const struct tbuf_probe_info *), void *arg)
{
	struct tbuf_target *t;
	struct entry *entries;
	size_t n = 0, i;
	int result = 0;

	TAILQ_FOREACH(t, &c->targets, link)
		n += t->view.tables.entries;
	if ((entries = calloc(n + 1, sizeof(*entries))) == NULL)
		return (tbuf_consumer_fail(c, -ENOMEM, "%s",
		    strerror(ENOMEM)));
	n = 0;
	TAILQ_FOREACH(t, &c->targets, link) {
		tbuf_target_probes(c, t);
		n += add_probes(c, t, entries + n);
	}
	qsort(entries, n, sizeof(*entries), compare);
	for (i = 0; i < n && result == 0; i++)
		/* A file may be several targets, one for each session. */
		if (i == 0 || compare(&entries[i - 1], &entries[i]) != 0)
			result = visit(arg, entries[i].pid, entries[i].probe);
	free(entries);
	return (result);
}

int
tbuf_consumer_probes(struct tbuf_consumer *c, int (*visit)(void *,
    const struct tbuf_probe_info *), void *arg)
{
	struct tbuf_target *t;
	int result = 0;
	unsigned i;

	TAILQ_FOREACH(t, &c->targets, link)
		tbuf_target_probes(c, t);
	for (i = 0; i < c->probes.count && result == 0; i++)
		result = visit(arg, c->probes.infos[i]);
	return (result);
}

int
tbuf_consumer_fits(struct tbuf_consumer *c, int (*visit)(void *, unsigned,
    const struct tbuf_probe_info *, bool), void *arg)
{
	struct tbuf_target *t;
	int result = 0;
	unsigned i;

	TAILQ_FOREACH(t, &c->targets, link)
		tbuf_target_probes(c, t);
	for (i = 0; c->script != NULL && i < c->probes.count &&
	    result == 0; i++)
		result = tbuf_script_fits(c->script, c->probes.infos[i], visit,
		    arg);
	return (result);
}
