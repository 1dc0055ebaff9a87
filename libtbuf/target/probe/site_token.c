/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tokens of a site's text, from which the preprocessor has removed comments.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "target/probe/site_token.h"

/* ctype.h would use the program's locale. */
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

bool
tbuf_site_word(char c)
{
	return (starts_identifier(c) || is_digit(c));
}

bool
tbuf_span_is(struct span span, const char *word)
{
	return (strlen(word) == span.length &&
	    memcmp(word, span.start, span.length) == 0);
}

bool
tbuf_span_equal(struct span a, struct span b)
{
	return (a.length == b.length &&
	    memcmp(a.start, b.start, a.length) == 0);
}

static const char *
skip_identifier(const char *p)
{
	while (tbuf_site_word(*p))
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
		else if (tbuf_site_word(*p) || *p == '.')
			p++;
		else if (*p == '\'' && tbuf_site_word(p[1]))
			p += 2;
		else
			return (p);
	}
}

/* Skips a literal from its opening quote to the end of its C++ suffix. */
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

/* Skips a raw literal from the quote of R"delimiter( on. */
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
	return (tbuf_span_is(word, "L") || tbuf_span_is(word, "u") ||
	    tbuf_span_is(word, "U") || tbuf_span_is(word, "u8"));
}

static bool
is_raw_prefix(struct span word)
{
	return (word.start[word.length - 1] == 'R' && (word.length == 1 ||
	    is_prefix((struct span){ word.start, word.length - 1 })));
}

/* Returns the token at `p', which is not at white space. */
static struct token
token_at(const char *p)
{
	struct token token = { TOKEN_OTHER, { p, 1 } };
	const char *end = p + 1;

	if (starts_identifier(*p)) {
		end = skip_identifier(p);
		token.kind = TOKEN_IDENTIFIER;
		token.span.length = (size_t)(end - p);
		if (*end == '"' && is_raw_prefix(token.span)) {
			token.kind = TOKEN_OTHER;
			end = skip_raw(end);
		} else if ((*end == '"' || *end == '\'') &&
		    is_prefix(token.span)) {
			token.kind = TOKEN_OTHER;
			end = skip_quoted(end);
		}
	} else if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
		end = skip_number(p);
	} else if (*p == '"' || *p == '\'') {
		end = skip_quoted(p);
	} else if (*p == ':' && p[1] == ':') {
		token.kind = TOKEN_SCOPE;
		end = p + 2;
	} else if (*p == '-' && p[1] == '>') {
		token.kind = TOKEN_ARROW;
		end = p + 2;
	} else if (*p == ',') {
		token.kind = TOKEN_COMMA;
	} else if (*p == '(') {
		token.kind = TOKEN_OPEN;
	} else if (*p == ')') {
		token.kind = TOKEN_CLOSE;
	} else if (*p == '\0') {
		token.kind = TOKEN_END;
		end = p;
	}
	token.span.length = (size_t)(end - p);
	return (token);
}

struct token
tbuf_token_next(struct cursor *cursor)
{
	struct token token;

	while (cursor->p < cursor->end && strchr(" \t\n\v\f\r", *cursor->p) !=
	    NULL)
		cursor->p++;
	if (cursor->p == cursor->end)
		return ((struct token){ TOKEN_END, { cursor->p, 0 } });
	token = token_at(cursor->p);
	cursor->p += token.span.length;
	return (token);
}

struct token
tbuf_token_peek(struct cursor cursor)
{
	return (tbuf_token_next(&cursor));
}

static bool
is_one(struct token token, char c)
{
	return (token.span.length == 1 && *token.span.start == c);
}

struct cursor
tbuf_token_group(struct cursor *cursor, char open, char close)
{
	struct cursor inside = *cursor;
	struct token token;
	unsigned depth = 1, round = 0;

	for (;;) {
		token = tbuf_token_next(cursor);
		if (token.kind == TOKEN_END) {
			inside.end = cursor->p;
			return (inside);
		}
		/* Within parentheses < and > are comparisons. */
		if (open != '(' && token.kind == TOKEN_OPEN)
			round++;
		else if (open != '(' && token.kind == TOKEN_CLOSE && round > 0)
			round--;
		else if (round == 0 && is_one(token, open))
			depth++;
		else if (round == 0 && is_one(token, close) && --depth == 0) {
			inside.end = token.span.start;
			return (inside);
		}
	}
}
