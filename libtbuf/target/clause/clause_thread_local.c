/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * self-> variables at a fire: a block of the session's for each thread that has
 * stored to one (layout/variable.h).
 *
 *	a thread's number --remembered--> its block, or that it has none
 *	                  \--searched----^
 *
 * The number is drawn once a thread and never used twice, as thread ids are, so
 * no thread takes a dead one's variables for its own.  Only the thread and its
 * handlers claim a block for it and store there: the block that it remembers is
 * valid as long as the session.
 *
 * A task that shares its thread area with another one, as a child of vfork
 * does, is no thread of its own here: it has no variables.
 *
 * inv.account: a store that finds no block is a drop.
 */
#include "machine/internal.h"
#include "shared/atomic_step.h"
#include "target/clause/clause.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"

#define INDEX		TBUF_BLOCK_INDEX
#define NONE		TBUF_BLOCK_NONE

/* Attempts of a swap, as other threads may be at the same words. */
#define TRIES		64

struct access {
	const struct tbuf_run *run;
	struct tbuf_code_variable place;
	unsigned char *blocks;
	uint64_t size, block;		/* bytes of all, of one */
	bool stores;
	const uint8_t *bytes;		/* to be stored; NULL: `value` */
	uint32_t nbytes;
	uint64_t value;
	uint64_t *loaded;		/* words of the variable */
	bool done;			/* false: all lanes were busy */
	bool dropped;
};

uint64_t
tbuf_thread_number(bool *shared)
{
	*shared = tbuf_thread_is_nobody();
	return (*shared ? tbuf_thread_draw() : tbuf_thread_own_number());
}

/* ------------------------------------------------------------ blocks */

/* Finds the session's blocks; it may have none. */
static __attribute__((cold)) bool
blocks_find(struct access *a)
{
	const struct tbuf_slot *slot = a->run->fire->slot;
	const struct tbuf_codes *head = tbuf_run_part(a->run, &slot->codes, 0,
	    sizeof(*head));
	uint64_t at = tbuf_load(&slot->blocks.at);

	a->size = tbuf_load(&slot->blocks.size);
	if (head == NULL || at % 16 != 0)
		return (false);
	a->blocks = (unsigned char *)(uintptr_t)tbuf_run_bytes(a->run, at,
	    a->size);
	a->block = tbuf_load(&head->block);
	return (a->blocks != NULL && a->block % 16 == 0 &&
	    a->block <= a->size && a->place.at >= sizeof(struct tbuf_block) &&
	    a->place.at + sizeof(uint64_t) + a->place.size <= a->block);
}

static uint64_t *
block_at(const struct access *a, uint64_t index)
{
	return ((uint64_t *)(void *)(a->blocks + index * a->block));
}

static uint64_t *
remembered(const struct access *a)
{
	return (&tbuf_thread.blocks[a->run->fire->number %
	    TBUF_BLOCKS_REMEMBERED]);
}

static uint64_t
memory_of(const struct access *a, uint64_t index)
{
	return (a->run->fire->generation << INDEX | index);
}

/* Returns the n-th block to look at; false: there is none. */
static bool
nth(const struct access *a, uint32_t n, uint64_t *index)
{
	uint64_t count = a->size / a->block;

	if (count > TBUF_BLOCKS_MAX)
		count = TBUF_BLOCKS_MAX;
	*index = (tbuf_thread_own_number() % count + n) % count;
	return (n < TBUF_BLOCK_PROBES && n < count);
}

/* Finds the first block that has this owner, or is free (0); or NONE. */
static __attribute__((noinline, cold)) enum tbuf_outcome
owner_find(const struct access *a, const struct tbuf_memo *memo,
    uint64_t owner, uint64_t *found)
{
	uint64_t index, seen[2];
	uint32_t n;

	for (n = 0, *found = NONE; nth(a, n, &index); n++) {
		if (tbuf_step_load(memo, seen, block_at(a, index), 2) !=
		    TBUF_COMMITTED)
			return (TBUF_CHANGED);
		if (seen[0] == owner && (owner != 0 || seen[1] == 0)) {
			*found = index;
			break;
		}
	}
	return (TBUF_COMMITTED);
}

