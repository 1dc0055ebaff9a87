/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Provider files: tokens, read one ahead of the grammar.
 *
 *	file:		{ provider | typedef | other declaration }
 *	provider:	"provider" NAME "{" { probe } "}" ";"
 *	probe:		"probe" NAME "(" arguments ")"
 *			    [ ":" "(" arguments ")" ] ";"
 *
 * Arguments after a colon are those of DTrace's translators: the program does
 * not pass them.  Lines that begin with # are for other tools.
 *
 * The length of a text without a NUL is another argument, with the name that is
 * in place of the size of a C array: `char name[length], int length`.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "description.h"
#include "type.h"

#define TYPEDEFS	64

struct named_type {
	char name[USDT_NAME];
	struct usdt_type type;
};

struct reader {
	const char *at;		/* after the token */
	const char *token;
	size_t length;		/* of the token; 0 at the end */
	bool is_word;
	unsigned line;
	const char *error;
	struct named_type types[TYPEDEFS];
	unsigned ntypes;
	void (*visit)(void *, const struct usdt_description *);
	void *arg;
};

/* ------------------------------------------------------------ tokens */

static bool
word_character(char c)
{
	return (isalnum((unsigned char)c) || c == '_' || c == '$');
}

/* Skips blanks, comments, and lines of a preprocessor. */
static void
skip(struct reader *r)
{
	bool first = r->token == NULL;
	const char *p = r->at;

	for (;; p++) {
		if (*p == '\n') {
			r->line++;
			first = true;
		} else if (p[0] == '/' && p[1] == '*') {
			for (p += 2; *p != '\0' &&
			    (p[0] != '*' || p[1] != '/'); p++)
				r->line += *p == '\n';
			if (*p == '\0')
				break;
			p++;
		} else if ((p[0] == '/' && p[1] == '/') ||
		    (first && *p == '#')) {
			p += strcspn(p, "\n");
			p--;
		} else if (!isspace((unsigned char)*p))
			break;
	}
	r->at = p;
}

static void
next(struct reader *r)
{
	const char *p;

	if (r->error != NULL)
		return;
	skip(r);
	p = r->token = r->at;
	r->is_word = word_character(*p);
	if (r->is_word)
		while (word_character(*p))
			p++;
	else if (*p != '\0')
		p++;
	r->length = (size_t)(p - r->token);
	r->at = p;
}

static void
refuse(struct reader *r, const char *why)
{
	if (r->error == NULL)
		r->error = why;
	r->length = 0;
}

static bool
is(const struct reader *r, const char *what)
{
	return (r->length == strlen(what) &&
	    memcmp(r->token, what, r->length) == 0);
}

static void
want(struct reader *r, const char *what, const char *why)
{
	if (is(r, what))
		next(r);
	else
		refuse(r, why);
}

static void
take_name(struct reader *r, char name[USDT_NAME], const char *why)
{
	if (!r->is_word || r->length == 0)
		refuse(r, why);
	else if (r->length >= USDT_NAME)
		refuse(r, "a name of more than 63 bytes");
	else {
		memcpy(name, r->token, r->length);
		name[r->length] = '\0';
		next(r);
	}
}

/* ------------------------------------------------------------ arguments */

static bool
is_tag(const struct reader *r)
{
	return (is(r, "struct") || is(r, "union") || is(r, "enum"));
}

static const struct named_type *
find_type(const struct reader *r)
{
	unsigned i;

	for (i = 0; i < r->ntypes; i++)
		if (is(r, r->types[i].name))
			return (&r->types[i]);
	return (NULL);
}

/* Takes a declared type, or a name that is not known here. */
static void
use_type(const struct reader *r, struct usdt_type *type)
{
	const struct named_type *t = find_type(r);
	unsigned pointers = type->pointers;

	if (t != NULL) {
		*type = t->type;
		type->pointers += pointers;
	}
	type->complete = true;
}

/* Takes a word of a type, or the declared name after a complete type. */
static void
declaration_word(struct reader *r, struct usdt_type *type,
    char name[USDT_NAME])
{
	bool is_enum = is(r, "enum");

	if (is_tag(r)) {
		next(r);
		*type = (struct usdt_type){ .complete = true,
		    .base = is_enum ? TBUF_UINT32 : TBUF_NONE };
		if (r->is_word)
			next(r);
	} else if (usdt_type_word(type, r->token, r->length))
		next(r);
	else if (!type->complete) {
		use_type(r, type);
		next(r);
	} else if (*name == '\0')
		take_name(r, name, "a name is expected");
	else
		refuse(r, "',' or ')' is expected");
}

/* Takes the word that is an array's size; a number is ignored. */
static void
take_size(const struct reader *r, char size[USDT_NAME])
{
	if (!r->is_word || isdigit((unsigned char)*r->token))
		return;
	*size = '\0';
	if (r->length < USDT_NAME)
		strncat(size, r->token, r->length);
}

