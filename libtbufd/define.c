/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Definitions by declarations: members, enumerators, typedefs, variables,
 * inlines.
 */
#include <limits.h>
#include <string.h>

#include "check.h"
#include "declare.h"
#include "tree/errors.h"
#include "tree/tree.h"

/* True if a C header may repeat the definition of a type of D's own. */
static bool
may_repeat(const struct d_compiler *c, const struct type *type)
{
	return (c->include_depth != 0 && type->number < c->types.own);
}

static struct type *
define_composite(struct d_compiler *c, enum type_kind kind, const char *name)
{
	struct type *type = NULL;

	if (name != NULL)
		type = d_type_find_tag(c, kind, name);
	if (type != NULL && (type->imported || type->weak ||
	    may_repeat(c, type)))
		d_type_forget(type);
	if (type != NULL && type->kind != TYPE_FORWARD)
		d_fail(c, D_DECL_TYPERED, "type redeclared: %s",
		    d_type_name(c, type));
	if (type == NULL)
		return (d_type_add(c, kind, name));
	/* Pointers to the tag point to this definition now. */
	type->kind = kind;
	return (type);
}

void
d_declare_composite(struct d_compiler *c, enum type_kind kind,
    const char *name)
{
	d_declare_specifier(c, kind, name);
	c->declaration->type = define_composite(c, kind, name);
	d_declare_push(c);
}

/* True for a structure while its members are read: it cannot contain itself. */
static bool
is_being_defined(const struct d_compiler *c, const struct type *type)
{
	const struct declaration *d;

	for (; type->kind == TYPE_ARRAY; type = d_type_resolve(type->of))
		continue;
	for (d = c->declaration; d != NULL; d = d->outer)
		if (d->outer != NULL && d->outer->type == type)
			return (true);
	return (false);
}

static void
member_type(struct d_compiler *c, const struct type *type, const char *name)
{
	const struct type *base = d_type_complete(c, type);

	if (type == c->types.type_dynamic)
		d_fail(c, D_DECL_DYNOBJ, "cannot have dynamic member: %s",
		    name);
	if (base->kind == TYPE_FORWARD || is_being_defined(c, base) ||
	    ((base->kind == TYPE_STRUCT || base->kind == TYPE_UNION) &&
	    d_type_size(base) == 0))
		d_fail(c, D_DECL_INCOMPLETE,
		    "incomplete struct/union/enum %s: %s",
		    d_type_name(c, type), name);
	if (d_type_size(base) == 0)
		d_fail(c, D_DECL_VOIDOBJ, "cannot have void member: %s",
		    name);
}

static struct type *
bit_field_type(struct d_compiler *c, struct type *type, const char *name,
    const struct d_node *bits)
{
	const struct type *base = d_type_resolve(type);

	if (!d_node_is_positive(bits))
		d_fail(c, D_DECL_BFCONST, "positive integral constant "
		    "expression expected as bit-field size");
	if (base->kind != TYPE_INTEGER || base->bits == 0)
		d_fail(c, D_DECL_BFTYPE, "invalid type for bit-field: %s",
		    name);
	if (bits->value > base->bits)
		d_fail(c, D_DECL_BFSIZE, "bit-field too big for type: %s",
		    name);
	return (d_type_bit_field(c, type, 0, (unsigned)bits->value, 0));
}

/* True for a nameless structure, with members of the outer one. */
static bool
is_anonymous(const struct declaration *d, const struct declarator *one)
{
	return (one == NULL && d->type != NULL && d->name == NULL &&
	    d->kind != TYPE_ENUM);
}

void
d_declare_member(struct d_compiler *c, struct declarator *declarator,
    struct d_node *bits)
{
	struct declaration *d = c->declaration;
	const char *name, *shown;
	struct type *type;

	if (declarator == NULL && bits == NULL)
		declarator = d->declarator;
	name = declarator == NULL ? NULL : declarator->name;
	shown = name == NULL ? "(anon)" : name;
	if (name == NULL && bits == NULL && !is_anonymous(d, declarator))
		d_fail(c, D_DECL_MNAME, "member declaration requires a name");
	type = d_declare_type(c, declarator);
	if (name != NULL && strchr(name, '`') != NULL)
		d_fail(c, D_DECL_SCOPE, "D scoping operator may not be used "
		    "in a member name (%s)", name);
	member_type(c, type, shown);
	if (bits != NULL) {
		bits = d_check(c, bits, IDENTIFIER_READ);
		if (name == NULL && bits->kind == NODE_INTEGER &&
		    bits->value == 0)
			return;
		type = bit_field_type(c, type, shown, bits);
	}
	if (!d_type_add_member(c, d->outer->type, name == NULL && bits != NULL ?
	    "" : name, type))
		d_fail(c, D_UNKNOWN, "failed to define member '%s': Duplicate "
		    "member or variable name", shown);
}

