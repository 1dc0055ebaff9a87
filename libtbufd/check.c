/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of whole programs: clauses and inlines; dispatch by kind of node.
 */
#include <string.h>

#include "check.h"
#include "stability.h"
#include "tree/errors.h"

/* Returns a cast of the argument that has a parameter's value, or NULL. */
static struct d_node *
cast_argument(struct d_compiler *c, const char *name, uint64_t number,
    struct d_node *argument)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	uint64_t id = 0, shift = 0;

	if (c->description != NULL && calls->argument_place != NULL &&
	    !c->options->ilp32)
		id = calls->argument_place(calls->context, c->description,
		    name, &number, &shift);
	if (id == 0)
		return (NULL);
	if (argument == NULL)
		argument = d_node_name(c, d_format(c, "arg%ju",
		    (uintmax_t)number));
	if (shift != 0)
		argument = d_node_binary(c, OP_RIGHT, argument,
		    d_node_constant(c, c->types.type_int, shift));
	return (d_node_binary(c, OP_CAST, d_node_type(c, d_type_of_id(c, id)),
	    argument));
}

struct d_node *
d_check_argument(struct d_compiler *c, struct d_node *node)
{
	struct d_node *cast = NULL;

	if (node->kind == NODE_VARIABLE && node->arguments != NULL &&
	    node->arguments->kind == NODE_INTEGER &&
	    strcmp(node->identifier->name, "args") == 0)
		cast = cast_argument(c, NULL, node->arguments->value, node);
	return (cast == NULL ? node : d_check(c, cast, IDENTIFIER_READ));
}

/* Returns "a.b.c" for such an expression, or NULL for another one. */
static const char *
path_of(struct d_compiler *c, const struct d_node *node)
{
	const char *left;

	if (node->kind == NODE_NAME && node->text[0] != '@' &&
	    d_global_find(c, node->text) == NULL &&
	    !d_names_argument(c, node->text))
		return (node->text);
	if (node->kind != NODE_BINARY || node->op != OP_MEMBER ||
	    node->right->text == NULL ||
	    (left = path_of(c, node->left)) == NULL)
		return (NULL);
	return (d_format(c, "%s.%s", left, node->right->text));
}

struct d_node *
d_check_part(struct d_compiler *c, struct d_node *node)
{
	const char *path = path_of(c, node);

	return (path == NULL ? NULL : cast_argument(c, path, 0, NULL));
}

struct d_node *
d_check_parameter(struct d_compiler *c, struct d_node *node)
{
	struct d_node *cast = NULL;

	if (node->kind == NODE_NAME && node->text[0] != '@' &&
	    d_global_find(c, node->text) == NULL &&
	    !d_names_argument(c, node->text))
		cast = cast_argument(c, node->text, 0, NULL);
	return (cast == NULL ? NULL : d_check(c, cast, IDENTIFIER_READ));
}

static struct d_node *
check_name(struct d_compiler *c, struct d_node *node, unsigned use)
{
	struct d_node *parameter;

	if (use == IDENTIFIER_READ &&
	    (parameter = d_check_parameter(c, node)) != NULL)
		return (parameter);
	if (node->text[0] == '@')
		d_resolve(c, node, &c->aggregations, IDENTIFIER_AGGREGATION,
		    false);
	else
		d_resolve(c, node, &c->globals, IDENTIFIER_SCALAR, false);
	return (d_check(c, node, use));
}

/* Checks the use of a variable; [ and -> make it before its use is known. */
static void
check_variable(struct d_compiler *c, struct d_node *node, unsigned use)
{
	const struct identifier *one = node->identifier;

	if ((one->flags & IDENTIFIER_ABSENT) != 0)
		d_fail_variable(c, D_UNKNOWN_VARIABLE, one->name);
	if ((use & IDENTIFIER_READ) != 0 && d_identifier_is_new(c, one))
		d_fail_at(c, node, D_VAR_UNDEF,
		    "%s%s has not yet been declared or assigned",
		    (one->flags & IDENTIFIER_LOCAL) != 0 ? "this->" :
		    (one->flags & IDENTIFIER_THREAD) != 0 ? "self->" : "",
		    one->name);
	d_check_identifier(c, node, &node->arguments);
}

