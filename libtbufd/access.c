/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of assignments (=, +=, …) and of accesses ([, ., ->).
 */
#include <string.h>

#include "check.h"
#include "tree/errors.h"

/* --- assignment ---------------------------------------------------------- */

/* Checks @a = count(): the aggregation takes the assignment's place. */
static struct d_node *
assign_aggregation(struct d_compiler *c, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	struct identifier *one = left->identifier;

	if (right->kind != NODE_CALL ||
	    right->identifier->kind != IDENTIFIER_AGGREGATING)
		d_fail(c, D_AGG_FUNC, "@%s must be assigned the result of an "
		    "aggregating function", one->name);
	if (one->aggregating != NULL && one->aggregating != right->identifier)
		d_fail(c, D_AGG_REDEF, "aggregation redefined: @%s\n"
		    "\t current: @%s = %s( )\n\tprevious: @%s = %s( ) : "
		    "line %d", one->name, one->name, right->identifier->name,
		    one->name, one->aggregating->name, one->line);
	one->aggregating = right->identifier;
	if (left->left != NULL)
		d_fail(c, D_OP_LVAL, "operator = requires modifiable lvalue "
		    "as an operand");
	left->left = right;
	return (d_check(c, left, IDENTIFIER_WRITTEN));
}

/* True for a part of a variable without following a pointer: s.m, a[i]. */
static bool
is_part(const struct d_node *node)
{
	for (;;) {
		if (node->kind == NODE_VARIABLE)
			return (true);
		if (node->kind == NODE_BINARY && node->op == OP_MEMBER)
			node = node->left;
		else if (node->kind == NODE_UNARY &&
		    node->op == OP_DEREFERENCE &&
		    node->left->kind == NODE_BINARY &&
		    d_type_resolve(node->left->left->type)->kind == TYPE_ARRAY)
			node = node->left->left;
		else
			return (false);
	}
}

/* True for an address that is surely not of alloca(); 0 may be either. */
static bool
is_other_address(struct d_compiler *c, const struct d_node *node)
{
	const struct d_node *value = node;

	if (!d_node_is_pointer(c, node) ||
	    (node->flags & (NODE_ALLOCA | NODE_UNASSIGNED)) != 0)
		return (false);
	while (value->kind == NODE_BINARY && value->op == OP_CAST)
		value = value->right;
	switch (value->kind) {
	case NODE_VARIABLE:
		return ((value->identifier->flags & IDENTIFIER_OTHER) != 0);
	case NODE_INTEGER:
		return (value->value != 0);
	default:
		/* A loaded pointer may be either. */
		return (value->kind == NODE_UNARY && value->op == OP_ADDRESS &&
		    is_part(value->left));
	}
}

/* Notes the kind of a variable's addresses, which are all of one kind. */
static void
learn_addresses(struct d_compiler *c, struct identifier *one,
    const struct d_node *right)
{
	const unsigned both = IDENTIFIER_ALLOCA | IDENTIFIER_OTHER;

	if ((right->flags & NODE_ALLOCA) != 0)
		one->flags |= IDENTIFIER_ALLOCA;
	else if (is_other_address(c, right))
		one->flags |= IDENTIFIER_OTHER;
	if ((one->flags & both) == both)
		d_fail(c, D_ALLOCA_INCOMPAT, "%s: cannot reuse the same "
		    "identifier for both alloca and non-alloca allocations",
		    one->name);
}

static void
check_target(struct d_compiler *c, struct d_node *node)
{
	struct d_node *left = node->left, *right = node->right;
	const char *op = d_operator_text(node->op);

	if ((left->flags & NODE_LVALUE) == 0)
		d_fail(c, D_OP_LVAL, "operator %s requires modifiable lvalue "
		    "as an operand", op);
	if ((left->flags & NODE_WRITABLE) == 0)
		d_fail(c, D_OP_WRITE, "operator %s can only be applied to a "
		    "writable variable", op);
	if (left->kind == NODE_VARIABLE &&
	    (right->flags & NODE_UNASSIGNED) != 0)
		d_fail(c, D_ALLOCA_INCOMPAT, "ternary conditional with "
		    "alloca and non-alloca branches cannot be assigned to a "
		    "variable");
	/* A string is copied, so its address does not matter. */
	if (left->kind == NODE_VARIABLE && !d_node_is_string(c, left))
		learn_addresses(c, left->identifier, right);
	if ((right->flags & NODE_ALLOCA) != 0 && !d_node_is_string(c, left)) {
		left->flags |= NODE_ALLOCA;
		node->flags |= NODE_ALLOCA;
	}
	node->type = left->type;
}

/* Gives a new variable the type of its first assignment. */
static void
learn_type(struct d_compiler *c, struct d_node *left, struct type *type)
{
	struct identifier *one = left->identifier;

	if (left->kind != NODE_VARIABLE)
		return;
	if (d_identifier_is_new(c, one)) {
		one->type = type;
		left->type = type;
	}
	/* The right operand may have assigned the variable already. */
	if (left->type == NULL || left->type == c->types.type_dynamic)
		left->type = one->type;
	one->flags |= IDENTIFIER_WRITTEN;
}

/* True if a structure in an array or self-> is freed by assigning 0. */
static bool
is_freed(const struct d_node *left, const struct d_node *right)
{
	enum type_kind kind = d_type_resolve(left->type)->kind;

	return ((kind == TYPE_STRUCT || kind == TYPE_UNION) &&
	    left->kind == NODE_VARIABLE && (left->arguments != NULL ||
	    (left->identifier->flags & IDENTIFIER_THREAD) != 0) &&
	    right->kind == NODE_INTEGER && right->value == 0);
}

static struct d_node *
check_store(struct d_compiler *c, struct d_node *node)
{
	struct d_node *left = node->left, *right;
	const struct identifier *one;
	struct type *type;
	enum type_kind kind;

	if (left->kind == NODE_NAME && left->text[0] == '@')
		d_resolve(c, left, &c->aggregations, IDENTIFIER_AGGREGATION,
		    true);
	else if (left->kind == NODE_NAME)
		d_resolve(c, left, &c->globals, IDENTIFIER_SCALAR, true);
	left = node->left = d_check(c, left, 0);
	right = node->right = d_check(c, node->right, IDENTIFIER_READ);
	if (left->kind == NODE_AGGREGATION)
		return (assign_aggregation(c, node));
	one = d_node_translated(c, right);
	if (one != NULL && one->kind != IDENTIFIER_TRANSLATED)
		one = NULL;
	type = one != NULL ? one->type : right->type;
	learn_type(c, left, type);
	kind = d_type_resolve(left->type)->kind;
	if (!d_node_is_string(c, left) &&
	    (kind == TYPE_ARRAY || kind == TYPE_FUNCTION))
		d_fail(c, D_OP_ARRFUN, "operator = may not be applied to "
		    "operand of type \"%s\"", d_node_type_name(c, left));
	if (!(one != NULL && d_type_compatible(left->type, type)) &&
	    !d_argument_compatible(c, left, right) && !is_freed(left, right))
		d_fail_operands(c, left, OP_ASSIGN, right);
	check_target(c, node);
	return (node);
}

static void
check_addition(struct d_compiler *c, const struct d_node *node)
{
	const struct d_node *l = node->left, *r = node->right;

	if (d_node_is_string(c, l) || d_node_is_string(c, r))
		d_fail_operands(c, l, node->op, r);
	if (d_type_is_integer(l->type) && d_type_is_integer(r->type))
		return;
	if (d_type_resolve(l->type)->kind == TYPE_POINTER)
		d_type_complete(c, d_type_resolve(l->type)->of);
	if (!d_node_is_pointer(c, l) || d_type_is_void_pointer(l->type))
		d_fail(c, D_OP_VFPTR, "operator %s requires left-hand scalar "
		    "operand of known size", d_operator_text(node->op));
	if (!d_type_is_integer(r->type) &&
	    !d_pointers_compatible(c, l, r, NULL))
		d_fail_operands(c, l, node->op, r);
}

struct d_node *
d_check_assign(struct d_compiler *c, struct d_node *node)
{
	const unsigned both = IDENTIFIER_READ | IDENTIFIER_WRITTEN;
	struct d_node *left = node->left;

	if (node->op == OP_ASSIGN)
		return (check_store(c, node));
	if (left->kind == NODE_NAME && left->text[0] != '@')
		d_resolve(c, left, &c->globals, IDENTIFIER_SCALAR, true);
	node->left = d_check(c, left, both);
	node->right = d_check(c, node->right, both);
	if (node->op == OP_ADD_ASSIGN || node->op == OP_SUBTRACT_ASSIGN)
		check_addition(c, node);
	else
		d_check_integers(c, node);
	check_target(c, node);
	return (node);
}

/* --- index --------------------------------------------------------------- */

/* Checks a[i] of a pointer or an array in memory, as *(a + i). */
static struct d_node *
index_memory(struct d_compiler *c, struct d_node *node)
{
	static const char *const what[] = {
		[NODE_INTEGER] = "integer constant",
		[NODE_STRING] = "string constant",
		[NODE_UNARY] = "operator", [NODE_BINARY] = "operator",
	};
	const struct d_node *left = node->left;
	struct d_node *outer;

	if (node->right->next != NULL)
		d_fail(c, D_ARR_BADREF,
		    "cannot access %s as an associative array",
		    left->identifier != NULL ? d_format(c, "%s %s",
		    d_identifier_kind_name(left->identifier->kind),
		    left->identifier->name) : left->kind == NODE_UNARY ||
		    left->kind == NODE_BINARY ? d_format(c, "operator %s",
		    d_operator_text(left->op)) : what[left->kind] != NULL ?
		    what[left->kind] : "expression");
	node->op = OP_ADD;
	outer = d_node_unary(c, OP_DEREFERENCE, node);
	outer->line = node->line;
	return (d_check(c, outer, IDENTIFIER_READ));
}

static bool
is_memory(struct d_compiler *c, const struct d_node *left)
{
	if (left->kind == NODE_AGGREGATION)
		return (false);
	if (left->kind != NODE_VARIABLE)
		return (true);
	if (left->identifier->kind == IDENTIFIER_ARRAY)
		return (left->arguments != NULL);
	return (!d_identifier_is_new(c, left->identifier));
}

/* A name that is read and is no variable yet is that of an argument. */
static void
resolve_indexed(struct d_compiler *c, struct d_node *left, unsigned use)
{
	bool aggregation = left->text[0] == '@';
	struct table *table = aggregation ? &c->aggregations : &c->globals;
	const struct identifier *one = aggregation ?
	    d_table_find(table, left->text + 1) :
	    d_global_find(c, left->text);

	if (one == NULL && !aggregation && use == IDENTIFIER_READ &&
	    d_names_argument(c, left->text))
		d_resolve(c, left, table, IDENTIFIER_SCALAR, false);
	else if (one == NULL || d_identifier_is_new(c, one))
		d_resolve(c, left, table, aggregation ?
		    IDENTIFIER_AGGREGATION : IDENTIFIER_ARRAY, true);
	else
		d_resolve(c, left, table, one->kind, false);
}

static struct d_node *
index_array(struct d_compiler *c, struct d_node *node, unsigned use)
{
	struct d_node *left = node->left;
	struct identifier *one = left->identifier;

	/* A new self-> or this-> variable was made before its index is read. */
	if (one->kind == IDENTIFIER_SCALAR && d_identifier_is_new(c, one) &&
	    (one->flags & (IDENTIFIER_LOCAL | IDENTIFIER_THREAD)) != 0) {
		if ((one->flags & IDENTIFIER_LOCAL) != 0)
			d_fail(c, D_ARR_LOCAL, "local variables may not be "
			    "used as associative arrays: %s", one->name);
		one->kind = IDENTIFIER_ARRAY;
	}
	if (one->kind != IDENTIFIER_ARRAY)
		d_fail(c, D_IDENT_BADREF,
		    "%s '%s' may not be referenced as %s",
		    d_identifier_kind_name(one->kind), one->name,
		    d_identifier_kind_name(IDENTIFIER_ARRAY));
	left->arguments = node->right;
	left->line = node->line;
	return (d_check(c, left, use));
}

struct d_node *
d_check_index(struct d_compiler *c, struct d_node *node, unsigned use)
{
	struct d_node *left = node->left, *parameter;

	if (use == IDENTIFIER_READ &&
	    (parameter = d_check_parameter(c, left)) != NULL)
		left = node->left = parameter;
	else if (left->kind == NODE_NAME)
		resolve_indexed(c, left, use);
	else
		left = node->left = d_check(c, left, 0);
	if (is_memory(c, left)) {
		if (left->kind == NODE_VARIABLE)
			left->identifier->flags |= IDENTIFIER_READ;
		return (index_memory(c, node));
	}
	if (left->kind != NODE_AGGREGATION)
		return (index_array(c, node, use));
	if (left->arguments != NULL)
		d_fail(c, D_AGG_MDIM, "improper attempt to reference @%s as "
		    "a multi-dimensional array", left->identifier->name);
	left->arguments = node->right;
	return (d_check(c, left, 0));
}

/* --- members ------------------------------------------------------------- */

static const struct type *
composite_type(struct d_compiler *c, const struct d_node *node,
    const struct type *type)
{
	const char *op = d_operator_text(node->op);

	type = d_type_resolve(type);
	if (node->op == OP_POINTER) {
		if (type->kind != TYPE_POINTER)
			d_fail(c, D_OP_PTR,
			    "operator %s must be applied to a pointer", op);
		type = d_type_complete(c, type->of);
	}
	if (type->kind == TYPE_FORWARD)
		d_unknown(c, D_UNKNOWN_TAG, type->name);
	if (type->kind == TYPE_FORWARD)
		d_fail(c, D_OP_INCOMPLETE, "operator %s cannot be applied to "
		    "a forward declaration: no %s definition is available",
		    op, d_type_name(c, type));
	if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION)
		return (type);
	if (node->op == OP_POINTER)
		d_fail(c, D_OP_SOU, "operator -> cannot be applied to "
		    "pointer to type \"%s\"; must be applied to a struct or "
		    "union pointer", d_type_name(c, type));
	d_fail(c, D_OP_SOU, "operator %s cannot be applied to type \"%s\"; "
	    "must be applied to a struct or union%s", op,
	    d_type_name(c, type), type->kind == TYPE_POINTER ?
	    "; -> is for pointers" : "");
}

