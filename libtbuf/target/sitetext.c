/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Taking apart the text of a site.  What separates arguments here is what
 * separates them for the preprocessor: a comma outside of parentheses and
 * literals.  Brackets and braces protect nothing there.  Comments are gone
 * already.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "target/sitetext.h"

/* A stretch of the text. */
struct span {
	const char *start;
	size_t length;
};

/* A preprocessing token. */
struct token {
	enum { END, IDENTIFIER, COMMA, OPEN, CLOSE, OTHER } kind;
	struct span span;
};

/* ctype.h would ask the host program's locale. */
static bool
is_digit(char c)
{
	return (c >= '0' && c <= '9');
}

static bool
starts_identifier(char c)
{
	return ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    c == '_' || c == '$' || (unsigned char)c >= 0x80);
}

static bool
is_word(char c)
{
	return (starts_identifier(c) || is_digit(c));
}

static bool
span_is(struct span span, const char *word)
{
	return (strlen(word) == span.length &&
	    memcmp(word, span.start, span.length) == 0);
}

static bool
span_equal(struct span a, struct span b)
{
	return (a.length == b.length &&
	    memcmp(a.start, b.start, a.length) == 0);
}

static const char *
skip_identifier(const char *p)
{
	while (is_word(*p))
		p++;
	return (p);
}

/* 0x1p+3, 1'000'000ull, .5e-3f */
static const char *
skip_number(const char *p)
{
	for (;;) {
		if (strchr("eEpP", *p) != NULL && *p != '\0' &&
		    (p[1] == '+' || p[1] == '-'))
			p += 2;
		else if (is_word(*p) || *p == '.')
			p++;
		else if (*p == '\'' && is_word(p[1]))
			p += 2;
		else
			return (p);
	}
}

/* From the opening quote to behind the suffix of a C++ literal, if any. */
static const char *
skip_quoted(const char *p)
{
	char quote = *p++;

	while (*p != '\0' && *p != quote) {
		if (*p == '\\' && p[1] != '\0')
			p++;
		p++;
	}
	if (*p == quote)
		p++;
	return (skip_identifier(p));
}

/* The same from the quote of R"delimiter( to behind )delimiter". */
static const char *
skip_raw(const char *p)
{
	const char *delimiter = p + 1, *close;
	size_t length = strcspn(delimiter, "(\"");

	if (delimiter[length] != '(')
		return (skip_quoted(p));
	close = delimiter + length;
	while ((close = strchr(close + 1, ')')) != NULL) {
		if (strncmp(close + 1, delimiter, length) == 0 &&
		    close[1 + length] == '"')
			return (skip_identifier(close + length + 2));
	}
	return (p + strlen(p));
}

static bool
is_prefix(struct span word)
{
	return (span_is(word, "L") || span_is(word, "u") ||
	    span_is(word, "U") || span_is(word, "u8"));
}

static bool
is_raw_prefix(struct span word)
{
	return (word.start[word.length - 1] == 'R' && (word.length == 1 ||
	    is_prefix((struct span){ word.start, word.length - 1 })));
}

/* The token at `p`, which stands on no white space. */
static struct token
token_at(const char *p)
{
	struct token token = { OTHER, { p, 1 } };
	const char *end = p + 1;

	if (starts_identifier(*p)) {
		end = skip_identifier(p);
		token.kind = IDENTIFIER;
		token.span.length = (size_t)(end - p);
		if (*end == '"' && is_raw_prefix(token.span)) {
			token.kind = OTHER;
			end = skip_raw(end);
		} else if ((*end == '"' || *end == '\'') &&
		    is_prefix(token.span)) {
			token.kind = OTHER;
			end = skip_quoted(end);
		}
	} else if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
		end = skip_number(p);
	} else if (*p == '"' || *p == '\'') {
		end = skip_quoted(p);
	} else if (*p == ',') {
		token.kind = COMMA;
	} else if (*p == '(') {
		token.kind = OPEN;
	} else if (*p == ')') {
		token.kind = CLOSE;
	} else if (*p == '\0') {
		token.kind = END;
		end = p;
	}
	token.span.length = (size_t)(end - p);
	return (token);
}

static struct token
next_token(const char **text)
{
	struct token token;

	*text += strspn(*text, " \t\n\v\f\r");
	token = token_at(*text);
	*text += token.span.length;
	return (token);
}

