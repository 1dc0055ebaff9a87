/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of expressions, computed into registers.
 */
#include "generate.h"
#include "tree/errors.h"

/* --- types ---------------------------------------------------------------- */

static unsigned
width(const struct type *type)
{
	type = d_type_resolve(type);
	return (type->kind == TYPE_INTEGER ? type->bits :
	    type->kind == TYPE_ENUM ?
	    8 * (unsigned)d_type_size(type) : 64);
}

/* Cuts a register to the type's width and extends its sign: see d_wrap(). */
static void
extend(struct generator *g, const struct type *type, unsigned reg)
{
	bool sign = d_type_has_sign(type);
	unsigned unused = 64 - width(type);

	switch (width(type)) {
	case 64:
		return;
	case 32:
		d_emit(g, sign ? TBUF_OP_EXT4S : TBUF_OP_EXT4U, reg, reg, 0, 0);
		return;
	case 16:
		d_emit(g, sign ? TBUF_OP_EXT2S : TBUF_OP_EXT2U, reg, reg, 0, 0);
		return;
	case 8:
		d_emit(g, sign ? TBUF_OP_EXT1S : TBUF_OP_EXT1U, reg, reg, 0, 0);
		return;
	}
	d_emit(g, TBUF_OP_SHLI, reg, reg, 0, unused);
	d_emit(g, sign ? TBUF_OP_SHRSI : TBUF_OP_SHRUI, reg, reg, 0, unused);
}

/* True if each value of `from` has the same 64 bits as `type`. */
static bool
holds(const struct type *type, const struct type *from)
{
	if (width(type) == 64)
		return (true);
	if (width(from) < width(type))
		return (d_type_has_sign(type) || !d_type_has_sign(from));
	return (width(from) == width(type) &&
	    d_type_has_sign(from) == d_type_has_sign(type));
}

void
d_convert(struct generator *g, const struct type *from,
    const struct type *type, unsigned reg)
{
	if (d_type_is_integer(type) && !holds(type, from))
		extend(g, type, reg);
}

/* --- arithmetic ----------------------------------------------------------- */

static enum tbuf_operation
arithmetic_operation(enum operator op, bool sign)
{
	static const enum tbuf_operation operations[][2] = {
		[OP_ADD] = { TBUF_OP_ADD, TBUF_OP_ADD },
		[OP_SUBTRACT] = { TBUF_OP_SUB, TBUF_OP_SUB },
		[OP_MULTIPLY] = { TBUF_OP_MUL, TBUF_OP_MUL },
		[OP_DIVIDE] = { TBUF_OP_DIVU, TBUF_OP_DIVS },
		[OP_MODULO] = { TBUF_OP_MODU, TBUF_OP_MODS },
		[OP_AND] = { TBUF_OP_AND, TBUF_OP_AND },
		[OP_OR] = { TBUF_OP_OR, TBUF_OP_OR },
		[OP_XOR] = { TBUF_OP_XOR, TBUF_OP_XOR },
		[OP_LEFT] = { TBUF_OP_SHL, TBUF_OP_SHL },
		[OP_RIGHT] = { TBUF_OP_SHRU, TBUF_OP_SHRS },
	};

	return (operations[op][sign]);
}

/* True if the result can exceed the type's width. */
static bool
may_leave(enum operator op)
{
	return (op != OP_AND && op != OP_OR && op != OP_XOR);
}

void
d_arithmetic(struct generator *g, enum operator op, const struct type *type,
    unsigned to, unsigned right)
{
	d_emit(g, arithmetic_operation(op, d_type_has_sign(type)), to, to,
	    right, 0);
	if (may_leave(op))
		extend(g, type, to);
}

/* True for shifts: the count has a type of its own. */
static bool
is_shift(enum operator op)
{
	return (op == OP_LEFT || op == OP_RIGHT);
}

