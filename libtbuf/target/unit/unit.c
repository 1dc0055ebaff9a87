/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A unit begins, is entered and left by threads, and ends.  If nothing has
 * changed since the thread's previous unit this is done here without a call, by
 * one section to begin and by two to end: little work is done while the
 * processor waits for the counter.
 */
#include <errno.h>

#include "arch/rseq_area.h"
#include "arch/rseq_unit.h"
#include "target/self/self.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"
#include "target/unit/unit_cached_end.h"

/*
 * The unit is stored first, then the memo becomes void: a handler that fires in
 * between still uses the memo, and the CPU's lane.  The first memo's tid is set
 * before: sections write to the first session's table alone.
 */
static inline __attribute__((always_inline)) void
enter(struct tbuf_unit *u)
{
	tbuf_store(&u->bound[0].way.memo.tid, tbuf_thread.tid);
	u->outer = tbuf_thread.unit;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&tbuf_thread.unit, u);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	u->memo = tbuf_load(&tbuf_thread.memo.bits);
	tbuf_thread_forget();
}

/* Leaves a unit inside which the thread has entered others, if it is in it. */
static __attribute__((noinline, cold)) bool
leave_below(const struct tbuf_unit *u)
{
	struct tbuf_unit **p = &tbuf_thread.unit;

	while (*p != NULL && *p != u)
		p = &(*p)->outer;
	if (*p != NULL)
		tbuf_store(p, u->outer);
	return (*p != NULL);
}

static inline __attribute__((always_inline)) bool
leave(const struct tbuf_unit *u)
{
	if (tbuf_thread.unit != u)
		return (leave_below(u));
	/*
	 * The memo is unchanged: cpu_lane.c does not store to a thread's memo
	 * while there is a unit.
	 * A fire between the two stores uses the memo.
	 */
	if (u->outer == NULL && tbuf_self.rseq && tbuf_thread.shared == 0)
		tbuf_store(&tbuf_thread.memo.bits, u->memo);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&tbuf_thread.unit, u->outer);
	return (true);
}

/*
 * Binds the previous unit's table, in the only session.  Returns false, with no
 * effect, if that fails.
 */
static inline bool
bind_cached(struct tbuf_bound *b, uint64_t base, const char *kind, uint64_t id,
    uint64_t now)
{
	uint64_t generation = b->fire.generation;

	if (!b->cached || b->fire.base != base ||
	    !tbuf_units_only(base, b->fire.number) ||
	    !tbuf_unit_is(b->name, kind) ||
	    tbuf_rseq_bind(&b->way.memo, &(struct tbuf_beginning){
	    .entry = b->entry, .began = now, .id = id, .kind = b->kind,
	    .old = tbuf_unit_word(generation, b->instance, TBUF_UNIT_CACHED),
	    .new = tbuf_unit_word(generation, b->instance + 1,
	    TBUF_UNIT_BOUND), .thread = tbuf_thread.tid }) != TBUF_COMMITTED)
		return (false);
	b->instance++;
	b->cached = false;
	b->counted = true;
	b->id = id;
	b->began = now;
	b->way.selected = 0;
	b->others = false;
	tbuf_bound_head(b, 0);
	return (true);
}

/*
 * Begins the thread's previous unit again.  Returns NULL, with no effect, if
 * that fails.  A unit in use has no retained table, and a parent's unit has
 * none of this process.
 */
static inline struct tbuf_unit *
begin_cached(uint64_t base, const char *kind, uint64_t id)
{
	struct tbuf_unit *u = &tbuf_units_all[tbuf_thread.unit_last];
	uint64_t now, word;

	/* One pointer; a compiler would keep it in parts. */
	__asm__("" : "+r"(u));
	if (tbuf_load(&u->bound[0].fast_bits) == 0 || tbuf_thread.shared != 0 ||
	    tbuf_thread.tid == 0 || !tbuf_unit_try(u))
		return (NULL);
	now = tbuf_counter_glance();
	word = tbuf_load(&u->word);
	if (tbuf_unit_foreign(word) || u->bound[0].fast_bits == 0 ||
	    !bind_cached(&u->bound[0], base, kind, id, now)) {
		tbuf_unit_disown(u);
		return (NULL);
	}
	u->busy = false;
	u->nbound = 1;
	tbuf_store(&u->word, tbuf_unit_make((word >> 1) + 1));
	return (u);
}

