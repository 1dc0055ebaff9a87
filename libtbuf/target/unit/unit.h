/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Work units at a target (unit.h).
 *
 * A unit is memory of this process: which thread is in it, and where its
 * tables are, one in each session that has any for it.  What it does in a
 * session is done in steps (atomic_step.h), sections or under a lock lane's
 * lock, so that a session may end at any time.
 *
 *	unit		begins, is entered and left, and ends
 *	unit_pool	units of this process, and whose they are
 *	unit_bind	takes a table, names a kind
 *	unit_write	a record into the table
 *	unit_again	the same, where little has changed since the one before
 *	unit_end	what is kept, and how it is committed
 *	unit_select	which records are
 */
#ifndef TBUF_TARGET_UNIT_UNIT_H
#define TBUF_TARGET_UNIT_UNIT_H

#include "arch/counter.h"
#include "arch/rseq_area.h"
#include "shared/atomic_step.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"
#include "target/lane/unit_types.h"

/* The record clock, as fires read it: sections are for a counter alone. */
static inline uint64_t
tbuf_unit_clock(void)
{
	return (tbuf_self.clock == TBUF_CLOCK_COUNTER ?
	    tbuf_counter_glance() : tbuf_clock_read(tbuf_self.clock));
}

/* The table's head, as far as is known; in halves, as sections store it. */
static inline void
tbuf_bound_head(struct tbuf_bound *b, uint64_t head)
{
	tbuf_store(&b->way.known[0], (uint32_t)head);
	tbuf_store(&b->way.known[1], (uint32_t)(head >> 32));
}

/*
 * No CPU's number, and none that the kernel leaves in the area of a thread that
 * has no sections (-1, -2): a section that looks for it never begins.
 */
#define TBUF_UNIT_NOWHERE	((uint32_t)INT32_MAX)

/* Sections begin only on CPUs of the session (unit_bind.c). */
static inline void
tbuf_bound_here(struct tbuf_bound *b, uint32_t cpu)
{
	if (tbuf_load(&b->way.memo.cpu) != cpu)
		tbuf_store(&b->way.memo.cpu, tbuf_lane_offset(b->fire.slot, cpu) !=
		    0 ? cpu : TBUF_UNIT_NOWHERE);
}

/* Is what this thread does done by sections, as long as none is in the way? */
static inline bool
tbuf_unit_sections(void)
{
	return (tbuf_self.rseq && tbuf_thread.shared == 0 && tbuf_rseq_ready());
}

/* In a forked child: its parent's units are not its own. */
void	tbuf_units_forget(void) TBUF_HIDDEN;

/* What a unit's word and its number are made of. */
#define TBUF_UNIT_INDEX	10		/* bits of a place */
#define TBUF_UNITS	(1u << TBUF_UNIT_INDEX)
#define TBUF_UNIT_EPOCH	48		/* bits before it */
#define TBUF_UNIT_USED	UINT64_C(1)
#define TBUF_UNIT_SERIAL ((UINT64_C(1) << 47) - 1)

/* As many as there is room for: TBUF_UNITS, or a few. */
extern struct tbuf_unit *tbuf_units_all TBUF_HIDDEN;
extern uint32_t tbuf_units_room TBUF_HIDDEN;
/* Forks between the first process and this one. */
extern uint64_t tbuf_units_epoch TBUF_HIDDEN;

static inline uint64_t
tbuf_unit_make(uint64_t serial)
{
	return (tbuf_load(&tbuf_units_epoch) << TBUF_UNIT_EPOCH |
	    (serial & TBUF_UNIT_SERIAL) << 1 | TBUF_UNIT_USED);
}

static inline bool
tbuf_unit_used(uint64_t word)
{
	return (word == tbuf_unit_make(word >> 1));
}

static inline uint64_t
tbuf_unit_number(const struct tbuf_unit *u, uint64_t word)
{
	return ((word >> 1 & TBUF_UNIT_SERIAL) << TBUF_UNIT_INDEX |
	    (uint64_t)(u - tbuf_units_all));
}