/* Finds the thread's block, or NONE; a handler may claim one meanwhile. */
static enum tbuf_outcome
own_find(const struct access *a, const struct tbuf_memo *memo,
    uint64_t *index)
{
	uint64_t *word = remembered(a), seen = tbuf_load(word);

	*index = seen & NONE;
	if (seen == memory_of(a, *index))
		return (TBUF_COMMITTED);
	if (owner_find(a, memo, tbuf_thread_own_number(), index) !=
	    TBUF_COMMITTED ||
	    !tbuf_cas(word, seen, memory_of(a, *index)))
		return (TBUF_CHANGED);
	return (TBUF_COMMITTED);
}

/* Frees a claimed block: a handler's came first, or made the thread forget. */
static void
give_back(const struct tbuf_memo *memo, uint64_t *block,
    const uint64_t mine[2])
{
	const uint64_t none[2] = { 0, 0 };
	unsigned try;

	for (try = 0; try < TRIES; try++)
		if (tbuf_step_swap_pair(memo, block, mine, none) ==
		    TBUF_COMMITTED)
			break;
}

static enum tbuf_outcome
claim(const struct access *a, const struct tbuf_memo *memo,
    struct tbuf_lane_counters *counters, uint64_t *index)
{
	const uint64_t none[2] = { 0, 0 };
	uint64_t mine[2] = { tbuf_thread_own_number(), tbuf_thread.tid };

