/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translators, and translated values.
 */
#include <string.h>

#include "check.h"
#include "declare.h"
#include "stability.h"
#include "tree/errors.h"

struct identifier *
d_node_translated(struct d_compiler *c, const struct d_node *node)
{
	struct identifier *one;

	if (node->identifier == NULL || (!d_node_is_dynamic(c, node) &&
	    node->kind != NODE_VARIABLE))
		return (NULL);
	one = d_identifier_resolve(node->identifier);
	return (one->kind == IDENTIFIER_TRANSLATED ||
	    one->kind == IDENTIFIER_TRANSLATED_POINTER ? one : NULL);
}

const struct d_node *
d_translator_member(const struct translator *translator, const char *name)
{
	const struct d_node *one;

	for (one = translator->members; one != NULL; one = one->next)
		if (strcmp(one->text, name) == 0)
			return (one);
	return (NULL);
}

static uint64_t
hash_of(const struct type *from, const struct type *to)
{
	return (d_number_hash(d_type_hash(from), to->number));
}

/* Finds the first translator between compatible types. */
static struct translator *
find_exact(struct d_compiler *c, const struct type *from,
    const struct type *to)
{
	struct d_name *one = c->translators;
	struct translator *translator;
	uint64_t hash = hash_of(from, to);

	for (; one != NULL; one = *d_name_step(one, &hash)) {
		translator = (struct translator *)one;
		if (d_type_resolve(translator->to) == to &&
		    d_type_compatible(translator->from, from))
			return (translator);
	}
	return (NULL);
}

/* Finds a translator for the type, or unless `exact` for a compatible one. */
static struct translator *
find_translator(struct d_compiler *c, const struct d_node *from,
    const struct type *to, bool exact)
{
	struct translator *one;
	struct d_node parameter = { .kind = NODE_TYPE };

	to = d_type_resolve(to);
	if (to->kind == TYPE_POINTER)
		to = d_type_resolve(to->of);
	if (to->kind != TYPE_STRUCT && to->kind != TYPE_UNION)
		return (NULL);
	one = find_exact(c, from->type, to);
	if (one != NULL || exact)
		return (one);
	for (one = to->translators; one != NULL; one = one->next) {
		parameter.type = one->from;
		if (d_argument_compatible(c, from, &parameter))
			return (one);
	}
	return (NULL);
}

struct d_node *
d_check_xlate(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *to = node->left;
	struct translator *one;

	node->right = d_check(c, node->right, IDENTIFIER_READ);
	one = find_translator(c, node->right, to->type, false);
	if (one == NULL)
		d_fail(c, D_XLATE_NONE,
		    "cannot translate from \"%s\" to \"%s\"",
		    d_node_type_name(c, node->right), d_node_type_name(c, to));
	node->identifier = d_type_resolve(to->type)->kind == TYPE_POINTER ?
	    one->pointer : one->whole;
	node->translator = one;
	node->type = c->types.type_dynamic;
	return (node);
}

static void
check_output(struct d_compiler *c, const struct type *to)
{
	const struct type *base = d_type_complete(c, to);

	if (base->kind == TYPE_FORWARD)
		d_fail(c, D_XLATE_SOU, "incomplete struct/union/enum %s",
		    d_type_name(c, to));
	if (base->kind != TYPE_STRUCT && base->kind != TYPE_UNION)
		d_fail(c, D_XLATE_SOU,
		    "translator output type must be a struct or union");
}

static void
check_member(struct d_compiler *c, const struct translator *translator,
    struct d_node *one)
{
	const struct member *member = d_type_member(translator->to, one->text,
	    &one->value);

	if (member == NULL)
		d_fail(c, D_XLATE_MEMB, "translator member %s is not a member "
		    "of %s", one->text, d_type_name(c, translator->to));
	one->left = d_check(c, one->left, IDENTIFIER_READ);
	one->type = member->type;
	if (!d_argument_compatible(c, one, one->left))
		d_fail(c, D_XLATE_INCOMPAT, "translator member %s definition "
		    "uses incompatible types: \"%s\" = \"%s\"", one->text,
		    d_type_name(c, one->type),
		    d_node_type_name(c, one->left));
}

static struct identifier *
result(struct d_compiler *c, struct translator *translator,
    enum identifier_kind kind, struct type *type)
{
	struct identifier *one = d_identifier_make(c, "translator", kind,
	    IDENTIFIER_READ);

	one->type = type;
	one->translator = translator;
	return (one);
}

static struct translator *
make_translator(struct d_compiler *c, struct type *to, struct type *from,
    const char *name, struct d_node *members)
{
	struct translator *one = d_allocate(c, sizeof(*one));
	struct type *base = d_type_resolve(to);

	one->to = to;
	one->from = from;
	one->members = members;
	one->whole = result(c, one, IDENTIFIER_TRANSLATED, to);
	one->pointer = result(c, one, IDENTIFIER_TRANSLATED_POINTER,
	    d_type_pointer(c, to));
	d_table_init(&one->parameters);
	one->parameter = d_table_add(c, &one->parameters, name,
	    IDENTIFIER_SCALAR, IDENTIFIER_READ);
	one->parameter->type = from;
	d_names_add(&c->translators, &one->entry, hash_of(from, base));
	if (base->last_translator == NULL)
		base->translators = one;
	else
		base->last_translator->next = one;
	base->last_translator = one;
	return (one);
}

/* Checks a translator.  Errors in members are reported at its last line. */
struct d_node *
d_check_translator(struct d_compiler *c, struct type *to, struct type *from,
    const char *name, struct d_node *members)
{
	struct d_node source = { .kind = NODE_TYPE, .type = from };
	struct translator *translator;
	struct d_node *node, *one;

	if (find_translator(c, &source, to, true) != NULL)
		d_fail(c, D_XLATE_REDECL, "translator from %s to %s has "
		    "already been declared", d_type_name(c, from),
		    d_type_name(c, to));
	check_output(c, to);
	translator = make_translator(c, to, from, name, members);
	node = d_node_make(c, NODE_TRANSLATOR);
	node->translator = translator;
	node->arguments = members;
	translator->parameters.outer = c->inner;
	c->inner = &translator->parameters;
	for (one = members; one != NULL; one = one->next)
		check_member(c, translator, one);
	c->inner = translator->parameters.outer;
	d_stability_translator(translator);
	return (node);
}