static struct d_node *
check(struct d_compiler *c, struct d_node *node, unsigned use)
{
	switch (node->kind) {
	case NODE_NAME:
		return (check_name(c, node, use));
	case NODE_VARIABLE:
		check_variable(c, node, use);
		return (node);
	case NODE_CALL:
		d_check_identifier(c, node, &node->arguments);
		return (node);
	case NODE_UNARY:
		return (d_check_unary(c, node));
	case NODE_BINARY:
		return (d_check_binary(c, node, use));
	case NODE_CONDITIONAL:
		return (d_check_conditional(c, node));
	case NODE_AGGREGATION:
		d_check_aggregation(c, node);
		return (node);
	case NODE_EXPRESSION:
	case NODE_ACTION:
		node->left = d_check(c, node->left, use);
		return (node);
	default:
		return (node);
	}
}

struct d_node *
d_check(struct d_compiler *c, struct d_node *node, unsigned use)
{
	int line = c->line;

	c->line = node->line;
	node = check(c, node, use);
	node->flags |= NODE_CHECKED;
	d_stability_assign(c, node);
	if (node->kind == NODE_VARIABLE || node->kind == NODE_AGGREGATION)
		node->identifier->flags |= use;
	c->line = line;
	return (node);
}

struct d_node **
d_check_list(struct d_compiler *c, struct d_node **list, unsigned use)
{
	struct d_node *next;

	for (; *list != NULL && (*list)->kind != NODE_IF;
	    list = &(*list)->next) {
		next = (*list)->next;
		*list = d_check(c, *list, use);
		(*list)->next = next;
	}
	return (list);
}

/* Checks an if's condition, which becomes a variable of 1 or 0. */
static struct d_node *
check_condition(struct d_compiler *c, struct d_node *node)
{
	node = d_check(c, node, IDENTIFIER_READ);
	if (!d_type_is_scalar(node->type))
		d_fail_at(c, node, D_OP_SCALAR,
		    "operator ?: expression must be of scalar type");
	d_check_calls(c, node);
	return (node);
}

static void
check_predicate(struct d_compiler *c, struct d_node *clause)
{
	if (clause->condition == NULL)
		return;
	c->region = "predicate";
	clause->condition = d_check(c, clause->condition, IDENTIFIER_READ);
	if (!d_type_is_scalar(clause->condition->type))
		d_fail(c, D_PRED_SCALAR,
		    "predicate result must be of scalar type");
	c->region = NULL;
}

/* Checks the types of statements.  Returns the place of the first if. */
static struct d_node **
check_types(struct d_compiler *c, struct d_node **list)
{
	c->region = "action list";
	list = d_check_list(c, list, IDENTIFIER_READ);
	c->region = NULL;
	return (list);
}

/* Checks the effects of statements after their types. */
static void
check_effects(struct d_compiler *c, struct d_node *list,
    const struct d_node *end)
{
	struct clause_state state = { 0 };

	for (; list != end; list = list->next)
		d_check_statement(c, &state, list);
}

/* Checks an if's branches, and the statements after it, as separate clauses. */
static void
check_blocks(struct d_compiler *c, struct d_node **list)
{
	struct d_node **end;

	while (*list != NULL) {
		end = check_types(c, list);
		check_effects(c, *list, *end);
		if (*end == NULL)
			return;
		(*end)->condition = check_condition(c, (*end)->condition);
		check_blocks(c, &(*end)->left);
		check_blocks(c, &(*end)->right);
		list = &(*end)->next;
	}
}

/*
 * Checks the actions first, as the predicate may use their names.  Returns
 * false if they use an unknown name: then the predicate goes first.
 */
static bool
actions_first(struct d_compiler *c, struct d_node *clause)
{
	jmp_buf *escape = c->escape, here;
	struct d_error *error = c->error;

	if (clause->condition == NULL) {
		check_types(c, &clause->arguments);
		return (true);
	}
	if (setjmp(here) == 0) {
		c->escape = &here;
		check_types(c, &clause->arguments);
		c->escape = escape;
		return (true);
	}
	c->escape = escape;
	c->region = NULL;
	c->line = clause->line;
	if (strcmp(error->tag, "D_IDENT_UNDEF") != 0 &&
	    strcmp(error->tag, "D_VAR_UNDEF") != 0)
		longjmp(*c->escape, 1);
	return (false);
}

static void
check_body(struct d_compiler *c, struct d_node *clause)
{
	bool done;

	if (d_has_if(clause->arguments)) {
		check_predicate(c, clause);
		if (clause->condition != NULL)
			d_check_calls(c, clause->condition);
		check_blocks(c, &clause->arguments);
		return;
	}
	done = actions_first(c, clause);
	check_predicate(c, clause);
	if (!done)
		check_types(c, &clause->arguments);
	if (clause->condition != NULL)
		d_check_calls(c, clause->condition);
	check_effects(c, clause->arguments, NULL);
}

