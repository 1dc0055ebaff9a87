/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compatibility of operands: assignments, comparisons, arguments.
 */
#include "check.h"
#include "tree/errors.h"

/* Returns a pointer's referenced type or an array's element type, or NULL. */
static const struct type *
referenced(const struct type *type)
{
	type = d_type_resolve(type);
	if (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY)
		return (NULL);
	return (d_type_resolve(type->of));
}

static bool
is_zero(const struct d_node *node)
{
	return (node->kind == NODE_INTEGER && node->value == 0);
}

bool
d_pointers_compatible(struct d_compiler *c, const struct d_node *left,
    const struct d_node *right, struct type **type)
{
	const struct d_node *l = left, *r = right;
	const struct type *a, *b;

	if (d_node_is_dynamic(c, l) || d_node_is_dynamic(c, r))
		return (false);
	if (d_type_is_integer(l->type) && d_type_is_integer(r->type))
		return (false);
	/* The constant 0 is a pointer of the other's type. */
	if (d_type_is_integer(l->type)) {
		if (!is_zero(l))
			return (false);
		l = r;
	} else if (d_type_is_integer(r->type)) {
		if (!is_zero(r))
			return (false);
		r = l;
	}
	a = referenced(l->type);
	b = referenced(r->type);
	if (a == NULL || b == NULL || (!d_type_is_void(a) &&
	    !d_type_is_void(b) && !d_type_compatible(a, b)))
		return (false);
	if (type != NULL)
		*type = d_type_resolve(d_type_is_void(b) ? l->type : r->type);
	return (true);
}

bool
d_argument_compatible(struct d_compiler *c, const struct d_node *left,
    const struct d_node *right)
{
	const struct types *types = &c->types;
	const struct type *l = left->type, *r = right->type;

	if (d_type_is_integer(l) && d_type_is_integer(r))
		return (true);
	if (d_type_is_char_string(l) && d_type_is_char_string(r))
		return (true);
	if (l == r && (l == types->type_stack || l == types->type_symaddr ||
	    l == types->type_usymaddr))
		return (true);
	if (d_type_is_float(l) && d_type_is_float(r))
		return (true);
	switch (d_type_resolve(l)->kind) {
	case TYPE_FUNCTION:
	case TYPE_STRUCT:
	case TYPE_UNION:
		return (d_type_compatible(l, r));
	default:
		return (d_pointers_compatible(c, left, right, NULL));
	}
}

void
d_fail_operands(struct d_compiler *c, const struct d_node *left,
    enum operator op, const struct d_node *right)
{
	d_fail(c, D_OP_INCOMPAT,
	    "operands have incompatible types: \"%s\" %s \"%s\"",
	    d_node_type_name(c, left), d_operator_text(op),
	    d_node_type_name(c, right));
}