static int
enumerator_value(struct d_compiler *c, const char *name, struct d_node *node)
{
	int64_t value;

	node = d_check(c, node, IDENTIFIER_READ);
	if (node->kind != NODE_INTEGER)
		d_fail(c, D_DECL_ENCONST, "enumerator '%s' must be assigned "
		    "to an integral constant expression", name);
	value = (int64_t)node->value;
	if (value > INT_MAX || value < INT_MIN)
		d_fail(c, D_DECL_ENOFLOW, "enumerator '%s' value overflows "
		    "INT_MAX (%d)", name, INT_MAX);
	return ((int)value);
}

void
d_declare_enumerator(struct d_compiler *c, const char *name,
    struct d_node *node)
{
	struct declaration *d = c->declaration;
	struct type *type = d->outer->type;
	struct identifier *one;
	int value;

	if (strchr(name, '`') != NULL)
		d_fail(c, D_DECL_SCOPE, "D scoping operator may not be used "
		    "in an enumerator name (%s)", name);
	value = node != NULL ? enumerator_value(c, name, node) :
	    (int)((unsigned)d->enumerator + 1);
	if (!d_type_add_enumerator(c, type, name, value))
		d_fail(c, D_UNKNOWN, "failed to define enumerator '%s': "
		    "Duplicate member or variable name", name);
	d->enumerator = value;
	if (d_global_find(c, name) != NULL) {
		if (c->include_depth != 0)
			return;		/* in a header: the variable wins */
		d_fail(c, D_DECL_IDRED, "identifier redeclared: %s", name);
	}
	one = d_table_add(c, &c->globals, name, IDENTIFIER_ENUMERATOR,
	    IDENTIFIER_INLINE | IDENTIFIER_READ);
	one->type = type;
	one->body = d_node_constant(c, type, (uint64_t)(int64_t)value);
}

static void
declare_typedef(struct d_compiler *c, const char *name, struct type *type)
{
	struct type *was;

	if (d_global_find(c, name) != NULL)
		d_fail(c, D_DECL_IDRED,
		    "global variable identifier redeclared: %s", name);
	was = d_type_find(c, name);
	if (was != NULL && was->weak) {
		was->of = type;
		was->weak = false;
		return;
	}
	if (was != NULL && may_repeat(c, was))
		return;		/* the script sees D's type */
	if (was != NULL)
		d_fail(c, D_DECL_IDRED, "typedef redeclared: %s", name);
	d_type_typedef(c, name, type);
}

static struct signature *
signature_of(struct d_compiler *c, const struct d_node *parameters)
{
	struct signature *s = d_allocate(c, sizeof(*s));
	unsigned i = 0;

	s->count = d_node_count(parameters);
	s->at_least = s->optional = -1;
	s->types = d_allocate(c, s->count * sizeof(struct type *) + 1);
	for (; parameters != NULL; parameters = parameters->next)
		s->types[i++] = parameters->type;
	return (s);
}

/* Checks a redeclaration: the kind, type and keys must be the same. */
static void
redeclare(struct d_compiler *c, const struct identifier *one,
    enum identifier_kind kind, const struct type *type,
    const struct d_node *keys)
{
	const struct signature *s = one->signature;
	const char *what = d_identifier_kind_name(kind);
	const char *was = d_identifier_kind_name(one->kind);
	unsigned i = 0;

	if (one->kind != kind || one->type != type)
		d_fail(c, D_DECL_IDRED, "identifier redeclared: %s\n"
		    "\t current: %s %s\n\tprevious: %s %s", one->name, what,
		    d_type_name(c, type), was, one->type == NULL ? "<none>" :
		    d_type_name(c, one->type));
	for (; keys != NULL && s != NULL; keys = keys->next, i++)
		if (i < s->count && keys->type != s->types[i])
			d_fail(c, D_DECL_IDRED, "identifier redeclared: %s\n"
			    "\t current: %s, key #%u of type %s\n"
			    "\tprevious: %s, key #%u of type %s", one->name,
			    what, i + 1, d_type_name(c, keys->type), was,
			    i + 1, d_type_name(c, s->types[i]));
	if (s != NULL && i != s->count)
		d_fail(c, D_DECL_IDRED, "identifier redeclared: %s\n"
		    "\t current: %s of %s, tuple length %u\n"
		    "\tprevious: %s of %s, tuple length %u", one->name, what,
		    d_type_name(c, type), i, was, d_type_name(c, one->type),
		    s->count);
}

