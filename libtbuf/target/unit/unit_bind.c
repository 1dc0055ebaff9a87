/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A unit takes a table in each session that has unit tables.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "arch/rseq_area.h"
#include "shared/session_build.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"

#define STEPS_MAX	16	/* aborted sections in a row */
#define WAIT_MAX	100000	/* attempts at a free lane; some ms */

struct work {
	tbuf_lane_work *work;
	void *argument;
};

/*
 * Nothing is aborted under a lock, but words that others change are reloaded.
 */
static void
work_locked(void *argument, const struct tbuf_place *place)
{
	const struct work *w = argument;
	unsigned i;

	(void)place;
	for (i = 0; i < STEPS_MAX; i++)
		if (w->work(w->argument, NULL) == TBUF_COMMITTED)
			break;
}

/*
 * Makes a memo without a lane.  Sections begin only on CPUs of the session:
 * there a consumer that ends it waits for them.
 */
static bool
memo_make(const struct tbuf_bound *b, struct tbuf_memo *m)
{
	m->cpu = tbuf_rseq_cpu();
	m->generation = b->fire.generation;
	m->slot = b->fire.slot;
	m->lane = NULL;
	return (tbuf_lane_offset(m->slot, m->cpu) != 0);
}

/*
 * Runs the work in sections.  Returns true if it is done or the session ended.
 */
static bool
work_here(const struct tbuf_bound *b, tbuf_lane_work *work, void *argument,
    enum tbuf_emit *emit)
{
	struct tbuf_memo memo;
	unsigned try;

	if (!tbuf_fire_sections())
		return (false);
	for (try = 0; try < STEPS_MAX && memo_make(b, &memo); try++) {
		*emit = TBUF_EMIT_DONE;
		if (work(argument, &memo) == TBUF_COMMITTED)
			return (true);
		*emit = TBUF_EMIT_RETRY;
		if (!tbuf_fire_current(&b->fire))
			return (true);
	}
	return (false);
}

enum tbuf_emit
tbuf_bound_wait(const struct tbuf_bound *b, tbuf_lock_work *work,
    void *argument)
{
	unsigned try;

	for (try = 0; try < WAIT_MAX && tbuf_fire_current(&b->fire); try++)
		if (tbuf_lock_try(&b->fire, work, argument))
			return (TBUF_EMIT_DONE);
	return (TBUF_EMIT_RETRY);
}

enum tbuf_emit
tbuf_bound_do(const struct tbuf_bound *b, tbuf_lane_work *work,
    void *argument)
{
	struct work locked = { work, argument };
	enum tbuf_emit emit;

	return (work_here(b, work, argument, &emit) ? emit :
	    tbuf_bound_wait(b, work_locked, &locked));
}

enum tbuf_emit
tbuf_bound_record(const struct tbuf_bound *b, tbuf_lane_work *work,
    void *argument)
{
	struct work locked = { work, argument };
	enum tbuf_emit emit;

	return (work_here(b, work, argument, &emit) ? emit :
	    tbuf_lock_do(&b->fire, work_locked, &locked, TBUF_LOST_RECORD));
}

struct addition {
	uint64_t *word;
	uint64_t n;
};

