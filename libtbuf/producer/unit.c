/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Units of this process: which there are, and who is in them.
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

static void
disown(struct tbuf_unit *u)
{
	tbuf_store_release(&u->owner, 0);
}

/* What it knows is of its parent's sessions, in a forked child. */
static void
unit_renew(struct tbuf_unit *u, uint64_t word)
{
	unsigned i;

	for (i = 0; word >> EPOCH != tbuf_load(&epoch) &&
	    i < TBUF_UNIT_SESSIONS; i++)
		u->bound[i].entry = NULL;
	tbuf_store(&u->word, word_make((word >> 1) + 1));
}

/* A free unit; the search begins at the last one that this thread had. */
static struct tbuf_unit *
unit_take(void)
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
			unit_renew(u, word);
			tbuf_thread.unit_last = at;
			return (u);
		}
		disown(u);
	}
	return (NULL);
}

static void
unit_release(struct tbuf_unit *u)
{
	tbuf_store_release(&u->word, tbuf_load(&u->word) & ~USED);
	disown(u);
}

static uint64_t
number_of(const struct tbuf_unit *u, uint64_t word)
{
	return ((word >> 1 & SERIAL) << INDEX_BITS | (uint64_t)(u - units));
}

/* The unit with this number; NULL: there is none, or it has ended. */
static struct tbuf_unit *
unit_find(uint64_t number)
{
	struct tbuf_unit *u = &units[number % NUNITS];
	uint64_t word = tbuf_load_acquire(&u->word);

	return (word_used(word) && number == number_of(u, word) ? u : NULL);
}

/* Own the unit, unless another thread has just ended it. */
static int
unit_own(struct tbuf_unit *u, uint64_t number)
{
	if (!own(u))
		return (-EBUSY);
	if (unit_find(number) == u)
		return (0);
	disown(u);
	return (-ENOENT);
}

/*
 * The unit comes first, then the memo becomes void: a handler that fires in
 * between still goes by the memo, to the CPU's lane.
 */
static void
enter(struct tbuf_unit *u)
{
	u->outer = tbuf_thread.unit;
	tbuf_store(&tbuf_thread.unit, u);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	u->memo = tbuf_load(&tbuf_thread.memo.bits);
	tbuf_thread_forget();
}

/* The unit may be left before others that the thread has entered since. */
static bool
leave(struct tbuf_unit *u)
{
	struct tbuf_unit **p = &tbuf_thread.unit;

	while (*p != NULL && *p != u)
		p = &(*p)->outer;
	if (*p == NULL)
		return (false);
	/*
	 * Nobody has stored to the memo meanwhile: lane.c remembers nothing
	 * while there is a unit.  What fires in between goes by the memo.
	 */
	if (p == &tbuf_thread.unit && u->outer == NULL && tbuf_self.rseq &&
	    tbuf_thread.shared == 0)
		tbuf_store(&tbuf_thread.memo.bits, u->memo);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(p, u->outer);
	return (true);
}

uint64_t
tbuf_unit_begin(const char *kind, uint64_t id)
{
	uint64_t base = tbuf_load(&tbuf_local->base);
	struct tbuf_unit *u;
	unsigned first;

	if (base == 0 || !tbuf_rseq_thread() ||
	    (first = tbuf_units_first(base, 0)) == TBUF_NSESSIONS ||
	    (u = unit_take()) == NULL)
		return (0);
	u->busy = false;
	tbuf_unit_bind(u, base, kind, id, first);
	if (u->nbound == 0) {
		unit_release(u);
		return (0);
	}
	enter(u);
	return (number_of(u, tbuf_load(&u->word)));
}

int
tbuf_unit_enter(uint64_t number)
{
	struct tbuf_unit *u = unit_find(number);
	int error;

	if (u == NULL)
		return (number == 0 ? 0 : -ENOENT);
	if ((error = unit_own(u, number)) != 0)
		return (error);
	enter(u);
	tbuf_unit_tell(u, true);
	return (0);
}

int
tbuf_unit_leave(uint64_t number)
{
	struct tbuf_unit *u = unit_find(number);

	if (u == NULL)
		return (number == 0 ? 0 : -ENOENT);
	if (tbuf_load(&u->owner) != self() || !leave(u))
		return (-EBUSY);
	tbuf_unit_tell(u, false);
	disown(u);
	return (0);
}

int
tbuf_unit_end(uint64_t number, int outcome)
{
	struct tbuf_unit *u = unit_find(number);
	int error;

	if (u == NULL)
		return (number == 0 ? 0 : -ENOENT);
	if (tbuf_load(&u->owner) == self())
		(void)leave(u);
	else if ((error = unit_own(u, number)) != 0)
		return (error);
	tbuf_unit_commit(u, outcome);
	unit_release(u);
	return (0);
}
