/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Matches new probes with the sessions that exist already [inv.attach].
 */
#include "shared/ecb_chain.h"
#include "target/file/file.h"

/*
 * Returns the patterns of the session in a slot, NULL unless all of them are in
 * the file.  They are checked: another process has written them.
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
 * Returns the last backed range of the session in a slot, because hundreds of
 * probes may be matched in a row.  A generation is never reused, even in a
 * forked child.
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
 * Copies the names only if there is a session: mostly there is none, and a
 * program registers hundreds of probes at its start.
 */
static void
session_match(const struct tbuf_view *view, unsigned slot, uint32_t index)
{
	/* Static: the stack may be small.  One thread at a time registers. */
	static struct tbuf_names_copy copy;
	const uint32_t *state = &tbuf_view_control(view)->state[slot];
	const struct tbuf_session *session;
	const char *patterns;
	uint32_t size;

	if ((session = session_of(view, slot, &patterns, &size)) == NULL ||
	    tbuf_match_next(view, slot, index, &copy, patterns, size,
	    tbuf_load(&session->npatterns), backing_of(view, slot)) == 0)
		return;
	/* Fence D: pairs with C, at the session's end. */
	tbuf_fence();
	if (tbuf_load(state) != TBUF_ACTIVE)
		tbuf_and(tbuf_view_enable(view, index), ~(1u << slot));
}

void
tbuf_sessions_match(uint32_t first, uint32_t end)
{
	struct tbuf_view view = tbuf_target_view();
	struct tbuf_control *control;
	unsigned slot;
	uint32_t i;

	if (view.base == NULL || first >= end)
		return;
	control = tbuf_view_control(&view);
	tbuf_add(&control->registering, 1);
	/* Fence A: pairs with B, at the session's beginning. */
	tbuf_fence();
	for (slot = 0; slot < TBUF_NSESSIONS; slot++)
		for (i = first; i < end &&
		    tbuf_load_acquire(&control->state[slot]) == TBUF_ACTIVE;
		    i++)
			session_match(&view, slot, i);
	tbuf_add(&control->registering, (uint32_t)-1);
}
