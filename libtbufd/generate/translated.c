/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inlines and translators, expanded where they are used.
 */
#include <string.h>

#include "builtins.h"
#include "generate.h"
#include "tree/errors.h"

const struct binding *
d_binding(const struct generator *g, const struct identifier *identifier)
{
	const struct binding *one;

	for (one = g->bindings; one != NULL; one = one->next)
		if (one->identifier == identifier)
			return (one);
	return (NULL);
}

static void
bind(struct generator *g, const struct identifier *identifier, unsigned reg)
{
	struct binding *one = d_allocate(g->c, sizeof(*one));

	one->next = g->bindings;
	one->identifier = identifier;
	one->type = identifier->type;
	one->reg = reg;
	g->bindings = one;
}

/* --- inlines -------------------------------------------------------------- */

unsigned
d_inline_bind(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct d_node *arguments = node->arguments;
	const struct identifier *parameter;
	struct binding *outer = g->bindings, *bound, *last = NULL;

	if (node->identifier->parameters == NULL)
		return (to);
	parameter = node->identifier->parameters->first;
	for (; arguments != NULL && parameter != NULL; to++) {
		d_value_as(g, arguments, parameter->type, to);
		bound = d_allocate(g->c, sizeof(*bound));
		*bound = (struct binding){ last, parameter, parameter->type,
		    to };
		last = bound;
		arguments = arguments->next;
		parameter = parameter->next;
	}
	/* Parameters become visible after all arguments are computed. */
	while (last != NULL) {
		bound = last->next;
		last->next = outer;
		outer = last;
		last = bound;
	}
	g->bindings = outer;
	return (to);
}

bool
d_inline(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct identifier *one = node->identifier;
	struct binding *outer = g->bindings;
	unsigned value;

	if ((one->flags & IDENTIFIER_INLINE) == 0)
		return (false);
	value = d_inline_bind(g, node, to);
	d_value_as(g, one->body, one->type, value);
	g->bindings = outer;
	d_emit_move(g, to, value);
	return (true);
}

/* --- translators ---------------------------------------------------------- */

/* Returns the xlate node of an expression, through inlines; NULL if none. */
static const struct d_node *
translation(const struct d_node *node)
{
	while (node->kind == NODE_VARIABLE &&
	    (node->identifier->flags & IDENTIFIER_INLINE) != 0)
		node = node->identifier->body;
	if (node->kind == NODE_UNARY && node->op == OP_DEREFERENCE)
		return (translation(node->left));
	return (node->kind == NODE_BINARY && node->op == OP_XLATE ? node :
	    NULL);
}

/* Binds the parameters of inlines up to it.  Returns the next free register. */
static unsigned
bind_inlines(struct generator *g, const struct d_node *node, unsigned to)
{
	for (;;)
		if (node->kind == NODE_VARIABLE &&
		    (node->identifier->flags & IDENTIFIER_INLINE) != 0) {
			to = d_inline_bind(g, node, to);
			node = node->identifier->body;
		} else if (node->kind == NODE_UNARY &&
		    node->op == OP_DEREFERENCE)
			node = node->left;
		else
			return (to);
}

/* True for a node without side effects. */
static bool
is_plain(const struct d_node *node)
{
	return (node->kind == NODE_INTEGER ||
	    (node->kind == NODE_VARIABLE && node->arguments == NULL));
}

static bool
names(const struct d_node *list, const struct identifier *one)
{
	for (; list != NULL; list = list->next)
		if (list->identifier == one || names(list->condition, one) ||
		    names(list->left, one) || names(list->right, one) ||
		    names(list->arguments, one))
			return (true);
	return (false);
}

/*
 * Binds a translator's parameter to the input's value.  Returns the next free
 * register.  Many members do not use it, among them all of curpsinfo.
 */
static unsigned
bind_input(struct generator *g, const struct d_node *xlate,
    const struct d_node *members, unsigned to)
{
	const struct translator *translator = xlate->translator;
	const struct type *type = d_type_resolve(translator->from);

	if (is_plain(xlate->right) && !names(members, translator->parameter))
		return (to);
	if (d_is_object(type))
		d_value(g, xlate->right, to);
	else
		d_value_as(g, xlate->right, type, to);
	bind(g, translator->parameter, to);
	return (to + 1);
}

/* Computes a member of curcpu, which has no address: only cpu_id is known. */
static bool
processor_member(struct generator *g, const struct d_node *node, unsigned to)
{
	if (node->op != OP_POINTER || node->left->kind != NODE_VARIABLE ||
	    (node->left->identifier->flags & IDENTIFIER_BUILTIN) == 0 ||
	    node->left->identifier->id != BUILTIN_curcpu)
		return (false);
	if (strcmp(node->right->text, "cpu_id") == 0)
		d_emit(g, TBUF_OP_LDB, to, 0, 0, TBUF_BUILTIN_CPU);
	else
		d_emit_number(g, to, 0);
	return (true);
}

bool
d_translated_member(struct generator *g, const struct d_node *node,
    unsigned to)
{
	struct binding *outer = g->bindings;
	const struct d_node *xlate, *member;
	unsigned value;

	if (node->kind != NODE_BINARY)
		return (false);
	if (processor_member(g, node, to))
		return (true);
	xlate = translation(node->left);
	if (xlate == NULL)
		return (false);
	member = d_translator_member(xlate->translator, node->right->text);
	if (member == NULL)
		d_fail_at(g->c, node, D_XLATE_NOCONV, "translator does not "
		    "define conversion for member: %s", node->right->text);
	value = bind_inlines(g, node->left, to);
	value = bind_input(g, xlate, member->left, value);
	d_value_as(g, member->left, member->type, value);
	g->bindings = outer;
	d_emit_move(g, to, value);
	return (true);
}

void
d_translated(struct generator *g, const struct d_node *node, unsigned to)
{
	const struct d_node *xlate = translation(node), *one;
	struct binding *outer = g->bindings;
	const struct type *type;
	unsigned value;

	if (xlate == NULL)
		d_fail_at(g->c, node, D_CG_EXPR,
		    "expression cannot be evaluated here");
	type = xlate->translator->to;
	d_emit(g, TBUF_OP_TMP, to, 0, 0, (uint32_t)d_type_size(type));
	g->temporaries = true;
	value = bind_inlines(g, node, to + 1);
	value = bind_input(g, xlate, xlate->translator->members, value);
	for (one = xlate->translator->members; one != NULL; one = one->next) {
		d_value_as(g, one->left, one->type, value);
		d_memory_store(g, one->type, to, (uint32_t)one->value, value);
	}
	g->bindings = outer;
}