/* Reads up to the comma, the parenthesis or the semicolon that ends it. */
static void
declaration(struct reader *r, struct usdt_type *type, char name[USDT_NAME],
    char size[USDT_NAME])
{
	unsigned depth = 0;
	bool array;

	*type = (struct usdt_type){ .base = TBUF_NONE };
	*name = *size = '\0';
	while (r->length > 0) {
		if (depth == 0 && (is(r, ",") || is(r, ")") || is(r, ";")))
			return;
		if (r->is_word && depth == 0) {
			declaration_word(r, type, name);
			continue;
		}
		array = is(r, "[") && depth == 0;
		/* An array's size, a function's arguments, members. */
		if (is(r, "(") || is(r, "["))
			type->pointers += depth++ == 0;
		else if (is(r, "{"))
			depth++;
		else if ((is(r, ")") || is(r, "]") || is(r, "}")) && depth > 0)
			depth--;
		else if (is(r, "*"))
			type->pointers += depth == 0;
		else if (depth == 0)
			refuse(r, "a type is expected");
		next(r);
		if (array)
			take_size(r, size);
	}
	refuse(r, "')' is expected");
}

/* Finds the arguments that are lengths of texts, before or after these. */
static void
find_lengths(struct reader *r, struct usdt_description *d,
    char sizes[USDT_ARGUMENTS][USDT_NAME])
{
	unsigned i, n;

	for (i = 0; i < d->nargs; i++) {
		if (*sizes[i] == '\0' || d->args[i].type != TBUF_STRING)
			continue;
		for (n = 0; n < d->nargs; n++)
			if (strcmp(d->args[n].name, sizes[i]) == 0)
				break;
		if (n == d->nargs || n == i)
			refuse(r, "no other argument has the length's name");
		d->args[i].length = n + 1;
	}
}

static void
arguments(struct reader *r, struct usdt_description *d)
{
	char sizes[USDT_ARGUMENTS][USDT_NAME];
	struct usdt_argument *a;
	struct usdt_type type;

	want(r, "(", "'(' is expected");
	while (r->length > 0 && !is(r, ")")) {
		if (d->nargs == USDT_ARGUMENTS) {
			refuse(r, "a probe has at most 12 arguments");
			return;
		}
		a = &d->args[d->nargs];
		declaration(r, &type, a->name, sizes[d->nargs]);
		a->type = usdt_type_of(&type);
		if (!type.complete)
			refuse(r, "a type is expected");
		else if (!(is(r, ")") && d->nargs == 0 && type.pointers == 0 &&
		    type.is_void))
			d->nargs++;
		if (is(r, ","))
			next(r);
	}
	find_lengths(r, d, sizes);
	want(r, ")", "')' is expected");
}

/* ------------------------------------------------------------ declarations */

static void
probe(struct reader *r, const char *provider)
{
	struct usdt_description d = { .nargs = 0 }, translated = { .nargs = 0 };

	strcpy(d.provider, provider);
	want(r, "probe", "'probe' or '}' is expected");
	take_name(r, d.name, "a probe's name is expected");
	arguments(r, &d);
	if (is(r, ":")) {
		next(r);
		arguments(r, &translated);
	}
	want(r, ";", "';' is expected");
	if (r->error == NULL)
		r->visit(r->arg, &d);
}

static void
provider(struct reader *r)
{
	char name[USDT_NAME];

	next(r);
	take_name(r, name, "a provider's name is expected");
	want(r, "{", "'{' is expected");
	while (r->length > 0 && !is(r, "}"))
		probe(r, name);
	want(r, "}", "'}' is expected");
	/* Not all files have the semicolon, and DTrace does not require it. */
	if (is(r, ";"))
		next(r);
}

static void
type_definition(struct reader *r)
{
	struct named_type new;
	char size[USDT_NAME];

	next(r);
	declaration(r, &new.type, new.name, size);
	want(r, ";", "';' is expected");
	if (r->error == NULL && *new.name != '\0' && r->ntypes < TYPEDEFS)
		r->types[r->ntypes++] = new;
}

/* Skips a declaration up to its semicolon. */
static void
other(struct reader *r)
{
	unsigned depth = 0;

	if (!is_tag(r)) {
		refuse(r, "'provider' is expected");
		return;
	}
	for (; r->length > 0; next(r)) {
		depth += is(r, "{");
		depth -= is(r, "}") && depth > 0;
		if (is(r, ";") && depth == 0) {
			next(r);
			return;
		}
	}
	refuse(r, "';' is expected");
}

const char *
usdt_describe(const char *text, void (*visit)(void *,
    const struct usdt_description *), void *arg, unsigned *line)
{
	struct reader r = {
		.at = text, .line = 1, .visit = visit, .arg = arg
	};

	next(&r);
	while (r.length > 0) {
		if (is(&r, "provider"))
			provider(&r);
		else if (is(&r, "typedef"))
			type_definition(&r);
		else
			other(&r);
	}
	*line = r.line;
	return (r.error);
}
