/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of operators, except assignments and accesses.
 */
#include <string.h>

#include "check.h"
#include "tree/errors.h"

static bool
is_action(const struct d_node *node)
{
	return (node->kind == NODE_CALL &&
	    node->identifier->kind == IDENTIFIER_ACTION);
}

/* --- one operand -------------------------------------------------------- */

static void
check_dereference(struct d_compiler *c, struct d_node *node)
{
	struct d_node *operand = node->left;
	struct identifier *one = d_node_translated(c, operand);
	struct type *type = d_type_resolve(operand->type), *base;

	if (one != NULL && one->kind == IDENTIFIER_TRANSLATED_POINTER) {
		node->identifier = one->translator->whole;
		node->type = c->types.type_dynamic;
		return;
	}
	if (type->kind != TYPE_ARRAY && type->kind != TYPE_POINTER)
		d_fail(c, D_DEREF_NONPTR,
		    "cannot dereference non-pointer type");
	node->type = type->of;
	base = d_type_complete(c, type->of);
	if (d_type_is_void(base))
		d_fail(c, D_DEREF_VOID, "cannot dereference pointer to void");
	if (base->kind == TYPE_FUNCTION)
		d_fail(c, D_DEREF_FUNC,
		    "cannot dereference pointer to function");
	if (base->kind != TYPE_ARRAY || d_node_is_string(c, node))
		node->flags |= NODE_LVALUE;
	/* a[i] is *(a + i): it is writable if a is. */
	if ((operand->flags & NODE_WRITABLE) != 0 ||
	    (operand->kind == NODE_BINARY && operand->op == OP_ADD &&
	    (operand->left->flags & NODE_WRITABLE) != 0))
		node->flags |= NODE_WRITABLE;
	node->flags &= ~(unsigned)(NODE_ALLOCA | NODE_UNASSIGNED);
}

static void
check_address(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *operand = node->left;

	if (operand->kind == NODE_VARIABLE ||
	    operand->kind == NODE_AGGREGATION)
		d_fail(c, D_ADDROF_VAR,
		    "cannot take address of dynamic variable");
	if (d_node_is_dynamic(c, operand))
		d_fail(c, D_ADDROF_VAR,
		    "cannot take address of dynamic object");
	if ((operand->flags & NODE_LVALUE) == 0)
		d_fail(c, D_ADDROF_LVAL,
		    "unacceptable operand for unary & operator");
	if (d_type_is_bit_field(operand->type))
		d_fail(c, D_ADDROF_BITFIELD,
		    "cannot take address of bit-field");
	node->type = d_type_pointer(c, operand->type);
	if (operand->kind == NODE_UNARY && operand->op == OP_DEREFERENCE)
		node->flags |= operand->left->flags & NODE_ALLOCA;
}

static void
check_sizeof(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *operand = node->left;
	const struct identifier *one = d_node_translated(c, operand);

	if (d_type_is_bit_field(operand->type))
		d_fail(c, D_SIZEOF_BITFIELD,
		    "cannot apply sizeof to a bit-field");
	if (d_type_size(one != NULL ? one->type : operand->type) == 0)
		d_fail(c, D_SIZEOF_TYPE,
		    "cannot apply sizeof to an operand of unknown size");
	node->type = c->types.type_size;
}

/* Completes a pointer's referenced type: additions need its size. */
static void
complete_pointed(struct d_compiler *c, const struct d_node *node)
{
	const struct type *type = d_type_resolve(node->type);

	if (type->kind == TYPE_POINTER)
		d_type_complete(c, type->of);
}

static void
check_step(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *operand = node->left;
	const char *op = d_operator_text(node->op);

	if (!d_type_is_scalar(operand->type))
		d_fail(c, D_OP_SCALAR,
		    "operator %s requires operand of scalar type", op);
	if (d_type_is_void_pointer(operand->type))
		d_fail(c, D_OP_VFPTR,
		    "operator %s requires an operand of known size", op);
	complete_pointed(c, operand);
	if ((operand->flags & NODE_LVALUE) == 0)
		d_fail(c, D_OP_LVAL, "operator %s requires modifiable "
		    "lvalue as an operand", op);
	if ((operand->flags & NODE_WRITABLE) == 0)
		d_fail(c, D_OP_WRITE, "operator %s can only be applied to a "
		    "writable variable", op);
	node->type = operand->type;
	node->flags |= operand->flags & NODE_ALLOCA;
}

