/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A script's variables in the consumer.  Globals, this-> and self-> variables
 * (of the thread that fires: script_thread_local.c) are cells, by their ids;
 * elements of arrays are in script_array.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/script/script.h"

/* Kinds of objects that only the consumer has. */
#define OBJECT_THREAD	TBUF_OBJECT_OUTSIDE
#define OBJECT_ELEMENT	(TBUF_OBJECT_OUTSIDE + 1)

#define INDEX_MAX	0x3ffffu	/* that fits into an address */

/* ------------------------------------------------------------ cells */

static bool
is_number(const struct tbuf_d_shape *shape)
{
	switch (shape->kind) {
	case TBUF_KIND_TEXT:
	case TBUF_KIND_ARRAY:
	case TBUF_KIND_STRUCT:
	case TBUF_KIND_UNION:
		return (false);
	default:
		return (true);
	}
}

uint32_t
tbuf_cell_room(const struct tbuf_d_shape *shape, uint32_t strsize)
{
	if (is_number(shape))
		return (0);
	return (shape->kind == TBUF_KIND_TEXT ? strsize + 1 : shape->size);
}

int
tbuf_cells_make(struct tbuf_cells *cells, const struct tbuf_d_script *source,
    enum tbuf_scope scope, uint32_t strsize)
{
	const struct tbuf_d_variable *v = source->variables;
	const struct tbuf_d_variable *end = v + source->nvariables;
	struct tbuf_cell *cell;

	for (; v < end; v++)
		if (v->scope == scope && v->id >= cells->count)
			cells->count = v->id + 1;
	cells->all = calloc(cells->count + 1u, sizeof(*cells->all));
	if (cells->all == NULL)
		return (-ENOMEM);
	for (v = source->variables; v < end; v++) {
		if (v->scope != scope)
			continue;
		cell = &cells->all[v->id];
		cell->variable = v;
		cell->is_text = v->shape->kind == TBUF_KIND_TEXT;
		cell->room = tbuf_cell_room(v->shape, strsize);
		if (cell->room != 0 &&
		    (cell->bytes = calloc(1, cell->room)) == NULL)
			return (-ENOMEM);
	}
	return (0);
}

void
tbuf_cells_clear(struct tbuf_cells *cells)
{
	struct tbuf_cell *cell = cells->all, *end = cell + cells->count;

	for (; cell < end; cell++) {
		cell->number = 0;
		cell->is_set = false;
		if (cell->room != 0)
			memset(cell->bytes, 0, cell->room);
	}
}

void
tbuf_cells_free(struct tbuf_cells *cells)
{
	uint32_t i;

	for (i = 0; cells->all != NULL && i < cells->count; i++)
		free(cells->all[i].bytes);
	free(cells->all);
}

static struct tbuf_cell *
cell_find(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	struct tbuf_cells *cells = scope == TBUF_SCOPE_GLOBAL ? &s->globals :
	    scope == TBUF_SCOPE_CLAUSE ? &s->locals : &s->self->cells;

	if (id >= cells->count || cells->all[id].variable == NULL)
		return (NULL);
	if (scope == TBUF_SCOPE_GLOBAL && s->sharing != NULL)
		s->sharing->pull(s->sharer, &cells->all[id], id);
	return (&cells->all[id]);
}

bool
tbuf_script_charge(struct tbuf_script *s, uint64_t bytes)
{
	if (bytes > s->terms.dynvarsize - s->dynamic) {
		s->dynamic_drops++;
		return (false);
	}
	s->dynamic += bytes;
	return (true);
}

/* Returns the dynvarsize of an element: 12 bytes, its key and its value. */
static uint64_t
element_charge(uint64_t key, const struct tbuf_d_variable *v)
{
	return (4 + key + 8 + v->shape->size);
}

/* Returns the largest size of an array's key, as the machine counts it. */
static uint64_t
key_size(const struct tbuf_d_variable *v, uint64_t strsize)
{
	const struct tbuf_d_piece *key = v->keys, *end = key + v->nkeys;
	uint64_t size = 0;

	for (; key < end; key++)
		size += key->kind == TBUF_PIECE_TEXT ? strsize :
		    key->kind == TBUF_PIECE_INTEGER ? key->shape->size :
		    key->bytes;
	return (size);
}

