/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Work units in a target (layout/unit.h).
 *
 * A unit is a structure in this process: it has its thread, and its tables, one
 * in each session that has unit tables.  It changes a session in steps
 * (atomic_step.h), by sections or under a lock lane's lock, so that a session
 * may end at any time.
 *
 *	unit		begins, enters, leaves and ends a unit
 *	unit_pool	units of this process, and their owners
 *	unit_bind	takes a table, names a kind
 *	unit_write	a record into the table
 *	unit_cached_write	a record, if little has changed since the last
 *	unit_end	selects the retained records and commits them
 *	unit_abandon	ends a unit that another thread is in
 *	unit_cached_end	the end of a unit without retained records
 *	unit_select	the selection of a record
 */
#ifndef TBUF_TARGET_UNIT_UNIT_H
#define TBUF_TARGET_UNIT_UNIT_H

#include "arch/counter.h"
#include "arch/rseq_area.h"
#include "shared/atomic_step.h"
#include "target/lane/lane.h"
#include "target/lane/unit_hooks.h"
#include "target/lane/unit_types.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Returns the record clock, as fires read it; sections need the counter. */
static inline uint64_t
tbuf_unit_clock(void)
{
	return (tbuf_self.clock == TBUF_CLOCK_COUNTER ?
	    tbuf_counter_glance() : tbuf_clock_read(tbuf_self.clock));
}

/* Caches the table's head, in halves, as sections store it. */
static inline void
tbuf_bound_head(struct tbuf_bound *b, uint64_t head)
{
	tbuf_store(&b->way.known[0], (uint32_t)head);
	tbuf_store(&b->way.known[1], (uint32_t)(head >> 32));
}

/*
 * No CPU's number, and not a value that the kernel stores in the rseq area of a
 * thread without sections (-1, -2): a section that compares it never begins.
 */
#define TBUF_UNIT_NOWHERE	((uint32_t)INT32_MAX)

/* Sections begin only on CPUs of the session (unit_bind.c). */
static inline void
tbuf_bound_here(struct tbuf_bound *b, uint32_t cpu)
{
	if (tbuf_load(&b->way.memo.cpu) != cpu)
		tbuf_store(&b->way.memo.cpu,
		    tbuf_lane_offset(b->fire.slot, cpu) != 0 ? cpu :
		    TBUF_UNIT_NOWHERE);
}

/* Fields of a unit's word and number. */
#define TBUF_UNIT_EPOCH	48		/* bits below it */
#define TBUF_UNIT_USED	UINT64_C(1)
#define TBUF_UNIT_SERIAL ((UINT64_C(1) << 47) - 1)
#define TBUF_UNIT_LEAVING UINT64_C(2)	/* of an owner: it leaves or ends the
					 * unit */

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

/* Returns the unit with this number, NULL if there is none or it has ended. */
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
 * Returns the owner word of this thread: the epoch and the address of the
 * thread's area.  A task that shares the area counts as the same thread.  A
 * forked child has its own epoch, so that no thread of its parent is an owner
 * there.
 */
static inline uint64_t
tbuf_unit_self(void)
{
	return (tbuf_load(&tbuf_units_epoch) << TBUF_UNIT_EPOCH |
	    ((uintptr_t)&tbuf_thread & ~(UINT64_MAX << TBUF_UNIT_EPOCH)));
}

/*
 * Returns the owner of a unit that no thread is in; no thread area has this
 * address.
 */
static inline uint64_t
tbuf_unit_unowned(void)
{
	return (tbuf_load(&tbuf_units_epoch) << TBUF_UNIT_EPOCH | 1);
}

/* Returns true if a word is a parent's, not this process's. */
static inline bool
tbuf_unit_foreign(uint64_t word)
{
	return (word >> TBUF_UNIT_EPOCH !=
	    tbuf_unit_make(0) >> TBUF_UNIT_EPOCH);
}

/*
 * Makes this thread the owner of a free place.  A unit without a thread has
 * another owner word than 0, so this does not keep others from entering it.
 * Only the owner changes a unit's word.
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

/* The stages of abandoning a unit, in its fate. */
enum {
	TBUF_UNIT_CLAIMED = 1,		/* a thread is about to abandon it */
	TBUF_UNIT_LEFT = 2,		/* its thread may be in it still */
	TBUF_UNIT_YIELDED = 3		/* its thread has found that it is */
};

/* Returns the fate of the unit with this word at a stage. */
static inline uint64_t
tbuf_unit_fate(uint64_t word, unsigned stage)
{
	return ((word >> 1 & TBUF_UNIT_SERIAL) << 2 | stage);
}

extern uint32_t tbuf_units_most TBUF_HIDDEN;	/* that were ever used */

/* Releases abandoned units of threads that have ended inside. */
void	tbuf_units_sweep(void) TBUF_HIDDEN;
/*
 * Ends a unit that another thread is in.  Returns 0; -EBUSY if that thread is
 * about to leave it, or writes a record; -ENOENT, or -ENOSYS.
 */
