/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places, which are loaded and stored: variables, elements of arrays, and
 * memory.
 */
#include "generate.h"
#include "tree/errors.h"

/* --- D's own memory and other memory -------------------------------------- */

static bool
is_place(const struct d_node *node)
{
	return (node->kind == NODE_VARIABLE ||
	    (node->kind == NODE_UNARY && node->op == OP_DEREFERENCE) ||
	    (node->kind == NODE_BINARY && (node->op == OP_POINTER ||
	    node->op == OP_MEMBER)));
}

/* True if a place is surely in D's own memory. */
static bool
is_own_place(const struct generator *g, const struct d_node *node)
{
	if (node->kind == NODE_VARIABLE || !is_place(node))
		return (node->kind == NODE_VARIABLE);
	if (node->kind == NODE_BINARY && node->op == OP_MEMBER)
		return (is_own_place(g, node->left));
	return (d_is_own(g, node->left));
}

static bool
is_own_binary(const struct generator *g, const struct d_node *node)
{
	switch (node->op) {
	case OP_CAST:
	case OP_COMMA:
		return (d_is_own(g, node->right));
	case OP_ADD:
	case OP_SUBTRACT:
		return (d_is_own(g, d_type_is_integer(node->left->type) ?
		    node->right : node->left));
	default:
		return (d_is_text(g, node->type));
	}
}

bool
d_is_own(const struct generator *g, const struct d_node *node)
{
	if ((node->flags & NODE_ALLOCA) != 0)
		return (true);
	if (is_place(node))
		return (d_is_object(node->type) && (is_own_place(g, node) ||
		    d_node_translated(g->c, node->left) != NULL));
	if (node->kind == NODE_UNARY && node->op == OP_ADDRESS)
		return (is_own_place(g, node->left));
	if (node->kind == NODE_BINARY)
		return (is_own_binary(g, node));
	return (d_is_text(g, node->type));
}

void
d_may_copyin(struct generator *g, const struct d_node *pointer)
{
	if (!d_is_own(g, pointer))
		g->flags |= TBUF_CLAUSE_COPYIN;
}

/* --- opening -------------------------------------------------------------- */

static unsigned
open_variable(struct generator *g, const struct d_node *node, unsigned to,
    struct place *place)
{
	struct identifier *one = node->identifier;

	*place = (struct place){
		.kind = PLACE_VARIABLE, .type = node->type,
		.slot = d_slot(g, one)
	};
	if (one->kind != IDENTIFIER_ARRAY)
		return (to);
	place->signature = one->signature;
	return (d_keys(g, node->arguments, one->signature, false, to,
	    &place->keys));
}

/* Finds the address of a structure.  Returns the next free register. */
static unsigned
open_object(struct generator *g, const struct d_node *node, unsigned to,
    struct place *place)
{
	struct place object;
	unsigned next = to;

	if (node->kind == NODE_VARIABLE && d_binding(g, node->identifier) ==
	    NULL && (node->identifier->flags & (IDENTIFIER_INLINE |
	    IDENTIFIER_BUILTIN)) == 0) {
		next = open_variable(g, node, to, &object);
		d_place_load(g, &object, next);
	} else if (node->kind == NODE_BINARY && node->op == OP_MEMBER &&
	    d_node_translated(g->c, node->left) == NULL) {
		next = open_object(g, node->left, to, place);
		place->offset += (uint32_t)node->value;
		return (next);
	} else
		d_value(g, node, to);
	place->address = next;
	return (next + 1);
}

static unsigned
open_memory(struct generator *g, const struct d_node *node, bool write,
    unsigned to, struct place *place)
{
	bool outer = g->create;
	unsigned next = to + 1;

	*place = (struct place){
		.kind = PLACE_MEMORY, .type = node->type, .address = to
	};
	g->create = write;
	if (node->kind == NODE_BINARY && node->op == OP_MEMBER) {
		next = open_object(g, node->left, to, place);
		place->offset += (uint32_t)node->value;
	} else {
		d_value(g, node->left, to);
		d_may_copyin(g, node->left);
		if (node->kind == NODE_BINARY)
			place->offset = (uint32_t)node->value;
	}
	g->create = outer;
	return (next);
}

