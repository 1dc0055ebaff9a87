/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of names: variables, arrays, functions and their arguments.
 */
#include <ctype.h>
#include <string.h>

#include "builtins.h"
#include "check.h"
#include "tree/errors.h"

/* Fails for a scoped name: there are no modules with symbols. */
static _Noreturn void
fail_scoped(struct d_compiler *c, const char *name)
{
	d_fail(c, D_IDENT_UNDEF, "failed to resolve %s: %s", name,
	    *name == '`' ? "Unknown symbol name" : "Unknown module name");
}

void
d_fail_variable(struct d_compiler *c, enum d_unknown what, const char *name)
{
	d_unknown(c, what, name);
	if (d_table_find(&c->called, name) != NULL)
		d_unknown(c, D_UNKNOWN_FORM, d_format(c, "%s()", name));
	d_fail(c, D_IDENT_UNDEF, "failed to resolve %s: Unknown variable name",
	    name);
}

static struct identifier *
find(struct d_compiler *c, const struct table *table, const char *name)
{
	return (table == &c->globals ? d_global_find(c, name) :
	    d_table_find(table, name));
}

static enum d_class
argument_class(struct d_compiler *c, const char *name, uint64_t number)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	enum d_class class;

	if (calls->argument == NULL || c->description == NULL)
		return (D_CLASS_NONE);
	class = calls->argument(calls->context, c->description, name, number);
	return (class == D_CLASS_ANY ? d_guess(c, name, number) : class);
}

/*
 * Returns the id of the type of an argument, or 0.  All descriptions of a
 * clause have to agree in it, as the clause is generated once.
 */
static uint64_t
agreed_type(struct d_compiler *c, const char *name, uint64_t number)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	const struct d_node *one = c->descriptions;
	uint64_t id, other;

	if (calls->argument_type == NULL)
		return (0);
	id = calls->argument_type(calls->context, c->description, name,
	    number);
	for (; one != NULL && id != 0; one = one->next) {
		if (one->description == c->description)
			continue;
		other = calls->argument_type(calls->context, one->description,
		    name, number);
		if (other != 0 && other != id && calls->type_same != NULL &&
		    !calls->type_same(calls->context, id, other))
			return (0);
	}
	return (id);
}

/* Returns the declared type of an argument that is a pointer, or NULL. */
static struct type *
argument_pointer(struct d_compiler *c, const char *name, uint64_t number,
    enum d_class class)
{
	uint64_t id = 0;
	struct type *type;

	if (class == D_CLASS_UNSIGNED && !c->options->ilp32)
		id = agreed_type(c, name, number);
	if (id == 0)
		return (NULL);
	type = d_type_of_id(c, id);
	return (d_type_resolve(type)->kind == TYPE_POINTER ? type : NULL);
}

static struct type *
class_type(struct d_compiler *c, enum d_class class, struct type *pointer)
{
	switch (class) {
	case D_CLASS_UNSIGNED:
		return (pointer != NULL ? pointer : c->types.type_uint64);
	case D_CLASS_FLOAT:
		return (d_type_find(c, "double"));
	case D_CLASS_TEXT:
		return (c->types.type_string);
	default:
		return (c->types.type_int64);
	}
}

/*
 * Finds an argument of the clause's probes; NULL if there is none.  With
 * `create`, only an argument that the clause has already used is found.
 */
static struct identifier *
find_argument(struct d_compiler *c, const char *name, bool create)
{
	struct identifier *one = d_table_find(&c->arguments, name);
	enum d_class class;

	if (one != NULL || create)
		return (one);
	if ((class = argument_class(c, name, 0)) == D_CLASS_NONE)
		return (NULL);
	one = d_table_add(c, &c->arguments, name, IDENTIFIER_SCALAR,
	    IDENTIFIER_ARGUMENT | IDENTIFIER_DECLARED);
	one->pointer = argument_pointer(c, name, 0, class);
	one->type = class_type(c, class, one->pointer);
	return (one);
}

