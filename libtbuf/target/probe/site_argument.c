/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of a probe's arguments.  Only a plain path of members has a name, its
 * last identifier: a, a.b, p->q, a[i].b, ns::a.  Casts, & and * may precede it,
 * and parentheses enclose it.  Any other expression has no single identifier
 * that describes it.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "target/probe/site_token.h"

/* Nesting of parentheses; a deeper argument has no name. */
#define DEPTH_MAX	32

static bool	read_path(struct cursor, struct argument_name *, unsigned);

static bool
is_one_of(struct span word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (tbuf_span_is(word, *words))
			return (true);
	return (false);
}

static bool
is_operator(struct token token, const char *operators)
{
	return (token.kind == TOKEN_OTHER && token.span.length == 1 &&
	    strchr(operators, *token.span.start) != NULL);
}

/* Returns true for a word that occurs only in types. */
static bool
is_type_word(struct span word)
{
	static const char *const words[] = {
		"_Bool", "auto", "bool", "char", "class", "const", "decltype",
		"double", "enum", "float", "int", "long", "short", "signed",
		"struct", "typename", "union", "unsigned", "void", "volatile",
		NULL
	};

	return (is_one_of(word, words) || (word.length > 2 &&
	    memcmp(word.start + word.length - 2, "_t", 2) == 0));
}

/* Returns true if the text between parentheses is certainly a type. */
static bool
is_type(struct cursor inside)
{
	struct token token, last = { TOKEN_END, { NULL, 0 } };
	bool word = false;

	while ((token = tbuf_token_next(&inside)).kind != TOKEN_END) {
		if (token.kind == TOKEN_OPEN) {
			/* int (*)[4], decltype(a) */
			(void)tbuf_token_group(&inside, '(', ')');
		} else if (token.kind == TOKEN_IDENTIFIER) {
			word |= is_type_word(token.span);
		} else if (token.kind != TOKEN_SCOPE &&
		    !is_operator(token, "*&<>[]")) {
			return (false);
		}
		last = token;
	}
	return (word || is_operator(last, "*&"));
}

/*
 * Skips the group at the cursor if it is a cast.  (a)(b) may be a call,
 * and (a) * b a product, unless `a' is certainly a type.
 */
static bool
skip_cast(struct cursor *cursor)
{
	struct cursor behind = *cursor, inside;
	struct token next;

	if (tbuf_token_next(&behind).kind != TOKEN_OPEN)
		return (false);
	inside = tbuf_token_group(&behind, '(', ')');
	next = tbuf_token_peek(behind);
	if (next.kind != TOKEN_IDENTIFIER && next.kind != TOKEN_SCOPE &&
	    !((next.kind == TOKEN_OPEN || is_operator(next, "*&")) &&
	    is_type(inside)))
		return (false);
	*cursor = behind;
	return (true);
}

/* Skips the casts, & and * before a path. */
static void
skip_prefixes(struct cursor *cursor)
{
	do {
		while (is_operator(tbuf_token_peek(*cursor), "*&"))
			(void)tbuf_token_next(cursor);
	} while (skip_cast(cursor));
}

/* Reads the contents of parentheses, which are required here. */
static bool
read_group(struct cursor *cursor, struct cursor *inside)
{
	if (tbuf_token_next(cursor).kind != TOKEN_OPEN)
		return (false);
	*inside = tbuf_token_group(cursor, '(', ')');
	return (true);
}

/* Returns the first argument of a macro call. */
static struct cursor
first_of(struct cursor inside)
{
	struct cursor first = inside;
	struct token token;

	while ((token = tbuf_token_next(&inside)).kind != TOKEN_END) {
		if (token.kind == TOKEN_OPEN)
			(void)tbuf_token_group(&inside, '(', ')');
		if (token.kind == TOKEN_COMMA) {
			first.end = token.span.start;
			break;
		}
	}
	return (first);
}

