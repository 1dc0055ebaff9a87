/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A unit begins, is entered and left by threads, and ends.
 */
#include <errno.h>

#include "producer/unit.h"

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
	    (u = tbuf_unit_take()) == NULL)
		return (0);
	u->busy = false;
	tbuf_unit_bind(u, base, kind, id, first);
	if (u->nbound == 0) {
		tbuf_unit_release(u);
		return (0);
	}
	enter(u);
	return (tbuf_unit_number(u, tbuf_load(&u->word)));
}

int
tbuf_unit_enter(uint64_t number)
{
	struct tbuf_unit *u = tbuf_unit_find(number);
	int error;

	if (u == NULL)
		return (number == 0 ? 0 : -ENOENT);
	if ((error = tbuf_unit_own(u, number)) != 0)
		return (error);
	enter(u);
	tbuf_unit_tell(u, true);
	return (0);
}

int
tbuf_unit_leave(uint64_t number)
{
	struct tbuf_unit *u = tbuf_unit_find(number);

	if (u == NULL)
		return (number == 0 ? 0 : -ENOENT);
	if (!tbuf_unit_mine(u) || !leave(u))
		return (-EBUSY);
	tbuf_unit_tell(u, false);
	tbuf_unit_disown(u);
	return (0);
}

int
tbuf_unit_end(uint64_t number, int outcome)
{
	struct tbuf_unit *u = tbuf_unit_find(number);
	uint64_t now;
	int error;

	if (u == NULL)
		return (number == 0 ? 0 : -ENOENT);
	/* First: a processor does the rest while it waits for the counter. */
	now = tbuf_unit_clock();
	if (tbuf_unit_mine(u))
		(void)leave(u);
	else if ((error = tbuf_unit_own(u, number)) != 0)
		return (error);
	tbuf_unit_commit(u, outcome, now);
	tbuf_unit_release(u);
	return (0);
}