/* The unit with this number; NULL: there is none, or it has ended. */
static inline struct tbuf_unit *
tbuf_unit_find(uint64_t number)
{
	uint32_t i = number % TBUF_UNITS;
	struct tbuf_unit *u = &tbuf_units_all[i < tbuf_units_room ? i : 0];
	uint64_t word = tbuf_load_acquire(&u->word);

	return (tbuf_unit_used(word) && number == tbuf_unit_number(u, word) ?
	    u : NULL);
}

/*
 * Who owns a unit: the epoch and the address of the thread's area.  A task that
 * shares the area counts as the same thread.  A forked child has an epoch of
 * its own, so that no thread of its parent is an owner there.
 */
static inline uint64_t
tbuf_unit_self(void)
{
	return (tbuf_load(&tbuf_units_epoch) << TBUF_UNIT_EPOCH |
	    ((uintptr_t)&tbuf_thread & ~(UINT64_MAX << TBUF_UNIT_EPOCH)));
}

/* No thread's area is there.  A unit that was left is found by its number. */
static inline uint64_t
tbuf_unit_left(void)
{
	return (tbuf_load(&tbuf_units_epoch) << TBUF_UNIT_EPOCH | 1);
}

/* Of a parent, not of this process? */
static inline bool
tbuf_unit_foreign(uint64_t word)
{
	return (word >> TBUF_UNIT_EPOCH !=
	    tbuf_unit_make(0) >> TBUF_UNIT_EPOCH);
}

/*
 * Make this thread the owner of a place that is free: who looks at one must not
 * be in the way of whoever enters a unit.  Nobody but its owner changes the
 * word of a unit.
 */
static inline bool
tbuf_unit_try(struct tbuf_unit *u)
{
	uint64_t owner = tbuf_load(&u->owner);

	return ((owner == 0 || owner >> TBUF_UNIT_EPOCH !=
	    tbuf_unit_self() >> TBUF_UNIT_EPOCH) &&
	    tbuf_cas(&u->owner, owner, tbuf_unit_self()));
}

static inline bool
tbuf_unit_mine(const struct tbuf_unit *u)
{
	return (tbuf_load(&u->owner) == tbuf_unit_self());
}

static inline void
tbuf_unit_disown(struct tbuf_unit *u)
{
	tbuf_store_release(&u->owner, 0);
}

static inline void
tbuf_unit_release(struct tbuf_unit *u)
{
	tbuf_store_release(&u->word, tbuf_load(&u->word) & ~TBUF_UNIT_USED);
	tbuf_unit_disown(u);
}

/* Is it the name that was kept?  As much of it as is. */
static inline bool
tbuf_unit_is(const uint64_t *name, const char *kind)
{
	const char *known = (const char *)name;
	unsigned i;

	for (i = 0; i < TBUF_UNIT_NAME - 1 && known[i] == kind[i]; i++)
		if (kind[i] == '\0')
			return (true);
	return (i == TBUF_UNIT_NAME - 1);
}

/* One after the other: there are not so many registers. */
static inline uint64_t
tbuf_units_eight(const uint64_t *pairs, uint64_t sum)
{
	sum += tbuf_load(&pairs[0]);
	sum += tbuf_load(&pairs[1]);
	sum += tbuf_load(&pairs[2]);
	sum += tbuf_load(&pairs[3]);
	sum += tbuf_load(&pairs[4]);
	sum += tbuf_load(&pairs[5]);
	sum += tbuf_load(&pairs[6]);
	sum += tbuf_load(&pairs[7]);
	return (sum);
}

/*
 * Is the session active, and each slot free but this one?  It nearly always is.
 * States are few and small: none but zeroes add nothing.
 */
