/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parsing of declarations: specifiers, declarators, types.  define.c applies
 * complete declarations.
 */
#include <string.h>

#include "check.h"
#include "declare.h"
#include "tree/errors.h"
#include "tree/tree.h"

static void
begin(struct declaration *d)
{
	struct declaration *outer = d->outer;

	*d = (struct declaration){ .outer = outer, .enumerator = -1 };
}

void
d_declare_push(struct d_compiler *c)
{
	struct declaration *d = d_allocate(c, sizeof(*d));

	d->outer = c->declaration;
	begin(d);
	c->declaration = d;
}

void
d_declare_pop(struct d_compiler *c)
{
	c->declaration = c->declaration->outer;
}

void
d_declare_end(struct d_compiler *c)
{
	begin(c->declaration);
}

void
d_declare_storage(struct d_compiler *c, enum storage storage)
{
	if (c->declaration->storage != STORAGE_NONE)
		d_fail(c, D_DECL_CLASS, "only one storage class allowed "
		    "in a declaration");
	c->declaration->storage = storage;
}

/* Checks that the attributes fit the type. */
static void
agree(struct d_compiler *c, const struct declaration *d)
{
	const unsigned lengths = ATTRIBUTE_SHORT | ATTRIBUTE_LONG |
	    ATTRIBUTE_LONG_LONG;
	const unsigned signs = ATTRIBUTE_SIGNED | ATTRIBUTE_UNSIGNED;

	if (!d->has_kind)
		return;
	if (d->name != NULL && strcmp(d->name, "char") == 0 &&
	    (d->attributes & lengths) != 0)
		d_fail(c, D_DECL_CHARATTR, "invalid type declaration: short "
		    "and long may not be used with char type");
	if (d->name != NULL && strcmp(d->name, "void") == 0 &&
	    (d->attributes & (lengths | signs)) != 0)
		d_fail(c, D_DECL_VOIDATTR, "invalid type declaration: "
		    "attributes may not be used with void type");
	if (d->kind != TYPE_INTEGER && (d->attributes & signs) != 0)
		d_fail(c, D_DECL_SIGNINT, "invalid type declaration: signed "
		    "and unsigned may only be used with integer type");
	if (d->kind != TYPE_INTEGER && d->kind != TYPE_FLOAT &&
	    (d->attributes & (ATTRIBUTE_LONG | ATTRIBUTE_LONG_LONG)) != 0)
		d_fail(c, D_DECL_LONGINT, "invalid type declaration: long "
		    "and long long may only be used with integer or "
		    "floating-point type");
}

void
d_declare_attribute(struct d_compiler *c, unsigned attribute)
{
	struct declaration *d = c->declaration;

	if (attribute == ATTRIBUTE_LONG &&
	    (d->attributes & ATTRIBUTE_LONG) != 0) {
		d->attributes &= ~(unsigned)ATTRIBUTE_LONG;
		attribute = ATTRIBUTE_LONG_LONG;
	}
	d->attributes |= attribute;
	agree(c, d);
}

void
d_declare_specifier(struct d_compiler *c, enum type_kind kind,
    const char *name)
{
	struct declaration *d = c->declaration;

	/* A second type name is the declared name. */
	if (d->has_name && kind == TYPE_TYPEDEF) {
		if (d->storage == STORAGE_TYPEDEF)
			d_fail(c, D_DECL_IDRED, "identifier redeclared: %s",
			    name);
		if (d->declarator != NULL)
			d_fail(c, D_DECL_IDENT, "old-style declaration or "
			    "incorrect type specified");
		d->declarator = d_declarator(c, name);
		return;
	}
	if (d->has_kind)
		d_fail(c, D_DECL_COMBO, "invalid type combination");
	d->has_kind = true;
	d->has_name = name != NULL;
	d->kind = kind;
	d->name = name;
	agree(c, d);
}

struct declarator *
d_declarator(struct d_compiler *c, const char *name)
{
	struct declarator *declarator = d_allocate(c, sizeof(*declarator));

	declarator->name = name;
	return (declarator);
}

#define DERIVATIONS_MAX	1000

struct declarator *
d_declarator_derive(struct d_compiler *c, struct declarator *declarator,
    struct derivation *derivation)
{
	struct derivation **last;
	unsigned count = 0;

	for (last = &declarator->first; *last != NULL; last = &(*last)->next)
		if (++count > DERIVATIONS_MAX)
			d_fail(c, D_UNKNOWN, "type is nested too deeply");
	*last = derivation;
	return (declarator);
}

