/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables of clauses at a fire.  Globals are in the session's area: a load
 * may see a store of any thread, and each word that is stored is a section of
 * its own.  this-> variables are in struct tbuf_run; self-> variables are
 * in clause_thread_local.c.  The session's codes have their places.
 */
#include "machine/internal.h"
#include "shared/atomic_step.h"
#include "target/clause/clause.h"
#include "target/file/probe_table.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"

/* A self-> structure, of which clauses see a copy. */
#define OBJECT_THREAD	TBUF_OBJECT_OUTSIDE

/*
 * Returns the bytes of the script's this-> variables; there is room for more.
 */
static uint32_t
locals_size(const struct tbuf_run *run)
{
	const struct tbuf_codes *codes = tbuf_run_part(run,
	    &run->fire->slot->codes, 0, sizeof(*codes));

	return (codes == NULL ? 0 : tbuf_load(&codes->locals_size));
}

/* Zeroes this-> variables when the first clause of a chain asks for one. */
static void
locals_begin(struct tbuf_run *run)
{
	if (run->locals_ready)
		return;
	if (run->workspace != NULL) {
		run->locals = (uint8_t *)run->workspace->locals;
		run->locals_room = sizeof(run->workspace->locals);
	} else {
		run->locals = (uint8_t *)run->small_locals;
		run->locals_room = sizeof(run->small_locals);
	}
	run->locals_room = tbuf_minimum(locals_size(run), run->locals_room);
	tbuf_bytes_zero(run->locals, run->locals_room);
	run->locals_ready = true;
}

/* Returns a variable's word, which its bytes follow; NULL: there is none. */
static uint64_t *
word_find(struct tbuf_run *run, enum tbuf_scope scope, uint32_t id,
    struct tbuf_code_variable *place)
{
	uint64_t size;

	if (!tbuf_variable_place(run, scope, id, place))
		return (NULL);
	size = sizeof(uint64_t) + place->size;
	if (scope == TBUF_SCOPE_GLOBAL)
		return ((uint64_t *)(uintptr_t)tbuf_run_part(run,
		    &run->fire->slot->globals, place->at, size));
	locals_begin(run);
	if (place->at > run->locals_room ||
	    size > run->locals_room - place->at)
		return (NULL);
	return ((uint64_t *)(void *)(run->locals + place->at));
}

/* Stores a word; one of the session's is stored in a section. */
static int
word_store(struct tbuf_run *run, enum tbuf_scope scope, uint64_t *word,
    uint64_t value)
{
	if (scope == TBUF_SCOPE_CLAUSE) {
		tbuf_store(word, value);
		return (0);
	}
	if (tbuf_lane_store(run->fire, word, value) == TBUF_EMIT_DONE)
		return (0);
	run->gone = true;
	return (TBUF_STOP);
}

int
tbuf_run_load(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *value)
{
	struct tbuf_run *run = tbuf_run_of(m);
	struct tbuf_code_variable place;
	const uint64_t *word;

	if (scope == TBUF_SCOPE_THREAD && tbuf_places_load(run, id, value))
		return (0);
	if (!tbuf_variable_place(run, scope, id, &place))
		return (TBUF_FAULT_ILLEGAL);
	if (scope == TBUF_SCOPE_THREAD)
		return (tbuf_thread_variable_load(run, &place, value));
	run->shares |= scope != TBUF_SCOPE_CLAUSE;
	if (scope >= TBUF_SCOPE_ARRAY)
		return (tbuf_array_load(run, scope, id, &place, value));
	word = word_find(run, scope, id, &place);
	if (word == NULL || place.size != 0)
		return (TBUF_FAULT_ILLEGAL);
	*value = tbuf_load(word);
	return (0);
}

int
tbuf_run_store(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t value)
{
	struct tbuf_run *run = tbuf_run_of(m);
	struct tbuf_code_variable place;
	uint64_t *word;

	if (scope == TBUF_SCOPE_THREAD && tbuf_places_store(run, id, value))
		return (0);
	if (!tbuf_variable_place(run, scope, id, &place) || place.size != 0)
		return (TBUF_FAULT_ILLEGAL);
	if (scope == TBUF_SCOPE_THREAD)
		return (tbuf_thread_variable_store(run, &place, NULL, 0,
		    value));
	if (scope >= TBUF_SCOPE_ARRAY)
		return (tbuf_array_store(run, scope, id, &place, NULL, 0,
		    value));
	word = word_find(run, scope, id, &place);
	if (word == NULL || place.size != 0)
		return (TBUF_FAULT_ILLEGAL);
	return (word_store(run, scope, word, value));
}