static inline bool
tbuf_units_only(uint64_t base, unsigned number)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)base;
	const uint64_t *pairs = (const uint64_t *)(const void *)control->state;

	return (tbuf_load(&control->state[number]) == TBUF_ACTIVE &&
	    tbuf_units_eight(pairs + 8, tbuf_units_eight(pairs, 0)) ==
	    (uint64_t)TBUF_ACTIVE << 32 * (number & 1));
}

_Static_assert(TBUF_FREE == 0 && TBUF_NSESSIONS == 2 * 2 * 8 &&
    offsetof(struct tbuf_control, state) % 8 == 0, "two times eight pairs");

/* A free unit, for this thread; NULL: there is none. */
struct tbuf_unit *tbuf_unit_take(void) TBUF_HIDDEN;
/* So many there are from now on, TBUF_UNITS of them, all zero. */
void	tbuf_units_have(struct tbuf_unit *) TBUF_HIDDEN;
/* Own the unit, unless another thread has just ended it. */
int	tbuf_unit_own(struct tbuf_unit *, uint64_t number) TBUF_HIDDEN;
/* A table that is kept for a unit which is free; false: there is none. */
bool	tbuf_unit_spare(struct tbuf_bound *) TBUF_HIDDEN;

/*
 * Something done in steps, which is gone through again from the start until
 * it is done.  Without a memo it stands under a lock.  What is no record waits
 * for a lane that is free, but not for ever: AGAIN, too, if there was none.
 */
enum tbuf_emit tbuf_bound_do(const struct tbuf_bound *, tbuf_lane_work *,
	    void *argument) TBUF_HIDDEN;
/* ... or under the first lock that is free. */
enum tbuf_emit tbuf_bound_wait(const struct tbuf_bound *, tbuf_lock_work *,
	    void *argument) TBUF_HIDDEN;
enum tbuf_emit tbuf_bound_record(const struct tbuf_bound *, tbuf_lane_work *,
	    void *argument) TBUF_HIDDEN;

/* The first session from this one on that has tables, or TBUF_NSESSIONS. */
unsigned tbuf_units_first(uint64_t base, unsigned from) TBUF_HIDDEN;
/* Take tables in those that have any. */
void	tbuf_unit_bind(struct tbuf_unit *, uint64_t base, const char *kind,
	    uint64_t id, unsigned first) TBUF_HIDDEN;
/* ... or count one there for which this process has no place. */
void	tbuf_unit_without(uint64_t base, unsigned first) TBUF_HIDDEN;
/* Its thread has entered it, or has left it. */
void	tbuf_unit_tell(struct tbuf_unit *, bool inside) TBUF_HIDDEN;
/*
 * The mask of the enabling that an EPID stands for, or of its probe; `met', or
 * NULL, is what else it depends on, and is left alone where nothing is known of
 * that.
 */
uint32_t tbuf_unit_selection(uint64_t base, const struct tbuf_slot *,
	    uint32_t epid, struct tbuf_unit_met *met) TBUF_HIDDEN;
/* It has ended, by the record clock `now'. */
void	tbuf_unit_commit(struct tbuf_unit *, int32_t outcome, uint64_t now)
	    TBUF_HIDDEN;
/* ... and is counted among those of its kind. */
void	tbuf_unit_tally(const struct tbuf_bound *, int32_t outcome,
	    uint64_t now) TBUF_HIDDEN;

/*
 * The record of a fire in the unit that the thread is in.  False: it goes the
 * way of all others.
 */
bool	tbuf_unit_emit(const struct tbuf_fire *, enum tbuf_emit *) TBUF_HIDDEN;
/*
 * Writes the record of a fire into the table of the thread's work unit or, if
 * it is in none that takes the record, into a lane.
 */
enum tbuf_emit tbuf_lane_emit(const struct tbuf_fire *) TBUF_HIDDEN;
/*
 * Remember what a record of the site's goes by (unit_cached_write.c).  False: it is
 * not for want of this that one was not written.
 */
bool	tbuf_unit_meet(struct tbuf_bound *, const struct tbuf_site *)
	    TBUF_HIDDEN;

#endif
