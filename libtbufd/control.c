/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control lines: #line, #error, #pragma D option and so on.
 */
#include <string.h>

#include "stability.h"
#include "tree/constant.h"
#include "tree/errors.h"

/* The highest line that #line can set; lines after it must not overflow. */
#define LINE_LAST	2000000000

/* Places of directives: after #, #pragma or #pragma D, and later ones. */
enum place {
	PLACE_LINE,
	PLACE_PRAGMA,
	PLACE_D,
};

struct directive {
	const char *name;
	void (*act)(struct d_compiler *, const char *, const struct d_node *);
	enum place place;
};

/* A pragma about a name that is not defined yet. */
struct pragma {
	struct pragma *next;
	const char *name;	/* attributes, binding */
	const char *about;
	const char *part;	/* of a provider; NULL: an identifier */
	const struct d_stability *stability;	/* or NULL */
	int line;
};

struct declared {
	struct declared *next;
	const char *provider;
};

static bool
is_word(const struct d_node *node)
{
	return (node != NULL && node->kind == NODE_NAME);
}

static void
add_pragma(struct d_compiler *c, const struct pragma *one)
{
	struct pragma *pragma = d_allocate(c, sizeof(*pragma));

	*pragma = *one;
	pragma->next = c->pragmas;
	pragma->line = c->line;
	c->pragmas = pragma;
}

static void
remember_pragma(struct d_compiler *c, const char *name, const char *about,
    const struct d_stability *stability)
{
	struct identifier *one = d_global_find(c, about);

	if (one != NULL && one->generation == c->generation &&
	    stability != NULL)
		one->stability = *stability;
	if (one != NULL && one->generation != c->generation)
		d_fail(c, D_PRAGMA_SCOPE, "#pragma %s cannot modify entity "
		    "defined outside program scope", name);
	if (one == NULL)
		add_pragma(c, &(struct pragma){ .name = name, .about = about,
		    .stability = stability });
}

void
d_pragmas_declare(struct d_compiler *c, const char *provider)
{
	struct declared *one = d_allocate(c, sizeof(*one));

	*one = (struct declared){ c->declared, provider };
	c->declared = one;
}

/* Checks a part's name; the stability of the part is ignored. */
static void
check_part(struct d_compiler *c, const char *provider, const char *part)
{
	static const char *const parts[] = {
		"provider", "module", "function", "name", "args"
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcmp(parts[i], part) == 0)
			return;
	/* DTrace prints the two in this order. */
	d_fail(c, D_PRAGMA_INVAL, "invalid component \"%s\" in attribute "
	    "#pragma for provider %s", provider, part);
}

static bool
is_declared(struct d_compiler *c, const struct pragma *pragma)
{
	const struct declared *one;

	for (one = c->declared; one != NULL; one = one->next)
		if (strcmp(one->provider, pragma->about) == 0)
			break;
	if (one == NULL)
		return (false);
	c->line = pragma->line;
	check_part(c, pragma->about, pragma->part);
	return (true);
}

/* Fails if a pragma's name is undefined; reports the first alphabetically. */
void
d_pragmas_used(struct d_compiler *c)
{
	const struct pragma *one, *unused = NULL;
	struct identifier *about;

	for (one = c->pragmas; one != NULL; one = one->next)
		if (one->part != NULL && is_declared(c, one))
			continue;
		else if ((about = d_global_find(c, one->about)) != NULL &&
		    one->stability != NULL)
			about->stability = *one->stability;
		else if (about == NULL &&
		    strcmp(one->about, "translator") != 0 &&
		    (unused == NULL || strcmp(one->about, unused->about) < 0))
			unused = one;
	if (unused == NULL)
		return;
	c->line = unused->line;
	d_fail(c, D_PRAGMA_UNUSED, "unused #pragma %s", unused->name);
}

static bool
is_provided(struct d_compiler *c, enum d_field field, const char *name)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	struct d_description d = { .field = { "", "", "", "" } };

	d.field[field] = name;
	if (field == D_FIELD_PROVIDER && d_stability_provider(name))
		return (true);	/* it may have no probes now */
	if (field == D_FIELD_MODULE && strcmp(name, "vmlinux") == 0)
		return (true);	/* module of syscall's probes */
	return (calls->probe_exists == NULL ||
	    calls->probe_exists(calls->context, &d));
}