struct derivation *
d_derive_pointer(struct d_compiler *c, struct derivation *next)
{
	struct derivation *one = d_allocate(c, sizeof(*one));

	one->kind = DERIVE_POINTER;
	one->next = next;
	return (one);
}

struct derivation *
d_derive_array(struct d_compiler *c, struct d_node *dimension)
{
	struct derivation *one = d_allocate(c, sizeof(*one));

	one->kind = DERIVE_ARRAY;
	one->unsized = dimension == NULL;
	if (dimension == NULL)
		return (one);
	if (dimension->kind == NODE_TYPE) {
		one->kind = DERIVE_ASSOCIATIVE;
		one->parameters = dimension;
		d_declare_prototype(c, dimension, dimension, "array",
		    PROTOTYPE_NAMELESS);
		return (one);
	}
	dimension = d_check(c, dimension, IDENTIFIER_READ);
	if (!d_node_is_positive(dimension))
		d_fail(c, D_DECL_ARRSUB, "positive integral constant "
		    "expression or tuple signature expected as array "
		    "declaration subscript");
	if (dimension->value > UINT32_MAX)
		d_fail(c, D_DECL_ARRBIG, "array dimension too big");
	one->count = dimension->value;
	return (one);
}

struct derivation *
d_derive_function(struct d_compiler *c, struct d_node *parameters)
{
	struct derivation *one = d_allocate(c, sizeof(*one));

	d_declare_prototype(c, parameters, parameters, "function",
	    PROTOTYPE_VARIABLE | PROTOTYPE_VOID | PROTOTYPE_NAMELESS);
	one->kind = DERIVE_FUNCTION;
	one->parameters = parameters;
	return (one);
}

/* True if the name includes the base; that of "unsigned long int" does not. */
static bool
has_base(const struct declaration *d)
{
	const unsigned lengths = ATTRIBUTE_SHORT | ATTRIBUTE_LONG |
	    ATTRIBUTE_LONG_LONG;

	return (d->name != NULL && (d->kind == TYPE_FLOAT ||
	    (d->attributes & lengths) == 0));
}

/* Returns the canonical name of an integer: "unsigned long", "int". */
static const char *
integer_name(struct d_compiler *c, const struct declaration *d)
{
	unsigned has = d->attributes;
	bool base = has_base(d);

	if (has == 0 && d->name == NULL)
		return ("int");
	char *name = d_format(c, "%s%s%s%s%s%s",
	    (has & ATTRIBUTE_SIGNED) != 0 ? "signed " : "",
	    (has & ATTRIBUTE_UNSIGNED) != 0 ? "unsigned " : "",
	    (has & ATTRIBUTE_SHORT) != 0 ? "short " : "",
	    (has & ATTRIBUTE_LONG) != 0 ? "long " : "",
	    (has & ATTRIBUTE_LONG_LONG) != 0 ? "long long " : "",
	    base ? d->name : "");
	if (!base)
		name[strlen(name) - 1] = '\0';
	return (name);
}

/* Returns the type of a tag; an undefined one becomes a forward declaration. */
static struct type *
tag_type(struct d_compiler *c, const struct declaration *d)
{
	struct type *type = d_type_find_tag(c, d->kind, d->name);

	if (type == NULL) {
		type = d_type_add(c, TYPE_FORWARD, d->name);
		type->tag = d->kind;
	}
	/* Every use of an enum needs its integer type. */
	if (d->kind == TYPE_ENUM)
		d_type_complete(c, type);
	return (type);
}

static struct type *
specified_type(struct d_compiler *c)
{
	struct declaration *d = c->declaration;
	const char *name = d->name;
	struct type *type;

	if (d->type != NULL)
		return (d->type);
	if (!d->has_kind) {
		d->has_kind = true;
		d->kind = TYPE_INTEGER;
		agree(c, d);
	}
	if (d->kind == TYPE_STRUCT || d->kind == TYPE_UNION ||
	    d->kind == TYPE_ENUM)
		return (tag_type(c, d));
	if (d->kind == TYPE_INTEGER || d->kind == TYPE_FLOAT)
		name = integer_name(c, d);
	/* Attributes without a base end in a blank, as in DTrace. */
	if ((type = d_type_find(c, name)) == NULL)
		d_fail(c, D_UNKNOWN, "failed to resolve type %s%s: "
		    "Unknown type name", name, has_base(d) ? "" : " ");
	return (type);
}

/* The largest array, far below the size at which sizes would wrap. */
#define SIZE_MAX_ARRAY	((uint64_t)1 << 40)