static enum tbuf_outcome
add_here(void *argument, const struct tbuf_memo *memo)
{
	const struct addition *a = argument;
	uint64_t n;

	if (tbuf_step_load(memo, &n, a->word, 1) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	return (tbuf_step_swap(memo, a->word, n, n + a->n));
}

void
tbuf_bound_add(const struct tbuf_bound *b, uint64_t *word, uint64_t n)
{
	(void)tbuf_bound_do(b, add_here, &(struct addition){ word, n });
}

/* ------------------------------------------------------------ tables */

struct binding {
	struct tbuf_bound *bound;
	bool named;			/* its kind has been found */
	bool taken;
	bool done;			/* the table is bound */
};

static struct tbuf_unit_entry *
entry_of(const struct tbuf_bound *b, uint32_t i)
{
	return ((struct tbuf_unit_entry *)(void *)(b->units + 1) + i);
}

static enum tbuf_outcome
take(struct binding *n, const struct tbuf_memo *memo, uint32_t i,
    uint64_t word)
{
	struct tbuf_bound *b = n->bound;
	uint64_t instance = tbuf_unit_instance(word) + 1;

	if (tbuf_step_swap(memo, &entry_of(b, i)->word, word, tbuf_unit_word(
	    b->fire.generation, instance, TBUF_UNIT_TAKEN)) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	b->index = i;
	b->instance = instance;
	n->taken = true;
	tbuf_thread.unit_table = i;
	return (TBUF_COMMITTED);
}

/* Takes a free table; the search begins at this thread's last one. */
static enum tbuf_outcome
take_free(struct binding *n, const struct tbuf_memo *memo)
{
	uint32_t at = tbuf_thread.unit_table, i;
	uint64_t word;

	for (i = 0; i < n->bound->count; i++, at++) {
		at %= n->bound->count;
		if (tbuf_step_load(memo, &word, &entry_of(n->bound, at)->word,
		    1) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
		if (word == 0 || tbuf_unit_word_is(word,
		    n->bound->fire.generation, TBUF_UNIT_FREE))
			return (take(n, memo, at, word));
	}
	return (TBUF_COMMITTED);
}

/* Takes the oldest ended table; under ring these are free. */
static enum tbuf_outcome
take_done(struct binding *n, const struct tbuf_memo *memo)
{
	uint64_t words[8], word = 0, oldest = UINT64_MAX;
	uint32_t i, found = 0;

	for (i = 0; i < n->bound->count; i++) {
		if (tbuf_step_load(memo, words, &entry_of(n->bound, i)->word,
		    8) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
		if (tbuf_unit_word_is(words[0],
		    n->bound->fire.generation, TBUF_UNIT_DONE) &&
		    words[7] < oldest) {
			oldest = words[7];
			word = words[0];
			found = i;
		}
	}
	return (oldest == UINT64_MAX ? TBUF_COMMITTED :
	    take(n, memo, found, word));
}

_Static_assert(offsetof(struct tbuf_unit_entry, began) == 7 * 8, "words[7]");

/* ------------------------------------------------------------ kinds */

static enum tbuf_outcome
kind_name(const struct binding *n, const struct tbuf_memo *memo,
    struct tbuf_unit_kind *kind)
{
	const uint64_t *name = n->bound->name;
	const uint64_t fields[] = { n->bound->began, 0, name[0], name[1],
	    name[2], name[3] };

	if (tbuf_step_swap(memo, &kind->state, 0, 1) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	/* If this is aborted the place is lost: it never gets a name. */
	return (tbuf_step_publish(memo, &kind->state, 1, 2, &kind->began,
	    fields, sizeof(fields)));
}

_Static_assert(offsetof(struct tbuf_unit_kind, name) -
    offsetof(struct tbuf_unit_kind, began) == 2 * 8, "fields[2]");

/* Returns the place at which the search begins; it continues after it. */
static uint32_t
kind_first(const uint64_t name[4])
{
	uint64_t sum = name[0] + name[1] + name[2] + name[3];

	return ((uint32_t)(sum * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
	    (TBUF_UNIT_KINDS - 1));
}

/* Finds the kind of this name; the last kind counts all that found no place. */
static enum tbuf_outcome
kind_find(struct binding *n, const struct tbuf_memo *memo)
{
	uint64_t words[8];
	struct tbuf_bound *b = n->bound;
	uint32_t i = kind_first(b->name), left;

	for (left = TBUF_UNIT_KINDS - 1; left != 0; left--) {
		if (tbuf_step_load(memo, words, &b->units->kinds[i].state, 8) !=
		    TBUF_COMMITTED)
			return (TBUF_CHANGED);
		if (words[0] == 0 && kind_name(n, memo, &b->units->kinds[i]) !=
		    TBUF_COMMITTED)
			return (TBUF_CHANGED);
		if (words[0] == 0 || (words[0] == 2 && words[4] == b->name[0] &&
		    words[5] == b->name[1] && words[6] == b->name[2] &&
		    words[7] == b->name[3]))
			break;
		i = i == TBUF_UNIT_KINDS - 2 ? 0 : i + 1;
	}
	b->kind = left != 0 ? i : TBUF_UNIT_KINDS - 1;
	n->named = true;
	return (TBUF_COMMITTED);
}

_Static_assert(offsetof(struct tbuf_unit_kind, name) == 4 * 8, "words[4]");

/* Copies a name, cut if it is too long, and pads it with zeroes. */
static void
name_copy(uint64_t *name, const char *kind)
{
	uint64_t word = 0;
	unsigned i;

	for (i = 0; i < TBUF_UNIT_NAME; i++) {
		if (i < TBUF_UNIT_NAME - 1 && *kind != '\0')
			word |= (uint64_t)(unsigned char)*kind++ << 8 * (i % 8);
		if (i % 8 == 7) {
			name[i / 8] = word;
			word = 0;
		}
	}
}

/* ------------------------------------------------------------ binding */

/* Returns the bound table's word, with the table in this state. */
static uint64_t
word_of(const struct tbuf_bound *b, uint64_t instance,
    enum tbuf_unit_state state)
{
	return (tbuf_unit_word(b->fire.generation, instance, state));
}

/*
 * Stores the fields of a running unit, which consumers read; binds the table.
 */
static enum tbuf_outcome
bound(struct binding *n, const struct tbuf_memo *memo, uint64_t word)
{
	struct tbuf_bound *b = n->bound;
	struct tbuf_unit_entry *e = entry_of(b, b->index);
	uint64_t instance = tbuf_unit_instance(word) +
	    (tbuf_unit_state(word) == TBUF_UNIT_CACHED);
	const uint64_t fields[] = { 0, b->began, b->id, b->kind,
	    tbuf_thread.tid, 1 };

	b->ticks_at = (uint64_t *)(void *)((unsigned char *)b->units +
	    tbuf_units_ticks(b->count)) + b->index * TBUF_UNIT_KINDS + b->kind;
	if (tbuf_step_load(memo, &b->ticks, b->ticks_at, 1) !=
	    TBUF_COMMITTED || tbuf_step_publish(memo, &e->word, word,
	    word_of(b, instance, TBUF_UNIT_BOUND), &e->head, fields,
	    sizeof(fields)) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	b->entry = e;
	b->way.head = &e->head;
	b->instance = instance;
	b->counted = b->cached;
	b->cached = false;
	b->way.table = (unsigned char *)b->units + tbuf_units_tables(b->count) +
	    b->index * (b->wraps ? 2 * b->way.size : b->way.size);
	n->done = true;
	return (TBUF_COMMITTED);
}

_Static_assert(offsetof(struct tbuf_unit_entry, inside) -
    offsetof(struct tbuf_unit_entry, head) == 5 * 8, "fields[5]");

/*
 * Binds a taken table.  Its count of overwritten records is copied into the
 * half that head 0 selects, with a head of 0, before the table's head is 0.
 */
static enum tbuf_outcome
bound_taken(struct binding *n, const struct tbuf_memo *memo)
{
	const struct tbuf_bound *b = n->bound;
	struct tbuf_unit_entry *e = entry_of(b, b->index);
	uint64_t word = word_of(b, b->instance, TBUF_UNIT_TAKEN);
	struct {
		struct tbuf_unit_half half[2];
		uint64_t head;
	} was;
	unsigned older;
	uint64_t next[2] = { 0 };

	if (tbuf_step_load(memo, (uint64_t *)(void *)&was,
	    &e->half[0].head, sizeof(was) / 8) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	older = tbuf_unit_older(was.head);
	next[1] = was.half[older].overwritten;
	if ((older != tbuf_unit_older(0) || was.half[older].head != 0) &&
	    tbuf_step_publish(memo, &e->word,
	    word, word, &e->half[tbuf_unit_older(0)].head, next,
	    sizeof(next)) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	return (bound(n, memo, word));
}

_Static_assert(offsetof(struct tbuf_unit_entry, head) -
    offsetof(struct tbuf_unit_entry, half) ==
    2 * sizeof(struct tbuf_unit_half), "head behind its halves");

/* Binds the table of the previous unit. */
static enum tbuf_outcome
bound_cached(struct binding *n, const struct tbuf_memo *memo)
{
	struct tbuf_bound *b = n->bound;
	uint64_t cached = word_of(b, b->instance, TBUF_UNIT_CACHED), word;

	if (bound(n, memo, cached) == TBUF_COMMITTED)
		return (TBUF_COMMITTED);
	if (tbuf_step_load(memo, &word, &entry_of(b, b->index)->word, 1) !=
	    TBUF_COMMITTED || word == cached)
		return (TBUF_CHANGED);
	/* The word has been damaged. */
	b->cached = false;
	return (TBUF_COMMITTED);
}

/*
 * Binds a free table, or one that an unused unit retains, or one of an ended
 * unit.
 */
static enum tbuf_outcome
bound_any(struct binding *n, const struct tbuf_memo *memo)
{
	struct tbuf_bound *b = n->bound;
	enum tbuf_outcome outcome = TBUF_COMMITTED;

	if (!n->taken)
		outcome = take_free(n, memo);
	if (outcome == TBUF_COMMITTED && !n->taken && tbuf_unit_spare(b))
		return (bound_cached(n, memo));
	if (outcome == TBUF_COMMITTED && !n->taken && b->ring)
		outcome = take_done(n, memo);
	if (outcome != TBUF_COMMITTED)
		return (outcome);
	return (n->taken ? bound_taken(n, memo) :
	    add_here(&(struct addition){ &b->units->without, 1 }, memo));
}

static enum tbuf_outcome
bind_here(void *argument, const struct tbuf_memo *memo)
{
	struct binding *n = argument;

	if (!n->named && kind_find(n, memo) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	if (n->bound->cached && bound_cached(n, memo) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	return (n->done ? TBUF_COMMITTED : bound_any(n, memo));
}

/* Frees a retained table. */
static enum tbuf_outcome
free_here(void *argument, const struct tbuf_memo *memo)
{
	const struct tbuf_bound *b = argument;

	return (tbuf_step_swap(memo, &entry_of(b, b->index)->word,
	    word_of(b, b->instance, TBUF_UNIT_CACHED),
	    word_of(b, b->instance, TBUF_UNIT_FREE)));
}

static struct tbuf_slot *
slot_of(uint64_t base, unsigned number)
{
	return ((struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE));
}

/* Finds a session's tables.  Returns false if there are none in the file. */
static bool
session_look(struct tbuf_bound *b, uint64_t base, unsigned number)
{
	struct tbuf_slot *slot = slot_of(base, number);
	uint64_t size;

	b->fire = (struct tbuf_fire){ .base = base, .slot = slot,
	    .number = number };
	b->fire.generation = tbuf_load_acquire(&slot->generation);
	b->fire.bits = tbuf_fire_bits(slot, number);
	b->units = tbuf_units_find(base, slot, &b->count, &size);
	if (b->fire.generation == 0 || b->units == NULL)
		return (false);
	b->ring = tbuf_load(&slot->terms.policy) == TBUF_RING;
	b->wraps = (tbuf_load(&slot->terms.flags) & TBUF_S_WRAP) != 0;
	b->way.size = b->wraps ? size / 2 : size;
	b->way.half = b->wraps ? b->way.size : 0;
	b->way.heads = tbuf_fire_heads(base, slot);
	memset(b->way.epids, 0, sizeof(b->way.epids));
	b->rule = 0;
	b->way.memo = (struct tbuf_memo){ .generation = b->fire.generation,
	    .slot = slot, .cpu = TBUF_UNIT_NOWHERE };
	return (true);
}

/* Returns true if this place was last bound to the session. */
static bool
session_known(struct tbuf_bound *b, uint64_t base, unsigned number)
{
	struct tbuf_slot *slot = slot_of(base, number);

	if (b->entry == NULL || b->fire.base != base || b->fire.slot != slot ||
	    tbuf_load_acquire(&slot->generation) != b->fire.generation)
		return (false);
	b->fire.bits = tbuf_fire_bits(slot, number);
	return (true);
}

/* Returns the enable bits for sections; 0: not usable, or a clause must run. */
static uint32_t
fast_bits(const struct tbuf_bound *b)
{
	return (b->entry != NULL && tbuf_self.rseq && b->way.heads != NULL &&
	    tbuf_load(&b->fire.slot->terms.only_cpu) < 0 &&
	    b->fire.bits < TBUF_MEMO_NONE ? (uint32_t)b->fire.bits : 0);
}

/* Binds a table of a session.  Returns false if it has none, or has ended. */
static bool
session_bind(struct tbuf_bound *b, uint64_t base, unsigned number,
    const char *kind)
{
	struct binding n = { .bound = b };
	/* First, as in tbuf_unit_end(). */
	uint64_t now = tbuf_unit_clock();
	bool known = session_known(b, base, number);

	if (!known && b->cached)
		(void)tbuf_bound_do(b, free_here, b);
	b->cached = b->cached && known;
	if (!known && !session_look(b, base, number))
		return (false);
	b->entry = NULL;
	b->began = now;
	n.named = known && tbuf_unit_is(b->name, kind);
	if (!n.named)
		name_copy(b->name, kind);
	if (tbuf_bound_do(b, bind_here, &n) != TBUF_EMIT_DONE)
		return (false);
	b->fast_bits = fast_bits(b);
	tbuf_bound_head(b, 0);
	b->way.selected = 0;
	b->others = false;
	if (b->fast_bits != 0)
		tbuf_bound_here(b, tbuf_rseq_cpu());
	return (true);
}

static bool
session_units(uint64_t base, unsigned number)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)base;

	return (tbuf_load(&control->state[number]) == TBUF_ACTIVE &&
	    tbuf_load(&slot_of(base, number)->units.at) != 0);
}

/*
 * Checks eight slots at a time, because most are free.  A unit comes here each
 * time if the process has sessions but no unit tables: nearly always there is
 * one session, the one in the thread's memo.
 */
TBUF_FIRES unsigned
tbuf_units_first(uint64_t base, unsigned from)
{
	const uint32_t own = (uint32_t)tbuf_load(&tbuf_thread.memo.bits);
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)base;
	const uint64_t *pairs = (const uint64_t *)(const void *)control->state;
	unsigned i;

	if (from == 0 && own != 0) {
		i = (unsigned)__builtin_ctz(own);
		if (tbuf_units_only(base, i))
			return (session_units(base, i) ? i : TBUF_NSESSIONS);
	}
	for (i = from; i < TBUF_NSESSIONS; i++) {
		while (i % 8 == 0 && i < TBUF_NSESSIONS &&
		    (tbuf_load(&pairs[i / 2]) | tbuf_load(&pairs[i / 2 + 1]) |
		    tbuf_load(&pairs[i / 2 + 2]) |
		    tbuf_load(&pairs[i / 2 + 3])) == 0)
			i += 8;
		if (i == TBUF_NSESSIONS || session_units(base, i))
			break;
	}
	return (i);
}

_Static_assert(TBUF_FREE == 0 && TBUF_NSESSIONS % 8 == 0 &&
    offsetof(struct tbuf_control, state) % 8 == 0, "eight slots at a time");

void
tbuf_unit_bind(struct tbuf_unit *u, uint64_t base, const char *kind,
    uint64_t id, unsigned first)
{
	struct tbuf_bound *b;
	unsigned i;

	(void)tbuf_thread_tid();
	u->nbound = 0;
	for (i = first; i < TBUF_NSESSIONS && u->nbound < TBUF_UNIT_SESSIONS;
	    i = tbuf_units_first(base, i + 1)) {
		b = &u->bound[u->nbound];
		b->id = id;
		if (session_bind(b, base, i, kind))
			u->nbound++;
	}
}

void
tbuf_unit_without(uint64_t base, unsigned first)
{
	struct tbuf_bound b;
	unsigned i;

	for (i = first; i < TBUF_NSESSIONS; i = tbuf_units_first(base, i + 1))
		if (session_look(&b, base, i))
			tbuf_bound_add(&b, &b.units->without, 1);
}

/* ------------------------------------------------------------ enter, leave */

struct telling {
	const struct tbuf_bound *bound;
	bool inside;
};

static enum tbuf_outcome
tell_here(void *argument, const struct tbuf_memo *memo)
{
	const struct telling *t = argument;
	const struct tbuf_bound *b = t->bound;
	uint64_t word = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_BOUND);
	const uint64_t fields[] = { tbuf_thread.tid, t->inside };

	return (tbuf_step_publish(memo, &b->entry->word, word, word,
	    &b->entry->thread, fields, sizeof(fields)));
}

void
tbuf_unit_tell(struct tbuf_unit *u, bool inside)
{
	struct telling t = { .inside = inside };
	uint32_t i;

	for (i = 0; i < u->nbound; i++) {
		t.bound = &u->bound[i];
		if (t.bound->entry != NULL)
			(void)tbuf_bound_do(t.bound, tell_here, &t);
	}
}