unsigned
d_place_open(struct generator *g, const struct d_node *node, bool write,
    unsigned to, struct place *place)
{
	struct binding *outer = g->bindings;
	unsigned next;

	while (node->kind == NODE_VARIABLE && (node->identifier->flags &
	    IDENTIFIER_INLINE) != 0) {
		to = d_inline_bind(g, node, to);
		node = node->identifier->body;
	}
	if (node->kind == NODE_VARIABLE)
		next = open_variable(g, node, to, place);
	else if (node->kind == NODE_UNARY || (node->kind == NODE_BINARY &&
	    (node->op == OP_MEMBER || node->op == OP_POINTER)))
		next = open_memory(g, node, write, to, place);
	else
		d_fail(g->c, D_CG_EXPR,
		    "expression cannot be assigned to");
	g->bindings = outer;
	return (next);
}

/* --- loads and stores ----------------------------------------------------- */

static void
variable(struct generator *g, const struct place *place,
    enum tbuf_operation operation, unsigned reg, unsigned size)
{
	const struct tbuf_d_variable *v = &place->slot->variable;

	if (place->keys.count != 0)
		d_key_build(g, place->signature, &place->keys,
		    (reg > size ? reg : size) + 1);
	/* A target loads a copy of it. */
	if (operation == TBUF_OP_LDR && v->scope >= TBUF_SCOPE_THREAD)
		g->temporaries = true;
	d_emit(g, operation, reg, size, v->scope, v->id);
}

/*
 * Makes an object that is stored to in part, if it does not exist: self-> or an
 * element.  It has 0 bytes, unless another thread has just made it.
 */
static void
create(struct generator *g, const struct place *place, unsigned to)
{
	uint32_t scope = place->slot->variable.scope;
	struct label there = { NULL };

	place->slot->variable.is_written = 1;
	if (scope == TBUF_SCOPE_GLOBAL || scope == TBUF_SCOPE_CLAUSE)
		return;
	d_emit_jump(g, TBUF_OP_JNZ, to, 0, 0, &there);
	d_emit(g, TBUF_OP_TMP, to, 0, 0, 0);
	d_emit_number(g, d_register(g, to + 1), 0);
	variable(g, place, TBUF_OP_STB, to, to + 1);
	variable(g, place, TBUF_OP_LDR, to, 0);
	d_label_set(g, &there);
}

void
d_place_load(struct generator *g, const struct place *place, unsigned to)
{
	d_register(g, to);
	if (place->kind == PLACE_MEMORY) {
		d_memory_load(g, place->type, place->address, place->offset,
		    to);
		return;
	}
	variable(g, place, d_is_object(place->type) ? TBUF_OP_LDR :
	    TBUF_OP_LDV, to, 0);
	if (g->create && d_is_object(place->type) &&
	    !d_is_text(g, place->type))
		create(g, place, to);
}

void
d_place_store(struct generator *g, const struct place *place, unsigned from)
{
	if (place->kind == PLACE_MEMORY) {
		d_memory_store(g, place->type, place->address, place->offset,
		    from);
		return;
	}
	place->slot->variable.is_written = 1;
	if (d_is_text(g, place->type))
		variable(g, place, TBUF_OP_STT, from, 0);
	else if (d_is_object(place->type)) {
		d_emit_number(g, from + 1, d_type_size(place->type));
		variable(g, place, TBUF_OP_STB, from, from + 1);
	} else
		variable(g, place, TBUF_OP_STV, from, 0);
}

/* --- assignments ---------------------------------------------------------- */