static void
variable_type(struct d_compiler *c, const char *name, const struct type *type)
{
	const struct type *base = d_type_complete(c, type);

	if (base->kind == TYPE_INTEGER && base->bits == 0)
		d_fail(c, D_DECL_VOIDOBJ, "cannot have void object: %s",
		    name);
	if (base->kind == TYPE_FORWARD || ((base->kind == TYPE_STRUCT ||
	    base->kind == TYPE_UNION) && d_type_size(base) == 0))
		d_fail(c, D_DECL_INCOMPLETE,
		    "incomplete struct/union/enum %s: %s",
		    d_type_name(c, type), name);
}

/* Returns the type of an associative array, which is its values' type. */
static struct type *
value_type(struct d_compiler *c, const struct declarator *declarator)
{
	struct declarator rest = { NULL, declarator->first->next };

	return (d_declare_type(c, &rest));
}

static void
declare_variable(struct d_compiler *c, struct declarator *declarator)
{
	struct derivation *first = declarator->first;
	enum storage storage = c->declaration->storage;
	bool associative = first != NULL && first->kind == DERIVE_ASSOCIATIVE;
	struct table *table = storage == STORAGE_THIS ? &c->locals :
	    storage == STORAGE_SELF ? &c->threads : &c->globals;
	enum identifier_kind kind = associative ? IDENTIFIER_ARRAY :
	    IDENTIFIER_SCALAR;
	const char *name = declarator->name;
	struct identifier *one;
	struct type *type;

	one = table == &c->globals ? d_global_find(c, name) :
	    d_table_find(table, name);
	if (first != NULL && first->kind == DERIVE_ARRAY && first->unsized)
		d_fail(c, D_DECL_ARRNULL, "array declaration requires array "
		    "dimension or tuple signature: %s", name);
	if (one != NULL && (one->flags & IDENTIFIER_BUILTIN) != 0)
		d_fail(c, D_DECL_IDRED, "built-in identifier redeclared: %s",
		    name);
	if ((type = d_type_find(c, name)) != NULL && !type->weak)
		d_fail(c, D_DECL_IDRED, "typedef identifier redeclared: %s",
		    name);
	if (associative && storage == STORAGE_THIS)
		d_fail(c, D_DECL_LOCASSC, "associative arrays may not be "
		    "declared as local variables: %s", name);
	type = associative ? value_type(c, declarator) :
	    d_declare_type(c, declarator);
	if (one != NULL) {
		redeclare(c, one, kind, type,
		    associative ? first->parameters : NULL);
		return;
	}
	variable_type(c, name, type);
	one = d_table_add(c, table, name, kind,
	    IDENTIFIER_WRITABLE | IDENTIFIER_DECLARED |
	    (storage == STORAGE_THIS ? IDENTIFIER_LOCAL : 0) |
	    (storage == STORAGE_SELF ? IDENTIFIER_THREAD : 0));
	one->type = type;
	if (associative)
		one->signature = signature_of(c, first->parameters);
}

static void
declare_tag(struct d_compiler *c)
{
	const struct declaration *d = c->declaration;

	d_declare_type(c, NULL);
	if (d->kind != TYPE_STRUCT && d->kind != TYPE_UNION &&
	    d->kind != TYPE_ENUM)
		d_fail(c, D_DECL_USELESS, "useless declaration");
}

