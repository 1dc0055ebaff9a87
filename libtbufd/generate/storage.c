/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Ids of the variables and aggregations that a script uses, and of the
 * arguments that a clause uses by name.
 */
#include <string.h>

#include "builtins.h"
#include "generate.h"
#include "tree/errors.h"

static enum tbuf_scope
scope_of(const struct identifier *one)
{
	bool thread = (one->flags & IDENTIFIER_THREAD) != 0;

	if (one->kind == IDENTIFIER_ARRAY)
		return (thread ? TBUF_SCOPE_THREAD_ARRAY : TBUF_SCOPE_ARRAY);
	if ((one->flags & IDENTIFIER_LOCAL) != 0)
		return (TBUF_SCOPE_CLAUSE);
	return (thread ? TBUF_SCOPE_THREAD : TBUF_SCOPE_GLOBAL);
}

/* Returns the function that recorded a part; 0 if no clause has a key. */
static enum builtin
asked(const struct signature *s, unsigned number)
{
	return (s->asked != NULL ? s->asked[number] : 0);
}

struct tbuf_d_piece *
d_key_pieces(struct generator *g, const struct signature *s)
{
	struct tbuf_d_piece *pieces;
	unsigned i;

	pieces = d_allocate(g->c, (s->count + 1) * sizeof(*pieces));
	for (i = 0; i < s->count; i++)
		pieces[i] = s->types[i] == g->c->types.type_stack ?
		    d_piece_stack(g, asked(s, i), s->frames) :
		    s->types[i] == g->c->types.type_usymaddr ?
		    d_piece_symbol(g, asked(s, i)) :
		    d_piece(g, s->types[i]);
	return (pieces);
}

/* Returns a variable's type; one that is read but never written has none. */
static const struct type *
variable_type(const struct generator *g, const struct identifier *one)
{
	return (one->type == NULL || one->type == g->c->types.type_dynamic ?
	    g->c->types.type_int64 : one->type);
}

/* Variables, and structures while they are stored, are in a target's memory. */
#define SIZE_MAX_VARIABLE	(UINT64_C(1) << 20)

struct slot *
d_slot(struct generator *g, struct identifier *one)
{
	enum tbuf_scope scope = scope_of(one);
	struct slot *slot = one->slot;

	if (slot != NULL && one->slot_of == g->c->scripts)
		return (slot);
	if (d_type_size(variable_type(g, one)) > SIZE_MAX_VARIABLE)
		d_fail(g->c, D_CG_EXPR, "variable %s is too large: %ju bytes",
		    one->name, (uintmax_t)d_type_size(variable_type(g, one)));
	slot = one->slot = d_allocate(g->c, sizeof(*slot));
	one->slot_of = g->c->scripts;
	slot->identifier = one;
	slot->variable.name = one->name;
	slot->variable.scope = scope;
	slot->variable.id = g->scopes[scope]++;
	slot->variable.shape = d_shape(g, variable_type(g, one));
	*g->last_variable = slot;
	g->last_variable = &slot->next;
	return (slot);
}

unsigned
d_name_selector(struct generator *g, struct identifier *one)
{
	uint32_t i;

	for (i = 0; i < g->nnames; i++)
		if (g->names[i] == one)
			return (TBUF_SELECT_NAME + i);
	if (g->nnames == TBUF_D_NAMES_MAX)
		d_fail(g->c, D_CG_EXPR, "clause uses more than %u arguments "
		    "by name", TBUF_D_NAMES_MAX);
	g->names[g->nnames++] = one;
	return (TBUF_SELECT_NAME + i);
}

/* --- aggregations --------------------------------------------------------- */

enum tbuf_aggregator
d_aggregator(const struct identifier *function)
{
	static const enum tbuf_aggregator functions[] = {
		TBUF_AGG_AVG, TBUF_AGG_COUNT, TBUF_AGG_LLQUANTIZE,
		TBUF_AGG_LQUANTIZE, TBUF_AGG_MAX, TBUF_AGG_MIN,
		TBUF_AGG_QUANTIZE, TBUF_AGG_STDDEV, TBUF_AGG_SUM,
	};

	/* The order is that of D_AGGREGATING(). */
	return (functions[function->id - BUILTIN_avg]);
}

uint64_t
d_aggregation_parameter(const struct identifier *one,
    enum tbuf_aggregator function)
{
	const uint64_t *a = one->quantize;

	if (function == TBUF_AGG_LQUANTIZE)
		return (a[2] << 48 | a[1] << 32 | (uint32_t)a[0]);
	if (function == TBUF_AGG_LLQUANTIZE)
		return (a[0] << 48 | a[1] << 32 | a[2] << 16 | a[3]);
	return (0);
}

uint32_t
d_aggregation(struct generator *g, struct identifier *one)
{
	if (one->slot_of != g->c->scripts) {
		one->slot_of = g->c->scripts;
		one->id = g->naggregations++;
		one->older = g->aggregation;
		g->aggregation = one;
	}
	return (one->id);
}

static void
fill_aggregation(struct generator *g, struct tbuf_d_aggregation *to,
    const struct identifier *one)
{
	to->name = strcmp(one->name, "_") == 0 ? "" : one->name;
	to->id = one->id;
	if (one->aggregating != NULL)
		to->function = d_aggregator(one->aggregating);
	to->is_signed = to->function != TBUF_AGG_COUNT;
	to->parameter = d_aggregation_parameter(one, to->function);
	if (one->signature != NULL) {
		to->keys = d_key_pieces(g, one->signature);
		to->nkeys = one->signature->count;
	}
}

void
d_storage_end(struct generator *g, struct tbuf_d_script *script)
{
	struct growing variables = { 0 };
	struct tbuf_d_variable *to;
	struct tbuf_d_aggregation *all;
	const struct identifier *one;
	const struct slot *slot;

	for (slot = g->variables; slot != NULL; slot = slot->next) {
		to = d_growing_add(g->c, &variables, sizeof(*to));
		*to = slot->variable;
		one = slot->identifier;
		if (one->signature == NULL || one->kind != IDENTIFIER_ARRAY)
			continue;
		to->keys = d_key_pieces(g, one->signature);
		to->nkeys = one->signature->count;
	}
	script->variables = variables.at;
	script->nvariables = variables.count;
	all = d_allocate(g->c, (g->naggregations + 1) * sizeof(*all));
	for (one = g->aggregation; one != NULL; one = one->older)
		fill_aggregation(g, &all[one->id], one);
	script->aggregations = all;
	script->naggregations = g->naggregations;
}
