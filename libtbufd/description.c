/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probe descriptions: fields, parsed from the right, and macro variables in
 * them.
 *
 * Colons separate fields.  If a description has too many fields, a :: between
 * two names is part of a C++ function.  The first name is then stored as the
 * provider, because X::Y:name may mean either: the lookup of probes tries both.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tree/constant.h"
#include "tree/errors.h"
#include "tree/tree.h"

/*
 * Expands the macro variable at the end of a field.  Functions of Rust have
 * names such as drop$LT$T$GT$, in which a $ that is no macro's is itself.
 */
static const char *
expand(struct d_compiler *c, const char *whole, const char *field,
    bool is_function)
{
	const char *dollar = strchr(field, '$'), *value;

	if (dollar == NULL)
		return (field);
	value = d_macro_text(c, dollar + 1);
	if (value == NULL && is_function && dollar > field)
		return (field);
	if (value == NULL)
		d_fail(c, D_PDESC_INVAL, "invalid probe description \"%s\": "
		    "Undefined macro variable in probe description", whole);
	return (d_format(c, "%.*s%s", (int)(dollar - field), field, value));
}

/* Cuts a selection off the end of a description; NULL if there is none. */
static const char *
selection_take(struct d_compiler *c, const char *whole, char *description)
{
	char *equals = strchr(description, '='), *end;
	const char *selection;
	bool hex;

	if (equals == NULL)
		return (NULL);
	hex = equals[1] == '0' && (equals[2] | ' ') == 'x';
	errno = 0;
	if (strtoull(equals + 1, &end, hex ? 16 : 10) > UINT32_MAX ||
	    errno != 0 || *end != '\0')
		d_fail(c, D_PDESC_INVAL, "invalid probe description \"%s\": "
		    "A selection must be a mask of 32 bits", whole);
	selection = d_copy(c, equals, strlen(equals));
	*equals = '\0';
	return (selection);
}

static bool
is_scope(const char *text, const char *colon)
{
	return (colon > text && colon[-1] != ':' && colon[0] == ':' &&
	    colon[1] == ':' && colon[2] != ':' && colon[2] != '\0');
}

/* True if a colon separates fields; one after a backslash does not. */
static bool
separates(const char *text, const char *colon, bool scoped)
{
	const char *p = colon;

	if (*colon != ':')
		return (false);
	while (p > text && p[-1] == '\\')
		p--;
	return ((colon - p) % 2 == 0 && !(scoped && (is_scope(text, colon) ||
	    (colon > text && is_scope(text, colon - 1)))));
}

static char *
last_separator(char *text, bool scoped)
{
	char *p = strchr(text, '\0');

	while (p > text)
		if (separates(text, --p, scoped))
			return (p);
	return (NULL);
}

static bool
has_too_many(const char *text, int most)
{
	const char *p;
	int n = 0;

	for (p = text; *p != '\0'; p++)
		n += separates(text, p, false);
	return (n > most);
}

/*
 * Splits X::Y of a function without a provider, which X may be, also as
 * pid$target.
 */
static void
split(struct d_compiler *c, const char *whole, struct d_description *d)
{
	const char *function = d->field[D_FIELD_FUNCTION], *p;

	for (p = function; *p != '\0' && (!separates(function, p, false) ||
	    !is_scope(function, p)); p++)
		continue;
	if (*p == '\0')
		return;
	d->field[D_FIELD_PROVIDER] = expand(c, whole, d_copy(c, function,
	    (size_t)(p - function)), true);
	d->field[D_FIELD_FUNCTION] = p + 2;
}

/* True for DTrace's provider pid, which does not exist here. */
static bool
is_pid(const char *provider, size_t length)
{
	return (length == strlen("pid") &&
	    memcmp(provider, "pid", length) == 0);
}

/*
 * Removes a traced pid from a provider: DTrace appends the pid to a program's
 * provider names, such as python4711, and scripts write python$target.
 */
static const char *
without_pid(struct d_compiler *c, const char *provider)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	const char *end = strchr(provider, '\0'), *p = end;
	int64_t pid;

	while (p > provider && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p == provider || p == end || calls->is_traced == NULL ||
	    is_pid(provider, (size_t)(p - provider)))
		return (provider);
	errno = 0;
	pid = strtoll(p, NULL, 10);
	if (*p == '0' || errno != 0 || !calls->is_traced(calls->context, pid))
		return (provider);
	return (d_copy(c, provider, (size_t)(p - provider)));
}

/* Returns the end of a class that has digits only, or NULL. */
static const char *
class_of_digits(const char *p, const char *end)
{
	const char *last = p + 1 + strspn(p + 1, "0123456789-");

	return (last > p + 1 && last < end && *last == ']' ? last + 1 : NULL);
}

size_t
d_provider_bare(const char *provider, size_t length)
{
	const char *end = provider + length, *p, *start;

	if ((start = memchr(provider, '[', length)) == NULL)
		return (0);
	for (p = start; p != NULL && p < end;) {
		if (*p == '[')
			p = class_of_digits(p, end);
		else if (*p == '*' || *p == '?' || (*p >= '0' && *p <= '9'))
			p++;
		else
			p = NULL;
	}
	length = (size_t)(start - provider);
	return (p == NULL || is_pid(provider, length) ? 0 : length);
}

static const char *
bare(struct d_compiler *c, const char *provider)
{
	size_t length = d_provider_bare(provider, strlen(provider));

	return (length == 0 ? NULL : d_copy(c, provider, length));
}

/*
 * Sets a provider.  A glob with a traced pid, such as p*d$target, is that of
 * pid4711 as well as that of other providers, which have no pid here.
 */
