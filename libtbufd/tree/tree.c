/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Creation of nodes.  A node's line is that of the last token that was read
 * before.
 */
#include <stdio.h>
#include <string.h>

#include "compiler.h"
#include "errors.h"
#include "stability_levels.h"
#include "tree.h"

const struct d_stability d_stable = { STABLE, STABLE, COMMON };

const char *
d_operator_text(enum operator op)
{
	static const char *const texts[] = {
		[OP_COMMA] = ",", [OP_ASSIGN] = "=",
		[OP_MULTIPLY_ASSIGN] = "*=", [OP_DIVIDE_ASSIGN] = "/=",
		[OP_MODULO_ASSIGN] = "%=", [OP_ADD_ASSIGN] = "+=",
		[OP_SUBTRACT_ASSIGN] = "-=", [OP_LEFT_ASSIGN] = "<<=",
		[OP_RIGHT_ASSIGN] = ">>=", [OP_AND_ASSIGN] = "&=",
		[OP_XOR_ASSIGN] = "^=", [OP_OR_ASSIGN] = "|=",
		[OP_CONDITION] = "?", [OP_LOGICAL_OR] = "||",
		[OP_LOGICAL_XOR] = "^^", [OP_LOGICAL_AND] = "&&",
		[OP_OR] = "|", [OP_XOR] = "^", [OP_AND] = "&",
		[OP_EQUAL] = "==", [OP_UNEQUAL] = "!=", [OP_LESS] = "<",
		[OP_GREATER] = ">", [OP_LESS_EQUAL] = "<=",
		[OP_GREATER_EQUAL] = ">=", [OP_LEFT] = "<<",
		[OP_RIGHT] = ">>", [OP_ADD] = "+", [OP_SUBTRACT] = "-",
		[OP_MULTIPLY] = "*", [OP_DIVIDE] = "/", [OP_MODULO] = "%",
		[OP_CAST] = "(", [OP_XLATE] = "xlate", [OP_INDEX] = "[",
		[OP_MEMBER] = ".", [OP_POINTER] = "->",
		[OP_PRE_INCREMENT] = "++", [OP_PRE_DECREMENT] = "--",
		[OP_POST_INCREMENT] = "++", [OP_POST_DECREMENT] = "--",
		[OP_ADDRESS] = "&", [OP_DEREFERENCE] = "*",
		[OP_PLUS] = "+", [OP_MINUS] = "-", [OP_COMPLEMENT] = "~",
		[OP_NOT] = "!", [OP_SIZEOF] = "sizeof",
		[OP_STRINGOF] = "stringof",
	};

	return (texts[op]);
}

enum operator
d_operator_plain(enum operator op)
{
	static const enum operator plain[] = {
		[OP_MULTIPLY_ASSIGN] = OP_MULTIPLY,
		[OP_DIVIDE_ASSIGN] = OP_DIVIDE,
		[OP_MODULO_ASSIGN] = OP_MODULO, [OP_ADD_ASSIGN] = OP_ADD,
		[OP_SUBTRACT_ASSIGN] = OP_SUBTRACT, [OP_LEFT_ASSIGN] = OP_LEFT,
		[OP_RIGHT_ASSIGN] = OP_RIGHT, [OP_AND_ASSIGN] = OP_AND,
		[OP_XOR_ASSIGN] = OP_XOR, [OP_OR_ASSIGN] = OP_OR,
	};

	return (op > OP_ASSIGN && op <= OP_OR_ASSIGN ? plain[op] : op);
}

struct d_node *
d_node_make(struct d_compiler *c, enum node_kind kind)
{
	struct d_node *node = d_allocate(c, sizeof(*node));

	node->kind = kind;
	node->line = c->line;
	node->stability = d_stable;
	return (node);
}

/* Passes recurse into the tree; a deeper one could overflow the stack. */
#define DEPTH_MAX	1000

void
d_node_above(struct d_compiler *c, struct d_node *node,
    const struct d_node *list)
{
	for (; list != NULL; list = list->next)
		if (node->depth <= list->depth)
			node->depth = list->depth + 1;
	if (node->depth > DEPTH_MAX)
		d_fail(c, D_UNKNOWN, "program is nested too deeply");
}

struct d_node *
d_node_with(struct d_compiler *c, enum node_kind kind,
    struct d_node *condition, struct d_node *left, struct d_node *right)
{
	struct d_node *node = d_node_make(c, kind);

	node->condition = condition;
	node->left = left;
	node->right = right;
	d_node_above(c, node, condition);
	d_node_above(c, node, left);
	d_node_above(c, node, right);
	return (node);
}

struct d_node *
d_node_link(struct d_node *list, struct d_node *more)
{
	struct d_node *last;

	if (list == NULL || more == NULL)
		return (list == NULL ? more : list);
	last = list->last == NULL ? list : list->last;
	last->next = more;
	list->last = more->last == NULL ? more : more->last;
	return (list);
}

unsigned
d_node_count(const struct d_node *list)
{
	unsigned count = 0;

	for (; list != NULL; list = list->next)
		count++;
	return (count);
}

struct d_node *
d_node_constant(struct d_compiler *c, struct type *type, uint64_t value)
{
	struct d_node *node = d_node_make(c, NODE_INTEGER);

	node->type = type;
	node->value = value;
	return (node);
}

