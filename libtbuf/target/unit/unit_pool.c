/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Units of this process: which there are, and whose they are.
 *
 * A program knows a unit by a number that is never used twice: the number of a
 * unit that has ended finds nothing, nor does, in a forked child, a number that
 * its parent was given.
 */
#include <errno.h>

#include "target/self/thread.h"
#include "target/unit/unit.h"

#define FEW	16

/* Of a program that has little memory; all, before it can have any. */
static struct tbuf_unit few[FEW];
struct tbuf_unit *tbuf_units_all = few;
uint32_t tbuf_units_room = FEW;
uint64_t tbuf_units_epoch TBUF_FORKED;
static uint32_t most;	/* of them that have ever been used */

void
tbuf_units_forget(void)
{
	tbuf_thread.unit = NULL;
	tbuf_store(&tbuf_units_epoch, tbuf_load(&tbuf_units_epoch) + 1);
}

/* What it knows is of its parent's sessions, in a forked child. */
static void
renew(struct tbuf_unit *u, uint64_t word)
{
	unsigned i;

	for (i = 0; tbuf_unit_foreign(word) && i < TBUF_UNIT_SESSIONS; i++) {
		u->bound[i].entry = NULL;
		u->bound[i].kept = false;
	}
	tbuf_store(&u->word, tbuf_unit_make((word >> 1) + 1));
}

static void
count(uint32_t used)
{
	uint32_t n;

	while ((n = tbuf_load(&most)) < used)
		if (tbuf_cas(&most, n, used))
			break;
}

void
tbuf_units_have(struct tbuf_unit *all)
{
	tbuf_units_all = all;
	tbuf_units_room = TBUF_UNITS;
}

/* The search begins at the last one that this thread had. */
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
	if (!tbuf_cas(&u->owner, tbuf_unit_left(), tbuf_unit_self()))
		return (-EBUSY);
	if (tbuf_unit_find(number) == u)
		return (0);
	/* Another one has its place, and was left as well. */
	tbuf_store_release(&u->owner, tbuf_unit_left());
	return (-ENOENT);
}

/* What it keeps of the session that another one has to have a table of. */
static bool
hand_over(struct tbuf_unit *u, struct tbuf_bound *to)
{
	struct tbuf_bound *b;
	unsigned i;

	for (i = 0; i < TBUF_UNIT_SESSIONS; i++) {
		b = &u->bound[i];
		if (!b->kept || b->fire.base != to->fire.base ||
		    b->fire.slot != to->fire.slot ||
		    b->fire.generation != to->fire.generation)
			continue;
		to->index = b->index;
		to->instance = b->instance;
		to->totals = b->totals;
		to->kept = true;
		b->kept = false;
		b->entry = NULL;
		return (true);
	}
	return (false);
}

bool
tbuf_unit_spare(struct tbuf_bound *to)
{
	uint32_t n = tbuf_load(&most), i;
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
