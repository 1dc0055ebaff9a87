/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files that take a site's text apart have in common.
 */
#ifndef TBUF_TARGET_PROBE_SITE_TOKEN_H
#define TBUF_TARGET_PROBE_SITE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* A stretch of a text. */
struct span {
	const char *start;
	size_t length;
};

bool	tbuf_span_is(struct span, const char *word);
bool	tbuf_span_equal(struct span, struct span);

/* Can it be part of an identifier? */
bool	tbuf_site_word(char);

/* A preprocessing token; of the operators, those that a path is made of. */
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

/* What is left to read; a NUL stands behind it, or a token begins there. */
struct cursor {
	const char *p;
	const char *end;
};

struct token tbuf_token_next(struct cursor *);
struct token tbuf_token_peek(struct cursor);

/*
 * Behind an opening bracket that has been read: what is inside, and step
 * behind its closing one, or to the end where that is missing.
 */
struct cursor tbuf_token_group(struct cursor *, char open, char close);

/*
 * What an argument is called by itself, or by TBUF_NAMED; empty where it has
 * no name.
 */
struct argument_name {
	struct span span;
	bool given;
	bool element;		/* of an array: no name, unless .b follows */
};

struct argument_name tbuf_site_argument(struct cursor);

/* Call argN what has no name, and what has the name of another argument. */
void	tbuf_site_settle(struct argument_name *, unsigned nargs);

#endif
