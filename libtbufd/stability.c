/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>
#include <strings.h>

#include "builtins.h"
#include "check.h"
#include "stability.h"
#include "tree/errors.h"
#include "tree/stability_levels.h"

static const char *const levels[] = {
	"Internal", "Private", "Obsolete", "External", "Unstable", "Evolving",
	"Stable", "Standard"
};
static const char *const classes[] = {
	"Unknown", "CPU", "Platform", "Group", "ISA", "Common"
};

#define NLEVELS		(sizeof(levels) / sizeof(levels[0]))
#define NCLASSES	(sizeof(classes) / sizeof(classes[0]))

/* Stability of a traced program's type. */
static const struct d_stability foreign = { PRIVATE, PRIVATE, UNKNOWN };

/* ------------------------------------------------------------ texts */

const char *
d_stability_level(unsigned level)
{
	return (levels[level]);
}

const char *
d_stability_class(unsigned class)
{
	return (classes[class]);
}

/* Returns the index of a word, or `count` if it is not in the list. */
static unsigned
find(const char *const *words, unsigned count, const char *text,
    size_t length)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (strlen(words[i]) == length &&
		    strncasecmp(words[i], text, length) == 0)
			break;
	return (i);
}

bool
d_stability_parse(const char *text, struct d_stability *stability)
{
	unsigned part[3] = { NLEVELS - 1, NLEVELS - 1, NCLASSES - 1 };
	unsigned i, count;
	size_t length;

	for (i = 0; *text != '\0'; i++) {
		if (i == 3)
			return (false);
		length = strcspn(text, "/");
		count = i < 2 ? NLEVELS : NCLASSES;
		part[i] = find(i < 2 ? levels : classes, count, text, length);
		if (part[i] == count)
			return (false);
		text += length + (text[length] == '/');
	}
	*stability = (struct d_stability){ (uint8_t)part[0], (uint8_t)part[1],
	    (uint8_t)part[2] };
	return (true);
}

/* ------------------------------------------------------------ order */

static struct d_stability
lower(struct d_stability a, struct d_stability b)
{
	if (b.name < a.name)
		a.name = b.name;
	if (b.data < a.data)
		a.data = b.data;
	if (b.class < a.class)
		a.class = b.class;
	return (a);
}

static bool
suffices(struct d_stability s, struct d_stability least)
{
	return (s.name >= least.name && s.data >= least.data &&
	    s.class >= least.class);
}

/* ------------------------------------------------------------ descriptions */

/* Stability of a provider's name and other fields, and of its arguments. */
struct provider {
	const char *name;
	struct d_stability field[4];
	struct d_stability arguments;
};

#define OWN_DTRACE	{ STABLE, STABLE, COMMON }
#define OWN		{ EVOLVING, EVOLVING, COMMON }
#define INNER		{ PRIVATE, PRIVATE, UNKNOWN }
#define NOBODYS		{ UNSTABLE, UNSTABLE, COMMON }

static const struct provider providers[] = {
	{ "dtrace", { OWN_DTRACE, INNER, INNER, OWN_DTRACE }, OWN_DTRACE },
	{ "profile", { OWN, { UNSTABLE, UNSTABLE, UNKNOWN }, INNER, OWN },
	    OWN },
	{ "syscall", { OWN, INNER, { PRIVATE, PRIVATE, ISA }, OWN },
	    { PRIVATE, PRIVATE, ISA } },
	/* All other providers; this is the last entry. */
	{ NULL, { NOBODYS, NOBODYS, NOBODYS, NOBODYS }, NOBODYS }
};

static const struct provider *
find_provider(const struct d_description *d)
{
	const struct provider *one = providers;

	while (one->name != NULL &&
	    strcmp(one->name, d->field[D_FIELD_PROVIDER]) != 0)
		one++;
	return (one);
}

bool
d_stability_provider(const char *name)
{
	const struct d_description d = { .field = { name, "", "", "" } };

	return (find_provider(&d)->name != NULL);
}

static struct d_stability
of_description(const struct d_description *d)
{
	const struct provider *provider = find_provider(d);
	struct d_stability s = provider->field[D_FIELD_PROVIDER];
	unsigned i;

	for (i = D_FIELD_MODULE; i <= D_FIELD_NAME; i++)
		if (*d->field[i] != '\0' &&
		    strpbrk(d->field[i], "*?[\\") == NULL)
			s = lower(s, provider->field[i]);
	return (s);
}

/* ------------------------------------------------------------ names */

struct d_stability
d_stability_builtin(unsigned id)
{
	switch (id) {
	case BUILTIN_curthread:
		return ((struct d_stability){ STABLE, PRIVATE, COMMON });
	case BUILTIN_d_path:
	case BUILTIN_ddi_pathname:
	case BUILTIN_getmajor:
	case BUILTIN_getminor:
	case BUILTIN_htonl:
	case BUILTIN_htonll:
	case BUILTIN_htons:
	case BUILTIN_mutex_owned:
	case BUILTIN_mutex_owner:
	case BUILTIN_mutex_type_adaptive:
	case BUILTIN_mutex_type_spin:
	case BUILTIN_ntohl:
	case BUILTIN_ntohll:
	case BUILTIN_ntohs:
	case BUILTIN_rw_iswriter:
	case BUILTIN_rw_read_held:
	case BUILTIN_rw_write_held:
		return ((struct d_stability)OWN);
	default:
		return (d_stable);
	}
}

/* ------------------------------------------------------------ nodes */