void
d_declare(struct d_compiler *c, struct declarator *declarator)
{
	struct declaration *d = c->declaration;
	const struct type *type;

	if (declarator == NULL)
		declarator = d->declarator;
	if (declarator == NULL) {
		declare_tag(c);
		return;
	}
	type = d_declare_type(c, declarator);
	if (strchr(declarator->name, '`') != NULL)
		d_fail(c, D_DECL_SCOPE, "D scoping operator may not be used "
		    "in a declaration name (%s)", declarator->name);
	if (type->kind == TYPE_FUNCTION && (d->storage == STORAGE_NONE ||
	    d->storage == STORAGE_STATIC))
		return;
	switch (d->storage) {
	case STORAGE_AUTO:
	case STORAGE_REGISTER:
	case STORAGE_STATIC:
		d_fail(c, D_DECL_BADCLASS,
		    "specified storage class not appropriate in D");
	case STORAGE_EXTERN:
		return;
	case STORAGE_TYPEDEF:
		declare_typedef(c, declarator->name,
		    d_declare_type(c, declarator));
		return;
	default:
		declare_variable(c, declarator);
	}
}

static void
inline_parameters(struct d_compiler *c, struct identifier *one,
    const struct d_node *parameters)
{
	struct identifier *parameter;

	one->signature = signature_of(c, parameters);
	one->parameters = d_allocate(c, sizeof(*one->parameters));
	d_table_init(one->parameters);
	for (; parameters != NULL; parameters = parameters->next) {
		parameter = d_table_add(c, one->parameters,
		    parameters->text == NULL ? "" : parameters->text,
		    IDENTIFIER_SCALAR, IDENTIFIER_DECLARED |
		    IDENTIFIER_READ);
		parameter->type = parameters->type;
	}
}

static struct derivation *
inline_keys(struct d_compiler *c, const struct declarator *declarator)
{
	struct derivation *first = declarator->first;

	if (first == NULL || (first->kind != DERIVE_ARRAY &&
	    first->kind != DERIVE_ASSOCIATIVE))
		return (NULL);
	if (first->kind == DERIVE_ARRAY && first->unsized)
		d_fail(c, D_DECL_ARRNULL, "inline declaration requires array "
		    "tuple signature: %s", declarator->name);
	if (first->kind == DERIVE_ARRAY)
		d_fail(c, D_DECL_ARRNULL, "inline declaration cannot be of "
		    "scalar array type: %s", declarator->name);
	return (first);
}

static void
inline_name(struct d_compiler *c, const struct declarator *declarator)
{
	const struct identifier *was;

	if (c->declaration->storage != STORAGE_NONE)
		d_fail(c, D_DECL_BADCLASS, "specified storage class not "
		    "appropriate for inline declaration");
	if (declarator->name == NULL)
		d_fail(c, D_DECL_USELESS,
		    "inline declaration requires a name");
	if ((was = d_global_find(c, declarator->name)) != NULL)
		d_fail(c, D_DECL_IDRED, "identifier redefined: %s\n\t "
		    "current: inline definition\n\tprevious: %s %s",
		    was->name, d_identifier_kind_name(was->kind),
		    (was->flags & IDENTIFIER_INLINE) != 0 ? "inline" : "");
}

struct d_node *
d_declare_inline(struct d_compiler *c, struct declarator *declarator,
    struct d_node *expression)
{
	const char *name = declarator->name;
	struct identifier *one;
	struct derivation *keys;
	struct type *type;
	struct d_node *node;

	d_declare_type(c, declarator);
	inline_name(c, declarator);
	keys = inline_keys(c, declarator);
	type = keys != NULL ? value_type(c, declarator) :
	    d_declare_type(c, declarator);
	node = d_node_make(c, NODE_INLINE);
	node->type = type;
	if (d_type_is_void(type))
		d_fail(c, D_DECL_VOIDOBJ, "cannot declare void inline: %s",
		    name);
	if (d_type_complete(c, type)->kind == TYPE_FORWARD)
		d_fail(c, D_DECL_INCOMPLETE,
		    "incomplete struct/union/enum %s: %s",
		    d_type_name(c, type), name);
	one = d_identifier_make(c, name, keys == NULL ? IDENTIFIER_SCALAR :
	    IDENTIFIER_ARRAY, IDENTIFIER_INLINE | IDENTIFIER_READ |
	    IDENTIFIER_DECLARED);
	one->type = type;
	if (keys != NULL)
		inline_parameters(c, one, keys->parameters);
	node->identifier = one;
	d_check_inline(c, node, expression);
	d_table_insert(&c->globals, one);
	d_declare_end(c);
	d_lex_outer(c);
	return (node);
}
