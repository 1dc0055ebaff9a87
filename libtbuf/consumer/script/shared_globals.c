/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Global variables that clauses here and in targets share (elements of arrays
 * are in shared_arrays.c).  Each target has its own: a load here takes the
 * value of the only target, and a store here goes to all targets.  A session
 * begins with the values that BEGIN has stored.
 */
#include <string.h>

#include "arch/atomics.h"
#include "consumer/script/script.h"
#include "shared/program_file.h"

/* Finds a variable's place, which is the same in all targets. */
static bool
place_find(const struct tbuf_consumer *c, uint32_t id,
    struct tbuf_code_variable *place)
{
	const char *codes = (const char *)c->programs +
	    c->programs->parts[TBUF_PART_CODES].at;
	struct tbuf_codes head;

	memcpy(&head, codes, sizeof(head));
	if (id >= head.nglobals)
		return (false);
	memcpy(place, codes + head.globals + id * sizeof(*place),
	    sizeof(*place));
	return (place->known != 0);
}

bool
tbuf_globals_has(const struct tbuf_consumer *c, const struct tbuf_target *t)
{
	return (c->programs != NULL && t->clauses != 0 && t->slot != -1 &&
	    !t->file_only && !t->truncated && t->view.base != NULL &&
	    t->globals.size >= c->programs->globals);
}

struct tbuf_target *
tbuf_globals_sole(const struct tbuf_consumer *c)
{
	struct tbuf_target *t, *one = NULL;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!tbuf_globals_has(c, t))
			continue;
		if (one != NULL)
			return (NULL);
		one = t;
	}
	return (one);
}

static uint64_t *
word_of(const struct tbuf_target *t, const struct tbuf_code_variable *place)
{
	return ((uint64_t *)(void *)(t->view.base + t->globals.at +
	    place->at));
}

static void
pull_from(const struct tbuf_consumer *c, const struct tbuf_target *t,
    struct tbuf_cell *cell, uint32_t id)
{
	struct tbuf_code_variable place;
	const uint64_t *word;

	if (!place_find(c, id, &place) || place.size != cell->room)
		return;
	word = word_of(t, &place);
	cell->is_set = tbuf_load(word) != 0;
	if (cell->room == 0) {
		cell->number = tbuf_load(word);
		return;
	}
	memcpy(cell->bytes, word + 1, cell->room);
	if (cell->is_text)
		cell->bytes[cell->room - 1] = '\0';
}

static void
pull(void *consumer, struct tbuf_cell *cell, uint32_t id)
{
	const struct tbuf_consumer *c = consumer;
	const struct tbuf_target *t = tbuf_globals_sole(c);

	if (t != NULL)
		pull_from(c, t, cell, id);
}

/* Stores a value as in targets; release: `is_set` is stored last. */
static void
put(unsigned char *to, const struct tbuf_cell *cell)
{
	if (cell->room != 0)
		memcpy(to + sizeof(uint64_t), cell->bytes, cell->room);
	tbuf_store_release((uint64_t *)(void *)to, cell->room != 0 ?
	    cell->is_set : cell->number);
}

/*
 * Stores bytes of a variable (size 0: all of it) in all targets, which may
 * store to its other bytes.
 */
static void
push_part(void *consumer, const struct tbuf_cell *cell, uint32_t id,
    uint32_t at, uint32_t size)
{
	const struct tbuf_consumer *c = consumer;
	struct tbuf_code_variable place;
	struct tbuf_target *t;
	unsigned char *to;

	if (c->programs == NULL || !place_find(c, id, &place) ||
	    place.size != cell->room)
		return;
	TAILQ_FOREACH(t, &c->targets, link) {
		if (!tbuf_globals_has(c, t))
			continue;
		to = (unsigned char *)word_of(t, &place);
		if (size == 0)
			put(to, cell);
		else
			memcpy(to + sizeof(uint64_t) + at, cell->bytes + at,
			    size);
	}
}

static void
push(void *consumer, const struct tbuf_cell *cell, uint32_t id)
{
	push_part(consumer, cell, id, 0, 0);
}

static const struct tbuf_script_sharing sharing = {
	.pull = pull,
	.push = push,
	.push_part = push_part,
	.pull_element = tbuf_elements_pull,
	.push_element = tbuf_elements_push,
	.push_element_part = tbuf_elements_push_part
};

void
tbuf_globals_share(struct tbuf_consumer *c)
{
	c->script->sharing = &sharing;
	c->script->sharer = c;
}

void
tbuf_globals_keep(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_cells *cells;
	uint32_t i;

	if (c->script == NULL || !tbuf_globals_has(c, t))
		return;
	tbuf_elements_keep(c, t);
	if (tbuf_globals_sole(c) != t)
		return;
	cells = &c->script->globals;
	for (i = 0; i < cells->count; i++)
		if (cells->all[i].variable != NULL)
			pull_from(c, t, &cells->all[i], i);
}

void
tbuf_globals_put(const struct tbuf_script *s,
    const struct tbuf_code_variable *places, unsigned char *to)
{
	uint32_t i;

	for (i = 0; i < s->globals.count; i++)
		if (s->globals.all[i].variable != NULL)
			put(to + places[i].at, &s->globals.all[i]);
}