bool
d_names_argument(struct d_compiler *c, const char *name)
{
	return (find_argument(c, name, false) != NULL);
}

/* True for a name in capitals, which is a constant by convention. */
static bool
is_capital(const char *name)
{
	bool letter = false;

	for (; *name != '\0'; name++) {
		if (islower((unsigned char)*name))
			return (false);
		letter |= isupper((unsigned char)*name) != 0;
	}
	return (letter);
}

/* Replaces a name by a constant of an enum of the traced program. */
static bool
name_enumerator(struct d_compiler *c, struct d_node *node)
{
	struct type *type;
	int value;

	type = d_type_of_enumerator(c, node->text, &value);
	if (type == NULL)
		return (false);
	node->kind = NODE_INTEGER;
	node->text = NULL;
	node->type = type;
	node->value = (uint64_t)(int64_t)value;
	return (true);
}

/* Notes the call that was meant by a function's name without parentheses. */
static void
mean_call(struct d_compiler *c, const struct identifier *one)
{
	const char *list = one->prototype == NULL ? NULL :
	    strchr(one->prototype, '(');

	if ((one->flags & IDENTIFIER_BUILTIN) == 0)
		return;
	if (one->id == BUILTIN_args)
		d_unknown(c, D_UNKNOWN_FORM, "args[0]");
	else if (one->id == BUILTIN_exit)
		d_unknown(c, D_UNKNOWN_FORM, "exit(0)");
	else if (list != NULL)
		d_unknown(c, D_UNKNOWN_FORM, d_format(c, "%s(%s)", one->name,
		    list[1] == ')' || list[1] == '[' ? "" : "..."));
}

static unsigned
table_flags(struct d_compiler *c, const struct table *table)
{
	return (IDENTIFIER_WRITABLE |
	    (table == &c->locals ? IDENTIFIER_LOCAL : 0) |
	    (table == &c->threads ? IDENTIFIER_THREAD : 0));
}

void
d_resolve(struct d_compiler *c, struct d_node *node, struct table *table,
    enum identifier_kind kind, bool create)
{
	const char *name = node->text + (kind == IDENTIFIER_AGGREGATION);
	struct identifier *one = find(c, table, name);

	if (one == NULL && table == &c->globals && !create &&
	    (is_capital(name) || strchr(name, '`') != NULL) &&
	    name_enumerator(c, node))
		return;
	if (one == NULL && strchr(name, '`') != NULL)
		fail_scoped(c, name);
	if (one == NULL && table == &c->globals)
		one = find_argument(c, name, create);
	if (one == NULL && table == &c->globals && !create &&
	    name_enumerator(c, node))
		return;
	if (one == NULL && !create)
		d_fail_variable(c, c->missed != NULL &&
		    strcmp(c->missed, node->text) == 0 ? D_UNKNOWN_EITHER :
		    D_UNKNOWN_VARIABLE, node->text);
	if (one == NULL)
		one = d_table_add(c, table, name, kind,
		    table_flags(c, table));
	else if (one->kind != kind && table == &c->globals) {
		mean_call(c, one);
		d_fail(c, D_IDENT_BADREF, "%s '%s' may not be referenced as "
		    "%s", d_identifier_kind_name(one->kind), one->name,
		    d_identifier_kind_name(kind));
	}
	node->kind = kind == IDENTIFIER_AGGREGATION ? NODE_AGGREGATION :
	    NODE_VARIABLE;
	node->identifier = one;
	if (one->kind == IDENTIFIER_ARRAY ||
	    one->kind == IDENTIFIER_AGGREGATION)
		node->type = c->types.type_dynamic;
	else
		d_check_identifier(c, node, NULL);
	node->flags |= NODE_LVALUE;
	if ((one->flags & IDENTIFIER_WRITABLE) != 0)
		node->flags |= NODE_WRITABLE;
}

/* --- prototypes -------------------------------------------------------- */

static char *
trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return (text);
}

