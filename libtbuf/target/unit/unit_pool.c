/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Units of this process, and their owners.
 *
 * A program knows a unit by a number that is never reused: the number of an
 * ended unit is not found, nor, in a forked child, a number of the parent.
 */
#include "base/optimize_size.h"

#include <errno.h>

#include "target/self/thread.h"
#include "target/unit/unit.h"

uint32_t tbuf_units_most;

/*
 * Reuses a unit.  In a forked child its tables are in the parent's sessions.
 * In the same process its fate may still be that of a thread which is about to
 * abandon the place's last unit, and has to find its claim there.
 */
static void
renew(struct tbuf_unit *u, uint64_t word)
{
	unsigned i;

	if (tbuf_unit_foreign(word)) {
		for (i = 0; i < TBUF_UNIT_SESSIONS; i++) {
			u->bound[i].entry = NULL;
			u->bound[i].cached = false;
		}
		tbuf_store(&u->fate, 0);
	}
	tbuf_store(&u->word, tbuf_unit_make((word >> 1) + 1));
}

static void
count(uint32_t used)
{
	uint32_t n;

	while ((n = tbuf_load(&tbuf_units_most)) < used)
		if (tbuf_cas(&tbuf_units_most, n, used))
			break;
}

/* The search begins at this thread's last unit. */
struct tbuf_unit *
tbuf_unit_take(void)
{
	uint32_t at = tbuf_thread.unit_last, i;
	struct tbuf_unit *u;
	uint64_t word;

	for (i = 0; i < tbuf_units_room; i++, at++) {
		at %= tbuf_units_room;
		u = &tbuf_units_all[at];
		if (tbuf_unit_used(tbuf_load(&u->word)) || !tbuf_unit_try(u))
			continue;
		word = tbuf_load(&u->word);
		if (!tbuf_unit_used(word)) {
			renew(u, word);
			count(at + 1);
			tbuf_thread.unit_last = at;
			return (u);
		}
		tbuf_unit_disown(u);
	}
	return (NULL);
}

int
tbuf_unit_own(struct tbuf_unit *u, uint64_t number)
{
	uint64_t word = tbuf_unit_make(number >> TBUF_UNIT_INDEX);

	if (!tbuf_cas(&u->owner, tbuf_unit_unowned(), tbuf_unit_self()))
		return (tbuf_load(&u->fate) >= tbuf_unit_fate(word,
		    TBUF_UNIT_LEFT) ? -ENOENT : -EBUSY);
	if (tbuf_unit_find(number) == u)
		return (0);
	/* A new unit has this place, and no thread is in that one either. */
	tbuf_store_release(&u->owner, tbuf_unit_unowned());
	return (-ENOENT);
}

/* Hands over a table that the unit retains in the session of `to'. */
static bool
hand_over(struct tbuf_unit *u, struct tbuf_bound *to)
{
	struct tbuf_bound *b;
	unsigned i;

	for (i = 0; i < TBUF_UNIT_SESSIONS; i++) {
		b = &u->bound[i];
		if (!b->cached || b->fire.base != to->fire.base ||
		    b->fire.slot != to->fire.slot ||
		    b->fire.generation != to->fire.generation)
			continue;
		to->index = b->index;
		to->instance = b->instance;
		to->totals = b->totals;
		to->cached = true;
		b->cached = false;
		b->entry = NULL;
		return (true);
	}
	return (false);
}

bool
tbuf_unit_spare(struct tbuf_bound *to)
{
	uint32_t n = tbuf_load(&tbuf_units_most), i;
	struct tbuf_unit *u;
	uint64_t word;
	bool done = false;

	for (i = 0; i < n && !done; i++) {
		u = &tbuf_units_all[i];
		if (tbuf_unit_used(tbuf_load(&u->word)) || !tbuf_unit_try(u))
			continue;
		word = tbuf_load(&u->word);
		done = !tbuf_unit_used(word) && !tbuf_unit_foreign(word) &&
		    hand_over(u, to);
		tbuf_unit_disown(u);
	}
	return (done);
}
