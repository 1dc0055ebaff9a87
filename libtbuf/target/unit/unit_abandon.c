/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Ends a unit that another thread is in (layout/unit.h: TBUF_UNIT_ABANDONED).
 *
 * The unit's thread pays nothing for this in a fire, and a store and a load
 * where it leaves or ends the unit: membarrier(2) of the abandoning thread
 * orders these, and restarts sections of the unit's thread.
 *
 *	abandoning thread		the unit's thread
 *	membarrier, to learn that it works
 *	fate = CLAIMED			owner = itself, LEAVING
 *	membarrier			fate is 0: it goes on
 *	owner LEAVING, or another:	else fate = YIELDED: the unit is gone
 *	    fate = 0: not abandoned
 *	busy = true			busy: its records go to lanes
 *	the memo becomes void		its sections fail
 *	membarrier
 *	head is closed, membarrier,	no step that began earlier succeeds
 *	    until it stays so
 *	the records are committed
 *	fate = LEFT			fate = YIELDED: it releases the unit
 *	    or, if YIELDED: it releases the unit
 *
 * A place with a unit that its thread has not noticed to be abandoned is not
 * used for another unit, as the thread's fires look there.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <errno.h>
#include <linux/membarrier.h>

#include "arch/syscall.h"
#include "target/self/self.h"
#include "target/unit/unit.h"

#define BUSY_MAX	1000	/* attempts at a unit with a write under way */
#define LANES_MAX	100	/* waits for a free lane */
#define STAGE		UINT64_C(3)	/* of a fate */

/* ------------------------------------------------------------ release */

static enum tbuf_outcome
free_here(void *argument, const struct tbuf_memo *memo)
{
	const struct tbuf_bound *b = argument;

	return (tbuf_step_swap(memo, &b->entry->word,
	    tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_ABANDONED), tbuf_unit_word(b->fire.generation,
	    b->instance, b->refers ? TBUF_UNIT_DONE : TBUF_UNIT_FREE)));
}

/* Releases an abandoned unit that its thread is out of, and its tables. */
static void
release(struct tbuf_unit *u)
{
	struct tbuf_bound *b;

	for (b = u->bound; b < u->bound + u->nbound; b++) {
		if (b->entry != NULL)
			(void)tbuf_bound_do(b, free_here, b);
		tbuf_store(&b->way.memo.generation, b->fire.generation);
	}
	tbuf_store(&u->fate, 0);
	tbuf_unit_release(u);
}

bool
tbuf_unit_regain(struct tbuf_unit *u)
{
	uint64_t word = tbuf_load(&u->word), fate;

	do {
		fate = tbuf_load_acquire(&u->fate);
		/* An unsuccessful attempt may be of the place's last unit. */
		if (fate < tbuf_unit_fate(word, TBUF_UNIT_CLAIMED))
			return (true);
	} while (!tbuf_cas(&u->fate, fate,
	    tbuf_unit_fate(word, TBUF_UNIT_YIELDED)));
	if ((fate & STAGE) == TBUF_UNIT_LEFT)
		release(u);
	return (false);
}

/* ------------------------------------------------------------ the thread */

static __attribute__((noinline)) long
call(long number, long a, long b)
{
	return (raw_call(number, a, b, 0, 0, 0));
}

static void
yield(void)
{
	(void)call(SYS_sched_yield, 0, 0);
}

/*
 * Aborts sections of this process's other threads, and is a memory barrier in
 * them.
 */
static __attribute__((noinline)) int
barrier(void)
{
	int command = MEMBARRIER_CMD_PRIVATE_EXPEDITED;
	int first = MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
	long error;

	if (tbuf_self.rseq) {
		command = MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ;
		first = MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ;
	}
	error = call(SYS_membarrier, command, 0);
	if (error == -EPERM && call(SYS_membarrier, first, 0) == 0)
		error = call(SYS_membarrier, command, 0);
	return (error == 0 ? 0 : -ENOSYS);
}

static bool
thread_ended(const struct tbuf_unit *u)
{
	return (raw_call(SYS_tgkill, call(SYS_getpid, 0, 0),
	    tbuf_load(&u->bound[0].way.memo.tid), 0, 0, 0) == -ESRCH);
}

/* Releases a unit if its thread ends without leaving it. */
static void
release_ended(struct tbuf_unit *u, uint64_t left)
{
	if (thread_ended(u) && tbuf_cas(&u->fate, left,
	    left ^ TBUF_UNIT_LEFT ^ TBUF_UNIT_YIELDED))
		release(u);
}