/* A structure exists from the start, a text when it is set. */
__attribute__((cold)) int
tbuf_run_refer(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *address)
{
	struct tbuf_run *run = tbuf_run_of(m);
	struct tbuf_code_variable place;
	const uint64_t *word;
	int answer;

	*address = 0;
	if (!tbuf_variable_place(run, scope, id, &place))
		return (TBUF_FAULT_ILLEGAL);
	if (scope == TBUF_SCOPE_THREAD) {
		answer = tbuf_thread_variable_refer(run, &place, address);
		/* Members of a structure are written in place. */
		if (*address != 0 && place.text == 0)
			*address = tbuf_address(OBJECT_THREAD, id, 0);
		return (answer);
	}
	if (scope >= TBUF_SCOPE_ARRAY)
		return (tbuf_element_refer(run, scope, id, &place, address));
	word = word_find(run, scope, id, &place);
	if (word == NULL || place.size == 0)
		return (TBUF_FAULT_ILLEGAL);
	if (place.text == 0 || tbuf_load(word) != 0)
		*address = tbuf_address(scope == TBUF_SCOPE_GLOBAL ?
		    TBUF_OBJECT_GLOBAL : TBUF_OBJECT_CLAUSE, id, 0);
	return (0);
}

/*
 * Stores a value's bytes, and zeroes after them, in order: they may come from
 * where they go to.  The word that says that it is set is cleared first, or set
 * last.
 */
static __attribute__((cold)) int
bytes_store(struct tbuf_run *run, enum tbuf_scope scope, uint32_t id,
    const uint8_t *bytes, uint32_t size, bool terminated)
{
	struct tbuf_code_variable place;
	uint64_t *word = NULL;
	uint32_t at;
	int answer = 0;

	if (!tbuf_variable_place(run, scope, id, &place) ||
	    place.size <= terminated)
		return (TBUF_FAULT_ILLEGAL);
	if (size > place.size - terminated)
		size = place.size - terminated;
	if (scope == TBUF_SCOPE_THREAD)
		return (tbuf_thread_variable_store(run, &place, bytes, size,
		    0));
	if (scope >= TBUF_SCOPE_ARRAY)
		return (tbuf_array_store(run, scope, id, &place, bytes, size,
		    0));
	if ((word = word_find(run, scope, id, &place)) == NULL)
		return (TBUF_FAULT_ILLEGAL);
	if (bytes == NULL)
		answer = word_store(run, scope, word, 0);
	for (at = 0; at < place.size && answer == 0; at += sizeof(*word))
		answer = word_store(run, scope, word + 1 + at / 8,
		    bytes == NULL ? 0 : tbuf_step_gather(bytes, at, size));
	if (bytes != NULL && answer == 0)
		answer = word_store(run, scope, word, 1);
	return (answer);
}

int
tbuf_run_store_text(struct tbuf_machine *m, enum tbuf_scope scope,
    uint32_t id, const uint8_t *bytes, uint32_t size)
{
	return (bytes_store(tbuf_run_of(m), scope, id, bytes, size, true));
}

int
tbuf_run_store_bytes(struct tbuf_machine *m, enum tbuf_scope scope,
    uint32_t id, const uint8_t *bytes, uint32_t size)
{
	return (bytes_store(tbuf_run_of(m), scope, id, bytes, size, false));
}

static int
thread_copy(struct tbuf_run *run, uint32_t id, struct tbuf_span *span,
    struct tbuf_code_variable *place)
{
	uint64_t address;
	int answer;

	if (!tbuf_variable_place(run, TBUF_SCOPE_THREAD, id, place) ||
	    place->text != 0)
		return (TBUF_FAULT_ADDRESS);
	answer = tbuf_thread_variable_refer(run, place, &address);
	if (answer == 0 && address == 0)
		answer = TBUF_FAULT_ADDRESS;
	span->at = run->machine.temporary.bytes + (uint32_t)address;
	span->size = place->size;
	span->writable = false;
	return (answer);
}

/* The session's memory is written by sections: tbuf_run_write(). */
__attribute__((cold)) int
tbuf_run_object(struct tbuf_machine *m, unsigned kind, uint32_t index,
    struct tbuf_span *span)
{
	const struct tbuf_view view = tbuf_target_view();
	struct tbuf_run *run = tbuf_run_of(m);
	struct tbuf_code_variable place;
	uint64_t *word;

