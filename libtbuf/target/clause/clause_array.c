/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Associative arrays at a fire: a key of the machine's, and the element that it
 * has among the session's (shared/array_element.h).  Each step is a section, or
 * is done under a lane's lock.
 *
 * inv.account: a store that finds no element is a drop, and so is an access to
 * one that other threads keep writing.
 */
#include "arch/rseq_area.h"
#include "shared/array_element.h"
#include "shared/atomic_step.h"
#include "target/clause/clause.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"

#define TRIES	16			/* where other threads may be at it */

_Static_assert(TBUF_RUN_KEY_ENTRY == TBUF_ELEMENT_HEAD * sizeof(uint64_t),
    "a body's head stands in front of the machine's key");

struct access {
	struct tbuf_access element;
	struct tbuf_run *run;
	struct tbuf_code_variable array;
	bool done;			/* false: all lanes were busy */
};

/* ------------------------------------------------------------ an access */

static uint64_t *
drops_of(const struct access *a, const struct tbuf_lane *lane)
{
	struct tbuf_lane_counters *counters =
	    tbuf_counters_find(a->run->fire->base, lane);

	return (counters == NULL ? NULL : &counters->dynamic);
}

static __attribute__((noinline)) enum tbuf_outcome
access_try(struct access *a, const struct tbuf_memo *memo,
    const struct tbuf_lane *lane)
{
	enum tbuf_outcome outcome = TBUF_CHANGED;
	unsigned try;

	for (try = 0; try < TRIES && outcome == TBUF_CHANGED &&
	    (memo == NULL || memo->cpu == tbuf_rseq_cpu()); try++)
		outcome = tbuf_access_do(&a->element, memo,
		    a->element.stores ? drops_of(a, lane) : NULL);
	a->done = outcome == TBUF_COMMITTED;
	return (outcome);
}

static enum tbuf_outcome
access_here(void *argument, const struct tbuf_memo *memo)
{
	return (access_try(argument, memo, memo->lane));
}

static void
access_locked(void *argument, const struct tbuf_place *place)
{
	struct access *a = argument;
	uint64_t *drops;

	if (access_try(a, NULL, place->lane) == TBUF_COMMITTED)
		return;
	(void)tbuf_access_release(&a->element, NULL);
	a->done = a->element.dropped = true;
	if ((drops = drops_of(a, place->lane)) != NULL)
		(void)tbuf_step_add(NULL, drops, 1);
}

/* Returns 0 or TBUF_STOP. */
static __attribute__((noinline)) int
access_run(struct access *a)
{
	a->done = false;
	if (tbuf_lane_do(a->run->fire, access_here, access_locked, a,
	    TBUF_LOST_RECORD) != TBUF_EMIT_DONE) {
		a->run->gone = true;
		return (TBUF_STOP);
	}
	/* No lane was free, which is counted. */
	if (!a->done)
		tbuf_access_give_up(&a->element);
	return (a->done && !a->element.dropped ? 0 : TBUF_STOP);
}

/* ------------------------------------------------------------ the machine */

bool
tbuf_array_sets(const struct tbuf_run *run, struct tbuf_sets *sets)
{
	const struct tbuf_slot *slot = run->fire->slot;
	const struct tbuf_codes *head = tbuf_run_part(run, &slot->codes, 0,
	    sizeof(*head));
	uint64_t at = tbuf_load(&slot->dynamic.at);
	uint64_t size = tbuf_load(&slot->dynamic.size);

	return (head != NULL && at % 16 == 0 && tbuf_sets_make(sets,
	    (unsigned char *)(uintptr_t)tbuf_run_bytes(run, at, size), size,
	    tbuf_load(&head->element)));
}

/* Makes the body around the key, which is after the room for its header. */
static __attribute__((noinline)) int
body_make(struct access *a, enum tbuf_scope scope, uint32_t id,
    const uint8_t *bytes, uint32_t nbytes)
{
	struct tbuf_machine *m = &a->run->machine;
	bool shared, own = scope == TBUF_SCOPE_THREAD_ARRAY;
	uint64_t number = tbuf_thread_number(&shared);
	const struct tbuf_element_key key = {
		.scope = scope, .id = id, .thread = own ? number : 0,
		.size = m->key.used
	};

	if (!tbuf_array_sets(a->run, &a->element.sets) || id > UINT16_MAX)
		return (TBUF_FAULT_ILLEGAL);
	a->element.size = a->array.size;
	a->element.nowhere = shared && own;
	if (!tbuf_access_body(&a->element, (uint64_t *)(void *)
	    (m->key.bytes - TBUF_RUN_KEY_ENTRY), m->key.room, &key, bytes,
	    nbytes))
		return (TBUF_FAULT_TUPLE);
	tbuf_access_key(&a->element, number);
	a->element.last = &a->run->last;
	return (0);
}

