/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts beyond limits: probes without room in their target's table, probes
 * without an EPID in this run's session, and probes that a clause does not
 * fit.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/attach/target_clauses.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "shared/program_select.h"

/* Copies of a session's chain heads and ECBs: pages not backed are zero. */
struct chains {
	uint32_t *heads;
	struct tbuf_ecb *ecbs;
	uint32_t max;			/* number of ECBs */
};

static void *
copy(int fd, uint64_t at, size_t size)
{
	void *p = calloc(1, size);

	if (p != NULL && pread(fd, p, size, (off_t)at) != (ssize_t)size) {
		free(p);
		p = NULL;
	}
	return (p);
}

static void
chains_free(struct chains *chains)
{
	free(chains->heads);
	free(chains->ecbs);
}

static bool
chains_read(const struct tbuf_target *t, struct chains *chains)
{
	chains->max = t->layout.ecb_max;
	chains->heads = copy(t->fd, t->area + t->layout.heads,
	    t->view.tables.entries * sizeof(*chains->heads));
	chains->ecbs = copy(t->fd, t->area + t->layout.ecbs,
	    chains->max * sizeof(*chains->ecbs));
	if (chains->heads != NULL && chains->ecbs != NULL)
		return (true);
	chains_free(chains);
	return (false);
}

/*
 * Returns true if a probe has an ECB for an enabling.  Chains are sorted by
 * enabling; steps are bounded, as a target could make a chain a circle.
 */
static bool
has_ecb(const struct chains *chains, uint32_t index, unsigned enabling)
{
	uint32_t epid = chains->heads[index] & TBUF_HEAD_EPID;
	unsigned steps;

	for (steps = 0; steps <= enabling && epid != 0 && epid < chains->max;
	    steps++) {
		if (chains->ecbs[epid].enabling == enabling)
			return (true);
		epid = chains->ecbs[epid].next;
	}
	return (false);
}

static bool
fits(const struct tbuf_target *t, uint32_t index, unsigned enabling)
{
	struct tbuf_fit fit;

	return (tbuf_clause_fit(&t->view, tbuf_target_slot(t), enabling,
	    index, &fit));
}

/* Selects the enablings of a probe that are counted. */
struct counted {
	const struct chains *chains;	/* for has_ecb(); NULL: count EPIDs */
	bool unfit;			/* count misfits instead */
};

static uint64_t
count_enabling(const struct tbuf_consumer *c, const struct tbuf_target *t,
    uint32_t index, unsigned enabling, const struct counted *counted)
{
	if (counted->unfit)
		return (!fits(t, index, enabling));
	if (counted->chains == NULL)
		return (tbuf_clauses_epids(c, enabling));
	return (!has_ecb(counted->chains, index, enabling) &&
	    fits(t, index, enabling));
}

/* ------------------------------------------------------------ choice */

/* Returns the words of an enabling's bits, one bit for each probe. */
static size_t
choice_words(uint32_t entries)
{
	return (entries / 64 + 1);
}

void
tbuf_choice_free(struct tbuf_choice *choice)
{
	free(choice->probes);
	free(choice->bits);
	*choice = (struct tbuf_choice){ .entries = 0 };
}

/* Matches all probes of a target with all descriptions. */
static void
choice_fill(const struct tbuf_consumer *c, struct tbuf_choice *choice)
{
	const char *pattern = c->patterns;
	uint64_t *bits = choice->bits;
	uint32_t index;
	unsigned i;

	for (i = 0; i < c->npatterns; i++, pattern += strlen(pattern) + 1,
	    bits += choice_words(choice->entries))
		for (index = 0; index < choice->entries; index++)
			if (choice->probes[index] != NULL &&
			    tbuf_probe_chosen(choice->probes[index], pattern))
				bits[index / 64] |= UINT64_C(1) << index % 64;
}

/*
 * Makes the choice for a target, unless it has the probes of the target before,
 * as forked children have: descriptions are the run's.  Returns false without
 * memory.
 */
static bool
choice_make(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	struct tbuf_choice *choice = &c->choice;
	uint32_t entries = t->view.tables.entries;
	size_t size = entries * sizeof(*choice->probes);

	if (choice->entries == entries &&
	    memcmp(choice->probes, t->probes, size) == 0)
		return (true);
	tbuf_choice_free(choice);
	choice->probes = malloc(size);
	choice->bits = calloc(c->npatterns * choice_words(entries),
	    sizeof(*choice->bits));
	if (choice->probes == NULL || choice->bits == NULL) {
		tbuf_choice_free(choice);
		return (false);
	}
	choice->entries = entries;
	memcpy(choice->probes, t->probes, size);
	choice_fill(c, choice);
	return (true);
}