static void
check_stringof(struct d_compiler *c, struct d_node *node)
{
	struct d_node *operand = node->left, *text = d_class_text(c, operand);

	if (text != NULL)
		operand = node->left = d_check(c, text, IDENTIFIER_READ);
	if (!d_type_is_scalar(operand->type) &&
	    !d_node_is_pointer(c, operand) &&
	    !d_type_is_char_string(operand->type))
		d_fail(c, D_STRINGOF_TYPE,
		    "cannot apply stringof to a value of type %s",
		    d_node_type_name(c, operand));
	node->type = c->types.type_string;
}

static void
check_sign(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *operand = node->left;
	bool complement = node->op == OP_COMPLEMENT;

	if (!d_type_is_integer(operand->type))
		d_fail(c, complement ? D_OP_INT : D_OP_ARITH,
		    "operator %s requires an operand of %s type",
		    d_operator_text(node->op),
		    complement ? "integral" : "arithmetic");
	node->type = operand->type;
}

static void
check_operation(struct d_compiler *c, struct d_node *node)
{
	switch (node->op) {
	case OP_DEREFERENCE:
		check_dereference(c, node);
		break;
	case OP_ADDRESS:
		check_address(c, node);
		break;
	case OP_SIZEOF:
		check_sizeof(c, node);
		break;
	case OP_STRINGOF:
		check_stringof(c, node);
		break;
	case OP_NOT:
		if (!d_type_is_scalar(node->left->type))
			d_fail(c, D_OP_SCALAR, "operator ! requires an "
			    "operand of scalar type");
		node->type = c->types.type_int;
		break;
	case OP_PLUS:
	case OP_MINUS:
	case OP_COMPLEMENT:
		check_sign(c, node);
		break;
	default:
		check_step(c, node);
	}
}

/* Checks unary operators; ++ and -- create a new variable, as int64_t. */
struct d_node *
d_check_unary(struct d_compiler *c, struct d_node *node)
{
	struct d_node *operand = node->left, *parameter = NULL;
	bool step = node->op == OP_PRE_INCREMENT ||
	    node->op == OP_PRE_DECREMENT || node->op == OP_POST_INCREMENT ||
	    node->op == OP_POST_DECREMENT;

	/* A view that is passed by value is no expression itself. */
	if (node->op == OP_STRINGOF && d_check_part(c, d_view_place(c, operand,
	    OP_MEMBER)) != NULL)
		operand = d_view_text(c, operand, OP_MEMBER);
	if (operand->kind == NODE_NAME && step && operand->text[0] != '@')
		d_resolve(c, operand, &c->globals, IDENTIFIER_SCALAR, true);
	else if (!step)
		parameter = d_check_parameter(c, operand);
	operand = node->left = parameter != NULL ? parameter :
	    d_check(c, operand, 0);
	if (operand->kind == NODE_VARIABLE) {
		if (d_identifier_is_new(c, operand->identifier)) {
			operand->identifier->type = c->types.type_int64;
			operand->type = c->types.type_int64;
		}
		operand->identifier->flags |= IDENTIFIER_READ |
		    (step ? IDENTIFIER_WRITTEN : 0);
	}
	check_operation(c, node);
	return (node);
}

/* --- two operands ------------------------------------------------------- */

static void
check_operands(struct d_compiler *c, struct d_node *node)
{
	node->left = d_check(c, node->left, IDENTIFIER_READ);
	node->right = d_check(c, node->right, IDENTIFIER_READ);
	node->flags |= (node->left->flags | node->right->flags) &
	    (NODE_ALLOCA | NODE_UNASSIGNED);
}

void
d_check_integers(struct d_compiler *c, const struct d_node *node)
{
	enum operator op = d_operator_plain(node->op);
	bool arithmetic = op == OP_MULTIPLY || op == OP_DIVIDE;

	if (!d_type_is_integer(node->left->type) ||
	    !d_type_is_integer(node->right->type))
		d_fail(c, arithmetic ? D_OP_ARITH : D_OP_INT,
		    "operator %s requires operands of %s type",
		    d_operator_text(node->op),
		    arithmetic ? "arithmetic" : "integral");
}

static void
check_logical(struct d_compiler *c, struct d_node *node)
{
	if (!d_type_is_scalar(node->left->type) ||
	    !d_type_is_scalar(node->right->type))
		d_fail(c, D_OP_SCALAR,
		    "operator %s requires operands of scalar type",
		    d_operator_text(node->op));
	node->type = c->types.type_int;
}