bool
tbuf_variables_fit(const struct tbuf_d_script *source,
    const struct tbuf_options *terms)
{
	const struct tbuf_d_variable *v = source->variables;
	const struct tbuf_d_variable *end = v + source->nvariables;
	uint64_t size;

	for (; v < end; v++) {
		size = v->nkeys != 0 ?
		    element_charge(key_size(v, terms->strsize), v) :
		    v->scope == TBUF_SCOPE_THREAD ? v->shape->size : 0;
		if (v->is_written && size > terms->dynvarsize)
			return (false);
	}
	return (true);
}

/*
 * Marks a cell as set or not.  A self-> variable takes its declared size of
 * dynvarsize while it is set; returns TBUF_STOP if that is used up.
 */
static int
cell_set(struct tbuf_script *s, struct tbuf_cell *cell, bool set)
{
	uint64_t size = cell->variable->shape->size;

	if (cell->variable->scope == TBUF_SCOPE_THREAD &&
	    set != cell->is_set) {
		if (!set)
			s->dynamic -= size;
		else if (!tbuf_script_charge(s, size))
			return (TBUF_STOP);
	}
	cell->is_set = set;
	return (0);
}

/* ------------------------------------------------------------ elements */

static const struct tbuf_d_variable *
array_find(const struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	const struct tbuf_d_variable *v = s->source->variables;
	uint32_t i;

	for (i = 0; i < s->source->nvariables; i++, v++)
		if (v->scope == scope && v->id == id)
			return (v);
	return (NULL);
}

/* Finds or makes an element for a store, and charges it. */
static int
element_get(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id,
    struct tbuf_element **e)
{
	const struct tbuf_d_variable *v = array_find(s, scope, id);
	uint64_t charge;

	if (v == NULL)
		return (TBUF_FAULT_ILLEGAL);
	*e = tbuf_element_find(s, scope, id);
	if (*e != NULL && (*e)->charge != 0) {
		(*e)->orphan = false;
		return (0);
	}
	charge = element_charge(s->machine.key_size, v);
	if (!tbuf_script_charge(s, charge))
		return (TBUF_STOP);
	if (*e == NULL)
		*e = tbuf_element_make(s, scope, id, tbuf_cell_room(v->shape,
		    s->machine.strsize));
	if (*e == NULL) {
		s->dynamic -= charge;
		s->dynamic_drops++;
		return (TBUF_STOP);
	}
	(*e)->charge = charge;
	(*e)->orphan = (*e)->lent = false;
	return (0);
}

struct tbuf_element *
tbuf_script_orphan(struct tbuf_script *s, uint32_t id)
{
	struct tbuf_element *e;

	s->machine.key_size = s->machine.key.used;
	if (element_get(s, TBUF_SCOPE_ARRAY, id, &e) != 0)
		return (NULL);
	e->orphan = true;
	return (e);
}

static bool
is_shared(const struct tbuf_script *s, enum tbuf_scope scope)
{
	return (s->sharing != NULL &&
	    (scope == TBUF_SCOPE_GLOBAL || scope == TBUF_SCOPE_ARRAY));
}

/* Makes a lent element, for one that only targets may have; not charged. */
static struct tbuf_element *
element_lend(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	const struct tbuf_d_variable *v = array_find(s, scope, id);

	return (v == NULL ? NULL : tbuf_element_lend(s, scope, id,
	    tbuf_cell_room(v->shape, s->machine.strsize)));
}

/* Returns an element with its present value, or NULL if it is 0. */
static struct tbuf_element *
element_look(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	struct tbuf_element *e = tbuf_element_find(s, scope, id);
	enum tbuf_element_known known;

	if (!is_shared(s, scope) ||
	    (e == NULL && (e = element_lend(s, scope, id)) == NULL))
		return (e);
	known = s->sharing->pull_element(s->sharer, e);
	if (known == TBUF_ELEMENT_PRESENT ||
	    (known == TBUF_ELEMENT_UNKNOWN && !e->lent))
		return (e);
	tbuf_element_drop(s, e);
	return (NULL);
}