static void
integers(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct d_node *right = node->right;
	const struct type *type = node->type;
	uint64_t value;
	unsigned at;

	d_value_as(g, node->left, type, to);
	if (is_shift(node->op))
		type = right->type;
	value = d_wrap(type, right->value);
	if (right->kind == NODE_INTEGER && d_is_immediate(value)) {
		d_emit(g, arithmetic_operation(node->op,
		    d_type_has_sign(node->type)) + (TBUF_OP_ADDI -
		    TBUF_OP_ADD), to, to, 0, (uint32_t)value);
		if (may_leave(node->op))
			extend(g, node->type, to);
		return;
	}
	at = d_wait(g, right, to, 1);
	d_value_as(g, right, type, at);
	d_resume(g, to, 1, at);
	d_arithmetic(g, node->op, node->type, to, to + 1);
}

/* --- addresses ------------------------------------------------------------ */

static uint64_t
step_of(const struct generator *g, const struct type *type)
{
	uint64_t size = d_is_text(g, type) ? 1 :
	    d_type_size(d_type_resolve(type)->of);

	if (size > INT32_MAX)
		d_fail(g->c, D_CG_EXPR, "type is too large to be indexed");
	return (size);
}

static void
scale(struct generator *g, uint64_t size, unsigned reg)
{
	if (size != 1)
		d_emit(g, TBUF_OP_MULI, reg, reg, 0, (uint32_t)size);
}

/* Checks an index against the size of a declared array. */
static void
bound(struct generator *g, const struct d_node *array,
    const struct d_node *index, unsigned reg)
{
	const struct type *type = d_type_resolve(array->type);

	if (type->kind == TYPE_ARRAY && !d_is_text(g, array->type) &&
	    index->kind != NODE_INTEGER && type->count <= INT32_MAX)
		d_emit(g, TBUF_OP_BOUND, reg, 0, 0, (uint32_t)type->count);
}

/* Computes the right operand into the register above `to`. */
static void
right_operand(struct generator *g, const struct d_node *node, unsigned to)
{
	unsigned at = d_wait(g, node->right, to, 1);

	d_value(g, node->right, at);
	d_resume(g, to, 1, at);
}

static void
difference(struct generator *g, const struct d_node *node, unsigned to)
{
	uint64_t size = step_of(g, node->left->type);

	d_value(g, node->left, to);
	right_operand(g, node, to);
	d_emit(g, TBUF_OP_SUB, to, to, to + 1, 0);
	if (size > 1)
		d_emit(g, TBUF_OP_DIVSI, to, to, 0, (uint32_t)size);
}

/* Adds an integer to an address; either may be first. */
static void
displaced(struct generator *g, const struct d_node *node, unsigned to)
{
	bool swapped = d_type_is_integer(node->left->type);
	const struct d_node *base = swapped ? node->right : node->left;
	const struct d_node *index = swapped ? node->left : node->right;
	unsigned reg = swapped ? to : to + 1;
	bool create = g->create;
	uint64_t size = step_of(g, base->type), offset = index->value * size;

	g->create = create && !swapped;
	d_value(g, node->left, to);
	if (!swapped && index->kind == NODE_INTEGER && d_is_immediate(offset)) {
		d_emit(g, node->op == OP_ADD ? TBUF_OP_ADDI : TBUF_OP_SUBI, to,
		    to, 0, (uint32_t)offset);
		return;
	}
	g->create = create && swapped;
	right_operand(g, node, to);
	g->create = create;
	if (node->op == OP_ADD)
		bound(g, base, index, reg);
	scale(g, size, reg);
	d_emit(g, node->op == OP_ADD ? TBUF_OP_ADD : TBUF_OP_SUB, to, to,
	    to + 1, 0);
}

static void
sum(struct generator *g, const struct d_node *node, unsigned to)
{
	bool left = d_type_is_integer(node->left->type);
	bool right = d_type_is_integer(node->right->type);

	if (left && right)
		integers(g, node, to);
	else if (left || right)
		displaced(g, node, to);
	else
		difference(g, node, to);
}

/* --- texts ---------------------------------------------------------------- */