/*
 * Read an argument and the comma behind it.  *last is its last identifier, or
 * empty.  Returns whether there was a comma: another argument follows.
 */
static bool
read_argument(const char **text, struct span *last)
{
	unsigned depth = 0, bytes = 0;	/* bytes: the depth within TBUF_BYTES() */
	bool opens_bytes = false, ignore = false;
	struct token token;

	*last = (struct span){ *text, 0 };
	for (;;) {
		token = next_token(text);
		if (token.kind == END || (token.kind == COMMA && depth == 0))
			return (token.kind == COMMA);
		if (token.kind == COMMA && depth == bytes) {
			ignore = true;
		} else if (token.kind == OPEN) {
			depth++;
			if (opens_bytes && bytes == 0)
				bytes = depth;
		} else if (token.kind == CLOSE && depth > 0) {
			if (depth-- == bytes) {
				bytes = 0;
				ignore = false;
			}
		}
		opens_bytes = token.kind == IDENTIFIER &&
		    span_is(token.span, "TBUF_BYTES");
		if (token.kind == IDENTIFIER && !opens_bytes && !ignore)
			*last = token.span;
	}
}

/* Read provider or name, and the comma behind it if there is one. */
static int
read_field(const char **text, struct span *field, bool *more)
{
	const char *p = *text + strspn(*text, " \t\n\v\f\r");

	field->start = p;
	while (is_word(*p) || *p == '-' || *p == '.')
		p++;
	field->length = (size_t)(p - field->start);
	p += strspn(p, " \t\n\v\f\r");
	if (field->length == 0 || (*p != ',' && *p != '\0'))
		return (-EINVAL);
	*more = *p == ',';
	*text = *more ? p + 1 : p;
	return (0);
}

/* Store a provider, or a name with `__` as `-`. */
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

/* Cut before a character of UTF-8, not within. */
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

/* What argument `n` is called that has no name of its own. */
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
	return (span_equal(span, default_name(n)));
}

/*
 * Is names[n] in the way of another one?  Of an earlier one that is the same,
 * or of the default name of any.
 */
static bool
is_repeated(const struct span *names, unsigned nargs, unsigned n)
{
	unsigned i;

	for (i = 0; i < nargs; i++) {
		if (i < n && span_equal(names[i], names[n]))
			return (true);
		if (i > n && is_default_name(names[i], i) &&
		    span_equal(names[i], names[n]))
			return (true);
	}
	return (false);
}

/* Give default names until no two are the same. */
static void
settle_names(struct span *names, unsigned nargs)
{
	bool changed = true;
	unsigned n;

	for (n = 0; n < nargs; n++) {
		if (names[n].length == 0)
			names[n] = default_name(n);
	}
	while (changed) {
		changed = false;
		for (n = 0; n < nargs; n++) {
			if (!is_default_name(names[n], n) &&
			    is_repeated(names, nargs, n)) {
				names[n] = default_name(n);
				changed = true;
			}
		}
	}
}

/* Read exactly `nargs` arguments, or leave all names empty. */
static void
read_names(const char *text, bool more, struct span *names, unsigned nargs)
{
	struct span last;
	unsigned n;

	for (n = 0; more; n++) {
		more = read_argument(&text, &last);
		cut_span(&last, TBUF_SITETEXT_ARGUMENT - 1);
		if (n < nargs)
			names[n] = last;
	}
	if (n != nargs)
		memset(names, 0, nargs * sizeof(*names));
}

int
tbuf_sitetext_parse(const char *text, unsigned nargs,
    struct tbuf_sitetext *out)
{
	struct span provider, name, names[TBUF_NARGS] = { { NULL, 0 } };
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
	settle_names(names, nargs);
	for (n = 0; n < nargs; n++) {
		memcpy(out->arguments[n], names[n].start, names[n].length);
		out->arguments[n][names[n].length] = '\0';
	}
	for (; n < TBUF_NARGS; n++)
		out->arguments[n][0] = '\0';
	return (0);
}

void
tbuf_sitetext_function(const char *function, char field[TBUF_SITETEXT_FIELD])
{
	struct span span = { function, strlen(function) };
	size_t n;

	cut_span(&span, TBUF_SITETEXT_FIELD - 1);
	for (n = 0; n < span.length; n++)
		field[n] = strchr(" \t\n\v\f\r:,", function[n]) == NULL ?
		    function[n] : '_';
	field[n] = '\0';
}