int
tbuf_array_load(struct tbuf_run *run, enum tbuf_scope scope, uint32_t id,
    const struct tbuf_code_variable *array, uint64_t *value)
{
	struct access a = {
		.run = run, .array = *array, .element.loaded = value
	};
	int answer;

	*value = 0;
	if (array->size != 0)
		return (TBUF_FAULT_ILLEGAL);
	if ((answer = body_make(&a, scope, id, NULL, 0)) == 0)
		answer = access_run(&a);
	if (!a.element.present)
		*value = 0;
	return (answer);
}

int
tbuf_array_copy(struct tbuf_run *run, enum tbuf_scope scope, uint32_t id,
    const struct tbuf_code_variable *array, uint64_t *words, bool *present)
{
	struct access a = {
		.run = run, .array = *array, .element.loaded = words
	};
	int answer = array->size == 0 ? TBUF_FAULT_ILLEGAL :
	    body_make(&a, scope, id, NULL, 0);

	if (answer == 0)
		answer = access_run(&a);
	*present = answer == 0 && a.element.present;
	return (answer);
}

int
tbuf_array_store(struct tbuf_run *run, enum tbuf_scope scope, uint32_t id,
    const struct tbuf_code_variable *array, const uint8_t *bytes,
    uint32_t size, uint64_t value)
{
	struct tbuf_structure_part none = { .size = 0 };
	struct access a = {
		.run = run, .array = *array, .element = {
			.stores = true,
			.keeps = bytes != NULL || value != 0,
			.value = bytes != NULL ? 1 : value,
			.part = bytes != NULL && size == 0 &&
			    array->text == 0 ? &none : NULL
		}
	};
	int answer = body_make(&a, scope, id, bytes, size);

	return (answer != 0 ? answer : access_run(&a));
}

int
tbuf_array_store_part(struct tbuf_run *run, enum tbuf_scope scope,
    uint32_t id, const struct tbuf_code_variable *array,
    const uint8_t *bytes, uint32_t at, uint32_t size)
{
	struct tbuf_structure_part part = {
		.whole = bytes, .at = at, .size = size
	};
	struct access a = {
		.run = run, .array = *array, .element = {
			.stores = true, .keeps = true, .value = 1,
			.part = &part
		}
	};
	int answer = body_make(&a, scope, id, bytes, array->size);

	return (answer != 0 ? answer : access_run(&a));
}

/* ------------------------------------------------------------ plans */

bool
tbuf_array_make(struct tbuf_access *a, uint64_t *body, uint32_t key_words,
    enum tbuf_scope scope, uint32_t id)
{
	bool shared, own = scope == TBUF_SCOPE_THREAD_ARRAY;
	uint64_t number = tbuf_thread_number(&shared);
	const struct tbuf_element_key key = {
		.scope = scope, .id = id, .thread = own ? number : 0,
		.size = 8 * key_words
	};

	if (shared || !tbuf_access_body(a, body, 8 * key_words, &key, NULL,
	    0))
		return (false);
	tbuf_access_key(a, number);
	return (true);
}

bool
tbuf_array_cached(struct tbuf_access *a, const struct tbuf_memo *memo)
{
	enum tbuf_outcome outcome = TBUF_CHANGED;
	unsigned try;

	for (try = 0; try < TRIES && outcome == TBUF_CHANGED &&
	    memo->cpu == tbuf_rseq_cpu(); try++)
		outcome = tbuf_access_do(a, memo, NULL);
	return (outcome == TBUF_COMMITTED && !a->dropped);
}

/* The element that the store has claimed is still its own. */
void
tbuf_array_finish(struct tbuf_run *run, const struct tbuf_access *begun)
{
	struct access a = { .run = run, .element = *begun };

	(void)access_run(&a);
}