/* Computes a pointer, which may be an argument of the probe. */
static void
address(struct generator *g, const struct d_node *node, unsigned to)
{
	if (!d_argument_address(g, node, to))
		d_value(g, node, to);
}

void
d_value_text(struct generator *g, const struct d_node *node, unsigned to)
{
	bool array = d_is_object(node->type) && d_type_size(node->type) != 0;

	address(g, node, to);
	if (d_is_own(g, node) ||
	    (node->kind == NODE_INTEGER && node->value == 0))
		return;
	g->flags |= TBUF_CLAUSE_COPYIN;
	/* An array ends at its size, a flexible one with a NUL. */
	if (array)
		d_emit_number(g, to + 1, d_type_size(node->type) + 1);
	d_emit_call(g, to, TBUF_SUB_COPYINSTR, array ? 2 : 1);
}

void
d_value_as(struct generator *g, const struct d_node *node,
    const struct type *type, unsigned to)
{
	if (d_is_text(g, type)) {
		d_value_text(g, node, to);
		return;
	}
	if (node->kind == NODE_INTEGER && d_type_is_integer(type)) {
		d_emit_number(g, to, d_wrap(type, node->value));
		return;
	}
	d_value(g, node, to);
	/* Temporaries must last, as a pointer to the text may remain. */
	if (d_is_text(g, node->type))
		g->keep = true;
	if (!d_is_object(type))
		d_convert(g, node->type, type, to);
}

/* --- operators ------------------------------------------------------------ */

static void
cast(struct generator *g, const struct d_node *node, unsigned to)
{
	if (d_type_resolve(node->type)->kind != TYPE_POINTER) {
		d_value_as(g, node->right, node->type, to);
		return;
	}
	address(g, node->right, to);
	if (d_is_text(g, node->right->type))
		g->keep = true;
}

/* Computes 1 or 0 by jumps, as the right operand may not be evaluated. */
static void
logical(struct generator *g, const struct d_node *node, unsigned to)
{
	struct label no = { NULL }, end = { NULL };

	d_branch(g, node, false, &no, to);
	d_emit_number(g, to, 1);
	d_emit_jump(g, TBUF_OP_JMP, 0, 0, 0, &end);
	d_label_set(g, &no);
	d_emit_number(g, to, 0);
	d_label_set(g, &end);
}

static void
exclusive(struct generator *g, const struct d_node *node, unsigned to)
{
	d_value(g, node->left, to);
	d_emit(g, TBUF_OP_LNOT, to, to, 0, 0);
	right_operand(g, node, to);
	d_emit(g, TBUF_OP_LNOT, to + 1, to + 1, 0, 0);
	d_emit(g, TBUF_OP_XOR, to, to, to + 1, 0);
}

/* Loads a member, an element, or the value at an address. */
static void
located(struct generator *g, const struct d_node *node, unsigned to)
{
	struct place place;

	if (d_translated_member(g, node, to))
		return;
	d_place_open(g, node, g->create && d_is_object(node->type), to,
	    &place);
	d_place_load(g, &place, to);
}

static void
binary(struct generator *g, const struct d_node *node, unsigned to)
{
	switch (node->op) {
	case OP_COMMA:
		d_value(g, node->left, to);
		d_value(g, node->right, to);
		break;
	case OP_LOGICAL_AND:
	case OP_LOGICAL_OR:
		logical(g, node, to);
		break;
	case OP_LOGICAL_XOR:
		exclusive(g, node, to);
		break;
	case OP_EQUAL:
	case OP_UNEQUAL:
	case OP_LESS:
	case OP_GREATER:
	case OP_LESS_EQUAL:
	case OP_GREATER_EQUAL:
		d_comparison(g, node, to);
		break;
	case OP_ADD:
	case OP_SUBTRACT:
		sum(g, node, to);
		break;
	case OP_CAST:
		cast(g, node, to);
		break;
	case OP_XLATE:
		d_translated(g, node, to);
		break;
	case OP_MEMBER:
	case OP_POINTER:
		located(g, node, to);
		break;
	default:
		if (node->op <= OP_OR_ASSIGN)
			d_assignment(g, node, to);
		else
			integers(g, node, to);
	}
}