static struct type *
prototype_type(struct d_compiler *c, const struct identifier *one,
    const char *name)
{
	struct type *type = d_type_find(c, name);

	if (type == NULL)
		d_fail(c, D_UNKNOWN, "failed to resolve type %s for "
		    "identifier %s: Unknown type name", name, one->name);
	return (type);
}

/* Parses the parameters of "T(A, [B], ...)". */
static void
read_parameters(struct d_compiler *c, struct identifier *one, char *list)
{
	struct signature *s = one->signature;
	char *next, *end;

	for (list = trim(list); *list != '\0'; list = next) {
		if ((next = strchr(list, ',')) != NULL)
			*next++ = '\0';
		else
			next = list + strlen(list);
		list = trim(list);
		if (strcmp(list, "...") == 0)
			s->at_least = (int)s->count;
		if (*list == '[') {
			if (s->optional < 0)
				s->optional = (int)s->count;
			if ((end = strchr(++list, ']')) != NULL)
				*end = '\0';
		}
		if (*list != '@' && *list != '.')
			s->types[s->count] = prototype_type(c, one, list);
		s->count++;
	}
}

#define PARAMETERS_MAX	8

static void
read_prototype(struct d_compiler *c, struct identifier *one)
{
	char *text = d_copy(c, one->prototype, strlen(one->prototype));
	char *open = strchr(text, '('), *close = strrchr(text, ')');

	one->signature = d_allocate(c, sizeof(*one->signature));
	one->signature->at_least = one->signature->optional = -1;
	one->signature->types = d_allocate(c,
	    PARAMETERS_MAX * sizeof(struct type *));
	*open++ = *close = '\0';
	one->type = one->kind == IDENTIFIER_AGGREGATING ?
	    c->types.type_dynamic : prototype_type(c, one, trim(text));
	read_parameters(c, one, open);
}

/* --- arguments and signatures -------------------------------------------- */

static void
check_count(struct d_compiler *c, const struct identifier *one,
    unsigned count, const char *prefix, const char *suffix)
{
	const struct signature *s = one->signature;
	const char *what = one->kind == IDENTIFIER_ARRAY ||
	    one->kind == IDENTIFIER_AGGREGATION ? "key" : "arg";
	const char *bound = "";
	unsigned expected = s->count;

	if (s->at_least >= 0) {
		bound = "at least ";
		expected = (unsigned)s->at_least;
		if (count >= expected)
			return;
	} else if (s->optional >= 0 && count < (unsigned)s->optional) {
		bound = "at least ";
		expected = (unsigned)s->optional;
	} else if (s->optional >= 0 && count > s->count)
		bound = "at most ";
	else if (s->optional >= 0 || count == s->count)
		return;
	if (one->kind == IDENTIFIER_ACTION && one->id == BUILTIN_exit)
		d_unknown(c, D_UNKNOWN_FORM, "exit(0)");
	d_fail(c, D_PROTO_LEN, "%s%s%s prototype mismatch: %u %s%s passed, "
	    "%s%u expected", prefix, one->name, suffix, count, what,
	    count == 1 ? "" : "s", bound, expected);
}

static void
check_argument(struct d_compiler *c, const struct identifier *one,
    unsigned number, const struct d_node *argument, const char *prefix,
    const char *suffix)
{
	const struct type *type = one->signature->types[number];
	struct d_node formal = { .kind = NODE_TYPE };
	bool key = one->kind == IDENTIFIER_ARRAY ||
	    one->kind == IDENTIFIER_AGGREGATION;

	if (type == NULL)
		return;
	formal.type = (struct type *)(uintptr_t)type;
	if (d_argument_compatible(c, &formal, argument))
		return;
	d_fail(c, D_PROTO_ARG, "%s%s%s %s #%u is incompatible with "
	    "prototype:\n\tprototype: %s\n\t%9s: %s", prefix, one->name,
	    suffix, key ? "key" : "argument", number + 1,
	    d_type_name(c, type), key ? "key" : "argument",
	    d_node_type_name(c, argument));
}