static bool
is_chosen(const struct tbuf_choice *choice, unsigned enabling, uint32_t index)
{
	const uint64_t *bits = choice->bits +
	    enabling * choice_words(choice->entries);

	return ((bits[index / 64] >> index % 64 & 1) != 0);
}

/* ------------------------------------------------------------ counts */

static uint64_t
count_probe(const struct tbuf_consumer *c, const struct tbuf_target *t,
    uint32_t index, const struct counted *counted)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < c->npatterns; i++)
		if (is_chosen(&c->choice, i, index))
			n += count_enabling(c, t, index, i, counted);
	return (n);
}

static uint64_t
count_probes(struct tbuf_consumer *c, struct tbuf_target *t,
    const struct counted *counted)
{
	uint64_t n = 0;
	uint32_t i;

	tbuf_target_probes(c, t);
	if (t->probes == NULL || !choice_make(c, t))
		return (0);
	for (i = 0; i < t->view.tables.entries; i++)
		if (t->probes[i] != NULL)
			n += count_probe(c, t, i, counted);
	return (n);
}

uint64_t
tbuf_target_excess(struct tbuf_consumer *c, struct tbuf_target *t)
{
	uint32_t probes = tbuf_load(&tbuf_view_control(&t->view)->nprobes);
	uint64_t wanted;

	if ((uint64_t)probes * (t->order.epids != 0 ? t->order.epids :
	    c->npatterns) < t->layout.ecb_max)
		return (0);
	wanted = count_probes(c, t, &(struct counted){ NULL, false });
	return (wanted < t->layout.ecb_max ? 0 : wanted);
}

const char *
tbuf_target_lacks(const struct tbuf_target *t)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ TBUF_F_MACHINE(UINT8_MAX), "the machine's instructions" },
		{ TBUF_F_THREAD_LANE, "thread lanes" },
		{ TBUF_F_SELECTION, "selection" },
		{ TBUF_F_COPYIN, "copyin" },
		{ TBUF_F_VARIABLES, "variables of threads and arrays" },
		{ TBUF_F_ELEMENTS, "elements of arrays from the beginning" },
		{ TBUF_F_RSEQ, "restartable sequences" },
		{ UINT32_MAX, "a required feature" }
	};
	uint32_t lack = tbuf_flags_lack(
	    tbuf_load(&tbuf_view_control(&t->view)->flags),
	    t->order.terms.needs);
	unsigned i = 0;

	if (!t->live)
		return (NULL);
	/* A seccomp filter may have been set after its constructor. */
	if ((t->order.terms.needs & TBUF_F_COPYIN) != 0 && t->pidfd != -1 &&
	    tbuf_copyin_filtered(t->pid,
	    tbuf_load(&tbuf_view_control(&t->view)->filters)))
		lack |= TBUF_F_COPYIN;
	if (lack == 0)
		return (NULL);
	while ((lack & names[i].flag) == 0)
		i++;
	return (names[i].name);
}

uint64_t
tbuf_target_lost(struct tbuf_target *t)
{
	return (tbuf_gain(&t->lost,
	    tbuf_load(&tbuf_view_control(&t->view)->lost_probes)));
}

/*
 * Counts probes without an ECB.  The slot's counter only shows that a count is
 * due, as consumer and target may both have tried to enable the same probe.
 * While no thread registers probes, every EPID in use is linked.
 */
uint64_t
tbuf_target_unmet(struct tbuf_consumer *c, struct tbuf_target *t, bool last)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	struct chains chains;
	uint64_t now;
	uint32_t seen;

	if (t->slot == -1 || !tbuf_session_holds(t) || t->file_only)
		return (0);
	seen = tbuf_load(&tbuf_target_slot(t)->unmet);
	tbuf_fence();
	if (seen == t->unmet_seen ||
	    (!last && tbuf_load(&control->registering) != 0) ||
	    !chains_read(t, &chains))
		return (0);
	t->unmet_seen = seen;
	now = count_probes(c, t, &(struct counted){ &chains, false });
	chains_free(&chains);
	return (tbuf_gain(&t->unmet, now));
}

uint64_t
tbuf_target_unfit(struct tbuf_consumer *c, struct tbuf_target *t)
{
	uint32_t seen;

	if (t->slot == -1 || !tbuf_session_holds(t) || t->clauses == 0 ||
	    t->file_only)
		return (0);
	seen = tbuf_load(&tbuf_target_slot(t)->unfit);
	if (seen == t->unfit_seen)
		return (0);
	t->unfit_seen = seen;
	return (tbuf_gain(&t->unfit,
	    count_probes(c, t, &(struct counted){ NULL, true })));
}

bool
tbuf_consumer_lost(struct tbuf_consumer *c, pid_t *pid, uint64_t *count)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (t->view.base == NULL || (*count = tbuf_target_lost(t)) == 0)
			continue;
		*pid = t->pid;
		return (true);
	}
	return (false);
}