static void
take_address(struct generator *g, const struct d_node *node, unsigned to)
{
	struct place place;

	d_place_open(g, node->left, true, to, &place);
	d_emit_move(g, to, place.address);
	if (place.offset != 0)
		d_emit(g, TBUF_OP_ADDI, to, to, 0, place.offset);
}

static void
unary(struct generator *g, const struct d_node *node, unsigned to)
{
	switch (node->op) {
	case OP_DEREFERENCE:
		if (node->type == g->c->types.type_dynamic)
			d_translated(g, node, to);
		else
			located(g, node, to);
		break;
	case OP_ADDRESS:
		take_address(g, node, to);
		break;
	case OP_STRINGOF:
		d_value_text(g, node->left, to);
		break;
	case OP_NOT:
		d_value(g, node->left, to);
		d_emit(g, TBUF_OP_LNOT, to, to, 0, 0);
		break;
	case OP_PLUS:
		d_value(g, node->left, to);
		break;
	case OP_MINUS:
	case OP_COMPLEMENT:
		d_value(g, node->left, to);
		d_emit(g, node->op == OP_MINUS ? TBUF_OP_NEG : TBUF_OP_NOT,
		    to, to, 0, 0);
		extend(g, node->type, to);
		break;
	case OP_SIZEOF:
		d_emit_number(g, to, d_type_size(
		    d_node_translated(g->c, node->left) != NULL ?
		    d_node_translated(g->c, node->left)->type :
		    node->left->type));
		break;
	default:
		d_step(g, node, to);
	}
}

static void
conditional(struct generator *g, const struct d_node *node, unsigned to)
{
	struct label no = { NULL }, end = { NULL };

	d_branch(g, node->condition, false, &no, to);
	d_value_as(g, node->left, node->type, to);
	d_emit_jump(g, TBUF_OP_JMP, 0, 0, 0, &end);
	d_label_set(g, &no);
	d_value_as(g, node->right, node->type, to);
	d_label_set(g, &end);
}

static void
variable(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct binding *binding = d_binding(g, node->identifier);
	struct place place;
	unsigned next;

	if (binding != NULL) {
		d_emit_move(g, to, binding->reg);
		return;
	}
	if (d_inline(g, node, to))
		return;
	if ((node->identifier->flags &
	    (IDENTIFIER_BUILTIN | IDENTIFIER_ARGUMENT)) != 0) {
		d_builtin(g, node, to);
		return;
	}
	next = d_place_open(g, node, false, to, &place);
	/* An element that may have to be made needs its key again. */
	if (!g->create || !d_is_object(place.type))
		next = to;
	d_place_load(g, &place, next);
	d_emit_move(g, to, next);
}

/* Limit for nested inlines, which can expand deeper than any tree. */
#define DEPTH_MAX	2000

void
d_value(struct generator *g, const struct d_node *node, unsigned to)
{
	unsigned waiting = g->waiting;
	int line = g->c->line;

	g->c->line = node->line;
	if (++g->depth > DEPTH_MAX)
		d_fail(g->c, D_UNKNOWN, "program is nested too deeply");
	d_register(g, to);
	switch (node->kind) {
	case NODE_INTEGER:
		d_emit_number(g, to, d_wrap(node->type, node->value));
		break;
	case NODE_STRING:
		d_emit_text(g, to, node->text);
		break;
	case NODE_VARIABLE:
		variable(g, node, to);
		break;
	case NODE_CALL:
		d_call(g, node, to);
		break;
	case NODE_UNARY:
		unary(g, node, to);
		break;
	case NODE_BINARY:
		binary(g, node, to);
		break;
	case NODE_CONDITIONAL:
		conditional(g, node, to);
		break;
	default:
		d_fail(g->c, D_CG_EXPR,
		    "expression cannot be evaluated here");
	}
	g->depth--;
	g->waiting = waiting;
	g->c->line = line;
}