void
d_check_signature(struct d_compiler *c, struct d_node *node,
    const struct d_node *arguments, const char *prefix, const char *suffix)
{
	const struct identifier *one = node->identifier;
	const struct signature *s = one->signature;
	unsigned i, limit = s->at_least >= 0 ? (unsigned)s->at_least :
	    s->count;

	check_count(c, one, d_node_count(arguments), prefix, suffix);
	for (i = 0; i < limit && arguments != NULL; i++) {
		check_argument(c, one, i, arguments, prefix, suffix);
		arguments = arguments->next;
	}
	node->type = one->type;
}

/* Takes the keys of an array or aggregation from its first use. */
static void
learn_keys(struct d_compiler *c, struct identifier *one,
    const struct d_node *keys)
{
	struct signature *s = d_allocate(c, sizeof(*s));
	unsigned i;

	s->count = d_node_count(keys);
	s->at_least = s->optional = -1;
	s->types = d_allocate(c, (s->count + 1) * sizeof(struct type *));
	for (i = 0; keys != NULL; keys = keys->next) {
		if (d_node_is_dynamic(c, keys) || (d_type_is_void(keys->type) &&
		    keys->type != c->types.type_stack &&
		    keys->type != c->types.type_symaddr &&
		    keys->type != c->types.type_usymaddr))
			d_fail(c, D_KEY_TYPE, "%s expression may not be used "
			    "as %s index: key #%u", d_node_type_name(c, keys),
			    d_identifier_kind_name(one->kind), i + 1);
		s->types[i++] = keys->type;
	}
	one->signature = s;
	if ((one->flags & IDENTIFIER_DECLARED) == 0)
		one->type = c->types.type_dynamic;
}

/* --- built-in arrays ---------------------------------------------------- */

static void
check_constant_index(struct d_compiler *c, const struct identifier *one,
    const struct d_node *arguments)
{
	unsigned count = d_node_count(arguments);

	if (count != 1)
		d_fail(c, D_PROTO_LEN, "%s[ ] prototype mismatch: %u arg%s"
		    "passed, 1 expected", one->name, count,
		    count == 1 ? " " : "s ");
	if (arguments->kind != NODE_INTEGER)
		d_fail(c, D_PROTO_ARG, "%s[ ] argument #1 is incompatible "
		    "with prototype:\n\tprototype: integer constant\n"
		    "\t argument: %s", one->name,
		    d_type_name(c, arguments->type));
}

/* True for probes of the consumer, which have no typed arguments. */
static bool
has_no_arguments(const struct d_description *d)
{
	static const char *const names[] = { "BEGIN", "END", "ERROR" };
	size_t i;

	for (i = 0; i < 3; i++)
		if (strcmp(d->field[D_FIELD_NAME], names[i]) == 0)
			return (true);
	return (strcmp(d->field[D_FIELD_PROVIDER], "profile") == 0 ||
	    strncmp(d->field[D_FIELD_NAME], "tick-", 5) == 0 ||
	    strncmp(d->field[D_FIELD_NAME], "profile-", 8) == 0);
}

static void
check_args(struct d_compiler *c, struct d_node *node,
    const struct d_node *arguments)
{
	const struct identifier *one = node->identifier;
	const struct d_description *d = c->description;
	enum d_class class;

	/* The first result is final, even if it was a guess. */
	if ((node->flags & NODE_CHECKED) != 0)
		return;
	check_constant_index(c, one, arguments);
	if (d == NULL)
		d_fail(c, D_ARGS_NONE, "%s[ ] may not be referenced outside "
		    "of a probe clause", one->name);
	class = has_no_arguments(d) ? D_CLASS_NONE :
	    argument_class(c, NULL, arguments->value);
	if (class == D_CLASS_NONE)
		d_fail(c, D_ARGS_IDX,
		    "index %jd is out of range for %s:%s:%s:%s %s[ ]",
		    (intmax_t)arguments->value, d->field[0], d->field[1],
		    d->field[2], d->field[3], one->name);
	node->type = class_type(c, class, argument_pointer(c, NULL,
	    arguments->value, class));
}

