/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Operators, with constants folded: because C requires constants in some
 * places, and because D decides their type by how they are written.
 *
 * A folded constant has 64 bits, regardless of its type: `timestamp + 5 *
 * 1000000000` is five seconds later, though both factors are int.  A use as a
 * value of a type cuts it to that type (d_wrap()), as does a cast.
 */
#include <string.h>

#include "compiler.h"
#include "errors.h"
#include "tree.h"

uint64_t
d_wrap(const struct type *type, uint64_t value)
{
	unsigned unused = 64 - 8 * (unsigned)d_type_size(type);

	type = d_type_resolve(type);
	if (type->kind == TYPE_INTEGER && (type->flags & TYPE_BITFIELD) != 0)
		unused = 64 - type->bits;
	if (unused == 0 || unused >= 64)
		return (value);
	value <<= unused;
	if (d_type_has_sign(type))
		return ((uint64_t)((int64_t)value >> unused));
	return (value >> unused);
}

/* Folds into the operand.  Returns NULL if the operator cannot be folded. */
static struct d_node *
fold_unary(enum operator op, struct d_node *operand)
{
	switch (op) {
	case OP_PLUS:
		break;
	case OP_MINUS:
		operand->value = -operand->value;
		break;
	case OP_COMPLEMENT:
		operand->value = ~operand->value;
		break;
	case OP_NOT:
		operand->value = !operand->value;
		break;
	default:
		return (NULL);
	}
	return (operand);
}

/* Folds sizeof of a type or of a string constant. */
static struct d_node *
fold_sizeof(struct d_compiler *c, struct d_node *operand)
{
	uint64_t size = operand->kind == NODE_STRING ?
	    strlen(operand->text) + 1 :
	    d_type_size(d_type_complete(c, operand->type));

	if (size == 0)
		d_fail(c, D_SIZEOF_TYPE,
		    "cannot apply sizeof to an operand of unknown size");
	operand->kind = NODE_INTEGER;
	operand->text = NULL;
	operand->type = c->types.type_size;
	operand->value = size;
	return (operand);
}

struct d_node *
d_node_unary(struct d_compiler *c, enum operator op, struct d_node *operand)
{
	struct d_node *node = NULL;

	if (operand->kind == NODE_INTEGER)
		node = fold_unary(op, operand);
	else if (op == OP_SIZEOF && (operand->kind == NODE_STRING ||
	    operand->kind == NODE_TYPE))
		node = fold_sizeof(c, operand);
	if (node == NULL) {
		node = d_node_with(c, NODE_UNARY, NULL, operand, NULL);
		node->op = op;
	}
	return (node);
}

static uint64_t
divide(bool is_signed, uint64_t l, uint64_t r, bool modulo)
{
	if (is_signed && r == UINT64_MAX)	/* also INT64_MIN / -1 */
		return (modulo ? 0 : -l);
	if (is_signed)
		return ((uint64_t)(modulo ? (int64_t)l % (int64_t)r :
		    (int64_t)l / (int64_t)r));
	return (modulo ? l % r : l / r);
}

static bool
less(bool is_signed, uint64_t l, uint64_t r)
{
	return (is_signed ? (int64_t)l < (int64_t)r : l < r);
}

/* True for logical and relational operators, which return int 1 or 0. */
static bool
is_truth(enum operator op)
{
	return ((op >= OP_LOGICAL_OR && op <= OP_LOGICAL_AND) ||
	    (op >= OP_EQUAL && op <= OP_GREATER_EQUAL));
}

/* Applies an operator; shifts are unsigned, by the count modulo 64. */
static uint64_t
fold(enum operator op, bool is_signed, uint64_t l, uint64_t r)
{
	switch (op) {
	case OP_LOGICAL_OR:
		return (l != 0 || r != 0);
	case OP_LOGICAL_XOR:
		return ((l != 0) != (r != 0));
	case OP_LOGICAL_AND:
		return (l != 0 && r != 0);
	case OP_EQUAL:
		return (l == r);
	case OP_UNEQUAL:
		return (l != r);
	case OP_LESS:
		return (less(is_signed, l, r));
	case OP_GREATER:
		return (less(is_signed, r, l));
	case OP_LESS_EQUAL:
		return (!less(is_signed, r, l));
	case OP_GREATER_EQUAL:
		return (!less(is_signed, l, r));
	case OP_OR:
		return (l | r);
	case OP_XOR:
		return (l ^ r);
	case OP_AND:
		return (l & r);
	case OP_LEFT:
		return (l << (r & 63));
	case OP_RIGHT:
		return (l >> (r & 63));
	case OP_ADD:
		return (l + r);
	case OP_SUBTRACT:
		return (l - r);
	case OP_MULTIPLY:
		return (l * r);
	default:
		return (divide(is_signed, l, r, op == OP_MODULO));
	}
}

static struct d_node *
fold_binary(struct d_compiler *c, enum operator op, struct d_node *left,
    struct d_node *right)
{
	struct type *type = d_type_promote(c, left->type, right->type);
	uint64_t value;

	if (op < OP_LOGICAL_OR || op > OP_MODULO)
		return (NULL);
	value = fold(op, d_type_is_signed(type), left->value, right->value);
	if (is_truth(op))
		type = c->types.type_int;
	else if (op == OP_LEFT || op == OP_RIGHT)
		type = left->type;
	return (d_node_constant(c, type, value));
}

struct d_node *
d_node_binary(struct d_compiler *c, enum operator op, struct d_node *left,
    struct d_node *right)
{
	enum operator plain = d_operator_plain(op);
	struct d_node *node = NULL;

	if ((plain == OP_DIVIDE || plain == OP_MODULO) &&
	    right->kind == NODE_INTEGER && right->value == 0)
		d_fail(c, D_DIV_ZERO, "expression contains division by zero");
	if (left->kind == NODE_INTEGER && right->kind == NODE_INTEGER)
		node = fold_binary(c, op, left, right);
	else if (op == OP_CAST && right->kind == NODE_INTEGER &&
	    d_type_is_integer(left->type)) {
		node = right;
		node->type = left->type;
		node->value = d_wrap(node->type, node->value);
	}
	if (node == NULL) {
		node = d_node_with(c, NODE_BINARY, NULL, left, right);
		node->op = op;
	}
	return (node);
}

struct d_node *
d_node_conditional(struct d_compiler *c, struct d_node *condition,
    struct d_node *left, struct d_node *right)
{
	struct d_node *node;

	if (condition->kind == NODE_INTEGER)
		return (condition->value != 0 ? left : right);
	node = d_node_with(c, NODE_CONDITIONAL, condition, left, right);
	node->op = OP_CONDITION;
	return (node);
}