void
tbuf_units_sweep(void)
{
	struct tbuf_unit *u, *end = tbuf_units_all +
	    tbuf_load(&tbuf_units_most);
	uint64_t fate;

	for (u = tbuf_units_all; u < end; u++) {
		fate = tbuf_load_acquire(&u->fate);
		if ((fate & STAGE) == TBUF_UNIT_LEFT &&
		    tbuf_unit_used(tbuf_load(&u->word)))
			release_ended(u, fate);
	}
}

/*
 * Returns 0 if the unit's thread is in it, and not about to leave it, and then
 * keeps that thread from writing under a lock.
 */
static int
hold(struct tbuf_unit *u, uint64_t number, uint64_t owner)
{
	int error = barrier(), try;

	if (error != 0)
		return (error);
	if (tbuf_unit_find(number) != u || tbuf_load(&u->owner) != owner)
		return (-EBUSY);
	for (try = 0; try < BUSY_MAX; try++) {
		if (tbuf_cas(&u->busy, false, true))
			return (0);
		yield();
	}
	return (-EBUSY);
}

/* ------------------------------------------------------------ tables */

struct closing {
	const struct tbuf_bound *bound;
	uint64_t head;			/* closed; UINT64_MAX: not yet */
	bool closed;			/* it was so already */
};

static enum tbuf_outcome
close_here(void *argument, const struct tbuf_memo *memo)
{
	struct closing *c = argument;
	uint64_t *word = &c->bound->entry->head, head, laps;

	if (tbuf_step_load(memo, &head, word, 1) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	c->closed = head == c->head;
	if (c->closed)
		return (TBUF_COMMITTED);
	laps = tbuf_unit_laps(head);
	laps = laps < 0xfffe ? laps + 2 : laps - 2;
	c->head = tbuf_unit_head(laps, tbuf_unit_records(head),
	    tbuf_unit_bytes(head));
	return (tbuf_step_swap(memo, word, head, c->head));
}

/*
 * Closes a table's head.  Its thread's section may store another one once, if
 * it had begun.  Returns false if the session has ended, or no lane is free.
 */
static bool
close_table(const struct tbuf_bound *b)
{
	struct closing c = { b, UINT64_MAX, false };

	while (!c.closed)
		if (tbuf_bound_do(b, close_here, &c) != TBUF_EMIT_DONE ||
		    barrier() != 0)
			return (false);
	return (true);
}

/* Ends the unit in one session, if that has not ended. */
static void
commit_one(struct tbuf_bound *b, int32_t outcome, uint64_t now)
{
	unsigned try;

	for (try = 0; try < LANES_MAX && tbuf_fire_current(&b->fire); try++) {
		if ((b->entry == NULL || close_table(b)) &&
		    tbuf_unit_commit_abandoned(b, outcome, now))
			break;
		yield();
	}
}

/* Ends the unit in its sessions, as its thread cannot write to it any more. */
static void
commit(struct tbuf_unit *u, int32_t outcome)
{
	uint64_t now = tbuf_unit_clock();
	struct tbuf_bound *b;

	for (b = u->bound; b < u->bound + u->nbound; b++) {
		tbuf_store(&b->fast_bits, 0);
		tbuf_store(&b->way.memo.generation, UINT64_MAX);
	}
	(void)barrier();
	for (b = u->bound; b < u->bound + u->nbound; b++)
		commit_one(b, outcome, now);
}

/* ------------------------------------------------------------ abandon */

int
tbuf_unit_end_other(uint64_t number, int32_t outcome)
{
	struct tbuf_unit *u = tbuf_unit_find(number);
	uint64_t word = tbuf_unit_make(number >> TBUF_UNIT_INDEX);
	uint64_t claimed = tbuf_unit_fate(word, TBUF_UNIT_CLAIMED);
	uint64_t left = tbuf_unit_fate(word, TBUF_UNIT_LEFT);
	uint64_t owner;
	int error;

	if (u == NULL)
		return (-ENOENT);
	owner = tbuf_load(&u->owner);
	if (owner == 0 || owner == tbuf_unit_unowned() ||
	    (owner & TBUF_UNIT_LEAVING) != 0)
		return (-EBUSY);
	/*
	 * A thread yields a claimed unit, whose records cannot be committed
	 * without barriers.
	 */
	error = barrier();
	if (error == 0 && !tbuf_cas(&u->fate, 0, claimed))
		error = -EBUSY;
	if (error != 0)
		return (error);
	error = hold(u, number, owner);
	/* The thread may have yielded; then it is out of the unit. */
	if (error != 0 && tbuf_cas(&u->fate, claimed, 0))
		return (error);
	commit(u, outcome);
	if (tbuf_cas(&u->fate, claimed, left))
		release_ended(u, left);
	else
		release(u);
	return (0);
}