static const struct tbuf_unit_hooks hooks = {
	.emit = tbuf_unit_emit, .remember = tbuf_unit_remember
};

/* The process's first unit begins here: no thread is in a unit before. */
static __attribute__((noinline)) TBUF_FIRES struct tbuf_unit *
begin_anew(uint64_t base, const char *kind, uint64_t id)
{
	unsigned first = tbuf_units_first(base, 0);
	struct tbuf_unit *u;

	if (first == TBUF_NSESSIONS)
		return (NULL);
	if (tbuf_load(&tbuf_unit_hooks) == NULL)
		tbuf_store_release(&tbuf_unit_hooks, &hooks);
	if ((u = tbuf_unit_take()) == NULL) {
		tbuf_unit_without(base, first);
		return (NULL);
	}
	u->busy = false;
	tbuf_unit_bind(u, base, kind, id, first);
	if (u->nbound != 0)
		return (u);
	tbuf_unit_release(u);
	return (NULL);
}

static __attribute__((noinline)) TBUF_FIRES uint64_t
begin(uint64_t base, const char *kind, uint64_t id)
{
	struct tbuf_unit *u;

	if (!tbuf_rseq_thread() ||
	    ((u = begin_cached(base, kind, id)) == NULL &&
	    (u = begin_anew(base, kind, id)) == NULL))
		return (0);
	enter(u);
	return (tbuf_unit_number(u, tbuf_load(&u->word)));
}

/* If no session has unit tables this checks nothing else. */
TBUF_FIRES uint64_t
tbuf_unit_begin(const char *kind, uint64_t id)
{
	uint64_t base = tbuf_load(&tbuf_local->base);
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)base;

	if (base == 0 || tbuf_load(&control->units) == 0)
		return (0);
	/* A program that is not traced gets by with NULL: so does this one. */
	return (begin(base, kind == NULL ? "" : kind, id));
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
	(void)tbuf_thread_tid();
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
	if (!tbuf_unit_claim(u))
		return (-ECANCELED);
	tbuf_unit_tell(u, false);
	/* The next owner may not be inside yet when the unit is abandoned. */
	tbuf_store(&u->bound[0].way.memo.tid, 0);
	tbuf_store_release(&u->owner, tbuf_unit_unowned());
	return (0);
}

/* Ends a unit without retained records, in its only session. */
static inline bool
end_cached(struct tbuf_unit *u, int32_t outcome, uint64_t now)
{
	struct tbuf_bound *b = &u->bound[0];
	uint64_t ticks = tbuf_unit_ticks(b, now);

	if (u->nbound != 1 || !tbuf_unit_discard(b, outcome, ticks))
		return (false);
	if (outcome != 0 || !tbuf_unit_count(b, tbuf_unit_duration(b, ticks)))
		tbuf_unit_tally(b, outcome, ticks, false);
	return (true);
}

static inline int32_t
outcome_of(int outcome)
{
	return (outcome == TBUF_UNIT_NO_OUTCOME ? -1 : outcome);
}

TBUF_FIRES int
tbuf_unit_end(uint64_t number, int outcome)
{
	struct tbuf_unit *u;
	uint64_t now;
	int error;

	/* Most units: no session has tables. */
	if (number == 0)
		return (0);
	if ((u = tbuf_unit_find(number)) == NULL)
		return (-ENOENT);
	/* First: a processor does the rest while it waits for the counter. */
	now = tbuf_unit_clock();
	if (tbuf_unit_mine(u))
		(void)leave(u);
	else if ((error = tbuf_unit_own(u, number)) != 0)
		return (error);
	if (!tbuf_unit_claim(u))
		return (-ECANCELED);
	outcome = outcome_of(outcome);
	if (!end_cached(u, outcome, now))
		tbuf_unit_commit(u, outcome, now);
	tbuf_unit_release(u);
	return (0);
}

__attribute__((cold)) int
tbuf_unit_abandon(uint64_t number, int outcome)
{
	int error;

	tbuf_units_sweep();
	error = tbuf_unit_end(number, outcome);
	return (error == -EBUSY ? tbuf_unit_end_other(number,
	    outcome_of(outcome)) : error);
}