/* The last register that has a name, see predefined.c. */
#ifdef __x86_64__
#define REGISTER_LAST	25
#else
#define REGISTER_LAST	33
#endif

static void
check_uregs(struct d_compiler *c, struct d_node *node,
    const struct d_node *arguments)
{
	const struct identifier *one = node->identifier;

	check_constant_index(c, one, arguments);
	if (d_type_is_signed(arguments->type) &&
	    (int64_t)arguments->value < 0)
		d_fail(c, D_REGS_IDX,
		    "index %jd is out of range for array %s",
		    (intmax_t)arguments->value, one->name);
	if (arguments->value > REGISTER_LAST)
		d_fail(c, D_UNKNOWN, "%s[]: index out of bounds (%ju)",
		    one->name, (uintmax_t)arguments->value);
	node->type = c->types.type_uint64;
}

/* --- functions with checks of their own ---------------------------------- */

/* Checks alloca() and copyin(), which return addresses of D's own memory. */
static void
check_alloca(struct d_compiler *c, struct d_node *node,
    const struct d_node *size)
{
	uint64_t most = c->options->scratchsize;

	node->flags |= NODE_ALLOCA;
	if (size->kind == NODE_INTEGER && most != 0 && size->value > most)
		d_fail(c, D_ALLOCA_SIZE, "alloca(%ju) size larger than "
		    "scratchsize %ju", (uintmax_t)size->value,
		    (uintmax_t)most);
}

static void
check_function(struct d_compiler *c, struct d_node *node,
    const struct d_node *arguments)
{
	struct identifier *one = node->identifier;

	if (one->signature == NULL)
		read_prototype(c, one);
	d_check_signature(c, node, arguments, "", "( )");
	arguments = node->arguments;
	if (one->id == BUILTIN_alloca)
		check_alloca(c, node, arguments);
	else if (one->id == BUILTIN_copyin)
		check_alloca(c, node, arguments->next);
}

static void
check_array(struct d_compiler *c, struct d_node *node,
    const struct d_node *arguments)
{
	struct identifier *one = node->identifier;

	if (one->id == BUILTIN_args)
		check_args(c, node, arguments);
	else if (one->id == BUILTIN_uregs)
		check_uregs(c, node, arguments);
	else {
		if (one->signature == NULL)
			learn_keys(c, one, arguments);
		else
			d_check_signature(c, node, arguments,
			    one->kind == IDENTIFIER_AGGREGATION ? "@" : "",
			    "[ ]");
		node->type = one->type;
	}
}

void
d_check_identifier(struct d_compiler *c, struct d_node *node,
    struct d_node **arguments)
{
	struct identifier *one = node->identifier;
	struct d_node *list;

	if (arguments != NULL)
		d_check_list(c, arguments, IDENTIFIER_READ);
	list = arguments == NULL ? NULL : *arguments;
	switch (one->kind) {
	case IDENTIFIER_FUNCTION:
	case IDENTIFIER_AGGREGATING:
	case IDENTIFIER_ACTION:
		check_function(c, node, list);
		break;
	case IDENTIFIER_ARRAY:
	case IDENTIFIER_AGGREGATION:
		check_array(c, node, list);
		break;
	default:
		if (one->type == NULL && one->prototype != NULL)
			one->type = prototype_type(c, one, one->prototype);
		if (one->type != NULL)
			node->type = one->type;
	}
	if ((one->flags & IDENTIFIER_ALLOCA) != 0)
		node->flags |= NODE_ALLOCA;
}

void
d_check_aggregation(struct d_compiler *c, struct d_node *node)
{
	if (node->left != NULL) {
		node->left = d_check(c, node->left, IDENTIFIER_READ);
		d_check_identifier(c, node, &node->arguments);
	}
	node->type = c->types.type_dynamic;
}