static void
check_composite_member(struct d_compiler *c, struct d_node *node)
{
	struct d_node *left, *right = node->right;
	const struct identifier *translated;
	const struct member *member;
	const struct type *type;
	bool array;

	left = node->left = d_check(c, node->left, IDENTIFIER_READ);
	if (right->text == NULL)
		d_fail(c, D_OP_IDENT,
		    "operator %s must be followed by an identifier",
		    d_operator_text(node->op));
	translated = d_node_translated(c, left);
	if (translated != NULL &&
	    d_translator_member(translated->translator, right->text) == NULL)
		d_fail(c, D_XLATE_NOCONV, "translator does not define "
		    "conversion for member: %s", right->text);
	type = composite_type(c, node, translated != NULL ?
	    translated->type : left->type);
	if ((member = d_type_member(type, right->text, &node->value)) == NULL) {
		d_unknown(c, D_UNKNOWN_MEMBER, right->text);
		c->unknown_in = type;
		d_fail(c, D_TYPE_MEMBER, "%s is not a member of %s",
		    right->text, d_type_name(c, type));
	}
	node->type = member->type;
	array = d_type_resolve(member->type)->kind == TYPE_ARRAY &&
	    !d_node_is_string(c, node);
	if (!array && (node->op == OP_POINTER ||
	    (left->flags & NODE_LVALUE) != 0))
		node->flags |= NODE_LVALUE;
	node->flags |= left->flags & NODE_WRITABLE;
}

struct d_node *
d_check_member(struct d_compiler *c, struct d_node *node, unsigned use)
{
	struct d_node *left = node->left, *right = node->right, *part;
	struct table *table = NULL;

	if (node->op == OP_MEMBER && (part = d_check_part(c, node)) != NULL)
		return (d_check(c, part, use));
	if (node->op == OP_POINTER && left->kind == NODE_NAME)
		table = strcmp(left->text, "self") == 0 ? &c->threads :
		    strcmp(left->text, "this") == 0 ? &c->locals : NULL;
	if (table == NULL) {
		check_composite_member(c, node);
		return (node);
	}
	if (right->kind == NODE_INTEGER)
		d_fail(c, D_OP_IDENT,
		    "operator -> must be followed by an identifier");
	if (right->kind == NODE_NAME)
		d_resolve(c, right, table, IDENTIFIER_SCALAR, true);
	return (use == 0 ? right : d_check(c, right, use));
}