/* Handles "provider NAME PART", for a provider that exists or is declared. */
static void
control_provider(struct d_compiler *c, const char *name,
    const struct d_node *words, const struct d_stability *stability)
{
	const struct d_node *part = words == NULL ? NULL : words->next;

	if (!is_word(words) || !is_word(part))
		d_fail(c, D_PRAGMA_MALFORM,
		    "malformed #pragma %s <attributes> <ident>", name);
	if (is_provided(c, D_FIELD_PROVIDER, words->text))
		check_part(c, words->text, part->text);
	else
		add_pragma(c, &(struct pragma){ .name = name,
		    .about = words->text, .part = part->text,
		    .stability = stability });
}

static void
control_attributes(struct d_compiler *c, const char *name,
    const struct d_node *words)
{
	struct d_stability *stability = d_allocate(c, sizeof(*stability));

	if (!is_word(words) || !is_word(words->next))
		d_fail(c, D_PRAGMA_MALFORM,
		    "malformed #pragma %s <attributes> <ident>", name);
	if (!d_stability_parse(words->text, stability))
		d_fail(c, D_PRAGMA_INVAL,
		    "invalid attributes specified by #pragma %s", name);
	words = words->next;
	if (strcmp(words->text, "provider") == 0)
		control_provider(c, name, words->next, stability);
	else
		remember_pragma(c, name, words->text, stability);
}

static void
control_binding(struct d_compiler *c, const char *name,
    const struct d_node *words)
{
	if (words == NULL || words->kind != NODE_STRING ||
	    !is_word(words->next))
		d_fail(c, D_PRAGMA_MALFORM,
		    "malformed #pragma %s \"version\" <ident>", name);
	if (strspn(words->text, "0123456789.") != strlen(words->text) ||
	    *words->text == '\0')
		d_fail(c, D_PRAGMA_INVAL,
		    "invalid version string specified by #pragma %s", name);
	remember_pragma(c, name, words->next->text, NULL);
}

static void
control_depends(struct d_compiler *c, const char *name,
    const struct d_node *words)
{
	const char *what;
	bool found = true;

	if (!is_word(words) || !is_word(words->next))
		d_fail(c, D_PRAGMA_MALFORM,
		    "malformed #pragma %s <class> <name>", name);
	what = words->text;
	words = words->next;
	if (strcmp(what, "provider") == 0)
		found = is_provided(c, D_FIELD_PROVIDER, words->text);
	else if (strcmp(what, "module") == 0)
		found = is_provided(c, D_FIELD_MODULE, words->text);
	else if (strcmp(what, "library") != 0)
		d_fail(c, D_PRAGMA_INVAL,
		    "invalid class %s specified by #pragma %s", what, name);
	else if (!c->source->is_library)
		d_fail(c, D_PRAGMA_DEPEND, "main program may not explicitly "
		    "depend on a library");
	if (!found)
		d_fail(c, D_PRAGMA_DEPEND, "program requires %s %s", what,
		    words->text);
}

static void
control_error(struct d_compiler *c, const char *name,
    const struct d_node *words)
{
	const char *text = "";

	for (; words != NULL; words = words->next)
		if (words->text != NULL)
			text = d_format(c, "%s%s ", text, words->text);
	d_fail(c, D_PRAGERR, "#%s: %s", name, text);
}

static void
control_ident(struct d_compiler *c, const char *name,
    const struct d_node *words)
{
	(void)c;
	(void)name;
	(void)words;
}

/* Handles cpp's flags after a file's name: 1 enters a header, 2 returns. */
static void
control_depth(struct d_compiler *c, const struct d_node *flags)
{
	for (; flags != NULL; flags = flags->next) {
		if (flags->kind != NODE_INTEGER)
			d_fail(c, D_PRAGMA_MALFORM,
			    "malformed #line <line> [ [\"file\"] state ]");
		if (flags->value == 1)
			c->include_depth++;
		else if (flags->value == 2 && c->include_depth > 0)
			c->include_depth--;
	}
}