/* Frees an element, since 0 or NULL is stored to it. */
static int
element_forget(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	struct tbuf_element *e = tbuf_element_find(s, scope, id);
	bool done;

	if (e == NULL && is_shared(s, scope))
		e = element_lend(s, scope, id);
	if (e == NULL)
		return (0);
	done = !is_shared(s, scope) ||
	    s->sharing->push_element(s->sharer, e, false);
	tbuf_element_drop(s, e);
	s->dynamic_drops += !done;
	return (done ? 0 : TBUF_STOP);
}

/* Passes a store to targets, unless it failed here.  Returns the outcome. */
static int
stored(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id, int answer)
{
	if (answer != 0 || !is_shared(s, scope))
		return (answer);
	if (scope == TBUF_SCOPE_GLOBAL)
		s->sharing->push(s->sharer, &s->globals.all[id], id);
	else if (!s->sharing->push_element(s->sharer,
	    tbuf_element_find(s, scope, id), true)) {
		s->dynamic_drops++;
		return (TBUF_STOP);
	}
	return (0);
}

/* ------------------------------------------------------------ numbers */

int
tbuf_script_load(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *value)
{
	struct tbuf_script *s = tbuf_script_of(m);
	const struct tbuf_element *e;
	const struct tbuf_cell *cell;

	if (scope >= TBUF_SCOPE_ARRAY) {
		e = element_look(s, scope, id);
		*value = e != NULL ? e->number : 0;
		return (0);
	}
	if ((cell = cell_find(s, scope, id)) == NULL)
		return (TBUF_FAULT_ILLEGAL);
	*value = cell->number;
	return (0);
}

int
tbuf_script_store(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t value)
{
	struct tbuf_script *s = tbuf_script_of(m);
	struct tbuf_element *e;
	struct tbuf_cell *cell;
	int answer;

	if (scope >= TBUF_SCOPE_ARRAY) {
		if (value == 0)
			return (element_forget(s, scope, id));
		answer = element_get(s, scope, id, &e);
		if (answer == 0)
			e->number = value;
		return (stored(s, scope, id, answer));
	}
	if ((cell = cell_find(s, scope, id)) == NULL)
		return (TBUF_FAULT_ILLEGAL);
	answer = cell_set(s, cell, value != 0);
	if (answer == 0)
		cell->number = value;
	return (stored(s, scope, id, answer));
}

/* ------------------------------------------------------------ memory */

/* The kind of objects that are cells of a scope. */
static const unsigned kinds[TBUF_SCOPE_ARRAY] = {
	[TBUF_SCOPE_GLOBAL] = TBUF_OBJECT_GLOBAL,
	[TBUF_SCOPE_CLAUSE] = TBUF_OBJECT_CLAUSE,
	[TBUF_SCOPE_THREAD] = OBJECT_THREAD
};

int
tbuf_script_refer(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *address)
{
	struct tbuf_script *s = tbuf_script_of(m);
	const struct tbuf_element *e;
	const struct tbuf_cell *cell;

	*address = 0;
	if (scope >= TBUF_SCOPE_ARRAY) {
		e = element_look(s, scope, id);
		if (e != NULL && e->room != 0 && e->slot <= INDEX_MAX)
			*address = tbuf_address(OBJECT_ELEMENT, e->slot, 0);
		return (0);
	}
	cell = cell_find(s, scope, id);
	if (cell == NULL || cell->room == 0 || id > INDEX_MAX)
		return (TBUF_FAULT_ILLEGAL);
	/* A structure exists from the start, a text once it is set. */
	if (cell->is_set || (!cell->is_text && scope != TBUF_SCOPE_THREAD))
		*address = tbuf_address(kinds[scope], id, 0);
	return (0);
}

/* Finds the bytes of a variable for a store; makes an element if needed. */
static int
place(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id,
    uint8_t **bytes, uint32_t *room)
{
	struct tbuf_element *e;
	struct tbuf_cell *cell;
	int answer;

	if (scope >= TBUF_SCOPE_ARRAY) {
		answer = element_get(s, scope, id, &e);
		if (answer != 0)
			return (answer);
		*bytes = e->bytes;
		*room = e->room;
		return (0);
	}
	if ((cell = cell_find(s, scope, id)) == NULL)
		return (TBUF_FAULT_ILLEGAL);
	*bytes = cell->bytes;
	*room = cell->room;
	return (cell_set(s, cell, true));
}