/* Returns the first of the literal's types, in C's order, that holds it. */
static struct type *
literal_type(struct d_compiler *c, const struct literal *literal)
{
	struct type *const *types = c->types.constants;
	unsigned i = literal->is_unsigned + 2 * literal->longs;
	unsigned step = literal->decimal || literal->is_unsigned ? 2 : 1;

	for (; i < 6; i += step)
		if (literal->value <= UINT64_MAX >> (64 - types[i]->bits +
		    (i % 2 == 0)))
			return (types[i]);
	d_fail(c, D_INT_OFLOW, "integer constant 0x%jx cannot be represented "
	    "in any built-in integral type", (uintmax_t)literal->value);
}

struct d_node *
d_node_integer(struct d_compiler *c, const struct literal *literal)
{
	struct d_node *node = d_node_constant(c, literal_type(c, literal),
	    literal->value);

	return (literal->prefix == '-' ? d_node_unary(c, OP_MINUS, node) :
	    node);
}

struct d_node *
d_node_string(struct d_compiler *c, const char *text)
{
	struct d_node *node = d_node_make(c, NODE_STRING);

	node->type = c->types.type_string;
	node->text = text;
	return (node);
}

/* Makes a name; a constant inline becomes a constant at once. */
struct d_node *
d_node_name(struct d_compiler *c, const char *name)
{
	struct identifier *one = d_global_find(c, name);
	struct d_node *node;

	if (one != NULL && (one->flags & IDENTIFIER_INLINE) != 0 &&
	    one->body != NULL && one->body->kind == NODE_INTEGER)
		return (d_node_constant(c, one->body->type,
		    one->body->value));
	node = d_node_make(c, NODE_NAME);
	node->text = name;
	return (node);
}

struct d_node *
d_node_type(struct d_compiler *c, struct type *type)
{
	struct d_node *node = d_node_make(c, NODE_TYPE);

	node->type = type;
	return (node);
}

struct d_node *
d_node_call(struct d_compiler *c, struct d_node *function,
    struct d_node *arguments)
{
	struct identifier *one;

	if (function->kind != NODE_NAME)
		d_fail(c, D_FUNC_IDENT,
		    "function designator is not of function type");
	if ((one = d_table_find(&c->called, function->text)) == NULL)
		one = d_global_find(c, function->text);
	if (one == NULL)
		d_unknown(c, D_UNKNOWN_FUNCTION, function->text);
	if (one == NULL)
		d_fail(c, D_FUNC_UNDEF, "undefined function name: %s",
		    function->text);
	if (one->kind != IDENTIFIER_FUNCTION && one->kind !=
	    IDENTIFIER_AGGREGATING && one->kind != IDENTIFIER_ACTION) {
		d_unknown(c, D_UNKNOWN_FORM, one->name);
		d_fail(c, D_FUNC_IDKIND, "%s '%s' may not be referenced as a "
		    "function", d_identifier_kind_name(one->kind), one->name);
	}
	function->kind = NODE_CALL;
	function->identifier = one;
	function->arguments = arguments;
	d_node_above(c, function, arguments);
	return (function);
}

struct d_node *
d_node_offsetof(struct d_compiler *c, struct type *type, const char *name)
{
	struct type *composite = d_type_complete(c, type);
	const struct member *member;
	uint64_t offset;

	if (composite->kind != TYPE_STRUCT && composite->kind != TYPE_UNION)
		d_fail(c, D_OFFSETOF_TYPE,
		    "offsetof operand must be a struct or union type");
	if ((member = d_type_member(composite, name, &offset)) == NULL)
		d_fail(c, D_UNKNOWN, "failed to determine offset of %s: "
		    "Member name not found", name);
	if (d_type_is_bit_field(member->type))
		d_fail(c, D_OFFSETOF_BITFIELD,
		    "cannot take offset of a bit-field: %s", name);
	return (d_node_constant(c, c->types.type_int, offset));
}

struct d_node *
d_node_statement(struct d_compiler *c, struct d_node *expression)
{
	bool action = expression->kind == NODE_CALL &&
	    expression->identifier->kind == IDENTIFIER_ACTION;

	return (d_node_with(c, action ? NODE_ACTION : NODE_EXPRESSION, NULL,
	    expression, NULL));
}

struct d_node *
d_node_clause(struct d_compiler *c, struct d_node *descriptions,
    struct d_node *predicate, struct d_node *body)
{
	struct d_node *node = d_node_make(c, NODE_CLAUSE);

	node->descriptions = descriptions;
	node->condition = predicate;
	node->arguments = body;
	return (node);
}

bool
d_node_is_positive(const struct d_node *node)
{
	return (node->kind == NODE_INTEGER && node->value != 0 &&
	    (!d_type_is_signed(node->type) || (int64_t)node->value > 0));
}

bool
d_node_is_string(struct d_compiler *c, const struct d_node *node)
{
	return (node->type == c->types.type_string);
}

bool
d_node_is_dynamic(struct d_compiler *c, const struct d_node *node)
{
	if (node->kind == NODE_VARIABLE &&
	    (node->identifier->flags & IDENTIFIER_INLINE) != 0)
		return (node->identifier->body != NULL &&
		    d_node_is_dynamic(c, node->identifier->body));
	return (node->type == c->types.type_dynamic);
}

bool
d_node_is_pointer(struct d_compiler *c, const struct d_node *node)
{
	enum type_kind kind = d_type_resolve(node->type)->kind;

	return (!d_node_is_string(c, node) &&
	    (kind == TYPE_POINTER || kind == TYPE_ARRAY));
}

const char *
d_node_type_name(struct d_compiler *c, const struct d_node *node)
{
	if (node->identifier != NULL && d_node_is_dynamic(c, node))
		return (d_identifier_kind_name(
		    d_identifier_resolve(node->identifier)->kind));
	return (d_type_name(c, node->type));
}
