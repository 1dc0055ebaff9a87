/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a probe's field of the function that a site is in.  In C it is
 * __func__.  In C++ it is cut out of __PRETTY_FUNCTION__, which gcc and clang
 * spell differently:
 *
 *	static T* ns::Box<T>::get(int) const [with T = int]
 *	static T *ns::Box<int>::get(int) const [T = int]
 *	{anonymous}::run()::<lambda(int)>
 *	auto (anonymous namespace)::run()::(anonymous class)::operator()(int)
 *
 * The first two are ns::Box::get, the others run::lambda: result types,
 * arguments, template arguments and unnamed scopes are omitted.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "target/probe/site_text.h"
#include "target/probe/site_token.h"

struct field {
	char *text;
	size_t length;
	bool joined;		/* after ::, the next name continues it */
	bool full;
};

static bool
is(struct token token, const char *text)
{
	return (tbuf_span_is(token.span, text));
}

static void
clear(struct field *field)
{
	field->length = 0;
	field->full = false;
}

/*
 * Appends text, cut before a whole UTF-8 character or ::.  Characters that a
 * field cannot have become _.
 */
static void
put(struct field *field, const char *text, size_t length)
{
	size_t room = TBUF_SITETEXT_FIELD - 1 - field->length, i;
	bool scope = length == 2 && memcmp(text, "::", 2) == 0;

	if (field->full)
		return;
	if (length > room) {
		field->full = true;
		length = scope ? 0 : room;
		while (length > 0 &&
		    ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	for (i = 0; i < length; i++)
		field->text[field->length++] = scope ||
		    strchr(" \t\n\v\f\r,:", text[i]) == NULL ? text[i] : '_';
}

/* Begins a name: it continues the field after ::, else replaces it. */
static void
begin(struct field *field)
{
	if (!field->joined)
		clear(field);
	else if (field->length > 0)
		put(field, "::", 2);
	field->joined = false;
}

static void
put_name(struct field *field, const char *text, size_t length)
{
	begin(field);
	put(field, text, length);
}

/* Skips an unnamed part: the field before it counts only after ::. */
static void
put_nothing(struct field *field)
{
	if (!field->joined)
		clear(field);
	field->joined = false;
}

/*
 * Reads an operator's name, after the word `operator', up to its arguments.  It
 * may be a type; template arguments of types are omitted.
 */
static void
read_operator(struct cursor *cursor, struct field *field)
{
	struct token token = tbuf_token_peek(*cursor);
	bool word = token.kind == TOKEN_IDENTIFIER, last = true;

	put_name(field, "operator", 8);
	if (token.kind == TOKEN_OPEN) {
		(void)tbuf_token_next(cursor);
		(void)tbuf_token_next(cursor);
		put(field, "()", 2);
		return;
	}
	while ((token = tbuf_token_peek(*cursor)).kind != TOKEN_OPEN &&
	    token.kind != TOKEN_END) {
		(void)tbuf_token_next(cursor);
		if (word && is(token, "<")) {
			(void)tbuf_token_group(cursor, '<', '>');
			continue;
		}
		if (last && token.kind == TOKEN_IDENTIFIER)
			put(field, "_", 1);
		last = token.kind == TOKEN_IDENTIFIER;
		if (!is(token, ":"))
			put(field, token.span.start, token.span.length);
	}
}

/* Reads (anonymous namespace), (anonymous class), (lambda at FILE:1:2). */
static bool
read_unnamed(struct cursor *cursor, struct field *field)
{
	struct cursor inside = tbuf_token_group(cursor, '(', ')'), ahead;
	struct token first = tbuf_token_next(&inside);
	struct token second = tbuf_token_next(&inside);

	if (!is(first, "lambda") && ((!is(first, "anonymous") &&
	    !is(first, "unnamed")) || second.kind != TOKEN_IDENTIFIER))
		return (false);
	/* In clang a lambda expression is a class with an operator. */
	ahead = *cursor;
	if (tbuf_token_next(&ahead).kind == TOKEN_SCOPE &&
	    is(tbuf_token_next(&ahead), "operator") &&
	    tbuf_token_next(&ahead).kind == TOKEN_OPEN &&
	    tbuf_token_next(&ahead).kind == TOKEN_CLOSE) {
		put_name(field, "lambda", 6);
		*cursor = ahead;
	} else
		put_nothing(field);
	return (true);
}

/* Returns true if :: follows a function's arguments. */
static bool
is_scope(struct cursor *cursor)
{
	struct token token;

	for (;;) {
		token = tbuf_token_peek(*cursor);
		if (token.kind == TOKEN_SCOPE)
			return (true);
		if (!is(token, "const") && !is(token, "volatile") &&
		    !is(token, "noexcept") && !is(token, "&") &&
		    !is(token, "["))
			return (false);
		(void)tbuf_token_next(cursor);
		if (is(token, "["))
			(void)tbuf_token_group(cursor, '[', ']');
	}
}

/*
 * Reads after a parenthesis.  Returns false at the site's function's arguments.
 */
static bool
read_open(struct cursor *cursor, struct field *field)
{
	struct token token = tbuf_token_peek(*cursor);
	struct cursor group = *cursor;

	/* int (*f())[4]: the name is inside. */
	if (is(token, "*") || is(token, "&"))
		return (true);
	if (read_unnamed(&group, field)) {
		*cursor = group;
		return (true);
	}
	*cursor = group;
	return (is_scope(cursor));
}

/* Reads after `<': a lambda expression, an unnamed class, or arguments. */
static void
read_angle(struct cursor *cursor, struct field *field)
{
	struct token token = tbuf_token_peek(*cursor);

	if (is(token, "lambda"))
		put_name(field, "lambda", 6);
	else if (is(token, "unnamed"))
		put_nothing(field);
	(void)tbuf_token_group(cursor, '<', '>');
}

static bool
read_word(struct cursor *cursor, struct token token, struct field *field)
{
	if (is(token, "operator")) {
		read_operator(cursor, field);
	} else if (is(token, "decltype") || is(token, "__attribute__") ||
	    is(token, "__vector")) {
		if (tbuf_token_next(cursor).kind == TOKEN_OPEN)
			(void)tbuf_token_group(cursor, '(', ')');
	} else
		put_name(field, token.span.start, token.span.length);
	return (true);
}

/* Reads one part.  Returns false at the end. */
static bool
read_part(struct cursor *cursor, struct field *field)
{
	struct token token = tbuf_token_next(cursor);

	if (token.kind == TOKEN_END)
		return (false);
	if (token.kind == TOKEN_IDENTIFIER)
		return (read_word(cursor, token, field));
	if (token.kind == TOKEN_OPEN)
		return (read_open(cursor, field));
	if (token.kind == TOKEN_SCOPE) {
		field->joined = true;
	} else if (is(token, "<")) {
		read_angle(cursor, field);
	} else if (is(token, "[")) {
		(void)tbuf_token_group(cursor, '[', ']');
	} else if (is(token, "{")) {
		(void)tbuf_token_group(cursor, '{', '}');
		put_nothing(field);
	} else if (is(token, "~")) {
		begin(field);
		put(field, "~", 1);
		token = tbuf_token_next(cursor);
		put(field, token.span.start, token.span.length);
	}
	return (true);
}

void
tbuf_sitetext_function(const char *function, char text[TBUF_SITETEXT_FIELD])
{
	struct cursor cursor = { function, function + strlen(function) };
	struct field field = { text, 0, false, false };

	while (read_part(&cursor, &field))
		continue;
	if (field.length == 0)
		put(&field, "unknown", 7);
	text[field.length] = '\0';
}