static bool
read_named(struct cursor inside, struct argument_name *name)
{
	struct token token = tbuf_token_next(&inside);

	name->span = token.span;
	name->given = true;
	return (token.kind == TOKEN_IDENTIFIER &&
	    tbuf_token_next(&inside).kind == TOKEN_COMMA);
}

/* Reads static_cast<T>(path), TBUF_BYTES(path, n) and similar calls. */
static bool
read_call(struct cursor *cursor, struct span word, struct argument_name *name,
    unsigned depth)
{
	static const char *const casts[] = {
		"static_cast", "const_cast", "reinterpret_cast",
		"dynamic_cast", NULL
	}, *const sized[] = {
		"TBUF_BYTES", "TBUF_TEXT", "TBUF_INTERNED", NULL
	};
	struct cursor inside;

	if (is_one_of(word, casts)) {
		if (!is_operator(tbuf_token_next(cursor), "<"))
			return (false);
		(void)tbuf_token_group(cursor, '<', '>');
		return (read_group(cursor, &inside) &&
		    read_path(inside, name, depth));
	}
	if (!read_group(cursor, &inside))
		return (false);
	if (tbuf_span_is(word, "TBUF_NAMED"))
		return (read_named(inside, name));
	return (is_one_of(word, sized) &&
	    read_path(first_of(inside), name, depth));
}

/* Reads the beginning of a path. */
static bool
read_first(struct cursor *cursor, struct argument_name *name, unsigned depth)
{
	static const char *const literals[] = {
		"true", "false", "nullptr", NULL
	};
	struct token token = tbuf_token_next(cursor), next;
	struct cursor inside;

	if (token.kind == TOKEN_OPEN) {
		inside = tbuf_token_group(cursor, '(', ')');
		return (read_path(inside, name, depth));
	}
	if (token.kind == TOKEN_SCOPE)
		token = tbuf_token_next(cursor);
	if (token.kind != TOKEN_IDENTIFIER || is_one_of(token.span, literals))
		return (false);
	next = tbuf_token_peek(*cursor);
	if (next.kind == TOKEN_OPEN || is_operator(next, "<"))
		return (read_call(cursor, token.span, name, depth));
	name->span = token.span;
	return (true);
}

/* Reads one whole argument. */
static bool
read_path(struct cursor cursor, struct argument_name *name, unsigned depth)
{
	struct token token;

	if (depth == DEPTH_MAX)
		return (false);
	skip_prefixes(&cursor);
	if (!read_first(&cursor, name, depth + 1))
		return (false);
	while ((token = tbuf_token_next(&cursor)).kind != TOKEN_END) {
		if (is_operator(token, "[")) {
			(void)tbuf_token_group(&cursor, '[', ']');
			name->element = true;
			continue;
		}
		if (token.kind != TOKEN_SCOPE && token.kind != TOKEN_ARROW &&
		    !is_operator(token, "."))
			return (false);
		token = tbuf_token_next(&cursor);
		if (token.kind != TOKEN_IDENTIFIER)
			return (false);
		*name = (struct argument_name){ token.span, false, false };
	}
	return (true);
}

/* Reads a TBUF_NAMED that a macro around TBUF_PROBE has expanded. */
static bool
read_expanded(struct cursor cursor, struct argument_name *name)
{
	static const char mark[] = "tbuf_name_";
	const size_t length = sizeof(mark) - 1;
	struct token token;

	while ((token = tbuf_token_next(&cursor)).kind != TOKEN_END) {
		if (token.kind == TOKEN_IDENTIFIER &&
		    token.span.length > length &&
		    memcmp(token.span.start, mark, length) == 0) {
			name->span.start = token.span.start + length;
			name->span.length = token.span.length - length;
			name->given = true;
			return (true);
		}
	}
	return (false);
}

struct argument_name
tbuf_site_argument(struct cursor argument)
{
	const struct argument_name none = { { argument.p, 0 }, false, false };
	struct argument_name name = none;

	if (read_expanded(argument, &name))
		return (name);
	return (read_path(argument, &name, 0) && !name.element ? name : none);
}