	if (kind == TBUF_OBJECT_BUILTIN)
		return (tbuf_run_builtin_text(run, index, span));
	if (kind == OBJECT_THREAD)
		return (thread_copy(run, index, span, &place));
	if (kind == TBUF_OBJECT_ELEMENT)
		return (tbuf_element_span(run, index, span));
	if (kind == TBUF_OBJECT_INTERNED) {
		span->at = view.base + view.tables.strings;
		span->size = tbuf_table_texts();
		return (0);
	}
	if (kind != TBUF_OBJECT_GLOBAL && kind != TBUF_OBJECT_CLAUSE)
		return (TBUF_FAULT_ADDRESS);
	word = word_find(run, kind == TBUF_OBJECT_GLOBAL ?
	    TBUF_SCOPE_GLOBAL : TBUF_SCOPE_CLAUSE, index, &place);
	if (word == NULL)
		return (TBUF_FAULT_ADDRESS);
	span->at = (uint8_t *)(word + 1);
	span->size = place.size;
	span->writable = kind == TBUF_OBJECT_CLAUSE;
	return (0);
}

/* ------------------------------------------------------------ in place */

/* Bytes that are written to a global from its byte `at` on. */
struct writing {
	uint64_t *words;
	uint64_t at;
	const uint8_t *from;
	uint64_t size;
};

/* Returns the word at byte n with those of its bytes that are written. */
static uint64_t
merge(const struct writing *w, uint64_t word, uint64_t n)
{
	unsigned i;

	for (i = 0; i < sizeof(word); i++)
		if (n + i >= w->at && n + i - w->at < w->size)
			word = (word & ~(UINT64_C(0xff) << 8 * i)) |
			    (uint64_t)tbuf_load(w->from + (n + i - w->at)) <<
			    8 * i;
	return (word);
}

/* Each word is swapped: members in one may be several threads'. */
static enum tbuf_outcome
write_here(void *argument, const struct tbuf_memo *memo)
{
	const struct writing *w = argument;
	uint64_t n, old;

	for (n = w->at & ~UINT64_C(7); n < w->at + w->size; n += 8) {
		old = tbuf_load(&w->words[n / 8]);
		if (tbuf_step_swap(memo, &w->words[n / 8], old,
		    merge(w, old, n)) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
	}
	return (TBUF_COMMITTED);
}

static void
write_locked(void *argument, const struct tbuf_place *place)
{
	unsigned try;

	(void)place;
	/* If other threads always win, it is as if this store came first. */
	for (try = 0; try < 64; try++)
		if (write_here(argument, NULL) == TBUF_COMMITTED)
			break;
}

static int
thread_write(struct tbuf_run *run, uint32_t id, const struct writing *w)
{
	struct tbuf_code_variable place;
	struct tbuf_span span;
	int answer = thread_copy(run, id, &span, &place);

	if (answer != 0)
		return (answer);
	if (w->at > span.size || w->size > span.size - w->at)
		return (TBUF_FAULT_ADDRESS);
	tbuf_bytes_copy(span.at + w->at, w->from, w->size);
	return (tbuf_thread_variable_store(run, &place, span.at, place.size,
	    0));
}

int
tbuf_run_write(struct tbuf_machine *m, uint64_t address, const uint8_t *from,
    uint64_t size)
{
	struct tbuf_run *run = tbuf_run_of(m);
	struct writing w = { .at = (uint32_t)address, .from = from,
	    .size = size };
	struct tbuf_code_variable place;
	uint64_t *word;

	if (tbuf_address_kind(address) == OBJECT_THREAD)
		return (thread_write(run, tbuf_address_index(address), &w));
	if (tbuf_address_kind(address) == TBUF_OBJECT_ELEMENT)
		return (tbuf_element_write(run, tbuf_address_index(address),
		    w.at, from, size));
	if (tbuf_address_kind(address) != TBUF_OBJECT_GLOBAL)
		return (TBUF_FAULT_ADDRESS);
	word = word_find(run, TBUF_SCOPE_GLOBAL, tbuf_address_index(address),
	    &place);
	if (word == NULL || w.at > place.size || size > place.size - w.at)
		return (TBUF_FAULT_ADDRESS);
	w.words = word + 1;
	if (tbuf_lane_do(run->fire, write_here, write_locked, &w,
	    TBUF_LOST_STORE) == TBUF_EMIT_DONE)
		return (0);
	run->gone = true;
	return (TBUF_STOP);
}