/* Replaces a name that is compared with an enum by one of its enumerators. */
static void
name_enumerator(struct d_compiler *c, const struct d_node *left,
    struct d_node *right, enum operator op)
{
	const struct type *type = d_type_resolve(left->type);
	const struct enumerator *one;
	const struct identifier *global;

	if (type->kind != TYPE_ENUM || right->kind != NODE_NAME)
		return;
	if ((one = d_type_enumerator(type, right->text)) == NULL)
		return;
	if ((global = d_global_find(c, right->text)) != NULL)
		d_fail(c, D_IDENT_AMBIG, "ambiguous use of operator %s: %s "
		    "is both a %s enum tag and a global %s",
		    d_operator_text(op), right->text,
		    d_node_type_name(c, left),
		    d_identifier_kind_name(global->kind));
	right->kind = NODE_INTEGER;
	right->text = NULL;
	right->value = (uint64_t)(int64_t)one->value;
	right->type = left->type;
}

static void
check_comparison(struct d_compiler *c, struct d_node *node)
{
	struct d_node *l, *r;

	l = node->left = d_check(c, node->left, IDENTIFIER_READ);
	name_enumerator(c, l, node->right, node->op);
	r = node->right = d_check(c, node->right, IDENTIFIER_READ);
	node->type = c->types.type_int;
	if (d_type_compatible(l->type, r->type) ||
	    (d_type_is_integer(l->type) && d_type_is_integer(r->type)) ||
	    (d_type_is_char_string(l->type) &&
	    d_type_is_char_string(r->type) &&
	    (d_node_is_string(c, l) || d_node_is_string(c, r))) ||
	    d_pointers_compatible(c, l, r, NULL))
		return;
	d_fail_operands(c, l, node->op, r);
}

/* True for a pointer that can be added to, or a string. */
static bool
is_address(struct d_compiler *c, const struct d_node *node)
{
	return (d_node_is_string(c, node) || (d_node_is_pointer(c, node) &&
	    !d_type_is_void_pointer(node->type)));
}

static struct type *
sum_type(struct d_compiler *c, const struct d_node *node)
{
	const struct d_node *l = node->left, *r = node->right;
	bool l_address = is_address(c, l), r_address = is_address(c, r);
	bool l_integer = d_type_is_integer(l->type);
	bool r_integer = d_type_is_integer(r->type);

	if (l_integer && r_integer)
		return (d_type_promote(c, l->type, r->type));
	complete_pointed(c, l_integer ? r : l);
	if (l_address && r_integer)
		return (l->type);
	if (l_integer && r_address && node->op == OP_ADD)
		return (r->type);
	if (l_address && r_address && node->op == OP_SUBTRACT &&
	    d_pointers_compatible(c, l, r, NULL)) {
		if (((l->flags ^ r->flags) & NODE_ALLOCA) != 0)
			d_fail(c, D_OP_INCOMPAT, "adding or subtracting "
			    "pointers to alloca and non-alloca space is "
			    "meaningless: \"%s\" %s \"%s\"",
			    d_node_type_name(c, l), d_operator_text(node->op),
			    d_node_type_name(c, r));
		return (c->types.type_ptrdiff);
	}
	d_fail_operands(c, l, node->op, r);
}

static void
check_sum(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *l = node->left, *r = node->right;
	const struct type *array = d_type_resolve(l->type);

	node->type = sum_type(c, node);
	if (array->kind == TYPE_ARRAY && r->kind == NODE_INTEGER &&
	    !d_node_is_string(c, l) && array->count != 0 &&
	    r->value >= array->count)
		d_fail(c, D_ARR_BOUNDS,
		    "index outside array bounds: %ju, max is %ju",
		    (uintmax_t)r->value, (uintmax_t)array->count);
}

static void
check_cast(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *to = node->left, *from;
	const struct type *l = d_type_resolve(to->type), *r;

	from = node->right = d_check(c, node->right, IDENTIFIER_READ);
	r = d_type_resolve(from->type);
	node->type = to->type;
	node->flags |= from->flags & NODE_ALLOCA;
	/* The result is writable; the address is checked at run time. */
	if (l->kind == TYPE_POINTER)
		node->flags |= NODE_WRITABLE;
	if (d_type_compatible(l, r) ||
	    (d_type_is_scalar(l) && (d_type_is_scalar(r) ||
	    r->kind == TYPE_FUNCTION)) || d_type_is_void(l) ||
	    (l->kind == TYPE_POINTER && d_node_is_pointer(c, from)) ||
	    (d_node_is_string(c, to) && (d_type_is_scalar(r) ||
	    d_node_is_pointer(c, from) || d_type_is_char_string(r))))
		return;
	d_fail(c, D_CAST_INVAL,
	    "invalid cast expression: \"%s\" to \"%s\"",
	    d_node_type_name(c, from), d_node_type_name(c, to));
}