/* Stores NULL: the variable is as if it had never been stored to. */
static int
unset(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id)
{
	struct tbuf_cell *cell;

	if (scope >= TBUF_SCOPE_ARRAY)
		return (element_forget(s, scope, id));
	if ((cell = cell_find(s, scope, id)) == NULL)
		return (TBUF_FAULT_ILLEGAL);
	if (cell->room != 0)
		memset(cell->bytes, 0, cell->room);
	return (stored(s, scope, id, cell_set(s, cell, false)));
}

/* Stores bytes, cut to the variable's room; they may overlap it. */
static int
store(struct tbuf_script *s, enum tbuf_scope scope, uint32_t id,
    const uint8_t *bytes, uint32_t size, bool terminated)
{
	uint32_t room = 0;
	uint8_t *to = NULL;
	int answer;

	if (bytes == NULL)
		return (unset(s, scope, id));
	if ((answer = place(s, scope, id, &to, &room)) != 0)
		return (answer);
	if (room < terminated)
		return (TBUF_FAULT_ILLEGAL);
	size = MIN(size, room - terminated);
	memmove(to, bytes, size);
	memset(to + size, 0, room - size);
	return (stored(s, scope, id, 0));
}

int
tbuf_script_store_text(struct tbuf_machine *m, enum tbuf_scope scope,
    uint32_t id, const uint8_t *bytes, uint32_t size)
{
	return (store(tbuf_script_of(m), scope, id, bytes, size, true));
}

int
tbuf_script_store_bytes(struct tbuf_machine *m, enum tbuf_scope scope,
    uint32_t id, const uint8_t *bytes, uint32_t size)
{
	return (store(tbuf_script_of(m), scope, id, bytes, size, false));
}

int
tbuf_script_object(struct tbuf_machine *m, unsigned kind, uint32_t index,
    struct tbuf_span *span)
{
	struct tbuf_script *s = tbuf_script_of(m);
	enum tbuf_scope scope = TBUF_SCOPE_GLOBAL;
	const struct tbuf_element *e;
	const struct tbuf_cell *cell;

	if (kind == TBUF_OBJECT_BUILTIN)
		return (tbuf_script_builtin_text(s, index, span) ? 0 :
		    TBUF_FAULT_ADDRESS);
	span->writable = true;
	if (kind == OBJECT_ELEMENT) {
		if (index >= s->elements.nslots ||
		    !(e = s->elements.slots[index])->used)
			return (TBUF_FAULT_ADDRESS);
		span->at = e->bytes;
		span->size = e->room;
		span->writable = !is_shared(s, e->scope);
		return (0);
	}
	while (scope < TBUF_SCOPE_ARRAY && kinds[scope] != kind)
		scope++;
	if (scope == TBUF_SCOPE_ARRAY ||
	    (cell = cell_find(s, scope, index)) == NULL)
		return (TBUF_FAULT_ADDRESS);
	span->at = cell->bytes;
	span->size = cell->room;
	span->writable = !is_shared(s, cell->variable->scope);
	return (0);
}

/* Stores bytes of a shared variable; targets may store to its other bytes. */
int
tbuf_script_write(struct tbuf_machine *m, uint64_t address,
    const uint8_t *from, uint64_t size)
{
	struct tbuf_script *s = tbuf_script_of(m);
	uint32_t index = tbuf_address_index(address), at = (uint32_t)address;
	unsigned kind = tbuf_address_kind(address);
	struct tbuf_span span = { .size = 0 };
	int answer = tbuf_script_object(m, kind, index, &span);

	if (answer != 0 || (kind != TBUF_OBJECT_GLOBAL &&
	    kind != OBJECT_ELEMENT) || at > span.size || size > span.size - at)
		return (TBUF_FAULT_ADDRESS);
	memmove(span.at + at, from, size);
	if (kind == TBUF_OBJECT_GLOBAL)
		s->sharing->push_part(s->sharer, &s->globals.all[index],
		    index, at, (uint32_t)size);
	else if (!s->sharing->push_element_part(s->sharer,
	    s->elements.slots[index], at, (uint32_t)size)) {
		s->dynamic_drops++;
		return (TBUF_STOP);
	}
	return (0);
}
