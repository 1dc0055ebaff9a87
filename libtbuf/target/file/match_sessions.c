/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A new probe meets the sessions that are there already [inv.attach].
 */
#include "shared/ecb_chain.h"
#include "target/file/file.h"

/*
 * The patterns of the session in a slot, if all of it lies in the file.
 * Checked as if somebody else had written it, for somebody else has.
 */
static const struct tbuf_session *
session_of(const struct tbuf_view *view, unsigned slot, const char **patterns,
    uint32_t *size)
{
	uint64_t end = tbuf_load(&tbuf_view_control(view)->end);
	uint64_t area = tbuf_load(&tbuf_view_slot(view, slot)->area);
	const struct tbuf_session *session;
	uint64_t at;

	if (end > view->size || area < TBUF_TABLES || area % 8 != 0 ||
	    area > end || end - area < sizeof(*session))
		return (NULL);
	session = (const struct tbuf_session *)(const void *)
	    (view->base + area);
	at = tbuf_load(&session->patterns);
	*size = tbuf_load(&session->patterns_size);
	if (at < TBUF_TABLES || at > end || *size > end - at)
		return (NULL);
	*patterns = (const char *)view->base + at;
	return (session);
}

static int
back_own(void *argument, uint64_t offset, uint64_t length)
{
	(void)argument;
	return (tbuf_file_back(offset, length));
}

/*
 * What was backed last for the session in a slot, for hundreds of probes may
 * be met one after the other.  A generation comes once, in a forked child too.
 */
static struct tbuf_backing *
backing_of(const struct tbuf_view *view, unsigned slot)
{
	static struct {
		uint64_t generation;
		struct tbuf_backing backing;
	} last[TBUF_NSESSIONS];
	uint64_t generation =
	    tbuf_load(&tbuf_view_slot(view, slot)->generation);

	if (generation == 0 || last[slot].generation != generation)
		last[slot].backing = (struct tbuf_backing){
			.back = back_own
		};
	last[slot].generation = generation;
	return (&last[slot].backing);
}

/*
 * The names are copied for a session that asks: mostly there is none, and a
 * program has hundreds of probes when it begins.
 */
static void
session_meet(const struct tbuf_view *view, unsigned slot, uint32_t index)
{
	/* The stack may be small; one thread at a time registers. */
	static struct tbuf_names_copy copy;
	const uint32_t *state = &tbuf_view_control(view)->state[slot];
	const struct tbuf_session *session;
	const char *patterns;
	uint32_t size;

	if ((session = session_of(view, slot, &patterns, &size)) == NULL ||
	    !tbuf_view_names(view, index, &copy))
		return;
	if (tbuf_meet(view, slot, index, &copy.names, patterns, size,
	    tbuf_load(&session->npatterns), backing_of(view, slot)) == 0)
		return;
	/* Fence D: pairs with C, where a session ends. */
	tbuf_fence();
	if (tbuf_load(state) != TBUF_ACTIVE)
		tbuf_and(tbuf_view_enable(view, index), ~(1u << slot));
}

void
tbuf_sessions_meet(uint32_t first, uint32_t end)
{
	struct tbuf_view view = tbuf_target_view();
	struct tbuf_control *control;
	unsigned slot;
	uint32_t i;

	if (view.base == NULL || first >= end)
		return;
	control = tbuf_view_control(&view);
	tbuf_add(&control->registering, 1);
	/* Fence A: pairs with B, where a session begins. */
	tbuf_fence();
	for (slot = 0; slot < TBUF_NSESSIONS; slot++)
		for (i = first; i < end &&
		    tbuf_load_acquire(&control->state[slot]) == TBUF_ACTIVE;
		    i++)
			session_meet(&view, slot, i);
	tbuf_add(&control->registering, (uint32_t)-1);
}