static void
set_provider(struct d_compiler *c, struct d_description *d)
{
	const char *provider = d->field[D_FIELD_PROVIDER];
	const char *other = without_pid(c, provider);

	if (other != provider && fnmatch(other, "pid", 0) == 0) {
		d->bare = other;
		return;
	}
	d->field[D_FIELD_PROVIDER] = other;
	d->bare = bare(c, other);
}

/*
 * Returns the ] of the class that begins at p, after its [; NULL if it has
 * none.  As in fnmatch(3), a ] that comes first is an ordinary character.
 */
static const char *
class_end(const char *p)
{
	const char *first = p += *p == '!' || *p == '^';

	for (; *p != '\0' && (p == first || *p != ']'); p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return (*p == '\0' ? NULL : p);
}

/* Returns why targets would refuse a field, or NULL. */
static const char *
glob_problem(const char *p)
{
	for (; *p != '\0'; p++)
		if (*p == '[' && (p = class_end(p + 1)) == NULL)
			return ("a closing ] is missing");
		else if (*p == '\\' && *++p == '\0')
			return ("a backslash at its end quotes nothing");
	return (NULL);
}

static void
check_fields(struct d_compiler *c, const char *whole,
    const struct d_description *d)
{
	const char *why;
	int i;

	for (i = 0; i < 4; i++)
		if ((why = glob_problem(d->field[i])) != NULL)
			d_fail(c, D_PDESC_INVAL,
			    "invalid probe description \"%s\": %s", whole,
			    why);
}

struct d_node *
d_node_description(struct d_compiler *c, const char *text)
{
	struct d_node *node = d_node_make(c, NODE_DESCRIPTION);
	struct d_description *d = d_allocate(c, sizeof(*d));
	char *rest = d_copy(c, text, strlen(text)), *colon;
	int field = (int)c->source->field;
	bool scoped;

	for (int i = 0; i < 4; i++)
		d->field[i] = "";
	node->text = selection_take(c, text, rest);
	scoped = has_too_many(rest, field);
	do {
		/* A colon before all four fields separates nothing. */
		if (field < 0 && *rest == '\0')
			break;
		if (field < 0)
			d_fail(c, D_PDESC_INVAL, "invalid probe description "
			    "\"%s\": Overspecified probe description", text);
		if ((colon = last_separator(rest, scoped)) != NULL)
			*colon = '\0';
		d->field[field] = expand(c, text, colon == NULL ? rest :
		    colon + 1, field == D_FIELD_FUNCTION);
		field--;
	} while (colon != NULL);
	if (scoped && field == D_FIELD_MODULE)
		split(c, text, d);
	check_fields(c, text, d);
	set_provider(c, d);
	if (c->options->callbacks.others != NULL)
		d->others = c->options->callbacks.others(
		    c->options->callbacks.context, d);
	node->description = d;
	return (node);
}

struct d_node *
d_node_description_id(struct d_compiler *c, uint64_t id)
{
	static const char *const fields[] = {
		"providers", "modules", "functions",
	};
	const struct d_callbacks *calls = &c->options->callbacks;
	struct d_node *node = d_node_make(c, NODE_DESCRIPTION);
	struct d_description *d = d_allocate(c, sizeof(*d));

	if (id > UINT32_MAX)
		d_fail(c, D_PDESC_INVAL,
		    "identifier %ju exceeds maximum probe id", (uintmax_t)id);
	if (c->source->field != D_FIELD_NAME)
		d_fail(c, D_PDESC_INVAL, "probe identifier %ju not permitted "
		    "when specifying %s", (uintmax_t)id,
		    fields[c->source->field]);
	if (calls->probe_by_id == NULL ||
	    !calls->probe_by_id(calls->context, id, d))
		d_fail(c, D_PDESC_INVAL, "invalid probe identifier %ju: "
		    "Unknown probe identifier", (uintmax_t)id);
	node->description = d;
	node->value = id;
	return (node);
}

/*
 * Counts the clauses that DTrace makes of statements: blocks, and conditions,
 * of which an else has one, too.
 */
static unsigned
count_parts(const struct d_node *list)
{
	unsigned n = 0;

	while (list != NULL) {
		if (list->kind != NODE_IF)
			n++;
		while (list != NULL && list->kind != NODE_IF)
			list = list->next;
		if (list == NULL)
			break;
		n += 1 + count_parts(list->left) +
		    (list->right != NULL) + count_parts(list->right);
		list = list->next;
	}
	return (n);
}

bool
d_has_if(const struct d_node *list)
{
	while (list != NULL && list->kind != NODE_IF)
		list = list->next;
	return (list != NULL);
}

/*
 * Counts the clauses that DTrace makes of a clause: one, or, if it has an if,
 * one that clears a fault, the predicate's condition, and the statements'.
 */
static unsigned
clause_parts(const struct d_node *clause)
{
	return (!d_has_if(clause->arguments) ? 1 :
	    1 + (clause->condition != NULL) + count_parts(clause->arguments));
}

const struct d_description *
d_program_description(const struct d_node *program, unsigned n,
    unsigned *parts)
{
	const struct d_node *clause = program->arguments, *one;

	for (; clause != NULL; clause = clause->next) {
		if (clause->kind != NODE_CLAUSE)
			continue;
		for (one = clause->descriptions; one != NULL; one = one->next)
			if (n-- == 0) {
				*parts = clause_parts(clause);
				return (one->description);
			}
	}
	return (NULL);
}

bool
d_program_has_if(const struct d_node *program)
{
	const struct d_node *clause = program->arguments;

	while (clause != NULL && (clause->kind != NODE_CLAUSE ||
	    !d_has_if(clause->arguments)))
		clause = clause->next;
	return (clause != NULL);
}