int	tbuf_unit_end_other(uint64_t number, int32_t outcome) TBUF_HIDDEN;
/*
 * Finishes the abandoning of a unit on behalf of its thread.  Returns true if
 * it is not abandoned after all.
 */
bool	tbuf_unit_regain(struct tbuf_unit *) TBUF_HIDDEN;

/*
 * Declares that this thread, the owner, leaves or ends the unit.  Returns false
 * if another thread has ended it.  The order of store and load is that thread's
 * care (unit_abandon.c).
 */
static inline bool
tbuf_unit_claim(struct tbuf_unit *u)
{
	tbuf_store(&u->owner, tbuf_unit_self() | TBUF_UNIT_LEAVING);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return (tbuf_load(&u->fate) == 0 || tbuf_unit_regain(u));
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

/* Compares a saved name with a kind, up to the saved length. */
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

/* Adds one after the other, because there are few registers. */
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
 * Returns true if the session is active and all other slots are free, as nearly
 * always.  States are small numbers: any other state changes the sum.
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

/* Takes a free unit for this thread.  Returns NULL if there is none. */
struct tbuf_unit *tbuf_unit_take(void) TBUF_HIDDEN;
/*
 * Makes this thread the owner.  Returns 0, -EBUSY, or -ENOENT if the unit has
 * just ended.
 */
int	tbuf_unit_own(struct tbuf_unit *, uint64_t number) TBUF_HIDDEN;
/*
 * Takes over a table that is retained for an unused unit.  Returns false if
 * there is none.
 */
bool	tbuf_unit_spare(struct tbuf_bound *) TBUF_HIDDEN;

/*
 * Runs `work' in steps, again from its start until it is done.  Without a memo
 * it runs under a lock.  Work that is not a record waits for a free lane, but
 * not forever: TBUF_EMIT_RETRY, too, if none was free.
 */
enum tbuf_emit tbuf_bound_do(const struct tbuf_bound *, tbuf_lane_work *,
	    void *argument) TBUF_HIDDEN;
/* Adds to a word of the session that others change, too. */
void	tbuf_bound_add(const struct tbuf_bound *, uint64_t *word, uint64_t n)
	    TBUF_HIDDEN;
/*
 * tbuf_bound_wait() calls `work' under the first free lock, as tbuf_bound_do()
 * does without sections.  tbuf_bound_record() runs the steps of a record, and
 * counts a drop if all lanes are busy.
 */
enum tbuf_emit tbuf_bound_wait(const struct tbuf_bound *, tbuf_lock_work *,
	    void *argument) TBUF_HIDDEN;
enum tbuf_emit tbuf_bound_record(const struct tbuf_bound *, tbuf_lane_work *,
	    void *argument) TBUF_HIDDEN;

/*
 * Returns a session's units, the number of their tables and the bytes of each,
 * NULL if they are not in the file.
 */
struct tbuf_units *tbuf_units_find(uint64_t base, const struct tbuf_slot *,
	    uint32_t *count, uint64_t *size) TBUF_HIDDEN;
/*
 * Returns the first session with unit tables from `from' on, or TBUF_NSESSIONS.
 */
unsigned tbuf_units_first(uint64_t base, unsigned from) TBUF_HIDDEN;
/* Takes a table in each session that has unit tables. */
void	tbuf_unit_bind(struct tbuf_unit *, uint64_t base, const char *kind,
	    uint64_t id, unsigned first) TBUF_HIDDEN;
/* Counts in each such session a unit for which this process has no place. */
void	tbuf_unit_without(uint64_t base, unsigned first) TBUF_HIDDEN;
/* Publishes in the tables that its thread has entered or left the unit. */
void	tbuf_unit_tell(struct tbuf_unit *, bool inside) TBUF_HIDDEN;
/*
 * Returns the mask of an EPID's enabling, or of its probe.  `cached', unless
 * NULL, receives the EPID, the word that the mask depends on, and its value; it
 * is not changed for an invalid EPID.
 */
uint32_t tbuf_unit_selection(uint64_t base, const struct tbuf_slot *,
	    uint32_t epid, struct tbuf_unit_epid *cached) TBUF_HIDDEN;
/* Ends a unit at record clock `now'. */
void	tbuf_unit_commit(struct tbuf_unit *, int32_t outcome, uint64_t now)
	    TBUF_HIDDEN;
/*
 * Commits and counts an abandoned unit in one session; its table becomes
 * TBUF_UNIT_ABANDONED.  Returns false if the session has ended, or no lane was
 * free.
 */
bool	tbuf_unit_commit_abandoned(struct tbuf_bound *, int32_t outcome,
	    uint64_t now) TBUF_HIDDEN;
/* Counts an ended unit in its kind. */
void	tbuf_unit_tally(const struct tbuf_bound *, int32_t outcome,
	    uint64_t ticks, bool slow) TBUF_HIDDEN;

/* Hooks of fires (lane/unit_hooks.h). */
bool	tbuf_unit_emit(const struct tbuf_fire *, enum tbuf_emit *) TBUF_HIDDEN;
bool	tbuf_unit_remember(struct tbuf_bound *, const struct tbuf_site *)
	    TBUF_HIDDEN;

#endif