	if (owner_find(a, memo, 0, index) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	if (*index == NONE)
		return (TBUF_COMMITTED);
	if ((counters != NULL && tbuf_step_add(memo, &counters->claims, 1) !=
	    TBUF_COMMITTED) || tbuf_step_swap_pair(memo, block_at(a, *index),
	    none, mine) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	if (tbuf_cas(remembered(a), memory_of(a, NONE), memory_of(a, *index)))
		return (TBUF_COMMITTED);
	give_back(memo, block_at(a, *index), mine);
	return (TBUF_CHANGED);
}

/* ------------------------------------------------------------ a variable */

/*
 * The word that says that a variable is set is cleared first, or set last: a
 * handler does not see half of the value.
 */
static enum tbuf_outcome
cell_store(const struct access *a, const struct tbuf_memo *memo,
    uint64_t *cell)
{
	uint32_t at;

	if (a->bytes == NULL && tbuf_step_store(memo, cell, a->value) !=
	    TBUF_COMMITTED)
		return (TBUF_CHANGED);
	for (at = 0; at < a->place.size; at += sizeof(*cell))
		if (tbuf_step_store(memo, cell + 1 + at / 8,
		    a->bytes == NULL ? 0 : tbuf_step_gather(a->bytes, at,
		    a->nbytes)) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
	return (a->bytes == NULL ? TBUF_COMMITTED :
	    tbuf_step_store(memo, cell, 1));
}

static enum tbuf_outcome
drop(struct access *a, const struct tbuf_memo *memo,
    struct tbuf_lane_counters *counters)
{
	a->dropped = true;
	return (counters == NULL ? TBUF_COMMITTED :
	    tbuf_step_add(memo, &counters->dynamic, 1));
}

static __attribute__((noinline)) enum tbuf_outcome
access_do(struct access *a, const struct tbuf_memo *memo,
    const struct tbuf_lane *lane)
{
	struct tbuf_lane_counters *counters =
	    tbuf_counters_find(a->run->fire->base, lane);
	uint64_t index = NONE, *cell;

	a->done = true;
	a->dropped = false;
	if (!tbuf_thread_is_nobody() &&
	    own_find(a, memo, &index) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	/* 0 need not be stored where nothing else is. */
	if (index == NONE && a->stores && (a->bytes != NULL || a->value != 0)) {
		if (!tbuf_thread_is_nobody() &&
		    claim(a, memo, counters, &index) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
		if (index == NONE)
			return (drop(a, memo, counters));
	}
	if (index >= a->size / a->block)
		return (TBUF_COMMITTED);
	cell = block_at(a, index) + a->place.at / 8;
	return (a->stores ? cell_store(a, memo, cell) : tbuf_step_load(memo,
	    a->loaded, cell, 1 + (a->place.size + 7) / 8));
}

static enum tbuf_outcome
access_here(void *argument, const struct tbuf_memo *memo)
{
	return (access_do(argument, memo, memo->lane));
}

static __attribute__((cold)) void
access_locked(void *argument, const struct tbuf_place *place)
{
	struct access *a = argument;
	unsigned try;

	/* Each swap that another thread won is tried again. */
	for (try = 0; try < TRIES; try++)
		if (access_do(a, NULL, place->lane) == TBUF_COMMITTED)
			return;
	drop(a, NULL, tbuf_counters_find(a->run->fire->base, place->lane));
}

/* Returns 0, TBUF_STOP or a fault. */
static int
access_run(struct tbuf_run *run, struct access *a)
{
	a->done = a->dropped = false;
	a->run = run;
	if (!blocks_find(a))
		return (TBUF_FAULT_ILLEGAL);
	if (tbuf_lane_do(run->fire, access_here, access_locked, a,
	    TBUF_LOST_RECORD) != TBUF_EMIT_DONE) {
		run->gone = true;
		return (TBUF_STOP);
	}
	return (a->done && !a->dropped ? 0 : TBUF_STOP);
}

/* ------------------------------------------------------------ places */

__attribute__((cold)) void
tbuf_places_make(const struct tbuf_run *run, struct tbuf_places *places)
{
	struct access a = { .run = run };
	uint32_t id;

	*places = (struct tbuf_places){ .blocks = NULL };
	for (id = 0; id < TBUF_PLACES; id++) {
		if (!tbuf_variable_place(run, TBUF_SCOPE_THREAD, id,
		    &a.place) || a.place.size != 0 || !blocks_find(&a))
			continue;
		places->at[id] = a.place.at;
		places->blocks = a.blocks;
		places->block = a.block;
		places->count = a.size / a.block;
	}
}

static __attribute__((cold)) bool
place_find(const struct tbuf_run *run, uint32_t id, struct tbuf_memo *here,
    uint64_t **cell)
{
	const struct tbuf_fire *f = run->fire;

	return (run->places != NULL && tbuf_places_find(run->places, f->number,
	    f->generation, f->slot, id, here, cell));
}

/* Loads a number once in a fire, as in /self->ts/ { trace(self->ts) }. */
bool
tbuf_places_load(struct tbuf_run *run, uint32_t id, uint64_t *value)
{
	struct tbuf_memo here;
	uint64_t *cell, loaded = 0;

	if (id != run->known_id) {
		if (!place_find(run, id, &here, &cell) || (cell != NULL &&
		    tbuf_step_load(&here, &loaded, cell, 1) !=
		    TBUF_COMMITTED))
			return (false);
		run->known = loaded;
		run->known_id = id;
	}
	*value = run->known;
	return (true);
}

bool
tbuf_places_store(struct tbuf_run *run, uint32_t id, uint64_t value)
{
	struct tbuf_memo here;
	uint64_t *cell;

	run->known_id = UINT32_MAX;
	return (place_find(run, id, &here, &cell) &&
	    cell != NULL &&
	    tbuf_step_store(&here, cell, value) == TBUF_COMMITTED);
}

/* ------------------------------------------------------------ the machine */

int
tbuf_thread_variable_load(struct tbuf_run *run,
    const struct tbuf_code_variable *place, uint64_t *value)
{
	struct access a = { .place = *place, .loaded = value };

	*value = 0;
	return (place->size != 0 ? TBUF_FAULT_ILLEGAL : access_run(run, &a));
}

/*
 * The bytes are copied: those in the session's memory may change at any time.
 */
int
tbuf_thread_variable_refer(struct tbuf_run *run,
    const struct tbuf_code_variable *place, uint64_t *address)
{
	struct access a = { .place = *place };
	struct tbuf_machine *m = &run->machine;
	uint32_t size = sizeof(uint64_t) + ((place->size + 7) & ~7u);
	uint8_t *bytes;
	int answer;

	*address = 0;
	if (place->size == 0)
		return (TBUF_FAULT_ILLEGAL);
	if ((answer = tbuf_work(m, size)) != 0 ||
	    (answer = tbuf_memory_temporary(m, size, &bytes, address)) != 0)
		return (answer);
	a.loaded = (uint64_t *)(void *)bytes;
	a.loaded[0] = 0;
	answer = access_run(run, &a);
	*address = answer != 0 || a.loaded[0] == 0 ? 0 :
	    *address + sizeof(uint64_t);
	return (answer);
}

int
tbuf_thread_variable_store(struct tbuf_run *run,
    const struct tbuf_code_variable *place, const uint8_t *bytes,
    uint32_t size, uint64_t value)
{
	struct access a = {
		.place = *place, .stores = true, .bytes = bytes,
		.nbytes = size, .value = value
	};

	return (access_run(run, &a));
}