/* Computes a structure to be stored, copied unless it is surely D's own. */
static void
object(struct generator *g, const struct d_node *node, unsigned to)
{
	d_value(g, node, to);
	if (d_is_own(g, node) || d_node_translated(g->c, node) != NULL)
		return;
	g->flags |= TBUF_CLAUSE_COPYIN;
	d_emit_number(g, to + 1, d_type_size(node->type));
	d_emit(g, TBUF_OP_TMP, d_register(g, to + 2), 0, 0,
	    (uint32_t)d_type_size(node->type));
	d_emit_call(g, to, TBUF_SUB_COPYINTO, 3);
	d_emit_move(g, to, to + 2);
}

static void
store(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct d_node *left = node->left;
	struct place place;
	unsigned value = d_place_open(g, left, true, to, &place);

	d_register(g, value);
	if (!d_is_object(left->type) || d_is_text(g, left->type))
		d_value_as(g, node->right, left->type, value);
	else if (node->right->kind == NODE_INTEGER)
		d_value(g, node->right, value);
	else
		object(g, node->right, value);
	d_place_store(g, &place, value);
	d_emit_move(g, to, value);
}

/* Adds to a pointer a multiple of the size of its referenced type. */
static void
advance(struct generator *g, const struct d_node *node, unsigned value)
{
	uint64_t size = d_type_size(d_type_resolve(node->left->type)->of);

	d_value(g, node->right, d_register(g, value + 1));
	if (size != 1 && d_type_is_integer(node->right->type))
		d_emit(g, TBUF_OP_MULI, value + 1, value + 1, 0,
		    (uint32_t)size);
	d_emit(g, node->op == OP_ADD_ASSIGN ? TBUF_OP_ADD : TBUF_OP_SUB,
	    value, value, value + 1, 0);
}

/* Computes x = x op y in the type of both, and cuts it to that of x. */
static void
update(struct generator *g, const struct d_node *node, unsigned value)
{
	const struct d_node *left = node->left, *right = node->right;
	bool shift = node->op == OP_LEFT_ASSIGN || node->op == OP_RIGHT_ASSIGN;
	const struct type *type = shift ? left->type :
	    d_type_promote(g->c, left->type, right->type);

	d_convert(g, left->type, type, value);
	d_value_as(g, right, shift ? right->type : type,
	    d_register(g, value + 1));
	d_arithmetic(g, d_operator_plain(node->op), type, value, value + 1);
	d_convert(g, type, left->type, value);
}

void
d_assignment(struct generator *g, const struct d_node *node, unsigned to)
{
	struct place place;
	unsigned value;

	if (node->op == OP_ASSIGN) {
		store(g, node, to);
		return;
	}
	value = d_place_open(g, node->left, true, to, &place);
	d_place_load(g, &place, value);
	if (d_type_is_integer(node->left->type))
		update(g, node, value);
	else
		advance(g, node, value);
	d_place_store(g, &place, value);
	d_emit_move(g, to, value);
}

void
d_step(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct type *type = d_type_resolve(node->type);
	bool down = node->op == OP_PRE_DECREMENT ||
	    node->op == OP_POST_DECREMENT;
	bool after = node->op == OP_POST_INCREMENT ||
	    node->op == OP_POST_DECREMENT;
	struct place place;
	unsigned value;

	value = d_place_open(g, node->left, true, after ? to + 1 : to, &place);
	d_place_load(g, &place, value);
	if (after)
		d_emit_move(g, to, value);
	d_emit(g, down ? TBUF_OP_SUBI : TBUF_OP_ADDI, d_register(g, value),
	    value, 0, type->kind == TYPE_POINTER ?
	    (uint32_t)d_type_size(type->of) : 1);
	/* The sum may have left the range of any narrower type. */
	d_convert(g, g->c->types.type_int64, type, value);
	d_place_store(g, &place, value);
	if (!after)
		d_emit_move(g, to, value);
}