static struct type *
derive_array(struct d_compiler *c, struct type *type, uint64_t count)
{
	uint64_t size = d_type_size(type);

	if (type == c->types.type_void)
		d_fail(c, D_DECL_VOIDOBJ, "cannot declare array of void");
	if (size != 0 && count > SIZE_MAX_ARRAY / size)
		d_fail(c, D_DECL_ARRBIG, "array dimension too big");
	return (d_type_array(c, type, count));
}

/* Applies derivations; the one farthest from the name comes first. */
static struct type *
derive(struct d_compiler *c, struct type *type, const struct derivation *one)
{
	if (one == NULL)
		return (type);
	type = derive(c, type, one->next);
	switch (one->kind) {
	case DERIVE_POINTER:
		return (d_type_pointer(c, type));
	case DERIVE_ARRAY:
		if (type == c->types.type_dynamic)
			d_fail(c, D_DECL_DYNOBJ,
			    "cannot declare array of associative arrays");
		return (derive_array(c, type, one->count));
	case DERIVE_ASSOCIATIVE:
		return (c->types.type_dynamic);
	default:
		return (c->types.type_function);
	}
}

struct type *
d_declare_type(struct d_compiler *c, struct declarator *declarator)
{
	struct type *type = specified_type(c);

	return (derive(c, type,
	    declarator == NULL ? NULL : declarator->first));
}

struct d_node *
d_declare_parameter(struct d_compiler *c, struct declarator *declarator)
{
	struct declaration *d = c->declaration;
	struct d_node *node;
	struct type *type;

	if (d->storage != STORAGE_NONE && d->storage != STORAGE_REGISTER)
		d_fail(c, D_DECL_PARMCLASS, "inappropriate storage class "
		    "for function or associative array parameter");
	if (declarator == NULL)
		declarator = d->declarator;
	type = d_declare_type(c, declarator);
	node = d_node_type(c, type);
	if (declarator != NULL)
		node->text = declarator->name;
	d_declare_end(c);
	return (node);
}

/* True if the list has a parameter of this name before this one. */
static bool
is_formal(const struct d_node *parameter, const struct d_node *list)
{
	for (; list != NULL && list != parameter; list = list->next)
		if (list->text != NULL &&
		    strcmp(list->text, parameter->text) == 0)
			return (true);
	return (false);
}

static void
check_parameter(struct d_compiler *c, const struct d_node *one,
    const struct d_node *formal, bool output, const char *what,
    unsigned allowed, unsigned number)
{
	bool is_void = one->type != c->types.type_dynamic &&
	    d_type_is_void(one->type);

	if (one->type == c->types.type_dynamic ||
	    (is_void && (allowed & PROTOTYPE_VOID) == 0))
		d_fail_at(c, one, D_DECL_PROTO_TYPE, "%s prototype may not "
		    "use parameter of type %s: %s, parameter #%u", what,
		    d_node_type_name(c, one),
		    one->text == NULL ? "(anonymous)" : one->text, number);
	if (is_void && one->text != NULL)
		d_fail_at(c, one, D_DECL_PROTO_NAME, "void parameter may "
		    "not have a name: %s", one->text);
	if (one->text != NULL && is_formal(one, formal) != output)
		d_fail_at(c, one, D_DECL_PROTO_FORM, "parameter is %s "
		    "declared in %s prototype: %s, parameter #%u",
		    output ? "not" : "already", what, one->text, number);
	if (one->text == NULL && !is_void &&
	    (allowed & PROTOTYPE_NAMELESS) == 0)
		d_fail_at(c, one, D_DECL_PROTO_NAME, "parameter declaration "
		    "requires a name: parameter #%u", number);
}

unsigned
d_declare_prototype(struct d_compiler *c, struct d_node *parameters,
    const struct d_node *formal, const char *what, unsigned allowed)
{
	bool output = parameters != formal, has_void = false;
	const struct d_node *one;
	unsigned number = 0;

	for (one = parameters; one != NULL; one = one->next) {
		number++;
		if ((one->flags & NODE_VARIABLE_ARGUMENTS) != 0) {
			if ((allowed & PROTOTYPE_VARIABLE) == 0)
				d_fail_at(c, one, D_DECL_PROTO_VARARGS,
				    "%s prototype may not use a "
				    "variable-length argument list", what);
			continue;
		}
		check_parameter(c, one, formal, output, what, allowed,
		    number);
		has_void |= one->type != c->types.type_dynamic &&
		    d_type_is_void(one->type);
	}
	if (has_void && number > 1)
		d_fail(c, D_DECL_PROTO_VOID, "void must be sole parameter");
	return (has_void ? 0 : number);
}
