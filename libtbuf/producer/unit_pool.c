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

#include "producer/unit.h"

#define INDEX_BITS	10
#define NUNITS		(1u << INDEX_BITS)
#define EPOCH		48		/* bits before it */
#define USED		UINT64_C(1)
#define SERIAL		((UINT64_C(1) << 47) - 1)

static struct tbuf_unit units[NUNITS];
static uint32_t most;	/* of them that have ever been used */
static uint64_t epoch;	/* forks between the first process and this one */

void
tbuf_units_forget(void)
{
	tbuf_thread.unit = NULL;
	tbuf_store(&epoch, tbuf_load(&epoch) + 1);
}

static uint64_t
word_make(uint64_t serial)
{
	return (tbuf_load(&epoch) << EPOCH | (serial & SERIAL) << 1 | USED);
}

static bool
word_used(uint64_t word)
{
	return (word == word_make(word >> 1));
}

/* Of a parent, not of this process? */
static bool
word_foreign(uint64_t word)
{
	return (word >> EPOCH != (tbuf_load(&epoch) << EPOCH) >> EPOCH);
}

/*
 * Who owns a unit: the epoch and the address of the thread's area.  A task that
 * shares the area counts as the same thread.  A forked child has an epoch of
 * its own, so that no thread of its parent is an owner there.
 */
static uint64_t
self(void)
{
	return (tbuf_load(&epoch) << EPOCH |
	    ((uintptr_t)&tbuf_thread & ~(UINT64_MAX << EPOCH)));
}

bool
tbuf_unit_mine(const struct tbuf_unit *u)
{
	return (tbuf_load(&u->owner) == self());
}

/*
 * Make this thread the owner, if there is none.  Nobody but its owner changes
 * the word of a unit.
 */
static bool
own(struct tbuf_unit *u)
{
	uint64_t owner = tbuf_load(&u->owner);

	return ((owner == 0 || owner >> EPOCH != self() >> EPOCH) &&
	    tbuf_cas(&u->owner, owner, self()));
}

void
tbuf_unit_disown(struct tbuf_unit *u)
{
	tbuf_store_release(&u->owner, 0);
}

/* What it knows is of its parent's sessions, in a forked child. */
static void
renew(struct tbuf_unit *u, uint64_t word)
{
	unsigned i;

	for (i = 0; word_foreign(word) && i < TBUF_UNIT_SESSIONS; i++) {
		u->bound[i].entry = NULL;
		u->bound[i].kept = false;
	}
	tbuf_store(&u->word, word_make((word >> 1) + 1));
}

static void
count(uint32_t used)
{
	uint32_t n;

	while ((n = tbuf_load(&most)) < used)
		if (tbuf_cas(&most, n, used))
			break;
}

/* The search begins at the last one that this thread had. */
struct tbuf_unit *
tbuf_unit_take(void)
{
	uint32_t at = tbuf_thread.unit_last, i;
	struct tbuf_unit *u;
	uint64_t word;

	for (i = 0; i < NUNITS; i++, at++) {
		u = &units[at % NUNITS];
		if (word_used(tbuf_load(&u->word)) || !own(u))
			continue;
		word = tbuf_load(&u->word);
		if (!word_used(word)) {
			renew(u, word);
			count(at % NUNITS + 1);
			tbuf_thread.unit_last = at;
			return (u);
		}
		tbuf_unit_disown(u);
	}
	return (NULL);
}

void
tbuf_unit_release(struct tbuf_unit *u)
{
	tbuf_store_release(&u->word, tbuf_load(&u->word) & ~USED);
	tbuf_unit_disown(u);
}

static uint64_t
number_of(const struct tbuf_unit *u, uint64_t word)
{
	return ((word >> 1 & SERIAL) << INDEX_BITS | (uint64_t)(u - units));
}

uint64_t
tbuf_unit_number(const struct tbuf_unit *u)
{
	return (number_of(u, tbuf_load(&u->word)));
}

struct tbuf_unit *
tbuf_unit_find(uint64_t number)
{
	struct tbuf_unit *u = &units[number % NUNITS];
	uint64_t word = tbuf_load_acquire(&u->word);

	return (word_used(word) && number == number_of(u, word) ? u : NULL);
}

int
tbuf_unit_own(struct tbuf_unit *u, uint64_t number)
{
	if (!own(u))
		return (-EBUSY);
	if (tbuf_unit_find(number) == u)
		return (0);
	tbuf_unit_disown(u);
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
		u = &units[i];
		if (word_used(tbuf_load(&u->word)) || !own(u))
			continue;
		word = tbuf_load(&u->word);
		done = !word_used(word) && !word_foreign(word) &&
		    hand_over(u, to);
		tbuf_unit_disown(u);
	}
	return (done);
}
