/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the text of a site.  Arguments are separated as in the preprocessor:
 * by a comma outside of parentheses and literals.  Brackets and braces do not
 * protect a comma.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "target/probe/site_text.h"
#include "target/probe/site_token.h"

/*
 * Reads an argument and the comma after it.  Returns true if there was a comma:
 * another argument follows.
 */
static bool
read_argument(struct cursor *text, struct argument_name *name)
{
	struct cursor argument = *text;
	struct token token;
	unsigned depth = 0;

	do {
		token = tbuf_token_next(text);
		if (token.kind == TOKEN_OPEN)
			depth++;
		else if (token.kind == TOKEN_CLOSE && depth > 0)
			depth--;
	} while (token.kind != TOKEN_END &&
	    (token.kind != TOKEN_COMMA || depth > 0));
	argument.end = token.span.start;
	*name = tbuf_site_argument(argument);
	return (token.kind == TOKEN_COMMA);
}

/* Reads a provider or a name, and the comma after it if there is one. */
static int
read_field(const char **text, struct span *field, bool *more)
{
	const char *p = *text + strspn(*text, " \t\n\v\f\r");

	field->start = p;
	while (tbuf_site_word(*p) || *p == '-' || *p == '.')
		p++;
	field->length = (size_t)(p - field->start);
	p += strspn(p, " \t\n\v\f\r");
	if (field->length == 0 || (*p != ',' && *p != '\0'))
		return (-EINVAL);
	*more = *p == ',';
	*text = *more ? p + 1 : p;
	return (0);
}

/* Stores a provider, or a name with `__' as `-'. */
static int
store_field(char *out, struct span field, bool dashes)
{
	size_t from, to = 0;

	for (from = 0; from < field.length; from++) {
		if (to == TBUF_SITETEXT_FIELD - 1)
			return (-EINVAL);
		if (dashes && from + 1 < field.length &&
		    memcmp(field.start + from, "__", 2) == 0) {
			out[to++] = '-';
			from++;
		} else {
			out[to++] = field.start[from];
		}
	}
	out[to] = '\0';
	return (0);
}

/* Cuts a span before a whole UTF-8 character. */
static void
cut_span(struct span *span, size_t length)
{
	if (span->length <= length)
		return;
	span->length = length;
	while (span->length > 0 &&
	    ((unsigned char)span->start[span->length] & 0xc0) == 0x80)
		span->length--;
}

/* Returns the default name of argument `n'. */
static struct span
default_name(unsigned n)
{
	static const char names[TBUF_NARGS][5] = {
		"arg0", "arg1", "arg2", "arg3", "arg4",
		"arg5", "arg6", "arg7", "arg8", "arg9"
	};

	return ((struct span){ names[n], 4 });
}

static bool
is_default_name(struct span span, unsigned n)
{
	return (tbuf_span_equal(span, default_name(n)));
}

/*
 * Returns true if argument n has to take its default name: another argument has
 * the same name and comes from TBUF_NAMED, which this one does not, or precedes
 * this one in the same case; or the name is another argument's default name.
 */
static bool
gives_way(const struct argument_name *names, unsigned nargs, unsigned n)
{
	unsigned i;

	if (is_default_name(names[n].span, n))
		return (false);
	for (i = 0; i < nargs; i++) {
		if (i == n || !tbuf_span_equal(names[i].span, names[n].span))
			continue;
		if (is_default_name(names[i].span, i) ||
		    names[i].given > names[n].given ||
		    (names[i].given == names[n].given && i < n))
			return (true);
	}
	return (false);
}

/* Assigns default names until all names differ. */
void
tbuf_site_settle(struct argument_name *names, unsigned nargs)
{
	bool changed = true;
	unsigned n;

	for (n = 0; n < nargs; n++) {
		if (names[n].span.length == 0)
			names[n].span = default_name(n);
	}
	while (changed) {
		changed = false;
		for (n = 0; n < nargs; n++) {
			if (gives_way(names, nargs, n)) {
				names[n].span = default_name(n);
				changed = true;
			}
		}
	}
}

/* Reads exactly `nargs' arguments, or clears all names. */
static void
read_names(const char *text, bool more, struct argument_name *names,
    unsigned nargs)
{
	struct cursor cursor = { text, text + strlen(text) };
	struct argument_name name;
	unsigned n;

	for (n = 0; more; n++) {
		more = read_argument(&cursor, &name);
		cut_span(&name.span, TBUF_SITETEXT_ARGUMENT - 1);
		if (n < nargs)
			names[n] = name;
	}
	if (n != nargs)
		memset(names, 0, nargs * sizeof(*names));
}

int
tbuf_sitetext_parse(const char *text, unsigned nargs,
    struct tbuf_sitetext *out)
{
	struct argument_name names[TBUF_NARGS] = {
		{ { NULL, 0 }, false, false }
	};
	struct span provider, name;
	bool more;
	unsigned n;

	if (text == NULL || nargs > TBUF_NARGS)
		return (-EINVAL);
	if (read_field(&text, &provider, &more) != 0 || !more ||
	    read_field(&text, &name, &more) != 0)
		return (-EINVAL);
	if (store_field(out->provider, provider, false) != 0 ||
	    store_field(out->name, name, true) != 0)
		return (-EINVAL);
	read_names(text, more, names, nargs);
	tbuf_site_settle(names, nargs);
	for (n = 0; n < nargs; n++) {
		memcpy(out->arguments[n], names[n].span.start,
		    names[n].span.length);
		out->arguments[n][names[n].span.length] = '\0';
	}
	for (; n < TBUF_NARGS; n++)
		out->arguments[n][0] = '\0';
	return (0);
}