/* Returns a name's stability; names about the probe have the provider's. */
static struct d_stability
of_identifier(const struct d_compiler *c, const struct identifier *one)
{
	const struct provider *provider;

	if ((one->flags & IDENTIFIER_BUILTIN) == 0 || c->description == NULL)
		return (one->stability);
	provider = find_provider(c->description);
	switch (one->id) {
	case BUILTIN_probeprov:
		return (provider->field[D_FIELD_PROVIDER]);
	case BUILTIN_probemod:
		return (provider->field[D_FIELD_MODULE]);
	case BUILTIN_probefunc:
		return (provider->field[D_FIELD_FUNCTION]);
	case BUILTIN_probename:
		return (provider->field[D_FIELD_NAME]);
	case BUILTIN_args:
		return (provider->arguments);
	default:
		return (one->stability);
	}
}

/* Returns a type's stability; a pointer or an array has its base type's. */
static struct d_stability
of_type(const struct type *type)
{
	type = d_type_resolve(type);
	while (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY)
		type = d_type_resolve(type->of);
	return (type->import != 0 ? foreign : d_stable);
}

static struct d_stability
of_list(const struct d_node *list, struct d_stability s)
{
	for (; list != NULL; list = list->next)
		s = lower(s, list->stability);
	return (s);
}

static struct d_stability
of_node(struct d_compiler *c, const struct d_node *node)
{
	struct d_stability s = d_stable;

	if (node->identifier != NULL && (node->kind == NODE_VARIABLE ||
	    node->kind == NODE_CALL || node->kind == NODE_AGGREGATION ||
	    node->op == OP_XLATE))
		s = of_identifier(c, node->identifier);
	if (node->kind == NODE_TYPE)
		return (of_type(node->type));
	if (node->condition != NULL)
		s = lower(s, node->condition->stability);
	/* The function of an aggregation is checked by itself. */
	if (node->left != NULL && node->kind != NODE_AGGREGATION)
		s = lower(s, node->left->stability);
	/* A member's name is not looked up. */
	if (node->right != NULL && node->op != OP_MEMBER &&
	    node->op != OP_POINTER)
		s = lower(s, node->right->stability);
	return (of_list(node->arguments, s));
}

/* Returns a node's name for messages. */
static const char *
node_name(struct d_compiler *c, const struct d_node *node)
{
	const struct identifier *one = node->identifier;

	switch (node->kind) {
	case NODE_VARIABLE:
		return (d_format(c, "%s %s",
		    d_identifier_kind_name(one->kind), one->name));
	case NODE_AGGREGATION:
		return (d_format(c, "%s @%s",
		    d_identifier_kind_name(one->kind), one->name));
	case NODE_CALL:
		return (d_format(c, "%s %s( )",
		    d_identifier_kind_name(one->kind), one->name));
	case NODE_TYPE:
		return (d_format(c, "type %s", d_node_type_name(c, node)));
	case NODE_CONDITIONAL:
		return ("operator ?:");
	case NODE_EXPRESSION:
	case NODE_ACTION:
		return (node_name(c, node->left));
	case NODE_CLAUSE:
		return ("clause");
	default:
		return (d_format(c, "operator %s", d_operator_text(node->op)));
	}
}

static void
check_least(struct d_compiler *c, const struct d_node *node,
    struct d_stability s)
{
	if (c->source->is_library || suffices(s, c->options->least))
		return;
	d_fail_at(c, node, D_ATTR_MIN, "attributes for %s (%s/%s/%s) are less "
	    "than predefined minimum", node_name(c, node), levels[s.name],
	    levels[s.data], classes[s.class]);
}

void
d_stability_assign(struct d_compiler *c, struct d_node *node)
{
	node->stability = of_node(c, node);
	check_least(c, node, node->stability);
}

/* ------------------------------------------------------------ clauses */

void
d_stability_begin(struct d_compiler *c, const struct d_node *clause,
    struct d_node *description)
{
	description->stability = of_description(description->description);
	check_least(c, clause, description->stability);
}

/* Lowers s to the statements' stability, including those in branches. */
static struct d_stability
of_statements(const struct d_node *list, struct d_stability s)
{
	for (; list != NULL; list = list->next)
		if (list->kind == NODE_IF) {
			s = lower(s, list->condition->stability);
			s = of_statements(list->left, s);
			s = of_statements(list->right, s);
		} else
			s = lower(s, list->stability);
	return (s);
}

void
d_stability_end(struct d_node *clause, const struct d_node *checked)
{
	clause->stability = of_statements(checked->arguments,
	    clause->stability);
	if (checked->condition != NULL)
		clause->stability = lower(clause->stability,
		    checked->condition->stability);
}

void
d_stability_translator(struct translator *translator)
{
	const struct d_node *one;
	struct d_stability s = d_stable;

	for (one = translator->members; one != NULL; one = one->next)
		s = lower(s, one->left->stability);
	translator->whole->stability = translator->pointer->stability = s;
}

void
d_program_stability(const struct d_node *program,
    struct d_stability *descriptions, struct d_stability *statements)
{
	const struct d_node *clause, *one;

	*descriptions = *statements = d_stable;
	for (clause = program->arguments; clause != NULL;
	    clause = clause->next) {
		if (clause->kind != NODE_CLAUSE)
			continue;
		*statements = lower(*statements, clause->stability);
		for (one = clause->descriptions; one != NULL; one = one->next)
			*descriptions = lower(*descriptions, one->stability);
	}
}