static void
check_comma(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *l = node->left, *r = node->right;

	if (d_node_is_dynamic(c, l) || d_node_is_dynamic(c, r))
		d_fail(c, D_OP_DYN,
		    "operator , operands cannot be of dynamic type");
	if (is_action(l) || is_action(r))
		d_fail(c, D_OP_ACT, "operator , operands cannot be actions");
	node->type = r->type;
	node->flags &= ~(unsigned)(NODE_ALLOCA | NODE_UNASSIGNED);
	node->flags |= r->flags & (NODE_ALLOCA | NODE_UNASSIGNED);
}

static void
check_plain(struct d_compiler *c, struct d_node *node)
{
	check_operands(c, node);
	switch (node->op) {
	case OP_LOGICAL_OR:
	case OP_LOGICAL_XOR:
	case OP_LOGICAL_AND:
		check_logical(c, node);
		break;
	case OP_LEFT:
	case OP_RIGHT:
		d_check_integers(c, node);
		node->type = node->left->type;
		break;
	case OP_ADD:
	case OP_SUBTRACT:
		check_sum(c, node);
		break;
	case OP_COMMA:
		check_comma(c, node);
		break;
	default:
		d_check_integers(c, node);
		node->type = d_type_promote(c, node->left->type,
		    node->right->type);
	}
}

struct d_node *
d_check_binary(struct d_compiler *c, struct d_node *node, unsigned use)
{
	if (node->op >= OP_ASSIGN && node->op <= OP_OR_ASSIGN)
		return (d_check_assign(c, node));
	switch (node->op) {
	case OP_INDEX:
		return (d_check_argument(c, d_check_index(c, node, use)));
	case OP_MEMBER:
	case OP_POINTER:
		return (d_check_member(c, node, use));
	case OP_XLATE:
		return (d_check_xlate(c, node));
	case OP_CAST:
		check_cast(c, node);
		return (node);
	case OP_EQUAL:
	case OP_UNEQUAL:
	case OP_LESS:
	case OP_GREATER:
	case OP_LESS_EQUAL:
	case OP_GREATER_EQUAL:
		check_comparison(c, node);
		return (node);
	default:
		check_plain(c, node);
		return (node);
	}
}

/* --- three operands ------------------------------------------------------ */

static struct type *
conditional_type(struct d_compiler *c, const struct d_node *l,
    const struct d_node *r)
{
	struct type *type;

	if (d_type_compatible(l->type, r->type))
		return (l->type);
	if (d_type_is_integer(l->type) && d_type_is_integer(r->type))
		return (d_type_promote(c, l->type, r->type));
	if (d_type_is_char_string(l->type) && d_type_is_char_string(r->type) &&
	    (d_node_is_string(c, l) || d_node_is_string(c, r)))
		return (c->types.type_string);
	if (d_pointers_compatible(c, l, r, &type))
		return (type);
	d_fail(c, D_OP_INCOMPAT,
	    "operator ?: operands must have compatible types");
}

struct d_node *
d_check_conditional(struct d_compiler *c, struct d_node *node)
{
	struct d_node *l, *r;

	node->condition = d_check(c, node->condition, IDENTIFIER_READ);
	l = node->left = d_check(c, node->left, IDENTIFIER_READ);
	r = node->right = d_check(c, node->right, IDENTIFIER_READ);
	if (!d_type_is_scalar(node->condition->type))
		d_fail(c, D_OP_SCALAR,
		    "operator ?: expression must be of scalar type");
	if (d_node_is_dynamic(c, l) || d_node_is_dynamic(c, r))
		d_fail(c, D_OP_DYN,
		    "operator ?: operands cannot be of dynamic type");
	node->type = conditional_type(c, l, r);
	if (is_action(l) || is_action(r))
		d_fail(c, D_OP_ACT,
		    "action cannot be used in a conditional context");
	node->flags |= (l->flags | r->flags) & NODE_UNASSIGNED;
	if (((l->flags ^ r->flags) & NODE_ALLOCA) != 0)
		node->flags |= NODE_UNASSIGNED;
	node->flags |= l->flags & NODE_ALLOCA;
	return (node);
}
