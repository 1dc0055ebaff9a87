/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tokens, for the files that parse a site's text.
 */
#ifndef TBUF_TARGET_PROBE_SITE_TOKEN_H
#define TBUF_TARGET_PROBE_SITE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* A part of a text. */
struct span {
	const char *start;
	size_t length;
};

bool	tbuf_span_is(struct span, const char *word);
bool	tbuf_span_equal(struct span, struct span);

/* Returns true if the character can be part of an identifier. */
bool	tbuf_site_word(char);

/*
 * A preprocessing token; only operators that occur in paths have their own
 * kinds.
 */
struct token {
	enum token_kind {
		TOKEN_END,
		TOKEN_IDENTIFIER,
		TOKEN_COMMA,
		TOKEN_OPEN,		/* ( */
		TOKEN_CLOSE,		/* ) */
		TOKEN_SCOPE,		/* :: */
		TOKEN_ARROW,		/* -> */
		TOKEN_OTHER
	} kind;
	struct span span;
};

/* The text not yet read.  A NUL is at its end, or a token begins there. */
struct cursor {
	const char *p;
	const char *end;
};

struct token tbuf_token_next(struct cursor *);
struct token tbuf_token_peek(struct cursor);

/*
 * Reads to the closing bracket, or to the end of the text if that is missing;
 * the opening one has been read.  Returns the text inside.
 */
struct cursor tbuf_token_group(struct cursor *, char open, char close);

/* The name of an argument, its own or from TBUF_NAMED; empty if it has none. */
struct argument_name {
	struct span span;
	bool given;
	bool element;		/* of an array: no name, unless .b follows */
};

struct argument_name tbuf_site_argument(struct cursor);

/* Calls an argument argN if it has no name, or another argument's name. */
void	tbuf_site_settle(struct argument_name *, unsigned nargs);

#endif
