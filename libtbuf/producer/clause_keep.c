/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A probe's only program is kept: where it lies, what it begins with, and what
 * it does if that is simple (clause_kept.h).
 */
#include "producer/clause_decode.h"

struct tbuf_kept tbuf_kept_all[TBUF_KEPT];
bool tbuf_clause_kept;

/* A value of a function that takes one step for it. */
static enum tbuf_kept_whole
whole_update(const struct tbuf_kept *k)
{
	if (k->nnumbers != 0)
		return (k->update.strsize != 0 ? TBUF_WHOLE_STRING :
		    TBUF_WHOLE_KEY);
	return (k->update.function == TBUF_AGG_COUNT ? TBUF_WHOLE_COUNT :
	    TBUF_WHOLE_NONE);
}

/* ... and what has to do with a number of the thread's. */
static enum tbuf_kept_whole
whole_self(const struct tbuf_kept *k)
{
	const struct tbuf_kept_self *s = &k->self;

	if (s->scope != TBUF_SCOPE_THREAD || !s->times || !s->stores)
		return (TBUF_WHOLE_NONE);
	if (k->kind == TBUF_KEPT_TEST)
		return (!s->loads && s->stored.cut.at == TBUF_CUT_TIME ?
		    TBUF_WHOLE_STAMP : TBUF_WHOLE_NONE);
	return (s->loads && s->guards && s->stored.cut.at == TBUF_CUT_NONE ?
	    TBUF_WHOLE_SINCE : TBUF_WHOLE_NONE);
}

static enum tbuf_kept_whole
whole_make(const struct tbuf_kept *k)
{
	if (k->self.used)
		return (whole_self(k));
	return (k->kind == TBUF_KEPT_UPDATE ? whole_update(k) :
	    TBUF_WHOLE_NONE);
}

/* The time since, without a key, by a weight that is known. */
static bool
whole_quantizes(const struct tbuf_kept *k)
{
	const struct tbuf_kept_update *u = &k->update;

	return (k->kind == TBUF_KEPT_UPDATE && k->nnumbers == 0 &&
	    u->function == TBUF_AGG_QUANTIZE &&
	    u->value.cut.at == TBUF_CUT_ELAPSED &&
	    u->weight.cut.at == TBUF_CUT_NONE);
}

/* If nobody else is at it. */
static __attribute__((noinline)) void
keep(struct tbuf_kept *k, const struct tbuf_fire *f, const uint32_t *head,
    struct tbuf_keeping *g)
{
	uint64_t version = tbuf_load(&k->version);

	if ((version & 1) != 0 || !tbuf_cas(&k->version, version, version | 1))
		return;
	tbuf_fence_stores();
	k->generation = f->generation;
	k->head = head;
	k->only = f->epid | TBUF_HEAD_PROGRAM;
	k->index = f->index;
	k->number = (uint8_t)f->number;
	tbuf_decode_program(g, f, k);
	k->whole = whole_make(k);
	k->self.quantizes = whole_quantizes(k);
	k->useful = k->program.length != 0 && (k->program.code != NULL ||
	    k->ntests != 0 || k->kind != TBUF_KEPT_TEST);
	tbuf_store_release(&k->version, (version | 1) + 1);
	tbuf_store(&tbuf_clause_kept, true);
}

void
tbuf_clause_keep(const struct tbuf_run *run, uint32_t flags, bool packed)
{
	const struct tbuf_fire *f = run->fire;
	struct tbuf_kept *k = tbuf_kept_place(f->index);
	const uint32_t *heads;
	struct tbuf_keeping g;

	if (k->generation == f->generation && k->index == f->index &&
	    k->number == f->number)
		return;
	heads = tbuf_fire_heads(f->base, f->slot);
	/* It has to be the only one. */
	if (heads == NULL ||
	    tbuf_load(heads + f->index) != (f->epid | TBUF_HEAD_PROGRAM))
		return;
	g.run = run;
	g.site = run->site;
	g.machine = &run->machine;
	g.flags = flags;
	g.packed = packed;
	keep(k, f, heads + f->index, &g);
}