static void
check_description(struct d_compiler *c, const struct d_node *node)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	const struct d_description *d = node->description;

	c->line = node->line;
	if (c->options->zdefs || calls->probe_exists == NULL ||
	    calls->probe_exists(calls->context, d))
		return;
	c->description = d;
	d_unknown(c, D_UNKNOWN_PROBE, "");
	d_fail(c, D_PDESC_ZERO, "probe description %s:%s:%s:%s does not match "
	    "any probes", d->field[0], d->field[1], d->field[2],
	    d->field[3]);
}

/* Checks a clause for the probes of one of its descriptions. */
static void
check_described(struct d_compiler *c, struct d_node *clause,
    struct d_node *one)
{
	d_table_init(&c->arguments);
	c->description = one->description;
	c->line = clause->line;
	d_stability_begin(c, clause, one);
	d_check_guessing(c, clause, check_body);
}

/*
 * Checks a clause for a further description: its probes may have other
 * arguments.  The tree of the first one is used; a description without probes
 * is not checked.
 */
static void
check_also(struct d_compiler *c, struct d_node *clause,
    const struct d_node *unchecked, struct d_node *one)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	struct d_node copy = *unchecked;

	if (calls->probe_exists != NULL &&
	    !calls->probe_exists(calls->context, one->description))
		return;
	copy.arguments = d_tree_copy(c, unchecked->arguments);
	copy.condition = d_tree_copy(c, unchecked->condition);
	check_described(c, &copy, one);
	d_stability_end(clause, &copy);
}

static void
check_clause(struct d_compiler *c, struct d_node *clause)
{
	struct d_node *one = clause->descriptions;
	struct d_node unchecked = *clause;

	c->descriptions = one;
	if (one->next != NULL) {
		unchecked.arguments = d_tree_copy(c, clause->arguments);
		unchecked.condition = d_tree_copy(c, clause->condition);
	}
	check_description(c, one);
	check_described(c, clause, one);
	d_stability_end(clause, clause);
	while ((one = one->next) != NULL) {
		check_description(c, one);
		check_also(c, clause, &unchecked, one);
	}
	c->description = NULL;
	c->descriptions = NULL;
}

void
d_check_again(struct d_compiler *c, struct d_node *clause)
{
	c->descriptions = clause->descriptions;
	c->description = clause->descriptions->description;
	c->line = clause->line;
	check_body(c, clause);
	c->description = NULL;
	c->descriptions = NULL;
}

void
d_check_program(struct d_compiler *c, struct d_node *program)
{
	struct d_node *one;

	for (one = program->arguments; one != NULL; one = one->next)
		if (one->kind == NODE_CLAUSE)
			check_clause(c, one);
}

static void
inline_incompatible(struct d_compiler *c, const struct d_node *node,
    const struct type *left, const char *right)
{
	d_fail_at(c, node, D_OP_INCOMPAT, "inline %s definition uses "
	    "incompatible types: \"%s\" = \"%s\"", node->identifier->name,
	    d_type_name(c, left), right);
}

/* Checks an inline's type; a translator's must be exactly the declared one. */
static void
check_inline_type(struct d_compiler *c, const struct d_node *node,
    const struct d_node *body)
{
	const struct identifier *one = d_node_translated(c, body);
	const struct type *left = d_type_resolve(node->type);

	if (one != NULL) {
		if (left->kind == TYPE_POINTER)
			left = d_type_resolve(left->of);
		if (!d_type_compatible(left, one->translator->to))
			inline_incompatible(c, node, left,
			    d_type_name(c, d_type_resolve(
			    one->translator->to)));
	} else if (!d_argument_compatible(c, node, body))
		inline_incompatible(c, node, node->type,
		    d_node_type_name(c, body));
}

void
d_check_inline(struct d_compiler *c, struct d_node *node,
    struct d_node *expression)
{
	struct identifier *one = node->identifier;

	/* This comes before the inline is known, so it cannot use itself. */
	if (one->parameters != NULL) {
		one->parameters->outer = c->inner;
		c->inner = one->parameters;
	}
	expression = d_check(c, expression, IDENTIFIER_READ);
	if (one->parameters != NULL)
		c->inner = one->parameters->outer;
	if (expression->kind == NODE_VARIABLE)
		one->flags |= expression->identifier->flags &
		    IDENTIFIER_WRITABLE;
	one->body = expression;
	node->left = expression;
	check_inline_type(c, node, expression);
}