/* True for cpp's main input, of which errors show the line only. */
static bool
is_main(const char *file)
{
	return (strncmp(file, "/dev/fd/", 8) == 0 ||
	    strcmp(file, "/dev/stdin") == 0);
}

static void
control_line(struct d_compiler *c, const char *name,
    const struct d_node *words)
{
	const struct d_node *file = words == NULL ? NULL : words->next;

	if (words == NULL || words->kind != NODE_INTEGER ||
	    (file != NULL && file->kind != NODE_STRING))
		d_fail(c, D_PRAGMA_MALFORM,
		    "malformed #%s <line> [ [\"file\"] state ]", name);
	if (file != NULL) {
		c->file = is_main(file->text) ? NULL : file->text;
		control_depth(c, file->next);
	}
	/* This line is counted already; the number is the next line's. */
	c->line = words->value > LINE_LAST ? LINE_LAST : (int)words->value;
}

static void
control_option(struct d_compiler *c, const char *name,
    const struct d_node *words)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	const char *reason = NULL;
	char *option, *value;

	if (!is_word(words))
		d_fail(c, D_PRAGMA_MALFORM,
		    "malformed #pragma %s <option>=<val>", name);
	if (words->next != NULL)
		d_fail(c, D_PRAGMA_MALFORM,
		    "superfluous arguments specified for #pragma %s", name);
	option = d_copy(c, words->text, strlen(words->text));
	if ((value = strchr(option, '=')) != NULL)
		*value++ = '\0';
	if (calls->set_option != NULL)
		reason = calls->set_option(calls->context, option, value);
	if (reason == NULL) {
		d_types_strsize(c);
		return;
	}
	d_unknown(c, D_UNKNOWN_OPTION, option);
	if (value == NULL)
		d_fail(c, D_PRAGMA_OPTSET, "failed to set option '%s': %s",
		    option, reason);
	d_fail(c, D_PRAGMA_OPTSET, "failed to set option '%s' to '%s': %s",
	    option, value, reason);
}

static const struct directive directives[] = {
	{ "attributes", control_attributes, PLACE_D },
	{ "binding", control_binding, PLACE_D },
	{ "depends_on", control_depends, PLACE_D },
	{ "error", control_error, PLACE_LINE },
	{ "ident", control_ident, PLACE_LINE },
	{ "line", control_line, PLACE_LINE },
	{ "option", control_option, PLACE_D },
};

static const struct directive *
find_directive(enum place place, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
		if (directives[i].place <= place &&
		    strcmp(directives[i].name, name) == 0)
			return (&directives[i]);
	return (NULL);
}

/* Fails for an unknown directive, except a pragma, which C ignores. */
static void
unknown(struct d_compiler *c, enum place place, const char *name)
{
	if (place == PLACE_LINE)
		d_fail(c, D_PRAGCTL_INVAL, "invalid control directive: #%s",
		    name);
	if (place == PLACE_D)
		d_fail(c, D_PRAGMA_INVAL, "invalid D pragma: %s", name);
}

/* Runs a control line.  Its newline was read, so errors are at c->line - 1. */
void
d_control(struct d_compiler *c, struct d_node *words)
{
	enum place place = PLACE_LINE;
	const struct directive *directive;
	int next = c->line;

	if (words != NULL && words->kind == NODE_INTEGER) {
		control_line(c, "line", words);
		return;
	}
	if (words != NULL && words->kind != NODE_NAME)
		d_fail(c, D_PRAGCTL_INVAL, "invalid control directive");
	if (words != NULL && strcmp(words->text, "pragma") == 0) {
		place = PLACE_PRAGMA;
		words = words->next;
	}
	if (place == PLACE_PRAGMA && is_word(words) &&
	    strcmp(words->text, "D") == 0) {
		place = PLACE_D;
		words = words->next;
	}
	if (words == NULL)
		return;
	if (words->kind != NODE_NAME)
		d_fail(c, D_PRAGCTL_INVAL, "invalid control directive");
	c->line = next - 1;
	directive = find_directive(place, words->text);
	if (directive == NULL)
		unknown(c, place, words->text);
	else {
		directive->act(c, directive->name, words->next);
		if (directive->act == control_line)
			return;
	}
	c->line = next;
}
